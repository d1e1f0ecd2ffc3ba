/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of libyoke-comm; nothing here is exported. An operation is described once, when it is enqueued (ycomm_op), and carried
 * out by its host function (ycomm_run), each time anew where it belongs to a graph. It consists of parts: one message each, or one
 * collective. A part goes through a pipe of pieces: copied from the device to page-locked memory, through MPI, and copied to the
 * device, several pieces at once. README.md has the rules that this follows.
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

#define YCOMM_COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* The size of a piece is part of the protocol: each rank cuts by the same rule. */
enum { YCOMM_PIECE = 1 << 20, YCOMM_WINDOW = 4, YCOMM_TEXT = 1200 };

/* One more than the last dtype. */
#define YCOMM_ONE(name, value, text, bytes) +1
enum { YCOMM_DTYPE_COUNT = 1 YOKE_DTYPE_LIST(YCOMM_ONE) };
#undef YCOMM_ONE

enum { YCOMM_WAYS = YOKE_COMM_TRANSPORT_NCCL + 1 };

/* MPI's tags for the messages of a collective: none of a user's, since MPI may take a send long before its receive is posted. */
enum { YCOMM_FIRST_TAG = YOKE_COMM_MAX_TAG + 1, YCOMM_SECOND_TAG };
_Static_assert(YCOMM_SECOND_TAG <= 32767, "each MPI has tags up to 32767");

/* ---- Communicators ---- */

/* Why something has failed. A status of 0: it has not. */
typedef struct ycomm_failure {
    yoke_status status;
    bool early; /* in yoke_comm_add: the rank has never met the others */
    char text[YCOMM_TEXT];
} ycomm_failure;

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

/* Page-locked memory for a piece. */
typedef struct ycomm_block {
    struct ycomm_block *next;
    yoke_buffer *pinned;
    unsigned char *host;
} ycomm_block;

/* A stream of a communicator, and the communicator of MPI that is its own. */
typedef struct ycomm_channel {
    struct ycomm_channel *next;
    yoke_comm *comm;
    int32_t index; /* the same at all ranks */
    yoke_stream *stream;
    yoke_stream *copies; /* between the device and blocks, while `stream` is held */
    MPI_Comm mpi;
    pthread_mutex_t turn;       /* held by the run that is being carried out */
    ycomm_block *blocks;        /* not in use; whoever has the turn takes them */
    atomic_bool ready;          /* added: `mpi` can be used */
    atomic_bool failed;         /* and `failure` is set, for good */
    ycomm_failure failure;      /* written under the communicator's lock */
    struct ycomm_nccl *nccl;    /* where this is the way; else NULL */
    bool unmet;                 /* MPI still writes to `mpi` */
    uint64_t meetings;          /* begun here; whoever has the turn counts */
    uint64_t *present;          /* the last meeting that each rank has said it waits at; under the communicator's lock */
    atomic_uint_fast64_t asked; /* the last meeting at which a rank says so: others do too */
} ycomm_channel;

/* A farewell on its way to the other ranks, and a run that was given up while MPI still had requests of it: kept until those are
 * complete. */
struct ycomm_parting;
struct ycomm_run;

/* What MPI is given of this rank's device memory. Each rank decides for itself: the pieces are the same. */
typedef enum ycomm_memory {
    YCOMM_IN_BLOCKS,   /* copies of it, in page-locked memory */
    YCOMM_ON_HOST,     /* its address: the device is the CPU */
    YCOMM_KNOWN_TO_MPI /* its address, by messages: the MPI knows CUDA's memory */
} ycomm_memory;

struct yoke_comm {
    uint64_t magic;
    atomic_uint references;
    yoke_device *device;
    int32_t rank, ranks;
    uint64_t timeout; /* nanoseconds; UINT64_MAX: none */
    uint64_t blocks;  /* the most that a channel may have at a time */
    int32_t way;      /* YOKE_COMM_TRANSPORT_STAGED … */
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
    struct ycomm_parting *partings;
    struct ycomm_run *abandoned;
    atomic_uint_fast64_t bytes[YCOMM_WAYS]; /* by way */
    yoke_comm *next_kept, *next_living;
};

const char *ycomm_way_name(int32_t way);

/* Wait until a request of a channel's that is being made is complete, no longer than the time limit (comm.c). */
yoke_status ycomm_meet(ycomm_channel *channel, MPI_Request *request, const char *call, ycomm_failure *out_failure);

/* Whether the handle is a communicator that has not been released. */
bool ycomm_is_comm(const yoke_comm *comm);

/* ---- Operations ---- */

