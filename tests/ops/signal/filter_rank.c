/* SPDX-License-Identifier: Apache-2.0 */
/* Filters by rank against sorted neighbours on the host, bit by bit: every boundary, layout and form of the kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>

#include "../arrays.h"
#include "filter.h"
#include "ops/signal/filter.h"

enum { MOST_NEIGHBOURS = 400 };

typedef struct rank_case {
    yoke_filter_options options;
    int64_t rank, sizes[4];
    int32_t axis_count, axes[4], origins[4];
    uint8_t footprint[MOST_NEIGHBOURS];
    bool has_footprint;
} rank_case;

/* ---- The reference ---- */

/* NaN behind everything, -0 before +0. */
static int compare(const void *a, const void *b)
{
    long double x = *(const long double *)a, y = *(const long double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    if (x == y)
        return !!signbit(y) - !!signbit(x);
    return x < y ? -1 : 1;
}

static long double neighbour(const rank_case *c, const test_array *a, int64_t position, int64_t code)
{
    int64_t stride = 1, found = 0, shift[YOKE_MAX_DIMENSIONS] = { 0 };
    bool constant = false;
    for (int32_t i = c->axis_count - 1; i >= 0; i--) {
        shift[c->axes[i]] = code % c->sizes[i] - c->sizes[i] / 2 - c->origins[i];
        code /= c->sizes[i];
    }
    for (int32_t axis = a->array.dimensions - 1; axis >= 0; axis--) {
        int64_t extent = a->array.shape[axis], at = filter_place(position % extent + shift[axis], extent, c->options.boundary);
        constant = constant || at < 0;
        found += at * stride;
        stride *= extent;
        position /= extent;
    }
    return constant ? (long double)c->options.value : test_get(a, found);
}

static long double find_rank(const rank_case *c, const test_array *a, int64_t position)
{
    long double values[MOST_NEIGHBOURS];
    int64_t box = 1, count = 0;
    for (int32_t i = 0; i < c->axis_count; i++)
        box *= c->sizes[i];
    for (int64_t code = 0; code < box; code++)
        if (!c->has_footprint || c->footprint[code])
            values[count++] = neighbour(c, a, position, code);
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[c->rank < 0 ? c->rank + count : c->rank];
}

/* ---- Trials ---- */

static yoke_status enqueue(suite *t, const rank_case *c, const test_array *out, const test_array *a)
{
    return yoke_rank_filter(t->stream, &out->array, &a->array, c->rank, c->sizes, c->has_footprint ? c->footprint : NULL, c->axes,
                            (size_t)c->axis_count, &c->options);
}

static bool agrees(const rank_case *c, const test_array *a, const test_array *out)
{
    bool good = true;
    for (int64_t i = 0; i < out->count && good; i++) {
        unsigned char element[16];
        test_store(out->array.dtype, element, find_rank(c, a, i));
        good = test_same(out->array.dtype, test_element(out, i), element);
        if (!good)
            tap_diag("%s, element %lld: %.9Lg, not %.9Lg; boundary %d, rank %d", yoke_dtype_get_name(a->array.dtype), (long long)i,
                     test_get(out, i), test_load(out->array.dtype, element), (int)c->options.boundary, (int)c->rank);
    }
    return CHECK(good && "the neighbours' ranks are right");
}

static bool try_rank(suite *t, const rank_case *c, int32_t dtype, int32_t dimensions, const int64_t *shape, layout how,
                     uint32_t seed)
{
    test_array a, out;
    bool good = test_array_create(t, dtype, dimensions, shape, how, seed, &a);
    if (!good)
        return false;
    if ((good = test_array_create(t, dtype, dimensions, shape, how, seed + 1, &out))) {
        test_fill_whole_range(&a, seed, true);
        good = test_upload(t, &a) && test_upload(t, &out) && CHECK_OK(enqueue(t, c, &out, &a)) &&
               CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false) &&
               test_download_checked(t, &a, true) && agrees(c, &a, &out);
        test_array_release(&out);
    }
    test_array_release(&a);
    return good;
}

/* A window over some axes, in any order, and a rank: one in three the smallest or the largest. */
static rank_case choose(uint32_t *random, int32_t dimensions, int32_t boundary, int64_t most)
{
    rank_case c = { .options = YOKE_FILTER_OPTIONS_INIT, .has_footprint = test_random_below(random, 3) == 0 };
    int64_t count = 1, chosen = 0;
    int32_t turn = (int32_t)test_random_below(random, dimensions);
    c.options.boundary = boundary;
    c.options.value = (double)test_random_below(random, 2);
    for (int32_t i = 0; i < dimensions; i++) {
        if (test_random_below(random, 4) == 0 && c.axis_count > 0)
            continue;
        c.axes[c.axis_count] = (i + turn) % dimensions;
        int64_t size = c.sizes[c.axis_count] = 1 + test_random_below(random, most);
        c.origins[c.axis_count++] = (int32_t)(test_random_below(random, size) - size / 2);
        count *= size;
    }
    for (int64_t i = 0; i < count; i++)
        chosen += c.footprint[i] = test_random_below(random, 2) == 0 || i == count / 2;
    count = c.has_footprint ? chosen : count;
    c.rank = test_random_below(random, 3) > 0 ? test_random_below(random, 2 * count) - count : test_random_below(random, 2) - 1;
    return c;
}

