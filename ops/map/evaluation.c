/* SPDX-License-Identifier: Apache-2.0 */
/* The values of an expression, for kernels that do more with them than to store them. */
#include "evaluation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_read_array(const yops_evaluation *v, uint32_t k)
{
    return v->identity.facts.read >> k & 1 && v->vars[k].kind == YOKE_VAR_ARRAY;
}

static yoke_status check_variables(yops_evaluation *v)
{
    yoke_status status = YOKE_OK;
    for (uint32_t k = 0; k < v->var_count && status == YOKE_OK; k++) {
        const yoke_var *var = &v->vars[k];
        if (is_read_array(v, k))
            status = yops_check_input(v->call, var->name, &var->array, &v->places[k]);
        else if (v->identity.facts.read >> k & 1)
            status = yops_check_number(v->call, var->name, var->scalar);
    }
    return status;
}

static yoke_status find_shape(yops_evaluation *v)
{
    const yoke_var *first = NULL;
    v->dimensions = 0;
    for (uint32_t k = 0; k < v->var_count; k++) {
        if (!is_read_array(v, k))
            continue;
        yops_shape_text before = yops_shape(v->dimensions, v->shape);
        const yoke_var *var = &v->vars[k];
        if (!yops_widen(&v->dimensions, v->shape, &var->array))
            return yops_fail(
                v->call, YOKE_E_INVALID_ARGUMENT,
                "%s has the shape %s, and the arrays from %s to it have the shape %s: they do not broadcast to each other",
                var->name, yops_shape(var->array.dimensions, var->array.shape).text, first ? first->name : "it", before.text);
        first = first ? first : var;
    }
    if (!first)
        return yops_fail(v->call, YOKE_E_INVALID_ARGUMENT, "the expression reads no array, so that it has no shape");
    return YOKE_OK;
}

/* The number of elements; they may be too many only where they repeat each other. */
static yoke_status count_elements(yops_evaluation *v)
{
    bool overflow = false;
    v->count = 1;
    for (int32_t i = 0; i < v->dimensions; i++)
        if (v->shape[i] == 0) {
            v->count = 0;
            return YOKE_OK;
        } else
            overflow |= __builtin_mul_overflow(v->count, v->shape[i], &v->count);
    if (overflow)
        return yops_fail(v->call, YOKE_E_RANGE, "the arrays, broadcast to %s, have 2^63 elements or more",
                         yops_shape(v->dimensions, v->shape).text);
    return YOKE_OK;
}

static yoke_status add_operands(yops_evaluation *v)
{
    yops_elementwise *e = &v->elementwise;
    const yops_expression_facts *facts = &v->identity.facts;
    yops_elementwise_begin(e, v->call, v->dimensions, v->shape);
    for (uint32_t k = 0; k < v->var_count; k++) {
        if (is_read_array(v, k)) {
            yoke_status status =
                yops_broadcast(v->call, v->vars[k].name, &v->vars[k].array, v->dimensions, v->shape, &v->arrays[k]);
            if (status < 0)
                return status;
            yops_elementwise_add_array(e, (int32_t)k, &v->arrays[k], &v->places[k], true, false);
        } else if (facts->read >> k & 1)
            yops_elementwise_add_scalar(e, (int32_t)k, v->vars[k].scalar);
    }
    e->indices = facts->indices;
    e->needs_f64 |= facts->needs_f64;
    v->needs_f64 = e->needs_f64;
    return YOKE_OK;
}

yoke_status yops_evaluation_begin(yops_evaluation *v, const yops_call *call, const char *text, const yoke_var *vars, size_t count,
                                  int32_t dimensions, const int64_t *shape)
{
    v->call = call;
    v->text = text;
    v->vars = vars;
    v->var_count = count;
    v->arg_count = 0;
    yoke_status status = yops_identity_get(call, text, vars, count, YOPS_VALUE, &v->identity, &v->expression);
    if (status == YOKE_OK)
        status = yops_identity_check_device(call, &v->identity);
    if (status == YOKE_OK)
        status = check_variables(v);
    if (status == YOKE_OK && shape) {
        v->dimensions = dimensions;
        memcpy(v->shape, shape, (size_t)dimensions * sizeof *shape);
    } else if (status == YOKE_OK)
        status = find_shape(v);
    if (status == YOKE_OK)
        status = yops_identity_check_axes(call, &v->identity, text, vars, count, v->dimensions, &v->expression);
    if (status == YOKE_OK)
        status = count_elements(v);
    if (status == YOKE_OK)
        status = add_operands(v);
    if (status < 0)
        return status;
    v->dtype = v->identity.facts.value_dtype;
    if (v->count == 0)
        return YOKE_OK;
    yops_elementwise_find_value(&v->elementwise, v->identity.bytes, v->identity.length);
    v->arg_count = yops_elementwise_fill_args(&v->elementwise, v->packed, v->args);
    return YOKE_OK;
}

