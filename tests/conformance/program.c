/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs: from twins, with defines and options, from several threads; the compiler's log; and what both backends promise of
 * floating point. Each build costs a driver half a second when it is cold, so sources are small and few.
 */
#include "suite.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const main_cuda = SPIN_CUDA
    "extern \"C\" __global__ void arithmetic(float *quotient, float *root, float *muladd, const float *a, const float *b, int n)\n"
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) {\n"
    "  quotient[i] = a[i] / b[i]; root[i] = sqrtf(fabsf(a[i])); muladd[i] = a[i] * b[i] + a[i]; } }\n";
static const char *const main_opencl =
    SPIN_OPENCL "__kernel void arithmetic(__global float *quotient, __global float *root, __global float *muladd,\n"
                "                         __global const float *a, __global const float *b, int n)\n"
                "{ int i = get_global_id(0); if (i < n) {\n"
                "  quotient[i] = a[i] / b[i]; root[i] = sqrt(fabs(a[i])); muladd[i] = a[i] * b[i] + a[i]; } }\n";

/* Writes one number, from a define. */
static const char *const define_cuda = "extern \"C\" __global__ void define(int *out) { out[0] = VALUE;\n"
                                       "#ifdef FLAG\n out[1] = FLAG;\n#else\n out[1] = -1;\n#endif\n}\n";
static const char *const define_opencl = "__kernel void define(__global int *out) { out[0] = VALUE;\n"
                                         "#ifdef FLAG\n out[1] = FLAG;\n#else\n out[1] = -1;\n#endif\n}\n";

static bool is_cuda(suite *t)
{
    return strcmp(t->info.backend, "cuda") == 0;
}

/* Launch `name` of `program` on one thread with a buffer as its one argument, and compare that buffer's ints. */
static void gives_ints(suite *t, yoke_program *program, const char *name, const int32_t *wanted, size_t count)
{
    yoke_kernel *kernel = NULL;
    guarded out = { 0 };

    NEED(guarded_create(t, count * sizeof *wanted, &out));
    NEED_OK(yoke_kernel_get(program, name, &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
out:
    guarded_release(&out);
}

static void defines(suite *t)
{
    const char *plain[] = { "VALUE=12345", NULL }, *two[] = { "VALUE=(3+4*5)", "FLAG", NULL };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *a = NULL, *b = NULL;

    source.cuda = define_cuda;
    source.opencl = define_opencl;
    source.defines = plain;
    NEED_OK(yoke_program_build(t->device, &source, &a));
    source.defines = two;
    NEED_OK(yoke_program_build(t->device, &source, &b));
    gives_ints(t, a, "define", (int32_t[]){ 12345, -1 }, 2);
    gives_ints(t, b, "define", (int32_t[]){ 23, 1 }, 2); /* and the first one is as it was */
    gives_ints(t, a, "define", (int32_t[]){ 12345, -1 }, 2);
out:
    yoke_program_release(b);
    yoke_program_release(a);
}

/* The backend takes its own text and never looks at the other; sizes 0 and larger are other versions of the struct. */
static void own_twin_only(suite *t)
{
    const char *defines[] = { "VALUE=1", NULL };
    struct {
        yoke_source source;
        unsigned char later[32];
    } newer = { YOKE_SOURCE_INIT, { 0 } };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;

    source.size = 0;
    source.name = NULL;
    source.defines = defines;
    source.cuda = is_cuda(t) ? define_cuda : "this is no program";
    source.opencl = is_cuda(t) ? "this is no program" : define_opencl;
    CHECK_OK(yoke_program_build(t->device, &source, &program));
    yoke_program_release(program);
    newer.source = source;
    newer.source.size = sizeof newer;
    newer.source.cuda = is_cuda(t) ? define_cuda : NULL;
    newer.source.opencl = is_cuda(t) ? NULL : define_opencl;
    CHECK_OK(yoke_program_build(t->device, &newer.source, &program));
    yoke_program_release(program);
}

static bool has_kernel(yoke_program *program, const char *name)
{
    for (size_t i = 0; i < yoke_program_get_kernel_count(program); i++)
        if (strcmp(yoke_program_get_kernel_name(program, i), name) == 0)
            return true;
    return false;
}

static void names_of_kernels(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;

    CHECK(yoke_program_get_kernel_count(NULL) == 0 && !yoke_program_get_kernel_name(NULL, 0));
    source.name = "three kernels";
    source.cuda = "extern \"C\" __global__ void one(int *x) { x[0] = 1; }\n"
                  "extern \"C\" __global__ void two(int *x) { x[0] = 2; }\n"
                  "extern \"C\" __global__ void three(int *x) { x[0] = 3; }\n";
    source.opencl = "__kernel void one(__global int *x) { x[0] = 1; }\n"
                    "__kernel void two(__global int *x) { x[0] = 2; }\n"
                    "__kernel void three(__global int *x) { x[0] = 3; }\n";
    NEED_OK(yoke_program_build_async(t->device, &source, &program, NULL));
    CHECK(yoke_program_get_kernel_count(program) == 3); /* waits */
    CHECK(has_kernel(program, "one") && has_kernel(program, "two") && has_kernel(program, "three"));
    CHECK(!yoke_program_get_kernel_name(program, 3) && !yoke_program_get_kernel_name(program, SIZE_MAX));
    yoke_program_release(program);
    program = NULL;

    source.cuda = source.opencl = "#error not this time\n";
    NEED_OK(yoke_program_build_async(t->device, &source, &program, NULL));
    yoke_error_clear();
    CHECK(yoke_program_get_kernel_count(program) == 0 && !yoke_program_get_kernel_name(program, 0));
    CHECK(yoke_error()->status == YOKE_OK);
out:
    yoke_program_release(program);
}

static void log_of_a_failure(suite *t)
{
    static const char broken_cuda[] = "extern \"C\" __global__ void broken(int *x) { x[0] = undeclared_thing; }\n";
    static const char broken_opencl[] = "__kernel void broken(__global int *x) { x[0] = undeclared_thing; }\n";
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = (yoke_program *)&source;

    source.name = "the broken one";
    source.cuda = broken_cuda;
    source.opencl = broken_opencl;
    CHECK_FAILS(YOKE_E_BUILD, "the broken one|undeclared_thing", yoke_program_build(t->device, &source, &program));
    CHECK(program == NULL);
    CHECK_TEXT(yoke_program_get_build_log(), "undeclared_thing");
    CHECK(strchr(yoke_error()->text, '\n') == NULL); /* one line */

    source.cuda = "#error my own message\n";
    source.opencl = "#error my own message\n";
    CHECK_FAILS(YOKE_E_BUILD, "my own message", yoke_program_build(t->device, &source, &program));
    CHECK_TEXT(yoke_program_get_build_log(), "my own message");
    suite_works(t);
    yoke_program_release(t->saxpy); /* so that the build is done again: a success has a log of its own */
    t->saxpy = NULL;
    suite_works(t);
    CHECK(!strstr(yoke_program_get_build_log(), "my own message"));
}

static void *build_in_thread(void *user)
{
    suite *t = user;
    const char *defines[] = { "VALUE=7", NULL };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;

    CHECK(yoke_program_get_build_log()[0] == '\0');
    source.cuda = define_cuda;
    source.opencl = define_opencl;
    source.defines = defines;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(yoke_program_build(t->device, &source, &program));
        yoke_program_release(program);
    }
    source.defines = NULL; /* VALUE is not defined */
    CHECK_FAILS(YOKE_E_BUILD, "VALUE", yoke_program_build(t->device, &source, &program));
    CHECK_TEXT(yoke_program_get_build_log(), "VALUE");
    return NULL;
}

static void several_threads_build(suite *t)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, build_in_thread, t) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void released_in_use(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *spin = NULL;
    guarded out = { 0 };
    const uint32_t rounds = 8000;

    source.cuda = main_cuda;
    source.opencl = main_opencl;
    NEED(guarded_create(t, 2 * sizeof(uint32_t), &out));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK(yoke_program_retain(program) == program);
    yoke_program_release(program);
    NEED_OK(yoke_kernel_get(program, "spin", &spin));
    for (uint32_t i = 1; i <= 3; i++)
        NEED_OK(yoke_launch(t->stream, spin, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer, i, rounds)));
    yoke_program_release(program);
    program = NULL;
    NEED_OK(yoke_stream_wait(t->stream));
    uint32_t wanted[2] = { 3, spin_result(3, rounds) };
    guarded_check(t, &out, wanted);
    CHECK(yoke_program_retain(NULL) == NULL);
    yoke_program_release(NULL);
out:
    yoke_program_release(program);
    guarded_release(&out);
}

