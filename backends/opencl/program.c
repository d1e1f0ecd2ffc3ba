/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs: OpenCL C, built for the device by the driver. Fusing a multiplication and an addition is disabled by YOKE_MATH_EXACT,
 * because OpenCL C fuses by default, and the result would differ from CUDA's in the last bit. clBuildProgram, not clCompileProgram:
 * only clBuildProgram uses PoCL's cache.
 */
#include "driver.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static void put(yk_text *text, size_t *wanted, const char *bytes, size_t length)
{
    yk_text_add_bytes(text, bytes, length);
    *wanted += length;
}

/* The text before the source. Defines are part of it rather than of the options, whose quoting differs between drivers. */
static yoke_status write_preamble(const yoke_program *program, const yoke_source *source, yk_text *preamble)
{
    static const char no_fusing[] = "#pragma OPENCL FP_CONTRACT OFF\n";
    char line[sizeof program->name + 16];
    const char *define;
    size_t wanted = 0;

    if (source->math == YOKE_MATH_EXACT)
        put(preamble, &wanted, no_fusing, strlen(no_fusing));
    for (size_t i = 0; (define = yk_source_define(source, YK_LANGUAGE_OPENCL, i)); i++) {
        size_t length = strlen(define), name = strcspn(define, "=");
        put(preamble, &wanted, "#define ", 8);
        put(preamble, &wanted, define, name);
        put(preamble, &wanted, " ", 1);
        if (name < length)
            put(preamble, &wanted, define + name + 1, length - name - 1);
        else
            put(preamble, &wanted, "1", 1);
        put(preamble, &wanted, "\n", 1);
    }

    /* From here on the compiler reports the caller's lines and file name. */
    snprintf(line, sizeof line, "#line 1 \"%s", program->name[0] ? program->name : "source");
    for (char *c = line + strlen("#line 1 \""); *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
            *c = '_';
    put(preamble, &wanted, line, strlen(line));
    put(preamble, &wanted, "\"\n", 2);
    return preamble->length == wanted ? YOKE_OK : yk_no_memory("the source of a program");
}

/* The source text passed to the compiler, and the origin of its lines; zeroed for code without source. */
typedef struct unit {
    const yoke_program *program;
    const yoke_source *source;
    yk_text preamble;
    unsigned long preamble_lines;
    const yk_line_map *lines;
} unit;

static yoke_status write_options(const unit *u, bool signature, bool debug, yk_text *options)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(u->program->device)->slot;
    const yoke_source *source = u->source;
    const yk_text *more = &u->program->options;
    const char *std = source->opencl_std ? source->opencl_std : "1.2";
    const char *math = "";
    size_t wanted = 0;

    if (source->math == YOKE_MATH_FAST)
        math = " -cl-fast-relaxed-math";
    else if (source->math == YOKE_MATH_EXACT && slot->rounds_correctly &&
             strcmp(std, "1.2") >= 0) /* the option exists since OpenCL 1.2 */
        math = " -cl-fp32-correctly-rounded-divide-sqrt";
    put(options, &wanted, "-cl-std=CL", strlen("-cl-std=CL"));
    put(options, &wanted, std, strlen(std));
    if (signature)
        put(options, &wanted, " -cl-kernel-arg-info", strlen(" -cl-kernel-arg-info"));
    put(options, &wanted, math, strlen(math));
    if (debug)
        put(options, &wanted, " -g", strlen(" -g"));
    if (more->length > 0) {
        put(options, &wanted, " ", 1);
        put(options, &wanted, more->data, more->length);
    }
    return options->length == wanted ? YOKE_OK : yk_no_memory("the compiler's options");
}

/* Add one line of the compiler's log. NVIDIA's compiler (580) and Oclgrind's (21.10) ignore #line: their "<kernel>:7:1: ..." and
 * "input.cl:7:1: ..." count the preamble and the included text too, and are corrected here. */
static void add_line(yk_text *log, const char *line, size_t length, const unit *u)
{
    static const char unnamed[] = "<kernel>:", oclgrind[] = "input.cl:";
    size_t prefix = strlen(unnamed); /* of both prefixes */
    char *rest = NULL;
    const char *file = u->program->name;
    bool counts_all = length > prefix && (strncmp(line, unnamed, prefix) == 0 || strncmp(line, oclgrind, prefix) == 0);
    unsigned long number = counts_all ? strtoul(line + prefix, &rest, 10) : 0;

    if (number > u->preamble_lines) {
        number -= u->preamble_lines;
        if (u->lines)
            (void)yk_line_map_find(u->lines, number, &file, &number);
        yk_text_add(log, "%s:%lu%.*s\n", file, number, (int)(line + length - rest), rest);
    } else {
        yk_text_add(log, "%.*s\n", (int)length, line);
    }
}

