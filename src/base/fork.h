/* SPDX-License-Identifier: Apache-2.0 */
/* Forked children: the checks for a fork during or after the start of a driver. */
#ifndef YK_FORK_H
#define YK_FORK_H

#include "base/macros.h"

/* What the owner of drivers does around a fork. */
typedef struct yk_fork_hooks {
    void (*prepare)(void), (*parent)(void), (*child)(void);
} yk_fork_hooks;

/* From a constructor, before any lock of Yoke's can be taken: watch forks, with these hooks. */
void yk_fork_watch(const yk_fork_hooks *hooks);

/* Around the start of a driver in this process: a child that is forked in between cannot use it. */
yoke_status yk_fork_begin_start(void);
void yk_fork_end_start(void);
/* A device is open: from now on no child of this process can use Yoke. */
void yk_fork_arm(void);
/* For public functions that take no object: YOKE_OK, or YOKE_E_FORKED with its record. */
YK_COLD yoke_status yk_fork_check(const char *function);

/* In a forked child: a lock that a thread of the parent may have held is as new. */
static inline void yk_lock_renew(pthread_mutex_t *lock)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    *lock = fresh;
}

/* This process was forked from one that had opened a device: nothing of a driver works here. */
extern bool yk_forked;

#endif
