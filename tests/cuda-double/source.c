/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From CUDA C++ to C++, on preprocessed text: kernels are found and shared memory is made static memory of a thread of the host,
 * on which all threads of a block run. Everything else of CUDA is in prelude.h. Behind the text comes the table of its kernels.
 */
#include "module.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct token {
    int kind; /* the character, or one of the below */
    const char *at;
    size_t length;
} token;

enum { END = 0, WORD = 256, NUMBER, STRING };
enum { MOST_DEPTH = 64, MOST_NAME = 512 };

/* A brace that is open: what of the qualified name was there before it. */
typedef struct scope {
    size_t prefix;
    bool opaque; /* no namespace: there are no kernels inside */
} scope;

typedef struct rewriter {
    const char *at, *end, *copied; /* the text up to `copied` is in the output, or left out */
    double_text *out, kernels;
    char prefix[MOST_NAME]; /* "::a::b::" */
    scope scopes[MOST_DEPTH];
    size_t depth;
    bool line_begins, has_barriers, has_dynamic;
    /* Of the declaration that is being read. */
    bool is_template, is_global, is_namespace, is_extern, is_static, is_c, has_name;
    char name[MOST_NAME]; /* the kernel's, or the namespace's */
    double_text bounds, cluster;
} rewriter;

/* ---- Tokens ---- */

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_string(rewriter *r, bool raw)
{
    char quote = *r->at++;
    const char *mark = r->at;
    if (!raw) {
        while (r->at < r->end && *r->at != quote && *r->at != '\n')
            r->at += *r->at == '\\' && r->at + 1 < r->end ? 2 : 1;
    } else {
        while (r->at < r->end && *r->at != '(')
            r->at++;
        size_t length = (size_t)(r->at - mark);
        while (r->at < r->end && !(*r->at == ')' && (size_t)(r->end - r->at) > length + 1 && memcmp(r->at + 1, mark, length) == 0 &&
                                   r->at[1 + length] == '"'))
            r->at++;
        r->at += r->at < r->end ? length + 1 : 0;
    }
    r->at += r->at < r->end;
}

/* Blanks, and the preprocessor's lines with files and numbers. */
static void skip_blanks(rewriter *r)
{
    for (; r->at < r->end; r->at++) {
        if (*r->at == '#' && r->line_begins)
            while (r->at + 1 < r->end && r->at[1] != '\n')
                r->at++;
        else if (*r->at == '\n')
            r->line_begins = true;
        else if (!isspace((unsigned char)*r->at))
            return;
    }
}

static token next(rewriter *r)
{
    skip_blanks(r);
    token t = { END, r->at, 0 };
    if (r->at == r->end)
        return t;
    r->line_begins = false;
    if (*r->at == '"' || *r->at == '\'') {
        t.kind = STRING;
        skip_string(r, false);
    } else if (is_letter(*r->at)) {
        t.kind = isdigit((unsigned char)*r->at) ? NUMBER : WORD;
        while (r->at < r->end && (is_letter(*r->at) || (t.kind == NUMBER && (*r->at == '.' || *r->at == '\''))))
            r->at++;
        if (t.kind == WORD && r->at < r->end && *r->at == '"' && r->at[-1] == 'R') {
            t.kind = STRING;
            skip_string(r, true);
        }
    } else {
        t.kind = (unsigned char)*r->at++;
    }
    t.length = (size_t)(r->at - t.at);
    return t;
}

static token peek(rewriter *r)
{
    const char *at = r->at;
    bool line_begins = r->line_begins;
    token t = next(r);
    r->at = at;
    r->line_begins = line_begins;
    return t;
}

static bool is(const token *t, const char *word)
{
    return t->kind == WORD && t->length == strlen(word) && memcmp(t->at, word, t->length) == 0;
}

/* Everything up to here is in the output, and instead of what comes then, up to `to`, this is. */
static void replace(rewriter *r, const char *from, const char *to, const char *with)
{
    double_text_add_bytes(r->out, r->copied, (size_t)(from - r->copied));
    double_text_add(r->out, "%s", with);
    r->copied = to;
}

/* From the opening parenthesis, which comes next, to behind the closing one; `inside` gets what is between, unless it is NULL. */
static void skip_group(rewriter *r, double_text *inside)
{
    int nested = 0;
    const char *start = NULL;
    token t;
    do {
        t = next(r);
        nested += t.kind == '(';
        nested -= t.kind == ')';
        start = start ? start : t.at + t.length;
    } while (nested > 0 && t.kind != END);
    if (inside) {
        double_text_free(inside);
        double_text_add_bytes(inside, start, (size_t)(t.at - start));
    }
}

/* ---- Shared memory ---- */

/* All arrays whose size the launch tells are the same memory, whatever they are called. */
static void bind_dynamic(rewriter *r)
{
    token t;
    do {
        t = next(r);
        if (t.kind == '(') {
            r->at = t.at;
            skip_group(r, NULL);
        }
    } while (t.kind != '[' && t.kind != ';' && t.kind != END);
    while (t.kind == '[' || t.kind == ']' || t.kind == NUMBER || t.kind == WORD) {
        if (peek(r).kind == ';')
            break;
        t = next(r);
    }
    replace(r, r->at, r->at, t.kind == ']' ? " __asm__(\"double_dynamic\")" : "");
    r->has_dynamic = true;
}

static void read_shared(rewriter *r, const token *t)
{
    replace(r, t->at, t->at + t->length, r->is_extern || r->is_static ? "__thread" : "static __thread");
    if (r->is_extern)
        bind_dynamic(r);
}

