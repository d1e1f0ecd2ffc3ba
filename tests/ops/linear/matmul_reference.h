/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products on the host, in the order that <yoke/matmul.h> describes: the bits that every device must give.
 */
#ifndef OPS_MATMUL_REFERENCE_H
#define OPS_MATMUL_REFERENCE_H

#include "../arrays.h"

enum { MATMUL_MOST = 6 };

/* An operand: its shape as the product sees it. */
typedef struct matmul_operand {
    int32_t dtype; /* 0: YOKE_F32 */
    int32_t dimensions;
    int64_t shape[MATMUL_MOST];
    bool transposed; /* its last two axes lie the other way round in memory */
    int64_t padding; /* elements behind each line in memory */
} matmul_operand;

typedef struct matmul_trial {
    matmul_operand a, b, c;
    layout how; /* of all arrays */
    bool special;
    uint32_t flags;
    bool has_scales;
    double alpha, beta;                     /* with has_scales */
    double alpha_imaginary, beta_imaginary; /* with scale_dtype */
    int32_t scale_dtype;                    /* YOKE_C64 or YOKE_C128: they are complex; 0: they are of double */
    bool has_bias;                          /* the epilogue "fmax(value + bias, 0)", with bias of c's last axis */
    bool is_outer;                          /* by yoke_outer */
    bool in_any_order; /* a and b are small integers, whose sums are the same in every order; without YOKE_MATMUL_EXACT */
} matmul_trial;

/* The shapes (m, k), (k, n) and (m, n). */
matmul_trial matmul_trial_of(int64_t m, int64_t n, int64_t k);

/* Run the product on random arrays twice and compare it with the reference, bit by bit. Checked. */
bool matmul_try(suite *t, const matmul_trial *trial, uint32_t seed);

/* The arrays of a trial, for tests that run the product themselves. */
typedef struct matmul_arrays {
    const matmul_trial *trial;
    test_array a, b, c, bias, wanted;
    bool keeps_zeros; /* else zeros may have another sign: the device lacks YOKE_CAP_EXACT_FP32 */
    yoke_array view_a, view_b, view_c;
} matmul_arrays;
bool matmul_arrays_create(suite *t, const matmul_trial *trial, uint32_t seed, matmul_arrays *out);
void matmul_arrays_release(matmul_arrays *x);
/* From what a, b and c hold on the host now: what c has to be. */
void matmul_compute(matmul_arrays *x);
/* c, which has been read back, is what was computed. Checked. */
bool matmul_compare(const matmul_arrays *x);

#endif
