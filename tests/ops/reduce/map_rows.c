/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yoke_map_rows: results of reductions bit by bit against yoke_reduce, what goes on with them against the same operations one by
 * one, softmax against a host in higher precision; by the device's kernels, and by those of GPUs and of CPUs.
 */
#include "../arrays.h"

#include "call/call.h"
#include "reduce/map_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* Kernels for another kind of device: 1 of GPUs, 2 of CPUs, 0 of this one. */
static void force(suite *t, int kind)
{
    static yops_traits traits;
    yops_call call = { .function = "test", .stream = t->stream, .device = t->device };
    yops_traits_force = NULL;
    if (kind == 0 || !CHECK_OK(yops_get_traits(&call, &traits)))
        return;
    traits.is_cpu = kind == 2;
    yops_traits_force = &traits;
}

/* On a driver that counts rounds only blocks are asked for. */
static int count_forms(const suite *t)
{
    return strstr(t->info.name, "llvmpipe") ? 2 : 3;
}

/* ---- Bit by bit ---- */

typedef struct result {
    const char *name;
    int32_t operation, dtype;
} result;

/* An array x with rows along `axis`, y as large, and outputs with one element for each row, and twins for yoke_reduce. */
typedef struct rows {
    suite *t;
    test_array x, y, outs[6], twins[6];
    const result *results;
    size_t count;
    int64_t n, lines;
    int32_t axis;
} rows;

static bool rows_create(suite *t, rows *r, int32_t dtype, int64_t lines, int64_t n, int32_t axis, layout placed,
                        const result *results, size_t count)
{
    *r = (rows){ .t = t, .results = results, .count = count, .n = n, .lines = lines, .axis = axis };
    const int64_t *shape = axis == 1 ? SHAPE(lines, n) : SHAPE(n, lines);
    if (!test_array_create(t, dtype, 2, shape, placed, 1, &r->x) || !test_array_create(t, dtype, 2, shape, placed, 2, &r->y))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!test_array_create(t, results[i].dtype, 1, SHAPE(lines), LAYOUT_CONTIGUOUS, 3, &r->outs[i]) ||
            !test_array_create(t, results[i].dtype, 1, SHAPE(lines), LAYOUT_CONTIGUOUS, 3, &r->twins[i]))
            return false;
    return true;
}

static void rows_release(rows *r)
{
    test_array_release(&r->x);
    test_array_release(&r->y);
    for (size_t i = 0; i < r->count; i++) {
        test_array_release(&r->outs[i]);
        test_array_release(&r->twins[i]);
    }
}

/* Run the text, which has x and the results, and compare each with yoke_reduce's. */
static bool rows_compare(rows *r, const char *text, const char *what)
{
    suite *t = r->t;
    yoke_var vars[8] = { yoke_var_array("x", r->x.array), yoke_var_array("y", r->y.array) };
    size_t count = 2;
    bool good = test_upload(t, &r->x) && test_upload(t, &r->y);
    for (size_t i = 0; i < r->count; i++) {
        vars[count++] = yoke_var_array(r->results[i].name, r->outs[i].array);
        good = good && test_upload(t, &r->outs[i]) && test_upload(t, &r->twins[i]) &&
               CHECK_OK(yoke_reduce(t->stream, r->results[i].operation, &r->twins[i].array, &r->x.array, YOKE_AXES(r->axis)));
    }
    good = good && CHECK_OK(yoke_map_rows(t->stream, text, vars, count, YOKE_AXES(r->axis))) &&
           CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &r->x, true) && test_download_checked(t, &r->y, false);
    for (size_t i = 0; i < r->count && good; i++) {
        good = test_download_checked(t, &r->outs[i], false) && test_download_checked(t, &r->twins[i], false);
        for (int64_t k = 0; k < r->lines && good; k++) {
            good = CHECK(test_same(r->results[i].dtype, test_element(&r->outs[i], k), test_element(&r->twins[i], k)));
            if (!good)
                tap_diag("%s: %s of row %d of %d elements is %Lg, and by yoke_reduce %Lg", what, r->results[i].name, (int)k,
                         (int)r->n, test_get(&r->outs[i], k), test_get(&r->twins[i], k));
        }
    }
    return good;
}

