/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tuned products: which tile is taken, with the same bits, and the bytes of the file that keeps it. What becomes of the file itself
 * is tests/tools/tune.sh's and tests/unit/program_cache.c's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/linear/matmul.h"
#include "../../unit/sandbox.h"
#include "matmul_reference.h"

enum { MOST_TIMINGS = 1024 };

/* ---- The file's bytes ---- */

static yops_matmul_tuned some_tiles(void)
{
    yops_matmul_tuned tuned;
    for (size_t i = 0; i < sizeof tuned; i++)
        ((uint8_t *)&tuned)[i] = (uint8_t)(i % (yops_matmul_tile_count + 1));
    return tuned;
}

static bool is_valid(const yops_matmul_tuned *tuned)
{
    for (size_t i = 0; i < sizeof *tuned; i++)
        if (((const uint8_t *)tuned)[i] > yops_matmul_tile_count)
            return false;
    return true;
}

static bool is_empty(const yops_matmul_tuned *tuned)
{
    static const yops_matmul_tuned none;
    return memcmp(tuned, &none, sizeof none) == 0;
}

/* Whatever the bytes are, what is read is empty, or names tiles that there are. */
static void mutations(suite *t)
{
    yops_matmul_tuned tuned = some_tiles(), again;
    unsigned char bytes[YOPS_TUNED_BYTES + 1] = { 0 };
    (void)t;
    yops_matmul_tuned_write(&tuned, bytes);
    CHECK(yops_matmul_tuned_read(bytes, YOPS_TUNED_BYTES, &again) && memcmp(&tuned, &again, sizeof tuned) == 0);
    for (size_t size = 0; size <= sizeof bytes; size++)
        if (size != YOPS_TUNED_BYTES)
            CHECK(!yops_matmul_tuned_read(bytes, size, &again) && is_empty(&again));
    for (size_t i = 0; i < YOPS_TUNED_BYTES; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (unsigned char)(1 << bit);
            bool valid = yops_matmul_tuned_read(bytes, YOPS_TUNED_BYTES, &again);
            CHECK(is_valid(&again) && (valid ? i >= 8 : is_empty(&again)));
            bytes[i] ^= (unsigned char)(1 << bit);
        }
}

/* ---- The nearest size ---- */

static const yops_matmul_tile *find(const yops_matmul_tuned *tuned, int64_t m, int64_t n, int64_t k, int64_t batches)
{
    yops_matmul_shape shape = { .m = m, .n = n, .k = k, .batches = batches };
    return yops_matmul_tuned_find(tuned, YOPS_TUNED_F64, &shape);
}

static void nearest(suite *t)
{
    yops_matmul_tuned tuned = { { { 0 } } };
    (void)t;
    CHECK(!find(&tuned, 256, 256, 256, 1));
    tuned.tiles[YOPS_TUNED_F64][1] = 2; /* 256 x 256 x 256 */
    tuned.tiles[YOPS_TUNED_F64][2] = 3; /* 512 x 512 x 512 */
    const yops_matmul_tile *small = &yops_matmul_tiles[1], *large = &yops_matmul_tiles[2];
    CHECK(find(&tuned, 256, 256, 256, 1) == small && find(&tuned, 300, 300, 300, 1) == small);
    CHECK(find(&tuned, 512, 512, 512, 1) == large && find(&tuned, 400, 400, 400, 1) == large);
    CHECK(find(&tuned, 128, 128, 64, 1) == small && !find(&tuned, 127, 128, 64, 1) && !find(&tuned, 128, 127, 64, 1));
    CHECK(find(&tuned, 1024, 1024, 2048, 1) == large && !find(&tuned, 1024, 1024, 2052, 1) && !find(&tuned, 1028, 512, 512, 1));
    CHECK(!find(&tuned, 256, 256, 256, 2)); /* a batch fills a device in its own way */
    CHECK(yops_matmul_tuned_dtype(YOPS_BY_BLOCKS, YOKE_F32, YOKE_F16, YOKE_F32) == YOPS_TUNED_F32);
    CHECK(yops_matmul_tuned_dtype(YOPS_BY_BLOCKS, YOKE_BF16, YOKE_F16, YOKE_F32) == YOPS_TUNED_HALF);
    CHECK(yops_matmul_tuned_dtype(YOPS_BY_TENSORS, YOKE_BF16, YOKE_BF16, YOKE_F32) == YOPS_TUNED_TENSORS);
    CHECK(yops_matmul_tuned_dtype(YOPS_BY_TENSORS, YOKE_F32, YOKE_F32, YOKE_F32) == -1);
    CHECK(yops_matmul_tuned_dtype(YOPS_BY_BLOCKS, YOKE_I32, YOKE_I32, YOKE_U32) == -1);
}

/* ---- Tuning a device ---- */

typedef struct told {
    yoke_matmul_timing all[MOST_TIMINGS];
    size_t count;
} told;

