/* SPDX-License-Identifier: Apache-2.0 */
/* The double's code half by itself: compiling, images that are good and bad, and kernels on the CPU. */
#include "selftest.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "#define SIDE 16\n"
    "struct pair { short a; double b; };\n"
    "__device__ int table[4] = { 1, 2, 3, 4 };\n"
    "__constant__ int factor = 3;\n"
    "static __constant__ int own[3] = { 4, 5, 6 };\n"
    "namespace deep { __device__ int hidden = 6; template <typename T> __global__ void scale(T *x, T k)\n"
    "{ x[threadIdx.x + blockIdx.x * blockDim.x] *= k; } }\n"
    "__global__ void plain(char c, pair p, float *out) { out[0] = c + p.a + (float)p.b; }\n"
    "extern \"C\" __global__ void __launch_bounds__(SIDE *SIDE, 2) turn(int *x, int k)\n"
    "{ __shared__ int s[SIDE * SIDE]; int i = threadIdx.x, n = blockDim.x; s[i] = x[i] + k; __syncthreads();\n"
    "  for (int r = 0; r < 5; r++) { int v = s[n - 1 - i]; __syncthreads(); s[i] = v; __syncthreads(); }\n"
    "  if (i % 2) return; __syncthreads(); x[i] = s[i]; x[i + 1] = s[i + 1]; }\n"
    "extern \"C\" __global__ void dynamic(int *x) { extern __shared__ int a[]; extern __shared__ short b[];\n"
    "  a[threadIdx.x] = 7; __syncthreads(); x[threadIdx.x] = a[blockDim.x - 1] * factor + b[0]; }\n"
    "extern \"C\" __global__ void wild(int *x, unsigned long long far) { x[far] = 1; }\n"
    "extern \"C\" __global__ void trap(int *x) { if (threadIdx.x == 3) __trap(); x[0] = 1; __syncthreads(); }\n"
    "extern \"C\" __global__ void count(unsigned *x) { atomicAdd(x, 1); }\n";

static double_module *module;

/* The driver's half is not here. */
int double_occupancy(int block_threads, size_t shared)
{
    return block_threads <= DOUBLE_THREADS_PER_BLOCK && shared <= DOUBLE_SHARED_OPTIN ? DOUBLE_BLOCKS_PER_MULTIPROCESSOR : 0;
}

/* A function of the module; one that is not there ends the test. */
static double_function *function(const char *name)
{
    double_function *f = NULL;
    if (double_module_function(module, name, &f) != YK_CUDA_SUCCESS)
        tap_bail("there is no kernel %s", name);
    return f;
}

static yk_CUresult launch(const char *name, unsigned grid, unsigned block, unsigned shared, int cooperative, const void *params)
{
    double_grid g = { { grid, 1, 1 }, { block, 1, 1 }, shared, cooperative };
    yk_CUresult result = double_function_check(function(name), &g);
    return result == YK_CUDA_SUCCESS ? double_function_run(function(name), &g, params) : result;
}

/* ---- Compiling ---- */

static yk_nvrtcProgram compile(const char *text, const char *option, yk_nvrtcResult expected, const char *words)
{
    const char *options[] = { "--gpu-architecture=sm_90", "--std=c++17", option };
    yk_nvrtcProgram program = NULL;
    nvrtcCreateProgram(&program, text, "some name.cu", 0, NULL, NULL);
    nvrtcAddNameExpression(program, "deep::scale<float>");
    nvrtcAddNameExpression(program, "&deep::hidden");
    nvrtcAddNameExpression(program, "turn");
    yk_nvrtcResult result = nvrtcCompileProgram(program, option ? 3 : 2, options);
    size_t size = 0;
    nvrtcGetProgramLogSize(program, &size);
    char *log = calloc(1, size + 1);
    nvrtcGetProgramLog(program, log);
    if (!tap_ok(result == expected && strstr(log, words), "compiling %s gives '%s'", option ? option : "a source", words))
        tap_diag("%u: %s", result, log);
    free(log);
    return program;
}

