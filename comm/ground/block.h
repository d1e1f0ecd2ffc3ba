/* SPDX-License-Identifier: Apache-2.0 */
/* Page-locked memory for pieces. */
#ifndef YCOMM_BLOCK_H
#define YCOMM_BLOCK_H

#include "comm.h"

typedef struct ycomm_block {
    struct ycomm_block *next;
    yoke_buffer *pinned;
    unsigned char *host;
} ycomm_block;

/* A block of YCOMM_PIECE bytes and a little more. */
yoke_status ycomm_block_take(ycomm_channel *channel, ycomm_block **out_block);
void ycomm_block_give(ycomm_channel *channel, ycomm_block *block);
/* Free one, or all that the channel has and nobody uses. */
void ycomm_block_free(ycomm_block *block);
void ycomm_blocks_free(ycomm_channel *channel);

#endif
