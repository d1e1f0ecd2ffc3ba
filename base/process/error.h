/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures: the calling thread's record (error.c), and failures that objects share (error_shared.c). Backends may include this
 * header.
 */
#ifndef YK_ERROR_H
#define YK_ERROR_H

#include <stdarg.h>

#include "base/macros.h"

/* Start a new record with a status and a text; returns status. */
YK_COLD yoke_status yk_fail(yoke_status status, const char *format, ...) YOKE_PRINTF(2, 3);
/* A driver call failed: the text becomes "backend: call failed: NAME (code): detail", without the last part when format is NULL. */
YK_COLD yoke_status yk_driver_fail(yoke_status status, const char *backend, const char *call, int code, const char *name,
                                   const char *format, ...) YOKE_PRINTF(6, 7);
/* The same with a detail made of `format`, which may be NULL, and of `advice`, which may be "": for a backend's own functions. */
YK_COLD yoke_status yk_driver_vfail(yoke_status status, const char *backend, const char *call, int code, const char *name,
                                    const char *advice, const char *format, va_list values);
/* Out of host memory while doing `what`. */
YK_COLD yoke_status yk_no_memory(const char *what);
/* A status for a message: its name, or its number where it is the program's own. */
typedef struct yk_status_text {
    char text[40];
} yk_status_text;
YK_COLD yk_status_text yk_status_word(yoke_status status);
/* Add the public function and the place that enqueued the work (may be NULL) to the record of a failure; returns status. */
YK_COLD yoke_status yk_attribute(const char *function, const char *where, yoke_status status);
/* What public functions begin and end with: their name in messages, without _at; an out-parameter, which must not be NULL and is
 * reset; and a status that names the function and the place when it is a failure. */
#define YK_FUNCTION(name) static const char function[] = #name
#define YK_OUT(out)                                                                                                  \
    do {                                                                                                             \
        if (!(out))                                                                                                  \
            return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: " #out " is NULL", function)); \
        *(out) = 0;                                                                                                  \
    } while (0)
static inline yoke_status yk_attribute_site(const char *function, const char *where, yoke_status status)
{
    return YK_UNLIKELY(status < 0) ? yk_attribute(function, where, status) : status;
}

/* Put this in the place of the public function that the text of the thread's record begins with, and change nothing else. */
void yk_error_rename(const char *format, ...) YOKE_PRINTF(1, 2);
/* Append to the text of the thread's record, and change nothing else. */
void yk_error_append(const char *format, ...) YOKE_PRINTF(1, 2);
/* Start a new record with the thread's reason from yoke_fail since the last yk_said_clear or yoke_error_clear. False: there is
 * none, and nothing is changed. */
bool yk_fail_as_said(yoke_status status);
void yk_said_clear(void);
/* The thread's last failure has been handled: restore the record from before it. For callers where saving the record beforehand
 * would cost every call. */
YK_COLD void yk_error_take_back(void);
/* Set the record from a saved one; returns its status. */
yoke_status yk_error_restore(const yoke_error_info *kept);

/* What a thread keeps of its failures, around a function of the program that is called in the middle of another call. */
typedef struct yk_error_state {
    yoke_error_info record; /* only its status where that is YOKE_OK */
    char said[sizeof((yoke_error_info *)NULL)->text];
    unsigned lacking;
} yk_error_state;

/* Save the state, which is unchanged; and put it back. Cheap where there was and is no failure. */
void yk_error_save(yk_error_state *out_state);
void yk_error_return(const yk_error_state *state);

/* A failure that several objects report: a stream and its events. */
typedef struct yk_failure {
    atomic_uint refs;
    atomic_bool told; /* the failure has been reported */
    yoke_error_info info;
} yk_failure;

/* A failure with one reference and no content yet; NULL and a record when out of memory. */
yk_failure *yk_failure_new(void);
yk_failure *yk_failure_retain(yk_failure *failure);
void yk_failure_release(yk_failure *failure);
/* A failure from the thread's record. Never NULL: when out of memory, a constant failure that says so. */
yk_failure *yk_failure_from_record(void);
/* Set the thread's record from the failure; returns its status. */
yoke_status yk_failure_report(yk_failure *failure);

#endif
