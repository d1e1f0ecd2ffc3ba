/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions without a device: what is read, written and computed in which type, the statements, and what mistakes say. */
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tap/tap.h"
#include "evaluate.h"

static const yops_call call = { "yoke_map", "here", NULL, NULL };

static yoke_array array_of(int32_t dtype)
{
    return (yoke_array){ .dtype = dtype };
}

/* c, x, y: float; a: a float scalar; then a name for each dtype, as u8, but for double ones; the function smooth. */
enum { C, X, Y, A, B, I8, U8, I16, U16, I32, U32, I64, U64, H, BH, Z, SMOOTH, COUNT };
static yoke_var vars[COUNT + 2];

static void make_vars(void)
{
    static const struct {
        const char *name;
        int32_t dtype;
    } arrays[] = { { "c", YOKE_F32 },     { "x", YOKE_F32 },   { "y", YOKE_F32 },   { "a", YOKE_F32 },
                   { "bias", YOKE_BOOL }, { "i8", YOKE_I8 },   { "u8", YOKE_U8 },   { "i16", YOKE_I16 },
                   { "u16", YOKE_U16 },   { "i32", YOKE_I32 }, { "u32", YOKE_U32 }, { "i64", YOKE_I64 },
                   { "u64", YOKE_U64 },   { "h", YOKE_F16 },   { "bh", YOKE_BF16 }, { "z", YOKE_C64 } };
    for (size_t k = 0; k < YOPS_COUNT_OF(arrays); k++)
        vars[k] = yoke_var_array(arrays[k].name, array_of(arrays[k].dtype));
    vars[A] = yoke_var_scalar("a", YOKE_NUMBER(2.5f));
    vars[SMOOTH] = yoke_var_function("float smooth(float x, int32 n)", "…");
    vars[COUNT] = yoke_var_array("d", array_of(YOKE_F64));
    vars[COUNT + 1] = yoke_var_array("zz", array_of(YOKE_C128));
}

static yops_expression *parse(const char *text, size_t count, bool wants_value)
{
    yops_expression *e = NULL;
    if (yops_expression_parse(&call, text, vars, count, wants_value, &e) < 0)
        tap_diag("%s: %s", text, yoke_error()->text);
    return e;
}

/* ---- Types ---- */

