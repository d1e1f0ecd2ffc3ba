/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expanding #include, so that no file is left for the compiler to open. A branch of a conditional that the compiler may skip is
 * expanded too, which does no harm. Expanding every inclusion could be exponential, so a header is skipped where its include guard
 * must already be defined: where it was expanded before in a branch that is still open.
 */
#include "program/include/include.h"
#include "program/include/include_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lines ---- */

/* Which line of which file follows a directive of this many lines; a #line may have moved it. */
static yk_line_span line_behind(const yk_expansion *x, unsigned long lines)
{
    yk_line_span here = x->writer.map->spans[x->writer.map->count - 1];
    here.line += (x->writer.line - here.expanded) + lines;
    return here;
}

/* A #line of the text itself, which stays there. In a branch that the compiler may skip it is not followed. */
static yoke_status follow_line(yk_expansion *x, const yk_header *header, const yk_directive *directive)
{
    const yk_line_map *map = x->writer.map;
    const char *name = yk_text_get(&header->directives.names) + directive->name;
    if (yk_expansion_here(x)->branch != header->branch)
        return YOKE_OK;
    return yk_write_map(&x->writer, *name ? name : map->files[map->spans[map->count - 1].file], directive->number);
}

/* Put a text, which is freed, in place of a directive of this many lines. */
static yoke_status put_instead(yk_expansion *x, yk_text *text, unsigned long lines)
{
    const yk_line_span behind = line_behind(x, lines);
    unsigned long before = x->writer.line;
    yoke_status status = yk_write_text(&x->writer, text);
    unsigned long written = x->writer.line - before;
    if (status < 0 || written <= lines)
        return status < 0 ? status : yk_write_blank(&x->writer, lines - written);
    return written == 1 ? YOKE_OK /* the text ends with the directive */
                        : yk_write_position(&x->writer, x->writer.map->files[behind.file], behind.line);
}

static yoke_status put_line(yk_expansion *x, const char *format, unsigned long number)
{
    char line[64];
    int length = snprintf(line, sizeof line, format, number);
    return yk_write(&x->writer, line, (size_t)length, 1);
}

/* ---- Errors ---- */

/* An #error, which the compiler reports only if it gets there. */
static yoke_status put_missing(yk_expansion *x, const char *name, unsigned long lines)
{
    const yoke_source *source = x->headers.source;
    yk_text text = { 0 };

    yk_text_add(&text, "#error \"");
    yk_add_quoted(&text, name, strlen(name));
    yk_text_add(&text, " is missing: it is not among the source's headers");
    for (size_t i = 0; source->include_folders && source->include_folders[i]; i++) {
        yk_text_add(&text, i ? ", " : " and not in ");
        yk_add_quoted(&text, source->include_folders[i], strlen(source->include_folders[i]));
    }
    if (x->headers.outside && x->headers.outside->folders.length == 0)
        yk_text_add(&text, "; headers of the CUDA Toolkit are not installed beside NVRTC, in CUDA_HOME or in /usr/local/cuda");
    if (x->headers.language == YK_LANGUAGE_CUDA && !strpbrk(name, "./")) {
        yk_text_add(&text, "; NVRTC has no C++ library: <cuda/std/");
        yk_add_quoted(&text, name, strlen(name));
        yk_text_add(&text, "> of the CUDA Toolkit may have what is needed");
    }
    yk_text_add(&text, "\"\n");
    return put_instead(x, &text, lines);
}

/* A directive that Yoke does not expand: a failure where the compiler certainly gets there, else an #error in its place. */
static yoke_status put_refused(yk_expansion *x, const yk_header *header, const yk_directive *directive, const char *reason)
{
    yk_text text = { 0 };
    const char *at = header->text + directive->begin;
    int length = (int)strcspn(at, "\r\n");
    if (yk_expansion_is_sure(x))
        return yk_fail(YOKE_E_BUILD, "%s: %.200s:%lu: %.*s: %.300s", x->headers.function, header->path, directive->line,
                       length < 100 ? length : 100, at, reason);
    yk_text_add(&text, "#error \"");
    yk_add_quoted(&text, header->path, strlen(header->path));
    yk_text_add(&text, ":%lu: ", directive->line);
    yk_add_quoted(&text, at, (size_t)length);
    yk_text_add(&text, ": ");
    yk_add_quoted(&text, reason, strlen(reason));
    yk_text_add(&text, "\"\n");
    return put_instead(x, &text, directive->next - directive->line);
}

