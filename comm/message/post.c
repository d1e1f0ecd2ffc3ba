/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What MPI is asked for. A message is opened by a few numbers that go before its pieces, and that its receiver compares; a
 * collective by a reduction of such numbers, in which all ranks see whether all agree.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ground/comm.h"

static const char *const verbs[] = {
    [YCOMM_SEND] = "send",           [YCOMM_RECEIVE] = "receive",     [YCOMM_BROADCAST] = "broadcast",
    [YCOMM_REDUCE] = "reduce",       [YCOMM_ALLREDUCE] = "allreduce", [YCOMM_REDUCE_SCATTER] = "reduce_scatter",
    [YCOMM_ALLGATHER] = "allgather", [YCOMM_GATHER] = "gather",       [YCOMM_SCATTER] = "scatter",
    [YCOMM_ALLTOALL] = "alltoall",   [YCOMM_BARRIER] = "barrier",
};
_Static_assert(YCOMM_COUNT_OF(verbs) == YCOMM_BARRIER + 1, "a name for each verb");

const char *ycomm_verb_name(ycomm_verb verb)
{
    return verbs[verb];
}

/* ---- Openings ---- */

/* What is compared, in this order. */
enum { VERB, DTYPE, COUNT, PEER, OPERATION, TAG, NUMBERS };
_Static_assert(2 * NUMBERS <= YCOMM_OPENING, "an opening holds each number and its negative");

int ycomm_post_opening(MPI_Comm mpi, int tag, const ycomm_part *part, bool matched, ycomm_opening *o)
{
    bool message = part->verb == YCOMM_SEND || part->verb == YCOMM_RECEIVE;

    o->said[VERB] = message ? YCOMM_SEND : part->verb;
    o->said[DTYPE] = part->dtype;
    o->said[COUNT] = (int64_t)part->count;
    o->said[PEER] = message ? 0 : part->peer;
    o->said[OPERATION] = part->operation;
    o->said[TAG] = part->tag;
    if (part->verb == YCOMM_SEND && matched)
        return MPI_Issend(o->said, NUMBERS, MPI_INT64_T, part->peer, tag, mpi, &o->request);
    if (part->verb == YCOMM_SEND)
        return MPI_Isend(o->said, NUMBERS, MPI_INT64_T, part->peer, tag, mpi, &o->request);
    if (part->verb == YCOMM_RECEIVE)
        return MPI_Irecv(o->heard, NUMBERS, MPI_INT64_T, part->peer, tag, mpi, &o->request);
    for (int i = 0; i < NUMBERS; i++) /* the maximum of the negatives is the minimum's negative */
        o->said[NUMBERS + i] = -o->said[i];
    return MPI_Iallreduce(o->said, o->heard, 2 * NUMBERS, MPI_INT64_T, MPI_MAX, mpi, &o->request);
}

static bool check_message(const yoke_comm *comm, const ycomm_part *part, const ycomm_opening *o, ycomm_failure *out_failure)
{
    if (o->heard[DTYPE] == part->dtype && o->heard[COUNT] == (int64_t)part->count && o->heard[TAG] == part->tag)
        return true;
    ycomm_failure_set(out_failure, YOKE_E_INVALID_ARGUMENT,
                      "rank %d receives %" PRIu64 " elements of %s (tag %d), but rank %d sends %" PRId64 " of %s (tag %" PRId64 ")",
                      (int)comm->rank, part->count, ycomm_dtype_name(part->dtype), (int)part->tag, (int)part->peer, o->heard[COUNT],
                      ycomm_dtype_name((int32_t)o->heard[DTYPE]), o->heard[TAG]);
    return false;
}

/* A number in words. */
static const char *word(int number, int64_t value, char *text, size_t size)
{
    if (number == VERB && value >= 0 && value <= YCOMM_BARRIER)
        return verbs[value];
    if (number == DTYPE)
        return ycomm_dtype_name((int32_t)value);
    snprintf(text, size, "%" PRId64, value);
    return text;
}

