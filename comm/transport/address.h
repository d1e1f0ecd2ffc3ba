/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that MPI can be given as it is. */
#ifndef YCOMM_ADDRESS_H
#define YCOMM_ADDRESS_H

#include "message/op.h"

/* Whether the device's buffers lie in the host's memory, at addresses that can be found: proved, and not believed. */
bool ycomm_host_has_device(yoke_device *device);
/* Whether both sides have memory in common. */
bool ycomm_is_in_place(const ycomm_part *part);
/* Find out where MPI can read and write the part's memory itself, while its stream waits. */
void ycomm_find_addresses(ycomm_channel *channel, ycomm_part *part);

#endif
