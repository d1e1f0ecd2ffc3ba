/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products by tensor cores: with small integers every sum is exact, in any order, so that c has the bits of the reference. On
 * devices without them the kernel is the same but for the instructions, which ops/linear/tensor.yh writes out as plain loads and
 * stores. On a GPU that has them each tile is tried; with YOKE_TEST_ALL_TILES=1 with each dtype and layout.
 */
#include "ops/linear/matmul.h"
#include "matmul_reference.h"

#include <stdlib.h>
#include <string.h>

static const yops_matmul_tile *tile_of(const char *name)
{
    for (size_t i = 0; i < yops_matmul_tile_count; i++)
        if (strcmp(yops_matmul_tiles[i].name, name) == 0)
            return &yops_matmul_tiles[i];
    return NULL;
}

/* ---- Who is built ---- */

static int tensor_kernels, other_kernels;
static bool refuses;

static yoke_status watch(const yoke_source *source)
{
    if (strcmp(source->name, "matmul_tensor") == 0)
        tensor_kernels++;
    else if (strncmp(source->name, "matmul", 6) == 0 && strcmp(source->name, "matmul_finish") != 0)
        other_kernels++;
    return refuses ? YOKE_E_UNAVAILABLE : YOKE_OK;
}

static yops_traits traits_of(suite *t)
{
    const yops_call call = { .function = "a test", .stream = t->stream, .device = t->device };
    yops_traits traits = { 0 };
    CHECK_OK(yops_get_traits(&call, &traits));
    return traits;
}

/* Where a driver ends long loops, no such kernel is launched. NVIDIA's devices before 8.0 lack the instructions. */
static bool can(suite *t)
{
    yops_traits traits = traits_of(t);
    bool lacks = t->info.compute_capability > 0 && !traits.has_tensor_cores;
    if (yops_counts_rounds(&traits) || lacks || traits.max_shared_bytes < 40 << 10) {
        suite_skip("the device lacks tensor cores, or what stands for them");
        return false;
    }
    return true;
}

static bool try(suite *t, const char *tile, matmul_trial trial, uint32_t seed)
{
    int others = other_kernels;
    yops_matmul_force.tile = tile_of(tile);
    trial.in_any_order = true;
    bool ok = CHECK(yops_matmul_force.tile) && matmul_try(t, &trial, seed) && CHECK(other_kernels == others);
    yops_matmul_force = (yops_matmul_forced){ NULL, false };
    return ok;
}

/* A product of this dtype that 16 bytes at a time can be copied of. */
static matmul_trial trial_of(int32_t dtype, int64_t m, int64_t n, int64_t k, unsigned turned)
{
    matmul_trial trial = matmul_trial_of(m, n, k);
    int64_t unit = dtype == YOKE_F32 ? 4 : 8;
    trial.a.dtype = trial.b.dtype = dtype;
    trial.a.transposed = turned & 1;
    trial.b.transposed = turned & 2;
    trial.a.padding = (unit - (turned & 1 ? m : k) % unit) % unit;
    trial.b.padding = (unit - (turned & 2 ? k : n) % unit) % unit;
    trial.flags = dtype == YOKE_F32 ? YOKE_MATMUL_TF32 : 0;
    return trial;
}

/* ---- Cases ---- */

/* Rows and columns of both operands, at edges that are inside of 16 bytes in all three extents. */
static void layouts(suite *t)
{
    for (unsigned i = 0; i < 4 && can(t); i++) {
        try(t, "tensor64x64", trial_of(YOKE_F16, 67, 131, 77, i), i);
        try(t, "tensor64x64", trial_of(YOKE_F16, 64, 2, 1 + (int64_t)i * 32, i), i);
    }
}

static void floats(suite *t)
{
    for (unsigned i = 1; i < 3 && can(t); i++)
        try(t, "tensor64x64", trial_of(YOKE_F32, 66, 71, 39, i), i);
}

/* An operand of 8 x 8 floats, of which seven rows or columns are taken. */
static yoke_status make_operand(suite *t, float value, bool transposed, yoke_array *out)
{
    yoke_status status = yoke_array_create(t->device, YOKE_F32, 2, (const int64_t[]){ 8, 8 }, out);
    if (status < 0)
        return status;
    status = yoke_fill(t->stream, out->buffer, 0, sizeof(float[8][8]), &value, sizeof value);
    *out = transposed ? yoke_array_transpose(*out, NULL) : *out;
    return status;
}

