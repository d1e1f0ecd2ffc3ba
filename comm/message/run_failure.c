/* SPDX-License-Identifier: Apache-2.0 */
/* How a run fails, wherever that is noticed. */
#include <stdarg.h>
#include <stdio.h>

#include "run.h"

void ycomm_run_fail_for(ycomm_run *run, const ycomm_failure *failure)
{
    if (run->failure.status == YOKE_OK)
        ycomm_channel_op_failed(run->channel, run->function, run->where, failure, &run->failure);
}

void ycomm_run_fail(ycomm_run *run, yoke_status status, const char *format, ...)
{
    ycomm_failure failure = { .status = status };
    va_list args;
    va_start(args, format);
    vsnprintf(failure.text, sizeof failure.text, format, args);
    va_end(args);
    ycomm_run_fail_for(run, &failure);
}

void ycomm_run_fail_mpi(ycomm_run *run, const char *call, int error)
{
    ycomm_failure failure;
    ycomm_failure_set_mpi(&failure, call, error);
    ycomm_run_fail_for(run, &failure);
}
