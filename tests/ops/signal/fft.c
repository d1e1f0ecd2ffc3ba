/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms of complex numbers: against the definition in long double, and bit by bit the same on every device. */
#include "spectrum.h"

#include <yoke/graph.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })
#define COUNT_OF(x) (sizeof(x) / sizeof(x)[0])

extern int yops_fft_kernels;

typedef struct trial {
    int32_t dtype, dimensions;
    int64_t shape[4];
    int32_t axes[3];
    size_t axis_count;
    int32_t direction, scaling;
    layout how;
    bool in_place;
    double allowed; /* times the limit; 0: once */
    uint64_t hash;  /* 0: not checked */
} trial;

/* Transform on the host, in place; the product of the axes' extents. */
static int64_t reference(const trial *c, point *points)
{
    int64_t n = 1;
    for (size_t i = 0; i < c->axis_count; i++) {
        spectrum_transform(points, c->dimensions, c->shape, c->axes[i], c->direction == YOKE_FFT_INVERSE);
        n *= c->shape[c->axes[i]];
    }
    return n;
}

static double get_scale(const trial *c, int64_t n)
{
    bool inverse = c->direction == YOKE_FFT_INVERSE;
    if (c->scaling == YOKE_FFT_SCALE_ORTHO)
        return 1 / sqrt((double)n);
    return c->scaling == (inverse ? YOKE_FFT_SCALE_INVERSE : YOKE_FFT_SCALE_FORWARD) ? 1 / (double)n : 1;
}

static bool is_near(const trial *c, const test_array *out, point *points)
{
    int64_t n = reference(c, points);
    for (int64_t i = 0; i < out->count; i++)
        points[i] *= get_scale(c, n);
    double error = spectrum_error(out, points), limit = spectrum_limit(c->dtype, n) * (c->allowed > 0 ? c->allowed : 1);
    uint64_t hash = spectrum_hash(out);
    tap_diag("%s, %lld elements, %lld points: error %.3g, limit %.3g, hash %016llx", yoke_dtype_get_name(c->dtype),
             (long long)out->count, (long long)n, error, limit, (unsigned long long)hash);
    return CHECK(error <= limit) && CHECK(c->hash == 0 || c->hash == hash);
}

static bool try(suite *t, const trial *c, uint32_t seed)
{
    test_array a = { 0 }, out = { 0 };
    yoke_fft_options options = YOKE_FFT_OPTIONS_INIT;
    point *points = NULL;
    bool ok = false;
    if (!test_has(t, c->dtype))
        return true;
    options.scaling = c->scaling;
    NEED(test_array_create(t, c->dtype, c->dimensions, c->shape, c->how, seed, &a));
    NEED(c->in_place || test_array_create(t, c->dtype, c->dimensions, c->shape, c->how, seed + 1, &out));
    NEED(test_upload(t, &a) && (c->in_place || test_upload(t, &out)));
    points = spectrum_points(&a);
    NEED_OK(yoke_fft(t->stream, c->direction, c->in_place ? &a.array : &out.array, &a.array, c->axes, c->axis_count, &options));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(c->in_place || test_download_checked(t, &out, false));
    NEED(test_download_checked(t, &a, !c->in_place));
    ok = is_near(c, c->in_place ? &a : &out, points);
out:
    if (points)
        memory_free(points);
    test_array_release(&out);
    test_array_release(&a);
    return ok;
}

/* ---- Lengths ---- */

static const struct {
    int32_t dtype;
    int64_t n, batch;
    double allowed;
    uint64_t hash;
} lengths[] = {
    { YOKE_C64, 1, 3, 0, 0x8b14b62464059358 },    { YOKE_C64, 5, 50, 0, 0xa89612f736326cf8 },
    { YOKE_C64, 6, 700, 0, 0x9eaf52c7044a4932 },  { YOKE_C64, 64, 21, 0, 0xa0a97ac586aca008 },
    { YOKE_C64, 143, 5, 0, 0xa314e641656c08cf },  { YOKE_C64, 17, 9, 3, 0x21fb6035e9d731ee },
    { YOKE_C64, 31, 2, 3, 0x6bebddb7c49e63b8 },   { YOKE_C64, 1000, 2, 0, 0xc295099f8f3908d6 },
    { YOKE_C128, 64, 33, 0, 0x0a8482122bdf28da }, { YOKE_C128, 21, 4, 0, 0xdab4b822dac86231 },
};

static void lengths_in_turn(suite *t)
{
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        trial c = { .dtype = lengths[i].dtype, .dimensions = 2, .axes = { 1 }, .axis_count = 1, .allowed = lengths[i].allowed };
        c.shape[0] = lengths[i].batch;
        c.shape[1] = lengths[i].n;
        c.hash = lengths[i].hash;
        c.direction = (int32_t)(i % 2);
        c.how = (layout)(i % LAYOUT_COUNT);
        try(t, &c, (uint32_t)i);
    }
}

