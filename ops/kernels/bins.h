/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bin of an element, for the kernels of histograms: bin_of(x, edges, rule), or NO_BIN. IN is the dtype of the elements, and one
 * of these macros is defined:
 *
 *   BINS_WHOLE   bins of equal width between integers, for integers: exact. BY_SHIFT: the width is a power of two; BY_FACTOR:
 *                of any range up to 2^32; BY_DIVISION: of any range
 *   BINS_REAL    bins of equal width, as floating-point numbers: the last edge low + i * width that is not above x
 *   BINS_EDGES   bins between the edges of an array
 *   BINS_INDEX   the integer is itself the index
 */
#ifndef YOPS_BINS_H
#define YOPS_BINS_H

#include "element.h"

/* The elements have 64 bits. */
#define IS_WIDE_l 1
#define IS_WIDE_m 1
#if JOIN(IS_WIDE_, CLASS(IN))
#define WIDE_ELEMENTS 1
#endif

#define NO_BIN 0xffffffffu
#define BY_SHIFT 1
#define BY_FACTOR 2
#define BY_DIVISION 3

/* For the rare part of a rule, which would otherwise be in each unrolled step of a loop. */
#if defined(__CUDACC__)
#define RARE_FUNCTION static __noinline__ __device__
#elif defined(__NV_CL_C_VERSION)
#define RARE_FUNCTION static __attribute__((noinline))
#else
#define RARE_FUNCTION YOKE_FUNCTION
#endif

#if defined(BINS_REAL_F64)
#define BINS_REAL
typedef double bin_real;
#elif defined(BINS_REAL)
typedef float bin_real;
#endif

#if defined(BINS_REAL)

/* As struct real_rule (_f64) of ops/histogram.c. */
typedef struct bin_rule {
    bin_real low, high, width, scale;
    yoke_u32 count, unused;
} bin_rule;

#define BIN_EDGE(i) (rule.low + (bin_real)(i) * rule.width)

