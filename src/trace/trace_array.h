/* SPDX-License-Identifier: Apache-2.0 */
/* A trace's file: a JSON array that is complete after every entry (trace_array.c). The library and `yoke trace` write it. */
#ifndef YK_TRACE_ARRAY_H
#define YK_TRACE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a new trace may replace what the file has: nothing, or a trace. */
bool yk_trace_may_replace(int descriptor);

/* Insert entries, without a newline at the end, before the end of the array, which begins at *end; 0: the file is empty. Returns 0,
 * or what `errno` says of the failure: the file then has what it had before. */
int yk_trace_insert(int descriptor, uint64_t *end, const char *entries, size_t size);

/* Where the end of the array begins; 0: the file is not an array that yk_trace_insert has written. */
uint64_t yk_trace_find_end(int descriptor);

#endif
