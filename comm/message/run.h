/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carrying an operation out by MPI. Each part goes through a pipe of pieces: copied from the device to page-locked memory, through
 * MPI, and copied to the device, several pieces at once.
 */
#ifndef YCOMM_RUN_H
#define YCOMM_RUN_H

#include "ground/block.h"
#include "ground/engine.h"
#include "opening.h"

/* MPI's tags for the messages of a collective: none of a user's, since MPI may take a send long before its receive is posted. */
enum { YCOMM_FIRST_TAG = YOKE_COMM_MAX_TAG + 1, YCOMM_SECOND_TAG };
_Static_assert(YCOMM_SECOND_TAG <= 32767, "each MPI has tags up to 32767");

enum { YCOMM_WINDOW = 4 };

/* Where a piece lies: in its block, or in the device's memory. */
typedef struct ycomm_piece {
    uint64_t first; /* column */
    size_t length;  /* elements of a row */
    size_t width;   /* bytes of a row */
    void *in, *out;
    size_t in_stride, out_stride; /* bytes from row to row */
} ycomm_piece;

typedef struct ycomm_slot {
    ycomm_piece piece; /* that is on its way */
    ycomm_block *block;
    yoke_event *copied; /* the copy that is under way */
    MPI_Request request;
    MPI_Request *messages; /* of a collective by messages: to each other rank, and then from each */
    bool halfway;          /* of an allreduce by messages: its second half is to come */
} ycomm_slot;

/* The blocks of a run for receives, or for everything else. */
typedef struct ycomm_share {
    uint64_t free;
    uint64_t each; /* what a pipe holds from its first piece to its last */
    bool scarce;   /* there are not enough for all: pipes take turns */
} ycomm_share;

/* A part on its way. Pieces are taken in order at each step, and emptied <= arrived <= posted <= filled <= pieces. */
typedef struct ycomm_pipe {
    const ycomm_part *part;
    bool asked, open; /* the opening was posted; it allows data to be sent */
    bool through;     /* there is nothing more to do */
    ycomm_opening opening;
    yoke_buffer *kept[2]; /* whose memory MPI is given itself: retained */
    ycomm_share *share;   /* which it is one of */
    bool needs, holds;    /* blocks; what is each one's */
    bool come;            /* of a receive where blocks are scarce: the opening, which it is about to take */
    uint64_t window;      /* pieces at once */
    size_t message_count; /* of each slot */
    uint64_t pieces, filled, posted, arrived, emptied;
    ycomm_slot slots[YCOMM_WINDOW];
} ycomm_pipe;

typedef struct ycomm_run {
    ycomm_task task;
    ycomm_abandoned abandoned;
    ycomm_channel *channel;
    const char *function, *where;
    ycomm_share shares[2]; /* 1: of receives */
    ycomm_failure failure;
    uint64_t moved;   /* when anything happened last */
    uint64_t meeting; /* of a collective operation; 0 for messages */
    bool noted;       /* the others have been told that this rank waits there */
    size_t pipe_count;
    ycomm_pipe pipes[];
} ycomm_run;

/* The host function of an operation: carry it out, while its stream waits (run.c). */
yoke_status ycomm_run_op(yoke_status status, void *op);

/* A run of an operation; its end, and the end of one that has failed, of which MPI may still have something (run_life.c). */
ycomm_run *ycomm_run_create(const ycomm_op *op);
void ycomm_run_free(ycomm_run *run);
void ycomm_run_give_up(ycomm_run *run);

/* The run has failed: the first failure counts, the channel fails too, and the other ranks are told (run_failure.c). */
void ycomm_run_fail(ycomm_run *run, yoke_status status, const char *format, ...) YOKE_PRINTF(3, 4);
void ycomm_run_fail_mpi(ycomm_run *run, const char *call, int error);
void ycomm_run_fail_for(ycomm_run *run, const ycomm_failure *failure);

/* Do for one pipe what can be done now (pipe.c). */
bool ycomm_pipe_step(ycomm_run *run, ycomm_pipe *pipe);

/* Post the data of the slot's piece: an error of MPI's (post.c). */
int ycomm_post_piece(ycomm_run *run, const ycomm_pipe *pipe, ycomm_slot *slot);
/* How many messages a piece of the part is, instead of one request. */
size_t ycomm_message_count(const yoke_comm *comm, const ycomm_part *part);
/* The two halves of a piece of an allreduce by messages, of at least ranks * ranks elements (allreduce.c). */
int ycomm_allreduce_begin(const yoke_comm *comm, MPI_Comm mpi, const ycomm_part *part, const ycomm_piece *piece,
                          MPI_Request *messages);
int ycomm_allreduce_end(const yoke_comm *comm, MPI_Comm mpi, const ycomm_part *part, const ycomm_piece *piece,
                        MPI_Request *messages);

/* Deal out the channel's blocks to the run's pipes (share.c). */
void ycomm_blocks_share(ycomm_run *run);
/* Where blocks are scarce, a pipe takes its share, if that is there and its peer, too. It gives it back when it is empty. */
bool ycomm_share_hold(ycomm_pipe *pipe);

#endif
