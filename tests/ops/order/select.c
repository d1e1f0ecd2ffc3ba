/* SPDX-License-Identifier: Apache-2.0 */
/* Select, partition and unique: the same elements in the same order as on a host, for all dtypes, layouts and lengths. */
#include "../arrays.h"

#include <math.h>
#include <string.h>

#include <yoke/graph.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })
#define COUNT_OF(x) (sizeof(x) / sizeof(x)[0])

enum { SELECT, PARTITION, UNIQUE };

typedef struct trial {
    int what;
    int32_t dtype, flag, position; /* dtypes: of elements, of flags, of count and starts */
    int64_t n, room;
    layout how;
    uint32_t one_in; /* of so many elements one is kept, or differs from the one before it; 0: none, 1: all */
    bool no_count, no_starts;
} trial;

typedef struct arrays {
    test_array a, flags, out, count, starts;
} arrays;

static void release(arrays *x)
{
    test_array_release(&x->starts);
    test_array_release(&x->count);
    test_array_release(&x->out);
    test_array_release(&x->flags);
    test_array_release(&x->a);
}

/* Runs of equal elements. Equal floats may have other bits: -0 and 0, and several NaNs. */
static void fill_runs(test_array *a, uint32_t one_in, uint32_t seed)
{
    uint32_t random = seed;
    size_t size = yoke_dtype_get_size(a->array.dtype);
    for (int64_t i = 1; i < a->count; i++) {
        bool next = one_in > 0 && test_random(&random) % one_in == 0;
        if (next)
            test_set_complex(a, i, test_random(&random) % 7, test_random(&random) % 2);
        else
            memcpy(test_element(a, i), test_element(a, i - 1), size);
        if (next && !yk_dtype_is_integer(a->array.dtype) && test_random(&random) % 4 == 0)
            test_set_complex(a, i, NAN, 0);
        if (!next && !yk_dtype_is_integer(a->array.dtype) && !yk_dtype_is_complex(a->array.dtype) && test_get(a, i) == 0)
            test_set(a, i, test_random(&random) % 2 ? -0.0L : 0.0L);
    }
}

static void fill_flags(test_array *flags, uint32_t one_in, uint32_t seed)
{
    uint32_t random = seed;
    for (int64_t i = 0; i < flags->count; i++) {
        memset(test_element(flags, i), 0, yoke_dtype_get_size(flags->array.dtype));
        /* Any byte of a flag counts. */
        if (one_in > 0 && test_random(&random) % one_in == 0)
            ((unsigned char *)test_element(flags, i))[test_random(&random) % yoke_dtype_get_size(flags->array.dtype)] =
                (unsigned char)(1 + test_random(&random) % 255);
    }
}

static bool create(suite *t, const trial *c, uint32_t seed, arrays *x)
{
    memset(x, 0, sizeof *x);
    bool ok = test_array_create(t, c->dtype, 1, SHAPE(c->n), c->how, seed, &x->a) &&
              test_array_create(t, c->dtype, 1, SHAPE(c->room), c->how, seed + 1, &x->out) &&
              test_array_create(t, c->position, 0, NULL, c->how, seed + 2, &x->count) &&
              test_array_create(t, c->position, 1, SHAPE(c->room), c->how, seed + 3, &x->starts) &&
              test_array_create(t, c->flag, 1, SHAPE(c->n), c->how, seed + 4, &x->flags);
    if (!ok)
        return false;
    test_fill_whole_range(&x->a, seed, true);
    if (c->what == UNIQUE)
        fill_runs(&x->a, c->one_in, seed + 5);
    fill_flags(&x->flags, c->one_in, seed + 6);
    return test_upload(t, &x->a) && test_upload(t, &x->out) && test_upload(t, &x->count) && test_upload(t, &x->starts) &&
           test_upload(t, &x->flags);
}

static bool enqueue(suite *t, const trial *c, const arrays *x)
{
    const yoke_array *count = c->no_count ? NULL : &x->count.array;
    if (c->what == SELECT)
        return CHECK_OK(yoke_select(t->stream, &x->out.array, count, &x->a.array, &x->flags.array));
    if (c->what == PARTITION)
        return CHECK_OK(yoke_partition(t->stream, &x->out.array, count, &x->a.array, &x->flags.array));
    return CHECK_OK(yoke_unique(t->stream, &x->out.array, c->no_starts ? NULL : &x->starts.array, count, &x->a.array));
}

