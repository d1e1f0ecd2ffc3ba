/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yoke_matmul by Yoke's own kernels beside the best that there is on the device, by turns: cuBLAS on NVIDIA's GPUs, with either
 * backend, OpenBLAS on CPUs, each opened at run time. A peer that is not there is left out. Elements are random, in [0, 1), for
 * both: a GPU draws less power, and is faster, on constant ones. On CUDA matmul_default_NAME is the same product by cuBLAS through
 * Yoke, which is what yoke_matmul does there, and matmul_default_call_NAME the host's time of such a call: .above is the price.
 *
 * --part NAME measures only the rows whose names begin so; --part M,N,K measures that product of floats; --part vendor:NAME only
 * with vendors' libraries; --part cliffs looks for shapes that are much slower than their neighbours.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/half.h>
#include <yoke/ops.h>

#include "bench.h"

#define ENOUGH 4e6 /* nanoseconds of a batch */

enum { CALLS = 50 }; /* of a batch in which calls alone are timed: fewer than a driver's queue holds */

typedef struct row {
    const char *name;
    int32_t in, out; /* dtypes */
    int64_t m, n, k, batch;
    bool a_transposed, b_transposed;
} row;

static const row rows[] = {
    { "f32_64", YOKE_F32, YOKE_F32, 64, 64, 64, 1, false, false },
    { "f32_128", YOKE_F32, YOKE_F32, 128, 128, 128, 1, false, false },
    { "f32_256", YOKE_F32, YOKE_F32, 256, 256, 256, 1, false, false },
    { "f32_512", YOKE_F32, YOKE_F32, 512, 512, 512, 1, false, false },
    { "f32_1000", YOKE_F32, YOKE_F32, 1000, 1000, 1000, 1, false, false },
    { "f32_1024", YOKE_F32, YOKE_F32, 1024, 1024, 1024, 1, false, false },
    { "f32_1024_transposed", YOKE_F32, YOKE_F32, 1024, 1024, 1024, 1, false, true },
    { "f32_2048", YOKE_F32, YOKE_F32, 2048, 2048, 2048, 1, false, false },
    { "f32_4096", YOKE_F32, YOKE_F32, 4096, 4096, 4096, 1, false, false },
    { "f32_4096_a_transposed", YOKE_F32, YOKE_F32, 4096, 4096, 4096, 1, true, false },
    { "f32_4096_b_transposed", YOKE_F32, YOKE_F32, 4096, 4096, 4096, 1, false, true },
    { "f32_4095", YOKE_F32, YOKE_F32, 4095, 4095, 4095, 1, false, false },
    { "f32_8192", YOKE_F32, YOKE_F32, 8192, 8192, 8192, 1, false, false },
    { "f32_tall", YOKE_F32, YOKE_F32, 8192, 16, 8192, 1, false, false },
    { "f32_wide", YOKE_F32, YOKE_F32, 16, 8192, 8192, 1, false, false },
    { "f32_deep", YOKE_F32, YOKE_F32, 64, 64, 65536, 1, false, false },
    { "f32_thin", YOKE_F32, YOKE_F32, 4096, 4096, 16, 1, false, false },
    { "f32_vector", YOKE_F32, YOKE_F32, 8192, 1, 8192, 1, false, false },
    { "f32_vector_transposed", YOKE_F32, YOKE_F32, 8192, 1, 8192, 1, true, false },
    { "f32_batch", YOKE_F32, YOKE_F32, 32, 32, 32, 4096, false, false },
    { "f64_512", YOKE_F64, YOKE_F64, 512, 512, 512, 1, false, false },
    { "f64_2048", YOKE_F64, YOKE_F64, 2048, 2048, 2048, 1, false, false },
    { "f64_4096", YOKE_F64, YOKE_F64, 4096, 4096, 4096, 1, false, false },
    { "f16_512", YOKE_F16, YOKE_F32, 512, 512, 512, 1, false, false },
    { "f16_2048", YOKE_F16, YOKE_F32, 2048, 2048, 2048, 1, false, false },
    { "f16_4096", YOKE_F16, YOKE_F32, 4096, 4096, 4096, 1, false, false },
    { "f16_4096_a_transposed", YOKE_F16, YOKE_F32, 4096, 4096, 4096, 1, true, false },
    { "f16_4096_b_transposed", YOKE_F16, YOKE_F32, 4096, 4096, 4096, 1, false, true },
    { "f16_1024", YOKE_F16, YOKE_F32, 1024, 1024, 1024, 1, false, false },
    { "f16_8192", YOKE_F16, YOKE_F32, 8192, 8192, 8192, 1, false, false },
};

