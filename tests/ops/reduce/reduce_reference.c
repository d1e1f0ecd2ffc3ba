/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions on the host, element by element, in the documented order. */
#include "reduce_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 4096, MOST_LEVELS = 64 };

/* What some elements are together. Numbers of the class f32 are floats in doubles. */
typedef struct node {
    bool present, is_nan;
    uint64_t integer;
    int64_t high; /* 64 bits more of a mean's sum */
    double x, y;  /* or the mean and the squares of a variance */
    double count;
    double small, large; /* of a norm: the squares of small and of large elements, and x those of the others */
    long double value;   /* of the least and the largest */
    int64_t at;
} node;

typedef struct rules {
    int32_t operation;
    bool wide, integer, is_signed, is_complex; /* of the accumulator */
} rules;

static bool is_double(int32_t dtype)
{
    return dtype == YOKE_F64 || dtype == YOKE_C128;
}

static bool is_integer(int32_t dtype)
{
    return yk_dtype_is_integer(dtype);
}

static double rounded(const rules *r, double x)
{
    return r->wide ? x : (double)(float)x;
}

/* One operation of the accumulator's type. */
static double add(const rules *r, double a, double b)
{
    return r->wide ? a + b : (double)((float)a + (float)b);
}

static double multiply(const rules *r, double a, double b)
{
    return r->wide ? a * b : (double)((float)a * (float)b);
}

static double divide(const rules *r, double a, double b)
{
    return r->wide ? a / b : (double)((float)a / (float)b);
}

static void multiply_complex(const rules *r, double ax, double ay, double bx, double by, double *x, double *y)
{
    *x = add(r, multiply(r, ax, bx), -multiply(r, ay, by));
    *y = add(r, multiply(r, ax, by), multiply(r, ay, bx));
}

static node merge(const rules *r, node a, node b)
{
    double distance = add(r, b.x, -a.x), share = divide(r, b.count, add(r, a.count, b.count));
    node c = a;
    c.x = add(r, a.x, multiply(r, distance, share));
    c.y = add(r, add(r, a.y, b.y), multiply(r, multiply(r, distance, distance), multiply(r, a.count, share)));
    c.count = add(r, a.count, b.count);
    return c;
}

static bool is_one_of(int32_t operation, int32_t one, int32_t other)
{
    return operation == one || operation == other;
}

/* Whether `a` goes before `b`: numbers before NaN, or NaN before them; -0 before 0 for the least. */
static bool is_before(const rules *r, const node *a, const node *b)
{
    bool has_sign = !is_one_of(r->operation, YOKE_REDUCE_ARGMIN_OR_NAN, YOKE_REDUCE_ARGMAX_OR_NAN);
    bool nan_first = !has_sign || is_one_of(r->operation, YOKE_REDUCE_MIN_OR_NAN, YOKE_REDUCE_MAX_OR_NAN);
    bool least = is_one_of(r->operation, YOKE_REDUCE_MIN, YOKE_REDUCE_ARGMIN) ||
                 is_one_of(r->operation, YOKE_REDUCE_MIN_OR_NAN, YOKE_REDUCE_ARGMIN_OR_NAN);
    if (a->is_nan || b->is_nan)
        return nan_first ? a->is_nan && !b->is_nan : !a->is_nan;
    if (a->value == 0 && b->value == 0)
        return has_sign && (least ? signbit(a->value) && !signbit(b->value) : signbit(b->value) && !signbit(a->value));
    return least ? a->value < b->value : a->value > b->value;
}

static node combine(const rules *r, node a, node b)
{
    if (!a.present || !b.present)
        return a.present ? a : b;
    switch (r->operation) {
    case YOKE_REDUCE_MIN:
    case YOKE_REDUCE_MAX:
    case YOKE_REDUCE_ARGMIN:
    case YOKE_REDUCE_ARGMAX:
    case YOKE_REDUCE_MIN_OR_NAN:
    case YOKE_REDUCE_MAX_OR_NAN:
    case YOKE_REDUCE_ARGMIN_OR_NAN:
    case YOKE_REDUCE_ARGMAX_OR_NAN:
        if (is_before(r, &a, &b) || (!is_before(r, &b, &a) && a.at < b.at))
            return a;
        return b;
    case YOKE_REDUCE_ANY:
    case YOKE_REDUCE_ALL:
        a.integer |= b.integer;
        return a;
    case YOKE_REDUCE_VARIANCE:
        return merge(r, a, b);
    case YOKE_REDUCE_PRODUCT:
        a.integer *= b.integer;
        if (r->is_complex)
            multiply_complex(r, a.x, a.y, b.x, b.y, &a.x, &a.y);
        else
            a.x = multiply(r, a.x, b.x);
        return a;
    default:
        a.integer += b.integer;
        a.high += b.high + (a.integer < b.integer ? 1 : 0);
        a.x = add(r, a.x, b.x);
        a.y = add(r, a.y, b.y);
        a.small = add(r, a.small, b.small);
        a.large = add(r, a.large, b.large);
        return a;
    }
}

