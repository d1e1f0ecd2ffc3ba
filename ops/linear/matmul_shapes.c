/* SPDX-License-Identifier: Apache-2.0 */
/* How a product is cut: k into slices, by the shape alone; c into tiles, as suits the device. */
#include "matmul.h"

/* Of the shared memory of a block NVIDIA's OpenCL keeps some bytes; more than is left kills the queue. */
enum { KEPT_BYTES = 16 };

const yops_matmul_tile yops_matmul_tiles[] = {
#define X(name, rows, columns, depth, thread_rows, thread_columns, most_bytes, speed) \
    { #name, YOPS_BY_BLOCKS, rows, columns, depth, thread_rows, thread_columns, 2, most_bytes, speed },
#define CPU(name, rows, columns, most_bytes) { #name, YOPS_BY_THREADS, rows, columns, 0, 0, 0, 0, most_bytes, 0 },
#define TENSOR(name, rows, columns, warp_rows, warp_columns, depth, stages, speed) \
    { #name, YOPS_BY_TENSORS, rows, columns, depth, warp_rows, warp_columns, stages, 4, speed },
#include "matmul_shapes.def"
#undef TENSOR
#undef CPU
#undef X
};
const size_t yops_matmul_tile_count = YOPS_COUNT_OF(yops_matmul_tiles);

yops_matmul_forced yops_matmul_force;

/* The product of sizes, or the largest number where it is larger. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool yops_matmul_by_threads(const yops_traits *traits)
{
    return yops_by_threads(traits) && !yops_matmul_force.by_blocks;
}

/* <yoke/matmul.h> describes this: what changes here, changes results. */
void yops_matmul_cut(yops_matmul_shape *shape)
{
    uint64_t m = (uint64_t)shape->m, n = (uint64_t)shape->n, k = (uint64_t)shape->k, batches = (uint64_t)shape->batches;
    uint64_t slices = 1, unit = 32;
    if (m == 1 || n == 1) {
        uint64_t elements = multiply(multiply(m, n), batches);
        unit = 128;
        if (elements < 4096 && k > 4096)
            slices = least(yops_divide_up(k, 2048), yops_divide_up(8192, elements));
    } else if (k >= 512) {
        uint64_t tiles = multiply(multiply(yops_divide_up(m, 64), yops_divide_up(n, 64)), batches);
        slices = least(k / 256, (m <= 32 || n <= 32 ? 1024 : 160) / tiles);
    }
    slices = slices > 0 ? slices : 1;
    uint64_t slice = yops_divide_up(yops_divide_up(k, slices), unit) * unit;
    shape->slice = slices > 1 ? (int64_t)slice : shape->k;
    shape->slices = k > 0 ? (int64_t)yops_divide_up(k, (uint64_t)shape->slice) : 0;
}

uint32_t yops_matmul_threads(const yops_matmul_tile *t)
{
    if (t->way == YOPS_BY_THREADS)
        return 1;
    return (uint32_t)(t->rows / t->part_rows * (t->columns / t->part_columns)) * (t->way == YOPS_BY_TENSORS ? 32 : 1);
}

size_t yops_matmul_shared_bytes(const yops_matmul_tile *t, size_t sum_bytes)
{
    size_t each = t->way == YOPS_BY_TENSORS ? (size_t)(t->rows + t->columns) : (size_t)(t->rows + t->columns + 8) * sum_bytes;
    return (size_t)t->stages * (size_t)t->depth * each;
}

bool yops_matmul_suits(const yops_matmul_tile *t, const yops_traits *traits, yops_matmul_way way, size_t sum_bytes)
{
    if (t->way != way || sum_bytes > (size_t)t->most_bytes)
        return false;
    size_t kept = traits->limits_registers ? KEPT_BYTES : 0;
    return way == YOPS_BY_THREADS || (yops_matmul_shared_bytes(t, sum_bytes) + kept <= traits->max_shared_bytes &&
                                      yops_matmul_threads(t) <= traits->max_block_threads);
}

static uint64_t count_tiles(const yops_matmul_tile *t, const yops_matmul_shape *shape)
{
    uint64_t tiles =
        multiply(yops_divide_up((uint64_t)shape->m, (uint64_t)t->rows), yops_divide_up((uint64_t)shape->n, (uint64_t)t->columns));
    return multiply(tiles, (uint64_t)shape->batches);
}

/* On a CPU the largest tile of which each core has some. Else the tile whose last block ends first, when each multiprocessor takes
 * as many as any other. */
const yops_matmul_tile *yops_matmul_choose(const yops_traits *traits, yops_matmul_way way, const yops_matmul_shape *shape,
                                           size_t sum_bytes)
{
    const yops_matmul_tile *best = NULL;
    double best_time = 0;
    uint64_t units = traits->compute_units > 0 ? traits->compute_units : 1;
    for (size_t i = 0; i < yops_matmul_tile_count; i++) {
        const yops_matmul_tile *t = &yops_matmul_tiles[i];
        if (!yops_matmul_suits(t, traits, way, sum_bytes))
            continue;
        uint64_t blocks = count_tiles(t, shape);
        if (way == YOPS_BY_THREADS) {
            best = t;
            if (blocks >= 8 * units)
                break;
            continue;
        }
        blocks = multiply(blocks, (uint64_t)shape->slices);
        double time = (double)yops_divide_up(blocks, units) * t->rows * t->columns / t->speed;
        if (!best || time < best_time) {
            best = t;
            best_time = time;
        }
    }
    return best;
}
