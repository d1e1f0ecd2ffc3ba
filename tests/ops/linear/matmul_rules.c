/* SPDX-License-Identifier: Apache-2.0 */
/* yoke_matmul: NumPy's rules of shapes, alpha and beta, outer products, graphs, and mistakes. Few kernels are compiled. */
#include "matmul_reference.h"

#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>

static void shapes(suite *t)
{
    static const matmul_trial trials[] = {
        { .a = { YOKE_F32, 2, { 7, 5 }, false, 0 },
          .b = { YOKE_F32, 2, { 5, 6 }, false, 0 },
          .c = { YOKE_F32, 2, { 7, 6 }, false, 0 } },
        { .a = { YOKE_F32, 3, { 4, 7, 5 }, false, 0 },
          .b = { YOKE_F32, 2, { 5, 6 }, true, 0 },
          .c = { YOKE_F32, 3, { 4, 7, 6 }, false, 0 } },
        { .a = { YOKE_F32, 4, { 3, 1, 7, 5 }, true, 0 },
          .b = { YOKE_F32, 3, { 2, 5, 6 }, false, 0 },
          .c = { YOKE_F32, 4, { 3, 2, 7, 6 }, false, 0 } },
        { .a = { YOKE_F32, 2, { 7, 5 }, false, 0 },
          .b = { YOKE_F32, 4, { 2, 3, 5, 6 }, false, 0 },
          .c = { YOKE_F32, 4, { 2, 3, 7, 6 }, false, 0 },
          .how = LAYOUT_RANDOM },
        { .a = { YOKE_F32, 4, { 2, 3, 7, 5 }, false, 0 },
          .b = { YOKE_F32, 4, { 2, 3, 5, 6 }, false, 0 },
          .c = { YOKE_F32, 4, { 2, 3, 7, 6 }, true, 0 } },
        { .a = { YOKE_F32, 1, { 5 }, false, 0 }, .b = { YOKE_F32, 1, { 5 }, false, 0 }, .c = { YOKE_F32, 0, { 0 }, false, 0 } },
        { .a = { YOKE_F32, 1, { 5 }, false, 0 }, .b = { YOKE_F32, 2, { 5, 6 }, true, 0 }, .c = { YOKE_F32, 1, { 6 }, false, 0 } },
        { .a = { YOKE_F32, 2, { 7, 5 }, false, 0 }, .b = { YOKE_F32, 1, { 5 }, false, 0 }, .c = { YOKE_F32, 1, { 7 }, false, 0 } },
        { .a = { YOKE_F32, 3, { 4, 7, 5 }, false, 0 },
          .b = { YOKE_F32, 1, { 5 }, false, 0 },
          .c = { YOKE_F32, 2, { 4, 7 }, false, 0 } },
        { .a = { YOKE_F32, 1, { 5 }, false, 0 },
          .b = { YOKE_F32, 3, { 4, 5, 6 }, true, 0 },
          .c = { YOKE_F32, 2, { 4, 6 }, false, 0 } },
        { .a = { YOKE_F32, 2, { 1, 1 }, false, 0 },
          .b = { YOKE_F32, 2, { 1, 1 }, false, 0 },
          .c = { YOKE_F32, 2, { 1, 1 }, false, 0 } },
    };
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        if (!matmul_try(t, &trials[i], (uint32_t)i))
            tap_diag("of trial %zu", i);
}

static void scales(suite *t)
{
    static const double numbers[][2] = { { 1, 0 }, { 2.5, 0 }, { 0.1, 1 }, { -1, 0.3 }, { 0, 2 }, { 0, 0 } };
    for (uint32_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        matmul_trial trial = matmul_trial_of(9, 11, 13);
        trial.has_scales = true;
        trial.alpha = numbers[i][0];
        trial.beta = numbers[i][1];
        trial.flags = i % 2 ? YOKE_MATMUL_TF32 : 0;
        matmul_try(t, &trial, i);
    }
}

/* Complex numbers, of either dtype, by each kernel: products of matrices and vectors, with slices and an epilogue, outer ones. */
static void complex_scales(suite *t)
{
    static const double numbers[][4] = { { 0.5, -1.25, 0, 0 }, { 2, 0, -0.75, 3 }, { -1.5, 0.25, 0.5, -2 }, { 0, 1, 0, -1 } };
    static const int64_t shapes[][3] = { { 9, 11, 13 }, { 70, 1, 50 }, { 1, 40, 6000 }, { 20, 30, 700 }, { 12, 17, 1 } };
    static const int32_t dtypes[][3] = { { YOKE_C64, YOKE_C64, YOKE_C64 },
                                         { YOKE_F32, YOKE_C128, YOKE_C128 },
                                         { YOKE_C64, YOKE_F64, YOKE_C64 },
                                         { YOKE_C128, YOKE_C64, YOKE_C128 } };
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers * sizeof shapes / sizeof *shapes; i++) {
        const double *n = numbers[i % 4];
        const int64_t *shape = shapes[i / 4];
        const int32_t *dtype = dtypes[(i + i / 4) % 4];
        if (!test_has(t, dtype[0]) || !test_has(t, dtype[1]) || !test_has(t, dtype[2]))
            continue;
        matmul_trial trial = matmul_trial_of(shape[0], shape[1], shape[2]);
        trial.a.dtype = dtype[0];
        trial.b.dtype = dtype[1];
        trial.c.dtype = dtype[2];
        trial.c.transposed = i % 3 == 1;
        trial.is_outer = shape[2] == 1;
        trial.has_scales = true;
        trial.alpha = n[0];
        trial.alpha_imaginary = n[1];
        trial.beta = n[2];
        trial.beta_imaginary = n[3];
        trial.scale_dtype = i % 2 ? YOKE_C64 : YOKE_C128;
        if (!matmul_try(t, &trial, i))
            tap_diag("of trial %u", (unsigned)i);
    }
}

