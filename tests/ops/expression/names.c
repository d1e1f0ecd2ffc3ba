/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No name of a kernel's meets one of an expression's: every function of expressions, variables, functions and what their texts
 * declare, under every name that the kernels' texts have, in every form of kernel that an expression gets into.
 */
#include "sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Every function ---- */

/* A call of a function, as a real value. */
static void write_call(const yops_function *f, char *text, size_t size)
{
    static const char *const arguments[] = { "", "xx_x", "xx_x, xx_y", "xx_x, xx_y, xx_x" };
    const char *given = f->rule == YOPS_RULE_SCALE  ? "xx_x, 3"
                        : f->rule == YOPS_RULE_TURN ? "complex(xx_x, xx_y)"
                                                    : arguments[f->arguments];
    const char *wrap = f->rule == YOPS_RULE_TURN || f->rule == YOPS_RULE_PAIR ? "real" : "";
    snprintf(text, size, "%s(%s(%s))", wrap, f->name, given);
}

/* The sum of the functions from *next on, as many as fit. */
static void write_sum(int *next, char *text, size_t size)
{
    size_t used = 0;
    char call[80];
    while (*next < YOPS_FUNCTIONS) {
        write_call(&yops_functions[*next], call, sizeof call);
        if (used + strlen(call) + 4 > size)
            return;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " + " : "", call);
        ++*next;
    }
}

/* `only` -1: in every form. */
static void every_function_of(suite *t, int32_t dtype, int only)
{
    static char text[YOPS_MOST_TEXT];
    sources_operands o;
    if (!sources_operands_create(t, dtype, &o))
        return;
    sources_begin(t, true);
    o.value = text;
    for (int form = 0; form < SOURCES_FORMS && !sources.fails; form++) {
        int next = 0;
        if (only >= 0 && form != only)
            continue;
        write_sum(&next, text, 3000);
        CHECK(next == YOPS_FUNCTIONS);
        sources_try(&o, form);
    }
    /* Of short expressions, a thread takes several chunks. */
    for (int next = 0; next < YOPS_FUNCTIONS && !sources.fails;) {
        write_sum(&next, text, 170);
        sources_try(&o, 0);
    }
    sources_end();
    yoke_buffer_release(o.buffer);
}

static void every_function(suite *t)
{
    every_function_of(t, YOKE_F32, -1);
}

static void every_function_of_double(suite *t)
{
    if (test_has(t, YOKE_F64))
        every_function_of(t, YOKE_F64, 5);
    else
        suite_skip("the device has no double");
}

/* ---- Variables ---- */

/* The name in both places: of the list, and new. */
static const char *const named[] = { "%s * 2 + xx_y", "%s = xx_y; %s * 2 + xx_y" };

static bool is_told(const char *name)
{
    const char *text = yoke_error()->text;
    if (strcmp(name, "value") == 0 && strstr(text, "has the name 'value', which the product's own value has"))
        return true;
    return strstr(text, "which is a dtype's") || strstr(text, "cannot be assigned");
}

/* Whatever a variable or a new name is called, the kernel is the same; or the name is refused by a sentence. */
static void try_name(sources_operands *o, int form, unsigned is_new, const char *name, const char *reference)
{
    char text[512];
    snprintf(text, sizeof text, named[is_new], name, name);
    o->value = text;
    o->x_name = is_new ? "xx_x" : name;
    memory_free(sources.text);
    sources.text = NULL;
    yoke_status status = sources_call(o, form);
    bool good = status == YOKE_E_INVALID_ARGUMENT
                    ? is_told(name)
                    : status == SOURCES_STOPPED && sources.text && strcmp(sources.text, reference) == 0;
    if (!CHECK(good))
        tap_diag("%s, \"%s\": %s", sources_name(form), text, status == SOURCES_STOPPED ? sources.text : yoke_error()->text);
}

static void variables_of(sources_operands *o, const sources_words *w, int form, unsigned is_new)
{
    char text[64];
    snprintf(text, sizeof text, named[is_new], is_new ? "xx_n" : "xx_x", "xx_n");
    o->value = text;
    o->x_name = "xx_x";
    if (!sources_try(o, form))
        return;
    char *reference = sources.text;
    sources.text = NULL;
    for (size_t i = 0; i < w->count && suite_failures() == 0; i++)
        if (strncmp(w->all[i], "xx_", 3) != 0)
            try_name(o, form, is_new, w->all[i], reference);
    o->x_name = "xx_x";
    memory_free(reference);
}

static void variables(suite *t)
{
    sources_operands o;
    sources_words w;
    if (!sources_operands_create(t, YOKE_F32, &o))
        return;
    sources_begin(t, false);
    sources_find_words(&o, &w);
    CHECK(w.count > 1000);
    for (int form = 0; form < SOURCES_FORMS && suite_failures() == 0; form++)
        for (unsigned is_new = 0; is_new < 2; is_new++)
            variables_of(&o, &w, form, is_new);
    tap_diag("%zu names", w.count);
    sources_end();
    sources_release_words(&w);
    yoke_buffer_release(o.buffer);
}

