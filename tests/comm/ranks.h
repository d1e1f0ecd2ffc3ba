/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each program here stands on, which runs under mpirun: a case passes when it has passed at all ranks, and rank 0 says so. A
 * check that fails tells its rank and place in a remark.
 */
#ifndef RANKS_H
#define RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include <yoke/comm.h>

#include "api/dtypes.h"
#include "api/reductions.h"

typedef struct ranks {
    int rank, count;
    yoke_device *device;
    yoke_stream *stream;
    yoke_comm *comm; /* of MPI_COMM_WORLD, with the stream added */
} ranks;

/* Initialise MPI, open the device, create stream and communicator. Ends the program as skipped where there is no device. */
void ranks_start(ranks *t, int *argc, char ***argv, unsigned seconds);

/* All ranks: a case ends. It passes when no check has failed at any rank since the last one. */
void ranks_case(ranks *t, const char *format, ...) YOKE_PRINTF(2, 3);

/* The way of its communicator. */
int32_t ranks_way(const ranks *t);

/* All ranks: release everything. Returns main's value. */
int ranks_end(ranks *t);

/* Checks, which are expressions. */
#define CHECK(condition) ranks_check(!!(condition), YOKE_HERE, #condition)
#define CHECK_OK(call) ranks_check_status(YOKE_OK, (call), YOKE_HERE, #call)
/* The call fails with this status, and a text that has each of the words: "rank 1|tag". */
#define CHECK_FAILS(expected, words, call) ranks_check_fails((expected), (words), (call), YOKE_HERE, #call)

bool ranks_check(bool ok, const char *where, const char *what);
bool ranks_check_status(yoke_status expected, yoke_status got, const char *where, const char *what);
bool ranks_check_fails(yoke_status expected, const char *words, yoke_status got, const char *where, const char *what);

#endif
