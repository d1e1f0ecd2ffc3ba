/* SPDX-License-Identifier: Apache-2.0 */
/* Collective operations: a table of what each reads and writes, and the public functions. */
#include <inttypes.h>

#include "ground/reduction.h"
#include "op.h"

enum { ALL = -1 }; /* as many rows as there are ranks */

/* The rows of n elements that a rank reads and writes, the root and the others. */
static const struct {
    int in_root, in_other, out_root, out_other;
    bool has_root, combines;
} shapes[] = {
    [YCOMM_BROADCAST] = { 1, 0, 0, 1, true, false },      [YCOMM_REDUCE] = { 1, 1, 1, 0, true, true },
    [YCOMM_ALLREDUCE] = { 1, 1, 1, 1, false, true },      [YCOMM_REDUCE_SCATTER] = { ALL, ALL, 1, 1, false, true },
    [YCOMM_ALLGATHER] = { 1, 1, ALL, ALL, false, false }, [YCOMM_GATHER] = { 1, 1, ALL, 0, true, false },
    [YCOMM_SCATTER] = { ALL, 0, 1, 1, true, false },      [YCOMM_ALLTOALL] = { ALL, ALL, ALL, ALL, false, false },
};

typedef struct collective {
    ycomm_verb verb;
    int32_t operation, root;
    const yoke_array *out, *in;
} collective;

static uint64_t rows(const ycomm_call *call, int number)
{
    return number == ALL ? (uint64_t)call->comm->ranks : (uint64_t)number;
}

/* Columns of a piece: the same at all ranks, so that what counts is the rank with the most rows. 0: not one fits. */
static uint64_t columns(const ycomm_call *call, ycomm_verb verb, size_t element)
{
    uint64_t root = rows(call, shapes[verb].in_root) + rows(call, shapes[verb].out_root);
    uint64_t other = rows(call, shapes[verb].in_other) + rows(call, shapes[verb].out_other);
    return YCOMM_PIECE / element / (root > other ? root : other);
}

/* One side: its array is checked, and has so many rows of the same number of elements. */
static yoke_status check_side(const ycomm_call *call, const char *name, const yoke_array *array, bool written, uint64_t row_count,
                              ycomm_region *region, uint64_t *count)
{
    *region = (ycomm_region){ .count = 0 };
    if (row_count == 0)
        return YOKE_OK;
    yoke_status status = ycomm_check_array(call, name, array, written, region);
    if (status != YOKE_OK)
        return status;
    if (region->count % row_count != 0)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT,
                          "%s has %" PRIu64 " elements, which %" PRIu64 " ranks cannot share equally", name, region->count,
                          row_count);
    *count = region->count / row_count;
    return YOKE_OK;
}

static yoke_status check_both(const ycomm_call *call, const ycomm_region *out, uint64_t out_count, const ycomm_region *in,
                              uint64_t in_count)
{
    if (out->dtype != in->dtype)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "out is of %s, but in is of %s", ycomm_dtype_name(out->dtype),
                          ycomm_dtype_name(in->dtype));
    if (out_count != in_count)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT,
                          "the sizes do not fit: of out's %" PRIu64 " elements a rank's part is %" PRIu64 ", of in's %" PRIu64
                          " it is %" PRIu64,
                          out->count, out_count, in->count, in_count);
    /* In place: the same memory, or this rank's part of the larger one. */
    const ycomm_region *larger = out->count > in->count ? out : in;
    const ycomm_region *smaller = larger == out ? in : out;
    uint64_t part = larger->count == smaller->count ? 0 : (uint64_t)call->comm->rank * in_count * larger->element;
    if (!ycomm_overlap(out, in) || smaller->first == larger->first + part)
        return YOKE_OK;
    return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "out and in overlap, but not as in place: %s%s",
                      "the same array, or the smaller one is this rank's part", " of the larger one");
}

/* What is wrong with the numbers, whatever the arrays are. */
static yoke_status check_numbers(const ycomm_call *call, const collective *c)
{
    if (shapes[c->verb].combines && !ycomm_is_reduction(c->operation))
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT,
                          "there is no reduction %d between ranks: it is YOKE_REDUCE_SUM, _PRODUCT, _MIN, _MAX, _AND, _OR or _XOR",
                          (int)c->operation);
    return shapes[c->verb].has_root ? ycomm_check_rank(call, "the root", c->root) : YOKE_OK;
}

