/* SPDX-License-Identifier: Apache-2.0 */
/* What an OpenCL driver says of a device beyond what Yoke needs: the limits that decide how a kernel does on hardware that nobody
 * here has. For the report of `yoke check`. */
#ifndef FACTS_H
#define FACTS_H

#include "tools/ground/tool.h"

/* Write lines "NAME: VALUE" about an opened device, in whose process this runs. NAME is that of the query in lower case, without
 * CL_ ("device_max_work_group_size"). "" for a device of another backend; what does not fit is left out. */
void facts_write(yoke_device *device, char *text, size_t size);

#endif
