/* SPDX-License-Identifier: Apache-2.0 */
/* yoke_matmul: the bits that <yoke/matmul.h> promises, of all sizes, dtypes and layouts, with epilogues; and the error's bound. */
#include "matmul_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void sizes(suite *t)
{
    static const int64_t shapes[][3] = {
        { 24, 32, 128 },  { 25, 33, 129 },  { 23, 31, 127 },  { 97, 130, 40 },  { 2, 2, 1 },     { 2, 3, 511 },   { 3, 2, 513 },
        { 64, 64, 1024 }, { 65, 129, 600 }, { 33, 33, 1300 }, { 32, 200, 770 }, { 2, 2, 70000 }, { 129, 64, 32 }, { 768, 512, 20 },
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        matmul_trial trial = matmul_trial_of(shapes[i][0], shapes[i][1], shapes[i][2]);
        if (!matmul_try(t, &trial, (uint32_t)i))
            return;
    }
}

static void layouts(suite *t)
{
    for (uint32_t i = 0; i < 24; i++) {
        matmul_trial trial = matmul_trial_of(20 + i % 5, 36 - i % 3, 60 + i % 4);
        trial.a.transposed = i & 1;
        trial.b.transposed = i & 2;
        trial.c.transposed = i & 4;
        trial.how = (layout)(i / 8);
        if (!matmul_try(t, &trial, i))
            return;
    }
}

static void specials(suite *t)
{
    for (uint32_t i = 0; i < 4; i++) {
        matmul_trial trial = matmul_trial_of(40, 30, 5 + 3 * i);
        trial.special = true;
        matmul_try(t, &trial, i);
    }
}

static void dtypes(suite *t)
{
    static const int32_t sets[][3] = {
        { YOKE_F64, YOKE_F64, YOKE_F64 }, { YOKE_F16, YOKE_F16, YOKE_F32 },    { YOKE_BF16, YOKE_BF16, YOKE_BF16 },
        { YOKE_I8, YOKE_I8, YOKE_I32 },   { YOKE_U16, YOKE_I64, YOKE_F32 },    { YOKE_C64, YOKE_C64, YOKE_C64 },
        { YOKE_F16, YOKE_F16, YOKE_F16 }, { YOKE_C128, YOKE_C128, YOKE_C128 },
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        matmul_trial trial = matmul_trial_of(26, 35, 70);
        if (!test_has(t, sets[i][0]))
            continue;
        trial.a.dtype = sets[i][0];
        trial.b.dtype = sets[i][1];
        trial.c.dtype = sets[i][2];
        matmul_try(t, &trial, (uint32_t)i);
        trial = matmul_trial_of(25, 33, 520);
        trial.a.dtype = sets[i][0];
        trial.b.dtype = sets[i][1];
        trial.c.dtype = sets[i][2];
        trial.has_scales = true;
        trial.alpha = 2;
        trial.beta = -3;
        trial.how = LAYOUT_RANDOM;
        matmul_try(t, &trial, (uint32_t)i + 100);
    }
}

/* Integers of the whole range: sums modulo 2^64. */
static void wraps(suite *t, int32_t dtype, uint32_t seed)
{
    matmul_trial trial = matmul_trial_of(9, 35, 70);
    matmul_arrays x;
    trial.a.dtype = trial.b.dtype = trial.c.dtype = dtype;
    NEED(matmul_arrays_create(t, &trial, seed, &x));
    test_fill_whole_range(&x.a, seed, true);
    test_fill_whole_range(&x.b, seed + 1, true);
    NEED(test_upload(t, &x.a) && test_upload(t, &x.b) && test_upload(t, &x.c));
    NEED_OK(yoke_matmul(t->stream, &x.view_c, &x.view_a, &x.view_b, NULL));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &x.c, false));
    for (int64_t row = 0; row < 9; row++)
        for (int64_t column = 0; column < 35; column++) {
            uint64_t sum = 0, a, b, c;
            for (int64_t q = 0; q < 70; q++) {
                memcpy(&a, test_element(&x.a, row * 70 + q), sizeof a);
                memcpy(&b, test_element(&x.b, q * 35 + column), sizeof b);
                sum += a * b;
            }
            memcpy(&c, test_element(&x.c, row * 35 + column), sizeof c);
            NEED(c == sum);
        }
out:
    matmul_arrays_release(&x);
}

static void integers_wrap(suite *t)
{
    wraps(t, YOKE_U64, 3);
    wraps(t, YOKE_I64, 4);
}

