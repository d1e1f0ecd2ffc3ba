/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages and collectives of libyoke-comm, beside the same calls of MPI on plain host memory, or, where they go by NCCL, of NCCL
 * on the device's: run it under mpirun with two ranks or more. Of small ones, each is enqueued and waited for; of large ones, some
 * are enqueued one behind the other before the wait, as in a program. "--part exchange" measures this alone; "--part many" enqueues
 * 10^5 operations instead, and compares the last tenth with the first in time and memory; "--part jacobi" hides exchanges behind
 * kernels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "comm.h"

enum { MANY = 100000, TENTH = MANY / 10, SMALL = 65536, MUCH = 64 << 20 };

typedef enum peer { RAW, YOKE } peer;

void must_mpi(int error)
{
    if (error == MPI_SUCCESS)
        return;
    fprintf(stderr, "comm: MPI has failed: error %d\n", error);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- Operations: one of `size` bytes ---- */

/* From rank 0 to rank 1. */
static void run_message(setting *s, peer way, size_t size)
{
    MPI_Comm world = MPI_COMM_WORLD;
    yoke_array in = yoke_comm_array(s->in, YOKE_U8, 0, (int64_t)size), out = yoke_comm_array(s->out, YOKE_U8, 0, (int64_t)size);
    if (s->rank == 0 && way == RAW)
        must_mpi(MPI_Send(s->host_in, (int)size, MPI_BYTE, 1, 0, world));
    else if (s->rank == 1 && way == RAW)
        must_mpi(MPI_Recv(s->host_out, (int)size, MPI_BYTE, 0, 0, world, MPI_STATUS_IGNORE));
    else if (s->rank == 0)
        measure_must(yoke_comm_send(s->stream, s->comm, &in, 1, 0));
    else if (s->rank == 1)
        measure_must(yoke_comm_receive(s->stream, s->comm, &out, 0, 0));
}

static void run_exchange(setting *s, peer way, size_t size)
{
    int count = (int)size, next = (s->rank + 1) % s->ranks, before = (s->rank + s->ranks - 1) % s->ranks;
    yoke_array in = yoke_comm_array(s->in, YOKE_U8, 0, (int64_t)size), out = yoke_comm_array(s->out, YOKE_U8, 0, (int64_t)size);
    if (way == RAW) {
        must_mpi(MPI_Sendrecv(s->host_in, count, MPI_BYTE, next, 0, s->host_out, count, MPI_BYTE, before, 0, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
        return;
    }
    measure_must(yoke_comm_sendrecv(s->stream, s->comm, &out, before, &in, next, 0));
}

static void run_allreduce(setting *s, peer way, size_t size)
{
    int64_t count = (int64_t)(size / sizeof(float));
    yoke_array in = yoke_comm_array(s->in, YOKE_F32, 0, count), out = yoke_comm_array(s->out, YOKE_F32, 0, count);
    if (way == RAW) {
        must_mpi(MPI_Allreduce(s->host_in, s->host_out, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
        return;
    }
    measure_must(yoke_comm_allreduce(s->stream, s->comm, YOKE_REDUCE_SUM, &out, &in));
}

static void run_alltoall(setting *s, peer way, size_t size)
{
    size_t part = size / (size_t)s->ranks;
    int64_t count = (int64_t)(part * (size_t)s->ranks);
    yoke_array in = yoke_comm_array(s->in, YOKE_U8, 0, count), out = yoke_comm_array(s->out, YOKE_U8, 0, count);
    if (way == RAW) {
        must_mpi(MPI_Alltoall(s->host_in, (int)part, MPI_BYTE, s->host_out, (int)part, MPI_BYTE, MPI_COMM_WORLD));
        return;
    }
    measure_must(yoke_comm_alltoall(s->stream, s->comm, &out, &in));
}

static const struct {
    const char *name;
    void (*run)(setting *s, peer way, size_t size);
    nccl_case by_nccl;
} cases[] = { { "message", run_message, NCCL_MESSAGE },
              { "exchange", run_exchange, NCCL_EXCHANGE },
              { "allreduce", run_allreduce, NCCL_ALLREDUCE },
              { "alltoall", run_alltoall, NCCL_ALLTOALL } };

/* ---- Measuring ---- */

/* How many operations are measured at once. */
static size_t batch(size_t size)
{
    return size < SMALL ? 20 : size < MUCH / 64 ? 64 : size < MUCH ? MUCH / size : 1;
}

/* Nanoseconds of one operation, of the slowest rank. */
static double measure_one(setting *s, size_t which, peer way, size_t size)
{
    size_t times = batch(size);
    double own, slowest;
    must_mpi(MPI_Barrier(MPI_COMM_WORLD));
    double start = measure_now();
    bool raw_nccl = way == RAW && s->by_nccl;
    for (size_t i = 0; i < times; i++) {
        bool waits = size < SMALL || i + 1 == times;
        if (raw_nccl)
            nccl_run(s, cases[which].by_nccl, size);
        else
            cases[which].run(s, way, size);
        if (waits && raw_nccl)
            nccl_wait();
        else if (waits && way == YOKE)
            measure_must(yoke_stream_wait(s->stream));
    }
    own = (measure_now() - start) / (double)times;
    must_mpi(MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    return slowest;
}

static void measure(setting *s, size_t which, size_t size)
{
    size_t rounds = (size_t)bench_option.rounds;
    double *times = calloc(3 * rounds, sizeof *times);
    char name[64], text[96], size_name[16];
    if (!times)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 2; i++) {
        (void)measure_one(s, which, RAW, size);
        (void)measure_one(s, which, YOKE, size);
    }
    for (size_t i = 0; i < rounds; i++) { /* by turns */
        times[i] = measure_one(s, which, RAW, size);
        times[rounds + i] = measure_one(s, which, YOKE, size);
        times[2 * rounds + i] = times[rounds + i] / times[i];
    }
    double bytes = (double)size;
    double raw = measure_median(times, rounds), yoke = measure_median(times + rounds, rounds);
    double ratio = measure_median(times + 2 * rounds, rounds);
    free(times);
    if (s->rank > 0)
        return;
    bool small = size < SMALL;
    snprintf(name, sizeof name, "%s_%s", cases[which].name, bench_size_name(size, size_name));
    snprintf(text, sizeof text, "%s.raw", name);
    bench_print(s->info.backend, text, small ? raw / 1e3 : bytes / raw, small ? "us" : "GB/s");
    snprintf(text, sizeof text, "%s.yoke", name);
    bench_print(s->info.backend, text, small ? yoke / 1e3 : bytes / yoke, small ? "us" : "GB/s");
    snprintf(text, sizeof text, "%s.ratio", name);
    bench_print(s->info.backend, text, small ? ratio : 1 / ratio, small ? "of_raw" : "of_raw_rate");
}

/* ---- Many operations ---- */

static yoke_status note_time(yoke_status status, void *user)
{
    *(double *)user = measure_now();
    return status;
}

static long resident(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void measure_many(setting *s, bool exchange)
{
    double times[11];
    int64_t next = (s->rank + 1) % s->ranks, before = (s->rank + s->ranks - 1) % s->ranks;
    yoke_array in = yoke_comm_array(s->in, YOKE_F32, 0, 256), out = yoke_comm_array(s->out, YOKE_F32, 0, 256);
    const char *name = exchange ? "many_exchanges" : "many_allreduces";
    char text[64];
    long grown[2];
    for (int k = 0; k < 2; k++) {
        must_mpi(MPI_Barrier(MPI_COMM_WORLD));
        measure_must(yoke_host_call(s->stream, note_time, &times[0], NULL));
        for (int i = 1; i <= MANY; i++) {
            if (exchange)
                measure_must(yoke_comm_sendrecv(s->stream, s->comm, &out, (int32_t)before, &in, (int32_t)next, 0));
            else
                measure_must(yoke_comm_allreduce(s->stream, s->comm, YOKE_REDUCE_SUM, &out, &in));
            if (i % TENTH == 0)
                measure_must(yoke_host_call(s->stream, note_time, &times[i / TENTH], NULL));
        }
        measure_must(yoke_stream_wait(s->stream));
        grown[k] = resident();
    }
    if (s->rank > 0)
        return;
    double first = times[2] - times[1], last = times[10] - times[9];
    snprintf(text, sizeof text, "%s.first_tenth", name);
    bench_print(s->info.backend, text, first / TENTH / 1e3, "us");
    snprintf(text, sizeof text, "%s.last_tenth", name);
    bench_print(s->info.backend, text, last / TENTH / 1e3, "us");
    snprintf(text, sizeof text, "%s.second_time_grows", name);
    bench_print(s->info.backend, text, (double)(grown[1] - grown[0]) / 1024, "MiB");
}

static void open_all(setting *s, size_t largest)
{
    MPI_Comm world = MPI_COMM_WORLD;
    yoke_comm_info info = YOKE_COMM_INFO_INIT;
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    desc.priority = YOKE_MAX_PRIORITY; /* a kernel of NCCL's, so that it starts beside others that fill the device */
    s->info = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    if (bench_option.device)
        measure_must(yoke_device_open(bench_option.device, &s->device));
    else
        measure_must(yoke_comm_open_device(&world, &s->device));
    measure_must(yoke_device_get_info(s->device, &s->info));
    measure_must(yoke_stream_create(s->device, &desc, &s->stream));
    measure_must(yoke_comm_create(s->device, &world, &s->comm));
    measure_must(yoke_comm_add(s->comm, s->stream));
    measure_must(yoke_comm_get_info(s->comm, &info));
    measure_must(yoke_buffer_create(s->device, largest, &s->in));
    measure_must(yoke_buffer_create(s->device, largest, &s->out));
    measure_must(yoke_fill(s->stream, s->in, 0, largest, "", 1));
    measure_must(yoke_fill(s->stream, s->out, 0, largest, "", 1));
    measure_must(yoke_stream_wait(s->stream));
    s->host_in = calloc(1, largest);
    s->host_out = calloc(1, largest);
    if (!s->host_in || !s->host_out)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(s->host_in, 1, largest);
    memset(s->host_out, 1, largest);
    s->by_nccl = info.transport == YOKE_COMM_TRANSPORT_NCCL && nccl_open(s);
    if (s->rank == 0)
        fprintf(stderr, "# %d ranks, %s, %s; %s; the peer is %s\n", s->ranks, info.mpi, s->info.name, info.reason,
                s->by_nccl ? "NCCL by hand" : "MPI on the host's memory");
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = { 8, 8 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20 };
    setting s = { .rank = 0 };
    int level = 0;
    must_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
    must_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &s.rank));
    must_mpi(MPI_Comm_size(MPI_COMM_WORLD, &s.ranks));
    bench_begin(argc, argv, "comm", "Messages and collectives beside MPI; run it under mpirun.");
    if (s.ranks < 2) {
        fprintf(stderr, "comm: run this under mpirun, with two ranks or more\n");
        return 1;
    }
    open_all(&s, sizes[sizeof sizes / sizeof sizes[0] - 1]);
    if (bench_option.part && strcmp(bench_option.part, "many") == 0) {
        measure_many(&s, false);
        measure_many(&s, true);
    } else if (bench_option.part && strcmp(bench_option.part, "jacobi") == 0) {
        measure_jacobi(&s);
    } else {
        for (size_t which = 0; which < sizeof cases / sizeof cases[0]; which++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                if (sizes[i] <= bench_option.largest && (!bench_option.part || strcmp(bench_option.part, cases[which].name) == 0))
                    measure(&s, which, sizes[i]);
    }
    if (s.by_nccl)
        nccl_close();
    yoke_comm_release(s.comm);
    yoke_buffer_release(s.in);
    yoke_buffer_release(s.out);
    yoke_stream_release(s.stream);
    yoke_device_release(s.device);
    free(s.host_in);
    free(s.host_out);
    MPI_Finalize();
    return s.rank == 0 ? bench_end() : 0;
}
