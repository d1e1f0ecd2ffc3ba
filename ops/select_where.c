/* SPDX-License-Identifier: Apache-2.0 */
/* Select where an expression is true: its values become flags in temporary memory, a byte each, by which elements are selected. */
#include <stdio.h>
#include <stdlib.h>

#include "elementwise.h"
#include "expression.h"
#include "identity.h"
#include "select.h"

/* The flags are one more operand than the list may have. */
enum { MOST_VARS = YOPS_MOST_VARS - 1, FLAGS = YOPS_MOST_VARS };

typedef struct where_call {
    yops_call call;
    const yoke_array *out, *count, *a;
    const char *text;
    const yoke_var *vars;
    size_t var_count;
    yops_identity identity;
    yops_expression *expression; /* NULL where it did not have to be parsed */
    yoke_array arrays[YOPS_MOST_VARS];
    yops_place places[YOPS_MOST_VARS];
    yoke_array flags;
} where_call;

/* ---- Checks ---- */

static bool is_read(const where_call *w, size_t k)
{
    return w->identity.facts.read >> k & 1;
}

/* What the selection writes may not be what the expression reads. */
static yoke_status check_apart(where_call *w, size_t k, const char *name, const yoke_array *array)
{
    yops_place place;
    yoke_status status = yops_check_output(&w->call, name, array, &place);
    return status < 0 ? status
                      : yops_check_overlap(&w->call, name, array, &place, w->vars[k].name, &w->arrays[k], &w->places[k], false);
}

static yoke_status check_variable(where_call *w, size_t k)
{
    const yoke_var *var = &w->vars[k];
    if (var->kind != YOKE_VAR_ARRAY)
        return yops_check_number(&w->call, var->name, var->scalar);
    yoke_status status = yops_check_input(&w->call, var->name, &var->array, &w->places[k]);
    if (status == YOKE_OK)
        status = yops_broadcast(&w->call, var->name, &var->array, 1, w->a->shape, &w->arrays[k]);
    if (status == YOKE_OK)
        status = check_apart(w, k, "out", w->out);
    return status == YOKE_OK && w->count ? check_apart(w, k, "count", w->count) : status;
}

static yoke_status check_expression(where_call *w)
{
    if (w->var_count > MOST_VARS)
        return yops_fail(&w->call, YOKE_E_INVALID_ARGUMENT, "the list has %zu variables: %d are possible", w->var_count, MOST_VARS);
    yoke_status status = yops_identity_get(&w->call, w->text, w->vars, w->var_count, true, &w->identity, &w->expression);
    if (status == YOKE_OK)
        status = yops_identity_check_axes(&w->call, &w->identity, w->text, w->vars, w->var_count, 1, &w->expression);
    if (status == YOKE_OK && yops_is_complex(w->identity.facts.value_dtype))
        status = yops_fail(&w->call, YOKE_E_INVALID_ARGUMENT, "the expression's value is complex: compare it with something");
    for (size_t k = 0; k < w->var_count && status == YOKE_OK; k++)
        if (is_read(w, k))
            status = check_variable(w, k);
    return status;
}

/* ---- The flags ---- */

static yoke_status compile(where_call *w, yops_elementwise *e, yoke_kernel **out_kernel)
{
    char *statements = NULL, *functions = NULL, *text = NULL;
    yoke_status status = YOKE_OK;
    if (!w->expression)
        status = yops_expression_parse(&w->call, w->text, w->vars, w->var_count, true, &w->expression);
    if (status == YOKE_OK)
        status = yops_expression_emit(&w->call, w->expression, &statements);
    if (status == YOKE_OK)
        status = yops_expression_get_functions(&w->call, w->expression, w->vars, &functions);
    if (status == YOKE_OK) {
        const char *type = yops_dtype_token(w->identity.facts.value_dtype);
        int length = snprintf(NULL, 0, "value_%s value; %s out_%d = value != 0;", type, statements, FLAGS);
        if (!(text = malloc((size_t)length + 1)))
            status = yops_fail(&w->call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for a kernel's text");
        else
            snprintf(text, (size_t)length + 1, "value_%s value; %s out_%d = value != 0;", type, statements, FLAGS);
    }
    if (status == YOKE_OK)
        status = yops_elementwise_compile(e, text, functions, out_kernel);
    free(text);
    free(functions);
    free(statements);
    return status;
}

static yoke_status make_flags(where_call *w)
{
    const yops_expression_facts *facts = &w->identity.facts;
    yops_elementwise e;
    yops_place place;
    yoke_kernel *kernel;
    yoke_status status = yops_check_output(&w->call, "flags", &w->flags, &place);
    if (status < 0)
        return status;
    yops_elementwise_begin(&e, &w->call, 1, w->a->shape);
    yops_elementwise_add_array(&e, FLAGS, &w->flags, &place, false, true);
    for (size_t k = 0; k < w->var_count; k++)
        if (is_read(w, k) && w->vars[k].kind == YOKE_VAR_ARRAY)
            yops_elementwise_add_array(&e, (int32_t)k, &w->arrays[k], &w->places[k], true, false);
        else if (is_read(w, k))
            yops_elementwise_add_scalar(&e, (int32_t)k, w->vars[k].scalar);
    e.indices = facts->indices;
    e.needs_f64 |= facts->needs_f64;
    status = yops_elementwise_find(&e, w->identity.bytes, w->identity.length, &kernel);
    if (status == YOKE_OK && !kernel)
        status = compile(w, &e, &kernel);
    return status < 0 ? status : yops_elementwise_launch(&e, kernel);
}

/* ---- The operation ---- */

static yoke_status run(where_call *w)
{
    yops_place place;
    yoke_buffer *flags = NULL;
    yoke_status status = yops_check_input(&w->call, "a", w->a, &place);
    if (status == YOKE_OK && w->a->dimensions != 1)
        status = yops_fail(&w->call, YOKE_E_INVALID_ARGUMENT, "a has %d dimensions: it has one", (int)w->a->dimensions);
    if (status == YOKE_OK)
        status = yops_check_output(&w->call, "out", w->out, &place);
    if (status == YOKE_OK)
        status = check_expression(w);
    if (status == YOKE_OK)
        status = yops_temporary(&w->call, (uint64_t)w->a->shape[0], &flags);
    if (status < 0)
        return status;
    w->flags = yoke_array_1d(flags, YOKE_BOOL, w->a->shape[0]);
    status = yops_select_check(&w->call, w->out, w->count, w->a, &w->flags);
    if (status == YOKE_OK && w->a->shape[0] > 0)
        status = make_flags(w);
    if (status == YOKE_OK)
        status = yops_select(&w->call, w->out, w->count, w->a, &w->flags);
    yoke_buffer_release(flags);
    return status;
}

yoke_status yoke_select_where_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *count,
                                 const yoke_array *a, const char *expression, const yoke_var *vars, size_t var_count)
{
    where_call w = { .out = out, .count = count, .a = a, .text = expression, .vars = vars, .var_count = var_count };
    yoke_status status = yops_begin(&w.call, "yoke_select_where", where, stream);
    if (status < 0)
        return status;
    status = run(&w);
    yops_expression_free(w.expression);
    yops_identity_end(&w.identity);
    return status;
}
