/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs: OpenCL C, built for the device by the driver. Fusing a multiplication and an addition is off unless fast math is asked
 * for, because OpenCL C fuses by itself and the CUDA twin would differ in the last bit. clBuildProgram, not clCompileProgram:
 * PoCL's cache serves only that.
 */
#include "driver.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(yk_text *text, size_t *wanted, const char *bytes, size_t length)
{
    yk_text_add_bytes(text, bytes, length);
    *wanted += length;
}

/* What stands before the source. Defines go here rather than into the options, whose quoting every driver reads in its own way. */
static yoke_status write_preamble(const yoke_program *program, const yoke_source *source, yk_text *preamble)
{
    static const char no_fusing[] = "#pragma OPENCL FP_CONTRACT OFF\n";
    char line[sizeof program->name + 16];
    size_t wanted = 0;

    if (source->math == YOKE_MATH_EXACT)
        put(preamble, &wanted, no_fusing, strlen(no_fusing));
    for (const char *const *define = source->defines; define && *define; define++) {
        size_t length = strlen(*define), name = strcspn(*define, "=");
        put(preamble, &wanted, "#define ", 8);
        put(preamble, &wanted, *define, name);
        put(preamble, &wanted, " ", 1);
        if (name < length)
            put(preamble, &wanted, *define + name + 1, length - name - 1);
        else
            put(preamble, &wanted, "1", 1);
        put(preamble, &wanted, "\n", 1);
    }

    /* From here on the compiler counts and names as the caller does (Oclgrind 21.10 counts on regardless). */
    snprintf(line, sizeof line, "#line 1 \"%s", program->name[0] ? program->name : "source");
    for (char *c = line + strlen("#line 1 \""); *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
            *c = '_';
    put(preamble, &wanted, line, strlen(line));
    put(preamble, &wanted, "\"\n", 2);
    return preamble->length == wanted ? YOKE_OK : yk_no_memory("the source of a program");
}

static void write_options(const yk_opencl_slot *slot, const yoke_source *source, bool signature, char *options, size_t size)
{
    const char *std = source->opencl_std ? source->opencl_std : "1.2";
    const char *math = "";

    if (source->math == YOKE_MATH_FAST)
        math = " -cl-fast-relaxed-math";
    else if (slot->rounds_correctly && strcmp(std, "1.2") >= 0) /* the option is as old as that */
        math = " -cl-fp32-correctly-rounded-divide-sqrt";
    snprintf(options, size, "-cl-std=CL%s%s%s", std, signature ? " -cl-kernel-arg-info" : "", math);
}

/* One line of the compiler's. NVIDIA's (580) ignores #line: its "<kernel>:7:1: ..." counts the preamble too, and is mended here. */
static void add_line(yk_text *log, const char *line, size_t length, const char *name, unsigned long preamble_lines)
{
    static const char unnamed[] = "<kernel>:";
    size_t prefix = strlen(unnamed);
    char *rest = NULL;
    unsigned long number = length > prefix && strncmp(line, unnamed, prefix) == 0 ? strtoul(line + prefix, &rest, 10) : 0;

    if (number > preamble_lines)
        yk_text_add(log, "%s:%lu%.*s\n", name, number - preamble_lines, (int)(line + length - rest), rest);
    else
        yk_text_add(log, "%.*s\n", (int)length, line);
}

/* Append what the compiler printed; `*out_start` is where that begins. A log that cannot be had is no failure of the build. */
static void add_log(cl_program handle, const yoke_program *program, const yk_text *preamble, yk_text *log, size_t *out_start)
{
    cl_device_id id = yk_opencl_device_of(program->device)->slot->id;
    unsigned long preamble_lines = 0;
    size_t size = 0;
    char *text = NULL;

    *out_start = log->length;
    for (size_t i = 0; i < preamble->length; i++)
        preamble_lines += preamble->data[i] == '\n';
    if (yk_cl.clGetProgramBuildInfo(handle, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS && size > 1 && size < INT_MAX)
        text = calloc(1, size + 1);
    if (text && yk_cl.clGetProgramBuildInfo(handle, id, CL_PROGRAM_BUILD_LOG, size, text, NULL) == CL_SUCCESS) {
        size = strlen(text);
        while (size > 0 && (unsigned char)text[size - 1] <= ' ')
            text[--size] = '\0';
        for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
            add_line(log, line, strcspn(line, "\n"), program->name, preamble_lines);
    }
    free(text);
}

/* The first line of the log that tells of an error, else its first line, into `line`. */
static void first_error(const char *log, char *line, size_t size)
{
    const char *found = strcasestr(log, "error:");

    if (!found)
        found = strcasestr(log, "error");
    if (!found)
        found = log;
    while (found > log && found[-1] != '\n')
        found--;
    yk_string_copy(line, size, found);
    line[strcspn(line, "\n")] = '\0';
}

static yoke_status build_fault(cl_int code, const char *log, const yoke_source *source)
{
    char line[400];

    if (code == CL_INVALID_BUILD_OPTIONS && source->opencl_std)
        return yk_opencl_fail_as(YOKE_E_UNSUPPORTED, "clBuildProgram", code, "the driver's compiler does not take OpenCL C %s",
                                 source->opencl_std);
    if (code != CL_BUILD_PROGRAM_FAILURE)
        return yk_opencl_fail("clBuildProgram", code, NULL);
    first_error(log, line, sizeof line);
    return yk_opencl_fail_as(YOKE_E_BUILD, "clBuildProgram", code, "%s", line[0] ? line : "the compiler does not say why");
}

/* Build, and append to the log what the compiler printed. */
static yoke_status build(cl_program handle, const yoke_program *program, const yoke_source *source, bool signature,
                         const yk_text *preamble, yk_text *log)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(program->device)->slot;
    char options[160];
    size_t start;

    write_options(slot, source, signature, options, sizeof options);
    cl_int code = yk_cl.clBuildProgram(handle, 1, &slot->id, options, NULL, NULL);
    add_log(handle, program, preamble, log, &start);
    if (code == CL_SUCCESS)
        return YOKE_OK;
    /* NVIDIA's compiler (580) breaks on the argument info of a kernel without parameters: its assembler then finds a syntax error
     * in what the compiler wrote. Such a program has to do without, and its kernels' signatures are not known. */
    if (signature && slot->nvidia && strstr(yk_text_get(log) + start, "ptxas")) {
        yk_text_cut(log, start);
        return build(handle, program, source, false, preamble, log);
    }
    return build_fault(code, yk_text_get(log) + start, source);
}

yoke_status yk_opencl_program_build(yoke_program *program, const yoke_source *source, yk_text *log)
{
    const yk_opencl_device *device = yk_opencl_device_of(program->device);
    yk_text preamble = { 0 };
    cl_program handle = NULL;
    cl_int code;
    yoke_status status = write_preamble(program, source, &preamble);

    if (status != YOKE_OK)
        goto out;
    const char *texts[] = { yk_text_get(&preamble), source->opencl };
    handle = yk_cl.clCreateProgramWithSource(device->context, YK_COUNT_OF(texts), texts, NULL, &code);
    if (!handle) {
        status = yk_opencl_fail("clCreateProgramWithSource", code, NULL);
        goto out;
    }
    status = build(handle, program, source, true, &preamble, log);
    if (status != YOKE_OK)
        goto out;
    program->native = handle;
    handle = NULL;
out:
    if (handle)
        yk_cl.clReleaseProgram(handle);
    yk_text_free(&preamble);
    return status;
}

void yk_opencl_program_kernel_names(const yoke_program *program, yk_text *names)
{
    size_t size = 0;
    char *text = NULL;

    if (yk_cl.clGetProgramInfo(program->native, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size) == CL_SUCCESS && size > 0 &&
        size < SIZE_MAX)
        text = calloc(1, size + 1);
    if (text && yk_cl.clGetProgramInfo(program->native, CL_PROGRAM_KERNEL_NAMES, size, text, NULL) == CL_SUCCESS)
        yk_text_add(names, "%s", text);
    free(text);
}

void yk_opencl_program_destroy(yoke_program *program)
{
    yk_cl.clReleaseProgram(program->native);
    program->native = NULL;
}