static void broken_sources(void)
{
    static const struct {
        const char *text, *option, *words;
        yk_nvrtcResult result;
    } all[] = {
        { "int a;\nextern \"C\" __global__ void f(int *x) { x[0] = nowhere; }\n", NULL,
          "some name.cu(2): error: ", YK_NVRTC_ERROR_COMPILATION },
        { "#line 40 \"other\"\n#error my words\n", NULL, "other(40): error: #error my words", YK_NVRTC_ERROR_COMPILATION },
        { "int a;\n", NULL, "the name expression 'deep::scale<float>'(1): error: ", YK_NVRTC_ERROR_COMPILATION },
        { source, "--std=c++98", "--std=c++98", YK_NVRTC_ERROR_INVALID_OPTION },
        { source, "--gpu-architecture=sm_7", "sm_7", YK_NVRTC_ERROR_INVALID_OPTION },
        { source, "--fast", "--fast", YK_NVRTC_ERROR_INVALID_OPTION },
        { "#include <stdio.h>\n", NULL, "some name.cu(1): error: ", YK_NVRTC_ERROR_COMPILATION },
        { "#ifndef THIS\n#error THIS is not\n#endif\n#error That is it\n", "-DTHIS=1", "That is it", YK_NVRTC_ERROR_COMPILATION },
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        yk_nvrtcProgram program = compile(all[i].text, all[i].option, all[i].result, all[i].words);
        nvrtcDestroyProgram(&program);
        tap_ok(program == NULL, "the program is gone");
    }
}

/* ---- Kernels ---- */

static void parameters(void)
{
    size_t offsets[3] = { 0 }, sizes[3] = { 0 }, offset, size;
    double_function *plain = function("_Z5plainc4pairPf");
    for (size_t i = 0; i < 3; i++)
        double_function_param(plain, i, &offsets[i], &sizes[i]);
    tap_ok(offsets[0] == 0 && offsets[1] == 8 && offsets[2] == 24, "parameters are where C has them");
    tap_ok(sizes[0] == 1 && sizes[1] == 16 && sizes[2] == 8, "and as wide");
    tap_is(double_function_param(plain, 3, &offset, &size), YK_CUDA_ERROR_INVALID_VALUE, "there are no more");
    tap_is(double_function_params_size(plain), 32, "together they are so wide");
    struct {
        char c;
        struct {
            short a;
            double b;
        } p;
        float *out;
    } params;
    float out = 0;
    memset(&params, 0, sizeof params);
    params.c = 1;
    params.p.a = 20;
    params.p.b = 300.5;
    params.out = &out;
    tap_is(launch("_Z5plainc4pairPf", 1, 1, 0, 0, &params), YK_CUDA_SUCCESS, "a kernel gets them");
    tap_is(out, 321.5f, "with their values");
}

static void attributes(void)
{
    int value = 0;
    double_function *turn = function("turn");
    double_function_attribute(turn, YK_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &value);
    tap_is(value, 256, "launch bounds are known");
    double_function_attribute(turn, YK_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &value);
    tap_is(value, 1024, "shared memory of its own is known");
    double_function_attribute(function("dynamic"), YK_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &value);
    tap_is(value, 0, "where there is none too");
    double_function_attribute(turn, YK_CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &value);
    tap_is(value, 4 + 12, "constants are counted");
    int *params[1] = { 0 };
    tap_is(launch("turn", 1, 257, 0, 0, params), YK_CUDA_ERROR_INVALID_VALUE, "launch bounds hold");
    tap_is(launch("dynamic", 1, 1, 48 * 1024 + 1, 0, params), YK_CUDA_ERROR_INVALID_VALUE,
           "more shared memory has to be asked for");
    double_function_set_attribute(function("dynamic"), YK_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 * 1024);
    int x = 0;
    params[0] = &x;
    tap_is(launch("dynamic", 1, 1, 48 * 1024 + 1, 0, params), YK_CUDA_SUCCESS, "and is there then");
}

