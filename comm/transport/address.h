/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that MPI can be given as it is. */
#ifndef YCOMM_ADDRESS_H
#define YCOMM_ADDRESS_H

#include "message/op.h"

/* Whether the device's buffers lie in the host's memory, at addresses that can be found: proved, and not believed. */
bool ycomm_host_has_device(yoke_device *device);
/* Find out where MPI can read and write the memory of the operation's parts itself, while its stream waits. */
void ycomm_find_addresses(ycomm_channel *channel, ycomm_op *op);

#endif
