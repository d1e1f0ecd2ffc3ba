/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions on the host. Floats are computed as float, which needs a compiler that rounds each operation (FLT_EVAL_METHOD 0). */
#include "evaluate.h"

#include <math.h>
#include <string.h>

/* Products that are added are stored first, so that no compiler fuses them. */
typedef volatile float stored_float;
typedef volatile double stored_double;

/* ---- Conversions ---- */

static int64_t saturate_signed(double x, int bits)
{
    double limit = ldexp(1, bits - 1);
    if (isnan(x))
        return 0;
    if (x >= limit)
        return bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
    return x <= -limit ? bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1)) : (int64_t)x;
}

static uint64_t saturate_unsigned(double x, int bits)
{
    if (isnan(x) || x <= 0)
        return 0;
    if (x >= ldexp(1, bits))
        return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return (uint64_t)x;
}

/* A real value in the widest form of its kind. */
typedef struct wide {
    enum { SIGNED, UNSIGNED, REAL } kind;
    int64_t i;
    uint64_t u;
    double d;
} wide;

static wide widen(evaluate_value v, int32_t dtype)
{
    switch (yops_class(dtype)) {
    case 'i':
        return (wide){ SIGNED, v.i, 0, 0 };
    case 'l':
        return (wide){ SIGNED, v.l, 0, 0 };
    case 'u':
        return (wide){ UNSIGNED, 0, v.u, 0 };
    case 'm':
        return (wide){ UNSIGNED, 0, v.m, 0 };
    case 'f':
        return (wide){ REAL, 0, 0, v.f };
    case 'e':
        return (wide){ REAL, 0, 0, v.e[0] };
    case 'g':
        return (wide){ REAL, 0, 0, v.g[0] };
    default:
        return (wide){ REAL, 0, 0, v.d };
    }
}

static double to_double(wide w)
{
    return w.kind == SIGNED ? (double)w.i : w.kind == UNSIGNED ? (double)w.u : w.d;
}

/* Rounded once. */
static float to_float(wide w)
{
    return w.kind == SIGNED ? (float)w.i : w.kind == UNSIGNED ? (float)w.u : (float)w.d;
}

static uint64_t to_integer(wide w, int32_t dtype)
{
    int bits = (int)yoke_dtype_get_size(dtype) * 8;
    if (w.kind == SIGNED)
        return (uint64_t)w.i;
    if (w.kind == UNSIGNED)
        return w.u;
    return yops_is_signed(dtype) ? (uint64_t)saturate_signed(w.d, bits) : saturate_unsigned(w.d, bits);
}

static bool is_true(evaluate_value v, int32_t dtype)
{
    wide w = widen(v, dtype);
    if (yops_class(dtype) == 'e')
        return v.e[0] != 0 || v.e[1] != 0;
    if (yops_class(dtype) == 'g')
        return v.g[0] != 0 || v.g[1] != 0;
    return w.kind == REAL ? w.d != 0 : w.kind == SIGNED ? w.i != 0 : w.u != 0;
}

static evaluate_value to_complex(evaluate_value v, int32_t from, int32_t to)
{
    evaluate_value result = { 0 };
    double imaginary = yops_class(from) == 'e' ? v.e[1] : yops_class(from) == 'g' ? v.g[1] : 0;
    if (to == YOKE_C64) {
        result.e[0] = to_float(widen(v, from));
        result.e[1] = (float)imaginary;
    } else {
        result.g[0] = to_double(widen(v, from));
        result.g[1] = imaginary;
    }
    return result;
}

/* By the kind of the dtype. */
#define REAL_f to_float
#define REAL_d to_double
#define CONVERT_BOOL(letter, type) result.letter = is_true(v, from)
#define CONVERT_SIGNED(letter, type) result.letter = (type)to_integer(w, to)
#define CONVERT_UNSIGNED CONVERT_SIGNED
#define CONVERT_REDUCED(letter, type) result.letter = type##_to_float(type##_from(to_float(w)))
#define CONVERT_FLOATING(letter, type) result.letter = REAL_##letter(w)
#define CONVERT_COMPLEX(letter, type) result = to_complex(v, from, to)

