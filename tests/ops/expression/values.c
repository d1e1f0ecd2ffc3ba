/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of expressions, run on the device: random ones, and ones whose values are known, against the host's evaluator. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/call/text.h"
#include "../arrays.h"
#include "evaluate.h"
#include "generate.h"

/* Each of `MOST` expressions is evaluated for ELEMENTS elements, each result in a slot of its own. */
enum { ELEMENTS = 97, MOST = 64, SLOT = 16, VARS = 2 * YK_DTYPE_COUNT, ROWS = 1, COLUMNS = ELEMENTS };

typedef struct bench {
    suite *t;
    bool has_double;
    yoke_var vars[VARS];
    char names[VARS][16];
    size_t count;
    unsigned char *inputs[YK_DTYPE_COUNT]; /* by dtype: ELEMENTS elements */
    yoke_buffer *buffers[YK_DTYPE_COUNT], *results;
    yops_expression *expressions[MOST];
    char *texts[MOST];
    int outputs[MOST]; /* the variable whose value is looked at; -1: the expression's value */
    size_t expression_count;
    char *kernel;
    size_t used, size;
    double tolerance; /* relative; 0: the same bits */
} bench;

static const yops_call call = { "yoke_map_reduce", "here", NULL, NULL };

YOKE_PRINTF(2, 3) static void put(bench *b, const char *format, ...)
{
    va_list values;
    for (;;) {
        va_start(values, format);
        int length = vsnprintf(b->kernel ? b->kernel + b->used : NULL, b->size - b->used, format, values);
        va_end(values);
        if (b->used + (size_t)length < b->size) {
            b->used += (size_t)length;
            return;
        }
        b->size = (b->size + (size_t)length) * 2 + 1;
        b->kernel = realloc(b->kernel, b->size);
        if (!b->kernel)
            tap_bail("out of memory");
    }
}

/* A function of the program's, in both languages and on the host. */
static const char twist_text[] = "YOKE_FUNCTION int twist(float x, int n)\n{\n    return x > 1.0f ? n + 200 : n - 100;\n}\n";

static evaluate_value twist(evaluation *self, unsigned var, const evaluate_value *arguments)
{
    int32_t n = arguments[1].i;
    (void)self, (void)var;
    return (evaluate_value){ .i = (int8_t)(arguments[0].f > 1 ? n + 200 : n - 100) };
}

/* ---- Inputs ---- */

static bool is_usable(const bench *b, int32_t dtype)
{
    return b->has_double || !yops_needs_f64(dtype);
}

static yoke_number make_scalar(int32_t dtype)
{
    yoke_number number = { dtype, { 0 } };
    if (yops_is_complex(dtype))
        number = dtype == YOKE_C64 ? yoke_number_c64(-0.5f, 3) : yoke_number_c128(1e200, -0.25);
    else if (yops_is_floating(dtype))
        number.value.f64 = dtype == YOKE_F64 ? -1e300 : 1.5;
    else if (yops_is_signed(dtype))
        number.value.i64 = -3;
    else
        number.value.u64 = dtype == YOKE_BOOL ? 1 : 200;
    return number;
}

static bool make_input(bench *b, int32_t dtype, uint32_t seed)
{
    test_array a;
    const int64_t shape[] = { ELEMENTS };
    size_t size = yoke_dtype_get_size(dtype);
    b->inputs[dtype] = calloc(ELEMENTS, size);
    if (!CHECK(b->inputs[dtype]) || !test_array_create(b->t, dtype, 1, shape, LAYOUT_CONTIGUOUS, seed, &a))
        return false;
    if (seed % 2)
        test_fill_whole_range(&a, seed, true);
    for (int64_t i = 0; i < ELEMENTS; i++) /* the first ones as they are: small */
        memcpy(b->inputs[dtype] + (size_t)i * size, test_element(&a, i), size);
    test_array_release(&a);
    return CHECK_OK(yoke_buffer_create(b->t->device, ELEMENTS * size, &b->buffers[dtype])) &&
           CHECK_OK(yoke_write(b->t->stream, b->buffers[dtype], 0, b->inputs[dtype], ELEMENTS * size));
}

