/* SPDX-License-Identifier: Apache-2.0 */
/* Listing and opening devices of the backends passed; the public functions pass all backends. */
#ifndef YK_DEVICE_H
#define YK_DEVICE_H

#include "backend.h"

/* Every device of the backends, or of the backend that YOKE_BACKEND names, best first. The caller frees out_list's members. */
yoke_status yk_device_survey(const yk_backend *const *backends, size_t count, yk_device_list *out_list);

/* Open the device that `selector` or the environment names. The backends are in order of preference. */
yoke_status yk_device_open_among(const yk_backend *const *backends, size_t count, const char *selector, yoke_device **out_device);

/* Release the values that libraries have attached to the device, which ends (attach.c). */
void yk_device_attachments_end(yoke_device *device);

#endif