/* Bit for bit what the host computes: correctly rounded, never fused, subnormals kept. */
static void exact_floats(suite *t)
{
    enum { N = 4000 };
    float *a = memory_new(N * 4), *b = memory_new(N * 4), *wanted = memory_new(3 * N * 4);
    yoke_kernel *kernel = suite_kernel(t, "arithmetic");
    guarded out[3] = { { 0 } }, in[2] = { { 0 } };

    if (!suite_can(t, YOKE_CAP_EXACT_FP32)) {
        suite_skip("float is not exact: %s", yoke_device_lacks(t->device, YOKE_CAP_EXACT_FP32));
        goto out;
    }
    fill_random_floats(a, N, 21);
    fill_random_floats(b, N, 22);
    for (int i = 0; i < N; i++) {
        if (i % 4 == 1)
            a[i] *= FLT_MIN; /* subnormal */
        if (i % 4 == 2)
            a[i] *= 1e30f;
        volatile float product = a[i] * b[i]; /* no fused multiply-add here either */
        wanted[i] = a[i] / b[i];
        wanted[N + i] = sqrtf(fabsf(a[i]));
        wanted[2 * N + i] = product + a[i];
    }
    for (int i = 0; i < 3; i++)
        NEED(guarded_create(t, N * 4, &out[i]));
    NEED(guarded_create(t, N * 4, &in[0]) && guarded_create(t, N * 4, &in[1]));
    NEED(guarded_write(t, &in[0], a) && guarded_write(t, &in[1], b));
    NEED_OK(yoke_launch_n(t->stream, kernel, N,
                          YOKE_ARGS(out[0].buffer, out[1].buffer, out[2].buffer, in[0].buffer, in[1].buffer, (int32_t)N)));
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < 3; i++)
        CHECK(guarded_check(t, &out[i], wanted + i * N));
