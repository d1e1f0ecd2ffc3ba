/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations of libyoke-ops beside the best that there is on the device, by turns: CUB on NVIDIA's GPUs, with either backend
 * (bench/ops_cub.so), OpenMP loops and std::sort on CPUs (bench/ops_cpu.so). A peer that has not been built, or that lacks an
 * operation, is left out. Elements are random: floating-point numbers in [0, 1), integers of all values.
 *
 * --part NAME measures only operations whose names begin so; --part NAME:SIZES sets the sizes as exponents of 2, as sum:10-28.
 * --part curves goes through the sizes 2^10 to 2^28 of types of 1 to 8 bytes; bench/ops_curves.py draws what it prints.
 * --part small and --part call measure arrays of 1,000 elements, beside a launch of a kernel that writes as many.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/ops.h>

#include "bench.h"
#include "ops_peer.h"

static double enough = 4e6; /* nanoseconds of a batch */

/* One operation on arrays of one size: Yoke's side. */
typedef struct work {
    yoke_stream *stream;
    yoke_array in, other, out, flags, count, bins, values;
    yoke_buffer *buffers[8];
    size_t buffer_count;
    const struct operation *operation;
    yoke_kernel *touch; /* of small arrays: the plain launch */
} work;

typedef struct operation {
    const char *name, *peer; /* the peer's name of the operation */
    int32_t dtype;           /* of the main curve */
    int exponent;            /* of the size, unless told */
    double peer_share;       /* a raw copy moves 2 bytes for each; what the operation moves beside it */
    yoke_status (*run)(work *w);
} operation;

static yoke_status run_add(work *w)
{
    return yoke_add(w->stream, &w->out, &w->in, &w->other);
}

static yoke_status run_axpy(work *w)
{
    yoke_array x = w->in, y = w->out;
    float a = 0.5f;
    return yoke_map(w->stream, "y = a * x + y", YOKE_VARS(x, y, a));
}

static yoke_status run_assign(work *w)
{
    return yoke_assign(w->stream, &w->out, &w->in);
}

static yoke_status run_sum(work *w)
{
    yoke_array out = yoke_array_nd(w->out.buffer, w->in.dtype, 0, NULL);
    return yoke_reduce(w->stream, YOKE_REDUCE_SUM, &out, &w->in, YOKE_ALL_AXES);
}

static yoke_status run_max(work *w)
{
    yoke_array out = yoke_array_nd(w->out.buffer, w->in.dtype, 0, NULL);
    return yoke_reduce(w->stream, YOKE_REDUCE_MAX, &out, &w->in, YOKE_ALL_AXES);
}

static yoke_status run_argmax(work *w)
{
    return yoke_reduce(w->stream, YOKE_REDUCE_ARGMAX, &w->count, &w->in, YOKE_ALL_AXES);
}

static yoke_status run_scan(work *w)
{
    return yoke_scan(w->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &w->out, &w->in, 0);
}

/* The sort is in place, so the input is copied first; the peer copies, too. */
static yoke_status run_sort(work *w)
{
    yoke_status status =
        yoke_copy(w->stream, w->out.buffer, 0, w->in.buffer, 0, (size_t)w->in.shape[0] * yoke_dtype_get_size(w->in.dtype));
    return status < 0 ? status : yoke_sort(w->stream, YOKE_SORT_ASCENDING, &w->out, NULL);
}

static yoke_status run_sort_pairs(work *w)
{
    yoke_status status =
        yoke_copy(w->stream, w->out.buffer, 0, w->in.buffer, 0, (size_t)w->in.shape[0] * yoke_dtype_get_size(w->in.dtype));
    return status < 0 ? status : yoke_sort(w->stream, YOKE_SORT_ASCENDING, &w->out, &w->values);
}

static yoke_status run_median(work *w)
{
    yoke_array out = yoke_array_1d(w->out.buffer, w->out.dtype, 1);
    const double half = 0.5;
    return yoke_quantile(w->stream, YOKE_QUANTILE_LINEAR, &out, &w->in, &half, 1, YOKE_ALL_AXES);
}

