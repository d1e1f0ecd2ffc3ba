/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters against a reference on the host that follows the documented order, bit by bit, and against sums in higher precision; some
 * results are SciPy's own. filter_scipy.py compares many more with SciPy.
 */
#include "filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>

#include "ops/signal/filter.h"

/* ---- Random trials ---- */

typedef enum kind { GAUSSIAN, BOX, SEPARABLE, SOBEL, CORRELATE, CONVOLVE, KINDS } kind;

static void choose_filter(suite *t, uint32_t *random, kind what, const int64_t *shape, int32_t dimensions, filter_case *c)
{
    *c = (filter_case){ .options = YOKE_FILTER_OPTIONS_INIT };
    c->keeps_zeros = yoke_device_supports(t->device, YOKE_CAP_EXACT_FP32); /* others take x + 0 for x */
    c->options.boundary = (int32_t)test_random_below(random, 5);
    c->options.rounding = (int32_t)test_random_below(random, 2);
    c->options.value = (double)test_random_below(random, 9) - 3;
    c->options.origins = c->origins;
    for (int32_t axis = 0; axis < dimensions && c->axis_count < 3; axis++)
        if (test_random_below(random, 3) > 0 || (axis + 1 == dimensions && c->axis_count == 0))
            c->axes[c->axis_count++] = axis;
    for (int32_t i = 0; i < c->axis_count; i++) {
        c->taps[i] = what == SOBEL ? 3 : 1 + test_random_below(random, what == BOX && shape[c->axes[i]] > 60 ? 140 : 9);
        c->sigmas[i] = (double)test_random_below(random, 20) / 10;
        c->origins[i] = (int32_t)(test_random_below(random, c->taps[i]) - c->taps[i] / 2);
        for (int64_t k = 0; k < c->taps[i] && k < FILTER_MOST_TAPS; k++)
            c->weights[i][k] = (double)(test_random_below(random, 2001) - 1000) / 500;
    }
    for (int64_t i = 0; i < FILTER_MOST_FULL; i++)
        c->full[i] = (double)(test_random_below(random, 2001) - 1000) / 500;
    c->axis = c->axes[test_random_below(random, c->axis_count)];
    if (what == GAUSSIAN || what == SOBEL)
        c->options.origins = NULL;
    c->is_box = what == BOX;
    c->is_full = what == CORRELATE || what == CONVOLVE;
    c->reversed = what == CONVOLVE;
}

static yoke_status enqueue(suite *t, kind k, const filter_case *c, const yoke_array *out, const yoke_array *a)
{
    yoke_weights weights[3];
    for (int i = 0; i < 3; i++)
        weights[i] = (yoke_weights){ c->weights[i], c->taps[i] };
    size_t count = (size_t)c->axis_count;
    switch (k) {
    case GAUSSIAN:
        return yoke_gaussian_filter(t->stream, out, a, c->sigmas, c->axes, count, &c->options);
    case BOX:
        return yoke_box_filter(t->stream, out, a, c->taps, c->axes, count, &c->options);
    case SEPARABLE:
        return yoke_separable_filter(t->stream, out, a, weights, c->axes, count, &c->options);
    case SOBEL:
        return yoke_sobel_filter(t->stream, out, a, c->axis, c->axes, count, &c->options);
    case CORRELATE:
        return yoke_correlate(t->stream, out, a, c->full, c->taps, c->axes, count, &c->options);
    default:
        return yoke_convolve(t->stream, out, a, c->full, c->taps, c->axes, count, &c->options);
    }
}

