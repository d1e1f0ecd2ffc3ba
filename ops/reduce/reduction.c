/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: which dtypes suit an operation, what it is computed with, and which axes remain. */
#include <inttypes.h>
#include <stdio.h>

#include "api/reductions.h"
#include "reduce.h"

static yk_reduction_rule get_rule(int32_t operation)
{
    return yk_reduction_get(operation)->rule;
}

/* Doubles where the input or the output has them; integers in 64 bits. */
static int32_t choose_acc(int32_t operation, int32_t in, int32_t out)
{
    bool wide = yops_needs_f64(in) || yops_needs_f64(out);
    if (operation == YOKE_REDUCE_NORM || operation == YOKE_REDUCE_VARIANCE)
        return wide ? YOKE_F64 : YOKE_F32;
    if (yops_is_complex(in))
        return wide ? YOKE_C128 : YOKE_C64;
    if (yops_is_integer(in))
        return yops_is_signed(in) ? YOKE_I64 : YOKE_U64;
    return wide ? YOKE_F64 : YOKE_F32;
}

/* YOKE_REDUCE_MIN for YOKE_REDUCE_MIN_OR_NAN, and so on: of numbers other than NaN they give the same. */
static int32_t without_nan(int32_t operation)
{
    switch (operation) {
    case YOKE_REDUCE_MIN_OR_NAN:
        return YOKE_REDUCE_MIN;
    case YOKE_REDUCE_MAX_OR_NAN:
        return YOKE_REDUCE_MAX;
    case YOKE_REDUCE_ARGMIN_OR_NAN:
        return YOKE_REDUCE_ARGMIN;
    case YOKE_REDUCE_ARGMAX_OR_NAN:
        return YOKE_REDUCE_ARGMAX;
    default:
        return operation;
    }
}

yoke_status yops_reduction_check(const yops_call *call, int32_t operation, int32_t in, int32_t out, yops_reduction *out_reduction)
{
    const yk_reduction *row = yk_reduction_get(operation);
    const int32_t given = operation;
    const char *name = row->name, *in_name = yoke_dtype_get_name(in), *out_name = yoke_dtype_get_name(out);
    if (row->rule == YK_REDUCTION_NONE)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%d is not an operation of reductions, as YOKE_REDUCE_SUM is",
                         (int)operation);
    if (row->rule == YK_REDUCTION_BITS)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT,
                         "%s combines the bits of ranks: arrays are reduced by YOKE_REDUCE_SUM to YOKE_REDUCE_NORM, and by "
                         "YOKE_REDUCE_MIN_OR_NAN to YOKE_REDUCE_ARGMAX_OR_NAN",
                         name);
    if (yops_is_complex(in) && !row->takes_complex)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s does not take %s: complex numbers have no order", name, in_name);
    if (row->rule == YK_REDUCTION_POSITION && (!yops_is_integer(out) || out == YOKE_BOOL))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s gives positions: out must have an integer dtype, and has %s", name,
                         out_name);
    if (row->rule == YK_REDUCTION_FRACTION && !yops_is_floating(out) && !(operation == YOKE_REDUCE_MEAN && yops_is_complex(out)))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s gives fractions: out must have a floating-point dtype, and has %s",
                         name, out_name);
    if (operation == YOKE_REDUCE_MEAN && yops_is_complex(in) && !yops_is_complex(out))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s of %s is complex, and out has %s", name, in_name, out_name);
    operation = without_nan(operation);
    *out_reduction = (yops_reduction){ .operation = operation, .in = in, .out = out, .acc = choose_acc(operation, in, out) };
    out_reduction->wants_f64 = yops_needs_f64(in) || yops_needs_f64(out);
    out_reduction->nan_first = operation != given && yops_is_floating(in);
    return YOKE_OK;
}

yoke_status yops_reduction_check_positions(const yops_call *call, const yops_reduction *r, int64_t n)
{
    return get_rule(r->operation) == YK_REDUCTION_POSITION ? yops_check_count(call, "out", r->out, n > 0 ? (uint64_t)n - 1 : 0)
                                                           : YOKE_OK;
}

