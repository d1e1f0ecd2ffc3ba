/* SPDX-License-Identifier: Apache-2.0 */
/* Maps: expressions over arrays, and the ready-made ones. */
#include <stdlib.h>
#include <string.h>

#include "elementwise.h"
#include "expression/expression.h"
#include "expression/identity.h"
#include "array/number.h"

/* ---- Operands ---- */

/* The variables that the expression uses, checked and broadcast. */
typedef struct map {
    const yops_call *call;
    const yoke_var *vars;
    const yops_expression_facts *facts;
    yoke_array arrays[YOPS_MOST_VARS]; /* broadcast to the outputs' shape */
    yops_place places[YOPS_MOST_VARS];
    int32_t first; /* the first output */
    bool is_aliased;
} map;

#define EACH_VAR(mask, k) for (uint32_t left_ = (mask), k; left_ && (k = (uint32_t)__builtin_ctz(left_), true); left_ &= left_ - 1)

static bool is_array(const map *m, uint32_t k)
{
    return m->vars[k].kind == YOKE_VAR_ARRAY;
}

static yoke_status check_outputs(map *m)
{
    m->first = -1;
    EACH_VAR(m->facts->written, k)
    {
        yoke_status status = yops_check_output(m->call, m->vars[k].name, &m->vars[k].array, &m->places[k]);
        if (status == YOKE_OK && m->first >= 0)
            status =
                yops_check_same_shape(m->call, m->vars[m->first].name, &m->arrays[m->first], m->vars[k].name, &m->vars[k].array);
        if (status < 0)
            return status;
        m->arrays[k] = m->vars[k].array;
        m->first = m->first < 0 ? (int32_t)k : m->first;
    }
    return YOKE_OK;
}

static yoke_status check_inputs(map *m)
{
    const yoke_array *out = &m->arrays[m->first];
    EACH_VAR(m->facts->read & ~m->facts->written, k)
    {
        const yoke_var *var = &m->vars[k];
        yoke_status status = YOKE_OK;
        if (!is_array(m, k))
            status = yops_check_number(m->call, var->name, var->scalar);
        else
            status = yops_check_input(m->call, var->name, &var->array, &m->places[k]);
        if (status == YOKE_OK && is_array(m, k))
            status = yops_broadcast(m->call, var->name, &var->array, out->dimensions, out->shape, &m->arrays[k]);
        if (status < 0)
            return status;
    }
    return YOKE_OK;
}

/* An output may share elements with an input that is the same, and with no other output. */
static yoke_status check_overlap(map *m, uint32_t out)
{
    const yops_expression_facts *facts = m->facts;
    EACH_VAR(facts->read | facts->written, k)
    {
        bool written = facts->written >> k & 1;
        if (k == out || !is_array(m, k) || (written && k < out))
            continue;
        m->is_aliased |= m->places[k].root == m->places[out].root;
        yoke_status status = yops_check_overlap(m->call, m->vars[out].name, &m->arrays[out], &m->places[out], m->vars[k].name,
                                                &m->arrays[k], &m->places[k], !written);
        if (status < 0)
            return status;
    }
    return YOKE_OK;
}

static yoke_status check_overlaps(map *m)
{
    yoke_status status = YOKE_OK;
    EACH_VAR(m->facts->written, out)
    if (status == YOKE_OK)
        status = check_overlap(m, out);
    return status;
}

static void add_operands(const map *m, yops_elementwise *e)
{
    const yops_expression_facts *facts = m->facts;
    EACH_VAR(facts->read | facts->written, k)
    {
        if (is_array(m, k))
            yops_elementwise_add_array(e, (int32_t)k, &m->arrays[k], &m->places[k], facts->read >> k & 1, facts->written >> k & 1);
        else
            yops_elementwise_add_scalar(e, (int32_t)k, m->vars[k].scalar);
    }
    e->indices = facts->indices;
    e->needs_f64 |= facts->needs_f64;
    e->is_aliased = m->is_aliased;
}

/* ---- Kernels ---- */

