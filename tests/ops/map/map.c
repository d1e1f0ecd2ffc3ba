/* SPDX-License-Identifier: Apache-2.0 */
/* Maps: expressions over arrays of every dtype, shape and layout, against the host's evaluator, and what is refused. */
#include "../arrays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>

#include "../expression/generate.h"
#include "trial.h"

/* ---- Expressions ---- */

static void dtypes(suite *t)
{
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        int32_t other = 1 + (dtype * 7 + 3) % (YK_DTYPE_COUNT - 1);
        bool drops = yk_dtype_is_complex(other) && !yk_dtype_is_complex(dtype); /* the imaginary part, which the text has to say */
        bool exact = yoke_device_supports(t->device, YOKE_CAP_EXACT_FP32);
        trial b;
        trial_begin(t, &b);
        trial_force((unsigned)dtype);
        if (test_has(t, dtype) && test_has(t, other) && trial_add_array(&b, "c", dtype, 1, SHAPE(1333), LAYOUT_OFFSET, 1) &&
            trial_add_array(&b, "a", dtype, 1, SHAPE(1333), LAYOUT_CONTIGUOUS, 2) &&
            trial_add_array(&b, "b", other, 1, SHAPE(1333), LAYOUT_CONTIGUOUS, 3))
            trial_run(&b, drops ? (exact ? "c = real(a * a + b)" : "c = real(a + b)") : exact ? "c = a * a + b" : "c = a + b");
        trial_end(&b);
    }
    trial_force(0);
}

/* From an element of each class to every dtype, in one kernel. */
static void conversions(suite *t)
{
    static const int32_t sources[] = { YOKE_I16, YOKE_U32, YOKE_I64, YOKE_U64, YOKE_F32, YOKE_F64, YOKE_C64, YOKE_C128 };
    for (size_t i = 0; i < YOPS_COUNT_OF(sources); i++) {
        trial b;
        char text[512] = "", name[16];
        bool good = test_has(t, sources[i]);
        trial_begin(t, &b);
        trial_force((unsigned)i);
        good = good && trial_add_array(&b, "x", sources[i], 1, SHAPE(1333), LAYOUT_CONTIGUOUS, 3);
        for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT && good; dtype++) {
            if (!test_has(t, dtype))
                continue;
            snprintf(name, sizeof name, "to_%s", yops_dtype_token(dtype));
            good = trial_add_array(&b, name, dtype, 1, SHAPE(1333), LAYOUT_CONTIGUOUS, 1);
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s = ", *text ? "; " : "", name);
            if (yk_dtype_is_complex(sources[i]) && !yk_dtype_is_complex(dtype))
                snprintf(text + strlen(text), sizeof text - strlen(text), "(%s)", yoke_dtype_get_name(dtype));
            snprintf(text + strlen(text), sizeof text - strlen(text), "x");
        }
        if (good)
            trial_run(&b, text);
        trial_end(&b);
    }
    trial_force(0);
}

static void lists(suite *t)
{
    static const struct {
        const char *text;
        int32_t dtypes[3];
    } list[] = {
        { "a = fmax(b * s + c, 0)", { YOKE_F32, YOKE_F32, YOKE_F32 } },
        { "a = b > c ? b : c; d = a - b", { YOKE_F32, YOKE_I16, YOKE_U8 } },
        { "a += i0 * 100 + i1 * 10 + i2; d = n0 * n1 * n2 == n", { YOKE_I64, YOKE_F32, YOKE_F32 } },
        { "d = i", { YOKE_I64, YOKE_F32, YOKE_F32 } },
        { "t = (uint8)b; a = t << 3; d ^= t", { YOKE_U16, YOKE_I32, YOKE_F32 } },
    };
    for (uint32_t seed = 0; seed < 15; seed++) { /* each text in each way */
        trial b;
        uint32_t random = seed + 77;
        int64_t shape[3] = { 1 + test_random_below(&random, 9), 1 + test_random_below(&random, 14),
                             1 + test_random_below(&random, 40) };
        int64_t narrow[3] = { shape[0], seed % 4 == 1 ? 1 : shape[1], seed % 4 == 2 ? 1 : shape[2] };
        const int32_t *types = list[seed % YOPS_COUNT_OF(list)].dtypes;
        trial_begin(t, &b);
        trial_force(seed / 5);
        if (trial_add_array(&b, "a", types[0], 3, shape, (layout)(seed / 2 % 3), seed) &&
            trial_add_array(&b, "b", types[1], 3, narrow, (layout)(seed / 3 % 3), seed + 1) &&
            trial_add_array(&b, "c", types[2], 2, narrow + 1, (layout)(seed / 7 % 3), seed + 2) &&
            trial_add_array(&b, "d", YOKE_I32, 3, shape, (layout)(seed / 4 % 3), seed + 3)) {
            trial_add_scalar(&b, "s", YOKE_NUMBER(0.75f));
            trial_run(&b, list[seed % YOPS_COUNT_OF(list)].text);
        }
        trial_end(&b);
    }
    trial_force(0);
}

