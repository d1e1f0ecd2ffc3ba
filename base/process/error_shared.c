/* SPDX-License-Identifier: Apache-2.0 */
/* Failures that outlive the call that found them: a stream keeps its failure, and the events behind it share that failure. */
#include "base/process/process.h"

#include <stdlib.h>

/* Replaces a failure that could not be stored for want of memory. Its reference is never dropped. */
static yk_failure lost_for_want_of_memory = {
    .refs = 1,
    .info = { .size = sizeof(yoke_error_info),
              .status = YOKE_E_OUT_OF_HOST_MEMORY,
              .function = "",
              .driver_call = "",
              .driver_name = "",
              .where = "",
              .text = "the work failed; the reason is lost, because host memory was exhausted" },
};

yk_failure *yk_failure_new(void)
{
    yk_failure *failure = calloc(1, sizeof *failure);
    if (failure)
        atomic_init(&failure->refs, 1);
    else
        yk_no_memory("a stream's failure record");
    return failure;
}

yk_failure *yk_failure_retain(yk_failure *failure)
{
    atomic_fetch_add_explicit(&failure->refs, 1, memory_order_relaxed);
    return failure;
}

void yk_failure_release(yk_failure *failure)
{
    if (failure && atomic_fetch_sub_explicit(&failure->refs, 1, memory_order_acq_rel) == 1)
        free(failure);
}

yk_failure *yk_failure_from_record(void)
{
    yoke_error_info info = *yoke_error();
    yk_failure *failure = yk_failure_new();
    if (!failure)
        return yk_failure_retain(&lost_for_want_of_memory);
    failure->info = info;
    return failure;
}

yoke_status yk_failure_report(yk_failure *failure)
{
    atomic_store_explicit(&failure->told, true, memory_order_relaxed);
    return yk_error_restore(&failure->info);
}
