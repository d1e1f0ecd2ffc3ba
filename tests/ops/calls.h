/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of each operation that libyoke-ops enqueues, by which all of them are put through the same trials. A call's arrays lie
 * in one buffer, and what it may write on the host lies behind their copy: a trial compares all of these bytes, so that it sees
 * outputs, inputs and the gaps between the arrays.
 */
#ifndef OPS_CALLS_H
#define OPS_CALLS_H

#include "arrays.h"

enum { CALLS_MOST_ARRAYS = 5 };

/* What the elements are at first, outputs too. */
enum {
    CALLS_VALUES,    /* integers below 100, floats of [-1, 1) */
    CALLS_POSITIONS, /* of n elements; a few are out of range */
    CALLS_FLAGS,     /* 0 or 1 */
    CALLS_ASCENDING,
    CALLS_OFFSETS /* of segments of n elements */
};

/* Extents that depend on the size of a trial. */
enum { CALLS_N = -1, CALLS_SIDE = -2, CALLS_LONG = -3 /* four sides */ };

typedef struct calls_size {
    int64_t n, side;
} calls_size;

typedef struct calls_array {
    int32_t dtype; /* 0: no array */
    int32_t fill;
    int64_t shape[3]; /* 0 ends it */
} calls_array;

typedef struct calls_state calls_state;

typedef struct calls_entry {
    const char *name; /* the exported function's, without _at */
    yoke_status (*enqueue)(yoke_stream *stream, const calls_state *x);
    calls_array arrays[CALLS_MOST_ARRAYS];
    bool on_host;      /* reads or writes calls_state.host */
    bool takes_memory; /* temporary arrays, on every device; others may */
} calls_entry;

extern const calls_entry calls_table[];
extern const size_t calls_count;

struct calls_state {
    suite *t;
    const calls_entry *entry;
    calls_size size;
    yoke_buffer *buffer;
    yoke_array a[CALLS_MOST_ARRAYS];
    size_t bytes; /* of the buffer */
    size_t all;   /* of that, and of the host's memory */
    unsigned char *given, *back;
    void *host; /* behind the buffer's copy, in `back` */
};

/* Checked: false when there is no memory. Releases are fine after a failure. */
bool calls_create(suite *t, const calls_entry *entry, calls_size size, calls_state *out);
void calls_release(calls_state *x);

/* Whether the device has the dtypes. */
bool calls_suit(suite *t, const calls_entry *entry);

/* Make the input of this seed on the host: `given`, and the host's memory. */
void calls_fill(calls_state *x, uint32_t seed);

/* Enqueue: give the device its input, call, read all back. */
yoke_status calls_enqueue(yoke_stream *stream, calls_state *x);

/* What the call gives for a seed, which the caller frees with memory_free. Checked: NULL; and it differs from the input. */
unsigned char *calls_direct(calls_state *x, uint32_t seed);

/* `back` is what it should be. Checked, and says which call it was. */
bool calls_compare(const calls_state *x, const unsigned char *wanted, const char *what);

#endif
