/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What directives ask about headers: #include of a macro, __has_include, and the conditions and macros that both depend on. The
 * answers are in the expanded text, or there is a refusal; no question is left for a compiler that has no files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tap/tap.h"
#include "program/include/include.h"

static yk_text out;
static yk_line_map map;
static yoke_source source = YOKE_SOURCE_INIT;

static const yoke_header headers[] = {
    { "h", "IN;\n" },
    { "yes", "YES;\n" },
    { "no", "NO;\n" },
    { "d/v.h", "V;\n#include \"w.h\"\n" },
    { "d/w.h", "W;\n" },
    { "hdr.h", "#define HDR \"h\"\n" },
    { "counter.h", "#ifndef N\n#define N 0\n#endif\n#if N < 3\nROUND;\n#if N == 0\n#undef N\n#define N 1\n#elif N == 1\n#undef N\n"
                   "#define N 2\n#else\n#undef N\n#define N 3\n#endif\n#include \"counter.h\"\n#endif\n" },
    { "else.h", "#ifndef ELSE_H\n#define ELSE_H\n#include \"else.h\"\nFIRST;\n#else\nSECOND;\n#endif\n" },
    { "reserved.h", "#ifndef _RESERVED_H\n#define _RESERVED_H\n#include \"reserved.h\"\nFIRST;\n#else\nSECOND;\n#endif\n" },
    { "operator.h", "_Pragma ( \"once\" ) // the same\nONCE;\n" },
    { "some.h", "#ifdef KEEP\n#pragma once\n#endif\nSOME;\n" },
    { "some_unknown.h", "#ifdef _KEEP\n#pragma once\n#endif\nSOME;\n" },
    { "unknown.h", "#if _X\n#include \"unknown.h\"\n#endif\nDEEP;\n" },
    { "late.h", "#pragma once\n#undef HDR\n#define HDR \"yes\"\n" },
    { NULL, NULL },
};

static yoke_status expand_in(yk_language language, const char *text)
{
    yk_text_free(&out);
    yk_line_map_free(&map);
    return yk_include_expand("test", &source, language, text, strlen(text), "main", NULL, &out, &map);
}

static int has(const char *part)
{
    int count = 0;
    for (const char *at = yk_text_get(&out); (at = strstr(at, part)); at++)
        count++;
    return count;
}

static bool says(const char *words)
{
    return strstr(yoke_error()->text, words) != NULL;
}

/* ---- Spellings ---- */

/* Each brings the header once, in both languages. */
static void computed(void)
{
    static const char *const texts[] = {
        "#define HDR \"h\"\n#include HDR\n",
        "#define HDR <h>\n#include HDR // yes\n",
        "#define HDR < h >\n#define HDR2 HDR\n#undef HDR\n#define HDR <h>\n#include HDR2\n",
        " \t# /**/ include /* more\n lines */ HDR2\n",
        "%:define HDR \"h\"\n%:include HDR\n",
        "#def\\\nine HDR \\\n \"h\"\n#inc\\\nlude H\\\nDR\n",
        "#define S2(x) #x\n#define S(x) S2(x)\n#include S(h)\n",
        "#define S2(x) %:x\n#define S(x) S2(x)\n#define E\n#include S(E h E)\n",
        "#define S2(x, ...) #x\n#define S(...) S2(__VA_ARGS__)\n#include S(h)\n",
        "#define S2(...) #__VA_ARGS__\n#define S(x) S2(x)\n#define CAT(a, b) a##b\n#define XYZ h\n#include S(CAT(X, YZ))\n",
        "#define ID(x) x\n#include ID(ID(\"h\"))\n",
        "#include \"hdr.h\"\n#include HDR\n",
        "#include GIVEN\n",
        "#include GIVEN2(h)\n",
        "#ifndef GIVEN\n#define GIVEN \"no\"\n#endif\n#include GIVEN\n",
        "#ifdef NOT_GIVEN\n#define HDR \"no\"\n#else\n#define HDR \"h\"\n#endif\n#include HDR\n",
        "#if _X\n#define HDR \"h\"\n#include HDR\n#endif\n",
        "#define HDR \"no\"\n#if _X\n#undef HDR\n#define HDR \"yes\"\n#endif\n#undef HDR\n#define HDR \"h\"\n#include HDR\n",
        "#define HDR \"h\"\n#if 0\n#undef HDR\n#define HDR \"no\"\n#elif 1\n#else\n#undef HDR\n#endif\n#include HDR\n",
        "#define HDR \"h\"\n#if _X\n#elif 1\n#include HDR\n#endif\n",
        "#if _X\n#else\n#define HDR \"h\"\n#include HDR\n#endif\n",
        "#include_next <h>\n",
        "#define HDR <h>\n#include_next HDR\n",
    };
    static const char *const defines[] = { "GIVEN=\"h\"", "GIVEN2(x)=<x>", "HDR2=\"h\"", NULL };
    for (size_t i = 0; i < YK_COUNT_OF(texts); i++)
        for (int language = 0; language < YK_LANGUAGE_COUNT; language++) {
            source.defines = strstr(texts[i], "#define HDR2") ? NULL : defines;
            bool right = expand_in((yk_language)language, texts[i]) == YOKE_OK && has("IN;") == 1 && !has("NO;") && !has("#error");
            if (!tap_ok(right, "the macro's header: %zu in %d", i, language))
                tap_diag("%s\n%s", texts[i], right ? "" : yoke_error()->text);
        }
    source.defines = NULL;
}

