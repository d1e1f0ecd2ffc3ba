/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pipe of a part: the opening, then pieces, several at once. A piece is copied into its block (filled), given to MPI
 * (posted), has come through (arrived), and is copied to the device (emptied). A side that MPI reads or writes itself
 * (transport/address.c), or that a part does not have, skips its copy. Nothing here waits.
 */
#include <string.h>

#include "run.h"

/* Enqueue the copy of one side of the slot's piece, and an event behind it. */
static yoke_status copy(ycomm_run *run, const ycomm_part *part, const ycomm_side *side, ycomm_slot *slot)
{
    const ycomm_piece *piece = &slot->piece;
    yoke_stream *stream = run->channel->copies;
    bool out = side == &part->out;
    yoke_pitch device = { side->offset + piece->first * part->element, part->count * part->element, 0 };
    yoke_pitch host = { 0, piece->width, 0 };
    yoke_rect rect = { piece->width, side->rows, 1 };
    yoke_status status;

    if (side->rows == 1 && out)
        status = yoke_write_at(run->where, stream, side->buffer, device.offset, piece->out, piece->width);
    else if (side->rows == 1)
        status = yoke_read_at(run->where, stream, piece->in, side->buffer, device.offset, piece->width);
    else if (out)
        status = yoke_write_rect_at(run->where, stream, side->buffer, device, piece->out, host, rect);
    else
        status = yoke_read_rect_at(run->where, stream, piece->in, host, side->buffer, device, rect);
    if (status == YOKE_OK)
        status = yoke_event_record_at(run->where, stream, 0, &slot->copied);
    return status;
}

/* Whether the slot's copy, if there is one, is complete. A failed one fails the run. */
static bool is_copied(ycomm_run *run, ycomm_slot *slot)
{
    if (!slot->copied)
        return true;
    yoke_status status = yoke_event_query(slot->copied);
    if (status == YOKE_PENDING)
        return false;
    yoke_event_release(slot->copied);
    slot->copied = NULL;
    if (status < 0)
        ycomm_run_fail(run, status, "the copy of a piece has failed: %s", yoke_error()->text);
    return status == YOKE_OK;
}

static bool is_done(ycomm_run *run, MPI_Request *request, const char *call)
{
    int done = 0;
    if (*request == MPI_REQUEST_NULL)
        return true;
    int error = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS)
        ycomm_run_fail_mpi(run, call, error);
    return error == MPI_SUCCESS && done;
}

/* Find out where the next piece lies, and have it copied from the device. */
static bool fill(ycomm_run *run, ycomm_pipe *pipe)
{
    const ycomm_part *part = pipe->part;
    bool copied_in = part->in.rows > 0 && !part->in.at, copied_out = part->out.rows > 0 && !part->out.at;
    if (pipe->filled == pipe->pieces || pipe->filled - pipe->emptied == pipe->window)
        return false;
    if (pipe->needs && !pipe->holds && !ycomm_share_hold(pipe))
        return false;
    ycomm_slot *slot = &pipe->slots[pipe->filled % pipe->window];
    uint64_t first = pipe->filled * part->step, left = part->count - first;
    size_t length = (size_t)(left < part->step ? left : part->step), width = length * part->element;
    yoke_status status = YOKE_OK;
    slot->piece = (ycomm_piece){ .first = first, .length = length, .width = width, .in_stride = width, .out_stride = width };
    if (!slot->block && (copied_in || copied_out))
        status = ycomm_block_take(run->channel, &slot->block);
    if (slot->block) {
        slot->piece.in = slot->block->host;
        slot->piece.out = slot->block->host + (part->in.rows * width + 63) / 64 * 64;
    }
    if (part->in.at) {
        slot->piece.in = part->in.at + first * part->element;
        slot->piece.in_stride = part->count * part->element;
    }
    if (part->out.at) {
        slot->piece.out = part->out.at + first * part->element;
        slot->piece.out_stride = part->count * part->element;
    }
    if (status == YOKE_OK && copied_in)
        status = copy(run, part, &part->in, slot);
    if (status < 0)
        ycomm_run_fail(run, status, "a piece cannot be copied from the device: %s", yoke_error()->text);
    pipe->filled += status == YOKE_OK;
    return status == YOKE_OK;
}

static bool post(ycomm_run *run, ycomm_pipe *pipe)
{
    if (!pipe->open || pipe->posted == pipe->filled)
        return false;
    ycomm_slot *slot = &pipe->slots[pipe->posted % pipe->window];
    if (!is_copied(run, slot))
        return false;
    int error = ycomm_post_piece(run, pipe, slot);
    if (error != MPI_SUCCESS)
        ycomm_run_fail_mpi(run, ycomm_verb_name(pipe->part->verb), error);
    pipe->posted += error == MPI_SUCCESS;
    return error == MPI_SUCCESS;
}

