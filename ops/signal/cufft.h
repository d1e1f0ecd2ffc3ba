/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms by a vendor's library: cuFFT on CUDA. */
#ifndef YOPS_VENDOR_FFT_H
#define YOPS_VENDOR_FFT_H

#include "call/call.h"

typedef enum yops_fft_kind {
    YOPS_FFT_C2C,
    YOPS_FFT_R2C, /* forward; the last axis of the output has length / 2 + 1 elements */
    YOPS_FFT_C2R  /* inverse; likewise of the input, which may be overwritten */
} yops_fft_kind;

/* One side of a transform: `strides` of the axes and `distance` from one transform of the batch to the next, in elements. */
typedef struct yops_fft_side {
    int64_t strides[3], distance;
} yops_fft_side;

/* Transforms of the `rank` (1 to 3) last axes, not scaled. All of it is the key of a plan, so zero what is not used. */
typedef struct yops_vendor_fft_plan {
    int32_t kind;    /* YOPS_FFT_ */
    int32_t inverse; /* of C2C: exp(+2 pi i ...) */
    int32_t wide;    /* double, not float */
    int32_t rank;
    int64_t lengths[3]; /* of the transform: of the real side, where there is one */
    int64_t batch;
    yops_fft_side in, out;
} yops_vendor_fft_plan;

/* Hand a transform to a vendor's library: `in` and `out` are where the first elements are, and may be the same. True: a library has
 * it, or has failed, and *out_status is the call's status. False: Yoke's own kernels have to compute it; nothing has been enqueued,
 * and *out_status is YOKE_OK. YOKE_OPS_EXACT=1 keeps the library out. Strides must be positive, and those of the outer axes
 * multiples of those of the inner ones. Nothing is scaled: that is the caller's. */
bool yops_vendor_fft(const yops_call *call, const yops_vendor_fft_plan *plan, const yops_place *in, const yops_place *out,
                     yoke_status *out_status);

/* Whether a library can be told these strides. */
bool yops_vendor_fft_knows(const yops_vendor_fft_plan *plan);

/* Whether there is a library for the call's device: it is worth preparing a transform for it. */
bool yops_vendor_fft_is_there(const yops_call *call);

#endif
