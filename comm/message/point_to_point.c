/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: send, receive, exchange and groups of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "op.h"

static yoke_status check_message(const ycomm_call *call, const char *name, const yoke_comm_message *message,
                                 ycomm_region *out_region)
{
    if (message->direction != YOKE_COMM_SEND && message->direction != YOKE_COMM_RECEIVE)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT,
                          "the direction of %s is %d; YOKE_COMM_SEND and YOKE_COMM_RECEIVE are known", name,
                          (int)message->direction);
    if (message->tag < 0 || message->tag > YOKE_COMM_MAX_TAG)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "the tag is %d; 0 to %d are possible", (int)message->tag,
                          (int)YOKE_COMM_MAX_TAG);
    yoke_status status = YOKE_OK;
    if (message->peer != YOKE_COMM_NULL)
        status = ycomm_check_rank(call, "the peer", message->peer);
    if (status == YOKE_OK)
        status = ycomm_check_array(call, name, &message->array, message->direction == YOKE_COMM_RECEIVE, out_region);
    return status;
}

/* Once more, for its text: a number is formatted only for that. */
static yoke_status check_numbered(const ycomm_call *call, size_t i, const yoke_comm_message *message, ycomm_region *out_region)
{
    char name[32];
    snprintf(name, sizeof name, "message %zu", i);
    return check_message(call, name, message, out_region);
}

/* What is received must not lie where another message is read or written. Most groups have a handful of messages. */
static yoke_status check_overlap(const ycomm_call *call, const yoke_comm_message *messages, const ycomm_region *regions,
                                 size_t count, const char *const *names)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (k != i && messages[i].direction == YOKE_COMM_RECEIVE && ycomm_overlap(&regions[i], &regions[k])) {
                if (names)
                    return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "%s and %s overlap", names[i], names[k]);
                return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "message %zu is received into memory of message %zu", i, k);
            }
    return YOKE_OK;
}

/* The part that comes behind `count` others. */
static void fill_part(ycomm_part *parts, size_t count, const yoke_comm_message *message, const ycomm_region *region)
{
    ycomm_side side = { region->buffer, region->offset, 1, NULL };
    ycomm_part *part = &parts[count];
    *part = (ycomm_part){
        .verb = message->direction == YOKE_COMM_SEND ? YCOMM_SEND : YCOMM_RECEIVE,
        .peer = message->peer,
        .tag = message->tag,
        .dtype = region->dtype,
        .element = region->element,
        .count = region->count,
        .step = YCOMM_PIECE / region->element,
        .behind = -1,
    };
    *(part->verb == YCOMM_SEND ? &part->in : &part->out) = side;
    for (size_t i = count; i-- > 0 && part->behind < 0;)
        if (parts[i].verb == part->verb && parts[i].peer == part->peer && parts[i].tag == part->tag)
            part->behind = (int32_t)i;
}

/* `names`: of the messages, or NULL for numbers. */
static yoke_status enqueue(const ycomm_call *call, const yoke_comm_message *messages, size_t count, const char *const *names)
{
    enum { FEW = 8 };
    ycomm_region few_regions[FEW], *regions = few_regions;
    ycomm_part few_parts[FEW], *parts = few_parts;
    size_t part_count = 0;
    void *memory = NULL;
    if (count > FEW) {
        memory = calloc(count, sizeof parts[0] + sizeof regions[0]);
        if (!memory)
            return ycomm_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for the operation");
        parts = memory;
        regions = (ycomm_region *)(parts + count);
    }
    yoke_status status = YOKE_OK;
    for (size_t i = 0; i < count && status == YOKE_OK; i++) {
        status = check_message(call, names ? names[i] : "", &messages[i], &regions[i]);
        if (status != YOKE_OK && !names)
            status = check_numbered(call, i, &messages[i], &regions[i]);
    }
    if (status == YOKE_OK)
        status = check_overlap(call, messages, regions, count, names);
    for (size_t i = 0; i < count && status == YOKE_OK; i++)
        if (messages[i].peer != YOKE_COMM_NULL)
            fill_part(parts, part_count++, &messages[i], &regions[i]);
    if (status == YOKE_OK)
        status = ycomm_op_enqueue(call, parts, part_count);
    free(memory);
    return status;
}

static yoke_status one(const ycomm_call *call, int32_t direction, const yoke_array *array, int32_t peer, int32_t tag)
{
    static const char *const names[] = { "array" };
    if (!array)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "array is NULL");
    yoke_comm_message message = { direction, peer, tag, *array };
    return enqueue(call, &message, 1, names);
}

yoke_status yoke_comm_send_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *array, int32_t peer,
                              int32_t tag)
{
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_send", where, stream, comm);
    return status == YOKE_OK ? one(&call, YOKE_COMM_SEND, array, peer, tag) : status;
}

yoke_status yoke_comm_receive_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *array, int32_t peer,
                                 int32_t tag)
{
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_receive", where, stream, comm);
    return status == YOKE_OK ? one(&call, YOKE_COMM_RECEIVE, array, peer, tag) : status;
}

yoke_status yoke_comm_sendrecv_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out, int32_t source,
                                  const yoke_array *in, int32_t target, int32_t tag)
{
    static const char *const names[] = { "out", "in" };
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_sendrecv", where, stream, comm);
    if (status != YOKE_OK)
        return status;
    if (!out || !in)
        return ycomm_fail(&call, YOKE_E_INVALID_ARGUMENT, "%s is NULL", out ? "in" : "out");
    yoke_comm_message messages[] = { { YOKE_COMM_RECEIVE, source, tag, *out }, { YOKE_COMM_SEND, target, tag, *in } };
    return enqueue(&call, messages, 2, names);
}

yoke_status yoke_comm_group_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_comm_message *messages,
                               size_t count)
{
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_group", where, stream, comm);
    if (status != YOKE_OK)
        return status;
    if (!messages && count > 0)
        return ycomm_fail(&call, YOKE_E_INVALID_ARGUMENT, "messages is NULL");
    return enqueue(&call, messages, count, NULL);
}
