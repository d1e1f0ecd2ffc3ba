/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tiles of products by tensor cores, each on the same product of square matrices: those of the table, ops/linear/
 * matmul_shapes.def, and others that are worth a try. PREFIX.matmul_tiles.NAME.LAYOUT is the time of a product; in LAYOUT a letter
 * each for a and b says whether their rows (n) or their columns (t, transposed) lie in one piece. c has the same bits by every
 * tile, which is compared. No vendor's library has a say in it.
 *
 * --part takes words with colons between them: a dtype (f16 or bf16), layouts, and the extent of the matrices. f16:nn:tn:8192
 * measures two layouts of 8192 x 8192; unless told, all four of 4096 x 4096 halves. A device without tensor cores is left out
 * unless an extent is named: there the same kernels are slow.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yoke/ops.h>

#include "../ops/linear/matmul.h"
#include "bench.h"

#define ENOUGH 4e6 /* nanoseconds of a batch */

enum { LAYOUTS = 4, MOST_TILES = 64, MOST_THREADS = 16, SMALL = 256 };

static const char *const layout_names[LAYOUTS] = { "nn", "tn", "nt", "tt" }; /* bit 0: a, bit 1: b */

#define TILE(name, rows, columns, warp_rows, warp_columns, depth, stages)                  \
    {                                                                                      \
        name, YOPS_BY_TENSORS, rows, columns, depth, warp_rows, warp_columns, stages, 4, 0 \
    }
static const yops_matmul_tile others[] = {
    TILE("128x256_depth64_stages4", 128, 256, 64, 64, 64, 4),   TILE("256x128_depth64_stages4", 256, 128, 64, 64, 64, 4),
    TILE("128x256_depth128_stages3", 128, 256, 64, 64, 128, 3), TILE("128x256_depth32_stages4", 128, 256, 64, 64, 32, 4),
    TILE("128x256_depth32_stages6", 128, 256, 64, 64, 32, 6),   TILE("128x128_depth32_stages3", 128, 128, 64, 64, 32, 3),
    TILE("128x128_depth32_stages5", 128, 128, 64, 64, 32, 5),   TILE("128x128_depth64_stages3", 128, 128, 64, 64, 64, 3),
    TILE("128x128_depth128_stages2", 128, 128, 64, 64, 128, 2), TILE("128x128_depth128_stages3", 128, 128, 64, 64, 128, 3),
};

/* ---- What is measured ---- */

typedef struct plan {
    int32_t dtype;
    bool layouts[LAYOUTS];
    int64_t extent;
    bool everywhere; /* on devices without tensor cores, too */
    const yops_matmul_tile *tiles[MOST_TILES];
    size_t count;
} plan;

static void add_word(plan *p, const char *word)
{
    int64_t extent = atoll(word);
    for (int i = 0; i < LAYOUTS; i++)
        if (strcmp(word, layout_names[i]) == 0) {
            p->layouts[i] = true;
            return;
        }
    if (extent > 0 && extent % 8 == 0 && extent <= 32768) {
        p->extent = extent;
        p->everywhere = true;
    } else if (strcmp(word, "bf16") == 0) {
        p->dtype = YOKE_BF16;
    } else if (strcmp(word, "f16") != 0) {
        measure_fail("--part", "words are f16, bf16, nn, tn, nt, tt, and a multiple of 8 up to 32768");
    }
}

static plan read_part(void)
{
    plan p = { .dtype = YOKE_F16, .extent = 4096 };
    char words[64] = "", *rest = words;
    snprintf(words, sizeof words, "%s", bench_option.part ? bench_option.part : "");
    for (char *word = strtok_r(rest, ":", &rest); word; word = strtok_r(NULL, ":", &rest))
        add_word(&p, word);
    bool any = p.layouts[0] || p.layouts[1] || p.layouts[2] || p.layouts[3];
    for (int i = 0; i < LAYOUTS; i++)
        p.layouts[i] = p.layouts[i] || !any;
    return p;
}

static void add_tiles(plan *p, const yops_traits *traits, const yops_matmul_tile *tiles, size_t count)
{
    for (size_t i = 0; i < count && p->count < MOST_TILES; i++)
        if (yops_matmul_suits(&tiles[i], traits, YOPS_BY_TENSORS, sizeof(float)))
            p->tiles[p->count++] = &tiles[i];
}

/* ---- Products ---- */

typedef struct operands {
    yoke_array a, b, c;
} operands;

static yoke_array make(yoke_stream *stream, int32_t dtype, int64_t extent, bool transposed)
{
    yoke_array x;
    measure_must(yoke_array_create(yoke_stream_get_device(stream), dtype, 2, (const int64_t[]){ extent, extent }, &x));
    return transposed ? yoke_array_transpose(x, NULL) : x;
}

/* Elements are random, in [0, 1), since a GPU draws less power, and is faster, on constant ones. */
static void randomize(yoke_stream *stream, yoke_array x, uint64_t seed)
{
    measure_must(yoke_map(stream, "h = ((uint64)i + seed) * 0x9e3779b97f4a7c15; h ^= h >> 29; x = (float)(h >> 40) / 16777216.0",
                          YOKE_VARS(x, seed)));
}

static operands begin(yoke_stream *stream, const plan *p, int layout, int64_t extent)
{
    return (operands){ make(stream, p->dtype, extent, layout & 1), make(stream, p->dtype, extent, layout & 2),
                       make(stream, YOKE_F32, extent, false) };
}

