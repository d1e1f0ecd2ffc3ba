/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host functions through Yoke, and by hand: cuLaunchHostFunc on CUDA; on OpenCL a marker, its callback and a user event. Neither
 * way by hand keeps Yoke's promises; they are what there is beside it.
 */
#include <stdio.h>

#include "bench.h"

#define PAIRS 1000
#define ROUND_TRIPS 50
#define SLEEP 10 /* milliseconds */

static double kernels(const bench_batch *batch)
{
    double start = bench_now();
    batch->side->kernels(batch->self, batch->count);
    return bench_now() - start;
}

static double call(const bench_batch *batch)
{
    double start = bench_now();
    batch->side->call(batch->self, batch->count);
    return bench_now() - start;
}

static double call_pairs(const bench_batch *batch)
{
    double start = bench_now();
    batch->side->call_pairs(batch->self, batch->count);
    return bench_now() - start;
}

static double call_sleepers(const bench_batch *batch)
{
    double start = bench_now();
    batch->side->call_sleepers(batch->self, batch->count, SLEEP);
    return bench_now() - start;
}

/* `way` goes into the names. */
static void measure_calls(const char *backend, const char *way, bench_batch *raw, bench_batch *yoke)
{
    char name[64];

    /* Two kernels and a wait, without and with a host function between them: the difference is the function's round trip. */
    yoke->count = raw->count = ROUND_TRIPS;
    yoke->run = raw->run = kernels;
    snprintf(name, sizeof name, "kernel_kernel_wait%s", way);
    double without = bench_compare(backend, name, raw, yoke, 1e3 * ROUND_TRIPS, "us");
    yoke->run = raw->run = call;
    snprintf(name, sizeof name, "kernel_function_kernel_wait%s", way);
    double with = bench_compare(backend, name, raw, yoke, 1e3 * ROUND_TRIPS, "us");
    snprintf(name, sizeof name, "round_trip%s.yoke", way);
    bench_print(backend, name, (with - without) / (1e3 * ROUND_TRIPS), "us");

    yoke->count = raw->count = PAIRS;
    yoke->run = raw->run = call_pairs;
    snprintf(name, sizeof name, "pair%s", way);
    double pairs = bench_compare(backend, name, raw, yoke, 1e3 * PAIRS, "us");
    snprintf(name, sizeof name, "pairs_per_second%s.yoke", way);
    bench_print(backend, name, PAIRS / pairs * 1e9, "1/s");
}

static void measure(yoke_device *device)
{
    const bench_side *by_hand = bench_raw(device);
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    if (yoke_device_get_info(device, &info) < 0)
        bench_fail("hostcall", yoke_error()->text);
    bench_batch yoke = { .side = &bench_yoke, .self = bench_yoke.open(device) };
    bench_batch raw = { .side = by_hand, .self = bench_option.no_raw ? NULL : by_hand->open(device) };

    measure_calls(info.backend, "", &raw, &yoke);
    yoke_device_set_wait(device, YOKE_WAIT_BLOCK); /* without the short spin */
    measure_calls(info.backend, "_block", &raw, &yoke);
    yoke_device_set_wait(device, YOKE_WAIT_AUTO);

    int rounds = bench_option.rounds;
    bench_option.rounds = rounds < 5 ? rounds : 5;
    yoke.count = raw.count = BENCH_STREAMS;
    yoke.run = raw.run = call_sleepers;
    bench_compare(info.backend, "64_streams_sleep_10ms", &raw, &yoke, 1e6, "ms");
    bench_option.rounds = rounds;

    if (raw.self)
        raw.side->close(raw.self);
    yoke.side->close(yoke.self);
}

int main(int argc, char **argv)
{
    yoke_device *device;
    bench_begin(argc, argv, "hostcall", "Host functions in a stream.");
    while ((device = bench_next_device())) {
        measure(device);
        yoke_device_release(device);
    }
    return bench_end();
}
