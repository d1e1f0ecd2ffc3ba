/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTX that a person wrote, as CUDA C++: kernels of plain loads, stores, moves and additions, which is what tests have. Anything
 * else is an unknown instruction, as a misspelled one is.
 */
#include "module.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_OPERANDS = 3, MOST_WORD = 64 };

typedef struct reader {
    const char *start, *at;
    double_text *source, *log;
} reader;

static const struct {
    const char *ptx, *type;
} types[] = {
    { "u8", "unsigned char" },
    { "b8", "unsigned char" },
    { "s8", "signed char" },
    { "u16", "unsigned short" },
    { "b16", "unsigned short" },
    { "s16", "short" },
    { "u32", "unsigned" },
    { "b32", "unsigned" },
    { "s32", "int" },
    { "u64", "unsigned long long" },
    { "s64", "long long" },
    { "b64", "unsigned long long" },
    { "f32", "float" },
    { "f64", "double" },
};

/* $0 to $2: the operands; @: the type that the instruction ends in. */
static const struct {
    const char *name, *code;
} instructions[] = {
    { "ld.param.", "$0 = $1" }, { "cvta.to.global.", "$0 = $1" },
    { "mov.", "$0 = $1" },      { "ld.global.", "$0 = *(const @ *)($1)" },
    { "add.", "$0 = $1 + $2" }, { "st.global.", "*(@ *)($0) = $1" },
};

static const char *type_of(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].ptx, name) == 0)
            return types[i].type;
    return NULL;
}

static bool fail(reader *r, const char *kind, const char *words, const char *what)
{
    int line = 1;
    for (const char *c = r->start; c < r->at; c++)
        line += *c == '\n';
    double_text_add(r->log, "ptxas application ptx input, line %d; %s   : %s '%s'\n", line, kind, words, what);
    return false;
}

static void skip_blanks(reader *r)
{
    for (;;) {
        r->at += strspn(r->at, " \t\r\n");
        if (strncmp(r->at, "//", 2) != 0)
            return;
        r->at += strcspn(r->at, "\n");
    }
}

/* A word of letters, dots and what names have; "" where there is none. */
static const char *word(reader *r, char out[MOST_WORD])
{
    size_t length = 0;
    skip_blanks(r);
    while (isalnum((unsigned char)*r->at) || (*r->at && strchr("._%$-", *r->at))) {
        if (length + 1 < MOST_WORD)
            out[length++] = *r->at;
        r->at++;
    }
    out[length] = '\0';
    return out;
}

static bool sign(reader *r, char wanted)
{
    skip_blanks(r);
    if (*r->at != wanted)
        return false;
    r->at++;
    return true;
}

/* %rd1 is an element of the array rd. */
static void write_operand(const char *name, double_text *out)
{
    size_t letters = strcspn(name, "0123456789");
    if (name[0] == '%')
        double_text_add(out, "%.*s[%s]", (int)letters - 1, name + 1, name + letters);
    else
        double_text_add(out, "%s", name);
}

static bool read_instruction(reader *r, const char *name)
{
    char operands[MOST_OPERANDS][MOST_WORD] = { { 0 } };
    size_t count = 0;
    while (count < MOST_OPERANDS && !sign(r, ';')) {
        sign(r, '[');
        word(r, operands[count++]);
        sign(r, ']');
        sign(r, ',');
    }
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        size_t length = strlen(instructions[i].name);
        const char *type = strncmp(name, instructions[i].name, length) == 0 ? type_of(name + length) : NULL;
        if (!type)
            continue;
        for (const char *c = instructions[i].code; *c; c++)
            if (*c == '$')
                write_operand(operands[*++c - '0'], r->source);
            else if (*c == '@')
                double_text_add(r->source, "%s", type);
            else
                double_text_add_bytes(r->source, c, 1);
        double_text_add(r->source, ";\n");
        sign(r, ';');
        return true;
    }
    return fail(r, "error", "Not a name of any known instruction:", name);
}

/* .reg .b64 %rd<3>; */
static bool read_registers(reader *r)
{
    char type[MOST_WORD], name[MOST_WORD], number[MOST_WORD];
    word(r, type);
    word(r, name);
    if (!sign(r, '<') || !type_of(type + 1) || name[0] != '%')
        return fail(r, "error", "Not registers of any known type:", name);
    double_text_add(r->source, "%s %s[%s];\n", type_of(type + 1), name + 1, word(r, number));
    return sign(r, '>') && sign(r, ';') ? true : fail(r, "fatal", "Parsing error near", name);
}

/* Behind .entry: the name, the parameters, and the body up to its brace. */
static bool read_entry(reader *r)
{
    char name[MOST_WORD], type[MOST_WORD];
    const char *comma = "";
    double_text_add(r->source, "extern \"C\" __global__ void %s(", word(r, name));
    for (sign(r, '('); !sign(r, ')'); sign(r, ',')) {
        if (strcmp(word(r, name), ".param") != 0 || !type_of(word(r, type) + 1))
            return fail(r, "fatal", "Parsing error near", name);
        double_text_add(r->source, "%s%s ", comma, type_of(type + 1));
        double_text_add(r->source, "%s", word(r, name));
        comma = ", ";
    }
    if (!sign(r, '{'))
        return fail(r, "fatal", "Parsing error near", name);
    double_text_add(r->source, ")\n{\n");
    while (!sign(r, '}')) {
        bool ok = true;
        if (!*word(r, name))
            return fail(r, "fatal", "Parsing error near", *r->at ? (char[]){ *r->at, '\0' } : "the end");
        if (strcmp(name, "ret") == 0) {
            double_text_add(r->source, "return;\n");
            sign(r, ';');
        } else {
            ok = strcmp(name, ".reg") == 0 ? read_registers(r) : read_instruction(r, name);
        }
        if (!ok)
            return false;
    }
    double_text_add(r->source, "}\n");
    return true;
}

bool double_ptx_translate(const char *ptx, double_text *source, double_text *log)
{
    reader r = { ptx, ptx, source, log };
    char name[MOST_WORD];
    for (skip_blanks(&r); *r.at; skip_blanks(&r)) {
        word(&r, name);
        if (strcmp(name, ".version") == 0 || strcmp(name, ".target") == 0 || strcmp(name, ".address_size") == 0)
            r.at += strcspn(r.at, "\n");
        else if (strcmp(name, ".entry") == 0 ? !read_entry(&r) : strcmp(name, ".visible") != 0)
            return r.log->length ? false : fail(&r, "fatal", "Parsing error near", name);
    }
    return true;
}
