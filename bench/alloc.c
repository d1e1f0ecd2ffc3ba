/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocating and freeing, beside the driver's own ways (measure.h names them): again and again, the first time, and with a kernel
 * in between that nobody waits for. Times are those of the calls alone.
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"

/* On a side that keeps nothing from before but what a pool of the driver's does. */
static void print_first(const char *backend, const measure_case *which, const char *side, const measure_batch *batch)
{
    char text[96];
    measure_batch once = *batch;
    if (!once.self)
        return;
    once.count = 1;
    once.size = which->size;
    once.way = which->way;
    once.side->reserve(once.self, 0, 0);
    snprintf(text, sizeof text, "%s_first.%s", which->program_name, side);
    bench_print(backend, text, which->run(&once) / 1e3, "us");
}

static void measure(yoke_device *device, const yoke_device_info *info)
{
    measure_pair pair;
    bench_open(&pair, device);
    for (size_t i = 0; i < measure_case_count; i++) {
        const measure_case *which = &measure_cases[i];
        if (which->group != MEASURE_ALLOC || which->size > bench_option.largest || which->size > info->max_buffer ||
            (which->way == MEASURE_PRESENT && strcmp(info->backend, "opencl") != 0))
            continue;
        if (!strstr(which->program_name, "launch")) {
            print_first(info->backend, which, "raw", &pair.batch[MEASURE_RAW]);
            print_first(info->backend, which, "yoke", &pair.batch[MEASURE_YOKE]);
        }
        bench_case(info->backend, which, &pair);
    }
    measure_close(&pair);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "alloc", "Allocating and freeing memory.", measure);
}
