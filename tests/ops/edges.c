/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers at the edges of their ranges: norms of very large and very small elements, infinities beside NaN, products that overflow
 * on their way, half spectra of no real data. Libraries of vendors take part: YOKE_OPS_EXACT is not set.
 */
#include <math.h>
#include <string.h>

#include "ops/library/library.h"
#include "reduce/reduce_reference.h"
#include "signal/spectrum.h"
#include "library/vendor.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })
#define COUNT_OF(x) (sizeof(x) / sizeof(x)[0])

/* Whether subnormal numbers count, and bits are those of the host. */
static bool is_exact(const suite *t)
{
    return yoke_device_supports(t->device, YOKE_CAP_EXACT_FP32);
}

static bool is_within(long double got, long double wanted, double relative)
{
    if (isnan(wanted) || isinf(wanted))
        return isnan(wanted) ? isnan(got) : got == wanted;
    return fabsl(got - wanted) <= fabsl(wanted) * (long double)relative;
}

/* ---- Norms ---- */

typedef struct norm_trial {
    int32_t in, out;
    int64_t count;         /* elements that are not 0, at the front */
    long double values[3]; /* taken in turn; a complex number has the next one too */
    bool is_subnormal, all_forms;
} norm_trial;

static void fill_in_turn(test_array *a, const long double *values, int64_t count)
{
    for (int64_t i = 0; i < a->count; i++) {
        long double real = i < count ? values[i % 3] : 0, imaginary = i < count ? values[(i + 1) % 3] : 0;
        if (yk_dtype_is_complex(a->array.dtype))
            test_set_complex(a, i, real, imaginary);
        else
            test_set(a, i, real);
    }
}

/* As the dtype stores it. */
static long double norm_of(const test_array *a, int32_t dtype)
{
    unsigned char stored[16];
    long double sum = 0;
    for (int64_t i = 0; i < a->count; i++) {
        long double x = test_get(a, i), y = yk_dtype_is_complex(a->array.dtype) ? test_get_imaginary(a, i) : 0;
        sum += x * x + y * y;
    }
    test_store(dtype, stored, sqrtl(sum));
    return test_load(dtype, stored);
}

/* The norms along `axis`, bit by bit. */
static void check_along(suite *t, int32_t axis, const test_array *a, int32_t dtype)
{
    int64_t rest = a->array.shape[1 - axis];
    test_array out = { 0 };
    NEED(test_array_create(t, dtype, 1, &rest, LAYOUT_CONTIGUOUS, 3, &out) && test_upload(t, &out));
    NEED_OK(yoke_reduce(t->stream, YOKE_REDUCE_NORM, &out.array, &a->array, &axis, 1));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &out, false));
    if (is_exact(t))
        reference_check(YOKE_REDUCE_NORM, a, 1u << axis, &out, axis == 0 ? "norm of columns" : "norm of rows");
out:
    test_array_release(&out);
}

static void try_norm(suite *t, const norm_trial *c)
{
    test_array a = { 0 }, all = { 0 };
    if (!test_has(t, c->in) || !test_has(t, c->out) || (c->is_subnormal && !is_exact(t)))
        return;
    NEED(test_array_create(t, c->in, 2, SHAPE(3, 1700), LAYOUT_CONTIGUOUS, 1, &a));
    NEED(test_array_create(t, c->out, 0, NULL, LAYOUT_CONTIGUOUS, 2, &all) && test_upload(t, &all));
    fill_in_turn(&a, c->values, c->count);
    NEED(test_upload(t, &a));
    NEED_OK(yoke_reduce(t->stream, YOKE_REDUCE_NORM, &all.array, &a.array, YOKE_ALL_AXES));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &all, false));
    if (!CHECK(is_within(test_get(&all, 0), norm_of(&a, c->out), c->is_subnormal ? 0.01 : 2e-6)))
        tap_diag("norm of %Lg, %Lg, %Lg (%lld of them): %Lg, not %Lg", c->values[0], c->values[1], c->values[2],
                 (long long)c->count, test_get(&all, 0), norm_of(&a, c->out));
    if (is_exact(t) || c->in == YOKE_F64)
        reference_check(YOKE_REDUCE_NORM, &a, 3, &all, "norm of all");
    for (int32_t axis = 0; axis < 2 && c->all_forms; axis++)
        check_along(t, axis, &a, c->out);
out:
    test_array_release(&all);
    test_array_release(&a);
}

enum { MANY = 5000 };

