/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carrying out an operation, in the host function that holds its stream. The stream's thread does it as long as something moves,
 * since each change of threads costs time; when nothing has moved for a moment, or other streams' threads do the same, the progress
 * thread takes it over, and the stream's thread sleeps.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "comm.h"

enum { MOMENT = 200000, POLLING = 2 }; /* nanoseconds; threads that may do so at once */

/* ---- Failures ---- */

static void fail(ycomm_run *run, const ycomm_failure *failure)
{
    if (run->failure.status == YOKE_OK)
        ycomm_channel_op_failed(run->channel, run->function, run->where, failure, &run->failure);
}

void ycomm_run_fail(ycomm_run *run, yoke_status status, const char *format, ...)
{
    ycomm_failure failure = { .status = status };
    va_list args;
    va_start(args, format);
    vsnprintf(failure.text, sizeof failure.text, format, args);
    va_end(args);
    fail(run, &failure);
}

void ycomm_run_fail_mpi(ycomm_run *run, const char *call, int error)
{
    ycomm_failure failure;
    ycomm_failure_set_mpi(&failure, call, error);
    fail(run, &failure);
}

/* Whether the pipe waits for its turn, and not for its peer. */
static bool waits_for_blocks(ycomm_run *run, const ycomm_pipe *pipe)
{
    const ycomm_share *share = ycomm_share_of(run, pipe);
    return share->scarce && pipe->needs && !pipe->holds && share->free < share->each;
}

/* Nothing has happened for too long. */
static void fail_late(ycomm_run *run)
{
    const yoke_comm *comm = run->channel->comm;
    const ycomm_pipe *pipe = run->pipes;
    while (ycomm_pipe_is_through(pipe) || waits_for_blocks(run, pipe)) /* those that keep it from its turn are others */
        pipe++;
    const ycomm_part *part = pipe->part;
    uint64_t seconds = comm->timeout / 1000000000;
    char missing[160];
    static const char *const idle[] = { "has not received what this rank sends", "sends nothing", "sends no more" };
    if (part->verb == YCOMM_SEND || part->verb == YCOMM_RECEIVE)
        ycomm_run_fail(run, YOKE_E_HOST_FUNCTION,
                       "rank %d does not answer: for %" PRIu64 " s it %s (tag %d). It may have ended, stand still, or wait for "
                       "something else, as two ranks do that send to each other without yoke_comm_sendrecv; YOKE_COMM_TIMEOUT sets "
                       "the limit",
                       (int)part->peer, seconds,
                       idle[part->verb == YCOMM_SEND ? 0
                            : pipe->open             ? 2
                                                     : 1],
                       (int)part->tag);
    else if (pipe->open)
        ycomm_run_fail(run, YOKE_E_HOST_FUNCTION,
                       "the %s has not moved for %" PRIu64
                       " s, though all ranks have come to it. One may have ended, or stand still; "
                       "YOKE_COMM_TIMEOUT sets the limit",
                       ycomm_verb_name(part->verb), seconds);
    else
        ycomm_run_fail(
            run, YOKE_E_HOST_FUNCTION,
            "not all ranks have come to the %s in %" PRIu64 " s: %s. One may have ended, stand still, or wait for something "
            "else; YOKE_COMM_TIMEOUT sets the limit",
            ycomm_verb_name(part->verb), seconds, ycomm_channel_missing(run->channel, run->meeting, missing, sizeof missing));
}

/* ---- Steps ---- */

/* Step the sends, or all other pipes. */
static bool step_pipes(ycomm_run *run, bool sends, bool *through)
{
    bool moved = false;
    for (size_t i = 0; i < run->pipe_count && run->failure.status == YOKE_OK; i++) {
        ycomm_pipe *pipe = &run->pipes[i];
        if ((pipe->part->verb == YCOMM_SEND) == sends && !ycomm_pipe_is_through(pipe)) {
            moved |= ycomm_pipe_step(run, pipe);
            *through &= ycomm_pipe_is_through(pipe);
        }
    }
    return moved;
}

bool ycomm_run_step(ycomm_run *run)
{
    ycomm_channel *channel = run->channel;
    bool moved = false, through = true;
    ycomm_failure heard;

    if (run->complete)
        return false;
    if (!ycomm_mpi_enter()) {
        ycomm_failure_set_finalized(&heard);
        fail(run, &heard);
        return run->complete = true;
    }
    ycomm_listen(channel->comm);
    if (ycomm_channel_failure(channel, &heard))
        fail(run, &heard);
    /* An MPI may copy a whole piece when it is asked to receive one. The other rank should have something to copy meanwhile. */
    moved = step_pipes(run, true, &through);
    moved |= step_pipes(run, false, &through);
    uint64_t now = ycomm_now();
    if (run->meeting && !run->pipes[0].open && run->failure.status == YOKE_OK)
        ycomm_channel_note(channel, run->meeting, run->moved, &run->noted);
    if (moved)
        run->moved = now;
    else if (!through && now - run->moved > channel->comm->timeout && run->failure.status == YOKE_OK)
        fail_late(run);
    run->complete = run->failure.status < 0 || through;
    ycomm_mpi_leave();
    return moved || run->complete;
}

