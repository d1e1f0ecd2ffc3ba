/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of expressions, and the values of their numbers, which do not depend on the locale. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

const yops_operator yops_operators[YOPS_OPERATIONS] = {
#define YOPS_OPERATOR(NAME, text, precedence, rule, word) { text, sizeof text - 1, precedence, YOPS_RULE_##rule, word },
#define YOPS_SIGN(NAME, text) { text, sizeof text - 1, 0, YOPS_RULE_SIGN, "" },
#include "operations.def"
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* ---- Tokens ---- */

/* The longest operator of two operands at `text`, or YOPS_OPERATIONS. */
static unsigned find_operator(const char *text)
{
    unsigned found = YOPS_OPERATIONS;
    for (unsigned i = 0; i < YOPS_OPERATIONS; i++)
        if (yops_operators[i].precedence > 0 && *text == *yops_operators[i].text &&
            (yops_operators[i].length == 1 || text[1] == yops_operators[i].text[1]) &&
            (found == YOPS_OPERATIONS || yops_operators[i].length > yops_operators[found].length))
            found = i;
    return found;
}

static bool can_assign(unsigned operation)
{
    unsigned rule = yops_operators[operation].rule;
    return rule == YOPS_RULE_ARITHMETIC || rule == YOPS_RULE_REMAINDER || rule == YOPS_RULE_BITS || rule == YOPS_RULE_SHIFT;
}

/* The bytes of a stray character, which is shown whole. */
static unsigned stray_length(const char *text)
{
    unsigned length = 1;
    while (length < 4 && ((unsigned char)text[length] & 0xc0) == 0x80 && ((unsigned char)*text & 0xc0) == 0xc0)
        length++;
    return length;
}

static void take_stray(yops_parser *parser, yops_token *token)
{
    const char *c = parser->text + token->at;
    token->length = (uint16_t)stray_length(c);
    if ((unsigned char)*c < ' ' || *c == 0x7f)
        yops_mistake(parser, token->at, 1, "the character 0x%02x has no meaning in an expression", (unsigned char)*c);
    else if (*c == '[')
        yops_mistake(parser, token->at, 1,
                     "'[' has no meaning in an expression: it works on the elements at one place; slice the "
                     "array, or use yoke_gather");
    else
        yops_mistake(parser, token->at, token->length, "the character '%.*s' has no meaning in an expression", (int)token->length,
                     c);
    token->kind = YOPS_TOKEN_END;
}

static void take_operator(yops_parser *parser, yops_token *token)
{
    const char *c = parser->text + token->at;
    unsigned operation = find_operator(c);
    if (operation < YOPS_OPERATIONS) {
        token->kind = YOPS_TOKEN_OPERATOR;
        token->operation = (uint8_t)operation;
        token->length = yops_operators[operation].length;
        if (can_assign(operation) && c[token->length] == '=' && c[token->length + 1] != '=') {
            token->kind = YOPS_TOKEN_ASSIGN;
            token->length++;
        }
    } else if (*c == '=') {
        token->kind = YOPS_TOKEN_ASSIGN;
        token->operation = YOPS_OPERATIONS;
    } else if (*c == '!' || *c == '~') {
        token->kind = YOPS_TOKEN_OPERATOR;
        token->operation = *c == '!' ? YOPS_NOT : YOPS_INVERT;
    } else if (strchr("(),;?:", *c)) {
        token->kind = YOPS_TOKEN_OTHER;
        token->character = (uint8_t)*c;
    } else {
        take_stray(parser, token);
    }
}

void yops_next_token(yops_parser *parser)
{
    const char *text = parser->text;
    yops_token token = { .length = 1 };
    unsigned at = parser->token.at + parser->token.length;
    parser->end = (uint16_t)at;
    while (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))
        at++;
    token.at = (uint16_t)at;
    unsigned end = at;
    if (text[at] == '\0' || parser->status < 0) {
        token.kind = YOPS_TOKEN_END;
        token.length = 0;
    } else if (is_letter(text[at])) {
        while (is_letter(text[end]) || is_digit(text[end]))
            end++;
        token.kind = YOPS_TOKEN_NAME;
        token.length = (uint16_t)(end - at);
    } else if (is_digit(text[at]) || (text[at] == '.' && is_digit(text[at + 1]))) {
        while (is_letter(text[end]) || is_digit(text[end]) || text[end] == '.' ||
               ((text[end] == '+' || text[end] == '-') && strchr("eEpP", text[end - 1]) &&
                (strchr("pP", text[end - 1]) || text[at] != '0' || !strchr("xX", text[at + 1]))))
            end++;
        token.kind = YOPS_TOKEN_NUMBER;
        token.length = (uint16_t)(end - at);
    } else {
        take_operator(parser, &token);
    }
    parser->token = token;
}

/* ---- Integers ---- */

/* By C's rules: the first type of these that holds the value. Decimal ones without u are signed. */
static int32_t find_integer_dtype(uint64_t value, bool decimal, bool is_unsigned, bool is_long)
{
    if (!is_long && !is_unsigned && value <= INT32_MAX)
        return YOKE_I32;
    if (!is_long && (is_unsigned || !decimal) && value <= UINT32_MAX)
        return YOKE_U32;
    if (!is_unsigned && value <= INT64_MAX)
        return YOKE_I64;
    return is_unsigned || !decimal ? YOKE_U64 : 0;
}