/* A header that the compiler reads itself; in <>, since it would look for "name" in the working directory. */
static yoke_status put_outside(yk_expansion *x, const char *name, unsigned long lines)
{
    yk_text text = { 0 };
    x->macros.foreign = true;
    yk_text_add(&text, "#include <%s>\n", name);
    return put_instead(x, &text, lines);
}

/* A directive that is left to the compiler. */
static yoke_status put_as_it_is(yk_expansion *x, const yk_header *header, const yk_directive *directive)
{
    x->macros.foreign = true;
    return yk_write(&x->writer, header->text + directive->begin, directive->end - directive->begin,
                    directive->next - directive->line);
}

/* Fail with the chain of includes, "a.h:3 includes b.h:1 includes a.h". */
static yoke_status endless(const yk_expansion *x, const yk_header *includer, const yk_header *header)
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

/* ---- Guards ---- */

/* Whether the compiler has certainly seen the header before this point, and would skip its content. */
static bool is_closed(yk_expansion *x, const yk_header *header)
{
    bool guarded = header->guard && header->all_guarded;
    if (header->open)
        return header->once ||
               (guarded && yk_macro_get(&x->macros, header->guard, strlen(header->guard), NULL) == YK_MACRO_DEFINED);
    return (header->once || guarded) && header->branch && yk_branch_is_open(&x->macros, header->branch);
}

/* Guards of this name open again. */
static void pass_undef(yk_expansion *x, const char *name)
{
    for (yk_header *header = x->headers.first; header; header = header->next)
        if (header->guard && !header->once && strcmp(header->guard, name) == 0)
            header->branch = 0;
}

/* ---- Expanding ---- */

static yoke_status put_header(yk_expansion *x, yk_header *header, int depth);

/* The header is too deep in others, or in itself. The compiler gets there only where no unknown condition prevents it. */
static yoke_status put_too_deep(yk_expansion *x, yk_header *includer, const yk_directive *include, const yk_header *header)
{
    if (!yk_expansion_is_sure(x))
        return put_refused(x, includer, include, "headers include each other more than 200 deep");
    if (header->open)
        return endless(x, includer, header);
    return yk_fail(YOKE_E_BUILD, "%s: %.200s:%lu: headers include each other more than %d deep", x->headers.function,
                   includer->path, include->line, YK_INCLUDE_DEPTH);
}

static yoke_status put_wanted(yk_expansion *x, yk_header *includer, const yk_directive *include, const yk_wanted *wanted, int depth)
{
    unsigned long lines = include->next - include->line; /* 0 when the text ends with the #include */
    yk_header *header;

    includer->line = include->line;
    yoke_status status = yk_headers_find(&x->headers, includer, wanted, &header);
    if (status < 0)
        return status;
    if (!header) {
        bool outside = false;
        bool perhaps = !x->headers.outside && x->headers.language == YK_LANGUAGE_CUDA && !wanted->quoted;
        if (x->headers.outside)
            status = yk_outside_take(x->headers.outside, wanted->name, &outside);
        else if (perhaps && include->kind == YK_DIRECTIVE_COMPUTED)
            return put_outside(x, wanted->name, lines);
        else if (perhaps)
            return put_as_it_is(x, includer, include); /* perhaps a header of the Toolkit */
        return status < 0 ? status : outside ? put_outside(x, wanted->name, lines) : put_missing(x, wanted->name, lines);
    }
    if (is_closed(x, header))
        return yk_write_blank(&x->writer, lines);
    if (header->open && yk_expansion_here(x)->dead)
        return put_refused(x, includer, include, "a condition that is false precedes it");
    if (depth >= YK_INCLUDE_DEPTH)
        return put_too_deep(x, includer, include, header);
    const yk_header *by = header->includer;
    const yk_line_span behind = line_behind(x, lines);
    header->includer = includer;
    status = put_header(x, header, depth + 1);
    header->includer = by;
    return status == YOKE_OK ? yk_write_position(&x->writer, x->writer.map->files[behind.file], behind.line) : status;
}

