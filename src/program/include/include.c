/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expanding #include. Conditionals are not evaluated: a header in a branch that the compiler skips is expanded too, which does no
 * harm. Expanding every inclusion could be exponential, so a header is skipped where its include guard must already be defined:
 * where it was expanded before in a branch that is still open.
 */
#include "program/include/include.h"
#include "program/include/include_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct expansion {
    yk_headers headers;
    yk_text *out;
    yk_line_map *map;
    unsigned long line; /* number of the next line of `out` */
    unsigned *branches; /* the open conditionals, outermost first; branches[0] is the whole text */
    size_t depth, capacity;
    unsigned branch_count;
} expansion;

/* ---- The line map ---- */

/* The number of the file in the map. */
static yoke_status map_file(yk_line_map *map, const char *path, unsigned *out_file)
{
    for (unsigned i = map->file_count; i-- > 0;) /* mostly one of the last */
        if (strcmp(map->files[i], path) == 0) {
            *out_file = i;
            return YOKE_OK;
        }
    if (map->file_count == map->file_capacity) {
        unsigned capacity = map->file_capacity ? 2 * map->file_capacity : 8;
        char **files = realloc(map->files, capacity * sizeof *files);
        if (!files)
            return yk_no_memory("a line map");
        map->files = files;
        map->file_capacity = capacity;
    }
    map->files[map->file_count] = strdup(path);
    if (!map->files[map->file_count])
        return yk_no_memory("a line map");
    *out_file = map->file_count++;
    return YOKE_OK;
}

/* The next line of `out` is that line of the file. */
static yoke_status map_line(expansion *x, const char *path, unsigned long line)
{
    yk_line_map *map = x->map;
    unsigned file = 0;
    yoke_status status = map_file(map, path, &file);
    if (status < 0)
        return status;
    if (map->count == map->capacity) {
        size_t capacity = map->capacity ? 2 * map->capacity : 16;
        yk_line_span *spans = realloc(map->spans, capacity * sizeof *spans);
        if (!spans)
            return yk_no_memory("a line map");
        map->spans = spans;
        map->capacity = capacity;
    }
    map->spans[map->count++] = (yk_line_span){ x->line, line, file };
    return YOKE_OK;
}

/* A #line of the text itself, which stays there. In a branch that the compiler may skip it is not followed. */
static yoke_status follow_line(expansion *x, const yk_header *header, const yk_directive *directive)
{
    const char *name = yk_text_get(&header->directives.names) + directive->name;
    if (x->branches[x->depth - 1] != header->branch)
        return YOKE_OK;
    return map_line(x, *name ? name : x->map->files[x->map->spans[x->map->count - 1].file], directive->number);
}

bool yk_line_map_find(const yk_line_map *map, unsigned long line, const char **out_file, unsigned long *out_line)
{
    size_t low = 0, high = map->count; /* find the last span that begins at or before the line */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->spans[middle].expanded <= line)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    const yk_line_span *span = &map->spans[low - 1];
    *out_file = map->files[span->file];
    *out_line = span->line + (line - span->expanded);
    return true;
}

void yk_line_map_free(yk_line_map *map)
{
    for (unsigned i = 0; i < map->file_count; i++)
        free(map->files[i]);
    free(map->files);
    free(map->spans);
    memset(map, 0, sizeof *map);
}

/* ---- Writing ---- */

/* `lines`: the number of line ends in the bytes. */
static yoke_status put(expansion *x, const char *bytes, size_t length, unsigned long lines)
{
    size_t wanted = x->out->length + length;
    if (wanted > YK_INCLUDE_BYTES)
        return yk_fail(YOKE_E_BUILD, "%s: the source with its headers exceeds %d MiB", x->headers.function, YK_INCLUDE_BYTES >> 20);
    yk_text_add_bytes(x->out, bytes, length);
    x->line += lines;
    return x->out->length == wanted ? YOKE_OK : yk_no_memory("a source with its headers");
}

