/* SPDX-License-Identifier: Apache-2.0 */
/* What elements are combined by: MPI's own operations where it has them; ours for bool and for reduced precision. */
#include <pthread.h>

#include <yoke/comm.h>
#include <yoke/half.h>

#include "api/dtypes.h"
#include "api/reductions.h"
#include "reduction.h"

static const MPI_Datatype types[] = {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) [YOKE_##name] = MPI_##mpi,
#include "api/dtypes.def"
};

static const MPI_Op operations[YK_REDUCTION_COUNT] = {
    MPI_OP_NULL,
#define YK_REDUCTION(name, rule, takes, mpi, nccl) [YOKE_REDUCE_##name] = MPI_##mpi,
#include "api/reductions.def"
};

bool ycomm_is_reduction(int32_t operation)
{
    return operation > 0 && operation < YK_REDUCTION_COUNT && operations[operation] != MPI_OP_NULL;
}

bool ycomm_has_operation(int32_t dtype, int32_t operation)
{
    yk_reduction_rule rule = yk_reduction_get(operation)->rule;
    if (!ycomm_is_reduction(operation))
        return false;
    switch (yk_dtype_get(dtype)->kind) {
    case YK_KIND_BOOL:
        return rule != YK_REDUCTION_SUM;
    case YK_KIND_SIGNED:
    case YK_KIND_UNSIGNED:
        return true;
    case YK_KIND_REDUCED:
    case YK_KIND_FLOATING:
        return rule != YK_REDUCTION_BITS;
    case YK_KIND_COMPLEX:
        return rule == YK_REDUCTION_SUM;
    case YK_KIND_NONE:
        break;
    }
    return false;
}

/* ---- Operations that MPI lacks ---- */

/* The prototype is MPI's. */
#define OWN(name, type, combined)                                              \
    static void name(void *in, void *inout, int *length, MPI_Datatype *unused) \
    {                                                                          \
        const type *a = in;                                                    \
        type *b = inout;                                                       \
        (void)unused;                                                          \
        for (int i = 0; i < *length; i++)                                      \
            b[i] = (combined);                                                 \
    }

/* By the kind of a dtype: the functions for it, and their rows below. */
#define FUNCTIONS_BOOL(token, type)      \
    OWN(and_##token, type, a[i] && b[i]) \
    OWN(or_##token, type, a[i] || b[i])  \
    OWN(xor_##token, type, !a[i] != !b[i])
#define FUNCTIONS_REDUCED(token, type)                                                     \
    OWN(sum_##token, type, type##_from(type##_to_float(a[i]) + type##_to_float(b[i])))     \
    OWN(product_##token, type, type##_from(type##_to_float(a[i]) * type##_to_float(b[i]))) \
    OWN(min_##token, type, type##_to_float(a[i]) < type##_to_float(b[i]) ? a[i] : b[i])    \
    OWN(max_##token, type, type##_to_float(a[i]) > type##_to_float(b[i]) ? a[i] : b[i])
#define FUNCTIONS_SIGNED(token, type)
#define FUNCTIONS_UNSIGNED(token, type)
#define FUNCTIONS_FLOATING(token, type)
#define FUNCTIONS_COMPLEX(token, type)
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) FUNCTIONS_##kind(token, type)
#include "api/dtypes.def"

#define ROW(dtype, operation, function) { YOKE_##dtype, YOKE_REDUCE_##operation, function, MPI_OP_NULL },
#define ROWS_BOOL(dtype, token) ROW(dtype, AND, and_##token) ROW(dtype, OR, or_##token) ROW(dtype, XOR, xor_##token)
#define ROWS_REDUCED(dtype, token) \
    ROW(dtype, SUM, sum_##token) ROW(dtype, PRODUCT, product_##token) ROW(dtype, MIN, min_##token) ROW(dtype, MAX, max_##token)
#define ROWS_SIGNED(dtype, token)
#define ROWS_UNSIGNED(dtype, token)
#define ROWS_FLOATING(dtype, token)
#define ROWS_COMPLEX(dtype, token)

static struct {
    int32_t dtype, operation;
    MPI_User_function *function;
    MPI_Op op;
} own[] = {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) ROWS_##kind(name, token)
#include "api/dtypes.def"
};

int ycomm_reduction(int32_t dtype, int32_t operation, MPI_Datatype *out_type, MPI_Op *out_op)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int error = MPI_SUCCESS;

    *out_type = types[dtype];
    if (dtype == YOKE_BOOL && operation == YOKE_REDUCE_MIN)
        operation = YOKE_REDUCE_AND;
    if (dtype == YOKE_BOOL && operation == YOKE_REDUCE_MAX)
        operation = YOKE_REDUCE_OR;
    *out_op = operations[operation];
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (own[i].dtype == dtype && own[i].operation == operation) {
            if (own[i].op == MPI_OP_NULL)
                error = MPI_Op_create(own[i].function, 1, &own[i].op); /* MPI_Finalize frees it */
            *out_op = own[i].op;
        }
    pthread_mutex_unlock(&lock);
    return error;
}