static const result of_floats[] = { { "s", YOKE_REDUCE_SUM, YOKE_F32 },
                                    { "a", YOKE_REDUCE_MAX, YOKE_F32 },
                                    { "b", YOKE_REDUCE_MIN, YOKE_F32 },
                                    { "m", YOKE_REDUCE_MEAN, YOKE_F32 } };
static const char floats_text[] = "s = sum(x); a = max(x); b = min(x); m = mean(x); y = x - m";

/* y too: each element minus the mean, one operation that is exact on a host. */
static void floats(suite *t, int form, int64_t lines, int64_t n, int32_t axis, layout placed, bool special)
{
    rows r;
    char what[80];
    snprintf(what, sizeof what, "form %d, %d x %d, axis %d, layout %d", form, (int)lines, (int)n, (int)axis, (int)placed);
    if (!rows_create(t, &r, YOKE_F32, lines, n, axis, placed, of_floats, 4))
        return;
    if (special)
        test_fill_whole_range(&r.x, 5, true);
    else
        for (int64_t i = 0; i < r.x.count; i++)
            test_set(&r.x, i, sinl((long double)i) * 3);
    force(t, form);
    bool good = rows_compare(&r, floats_text, what);
    force(t, 0);
    for (int64_t i = 0; i < r.x.count && good; i++) {
        int64_t row = axis == 1 ? i / n : i % lines;
        float wanted = (float)test_get(&r.x, i) - (float)test_get(&r.outs[3], row);
        good = CHECK(test_same(YOKE_F32, test_element(&r.y, i), &wanted));
        if (!good)
            tap_diag("%s: y[%d] is %Lg, not %g", what, (int)i, test_get(&r.y, i), (double)wanted);
    }
    rows_release(&r);
}

