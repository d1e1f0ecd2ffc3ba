/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product as its kernels and the vendors' libraries take it: C = alpha * A * B + beta * C, for each of a batch. */
#ifndef YOPS_GEMM_H
#define YOPS_GEMM_H

#include "call/call.h"

typedef struct yops_gemm {
    int32_t a_dtype, b_dtype, c_dtype;
    uint64_t m, n, k, batch; /* C is m x n, A is m x k, B is k x n */
    yops_place a, b, c;
    int64_t a_row, a_column, a_batch, b_row, b_column, b_batch, c_row, c_column, c_batch; /* strides in elements, 0 = broadcast */
    yoke_number alpha, beta;
    bool tf32;
} yops_gemm;

#endif
