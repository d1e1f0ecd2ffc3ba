/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling CUDA sources with NVRTC: to machine code where NVRTC knows the device's architecture, else to PTX of the newest older
 * architecture that NVRTC knows, which the driver compiles further.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_api.h"
#include "base/system/file.h"
#include "base/system/loader.h"

/* NVRTC's target. */
typedef struct target {
    int architecture; /* 90 for compute capability 9.0 */
    bool exact;       /* machine code, not PTX */
    char name[32];    /* "sm_90", or "compute_90" */
} target;

static yoke_status nvrtc_fail(const char *call, yk_nvrtcResult result, const char *detail)
{
    yoke_status status = YOKE_E_DRIVER;
    if (result == YK_NVRTC_ERROR_OUT_OF_MEMORY)
        status = YOKE_E_OUT_OF_HOST_MEMORY;
    else if (result == YK_NVRTC_ERROR_COMPILATION || result == YK_NVRTC_ERROR_INVALID_OPTION)
        status = YOKE_E_BUILD;
    else if (result == YK_NVRTC_ERROR_BUILTIN_OPERATION_FAILURE) {
        status = YOKE_E_UNAVAILABLE;
        detail = "libnvrtc-builtins of the same version must be in NVRTC's folder or in the loader's path";
    }
    return yk_driver_fail(status, "cuda", call, (int)result, yk_nvrtc.nvrtcGetErrorString(result), "%s", detail);
}

static yoke_status nvrtc_check(const char *call, yk_nvrtcResult result)
{
    return result == YK_NVRTC_SUCCESS ? YOKE_OK : nvrtc_fail(call, result, "");
}

static bool nvrtc_note(const char *call, yk_nvrtcResult result)
{
    if (result != YK_NVRTC_SUCCESS)
        yk_log(YOKE_LOG_WARNING, "cuda: %s failed: %s (%d)", call, yk_nvrtc.nvrtcGetErrorString(result), (int)result);
    return result == YK_NVRTC_SUCCESS;
}

/* "13.0" */
static yoke_status ask_version(char *text, size_t size)
{
    int major = 0, minor = 0;
    yk_nvrtcResult result = yk_nvrtc.nvrtcVersion(&major, &minor);

    snprintf(text, size, "%d.%d", major, minor);
    return nvrtc_check("nvrtcVersion", result);
}

/* "13.0", or "of unknown version". */
const char *yk_nvrtc_version(char *text, size_t size)
{
    if (ask_version(text, size) < 0)
        yk_string_copy(text, size, "of unknown version");
    return text;
}

/* ---- The target ---- */

static yoke_status choose_target(const yoke_device *device, target *out_target)
{
    int wanted = yk_cuda_device_of(device)->architecture, count = 0, *known = NULL;
    char version[32];
    yoke_status status = nvrtc_check("nvrtcGetNumSupportedArchs", yk_nvrtc.nvrtcGetNumSupportedArchs(&count));

    if (status < 0)
        return status;
    known = calloc((size_t)(count > 0 ? count : 1), sizeof *known);
    if (!known)
        return yk_no_memory("NVRTC's architectures");
    status = nvrtc_check("nvrtcGetSupportedArchs", yk_nvrtc.nvrtcGetSupportedArchs(known));
    if (status < 0)
        goto out;
    for (int i = 0; i < count; i++)
        if (known[i] <= wanted && known[i] > out_target->architecture)
            out_target->architecture = known[i];
    out_target->exact = out_target->architecture == wanted;
    snprintf(out_target->name, sizeof out_target->name, "%s_%d", out_target->exact ? "sm" : "compute", out_target->architecture);
    if (!out_target->architecture)
        status = yk_fail(YOKE_E_UNAVAILABLE,
                         "cuda: NVRTC %s cannot generate code for %s, which has compute capability %d.%d; install an older NVRTC "
                         "and set YOKE_NVRTC to its absolute path",
                         yk_nvrtc_version(version, sizeof version), device->info.name, wanted / 10, wanted % 10);
out:
    free(known);
    return status;
}

/* ---- Compiling ---- */

enum { OWN_OPTIONS = 8 };

/* The compiler's options, in one allocation: the array, then the texts of defines and folders. The caller's options come last:
 * NVRTC takes the last of several values. */
