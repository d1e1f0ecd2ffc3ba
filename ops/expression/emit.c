/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statements of an expression for a kernel, as text for both languages. Each operation is a statement of its own, so that
 * nothing nests deeper than the expression's own branches, and macros of element.yh get names only.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

typedef struct emitter {
    const yops_expression *expression;
    char *text;
    size_t used, size;
    int indent;
    uint64_t declared; /* a bit for each new name */
    unsigned stage;    /* 0: all statements */
    bool failed;
} emitter;

YOKE_PRINTF(2, 3) static void put(emitter *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = out->failed ? 0 : vsnprintf(out->text + out->used, out->size - out->used, format, values);
    va_end(values);
    if (length >= 0 && out->used + (size_t)length >= out->size && !out->failed) {
        size_t size = (out->size + (size_t)length) * 2;
        char *text = realloc(out->text, size);
        if (!text) {
            out->failed = true;
            return;
        }
        out->text = text;
        out->size = size;
        va_start(values, format);
        vsnprintf(out->text + out->used, out->size - out->used, format, values);
        va_end(values);
    }
    out->failed |= length < 0;
    out->used += length > 0 ? (size_t)length : 0;
}

static const yops_node *at(const emitter *out, unsigned node)
{
    return &out->expression->nodes[node];
}

static char class_of(const emitter *out, unsigned node)
{
    return yops_class(at(out, node)->dtype);
}

static void begin_line(emitter *out)
{
    put(out, "%*s", out->indent * 4, "");
}

/* ---- Operands ---- */

/* Numbers that look like themselves: a few eighths. Others are told by their bits, which no compiler can read in another way. */
static bool put_plain(emitter *out, double value, const char *suffix)
{
    double eighths = value * 8;
    if (!(fabs(eighths) < 8e6) || eighths != (double)(int)eighths || (value == 0 && signbit(value)))
        return false;
    int whole = abs((int)eighths) / 8, rest = abs((int)eighths) % 8 * 125;
    int digits = rest % 500 == 0 ? 1 : rest % 250 == 0 ? 2 : 3;
    rest /= digits == 1 ? 100 : digits == 2 ? 10 : 1;
    put(out, value < 0 ? "(-%d.%0*d%s)" : "%d.%0*d%s", whole, digits, rest, suffix);
    return true;
}

static void put_real(emitter *out, const yops_node *node)
{
    if (yops_needs_f64(node->dtype)) {
        uint64_t bits;
        memcpy(&bits, &node->value.real.wide, sizeof bits);
        bits = isnan(node->value.real.wide) ? 0x7ff8000000000000 : bits;
        if (!put_plain(out, node->value.real.wide, ""))
            put(out, "yops_double(0x%016llxul)", (unsigned long long)bits);
    } else {
        uint32_t bits;
        memcpy(&bits, &node->value.real.narrow, sizeof bits);
        bits = isnan(node->value.real.narrow) ? 0x7fc00000 : bits;
        if (!put_plain(out, node->value.real.narrow, "f"))
            put(out, "yoke_uint_as_float(0x%08xu)", (unsigned)bits);
    }
}

static void put_constant(emitter *out, const yops_node *node)
{
    long long value = node->value.i64;
    bool is_small = value >= -INT32_MAX && value <= INT32_MAX;
    switch (yops_class(node->dtype)) {
    case 'i':
        put(out, !is_small ? "(-2147483647 - 1)" : value < 0 ? "(%lld)" : "%lld", value);
        break;
    case 'u':
        put(out, "%lluu", (unsigned long long)node->value.u64);
        break;
    case 'l':
        put(out, is_small ? "(yoke_i64)(%lld)" : "(yoke_i64)0x%llxul", value);
        break;
    case 'm':
        put(out, "(yoke_u64)0x%llxul", (unsigned long long)node->value.u64);
        break;
    default:
        put_real(out, node);
    }
}

static void put_index(emitter *out, unsigned index)
{
    if (index < YOKE_MAX_DIMENSIONS)
        put(out, "index_%u", index);
    else if (index < 2 * YOKE_MAX_DIMENSIONS)
        put(out, "extent_%u", index - YOKE_MAX_DIMENSIONS);
    else
        put(out, index == 2 * YOKE_MAX_DIMENSIONS ? "position" : "count");
}