static void carry(ycomm_run *run)
{
    static atomic_int polling;
    run->moved = ycomm_now();
    if (atomic_fetch_add(&polling, 1) < POLLING)
        while (!run->complete && ycomm_now() - run->moved < MOMENT)
            if (!ycomm_run_step(run))
                sched_yield();
    atomic_fetch_sub(&polling, 1);
    if (!run->complete)
        ycomm_engine_carry(run);
}

/* ---- Runs ---- */

static ycomm_run *create(const ycomm_op *op)
{
    size_t requests = 0;
    for (size_t i = 0; i < op->part_count; i++)
        requests += YCOMM_WINDOW * ycomm_message_count(op->channel->comm, &op->parts[i]);
    ycomm_run *run = calloc(1, sizeof *run + op->part_count * sizeof run->pipes[0] + requests * sizeof(MPI_Request));
    if (!run)
        return NULL;
    MPI_Request *next = (MPI_Request *)&run->pipes[op->part_count];
    for (size_t i = 0; i < requests; i++)
        next[i] = MPI_REQUEST_NULL;
    run->channel = op->channel;
    run->function = op->function;
    run->where = op->where;
    run->pipe_count = op->part_count;
    pthread_cond_init(&run->end, NULL);
    for (size_t i = 0; i < op->part_count; i++) {
        const ycomm_part *part = &op->parts[i];
        ycomm_pipe *pipe = &run->pipes[i];
        pipe->part = part;
        pipe->opening.request = MPI_REQUEST_NULL;
        pipe->kept[0] = part->in.at ? yoke_buffer_retain(part->in.buffer) : NULL;
        pipe->kept[1] = part->out.at ? yoke_buffer_retain(part->out.buffer) : NULL;
        pipe->pieces = part->step ? part->count / part->step + (part->count % part->step != 0) : 0;
        pipe->message_count = ycomm_message_count(op->channel->comm, part);
        for (size_t k = 0; k < YCOMM_WINDOW; k++, next += pipe->message_count) {
            pipe->slots[k].request = MPI_REQUEST_NULL;
            pipe->slots[k].messages = next;
        }
    }
    ycomm_blocks_share(run);
    return run;
}

/* Whether MPI still has requests of a piece. */
static bool is_posted(const ycomm_pipe *pipe, const ycomm_slot *slot)
{
    bool posted = slot->request != MPI_REQUEST_NULL;
    for (size_t m = 0; m < pipe->message_count; m++)
        posted |= slot->messages[m] != MPI_REQUEST_NULL;
    return posted;
}

/* The end of a run. What MPI still has requests of is kept; copies are waited for, since the caller's memory is theirs. */
static void end(ycomm_run *run)
{
    ycomm_channel *channel = run->channel;
    bool pending = false;
    if (run->failure.status < 0)
        (void)yoke_stream_wait(channel->copies);
    for (size_t i = 0; i < run->pipe_count; i++) {
        pending |= run->pipes[i].opening.request != MPI_REQUEST_NULL;
        for (size_t k = 0; k < YCOMM_WINDOW; k++) {
            ycomm_slot *slot = &run->pipes[i].slots[k];
            yoke_event_release(slot->copied);
            slot->copied = NULL;
            if (is_posted(&run->pipes[i], slot)) {
                pending = true;
            } else if (slot->block) {
                ycomm_block_give(channel, slot->block);
                slot->block = NULL;
            }
        }
    }
    pthread_cond_destroy(&run->end);
    if (pending)
        ycomm_abandon(run);
    else
        ycomm_run_free(run);
}

yoke_status ycomm_run_op(yoke_status status, void *user)
{
    const ycomm_op *op = user;
    ycomm_channel *channel = op->channel;
    ycomm_failure failure = { .status = YOKE_OK };

    if (status < 0) {
        ycomm_channel_stream_failed(channel, status, op->function);
        return status;
    }
    ycomm_run *run = create(op);
    if (!run) {
        yoke_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: no memory for the operation", op->function);
        ycomm_channel_stream_failed(channel, YOKE_E_OUT_OF_HOST_MEMORY, op->function);
        return YOKE_E_OUT_OF_HOST_MEMORY;
    }
    ycomm_count(channel->comm, ycomm_op_way(op), op);
    pthread_mutex_lock(&channel->turn);
    if (op->part_count == 1 && op->parts[0].verb != YCOMM_SEND && op->parts[0].verb != YCOMM_RECEIVE)
        run->meeting = ++channel->meetings;
    carry(run);
    failure = run->failure;
    end(run);
    pthread_mutex_unlock(&channel->turn);
    if (failure.status < 0)
        return yoke_fail(failure.status, "%s", failure.text);
    yoke_error_clear();
    return YOKE_OK;
}
