/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a kernel source. Comments and blanks are skipped, a string is one word, and macros are not expanded. */
#include "program/scan.h"

#include <string.h>

#include "base/text.h"

static bool begins(const yk_scanner *s, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(s->end - s->at) >= length && memcmp(s->at, text, length) == 0;
}

static bool is_letter(char c)
{
    return yk_is_alpha(c) || yk_is_digit(c) || c == '_' || c == '$';
}

/* Skip to the end of the line, past lines that a trailing backslash continues. */
static void skip_line(yk_scanner *s)
{
    while (s->at < s->end && *s->at != '\n') {
        if (*s->at == '\\' && s->at + 1 < s->end) {
            s->at++;
            if (*s->at == '\r' && s->at + 1 < s->end && s->at[1] == '\n')
                s->at++;
        }
        s->at++;
    }
}

static void skip_comment(yk_scanner *s)
{
    s->at += 2;
    while (s->at < s->end && !begins(s, "*/"))
        s->at++;
    s->at = s->end - s->at < 2 ? s->end : s->at + 2;
}

static void skip_blanks(yk_scanner *s)
{
    for (; s->at < s->end; s->at++) {
        while (begins(s, "/*"))
            skip_comment(s);
        if (begins(s, "//"))
            skip_line(s);
        if (s->at == s->end || !strchr(" \t\r\n\f\v\\", *s->at) || *s->at == '\0')
            return;
        if (*s->at == '\n')
            s->in_line = false;
    }
}

static void skip_string(yk_scanner *s)
{
    char quote = *s->at++;
    while (s->at < s->end && *s->at != quote && *s->at != '\n')
        s->at += *s->at == '\\' && s->at + 1 < s->end ? 2 : 1;
    if (s->at < s->end)
        s->at++;
}

/* Skip R"mark( ... )mark", starting at the quote. */
static void skip_raw_string(yk_scanner *s)
{
    const char *mark = ++s->at;
    while (s->at < s->end && *s->at != '(')
        s->at++;
    size_t length = (size_t)(s->at - mark);
    for (; s->at < s->end; s->at++) {
        size_t left = (size_t)(s->end - s->at);
        if (*s->at == ')' && left >= length + 2 && memcmp(s->at + 1, mark, length) == 0 && s->at[length + 1] == '"') {
            s->at += length + 2;
            return;
        }
    }
}

static int scan_word(yk_scanner *s)
{
    const char *start = s->at;
    bool number = yk_is_digit(*s->at);
    while (s->at < s->end && (is_letter(*s->at) || (number && (*s->at == '.' || *s->at == '\''))))
        s->at++;
    if (number)
        return YK_NUMBER;
    if (s->at < s->end && *s->at == '"' && s->at[-1] == 'R' && s->at - start <= 3) { /* R, LR, u8R and so on */
        skip_raw_string(s);
        return YK_STRING;
    }
    return YK_IDENTIFIER;
}

yk_token yk_scan(yk_scanner *s)
{
    skip_blanks(s);
    yk_token token = { YK_END, s->at, 0 };
    if (s->at == s->end)
        return token;
    if (*s->at == '#' && !s->in_line) {
        token.kind = YK_DIRECTIVE;
        skip_line(s);
    } else if (*s->at == '"' || *s->at == '\'') {
        token.kind = YK_STRING;
        skip_string(s);
    } else if (is_letter(*s->at)) {
        token.kind = scan_word(s);
    } else {
        token.kind = (unsigned char)*s->at++;
    }
    token.length = (size_t)(s->at - token.text);
    s->in_line = true;
    return token;
}

bool yk_token_is(const yk_token *token, const char *text)
{
    return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}
