/* SPDX-License-Identifier: Apache-2.0 */
/* Gather and scatter of every dtype, along each axis of arrays of any layout, against a loop on the host. */
#include "../arrays.h"

#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>

typedef enum kind { GATHER, SET, ADD } kind;

typedef struct plan {
    kind kind;
    int32_t dtype, index_dtype, dimensions, axis;
    int64_t shape[YOKE_MAX_DIMENSIONS]; /* of what the indices lead into */
    int64_t rows;                       /* indices */
    layout how;
} plan;

/* `full` has plan.shape; `part` has plan.rows along the axis. */
typedef struct arrays {
    test_array full, part, indices;
} arrays;

/* ---- The reference ---- */

/* The position of element (outer, row, inner). */
static int64_t position(int64_t rows, int64_t outer, int64_t row, int64_t inner, int64_t inners)
{
    return (outer * rows + row) * inners + inner;
}

static void add(const plan *p, test_array *to, int64_t to_position, const test_array *from, int64_t from_position)
{
    if (yk_dtype_is_integer(p->dtype)) {
        long double x = test_get(to, to_position), y = test_get(from, from_position);
        uint64_t sum = (x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x) + (y < 0 ? (uint64_t)(int64_t)y : (uint64_t)y);
        test_set(to, to_position, p->dtype == YOKE_BOOL ? sum != 0 : (long double)sum);
        return;
    }
    double real = (double)test_get(to, to_position) + (double)test_get(from, from_position);
    double imaginary = (double)test_get_imaginary(to, to_position) + (double)test_get_imaginary(from, from_position);
    test_set_complex(to, to_position, real, imaginary);
}

/* The halves are rounded once, at the end: they are summed in `sums`, an array of floats of the same shape. */
static void refer(const plan *p, arrays *s, test_array *out)
{
    int64_t inners = 1, outers = 1, rows = p->shape[p->axis];
    size_t size = yoke_dtype_get_size(p->dtype);
    bool is_half = yk_dtype_get(p->dtype)->kind == YK_KIND_REDUCED;
    for (int32_t i = 0; i < p->dimensions; i++)
        if (i != p->axis)
            *(i < p->axis ? &outers : &inners) *= p->shape[i];
    float *sums = memory_new((size_t)(s->full.count + 1) * sizeof *sums);
    for (int64_t i = 0; i < s->full.count && is_half; i++)
        sums[i] = (float)test_get(&s->full, i);
    for (int64_t outer = 0; outer < outers; outer++)
        for (int64_t row = 0; row < p->rows; row++)
            for (int64_t inner = 0; inner < inners; inner++) {
                long double index = test_get(&s->indices, row);
                int64_t in_part = position(p->rows, outer, row, inner, inners);
                int64_t in_full = index >= 0 && index < rows ? position(rows, outer, (int64_t)index, inner, inners) : -1;
                if (p->kind == GATHER && in_full < 0)
                    memset(test_element(out, in_part), 0, size);
                else if (p->kind == GATHER)
                    memcpy(test_element(out, in_part), test_element(&s->full, in_full), size);
                else if (in_full >= 0 && p->kind == SET)
                    memcpy(test_element(out, in_full), test_element(&s->part, in_part), size);
                else if (in_full >= 0 && is_half)
                    test_set(out, in_full, sums[in_full] += (float)test_get(&s->part, in_part));
                else if (in_full >= 0)
                    add(p, out, in_full, &s->part, in_part);
            }
    memory_free(sums);
}

/* ---- Running a plan ---- */

static bool create(suite *t, const plan *p, uint32_t seed, arrays *s)
{
    int64_t shape[YOKE_MAX_DIMENSIONS];
    memcpy(shape, p->shape, sizeof shape);
    shape[p->axis] = p->rows;
    memset(s, 0, sizeof *s);
    return test_array_create(t, p->dtype, p->dimensions, p->shape, p->how, seed, &s->full) &&
           test_array_create(t, p->dtype, p->dimensions, shape, p->how, seed + 1, &s->part) &&
           test_array_create(t, p->index_dtype, 1, &p->rows, p->how, seed + 2, &s->indices);
}

