/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices and vectors: the checks of a call, and what it means as one product of matrices. */
#include "matmul.h"

#include <inttypes.h>
#include <string.h>

#include "array/number.h"

/* ---- dtypes ---- */

static void find_dtypes(yops_matmul *p)
{
    int32_t a = p->a.dtype, b = p->b.dtype, c = p->c.dtype;
    bool wide = yops_needs_f64(a) || yops_needs_f64(b) || yops_needs_f64(c);
    if (yops_is_complex(a) || yops_is_complex(b)) {
        p->sum = p->result = wide ? YOKE_C128 : YOKE_C64;
        p->scalar = wide ? YOKE_F64 : YOKE_F32;
    } else if (yops_is_floating(a) || yops_is_floating(b)) {
        p->sum = p->result = p->scalar = wide ? YOKE_F64 : YOKE_F32;
    } else {
        bool narrow = yops_is_integer(c) && c != YOKE_BOOL && yoke_dtype_get_size(c) <= 4;
        bool is_signed = yops_is_integer(c) && c != YOKE_BOOL ? yops_is_signed(c) : yops_is_signed(a) || yops_is_signed(b);
        p->sum = p->scalar = narrow ? YOKE_U32 : YOKE_U64;
        p->result = narrow ? (is_signed ? YOKE_I32 : YOKE_U32) : is_signed ? YOKE_I64 : YOKE_U64;
    }
}

/* ---- Shapes ---- */

/* The extent and the stride of axis `i` of a batch, counted from its last; 1 and 0 where the array lacks it or repeats it. */
static int64_t batch_extent(const yoke_array *array, int32_t matrix, int32_t i)
{
    return i < array->dimensions - matrix ? array->shape[array->dimensions - matrix - 1 - i] : 1;
}

static int64_t batch_stride(const yoke_array *array, int32_t matrix, int32_t i)
{
    return batch_extent(array, matrix, i) == 1 ? 0 : array->strides[array->dimensions - matrix - 1 - i];
}

/* The dimensions of an operand that belong to its matrix. */
static int32_t matrix_of(const yoke_array *array)
{
    return array->dimensions < 2 ? array->dimensions : 2;
}

