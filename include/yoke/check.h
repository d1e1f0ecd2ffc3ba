/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks for programs that end when a call fails: small programs, examples, tests. Yoke itself neither prints nor exits; this
 * header is opt-in, and its code is compiled as part of the program. A larger program returns the status to its caller.
 */
#ifndef YOKE_CHECK_H
#define YOKE_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/yoke.h>

/* For the macros below: when `status` is a failure, print one line to stderr (several, where a text of yoke_fail has). The line has
 * the place, the call, the status, the text of yoke_error(), the driver's call and its result where the text does not name them,
 * and the line that enqueued the work where that is another. Returns 1 for a failure, else 0. */
static inline int yoke_check_failed(const char *where, const char *call, yoke_status status)
{
    const yoke_error_info *error = yoke_error();

    if (status >= 0)
        return 0;
    const char *text = error->status < 0 ? error->text : yoke_status_meaning(status);
    const char *driver = error->status < 0 && !strstr(text, error->driver_call) ? error->driver_call : "";
    const char *enqueued = error->status < 0 && !strstr(text, error->where) && strcmp(error->where, where) != 0 ? error->where : "";

    char number[24];
    const char *name = yoke_status_name(status);

    if (strcmp(name, "unknown status") == 0) { /* the program's own status */
        snprintf(number, sizeof number, "%d", YOKE_CAST(int, status));
        name = number;
    }
    fprintf(stderr, "%s: %s: %s: %s%s%s%s%s%s%s\n", where, call, name, text, *driver ? "; the driver's " : "", driver,
            *driver ? " returned " : "", *driver ? error->driver_name : "", *enqueued ? "; enqueued at " : "", enqueued);
    return 1;
}

/* Evaluate a call that returns a yoke_status once; when it fails, print one line to stderr and end the program with
 * exit(EXIT_FAILURE). The line has the place, the call, the status, the text of yoke_error(), the driver's call if a driver
 * failed, and the line that enqueued the work. A statement: YOKE_CHECK(yoke_stream_wait(stream)); */
#define YOKE_CHECK(...)                                              \
    do {                                                             \
        if (yoke_check_failed(YOKE_HERE, #__VA_ARGS__, __VA_ARGS__)) \
            exit(EXIT_FAILURE);                                      \
    } while (0)

/* The same, which runs a statement instead of ending the program: YOKE_CHECK_OR(yoke_stream_wait(stream), goto out); The statement
 * is a goto, a return, an assignment or a call; break and continue would only leave the macro. */
#define YOKE_CHECK_OR(call, ...)                         \
    do {                                                 \
        if (yoke_check_failed(YOKE_HERE, #call, (call))) \
            __VA_ARGS__;                                 \
    } while (0)

#endif