typedef enum ycomm_verb {
    YCOMM_SEND,
    YCOMM_RECEIVE,
    YCOMM_BROADCAST,
    YCOMM_REDUCE,
    YCOMM_ALLREDUCE,
    YCOMM_REDUCE_SCATTER,
    YCOMM_ALLGATHER,
    YCOMM_GATHER,
    YCOMM_SCATTER,
    YCOMM_ALLTOALL,
    YCOMM_BARRIER
} ycomm_verb;

/* Device memory that a part reads or writes: `rows` rows of the part's count, one behind the other. */
typedef struct ycomm_side {
    yoke_buffer *buffer; /* retained; NULL when rows is 0 */
    uint64_t offset;     /* bytes */
    uint64_t rows;
    unsigned char *at; /* where MPI reads or writes it itself; NULL: it goes through blocks */
} ycomm_side;

/* A message, or a collective. Its pieces are `step` columns of all rows. */
typedef struct ycomm_part {
    ycomm_verb verb;
    int32_t peer; /* of a message; the root of a collective that has one, else 0 */
    int32_t tag;
    int32_t operation; /* YOKE_REDUCE_SUM …; 0 without */
    int32_t dtype;     /* 0 for a barrier */
    size_t element;    /* bytes */
    uint64_t count, step;
    ycomm_side in, out;
    int32_t behind; /* the last part before it in this operation with the same verb, peer and tag, whose pieces go first; or -1 */
} ycomm_part;

typedef struct ycomm_op {
    ycomm_channel *channel; /* keeps the communicator alive */
    const char *function, *where;
    const char *place; /* the same with function and way, for the trace */
    size_t part_count;
    ycomm_part parts[];
} ycomm_op;

/* What every public function begins with. */
typedef struct ycomm_call {
    const char *function, *where;
    yoke_stream *stream;
    yoke_comm *comm;
    ycomm_channel *channel;
} ycomm_call;

/* Begin a call: the handles are valid, and the stream has a channel (op.c). */
yoke_status ycomm_begin(ycomm_call *out_call, const char *function, const char *where, yoke_stream *stream, yoke_comm *comm);
yoke_status ycomm_fail(const ycomm_call *call, yoke_status status, const char *format, ...) YOKE_PRINTF(3, 4);

/* An operation without parts yet, of at most `capacity` (op.c). */
yoke_status ycomm_op_create(const ycomm_call *call, size_t capacity, ycomm_op **out_op);
/* Enqueue the operation, which owns itself from here on, also when this fails. */
yoke_status ycomm_op_enqueue(const ycomm_call *call, ycomm_op *op);
void ycomm_op_free(void *op);

/* The way of an operation that is not NCCL's. */
int32_t ycomm_op_way(const ycomm_op *op);
/* The bytes that the operation reads and writes have taken this way. */
void ycomm_count(yoke_comm *comm, int32_t way, const ycomm_op *op);

/* ---- Checks: check.c ---- */

/* A checked array. */
typedef struct ycomm_region {
    yoke_buffer *buffer;
    uint64_t offset; /* bytes from the buffer's start */
    uint64_t count;  /* elements */
    int32_t dtype;
    size_t element;         /* bytes */
    yoke_buffer *root;      /* the allocation */
    uint64_t first, beyond; /* bytes of the root's */
} ycomm_region;

/* Check an array that is read, or written: `name` is for messages. */
yoke_status ycomm_check_array(const ycomm_call *call, const char *name, const yoke_array *array, bool written,
                              ycomm_region *out_region);
bool ycomm_overlap(const ycomm_region *a, const ycomm_region *b);
yoke_status ycomm_check_rank(const ycomm_call *call, const char *name, int32_t rank);
yoke_status ycomm_check_tag(const ycomm_call *call, int32_t tag);
const char *ycomm_dtype_name(int32_t dtype);

/* ---- Reductions: reduction.c ---- */

/* Whether ranks combine elements by it: YOKE_REDUCE_SUM and so on, but not YOKE_REDUCE_ANY. */
bool ycomm_is_reduction(int32_t operation);
/* Whether the dtype has the operation. */
bool ycomm_has_operation(int32_t dtype, int32_t operation);
/* What MPI is given for it. An error of MPI's, when its own operations cannot be created. */
int ycomm_reduction(int32_t dtype, int32_t operation, MPI_Datatype *out_type, MPI_Op *out_op);

/* ---- Carrying out: run.c, pipe.c, post.c, allreduce.c ---- */

typedef struct ycomm_slot {
    ycomm_block *block;
    yoke_event *copied; /* the copy that is under way */
    MPI_Request request;
    MPI_Request *messages; /* of a collective by messages: to each other rank, and then from each */
    bool halfway;          /* of an allreduce by messages: its second half is to come */
} ycomm_slot;

enum { YCOMM_OPENING = 12 };

