/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers as a host computes them from the documentation of <yoke/random.h>. Of the library it uses the texts of the
 * generator and of the transforms alone, compiled for the host; those are tested against published vectors and long double.
 */
#ifndef OPS_RANDOM_REFERENCE_H
#define OPS_RANDOM_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum random_kind { INTEGERS, UNIFORM, NORMAL, EXPONENTIAL, PERMUTATION } random_kind;

typedef struct random_reference {
    random_kind kind;
    int32_t dtype; /* of the array */
    uint64_t seed;
    uint32_t sequence;
    int32_t interval;
    double a, b;        /* low and high, mean and deviation, or mean */
    uint64_t low, last; /* of integers */
} random_reference;

void reference_philox(uint32_t words[4], const uint32_t counter[4], const uint32_t key[2]);

/* Store the number at a position, of the dtype or of its real part. */
void reference_number(const random_reference *r, uint64_t position, void *out);

/* The 64 random bits of a permutation's element. */
uint64_t reference_key(const random_reference *r, uint64_t position);

/* The transforms of words, and what they would be without rounding, of the same words as numbers. */
void reference_normal(uint32_t a, uint32_t b, float out[2]);
void reference_normal_f64(uint64_t a, uint64_t b, double out[2]);
float reference_exponential(uint32_t a);
double reference_exponential_f64(uint64_t a);
void exact_normal(uint32_t a, uint32_t b, long double *out_radius, long double out[2]);
void exact_normal_f64(uint64_t a, uint64_t b, long double *out_radius, long double out[2]);

#endif
