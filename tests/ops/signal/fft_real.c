/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms of real data and back, and convolutions by them, against the definitions in long double. */
#include "spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })
#define COUNT_OF(x) (sizeof(x) / sizeof(x)[0])

extern int yops_fft_convolve_force;

typedef struct trial {
    int32_t dtype; /* of the real data */
    int32_t dimensions;
    int64_t shape[3]; /* of the real data */
    int32_t axes[3];
    size_t axis_count;
    layout how;
    double allowed;
} trial;

static void get_half_shape(const trial *c, int64_t *out_shape)
{
    int32_t last = c->axes[c->axis_count - 1];
    memcpy(out_shape, c->shape, sizeof c->shape);
    out_shape[last] = c->shape[last] / 2 + 1;
}

/* The elements of a full spectrum that a half holds. */
static void keep_half(const trial *c, const point *full, point *half)
{
    int32_t last = c->axes[c->axis_count - 1];
    int64_t n = c->shape[last], inner = 1, all = 1;
    for (int32_t i = 0; i < c->dimensions; i++) {
        all *= c->shape[i];
        inner *= i > last ? c->shape[i] : 1;
    }
    for (int64_t i = 0; i < all; i++)
        if (i / inner % n <= n / 2)
            *half++ = full[i];
}

static bool is_near(const char *what, const test_array *out, const point *points, int64_t n, double allowed)
{
    double error = spectrum_error(out, points), limit = spectrum_limit(out->array.dtype, n) * (allowed > 0 ? allowed : 1);
    tap_diag("%s, %lld elements: error %.3g, limit %.3g, hash %016llx", what, (long long)out->count, error, limit,
             (unsigned long long)spectrum_hash(out));
    return CHECK(error <= limit);
}

/* Forward, and back again; then back with imaginary parts where there should be none. */
static void try(suite *t, const trial *c, uint32_t seed)
{
    test_array a = { 0 }, half = { 0 }, back = { 0 };
    point *points = NULL, *wanted = NULL, *original = NULL;
    int64_t half_shape[3], n = 1;
    if (!test_has(t, c->dtype))
        return;
    get_half_shape(c, half_shape);
    NEED(test_array_create(t, c->dtype, c->dimensions, c->shape, c->how, seed, &a) && test_upload(t, &a));
    NEED(test_array_create(t, c->dtype == YOKE_F32 ? YOKE_C64 : YOKE_C128, c->dimensions, half_shape, c->how, seed + 1, &half));
    NEED(test_array_create(t, c->dtype, c->dimensions, c->shape, c->how, seed + 2, &back) && test_upload(t, &back));
    NEED(test_upload(t, &half));
    points = spectrum_points(&a);
    original = spectrum_points(&a);
    wanted = spectrum_points(&half);
    for (size_t i = 0; i < c->axis_count; i++) {
        spectrum_transform(points, c->dimensions, c->shape, c->axes[i], false);
        n *= c->shape[c->axes[i]];
    }
    keep_half(c, points, wanted);
    NEED_OK(yoke_fft(t->stream, YOKE_FFT_FORWARD, &half.array, &a.array, c->axes, c->axis_count, NULL));
    NEED_OK(yoke_fft(t->stream, YOKE_FFT_INVERSE, &back.array, &half.array, c->axes, c->axis_count, NULL));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &half, false) && test_download_checked(t, &a, true) && test_download_checked(t, &back, false));
    is_near("forward", &half, wanted, n, c->allowed);
    is_near("back", &back, original, n, c->allowed > 0 ? 2 * c->allowed : 2);
    if (c->dimensions == 1) {
        /* Imaginary parts of the ends count as 0. */
        uint64_t hash = spectrum_hash(&back);
        memcpy(half.before, half.bytes, half.memory.size);
        test_set_complex(&half, 0, test_get(&half, 0), 1000);
        if (c->shape[0] % 2 == 0)
            test_set_complex(&half, half.count - 1, test_get(&half, half.count - 1), -77);
        NEED(test_upload(t, &half));
        NEED_OK(yoke_fft(t->stream, YOKE_FFT_INVERSE, &back.array, &half.array, c->axes, c->axis_count, NULL));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download_checked(t, &back, false));
        CHECK(spectrum_hash(&back) == hash);
    }
out:
    memory_free(points);
    memory_free(original);
    memory_free(wanted);
    test_array_release(&back);
    test_array_release(&half);
    test_array_release(&a);
}

