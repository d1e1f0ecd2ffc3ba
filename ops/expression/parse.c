/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of expressions, and what an expression is to those who call it.
 *
 *     expression  statement { ";" statement } [ ";" ]         the last may be a value, where one is wanted
 *     statement   name ( "=" | "+=" | … ) value
 *     value       operators [ "?" value ":" value ]
 *     operators   unary { operator unary }                    by precedence
 *     unary       ( "+" | "-" | "!" | "~" | "(" dtype ")" ) unary | number | name | name "(" [ value { "," value } ] ")" | "("
 * value ")"
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

static uint16_t parse_value(yops_parser *parser);

static bool wants_value(const yops_parser *parser)
{
    return parser->kind == YOPS_VALUE || parser->kind == YOPS_ROWS_VALUE;
}

static bool has_rows(const yops_parser *parser)
{
    return parser->kind == YOPS_ROWS || parser->kind == YOPS_ROWS_VALUE;
}

static const char *text_of(const yops_parser *parser, yops_token token)
{
    return parser->text + token.at;
}

/* For "%.*s". */
static int shown_length(yops_token token)
{
    return token.length > 40 ? 40 : token.length;
}

static bool is_character(const yops_parser *parser, char character)
{
    return parser->token.kind == YOPS_TOKEN_OTHER && parser->token.character == (uint8_t)character;
}

static uint16_t expected(yops_parser *parser, const char *what)
{
    yops_token token = parser->token;
    if (token.kind == YOPS_TOKEN_END)
        return yops_mistake(parser, token.at, 1, "the expression ends where %s is expected", what);
    if (token.kind == YOPS_TOKEN_ASSIGN && token.operation == YOPS_OPERATIONS)
        return yops_mistake(parser, token.at, 1, "'=' assigns at the beginning of a statement only; '==' compares");
    return yops_mistake(parser, token.at, token.length, "'%.*s' where %s is expected", shown_length(token), text_of(parser, token),
                        what);
}

/* ---- Names ---- */

static uint16_t new_leaf(yops_parser *parser, yops_token token, yops_node_kind kind, int32_t dtype, int index)
{
    const yops_expression *e = parser->expression;
    yops_node node = {
        .kind = (uint8_t)kind, .dtype = (uint8_t)dtype, .index = (uint16_t)index, .at = token.at, .length = token.length
    };
    if (kind == YOPS_NODE_OUT || kind == YOPS_NODE_NAME)
        node.stage = kind == YOPS_NODE_OUT ? e->vars[index].stage : e->new_names[index].stage;
    return yops_new_node(parser, node);
}

static uint16_t read_var(yops_parser *parser, yops_token token, int var)
{
    yops_name *name = &parser->expression->vars[var];
    if (name->kind == YOKE_VAR_FUNCTION)
        return yops_mistake(parser, token.at, token.length, "'%.*s' is a function: its arguments follow in parentheses",
                            shown_length(token), text_of(parser, token));
    if (name->is_assigned)
        name->is_read_back = true;
    else
        parser->expression->facts.read |= UINT32_C(1) << var;
    return new_leaf(parser, token, name->is_assigned ? YOPS_NODE_OUT : YOPS_NODE_IN, name->dtype, var);
}

static uint16_t read_index(yops_parser *parser, yops_token token, int index)
{
    yops_expression *e = parser->expression;
    if (!(e->facts.indices & UINT32_C(1) << index)) {
        e->facts.indices |= UINT32_C(1) << index;
        e->index_at[index] = token.at;
        e->index_length[index] = token.length;
    }
    return new_leaf(parser, token, YOPS_NODE_INDEX, YOKE_I64, index);
}

static bool is_word(yops_parser *parser, yops_token token, const char *word)
{
    return strncmp(word, text_of(parser, token), token.length) == 0 && word[token.length] == '\0';
}