/* What a node is called once its statements stand there. */
static void put_operand(emitter *out, unsigned number)
{
    const yops_node *node = at(out, number);
    switch (node->kind) {
    case YOPS_NODE_CONSTANT:
        put_constant(out, node);
        break;
    case YOPS_NODE_IN:
        put(out, "in_%u", node->index);
        break;
    case YOPS_NODE_OUT:
        put(out, "out_%u", node->index);
        break;
    case YOPS_NODE_NAME:
        put(out, "name_%u", node->index);
        break;
    case YOPS_NODE_INDEX:
        put_index(out, node->index);
        break;
    case YOPS_NODE_REDUCE:
        put(out, "row_%u", node->index);
        break;
    default:
        put(out, "step_%u", number);
    }
}

/* ---- Operations ---- */

static void put_pair(emitter *out, const char *before, unsigned a, const char *between, unsigned b, const char *after)
{
    put(out, "%s", before);
    put_operand(out, a);
    put(out, "%s", between);
    put_operand(out, b);
    put(out, "%s", after);
}

static void put_convert(emitter *out, const yops_node *node)
{
    bool is_reduced = yops_is_reduced(node->dtype);
    if (is_reduced)
        put(out, "yops_round_%s(", yops_dtype_token(node->dtype));
    put(out, "%s_from_%c(", yops_dtype_token(node->dtype), class_of(out, node->a));
    put_operand(out, node->a);
    put(out, is_reduced ? "))" : ")");
}

static void put_sign(emitter *out, const yops_node *node)
{
    char class = class_of(out, node->a);
    bool wraps = node->operation == YOPS_NEGATE && (class == 'i' || class == 'l');
    if (node->operation == YOPS_NOT)
        put(out, "1u - ");
    else if (wraps)
        put(out, class == 'i' ? "(yoke_i32)(0u - (yoke_u32)" : "(yoke_i64)((yoke_u64)0 - (yoke_u64)");
    else if (node->operation == YOPS_NEGATE && (class == 'e' || class == 'g'))
        put(out, "yops_negate_%c(", class);
    else if (node->operation == YOPS_NEGATE && (class == 'u' || class == 'm'))
        put(out, class == 'u' ? "0u - " : "(yoke_u64)0 - ");
    else
        put(out, "%s", yops_operators[node->operation].text);
    put_operand(out, node->a);
    put(out, wraps || (node->operation == YOPS_NEGATE && (class == 'e' || class == 'g')) ? ")" : "");
}

static void put_shift(emitter *out, const yops_node *node)
{
    char amount = class_of(out, node->b);
    put(out, "yops_%s_%c(", yops_operators[node->operation].word, class_of(out, node->a));
    put_pair(out, "", node->a, amount == 'l' || amount == 'm' ? ", yops_amount(" : ", (yoke_u32)(", node->b, "))");
}

/* Of operands of two classes: an integer and floating point, or a signed and an unsigned integer. The bits of yops_order_C_D that
 * make the comparison true; it is called with the integer, or the signed one, first. */
static void put_order(emitter *out, const yops_node *node)
{
    enum { LESS = 1, EQUAL = 2, MORE = 4, UNORDERED = 8 };
    static const uint8_t true_for[YOPS_OPERATIONS] = {
        [YOPS_EQUAL] = EQUAL,  [YOPS_UNEQUAL] = LESS | MORE | UNORDERED, [YOPS_LESS] = LESS,
        [YOPS_GREATER] = MORE, [YOPS_LESS_EQUAL] = LESS | EQUAL,         [YOPS_GREATER_EQUAL] = MORE | EQUAL
    };
    char a = class_of(out, node->a), b = class_of(out, node->b), before[48], after[32];
    bool turned = !yops_is_integer(at(out, node->a)->dtype) || (a == 'm' && (b == 'l' || b == 'i'));
    unsigned bits = true_for[node->operation];
    if (turned)
        bits = (bits & (EQUAL | UNORDERED)) | (bits & LESS ? MORE : 0) | (bits & MORE ? LESS : 0);
    snprintf(before, sizeof before, "(yops_order_%c_%c(", turned ? b : a, turned ? a : b);
    snprintf(after, sizeof after, ") & %uu) != 0u ? 1u : 0u", bits);
    put_pair(out, before, turned ? node->b : node->a, ", ", turned ? node->a : node->b, after);
}

