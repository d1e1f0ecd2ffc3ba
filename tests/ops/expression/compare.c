/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons in expressions are of values: each pair of dtypes, the values around which rounding would decide, and constants. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../arrays.h"

#define COUNT_OF(x) (sizeof(x) / sizeof(x)[0])

/* The bits of one comparison of each kind. */
#define SIX(x, y)                                                                                                     \
    "(" x " < " y ") + (" x " <= " y ") * 2 + (" x " == " y ") * 4 + (" x " != " y ") * 8 + (" x " >= " y ") * 16 + " \
    "(" x " > " y ") * 32"

static unsigned six(long double x, long double y)
{
    return (x < y) + (x <= y) * 2u + (x == y) * 4u + (x != y) * 8u + (x >= y) * 16u + (x > y) * 32u;
}

static const long double edges[] = { 0,
                                     -0.0L,
                                     0.5L,
                                     -0.5L,
                                     1,
                                     -1,
                                     3.25L,
                                     127,
                                     128,
                                     255,
                                     256,
                                     -128,
                                     -129,
                                     32767,
                                     32768,
                                     65535,
                                     65536,
                                     -32768,
                                     16777215,
                                     16777216,
                                     16777217,
                                     -16777217,
                                     33554433,
                                     2147483520,
                                     2147483647,
                                     2147483648.L,
                                     -2147483648.L,
                                     -2147483649.L,
                                     4294967295.L,
                                     4294967296.L,
                                     4294967040.L,
                                     9007199254740991.L,
                                     9007199254740992.L,
                                     9007199254740993.L,
                                     -9007199254740993.L,
                                     9223372036854774784.L,
                                     9223372036854775807.L,
                                     9223372036854775808.L,
                                     -9223372036854775807.L,
                                     -9223372036854775808.L,
                                     18446744073709549568.L,
                                     18446744073709551615.L,
                                     18446744073709551616.L,
                                     1e30L,
                                     -1e30L,
                                     INFINITY,
                                     -INFINITY,
                                     NAN };
enum { EDGES = sizeof edges / sizeof *edges, ELEMENTS = EDGES * EDGES };

static bool is_integer(int32_t dtype)
{
    unsigned char element[16];
    test_store(dtype, element, 0.5L);
    return test_load(dtype, element) != 0.5L;
}

static bool is_signed(int32_t dtype)
{
    unsigned char element[16];
    test_store(dtype, element, -1);
    return test_load(dtype, element) < 0;
}

/* An edge as the dtype has it: integers take the nearest end, so that no edge is wasted. */
static long double edge_of(int32_t dtype, unsigned i)
{
    long double value = edges[i], half = ldexpl(1, 8 * (int)yoke_dtype_get_size(dtype) - 1);
    if (!is_integer(dtype))
        return value;
    long double low = is_signed(dtype) ? -half : 0, high = dtype == YOKE_BOOL ? 1 : is_signed(dtype) ? half - 1 : 2 * half - 1;
    return isnan(value) ? 0 : value < low ? low : value > high ? high : truncl(value);
}

/* Each edge beside each other: as `x` an edge changes slowly, as `y` fast. */
static bool make_edges(suite *t, int32_t dtype, bool slow, test_array *out)
{
    if (!test_array_create(t, dtype, 1, (int64_t[]){ ELEMENTS }, LAYOUT_CONTIGUOUS, 1, out))
        return false;
    for (unsigned i = 0; i < ELEMENTS; i++)
        test_set(out, i, edge_of(dtype, slow ? i / EDGES : i % EDGES));
    return test_upload(t, out);
}

static void check_pair(test_array *x, test_array *y, test_array *out)
{
    for (unsigned i = 0; i < ELEMENTS; i++) {
        unsigned wanted = six(test_get(x, i), test_get(y, i)), got = (unsigned)test_get(out, i);
        if (CHECK(got == wanted))
            continue;
        tap_diag("%s %.22Lg and %s %.22Lg: bits %02x, not %02x", yoke_dtype_get_name(x->array.dtype), test_get(x, i),
                 yoke_dtype_get_name(y->array.dtype), test_get(y, i), got, wanted);
        break;
    }
}

