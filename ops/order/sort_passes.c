/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting long rows: one pass for each byte of the keys, between the outputs and temporary memory. */
#include <stdio.h>

#include "sort.h"

enum {
    LOOKBACK_THREADS = 384, /* of sort.yk, with LOOKBACK and without */
    BLOCK_THREADS = 256,
    HISTOGRAM_THREADS = 512,
    HISTOGRAM_BLOCKS = 8,   /* for each multiprocessor: as many as are resident, twice */
    LEAST_SLICE = 16384,    /* elements for a block of the histogram */
    LEAST_CPU_TILE = 16384, /* elements for a thread, */
    CPU_TILES = 4,          /* and tiles for each core */
    TICKETS = 16            /* words: one for each pass */
};
#define WIDE_FROM ((int64_t)1 << 30) /* elements of a row whose places do not fit into a word with its flag */

/* All that the launches need. Offsets are in bytes of the one temporary buffer. */
typedef struct passes {
    const yops_sort *sort;
    yops_sort_way way;
    yoke_kernel *first, *scan, *pass, *move_key, *move_value;
    yoke_buffer *temporary;
    uint32_t count, key_bytes, threads, wide, tiles, slices;
    int64_t tile_size, slice_size;
    uint64_t keys[2], values[2], counts, table, size; /* keys[1], values[1] only where the outputs cannot be used */
    bool own_keys, own_values;                        /* these are */
    bool scans_by_block;                              /* places are found by a block for each row, instead of a thread */
} passes;

/* ---- Sizes ---- */

static uint32_t tile_items(const passes *p)
{
    uint32_t value = p->sort->value_bytes;
    if (p->way == YOPS_SORT_BLOCKS)
        return value > 8 ? 4 : 8;
    if (value > 8 || (p->key_bytes > 4 && value > 0))
        return value > 8 ? 5 : 8;
    return p->key_bytes > 4 || value > 4 ? 10 : p->key_bytes == 1 || value > 0 ? 16 : 20;
}

static uint64_t take(passes *p, uint64_t size)
{
    uint64_t at = p->size;
    p->size += (size + 255) / 256 * 256;
    return at;
}

static yoke_status choose_tiles(passes *p, const yops_traits *traits)
{
    const yops_sort *s = p->sort;
    int64_t units = traits->compute_units > 0 ? traits->compute_units : 1, slices, tiles;
    p->wide = s->n >= WIDE_FROM;
    p->threads = p->way == YOPS_SORT_THREADS ? 1 : p->way == YOPS_SORT_BLOCKS ? BLOCK_THREADS : LOOKBACK_THREADS;
    p->tile_size = (int64_t)p->threads * tile_items(p);
    if (p->way == YOPS_SORT_THREADS) {
        p->tile_size = (s->n * s->rows + units * CPU_TILES - 1) / (units * CPU_TILES);
        p->tile_size = p->tile_size < LEAST_CPU_TILE ? LEAST_CPU_TILE : p->tile_size;
        uint64_t most = yops_fit_rounds(traits, 2 * 256 + 16, 1); /* of sort_pass and tile_count of sort_cpu.yk */
        p->tile_size = (uint64_t)p->tile_size > most ? (int64_t)most : p->tile_size;
    }
    tiles = (s->n + p->tile_size - 1) / p->tile_size;
    if (tiles > INT32_MAX / s->rows)
        return yops_fail(s->call, YOKE_E_RANGE, "%lld rows of %lld keys are more than a grid holds", (long long)s->rows,
                         (long long)s->n);
    p->tiles = (uint32_t)tiles;
    p->scans_by_block = p->way == YOPS_SORT_BLOCKS || (p->way == YOPS_SORT_THREADS && yops_counts_rounds(traits));
    if (p->scans_by_block) {
        yoke_status status =
            yops_check_rounds(s->call, traits, 2 * (uint64_t)tiles + 32, "a sort of rows of %lld keys", (long long)s->n);
        if (status < 0)
            return status;
    }
    slices = (units * HISTOGRAM_BLOCKS + s->rows - 1) / s->rows;
    slices = slices < s->n / LEAST_SLICE ? slices : s->n / LEAST_SLICE;
    p->slices = slices > 0 ? (uint32_t)slices : 1;
    p->slice_size = (s->n + p->slices - 1) / p->slices;
    return YOKE_OK;
}

