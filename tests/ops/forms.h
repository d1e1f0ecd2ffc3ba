/* SPDX-License-Identifier: Apache-2.0 */
/* A call by the kernels that the device would take, and by those of GPUs and of CPUs that it would not: all give the same bits. */
#ifndef OPS_FORMS_H
#define OPS_FORMS_H

#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "ops/map/elementwise.h"
#include "ops/signal/fft.h"
#include "ops/signal/filter.h"
#include "ops/reduce/histogram.h"
#include "ops/linear/matmul.h"
#include "ops/order/sort.h"

/* The kernels of GPUs, or those of CPUs where they run everywhere; 0: the device's own. */
enum { OWN, OF_GPUS, OF_CPUS };

static inline void forms_force(int form)
{
    yops_elementwise_force = (yops_elementwise_forced){ .way = form == OF_GPUS ? YOPS_WAY_GRID : 0 };
    yops_fft_kernels = form;
    yops_filter_force = form == OF_GPUS;
    yops_histogram_kernels = form;
    yops_matmul_force.by_blocks = form == OF_GPUS;
    yops_sort_forced = form == OF_GPUS ? YOPS_SORT_BLOCKS : form == OF_CPUS ? YOPS_SORT_THREADS : YOPS_SORT_BY_DEVICE;
}

static inline void forms_try(suite *t, const calls_entry *entry, calls_size size)
{
    calls_state x;
    unsigned char *wanted = NULL;
    bool good = calls_create(t, entry, size, &x) && (wanted = calls_direct(&x, 3)) != NULL;
    for (int form = OF_GPUS; good && form <= OF_CPUS; form++) {
        forms_force(form);
        calls_fill(&x, 3);
        good = CHECK_OK(calls_enqueue(t->stream, &x)) && CHECK_OK(yoke_stream_wait(t->stream)) &&
               calls_compare(&x, wanted, form == OF_GPUS ? "by kernels of GPUs" : "by kernels of CPUs");
        forms_force(OWN);
    }
    if (wanted)
        memory_free(wanted);
    calls_release(&x);
}

#endif