static void add_var(bench *b, const char *kind, int32_t dtype)
{
    char *name = b->names[b->count];
    snprintf(name, sizeof b->names[0], "%s_%s", kind, yops_dtype_token(dtype));
    yoke_array array = { .dtype = dtype };
    b->vars[b->count++] = *kind == 'x' ? yoke_var_array(name, array) : yoke_var_scalar(name, make_scalar(dtype));
}

static bool begin(suite *t, bench *b, uint32_t seed)
{
    *b = (bench){ .t = t, .has_double = yoke_device_supports(t->device, YOKE_CAP_FP64) };
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        if (!is_usable(b, dtype))
            continue;
        if (!make_input(b, dtype, seed))
            return false;
        add_var(b, "x", dtype);
        add_var(b, "s", dtype);
    }
    b->vars[b->count++] = yoke_var_function("int8 twist(float16 x, int32 n)", twist_text);
    return CHECK_OK(yoke_buffer_create(t->device, (size_t)MOST * ELEMENTS * SLOT, &b->results));
}

static void end(bench *b)
{
    for (size_t i = 0; i < b->expression_count; i++) {
        yops_expression_free(b->expressions[i]);
        free(b->texts[i]);
    }
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        free(b->inputs[dtype]);
        yoke_buffer_release(b->buffers[dtype]);
    }
    yoke_buffer_release(b->results);
    free(b->kernel);
}

/* `output`: the name of the variable whose value after the expression is looked at, or NULL. */
static void add_for(bench *b, const char *text, const char *output)
{
    size_t i = b->expression_count;
    if (b->expression_count == MOST ||
        !CHECK_OK(yops_expression_parse(&call, text, b->vars, b->count, !output, &b->expressions[i]))) {
        tap_diag("%s", yoke_error()->text);
        return;
    }
    b->outputs[i] = output ? yops_find_var(b->expressions[i], output, strlen(output)) : -1;
    b->texts[i] = strdup(text);
    b->expression_count++;
}

static void add(bench *b, const char *text)
{
    add_for(b, text, NULL);
}

/* The dtype of what is looked at. */
static int32_t result_dtype(const bench *b, size_t number)
{
    int output = b->outputs[number];
    return output < 0 ? yops_expression_get_facts(b->expressions[number])->value_dtype : b->vars[output].array.dtype;
}

/* ---- The kernel ---- */

static void put_var(bench *b, size_t k)
{
    const yoke_var *var = &b->vars[k];
    bool is_array = var->kind == YOKE_VAR_ARRAY;
    int32_t dtype = is_array ? var->array.dtype : var->scalar.dtype;
    const char *token = yops_dtype_token(dtype);
    unsigned long long bits = 0;
    if (is_array) {
        put(b, "        value_%s in_%zu = load_%s(p_%s, i);\n", token, k, token, token);
        return;
    }
    if (yops_is_complex(dtype)) {
        const double *parts = var->scalar.value.parts;
        const char *suffix = dtype == YOKE_C64 ? "f" : "";
        put(b, "        value_%s in_%zu;\n        in_%zu.x = %a%s;\n        in_%zu.y = %a%s;\n", token, k, k, parts[0], suffix, k,
            parts[1], suffix);
        return;
    }
    evaluate_value v = evaluate_number(var->scalar);
    memcpy(&bits, &v, sizeof bits);
    if (yops_is_floating(dtype))
        put(b,
            dtype == YOKE_F64 ? "        value_f64 in_%zu = yops_double(0x%llxul);\n"
                              : "        float in_%zu = yoke_uint_as_float(0x%llxu);\n",
            k, dtype == YOKE_F64 ? bits : bits & 0xffffffff);
    else
        put(b, "        value_%s in_%zu = (value_%s)0x%llxul;\n", token, k, token, bits);
}