out:
    for (int i = 0; i < 3; i++)
        guarded_release(&out[i]);
    guarded_release(&in[0]);
    guarded_release(&in[1]);
    memory_free(wanted);
    memory_free(b);
    memory_free(a);
}

/* The kernel, built with this arithmetic: quotients and a * b + a of `count` pairs. */
static bool compute(suite *t, int32_t math, const float *a, const float *b, int count, float *quotients, float *sums)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded buffers[5] = { { 0 } };
    bool done = false;

    source.cuda = main_cuda;
    source.opencl = main_opencl;
    source.math = math;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "arithmetic", &kernel));
    for (int i = 0; i < 5; i++)
        NEED(guarded_create(t, (size_t)count * sizeof *a, &buffers[i]));
    NEED(guarded_write(t, &buffers[3], a) && guarded_write(t, &buffers[4], b));
    NEED_OK(yoke_launch_n(
        t->stream, kernel, (size_t)count,
        YOKE_ARGS(buffers[0].buffer, buffers[1].buffer, buffers[2].buffer, buffers[3].buffer, buffers[4].buffer, (int32_t)count)));
    NEED_OK(yoke_stream_wait(t->stream));
    done = guarded_read(t, &buffers[0], quotients) && guarded_read(t, &buffers[2], sums);