static void barriers(void)
{
    enum { N = 256 };
    int x[N];
    bool good = true;
    struct {
        int *x;
        int k;
    } params = { x, 1000 };
    for (int i = 0; i < N; i++)
        x[i] = i;
    tap_is(launch("turn", 1, N, 0, 0, &params), YK_CUDA_SUCCESS, "threads meet, also where some have ended");
    for (int i = 0; i < N; i++)
        good = good && x[i] == 1000 + N - 1 - i;
    tap_ok(good, "each has the others' values");
    tap_is(launch("dynamic", 1, N, N * sizeof *x, 0, &params.x), YK_CUDA_SUCCESS, "shared memory whose size the launch tells");
    tap_is(x[0], 7 * 3 + 7, "arrays of every name are the same memory");
    unsigned count = 0, *pointer = &count;
    tap_is(launch("count", 1000, 256, 0, 0, &pointer), YK_CUDA_SUCCESS, "many blocks");
    tap_is(count, 256000, "each thread ran");
    tap_is(launch("count", 32, 16, 0, 1, &pointer), YK_CUDA_SUCCESS, "blocks that are there at once");
    tap_is(count, 256512, "each thread ran");
}

static void variables(const char *hidden, const char *scale)
{
    void *address = NULL;
    size_t size = 0;
    tap_is(double_module_global(module, "table", &address, &size), YK_CUDA_SUCCESS, "a variable");
    tap_ok(size == 16 && ((int *)address)[2] == 3, "with its bytes");
    tap_is(double_module_global(module, "own", &address, &size), YK_CUDA_SUCCESS, "a static variable");
    tap_ok(size == 12 && ((int *)address)[2] == 6, "is as it was written");
    tap_is(double_module_global(module, "tables", &address, &size), YK_CUDA_ERROR_NOT_FOUND, "there is no other");
    tap_is(double_module_global(module, hidden, &address, &size), YK_CUDA_SUCCESS, "one of a namespace is %s", hidden);
    tap_ok(size == 4 && *(int *)address == 6, "with its bytes");
    float x[4] = { 1, 2, 3, 4 };
    struct {
        float *x, k;
    } params = { x, 2.5f };
    tap_is(launch(scale, 2, 2, 0, 0, &params), YK_CUDA_SUCCESS, "an instance is %s", scale);
    tap_ok(x[0] == 2.5f && x[3] == 10.0f, "and works");
}

static void faults(void)
{
    int x = 0, *pointer = &x;
    struct {
        int *x;
        unsigned long long far;
    } params = { &x, 1ull << 42 };
    for (int i = 0; i < 2; i++) {
        tap_is(launch("wild", 2, 2, 0, 0, &params), YK_CUDA_ERROR_ILLEGAL_ADDRESS, "a wild write ends the kernel");
        tap_is(launch("trap", 1, 8, 0, 0, &pointer), YK_CUDA_ERROR_LAUNCH_FAILED, "so does a trap among threads that wait");
        barriers();
    }
}

/* ---- Modules ---- */

/* Loads the image, has a kernel read its constant and its count, and unloads it; how often the values were another module's. */
static void *load_often(void *image)
{
    static _Thread_local size_t wrong;
    for (int i = 0; i < 100; i++) {
        double_module *mine = NULL;
        double_function *f = NULL;
        double_grid grid = { { 1, 1, 1 }, { 1, 1, 1 }, 16, 0 };
        void *table = NULL;
        int x = 0, *pointer = &x;
        if (double_module_load(image, &mine) != YK_CUDA_SUCCESS) {
            wrong++;
            continue;
        }
        double_module_global(mine, "table", &table, NULL);
        wrong += ((int *)table)[1]++ != 2;
        wrong += double_module_function(mine, "dynamic", &f) != YK_CUDA_SUCCESS ||
                 double_function_run(f, &grid, &pointer) != YK_CUDA_SUCCESS || x != 7 * 3 + 7;
        double_module_unload(mine);
    }
    return (void *)wrong;
}

/* Two modules of one image have nothing in common; a later one may lie where an earlier one lay, which another thread unloaded. */
static void modules(void *image)
{
    double_module *one = NULL, *two = NULL;
    void *a = NULL, *b = NULL, *wrong[2] = { image, image };
    pthread_t threads[2];
    tap_is(double_module_load(image, &one), YK_CUDA_SUCCESS, "an image is loaded");
    tap_is(double_module_load(image, &two), YK_CUDA_SUCCESS, "and again");
    double_module_global(one, "table", &a, NULL);
    double_module_global(two, "table", &b, NULL);
    ((int *)a)[0] = 77;
    tap_ok(a != b && ((int *)b)[0] == 1, "each module has variables of its own");
    double_module_unload(one);
    tap_is(((int *)b)[0], 1, "which stay when the other is unloaded");
    double_module_unload(two);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, load_often, image) != 0)
            tap_bail("no thread");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &wrong[i]);
    tap_ok(!wrong[0] && !wrong[1], "two threads load and unload it at the same time");
}

