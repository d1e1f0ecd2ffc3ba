/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an operation to calls of NCCL. NCCL has no tags: messages between two ranks arrive in the order in which they were enqueued,
 * and those of a group in the order of their tags, at both sides; tickets notice any other. Collectives that NCCL lacks are groups
 * of messages.
 */
#include <stdlib.h>

#include <yoke/native.h>

#include "ground/process.h"
#include "nccl.h"

/* ---- Which operations ---- */

enum { YCOMM_ncclNone = -1 };

static int find_type(int32_t dtype)
{
    switch (dtype) {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) \
    case YOKE_##name:                                                                          \
        return YCOMM_nccl##nccl;
#include "api/dtypes.def"
    }
    return YCOMM_ncclNone;
}

static int find_operation(int32_t operation)
{
    switch (operation) {
#define YK_REDUCTION(name, rule, takes, mpi, nccl) \
    case YOKE_REDUCE_##name:                       \
        return YCOMM_nccl##nccl;
#include "api/reductions.def"
    }
    return YCOMM_ncclNone;
}

bool ycomm_nccl_takes(const ycomm_op *op)
{
    const ycomm_part *part = op->parts;
    if (!op->channel->state || op->part_count == 0)
        return false;
    return part->operation == 0 || (find_type(part->dtype) >= 0 && find_operation(part->operation) >= 0);
}

/* ---- Calls ---- */

/* The first failure, and whose it is. */
typedef struct calls {
    const struct ycomm_nccl *nccl;
    ycomm_cudaStream_t stream;
    ycomm_ncclResult_t result;
    const char *call;
} calls;

static void note(calls *c, const char *call, ycomm_ncclResult_t result)
{
    if (c->result != YCOMM_ncclSuccess || result == YCOMM_ncclSuccess)
        return;
    c->result = result;
    c->call = call;
}