static void note(const yoke_matmul_timing *timing, void *user)
{
    told *x = user;
    if (CHECK(x->count < MOST_TIMINGS))
        x->all[x->count++] = *timing;
}

static yops_call call_of(suite *t)
{
    return (yops_call){ .function = "a test", .stream = t->stream, .device = t->device };
}

static void tunes(suite *t)
{
    static told x;
    size_t count = 0, defaults = 0, taken = 0;
    const yops_matmul_tile *tile = NULL;
    const yops_matmul_tuned *tuned;
    yops_call call = call_of(t);
    x.count = 0;
    NEED_OK(yoke_matmul_tune(t->device, 0.001, note, &x));
    NEED(CHECK(x.count > 1));
    for (size_t i = 0; i < x.count; i++) {
        const yoke_matmul_timing *one = &x.all[i];
        CHECK(one->size == sizeof *one && one->dtype == YOKE_F32 && one->m == 128 && one->n == 128 && one->k == 128);
        CHECK(one->nanoseconds > 0);
        defaults += one->flags & YOKE_MATMUL_TILE_DEFAULT ? 1 : 0;
        taken += one->flags & YOKE_MATMUL_TILE_TAKEN ? 1 : 0;
        for (size_t j = 0; j < yops_matmul_tile_count && one->flags & YOKE_MATMUL_TILE_TAKEN; j++)
            tile = strcmp(yops_matmul_tiles[j].name, one->tile) == 0 ? &yops_matmul_tiles[j] : tile;
    }
    CHECK(defaults == 1 && taken == 1);
    NEED_OK(yops_matmul_tuned_get(&call, &tuned));
    CHECK(tile && tuned->tiles[YOPS_TUNED_F32][0] == 1 + (tile - yops_matmul_tiles));
    CHECK_OK(yoke_matmul_get_tuned(t->device, &count));
    CHECK(count == 1);
out:;
}

/* ---- Products of a tuned device ---- */

static uint32_t builds(void)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    CHECK_OK(yoke_cache_get_info(&info));
    return info.hits + info.misses;
}

/* Each tile that suits is taken, which shows where its kernel is built, and gives the bits that the others give. */
static void takes(suite *t)
{
    matmul_trial trial = matmul_trial_of(120, 72, 40);
    yops_matmul_tuned tuned = { { { 0 } } };
    yops_call call = call_of(t);
    yops_traits traits;
    size_t taken = 0;
    trial.flags = YOKE_MATMUL_EXACT;
    trial.c.dtype = YOKE_F16; /* kernels that tuning has not built */
    NEED_OK(yops_get_traits(&call, &traits));
    for (size_t i = 0; i < yops_matmul_tile_count && taken < 2; i++) {
        const yops_matmul_tile *tile = &yops_matmul_tiles[i];
        if (!yops_matmul_suits(tile, &traits, yops_matmul_usual_way(&traits), 4) || tile->rows * tile->columns > 4096)
            continue; /* large ones take a compiler long */
        uint32_t before = builds();
        tuned.tiles[YOPS_TUNED_F32][0] = (uint8_t)(1 + i);
        NEED_OK(yops_matmul_tuned_set(&call, &tuned));
        NEED(matmul_try(t, &trial, 1));
        CHECK(builds() == before + 1);
        taken++;
    }
    CHECK(taken == 2);
    /* One that does not suit is not: the usual tile is, and then it is there. */
    uint32_t before = builds();
    for (size_t i = 0; i < yops_matmul_tile_count; i++)
        if (yops_matmul_tiles[i].way != yops_matmul_usual_way(&traits))
            tuned.tiles[YOPS_TUNED_F32][0] = (uint8_t)(1 + i);
    NEED_OK(yops_matmul_tuned_set(&call, &tuned));
    NEED(matmul_try(t, &trial, 1));
    CHECK(builds() <= before + 1);
out:;
}

static void mistakes(suite *t)
{
    size_t count;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_matmul_tune|seconds", yoke_matmul_tune(t->device, 0, NULL, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_matmul_tune|seconds", yoke_matmul_tune(t->device, NAN, NULL, NULL));
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_matmul_tune(NULL, 1, NULL, NULL));
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_matmul_get_tuned(NULL, &count));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_matmul_get_tuned|out_count", yoke_matmul_get_tuned(t->device, NULL));
}

static const suite_case cases[] = {
    { "bytes that are no file of tiles", mutations, false },
    { "the nearest size", nearest, false },
    { "a device is tuned", tunes, false },
    { "a tuned tile is taken, with the same bits", takes, false },
    { "mistakes are refused", mistakes, false },
};

static char folder[] = "/tmp/yoke-tune.XXXXXX";

static void remove_folder(void)
{
    sandbox_remove(folder);
}

int main(void)
{
    if (!mkdtemp(folder) || atexit(remove_folder))
        return 1;
    setenv("YOKE_OPS_EXACT", "1", 1);
    setenv("YOKE_CACHE", "on", 1);
    setenv("YOKE_CACHE_DIR", folder, 1);
    return SUITE_MAIN(cases, NULL);
}