static void lengths(suite *t)
{
    static const int64_t all[] = { 0, 1, 2, 31, 33, 300, 1000, 1024, 1025, 4096, 9000, 100000 };
    for (int form = 0; form < count_forms(t); form++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            floats(t, form, all[i] < 1000 ? 19 : 3, all[i], 1, LAYOUT_CONTIGUOUS, false);
}

static void layouts(suite *t)
{
    for (int form = 1; form < count_forms(t); form++) {
        floats(t, form, 5, 1000, 1, LAYOUT_RANDOM, false);
        floats(t, form, 5, 1000, 1, LAYOUT_OFFSET, true);
        floats(t, form, 70, 9000, 0, LAYOUT_CONTIGUOUS, false);
        floats(t, form, 37, 33, 0, LAYOUT_CONTIGUOUS, true);
    }
}

static void dtype(suite *t, int32_t dtype, const result *results, size_t count, const char *text)
{
    rows r;
    if (!test_has(t, dtype))
        return;
    for (int form = 1; form < count_forms(t); form++) {
        if (!rows_create(t, &r, dtype, 3, 1500, 1, LAYOUT_CONTIGUOUS, results, count))
            return;
        if (dtype != YOKE_BOOL)
            test_fill_whole_range(&r.x, 5, false);
        force(t, form);
        rows_compare(&r, text, text);
        force(t, 0);
        rows_release(&r);
    }
}

#define DTYPE(dtype_, text, ...)                                  \
    do {                                                          \
        static const result all_[] = { __VA_ARGS__ };             \
        dtype(t, dtype_, all_, sizeof all_ / sizeof *all_, text); \
    } while (0)

static void dtypes(suite *t)
{
    DTYPE(YOKE_F64, "s = sum(x); a = max(x); y = x - a", { "s", YOKE_REDUCE_SUM, YOKE_F64 }, { "a", YOKE_REDUCE_MAX, YOKE_F64 });
    DTYPE(YOKE_F16, "s = sum(x); a = max(x); y = x - a", { "s", YOKE_REDUCE_SUM, YOKE_F32 }, { "a", YOKE_REDUCE_MAX, YOKE_F16 });
    DTYPE(YOKE_BF16, "m = mean(x); p = prod(x); y = x - m", { "m", YOKE_REDUCE_MEAN, YOKE_F32 },
          { "p", YOKE_REDUCE_PRODUCT, YOKE_F32 });
    DTYPE(YOKE_I32, "s = sum(x); m = mean(x); b = min(x); y = x - b", { "s", YOKE_REDUCE_SUM, YOKE_I64 },
          { "m", YOKE_REDUCE_MEAN, YOKE_F32 }, { "b", YOKE_REDUCE_MIN, YOKE_I32 });
    DTYPE(YOKE_U64, "p = prod(x); a = max(x); y = x - a", { "p", YOKE_REDUCE_PRODUCT, YOKE_U64 },
          { "a", YOKE_REDUCE_MAX, YOKE_U64 });
    DTYPE(YOKE_I8, "s = sum(x); a = any(x); c = all(x); y = x - s", { "s", YOKE_REDUCE_SUM, YOKE_I64 },
          { "a", YOKE_REDUCE_ANY, YOKE_BOOL }, { "c", YOKE_REDUCE_ALL, YOKE_BOOL });
    DTYPE(YOKE_BOOL, "s = sum(x); c = all(x); y = x != c", { "s", YOKE_REDUCE_SUM, YOKE_U64 }, { "c", YOKE_REDUCE_ALL, YOKE_BOOL });
    DTYPE(YOKE_C64, "s = sum(x); m = mean(x); y = x - m", { "s", YOKE_REDUCE_SUM, YOKE_C64 }, { "m", YOKE_REDUCE_MEAN, YOKE_C64 });
}

/* Rows in parts of so many tiles of 4096, which the tree of a row has anyway: the last part is shorter. */
static void parts(suite *t)
{
    static const struct {
        int part;
        int64_t n;
    } all[] = { { 1, 20481 }, { 4, 100000 }, { 8, 65536 } };
    for (int form = 0; form < count_forms(t); form++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            yops_rows_force_parts = all[i].part;
            floats(t, form, 3, all[i].n, 1, i == 1 ? LAYOUT_OFFSET : LAYOUT_CONTIGUOUS, i == 2);
            yops_rows_force_parts = 0;
        }
}

static unsigned cut_programs;

static yoke_status find_parts(const yoke_source *source)
{
    for (const yoke_header *header = source->headers; header && header->name; header++)
        cut_programs += strstr(header->text, "#define IN_PARTS 1") != NULL;
    return YOKE_OK;
}

/* One long row, in place and with an output of one element, has the bits of a row that is whole; one that reads the one element
 * that it writes stays whole. */
static void long_row(suite *t)
{
    enum { N = 70 * 4096 + 5, WHOLE = 1 << 20 };
    yops_traits traits;
    yops_call call = { .function = "test", .stream = t->stream, .device = t->device };
    test_array x[2], s[2];
    unsigned cut[2] = { 0 };
    bool good = CHECK_OK(yops_get_traits(&call, &traits));
    for (int i = 0; i < 2 && good; i++) {
        good = test_array_create(t, YOKE_F32, 2, SHAPE(1, N), LAYOUT_CONTIGUOUS, 1, &x[i]) &&
               test_array_create(t, YOKE_F32, 2, SHAPE(1, 1), LAYOUT_CONTIGUOUS, 2, &s[i]) && test_upload(t, &x[i]) &&
               test_upload(t, &s[i]);
        if (!good)
            return;
        yoke_var vars[] = { yoke_var_array("x", x[i].array), yoke_var_array("s", s[i].array) };
        cut_programs = 0;
        yops_program_watch = find_parts;
        yops_rows_force_parts = i == 0 ? WHOLE : 0;
        CHECK_OK(yoke_map_rows(t->stream, "d = x - mean(x); s = sum(d * d); x = 2 * d", vars, 2, YOKE_AXES(1)));
        cut[i] = cut_programs;
        CHECK_OK(yoke_map_rows(t->stream, "m = s; s = sum(x); x = x - s - m", vars, 2, YOKE_AXES(1)));
        yops_rows_force_parts = 0;
        yops_program_watch = NULL;
        CHECK(cut_programs == cut[i]);
        CHECK_OK(yoke_stream_wait(t->stream));
        good = test_download_checked(t, &x[i], false) && test_download_checked(t, &s[i], false);
    }
    CHECK(cut[0] == 0 && cut[1] == (traits.compute_units > 1));
    for (int64_t k = 0; k < N && good; k++)
        good = CHECK(test_same(YOKE_F32, test_element(&x[0], k), test_element(&x[1], k)));
    CHECK(test_same(YOKE_F32, test_element(&s[0], 0), test_element(&s[1], 0)));
    for (int i = 0; i < 2; i++) {
        test_array_release(&s[i]);
        test_array_release(&x[i]);
    }
}

/* ---- Against the operations one by one ---- */

/* (x - mean) / sqrt(variance + 0.5), in place; with a function whose name is one of the kernel's. */
static void stages(suite *t)
{
    enum { ROWS = 7, N = 5000 };
    test_array x, wanted, mean, variance;
    yoke_var own = yoke_var_function("float power_above(float x)", "YOKE_FUNCTION float power_above(float x) { return x * x; }");
    for (int form = 0; form < count_forms(t); form++) {
        if (!test_array_create(t, YOKE_F32, 2, SHAPE(ROWS, N), LAYOUT_CONTIGUOUS, 1, &x) ||
            !test_array_create(t, YOKE_F32, 2, SHAPE(ROWS, N), LAYOUT_CONTIGUOUS, 1, &wanted) ||
            !test_array_create(t, YOKE_F32, 2, SHAPE(ROWS, 1), LAYOUT_CONTIGUOUS, 1, &mean) ||
            !test_array_create(t, YOKE_F32, 2, SHAPE(ROWS, 1), LAYOUT_CONTIGUOUS, 1, &variance) || !test_upload(t, &x) ||
            !test_upload(t, &wanted) || !test_upload(t, &mean) || !test_upload(t, &variance))
            return;
        yoke_var ours[] = { yoke_var_array("x", x.array), own };
        yoke_var steps[] = { yoke_var_array("x", wanted.array), yoke_var_array("mean", mean.array),
                             yoke_var_array("variance", variance.array) };
        force(t, form);
        bool good =
            CHECK_OK(yoke_map_rows(t->stream, "d = x - mean(x); x = d / sqrt(mean(power_above(d)) + 0.5)", ours, 2, YOKE_AXES(1)));
        force(t, 0);
        good = good && CHECK_OK(yoke_reduce(t->stream, YOKE_REDUCE_MEAN, &mean.array, &wanted.array, YOKE_AXES(1))) &&
               CHECK_OK(
                   yoke_map_reduce(t->stream, YOKE_REDUCE_MEAN, &variance.array, "d = x - mean; d * d", steps, 2, YOKE_AXES(1))) &&
               CHECK_OK(yoke_map(t->stream, "x = (x - mean) / sqrt(variance + 0.5)", steps, 3)) &&
               CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &x, false) &&
               test_download_checked(t, &wanted, false);
        for (int64_t i = 0; i < x.count && good; i++)
            good = CHECK(test_same(YOKE_F32, test_element(&x, i), test_element(&wanted, i)));
        test_array_release(&x);
        test_array_release(&wanted);
        test_array_release(&mean);
        test_array_release(&variance);
    }
}

