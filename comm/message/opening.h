/* SPDX-License-Identifier: Apache-2.0 */
/* What the two sides of a message, or all ranks of a collective, tell each other first. */
#ifndef YCOMM_OPENING_H
#define YCOMM_OPENING_H

#include "op.h"

enum { YCOMM_OPENING = 12 };

typedef struct ycomm_opening {
    MPI_Request request;
    int64_t said[YCOMM_OPENING], heard[YCOMM_OPENING];
} ycomm_opening;

/* Post what opens a part: an error of MPI's. With `matched`, that of a send is complete when it has been received. */
int ycomm_post_opening(MPI_Comm mpi, int tag, const ycomm_part *part, bool matched, ycomm_opening *opening);
/* Compare what was told; false: `out_failure` says what does not match. */
bool ycomm_check_opening(const yoke_comm *comm, const ycomm_part *part, const ycomm_opening *opening, ycomm_failure *out_failure);
const char *ycomm_verb_name(ycomm_verb verb);

#endif
