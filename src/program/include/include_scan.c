/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the preprocessor's directives in a text, with comments, strings and spliced lines parsed as compilers do. Linear in the
 * size of the text; conditionals are not evaluated.
 */
#include "program/include/include_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of a splice: a backslash and the line end, with the blanks that compilers allow between them. 0: no splice. */
static size_t splice(const char *at, const char *end)
{
    const char *c = at;
    if (c >= end || *c++ != '\\')
        return 0;
    while (c < end && (*c == ' ' || *c == '\t' || *c == '\r'))
        c++;
    return c < end && *c == '\n' ? (size_t)(c + 1 - at) : 0;
}

/* Whether a line ends here in the trigraph of a backslash. */
static bool ends_in_trigraph(const char *at, const char *end)
{
    if (end - at < 4 || memcmp(at, "?\?/", 3) != 0)
        return false;
    for (at += 3; at < end && (*at == ' ' || *at == '\t' || *at == '\r'); at++)
        ;
    return at < end && *at == '\n';
}

/* The next character of the logical line, or -1 at the end of the text. */
int yk_cursor_peek(yk_cursor *c)
{
    size_t length;
    while ((length = splice(c->at, c->end)) > 0) {
        c->at += length;
        c->line++;
    }
    if (c->at < c->end && *c->at == '?' && !c->trigraph && ends_in_trigraph(c->at, c->end))
        c->trigraph = c->line;
    return c->at < c->end ? (unsigned char)*c->at : -1;
}

static bool is_blank(int ch)
{
    return ch == ' ' || ch == '\t' || ch == '\r' || ch == '\v' || ch == '\f';
}

/* A character of names and numbers; bytes above 127 belong to UTF-8 letters. */
bool yk_cursor_is_word(int ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch > 127;
}

/* ---- Comments, strings and words ---- */

static void skip_line_comment(yk_cursor *c)
{
    for (int ch = yk_cursor_peek(c); ch >= 0 && ch != '\n'; ch = yk_cursor_peek(c))
        c->at++;
}

static void skip_block_comment(yk_cursor *c)
{
    unsigned long begin = c->line;
    for (int ch = yk_cursor_peek(c); ch >= 0; ch = yk_cursor_peek(c)) {
        c->at++;
        c->line += ch == '\n';
        if (ch == '*' && yk_cursor_peek(c) == '/') {
            c->at++;
            return;
        }
    }
    c->open = begin;
}

/* At a slash: skip the comment that begins there, or the slash. True: it was a comment. */
static bool skip_slash(yk_cursor *c)
{
    c->at++;
    int ch = yk_cursor_peek(c);
    if (ch != '/' && ch != '*')
        return false;
    c->at++;
    if (ch == '/')
        skip_line_comment(c);
    else
        skip_block_comment(c);
    return true;
}

/* At the opening quote. An unterminated string ends with its line. */
static void skip_quoted(yk_cursor *c)
{
    char quote = *c->at++;
    for (int ch = yk_cursor_peek(c); ch >= 0 && ch != '\n'; ch = yk_cursor_peek(c)) {
        c->at++;
        if (ch == quote)
            return;
        if (ch == '\\' && yk_cursor_peek(c) >= 0 && *c->at != '\n')
            c->at++;
    }
}

