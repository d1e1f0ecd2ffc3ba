/* SPDX-License-Identifier: Apache-2.0 */
/* The values of expressions in kernels that are not maps (ops/map/evaluation.h), against the host's evaluator. */
#include <stdlib.h>
#include <string.h>

#include "ops/map/evaluation.h"
#include "ops/call/text.h"
#include "trial.h"

static const char value_kernel[] =
    "#include \"generated.h\"\n"
    "YOKE_KERNEL void run(EVALUATE_PARAMETERS, YOKE_GLOBAL STORED(EVALUATE_DTYPE) *out, const yoke_i32 n)\n"
    "{\n"
    "    yoke_i32 i = (yoke_i32)yoke_global_x();\n"
    "    if (i < n)\n"
    "        STORE(EVALUATE_DTYPE)(out, i, evaluate(i, EVALUATE_ARGUMENTS));\n"
    "}\n";

/* Build the kernel as yops_evaluation_get_kernel does, from a text that is not in the library. */
static yoke_status build_values(suite *t, yops_evaluation *v, yoke_program **out_program)
{
    yoke_header headers[YOPS_MOST_HEADERS];
    const char *defines[] = { v->needs_f64 ? "NEED_F64=1" : "NO_F64=1", NULL };
    char *statements, *functions = NULL, *generated, *text;
    yoke_source source = YOKE_SOURCE_INIT;
    const yops_call *call = v->call;
    if (!v->expression)
        CHECK_OK(yops_expression_parse(call, v->text, v->vars, v->var_count, true, &v->expression));
    if (!CHECK_OK(yops_expression_emit(call, v->expression, &statements)) ||
        !CHECK_OK(yops_expression_get_functions(call, v->expression, v->vars, &functions)))
        return YOKE_E_OUT_OF_HOST_MEMORY;
    generated = yops_elementwise_generate_value(&v->elementwise, statements, v->dtype);
    yops_get_headers(headers, generated);
    text = memory_new((functions ? strlen(functions) : 0) + strlen(value_kernel) + 1);
    strcpy(text, functions ? functions : "");
    source.text = strcat(text, value_kernel);
    source.math = YOKE_MATH_EXACT;
    source.headers = headers;
    source.defines = defines;
    yoke_status status = yoke_program_build(t->device, &source, out_program);
    memory_free(text);
    free(generated);
    free(functions);
    free(statements);
    return status;
}

static void compare_values(trial *b, yops_evaluation *v, test_array *out)
{
    for (int64_t i = 0; i < v->count; i++) {
        evaluation self;
        unsigned char wanted[16] = { 0 };
        trial_evaluate(b, v->expression, &out->array, i, &self);
        evaluate_store(v->dtype, wanted, self.value);
        if (!CHECK(test_same(v->dtype, test_element(out, i), wanted))) {
            tap_diag("\"%s\": element %lld: %Lg, not %Lg", v->text, (long long)i, test_get(out, i), test_load(v->dtype, wanted));
            break;
        }
    }
}

static void try_value(trial *b, const char *text)
{
    suite *t = b->t;
    const yops_call call = { "yoke_map_reduce", "here", t->stream, t->device };
    yoke_program *program = NULL;
    yoke_kernel *kernel;
    yops_evaluation v;
    test_array out = { 0 };
    NEED(trial_upload(b));
    NEED_OK(yops_evaluation_begin(&v, &call, text, b->vars, b->count, 0, NULL));
    NEED(test_array_create(t, v.dtype, v.dimensions, v.shape, LAYOUT_CONTIGUOUS, 1, &out) && test_upload(t, &out));
    NEED_OK(build_values(t, &v, &program));
    NEED_OK(yoke_kernel_get(program, "run", &kernel));
    v.args[v.arg_count++] = YOKE_ARG(out.array.buffer);
    v.args[v.arg_count++] = YOKE_ARG((int32_t)v.count);
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(v.count / 64 + 1), YOKE_DIM(64), 0, v.args, v.arg_count));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &out, false));
    compare_values(b, &v, &out);
out:
    yoke_program_release(program);
    test_array_release(&out);
    yops_evaluation_end(&v);
}

static void values(suite *t)
{
    for (uint32_t seed = 0; seed < 6; seed++) {
        trial b;
        trial_begin(t, &b);
        trial_force(seed);
        if (trial_add_array(&b, "x", YOKE_F32, 3, SHAPE(5, 1, 13), (layout)(seed % 3), seed) &&
            trial_add_array(&b, "y", YOKE_F16, 2, seed % 2 ? SHAPE(7, 13) : SHAPE(7, 1), LAYOUT_OFFSET, seed + 1) &&
            trial_add_array(&b, "z", YOKE_F32, 3, SHAPE(5, 1, 13), LAYOUT_CONTIGUOUS, seed + 2)) {
            trial_add_scalar(&b, "s", YOKE_NUMBER(2.5f));
            try_value(&b, "d = x - y * s; d * d");
            try_value(&b, seed % 2 ? "x * z" : "i2 * 100 + i0 + x > i % n1 ? y : z");
        }
        trial_end(&b);
    }
    trial_force(0);
}

static void value_mistakes(suite *t)
{
    trial b;
    yops_evaluation v;
    const yops_call call = { "yoke_map_reduce", "here", t->stream, t->device };
    trial_begin(t, &b);
    if (trial_add_array(&b, "x", YOKE_F32, 2, SHAPE(4, 6), LAYOUT_CONTIGUOUS, 1) &&
        trial_add_array(&b, "y", YOKE_F32, 1, SHAPE(5), LAYOUT_CONTIGUOUS, 1)) {
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "y|(5)|x|(4, 6)", yops_evaluation_begin(&v, &call, "x + y", b.vars, b.count, 0, NULL));
        yops_evaluation_end(&v);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "no array", yops_evaluation_begin(&v, &call, "i", b.vars, b.count, 0, NULL));
        yops_evaluation_end(&v);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "y|(5)|(4)", yops_evaluation_begin(&v, &call, "y", b.vars, b.count, 1, SHAPE(4)));
        yops_evaluation_end(&v);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "i1|^", yops_evaluation_begin(&v, &call, "y + i1", b.vars, b.count, 0, NULL));
        yops_evaluation_end(&v);
        CHECK_OK(yops_evaluation_begin(&v, &call, "x * 2", b.vars, b.count, 0, NULL));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out overlaps x",
                    yops_evaluation_check_overlap(&v, "out", &b.arrays[0].array, &v.places[0]));
        yops_evaluation_end(&v);
    }
    trial_end(&b);
}

static const suite_case cases[] = {
    { "other kernels get an expression's values, of arrays that are broadcast to each other", values, false },
    { "values of arrays that do not fit are refused", value_mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