/* The weights of those filters that make their own. */
static void set_weights(kind k, filter_case *c)
{
    static const double derivative[] = { -1, 0, 1 }, smooth[] = { 1, 2, 1 };
    for (int32_t i = 0; i < c->axis_count; i++) {
        if (k == SOBEL)
            memcpy(c->weights[i], c->axes[i] == c->axis ? derivative : smooth, sizeof smooth);
        if (k != GAUSSIAN)
            continue;
        double truncate = c->options.truncate > 0 ? c->options.truncate : 4, sum = 0, sigma = c->sigmas[i];
        int64_t radius = (int64_t)(truncate * sigma + 0.5);
        c->taps[i] = 2 * radius + 1;
        for (int64_t x = -radius; x <= radius; x++)
            sum += c->weights[i][x + radius] = sigma > 0 ? exp(-0.5 / (sigma * sigma) * (double)(x * x)) : 1;
        for (int64_t x = 0; x < c->taps[i]; x++)
            c->weights[i][x] /= sum;
        c->origins[i] = 0;
    }
    if (k == SOBEL)
        memset(c->origins, 0, sizeof c->origins);
}

static bool compare(const char *what, const filter_case *c, const test_array *a, const test_array *out)
{
    filter_result wanted = filter_refer(c, a, out->array.dtype);
    bool good = true;
    for (int64_t i = 0; i < out->count && good; i++) {
        unsigned char element[16];
        test_store(out->array.dtype, element, (long double)wanted.exact[i]);
        long double got = test_get(out, i), limit = wanted.limit[i], distance = fabsl(got - wanted.precise[i]);
        good = test_same(out->array.dtype, test_element(out, i), element) || (!c->keeps_zeros && got == 0 && wanted.exact[i] == 0);
        if (!good)
            tap_diag("%s: %s to %s, element %lld: %.9Lg, not %.9g; boundary %d", what, yoke_dtype_get_name(a->array.dtype),
                     yoke_dtype_get_name(out->array.dtype), (long long)i, got, wanted.exact[i], (int)c->options.boundary);
        if (yk_dtype_get(out->array.dtype)->kind == YK_KIND_FLOATING && !(distance <= limit)) {
            tap_diag("%s: element %lld: %.9Lg is too far from %.9Lg", what, (long long)i, got, wanted.precise[i]);
            good = false;
        }
    }
    filter_result_free(&wanted);
    return CHECK(good && "the filter's results are right");
}

static bool try_filter(suite *t, kind k, int32_t in, int32_t to, layout how, int32_t dimensions, const int64_t *shape,
                       uint32_t seed)
{
    uint32_t random = seed + 1;
    test_array a, out;
    filter_case c;
    bool good = test_array_create(t, in, dimensions, shape, how, seed, &a);
    if (!good)
        return false;
    if ((good = test_array_create(t, to, dimensions, shape, how, seed + 1, &out))) {
        choose_filter(t, &random, k, shape, dimensions, &c);
        good = test_upload(t, &a) && test_upload(t, &out) && CHECK_OK(enqueue(t, k, &c, &out.array, &a.array)) &&
               CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false) && test_download_checked(t, &a, true);
        set_weights(k, &c);
        good = good && compare("trial", &c, &a, &out);
        test_array_release(&out);
    }
    test_array_release(&a);
    return good;
}

/* Every kind, boundary and layout; shapes of 1 to 4 axes with extents round the kernels' sizes. */
static void try_many(suite *t, int32_t in, int32_t to, uint32_t rounds, int32_t most_dimensions)
{
    static const int64_t extents[] = { 1, 2, 3, 7, 8, 9, 15, 17, 31, 63, 64, 65, 130, 255, 257, 530, 1025, 1300 };
    uint32_t random = (uint32_t)(in * 100 + to);
    if (!test_has(t, in) || !test_has(t, to))
        return;
    for (uint32_t i = 0; i < rounds; i++) {
        int32_t dimensions = 1 + (int32_t)(i % (uint32_t)most_dimensions);
        int64_t shape[4], size = 1;
        for (int32_t d = dimensions - 1; d >= 0; d--) {
            shape[d] = extents[test_random_below(&random, 18)];
            while (size * shape[d] > 20000)
                shape[d] = shape[d] / 3 + 1 < shape[d] ? shape[d] / 3 + 1 : 1;
            size *= shape[d];
        }
        if (!try_filter(t, (kind)(i / 4 % KINDS), in, to, (layout)(i % 3), dimensions, shape, i * 7 + (uint32_t)in))
            return;
    }
}

static void floats(suite *t)
{
    try_many(t, YOKE_F32, YOKE_F32, 96, 4);
}

