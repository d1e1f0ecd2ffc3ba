/* SPDX-License-Identifier: Apache-2.0 */
/* Select where an expression is true: the same elements as on a host, and what mistakes say. */
#include "../arrays.h"

#include <string.h>

#include <yoke/graph.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

typedef struct arrays {
    test_array a, x, out, count;
} arrays;

static void release(arrays *s)
{
    test_array_release(&s->count);
    test_array_release(&s->out);
    test_array_release(&s->x);
    test_array_release(&s->a);
}

static bool create(suite *t, int64_t n, int64_t room, layout how, uint32_t seed, arrays *s)
{
    memset(s, 0, sizeof *s);
    return test_array_create(t, YOKE_I32, 1, SHAPE(n), how, seed, &s->a) &&
           test_array_create(t, YOKE_F32, 1, SHAPE(n), how, seed + 1, &s->x) &&
           test_array_create(t, YOKE_I32, 1, SHAPE(room), how, seed + 2, &s->out) &&
           test_array_create(t, YOKE_I64, 0, NULL, how, seed + 3, &s->count) && test_upload(t, &s->a) && test_upload(t, &s->x) &&
           test_upload(t, &s->out) && test_upload(t, &s->count);
}

/* Elements of a with x > 1 at even positions, or of the value 4. */
static bool check_result(suite *t, arrays *s)
{
    int64_t kept = 0;
    if (!test_download_checked(t, &s->out, false) || !test_download_checked(t, &s->count, false) ||
        !test_download_checked(t, &s->a, true) || !test_download_checked(t, &s->x, true))
        return false;
    for (int64_t i = 0; i < s->a.count; i++)
        if ((test_get(&s->x, i) > 1 && i % 2 == 0) || test_get(&s->a, i) == 4) {
            if (kept < s->out.count && !CHECK(test_get(&s->out, kept) == test_get(&s->a, i)))
                return false;
            kept++;
        }
    return CHECK(test_get(&s->count, 0) == (long double)kept);
}

static bool enqueue(suite *t, const arrays *s)
{
    float limit = 1;
    yoke_array a = s->a.array, x = s->x.array;
    return CHECK_OK(yoke_select_where(t->stream, &s->out.array, &s->count.array, &s->a.array, "(x > limit && i % 2 == 0) || a == 4",
                                      YOKE_VARS(a, x, limit)));
}

static void selects(suite *t)
{
    static const int64_t lengths[] = { 0, 1, 2, 1000, 4096, 4097, 50001 };
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        arrays s;
        if (create(t, lengths[i], i % 2 ? lengths[i] : lengths[i] / 4, (layout)(i % 3), (uint32_t)i, &s) && enqueue(t, &s) &&
            CHECK_OK(yoke_stream_wait(t->stream)))
            check_result(t, &s);
        release(&s);
    }
}

/* Values of several dtypes count as flags, functions may be called, and variables are broadcast. */
static void values(suite *t)
{
    arrays s;
    NEED(create(t, 3000, 3000, LAYOUT_CONTIGUOUS, 3, &s));
    yoke_array a = s.a.array, one = yoke_array_slice(s.x.array, 0, 7, 8, 1);
    yoke_var given = yoke_var_function("bool given(int32 a, int32 b)", "YOKE_FUNCTION int given(int a, int b) { return a == b; }");
    static const char *const texts[] = { "a", "y = a * 0.5f; y", "(int64)a << 32", "given(a, 3)", "one == one && a != 0" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int64_t kept = 0;
        NEED_OK(yoke_select_where(t->stream, &s.out.array, &s.count.array, &s.a.array, texts[i], YOKE_VARS(a, one, given)));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download(t, &s.count) && test_download(t, &s.out));
        for (int64_t k = 0; k < s.a.count; k++)
            if (i == 3 ? test_get(&s.a, k) == 3 : test_get(&s.a, k) != 0) {
                NEED(CHECK(test_get(&s.out, kept) == test_get(&s.a, k)));
                kept++;
            }
        NEED(CHECK(test_get(&s.count, 0) == (long double)kept));
    }
out:
    release(&s);
}

/* What is kept of `a` where `text` is true, `keep` on the host. */
static bool keeps(suite *t, const yoke_array *array, const char *text, const yoke_var *vars, size_t count,
                  bool (*keep)(const test_array *a, int64_t i), test_array *a, test_array *out, test_array *number)
{
    int64_t kept = 0;
    if (!CHECK_OK(yoke_select_where(t->stream, &out->array, &number->array, array, text, vars, count)) ||
        !CHECK_OK(yoke_stream_wait(t->stream)) || !test_download(t, out) || !test_download(t, number))
        return false;
    for (int64_t i = 0; i < array->shape[0]; i++)
        if (keep(a, i)) {
            if (!CHECK(memcmp(test_element(out, kept), test_element(a, i), yoke_dtype_get_size(array->dtype)) == 0))
                return false;
            kept++;
        }
    return CHECK(test_get(number, 0) == (long double)kept);
}

static bool is_positive(const test_array *a, int64_t i)
{
    return test_get(a, i) > 0 && i % 3 != 0;
}