/* A line, which it frees. */
static yoke_status put_composed(expansion *x, yk_text *line)
{
    yoke_status status = line->is_cut ? yk_no_memory("a source with its headers") : put(x, line->data, line->length, 1);
    yk_text_free(line);
    return status;
}

static yoke_status put_line(expansion *x, const char *format, unsigned long number)
{
    char line[64];
    int length = snprintf(line, sizeof line, format, number);
    return put(x, line, (size_t)length, 1);
}

/* Write this many line ends in place of omitted text. */
static yoke_status put_blank(expansion *x, unsigned long lines)
{
    yoke_status status = YOKE_OK;
    while (lines-- > 0 && status == YOKE_OK)
        status = put(x, "\n", 1, 1);
    return status;
}

/* Inside the quotes of a #line or #error no character may be special. */
static void add_quoted(yk_text *text, const char *string)
{
    for (; *string; string++) {
        bool plain = (unsigned char)*string >= ' ' && !strchr("\"\\?", *string); /* "??/" may be a backslash too */
        yk_text_add_bytes(text, plain ? string : "_", 1);
    }
}

/* The text that follows is `line` of the file. */
static yoke_status put_position(expansion *x, const char *path, unsigned long line)
{
    yk_text text = { 0 };
    yk_text_add(&text, "#line %lu \"", line);
    add_quoted(&text, path);
    yk_text_add(&text, "\"\n");
    yoke_status status = put_composed(x, &text);
    return status == YOKE_OK ? map_line(x, path, line) : status;
}

/* An #error, which the compiler reports only if it gets there. */
static yoke_status put_missing(expansion *x, const char *name)
{
    const yoke_source *source = x->headers.source;
    yk_text text = { 0 };

    yk_text_add(&text, "#error \"");
    add_quoted(&text, name);
    yk_text_add(&text, " is missing: it is not among the source's headers");
    for (size_t i = 0; source->include_folders && source->include_folders[i]; i++) {
        yk_text_add(&text, i ? ", " : " and not in ");
        add_quoted(&text, source->include_folders[i]);
    }
    if (x->headers.outside && x->headers.outside->folders.length == 0)
        yk_text_add(&text, "; headers of the CUDA Toolkit are not installed beside NVRTC, in CUDA_HOME or in /usr/local/cuda");
    if (x->headers.language == YK_LANGUAGE_CUDA && !strpbrk(name, "./")) {
        yk_text_add(&text, "; NVRTC has no C++ library: <cuda/std/");
        add_quoted(&text, name);
        yk_text_add(&text, "> of the CUDA Toolkit may have what is needed");
    }
    yk_text_add(&text, "\"\n");
    return put_composed(x, &text);
}

/* A header that the compiler reads itself; in <>, since it would look for "name" in the working directory. */
static yoke_status put_outside(expansion *x, const char *name)
{
    yk_text text = { 0 };
    yk_text_add(&text, "#include <%s>\n", name);
    return put_composed(x, &text);
}

/* ---- Guards ---- */

/* Whether the guard certainly lets the header in, so that the header's content is in the branch around the header. A macro that
 * the compiler or other code may have defined is not certain. */
static bool guard_is_open(const expansion *x, const char *guard)
{
    size_t length = strlen(guard);
    if (guard[0] == '_' || yk_same_letters(guard, "cl_", 3))
        return false;
    const char *define;
    for (size_t i = 0; (define = yk_source_define(x->headers.source, x->headers.language, i)); i++)
        if (strncmp(define, guard, length) == 0)
            return false;
    return x->out->length == 0 || !memmem(x->out->data, x->out->length, guard, length);
}

static yoke_status open_branch(expansion *x, unsigned branch)
{
    if (x->depth == x->capacity) {
        size_t capacity = x->capacity ? 2 * x->capacity : 64;
        unsigned *branches = realloc(x->branches, capacity * sizeof *branches);
        if (!branches)
            return yk_no_memory("the conditionals of a source");
        x->branches = branches;
        x->capacity = capacity;
    }
    x->branches[x->depth++] = branch;
    return YOKE_OK;
}

