/* SPDX-License-Identifier: Apache-2.0 */
/* yoke_reduce_with and yoke_scan_with: combinations of the caller's own, against a host where the result is exact, and bit by bit
 * against the operations of the library, whose order they share, where it is rounded; by the device's kernels and by those of
 * other devices. */
#include "../arrays.h"

#include "call/call.h"

#include <math.h>
#include <string.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* Affine functions modulo 256, x -> m x + c as m << 8 | c: the combination is associative, and not commutative. The function has a
 * name of the kernels', and so has a macro of its own. */
static const char affine_text[] = "#define TILE 255u\n"
                                  "YOKE_FUNCTION unsigned int combine(unsigned int a, unsigned int b)\n"
                                  "{\n"
                                  "    unsigned int m = (a >> 8) * (b >> 8) & TILE, c = ((b >> 8) * (a & TILE) + b) & TILE;\n"
                                  "    return m << 8 | c;\n"
                                  "}\n";
static const char affine_call[] = "combine(a, b)";

static uint32_t affine(uint32_t a, uint32_t b)
{
    uint32_t m = (a >> 8) * (b >> 8) & 255u, c = ((b >> 8) * (a & 255u) + b) & 255u;
    return m << 8 | c;
}

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

/* ---- Against a host ---- */

/* x * y modulo a prime, along the axes of `mask`. */
static void products(suite *t, int64_t rows, int64_t columns, uint32_t mask, layout placed)
{
    test_array x, out;
    int32_t axes[2], dimensions = 0;
    size_t count = 0;
    int64_t shape[2];
    for (int32_t i = 0; i < 2; i++)
        if (mask >> i & 1u)
            axes[count++] = i;
        else
            shape[dimensions++] = i == 0 ? rows : columns;
    if (!test_array_create(t, YOKE_I64, 2, SHAPE(rows, columns), placed, 1, &x) ||
        !test_array_create(t, YOKE_I64, dimensions, shape, placed, 2, &out))
        return;
    uint32_t state = 7;
    for (int64_t i = 0; i < x.count; i++)
        test_set(&x, i, (long double)(1 + test_random_below(&state, 10006)));
    if (test_upload(t, &x) && test_upload(t, &out) &&
        CHECK_OK(yoke_reduce_with(t->stream, "a * b % 10007", &out.array, &x.array, YOKE_NUMBER(5), YOKE_NO_VARS, axes, count)) &&
        CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false) && test_download_checked(t, &x, true))
        for (int64_t k = 0; k < out.count; k++) {
            int64_t wanted = 5;
            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < columns; j++)
                    if (mask == 3 || (mask == 1 && j == k) || (mask == 2 && i == k))
                        wanted = wanted * (int64_t)test_get(&x, i * columns + j) % 10007;
            if (!CHECK(test_get(&out, k) == (long double)wanted))
                tap_diag("%lld x %lld, axes %u, element %lld: %lld, wanted %lld", (long long)rows, (long long)columns,
                         (unsigned)mask, (long long)k, (long long)test_get(&out, k), (long long)wanted);
        }
    test_array_release(&x);
    test_array_release(&out);
}

static void reductions(suite *t)
{
    for (int kind = 0; kind <= 2; kind++) {
        force(t, kind);
        products(t, 1, 1, 3, LAYOUT_CONTIGUOUS);
        products(t, 3, 20011, 3, LAYOUT_CONTIGUOUS);
        products(t, 37, 301, 2, LAYOUT_CONTIGUOUS);
        products(t, 301, 37, 1, LAYOUT_RANDOM);
    }
    force(t, 0);
}

/* A scan of uint32 by the function, of each row; in place, or not. */
static void compositions(suite *t, int64_t rows, int64_t n, yoke_scan_mode mode, layout placed, bool in_place)
{
    test_array x, out;
    if (!test_array_create(t, YOKE_U32, 2, SHAPE(rows, n), placed, 1, &x) ||
        !test_array_create(t, YOKE_U32, 2, SHAPE(rows, n), placed, 2, &out))
        return;
    uint32_t state = 11, *wanted = memory_new((size_t)(x.count > 0 ? x.count : 1) * sizeof *wanted);
    for (int64_t i = 0; i < x.count; i++)
        test_set(&x, i, (long double)(test_random_below(&state, 65536) | 256));
    for (int64_t i = 0; wanted && i < x.count; i++) {
        uint32_t before = i % n == 0 ? 0x0305u : affine(wanted[i - 1], (uint32_t)test_get(&x, i - 1));
        wanted[i] = before;
    }
    for (int64_t i = 0; wanted && mode == YOKE_SCAN_INCLUSIVE && i < x.count; i++)
        wanted[i] = affine(wanted[i], (uint32_t)test_get(&x, i));
    test_array *result = in_place ? &x : &out;
    yoke_var var = yoke_var_function("uint32 combine(uint32 a, uint32 b)", affine_text);
    if (test_upload(t, &x) && test_upload(t, &out) &&
        CHECK_OK(yoke_scan_with(t->stream, affine_call, mode, &result->array, &x.array, YOKE_NUMBER(0x0305), &var, 1, 1)) &&
        CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, result, false) && wanted)
        for (int64_t i = 0; i < x.count; i++)
            if (!CHECK((uint32_t)test_get(result, i) == wanted[i])) {
                tap_diag("%lld rows of %lld, mode %d: element %lld", (long long)rows, (long long)n, (int)mode, (long long)i);
                break;
            }
    memory_free(wanted);
    test_array_release(&x);
    test_array_release(&out);
}