static yoke_status compile(yops_elementwise *e, const yops_expression *expression, const yoke_var *vars, yoke_kernel **out_kernel)
{
    char *statements = NULL, *functions = NULL;
    yoke_status status = yops_expression_emit(e->call, expression, &statements);
    if (status == YOKE_OK)
        status = yops_expression_get_functions(e->call, expression, vars, &functions);
    if (status == YOKE_OK)
        status = yops_elementwise_compile(e, statements, true, functions, out_kernel);
    free(functions);
    free(statements);
    return status;
}

static yoke_status prepare(const yops_call *call, const yops_identity *identity, const char *text, const yoke_var *vars,
                           size_t count, yops_expression **expression, yops_map *out)
{
    map m; /* most of its room is not needed: no time is spent on clearing it */
    yops_elementwise *e = &out->elementwise;
    m.call = call;
    m.vars = vars;
    m.facts = &identity->facts;
    m.is_aliased = false;
    yoke_status status = yops_identity_check_device(call, identity);
    if (status == YOKE_OK)
        status = check_outputs(&m);
    if (status == YOKE_OK)
        status = yops_identity_check_axes(call, identity, text, vars, count, m.arrays[m.first].dimensions, expression);
    if (status == YOKE_OK)
        status = check_inputs(&m);
    if (status == YOKE_OK)
        status = check_overlaps(&m);
    if (status != YOKE_OK || m.places[m.first].first > m.places[m.first].last)
        return status;
    yops_elementwise_begin(e, call, m.arrays[m.first].dimensions, m.arrays[m.first].shape);
    add_operands(&m, e);
    status = yops_elementwise_find(e, identity->bytes, identity->length, &out->kernel);
    if (status == YOKE_OK && !out->kernel) {
        if (!*expression)
            status = yops_expression_parse(call, text, vars, count, YOPS_MAP, expression);
        if (status == YOKE_OK)
            status = compile(e, *expression, vars, &out->kernel);
    }
    return status;
}

yoke_status yops_map_prepare(const yops_call *call, const char *text, const yoke_var *vars, size_t count, yops_map *out_ready)
{
    yops_identity identity;
    yops_expression *expression = NULL;
    out_ready->kernel = NULL;
    yoke_status status = yops_identity_get(call, text, vars, count, YOPS_MAP, &identity, &expression);
    if (status == YOKE_OK)
        status = prepare(call, &identity, text, vars, count, &expression, out_ready);
    yops_expression_free(expression);
    yops_identity_end(&identity);
    return status;
}

yoke_status yops_map_launch(yops_map *ready)
{
    return ready->kernel ? yops_elementwise_launch(&ready->elementwise, ready->kernel) : YOKE_OK;
}

static yoke_status map_call(const yops_call *call, const char *text, const yoke_var *vars, size_t count)
{
    yops_map ready;
    yoke_status status = yops_map_prepare(call, text, vars, count, &ready);
    return status < 0 ? status : yops_map_launch(&ready);
}

yoke_status yoke_map_at(const char *where, yoke_stream *stream, const char *expression, const yoke_var *vars, size_t count)
{
    yops_call call;
    yoke_status status = yops_begin(&call, "yoke_map", where, stream);
    return status < 0 ? status : map_call(&call, expression, vars, count);
}

/* ---- Ready-made ---- */

/* An array that is NULL is told by its parameter's name. */
static yoke_status check_given(const yops_call *call, const yoke_var *vars, const yoke_array *const *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!arrays[i])
            return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s is NULL", vars[i].name);
    return YOKE_OK;
}

static yoke_status map_two(const char *function, const char *where, yoke_stream *stream, const char *text, const yoke_array *out,
                           const yoke_array *a, const yoke_array *b)
{
    yops_call call;
    const yoke_array *arrays[] = { out, a, b };
    yoke_var vars[] = { yoke_var_array_pointer("out", out), yoke_var_array_pointer("a", a), yoke_var_array_pointer("b", b) };
    yoke_status status = yops_begin(&call, function, where, stream);
    if (status == YOKE_OK)
        status = check_given(&call, vars, arrays, 3);
    return status < 0 ? status : map_call(&call, text, vars, 3);
}

