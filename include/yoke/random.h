/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers of libyoke-ops. The rules at the top of <yoke/ops.h>, which includes this header, apply here too.
 *
 * The generator is Philox4x32-10, which has no state: a number depends on the seed, its position, the sequence and the kind of
 * numbers alone, never on the shape of a launch, the layout of the array or the device. Element i, in row-major order, of an array
 * that is filled with an offset has the position offset + i: it equals element 0 of an array that is filled with offset + i. With
 * offsets, a program can continue where it stopped, and several streams or devices can share one sequence. Sequences never overlap,
 * nor do different kinds of numbers (each function makes its own kind).
 *
 * In Philox's words, the key is the seed, the lower word first. The counter is (block, lower word; block, upper word; sequence;
 * kind * 65536 + attempt). The kinds are 0 for integers, 1 for uniform, 2 for normal and 3 for exponential numbers, 4 for
 * permutations, and 5 to 7 for gamma, Poisson's and binomial numbers of the Python package. Position p has word p mod 4 of block p
 * / 4; doubles, and integers of ranges beyond 2^32, have two words of block p / 2: 2 * (p mod 2), the lower one, and 2 * (p mod 2)
 * + 1. attempt is 0, except for an integer that has to be drawn again: it takes the attempts 1, 2, … of block p, which belongs to
 * position p alone. Elements of complex dtypes are two numbers: element i has the positions offset + 2 * i, of the real part, and
 * offset + 2 * i + 1. <yoke/philox.h> has the same generator for the program's own kernels.
 *
 * Besides what <yoke/ops.h> lists, all functions here return YOKE_E_INVALID_ARGUMENT when options->interval is unknown, and
 * YOKE_E_RANGE when the last position exceeds 2^64 - 1. The first call for a dtype compiles a kernel.
 */
#ifndef YOKE_RANDOM_H
#define YOKE_RANDOM_H

#include <yoke/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which ends belong to an interval. */
typedef int32_t yoke_interval;
enum {
    YOKE_INTERVAL_WITHOUT_HIGH = 0, /* [low, high) */
    YOKE_INTERVAL_WITHOUT_LOW = 1,  /* (low, high] */
    YOKE_INTERVAL_WITH_BOTH = 2     /* [low, high]: integers only */
};

/* Options of random numbers; begin with YOKE_RANDOM_OPTIONS_INIT. */
typedef struct yoke_random_options {
    size_t size;            /* sizeof(yoke_random_options), or 0: see <yoke/ops.h> */
    uint32_t sequence;      /* which of 2^32 sequences, each of 2^64 numbers */
    yoke_interval interval; /* for uniform numbers and integers */
} yoke_random_options;

#define YOKE_RANDOM_OPTIONS_INIT                                   \
    {                                                              \
        sizeof(yoke_random_options), 0, YOKE_INTERVAL_WITHOUT_HIGH \
    }

/* Uniform numbers in [low, high), or in (low, high]: yoke_random_uniform(stream, &x, 0, 1, seed, 0, NULL). low and high are first
 * rounded to the dtype. k has b random bits: 24 for float, 53 for double, 11 for float16, 8 for bfloat16. A number is low + k *
 * step, or high - k * step, by one fused multiply-add, where step is (high - low) / 2^b; where rounding to the dtype would give the
 * end that does not belong to the interval, the number is the value next to that end. So all k / 2^b of [0, 1) are equally likely.
 * Halves are computed as float. YOKE_E_INVALID_ARGUMENT: the dtype is bool or an integer; low is not below high, or low, high or
 * high - low is not finite; the step is below the least normal float, or double. */
#define yoke_random_uniform(...) yoke_random_uniform_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_random_uniform_at(const char *where, yoke_stream *stream, const yoke_array *out, double low, double high,
                                            uint64_t seed, uint64_t offset, const yoke_random_options *options);

/* Normal numbers of this mean and standard deviation: yoke_random_normal(stream, &x, 0, 1, seed, 0, NULL). The Box-Muller transform
 * makes the numbers of positions 2 * j and 2 * j + 1 together, by Yoke's own polynomials and fused multiply-adds, so that all
 * devices with YOKE_CAP_EXACT_FP32 give the same bits. doc/numerics.md has the errors of the polynomials; with mean 0 and deviation
 * 1 the largest numbers are 6.56 for float and 9.35 for double. mean and deviation are first rounded to float, or stay double for
 * double. YOKE_E_INVALID_ARGUMENT: the dtype is bool or an integer; mean or deviation is not finite, or deviation is negative. */
#define yoke_random_normal(...) yoke_random_normal_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_random_normal_at(const char *where, yoke_stream *stream, const yoke_array *out, double mean,
                                           double deviation, uint64_t seed, uint64_t offset, const yoke_random_options *options);

/* Exponential numbers of this mean: -mean * ln(u), where u is uniform in (0, 1) with 30 bits, for double with 62. doc/numerics.md
 * has the error. All numbers are above 0 (unless they round to 0), and at most 21.5 * mean, for double 43.7 * mean.
 * YOKE_E_INVALID_ARGUMENT: the dtype is bool or an integer; mean is not finite, or negative. */
#define yoke_random_exponential(...) yoke_random_exponential_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_random_exponential_at(const char *where, yoke_stream *stream, const yoke_array *out, double mean,
                                                uint64_t seed, uint64_t offset, const yoke_random_options *options);

/* Integers from low to below high, all equally likely: yoke_random_integers(stream, &dice, YOKE_NUMBER(1), YOKE_NUMBER(7), seed, 0,
 * NULL). Lemire's method gives low plus the upper half of word * range, where range is the number of integers; where the lower half
 * is below 2^32 mod range (2^64 mod range, for ranges beyond 2^32), the number is drawn again. For the full range of uint32, with
 * YOKE_INTERVAL_WITH_BOTH, the numbers are Philox's words. YOKE_E_INVALID_ARGUMENT: the dtype is neither bool nor an integer; low
 * or high is not an integer; the interval has no integer. YOKE_E_RANGE: the dtype does not hold one of the integers. */
#define yoke_random_integers(...) yoke_random_integers_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_random_integers_at(const char *where, yoke_stream *stream, const yoke_array *out, yoke_number low,
                                             yoke_number high, uint64_t seed, uint64_t offset, const yoke_random_options *options);

/* Permutations of 0 to n - 1, where n is the extent of the last axis, one for each row along it: the order that sorts 64 random
 * bits for each element. `indices` has an integer dtype of 4 or 8 bytes. Two of n words are equal with a probability of n^2 / 2^65,
 * and the first of the two then stays first; apart from that, all permutations are equally likely. YOKE_E_INVALID_ARGUMENT:
 * `indices` has another dtype, or no dimensions. YOKE_E_RANGE: the dtype does not hold n - 1. */
#define yoke_random_permutation(...) yoke_random_permutation_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_random_permutation_at(const char *where, yoke_stream *stream, const yoke_array *indices, uint64_t seed,
                                                uint64_t offset, const yoke_random_options *options);

/* Put the elements along an axis of `a`, as the rows of a matrix along axis 0, into random order: the order that
 * yoke_random_permutation gives for its extent. `out` has the shape and the dtype of `a`, and shares no memory with it. */
#define yoke_random_shuffle(...) yoke_random_shuffle_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_random_shuffle_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                            int32_t axis, uint64_t seed, uint64_t offset, const yoke_random_options *options);

#ifdef __cplusplus
}
#endif

#endif