/* Expressions of everything there is, of arrays of every dtype that are broadcast to each other. */
static yoke_number make_scalar(int32_t dtype)
{
    if (yk_dtype_is_complex(dtype))
        return (yoke_number){ dtype, { .parts = { 1.5, -0.5 } } };
    return yk_dtype_is_integer(dtype) ? (yoke_number){ dtype, { .u64 = 1 } } : (yoke_number){ dtype, { .f64 = 1.5 } };
}

static void random_ones(suite *t)
{
    static const int32_t outs[] = { YOKE_F32, YOKE_C64, YOKE_I32, YOKE_F16, YOKE_U8, YOKE_I64 };
    uint32_t state = 5;
    bool has_double = yoke_device_supports(t->device, YOKE_CAP_FP64);
    if (!yoke_device_supports(t->device, YOKE_CAP_EXACT_FP32)) {
        suite_skip("%s", yoke_device_lacks(t->device, YOKE_CAP_EXACT_FP32));
        return;
    }
    for (uint32_t seed = 0; seed < 9; seed++) {
        trial b;
        char text[4200] = "out = ", name[16];
        const int64_t shape[] = { 3 + seed % 5, 40 + seed };
        trial_begin(t, &b);
        trial_force(seed);
        bool good = trial_add_array(&b, "out", outs[seed % YOPS_COUNT_OF(outs)], 2, shape, (layout)(seed % 3), seed);
        for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT && good; dtype++) {
            int64_t narrow[] = { dtype % 4 == 1 ? 1 : shape[0], dtype % 5 == 2 ? 1 : shape[1] };
            if (!test_has(t, dtype))
                continue;
            snprintf(name, sizeof name, "x_%s", yops_dtype_token(dtype));
            good = trial_add_array(&b, name, dtype, 2, narrow, (layout)((seed + (uint32_t)dtype) % 3), seed + (uint32_t)dtype);
            snprintf(name, sizeof name, "s_%s", yops_dtype_token(dtype));
            trial_add_scalar(&b, name, make_scalar(dtype));
        }
        generate_value(&state, has_double, text + 6, 4096);
        int32_t dtype = 0;
        good = good && CHECK_OK(yoke_expression_get_dtype(text + 6, b.vars, b.count, &dtype));
        if (good && yk_dtype_is_complex(dtype) && !yk_dtype_is_complex(outs[seed % YOPS_COUNT_OF(outs)])) {
            char part[4300];
            snprintf(part, sizeof part, "out = real(%s)", text + 6);
            trial_run(&b, part);
        } else if (good)
            trial_run(&b, text);
        trial_end(&b);
    }
    trial_force(0);
}

static evaluate_value call_twice(evaluation *self, unsigned var, const evaluate_value *arguments)
{
    (void)self, (void)var;
    return (evaluate_value){ .f = arguments[0].f * 2 + (float)arguments[1].i };
}

