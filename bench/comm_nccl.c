/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL as a program without Yoke would call it: its own communicator, and a stream of CUDA's. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

#include <yoke/native.h>

#include "comm.h"

enum { NCCL_UINT8 = 1, NCCL_FLOAT32 = 7, NCCL_SUM = 0 }; /* of nccl.h */

typedef struct identity {
    char bytes[128];
} identity;

static struct {
    int (*get_identity)(identity *out_identity);
    int (*init)(void **out_comm, int ranks, identity id, int rank);
    int (*destroy)(void *comm);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*send)(const void *from, size_t count, int type, int peer, void *comm, void *stream);
    int (*receive)(void *to, size_t count, int type, int peer, void *comm, void *stream);
    int (*allreduce)(const void *from, void *to, size_t count, int type, int operation, void *comm, void *stream);
    int (*set_current)(void *context);
    int (*stream_create)(void **out_stream, unsigned flags);
    int (*stream_wait)(void *stream);
    int (*stream_destroy)(void *stream);
    void *comm, *stream;
    char *in, *out;
} nccl;

static void must(const char *call, int result)
{
    if (result == 0)
        return;
    fprintf(stderr, "comm: %s by hand has failed: %d\n", call, result);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Yoke has opened both libraries, wherever it has found them. */
static bool find_all(void)
{
    void *library = dlopen("libnccl.so.2", RTLD_NOW), *driver = dlopen("libcuda.so.1", RTLD_NOW);
    return bench_find(library, "ncclGetUniqueId", &nccl.get_identity) && bench_find(library, "ncclCommInitRank", &nccl.init) &&
           bench_find(library, "ncclCommDestroy", &nccl.destroy) && bench_find(library, "ncclGroupStart", &nccl.group_start) &&
           bench_find(library, "ncclGroupEnd", &nccl.group_end) && bench_find(library, "ncclSend", &nccl.send) &&
           bench_find(library, "ncclRecv", &nccl.receive) && bench_find(library, "ncclAllReduce", &nccl.allreduce) &&
           bench_find(driver, "cuCtxSetCurrent", &nccl.set_current) && bench_find(driver, "cuStreamCreate", &nccl.stream_create) &&
           bench_find(driver, "cuStreamSynchronize", &nccl.stream_wait) &&
           bench_find(driver, "cuStreamDestroy_v2", &nccl.stream_destroy);
}

bool nccl_open(const setting *s)
{
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    identity id = { { 0 } };
    uintptr_t in, out;
    int own = find_all(), all;
    must_mpi(MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    if (!all)
        return false;
    measure_must(yoke_device_get_native(s->device, &native));
    measure_must(yoke_buffer_get_native(s->in, &in));
    measure_must(yoke_buffer_get_native(s->out, &out));
    nccl.in = (char *)in;
    nccl.out = (char *)out;
    must("cuCtxSetCurrent", nccl.set_current(native.context));
    must("cuStreamCreate", nccl.stream_create(&nccl.stream, 1)); /* not ordered with the default stream */
    if (s->rank == 0)
        must("ncclGetUniqueId", nccl.get_identity(&id));
    must_mpi(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
    must("ncclCommInitRank", nccl.init(&nccl.comm, s->ranks, id, s->rank));
    return true;
}

static void exchange(int next, int before, size_t size)
{
    must("ncclGroupStart", nccl.group_start());
    must("ncclSend", nccl.send(nccl.in, size, NCCL_UINT8, next, nccl.comm, nccl.stream));
    must("ncclRecv", nccl.receive(nccl.out, size, NCCL_UINT8, before, nccl.comm, nccl.stream));
    must("ncclGroupEnd", nccl.group_end());
}

static void alltoall(int ranks, size_t part)
{
    must("ncclGroupStart", nccl.group_start());
    for (int i = 0; i < ranks; i++) {
        must("ncclSend", nccl.send(nccl.in + (size_t)i * part, part, NCCL_UINT8, i, nccl.comm, nccl.stream));
        must("ncclRecv", nccl.receive(nccl.out + (size_t)i * part, part, NCCL_UINT8, i, nccl.comm, nccl.stream));
    }
    must("ncclGroupEnd", nccl.group_end());
}

void nccl_run(const setting *s, nccl_case which, size_t size)
{
    switch (which) {
    case NCCL_MESSAGE:
        if (s->rank == 0)
            must("ncclSend", nccl.send(nccl.in, size, NCCL_UINT8, 1, nccl.comm, nccl.stream));
        else if (s->rank == 1)
            must("ncclRecv", nccl.receive(nccl.out, size, NCCL_UINT8, 0, nccl.comm, nccl.stream));
        break;
    case NCCL_EXCHANGE:
        exchange((s->rank + 1) % s->ranks, (s->rank + s->ranks - 1) % s->ranks, size);
        break;
    case NCCL_ALLREDUCE:
        must("ncclAllReduce",
             nccl.allreduce(nccl.in, nccl.out, size / sizeof(float), NCCL_FLOAT32, NCCL_SUM, nccl.comm, nccl.stream));
        break;
    case NCCL_ALLTOALL:
        alltoall(s->ranks, size / (size_t)s->ranks);
        break;
    }
}

void nccl_wait(void)
{
    must("cuStreamSynchronize", nccl.stream_wait(nccl.stream));
}

void nccl_close(void)
{
    must("ncclCommDestroy", nccl.destroy(nccl.comm));
    must("cuStreamDestroy", nccl.stream_destroy(nccl.stream));
}