static void scans(suite *t)
{
    for (int kind = 0; kind <= 2; kind++) {
        force(t, kind);
        compositions(t, 1, 30001, YOKE_SCAN_INCLUSIVE, LAYOUT_CONTIGUOUS, false);
        compositions(t, 2, 9000, YOKE_SCAN_EXCLUSIVE, LAYOUT_CONTIGUOUS, true);
        compositions(t, 70, 50, YOKE_SCAN_EXCLUSIVE, LAYOUT_RANDOM, false);
        compositions(t, 3, 1, YOKE_SCAN_INCLUSIVE, LAYOUT_RANDOM, false);
    }
    force(t, 0);
}

/* ---- Bit by bit as the library's own ---- */

/* Sums, whose own neutral element is -0; products of complex numbers. */
static void same_as_library(suite *t, const char *combination, yoke_reduction operation, int32_t dtype, yoke_number initial)
{
    test_array x, out, wanted, sum, wanted_sum;
    int64_t n = 9001;
    if (!test_has(t, dtype))
        return;
    if (!test_array_create(t, dtype, 1, SHAPE(n), LAYOUT_OFFSET, 1, &x) ||
        !test_array_create(t, dtype, 1, SHAPE(n), LAYOUT_CONTIGUOUS, 2, &out) ||
        !test_array_create(t, dtype, 1, SHAPE(n), LAYOUT_CONTIGUOUS, 3, &wanted) ||
        !test_array_create(t, dtype, 0, NULL, LAYOUT_CONTIGUOUS, 4, &sum) ||
        !test_array_create(t, dtype, 0, NULL, LAYOUT_CONTIGUOUS, 5, &wanted_sum))
        return;
    test_fill_whole_range(&x, 5, false);
    if (test_upload(t, &x) && test_upload(t, &out) && test_upload(t, &wanted) && test_upload(t, &sum) &&
        test_upload(t, &wanted_sum) &&
        CHECK_OK(yoke_reduce_with(t->stream, combination, &sum.array, &x.array, initial, YOKE_NO_VARS, YOKE_ALL_AXES)) &&
        CHECK_OK(yoke_reduce(t->stream, operation, &wanted_sum.array, &x.array, YOKE_ALL_AXES)) &&
        CHECK_OK(yoke_scan_with(t->stream, combination, YOKE_SCAN_INCLUSIVE, &out.array, &x.array, initial, YOKE_NO_VARS, 0)) &&
        CHECK_OK(yoke_scan(t->stream, operation, YOKE_SCAN_INCLUSIVE, &wanted.array, &x.array, 0)) &&
        CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &sum, false) && test_download(t, &wanted_sum) &&
        test_download_checked(t, &out, false) && test_download(t, &wanted)) {
        if (!CHECK(test_same(dtype, test_element(&sum, 0), test_element(&wanted_sum, 0))))
            tap_diag("%s of %s: the reduction differs", combination, yoke_dtype_get_name(dtype));
        int64_t i = 0;
        while (i < n && test_same(dtype, test_element(&out, i), test_element(&wanted, i)))
            i++;
        if (!CHECK(i == n))
            tap_diag("%s of %s: element %lld of the scan differs", combination, yoke_dtype_get_name(dtype), (long long)i);
    }
    test_array_release(&x);
    test_array_release(&out);
    test_array_release(&wanted);
    test_array_release(&sum);
    test_array_release(&wanted_sum);
}

static void floats(suite *t)
{
    same_as_library(t, "a + b", YOKE_REDUCE_SUM, YOKE_F32, YOKE_NUMBER(-0.0f));
    same_as_library(t, "s = a; s += b; s", YOKE_REDUCE_SUM, YOKE_F64, YOKE_NUMBER(-0.0));
    same_as_library(t, "max(a, b)", YOKE_REDUCE_MAX, YOKE_F16, YOKE_NUMBER(-INFINITY));
    same_as_library(t, "a + b", YOKE_REDUCE_SUM, YOKE_C64, yoke_number_c64(-0.0f, -0.0f));
}

/* ---- No elements, and dtypes that differ ---- */