static void norms(suite *t)
{
    static const norm_trial trials[] = {
        { YOKE_F32, YOKE_F32, 1, { 3e38L }, false, false },
        { YOKE_F32, YOKE_F32, 1, { 1e-30L }, false, false },
        { YOKE_F32, YOKE_F32, MANY, { 1e30L, 1e30L, 1e30L }, false, false },
        { YOKE_F32, YOKE_F32, MANY, { 1e-30L, -2e-30L, 1e-25L }, false, false },
        { YOKE_F32, YOKE_F32, MANY, { 1e30L, 1, 1e-30L }, false, true },
        { YOKE_F32, YOKE_F32, MANY, { 0x1p44L, -0x1.fffffep43L, 0x1p-55L }, false, false },
        { YOKE_F32, YOKE_F32, MANY, { 1e-16L, 0x1.fffffep-56L, 0x1p-55L }, false, false },
        { YOKE_F32, YOKE_F32, MANY, { 1e34L, 0, -1e20L }, false, false },
        { YOKE_F32, YOKE_F32, MANY, { 3e38L, 3e38L, 3e38L }, false, false }, /* has no place: infinite */
        { YOKE_F32, YOKE_F32, MANY, { 0, -0.0L, 0 }, false, false },
        { YOKE_F32, YOKE_F32, 100, { 1e-42L, 3e-44L, 0x1p-149L }, true, false },
        { YOKE_F32, YOKE_F32, 1, { 0x1p-149L }, true, false },
        { YOKE_F32, YOKE_F32, 100, { INFINITY, 1, 1e-30L }, false, false },
        { YOKE_F32, YOKE_F32, 100, { INFINITY, NAN, 1 }, false, false },
        { YOKE_F32, YOKE_F32, 100, { 1e30L, NAN, 1e-30L }, false, false },
        { YOKE_F64, YOKE_F64, MANY, { 1e300L, 1e-300L, 1 }, false, false },
        { YOKE_F64, YOKE_F64, MANY, { 1e-200L, -1e-300L, 1e-180L }, false, false },
        { YOKE_F64, YOKE_F64, 1, { 1.7e308L }, false, false },
        { YOKE_U64, YOKE_F32, MANY, { 18446744073709551615.0L, 1, 3 }, false, false },
        { YOKE_C64, YOKE_F32, 1, { 3e38L, 1e38L }, false, false },
        { YOKE_C64, YOKE_F32, MANY, { 1e30L, -2e-30L, 5e29L }, false, false },
        { YOKE_C64, YOKE_F32, MANY, { 1e-30L, -2e-30L, 0 }, false, false },
        { YOKE_C64, YOKE_F32, 1, { INFINITY, NAN }, false, false }, /* as NumPy: the sum of squares has a NaN */
        { YOKE_C64, YOKE_F32, 7, { INFINITY, 1, 1 }, false, false },
    };
    for (size_t i = 0; i < COUNT_OF(trials); i++)
        try_norm(t, &trials[i]);
}

static void norms_of_segments(suite *t)
{
    static const long double values[] = { 1e30L, 2e-30L, -3e30L };
    int64_t offsets[] = { 0, 3, 3, 9000, 9001 };
    test_array a = { 0 }, out = { 0 }, starts = { 0 };
    NEED(test_array_create(t, YOKE_F32, 1, SHAPE(9001), LAYOUT_CONTIGUOUS, 1, &a));
    NEED(test_array_create(t, YOKE_F32, 1, SHAPE(4), LAYOUT_CONTIGUOUS, 2, &out) && test_upload(t, &out));
    NEED(test_array_create(t, YOKE_I64, 1, SHAPE(5), LAYOUT_CONTIGUOUS, 3, &starts));
    fill_in_turn(&a, values, a.count);
    for (int64_t i = 0; i < 5; i++)
        test_set(&starts, i, (long double)offsets[i]);
    NEED(test_upload(t, &a) && test_upload(t, &starts));
    NEED_OK(yoke_reduce_segments(t->stream, YOKE_REDUCE_NORM, &out.array, &a.array, &starts.array));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &out, false));
    for (int64_t i = 0; i < 4; i++) {
        unsigned char wanted[16] = { 0 };
        reference_row row = { .a = &a, .first = offsets[i], .n = offsets[i + 1] - offsets[i] };
        if (row.n > 0)
            reference_reduce(YOKE_REDUCE_NORM, YOKE_F32, &row, wanted);
        CHECK(is_within(test_get(&out, i), test_load(YOKE_F32, wanted), is_exact(t) ? 0 : 1e-6));
    }