/* Append the compiler's output; `*out_start` is where it begins. A missing log does not fail the build. */
static void add_log(cl_program handle, const unit *u, yk_text *log, size_t *out_start)
{
    cl_device_id id = yk_opencl_device_of(u->program->device)->slot->id;
    size_t size = 0;
    char *text = NULL;
    cl_int code = yk_cl.clGetProgramBuildInfo(handle, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);

    *out_start = log->length;
    if (code == CL_SUCCESS && size > 1 && size < INT_MAX)
        text = calloc(1, size + 1);
    if (text)
        code = yk_cl.clGetProgramBuildInfo(handle, id, CL_PROGRAM_BUILD_LOG, size, text, NULL);
    yk_opencl_note("clGetProgramBuildInfo", code);
    if (text && code == CL_SUCCESS) {
        size = strlen(text);
        while (size > 0 && (unsigned char)text[size - 1] <= ' ')
            text[--size] = '\0';
        for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
            add_line(log, line, strcspn(line, "\n"), u);
    }
    free(text);
}

/* Copy the first line of the log that reports an error, else its first line, to `line`. */
static void first_error(const char *log, char *line, size_t size)
{
    const char *found = yk_find_letters(log, "error:");

    if (!found)
        found = yk_find_letters(log, "error");
    if (!found)
        found = log;
    while (found > log && found[-1] != '\n')
        found--;
    yk_string_copy(line, size, found);
    line[strcspn(line, "\n")] = '\0';
}

/* Whether the compiler supports this version of OpenCL C: no error code says so, and each driver words it differently. */
static bool takes_standard(const yk_opencl_device *device, const char *standard)
{
    const char *text = "__kernel void standard(__global int *out) { out[0] = 1; }\n";
    char options[32];
    cl_int code;
    cl_program handle = yk_cl.clCreateProgramWithSource(device->context, 1, &text, NULL, &code);

    if (!handle)
        return true;
    snprintf(options, sizeof options, "-cl-std=CL%.3s", standard);
    code = yk_cl.clBuildProgram(handle, 1, &device->slot->id, options, NULL, NULL);
    yk_opencl_note("clReleaseProgram", yk_cl.clReleaseProgram(handle));
    return code == CL_SUCCESS;
}

static yoke_status build_fault(const unit *u, cl_int code, const char *options, const char *log)
{
    char line[400];
    const char *standard = u->source ? u->source->opencl_std : NULL;

    if (standard && !takes_standard(yk_opencl_device_of(u->program->device), standard))
        return yk_opencl_fail_as(YOKE_E_UNSUPPORTED, "clBuildProgram", code, "the driver's compiler does not support OpenCL C %s",
                                 standard);
    if (code == CL_INVALID_BUILD_OPTIONS && u->program->options.length > 0)
        return yk_opencl_fail_as(YOKE_E_BUILD, "clBuildProgram", code,
                                 "the compiler rejects an option of source.opencl_options: %s", options);
    if (code != CL_BUILD_PROGRAM_FAILURE)
        return yk_opencl_fail("clBuildProgram", code, NULL);
    first_error(log, line, sizeof line);
    return yk_opencl_fail_as(YOKE_E_BUILD, "clBuildProgram", code, "%s%s", line[0] ? line : "the compiler gives no reason",
                             strstr(line, "'assert'") ? "; OpenCL C has no assert: define it in the source, or take it out; "
                                                        "a kernel reports what is wrong in a buffer"
                                                      : "");
}