static yoke_status enqueue(const ycomm_call *call, const collective *c)
{
    bool root = call->comm->rank == c->root, one = c->verb == YCOMM_BROADCAST; /* its function has one array */
    uint64_t in_rows = rows(call, root ? shapes[c->verb].in_root : shapes[c->verb].in_other);
    uint64_t out_rows = rows(call, root ? shapes[c->verb].out_root : shapes[c->verb].out_other);
    uint64_t in_count = 0, out_count = 0;
    ycomm_region in, out;

    yoke_status status = check_numbers(call, c);
    if (status == YOKE_OK)
        status = check_side(call, one ? "array" : "in", c->in, false, in_rows, &in, &in_count);
    if (status == YOKE_OK)
        status = check_side(call, one ? "array" : "out", c->out, true, out_rows, &out, &out_count);
    if (status == YOKE_OK && in_rows && out_rows)
        status = check_both(call, &out, out_count, &in, in_count);
    if (status != YOKE_OK)
        return status;
    const ycomm_region *known = in_rows ? &in : &out;
    uint64_t step = columns(call, c->verb, known->element);
    if (step == 0)
        return ycomm_fail(call, YOKE_E_UNSUPPORTED, "%d ranks are too many for this operation", (int)call->comm->ranks);
    if (shapes[c->verb].combines && !ycomm_has_operation(known->dtype, c->operation))
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has no reduction %d between ranks", ycomm_dtype_name(known->dtype),
                          (int)c->operation);
    const ycomm_part part = {
        .verb = c->verb,
        .peer = c->root < 0 ? 0 : c->root,
        .operation = c->operation,
        .dtype = known->dtype,
        .element = known->element,
        .count = in_rows ? in_count : out_count,
        .step = step,
        .in = { in_rows ? in.buffer : NULL, in.offset, in_rows, NULL },
        .out = { out_rows ? out.buffer : NULL, out.offset, out_rows, NULL },
        .in_place = ycomm_overlap(&in, &out),
        .behind = -1,
    };
    return ycomm_op_enqueue(call, &part, 1);
}

/* ---- The public functions ---- */

yoke_status yoke_comm_broadcast_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *array, int32_t root)
{
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_broadcast", where, stream, comm);
    return status == YOKE_OK ? enqueue(&call, &(collective){ YCOMM_BROADCAST, 0, root, array, array }) : status;
}

yoke_status yoke_comm_reduce_at(const char *where, yoke_stream *stream, yoke_comm *comm, int32_t operation, const yoke_array *out,
                                const yoke_array *in, int32_t root)
{
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_reduce", where, stream, comm);
    return status == YOKE_OK ? enqueue(&call, &(collective){ YCOMM_REDUCE, operation, root, out, in }) : status;
}

yoke_status yoke_comm_allreduce_at(const char *where, yoke_stream *stream, yoke_comm *comm, int32_t operation,
                                   const yoke_array *out, const yoke_array *in)
{
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_allreduce", where, stream, comm);
    return status == YOKE_OK ? enqueue(&call, &(collective){ YCOMM_ALLREDUCE, operation, -1, out, in }) : status;
}

yoke_status yoke_comm_reduce_scatter_at(const char *where, yoke_stream *stream, yoke_comm *comm, int32_t operation,
                                        const yoke_array *out, const yoke_array *in)
{
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_reduce_scatter", where, stream, comm);
    return status == YOKE_OK ? enqueue(&call, &(collective){ YCOMM_REDUCE_SCATTER, operation, -1, out, in }) : status;
}

yoke_status yoke_comm_allgather_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out,
                                   const yoke_array *in)
{
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_allgather", where, stream, comm);
    return status == YOKE_OK ? enqueue(&call, &(collective){ YCOMM_ALLGATHER, 0, -1, out, in }) : status;
}

yoke_status yoke_comm_gather_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out,
                                const yoke_array *in, int32_t root)
{
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_gather", where, stream, comm);
    return status == YOKE_OK ? enqueue(&call, &(collective){ YCOMM_GATHER, 0, root, out, in }) : status;
}

yoke_status yoke_comm_scatter_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out,
                                 const yoke_array *in, int32_t root)
{
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_scatter", where, stream, comm);
    return status == YOKE_OK ? enqueue(&call, &(collective){ YCOMM_SCATTER, 0, root, out, in }) : status;
}

yoke_status yoke_comm_alltoall_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out,
                                  const yoke_array *in)
{
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_alltoall", where, stream, comm);
    return status == YOKE_OK ? enqueue(&call, &(collective){ YCOMM_ALLTOALL, 0, -1, out, in }) : status;
}

yoke_status yoke_comm_barrier_at(const char *where, yoke_stream *stream, yoke_comm *comm)
{
    const ycomm_part part = { .verb = YCOMM_BARRIER, .behind = -1 };
    ycomm_call call;
    yoke_status status = ycomm_begin(&call, "yoke_comm_barrier", where, stream, comm);
    return status == YOKE_OK ? ycomm_op_enqueue(&call, &part, 1) : status;
}
