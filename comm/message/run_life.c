/* SPDX-License-Identifier: Apache-2.0 */
/* A run from its start to its end, which may come while MPI still has requests of it. */
#include <stdlib.h>

#include "ground/process.h"
#include "run.h"

ycomm_run *ycomm_run_create(const ycomm_op *op)
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
    pthread_cond_init(&run->task.end, NULL);
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

/* ---- The end ---- */

/* With the blocks that it still has. */
void ycomm_run_free(ycomm_run *run)
{
    for (size_t i = 0; i < run->pipe_count; i++) {
        yoke_buffer_release(run->pipes[i].kept[0]);
        yoke_buffer_release(run->pipes[i].kept[1]);
        for (size_t k = 0; k < YCOMM_WINDOW; k++)
            if (run->pipes[i].slots[k].block)
                ycomm_block_free(run->pipes[i].slots[k].block);
    }
    pthread_cond_destroy(&run->task.end);
    free(run);
}

/* ---- The end of one that has failed ---- */

/* Whether MPI has no request of the run any more. */
static bool is_gone(ycomm_run *run)
{
    bool gone = true;
    for (size_t i = 0; i < run->pipe_count; i++) {
        gone &= ycomm_is_over(&run->pipes[i].opening.request);
        for (size_t k = 0; k < YCOMM_WINDOW; k++) {
            ycomm_slot *slot = &run->pipes[i].slots[k];
            gone &= ycomm_is_over(&slot->request);
            for (size_t m = 0; m < run->pipes[i].message_count; m++)
                gone &= ycomm_is_over(&slot->messages[m]);
        }
    }
    return gone;
}

static bool sweep(ycomm_abandoned *abandoned)
{
    ycomm_run *run = YCOMM_OWNER(ycomm_run, abandoned, abandoned);
    if (!is_gone(run))
        return false;
    ycomm_run_free(run);
    return true;
}

static void abandon(ycomm_run *run)
{
    bool can_cancel = ycomm_mpi_enter();
    for (size_t i = 0; i < run->pipe_count && can_cancel; i++) {
        ycomm_pipe *pipe = &run->pipes[i];
        if (pipe->part->verb != YCOMM_RECEIVE)
            continue; /* a send may be on its way, as may be those of an all-to-all, and a collective cannot be cancelled */
        if (pipe->opening.request != MPI_REQUEST_NULL)
            MPI_Cancel(&pipe->opening.request);
        for (size_t k = 0; k < YCOMM_WINDOW; k++)
            if (pipe->slots[k].request != MPI_REQUEST_NULL)
                MPI_Cancel(&pipe->slots[k].request);
    }
    if (can_cancel)
        ycomm_mpi_leave();
    run->abandoned.sweep = sweep;
    ycomm_abandon(run->channel->comm, &run->abandoned);
}

/* Whether MPI still has requests of a piece. */
static bool is_posted(const ycomm_pipe *pipe, const ycomm_slot *slot)
{
    bool posted = slot->request != MPI_REQUEST_NULL;
    for (size_t m = 0; m < pipe->message_count; m++)
        posted |= slot->messages[m] != MPI_REQUEST_NULL;
    return posted;
}

/* What MPI still has requests of is kept; copies are waited for, since the caller's memory is theirs. */
void ycomm_run_give_up(ycomm_run *run)
{
    ycomm_channel *channel = run->channel;
    bool pending = false;
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
    if (pending)
        abandon(run);
    else
        ycomm_run_free(run);
}
