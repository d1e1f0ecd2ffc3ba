/* SPDX-License-Identifier: Apache-2.0 */
/* How the pipes of a run share the blocks that their channel may have. */
#include "run.h"

/* Sends and receives have halves of their own, since both ends of a message need some. Where there is enough for all, each pipe
 * holds its share from the start. */
void ycomm_blocks_share(ycomm_run *run)
{
    uint64_t all = run->channel->comm->blocks, pipes[2] = { 0, 0 };
    for (size_t i = 0; i < run->pipe_count; i++) {
        ycomm_pipe *pipe = &run->pipes[i];
        const ycomm_part *part = pipe->part;
        bool receives = part->verb == YCOMM_RECEIVE;
        pipe->share = &run->shares[receives];
        pipe->needs = part->count > 0 && ((part->in.rows > 0 && !part->in.at) || (part->out.rows > 0 && !part->out.at));
        pipes[receives] += pipe->needs;
    }
    for (int k = 0; k < 2; k++) {
        uint64_t blocks = pipes[!k] > 0 ? all / 2 : all, each = pipes[k] > 0 ? blocks / pipes[k] : 0;
        run->shares[k] = (ycomm_share){ blocks, each < 1 ? 1 : each < YCOMM_WINDOW ? each : YCOMM_WINDOW, pipes[k] > blocks };
    }
    for (size_t i = 0; i < run->pipe_count; i++) {
        ycomm_pipe *pipe = &run->pipes[i];
        ycomm_share *share = pipe->share;
        pipe->window = pipe->needs ? share->each : YCOMM_WINDOW;
        pipe->holds = pipe->needs && !share->scarce;
        share->free -= pipe->holds ? share->each : 0;
    }
}

/*
 * Where blocks are scarce, no pipe holds some while its peer is elsewhere, or the program could wait for what this pipe keeps from
 * another one. A receive takes its share when the opening has come, and accepts it then; a send takes its share when its opening
 * has been accepted. So whoever holds blocks for sends meets one who holds blocks for receives: they go on, and end.
 */
bool ycomm_share_hold(ycomm_pipe *pipe)
{
    ycomm_share *share = pipe->share;
    bool accepted = pipe->part->verb != YCOMM_RECEIVE && pipe->asked && pipe->opening.request == MPI_REQUEST_NULL;
    if (share->free < share->each || (!pipe->come && !accepted))
        return false;
    share->free -= share->each;
    pipe->holds = true;
    return true;
}