/* 1 + 2^-11 lies between two numbers of TF32; away from zero it is 1 + 2^-10, of both operands. */
static void rounds(suite *t)
{
    const float value = 1 + 0x1p-11f, wanted = 8 * (1 + 0x1p-10f) * (1 + 0x1p-10f);
    yoke_matmul_options o = YOKE_MATMUL_OPTIONS_INIT;
    o.flags = YOKE_MATMUL_TF32;
    yops_matmul_force.tile = tile_of("tensor64x64");
    for (unsigned i = 1; i < 3 && can(t); i++) {
        yoke_array a = { 0 }, b = { 0 }, c = { 0 };
        float found[7 * 7] = { 0 };
        NEED_OK(make_operand(t, value, i & 1, &a));
        NEED_OK(make_operand(t, value, i & 2, &b));
        NEED_OK(yoke_array_create(t->device, YOKE_F32, 2, (const int64_t[]){ 7, 7 }, &c));
        yoke_array rows = yoke_array_slice(a, 0, 0, 7, 1), columns = yoke_array_slice(b, 1, 0, 7, 1);
        NEED_OK(yoke_matmul(t->stream, &c, &rows, &columns, &o));
        NEED_OK(yoke_read(t->stream, found, c.buffer, 0, sizeof found));
        NEED_OK(yoke_stream_wait(t->stream));
        for (size_t j = 0; j < sizeof found / sizeof *found; j++)
            CHECK(found[j] == wanted);
    out:
        yoke_buffer_release(c.buffer);
        yoke_buffer_release(b.buffer);
        yoke_buffer_release(a.buffer);
    }
    yops_matmul_force = (yops_matmul_forced){ NULL, false };
}

/* Tiles differ in how far they go along k at a time, and in how many stages are on their way: two whole steps and a bit, in one
 * block. A kernel takes a driver for CPUs seconds to compile, so that those alone are tried that differ from all other cases. */
static void schedules(suite *t)
{
    bool all = getenv("YOKE_TEST_ALL_TILES") != NULL;
    for (size_t i = 0; i < yops_matmul_tile_count && can(t) && t->info.max_shared_bytes >= 96 << 10; i++) {
        const yops_matmul_tile *tile = &yops_matmul_tiles[i];
        bool differs = strcmp(tile->name, "tensor128x128") == 0 || strcmp(tile->name, "tensor128x128deep") == 0;
        if (tile->way == YOPS_BY_TENSORS && (all || differs))
            try(t, tile->name, trial_of(YOKE_F16, 130, 20, (int64_t)tile->depth + 3, 2), (uint32_t)i);
    }
}

/* Many steps of a tile with one step for each stage. */
static void shallow(suite *t)
{
    if (can(t) && t->info.max_shared_bytes >= 96 << 10)
        try(t, "tensor128x256", trial_of(YOKE_F16, 130, 20, 90, 2), 1);
}

static void dtypes(suite *t)
{
    static const int32_t outs[] = { YOKE_BF16, YOKE_F16, YOKE_I16 };
    for (size_t i = 0; i < sizeof outs / sizeof *outs && can(t); i++) {
        matmul_trial trial =
            trial_of(i == 1 ? YOKE_F16 : YOKE_BF16, 30, i == 1 ? 35 : 36, 50, 0); /* two columns stored at once, or not */
        trial.c.dtype = outs[i];
        trial.c.padding = i == 1; /* the last column has no neighbour in c, though one in memory */
        trial.has_scales = true;
        trial.alpha = 0.5;
        trial.beta = i == 2 ? 0 : 2;
        try(t, "tensor64x64", trial, (uint32_t)i);
    }
}

/* A batch that is broadcast, and sums of slices; c is stored by columns, so that a and b change places. */
static void slices(suite *t)
{
    matmul_trial trial = { .a = { YOKE_F16, 3, { 3, 33, 544 }, false, 0 },
                           .b = { YOKE_F16, 3, { 1, 544, 40 }, false, 0 },
                           .c = { YOKE_F32, 3, { 3, 33, 40 }, true, 0 } };
    if (can(t))
        try(t, "tensor64x64", trial, 1);
}

static void epilogues(suite *t)
{
    matmul_trial trial = trial_of(YOKE_F16, 70, 68, 36, 0);
    trial.has_bias = true;
    trial.has_scales = true;
    trial.alpha = -1;
    trial.beta = 3;
    if (can(t))
        try(t, "tensor64x64", trial, 1);
}

/* ---- When they are taken ---- */

typedef struct decision {
    int32_t a, b;
    uint32_t flags;
    layout how;
    int64_t k;
    bool exact; /* YOKE_OPS_EXACT=1 */
    bool taken;
} decision;