static bool is_below_next(const test_array *a, int64_t i)
{
    return test_get(a, i) < test_get(a, i + 1);
}

static void itself_of(suite *t, int32_t dtype, layout how)
{
    const bool several = dtype == YOKE_F32; /* tiles, which need two more kernels */
    const int64_t n = several ? 9001 : 3000;
    bool complex = dtype == YOKE_C64 || dtype == YOKE_C128;
    test_array a = { 0 }, out = { 0 }, number = { 0 };
    NEED(test_array_create(t, dtype, 1, SHAPE(n), how, 5, &a) && test_upload(t, &a) &&
         test_array_create(t, dtype, 1, SHAPE(n), how, 6, &out) && test_upload(t, &out) &&
         test_array_create(t, YOKE_I32, 0, NULL, LAYOUT_CONTIGUOUS, 7, &number) && test_upload(t, &number));
    yoke_array x = a.array, again = x, before = yoke_array_slice(x, 0, 0, n - 1, 1), next = yoke_array_slice(x, 0, 1, n, 1);
    const char *text = complex ? "real(x) > 0 && i % 3 != 0 && x == again" : "x > 0 && i % 3 != 0 && x == again";
    NEED(keeps(t, &x, text, YOKE_VARS(x, again), is_positive, &a, &out, &number));
    if (several)
        NEED(keeps(t, &before, "before < next", YOKE_VARS(before, next), is_below_next, &a, &out, &number));
out:
    test_array_release(&number);
    test_array_release(&out);
    test_array_release(&a);
}

/* The expression reads the very array that is selected from, under two names; or two parts of it, one of which is selected from. */
static void itself(suite *t)
{
    static const int32_t dtypes[] = { YOKE_BOOL, YOKE_I16, YOKE_F16, YOKE_F32, YOKE_F64, YOKE_C64, YOKE_C128 };
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (test_has(t, dtypes[i]))
            itself_of(t, dtypes[i], (layout)(i % 3));
}

static void in_graphs(suite *t)
{
    yoke_graph *graph = NULL;
    arrays s;
    NEED(create(t, 10000, 10000, LAYOUT_CONTIGUOUS, 1, &s));
    NEED_OK(yoke_graph_create(t->device, "select", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED(enqueue(t, &s));
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t run = 0; run < 3; run++) {
        for (int64_t i = 0; i < s.x.count; i++)
            test_set(&s.x, i, (long double)((i * 7 + run) % 5));
        NEED(test_upload(t, &s.x));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(check_result(t, &s));
    }
out:
    yoke_graph_release(graph);
    release(&s);
}

#define REFUSED(words, ...) CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, words, yoke_select_where(__VA_ARGS__))

static void mistakes(suite *t)
{
    arrays s;
    test_array wide = { 0 };
    suite_expect_log();
    NEED(create(t, 10, 10, LAYOUT_CONTIGUOUS, 1, &s) && test_array_create(t, YOKE_C64, 1, SHAPE(10), LAYOUT_CONTIGUOUS, 1, &wide));
    const yoke_array *out = &s.out.array, *count = &s.count.array, *a = &s.a.array;
    yoke_array x = s.x.array, z = wide.array, half = yoke_array_slice(x, 0, 0, 5, 1);
    REFUSED("yoke_select_where|stream", NULL, out, count, a, "x > 1", YOKE_VARS(x));
    REFUSED("yoke_select_where|a is NULL", t->stream, out, count, NULL, "x > 1", YOKE_VARS(x));
    REFUSED("yoke_select_where|out is NULL", t->stream, NULL, count, a, "x > 1", YOKE_VARS(x));
    REFUSED("yoke_select_where|expression is NULL", t->stream, out, count, a, NULL, YOKE_VARS(x));
    REFUSED("yoke_select_where|x > y|^", t->stream, out, count, a, "x > y", YOKE_VARS(x));
    REFUSED("yoke_select_where|i1|^", t->stream, out, count, a, "i1 > 2", YOKE_VARS(x));
    REFUSED("yoke_select_where|complex", t->stream, out, count, a, "z", YOKE_VARS(z));
    REFUSED("yoke_select_where|half|(5)|(10)", t->stream, out, count, a, "half > 1", YOKE_VARS(half));
    REFUSED("yoke_select_where|float|int32", t->stream, &x, count, a, "i > 1", YOKE_NO_VARS);
    yoke_array same = *out;
    REFUSED("yoke_select_where|out overlaps same", t->stream, out, count, a, "same > 1", YOKE_VARS(same));
    REFUSED("yoke_select_where|out overlaps a", t->stream, a, count, a, "i > 1", YOKE_NO_VARS);
    CHECK(suite_works(t));
out:
    test_array_release(&wide);
    release(&s);
}

static const suite_case cases[] = {
    { "an expression selects, for every length", selects, false },
    { "values of any dtype are flags; functions and broadcasting", values, false },
    { "the array itself in the expression, in dtypes of every size and kind", itself, false },
    { "recorded in a graph, and replayed with other data", in_graphs, false },
    { "mistakes are refused, and say what is wrong", mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