static void put_expression(bench *b, size_t number)
{
    const yops_expression_facts *facts = yops_expression_get_facts(b->expressions[number]);
    const char *token = yops_dtype_token(result_dtype(b, number));
    char *text;
    if (!CHECK_OK(yops_expression_emit(&call, b->expressions[number], &text)))
        return;
    put(b, "    {\n        value_%s value;\n", token);
    for (size_t k = 0; k < b->count; k++)
        if (facts->read >> k & 1)
            put_var(b, k);
    for (size_t k = 0; k < b->count; k++)
        if (facts->written >> k & 1)
            put(b, "        value_%s out_%zu;\n", yops_dtype_token(b->vars[k].array.dtype), k);
    put(b, "%s", text);
    if (b->outputs[number] >= 0)
        put(b, "        value = out_%d;\n", b->outputs[number]);
    put(b, "        store_%s((YOKE_GLOBAL stored_%s *)(results + (%zu * %d + i) * 2), 0, value);\n    }\n", token, token, number,
        ELEMENTS);
    free(text);
}

static void make_kernel(bench *b)
{
    put(b, "#include <yoke/kernel.h>\n");
    for (size_t i = 0; i < YOPS_FUNCTIONS; i++) { /* all at once what yops_expression_get_functions writes for one expression */
        const char *name = yops_functions[i].name;
        if (yops_functions[i].how != YOPS_HOW_HELPER)
            put(b, "#define yops_%s_f %s\n#define yops_%s_d %s\n", name, name, name, name);
    }
    put(b, "#include \"expression.yh\"\n#define twist " YOPS_OWN "twist\n%sYOKE_KERNEL void run(YOKE_GLOBAL yoke_u64 *results",
        twist_text);
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++)
        if (is_usable(b, dtype))
            put(b, ", YOKE_GLOBAL const stored_%s *p_%s", yops_dtype_token(dtype), yops_dtype_token(dtype));
    put(b,
        ")\n{\n    int i = (int)yoke_global_x();\n    yoke_i64 index_0 = 0, index_1 = i, extent_0 = %d, extent_1 = %d, position = "
        "i, "
        "count = %d;\n    if (i >= %d)\n        return;\n    (void)index_0, (void)index_1, (void)extent_0, (void)extent_1, "
        "(void)position, (void)count;\n",
        ROWS, COLUMNS, ELEMENTS, ELEMENTS);
    for (size_t i = 0; i < b->expression_count; i++)
        put_expression(b, i);
    put(b, "}\n");
}

static bool run(bench *b)
{
    yoke_header headers[YOPS_MOST_HEADERS];
    size_t args_count = 1;
    yoke_program *program = NULL;
    yoke_kernel *kernel;
    yoke_arg args[YK_DTYPE_COUNT] = { YOKE_ARG(b->results) };
    const char *defines[] = { b->has_double ? "NEED_F64=1" : "NO_F64=1", NULL };
    yoke_source source = YOKE_SOURCE_INIT;
    yops_get_headers(headers, "");
    make_kernel(b);
    source.text = b->kernel;
    source.math = YOKE_MATH_EXACT;
    source.headers = headers;
    source.defines = defines;
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++)
        if (is_usable(b, dtype))
            args[args_count++] = YOKE_ARG(b->buffers[dtype]);
    bool good = CHECK_OK(yoke_program_build(b->t->device, &source, &program)) &&
                CHECK_OK(yoke_kernel_get(program, "run", &kernel)) &&
                CHECK_OK(yoke_launch(b->t->stream, kernel, YOKE_DIM(2), YOKE_DIM(64), 0, args, args_count)) &&
                CHECK_OK(yoke_stream_wait(b->t->stream));
    if (!program)
        tap_diag("%s\n%s", yoke_error()->text, b->kernel);
    yoke_program_release(program);
    return good;
}

/* ---- Comparison ---- */

static void evaluate_at(const bench *b, size_t number, int64_t i, evaluation *self)
{
    const yops_expression_facts *facts = yops_expression_get_facts(b->expressions[number]);
    *self = (evaluation){ .index = { 0, i }, .extent = { ROWS, COLUMNS }, .position = i, .count = ELEMENTS };
    for (size_t k = 0; k < b->count; k++) {
        const yoke_var *var = &b->vars[k];
        int32_t dtype = var->array.dtype;
        if (!(facts->read >> k & 1))
            continue;
        self->in[k] = var->kind == YOKE_VAR_SCALAR
                          ? evaluate_number(var->scalar)
                          : evaluate_load(dtype, b->inputs[dtype] + (size_t)i * yoke_dtype_get_size(dtype));
    }
    self->call = twist;
    evaluate(b->expressions[number], self);
    if (b->outputs[number] >= 0)
        self->value = self->out[b->outputs[number]];
}