static void types(void)
{
    static const struct {
        const char *text;
        int32_t dtype, with_double;
    } all[] = {
        { "x", YOKE_F32, YOKE_F32 },
        { "u8", YOKE_U8, YOKE_U8 },
        { "+u8", YOKE_I32, YOKE_I32 },
        { "+i8", YOKE_I32, YOKE_I32 },
        { "+h", YOKE_F32, YOKE_F32 },
        { "-bias", YOKE_I32, YOKE_I32 },
        { "~u16", YOKE_I32, YOKE_I32 },
        { "u8 + u16", YOKE_I32, YOKE_I32 },
        { "i32 + u32", YOKE_U32, YOKE_U32 },
        { "i64 + u32", YOKE_I64, YOKE_I64 },
        { "i64 + u64", YOKE_U64, YOKE_U64 },
        { "u8 << i64", YOKE_I32, YOKE_I32 },
        { "u64 >> 1", YOKE_U64, YOKE_U64 },
        { "i64 + x", YOKE_F32, YOKE_F32 },
        { "h * bh", YOKE_F32, YOKE_F32 },
        { "x * 0.5", YOKE_F32, YOKE_F32 },
        { "0.5 * 0.25 * x", YOKE_F32, YOKE_F32 },
        { "-(0.5 + i32) * x", YOKE_F32, YOKE_F32 },
        { "x * sqrt(2.0 * n)", YOKE_F32, YOKE_F32 },
        { "x > 0 ? 1.0 : x", YOKE_F32, YOKE_F32 },
        { "i32 * 0.5", YOKE_F32, YOKE_F64 },
        { "0.5", YOKE_F32, YOKE_F64 },
        { "0.5f", YOKE_F32, YOKE_F32 },
        { "sqrt(i32)", YOKE_F32, YOKE_F64 },
        { "(float)n * 0.1", YOKE_F32, YOKE_F32 },
        { "(double)0.1", YOKE_F64, YOKE_F64 },
        { "(double)x * 0.1", YOKE_F64, YOKE_F64 },
        { "(uint8)300", YOKE_U8, YOKE_U8 },
        { "(float16)x", YOKE_F16, YOKE_F16 },
        { "x < y", YOKE_BOOL, YOKE_BOOL },
        { "bias ? x < y : bias", YOKE_I32, YOKE_I32 },
        { "!x", YOKE_BOOL, YOKE_BOOL },
        { "x && z", YOKE_BOOL, YOKE_BOOL },
        { "z * x", YOKE_C64, YOKE_C64 },
        { "z * 0.1", YOKE_C64, YOKE_C64 },
        { "z + (double)1", YOKE_C128, YOKE_C128 },
        { "abs(z)", YOKE_F32, YOKE_F32 },
        { "abs(i8)", YOKE_I32, YOKE_I32 },
        { "real(conj(z))", YOKE_F32, YOKE_F32 },
        { "complex(x, 1)", YOKE_C64, YOKE_C64 },
        { "complex(0, 1.0)", YOKE_C64, YOKE_C128 },
        { "min(u8, 3)", YOKE_I32, YOKE_I32 },
        { "min(x, 3)", YOKE_F32, YOKE_F32 },
        { "clamp(x, 0, 1.0)", YOKE_F32, YOKE_F32 },
        { "fmax(h, 0)", YOKE_F32, YOKE_F32 },
        { "isnan(x)", YOKE_BOOL, YOKE_BOOL },
        { "ldexp(x, i8)", YOKE_F32, YOKE_F32 },
        { "smooth(i8, 1.5)", YOKE_F32, YOKE_F32 },
        { "i0 + n1", YOKE_I64, YOKE_I64 },
        { "2147483647", YOKE_I32, YOKE_I32 },
        { "2147483648", YOKE_I64, YOKE_I64 },
        { "0x80000000", YOKE_U32, YOKE_U32 },
        { "0xffffffffffffffff", YOKE_U64, YOKE_U64 },
        { "017", YOKE_I32, YOKE_I32 },
        { "1u", YOKE_U32, YOKE_U32 },
        { "4294967296u", YOKE_U64, YOKE_U64 },
        { "1ll", YOKE_I64, YOKE_I64 },
        { "1LLU", YOKE_U64, YOKE_U64 },
        { "true", YOKE_BOOL, YOKE_BOOL },
        { "t = u8; t", YOKE_U8, YOKE_U8 },
        { "t = u8 + 1; t += x; t", YOKE_I32, YOKE_I32 },
        { "t = 0.5; t", YOKE_F32, YOKE_F64 },
    };
    for (size_t i = 0; i < YOPS_COUNT_OF(all); i++)
        for (int with_double = 0; with_double < 2; with_double++) {
            yops_expression *e = parse(all[i].text, with_double ? COUNT + 2 : COUNT, true);
            int32_t dtype = with_double ? all[i].with_double : all[i].dtype,
                    got = e ? yops_expression_get_facts(e)->value_dtype : 0;
            tap_is(yoke_dtype_get_name(got), yoke_dtype_get_name(dtype), "%s%s", all[i].text, with_double ? ", beside double" : "");
            yops_expression_free(e);
        }
}