static void there_and_back(suite *t)
{
    static const trial trials[] = {
        { .dtype = YOKE_F32, .dimensions = 1, .shape = { 1 }, .axis_count = 1 },
        { .dtype = YOKE_F32, .dimensions = 1, .shape = { 5 }, .axis_count = 1 },
        { .dtype = YOKE_F32, .dimensions = 1, .shape = { 64 }, .axis_count = 1 },
        { .dtype = YOKE_F64, .dimensions = 1, .shape = { 64 }, .axis_count = 1 },
        { .dtype = YOKE_F32, .dimensions = 2, .shape = { 64, 5 }, .axes = { 0 }, .axis_count = 1, .how = LAYOUT_RANDOM },
        { .dtype = YOKE_F32, .dimensions = 2, .shape = { 5, 64 }, .axes = { 0, 1 }, .axis_count = 2, .how = LAYOUT_OFFSET },
        { .dtype = YOKE_F32, .dimensions = 3, .shape = { 5, 64, 5 }, .axes = { 2, 0, 1 }, .axis_count = 3, .how = LAYOUT_RANDOM },
        { .dtype = YOKE_F32, .dimensions = 1, .shape = { 17 }, .axis_count = 1, .allowed = 3 },
        { .dtype = YOKE_F32, .dimensions = 1, .shape = { 34 }, .axis_count = 1, .allowed = 3 },
        { .dtype = YOKE_F32,
          .dimensions = 2,
          .shape = { 38, 3 },
          .axes = { 0 },
          .axis_count = 1,
          .how = LAYOUT_RANDOM,
          .allowed = 3 },
        { .dtype = YOKE_F64, .dimensions = 1, .shape = { 34 }, .axis_count = 1, .how = LAYOUT_OFFSET, .allowed = 3 },
    };
    for (size_t i = 0; i < COUNT_OF(trials); i++)
        try(t, &trials[i], (uint32_t)i);
}

/* Several passes: those of even length by a transform of half the length, of pairs and of complex elements. */
static void long_ones(suite *t)
{
    static const trial trials[] = {
        { .dtype = YOKE_F32, .dimensions = 2, .shape = { 1000, 3 }, .axes = { 0 }, .axis_count = 1 },
        { .dtype = YOKE_F32, .dimensions = 2, .shape = { 1, 6174 }, .axes = { 1 }, .axis_count = 1, .how = LAYOUT_OFFSET },
        { .dtype = YOKE_F32, .dimensions = 2, .shape = { 1, 6174 }, .axes = { 1 }, .axis_count = 1, .how = LAYOUT_CONTIGUOUS },
        { .dtype = YOKE_F32, .dimensions = 2, .shape = { 945, 2 }, .axes = { 0, 1 }, .axis_count = 2, .how = LAYOUT_RANDOM },
        { .dtype = YOKE_F32, .dimensions = 3, .shape = { 2, 1050, 2 }, .axes = { 0, 1 }, .axis_count = 2, .how = LAYOUT_RANDOM },
        { .dtype = YOKE_F64, .dimensions = 2, .shape = { 512, 2 }, .axes = { 0 }, .axis_count = 1, .how = LAYOUT_CONTIGUOUS },
    };
    for (size_t i = 0; i < COUNT_OF(trials); i++)
        try(t, &trials[i], 50 + (uint32_t)i);
}

/* ---- Convolutions ---- */

typedef struct pair_of_shapes {
    int32_t dtype, dimensions;
    int64_t a[3], b[3], out[3];
    int32_t axes[3];
    size_t axis_count;
    int32_t mode;
    bool is_direct; /* that is chosen */
} pair_of_shapes;

static int64_t place_of(const int64_t *shape, int32_t dimensions, const int64_t *index)
{
    int64_t place = 0;
    for (int32_t i = 0; i < dimensions; i++) {
        if (shape[i] != 1 && (index[i] < 0 || index[i] >= shape[i]))
            return -1;
        place = place * shape[i] + (shape[i] == 1 ? 0 : index[i]);
    }
    return place;
}