/* ---- Kernels ---- */

static void begin_declaration(rewriter *r)
{
    r->is_template = r->is_global = r->is_namespace = r->is_extern = r->is_static = r->is_c = r->has_name = false;
    r->name[0] = '\0';
    double_text_free(&r->bounds);
    double_text_free(&r->cluster);
}

static void set_name(rewriter *r, const token *t)
{
    snprintf(r->name + strlen(r->name), sizeof r->name - strlen(r->name), "%s%.*s", r->name[0] ? "::" : "", (int)t->length, t->at);
}

/* The first of the numbers in __launch_bounds__ counts: threads of a block. */
static void add_kernel(rewriter *r)
{
    const char *bounds = double_text_get(&r->bounds), *cluster = double_text_get(&r->cluster);
    size_t length = 0;
    for (int nested = 0; bounds[length] && (nested > 0 || bounds[length] != ','); length++)
        nested += (bounds[length] == '(') - (bounds[length] == ')');
    double_text_add(&r->kernels, "double_own::entry<decltype(%s%s), %s%s>::make<(%.*s)", r->prefix, r->name, r->prefix, r->name,
                    length ? (int)length : 1, length ? bounds : "0");
    double_text_add(&r->kernels, "%s%s>,\n", *cluster ? ", " : "", cluster);
}

static void open_brace(rewriter *r)
{
    scope s = { strlen(r->prefix), !(r->is_namespace || (r->is_c && !r->is_global && !r->has_name)) };
    bool outside = r->depth == 0 || (r->depth <= MOST_DEPTH && !r->scopes[r->depth - 1].opaque);
    if (outside && r->is_global && r->has_name && !r->is_template)
        add_kernel(r);
    s.opaque = s.opaque || !outside;
    if (r->is_namespace && outside && r->name[0])
        snprintf(r->prefix + s.prefix, sizeof r->prefix - s.prefix, "%s::", r->name);
    if (r->depth < MOST_DEPTH)
        r->scopes[r->depth] = s;
    r->depth++;
}

static void close_brace(rewriter *r)
{
    if (r->depth > 0 && --r->depth < MOST_DEPTH)
        r->prefix[r->scopes[r->depth].prefix] = '\0';
}

static void read_word(rewriter *r, const token *t)
{
    bool bounds = is(t, "__launch_bounds__");
    r->is_template = r->is_template || is(t, "template");
    r->is_namespace = r->is_namespace || (is(t, "namespace") && !r->is_extern);
    r->is_static = r->is_static || is(t, "static");
    r->has_barriers = r->has_barriers || is(t, "__syncthreads");
    if (is(t, "extern")) {
        r->is_extern = true;
        r->is_c = r->is_c || peek(r).kind == STRING;
    } else if (is(t, "__shared__")) {
        read_shared(r, t);
    } else if (is(t, "__global__")) {
        r->is_global = true;
        replace(r, t->at, t->at + t->length, "");
    } else if (bounds || is(t, "__cluster_dims__")) {
        skip_group(r, bounds ? &r->bounds : &r->cluster);
        replace(r, t->at, r->at, "");
    } else if (is(t, "__attribute__") || is(t, "alignas")) {
        skip_group(r, NULL);
    } else if (r->is_namespace && !is(t, "namespace") && !is(t, "inline")) {
        set_name(r, t);
    } else if (r->is_global && !r->has_name && peek(r).kind == '(') {
        set_name(r, t);
        r->has_name = true;
        skip_group(r, NULL);
    }
}

static void write_table(rewriter *r, const double_request *request)
{
    double_text *out = r->out;
    double_text_add(out, "\n# 1 \"the names that were asked for\"\nstatic double_kernel (*const double_kernels[])() = {\n");
    for (size_t i = 0; i < request->expression_count; i++) {
        const char *name = request->expressions[i];
        double_text_add(out, "double_own::entry<double_own::pointed<decltype(double_own::pointer(%s))>::type, (%s)>::make<0>,\n",
                        name, name);
    }
    double_text_add(
        out,
        "%snullptr };\nextern \"C\" const double_table double_module_table;\n"
        "const double_table double_module_table = { double_kernels, sizeof double_kernels / sizeof *double_kernels - 1, "
        "%d, (unsigned)(__stop_double_constant - __start_double_constant), &double_own::hooks };\n",
        double_text_get(&r->kernels), r->has_barriers);
    if (r->has_dynamic)
        double_text_add(out,
                        "extern \"C\" __attribute__((visibility(\"hidden\"), aligned(16))) __thread char double_dynamic[%d];\n"
                        "__thread char double_dynamic[%d];\n",
                        DOUBLE_SHARED_OPTIN, DOUBLE_SHARED_OPTIN);
}

void double_source_rewrite(const char *text, size_t length, const double_request *request, double_text *out)
{
    static const char marker[] = "struct double_prelude_ends;";
    const char *start = strstr(text, marker);
    rewriter r = { .at = start ? start + strlen(marker) : text, .end = text + length, .copied = text, .out = out, .prefix = "::" };

    for (token t = next(&r); t.kind != END; t = next(&r)) {
        if (t.kind == WORD)
            read_word(&r, &t);
        else if (t.kind == '{')
            open_brace(&r);
        else if (t.kind == '}')
            close_brace(&r);
        if (t.kind == '{' || t.kind == '}' || t.kind == ';')
            begin_declaration(&r);
    }
    replace(&r, r.end, r.end, "");
    write_table(&r, request);
    begin_declaration(&r);
    double_text_free(&r.kernels);
}
