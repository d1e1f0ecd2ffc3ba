/* SPDX-License-Identifier: Apache-2.0 */
/* Random expressions. Each operation is in parentheses, so that its operands are of the kind that was drawn for them. */
#include "generate.h"

#include <stdarg.h>
#include <stdio.h>

#include "ops/call/call.h"
#include "ops/expression/tree.h"
#include "../arrays.h"

enum { DEEPEST = 5 };

typedef enum kind { INTEGER, REAL, COMPLEX, KINDS } kind;

typedef struct generator {
    uint32_t *state;
    char *text;
    size_t size, used;
    bool has_double;
} generator;

static unsigned below(generator *g, unsigned limit)
{
    return (unsigned)test_random_below(g->state, limit);
}

YOKE_PRINTF(2, 3) static void put(generator *g, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(g->text + g->used, g->size - g->used, format, values);
    va_end(values);
    g->used += g->used + (size_t)length < g->size ? (size_t)length : g->size - 1 - g->used;
}

static void value(generator *g, kind wanted, unsigned depth);

#define PICK(g, ...) pick(g, (const char *const[]){ __VA_ARGS__ }, YOPS_COUNT_OF(((const char *const[]){ __VA_ARGS__ })))
static const char *pick(generator *g, const char *const *from, size_t count)
{
    return from[below(g, (unsigned)count)];
}

static void leaf(generator *g, kind wanted)
{
    bool scalar = below(g, 4) == 0;
    unsigned what = below(g, 10);
    if (wanted == COMPLEX)
        put(g, "%s_%s", scalar ? "s" : "x", g->has_double && what < 5 ? "c128" : "c64");
    else if (wanted == REAL && what < 3)
        put(g, "%s", PICK(g, "0.5", "2.0", "1e-3", "0.1f", "-0.0", "M_PI", "3e10", "1.5", "INFINITY", "NAN"));
    else if (wanted == REAL)
        put(g, "%s_%s", scalar ? "s" : "x",
            g->has_double ? PICK(g, "f16", "bf16", "f32", "f32", "f64") : PICK(g, "f16", "bf16", "f32", "f32"));
    else if (what < 2)
        put(g, "%s", PICK(g, "i", "n", "i0", "i1", "n0", "n1"));
    else if (what < 5)
        put(g, "%s",
            PICK(g, "0", "1", "2", "-1", "7", "31", "33", "100", "0x80000000", "0xffu", "2147483647", "1ll", "3ull", "true",
                 "9223372036854775807"));
    else
        put(g, "%s_%s", scalar ? "s" : "x", PICK(g, "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"));
}

/* name(a, b, …) */
static void function(generator *g, const char *name, unsigned count, kind wanted, unsigned depth)
{
    put(g, "%s(", name);
    for (unsigned i = 0; i < count; i++) {
        put(g, i ? ", " : "");
        value(g, wanted, depth);
    }
    put(g, ")");
}

/* One of the catalogue's functions of a rule, so that a new one is among them. */
static void any_function(generator *g, yops_function_rule rule, kind wanted, unsigned depth)
{
    const yops_function *of_rule[YOPS_FUNCTIONS];
    unsigned count = 0;
    for (int i = 0; i < YOPS_FUNCTIONS; i++)
        if (yops_functions[i].rule == rule)
            of_rule[count++] = &yops_functions[i];
    const yops_function *chosen = of_rule[below(g, count)];
    function(g, chosen->name, chosen->arguments, wanted, depth);
}

static void operation(generator *g, const char *text, kind a, kind b, unsigned depth)
{
    put(g, "(");
    value(g, a, depth);
    put(g, " %s ", text);
    value(g, b, depth);
    put(g, ")");
}

static void choice(generator *g, kind wanted, unsigned depth)
{
    put(g, "(");
    value(g, (kind)below(g, KINDS), depth);
    put(g, " ? ");
    value(g, wanted, depth);
    put(g, " : ");
    value(g, below(g, 3) ? wanted : INTEGER, depth);
    put(g, ")");
}