/* Half of the elements. */
static yoke_status run_select(work *w)
{
    yoke_array x = w->in;
    const char *text = x.dtype == YOKE_U8    ? "x < 0x80"
                       : x.dtype == YOKE_U16 ? "x < 0x8000"
                       : x.dtype == YOKE_U32 ? "x < 0x80000000"
                       : x.dtype == YOKE_F64 ? "x < 0.5"
                                             : "x < 0.5f";
    return yoke_select_where(w->stream, &w->out, &w->count, &w->in, text, YOKE_VARS(x));
}

static yoke_status run_select_flags(work *w)
{
    return yoke_select(w->stream, &w->out, &w->count, &w->in, &w->flags);
}

static yoke_status run_histogram(work *w)
{
    int64_t high = w->in.dtype == YOKE_U8 ? 256 : INT64_C(1) << 32;
    return yoke_histogram(w->stream, &w->bins, &w->in, YOKE_NUMBER(0), YOKE_NUMBER(high), NULL);
}

/* The largest square picture that an array has room for, whose side is a power of two. */
static yoke_array get_picture(const yoke_array *array)
{
    int64_t side = 1;
    while (4 * side * side <= array->shape[0])
        side *= 2;
    return yoke_array_2d(array->buffer, array->dtype, side, side);
}

/* Of sigma 3: 25 taps along both axes. */
static yoke_status run_gaussian(work *w)
{
    yoke_array in = get_picture(&w->in), out = get_picture(&w->out);
    return yoke_gaussian_filter(w->stream, &out, &in, (const double[]){ 3, 3 }, YOKE_AXES(0, 1), NULL);
}

/* Weights that are not separable. */
static yoke_status correlate(work *w, int64_t side)
{
    yoke_array in = get_picture(&w->in), out = get_picture(&w->out);
    double weights[49];
    for (int i = 0; i < 49; i++)
        weights[i] = (double)(i * i % 11) / 16;
    return yoke_correlate(w->stream, &out, &in, weights, (const int64_t[]){ side, side }, YOKE_AXES(0, 1), NULL);
}

static yoke_status run_correlate_3(work *w)
{
    return correlate(w, 3);
}

static yoke_status run_correlate_5(work *w)
{
    return correlate(w, 5);
}

/* The median of 3 x 3. */
static yoke_status run_median_3(work *w)
{
    yoke_array in = get_picture(&w->in), out = get_picture(&w->out);
    return yoke_rank_filter(w->stream, &out, &in, 4, (const int64_t[]){ 3, 3 }, NULL, YOKE_AXES(0, 1), NULL);
}

static yoke_status run_correlate_7(work *w)
{
    return correlate(w, 7);
}

static yoke_status run_random_normal(work *w)
{
    return yoke_random_normal(w->stream, &w->out, 0, 1, 1, 0, NULL);
}

static yoke_status run_random_uniform(work *w)
{
    return yoke_random_uniform(w->stream, &w->out, 0, 1, 1, 0, NULL);
}

static yoke_status run_random_integers(work *w)
{
    return yoke_random_integers(w->stream, &w->out, YOKE_NUMBER(0), YOKE_NUMBER(1000), 1, 0, NULL);
}

static yoke_status run_fft(work *w)
{
    return yoke_fft(w->stream, YOKE_FFT_FORWARD, &w->out, &w->in, YOKE_ALL_AXES, NULL);
}

/* As many transforms of 512 points as fit. */
static yoke_status run_fft_rows(work *w)
{
    yoke_array in = yoke_array_reshape(w->in, 2, (const int64_t[]){ -1, 512 });
    yoke_array out = yoke_array_reshape(w->out, 2, (const int64_t[]){ -1, 512 });
    return yoke_fft(w->stream, YOKE_FFT_FORWARD, &out, &in, YOKE_AXES(1), NULL);
}