/* Track the open branches. `sure`: this is the #ifndef of a guard that lets the header in. */
static yoke_status pass_conditional(expansion *x, yk_directive_kind kind, bool sure)
{
    if (kind == YK_DIRECTIVE_IF || kind == YK_DIRECTIVE_IFNDEF)
        return open_branch(x, sure ? x->branches[x->depth - 1] : ++x->branch_count);
    if (kind == YK_DIRECTIVE_ELSE && x->depth > 1)
        x->branches[x->depth - 1] = ++x->branch_count;
    else if (kind == YK_DIRECTIVE_ENDIF && x->depth > 1)
        x->depth--;
    return YOKE_OK;
}

/* Whether the compiler has certainly seen the header before this point, and would skip its content. */
static bool is_closed(const expansion *x, const yk_header *header)
{
    if (!header->once && !(header->guard && header->all_guarded))
        return false;
    for (size_t i = 0; i < x->depth; i++)
        if (x->branches[i] == header->branch)
            return true;
    return false;
}

/* Guards of this name open again. */
static void pass_undef(expansion *x, const char *name)
{
    for (yk_header *header = x->headers.first; header; header = header->next)
        if (header->guard && !header->once && strcmp(header->guard, name) == 0)
            header->branch = 0;
}

/* ---- Expanding ---- */

static yoke_status put_header(expansion *x, yk_header *header, int depth);

/* Fail with the chain of includes, "a.h:3 includes b.h:1 includes a.h". */
static yoke_status endless(const expansion *x, const yk_header *includer, const yk_header *header)
{
    yk_text chain = { 0 };
    const yk_header *path[8];
    size_t count = 0;
    for (const yk_header *at = includer; at && count < YK_COUNT_OF(path); at = at == header ? NULL : at->includer)
        path[count++] = at;
    for (size_t i = count; i-- > 0;)
        yk_text_add(&chain, "%.80s:%lu includes ", path[i]->path, path[i]->line);
    yk_text_add(&chain, "%.80s", header->path);
    yoke_status status = yk_fail(YOKE_E_BUILD, "%s: %.200s includes itself, and has neither an include guard nor #pragma once: %s",
                                 x->headers.function, header->path, yk_text_get(&chain));
    yk_text_free(&chain);
    return status;
}

static yoke_status put_include(expansion *x, yk_header *includer, const yk_directive *include, int depth)
{
    const char *name = yk_text_get(&includer->directives.names) + include->name;
    unsigned long lines = include->next - include->line; /* 0 when the text ends with the #include */
    yk_header *header;

    includer->line = include->line;
    yoke_status status = yk_headers_find(&x->headers, includer, include, &header);
    if (status < 0)
        return status;
    if (!header) {
        bool outside = false;
        if (x->headers.outside)
            status = yk_outside_take(x->headers.outside, name, &outside);
        else if (x->headers.language == YK_LANGUAGE_CUDA && !include->quoted)
            return put(x, includer->text + include->begin, include->end - include->begin, lines);
        if (status == YOKE_OK)
            status = outside ? put_outside(x, name) : put_missing(x, name);
        return status == YOKE_OK && lines > 1 ? put_blank(x, lines - 1) : status;
    }
    if (header->open && !header->once && !header->guard)
        return endless(x, includer, header);
    if (header->open || is_closed(x, header))
        return put_blank(x, lines);
    if (depth >= YK_INCLUDE_DEPTH)
        return yk_fail(YOKE_E_BUILD, "%s: %.200s:%lu: headers include each other more than %d deep", x->headers.function,
                       includer->path, include->line, YK_INCLUDE_DEPTH);
    header->includer = includer;
    const yk_line_span here = x->map->spans[x->map->count - 1]; /* a #line may have moved it */
    unsigned long next = here.line + (x->line - here.expanded) + lines;
    status = put_header(x, header, depth + 1);
    return status == YOKE_OK ? put_position(x, x->map->files[here.file], next) : status;
}

