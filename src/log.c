/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages for people: to the program's function, or where YOKE_LOG asks for it to stderr. Nothing is ever written otherwise. One
 * at a time, so that the program's function need not lock and yoke_log_set knows when the old one is done with.
 */
#include "core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[] = { "off", "error", "warning", "info", "debug" };

atomic_int yk_log_level = -1;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows; held while the program's function runs */
static yoke_log_fn log_fn;
static void *log_user;

/* What the environment orders. A watchdog that nobody hears would be of no use, so it speaks up to warnings. */
static int ordered_level(void)
{
    const char *ordered = getenv("YOKE_LOG"), *watchdog = getenv("YOKE_WATCHDOG");
    for (size_t i = 0; ordered && i < YK_COUNT_OF(level_names); i++)
        if (strcmp(ordered, level_names[i]) == 0)
            return (int)i;
    if (ordered && *ordered)
        return YOKE_LOG_DEBUG; /* whoever mistypes it wants to see something */
    return watchdog && *watchdog ? YOKE_LOG_WARNING : YOKE_LOG_OFF;
}

void yoke_log_set(int level, yoke_log_fn fn, void *user)
{
    YK_UNCANCELLED;
    pthread_mutex_lock(&lock);
    log_fn = fn;
    log_user = user;
    if (!fn)
        level = ordered_level();
    level = level < YOKE_LOG_OFF ? YOKE_LOG_OFF : level > YOKE_LOG_DEBUG ? YOKE_LOG_DEBUG : level;
    atomic_store_explicit(&yk_log_level, level, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

/* With the lock held. */
static void tell(int level, const char *text)
{
    if (atomic_load_explicit(&yk_log_level, memory_order_relaxed) < 0)
        atomic_store_explicit(&yk_log_level, ordered_level(), memory_order_relaxed);
    if (level > atomic_load_explicit(&yk_log_level, memory_order_relaxed))
        return;
    if (log_fn)
        log_fn(level, text, log_user);
    else
        fprintf(stderr, "yoke: %s: %s\n", level_names[level], text);
}

void yk_log_line(int level, const char *format, ...)
{
    YK_UNCANCELLED;
    char some[sizeof yoke_error()->text + 256], *text = some, *more = NULL;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(some, sizeof some, format, args);
    va_end(args);
    if (length < 0)
        return;
    if ((size_t)length >= sizeof some && (more = malloc((size_t)length + 1))) { /* else it is cut */
        va_start(args, format);
        vsnprintf(more, (size_t)length + 1, format, args);
        va_end(args);
        text = more;
    }
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ') /* a name of the program's may hold anything */
            *c = ' ';
    pthread_mutex_lock(&lock);
    tell(level, text);
    pthread_mutex_unlock(&lock);
    free(more);
}

void yk_log_forked(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    lock = fresh;
}