/* ---- Against a host ---- */

/* Softmax along the axes of `mask` of three, causal where index variables say so. */
static void softmax(suite *t, int form, uint32_t mask, layout placed, bool causal)
{
    static const int64_t shape[] = { 6, 9, 50 };
    test_array x, y;
    int32_t axes[3];
    size_t count = 0;
    for (int32_t i = 0; i < 3; i++)
        if (mask >> i & 1u)
            axes[count++] = i;
    if (!test_array_create(t, YOKE_F32, 3, shape, placed, 1, &x) || !test_array_create(t, YOKE_F32, 3, shape, placed, 2, &y))
        return;
    for (int64_t i = 0; i < x.count; i++)
        test_set(&x, i, sinl((long double)i) * 40);
    const char *text = causal ? "v = i2 <= i1 + i % n * 0 + n2 - 50 ? x : -INFINITY; e = exp(v - max(v)); y = e / sum(e)"
                              : "e = exp(x - max(x)); y = e / sum(e)";
    force(t, form);
    bool good = test_upload(t, &x) && test_upload(t, &y) &&
                CHECK_OK(yoke_map_rows(t->stream, text, (yoke_var[]){ yoke_var_array("x", x.array), yoke_var_array("y", y.array) },
                                       2, axes, count)) &&
                CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &y, false);
    force(t, 0);
    for (int64_t i = 0; i < x.count && good; i++) {
        const int64_t at[] = { i / 450, i / 50 % 9, i % 50 };
        long double sum = 0, mine = causal && at[2] > at[1] ? 0 : expl(test_get(&x, i));
        for (int64_t k = 0; k < x.count; k++) {
            const int64_t other[] = { k / 450, k / 50 % 9, k % 50 };
            bool same = true;
            for (int a = 0; a < 3; a++)
                same = same && ((mask >> a & 1u) || at[a] == other[a]);
            sum += same && !(causal && other[2] > other[1]) ? expl(test_get(&x, k)) : 0;
        }
        good = CHECK(fabsl(test_get(&y, i) - mine / sum) <= 1e-5L * (mine / sum) + 1e-37L);
        if (!good)
            tap_diag("form %d, axes %u: softmax[%d] is %Lg, not %Lg", form, (unsigned)mask, (int)i, test_get(&y, i), mine / sum);
    }
    test_array_release(&x);
    test_array_release(&y);
}