/* Every length up to 64, and some more: hundreds of kernels, so only on demand. */
static void all_lengths(suite *t)
{
    static const int64_t more[] = { 77, 91, 100, 121, 169, 210, 243, 343, 512, 625, 729, 1001, 1024, 1155, 2048, 2187, 2310, 4096 };
    static const int32_t dtypes[] = { YOKE_C64, YOKE_C128 };
    if (!getenv("YOKE_TEST_ALL_LENGTHS"))
        return;
    for (int64_t i = 0; i < 64 + (int64_t)COUNT_OF(more); i++)
        for (size_t k = 0; k < COUNT_OF(dtypes); k++) {
            trial c = { .dtype = dtypes[k], .dimensions = 2, .axes = { 1 }, .axis_count = 1, .allowed = 3 };
            c.shape[0] = 3;
            c.shape[1] = i < 64 ? i + 1 : more[i - 64];
            try(t, &c, (uint32_t)i);
        }
}

/* ---- Long ones ---- */

/* Five elements that are not 0 make a spectrum that the host knows at any place. */
static void sparse(suite *t, int32_t dtype, int64_t n, uint64_t hash)
{
    static const long double values[][2] = { { 0.75, -0.5 }, { -0.3125, 1 }, { 0.625, 0.25 }, { 1, 1 }, { -0.875, 0.125 } };
    test_array a = { 0 }, out = { 0 };
    int64_t places[5];
    uint32_t random = 7;
    long double error = 0, all = 0;
    NEED(test_array_create(t, dtype, 1, &n, LAYOUT_CONTIGUOUS, 1, &a) &&
         test_array_create(t, dtype, 1, &n, LAYOUT_CONTIGUOUS, 2, &out));
    for (int64_t i = 0; i < n; i++)
        test_set_complex(&a, i, 0, 0);
    for (int i = 0; i < 5; i++) {
        places[i] = n / 5 * i + test_random_below(&random, n / 5);
        test_set_complex(&a, places[i], values[i][0], values[i][1]);
    }
    NEED(test_upload(t, &a) && test_upload(t, &out));
    NEED_OK(yoke_fft(t->stream, YOKE_FFT_FORWARD, &out.array, &a.array, YOKE_ALL_AXES, NULL));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &out, false));
    for (int64_t k = 0; k < n; k += 1 + n / 50000) {
        point wanted = 0, got = test_get(&out, k) + I * test_get_imaginary(&out, k);
        for (int i = 0; i < 5; i++) {
            long double turn = -2 * 3.14159265358979323846264338327950288L * (long double)(places[i] * k % n) / (long double)n;
            wanted += (values[i][0] + I * values[i][1]) * (cosl(turn) + I * sinl(turn));
        }
        error += cabsl(got - wanted) * cabsl(got - wanted);
        all += cabsl(wanted) * cabsl(wanted);
    }
    error = sqrtl(error / all);
    tap_diag("%lld points: error %.3Lg, hash %016llx", (long long)n, error, (unsigned long long)spectrum_hash(&out));
    CHECK(error <= spectrum_limit(dtype, n) * (n % 2 ? 3 : 1));
    CHECK(hash == 0 || hash == spectrum_hash(&out));
out:
    test_array_release(&out);
    test_array_release(&a);
}

static void long_transforms(suite *t)
{
    sparse(t, YOKE_C64, 65536, 0xd8ab78e2d7e5d368);   /* two passes of 256 */
    sparse(t, YOKE_C64, 1 << 21, 0xe0a5bb3dd74790f6); /* three of 128 */
    sparse(t, YOKE_C64, 16411, 0x1c7102fff5d8f6f2);   /* a prime: 65536 points */
    if (!test_has(t, YOKE_C128))
        return;
    sparse(t, YOKE_C128, 65536, 0x3d5de4dedab41edc);
    sparse(t, YOKE_C128, 16411, 0x63cab0b66d5d3d9d);
}

/* ---- Axes ---- */

