/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random expressions, their text and their values by the rules of <yoke/vars.h>. Types suit, and no function occurs that a driver
 * may round in its own way. Comparisons are between two integers or two floating-point numbers.
 */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The kinds of terms: x an array, s the scalar, i the position, c and f constants, K a cast, ? a choice, l clamp, w fma; L and R
 * shifts, = and ! comparisons, A and O && and ||, m and M min and max; _ the negative, n not, a abs, q sqrt, F C T N floor, ceil,
 * trunc, rint, I isnan, r j k real, imag, conj. All others are the operators themselves. */

/* ---- Types ---- */

static int32_t promoted(int32_t dtype)
{
    if (is_integer(dtype))
        return yoke_dtype_get_size(dtype) < 4 ? YOKE_I32 : dtype;
    return yk_dtype_get(dtype)->kind == YK_KIND_REDUCED ? YOKE_F32 : dtype;
}

int32_t common_type(int32_t a, int32_t b)
{
    a = promoted(a);
    b = promoted(b);
    if (is_complex(a) || is_complex(b))
        return is_wide(a) || is_wide(b) ? YOKE_C128 : YOKE_C64;
    if (!is_integer(a) || !is_integer(b))
        return a == YOKE_F64 || b == YOKE_F64 ? YOKE_F64 : YOKE_F32;
    return a > b ? a : b; /* int32, uint32, int64, uint64 */
}

int32_t expression_type(const expression *e)
{
    return e->terms[e->count - 1].type;
}

static bool is_float(int32_t dtype)
{
    return !is_integer(dtype) && !is_complex(dtype);
}

/* ---- Drawing ---- */

static int add_term(expression *e, char kind, int32_t type, int a, int b, int c)
{
    e->terms[e->count] = (term){ .kind = kind, .type = type, .of = { (int8_t)a, (int8_t)b, (int8_t)c } };
    return e->count++;
}

static int add_two(model *m, expression *e, int a, int b)
{
    int32_t x = e->terms[a].type, y = e->terms[b].type, type = common_type(x, y);
    if (is_complex(type)) {
        char kind = "+-*="[draw(m, 4)];
        return add_term(e, kind, kind == '=' ? YOKE_BOOL : type, a, b, 0);
    }
    if (is_integer(type)) {
        char kind = "+-*/%&|^LRmM<>=!AO"[draw(m, 18)];
        bool shifts = kind == 'L' || kind == 'R';
        return add_term(e, kind, shifts ? promoted(x) : strchr("<>=!AO", kind) ? YOKE_BOOL : type, a, b, 0);
    }
    char kind = "+-*/mM<>=!"[draw(m, is_integer(x) == is_integer(y) ? 10 : 6)];
    kind = kind == '/' && !m->exact ? '+' : kind;
    return add_term(e, kind, strchr("<>=!", kind) ? YOKE_BOOL : type, a, b, 0);
}

static int add_one(model *m, expression *e, int a)
{
    int32_t type = promoted(e->terms[a].type);
    if (is_complex(type)) {
        char kind = "rjk_"[draw(m, 4)];
        return add_term(e, kind, kind == '_' || kind == 'k' ? type : type == YOKE_C64 ? YOKE_F32 : YOKE_F64, a, 0, 0);
    }
    if (chance(m, 30))
        return add_term(e, 'K', PICK(m, YOKE_BOOL, YOKE_I8, YOKE_U8, YOKE_I16, YOKE_U32, YOKE_I64, YOKE_F16, YOKE_BF16, YOKE_F32),
                        a, 0, 0);
    char kind = is_integer(type) ? "_~na"[draw(m, 4)] : "_aqFCTNI"[draw(m, m->exact ? 8 : 2)];
    return add_term(e, kind, kind == 'n' || kind == 'I' ? YOKE_BOOL : type, a, 0, 0);
}

static int add_three(model *m, expression *e, int a, int b, int c)
{
    int32_t x = e->terms[a].type, y = e->terms[b].type, z = e->terms[c].type, type = common_type(common_type(x, y), z);
    if (is_complex(x) || is_complex(y) || is_complex(z))
        return add_two(m, e, a, b);
    if (is_float(x) && is_float(y) && is_float(z) && m->exact && chance(m, 50))
        return add_term(e, chance(m, 50) ? 'w' : 'l', type, a, b, c);
    return add_term(e, '?', common_type(y, z), a, b, c);
}

