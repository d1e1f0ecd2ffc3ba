/* SPDX-License-Identifier: Apache-2.0 */
/* What reductions share: the rules for dtypes, the shape as kernels see it, and the plan of the launches. */
#ifndef YOPS_REDUCE_H
#define YOPS_REDUCE_H

#include "call/call.h"
#include "combination.h"
#include "map/evaluation.h"

/* The tile of reduce_tree.yh, and the tiles that one block may reduce. */
enum { YOPS_REDUCE_TILE = 4096, YOPS_REDUCE_SPAN = 8, YOPS_REDUCE_THREADS = 256 };

/* reduce_shape of reduce_tree.yh. */
typedef struct yops_reduce_shape {
    int64_t rows, n;       /* outputs, and elements of each */
    int32_t kept, reduced; /* axes, merged where they lie as one */
    int64_t kept_extent[YOKE_MAX_DIMENSIONS], kept_stride[YOKE_MAX_DIMENSIONS], out_stride[YOKE_MAX_DIMENSIONS];
    int64_t extent[YOKE_MAX_DIMENSIONS], stride[YOKE_MAX_DIMENSIONS], stride_b[YOKE_MAX_DIMENSIONS];
    int64_t initial[2]; /* of a combination of the caller's own */
} yops_reduce_shape;

/* What is reduced: the array a, the products of a and b (else b is a too), or the values of an expression; and by what, if that is
 * the caller's own. */
typedef struct yops_reduce_input {
    const yops_place *a, *b;
    yops_evaluation *values;
    yops_combination *own;
} yops_reduce_input;

/* An operation with its dtypes. */
typedef struct yops_reduction {
    int32_t operation, in, out; /* operation: also YOPS_OWN_OPERATION */
    int32_t acc;                /* what sums and products are computed with */
    int32_t in_a, in_b;         /* of yoke_dot: the arrays' dtypes; else 0 */
    bool wants_f64;
    bool nan_first; /* of the least and the largest: NaN wins; the operation is the one where it does not */
} yops_reduction;

/* Check that the operation suits the dtypes, and fill *out_reduction. */
yoke_status yops_reduction_check(const yops_call *call, int32_t operation, int32_t in, int32_t out, yops_reduction *out_reduction);

/* Check that the output holds the positions of n elements, where the operation gives positions. */
yoke_status yops_reduction_check_positions(const yops_call *call, const yops_reduction *reduction, int64_t n);

/* The bytes of what a kernel carries in a block, and of what it stores between launches. */
size_t yops_reduction_get_state_size(const yops_reduction *reduction);
size_t yops_reduction_get_partial_size(const yops_reduction *reduction);

/* The macros of reduce_state.yh, as text for yops_kernel. Returns the length. */
int yops_reduction_get_options(const yops_reduction *reduction, char *text, size_t size);

/* Check the axes, and that `out` has the shape that remains of `a`. `out_reduced`: whether each axis of `a` is reduced.
 * `out_strides`: the output's stride along each axis of `a`, 0 along those. */
yoke_status yops_reduce_check_axes(const yops_call *call, const yoke_array *out, int32_t dimensions, const int64_t *shape,
                                   const int32_t *axes, size_t axis_count, bool *out_reduced, int64_t *out_strides);

/* Make the shape of an array, of which each axis is reduced or kept. `strides_b`: of the array b, or NULL. YOKE_E_RANGE: more than
 * 2^63 - 1 elements. */
yoke_status yops_reduce_make_shape(const yops_call *call, const yoke_array *a, const int64_t *strides_b, const bool *reduced,
                                   const int64_t *out_strides, yops_reduce_shape *s);

/* Enqueue what has been checked. */
yoke_status yops_reduce_run(const yops_call *call, const yops_reduction *reduction, const yops_reduce_shape *shape,
                            const yops_reduce_input *input, const yops_place *out);

#endif
