/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations: products of matrices and vectors, and outer products. */
#include "families.h"

#include <math.h>
#include <string.h>

/* Arrays: 0 is c, 1 and 2 are a and b, 3 is an epilogue's bias, of c's last axis. */

/* Epilogues; complex numbers have no largest. */
enum { NO_EPILOGUE, ADDED, LARGEST };

static void vary_product(model *m, variant *v)
{
    v->d[1] = pick_any(m);
    v->d[2] = chance(m, 70) ? v->d[1] : is_complex(v->d[1]) ? v->d[1] : pick_real(m);
    v->d[0] = v->d[1];
    if (is_integer(v->d[1]) && is_integer(v->d[2])) {
        v->d[0] = chance(m, 80) ? pick_integer(m) : PICK(m, YOKE_F32, YOKE_F64);
        if (!is_integer(v->d[0])) /* of 64-bit sums there are two kinds */
            v->d[1] = v->d[2] = YOKE_I16;
    } else if (!is_complex(v->d[1])) {
        v->d[0] = chance(m, 70) ? common_type(v->d[1], v->d[2]) : pick_float(m);
    }
    v->d[3] = is_complex(v->d[0]) ? YOKE_F32 : v->d[0];
}

/* The type of the sums, by <yoke/matmul.h>. */
static int32_t sum_type(const step *s)
{
    int32_t a = s->v->d[1], b = s->v->d[2], c = s->v->d[0];
    bool wide = is_wide(a) || is_wide(b) || is_wide(c);
    if (is_complex(a) || is_complex(b))
        return wide ? YOKE_C128 : YOKE_C64;
    if (!is_integer(a) || !is_integer(b))
        return wide ? YOKE_F64 : YOKE_F32;
    if (!is_integer(c))
        return YOKE_I64;
    if (yoke_dtype_get_size(c) < 8)
        return is_signed(c) ? YOKE_I32 : YOKE_U32;
    return c;
}

static void draw_scales(model *m, step *s)
{
    bool whole = is_integer(sum_type(s));
    s->f[0] = s->f[1] = 0;
    s->mode = chance(m, 40);
    if (!s->mode)
        return;
    s->low = whole ? yoke_number_i32((int)draw(m, 9)) : yoke_number_f32((float)draw(m, 17) / 4 - 2);
    s->high = chance(m, 40) ? yoke_number_i32(0)
              : whole       ? yoke_number_i32((int)draw(m, 5))
                            : yoke_number_f32((float)draw(m, 9) / 4);
    s->f[0] = whole ? (double)s->low.value.i64 : s->low.value.f64;
    s->f[1] = is_integer(s->high.dtype) ? (double)s->high.value.i64 : s->high.value.f64;
}

/* Values of a size whose sums say something. */
static bool add_factor(model *m, step *s, int k, int32_t dimensions, const int64_t *shape)
{
    unsigned style = chance(m, 80) ? SMALL_VALUES : ANY_VALUES;
    if (chance(m, 10))
        return add_in(m, s, k, s->v->d[k], dimensions, shape);
    if (!add_fresh(m, s, k, s->v->d[k], dimensions, shape))
        return false;
    for (int64_t i = 0; i < s->a[k].count; i++)
        put(&s->a[k], i, draw_value(m, s->v->d[k], style));
    return true;
}

static bool add_result(model *m, step *s, int32_t dimensions, const int64_t *shape)
{
    draw_scales(m, s);
    if (!add_factor(m, s, 0, dimensions, shape))
        return false;
    s->a[0].is_out = true;
    int64_t last = dimensions > 0 ? shape[dimensions - 1] : 1;
    return s->v->kind == NO_EPILOGUE || add_factor(m, s, 3, dimensions > 0 ? 1 : 0, &last);
}

/* NULL for those that are as usual. */
static const yoke_matmul_options *options_of(const step *s, yoke_matmul_options *options, yoke_var *bias)
{
    if (!s->mode && s->v->kind == NO_EPILOGUE && !s->v->flags)
        return NULL;
    *options = (yoke_matmul_options)YOKE_MATMUL_OPTIONS_INIT;
    options->flags = s->v->flags ? YOKE_MATMUL_EXACT : 0;
    if (s->mode) {
        options->alpha = s->low;
        options->beta = s->high;
    }
    if (s->v->kind != NO_EPILOGUE) {
        *bias = yoke_var_array("bias", s->a[3].array);
        options->epilogue = s->v->kind == ADDED ? "value + bias" : "max(value, bias)";
        options->vars = bias;
        options->var_count = 1;
    }
    return options;
}

/* ---- What is expected ---- */

