/* SPDX-License-Identifier: Apache-2.0 */
/* Failures in words. */
#include <stdarg.h>
#include <stdio.h>

#include <mpi.h>

#include "failure.h"

void ycomm_failure_set(ycomm_failure *failure, yoke_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    failure->status = status;
    failure->early = false;
    vsnprintf(failure->text, sizeof failure->text, format, args);
    va_end(args);
}

void ycomm_failure_set_mpi(ycomm_failure *failure, const char *call, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(error, text, &length) != MPI_SUCCESS)
        snprintf(text, sizeof text, "error %d", error);
    for (char *at = text; *at; at++)
        if (*at == '\n')
            *at = ' ';
    ycomm_failure_set(failure, YOKE_E_DRIVER, "MPI has failed in %s: %.300s", call, text);
}

void ycomm_failure_set_finalized(ycomm_failure *failure)
{
    ycomm_failure_set(failure, YOKE_E_UNAVAILABLE,
                      "MPI has been finalised: MPI_Finalize was called before this was complete; wait for the stream first");
}
