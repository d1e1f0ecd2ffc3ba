/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transport that is always there: host functions that move pieces through host memory, by any MPI. Where a device's memory is
 * the host's, nothing is copied.
 */
#include "address.h"
#include "message/run.h"
#include "over_mpi.h"
#include "transports.h"

static int offer(yoke_comm *comm, char reason[YCOMM_TEXT])
{
    (void)comm;
    reason[0] = '\0';
    return MPI_SUCCESS;
}

static void describe(const yoke_comm *comm, char *text, size_t size)
{
    (void)comm, (void)size;
    text[0] = '\0';
}

static void begin(yoke_comm *comm)
{
    if (ycomm_host_has_device(comm->device))
        comm->memory = YCOMM_ON_HOST;
}

static yoke_status enqueue(const ycomm_call *call, ycomm_op *op)
{
    ycomm_find_addresses(call->channel, op);
    ycomm_op_goes_by(op, &ycomm_staged_transport);
    return yoke_host_call_at(op->place, call->stream, ycomm_run_op, op, ycomm_op_free);
}

const ycomm_transport ycomm_staged_transport = {
    .id = YCOMM_ID_staged,
    .name = "staged",
    .text = "copies",
#define YCOMM_SLOT(result, name, parameters) .name = name,
#include "ground/transport.def"
};
