/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host functions through Yoke, and by hand: cuLaunchHostFunc on CUDA; on OpenCL a marker, its callback and a user event. Neither
 * way by hand keeps Yoke's promises; they are what there is beside it.
 *
 * A function that may call anything needs a thread of its own. What it costs on this machine to wake a thread, and to be woken by
 * it, is a figure without any driver.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"

#define SLEEP 10 /* milliseconds */

enum { CALLS = 50 };

MEASURE_RUN(call, , side->call(self, batch->count))
MEASURE_RUN(poll_twice, , side->launch_poll(self, 2 * batch->count, false))
MEASURE_RUN(call_sleepers, , side->call_sleepers(self, batch->count, SLEEP))

/* `way` goes into the names. Two kernels and a wait, without and with a host function between them: the difference is the
 * function's round trip. */
static void measure_calls(const char *backend, const char *way, measure_pair *pair)
{
    char name[64];
    double without = 0;
    for (size_t i = 0; i < measure_case_count; i++) {
        measure_case which = measure_cases[i];
        if (which.group != MEASURE_CALL)
            continue;
        snprintf(name, sizeof name, "%s%s", which.program_name, way);
        bool function = strcmp(which.program_name, "kernel_function_kernel_wait") == 0;
        bool pairs = strcmp(which.program_name, "pair") == 0;
        which.program_name = name;
        double time = bench_case(backend, &which, pair) / which.program_count;
        if (function) {
            snprintf(name, sizeof name, "round_trip%s.yoke", way);
            bench_print(backend, name, (time - without) / 1e3, "us");
        }
        if (pairs) {
            snprintf(name, sizeof name, "pairs_per_second%s.yoke", way);
            bench_print(backend, name, 1e9 / time, "1/s");
        }
        without = time;
    }
}

/* Kernel, function, kernel and a wait beside a thread that launches, polls an event, and does both again: it could call the
 * function in between, if the program had no other use for it. Nothing that leaves the second launch until the function has
 * returned is quicker, so what is more is the price of a thread of the function's own. */
static void measure_beside_one_thread(const char *backend, measure_pair *pair)
{
    measure_set(pair, call, NULL, 0, CALLS);
    pair->batch[MEASURE_RAW].run = poll_twice;
    bench_compare(backend, "kernel_function_kernel_wait_beside_one_thread", pair, CALLS, "us");
}

/* The two halves of poll_twice, on two threads that take turns. */
typedef struct halves {
    const measure_batch *batch;
    atomic_int whose;
} halves;

static void run_halves(halves *h, int mine)
{
    const measure_side *side = h->batch->side;
    side->enter(h->batch->self);
    for (int i = 0; i < h->batch->count; i++) {
        while (atomic_load_explicit(&h->whose, memory_order_acquire) != mine)
            ;
        side->launch_poll(h->batch->self, 1, false);
        atomic_store_explicit(&h->whose, !mine, memory_order_release);
    }
    side->leave(h->batch->self);
}

static void *run_other_half(void *argument)
{
    halves *h = argument;
    atomic_store(&h->whose, 0);
    run_halves(h, 1);
    return NULL;
}

static double poll_on_two_threads(const measure_batch *batch)
{
    halves h = { .batch = batch, .whose = 1 };
    pthread_t other;
    if (pthread_create(&other, NULL, run_other_half, &h))
        measure_fail("hostcall", "cannot start a thread");
    while (atomic_load(&h.whose) != 0)
        ;
    double start = measure_now();
    run_halves(&h, 0);
    pthread_join(other, NULL);
    return measure_now() - start;
}

/* How much of that a driver takes that is called by two threads by turns, neither of which ever sleeps. */
static void measure_beside_two_threads(const char *backend, measure_pair *pair)
{
    measure_set(pair, call, NULL, 0, CALLS);
    pair->batch[MEASURE_RAW].run = poll_on_two_threads;
    bench_compare(backend, "kernel_function_kernel_wait_beside_two_threads", pair, CALLS, "us");
}

/* Two threads that take turns, each asleep until it is its turn. */
typedef struct turns {
    pthread_mutex_t lock;
    pthread_cond_t changed[2];
    int whose;
} turns;

enum { TURNS = 5000 };

static void take_turns(turns *t, int mine)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&t->lock);
        while (t->whose != mine)
            pthread_cond_wait(&t->changed[mine], &t->lock);
        t->whose = !mine;
        pthread_cond_signal(&t->changed[!mine]);
        pthread_mutex_unlock(&t->lock);
    }
}

static void *take_other_turns(void *t)
{
    take_turns(t, 1);
    return NULL;
}

static void measure_threads(void)
{
    turns t = { PTHREAD_MUTEX_INITIALIZER, { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER }, 0 };
    pthread_t other;
    struct timespec start, end;

    if (pthread_create(&other, NULL, take_other_turns, &t))
        return;
    clock_gettime(CLOCK_MONOTONIC, &start);
    take_turns(&t, 0);
    pthread_join(other, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    bench_print("threads", "wake_and_be_woken",
                ((double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) / 1e3) / TURNS, "us");
}

static void measure(yoke_device *device, const yoke_device_info *info)
{
    measure_pair pair;
    bench_open(&pair, device);
    measure_reserve(&pair, 4096, 0);
    /* First, since a driver's threads for callbacks go on polling. Threads that poll would take a CPU's cores. */
    measure_beside_one_thread(info->backend, &pair);
    if (info->kind == YOKE_DEVICE_GPU)
        measure_beside_two_threads(info->backend, &pair);
    measure_calls(info->backend, "", &pair);
    yoke_device_set_wait(device, YOKE_WAIT_BLOCK); /* without the short spin */
    measure_calls(info->backend, "_block", &pair);
    yoke_device_set_wait(device, YOKE_WAIT_AUTO);

    int rounds = bench_option.rounds;
    bench_option.rounds = rounds < 5 ? rounds : 5;
    measure_set(&pair, call_sleepers, NULL, 0, MEASURE_STREAMS);
    bench_compare(info->backend, "64_streams_sleep_10ms", &pair, 1, "ms");
    bench_option.rounds = rounds;
    measure_close(&pair);
    measure_threads();
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "hostcall", "Host functions in a stream.", measure);
}