/* The value of an element of out: the sum over all of b. */
static point convolve(const pair_of_shapes *c, const point *a, const point *b, const int64_t *at, const int64_t *start)
{
    int64_t count = 1, index[3], other[3];
    point sum = 0;
    for (int32_t i = 0; i < c->dimensions; i++)
        count *= c->b[i];
    for (int64_t j = 0; j < count; j++) {
        int64_t rest = j;
        bool fits = true;
        for (int32_t i = c->dimensions - 1; i >= 0; rest /= c->b[i], i--) {
            bool along = start[i] >= 0;
            other[i] = rest % c->b[i];
            index[i] = along ? at[i] + start[i] - other[i] : at[i];
            fits = fits && (!along ? (c->b[i] == 1 || other[i] == at[i]) : index[i] >= 0 && index[i] < c->a[i]);
        }
        if (fits)
            sum += a[place_of(c->a, c->dimensions, index)] * b[j];
    }
    return sum;
}

static void try_convolution(suite *t, const pair_of_shapes *c, uint32_t seed)
{
    test_array a = { 0 }, b = { 0 }, out = { 0 };
    point *x = NULL, *y = NULL, *wanted = NULL;
    int64_t start[3] = { -1, -1, -1 }, at[3];
    layout how = (layout)(seed % LAYOUT_COUNT);
    NEED(test_array_create(t, c->dtype, c->dimensions, c->a, how, seed, &a) && test_upload(t, &a));
    NEED(test_array_create(t, c->dtype, c->dimensions, c->b, how, seed + 1, &b) && test_upload(t, &b));
    NEED(test_array_create(t, c->dtype, c->dimensions, c->out, how, seed + 2, &out) && test_upload(t, &out));
    for (size_t i = 0; i < c->axis_count; i++) {
        int64_t n = c->a[c->axes[i]], m = c->b[c->axes[i]];
        start[c->axes[i]] = c->mode == YOKE_CONVOLVE_FULL ? 0 : c->mode == YOKE_CONVOLVE_SAME ? (m - 1) / 2 : (n < m ? n : m) - 1;
    }
    x = spectrum_points(&a);
    y = spectrum_points(&b);
    wanted = spectrum_points(&out);
    for (int64_t i = 0; i < out.count; i++) {
        int64_t rest = i;
        for (int32_t d = c->dimensions - 1; d >= 0; rest /= c->out[d], d--)
            at[d] = rest % c->out[d];
        wanted[i] = convolve(c, x, y, at, start);
    }
    uint64_t hashes[3];
    for (int way = 0; way < 3; way++) { /* as is chosen, directly, and by transforms */
        yops_fft_convolve_force = way;
        NEED(test_upload(t, &out));
        NEED_OK(yoke_fft_convolve(t->stream, c->mode, &out.array, &a.array, &b.array, c->axes, c->axis_count));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download_checked(t, &out, false) && test_download_checked(t, &a, true) && test_download_checked(t, &b, true));
        is_near(way == 1 ? "direct convolution" : "convolution", &out, wanted, 4096, 2);
        hashes[way] = spectrum_hash(&out);
    }
    CHECK(hashes[0] == hashes[c->is_direct ? 1 : 2]);
    CHECK(hashes[1] != hashes[2]);
out:
    yops_fft_convolve_force = 0;
    memory_free(x);
    memory_free(y);
    memory_free(wanted);
    test_array_release(&out);
    test_array_release(&b);
    test_array_release(&a);
}

static void convolutions(suite *t)
{
    static const pair_of_shapes trials[] = {
        { YOKE_F32, 1, { 40 }, { 24 }, { 63 }, { 0 }, 1, YOKE_CONVOLVE_FULL, true },
        { YOKE_F32, 1, { 54 }, { 9 }, { 54 }, { 0 }, 1, YOKE_CONVOLVE_SAME, true },
        { YOKE_F32, 1, { 54 }, { 10 }, { 54 }, { 0 }, 1, YOKE_CONVOLVE_SAME, true },
        { YOKE_F32, 1, { 9 }, { 54 }, { 46 }, { 0 }, 1, YOKE_CONVOLVE_VALID, true },
        { YOKE_F32, 1, { 400 }, { 90 }, { 400 }, { 0 }, 1, YOKE_CONVOLVE_SAME, false },
        { YOKE_F32, 2, { 60, 3 }, { 4, 1 }, { 63, 3 }, { 0 }, 1, YOKE_CONVOLVE_FULL, true },
        { YOKE_F32, 2, { 60, 58 }, { 4, 5 }, { 57, 54 }, { 0, 1 }, 2, YOKE_CONVOLVE_VALID, true },
        { YOKE_F32, 3, { 5, 3, 70 }, { 2, 1, 3 }, { 6, 3, 72 }, { 2, 0 }, 2, YOKE_CONVOLVE_FULL, true },
        { YOKE_C64, 2, { 60, 58 }, { 4, 5 }, { 60, 58 }, { 0, 1 }, 2, YOKE_CONVOLVE_SAME, true },
    };
    for (size_t i = 0; i < COUNT_OF(trials); i++)
        try_convolution(t, &trials[i], 200 + (uint32_t)i);
}

