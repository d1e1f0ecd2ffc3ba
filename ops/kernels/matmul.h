/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the texts of products share. Macros: IN_A, IN_B and OUT_C are the dtypes in memory; SUM is what is summed in: u32 or u64
 * for integers, modulo 2^32 or 2^64, f32, f64, c64 or c128; RESULT is what a finished sum counts as: SUM, or i32 or i64. SCALAR
 * is SUM's real type, of alpha and beta; KIND is 0 for integers, 1 for floating point, 2 for complex numbers. SWAPPED: a and b
 * have changed places, so that c is transposed. EPILOGUE: "generated.h" has an expression of the value, which is read as in_0;
 * a complex one as in_0 and in_1. SPLIT: a slice's sums are stored as they are, and finished by another kernel.
 */
#ifndef YOPS_MATMUL_H
#define YOPS_MATMUL_H

#include "element.h"
#include "operands.h"

#ifdef EPILOGUE
#include "generated.h"
#define EPILOGUE_PARAMETERS EVALUATE_PARAMETERS,
#else
#define EPILOGUE_PARAMETERS
#endif

#ifndef RESULT
#define RESULT SUM
#endif
#define KIND JOIN(kind_, SUM)
#define kind_u32 0
#define kind_u64 0
#define kind_f32 1
#define kind_f64 1
#define kind_c64 2
#define kind_c128 2
#define SCALAR JOIN(real_, SUM)
#define real_u32 u32
#define real_u64 u64
#define real_f32 f32
#define real_f64 f64
#define real_c64 f32
#define real_c128 f64

/* Of a product, in elements; ops/matmul.h has the same. */
struct matmul_shape {
    yoke_i64 m, n, k;
    yoke_i64 slice, slices; /* of k */
    yoke_i64 batches;       /* the product of extents */
    yoke_i64 a_origin, b_origin, c_origin;
    yoke_i64 a_row, a_column, b_row, b_column, c_row, c_column;
    yoke_i64 position_row, position_column; /* of c's elements in row-major order */
    yoke_i64 extents[6], a_batch[6], b_batch[6], c_batch[6]; /* axis 5 is the innermost */
};

/* STORE and LOAD of an array of the thread's own. */
#define OWN_STORE(T) JOIN(own_to_, T)
#define own_to_bool store_bool
#define own_to_i8 store_i8
#define own_to_u8 store_u8
#define own_to_i16 store_i16
#define own_to_u16 store_u16
#define own_to_i32 store_i32
#define own_to_u32 store_u32
#define own_to_i64 store_i64
#define own_to_u64 store_u64
#define own_to_f16 own_store_f16
#define own_to_bf16 store_bf16
#define own_to_f32 store_f32
#define own_to_f64 store_f64
#define own_to_c64 store_c64
#define own_to_c128 store_c128
#define OWN_LOAD(T) JOIN(own_, T)
#define own_bool load_bool
#define own_i8 load_i8
#define own_u8 load_u8
#define own_i16 load_i16
#define own_u16 load_u16
#define own_i32 load_i32
#define own_u32 load_u32
#define own_i64 load_i64
#define own_u64 load_u64
#define own_f16 own_load_f16
#define own_bf16 load_bf16
#define own_f32 load_f32
#define own_f64 load_f64
#define own_c64 load_c64
#define own_c128 load_c128

/* ---- Vectors: four elements in memory, and in a thread's registers ---- */

#define vector_1 yoke_u32
#define vector_2 uint2
#define vector_4 uint4
#define vector_8 uint4
#define vector_16 uint4
#define vectors_1 1
#define vectors_2 1
#define vectors_4 1
#define vectors_8 2
#define vectors_16 4
#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
#define VECTOR(T) PASTE(vector_, BYTES_OF(T))
#define VECTORS(T) PASTE(vectors_, BYTES_OF(T))

/* ---- Sums ---- */

typedef VALUE(SUM) sum_t;
typedef VALUE(SCALAR) scalar_t;

#define TO_SUM(T, x) ((sum_t)FROM(SUM, CLASS(T))(x))
#define ZERO_SUM FROM(SUM, u)(0u)

/* What is multiplied behind the end of k: adding the product changes no bit, neither of 0 nor of -0. There is no such pair of
 * complex numbers. */
#if KIND == 1
#define PAD_A ((sum_t)0)
#define PAD_B (-(sum_t)0)
#else
#define PAD_A ZERO_SUM
#define PAD_B ZERO_SUM
#endif

