/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate to MPI. Yoke's threads call MPI for operations that are under way, and a call behind MPI_Finalize ends the process. So
 * each of their visits to MPI passes this gate, which MPI_Finalize closes (finalize.c).
 */
#include <stdatomic.h>
#include <time.h>

#include "process.h"

static atomic_bool closed;
static atomic_uint inside;

bool ycomm_mpi_enter(void)
{
    atomic_fetch_add(&inside, 1);
    if (!atomic_load(&closed))
        return true;
    atomic_fetch_sub(&inside, 1);
    return false;
}

void ycomm_mpi_leave(void)
{
    atomic_fetch_sub(&inside, 1);
}

bool ycomm_mpi_is_closed(void)
{
    return atomic_load(&closed);
}

void ycomm_mpi_close(void)
{
    const struct timespec pause = { 0, 100000 };
    atomic_store(&closed, true);
    while (atomic_load(&inside) > 0) /* no visit waits for anything */
        nanosleep(&pause, NULL);
}