/* The first part, up to p->keys[0], begins as zeros where blocks look back. */
static void lay_out(passes *p)
{
    const yops_sort *s = p->sort;
    uint64_t total = (uint64_t)(s->rows * s->n), word = p->wide ? 8 : 4;
    take(p, (uint64_t)TICKETS * 4);
    p->counts = p->way == YOPS_SORT_LOOKBACK ? take(p, (uint64_t)s->rows * p->count * 1024 * (1 + p->wide)) : 0;
    p->table = take(p, (uint64_t)s->rows * p->tiles * 256 * word);
    p->own_keys = s->keys_out.buffer && s->most == s->n;
    p->own_values = s->value_bytes && s->most == s->n;
    p->keys[0] = take(p, total * p->key_bytes);
    p->keys[1] = p->own_keys || (p->count < 3 && !s->keys_out.buffer) ? p->keys[0] : take(p, total * p->key_bytes);
    p->values[0] = take(p, total * s->value_bytes);
    p->values[1] = p->own_values || !s->value_bytes ? p->values[0] : take(p, total * s->value_bytes);
}

static yoke_status get_kernels(passes *p)
{
    const yops_sort *s = p->sort;
    const char *text = p->way == YOPS_SORT_THREADS ? "sort_cpu" : "sort";
    const char *only = p->way == YOPS_SORT_THREADS ? " ONLY=1 ONLY_passes=1" : "";
    char extra[100];
    bool lookback = p->way == YOPS_SORT_LOOKBACK;
    yops_write(extra, sizeof extra, "LOOKBACK=%d WIDE=%u%s", lookback, (unsigned)p->wide, only);
    yoke_status status = yops_sort_kernel(s, text, extra, lookback ? "sort_histogram" : "tile_count", &p->first);
    if (status == YOKE_OK && p->way == YOPS_SORT_THREADS) { /* it knows nothing of keys and values: one for all */
        yops_write(extra, sizeof extra, "KEY=u8 VALUE_BYTES=0 INDEX=0 WIDE=%u%s", (unsigned)p->wide,
                   p->scans_by_block ? " LOOKBACK=0" : " ONLY=1 ONLY_tile_scan=1");
        status = yops_kernel(s->call, p->scans_by_block ? "sort" : text, extra, "tile_scan", &p->scan);
        yops_write(extra, sizeof extra, "LOOKBACK=%d WIDE=%u%s", lookback, (unsigned)p->wide, only);
    } else if (status == YOKE_OK && !lookback)
        status = yops_sort_kernel(s, text, extra, "tile_scan", &p->scan);
    if (status == YOKE_OK)
        status = yops_sort_kernel(s, text, extra, "sort_pass", &p->pass);
    if (status == YOKE_OK && s->most < s->n && s->keys_out.buffer)
        status = yops_move_kernel(s->call, p->key_bytes, &p->move_key);
    if (status == YOKE_OK && s->most < s->n && s->value_bytes)
        status = yops_move_kernel(s->call, s->value_bytes, &p->move_value);
    return status;
}

/* ---- Launches ---- */

/* Where a pass writes: the last one to the output, those before it in turns. */
static yops_span keys_after(const passes *p, uint32_t pass)
{
    bool last = (p->count - 1 - pass) % 2 == 0;
    if (last && p->own_keys)
        return p->sort->keys_out;
    return (yops_span){ p->temporary, (int64_t)(p->keys[last] / p->key_bytes) };
}

static yops_span values_after(const passes *p, uint32_t pass)
{
    bool last = (p->count - 1 - pass) % 2 == 0;
    uint32_t bytes = p->sort->value_bytes;
    if (last && p->own_values)
        return p->sort->values_out;
    return (yops_span){ p->temporary, bytes ? (int64_t)(p->values[last] / bytes) : 0 };
}

/* An odd number of passes does not end where it began: the first then reads a copy. */
static yoke_status get_start(const passes *p, yops_span *out_keys, yops_span *out_values)
{
    const yops_sort *s = p->sort;
    uint64_t total = (uint64_t)(s->rows * s->n);
    *out_keys = s->keys_in;
    *out_values = s->values_in.buffer ? s->values_in : (yops_span){ p->temporary, 0 };
    if (!s->in_place || p->count % 2 == 0)
        return YOKE_OK;
    yoke_status status = yoke_copy_at(s->call->where, s->call->stream, p->temporary, p->keys[0], s->keys_in.buffer,
                                      (size_t)s->keys_in.origin * p->key_bytes, total * p->key_bytes);
    if (status == YOKE_OK && s->value_bytes)
        status = yoke_copy_at(s->call->where, s->call->stream, p->temporary, p->values[0], s->values_in.buffer,
                              (size_t)s->values_in.origin * s->value_bytes, total * s->value_bytes);
    *out_keys = (yops_span){ p->temporary, (int64_t)(p->keys[0] / p->key_bytes) };
    if (s->value_bytes)
        *out_values = (yops_span){ p->temporary, (int64_t)(p->values[0] / s->value_bytes) };
    return status;
}