static void try_many(suite *t, int32_t dtype, uint32_t rounds)
{
    static const int64_t extents[] = { 1, 2, 3, 7, 16, 17, 33, 40, 130 };
    uint32_t random = (uint32_t)dtype + 7;
    if (!test_has(t, dtype))
        return;
    for (uint32_t i = 0; i < rounds; i++) {
        int32_t dimensions = 1 + (int32_t)(i % 3);
        int64_t shape[3], size = 1;
        for (int32_t d = dimensions - 1; d >= 0; d--) {
            shape[d] = extents[test_random_below(&random, 9)];
            while (size * shape[d] > 3000)
                shape[d] = shape[d] / 3 + 1;
            size *= shape[d];
        }
        rank_case c = choose(&random, dimensions, (int32_t)(i % 5), dimensions == 1 ? 40 : 12 / dimensions);
        c.options.origins = c.origins;
        if (dtype != YOKE_U8 && dtype != YOKE_BOOL)
            c.options.value *= -7;
        if (!try_rank(t, &c, dtype, dimensions, shape, (layout)(i / 5 % 3), i * 7 + 1))
            return;
    }
}

static void floats(suite *t)
{
    try_many(t, YOKE_F32, 45);
}

static void bytes(suite *t)
{
    try_many(t, YOKE_U8, 30);
}

/* Each kind of order: signed, narrower than the numbers that kernels compare, of 64 bits, halves, bool. */
static void others(suite *t)
{
    try_many(t, YOKE_I8, 15);
    try_many(t, YOKE_I64, 15);
    try_many(t, YOKE_BF16, 15);
    try_many(t, YOKE_BOOL, 15);
}

static void shorter(suite *t)
{
    try_many(t, YOKE_F32, 15);
}

/* Kernels for a number of neighbours: large arrays take them, and here small ones do. */
static void selected(suite *t)
{
    const int64_t shape[] = { 3, 37, 150 };
    rank_case c = { .options = YOKE_FILTER_OPTIONS_INIT, .rank = 4, .sizes = { 3, 3 }, .axis_count = 2, .axes = { 1, 2 } };
    for (c.options.boundary = 0; c.options.boundary < 5; c.options.boundary++) {
        if (c.options.boundary % 2) /* the CPU's own, where the device is one */
            try_rank(t, &c, YOKE_F32, 3, (const int64_t[]){ 1, 90, 200 }, LAYOUT_CONTIGUOUS, 3);
        yops_filter_force = 1;
        try_rank(t, &c, YOKE_F32, 3, shape, LAYOUT_CONTIGUOUS, 5);
        yops_filter_force = 0;
    }
    c = (rank_case){ .options = YOKE_FILTER_OPTIONS_INIT, .rank = 16, .sizes = { 31 }, .axis_count = 1, .axes = { 2 } };
    yops_filter_force = 1;
    try_rank(t, &c, YOKE_U8, 3, shape, LAYOUT_RANDOM, 9);
    yops_filter_force = 0;
}

/* Large boxes: the extremes are found along one axis after the other. */
static void boxes(suite *t)
{
    const int64_t shape[] = { 6, 20, 45 };
    for (int32_t boundary = 0; boundary < 5; boundary++)
        for (int64_t rank = -1; rank < 1; rank++) {
            rank_case c = { .options = YOKE_FILTER_OPTIONS_INIT, .rank = rank, .sizes = { 3, 11, 5 }, .axis_count = 3 };
            for (int32_t i = 0; i < 3; i++)
                c.axes[i] = 2 - i;
            c.origins[1] = -4;
            c.options.origins = c.origins;
            c.options.boundary = boundary;
            c.options.value = 1;
            try_rank(t, &c, YOKE_F32, 3, shape, boundary == 3 ? LAYOUT_RANDOM : LAYOUT_CONTIGUOUS, 11);
        }
}

static void replays(suite *t)
{
    const int64_t shape[] = { 20, 33 };
    rank_case c = { .options = YOKE_FILTER_OPTIONS_INIT, .rank = 2, .sizes = { 3, 3 }, .has_footprint = true, .axis_count = 2 };
    const uint8_t cross[] = { 0, 1, 0, 1, 1, 1, 0, 1, 0 };
    yoke_graph *graph = NULL;
    test_array a, out;
    c.axes[1] = 1;
    memcpy(c.footprint, cross, sizeof cross);
    if (!test_array_create(t, YOKE_F32, 2, shape, LAYOUT_CONTIGUOUS, 1, &a))
        return;
    if (test_array_create(t, YOKE_F32, 2, shape, LAYOUT_CONTIGUOUS, 2, &out)) {
        if (CHECK_OK(yoke_graph_create(t->device, "rank", &graph)) && CHECK_OK(yoke_graph_begin(graph, t->stream)) &&
            CHECK_OK(enqueue(t, &c, &out, &a)) && CHECK_OK(yoke_graph_end(graph))) {
            memset(c.footprint, 1, sizeof c.footprint); /* read during the call */
            for (uint32_t seed = 0; seed < 2; seed++) {
                test_fill_whole_range(&a, seed, true);
                if (test_upload(t, &a) && test_upload(t, &out) && CHECK_OK(yoke_graph_launch(t->stream, graph)) &&
                    CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false)) {
                    memcpy(c.footprint, cross, sizeof cross);
                    agrees(&c, &a, &out);
                }
            }
        }
        yoke_graph_release(graph);
        test_array_release(&out);
    }
    test_array_release(&a);
}