#define CAT_PERHAPS "#define CAT2(a, b) a##b\n#if _X\n#define CAT(a, b) CAT2(a, b)\n#else\n#define CAT(a, b) 0\n#endif\n"
#define CAT_POPPED                                                                                     \
    "#define CAT2(a, b) a##b\n#define CAT(a, b) CAT2(a, b)\n#pragma push_macro(\"CAT\")\n#undef CAT\n" \
    "#pragma pop_macro(\"CAT\")\n"

/* Each is refused where it is certainly reached, and an #error where it may be skipped. */
static void refused(void)
{
    static const struct {
        const char *before, *directive, *words;
    } cases[] = {
        { "", "#include HDR\n", "which is not a header's name" },
        { "", "#include\n", "which is not a header's name" },
        { "", "#include _HDR\n", "_HDR may be a macro of the compiler" },
        { "#if _X\n#define HDR \"yes\"\n#else\n#define HDR \"no\"\n#endif\n", "#include HDR\n", "HDR depends on" },
        { "#define HDR \"yes\"\n#ifdef _X\n#undef HDR\n#endif\n", "#include HDR\n", "HDR depends on" },
        { "#define HDR \"h\"\n#pragma push_macro(\"HDR\")\n#undef HDR\n#pragma pop_macro(\"HDR\")\n", "#include HDR\n", "HDR" },
        { "#define HDR \"h\\a\"\n", "#include HDR\n", "not a header's name" },
        { "#define HDR \"h\" \"h\"\n", "#include HDR\n", "not a header's name" },
        { "#define HDR L\"h\"\n", "#include HDR\n", "not a header's name" },
        { "#define HDR <h\n", "#include HDR\n", "not a header's name" },
        { "#define F(x, y) \"h\"\n", "#include F(1)\n", "cannot be expanded" },
        { "#define F(x) \"h\"\n", "#include F(1, 2)\n", "cannot be expanded" },
        { "#define F(x) \"h\"\n", "#include F(\n", "cannot be expanded" },
        { "#define F(x) x##+\n", "#include F(1)\n", "cannot be expanded" },
        { "", "#import \"h\"\n", "does not expand this" },
        { "", "#embed \"h\"\n", "does not expand this" },
        { "", "#__include_macros \"h\"\n", "does not expand this" },
        { "", "#pragma include_alias(\"a\", \"h\")\n", "does not expand this" },
        { "", "?\?=include \"h\"\n", "does not expand this" },
        { "", "#if __has_embed(\"h\")\n#endif\n", "__has_embed" },
        { "", "#if __has_include(HDR)\n#endif\n", "__has_include" },
        { "", "#if __has_include(\"../h\")\n#endif\n", "leads out of every include folder" },
        { "#if _X\n#define HAS(x) __has_include(x)\n#else\n#define HAS(x) 0\n#endif\n", "#if HAS(<h>)\n#endif\n",
          "HAS depends on" },
        { "#if _X\n#define ASK __has_include(<h>)\n#endif\n#if _Y\n#define Q ASK\n#endif\n", "#if Q\n#endif\n", "Q depends on" },
        { CAT_PERHAPS, "#if CAT(__has_, include)(<h>)\n#endif\n", "CAT depends on" },
        { CAT_PERHAPS "#define PART __has_\n", "#if CAT(PART, include)(<h>)\n#endif\n", "CAT depends on" },
        { CAT_PERHAPS "#define ASK __has_include(<h>)\n", "#if CAT(A, SK)\n#endif\n", "CAT depends on" },
        { CAT_PERHAPS "#define BEGIN __h\n#define END clude\n", "#if CAT(CAT(BEGIN, as_in), END)(<h>)\n#endif\n",
          "CAT depends on" },
        { CAT_POPPED, "#if CAT(__has_include, _next)(<h>)\n#endif\n", "CAT depends on" },
        { CAT_POPPED, "#if CAT(_, _has_include)(<h>)\n#endif\n", "CAT depends on" },
        { "", "#if _HAS(\"h\")\n#endif\n", "_HAS depends on" },
        { "", "#if _HAS(<h>)\n#endif\n", "_HAS depends on" },
        { "", "#if __has_include(\"h\") && $x\n#endif\n", "cannot be expanded" },
    };
    char text[512];
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++) {
        snprintf(text, sizeof text, "%s%s", cases[i].before, cases[i].directive);
        tap_is(expand_in(YK_LANGUAGE_OPENCL, text), YOKE_E_BUILD, "refused: %zu", i);
        if (!tap_ok(says(cases[i].words), "and why"))
            tap_diag("%s\n%s", text, yoke_error()->text);
        snprintf(text, sizeof text, "%s#if _Z\n%s#endif\n", cases[i].before, cases[i].directive);
        tap_is(expand_in(YK_LANGUAGE_OPENCL, text), YOKE_OK, "not where it may be skipped: %zu", i);
        if (!tap_ok(has("#error ") == 1 && !has("IN;"), "there it is an #error"))
            tap_diag("%s", yk_text_get(&out));
    }
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "int x; // which?\?/\n#include \"h\"\n"), YOKE_E_BUILD, "a trigraph at the end of a line");
    tap_ok(says("main:1") && says("trigraph"), "is named: %s", yoke_error()->text);
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#if 0\n#elif __has_include(HDR)\n#endif\n"), YOKE_OK, "in an #elif");
    tap_is(has("#elif 1\n#error"), 1, "it is an #error in the branch");
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#define HAS(x) __has_include(x)\n#if _X\n#undef HAS\n#define HAS(x) 0\n"
                                         "#elif HAS(<h>)\n#endif\n"),
           YOKE_OK, "an #elif, before which a branch defines what it asks");
    tap_ok(has("#elif 1\n#error") == 1 && !has("#elif HAS"), "does not go by that branch");
}