/* Build, and append the compiler's output to the log. */
static yoke_status build(cl_program handle, const unit *u, bool signature, bool debug, yk_text *log)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(u->program->device)->slot;
    yk_text options = { 0 };
    size_t start;

    yoke_status status = write_options(u, signature, debug, &options);
    if (status < 0)
        goto out;
    cl_int code = yk_cl.clBuildProgram(handle, 1, &slot->id, yk_text_get(&options), NULL, NULL);
    add_log(handle, u, log, &start);
    if (code == CL_SUCCESS)
        goto out;
    /* NVIDIA's compiler (580) breaks on the argument info of a kernel without parameters: its assembler then reports a syntax
     * error in the compiler's output. Such a program is built without argument info, and its kernels' signatures are unknown. */
    if (signature && slot->quirks.breaks_signatures && strstr(yk_text_get(log) + start, "ptxas")) {
        yk_text_cut(log, start);
        status = build(handle, u, false, debug, log);
    } else if (debug) { /* -g is not an OpenCL option, although some compilers accept it */
        yk_text_cut(log, start);
        status = build(handle, u, signature, false, log);
    } else {
        status = build_fault(u, code, yk_text_get(&options), yk_text_get(log) + start);
    }
out:
    yk_text_free(&options);
    return status;
}

/* The OpenCL C form of a C++ name: each run of other characters becomes an underscore, and those at the end are dropped. */
static yoke_status add_name_expression(yoke_program *program, const char *name)
{
    char *spelled = malloc(strlen(name) + 1), *end = spelled;
    yoke_status status;

    if (!spelled)
        return yk_no_memory("the names of a program");
    for (const char *c = name; *c; c++) {
        bool letter = strchr(NAME_LETTERS, *c);
        if (letter && c > name && !strchr(NAME_LETTERS, c[-1]))
            *end++ = '_'; /* replaces the characters that were dropped */
        if (letter)
            *end++ = *c;
    }
    *end = '\0';
    status = yk_program_add_name_expression(program, name, spelled);
    free(spelled);
    return status;
}

static yoke_status create_program(const unit *u, const yk_text *text, cl_program *out_handle)
{
    const char *texts[] = { yk_text_get(&u->preamble), yk_text_get(text) };
    cl_int code;

    *out_handle =
        yk_cl.clCreateProgramWithSource(yk_opencl_device_of(u->program->device)->context, YK_COUNT_OF(texts), texts, NULL, &code);
    return *out_handle ? YOKE_OK : yk_opencl_fail("clCreateProgramWithSource", code, NULL);
}

yoke_status yk_opencl_program_build(yoke_program *program, const yoke_source *source, const yk_text *text, const yk_line_map *lines,
                                    yk_text *log)
{
    unit u = { .program = program, .source = source, .lines = lines };
    cl_program handle = NULL;
    yoke_status status = write_preamble(program, source, &u.preamble);

    for (size_t i = 0; i < u.preamble.length; i++)
        u.preamble_lines += u.preamble.data[i] == '\n';
    if (status == YOKE_OK)
        status = create_program(&u, text, &handle);
    if (status == YOKE_OK)
        status = build(handle, &u, true, source->flags & YOKE_BUILD_DEBUG, log);
    for (const char *const *name = source->name_expressions; name && *name && status == YOKE_OK; name++)
        status = add_name_expression(program, *name);
    if (status == YOKE_OK)
        program->native = handle;
    else if (handle)
        yk_opencl_note("clReleaseProgram", yk_cl.clReleaseProgram(handle));
    yk_text_free(&u.preamble);
    return status;
}

/* ---- Compiled code ---- */

/* A text about the device, or with CL_PLATFORM_VERSION about its platform. "" when the driver does not know the text, or the
 * text is too long; other failures are errors, so that the answer does not vary between calls. */
static yoke_status ask(const yk_opencl_slot *slot, cl_uint what, char *text, size_t size)
{
    bool platform = what == CL_PLATFORM_VERSION;
    cl_int code = platform ? yk_cl.clGetPlatformInfo(slot->platform, what, size, text, NULL)
                           : yk_cl.clGetDeviceInfo(slot->id, what, size, text, NULL);

    if (code == CL_SUCCESS)
        return YOKE_OK;
    text[0] = '\0';
    return code == CL_INVALID_VALUE ? YOKE_OK : yk_opencl_fail(platform ? "clGetPlatformInfo" : "clGetDeviceInfo", code, NULL);
}