/* Of rows of 4,096 elements, in one launch. The peer is a copy, which moves as much. */
static yoke_status run_softmax(work *w)
{
    yoke_array x = yoke_array_reshape(w->in, 2, (const int64_t[]){ -1, 4096 });
    yoke_array y = yoke_array_reshape(w->out, 2, (const int64_t[]){ -1, 4096 });
    return yoke_map_rows(w->stream, "e = exp(x - max(x)); y = e / sum(e)", YOKE_VARS(x, y), YOKE_AXES(1));
}

/* The same as four operations. */
static yoke_status run_softmax_steps(work *w)
{
    yoke_array x = yoke_array_reshape(w->in, 2, (const int64_t[]){ -1, 4096 });
    yoke_array y = yoke_array_reshape(w->out, 2, (const int64_t[]){ -1, 4096 });
    yoke_array m = yoke_array_slice(w->values, 0, 0, x.shape[0], 1);
    m = yoke_array_expand(m, 1);
    yoke_status status = yoke_reduce(w->stream, YOKE_REDUCE_MAX, &m, &x, YOKE_AXES(1));
    if (status == YOKE_OK)
        status = yoke_map(w->stream, "y = exp(x - m)", YOKE_VARS(y, x, m));
    if (status == YOKE_OK)
        status = yoke_reduce(w->stream, YOKE_REDUCE_SUM, &m, &y, YOKE_AXES(1));
    return status == YOKE_OK ? yoke_map(w->stream, "y = y / m", YOKE_VARS(y, m)) : status;
}

static const operation operations[] = {
    { "add", "copy", YOKE_F32, 26, 1.5, run_add },
    { "axpy", "copy", YOKE_F32, 26, 1.5, run_axpy },
    { "assign", "copy", YOKE_F32, 26, 1, run_assign },
    { "sum", "sum", YOKE_F32, 28, 1, run_sum },
    { "max", "max", YOKE_F32, 28, 1, run_max },
    { "argmax", "argmax", YOKE_F32, 28, 1, run_argmax },
    { "scan", "scan", YOKE_F32, 28, 1, run_scan },
    { "select", "select", YOKE_F32, 28, 1, run_select },
    { "select_flags", "select", YOKE_F32, 28, 1, run_select_flags },
    { "sort", "sort", YOKE_U32, 28, 1, run_sort },
    { "sort_pairs", "sort_pairs", YOKE_U32, 27, 1, run_sort_pairs },
    { "median", "median", YOKE_F32, 28, 1, run_median },
    { "histogram_u8", "histogram", YOKE_U8, 28, 1, run_histogram },
    { "histogram_u32", "histogram", YOKE_U32, 28, 1, run_histogram },
    { "gaussian", "gaussian", YOKE_F32, 24, 1, run_gaussian },
    { "gaussian", "gaussian", YOKE_U8, 24, 1, run_gaussian },
    { "correlate_3", "correlate_3", YOKE_F32, 26, 1, run_correlate_3 },
    { "correlate_5", "correlate_5", YOKE_F32, 26, 1, run_correlate_5 },
    { "correlate_7", "correlate_7", YOKE_F32, 26, 1, run_correlate_7 },
    { "median_3", "median_3", YOKE_F32, 26, 1, run_median_3 },
    { "median_3", "median_3", YOKE_U8, 26, 1, run_median_3 },
    { "random_normal", "random_normal", YOKE_F32, 28, 1, run_random_normal },
    { "random_normal", "random_normal", YOKE_F64, 27, 1, run_random_normal },
    { "random_uniform", "random_uniform", YOKE_F32, 28, 1, run_random_uniform },
    { "random_integers", "random_integers", YOKE_U32, 28, 1, run_random_integers },
    { "softmax", "copy", YOKE_F32, 24, 1, run_softmax },
    { "softmax_steps", "copy", YOKE_F32, 24, 1, run_softmax_steps },
    { "fft", "fft", YOKE_C64, 26, 1, run_fft },
    { "fft_rows", "fft_rows", YOKE_C64, 26, 1, run_fft_rows },
};

/* ---- Yoke's side ---- */