RARE_FUNCTION yoke_u32 bin_search(bin_real x, bin_rule rule)
{
    yoke_u32 low = 0, high = rule.count;
    while (high - low > 1) {
        yoke_u32 middle = (low + high) / 2;
        if (x >= BIN_EDGE(middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* An estimate, corrected against the edges; the search is for widths of few bits, where the estimate may be far away. */
YOKE_FUNCTION yoke_u32 bin_of_real(bin_real x, bin_rule rule)
{
    if (!(x >= rule.low && x <= rule.high))
        return NO_BIN;
    yoke_u32 last = rule.count - 1;
    bin_real t = (x - rule.low) * rule.scale;
    yoke_u32 i = t < (bin_real)last ? (yoke_u32)t : last;
    if (i > last)
        i = last;
    if (i > 0 && x < BIN_EDGE(i)) {
        i--;
        return i > 0 && x < BIN_EDGE(i) ? bin_search(x, rule) : i;
    }
    if (i < last && x >= BIN_EDGE(i + 1)) {
        i++;
        return i < last && x >= BIN_EDGE(i + 1) ? bin_search(x, rule) : i;
    }
    return i;
}
#define bin_of(x, edges, rule) bin_of_real((bin_real)(x), rule)

#elif defined(BINS_WHOLE)

/* As struct whole_rule of ops/histogram.c. */
typedef struct bin_rule {
    yoke_i64 first, last;    /* the elements that are counted; the bits of a yoke_u64 for that type */
    yoke_u64 low;            /* modulo 2^64 */
    yoke_u64 range;          /* high - low */
    yoke_u32 count;
    yoke_u32 factor, shift;  /* BY_FACTOR: floor(count * 2^shift / range), where 2^shift >= range; BY_SHIFT: the width is 2^shift */
    yoke_u32 unused;
} bin_rule;

/* floor(distance * count / range) by long division, where the product has more than 64 bits. */
RARE_FUNCTION yoke_u32 bin_divide(yoke_u64 distance, bin_rule rule)
{
    yoke_u64 rest = 0;
    yoke_u32 quotient = 0;
    for (int bit = 31; bit >= 0; bit--) {
        quotient *= 2u;
        if (rest >= rule.range - rest) {
            rest -= rule.range - rest;
            quotient++;
        } else {
            rest += rest;
        }
        if ((rule.count >> bit & 1u) == 0u)
            continue;
        if (rest >= rule.range - distance) {
            rest -= rule.range - distance;
            quotient++;
        } else {
            rest += distance;
        }
    }
    return quotient;
}

/* floor((x - low) * count / range). The estimate by the factor is that number or one less. */
YOKE_FUNCTION yoke_u32 bin_of_whole(VALUE(IN) x, bin_rule rule)
{
    if (x < (VALUE(IN))rule.first || x > (VALUE(IN))rule.last)
        return NO_BIN;
#if BINS_WHOLE == BY_SHIFT && !defined(WIDE_ELEMENTS)
    yoke_u32 i = ((yoke_u32)x - (yoke_u32)rule.low) >> rule.shift;
#elif BINS_WHOLE == BY_SHIFT
    yoke_u64 far = ((yoke_u64)x - rule.low) >> rule.shift;
    yoke_u32 i = far < rule.count ? (yoke_u32)far : rule.count;
#elif BINS_WHOLE == BY_FACTOR
    yoke_u32 distance = (yoke_u32)((yoke_u64)x - rule.low), i = (yoke_u32)((yoke_u64)distance * rule.factor >> rule.shift);
    if ((yoke_u64)(i + 1u) * rule.range <= (yoke_u64)distance * rule.count)
        i++;
#else
    yoke_u32 i = bin_divide((yoke_u64)x - rule.low, rule);
#endif
    return i < rule.count ? i : rule.count - 1u;
}
#define bin_of(x, edges, rule) bin_of_whole(x, rule)

#elif defined(BINS_EDGES)

/* As struct edges_rule of ops/histogram.c. */
typedef struct bin_rule {
    yoke_i64 origin, stride;
    yoke_u32 count, unused;
} bin_rule;

/* The last edge that is not above x; the last bin includes its end. In bounds whatever the edges are. */
#define BIN_SEARCH(result, x, EDGE)                     \
    do {                                                \
        yoke_u32 low_ = 0, high_ = rule.count;          \
        result = NO_BIN;                                \
        if ((x) >= EDGE(0) && (x) <= EDGE(high_)) {     \
            while (high_ - low_ > 1) {                  \
                yoke_u32 middle_ = (low_ + high_) / 2u; \
                if ((x) >= EDGE(middle_))               \
                    low_ = middle_;                     \
                else                                    \
                    high_ = middle_;                    \
            }                                           \
            result = low_;                              \
        }                                               \
    } while (0)

#define BIN_EDGE_GLOBAL(i) LOAD(IN)(edges, rule.origin + (yoke_i64)(i) * rule.stride)
#define BIN_EDGE_SHARED(i) near_edges[i]

YOKE_FUNCTION yoke_u32 bin_of_edges(VALUE(IN) x, YOKE_GLOBAL const STORED(IN) *edges, bin_rule rule)
{
    yoke_u32 bin;
    BIN_SEARCH(bin, x, BIN_EDGE_GLOBAL);
    return bin;
}
YOKE_INLINE_FUNCTION yoke_u32 bin_of_near_edges(VALUE(IN) x, YOKE_SHARED_PTR const VALUE(IN) *near_edges, bin_rule rule)
{
    yoke_u32 bin;
    BIN_SEARCH(bin, x, BIN_EDGE_SHARED);
    return bin;
}
#define bin_of(x, edges, rule) bin_of_edges(x, edges, rule)

#else /* BINS_INDEX */

typedef struct bin_rule {
    yoke_u32 count, unused;
} bin_rule;

/* Negative numbers are large ones of the unsigned type. */
#define index_i(x) ((yoke_u32)(x))
#define index_u(x) (x)
#define index_l(x) ((yoke_u64)(x))
#define index_m(x) (x)
#define bin_of(x, edges, rule) \
    (JOIN(index_, CLASS(IN))(x) < (rule).count ? (yoke_u32)(x) : NO_BIN)

#endif

#endif