/* A norm's squares, each with its own scale: a power of two. */
static double scale_of_norm(const rules *r)
{
    return r->wide ? 0x1p600 : 0x1p88;
}

static void square_for_norm(const rules *r, double x, node *sums)
{
    double size = fabs(x), up = scale_of_norm(r);
    bool is_large = size >= (r->wide ? 0x1p460 : 0x1p44), is_small = size < (r->wide ? 0x1p-500 : 0x1p-55);
    double scaled = multiply(r, size, is_large ? 1 / up : is_small ? up : 1), square = multiply(r, scaled, scaled);
    double *sum = is_large ? &sums->large : is_small ? &sums->small : &sums->x;
    *sum = add(r, *sum, square);
}

static double root_of_norm(const rules *r, const node *v)
{
    double up = scale_of_norm(r), down = 1 / up, sum = v->x, after = 1;
    if (v->large > 0) {
        sum = add(r, v->large, multiply(r, multiply(r, v->x, down), down));
        after = up;
    } else if (v->x == 0) {
        sum = v->small;
        after = down;
    } else {
        sum = add(r, v->x, multiply(r, multiply(r, v->small, down), down));
    }
    return multiply(r, r->wide ? sqrt(sum) : (double)sqrtf((float)sum), after);
}

static uint64_t integer_of(long double value)
{
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static node lift(const rules *r, const reference_row *row, int64_t i)
{
    int64_t at = row->positions ? row->positions[i] : row->first + i;
    long double real = test_get(row->a, at), imaginary = test_get_imaginary(row->a, at);
    node v = { .present = true, .is_nan = isnan(real), .at = i, .value = real, .count = 1 };
    bool truth = real != 0 || imaginary != 0;
    v.integer = is_integer(row->a->array.dtype) ? integer_of(real) : 0;
    v.high = real < 0 ? -1 : 0;
    v.x = rounded(r, (double)real);
    v.y = rounded(r, (double)imaginary);
    if (!r->wide && is_integer(row->a->array.dtype))
        v.x = (double)(float)real;
    if (row->b) {
        long double other = test_get(row->b, at), other_imaginary = test_get_imaginary(row->b, at);
        v.integer *= is_integer(row->b->array.dtype) ? integer_of(other) : 0;
        double x = r->wide ? (double)other : (double)(float)other;
        if (r->is_complex)
            multiply_complex(r, v.x, v.y, x, rounded(r, (double)other_imaginary), &v.x, &v.y);
        else
            v.x = multiply(r, v.x, x);
    }
    if (r->operation == YOKE_REDUCE_ANY || r->operation == YOKE_REDUCE_ALL)
        v.integer = truth == (r->operation == YOKE_REDUCE_ANY);
    if (r->operation == YOKE_REDUCE_NORM) {
        double part = v.x;
        v.x = v.y = 0;
        square_for_norm(r, part, &v);
        if (yk_dtype_is_complex(row->a->array.dtype))
            square_for_norm(r, rounded(r, (double)imaginary), &v);
    }
    if (r->operation == YOKE_REDUCE_VARIANCE)
        v.y = 0;
    return v;
}

/* One tile, bit by bit. */
static node reduce_tile(const rules *r, const reference_row *row, int64_t first, int64_t m, node *nodes)
{
    static const int bits[] = { 11, 10, 0, 1, 9, 8, 7, 6, 5, 4, 3, 2 };
    unsigned done = 0;
    for (int64_t i = 0; i < TILE; i++)
        nodes[i] = i < m ? lift(r, row, first + i) : (node){ 0 };
    for (int step = 0; step < 12; step++) {
        unsigned bit = 1u << bits[step];
        for (unsigned i = 0; i < TILE; i++)
            if ((i & (done | bit)) == 0)
                nodes[i] = combine(r, nodes[i], nodes[i | bit]);
        done |= bit;
    }
    return nodes[0];
}

static node reduce_row(const rules *r, const reference_row *row)
{
    int64_t tiles = (row->n + TILE - 1) / TILE;
    node *nodes = malloc(TILE * sizeof *nodes), *sums = malloc((size_t)(tiles + 1) * sizeof *sums), sum;
    for (int64_t k = 0; k < tiles; k++)
        sums[k] = reduce_tile(r, row, k * TILE, row->n - k * TILE < TILE ? row->n - k * TILE : TILE, nodes);
    for (; tiles > 1; tiles = (tiles + 1) / 2)
        for (int64_t k = 0; k < tiles; k += 2)
            sums[k / 2] = k + 1 < tiles ? combine(r, sums[k], sums[k + 1]) : sums[k];
    sum = sums[0];
    free(sums);
    free(nodes);
    return sum;
}

static rules rules_of(int32_t operation, int32_t in, int32_t in_b, int32_t out)
{
    rules r = { .operation = operation, .wide = is_double(in) || is_double(in_b) || is_double(out) };
    bool fraction = operation == YOKE_REDUCE_VARIANCE || operation == YOKE_REDUCE_NORM;
    r.integer = is_integer(in) && (in_b == 0 || is_integer(in_b)) && !fraction;
    r.is_signed = in == YOKE_I8 || in == YOKE_I16 || in == YOKE_I32 || in == YOKE_I64 || in_b == YOKE_I8 || in_b == YOKE_I16 ||
                  in_b == YOKE_I32 || in_b == YOKE_I64;
    r.is_complex = (yk_dtype_is_complex(in) || yk_dtype_is_complex(in_b)) && !fraction;
    return r;
}

static long double signed_or_not(const rules *r, uint64_t integer)
{
    return r->is_signed ? (long double)(int64_t)integer : (long double)integer;
}

/* The sum of a mean's integers in the dtype of the division, where its halves are rounded each. */
static double rounded_sum(const rules *r, const node *v)
{
    bool fits = v->high == -1 && v->integer >> 63;
    double high = r->wide ? (double)v->high : (double)(float)v->high,
           low = r->wide ? (double)v->integer : (double)(float)v->integer;
    if (fits)
        return r->wide ? (double)(int64_t)v->integer : (double)(float)(int64_t)v->integer;
    return add(r, high * 0x1p64, low);
}

static void finish(const rules *r, const reference_row *row, const node *v, long double *real, long double *imaginary)
{
    double n = r->wide ? (double)row->n : (double)(float)row->n;
    *imaginary = r->is_complex ? (long double)v->y : 0;
    *real = r->integer ? signed_or_not(r, v->integer) : (long double)v->x;
    switch (r->operation) {
    case YOKE_REDUCE_MIN:
    case YOKE_REDUCE_MAX:
    case YOKE_REDUCE_MIN_OR_NAN:
    case YOKE_REDUCE_MAX_OR_NAN:
        *real = v->is_nan ? NAN : v->value;
        break;
    case YOKE_REDUCE_ANY:
        *real = (long double)v->integer;
        break;
    case YOKE_REDUCE_ALL:
        *real = v->integer ? 0 : 1;
        break;
    case YOKE_REDUCE_ARGMIN:
    case YOKE_REDUCE_ARGMAX:
    case YOKE_REDUCE_ARGMIN_OR_NAN:
    case YOKE_REDUCE_ARGMAX_OR_NAN:
        *real = (long double)v->at;
        break;
    case YOKE_REDUCE_MEAN:
        *real = divide(r, r->integer ? rounded_sum(r, v) : v->x, n);
        *imaginary = r->is_complex ? divide(r, v->y, n) : 0;
        break;
    case YOKE_REDUCE_VARIANCE:
        *real = divide(r, v->y, v->count);
        break;
    case YOKE_REDUCE_NORM:
        *real = root_of_norm(r, v);
        break;
    default:
        break;
    }
}

void reference_reduce(int32_t operation, int32_t out, const reference_row *row, void *element)
{
    rules r = rules_of(operation, row->a->array.dtype, row->b ? row->b->array.dtype : 0, out);
    node v = reduce_row(&r, row);
    long double real, imaginary;
    finish(&r, row, &v, &real, &imaginary);
    test_store(out, element, real);
    if (yk_dtype_is_complex(out))
        test_store(out, (char *)element + yoke_dtype_get_size(out) / 2, imaginary);
}

/* The positions in `a` of a row's elements; `row` counts the rows in row-major order. */
static int64_t list_row(const yoke_array *a, uint32_t mask, int64_t row, int64_t *positions)
{
    int64_t steps[YOKE_MAX_DIMENSIONS], step = 1, base = 0, n = 1;
    for (int32_t i = a->dimensions - 1; i >= 0; i--) {
        steps[i] = step;
        step *= a->shape[i];
        if (mask >> i & 1u) {
            n *= a->shape[i];
        } else {
            base += row % a->shape[i] * steps[i];
            row /= a->shape[i];
        }
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t rest = k;
        positions[k] = base;
        for (int32_t i = a->dimensions - 1; i >= 0; i--)
            if (mask >> i & 1u) {
                positions[k] += rest % a->shape[i] * steps[i];
                rest /= a->shape[i];
            }
    }
    return n;
}

bool reference_check(int32_t operation, const test_array *a, uint32_t mask, const test_array *out, const char *what)
{
    int64_t *positions = malloc((size_t)(a->count + 1) * sizeof *positions);
    int32_t dtype = out->array.dtype;
    bool good = true;
    for (int64_t row = 0; row < out->count && good; row++) {
        unsigned char wanted[16] = { 0 };
        reference_row r = { .a = a, .positions = positions, .n = list_row(&a->array, mask, row, positions) };
        reference_reduce(operation, dtype, &r, wanted);
        good = test_same(dtype, wanted, test_element(out, row));
        if (!CHECK(good))
            tap_diag("%s: operation %d of %s to %s, row %lld of %lld with %lld elements: %.9Lg, not %.9Lg", what, (int)operation,
                     yoke_dtype_get_name(a->array.dtype), yoke_dtype_get_name(dtype), (long long)row, (long long)out->count,
                     (long long)r.n, test_get(out, row), test_load(dtype, wanted));
    }
    free(positions);
    return good;
}
