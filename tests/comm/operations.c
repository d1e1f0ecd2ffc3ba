/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every operation, with every dtype, at sizes around what is cut into pieces, in place and not, against a reference on the host.
 * The numbers are small integers, so that the order of a reduction does not show. Memory around an array stays as it is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/half.h>

#include "ranks.h"

enum { GUARD = 64, GUARD_BYTE = 0xa5, PIECE = 1 << 20 };

static const struct {
    const char *name;
    size_t size;
} dtypes[YK_DTYPE_COUNT] = {
#define DTYPE(name, value, text, bytes) [value] = { text, bytes },
    YOKE_DTYPE_LIST(DTYPE)
#undef DTYPE
};

/* ---- Elements ---- */

typedef struct element {
    int64_t re, im;
} element;

static element element_of(int32_t dtype, int rank, uint64_t index)
{
    uint64_t mixed = (index * 7 + (uint64_t)rank * 5 + index / 13) % 3;
    element e = { (int64_t)mixed + (dtype == YOKE_BOOL ? 0 : 1), 0 };
    if (yk_dtype_is_complex(dtype))
        e.im = (int64_t)((index + (uint64_t)rank) % 3) - 1;
    return e;
}

/* By the kind of a dtype: parts of its type. */
#define PUT_BOOL(x, type) (type)(x)
#define PUT_SIGNED(x, type) (type)(x)
#define PUT_UNSIGNED(x, type) (type)(x)
#define PUT_REDUCED(x, type) type##_from((float)(x))
#define PUT_FLOATING(x, type) (type)(x)
#define PUT_COMPLEX(x, type) (type)(x)

static void put(int32_t dtype, void *memory, uint64_t index, element e)
{
    unsigned char *at = (unsigned char *)memory + index * dtypes[dtype].size;
    switch (dtype) {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) \
    case YOKE_##name: {                                                                        \
        type parts[2] = { PUT_##kind(e.re, type), PUT_##kind(e.im, type) };                    \
        memcpy(at, parts, dtypes[dtype].size);                                                 \
        break;                                                                                 \
    }
#include "api/dtypes.def"
    }
}