static bool equal_parts(long double a, long double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool is_kept(const trial *c, const arrays *x, int64_t i)
{
    const test_array *a = &x->a;
    static const unsigned char zero[8];
    if (c->what != UNIQUE)
        return memcmp(test_element(&x->flags, i), zero, yoke_dtype_get_size(c->flag)) != 0;
    return i == 0 || !equal_parts(test_get(a, i), test_get(a, i - 1)) ||
           !equal_parts(test_get_imaginary(a, i), test_get_imaginary(a, i - 1));
}

/* Element `to` of the output is element `from` of the input, bit by bit. */
static bool is_moved(const trial *c, const arrays *x, int64_t to, int64_t from)
{
    bool same = memcmp(test_element(&x->out, to), test_element(&x->a, from), yoke_dtype_get_size(c->dtype)) == 0;
    if (c->what == UNIQUE && !c->no_starts)
        same = same && test_get(&x->starts, to) == (long double)from;
    if (!same)
        tap_diag("%d: %s of %lld: element %lld is not element %lld of a", c->what, yoke_dtype_get_name(c->dtype), (long long)c->n,
                 (long long)to, (long long)from);
    return CHECK(same);
}

static bool check_result(suite *t, const trial *c, arrays *x)
{
    size_t size = yoke_dtype_get_size(c->dtype);
    test_array before = x->out;
    int64_t kept = 0, total = 0;
    if (!test_download_checked(t, &x->out, false) || !test_download_checked(t, &x->count, c->no_count) ||
        !test_download_checked(t, &x->starts, c->what != UNIQUE || c->no_starts) || !test_download_checked(t, &x->a, true))
        return false;
    for (int64_t i = 0; i < c->n; i++)
        total += is_kept(c, x, i);
    if (!c->no_count && !CHECK(test_get(&x->count, 0) == (long double)total))
        return false;
    for (int64_t i = 0; i < c->n; i++) {
        bool keep = is_kept(c, x, i);
        int64_t to = keep ? kept : total + i - kept;
        if ((keep || c->what == PARTITION) && to < c->room && !is_moved(c, x, to, i))
            return false;
        kept += keep;
    }
    before.bytes = before.before;
    for (int64_t i = c->what == PARTITION ? c->n : total; i < c->room; i++)
        if (!CHECK(memcmp(test_element(&x->out, i), test_element(&before, i), size) == 0))
            return false;
    return true;
}

static bool try(suite *t, const trial *c, uint32_t seed)
{
    arrays x;
    if (!test_has(t, c->dtype))
        return true;
    bool ok = create(t, c, seed, &x) && enqueue(t, c, &x) && CHECK_OK(yoke_stream_wait(t->stream)) && check_result(t, c, &x);
    release(&x);
    return ok;
}

/* ---- Cases ---- */

static const int64_t lengths[] = {
    0, 1, 2, 31, 127, 128, 129, 1000, 2047, 2048, 2049, 4095, 4096, 4097, 8192, 8193, 20480, 100003
};

static void all_lengths(suite *t, int what)
{
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        for (uint32_t one_in = 0; one_in < 3; one_in++) {
            trial c = { .what = what, .dtype = YOKE_F32, .flag = YOKE_BOOL, .position = YOKE_I32, .n = lengths[i] };
            c.room = c.n;
            c.one_in = one_in;
            c.how = (layout)((i + one_in) % 3);
            try(t, &c, (uint32_t)i);
        }
}

static void selects(suite *t)
{
    all_lengths(t, SELECT);
}

static void partitions(suite *t)
{
    all_lengths(t, PARTITION);
}

static void finds_unique(suite *t)
{
    all_lengths(t, UNIQUE);
}

static void every_dtype(suite *t)
{
    static const int32_t positions[] = { YOKE_I32, YOKE_U32, YOKE_I64, YOKE_U64 };
    static const int32_t flags[] = { YOKE_BOOL, YOKE_U8, YOKE_I16, YOKE_U32, YOKE_I64, YOKE_I8 };
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++)
        for (int what = SELECT; what <= UNIQUE; what++) {
            trial c = { .what = what, .dtype = dtype, .n = 9001, .room = 9001, .one_in = 3 };
            c.n = c.room = dtype % 4 == 0 || what != UNIQUE ? 9001 : 3000; /* several tiles need two more kernels */
            c.flag = dtype % 5 == 0 ? flags[dtype % (int)COUNT_OF(flags)] : YOKE_BOOL;
            c.position = positions[dtype % 4];
            c.how = (layout)((dtype + what) % 3);
            c.no_count = dtype % 3 == 0;
            c.no_starts = dtype % 2 == 0;
            try(t, &c, (uint32_t)dtype);
        }
}

static void short_outputs(suite *t)
{
    static const int64_t rooms[] = { 0, 1, 100, 4096, 5000, 9001, 20000 };
    for (size_t i = 0; i < COUNT_OF(rooms); i++)
        for (int what = SELECT; what <= UNIQUE; what += UNIQUE - SELECT) {
            trial c = { .what = what, .dtype = YOKE_I64, .flag = YOKE_U8, .position = YOKE_U64, .n = 12345, .one_in = 2 };
            c.room = rooms[i];
            try(t, &c, (uint32_t)i);
        }
}