static void fill(const plan *p, arrays *s, uint32_t seed)
{
    uint32_t random = seed + 1;
    int64_t rows = p->shape[p->axis];
    test_fill_whole_range(&s->full, seed, p->kind != ADD);
    test_fill_whole_range(&s->part, seed + 1, p->kind != ADD);
    for (int64_t i = 0; i < p->rows; i++) {
        int64_t index = test_random(&random) % 3 ? test_random_below(&random, rows + 1) : test_random_below(&random, rows / 9 + 1);
        if (test_random(&random) % 20 == 0)
            index = (int64_t)test_random(&random) - (INT64_C(1) << 31);
        test_set(&s->indices, i, index);
    }
}

static bool upload(suite *t, arrays *s)
{
    return test_upload(t, &s->full) && test_upload(t, &s->part) && test_upload(t, &s->indices);
}

static void release(arrays *s)
{
    test_array_release(&s->full);
    test_array_release(&s->part);
    test_array_release(&s->indices);
}

static yoke_status enqueue(suite *t, const plan *p, arrays *s)
{
    if (p->kind == GATHER)
        return yoke_gather(t->stream, &s->part.array, &s->full.array, &s->indices.array, p->axis);
    return yoke_scatter(t->stream, p->kind == SET ? YOKE_SCATTER_SET : YOKE_SCATTER_ADD, &s->full.array, &s->part.array,
                        &s->indices.array, p->axis);
}

static bool compare(suite *t, const plan *p, arrays *s)
{
    test_array *out = p->kind == GATHER ? &s->part : &s->full, wanted = *out;
    wanted.bytes = memory_new(out->memory.size);
    memcpy(wanted.bytes, out->before, out->memory.size);
    refer(p, s, &wanted);
    bool same = CHECK(test_download_checked(t, out, false));
    for (int64_t i = 0; i < out->count && same; i++) {
        same = p->kind == ADD ? test_same(p->dtype, test_element(out, i), test_element(&wanted, i))
                              : memcmp(test_element(out, i), test_element(&wanted, i), yoke_dtype_get_size(p->dtype)) == 0;
        if (!same)
            tap_diag("kind %d, %s, %d dimensions, axis %d, %lld rows, layout %d, element %lld: %.17Lg, not %.17Lg", (int)p->kind,
                     yoke_dtype_get_name(p->dtype), (int)p->dimensions, (int)p->axis, (long long)p->rows, (int)p->how, (long long)i,
                     test_get(out, i), test_get(&wanted, i));
    }
    memory_free(wanted.bytes);
    return CHECK(same) && test_download_checked(t, p->kind == GATHER ? &s->full : &s->part, true) &&
           test_download_checked(t, &s->indices, true);
}

static bool check(suite *t, const plan *p, uint32_t seed)
{
    arrays s;
    bool ok = true;
    if (!test_has(t, p->dtype))
        return true;
    if ((ok = create(t, p, seed, &s))) {
        fill(p, &s, seed);
        ok = upload(t, &s) && CHECK_OK(enqueue(t, p, &s)) && CHECK_OK(yoke_stream_wait(t->stream)) && compare(t, p, &s);
    }
    release(&s);
    return ok;
}

/* ---- Cases ---- */

static void every_dtype(suite *t, kind what)
{
    static const int32_t index_dtypes[] = { YOKE_I32, YOKE_U32, YOKE_I64, YOKE_U64 };
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++)
        for (int32_t turn = dtype; turn < dtype + (what == GATHER ? 2 : 1); turn++) {
            int32_t axis = turn % 3, index = dtype;
            if (what == ADD && (dtype == YOKE_U8 || dtype == YOKE_I16 || dtype == YOKE_U64 || dtype == YOKE_F16))
                continue;    /* summed as others of their class */
            if (what != ADD) /* then kernels know nothing but the size */
                index = __builtin_ctz((unsigned)yoke_dtype_get_size(dtype)) + (what == SET);
            plan p = { what, dtype, index_dtypes[index % 4], 3, axis, { 5, 11, 16 }, axis == 1 ? 40 : 17, (layout)axis };
            if (!check(t, &p, (uint32_t)(dtype * 3 + axis)))
                return;
        }
}

static void gathers(suite *t)
{
    every_dtype(t, GATHER);
}
static void sets(suite *t)
{
    every_dtype(t, SET);
}
static void adds(suite *t)
{
    every_dtype(t, ADD);
}