/* Count the digits of all passes, once. */
static yoke_status launch_histogram(const passes *p)
{
    const yops_sort *s = p->sort;
    yoke_status status = yoke_fill_at(s->call->where, s->call->stream, p->temporary, 0, p->keys[0], "\0\0\0\0", 4);
    if (status == YOKE_OK)
        status = yops_launch(s->call, p->first, (uint64_t)s->rows * p->slices, HISTOGRAM_THREADS,
                             YOKE_ARGS(s->keys_in.buffer, s->keys_in.origin, p->temporary, (int64_t)(p->counts / 4), s->n,
                                       p->slices, p->slice_size, s->flip));
    return status;
}

static yoke_status launch_pass(const passes *p, uint32_t pass, yops_span keys, yops_span values)
{
    const yops_sort *s = p->sort;
    yops_span keys_out = keys_after(p, pass), values_out = values_after(p, pass);
    bool keep = pass + 1 < p->count || s->keys_out.buffer;
    return yops_launch(s->call, p->pass, (uint64_t)s->rows * p->tiles, p->threads,
                       YOKE_ARGS(keys.buffer, keys.origin, keys_out.buffer, keys_out.origin, values.buffer, values.origin,
                                 values_out.buffer, values_out.origin, p->temporary, (int64_t)(p->table / (p->wide ? 8 : 4)),
                                 p->temporary, (int64_t)pass, (int64_t)(p->counts / 4), s->n, p->tiles, pass, s->flip,
                                 (uint32_t)(s->index && pass == 0), (uint32_t)keep));
}

/* Count, scan, move. */
static yoke_status launch_pass_by_tables(const passes *p, uint32_t pass, yops_span keys, yops_span values)
{
    const yops_sort *s = p->sort;
    yops_span keys_out = keys_after(p, pass), values_out = values_after(p, pass);
    uint32_t keep = pass + 1 < p->count || s->keys_out.buffer, shift = 8 * pass, index = s->index && pass == 0;
    uint64_t blocks = (uint64_t)s->rows * p->tiles;
    int64_t table = (int64_t)(p->table / (p->wide ? 8 : 4));
    bool threads = p->way == YOPS_SORT_THREADS;
    yoke_status status;
    if (threads)
        status =
            yops_launch(s->call, p->first, blocks, 1,
                        YOKE_ARGS(keys.buffer, keys.origin, p->temporary, table, s->n, p->tiles, p->tile_size, shift, s->flip));
    else
        status = yops_launch(s->call, p->first, blocks, p->threads,
                             YOKE_ARGS(keys.buffer, keys.origin, p->temporary, table, s->n, p->tiles, shift, s->flip));
    if (status == YOKE_OK)
        status =
            yops_launch(s->call, p->scan, (uint64_t)s->rows, p->scans_by_block ? 256 : 1, YOKE_ARGS(p->temporary, table, p->tiles));
    if (status < 0 || !threads)
        return status < 0 ? status : launch_pass(p, pass, keys, values);
    return yops_launch(s->call, p->pass, blocks, 1,
                       YOKE_ARGS(keys.buffer, keys.origin, keys_out.buffer, keys_out.origin, values.buffer, values.origin,
                                 values_out.buffer, values_out.origin, p->temporary, table, s->n, p->tiles, p->tile_size, shift,
                                 s->flip, index, keep));
}

static yoke_status launch_all(const passes *p)
{
    const yops_sort *s = p->sort;
    bool lookback = p->way == YOPS_SORT_LOOKBACK;
    yops_span keys, values;
    yoke_status status = get_start(p, &keys, &values);
    if (status == YOKE_OK && lookback)
        status = launch_histogram(p);
    for (uint32_t pass = 0; pass < p->count && status == YOKE_OK; pass++) {
        status = lookback ? launch_pass(p, pass, keys, values) : launch_pass_by_tables(p, pass, keys, values);
        keys = keys_after(p, pass);
        values = values_after(p, pass);
    }
    if (status == YOKE_OK && p->move_key)
        status = yops_move_front(s->call, p->move_key, s->keys_out, keys, s->rows, s->most, s->n);
    if (status == YOKE_OK && p->move_value)
        status = yops_move_front(s->call, p->move_value, s->values_out, values, s->rows, s->most, s->n);
    return status;
}

yoke_status yops_sort_long(const yops_sort *sort, const yops_traits *traits, yops_sort_way way)
{
    uint32_t size = (uint32_t)yoke_dtype_get_size(sort->dtype);
    passes p = { .sort = sort, .way = way, .count = size, .key_bytes = size };
    yoke_status status = choose_tiles(&p, traits);
    if (status < 0)
        return status;
    lay_out(&p);
    status = get_kernels(&p);
    if (status == YOKE_OK)
        status = yops_temporary(sort->call, p.size, &p.temporary);
    if (status == YOKE_OK)
        status = launch_all(&p);
    yoke_buffer_release(p.temporary);
    return status;
}
