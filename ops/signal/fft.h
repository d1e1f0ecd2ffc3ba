/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fourier transforms inside. A call becomes a list of steps, which is complete, with its kernels and its temporaries, before the
 * first one is launched. fft_plan.c says how a length is cut into passes, fft_pass.c makes a step of a pass, fft_axis.c the steps
 * of one axis, fft.c those of a call. fft_library.c gives a call to cuFFT instead.
 */
#ifndef YOPS_FFT_HOST_H
#define YOPS_FFT_HOST_H

#include "call/call.h"

#include <yoke/fft.h>

/* ---- Plans: fft_plan.c ---- */

enum { YOPS_FFT_MOST_PASSES = 12, YOPS_FFT_MOST_STAGES = 7, YOPS_FFT_MOST_LENGTH = 1 << 29 };

/* One pass: sub-transforms of `length` points, in stages. */
typedef struct yops_fft_factor {
    uint32_t length, stages;
    uint32_t radix[YOPS_FFT_MOST_STAGES];
} yops_fft_factor;

typedef struct yops_fft_plan {
    uint32_t count; /* passes; 0: the length has a prime factor above 13 */
    yops_fft_factor pass[YOPS_FFT_MOST_PASSES];
} yops_fft_plan;

/* Plan transforms of n points, 1 <= n <= YOPS_FFT_MOST_LENGTH. The plan depends on these arguments alone, and so do the bits of the
 * result. `is_wide`: double. `is_strided`: several transforms lie side by side. */
yops_fft_plan yops_fft_make_plan(uint32_t n, bool is_wide, bool is_strided);

/* The smallest length not below n that has no prime factor above 7, and is even. */
int64_t yops_fft_good_length(int64_t n);

/* ---- Steps ---- */

/* As struct fft_pass of fft.yh, whose last members are of the type that is computed with. */
typedef struct yops_fft_pass {
    int64_t in_origin, in_outer, in_step, in_inner;
    int64_t out_origin, out_outer, out_step, out_inner;
    uint32_t columns, per_outer, inner, before, length, inverse, in_rows, out_rows;
    union {
        float single[6];
        double wide[6];
    } numbers; /* scale, unused, stage_high, stage_low, turn_high, turn_low */
} yops_fft_pass;

/* Pairs: two real elements, half a step apart, are one complex element. */
enum { YOPS_FFT_COMPLEX = 0, YOPS_FFT_REAL = 1, YOPS_FFT_HALF = 2, YOPS_FFT_PAIRS = 3 };

/* The macro OUTPUT of the kernels for a kind. */
int yops_fft_get_output(int32_t kind);

/* Where the transforms along one axis lie in an array: an element's place is
 * origin + outer index * outer_stride + position * step + inner index * inner_stride, in elements. */
typedef struct yops_fft_lines {
    yoke_buffer *root;
    int64_t origin, outer_stride, step, inner_stride;
    int32_t kind; /* YOPS_FFT_: what the elements are */
} yops_fft_lines;

enum { YOPS_FFT_LAUNCH, YOPS_FFT_COPY, YOPS_FFT_PRODUCT, YOPS_FFT_ZERO };

typedef struct yops_fft_step {
    int32_t action;                /* of the enum above; the arrays belong to all but the first: */
    yoke_array target, one, other; /* target = one, target = one * other, target = 0 */
    yoke_kernel *kernel;
    yoke_buffer *in, *out; /* in: NULL for a kernel without an input */
    yops_fft_pass pass;
    int64_t outer;             /* so many times per_outer columns */
    uint32_t width;            /* columns of a block; 0: a thread takes `lanes` columns at a time */
    uint32_t threads;          /* of a block */
    uint32_t lanes, most_each; /* and takes so many tiles of them at most */
} yops_fft_step;

enum { YOPS_FFT_MOST_STEPS = 64, YOPS_FFT_MOST_TEMPORARIES = 24 };

typedef struct yops_fft_temporary {
    yoke_buffer *buffer;
    uint64_t size;
    bool is_busy;
} yops_fft_temporary;

typedef struct yops_fft {
    yops_call call;
    yops_traits traits;
    bool is_wide;
    int32_t complex_dtype;
    size_t step_count, temporary_count;
    yops_fft_step steps[YOPS_FFT_MOST_STEPS];
    yops_fft_temporary temporaries[YOPS_FFT_MOST_TEMPORARIES];
} yops_fft;

/* Everything of one axis that is the same for all of its steps. */
typedef struct yops_fft_axis {
    int64_t outer, inner;
    uint32_t n;
    bool is_inverse;
    double scale;
} yops_fft_axis;