/* ---- Yoke ---- */

typedef struct work {
    yoke_stream *stream;
    yoke_array a, b, c;
    yoke_matmul_options options;
    bool calls; /* only these are timed */
} work;

static yoke_array make(yoke_stream *stream, int32_t dtype, int64_t batch, int64_t m, int64_t n, bool transposed)
{
    yoke_array x;
    int64_t shape[] = { batch, transposed ? n : m, transposed ? m : n };
    measure_must(yoke_array_create(yoke_stream_get_device(stream), dtype, 3, shape, &x));
    measure_must(
        yoke_map(stream, "h = (uint64)i * 0x9e3779b97f4a7c15; h ^= h >> 29; x = (float)(h >> 40) / 16777216.0", YOKE_VARS(x)));
    return transposed ? yoke_array_transpose(x, (const int32_t[]){ 0, 2, 1 }) : x;
}

static double run_yoke(const measure_batch *batch)
{
    work *w = batch->self;
    double start = measure_now();
    for (int i = 0; i < batch->count; i++)
        measure_must(yoke_matmul(w->stream, &w->c, &w->a, &w->b, &w->options));
    double called = measure_now() - start;
    measure_must(yoke_stream_wait(w->stream));
    return w->calls ? called : measure_now() - start;
}

/* ---- Peers: what a library computes, column by column, as bᵀ · aᵀ ---- */

typedef struct peer_work {
    const row *row;
    void *host[3];
    unsigned long long device[3];
    bool calls; /* only these are timed */
} peer_work;

static struct {
    void (*sgemm)(int order, int a_transposed, int b_transposed, int m, int n, int k, float alpha, const float *a, int a_pitch,
                  const float *b, int b_pitch, float beta, float *c, int c_pitch);
    void (*dgemm)(int order, int a_transposed, int b_transposed, int m, int n, int k, double alpha, const double *a, int a_pitch,
                  const double *b, int b_pitch, double beta, double *c, int c_pitch);
} openblas;

typedef int (*cublas_gemm_fn)(void *handle, int a_transposed, int b_transposed, int m, int n, int k, const void *alpha,
                              unsigned long long a, int a_pitch, unsigned long long b, int b_pitch, const void *beta,
                              unsigned long long c, int c_pitch);

static struct {
    int (*allocate)(unsigned long long *out, size_t size), (*release)(unsigned long long memory), (*synchronize)(void);
    int (*write)(unsigned long long memory, const void *host, size_t size);
    cublas_gemm_fn sgemm, dgemm;
    int (*gemm_ex)(void *handle, int a_transposed, int b_transposed, int m, int n, int k, const void *alpha, unsigned long long a,
                   int a_type, int a_pitch, unsigned long long b, int b_type, int b_pitch, const void *beta, unsigned long long c,
                   int c_type, int c_pitch, int compute, int algorithm);
    void *handle;
} cublas;

