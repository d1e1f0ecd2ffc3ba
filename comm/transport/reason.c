/* SPDX-License-Identifier: Apache-2.0 */
/* Why a transport cannot be used, in the words of the lowest rank that has a reason. */
#include <stdio.h>

#include "transports.h"

int ycomm_share_reason(yoke_comm *comm, char reason[YCOMM_TEXT])
{
    char told[YCOMM_TEXT];
    int mine = reason[0] ? (int)comm->rank : (int)comm->ranks, first = 0;
    int error = MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm->control);
    if (error != MPI_SUCCESS || first == comm->ranks)
        return error;
    snprintf(told, sizeof told, "%s", reason);
    error = MPI_Bcast(told, YCOMM_TEXT, MPI_CHAR, first, comm->control);
    told[YCOMM_TEXT - 1] = '\0';
    snprintf(reason, YCOMM_TEXT, "rank %d: %.1100s", first, told);
    return error;
}