static void bytes(suite *t)
{
    try_many(t, YOKE_U8, YOKE_U8, 48, 4);
}

static void short_floats(suite *t)
{
    try_many(t, YOKE_F32, YOKE_F32, 24, 4);
}

static void pairs(suite *t)
{
    try_many(t, YOKE_U8, YOKE_I16, 24, 1);
    try_many(t, YOKE_F64, YOKE_F64, 24, 1);
    try_many(t, YOKE_U16, YOKE_F16, 24, 1);
}

/* ---- Two axes at once ---- */

static void try_plane(suite *t, int32_t in, int32_t to, const int64_t *taps, int32_t channels, uint32_t seed)
{
    uint32_t random = seed;
    for (int32_t boundary = 0; boundary < 5; boundary++) {
        int64_t shape[] = { 2, 40 + (int64_t)seed % 9, 301, channels };
        int32_t dimensions = channels > 1 ? 4 : 3;
        test_array a, out;
        filter_case c;
        kind k = boundary % 3 == 1 ? BOX : SEPARABLE;
        choose_filter(t, &random, k, shape, dimensions, &c);
        c.axis_count = 2;
        c.axes[0] = 1;
        c.axes[1] = 2;
        c.options.boundary = boundary;
        for (int i = 0; i < 2; i++) {
            c.taps[i] = taps[i];
            c.origins[i] = (int32_t)(test_random_below(&random, taps[i]) - taps[i] / 2);
        }
        if (!test_array_create(t, in, dimensions, shape, boundary == 2 ? LAYOUT_OFFSET : LAYOUT_CONTIGUOUS, seed, &a))
            return;
        if (test_array_create(t, to, dimensions, shape, LAYOUT_CONTIGUOUS, seed + 1, &out)) {
            if (test_upload(t, &a) && test_upload(t, &out) && CHECK_OK(enqueue(t, k, &c, &out.array, &a.array)) &&
                CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false))
                compare("plane", &c, &a, &out);
            test_array_release(&out);
        }
        test_array_release(&a);
    }
}

/* A CPU takes seconds to compile such a kernel, and gets one. */
static void planes(suite *t)
{
    yops_filter_force = 1;
    try_plane(t, YOKE_F32, YOKE_F32, (const int64_t[]){ 5, 4 }, 1, 1);
    if (t->info.kind != YOKE_DEVICE_CPU)
        try_plane(t, YOKE_U8, YOKE_U8, (const int64_t[]){ 2, 3 }, 3, 2);
    yops_filter_force = 0;
}

/* ---- Few weights of two and three axes ---- */

/* Channels of their own, and then the axes of the taps, by every boundary; the taps decide which kernel is compiled, and the
 * origins too where rows are read by vectors. */
static void try_few(suite *t, int32_t dtype, int32_t axis_count, const int64_t *extents, const int64_t *taps, uint32_t seed)
{
    uint32_t random = seed;
    int64_t shape[4] = { 2 };
    int32_t dimensions = axis_count + 1;
    memcpy(shape + 1, extents, (size_t)axis_count * sizeof *extents);
    for (int32_t boundary = 0; boundary < 5; boundary++) {
        test_array a, out;
        filter_case c;
        choose_filter(t, &random, CORRELATE, shape, dimensions, &c);
        c.axis_count = axis_count;
        c.options.boundary = boundary;
        for (int i = 0; i < axis_count; i++) {
            c.axes[i] = i + 1;
            c.taps[i] = taps[i];
            c.origins[i] = i + 1 == axis_count ? 0 : (int32_t)(test_random_below(&random, taps[i]) - taps[i] / 2);
        }
        if (!test_array_create(t, dtype, dimensions, shape, LAYOUT_CONTIGUOUS, seed, &a))
            return;
        if (test_array_create(t, dtype, dimensions, shape, LAYOUT_CONTIGUOUS, seed + 1, &out)) {
            if (test_upload(t, &a) && test_upload(t, &out) && CHECK_OK(enqueue(t, CORRELATE, &c, &out.array, &a.array)) &&
                CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false))
                compare("few weights", &c, &a, &out);
            test_array_release(&out);
        }
        test_array_release(&a);
    }
}

