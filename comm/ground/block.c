/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page-locked memory for pieces: a channel keeps what it has once used, up to a limit that an operation's pipes share
 * (share.c). Whoever has the channel's turn may call this.
 */
#include <stdlib.h>

#include "block.h"

/* Both sides of a piece begin at a multiple of 64 bytes. */
enum { BLOCK_SIZE = YCOMM_PIECE + 64 };

yoke_status ycomm_block_take(ycomm_channel *channel, ycomm_block **out_block)
{
    ycomm_block *block = channel->blocks;
    if (block) {
        channel->blocks = block->next;
        *out_block = block;
        return YOKE_OK;
    }
    block = calloc(1, sizeof *block);
    if (!block)
        return yoke_fail(YOKE_E_OUT_OF_HOST_MEMORY, "no memory for a piece of a message");
    yoke_status status = yoke_buffer_create_pinned(channel->comm->device, BLOCK_SIZE, &block->pinned);
    if (status < 0) {
        free(block);
        return status;
    }
    block->host = yoke_buffer_get_host(block->pinned);
    *out_block = block;
    return YOKE_OK;
}

void ycomm_block_give(ycomm_channel *channel, ycomm_block *block)
{
    block->next = channel->blocks;
    channel->blocks = block;
}

void ycomm_block_free(ycomm_block *block)
{
    yoke_buffer_release(block->pinned);
    free(block);
}

void ycomm_blocks_free(ycomm_channel *channel)
{
    while (channel->blocks) {
        ycomm_block *block = channel->blocks;
        channel->blocks = block->next;
        ycomm_block_free(block);
    }
}