out:
    test_array_release(&starts);
    test_array_release(&out);
    test_array_release(&a);
}

/* ---- Complex numbers with infinities ---- */

/* The parts of the sum are divided, each by a real number: no part gets NaN from the other's infinity. */
static void means(suite *t)
{
    static const long double parts[][2] = { { INFINITY, 0 }, { 1, 2 }, { 3, 4 }, { 4, -0.0L } };
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        test_array a = { 0 }, out = { 0 };
        if (!yk_dtype_is_complex(dtype) || !test_has(t, dtype))
            continue;
        NEED(test_array_create(t, dtype, 2, SHAPE(2, 4), LAYOUT_CONTIGUOUS, 1, &a));
        NEED(test_array_create(t, dtype, 1, SHAPE(2), LAYOUT_CONTIGUOUS, 2, &out) && test_upload(t, &out));
        for (int64_t i = 0; i < 4; i++) {
            test_set_complex(&a, i, parts[i][0], parts[i][1]);
            test_set_complex(&a, 4 + i, parts[i][1], -parts[i][0]);
        }
        NEED(test_upload(t, &a));
        NEED_OK(yoke_reduce(t->stream, YOKE_REDUCE_MEAN, &out.array, &a.array, YOKE_AXES(1)));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download_checked(t, &out, false));
        CHECK(isinf(test_get(&out, 0)) && test_get(&out, 0) > 0 && test_get_imaginary(&out, 0) == 1.5L);
        CHECK(test_get(&out, 1) == 1.5L && isinf(test_get_imaginary(&out, 1)) && test_get_imaginary(&out, 1) < 0);
    out:
        test_array_release(&out);
        test_array_release(&a);
    }
}

/* abs of a complex number, as ops/expression/expression.yh computes it. */
static double absolute(double re, double im, bool wide)
{
    double x = fabs(re), y = fabs(im), longer = x < y ? y : x, shorter = x < y ? x : y, up = wide ? 0x1p600 : 0x1p88;
    if (isinf(x) || isinf(y) || isnan(x) || isnan(y))
        return isinf(x) || isinf(y) ? (double)INFINITY : (double)NAN;
    bool is_large = longer >= (wide ? 0x1p460 : 0x1p44), is_small = longer < (wide ? 0x1p-500 : 0x1p-55);
    double before = is_large ? 1 / up : is_small ? up : 1, after = 1 / before;
    if (wide)
        return sqrt(fma(longer * before, longer * before, shorter * before * (shorter * before))) * after;
    float l = (float)(longer * before), s = (float)(shorter * before);
    volatile float square = s * s, root = sqrtf(fmaf(l, l, square)), all = root * (float)after;
    return (double)all;
}

static const double abs_parts[] = { 0,     -0.0,   1,      -3,    4,     1e-30, -2e-30, 1e-25,   3e30,
                                    -4e30, 2.4e38, 3.4e38, 1e-44, 5e-42, 1e19,  0x1p44, 0x1p-55, 0x1.fffffep-56 };
static const double abs_specials[] = { INFINITY, -INFINITY, NAN };

static void check_abs(suite *t, int32_t dtype, const test_array *a, const test_array *out)
{
    bool wide = dtype == YOKE_C128;
    for (int64_t i = 0; i < a->count; i++) {
        double re = (double)test_get(a, i), im = (double)test_get_imaginary(a, i), wanted = absolute(re, im, wide);
        long double got = test_get(out, i), near = isfinite(re) && isfinite(im) ? hypotl(re, im) : wanted;
        bool tiny = near < 1e-36L;
        if (!wide && near > 0x1.fffffep127L)
            near = INFINITY;
        bool right = (is_within(got, near, wide ? 3e-16 : 2e-7) || tiny) &&
                     (is_exact(t) ? is_within(got, wanted, 0) : is_within(got, near, wide ? 3e-16 : 4e-7) || tiny);
        if (!CHECK(right))
            tap_diag("abs(%g + %gi) is %.9Lg, not %.9g", re, im, got, wanted);
    }
}