/* The output is an input: the same bits as elsewhere. */
static void in_place(suite *t)
{
    test_array a = { 0 }, b = { 0 }, out = { 0 };
    NEED(test_array_create(t, YOKE_F32, 1, SHAPE(54), LAYOUT_OFFSET, 1, &a));
    NEED(test_array_create(t, YOKE_F32, 1, SHAPE(9), LAYOUT_OFFSET, 2, &b) && test_upload(t, &b));
    NEED(test_array_create(t, YOKE_F32, 1, SHAPE(54), LAYOUT_OFFSET, 3, &out) && test_upload(t, &out));
    for (int way = 1; way < 3; way++) {
        yops_fft_convolve_force = way;
        NEED(test_upload(t, &a));
        NEED_OK(yoke_fft_convolve(t->stream, YOKE_CONVOLVE_SAME, &out.array, &a.array, &b.array, YOKE_ALL_AXES));
        NEED_OK(yoke_fft_convolve(t->stream, YOKE_CONVOLVE_SAME, &a.array, &a.array, &b.array, YOKE_ALL_AXES));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download_checked(t, &out, false));
        memcpy(a.before, a.bytes, a.memory.size); /* as it was given each time */
        NEED(test_download_checked(t, &a, false));
        CHECK(spectrum_hash(&a) == spectrum_hash(&out));
        memcpy(a.bytes, a.before, a.memory.size);
    }
out:
    yops_fft_convolve_force = 0;
    test_array_release(&out);
    test_array_release(&b);
    test_array_release(&a);
}

/* Arrays without elements, alone and along one axis of two. */
static void convolutions_of_nothing(suite *t)
{
    static const struct {
        int64_t a[2], b[2], out[3][2];
    } shapes[] = { { { 1, 0 }, { 1, 0 }, { { 1, 0 }, { 1, 0 }, { 1, 0 } } },
                   { { 1, 5 }, { 1, 0 }, { { 1, 0 }, { 1, 5 }, { 1, 0 } } },
                   { { 0, 8 }, { 6, 0 }, { { 0, 0 }, { 0, 8 }, { 0, 0 } } } };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int32_t mode = YOKE_CONVOLVE_FULL; mode <= YOKE_CONVOLVE_SAME; mode++) {
            test_array a = { 0 }, b = { 0 }, out = { 0 };
            if (test_array_create(t, YOKE_F32, 2, shapes[i].a, LAYOUT_CONTIGUOUS, 1, &a) &&
                test_array_create(t, YOKE_F32, 2, shapes[i].b, LAYOUT_CONTIGUOUS, 1, &b) &&
                test_array_create(t, YOKE_F32, 2, shapes[i].out[mode], LAYOUT_CONTIGUOUS, 1, &out) &&
                !CHECK_OK(yoke_fft_convolve(t->stream, mode, &out.array, &a.array, &b.array, YOKE_ALL_AXES)))
                tap_diag("... shapes %zu, mode %d", i, (int)mode);
            test_array_release(&out);
            test_array_release(&b);
            test_array_release(&a);
        }
    CHECK(suite_works(t));
}

/* Sums of more products than some drivers let a thread's loops have: right, or refused. */
static void long_sums(suite *t)
{
    enum { TAPS = 70000 };
    yoke_buffer *one = NULL;
    float ones = 1, sum = 0;
    NEED_OK(yoke_buffer_create(t->device, 2 * sizeof(float), &one));
    NEED_OK(yoke_write_sync(t->stream, one, 0, &ones, sizeof ones));
    yoke_array a = yoke_array_1d(one, YOKE_F32, TAPS), out = yoke_array_1d(one, YOKE_F32, 1);
    a.strides[0] = 0;
    out.offset = sizeof(float);
    yoke_status status = yoke_fft_convolve(t->stream, YOKE_CONVOLVE_VALID, &out, &a, &a, YOKE_ALL_AXES);
    if (status == YOKE_E_UNSUPPORTED) {
        CHECK_TEXT(yoke_error()->text, "loops");
        tap_diag("the driver ends long loops: %s", yoke_error()->text);
    } else if (CHECK_OK(status) && CHECK_OK(yoke_read_sync(t->stream, &sum, one, sizeof(float), sizeof sum))) {
        CHECK(sum == TAPS);
    }
out:
    yoke_buffer_release(one);
}