/* Signed integers wrap as unsigned ones do. */
static void put_operator(emitter *out, const yops_node *node)
{
    const yops_operator *operator= & yops_operators[node->operation];
    char class = class_of(out, node->a), between[16], before[48];
    bool is_integer = class == 'i' || class == 'u' || class == 'l' || class == 'm', is_complex = class == 'e' || class == 'g';
    bool divides = node->operation == YOPS_DIVIDE || node->operation == YOPS_REMAINDER;
    snprintf(between, sizeof between, " %s ", operator->text);
    if (operator->rule == YOPS_RULE_SHIFT) {
        put_shift(out, node);
    } else if (class != class_of(out, node->b)) {
        put_order(out, node);
    } else if (is_complex || (is_integer && divides)) {
        snprintf(before, sizeof before, "yops_%s_%c(", operator->word, class);
        put_pair(out, before, node->a, ", ", node->b, ")");
    } else if (operator->rule == YOPS_RULE_EQUALITY || operator->rule == YOPS_RULE_ORDER) {
        put_pair(out, "", node->a, between, node->b, " ? 1u : 0u");
    } else if (operator->rule == YOPS_RULE_ARITHMETIC &&(class == 'i' || class == 'l')) {
        bool wide = class == 'l';
        snprintf(between, sizeof between, " %s (yoke_u%s)", operator->text, wide ? "64" : "32");
        put_pair(out, wide ? "(yoke_i64)((yoke_u64)" : "(yoke_i32)((yoke_u32)", node->a, between, node->b, ")");
    } else {
        put_pair(out, "", node->a, between, node->b, "");
    }
}

static void put_function(emitter *out, const yops_node *node)
{
    const yops_function *function = &yops_functions[node->index];
    put(out, "yops_%s_%c(", function->name, class_of(out, node->a));
    put_operand(out, node->a);
    for (int i = 1; i < function->arguments; i++) {
        put(out, ", ");
        put_operand(out, i == 1 ? node->b : node->c);
    }
    put(out, ")");
}

/* A function of the program's: what it returns becomes a value of its dtype. */
static void put_call(emitter *out, const yops_node *node)
{
    const yops_expression *e = out->expression;
    const char *token = yops_dtype_token(node->dtype);
    bool is_reduced = yops_is_reduced(node->dtype);
    const char *name = e->text + node->at;
    int length = e->vars[node->index].length;
    if (node->dtype == YOKE_BOOL)
        put(out, YOPS_OWN "%.*s(", length, name);
    else if (is_reduced)
        put(out, "yops_round_%s(" YOPS_OWN "%.*s(", token, length, name);
    else
        put(out, "(value_%s)(stored_%s)" YOPS_OWN "%.*s(", token, token, length, name);
    for (unsigned i = node->a; i; i = at(out, i)->b) {
        put(out, i == node->a ? "" : ", ");
        put_operand(out, at(out, i)->a);
    }
    put(out, node->dtype == YOKE_BOOL ? ") ? 1u : 0u" : is_reduced ? "))" : ")");
}

/* ---- Statements ---- */

static void emit_node(emitter *out, unsigned number);

static void put_assignment(emitter *out, unsigned target, unsigned value)
{
    begin_line(out);
    put(out, "step_%u = ", target);
    put_operand(out, value);
    put(out, ";\n");
}

/* The node's statements and its value within braces. */
static void emit_branch(emitter *out, const char *head, unsigned target, unsigned node)
{
    put(out, "%s{\n", head);
    out->indent++;
    emit_node(out, node);
    put_assignment(out, target, node);
    out->indent--;
    begin_line(out);
    put(out, "}");
}

static void emit_logic(emitter *out, unsigned number)
{
    const yops_node *node = at(out, number);
    bool is_and = node->operation == YOPS_AND_THEN;
    emit_node(out, node->a);
    if (!at(out, node->b)->effects)
        emit_node(out, node->b);
    begin_line(out);
    put(out, "value_bool step_%u = ", number);
    put_operand(out, node->a);
    if (!at(out, node->b)->effects) {
        put(out, is_and ? " & " : " | ");
        put_operand(out, node->b);
        put(out, ";\n");
        return;
    }
    put(out, ";\n");
    begin_line(out);
    put(out, "if (step_%u %s 0u) ", number, is_and ? "!=" : "==");
    emit_branch(out, "", number, node->b);
    put(out, "\n");
}

static void emit_select(emitter *out, unsigned number)
{
    const yops_node *node = at(out, number);
    emit_node(out, node->a);
    if (!at(out, node->b)->effects && !at(out, node->c)->effects) {
        emit_node(out, node->b);
        emit_node(out, node->c);
        begin_line(out);
        put(out, "value_%s step_%u = ", yops_dtype_token(node->dtype), number);
        put_pair(out, "", node->a, " != 0u ? ", node->b, " : ");
        put_operand(out, node->c);
        put(out, ";\n");
        return;
    }
    begin_line(out);
    put(out, "value_%s step_%u;\n", yops_dtype_token(node->dtype), number);
    begin_line(out);
    put(out, "if (");
    put_operand(out, node->a);
    emit_branch(out, " != 0u) ", number, node->b);
    emit_branch(out, " else ", number, node->c);
    put(out, "\n");
}