static void *open_first(const char *const *names)
{
    void *library = NULL;
    for (; !library && *names; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

static void open_openblas(void)
{
    /* Or its threads go on spinning when their product is done, and take the cores from Yoke's turn, which follows. */
    setenv("OPENBLAS_THREAD_TIMEOUT", "4", 0);
#if defined(__x86_64__)
    /* What does not know a processor, as virtual ones are not known, takes it for one of 2004. */
    if (__builtin_cpu_supports("avx512bw") || __builtin_cpu_supports("avx2"))
        setenv("OPENBLAS_CORETYPE", __builtin_cpu_supports("avx512bw") ? "SkylakeX" : "Haswell", 0);
#endif
    void *library = open_first((const char *const[]){ "libopenblas.so.0", "libopenblas.so", NULL });
    if (!bench_find(library, "cblas_sgemm", &openblas.sgemm) || !bench_find(library, "cblas_dgemm", &openblas.dgemm))
        fprintf(stderr, "# OpenBLAS is left out: it is not there\n");
}

/* The device's primary context, which Yoke uses too on CUDA. Halves are summed as floats, as Yoke has them summed. */
static void open_cublas(int ordinal)
{
    enum { DISALLOW_REDUCED_PRECISION_REDUCTION = 16 };
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *library = open_first((const char *const[]){ "libcublas.so.13", "libcublas.so.12", "libcublas.so.11", NULL });
    int (*initialize)(unsigned) = NULL, (*get)(int *, int) = NULL, (*retain)(void **, int) = NULL, (*use)(void *) = NULL;
    int (*create)(void **) = NULL, (*set_mode)(void *, int) = NULL, device;
    void *context;
    bool there = bench_find(driver, "cuInit", &initialize) && bench_find(driver, "cuDeviceGet", &get) &&
                 bench_find(driver, "cuDevicePrimaryCtxRetain", &retain) && bench_find(driver, "cuCtxSetCurrent", &use) &&
                 bench_find(driver, "cuMemAlloc_v2", &cublas.allocate) && bench_find(driver, "cuMemFree_v2", &cublas.release) &&
                 bench_find(driver, "cuCtxSynchronize", &cublas.synchronize) &&
                 bench_find(driver, "cuMemcpyHtoD_v2", &cublas.write) && bench_find(library, "cublasCreate_v2", &create) &&
                 bench_find(library, "cublasSetMathMode", &set_mode) && bench_find(library, "cublasSgemm_v2", &cublas.sgemm) &&
                 bench_find(library, "cublasDgemm_v2", &cublas.dgemm) && bench_find(library, "cublasGemmEx", &cublas.gemm_ex);
    if (!there || initialize(0) || get(&device, ordinal) || retain(&context, device) || use(context) || create(&cublas.handle) ||
        set_mode(cublas.handle, DISALLOW_REDUCED_PRECISION_REDUCTION)) {
        cublas.handle = NULL;
        fprintf(stderr, "# cuBLAS is left out: it is not there\n");
    }
}

static int call_cublas(const peer_work *p)
{
    enum { R_32F = 0, R_16F = 2, COMPUTE_32F = 68, GEMM_DEFAULT = -1 };
    const row *r = p->row;
    const float one = 1, zero = 0;
    const double wide_one = 1, wide_zero = 0;
    const unsigned long long *x = p->device;
    bool ta = r->a_transposed, tb = r->b_transposed;
    int m = (int)r->m, n = (int)r->n, k = (int)r->k, a_pitch = ta ? m : k, b_pitch = tb ? k : n;
    if (r->in == YOKE_F64)
        return cublas.dgemm(cublas.handle, tb, ta, n, m, k, &wide_one, x[1], b_pitch, x[0], a_pitch, &wide_zero, x[2], n);
    if (r->in == YOKE_F32)
        return cublas.sgemm(cublas.handle, tb, ta, n, m, k, &one, x[1], b_pitch, x[0], a_pitch, &zero, x[2], n);
    return cublas.gemm_ex(cublas.handle, tb, ta, n, m, k, &one, x[1], R_16F, b_pitch, x[0], R_16F, a_pitch, &zero, x[2], R_32F, n,
                          COMPUTE_32F, GEMM_DEFAULT);
}

static void call_openblas(const peer_work *p)
{
    enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 };
    const row *r = p->row;
    int m = (int)r->m, n = (int)r->n, k = (int)r->k, a_pitch = r->a_transposed ? m : k, b_pitch = r->b_transposed ? k : n;
    int ta = r->a_transposed ? TRANSPOSE : NO_TRANSPOSE, tb = r->b_transposed ? TRANSPOSE : NO_TRANSPOSE;
    if (r->in == YOKE_F64)
        openblas.dgemm(ROW_MAJOR, ta, tb, m, n, k, 1, p->host[0], a_pitch, p->host[1], b_pitch, 0, p->host[2], n);
    else
        openblas.sgemm(ROW_MAJOR, ta, tb, m, n, k, 1, p->host[0], a_pitch, p->host[1], b_pitch, 0, p->host[2], n);
}

static double run_peer(const measure_batch *batch)
{
    const peer_work *p = batch->self;
    double start = measure_now();
    for (int i = 0; i < batch->count; i++)
        if (p->host[0])
            call_openblas(p);
        else if (call_cublas(p))
            measure_fail("cuBLAS", "a product failed");
    double called = measure_now() - start;
    if (!p->host[0])
        cublas.synchronize();
    return p->calls ? called : measure_now() - start;
}

/* Random numbers in [0, 1). */
static void randomize(void *memory, int32_t dtype, size_t count)
{
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        float value = (float)(state >> 40) / 16777216;
        if (dtype == YOKE_F64)
            ((double *)memory)[i] = value;
        else if (dtype == YOKE_F16)
            ((yoke_half *)memory)[i] = yoke_half_from(value);
        else
            ((float *)memory)[i] = value;
    }
}