static void absolutes(suite *t)
{
    enum { PARTS = COUNT_OF(abs_parts) + COUNT_OF(abs_specials) };
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        int32_t real = yk_dtype_get(dtype)->part;
        test_array a = { 0 }, out = { 0 }, longer = { 0 };
        double parts[PARTS];
        if (!yk_dtype_is_complex(dtype) || !test_has(t, dtype))
            continue;
        memcpy(parts, abs_parts, sizeof abs_parts);
        memcpy(parts + COUNT_OF(abs_parts), abs_specials, sizeof abs_specials);
        NEED(test_array_create(t, dtype, 1, SHAPE(PARTS * PARTS), LAYOUT_CONTIGUOUS, 1, &a));
        NEED(test_array_create(t, real, 1, SHAPE(PARTS * PARTS), LAYOUT_CONTIGUOUS, 2, &out) && test_upload(t, &out));
        NEED(test_array_create(t, real, 0, NULL, LAYOUT_CONTIGUOUS, 3, &longer) && test_upload(t, &longer));
        for (int64_t i = 0; i < a.count; i++) {
            double scale = dtype == YOKE_C128 && i % 2 ? 1e200 : 1;
            test_set_complex(&a, i, parts[i / PARTS] * scale, parts[i % PARTS] * scale);
        }
        NEED(test_upload(t, &a));
        yoke_var vars[] = { yoke_var_array("a", a.array), yoke_var_array("c", out.array) };
        NEED_OK(yoke_map(t->stream, "c = abs(a)", vars, COUNT_OF(vars)));
        NEED_OK(yoke_map_reduce(t->stream, YOKE_REDUCE_MAX, &longer.array, "abs(a)", vars, 1, YOKE_ALL_AXES));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download_checked(t, &out, false) && test_download_checked(t, &longer, false));
        check_abs(t, dtype, &a, &out);
        CHECK(isinf(test_get(&longer, 0)));
    out:
        test_array_release(&longer);
        test_array_release(&out);
        test_array_release(&a);
    }
}

/* ---- Products ---- */

/* Intermediate results have the range of the type that is computed with, in the order that is documented: what overflows on its way
 * is infinite, and with a zero NaN. The references keep to that order. */
static void products(suite *t)
{
    static const int32_t dtypes[] = { YOKE_F32, YOKE_F64, YOKE_C64, YOKE_C128 };
    static const long double sets[][3] = {
        { 0, 1e30L, 1e30L }, { 1e30L, 1e30L, 0 }, { 1e30L, 1e-30L, 2 }, { 1e-30L, 1e-30L, 1e30L }
    };
    for (size_t i = 0; i < COUNT_OF(dtypes); i++)
        for (size_t k = 0; k < COUNT_OF(sets) && is_exact(t); k++) {
            test_array a = { 0 }, out = { 0 };
            if (!test_has(t, dtypes[i]))
                break;
            NEED(test_array_create(t, dtypes[i], 1, SHAPE(4), LAYOUT_CONTIGUOUS, 1, &a));
            NEED(test_array_create(t, dtypes[i], 0, NULL, LAYOUT_CONTIGUOUS, 2, &out) && test_upload(t, &out));
            for (int64_t e = 0; e < a.count; e++)
                test_set(&a, e, sets[k][e % 3] * (dtypes[i] == YOKE_F32 || dtypes[i] == YOKE_C64 ? 1 : sets[k][e % 3] * 1e120L));
            NEED(test_upload(t, &a));
            NEED_OK(yoke_reduce(t->stream, YOKE_REDUCE_PRODUCT, &out.array, &a.array, YOKE_ALL_AXES));
            NEED_OK(yoke_stream_wait(t->stream));
            NEED(test_download_checked(t, &out, false));
            reference_check(YOKE_REDUCE_PRODUCT, &a, 1, &out, "product");
        out:
            test_array_release(&out);
            test_array_release(&a);
        }
}

/* ---- Half spectra ---- */

typedef struct spectrum_trial {
    int32_t dtype, dimensions; /* of the real data */
    int64_t shape[3];
    int32_t axes[3];
    size_t axis_count;
    layout how;
    bool is_long; /* too long for the double's cuFFT, which sums by the definition */
} spectrum_trial;