/* A whole text, with its includes expanded. `sure`: its guard lets it in. */
static yoke_status put_text(expansion *x, yk_header *header, bool sure, int depth)
{
    const yk_directives *all = &header->directives;
    unsigned long line = 1;
    size_t done = 0;
    yoke_status status = YOKE_OK;

    for (size_t i = 0; i < all->count && status == YOKE_OK; i++) {
        const yk_directive *directive = &all->list[i];
        status = pass_conditional(x, directive->kind, sure && i == 0);
        if (directive->kind == YK_DIRECTIVE_COMPUTED && x->headers.outside)
            x->headers.outside->used = x->headers.outside->unknown = true;
        if (directive->kind == YK_DIRECTIVE_UNDEF)
            pass_undef(x, all->names.data + directive->name);
        bool left_out = directive->kind == YK_DIRECTIVE_ONCE && header->place != YK_PLACE_TEXT;
        bool stays = directive->kind == YK_DIRECTIVE_LINE;
        if (status < 0 || (directive->kind != YK_DIRECTIVE_INCLUDE && !left_out && !stays))
            continue;
        status = put(x, header->text + done, (stays ? directive->end : directive->begin) - done,
                     (stays ? directive->next : directive->line) - line);
        if (status == YOKE_OK)
            status = stays      ? follow_line(x, header, directive)
                     : left_out ? put_blank(x, directive->next - directive->line)
                                : put_include(x, header, directive, depth);
        done = directive->end;
        line = directive->next;
    }
    if (status < 0)
        return status;
    const char *rest = header->text + done, *end = header->text + header->size;
    unsigned long lines = 0;
    for (const char *at = rest; header->place != YK_PLACE_TEXT && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        lines++; /* nothing follows the source's own text, so its lines need not be counted */
    return put(x, rest, (size_t)(end - rest), lines);
}

static yoke_status put_header(expansion *x, yk_header *header, int depth)
{
    bool sure = header->once || (header->guard && header->all_guarded && guard_is_open(x, header->guard));
    unsigned once = header->number;
    yoke_status status = YOKE_OK;

    header->open = true;
    header->branch = x->branches[x->depth - 1];
    if (header->once) {
        status = put_line(x, "#ifndef YOKE_ONCE_%lu\n", once);
        if (status == YOKE_OK)
            status = put_line(x, "#define YOKE_ONCE_%lu\n", once);
    }
    if (status == YOKE_OK)
        status = put_position(x, header->path, 1);
    if (status == YOKE_OK)
        status = put_text(x, header, sure && !header->once, depth);
    /* End the last line here, even if it has no line end, or ends in a backslash. */
    if (status == YOKE_OK && x->out->data[x->out->length - 1] != '\n')
        status = put_blank(x, 1);
    if (status == YOKE_OK)
        status = put_blank(x, 1);
    if (status == YOKE_OK && header->once)
        status = put(x, "#endif\n", 7, 1);
    header->open = false;
    return status;
}

yoke_status yk_include_expand(const char *function, const yoke_source *source, yk_language language, const char *text, size_t size,
                              const char *file, yk_outside *outside, yk_text *out_text, yk_line_map *out_map)
{
    expansion x = { .out = out_text, .map = out_map, .line = 1 };
    yk_header *header;

    yoke_status status = yk_headers_init(&x.headers, function, source, language, outside);
    if (status == YOKE_OK)
        status = yk_headers_add_text(&x.headers, file, text, size, &header);
    if (status == YOKE_OK)
        status = open_branch(&x, ++x.branch_count);
    if (status == YOKE_OK) {
        header->branch = x.branches[0];
        status = map_line(&x, header->path, 1);
    }
    if (status == YOKE_OK)
        status = put_text(&x, header, false, 0);
    free(x.branches);
    yk_headers_free(&x.headers);
    return status;
}