static void end(operands *x)
{
    yoke_buffer_release(x->c.buffer);
    yoke_buffer_release(x->b.buffer);
    yoke_buffer_release(x->a.buffer);
}

static double run(yoke_stream *stream, const yops_matmul_tile *tile, const operands *x, int count)
{
    double start = measure_now();
    for (int i = 0; i < count; i++)
        measure_must(yops_matmul_by_tile(tile, stream, &x->c, &x->a, &x->b));
    measure_must(yoke_stream_wait(stream));
    return measure_now() - start;
}

/* ---- Compiling: all kernels first, by as many threads as there are cores, with a small product ---- */

typedef struct compiler {
    const plan *plan;
    yoke_device *device;
    atomic_size_t next;
} compiler;

static void *compile(void *self)
{
    compiler *c = self;
    yoke_stream *stream;
    measure_must(yoke_stream_create(c->device, NULL, &stream));
    for (size_t i = atomic_fetch_add(&c->next, 1); i < LAYOUTS * c->plan->count; i = atomic_fetch_add(&c->next, 1)) {
        int layout = (int)(i / c->plan->count);
        if (!c->plan->layouts[layout])
            continue;
        operands x = begin(stream, c->plan, layout, c->plan->extent < SMALL ? c->plan->extent : SMALL);
        run(stream, c->plan->tiles[i % c->plan->count], &x, 1);
        end(&x);
    }
    yoke_stream_release(stream);
    return NULL;
}

static void compile_all(const plan *p, yoke_device *device)
{
    pthread_t threads[MOST_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = cores > MOST_THREADS ? MOST_THREADS : cores > 0 ? (size_t)cores : 1;
    compiler c = { .plan = p, .device = device };
    double start = measure_now();
    for (size_t i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, compile, &c))
            measure_fail("pthread_create", "no thread");
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    fprintf(stderr, "# compiled by %zu threads in %.1f s\n", count, (measure_now() - start) / 1e9);
}

/* ---- Measuring ---- */

/* Returns the products of a batch. The bits of c are those of the first tile, which are `wanted`. */
static int warm(yoke_stream *stream, const plan *p, size_t tile, const operands *x, char *wanted, char *found)
{
    size_t size = (size_t)(p->extent * p->extent) * sizeof(float);
    char *to = tile == 0 ? wanted : found;
    measure_must(yoke_fill(stream, x->c.buffer, 0, size, &(char){ -1 }, 1));
    run(stream, p->tiles[tile], x, 1);
    measure_must(yoke_read(stream, to, x->c.buffer, 0, size));
    measure_must(yoke_stream_wait(stream));
    if (memcmp(to, wanted, size) != 0)
        measure_fail(p->tiles[tile]->name, "its product has other bits than the first tile's");
    double once = run(stream, p->tiles[tile], x, 1);
    return once < ENOUGH / 1000 ? 1000 : once > ENOUGH ? 1 : (int)(ENOUGH / once);
}

static void measure_layout(const char *prefix, yoke_stream *stream, const plan *p, int layout)
{
    size_t rounds = (size_t)bench_option.rounds, size = (size_t)(p->extent * p->extent) * sizeof(float);
    operands x = begin(stream, p, layout, p->extent);
    double *times = malloc(p->count * rounds * sizeof *times);
    char *wanted = malloc(size), *found = malloc(size);
    int counts[MOST_TILES];
    if (!times || !wanted || !found)
        measure_fail("malloc", "no memory for results");
    randomize(stream, x.a, 1);
    randomize(stream, x.b, 2);
    for (size_t i = 0; i < p->count; i++)
        counts[i] = warm(stream, p, i, &x, wanted, found);
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < p->count; i++)
            times[i * rounds + round] = run(stream, p->tiles[i], &x, counts[i]) / counts[i];
    for (size_t i = 0; i < p->count; i++) {
        char name[96];
        snprintf(name, sizeof name, "matmul_tiles.%s.%s", p->tiles[i]->name, layout_names[layout]);
        bench_print(prefix, name, measure_median(times + i * rounds, rounds) / 1e3, "us");
    }
    free(found);
    free(wanted);
    free(times);
    end(&x);
}

static void measure_device(yoke_device *device, const yoke_device_info *info)
{
    plan p = read_part();
    yoke_stream *stream;
    yops_traits traits;
    measure_must(yoke_stream_create(device, NULL, &stream));
    const yops_call call = { .function = "bench/matmul_tiles", .stream = stream, .device = device };
    measure_must(yops_get_traits(&call, &traits));
    if (info->kind != YOKE_DEVICE_CPU) /* elsewhere waiting takes a core that computes */
        measure_must(yoke_device_set_wait(device, YOKE_WAIT_SPIN));
    add_tiles(&p, &traits, yops_matmul_tiles, yops_matmul_tile_count);
    add_tiles(&p, &traits, others, sizeof others / sizeof *others);
    if (p.count > 0 && (traits.has_tensor_cores || p.everywhere)) {
        compile_all(&p, device);
        for (int i = 0; i < LAYOUTS; i++)
            if (p.layouts[i])
                measure_layout(info->backend, stream, &p, i);
    } else {
        fprintf(stderr, "# %s is left out: it lacks tensor cores\n", info->selector);
    }
    yoke_stream_release(stream);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "matmul_tiles", "Products of matrices by tensor cores, by each tile.", measure_device);
}