static void axes_and_layouts(suite *t)
{
    static const trial trials[] = {
        { .dimensions = 3, .shape = { 6, 5, 64 }, .axes = { 0, 1, 2 }, .axis_count = 3 },
        { .dimensions = 3, .shape = { 6, 5, 64 }, .axes = { 2, 0 }, .axis_count = 2, .how = LAYOUT_RANDOM },
        { .dimensions = 3, .shape = { 5, 6, 33 }, .axes = { 1 }, .axis_count = 1, .in_place = true },
        { .dimensions = 3, .shape = { 7, 64, 3 }, .axes = { 1 }, .axis_count = 1, .how = LAYOUT_RANDOM, .in_place = true },
        { .dimensions = 2,
          .shape = { 64, 64 },
          .axes = { 0, 1 },
          .axis_count = 2,
          .in_place = true,
          .direction = YOKE_FFT_INVERSE },
        { .dimensions = 2, .shape = { 17, 5 }, .axes = { 0 }, .axis_count = 1, .allowed = 3, .direction = YOKE_FFT_INVERSE },
        { .dimensions = 4, .shape = { 2, 5, 3, 6 }, .axes = { 1, 3 }, .axis_count = 2, .how = LAYOUT_OFFSET },
        { .dimensions = 1, .shape = { 64 }, .axes = { 0 }, .axis_count = 1, .scaling = YOKE_FFT_SCALE_ORTHO },
        { .dimensions = 1, .shape = { 64 }, .axes = { 0 }, .axis_count = 1, .scaling = YOKE_FFT_SCALE_FORWARD },
        { .dimensions = 1, .shape = { 64 }, .axes = { 0 }, .axis_count = 1, .scaling = YOKE_FFT_SCALE_NONE, .direction = 1 },
    };
    for (size_t i = 0; i < COUNT_OF(trials); i++) {
        trial c = trials[i];
        c.dtype = YOKE_C64;
        try(t, &c, 100 + (uint32_t)i);
        c.dtype = YOKE_C128;
        c.hash = 0x3b7c083b393ba00e;
        if (i == 0)
            try(t, &c, 200);
    }
}

/* The kernels of GPUs and those of CPUs give the same bits, on any device. */
static void both_kernels(suite *t)
{
    /* 26: a stage of 13 points is so long that a compiler does not inline it by itself. */
    static const int64_t shapes[][2] = { { 5, 64 }, { 64, 9 }, { 3, 6 }, { 3, 26 } };
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        test_array a = { 0 }, out[2] = { { .count = 0 }, { .count = 0 } };
        int32_t axis = shapes[i][0] != 64;
        NEED(test_array_create(t, YOKE_C64, 2, shapes[i], LAYOUT_CONTIGUOUS, 1, &a) && test_upload(t, &a));
        for (int way = 0; way < 2; way++) {
            NEED(test_array_create(t, YOKE_C64, 2, shapes[i], LAYOUT_CONTIGUOUS, 2, &out[way]) && test_upload(t, &out[way]));
            yops_fft_kernels = way + 1;
            yoke_status status = yoke_fft(t->stream, YOKE_FFT_FORWARD, &out[way].array, &a.array, &axis, 1, NULL);
            yops_fft_kernels = 0;
            NEED_OK(status);
            NEED_OK(yoke_stream_wait(t->stream));
            NEED(test_download_checked(t, &out[way], false));
        }
        CHECK(spectrum_hash(&out[0]) == spectrum_hash(&out[1]));
    out:
        test_array_release(&out[1]);
        test_array_release(&out[0]);
        test_array_release(&a);
    }
}