/* The kernel of GPUs: tiles inside the array and at its borders, read by vectors and not. */
static void few(suite *t)
{
    yops_filter_force = 1;
    try_few(t, YOKE_F32, 2, (const int64_t[]){ 75, 276 }, (const int64_t[]){ 2, 3 }, 1);
    try_few(t, YOKE_U8, 3, (const int64_t[]){ 5, 41, 145 }, (const int64_t[]){ 2, 2, 2 }, 2);
    yops_filter_force = 0;
    if (t->info.kind == YOKE_DEVICE_CPU) /* which has one for all taps */
        try_few(t, YOKE_F32, 3, (const int64_t[]){ 4, 19, 530 }, (const int64_t[]){ 3, 5, 9 }, 3);
}

/* ---- SciPy's own results ---- */

/* numpy.array([3, 1, 4, 1, 5, 9, 2, 6]) by modes reflect, constant (cval 2), nearest, mirror, wrap. */
static const double gaussian_of_scipy[5][8] = {
#include "filter_scipy.def"
};

static void scipy(suite *t)
{
    static const double in[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
    const int64_t n = 8;
    test_array a, out;
    if (!test_array_create(t, YOKE_F32, 1, &n, LAYOUT_CONTIGUOUS, 1, &a))
        return;
    if (test_array_create(t, YOKE_F32, 1, &n, LAYOUT_CONTIGUOUS, 2, &out)) {
        for (int64_t i = 0; i < n; i++)
            test_set(&a, i, in[i]);
        for (int32_t boundary = 0; boundary < 5; boundary++) {
            yoke_filter_options options = YOKE_FILTER_OPTIONS_INIT;
            options.boundary = boundary;
            options.value = 2;
            if (!test_upload(t, &a) || !test_upload(t, &out) ||
                !CHECK_OK(
                    yoke_gaussian_filter(t->stream, &out.array, &a.array, (const double[]){ 1.5 }, YOKE_ALL_AXES, &options)) ||
                !CHECK_OK(yoke_stream_wait(t->stream)) || !test_download_checked(t, &out, false))
                break;
            for (int64_t i = 0; i < n; i++)
                if (!CHECK(fabs((double)test_get(&out, i) - gaussian_of_scipy[boundary][i]) < 2e-6))
                    tap_diag("boundary %d, element %d: %.9Lg, SciPy has %.9g", (int)boundary, (int)i, test_get(&out, i),
                             gaussian_of_scipy[boundary][i]);
        }
        test_array_release(&out);
    }
    test_array_release(&a);
}

/* Sums of 24 bits are exact, so that the mean is, and ties go to the even neighbour or are cut. */
static void rounding(suite *t)
{
    const int64_t n = 4;
    static const double in[] = { 1, 2, 2, 3 }, wanted[2][4] = { { 1, 2, 2, 2 }, { 1, 1, 2, 2 } };
    test_array a, out;
    if (!test_array_create(t, YOKE_U8, 1, &n, LAYOUT_CONTIGUOUS, 1, &a))
        return;
    if (test_array_create(t, YOKE_U8, 1, &n, LAYOUT_CONTIGUOUS, 2, &out)) {
        for (int64_t i = 0; i < n; i++)
            test_set(&a, i, in[i]);
        for (int32_t rule = 0; rule < 2; rule++) {
            yoke_filter_options options = YOKE_FILTER_OPTIONS_INIT;
            options.rounding = rule;
            if (!test_upload(t, &a) || !test_upload(t, &out) ||
                !CHECK_OK(yoke_box_filter(t->stream, &out.array, &a.array, (const int64_t[]){ 2 }, YOKE_AXES(0), &options)) ||
                !CHECK_OK(yoke_stream_wait(t->stream)) || !test_download_checked(t, &out, false))
                break;
            for (int64_t i = 0; i < n; i++)
                CHECK(test_get(&out, i) == wanted[rule][i]);
        }
        test_array_release(&out);
    }
    test_array_release(&a);
}

/* ---- Graphs, empty arrays, mistakes ---- */

static void replays(suite *t)
{
    const int64_t shape[] = { 30, 70 };
    double sigmas[] = { 1, 0.7 };
    yoke_graph *graph = NULL;
    test_array a, out;
    if (!test_array_create(t, YOKE_F32, 2, shape, LAYOUT_CONTIGUOUS, 1, &a))
        return;
    if (test_array_create(t, YOKE_F32, 2, shape, LAYOUT_CONTIGUOUS, 2, &out)) {
        filter_case c = {
            .options = YOKE_FILTER_OPTIONS_INIT, .keeps_zeros = true, .axis_count = 2, .axes = { 0, 1 }, .sigmas = { 1, 0.7 }
        };
        set_weights(GAUSSIAN, &c);
        if (CHECK_OK(yoke_graph_create(t->device, "filter", &graph)) && CHECK_OK(yoke_graph_begin(graph, t->stream)) &&
            CHECK_OK(yoke_gaussian_filter(t->stream, &out.array, &a.array, sigmas, YOKE_AXES(0, 1), NULL)) &&
            CHECK_OK(yoke_graph_end(graph))) {
            sigmas[0] = sigmas[1] = 9; /* read during the call */
            for (uint32_t seed = 0; seed < 3; seed++) {
                test_fill_whole_range(&a, seed, false);
                for (int64_t i = 0; i < a.count; i++)
                    test_set(&a, i, (long double)((seed * 31 + (uint32_t)i * 17) % 101));
                if (test_upload(t, &a) && test_upload(t, &out) && CHECK_OK(yoke_graph_launch(t->stream, graph)) &&
                    CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false))
                    compare("replay", &c, &a, &out);
            }
        }
        yoke_graph_release(graph);
        test_array_release(&out);
    }
    test_array_release(&a);
}