/* What has no imaginary part does not take one. */
static void complex_scales_of_real_numbers(suite *t)
{
    const double parts[] = { 1, 0 };
    const int64_t shape[] = { 4, 4 };
    test_array a, c, z;
    suite_expect_log();
    if (!test_array_create(t, YOKE_F32, 2, shape, LAYOUT_CONTIGUOUS, 1, &a) ||
        !test_array_create(t, YOKE_F32, 2, shape, LAYOUT_CONTIGUOUS, 2, &c) ||
        !test_array_create(t, YOKE_C64, 2, shape, LAYOUT_CONTIGUOUS, 3, &z))
        return;
    NEED(test_upload(t, &a) && test_upload(t, &c) && test_upload(t, &z));
    yoke_matmul_options o = YOKE_MATMUL_OPTIONS_INIT;
    double _Complex one;
    memcpy(&one, parts, sizeof one);
    o.alpha = YOKE_NUMBER(one);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "alpha is complex|neither a, of float32, nor b",
                yoke_matmul(t->stream, &z.array, &a.array, &a.array, &o));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "alpha is complex|c has the dtype float32",
                yoke_matmul(t->stream, &c.array, &a.array, &z.array, &o));
    o = (yoke_matmul_options)YOKE_MATMUL_OPTIONS_INIT;
    o.beta = yoke_number_c64(1, 0);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "beta is complex|neither", yoke_matmul(t->stream, &c.array, &a.array, &a.array, &o));
    yoke_array row = yoke_array_index(a.array, 0, 0);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "beta is complex|neither", yoke_outer(t->stream, &c.array, &row, &row, &o));
out:
    test_array_release(&z);
    test_array_release(&c);
    test_array_release(&a);
}

static void outer(suite *t)
{
    matmul_trial trial = matmul_trial_of(50, 40, 1);
    trial.is_outer = true;
    matmul_try(t, &trial, 1);
    trial.has_scales = true;
    trial.alpha = 0.5;
    trial.beta = 1;
    matmul_try(t, &trial, 2);
}

/* Without products the sum is 0; without elements nothing happens. */
static void empty(suite *t)
{
    matmul_trial trial = matmul_trial_of(4, 5, 0);
    trial.has_scales = true;
    trial.alpha = 1;
    trial.beta = 3;
    matmul_try(t, &trial, 1);
    trial = matmul_trial_of(0, 5, 4);
    matmul_try(t, &trial, 2);
    trial = matmul_trial_of(5, 0, 0);
    matmul_try(t, &trial, 3);
}

/* Where beta is 0, NaN in c does not matter. */
static void unread(suite *t)
{
    matmul_trial trial = matmul_trial_of(9, 11, 13);
    matmul_arrays x;
    NEED(matmul_arrays_create(t, &trial, 1, &x));
    matmul_compute(&x);
    memset(x.c.bytes, 0xff, x.c.memory.size);
    NEED(test_upload(t, &x.a) && test_upload(t, &x.b) && test_upload(t, &x.c));
    NEED_OK(yoke_matmul(t->stream, &x.view_c, &x.view_a, &x.view_b, NULL));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &x.c, false) && matmul_compare(&x));
out:
    matmul_arrays_release(&x);
}

static void in_graphs(suite *t)
{
    matmul_trial trial = matmul_trial_of(5, 6, 700);
    matmul_arrays x;
    yoke_graph *graph = NULL;
    NEED(matmul_arrays_create(t, &trial, 1, &x) && test_upload(t, &x.c));
    NEED_OK(yoke_graph_create(t->device, "matmul", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED_OK(yoke_matmul(t->stream, &x.view_c, &x.view_a, &x.view_b, NULL));
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t run = 0; run < 3; run++) {
        test_fill_whole_range(&x.a, run, false);
        test_fill_whole_range(&x.b, run + 10, false);
        matmul_compute(&x);
        NEED(test_upload(t, &x.a) && test_upload(t, &x.b));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download_checked(t, &x.c, false) && matmul_compare(&x));
    }
out:
    yoke_graph_release(graph);
    matmul_arrays_release(&x);
}

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

