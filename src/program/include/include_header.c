/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of a header when it has been read: its directives, its include guard, and whether it leaves something open.
 */
#include "program/include/include_parts.h"

#include <stdlib.h>
#include <string.h>

/* Find the header's guard, #ifndef X first and #define X next, and whether #pragma once is certainly reached. */
static void find_guard(yk_header *header)
{
    const yk_directives *all = &header->directives;
    const char *names = yk_text_get(&all->names);
    size_t depth = 0;

    if (all->count >= 3 && all->list[0].kind == YK_DIRECTIVE_IFNDEF && !all->list[0].extra &&
        all->list[1].kind == YK_DIRECTIVE_DEFINE && strcmp(names + all->list[0].name, names + all->list[1].name) == 0)
        header->guard = names + all->list[0].name;
    header->all_guarded = header->guard && !all->list[0].after_code && !all->code_at_end;
    for (size_t i = 0; i < all->count; i++) {
        yk_directive_kind kind = all->list[i].kind;
        depth += yk_directive_opens(kind);
        depth -= kind == YK_DIRECTIVE_ENDIF && depth > 0;
        if ((yk_directive_goes_on(kind) && depth == 1) || (depth == 0 && i + 1 < all->count))
            header->all_guarded = false; /* a part of the header is repeated */
    }
    for (size_t i = 0; i < all->count; i++) {
        yk_directive_kind kind = all->list[i].kind;
        depth += yk_directive_opens(kind);
        depth -= kind == YK_DIRECTIVE_ENDIF && depth > 0;
        if (kind == YK_DIRECTIVE_ONCE && depth == (header->all_guarded ? 1 : 0))
            header->once = true;
        else if (kind == YK_DIRECTIVE_ONCE)
            header->perhaps_once = true;
    }
}

/* Compilers check for constructs that a header leaves open at its end; in an expanded text only this check can. */
static yoke_status check_ends(const yk_headers *headers, const yk_header *header)
{
    const yk_directives *all = &header->directives;
    unsigned long open_if = 0;
    size_t depth = 0;

    if (all->open)
        return yk_fail(YOKE_E_BUILD, "%s: %.200s:%lu: this comment or raw string does not end", headers->function, header->path,
                       all->open);
    for (size_t i = 0; i < all->count; i++) {
        yk_directive_kind kind = all->list[i].kind;
        if (yk_directive_opens(kind)) {
            if (depth++ == 0)
                open_if = all->list[i].line;
        } else if ((yk_directive_goes_on(kind) || kind == YK_DIRECTIVE_ENDIF) && depth == 0) {
            return yk_fail(YOKE_E_BUILD, "%s: %.200s:%lu: this #else, #elif or #endif has no #if", headers->function, header->path,
                           all->list[i].line);
        } else if (kind == YK_DIRECTIVE_ENDIF) {
            depth--;
        }
    }
    if (depth > 0)
        return yk_fail(YOKE_E_BUILD, "%s: %.200s:%lu: this #if has no #endif", headers->function, header->path, open_if);
    return YOKE_OK;
}

void yk_header_free(yk_header *header)
{
    yk_directives_free(&header->directives);
    free(header->own);
    free(header->name);
    free(header->path);
    free(header);
}

yk_header *yk_header_new(int place, const char *path, const char *name)
{
    yk_header *header = calloc(1, sizeof *header);
    if (!header || !(header->path = strdup(path)) || !(header->name = strdup(name))) {
        if (header)
            yk_header_free(header);
        yk_no_memory("a header");
        return NULL;
    }
    header->place = place;
    return header;
}

yoke_status yk_header_add(yk_headers *headers, yk_header *header)
{
    static const char mark[] = "\xef\xbb\xbf"; /* the UTF-8 byte order mark, which compilers do not expect in mid-text */
    const char *nul = memchr(header->text, '\0', header->size);
    yoke_status status = YOKE_OK;

    if (nul)
        status = yk_fail(header->place == YK_PLACE_TEXT ? YOKE_E_INVALID_ARGUMENT : YOKE_E_BUILD,
                         "%s: %.200s has a NUL byte at byte %zu; it is not a text", headers->function, header->path,
                         (size_t)(nul - header->text));
    else if (header->size >= 3 && memcmp(header->text, mark, 3) == 0) {
        header->text += 3;
        header->size -= 3;
    }
    if (status == YOKE_OK &&
        !yk_directives_find(&header->directives, header->text, header->size, headers->language == YK_LANGUAGE_CUDA))
        status = YOKE_E_OUT_OF_HOST_MEMORY;
    if (status == YOKE_OK && header->directives.trigraph)
        status = yk_fail(YOKE_E_BUILD,
                         "%s: %.200s:%lu: this line ends in the trigraph ?\?/, which only some compilers read as a "
                         "backslash; write a backslash, or a blank behind it",
                         headers->function, header->path, header->directives.trigraph);
    header->pops = memmem(header->text, header->size, "pop_macro", strlen("pop_macro"));
    if (status == YOKE_OK && header->place != YK_PLACE_TEXT) {
        find_guard(header);
        status = check_ends(headers, header);
    }
    if (status < 0) {
        yk_header_free(header);
        return status;
    }
    header->number = headers->count++;
    header->next = headers->first;
    headers->first = header;
    return YOKE_OK;
}

yoke_status yk_header_add_lasting(yk_headers *headers, int place, const char *path, const char *name, const char *text, size_t size,
                                  yk_header **out_header)
{
    yk_header *header = yk_header_new(place, path, name);
    if (!header)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    header->text = text;
    header->size = size;
    yoke_status status = yk_header_add(headers, header);
    if (status == YOKE_OK)
        *out_header = header;
    return status;
}

yoke_status yk_headers_add_text(yk_headers *headers, const char *path, const char *text, size_t size, yk_header **out_header)
{
    return yk_header_add_lasting(headers, YK_PLACE_TEXT, path, "", text, size, out_header);
}