/* A platform's version includes the compiler's where that matters: "OpenCL 3.0 PoCL 3.1 … LLVM 14.0.6 …". */
yoke_status yk_opencl_device_compiler(const yoke_device *device, yoke_compiler_info *out_info)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(device)->slot;
    char version[256] = "", language[256] = "";
    yoke_status status = ask(slot, CL_PLATFORM_VERSION, version, sizeof version - 1);

    if (status == YOKE_OK)
        status = ask(slot, CL_DEVICE_OPENCL_C_VERSION, language, sizeof language - 1);
    if (status < 0)
        return status;
    yk_opencl_copy_trimmed(out_info->name, sizeof out_info->name, version[0] ? version : device->info.platform);
    yk_opencl_copy_trimmed(out_info->language, sizeof out_info->language, language[0] ? language : "OpenCL C");
    return YOKE_OK;
}

/* The driver's description of itself, and the environment variables that some drivers read. */
yoke_status yk_opencl_program_fingerprint(const yoke_device *device, yk_text *text)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(device)->slot;
    const cl_uint asked[] = { CL_DEVICE_VERSION, CL_DEVICE_OPENCL_C_VERSION, CL_PLATFORM_VERSION };
    char values[YK_COUNT_OF(asked)][256] = { "", "", "" };
    yoke_status status = YOKE_OK;

    for (size_t i = 0; i < YK_COUNT_OF(asked) && status == YOKE_OK; i++)
        status = ask(slot, asked[i], values[i], sizeof values[i] - 1);
    if (status < 0)
        return status;
    size_t before = text->length;
    yk_text_add(text, "%s (%s, driver %s, %s, %s, %s, %u units, %llu threads, %llu bytes shared)", device->info.name,
                device->info.platform, device->info.driver, values[0], values[1], values[2], (unsigned)device->info.compute_units,
                (unsigned long long)device->info.max_block_threads, (unsigned long long)device->info.max_shared_bytes);
    return text->length > before ? YOKE_OK : yk_no_memory("the description of an OpenCL device");
}

/* The compilers of OpenCL are parts of their drivers. */
bool yk_opencl_program_architecture(const char *architecture, yk_language *out_language)
{
    (void)architecture;
    *out_language = YK_LANGUAGE_OPENCL;
    return false;
}

yoke_status yk_opencl_program_compile(yoke_program *program, const yoke_source *source, const yk_text *text,
                                      const char *architecture, yk_text *log)
{
    (void)source;
    (void)text;
    (void)log;
    return yk_fail(YOKE_E_UNSUPPORTED, "opencl: program '%s' cannot be compiled for %s without a device", program->name,
                   architecture);
}

/* Yoke expands everything itself: what a driver searches differs. */
void yk_opencl_program_include_folders(const yoke_device *device, yk_text *folders)
{
    (void)device;
    (void)folders;
}

