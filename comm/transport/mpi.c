/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transport of an MPI that knows CUDA's memory: messages are given the device's addresses, and all else is staged. There is a
 * proof: messages of a few sizes round all ranks, from device memory to device memory, whose content is compared. What an MPI says
 * of itself is not enough, since its transports may have been built otherwise.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <yoke/native.h>

#include "base/clock.h"
#include "address.h"
#include "ground/process.h"
#include "message/run.h"
#include "over_mpi.h"
#include "transports.h"

/* ---- The proof ---- */

enum { LARGEST = 2 << 20, TAG = 1 };

typedef struct proof {
    yoke_comm *comm;
    yoke_stream *stream;
    yoke_buffer *in, *out;
    uintptr_t in_at, out_at;
    unsigned char *host;
} proof;

static unsigned char pattern(int rank, size_t size, size_t i)
{
    return (unsigned char)(i * 13 + i / 255 + 7 * (size_t)rank + size);
}

static bool wait_all(yoke_comm *comm, MPI_Request requests[2])
{
    struct timespec pause = { 0, 20000 };
    uint64_t start = yk_now();
    int done = 0;
    MPI_Status statuses[2]; /* unused: MPICH's MPI_STATUSES_IGNORE is an address that compilers warn of */
    while (MPI_Testall(2, requests, &done, statuses) == MPI_SUCCESS && !done && yk_now() - start < comm->timeout)
        nanosleep(&pause, NULL);
    return done;
}

/* One size. False: `stuck` says whether MPI still has the memory. */
static bool pass(const proof *p, size_t size, bool *stuck)
{
    MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    yoke_comm *comm = p->comm;
    int next = (int)((comm->rank + 1) % comm->ranks), before = (int)((comm->rank + comm->ranks - 1) % comm->ranks);
    for (size_t i = 0; i < size; i++)
        p->host[i] = pattern((int)comm->rank, size, i);
    bool right = yoke_write_sync(p->stream, p->in, 0, p->host, size) == YOKE_OK &&
                 yoke_fill(p->stream, p->out, 0, size, "", 1) == YOKE_OK && yoke_stream_wait(p->stream) == YOKE_OK;
    if (MPI_Irecv((void *)p->out_at, (int)size, MPI_BYTE, before, TAG, comm->control, &requests[0]) != MPI_SUCCESS ||
        MPI_Isend((const void *)p->in_at, (int)size, MPI_BYTE, next, TAG, comm->control, &requests[1]) != MPI_SUCCESS ||
        !wait_all(comm, requests)) {
        *stuck = requests[0] != MPI_REQUEST_NULL || requests[1] != MPI_REQUEST_NULL;
        return false;
    }
    right = right && yoke_read_sync(p->stream, p->host, p->out, 0, size) == YOKE_OK;
    for (size_t i = 0; i < size && right; i++)
        right = p->host[i] == pattern(before, size, i);
    return right;
}

static void prove(yoke_comm *comm, char reason[YCOMM_TEXT])
{
    static const size_t sizes[] = { 8, 3000, 100000, LARGEST };
    proof p = { .comm = comm };
    bool stuck = false, ready = false, right = true;
    reason[0] = '\0';
    p.host = malloc(LARGEST);
    ready = p.host && yoke_stream_create(comm->device, NULL, &p.stream) == YOKE_OK &&
            yoke_buffer_create(comm->device, LARGEST, &p.in) == YOKE_OK &&
            yoke_buffer_create(comm->device, LARGEST, &p.out) == YOKE_OK && yoke_buffer_get_native(p.in, &p.in_at) == YOKE_OK &&
            yoke_buffer_get_native(p.out, &p.out_at) == YOKE_OK;
    if (!ready)
        snprintf(reason, YCOMM_TEXT, "no memory to prove that the MPI knows CUDA's memory: %.400s", yoke_error()->text);
    if (ycomm_share_reason(comm, reason) != MPI_SUCCESS || reason[0])
        goto out;
    for (size_t i = 0; i < YCOMM_COUNT_OF(sizes) && right; i++)
        right = pass(&p, sizes[i], &stuck);
    if (!right)
        snprintf(reason, YCOMM_TEXT, "the MPI says that it knows CUDA's memory, but a message of it did not arrive right");
out:
    if (stuck)
        return; /* with the memory that MPI has */
    yoke_buffer_release(p.in);
    yoke_buffer_release(p.out);
    yoke_stream_release(p.stream);
    free(p.host);
}

/* ---- The transport ---- */

/* MPIX_Query_cuda_support is Open MPI's and MPICH's; an MPI that lacks it, or says no, would crash on a device's address. */
static void look_for_support(const yoke_comm *comm, char reason[YCOMM_TEXT])
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    int (*query)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
    memcpy(&query, &symbol, sizeof query);
    yoke_device_get_info(comm->device, &info);
    reason[0] = '\0';
    if (strcmp(info.backend, "cuda") != 0)
        snprintf(reason, YCOMM_TEXT, "MPI is given addresses of CUDA alone, and this device is of %s", info.backend);
    else if (!query || query() != 1)
        snprintf(reason, YCOMM_TEXT, "this MPI does not know CUDA's memory (MPIX_Query_cuda_support %s)",
                 query ? "returns 0" : "is not there");
}

static int offer(yoke_comm *comm, char reason[YCOMM_TEXT])
{
    look_for_support(comm, reason);
    int error = ycomm_share_reason(comm, reason);
    if (error != MPI_SUCCESS || reason[0])
        return error;
    prove(comm, reason);
    return ycomm_share_reason(comm, reason);
}

static void describe(const yoke_comm *comm, char *text, size_t size)
{
    (void)comm;
    snprintf(text, size, "the MPI has moved CUDA's memory right");
}

static void begin(yoke_comm *comm)
{
    comm->memory = YCOMM_KNOWN_TO_MPI;
}

/* Mapped memory that MPI is given is the host's. */
static bool is_given(const ycomm_side *side)
{
    return side->at && yoke_buffer_get_kind(side->buffer) != YOKE_MEMORY_MAPPED;
}

/* The bytes are MPI's own where it is given any device memory. */
static yoke_status enqueue(const ycomm_call *call, ycomm_op *op)
{
    bool given = false;
    ycomm_find_addresses(call->channel, op);
    for (size_t i = 0; i < op->part_count; i++)
        given |= is_given(&op->parts[i].in) || is_given(&op->parts[i].out);
    ycomm_op_goes_by(op, given ? &ycomm_mpi_transport : &ycomm_staged_transport);
    return yoke_host_call_at(op->place, call->stream, ycomm_run_op, op, ycomm_op_free);
}

const ycomm_transport ycomm_mpi_transport = {
    .id = YCOMM_ID_mpi,
    .name = "mpi",
    .text = "MPI for CUDA's memory",
#define YCOMM_SLOT(result, name, parameters) .name = name,
#include "ground/transport.def"
};
