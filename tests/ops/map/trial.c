/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of expressions: the host's evaluator over arrays of any shape. */
#include "trial.h"

#include <stdio.h>
#include <string.h>

void trial_begin(suite *t, trial *b)
{
    memset(b, 0, sizeof *b);
    b->t = t;
}

void trial_end(trial *b)
{
    for (size_t k = 0; k < b->count; k++)
        if (b->vars[k].kind == YOKE_VAR_ARRAY)
            test_array_release(&b->arrays[k]);
}

bool trial_add_array(trial *b, const char *name, int32_t dtype, int32_t dimensions, const int64_t *shape, layout how, uint32_t seed)
{
    size_t k = b->count;
    if (!test_array_create(b->t, dtype, dimensions, shape, how, seed, &b->arrays[k]))
        return false;
    if (seed % 3 == 0)
        test_fill_whole_range(&b->arrays[k], seed, true);
    snprintf(b->names[k], sizeof b->names[k], "%s", name);
    b->vars[k] = yoke_var_array(b->names[k], b->arrays[k].array);
    b->count++;
    return true;
}

void trial_add_scalar(trial *b, const char *name, yoke_number number)
{
    snprintf(b->names[b->count], sizeof b->names[0], "%s", name);
    b->vars[b->count] = yoke_var_scalar(b->names[b->count], number);
    b->count++;
}

/* The position of an array that broadcasts to this one in the outputs' shape. */
static int64_t position_of(const yoke_array *array, const yoke_array *out, int64_t position)
{
    int64_t at = 0, step = 1;
    for (int32_t i = array->dimensions - 1, j = out->dimensions - 1; i >= 0; i--, j--) {
        at += array->shape[i] == 1 ? 0 : position % out->shape[j] * step;
        position /= out->shape[j];
        step *= array->shape[i];
    }
    return at;
}

void trial_evaluate(trial *b, const yops_expression *expression, const yoke_array *out, int64_t position, evaluation *self)
{
    const yops_expression_facts *facts = yops_expression_get_facts(expression);
    *self = (evaluation){ .position = position, .count = yoke_array_get_size(out), .call = b->call };
    for (int32_t i = out->dimensions - 1, rest = (int32_t)position; i >= 0; i--) {
        self->index[i] = rest % out->shape[i];
        self->extent[i] = out->shape[i];
        rest /= (int32_t)out->shape[i];
    }
    for (size_t k = 0; k < b->count; k++) {
        test_array before = b->arrays[k];
        before.bytes = before.before;
        if (!(facts->read >> k & 1))
            continue;
        if (b->vars[k].kind == YOKE_VAR_SCALAR)
            self->in[k] = evaluate_number(b->vars[k].scalar);
        else
            self->in[k] = evaluate_load(before.array.dtype, test_element(&before, position_of(&before.array, out, position)));
    }
    evaluate(expression, self);
}

/* Compare all outputs with what the elements from before should give. */
bool trial_compare(trial *b, const char *text, const yops_expression *expression)
{
    const yops_expression_facts *facts = yops_expression_get_facts(expression);
    const yoke_array *out = &b->arrays[__builtin_ctz(facts->written)].array;
    for (int64_t i = 0; i < yoke_array_get_size(out); i++) {
        evaluation self;
        trial_evaluate(b, expression, out, i, &self);
        for (size_t k = 0; k < b->count; k++) {
            unsigned char wanted[16] = { 0 };
            if (!(facts->written >> k & 1))
                continue;
            int32_t dtype = b->arrays[k].array.dtype;
            evaluate_store(dtype, wanted, self.out[k]);
            if (test_same(dtype, test_element(&b->arrays[k], i), wanted))
                continue;
            tap_diag("\"%s\": %s, element %lld of %lld: got %Lg, wanted %Lg; way %d", text, b->names[k], (long long)i,
                     (long long)yoke_array_get_size(out), test_load(dtype, test_element(&b->arrays[k], i)),
                     test_load(dtype, wanted), yops_elementwise_force.way);
            return CHECK(!"the outputs are right");
        }
    }
    return true;
}

bool trial_upload(trial *b)
{
    bool good = true;
    for (size_t k = 0; k < b->count; k++)
        good = good && (b->vars[k].kind != YOKE_VAR_ARRAY || test_upload(b->t, &b->arrays[k]));
    return good;
}

bool trial_download(trial *b, const yops_expression *expression)
{
    uint32_t written = yops_expression_get_facts(expression)->written;
    bool good = CHECK_OK(yoke_stream_wait(b->t->stream));
    for (size_t k = 0; k < b->count; k++)
        good = good && (b->vars[k].kind != YOKE_VAR_ARRAY || test_download_checked(b->t, &b->arrays[k], !(written >> k & 1)));
    return good;
}

/* Run the expression, and compare. */
bool trial_run(trial *b, const char *text)
{
    const yops_call call = { "yoke_map", "here", b->t->stream, b->t->device };
    yops_expression *expression;
    if (!CHECK_OK(yops_expression_parse(&call, text, b->vars, b->count, false, &expression))) {
        tap_diag("%s", yoke_error()->text);
        return false;
    }
    bool good = trial_upload(b) && CHECK_OK(yoke_map(b->t->stream, text, b->vars, b->count)) && trial_download(b, expression) &&
                trial_compare(b, text, expression);
    yops_expression_free(expression);
    return good;
}

/* The device's own way, and that of GPUs with 32 and with 64 bits. */
void trial_force(unsigned number)
{
    yops_elementwise_force = (yops_elementwise_forced){ number % 3 ? YOPS_WAY_GRID : 0, number % 3 == 2 };
}
