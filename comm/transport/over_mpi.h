/* SPDX-License-Identifier: Apache-2.0 */
/* What the transports over MPI share: they take every operation, and need nothing beside a channel's communicator of MPI. */
#ifndef YCOMM_OVER_MPI_H
#define YCOMM_OVER_MPI_H

#include "ground/transport.h"

static inline bool takes(const struct ycomm_op *op)
{
    (void)op;
    return true;
}

static inline yoke_status create(ycomm_channel *channel)
{
    (void)channel;
    return YOKE_OK;
}

static inline void fail(ycomm_channel *channel, yoke_status status)
{
    (void)channel, (void)status;
}

static inline void end(ycomm_channel *channel)
{
    (void)channel;
}

static inline void destroy(ycomm_channel *channel)
{
    (void)channel;
}

#endif
