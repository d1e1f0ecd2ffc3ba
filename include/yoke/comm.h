/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libyoke-comm: many processes (-lyoke-comm). MPI and NCCL in the order of Yoke's streams. The rules at the top of <yoke/yoke.h>
 * apply here too, and these:
 *
 *  - Each process is a rank of a communicator, with one device. A stream that communicates is added to the communicator, by all
 *    ranks; the n-th stream that a rank adds meets the n-th of every other rank, and no other: streams do not disturb each other.
 *  - An operation is enqueued in a stream, like a copy, and does not block. It completes in the stream's order: data is sent after
 *    the kernels before it, and the kernels behind it read what was received. No processor is busy while the stream waits.
 *  - Arrays are contiguous; yoke_assign packs any other. A count of 0 is valid. yoke_comm_array makes an array of part of a buffer.
 *  - YOKE_E_INVALID_ARGUMENT, with a text that names what is wrong: an array is invalid, not contiguous, begins at no multiple
 *    of its elements' size, belongs to another device or is read-only where it is written; two arrays of a call overlap where this
 *    is not allowed; dtypes or sizes do not fit; a rank or tag is out of range; the stream has not been added to the communicator.
 *    YOKE_E_RANGE: an array does not lie within its buffer. A stream that has failed returns its failure. An operation's own
 *    comment lists only further statuses.
 *  - A failure of one rank fails all. When a stream has failed at one rank (a kernel, a host function, an operation here), the
 *    streams that meet it fail at their next or present operation, with the rank and its failure in their records, instead of
 *    waiting for ever. A process that exits before it has released its communicators has failed in this sense, and so has a rank
 *    that does not answer for YOKE_COMM_TIMEOUT seconds (by default 600; 0: no limit). The statuses:
 *    YOKE_E_INVALID_ARGUMENT: the ranks do not agree on the operation, its sizes or dtypes; a rank that takes no part in the
 *    operation, as in a message between two others, gets this status too. YOKE_E_DRIVER: MPI has failed.
 *    YOKE_E_HOST_FUNCTION: another rank has failed in another way, or does not answer; at the time limit of a collective operation,
 *    the text names the ranks that did not reach it. To go on, recover the stream and add it again, by all ranks.
 *    YOKE_E_UNAVAILABLE: MPI_Finalize has been called: an operation that was under way has failed, and a new one is refused.
 *  - Data that is staged in host memory takes page-locked memory, in pieces of 1 MiB: at most YOKE_COMM_PINNED MiB (by default 64;
 *    at least 2) for each added stream, which keeps it until it fails. Messages of larger groups take turns, and no message waits
 *    for another whose rank is late.
 *  - yoke_stream_cancel does not end an operation that the stream waits for: the operation goes on until the other ranks reach it,
 *    one of them fails, or the time limit is reached.
 *  - After a failure, the contents of arrays that operations under way were to receive are undefined, and may change until the
 *    communicator is released.
 *  - With NCCL (yoke_comm_info.transport), messages between two ranks are received in the order in which they are sent, and those
 *    of a group in the order of their tags. The ranks' operations are compared beside the stream, which fails a moment later. Where
 *    one rank enqueues a reduction that NCCL lacks, which is staged, and another rank a different operation, only the time limit
 *    ends the wait.
 *  - Operations can be recorded in graphs. A recorded operation meets those of the stream that it was recorded in: launch the graph
 *    in this stream.
 *
 * A forked child of a process that has used this library is not a rank: its calls return YOKE_E_FORKED before they call MPI, and
 * its releases do nothing.
 *
 * The program initialises MPI, with MPI_THREAD_MULTIPLE, and releases its communicators before MPI_Finalize. MPI is not needed to
 * compile with this header.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
 *     MPI_Comm world = MPI_COMM_WORLD;
 *     yoke_comm_open_device(&world, &device);
 *     yoke_stream_create(device, &stream);
 *     yoke_comm_create(device, &world, &comm);
 *     yoke_comm_add(comm, stream);
 *     yoke_comm_allreduce(stream, comm, YOKE_REDUCE_SUM, &out, &in);
 */
