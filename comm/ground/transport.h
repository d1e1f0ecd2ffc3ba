/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam of libyoke-comm: what a transport is. One const table of functions each, whose slots are listed in transport.def; no
 * slot is NULL. Messages know their transport by this table alone. The list of them is in transport/transports.h.
 */
#ifndef YCOMM_TRANSPORT_H
#define YCOMM_TRANSPORT_H

#include "comm.h"

struct ycomm_call;
struct ycomm_op;

typedef struct ycomm_transport {
    int32_t id;       /* YOKE_COMM_TRANSPORT_STAGED … */
    const char *name; /* "nccl": of YOKE_COMM */
    const char *text; /* "NCCL": in sentences */
#define YCOMM_SLOT(result, name, parameters) result(*name) parameters;
#include "transport.def"
} ycomm_transport;

#endif