static void integer(generator *g, unsigned depth)
{
    switch (below(g, 10)) {
    case 0:
    case 1:
        operation(g, PICK(g, "+", "-", "*"), INTEGER, INTEGER, depth);
        break;
    case 2:
        operation(g, PICK(g, "/", "%"), INTEGER, INTEGER, depth);
        break;
    case 3:
        operation(g, PICK(g, "&", "|", "^"), INTEGER, INTEGER, depth);
        break;
    case 4:
        operation(g, PICK(g, "<<", ">>"), INTEGER, INTEGER, depth);
        break;
    case 5:
        function(g, PICK(g, "-", "~", "+", "!", "abs"), 1, INTEGER, depth);
        break;
    case 6:
        put(g, "(%s)", PICK(g, "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"));
        function(g, "", 1, (kind)below(g, KINDS), depth);
        break;
    case 7:
        operation(g, PICK(g, "<", ">", "<=", ">=", "==", "!="), (kind)below(g, 2), (kind)below(g, 2), depth);
        break;
    case 8:
        operation(g, PICK(g, "&&", "||", "==", "!="), (kind)below(g, KINDS), (kind)below(g, KINDS), depth);
        break;
    default:
        if (below(g, 4))
            any_function(g, YOPS_RULE_ORDERED, INTEGER, depth);
        else
            function(g, PICK(g, "isnan", "isinf", "isfinite"), 1, REAL, depth);
    }
}

static void real(generator *g, unsigned depth)
{
    switch (below(g, 9)) {
    case 0:
    case 1:
        operation(g, PICK(g, "+", "-", "*", "/"), REAL, REAL, depth);
        break;
    case 2:
        operation(g, PICK(g, "+", "-", "*", "/"), below(g, 2) ? REAL : INTEGER, REAL, depth);
        break;
    case 3:
        function(g, PICK(g, "-", "+", "abs", "fabs", "sqrt"), 1, REAL, depth);
        break;
    case 4:
        function(g, PICK(g, "floor", "ceil", "trunc", "round", "rint"), 1, (kind)below(g, 2), depth);
        break;
    case 5:
        function(g, PICK(g, "fmin", "fmax", "fdim"), 2, REAL, depth);
        break;
    case 6:
        if (below(g, 3))
            any_function(g, YOPS_RULE_ORDERED, REAL, depth);
        else
            function(g, "fma", 3, REAL, depth);
        break;
    case 7:
        any_function(g, YOPS_RULE_PART, COMPLEX, depth);
        break;
    default:
        put(g, "(%s)", g->has_double ? PICK(g, "float16", "bfloat16", "float", "double") : PICK(g, "float16", "bfloat16", "float"));
        function(g, "", 1, (kind)below(g, KINDS), depth);
    }
}

static void complex(generator *g, unsigned depth)
{
    switch (below(g, 6)) {
    case 0:
        operation(g, PICK(g, "+", "-", "*", "/"), COMPLEX, COMPLEX, depth);
        break;
    case 1:
        operation(g, PICK(g, "+", "-", "*", "/"), COMPLEX, (kind)below(g, 2), depth);
        break;
    case 2:
        function(g, "complex", 2, REAL, depth);
        break;
    case 3:
        any_function(g, YOPS_RULE_TURN, COMPLEX, depth);
        break;
    case 4:
        function(g, "-", 1, COMPLEX, depth);
        break;
    default:
        put(g, "(%s)", g->has_double ? PICK(g, "complex64", "complex128") : "complex64");
        function(g, "", 1, (kind)below(g, KINDS), depth);
    }
}

static void value(generator *g, kind wanted, unsigned depth)
{
    if (depth >= DEEPEST || g->used > 600 || below(g, 4) == 0)
        leaf(g, wanted);
    else if (below(g, 12) == 0)
        choice(g, wanted, depth + 1);
    else
        (wanted == INTEGER ? integer : wanted == REAL ? real : complex)(g, depth + 1);
}

void generate_value(uint32_t *state, bool has_double, char *text, size_t size)
{
    generator g = { state, text, size, 0, has_double };
    value(&g, (kind)below(&g, KINDS), 0);
}
