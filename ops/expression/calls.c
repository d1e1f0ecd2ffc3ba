/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the statements of an expression call, as a text that stands before all of the kernel: the languages' functions and the
 * program's. No name of the kernel's can meet one of theirs, by this rule:
 *
 *  - Statements hold names of ours alone. A function of the language, round, is called in a function of ours, yops_round_f,
 *    which is compiled where no other name of ours is known; so is the program's text. The kernel's options are defined behind.
 *  - In the program's text, its functions have other names, yops_own_NAME; so has everything else in it that a text of ours
 *    declares outside of functions.
 *  - Macros that the text defines end with it.
 *
 * All else of the text either is a word of the language, or hides behind the kernel's local names, parameters and macros, which the
 * kernel declares later. Names that begin with yoke_ and yops_ are ours.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"
#include "identity.h"
#include "base/system/text_stream.h"
#include "call/text.h"

/* ---- Words ---- */

/* A reader of C's words: names, and the characters that are none. Comments, numbers and what stands in quotes are passed over. */
typedef struct reader {
    const char *at;
    const char *word; /* a name, or NULL */
    size_t length;
    char character; /* 0 at the end; of a name its first */
    bool in_first_column;
    const char *begin;
} reader;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Past a comment, or what stands in quotes; where neither begins, nothing is passed. */
static const char *skip_silent(const char *at)
{
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] != '"' && at[0] != '\'')
        return at;
    for (char quote = *at++; *at && *at != quote && *at != '\n'; at++)
        at += at[0] == '\\' && at[1];
    return *at && *at != '\n' ? at + 1 : at;
}

static const char *skip_to_token(const char *at)
{
    for (;;) {
        const char *next = skip_silent(at);
        if (next == at && *at && strchr(" \t\r\n\f\v\\", *at))
            next++;
        if (next == at)
            return at;
        at = next;
    }
}

static bool next_token(reader *r)
{
    r->at = skip_to_token(r->at);
    r->in_first_column = r->at == r->begin || r->at[-1] == '\n';
    r->character = *r->at;
    r->word = is_letter(*r->at) ? r->at : NULL;
    r->length = 0;
    if (!*r->at)
        return false;
    if (r->word || is_digit(*r->at)) {
        const char *first = r->at;
        while (is_letter(*r->at) || is_digit(*r->at) || (!r->word && *r->at == '.'))
            r->at++;
        r->length = (size_t)(r->at - first);
    } else {
        r->at++;
    }
    return true;
}

static bool is_word(const reader *r, const char *word)
{
    return r->word && strncmp(r->word, word, r->length) == 0 && word[r->length] == '\0';
}

/* ---- Names ---- */

typedef enum role {
    MENTIONED = 0,
    OURS = 1,    /* a text of ours declares it */
    CALLED = 2,  /* a function of the program's that the expression calls */
    DEFINED = 4, /* a macro */
    MEMBER = 8   /* stands behind a dot */
} role;

typedef struct name {
    const char *text;
    size_t length;
    unsigned roles;
    unsigned parameters; /* of a function that is called */
} name;

typedef struct names {
    name *all;
    size_t count, room;
    bool failed;
} names;

static name *find_name(const names *n, const char *text, size_t length)
{
    for (size_t i = 0; i < n->count; i++)
        if (n->all[i].length == length && memcmp(n->all[i].text, text, length) == 0)
            return &n->all[i];
    return NULL;
}

static void add_name(names *n, const char *text, size_t length, unsigned roles)
{
    name *known = find_name(n, text, length);
    if (known) {
        known->roles |= roles;
        return;
    }
    if (n->count == n->room) {
        size_t room = 2 * n->room + 64;
        name *all = realloc(n->all, room * sizeof *all);
        n->failed |= !all;
        if (!all)
            return;
        n->all = all;
        n->room = room;
    }
    n->all[n->count++] = (name){ .text = text, .length = length, .roles = roles };
}

static void add_called(names *n, const char *text, const yops_name *function)
{
    add_name(n, text, function->length, CALLED);
    name *known = find_name(n, text, function->length);
    if (known)
        known->parameters = function->parameters;
}

/* C keeps such names for compilers, which may not let go of them. */
static bool is_reserved(const char *text)
{
    return text[0] == '_' && (text[1] == '_' || (text[1] >= 'A' && text[1] <= 'Z'));
}

/* The names in a text of the program's. */
static void read_names(names *n, const char *text)
{
    reader r = { .at = text, .begin = text };
    bool defines = false, behind_dot = false;
    char before = 0;
    while (next_token(&r)) {
        if (r.word)
            add_name(n, r.word, r.length, (defines && !is_reserved(r.word) ? DEFINED : 0) | (behind_dot ? MEMBER : 0));
        defines = is_word(&r, "define") || is_word(&r, "undef");
        behind_dot = r.character == '.' || (r.character == '>' && before == '-');
        before = r.character;
    }
}