/* Memory of the device with random numbers, by a piece that is repeated. */
static unsigned long long make_random(int32_t dtype, size_t count)
{
    enum { PIECE = 1 << 20 };
    size_t size = yoke_dtype_get_size(dtype), piece = count < PIECE ? count : PIECE;
    unsigned long long memory;
    void *numbers = malloc(piece * size);
    if (!numbers || cublas.allocate(&memory, count * size))
        measure_fail("cuMemAlloc", "no memory for cuBLAS");
    randomize(numbers, dtype, piece);
    for (size_t i = 0; i < count; i += piece)
        if (cublas.write(memory + i * size, numbers, (count - i < piece ? count - i : piece) * size))
            measure_fail("cuMemcpyHtoD", "cuBLAS gets no numbers");
    free(numbers);
    return memory;
}

static bool begin_peer(peer_work *p, const row *r, bool is_cpu)
{
    const size_t sizes[] = { (size_t)(r->m * r->k), (size_t)(r->k * r->n), (size_t)(r->m * r->n) };
    *p = (peer_work){ .row = r };
    if (r->batch > 1 || (is_cpu ? r->in == YOKE_F16 || !openblas.sgemm || !openblas.dgemm : !cublas.handle))
        return false;
    for (int i = 0; i < 3; i++) {
        int32_t dtype = i < 2 ? r->in : r->out;
        if (!is_cpu) {
            p->device[i] = make_random(dtype, sizes[i]);
            continue;
        }
        p->host[i] = malloc(sizes[i] * yoke_dtype_get_size(dtype));
        if (!p->host[i])
            measure_fail("malloc", "no memory for OpenBLAS");
        randomize(p->host[i], dtype, sizes[i]);
    }
    return true;
}

static void end_peer(peer_work *p)
{
    for (int i = 0; i < 3; i++) {
        free(p->host[i]);
        if (p->device[i])
            cublas.release(p->device[i]);
    }
}

/* ---- Measuring ---- */

/* With vendors' libraries: what a product costs above the library's, in all and of the host. */
static void measure_default(const char *prefix, work *w, peer_work *p, measure_pair *pair)
{
    char name[96];
    snprintf(name, sizeof name, "matmul_default_%s", p->row->name);
    bench_compare_above(prefix, name, pair, pair->batch[MEASURE_YOKE].count, "us");
    w->calls = p->calls = true;
    pair->batch[MEASURE_YOKE].count = pair->batch[MEASURE_RAW].count = CALLS;
    snprintf(name, sizeof name, "matmul_default_call_%s", p->row->name);
    bench_compare_above(prefix, name, pair, CALLS, "us");
}