/* alpha times the sum, plus beta times c, and the epilogue. */
static void want_value(step *s, int64_t position, number sum, long double sizes, int64_t k)
{
    int32_t type = sum_type(s), dtype = s->v->d[0];
    number c = convert(get(&s->a[0], position), dtype, type), bias = { 0, 0 };
    bool scaled = s->mode, added = scaled && s->f[1] != 0;
    if (s->v->kind != NO_EPILOGUE) {
        operand wide = spread(&s->a[3], &s->a[0].array);
        bias = convert(get(&wide, position), s->v->d[3], type);
    }
    if (is_integer(type)) {
        number x = { wrap(type, (wide_int)sum.re), 0 };
        if (scaled)
            x = arithmetic('*', type, x, (number){ wrap(type, (wide_int)s->f[0]), 0 });
        if (added)
            x = arithmetic('+', type, x, arithmetic('*', type, c, (number){ wrap(type, (wide_int)s->f[1]), 0 }));
        if (s->v->kind == NO_EPILOGUE) {
            want_exactly(s, 0, position, convert(x, type, dtype));
            return;
        }
        int32_t common = common_type(type, s->v->d[3]);
        operand wide = spread(&s->a[3], &s->a[0].array);
        bias = convert(get(&wide, position), s->v->d[3], common);
        x = convert(x, type, common);
        x = s->v->kind == ADDED ? arithmetic('+', common, x, bias) : least(x, bias, true);
        want_exactly(s, 0, position, convert(x, common, dtype));
        return;
    }
    long double unit = unit_of(is_wide(type) ? YOKE_F64 : YOKE_F32), alpha = scaled ? s->f[0] : 1, beta = added ? s->f[1] : 0;
    long double error = ((long double)k + 4) * unit * sizes * fabsl(alpha), limit = is_wide(type) ? 0x1p1000L : 0x1p120L;
    error += (2 * (long double)k * fabsl(alpha) + 4) * smallest_of(is_wide(type));
    number x = { alpha * sum.re + (added ? beta * c.re : 0), alpha * sum.im + (added ? beta * c.im : 0) };
    long double all = fabsl(alpha) * sizes + (added ? fabsl(beta) * (fabsl(c.re) + fabsl(c.im)) : 0) + fabsl(bias.re);
    bool finite = isfinite(sum.re) && isfinite(sum.im);
    if (!(all < limit) || (!finite && (scaled || is_complex(type)))) {
        want_anything(s, 0, position);
        return;
    }
    if (s->v->kind == ADDED)
        x = (number){ x.re + bias.re, x.im + bias.im };
    else if (s->v->kind == LARGEST)
        x = least(x, bias, true);
    want_near(s, 0, position, x, error + 6 * unit * all);
}

/* c from a of (batch, m, k) and b of (batch, k, n). */
static void judge_product(step *s, const operand *a, const operand *b, int64_t m, int64_t n, int64_t k)
{
    bool whole = is_integer(sum_type(s)), complex = is_complex(sum_type(s));
    for (int64_t position = 0; position < s->a[0].count; position++) {
        int64_t j = position % n, i = position / n % m, batch = position / n / m;
        long double sizes = 0;
        number sum = { 0, 0 };
        uint64_t bits = 0;
        for (int64_t l = 0; l < k; l++) {
            number x = get(a, (batch * m + i) * k + l), y = get(b, (batch * k + l) * n + j);
            bits += whole ? to_bits(x.re) * to_bits(y.re) : 0;
            sum.re += x.re * y.re - (complex ? x.im * y.im : 0);
            sum.im += complex ? x.re * y.im + x.im * y.re : 0;
            sizes += (fabsl(x.re) + fabsl(x.im)) * (fabsl(y.re) + fabsl(y.im));
        }
        if (whole)
            sum.re = wrap(YOKE_I64, (wide_int)bits);
        if (!isfinite(sum.re) || !isfinite(sum.im))
            sizes = 1;
        want_value(s, position, sum, sizes, k);
    }
}

/* ---- Products ---- */

static void vary_matmul(model *m, variant *v)
{
    vary_product(m, v);
    v->kind = chance(m, 40) ? NO_EPILOGUE : (int32_t)draw(m, is_complex(v->d[0]) ? 2 : 3);
    v->flags = chance(m, 30);
}

/* Which operands are vectors; s->n is m, n, k. */
enum { A_VECTOR = 1, B_VECTOR = 2 };

