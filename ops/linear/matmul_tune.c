/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring the tiles of products on a device: each tile of the table on each size, by turns. */
#include "matmul.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "library/library.h"

/* Of a size: rounds of all tiles. A run of a tile lasts at least so long, or is of so many products. */
enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 9, MOST_PRODUCTS = 200, MOST_TILES = 16 };
static const double least_run = 1e6, margin = 0.97;

static const int32_t dtypes[] = { [YOPS_TUNED_F32] = YOKE_F32, [YOPS_TUNED_F64] = YOKE_F64,   [YOPS_TUNED_HALF] = YOKE_F16,
                                  [YOPS_TUNED_C64] = YOKE_C64, [YOPS_TUNED_C128] = YOKE_C128, [YOPS_TUNED_TENSORS] = YOKE_F16 };
_Static_assert(YOPS_COUNT_OF(dtypes) == YOPS_TUNED_DTYPES, "a dtype for each that is tuned");

/* A tile on a size. */
typedef struct candidate {
    const yops_matmul_tile *tile;
    int products; /* of a run */
    double times[MOST_ROUNDS];
} candidate;

typedef struct tuner {
    yops_call call;
    yops_traits traits;
    yoke_matmul_timing_fn tell;
    void *user;
    double deadline;    /* of the dtype */
    yoke_status missed; /* YOKE_E_OUT_OF_DEVICE_MEMORY: there was not enough for some size */
    bool has_measured;  /* any size of any dtype */
    double per_term;    /* nanoseconds that all tiles of the last size took for a multiply-add of its product; 0: none yet */
    yoke_array a, b, c;
    candidate candidates[MOST_TILES];
    size_t count;
} tuner;

static double median(double *times, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && times[j - 1] > times[j]; j--) {
            double kept = times[j];
            times[j] = times[j - 1];
            times[j - 1] = kept;
        }
    return times[count / 2];
}

/* ---- One size ---- */

static yoke_status run(tuner *t, const candidate *which, double *out_nanoseconds)
{
    yoke_status status = YOKE_OK;
    double start = (double)yk_now();
    for (int i = 0; i < which->products && status == YOKE_OK; i++)
        status = yops_matmul_by_tile(which->tile, t->call.stream, &t->c, &t->a, &t->b);
    if (status == YOKE_OK)
        status = yoke_stream_wait(t->call.stream);
    *out_nanoseconds = ((double)yk_now() - start) / which->products;
    return status;
}

/* The first run of a tile compiles; the second one says how many products a run needs. */
static yoke_status warm(tuner *t)
{
    yoke_status status = YOKE_OK;
    for (size_t i = 0; i < t->count && status == YOKE_OK; i++) {
        candidate *c = &t->candidates[i];
        double time = 0;
        c->products = 1;
        for (int j = 0; j < 2 && status == YOKE_OK; j++)
            status = run(t, c, &time);
        c->products = time * MOST_PRODUCTS < least_run ? MOST_PRODUCTS : time < least_run ? 1 + (int)(least_run / time) : 1;
    }
    return status;
}

/* *out_rounds is how many rounds were run: fewer than LEAST_ROUNDS when the time is over, unless it `must` be measured. */
static yoke_status measure(tuner *t, bool must, size_t *out_rounds)
{
    size_t round = 0;
    yoke_status status = warm(t);
    for (; status == YOKE_OK && round < MOST_ROUNDS; round++) {
        if ((double)yk_now() > t->deadline && !(must && round < LEAST_ROUNDS))
            break;
        for (size_t i = 0; i < t->count && status == YOKE_OK; i++)
            status = run(t, &t->candidates[i], &t->candidates[i].times[round]);
    }
    *out_rounds = round;
    return status;
}

/* Returns the tile: 1 + its index in the table. */
static uint8_t conclude(tuner *t, int dtype, const yops_matmul_size *size, const yops_matmul_tile *usual, size_t rounds)
{
    double times[MOST_TILES] = { 0 }, usual_time = 0;
    size_t best = 0;
    for (size_t i = 0; i < t->count; i++) {
        times[i] = median(t->candidates[i].times, rounds);
        usual_time = t->candidates[i].tile == usual ? times[i] : usual_time;
        best = times[i] < times[best] ? i : best;
    }
    const yops_matmul_tile *tile = times[best] < margin * usual_time ? t->candidates[best].tile : usual;
    for (size_t i = 0; i < t->count && t->tell; i++) {
        const yops_matmul_tile *one = t->candidates[i].tile;
        yoke_matmul_timing timing = {
            sizeof timing, dtypes[dtype],
            size->m,       size->n,
            size->k,       one->name,
            times[i],      (one == usual ? YOKE_MATMUL_TILE_DEFAULT : 0) | (one == tile ? YOKE_MATMUL_TILE_TAKEN : 0)
        };
        t->tell(&timing, t->user);
    }
    return (uint8_t)(1 + (tile - yops_matmul_tiles));
}

static yoke_status make(const tuner *t, int32_t dtype, int64_t rows, int64_t columns, yoke_array *out)
{
    yoke_status status = yoke_array_create(t->call.device, dtype, 2, (const int64_t[]){ rows, columns }, out);
    /* Numbers of usual size, in every dtype. */
    return status < 0 ? status : yoke_fill(t->call.stream, out->buffer, 0, yoke_buffer_get_size(out->buffer), &(char){ 0x3c }, 1);
}