/* What the two sides of a message, or all ranks of a collective, tell each other first. */
typedef struct ycomm_opening {
    MPI_Request request;
    int64_t said[YCOMM_OPENING], heard[YCOMM_OPENING];
} ycomm_opening;

/* A part on its way. Pieces are taken in order at each step, and emptied <= arrived <= posted <= filled <= pieces. */
typedef struct ycomm_pipe {
    const ycomm_part *part;
    bool asked, open; /* the opening was posted; it allows data to be sent */
    ycomm_opening opening;
    yoke_buffer *kept[2]; /* whose memory MPI is given itself: retained */
    bool needs, holds;    /* blocks; its share of them */
    uint64_t window;      /* pieces at once */
    size_t message_count; /* of each slot */
    uint64_t pieces, filled, posted, arrived, emptied;
    ycomm_slot slots[YCOMM_WINDOW];
} ycomm_pipe;

/* The blocks of a run for receives, or for everything else. */
typedef struct ycomm_share {
    uint64_t free;
    uint64_t each; /* what a pipe holds from its first piece to its last */
    bool scarce;   /* there are not enough for all: pipes take turns */
} ycomm_share;

typedef struct ycomm_run {
    ycomm_channel *channel;
    const char *function, *where;
    ycomm_share shares[2]; /* 1: of receives */
    ycomm_failure failure;
    uint64_t moved;   /* when anything happened last */
    uint64_t meeting; /* of a collective operation; 0 for messages */
    bool noted;       /* the others have been told that this rank waits there */
    bool complete;    /* all pipes are through, or the run has failed */
    bool ended;       /* the same, told by the progress thread */
    pthread_cond_t end;
    struct ycomm_run *next;
    size_t pipe_count;
    ycomm_pipe pipes[];
} ycomm_run;

/* Free a run that MPI has nothing of any more, and the blocks that it still has (failure.c). */
void ycomm_run_free(ycomm_run *run);

/* The host function of an operation. */
yoke_status ycomm_run_op(yoke_status status, void *op);

/* Do what can be done now. Returns whether that was anything. */
bool ycomm_run_step(ycomm_run *run);
/* The run has failed: the first failure counts, the channel fails too, and the other ranks are told. */
void ycomm_run_fail(ycomm_run *run, yoke_status status, const char *format, ...) YOKE_PRINTF(3, 4);
void ycomm_run_fail_mpi(ycomm_run *run, const char *call, int error);

/* The same for one pipe (pipe.c). */
bool ycomm_pipe_step(ycomm_run *run, ycomm_pipe *pipe);
bool ycomm_pipe_is_through(const ycomm_pipe *pipe);

/* Where a piece lies: in its block, or in the device's memory. */
typedef struct ycomm_piece {
    uint64_t first; /* column */
    size_t length;  /* elements of a row */
    size_t width;   /* bytes of a row */
    void *in, *out;
    size_t in_stride, out_stride; /* bytes from row to row */
} ycomm_piece;

/* Post what opens a part, and the data of one piece: errors of MPI's (post.c). With `matched`, that of a send is complete when it
 * has been received. */
int ycomm_post_opening(MPI_Comm mpi, int tag, const ycomm_part *part, bool matched, ycomm_opening *opening);
/* Compare what was told; false: `out_failure` says what does not match. */
bool ycomm_check_opening(const yoke_comm *comm, const ycomm_part *part, const ycomm_opening *opening, ycomm_failure *out_failure);
int ycomm_post_piece(ycomm_run *run, const ycomm_pipe *pipe, const ycomm_piece *piece, ycomm_slot *slot);
/* The two halves of a piece of an allreduce by messages, where it fits (allreduce.c). */
bool ycomm_allreduce_fits(const yoke_comm *comm, const ycomm_piece *piece);
int ycomm_allreduce_begin(const yoke_comm *comm, MPI_Comm mpi, const ycomm_part *part, const ycomm_piece *piece,
                          MPI_Request *messages);
int ycomm_allreduce_end(const yoke_comm *comm, MPI_Comm mpi, const ycomm_part *part, const ycomm_piece *piece,
                        MPI_Request *messages);
/* How many messages a piece of the part is, instead of one request. */
size_t ycomm_message_count(const yoke_comm *comm, const ycomm_part *part);
const char *ycomm_verb_name(ycomm_verb verb);

/* ---- Blocks: block.c ---- */

