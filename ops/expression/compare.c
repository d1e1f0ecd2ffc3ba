/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons in expressions are of values, exactly, whatever the types of the operands are. Where C's common type has all values
 * of both operands, they are converted to it. Elsewhere (an int32 and a float, an int64 and a double, signed and unsigned) the
 * kernel compares operands of two classes by yops_order_C_D of expression.yh, and a constant becomes one of its
 * neighbour's type.
 */
#include <math.h>

#include "tree.h"

static yops_node *at(yops_parser *parser, uint16_t node)
{
    return &parser->expression->nodes[node];
}

static bool is_unsigned(int32_t dtype)
{
    return !yops_is_signed(dtype);
}

/* Whether an integer constant is a value of an integer dtype of 32 or 64 bits. */
static bool has_integer(int32_t dtype, const yops_node *constant)
{
    int64_t value = constant->value.i64;
    bool is_negative = yops_is_signed(constant->dtype) && value < 0;
    if (dtype == YOKE_U64)
        return !is_negative;
    if (!is_negative && constant->value.u64 > INT64_MAX)
        return false;
    return dtype == YOKE_I64 ||
           (dtype == YOKE_U32 ? !is_negative && value <= UINT32_MAX : value >= INT32_MIN && value <= INT32_MAX);
}

/* Whether floating-point numbers of 24 or 53 bits have the value of an integer constant. */
static bool has_real(int32_t dtype, const yops_node *constant)
{
    bool is_negative = yops_is_signed(constant->dtype) && constant->value.i64 < 0;
    uint64_t size = is_negative ? 0 - constant->value.u64 : constant->value.u64;
    while (size && size % 2 == 0)
        size /= 2;
    return size >> (yops_needs_f64(dtype) ? 53 : 24) == 0;
}

/* ---- Constants of floating point beside integers ---- */

static void set_integer(yops_node *constant, int32_t dtype, int64_t value)
{
    constant->dtype = (uint8_t)dtype;
    constant->value.i64 = value;
}

/* Make a floating-point constant an integer one, and the operation, which has the integer on its left, one that says the same of
 * all integers: n < 2.5 is n < 3. What lies outside of all integers, or between two of them in an equality, is always or never. */
static unsigned make_integer(unsigned operation, yops_node *constant)
{
    double value = constant->value.real.wide;
    bool rounds_up = operation == YOPS_LESS || operation == YOPS_GREATER_EQUAL,
         is_equality = yops_operators[operation].rule == YOPS_RULE_EQUALITY;
    double whole = rounds_up ? ceil(value) : floor(value);
    if (whole >= -9223372036854775808.0 && whole < 9223372036854775808.0 && (!is_equality || whole == value)) {
        int64_t integer = (int64_t)whole;
        set_integer(constant, integer >= INT32_MIN && integer <= INT32_MAX ? YOKE_I32 : YOKE_I64, integer);
        return operation;
    }
    if (whole >= 9223372036854775808.0 && whole < 18446744073709551616.0) {
        set_integer(constant, YOKE_U64, (int64_t)(uint64_t)whole);
        return operation;
    }
    bool is_less = operation == YOPS_LESS || operation == YOPS_LESS_EQUAL, is_unequal = operation == YOPS_UNEQUAL;
    bool is_more = operation == YOPS_GREATER || operation == YOPS_GREATER_EQUAL;
    bool always = is_unequal || (is_less && value > 0) || (is_more && value < 0);
    set_integer(constant, YOKE_U64, -1); /* the highest of all integers */
    return always ? YOPS_LESS_EQUAL : YOPS_GREATER;
}

/* The same of an integer constant beside integers of a dtype that does not have it: the constant becomes the highest they have. */
static unsigned keep_in_range(unsigned operation, int32_t dtype, yops_node *constant)
{
    if (has_integer(dtype, constant))
        return operation;
    bool is_above = !yops_is_signed(constant->dtype) || constant->value.i64 >= 0;
    bool is_less = operation == YOPS_LESS || operation == YOPS_LESS_EQUAL;
    bool is_more = operation == YOPS_GREATER || operation == YOPS_GREATER_EQUAL;
    bool always = operation == YOPS_UNEQUAL || (is_above ? is_less : is_more);
    set_integer(constant, dtype,
                dtype == YOKE_I32   ? INT32_MAX
                : dtype == YOKE_U32 ? UINT32_MAX
                : dtype == YOKE_I64 ? INT64_MAX
                                    : -1);
    return always ? YOPS_LESS_EQUAL : YOPS_GREATER;
}