static yoke_array make(work *w, int32_t dtype, int64_t n)
{
    yoke_array array;
    measure_must(yoke_array_create(yoke_stream_get_device(w->stream), dtype, 1, &n, &array));
    w->buffers[w->buffer_count++] = array.buffer;
    return array;
}

/* The same numbers as the peers': a hash of the index. */
static void fill(work *w, int64_t n)
{
    yoke_array x = w->in;
    static const char *const hash = "h = (uint64)i * 0x9e3779b97f4a7c15; h ^= h >> 29; h *= 0xbf58476d1ce4e5b9; h ^= h >> 32; ";
    char text[256];
    snprintf(text, sizeof text, "%sx = %s", hash,
             x.dtype == YOKE_F32 || x.dtype == YOKE_F64 || x.dtype == YOKE_C64 ? "(float)(h >> 40) / 16777216.0" : "h");
    measure_must(yoke_map(w->stream, text, YOKE_VARS(x)));
    yoke_array f = w->flags;
    snprintf(text, sizeof text, "%sf = h >> 63", hash);
    measure_must(yoke_map(w->stream, text, YOKE_VARS(f)));
    (void)n;
}

static void reserve(work *w, const operation *o, int32_t dtype, int64_t n)
{
    w->operation = o;
    w->in = make(w, dtype, n);
    w->out = make(w, dtype, n);
    w->other = o->run == run_add ? make(w, dtype, n) : w->in;
    w->values = o->run == run_sort_pairs ? make(w, YOKE_U32, n) : o->run == run_softmax_steps ? make(w, YOKE_F32, n) : w->in;
    w->flags = make(w, YOKE_BOOL, n);
    w->count = make(w, YOKE_I64, 1);
    w->count.dimensions = 0;
    w->bins = make(w, YOKE_U32, 256);
    fill(w, n);
    if (w->other.buffer != w->in.buffer)
        measure_must(yoke_assign(w->stream, &w->other, &w->in));
    measure_must(yoke_assign(w->stream, &w->out, &w->in));
    measure_must(yoke_stream_wait(w->stream));
}

static void release(work *w)
{
    while (w->buffer_count > 0)
        yoke_buffer_release(w->buffers[--w->buffer_count]);
}

static double run_yoke(const measure_batch *batch)
{
    work *w = batch->self;
    double start = measure_now();
    for (int i = 0; i < batch->count; i++)
        measure_must(w->operation->run(w));
    measure_must(yoke_stream_wait(w->stream));
    return measure_now() - start;
}

/* ---- The peer's side ---- */

typedef struct peer_work {
    const ops_peer *peer;
    void *work;
} peer_work;

static double run_peer(const measure_batch *batch)
{
    peer_work *p = batch->self;
    return p->peer->run(p->work, batch->count);
}

/* The module beside this program, or above the folder in which libtool keeps programs; or NULL. */
static const ops_peer *open_peer(const char *program, const char *module)
{
    char path[4096];
    const char *slash = strrchr(program, '/');
    int length = slash ? (int)(slash - program) : 1;
    if (length >= 5 && strncmp(program + length - 5, ".libs", 5) == 0)
        length -= 6;
    snprintf(path, sizeof path, "%.*s/%s", length, slash ? program : ".", module);
    /* Or OpenMP's threads go on spinning when their loop is done, and take a core from Yoke's turn, which follows. */
    setenv("OMP_WAIT_POLICY", "passive", 0);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ops_peer_fn get;
    if (!library) {
        fprintf(stderr, "# %s is left out: %s\n", module, dlerror());
        return NULL;
    }
    *(void **)&get = dlsym(library, "yoke_bench_peer");
    return get ? get() : NULL;
}

/* ---- Measuring ---- */

static const char *type_name(int32_t dtype)
{
    return dtype == YOKE_U8    ? "u8"
           : dtype == YOKE_U16 ? "u16"
           : dtype == YOKE_U32 ? "u32"
           : dtype == YOKE_U64 ? "u64"
           : dtype == YOKE_F64 ? "f64"
           : dtype == YOKE_C64 ? "c64"
                               : "f32";
}