/* The value of a constant with a name: false where the name is none. */
static bool find_constant(yops_parser *parser, yops_token token, yops_node *out_node)
{
    *out_node = (yops_node){ .kind = YOPS_NODE_CONSTANT, .dtype = YOPS_ADAPTS, .at = token.at, .length = token.length };
    if (is_word(parser, token, "true") || is_word(parser, token, "false")) {
        out_node->dtype = YOKE_BOOL;
        out_node->value.u64 = *text_of(parser, token) == 't';
        return true;
    }
    out_node->value.real.wide = is_word(parser, token, "INFINITY") ? (double)INFINITY
                                : is_word(parser, token, "NAN")    ? (double)NAN
                                                                   : 3.14159265358979323846;
    out_node->value.real.narrow = (float)out_node->value.real.wide;
    return is_word(parser, token, "INFINITY") || is_word(parser, token, "NAN") || is_word(parser, token, "M_PI");
}

static uint16_t unknown(yops_parser *parser, yops_token token, bool calls)
{
    size_t length;
    char names[96] = "";
    const char *nearest = yops_find_nearest(parser->expression, text_of(parser, token), token.length, calls, &length);
    if (!nearest && !calls)
        yops_list_names(parser->expression, names, sizeof names);
    if (*names)
        return yops_mistake(parser, token.at, token.length, "unknown name '%.*s' in the expression; there are %s",
                            shown_length(token), text_of(parser, token), names);
    return yops_mistake(parser, token.at, token.length, "unknown %s '%.*s' in the expression%s%.*s%s", calls ? "function" : "name",
                        shown_length(token), text_of(parser, token), nearest ? "; did you mean '" : "", nearest ? (int)length : 0,
                        nearest ? nearest : "", nearest ? "'?" : "");
}

static uint16_t read_name(yops_parser *parser, yops_token token)
{
    const char *text = text_of(parser, token);
    yops_node constant;
    int found = yops_find_var(parser->expression, text, token.length);
    if (found >= 0)
        return read_var(parser, token, found);
    found = yops_find_new_name(parser->expression, text, token.length);
    if (found >= 0)
        return new_leaf(parser, token, YOPS_NODE_NAME, parser->expression->new_names[found].dtype, found);
    found = yops_find_index(text, token.length);
    if (found >= 0)
        return read_index(parser, token, found);
    if (find_constant(parser, token, &constant))
        return yops_new_node(parser, constant);
    if (yops_find_function(text, token.length) >= 0)
        return yops_mistake(parser, token.at, token.length, "'%.*s' is a function: its arguments follow in parentheses",
                            shown_length(token), text);
    if (yops_find_dtype(text, token.length))
        return yops_mistake(parser, token.at, token.length, "'%.*s' is a dtype: a cast is written (%.*s)x", shown_length(token),
                            text, shown_length(token), text);
    return unknown(parser, token, false);
}

/* ---- Calls ---- */

/* The arguments between the parentheses; how many. More than `most` are counted, not kept. */
static unsigned parse_arguments(yops_parser *parser, uint16_t *arguments, unsigned most)
{
    unsigned count = 0;
    yops_next_token(parser);
    while (parser->status >= 0 && (count > 0 || !is_character(parser, ')'))) {
        uint16_t argument = parse_value(parser);
        if (count++ < most)
            arguments[count - 1] = argument;
        if (!is_character(parser, ','))
            break;
        yops_next_token(parser);
    }
    if (parser->status >= 0 && !is_character(parser, ')'))
        expected(parser, "',' or ')'");
    yops_next_token(parser);
    return count;
}