yoke_status yk_opencl_program_code(const yoke_program *program, yk_code_kind *out_kind, yk_text *code)
{
    size_t size = 0, before = code->length;
    unsigned char *bytes;
    cl_int result = yk_cl.clGetProgramInfo(program->native, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);

    *out_kind = YK_CODE_BINARY;
    if (result != CL_SUCCESS)
        return yk_opencl_fail("clGetProgramInfo", result, "the size of the binary of program '%s'", program->name);
    if (size == 0)
        return yk_fail(YOKE_E_UNSUPPORTED, "opencl: the driver of %s returns no binary of program '%s'",
                       program->device->info.selector, program->name);
    bytes = malloc(size);
    if (!bytes)
        return yk_no_memory("a program's code");
    result = yk_cl.clGetProgramInfo(program->native, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
    if (result == CL_SUCCESS)
        yk_text_add_bytes(code, (const char *)bytes, size);
    free(bytes);
    if (result != CL_SUCCESS)
        return yk_opencl_fail("clGetProgramInfo", result, "the binary of program '%s'", program->name);
    return code->length - before == size ? YOKE_OK : yk_no_memory("a program's code");
}

static yoke_status create_of_code(const yoke_program *program, yk_code_kind kind, const void *code, size_t size,
                                  cl_program *out_handle)
{
    const yk_opencl_device *device = yk_opencl_device_of(program->device);
    const unsigned char *bytes = code;
    const char *call = kind == YK_CODE_SPIRV ? "clCreateProgramWithIL" : "clCreateProgramWithBinary";
    cl_int result, judged = CL_SUCCESS;

    if (kind == YK_CODE_SPIRV)
        *out_handle = yk_cl.clCreateProgramWithIL(device->context, code, size, &result);
    else
        *out_handle = yk_cl.clCreateProgramWithBinary(device->context, 1, &device->slot->id, &size, &bytes, &judged, &result);
    if (*out_handle && judged != CL_SUCCESS) {
        yk_opencl_note("clReleaseProgram", yk_cl.clReleaseProgram(*out_handle));
        *out_handle = NULL;
        result = judged;
    }
    if (*out_handle)
        return YOKE_OK;
    if (result == CL_INVALID_BINARY || result == CL_INVALID_VALUE)
        return yk_opencl_fail_as(YOKE_E_BUILD, call, result, "the driver of %s rejects program '%s'",
                                 program->device->info.selector, program->name);
    return yk_opencl_fail(call, result, "program '%s'", program->name);
}

yoke_status yk_opencl_program_load(yoke_program *program, yk_code_kind kind, const void *code, size_t size, yk_text *log)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(program->device)->slot;
    unit u = { .program = program };
    cl_program handle = NULL;
    size_t start = 0;
    yoke_status status;

    if (kind != YK_CODE_BINARY && kind != YK_CODE_SPIRV)
        return yk_fail(YOKE_E_UNSUPPORTED, "opencl: program '%s' is %s, which is for CUDA; %s accepts binaries of its own driver",
                       program->name, yk_code_kind_text(kind), program->device->info.selector);
    status = create_of_code(program, kind, code, size, &handle);
    if (status < 0)
        return status;
    /* PoCL (6.0) reports the parameters of kernels in SPIR-V when asked to keep them; Intel's driver (2026.2) never does. NVIDIA's
     * binaries (580) are PTX, which it compiles again by default options unless it is told the first ones. */
    const char *options = kind == YK_CODE_SPIRV ? "-cl-kernel-arg-info" : yk_text_get(&program->options);
    cl_int result = yk_cl.clBuildProgram(handle, 1, &slot->id, options, NULL, NULL);
    if (result == CL_INVALID_BUILD_OPTIONS && *options)
        result = yk_cl.clBuildProgram(handle, 1, &slot->id, "", NULL, NULL);
    add_log(handle, &u, log, &start);
    if (result == CL_INVALID_BINARY)
        result = CL_BUILD_PROGRAM_FAILURE;
    if (result != CL_SUCCESS) {
        yk_opencl_note("clReleaseProgram", yk_cl.clReleaseProgram(handle));
        return build_fault(&u, result, "", yk_text_get(log) + start);
    }
    program->native = handle;
    return YOKE_OK;
}

/* Never called: no device has YOKE_CAP_GLOBALS. */
yoke_status yk_opencl_program_global(const yoke_program *program, const char *name, yoke_buffer *buffer)
{
    (void)name;
    (void)buffer;
    return yk_fail(YOKE_E_UNSUPPORTED, "opencl: %s", yk_opencl_device_lacks(program->device, YOKE_CAP_GLOBALS));
}

/* Since OpenCL 1.2; older drivers do not know the queries. NVIDIA's (580) crashes when it is asked for the names of no kernels. */
yoke_status yk_opencl_program_kernel_names(const yoke_program *program, yk_text *names)
{
    size_t size = 0, count = 0;
    cl_int result = yk_cl.clGetProgramInfo(program->native, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);

    if (result == CL_SUCCESS && count == 0)
        return YOKE_OK;
    if (result == CL_SUCCESS)
        result = yk_cl.clGetProgramInfo(program->native, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size);
    if (result == CL_INVALID_VALUE || (result == CL_SUCCESS && (size == 0 || size == SIZE_MAX)))
        return YOKE_OK;
    char *text = result == CL_SUCCESS ? calloc(1, size + 1) : NULL;
    if (result == CL_SUCCESS && !text)
        return yk_no_memory("the names of kernels");
    if (text)
        result = yk_cl.clGetProgramInfo(program->native, CL_PROGRAM_KERNEL_NAMES, size, text, NULL);
    if (result == CL_SUCCESS)
        yk_text_add(names, "%s", text);
    free(text);
    return result == CL_SUCCESS ? YOKE_OK
                                : yk_opencl_fail("clGetProgramInfo", result, "the kernels of program '%s'", program->name);
}

void yk_opencl_program_destroy(yoke_program *program)
{
    yk_opencl_note("clReleaseProgram", yk_cl.clReleaseProgram(program->native));
    program->native = NULL;
}
