/* SPDX-License-Identifier: Apache-2.0 */
/* Words: texts and names, the record of a failure, messages. Part of core.h. */
#ifndef YK_TEXT_H
#define YK_TEXT_H

#include "core.h"

/* ---- Text (text.c) [backends] ---- */

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
enum yk_thread_text { YK_BUILD_LOG, YK_DEVICE_REPORT, YK_GRAPH_TEXT, YK_KERNEL_NAMES, YK_THREAD_TEXTS };
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

/* ---- Structs that callers give to be filled in, the first member of which is their size ---- */

/* Check what is given, and zero all behind its size. `advice`: "start from YOKE_DEVICE_INFO_INIT". */
yoke_status yk_info_begin(const char *function, const char *argument, void *out_info, size_t least, const char *advice);
/* Fill in as much as it takes; what this library does not know stays 0, and its size as it was. */
void yk_info_fill(void *out_info, const void *info, size_t known);

/* ---- Errors (error.c) [backends] ---- */

/* Start a new record with a status and a text; returns status. */
YK_COLD yoke_status yk_fail(yoke_status status, const char *format, ...) YOKE_PRINTF(2, 3);
/* A driver call failed: the text becomes "backend: call failed: NAME (code): detail", without the last part when format is NULL. */
YK_COLD yoke_status yk_driver_fail(yoke_status status, const char *backend, const char *call, int code, const char *name,
                                   const char *format, ...) YOKE_PRINTF(6, 7);
/* Out of host memory while doing `what`. */
YK_COLD yoke_status yk_no_memory(const char *what);
/* Note the public function, and the place that enqueued the work (may be NULL), in the record of a failure; returns status. */
YK_COLD yoke_status yk_blame(const char *function, const char *where, yoke_status status);
/* Add to the text of the thread's record, which stays as it is otherwise. */
void yk_error_append(const char *format, ...) YOKE_PRINTF(1, 2);
/* What the thread has said with yoke_fail since it was cleared, by that or by yoke_error_clear; "" for nothing. */
const char *yk_said(void);
void yk_said_clear(void);
/* The thread's last failure was dealt with: its record is again what it was before that one. For where keeping it beforehand would
 * cost every call. */
YK_COLD void yk_error_take_back(void);
/* Set the record from a kept one; returns its status. */
yoke_status yk_error_restore(const yoke_error_info *kept);

/* A failure that several objects tell of: a stream, its events. */
typedef struct yk_failure {
    atomic_uint refs;
    atomic_bool told; /* somebody was given the record */
    yoke_error_info info;
} yk_failure;

/* One reference and no failure yet; NULL and a record when out of memory. */
yk_failure *yk_failure_new(void);
yk_failure *yk_failure_retain(yk_failure *failure);
void yk_failure_release(yk_failure *failure);
/* A failure from the thread's record. Never NULL: out of memory it is a failure that says so. */
yk_failure *yk_failure_from_record(void);
/* Set the thread's record from it; returns its status. */
yoke_status yk_failure_tell(yk_failure *failure);

/* ---- Logging (log.c) [backends] ---- */

extern atomic_int yk_log_level; /* YOKE_LOG_; negative until the environment has been read */
YK_COLD void yk_log_line(int level, const char *format, ...) YOKE_PRINTF(2, 3);
/* What the environment has ordered by a variable of its own: goes to stderr also where nobody asked for a log. */
YK_COLD void yk_log_ordered(int level, const char *format, ...) YOKE_PRINTF(2, 3);
#define yk_log(level, ...)                                                                                         \
    do {                                                                                                           \
        if (YK_UNLIKELY((unsigned)(level) <= (unsigned)atomic_load_explicit(&yk_log_level, memory_order_relaxed))) \
            yk_log_line(level, __VA_ARGS__);                                                                       \
    } while (0)

/* In a forked child: whoever was being told of something in the parent will not come back here. */
void yk_log_forked(void);

#endif
