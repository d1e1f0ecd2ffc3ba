/* SPDX-License-Identifier: Apache-2.0 */
/* The list of transports. */
#ifndef YCOMM_TRANSPORTS_H
#define YCOMM_TRANSPORTS_H

#include "ground/transport.h"

/* X(name, number): the best first; the last one is always there, and takes what others do not. Adding one: its files in local.mk,
 * and a line here. */
#define YCOMM_TRANSPORTS(X)           \
    X(nccl, YOKE_COMM_TRANSPORT_NCCL) \
    X(mpi, YOKE_COMM_TRANSPORT_MPI)   \
    X(staged, YOKE_COMM_TRANSPORT_STAGED)

/* Each table, and its number, by which a communicator's bytes are counted. */
#define YCOMM_DECLARE(name, number)                        \
    extern const ycomm_transport ycomm_##name##_transport; \
    enum { YCOMM_ID_##name = (number) };                   \
    _Static_assert((number) > 0 && (int)(number) < (int)YCOMM_TRANSPORT_END, "ground/comm.h counts the bytes of each transport");
YCOMM_TRANSPORTS(YCOMM_DECLARE)
#undef YCOMM_DECLARE

/* The lowest rank with a reason ("" is none) tells it to all. An error of MPI's (reason.c). */
int ycomm_share_reason(yoke_comm *comm, char reason[YCOMM_TEXT]);

#endif