/* A macro that is not known is the compiler's affair, where nothing could ask for a header. */
static void harmless(void)
{
    static const char *const befores[] = { CAT_PERHAPS, CAT_POPPED };
    static const char *const directives[] = {
        "#define SIZE(T) CAT(size_, T)\n#define size_float 4\n#if SIZE(float) * 4 <= 256 && W == 4\n#endif\n",
        "#define e 2\n#define include 3\n#if CAT(1, 2) > e\n#elif CAT(include, 4)\n#endif\n",
        "#define _x x_\n#define __has x\n#if CAT(_x, CAT(_y, 1))\n#endif\n",
        "#if 0\n#elif CAT(1, 2)\n#endif\n",
        "#if CAT(1, 2)\n#if CAT(3, 4)\n#endif\n#else\n#endif\n",
    };
    char text[512];
    for (size_t before = 0; before < YK_COUNT_OF(befores); before++)
        for (size_t i = 0; i < YK_COUNT_OF(directives); i++)
            for (int language = 0; language < YK_LANGUAGE_COUNT; language++) {
                snprintf(text, sizeof text, "%s%s", befores[before], directives[i]);
                bool right = expand_in((yk_language)language, text) == YOKE_OK && strstr(yk_text_get(&out), text);
                if (!tap_ok(right, "an unknown macro without a question: %zu, %zu in %d", before, i, language))
                    tap_diag("%s\n%s\n%s", text, yk_text_get(&out), yoke_error()->text);
            }
}

/* ---- __has_include ---- */

