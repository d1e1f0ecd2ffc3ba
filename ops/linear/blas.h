/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by the vendors' libraries: cuBLAS on CUDA, CLBlast on OpenCL. */
#ifndef YOPS_VENDOR_BLAS_H
#define YOPS_VENDOR_BLAS_H

#include "gemm.h"

/* Hand a product to a vendor's library. True: a library has it, or the environment orders what cannot be done, and *out_status is
 * the call's status. False: Yoke's own kernels have to compute it; nothing has been enqueued, and *out_status is YOKE_OK.
 *
 * By default cuBLAS takes what it can on CUDA, and CLBlast on OpenCL devices that are GPUs but not NVIDIA's. YOKE_BLAS=own, cublas
 * or clblast is an order. YOKE_OPS_EXACT=1 keeps the libraries out, as `exact` does for one call (see yops_vendor_is_exact). Sums
 * are those of the library: not the same bits on every device.
 *
 * Taken: f32, f64, c64, c128 of one dtype; f16 and bf16, summed in float, with a C of the same dtype or f32 (CLBlast: neither f16
 * nor bf16, since it sums halves as halves). One of each matrix's two strides has to be 1, or
 * its extent; the other at least as large as its row or column; no stride may be negative. An order for anything else is
 * YOKE_E_UNSUPPORTED. */
bool yops_vendor_gemm(const yops_call *call, const yops_gemm *gemm, yoke_status *out_status);

/* For a product that no library is asked for: that the environment's order is one. */
yoke_status yops_blas_check_orders(const yops_call *call);

#endif