static void mark_ours(names *n, const char *text, size_t length)
{
    name *known = find_name(n, text, length);
    if (known && !is_reserved(text))
        known->roles |= OURS;
}

/* Past a line of the preprocessor. */
static void skip_directive(reader *r)
{
    while (*r->at && *r->at != '\n') {
        const char *next = skip_silent(r->at);
        r->at = next > r->at ? next : r->at[0] == '\\' && r->at[1] ? r->at + 2 : r->at + 1;
    }
}

/* Mark what one of our texts declares. A declaration outside of functions begins in the first column, here as everywhere in our
 * texts, and so does the brace that ends a type. Its names stand before a parenthesis, a bracket, a comma, a = or the end, or
 * behind struct or union. Macros that are called there are marked as well, which does no harm. */
static void mark_declared(names *n, const char *text)
{
    reader r = { .at = text, .begin = text };
    bool declares = false, is_tag = false;
    int depth = 0;
    while (next_token(&r)) {
        if (r.character == '#') {
            skip_directive(&r);
            continue;
        }
        if (r.in_first_column && (r.word || r.character == '}')) {
            declares = true;
            depth = 0;
        }
        depth += (r.character == '(') - (r.character == ')');
        if (r.character == '{' || (r.character == ';' && depth == 0))
            declares = false;
        if (declares && depth == 0 && r.word && (is_tag || strchr("([,=;", *skip_to_token(r.at))))
            mark_ours(n, r.word, r.length);
        is_tag = is_word(&r, "struct") || is_word(&r, "union");
    }
}

/* What "element.yh" declares by pasting, and elementwise_text.c in each "generated.h". */
static void mark_made(names *n)
{
    static const char *const beginnings[] = { "stored_", "value_", "type_" };
    static const char *const made[] = { "index_t", "map_shape", "evaluate" };
    for (size_t i = 0; i < n->count; i++) {
        char copy[32];
        snprintf(copy, sizeof copy, "%.*s", (int)(n->all[i].length < 31 ? n->all[i].length : 31), n->all[i].text);
        for (size_t k = 0; k < YOPS_COUNT_OF(beginnings); k++)
            if (strncmp(copy, beginnings[k], strlen(beginnings[k])) == 0)
                n->all[i].roles |= OURS;
        if (strstr(copy, "_from_"))
            n->all[i].roles |= OURS;
    }
    for (size_t i = 0; i < YOPS_COUNT_OF(made); i++)
        mark_ours(n, made[i], strlen(made[i]));
}

/* ---- The program's functions ---- */

static bool is_repeated(const yoke_var *vars, uint32_t mask, uint32_t k)
{
    for (uint32_t i = 0; i < k; i++)
        if (mask >> i & 1 && strcmp(vars[i].text, vars[k].text) == 0)
            return true;
    return false;
}

/* The name in a declaration, of this length. */
static const char *name_in(const char *declaration, size_t length)
{
    const char *end = declaration + strcspn(declaration, "(");
    while (strchr(" \t\n\v\f\r", end[-1]))
        end--;
    return end - length;
}

#define EACH_FUNCTION(mask, k)                    \
    for (uint32_t k = 0; k < YOPS_MOST_VARS; k++) \
        if ((mask) >> k & 1)

static bool is_renamed(const name *n)
{
    return n->roles & CALLED || ((n->roles & (OURS | DEFINED)) == OURS);
}

static bool is_undone(const name *n)
{
    return is_renamed(n) || n->roles & DEFINED;
}

/* Macros that are there already, as PoCL's builtin functions are, are kept: push, and pop. NVRTC has neither the pragma nor such
 * macros. */
static void write_pragmas(FILE *out, const names *n, const char *what)
{
    fputs("#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)\n", out);
    for (size_t i = 0; i < n->count; i++)
        if (is_undone(&n->all[i]))
            fprintf(out, "#pragma %s_macro(\"%.*s\")\n", what, (int)n->all[i].length, n->all[i].text);
    fputs("#endif\n", out);
}

static void write_undefs(FILE *out, const names *n, bool (*applies)(const name *n))
{
    for (size_t i = 0; i < n->count; i++)
        if (applies(&n->all[i]))
            fprintf(out, "#undef %.*s\n", (int)n->all[i].length, n->all[i].text);
}

/* A name that is also one of members is replaced where it is called only. OpenCL C has no variadic macros, so there the macro has
 * the function's parameters; without any, one that is empty in calls, and `void` in the declaration. */
