/* SPDX-License-Identifier: Apache-2.0 */
/* The first k of long rows: a limit is found by counting, what is up to it is collected, and sorted. */
#include <stdio.h>

#include "sort.h"

enum {
    THREADS = 512,        /* of top.yk, */
    SHARED_BYTES = 32768, /* and what its blocks need */
    LEAST_PART = 8,       /* elements of a row for each that is wanted */
    ITEMS = 8,
    BLOCKS = 8, /* for each multiprocessor */
    STATE_BYTES = 40,
    LIST_AFTER = 2, /* passes over all elements before there may be a list */
    LIST_PART = 64  /* the list has room for n / LIST_PART elements */
};

/* All that the launches need. Offsets are in bytes of the one temporary buffer. */
typedef struct top {
    const yops_sort *sort;
    yoke_kernel *count, *decide, *collect, *list;
    yoke_buffer *temporary;
    uint32_t key_bytes, index_bytes, slices, n, k, rows, capacity;
    uint64_t counts, list_keys, list_indices, keys, indices, size; /* the states are at 0 */
} top;

bool yops_top_suits(const yops_sort *sort, const yops_traits *traits)
{
    return sort->most <= sort->n / LEAST_PART && sort->n <= UINT32_MAX && traits->max_block_threads >= THREADS &&
           traits->max_shared_bytes >= SHARED_BYTES;
}

static uint64_t take(top *p, uint64_t size)
{
    uint64_t at = p->size;
    p->size += (size + 255) / 256 * 256;
    return at;
}

static void lay_out(top *p, const yops_traits *traits)
{
    const yops_sort *s = p->sort;
    uint64_t units = traits->compute_units > 0 ? traits->compute_units : 1, most = (uint64_t)s->n / THREADS / ITEMS + 1;
    uint64_t slices = (units * BLOCKS + (uint64_t)s->rows - 1) / (uint64_t)s->rows;
    p->slices = (uint32_t)(slices < most ? slices : most);
    p->capacity = p->n / LIST_PART > p->k ? p->n / LIST_PART : p->k;
    take(p, (uint64_t)p->rows * STATE_BYTES);
    p->counts = take(p, (uint64_t)p->rows * 1024);
    p->list_keys = take(p, (uint64_t)p->rows * p->capacity * p->key_bytes);
    p->list_indices = take(p, (uint64_t)p->rows * p->capacity * p->index_bytes);
    p->keys = take(p, (uint64_t)p->rows * p->k * p->key_bytes);
    p->indices = take(p, (uint64_t)p->rows * p->k * p->index_bytes);
}

static yoke_status get_kernels(top *p)
{
    const char *names[] = { "top_count", "top_decide", "top_collect", "top_list" };
    yoke_kernel **kernels[] = { &p->count, &p->decide, &p->collect, &p->list };
    char options[60];
    yoke_status status = YOKE_OK;
    yops_write(options, sizeof options, "KEY=%s VALUE_BYTES=%u", yops_dtype_token(p->sort->dtype), (unsigned)p->index_bytes);
    for (size_t i = 0; i < YOPS_COUNT_OF(names) && status == YOKE_OK; i++)
        status = yops_kernel(p->sort->call, "top", options, names[i], kernels[i]);
    return status;
}

static yoke_status launch_pass(const top *p, uint32_t pass, uint32_t most_index)
{
    const yops_sort *s = p->sort;
    int64_t list_keys = (int64_t)(p->list_keys / p->key_bytes), list_indices = (int64_t)(p->list_indices / p->index_bytes);
    int64_t counts = (int64_t)(p->counts / 4);
    yoke_status status =
        yops_launch(s->call, p->count, (uint64_t)p->rows * p->slices, THREADS,
                    YOKE_ARGS(s->keys_in.buffer, s->keys_in.origin, p->temporary, list_keys, p->temporary, list_indices,
                              p->capacity, p->temporary, p->temporary, counts, p->n, p->slices, pass, s->flip));
    if (status == YOKE_OK)
        status =
            yops_launch(s->call, p->decide, p->rows, 256, YOKE_ARGS(p->temporary, p->temporary, counts, p->k, pass, most_index));
    return status;
}