static const char **make_options(const yoke_source *source, const char *architecture, const char *standard, int *out_count)
{
    static const char *const exact_math[] = { "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false" };
    static const char *const fast_math[] = { "--use_fast_math" };
    const char *const *math = source->math == YOKE_MATH_FAST ? fast_math : exact_math;
    const char *const *more = yk_source_options(source, YK_LANGUAGE_CUDA);
    size_t math_count = source->math == YOKE_MATH_EXACT  ? YK_COUNT_OF(exact_math)
                        : source->math == YOKE_MATH_FAST ? YK_COUNT_OF(fast_math)
                                                         : 0;
    size_t define_count = 0, folder_count = 0, more_count = 0, text_size = 0;
    const char *define;

    for (; (define = yk_source_define(source, YK_LANGUAGE_CUDA, define_count)); define_count++)
        text_size += strlen("-D") + strlen(define) + 1;
    while (more && more[more_count])
        more_count++;
    for (; source->include_folders && source->include_folders[folder_count]; folder_count++)
        text_size += strlen("-I") + strlen(source->include_folders[folder_count]) + 1;
    size_t most = OWN_OPTIONS + define_count + folder_count + more_count, count = 0;
    const char **options = malloc(most * sizeof *options + text_size);
    if (!options)
        return NULL;
    char *text = (char *)(options + most);
    options[count++] = architecture;
    options[count++] = standard;
    options[count++] = "-default-device"; /* helper functions need no __device__, as in OpenCL C */
    for (size_t i = 0; i < math_count; i++)
        options[count++] = math[i];
    if (source->flags & YOKE_BUILD_DEBUG)
        options[count++] = "--generate-line-info";
    for (size_t i = 0; i < define_count; i++) {
        options[count++] = text;
        text += sprintf(text, "-D%s", yk_source_define(source, YK_LANGUAGE_CUDA, i)) + 1;
    }
    for (size_t i = 0; i < folder_count; i++) {
        options[count++] = text;
        text += sprintf(text, "-I%s", source->include_folders[i]) + 1;
    }
    for (size_t i = 0; i < more_count; i++)
        options[count++] = more[i];
    *out_count = (int)count;
    return options;
}

/* The first line with "error:", or "error   :" as the assembler prints; else the first line. "" when the log is empty. What NVRTC
 * calls the text of the name expressions, "__nv_name_map(2)", is nothing that a program has. */
void yk_cuda_find_error(const char *log, char *line, size_t size)
{
    static const char names[] = "__nv_name_map(";
    const char *start = log;
    for (const char *word = strstr(log, "error"); word; word = strstr(word + 1, "error")) {
        const char *after = word + strlen("error");
        if (after[strspn(after, " ")] == ':') {
            start = word;
            break;
        }
    }
    while (start > log && start[-1] != '\n')
        start--;
    size_t length = strcspn(start, "\n");
    size_t named = strncmp(start, names, strlen(names)) == 0 ? strcspn(start, ":\n") : 0;
    snprintf(line, size, "%s%.*s", named > 0 ? "source.name_expressions" : "", (int)(length - named), start + named);
}

/* Append the compiler's output to the log; copy its first error to `line`. */
static void read_log(yk_nvrtcProgram handle, yk_text *log, char *line, size_t line_size)
{
    size_t size = 0; /* including the terminator */
    char *text = NULL;

    line[0] = '\0';
    if (!nvrtc_note("nvrtcGetProgramLogSize", yk_nvrtc.nvrtcGetProgramLogSize(handle, &size)) || size <= 1)
        return;
    text = calloc(1, size);
    if (text && nvrtc_note("nvrtcGetProgramLog", yk_nvrtc.nvrtcGetProgramLog(handle, text))) {
        yk_text_add_bytes(log, text, strlen(text));
        yk_cuda_find_error(text, line, line_size);
    }
    free(text);
}

static yoke_status read_code(yk_nvrtcProgram handle, const target *t, yoke_program *program)
{
    size_t size = 0;
    char *code;
    yoke_status status;

    if (t->exact)
        status = nvrtc_check("nvrtcGetCUBINSize", yk_nvrtc.nvrtcGetCUBINSize(handle, &size));
    else
        status = nvrtc_check("nvrtcGetPTXSize", yk_nvrtc.nvrtcGetPTXSize(handle, &size));
    if (status < 0)
        return status;
    code = size < SIZE_MAX ? malloc(size + 1) : NULL;
    if (!code)
        return yk_no_memory("a program's code");
    if (t->exact)
        status = nvrtc_check("nvrtcGetCUBIN", yk_nvrtc.nvrtcGetCUBIN(handle, code));
    else
        status = nvrtc_check("nvrtcGetPTX", yk_nvrtc.nvrtcGetPTX(handle, code));
    if (status == YOKE_OK) {
        yk_text_add_bytes(&program->code, code, size);
        program->code_kind = t->exact ? YK_CODE_CUBIN : YK_CODE_PTX;
        if (program->code.length != size)
            status = yk_no_memory("a program's code");
    }
    free(code);
    return status;
}

