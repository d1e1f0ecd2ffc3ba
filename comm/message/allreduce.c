/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An allreduce of large pieces among few ranks, by messages: a piece is cut into a chunk for each rank, each rank combines its
 * chunk of all, and then hands it out. Sends come first, as in an all-to-all (post.c). What the others send of a chunk lies in
 * `out`, where no result is yet. Each chunk is combined by one rank, in an order that depends on the ranks alone, so that all get
 * the same bits.
 */
#include <string.h>

#include "ground/reduction.h"
#include "run.h"

typedef struct chunks {
    uint64_t length; /* elements of the piece */
    size_t element, ranks, rank;
    char *in, *out;
} chunks;

static chunks cut(const yoke_comm *comm, const ycomm_part *part, const ycomm_piece *piece)
{
    return (chunks){ piece->length, part->element, (size_t)comm->ranks, (size_t)comm->rank, (char *)piece->in, (char *)piece->out };
}

static size_t first_of(const chunks *c, size_t rank)
{
    return (size_t)(c->length * rank / c->ranks);
}

static size_t length_of(const chunks *c, size_t rank)
{
    return first_of(c, rank + 1) - first_of(c, rank);
}

/* Where the others' elements of this rank's chunk begin: one of them takes the chunk's own place if that can be. */
static size_t gathered(const chunks *c)
{
    size_t first = first_of(c, c->rank), room = (c->ranks - 1) * length_of(c, c->rank);
    return first + room <= c->length ? first : (size_t)c->length - room;
}

static int send(const chunks *c, MPI_Comm mpi, const char *from, size_t first, size_t length, size_t to, int tag,
                MPI_Request *request)
{
    return MPI_Isend(from + first * c->element, (int)(length * c->element), MPI_BYTE, (int)to, tag, mpi, request);
}

static int receive(const chunks *c, MPI_Comm mpi, size_t first, size_t length, size_t from, int tag, MPI_Request *request)
{
    return MPI_Irecv(c->out + first * c->element, (int)(length * c->element), MPI_BYTE, (int)from, tag, mpi, request);
}

int ycomm_allreduce_begin(const yoke_comm *comm, MPI_Comm mpi, const ycomm_part *part, const ycomm_piece *piece,
                          MPI_Request *messages)
{
    chunks c = cut(comm, part, piece);
    size_t mine = length_of(&c, c.rank), at = gathered(&c);
    int error = MPI_SUCCESS;
    for (size_t i = 1; i < c.ranks && error == MPI_SUCCESS; i++) {
        size_t to = (c.rank + i) % c.ranks;
        error = send(&c, mpi, c.in, first_of(&c, to), length_of(&c, to), to, YCOMM_FIRST_TAG, messages++);
    }
    for (size_t i = 1; i < c.ranks && error == MPI_SUCCESS; i++, at += mine)
        error = receive(&c, mpi, at, mine, (c.rank + c.ranks - i) % c.ranks, YCOMM_FIRST_TAG, messages++);
    return error;
}

/* Combine what has come and this rank's own elements, in the chunk's place. */
static int combine(const chunks *c, const ycomm_part *part)
{
    size_t mine = length_of(c, c->rank), first = first_of(c, c->rank), at = gathered(c);
    size_t chosen = mine > 0 && (first - at) % mine == 0 ? (first - at) / mine : 0;
    char *result = c->out + (at + chosen * mine) * c->element;
    MPI_Datatype type;
    MPI_Op op;
    int error = ycomm_reduction(part->dtype, part->operation, &type, &op);
    if (error == MPI_SUCCESS)
        error = MPI_Reduce_local(c->in + first * c->element, result, (int)mine, type, op);
    for (size_t i = 0; i + 1 < c->ranks && error == MPI_SUCCESS; i++)
        if (i != chosen)
            error = MPI_Reduce_local(c->out + (at + i * mine) * c->element, result, (int)mine, type, op);
    memmove(c->out + first * c->element, result, mine * c->element);
    return error;
}

int ycomm_allreduce_end(const yoke_comm *comm, MPI_Comm mpi, const ycomm_part *part, const ycomm_piece *piece,
                        MPI_Request *messages)
{
    chunks c = cut(comm, part, piece);
    int error = combine(&c, part);
    for (size_t i = 1; i < c.ranks && error == MPI_SUCCESS; i++) {
        size_t to = (c.rank + i) % c.ranks;
        error = send(&c, mpi, c.out, first_of(&c, c.rank), length_of(&c, c.rank), to, YCOMM_SECOND_TAG, messages++);
    }
    for (size_t i = 1; i < c.ranks && error == MPI_SUCCESS; i++) {
        size_t from = (c.rank + c.ranks - i) % c.ranks;
        error = receive(&c, mpi, first_of(&c, from), length_of(&c, from), from, YCOMM_SECOND_TAG, messages++);
    }
    return error;
}