static void dtypes(suite *t)
{
    test_array x, out, none, many;
    if (!test_array_create(t, YOKE_U8, 1, SHAPE(300), LAYOUT_CONTIGUOUS, 1, &x) ||
        !test_array_create(t, YOKE_BOOL, 0, NULL, LAYOUT_CONTIGUOUS, 2, &out) ||
        !test_array_create(t, YOKE_U8, 2, SHAPE(2, 0), LAYOUT_CONTIGUOUS, 3, &none) ||
        !test_array_create(t, YOKE_I16, 1, SHAPE(2), LAYOUT_CONTIGUOUS, 4, &many))
        return;
    for (int64_t i = 0; i < 300; i++)
        test_set(&x, i, i % 2 == 0 ? 200 : 0); /* true, 150 times */
    if (test_upload(t, &x) && test_upload(t, &out) && test_upload(t, &many) &&
        CHECK_OK(yoke_reduce_with(t->stream, "a != b", &out.array, &x.array, YOKE_NUMBER(1), YOKE_NO_VARS, YOKE_ALL_AXES)) &&
        CHECK_OK(yoke_reduce_with(t->stream, "a + b", &many.array, &none.array, YOKE_NUMBER(-7), YOKE_NO_VARS, YOKE_AXES(1))) &&
        CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false) && test_download_checked(t, &many, false)) {
        CHECK(test_get(&out, 0) == 1); /* not the parity of 150 */
        CHECK(test_get(&many, 0) == -7 && test_get(&many, 1) == -7);
    }
    test_array_release(&x);
    test_array_release(&out);
    test_array_release(&none);
    test_array_release(&many);
}

static void mistakes(suite *t)
{
    test_array x, z, out;
    suite_expect_log();
    if (!test_array_create(t, YOKE_F32, 1, SHAPE(8), LAYOUT_CONTIGUOUS, 1, &x) ||
        !test_array_create(t, YOKE_C64, 1, SHAPE(8), LAYOUT_CONTIGUOUS, 2, &z) ||
        !test_array_create(t, YOKE_I32, 0, NULL, LAYOUT_CONTIGUOUS, 3, &out))
        return;
    yoke_var var = yoke_var_array("x", x.array), number = yoke_var_scalar("c", YOKE_NUMBER(1));
#define TRY(text, a, initial, vars, count) yoke_reduce_with(t->stream, text, &out.array, a, initial, vars, count, YOKE_ALL_AXES)
#define REFUSED(words, text, a, initial, vars, count) \
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_reduce_with|" words, TRY(text, a, initial, vars, count))
    REFUSED("a +|^", "a +", &x.array, YOKE_NUMBER(0), NULL, 0);
    REFUSED("'c'", "a + c", &x.array, YOKE_NUMBER(0), NULL, 0);
    REFUSED("'c'|vars[0]|not a function", "a + c", &x.array, YOKE_NUMBER(0), &number, 1);
    REFUSED("'x'|vars[0]|not a function", "a + b", &x.array, YOKE_NUMBER(0), &var, 1);
    REFUSED("index variable", "a + b * i", &x.array, YOKE_NUMBER(0), NULL, 0);
    REFUSED("complex64|int32", "a + b", &z.array, YOKE_NUMBER(0), NULL, 0);
    REFUSED("complex64|int32", "complex(a, b)", &x.array, YOKE_NUMBER(0), NULL, 0);
    REFUSED("initial|int32", "a + b", &x.array, YOKE_NUMBER(0.5), NULL, 0);
    REFUSED("initial|int32", "a + b", &x.array, YOKE_NUMBER(UINT32_C(1) << 31), NULL, 0);
    REFUSED("initial|complex", "a + b", &x.array, yoke_number_c64(1, 1), NULL, 0);
    REFUSED("vars is NULL", "a + b", &x.array, YOKE_NUMBER(0), NULL, 1);
    REFUSED("a is NULL", "a + b", NULL, YOKE_NUMBER(0), NULL, 0);
    REFUSED("", NULL, &x.array, YOKE_NUMBER(0), NULL, 0);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan_with|mode is 7",
                yoke_scan_with(t->stream, "a + b", 7, &x.array, &x.array, YOKE_NUMBER(0), YOKE_NO_VARS, 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan_with|shape",
                yoke_scan_with(t->stream, "a + b", YOKE_SCAN_INCLUSIVE, &out.array, &x.array, YOKE_NUMBER(0), YOKE_NO_VARS, 0));
    test_array_release(&x);
    test_array_release(&z);
    test_array_release(&out);
}

static const suite_case cases[] = {
    { "reductions by a product modulo a prime, along axes", reductions, false },
    { "scans by a function whose order can be seen", scans, false },
    { "sums of floats have the bits of the library's", floats, false },
    { "no elements, and dtypes that are converted", dtypes, false },
    { "mistakes", mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