/* Yoke answers; nothing asks any more. */
static void answers(void)
{
    static const struct {
        const char *condition;
        int answer;
    } cases[] = {
        { "__has_include(\"h\")", 1 },
        { "__has_include(<h>)", 1 },
        { "__has_include(\"none\")", 0 },
        { "!__has_include( \"none\" ) // yes", 1 },
        { "__has_\\\ninclude /* more */ (\\\n<h>)", 1 },
        { "__has_include(<d/v.h>) && __has_include(\"yoke/types.h\")", 1 },
        { "__has_include(<d//v.h>) && !__has_include(<d/none.h>)", 1 },
        { "defined(__has_include) && __has_include(\"h\")", 1 },
        { "defined __has_include && !__has_include(\"h\")", 0 },
        { "__has_include_next(\"h\")", 1 },
        { "HAS(\"h\")", 1 },
        { "HAS(HDR)", 1 },
        { "__has_include(HDR)", 1 },
        { "__has_include(S(d/v.h))", 1 },
        { "ASK", 1 },
        { "_X || __has_include(\"h\")", 1 },
        { "(_X && __has_include(\"none\")) || 0", 0 },
        { "__has_builtin(__builtin_x) || __has_include(<h>)", 1 },
    };
    static const char before[] = "#define HAS(x) __has_include(x)\n#define HDR \"h\"\n#define S2(x) #x\n#define S(x) S2(x)\n"
                                 "#define ASK __has_include(HDR)\n";
    char text[512];
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++)
        for (int form = 0; form < 2; form++) {
            snprintf(text, sizeof text, "%s%s %s\n#define T \"yes\"\n#else\n#define T \"no\"\n#endif\nint line_%s;\n#include T\n",
                     before, form ? "#if 0\n#elif" : "#if", cases[i].condition, "x");
            bool right =
                expand_in(YK_LANGUAGE_OPENCL, text) == YOKE_OK && has("YES;") == cases[i].answer && has("NO;") == !cases[i].answer;
            const char *body = strstr(yk_text_get(&out), "#if");
            right = right && body && !strstr(body, "__has_include(") && !strstr(body, "ASK") && !strstr(body, "HAS(");
            const char *file = "", *at = strstr(yk_text_get(&out), "int line_x");
            unsigned long number = 1, line = 0, wanted = 1;
            for (const char *c = yk_text_get(&out); at && c < at; c++)
                number += *c == '\n';
            for (const char *c = text; c < strstr(text, "int line_x"); c++)
                wanted += *c == '\n';
            right = right && yk_line_map_find(&map, number, &file, &line) && line == wanted;
            if (!tap_ok(right, "%s%s", form ? "#elif: " : "", cases[i].condition))
                tap_diag("%s\n%s", yk_text_get(&out), yoke_error()->text);
        }
    tap_is(expand_in(YK_LANGUAGE_CUDA, "#if __has_include(<cuda_fp16.h>)\n#endif\n#if __has_include(\"math.h\")\n#endif\n"),
           YOKE_OK, "a header of the Toolkit");
    tap_ok(has("#if __has_include(<cuda_fp16.h>)\n") == 1 && has("#if 1\n") == 1, "is for NVRTC to say, a stub is not");
    tap_is(expand_in(YK_LANGUAGE_CUDA, "#if __has_include(\"cuda_fp16.h\") && __has_include(<h>)\n#endif\n"), YOKE_OK,
           "and in \"\"");
    tap_is(has("#if __has_include(<cuda_fp16.h>) && 1\n"), 1, "it does not look into the working directory");
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#define X __has_include\nint x; // __has_include(\"h\")\n#ifdef __has_include\n#endif\n"),
           YOKE_OK, "where nothing asks");
    tap_ok(has("#define X __has_include\nint x; // __has_include(\"h\")\n#ifdef __has_include\n") == 1, "the text stays");
}

/* ---- Conditions ---- */

