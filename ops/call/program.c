/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of operations: texts NAME.yk with macros for dtypes and operations. The device keeps each program, so that it
 * is compiled once in a process; Yoke's cache keeps it on disk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "call.h"
#include "text.h"

enum { MOST_DEFINES = 32, KEY_SIZE = 4096 };

yoke_status (*yops_program_watch)(const yoke_source *source);

/* Empty where there is none of this name, which no compiler takes for the kernel. */
static const char *find_text(const char *name)
{
    for (const yops_text *t = yops_texts; t->name; t++)
        if (strcmp(t->name, name) == 0)
            return t->text;
    return "";
}

void yops_get_headers(yoke_header headers[YOPS_MOST_HEADERS], const char *generated)
{
    size_t count = 0;
    for (const yops_text *t = yops_texts; t->name; t++)
        if (strstr(t->name, ".yh") && count + 2 < YOPS_MOST_HEADERS)
            headers[count++] = (yoke_header){ t->name, t->text };
    headers[count++] = (yoke_header){ "generated.h", generated };
    headers[count] = (yoke_header){ NULL, NULL };
}

/* "A=1 B=2" as a list of defines, which lie in `copy`. */
static void split_options(char *copy, const char **defines)
{
    size_t count = 0;
    for (char *word = strtok_r(copy, " ", &copy); word && count + 1 < MOST_DEFINES; word = strtok_r(NULL, " ", &copy))
        defines[count++] = word;
    defines[count] = NULL;
}

/* MOST_REGISTERS=N, for kernels that only run on NVIDIA's devices, is an option of NVIDIA's compiler for OpenCL, too
 * (cl_nv_compiler_options); see block_size.yh. */
static void find_opencl_options(const char *const *defines, char option[48], const char *options[2])
{
    static const char name[] = "MOST_REGISTERS=";
    options[0] = options[1] = NULL;
    for (; *defines; defines++)
        if (strncmp(*defines, name, sizeof name - 1) == 0) {
            snprintf(option, 48, "-cl-nv-maxrregcount=%s", *defines + sizeof name - 1);
            options[0] = option;
        }
}

/* The text of the kernel, and its macros, behind `first`, which sees none of them; the caller frees it. NULL: no memory. */
static char *put_behind(const char *first, const char *const *defines, const char *name, const char *text)
{
    size_t size = strlen(first) + strlen(name) + strlen(text) + 32, length;
    for (const char *const *define = defines; *define; define++)
        size += strlen(*define) + sizeof "#define \n";
    char *both = malloc(size);
    if (!both)
        return NULL;
    length = (size_t)snprintf(both, size, "%s", first);
    for (const char *const *define = defines; *define; define++) {
        int name_length = (int)strcspn(*define, "=");
        const char *value = (*define)[name_length] ? *define + name_length + 1 : "1";
        length += (size_t)snprintf(both + length, size - length, "#define %.*s %s\n", name_length, *define, value);
    }
    snprintf(both + length, size - length, "#line 1 \"%s.yk\"\n%s", name, text);
    return both;
}

static yoke_status build(const yops_call *call, const char *key, const char *text, const char *options, const char *first,
                         const char *generated, yoke_program **out_program)
{
    yoke_header headers[YOPS_MOST_HEADERS];
    const char *defines[MOST_DEFINES], *opencl_options[2];
    char option[48], *copy = strdup(options), *both = NULL;
    yoke_status status = YOKE_OK;
    if (copy) {
        split_options(copy, defines);
        both = first ? put_behind(first, defines, text, find_text(text)) : NULL;
    }
    if (!copy || (first && !both)) {
        status = yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the text of %s", text);
        goto out;
    }
    yops_get_headers(headers, generated ? generated : "");
    find_opencl_options(defines, option, opencl_options);
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = text;
    source.text = both ? both : find_text(text);
    source.math = YOKE_MATH_EXACT;
    source.defines = both ? NULL : defines;
    source.opencl_options = opencl_options;
    source.headers = headers;
    if (yops_program_watch)
        status = yops_program_watch(&source);
    if (status == YOKE_OK)
        status = yoke_device_get_program(call->device, key, &source, out_program);
out:
    free(both);
    free(copy);
    return status;
}

static bool find_program(const yops_call *call, const char *key, yoke_program **out_program)
{
    return yoke_device_get_program(call->device, key, NULL, out_program) == YOKE_OK && *out_program;
}

bool yops_kernel_known(const yops_call *call, const char *key, const char *name, yoke_kernel **out_kernel)
{
    yoke_program *program;
    return find_program(call, key, &program) && yoke_kernel_get(program, name, out_kernel) == YOKE_OK;
}

yoke_status yops_kernel_generated(const yops_call *call, const char *key, const char *text, const char *options, const char *first,
                                  const char *generated, const char *name, yoke_kernel **out_kernel)
{
    yoke_program *program;
    yoke_status status = YOKE_OK;
    if (!find_program(call, key, &program))
        status = build(call, key, text, options, first, generated, &program);
    return status < 0 ? status : yoke_kernel_get(program, name, out_kernel);
}

void yops_only(char *all, size_t size, const char *options, const char *part)
{
    yops_write(all, size, "%s ONLY=1 ONLY_%s=1", options, part);
}

yoke_status yops_kernel(const yops_call *call, const char *text, const char *options, const char *name, yoke_kernel **out_kernel)
{
    char key[KEY_SIZE];
    int length = yops_write(key, sizeof key, "yoke-ops %s %s", text, options);
    if ((size_t)length >= sizeof key)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "the options of %s are too long", text);
    return yops_kernel_generated(call, key, text, options, NULL, NULL, name, out_kernel);
}

yoke_status yops_temporary(const yops_call *call, uint64_t size, yoke_buffer **out_buffer)
{
    if (size > SIZE_MAX)
        return yops_fail(call, YOKE_E_OUT_OF_DEVICE_MEMORY, "temporary memory exceeds the address space");
    return yoke_buffer_create_ordered(call->stream, size > 0 ? (size_t)size : 1, out_buffer);
}

/* Kernels whose threads each work alone name no block: it may be smaller, where the device or the kernel's registers want that. */
static uint32_t fit_block(const yoke_kernel *kernel, uint32_t threads)
{
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    if (threads == 1 || yoke_kernel_get_info(kernel, &info) < 0 || info.required_block[0] > 0 || info.max_block_threads == 0)
        return threads;
    return info.max_block_threads < threads ? info.max_block_threads : threads;
}

yoke_status yops_launch(const yops_call *call, yoke_kernel *kernel, uint64_t blocks, uint32_t threads, const yoke_arg *args,
                        size_t count)
{
    uint32_t fitting = fit_block(kernel, threads);
    if (fitting < threads) {
        blocks = yops_divide_up(blocks * threads, fitting);
        threads = fitting;
    }
    if (blocks > INT32_MAX)
        return yops_fail(call, YOKE_E_RANGE, "%llu blocks are more than a grid holds", (unsigned long long)blocks);
    return yoke_launch_at(call->where, call->stream, kernel, YOKE_DIM(blocks), YOKE_DIM(threads), 0, args, count);
}