static void functions(suite *t)
{
    trial b;
    for (unsigned way = 0; way < 2; way++) {
        trial_begin(t, &b);
        trial_force(way);
        b.call = call_twice;
        if (trial_add_array(&b, "a", YOKE_F32, 1, SHAPE(999), LAYOUT_CONTIGUOUS, 1) &&
            trial_add_array(&b, "b", YOKE_I32, 1, SHAPE(999), LAYOUT_CONTIGUOUS, 2)) {
            b.vars[b.count++] = yoke_var_function("float twice(float x, int32 n)",
                                                  "YOKE_FUNCTION float twice(float x, int n)\n{\n    return x * 2 + (float)n;\n}");
            trial_run(&b, "a = twice(a, b) + twice(1.5f, 3)");
        }
        trial_end(&b);
    }
    trial_force(0);
}

/* Names and macros that kernels and languages have, too. */
static void functions_of_any_name(suite *t)
{
    static const char *const names[] = { "divide", "shape", "combine", "chunk_", "mul_hi", "mix", "x", "value", "class" };
    for (size_t i = 0; i < YOPS_COUNT_OF(names); i++) {
        char declaration[64], text[200];
        trial b;
        snprintf(declaration, sizeof declaration, "float %s(float x, int32 n)", names[i]);
        snprintf(text, sizeof text,
                 "#define WIDTH 2\n#define ROUNDS n\ntypedef yoke_vec2 map_shape;\nYOKE_FUNCTION float %s(float a, int n)\n{\n"
                 "    map_shape v;\n    v.x = a * WIDTH;\n    return v.x + (float)ROUNDS;\n}",
                 names[i]);
        trial_begin(t, &b);
        b.call = call_twice;
        if (trial_add_array(&b, "a", YOKE_F32, 1, SHAPE(999), LAYOUT_CONTIGUOUS, 1) &&
            trial_add_array(&b, "b", YOKE_I32, 1, SHAPE(999), LAYOUT_CONTIGUOUS, 2)) {
            char expression[64];
            snprintf(expression, sizeof expression, "a = (float)%s(a, b) + (float)b", names[i]);
            b.vars[b.count++] = yoke_var_function(declaration, text);
            trial_run(&b, expression);
        }
        trial_end(&b);
    }
}

/* 31 arrays and a scalar, and a text beyond what a key holds. */
static void many(suite *t)
{
    trial b;
    char text[4096] = "v0 = s", name[16];
    trial_begin(t, &b);
    for (int k = 0; k < 31; k++) {
        const int64_t shape[] = { 3, k % 3 || k == 0 ? 5 : 1, 7 };
        layout how = k % 5 == 3 ? LAYOUT_RANDOM : LAYOUT_OFFSET;
        snprintf(name, sizeof name, "v%d", k);
        if (!trial_add_array(&b, name, k % 2 ? YOKE_I32 : YOKE_I16, 3, shape, how, (uint32_t)k * 3 + 1))
            break;
        if (k > 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), " + v%d * %d", k, k);
    }
    trial_add_scalar(&b, "s", YOKE_NUMBER(5));
    snprintf(text + strlen(text), sizeof text - strlen(text), "; v1 = v1 - v0%3200s", "");
    for (unsigned way = 0; way < 2 && b.count == 32; way++) {
        trial_force(way);
        trial_run(&b, text);
    }
    trial_end(&b);
    trial_force(0);
}

/* ---- Ready-made ---- */

