/* SPDX-License-Identifier: Apache-2.0 */
/* A failure in words, before it is anybody's: of a channel, a run or a call. */
#ifndef YCOMM_FAILURE_H
#define YCOMM_FAILURE_H

#include <stdbool.h>

#include <yoke/comm.h>

enum { YCOMM_TEXT = 1200 };

/* Why something has failed. A status of 0: it has not. */
typedef struct ycomm_failure {
    yoke_status status;
    bool early; /* in yoke_comm_add: the rank has never met the others */
    char text[YCOMM_TEXT];
} ycomm_failure;

void ycomm_failure_set(ycomm_failure *failure, yoke_status status, const char *format, ...) YOKE_PRINTF(3, 4);
/* "MPI_Isend failed: …" */
void ycomm_failure_set_mpi(ycomm_failure *failure, const char *call, int error);
/* MPI_Finalize has been called. */
void ycomm_failure_set_finalized(ycomm_failure *failure);

#endif
