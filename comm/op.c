/* SPDX-License-Identifier: Apache-2.0 */
/* From a call to a host function in the stream: what every operation begins and ends with. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nccl.h"

yoke_status ycomm_fail(const ycomm_call *call, yoke_status status, const char *format, ...)
{
    char text[sizeof((yoke_error_info *)0)->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return yoke_fail(status, "%s: %s", call->function, text);
}

yoke_status ycomm_begin(ycomm_call *out_call, const char *function, const char *where, yoke_stream *stream, yoke_comm *comm)
{
    *out_call = (ycomm_call){ function, where, stream, comm, NULL };
    if (ycomm_fork_check(function) < 0)
        return YOKE_E_FORKED;
    if (!stream)
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT, "stream is NULL");
    if (!yoke_stream_get_device(stream))
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT, "stream is not a stream, or has been released");
    if (!comm)
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT, "comm is NULL");
    if (!ycomm_is_comm(comm))
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT, "comm is not a communicator, or has been released");
    if (ycomm_mpi_is_closed()) {
        ycomm_failure failure;
        ycomm_failure_set_finalized(&failure);
        return ycomm_fail(out_call, failure.status, "%s", failure.text);
    }
    ycomm_channel *channel = comm->channels;
    while (channel && channel->stream != stream)
        channel = channel->next;
    if (!channel)
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT,
                          "the stream has not been added to the communicator: all ranks call yoke_comm_add for it first");
    if (!atomic_load(&channel->ready) && !atomic_load(&channel->failed)) /* one that has failed uses no MPI */
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT,
                          "the stream's yoke_comm_add is still under way, in another thread: wait until it has returned");
    out_call->channel = channel;
    return YOKE_OK;
}

yoke_status ycomm_op_create(const ycomm_call *call, size_t capacity, ycomm_op **out_op)
{
    ycomm_op *op = NULL;
    *out_op = NULL;
    if (capacity < SIZE_MAX / 2 / sizeof op->parts[0])
        op = malloc(sizeof *op + capacity * sizeof op->parts[0]);
    if (!op)
        return ycomm_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the operation");
    *op = (ycomm_op){ .channel = call->channel, .function = call->function, .where = call->where };
    yoke_comm_retain(call->comm);
    *out_op = op;
    return YOKE_OK;
}

/* ---- Ways ---- */

/* Mapped memory that MPI is given is the host's. */
static bool is_given(const ycomm_side *side)
{
    return side->at && yoke_buffer_get_kind(side->buffer) != YOKE_MEMORY_MAPPED;
}

/* MPI's own where it is given any device memory. */
int32_t ycomm_op_way(const ycomm_op *op)
{
    for (size_t i = 0; i < op->part_count && op->channel->comm->memory == YCOMM_KNOWN_TO_MPI; i++)
        if (is_given(&op->parts[i].in) || is_given(&op->parts[i].out))
            return YOKE_COMM_TRANSPORT_MPI;
    return YOKE_COMM_TRANSPORT_STAGED;
}

void ycomm_count(yoke_comm *comm, int32_t way, const ycomm_op *op)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < op->part_count; i++)
        bytes += (op->parts[i].in.rows + op->parts[i].out.rows) * op->parts[i].count * op->parts[i].element;
    atomic_fetch_add(&comm->bytes[way], bytes);
}

/* Places stay for good, since records of failures keep them: one for each call in the program and way. */
typedef struct place {
    struct place *next;
    const char *where, *function;
    int32_t way;
    char text[];
} place;

static const char *find_place(const ycomm_op *op, int32_t way)
{
    static _Atomic(place *) places[64];
    size_t slot = ((uintptr_t)op->where / 8 + (uintptr_t)op->function / 8 + (size_t)way) % YCOMM_COUNT_OF(places);
    const char *where = op->where ? op->where : "";
    place *p = places[slot];
    while (p && (p->where != op->where || p->function != op->function || p->way != way ||
                 strncmp(p->text, where, strlen(where)) != 0)) /* a text of the program's may have changed */
        p = p->next;
    if (p)
        return p->text;
    size_t size = strlen(where) + strlen(op->function) + 32;
    if (!(p = malloc(sizeof *p + size)))
        return op->where;
    *p = (place){ places[slot], op->where, op->function, way };
    snprintf(p->text, size, "%s%s%s, %s", where, *where ? ": " : "", op->function, ycomm_way_name(way));
    while (!atomic_compare_exchange_weak(&places[slot], &p->next, p)) /* two threads may add the same */
        continue;
    return p->text;
}

void ycomm_op_free(void *user)
{
    ycomm_op *op = user;
    yoke_comm *comm = op->channel->comm;
    for (size_t i = 0; i < op->part_count; i++) {
        yoke_buffer_release(op->parts[i].in.buffer);
        yoke_buffer_release(op->parts[i].out.buffer);
    }
    free(op);
    yoke_comm_release(comm);
}

/* Not where on_full has ended a wait for room: the enqueue had no effect then, and the stream goes on. */
static bool has_failed(yoke_stream *stream)
{
    yoke_event *event = NULL;
    yoke_status status = yoke_event_record_at(NULL, stream, YOKE_EVENT_IGNORE_DEPTH, &event);
    yoke_event_release(event);
    return status < 0;
}

yoke_status ycomm_op_enqueue(const ycomm_call *call, ycomm_op *op)
{
    for (size_t i = 0; i < op->part_count; i++) {
        op->parts[i].in.buffer = yoke_buffer_retain(op->parts[i].in.buffer);
        op->parts[i].out.buffer = yoke_buffer_retain(op->parts[i].out.buffer);
    }
    bool nccl = ycomm_nccl_takes(op);
    for (size_t i = 0; i < op->part_count && !nccl; i++)
        ycomm_find_addresses(call->channel, &op->parts[i]);
    op->place = find_place(op, nccl ? YOKE_COMM_TRANSPORT_NCCL : ycomm_op_way(op));
    yoke_status status =
        nccl ? ycomm_nccl_enqueue(call, op) : yoke_host_call_at(op->place, call->stream, ycomm_run_op, op, ycomm_op_free);
    if (status == YOKE_OK)
        return YOKE_OK;
    /* The others may wait for what a failed stream will never do. */
    if (status < 0 && status != YOKE_E_OUT_OF_HOST_MEMORY && status != YOKE_E_FORKED && has_failed(call->stream))
        ycomm_channel_stream_failed(call->channel, status, call->function);
    ycomm_op_free(op);
    return status;
}
