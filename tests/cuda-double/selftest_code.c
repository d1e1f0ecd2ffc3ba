/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test's own ways of compiling and running; and templates, with all that finds kernels in a source. */
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

/* ---- Compiling and running ---- */

static yk_nvrtcResult compile(const char *text, const char *const *names, yk_nvrtcProgram *out, char **out_log)
{
    const char *options[] = { "--gpu-architecture=sm_90" };
    size_t size = 0;
    if (nvrtcCreateProgram(out, text, "self.cu", 0, NULL, NULL) != YK_NVRTC_SUCCESS)
        tap_bail("there is no program");
    for (; *names; names++)
        nvrtcAddNameExpression(*out, *names);
    yk_nvrtcResult result = nvrtcCompileProgram(*out, 1, options);
    nvrtcGetProgramLogSize(*out, &size);
    *out_log = calloc(1, size + 1);
    nvrtcGetProgramLog(*out, *out_log);
    return result;
}

selftest_code selftest_build(const char *text, const char *const *names)
{
    selftest_code code = { 0 };
    char *log = NULL;
    size_t size = 0;
    if (compile(text, names, &code.program, &log) != YK_NVRTC_SUCCESS)
        tap_bail("%.60s... cannot be compiled: %s", text, log);
    free(log);
    nvrtcGetCUBINSize(code.program, &size);
    char *cubin = malloc(size);
    nvrtcGetCUBIN(code.program, cubin);
    if (double_module_load(cubin, &code.module) != YK_CUDA_SUCCESS)
        tap_bail("%.60s... cannot be loaded", text);
    free(cubin);
    return code;
}

yk_CUresult selftest_run(const selftest_code *code, const char *name, unsigned blocks, unsigned threads, unsigned shared,
                         const void *params)
{
    double_grid grid = { { blocks, 1, 1 }, { threads, 1, 1 }, shared, 0 };
    double_function *f = NULL;
    const char *lowered = NULL;
    if (nvrtcGetLoweredName(code->program, name, &lowered) != YK_NVRTC_SUCCESS)
        lowered = name;
    yk_CUresult result = double_module_function(code->module, lowered, &f);
    if (result == YK_CUDA_SUCCESS)
        result = double_function_check(f, &grid);
    return result == YK_CUDA_SUCCESS ? double_function_run(f, &grid, params) : result;
}

void selftest_free(selftest_code *code)
{
    double_module_unload(code->module);
    nvrtcDestroyProgram(&code->program);
}

void selftest_refused(const char *text, const char *name, const char *words)
{
    yk_nvrtcProgram program = NULL;
    char *log = NULL;
    yk_nvrtcResult result = compile(text, (const char *const[]){ name, NULL }, &program, &log);
    if (!tap_ok(result == YK_NVRTC_ERROR_COMPILATION && strstr(log, words), "%.60s is refused: '%s'", text, words))
        tap_diag("%u: %s", result, log);
    free(log);
    nvrtcDestroyProgram(&program);
}

/* ---- Templates ---- */

/* As a simulation of bodies in two widths has it: types that depend on another, and shared memory in a template. */
static const char bodies[] =
    "template <typename T> struct four { typedef float4 type; };\n"
    "template <> struct four<double> { typedef double4 type; };\n"
    "template <class T> struct shared { __device__ operator T *() { extern __shared__ int bytes[]; return (T *)bytes; }\n"
    "  __device__ operator const T *() const { extern __shared__ int bytes[]; return (T *)bytes; } };\n"
    "template <typename T> __device__ T root(T x) { return rsqrt(x); }\n"
    "template <> __device__ float root<float>(float x) { return rsqrtf(x); }\n"
    "template <typename T, bool Twice, int Times> __global__ void bodies(typename four<T>::type *__restrict__ x)\n"
    "{ typename four<T>::type *s = shared<typename four<T>::type>(); int i = threadIdx.x;\n"
    "  s[i] = x[i]; __syncthreads(); T sum = 0;\n"
    "  for (int n = 0; n < Times; n++) for (int k = 0; k < blockDim.x; k++) sum += s[k].x * root<T>(T(4));\n"
    "  x[i].w = Twice ? sum * 2 : sum; }\n"
    "template <typename T> __global__ void named(T *x) { extern __shared__ __align__(16) unsigned char raw[];\n"
    "  T *s = reinterpret_cast<T *>(raw); s[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n"
    "  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }\n";