static void facts(void)
{
    static const struct {
        const char *text;
        uint32_t read, written, functions, indices;
        bool needs_f64;
    } all[] = {
        { "c = a * x + y", 1 << A | 1 << X | 1 << Y, 1 << C, 0, 0, false },
        { "c += x", 1 << C | 1 << X, 1 << C, 0, 0, false },
        { "c = x; c *= 2; h = c", 1 << X, 1 << C | 1 << H, 0, 0, false },
        { "c = c", 1 << C, 1 << C, 0, 0, false },
        { "c = smooth(x, i)", 1 << X, 1 << C, 1 << SMOOTH, YOPS_POSITION, false },
        { "c = i0 + i7 * n0 + n7 + n", 0, 1 << C, 0, YOPS_INDEX(0) | YOPS_INDEX(7) | YOPS_EXTENT(0) | YOPS_EXTENT(7) | YOPS_SIZE,
          false },
        { "c = (double)x", 1 << X, 1 << C, 0, 0, true },
        { "d = 1", 0, 1u << COUNT, 0, 0, true },
        { "c = d", 1u << COUNT, 1 << C, 0, 0, true },
        { "c = x; ; c = 1;", 1 << X, 1 << C, 0, 0, false },
        { "t = 0.5 * x;\n\tc = t", 1 << X, 1 << C, 0, 0, false },
    };
    for (size_t i = 0; i < YOPS_COUNT_OF(all); i++) {
        yops_expression *e = parse(all[i].text, COUNT + 1, false);
        if (!tap_ok(e, "%s", all[i].text))
            continue;
        const yops_expression_facts *f = yops_expression_get_facts(e);
        tap_ok(f->read == all[i].read && f->written == all[i].written, "what is read and written: 0x%x, 0x%x", f->read, f->written);
        tap_ok(f->functions == all[i].functions && f->indices == all[i].indices, "functions and index variables: 0x%x, 0x%x",
               f->functions, f->indices);
        tap_ok(f->needs_f64 == all[i].needs_f64 && f->value_dtype == 0, "double: %d", f->needs_f64);
        yops_expression_free(e);
    }
}

/* ---- Statements ---- */

static void statements(void)
{
    static const struct {
        const char *text, *statements;
    } all[] = {
        { "c = a * x + y", "{\n"
                           "    value_f32 step_3 = in_3 * in_1;\n"
                           "    value_f32 step_5 = step_3 + in_2;\n"
                           "    out_0 = step_5;\n"
                           "}\n" },
        { "i32 = i8 + -7", "{\n"
                           "    value_i32 step_3 = (yoke_i32)((yoke_u32)in_5 + (yoke_u32)(-7));\n"
                           "    out_9 = step_3;\n"
                           "}\n" },
        { "h = u8 * 0.1", "{\n"
                          "    value_f32 step_2 = f32_from_u(in_6);\n" /* the constant is node 2 of the text */
                          "}\n" },
        { "c = smooth(x, 3) / 0.5", "{\n"
                                    "    value_f32 step_5 = (value_f32)(stored_f32)yops_own_smooth(in_1, 3);\n"
                                    "    value_f32 step_7 = step_5 / 0.5f;\n"
                                    "    out_0 = step_7;\n"
                                    "}\n" },
        { "c = bias && smooth(x, 3) > 1", "{\n"
                                          "    value_bool step_9 = in_4;\n"
                                          "    if (step_9 != 0u) {\n"
                                          "        value_f32 step_6 = (value_f32)(stored_f32)yops_own_smooth(in_1, 3);\n"
                                          "        value_bool step_8 = step_6 > 1.0f ? 1u : 0u;\n"
                                          "        step_9 = step_8;\n"
                                          "    }\n"
                                          "    value_f32 step_10 = f32_from_u(step_9);\n"
                                          "    out_0 = step_10;\n"
                                          "}\n" },
    };
    for (size_t i = 0; i < YOPS_COUNT_OF(all); i++) {
        char *text = NULL;
        yops_expression *e = parse(all[i].text, COUNT, false);
        if (i == 2) { /* its numbers are not looked at */
            tap_ok(e && yops_expression_emit(&call, e, &text) == YOKE_OK && strstr(text, "* yoke_uint_as_float(0x3dcccccdu);"),
                   "%s: 0.1 is compared by its bits", all[i].text);
        } else {
            tap_ok(e && yops_expression_emit(&call, e, &text) == YOKE_OK, "%s", all[i].text);
            tap_ok(text && strcmp(text, all[i].statements) == 0, "the statements are the known ones");
            if (text && strcmp(text, all[i].statements) != 0)
                tap_diag("%s", text);
        }
        free(text);
        yops_expression_free(e);
    }
}

/* ---- Values ---- */

