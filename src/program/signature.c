/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The declarations of kernels in a source. CUDA's driver reports the widths of a kernel's parameters, but neither their names nor
 * whether they are pointers. The parser knows only the C++ of plain declarations and never guesses: a parameter with a macro, a
 * template, a reference or any other construct stays unknown, and so does a parameter that two declarations of one kernel (in two
 * branches of an #if, say) declare differently. signature.h describes reading a source as written.
 */
#include "backend_api.h"

#include <stdlib.h>
#include <string.h>

#include "program/scan.h"
#include "base/type_name.h"

enum { MOST_TOKENS = 48, MOST_PARAMS = YOKE_MAX_ARGS + 1 }; /* in OpenCL C the last parameter may be shared memory */

/* A name that the source defines: size 0 is a struct or the like, OTHER may be anything. */
enum { OTHER = -1 };
typedef struct meaning {
    yk_token name;
    int size;
    bool macro;
} meaning;

typedef struct reader {
    yk_scanner scanner;
    yk_token token; /* the next token */
    bool opencl, as_written;
    yk_kernel_table *table;
    meaning *names;
    size_t name_count;
    int depth;         /* in braces */
    int typedef_depth; /* where a typedef of a struct began; -1: outside */
    bool global, failed;
} reader;

static yk_token next(reader *r)
{
    yk_token token = r->token;
    r->token = yk_scan(&r->scanner);
    return token;
}

/* What the words of <yoke/kernel.h> in a parameter mean to the reader, who expands no macros. */
static const struct {
    const char *word, *meaning; /* NULL: nothing */
} own_words[] = {
    { "YOKE_GLOBAL", NULL },
    { "YOKE_CONSTANT_PTR", "const" },
    { "YOKE_RESTRICT", NULL },
    { "YOKE_AND_DYNAMIC_SHARED", NULL },
};

/* False: the token means nothing. */
static bool translate(yk_token *token)
{
    for (size_t i = 0; i < YK_COUNT_OF(own_words); i++)
        if (yk_token_is(token, own_words[i].word)) {
            token->text = own_words[i].meaning;
            token->length = token->text ? strlen(token->text) : 0;
            return token->text;
        }
    return true;
}

static bool same(const yk_token *a, const yk_token *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* ---- Names and their meanings ---- */

static void add_name(reader *r, const yk_token *name, int size, bool macro)
{
    if ((r->name_count & (r->name_count - 1)) == 0) { /* full: the capacity is a power of two */
        meaning *names = realloc(r->names, (r->name_count ? 2 * r->name_count : 1) * sizeof *names);
        r->failed = r->failed || !names;
        if (!names)
            return;
        r->names = names;
    }
    r->names[r->name_count++] = (meaning){ *name, size, macro };
}

static bool is_macro(const reader *r, const yk_token *name)
{
    for (size_t i = 0; i < r->name_count; i++)
        if (r->names[i].macro && same(&r->names[i].name, name))
            return true;
    return false;
}

/* The size of a name that is not a macro; OTHER also when the name is ambiguous. */
static int size_of_name(const reader *r, const yk_token *name, int usual)
{
    int size = usual;
    bool found = false;
    for (size_t i = 0; i < r->name_count; i++) {
        if (r->names[i].macro || !same(&r->names[i].name, name))
            continue;
        size = found && size != r->names[i].size ? OTHER : r->names[i].size;
        found = true;
    }
    return size;
}

/* #define NAME: the token is the whole line. */
static void note_macro(reader *r, const yk_token *line)
{
    yk_scanner scanner = { line->text + 1, line->text + line->length, true };
    yk_token word = yk_scan(&scanner);
    if (!yk_token_is(&word, "define"))
        return;
    word = yk_scan(&scanner);
    add_name(r, &word, OTHER, true);
}

/* ---- Types ---- */

static bool is_qualifier(const reader *r, const yk_token *token)
{
    return yk_is_qualifier(r->opencl, token->text, token->length);
}

/* Append a word, truncated to fit, after `separator` unless it is the first word. */
static void add_word(char *target, size_t size, const char *separator, const char *word, size_t length)
{
    size_t used = strlen(target);
    if (used > 0)
        while (*separator && used + 1 < size)
            target[used++] = *separator++;
    if (length > size - 1 - used)
        length = size - 1 - used;
    memcpy(target + used, word, length);
    target[used + length] = '\0';
}

/* The size of a type: 0 for a struct, a vector or void; OTHER when a word is unknown. As written, a vector has its size, in the
 * words of either language. */
static int size_of_type(const reader *r, const yk_token *tokens, size_t count)
{
    const yk_token *only = NULL;
    int words = 0;
    char name[128] = "";
    yk_type type;
    for (size_t i = 0; i < count; i++) {
        bool word = tokens[i].kind == YK_IDENTIFIER;
        if (!word && !r->as_written)
            return OTHER;
        if (!word || is_qualifier(r, &tokens[i]))
            continue;
        add_word(name, sizeof name, " ", tokens[i].text, tokens[i].length);
        only = &tokens[i];
        words++;
    }
    int usual = words == 1 && yk_token_is(only, "void") ? 0 : OTHER;
    if (yk_type_read(r->opencl, name, &type))
        usual = type.lanes == 1 || r->as_written ? (int)yk_type_bytes(r->opencl, &type) : 0;
    else if (r->as_written && yk_type_read(true, name, &type))
        usual = (int)yk_type_bytes(true, &type);
    return words == 1 ? size_of_name(r, only, usual) : usual;
}

/* ---- Parameters ---- */

static bool is_type_word(const reader *r, const yk_token *token)
{
    return is_qualifier(r, token) || yk_is_type_word(r->opencl, token->text, token->length);
}

/* The words of the type, separated by a blank; as written, without qualifiers, and with pointers next to the words. */
static void write_type(const reader *r, const yk_token *tokens, size_t count, size_t name, bool array, char *target, size_t size)
{
    target[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        bool pointer = tokens[i].kind == '*' || tokens[i].kind == '[';
        if (i == name || (r->as_written && !pointer && (tokens[i].kind != YK_IDENTIFIER || is_qualifier(r, &tokens[i]))))
            continue;
        if (r->as_written && pointer)
            add_word(target, size, "", "*", 1);
        else
            add_word(target, size, " ", tokens[i].text, tokens[i].length);
    }
    if (array)
        add_word(target, size, r->as_written ? "" : " ", r->as_written ? "*" : "[]", r->as_written ? 1 : 2);
}

static bool is_one_of(const yk_token *token, const char *one, const char *other)
{
    return yk_token_is(token, one) || yk_token_is(token, other);
}

/* The constness of a pointer's target is known when it is a single pointer to a known type. */
static int32_t is_read_only(const reader *r, const yk_token *tokens, size_t base, unsigned pointers)
{
    if (!r->as_written && (pointers != 1 || size_of_type(r, tokens, base) == OTHER))
        return -1;
    for (size_t i = 0; i < base; i++)
        if (yk_token_is(&tokens[i], "const") || (r->opencl && is_one_of(&tokens[i], "__constant", "constant")))
            return 1;
    return 0;
}

/* CUDA's texture and surface objects, by value. */
static bool is_image_type(const reader *r, const yk_token *tokens, size_t count, int32_t *out_read_only)
{
    const yk_token *only = NULL;
    for (size_t i = 0; i < count; i++)
        if (!is_qualifier(r, &tokens[i]))
            only = only ? &tokens[count] : &tokens[i];
    if (r->opencl || !only || only == &tokens[count])
        return false;
    *out_read_only = is_one_of(only, "cudaTextureObject_t", "CUtexObject");
    return *out_read_only || is_one_of(only, "cudaSurfaceObject_t", "CUsurfObject");
}

/* Parse the words of one parameter, as far as they are understood. */
static void read_param(const reader *r, const yk_token *tokens, size_t count, yk_param *param)
{
    unsigned pointers = 0;
    bool array = false, local = false;
    int32_t read_only = -1;
    *param = (yk_param){ .kind = YK_PARAM_ANY, .read_only = -1 };
    /* "x[]", or "x[4]"; "x[][4]" is not plain */
    while (count > 0 && tokens[count - 1].kind == ']' && (!array || r->as_written)) {
        while (count > 0 && tokens[count - 1].kind != '[')
            count--;
        count -= count > 0;
        array = true;
    }
    size_t base = count;
    for (size_t i = 0; i < count; i++) {
        bool pointer = tokens[i].kind == '*' || (r->as_written && tokens[i].kind == '[');
        if (!r->as_written && ((tokens[i].kind != YK_IDENTIFIER && !pointer) || is_macro(r, &tokens[i])))
            return;
        local = local || (r->opencl && is_one_of(&tokens[i], "__local", "local"));
        pointers += pointer;
        if (pointer && base == count)
            base = i;
    }
    size_t name = count;
    if (count > 1 && tokens[count - 1].kind == YK_IDENTIFIER && !is_type_word(r, &tokens[count - 1]))
        name = count - 1;
    if (name < count && tokens[name].length < sizeof param->name)
        add_word(param->name, sizeof param->name, "", tokens[name].text, tokens[name].length);
    if (base == count)
        base = name;
    write_type(r, tokens, count, name, array, param->type, sizeof param->type);
    pointers += array;
    int size = size_of_type(r, tokens, base);
    if (pointers > 0 && local) {
        param->kind = YK_PARAM_LOCAL;
    } else if (pointers > 0) {
        param->kind = YK_PARAM_BUFFER;
        param->size = sizeof(uint64_t);
        param->read_only = is_read_only(r, tokens, base, pointers);
    } else if (is_image_type(r, tokens, base, &read_only)) {
        param->kind = YK_PARAM_IMAGE;
        param->size = sizeof(uint64_t);
        param->read_only = read_only;
    } else if (size > 0 || (r->as_written && param->type[0])) {
        param->kind = YK_PARAM_SCALAR;
        param->size = size > 0 ? (uint32_t)size : 0;
    }
}

/* The parameters up to the closing parenthesis; the opening parenthesis is read. False: they cannot be parsed. */
static bool read_params(reader *r, yk_param *params, size_t *out_count)
{
    yk_token tokens[MOST_TOKENS];
    size_t count = 0;
    const size_t most = r->opencl ? MOST_PARAMS : YOKE_MAX_ARGS;
    int nested = 0; /* parentheses, brackets, braces; also <> of templates, whose parameters stay unknown */
    for (*out_count = 0;;) {
        yk_token token = next(r);
        if (token.kind == YK_END || token.kind == YK_DIRECTIVE || count == MOST_TOKENS || *out_count == most)
            return false;
        bool last = token.kind == ')' && nested == 0;
        if (last || (token.kind == ',' && nested == 0)) {
            bool none = last && *out_count == 0 && (count == 0 || (count == 1 && yk_token_is(&tokens[0], "void")));
            if (!none)
                read_param(r, tokens, count, &params[(*out_count)++]);
            count = 0;
            if (last)
                return true;
            continue;
        }
        nested += token.kind == '(' || token.kind == '<' || token.kind == '{' || token.kind == '[';
        nested -= token.kind == ')' || token.kind == '>' || token.kind == '}' || token.kind == ']';
        if (translate(&token))
            tokens[count++] = token;
    }
}

/* ---- Kernels ---- */

static bool params_are_same(const yk_param *a, const yk_param *b)
{
    return a->kind == b->kind && a->size == b->size && a->read_only == b->read_only && strcmp(a->type, b->type) == 0;
}

/* Merge a repeated declaration: keep what both declare. With different parameter counts nothing is kept. */
static void merge(yk_declaration *known, const yk_param *params, size_t count)
{
    if (known->count != count)
        known->count = SIZE_MAX; /* matches no kernel */
    for (size_t i = 0; known->count == count && i < count; i++) {
        bool named = params[i].name[0] && (!known->params[i].name[0] || strcmp(known->params[i].name, params[i].name) == 0);
        if (!params_are_same(&known->params[i], &params[i]))
            known->params[i] = (yk_param){ .kind = YK_PARAM_ANY, .read_only = -1 };
        else if (named)
            known->params[i] = params[i];
    }
}

static void add_kernel(reader *r, const yk_token *name, const yk_param *params, size_t count)
{
    yk_kernel_table *table = r->table;
    for (size_t i = 0; i < table->count; i++)
        if (yk_token_is(name, table->kernels[i].name)) {
            merge(&table->kernels[i], params, count);
            return;
        }
    yk_declaration *kernels = realloc(table->kernels, (table->count + 1) * sizeof *kernels);
    yk_declaration declared = { strndup(name->text, name->length), count, malloc((count ? count : 1) * sizeof *params) };
    if (kernels)
        table->kernels = kernels;
    if (!kernels || !declared.name || !declared.params) {
        free(declared.name);
        free(declared.params);
        r->failed = true;
        return;
    }
    memcpy(declared.params, params, count * sizeof *params);
    table->kernels[table->count++] = declared;
}

/* __launch_bounds__(256) and the like, which may precede a kernel's name. */
static bool skip_attribute(reader *r)
{
    if (r->token.kind != YK_IDENTIFIER || r->token.length < 2 || strncmp(r->token.text, "__", 2) != 0)
        return false;
    next(r);
    int nested = 0;
    while (r->token.kind == '(' || (nested > 0 && r->token.kind != YK_END)) {
        yk_token token = next(r);
        nested += token.kind == '(';
        nested -= token.kind == ')';
        if (nested == 0)
            break;
    }
    return true;
}

/* After "__global__ ... void" or "__kernel void": the name and the parameters. */
static void read_kernel(reader *r)
{
    yk_param params[MOST_PARAMS];
    size_t count;
    while (skip_attribute(r))
        ;
    if (r->token.kind != YK_IDENTIFIER || (!r->as_written && is_macro(r, &r->token)))
        return;
    yk_token name = next(r);
    if (r->token.kind != '(')
        return;
    next(r);
    if (read_params(r, params, &count) && (r->token.kind == '{' || (r->token.kind == ';' && !r->as_written)))
        add_kernel(r, &name, params, count);
}

/* ---- The source ---- */

/* "struct name {" and "struct name;" declare a type. A name from a template is not a type. */
static void read_struct(reader *r)
{
    if (r->token.kind != YK_IDENTIFIER)
        return;
    yk_token name = next(r);
    if (r->token.kind == '{' || r->token.kind == ';' || r->token.kind == ':')
        add_name(r, &name, 0, false);
}

/* "typedef unsigned int uint;": the last word is a new name of the type. A struct's typedef is left until its brace closes. */
static void read_typedef(reader *r)
{
    yk_token tokens[MOST_TOKENS];
    size_t count = 0;
    bool plain = true;
    while (r->token.kind != ';' && r->token.kind != YK_END && r->token.kind != YK_DIRECTIVE && count < MOST_TOKENS) {
        if (r->token.kind == '{') {
            r->typedef_depth = r->depth;
            return;
        }
        plain = plain && r->token.kind == YK_IDENTIFIER && !yk_token_is(&r->token, "const");
        tokens[count++] = next(r);
    }
    if (count > 1 && tokens[count - 1].kind == YK_IDENTIFIER)
        add_name(r, &tokens[count - 1], plain ? size_of_type(r, tokens, count - 1) : OTHER, false);
}

static void read_brace(reader *r, int kind)
{
    r->depth += kind == '{' ? 1 : -1;
    if (kind == '}' && r->depth == r->typedef_depth) {
        r->typedef_depth = -1;
        if (r->token.kind == YK_IDENTIFIER) {
            yk_token name = next(r);
            add_name(r, &name, r->token.kind == ';' ? 0 : OTHER, false);
        }
    }
}

static void read_word(reader *r, const yk_token *word)
{
    if (yk_token_is(word, "YOKE_KERNEL") || (r->opencl ? is_one_of(word, "__kernel", "kernel") : yk_token_is(word, "__global__")))
        r->global = true;
    else if (yk_token_is(word, "void") && r->global)
        read_kernel(r);
    else if (yk_token_is(word, "struct") || yk_token_is(word, "class") || yk_token_is(word, "union"))
        read_struct(r);
    else if (yk_token_is(word, "typedef"))
        read_typedef(r);
    else if (yk_token_is(word, "using") && r->token.kind == YK_IDENTIFIER)
        add_name(r, &r->token, OTHER, false);
}

void yk_kernel_table_free(yk_kernel_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->kernels[i].name);
        free(table->kernels[i].params);
    }
    free(table->kernels);
    *table = (yk_kernel_table){ 0 };
}

bool yk_kernel_table_read(int how, const char *text, size_t size, yk_kernel_table *out)
{
    reader r = { .scanner = { text, text + size, false }, .table = out, .typedef_depth = -1 };
    r.opencl = how & YK_SIGNATURE_OPENCL;
    r.as_written = how & YK_SIGNATURE_AS_WRITTEN;
    next(&r);
    while (r.token.kind != YK_END && !r.failed) {
        yk_token token = next(&r);
        if (token.kind == YK_DIRECTIVE)
            note_macro(&r, &token);
        else if (token.kind == YK_IDENTIFIER)
            read_word(&r, &token);
        else if (token.kind == '{' || token.kind == '}')
            read_brace(&r, token.kind);
        if (token.kind == ';' || token.kind == '{' || token.kind == '}')
            r.global = false;
    }
    free(r.names);
    if (r.failed)
        yk_kernel_table_free(out);
    return !r.failed;
}