/* The compiler reports the lowered names only of expressions that were added before it compiles. */
static yoke_status add_name_expressions(yk_nvrtcProgram handle, const yoke_source *source)
{
    for (const char *const *name = source->name_expressions; name && *name; name++) {
        yk_nvrtcResult result = yk_nvrtc.nvrtcAddNameExpression(handle, *name);
        if (result != YK_NVRTC_SUCCESS)
            return nvrtc_fail("nvrtcAddNameExpression", result, *name);
    }
    return YOKE_OK;
}

static yoke_status read_name_expressions(yk_nvrtcProgram handle, const yoke_source *source, yoke_program *program)
{
    for (const char *const *name = source->name_expressions; name && *name; name++) {
        const char *lowered = NULL; /* belongs to the compiler */
        yk_nvrtcResult result = yk_nvrtc.nvrtcGetLoweredName(handle, *name, &lowered);
        if (result != YK_NVRTC_SUCCESS || !lowered)
            return nvrtc_fail("nvrtcGetLoweredName", result, *name);
        yoke_status status = yk_program_add_name_expression(program, *name, lowered);
        if (status < 0)
            return status;
    }
    return YOKE_OK;
}

/* Append the architectures that NVRTC supports. */
static void append_architectures(void)
{
    int count = 0, *known = NULL;
    if (nvrtc_note("nvrtcGetNumSupportedArchs", yk_nvrtc.nvrtcGetNumSupportedArchs(&count)) && count > 0)
        known = calloc((size_t)count, sizeof *known);
    if (known && nvrtc_note("nvrtcGetSupportedArchs", yk_nvrtc.nvrtcGetSupportedArchs(known)))
        for (int i = 0; i < count; i++)
            yk_error_append("%s%d", i ? ", " : "; it supports sm_ and compute_ ", known[i]);
    free(known);
}

static yoke_status compile_fault(yk_nvrtcResult result, const yoke_source *source, const char *architecture, const char *line)
{
    char version[32];
    if (result == YK_NVRTC_ERROR_INVALID_OPTION && strstr(line, "gpu-arch")) {
        yoke_status status =
            yk_driver_fail(YOKE_E_UNSUPPORTED, "cuda", "nvrtcCompileProgram", (int)result, yk_nvrtc.nvrtcGetErrorString(result),
                           "NVRTC %s does not support %s: %s", yk_nvrtc_version(version, sizeof version), architecture, line);
        append_architectures();
        return status;
    }
    if (result == YK_NVRTC_ERROR_INVALID_OPTION && source->cuda_std && (!source->cuda_options || strstr(line, "std")))
        return yk_driver_fail(YOKE_E_UNSUPPORTED, "cuda", "nvrtcCompileProgram", (int)result, yk_nvrtc.nvrtcGetErrorString(result),
                              "NVRTC %s does not support C++%s: %s", yk_nvrtc_version(version, sizeof version), source->cuda_std,
                              line);
    return nvrtc_fail("nvrtcCompileProgram", result, line);
}

/* Sets program->code and adds the name expressions. NVRTC compiles on several threads at once. */
static yoke_status compile(yoke_program *program, const yoke_source *source, const char *text, const target *t, yk_text *log)
{
    char architecture[80], standard[16], name[sizeof program->name + 3], line[512];
    const char **options = NULL;
    int count = 0;
    yk_nvrtcProgram handle = NULL;
    yoke_status status;

    snprintf(architecture, sizeof architecture, "--gpu-architecture=%s", t->name);
    snprintf(standard, sizeof standard, "--std=c++%.2s", source->cuda_std ? source->cuda_std : "17");
    snprintf(name, sizeof name, "%s%s", program->name, strchr(program->name, '.') ? "" : ".cu"); /* a file's name stays */
    options = make_options(source, architecture, standard, &count);
    if (!options)
        return yk_no_memory("the compiler's options");
    status = nvrtc_check("nvrtcCreateProgram", yk_nvrtc.nvrtcCreateProgram(&handle, text, name, 0, NULL, NULL));
    if (status < 0)
        goto out;
    status = add_name_expressions(handle, source);
    if (status == YOKE_OK) {
        yk_nvrtcResult result = yk_nvrtc.nvrtcCompileProgram(handle, count, options);
        read_log(handle, log, line, sizeof line);
        status = result == YK_NVRTC_SUCCESS ? read_code(handle, t, program) : compile_fault(result, source, t->name, line);
    }
    if (status == YOKE_OK)
        status = read_name_expressions(handle, source, program);
    nvrtc_note("nvrtcDestroyProgram", yk_nvrtc.nvrtcDestroyProgram(&handle));
out:
    free(options);
    return status;
}

