/* SPDX-License-Identifier: Apache-2.0 */
/* The types of expressions, by C's rules, and constants that take the type of their neighbour. */
#include <math.h>

#include "tree.h"

char yops_class(int32_t dtype)
{
    if (dtype == YOPS_ADAPTS)
        return 'f';
    return yk_dtype_get(dtype)->letter[0];
}

const char *yops_type_name(int32_t dtype)
{
    return dtype == YOPS_ADAPTS ? "a floating-point constant" : yoke_dtype_get_name(dtype);
}

static yops_node *at(yops_parser *parser, uint16_t node)
{
    return &parser->expression->nodes[node];
}

static bool is_integer(int32_t dtype)
{
    return yops_is_integer(dtype);
}

static bool is_complex(int32_t dtype)
{
    return yops_is_complex(dtype);
}

uint16_t yops_new_node(yops_parser *parser, yops_node node)
{
    yops_expression *e = parser->expression;
    uint16_t children[] = { node.a, node.b, node.c }, number = e->node_count;
    if (parser->status < 0)
        return 0;
    if (number == e->capacity)
        return yops_mistake(parser, node.at, node.length, "the expression is too long");
    for (int i = 0; i < 3; i++) {
        const yops_node *child = &e->nodes[children[i]];
        if (!children[i])
            continue;
        node.effects |= child->effects;
        node.stage = child->stage > node.stage ? child->stage : node.stage;
        node.height = child->height >= node.height ? (uint16_t)(child->height + 1) : node.height;
    }
    if (node.height > YOPS_MOST_HEIGHT)
        return yops_mistake(parser, node.at, node.length,
                            "more than %d operations depend on each other: give a part a name of its own", YOPS_MOST_HEIGHT);
    if (node.dtype < YOPS_ADAPTS && yops_needs_f64(node.dtype))
        e->facts.needs_f64 = true;
    e->nodes[number] = node;
    e->node_count++;
    return number;
}

/* ---- Types of operands ---- */

int32_t yops_promote(int32_t dtype)
{
    if (dtype == YOPS_ADAPTS)
        return dtype;
    if (is_integer(dtype))
        return yoke_dtype_get_size(dtype) < 4 ? YOKE_I32 : dtype;
    return yops_is_reduced(dtype) ? YOKE_F32 : dtype;
}

/* C's usual conversions of two operands. */
int32_t yops_find_common(int32_t a, int32_t b)
{
    a = yops_promote(a);
    b = yops_promote(b);
    if (a == b)
        return a;
    if (is_complex(a) || is_complex(b))
        return yops_needs_f64(a) || yops_needs_f64(b) ? YOKE_C128 : YOKE_C64;
    if (a == YOKE_F64 || b == YOKE_F64)
        return YOKE_F64;
    if (a == YOKE_F32 || b == YOKE_F32)
        return YOKE_F32;
    if (a == YOPS_ADAPTS || b == YOPS_ADAPTS)
        return YOPS_ADAPTS;
    if (a == YOKE_U64 || b == YOKE_U64)
        return YOKE_U64;
    return a == YOKE_I64 || b == YOKE_I64 ? YOKE_I64 : YOKE_U32;
}

/* The type of a function of real numbers for an argument: what integers become adapts. */
static int32_t find_real(int32_t dtype)
{
    return dtype == YOPS_ADAPTS || is_integer(dtype) ? YOPS_ADAPTS : yops_promote(dtype);
}

static int32_t settled(const yops_parser *parser, int32_t dtype)
{
    return dtype == YOPS_ADAPTS ? parser->expression->default_real : dtype;
}

/* ---- Conversions ---- */

/* Give a floating-point type to a node that adapts, and to what it is made of. */
static void give_type(yops_parser *parser, uint16_t number, int32_t dtype)
{
    yops_node *node = at(parser, number);
    if (number == 0 || node->dtype != YOPS_ADAPTS || parser->status < 0)
        return;
    node->dtype = (uint8_t)dtype;
    parser->expression->facts.needs_f64 |= dtype == YOKE_F64;
    if (node->kind == YOPS_NODE_CONSTANT) {
        if (dtype == YOKE_F32 && isinf(node->value.real.narrow) && !isinf(node->value.real.wide))
            yops_mistake(parser, node->at, node->length, "the constant is too large for float32, the type of its neighbour");
        if (dtype == YOKE_F32)
            node->value.real.wide = node->value.real.narrow;
        return;
    }
    give_type(parser, node->a, dtype);
    give_type(parser, node->b, dtype);
    give_type(parser, node->c, dtype);
}

uint16_t yops_settle(yops_parser *parser, uint16_t number)
{
    give_type(parser, number, parser->expression->default_real);
    return parser->status < 0 ? 0 : number;
}

