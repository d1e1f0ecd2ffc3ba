/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the compiled names of C++ kernels. The header describes what is read. */
#include "program/cxx_name.h"

#include <stdlib.h>
#include <string.h>

/* One part, "5scale": its length and the text behind it; NULL when there is none. */
static const char *read_part(const char *text, const char **out_part, size_t *out_length)
{
    char *after;
    if (*text < '1' || *text > '9')
        return NULL;
    unsigned long length = strtoul(text, &after, 10);
    if (length > strlen(after))
        return NULL;
    *out_part = after;
    *out_length = length;
    return after + length;
}

/* The parts of a name that is being read. */
typedef struct parts {
    const char *at; /* NULL: behind the last part, or no C++ name */
    bool nested;    /* after 'N': several parts, which 'E' ends; otherwise one part, and what follows are the parameters */
} parts;

/* Behind "_Z", 'N', and the namespace "St" (std), which is no part with a length: it is `prefix`. */
static parts begin(const char *compiled, const char **out_prefix)
{
    parts p = { .at = NULL };
    *out_prefix = NULL;
    if (strncmp(compiled, "_Z", 2) != 0)
        return p;
    p.at = compiled + 2;
    p.nested = *p.at == 'N';
    p.at += p.nested;
    if (strncmp(p.at, "St", 2) == 0) {
        *out_prefix = "std";
        p.at += 2;
    }
    return p;
}

/* The next part; false behind the last part, where p->at is what follows. An 'L' before it says internal linkage, a 'B' behind it
 * is a tag of the ABI. */
static bool next(parts *p, bool first, const char **out_part, size_t *out_length)
{
    const char *tag, *after = first || p->nested ? read_part(p->at + (*p->at == 'L'), out_part, out_length) : NULL;
    size_t length;
    if (!after)
        return false;
    for (p->at = after; *p->at == 'B' && (after = read_part(p->at + 1, &tag, &length)); p->at = after)
        ;
    return true;
}

/* Whether what follows the last part ends a function's name: members of a class, operators and local functions are not kernels. */
static bool is_end(const parts *p)
{
    return *p->at == 'I' || !p->nested || *p->at == 'E';
}

const char *yk_cxx_last_part(const char *compiled, size_t *out_length)
{
    const char *part = compiled, *prefix;
    size_t length = 0;
    parts p = begin(compiled, &prefix);
    for (bool first = true; p.at && next(&p, first, &part, &length); first = false)
        ;
    *out_length = p.at && is_end(&p) ? length : 0;
    return *out_length ? part : compiled;
}

static bool append_part(char *target, size_t size, const char *part, size_t length)
{
    size_t used = strlen(target);
    if (used + (used > 0 ? 2 : 0) + length + 1 > size)
        return false;
    if (used > 0) {
        memcpy(target + used, "::", 2);
        used += 2;
    }
    memcpy(target + used, part, length);
    target[used + length] = '\0';
    return true;
}

bool yk_cxx_name_read(const char *compiled, char *target, size_t size, bool *out_is_template)
{
    static const char unnamed[] = "_GLOBAL__N_"; /* an unnamed namespace */
    const char *part, *prefix;
    size_t length = 0;
    bool fits = size > 0, named = false;
    parts p = begin(compiled, &prefix);
    *out_is_template = false;
    if (!p.at || !fits)
        return false;
    target[0] = '\0';
    if (prefix)
        fits = append_part(target, size, prefix, strlen(prefix));
    for (bool first = true; fits && next(&p, first, &part, &length); first = false) {
        named = length < strlen(unnamed) || strncmp(part, unnamed, strlen(unnamed)) != 0;
        fits = !named || append_part(target, size, part, length);
    }
    *out_is_template = *p.at == 'I';
    return fits && named && is_end(&p);
}

bool yk_cxx_is_plain_name(const char *compiled, const char *wanted)
{
    char name[512];
    bool is_template;
    if (!yk_cxx_name_read(compiled, name, sizeof name, &is_template) || is_template)
        return false;
    size_t length = strlen(name), wanted_length = strlen(wanted);
    if (wanted_length > length || strcmp(name + length - wanted_length, wanted) != 0)
        return false;
    return wanted_length == length || (length - wanted_length >= 2 && name[length - wanted_length - 1] == ':');
}
