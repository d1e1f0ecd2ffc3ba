/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the layer of layer.h, for each other. */
#ifndef LAYER_PROGRAM_H
#define LAYER_PROGRAM_H

#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl_layer.h>

#include "layer.h"

/* Whether this call of the program's is to fail, and how. `queue`: NULL where there is none. */
bool layer_refuses(enum liar_call which, cl_command_queue queue, cl_int *out_code);

/* Put the calls about programs into our table. */
void layer_take_program_calls(const cl_icd_dispatch *target, cl_icd_dispatch *table);

/* The same for calls about mapped memory; and how many unmappings have been enqueued since a queue was last waited for. */
void layer_take_memory_calls(const cl_icd_dispatch *target, cl_icd_dispatch *table);
unsigned layer_unmappings(void);

#endif