static int32_t largest(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* The extents of the product: NumPy's rules. `out_shape` is what c has to have. */
static yoke_status find_extents(yops_matmul *p, int32_t *out_dimensions, int64_t *out_shape, bool *out_row, bool *out_column)
{
    const yoke_array *a = &p->a, *b = &p->b;
    yops_matmul_shape *s = &p->shape;
    if (a->dimensions == 0 || b->dimensions == 0)
        return yops_fail(&p->call, YOKE_E_INVALID_ARGUMENT,
                         "%s has no dimensions: a matrix or a vector is needed (use yoke_multiply)",
                         a->dimensions == 0 ? "a" : "b");
    *out_row = a->dimensions > 1;
    *out_column = b->dimensions > 1;
    s->m = *out_row ? a->shape[a->dimensions - 2] : 1;
    s->n = *out_column ? b->shape[b->dimensions - 1] : 1;
    s->k = a->shape[a->dimensions - 1];
    int64_t b_rows = *out_column ? b->shape[b->dimensions - 2] : b->shape[0];
    if (s->k != b_rows)
        return yops_fail(&p->call, YOKE_E_INVALID_ARGUMENT,
                         "a has the shape %s, and b has the shape %s: a has %" PRId64 " columns and b %" PRId64 " rows",
                         yops_shape(a->dimensions, a->shape).text, yops_shape(b->dimensions, b->shape).text, s->k, b_rows);
    int32_t batch = largest(a->dimensions - matrix_of(a), b->dimensions - matrix_of(b)), d = batch;
    for (int32_t i = 0; i < batch; i++) {
        int64_t from_a = batch_extent(a, matrix_of(a), i), from_b = batch_extent(b, matrix_of(b), i);
        if (from_a != from_b && from_a != 1 && from_b != 1)
            return yops_fail(&p->call, YOKE_E_INVALID_ARGUMENT,
                             "a has the shape %s, and b has the shape %s: the batches in front of the matrices do not broadcast",
                             yops_shape(a->dimensions, a->shape).text, yops_shape(b->dimensions, b->shape).text);
        out_shape[batch - 1 - i] = from_a == 1 ? from_b : from_a;
    }
    if (*out_row)
        out_shape[d++] = s->m;
    if (*out_column)
        out_shape[d++] = s->n;
    *out_dimensions = d;
    return YOKE_OK;
}

/* The extents of an empty array may be anything: without overflow. */
static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* Add an axis to the batch, from the innermost on; joined with the one before where it continues it in all arrays. */
static void add_batch(yops_matmul_shape *s, int *axis, int64_t extent, int64_t a, int64_t b, int64_t c)
{
    if (extent == 1)
        return;
    int i = *axis + 1;
    if (i < YOPS_MOST_BATCHES && a == times(s->a_batch[i], s->extents[i]) && b == times(s->b_batch[i], s->extents[i]) &&
        c == times(s->c_batch[i], s->extents[i])) {
        s->extents[i] = times(s->extents[i], extent);
        return;
    }
    i = (*axis)--;
    s->extents[i] = extent;
    s->a_batch[i] = a;
    s->b_batch[i] = b;
    s->c_batch[i] = c;
}

static void find_strides(yops_matmul *p, bool has_row, bool has_column)
{
    const yoke_array *a = &p->a, *b = &p->b, *c = &p->c;
    yops_matmul_shape *s = &p->shape;
    int32_t matrix = (has_row ? 1 : 0) + (has_column ? 1 : 0);
    int axis = YOPS_MOST_BATCHES - 1;
    s->a_origin = p->a_place.origin;
    s->b_origin = p->b_place.origin;
    s->c_origin = p->c_place.origin;
    s->a_column = a->strides[a->dimensions - 1];
    s->a_row = has_row ? a->strides[a->dimensions - 2] : 0;
    s->b_row = has_column ? b->strides[b->dimensions - 2] : b->strides[0];
    s->b_column = has_column ? b->strides[b->dimensions - 1] : 0;
    s->c_column = has_column ? c->strides[c->dimensions - 1] : 0;
    s->c_row = has_row ? c->strides[c->dimensions - matrix] : 0;
    s->position_row = s->n;
    s->position_column = 1;
    s->batches = 1;
    for (int i = 0; i < YOPS_MOST_BATCHES; i++)
        s->extents[i] = 1;
    for (int32_t i = 0; i < c->dimensions - matrix; i++) {
        int64_t extent = batch_extent(c, matrix, i);
        s->batches = times(s->batches, extent);
        add_batch(s, &axis, extent, batch_stride(a, matrix_of(a), i), batch_stride(b, matrix_of(b), i), batch_stride(c, matrix, i));
    }
}

static void swap(int64_t *a, int64_t *b)
{
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* The transposed product: bᵀ · aᵀ is cᵀ. */
static void transpose(yops_matmul *p)
{
    yops_matmul_shape *s = &p->shape;
    yoke_array array = p->a;
    yops_place place = p->a_place;
    p->a = p->b;
    p->b = array;
    p->a_place = p->b_place;
    p->b_place = place;
    swap(&s->m, &s->n);
    swap(&s->a_origin, &s->b_origin);
    swap(&s->a_row, &s->b_column);
    swap(&s->a_column, &s->b_row);
    swap(&s->c_row, &s->c_column);
    swap(&s->position_row, &s->position_column);
    for (int i = 0; i < YOPS_MOST_BATCHES; i++)
        swap(&s->a_batch[i], &s->b_batch[i]);
    p->is_swapped = !p->is_swapped;
}

/* ---- Options ---- */

/* A number of the caller in the dtype that sums are scaled in: integers wrap. */
static yoke_number convert(const yops_matmul *p, yoke_number value)
{
    if (p->scales_by_complex)
        return yops_number_complex(value, p->scalar);
    if (p->sum != YOKE_U32 && p->sum != YOKE_U64)
        return yops_number_convert(value, p->scalar);
    yoke_number number = yops_number_convert(value, p->result);
    number.dtype = p->scalar;
    return number;
}

static yoke_status read_options(yops_matmul *p, const yoke_matmul_options *options, yoke_matmul_options *out_options)
{
    yoke_matmul_options o = YOKE_MATMUL_OPTIONS_INIT;
    YOPS_TAKE_OPTIONS(&o, yoke_matmul_options, options);
    if (o.flags & ~(uint32_t)(YOKE_MATMUL_TF32 | YOKE_MATMUL_EXACT))
        return yops_fail(&p->call, YOKE_E_INVALID_ARGUMENT,
                         "options->flags is 0x%x: YOKE_MATMUL_TF32 and YOKE_MATMUL_EXACT are known", (unsigned)o.flags);
    yoke_status status = YOKE_OK;
    if (o.alpha.dtype == 0)
        o.alpha = yoke_number_i32(1);
    else
        status = yops_check_number(&p->call, "options->alpha", o.alpha);
    if (o.beta.dtype == 0)
        o.beta = yoke_number_i32(0);
    else if (status == YOKE_OK)
        status = yops_check_number(&p->call, "options->beta", o.beta);
    if (status == YOKE_OK && !o.epilogue && o.var_count > 0)
        status =
            yops_fail(&p->call, YOKE_E_INVALID_ARGUMENT, "options->var_count is %zu, and options->epilogue is NULL", o.var_count);
    if (status == YOKE_OK && o.var_count > 0 && !o.vars)
        status = yops_fail(&p->call, YOKE_E_INVALID_ARGUMENT, "options->var_count is %zu, and options->vars is NULL", o.var_count);
    *out_options = o;
    return status;
}

/* ---- The product ---- */

static yoke_status check_arrays(yops_matmul *p, bool *out_row, bool *out_column)
{
    int64_t shape[YOKE_MAX_DIMENSIONS + 2];
    int32_t dimensions = 0;
    yoke_status status = find_extents(p, &dimensions, shape, out_row, out_column);
    if (status < 0)
        return status;
    if (p->c.dimensions != dimensions || memcmp(p->c.shape, shape, (size_t)dimensions * sizeof *shape) != 0)
        return yops_fail(&p->call, YOKE_E_INVALID_ARGUMENT, "c has the shape %s, and the product of a, %s, and b, %s, has %s",
                         yops_shape(p->c.dimensions, p->c.shape).text, yops_shape(p->a.dimensions, p->a.shape).text,
                         yops_shape(p->b.dimensions, p->b.shape).text, yops_shape(dimensions, shape).text);
    status = yops_check_overlap(&p->call, "c", &p->c, &p->c_place, "a", &p->a, &p->a_place, false);
    if (status == YOKE_OK)
        status = yops_check_overlap(&p->call, "c", &p->c, &p->c_place, "b", &p->b, &p->b_place, false);
    return status;
}

static yoke_status check_epilogue(yops_matmul *p, const yops_evaluation *v)
{
    if (yops_is_complex(v->dtype) && !yops_is_complex(p->c.dtype))
        return yops_fail(&p->call, YOKE_E_INVALID_ARGUMENT,
                         "the epilogue's value is %s, and c has the dtype %s: use real() or abs()", yoke_dtype_get_name(v->dtype),
                         yoke_dtype_get_name(p->c.dtype));
    return yops_evaluation_check_overlap(v, "c", &p->c, &p->c_place);
}

static yoke_status check_names(const yops_matmul *p, const yoke_matmul_options *o)
{
    for (size_t i = 0; i < o->var_count; i++)
        if (o->vars[i].name && strcmp(o->vars[i].name, "value") == 0)
            return yops_fail(&p->call, YOKE_E_INVALID_ARGUMENT,
                             "vars[%zu] of the epilogue has the name 'value', which the product's own value has", i);
    return YOKE_OK;
}

static yoke_status run_epilogue(yops_matmul *p, const char *text, const yoke_var *vars, size_t count, const yoke_array *c)
{
    yops_evaluation v;
    memset(&v, 0, sizeof v);
    yoke_status status = yops_evaluation_begin(&v, &p->call, text, vars, count, c->dimensions, c->shape);
    if (status == YOKE_OK)
        status = check_epilogue(p, &v);
    p->epilogue = &v;
    if (status == YOKE_OK && yoke_array_get_size(c) > 0)
        status = yops_matmul_run(p);
    p->epilogue = NULL;
    yops_evaluation_end(&v);
    return status;
}

static yoke_status run_with_epilogue(yops_matmul *p, const yoke_matmul_options *o, const yoke_array *c)
{
    yoke_var vars[YOPS_MOST_VARS + 1] = { yoke_var_scalar("value", (yoke_number){ p->result, { 0 } }) };
    size_t count = 1;
    yoke_status valid = check_names(p, o);
    if (valid < 0)
        return valid;
    for (size_t i = 0; i < o->var_count && count <= YOPS_MOST_VARS; i++)
        vars[count++] = o->vars[i];
    return run_epilogue(p, o->epilogue, vars, count, c);
}

/* Complex numbers scale complex sums only, which a complex c or an epilogue takes. */
static yoke_status check_scalars(yops_matmul *p, const yoke_matmul_options *o)
{
    const char *name = yops_is_complex(o->alpha.dtype) ? "alpha" : "beta";
    p->scales_by_complex = yops_is_complex(o->alpha.dtype) || yops_is_complex(o->beta.dtype);
    if (!p->scales_by_complex)
        return YOKE_OK;
    if (!yops_is_complex(p->sum))
        return yops_fail(&p->call, YOKE_E_INVALID_ARGUMENT, "options->%s is complex, and neither a, of %s, nor b, of %s, is", name,
                         yoke_dtype_get_name(p->a.dtype), yoke_dtype_get_name(p->b.dtype));
    if (!yops_is_complex(p->c.dtype) && !o->epilogue)
        return yops_fail(&p->call, YOKE_E_INVALID_ARGUMENT, "options->%s is complex, and c has the dtype %s", name,
                         yoke_dtype_get_name(p->c.dtype));
    p->scalar = p->sum;
    return YOKE_OK;
}

/* `a` and `b` have been checked. */
static yoke_status multiply(yops_matmul *p, const yoke_matmul_options *options)
{
    yoke_matmul_options o;
    bool has_row = false, has_column = false;
    yoke_array c = p->c;
    yoke_status status = read_options(p, options, &o);
    if (status == YOKE_OK)
        status = check_arrays(p, &has_row, &has_column);
    if (status < 0)
        return status;
    find_dtypes(p);
    status = check_scalars(p, &o);
    if (status < 0)
        return status;
    p->flags = o.flags;
    p->alpha = convert(p, o.alpha);
    p->beta = convert(p, o.beta);
    p->has_c = yops_real(p->beta) != 0 || yops_imaginary(p->beta) != 0;
    find_strides(p, has_row, has_column);
    yops_matmul_shape *s = &p->shape;
    /* A vector stands on the right, but one of an outer product along its columns; and the columns of c are neighbours. */
    if (p->is_outer ? s->n == 1 || (s->m > 1 && yops_distance(s->c_row) < yops_distance(s->c_column))
                    : s->n > 1 && (s->m == 1 || yops_distance(s->c_row) < yops_distance(s->c_column)))
        transpose(p);
    if (o.epilogue)
        return run_with_epilogue(p, &o, &c);
    return yoke_array_get_size(&c) > 0 ? yops_matmul_run(p) : YOKE_OK;
}

static yoke_status begin(yops_matmul *p, const char *function, const char *where, yoke_stream *stream, const yoke_array *c,
                         const yoke_array *a, const yoke_array *b)
{
    memset(p, 0, sizeof *p);
    yoke_status status = yops_begin(&p->call, function, where, stream);
    if (status == YOKE_OK)
        status = yops_check_output(&p->call, "c", c, &p->c_place);
    if (status == YOKE_OK)
        status = yops_check_input(&p->call, "a", a, &p->a_place);
    if (status == YOKE_OK)
        status = yops_check_input(&p->call, "b", b, &p->b_place);
    if (status < 0)
        return status;
    p->a = *a;
    p->b = *b;
    p->c = *c;
    return YOKE_OK;
}

yoke_status yops_matmul_by_tile(const yops_matmul_tile *tile, yoke_stream *stream, const yoke_array *c, const yoke_array *a,
                                const yoke_array *b)
{
    yops_matmul p;
    yoke_status status = begin(&p, "yoke_matmul_tune", YOKE_HERE, stream, c, a, b);
    p.tile = tile;
    return status < 0 ? status : multiply(&p, NULL);
}

yoke_status yoke_matmul_at(const char *where, yoke_stream *stream, const yoke_array *c, const yoke_array *a, const yoke_array *b,
                           const yoke_matmul_options *options)
{
    yops_matmul p;
    yoke_status status = begin(&p, "yoke_matmul", where, stream, c, a, b);
    return status < 0 ? status : multiply(&p, options);
}

yoke_status yoke_outer_at(const char *where, yoke_stream *stream, const yoke_array *c, const yoke_array *a, const yoke_array *b,
                          const yoke_matmul_options *options)
{
    yops_matmul p;
    yoke_status status = begin(&p, "yoke_outer", where, stream, c, a, b);
    if (status < 0)
        return status;
    if (a->dimensions != 1 || b->dimensions != 1)
        return yops_fail(&p.call, YOKE_E_INVALID_ARGUMENT, "%s has the shape %s: a vector is needed",
                         a->dimensions != 1 ? "a" : "b",
                         a->dimensions != 1 ? yops_shape(a->dimensions, a->shape).text : yops_shape(b->dimensions, b->shape).text);
    if (c->dimensions != 2 || c->shape[0] != a->shape[0] || c->shape[1] != b->shape[0])
        return yops_fail(&p.call, YOKE_E_INVALID_ARGUMENT,
                         "c has the shape %s, and the outer product of a, %s, and b, %s, has (%" PRId64 ", %" PRId64 ")",
                         yops_shape(c->dimensions, c->shape).text, yops_shape(1, a->shape).text, yops_shape(1, b->shape).text,
                         a->shape[0], b->shape[0]);
    p.a = yoke_array_expand(*a, 1);
    p.b = yoke_array_expand(*b, 0);
    p.is_outer = true;
    return multiply(&p, options);
}
