/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured, by `yoke bench` and by the programs in bench/: one table. */
#ifndef MEASURE_CASES_H
#define MEASURE_CASES_H

#include "measure.h"

/* Of COPY, `way` is the host memory, PLAIN or PINNED, and ORDERED means that there is none; a copy's size is the front end's, and
 * so are the kernels of a GRAPH, which `size` counts. */
enum measure_group { MEASURE_LAUNCH, MEASURE_CALL, MEASURE_GRAPH, MEASURE_ALLOC, MEASURE_COPY, MEASURE_GROUPS };

typedef struct measure_case {
    int group;
    double (*run)(const measure_batch *batch);
    size_t size;
    int way;
    /* In bench/, with a size for '#', or NULL: the unit of the figures, and how many operations a batch has, which stays well below
     * the depth of the drivers' queues, where a call would wait for the device. */
    const char *program_name, *unit;
    int program_count;
    /* In yoke bench, or NULL: few operations in a batch, so that the figures are distributed as single ones are. */
    const char *tool_name, *words;
    int tool_count;
} measure_case;

extern const measure_case measure_cases[];
extern const size_t measure_case_count;

#endif
