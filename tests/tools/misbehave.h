/* SPDX-License-Identifier: Apache-2.0 */
/* What a broken driver does, by the name that it was given: crash, abort, quit (exit), exit (_exit) or hang. */
#ifndef MISBEHAVE_H
#define MISBEHAVE_H

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void misbehave_as(const char *name)
{
    if (strstr(name, "crash"))
        raise(SIGSEGV);
    if (strstr(name, "abort"))
        abort();
    if (strstr(name, "quit"))
        exit(0);
    if (strstr(name, "exit"))
        _exit(7);
    while (strstr(name, "hang"))
        pause();
}

#endif