#ifndef YOKE_COMM_H
#define YOKE_COMM_H

#include <yoke/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Communicators ------------------------------------------------------------------------------------------------------ */

typedef struct yoke_comm yoke_comm; /* ranks that communicate, one device each */

/* Open this rank's device: the one that YOKE_DEVICE selects; else the devices of the best device's backend and kind are assigned
 * to the ranks of the same machine in turn, and from the first again where there are more ranks than devices. `mpi_comm`: the
 * address of an MPI_Comm; all its ranks must call this. Blocks. Statuses as yoke_device_open and yoke_comm_create. */
YOKE_API yoke_status yoke_comm_open_device(const void *mpi_comm, yoke_device **out_device);

/* Create a communicator of all ranks of an MPI communicator, which is duplicated. All ranks must call this, each with its device,
 * which may be of any backend. `mpi_comm`: the address of an MPI_Comm, `&world`. Blocks until all ranks have called it. Where one
 * rank fails, all do. YOKE_E_INVALID_ARGUMENT: mpi_comm is NULL or MPI_COMM_NULL, an intercommunicator, or YOKE_COMM,
 * YOKE_COMM_TIMEOUT or YOKE_COMM_PINNED have an unknown value. YOKE_E_UNAVAILABLE: MPI is not initialised or already finalised, was
 * initialised without MPI_THREAD_MULTIPLE, or another rank has failed; or the transport that YOKE_COMM asks for is missing: the
 * text says why. YOKE_E_DRIVER: MPI has failed. */
YOKE_API yoke_status yoke_comm_create(yoke_device *device, const void *mpi_comm, yoke_comm **out_comm);

/* Take another reference, which yoke_comm_release releases. NULL for NULL. */
YOKE_API yoke_comm *yoke_comm_retain(yoke_comm *comm);
/* Release a reference. Operations in streams keep the communicator alive: wait for the streams first, so that the last release is
 * this one. All ranks must release, before MPI_Finalize. */
YOKE_API void yoke_comm_release(yoke_comm *comm);

/* Add a stream of the communicator's device, which is kept alive by it. All ranks must call this, and add their streams in the same
 * order. A stream that is added again, after a failure, meets the others anew. Blocks until all ranks have called it; operations in
 * the stream are refused meanwhile. Where one rank fails, the others fail when they add theirs, or in the first operation; only
 * YOKE_E_OUT_OF_HOST_MEMORY of one rank may go unnoticed by the others. To go on, release the communicator and create another: MPI
 * may not have ended what was begun. YOKE_E_INVALID_ARGUMENT: the stream is of another device. YOKE_E_HOST_FUNCTION: another rank
 * has failed, or does not answer. YOKE_E_DRIVER: MPI has failed. */
YOKE_API yoke_status yoke_comm_add(yoke_comm *comm, yoke_stream *stream);

/* Transports: how data moves between ranks. */
typedef int32_t yoke_comm_transport;
enum {
    YOKE_COMM_TRANSPORT_STAGED = 1, /* through host memory, in pieces, by any MPI; without copies where a device's memory is the
                                       host's */
    YOKE_COMM_TRANSPORT_MPI = 2,    /* by an MPI that knows CUDA's memory, as a test at the start has proved: messages */
    YOKE_COMM_TRANSPORT_NCCL = 3    /* by NCCL, in CUDA's own streams: all but reductions that it does not have */
};

/* The description of a communicator. The caller sets `size` (YOKE_COMM_INFO_INIT). */
typedef struct yoke_comm_info {
    size_t size;                                  /* sizeof(yoke_comm_info) */
    int32_t rank;                                 /* this process's, from 0 */
    int32_t ranks;                                /* how many there are */
    int32_t local_rank;                           /* this process's among those of the same machine */
    int32_t local_ranks;                          /* how many these are */
    int32_t sharing;                              /* how many ranks use this rank's device, this one included */
    yoke_comm_transport transport;                /* of all operations that it can take */
    char reason[160];                             /* why this transport was selected */
    char mpi[96];                                 /* the MPI library's name and version */
    uint64_t staged_bytes, mpi_bytes, nccl_bytes; /* what operations have read and written here so far, by transport */
} yoke_comm_info;

