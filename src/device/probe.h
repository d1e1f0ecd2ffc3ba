/* SPDX-License-Identifier: Apache-2.0 */
/* Querying a backend for its devices in a child process, in which a broken driver may crash or hang without harm. */
#ifndef YK_PROBE_H
#define YK_PROBE_H

#include "backend_api.h"
#include "base/system/child.h"

/* A child's time limit; tests shorten it. */
YK_DEFINED_HERE extern unsigned yk_probe_seconds;

/* A child that is being queried. */
typedef struct yk_probe_child {
    const yk_backend *backend;
    yk_child child;
    bool silent;     /* it did not answer in time */
    char fault[128]; /* the driver's fault, such as "crashed (signal 11) when it was ..."; "" when it answered */
} yk_probe_child;

/* Start a child that queries the backend. `settings`: lines of NAME=VALUE for its environment, or NULL.
 * YOKE_E_OUT_OF_HOST_MEMORY: no child can be started. */
yoke_status yk_probe_ask(const yk_backend *backend, const char *settings, yk_probe_child *out_child);

/* Wait until the child has answered or exited; at `deadline` (yk_now) it is killed. Call once per child. Appends the child's
 * devices to `list` and, unless `files` is NULL, the libraries that it loaded to `files` (yk_trust_list_files). Returns the
 * backend's own failure, too. Without an answer the status is YOKE_E_UNAVAILABLE, and child->fault says why. After a failure the
 * list has only gained rejections. */
yoke_status yk_probe_answer(yk_probe_child *child, uint64_t deadline, yk_device_list *list, yk_text *files);

/* The deadline of a child that is started now. */
uint64_t yk_probe_deadline(void);

/* Query the backend in this process; after a failure the list has only gained rejections. */
yoke_status yk_probe_here(const yk_backend *backend, yk_device_list *list);

#endif