static void fold_real(yops_node *node, int32_t dtype)
{
    bool is_signed = yops_is_signed(node->dtype);
    int64_t i64 = node->value.i64;
    uint64_t u64 = node->value.u64;
    node->value.real.narrow = is_signed ? (float)i64 : (float)u64;
    node->value.real.wide = dtype == YOKE_F32 ? node->value.real.narrow : is_signed ? (double)i64 : (double)u64;
}

/* By the kind of the new dtype. */
#define FOLD_BOOL(dtype, type) node->value.u64 = node->value.u64 != 0
#define FOLD_SIGNED(dtype, type) node->value.i64 = (type)node->value.u64
#define FOLD_UNSIGNED(dtype, type) node->value.u64 = (type)node->value.u64
#define FOLD_REDUCED(dtype, type) return false
#define FOLD_FLOATING(dtype, type) fold_real(node, dtype)
#define FOLD_COMPLEX(dtype, type) return false

/* An integer constant as another integer or as floating point. False: the conversion is left to the kernel. */
static bool fold(yops_node *node, int32_t dtype)
{
    if (!is_integer(node->dtype))
        return false;
    switch (dtype) {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) \
    case YOKE_##name:                                                                          \
        FOLD_##kind(YOKE_##name, type);                                                        \
        break;
#include "api/dtypes.def"
    case YOPS_ADAPTS:
        fold_real(node, dtype);
        break;
    }
    node->dtype = (uint8_t)dtype;
    return true;
}

uint16_t yops_convert(yops_parser *parser, uint16_t number, int32_t dtype, bool always)
{
    yops_node *node = at(parser, number);
    if (parser->status < 0)
        return 0;
    if (node->dtype == YOPS_ADAPTS && dtype != YOPS_ADAPTS) {
        int32_t real = is_integer(dtype) ? parser->expression->default_real : yops_needs_f64(dtype) ? YOKE_F64 : YOKE_F32;
        give_type(parser, number, real);
    }
    if (node->dtype == dtype || parser->status < 0)
        return parser->status < 0 ? 0 : number;
    if (node->kind == YOPS_NODE_CONSTANT && fold(node, dtype)) {
        parser->expression->facts.needs_f64 |= dtype == YOKE_F64;
        return number;
    }
    bool wide = dtype == YOKE_I32 || dtype == YOKE_U32 || dtype == YOKE_F32;
    if (wide && !always && yops_class(node->dtype) == yops_class(dtype))
        return number;
    yops_node convert = { .kind = YOPS_NODE_CONVERT, .dtype = (uint8_t)dtype, .a = number, .at = node->at, .length = node->length };
    return yops_new_node(parser, convert);
}

static uint16_t to_bool(yops_parser *parser, uint16_t node)
{
    return yops_convert(parser, node, YOKE_BOOL, false);
}

/* From the start of `a` to the end of `b`. */
static yops_node spanning(yops_parser *parser, yops_node node, uint16_t a, uint16_t b)
{
    const yops_node *first = at(parser, a), *last = at(parser, b);
    node.at = first->at;
    node.length = (uint16_t)(last->at + last->length - first->at);
    return node;
}

/* ---- Signs ---- */

static uint16_t fold_negative(yops_parser *parser, yops_token sign, uint16_t number)
{
    yops_node *node = at(parser, number);
    if (node->dtype == YOKE_I32)
        node->value.i64 = (int32_t)(0u - (uint32_t)node->value.u64);
    else if (node->dtype == YOKE_U32)
        node->value.u64 = (uint32_t)(0u - (uint32_t)node->value.u64);
    else if (is_integer(node->dtype))
        node->value.u64 = 0 - node->value.u64;
    else {
        node->value.real.wide = -node->value.real.wide;
        node->value.real.narrow = -node->value.real.narrow;
    }
    node->length = (uint16_t)(node->at + node->length - sign.at);
    node->at = sign.at;
    return number;
}

