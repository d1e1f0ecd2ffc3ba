/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of a file that nothing here can compile, read from its text: enough to compare it with its twin. Comments, strings
 * and preprocessor lines are blanked out; macros stay what they are.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- Blanking out ---- */

static char *blank_until(char *at, const char *end)
{
    char *stop = strstr(at, end);
    stop = stop ? stop + strlen(end) : at + strlen(at);
    for (; at < stop; at++)
        *at = *at == '\n' ? '\n' : ' ';
    return stop;
}

static char *blank_string(char *at)
{
    char quote = *at;
    *at++ = ' ';
    while (*at && *at != quote && *at != '\n') {
        if (*at == '\\' && at[1])
            *at++ = ' ';
        *at++ = ' ';
    }
    if (*at == quote)
        *at++ = ' ';
    return at;
}

/* A line, and those that a backslash at its end joins to it. */
static char *blank_line(char *at)
{
    while (*at && *at != '\n') {
        if (*at == '\\' && at[1] == '\n')
            *at++ = ' ';
        *at++ = ' ';
    }
    return at;
}

static void blank(char *text)
{
    bool begins = true; /* nothing stands before this in its line */
    for (char *at = text; *at;) {
        if (at[0] == '/' && at[1] == '*')
            at = blank_until(at, "*/");
        else if ((at[0] == '/' && at[1] == '/') || (*at == '#' && begins))
            at = blank_line(at);
        else if (*at == '"' || *at == '\'')
            at = blank_string(at);
        else {
            begins = *at == '\n' || (begins && isspace((unsigned char)*at));
            at++;
        }
    }
}

/* ---- Types ---- */

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

void cc_plain_type(const char *type, char plain[40])
{
    static const struct {
        const char *one, *other;
    } spellings[] = {
        { "unsignedlonglong", "ulong" }, { "longlong", "long" },      { "unsignedlong", "ulong" }, { "unsignedint", "uint" },
        { "unsignedshort", "ushort" },   { "unsignedchar", "uchar" }, { "signedchar", "char" },    { "uint64_t", "ulong" },
        { "int64_t", "long" },           { "uint32_t", "uint" },      { "int32_t", "int" },        { "uint16_t", "ushort" },
        { "int16_t", "short" },          { "uint8_t", "uchar" },      { "int8_t", "char" },        { "unsigned", "uint" },
    };
    static const char *const left_out[] = { "const", "volatile", "struct", "restrict", "__restrict", "__restrict__", NULL };
    size_t length = 0;
    char packed[40];
    while (*type) {
        char word[40];
        size_t size = 0;
        while (is_letter(type[size]))
            size++;
        snprintf(word, sizeof word, "%.*s", (int)size, type);
        if (size == 0 && isspace((unsigned char)*type))
            size = 1;
        else if (size == 0)
            word[0] = *type, word[1] = '\0', size = 1;
        if (!is_one_of(word, left_out) && length + strlen(word) < sizeof packed)
            length += (size_t)snprintf(packed + length, sizeof packed - length, "%s", word);
        type += size;
    }
    packed[length] = '\0';
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        size_t size = strlen(spellings[i].one);
        if (strncmp(packed, spellings[i].one, size) == 0 && (!packed[size] || packed[size] == '*')) {
            snprintf(plain, 40, "%s%s", spellings[i].other, packed + size);
            return;
        }
    }
    snprintf(plain, 40, "%s", packed);
}

/* Bytes of a scalar type, or of a vector of 2, 4, 8 or 16 of them; 0 for any other. OpenCL's long is CUDA's long long; both have
 * 64 bits here. */
uint32_t cc_type_bytes(const char *type)
{
    static const struct {
        const char *name;
        uint32_t bytes;
    } scalars[] = {
        { "char", 1 },    { "uchar", 1 },    { "short", 2 },   { "ushort", 2 },   { "int", 4 },     { "uint", 4 },
        { "long", 8 },    { "ulong", 8 },    { "half", 2 },    { "float", 4 },    { "double", 8 },  { "size_t", 8 },
        { "int8_t", 1 },  { "uint8_t", 1 },  { "int16_t", 2 }, { "uint16_t", 2 }, { "int32_t", 4 }, { "uint32_t", 4 },
        { "int64_t", 8 }, { "uint64_t", 8 }, { "bool", 1 },
    };
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        size_t length = strlen(scalars[i].name);
        if (strncmp(type, scalars[i].name, length) != 0)
            continue;
        if (!type[length])
            return scalars[i].bytes;
        char *end;
        long lanes = strtol(type + length, &end, 10);
        if (!*end && (lanes == 2 || lanes == 4 || lanes == 8 || lanes == 16))
            return scalars[i].bytes * (uint32_t)lanes;
    }
    return 0;
}

/* ---- Parameters ---- */

/* What is known of a parameter while its words are read. */
typedef struct declaration {
    char words[8][40]; /* the type's, and the name's at the end */
    size_t count;
    bool pointer, reads, local;
} declaration;

