/* SPDX-License-Identifier: Apache-2.0 */
/* Stable grouping by key: the passes of group.yk. */
#include <string.h>

#include "group.h"

enum { RUN = 256, DIGITS = 256, DIGIT_BITS = 8, THREADS = 64 };

yoke_status yops_group_create(const yops_call *call, const yops_traits *traits, uint32_t most, uint32_t last, yops_group *out_group)
{
    yops_group *g = out_group;
    struct {
        const char *name;
        yoke_kernel **kernel;
    } kernels[] = {
        { "count_digits", &g->count }, { "sum_counts", &g->sum }, { "place_counts", &g->place }, { "move_keys", &g->move }
    };
    yoke_buffer **rows[] = { &g->keys, &g->positions, &g->other_keys, &g->other_positions };
    yoke_status status = YOKE_OK;
    memset(g, 0, sizeof *g);
    /* On a GPU as many tiles as there are threads to hide the memory's latency; a CPU has a few for each core. */
    uint64_t tiles = traits->is_cpu ? 8u * (uint64_t)traits->compute_units : 65536;
    uint64_t tile = yops_divide_up(most, tiles);
    uint64_t most_of_a_thread = yops_fit_rounds(traits, DIGITS + 16, 1);
    tile = tile < most_of_a_thread ? tile : most_of_a_thread;
    g->tile = (uint32_t)(tile < 256 ? 256 : tile);
    for (g->passes = 1; g->passes < 4 && last >> (g->passes * DIGIT_BITS); g->passes++) {
    }
    for (size_t i = 0; i < YOPS_COUNT_OF(kernels) && status == YOKE_OK; i++)
        status = yops_kernel(call, "group", "", kernels[i].name, kernels[i].kernel);
    for (size_t i = 0; i < YOPS_COUNT_OF(rows) && status == YOKE_OK; i++)
        status = yops_temporary(call, (uint64_t)most * sizeof(uint32_t), rows[i]);
    uint64_t count = DIGITS * yops_divide_up(most, g->tile);
    for (size_t i = 0; i < YOPS_GROUP_LEVELS && status == YOKE_OK; i++, count = yops_divide_up(count, RUN)) {
        status = yops_temporary(call, count * sizeof(uint32_t), &g->counts[i]);
        if (count <= RUN)
            break;
    }
    return status;
}

void yops_group_release(yops_group *g)
{
    for (size_t i = YOPS_GROUP_LEVELS; i > 0; i--)
        yoke_buffer_release(g->counts[i - 1]);
    yoke_buffer_release(g->other_positions);
    yoke_buffer_release(g->other_keys);
    yoke_buffer_release(g->positions);
    yoke_buffer_release(g->keys);
}

static yoke_status launch(const yops_call *call, yoke_kernel *kernel, uint64_t n, const yoke_arg *args, size_t count)
{
    return yops_launch(call, kernel, yops_divide_up(n, THREADS), THREADS, args, count);
}

/* Each of the n counts becomes the sum of those before it. */
static yoke_status scan_counts(const yops_call *call, const yops_group *g, uint64_t n)
{
    uint64_t sizes[YOPS_GROUP_LEVELS] = { n };
    size_t level = 0;
    yoke_status status = YOKE_OK;
    for (; sizes[level] > RUN && status == YOKE_OK; level++) {
        sizes[level + 1] = yops_divide_up(sizes[level], RUN);
        status = launch(call, g->sum, sizes[level + 1], YOKE_ARGS(g->counts[level], sizes[level], g->counts[level + 1]));
    }
    for (size_t top = level; status == YOKE_OK; level--) {
        yoke_buffer *bases = level < top ? g->counts[level + 1] : g->counts[level];
        status = launch(call, g->place, yops_divide_up(sizes[level], RUN),
                        YOKE_ARGS(g->counts[level], sizes[level], (uint32_t)(level < top), bases));
        if (level == 0)
            break;
    }
    return status;
}

static void swap(yoke_buffer **a, yoke_buffer **b)
{
    yoke_buffer *kept = *a;
    *a = *b;
    *b = kept;
}

yoke_status yops_group_sort(const yops_call *call, yops_group *g, uint32_t n)
{
    uint32_t tiles = (uint32_t)yops_divide_up(n, g->tile);
    yoke_status status = YOKE_OK;
    for (uint32_t pass = 0; pass < g->passes && status == YOKE_OK; pass++) {
        uint32_t shift = pass * DIGIT_BITS;
        status = launch(call, g->count, tiles, YOKE_ARGS(g->keys, n, g->tile, tiles, shift, g->counts[0]));
        if (status == YOKE_OK)
            status = scan_counts(call, g, (uint64_t)DIGITS * tiles);
        if (status == YOKE_OK)
            status =
                launch(call, g->move, tiles,
                       YOKE_ARGS(g->keys, g->positions, n, g->tile, tiles, shift, g->counts[0], g->other_keys, g->other_positions));
        swap(&g->keys, &g->other_keys);
        swap(&g->positions, &g->other_positions);
    }
    return status;
}
