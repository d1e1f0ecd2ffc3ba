/* SPDX-License-Identifier: Apache-2.0 */
/* An operation as it is enqueued: a list of parts, one message each, or one collective. It is described once, and carried out each
 * time anew where it belongs to a graph. */
#ifndef YCOMM_OP_H
#define YCOMM_OP_H

#include "ground/call.h"
#include "ground/transport.h"

/* X(VERB, name): openings have the numbers, which begin at 0, and sentences the names. */
#define YCOMM_VERBS(X)                \
    X(SEND, send)                     \
    X(RECEIVE, receive)               \
    X(BROADCAST, broadcast)           \
    X(REDUCE, reduce)                 \
    X(ALLREDUCE, allreduce)           \
    X(REDUCE_SCATTER, reduce_scatter) \
    X(ALLGATHER, allgather)           \
    X(GATHER, gather)                 \
    X(SCATTER, scatter)               \
    X(ALLTOALL, alltoall)             \
    X(BARRIER, barrier)

typedef enum ycomm_verb {
#define YCOMM_VERB(verb, name) YCOMM_##verb,
    YCOMM_VERBS(YCOMM_VERB)
#undef YCOMM_VERB
} ycomm_verb;

static inline bool ycomm_is_message(ycomm_verb verb)
{
    return verb == YCOMM_SEND || verb == YCOMM_RECEIVE;
}

/* Device memory that a part reads or writes: `rows` rows of the part's count, one behind the other. */
typedef struct ycomm_side {
    yoke_buffer *buffer; /* retained by the operation; NULL when rows is 0 */
    uint64_t offset;     /* bytes */
    uint64_t rows;
    unsigned char *at; /* where it is read or written itself; NULL: it goes through blocks */
} ycomm_side;

/* A message, or a collective. Its pieces are `step` columns of all rows. */
typedef struct ycomm_part {
    ycomm_verb verb;
    int32_t peer; /* of a message; the root of a collective that has one, else 0 */
    int32_t tag;
    int32_t operation; /* YOKE_REDUCE_SUM …; 0 without */
    int32_t dtype;     /* 0 for a barrier */
    size_t element;    /* bytes */
    uint64_t count, step;
    ycomm_side in, out;
    bool in_place;  /* the sides have memory in common */
    int32_t behind; /* the last part before it in this operation with the same verb, peer and tag, whose pieces go first; or -1 */
} ycomm_part;

typedef struct ycomm_op {
    ycomm_channel *channel; /* keeps the communicator alive */
    const char *function, *where;
    const ycomm_transport *transport; /* whose bytes these are */
    const char *place;                /* `where` with function and transport, for the trace */
    uint64_t bytes;                   /* that this rank reads and writes: counted when they go on their way */
    size_t part_count;
    ycomm_part parts[];
} ycomm_op;

/* Enqueue an operation of these parts, whose buffers it retains. */
yoke_status ycomm_op_enqueue(const ycomm_call *call, const ycomm_part *parts, size_t count);
void ycomm_op_free(void *op);

/* The transport of the operation's bytes. */
void ycomm_op_goes_by(ycomm_op *op, const ycomm_transport *transport);

#endif