static void values(void)
{
    static const struct {
        const char *text;
        double value;
    } all[] = {
        { "1 + 2 * 3", 7 },
        { "(1 + 2) * 3", 9 },
        { "7 - 2 - 1", 4 },
        { "1 << 2 + 1", 8 },
        { "1 | 2 ^ 3 & 2", 1 },
        { "3 == 3 & 1", 1 },
        { "1 < 2 == 2 > 1", 1 },
        { "0 || 1 && 0", 0 },
        { "1 ? 2 : 0 ? 3 : 4", 2 },
        { "0 ? 2 : 0 ? 3 : 4", 4 },
        { "- - 3", 3 },
        { "!3 + ~0", -1 },
        { "-7 / 2", -3 },
        { "-7 % 4", -3 },
        { "7 / 0 + 7 % 0", 0 },
        { "(-2147483647 - 1) / -1 == -2147483647 - 1", 1 },
        { "2147483647 + 1", -2147483648.0 },
        { "1 << 32", 0 },
        { "1 << -1", 0 },
        { "-8 >> 1", -4 },
        { "-8 >> 40", -1 },
        { "8u >> 40", 0 },
        { "(int8)200", -56 },
        { "(uint8)-1", 255 },
        { "(uint8)-1.5", 0 },
        { "(int32)1e10", 2147483647 },
        { "(int32)NAN", 0 },
        { "(float)0.1 == 0.1f", 1 },
        { "0x1.8p1", 3 },
        { ".5 + 5. + 1e-1f * 0", 5.5 },
        { "0x10 + 010 + 10", 34 },
        { "-0.0 < 0", 0 },
        { "signbit(min(0.0, -0.0)) + signbit(max(-0.0, 0.0))", 1 },
        { "min(NAN, 3.0) + fmax(4.0, NAN)", 7 },
        { "isnan(clamp(NAN, 0.0, 1.0))", 1 },
        { "clamp(5, 0, 3)", 3 },
        { "real(complex(1.0f, 2.0f) * complex(3.0f, 4.0f))", -5 },
        { "imag(complex(1.0f, 2.0f) / complex(3.0f, 4.0f))", 0.08f },
        { "M_PI > 3.14 && M_PI < 3.15", 1 },
        { "3.4028235e38 == 3.40282346638528859811704183484516925e38", 1 },
        { "0.1 == 0.10000000000000000555", 1 },
        { "t = 3; t *= t; t -= 1; t", 8 },
        { "t = (int8)100; t += 100; t", -56 },
        { "t = 5; t <<= 2; t |= 1; t ^= 3; t &= 0xfe; t >>= 1; t %= 8; t", 3 },
    };
    for (size_t i = 0; i < YOPS_COUNT_OF(all); i++) {
        yops_expression *e = parse(all[i].text, 0, true);
        evaluation self = { .count = 0 };
        if (!tap_ok(e, "%s", all[i].text))
            continue;
        evaluate(e, &self);
        double got = evaluate_convert(self.value, yops_expression_get_facts(e)->value_dtype, YOKE_F64).d;
        tap_ok(got == all[i].value || (float)got == (float)all[i].value, "is %g: %g", all[i].value, got);
        yops_expression_free(e);
    }
}

/* ---- Mistakes ---- */

static void is_refused(const char *text, size_t count, bool wants_value, const char *expected)
{
    yops_expression *e = NULL;
    yoke_status status = yops_expression_parse(&call, text, vars, count, wants_value, &e);
    tap_is(status, YOKE_E_INVALID_ARGUMENT, "refused: %.60s", text);
    bool same = strcmp(yoke_error()->text, expected) == 0;
    tap_ok(same, "with the right text");
    if (!same && status < 0)
        tap_diag("%s\n instead of\n%s", yoke_error()->text, expected);
    if (status >= 0)
        yops_expression_free(e);
}

static void mistakes(void)
{
    static const struct {
        const char *text;
        bool wants_value;
        const char *message;
    } all[] = {
#include "mistakes.def"
    };
    for (size_t i = 0; i < YOPS_COUNT_OF(all); i++)
        is_refused(all[i].text, COUNT, all[i].wants_value, all[i].message);
}

static void has_words(const char *what, yoke_status status, const char *words)
{
    tap_ok(status == YOKE_E_INVALID_ARGUMENT && strstr(yoke_error()->text, words), "%s: %s", what, words);
    if (!strstr(yoke_error()->text, words))
        tap_diag("%s", yoke_error()->text);
}