static void repeats(suite *t)
{
    trial c = { .what = SELECT, .dtype = YOKE_F32, .flag = YOKE_BOOL, .position = YOKE_U32, .n = 1000003, .room = 1000003 };
    arrays x;
    c.one_in = 2;
    if (create(t, &c, 1, &x))
        for (int run = 0; run < 20; run++)
            if (!enqueue(t, &c, &x) || !CHECK_OK(yoke_stream_wait(t->stream)) || (run % 10 == 9 && !check_result(t, &c, &x)))
                break;
    release(&x);
}

static void in_graphs(suite *t)
{
    for (int what = SELECT; what <= UNIQUE; what++) {
        trial c = {
            .what = what, .dtype = YOKE_F32, .flag = YOKE_BOOL, .position = YOKE_I64, .n = 10000, .room = 10000, .one_in = 2
        };
        yoke_graph *graph = NULL;
        arrays x;
        NEED(create(t, &c, 1, &x));
        NEED_OK(yoke_graph_create(t->device, "select", &graph));
        NEED_OK(yoke_graph_begin(graph, t->stream));
        NEED(enqueue(t, &c, &x));
        NEED_OK(yoke_graph_end(graph));
        for (uint32_t run = 0; run < 3; run++) {
            fill_runs(&x.a, 2 + run, run);
            fill_flags(&x.flags, 2 + run, run);
            NEED(test_upload(t, &x.a) && test_upload(t, &x.flags) && test_upload(t, &x.out));
            NEED_OK(yoke_graph_launch(t->stream, graph));
            NEED_OK(yoke_stream_wait(t->stream));
            NEED(check_result(t, &c, &x));
        }
    out:
        yoke_graph_release(graph);
        release(&x);
    }
}

#define REFUSED(words, call) CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, words, call)

static void mistakes(suite *t)
{
    trial c = { .dtype = YOKE_F32, .flag = YOKE_U8, .position = YOKE_I32, .n = 10, .room = 10, .one_in = 2 };
    arrays x;
    test_array wide = { 0 };
    yoke_stream *s = t->stream;
    suite_expect_log();
    NEED(create(t, &c, 1, &x) && test_array_create(t, YOKE_F64, 2, SHAPE(2, 5), LAYOUT_CONTIGUOUS, 1, &wide));
    const yoke_array *out = &x.out.array, *count = &x.count.array, *a = &x.a.array, *flags = &x.flags.array,
                     *starts = &x.starts.array;
    yoke_array half = yoke_array_slice(x.flags.array, 0, 0, 5, 1), some = yoke_array_slice(x.starts.array, 0, 0, 5, 1);
    REFUSED("yoke_select|stream", yoke_select(NULL, out, count, a, flags));
    REFUSED("yoke_select|out is NULL", yoke_select(s, NULL, count, a, flags));
    REFUSED("yoke_select|a is NULL", yoke_select(s, out, count, NULL, flags));
    REFUSED("yoke_select|flags is NULL", yoke_select(s, out, count, a, NULL));
    REFUSED("yoke_partition|flags is NULL", yoke_partition(s, out, count, a, NULL));
    REFUSED("yoke_select|flags|(5)|(10)", yoke_select(s, out, count, a, &half));
    REFUSED("yoke_select|flags|float", yoke_select(s, out, count, a, a));
    REFUSED("yoke_select|out overlaps a", yoke_select(s, a, count, a, flags));
    REFUSED("yoke_select|float|int32", yoke_select(s, starts, count, a, flags));
    REFUSED("yoke_select|count has the shape (10)", yoke_select(s, out, starts, a, flags));
    REFUSED("yoke_select|count|uint8", yoke_select(s, out, flags, a, flags));
    REFUSED("yoke_partition|(5)|(10)", yoke_partition(s, &some, count, starts, flags));
    REFUSED("yoke_unique|starts|(5)|(10)", yoke_unique(s, out, &some, count, a));
    REFUSED("yoke_unique|starts|uint8", yoke_unique(s, out, flags, count, a));
    some = yoke_array_index(x.starts.array, 0, 3);
    REFUSED("yoke_unique|count overlaps starts", yoke_unique(s, out, starts, &some, a));
    if (test_has(t, YOKE_F64))
        REFUSED("yoke_unique|2 dimensions", yoke_unique(s, &wide.array, NULL, count, a));
    CHECK(suite_works(t));
out:
    test_array_release(&wide);
    release(&x);
}

static const suite_case cases[] = {
    { "select keeps the elements that have a flag, for every length", selects, false },
    { "partition puts them first, and the others behind them", partitions, false },
    { "unique keeps the first of equal neighbours, and tells where it was", finds_unique, false },
    { "every dtype of elements, flags, counts and positions", every_dtype, false },
    { "what does not fit is left out, and counted", short_outputs, false },
    { "a million elements, twenty times", repeats, false },
    { "selections are recorded in graphs, and replayed with other data", in_graphs, false },
    { "mistakes are refused, and say what is wrong", mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
