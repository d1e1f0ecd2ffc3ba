/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of the host backend. It has no compiler: a source's kernels are looked up by name in a table of C functions, which do
 * what the conformance programs' kernels of these names do.
 */
#include "host.h"

#include <stdio.h>

typedef struct launch {
    void *buffer[2];
    uint32_t word[2];
    float real;
    size_t count; /* number of arguments */
    uint64_t threads;
} launch;

static void set(const launch *l)
{
    *(uint32_t *)l->buffer[0] = l->word[0];
}

/* Of (x, n, k): n words; of (x, k): one word. */
static void advance(const launch *l)
{
    uint32_t *words = l->buffer[0], count = l->count > 2 ? l->word[0] : 1, k = l->count > 2 ? l->word[1] : l->word[0];
    for (uint64_t i = 0; i < l->threads && i < count; i++)
        words[i] = words[i] * 3u + k;
}

static void saxpy(const launch *l)
{
    float *y = l->buffer[0];
    const float *x = l->buffer[1];
    for (uint64_t i = 0; i < l->threads && i < l->word[0]; i++)
        y[i] = l->real * x[i] + y[i];
}

static void spin(const launch *l)
{
    uint32_t *words = l->buffer[0], x = l->word[0];
    for (uint64_t i = 0; i < (uint64_t)l->word[1] * 256; i++) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 16;
    }
    words[0] = l->word[0];
    words[1] = x;
}

static const struct kernel {
    const char *name;
    void (*run)(const launch *l);
} kernels[] = { { "advance", advance }, { "saxpy", saxpy }, { "set", set }, { "spin", spin } };

/* The kernels that the text contains, one bit each. */
static uintptr_t kernels_in(const char *text)
{
    uintptr_t found = 0;
    char words[32];
    for (size_t i = 0; i < YK_COUNT_OF(kernels); i++) {
        snprintf(words, sizeof words, "void %s(", kernels[i].name);
        found |= (uintptr_t)(strstr(text, words) != NULL) << i;
    }
    return found;
}

yoke_status yk_host_device_compiler(const yoke_device *device, yoke_compiler_info *out_info)
{
    (void)device;
    yk_string_copy(out_info->name, sizeof out_info->name, "a table of the tests");
    yk_string_copy(out_info->language, sizeof out_info->language, "OpenCL C");
    return YOKE_OK;
}

void yk_host_program_include_folders(const yoke_device *device, yk_text *folders)
{
    (void)device;
    (void)folders;
}

yoke_status yk_host_program_fingerprint(const yoke_device *device, yk_text *text)
{
    (void)device;
    yk_text_add(text, "a table of the tests\n");
    return YOKE_OK;
}

yoke_status yk_host_program_build(yoke_program *program, const yoke_source *source, const yk_text *text, const yk_line_map *lines,
                                  yk_text *log)
{
    (void)source, (void)lines;
    uintptr_t found = kernels_in(yk_text_get(text));
    if (found == 0) {
        yk_text_add(log, "no kernel of the table\n");
        return yk_fail(YOKE_E_BUILD, "host: there is no compiler, and no kernel of the table in the source");
    }
    program->native = (void *)found;
    return YOKE_OK;
}

yoke_status yk_host_program_kernel_names(const yoke_program *program, yk_text *names)
{
    for (size_t i = 0; i < YK_COUNT_OF(kernels); i++)
        if ((uintptr_t)program->native >> i & 1)
            yk_text_add(names, "%s%s", names->length > 0 ? ";" : "", kernels[i].name);
    return YOKE_OK;
}

void yk_host_program_destroy(yoke_program *program)
{
    program->native = NULL;
}

yoke_status yk_host_kernel_create(yoke_kernel *kernel)
{
    for (size_t i = 0; i < YK_COUNT_OF(kernels); i++)
        if ((uintptr_t)kernel->program->native >> i & 1 && strcmp(kernels[i].name, kernel->native_name) == 0) {
            kernel->native = (void *)&kernels[i];
            kernel->param_count = -1;
            kernel->info.max_block_threads = 1024;
            kernel->info.preferred_multiple = 1;
            kernel->info.registers = -1;
            kernel->info.local_bytes = kernel->info.constant_bytes = -1;
            return YOKE_OK;
        }
    return yk_fail(YOKE_E_NOT_FOUND, "host: program '%s' has no kernel '%s'", kernel->program->name, kernel->name);
}

void yk_host_kernel_destroy(yoke_kernel *kernel)
{
    kernel->native = NULL;
}

yoke_status yk_host_launch(yoke_stream *stream, const yk_op *op)
{
    const struct kernel *kernel = op->u.launch.kernel->native;
    const yoke_dim *grid = &op->u.launch.grid, *block = &op->u.launch.block;
    launch l = { .count = op->u.launch.count, .threads = (uint64_t)grid->x * block->x };
    size_t buffers = 0, words = 0;
    for (size_t i = 0; i < op->u.launch.count; i++) {
        const yoke_arg *arg = &op->u.launch.args[i];
        if (arg->kind == YOKE_ARG_BUFFER && buffers < YK_COUNT_OF(l.buffer))
            l.buffer[buffers++] = arg->value.buffer->native.pointer;
        else if (kernel->run == saxpy && i == 2)
            memcpy(&l.real, &arg->value, sizeof l.real);
        else if (words < YK_COUNT_OF(l.word))
            memcpy(&l.word[words++], &arg->value, sizeof l.word[0]);
    }
    pthread_mutex_lock(stream->native);
    kernel->run(&l);
    pthread_mutex_unlock(stream->native);
    return YOKE_OK;
}
