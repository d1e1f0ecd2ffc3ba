/* SPDX-License-Identifier: Apache-2.0 */
#include "base/type_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/text.h"

typedef struct scalar {
    const char *c, *cuda_vector, *opencl;
    uint32_t bytes;
    yk_scalar_kind kind;
} scalar;

static const scalar scalars[] = {
#define YK_SCALAR_TYPE(c, cuda_vector, opencl, bytes, kind) { c, cuda_vector, opencl, bytes, YK_SCALAR_##kind },
#include "base/scalar_types.def"
#undef YK_SCALAR_TYPE
};

/* ---- Words ---- */

static bool is_letter(char c)
{
    return yk_is_alpha(c) || yk_is_digit(c) || c == '_' || c == '$';
}

static bool is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

static bool is_one_of(const char *word, size_t length, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is(word, length, words[i]))
            return true;
    return false;
}

bool yk_is_qualifier(bool opencl, const char *word, size_t length)
{
    static const char *const both[] = { "const",      "volatile",     "struct",           "class",
                                        "union",      "enum",         "restrict",         "register",
                                        "__restrict", "__restrict__", "__grid_constant__" };
    static const char *const spaces[] = {
        "__global", "global", "__constant", "constant", "__local", "local", "__private", "private"
    };
    return is_one_of(word, length, both, YK_COUNT_OF(both)) || (opencl && is_one_of(word, length, spaces, YK_COUNT_OF(spaces)));
}

/* The words of C's arithmetic types, in any order. */
static const char *const parts[] = { "unsigned", "signed", "char", "short", "int", "long", "double" };
enum { UNSIGNED, SIGNED, CHAR, SHORT, INT, LONG, DOUBLE, PARTS };

/* The index of the part; PARTS for any other word. */
static size_t part_of(const char *word, size_t length)
{
    size_t i = 0;
    while (i < PARTS && !is(word, length, parts[i]))
        i++;
    return i;
}

/* "unsigned long long" for "long unsigned int long"; "" without any part. */
static void name_parts(const int counts[PARTS], char name[32])
{
    const char *base = counts[CHAR]       ? "char"
                       : counts[DOUBLE]   ? "double" /* "long double" is a double on a device */
                       : counts[SHORT]    ? "short"
                       : counts[LONG] > 1 ? "long long"
                       : counts[LONG]     ? "long"
                                          : "int";
    bool any = false;
    for (int i = 0; i < PARTS; i++)
        any = any || counts[i] > 0;
    snprintf(name, 32, "%s%s", counts[UNSIGNED] ? "unsigned " : "", any ? base : "");
}

/* ---- Types ---- */

/* The components of a vector whose name ends in these digits; 0: not a vector. */
static uint32_t lanes_of(bool opencl, const char *digits, size_t length)
{
    static const uint32_t counts[] = { 1, 2, 3, 4, 8, 16 };
    for (size_t i = opencl ? 1 : 0; i < (opencl ? 6 : 4); i++) {
        char text[16];
        snprintf(text, sizeof text, "%u", (unsigned)counts[i]);
        if (is(digits, length, text))
            return counts[i];
    }
    return 0;
}

static bool find(bool opencl, const char *name, size_t length, yk_type *out)
{
    for (size_t i = 0; i < YK_COUNT_OF(scalars); i++) {
        const scalar *s = &scalars[i];
        const char *base = opencl ? s->opencl : s->cuda_vector;
        size_t base_length = strlen(base);
        *out = (yk_type){ s->kind, s->bytes, 1, 0 };
        if (is(name, length, s->c) || (opencl && is(name, length, s->opencl)))
            return true;
        if (base_length == 0 || length <= base_length || memcmp(name, base, base_length) != 0)
            continue;
        out->lanes = lanes_of(opencl, name + base_length, length - base_length);
        if (out->lanes > 0)
            return true;
    }
    return false;
}

bool yk_is_type_word(bool opencl, const char *word, size_t length)
{
    yk_type type;
    return part_of(word, length) < PARTS || is(word, length, "void") || find(opencl, word, length, &type);
}

bool yk_type_read(bool opencl, const char *text, yk_type *out)
{
    const char *other = NULL;
    size_t other_length = 0;
    int counts[PARTS] = { 0 };
    uint32_t pointers = 0;
    char name[32];
    while (*text) {
        size_t length = 0;
        if (!opencl && strncmp(text, "std::", 5) == 0)
            text += 5;
        while (is_letter(text[length]))
            length++;
        size_t part = part_of(text, length);
        if (length == 0 && *text != '*' && *text != ' ')
            return false;
        if (part < PARTS) {
            counts[part]++;
        } else if (length > 0 && !yk_is_qualifier(opencl, text, length)) {
            if (other)
                return false;
            other = text;
            other_length = length;
        }
        pointers += *text == '*';
        text += length ? length : 1;
    }
    name_parts(counts, name);
    if ((name[0] != '\0') == (other != NULL)) /* both or neither */
        return false;
    bool found = other ? find(opencl, other, other_length, out) : find(opencl, name, strlen(name), out);
    out->pointers = pointers;
    return found;
}

uint32_t yk_type_bytes(bool opencl, const yk_type *type)
{
    if (type->pointers > 0)
        return 8;
    return type->bytes * (opencl && type->lanes == 3 ? 4 : type->lanes);
}