/* The statements that the node needs before it can be named. Recursion is bounded by YOPS_MOST_HEIGHT. */
static void emit_node(emitter *out, unsigned number)
{
    const yops_node *node = at(out, number);
    if (node->kind <= YOPS_NODE_REDUCE)
        return;
    if (node->kind == YOPS_NODE_LOGIC || node->kind == YOPS_NODE_SELECT) {
        (node->kind == YOPS_NODE_LOGIC ? emit_logic : emit_select)(out, number);
        return;
    }
    emit_node(out, node->a);
    emit_node(out, node->b);
    emit_node(out, node->c);
    if (node->kind == YOPS_NODE_ARGUMENT)
        return;
    begin_line(out);
    put(out, "value_%s step_%u = ", yops_dtype_token(node->dtype), number);
    switch (node->kind) {
    case YOPS_NODE_CONVERT:
        put_convert(out, node);
        break;
    case YOPS_NODE_SIGN:
        put_sign(out, node);
        break;
    case YOPS_NODE_OPERATOR:
        put_operator(out, node);
        break;
    case YOPS_NODE_FUNCTION:
        put_function(out, node);
        break;
    default:
        put_call(out, node);
    }
    put(out, ";\n");
}

static void emit_statement(emitter *out, const yops_node *statement)
{
    const yops_name *var = &out->expression->vars[statement->index];
    const char *token = yops_dtype_token(statement->dtype);
    bool is_reduced = yops_is_reduced(statement->dtype);
    bool is_name = statement->kind == YOPS_NODE_SET_NAME, rounds = !is_name && is_reduced && var->is_read_back;
    emit_node(out, statement->a);
    begin_line(out);
    if (is_name && !(out->declared >> statement->index & 1))
        put(out, "value_%s ", token);
    if (is_name)
        out->declared |= UINT64_C(1) << statement->index;
    put(out, is_name ? "name_%u = " : "out_%u = ", statement->index);
    if (rounds) /* storing rounds too, but the value is read before */
        put(out, "yops_round_%s(", token);
    put_operand(out, statement->a);
    put(out, rounds ? ");\n" : ";\n");
}

/* What the reductions of the stage combine, in a statement that has to wait for them. */
static void emit_reduced(emitter *out, unsigned number)
{
    const yops_node *node = at(out, number);
    if (number == 0 || node->stage < out->stage)
        return;
    if (node->kind != YOPS_NODE_REDUCE || node->stage != out->stage) {
        emit_reduced(out, node->a);
        emit_reduced(out, node->b);
        emit_reduced(out, node->c);
        return;
    }
    emit_node(out, node->a);
    begin_line(out);
    put(out, "reduced_%u = ", node->index);
    put_operand(out, node->a);
    put(out, ";\n");
}

static yoke_status emit(const yops_call *call, const yops_expression *expression, unsigned stage, char **out_text)
{
    emitter out = { .expression = expression, .size = 1024 + (size_t)expression->node_count * 32, .stage = stage };
    out.text = malloc(out.size);
    out.failed = !out.text;
    put(&out, "{\n");
    out.indent = 1;
    for (unsigned i = expression->first; i; i = expression->nodes[i].b) {
        const yops_node *statement = &expression->nodes[i];
        if (stage == 0 || expression->nodes[statement->a].stage < stage)
            emit_statement(&out, statement);
        else
            emit_reduced(&out, statement->a);
    }
    if (expression->value) {
        emit_node(&out, expression->value);
        begin_line(&out);
        put(&out, "value = ");
        put_operand(&out, expression->value);
        put(&out, ";\n");
    }
    put(&out, "}\n");
    if (out.failed) {
        free(out.text);
        return yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the text of an expression");
    }
    *out_text = out.text;
    return YOKE_OK;
}

yoke_status yops_expression_emit(const yops_call *call, const yops_expression *expression, char **out_text)
{
    return emit(call, expression, 0, out_text);
}

yoke_status yops_expression_emit_stage(const yops_call *call, const yops_expression *expression, int32_t stage, char **out_text)
{
    return emit(call, expression, (unsigned)stage, out_text);
}