/* u, l, ll, ul, ull, lu, llu, in either case. */
static bool take_integer_suffix(const char *c, size_t left, bool *out_unsigned, bool *out_long)
{
    *out_unsigned = *out_long = false;
    while (left > 0) {
        size_t length = 1;
        if (!*out_unsigned && (*c == 'u' || *c == 'U')) {
            *out_unsigned = true;
        } else if (!*out_long && (*c == 'l' || *c == 'L')) {
            *out_long = true;
            length = left > 1 && c[1] == *c ? 2 : 1;
        } else {
            return false;
        }
        c += length;
        left -= length;
    }
    return true;
}

static unsigned digit_value(char c)
{
    return is_digit(c)            ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 99;
}

static uint16_t parse_integer(yops_parser *parser)
{
    yops_token token = parser->token;
    const char *c = parser->text + token.at, *end = c + token.length;
    bool hexadecimal = token.length > 2 && c[0] == '0' && (c[1] == 'x' || c[1] == 'X'), octal = !hexadecimal && *c == '0',
         overflow = false;
    unsigned base = hexadecimal ? 16 : octal ? 8 : 10;
    uint64_t value = 0;
    bool is_unsigned, is_long;
    c += hexadecimal ? 2 : 0;
    const char *first = c;
    for (; c < end && digit_value(*c) < base; c++)
        overflow |= __builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit_value(*c), &value);
    if (c == first || !take_integer_suffix(c, (size_t)(end - c), &is_unsigned, &is_long))
        return yops_mistake(parser, token.at, token.length, "'%.*s' is not a number%s", token.length > 40 ? 40 : token.length,
                            parser->text + token.at,
                            octal && c < end && is_digit(*c) ? ": with a 0 in front it is octal, as in C" : "");
    int32_t dtype = find_integer_dtype(value, base == 10, is_unsigned, is_long);
    if (overflow || !dtype)
        return yops_mistake(parser, token.at, token.length, "the constant is too large for %s",
                            overflow || base != 10 || is_unsigned ? "uint64" : "int64: with a suffix, as in 1u, it is unsigned");
    yops_node node = { .kind = YOPS_NODE_CONSTANT, .dtype = (uint8_t)dtype, .at = token.at, .length = token.length };
    node.value.u64 = value;
    return yops_new_node(parser, node);
}

/* ---- Floating point ---- */

/* The usual: up to 15 digits and a power of ten that a double holds exactly give the nearest double by one operation; and that,
 * unless it lies in the middle between two floats, the nearest float. False: it needs the long way, or is not a number. */
static bool convert_short(const char *text, size_t length, double *out_wide, float *out_narrow)
{
    static const double tens[] = { 1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const char *c = text, *end = text + length;
    uint64_t digits = 0, bits;
    int count = 0, exponent = 0, written = 0;
    bool point = false, negative = false;
    for (; c < end && (is_digit(*c) || (*c == '.' && !point)); c++) {
        if (*c == '.') {
            point = true;
            continue;
        }
        digits = digits * 10 + (uint64_t)(*c - '0');
        exponent -= point;
        if (++count > 15)
            return false;
    }
    if (c < end && (*c == 'e' || *c == 'E')) {
        c++;
        if (c < end && (*c == '+' || *c == '-'))
            negative = *c++ == '-';
        const char *first = c;
        for (; c < end && is_digit(*c) && c < first + 3; c++)
            written = written * 10 + (*c - '0');
        if (c == first)
            return false;
    }
    exponent += negative ? -written : written;
    if (c != end || count == 0 || exponent < -22 || exponent > 22)
        return false;
    *out_wide = exponent < 0 ? (double)digits / tens[-exponent] : (double)digits * tens[exponent];
    memcpy(&bits, out_wide, sizeof bits);
    *out_narrow = (float)*out_wide;
    return (bits & 0x1fffffff) != 0x10000000 && (digits == 0 || (*out_wide > 1e-30 && *out_wide < 1e30));
}

static uint16_t parse_real(yops_parser *parser, bool hexadecimal)
{
    yops_token token = parser->token;
    const char *text = parser->text + token.at;
    size_t length = token.length;
    bool narrow = (text[length - 1] == 'f' || text[length - 1] == 'F') &&
                  (!hexadecimal || memchr(text, 'p', length) || memchr(text, 'P', length));
    yops_node node = {
        .kind = YOPS_NODE_CONSTANT, .dtype = narrow ? YOKE_F32 : YOPS_ADAPTS, .at = token.at, .length = token.length
    };
    length -= narrow;
    if (!convert_short(text, length, &node.value.real.wide, &node.value.real.narrow) &&
        !yops_read_number(text, length, &node.value.real.wide, &node.value.real.narrow))
        return yops_mistake(parser, token.at, token.length, "'%.*s' is not a number", token.length > 40 ? 40 : token.length, text);
    if (isinf(node.value.real.wide) || (narrow && isinf(node.value.real.narrow)))
        return yops_mistake(parser, token.at, token.length, "the constant is too large for %s", narrow ? "float32" : "float64");
    if (narrow)
        node.value.real.wide = node.value.real.narrow;
    return yops_new_node(parser, node);
}

uint16_t yops_parse_number(yops_parser *parser)
{
    const char *text = parser->text + parser->token.at;
    size_t length = parser->token.length;
    bool hexadecimal = length > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'), is_real = false;
    for (size_t i = 0; i < length && !is_real; i++)
        is_real = text[i] == '.' || (hexadecimal ? text[i] == 'p' || text[i] == 'P'
                                                 : text[i] == 'e' || text[i] == 'E' || text[i] == 'f' || text[i] == 'F');
    uint16_t node = is_real ? parse_real(parser, hexadecimal) : parse_integer(parser);
    yops_next_token(parser);
    return node;
}