evaluate_value evaluate_convert(evaluate_value v, int32_t from, int32_t to)
{
    evaluate_value result = { 0 };
    if (from == to)
        return v;
    wide w = widen(v, from);
    switch (to) {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) \
    case YOKE_##name:                                                                          \
        CONVERT_##kind(letter, type);                                                          \
        break;
#include "api/dtypes.def"
    }
    return result;
}

/* ---- Memory ---- */

#define COPY(to, from, type) memcpy(to, from, sizeof(type))
#define LOAD_BOOL(letter, type) COPY(&x, element, type), v.letter = x != 0
#define LOAD_SIGNED(letter, type) COPY(&x, element, type), v.letter = x
#define LOAD_UNSIGNED LOAD_SIGNED
#define LOAD_REDUCED(letter, type) COPY(&x, element, type), v.letter = type##_to_float(x)
#define LOAD_FLOATING LOAD_SIGNED
#define LOAD_COMPLEX(letter, type) memcpy(v.letter, element, sizeof v.letter), (void)x

evaluate_value evaluate_load(int32_t dtype, const void *element)
{
    evaluate_value v = { 0 };
    switch (dtype) {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) \
    case YOKE_##name: {                                                                        \
        type x;                                                                                \
        LOAD_##kind(letter, type);                                                             \
        break;                                                                                 \
    }
#include "api/dtypes.def"
    }
    return v;
}

#define STORE_BOOL(letter, type) x = v.letter != 0, COPY(element, &x, type)
#define STORE_SIGNED(letter, type) x = (type)v.letter, COPY(element, &x, type)
#define STORE_UNSIGNED STORE_SIGNED
#define STORE_REDUCED(letter, type) x = type##_from(v.letter), COPY(element, &x, type)
#define STORE_FLOATING STORE_SIGNED
#define STORE_COMPLEX(letter, type) memcpy(element, v.letter, sizeof v.letter), (void)x

void evaluate_store(int32_t dtype, void *element, evaluate_value v)
{
    switch (dtype) {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) \
    case YOKE_##name: {                                                                        \
        type x;                                                                                \
        STORE_##kind(letter, type);                                                            \
        break;                                                                                 \
    }
#include "api/dtypes.def"
    }
}

evaluate_value evaluate_number(yoke_number number)
{
    evaluate_value v = { 0 };
    switch (yops_class(number.dtype)) {
    case 'i':
        v.i = (int32_t)number.value.i64;
        break;
    case 'l':
        v.l = number.value.i64;
        break;
    case 'u':
        v.u = number.dtype == YOKE_BOOL ? number.value.u64 != 0 : (uint32_t)number.value.u64;
        break;
    case 'm':
        v.m = number.value.u64;
        break;
    case 'f':
        v.f = (float)number.value.f64;
        break;
    case 'e':
        v.e[0] = (float)number.value.parts[0];
        v.e[1] = (float)number.value.parts[1];
        break;
    case 'g':
        v.g[0] = number.value.parts[0];
        v.g[1] = number.value.parts[1];
        break;
    default:
        v.d = number.value.f64;
    }
    return v;
}

