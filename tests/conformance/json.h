/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a text is JSON in UTF-8, and no more: for what the library writes. Not for what somebody else may have written: it does
 * not care how deep things are.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The text from `at`, without a letter of UTF-8; NULL: there is none. */
static inline const char *json_letter(const char *at)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned char first = (unsigned char)*at++;
    unsigned length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    uint32_t code = first & (0xffu >> (length + 1));

    for (unsigned i = 1; i < length; i++, at++) {
        if (((unsigned char)*at & 0xc0) != 0x80)
            return NULL;
        code = code << 6 | ((unsigned char)*at & 0x3f);
    }
    return length == 1 || (length > 1 && code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)) ? at : NULL;
}

static inline bool json_is_utf8(const char *text)
{
    while (text && *text)
        text = json_letter(text);
    return text;
}

static inline const char *json_blanks(const char *at)
{
    return at ? at + strspn(at, " \t\r\n") : NULL;
}

static inline const char *json_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    while (at && *at != '"') {
        if (*at == '\\' && at[1] == 'u')
            at = strspn(at + 2, "0123456789abcdefABCDEF") >= 4 ? at + 6 : NULL;
        else if (*at == '\\')
            at = at[1] && strchr("\"\\/bfnrt", at[1]) ? at + 2 : NULL;
        else
            at = (unsigned char)*at >= ' ' ? json_letter(at) : NULL;
    }
    return at ? at + 1 : NULL;
}

static inline const char *json_number(const char *at)
{
    at += *at == '-';
    size_t digits = strspn(at, "0123456789");
    if (digits == 0 || (digits > 1 && *at == '0'))
        return NULL;
    at += digits;
    if (*at == '.') {
        digits = strspn(at + 1, "0123456789");
        at = digits > 0 ? at + 1 + digits : NULL;
    }
    return at;
}

/* The text from `at` without a value; NULL: there is none. */
static inline const char *json_value(const char *at)
{
    static const char *const words[] = { "true", "false", "null" };

    at = json_blanks(at);
    if (!at)
        return NULL;
    for (unsigned i = 0; i < 3; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    if (*at == '"')
        return json_string(at);
    if (*at != '[' && *at != '{')
        return json_number(at);
    char end = *at == '[' ? ']' : '}';
    at = json_blanks(at + 1);
    if (*at == end)
        return at + 1;
    for (;;) {
        if (end == '}') {
            at = json_blanks(json_string(json_blanks(at)));
            if (!at || *at++ != ':')
                return NULL;
        }
        at = json_blanks(json_value(at));
        if (!at || (*at != ',' && *at != end))
            return NULL;
        if (*at++ == end)
            return at;
        at = json_blanks(at);
    }
}

/* The whole text is one value. */
static inline bool json_is_right(const char *text)
{
    text = json_blanks(json_value(text));
    return text && !*text;
}

#endif