static void softmaxes(suite *t)
{
    for (int form = 1; form < count_forms(t); form++) {
        softmax(t, form, 4, LAYOUT_CONTIGUOUS, true);
        softmax(t, form, 5, LAYOUT_RANDOM, false);
        softmax(t, form, 1, LAYOUT_CONTIGUOUS, false);
    }
    softmax(t, 0, 7, LAYOUT_CONTIGUOUS, false);
}

/* Distances of all pairs: both arrays are broadcast, and only the reduced values are kept. */
static void pairs(suite *t)
{
    enum { A = 5, B = 4, DEPTH = 30 };
    test_array x, y, d;
    if (!test_array_create(t, YOKE_F32, 2, SHAPE(A, DEPTH), LAYOUT_CONTIGUOUS, 1, &x) ||
        !test_array_create(t, YOKE_F32, 2, SHAPE(B, DEPTH), LAYOUT_RANDOM, 2, &y) ||
        !test_array_create(t, YOKE_F32, 2, SHAPE(A, B), LAYOUT_RANDOM, 3, &d))
        return;
    yoke_var vars[] = { yoke_var_array("x", yoke_array_expand(x.array, 1)), yoke_var_array("y", y.array),
                        yoke_var_array("d", d.array), yoke_var_scalar("power", YOKE_NUMBER(2.0f)) };
    for (int form = 1; form < count_forms(t); form++) {
        force(t, form);
        bool good = test_upload(t, &x) && test_upload(t, &y) && test_upload(t, &d) &&
                    CHECK_OK(yoke_map_rows(t->stream, "d = sqrt(sum((x - y) * (x - y))) * power", vars, 4, YOKE_AXES(2))) &&
                    CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &d, false);
        force(t, 0);
        for (int64_t i = 0; i < d.count && good; i++) {
            long double sum = 0;
            for (int64_t k = 0; k < DEPTH; k++) {
                long double apart = test_get(&x, i / B * DEPTH + k) - test_get(&y, i % B * DEPTH + k);
                sum += apart * apart;
            }
            good = CHECK(fabsl(test_get(&d, i) - 2 * sqrtl(sum)) <= 1e-5L * sqrtl(sum));
        }
    }
    test_array_release(&x);
    test_array_release(&y);
    test_array_release(&d);
}

