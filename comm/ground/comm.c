/* SPDX-License-Identifier: Apache-2.0 */
/* References to communicators. */
#include <stdlib.h>

#include "comm.h"
#include "process.h"

static const uint64_t magic = UINT64_C(0x596f6b65436f6d6d);

yoke_comm *ycomm_comm_create(void (*destroy)(yoke_comm *comm))
{
    yoke_comm *comm = calloc(1, sizeof *comm);
    if (!comm)
        return NULL;
    comm->magic = magic;
    atomic_init(&comm->references, 1);
    comm->destroy = destroy;
    comm->control = MPI_COMM_NULL;
    comm->incoming = MPI_REQUEST_NULL;
    pthread_mutex_init(&comm->listening, NULL);
    pthread_mutex_init(&comm->lock, NULL);
    return comm;
}

bool ycomm_is_comm(const yoke_comm *comm)
{
    return comm->magic == magic;
}

yoke_comm *yoke_comm_retain(yoke_comm *comm)
{
    if (comm && ycomm_is_comm(comm))
        atomic_fetch_add(&comm->references, 1);
    return comm;
}

void yoke_comm_release(yoke_comm *comm)
{
    if (comm && !ycomm_is_forked() && ycomm_is_comm(comm) && atomic_fetch_sub(&comm->references, 1) == 1)
        comm->destroy(comm);
}