static bool same_double(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

bool evaluate_same(int32_t dtype, evaluate_value a, evaluate_value b)
{
    switch (yops_class(dtype)) {
    case 'l':
    case 'm':
        return a.m == b.m;
    case 'f':
        return same_double(a.f, b.f);
    case 'd':
        return same_double(a.d, b.d);
    case 'e':
        return same_double(a.e[0], b.e[0]) && same_double(a.e[1], b.e[1]);
    case 'g':
        return same_double(a.g[0], b.g[0]) && same_double(a.g[1], b.g[1]);
    default:
        return a.u == b.u;
    }
}

/* ---- Operators ---- */

/* Integers are computed in 64 bits without a sign, and cut to their size; a signed one is extended first. */
uint64_t evaluate_extended(evaluate_value v, char class)
{
    return class == 'i' ? (uint64_t)(int64_t)v.i : class == 'u' ? v.u : v.m;
}

evaluate_value evaluate_cut(uint64_t x, char class)
{
    evaluate_value v = { 0 };
    if (class == 'i' || class == 'u')
        v.u = (uint32_t)x;
    else
        v.m = x;
    return v;
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool remainder)
{
    if (b == 0)
        return 0;
    if (!is_signed)
        return remainder ? a % b : a / b;
    if (b == UINT64_MAX) /* -1 */
        return remainder ? 0 : 0 - a;
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift(uint64_t a, evaluate_value amount, char amount_class, char class, bool left)
{
    unsigned bits = class == 'i' || class == 'u' ? 32 : 64;
    uint64_t by = evaluate_extended(amount, amount_class); /* a negative amount is large */
    bool is_negative = (class == 'i' || class == 'l') && a >> 63;
    if (by >= bits)
        return !left && is_negative ? UINT64_MAX : 0;
    if (left)
        return a << by;
    return is_negative ? ~(~a >> by) : a >> by;
}

static bool compare(unsigned operation, int order, bool unordered)
{
    switch (operation) {
    case YOPS_EQUAL:
        return !unordered && order == 0;
    case YOPS_UNEQUAL:
        return unordered || order != 0;
    case YOPS_LESS:
        return !unordered && order < 0;
    case YOPS_GREATER:
        return !unordered && order > 0;
    case YOPS_LESS_EQUAL:
        return !unordered && order <= 0;
    default:
        return !unordered && order >= 0;
    }
}

static bool is_comparison(unsigned operation)
{
    return yops_operators[operation].rule == YOPS_RULE_EQUALITY || yops_operators[operation].rule == YOPS_RULE_ORDER;
}

static evaluate_value of_integers(const yops_node *node, evaluate_value a, evaluate_value b, char class, char b_class)
{
    bool is_signed = class == 'i' || class == 'l';
    uint64_t x = evaluate_extended(a, class), y = evaluate_extended(b, class);
    if (is_comparison(node->operation)) {
        int order = is_signed ? ((int64_t)x > (int64_t)y) - ((int64_t)x < (int64_t)y) : (x > y) - (x < y);
        return evaluate_cut(compare(node->operation, order, false), 'u');
    }
    switch (node->operation) {
    case YOPS_OR:
        return evaluate_cut(x | y, class);
    case YOPS_XOR:
        return evaluate_cut(x ^ y, class);
    case YOPS_AND:
        return evaluate_cut(x & y, class);
    case YOPS_SHIFT_LEFT:
        return evaluate_cut(shift(x, b, b_class, class, true), class);
    case YOPS_SHIFT_RIGHT:
        return evaluate_cut(shift(x, b, b_class, class, false), class);
    case YOPS_ADD:
        return evaluate_cut(x + y, class);
    case YOPS_SUBTRACT:
        return evaluate_cut(x - y, class);
    case YOPS_MULTIPLY:
        return evaluate_cut(x * y, class);
    default:
        return evaluate_cut(divide(x, y, is_signed, node->operation == YOPS_REMAINDER), class);
    }
}

#define OF_REALS(C, type)                                                                            \
    static evaluate_value of_##C(const yops_node *node, type a, type b)                              \
    {                                                                                                \
        evaluate_value v = { 0 };                                                                    \
        if (is_comparison(node->operation))                                                          \
            v.u = compare(node->operation, (a > b) - (a < b), isunordered(a, b));                    \
        else                                                                                         \
            v.C = node->operation == YOPS_ADD        ? a + b                                         \
                  : node->operation == YOPS_SUBTRACT ? a - b                                         \
                  : node->operation == YOPS_MULTIPLY ? a * b                                         \
                                                     : a / b;                                        \
        return v;                                                                                    \
    }                                                                                                \
    static evaluate_value quotient_##C(const type *a, const type *b, evaluate_value v, type *result) \
    {                                                                                                \
        bool by_real = !(fabs(b[0]) < fabs(b[1])) && !isunordered(b[0], b[1]);                       \
        type large = by_real ? b[0] : b[1], small = by_real ? b[1] : b[0], ratio = small / large;    \
        if (b[0] == 0 && b[1] == 0) {                                                                \
            result[0] = a[0] / (type)0;                                                              \
            result[1] = a[1] / (type)0;                                                              \
            return v;                                                                                \
        }                                                                                            \
        stored_##type scaled = small * ratio, p = a[0] * ratio, q = a[1] * ratio;                    \
        type scale = large + scaled;                                                                 \
        result[0] = (by_real ? a[0] + q : p + a[1]) / scale;                                         \
        result[1] = (by_real ? a[1] - p : q - a[0]) / scale;                                         \
        return v;                                                                                    \
    }                                                                                                \
    static void of_complex_##C(const yops_node *node, const type *a, const type *b, type *result)    \
    {                                                                                                \
        stored_##type xx = a[0] * b[0], yy = a[1] * b[1], xy = a[0] * b[1], yx = a[1] * b[0];        \
        switch (node->operation) {                                                                   \
        case YOPS_ADD:                                                                               \
            result[0] = a[0] + b[0], result[1] = a[1] + b[1];                                        \
            break;                                                                                   \
        case YOPS_SUBTRACT:                                                                          \
            result[0] = a[0] - b[0], result[1] = a[1] - b[1];                                        \
            break;                                                                                   \
        case YOPS_MULTIPLY:                                                                          \
            result[0] = xx - yy, result[1] = xy + yx;                                                \
            break;                                                                                   \
        default:                                                                                     \
            quotient_##C(a, b, (evaluate_value){ 0 }, result);                                       \
        }                                                                                            \
    }
OF_REALS(f, float)
OF_REALS(d, double)

static evaluate_value of_complex(const yops_node *node, evaluate_value a, evaluate_value b, char class)
{
    evaluate_value v = { 0 };
    if (is_comparison(node->operation)) {
        bool equal = class == 'e' ? a.e[0] == b.e[0] && a.e[1] == b.e[1] : a.g[0] == b.g[0] && a.g[1] == b.g[1];
        v.u = equal == (node->operation == YOPS_EQUAL);
    } else if (class == 'e') {
        of_complex_f(node, a.e, b.e, v.e);
    } else {
        of_complex_d(node, a.g, b.g, v.g);
    }
    return v;
}

/* Comparisons of two classes: long double has all integers and all doubles. */
static long double exact_value(evaluate_value v, char class, bool *out_real)
{
    *out_real = (class != 'e' || v.e[1] == 0) && (class != 'g' || v.g[1] == 0);
    switch (class) {
    case 'f':
        return v.f;
    case 'd':
        return v.d;
    case 'e':
        return v.e[0];
    case 'g':
        return v.g[0];
    case 'u':
    case 'm':
        return evaluate_extended(v, class);
    default:
        return (int64_t)evaluate_extended(v, class);
    }
}

static evaluate_value compare_mixed(const yops_node *node, evaluate_value a, char a_class, evaluate_value b, char b_class)
{
    bool a_real, b_real;
    evaluate_value v = { 0 };
    long double x = exact_value(a, a_class, &a_real), y = exact_value(b, b_class, &b_real);
    v.u = compare(node->operation, (x > y) - (x < y), isunordered(x, y) || !a_real || !b_real);
    return v;
}

static evaluate_value sign(const yops_node *node, evaluate_value a, char class)
{
    evaluate_value v = { 0 };
    if (node->operation == YOPS_NOT)
        v.u = !a.u;
    else if (class == 'f')
        v.f = -a.f;
    else if (class == 'd')
        v.d = -a.d;
    else if (class == 'e')
        v.e[0] = -a.e[0], v.e[1] = -a.e[1];
    else if (class == 'g')
        v.g[0] = -a.g[0], v.g[1] = -a.g[1];
    else
        v = evaluate_cut(node->operation == YOPS_INVERT ? ~evaluate_extended(a, class) : 0 - evaluate_extended(a, class), class);
    return v;
}

/* ---- The tree ---- */

static evaluate_value constant(const yops_node *node)
{
    evaluate_value v = { 0 };
    switch (yops_class(node->dtype)) {
    case 'f':
        v.f = node->value.real.narrow;
        break;
    case 'd':
        v.d = node->value.real.wide;
        break;
    default:
        v = evaluate_cut(node->value.u64, yops_class(node->dtype));
    }
    return v;
}

static evaluate_value index_value(const evaluation *self, unsigned index)
{
    evaluate_value v = { 0 };
    v.l = index < YOKE_MAX_DIMENSIONS        ? self->index[index]
          : index < 2 * YOKE_MAX_DIMENSIONS  ? self->extent[index - YOKE_MAX_DIMENSIONS]
          : index == 2 * YOKE_MAX_DIMENSIONS ? self->position
                                             : self->count;
    return v;
}

static evaluate_value value_of(const yops_expression *e, evaluation *self, unsigned number);

static evaluate_value call(const yops_expression *e, evaluation *self, const yops_node *node)
{
    evaluate_value arguments[YOPS_MOST_PARAMETERS];
    unsigned count = 0;
    for (unsigned i = node->a; i; i = e->nodes[i].b) {
        const yops_node *argument = &e->nodes[e->nodes[i].a];
        evaluate_value v = value_of(e, self, e->nodes[i].a);
        arguments[count++] = evaluate_convert(v, argument->dtype, e->nodes[i].dtype);
    }
    return self->call(self, node->index, arguments);
}

static evaluate_value value_of(const yops_expression *e, evaluation *self, unsigned number)
{
    const yops_node *node = &e->nodes[number];
    char class = yops_class(e->nodes[node->a].dtype);
    evaluate_value v[3] = { { 0 } };
    switch (node->kind) {
    case YOPS_NODE_CONSTANT:
        return constant(node);
    case YOPS_NODE_IN:
        return self->in[node->index];
    case YOPS_NODE_OUT:
        return self->out[node->index];
    case YOPS_NODE_NAME:
        return self->names[node->index];
    case YOPS_NODE_INDEX:
        return index_value(self, node->index);
    case YOPS_NODE_CALL:
        return call(e, self, node);
    case YOPS_NODE_SELECT:
        return value_of(e, self, value_of(e, self, node->a).u ? node->b : node->c);
    case YOPS_NODE_LOGIC:
        v[0] = value_of(e, self, node->a);
        return !v[0].u == (node->operation == YOPS_AND_THEN) ? v[0] : value_of(e, self, node->b);
    default:
        break;
    }
    v[0] = value_of(e, self, node->a);
    if (node->kind == YOPS_NODE_CONVERT)
        return evaluate_convert(v[0], e->nodes[node->a].dtype, node->dtype);
    if (node->kind == YOPS_NODE_SIGN)
        return sign(node, v[0], class);
    if (node->b)
        v[1] = value_of(e, self, node->b);
    if (node->c)
        v[2] = value_of(e, self, node->c);
    if (node->kind == YOPS_NODE_FUNCTION)
        return evaluate_function(self, node, v, class);
    char b_class = yops_class(e->nodes[node->b].dtype);
    if (class != b_class && is_comparison(node->operation))
        return compare_mixed(node, v[0], class, v[1], b_class);
    if (class == 'f')
        return of_f(node, v[0].f, v[1].f);
    if (class == 'd')
        return of_d(node, v[0].d, v[1].d);
    if (class == 'e' || class == 'g')
        return of_complex(node, v[0], v[1], class);
    return of_integers(node, v[0], v[1], class, b_class);
}

void evaluate(const yops_expression *e, evaluation *self)
{
    for (unsigned i = e->first; i; i = e->nodes[i].b) {
        const yops_node *statement = &e->nodes[i];
        evaluate_value v = evaluate_convert(value_of(e, self, statement->a), e->nodes[statement->a].dtype, statement->dtype);
        (statement->kind == YOPS_NODE_SET_OUT ? self->out : self->names)[statement->index] = v;
    }
    if (e->value)
        self->value = value_of(e, self, e->value);
}
