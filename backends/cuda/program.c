/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling CUDA sources with NVRTC: to machine code of the very device where NVRTC knows it, which the driver takes as it is; else
 * to PTX of the newest architecture before it, which the driver compiles further.
 */
#include "driver.h"
#include "signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What NVRTC makes. */
typedef struct device_code {
    int architecture; /* 90 for compute capability 9.0 */
    bool exact;       /* machine code, not PTX */
    char *data;
} device_code;

static yoke_status nvrtc_fail(const char *call, yk_nvrtcResult result, const char *detail)
{
    yoke_status status = YOKE_E_DRIVER;
    if (result == YK_NVRTC_ERROR_OUT_OF_MEMORY)
        status = YOKE_E_OUT_OF_HOST_MEMORY;
    else if (result == YK_NVRTC_ERROR_COMPILATION || result == YK_NVRTC_ERROR_INVALID_OPTION)
        status = YOKE_E_BUILD;
    else if (result == YK_NVRTC_ERROR_BUILTIN_OPERATION_FAILURE) {
        status = YOKE_E_UNAVAILABLE;
        detail = "libnvrtc-builtins of the same version has to lie beside NVRTC, or in the loader's path";
    }
    return yk_driver_fail(status, "cuda", call, (int)result, yk_nvrtc.nvrtcGetErrorString(result), "%s", detail);
}

static yoke_status nvrtc_check(const char *call, yk_nvrtcResult result)
{
    return result == YK_NVRTC_SUCCESS ? YOKE_OK : nvrtc_fail(call, result, "");
}

/* "13.0", or "of unknown version". */
static const char *nvrtc_version(char *text, size_t size)
{
    int major, minor;
    if (yk_nvrtc.nvrtcVersion(&major, &minor) == YK_NVRTC_SUCCESS)
        snprintf(text, size, "%d.%d", major, minor);
    else
        yk_string_copy(text, size, "of unknown version");
    return text;
}

/* ---- What to compile for ---- */

static yoke_status choose_target(const yoke_device *device, device_code *target)
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
        if (known[i] <= wanted && known[i] > target->architecture)
            target->architecture = known[i];
    target->exact = target->architecture == wanted;
    if (!target->architecture)
        status = yk_fail(YOKE_E_UNAVAILABLE,
                         "cuda: NVRTC %s makes no code for %s, which has compute capability %d.%d; install an older NVRTC and set "
                         "YOKE_NVRTC to its absolute path",
                         nvrtc_version(version, sizeof version), device->info.name, wanted / 10, wanted % 10);
out:
    free(known);
    return status;
}

/* ---- Compiling ---- */

enum { OWN_OPTIONS = 6 };

/* The compiler's options, in one allocation: the array, then the texts of the defines. */
static const char **make_options(const yoke_source *source, const char *architecture, int *out_count)
{
    static const char *const exact_math[] = { "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false" };
    static const char *const fast_math[] = { "--use_fast_math" };
    bool fast = source->math == YOKE_MATH_FAST;
    const char *const *math = fast ? fast_math : exact_math;
    size_t math_count = fast ? YK_COUNT_OF(fast_math) : YK_COUNT_OF(exact_math);
    size_t define_count = 0, text_size = 0;

    for (; source->defines && source->defines[define_count]; define_count++)
        text_size += strlen("-D") + strlen(source->defines[define_count]) + 1;
    const char **options = malloc((OWN_OPTIONS + define_count) * sizeof *options + text_size);
    if (!options)
        return NULL;
    char *text = (char *)(options + OWN_OPTIONS + define_count);
    size_t count = 0;
    options[count++] = architecture;
    options[count++] = "-default-device"; /* helper functions need no __device__, so that twins stay alike */
    for (size_t i = 0; i < math_count; i++)
        options[count++] = math[i];
    for (size_t i = 0; i < define_count; i++) {
        options[count++] = text;
        text += sprintf(text, "-D%s", source->defines[i]) + 1;
    }
    *out_count = (int)count;
    return options;
}

/* The first line with "error:", or with "error   :" as the assembler has it; else the first of all. "" when the log is empty. */
static void find_error(const char *log, char *line, size_t size)
{
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
    yk_string_copy(line, length + 1 < size ? length + 1 : size, start);
}

/* Append what the compiler printed; its first error is copied to `line`. */
static void read_log(yk_nvrtcProgram handle, yk_text *log, char *line, size_t line_size)
{
    size_t size = 0; /* with the terminator */
    char *text = NULL;

    line[0] = '\0';
    if (yk_nvrtc.nvrtcGetProgramLogSize(handle, &size) != YK_NVRTC_SUCCESS || size <= 1)
        return;
    text = calloc(1, size);
    if (text && yk_nvrtc.nvrtcGetProgramLog(handle, text) == YK_NVRTC_SUCCESS) {
        yk_text_add_bytes(log, text, strlen(text));
        find_error(text, line, line_size);
    }
    free(text);
}

static yoke_status read_code(yk_nvrtcProgram handle, device_code *code)
{
    size_t size = 0;
    yoke_status status;

    if (code->exact)
        status = nvrtc_check("nvrtcGetCUBINSize", yk_nvrtc.nvrtcGetCUBINSize(handle, &size));
    else
        status = nvrtc_check("nvrtcGetPTXSize", yk_nvrtc.nvrtcGetPTXSize(handle, &size));
    if (status < 0)
        return status;
    code->data = malloc(size ? size : 1);
    if (!code->data)
        return yk_no_memory("a program's code");
    if (code->exact)
        status = nvrtc_check("nvrtcGetCUBIN", yk_nvrtc.nvrtcGetCUBIN(handle, code->data));
    else
        status = nvrtc_check("nvrtcGetPTX", yk_nvrtc.nvrtcGetPTX(handle, code->data));
    if (status < 0) {
        free(code->data);
        code->data = NULL;
    }
    return status;
}