static bool is_near(const bench *b, int32_t dtype, evaluate_value got, evaluate_value wanted)
{
    double a = evaluate_convert(got, dtype, YOKE_F64).d, w = evaluate_convert(wanted, dtype, YOKE_F64).d;
    return b->tolerance > 0 && fabs(a - w) <= b->tolerance * fmax(1, fabs(w));
}

static void compare(bench *b)
{
    size_t size = (size_t)MOST * ELEMENTS * SLOT;
    unsigned char *results = malloc(size);
    if (!CHECK(results) || !CHECK_OK(yoke_read(b->t->stream, results, b->results, 0, size)) ||
        !CHECK_OK(yoke_stream_wait(b->t->stream))) {
        free(results);
        return;
    }
    for (size_t e = 0; e < b->expression_count; e++) {
        int32_t dtype = result_dtype(b, e);
        for (int64_t i = 0; i < ELEMENTS; i++) {
            evaluation self;
            evaluate_value wanted = { 0 }, got = evaluate_load(dtype, results + (e * ELEMENTS + (size_t)i) * SLOT);
            evaluate_at(b, e, i, &self);
            unsigned char element[SLOT] = { 0 };
            evaluate_store(dtype, element, self.value);
            wanted = evaluate_load(dtype, element);
            if (evaluate_same(dtype, got, wanted) || is_near(b, dtype, got, wanted))
                continue;
            CHECK(!"the device's value is the host's");
            tap_diag("[%zu] %s: element %lld of %s is 0x%llx instead of 0x%llx", e, b->texts[e], (long long)i,
                     yoke_dtype_get_name(dtype), (unsigned long long)got.m, (unsigned long long)wanted.m);
            break;
        }
    }
    free(results);
}

static void finish(bench *b)
{
    if (run(b))
        compare(b);
    end(b);
}

/* ---- Cases ---- */

static bool is_exact(suite *t)
{
    if (yoke_device_supports(t->device, YOKE_CAP_EXACT_FP32))
        return true;
    suite_skip("%s", yoke_device_lacks(t->device, YOKE_CAP_EXACT_FP32));
    return false;
}

static void random_ones(suite *t)
{
    char text[4096];
    uint32_t state = 1;
    for (uint32_t seed = 1; seed <= 2 && is_exact(t); seed++) {
        bench b;
        if (begin(t, &b, seed))
            for (int i = 0; i < MOST; i++) {
                generate_value(&state, b.has_double, text, sizeof text);
                add(&b, text);
            }
        finish(&b);
    }
}

static void integer_ones(suite *t)
{
    static const char *const texts[] = {
        "(-2147483647 - 1) / (s_i32 + 2)",
        "(x_i32 | 1) / (s_i32 + 3)",
        "x_i64 % (s_i64 + 3)",
        "x_u32 << (x_i8 & 63)",
        "x_i32 >> x_i16",
        "x_u64 >> x_u64",
        "abs(-2147483647 - 1)",
        "x_bool && x_i32 / x_i8 ? x_i32 / x_i8 : x_u8 % x_i16",
        "i0 * n1 + i1 == i && n == n0 * n1",
        "t = (int8)x_i32; t <<= 3; t",
        "x_i64 / x_i32 + x_u32 * x_i8",
        "min(x_i64, x_u64) + max(x_i16, x_u8) - clamp(x_i32, x_i8, x_u16)",
        "(uint8)x_i32 ^ (int16)x_u64 | ~x_u32",
        "x_i64 < x_u32 ? -x_u32 : !x_i8 + (bool)x_u64",
    };
    for (uint32_t seed = 6; seed < 8; seed++) {
        bench b;
        if (begin(t, &b, seed))
            for (size_t i = 0; i < YOPS_COUNT_OF(texts); i++)
                add(&b, texts[i]);
        finish(&b);
    }
}

