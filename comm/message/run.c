/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carrying out an operation, in the host function that holds its stream. The stream's thread does it as long as something moves,
 * since each change of threads costs time; when nothing has moved for a moment, or other streams' threads do the same, the progress
 * thread takes it over, and the stream's thread sleeps.
 */
#include <inttypes.h>
#include <sched.h>

#include "base/clock.h"
#include "ground/process.h"
#include "run.h"

enum { MOMENT = 200000, POLLING = 2 }; /* nanoseconds; threads that may do so at once */

/* Whether the pipe waits for its turn, and not for its peer. */
static bool waits_for_blocks(const ycomm_pipe *pipe)
{
    return pipe->share->scarce && pipe->needs && !pipe->holds && pipe->share->free < pipe->share->each;
}

/* Nothing has happened for too long. */
static void fail_late(ycomm_run *run)
{
    const yoke_comm *comm = run->channel->comm;
    const ycomm_pipe *pipe = run->pipes;
    while (pipe->through || waits_for_blocks(pipe)) /* those that keep it from its turn are others */
        pipe++;
    const ycomm_part *part = pipe->part;
    uint64_t seconds = comm->timeout / 1000000000;
    char missing[160];
    static const char *const idle[] = { "has not received what this rank sends", "sends nothing", "sends no more" };
    if (ycomm_is_message(part->verb))
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

/* Nothing moves: the others hear that this rank waits for them, and beyond the time limit the run fails. */
static void be_late(ycomm_run *run, uint64_t idle)
{
    if (run->meeting && !run->pipes[0].open && !run->noted) {
        run->noted = true;
        ycomm_channel_present(run->channel, run->meeting);
    }
    if (idle > run->channel->comm->timeout)
        fail_late(run);
}

/* Do what can be done now. Returns whether that was anything. */
static bool step(ycomm_task *task)
{
    ycomm_run *run = YCOMM_OWNER(ycomm_run, task, task);
    ycomm_channel *channel = run->channel;
    bool moved = false, through = true;
    ycomm_failure heard;

    if (run->task.complete)
        return false;
    if (!ycomm_mpi_enter()) {
        ycomm_failure_set_finalized(&heard);
        ycomm_run_fail_for(run, &heard);
        return run->task.complete = true;
    }
    ycomm_listen(channel->comm);
    if (atomic_load(&channel->failed)) {
        (void)ycomm_channel_failure(channel, &heard);
        ycomm_run_fail_for(run, &heard);
    }
    /* Sends first: an MPI may copy a whole piece when it is asked to receive one. The other rank should have something to copy
     * meanwhile. */
    for (size_t i = 0; i < 2 * run->pipe_count && run->failure.status == YOKE_OK; i++) {
        ycomm_pipe *pipe = &run->pipes[i % run->pipe_count];
        bool sends = i < run->pipe_count;
        if ((pipe->part->verb == YCOMM_SEND) == sends && !pipe->through) {
            moved |= ycomm_pipe_step(run, pipe);
            through &= pipe->through;
        }
    }
    uint64_t now = yk_now(), idle = now - run->moved;
    bool asked = run->meeting && atomic_load(&channel->asked) >= run->meeting; /* another rank says that it waits there */
    if (moved)
        run->moved = now;
    else if (!through && run->failure.status == YOKE_OK && (asked || idle > channel->comm->timeout / 2))
        be_late(run, idle);
    run->task.complete = run->failure.status < 0 || through;
    ycomm_mpi_leave();
    return moved || run->task.complete;
}

/* ---- The host function ---- */

yoke_status ycomm_run_op(yoke_status status, void *user)
{
    static atomic_int polling;
    const ycomm_op *op = user;
    ycomm_channel *channel = op->channel;
    ycomm_failure failure;

    if (status < 0) {
        ycomm_channel_stream_failed(channel, status, op->function);
        return status;
    }
    ycomm_run *run = ycomm_run_create(op);
    if (!run) {
        yoke_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: no memory for the operation", op->function);
        ycomm_channel_stream_failed(channel, YOKE_E_OUT_OF_HOST_MEMORY, op->function);
        return YOKE_E_OUT_OF_HOST_MEMORY;
    }
    atomic_fetch_add(&channel->comm->bytes[op->transport->id], op->bytes);
    pthread_mutex_lock(&channel->turn);
    if (op->part_count == 1 && !ycomm_is_message(op->parts[0].verb))
        run->meeting = ++channel->meetings;
    run->task.step = step;
    run->moved = yk_now();
    if (atomic_fetch_add(&polling, 1) < POLLING)
        while (!run->task.complete && yk_now() - run->moved < MOMENT)
            if (!step(&run->task))
                sched_yield();
    atomic_fetch_sub(&polling, 1);
    if (!run->task.complete)
        ycomm_engine_wait(&run->task);
    failure = run->failure;
    if (failure.status < 0)
        ycomm_run_give_up(run);
    else
        ycomm_run_free(run);
    pthread_mutex_unlock(&channel->turn);
    if (failure.status < 0)
        return yoke_fail(failure.status, "%s", failure.text);
    yoke_error_clear();
    return YOKE_OK;
}