uint16_t yops_new_sign(yops_parser *parser, yops_token sign, uint16_t a)
{
    if (parser->status < 0)
        return 0;
    unsigned operation = sign.operation == YOPS_SUBTRACT ? YOPS_NEGATE : sign.operation == YOPS_ADD ? YOPS_PLUS : sign.operation;
    int32_t dtype = yops_promote(at(parser, a)->dtype);
    if (operation == YOPS_INVERT && !is_integer(dtype))
        return yops_mistake(parser, sign.at, 1, "'~' of %s: it needs an integer", yops_type_name(at(parser, a)->dtype));
    a = operation == YOPS_NOT ? to_bool(parser, a) : yops_convert(parser, a, dtype, operation == YOPS_PLUS);
    if (parser->status < 0 || operation == YOPS_PLUS)
        return a;
    if (operation == YOPS_NEGATE && at(parser, a)->kind == YOPS_NODE_CONSTANT)
        return fold_negative(parser, sign, a);
    yops_node node = { .kind = YOPS_NODE_SIGN, .operation = (uint8_t)operation, .a = a };
    node.dtype = (uint8_t)(operation == YOPS_NOT ? YOKE_BOOL : dtype);
    node.at = sign.at;
    node.length = (uint16_t)(at(parser, a)->at + at(parser, a)->length - sign.at);
    return yops_new_node(parser, node);
}

/* ---- Operators ---- */

static uint16_t unsuited(yops_parser *parser, yops_token token, int32_t a, int32_t b, const char *advice)
{
    return yops_mistake(parser, token.at, token.length, "'%.*s' of %s and %s: %s", token.length, parser->text + token.at,
                        yops_type_name(a), yops_type_name(b), advice);
}

static uint16_t new_logic(yops_parser *parser, yops_token token, uint16_t a, uint16_t b)
{
    a = to_bool(parser, a);
    b = to_bool(parser, b);
    if (parser->status < 0)
        return 0;
    yops_node node = { .kind = YOPS_NODE_LOGIC, .dtype = YOKE_BOOL, .operation = token.operation, .a = a, .b = b };
    return yops_new_node(parser, spanning(parser, node, a, b));
}

static bool check_operands(yops_parser *parser, yops_token token, int32_t a, int32_t b)
{
    bool integers = is_integer(a) && is_integer(b);
    switch (yops_operators[token.operation].rule) {
    case YOPS_RULE_BITS:
    case YOPS_RULE_SHIFT:
        if (!integers)
            unsuited(parser, token, a, b, "it needs integers");
        break;
    case YOPS_RULE_REMAINDER:
        if (!integers)
            unsuited(parser, token, a, b, is_complex(a) || is_complex(b) ? "it needs integers" : "use fmod");
        break;
    case YOPS_RULE_ORDER:
        if (is_complex(a) || is_complex(b))
            unsuited(parser, token, a, b, "complex numbers have no order");
        break;
    default:
        break;
    }
    return parser->status >= 0;
}

uint16_t yops_new_operator(yops_parser *parser, yops_token token, uint16_t a, uint16_t b)
{
    unsigned rule = yops_operators[token.operation].rule;
    if (parser->status < 0)
        return 0;
    if (rule == YOPS_RULE_LOGIC)
        return new_logic(parser, token, a, b);
    int32_t a_dtype = at(parser, a)->dtype, b_dtype = at(parser, b)->dtype, common = yops_find_common(a_dtype, b_dtype);
    if (!check_operands(parser, token, a_dtype, b_dtype))
        return 0;
    if (rule == YOPS_RULE_EQUALITY || rule == YOPS_RULE_ORDER)
        return yops_new_comparison(parser, token, a, b);
    common = rule == YOPS_RULE_SHIFT ? yops_promote(a_dtype) : common;
    a = yops_convert(parser, a, common, false);
    b = yops_convert(parser, b, rule == YOPS_RULE_SHIFT ? yops_promote(b_dtype) : common, false);
    if (parser->status < 0)
        return 0;
    yops_node node = { .kind = YOPS_NODE_OPERATOR, .dtype = (uint8_t)common, .operation = token.operation, .a = a, .b = b };
    bool divides = token.operation == YOPS_DIVIDE || token.operation == YOPS_REMAINDER;
    node.effects = divides && (is_integer(common) || is_complex(common)) ? YOPS_COSTS : 0;
    return yops_new_node(parser, spanning(parser, node, a, b));
}

uint16_t yops_new_select(yops_parser *parser, uint16_t a, uint16_t b, uint16_t c)
{
    if (parser->status < 0)
        return 0;
    int32_t common = yops_find_common(at(parser, b)->dtype, at(parser, c)->dtype);
    a = to_bool(parser, a);
    b = yops_convert(parser, b, common, false);
    c = yops_convert(parser, c, common, false);
    if (parser->status < 0)
        return 0;
    yops_node node = { .kind = YOPS_NODE_SELECT, .dtype = (uint8_t)common, .a = a, .b = b, .c = c };
    return yops_new_node(parser, spanning(parser, node, a, c));
}

/* ---- Functions ---- */

static int32_t real_of(int32_t dtype)
{
    return dtype == YOKE_C128 ? YOKE_F64 : dtype == YOKE_C64 ? YOKE_F32 : dtype;
}