/* sum + a * b. */
YOKE_FUNCTION sum_t multiply_add(sum_t a, sum_t b, sum_t sum)
{
#if KIND == 2
    sum_t r;
    r.x = yoke_fma(-a.y, b.y, yoke_fma(a.x, b.x, sum.x));
#ifdef SWAPPED
    r.y = yoke_fma(b.y, a.x, yoke_fma(b.x, a.y, sum.y));
#else
    r.y = yoke_fma(a.y, b.x, yoke_fma(a.x, b.y, sum.y));
#endif
    return r;
#elif KIND == 1
    return yoke_fma(a, b, sum);
#else
    return a * b + sum;
#endif
}

YOKE_FUNCTION sum_t add_sums(sum_t a, sum_t b)
{
#if KIND == 2
    sum_t r;
    r.x = a.x + b.x;
    r.y = a.y + b.y;
    return r;
#else
    return a + b;
#endif
}

/* alpha * sum + beta * c. */
YOKE_FUNCTION sum_t scale_sum(sum_t sum, scalar_t alpha, scalar_t beta, sum_t c, yoke_u32 has_c)
{
#if KIND == 2
    sum_t r;
    r.x = alpha * sum.x;
    r.y = alpha * sum.y;
    if (has_c) {
        r.x = yoke_fma(beta, c.x, r.x);
        r.y = yoke_fma(beta, c.y, r.y);
    }
    return r;
#elif KIND == 1
    return has_c ? yoke_fma(beta, c, alpha * sum) : alpha * sum;
#else
    return has_c ? beta * c + alpha * sum : alpha * sum;
#endif
}

/* ---- Finished elements ---- */

#if KIND == 0
#define AS_RESULT(x) ((VALUE(RESULT))(x))
#else
#define AS_RESULT(x) (x)
#endif

#ifdef EPILOGUE
/* FINISH(sum, place, position) is the element as a value of FINISHED. Its in_0 hides the kernel's parameter. */
#if KIND == 2
#define DECLARE_VALUE(value_) const scalar_t in_0 = (value_).x, in_1 = (value_).y;
#else
#define DECLARE_VALUE(value_) const VALUE(RESULT) in_0 = AS_RESULT(value_);
#endif
#define FINISHED EVALUATE_DTYPE
#define FINISH(result, sum_, place_, position_)                                                        \
    do {                                                                                               \
        const sum_t c_ = has_c ? (sum_t)FROM(RESULT, CLASS(OUT_C))(LOAD(OUT_C)(c, place_)) : ZERO_SUM; \
        const sum_t x_ = scale_sum(sum_, alpha, beta, c_, has_c);                                      \
        DECLARE_VALUE(x_)                                                                              \
        result = FROM(OUT_C, CLASS(FINISHED))(evaluate(position_, EVALUATE_ARGUMENTS));                \
    } while (0)
#else
#define FINISH(result, sum_, place_, position_)                                                        \
    do {                                                                                               \
        const sum_t c_ = has_c ? (sum_t)FROM(RESULT, CLASS(OUT_C))(LOAD(OUT_C)(c, place_)) : ZERO_SUM; \
        result = FROM(OUT_C, CLASS(RESULT))(AS_RESULT(scale_sum(sum_, alpha, beta, c_, has_c)));       \
    } while (0)
#endif

/* ---- Batches ---- */

/* Move the origins to a batch. Indices are constants: drivers are slow where a parameter is indexed by a variable. */
#define BATCH_STEP(i)                                                                     \
    if (product.extents[i] > 1) {                                                         \
        const yoke_u64 next_ = rest_ / (yoke_u64)product.extents[i];                      \
        const yoke_i64 index_ = (yoke_i64)(rest_ - next_ * (yoke_u64)product.extents[i]); \
        BATCH_MOVE(i)                                                                     \
        rest_ = next_;                                                                    \
    }
#define BATCH_STEPS(batch)                                                                  \
    if (product.batches > 1) {                                                              \
        yoke_u64 rest_ = (yoke_u64)(batch);                                                 \
        BATCH_STEP(5) BATCH_STEP(4) BATCH_STEP(3) BATCH_STEP(2) BATCH_STEP(1) BATCH_STEP(0) \
    }
#ifdef IN_A
#define BATCH_MOVE(i)                      \
    a_from += index_ * product.a_batch[i]; \
    b_from += index_ * product.b_batch[i]; \
    c_from += index_ * product.c_batch[i];
#else
#define BATCH_MOVE(i) c_from += index_ * product.c_batch[i];
#endif
#define FIND_BATCH(batch)                                                                     \
    yoke_i64 a_from = product.a_origin, b_from = product.b_origin, c_from = product.c_origin; \
    BATCH_STEPS(batch)

#endif