static yoke_status launch_collect(const top *p, bool last)
{
    const yops_sort *s = p->sort;
    int64_t list_keys = (int64_t)(p->list_keys / p->key_bytes), list_indices = (int64_t)(p->list_indices / p->index_bytes);
    int64_t keys = last ? (int64_t)(p->keys / p->key_bytes) : list_keys;
    int64_t indices = last ? (int64_t)(p->indices / p->index_bytes) : list_indices;
    yoke_status status = yops_launch(s->call, p->collect, (uint64_t)p->rows * p->slices, THREADS,
                                     YOKE_ARGS(s->keys_in.buffer, s->keys_in.origin, p->temporary, list_keys, p->temporary,
                                               list_indices, p->capacity, p->temporary, p->temporary, keys, p->temporary, indices,
                                               last ? p->k : p->capacity, p->n, p->slices, s->flip, (uint32_t)last));
    if (status == YOKE_OK && !last)
        status = yops_launch(s->call, p->list, ((uint64_t)p->rows + 255) / 256, 256, YOKE_ARGS(p->temporary, p->rows));
    return status;
}

/* By index, then, stable, by key. */
static yoke_status sort_found(const top *p)
{
    const yops_sort *s = p->sort;
    yops_span keys = { p->temporary, (int64_t)(p->keys / p->key_bytes) };
    yops_span indices = { p->temporary, (int64_t)(p->indices / p->index_bytes) };
    yops_sort by_index = { .call = s->call,
                           .dtype = p->index_bytes == 8 ? YOKE_U64 : YOKE_U32,
                           .value_bytes = p->key_bytes,
                           .rows = s->rows,
                           .n = s->most,
                           .most = s->most,
                           .keys_in = indices,
                           .keys_out = indices,
                           .values_in = keys,
                           .values_out = keys,
                           .in_place = true };
    yops_sort by_key = { .call = s->call,
                         .dtype = s->dtype,
                         .value_bytes = s->value_bytes,
                         .rows = s->rows,
                         .n = s->most,
                         .most = s->most,
                         .flip = s->flip,
                         .keys_in = keys,
                         .keys_out = s->keys_out,
                         .values_in = s->value_bytes ? indices : (yops_span){ NULL, 0 },
                         .values_out = s->values_out };
    yoke_status status = yops_sort_rows(&by_index);
    return status < 0 ? status : yops_sort_rows(&by_key);
}

static yoke_status launch_all(const top *p)
{
    const yops_sort *s = p->sort;
    uint32_t last = p->n - 1, done = 0, skipped = 0;
    while (skipped < 3 && last >> (24 - 8 * skipped) == 0)
        skipped++;
    yoke_status status = yoke_fill_at(s->call->where, s->call->stream, p->temporary, 0, p->list_keys, "\0\0\0\0", 4);
    for (uint32_t pass = 0; pass < p->key_bytes + 4 && status == YOKE_OK; pass++) {
        if (pass >= p->key_bytes && pass < p->key_bytes + skipped)
            continue; /* these bytes of indices are 0 */
        status = launch_pass(p, pass, UINT32_MAX >> 8 * skipped);
        if (++done == LIST_AFTER && status == YOKE_OK)
            status = launch_collect(p, false);
    }
    if (status == YOKE_OK)
        status = launch_collect(p, true);
    return status < 0 ? status : sort_found(p);
}

yoke_status yops_sort_top(const yops_sort *sort, const yops_traits *traits)
{
    top p = { .sort = sort,
              .key_bytes = (uint32_t)yoke_dtype_get_size(sort->dtype),
              .index_bytes = sort->value_bytes ? sort->value_bytes : 4,
              .n = (uint32_t)sort->n,
              .k = (uint32_t)sort->most,
              .rows = (uint32_t)sort->rows };
    lay_out(&p, traits);
    yoke_status status = get_kernels(&p);
    if (status == YOKE_OK)
        status = yops_temporary(sort->call, p.size, &p.temporary);
    if (status == YOKE_OK)
        status = launch_all(&p);
    yoke_buffer_release(p.temporary);
    return status;
}
