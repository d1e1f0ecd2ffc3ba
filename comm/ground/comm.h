/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What communicators and their channels are made of: data that every room reads, and how they fail and end together. README.md has
 * the rules that this follows.
 */
#ifndef YCOMM_COMM_H
#define YCOMM_COMM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include <yoke/comm.h>

#include "api/dtypes.h"
#include "failure.h"

#define YCOMM_COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
/* The struct that `pointer` is a member of. */
#define YCOMM_OWNER(type, member, pointer) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* The size of a piece is part of the protocol: each rank cuts by the same rule. */
enum { YCOMM_PIECE = 1 << 20 };

enum { YCOMM_TRANSPORT_END = YOKE_COMM_TRANSPORT_NCCL + 1 }; /* transport/transports.h sees that no transport is beyond it */

/* What a rank tells the others when its stream has failed; or, with a status of 0, that it has come to a meeting and waits there.
 */
typedef struct ycomm_farewell {
    int32_t channel; /* its index */
    int32_t rank;
    uint64_t meeting; /* its number: YCOMM_ADDING, or that of a collective operation */
    ycomm_failure failure;
} ycomm_farewell;

enum { YCOMM_ADDING = 1 }; /* collective operations of the channel are counted from here on */

/* A farewell for a stream that this rank has not added yet. */
typedef struct ycomm_early {
    struct ycomm_early *next;
    ycomm_farewell farewell;
} ycomm_early;

/* What has been given up while MPI still had requests of it: kept until those are complete. */
typedef struct ycomm_abandoned {
    struct ycomm_abandoned *next;
    bool (*sweep)(struct ycomm_abandoned *abandoned); /* free it where MPI is done with it: whether that was so */
} ycomm_abandoned;

/* A stream of a communicator, and the communicator of MPI that is its own. */
typedef struct ycomm_channel {
    struct ycomm_channel *next;
    yoke_comm *comm;
    int32_t index; /* the same at all ranks */
    yoke_stream *stream;
    yoke_stream *copies; /* between the device and blocks, while the caller's stream waits */
    MPI_Comm mpi;
    pthread_mutex_t turn;       /* held by the run that is being carried out */
    struct ycomm_block *blocks; /* not in use; whoever has the turn takes them */
    atomic_bool ready;          /* added: `mpi` can be used */
    atomic_bool failed;         /* and `failure` is set, for good */
    ycomm_failure failure;      /* written under the communicator's lock */
    void *state;                /* the transport's */
    MPI_Comm beside;            /* the transport's; MPI_COMM_NULL without one */
    bool unmet;                 /* MPI still writes to `mpi` or `beside` */
    uint64_t meetings;          /* begun here; whoever has the turn counts */
    uint64_t *present;          /* the last meeting that each rank has said it waits at; under the communicator's lock */
    atomic_uint_fast64_t asked; /* the last meeting at which a rank says so: others do too */
} ycomm_channel;

/* What MPI is given of this rank's device memory. Each rank decides for itself: the pieces are the same. */
typedef enum ycomm_memory {
    YCOMM_IN_BLOCKS,   /* copies of it, in page-locked memory */
    YCOMM_ON_HOST,     /* its address: the device is the CPU */
    YCOMM_KNOWN_TO_MPI /* its address, by messages: the MPI knows CUDA's memory */
} ycomm_memory;

struct yoke_comm {
    uint64_t magic;
    atomic_uint references;
    void (*destroy)(yoke_comm *comm); /* for the last release: comm.c, on top */
    yoke_device *device;
    int32_t rank, ranks;
    uint64_t timeout;                        /* nanoseconds; UINT64_MAX: none */
    uint64_t blocks;                         /* the most that a channel may have at a time */
    const struct ycomm_transport *transport; /* of all operations that it takes; NULL before the ranks have chosen */
    const struct ycomm_transport *fallback;  /* of the others: it takes all */
    ycomm_memory memory;
    yoke_comm_info info;
    MPI_Comm control;          /* farewells */
    pthread_mutex_t listening; /* guards the next two; tried, never waited for, except at the end */
    MPI_Request incoming;      /* of `heard` */
    ycomm_farewell heard;
    pthread_mutex_t lock;              /* guards what follows, and failures of channels */
    _Atomic(ycomm_channel *) channels; /* the newest first; read without the lock, since they stay */
    int32_t channel_count;
    ycomm_early *early;
    struct ycomm_parting *partings; /* farewells on their way to the other ranks */
    ycomm_abandoned *abandoned;
    atomic_uint_fast64_t bytes[YCOMM_TRANSPORT_END]; /* by transport */
    yoke_comm *next_kept, *next_living;
};

/* A new communicator, with one reference; and whether a handle is a communicator that has not been released (comm.c). */
yoke_comm *ycomm_comm_create(void (*destroy)(yoke_comm *comm));
bool ycomm_is_comm(const yoke_comm *comm);

/* ---- Failures of channels: farewell.c ---- */

/* The channel has failed; the first failure stays. With `others`, the other ranks hear of it in these words. */
void ycomm_channel_fail(ycomm_channel *channel, const ycomm_failure *failure, const ycomm_failure *others);
/* Its failure; false when it has none. */
bool ycomm_channel_failure(ycomm_channel *channel, ycomm_failure *out_failure);
/* An operation has failed: the channel fails in these words, which `out_own` gets, and the other ranks hear of it. */
void ycomm_channel_op_failed(ycomm_channel *channel, const char *function, const char *where, const ycomm_failure *failure,
                             ycomm_failure *out_own);
/* A stream has failed outside: tell the others, in the words of the calling thread's record. */
void ycomm_channel_stream_failed(ycomm_channel *channel, yoke_status status, const char *function);
/* The channel has failed before it has met the others, who are told. The thread's record says why. */
yoke_status ycomm_add_failed(ycomm_channel *channel, const ycomm_failure *failure);
/* Tell the others that this rank waits at a meeting. */
void ycomm_channel_present(ycomm_channel *channel, uint64_t meeting);

/* Listen for farewells: begin, hear what has come (inside the gate to MPI), end. */
int ycomm_listen_begin(yoke_comm *comm);
void ycomm_listen(yoke_comm *comm);
void ycomm_listen_end(yoke_comm *comm);
/* A new channel fails where this has been heard already. */
void ycomm_early_take(ycomm_channel *channel);

/* Whether farewells are still on their way; without waiting for anything. */
bool ycomm_are_leaving(yoke_comm *comm);
/* Whether the request is complete, or of no use any more. After MPI_Finalize that cannot be known. */
bool ycomm_is_over(MPI_Request *request);
/* Keep what MPI still has requests of. */
void ycomm_abandon(yoke_comm *comm, ycomm_abandoned *abandoned);
/* Free the farewells that have left, and what was abandoned and is complete. Returns whether some are left. */
bool ycomm_sweep(yoke_comm *comm);

/* ---- Who waits for whom: meeting.c ---- */

/* Wait until a request of a channel's that is being made is complete, no longer than the time limit. */
yoke_status ycomm_meet(ycomm_channel *channel, MPI_Request *request, const char *call, ycomm_failure *out_failure);
/* When it is too late, the ranks that have not come: "rank 2 has not", or "all have". */
const char *ycomm_channel_missing(ycomm_channel *channel, uint64_t meeting, char *text, size_t size);

#endif
