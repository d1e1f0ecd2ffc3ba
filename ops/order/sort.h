/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorting the rows of contiguous arrays, and arrays of any layout brought into contiguous ones for it. yoke_sort, yoke_argsort,
 * yoke_top_k, yoke_searchsorted and yoke_quantile stand on it.
 */
#ifndef YOPS_SORT_H
#define YOPS_SORT_H

#include "call/call.h"

/* Contiguous elements in a buffer; a NULL buffer is none. */
typedef struct yops_span {
    yoke_buffer *buffer;
    int64_t origin; /* in elements of its size */
} yops_span;

/* What to sort. */
typedef struct yops_sort {
    const yops_call *call;
    int32_t dtype;        /* of the keys */
    uint32_t value_bytes; /* 0: no values */
    bool index;           /* the values are the keys' positions in their rows: there is no values_in */
    int64_t rows, n;      /* n elements in each row */
    int64_t most;         /* of which the first are written, one row after the other; at most n */
    uint64_t flip;        /* all ones for descending */
    yops_span keys_in, keys_out, values_in, values_out; /* without keys_out only values are written */
    bool in_place;                                      /* keys_out is keys_in, and values_out is values_in */
} yops_sort;

/* How rows are sorted. Results do not depend on it. */
typedef enum yops_sort_way {
    YOPS_SORT_BY_DEVICE, /* what suits the device */
    YOPS_SORT_LOOKBACK,  /* blocks, which may wait for earlier ones */
    YOPS_SORT_BLOCKS,    /* blocks, which may not */
    YOPS_SORT_THREADS    /* one thread for a tile */
} yops_sort_way;

/* For tests: a way that the device would not be sorted by. Not YOPS_SORT_LOOKBACK where blocks do not make progress. */
extern yops_sort_way yops_sort_forced;

/* Enqueue the sort. Nothing is written when it fails before its first launch. */
yoke_status yops_sort_rows(const yops_sort *sort);

/* The words of yops_sort_rows for one kernel of `text`; `extra` is further options. */
yoke_status yops_sort_kernel(const yops_sort *sort, const char *text, const char *extra, const char *name,
                             yoke_kernel **out_kernel);

/* Rows of this length and number of passes, for sort_passes.c. */
yoke_status yops_sort_long(const yops_sort *sort, const yops_traits *traits, yops_sort_way way);

/* The first of long rows, without sorting all; the values, if there are any, are indices. Whether they are few, and the device has
 * what the kernels need: else sort. */
bool yops_top_suits(const yops_sort *sort, const yops_traits *traits);
yoke_status yops_sort_top(const yops_sort *sort, const yops_traits *traits);

/* ---- Elements of some ranks in long rows: ranks.c ---- */

enum { YOPS_MOST_RANKS = 16 };

typedef struct yops_ranks {
    const yops_call *call;
    int32_t dtype;        /* of the keys */
    int64_t rows, n;      /* n elements in each row */
    const int64_t *ranks; /* ascending, each once, from 0 */
    size_t count;
    yops_span keys, out; /* out: of each row the elements of these ranks in ascending order */
} yops_ranks;

/* Whether the rows are long, and the ranks few, and the device has what the kernels need: else sort. */
bool yops_ranks_suit(const yops_ranks *wanted, const yops_traits *traits);
yoke_status yops_select_ranks(const yops_ranks *wanted);

/* ---- Layouts: sort_layout.c ---- */

/* An array, and a contiguous span with its elements: the array's own where it is contiguous, else temporary memory. */
typedef struct yops_packed {
    yoke_array array;
    yops_place place;
    yops_span span;
    yoke_buffer *temporary; /* NULL for the array's own */
    yoke_kernel *mover;
} yops_packed;

/* Get the span, which yops_packed_release gives back. */
yoke_status yops_pack(const yops_call *call, const yoke_array *array, const yops_place *place, yops_packed *out_packed);
/* Enqueue the copy to or from the span, where it is temporary. */
yoke_status yops_pack_in(const yops_call *call, const yops_packed *packed);
yoke_status yops_pack_out(const yops_call *call, const yops_packed *packed);
void yops_packed_release(yops_packed *packed);

/* Copy the first `most` of each `pitch` elements, `rows` times, to a contiguous span. */
yoke_status yops_move_kernel(const yops_call *call, size_t bytes, yoke_kernel **out_kernel);
yoke_status yops_move_front(const yops_call *call, yoke_kernel *mover, yops_span to, yops_span from, int64_t rows, int64_t most,
                            int64_t pitch);

#endif
