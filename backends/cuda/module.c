/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading compiled code: modules, the names of their kernels, and their variables. The driver takes an address without a size, so
 * the size of foreign code is determined first: the driver would read past the end of truncated code.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Measuring code ---- */

/* From the ELF specification, 64 bits. */
enum {
    ELF_CLASS_AT = 4,
    ELF_ABI_AT = 8,
    ELF_PROGRAMS_AT = 32,
    ELF_SECTIONS_AT = 40,
    ELF_FLAGS_AT = 48,
    ELF_PROGRAM_SIZE_AT = 54,
    ELF_PROGRAM_COUNT_AT = 56,
    ELF_SECTION_SIZE_AT = 58,
    ELF_SECTION_COUNT_AT = 60,
    ELF_HEADER = 64,
    ELF_SECTION = 64,
    ELF_NO_BYTES = 8, /* the type of a section without bytes in the file */
    ELF_ABI_WIDE = 8  /* from this version on, the architecture is in the second byte of the flags */
};

static bool fits(uint64_t size, uint64_t at, uint64_t length)
{
    return at <= size && length <= size - at;
}

static bool cubin_is_whole(const void *code, size_t size)
{
    uint64_t sections = yk_code_number(code, size, ELF_SECTIONS_AT, 8), count = yk_code_number(code, size, ELF_SECTION_COUNT_AT, 2);
    uint64_t programs = yk_code_number(code, size, ELF_PROGRAMS_AT, 8);
    uint64_t programs_length =
        yk_code_number(code, size, ELF_PROGRAM_COUNT_AT, 2) * yk_code_number(code, size, ELF_PROGRAM_SIZE_AT, 2);
    if (size < ELF_HEADER || !fits(size, programs, programs_length) || yk_code_number(code, size, ELF_CLASS_AT, 1) != 2 ||
        yk_code_number(code, size, ELF_SECTION_SIZE_AT, 2) != ELF_SECTION || !fits(size, sections, count * ELF_SECTION))
        return false;
    for (uint64_t at = sections; count-- > 0; at += ELF_SECTION)
        if (yk_code_number(code, size, at + 4, 4) != ELF_NO_BYTES &&
            !fits(size, yk_code_number(code, size, at + 24, 8), yk_code_number(code, size, at + 32, 8)))
            return false;
    return true;
}

/* 90 for sm_90. */
static int cubin_architecture(const void *code, size_t size)
{
    unsigned shift = yk_code_number(code, size, ELF_ABI_AT, 1) >= ELF_ABI_WIDE ? 8 : 0;
    return (int)(yk_code_number(code, size, ELF_FLAGS_AT, 4) >> shift & 0xff);
}

/* A header of at least 16 bytes holds the length of the entries that follow, which have headers of their own. */
static bool fatbin_is_whole(const void *code, size_t size)
{
    uint64_t header = yk_code_number(code, size, 6, 2), length = yk_code_number(code, size, 8, 8);
    if (header < 16 || !fits(size, header, length))
        return false;
    for (uint64_t at = header, end = header + length; at < end;) {
        uint64_t entry = yk_code_number(code, size, at + 4, 4), bytes = yk_code_number(code, size, at + 8, 8);
        if (entry < 16 || !fits(end, at, entry) || !fits(end, at + entry, bytes))
            return false;
        at += entry + bytes;
    }
    return true;
}

/* Machine code runs on devices of the same major number and the same or a larger minor number. Some other code crashes the
 * driver (580). */
static yoke_status check_architecture(const yoke_program *program, const void *code, size_t size)
{
    int made_for = cubin_architecture(code, size), device = yk_cuda_device_of(program->device)->architecture;
    if (made_for / 10 == device / 10 && made_for % 10 <= device % 10)
        return YOKE_OK;
    return yk_fail(YOKE_E_UNSUPPORTED, "cuda: program '%s' is machine code for compute capability %d.%d, and %s has %d.%d",
                   program->name, made_for / 10, made_for % 10, program->device->info.selector, device / 10, device % 10);
}

/* PTX runs on devices of its target or later ones; with an 'a' behind the number only on those of its target, with an 'f' on later
 * ones of the same major number. */
static yoke_status check_ptx_target(const yoke_program *program, const char *code)
{
    int made_for = 0, device = yk_cuda_device_of(program->device)->architecture;
    char letter = '\0';
    const char *target = strstr(code, ".target");
    if (!target || sscanf(target, ".target sm_%d%c", &made_for, &letter) < 1 || made_for == device ||
        (made_for < device && letter != 'a' && (letter != 'f' || made_for / 10 == device / 10)))
        return YOKE_OK;
    return yk_fail(YOKE_E_UNSUPPORTED, "cuda: program '%s' is PTX for compute capability %d.%d%s, and %s has %d.%d", program->name,
                   made_for / 10, made_for % 10,
                   letter == 'a'   ? " alone"
                   : letter == 'f' ? " and later ones of the same major number"
                                   : " and later",
                   program->device->info.selector, device / 10, device % 10);
}

