/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How well an exchange hides behind a kernel: Jacobi's iteration on a square of points for each rank, of which each step exchanges
 * the first and the last row with the ranks above and below, in a ring, while the points between are computed. Beside it the same
 * steps without the exchange, which a rank alone would take, and the exchange without the steps.
 */
#include <stdio.h>
#include <stdlib.h>

#include "comm.h"

enum { STEPS = 50 };

static const char text[] =
    "#include <yoke/kernel.h>\n"
    "YOKE_KERNEL void relax(YOKE_GLOBAL const float *from, YOKE_GLOBAL float *to, int width, int first, int step, int count)\n"
    "{\n"
    "    int i = (int)yoke_global_x(), x = i % width, at;\n"
    "    if (i >= count || x == 0 || x == width - 1)\n"
    "        return;\n"
    "    at = (first + i / width * step) * width + x;\n"
    "    to[at] = 0.25f * ((from[at - 1] + from[at + 1]) + (from[at - width] + from[at + width]));\n"
    "}\n";

/* Rows 1 to `side` are this rank's, 0 and side + 1 its neighbours'. */
typedef struct square {
    int side;
    yoke_buffer *plate[2];
    yoke_kernel *relax;
    yoke_stream *inner, *edges; /* the communicator's */
    const setting *s;
} square;

typedef enum way { ALONE, EXCHANGED, EXCHANGE_ONLY, WAYS } way;

static void exchange(const square *q, yoke_buffer *plate)
{
    int64_t side = q->side;
    int32_t above = (q->s->rank + q->s->ranks - 1) % q->s->ranks, below = (q->s->rank + 1) % q->s->ranks;
    const yoke_comm_message messages[] = {
        { YOKE_COMM_SEND, above, 1, yoke_comm_array(plate, YOKE_F32, side, side) },
        { YOKE_COMM_SEND, below, 2, yoke_comm_array(plate, YOKE_F32, side * side, side) },
        { YOKE_COMM_RECEIVE, below, 1, yoke_comm_array(plate, YOKE_F32, (side + 1) * side, side) },
        { YOKE_COMM_RECEIVE, above, 2, yoke_comm_array(plate, YOKE_F32, 0, side) },
    };
    measure_must(yoke_comm_group(q->edges, q->s->comm, messages, sizeof messages / sizeof messages[0]));
}

static void relax(const square *q, yoke_buffer *from, yoke_buffer *to, int first, int step, int rows)
{
    int count = rows * q->side;
    measure_must(yoke_launch_n(q->inner, q->relax, (size_t)count, YOKE_ARGS(from, to, q->side, first, step, count)));
}

static void step(const square *q, way how, int i)
{
    yoke_buffer *from = q->plate[i % 2], *to = q->plate[(i + 1) % 2];
    yoke_event *before, *exchanged = NULL;
    if (how == EXCHANGE_ONLY) {
        exchange(q, from);
        return;
    }
    if (how == EXCHANGED) {
        measure_must(yoke_event_record(q->inner, 0, &before));
        measure_must(yoke_stream_wait_event(q->edges, before));
        exchange(q, from);
        measure_must(yoke_event_record(q->edges, 0, &exchanged));
        yoke_event_release(before);
    }
    relax(q, from, to, 2, 1, q->side - 2);
    if (exchanged)
        measure_must(yoke_stream_wait_event(q->inner, exchanged));
    yoke_event_release(exchanged);
    relax(q, from, to, 1, q->side - 1, 2); /* the first row and the last */
}

/* Nanoseconds of a step, of the slowest rank. */
static double measure_steps(const square *q, way how)
{
    double own, slowest;
    must_mpi(MPI_Barrier(MPI_COMM_WORLD));
    double start = measure_now();
    for (int i = 0; i < STEPS; i++)
        step(q, how, i);
    measure_must(yoke_stream_wait(q->inner));
    measure_must(yoke_stream_wait(q->edges));
    own = (measure_now() - start) / STEPS;
    must_mpi(MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    return slowest;
}

static void print(const square *q, const double *medians)
{
    static const char *const names[WAYS] = { "alone", "yoke", "exchange" };
    char name[64];
    for (int i = 0; i < WAYS; i++) {
        snprintf(name, sizeof name, "jacobi_%d.%s", q->side, names[i]);
        bench_print(q->s->info.backend, name, medians[i] / 1e3, "us");
    }
    snprintf(name, sizeof name, "jacobi_%d.weak_scaling", q->side);
    bench_print(q->s->info.backend, name, medians[ALONE] / medians[EXCHANGED], "of_alone");
    snprintf(name, sizeof name, "jacobi_%d.hidden", q->side);
    bench_print(q->s->info.backend, name, 1 - (medians[EXCHANGED] - medians[ALONE]) / medians[EXCHANGE_ONLY], "of_exchange");
}

static void measure_square(square *q)
{
    size_t bytes = ((size_t)q->side + 2) * (size_t)q->side * sizeof(float), rounds = (size_t)bench_option.rounds;
    double *times = calloc(WAYS * rounds, sizeof *times), medians[WAYS];
    if (!times)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 2; i++) {
        measure_must(yoke_buffer_create(q->s->device, bytes, &q->plate[i]));
        measure_must(yoke_fill(q->inner, q->plate[i], 0, bytes, &(float){ 1 }, sizeof(float)));
    }
    measure_must(yoke_stream_wait(q->inner));
    for (int i = 0; i < WAYS; i++)
        (void)measure_steps(q, (way)i);
    for (size_t k = 0; k < rounds; k++) /* by turns */
        for (size_t i = 0; i < WAYS; i++)
            times[i * rounds + k] = measure_steps(q, (way)i);
    for (size_t i = 0; i < WAYS; i++)
        medians[i] = measure_median(times + i * rounds, rounds);
    if (q->s->rank == 0)
        print(q, medians);
    free(times);
    yoke_buffer_release(q->plate[0]);
    yoke_buffer_release(q->plate[1]);
}

void measure_jacobi(const setting *s)
{
    const yoke_source source = { .name = "jacobi", .text = text };
    yoke_program *program;
    square q = { .edges = s->stream, .s = s };
    measure_must(yoke_program_build(s->device, &source, &program));
    measure_must(yoke_kernel_get(program, "relax", &q.relax));
    measure_must(yoke_stream_create(s->device, NULL, &q.inner));
    for (q.side = s->info.kind == YOKE_DEVICE_GPU ? 2048 : 512; q.side <= (s->info.kind == YOKE_DEVICE_GPU ? 8192 : 1024);
         q.side *= 2)
        measure_square(&q);
    yoke_stream_release(q.inner);
    yoke_program_release(program);
}
