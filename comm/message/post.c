/* SPDX-License-Identifier: Apache-2.0 */
/* What MPI is asked for: every call by which it moves the data of a piece. */
#include <string.h>

#include "ground/reduction.h"
#include "run.h"

/*
 * An all-to-all of large rows is messages, sends first: a collective of Open MPI's that does not block posts what it receives
 * first, and copies a message that has come already before it sends its own, for which the other rank waits meanwhile. The same
 * holds for an allreduce among few ranks (allreduce.c): among many, each would have too many messages.
 */
size_t ycomm_message_count(const yoke_comm *comm, const ycomm_part *part)
{
    enum { LARGE_ROW = 16384, FEW = 8 };
    uint64_t size = part->count * part->element, ranks = (uint64_t)comm->ranks;
    bool large = part->verb == YCOMM_ALLTOALL && size >= LARGE_ROW;
    large |= part->verb == YCOMM_ALLREDUCE && ranks > 1 && ranks <= FEW && size >= ranks * LARGE_ROW;
    return large ? 2 * (size_t)(ranks - 1) : 0;
}

static int post_messages(const yoke_comm *comm, MPI_Comm mpi, const ycomm_piece *piece, MPI_Request *messages)
{
    char *in = piece->in, *out = piece->out;
    int width = (int)piece->width, ranks = (int)comm->ranks, rank = (int)comm->rank, error = MPI_SUCCESS;
    for (int i = 1; i < ranks && error == MPI_SUCCESS; i++) {
        int to = (rank + i) % ranks;
        error = MPI_Isend(in + (size_t)to * piece->in_stride, width, MPI_BYTE, to, YCOMM_FIRST_TAG, mpi, messages++);
    }
    memcpy(out + (size_t)rank * piece->out_stride, in + (size_t)rank * piece->in_stride, piece->width);
    for (int i = 1; i < ranks && error == MPI_SUCCESS; i++) {
        int from = (rank + ranks - i) % ranks;
        error = MPI_Irecv(out + (size_t)from * piece->out_stride, width, MPI_BYTE, from, YCOMM_FIRST_TAG, mpi, messages++);
    }
    return error;
}

/* A row of a side, as often as there are rows. */
typedef struct row {
    MPI_Datatype type;
    int count;
    bool made;
} row;

/* Rows that lie one behind the other are bytes, which MPIs copy at once; what is between others is part of a type. */
static int open_row(row *r, size_t rows, size_t width, size_t stride)
{
    MPI_Datatype bytes;
    *r = (row){ MPI_BYTE, (int)width, false };
    if (rows <= 1 || stride == width)
        return MPI_SUCCESS;
    int error = MPI_Type_contiguous((int)width, MPI_BYTE, &bytes);
    if (error != MPI_SUCCESS)
        return error;
    error = MPI_Type_create_resized(bytes, 0, (MPI_Aint)stride, &r->type);
    (void)MPI_Type_free(&bytes);
    if (error != MPI_SUCCESS)
        return error;
    r->made = true;
    r->count = 1;
    return MPI_Type_commit(&r->type);
}

static void close_row(row *r)
{
    if (r->made)
        (void)MPI_Type_free(&r->type);
}

/* Collectives that move rows, and combine nothing. MPI keeps what it needs of the types. */
static int post_rows(MPI_Comm mpi, const ycomm_part *part, const ycomm_piece *piece, MPI_Request *request)
{
    row in, out = { .made = false };
    int error = open_row(&in, part->in.rows, piece->width, piece->in_stride);
    if (error == MPI_SUCCESS)
        error = open_row(&out, part->out.rows, piece->width, piece->out_stride);
    if (error == MPI_SUCCESS && part->verb == YCOMM_ALLGATHER)
        error = MPI_Iallgather(piece->in, in.count, in.type, piece->out, out.count, out.type, mpi, request);
    else if (error == MPI_SUCCESS && part->verb == YCOMM_GATHER)
        error = MPI_Igather(piece->in, in.count, in.type, piece->out, out.count, out.type, part->peer, mpi, request);
    else if (error == MPI_SUCCESS && part->verb == YCOMM_SCATTER)
        error = MPI_Iscatter(piece->in, in.count, in.type, piece->out, out.count, out.type, part->peer, mpi, request);
    else if (error == MPI_SUCCESS)
        error = MPI_Ialltoall(piece->in, in.count, in.type, piece->out, out.count, out.type, mpi, request);
    close_row(&in);
    close_row(&out);
    return error;
}

int ycomm_post_piece(ycomm_run *run, const ycomm_pipe *pipe, ycomm_slot *slot)
{
    const ycomm_part *part = pipe->part;
    const ycomm_piece *piece = &slot->piece;
    MPI_Request *request = &slot->request;
    const yoke_comm *comm = run->channel->comm;
    MPI_Comm mpi = run->channel->mpi;
    MPI_Datatype byte = MPI_BYTE, type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    int width = (int)piece->width, length = (int)piece->length;
    int error = part->operation ? ycomm_reduction(part->dtype, part->operation, &type, &op) : MPI_SUCCESS;

    if (error != MPI_SUCCESS)
        return error;
    switch (part->verb) {
    case YCOMM_SEND:
        return MPI_Isend(piece->in, width, byte, part->peer, part->tag, mpi, request);
    case YCOMM_RECEIVE:
        return MPI_Irecv(piece->out, width, byte, part->peer, part->tag, mpi, request);
    case YCOMM_BROADCAST:
        return MPI_Ibcast(part->in.rows ? piece->in : piece->out, width, byte, part->peer, mpi, request);
    case YCOMM_ALLREDUCE:
        slot->halfway = pipe->message_count > 0 && piece->length >= (size_t)comm->ranks * (size_t)comm->ranks;
        if (slot->halfway)
            return ycomm_allreduce_begin(comm, mpi, part, piece, slot->messages);
        return MPI_Iallreduce(piece->in, piece->out, length, type, op, mpi, request);
    case YCOMM_REDUCE:
        return MPI_Ireduce(piece->in, piece->out, length, type, op, part->peer, mpi, request);
    case YCOMM_REDUCE_SCATTER:
        return MPI_Ireduce_scatter_block(piece->in, piece->out, length, type, op, mpi, request);
    case YCOMM_ALLGATHER:
    case YCOMM_GATHER:
    case YCOMM_SCATTER:
    case YCOMM_ALLTOALL:
        if (pipe->message_count > 0)
            return post_messages(comm, mpi, piece, slot->messages);
        return post_rows(mpi, part, piece, request);
    case YCOMM_BARRIER:
        break;
    }
    return MPI_SUCCESS; /* its opening is all there is */
}