static void measure_row(const char *prefix, const row *r, yoke_stream *stream, bool is_cpu, bool vendor)
{
    work w = { .stream = stream, .options = YOKE_MATMUL_OPTIONS_INIT };
    peer_work p;
    measure_pair pair = { 0 };
    char name[64];
    double flops = 2.0 * (double)r->m * (double)r->n * (double)r->k * (double)r->batch;
    w.a = make(stream, r->in, r->batch, r->m, r->k, r->a_transposed);
    w.b = make(stream, r->in, r->batch, r->k, r->n, r->b_transposed);
    w.c = make(stream, r->out, r->batch, r->m, r->n, false);
    w.options.flags = vendor ? 0 : YOKE_MATMUL_EXACT;
    pair.batch[MEASURE_YOKE] = (measure_batch){ .self = &w, .run = run_yoke, .count = 1 };
    run_yoke(&pair.batch[MEASURE_YOKE]);
    double once = run_yoke(&pair.batch[MEASURE_YOKE]);
    int count = once < ENOUGH / 1000 ? 1000 : once > ENOUGH ? 1 : (int)(ENOUGH / once);
    pair.batch[MEASURE_YOKE].count = count;
    if (begin_peer(&p, r, is_cpu)) {
        pair.batch[MEASURE_RAW] = (measure_batch){ .self = &p, .run = run_peer, .count = count };
        run_peer(&pair.batch[MEASURE_RAW]);
    }
    snprintf(name, sizeof name, "matmul_%s", r->name);
    if (vendor)
        measure_default(prefix, &w, &p, &pair);
    else
        bench_compare_speed(prefix, name, &pair, flops * count, "GFLOP/s");
    end_peer(&p);
    yoke_buffer_release(w.c.buffer);
    yoke_buffer_release(w.b.buffer);
    yoke_buffer_release(w.a.buffer);
}

/* Yoke's own kernels, and then the default where that is another: on CUDA, if cuBLAS is there. */
static void measure_both(const yoke_device_info *info, const row *r, yoke_stream *stream, bool only_vendor)
{
    bool is_cpu = info->kind == YOKE_DEVICE_CPU;
    if (!only_vendor)
        measure_row(info->backend, r, stream, is_cpu, false);
    if (only_vendor || (cublas.handle && strcmp(info->backend, "cuda") == 0))
        measure_row(info->backend, r, stream, is_cpu, true);
}

/* ---- Cliffs ---- */

/* Skinny and odd shapes, and those where something changes: vectors, slices, tiles. */
static const int64_t edges[][3] = {
    { 1, 1, 8192 },      { 1, 8192, 64 },    { 2, 8192, 1024 },  { 8192, 2, 1024 },  { 3, 5, 8191 },
    { 7, 4096, 512 },    { 4096, 7, 512 },   { 16, 4096, 1024 }, { 4096, 17, 1024 }, { 33, 33, 33 },
    { 33, 2048, 511 },   { 64, 64, 8192 },   { 65, 65, 512 },    { 97, 129, 1000 },  { 127, 127, 127 },
    { 200, 24, 3000 },   { 255, 257, 256 },  { 500, 500, 2 },    { 511, 513, 64 },   { 640, 640, 511 },
    { 1000, 1000, 100 }, { 1023, 1023, 17 }, { 2048, 31, 31 },   { 4096, 4096, 1 },  { 4096, 4096, 3 },
};

enum { NEIGHBOURS = 6, CLIFF_ROUNDS = 9 };

/* A shape on its way: how many products a batch has, and the nanoseconds of a product in the fastest batch. */
typedef struct walker {
    int64_t m, n, k;
    work w;
    measure_batch batch;
    double least;
} walker;

static void begin_walker(walker *x, yoke_stream *stream)
{
    x->w = (work){ .stream = stream, .options = YOKE_MATMUL_OPTIONS_INIT };
    x->w.a = make(stream, YOKE_F32, 1, x->m, x->k, false);
    x->w.b = make(stream, YOKE_F32, 1, x->k, x->n, false);
    x->w.c = make(stream, YOKE_F32, 1, x->m, x->n, false);
    x->w.options.flags = YOKE_MATMUL_EXACT;
    x->batch = (measure_batch){ .self = &x->w, .run = run_yoke, .count = 1 };
    run_yoke(&x->batch);
    x->least = run_yoke(&x->batch);
    x->batch.count = x->least < ENOUGH / 1000 ? 1000 : x->least > ENOUGH ? 1 : (int)(ENOUGH / x->least);
}