static void ready_made(suite *t)
{
    static const char *const texts[] = { "out = a + b", "out = a - b", "out = a * b", "out = a / b", "out = c ? a : b" };
    for (size_t which = 0; which < YOPS_COUNT_OF(texts); which++) {
        const yops_call call = { "yoke_add", "here", t->stream, t->device };
        yops_expression *expression = NULL;
        trial b;
        trial_begin(t, &b);
        if (trial_add_array(&b, "out", YOKE_F32, 2, SHAPE(20, 41), LAYOUT_CONTIGUOUS, 1) &&
            trial_add_array(&b, "a", YOKE_F32, 2, SHAPE(20, 41), LAYOUT_RANDOM, 3) &&
            trial_add_array(&b, "b", YOKE_I16, 1, SHAPE(41), LAYOUT_OFFSET, 2) &&
            trial_add_array(&b, "c", YOKE_BOOL, 2, SHAPE(20, 1), LAYOUT_OFFSET, 2) && trial_upload(&b) &&
            CHECK_OK(yops_expression_parse(&call, texts[which], b.vars, b.count, false, &expression))) {
            const yoke_array *out = &b.arrays[0].array, *x = &b.arrays[1].array, *y = &b.arrays[2].array;
            CHECK_OK(which == 0   ? yoke_add(t->stream, out, x, y)
                     : which == 1 ? yoke_subtract(t->stream, out, x, y)
                     : which == 2 ? yoke_multiply(t->stream, out, x, y)
                     : which == 3 ? yoke_divide(t->stream, out, x, y)
                                  : yoke_where(t->stream, out, &b.arrays[3].array, x, y));
            if (trial_download(&b, expression))
                trial_compare(&b, texts[which], expression);
        }
        yops_expression_free(expression);
        trial_end(&b);
    }
}

static void clamp(suite *t, int32_t dtype, yoke_number low, yoke_number high, long double least, long double most)
{
    test_array a, out;
    if (!test_has(t, dtype) || !test_array_create(t, dtype, 1, SHAPE(500), LAYOUT_OFFSET, 1, &a))
        return;
    test_fill_whole_range(&a, 3, true);
    if (test_array_create(t, dtype, 1, SHAPE(500), LAYOUT_CONTIGUOUS, 2, &out)) {
        if (test_upload(t, &a) && test_upload(t, &out) && CHECK_OK(yoke_clamp(t->stream, &out.array, &a.array, low, high)) &&
            CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false))
            for (int64_t i = 0; i < out.count; i++) {
                long double x = test_get(&a, i), wanted = x < least ? least : x > most ? most : x, got = test_get(&out, i);
                if (!CHECK(isnan(x) ? isnan(got) : got == wanted)) {
                    tap_diag("%s: %Lg became %Lg, not %Lg", yoke_dtype_get_name(dtype), x, got, wanted);
                    break;
                }
            }
        test_array_release(&out);
    }
    test_array_release(&a);
}

static void clamps(suite *t)
{
    clamp(t, YOKE_F32, YOKE_NUMBER(-1), YOKE_NUMBER(2.5), -1, 2.5);
    clamp(t, YOKE_U8, YOKE_NUMBER(-5), YOKE_NUMBER(300), 0, 255);
    clamp(t, YOKE_I8, YOKE_NUMBER(-1000), YOKE_NUMBER(20u), -128, 20);
    clamp(t, YOKE_I64, YOKE_NUMBER(INT64_C(-5000000000)), YOKE_NUMBER(UINT64_MAX), -5000000000.0L, 9223372036854775807.0L);
    clamp(t, YOKE_F16, YOKE_NUMBER(-2), YOKE_NUMBER(2), -2, 2);
    clamp(t, YOKE_F64, YOKE_NUMBER(0), YOKE_NUMBER(0.1), 0, 0.1);
}

/* ---- What is refused, and what is not run ---- */

