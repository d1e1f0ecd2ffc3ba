/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of an #if, as far as it is known: macros that only the compiler knows make a part unknown, and often not the whole. An
 * expression that is not understood completely is unknown.
 */
#include "program/include/include_macro.h"

#include <string.h>

enum { DEPTH_MOST = 100 };

typedef struct value {
    bool known, is_unsigned;
    uint64_t bits;
} value;

typedef struct parser {
    yk_macros *macros;
    const yk_pp *at;
    int depth;
    bool wrong; /* not an expression that is understood */
} parser;

static value parse_choice(parser *p);

static value known(uint64_t bits, bool is_unsigned)
{
    return (value){ true, is_unsigned, bits };
}

static const value unknown;

static bool take(parser *p, const char *mark)
{
    bool found = p->at && p->at->kind == YK_PP_MARK && yk_pp_is(p->at, mark);
    if (found)
        p->at = p->at->next;
    return found;
}

/* ---- Operands ---- */

yk_truth yk_condition_defined(yk_macros *macros, const char *name, size_t length)
{
    /* Names that every compiler of a language defines. */
    static const struct {
        const char *name;
        bool cuda, opencl;
    } sure[] = { { "__CUDACC__", true, false },
                 { "__cplusplus", true, false },
                 { "__OPENCL_VERSION__", false, true },
                 { "__has_include", true, true } };
    yk_macro_state state = yk_macro_get(macros, name, length, NULL);
    for (size_t i = 0; i < YK_COUNT_OF(sure) && state == YK_MACRO_COMPILERS; i++)
        if (length == strlen(sure[i].name) && memcmp(name, sure[i].name, length) == 0)
            return (macros->language == YK_LANGUAGE_CUDA ? sure[i].cuda : sure[i].opencl) ? YK_TRUE : YK_FALSE;
    return state == YK_MACRO_DEFINED ? YK_TRUE : state == YK_MACRO_UNDEFINED ? YK_FALSE : YK_UNKNOWN;
}

/* Behind the word `defined`. */
static value parse_defined(parser *p)
{
    bool closed = take(p, "(");
    const yk_pp *name = p->at;
    if (!name || name->kind != YK_PP_NAME) {
        p->wrong = true;
        return unknown;
    }
    p->at = name->next;
    p->wrong = p->wrong || (closed && !take(p, ")"));
    yk_truth truth = yk_condition_defined(p->macros, name->text, name->length);
    return truth == YK_UNKNOWN ? unknown : known(truth == YK_TRUE, false);
}

static value parse_number(parser *p)
{
    const yk_pp *token = p->at;
    const char *at = token->text, *end = at + token->length;
    unsigned base = 10, longs = 0, unsigned_marks = 0;
    uint64_t bits = 0;
    p->at = token->next;
    if (*at == '0') {
        bool hex = end - at > 2 && (at[1] == 'x' || at[1] == 'X'), binary = end - at > 2 && (at[1] == 'b' || at[1] == 'B');
        base = hex ? 16 : binary ? 2 : 8;
        at += hex || binary ? 2 : 0;
    }
    for (; at < end; at++) {
        unsigned digit = *at >= '0' && *at <= '9'   ? (unsigned)(*at - '0')
                         : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a' + 10)
                         : *at >= 'A' && *at <= 'F' ? (unsigned)(*at - 'A' + 10)
                                                    : base;
        if (digit >= base)
            break;
        if (bits > (UINT64_MAX - digit) / base)
            return unknown;
        bits = bits * base + digit;
    }
    for (; at < end; at++) {
        longs += *at == 'l' || *at == 'L';
        unsigned_marks += *at == 'u' || *at == 'U';
        if (!strchr("lLuU", *at))
            return unknown; /* a floating-point number, say */
    }
    return longs > 2 || unsigned_marks > 1 ? unknown : known(bits, unsigned_marks > 0 || bits > INT64_MAX);
}

/* Skip a parenthesis with all that is in it. A string or a name in <> in it is a question about a file. */
static void skip_call(parser *p)
{
    int depth = 0;
    for (; p->at; p->at = p->at->next) {
        depth += yk_pp_is(p->at, "(");
        depth -= yk_pp_is(p->at, ")");
        if (depth == 0)
            break;
    }
    p->wrong = p->wrong || !p->at;
    p->at = p->at ? p->at->next : NULL;
}

/* A name that is not a macro is 0; in C++ all but two. */
static value parse_name(parser *p)
{
    static const char *const marks[] = { "and", "or", "not", "xor", "bitand", "bitor", "compl", "not_eq" };
    const yk_pp *name = p->at;
    bool is_cpp = p->macros->language == YK_LANGUAGE_CUDA;
    p->at = name->next;
    if (yk_pp_is(name, "defined"))
        return parse_defined(p);
    for (size_t i = 0; i < YK_COUNT_OF(marks) && is_cpp; i++)
        p->wrong = p->wrong || yk_pp_is(name, marks[i]);
    if (yk_pp_is(p->at, "(")) {
        skip_call(p);
        return unknown;
    }
    if (is_cpp && (yk_pp_is(name, "true") || yk_pp_is(name, "false")))
        return known(yk_pp_is(name, "true"), false);
    return yk_macro_get(p->macros, name->text, name->length, NULL) == YK_MACRO_UNDEFINED ? known(0, false) : unknown;
}

