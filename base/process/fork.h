/* SPDX-License-Identifier: Apache-2.0 */
/* Forked children: the checks for a fork during or after the start of a driver. */
#ifndef YK_FORK_H
#define YK_FORK_H

#include "base/macros.h"

/* The functions that the owner of drivers runs around a fork. */
typedef struct yk_fork_hooks {
    void (*prepare)(void), (*parent)(void), (*child)(void);
} yk_fork_hooks;

/* From a constructor, before any of Yoke's locks can be taken: install the fork handlers, with these hooks. */
void yk_fork_watch(const yk_fork_hooks *hooks);

/* Around the start of a driver in this process: a child forked in between cannot use the driver. */
yoke_status yk_fork_begin_start(void);
void yk_fork_end_start(void);
/* A device is open: from now on no child of this process can use Yoke. */
void yk_fork_arm(void);
/* For public functions that take no object: YOKE_OK, or YOKE_E_FORKED with its record. */
YK_COLD yoke_status yk_fork_check(const char *function);

/* In a forked child: initialize a lock again that a thread of the parent may have held. */
static inline void yk_lock_renew(pthread_mutex_t *lock)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    *lock = fresh;
}

/* This process was forked from one that had opened a device: no driver works here. */
YK_DEFINED_HERE extern bool yk_forked;

#endif