static unsigned mirrored(unsigned operation)
{
    switch (operation) {
    case YOPS_LESS:
        return YOPS_GREATER;
    case YOPS_GREATER:
        return YOPS_LESS;
    case YOPS_LESS_EQUAL:
        return YOPS_GREATER_EQUAL;
    case YOPS_GREATER_EQUAL:
        return YOPS_LESS_EQUAL;
    default:
        return operation;
    }
}

/* Fit a constant to the integer that is on its left. Returns the operation. */
static unsigned fit_constant(unsigned operation, const yops_node *integer, yops_node *constant)
{
    if (!yops_is_integer(integer->dtype) || constant->kind != YOPS_NODE_CONSTANT)
        return operation;
    if (!yops_is_integer(constant->dtype))
        operation = make_integer(operation, constant);
    return keep_in_range(operation, yops_promote(integer->dtype), constant);
}

/* ---- Types ---- */

/* The dtypes in which two integers are compared. */
static void match_integers(const yops_node *a, const yops_node *b, int32_t common, int32_t *out_a, int32_t *out_b)
{
    int32_t a_dtype = yops_promote(a->dtype), b_dtype = yops_promote(b->dtype);
    *out_a = *out_b = common;
    if (is_unsigned(a_dtype) == is_unsigned(b_dtype) || common == YOKE_I64)
        return;
    if (b->kind == YOPS_NODE_CONSTANT && has_integer(a_dtype, b))
        *out_a = *out_b = a_dtype;
    else if (a->kind == YOPS_NODE_CONSTANT && has_integer(b_dtype, a))
        *out_a = *out_b = b_dtype;
    else if (common == YOKE_U32)
        *out_a = *out_b = YOKE_I64; /* has all values of both */
    else {
        /* Of an int32 that was made an int64, rusticl's compiler (Mesa 22.3) forgets the sign. */
        *out_a = a_dtype;
        *out_b = b_dtype;
    }
}

/* Whether an integer is compared as it is, with floating point of this dtype. */
static bool stays_integer(const yops_node *integer, int32_t real)
{
    size_t size = yoke_dtype_get_size(integer->dtype);
    if (integer->kind == YOPS_NODE_CONSTANT)
        return !has_real(real, integer);
    return size == 8 || (size == 4 && !yops_needs_f64(real));
}

uint16_t yops_new_comparison(yops_parser *parser, yops_token token, uint16_t a, uint16_t b)
{
    unsigned operation = fit_constant(token.operation, at(parser, a), at(parser, b));
    operation = mirrored(fit_constant(mirrored(operation), at(parser, b), at(parser, a)));
    const yops_node *left = at(parser, a), *right = at(parser, b);
    int32_t common = yops_find_common(left->dtype, right->dtype);
    common = common == YOPS_ADAPTS ? parser->expression->default_real : common;
    int32_t a_dtype = common, b_dtype = common;
    bool a_whole = yops_is_integer(left->dtype), b_whole = yops_is_integer(right->dtype);
    if (a_whole && b_whole)
        match_integers(left, right, common, &a_dtype, &b_dtype);
    else if (a_whole && stays_integer(left, common))
        a_dtype = yops_promote(left->dtype);
    else if (b_whole && stays_integer(right, common))
        b_dtype = yops_promote(right->dtype);
    a = yops_convert(parser, a, a_dtype, false);
    b = yops_convert(parser, b, b_dtype, false);
    if (parser->status < 0)
        return 0;
    yops_node node = { .kind = YOPS_NODE_OPERATOR, .dtype = YOKE_BOOL, .operation = (uint8_t)operation, .a = a, .b = b };
    node.at = at(parser, a)->at;
    node.length = (uint16_t)(at(parser, b)->at + at(parser, b)->length - node.at);
    return yops_new_node(parser, node);
}