static void measure_one(const char *prefix, const operation *o, int32_t dtype, int exponent, yoke_stream *stream,
                        const ops_peer *peer)
{
    int64_t n = INT64_C(1) << exponent;
    int bytes = (int)yoke_dtype_get_size(dtype);
    work w = { .stream = stream };
    peer_work p = { peer, peer ? peer->begin(o->peer, bytes, (int64_t)((double)n * o->peer_share)) : NULL };
    measure_pair pair = { 0 };
    char name[64];
    reserve(&w, o, dtype, n);
    pair.batch[MEASURE_YOKE] = (measure_batch){ .self = &w, .run = run_yoke, .count = 1 };
    run_yoke(&pair.batch[MEASURE_YOKE]);
    double once = run_yoke(&pair.batch[MEASURE_YOKE]);
    int count = once < enough / 1000 ? 1000 : once > enough ? 1 : (int)(enough / once);
    pair.batch[MEASURE_YOKE].count = count;
    if (p.work)
        pair.batch[MEASURE_RAW] = (measure_batch){ .self = &p, .run = run_peer, .count = count };
    snprintf(name, sizeof name, "%s_%s_%d", o->name, type_name(dtype), exponent);
    bench_compare(prefix, name, &pair, count, "us");
    if (p.work)
        peer->end(p.work);
    release(&w);
}

/* ---- Small arrays: what an operation costs above a plain launch ---- */

enum { SMALL = 1000, SMALL_BATCH = 200 };

/* What is timed: calls with one wait at the end of the batch, calls that are waited for one by one, or the calls alone. */
enum { TOGETHER, ONE_BY_ONE, CALLS };

typedef struct small_side {
    work *work;
    yoke_status (*run)(work *w);
    int timed;
} small_side;

static yoke_status run_touch(work *w)
{
    return yoke_launch_n(w->stream, w->touch, SMALL, YOKE_ARGS(w->out.buffer, 1.0f, (int32_t)SMALL));
}

static yoke_status run_expression(work *w)
{
    yoke_array x = w->in, y = w->out;
    return yoke_map(w->stream, "y = 0.5f * x + 1", YOKE_VARS(x, y));
}

static double run_small(const measure_batch *batch)
{
    const small_side *s = batch->self;
    double start = measure_now();
    for (int i = 0; i < batch->count; i++) {
        measure_must(s->run(s->work));
        if (s->timed == ONE_BY_ONE)
            measure_must(yoke_stream_wait(s->work->stream));
    }
    double called = measure_now() - start;
    measure_must(yoke_stream_wait(s->work->stream));
    return s->timed == CALLS ? called : measure_now() - start;
}

static void measure_small(const char *prefix, yoke_stream *stream, const char *part, size_t length)
{
    static const struct {
        const char *name;
        yoke_status (*run)(work *w);
        int timed;
    } rows[] = {
        { "small_add_f32_1000", run_add, TOGETHER },
        { "small_add_wait_f32_1000", run_add, ONE_BY_ONE },
        { "small_sum_f32_1000", run_sum, TOGETHER },
        { "small_sum_wait_f32_1000", run_sum, ONE_BY_ONE },
        { "call_add_f32_1000", run_add, CALLS },
        { "call_sum_f32_1000", run_sum, CALLS },
        { "call_expression_f32_1000", run_expression, CALLS },
    };
    work w = { .stream = stream };
    yoke_program *program;
    measure_must(yoke_program_build(yoke_stream_get_device(stream), &measure_touch, &program));
    measure_must(yoke_kernel_get(program, measure_touch.name, &w.touch));
    reserve(&w, &(operation){ .run = run_add }, YOKE_F32, SMALL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        small_side sides[MEASURE_SIDES] = {
            [MEASURE_RAW] = { &w, run_touch, rows[i].timed }, [MEASURE_YOKE] = { &w, rows[i].run, rows[i].timed }
        };
        measure_pair pair;
        if (part && strncmp(rows[i].name, part, length) != 0)
            continue;
        for (int side = 0; side < MEASURE_SIDES; side++)
            pair.batch[side] = (measure_batch){ .self = &sides[side], .run = run_small, .count = SMALL_BATCH };
        bench_compare_above(prefix, rows[i].name, &pair, SMALL_BATCH, "us");
    }
    release(&w);
    yoke_program_release(program);
}