static void wrong_lists(void)
{
    const struct {
        yoke_var var;
        const char *words;
    } all[] = {
        { yoke_var_array(NULL, array_of(YOKE_F32)), "vars[1] has no name" },
        { yoke_var_array("", array_of(YOKE_F32)), "vars[1] has the name ''" },
        { yoke_var_array("s.x", array_of(YOKE_F32)), "vars[1] has the name 's.x'" },
        { yoke_var_array("1x", array_of(YOKE_F32)), "vars[1] has the name '1x'" },
        { yoke_var_array("float", array_of(YOKE_F32)), "a dtype's" },
        { yoke_var_array("c", array_of(YOKE_F32)), "vars[0] and vars[1] have the same name, 'c'" },
        { { "k", NULL, 9, { 0, { 0 } }, { 0 } }, "'k', vars[1], has the kind 9" },
        { yoke_var_array("k", array_of(0)), "'k', vars[1], is not an array" },
        { yoke_var_array("k", array_of(77)), "the dtype 77" },
        { yoke_var_scalar("k", (yoke_number){ 0, { 0 } }), "the scalar 'k', vars[1], has the dtype 0" },
        { yoke_var_function("float f(float", ""), "lacks a comma or a closing parenthesis" },
        { yoke_var_function("float f(complex64 z)", ""), "a parameter whose type" },
        { yoke_var_function("int f(float x)", ""), "does not begin with the name of a real dtype" },
        { yoke_var_function("float (float x)", ""), "has no name" },
        { yoke_var_function("float f(float x) {", ""), "goes on" },
        { yoke_var_function("float f(float x,)", ""), "a parameter whose type" },
        { yoke_var_function(
              "float f(float,float,float,float,float,float,float,float,float,float,float,float,float,float,float,float,"
              "float)",
              ""),
          "more than 16" },
        { yoke_var_function("float sqrt(float x)", ""), "'sqrt', which has a meaning" },
        { yoke_var_function("float bfloat16(float x)", ""), "'bfloat16', which has a meaning" },
        { yoke_var_function("float yoke_smooth(float x)", ""), "'yoke_smooth', whose beginning is Yoke's own" },
        { yoke_var_function("float YOPS_x(float x)", ""), "'YOPS_x', whose beginning is Yoke's own" },
        { yoke_var_function("float return(float x)", ""), "'return', which is a word of C" },
        { yoke_var_function("float signed(float x)", ""), "'signed', which is a word of C" },
        { yoke_var_function("float xor(float x)", ""), "'xor', which is a word of C or C++" },
        { yoke_var_function("float __smooth(float x)", ""), "'__smooth', which is a word of C or C++, or kept for compilers" },
        { yoke_var_function("float f(float x)", NULL), "its text is NULL" },
    };
    yops_expression *e = NULL;
    yoke_error_clear();
    for (size_t i = 0; i < YOPS_COUNT_OF(all); i++) {
        yoke_var list[] = { vars[C], all[i].var };
        has_words("a wrong list", yops_expression_parse(&call, "c = 1", list, 2, false, &e), all[i].words);
        yoke_error_clear();
    }
    has_words("too many", yops_expression_parse(&call, "c = 1", vars, 33, false, &e), "at most 32");
    has_words("no list", yops_expression_parse(&call, "c = 1", NULL, 1, false, &e), "vars is NULL");
    has_words("no text", yops_expression_parse(&call, NULL, vars, 1, false, &e), "expression is NULL");
}

static void repeat(char *text, size_t size, const char *begin, const char *what, size_t count, const char *end)
{
    size_t used = (size_t)snprintf(text, size, "%s", begin);
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s", what);
    snprintf(text + used, size - used, "%s", end);
}

