/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From CUDA C++ to C++, on preprocessed text: kernels are found and shared memory is made static memory of a thread of the host,
 * on which all threads of a block run. Everything else of CUDA is in prelude.h. Behind the text comes the table of its kernels.
 */
#include "module.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A kernel's definition, or a template's: that one only keeps others of its name from being the only one. */
typedef struct kernel {
    char prefix[MOST_NAME];
    double_text name, parameters, bounds; /* "k<int>", without the values of what may be left out, and "256, 2, 2, 1" */
    bool is_template, is_instance;
} kernel;

typedef struct rewriter {
    const char *at, *end, *copied; /* the text up to `copied` is in the output, or left out */
    double_text *out;
    kernel *kernels;
    size_t kernel_count;
    char prefix[MOST_NAME]; /* "::a::b::" */
    scope scopes[MOST_DEPTH];
    size_t depth;
    bool line_begins, has_barriers, has_dynamic;
    /* Of the declaration that is being read. */
    bool is_template, is_instance, is_global, is_namespace, is_extern, is_static, is_c, has_name;
    const char *extern_at;
    char name[MOST_NAME]; /* the kernel's, or the namespace's */
    double_text parameters, bounds, cluster;
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

/* All arrays whose size the launch tells are the same memory, whatever they are called. In a function such an array is a reference:
 * a declaration with a symbol's name would lose that in a template. */
static void bind_dynamic(rewriter *r, bool in_function)
{
    token t, name = { 0 };
    for (t = next(r); t.kind != '[' && t.kind != ';' && t.kind != END; t = next(r)) {
        if (t.kind == '(') {
            r->at = t.at;
            skip_group(r, NULL);
        }
        name = t.kind == WORD ? t : name;
    }
    if (t.kind != '[' || !name.at)
        return; /* which the compiler will refuse */
    if (in_function) {
        replace(r, name.at, name.at, "(&");
        replace(r, name.at + name.length, name.at + name.length, ")");
    }
    while (peek(r).kind != ';' && peek(r).kind != END)
        next(r);
    replace(r, r->at, r->at, in_function ? " = reinterpret_cast<decltype(" : " __asm__(\"double_dynamic\")");
    if (in_function)
        double_text_add(r->out, "%.*s)>(*double_dynamic)", (int)name.length, name.at);
    r->has_dynamic = true;
}

static void read_shared(rewriter *r, const token *t)
{
    bool in_function = r->depth > MOST_DEPTH || (r->depth > 0 && r->scopes[r->depth - 1].opaque);
    if (r->is_extern && in_function && r->extern_at >= r->copied)
        replace(r, r->extern_at, r->extern_at + strlen("extern"), "");
    if (r->is_extern && in_function)
        replace(r, t->at, t->at + t->length, "");
    else
        replace(r, t->at, t->at + t->length, r->is_extern || r->is_static ? "__thread" : "static __thread");
    if (r->is_extern)
        bind_dynamic(r, in_function);
}

/* ---- Kernels ---- */

static void begin_declaration(rewriter *r)
{
    r->is_template = r->is_instance = r->is_global = r->is_namespace = r->is_extern = r->is_static = r->is_c = r->has_name = false;
    r->name[0] = '\0';
    double_text_free(&r->parameters);
    double_text_free(&r->bounds);
    double_text_free(&r->cluster);
}

static void set_name(rewriter *r, const token *t)
{
    snprintf(r->name + strlen(r->name), sizeof r->name - strlen(r->name), "%s%.*s", r->name[0] ? "::" : "", (int)t->length, t->at);
}

/* Without what stands for parameters that a call may leave out. */
static void add_parameters(double_text *out, const char *text)
{
    int nested = 0;
    bool left_out = false;
    for (const char *c = text; *c; c++) {
        nested += (strchr("([{<", *c) != NULL) - (strchr(")]}>", *c) != NULL);
        left_out = nested == 0 && *c == ',' ? false : left_out || (nested == 0 && *c == '=');
        if (!left_out)
            double_text_add_bytes(out, c, 1);
    }
}

static bool is_same(const kernel *a, const kernel *b)
{
    return strcmp(a->prefix, b->prefix) == 0 && strcmp(a->name.data, b->name.data) == 0;
}

static void free_kernel(kernel *k)
{
    double_text_free(&k->name);
    double_text_free(&k->parameters);
    double_text_free(&k->bounds);
}

/* The first of the numbers in __launch_bounds__ counts: threads of a block. */
static void add_kernel(rewriter *r)
{
    const char *bounds = double_text_get(&r->bounds), *cluster = double_text_get(&r->cluster);
    kernel k = { .is_template = r->is_template, .is_instance = r->is_instance };
    size_t length = 0;
    for (int nested = 0; bounds[length] && (nested > 0 || bounds[length] != ','); length++)
        nested += (bounds[length] == '(') - (bounds[length] == ')');
    memcpy(k.prefix, r->prefix, sizeof k.prefix);
    double_text_add(&k.name, "%s", r->name);
    add_parameters(&k.parameters, double_text_get(&r->parameters));
    double_text_add(&k.bounds, "%.*s%s%s", length ? (int)length : 1, length ? bounds : "0", *cluster ? ", " : "", cluster);
    for (size_t i = 0; i < r->kernel_count; i++) /* an instance may be declared before */
        if (k.is_instance && is_same(&k, &r->kernels[i]) &&
            strcmp(double_text_get(&k.parameters), double_text_get(&r->kernels[i].parameters)) == 0) {
            free_kernel(&k);
            return;
        }
    kernel *longer = realloc(r->kernels, (r->kernel_count + 1) * sizeof *longer);
    if (!longer)
        abort();
    r->kernels = longer;
    r->kernels[r->kernel_count++] = k;
}

static void open_brace(rewriter *r)
{
    scope s = { strlen(r->prefix), !(r->is_namespace || (r->is_c && !r->is_global && !r->has_name)) };
    bool outside = r->depth == 0 || (r->depth <= MOST_DEPTH && !r->scopes[r->depth - 1].opaque);
    if (outside && r->is_global && r->has_name)
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

/* "template <class T>" begins a template, "template <>" and "template" by itself an instance of one. */
static void read_template(rewriter *r)
{
    const char *at = r->at;
    bool is_open = next(r).kind == '<', is_empty = is_open && next(r).kind == '>';
    r->at = at;
    r->is_instance = !is_open || is_empty;
    r->is_template = !r->is_instance;
}

/* What stands between < and > behind the name belongs to it. */
static void read_kernel_name(rewriter *r, const token *t)
{
    const char *at = r->at;
    int nested = 0;
    bool round = false;
    token argument = peek(r);
    if (argument.kind == '<' && r->is_instance)
        do {
            argument = next(r);
            round = argument.kind == '(' || (round && argument.kind != ')');
            nested += round ? 0 : (argument.kind == '<') - (argument.kind == '>');
        } while (nested > 0 && argument.kind != END);
    if (peek(r).kind != '(') {
        r->at = at;
        return;
    }
    token whole = { WORD, t->at, (size_t)((r->at > at ? r->at : t->at + t->length) - t->at) };
    set_name(r, &whole);
    r->has_name = true;
    skip_group(r, &r->parameters);
}

/* __syncthreads and its kin, __syncwarp, __shfl_sync and all others of a warp. */
static bool is_meeting(const token *t)
{
    return is(t, "__activemask") || (t->length > 6 && memcmp(t->at, "__sync", 6) == 0) ||
           (t->length > 5 && memcmp(t->at + t->length - 5, "_sync", 5) == 0);
}

static void read_word(rewriter *r, const token *t)
{
    bool bounds = is(t, "__launch_bounds__");
    r->is_namespace = r->is_namespace || (is(t, "namespace") && !r->is_extern);
    r->is_static = r->is_static || is(t, "static");
    r->has_barriers = r->has_barriers || is_meeting(t);
    if (is(t, "template")) {
        read_template(r);
    } else if (is(t, "extern")) {
        r->is_extern = true;
        r->extern_at = t->at;
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
    } else if (r->is_global && !r->has_name) {
        read_kernel_name(r, t);
    }
}

/* ---- The table ---- */

/* An instance, or one of several kernels of its name, is chosen by its parameters, which may need names of its namespace. */
static bool is_chosen(const rewriter *r, const kernel *k)
{
    for (const kernel *other = r->kernels; other < r->kernels + r->kernel_count; other++)
        if (other != k && is_same(k, other))
            return true;
    return k->is_instance;
}

/* "::a::b::" opened, or closed. */
static void write_namespaces(double_text *out, const char *prefix, bool open)
{
    for (const char *name = prefix + 2; *name;) {
        size_t length = strcspn(name, ":");
        if (open)
            double_text_add(out, "namespace %.*s { ", (int)length, name);
        else
            double_text_add(out, "}");
        name += length + 2;
    }
}

static void write_choice(double_text *out, const kernel *k, size_t number)
{
    const char *parameters = double_text_get(&k->parameters);
    write_namespaces(out, k->prefix, true);
    double_text_add(out,
                    "constexpr double_kernel (*double_chosen%zu)() = "
                    "double_own::entry<void(%s), static_cast<void (*)(%s)>(%s)>::template make<%s>;",
                    number, parameters, parameters, k->name.data, k->bounds.data);
    write_namespaces(out, k->prefix, false);
    double_text_add(out, "\n");
}

/* A name for the preprocessor's line. */
static void write_quoted(double_text *out, const char *name)
{
    for (const char *c = name; *c; c++)
        double_text_add(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c == '\n' ? ' ' : *c);
}

static void write_names(double_text *out, const double_request *request)
{
    for (size_t i = 0; i < request->expression_count; i++) {
        const char *name = request->expressions[i];
        double_text_add(out, "# 1 \"the name expression '");
        write_quoted(out, name);
        double_text_add(out,
                        "'\"\ndouble_own::entry<double_own::pointed<decltype(double_own::pointer(%s))>::type, (%s)>::make<0>,\n",
                        name, name);
    }
}

static void write_table(rewriter *r, const double_request *request)
{
    double_text *out = r->out;
    double_text_add(out, "\n# 1 \"the table of kernels\"\n");
    for (size_t i = 0; i < r->kernel_count; i++)
        if (!r->kernels[i].is_template && is_chosen(r, &r->kernels[i]))
            write_choice(out, &r->kernels[i], i);
    double_text_add(out, "static double_kernel (*const double_kernels[])() = {\n");
    write_names(out, request);
    double_text_add(out, "# 1 \"the table of kernels\"\n");
    for (size_t i = 0; i < r->kernel_count; i++) {
        const kernel *k = &r->kernels[i];
        if (k->is_template)
            continue;
        if (is_chosen(r, k))
            double_text_add(out, "%sdouble_chosen%zu,\n", k->prefix, i);
        else
            double_text_add(out, "double_own::entry<decltype(%s%s), %s%s>::make<%s>,\n", k->prefix, k->name.data, k->prefix,
                            k->name.data, k->bounds.data);
    }
    double_text_add(
        out,
        "nullptr };\nextern \"C\" const double_table double_module_table;\n"
        "const double_table double_module_table = { double_kernels, sizeof double_kernels / sizeof *double_kernels - 1, "
        "%d, (unsigned)(__stop_double_constant - __start_double_constant), &double_own::hooks };\n",
        r->has_barriers);
    if (r->has_dynamic)
        double_text_add(out, "__thread char double_dynamic[%d];\n", DOUBLE_SHARED_OPTIN);
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
        if (t.kind == ';' && r.is_instance && r.is_global && r.has_name && !r.is_extern)
            add_kernel(&r);
        if (t.kind == '{' || t.kind == '}' || t.kind == ';')
            begin_declaration(&r);
    }
    replace(&r, r.end, r.end, "");
    write_table(&r, request);
    begin_declaration(&r);
    for (size_t i = 0; i < r.kernel_count; i++)
        free_kernel(&r.kernels[i]);
    free(r.kernels);
}
