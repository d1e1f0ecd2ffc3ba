/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forked children. A started driver does not survive a fork: its threads are gone, its locks may stay held for ever, and CUDA
 * rejects every call. In a child of a process that had opened a device, or was starting a driver, every function therefore returns
 * YOKE_E_FORKED, without reading any object. The child of any other process can use Yoke: the locks of listing and logging are
 * held around the fork, or initialized again in the child where they may be held for long.
 */
#include <errno.h>

#include "base/process/lasting.h"
#include "base/process/library.h"
#include "base/system/thread.h"

bool yk_forked;

static const yk_fork_hooks *watched;
static int error = ENOSYS; /* fork handlers are not installed yet */
static atomic_bool armed;
static atomic_uint starting; /* threads that are between yk_fork_begin_start and yk_fork_end_start */

static void before(void)
{
    watched->prepare();
    yk_intern_lock();
    yk_library_lock();
}

static void in_parent(void)
{
    yk_library_unlock();
    yk_intern_unlock();
    watched->parent();
}

static void in_child(void)
{
    yk_library_unlock();
    yk_intern_unlock();
    watched->child();
    yk_log_forked();
    if (atomic_load(&armed) || atomic_load(&starting) > 0)
        yk_forked = true;
}

void yk_fork_watch(const yk_fork_hooks *hooks)
{
    watched = hooks;
    error = yk_fork_handlers(before, in_parent, in_child);
}

yoke_status yk_fork_begin_start(void)
{
    if (error)
        return yk_no_memory("a handler for fork");
    atomic_fetch_add(&starting, 1);
    return YOKE_OK;
}

void yk_fork_end_start(void)
{
    atomic_fetch_sub(&starting, 1);
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
                   "%s: this process was forked from a process that had opened a device or was opening one, and drivers do not "
                   "survive a fork: open devices only after fork, or call exec",
                   function);
}