static void limits(void)
{
    static const struct {
        const char *begin, *what;
        size_t count;
        const char *end, *words; /* NULL: it is allowed */
    } all[] = {
        { "c = ", "(", 60, "x", "has no ')'" },
        { "c = ", "(", 3000, "x", "more than 64 levels" },
        { "c = ", "-", 63, "x", NULL },
        { "c = ", "!", 64, "x", "more than 64 levels" },
        { "c = ", "1?", 65, "x", "more than 64 levels" },
        { "c = ", "1?1:", 62, "x", NULL },
        { "c = ", "(int8)", 70, "x", "more than 64 levels" },
        { "c = ", "abs(", 70, "x", "more than 64 levels" },
        { "c = x", " + x", 255, "", NULL },
        { "c = x", "+x", 2000, "", "more than 256 operations" },
        { "c = 1", "+0.5", 300, "", "more than 256 operations" },
        { "c = smooth(", "1,", 1000, "1)", "takes 2 arguments, but 1001 were given" },
        { "c = x", ";", 4091, "", NULL },
        { "c = x", ";", 4092, "", "longer than 4096 bytes" },
        { "c = ", "1", 4000, "", "too large" },
        { "c = 1.", "1", 4000, "", NULL },
        { "c = ", "q", 4000, "", "unknown name" },
        { "c = ", "c=", 2000, "", "'=' assigns at the beginning" },
        { "", "c=1;", 1024, "", NULL },
    };
    static char text[8192];
    for (size_t i = 0; i < YOPS_COUNT_OF(all); i++) {
        yops_expression *e = NULL;
        repeat(text, sizeof text, all[i].begin, all[i].what, all[i].count, all[i].end);
        yoke_status status = yops_expression_parse(&call, text, vars, COUNT, false, &e);
        tap_is(status, all[i].words ? YOKE_E_INVALID_ARGUMENT : YOKE_OK, "%s, %s %zu times", all[i].begin, all[i].what,
               all[i].count);
        if (all[i].words)
            has_words("the limit", status, all[i].words);
        yops_expression_free(e);
    }
    char *at = text;
    for (int i = 0; i < 65; i++)
        at += sprintf(at, "t%d = %d; ", i, i);
    yops_expression *e = NULL;
    has_words("new names", yops_expression_parse(&call, text, vars, COUNT, false, &e), "more than 64 new names");
}

static void axes(void)
{
    yops_expression *e = parse("c = i0 + n2", COUNT, false);
    tap_ok(e && yops_expression_check_axes(&call, e, 3) == YOKE_OK, "i0 and n2 suit three dimensions");
    has_words("but not two", e ? yops_expression_check_axes(&call, e, 2) : YOKE_OK,
              "'n2' needs arrays of more than 2 dimensions, and "
              "these have 2\n      c = i0 + n2\n"
              "               ^~");
    yops_expression_free(e);
}

static void locales(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C" };
    for (size_t i = 0; i < YOPS_COUNT_OF(names); i++)
        if (setlocale(LC_ALL, names[i])) {
            tap_diag("the decimal point is '%s'", localeconv()->decimal_point);
            break;
        }
    yops_expression *e = parse("0.12345678901234567890 > 0.1234 && 1.5 == 3 / 2.0", 0, true);
    evaluation self = { .count = 0 };
    if (e)
        evaluate(e, &self);
    tap_ok(e && self.value.u == 1, "numbers do not depend on the locale");
    yops_expression_free(e);
}

/* The texts by which kernels are found are written without printf, and are the same. */
static void written(void)
{
    bool same = true;
    for (size_t size = 0; size <= 64; size++) {
        char own[64] = "#", other[64] = "#";
        int length = yops_write(own, size, "IN=%s N=%d %d %d U=%u %zu%s", "f32", 0, -17, INT_MIN, UINT_MAX, SIZE_MAX, "");
        int expected = snprintf(other, size, "IN=%s N=%d %d %d U=%u %zu%s", "f32", 0, -17, INT_MIN, UINT_MAX, SIZE_MAX, "");
        same = same && length == expected && strcmp(own, other) == 0;
    }
    tap_ok(same, "options are written as printf writes them, and cut off in the same places");
}

int main(void)
{
    tap_start(60);
    make_vars();
    types();
    facts();
    statements();
    values();
    mistakes();
    wrong_lists();
    limits();
    axes();
    locales();
    written();
    return tap_done();
}