static void mistakes(suite *t)
{
    const int64_t shape[] = { 6, 5 }, three[] = { 3, 3 };
    const uint8_t none[9] = { 0 };
    test_array x, y;
    if (!test_array_create(t, YOKE_F32, 2, shape, LAYOUT_CONTIGUOUS, 1, &x))
        return;
    if (!test_array_create(t, YOKE_F32, 2, shape, LAYOUT_CONTIGUOUS, 2, &y)) {
        test_array_release(&x);
        return;
    }
    yoke_array *a = &x.array, *out = &y.array, bad = *out, bad_in = *a;
    yoke_filter_options options = YOKE_FILTER_OPTIONS_INIT;
    yoke_stream *s = t->stream;
#define REFUSED(words, call) CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, words, call)
    REFUSED("yoke_rank_filter|sizes is NULL", yoke_rank_filter(s, out, a, 0, NULL, NULL, YOKE_AXES(0, 1), NULL));
    REFUSED("size of axis 1 is 0", yoke_rank_filter(s, out, a, 0, (const int64_t[]){ 3, 0 }, NULL, YOKE_AXES(0, 1), NULL));
    REFUSED("rank is 9, and there are 9 neighbours", yoke_rank_filter(s, out, a, 9, three, NULL, YOKE_AXES(0, 1), NULL));
    REFUSED("rank is -4, and there are 3", yoke_rank_filter(s, out, a, -4, three, NULL, YOKE_AXES(1), NULL));
    REFUSED("footprint has no neighbour", yoke_rank_filter(s, out, a, 0, three, none, YOKE_AXES(0, 1), NULL));
    REFUSED("axis 2 is out of range", yoke_rank_filter(s, out, a, 0, three, NULL, YOKE_AXES(0, 2), NULL));
    REFUSED("out overlaps a", yoke_rank_filter(s, a, a, 0, three, NULL, YOKE_AXES(0, 1), NULL));
    CHECK_FAILS(YOKE_E_RANGE, "neighbours",
                yoke_rank_filter(s, out, a, 0, (const int64_t[]){ 1 << 20, 2 }, NULL, YOKE_AXES(0, 1), NULL));
    bad.dtype = YOKE_I32;
    REFUSED("int32|float32", yoke_rank_filter(s, &bad, a, 0, three, NULL, YOKE_AXES(0, 1), NULL));
    bad_in.dtype = YOKE_I32;
    options.boundary = YOKE_BOUNDARY_CONSTANT;
    options.value = 0.5;
    REFUSED("value is 0.5|int32", yoke_rank_filter(s, &bad, &bad_in, 0, three, NULL, YOKE_AXES(0, 1), &options));
    options.value = 2147483648.0;
    REFUSED("value is 2147483648|int32", yoke_rank_filter(s, &bad, &bad_in, 0, three, NULL, YOKE_AXES(0, 1), &options));
    bad.dtype = bad_in.dtype = YOKE_C64;
    bad.shape[0] = bad_in.shape[0] = 3;
    REFUSED("complex64|no order", yoke_rank_filter(s, &bad, &bad_in, 0, three, NULL, YOKE_AXES(0, 1), NULL));
    yoke_array empty = yoke_array_slice(*a, 0, 3, 3, 1), empty_out = yoke_array_slice(*out, 0, 3, 3, 1);
    CHECK_OK(yoke_rank_filter(s, &empty_out, &empty, 0, three, NULL, YOKE_AXES(0, 1), NULL));
    CHECK_OK(yoke_stream_wait(s));
    test_array_release(&y);
    test_array_release(&x);
}

static const suite_case cases[] = {
    { "ranks floats of every shape, layout and boundary", floats, false },
    { "ranks bytes", bytes, false },
    { "ranks every kind of number", others, false },
    { "sorts few neighbours in registers", selected, false },
    { "finds the extremes of large boxes", boxes, false },
    { "is recorded, and replayed with other data", replays, false },
    { "says what is wrong", mistakes, false },
};

static const suite_case short_cases[] = {
    { "ranks floats of every shape, layout and boundary", shorter, false },
    { "is recorded, and replayed with other data", replays, false },
    { "says what is wrong", mistakes, false },
};

int main(void)
{
    return getenv("YOKE_TEST_SHORT") ? SUITE_MAIN(short_cases, NULL) : SUITE_MAIN(cases, NULL);
}
