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

/* A batch is `count` graphs of `size` kernels. */
MEASURE_RUN(make, , {
    for (int i = 0; i < batch->count; i++)
        side->graph_make(self, (int)batch->size);
})
MEASURE_RUN(in_graph_wait, , {
    for (int i = 0; i < batch->count; i++) {
        side->graph_launch(self, 1);
        side->wait(self, 0);
    }
})
MEASURE_RUN(set_args, , side->graph_set_args(self, batch->count))
MEASURE_RUN(set_args_entered, , {
    for (int i = 0; i < batch->count; i++) {
        side->enter(self);
        side->graph_set_args(self, 1);
        side->leave(self);
    }
})
MEASURE_RUN(set_args_launch, , {
    for (int i = 0; i < batch->count; i++) {
        side->graph_set_args(self, 1);
        side->graph_launch(self, 1);
    }
    side->wait(self, 0);
})

/* `graphs`: `pair`, without the way by hand where the driver has no graphs. */
static void measure_chain(const char *backend, measure_pair *pair, measure_pair *graphs, int kernels)
{
    int count = KERNELS / kernels < LAUNCHES ? KERNELS / kernels : LAUNCHES;
    double all = (double)kernels * count;
    char number[16], name[64];

    snprintf(number, sizeof number, "%d", kernels);
    measure_make_graphs(graphs, kernels);
    measure_pair beside = *pair;
    measure_set(&beside, NULL, NULL, (size_t)kernels, count);
    int side = MEASURE_RAW; /* the stream's row is by hand what the graph's is through Yoke */
    for (size_t i = 0; i < measure_case_count; i++) {
        const measure_case *which = &measure_cases[i];
        if (which->group != MEASURE_GRAPH)
            continue;
        measure_pair *measured = side == MEASURE_RAW ? pair : graphs;
        measure_set(measured, which->run, NULL, (size_t)kernels, count);
        bench_compare(backend, bench_name(which->program_name, number, name), measured, all, which->unit);
        beside.batch[side++].run = which->run;
    }
    bench_compare(backend, bench_name("graph_#_beside_raw_stream", number, name), &beside, all, "ns");
    measure_set(graphs, in_graph_wait, NULL, (size_t)kernels, count);
    bench_compare(backend, bench_name("graph_#_wait", number, name), graphs, count, "us");
    measure_set(graphs, make, NULL, (size_t)kernels, 1);
    bench_compare(backend, bench_name("graph_#_make", number, name), graphs, 1, "us");
}

static void measure_changes(const char *backend, measure_pair *graphs)
{
    measure_pair pair = *graphs;
    measure_make_graphs(&pair, CHANGED);
    if (!pair.batch[MEASURE_RAW].side->graph_set_args)
        pair.batch[MEASURE_RAW].self = NULL;
    measure_set(&pair, set_args, NULL, CHANGED, CHANGES);
    bench_compare(backend, "set_args", &pair, CHANGES, "ns");
    measure_set(&pair, set_args_entered, NULL, CHANGED, CHANGES); /* by hand as well, the context is current in the call alone */
    bench_compare(backend, "set_args_in_any_context", &pair, CHANGES, "ns");
    measure_set(&pair, set_args_launch, NULL, CHANGED, LAUNCHES);
    bench_compare(backend, "set_args_launch", &pair, LAUNCHES, "us");
}

static void measure(yoke_device *device, const yoke_device_info *info)
{
    measure_pair pair, graphs;
    bench_open(&pair, device);
    measure_reserve(&pair, 4096, 0);
    graphs = pair;
    if (!measure_make_graphs(&pair, 0))
        graphs.batch[MEASURE_RAW].self = NULL;
    for (int kernels = 1; kernels <= 1000; kernels *= 10)
        measure_chain(info->backend, &pair, &graphs, kernels);
    measure_changes(info->backend, &graphs);
    measure_close(&pair);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "graph", "Graphs of a chain of small kernels, launched and changed.", measure);
}