#define YOKE_COMM_INFO_INIT                                       \
    {                                                             \
        sizeof(yoke_comm_info), 0, 0, 0, 0, 0, 0, "", "", 0, 0, 0 \
    }

/* Get the description of a communicator. YOKE_E_INVALID_ARGUMENT: out_info is NULL or its size is 0. */
YOKE_API yoke_status yoke_comm_get_info(const yoke_comm *comm, yoke_comm_info *out_info);

/* ---- Messages ----------------------------------------------------------------------------------------------------------- */

/* No rank, as MPI_PROC_NULL: nothing is sent or received, as at the edge of a grid. */
enum { YOKE_COMM_NULL = -1 };

enum { YOKE_COMM_MAX_TAG = 32765 };

/* Make an array of `count` elements of the buffer, from its element `first` on. Where `first` is negative or beyond any buffer, the
 * array's dtype is 0, which every operation refuses. */
static inline yoke_array yoke_comm_array(yoke_buffer *buffer, yoke_dtype dtype, int64_t first, int64_t count)
{
    yoke_array array = { YOKE_NULL, 0, 0, 1, { 0, 0, 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0, 0, 0 } };
    uint64_t bytes = 0;
    switch (dtype) {
#define YOKE_COMM_BYTES(name, value, text, size) \
    case value:                                  \
        bytes = size;                            \
        break;
        YOKE_DTYPE_LIST(YOKE_COMM_BYTES)
#undef YOKE_COMM_BYTES
    default:
        break;
    }
    array.buffer = buffer;
    array.dtype = first < 0 || first > INT64_MAX / 16 ? 0 : dtype; /* 16: the largest elements */
    array.offset = array.dtype ? YOKE_CAST(uint64_t, first) * bytes : 0;
    array.shape[0] = count;
    array.strides[0] = 1;
    return array;
}

/* Send an array to rank `peer`. The receive there must have the same tag, number of elements and dtype. Messages with the same tag
 * from one rank's stream to another's arrive in order. The stream may wait until the message is received: two ranks that send to
 * each other need yoke_comm_sendrecv. `tag`: 0 to YOKE_COMM_MAX_TAG. */
#define yoke_comm_send(...) yoke_comm_send_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_send_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *array,
                                       int32_t peer, int32_t tag);

/* Receive an array from rank `peer`. */
#define yoke_comm_receive(...) yoke_comm_receive_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_receive_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *array,
                                          int32_t peer, int32_t tag);

/* Send `in` to rank `target` and receive `out` from rank `source`, as one operation: both make progress at once, so that ranks in a
 * circle do not wait for each other. `in` and `out` must not overlap. */
#define yoke_comm_sendrecv(...) yoke_comm_sendrecv_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_sendrecv_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out,
                                           int32_t source, const yoke_array *in, int32_t target, int32_t tag);

/* Directions of messages. */
typedef int32_t yoke_comm_direction;
enum { YOKE_COMM_SEND = 1, YOKE_COMM_RECEIVE = 2 };

/* One message of a group. */
typedef struct yoke_comm_message {
    yoke_comm_direction direction; /* YOKE_COMM_SEND or YOKE_COMM_RECEIVE */
    int32_t peer;                  /* a rank, or YOKE_COMM_NULL */
    int32_t tag;                   /* 0 to YOKE_COMM_MAX_TAG */
    yoke_array array;              /* what is sent, or where it is received */
} yoke_comm_message;

/* Send and receive `count` messages as one operation: all make progress at once. An array that is received must not overlap another
 * one of the group. `messages` is read during the call. YOKE_E_INVALID_ARGUMENT: a direction is unknown. */
