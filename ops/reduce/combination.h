/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caller's own combination of two values, for yoke_reduce_with and yoke_scan_with: an expression of `a` and `b`, the functions
 * that it calls, and the value that the elements are combined with first.
 */
#ifndef YOPS_COMBINATION_H
#define YOPS_COMBINATION_H

#include "call/call.h"
#include "expression/identity.h"

/* The operation's number in the kernels: none of YOKE_REDUCE_. */
enum { YOPS_OWN_OPERATION = 0 };

typedef struct yops_combination {
    const yops_call *call;
    const char *text;
    yoke_var vars[YOPS_MOST_VARS]; /* a and b, and the caller's functions */
    size_t count;
    int32_t computed;   /* the dtype of the values */
    int64_t initial[2]; /* the bytes of a value, as kernels have it */
    bool needs_f64;
    yops_identity identity;
    yops_expression *expression;
} yops_combination;

/* Check a combination of elements of `in`, whose results are of `out`. The combination may be ended after a failure, too. */
yoke_status yops_combination_begin(yops_combination *c, const yops_call *call, const char *text, const yoke_var *functions,
                                   size_t count, int32_t in, int32_t out, yoke_number initial);
/* The bytes of a value, as kernels have it. */
size_t yops_combination_get_size(int32_t computed);
void yops_combination_end(yops_combination *c);

/* Check that a thread may combine so many elements, where the driver ends loops. */
yoke_status yops_combination_check_rounds(const yops_combination *c, const yops_traits *traits, uint64_t elements);

/* Get a kernel of the text TEXT.yk, which includes "generated.h" with yops_combine(a, b), of values of the dtype `computed`. */
yoke_status yops_combination_get_kernel(yops_combination *c, const char *text, const char *options, const char *name,
                                        yoke_kernel **out_kernel);

#endif
