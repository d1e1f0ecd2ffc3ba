/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preprocessor's tokens of one line, without comments and spliced lines. Whatever compilers may read in different ways makes
 * the line unreadable here, so that nothing is concluded from it.
 */
#include "program/include/include_macro.h"
#include "program/include/include_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Memory ---- */

typedef struct yk_chunk {
    struct yk_chunk *next;
    size_t used, size;
    _Alignas(max_align_t) char bytes[];
} yk_chunk;

void *yk_arena_take(yk_arena *arena, size_t size)
{
    enum { CHUNK = 1 << 14, ALIGNMENT = _Alignof(max_align_t) };
    yk_chunk *chunk = arena->chunks;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!chunk || chunk->size - chunk->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;
        chunk = malloc(sizeof *chunk + room);
        if (!chunk) {
            arena->failed = true;
            return NULL;
        }
        *chunk = (yk_chunk){ .next = arena->chunks, .size = room };
        arena->chunks = chunk;
    }
    void *place = chunk->bytes + chunk->used;
    chunk->used += size;
    arena->used += size;
    return place;
}

void yk_arena_free(yk_arena *arena)
{
    while (arena->chunks) {
        yk_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        free(chunk);
    }
    *arena = (yk_arena){ 0 };
}

/* ---- Lists ---- */

void yk_pp_append(yk_pp_list *list, yk_pp *token)
{
    if (!token)
        return;
    token->next = NULL;
    if (list->last)
        list->last->next = token;
    else
        list->first = token;
    list->last = token;
}

yk_pp *yk_pp_copy(yk_arena *arena, const yk_pp *token)
{
    yk_pp *copy = yk_arena_take(arena, sizeof *copy);
    if (copy) {
        *copy = *token;
        copy->next = NULL;
    }
    return copy;
}

bool yk_pp_is(const yk_pp *token, const char *text)
{
    size_t length = strlen(text);
    return token && token->length == length && memcmp(token->text, text, length) == 0;
}

bool yk_pp_asks(const char *name, size_t length)
{
    static const char *const words[] = { "__has_include", "__has_include_next", "__has_embed" };
    for (size_t i = 0; i < YK_COUNT_OF(words); i++)
        if (length == strlen(words[i]) && memcmp(name, words[i], length) == 0)
            return true;
    return false;
}

void yk_pp_spell(const yk_pp *first, const yk_pp *end, yk_text *out)
{
    for (const yk_pp *token = first; token && token != end; token = token->next) {
        if (token->space && token != first)
            yk_text_add_bytes(out, " ", 1);
        yk_text_add_bytes(out, token->text, token->length);
    }
}

/* ---- Reading ---- */

typedef struct reader {
    yk_cursor cursor;
    yk_arena *arena;
    char *bytes; /* the current token's, as long as the line */
    size_t length;
    const char *instead; /* the token's spelling, where it is a digraph */
    bool strange;
} reader;

static void take(reader *r)
{
    r->bytes[r->length++] = *r->cursor.at++;
}

/* The character behind the next, in the same logical line. */
static int peek_second(const reader *r)
{
    yk_cursor after = r->cursor;
    after.at++;
    return yk_cursor_peek(&after);
}

static void read_number(reader *r)
{
    for (int ch = yk_cursor_peek(&r->cursor); ch >= 0; ch = yk_cursor_peek(&r->cursor)) {
        int last = r->length ? r->bytes[r->length - 1] : 0;
        bool sign = (ch == '+' || ch == '-') && last && strchr("eEpP", last);
        if (!yk_cursor_is_word(ch) && ch != '.' && !sign)
            break;
        take(r);
    }
    r->strange = r->strange || yk_cursor_peek(&r->cursor) == '\''; /* a digit separator in C++ */
}

/* Up to the closing character. */
static void read_closed(reader *r, int close)
{
    take(r);
    for (int ch = yk_cursor_peek(&r->cursor); ch >= 0 && ch != '\n'; ch = yk_cursor_peek(&r->cursor)) {
        take(r);
        if (ch == close)
            return;
        if (ch == '\\' && close != '>' && yk_cursor_peek(&r->cursor) >= 0 && *r->cursor.at != '\n')
            take(r);
    }
    r->strange = true;
}

/* Whether these two characters are next; then take them. */
static bool take_pair(reader *r, const char *pair)
{
    if (yk_cursor_peek(&r->cursor) != pair[0] || peek_second(r) != pair[1])
        return false;
    take(r);
    (void)yk_cursor_peek(&r->cursor);
    take(r);
    return true;
}

static void read_mark(reader *r)
{
    static const char *const pairs[] = { "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "##" };
    for (size_t i = 0; i < YK_COUNT_OF(pairs); i++)
        if (take_pair(r, pairs[i]))
            return;
    r->strange = r->strange || *r->cursor.at == '\\' || take_pair(r, "??"); /* a trigraph */
    if (take_pair(r, "%:"))
        r->instead = take_pair(r, "%:") ? "##" : "#";
    else if (r->length == 0)
        take(r);
}

static yk_pp_kind read_token(reader *r, const yk_pp_list *list, const yk_pp *before_last)
{
    int ch = yk_cursor_peek(&r->cursor), second = peek_second(r);
    if ((ch >= '0' && ch <= '9') || (ch == '.' && second >= '0' && second <= '9')) {
        read_number(r);
        return YK_PP_NUMBER;
    }
    if (yk_cursor_is_word(ch) || ch == '$') {
        for (; ch >= 0 && (yk_cursor_is_word(ch) || ch == '$'); ch = yk_cursor_peek(&r->cursor)) {
            r->strange = r->strange || ch == '$';
            take(r);
        }
        r->strange = r->strange || (ch == '"' && r->bytes[r->length - 1] == 'R'); /* perhaps a raw string */
        return YK_PP_NAME;
    }
    if (ch == '<' && yk_pp_is(list->last, "(") && before_last && yk_pp_asks(before_last->text, before_last->length)) {
        read_closed(r, '>');
        return YK_PP_HEADER;
    }
    if (ch == '"' || ch == '\'') {
        read_closed(r, ch);
        return ch == '"' ? YK_PP_STRING : YK_PP_CHARACTER;
    }
    read_mark(r);
    return YK_PP_MARK;
}

bool yk_pp_read(yk_arena *arena, const char *text, size_t size, yk_pp_list *list)
{
    reader r = { .cursor = { .at = text, .end = text + size, .line = 1 }, .arena = arena };
    const yk_pp *before_last = NULL;
    *list = (yk_pp_list){ 0 };
    r.bytes = yk_arena_take(arena, size + 1);
    while (r.bytes) {
        (void)yk_cursor_peek(&r.cursor);
        const char *before = r.cursor.at;
        int ch = yk_cursor_blanks(&r.cursor);
        if (ch < 0 || ch == '\n')
            break;
        yk_pp *token = yk_arena_take(arena, sizeof *token);
        if (!token)
            return false;
        *token = (yk_pp){ .space = r.cursor.at != before };
        token->kind = read_token(&r, list, before_last);
        token->text = r.instead ? r.instead : r.bytes;
        token->length = r.instead ? strlen(r.instead) : r.length;
        r.instead = NULL;
        r.bytes += r.length; /* the tokens lie one behind the other */
        r.length = 0;
        before_last = list->last;
        yk_pp_append(list, token);
    }
    return r.bytes && !r.strange && !r.cursor.open && !r.cursor.trigraph;
}