static const decision decisions[] = {
    { YOKE_F16, YOKE_F16, 0, LAYOUT_CONTIGUOUS, 24, false, true },
    { YOKE_BF16, YOKE_BF16, 0, LAYOUT_CONTIGUOUS, 24, false, true },
    { YOKE_F32, YOKE_F32, YOKE_MATMUL_TF32, LAYOUT_CONTIGUOUS, 24, false, true },
    { YOKE_F32, YOKE_F32, 0, LAYOUT_CONTIGUOUS, 24, false, false },
    { YOKE_F16, YOKE_BF16, 0, LAYOUT_CONTIGUOUS, 24, false, false },
    { YOKE_F16, YOKE_F32, YOKE_MATMUL_TF32, LAYOUT_CONTIGUOUS, 24, false, false },
    { YOKE_F16, YOKE_F16, YOKE_MATMUL_EXACT, LAYOUT_CONTIGUOUS, 24, false, false },
    { YOKE_F32, YOKE_F32, YOKE_MATMUL_EXACT | YOKE_MATMUL_TF32, LAYOUT_CONTIGUOUS, 24, false, false },
    { YOKE_F16, YOKE_F16, 0, LAYOUT_CONTIGUOUS, 24, true, false },
    { YOKE_F16, YOKE_F16, 0, LAYOUT_CONTIGUOUS, 23, false, false }, /* rows that are not aligned to 16 bytes */
    { YOKE_F16, YOKE_F16, 0, LAYOUT_OFFSET, 24, false, false },
};

/* By the facts of the device and of the call, as a vendor's library is: no kernel is built for that. */
static void choices(suite *t)
{
    yops_traits traits = traits_of(t);
    traits.has_tensor_cores = true;
    if (!can(t))
        return;
    yops_traits_force = &traits;
    refuses = true;
    for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++) {
        const decision *d = &decisions[i];
        matmul_trial trial = matmul_trial_of(40, 48, d->k);
        matmul_arrays x;
        yoke_matmul_options o = YOKE_MATMUL_OPTIONS_INIT;
        trial.a.dtype = d->a;
        trial.b.dtype = d->b;
        trial.c.dtype = YOKE_U8; /* which no library stores, and no other case */
        trial.how = d->how;
        o.flags = d->flags;
        if (d->exact)
            setenv("YOKE_OPS_EXACT", "1", 1);
        tensor_kernels = other_kernels = 0;
        if (CHECK(matmul_arrays_create(t, &trial, 1, &x)))
            CHECK_STATUS(YOKE_E_UNAVAILABLE, yoke_matmul(t->stream, &x.view_c, &x.view_a, &x.view_b, &o));
        if (!CHECK(tensor_kernels == d->taken && other_kernels == !d->taken))
            tap_diag("of decision %zu", i);
        matmul_arrays_release(&x);
        unsetenv("YOKE_OPS_EXACT");
    }
    refuses = false;
    yops_traits_force = NULL;
}

/* ---- On tensor cores themselves ---- */

/* One tile and a part of another, both ways, and along k once around the ring and a part of a stage. */
static void try_around(suite *t, const yops_matmul_tile *tile, int32_t in, unsigned turned)
{
    int64_t depth = tile->depth / (int64_t)yoke_dtype_get_size(in);
    matmul_trial trial = trial_of(in, tile->rows + 11, tile->columns + 6, depth * (tile->stages + 3) + 5, turned);
    trial.c.dtype = in == YOKE_BF16 ? YOKE_BF16 : YOKE_F32;
    if (!try(t, tile->name, trial, turned))
        tap_diag("of tile %s, layout %u", tile->name, turned);
}

/* Each kernel takes a compiler a second or two. What is loaded in which way is a's affair, and b's: two layouts show all four, and
 * neighbours in the table are each other's mirror image. */
static void everything(suite *t)
{
    static const int32_t ins[] = { YOKE_F16, YOKE_BF16, YOKE_F32 };
    bool all = getenv("YOKE_TEST_ALL_TILES") != NULL;
    if (!traits_of(t).has_tensor_cores || strstr(t->info.name, "double")) {
        suite_skip("not a GPU with tensor cores");
        return;
    }
    for (size_t i = 0; i < yops_matmul_tile_count; i++) {
        const yops_matmul_tile *tile = &yops_matmul_tiles[i];
        yops_traits traits = traits_of(t);
        if (!yops_matmul_suits(tile, &traits, YOPS_BY_TENSORS, sizeof(float)))
            continue;
        for (unsigned j = 0; j < 12; j++)
            if (all || j == i % 2 * 3 || (j / 4 == 2 && j % 4 % 3 == 0 && strcmp(tile->name, "tensor128x128deep") == 0))
                try_around(t, tile, ins[j / 4], j % 4);
    }
}

static const suite_case cases[] = {
    { "halves, in each layout", layouts, false },      { "floats as TF32", floats, false },
    { "floats are rounded", rounds, false },           { "each tile's schedule", schedules, false },
    { "a tile of one step", shallow, false },          { "dtypes of c, alpha and beta", dtypes, false },
    { "slices of k, and a batch", slices, false },     { "an epilogue", epilogues, false },
    { "when tensor cores are taken", choices, false }, { "every tile", everything, false },
};

int main(void)
{
    unsetenv("YOKE_OPS_EXACT");
    unsetenv("YOKE_BLAS");
    yops_program_watch = watch;
    return SUITE_MAIN(cases, NULL);
}
