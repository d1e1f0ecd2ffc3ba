/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process is told by the watchdog: its messages, by stream.
 */
#ifndef TOLD_H
#define TOLD_H

#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 64, TEXT_SIZE = 8192 };

/* To the parent, on stderr: a stream was told of before all stood that was to stand, since a thread had no processor. It is not
 * told of again, so the process ends, and another one tries. */
static const char too_early[] = "told of before all of it stood";

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    const char *whole; /* words that each text has once everything stands; or NULL */
    unsigned count;
    char texts[KEPT][TEXT_SIZE];
} told = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };

/* Whether the stream itself is told to need no more than a processor; not one further down the chain. */
static bool is_about_to_run(const char *text)
{
    return suite_has_words(text, "gets a processor") && !suite_has_words(text, "waiting for the event");
}

static void hear(int level, const char *text, void *user)
{
    (void)user;
    if (level != YOKE_LOG_WARNING || is_about_to_run(text) || /* a busy machine: where it stands after that, it is told of again */
        (!suite_has_words(text, "has made no progress") && !suite_has_words(text, "not completed its submitted work")))
        return;
    pthread_mutex_lock(&told.lock);
    if (told.whole && !suite_has_words(text, told.whole)) {
        fprintf(stderr, "%s: %s\n", too_early, text);
        _exit(suite_failures() == 0 ? 0 : 1);
    }
    if (CHECK(told.count < KEPT))
        snprintf(told.texts[told.count++], sizeof told.texts[0], "%s", text);
    pthread_cond_broadcast(&told.more);
    pthread_mutex_unlock(&told.lock);
}

/* With the lock held: messages of the stream of this name, and the first of them. */
static unsigned count_of(const char *name, const char **out_text)
{
    char start[64];
    unsigned found = 0;

    snprintf(start, sizeof start, "stream '%s' of ", name);
    for (unsigned i = told.count; i-- > 0;)
        if (strncmp(told.texts[i], start, strlen(start)) == 0) {
            *out_text = told.texts[i];
            found++;
        }
    return found;
}

static unsigned told_of(const char *name)
{
    const char *text;

    pthread_mutex_lock(&told.lock);
    unsigned found = count_of(name, &text);
    pthread_mutex_unlock(&told.lock);
    return found;
}

/* What was told of it first; texts stay. */
static const char *wait_until_told_of(const char *name)
{
    const char *text = NULL;

    pthread_mutex_lock(&told.lock);
    while (count_of(name, &text) == 0)
        pthread_cond_wait(&told.more, &told.lock);
    pthread_mutex_unlock(&told.lock);
    return text;
}

/* The words one behind the other: "a|b|c". */
static bool in_order(const char *text, const char *words)
{
    char word[128];
    const char *at = text;

    for (const char *rest = words; *rest && at;) {
        size_t length = strcspn(rest, "|");

        snprintf(word, sizeof word, "%.*s", (int)length, rest);
        at = strstr(at, word);
        at = at ? at + length : NULL;
        rest += length + (rest[length] == '|');
    }
    if (!CHECK(at != NULL))
        tap_diag("not in this order: %s; in: %s", words, text);
    return at != NULL;
}

#endif