static yoke_status check_code(const yoke_program *program, yk_code_kind kind, const void *code, size_t size)
{
    bool whole = true;
    switch (kind) {
    case YK_CODE_CUBIN:
        whole = cubin_is_whole(code, size);
        break;
    case YK_CODE_FATBIN:
        whole = fatbin_is_whole(code, size);
        break;
    case YK_CODE_PTX:
        if (memchr(code, 0, size) && strlen(code) + 1 != size)
            return yk_fail(YOKE_E_BUILD, "cuda: program '%s': byte %zu of the PTX is NUL", program->name, strlen(code) + 1);
        return check_ptx_target(program, code);
    case YK_CODE_BINARY:
    case YK_CODE_SPIRV:
        return yk_fail(
            YOKE_E_UNSUPPORTED,
            "cuda: program '%s' is %s; %s accepts PTX, cubin, fatbin, and program binaries of yoke_program_save for CUDA",
            program->name, kind == YK_CODE_SPIRV ? "SPIR-V" : "of another kind, perhaps the binary of an OpenCL driver",
            program->device->info.selector);
    }
    if (!whole)
        return yk_fail(YOKE_E_BUILD, "cuda: program '%s': %s that is truncated or damaged", program->name, yk_code_kind_text(kind));
    return kind == YK_CODE_CUBIN ? check_architecture(program, code, size) : YOKE_OK;
}

/* ---- Loading ---- */

