/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of bench/comm: what all have in common, NCCL by hand (comm_nccl.c), and an exchange beside a kernel (comm_jacobi.c). */
#ifndef BENCH_COMM_H
#define BENCH_COMM_H

#include <mpi.h>

#include <yoke/comm.h>

#include "bench.h"

typedef struct setting {
    int rank, ranks;
    bool by_nccl; /* the peer is NCCL by hand, and not MPI on the host's memory */
    yoke_device_info info;
    yoke_device *device;
    yoke_stream *stream;
    yoke_comm *comm;
    yoke_buffer *in, *out;
    char *host_in, *host_out;
} setting;

void must_mpi(int error);

typedef enum nccl_case { NCCL_MESSAGE, NCCL_EXCHANGE, NCCL_ALLREDUCE, NCCL_ALLTOALL } nccl_case;

/* All ranks together: a communicator and a stream of CUDA's. False, at all of them: there is no NCCL at one. */
bool nccl_open(const setting *s);
/* Enqueue an operation of `size` bytes, and wait for all. */
void nccl_run(const setting *s, nccl_case which, size_t size);
void nccl_wait(void);
void nccl_close(void);

/* Jacobi's iteration with an exchange in each step, and without one. */
void measure_jacobi(const setting *s);

#endif
