/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver does otherwise: see quirks.def. */
#ifndef YK_OPENCL_QUIRKS_H
#define YK_OPENCL_QUIRKS_H

#include <stdbool.h>

typedef struct yk_opencl_quirks {
#define QUIRK(member, drivers, evidence) bool member;
#include "quirks.def"
} yk_opencl_quirks;

/* Those of a device, by the names that its driver has for the platform, the platform's vendor and the device. */
yk_opencl_quirks yk_opencl_find_quirks(const char *platform, const char *maker, const char *device);

#endif