/* The driver and the code do not fit together: say which version each has. `compiled`: NVRTC has just compiled the code. */
static yoke_status version_fault(const yoke_program *program, yk_code_kind kind, const void *code, yk_CUresult result,
                                 bool compiled)
{
    int driver = 0, architecture = yk_cuda_device_of(program->device)->architecture;
    char version[32];
    const char *directive = kind == YK_CODE_PTX ? strstr(code, ".version") : NULL;

    (void)yk_cu.cuDriverGetVersion(&driver);
    if (compiled)
        return yk_cuda_fail_as(YOKE_E_UNAVAILABLE, "cuModuleLoadDataEx", result,
                               "the driver, for CUDA %d.%d, rejects the %s of NVRTC %s; update the driver, or set YOKE_NVRTC to "
                               "the absolute path of an NVRTC that is not newer than the driver",
                               driver / 1000, driver % 1000 / 10, kind == YK_CODE_PTX ? "PTX" : "machine code",
                               yk_nvrtc_version(version, sizeof version));
    if (directive && result == YK_CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
        return yk_cuda_fail_as(
            YOKE_E_UNAVAILABLE, "cuModuleLoadDataEx", result,
            "program '%s' is PTX of version %.*s, which is newer than the driver, for CUDA %d.%d; update the driver", program->name,
            (int)strspn(directive + strlen(".version "), " 0123456789."), directive + strlen(".version "), driver / 1000,
            driver % 1000 / 10);
    if (result == YK_CUDA_ERROR_NO_BINARY_FOR_GPU)
        return yk_cuda_fail_as(YOKE_E_UNSUPPORTED, "cuModuleLoadDataEx", result,
                               "program '%s' has no code for %s, of compute capability %d.%d", program->name,
                               program->device->info.selector, architecture / 10, architecture % 10);
    return yk_cuda_fail_as(YOKE_E_BUILD, "cuModuleLoadDataEx", result,
                           "program '%s': the driver, for CUDA %d.%d, reports damaged code", program->name, driver / 1000,
                           driver % 1000 / 10);
}

/* `log`: the output of the driver's own compiler. */
static yoke_status load_fault(const yoke_program *program, yk_code_kind kind, const void *code, yk_CUresult result, const char *log,
                              bool compiled)
{
    char line[512];

    switch (result) {
    case YK_CUDA_ERROR_INVALID_IMAGE: /* older drivers' answer to machine code newer than themselves */
    case YK_CUDA_ERROR_NO_BINARY_FOR_GPU:
    case YK_CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
        return version_fault(program, kind, code, result, compiled);
    default:
        yk_cuda_find_error(log, line, sizeof line);
        return yk_cuda_fail("cuModuleLoadDataEx", result, "program '%s'%s%s", program->name, *line ? ": " : "", line);
    }
}

/* Compiled code that prints names the driver's function for it. A fatbin may be compressed, so it counts as code that prints. */
static bool may_print(yk_code_kind kind, const void *code, size_t size)
{
    static const char function[] = "vprintf";
    return kind == YK_CODE_FATBIN || memmem(code, size, function, strlen(function)) != NULL;
}

static yoke_status load(yoke_program *program, yk_code_kind kind, const void *code, size_t size, yk_text *log, bool compiled)
{
    char errors[4096] = "";
    yk_CUjit_option options[] = { YK_CU_JIT_ERROR_LOG_BUFFER, YK_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { errors, (void *)(uintptr_t)sizeof errors };
    yk_CUmodule handle = NULL;
    yk_CUresult result;
    yoke_status status = yk_cuda_enter(program->device);

    if (status < 0)
        return status;
    result = yk_cu.cuModuleLoadDataEx(&handle, code, YK_COUNT_OF(options), options, values);
    yk_cuda_leave();
    errors[sizeof errors - 1] = '\0';
    yk_text_add_bytes(log, errors, strlen(errors));
    if (result != YK_CUDA_SUCCESS)
        return load_fault(program, kind, code, result, errors, compiled);
    program->native = handle;
    if (may_print(kind, code, size))
        atomic_store(&yk_cuda_device_of(program->device)->prints, true);
    return YOKE_OK;
}

yoke_status yk_cuda_load_compiled(yoke_program *program, yk_text *log)
{
    return load(program, (yk_code_kind)program->code_kind, program->code.data, program->code.length, log, true);
}

yoke_status yk_cuda_program_load(yoke_program *program, yk_code_kind kind, const void *code, size_t size, yk_text *log)
{
    yoke_status status = check_code(program, kind, code, size);
    return status == YOKE_OK ? load(program, kind, code, size, log, false) : status;
}

/* ---- The contents of a module ---- */

/* The driver cannot return a module's code. */
yoke_status yk_cuda_program_code(const yoke_program *program, yk_code_kind *out_kind, yk_text *code)
{
    size_t before = code->length;
    yk_text_add_bytes(code, yk_text_get(&program->code), program->code.length);
    *out_kind = (yk_code_kind)program->code_kind;
    return code->length - before == program->code.length ? YOKE_OK : yk_no_memory("a program's code");
}

static yoke_status add_names(const yoke_program *program, yk_CUfunction *functions, unsigned count, yk_text *names)
{
    const char *call = "cuModuleEnumerateFunctions";
    yk_CUresult result = yk_cu.cuModuleEnumerateFunctions(functions, count, program->native);

    for (unsigned i = 0; i < count && result == YK_CUDA_SUCCESS; i++) {
        const char *name = NULL;
        call = "cuFuncGetName";
        result = yk_cu.cuFuncGetName(&name, functions[i]);
        if (result == YK_CUDA_SUCCESS && name)
            yk_text_add(names, "%s%s", names->length ? ";" : "", yk_program_spelled(program, name));
    }
    return result == YK_CUDA_SUCCESS ? YOKE_OK : yk_cuda_fail(call, result, "the kernels of program '%s'", program->name);
}

/* Since CUDA 12.4. */
yoke_status yk_cuda_program_kernel_names(const yoke_program *program, yk_text *names)
{
    unsigned count = 0;

    if (!yk_cu.cuModuleGetFunctionCount || !yk_cu.cuModuleEnumerateFunctions || !yk_cu.cuFuncGetName)
        return YOKE_OK;
    yoke_status status = yk_cuda_enter(program->device);
    if (status < 0)
        return status;
    yk_CUresult result = yk_cu.cuModuleGetFunctionCount(&count, program->native);
    if (result != YK_CUDA_SUCCESS)
        status = yk_cuda_fail("cuModuleGetFunctionCount", result, "the number of kernels of program '%s'", program->name);
    if (status == YOKE_OK && count > 0) {
        yk_CUfunction *functions = calloc(count, sizeof *functions);
        status = functions ? add_names(program, functions, count, names) : yk_no_memory("the names of kernels");
        free(functions);
    }
    yk_cuda_leave();
    return status;
}

yoke_status yk_cuda_program_global(const yoke_program *program, const char *name, yoke_buffer *buffer)
{
    yk_CUdeviceptr address = 0;
    size_t size = 0;
    yk_CUresult result;
    yoke_status status = yk_cuda_enter(program->device);

    if (status < 0)
        return status;
    result = yk_cu.cuModuleGetGlobal_v2(&address, &size, program->native, yk_program_lowered(program, name));
    yk_cuda_leave();
    if (result == YK_CUDA_ERROR_NOT_FOUND)
        return yk_cuda_fail_as(YOKE_E_NOT_FOUND, "cuModuleGetGlobal_v2", result,
                               "program '%s' has no variable '%s' (declared __device__ or __constant__, outside of functions and "
                               "namespaces, or named in source.name_expressions as \"&ns::name\")",
                               program->name, name);
    if (result != YK_CUDA_SUCCESS)
        return yk_cuda_fail("cuModuleGetGlobal_v2", result, "variable '%s' of program '%s'", name, program->name);
    buffer->native.address = address;
    buffer->size = buffer->capacity = size;
    buffer->misalignment = address % 16;
    return YOKE_OK;
}

void yk_cuda_program_destroy(yoke_program *program)
{
    /* As in buffer.c: with Yoke's context current this works on drivers of any age. */
    bool entered = yk_cuda_try_enter(program->device);
    yk_cuda_note("cuModuleUnload", yk_cu.cuModuleUnload(program->native));
    if (entered)
        yk_cuda_leave();
    program->native = NULL;
}