#define yoke_comm_group(...) yoke_comm_group_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_group_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_comm_message *messages,
                                        size_t count);

/* ---- Collective operations ---------------------------------------------------------------------------------------------- */

/*
 * All ranks enqueue the same operations, in the same order, with the same counts, dtypes, operations and roots: where they differ,
 * all of their streams fail with YOKE_E_INVALID_ARGUMENT. `n` is the number of elements that a rank contributes or gets, and
 * `ranks` the number of ranks of the communicator; shapes do not matter. An operation works in place where `in` and `out` are the
 * same array, or the smaller of them is this rank's part of the larger. Otherwise they must not overlap. An array that this rank
 * does not use (`out` of a gather at any rank but the root) may be NULL.
 */

/*
 * Elements are combined by YOKE_REDUCE_SUM, _PRODUCT, _MIN, _MAX, _AND, _OR or _XOR (<yoke/array.h>). Integers wrap. float16 and
 * bfloat16 are computed as float, and rounded at each step. MPI, or NCCL, chooses the order of floating-point operations. Complex
 * numbers have sums and products only; floating-point numbers have no operations on bits; bool has no sums and products, and any
 * byte but 0 counts as 1.
 */

/* Copy the root's array to that of every other rank. */
#define yoke_comm_broadcast(...) yoke_comm_broadcast_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_broadcast_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *array,
                                            int32_t root);

/* Combine the ranks' `in`, of n elements, element by element in the root's `out`. YOKE_E_INVALID_ARGUMENT: the dtype does not have
 * the operation. */
#define yoke_comm_reduce(...) yoke_comm_reduce_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_reduce_at(const char *where, yoke_stream *stream, yoke_comm *comm, yoke_reduction reduction,
                                         const yoke_array *out, const yoke_array *in, int32_t root);

/* Combine the ranks' `in`, of n elements, element by element in the `out` of every rank. Statuses as yoke_comm_reduce. */
#define yoke_comm_allreduce(...) yoke_comm_allreduce_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_allreduce_at(const char *where, yoke_stream *stream, yoke_comm *comm, yoke_reduction reduction,
                                            const yoke_array *out, const yoke_array *in);

/* Combine the ranks' `in`, of ranks * n elements; `out`, of n elements, gets part `rank` of the result. Statuses as
 * yoke_comm_reduce. */
#define yoke_comm_reduce_scatter(...) yoke_comm_reduce_scatter_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_reduce_scatter_at(const char *where, yoke_stream *stream, yoke_comm *comm, yoke_reduction reduction,
                                                 const yoke_array *out, const yoke_array *in);

/* Put the ranks' `in`, of n elements, one behind the other into the `out` of every rank, of ranks * n elements. */
#define yoke_comm_allgather(...) yoke_comm_allgather_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_allgather_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out,
                                            const yoke_array *in);

/* Put the ranks' `in`, of n elements, one behind the other into the root's `out`, of ranks * n elements. */
#define yoke_comm_gather(...) yoke_comm_gather_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_gather_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out,
                                         const yoke_array *in, int32_t root);

/* Distribute the root's `in`, of ranks * n elements: part r becomes the `out` of rank r, of n elements. */
#define yoke_comm_scatter(...) yoke_comm_scatter_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_scatter_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out,
                                          const yoke_array *in, int32_t root);

/* Every rank distributes its `in`, of ranks * n elements: part r goes to rank r, where it becomes part `rank` of `out`. */
#define yoke_comm_alltoall(...) yoke_comm_alltoall_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_alltoall_at(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out,
                                           const yoke_array *in);

/* Let the stream wait until the streams of all ranks have reached their barrier. */
#define yoke_comm_barrier(...) yoke_comm_barrier_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_comm_barrier_at(const char *where, yoke_stream *stream, yoke_comm *comm);

#ifdef __cplusplus
}
#endif

#endif
