/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library logs while a case runs. Errors are as they should be where a case provokes failures; a warning in a case that
 * provokes none is something nobody has asked for, and fails the case. All of it goes to the suite, so that stderr stays silent.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>

/* More than the text of a message and its trimmings; messages beyond the last one kept are only counted. */
enum { MESSAGE_SIZE = 1100, MESSAGES_KEPT = 128, LEVELS = YOKE_LOG_DEBUG + 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows */
static unsigned counts[LEVELS], kept;
static bool expected;
static struct {
    int level;
    char text[MESSAGE_SIZE];
} messages[MESSAGES_KEPT];

static void keep(int level, const char *text, void *user)
{
    (void)user;
    pthread_mutex_lock(&lock);
    counts[level]++;
    if (kept < MESSAGES_KEPT) {
        messages[kept].level = level;
        snprintf(messages[kept].text, sizeof messages[kept].text, "%s", text);
        kept++;
    }
    pthread_mutex_unlock(&lock);
}

void suite_log_here(void)
{
    yoke_log_set(YOKE_LOG_WARNING, keep, NULL);
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

unsigned suite_logged(int level, const char *words)
{
    unsigned found = 0;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < kept; i++)
        found += messages[i].level == level && suite_has_words(messages[i].text, words);
    pthread_mutex_unlock(&lock);
    return found;
}