yoke_status yoke_add_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a, const yoke_array *b)
{
    return map_two("yoke_add", where, stream, "out = a + b", out, a, b);
}

yoke_status yoke_subtract_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                             const yoke_array *b)
{
    return map_two("yoke_subtract", where, stream, "out = a - b", out, a, b);
}

yoke_status yoke_multiply_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                             const yoke_array *b)
{
    return map_two("yoke_multiply", where, stream, "out = a * b", out, a, b);
}

yoke_status yoke_divide_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a, const yoke_array *b)
{
    return map_two("yoke_divide", where, stream, "out = a / b", out, a, b);
}

yoke_status yoke_where_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *condition,
                          const yoke_array *a, const yoke_array *b)
{
    yops_call call;
    const yoke_array *arrays[] = { out, condition, a, b };
    yoke_var vars[] = { yoke_var_array_pointer("out", out), yoke_var_array_pointer("condition", condition),
                        yoke_var_array_pointer("a", a), yoke_var_array_pointer("b", b) };
    yoke_status status = yops_begin(&call, "yoke_where", where, stream);
    if (status == YOKE_OK)
        status = check_given(&call, vars, arrays, 4);
    if (status < 0)
        return status;
    bool drops_parts = (yops_is_complex(a->dtype) || yops_is_complex(b->dtype)) && !yops_is_complex(out->dtype);
    if (a->dtype == b->dtype || !yops_is_dtype(out->dtype) || drops_parts) /* which is refused */
        return map_call(&call, "out = condition ? a : b", vars, 4);
    char text[80]; /* each operand is converted as it is, and not by way of a type for both, which may have fewer bits than out */
    const char *dtype = yoke_dtype_get_name(out->dtype);
    yops_write(text, sizeof text, "out = condition ? (%s)a : (%s)b", dtype, dtype);
    return map_call(&call, text, vars, 4);
}

/* Limits of integers for an output of fractions: they are compared as they are, and each value is converted to the output's dtype.
 */
static yoke_status clamp_integers(const yops_call *call, yoke_var vars[4], yoke_number low, yoke_number high)
{
    char text[120];
    int32_t out = vars[0].array.dtype, a = vars[1].array.dtype;
    const char *dtype = yoke_dtype_get_name(out);
    vars[2].scalar = yops_is_integer(low.dtype) ? yops_number_nearest(low, a) : yops_number_convert(low, out);
    vars[3].scalar = yops_is_integer(high.dtype) ? yops_number_nearest(high, a) : yops_number_convert(high, out);
    yops_write(text, sizeof text, "out = a < low ? (%s)low : a > high ? (%s)high : (%s)a", dtype, dtype, dtype);
    return map_call(call, text, vars, 4);
}

yoke_status yoke_clamp_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a, yoke_number low,
                          yoke_number high)
{
    yops_call call;
    const yoke_array *arrays[] = { out, a };
    yoke_var vars[] = { yoke_var_array_pointer("out", out), yoke_var_array_pointer("a", a), yoke_var_scalar("low", low),
                        yoke_var_scalar("high", high) };
    yoke_status status = yops_begin(&call, "yoke_clamp", where, stream);
    if (status == YOKE_OK)
        status = check_given(&call, vars, arrays, 2);
    if (status == YOKE_OK)
        status = yops_check_limit(&call, "low", low);
    if (status == YOKE_OK)
        status = yops_check_limit(&call, "high", high);
    if (status < 0)
        return status;
    if (yops_is_complex(a->dtype))
        return yops_fail(&call, YOKE_E_INVALID_ARGUMENT, "a has the dtype %s: complex numbers have no order",
                         yoke_dtype_get_name(a->dtype));
    if (yops_is_integer(a->dtype) && yops_is_floating(out->dtype))
        return clamp_integers(&call, vars, low, high);
    if (yops_is_dtype(a->dtype)) {
        vars[2].scalar = yops_number_nearest(low, a->dtype);
        vars[3].scalar = yops_number_nearest(high, a->dtype);
    }
    return map_call(&call, "out = a < low ? low : a > high ? high : a", vars, 4);
}
