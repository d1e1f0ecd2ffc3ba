/* SPDX-License-Identifier: Apache-2.0 */
/* Serializes queries and starts of a backend's driver, in this process or in a child: one thread at a time for each backend. */
#ifndef YK_START_H
#define YK_START_H

#include "backend_api.h"

/* Append the backend's devices to `list`: queried in this process when a driver of the backend is started here, else in a child.
 * Returns the backend's failure, or YOKE_E_UNAVAILABLE when the child crashed or did not answer, or when another thread is
 * starting the driver and the driver does not respond; `list` then has only gained rejections. YOKE_E_OUT_OF_HOST_MEMORY: no
 * child can be started, or the child lacked descriptors to open a driver. `find_culprit`: when a backend with several drivers
 * crashes or hangs, query each driver alone, and report the driver at fault. */
yoke_status yk_start_list(const yk_backend *backend, bool find_culprit, yk_device_list *list);

/* Before the driver is started in this process: YOKE_OK unless a queried child crashed or did not answer. No child is needed
 * when this process has started the driver already, or when the same drivers have answered before (trust.h). */
yoke_status yk_start_check(const yk_backend *backend);

/* Start the driver in this process unless that has been done, and append its devices. Statuses as for yk_start_list. */
yoke_status yk_start_here(const yk_backend *backend, yk_device_list *list);

#endif