static bool draw_product(model *m, step *s)
{
    int64_t shapes[3][6] = { { 0 } }, most = chance(m, 80) ? 12 : 60;
    int32_t batch = chance(m, 60) ? 0 : 1 + (int32_t)draw(m, 2), count[3] = { 0 };
    for (int i = 0; i < 3; i++)
        s->n[i] = chance(m, 4) ? 0 : chance(m, 12) ? 1 : draw_between(m, 1, most);
    if (chance(m, 10))
        s->n[2] = draw_between(m, 1, 1500);
    s->mask = chance(m, 70) ? 0 : 1 + draw(m, 3);
    if (s->mask & A_VECTOR)
        s->n[0] = 1;
    if (s->mask & B_VECTOR)
        s->n[1] = 1;
    batch = s->mask == (A_VECTOR | B_VECTOR) ? 0 : batch;
    for (int32_t i = 0; i < batch; i++) {
        int64_t extent = draw_between(m, chance(m, 5) ? 0 : 1, 4);
        uint32_t alone = draw(m, 4); /* one of them is broadcast */
        shapes[0][count[0]++] = extent;
        if (!(s->mask & A_VECTOR))
            shapes[1][count[1]++] = alone == 1 ? 1 : extent;
        if (!(s->mask & B_VECTOR))
            shapes[2][count[2]++] = alone == 2 && !(s->mask & A_VECTOR) ? 1 : extent;
        if (s->mask & B_VECTOR)
            shapes[1][count[1] - 1] = extent;
    }
    for (int i = 0; i < 3; i++) {
        static const int rows[] = { 0, 0, 2 }, columns[] = { 1, 2, 1 };
        bool has_rows = i < 2 ? !(s->mask & A_VECTOR) : true, has_columns = i == 1 ? true : !(s->mask & B_VECTOR);
        if (has_rows)
            shapes[i][count[i]++] = s->n[rows[i]];
        if (has_columns)
            shapes[i][count[i]++] = s->n[columns[i]];
    }
    return add_factor(m, s, 1, count[1], shapes[1]) && add_factor(m, s, 2, count[2], shapes[2]) &&
           add_result(m, s, count[0], shapes[0]);
}

/* An operand as (batch, rows, columns), with c's batch. */
static operand as_matrices(const step *s, int k, int64_t rows, int64_t columns)
{
    operand o = s->a[k];
    const yoke_array *c = &s->a[0].array;
    int32_t batch = c->dimensions - !(s->mask & A_VECTOR) - !(s->mask & B_VECTOR);
    yoke_array shape = { .dimensions = batch + 2 };
    if (k == 1 && s->mask & A_VECTOR) { /* a row */
        o.array.shape[1] = o.array.shape[0];
        o.array.strides[1] = o.array.strides[0];
        o.array.shape[0] = 1;
        o.array.dimensions = 2;
    } else if (k == 2 && s->mask & B_VECTOR) { /* a column */
        o.array.shape[1] = 1;
        o.array.dimensions = 2;
    }
    memcpy(shape.shape, c->shape, (size_t)batch * sizeof *c->shape);
    shape.shape[batch] = rows;
    shape.shape[batch + 1] = columns;
    return spread(&o, &shape);
}

static void judge_matrices(step *s)
{
    operand a = as_matrices(s, 1, s->n[0], s->n[2]), b = as_matrices(s, 2, s->n[2], s->n[1]);
    judge_product(s, &a, &b, s->n[0], s->n[1], s->n[2]);
}

static bool draw_matmul(model *m, step *s)
{
    return draw_product(m, s);
}

static yoke_status call_matmul(yoke_stream *stream, const step *s)
{
    yoke_matmul_options options;
    yoke_var bias;
    return yoke_matmul(stream, ARRAY(0), ARRAY(1), ARRAY(2), options_of(s, &options, &bias));
}

static void judge_matmul(step *s)
{
    judge_matrices(s);
}

/* ---- Outer products ---- */

static void vary_outer(model *m, variant *v)
{
    vary_matmul(m, v);
}

static bool draw_outer(model *m, step *s)
{
    for (int i = 0; i < 2; i++)
        s->n[i] = chance(m, 4) ? 0 : draw_between(m, 1, 60);
    s->n[2] = 1;
    return add_factor(m, s, 1, 1, &s->n[0]) && add_factor(m, s, 2, 1, &s->n[1]) && add_result(m, s, 2, s->n);
}

static yoke_status call_outer(yoke_stream *stream, const step *s)
{
    yoke_matmul_options options;
    yoke_var bias;
    return yoke_outer(stream, ARRAY(0), ARRAY(1), ARRAY(2), options_of(s, &options, &bias));
}

static void judge_outer(step *s)
{
    judge_product(s, &s->a[1], &s->a[2], s->n[0], s->n[1], 1);
}

const operation operations_matmul[] = { OPERATION(matmul), OPERATION(outer) };
const size_t count_matmul = COUNT_OF(operations_matmul);
