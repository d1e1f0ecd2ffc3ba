/* SPDX-License-Identifier: Apache-2.0 */
/* Texts: growing strings, names from outside, letters and numbers. Backends may include this header. */
#ifndef YK_TEXT_H
#define YK_TEXT_H

#include "base/macros.h"

/* A string that grows. After running out of memory it keeps what it had and ignores the rest. Zeroed is empty. */
typedef struct yk_text {
    char *data; /* NULL while empty */
    size_t length, capacity;
} yk_text;

void yk_text_add(yk_text *text, const char *format, ...) YOKE_PRINTF(2, 3);
void yk_text_add_bytes(yk_text *text, const char *bytes, size_t length);
const char *yk_text_get(const yk_text *text); /* never NULL */
/* Forget all but the first `length` bytes. */
void yk_text_cut(yk_text *text, size_t length);
void yk_text_free(yk_text *text);
/* Append a line: a file's path, size, time of change and inode, as far as there is one; a variable of the environment (trust.c). */
void yk_text_add_file(yk_text *text, const char *path);
void yk_text_add_variable(yk_text *text, const char *name);

/* The calling thread's own texts: valid until the thread changes them, freed when it ends. */
enum yk_thread_text { YK_BUILD_LOG, YK_DEVICE_REPORT, YK_GRAPH_TEXT, YK_THREAD_TEXTS };
yk_text *yk_thread_text(enum yk_thread_text which);

/* Copy with truncation, never inside a letter; always terminated. */
void yk_string_copy(char *target, size_t size, const char *source);
/* The same, and yk_make_utf8: for names that a program or a driver gives. */
void yk_name_copy(char *target, size_t size, const char *name);
/* How many bytes the letter takes that begins here; 0: they are not UTF-8. */
size_t yk_letter(const char *text);
/* Put a '?' in place of each byte that is not UTF-8. */
void yk_make_utf8(char *text);
/* How a stream or graph is called in messages: the first 31 bytes of `name` at most, quoted, or `number` when there is no name. */
enum { YK_NAME_SIZE = 32, YK_LABEL_SIZE = YK_NAME_SIZE + 2 };
void yk_label(char label[YK_LABEL_SIZE], const char *name, uint64_t number);
/* "3.0 GiB", "512 bytes" into `target`, which is returned. */
const char *yk_bytes_text(char *target, size_t size, uint64_t bytes);
/* The same text for the rest of the process, for names that outlive their object. NULL and a record when out of memory. */
const char *yk_intern(const char *text);
/* For tests: the most texts that a call of yk_intern compares its own with. */
size_t yk_intern_longest(void);
/* Around a fork: the lock of those texts. */
void yk_intern_lock(void);
void yk_intern_unlock(void);
/* The candidate nearest to `word` by edit distance, or NULL when none is near. */
const char *yk_nearest(const char *word, const char *const *candidates, size_t count);

/* Letters and numbers as in C, whatever locale the program has chosen: what the C library has for them follows that. */
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

/* The first `length` bytes of both are the same, but for upper and lower case. */
bool yk_same_letters(const char *a, const char *b, size_t length);
/* Where `part` stands in the text, in any case; NULL: nowhere. */
const char *yk_find_letters(const char *text, const char *part);
/* Add a number with so many digits behind its point, 9 at most. */
void yk_text_add_decimal(yk_text *text, double value, unsigned digits);
/* A whole text as a number, as "0.2" or "1e3"; false when it is none. */
bool yk_read_decimal(const char *text, double *out_value);

#endif
