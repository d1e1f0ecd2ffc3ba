/* SPDX-License-Identifier: Apache-2.0 */
/* What elements are combined by: MPI's own operations where it has them; ours for bool, float16 and bfloat16. */
#include <pthread.h>

#include <yoke/comm.h>
#include <yoke/half.h>

#include "reduction.h"

static MPI_Datatype own_type(int32_t dtype)
{
    switch (dtype) {
    case YOKE_I8:
        return MPI_INT8_T;
    case YOKE_U8:
    case YOKE_BOOL:
        return MPI_UINT8_T;
    case YOKE_I16:
        return MPI_INT16_T;
    case YOKE_U16:
    case YOKE_F16:
    case YOKE_BF16:
        return MPI_UINT16_T;
    case YOKE_I32:
        return MPI_INT32_T;
    case YOKE_U32:
        return MPI_UINT32_T;
    case YOKE_I64:
        return MPI_INT64_T;
    case YOKE_U64:
        return MPI_UINT64_T;
    case YOKE_F32:
        return MPI_FLOAT;
    case YOKE_F64:
        return MPI_DOUBLE;
    case YOKE_C64:
        return MPI_C_FLOAT_COMPLEX;
    case YOKE_C128:
        return MPI_C_DOUBLE_COMPLEX;
    default:
        return MPI_DATATYPE_NULL;
    }
}

static MPI_Op mpi_operation(int32_t operation)
{
    switch (operation) {
    case YOKE_REDUCE_SUM:
        return MPI_SUM;
    case YOKE_REDUCE_PRODUCT:
        return MPI_PROD;
    case YOKE_REDUCE_MIN:
        return MPI_MIN;
    case YOKE_REDUCE_MAX:
        return MPI_MAX;
    case YOKE_REDUCE_AND:
        return MPI_BAND;
    case YOKE_REDUCE_OR:
        return MPI_BOR;
    case YOKE_REDUCE_XOR:
        return MPI_BXOR;
    default:
        return MPI_OP_NULL;
    }
}

bool ycomm_is_reduction(int32_t operation)
{
    return mpi_operation(operation) != MPI_OP_NULL;
}

bool ycomm_has_operation(int32_t dtype, int32_t operation)
{
    bool sums = operation == YOKE_REDUCE_SUM || operation == YOKE_REDUCE_PRODUCT;
    bool bits = operation == YOKE_REDUCE_AND || operation == YOKE_REDUCE_OR || operation == YOKE_REDUCE_XOR;
    if (!ycomm_is_reduction(operation))
        return false;
    if (dtype == YOKE_BOOL)
        return !sums;
    if (dtype == YOKE_C64 || dtype == YOKE_C128)
        return sums;
    return dtype < YOKE_F16 || !bits;
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
#define OWN_HALF(type, name, from, to)                       \
    OWN(sum_##name, type, from(to(a[i]) + to(b[i])))         \
    OWN(product_##name, type, from(to(a[i]) * to(b[i])))     \
    OWN(min_##name, type, to(a[i]) < to(b[i]) ? a[i] : b[i]) \
    OWN(max_##name, type, to(a[i]) > to(b[i]) ? a[i] : b[i])

OWN_HALF(yoke_half, f16, yoke_half_from, yoke_half_to_float)
OWN_HALF(yoke_bfloat16, bf16, yoke_bfloat16_from, yoke_bfloat16_to_float)
OWN(and_bool, uint8_t, a[i] && b[i])
OWN(or_bool, uint8_t, a[i] || b[i])
OWN(xor_bool, uint8_t, !a[i] != !b[i])

enum { OWN_COUNT = 11 };

static struct {
    int32_t dtype, operation;
    MPI_User_function *function;
    MPI_Op op;
} own[OWN_COUNT] = {
    { YOKE_F16, YOKE_REDUCE_SUM, sum_f16, MPI_OP_NULL },   { YOKE_F16, YOKE_REDUCE_PRODUCT, product_f16, MPI_OP_NULL },
    { YOKE_F16, YOKE_REDUCE_MIN, min_f16, MPI_OP_NULL },   { YOKE_F16, YOKE_REDUCE_MAX, max_f16, MPI_OP_NULL },
    { YOKE_BF16, YOKE_REDUCE_SUM, sum_bf16, MPI_OP_NULL }, { YOKE_BF16, YOKE_REDUCE_PRODUCT, product_bf16, MPI_OP_NULL },
    { YOKE_BF16, YOKE_REDUCE_MIN, min_bf16, MPI_OP_NULL }, { YOKE_BF16, YOKE_REDUCE_MAX, max_bf16, MPI_OP_NULL },
    { YOKE_BOOL, YOKE_REDUCE_AND, and_bool, MPI_OP_NULL }, { YOKE_BOOL, YOKE_REDUCE_OR, or_bool, MPI_OP_NULL },
    { YOKE_BOOL, YOKE_REDUCE_XOR, xor_bool, MPI_OP_NULL },
};

int ycomm_reduction(int32_t dtype, int32_t operation, MPI_Datatype *out_type, MPI_Op *out_op)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int error = MPI_SUCCESS;

    *out_type = own_type(dtype);
    if (dtype == YOKE_BOOL && operation == YOKE_REDUCE_MIN)
        operation = YOKE_REDUCE_AND;
    if (dtype == YOKE_BOOL && operation == YOKE_REDUCE_MAX)
        operation = YOKE_REDUCE_OR;
    *out_op = mpi_operation(operation);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < OWN_COUNT; i++)
        if (own[i].dtype == dtype && own[i].operation == operation) {
            if (own[i].op == MPI_OP_NULL)
                error = MPI_Op_create(own[i].function, 1, &own[i].op); /* MPI_Finalize frees it */
            *out_op = own[i].op;
        }
    pthread_mutex_unlock(&lock);
    return error;
}
