/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log messages: to the program's function, or to stderr where YOKE_LOG is set; nothing else is ever written. Messages are
 * serialized, so that the program's function needs no lock and yoke_log_set knows when the old function is no longer running.
 */
#include "base/process/process.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

static const char *const level_names[] = {
    [YOKE_LOG_OFF] = "off",   [YOKE_LOG_ERROR] = "error", [YOKE_LOG_WARNING] = "warning",
    [YOKE_LOG_INFO] = "info", [YOKE_LOG_DEBUG] = "debug",
};
_Static_assert(YK_COUNT_OF(level_names) == YOKE_LOG_DEBUG + 1, "a name for each level");

atomic_int yk_log_level = -1;

/* The receiver of messages. The next receiver is prepared in the other element, so that a fork finds either of them whole. */
typedef struct listener {
    yoke_log_fn fn;
    void *user;
} listener;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows; held while the program's function runs */
static listener listeners[2];
static atomic_uint current;
static _Thread_local bool is_reporting; /* this thread holds the lock */

/* The level that the environment sets; with a mistyped one everything is logged. */
static int ordered_level(void)
{
    const char *ordered = getenv("YOKE_LOG");
    if (!ordered || !*ordered)
        return YOKE_LOG_OFF;
    for (size_t i = 0; i < YK_COUNT_OF(level_names); i++)
        if (strcmp(ordered, level_names[i]) == 0)
            return (int)i;
    fprintf(stderr, "yoke: warning: YOKE_LOG is '%.40s'; it must be off, error, warning, info or debug, and counts as debug\n",
            ordered);
    return YOKE_LOG_DEBUG;
}

/* A watchdog or a trace that the environment orders would be useless without a word: its messages go to stderr unless the program
 * has a function or YOKE_LOG is set. */
static bool nobody_chose(void)
{
    const char *ordered = getenv("YOKE_LOG");
    return !listeners[atomic_load(&current)].fn && (!ordered || !*ordered);
}

void yoke_log_set(int level, yoke_log_fn fn, void *user)
{
    YK_UNCANCELLED;
    pthread_mutex_lock(&lock);
    unsigned next = 1 - atomic_load(&current);
    listeners[next] = (listener){ fn, user };
    atomic_store(&current, next);
    if (!fn)
        level = ordered_level();
    level = level < YOKE_LOG_OFF ? YOKE_LOG_OFF : level > YOKE_LOG_DEBUG ? YOKE_LOG_DEBUG : level;
    atomic_store_explicit(&yk_log_level, level, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

/* With the lock held. */
static void deliver(int level, const char *text, bool ordered)
{
    if (atomic_load_explicit(&yk_log_level, memory_order_relaxed) < 0)
        atomic_store_explicit(&yk_log_level, ordered_level(), memory_order_relaxed);
    if (level > atomic_load_explicit(&yk_log_level, memory_order_relaxed) && !(ordered && nobody_chose()))
        return;
    const listener *receiver = &listeners[atomic_load(&current)];
    if (receiver->fn)
        receiver->fn(level, text, receiver->user);
    else
        fprintf(stderr, "yoke: %s: %s\n", level_names[level], text);
}

/* A text of the program's may have several lines, and its names may contain anything. Returns `text` itself, or a copy to be freed
 * where line breaks need more room; without memory for that, each is a space. */
static char *as_one_line(char *text)
{
    size_t breaks = 0;
    for (const char *c = text; *c; c++)
        breaks += *c == '\n';
    char *line = breaks > 0 ? malloc(strlen(text) + 2 * breaks + 1) : NULL, *end = line;
    for (char *c = text; *c; c++) {
        if (*c == '\n' && line) {
            end = stpcpy(end, " | ");
            continue;
        }
        if ((unsigned char)*c < ' ')
            *c = ' ';
        if (line)
            *end++ = *c;
    }
    if (!line)
        return text;
    *end = '\0';
    return line;
}

static void write_line(int level, bool ordered, const char *format, va_list args)
{
    YK_UNCANCELLED;
    char some[sizeof yoke_error()->text + 256], *text = some, *more = NULL;
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(some, sizeof some, format, args);
    if (length >= (int)sizeof some && (more = malloc((size_t)length + 1))) { /* else the message is truncated */
        vsnprintf(more, (size_t)length + 1, format, again);
        text = more;
    }
    va_end(again);
    if (length < 0)
        return;
    char *line = as_one_line(text);
    pthread_mutex_lock(&lock);
    is_reporting = true;
    deliver(level, line, ordered);
    is_reporting = false;
    pthread_mutex_unlock(&lock);
    if (line != text)
        free(line);
    free(more);
}

void yoke_log_write(int level, const char *format, ...)
{
    va_list args;
    if (!format || level < YOKE_LOG_ERROR || level > YOKE_LOG_DEBUG)
        return;
    va_start(args, format);
    write_line(level, false, format, args);
    va_end(args);
}

void yk_log_line(int level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_line(level, false, format, args);
    va_end(args);
}

void yk_log_ordered(int level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_line(level, true, format, args);
    va_end(args);
}

void yk_log_forked(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    if (!is_reporting) /* the program's function may fork: the child returns here, and unlocks */
        lock = fresh;
}