/* A complex product's value comes in two parts, whose names are none of these. */
static void variables_of_complex_products(suite *t)
{
    static const char *const names[] = { "value_real", "value_imag" };
    sources_operands o;
    if (!sources_operands_create(t, YOKE_C64, &o))
        return;
    sources_begin(t, false);
    for (size_t i = 0; i < YOPS_COUNT_OF(names); i++)
        for (int form = 0; form < SOURCES_FORMS; form++) {
            char text[64];
            o.x_name = names[i];
            o.value = text;
            snprintf(text, sizeof text, "value * %s + xx_y", names[i]);
            if (strstr(sources_name(form), "product"))
                sources_try(&o, form);
        }
    sources_end();
    yoke_buffer_release(o.buffer);
}

/* ---- Functions, and what stands beside them ---- */

/* Whether a program may call a function so. */
static bool is_allowed(suite *t, const char *name)
{
    const yops_call call = { "yoke_map", "here", t->stream, t->device };
    char declaration[256];
    yops_expression *e = NULL;
    snprintf(declaration, sizeof declaration, "float %s(float x)", name);
    yoke_var vars[] = { yoke_var_function(declaration, "") };
    yoke_status status = yops_expression_parse(&call, "0", vars, 1, true, &e);
    yops_expression_free(e);
    return status == YOKE_OK;
}

/* Take out the words in whose lines the compiler found errors: "names:12:5: error: …", "names(12): error: …", "error: names:12:5:
 * …". Returns whether there are some. */
static bool take_out(bool *is_own, size_t count)
{
    static const char place[] = "names";
    bool some = false;
    for (const char *line = yoke_program_get_build_log(), *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        const char *error = strstr(line, "error"), *at = strstr(line, place);
        if (!error || error > end || !at || at > end || !strchr(":(", at[sizeof place - 1]))
            continue;
        size_t number = (size_t)strtoul(at + sizeof place, NULL, 10);
        if (number == 0 || number > count)
            continue;
        some = some || is_own[number - 1];
        is_own[number - 1] = false;
    }
    return some;
}

/* How a text declares a word. */
static const char *const patterns[] = { "YOKE_FUNCTION float %s(float x_) { return x_; }\n", "typedef float %s;\n",
                                        "struct %s { float member_; };\n" };

/* Which words a program's text may declare so, by a compiler that sees nothing of ours: those of the language are taken out. */
static bool find_own(const sources_words *w, bool *is_own, const char *pattern, yoke_status (*build)(const yoke_source *source))
{
    static const char beginning[] = "#include <yoke/kernel.h>\nYOKE_KERNEL void nothing_(YOKE_GLOBAL int *p_) { p_[0] = 0; }\n";
    size_t room = sizeof beginning;
    yoke_status status = YOKE_E_BUILD;
    for (size_t i = 0; i < w->count; i++)
        room += strlen(w->all[i]) + 100;
    char *text = memory_new(room);
    for (bool again = true; again && status < 0;) {
        yoke_source source = YOKE_SOURCE_INIT;
        size_t used = (size_t)snprintf(text, room, "%s", beginning);
        for (size_t i = 0; i < w->count; i++)
            if (is_own[i]) {
                used += (size_t)snprintf(text + used, room - used, "#line %zu \"names\"\n", i + 1);
                used += (size_t)snprintf(text + used, room - used, pattern, w->all[i]);
            }
        source.text = text;
        status = build(&source);
        again = status < 0 && take_out(is_own, w->count);
    }
    memory_free(text);
    return CHECK_OK(status);
}

/* Whether a text may make a macro of the word: not of the preprocessor's and compiler's own, of C++'s operators, and of ours. */
static bool may_be_macro(const char *word)
{
    static const char *const none[] = { "defined", "_Pragma", "and", "and_eq", "bitand", "bitor", "compl",
                                        "not",     "not_eq",  "or",  "or_eq",  "xor",    "xor_eq" };
    for (size_t i = 0; i < YOPS_COUNT_OF(none); i++)
        if (strcmp(word, none[i]) == 0)
            return false;
    return strncmp(word, "__", 2) != 0 && strncmp(word, "YO", 2) != 0 && strncmp(word, "yo", 2) != 0;
}

/* A text that declares each word that it may, as a function, a type or a struct, and makes macros of the others; round by round
 * another of them. */
static char *declare_all(const sources_words *w, const bool *is_own, int round)
{
    size_t room = 200, used;
    for (size_t i = 0; i < w->count; i++)
        room += strlen(w->all[i]) + 100;
    char *text = memory_new(room);
    used = (size_t)snprintf(text, room, "YOKE_FUNCTION float called_(float x_) { return x_; }\n");
    for (size_t i = 0; i < w->count; i++)
        if (is_own[i] && (i + (size_t)round) % 4 < 3)
            used += (size_t)snprintf(text + used, room - used, patterns[(i + (size_t)round) % 4], w->all[i]);
    for (size_t i = 0; i < w->count; i++)
        if (may_be_macro(w->all[i]) && (!is_own[i] || (i + (size_t)round) % 4 == 3))
            used += (size_t)snprintf(text + used, room - used, "#define %s )(\n", w->all[i]);
    return text;
}

