/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of reductions.def, for whoever has to know what an operation of reductions takes. Their order means nothing. */
#ifndef YK_REDUCTIONS_H
#define YK_REDUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <yoke/array.h>

typedef enum yk_reduction_rule {
    YK_REDUCTION_NONE, /* of a number that is not an operation */
    YK_REDUCTION_SUM,
    YK_REDUCTION_ORDER,
    YK_REDUCTION_EXTREME,
    YK_REDUCTION_LOGIC,
    YK_REDUCTION_POSITION,
    YK_REDUCTION_FRACTION,
    YK_REDUCTION_BITS
} yk_reduction_rule;

typedef struct yk_reduction {
    const char *name;
    yk_reduction_rule rule;
    bool takes_complex;
} yk_reduction;

enum { YK_REDUCTION_REAL = 0, YK_REDUCTION_COMPLEX = 1 };

#define YK_REDUCTION(name, rule, takes, mpi, nccl) +1
enum {
    YK_REDUCTION_COUNT = 1 /* one more than the last operation */
#include "reductions.def"
};

/* The row of an operation; of a number that is not an operation, zeros. */
static inline const yk_reduction *yk_reduction_get(int32_t operation)
{
    static const yk_reduction rows[] = {
#define YK_REDUCTION(name, rule, takes, mpi, nccl) \
    [YOKE_REDUCE_##name] = { "YOKE_REDUCE_" #name, YK_REDUCTION_##rule, YK_REDUCTION_##takes },
#include "reductions.def"
    };
    _Static_assert(sizeof rows / sizeof rows[0] == YK_REDUCTION_COUNT && YK_REDUCTION_COUNT == YOKE_REDUCE_ARGMAX_OR_NAN + 1,
                   "a row of reductions.def for each operation");
    return &rows[operation > 0 && operation < YK_REDUCTION_COUNT ? operation : 0];
}

/* Of arrays, along an axis. */
static inline bool yk_reduction_is_scanned(int32_t operation)
{
    yk_reduction_rule rule = yk_reduction_get(operation)->rule;
    return rule == YK_REDUCTION_SUM || rule == YK_REDUCTION_ORDER;
}

#endif