static yops_matmul_way way_of(const tuner *t, int dtype)
{
    return dtype == YOPS_TUNED_TENSORS ? YOPS_BY_TENSORS : yops_matmul_usual_way(&t->traits);
}

static size_t sum_bytes(int dtype)
{
    return dtypes[dtype] == YOKE_F16 ? sizeof(float) : yoke_dtype_get_size(dtypes[dtype]);
}

static void find_candidates(tuner *t, int dtype)
{
    t->count = 0;
    if (dtype == YOPS_TUNED_TENSORS && !t->traits.has_tensor_cores)
        return;
    for (size_t i = 0; i < yops_matmul_tile_count && t->count < MOST_TILES; i++)
        if (yops_matmul_suits(&yops_matmul_tiles[i], &t->traits, way_of(t, dtype), sum_bytes(dtype)))
            t->candidates[t->count++].tile = &yops_matmul_tiles[i];
}

static yoke_status tune_size(tuner *t, int dtype, const yops_matmul_size *size, uint8_t *tile)
{
    int32_t in = dtypes[dtype], out = in == YOKE_F16 ? YOKE_F32 : in;
    yops_matmul_shape shape = { .m = size->m, .n = size->n, .k = size->k, .batches = 1 };
    double terms = (double)size->m * size->n * size->k, start = (double)yk_now();
    size_t rounds = 0;
    if (t->has_measured && start + t->per_term * terms > t->deadline)
        return YOKE_OK;
    yops_matmul_cut(&shape);
    const yops_matmul_tile *usual = yops_matmul_choose(&t->traits, way_of(t, dtype), &shape, sum_bytes(dtype));
    memset(&t->a, 0, sizeof t->a);
    memset(&t->b, 0, sizeof t->b);
    memset(&t->c, 0, sizeof t->c);
    yoke_status status = make(t, in, size->m, size->k, &t->a);
    if (status == YOKE_OK)
        status = make(t, in, size->k, size->n, &t->b);
    if (status == YOKE_OK)
        status = make(t, out, size->m, size->n, &t->c);
    if (status == YOKE_OK)
        status = measure(t, !t->has_measured, &rounds);
    if (status == YOKE_OK && rounds >= LEAST_ROUNDS)
        *tile = conclude(t, dtype, size, usual, rounds);
    double took = 0;
    t->has_measured = t->has_measured || rounds > 0;
    for (size_t i = 0; i < t->count && rounds > 0; i++)
        took += t->candidates[i].times[0] * (LEAST_ROUNDS + 2);
    t->per_term = rounds > 0 ? took / terms : t->per_term;
    yoke_buffer_release(t->c.buffer);
    yoke_buffer_release(t->b.buffer);
    yoke_buffer_release(t->a.buffer);
    return status;
}

/* ---- All sizes ---- */

/* A size that does not fit into the device's memory keeps what it had. */
static yoke_status tune_size_or_miss(tuner *t, int dtype, const yops_matmul_size *size, uint8_t *tile)
{
    yoke_status status = tune_size(t, dtype, size, tile);
    if (status != YOKE_E_OUT_OF_DEVICE_MEMORY)
        return status;
    t->missed = status;
    return YOKE_OK;
}

/* One tile alone needs no measuring. */
static yoke_status tune_dtype(tuner *t, int dtype, double nanoseconds, yops_matmul_tuned *tuned)
{
    yoke_status status = YOKE_OK;
    t->deadline = (double)yk_now() + nanoseconds;
    t->per_term = 0;
    find_candidates(t, dtype);
    for (size_t i = 0; i < YOPS_TUNED_SIZES && t->count > 1 && status == YOKE_OK; i++)
        status = tune_size_or_miss(t, dtype, &yops_matmul_sizes[i], &tuned->tiles[dtype][i]);
    return status;
}

yoke_status yoke_matmul_tune(yoke_device *device, double seconds, yoke_matmul_timing_fn tell, void *user)
{
    tuner *t = calloc(1, sizeof *t);
    yops_call call = { .function = "yoke_matmul_tune", .where = YOKE_HERE, .device = device };
    const yops_matmul_tuned *known;
    yops_matmul_tuned tuned;
    if (!t)
        return yops_fail(&call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for measuring");
    yoke_status status = seconds > 0 && seconds < 1e9
                             ? yoke_stream_create(device, NULL, &call.stream)
                             : yops_fail(&call, YOKE_E_INVALID_ARGUMENT, "seconds is %s: a number between 0 and 1e9 is needed",
                                         yops_write_number(seconds).text);
    t->call = call;
    t->tell = tell;
    t->user = user;
    if (status == YOKE_OK)
        status = yops_get_traits(&call, &t->traits);
    if (status == YOKE_OK)
        status = yops_matmul_tuned_get(&call, &known);
    if (status == YOKE_OK)
        tuned = *known;
    double end = (double)yk_now() + seconds * 1e9;
    for (int i = 0; i < YOPS_TUNED_DTYPES && status == YOKE_OK; i++)
        if (!yops_needs_f64(dtypes[i]) || yoke_device_supports(device, YOKE_CAP_FP64))
            status = tune_dtype(t, i, (end - (double)yk_now()) / (YOPS_TUNED_DTYPES - i), &tuned);
    if (status == YOKE_OK)
        status = yops_matmul_tuned_set(&call, &tuned);
    if (status == YOKE_OK)
        status = t->missed;
    if (call.stream)
        yoke_stream_release(call.stream);
    free(t);
    return status;
}
