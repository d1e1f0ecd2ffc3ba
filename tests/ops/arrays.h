/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays for the suite of libyoke-ops: on the device, in the middle of guard bytes, in any layout, with a copy on the host that is
 * read and written element by element. long double holds each value of every dtype exactly.
 */
#ifndef OPS_ARRAYS_H
#define OPS_ARRAYS_H

#include "../conformance/suite.h"

#include <yoke/ops.h>

#include "api/dtypes.h"
#include "api/reductions.h"

typedef enum layout {
    LAYOUT_CONTIGUOUS,
    LAYOUT_OFFSET, /* contiguous, but only aligned to its elements */
    LAYOUT_RANDOM, /* axes in any order, gaps between them, some backwards */
    LAYOUT_COUNT
} layout;

typedef struct test_array {
    yoke_array array;
    guarded memory;
    unsigned char *bytes;  /* of the guarded view, as the host sees it */
    unsigned char *before; /* what the device was given */
    int64_t count;
} test_array;

/* Checked: false, and the case has failed, when it cannot be had. All bytes, gaps too, begin as random ones; the elements as small
 * values that suit the dtype. Nothing is on the device before test_upload. */
bool test_array_create(suite *t, int32_t dtype, int32_t dimensions, const int64_t *shape, layout how, uint32_t seed,
                       test_array *out);
void test_array_release(test_array *a);

/* Give the device the host's bytes, or read them back; both wait. Wait for other streams first. */
bool test_upload(suite *t, test_array *a);
bool test_download(suite *t, test_array *a);
/* Read back, and check that guards and gaps, and with `unchanged` the elements too, have kept their bytes. */
bool test_download_checked(suite *t, test_array *a, bool unchanged);

/* An element by its position in row-major order, on the host. */
long double test_get(const test_array *a, int64_t position);
long double test_get_imaginary(const test_array *a, int64_t position);
/* The value is converted as operations do: integers wrap, floating point rounds. */
void test_set(test_array *a, int64_t position, long double value);
void test_set_complex(test_array *a, int64_t position, long double real, long double imaginary);
/* The element's own bytes. */
void *test_element(const test_array *a, int64_t position);
/* A scalar of the dtype at any place: what test_get and test_set stand on. */
long double test_load(int32_t dtype, const void *element);
void test_store(int32_t dtype, void *element, long double value);

/* Random numbers, the same for the same seed. */
uint32_t test_random(uint32_t *state);
int64_t test_random_below(uint32_t *state, int64_t limit);
/* Fill with values of the whole range of the dtype; with `special`, one in eight is NaN, infinity, -0, a subnormal, or an end of
 * the integers' range. */
void test_fill_whole_range(test_array *a, uint32_t seed, bool special);

/* Whether the device has the dtype. */
bool test_has(const suite *t, int32_t dtype);

/* Compare two numbers of this dtype bit by bit, all NaNs being equal. */
bool test_same(int32_t dtype, const void *a, const void *b);

#endif
