/* SPDX-License-Identifier: Apache-2.0 */
/* What the families of operations share, and their rows of the table. A row is OPERATION(name): the functions vary_name, draw_name,
 * call_name and judge_name, which are the family's own. */
#ifndef RANDOM_FAMILIES_H
#define RANDOM_FAMILIES_H

#include "model.h"

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

#define OPERATION(name)                                                    \
    {                                                                      \
        "yoke_" #name, vary_##name, draw_##name, call_##name, judge_##name \
    }
#define FAMILY(name)                            \
    extern const operation operations_##name[]; \
    extern const size_t count_##name

FAMILY(map);
FAMILY(reduce);
FAMILY(scan);
FAMILY(sort);
FAMILY(select);
FAMILY(histogram);
FAMILY(gather);
FAMILY(matmul);
FAMILY(filter);
FAMILY(fft);
FAMILY(numbers);

/* A list of variables for the step's expression: x1, x2, … and s. */
size_t list_vars(const step *s, yoke_var *vars, int first, int count);

/* A reduction, one element after the other. */
typedef struct total {
    int32_t kind, dtype; /* of the operation, and of the elements */
    int64_t count, at;   /* at: of the least or largest */
    uint64_t bits;       /* of integers */
    wide_int whole;
    number sum;                                              /* or the product, or the least or largest */
    long double sizes, squares, logs_up, logs_down, largest; /* what bounds stand on */
    long double mean, distances;
    bool any, all, has_value, finite;
} total;

void total_begin(total *t, int32_t kind, int32_t dtype);
void total_add(total *t, number x);
/* What output k has to hold there; `roundings` more than a tree's. */
/* Combinations of the caller's own, of integers, and what they give. Those up to OWN_LAST are commutative. */
enum { OWN_SUM, OWN_PRODUCT, OWN_XOR, OWN_LARGEST, OWN_LAST, OWN_COUNT };
const char *own_text(int32_t kind);
number own_value(int32_t kind, int32_t dtype, number a, number b);

void total_want(const total *t, step *s, int k, int64_t position, long double roundings);

/* Positions in the order of a sort. */
int64_t *sorted_positions(const operand *keys, int64_t first, int64_t stride, int64_t count, int32_t order);
int compare_keys(number a, number b); /* ascending, NaN last, -0 before 0 */
/* The 64 random bits of a permutation's element. */
uint64_t permutation_key(const step *s, uint64_t position);

#endif
