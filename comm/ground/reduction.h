/* SPDX-License-Identifier: Apache-2.0 */
/* What elements are combined by. */
#ifndef YCOMM_REDUCTION_H
#define YCOMM_REDUCTION_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

/* Whether ranks combine elements by it: YOKE_REDUCE_SUM and so on, but not YOKE_REDUCE_ANY. */
bool ycomm_is_reduction(int32_t operation);
/* Whether the dtype has the operation. */
bool ycomm_has_operation(int32_t dtype, int32_t operation);
/* What MPI is given for an operation that the dtype has. An error of MPI's, when its own operations cannot be created. */
int ycomm_reduction(int32_t dtype, int32_t operation, MPI_Datatype *out_type, MPI_Op *out_op);

#endif
