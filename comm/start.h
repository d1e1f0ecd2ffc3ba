/* SPDX-License-Identifier: Apache-2.0 */
/* What a communicator is made with: the state of MPI, the environment, the ranks of the same machine. */
#ifndef YCOMM_START_H
#define YCOMM_START_H

#include "comm.h"

/* MPI can be used, since this is no forked child, and the address is that of a communicator. */
yoke_status ycomm_check_mpi(const char *function, const void *mpi_comm);

/* YOKE_COMM, YOKE_COMM_TIMEOUT and YOKE_COMM_PINNED. */
yoke_status ycomm_read_settings(uint64_t *out_timeout, uint64_t *out_blocks, int32_t *out_way);

/* Duplicate the communicator and ask whether all ranks are well, as `mine` says of this one: all fail where one does. */
yoke_status ycomm_agree(const char *function, yoke_status mine, const void *mpi_comm, MPI_Comm *out_mpi);

/* Fill comm->info. An error of MPI's. */
int ycomm_find_neighbours(yoke_comm *comm);

/* What YOKE_COMM orders: YOKE_COMM_TRANSPORT_STAGED and so on; 0 without (way.c). */
yoke_status ycomm_read_way(int32_t *out_way);
/* Choose the way, together with all ranks, and describe it in comm->info. Where it fails, it fails at all ranks. */
yoke_status ycomm_choose_way(yoke_comm *comm, int32_t order);
/* All ranks: the lowest one that has a reason ("" is none) tells it to all. An error of MPI's. */
int ycomm_share_reason(yoke_comm *comm, char reason[YCOMM_TEXT]);

/* All ranks: whether MPI moves CUDA's memory. The reason why not; "" when it does (aware.c). */
void ycomm_prove_aware(yoke_comm *comm, char reason[YCOMM_TEXT]);

#endif