yoke_status yk_cuda_program_build(yoke_program *program, const yoke_source *source, const yk_text *text, const yk_line_map *lines,
                                  yk_text *log)
{
    target t = { 0, false, "" };
    yoke_status status = yk_nvrtc_load(log);
    (void)lines; /* NVRTC obeys #line */

    if (status == YOKE_OK && !yk_kernel_table_read(0, yk_text_get(text), text->length, &program->declared))
        status = yk_no_memory("the kernels' declarations");
    if (status == YOKE_OK)
        status = choose_target(program->device, &t);
    if (status == YOKE_OK)
        status = compile(program, source, yk_text_get(text), &t, log);
    if (status == YOKE_OK)
        status = yk_cuda_load_compiled(program, log);
    return status;
}

bool yk_cuda_program_architecture(const char *architecture, yk_language *out_language)
{
    *out_language = YK_LANGUAGE_CUDA;
    return strlen(architecture) < sizeof((target *)0)->name &&
           (strncmp(architecture, "sm_", 3) == 0 || strncmp(architecture, "compute_", 8) == 0);
}

yoke_status yk_cuda_program_compile(yoke_program *program, const yoke_source *source, const yk_text *text, const char *architecture,
                                    yk_text *log)
{
    target t = { 0, strncmp(architecture, "sm_", 3) == 0, "" };
    yoke_status status = yk_nvrtc_load(log);

    yk_string_copy(t.name, sizeof t.name, architecture);
    if (status == YOKE_OK && !yk_kernel_table_read(0, yk_text_get(text), text->length, &program->declared))
        status = yk_no_memory("the kernels' declarations");
    return status == YOKE_OK ? compile(program, source, yk_text_get(text), &t, log) : status;
}

/* NVRTC reports its version only as "12.4", so its file identifies the exact build. */
yoke_status yk_cuda_device_compiler(const yoke_device *device, yoke_compiler_info *out_info)
{
    int architecture = yk_cuda_device_of(device)->architecture;
    char version[32];
    yk_text log = { 0 };
    yoke_status status = yk_nvrtc_load(&log);

    yk_text_free(&log);
    if (status == YOKE_OK)
        status = ask_version(version, sizeof version);
    if (status < 0)
        return status;
    snprintf(out_info->name, sizeof out_info->name, "NVRTC %s", version);
    snprintf(out_info->language, sizeof out_info->language, "CUDA C++");
    snprintf(out_info->target, sizeof out_info->target, "compute capability %d.%d", architecture / 10, architecture % 10);
    return YOKE_OK;
}

yoke_status yk_cuda_program_fingerprint(const yoke_device *device, yk_text *text)
{
    char version[32];
    int architecture = yk_cuda_device_of(device)->architecture;
    size_t before = text->length;
    yk_file_facts file = { .size = 0 };
    yk_text log = { 0 };
    void *function;
    yoke_status status = yk_nvrtc_load(&log);

    yk_text_free(&log);
    if (status == YOKE_OK)
        status = ask_version(version, sizeof version);
    if (status < 0)
        return status;
    memcpy(&function, &yk_nvrtc.nvrtcVersion, sizeof function);
    char *path = yk_loader_path_of(function);
    if (path)
        (void)yk_path_get_facts(path, &file);
    free(path);
    yk_text_add(text, "compute capability %d.%d, driver for CUDA %s, NVRTC %s (%lld bytes of %lld)", architecture / 10,
                architecture % 10, device->info.driver, version, (long long)file.size, (long long)file.seconds);
    return text->length > before ? YOKE_OK : yk_no_memory("the description of a CUDA device");
}