void expression_draw(model *m, expression *e, const int32_t *dtypes, int arrays, bool has_index)
{
    memset(e, 0, sizeof *e);
    for (int k = 1; k <= arrays; k++)
        add_term(e, 'x', dtypes[k], k, 0, 0);
    if (chance(m, 30))
        add_term(e, 's', YOKE_F32, 0, 0, 0);
    if (has_index && chance(m, 30))
        add_term(e, 'i', YOKE_I64, 0, 0, 0);
    if (chance(m, 50))
        e->terms[add_term(e, 'c', YOKE_I32, 0, 0, 0)].value.re = (long double)draw(m, 12) - 4;
    if (chance(m, 20))
        e->terms[add_term(e, 'f', YOKE_F32, 0, 0, 0)].value.re = ((long double)draw(m, 64) - 16) / 4;
    int leaves = e->count;
    /* Each array occurs: they are chained, with what else there is in between. */
    int last = 0;
    for (int k = 1; k < arrays; k++)
        last = add_two(m, e, last, k);
    for (unsigned more = draw(m, 4); more > 0 && e->count < MOST_TERMS - 1; more--) {
        int other = (int)draw(m, (uint32_t)leaves);
        uint32_t dice = draw(m, 3);
        last = dice == 0   ? add_one(m, e, last)
               : dice == 1 ? add_two(m, e, last, other)
                           : add_three(m, e, last, other, (int)draw(m, (uint32_t)e->count));
    }
    if (e->count == leaves || last != e->count - 1)
        add_two(m, e, last, leaves - 1);
}

/* ---- Text ---- */

static int write_term(const expression *e, int at, char *text, size_t size)
{
    const term *x = &e->terms[at];
    static const char *const functions[] = {
        ['m'] = "min",   ['M'] = "max",   ['a'] = "abs",   ['q'] = "sqrt", ['F'] = "floor", ['C'] = "ceil",
        ['T'] = "trunc", ['N'] = "rint",  ['I'] = "isnan", ['r'] = "real", ['j'] = "imag",  ['k'] = "conj",
        ['w'] = "fma",   ['l'] = "clamp", ['_'] = "-",     ['n'] = "!",    ['~'] = "~",     ['L'] = "<<",
        ['R'] = ">>",    ['='] = "==",    ['!'] = "!=",    ['A'] = "&&",   ['O'] = "||",    ['?'] = "?"
    };
    static const char one_argument[] = "aqFCTNIrjk_n~", three[] = "wl", operators[] = "+-*/%&|^LR<>=!AO";
    char a[MOST_TEXT] = "", b[MOST_TEXT] = "", c[MOST_TEXT] = "", own[2] = { x->kind, 0 };
    const char *word =
        (size_t)x->kind < sizeof functions / sizeof *functions && functions[(int)x->kind] ? functions[(int)x->kind] : own;
    switch (x->kind) {
    case 'x':
        return snprintf(text, size, "x%d", x->of[0]);
    case 's':
    case 'i':
        return snprintf(text, size, "%c", x->kind);
    case 'c':
        return snprintf(text, size, "(%d)", (int)x->value.re);
    case 'f':
        return snprintf(text, size, "(%.2Lff)", x->value.re);
    default:
        break;
    }
    write_term(e, x->of[0], a, sizeof a);
    if (x->kind == 'K')
        return snprintf(text, size, "(%s)(%s)", yoke_dtype_get_name(x->type), a);
    if (strchr(one_argument, x->kind))
        return snprintf(text, size, "%s(%s)", word, a);
    write_term(e, x->of[1], b, sizeof b);
    if (strchr(operators, x->kind))
        return snprintf(text, size, "(%s %s %s)", a, word, b);
    if (x->kind != '?' && !strchr(three, x->kind))
        return snprintf(text, size, "%s(%s, %s)", word, a, b);
    write_term(e, x->of[2], c, sizeof c);
    return x->kind == '?' ? snprintf(text, size, "(%s ? %s : %s)", a, b, c) : snprintf(text, size, "%s(%s, %s, %s)", word, a, b, c);
}

void expression_text(const expression *e, char *text, size_t size)
{
    write_term(e, e->count - 1, text, size);
}

/* ---- Values ---- */

number least(number a, number b, bool largest)
{
    if (isnan(a.re) || isnan(b.re))
        return isnan(a.re) ? b : a;
    if (a.re == b.re)
        return !signbit(a.re) == largest ? a : b;
    return (a.re < b.re) == largest ? b : a;
}

static long double real_arithmetic(char kind, bool is_double, long double a, long double b)
{
    float x = (float)a, y = (float)b;
    double wide_x = (double)a, wide_y = (double)b;
    switch (kind) {
    case '+':
        return is_double ? wide_x + wide_y : x + y;
    case '-':
        return is_double ? wide_x - wide_y : x - y;
    case '*':
        return is_double ? wide_x * wide_y : x * y;
    default:
        return is_double ? wide_x / wide_y : x / y;
    }
}

static wide_int integer_arithmetic(char kind, int32_t type, wide_int a, wide_int b)
{
    __extension__ typedef unsigned __int128 bits;
    int width = 8 * (int)yoke_dtype_get_size(type);
    switch (kind) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return (wide_int)((bits)a * (bits)b);
    case '/':
        return b == 0 ? 0 : a / b;
    case '%':
        return b == 0 ? 0 : a % b;
    case '&':
        return a & b;
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case 'L':
        return b < 0 || b >= width ? 0 : (wide_int)((bits)a << (int)b);
    default:
        return b < 0 || b >= width ? (a < 0 ? -1 : 0) : a >> (int)b;
    }
}

