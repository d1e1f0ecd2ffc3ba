/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the C library that fail on order, when it is libyoke.so that makes them: malloc and its kin, and what starts a thread, a
 * process, a pipe. The program has functions of these names itself, which the dynamic linker finds before the C library's.
 */
#ifndef INJECT_H
#define INJECT_H

#include <stdbool.h>
#include <stddef.h>

/* NULL when it can be done here, else why not. */
const char *inject_impossible(void);
/* The same for another library than libyoke, whose calls are counted from then on: "libyoke-comm". */
const char *inject_into(const char *library);

/* From now on count such calls, of any thread and of forked children, and let number `nth` fail; 0: none. */
void inject_arm(unsigned nth);
void inject_disarm(void);

/* The library can start so many threads more, and then none; UINT_MAX: as many as it likes, as it is in the beginning. */
void inject_threads_left(unsigned count);

/* Since the last inject_arm: how many there were, and whether one has failed. */
unsigned inject_seen(void);
bool inject_happened(void);

/* What failed, as "calloc at libyoke.so+0x1234"; "nothing". */
void inject_describe(char *text, size_t size);

#endif
