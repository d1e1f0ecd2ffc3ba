/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions of random numbers share. */
#ifndef YOPS_RANDOM_H
#define YOPS_RANDOM_H

#include "call/call.h"

/* The third word of Philox's counter, with the attempt. */
typedef enum yops_random_kind {
    YOPS_RANDOM_INTEGERS,
    YOPS_RANDOM_UNIFORM,
    YOPS_RANDOM_NORMAL,
    YOPS_RANDOM_EXPONENTIAL,
    YOPS_RANDOM_PERMUTATION
} yops_random_kind;

typedef struct yops_random {
    yops_call call;
    yops_random_kind kind;
    uint64_t seed, offset;
    yoke_random_options options;
    const yoke_array *out;
    yops_place place;
    double scale[4];                /* of floating-point numbers: a, b, least and most of random.yk */
    uint64_t low, range, threshold; /* of integers; a range of 0 is 2^64 */
} yops_random;

/* Begin a call: the stream, the options, and the output, whose name in the call is `name`. */
yoke_status yops_random_begin(yops_random *r, const char *function, const char *where, yoke_stream *stream, const char *name,
                              const yoke_array *out, const yoke_random_options *options);

/* Whether there is a position for each number of r->out. */
yoke_status yops_random_check_positions(const yops_random *r);

/* Make the numbers; nothing for an empty array. */
yoke_status yops_random_run(yops_random *r);

#endif
