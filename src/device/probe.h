/* SPDX-License-Identifier: Apache-2.0 */
/* Querying a backend for its devices in a child process, in which a broken driver may crash or hang without harm. */
#ifndef YK_PROBE_H
#define YK_PROBE_H

#include "backend_api.h"

/* How long a child may take; tests shorten it. */
extern unsigned yk_probe_seconds;

/* A child that was asked. */
typedef struct yk_probe_child {
    const yk_backend *backend;
    pid_t pid;
    int fd;          /* its answer */
    char fault[128]; /* what the driver has done instead of answering, as "crashed (signal 11) when it was ..."; else "" */
} yk_probe_child;

/* Start a child that asks the backend. `settings`: lines of NAME=VALUE for its environment, or NULL.
 * YOKE_E_OUT_OF_HOST_MEMORY: no child can be started. */
yoke_status yk_probe_ask(const yk_backend *backend, const char *settings, yk_probe_child *out_child);

/* Wait until the child has answered, or is gone, or the time is `deadline` (yk_now); then it is killed. Once for each child.
 * Appends its devices to `list` and, unless `files` is NULL, the libraries that were loaded in it (yk_trust_list_files) to that.
 * Returns the backend's own failure, too. Without an answer it is YOKE_E_UNAVAILABLE, and child->fault says why. After a failure
 * the list has only gained rejections. */
yoke_status yk_probe_answer(yk_probe_child *child, uint64_t deadline, yk_device_list *list, yk_text *files);

/* When a child has to have answered that is asked now. */
uint64_t yk_probe_deadline(void);

/* Ask the backend in this process; what a failing one has added is taken back, but for the rejections. */
yoke_status yk_probe_here(const yk_backend *backend, yk_device_list *list);

#endif