static void conditions(void)
{
    enum { NO, YES, UNKNOWN };
    static const struct {
        const char *expression;
        int opencl, cuda;
    } cases[] = {
        { "1", YES, YES },
        { "0x10 == 16 && 010 == 8 && 0b11 == 3 && 1ul == 1", YES, YES },
        { "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && 7 / 2 == 3 && -7 % 3 == -1", YES, YES },
        { "1 - 2 - 3 == -4 && 1 << 2 << 1 == 8 && -8 >> 1 == -4", YES, YES },
        { "-1 > 0u && -1 < 0 && ~0u == 0xffffffffffffffff", YES, YES },
        { "1 | 2 ^ 3 & 1 || 0", YES, YES },
        { "1 < 2 == 1 && 3 != 4 && 2 <= 2 && 3 >= 2 && !(3 > 3)", YES, YES },
        { "0 ? 1 : 2 ? 0 : 1", NO, NO },
        { "(0 ? 1u : -1) > 0", YES, YES },
        { "A == 3 && F(A) == 4 && !defined(B) && defined A", YES, YES },
        { "NAMELESS == 0 && !NAMELESS", YES, YES },
        { "_X", UNKNOWN, UNKNOWN },
        { "_X && 0", NO, NO },
        { "1 || _X", YES, YES },
        { "_X || 0", UNKNOWN, UNKNOWN },
        { "_X(1, 2) && 0", NO, NO },
        { "defined(_X) || 1", YES, YES },
        { "defined(_X)", UNKNOWN, UNKNOWN },
        { "U && 0", UNKNOWN, UNKNOWN }, /* U may be "1 || 1" */
        { "defined(U)", UNKNOWN, UNKNOWN },
        { "1 / 0", UNKNOWN, UNKNOWN },
        { "1 +", UNKNOWN, UNKNOWN },
        { "1 2", UNKNOWN, UNKNOWN },
        { "'a' == 97", UNKNOWN, UNKNOWN },
        { "1.5", UNKNOWN, UNKNOWN },
        { "1'000", UNKNOWN, UNKNOWN },
        { "99999999999999999999", UNKNOWN, UNKNOWN },
        { "1 << 64", UNKNOWN, UNKNOWN },
        { "true", UNKNOWN, YES },
        { "defined __CUDACC__", NO, YES },
        { "defined __OPENCL_VERSION__", YES, NO },
        { "__OPENCL_VERSION__ >= 120", UNKNOWN, UNKNOWN },
        { "1 and 1", UNKNOWN, UNKNOWN },
    };
    char text[512];
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++)
        for (int language = 0; language < YK_LANGUAGE_COUNT; language++) {
            snprintf(text, sizeof text,
                     "#define A 3\n#define F(x) ((x) + 1)\n#ifdef _Q\n#define U 1 || 1\n#endif\n#if %s\n#define T \"yes\"\n#else\n"
                     "#define T \"no\"\n#endif\n#include T\n",
                     cases[i].expression);
            yoke_status status = expand_in((yk_language)language, text);
            int found = status < 0 ? UNKNOWN : has("YES;") ? YES : NO;
            tap_is(found, language == YK_LANGUAGE_CUDA ? cases[i].cuda : cases[i].opencl, "%s", cases[i].expression);
        }
}

/* ---- Headers that are read more than once ---- */

static void repeated(void)
{
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#include \"counter.h\"\n"), YOKE_OK, "a header that includes itself under a counter");
    tap_is(has("ROUND;"), 3 + 1, "ends when the counter says so"); /* the last is in the branch that is skipped */
}

static void guards(void)
{
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#include \"else.h\"\n"), YOKE_OK,
           "a header that includes itself under a guard with #else");
    tap_ok(has("SECOND;") == 2 && has("FIRST;") == 2, "is put in for both");
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#include \"reserved.h\"\n"), YOKE_OK, "and where the compiler may define the guard");
    tap_ok(has("SECOND;") == 2 && has("FIRST;") == 2, "too");
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#include \"operator.h\"\n#include \"operator.h\"\n"), YOKE_OK, "_Pragma(\"once\")");
    tap_ok(has("ONCE;") == 1 && !has("_Pragma"), "counts as #pragma once");
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#include \"some.h\"\n#include \"some.h\"\n#define KEEP\n#include \"some.h\"\n"
                                         "#include \"some.h\"\n"),
           YOKE_OK, "a #pragma once that a condition skips");
    tap_is(has("#ifndef YOKE_ONCE_"), has("SOME;"), "is left to the compiler");
    tap_ok(has("SOME;") >= 3 && has("#define YOKE_ONCE_") == has("SOME;"), "where it is reached");
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#include \"some_unknown.h\"\n#include \"some_unknown.h\"\n"), YOKE_OK, "or may be");
    tap_is(has("SOME;"), 2, "likewise");
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#include \"unknown.h\"\n"), YOKE_OK, "one that includes itself, or not");
    tap_ok(has("DEEP;") == 200 && has("#error \"unknown.h:2") == 1, "is put in as deep as headers may be");
    tap_is(expand_in(YK_LANGUAGE_OPENCL,
                     "#if _X\n#include \"late.h\"\n#undef HDR\n#define HDR \"no\"\n#endif\n#include \"late.h\"\n"
                     "#include HDR\n"),
           YOKE_E_BUILD, "what a header with #pragma once defines where it may have been skipped");
    tap_ok(says("HDR depends on"), "is not certain: %s", yoke_error()->text);
}