static void try_spectrum(suite *t, const spectrum_trial *c, uint32_t flags)
{
    test_array half = { 0 }, back = { 0 };
    point *points = NULL, *wanted = NULL;
    yoke_fft_options o = YOKE_FFT_OPTIONS_INIT;
    int64_t shape[3], n = 1;
    if (!test_has(t, c->dtype) || (c->is_long && !flags && strstr(t->info.name, "double")))
        return;
    memcpy(shape, c->shape, sizeof shape);
    shape[c->axes[c->axis_count - 1]] = c->shape[c->axes[c->axis_count - 1]] / 2 + 1;
    NEED(test_array_create(t, c->dtype == YOKE_F32 ? YOKE_C64 : YOKE_C128, c->dimensions, shape, c->how, 5, &half));
    NEED(test_array_create(t, c->dtype, c->dimensions, c->shape, c->how, 6, &back));
    NEED(test_upload(t, &half) && test_upload(t, &back));
    points = spectrum_points(&half);
    wanted = spectrum_points(&back);
    spectrum_back(points, wanted, c->dimensions, c->shape, c->axes, c->axis_count);
    for (size_t i = 0; i < c->axis_count; i++)
        n *= c->shape[c->axes[i]];
    o.flags = flags;
    NEED_OK(yoke_fft(t->stream, YOKE_FFT_INVERSE, &back.array, &half.array, c->axes, c->axis_count, &o));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &back, false) && test_download_checked(t, &half, true));
    double error = spectrum_error(&back, wanted), limit = 3 * spectrum_limit(c->dtype, n);
    tap_diag("%lld elements back to %lld%s: error %.3g, limit %.3g", (long long)half.count, (long long)back.count,
             flags ? ", by own kernels" : "", error, limit);
    CHECK(error <= limit);
out:
    memory_free(points);
    memory_free(wanted);
    test_array_release(&back);
    test_array_release(&half);
}

/* numpy.fft's meaning, also of a spectrum of no real data: by a library where there is one, and by Yoke's own kernels. */
static void half_spectra(suite *t)
{
    static const spectrum_trial trials[] = {
        { YOKE_F32, 1, { 8 }, { 0 }, 1, LAYOUT_CONTIGUOUS, false },
        { YOKE_F32, 1, { 1 }, { 0 }, 1, LAYOUT_CONTIGUOUS, false },
        { YOKE_F32, 1, { 2 }, { 0 }, 1, LAYOUT_CONTIGUOUS, false },
        { YOKE_F32, 1, { 5 }, { 0 }, 1, LAYOUT_CONTIGUOUS, false },
        { YOKE_F32, 1, { 34 }, { 0 }, 1, LAYOUT_CONTIGUOUS, false },
        { YOKE_F32, 1, { 8192 }, { 0 }, 1, LAYOUT_CONTIGUOUS, true },
        { YOKE_F32, 2, { 3, 8 }, { 1 }, 1, LAYOUT_CONTIGUOUS, false },
        { YOKE_F32, 2, { 8, 3 }, { 0 }, 1, LAYOUT_RANDOM, false },
        { YOKE_F32, 2, { 5, 8 }, { 0, 1 }, 2, LAYOUT_CONTIGUOUS, false },
        { YOKE_F32, 2, { 8, 5 }, { 0, 1 }, 2, LAYOUT_CONTIGUOUS, false },
        { YOKE_F32, 2, { 8, 5 }, { 1, 0 }, 2, LAYOUT_RANDOM, false },
        { YOKE_F32, 2, { 1, 8 }, { 0, 1 }, 2, LAYOUT_CONTIGUOUS, false },
        { YOKE_F32, 3, { 4, 5, 8 }, { 0, 1, 2 }, 3, LAYOUT_CONTIGUOUS, false },
        { YOKE_F32, 3, { 2, 5, 8 }, { 1, 2 }, 2, LAYOUT_CONTIGUOUS, false },
        { YOKE_F32, 3, { 5, 2, 8 }, { 2, 0 }, 2, LAYOUT_OFFSET, false },
        { YOKE_F64, 1, { 8 }, { 0 }, 1, LAYOUT_CONTIGUOUS, false },
        { YOKE_F64, 3, { 4, 5, 8 }, { 0, 1, 2 }, 3, LAYOUT_CONTIGUOUS, false },
    };
    if (strcmp(t->info.backend, "cuda") == 0) {
        (void)vendor_open_double(t);
        tap_diag("cuFFT: %s", yops_library_open(YOPS_CUFFT)->usable ? "used" : yops_library_open(YOPS_CUFFT)->reason);
    }
    for (size_t i = 0; i < COUNT_OF(trials); i++)
        for (uint32_t flags = 0; flags <= YOKE_FFT_EXACT; flags++)
            try_spectrum(t, &trials[i], flags);
}

static const suite_case cases[] = {
    { "norms of very large and very small elements have a value", norms, false },
    { "norms of segments of them", norms_of_segments, false },
    { "means of complex numbers with an infinite part", means, false },
    { "absolute values of complex numbers are those of hypot", absolutes, false },
    { "products that overflow on their way, in the documented order", products, false },
    { "half spectra of no real data have the meaning of numpy.fft", half_spectra, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