/* At the quote of R"tag( ... )tag": nothing inside is special. */
static void skip_raw_string(yk_cursor *c)
{
    enum { LONGEST_TAG = 16 };
    char stop[LONGEST_TAG + 2] = ")";
    size_t length = 1;
    const char *at = c->at + 1;

    while (at < c->end && *at != '(' && length <= LONGEST_TAG)
        stop[length++] = *at++;
    stop[length++] = '"';
    if (at == c->end || *at != '(') {
        skip_quoted(c);
        return;
    }
    const char *found = memmem(at, (size_t)(c->end - at), stop, length);
    const char *end = found ? found + length : c->end;
    if (!found)
        c->open = c->line;
    for (at = c->at; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        c->line++;
    c->at = end;
}

/* Skip a name or a number, whose digit separators (1'000) are not quotes; and the raw string whose prefix it is. */
static void skip_word(yk_cursor *c)
{
    const char *begin = c->at;
    bool number = *begin >= '0' && *begin <= '9';
    while (c->at < c->end && (yk_cursor_is_word((unsigned char)*c->at) ||
                              (number && *c->at == '\'' && c->at + 1 < c->end && yk_cursor_is_word((unsigned char)c->at[1]))))
        c->at++;
    if (!c->raw_strings || c->at == c->end || *c->at != '"' || c->at[-1] != 'R')
        return;
    static const char *const prefixes[] = { "R", "LR", "uR", "UR", "u8R" };
    for (size_t i = 0; i < YK_COUNT_OF(prefixes); i++) {
        size_t length = strlen(prefixes[i]);
        if ((size_t)(c->at - begin) == length && memcmp(begin, prefixes[i], length) == 0) {
            skip_raw_string(c);
            return;
        }
    }
}

/* Skip blanks and comments of this logical line; returns the next character. */
int yk_cursor_blanks(yk_cursor *c)
{
    for (;;) {
        int ch = yk_cursor_peek(c);
        if (ch == '/') {
            yk_cursor slash = *c;
            if (!skip_slash(&slash))
                return ch;
            *c = slash;
        } else if (is_blank(ch)) {
            c->at++;
        } else {
            return ch;
        }
    }
}

/* Skip the rest of the logical line, including all lines that a comment or raw string joins to it. */
static void skip_line(yk_cursor *c)
{
    for (;;) {
        int ch = yk_cursor_peek(c);
        if (ch < 0)
            return;
        if (ch == '\n') {
            c->at++;
            c->line++;
            return;
        }
        if (yk_cursor_is_word(ch))
            skip_word(c);
        else if (ch == '"' || ch == '\'')
            skip_quoted(c);
        else if (ch == '/')
            (void)skip_slash(c);
        else
            c->at++;
    }
}

/* ---- Directives ---- */

/* Copy a word into `word`, truncated to fit. Empty: there is no word. */
static void read_word(yk_cursor *c, char *word, size_t size)
{
    size_t length = 0;
    for (int ch = yk_cursor_blanks(c); ch >= 0 && yk_cursor_is_word(ch); ch = yk_cursor_peek(c)) {
        if (length + 1 < size)
            word[length++] = (char)ch;
        c->at++;
    }
    word[length] = '\0';
}

static yk_directive_kind find_kind(const char *word)
{
    static const struct {
        const char *word;
        yk_directive_kind kind;
    } known[] = {
        { "include", YK_DIRECTIVE_INCLUDE },
        { "include_next", YK_DIRECTIVE_INCLUDE },
        { "import", YK_DIRECTIVE_REFUSED },
        { "embed", YK_DIRECTIVE_REFUSED },
        { "__include_macros", YK_DIRECTIVE_REFUSED },
        { "pragma", YK_DIRECTIVE_PRAGMA },
        { "define", YK_DIRECTIVE_DEFINE },
        { "undef", YK_DIRECTIVE_UNDEF },
        { "line", YK_DIRECTIVE_LINE },
        { "if", YK_DIRECTIVE_IF },
        { "ifdef", YK_DIRECTIVE_IFDEF },
        { "ifndef", YK_DIRECTIVE_IFNDEF },
        { "elif", YK_DIRECTIVE_ELIF },
        { "elifdef", YK_DIRECTIVE_ELIFDEF },
        { "elifndef", YK_DIRECTIVE_ELIFDEF },
        { "else", YK_DIRECTIVE_ELSE },
        { "endif", YK_DIRECTIVE_ENDIF },
    };
    for (size_t i = 0; i < YK_COUNT_OF(known); i++)
        if (strcmp(known[i].word, word) == 0)
            return known[i].kind;
    return yk_is_digit(word[0]) ? YK_DIRECTIVE_LINE : YK_DIRECTIVE_OTHER;
}

static bool add_name(yk_directives *directives, const char *bytes, size_t length)
{
    size_t wanted = directives->names.length + length;
    yk_text_add_bytes(&directives->names, bytes, length);
    return directives->names.length == wanted;
}

/* Read a name up to its closing character, which may be missing: then the directive becomes YK_DIRECTIVE_OTHER. False: out of
 * memory. */
static bool read_name(yk_cursor *c, int close, yk_directives *directives, yk_directive *directive)
{
    int ch;
    directive->name = directives->names.length;
    c->at++;
    for (ch = yk_cursor_peek(c); ch >= 0 && ch != '\n' && ch != close; ch = yk_cursor_peek(c)) {
        char byte = (char)ch;
        if (!add_name(directives, &byte, 1))
            return false;
        c->at++;
    }
    if (ch == close)
        c->at++;
    else
        directive->kind = YK_DIRECTIVE_OTHER;
    return add_name(directives, "", 1);
}

/* Read the name of an #include: false when out of memory. Anything but a name makes it YK_DIRECTIVE_COMPUTED. */
static bool read_include(yk_cursor *c, yk_directives *directives, yk_directive *directive)
{
    yk_cursor before = *c;
    int open = yk_cursor_blanks(c), close = open == '<' ? '>' : '"';
    if (open != '<' && open != '"') {
        *c = before;
        directive->kind = YK_DIRECTIVE_COMPUTED;
        return true;
    }
    directive->quoted = open == '"';
    bool read = read_name(c, close, directives, directive);
    if (directive->kind == YK_DIRECTIVE_OTHER)
        directive->kind = YK_DIRECTIVE_COMPUTED;
    int ch = yk_cursor_blanks(c);
    directive->extra = ch >= 0 && ch != '\n';
    return read;
}

/* Read a line's number, which may be that word, and perhaps its file. A macro makes it YK_DIRECTIVE_OTHER. False: out of memory. */
static bool read_position(yk_cursor *c, const char *word, yk_directives *directives, yk_directive *directive)
{
    enum { MOST_DIGITS = 9 };
    char number[20];
    if (yk_is_digit(word[0]))
        snprintf(number, sizeof number, "%s", word);
    else
        read_word(c, number, sizeof number);
    size_t digits = strspn(number, "0123456789");
    if (digits == 0 || digits > MOST_DIGITS || number[digits])
        directive->kind = YK_DIRECTIVE_OTHER;
    directive->number = strtoul(number, NULL, 10);
    if (yk_cursor_blanks(c) == '"')
        return read_name(c, '"', directives, directive);
    directive->name = directives->names.length;
    return add_name(directives, "", 1);
}

/* Read the macro of #ifndef, #define or #undef. */
static bool read_macro(yk_cursor *c, yk_directives *directives, yk_directive *directive)
{
    char word[256]; /* longer names are not include guards */
    read_word(c, word, sizeof word);
    directive->name = directives->names.length;
    int ch = yk_cursor_blanks(c);
    directive->extra = (ch >= 0 && ch != '\n') || strlen(word) + 1 == sizeof word;
    return add_name(directives, word, strlen(word) + 1);
}

/* What a #pragma means here. */
static yk_directive_kind read_pragma(yk_cursor *c)
{
    char word[16];
    read_word(c, word, sizeof word);
    return strcmp(word, "once") == 0            ? YK_DIRECTIVE_ONCE
           : strcmp(word, "include_alias") == 0 ? YK_DIRECTIVE_REFUSED
                                                : YK_DIRECTIVE_OTHER;
}

/* Read what follows the directive's word. False: out of memory. */
static bool read_rest(yk_cursor *c, const char *word, yk_directives *directives, yk_directive *directive)
{
    switch (directive->kind) {
    case YK_DIRECTIVE_INCLUDE:
        directive->after = strcmp(word, "include_next") == 0;
        return read_include(c, directives, directive);
    case YK_DIRECTIVE_PRAGMA:
        directive->kind = read_pragma(c);
        return true;
    case YK_DIRECTIVE_IFDEF:
    case YK_DIRECTIVE_IFNDEF:
    case YK_DIRECTIVE_DEFINE:
    case YK_DIRECTIVE_UNDEF:
        return read_macro(c, directives, directive);
    case YK_DIRECTIVE_LINE:
        return read_position(c, word, directives, directive);
    default:
        return true;
    }
}

static bool add_directive(yk_directives *directives, const yk_directive *directive)
{
    if (directives->count == directives->capacity) {
        size_t capacity = directives->capacity ? 2 * directives->capacity : 16;
        yk_directive *list = realloc(directives->list, capacity * sizeof *list);
        if (!list)
            return false;
        directives->list = list;
        directives->capacity = capacity;
    }
    directives->list[directives->count++] = *directive;
    return true;
}

/* The length of what begins a directive here: #, its digraph %: or its trigraph ??=. 0: nothing does. */
static size_t hash_length(const yk_cursor *c)
{
    static const char *const hashes[] = { "#", "%:", "?\?=" };
    for (size_t i = 0; i < YK_COUNT_OF(hashes); i++) {
        yk_cursor at = *c;
        const char *ch = hashes[i];
        for (; *ch && yk_cursor_peek(&at) == *ch; ch++)
            at.at++;
        if (!*ch)
            return (size_t)(at.at - c->at);
    }
    return 0;
}

/* At a #, which is `length` bytes long. False: out of memory. */
static bool read_directive(yk_cursor *c, size_t length, const char *text, yk_directives *directives, bool after_code)
{
    yk_directive directive = { .begin = (size_t)(c->at - text), .line = c->line, .after_code = after_code };
    bool trigraph = *c->at == '?';
    char word[20];

    for (const char *end = c->at + length; c->at < end; c->at++)
        (void)yk_cursor_peek(c); /* counts the lines that are spliced in it */
    read_word(c, word, sizeof word);
    directive.operand = (size_t)(c->at - text);
    directive.kind = trigraph ? YK_DIRECTIVE_REFUSED : find_kind(word);
    bool read = read_rest(c, word, directives, &directive);
    skip_line(c);
    directive.end = (size_t)(c->at - text);
    directive.next = c->line;
    return read && add_directive(directives, &directive);
}

/* At the beginning of a line: whether it is _Pragma("once") and nothing else. Then skip it. False: out of memory. */
static bool read_operator(yk_cursor *c, const char *text, yk_directives *directives, bool after_code, bool *out_found)
{
    static const char *const parts[] = { "_Pragma", "(", "\"once\"", ")" };
    yk_directive directive = { .kind = YK_DIRECTIVE_ONCE, .begin = (size_t)(c->at - text), .line = c->line };
    yk_cursor at = *c;
    *out_found = false;
    for (size_t i = 0; i < YK_COUNT_OF(parts); i++) {
        (void)yk_cursor_blanks(&at);
        for (const char *ch = parts[i]; *ch; ch++, at.at++)
            if (yk_cursor_peek(&at) != *ch)
                return true;
    }
    int ch = yk_cursor_blanks(&at);
    if (ch >= 0 && ch != '\n')
        return true;
    *out_found = true;
    *c = at;
    skip_line(c);
    directive.end = (size_t)(c->at - text);
    directive.next = c->line;
    directive.after_code = after_code;
    return add_directive(directives, &directive);
}

bool yk_directives_find(yk_directives *directives, const char *text, size_t size, bool raw_strings)
{
    yk_cursor c = { .at = text, .end = text + size, .line = 1, .raw_strings = raw_strings };
    bool code = false, read = true;

    for (int ch = yk_cursor_blanks(&c); ch >= 0 && read; ch = yk_cursor_blanks(&c)) {
        size_t length = hash_length(&c);
        bool found = length > 0;
        if (found)
            read = read_directive(&c, length, text, directives, code);
        else if (ch == '_')
            read = read_operator(&c, text, directives, code, &found);
        code = found ? false : code || ch != '\n';
        if (!found)
            skip_line(&c);
    }
    directives->code_at_end = code;
    directives->open = c.open;
    directives->trigraph = c.trigraph;
    if (!read)
        yk_no_memory("the directives of a source");
    return read;
}

bool yk_directives_may_include(const char *text, size_t size)
{
    if (memmem(text, size, "include", strlen("include")) || memmem(text, size, "##", 2) || memmem(text, size, "%:", 2))
        return true;
    /* A splice may be inside the word. */
    for (const char *at = text; (at = memchr(at, '\\', (size_t)(text + size - at))); at++)
        if (splice(at, text + size))
            return true;
    return false;
}

void yk_directives_free(yk_directives *directives)
{
    free(directives->list);
    yk_text_free(&directives->names);
    memset(directives, 0, sizeof *directives);
}