/* The largest that is allowed is not run: what comes next is told. */
static void lengths_at_the_limit(suite *t)
{
    const int64_t half = INT64_C(1) << 28;
    yoke_buffer *one = NULL;
    suite_expect_log();
    NEED_OK(yoke_buffer_create(t->device, 4 * sizeof(float), &one));
    yoke_array a = yoke_array_1d(one, YOKE_F32, half + 1), b = yoke_array_1d(one, YOKE_F32, half);
    yoke_array out = yoke_array_1d(one, YOKE_F32, 3);
    a.strides[0] = b.strides[0] = 0;
    out.offset = sizeof(float);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out|(3)|(2)",
                yoke_fft_convolve(t->stream, YOKE_CONVOLVE_VALID, &out, &a, &b, YOKE_ALL_AXES));
    a.shape[0]++;
    CHECK_FAILS(YOKE_E_RANGE, "axis 0|2^29", yoke_fft_convolve(t->stream, YOKE_CONVOLVE_VALID, &out, &a, &b, YOKE_ALL_AXES));
out:
    yoke_buffer_release(one);
}

static void mistakes(suite *t)
{
    test_array a = { 0 }, b = { 0 }, i = { 0 }, out = { 0 };
    suite_expect_log();
    NEED(test_array_create(t, YOKE_F32, 2, SHAPE(6, 8), LAYOUT_CONTIGUOUS, 1, &a) &&
         test_array_create(t, YOKE_F32, 2, SHAPE(3, 9), LAYOUT_CONTIGUOUS, 1, &b) &&
         test_array_create(t, YOKE_I32, 2, SHAPE(6, 8), LAYOUT_CONTIGUOUS, 1, &i) &&
         test_array_create(t, YOKE_F32, 2, SHAPE(8, 16), LAYOUT_CONTIGUOUS, 1, &out));
    const yoke_array *x = &a.array, *y = &b.array, *z = &out.array;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_fft_convolve|stream", yoke_fft_convolve(NULL, 0, z, x, y, YOKE_ALL_AXES));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_fft_convolve|out is NULL",
                yoke_fft_convolve(t->stream, YOKE_CONVOLVE_FULL, NULL, x, y, YOKE_ALL_AXES));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_fft_convolve|b is NULL",
                yoke_fft_convolve(t->stream, YOKE_CONVOLVE_FULL, z, x, NULL, YOKE_ALL_AXES));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "mode is 3", yoke_fft_convolve(t->stream, 3, z, x, y, YOKE_ALL_AXES));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "a has the dtype int32|float",
                yoke_fft_convolve(t->stream, YOKE_CONVOLVE_FULL, z, &i.array, y, YOKE_ALL_AXES));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "int32|float32, float64 or complex",
                yoke_fft_convolve(t->stream, YOKE_CONVOLVE_FULL, &i.array, &i.array, &i.array, YOKE_ALL_AXES));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out|(8, 16)|(6, 8)|(3, 9)",
                yoke_fft_convolve(t->stream, YOKE_CONVOLVE_SAME, z, x, y, YOKE_ALL_AXES));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "do not broadcast along axis 1",
                yoke_fft_convolve(t->stream, YOKE_CONVOLVE_FULL, z, x, y, YOKE_AXES(0)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_CONVOLVE_VALID|neither",
                yoke_fft_convolve(t->stream, YOKE_CONVOLVE_VALID, &out.array, x, y, YOKE_ALL_AXES));
    CHECK(suite_works(t));
out:
    test_array_release(&out);
    test_array_release(&i);
    test_array_release(&b);
    test_array_release(&a);
}

static const suite_case cases[] = {
    { "real data is transformed to half a spectrum, and back", there_and_back, false },
    { "the same in two passes", long_ones, false },
    { "convolutions have the shapes and the values of scipy's", convolutions, false },
    { "convolutions in place", in_place, false },
    { "convolutions of nothing", convolutions_of_nothing, false },
    { "sums of many products", long_sums, false },
    { "convolutions that are as long as can be", lengths_at_the_limit, false },
    { "mistakes are refused, and say what is wrong", mistakes, false },
};

int main(void)
{
    setenv("YOKE_OPS_EXACT", "1", 1); /* the bits are compared, and a library has others */
    return SUITE_MAIN(cases, NULL);
}