static void take_word(declaration *d, const char *word)
{
    static const char *const left_out[] = { "volatile", "restrict",  "__restrict__", "__restrict",        "__global", "global",
                                            "struct",   "__private", "private",      "__grid_constant__", NULL };
    static const char *const constants[] = { "__constant", "constant", NULL };
    static const char *const locals[] = { "__local", "local", NULL };
    if (strcmp(word, "const") == 0)
        d->reads = d->reads || !d->pointer; /* behind the asterisk it is the pointer that is const */
    else if (is_one_of(word, constants))
        d->reads = true;
    else if (is_one_of(word, locals))
        d->local = true;
    else if (!is_one_of(word, left_out) && d->count < sizeof d->words / sizeof d->words[0])
        snprintf(d->words[d->count++], sizeof d->words[0], "%s", word);
}

static void read_param(cc_kernel *kernel, const char *text, size_t length)
{
    declaration d = { .count = 0 };
    for (size_t i = 0; i < length;) {
        char word[40];
        size_t size = 0;
        if (text[i] == '*' || text[i] == '[')
            d.pointer = true;
        if (text[i] == '[') /* its size */
            while (i < length && text[i] != ']')
                i++;
        if (i < length && !is_letter(text[i])) {
            i++;
            continue;
        }
        while (i < length && is_letter(text[i])) {
            if (size + 1 < sizeof word)
                word[size++] = text[i];
            i++;
        }
        word[size] = '\0';
        if (size > 0)
            take_word(&d, word);
    }
    if (d.count == 0 || (d.count == 1 && strcmp(d.words[0], "void") == 0 && !d.pointer))
        return;
    cc_param *param = cc_add_param(kernel);
    size_t type_words = d.count > 1 ? d.count - 1 : 1, at = 0;
    if (d.count > 1)
        snprintf(param->name, sizeof param->name, "%s", d.words[d.count - 1]);
    for (size_t i = 0; i < type_words; i++)
        at += (size_t)snprintf(param->type + at, at < sizeof param->type ? sizeof param->type - at : 0, "%s%s", i ? " " : "",
                               d.words[i]);
    param->kind = d.pointer ? (d.local ? YOKE_PARAM_LOCAL : YOKE_PARAM_BUFFER) : YOKE_PARAM_VALUE;
    param->read_only = param->kind == YOKE_PARAM_BUFFER ? d.reads : -1;
    char plain[40];
    cc_plain_type(param->type, plain);
    param->bytes = d.pointer ? 8 : cc_type_bytes(plain);
    if (d.pointer && strlen(param->type) + 2 < sizeof param->type)
        strcat(param->type, "*");
}

/* ---- Kernels ---- */

/* Behind the bracket that closes this one. */
static const char *closed(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0)
            return at + 1;
    }
    return at;
}

static void read_params(cc_kernel *kernel, const char *begin, const char *end)
{
    int depth = 0;
    const char *from = begin;
    for (const char *at = begin; at <= end; at++) {
        depth += at < end ? (*at == '(' || *at == '<' || *at == '[') - (*at == ')' || *at == '>' || *at == ']') : 0;
        if (at == end || (*at == ',' && depth == 0)) {
            read_param(kernel, from, (size_t)(at - from));
            from = at + 1;
        }
    }
    /* The last one, when it is shared memory, is none that a launch has to give. */
    if (kernel->count > 0 && kernel->params[kernel->count - 1].kind == YOKE_PARAM_LOCAL)
        kernel->count--;
}

/* From behind the word that makes it a kernel. */
static const char *read_kernel(cc_form *form, const char *at)
{
    const char *name = at;
    size_t length = 0;
    for (;;) {
        while (*at && !is_letter(*at) && *at != '(' && *at != ';' && *at != '{')
            at++;
        if (!*at || *at == ';' || *at == '{')
            return at;
        if (*at == '(' && (strncmp(name, "__launch_bounds__", length) == 0 || strncmp(name, "__attribute__", length) == 0)) {
            at = closed(at);
        } else if (*at == '(') {
            break;
        } else {
            for (name = at; is_letter(*at); at++)
                continue;
            length = (size_t)(at - name);
        }
    }
    const char *end = closed(at), *behind = end;
    while (isspace((unsigned char)*behind))
        behind++;
    if (*behind == '{' && length > 0 && end[-1] == ')') {
        cc_kernel *kernel = cc_add_kernel(form, name, length);
        kernel->known = true;
        read_params(kernel, at + 1, end - 1);
    }
    return end;
}

void cc_read(cc_form *form)
{
    bool cuda = strcmp(form->backend, "cuda") == 0;
    char *text = tool_text("%s", form->text);
    blank(text);
    for (const char *at = text; *at;) {
        const char *word = at;
        while (is_letter(*at))
            at++;
        size_t length = (size_t)(at - word);
        if (length == 0)
            at++;
        else if (cuda ? length == 10 && strncmp(word, "__global__", 10) == 0
                      : (length == 8 && strncmp(word, "__kernel", 8) == 0) || (length == 6 && strncmp(word, "kernel", 6) == 0))
            at = read_kernel(form, at);
    }
    free(text);
    form->from_text = true;
}
