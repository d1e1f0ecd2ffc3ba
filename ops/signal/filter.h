/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters inside: filter.c checks a call and makes stages of it, filter_stages.c makes passes of the stages, filter_launch.c makes
 * launches of the passes, and so do filter_plane.c and filter_full.c of some.
 */
#ifndef YOPS_FILTER_HOST_H
#define YOPS_FILTER_HOST_H

#include "call/call.h"

#include <yoke/filter.h>

enum {
    YOPS_FILTER_BOX_DIRECT = 64, /* larger boxes are sums of sums */
    YOPS_FILTER_BOX_PART = 32,
    YOPS_FILTER_MOST_PASSES = 3 * YOKE_MAX_DIMENSIONS,
    YOPS_FILTER_MOST_PLANE_TAPS = 49 /* of one axis, in the kernel that filters two axes at once */
};

/* Taps along one axis: output p is a sum of elements p + shift to p + shift + taps - 1. */
typedef struct yops_filter_stage {
    int32_t axis;
    int64_t taps, shift;
    size_t weights; /* the place of the first in yops_filter.weights */
} yops_filter_stage;

typedef struct yops_filter {
    yops_call call;
    const yoke_array *out, *a;
    yops_place out_place, in_place;
    yoke_filter_options options;
    int32_t axis_count, axes[YOKE_MAX_DIMENSIONS]; /* ascending */
    int32_t places[YOKE_MAX_DIMENSIONS];           /* in the caller's list */
    int32_t stage_count;
    yops_filter_stage stages[YOKE_MAX_DIMENSIONS]; /* of ascending axes */
    bool is_box;                                   /* all weights are 1, and the sum is divided by the number of taps */
    bool is_full;    /* the stages are not one after the other but the axes of one sum; its weights are those of stage 0 */
    bool is_rank;    /* not a sum: any real dtype, the same of both */
    double *weights; /* NULL for a box */
    size_t weight_count;
    int32_t computed; /* YOKE_F32 or YOKE_F64 */
} yops_filter;

/* Integers of 8 and 16 bits, and floating point. */
bool yops_filter_takes(int32_t dtype);

/* Begin a filter: its checks but for those of its own parameters. */
yoke_status yops_filter_begin(yops_filter *f, const char *function, const char *where, yoke_stream *stream, const int32_t *axes,
                              size_t axis_count, const yoke_filter_options *options);

/* Add the i-th axis with so many taps, and the options' origin. */
yoke_status yops_filter_add_stage(yops_filter *f, int32_t i, int64_t taps);

/* Enqueue the filter. The array is not empty, and there is at least one stage. */
yoke_status yops_filter_run(yops_filter *f);

/* An array of a pass. */
typedef struct yops_filter_operand {
    yoke_buffer *root;
    int64_t origin;
    int32_t dtype, dimensions;
    int64_t shape[YOKE_MAX_DIMENSIONS], strides[YOKE_MAX_DIMENSIONS];
} yops_filter_operand;

/* The array as it is, but for one without axes, which gets one. */
yops_filter_operand yops_filter_operand_of(const yoke_array *array, const yops_place *place);

/* One launch: taps along one axis, or along up to three where the filter is full. */
typedef struct yops_filter_pass {
    yops_filter_operand in, out, start; /* start.root NULL: the sums begin with 0 */
    int32_t stages;                     /* of `stage`: 1, or the axes of a full filter, or 2 in one kernel (is_plane) */
    yops_filter_stage stage[3];         /* the last has the axis along which a thread has several outputs */
    int64_t step;                       /* from tap to tap of the last stage */
    int32_t boundary;
    double value[2], divisor; /* value[1]: of the second axis of a plane */
    bool is_plane, is_few;    /* by filter_plane.yk; by filter_full.yk */
    yoke_kernel *kernel, *set_weights;
} yops_filter_pass;

/* Get the pass's kernel. */
yoke_status yops_filter_prepare(const yops_filter *f, const yops_traits *traits, yops_filter_pass *pass);

/* Launch it. `weights`: those of the filter, in its computed dtype. */
yoke_status yops_filter_launch(const yops_filter *f, const yops_traits *traits, const yops_filter_pass *pass, yoke_buffer *weights);

/* Fill the buffer with the filter's weights, or with ones for a box. */
yoke_status yops_filter_set_weights(const yops_filter *f, yoke_kernel *kernel, yoke_buffer *weights, size_t count);

/* Whether the two last stages can be one launch. */
bool yops_filter_fits_plane(const yops_filter *f, const yops_traits *traits, const yops_filter_operand *in,
                            const yops_filter_operand *out, const yops_filter_stage *stages);
yoke_status yops_filter_prepare_plane(const yops_filter *f, yops_filter_pass *pass);
yoke_status yops_filter_launch_plane(const yops_filter *f, const yops_traits *traits, const yops_filter_pass *pass);

/* Whether a full filter can have its weights as parameters. */
bool yops_filter_fits_full(const yops_filter *f, const yops_traits *traits, const yops_filter_operand *in,
                           const yops_filter_operand *out);
yoke_status yops_filter_prepare_full(const yops_filter *f, const yops_traits *traits, yops_filter_pass *pass);
yoke_status yops_filter_launch_full(const yops_filter *f, const yops_traits *traits, const yops_filter_pass *pass);

/* For tests: take the kernels of GPUs (1), or of those the ones for any number of taps (2), whatever the device is. */
extern int yops_filter_force;

#endif
