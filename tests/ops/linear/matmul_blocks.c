/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that GPUs take for products give the same bits, on any device: each way of loading, and each tile where one is there.
 */
#include <stdlib.h>
#include <string.h>

#include "ops/linear/matmul.h"
#include "matmul_reference.h"

static const yops_matmul_tile *tile_of(const char *name)
{
    for (size_t i = 0; i < yops_matmul_tile_count; i++)
        if (strcmp(yops_matmul_tiles[i].name, name) == 0)
            return &yops_matmul_tiles[i];
    return NULL;
}

static void begin(const char *tile)
{
    yops_matmul_force.by_blocks = true;
    yops_matmul_force.tile = tile ? tile_of(tile) : NULL;
}

static void end(void)
{
    yops_matmul_force = (yops_matmul_forced){ NULL, false };
}

/* Quads along k or along the other axis, single elements, and any strides. */
static void loads(suite *t)
{
    static const int64_t sizes[][3] = { { 36, 40, 20 }, { 33, 35, 19 } };
    begin("tiny");
    for (uint32_t i = 0; i < 8; i++) {
        matmul_trial trial = matmul_trial_of(sizes[i / 4][0], sizes[i / 4][1], sizes[i / 4][2]);
        if (i % 4 == 1 || i % 4 == 2)
            continue;
        trial.a.transposed = i & 1;
        trial.b.transposed = i & 2;
        matmul_try(t, &trial, i);
    }
    matmul_trial trial = matmul_trial_of(36, 40, 20);
    trial.how = LAYOUT_RANDOM;
    matmul_try(t, &trial, 9);
    end();
}

static void dtypes(suite *t)
{
    matmul_trial trial = matmul_trial_of(36, 40, 20);
    begin("tiny");
    trial.a.dtype = YOKE_F16;
    trial.b.dtype = YOKE_BF16;
    trial.c.dtype = YOKE_F16;
    matmul_try(t, &trial, 1);
    trial.a.dtype = trial.b.dtype = trial.c.dtype = YOKE_C64;
    trial.c.transposed = true; /* a and b change places */
    trial.a.shape[1] = trial.b.shape[0] = 21;
    matmul_try(t, &trial, 2);
    trial.c.transposed = false;
    trial.a.dtype = YOKE_I8;
    trial.b.dtype = YOKE_U8;
    trial.c.dtype = YOKE_I16;
    matmul_try(t, &trial, 3);
    end();
}

/* Several slices, a batch, alpha and beta. */
static void slices(suite *t)
{
    matmul_trial trial = { .a = { YOKE_F32, 3, { 3, 33, 520 }, false, 0 },
                           .b = { YOKE_F32, 3, { 1, 520, 34 }, false, 0 },
                           .c = { YOKE_F32, 3, { 3, 33, 34 }, false, 0 } };
    begin("tiny");
    trial.has_scales = true;
    trial.alpha = 1.5;
    trial.beta = -0.5;
    matmul_try(t, &trial, 1);
    end();
}

/* The sums of a slice are counted with 32 bits. */
static void endless_sums(suite *t)
{
    const int64_t k = (INT64_C(1) << 32) + 5;
    yoke_buffer *one = NULL;
    yoke_array c;
    suite_expect_log();
    begin("tiny");
    if (CHECK_OK(yoke_buffer_create(t->device, 64, &one)) &&
        CHECK_OK(yoke_array_create(t->device, YOKE_I64, 3, (const int64_t[]){ 1025, 2, 2 }, &c))) {
        yoke_array a = yoke_array_3d(one, YOKE_I8, 1025, 2, k), b = yoke_array_2d(one, YOKE_I8, k, 2);
        memset(a.strides, 0, sizeof a.strides);
        memset(b.strides, 0, sizeof b.strides);
        CHECK_FAILS(YOKE_E_RANGE, "yoke_matmul|4294967301 products", yoke_matmul(t->stream, &c, &a, &b, NULL));
        yoke_buffer_release(c.buffer);
    }
    yoke_buffer_release(one);
    end();
}

static void epilogues(suite *t)
{
    matmul_trial trial = matmul_trial_of(70, 68, 36);
    begin("small");
    trial.has_bias = true;
    trial.special = true;
    matmul_try(t, &trial, 1);
    end();
}

static void vectors(suite *t)
{
    begin(NULL);
    for (uint32_t i = 0; i < 6; i++) {
        static const int64_t lengths[] = { 800, 805, 9100 };
        matmul_trial trial = matmul_trial_of(35, 1, lengths[i / 2]);
        trial.a.transposed = i & 1;
        if (!matmul_try(t, &trial, i))
            break;
    }
    end();
}

/* What a GPU takes for large products: on other devices, compiling these takes long. The CUDA double has one thread for all: there,
 * one product of a few tiles each. */
static void large_tiles(suite *t)
{
    if (t->info.kind != YOKE_DEVICE_GPU) {
        suite_skip("not a GPU");
        return;
    }
    bool is_slow = strstr(t->info.name, "double") != NULL;
    for (size_t i = 0; i < yops_matmul_tile_count; i++) {
        if (yops_matmul_tiles[i].way !=
            YOPS_BY_BLOCKS) /* a CPU's threads have so many sums that a GPU may lack the memory for them */
            continue;
        for (uint32_t j = is_slow ? 4 : 0; j < (is_slow ? 5 : 8); j++) {
            matmul_trial trial = is_slow ? matmul_trial_of(130, 36, 9)
                                 : j < 4 ? matmul_trial_of(268, 264, 72)
                                         : matmul_trial_of(259, 133, 71);
            trial.a.transposed = j & 1;
            trial.b.transposed = j & 2;
            begin(yops_matmul_tiles[i].name);
            matmul_try(t, &trial, j);
            end();
        }
    }
}

static const suite_case cases[] = {
    { "each way of loading", loads, false },           { "dtypes of 2, 4 and 8 bytes", dtypes, false },
    { "slices of k, and a batch", slices, false },     { "an epilogue, and special values", epilogues, false },
    { "vectors, along both axes", vectors, false },    { "every tile", large_tiles, false },
    { "sums that are too long", endless_sums, false },
};

int main(void)
{
    setenv("YOKE_OPS_EXACT", "1", 1); /* the bits are compared, and a library has others */
    return SUITE_MAIN(cases, NULL);
}