out:
    for (int i = 0; i < 5; i++)
        guarded_release(&buffers[i]);
    yoke_program_release(program);
    return CHECK(done);
}

static void fast_math(suite *t)
{
    enum { N = 500 };
    float a[N], b[N], got[N], sums[N];
    fill_random_floats(a, N, 23);
    fill_random_floats(b, N, 24);
    bool good = compute(t, YOKE_MATH_FAST, a, b, N, got, sums);
    for (int i = 0; i < N && good; i++)
        good = CHECK(fabsf(got[i] - a[i] / b[i]) <= 1e-4f * fabsf(a[i] / b[i]));
}

/* A GPU can; the CUDA double, where the host's processor can. */
static bool can_fuse(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

/* By default a * b + a is rounded once or twice, as the language's compiler likes: nvcc's, once. Exact, it is rounded twice. */
static void default_math(suite *t)
{
    enum { N = 500 };
    float a[N], b[N], quotients[N], plain[N], exact[N];
    int fused = 0;
    fill_random_floats(a, N, 25);
    fill_random_floats(b, N, 26);
    bool good = compute(t, YOKE_MATH_DEFAULT, a, b, N, quotients, plain) && compute(t, YOKE_MATH_EXACT, a, b, N, quotients, exact);
    for (int i = 0; i < N && good; i++) {
        volatile float product = a[i] * b[i], twice = product + a[i];
        good = CHECK(exact[i] == twice && (plain[i] == twice || plain[i] == fmaf(a[i], b[i], a[i])));
        fused += plain[i] != twice;
    }
    if (strcmp(t->info.backend, "cuda") == 0 && good && can_fuse())
        CHECK(fused > 0);
    tap_diag("%d of %d sums are fused by default", fused, N);
}

/* With the capability it works; without it the compiler refuses, and does not compute something else. */
static void doubles(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded out = { 0 };
    double x = 0x1.123456789abcdp-3, wanted[2] = { x / 3.0, x + 1e-15 };

    source.name = "doubles";
    source.cuda = "extern \"C\" __global__ void doubles(double *out, double x) { out[0] = x / 3.0; out[1] = x + 1e-15; }\n";
    source.opencl = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                    "__kernel void doubles(__global double *out, double x) { out[0] = x / 3.0; out[1] = x + 1e-15; }\n";
    if (!suite_can(t, YOKE_CAP_FP64)) {
        CHECK_STATUS(YOKE_E_BUILD, yoke_program_build(t->device, &source, &program));
        yoke_program_release(program);
        return;
    }
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "doubles", &kernel));
    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer, x)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
out:
    guarded_release(&out);
    yoke_program_release(program);
}

static void wide_atomics(suite *t)
{
    enum { N = 5000 };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded sum = { 0 };
    uint64_t start = UINT32_MAX, wanted = start + (uint64_t)N * 3000000000u;

    source.name = "wide atomics";
    source.cuda = "extern \"C\" __global__ void wide(unsigned long long *sum, int n)\n"
                  "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(sum, 3000000000ull); }\n";
    source.opencl = "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                    "__kernel void wide(__global ulong *sum, int n)\n"
                    "{ int i = get_global_id(0); if (i < n) atom_add(sum, 3000000000ul); }\n";
    if (!suite_can(t, YOKE_CAP_INT64_ATOMICS)) {
        suite_skip("no 64-bit atomics: %s", yoke_device_lacks(t->device, YOKE_CAP_INT64_ATOMICS));
        return;
    }
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "wide", &kernel));
    NEED(guarded_create(t, sizeof wanted, &sum));
    NEED(guarded_write(t, &sum, &start));
    NEED_OK(yoke_launch_n(t->stream, kernel, N, YOKE_ARGS(sum.buffer, (int32_t)N)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &sum, &wanted);
out:
    guarded_release(&sum);
    yoke_program_release(program);
}

