/* SPDX-License-Identifier: Apache-2.0 */
/* The TAP producer. */
#include "tap.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limit.h"

static pthread_mutex_t tap_lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows, and keeps lines whole */
static unsigned tap_planned, tap_cases, tap_failures;
static const char *tap_todo_reason;
void tap_start(unsigned seconds)
{
    const char *text = getenv("YOKE_TEST_SECONDS");
    unsigned long asked = text ? strtoul(text, NULL, 10) : 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    limit_start(asked > seconds && asked < 86400 ? (unsigned)asked : seconds);
}

void tap_plan(unsigned cases)
{
    pthread_mutex_lock(&tap_lock);
    tap_planned = cases;
    printf("1..%u\n", cases);
    pthread_mutex_unlock(&tap_lock);
}

/* The number of the case that has ended here; the next one has the whole time. The lock is held. */
static unsigned tap_count(const char *text)
{
    char where[256];

    snprintf(where, sizeof where, "behind case %u, %.160s", ++tap_cases, text);
    limit_again(where);
    return tap_cases;
}

/* One result line. The lock is held. */
static void tap_line(bool passed, const char *format, va_list arguments)
{
    char text[512];

    vsnprintf(text, sizeof text, format, arguments);
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '#') /* a new line would end the case, and a hash would start a directive */
            *c = ' ';
    if (!passed && !tap_todo_reason)
        tap_failures++;
    printf("%sok %u - %s", passed ? "" : "not ", tap_count(text), text);
    if (tap_todo_reason)
        printf(" # TODO %s", tap_todo_reason);
    putchar('\n');
}

bool tap_ok_at(const char *file, int line, const char *condition, bool passed, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&tap_lock);
    tap_line(passed, format, arguments);
    if (!passed)
        printf("# %s:%d: does not hold: %s\n", file, line, condition);
    pthread_mutex_unlock(&tap_lock);
    va_end(arguments);
    return passed;
}

bool tap_is_integer_at(const char *file, int line, const char *what, intmax_t got, intmax_t expected, const char *format, ...)
{
    bool passed = got == expected;
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&tap_lock);
    tap_line(passed, format, arguments);
    if (!passed)
        printf("# %s:%d: %s is %jd, expected %jd\n", file, line, what, got, expected);
    pthread_mutex_unlock(&tap_lock);
    va_end(arguments);
    return passed;
}

bool tap_is_real_at(const char *file, int line, const char *what, double got, double expected, const char *format, ...)
{
    bool passed = memcmp(&got, &expected, sizeof got) == 0 || got == expected;
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&tap_lock);
    tap_line(passed, format, arguments);
    if (!passed)
        printf("# %s:%d: %s is %.17g (%a), expected %.17g (%a)\n", file, line, what, got, got, expected, expected);
    pthread_mutex_unlock(&tap_lock);
    va_end(arguments);
    return passed;
}

bool tap_is_text_at(const char *file, int line, const char *what, const char *got, const char *expected, const char *format, ...)
{
    bool passed = got && expected ? strcmp(got, expected) == 0 : got == expected;
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&tap_lock);
    tap_line(passed, format, arguments);
    if (!passed)
        printf("# %s:%d: %s is \"%s\", expected \"%s\"\n", file, line, what, got ? got : "(NULL)", expected ? expected : "(NULL)");
    pthread_mutex_unlock(&tap_lock);
    va_end(arguments);
    return passed;
}

void tap_skip(const char *reason, ...)
{
    va_list arguments;

    va_start(arguments, reason);
    pthread_mutex_lock(&tap_lock);
    printf("ok %u # SKIP ", tap_count("a skipped one"));
    vprintf(reason, arguments);
    putchar('\n');
    pthread_mutex_unlock(&tap_lock);
    va_end(arguments);
}

void tap_skip_all(const char *reason, ...)
{
    va_list arguments;

    va_start(arguments, reason);
    pthread_mutex_lock(&tap_lock);
    if (tap_planned == 0 && tap_cases == 0)
        printf("1..0 # SKIP ");
    else
        printf("Bail out! tap_skip_all behind the first case: ");
    vprintf(reason, arguments);
    putchar('\n');
    fflush(stdout);
    exit(tap_planned == 0 && tap_cases == 0 ? 0 : TAP_TOLD);
}

void tap_todo(const char *reason)
{
    pthread_mutex_lock(&tap_lock);
    tap_todo_reason = reason;
    pthread_mutex_unlock(&tap_lock);
}

void tap_diag(const char *format, ...)
{
    char text[2048], *rest = text, *line;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&tap_lock);
    while ((line = strsep(&rest, "\n")))
        printf("# %s\n", line);
    pthread_mutex_unlock(&tap_lock);
}

void tap_bail(const char *reason, ...)
{
    va_list arguments;

    va_start(arguments, reason);
    pthread_mutex_lock(&tap_lock);
    printf("Bail out! ");
    vprintf(reason, arguments);
    putchar('\n');
    fflush(stdout);
    _exit(TAP_TOLD);
}

int tap_done(void)
{
    pthread_mutex_lock(&tap_lock);
    if (tap_planned == 0 && tap_cases > 0)
        printf("1..%u\n", tap_cases);
    else if (tap_planned == 0)
        printf("Bail out! no case was tried\n");
    bool told = tap_failures > 0 || tap_cases == 0 || (tap_planned != 0 && tap_planned != tap_cases);
    fflush(stdout);
    pthread_mutex_unlock(&tap_lock);
    return told ? TAP_TOLD : 0;
}