/* ---- Places ---- */

static void absolute(void)
{
    char folder[] = "/tmp/yoke-questions.XXXXXX", tab[64], path[96], text[256], define[128];
    const char *folders[] = { tab, NULL }, *defines[] = { define, NULL };
    if (!mkdtemp(folder))
        tap_bail("no folder for headers");
    snprintf(tab, sizeof tab, "%s/a\tb", folder);
    snprintf(path, sizeof path, "%s/v.h", tab);
    FILE *file = mkdir(tab, 0700) == 0 ? fopen(path, "w") : NULL;
    if (!file || fputs("FILE;\n", file) < 0 || fclose(file) != 0)
        tap_bail("%s cannot be written", path);
    source.headers = NULL;
    source.include_folders = folders;
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#include \"v.h\"\n"), YOKE_OK, "a folder whose name has a tab");
    tap_ok(has("FILE;") == 1 && has(path) == 1, "has its header");
    snprintf(text, sizeof text, "#include \"%s\"\n", path);
    tap_is(expand_in(YK_LANGUAGE_OPENCL, text), YOKE_OK, "an absolute name in an include folder");
    source.include_folders = NULL;
    tap_is(expand_in(YK_LANGUAGE_OPENCL, text), YOKE_E_BUILD, "is refused without the folder");
    tap_ok(says("absolute path") && says("include_folders"), "with a remedy: %s", yoke_error()->text);
    source.defines = defines;
    snprintf(define, sizeof define, "HDR=\"%s\"", path);
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#include HDR\n"), YOKE_OK, "a define names the file");
    tap_is(has("FILE;"), 1, "which is read");
    snprintf(define, sizeof define, "DIR=%s", folder);
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#define S2(x) #x\n#define S(x) S2(x)\n#include S(DIR/none.h)\n"), YOKE_OK,
           "a define names a folder, and a file is missing");
    tap_is(has("#error \""), 1, "which is an #error");
    snprintf(define, sizeof define, "DIR=/");
    tap_is(expand_in(YK_LANGUAGE_OPENCL, text), YOKE_E_BUILD, "the root is not what a define offers");
    source.defines = NULL;
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#include \"../h.h\"\n"), YOKE_E_BUILD, "a text in memory has no folder");
    tap_ok(says("leads out") && says("give the text as a file"), "with a remedy: %s", yoke_error()->text);
    static const yoke_header lonely[] = { { "a.h", "#include \"../h.h\"\n" }, { NULL, NULL } };
    source.headers = lonely;
    tap_is(expand_in(YK_LANGUAGE_OPENCL, "#include \"a.h\"\n"), YOKE_E_BUILD, "nor does a virtual header of a plain name");
    tap_ok(says("a.h:1") && says("folder/header.h"), "with a remedy: %s", yoke_error()->text);
    unlink(path);
    rmdir(tab);
    rmdir(folder);
}

/* ---- Time ---- */

static void large(void)
{
    static const char *const units[] = {
        "#if _X\n", "#define A A B\n",    "#if A(1\n#endif\n", "#define F(x) x x\n#undef F\n", "#if _X\n#define A\n#endif\n", "??",
        "%:",       "_Pragma(\"once\")\n"
    };
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 64);
    for (size_t i = 0; text && i < YK_COUNT_OF(units); i++) {
        size_t unit = strlen(units[i]), size = 0;
        for (; size + unit <= SIZE; size += unit)
            memcpy(text + size, units[i], unit);
        strcpy(text + size, "\n#if A && F(F(F(1)))\n#endif\n");
        tap_is(expand_in(YK_LANGUAGE_CUDA, text), YOKE_OK, "1 MiB of the same, %zu", i);
    }
    free(text);
    static const char grows[] =
        "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(A(x))))))))\n#if B(B(B(1)))\n#endif\n";
    tap_is(expand_in(YK_LANGUAGE_CUDA, grows), YOKE_OK, "macros that grow without bound");
}

int main(void)
{
    tap_start(60);
    source.headers = headers;
    computed();
    refused();
    harmless();
    answers();
    conditions();
    repeated();
    guards();
    absolute();
    large();
    yk_text_free(&out);
    yk_line_map_free(&map);
    return tap_done();
}