/* Deal out the blocks to the run's pipes. */
void ycomm_blocks_share(ycomm_run *run);
ycomm_share *ycomm_share_of(ycomm_run *run, const ycomm_pipe *pipe);
/* A pipe takes its share, if that is there, and gives it back with its blocks. */
bool ycomm_share_hold(ycomm_run *run, ycomm_pipe *pipe);
void ycomm_share_leave(ycomm_run *run, ycomm_pipe *pipe);
/* A block of YCOMM_PIECE bytes and a little more. */
yoke_status ycomm_block_take(ycomm_channel *channel, ycomm_block **out_block);
void ycomm_block_give(ycomm_channel *channel, ycomm_block *block);
void ycomm_blocks_free(ycomm_channel *channel);

/* ---- Addresses: address.c ---- */

/* Whether the device's buffers lie in the host's memory, at addresses that can be found: proved, and not believed. */
bool ycomm_host_has_device(yoke_device *device);
/* Whether both sides have memory in common. */
bool ycomm_is_in_place(const ycomm_part *part);
/* Find out where MPI can read and write the part's memory itself, while its stream is held. */
void ycomm_find_addresses(ycomm_channel *channel, ycomm_part *part);

/* ---- Failures: failure.c ---- */

/* The channel has failed; the first failure stays. With `tell`, the other ranks hear of it as `others`. */
void ycomm_channel_fail(ycomm_channel *channel, const ycomm_failure *failure, const ycomm_failure *others);
/* Tell the others that this rank waits at a meeting, once it is late or one of them has said so (*noted: it has been told); and,
 * when it is too late, the ranks that have not come: "rank 2 has not", or "all have". */
void ycomm_channel_note(ycomm_channel *channel, uint64_t meeting, uint64_t since, bool *noted);
const char *ycomm_channel_missing(ycomm_channel *channel, uint64_t meeting, char *text, size_t size);

/* Its failure; false when it has none. */
bool ycomm_channel_failure(ycomm_channel *channel, ycomm_failure *out_failure);
/* An operation has failed: the channel fails in these words, which `out_own` gets, and the other ranks hear of it. */
void ycomm_channel_op_failed(ycomm_channel *channel, const char *function, const char *where, const ycomm_failure *failure,
                             ycomm_failure *out_own);
/* A stream has failed outside: tell the others, in the words of the calling thread's record. */
void ycomm_channel_stream_failed(ycomm_channel *channel, yoke_status status, const char *function);

/* Whether farewells are still on their way; without waiting for anything. */
bool ycomm_are_leaving(yoke_comm *comm);

/* Listen for farewells: begin, hear what has come, end. */
int ycomm_listen_begin(yoke_comm *comm);
void ycomm_listen(yoke_comm *comm);
void ycomm_listen_end(yoke_comm *comm);
/* A new channel fails where this has been heard already. */
void ycomm_early_take(ycomm_channel *channel);
/* The channel has failed before it has met the others, who are told. The thread's record says why. */
yoke_status ycomm_add_failed(ycomm_channel *channel, const ycomm_failure *failure);
/* Free the farewells that have left and the runs whose requests are complete. Returns whether some are left. */
bool ycomm_sweep(yoke_comm *comm);
void ycomm_abandon(ycomm_run *run);

void ycomm_failure_set(ycomm_failure *failure, yoke_status status, const char *format, ...) YOKE_PRINTF(3, 4);
/* "MPI_Isend failed: …" */
void ycomm_failure_set_mpi(ycomm_failure *failure, const char *call, int error);

/* ---- MPI_Finalize: finalize.c ---- */

/* Around each visit of Yoke's own to MPI, which waits for nothing there; visits may be nested. False: MPI has been finalised, or is
 * about to be, and must not be called. */
bool ycomm_mpi_enter(void);
void ycomm_mpi_leave(void);
bool ycomm_mpi_is_closed(void);
void ycomm_failure_set_finalized(ycomm_failure *failure);
/* Notice MPI_Finalize from here on; an error of MPI's. */
int ycomm_finalize_watch(void);

/* ---- Ends of the process, and forked children: exit.c ---- */

/* A communicator that can be used, and one that cannot any more. */
void ycomm_living_add(yoke_comm *comm);
void ycomm_living_remove(yoke_comm *comm);
void ycomm_living_each(void (*visit)(yoke_comm *comm));
/* Whether a farewell of any of them is still on its way. */
bool ycomm_living_are_leaving(void);

/* Notice forks from here on; false without memory for that. In a child, every function returns what ycomm_fork_check does. */
bool ycomm_fork_watch(void);
bool ycomm_is_forked(void);
yoke_status ycomm_fork_check(const char *function);

/* ---- The progress thread: engine.c ---- */

/* Start the thread, once in the process. */
yoke_status ycomm_engine_start(void);
/* Have the progress thread carry out the rest of a run, and sleep until it is complete. */
void ycomm_engine_carry(ycomm_run *run);
uint64_t ycomm_now(void);

#endif