static void mistakes(suite *t)
{
    const int64_t shape[] = { 6, 5 };
    const double sigmas[] = { 1, -1 }, weights[9] = { 1 };
    test_array x, y;
    if (!test_array_create(t, YOKE_F32, 2, shape, LAYOUT_CONTIGUOUS, 1, &x))
        return;
    if (!test_array_create(t, YOKE_F32, 2, shape, LAYOUT_CONTIGUOUS, 2, &y)) {
        test_array_release(&x);
        return;
    }
    yoke_array *a = &x.array, *out = &y.array, bad = *out, row = yoke_array_index(*out, 0, 1);
    yoke_filter_options options = YOKE_FILTER_OPTIONS_INIT;
    yoke_stream *s = t->stream;
#define REFUSED(words, call) CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, words, call)
    REFUSED("yoke_gaussian_filter|stream", yoke_gaussian_filter(NULL, out, a, weights, YOKE_AXES(0, 1), NULL));
    REFUSED("out is NULL", yoke_box_filter(s, NULL, a, shape, YOKE_AXES(0, 1), NULL));
    REFUSED("a is NULL", yoke_correlate(s, out, NULL, weights, shape, YOKE_AXES(0, 1), NULL));
    REFUSED("sigma of axis 1 is -1", yoke_gaussian_filter(s, out, a, sigmas, YOKE_AXES(0, 1), NULL));
    REFUSED("sigma of axis 0 is -1", yoke_gaussian_filter(s, out, a, sigmas, YOKE_AXES(1, 0), NULL));
    REFUSED("sigmas is NULL", yoke_gaussian_filter(s, out, a, NULL, YOKE_AXES(1), NULL));
    REFUSED("yoke_gaussian_filter|axis 2 is out of range: the array has 2 dimensions",
            yoke_gaussian_filter(s, out, a, weights, YOKE_AXES(0, 2), NULL));
    REFUSED("axis 1 is named twice: the array has 2 dimensions", yoke_gaussian_filter(s, out, a, weights, YOKE_AXES(1, 1), NULL));
    REFUSED("axes is NULL, and axis_count is 2", yoke_gaussian_filter(s, out, a, weights, NULL, 2, NULL));
    REFUSED("out overlaps a", yoke_gaussian_filter(s, a, a, weights, YOKE_AXES(0, 1), NULL));
    REFUSED("(5)|(6, 5)", yoke_gaussian_filter(s, &row, a, weights, YOKE_AXES(0), NULL));
    REFUSED("size of axis 0 is 0", yoke_box_filter(s, out, a, (const int64_t[]){ 0 }, YOKE_AXES(0), NULL));
    REFUSED("weights of axis 1|NULL", yoke_separable_filter(s, out, a, &(yoke_weights){ NULL, 1 }, YOKE_AXES(1), NULL));
    REFUSED("weights of axis 1|1 or more", yoke_separable_filter(s, out, a, &(yoke_weights){ weights, 0 }, YOKE_AXES(1), NULL));
    REFUSED("axis is 0, which is not", yoke_sobel_filter(s, out, a, 0, YOKE_AXES(1), NULL));
    REFUSED("yoke_convolve|shape is NULL", yoke_convolve(s, out, a, weights, NULL, YOKE_AXES(0, 1), NULL));
    REFUSED("extent of axis 1 is -3", yoke_convolve(s, out, a, weights, (const int64_t[]){ -3 }, YOKE_AXES(1), NULL));
    CHECK_FAILS(YOKE_E_RANGE, "taps", yoke_correlate(s, out, a, weights, (const int64_t[]){ 1 << 20, 2 }, YOKE_AXES(0, 1), NULL));
    CHECK_FAILS(YOKE_E_RANGE, "sigma", yoke_gaussian_filter(s, out, a, (const double[]){ 1e9 }, YOKE_AXES(0), NULL));
    bad.dtype = YOKE_I32;
    REFUSED("out|int32", yoke_gaussian_filter(s, &bad, a, weights, YOKE_AXES(0), NULL));
    options.boundary = 5;
    REFUSED("boundary is 5", yoke_gaussian_filter(s, out, a, weights, YOKE_AXES(0), &options));
    options = (yoke_filter_options)YOKE_FILTER_OPTIONS_INIT;
    options.rounding = 2;
    REFUSED("rounding is 2", yoke_gaussian_filter(s, out, a, weights, YOKE_AXES(0), &options));
    options = (yoke_filter_options)YOKE_FILTER_OPTIONS_INIT;
    options.truncate = NAN;
    REFUSED("truncate is nan", yoke_gaussian_filter(s, out, a, weights, YOKE_AXES(0), &options));
    options = (yoke_filter_options)YOKE_FILTER_OPTIONS_INIT;
    options.origins = (const int32_t[]){ 2 };
    REFUSED("origin of axis 0 is 2|3 taps", yoke_box_filter(s, out, a, (const int64_t[]){ 3 }, YOKE_AXES(0), &options));
    yoke_array none = yoke_array_slice(*a, 0, 3, 3, 1), none_out = yoke_array_slice(*out, 0, 3, 3, 1);
    CHECK_OK(yoke_gaussian_filter(s, &none_out, &none, weights, YOKE_AXES(0, 1), NULL));
    CHECK_OK(yoke_stream_wait(s));
    test_array_release(&y);
    test_array_release(&x);
}

static const suite_case cases[] = {
    { "filters floats of every shape, layout and boundary", floats, false },
    { "filters bytes, and rounds them", bytes, false },
    { "filters from one dtype to another", pairs, false },
    { "has the same bits where two axes are one launch", planes, false },
    { "has the same bits where few weights are parameters", few, false },
    { "agrees with SciPy's own results", scipy, false },
    { "rounds to the nearest or towards 0", rounding, false },
    { "is recorded, and replayed with other data", replays, false },
    { "says what is wrong", mistakes, false },
};

static const suite_case short_cases[] = {
    { "filters floats of every shape, layout and boundary", short_floats, false },
    { "agrees with SciPy's own results", scipy, false },
    { "is recorded, and replayed with other data", replays, false },
    { "says what is wrong", mistakes, false },
};

int main(void)
{
    return getenv("YOKE_TEST_SHORT") ? SUITE_MAIN(short_cases, NULL) : SUITE_MAIN(cases, NULL);
}
