/* SPDX-License-Identifier: Apache-2.0 */
/* How communicators begin and end: what the files on top share. */
#ifndef YCOMM_START_H
#define YCOMM_START_H

#include "ground/comm.h"

/* ---- start.c ---- */

/* MPI can be used, since this is no forked child, and the address is that of a communicator. */
yoke_status ycomm_check_mpi(const char *function, const void *mpi_comm);

/* YOKE_COMM, YOKE_COMM_TIMEOUT and YOKE_COMM_PINNED. */
yoke_status ycomm_read_settings(uint64_t *out_timeout, uint64_t *out_blocks, int32_t *out_order);

/* Duplicate the communicator and ask whether all ranks are well, as `mine` says of this one: all fail where one does. */
yoke_status ycomm_agree(const char *function, yoke_status mine, const void *mpi_comm, MPI_Comm *out_mpi);

/* Fill comm->info. An error of MPI's. */
int ycomm_find_neighbours(yoke_comm *comm);

/* ---- choose.c ---- */

/* What YOKE_COMM orders: YOKE_COMM_TRANSPORT_STAGED and so on; 0 without. */
yoke_status ycomm_read_order(int32_t *out_order);
/* Choose the transport, together with all ranks, and describe it in comm->info. Where it fails, it fails at all ranks. */
yoke_status ycomm_choose_transport(yoke_comm *comm, int32_t order);

/* ---- finalize.c ---- */

/* Notice MPI_Finalize from here on; an error of MPI's. */
int ycomm_finalize_watch(void);

/* ---- exit.c ---- */

/* A communicator that can be used, and one that cannot any more. */
void ycomm_living_add(yoke_comm *comm);
void ycomm_living_remove(yoke_comm *comm);
void ycomm_living_each(void (*visit)(yoke_comm *comm));
/* Whether a farewell of any of them is still on its way. */
bool ycomm_living_are_leaving(void);

#endif
