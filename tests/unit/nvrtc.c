/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources through the real NVRTC, which needs neither a GPU nor a driver: the device and the few functions of the driver that take
 * part are made up here. Skipped where there is no NVRTC but that of the CUDA double.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../backends/cuda/driver.h"
#include "../tap/tap.h"
#include "program/program.h"
#include "program/source.h"

static yk_cuda_device cuda_device = { .architecture = 90 };
static yoke_device device;
static yk_text build_log;

static yk_CUresult push(yk_CUcontext context)
{
    (void)context;
    return YK_CUDA_SUCCESS;
}

static yk_CUresult pop(yk_CUcontext *out_context)
{
    *out_context = NULL;
    return YK_CUDA_SUCCESS;
}

static yk_CUresult load_module(yk_CUmodule *out_module, const void *image, unsigned int count, yk_CUjit_option *options,
                               void **values)
{
    (void)image, (void)count, (void)options, (void)values;
    *out_module = (yk_CUmodule)&device;
    return YK_CUDA_SUCCESS;
}

static yk_CUresult unload_module(yk_CUmodule module)
{
    (void)module;
    return YK_CUDA_SUCCESS;
}

static void make_up_device(void)
{
    yk_cu.cuCtxPushCurrent_v2 = push;
    yk_cu.cuCtxPopCurrent_v2 = pop;
    yk_cu.cuModuleLoadDataEx = load_module;
    yk_cu.cuModuleUnload = unload_module;
    device.backend = &yk_backend_cuda;
    device.native = &cuda_device;
    device.traits.language = YK_LANGUAGE_CUDA;
    device.traits.reads_headers = true;
}

/* Build the source, as yoke_program_build does. */
static yoke_status build(const yoke_source *given)
{
    yoke_source source;
    yk_source_file file;
    yoke_program *program = NULL;
    yk_text_free(&build_log);
    yoke_status status = yk_source_open("test", YK_LANGUAGE_CUDA, given, &source, &file);
    if (status == YOKE_OK)
        status = yk_source_check("test", &device, &source);
    if (status == YOKE_OK)
        status = yk_program_create(&device, "test", &source, &build_log, &program);
    yk_source_close(&file);
    if (program)
        yk_program_destroy(program);
    return status;
}

static void compiles(const yoke_source *source, const char *what)
{
    yoke_status status = build(source);
    if (!tap_ok(status == YOKE_OK && build_log.length == 0, "%s", what))
        tap_diag("%s: %s", yoke_error()->text, yk_text_get(&build_log));
}

static void text_compiles(const char *text, const char *what)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.cuda = text;
    compiles(&source, what);
}

static void fails(const yoke_source *source, yoke_status wanted, const char *words, const char *what)
{
    yoke_status status = build(source);
    if (!tap_ok(status == wanted && strstr(yoke_error()->text, words), "%s", what))
        tap_diag("%s: %s; %s", yoke_status_name(status), yoke_error()->text, yk_text_get(&build_log));
}

/* ---- Host headers ---- */

static void host_headers(void)
{
    static const char *const all[] = { "assert.h", "cassert",  "cfloat",   "climits",   "cmath",      "cstddef",
                                       "cstdint",  "cstdio",   "cstdlib",  "cstring",   "cuda.h",     "cuda_runtime.h",
                                       "float.h",  "limits.h", "math.h",   "stdbool.h", "stddef.h",   "stdint.h",
                                       "stdio.h",  "stdlib.h", "string.h", "time.h",    "inttypes.h", NULL };
    char text[256];
    for (size_t i = 0; all[i]; i++) {
        snprintf(text, sizeof text, "#include <%s>\n#include \"%s\"\n__global__ void k(int *x) { x[0] = 1; }\n", all[i], all[i]);
        text_compiles(text, all[i]);
    }
    text_compiles(
        "#include <stdio.h>\n#include <math.h>\n#include <stdint.h>\n#include <float.h>\n#include <limits.h>\n"
        "#include <stdlib.h>\n#include <string.h>\n#include <assert.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n"
        "#include <cstdint>\n#include <cstddef>\n"
        "static_assert(sizeof(int64_t) == 8 && sizeof(uintptr_t) == 8 && INT32_MIN < 0 && UINT64_MAX > 0, \"\");\n"
        "static_assert(sizeof(std::uint16_t) == 2 && SIZE_MAX > UINT32_MAX && CHAR_MIN < 0 && LONG_MAX > INT_MAX, \"\");\n"
        "__global__ void k(float *x, uint8_t *y, size_t n, FILE *none) { assert(n < UINT_MAX);\n"
        "x[0] = FLT_MAX / M_PI; x[1] = INFINITY; x[2] = NAN; x[3] = DBL_MAX > 1 ? FLT_EPSILON : HUGE_VAL; y[0] = CHAR_BIT;\n"
        "memset(y, 0, 4); memcpy(y, x, n); printf(\"%d\\n\", abs((int)x[0])); x[4] = sqrtf(fabsf(x[5])); }\n",
        "what kernels use of them");
}

/* ---- Headers of the CUDA Toolkit ---- */

