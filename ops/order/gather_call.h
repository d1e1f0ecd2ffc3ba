/* SPDX-License-Identifier: Apache-2.0 */
/* Two arrays and the indices that lead from the rows along an axis of one to those of the other: what gather and scatter share. */
#ifndef YOPS_GATHER_CALL_H
#define YOPS_GATHER_CALL_H

#include "array/strided.h"
#include "call/call.h"

/* Both arrays are seen as (outer, axis, inner). */
typedef struct yops_gather {
    yops_call call;
    yops_traits traits;
    yoke_buffer *out, *a, *indices;
    yops_strided out_rest, a_rest; /* without the axis */
    int64_t out_stride, a_stride, indices_origin, indices_stride;
    uint64_t out_rows, a_rows; /* extents of the axis */
    uint64_t rows;             /* indices */
    uint64_t inners, rests;    /* elements behind the axis, and of a whole row */
    int32_t dtype, index_dtype;
    uint32_t size, part; /* bytes that are moved at a time, and those of an element */
} yops_gather;

/* Check a call, and describe it. Of `out` and `a`, `indexed` is the one whose axis has as many elements as there are indices; with
 * `wide`, elements that are neighbours in both arrays are joined to wider ones. */
yoke_status yops_gather_begin(yops_gather *r, const char *function, const char *where, yoke_stream *stream, const yoke_array *out,
                              const yoke_array *a, const yoke_array *indices, int32_t axis, const yoke_array *indexed, bool wide);

#endif