/* ---- All of a device ---- */

/* Sizes of a curve, and types of 1, 2, 4 and 8 bytes. Sums and scans of floats are those that CUB adds in floats, too. */
static void measure_curves(const char *prefix, yoke_stream *stream, const ops_peer *peer, int most)
{
    static const struct {
        const char *name;
        int32_t dtypes[4];
    } curves[] = {
        { "add", { YOKE_U8, YOKE_U16, YOKE_F32, YOKE_F64 } },  { "sum", { YOKE_U8, YOKE_U16, YOKE_F32, YOKE_F64 } },
        { "scan", { YOKE_U8, YOKE_U16, YOKE_F32, YOKE_F64 } }, { "select", { YOKE_U8, YOKE_U16, YOKE_F32, YOKE_F64 } },
        { "sort", { YOKE_U8, YOKE_U16, YOKE_U32, YOKE_U64 } },
    };
    enough = 1.2e6; /* 180 pairs for each backend, in less than half a minute */
    for (size_t c = 0; c < sizeof curves / sizeof curves[0]; c++)
        for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
            for (int d = 0; d < 4 && strcmp(operations[i].name, curves[c].name) == 0; d++)
                for (int e = 10; e <= most; e += e < 24 ? 2 : 4)
                    if (((size_t)1 << e) * yoke_dtype_get_size(curves[c].dtypes[d]) <= bench_option.largest)
                        measure_one(prefix, &operations[i], curves[c].dtypes[d], e, stream, peer);
}

static const ops_peer *gpu_peer, *cpu_peer;

static void measure_device(yoke_device *device, const yoke_device_info *info)
{
    const ops_peer *peer = info->kind == YOKE_DEVICE_CPU ? cpu_peer : strstr(info->name, "NVIDIA") != 0 ? gpu_peer : NULL;
    const char *sizes = bench_option.part ? strchr(bench_option.part, ':') : NULL;
    size_t length = sizes ? (size_t)(sizes - bench_option.part) : bench_option.part ? strlen(bench_option.part) : 0;
    int first = 0, last = 0;
    yoke_stream *stream;
    if (sizes && sscanf(sizes, ":%d-%d", &first, &last) == 1)
        last = first;
    if (info->kind == YOKE_DEVICE_GPU) /* as the peer waits: a core that sleeps takes up to 0.2 ms to run again, and a batch 4 ms */
        measure_must(yoke_device_set_wait(device, YOKE_WAIT_SPIN));
    measure_must(yoke_stream_create(device, NULL, &stream));
    if (bench_option.part && strcmp(bench_option.part, "curves") == 0)
        measure_curves(info->backend, stream, peer, info->kind == YOKE_DEVICE_CPU ? 24 : 28);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const operation *o = &operations[i];
        int most = info->kind == YOKE_DEVICE_CPU && o->exponent > 24 ? 24 : o->exponent;
        if (bench_option.part && strncmp(o->name, bench_option.part, length) != 0)
            continue;
        for (int e = sizes ? first : most; e <= (sizes ? last : most); e += 2)
            if (((size_t)1 << e) * yoke_dtype_get_size(o->dtype) <= bench_option.largest)
                measure_one(info->backend, o, o->dtype, e, stream, peer);
    }
    if (!sizes)
        measure_small(info->backend, stream, bench_option.part, length);
    yoke_stream_release(stream);
}

int main(int argc, char **argv)
{
    gpu_peer = open_peer(argv[0], "ops_cub.so");
    cpu_peer = open_peer(argv[0], "ops_cpu.so");
    return bench_main(argc, argv, "ops", "Operations on arrays beside CUB, or beside OpenMP loops and std::sort.", measure_device);
}