static void dependent_types(void)
{
    enum { N = 32 };
    static const char *const names[] = { "bodies<float, false, 1>", "bodies<float, true, 3>", "bodies<double, (2 > 1), 2>",
                                         "named<short>", NULL };
    struct {
        float x, y, z, w;
    } narrow[N], *narrow_at = narrow;
    struct {
        double x, y, z, w;
    } wide[N], *wide_at = wide;
    short shorts[N], *shorts_at = shorts;
    selftest_code code = selftest_build(bodies, names);
    for (int i = 0; i < N; i++) {
        narrow[i].x = (float)i;
        wide[i].x = i;
        shorts[i] = (short)i;
    }
    tap_is(selftest_run(&code, names[0], 1, N, sizeof narrow, &narrow_at), YK_CUDA_SUCCESS, "an instance whose types depend on T");
    tap_is(narrow[7].w, 31 * 32 / 2 * 0.5f, "computes");
    selftest_run(&code, names[1], 1, N, sizeof narrow, &narrow_at);
    tap_is(narrow[7].w, 31 * 32 / 2 * 3.0f, "another one has other values");
    selftest_run(&code, names[2], 1, N, sizeof wide, &wide_at);
    tap_is(wide[7].w, 31 * 32 / 2 * 2.0, "and another one another type");
    selftest_run(&code, names[3], 1, N, sizeof shorts, &shorts_at);
    tap_is(shorts[7], N - 1 - 7, "shared memory of an instance, by a name");
    selftest_free(&code);
}

/* Each writes another number. */
static const char kinds[] =
    "enum color { red, green }; __device__ int variable = 21; struct value { int v; };\n"
    "template <class> struct holder { static const int v = 12; };\n"
    "template <int N> __global__ void number(int *x) { x[0] = N; }\n"
    "template <color C> __global__ void enumerated(int *x) { x[0] = C; }\n"
    "template <class... T> __global__ void pack(int *x, T... t) { x[0] = sizeof...(T); }\n"
    "template <template <class> class X> __global__ void templated(int *x) { x[0] = X<int>::v; }\n"
    "template <int *P> __global__ void pointed(int *x) { x[0] = *P; }\n"
    "template <class T, int N = 15> __global__ void left_out(T *x) { x[0] = N; }\n"
    "template <auto V> __global__ void any(int *x) { x[0] = V; }\n"
    "namespace a { inline namespace b { namespace { template <unsigned N> __global__ void inner(int *x) { x[0] = N; } } }\n"
    "  template <class T> __global__ void made(T *x, int n = 17) { x[0].v = n; }\n"
    "  template __global__ void made<value>(value *, int);\n"
    "  template <> __global__ void made<int>(int *x, int) { x[0] = 18; } }\n"
    "__global__ void over(int *x) { x[0] = 19; }\n"
    "__global__ void __launch_bounds__(4) over(value *x, int n = (1 < 2) ? 3 : 4) { x[0].v = 20; }\n"
    "template <class T> __global__ void over(T *x, T) { x[0] = 22; }\n"
    "extern \"C\" { static __global__ void local(int *x) { x[0] = 23; } __global__ void c(int *x) { x[0] = 24; } }\n"
    "__global__ void quiet(int *x) noexcept { x[0] = 25; }\n"
    "__global__ void reference(int &x) { x = 26; }\n";

static void parameter_kinds(void)
{
    static const struct {
        const char *name;
        int value;
    } all[] = {
        { "number<11>", 11 },
        { "enumerated<green>", 1 },
        { "enumerated<(color)0>", 0 },
        { "pack<int, float>", 2 },
        { "pack<>", 0 },
        { "templated<holder>", 12 },
        { "pointed<&variable>", 21 },
        { "left_out<int>", 15 },
        { "any<'c'>", 'c' },
        { "a::inner<16u>", 16 },
        { "_ZN1a4madeI5valueEEvPT_i", 5 },
        { "_ZN1a4madeIiEEvPT_i", 18 },
        { "(void (*)(int *))over", 19 },
        { "_Z4overPi", 19 },
        { "_Z4overP5valuei", 20 },
        { "over<int>", 22 },
        { "local", 23 },
        { "c", 24 },
        { "quiet", 25 },
        { "reference", 26 },
    };
    const char *names[sizeof all / sizeof *all + 1] = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].name[0] != '_')
            names[count++] = all[i].name;
    selftest_code code = selftest_build(kinds, names);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int x = -1;
        struct {
            int *x;
            int n;
        } params = { &x, 5 };
        tap_is(selftest_run(&code, all[i].name, 1, 1, 0, &params), YK_CUDA_SUCCESS, "%s runs", all[i].name);
        tap_is(x, all[i].value, "and is the one that was meant");
    }
    tap_is(selftest_run(&code, "_Z4overP5valuei", 1, 5, 0, (void *[]){ 0, 0 }), YK_CUDA_ERROR_INVALID_VALUE,
           "one of several of its name has its own bounds");
    selftest_free(&code);
}

static void reasons(void)
{
    static const char unresolved[] = "template <class T> __device__ T missing(T);\n"
                                     "template <class T> __global__ void f(T *x) { x[0] = missing(x[0]); }\n";
    selftest_refused(unresolved, "f<float>", "ptxas fatal   : Unresolved extern function '_Z7missingIfET_S0_'");
    selftest_refused(kinds, "number<float>", "the name expression 'number<float>'(1): error: ");
    selftest_refused(kinds, "number", "the name expression 'number'(1): error: ");
    selftest_refused(kinds, "pack<\"x\">", "the name expression 'pack<\"x\">'(1): error: ");
    selftest_refused("template <class T> __global__ void f(T *x) { x[0] = T::none; }\n", "f<int>", "self.cu(1): error: ");
}

void selftest_templates(void)
{
    dependent_types();
    parameter_kinds();
    reasons();
}