number arithmetic(char kind, int32_t type, number a, number b)
{
    number x = { 0, 0 };
    bool is_double = is_wide(type);
    if (kind == 'm' || kind == 'M')
        return least(a, b, kind == 'M');
    if (is_integer(type)) {
        x.re = wrap(type, integer_arithmetic(kind, type, (wide_int)a.re, (wide_int)b.re));
    } else if (!is_complex(type) || kind != '*') {
        x.re = real_arithmetic(kind, is_double, a.re, b.re);
        x.im = is_complex(type) ? real_arithmetic(kind, is_double, a.im, b.im) : 0;
    } else {
        x.re = real_arithmetic('-', is_double, real_arithmetic('*', is_double, a.re, b.re),
                               real_arithmetic('*', is_double, a.im, b.im));
        x.im = real_arithmetic('+', is_double, real_arithmetic('*', is_double, a.re, b.im),
                               real_arithmetic('*', is_double, a.im, b.re));
    }
    return x;
}

static bool compare_numbers(char kind, number a, number b)
{
    switch (kind) {
    case '<':
        return a.re < b.re;
    case '>':
        return a.re > b.re;
    case '=':
        return a.re == b.re && a.im == b.im;
    default:
        return a.re != b.re || a.im != b.im;
    }
}

static number of_one(char kind, int32_t type, number a)
{
    switch (kind) {
    case '_':
        return is_integer(type) ? (number){ wrap(type, -(wide_int)a.re), 0 } : (number){ -a.re, is_complex(type) ? -a.im : 0 };
    case '~':
        return (number){ wrap(type, ~(wide_int)a.re), 0 };
    case 'n':
        return (number){ a.re == 0, 0 };
    case 'a':
        return (number){ is_integer(type) ? wrap(type, (wide_int)fabsl(a.re)) : fabsl(a.re), 0 };
    case 'q':
        return (number){ is_wide(type) ? sqrt((double)a.re) : sqrtf((float)a.re), 0 };
    case 'F':
        return (number){ floorl(a.re), 0 };
    case 'C':
        return (number){ ceill(a.re), 0 };
    case 'T':
        return (number){ truncl(a.re), 0 };
    case 'N':
        return (number){ rintl(a.re), 0 };
    case 'I':
        return (number){ isnan(a.re), 0 };
    case 'r':
        return (number){ a.re, 0 };
    case 'j':
        return (number){ a.im, 0 };
    default:
        return (number){ a.re, -a.im };
    }
}

static number clamped(number x, number low, number high)
{
    return isnan(x.re) ? x : least(least(x, low, true), high, false);
}

static number value_of(const expression *e, int at, const number *known)
{
    const term *x = &e->terms[at];
    number v[3];
    int32_t type[3];
    for (int i = 0; i < 3; i++) {
        type[i] = e->terms[x->of[i]].type;
        v[i] = known[x->of[i]];
    }
    if (x->kind == 'K')
        return convert(v[0], type[0], x->type);
    if (x->kind == '?')
        return v[0].re != 0 ? convert(v[1], type[1], x->type) : convert(v[2], type[2], x->type);
    if (x->kind == 'w' || x->kind == 'l') {
        for (int i = 0; i < 3; i++)
            v[i] = convert(v[i], type[i], x->type);
        if (x->kind == 'l')
            return clamped(v[0], v[1], v[2]);
        return (number){ x->type == YOKE_F64 ? fma((double)v[0].re, (double)v[1].re, (double)v[2].re)
                                             : fmaf((float)v[0].re, (float)v[1].re, (float)v[2].re),
                         0 };
    }
    if (strchr("_~naqFCTNIrjk", x->kind))
        return of_one(x->kind, promoted(type[0]), v[0]);
    if (x->kind == 'A' || x->kind == 'O')
        return (number){ x->kind == 'A' ? v[0].re != 0 && v[1].re != 0 : v[0].re != 0 || v[1].re != 0, 0 };
    if (x->kind == 'L' || x->kind == 'R')
        return arithmetic(x->kind, x->type, v[0], v[1]);
    int32_t common = common_type(type[0], type[1]);
    v[0] = convert(v[0], type[0], common);
    v[1] = convert(v[1], type[1], common);
    if (strchr("<>=!", x->kind))
        return (number){ compare_numbers(x->kind, v[0], v[1]), 0 };
    return arithmetic(x->kind, common, v[0], v[1]);
}

number expression_value(const expression *e, const number *arrays, const int32_t *dtypes, long double scalar, int64_t position)
{
    number known[MOST_TERMS] = { { 0, 0 } };
    for (int i = 0; i < e->count; i++) {
        const term *x = &e->terms[i];
        if (x->kind == 'x')
            known[i] = arrays[x->of[0]];
        else if (x->kind == 's')
            known[i].re = scalar;
        else if (x->kind == 'i')
            known[i].re = position;
        else if (x->kind == 'c' || x->kind == 'f')
            known[i] = x->value;
        else
            known[i] = value_of(e, i, known);
    }
    (void)dtypes;
    return known[e->count - 1];
}