/* Begin a call's list, which is large and lies on the heap. Its end releases the temporaries. */
yoke_status yops_fft_begin(const yops_call *call, int32_t complex_dtype, yops_fft **out_fft);
void yops_fft_end(yops_fft *f);

/* Launch all steps. */
yoke_status yops_fft_run(yops_fft *f);

/* Take temporary memory until yops_fft_give: steps that are added later may use it again. */
yoke_status yops_fft_take(yops_fft *f, uint64_t size, yoke_buffer **out_buffer);
void yops_fft_give(yops_fft *f, yoke_buffer *buffer);

/* A further step, or NULL when there are too many, which the lengths that are allowed do not reach. */
yops_fft_step *yops_fft_add(yops_fft *f);

/* Add a step that is an operation of this library. Arrays that it does not need are NULL. */
yoke_status yops_fft_add_operation(yops_fft *f, int32_t action, const yoke_array *target, const yoke_array *one,
                                   const yoke_array *other);

/* Set pi / 2 / order, as the sum of two numbers. */
void yops_fft_set_angle(const yops_fft *f, yops_fft_pass *pass, int index, uint32_t order);
void yops_fft_set_scale(const yops_fft *f, yops_fft_pass *pass, double scale);

/* The pass from `in`, or NULL where it reads nothing, to `out`; its numbers are 0. */
yops_fft_pass yops_fft_make_pass(const yops_fft_axis *axis, const yops_fft_lines *in, const yops_fft_lines *out, uint32_t per_outer,
                                 uint32_t before);

/* Add a pass: fft_pass.c. `before` is the product of the lengths of the passes before. */
yoke_status yops_fft_add_pass(yops_fft *f, const yops_fft_axis *axis, const yops_fft_factor *factor, uint32_t before,
                              const yops_fft_lines *in, const yops_fft_lines *out, double scale);

/* Add the transforms of an axis: fft_axis.c. */
yoke_status yops_fft_add_axis(yops_fft *f, const yops_fft_axis *axis, const yops_fft_lines *in, const yops_fft_lines *out);

/* For tests: 0 lets the device decide, 1 takes the kernels of GPUs, 2 those of CPUs. */
extern int yops_fft_kernels;

/* ---- Calls: fft.c ---- */

/* One transform, whose arguments have been checked: complex to complex, real to complex, or complex to real, by the dtypes. This is
 * all that another implementation has to know. */
typedef struct yops_fft_problem {
    yoke_array out, a; /* any strides */
    int32_t axes[3];   /* of both; of real data, the last one is halved */
    size_t axis_count;
    bool is_inverse, is_exact;
    double scale; /* of the result */
} yops_fft_problem;

/* Check a list of 1 to 3 axes; NULL is all of `dimensions`. */
yoke_status yops_fft_check_axes(const yops_call *call, int32_t dimensions, const int32_t *axes, size_t count, int32_t *out_axes,
                                size_t *out_count);

/* Whether the axes from `first` up to `end`, without those that are left out (NULL: none is), are one; its stride. */
bool yops_fft_join(const yoke_array *array, int32_t first, int32_t end, const bool *left_out, int64_t *out_stride);

/* Add a transform. The arrays lie within their buffers, are not empty, and are the very same or share no memory. */
yoke_status yops_fft_add_transform(yops_fft *f, const yops_fft_problem *problem);

/* Hand a transform to a vendor's library: fft_library.c. False: Yoke's own kernels have to compute it; `out` is as it was. True: it
 * has been enqueued, or has failed; *out_status is the call's status. */
bool yops_fft_run_by_library(const yops_call *call, const yops_fft_problem *problem, yoke_status *out_status);

/* A dense array in a temporary of the list. */
yoke_status yops_fft_take_array(yops_fft *f, int32_t dtype, int32_t dimensions, const int64_t *shape, yoke_array *out_array);

/* ---- Convolutions ---- */

typedef struct yops_convolution {
    yops_call call;
    const yoke_array *out, *a, *b;
    int32_t mode;
    int32_t axes[3];
    size_t axis_count;
    int64_t padded[YOKE_MAX_DIMENSIONS]; /* the transforms' lengths along the axes; elsewhere out's extents */
    int64_t start[YOKE_MAX_DIMENSIONS];  /* of out within the full convolution */
    bool is_aliased;                     /* out is an input */
} yops_convolution;

/* Whether the sums are taken directly, and that, of arrays that have been checked and are not empty: fft_direct.c. */
bool yops_fft_convolve_is_direct(const yops_convolution *c);
yoke_status yops_fft_convolve_directly(const yops_convolution *c);

/* For tests: 1 takes direct sums, 2 transforms, 0 the fewer operations. */
extern int yops_fft_convolve_force;

#endif