static uint16_t parse_call(yops_parser *parser, yops_token token)
{
    uint16_t arguments[YOPS_MOST_PARAMETERS] = { 0 };
    const char *text = text_of(parser, token);
    int function = -1, var = yops_find_var(parser->expression, text, token.length);
    bool is_own = var >= 0 && parser->expression->vars[var].kind == YOKE_VAR_FUNCTION;
    if (!is_own)
        function = yops_find_function(text, token.length);
    bool is_reduction = !is_own && yops_find_row_reduction(text, token.length, 1);
    if (is_reduction && function < 0 && !has_rows(parser))
        return yops_mistake(
            parser, token.at, token.length,
            "'%.*s' reduces rows, which only yoke_map_rows has: in Python, evaluate with axis=", shown_length(token), text);
    if (!is_own && function < 0 && !is_reduction) {
        if (var >= 0 || yops_find_new_name(parser->expression, text, token.length) >= 0)
            return yops_mistake(parser, token.at, token.length, "'%.*s' is not a function", shown_length(token), text);
        if (yops_find_dtype(text, token.length))
            return yops_mistake(parser, token.at, token.length, "'%.*s' is a dtype: a cast is written (%.*s)x", shown_length(token),
                                text, shown_length(token), text);
        return unknown(parser, token, true);
    }
    unsigned takes = is_own ? parser->expression->vars[var].parameters : function < 0 ? 1 : yops_functions[function].arguments;
    unsigned count = parse_arguments(parser, arguments, YOPS_MOST_PARAMETERS);
    if (is_reduction && has_rows(parser) && count == 1)
        return yops_new_reduction(parser, token, yops_find_row_reduction(text, token.length, 1), arguments[0]);
    if (count != takes)
        return yops_mistake(parser, token.at, parser->end - token.at, "'%.*s' takes %u argument%s, but %u %s given",
                            shown_length(token), text, takes, takes == 1 ? "" : "s", count, count == 1 ? "was" : "were");
    return is_own ? yops_new_call(parser, token, var, arguments) : yops_new_function(parser, token, function, arguments);
}

/* ---- Values ---- */