static size_t get_key_size(const yops_reduction *r)
{
    return r->in == YOKE_F64 || r->in == YOKE_I64 || r->in == YOKE_U64 ? 8 : 4;
}

size_t yops_reduction_get_state_size(const yops_reduction *r)
{
    size_t acc = yoke_dtype_get_size(r->acc);
    if (r->operation == YOPS_OWN_OPERATION)
        return 2 * yops_combination_get_size(r->acc); /* with a mark */
    if (r->operation == YOKE_REDUCE_VARIANCE || r->operation == YOKE_REDUCE_NORM)
        return 3 * acc;
    if (r->operation == YOKE_REDUCE_PRODUCT && yops_is_complex(r->acc))
        return 2 * acc;
    if (r->operation == YOKE_REDUCE_MEAN && yops_is_integer(r->acc) && get_key_size(r) == 8)
        return 2 * acc; /* so that the sum does not wrap */
    if (get_rule(r->operation) == YK_REDUCTION_SUM || r->operation == YOKE_REDUCE_MEAN)
        return acc;
    return get_rule(r->operation) == YK_REDUCTION_POSITION ? 2 * get_key_size(r) : get_key_size(r);
}

size_t yops_reduction_get_partial_size(const yops_reduction *r)
{
    return get_rule(r->operation) == YK_REDUCTION_POSITION ? 16 : yops_reduction_get_state_size(r);
}

int yops_reduction_get_options(const yops_reduction *r, char *text, size_t size)
{
    int length = yops_write(text, size, "OP=%d IN=%s OUT=%s ACC=%s KIND=%d QUOTIENT=%s IN_BOOL=%d IN_COMPLEX=%d KEY_BITS=%d%s%s",
                            (int)r->operation, yops_dtype_token(r->in), yops_dtype_token(r->out), yops_dtype_token(r->acc),
                            yops_is_complex(r->acc) ? 2 : !yops_is_integer(r->acc), r->wants_f64 ? "f64" : "f32",
                            r->in == YOKE_BOOL, yops_is_complex(r->in), (int)(8 * get_key_size(r)),
                            r->wants_f64 ? " NEED_F64=1" : "", r->nan_first ? " NAN_FIRST=1" : "");
    if (r->in_a)
        length += yops_write(text + length, size - (size_t)length, " IN1=%s IN2=%s", yops_dtype_token(r->in_a),
                             yops_dtype_token(r->in_b));
    return length;
}

/* ---- Axes ---- */

yoke_status yops_reduce_check_axes(const yops_call *call, const yoke_array *out, int32_t dimensions, const int64_t *shape,
                                   const int32_t *axes, size_t axis_count, bool *out_reduced, int64_t *out_strides)
{
    yoke_status status = yops_check_axes(call, dimensions, axes, axis_count, out_reduced);
    int64_t wanted[YOKE_MAX_DIMENSIONS];
    int32_t kept = 0;
    bool fits = true;
    if (status < 0)
        return status;
    bool single = true;
    for (int32_t i = 0; i < dimensions; i++) {
        out_reduced[i] = out_reduced[i] || axis_count == 0;
        out_strides[i] = 0;
        single = single && (out_reduced[i] || shape[i] == 1);
        if (!out_reduced[i])
            wanted[kept++] = shape[i];
    }
    if (single && yoke_array_get_size(out) == 1)
        return YOKE_OK;
    bool full = out->dimensions == dimensions && dimensions != kept;
    for (int32_t i = 0, at = 0; i < dimensions; i++) {
        int32_t axis = full ? i : at;
        if (out_reduced[i]) {
            fits = fits && (!full || out->shape[i] == 1);
            continue;
        }
        fits = fits && axis < out->dimensions && out->shape[axis] == shape[i];
        out_strides[i] = fits ? out->strides[axis] : 0;
        at++;
    }
    if (fits && (full || out->dimensions == kept))
        return YOKE_OK;
    return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "out has the shape %s; the input, of shape %s, without the reduced axes has %s",
                     yops_shape(out->dimensions, out->shape).text, yops_shape(dimensions, shape).text,
                     yops_shape(kept, wanted).text);
}
