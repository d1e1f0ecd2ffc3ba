/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of some ranks in long rows: found byte by byte by counting, as ranks.yk says. */
#include "sort.h"

enum {
    THREADS = 256,                              /* of ranks.yk, on a GPU, */
    SHARED_BYTES = 16384 + YOPS_MOST_RANKS * 8, /* and what its blocks need */
    ITEMS = 8,                                  /* on a GPU, */
    CPU_ITEMS = 32,                             /* and of a processor's thread, between two looks at what others found */
    BLOCKS = 8,                                 /* for each multiprocessor */
    LEAST_CPU_SLICE = 16384,                    /* elements for a thread, */
    CPU_SLICES = 4,                             /* and slices for each core */
    STATE_BYTES = 280,
    DIGIT_BYTES = 1024, /* counters of a byte, for each rank */
    LIST_AFTER = 2,     /* passes over all elements before there may be a list, and before each further attempt */
    LIST_PART = 16      /* the list has room for n / LIST_PART elements */
};

/* As in ranks.yk. */
typedef struct rank_list {
    uint32_t rank[YOPS_MOST_RANKS];
    uint32_t count, unused;
} rank_list;

/* All that the launches need. Offsets are in bytes of the one temporary buffer; the states are at 0. */
typedef struct selection {
    const yops_ranks *wanted;
    rank_list ranks;
    yoke_kernel *count, *decide, *collect;
    yoke_buffer *temporary;
    uint32_t threads, decide_threads, items, key_bytes, slices, n, rows, capacity;
    uint64_t counts, list, size;
} selection;

bool yops_ranks_suit(const yops_ranks *wanted, const yops_traits *traits)
{
    int64_t bytes = (int64_t)yoke_dtype_get_size(wanted->dtype), shortest = bytes == 8 ? 2048 : 4096; /* what a block sorts */
    if (wanted->n <= shortest || wanted->n > UINT32_MAX || wanted->count > YOPS_MOST_RANKS)
        return false;
    if ((int64_t)wanted->count * DIGIT_BYTES + STATE_BYTES > wanted->n * bytes) /* counters would take more memory than the keys */
        return false;
    return (yops_by_threads(traits) || traits->max_block_threads >= THREADS) && traits->max_shared_bytes >= SHARED_BYTES;
}

/* A thread's rounds: for each chunk its items, twice, with a comparison for each slot; and what does not depend on the slice. */
static uint64_t get_chunks(const selection *p, const yops_traits *traits)
{
    return yops_fit_rounds(traits, (uint64_t)512 * YOPS_MOST_RANKS * 17 / p->threads + 100, p->items * (YOPS_MOST_RANKS + 3) + 2);
}

static void lay_out(selection *p, const yops_traits *traits)
{
    const yops_ranks *w = p->wanted;
    uint64_t units = traits->compute_units > 0 ? traits->compute_units : 1, n = (uint64_t)w->n, rows = (uint64_t)w->rows;
    uint64_t chunk = (uint64_t)p->threads * p->items, fit = get_chunks(p, traits), chunks = (n + chunk - 1) / chunk;
    uint64_t slices = (units * (p->threads == 1 ? CPU_SLICES : BLOCKS) + rows - 1) / rows;
    uint64_t most = p->threads == 1 ? (n + LEAST_CPU_SLICE - 1) / LEAST_CPU_SLICE : chunks;
    slices = slices < most ? slices : most;
    p->slices = (uint32_t)(chunks / fit >= slices ? chunks / fit + 1 : slices);
    p->n = (uint32_t)n;
    p->rows = (uint32_t)rows;
    p->capacity = p->n / LIST_PART;
    p->counts = (rows * STATE_BYTES + 255) / 256 * 256;
    p->list = p->counts + rows * p->ranks.count * DIGIT_BYTES;
    p->size = p->list + rows * p->capacity * p->key_bytes;
}

static yoke_status get_kernels(selection *p)
{
    const char *names[] = { "ranks_count", "ranks_decide", "ranks_collect" };
    yoke_kernel **kernels[] = { &p->count, &p->decide, &p->collect };
    char options[60];
    yoke_status status = YOKE_OK;
    yops_write(options, sizeof options, "KEY=%s THREADS=%u", yops_dtype_token(p->wanted->dtype), (unsigned)p->threads);
    for (size_t i = 0; i < YOPS_COUNT_OF(names) && status == YOKE_OK; i++)
        status = yops_kernel(p->wanted->call, "ranks", options, names[i], kernels[i]);
    return status;
}

static yoke_status launch_pass(const selection *p, uint32_t known, uint32_t attempts)
{
    const yops_ranks *w = p->wanted;
    int64_t list = (int64_t)(p->list / p->key_bytes), counts = (int64_t)(p->counts / 4);
    yoke_status status = yops_launch(w->call, p->count, (uint64_t)p->rows * p->slices, p->threads,
                                     YOKE_ARGS(w->keys.buffer, w->keys.origin, p->temporary, list, p->capacity, p->temporary,
                                               p->temporary, counts, p->ranks.count, p->n, p->slices, known, attempts));
    if (status == YOKE_OK)
        status = yops_launch(w->call, p->decide, p->rows, p->decide_threads,
                             YOKE_ARGS(p->temporary, p->temporary, counts, known, yoke_arg_struct(&p->ranks, sizeof p->ranks),
                                       w->out.buffer, w->out.origin));
    return status;
}

static yoke_status launch_collect(const selection *p, uint32_t known, uint32_t attempt)
{
    const yops_ranks *w = p->wanted;
    return yops_launch(w->call, p->collect, (uint64_t)p->rows * p->slices, p->threads,
                       YOKE_ARGS(w->keys.buffer, w->keys.origin, p->temporary, (int64_t)(p->list / p->key_bytes), p->capacity,
                                 p->temporary, p->n, p->slices, known, attempt));
}

static yoke_status launch_all(const selection *p)
{
    const yops_call *call = p->wanted->call;
    uint32_t attempts = 0;
    yoke_status status = yoke_fill_at(call->where, call->stream, p->temporary, 0, p->list, "\0\0\0\0", 4);
    for (uint32_t known = 0; known < p->key_bytes && status == YOKE_OK; known++) {
        if (known > 0 && known % LIST_AFTER == 0)
            status = launch_collect(p, known, attempts++);
        if (status == YOKE_OK)
            status = launch_pass(p, known, attempts);
    }
    return status;
}

yoke_status yops_select_ranks(const yops_ranks *wanted)
{
    yops_traits traits;
    selection p = { .wanted = wanted, .key_bytes = (uint32_t)yoke_dtype_get_size(wanted->dtype) };
    yoke_status status = yops_get_traits(wanted->call, &traits);
    if (status < 0)
        return status;
    bool alone = yops_sort_forced == YOPS_SORT_BY_DEVICE ? yops_by_threads(&traits) : yops_sort_forced == YOPS_SORT_THREADS;
    p.threads = alone ? 1 : THREADS;
    p.decide_threads = alone ? 1 : 256;
    p.items = alone ? CPU_ITEMS : ITEMS;
    p.ranks.count = (uint32_t)wanted->count;
    for (size_t i = 0; i < wanted->count; i++)
        p.ranks.rank[i] = (uint32_t)wanted->ranks[i];
    lay_out(&p, &traits);
    status = get_kernels(&p);
    if (status == YOKE_OK)
        status = yops_temporary(wanted->call, p.size, &p.temporary);
    if (status == YOKE_OK)
        status = launch_all(&p);
    yoke_buffer_release(p.temporary);
    return status;
}
