/* SPDX-License-Identifier: Apache-2.0 */
/* The list of transports. */
#ifndef YCOMM_TRANSPORTS_H
#define YCOMM_TRANSPORTS_H

#include "ground/transport.h"

/* The best first; the last one is always there, and takes what others do not. Adding one: its files in local.mk, and a line here.
 */
#define YCOMM_TRANSPORTS(X) \
    X(nccl)                 \
    X(mpi)                  \
    X(staged)

#define YCOMM_DECLARE(name) extern const ycomm_transport ycomm_##name##_transport;
YCOMM_TRANSPORTS(YCOMM_DECLARE)
#undef YCOMM_DECLARE

/* The lowest rank with a reason ("" is none) tells it to all. An error of MPI's (reason.c). */
int ycomm_share_reason(yoke_comm *comm, char reason[YCOMM_TEXT]);

#endif