static void helpers_of(sources_operands *o, const sources_words *w, const bool *is_own)
{
    o->more_count = 1;
    o->value = "called_(xx_x) + sqrt(xx_y)";
    for (int form = 0; form < SOURCES_FORMS && !sources.fails; form++) {
        char *text = declare_all(w, is_own, form);
        o->more[0] = yoke_var_function("float called_(float x)", text);
        sources_try(o, form);
        memory_free(text);
    }
}

static void helpers(suite *t)
{
    sources_operands o;
    sources_words w;
    if (!sources_operands_create(t, YOKE_F32, &o))
        return;
    sources_begin(t, false);
    sources_find_words(&o, &w);
    sources_end();
    bool *is_own = memory_new(w.count * sizeof *is_own);
    size_t count = 0;
    for (size_t i = 0; i < w.count; i++)
        is_own[i] = is_allowed(t, w.all[i]) || yops_find_function(w.all[i], strlen(w.all[i])) >= 0;
    sources_begin(t, true);
    bool found = true;
    for (size_t k = 0; k < YOPS_COUNT_OF(patterns) && found; k++)
        found = find_own(&w, is_own, patterns[k], sources_build) && find_own(&w, is_own, patterns[k], sources_build_by_nvrtc);
    if (found)
        helpers_of(&o, &w, is_own);
    sources_end();
    for (size_t i = 0; i < w.count; i++)
        count += is_own[i];
    CHECK(count > 1000);
    tap_diag("%zu of %zu names can be declared", count, w.count);
    memory_free(is_own);
    sources_release_words(&w);
    yoke_buffer_release(o.buffer);
}

/* Functions with the names from *next on, as many as a call may have. */
enum { MANY = 28 };
static size_t list_functions(suite *t, const sources_words *w, size_t *next, sources_operands *o, char (*declarations)[256],
                             char (*texts)[320], char *value, size_t size)
{
    size_t used = (size_t)snprintf(value, size, "xx_x");
    for (o->more_count = 0; o->more_count < MANY && *next < w->count; ++*next) {
        const char *name = w->all[*next];
        size_t k = o->more_count;
        if (!is_allowed(t, name))
            continue;
        snprintf(declarations[k], sizeof declarations[k], "float %s(float x)", name);
        snprintf(texts[k], sizeof texts[k], "YOKE_FUNCTION float %s(float x_) { return x_ + 1; }", name);
        o->more[o->more_count++] = yoke_var_function(declarations[k], texts[k]);
        used += (size_t)snprintf(value + used, size - used, " + %s(xx_y)", name);
    }
    o->value = value;
    return o->more_count;
}

/* All that stands before the kernels of these calls, one after the other. */
static size_t collect_functions(suite *t, sources_operands *o, const sources_words *w, char **out_text)
{
    static char declarations[MANY][256], texts[MANY][320], value[YOPS_MOST_TEXT];
    size_t next = 0, count = 0, used = 0, room = w->count * 2000;
    char *all = memory_new(room);
    for (size_t more; (more = list_functions(t, w, &next, o, declarations, texts, value, sizeof value)) > 0; count += more) {
        char *end = sources_try(o, 0) ? strstr(sources.text, "#line 1 \"map.yk\"") : NULL;
        if (!CHECK(end))
            break;
        *end = '\0';
        used += (size_t)snprintf(all + used, room - used, "%s", sources.text);
        if (!CHECK(used < room))
            break;
    }
    *out_text = all;
    return count;
}

static void functions(suite *t)
{
    sources_operands o;
    sources_words w;
    char *before = NULL;
    if (!sources_operands_create(t, YOKE_F32, &o))
        return;
    sources_begin(t, false);
    sources_find_words(&o, &w);
    size_t count = collect_functions(t, &o, &w, &before);
    sources_end();
    CHECK(count > 1000);
    tap_diag("%zu functions", count);
    sources_begin(t, true);
    sources.before = before;
    o.more_count = 1;
    o.more[0] = yoke_var_function("float called_(float x)", "YOKE_FUNCTION float called_(float x_) { return x_; }");
    o.value = "called_(xx_x) + sqrt(xx_y)";
    for (int form = 0; form < SOURCES_FORMS && !sources.fails; form++)
        sources_try(&o, form);
    sources.before = NULL;
    sources_end();
    memory_free(before);
    sources_release_words(&w);
    yoke_buffer_release(o.buffer);
}

static const suite_case cases[] = {
    { "every function in every form of kernel", every_function, false },
    { "every function of double", every_function_of_double, false },
    { "variables under every name that kernels have", variables, false },
    { "variables of complex products", variables_of_complex_products, false },
    { "functions under every name that kernels have", functions, false },
    { "a function's text that declares every name that kernels have", helpers, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