static value parse_unary(parser *p)
{
    value v;
    if (!p->at || p->wrong || p->depth >= DEPTH_MOST) {
        p->wrong = true;
        return unknown;
    }
    p->depth++;
    if (take(p, "(")) {
        v = parse_choice(p);
        p->wrong = p->wrong || !take(p, ")");
    } else if (take(p, "!")) {
        v = parse_unary(p);
        v = v.known ? known(v.bits == 0, false) : unknown;
    } else if (take(p, "-")) {
        v = parse_unary(p);
        v.bits = 0 - v.bits;
    } else if (take(p, "~")) {
        v = parse_unary(p);
        v.bits = ~v.bits;
    } else if (take(p, "+")) {
        v = parse_unary(p);
    } else if (p->at->kind == YK_PP_NUMBER) {
        v = parse_number(p);
    } else if (p->at->kind == YK_PP_NAME) {
        v = parse_name(p);
    } else if (p->at->kind == YK_PP_CHARACTER) {
        v = unknown;
        p->at = p->at->next;
    } else {
        v = unknown;
        p->wrong = true;
    }
    p->depth--;
    return v;
}

/* ---- Operators ---- */

static const struct {
    const char *mark;
    int level;
} operators[] = {
    { "||", 1 }, { "&&", 2 }, { "|", 3 },  { "^", 4 },  { "&", 5 }, { "==", 6 }, { "!=", 6 }, { "<", 7 },  { ">", 7 },
    { "<=", 7 }, { ">=", 7 }, { "<<", 8 }, { ">>", 8 }, { "+", 9 }, { "-", 9 },  { "*", 10 }, { "/", 10 }, { "%", 10 },
};

static value compare(const char *mark, value a, value b, bool is_unsigned)
{
    bool less = is_unsigned ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits, equal = a.bits == b.bits;
    bool yes = mark[0] == '=' ? equal : mark[0] == '!' ? !equal : mark[0] == '<' ? less : !less && !equal;
    return known(yes || (mark[1] == '=' && mark[0] != '!' && equal), false);
}

static value divide(char mark, value a, value b, bool is_unsigned)
{
    if (b.bits == 0 || (!is_unsigned && a.bits == (uint64_t)INT64_MIN && b.bits == UINT64_MAX))
        return unknown;
    if (is_unsigned)
        return known(mark == '/' ? a.bits / b.bits : a.bits % b.bits, true);
    int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
    return known((uint64_t)(mark == '/' ? x / y : x % y), false);
}

static value shift(char mark, value a, value b)
{
    enum { BITS = 64 };
    if (b.bits >= BITS)
        return unknown; /* a negative number shifts the other way, for some compilers */
    if (mark == '<')
        return known(a.bits << b.bits, a.is_unsigned);
    bool fill = !a.is_unsigned && a.bits >> (BITS - 1) && b.bits > 0;
    return known((a.bits >> b.bits) | (fill ? ~(uint64_t)0 << (BITS - b.bits) : 0), a.is_unsigned);
}

static value calculate(const char *mark, value a, value b)
{
    bool is_or = strcmp(mark, "||") == 0, is_unsigned = a.is_unsigned || b.is_unsigned;
    if (is_or || strcmp(mark, "&&") == 0) {
        bool decides = (a.known && (a.bits != 0) == is_or) || (b.known && (b.bits != 0) == is_or);
        return decides ? known(is_or, false) : a.known && b.known ? known(!is_or, false) : unknown;
    }
    if (!a.known || !b.known)
        return unknown;
    if (mark[1] == mark[0] && mark[0] != '=')
        return shift(mark[0], a, b);
    switch (mark[0]) {
    case '|':
        return known(a.bits | b.bits, is_unsigned);
    case '^':
        return known(a.bits ^ b.bits, is_unsigned);
    case '&':
        return known(a.bits & b.bits, is_unsigned);
    case '+':
        return known(a.bits + b.bits, is_unsigned);
    case '-':
        return known(a.bits - b.bits, is_unsigned);
    case '*':
        return known(a.bits * b.bits, is_unsigned);
    case '/':
    case '%':
        return divide(mark[0], a, b, is_unsigned);
    default:
        return compare(mark, a, b, is_unsigned);
    }
}

/* Operators of this level and those that bind more. */
static value parse_binary(parser *p, int level)
{
    value left = parse_unary(p);
    for (;;) {
        size_t i = 0;
        while (i < YK_COUNT_OF(operators) &&
               !(p->at && p->at->kind == YK_PP_MARK && yk_pp_is(p->at, operators[i].mark) && operators[i].level >= level))
            i++;
        if (i == YK_COUNT_OF(operators) || p->wrong)
            return left;
        p->at = p->at->next;
        left = calculate(operators[i].mark, left, parse_binary(p, operators[i].level + 1));
    }
}

static value parse_choice(parser *p)
{
    value condition = parse_binary(p, 1);
    if (!take(p, "?"))
        return condition;
    value yes = parse_choice(p);
    p->wrong = p->wrong || !take(p, ":");
    value no = parse_choice(p), chosen = !condition.known ? unknown : condition.bits ? yes : no;
    chosen.is_unsigned = yes.is_unsigned || no.is_unsigned;
    return yes.known && no.known ? chosen : unknown; /* the type depends on both */
}

yk_truth yk_condition_evaluate(yk_macros *macros, const yk_pp *first)
{
    parser p = { .macros = macros, .at = first };
    value v = parse_choice(&p);
    return p.wrong || p.at || !v.known ? YK_UNKNOWN : v.bits ? YK_TRUE : YK_FALSE;
}
