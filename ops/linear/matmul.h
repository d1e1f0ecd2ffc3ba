/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices: what the checks of a call find, and what its kernels are launched with. */
#ifndef YOPS_MATMUL_HOST_H
#define YOPS_MATMUL_HOST_H

#include "map/evaluation.h"
#include "gemm.h"

enum { YOPS_MOST_BATCHES = YOKE_MAX_DIMENSIONS - 2 };

/* As in matmul.yh. */
typedef struct yops_matmul_shape {
    int64_t m, n, k;
    int64_t slice, slices;
    int64_t batches;
    int64_t a_origin, b_origin, c_origin;
    int64_t a_row, a_column, b_row, b_column, c_row, c_column;
    int64_t position_row, position_column;
    int64_t extents[YOPS_MOST_BATCHES], a_batch[YOPS_MOST_BATCHES], b_batch[YOPS_MOST_BATCHES], c_batch[YOPS_MOST_BATCHES];
} yops_matmul_shape;

/* Who computes a tile: all with one order of the sums, but for tensor cores, which have their own. */
typedef enum yops_matmul_way {
    YOPS_BY_BLOCKS,  /* a block of threads */
    YOPS_BY_THREADS, /* one thread, on CPUs */
    YOPS_BY_TENSORS  /* a block by tensor cores */
} yops_matmul_way;

/* A tile of the table: a block computes rows x columns elements, from `depth` elements along k at a time (with tensor cores:
 * bytes), and a thread (a warp) part_rows x part_columns of them. Of CPUs' tiles what follows `columns`, but most_bytes, is 0. */
typedef struct yops_matmul_tile {
    const char *name;
    yops_matmul_way way;
    int32_t rows, columns, depth, part_rows, part_columns, stages, most_bytes, speed;
} yops_matmul_tile;

typedef struct yops_matmul {
    yops_call call;
    yoke_array a, b, c;
    yops_place a_place, b_place, c_place;
    int32_t sum, result, scalar; /* dtypes, as in matmul.yh */
    bool scales_by_complex;      /* alpha and beta are complex */
    bool is_swapped;             /* a and b have changed places */
    yoke_number alpha, beta;     /* of the dtype `scalar` */
    yops_parts alpha_parts, beta_parts;
    bool has_c;                /* beta is not 0 */
    bool is_outer;             /* one product for each element of c, with the sign of its zero */
    uint32_t flags;            /* YOKE_MATMUL_ */
    yops_evaluation *epilogue; /* NULL: none */
    yops_matmul_shape shape;
    const yops_matmul_tile *tile; /* that the tuner orders, and no library; NULL: the chosen one */
} yops_matmul;

/* ---- matmul_shapes.c ---- */

extern const yops_matmul_tile yops_matmul_tiles[];
extern const size_t yops_matmul_tile_count;

/* Whether the kernels of CPUs are taken, one thread for each tile; not where long loops are ended. */
bool yops_matmul_by_threads(const yops_traits *traits);

/* How a tile is computed without tensor cores. */
static inline yops_matmul_way yops_matmul_usual_way(const yops_traits *traits)
{
    return yops_matmul_by_threads(traits) ? YOPS_BY_THREADS : YOPS_BY_BLOCKS;
}

/* Cut k into slices, by the shape alone: fills shape->slice and shape->slices. */
void yops_matmul_cut(yops_matmul_shape *shape);

/* Whether a device can take the tile this way, for sums of so many bytes. */
bool yops_matmul_suits(const yops_matmul_tile *t, const yops_traits *traits, yops_matmul_way way, size_t sum_bytes);

/* The shared memory of a block that computes a tile, for sums of so many bytes. */
size_t yops_matmul_shared_bytes(const yops_matmul_tile *t, size_t sum_bytes);

/* The threads of a block that computes a tile. */
uint32_t yops_matmul_threads(const yops_matmul_tile *t);

/* The tile for a product on a device that is not tuned; NULL: none suits. */
const yops_matmul_tile *yops_matmul_choose(const yops_traits *traits, yops_matmul_way way, const yops_matmul_shape *shape,
                                           size_t sum_bytes);

/* For tests: the tile that is taken (NULL: the chosen one), and the kernels of GPUs on CPUs too. */
typedef struct yops_matmul_forced {
    const yops_matmul_tile *tile;
    bool by_blocks;
} yops_matmul_forced;
extern yops_matmul_forced yops_matmul_force;

/* ---- matmul_tuned.c ---- */

/* What is tuned apart: dtypes, and halves by tensor cores; all else is not tuned. */
enum { YOPS_TUNED_F32, YOPS_TUNED_F64, YOPS_TUNED_HALF, YOPS_TUNED_C64, YOPS_TUNED_C128, YOPS_TUNED_TENSORS, YOPS_TUNED_DTYPES };

typedef struct yops_matmul_size {
    int32_t m, n, k;
} yops_matmul_size;
enum { YOPS_TUNED_SIZES = 11 };
extern const yops_matmul_size yops_matmul_sizes[YOPS_TUNED_SIZES];

/* What has been measured on a device, and what the file has of it: for each size 0, or 1 + the index of the fastest tile. */
typedef struct yops_matmul_tuned {
    uint8_t tiles[YOPS_TUNED_DTYPES][YOPS_TUNED_SIZES];
} yops_matmul_tuned;
enum { YOPS_TUNED_BYTES = 8 + sizeof(yops_matmul_tuned) };

/* The file's bytes, and back. False, and *out_tuned is empty: they are none, of this table. */
void yops_matmul_tuned_write(const yops_matmul_tuned *tuned, unsigned char bytes[YOPS_TUNED_BYTES]);
bool yops_matmul_tuned_read(const unsigned char *bytes, size_t size, yops_matmul_tuned *out_tuned);

/* The tile that was measured to be the fastest near this shape; NULL: none was. `dtype` is YOPS_TUNED_. */
const yops_matmul_tile *yops_matmul_tuned_find(const yops_matmul_tuned *tuned, int dtype, const yops_matmul_shape *shape);

/* The YOPS_TUNED_ of a product of a and b with such sums, this way; -1: it is not tuned. */
int yops_matmul_tuned_dtype(yops_matmul_way way, int32_t a, int32_t b, int32_t sum);

/* What is known of a call's device, valid as long as the device; its file is read once. */
yoke_status yops_matmul_tuned_get(const yops_call *call, const yops_matmul_tuned **out_tuned);

/* Keep it in the file, and for the calls that follow. */
yoke_status yops_matmul_tuned_set(const yops_call *call, const yops_matmul_tuned *tuned);

/* ---- matmul.c ---- */

/* yoke_matmul with this tile, and no library of a vendor. */
yoke_status yops_matmul_by_tile(const yops_matmul_tile *tile, yoke_stream *stream, const yoke_array *c, const yoke_array *a,
                                const yoke_array *b);

/* ---- matmul_run.c ---- */

/* Enqueue a product that has been checked, and whose c is not empty. */
yoke_status yops_matmul_run(yops_matmul *p);

#endif
