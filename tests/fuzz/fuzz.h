/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a fuzz target is: a function that takes any bytes and ends the program when the library did something wrong with them. With
 * libFuzzer (fuzz.sh) it gets new ones for as long as that runs; linked with replay.c it is a test that goes over its corpus.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The name is libFuzzer's. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
/* The same; a target may have it, to be ready before the first input. */
int LLVMFuzzerInitialize(int *count, char ***arguments);
/* In how many places of a file the test changes a byte; a target that takes long has its own. */
extern size_t fuzz_places;

#define FUZZ_EXPECT(condition)                                                             \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

#endif