static void end_walker(walker *x)
{
    yoke_buffer_release(x->w.c.buffer);
    yoke_buffer_release(x->w.b.buffer);
    yoke_buffer_release(x->w.a.buffer);
}

static double rate_of(const walker *x)
{
    return (double)x->m * (double)x->n * (double)x->k / x->least;
}

/* By turns, and of each the fastest batch: other work on the machine only slows down. Returns the speed over the best neighbour's.
 */
static double measure_cliff(const int64_t edge[3], yoke_stream *stream)
{
    walker all[1 + NEIGHBOURS];
    double best = 0;
    int count = 0;
    for (int j = -1; j < NEIGHBOURS; j++) {
        int64_t shape[3] = { edge[0], edge[1], edge[2] };
        if (j >= 0)
            shape[j / 2] += j % 2 ? 1 : -1;
        if (j >= 0 && (shape[j / 2] == 0 || shape[j / 2] > 8192))
            continue;
        all[count] = (walker){ .m = shape[0], .n = shape[1], .k = shape[2] };
        begin_walker(&all[count++], stream);
    }
    for (int round = 0; round < CLIFF_ROUNDS; round++)
        for (int i = 0; i < count; i++) {
            double time = run_yoke(&all[i].batch) / all[i].batch.count;
            all[i].least = time < all[i].least ? time : all[i].least;
        }
    for (int i = 0; i < count; i++) {
        best = i > 0 && rate_of(&all[i]) > best ? rate_of(&all[i]) : best;
        end_walker(&all[i]);
    }
    return rate_of(&all[0]) / best;
}

/* The speed of each shape over the best of its neighbours, in which one extent is 1 more or less; and the worst of all. */
static void measure_cliffs(const char *prefix, yoke_stream *stream)
{
    double worst = 1e9;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        double ratio = measure_cliff(edges[i], stream);
        char name[96];
        worst = ratio < worst ? ratio : worst;
        snprintf(name, sizeof name, "matmul_cliff_%lld_%lld_%lld", (long long)edges[i][0], (long long)edges[i][1],
                 (long long)edges[i][2]);
        bench_print(prefix, name, ratio, "of_neighbours");
    }
    bench_print(prefix, "matmul_cliff_worst", worst, "of_neighbours");
}

static void measure_device(yoke_device *device, const yoke_device_info *info)
{
    static const char vendor_mark[] = "vendor:";
    const char *part = bench_option.part ? bench_option.part : "";
    bool is_cpu = info->kind == YOKE_DEVICE_CPU, vendor = strncmp(part, vendor_mark, strlen(vendor_mark)) == 0;
    double most = is_cpu ? 2.2e9 : 1e13;
    long long m, n, k;
    yoke_stream *stream;
    part += vendor ? strlen(vendor_mark) : 0;
    if (is_cpu)
        open_openblas();
    else if (strstr(info->name, "NVIDIA"))
        open_cublas(info->index);
    if (!is_cpu) /* as the peer waits */
        measure_must(yoke_device_set_wait(device, YOKE_WAIT_SPIN));
    measure_must(yoke_stream_create(device, NULL, &stream));
    if (strcmp(part, "cliffs") == 0) {
        measure_cliffs(info->backend, stream);
    } else if (sscanf(part, "%lld,%lld,%lld", &m, &n, &k) == 3) {
        row asked = { part, YOKE_F32, YOKE_F32, m, n, k, 1, false, false };
        measure_both(info, &asked, stream, vendor);
    } else {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            const row *r = &rows[i];
            bool has = r->in != YOKE_F64 || yoke_device_supports(device, YOKE_CAP_FP64);
            if (has && strncmp(r->name, part, strlen(part)) == 0 &&
                2.0 * (double)r->m * (double)r->n * (double)r->k * (double)r->batch <= most)
                measure_both(info, r, stream, vendor);
        }
    }
    yoke_stream_release(stream);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "matmul", "Products of matrices beside cuBLAS, or beside OpenBLAS.", measure_device);
}