yoke_status yops_evaluation_check_overlap(const yops_evaluation *v, const char *name, const yoke_array *out,
                                          const yops_place *place)
{
    yoke_status status = YOKE_OK;
    for (uint32_t k = 0; k < v->var_count && status == YOKE_OK; k++)
        if (is_read_array(v, k))
            status = yops_check_overlap(v->call, name, out, place, v->vars[k].name, &v->vars[k].array, &v->places[k], false);
    return status;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool yops_may_loop(const char *text)
{
    static const char *const words[] = { "for", "while", "do", "goto", "fmod", "remainder" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *at = text; (at = strstr(at, words[i])); at++)
            if ((at == text || !is_letter(at[-1])) && !is_letter(at[strlen(words[i])]))
                return true;
    return strstr(text, "##") != NULL;
}

yoke_status yops_evaluation_check_rounds(const yops_evaluation *v, const yops_traits *traits, uint64_t elements)
{
    bool has_loops = yops_may_loop(v->text);
    for (uint32_t k = 0; k < v->var_count; k++)
        if (v->identity.facts.functions & UINT32_C(1) << k)
            has_loops = has_loops || yops_may_loop(v->vars[k].text);
    if (!has_loops)
        return YOKE_OK;
    return yops_check_rounds(v->call, traits, elements * YOPS_MOST_TURNS,
                             "an expression with functions that may have loops (store its values by yoke_map)");
}

static bool is_same_array(const yops_evaluation *v, uint32_t k, const yoke_array *array, const yops_place *place)
{
    const yoke_array *mine = &v->arrays[k];
    size_t bytes = (size_t)array->dimensions * sizeof *array->strides;
    return mine->dtype == array->dtype && mine->dimensions == array->dimensions && v->places[k].root == place->root &&
           v->places[k].origin == place->origin && memcmp(mine->shape, array->shape, bytes) == 0 &&
           memcmp(mine->strides, array->strides, bytes) == 0;
}

uint32_t yops_evaluation_give(yops_evaluation *v, const yoke_array *array, const yops_place *place)
{
    for (uint32_t k = 0; k < v->var_count; k++)
        if (is_read_array(v, k) && is_same_array(v, k, array, place))
            v->elementwise.given |= UINT32_C(1) << k;
    return v->elementwise.given;
}

static yoke_status compile(yops_evaluation *v, const char *key, const char *text, const char *options, const char *name,
                           yoke_kernel **out_kernel)
{
    char *statements = NULL, *functions = NULL, *generated = NULL;
    yoke_status status = YOKE_OK;
    if (!v->expression)
        status = yops_expression_parse(v->call, v->text, v->vars, v->var_count, YOPS_VALUE, &v->expression);
    if (status == YOKE_OK)
        status = yops_expression_emit(v->call, v->expression, &statements);
    if (status == YOKE_OK)
        status = yops_expression_get_functions(v->call, v->expression, v->vars, &functions);
    if (status == YOKE_OK) {
        generated = yops_elementwise_generate_value(&v->elementwise, statements, v->dtype);
        status = generated ? yops_kernel_generated(v->call, key, text, options, functions, generated, name, out_kernel)
                           : yops_fail(v->call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the text of a kernel");
    }
    free(generated);
    free(functions);
    free(statements);
    return status;
}

yoke_status yops_evaluation_get_kernel(yops_evaluation *v, const char *text, const char *options, const char *name,
                                       yoke_kernel **out_kernel)
{
    char key[4096 + 1], all[512 + YOPS_ONLY_SIZE];
    const char *f64 = v->needs_f64 && !strstr(options, "NEED_F64") ? " NEED_F64=1" : "";
    if (yops_write(all, sizeof all, "%s%s", options, f64) >= (int)sizeof all ||
        yops_write(key, sizeof key, "yoke-ops %s %s %s", text, all, v->elementwise.key) >= (int)sizeof key)
        return yops_fail(v->call, YOKE_E_INVALID_ARGUMENT, "the options of %s are too long", text);
    if (yops_kernel_known(v->call, key, name, out_kernel))
        return YOKE_OK;
    return compile(v, key, text, all, name, out_kernel);
}

void yops_evaluation_end(yops_evaluation *v)
{
    yops_expression_free(v->expression);
    yops_identity_end(&v->identity);
}

yoke_status yoke_expression_get_dtype(const char *expression, const yoke_var *vars, size_t count, int32_t *out_dtype)
{
    const yops_call call = { "yoke_expression_get_dtype", NULL, NULL, NULL };
    yops_identity identity;
    yops_expression *parsed = NULL;
    if (!out_dtype)
        return yops_fail(&call, YOKE_E_INVALID_ARGUMENT, "out_dtype is NULL");
    yoke_status status = yops_identity_get(&call, expression, vars, count, YOPS_VALUE, &identity, &parsed);
    if (status == YOKE_OK)
        *out_dtype = identity.facts.value_dtype;
    yops_expression_free(parsed);
    yops_identity_end(&identity);
    return status;
}