static void mistakes(suite *t)
{
    test_array a = { 0 }, b = { 0 }, c = { 0 }, z = { 0 }, v = { 0 };
    yoke_matmul_options o = YOKE_MATMUL_OPTIONS_INIT;
    suite_expect_log();
    NEED(test_array_create(t, YOKE_F32, 2, SHAPE(4, 6), LAYOUT_CONTIGUOUS, 1, &a) &&
         test_array_create(t, YOKE_F32, 2, SHAPE(6, 5), LAYOUT_CONTIGUOUS, 2, &b) &&
         test_array_create(t, YOKE_F32, 2, SHAPE(4, 5), LAYOUT_CONTIGUOUS, 3, &c) &&
         test_array_create(t, YOKE_C64, 2, SHAPE(4, 6), LAYOUT_CONTIGUOUS, 4, &z) &&
         test_array_create(t, YOKE_F32, 1, SHAPE(4), LAYOUT_CONTIGUOUS, 5, &v));
    const yoke_array *x = &a.array, *y = &b.array, *out = &c.array;
    yoke_stream *s = t->stream;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_matmul|stream", yoke_matmul(NULL, out, x, y, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_matmul|c is NULL", yoke_matmul(s, NULL, x, y, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_matmul|a is NULL", yoke_matmul(s, out, NULL, y, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_matmul|b is NULL", yoke_matmul(s, out, x, NULL, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_matmul|(6, 5)|(4, 6)|5 columns|4 rows", yoke_matmul(s, out, y, x, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "c|(4)|(4, 6)|(6, 5)|(4, 5)", yoke_matmul(s, &v.array, x, y, NULL));
    yoke_array scalar = yoke_array_index(v.array, 0, 0), same = yoke_array_slice(a.array, 1, 0, 5, 1);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "a has no dimensions|yoke_multiply", yoke_matmul(s, out, &scalar, y, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "b has no dimensions", yoke_matmul(s, out, x, &scalar, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "c overlaps a", yoke_matmul(s, &same, x, y, NULL));
    yoke_array two = yoke_array_broadcast(a.array, 3, SHAPE(2, 4, 6)), three = yoke_array_broadcast(b.array, 3, SHAPE(3, 6, 5));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "(2, 4, 6)|(3, 6, 5)|broadcast", yoke_matmul(s, out, &two, &three, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "c|one place",
                yoke_matmul(s, &(yoke_array){ c.array.buffer, 0, YOKE_F32, 2, { 4, 5 }, { 0, 1 }, 0 }, x, y, NULL));
    o.flags = 64;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "flags is 0x40", yoke_matmul(s, out, x, y, &o));
    o.flags = 0;
    o.alpha.dtype = YOKE_C64;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "options->alpha", yoke_matmul(s, out, x, y, &o));
    o.alpha.dtype = 0;
    o.var_count = 1;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "epilogue is NULL", yoke_matmul(s, out, x, y, &o));
    o.epilogue = "value + bias";
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "vars is NULL", yoke_matmul(s, out, x, y, &o));
    o.var_count = 0;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "value + bias|^", yoke_matmul(s, out, x, y, &o));
    yoke_var bias = yoke_var_array("bias", v.array), itself = yoke_var_array("bias", c.array);
    o.vars = &bias;
    o.var_count = 1;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "bias|(4)|(4, 5)", yoke_matmul(s, out, x, y, &o));
    o.vars = &itself;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "c overlaps bias", yoke_matmul(s, out, x, y, &o));
    o.epilogue = "value";
    o.vars = NULL;
    o.var_count = 0;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "complex64|float|real()", yoke_matmul(s, out, &z.array, y, &o));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_outer|a|(4, 6)|vector", yoke_outer(s, out, x, &v.array, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_outer|c|(4, 5)|(4, 4)", yoke_outer(s, out, &v.array, &v.array, NULL));
    /* Also where no library is asked for the product. */
    o = (yoke_matmul_options)YOKE_MATMUL_OPTIONS_INIT;
    o.flags = YOKE_MATMUL_EXACT;
    setenv("YOKE_BLAS", "clblas", 1);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_BLAS|'clblas'", yoke_matmul(s, out, x, y, &o));
    unsetenv("YOKE_BLAS");
    CHECK(suite_works(t));
out:
    test_array_release(&v);
    test_array_release(&z);
    test_array_release(&c);
    test_array_release(&b);
    test_array_release(&a);
}

static const suite_case cases[] = {
    { "shapes follow NumPy's rules: vectors, batches, broadcast", shapes, false },
    { "alpha and beta", scales, false },
    { "complex alpha and beta", complex_scales, false },
    { "which products of real numbers refuse", complex_scales_of_real_numbers, false },
    { "outer products, and rank-1 updates", outer, false },
    { "no products, and no elements", empty, false },
    { "c is not read where beta is 0", unread, false },
    { "a product is recorded in a graph, and replayed with other data", in_graphs, false },
    { "mistakes are refused, and say what is wrong", mistakes, false },
};

int main(void)
{
    setenv("YOKE_OPS_EXACT", "1", 1); /* the bits are compared, and a library has others */
    return SUITE_MAIN(cases, NULL);
}
