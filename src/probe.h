/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a backend for its devices, without starting its driver in this process when that is not wanted. */
#ifndef YK_PROBE_H
#define YK_PROBE_H

#include "core.h"

/* Append the backend's devices to `list`: asked in this process when it has started the backend's driver already, else in a child,
 * which is given 20 seconds. The backend's failure, or YOKE_E_UNAVAILABLE when the child crashed or did not answer; `list` then has
 * only gained rejections. YOKE_E_OUT_OF_HOST_MEMORY: no child can be started. */
yoke_status yk_probe(const yk_backend *backend, yk_device_list *list);

/* How long a child may take; tests shorten it. */
extern unsigned yk_probe_seconds;

/* The same in this process, starting the driver. */
yoke_status yk_probe_here(const yk_backend *backend, yk_device_list *list);

#endif
