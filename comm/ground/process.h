/* SPDX-License-Identifier: Apache-2.0 */
/* The process: forked children, and the gate that MPI_Finalize closes. */
#ifndef YCOMM_PROCESS_H
#define YCOMM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <yoke/comm.h>

/* So many nanoseconds from now, fewer than a second, for waits of pthreads. */
struct timespec ycomm_from_now(long nanoseconds);

/* Notice forks from here on; false without memory for that. In a child, every function returns what ycomm_fork_check does. */
bool ycomm_fork_watch(void);
bool ycomm_is_forked(void);
yoke_status ycomm_fork_check(const char *function);

/* Around each visit of Yoke's own to MPI, which waits for nothing there; visits may be nested. False: MPI has been finalised, or is
 * about to be, and must not be called (gate.c). */
bool ycomm_mpi_enter(void);
void ycomm_mpi_leave(void);
bool ycomm_mpi_is_closed(void);
/* Close the gate for good, and wait until nobody is inside. */
void ycomm_mpi_close(void);

#endif