static yoke_status put_include(yk_expansion *x, yk_header *includer, const yk_directive *include, int depth)
{
    yk_wanted wanted = { yk_text_get(&includer->directives.names) + include->name, include->line, include->quoted, include->after,
                         include->extra };
    return put_wanted(x, includer, include, &wanted, depth);
}

/* #include MACRO. What Yoke cannot follow, the CUDA compiler may, since it is given the folders; such a program is not cached. */
static yoke_status put_computed(yk_expansion *x, yk_header *includer, const yk_directive *include, int depth)
{
    yk_wanted wanted;
    yk_text name = { 0 }, fault = { 0 };
    yoke_status status = yk_expansion_name(x, includer, include, &wanted, &name, &fault);
    if (status == YOKE_OK && fault.length == 0) {
        status = put_wanted(x, includer, include, &wanted, depth);
    } else if (status == YOKE_OK && x->headers.outside) {
        x->headers.outside->used = x->headers.outside->unknown = x->macros.lost = true;
        status = put_as_it_is(x, includer, include);
    } else if (status == YOKE_OK) {
        yk_text_add(&fault, "; write the header's name, or define the macro once, in the text or in the source's defines");
        status = put_refused(x, includer, include, yk_text_get(&fault));
    }
    yk_text_free(&name);
    yk_text_free(&fault);
    return status;
}

/* #pragma once in a header, which would mean the whole text. */
static yoke_status put_once(yk_expansion *x, const yk_header *header, const yk_directive *directive)
{
    yk_text text = { 0 };
    if (header->once)
        return yk_write_blank(&x->writer, directive->next - directive->line);
    yk_text_add(&text, "#define YOKE_ONCE_%u\n", header->number);
    return put_instead(x, &text, directive->next - directive->line);
}

/* Put something in place of a directive. */
static yoke_status replace(yk_expansion *x, yk_header *header, const yk_directive *directive, yk_text *made, int depth)
{
    switch (directive->kind) {
    case YK_DIRECTIVE_INCLUDE:
        return put_include(x, header, directive, depth);
    case YK_DIRECTIVE_COMPUTED:
        return put_computed(x, header, directive, depth);
    case YK_DIRECTIVE_ONCE:
        return put_once(x, header, directive);
    case YK_DIRECTIVE_REFUSED:
        return put_refused(x, header, directive, "Yoke does not expand this; write #include");
    default:
        return put_instead(x, made, directive->next - directive->line);
    }
}

/* Pass a directive; *out_made: another text for a conditional, or empty. */
static yoke_status pass(yk_expansion *x, const yk_header *header, const yk_directive *directive, yk_text *out_made)
{
    const char *operand = header->text + directive->operand;
    yk_truth truth = YK_UNKNOWN;
    yoke_status status = YOKE_OK;
    if (directive->kind == YK_DIRECTIVE_UNDEF)
        pass_undef(x, header->directives.names.data + directive->name);
    if (directive->kind == YK_DIRECTIVE_DEFINE || directive->kind == YK_DIRECTIVE_UNDEF)
        return yk_expansion_define(x, operand, directive->end - directive->operand, directive->kind == YK_DIRECTIVE_DEFINE);
    if (directive->kind < YK_DIRECTIVE_IF)
        return YOKE_OK;
    if (!yk_directive_opens(directive->kind))
        yk_expansion_leave(x);
    if (directive->kind != YK_DIRECTIVE_ENDIF)
        status = yk_expansion_ask(x, header, directive, &truth, out_made);
    return status == YOKE_OK ? yk_expansion_pass(x, directive->kind, truth) : status;
}

