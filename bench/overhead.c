/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Yoke adds to the driver's own calls: the same small piece of work through Yoke and by hand, in short batches by turns. Times
 * are those of the calls alone, and what was given is waited for outside of them, except where a name says otherwise.
 */
#include <string.h>

#include "bench.h"

enum { WAITS = 100 };

MEASURE_RUN(launch_wait, , side->launch_wait(self, batch->count))
MEASURE_RUN(poll_launch, , side->launch_poll(self, batch->count, true))
MEASURE_RUN(poll_event, , side->launch_poll(self, batch->count, false))

/* Yoke's wait for a launch beside a wait by hand that keeps the same promises: it is for no later work, tells how the work ended,
 * and its thread may sleep when that takes long. So what is more than the driver's own wait is the price of these promises, and
 * the rest is Yoke's. */
static void beside_polled(const char *backend, const char *name, measure_pair *pair, double (*by_hand)(const measure_batch *batch))
{
    measure_set(pair, launch_wait, NULL, 0, WAITS);
    pair->batch[MEASURE_RAW].run = by_hand;
    bench_compare(backend, name, pair, WAITS, "ns");
}

static void measure(yoke_device *device, const yoke_device_info *info)
{
    measure_pair pair;
    yoke_buffer *pinned;
    measure_must(yoke_buffer_create_pinned(device, MEASURE_LARGE, &pinned));
    bench_open(&pair, device);
    measure_reserve(&pair, MEASURE_LARGE, 0);
    measure_set(&pair, NULL, memset(yoke_buffer_get_host(pinned), 1, MEASURE_LARGE), 0, 0);
    for (size_t i = 0; i < measure_case_count; i++) {
        const measure_case *which = &measure_cases[i];
        if (which->group != MEASURE_LAUNCH || !which->program_name)
            continue;
        double time = bench_case(info->backend, which, &pair);
        if (which->size == MEASURE_LARGE) {
            char name[64];
            bench_print(info->backend, strcat(strcpy(name, which->program_name), ".yoke_speed"), MEASURE_LARGE / time, "GB/s");
        }
    }
    beside_polled(info->backend, "launch_wait_beside_polled_event", &pair, poll_event);
    if (strcmp(info->backend, "opencl") == 0)
        beside_polled(info->backend, "launch_wait_beside_polled_launch", &pair, poll_launch);
    measure_close(&pair);
    yoke_buffer_release(pinned);
    bench_threads(info->backend, "launch_4_threads", device, 1000);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "overhead", "What Yoke adds to the driver's own calls.", measure);
}