static void in_graphs(suite *t)
{
    trial c = { .dtype = YOKE_C64, .dimensions = 2, .shape = { 17, 64 }, .axes = { 0, 1 }, .axis_count = 2, .allowed = 3 };
    test_array a = { 0 }, out = { 0 };
    yoke_graph *graph = NULL;
    NEED(test_array_create(t, YOKE_C64, 2, c.shape, LAYOUT_CONTIGUOUS, 1, &a) &&
         test_array_create(t, YOKE_C64, 2, c.shape, LAYOUT_CONTIGUOUS, 2, &out) && test_upload(t, &out));
    NEED_OK(yoke_graph_create(t->device, "fft", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED_OK(yoke_fft(t->stream, YOKE_FFT_FORWARD, &out.array, &a.array, YOKE_AXES(0, 1), NULL));
    NEED_OK(yoke_graph_end(graph));
    for (int run = 0; run < 3; run++) {
        for (int64_t i = 0; i < a.count; i++)
            test_set_complex(&a, i, (long double)(i * (run + 3) % 17) - 8, (long double)(i * (run + 5) % 13) - 6);
        point *points = spectrum_points(&a);
        bool ok = test_upload(t, &a) && CHECK_OK(yoke_graph_launch(t->stream, graph)) && CHECK_OK(yoke_stream_wait(t->stream)) &&
                  test_download_checked(t, &out, false) && is_near(&c, &out, points);
        memory_free(points);
        NEED(ok);
    }
out:
    yoke_graph_release(graph);
    test_array_release(&out);
    test_array_release(&a);
}

static void mistakes(suite *t)
{
    test_array a = { 0 }, r = { 0 }, out = { 0 }, other = { 0 };
    yoke_fft_options options = YOKE_FFT_OPTIONS_INIT;
    yoke_array view;
    suite_expect_log();
    NEED(test_array_create(t, YOKE_C64, 2, SHAPE(6, 8), LAYOUT_CONTIGUOUS, 1, &a) &&
         test_array_create(t, YOKE_C64, 2, SHAPE(6, 8), LAYOUT_CONTIGUOUS, 1, &out) &&
         test_array_create(t, YOKE_C64, 2, SHAPE(6, 7), LAYOUT_CONTIGUOUS, 1, &other) &&
         test_array_create(t, YOKE_F32, 2, SHAPE(6, 8), LAYOUT_CONTIGUOUS, 1, &r));
    const yoke_array *x = &a.array, *y = &out.array;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_fft|stream", yoke_fft(NULL, YOKE_FFT_FORWARD, y, x, YOKE_AXES(0), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_fft|out is NULL",
                yoke_fft(t->stream, YOKE_FFT_FORWARD, NULL, x, YOKE_AXES(0), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_fft|a is NULL", yoke_fft(t->stream, YOKE_FFT_FORWARD, y, NULL, YOKE_AXES(0), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "direction is 2", yoke_fft(t->stream, 2, y, x, YOKE_AXES(0), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_fft|axis 2 is out of range: the array has 2 dimensions",
                yoke_fft(t->stream, YOKE_FFT_FORWARD, y, x, YOKE_AXES(2), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "axis -1", yoke_fft(t->stream, YOKE_FFT_FORWARD, y, x, YOKE_AXES(-1), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_fft|axis 1 is named twice: the array has 2 dimensions",
                yoke_fft(t->stream, YOKE_FFT_FORWARD, y, x, YOKE_AXES(1, 1), NULL));
    view = yoke_array_expand(yoke_array_expand(a.array, 2), 2);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "4 axes|1 to 3", yoke_fft(t->stream, YOKE_FFT_FORWARD, y, &view, YOKE_ALL_AXES, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_fft|axes is NULL, and axis_count is 2",
                yoke_fft(t->stream, YOKE_FFT_FORWARD, y, x, NULL, 2, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "(6, 7)|(6, 8)",
                yoke_fft(t->stream, YOKE_FFT_FORWARD, &other.array, x, YOKE_AXES(0), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "float|complex64|YOKE_FFT_FORWARD",
                yoke_fft(t->stream, YOKE_FFT_INVERSE, y, &r.array, YOKE_AXES(0), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "complex64|float|YOKE_FFT_INVERSE",
                yoke_fft(t->stream, YOKE_FFT_FORWARD, &r.array, x, YOKE_AXES(0), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "(6, 8)|(6, 5)",
                yoke_fft(t->stream, YOKE_FFT_FORWARD, y, &r.array, YOKE_AXES(0, 1), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "float|convert",
                yoke_fft(t->stream, YOKE_FFT_FORWARD, &r.array, &r.array, YOKE_AXES(0), NULL));
    view = yoke_array_slice(a.array, 0, YOKE_SLICE_END, YOKE_SLICE_END, -1);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out overlaps a", yoke_fft(t->stream, YOKE_FFT_FORWARD, &view, x, YOKE_AXES(0), NULL));
    view = yoke_array_slice(out.array, 1, 0, 0, 1);
    other.array = yoke_array_slice(a.array, 1, 0, 0, 1);
    CHECK_OK(yoke_fft(t->stream, YOKE_FFT_FORWARD, &view, &other.array, YOKE_AXES(0), NULL));
    options.scaling = 4;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_fft|scaling is 4",
                yoke_fft(t->stream, YOKE_FFT_FORWARD, y, x, YOKE_AXES(0), &options));
    options = (yoke_fft_options)YOKE_FFT_OPTIONS_INIT;
    options.flags = 6;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_fft|flags is 0x6",
                yoke_fft(t->stream, YOKE_FFT_FORWARD, y, x, YOKE_AXES(0), &options));
    CHECK(suite_works(t));
out:
    test_array_release(&r);
    test_array_release(&other);
    test_array_release(&out);
    test_array_release(&a);
}

static const suite_case cases[] = {
    { "transforms of many lengths are near the definition's", lengths_in_turn, false },
    { "all lengths up to 64, where YOKE_TEST_ALL_LENGTHS asks for them", all_lengths, false },
    { "long transforms, in several passes", long_transforms, false },
    { "along 1 to 3 axes, in any layout, scaled, in place or not", axes_and_layouts, false },
    { "the kernels of GPUs and of CPUs give the same bits", both_kernels, false },
    { "a transform is recorded in a graph, and replayed with other data", in_graphs, false },
    { "mistakes are refused, and say what is wrong", mistakes, false },
};

int main(void)
{
    setenv("YOKE_OPS_EXACT", "1", 1); /* the bits are compared, and a library has others */
    return SUITE_MAIN(cases, NULL);
}
