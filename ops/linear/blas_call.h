/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product in the words of BLAS, and the libraries that take it. */
#ifndef YOPS_VENDOR_BLAS_CALL_H
#define YOPS_VENDOR_BLAS_CALL_H

#include <stdio.h>

#include "blas.h"
#include "library/library.h"

/* A matrix in memory, by columns: element (i, j) is at origin + i + j * ld, or with its indices exchanged. */
typedef struct yops_blas_matrix {
    int32_t dtype;
    bool transposed;
    yoke_buffer *buffer;
    int64_t origin, ld, batch; /* in elements */
} yops_blas_matrix;

/* C = alpha * A * B + beta * C by columns: for a C whose rows are contiguous, A and B have been exchanged. */
typedef struct yops_blas_call {
    yops_blas_matrix a, b, c;
    int m, n, k, batch;
    double alpha[2], beta[2]; /* the real and the imaginary part */
    bool tf32;
} yops_blas_call;

/* Each answers what yops_vendor_gemm does; `why` gets the reason when the answer is false. */
typedef struct yops_why {
    yoke_status status; /* of an order that cannot be obeyed for this reason; YOKE_OK: YOKE_E_UNSUPPORTED */
    char text[YVENDOR_REASON_SIZE];
} yops_why;

static inline void yops_library_blame(const yvendor_found *library, yops_why *why)
{
    why->status = YOKE_E_UNAVAILABLE;
    snprintf(why->text, sizeof why->text, "%s", library->reason);
}

bool yops_cublas_gemm(const yops_call *call, yops_vendor_device *device, const yops_blas_call *gemm, yops_why *why,
                      yoke_status *out_status);
bool yops_clblast_gemm(const yops_call *call, const yops_blas_call *gemm, yops_why *why, yoke_status *out_status);

#endif