static int32_t complex_of(int32_t dtype)
{
    return yops_needs_f64(dtype) ? YOKE_C128 : YOKE_C64;
}

/* The types of a function's arguments, all the same, and of its result. */
static void find_types(const yops_parser *parser, unsigned rule, int32_t common, int32_t *out_argument, int32_t *out_result)
{
    int32_t real = find_real(common);
    switch (rule) {
    case YOPS_RULE_TEST:
        *out_argument = settled(parser, real);
        *out_result = YOKE_BOOL;
        break;
    case YOPS_RULE_ORDERED:
    case YOPS_RULE_SIZE:
        *out_argument = common;
        *out_result = real_of(common);
        break;
    case YOPS_RULE_PART:
    case YOPS_RULE_TURN:
        *out_argument = complex_of(settled(parser, real));
        *out_result = rule == YOPS_RULE_TURN ? *out_argument : real_of(*out_argument);
        break;
    case YOPS_RULE_PAIR:
        *out_argument = settled(parser, real);
        *out_result = complex_of(*out_argument);
        break;
    default:
        *out_argument = *out_result = real;
    }
}

/* The arguments' common type; 0 after a mistake. */
static int32_t check_arguments(yops_parser *parser, const yops_function *function, const uint16_t *arguments)
{
    bool complex_allowed = function->rule == YOPS_RULE_SIZE || function->rule == YOPS_RULE_PART || function->rule == YOPS_RULE_TURN;
    int32_t common = 0;
    for (unsigned i = 0; i < function->arguments; i++) {
        const yops_node *argument = at(parser, arguments[i]);
        if (is_complex(argument->dtype) && !complex_allowed)
            return yops_mistake(parser, argument->at, argument->length, "'%s' takes real numbers, and this is %s", function->name,
                                yops_type_name(argument->dtype));
        if (function->rule == YOPS_RULE_SCALE && i == 1) {
            if (!is_integer(argument->dtype))
                return yops_mistake(parser, argument->at, argument->length, "the exponent of 'ldexp' is an integer, and this is %s",
                                    yops_type_name(argument->dtype));
            continue;
        }
        common = i == 0 ? yops_promote(argument->dtype) : yops_find_common(common, argument->dtype);
    }
    return common;
}

uint16_t yops_new_function(yops_parser *parser, yops_token token, int number, const uint16_t *arguments)
{
    const yops_function *function = &yops_functions[number];
    int32_t common = parser->status < 0 ? 0 : check_arguments(parser, function, arguments), argument, result;
    if (parser->status < 0)
        return 0;
    find_types(parser, function->rule, common, &argument, &result);
    uint16_t converted[3] = { 0 };
    for (unsigned i = 0; i < function->arguments; i++)
        converted[i] = yops_convert(parser, arguments[i], function->rule == YOPS_RULE_SCALE && i == 1 ? YOKE_I32 : argument, false);
    yops_node node = { .kind = YOPS_NODE_FUNCTION, .dtype = (uint8_t)result, .index = (uint16_t)number };
    node.a = converted[0];
    node.b = converted[1];
    node.c = converted[2];
    node.effects = function->how == YOPS_HOW_DRIVER || (function->rule == YOPS_RULE_SIZE && is_complex(argument)) ? YOPS_COSTS : 0;
    node.at = token.at;
    node.length = (uint16_t)(parser->end - token.at);
    return yops_new_node(parser, node);
}

uint16_t yops_new_call(yops_parser *parser, yops_token token, int var, const uint16_t *arguments)
{
    const yops_name *function = &parser->expression->vars[var];
    uint16_t list = 0;
    for (unsigned i = function->parameters; i-- > 0 && parser->status >= 0;) {
        const yops_node *argument = at(parser, arguments[i]);
        if (is_complex(argument->dtype))
            return yops_mistake(parser, argument->at, argument->length, "'%.*s' takes %s here, and this is %s", (int)token.length,
                                parser->text + token.at, yops_type_name(function->parameter[i]), yops_type_name(argument->dtype));
        yops_node item = { .kind = YOPS_NODE_ARGUMENT, .dtype = function->parameter[i], .b = list };
        item.a = yops_convert(parser, arguments[i], function->parameter[i], false);
        list = yops_new_node(parser, item);
    }
    if (parser->status < 0)
        return 0;
    parser->expression->facts.functions |= UINT32_C(1) << var;
    yops_node node = { .kind = YOPS_NODE_CALL, .dtype = function->dtype, .effects = YOPS_CALLS | YOPS_COSTS, .a = list };
    node.index = (uint16_t)var;
    node.at = token.at;
    node.length = (uint16_t)(parser->end - token.at);
    return yops_new_node(parser, node);
}