static void mistakes(suite *t)
{
    test_array a, b;
    if (!test_array_create(t, YOKE_F32, 2, SHAPE(4, 6), LAYOUT_CONTIGUOUS, 1, &a))
        return;
    if (test_array_create(t, YOKE_F32, 2, SHAPE(4, 5), LAYOUT_CONTIGUOUS, 1, &b)) {
        yoke_array x = a.array, y = b.array, none = { 0 }, left = yoke_array_slice(x, 1, 0, 5, 1),
                   right = yoke_array_slice(x, 1, 1, 6, 1);
        yoke_array odd = yoke_array_slice(x, 1, 1, 6, 2), even = yoke_array_slice(x, 1, 0, 6, 2),
                   still = yoke_array_broadcast(yoke_array_1d(x.buffer, YOKE_F32, 6), 2, x.shape);
        yoke_array complex = yoke_array_1d(x.buffer, YOKE_C64, 4);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_map|stream|NULL", yoke_map(NULL, "x = 1", YOKE_VARS(x)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_map|^", yoke_map(t->stream, "x = y +", YOKE_VARS(x, y)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_map|z|^", yoke_map(t->stream, "x = z", YOKE_VARS(x, y)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_map", yoke_map(t->stream, NULL, YOKE_VARS(x, y)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_map", yoke_map(t->stream, "x = 1", NULL, 2));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_map|none|dtype is 0", yoke_map(t->stream, "x = none", YOKE_VARS(x, none)));
        CHECK_FAILS(
            YOKE_E_BUILD, "vars[1]",
            yoke_map(t->stream, "x = half_of(x)",
                     (yoke_var[]){ YOKE_VAR(x), yoke_var_function("float half_of(float x)",
                                                                  "YOKE_FUNCTION float half_of(float x) { return x / 2 }") },
                     2));
        none = yoke_array_1d(NULL, YOKE_F32, 5);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "none|could not be made: yoke_array_1d",
                    yoke_map(t->stream, "x = none", YOKE_VARS(x, none)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "y|(4, 5)|(4, 6)", yoke_map(t->stream, "x = y", YOKE_VARS(x, y)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "y|(4, 5)|x|(4, 6)", yoke_map(t->stream, "x = 1; y = 2", YOKE_VARS(x, y)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "left overlaps right|same elements",
                    yoke_map(t->stream, "left = right", YOKE_VARS(left, right)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "left overlaps right",
                    yoke_map(t->stream, "left = 1; right = 2", YOKE_VARS(left, right)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "left overlaps twin",
                    yoke_map(t->stream, "left = 1; twin = 2", (yoke_var[]){ YOKE_VAR(left), yoke_var_array("twin", left) }, 2));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "still|one place", yoke_map(t->stream, "still = 1", YOKE_VARS(still)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "i2|^", yoke_map(t->stream, "x = i2", YOKE_VARS(x)));
        CHECK_OK(yoke_map(t->stream, "odd = even", YOKE_VARS(odd, even)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_add|a is NULL", yoke_add(t->stream, &x, NULL, &y));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_where|condition|(4, 5)", yoke_where(t->stream, &x, &y, &x, &x));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_clamp|complex",
                    yoke_clamp(t->stream, &complex, &complex, YOKE_NUMBER(1), YOKE_NUMBER(2)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_clamp|low|complex64|no order",
                    yoke_clamp(t->stream, &x, &x, yoke_number_c64(1, 0), YOKE_NUMBER(2)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_clamp|high|complex128|no order",
                    yoke_clamp(t->stream, &x, &x, YOKE_NUMBER(1), yoke_number_c128(2, 0)));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_clamp|low|dtype 77",
                    yoke_clamp(t->stream, &x, &x, (yoke_number){ 77, { 0 } }, YOKE_NUMBER(2)));
        /* The same text again, when it is remembered. */
        CHECK_OK(yoke_map(t->stream, "x = i1", YOKE_VARS(x)));
        yoke_array line = yoke_array_1d(x.buffer, YOKE_F32, 6);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "i1|^", yoke_map(t->stream, "x = i1", (yoke_var[]){ yoke_var_array("x", line) }, 1));
        CHECK_OK(yoke_stream_wait(t->stream));
        test_array_release(&b);
    }
    test_array_release(&a);
}

static void doubles(suite *t)
{
    test_array a;
    if (test_has(t, YOKE_F64) || !test_array_create(t, YOKE_F32, 1, SHAPE(8), LAYOUT_CONTIGUOUS, 1, &a))
        return;
    yoke_array x = a.array;
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "yoke_map|float64", yoke_map(t->stream, "x = (double)x", YOKE_VARS(x)));
    test_array_release(&a);
}

static void empties(suite *t)
{
    trial b;
    trial_begin(t, &b);
    if (trial_add_array(&b, "a", YOKE_F32, 2, SHAPE(3, 0), LAYOUT_CONTIGUOUS, 1) &&
        trial_add_array(&b, "b", YOKE_F32, 2, SHAPE(3, 1), LAYOUT_CONTIGUOUS, 2))
        trial_run(&b, "a = b + i1");
    trial_end(&b);
    trial_begin(t, &b);
    if (trial_add_array(&b, "a", YOKE_F32, 0, NULL, LAYOUT_CONTIGUOUS, 1) &&
        trial_add_array(&b, "b", YOKE_F32, 0, NULL, LAYOUT_OFFSET, 2))
        trial_run(&b, "a = b + n");
    trial_end(&b);
}

/* In place, and twice through one graph with other data. */
static void records(suite *t)
{
    const char *text = "a = a * s + b; c = a > 0";
    const yops_call call = { "yoke_map", "here", t->stream, t->device };
    yops_expression *expression = NULL;
    yoke_graph *graph = NULL;
    trial b;
    trial_begin(t, &b);
    NEED(trial_add_array(&b, "a", YOKE_F32, 2, SHAPE(33, 65), LAYOUT_RANDOM, 1));
    NEED(trial_add_array(&b, "b", YOKE_F16, 2, SHAPE(33, 65), LAYOUT_CONTIGUOUS, 2));
    NEED(trial_add_array(&b, "c", YOKE_BOOL, 2, SHAPE(33, 65), LAYOUT_CONTIGUOUS, 4));
    trial_add_scalar(&b, "s", YOKE_NUMBER(1.5f));
    NEED_OK(yops_expression_parse(&call, text, b.vars, b.count, false, &expression));
    NEED_OK(yoke_graph_create(t->device, "map", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    CHECK_OK(yoke_map(t->stream, text, b.vars, b.count));
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t round = 0; round < 3; round++) {
        test_fill_whole_range(&b.arrays[0], round, false);
        test_fill_whole_range(&b.arrays[1], round + 9, false);
        NEED(trial_upload(&b));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED(trial_download(&b, expression));
        NEED(trial_compare(&b, text, expression));
    }
out:
    yoke_graph_release(graph);
    yops_expression_free(expression);
    trial_end(&b);
}

/* The least of many elements are not lost: sizes beyond a block's, and all ways. */
static void sizes(suite *t)
{
    static const int64_t counts[] = { 1, 255, 257, 4095, 4097, 16383, 16385, 500001 };
    for (size_t i = 0; i < YOPS_COUNT_OF(counts); i++)
        for (unsigned way = 0; way < 2; way++) {
            trial b;
            trial_begin(t, &b);
            trial_force(way);
            if (trial_add_array(&b, "y", YOKE_F32, 1, &counts[i], LAYOUT_OFFSET, 1) &&
                trial_add_array(&b, "x", YOKE_F32, 1, &counts[i], LAYOUT_OFFSET, 1)) {
                trial_add_scalar(&b, "a", YOKE_NUMBER(0.1f));
                trial_run(&b, "y = a * x + y");
            }
            trial_end(&b);
        }
    trial_force(0);
}

static const suite_case cases[] = {
    { "each dtype is read, computed and written", dtypes, false },
    { "each class of dtypes is converted to each dtype", conversions, false },
    { "shapes are broadcast, in any layout, with index variables and several outputs", lists, false },
    { "random expressions over all dtypes give the host's bits", random_ones, false },
    { "functions of the program are called", functions, false },
    { "functions whose names and macros kernels have, too", functions_of_any_name, false },
    { "a list may be full and a text long", many, false },
    { "sums, differences, products, quotients and choices are ready-made", ready_made, false },
    { "limits are kept, NaN stays", clamps, false },
    { "sizes of any number are right to the last element", sizes, false },
    { "mistakes are refused, and name both sides", mistakes, false },
    { "double is refused where the device lacks it", doubles, false },
    { "empty arrays, and those of no dimension", empties, false },
    { "a map is recorded, and replayed with other data", records, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