/* The dtype of a cast, whose parenthesis is the next token; 0: it is not a cast. */
static int32_t peek_cast(yops_parser *parser)
{
    const char *text = parser->text + parser->token.at + 1, *begin;
    while (*text == ' ')
        text++;
    for (begin = text; (*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9');)
        text++;
    int32_t dtype = yops_find_dtype(begin, (size_t)(text - begin));
    while (*text == ' ')
        text++;
    return *text == ')' ? dtype : 0;
}

static uint16_t parse_parenthesis(yops_parser *parser)
{
    yops_token open = parser->token;
    yops_next_token(parser);
    uint16_t node = parse_value(parser);
    if (parser->status >= 0 && parser->token.kind == YOPS_TOKEN_END)
        return yops_mistake(parser, open.at, 1, "this '(' has no ')'");
    if (parser->status >= 0 && !is_character(parser, ')'))
        return expected(parser, "')'");
    yops_next_token(parser);
    return node;
}

static uint16_t parse_unary(yops_parser *parser);

static uint16_t parse_cast(yops_parser *parser, int32_t dtype)
{
    yops_token open = parser->token;
    for (int i = 0; i < 3; i++)
        yops_next_token(parser);
    uint16_t node = yops_convert(parser, parse_unary(parser), dtype, true);
    if (node && parser->expression->nodes[node].kind != YOPS_NODE_CALL) { /* whose place is its name */
        yops_node *made = &parser->expression->nodes[node];
        made->length = (uint16_t)(made->at + made->length - open.at);
        made->at = open.at;
    }
    return node;
}

static uint16_t parse_primary(yops_parser *parser)
{
    yops_token token = parser->token;
    unsigned operation = token.operation;
    if (token.kind == YOPS_TOKEN_NUMBER)
        return yops_parse_number(parser);
    if (token.kind == YOPS_TOKEN_NAME) {
        yops_next_token(parser);
        return is_character(parser, '(') ? parse_call(parser, token) : read_name(parser, token);
    }
    if (is_character(parser, '(')) {
        int32_t dtype = peek_cast(parser);
        return dtype ? parse_cast(parser, dtype) : parse_parenthesis(parser);
    }
    if (token.kind == YOPS_TOKEN_OPERATOR &&
        (operation == YOPS_ADD || operation == YOPS_SUBTRACT || operation == YOPS_NOT || operation == YOPS_INVERT)) {
        yops_next_token(parser);
        return yops_new_sign(parser, token, parse_unary(parser));
    }
    return expected(parser, "a value");
}

/* One more level of nesting. False: it is one too many. */
static bool enter(yops_parser *parser)
{
    if (parser->status < 0)
        return false;
    if (parser->depth == YOPS_MOST_NESTING)
        return yops_mistake(parser, parser->token.at, parser->token.length, "more than %d levels of parentheses, calls and signs",
                            YOPS_MOST_NESTING) != 0;
    parser->depth++;
    return true;
}

static uint16_t parse_unary(yops_parser *parser)
{
    uint16_t node = 0;
    if (enter(parser)) {
        node = parse_primary(parser);
        parser->depth--;
    }
    return parser->status < 0 ? 0 : node;
}

/* Operators of this precedence and higher ones. */
static uint16_t parse_operators(yops_parser *parser, unsigned precedence)
{
    uint16_t node = parse_unary(parser);
    while (parser->status >= 0 && parser->token.kind == YOPS_TOKEN_OPERATOR) {
        yops_token token = parser->token;
        unsigned found = yops_operators[token.operation].precedence;
        if (found == 0)
            return expected(parser, "an operator");
        if (found < precedence)
            break;
        yops_next_token(parser);
        node = yops_new_operator(parser, token, node, parse_operators(parser, found + 1));
    }
    return node;
}

static uint16_t parse_value(yops_parser *parser)
{
    uint16_t node = parser->status < 0 ? 0 : parse_operators(parser, 1);
    if (parser->status >= 0 && is_character(parser, '?') && enter(parser)) {
        yops_next_token(parser);
        uint16_t yes = parse_value(parser);
        if (parser->status >= 0 && !is_character(parser, ':'))
            expected(parser, "':'");
        yops_next_token(parser);
        node = yops_new_select(parser, node, yes, parse_value(parser));
        parser->depth--;
    }
    return parser->status < 0 ? 0 : node;
}

/* ---- Statements ---- */

/* A name that is new, or a temporary's; -1 after a mistake. */
static int take_new_name(yops_parser *parser, yops_token token, bool is_compound)
{
    yops_expression *e = parser->expression;
    yops_node constant;
    const char *text = text_of(parser, token);
    int found = yops_find_new_name(e, text, token.length);
    if (found >= 0)
        return found;
    if (yops_find_index(text, token.length) >= 0)
        return yops_mistake(parser, token.at, token.length, "'%.*s' is an index variable, which cannot be assigned",
                            shown_length(token), text) -
               1;
    if (find_constant(parser, token, &constant) || yops_find_dtype(text, token.length))
        return yops_mistake(parser, token.at, token.length, "'%.*s' has a meaning already and cannot be assigned",
                            shown_length(token), text) -
               1;
    if (is_compound)
        return unknown(parser, token, false) - 1;
    if (e->new_name_count == YOPS_MOST_TEMPORARIES)
        return yops_mistake(parser, token.at, token.length, "more than %d new names", YOPS_MOST_TEMPORARIES) - 1;
    return e->new_name_count;
}

static void add_statement(yops_parser *parser, yops_node statement)
{
    yops_expression *e = parser->expression;
    uint16_t number = yops_new_node(parser, statement);
    if (!number)
        return;
    if (e->last)
        e->nodes[e->last].b = number;
    else
        e->first = number;
    e->last = number;
}

static bool can_be_assigned(yops_parser *parser, yops_token token, int var)
{
    const yops_name *name = &parser->expression->vars[var];
    const char *text = text_of(parser, token);
    if (name->kind != YOKE_VAR_ARRAY)
        yops_mistake(parser, token.at, token.length, "'%.*s' is a %s, which cannot be assigned", shown_length(token), text,
                     name->kind == YOKE_VAR_SCALAR ? "scalar" : "function");
    else if (wants_value(parser))
        yops_mistake(parser, token.at, token.length, "'%.*s' is an array, which only yoke_map assigns", shown_length(token), text);
    return parser->status >= 0;
}

/* Whether the dtype takes the value: what is complex becomes real where the text says so, by real(), abs() or a cast. */
static bool check_parts(yops_parser *parser, yops_token target, int32_t dtype, uint16_t value)
{
    int32_t own = parser->expression->nodes[value].dtype;
    if (!yops_is_complex(own) || yops_is_complex(dtype) || dtype == YOKE_BOOL)
        return true;
    yops_mistake(parser, target.at, target.length, "'%.*s' is %s, and its value %s: use real(), abs() or a cast",
                 shown_length(target), text_of(parser, target), yops_type_name(dtype), yops_type_name(own));
    return false;
}

/* Behind the name, whose token this is: the operator and the value. */
static void parse_assignment(yops_parser *parser, yops_token target)
{
    yops_expression *e = parser->expression;
    yops_token token = parser->token;
    bool is_compound = token.operation != YOPS_OPERATIONS;
    int var = yops_find_var(e, text_of(parser, target), target.length), name = -1;
    if (var < 0)
        name = take_new_name(parser, target, is_compound);
    else if (!can_be_assigned(parser, target, var))
        return;
    uint16_t before = is_compound && parser->status >= 0 ? read_name(parser, target) : 0;
    yops_next_token(parser);
    uint16_t value = parse_value(parser);
    if (is_compound) {
        token.kind = YOPS_TOKEN_OPERATOR;
        value = yops_new_operator(parser, token, before, value);
    }
    if (parser->status < 0)
        return;
    if (var < 0 && name == e->new_name_count) {
        value = yops_settle(parser, value);
        e->new_names[name] = (yops_new_name){ target.at, target.length, e->nodes[value].dtype, 0 };
        e->new_name_count++;
    }
    int32_t dtype = var >= 0 ? e->vars[var].dtype : e->new_names[name].dtype;
    if (!check_parts(parser, target, dtype, value))
        return;
    bool is_rounded = var >= 0 && yops_is_reduced(dtype);
    value = yops_convert(parser, value, is_rounded ? YOKE_F32 : dtype, false);
    *(var >= 0 ? &e->vars[var].stage : &e->new_names[name].stage) = e->nodes[value].stage;
    yops_node statement = { .kind = var >= 0 ? YOPS_NODE_SET_OUT : YOPS_NODE_SET_NAME, .dtype = (uint8_t)dtype, .a = value };
    statement.index = (uint16_t)(var >= 0 ? var : name);
    statement.at = target.at;
    statement.length = target.length;
    add_statement(parser, statement);
    if (var >= 0) {
        e->vars[var].is_assigned = true;
        e->facts.written |= UINT32_C(1) << var;
    }
}

/* True: a name with an assignment behind it is next, and the name has been taken. */
static bool take_target(yops_parser *parser, yops_token *out_target)
{
    yops_parser before = *parser;
    *out_target = parser->token;
    if (parser->token.kind != YOPS_TOKEN_NAME)
        return false;
    yops_next_token(parser);
    if (parser->token.kind == YOPS_TOKEN_ASSIGN)
        return true;
    if (parser->status >= 0)
        *parser = before;
    return false;
}

static void parse_last_value(yops_parser *parser)
{
    yops_token first = parser->token;
    bool is_wanted = wants_value(parser);
    uint16_t value = yops_settle(parser, parse_value(parser));
    unsigned length = parser->end - first.at;
    if (parser->status >= 0 && parser->token.kind == YOPS_TOKEN_ASSIGN && !is_wanted)
        yops_mistake(parser, first.at, length, "only a name can be assigned");
    if (parser->status >= 0 && parser->token.kind != YOPS_TOKEN_END && !is_character(parser, ';'))
        expected(parser, "an operator or the end");
    while (is_character(parser, ';'))
        yops_next_token(parser);
    if (parser->status < 0)
        return;
    if (!is_wanted)
        yops_mistake(parser, first.at, length, "the value is not assigned: begin with an output, as in 'c = a + b'");
    else if (parser->token.kind != YOPS_TOKEN_END)
        yops_mistake(parser, first.at, length, "only the last statement is a value: assign this one to a name");
    parser->expression->value = value;
    parser->expression->facts.value_dtype = parser->expression->nodes[value].dtype;
}

static void parse_statements(yops_parser *parser)
{
    yops_next_token(parser);
    if (parser->token.kind == YOPS_TOKEN_END && parser->status >= 0)
        parser->status = yops_fail(parser->call, YOKE_E_INVALID_ARGUMENT, "the expression is empty");
    for (;;) {
        yops_token target;
        while (is_character(parser, ';'))
            yops_next_token(parser);
        if (parser->token.kind == YOPS_TOKEN_END || parser->status < 0)
            break;
        if (!take_target(parser, &target)) {
            if (parser->status >= 0)
                parse_last_value(parser);
            break;
        }
        parse_assignment(parser, target);
        if (parser->status >= 0 && parser->token.kind != YOPS_TOKEN_END && !is_character(parser, ';'))
            expected(parser, "an operator or ';'");
    }
    if (wants_value(parser) && !parser->expression->value)
        yops_mistake(parser, parser->token.at, 1,
                     "the expression gives no value: end it with one that is not assigned, as in 'd = x - y; d * d'");
    if (!wants_value(parser) && !parser->expression->facts.written)
        yops_mistake(parser, 0, 1, "no array of the list is assigned: begin with an output, as in 'c = a + b'");
    if (has_rows(parser) && parser->expression->reduction_count == 0)
        yops_mistake(parser, 0, 1,
                     "nothing is reduced along the axes: call sum, mean, prod, min, max, any or all, or use yoke_map");
}

/* ---- Expressions ---- */

yoke_status yops_expression_parse(const yops_call *call, const char *text, const yoke_var *vars, size_t count, yops_kind kind,
                                  yops_expression **out_expression)
{
    if (!text)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "expression is NULL");
    size_t length = strnlen(text, YOPS_MOST_TEXT + 1), capacity = length * 4 + 16;
    if (length > YOPS_MOST_TEXT)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "the expression is longer than %d bytes", YOPS_MOST_TEXT);
    yops_expression *e = malloc(sizeof *e + capacity * sizeof *e->nodes + length + 1);
    if (!e)
        return yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for an expression");
    e->facts = (yops_expression_facts){ 0 };
    e->value = e->first = e->last = e->new_name_count = 0;
    e->reduction_count = 0;
    e->nodes[0] = (yops_node){ .kind = YOPS_NODE_NONE };
    e->node_count = 1;
    e->capacity = (uint16_t)capacity;
    e->text_length = (uint16_t)length;
    e->text = (char *)(e->nodes + capacity);
    memcpy(e->text, text, length + 1);
    yops_parser parser = { .call = call, .expression = e, .text = e->text, .kind = kind };
    parser.status = yops_read_vars(call, vars, count, e);
    if (parser.status >= 0)
        parse_statements(&parser);
    for (int i = 0; parser.status >= 0 && i < e->var_count; i++)
        if ((e->facts.read | e->facts.written) >> i & 1)
            e->facts.needs_f64 |= yops_needs_f64(e->vars[i].dtype);
    if (parser.status < 0) {
        free(e);
        return parser.status;
    }
    *out_expression = e;
    return YOKE_OK;
}

void yops_expression_free(yops_expression *expression)
{
    free(expression);
}

const yops_expression_facts *yops_expression_get_facts(const yops_expression *expression)
{
    return &expression->facts;
}

yoke_status yops_expression_check_axes(const yops_call *call, const yops_expression *expression, int32_t dimensions)
{
    for (int i = 0; i < YOKE_MAX_DIMENSIONS * 2; i++) {
        int axis = i % YOKE_MAX_DIMENSIONS;
        if (axis < dimensions || !(expression->facts.indices & UINT32_C(1) << i))
            continue;
        char message[160];
        snprintf(message, sizeof message, "'%s%d' needs arrays of more than %d dimension%s, and these have %d",
                 i < YOKE_MAX_DIMENSIONS ? "i" : "n", axis, axis, axis == 1 ? "" : "s", (int)dimensions);
        return yops_fail_with_caret(call, expression->text, expression->text_length, expression->index_at[i],
                                    expression->index_length[i], message);
    }
    return YOKE_OK;
}
