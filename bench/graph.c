/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs through Yoke, and by hand: cuGraphLaunch on CUDA, cl_khr_command_buffer where an OpenCL driver has it. A graph is a chain
 * of the small kernel, so what a figure shows is what starting a kernel costs. The same chain in a stream stands beside it.
 */
#include <stdio.h>

#include "bench.h"

#define KERNELS 2000 /* in flight at once, at most: what the drivers' queues take without a wait in the call */
#define LAUNCHES 100 /* the same for graphs */
#define CHANGES 200
#define CHANGED 10 /* kernels of a graph that is changed and launched by turns */

/* A batch is `count` graphs of `size` kernels; all of them have finished at its end. */
static double in_stream(const bench_batch *batch)
{
    double start = bench_now();
    batch->side->launch(batch->self, batch->count * (int)batch->size);
    batch->side->wait(batch->self);
    return bench_now() - start;
}

static double in_graph(const bench_batch *batch)
{
    double start = bench_now();
    batch->side->graph_launch(batch->self, batch->count);
    batch->side->wait(batch->self);
    return bench_now() - start;
}

static double in_graph_wait(const bench_batch *batch)
{
    double start = bench_now();
    for (int i = 0; i < batch->count; i++) {
        batch->side->graph_launch(batch->self, 1);
        batch->side->wait(batch->self);
    }
    return bench_now() - start;
}

static double make(const bench_batch *batch)
{
    double start = bench_now();
    for (int i = 0; i < batch->count; i++)
        batch->side->graph_make(batch->self, (int)batch->size);
    return bench_now() - start;
}

static double set_args(const bench_batch *batch)
{
    double start = bench_now();
    batch->side->graph_set_args(batch->self, batch->count);
    return bench_now() - start;
}

static double set_args_launch(const bench_batch *batch)
{
    double start = bench_now();
    for (int i = 0; i < batch->count; i++) {
        batch->side->graph_set_args(batch->self, 1);
        batch->side->graph_launch(batch->self, 1);
    }
    batch->side->wait(batch->self);
    return bench_now() - start;
}

/* `graph`: the raw side, or one without self where the driver has no graphs. */
static void measure_chain(const char *backend, bench_batch stream, bench_batch graph, bench_batch yoke, int kernels)
{
    int count = KERNELS / kernels < LAUNCHES ? KERNELS / kernels : LAUNCHES;
    double all = (double)kernels * count;
    char name[64];

    stream.size = graph.size = yoke.size = (size_t)kernels;
    stream.count = graph.count = yoke.count = count;
    if (graph.self)
        graph.side->graph_make(graph.self, kernels);
    yoke.side->graph_make(yoke.self, kernels);

    stream.run = yoke.run = in_stream;
    snprintf(name, sizeof name, "stream_%d_per_kernel", kernels);
    bench_compare(backend, name, &stream, &yoke, all, "ns");
    graph.run = yoke.run = in_graph;
    snprintf(name, sizeof name, "graph_%d_per_kernel", kernels);
    bench_compare(backend, name, &graph, &yoke, all, "ns");
    snprintf(name, sizeof name, "graph_%d_beside_raw_stream", kernels);
    bench_compare(backend, name, &stream, &yoke, all, "ns");
    graph.run = yoke.run = in_graph_wait;
    snprintf(name, sizeof name, "graph_%d_wait", kernels);
    bench_compare(backend, name, &graph, &yoke, 1e3 * count, "us");
    graph.run = yoke.run = make;
    graph.count = yoke.count = 1;
    snprintf(name, sizeof name, "graph_%d_make", kernels);
    bench_compare(backend, name, &graph, &yoke, 1e3, "us");
}

static void measure_changes(const char *backend, bench_batch graph, bench_batch yoke)
{
    if (!graph.self || !graph.side->graph_set_args)
        graph.self = NULL;
    else
        graph.side->graph_make(graph.self, CHANGED);
    yoke.side->graph_make(yoke.self, CHANGED);
    graph.count = yoke.count = CHANGES;
    graph.run = yoke.run = set_args;
    bench_compare(backend, "set_args", &graph, &yoke, CHANGES, "ns");
    graph.count = yoke.count = LAUNCHES;
    graph.run = yoke.run = set_args_launch;
    bench_compare(backend, "set_args_launch", &graph, &yoke, 1e3 * LAUNCHES, "us");
}

static void measure(yoke_device *device)
{
    const bench_side *by_hand = bench_raw(device);
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    if (yoke_device_get_info(device, &info) < 0)
        bench_fail("yoke_device_get_info", yoke_error()->text);
    bench_batch yoke = { .side = &bench_yoke, .self = bench_yoke.open(device) };
    bench_batch raw = { .side = by_hand, .self = bench_option.no_raw ? NULL : by_hand->open(device) };
    bench_batch graph = raw;
    if (raw.self && !by_hand->graph_make(raw.self, 0))
        graph.self = NULL;

    for (int kernels = 1; kernels <= 1000; kernels *= 10)
        measure_chain(info.backend, raw, graph, yoke, kernels);
    measure_changes(info.backend, graph, yoke);

    if (raw.self)
        raw.side->close(raw.self);
    yoke.side->close(yoke.self);
}

int main(int argc, char **argv)
{
    yoke_device *device;
    bench_begin(argc, argv, "graph", "Graphs of a chain of small kernels, launched and changed.");
    while ((device = bench_next_device())) {
        measure(device);
        yoke_device_release(device);
    }
    return bench_end();
}