static void toolkit(void)
{
    static const struct {
        const char *header, *text;
    } uses[] = {
        { "cuda_fp16.h", "__global__ void k(half *x) { x[0] = __hadd(x[1], __float2half(2.0f)); }\n" },
        { "cuda_bf16.h", "__global__ void k(__nv_bfloat16 *x) { x[0] = __float2bfloat16(2.0f); }\n" },
        { "cuda_fp8.h", "__global__ void k(__nv_fp8_e4m3 *x, float y) { x[0] = __nv_fp8_e4m3(y); }\n" },
        { "cuComplex.h", "__global__ void k(cuFloatComplex *x) { x[0] = cuCmulf(x[1], x[2]); }\n" },
        { "mma.h", "__global__ void k(half *a, float *c) { using namespace nvcuda;\n"
                   "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;\n"
                   "wmma::load_matrix_sync(fa, a, 16); c[0] = (float)fa.x[0]; }\n" },
        { "cooperative_groups.h", "__global__ void k(int *x) { auto b = cooperative_groups::this_thread_block();\n"
                                  "b.sync(); x[b.thread_rank()] = b.size(); }\n" },
        { "curand_kernel.h",
          "__global__ void k(float *x) { curandState s; curand_init(7, 0, 0, &s); x[0] = curand_uniform(&s); }\n" },
        { "cub/block/block_reduce.cuh", "__global__ void k(int *x) { typedef cub::BlockReduce<int, 128> R;\n"
                                        "__shared__ typename R::TempStorage t; x[0] = R(t).Sum(x[threadIdx.x]); }\n" },
        { "cub/cub.cuh", "__global__ void k(int *x) { typedef cub::WarpReduce<int> R;\n"
                         "__shared__ typename R::TempStorage t; x[0] = R(t).Sum(x[threadIdx.x]); }\n" },
        { "cuda/std/array", "__global__ void k(int *x) { cuda::std::array<int, 3> a = { 1, 2, 3 }; x[0] = a[x[1]]; }\n" },
        { "cuda/atomic",
          "__global__ void k(int *x) { cuda::atomic_ref<int, cuda::thread_scope_device> r(*x); r.fetch_add(1); }\n" },
    };
    char text[1024];
    for (size_t i = 0; i < YK_COUNT_OF(uses); i++) {
        snprintf(text, sizeof text, "#include <stdint.h>\n#include <float.h>\n#include <math.h>\n#include %c%s%c\n%s",
                 i % 2 ? '<' : '"', uses[i].header, i % 2 ? '>' : '"', uses[i].text);
        text_compiles(text, uses[i].header);
    }
}

/* CCCL in an include folder, and headers that nobody has. */
static void other_headers(const char *first, const char *cccl)
{
    const char *folders[] = { cccl, NULL };
    yoke_source source = YOKE_SOURCE_INIT;
    source.cuda = "#include <cuda/std/array>\n#include <cub/block/block_scan.cuh>\n__global__ void k(int *x) { x[0] = 1; }\n";
    source.include_folders = folders;
    compiles(&source, "CCCL in an include folder");
    folders[0] = first;
    source.cuda = "#include <cooperative_groups.h>\n#include <curand_kernel.h>\n__global__ void k(int *x) { x[0] = 1; }\n";
    compiles(&source, "the Toolkit's headers in an include folder");
    source.include_folders = NULL;
    source.cuda = "\n#include <no/such/header.h>\n__global__ void k(int *x) { x[0] = 1; }\n";
    fails(&source, YOKE_E_BUILD, "no/such/header.h is missing", "a header that nobody has");
    source.cuda = "#ifdef NEVER\n#include <no/such/header.h>\n#endif\n__global__ void k(int *x) { x[0] = 1; }\n";
    compiles(&source, "unless it is not reached");
    source.cuda = "#define HEADER <cuda_fp16.h>\n#include HEADER\n__global__ void k(half *x) { x[0] = x[1]; }\n";
    compiles(&source, "a header that a macro names");
}

/* ---- Defines and options ---- */

static void options(void)
{
    static const char *const defines[] = { "MAX(a, b)=((a) > (b) ? (a) : (b))", "LIST(...)=__VA_ARGS__", "TEN=10", "ONE", NULL };
    static const char *const fine[] = { "--maxrregcount=32", "-G", NULL }, *const unknown[] = { "--no-such-option", NULL };
    yoke_source source = YOKE_SOURCE_INIT;
    source.cuda = "__global__ void k(int *x) { x[0] = MAX(ONE, LIST(TEN)); }\n";
    source.cuda_defines = defines;
    compiles(&source, "defines with parameters");
    source.cuda_options = fine;
    (void)build(&source); /* NVRTC may warn */
    tap_ok(yoke_error()->status == YOKE_OK, "options are passed on");
    source.cuda_options = unknown;
    fails(&source, YOKE_E_BUILD, "--no-such-option", "an option that NVRTC does not know");
    source.cuda_std = "99";
    source.cuda_options = NULL;
    fails(&source, YOKE_E_UNSUPPORTED, "C++99", "a standard that it does not know");
}

int main(void)
{
    yk_text log = { 0 }, folders = { 0 };
    const char *cccl = NULL;
    Dl_info library = { 0 };
    void *function;
    tap_start(300);
    if (yk_nvrtc_load(&log) < 0)
        tap_skip_all("there is no NVRTC");
    memcpy(&function, &yk_nvrtc.nvrtcVersion, sizeof function);
    if (dladdr(function, &library) && strstr(library.dli_fname, "cuda-double"))
        tap_skip_all("this NVRTC is the CUDA double's");
    yk_text_free(&log);
    make_up_device();
    host_headers();
    options();
    yk_cuda_program_include_folders(&device, &folders);
    for (const char *at = yk_text_get(&folders), *end = at + folders.length; at < end; at += strlen(at) + 1) {
        tap_diag("%s", at);
        cccl = at; /* the last: CCCL comes behind the rest */
    }
    if (cccl) {
        toolkit();
        other_headers(yk_text_get(&folders), cccl);
    } else {
        tap_skip("the CUDA Toolkit's headers are not installed");
    }
    yk_text_free(&folders);
    yk_text_free(&build_log);
    return tap_done();
}