static void every_shape(suite *t)
{
    static const int64_t sizes[] = { 0, 1, 2, 255, 256, 257, 3000, 70000 };
    uint32_t random = 4711;
    for (uint32_t i = 0; i < 90; i++) {
        plan p = { (kind)(i % 3),        i % 2 ? YOKE_F32 : YOKE_U8, YOKE_I32,       1, 0,
                   { sizes[i / 3 % 8] }, sizes[(i + i / 8) % 8],     (layout)(i % 3) };
        if (i >= 60) {
            p.dimensions = 1 + (int32_t)test_random_below(&random, YOKE_MAX_DIMENSIONS);
            p.axis = (int32_t)test_random_below(&random, p.dimensions);
            p.rows = test_random_below(&random, 20);
            for (int32_t d = 0; d < p.dimensions; d++)
                p.shape[d] = d == p.axis ? 30 : 1 + test_random_below(&random, p.dimensions > 4 ? 3 : 8);
        }
        if (!check(t, &p, i))
            return;
    }
}

static void replays(suite *t)
{
    for (int i = 0; i < 3; i++) {
        plan p = { (kind)i, YOKE_F32, YOKE_I32, 2, 0, { 1000, 3 }, 5000, LAYOUT_CONTIGUOUS };
        yoke_graph *graph = NULL;
        arrays s;
        if (create(t, &p, 3, &s) && CHECK_OK(yoke_graph_create(t->device, "gather", &graph)) &&
            CHECK_OK(yoke_graph_begin(graph, t->stream)) && CHECK_OK(enqueue(t, &p, &s)) && CHECK_OK(yoke_graph_end(graph)))
            for (uint32_t seed = 0; seed < 3; seed++) {
                fill(&p, &s, seed);
                if (upload(t, &s) && CHECK_OK(yoke_graph_launch(t->stream, graph)) && CHECK_OK(yoke_stream_wait(t->stream)))
                    compare(t, &p, &s);
            }
        yoke_graph_release(graph);
        release(&s);
    }
}

static void mistakes(suite *t)
{
    plan p = { GATHER, YOKE_F32, YOKE_I32, 2, 0, { 10, 3 }, 5, LAYOUT_CONTIGUOUS };
    arrays s;
    if (!create(t, &p, 1, &s))
        return;
    yoke_array *full = &s.full.array, *part = &s.part.array, *indices = &s.indices.array, bad = *indices;
#define REFUSED(words, call) CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, words, call)
    REFUSED("yoke_gather|stream", yoke_gather(NULL, part, full, indices, 0));
    REFUSED("yoke_gather|out is NULL", yoke_gather(t->stream, NULL, full, indices, 0));
    REFUSED("yoke_gather|a is NULL", yoke_gather(t->stream, part, NULL, indices, 0));
    REFUSED("yoke_gather|indices is NULL", yoke_gather(t->stream, part, full, NULL, 0));
    REFUSED("yoke_gather|axis 2 is out of range: the array has 2 dimensions", yoke_gather(t->stream, part, full, indices, 2));
    REFUSED("yoke_gather|axis -1 is out of range: the array has 2 dimensions", yoke_gather(t->stream, part, full, indices, -1));
    REFUSED("(5, 3)|(10, 3)|axis 1", yoke_gather(t->stream, part, full, indices, 1));
    REFUSED("out|(10, 3)|(5)", yoke_gather(t->stream, full, part, indices, 0));
    REFUSED("a has the shape (10, 3)|(5)", yoke_scatter(t->stream, YOKE_SCATTER_SET, part, full, indices, 0));
    REFUSED("yoke_scatter|mode is 2", yoke_scatter(t->stream, 2, full, part, indices, 0));
    REFUSED("out|overlaps|a", yoke_gather(t->stream, part, part, indices, 0));
    bad.dtype = YOKE_F32;
    REFUSED("indices|float", yoke_gather(t->stream, part, full, &bad, 0));
    bad = *part;
    bad.dtype = YOKE_I32;
    REFUSED("indices|(5, 3)", yoke_gather(t->stream, part, full, &bad, 0));
    REFUSED("out|int32|float", yoke_gather(t->stream, &bad, full, indices, 0));
    CHECK_OK(yoke_stream_wait(t->stream));
    release(&s);
}

static const suite_case cases[] = {
    { "gathers every dtype along each axis", gathers, false },
    { "scatters every dtype, and keeps the last of several", sets, false },
    { "adds every dtype in the elements' order", adds, false },
    { "works on arrays of every size and shape", every_shape, false },
    { "is recorded, and replayed with other data", replays, false },
    { "says what is wrong", mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