static bool take(ycomm_run *run, ycomm_pipe *pipe)
{
    const ycomm_part *part = pipe->part;
    const char *call = ycomm_verb_name(part->verb);
    if (pipe->arrived == pipe->posted)
        return false;
    ycomm_slot *slot = &pipe->slots[pipe->arrived % pipe->window];
    bool all = is_done(run, &slot->request, call);
    for (size_t i = 0; i < pipe->message_count && run->failure.status == YOKE_OK; i++)
        all &= is_done(run, &slot->messages[i], call);
    if (!all)
        return false;
    if (slot->halfway) { /* the second half of an allreduce by messages begins */
        int error = ycomm_allreduce_end(run->channel->comm, run->channel->mpi, part, &slot->piece, slot->messages);
        slot->halfway = false;
        if (error != MPI_SUCCESS)
            ycomm_run_fail_mpi(run, call, error);
        return true;
    }
    yoke_status status = YOKE_OK;
    if (part->out.rows > 0 && !part->out.at)
        status = copy(run, part, &part->out, slot);
    if (status < 0)
        ycomm_run_fail(run, status, "a piece cannot be copied to the device: %s", yoke_error()->text);
    pipe->arrived += status == YOKE_OK;
    return status == YOKE_OK;
}

/* Behind the last piece, the pipe's blocks are the next one's. */
static bool empty(ycomm_run *run, ycomm_pipe *pipe)
{
    if (pipe->emptied == pipe->arrived || !is_copied(run, &pipe->slots[pipe->emptied % pipe->window]))
        return false;
    if (++pipe->emptied < pipe->pieces || !pipe->holds)
        return true;
    for (size_t k = 0; k < YCOMM_WINDOW; k++)
        if (pipe->slots[k].block) {
            ycomm_block_give(run->channel, pipe->slots[k].block);
            pipe->slots[k].block = NULL;
        }
    pipe->share->free += pipe->window;
    pipe->holds = false;
    return true;
}

/* Messages with the same tag between the same ranks go one behind the other. */
static bool may_ask(const ycomm_run *run, const ycomm_pipe *pipe)
{
    const ycomm_pipe *before = pipe->part->behind < 0 ? NULL : &run->pipes[pipe->part->behind];
    return !before || (before->open && before->posted == before->pieces);
}

/* Where blocks are scarce, a receive takes its share before it accepts an opening that has come (share.c). */
static bool may_accept(ycomm_run *run, ycomm_pipe *pipe)
{
    int come = 0;
    if (pipe->part->verb != YCOMM_RECEIVE || !pipe->needs || pipe->holds)
        return true;
    if (pipe->share->free < pipe->share->each)
        return false;
    int error = MPI_Iprobe(pipe->part->peer, pipe->part->tag, run->channel->mpi, &come, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS)
        ycomm_run_fail_mpi(run, "MPI_Iprobe", error);
    pipe->come = error == MPI_SUCCESS && come;
    return pipe->come && ycomm_share_hold(pipe);
}

static bool open_pipe(ycomm_run *run, ycomm_pipe *pipe)
{
    if (!pipe->asked) {
        if (ycomm_is_message(pipe->part->verb) && (!may_ask(run, pipe) || !may_accept(run, pipe)))
            return false;
        bool matched = pipe->needs && pipe->share->scarce;
        int error = ycomm_post_opening(run->channel->mpi, pipe->part->tag, pipe->part, matched, &pipe->opening);
        if (error != MPI_SUCCESS)
            ycomm_run_fail_mpi(run, ycomm_verb_name(pipe->part->verb), error);
        pipe->asked = true;
        pipe->open = pipe->part->verb == YCOMM_SEND; /* the receiver compares */
        return true;
    }
    ycomm_failure failure;
    if (pipe->opening.request == MPI_REQUEST_NULL || !is_done(run, &pipe->opening.request, ycomm_verb_name(pipe->part->verb)))
        return false;
    pipe->open = ycomm_check_opening(run->channel->comm, pipe->part, &pipe->opening, &failure);
    if (!pipe->open)
        ycomm_run_fail(run, failure.status, "%s", failure.text);
    return true;
}

/* Receives go on by a piece at a time, so that sends are looked after in between (run.c). */
bool ycomm_pipe_step(ycomm_run *run, ycomm_pipe *pipe)
{
    static bool (*const stages[])(ycomm_run *, ycomm_pipe *) = { empty, take, post, fill, open_pipe };
    bool moved = false, again = pipe->part->verb != YCOMM_RECEIVE;
    for (size_t i = 0; i < YCOMM_COUNT_OF(stages) && run->failure.status == YOKE_OK; i++)
        while (run->failure.status == YOKE_OK && stages[i](run, pipe)) {
            moved = true;
            if (!again)
                break;
        }
    pipe->through = pipe->open && pipe->opening.request == MPI_REQUEST_NULL && pipe->emptied == pipe->pieces;
    return moved;
}
