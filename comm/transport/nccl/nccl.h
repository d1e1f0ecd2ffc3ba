/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations by NCCL: enqueued in the driver's own stream by native sections, so that no host function holds it. What a run
 * learns while it carries an operation out is learnt beside it here: all ranks tell each other what they have enqueued (tickets),
 * and the progress thread watches whether the stream goes on. When a rank fails, NCCL's communicator is aborted.
 */
#ifndef YCOMM_NCCL_H
#define YCOMM_NCCL_H

#include "ground/engine.h"
#include "message/opening.h"
#include "transport/transports.h"
#include "transport/vendor/vendor.h"

/* What this rank has enqueued, compared with what the others have. */
typedef struct ycomm_ticket {
    struct ycomm_ticket *next;
    const char *function, *where;
    size_t count, capacity; /* items */
    bool posted;
    struct {
        ycomm_part part;
        ycomm_opening opening;
    } items[];
} ycomm_ticket;

/* What rank 0 tells the others first. */
typedef struct ycomm_identity {
    ycomm_ncclResult_t result;
    ycomm_ncclUniqueId id;
} ycomm_identity;

struct ycomm_nccl {
    ycomm_channel *channel;
    ycomm_identity told; /* here, since MPI may still write it when this rank has given up */
    void *context;       /* CUDA's */
    ycomm_ncclComm_t handle;
    yoke_buffer *token; /* what barriers add up */
    uintptr_t token_at;
    pthread_mutex_t calls; /* locked during calls that enqueue: their order is that of tickets */
    /* Operations whose calls have begun, and have ended. One that goes on stands still where NCCL first connects ranks. */
    atomic_uint_fast64_t begun, ended;
    _Atomic(ycomm_ticket *) fresh; /* the newest first: pushed with `calls` locked, taken by the progress thread */
    _Atomic(ycomm_ticket *) spare; /* the other way round */
    atomic_uint spare_count;
    atomic_bool handle_ended;           /* aborted or destroyed: `handle` is used no more */
    atomic_bool recorded;               /* operations, in a graph, of whose launches nothing is told here */
    atomic_bool stream_failed;          /* of the channel's failure: once is enough, and it may have been recovered since */
    _Atomic(const char *) newest;       /* where the newest operation was enqueued */
    _Atomic(ycomm_cudaStream_t) stream; /* CUDA's, of the newest that was not recorded */
    /* The progress thread's. */
    ycomm_ticket *first, **last, *unposted;
    size_t posted;         /* tickets on their way */
    uint64_t called;       /* operations that had begun at the last step, */
    uint64_t called_at;    /* and when this was first so */
    uint64_t looked;       /* when the stream was watched last */
    uint64_t noticed;      /* how many operations had ended then */
    yoke_event *watched;   /* behind operations */
    uint64_t seen;         /* how many of them */
    uint64_t since;        /* when it was recorded; without one, when an operation behind the last one was noticed */
    uint64_t left_since;   /* when MPI was first seen to be finalised, with tickets left, or 0 */
    bool given_up, ending; /* the stream is made to fail no more; and need not be */
    ycomm_watch watch;     /* the engine's */
};

/* The slots of the transport: nccl.c, but for takes and enqueue in enqueue.c. */
#define YCOMM_SLOT(result, name, parameters) result ycomm_nccl_##name parameters;
#include "ground/transport.def"

/* Make NCCL's communicator, together with all ranks; false: `failure` says why not (connect.c). */
bool ycomm_nccl_connect(struct ycomm_nccl *nccl, ycomm_failure *failure);

/* Fail the stream for the channel's failure, unless that has been done: what is under way there will not be complete when it ends.
 * `text` NULL: the thread's record says it. Returns the status (end.c). */
yoke_status ycomm_nccl_fail_stream(struct ycomm_nccl *nccl, const char *where, yoke_status status, const char *text);
/* End a communicator of NCCL; `abort`: and what waits in it. `token` keeps the device (end.c). */
void ycomm_nccl_end_handle(ycomm_ncclComm_t handle, bool abort, void *context, yoke_buffer *token);
/* End the channel's, unless that has been done; where the channel has failed, or with `abort`, by an abort. */
void ycomm_nccl_end_channel(struct ycomm_nccl *nccl, bool abort);

/* What the progress thread does for it, between ycomm_engine_watch and the time when it is idle; and the rest, at the end, here
 * (watch.c). */
void ycomm_nccl_watch_init(struct ycomm_nccl *nccl);
void ycomm_nccl_finish(struct ycomm_nccl *nccl);

/* Have the others told of an operation, with `calls` locked; false without memory (ticket.c). */
bool ycomm_ticket_add(struct ycomm_nccl *nccl, const ycomm_op *op);
/* The progress thread: exchange and compare tickets. Whether that was anything; *out_ticket: the one that `failure` is of. */
bool ycomm_tickets_step(struct ycomm_nccl *nccl, ycomm_failure *failure, const ycomm_ticket **out_ticket);
/* Forget those that are left; and with ycomm_tickets_free all. */
void ycomm_tickets_drop(struct ycomm_nccl *nccl);
void ycomm_tickets_free(struct ycomm_nccl *nccl);

#endif