/* ---- Mistakes ---- */

static void wrong(suite *t, const char *text, const yoke_array *x, const yoke_array *y, const char *words)
{
    yoke_var vars[] = { yoke_var_array("x", *x), yoke_var_array("y", *y) };
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, words, yoke_map_rows(t->stream, text, vars, 2, YOKE_AXES(1)));
}

static void mistakes(suite *t)
{
    yoke_buffer *b;
    if (!CHECK_OK(yoke_buffer_create(t->device, 65536, &b)))
        return;
    yoke_array x = yoke_array_2d(b, YOKE_F32, 8, 16), y = yoke_array_2d(b, YOKE_F32, 8, 16), line = yoke_array_1d(b, YOKE_F32, 8);
    yoke_array shifted = x;
    yoke_array c = yoke_array_2d(b, YOKE_C64, 8, 16), wide = yoke_array_2d(b, YOKE_I64, 8, 16);
    line.offset = y.offset = c.offset = wide.offset = 4096;
    wrong(t, "y = x * 2", &x, &y, "nothing is reduced along the axes");
    wrong(t, "y = sum(x, 1)", &x, &y, "'sum' takes 1 argument, but 2 were given");
    wrong(t, "y = max(x) + mux(x)", &x, &y, "did you mean 'max'");
    wrong(t, "y = x - mean(x)", &x, &line, "its value is another for each element");
    wrong(t, "z = y; y = sum(x)", &x, &line, "do not broadcast");
    shifted.offset = 64;
    wrong(t, "y = sum(x)", &x, &shifted, "overlaps");
    wrong(t, "x = mean(y)", &line, &wide, "64 bits");
    wrong(t, "x = max(y)", &x, &c, "'max' takes real numbers, and this is complex64");
    wrong(t, "y = sum(3)", &x, &y, "reads no array");
    wrong(t, "y = i4 * sum(x)", &x, &y, "needs arrays of more than 4 dimensions");
    wrong(t, "y = sum(x)+sum(x)+sum(x)+sum(x)+sum(x)+sum(x)+sum(x)+sum(x)+sum(x)", &x, &y, "more than 8 reductions");
    yoke_var vars[] = { yoke_var_array("x", x), yoke_var_array("y", y) };
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "axis 2 is out of range",
                yoke_map_rows(t->stream, "y = x / sum(x)", vars, 2, YOKE_AXES(2)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "only yoke_map_rows has", yoke_map(t->stream, "y = x / sum(x)", vars, 2));
    yoke_buffer_release(b);
}

static const suite_case cases[] = {
    { "rows of many lengths have the bits of yoke_reduce", lengths, false },
    { "strides, unaligned rows and columns", layouts, false },
    { "rows in parts have the same bits", parts, false },
    { "one long row is cut", long_row, false },
    { "all dtypes", dtypes, false },
    { "stages give the bits of the operations one by one", stages, false },
    { "softmax along any axes", softmaxes, false },
    { "distances of pairs", pairs, false },
    { "mistakes are told", mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
