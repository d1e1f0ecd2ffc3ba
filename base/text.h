/* SPDX-License-Identifier: Apache-2.0 */
/* Texts: growing strings, names from outside, letters and numbers (text.c, name.c). */
#ifndef YK_TEXT_H
#define YK_TEXT_H

#include "base/macros.h"

/* A growing string. After running out of memory it keeps its content and ignores the rest. A zeroed text is empty. */
typedef struct yk_text {
    char *data; /* NULL while empty */
    size_t length, capacity;
    bool is_cut; /* memory ran out */
} yk_text;

void yk_text_add(yk_text *text, const char *format, ...) YOKE_PRINTF(2, 3);
void yk_text_add_bytes(yk_text *text, const char *bytes, size_t length);
void yk_text_add_quoted(yk_text *text, const char *string); /* as JSON writes it; what is no UTF-8 becomes ? */
const char *yk_text_get(const yk_text *text); /* never NULL */
/* Drop all but the first `length` bytes; a text that ran out of memory grows again. */
void yk_text_cut(yk_text *text, size_t length);
void yk_text_free(yk_text *text);

/* Copy with truncation, never inside a character; always terminated. */
void yk_string_copy(char *target, size_t size, const char *source);
/* The same, and yk_make_utf8: for names from a program or a driver. */
void yk_name_copy(char *target, size_t size, const char *name);
/* The number of bytes of the UTF-8 character that begins here; 0: invalid UTF-8. */
size_t yk_letter(const char *text);
/* Replace each byte that is not UTF-8 by '?'. */
void yk_make_utf8(char *text);
/* The label of a stream or graph in messages: at most the first 31 bytes of `name`, quoted, or `number` when there is no name. */
enum { YK_NAME_SIZE = 32, YK_LABEL_SIZE = YK_NAME_SIZE + 2 };
void yk_label(char label[YK_LABEL_SIZE], const char *name, uint64_t number);
/* Writes "3.0 GiB" or "512 bytes" to `target` and returns it. */
const char *yk_bytes_text(char *target, size_t size, uint64_t bytes);
/* The candidate nearest to `word` by edit distance, or NULL when none is near. */
const char *yk_nearest(const char *word, const char *const *candidates, size_t count);

/* Letters and numbers as in the C locale, whatever locale the program has chosen: the C library's functions follow that. */
static inline bool yk_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool yk_is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline char yk_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether the first `length` bytes of both are equal, ignoring case. */
bool yk_same_letters(const char *a, const char *b, size_t length);
/* Find `part` in the text, ignoring case; NULL: not found. */
const char *yk_find_letters(const char *text, const char *part);
/* Append a number with this many decimal digits, at most 9. */
void yk_text_add_decimal(yk_text *text, double value, unsigned digits);
/* Read the whole text as a number, like "0.2" or "1e3"; false when it is not a number. */
bool yk_read_decimal(const char *text, double *out_value);

#endif
