/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library logs while a case runs. Errors are as they should be where a case provokes failures; a warning in a case that
 * provokes none is something nobody has asked for, and fails the case. All of it goes to the suite, so that stderr stays silent.
 * Devices that are opened and closed are counted through the whole program: a reference that is not given back keeps one open.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* More than the text of a message and its trimmings; messages beyond the last one kept are only counted. */
enum { MESSAGE_SIZE = 1100, MESSAGES_KEPT = 128, LEVELS = YOKE_LOG_DEBUG + 1, SECONDS_TO_CLOSE = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows */
static pthread_cond_t one_is_closed = PTHREAD_COND_INITIALIZER;
static unsigned counts[LEVELS], kept, opened, closed, leaking;
static bool expected;
static _Thread_local unsigned errors_here; /* logged by this thread */
static struct {
    int level;
    char text[MESSAGE_SIZE];
} messages[MESSAGES_KEPT];

static void keep(int level, const char *text, void *user)
{
    (void)user;
    pthread_mutex_lock(&lock);
    counts[level]++;
    errors_here += level == YOKE_LOG_ERROR;
    if (level == YOKE_LOG_WARNING && suite_has_words(text, " closes with |in use")) { /* whatever the case provokes */
        leaking++;
        tap_diag("%s", text);
    }
    if (level == YOKE_LOG_INFO) {
        opened += suite_has_words(text, " is opened: ");
        closed += suite_has_words(text, " is closed");
        pthread_cond_broadcast(&one_is_closed);
    } else if (kept < MESSAGES_KEPT) {
        messages[kept].level = level;
        snprintf(messages[kept].text, sizeof messages[kept].text, "%s", text);
        kept++;
    }
    pthread_mutex_unlock(&lock);
}

void suite_log_here(void)
{
    yoke_log_set(YOKE_LOG_INFO, keep, NULL);
}

void suite_log_begin(void)
{
    suite_log_here();
    pthread_mutex_lock(&lock);
    memset(counts, 0, sizeof counts);
    kept = 0;
    expected = false;
    pthread_mutex_unlock(&lock);
}

void suite_errors_begin(void)
{
    errors_here = 0;
}

unsigned suite_errors(void)
{
    return errors_here;
}

void suite_expect_log(void)
{
    pthread_mutex_lock(&lock);
    expected = true;
    pthread_mutex_unlock(&lock);
}

bool suite_log_end(void)
{
    pthread_mutex_lock(&lock);
    bool fine = expected || counts[YOKE_LOG_WARNING] == 0 || counts[YOKE_LOG_ERROR] > 0;
    for (unsigned i = 0; !fine && i < kept; i++)
        tap_diag("nothing has failed in this case, and yet the library warns: %s", messages[i].text);
    pthread_mutex_unlock(&lock);
    return fine;
}

/* Closing may take a while after the last release; with the lock. */
static bool open_at_most(unsigned count)
{
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += SECONDS_TO_CLOSE;
    while (closed + count < opened && pthread_cond_timedwait(&one_is_closed, &lock, &limit) == 0)
        ;
    return closed + count >= opened;
}

bool suite_log_open(unsigned count)
{
    pthread_mutex_lock(&lock);
    bool right = open_at_most(count) && closed + count == opened;
    if (!right)
        tap_diag("of %u devices that were opened %u are closed, and %u ought to be open", opened, closed, count);
    pthread_mutex_unlock(&lock);
    return right;
}

/* A case that listens itself for a while may have heard of the opening alone. */
bool suite_log_closed(void)
{
    pthread_mutex_lock(&lock);
    bool all = open_at_most(0);
    if (!all)
        tap_diag("of %u devices that were opened %u are closed: the others have references left", opened, closed);
    all = all && leaking == 0;
    pthread_mutex_unlock(&lock);
    return all;
}

unsigned suite_logged(int level, const char *words)
{
    unsigned found = 0;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < kept; i++)
        found += messages[i].level == level && suite_has_words(messages[i].text, words);
    pthread_mutex_unlock(&lock);
    return found;
}