static void vectors(suite *t)
{
    static const int64_t shapes[][2] = { { 100, 127 }, { 4, 128 }, { 5, 129 }, { 70, 640 }, { 33, 5000 }, { 1, 9000 }, { 1, 3 } };
    for (uint32_t i = 0; i < 4 * sizeof shapes / sizeof shapes[0]; i++) {
        int64_t rows = shapes[i / 4][0], k = shapes[i / 4][1];
        matmul_trial trial = i & 1 ? matmul_trial_of(1, rows, k) : matmul_trial_of(rows, 1, k);
        trial.a.transposed = trial.b.transposed = i & 2;
        if (!matmul_try(t, &trial, i))
            return;
    }
    matmul_trial trial = matmul_trial_of(40, 1, 200);
    trial.a.dtype = trial.b.dtype = trial.c.dtype = YOKE_C64;
    matmul_try(t, &trial, 1);
    trial = matmul_trial_of(1, 40, 200);
    trial.a.dtype = trial.b.dtype = trial.c.dtype = YOKE_C64;
    matmul_try(t, &trial, 2);
}

static void epilogues(suite *t)
{
    for (uint32_t i = 0; i < 6; i++) {
        matmul_trial trial = i < 4 ? matmul_trial_of(30 + i, 50, 64) : matmul_trial_of(i == 4 ? 40 : 1, i == 4 ? 1 : 40, 6000);
        trial.has_bias = true;
        trial.c.transposed = i & 1;
        trial.has_scales = i & 2;
        trial.alpha = 0.75;
        trial.beta = 0.5;
        if (!matmul_try(t, &trial, i))
            return;
    }
}

/* Index variables are those of c; complex values; an expression without arrays. */
static void expressions(suite *t)
{
    matmul_trial trial = matmul_trial_of(5, 6, 4);
    matmul_arrays x;
    yoke_matmul_options o = YOKE_MATMUL_OPTIONS_INIT;
    trial.c.transposed = true;
    NEED(matmul_arrays_create(t, &trial, 1, &x) && test_upload(t, &x.a) && test_upload(t, &x.b) && test_upload(t, &x.c));
    o.epilogue = "i0 * 100 + i1 * 10 + n1 + value * 0";
    NEED_OK(yoke_matmul(t->stream, &x.view_c, &x.view_a, &x.view_b, &o));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &x.c, false));
    for (int64_t row = 0; row < 5; row++)
        for (int64_t column = 0; column < 6; column++)
            CHECK(test_get(&x.c, column * 5 + row) == (long double)(row * 100 + column * 10 + 6));
    matmul_arrays_release(&x);
    trial.a.dtype = YOKE_C64;
    NEED(matmul_arrays_create(t, &trial, 2, &x) && test_upload(t, &x.a) && test_upload(t, &x.b) && test_upload(t, &x.c));
    for (int64_t i = 0; i < x.a.count; i++)
        test_set_complex(&x.a, i, 1, 2);
    for (int64_t i = 0; i < x.b.count; i++)
        test_set(&x.b, i, 3);
    NEED(test_upload(t, &x.a) && test_upload(t, &x.b));
    o.epilogue = "real(value) * 100 + imag(value)";
    NEED_OK(yoke_matmul(t->stream, &x.view_c, &x.view_a, &x.view_b, &o));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &x.c, false));
    for (int64_t i = 0; i < x.c.count; i++)
        CHECK(test_get(&x.c, i) == 1224);
out:
    matmul_arrays_release(&x);
}

/* The error of a chain of k fused multiply-adds is at most about k roundings of the sum of the products' sizes. */
static void accuracy(suite *t)
{
    matmul_trial trial = matmul_trial_of(31, 17, 2000);
    matmul_arrays x;
    NEED(matmul_arrays_create(t, &trial, 1, &x));
    test_fill_whole_range(&x.a, 1, false);
    test_fill_whole_range(&x.b, 2, false);
    NEED(test_upload(t, &x.a) && test_upload(t, &x.b) && test_upload(t, &x.c));
    NEED_OK(yoke_matmul(t->stream, &x.view_c, &x.view_a, &x.view_b, NULL));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &x.c, false));
    for (int64_t row = 0; row < 31; row++)
        for (int64_t column = 0; column < 17; column++) {
            long double exact = 0, size = 0;
            for (int64_t q = 0; q < 2000; q++) {
                long double product = test_get(&x.a, row * 2000 + q) * test_get(&x.b, q * 17 + column);
                exact += product;
                size += fabsl(product);
            }
            NEED(fabsl(test_get(&x.c, row * 17 + column) - exact) <= 2000 * ldexpl(1, -24) * size);
        }
out:
    matmul_arrays_release(&x);
}

static const suite_case cases[] = {
    { "products of floats have the documented bits, for sizes round every boundary", sizes, false },
    { "transposed, sliced and reversed operands", layouts, false },
    { "NaN, infinities, -0 and subnormals", specials, false },
    { "every kind of dtype", dtypes, false },
    { "integers of 64 bits wrap", integers_wrap, false },
    { "matrix times vector, vector times matrix, dot", vectors, false },
    { "an epilogue with a bias", epilogues, false },
    { "epilogues with index variables and of complex values", expressions, false },
    { "the error is within its bound", accuracy, false },
};

int main(void)
{
    setenv("YOKE_OPS_EXACT", "1", 1); /* the bits are compared, and a library has others */
    return SUITE_MAIN(cases, NULL);
}