/* ---- Images ---- */

static void images(char *cubin, size_t size, const char *ptx)
{
    static const char hand[] = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry answer(.param .u64 a)\n{\n"
                               "\t.reg .b32 %r<2>;\n\t.reg .b64 %rd<3>;\n\tld.param.u64 %rd1, [a];\n"
                               "\tcvta.to.global.u64 %rd2, %rd1;\n\tmov.u32 %r1, 42;\n\tst.global.u32 [%rd2], %r1;\n\tret;\n}\n";
    char text[sizeof hand], log[200];
    double_module *other = NULL;
    int x = 0, *pointer = &x;

    tap_is(double_module_load(ptx, &module), YK_CUDA_SUCCESS, "PTX is loaded");
    barriers();
    double_module_unload(module);
    tap_is(double_module_load(hand, &module), YK_CUDA_SUCCESS, "so is PTX of a person");
    tap_is(launch("answer", 1, 1, 0, 0, &pointer), YK_CUDA_SUCCESS, "and runs");
    tap_is(x, 42, "with the result");
    double_module_unload(module);
    strcpy(text, hand);
    memcpy(strstr(text, "mov"), "mob", 3);
    tap_is(double_module_load_log(text, 0, log, sizeof log, &other), YK_CUDA_ERROR_INVALID_PTX, "PTX with an unknown instruction");
    tap_ok(strstr(log, "line 10; error   : ") && strstr(log, "mob"), "which the log names");
    strcpy(text, hand);
    text[9] = '9';
    tap_is(double_module_load(text, &other), YK_CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "PTX of a later version");
    tap_is(double_module_load("nothing at all", &other), YK_CUDA_ERROR_INVALID_IMAGE, "a text");
    tap_is(double_module_load("\1\2\3\4\5", &other), YK_CUDA_ERROR_INVALID_IMAGE, "bytes");
    cubin[size / 2] ^= 1;
    tap_is(double_module_load(cubin, &other), YK_CUDA_ERROR_INVALID_IMAGE, "a damaged cubin");
    cubin[size / 2] ^= 1;
    cubin[48] = 80;
    tap_is(double_module_load(cubin, &other), YK_CUDA_ERROR_NO_BINARY_FOR_GPU, "a cubin for another architecture");
    tap_ok(other == NULL, "none of them is a module");
}

int main(void)
{
    yk_nvrtcProgram program;
    size_t size = 0, ptx_size = 0;
    const char *scale = NULL, *hidden = NULL, *turn = NULL;

    tap_start(120);
    if (double_compiler()[0] != '/')
        tap_skip_all("there is no C++ compiler: configure found none, and YOKE_CUDA_DOUBLE_CXX is no absolute path");
    program = compile(source, NULL, YK_NVRTC_SUCCESS, "");
    if (nvrtcGetCUBINSize(program, &size) != YK_NVRTC_SUCCESS || nvrtcGetPTXSize(program, &ptx_size) != YK_NVRTC_SUCCESS)
        tap_bail("nothing comes of compiling");
    char *cubin = malloc(size), *ptx = malloc(ptx_size);
    nvrtcGetCUBIN(program, cubin);
    nvrtcGetPTX(program, ptx);
    nvrtcGetLoweredName(program, "deep::scale<float>", &scale);
    nvrtcGetLoweredName(program, "&deep::hidden", &hidden);
    nvrtcGetLoweredName(program, "turn", &turn);
    tap_is(turn, "turn", "a name of C stays");
    tap_is(double_module_load(cubin, &module), YK_CUDA_SUCCESS, "a cubin is loaded");
    tap_is(double_module_count(module), 7, "all of its kernels are there");
    parameters();
    attributes();
    barriers();
    variables(hidden, scale);
    faults();
    double_module_unload(module);
    modules(cubin);
    images(cubin, size, ptx);
    nvrtcDestroyProgram(&program);
    free(ptx);
    free(cubin);
    broken_sources();
    selftest_templates();
    selftest_warps();
    return tap_done();
}