static void write_call_define(FILE *out, const name *n)
{
    int length = (int)n->length;
    fprintf(out, "#ifdef __CUDACC__\n#define %.*s(...) " YOPS_OWN "%.*s(__VA_ARGS__)\n#else\n", length, n->text, length, n->text);
    for (int part = 0; part < 2; part++) {
        fprintf(out, part ? " " YOPS_OWN "%.*s(" : "#define %.*s(", length, n->text);
        for (unsigned i = 0; i == 0 || i < n->parameters; i++)
            fprintf(out, "%s" YOPS_OWN "%u", i ? ", " : "", i);
        fputs(")", out);
    }
    fputs("\n#endif\n", out);
}

static void write_defines(FILE *out, const names *n)
{
    for (size_t i = 0; i < n->count; i++) {
        const name *a = &n->all[i];
        if (is_renamed(a) && a->roles & MEMBER && a->roles & CALLED)
            write_call_define(out, a);
        else if (is_renamed(a))
            fprintf(out, "#define %.*s " YOPS_OWN "%.*s\n", (int)a->length, a->text, (int)a->length, a->text);
    }
}

static bool write_functions(FILE *out, const yops_expression *expression, const yoke_var *vars)
{
    uint32_t mask = expression->facts.functions;
    names n = { 0 };
    EACH_FUNCTION(mask, k)
    {
        read_names(&n, vars[k].text);
        add_called(&n, name_in(vars[k].name, expression->vars[k].length), &expression->vars[k]);
    }
    for (const yops_text *t = yops_texts; t->name && mask; t++)
        mark_declared(&n, t->text);
    mark_made(&n);
    write_pragmas(out, &n, "push");
    write_undefs(out, &n, is_renamed);
    write_defines(out, &n);
    EACH_FUNCTION(mask, k)
    if (!is_repeated(vars, mask, k)) /* what the compiler says names it as other messages do */
        fprintf(out, "#line 1 \"vars[%u]\"\n%s\n", (unsigned)k, vars[k].text);
    write_undefs(out, &n, is_undone);
    write_pragmas(out, &n, "pop");
    free(n.all);
    return !n.failed;
}

/* ---- The language's functions ---- */

static bool is_of_language(const yops_node *node)
{
    return node->kind == YOPS_NODE_FUNCTION && yops_functions[node->index].how != YOPS_HOW_HELPER;
}

static bool calls_language(const yops_expression *expression)
{
    for (uint16_t i = 1; i < expression->node_count; i++)
        if (is_of_language(&expression->nodes[i]))
            return true;
    return false;
}

static void write_call(FILE *out, const yops_function *function, char class)
{
    const char *type = class == 'd' ? "double" : "float";
    fprintf(out, "YOKE_FUNCTION %s yops_%s_%c(", type, function->name, class);
    for (int i = 0; i < function->arguments; i++)
        fprintf(out, "%s%s %c", i > 0 ? ", " : "", function->rule == YOPS_RULE_SCALE && i > 0 ? "int" : type, 'a' + i);
    fprintf(out, ") { return %s(%.*s); }\n", function->name, 3 * function->arguments - 2, "a, b, c");
}

static void write_calls(FILE *out, const yops_expression *expression)
{
    bool written[YOPS_FUNCTIONS][2] = { { false } };
    for (uint16_t i = 1; i < expression->node_count; i++) {
        const yops_node *node = &expression->nodes[i];
        if (!is_of_language(node))
            continue;
        char class = yops_class(expression->nodes[node->a].dtype);
        if (!written[node->index][class == 'd'])
            write_call(out, &yops_functions[node->index], class);
        written[node->index][class == 'd'] = true;
    }
}

yoke_status yops_expression_get_functions(const yops_call *call, const yops_expression *expression, const yoke_var *vars,
                                          char **out_text)
{
    const yops_expression_facts *facts = &expression->facts;
    yk_text_stream stream;
    *out_text = NULL;
    if (!facts->functions && !calls_language(expression))
        return YOKE_OK;
    if (yk_text_stream_open(&stream)) {
        FILE *out = stream.file;
        fputs("#include <yoke/kernel.h>\n#include <yoke/types.h>\n", out);
        if (facts->needs_f64)
            fputs("#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ < 120\n"
                  "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                  "#endif\n",
                  out);
        write_calls(out, expression);
        bool good = write_functions(out, expression, vars);
        *out_text = yk_text_stream_close(&stream);
        if (!good) {
            free(*out_text);
            *out_text = NULL;
        }
    }
    return *out_text ? YOKE_OK : yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the functions of the expression");
}