#define CALL(name, ...)                                   \
    do {                                                  \
        if (c->result == YCOMM_ncclSuccess)               \
            note(c, #name, ycomm_nccl.name(__VA_ARGS__)); \
    } while (0)

static void send(calls *c, const unsigned char *at, uint64_t size, int peer)
{
    if (size > 0)
        CALL(ncclSend, at, size, YCOMM_ncclUint8, peer, c->nccl->handle, c->stream);
}

static void receive(calls *c, unsigned char *at, uint64_t size, int peer)
{
    if (size > 0)
        CALL(ncclRecv, at, size, YCOMM_ncclUint8, peer, c->nccl->handle, c->stream);
}

static void call_messages(calls *c, const ycomm_op *op)
{
    for (size_t i = 0; i < op->part_count; i++) {
        const ycomm_part *part = &op->parts[i];
        if (part->verb == YCOMM_SEND)
            send(c, part->in.at, part->count * part->element, (int)part->peer);
        else
            receive(c, part->out.at, part->count * part->element, (int)part->peer);
    }
}

/* A row for each rank, or from each rank. In place, a rank's own row lies where it belongs. */
static void call_rows(calls *c, const ycomm_part *part)
{
    const yoke_comm *comm = c->nccl->channel->comm;
    uint64_t row = part->count * part->element;
    for (int32_t k = 0; k < comm->ranks; k++) {
        bool root = comm->rank == part->peer,
             to = part->verb == YCOMM_ALLTOALL || part->verb == YCOMM_SCATTER ? true : k == part->peer;
        bool from = part->verb == YCOMM_ALLTOALL || (part->verb == YCOMM_GATHER ? root : k == part->peer);
        to = to && (part->verb != YCOMM_SCATTER || root);
        const unsigned char *in = part->in.at ? part->in.at + (part->in.rows > 1 ? (uint64_t)k * row : 0) : NULL;
        unsigned char *out = part->out.at ? part->out.at + (part->out.rows > 1 ? (uint64_t)k * row : 0) : NULL;
        if (k == comm->rank && in == out)
            continue;
        if (to)
            send(c, in, row, (int)k);
        if (from)
            receive(c, out, row, (int)k);
    }
}

static void call_collective(calls *c, const ycomm_part *part)
{
    ycomm_ncclComm_t handle = c->nccl->handle;
    const void *in = part->in.at;
    void *out = part->out.at;
    size_t count = part->count, bytes = part->count * part->element;
    ycomm_ncclDataType_t type = (ycomm_ncclDataType_t)find_type(part->dtype);
    ycomm_ncclRedOp_t operation = (ycomm_ncclRedOp_t)find_operation(part->operation);
    switch (part->verb) {
    case YCOMM_BROADCAST:
        CALL(ncclBroadcast, in ? in : out, in ? (void *)part->in.at : out, bytes, YCOMM_ncclUint8, (int)part->peer, handle,
             c->stream);
        break;
    case YCOMM_REDUCE:
        CALL(ncclReduce, in, out, count, type, operation, (int)part->peer, handle, c->stream);
        break;
    case YCOMM_ALLREDUCE:
        CALL(ncclAllReduce, in, out, count, type, operation, handle, c->stream);
        break;
    case YCOMM_REDUCE_SCATTER:
        CALL(ncclReduceScatter, in, out, count, type, operation, handle, c->stream);
        break;
    case YCOMM_ALLGATHER:
        CALL(ncclAllGather, in, out, bytes, YCOMM_ncclUint8, handle, c->stream);
        break;
    default: /* a barrier */
        CALL(ncclAllReduce, (const void *)c->nccl->token_at, (void *)c->nccl->token_at, 1, YCOMM_ncclUint32, YCOMM_ncclMax, handle,
             c->stream);
        break;
    }
}

static void call_all(calls *c, const ycomm_op *op)
{
    const ycomm_part *part = op->parts;
    bool rows = part->verb == YCOMM_GATHER || part->verb == YCOMM_SCATTER || part->verb == YCOMM_ALLTOALL;
    bool messages = ycomm_is_message(part->verb);
    if (messages && op->part_count == 1) {
        call_messages(c, op);
        return;
    }
    if (part->count == 0 && !messages && part->verb != YCOMM_BARRIER)
        return;
    if (!rows && !messages) {
        call_collective(c, part);
        return;
    }
    CALL(ncclGroupStart);
    if (c->result != YCOMM_ncclSuccess)
        return;
    if (rows)
        call_rows(c, part);
    else
        call_messages(c, op);
    note(c, "ncclGroupEnd", ycomm_nccl.ncclGroupEnd()); /* also after a failure: it is this thread's group */
}

/* ---- The native section ---- */

static yoke_status fail(const ycomm_op *op, const ycomm_failure *failure)
{
    ycomm_failure own;
    ycomm_channel_op_failed(op->channel, op->function, op->where, failure, &own);
    return ycomm_nccl_fail_stream(op->channel->state, op->where, own.status, own.text);
}

/* The channel has failed before. */
static yoke_status fail_too(const ycomm_op *op, const ycomm_failure *failure)
{
    ycomm_failure own;
    ycomm_failure_set(&own, failure->status, "%s: %.500s", op->function, failure->text);
    return ycomm_nccl_fail_stream(op->channel->state, op->where, own.status, own.text);
}

/* A kernel before has failed, so that every call fails. Yoke finds out which one; the progress thread sees it, and tells. */
static bool has_lost_device(const calls *c)
{
    return c->result == YCOMM_ncclUnhandledCudaError && ycomm_stream_is_lost(c->stream);
}

/* False without memory: nothing has been called. */
static bool make_calls(struct ycomm_nccl *nccl, calls *c, const ycomm_op *op)
{
    pthread_mutex_lock(&nccl->calls);
    bool told = ycomm_ticket_add(nccl, op);
    if (told) {
        if (ycomm_stream_is_capturing(c->stream))
            atomic_store(&nccl->recorded, true);
        else
            atomic_store(&nccl->stream, c->stream);
        atomic_fetch_add(&nccl->begun, 1);
        ycomm_engine_watch(&nccl->watch); /* already now: a call that waits for other ranks is ended by the progress thread */
        atomic_store(&nccl->newest, op->where);
        if (!atomic_load(&nccl->handle_ended))
            call_all(c, op);
        atomic_fetch_add(&nccl->ended, 1);
    }
    pthread_mutex_unlock(&nccl->calls);
    return told;
}

static yoke_status run(yoke_status status, void *native_stream, void *user)
{
    const ycomm_op *op = user;
    struct ycomm_nccl *nccl = op->channel->state;
    calls c = { nccl, native_stream, YCOMM_ncclSuccess, "" };
    ycomm_failure failure;

    if (status < 0) {
        ycomm_channel_stream_failed(op->channel, status, op->function);
        return status;
    }
    if (ycomm_channel_failure(op->channel, &failure))
        return fail_too(op, &failure);
    if (ycomm_mpi_is_closed()) {
        ycomm_failure_set_finalized(&failure);
        return fail(op, &failure);
    }
    if (!make_calls(nccl, &c, op)) {
        ycomm_failure_set(&failure, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the operation");
        return fail(op, &failure);
    }
    atomic_fetch_add(&op->channel->comm->bytes[op->transport->id], op->bytes);
    if (c.result == YCOMM_ncclSuccess || has_lost_device(&c))
        return YOKE_OK;
    if (ycomm_channel_failure(op->channel, &failure)) /* and the call was ended for that */
        return fail_too(op, &failure);
    ycomm_failure_set(&failure, YOKE_E_DRIVER, "%s: %s (%u); NCCL_DEBUG=INFO says more", c.call, ycomm_nccl_result(c.result),
                      c.result);
    return fail(op, &failure);
}

/* ---- Enqueueing ---- */

static bool goes_before(const ycomm_part *a, const ycomm_part *b)
{
    return a->peer != b->peer ? a->peer < b->peer : a->tag < b->tag;
}

/* By peer and tag, and otherwise as they came: groups have a handful. */
static void sort(ycomm_op *op)
{
    for (size_t i = 1; i < op->part_count; i++)
        for (size_t k = i; k > 0 && goes_before(&op->parts[k], &op->parts[k - 1]); k--) {
            ycomm_part part = op->parts[k];
            op->parts[k] = op->parts[k - 1];
            op->parts[k - 1] = part;
        }
}

/* An all-to-all in place sends what it overwrites. */
static yoke_status set_apart(const ycomm_call *call, ycomm_part *part)
{
    yoke_buffer *copy = NULL;
    size_t size = part->in.rows * part->count * part->element;
    if (part->verb != YCOMM_ALLTOALL || size == 0 || !part->in_place)
        return YOKE_OK;
    yoke_status status = yoke_buffer_create_ordered(call->stream, size, &copy);
    if (status == YOKE_OK)
        status = yoke_copy_at(call->where, call->stream, copy, 0, part->in.buffer, part->in.offset, size);
    if (status < 0) {
        yoke_buffer_release(copy);
        return status;
    }
    yoke_buffer_release(part->in.buffer);
    part->in.buffer = copy;
    part->in.offset = 0;
    part->in_place = false;
    return YOKE_OK;
}

static yoke_status find(ycomm_side *side)
{
    uintptr_t at = 0;
    if (side->rows == 0)
        return YOKE_OK;
    yoke_status status = yoke_buffer_get_native(side->buffer, &at);
    side->at = (unsigned char *)at + side->offset;
    return status;
}

yoke_status ycomm_nccl_enqueue(const ycomm_call *call, ycomm_op *op)
{
    yoke_status status = YOKE_OK;
    ycomm_op_goes_by(op, call->comm->transport);
    sort(op);
    for (size_t i = 0; i < op->part_count && status == YOKE_OK; i++) {
        status = set_apart(call, &op->parts[i]);
        if (status == YOKE_OK)
            status = find(&op->parts[i].in);
        if (status == YOKE_OK)
            status = find(&op->parts[i].out);
    }
    return status == YOKE_OK ? yoke_native_enqueue_at(op->place, call->stream, run, op, ycomm_op_free) : status;
}