/* An array of the dtype x beside arrays of `count` dtypes, in one expression. */
static void compare_beside(suite *t, int32_t dtype, const int32_t *dtypes, size_t count)
{
    test_array x = { 0 }, y[YK_DTYPE_COUNT] = { 0 }, out[YK_DTYPE_COUNT] = { 0 };
    yoke_var vars[2 * YK_DTYPE_COUNT + 1];
    char names[2 * YK_DTYPE_COUNT][8], *text = memory_new(4096);
    size_t length = 0;
    text[0] = '\0';
    NEED(make_edges(t, dtype, true, &x));
    vars[2 * count] = yoke_var_array("x", x.array);
    for (size_t k = 0; k < count; k++) {
        NEED(make_edges(t, dtypes[k], false, &y[k]));
        NEED(test_array_create(t, YOKE_U8, 1, (int64_t[]){ ELEMENTS }, LAYOUT_CONTIGUOUS, 1, &out[k]) && test_upload(t, &out[k]));
        snprintf(names[2 * k], sizeof *names, "y%u", (unsigned)k);
        snprintf(names[2 * k + 1], sizeof *names, "o%u", (unsigned)k);
        vars[2 * k] = yoke_var_array(names[2 * k], y[k].array);
        vars[2 * k + 1] = yoke_var_array(names[2 * k + 1], out[k].array);
        length += (size_t)snprintf(text + length, 4096 - length, "%so%u = " SIX("x", "y%u"), k ? "; " : "", (unsigned)k,
                                   (unsigned)k, (unsigned)k, (unsigned)k, (unsigned)k, (unsigned)k, (unsigned)k);
    }
    NEED_OK(yoke_map(t->stream, text, vars, 2 * count + 1));
    NEED_OK(yoke_stream_wait(t->stream));
    for (size_t k = 0; k < count; k++)
        if (CHECK(test_download_checked(t, &out[k], false)))
            check_pair(&x, &y[k], &out[k]);
out:
    for (size_t k = 0; k < count; k++) {
        test_array_release(&y[k]);
        test_array_release(&out[k]);
    }
    test_array_release(&x);
    memory_free(text);
}

static void pairs(suite *t)
{
    int32_t dtypes[YK_DTYPE_COUNT];
    size_t count = 0;
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++)
        if (!yk_dtype_is_complex(dtype) && test_has(t, dtype))
            dtypes[count++] = dtype;
    for (size_t i = 0; i < count; i++)
        compare_beside(t, dtypes[i], dtypes, count);
}

/* Nothing of a list with double is what a list without it is. */
static void pairs_without_double(suite *t)
{
    static const int32_t dtypes[] = { YOKE_I32, YOKE_U32, YOKE_I64, YOKE_U64, YOKE_F16, YOKE_F32 };
    for (size_t i = 0; i < COUNT_OF(dtypes); i++)
        compare_beside(t, dtypes[i], dtypes, COUNT_OF(dtypes));
}

/* ---- Constants ---- */

typedef struct constant {
    const char *text;
    long double value;
} constant;

/* All of them in one expression, on the left or on the right of the array. */
static void compare_constants(suite *t, int32_t dtype, const constant *all, size_t count, bool left)
{
    enum { MOST = 16 };
    test_array x = { 0 }, out[MOST] = { 0 };
    yoke_var vars[MOST + 1];
    char names[MOST][8], *text = memory_new(4096);
    size_t length = 0;
    NEED(count <= MOST && make_edges(t, dtype, true, &x));
    vars[count] = yoke_var_array("x", x.array);
    for (size_t k = 0; k < count; k++) {
        const char *a = left ? all[k].text : "x", *b = left ? "x" : all[k].text;
        NEED(test_array_create(t, YOKE_U8, 1, (int64_t[]){ ELEMENTS }, LAYOUT_CONTIGUOUS, 1, &out[k]) && test_upload(t, &out[k]));
        snprintf(names[k], sizeof *names, "o%u", (unsigned)k);
        vars[k] = yoke_var_array(names[k], out[k].array);
        length += (size_t)snprintf(text + length, 4096 - length, "%so%u = " SIX("%s", "%s"), k ? "; " : "", (unsigned)k, a, b, a, b,
                                   a, b, a, b, a, b, a, b);
    }
    NEED_OK(yoke_map(t->stream, text, vars, count + 1));
    NEED_OK(yoke_stream_wait(t->stream));
    for (size_t k = 0; k < count; k++) {
        NEED(test_download_checked(t, &out[k], false));
        for (unsigned i = 0; i < ELEMENTS; i += EDGES) {
            long double value = test_get(&x, i);
            unsigned wanted = left ? six(all[k].value, value) : six(value, all[k].value), got = (unsigned)test_get(&out[k], i);
            if (CHECK(got == wanted))
                continue;
            tap_diag("%s %.22Lg beside %s, which is on the %s: bits %02x, not %02x", yoke_dtype_get_name(dtype), value, all[k].text,
                     left ? "left" : "right", got, wanted);
            break;
        }
    }
out:
    for (size_t k = 0; k < MOST; k++)
        test_array_release(&out[k]);
    test_array_release(&x);
    memory_free(text);
}