static bool check_collective(const yoke_comm *comm, const ycomm_opening *o, ycomm_failure *out_failure)
{
    static const char *const names[NUMBERS] = {
        [VERB] = "operation", [DTYPE] = "dtype", [COUNT] = "number of elements", [PEER] = "root", [OPERATION] = "kind of reduction",
    };
    char most[24], least[24], here[24];
    for (int i = 0; i < TAG; i++)
        if (o->heard[i] != -o->heard[NUMBERS + i]) {
            ycomm_failure_set(out_failure, YOKE_E_INVALID_ARGUMENT,
                              "the ranks do not agree on the %s: %s at one, %s at another, and %s at rank %d", names[i],
                              word(i, -o->heard[NUMBERS + i], least, sizeof least), word(i, o->heard[i], most, sizeof most),
                              word(i, o->said[i], here, sizeof here), (int)comm->rank);
            return false;
        }
    return true;
}

bool ycomm_check_opening(const yoke_comm *comm, const ycomm_part *part, const ycomm_opening *opening, ycomm_failure *out_failure)
{
    if (part->verb == YCOMM_SEND)
        return true; /* the receiver compares */
    return part->verb == YCOMM_RECEIVE ? check_message(comm, part, opening, out_failure)
                                       : check_collective(comm, opening, out_failure);
}

/* ---- Pieces ---- */

static int post_reduction(MPI_Comm mpi, const ycomm_part *part, const ycomm_piece *piece, MPI_Request *request)
{
    MPI_Datatype type;
    MPI_Op op;
    int length = (int)piece->length;
    int error = ycomm_reduction(part->dtype, part->operation, &type, &op);
    if (error != MPI_SUCCESS)
        return error;
    if (part->verb == YCOMM_REDUCE)
        return MPI_Ireduce(piece->in, piece->out, length, type, op, part->peer, mpi, request);
    if (part->verb == YCOMM_ALLREDUCE)
        return MPI_Iallreduce(piece->in, piece->out, length, type, op, mpi, request);
    return MPI_Ireduce_scatter_block(piece->in, piece->out, length, type, op, mpi, request);
}

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

int ycomm_post_piece(ycomm_run *run, const ycomm_pipe *pipe, const ycomm_piece *piece, ycomm_slot *slot)
{
    const ycomm_part *part = pipe->part;
    MPI_Request *request = &slot->request;
    MPI_Comm mpi = run->channel->mpi;
    MPI_Datatype byte = MPI_BYTE;
    int width = (int)piece->width;

    switch (part->verb) {
    case YCOMM_SEND:
        return MPI_Isend(piece->in, width, byte, part->peer, part->tag, mpi, request);
    case YCOMM_RECEIVE:
        return MPI_Irecv(piece->out, width, byte, part->peer, part->tag, mpi, request);
    case YCOMM_BROADCAST:
        return MPI_Ibcast(part->in.rows ? piece->in : piece->out, width, byte, part->peer, mpi, request);
    case YCOMM_ALLREDUCE:
        slot->halfway = pipe->message_count > 0 && ycomm_allreduce_fits(run->channel->comm, piece);
        if (slot->halfway)
            return ycomm_allreduce_begin(run->channel->comm, mpi, part, piece, slot->messages);
        return post_reduction(mpi, part, piece, request);
    case YCOMM_REDUCE:
    case YCOMM_REDUCE_SCATTER:
        return post_reduction(mpi, part, piece, request);
    case YCOMM_ALLGATHER:
    case YCOMM_GATHER:
    case YCOMM_SCATTER:
    case YCOMM_ALLTOALL:
        if (pipe->message_count > 0)
            return post_messages(run->channel->comm, mpi, piece, slot->messages);
        return post_rows(mpi, part, piece, request);
    case YCOMM_BARRIER:
        break;
    }
    return MPI_SUCCESS; /* its opening is all there is */
}
