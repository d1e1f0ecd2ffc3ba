/* SPDX-License-Identifier: Apache-2.0 */
/* What a process may use of the machine: on a single core, a thread that spins lets the one run that it spins for. */
#include "base/process/waiter.h"

#include <sched.h>

#include "../tap/tap.h"

/* Without sched_yield each turn takes what the system gives a thread at once: some ten thousand pauses, and milliseconds. */
enum { TURNS = 200, MOST_PAUSES = 1000 };

static atomic_int turn; /* even: the main thread's */

/* Returns the pauses while the other thread took its turns. */
static long take_turns(int first)
{
    long pauses = 0;

    for (int mine = first; mine < TURNS; mine += 2) {
        for (; atomic_load(&turn) != mine; pauses++)
            yk_pause();
        atomic_store(&turn, mine + 1);
    }
    return pauses;
}

static void *other(void *unused)
{
    (void)unused;
    take_turns(1);
    return NULL;
}

#ifdef __linux__
/* Bind the process to one of its cores. */
static bool bind_to_one(void)
{
    cpu_set_t allowed;
    int core = 0;

    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return false;
    while (!CPU_ISSET(core, &allowed))
        core++;
    CPU_ZERO(&allowed);
    CPU_SET(core, &allowed);
    return sched_setaffinity(0, sizeof allowed, &allowed) == 0;
}
#else
static bool bind_to_one(void)
{
    return false;
}
#endif

int main(void)
{
    pthread_t thread;

    tap_start(60);
    tap_ok(yk_core_count() >= 1, "there are cores");
    if (!bind_to_one()) {
        tap_skip("one core: this system does not bind a process to it");
        return tap_done();
    }
    tap_ok(yk_core_count() == 1, "one, for a process that is bound to it");
    if (!tap_ok(pthread_create(&thread, NULL, other, NULL) == 0, "two threads share it"))
        return tap_done();
    long pauses = take_turns(0);
    pthread_join(thread, NULL);
    tap_diag("%d turns after %ld pauses", TURNS, pauses);
    tap_ok(pauses < (long)TURNS * MOST_PAUSES, "and take turns at it");
    return tap_done();
}