static element combine(int32_t dtype, int32_t operation, element a, element b)
{
    if (dtype == YOKE_BOOL) {
        a.re = a.re != 0;
        b.re = b.re != 0;
    }
    switch (operation) {
    case YOKE_REDUCE_SUM:
        return (element){ a.re + b.re, a.im + b.im };
    case YOKE_REDUCE_PRODUCT:
        return (element){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
    case YOKE_REDUCE_MIN:
        return a.re < b.re ? a : b;
    case YOKE_REDUCE_MAX:
        return a.re > b.re ? a : b;
    case YOKE_REDUCE_AND:
        return (element){ a.re & b.re, 0 };
    case YOKE_REDUCE_OR:
        return (element){ a.re | b.re, 0 };
    default:
        return (element){ a.re ^ b.re, 0 };
    }
}

/* ---- An array on the device, with guards ---- */

typedef struct area {
    yoke_buffer *buffer;
    unsigned char *host; /* what the buffer should hold, guards included */
    size_t size;
    int32_t dtype;
    uint64_t count;
} area;

static bool area_create(ranks *t, area *a, int32_t dtype, uint64_t count)
{
    a->dtype = dtype;
    a->count = count;
    a->size = count * dtypes[dtype].size + 2 * GUARD;
    a->host = malloc(a->size);
    memset(a->host, GUARD_BYTE, a->size);
    return CHECK_OK(yoke_buffer_create(t->device, a->size, &a->buffer));
}

static void area_free(area *a)
{
    yoke_buffer_release(a->buffer);
    free(a->host);
}

static yoke_array area_part(const area *a, uint64_t first, uint64_t count)
{
    yoke_array array = yoke_comm_array(a->buffer, a->dtype, (int64_t)first, (int64_t)count);
    array.offset += GUARD;
    return array;
}

static void area_put(area *a, uint64_t index, element e)
{
    put(a->dtype, a->host + GUARD, index, e);
}

static bool area_write(ranks *t, area *a)
{
    return CHECK_OK(yoke_write(t->stream, a->buffer, 0, a->host, a->size)) && CHECK_OK(yoke_stream_wait(t->stream));
}

/* The buffer holds what `host` does, byte for byte. */
static bool area_holds(ranks *t, const area *a)
{
    unsigned char *got = malloc(a->size);
    bool same = CHECK_OK(yoke_read(t->stream, got, a->buffer, 0, a->size)) && CHECK_OK(yoke_stream_wait(t->stream)) &&
                CHECK(memcmp(got, a->host, a->size) == 0);
    free(got);
    return same;
}

/* ---- Collectives ---- */

enum { BROADCAST, REDUCE, ALLREDUCE, REDUCE_SCATTER, ALLGATHER, GATHER, SCATTER, ALLTOALL, VERBS };

static const struct {
    const char *name;
    int in_all, out_all; /* the side has a part for each rank */
    bool rooted, reduces;
} verbs[] = {
    { "broadcast", 0, 0, true, false },      { "reduce", 0, 0, true, true },      { "allreduce", 0, 0, false, true },
    { "reduce_scatter", 1, 0, false, true }, { "allgather", 0, 1, false, false }, { "gather", 0, 1, true, false },
    { "scatter", 1, 0, true, false },        { "alltoall", 1, 1, false, false },
};

typedef struct trial {
    int verb;
    int32_t dtype, operation, root;
    uint64_t n;
    bool in_place;
} trial;

/* Element `index` of rank r's input. */
static element input(const trial *c, int rank, uint64_t index)
{
    return element_of(c->dtype, rank, index);
}

static element reduced(const ranks *t, const trial *c, uint64_t index)
{
    element e = input(c, 0, index);
    for (int r = 1; r < t->count; r++)
        e = combine(c->dtype, c->operation, e, input(c, r, index));
    if (c->dtype == YOKE_BOOL && t->count == 1)
        return e; /* nothing was combined */
    return e;
}

/* Element `index` of this rank's output. */
static element output(const ranks *t, const trial *c, uint64_t index)
{
    uint64_t own = (uint64_t)t->rank * c->n;
    switch (c->verb) {
    case BROADCAST:
        return input(c, c->root, index);
    case REDUCE:
    case ALLREDUCE:
        return reduced(t, c, index);
    case REDUCE_SCATTER:
        return reduced(t, c, own + index);
    case SCATTER:
        return input(c, c->root, own + index);
    case ALLTOALL:
        return input(c, (int)(index / c->n), own + index % c->n);
    default:
        return input(c, (int)(index / c->n), index % c->n);
    }
}

static yoke_status call(ranks *t, const trial *c, const yoke_array *out, const yoke_array *in)
{
    bool root = t->rank == c->root;
    switch (c->verb) {
    case BROADCAST:
        return yoke_comm_broadcast(t->stream, t->comm, root ? in : out, c->root);
    case REDUCE:
        return yoke_comm_reduce(t->stream, t->comm, c->operation, root ? out : NULL, in, c->root);
    case ALLREDUCE:
        return yoke_comm_allreduce(t->stream, t->comm, c->operation, out, in);
    case REDUCE_SCATTER:
        return yoke_comm_reduce_scatter(t->stream, t->comm, c->operation, out, in);
    case ALLGATHER:
        return yoke_comm_allgather(t->stream, t->comm, out, in);
    case GATHER:
        return yoke_comm_gather(t->stream, t->comm, root ? out : NULL, in, c->root);
    case SCATTER:
        return yoke_comm_scatter(t->stream, t->comm, out, root ? in : NULL, c->root);
    default:
        return yoke_comm_alltoall(t->stream, t->comm, out, in);
    }
}

static void collective(ranks *t, const trial *c)
{
    uint64_t all = (uint64_t)t->count * c->n;
    uint64_t in_count = verbs[c->verb].in_all ? all : c->n, out_count = verbs[c->verb].out_all ? all : c->n;
    bool written = c->verb == REDUCE || c->verb == GATHER ? t->rank == c->root : c->verb != BROADCAST || t->rank != c->root;
    area larger = { .size = 0 }, smaller = { .size = 0 };
    area *in = in_count >= out_count ? &larger : &smaller, *out = in == &larger && !c->in_place ? &smaller : &larger;
    if (!c->in_place && in_count < out_count)
        out = &larger;

    if (c->in_place) { /* one buffer of the larger size: the smaller side is this rank's part */
        uint64_t part = in_count == out_count ? 0 : (uint64_t)t->rank * c->n;
        uint64_t in_first = in_count < out_count ? part : 0, out_first = out_count < in_count ? part : 0;
        area_create(t, &larger, c->dtype, in_count > out_count ? in_count : out_count);
        for (uint64_t i = 0; i < in_count; i++)
            area_put(&larger, in_first + i, input(c, t->rank, i));
        area_write(t, &larger);
        yoke_array in_array = area_part(&larger, in_first, in_count), out_array = area_part(&larger, out_first, out_count);
        CHECK_OK(call(t, c, &out_array, &in_array));
        for (uint64_t i = 0; i < out_count && written; i++)
            area_put(&larger, out_first + i, output(t, c, i));
        area_holds(t, &larger);
    } else {
        area_create(t, in, c->dtype, in_count);
        area_create(t, out, c->dtype, out_count);
        for (uint64_t i = 0; i < in_count; i++)
            area_put(in, i, input(c, t->rank, i));
        area_write(t, in);
        area_write(t, out);
        yoke_array in_array = area_part(in, 0, in_count), out_array = area_part(out, 0, out_count);
        CHECK_OK(call(t, c, &out_array, &in_array));
        for (uint64_t i = 0; i < out_count && written; i++)
            area_put(out, i, output(t, c, i));
        area_holds(t, in);
        area_holds(t, out);
    }
    area_free(&larger);
    area_free(&smaller);
}

static bool has(int32_t dtype, int32_t operation)
{
    yk_reduction_rule rule = yk_reduction_get(operation)->rule;
    bool sums = rule == YK_REDUCTION_SUM, bits = rule == YK_REDUCTION_BITS;
    if (!sums && !bits && rule != YK_REDUCTION_ORDER) /* not between ranks */
        return false;
    if (dtype == YOKE_BOOL)
        return !sums;
    if (yk_dtype_is_complex(dtype))
        return sums;
    return yk_dtype_is_integer(dtype) || !bits;
}

/* In place, or not; each root in turn. */
static void both(ranks *t, trial c)
{
    c.root = verbs[c.verb].rooted ? (int32_t)(c.n % (uint64_t)t->count) : -1;
    c.in_place = false;
    collective(t, &c);
    c.in_place = true;
    if (c.verb != BROADCAST)
        collective(t, &c);
}

static void collectives(ranks *t, int verb)
{
    static const uint64_t counts[] = { 0, 1, 7, 1000 };
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        int last = verbs[verb].reduces ? YK_REDUCTION_COUNT : 2;
        for (int32_t operation = 1; operation < last; operation++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
                if (!verbs[verb].reduces || has(dtype, operation))
                    both(t, (trial){ .verb = verb, .dtype = dtype, .operation = operation, .n = counts[i] });
        ranks_case(t, "%s, %s", verbs[verb].name, dtypes[dtype].name);
    }
    /* Around one piece, and more pieces than are on their way at once. */
    uint64_t piece = PIECE / 4 / (uint64_t)t->count;
    const uint64_t large[] = { piece / 2, piece, piece + 1, 6 * piece + 3 };
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        both(t, (trial){ .verb = verb, .dtype = YOKE_I32, .operation = YOKE_REDUCE_SUM, .n = large[i] });
    both(t, (trial){ .verb = verb, .dtype = YOKE_C128, .operation = YOKE_REDUCE_SUM, .n = 3 * piece / 4 });
    ranks_case(t, "%s, several pieces", verbs[verb].name);
}

/* ---- Messages ---- */

/* Each rank sends to the next one and receives from the one before: as an exchange, or as sends and receives that take turns. */
static void ring(ranks *t, int32_t dtype, uint64_t count, bool exchange)
{
    int32_t next = (t->rank + 1) % t->count, before = (t->rank + t->count - 1) % t->count, tag = (int32_t)(count % 100);
    area in = { .size = 0 }, out = { .size = 0 };
    area_create(t, &in, dtype, count);
    area_create(t, &out, dtype, count);
    for (uint64_t i = 0; i < count; i++)
        area_put(&in, i, element_of(dtype, t->rank, i));
    area_write(t, &in);
    area_write(t, &out);
    yoke_array sent = area_part(&in, 0, count), received = area_part(&out, 0, count);
    if (exchange) {
        CHECK_OK(yoke_comm_sendrecv(t->stream, t->comm, &received, before, &sent, next, tag));
    } else if (t->rank == 0) { /* it begins, so that the circle is open */
        CHECK_OK(yoke_comm_send(t->stream, t->comm, &sent, next, tag));
        CHECK_OK(yoke_comm_receive(t->stream, t->comm, &received, before, tag));
    } else {
        CHECK_OK(yoke_comm_receive(t->stream, t->comm, &received, before, tag));
        CHECK_OK(yoke_comm_send(t->stream, t->comm, &sent, next, tag));
    }
    for (uint64_t i = 0; i < count; i++)
        area_put(&out, i, element_of(dtype, before, i));
    area_holds(t, &in);
    area_holds(t, &out);
    area_free(&in);
    area_free(&out);
}

static void messages(ranks *t)
{
    static const uint64_t counts[] = { 0, 1, 7, 1000 };
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            ring(t, dtype, counts[i], true);
            if (t->count > 1)
                ring(t, dtype, counts[i], false);
        }
        ranks_case(t, "messages, %s", dtypes[dtype].name);
    }
    for (uint64_t count = PIECE / 4 - 1; count <= PIECE / 4 + 1; count++)
        ring(t, YOKE_F32, count, true);
    ring(t, YOKE_F32, 23 * (PIECE / 16) + 5, true);
    if (t->count > 1)
        ring(t, YOKE_F32, 23 * (PIECE / 16) + 5, false);
    ranks_case(t, "messages, several pieces");
}

int main(int argc, char **argv)
{
    ranks t;
    ranks_start(&t, &argc, &argv, 300);
    if (argc > 1) { /* only which device there is */
        yoke_device_info info = YOKE_DEVICE_INFO_INIT;
        CHECK_OK(yoke_device_get_info(t.device, &info));
        printf("# %s\n", info.name);
        return ranks_end(&t);
    }
    messages(&t);
    for (int verb = 0; verb < VERBS; verb++)
        collectives(&t, verb);
    CHECK_OK(yoke_comm_barrier(t.stream, t.comm));
    CHECK_OK(yoke_stream_wait(t.stream));
    ranks_case(&t, "barrier");
    return ranks_end(&t);
}
