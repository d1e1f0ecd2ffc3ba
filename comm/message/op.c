/* SPDX-License-Identifier: Apache-2.0 */
/* From a call to a transport: what every operation begins and ends with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "op.h"

/* ---- Transports ---- */

/* Places stay for good, since records of failures keep them: one for each call in the program and transport. */
typedef struct place {
    struct place *next;
    const char *where, *function;
    const ycomm_transport *transport;
    char text[];
} place;

void ycomm_op_goes_by(ycomm_op *op, const ycomm_transport *transport)
{
    static _Atomic(place *) places[64];
    size_t slot = ((uintptr_t)op->where / 8 + (uintptr_t)op->function / 8 + (size_t)transport->id) % YCOMM_COUNT_OF(places);
    const char *where = op->where ? op->where : "";
    place *p = places[slot];
    while (p && (p->where != op->where || p->function != op->function || p->transport != transport ||
                 strncmp(p->text, where, strlen(where)) != 0)) /* a text of the program's may have changed */
        p = p->next;
    if (!p) {
        size_t size = strlen(where) + strlen(op->function) + 32;
        p = malloc(sizeof *p + size);
        if (p) {
            *p = (place){ places[slot], op->where, op->function, transport };
            snprintf(p->text, size, "%s%s%s, %s", where, *where ? ": " : "", op->function, transport->name);
            while (!atomic_compare_exchange_weak(&places[slot], &p->next, p)) /* two threads may add the same */
                continue;
        }
    }
    op->transport = transport;
    op->place = p ? p->text : op->where;
}

/* ---- Operations ---- */

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

yoke_status ycomm_op_enqueue(const ycomm_call *call, const ycomm_part *parts, size_t count)
{
    ycomm_op *op = NULL;
    if (count < SIZE_MAX / 2 / sizeof op->parts[0])
        op = malloc(sizeof *op + count * sizeof op->parts[0]);
    if (!op)
        return ycomm_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the operation");
    *op = (ycomm_op){ .channel = call->channel, .function = call->function, .where = call->where, .part_count = count };
    yoke_comm_retain(call->comm);
    for (size_t i = 0; i < count; i++) {
        op->parts[i] = parts[i];
        yoke_buffer_retain(parts[i].in.buffer);
        yoke_buffer_retain(parts[i].out.buffer);
        op->bytes += (parts[i].in.rows + parts[i].out.rows) * parts[i].count * parts[i].element;
    }
    const yoke_comm *comm = call->comm;
    const ycomm_transport *transport = comm->transport;
    if (transport != comm->fallback && !transport->takes(op))
        transport = comm->fallback;
    yoke_status status = transport->enqueue(call, op);
    if (status == YOKE_OK)
        return YOKE_OK;
    /* The others may wait for what a failed stream will never do. */
    if (status < 0 && status != YOKE_E_OUT_OF_HOST_MEMORY && status != YOKE_E_FORKED && has_failed(call->stream))
        ycomm_channel_stream_failed(call->channel, status, call->function);
    ycomm_op_free(op);
    return status;
}