static void known_ones(suite *t)
{
    static const char *const texts[] = {
        "min(x_f32, -x_f32)",
        "max(x_f16, 0.0)",
        "max(-0.0, 0.0 * x_f32)",
        "clamp(x_f32, s_i32, 2)",
        "(int8)x_f32",
        "(uint64)x_f32",
        "(int64)(x_f32 * 1e18f)",
        "(float16)x_f32 + (float16)x_i32",
        "(bfloat16)x_i64",
        "x_c64 / complex(0.0f, x_f32) == x_c64 || x_i8 / x_i16 > 1",
        "sqrt(abs(x_i32)) * 0.1 + x_f32 * 0.3",
        "t = x_f32; t += x_i8; t *= t; u = t > 0 ? t : x_u8; u - t * 2",
        "x_f32 * x_f32 + x_f32",
        "fma(x_f32, x_f32, x_f32)",
        "isnan(x_f32) + isinf(x_f32) * 2 + isfinite(x_f16) * 4",
        "copysign(1.0f, x_f32 == x_f32 ? x_f32 : 1) + ldexp(1.0f, 3)",
    };
    bench b;
    if (is_exact(t)) {
        if (begin(t, &b, 7))
            for (size_t i = 0; i < YOPS_COUNT_OF(texts); i++)
                add(&b, texts[i]);
        finish(&b);
    }
}

/* What is assigned is what is read later, converted; functions of the program's get and give their declared types. */
static void assigned_ones(suite *t)
{
    static const struct {
        const char *text, *output;
    } all[] = {
        { "x_f16 = x_f32 * 1.001; x_f32 = x_f16", "x_f32" },
        { "x_bf16 = x_f32 * 1.001; x_f32 = x_bf16 * 3", "x_f32" },
        { "x_f16 = x_f32 * 1.001; x_f32 = x_f16", "x_f16" },
        { "x_i8 = x_i32 * 77; x_i64 = x_i8", "x_i64" },
        { "x_u8 = x_f32 * 1e3; x_i64 = x_u8 - 1", "x_i64" },
        { "x_bool = x_f32; x_i32 = x_bool + x_bool", "x_i32" },
        { "x_i16 += x_i32; x_i16 *= x_i16; x_i16 >>= 3", "x_i16" },
        { "x_i32 = 3; x_i32 = x_u8 / x_i32", "x_i32" },
        { "x_c64 = x_f32; x_c64 *= complex(0, 1.0f); x_f32 = abs(imag(x_c64))", "x_f32" },
        { "x_i32 = twist(x_f32, x_i16 % 1000)", "x_i32" },
        { "x_i32 = x_bool && twist(x_i8, 5) > 0 || !twist(0.1, 100)", "x_i32" },
        { "x_f32 = x_f32 < 0 ? twist(x_f32, 3) * x_f32 : x_i8 ? twist(2, 1) : -0.0", "x_f32" },
    };
    bench b;
    if (is_exact(t)) {
        if (begin(t, &b, 4))
            for (size_t i = 0; i < YOPS_COUNT_OF(all); i++)
                add_for(&b, all[i].text, all[i].output);
        finish(&b);
    }
}

/* Each function that is the driver's own, of small numbers, as float and as double: near the host's. */
static void driver_ones(suite *t)
{
    char text[128];
    for (int wide = 0; wide < 2; wide++) {
        const char *x = wide ? "x_f64" : "x_f32", *y = wide ? "x_i8" : "x_i16";
        bench b;
        bool good = begin(t, &b, 2);
        if (wide && !b.has_double) {
            end(&b);
            break;
        }
        for (int i = 0; i < YOPS_FUNCTIONS && good; i++) {
            const yops_function *f = &yops_functions[i];
            if (f->how == YOPS_HOW_HELPER)
                continue;
            snprintf(text, sizeof text,
                     f->arguments == 1   ? "%s(%s * 0.25)"
                     : f->arguments == 2 ? "%s(%s, %s)"
                                         : "%s(%s, %s, %s)",
                     f->name, x, y, x);
            add(&b, text);
        }
        b.tolerance = wide ? 1e-13 : 1e-5;
        finish(&b);
    }
}

static const suite_case cases[] = {
    { "functions of the driver give nearly what the host's give", driver_ones, false },
    { "expressions of integers give the host's bits", integer_ones, false },
    { "expressions with known edges give the host's bits", known_ones, false },
    { "assignments and functions of the program's give the host's bits", assigned_ones, false },
    { "random expressions give the host's bits", random_ones, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