static void constants(suite *t)
{
    static const constant all[] = {
        { "16777216.0", 16777216 },
        { "16777216.5", 16777216.5L },
        { "16777217", 16777217 },
        { "-0.5", -0.5L },
        { "-1", -1 },
        { "2147483648.0f", 2147483648.L },
        { "9223372036854775807", 9223372036854775807.L },
        { "9223372036854775808.0", 9223372036854775808.L },
        { "18446744073709551615u", 18446744073709551615.L },
        { "1e20", 1e20L },
        { "-1e20", -1e20L },
        { "NAN", NAN },
        { "-INFINITY", -INFINITY },
    };
    static const int32_t dtypes[] = { YOKE_U8, YOKE_I32, YOKE_U32, YOKE_I64, YOKE_U64 };
    for (size_t i = 0; i < COUNT_OF(dtypes); i++)
        for (int left = 0; left < 2; left++)
            compare_constants(t, dtypes[i], all, COUNT_OF(all), left);
}

/* Integer constants beside floating point, which need not have them. */
static void integer_constants(suite *t)
{
    static const constant all[] = { { "16777217", 16777217 },
                                    { "2147483647", 2147483647.L },
                                    { "-16777217", -16777217 },
                                    { "9223372036854775807", 9223372036854775807.L },
                                    { "18446744073709551615u", 18446744073709551615.L } };
    compare_constants(t, YOKE_F32, all, COUNT_OF(all), false);
    compare_constants(t, YOKE_F32, all, COUNT_OF(all), true);
    if (test_has(t, YOKE_F64))
        compare_constants(t, YOKE_F64, all, COUNT_OF(all), false);
}

/* ---- Complex numbers, selections ---- */

static void complex_numbers(suite *t)
{
    test_array x = { 0 }, z = { 0 }, out = { 0 };
    NEED(make_edges(t, YOKE_I32, true, &x) &&
         test_array_create(t, YOKE_C64, 1, (int64_t[]){ ELEMENTS }, LAYOUT_CONTIGUOUS, 1, &z) &&
         test_array_create(t, YOKE_U8, 1, (int64_t[]){ ELEMENTS }, LAYOUT_CONTIGUOUS, 1, &out) && test_upload(t, &out));
    for (unsigned i = 0; i < ELEMENTS; i++)
        test_set_complex(&z, i, edges[i % EDGES], i % 3 == 0 ? 1 : 0);
    NEED(test_upload(t, &z));
    yoke_array a = x.array, b = z.array, c = out.array;
    NEED_OK(yoke_map(t->stream, "c = (a == b) + (a != b) * 2 + (b == a) * 4 + (b != a) * 8", YOKE_VARS(a, b, c)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &out, false));
    for (unsigned i = 0; i < ELEMENTS; i++) {
        bool equal = test_get(&x, i) == test_get(&z, i) && test_get_imaginary(&z, i) == 0;
        if (!CHECK(test_get(&out, i) == (equal ? 5 : 10))) {
            tap_diag("int32 %.22Lg and %.22Lg: %Lg", test_get(&x, i), test_get(&z, i), test_get(&out, i));
            break;
        }
    }
out:
    test_array_release(&out);
    test_array_release(&z);
    test_array_release(&x);
}

