/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions on the host, one element at a time: the reference for kernels that are made of them. It goes over the parsed tree
 * with C's own types, so that everything but the driver's functions of <math.h> has to agree with a kernel bit by bit (NaNs being
 * equal).
 */
#ifndef OPS_EVALUATE_H
#define OPS_EVALUATE_H

#include "ops/expression/tree.h"

/* A value as kernels compute it; its dtype tells the member, by yops_class of ops/expression/tree.h. */
typedef union evaluate_value {
    int32_t i;   /* bool is u; int8, int16, int32 */
    uint32_t u;  /* bool, uint8, uint16, uint32 */
    int64_t l;   /* int64 */
    uint64_t m;  /* uint64 */
    float f;     /* float16, bfloat16, float */
    double d;    /* double */
    float e[2];  /* complex64 */
    double g[2]; /* complex128 */
} evaluate_value;

typedef struct evaluation {
    evaluate_value in[YOPS_MOST_VARS];  /* given: arrays and scalars, by their position in the list */
    evaluate_value out[YOPS_MOST_VARS]; /* found: what has been assigned, of the array's dtype */
    evaluate_value value;               /* found: of facts.value_dtype */
    evaluate_value names[YOPS_MOST_TEMPORARIES];
    int64_t index[YOKE_MAX_DIMENSIONS], extent[YOKE_MAX_DIMENSIONS], position, count;
    /* A function of the list, where there is one: its arguments are of the dtypes of its parameters. */
    evaluate_value (*call)(struct evaluation *self, unsigned var, const evaluate_value *arguments);
    unsigned driver_functions; /* counted: calls of functions that the driver may round in its own way */
} evaluation;

void evaluate(const yops_expression *expression, evaluation *self);

/* From one dtype to another, as kernels convert; float16 and bfloat16 are rounded. */
evaluate_value evaluate_convert(evaluate_value value, int32_t from, int32_t to);

/* An element in memory as a value, and back. */
evaluate_value evaluate_load(int32_t dtype, const void *element);
void evaluate_store(int32_t dtype, void *element, evaluate_value value);
evaluate_value evaluate_number(yoke_number number);

/* Whether two values of a dtype have the same bits; all NaNs are equal. */
bool evaluate_same(int32_t dtype, evaluate_value a, evaluate_value b);

/* ---- For the files of the evaluator alone ---- */

/* An integer of a class in 64 bits, extended with its sign if it has one, and back. */
uint64_t evaluate_extended(evaluate_value v, char class);
evaluate_value evaluate_cut(uint64_t x, char class);

/* A function of expressions; its first argument is of the class. */
evaluate_value evaluate_function(evaluation *self, const yops_node *node, const evaluate_value *v, char class);

#endif