/* A whole text, with its includes expanded. */
static yoke_status put_text(yk_expansion *x, yk_header *header, int depth)
{
    const yk_directives *all = &header->directives;
    unsigned long line = 1;
    size_t done = 0;
    yoke_status status = YOKE_OK;

    x->macros.lost = x->macros.lost || header->pops;
    for (size_t i = 0; i < all->count && status == YOKE_OK; i++) {
        const yk_directive *directive = &all->list[i];
        yk_text made = { 0 };
        status = pass(x, header, directive, &made);
        bool stays = directive->kind == YK_DIRECTIVE_LINE;
        bool other = directive->kind == YK_DIRECTIVE_INCLUDE || directive->kind == YK_DIRECTIVE_COMPUTED ||
                     directive->kind == YK_DIRECTIVE_REFUSED || made.length > 0 ||
                     (directive->kind == YK_DIRECTIVE_ONCE && header->place != YK_PLACE_TEXT);
        if (status == YOKE_OK && (stays || other)) {
            status = yk_write(&x->writer, header->text + done, (stays ? directive->end : directive->begin) - done,
                              (stays ? directive->next : directive->line) - line);
            if (status == YOKE_OK)
                status = stays ? follow_line(x, header, directive) : replace(x, header, directive, &made, depth);
            done = directive->end;
            line = directive->next;
        }
        yk_text_free(&made);
    }
    if (status < 0)
        return status;
    const char *rest = header->text + done, *end = header->text + header->size;
    unsigned long lines = 0;
    for (const char *at = rest; header->place != YK_PLACE_TEXT && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        lines++; /* nothing follows the source's own text, so its lines need not be counted */
    return yk_write(&x->writer, rest, (size_t)(end - rest), lines);
}

/* A text whose #pragma once may have been passed before, in its own conditional. */
static yoke_status put_once_text(yk_expansion *x, yk_header *header, int depth)
{
    yoke_status status = put_line(x, "#ifndef YOKE_ONCE_%lu\n", header->number);
    if (status == YOKE_OK && header->once)
        status = put_line(x, "#define YOKE_ONCE_%lu\n", header->number);
    if (status == YOKE_OK && header->expanded)
        status = yk_expansion_pass_again(x);
    bool again = header->expanded;
    header->expanded = true;
    if (status == YOKE_OK)
        status = yk_write_position(&x->writer, header->path, 1);
    if (status == YOKE_OK)
        status = put_text(x, header, depth);
    if (status == YOKE_OK && again)
        status = yk_expansion_pass(x, YK_DIRECTIVE_ENDIF, YK_UNKNOWN);
    return status;
}

static yoke_status put_header(yk_expansion *x, yk_header *header, int depth)
{
    bool once = header->once || header->perhaps_once;
    yoke_status status;

    header->open++;
    header->branch = yk_expansion_here(x)->branch;
    if (once) {
        status = put_once_text(x, header, depth);
    } else {
        status = yk_write_position(&x->writer, header->path, 1);
        if (status == YOKE_OK)
            status = put_text(x, header, depth);
    }
    /* End the last line here, even if it has no line end, or ends in a backslash. */
    if (status == YOKE_OK && x->writer.out->data[x->writer.out->length - 1] != '\n')
        status = yk_write_blank(&x->writer, 1);
    if (status == YOKE_OK)
        status = yk_write_blank(&x->writer, 1);
    if (status == YOKE_OK && once)
        status = yk_write(&x->writer, "#endif\n", 7, 1);
    header->open--;
    return status;
}

yoke_status yk_include_expand(const char *function, const yoke_source *source, yk_language language, const char *text, size_t size,
                              const char *file, yk_outside *outside, yk_text *out_text, yk_line_map *out_map)
{
    yk_expansion x = { .writer = { function, out_text, out_map, 1 }, .macros = { .language = language } };
    yk_header *header;

    yoke_status status = yk_headers_init(&x.headers, function, source, language, outside);
    if (status == YOKE_OK)
        status = yk_headers_add_text(&x.headers, file, text, size, &header);
    if (status == YOKE_OK)
        status = yk_expansion_begin(&x);
    if (status == YOKE_OK)
        status = yk_expansion_predefine(&x);
    if (status == YOKE_OK) {
        header->branch = yk_expansion_here(&x)->branch;
        status = yk_write_map(&x.writer, header->path, 1);
    }
    if (status == YOKE_OK)
        status = put_text(&x, header, 0);
    free(x.conditionals);
    yk_macros_free(&x.macros);
    yk_headers_free(&x.headers);
    return status;
}