/* Sets code->data, which the caller frees. NVRTC compiles on several threads at once. */
static yoke_status compile(const yoke_program *program, const yoke_source *source, device_code *code, yk_text *log)
{
    char architecture[48], name[sizeof program->name + 3], line[512];
    const char **options = NULL;
    int count = 0;
    yk_nvrtcProgram handle = NULL;
    yk_nvrtcResult result;
    yoke_status status;

    snprintf(architecture, sizeof architecture, "--gpu-architecture=%s_%d", code->exact ? "sm" : "compute", code->architecture);
    snprintf(name, sizeof name, "%s.cu", program->name);
    options = make_options(source, architecture, &count);
    if (!options)
        return yk_no_memory("the compiler's options");
    status = nvrtc_check("nvrtcCreateProgram", yk_nvrtc.nvrtcCreateProgram(&handle, source->cuda, name, 0, NULL, NULL));
    if (status < 0)
        goto out;
    result = yk_nvrtc.nvrtcCompileProgram(handle, count, options);
    read_log(handle, log, line, sizeof line);
    status = result == YK_NVRTC_SUCCESS ? read_code(handle, code) : nvrtc_fail("nvrtcCompileProgram", result, line);
    (void)yk_nvrtc.nvrtcDestroyProgram(&handle); /* fails only on a handle that is none */
out:
    free(options);
    return status;
}

/* ---- Loading ---- */

/* `log` is what the driver's own compiler printed. */
static yoke_status load_fail(const yoke_program *program, const device_code *code, yk_CUresult result, const char *log)
{
    char line[512], version[32];
    int driver = 0;

    switch (result) {
    case YK_CUDA_ERROR_INVALID_IMAGE: /* what older drivers say to machine code that is newer than they are */
    case YK_CUDA_ERROR_NO_BINARY_FOR_GPU:
    case YK_CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
        (void)yk_cu.cuDriverGetVersion(&driver);
        return yk_cuda_fail_as(YOKE_E_UNAVAILABLE, "cuModuleLoadDataEx", result,
                               "the driver, which is for CUDA %d.%d, does not take the %s that NVRTC %s made for %s_%d; update the "
                               "driver, or set YOKE_NVRTC to the absolute path of an NVRTC that is not newer than it",
                               driver / 1000, driver % 1000 / 10, code->exact ? "machine code" : "PTX",
                               nvrtc_version(version, sizeof version), code->exact ? "sm" : "compute", code->architecture);
    default:
        find_error(log, line, sizeof line);
        return yk_cuda_fail("cuModuleLoadDataEx", result, "program '%s'%s%s", program->name, *line ? ": " : "", line);
    }
}

static yoke_status load(yoke_program *program, const device_code *code, yk_text *log)
{
    char errors[4096] = "";
    yk_CUjit_option options[] = { YK_CU_JIT_ERROR_LOG_BUFFER, YK_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { errors, (void *)(uintptr_t)sizeof errors };
    yk_CUmodule handle = NULL;
    yk_CUresult result;
    yoke_status status = yk_cuda_enter(program->device);

    if (status < 0)
        return status;
    result = yk_cu.cuModuleLoadDataEx(&handle, code->data, YK_COUNT_OF(options), options, values);
    yk_cuda_leave();
    errors[sizeof errors - 1] = '\0';
    yk_text_add_bytes(log, errors, strlen(errors));
    if (result != YK_CUDA_SUCCESS)
        return load_fail(program, code, result, errors);
    program->native = handle;
    return YOKE_OK;
}

yoke_status yk_cuda_program_build(yoke_program *program, const yoke_source *source, yk_text *log)
{
    device_code code = { 0, false, NULL };
    yoke_status status = yk_nvrtc_load(log);

    if (status == YOKE_OK)
        status = yk_cuda_read_declarations(source->cuda, strlen(source->cuda), &program->declared);
    if (status == YOKE_OK)
        status = choose_target(program->device, &code);
    if (status == YOKE_OK)
        status = compile(program, source, &code, log);
    if (status == YOKE_OK)
        status = load(program, &code, log);
    free(code.data);
    return status;
}

/* Drivers tell since CUDA 12.4. */
void yk_cuda_program_kernel_names(const yoke_program *program, yk_text *names)
{
    unsigned count = 0;
    yk_CUfunction *functions = NULL;

    if (!yk_cu.cuModuleGetFunctionCount || !yk_cu.cuModuleEnumerateFunctions || !yk_cu.cuFuncGetName ||
        yk_cuda_enter(program->device) < 0)
        return;
    if (yk_cu.cuModuleGetFunctionCount(&count, program->native) == YK_CUDA_SUCCESS && count > 0)
        functions = calloc(count, sizeof *functions);
    if (functions && yk_cu.cuModuleEnumerateFunctions(functions, count, program->native) == YK_CUDA_SUCCESS) {
        for (unsigned i = 0; i < count; i++) {
            const char *name = NULL;
            if (yk_cu.cuFuncGetName(&name, functions[i]) == YK_CUDA_SUCCESS && name)
                yk_text_add(names, "%s%s", names->length ? ";" : "", name);
        }
    }
    free(functions);
    yk_cuda_leave();
}

void yk_cuda_program_destroy(yoke_program *program)
{
    /* As in buffer.c: with our context current this works on drivers of any age. */
    bool entered = yk_cu.cuCtxPushCurrent_v2(yk_cuda_device_of(program->device)->context) == YK_CUDA_SUCCESS;
    (void)yk_cu.cuModuleUnload(program->native);
    if (entered)
        yk_cuda_leave();
    program->native = NULL;
}