/* The other operations that take an expression. */
static void other_operations(suite *t)
{
    static const int32_t data[] = { 16777215, 16777216, 16777217, 16777218 };
    test_array x = { 0 }, out = { 0 }, count = { 0 };
    NEED(test_array_create(t, YOKE_I32, 1, (int64_t[]){ 4 }, LAYOUT_CONTIGUOUS, 1, &x) &&
         test_array_create(t, YOKE_I32, 1, (int64_t[]){ 4 }, LAYOUT_CONTIGUOUS, 1, &out) && test_upload(t, &out) &&
         test_array_create(t, YOKE_I64, 1, (int64_t[]){ 1 }, LAYOUT_CONTIGUOUS, 1, &count) && test_upload(t, &count));
    for (int i = 0; i < 4; i++)
        test_set(&x, i, data[i]);
    NEED(test_upload(t, &x));
    yoke_array a = x.array;
    float limit = 16777216;
    NEED_OK(yoke_select_where(t->stream, &out.array, &count.array, &x.array, "a > limit", YOKE_VARS(a, limit)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download(t, &out) && test_download(t, &count));
    CHECK(test_get(&count, 0) == 2 && test_get(&out, 0) == 16777217 && test_get(&out, 1) == 16777218);
    NEED_OK(yoke_map_reduce(t->stream, YOKE_REDUCE_SUM, &count.array, "a == limit", YOKE_VARS(a, limit), YOKE_ALL_AXES));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download(t, &count));
    CHECK(test_get(&count, 0) == 1);
    NEED_OK(yoke_map_reduce(t->stream, YOKE_REDUCE_SUM, &count.array, "a > 16777216.0 ? a : 0", YOKE_VARS(a), YOKE_ALL_AXES));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download(t, &count));
    CHECK(test_get(&count, 0) == 16777217 + 16777218);
out:
    test_array_release(&count);
    test_array_release(&out);
    test_array_release(&x);
}

/* Values of two dtypes go to the output as they are, and not by way of a float for both. */
static void choices(suite *t)
{
    test_array flags = { 0 }, x = { 0 }, y = { 0 }, out = { 0 }, real = { 0 };
    int32_t wide = test_has(t, YOKE_F64) ? YOKE_F64 : YOKE_F32;
    NEED(test_array_create(t, YOKE_BOOL, 1, (int64_t[]){ 2 }, LAYOUT_CONTIGUOUS, 1, &flags) &&
         test_array_create(t, YOKE_I32, 1, (int64_t[]){ 2 }, LAYOUT_CONTIGUOUS, 1, &x) &&
         test_array_create(t, YOKE_F32, 1, (int64_t[]){ 2 }, LAYOUT_CONTIGUOUS, 1, &y) &&
         test_array_create(t, YOKE_I32, 1, (int64_t[]){ 2 }, LAYOUT_CONTIGUOUS, 1, &out) &&
         test_array_create(t, wide, 1, (int64_t[]){ 2 }, LAYOUT_CONTIGUOUS, 1, &real));
    test_set(&flags, 0, 1);
    test_set(&flags, 1, 0);
    test_set(&x, 0, wide == YOKE_F64 ? 16777217 : 16777218);
    test_set(&x, 1, -7);
    test_set(&y, 1, 2.5L);
    NEED(test_upload(t, &flags) && test_upload(t, &x) && test_upload(t, &y) && test_upload(t, &out) && test_upload(t, &real));
    NEED_OK(yoke_where(t->stream, &out.array, &flags.array, &x.array, &y.array));
    NEED_OK(yoke_where(t->stream, &real.array, &flags.array, &x.array, &y.array));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download(t, &out) && test_download(t, &real));
    CHECK(test_get(&out, 0) == test_get(&x, 0) && test_get(&out, 1) == 2);
    CHECK(test_get(&real, 0) == test_get(&x, 0) && test_get(&real, 1) == 2.5L);
    NEED_OK(yoke_clamp(t->stream, &real.array, &x.array, YOKE_NUMBER(-6.5), YOKE_NUMBER(16777218.0)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download(t, &real));
    CHECK(test_get(&real, 0) == test_get(&x, 0) && test_get(&real, 1) == -6.5L);
out:
    test_array_release(&real);
    test_array_release(&out);
    test_array_release(&y);
    test_array_release(&x);
    test_array_release(&flags);
}

static const suite_case cases[] = {
    { "numbers of every two dtypes are compared by their values", pairs, false },
    { "integers and floats are, in lists without double", pairs_without_double, false },
    { "integers are compared with constants by their values", constants, false },
    { "floating point is compared with integer constants by their values", integer_constants, false },
    { "a complex number equals an integer only where it has its value", complex_numbers, false },
    { "select_where and map_reduce compare by values", other_operations, false },
    { "where and clamp convert each value once", choices, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
