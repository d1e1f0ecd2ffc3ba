/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forked children. A driver that has been started does not survive a fork: its threads are gone, its locks may be held for ever,
 * and CUDA refuses every call. So in the child of a process that had opened a device everything answers YOKE_E_FORKED, without a
 * look at any object.
 */
#include "core.h"

bool yk_forked;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int error;
static atomic_bool armed;

static void mark_child(void)
{
    yk_log_forked();
    if (atomic_load(&armed))
        yk_forked = true;
}

static void prepare(void)
{
    error = pthread_atfork(NULL, NULL, mark_child);
}

yoke_status yk_fork_prepare(void)
{
    pthread_once(&once, prepare);
    return error ? yk_no_memory("a handler for fork") : YOKE_OK;
}

void yk_fork_arm(void)
{
    atomic_store(&armed, true);
}

yoke_status yk_fork_check(const char *function)
{
    if (!yk_forked)
        return YOKE_OK;
    return yk_fail(YOKE_E_FORKED,
                   "%s: this process was forked from one that had opened a device, and no driver survives that: open devices after "
                   "fork only, or call exec",
                   function);
}
