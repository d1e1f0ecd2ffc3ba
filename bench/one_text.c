/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Six kernels in one text for both languages (<yoke/kernel.h>) beside the same kernels written for one language, by turns: the time
 * of a launch of each, and the ratio of the two. Sizes grow until a launch takes a millisecond, so it measures kernels, not calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "../tests/one_text/six.h"

#define ENOUGH 1e6 /* nanoseconds of one launch */
#define BATCH 5e6  /* nanoseconds of a batch */

/* A side: its work, and the launches of a batch. */
typedef struct side {
    const six_kernel *kernel;
    six_work work;
    int launches;
} side;

static double run(const measure_batch *batch)
{
    const side *s = batch->self;
    double start = measure_now();
    for (int i = 0; i < s->launches; i++)
        measure_must(s->kernel->launch(&s->work));
    measure_must(yoke_stream_wait(s->work.stream));
    return measure_now() - start;
}

static void release(side *s)
{
    for (int i = 0; i < SIX_BUFFERS; i++) {
        yoke_buffer_release(s->work.buffers[i]);
        s->work.buffers[i] = NULL;
    }
}

/* Buffers for this size, with the same content on both sides. */
static void reserve(yoke_device *device, side *s, int32_t n)
{
    size_t bytes[SIX_BUFFERS] = { 0 };
    s->kernel->sizes((size_t)n, bytes);
    s->work.n = n;
    for (int i = 0; i < SIX_BUFFERS && bytes[i] > 0; i++) {
        void *content = malloc(bytes[i]);
        if (!content)
            measure_fail("one_text", "out of memory");
        six_fill(s->kernel, i, content, bytes[i]);
        measure_must(yoke_buffer_create(device, bytes[i], &s->work.buffers[i]));
        measure_must(yoke_write_sync(s->work.stream, s->work.buffers[i], 0, content, bytes[i]));
        free(content);
    }
}

/* The shortest of three launches, after one that does not count. */
static double shortest(side *s)
{
    measure_batch batch = { .self = s };
    double best = 0;
    s->launches = 1;
    for (int i = 0; i < 4; i++) {
        double time = run(&batch);
        best = i == 1 || (i > 1 && time < best) ? time : best;
    }
    return best;
}

/* Grow the work until a launch takes long enough; returns its time. */
static double grow(yoke_device *device, side *s)
{
    for (int32_t n = s->kernel->small;; n *= 2) {
        reserve(device, s, n);
        double time = shortest(s);
        if (time >= ENOUGH || n > s->kernel->most / 2)
            return time;
        release(s);
    }
}

static void print(const char *backend, const six_kernel *kernel, const char *what, double value, const char *unit)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", kernel->name, what);
    bench_print(backend, name, value, unit);
}

static void compare(yoke_device *device, const char *backend, const six_kernel *kernel, yoke_program *one_text, yoke_stream *stream)
{
    side one = { kernel, { .stream = stream }, 1 }, twin = one;
    measure_pair pair = { { { .run = run, .self = &twin }, { .run = run, .self = &one } } };
    size_t rounds = (size_t)bench_option.rounds;
    yoke_source source;
    yoke_program *program;

    measure_must(six_twin(kernel, &source));
    measure_must(yoke_program_build(device, &source, &program));
    measure_must(yoke_kernel_get(program, kernel->name, &twin.work.kernel));
    measure_must(yoke_kernel_get(one_text, kernel->name, &one.work.kernel));
    double time = grow(device, &twin);
    /* The same buffers on both sides, so that where memory lies makes no difference. */
    memcpy(one.work.buffers, twin.work.buffers, sizeof one.work.buffers);
    one.work.n = twin.work.n;
    one.launches = twin.launches = time < BATCH ? (int)(BATCH / time) + 1 : 1;
    measure_times times = measure_by_turns(&pair, rounds, rounds, 0);
    print(backend, kernel, "twin", measure_median(times.raws, rounds) / twin.launches / 1e3, "us");
    print(backend, kernel, "one_text", measure_median(times.yokes, rounds) / one.launches / 1e3, "us");
    print(backend, kernel, "ratio", times.ratio, "of_twin");
    free(times.raws);
    release(&twin);
    yoke_program_release(program);
}

static void measure(yoke_device *device, const yoke_device_info *info)
{
    yoke_source source = six_one_text();
    yoke_program *program;
    yoke_stream *stream;
    measure_must(yoke_program_build(device, &source, &program));
    measure_must(yoke_stream_create(device, NULL, &stream));
    for (int i = 0; i < SIX_KERNELS; i++)
        compare(device, info->backend, &six_kernels[i], program, stream);
    yoke_stream_release(stream);
    yoke_program_release(program);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "one_text", "Kernels in one text for both languages, beside kernels written for one language.",
                      measure);
}