static void own_sources(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;

    NEED_OK(yoke_source_builtin("saxpy", &source));
    CHECK(source.size == sizeof source && source.cuda && source.opencl && source.name);
    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK_OK(yoke_kernel_get(program, "saxpy", &kernel));
    CHECK_FAILS(YOKE_E_NOT_FOUND, "saxpi|saxpy", yoke_source_builtin("saxpi", &source));
    CHECK(source.cuda == NULL && source.opencl == NULL);
out:
    yoke_program_release(program);
}

/* The newest that the device has is more than this program needs; one that does not exist is refused. */
static void language_version(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    const char *defines[] = { "VALUE=1", NULL };
    yoke_program *program = NULL;

    if (is_cuda(t)) {
        suite_skip("OpenCL's own");
        return;
    }
    source.opencl = "__kernel void version(__global int *out) { out[0] = __OPENCL_C_VERSION__; }\n";
    CHECK_OK(yoke_program_build(t->device, &source, &program));
    gives_ints(t, program, "version", (int32_t[]){ 120 }, 1);
    yoke_program_release(program);
    program = NULL;
    source.opencl = define_opencl;
    source.defines = defines;
    source.opencl_std = "1.1";
    CHECK_OK(yoke_program_build(t->device, &source, &program));
    yoke_program_release(program);
    source.opencl_std = "47.11";
    yoke_status status = yoke_program_build(t->device, &source, &program);
    CHECK(status == YOKE_E_BUILD || status == YOKE_E_INVALID_ARGUMENT || status == YOKE_E_UNSUPPORTED);
    CHECK_TEXT(yoke_error()->text, "47.11");
    CHECK(program == NULL);
}

/* What was said of the program "told": the numbers of the messages, from 1. */
typedef struct told {
    unsigned count, before, after;
} told;

static void hear_of_told(int level, const char *text, void *user)
{
    told *t = user;

    t->count++;
    if (level == YOKE_LOG_INFO && suite_has_words(text, "'told'|is being compiled"))
        t->before = t->count;
    else if (level == YOKE_LOG_INFO && suite_has_words(text, "'told'|is compiled"))
        t->after = t->count;
}

/* Compilers take seconds: whoever listens hears of a compilation before it begins, and again when it has ended. */
static void told_before(suite *t)
{
    char fresh[64];
    const char *defines[] = { fresh, NULL };
    told heard = { 0 };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;

    snprintf(fresh, sizeof fresh, "FRESH=%.0f", 1e9 * suite_now()); /* in no cache */
    source.name = "told";
    source.defines = defines;
    source.cuda = "extern \"C\" __global__ void told(int *x)\n{\n    *x = 1;\n}\n";
    source.opencl = "__kernel void told(__global int *x)\n{\n    *x = 1;\n}\n";
    yoke_log_set(YOKE_LOG_INFO, hear_of_told, &heard);
    CHECK_OK(yoke_program_build(t->device, &source, &program));
    suite_log_here();
    CHECK(heard.before > 0 && heard.before < heard.after);
    yoke_program_release(program);
}

int main(void)
{
    static const suite_case cases[] = {
        { "defines", defines, false },
        { "only its own twin is compiled", own_twin_only, false },
        { "the log of a failure reaches the caller", log_of_a_failure, false },
        { "its kernels' names", names_of_kernels, false },
        { "a compilation is told of before it begins", told_before, false },
        { "several threads build at once", several_threads_build, false },
        { "released while its kernels run", released_in_use, false },
        { "float arithmetic is exact", exact_floats, false },
        { "fast math compiles, and is near", fast_math, false },
        { "by default, the language's own arithmetic", default_math, false },
        { "double", doubles, false },
        { "64-bit atomics", wide_atomics, false },
        { "Yoke's own sources", own_sources, false },
        { "the version of OpenCL C", language_version, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "program test";
    source.math = YOKE_MATH_EXACT;
    source.cuda = main_cuda;
    source.opencl = main_opencl;
    return SUITE_MAIN(cases, &source);
}
