/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a grid on the CPU: blocks one after the other on the calling thread, or, where they may wait for each other, each on a
 * thread of its own.
 */
#include "module.h"

#include <pthread.h>
#include <string.h>

enum { MOST_GRID_YZ = 65535, MOST_BLOCK_Z = 64, COOPERATIVE_TOO_LARGE = 720, INVALID_CLUSTER_SIZE = 912 };
enum { MOST_BLOCKS = DOUBLE_MULTIPROCESSORS * DOUBLE_BLOCKS_PER_MULTIPROCESSOR };

static unsigned long long count_of(const unsigned dimensions[3])
{
    return (unsigned long long)dimensions[0] * dimensions[1] * dimensions[2];
}

yk_CUresult double_function_check(const double_function *function, const double_grid *g)
{
    const unsigned *cluster = function->kernel.cluster;
    int most_threads = 0;
    for (int i = 0; i < 3; i++)
        if (g->grid[i] == 0 || g->block[i] == 0)
            return YK_CUDA_ERROR_INVALID_VALUE;
    if (g->grid[0] > 0x7fffffff || g->grid[1] > MOST_GRID_YZ || g->grid[2] > MOST_GRID_YZ)
        return YK_CUDA_ERROR_INVALID_VALUE;
    double_function_attribute(function, YK_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &most_threads);
    if (g->block[0] > DOUBLE_THREADS_PER_BLOCK || g->block[1] > DOUBLE_THREADS_PER_BLOCK || g->block[2] > MOST_BLOCK_Z ||
        count_of(g->block) > (unsigned)most_threads)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (g->shared > (unsigned)function->most_dynamic)
        return g->cooperative ? COOPERATIVE_TOO_LARGE : YK_CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; cluster[0] && i < 3; i++)
        if (g->grid[i] % (cluster[i] ? cluster[i] : 1) != 0)
            return INVALID_CLUSTER_SIZE;
    if (g->cooperative) {
        int blocks = double_occupancy((int)count_of(g->block), function->static_shared_bytes + g->shared);
        if (count_of(g->grid) > (unsigned long long)blocks * DOUBLE_MULTIPROCESSORS)
            return COOPERATIVE_TOO_LARGE;
    }
    return YK_CUDA_SUCCESS;
}

/* ---- Blocks ---- */

typedef struct work {
    const double_function *function;
    const void *params;
    double_place place;
    yk_CUresult result; /* of a block of its own */
} work;

static void run_block(work *w)
{
    const double_kernel *kernel = &w->function->kernel;
    if (w->function->has_barriers)
        double_fibers_run(kernel, &w->place, w->params);
    else
        kernel->run(w->params, &w->place);
}

static void run_all(void *user)
{
    work *w = user;
    unsigned *at = w->place.at, *grid = w->place.grid;
    for (at[2] = 0; at[2] < grid[2]; at[2]++)
        for (at[1] = 0; at[1] < grid[1]; at[1]++)
            for (at[0] = 0; at[0] < grid[0]; at[0]++)
                run_block(w);
}

static void run_one(void *user)
{
    run_block(user);
}

static void *block_thread(void *user)
{
    work *w = user;
    double_print_device(w->function->device);
    w->result = double_guarded(run_one, w);
    return NULL;
}

/* Blocks that are all there at once. The first one that has failed tells; one that waits for it in vain would hang, though. */
static yk_CUresult run_together(const work *all)
{
    static const yk_CUresult no_thread = YK_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    pthread_t threads[MOST_BLOCKS];
    work works[MOST_BLOCKS];
    const unsigned *grid = all->place.grid;
    size_t count = count_of(grid), started = 0;
    yk_CUresult result = count <= MOST_BLOCKS ? YK_CUDA_SUCCESS : no_thread;

    for (size_t i = 0; i < count && result == YK_CUDA_SUCCESS; i++) {
        works[i] = *all;
        works[i].place.at[0] = (unsigned)(i % grid[0]);
        works[i].place.at[1] = (unsigned)(i / grid[0] % grid[1]);
        works[i].place.at[2] = (unsigned)(i / grid[0] / grid[1]);
        if (pthread_create(&threads[i], NULL, block_thread, &works[i]) == 0)
            started++;
        else
            result = no_thread;
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        result = result != YK_CUDA_SUCCESS ? result : works[i].result;
    }
    return result;
}

yk_CUresult double_function_run(double_function *function, const double_grid *g, const void *params)
{
    work w = { .function = function, .params = params };
    memcpy(w.place.grid, g->grid, sizeof g->grid);
    memcpy(w.place.block, g->block, sizeof g->block);
    memcpy(w.place.last, g->block, sizeof g->block);
    double_print_device(function->device);
    return g->cooperative ? run_together(&w) : double_guarded(run_all, &w);
}
