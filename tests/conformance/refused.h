/* SPDX-License-Identifier: Apache-2.0 */
/* One object of each kind, and what a forked child may do with them: nothing. */
#ifndef REFUSED_H
#define REFUSED_H

#include <yoke/graph.h>

#include "suite.h"

/* The parent's, and a stream that is held by a host function. */
typedef struct objects {
    suite *t;
    yoke_stream *stream;
    yoke_event *event;
    yoke_buffer *buffer, *pinned;
    yoke_kernel *kernel;
    yoke_graph *graph; /* of one fill */
    gate begin, begun;
    yoke_status status; /* what the host function was told */
    unsigned calls;
} objects;

/* A call whose text begins with a function's name has returned `status`: it is refused, and the record says which function and what
 * to do instead. */
void refused(yoke_status status, const char *call);
#define REFUSED(call) refused((call), #call)

void everything_is_refused(void *objects);

#endif
