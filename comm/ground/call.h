/* SPDX-License-Identifier: Apache-2.0 */
/* What every public function that enqueues begins with: a call, and the checks of its arguments. */
#ifndef YCOMM_CALL_H
#define YCOMM_CALL_H

#include "comm.h"

typedef struct ycomm_call {
    const char *function, *where;
    yoke_stream *stream;
    yoke_comm *comm;
    ycomm_channel *channel;
} ycomm_call;

/* Begin a call: the handles are valid, and the stream has a channel (call.c). */
yoke_status ycomm_begin(ycomm_call *out_call, const char *function, const char *where, yoke_stream *stream, yoke_comm *comm);
yoke_status ycomm_fail(const ycomm_call *call, yoke_status status, const char *format, ...) YOKE_PRINTF(3, 4);

/* ---- Checks: check.c ---- */

/* A checked array. */
typedef struct ycomm_region {
    yoke_buffer *buffer;
    uint64_t offset; /* bytes from the buffer's start */
    uint64_t count;  /* elements */
    int32_t dtype;
    size_t element;         /* bytes */
    yoke_buffer *root;      /* the allocation */
    uint64_t first, beyond; /* bytes of the root's */
} ycomm_region;

/* Check an array that is read, or written: `name` is for messages. */
yoke_status ycomm_check_array(const ycomm_call *call, const char *name, const yoke_array *array, bool written,
                              ycomm_region *out_region);
bool ycomm_overlap(const ycomm_region *a, const ycomm_region *b);
yoke_status ycomm_check_rank(const ycomm_call *call, const char *name, int32_t rank);
const char *ycomm_dtype_name(int32_t dtype);

#endif
