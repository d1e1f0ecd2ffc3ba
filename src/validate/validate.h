/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The validator that YOKE_VALIDATE requests: it reports what a program has done wrong although every call succeeded. validate.c is
 * told what happens, order.c knows what is behind what, touch.c what an operation reads and writes, shadow.c who has touched which
 * bytes, report.c says so. All of it is protected by one lock, validate.c's.
 */
#ifndef YK_VALIDATE_H
#define YK_VALIDATE_H

#include "objects/objects.h"

/* What YOKE_VALIDATE asks for. */
typedef enum yk_checks { YK_CHECK_RACES = 1, YK_CHECK_HOST = 2, YK_CHECK_LEAKS = 4, YK_CHECK_UNINIT = 8 } yk_checks;

/* ---- Order (order.c) ---- */

/* A point in time: of each stream, by its slot, how many of its operations are before that point. NULL: none. */
typedef struct yk_clock {
    unsigned count;
    uint64_t at[];
} yk_clock;

static inline uint64_t yk_clock_at(const yk_clock *clock, unsigned slot)
{
    return clock && slot < clock->count ? clock->at[slot] : 0;
}

/* What the program knew when it enqueued an operation that is deferred. */
typedef struct yk_turn {
    struct yk_turn *next;
    yk_clock *host; /* NULL: what it knew at the turn before, too */
} yk_turn;

/* A stream's place in the order. */
typedef struct yk_order {
    struct yk_order *next, *previous; /* in yk_order_all */
    const yoke_stream *stream;
    yk_clock *clock; /* what is before its next operation */
    unsigned slot;
    uint64_t host_seen, host_deferred; /* which of the host's clocks it has joined, and which the last turn has */
    bool by_worker;                    /* its worker runs an operation, for which the program's clock now is too late */
    yk_turn *first, **last;
    unsigned *branch_slots, branch_count; /* of the branches of graphs launched in it, but for the first */
    const char *label, *device;           /* valid for the life of the process */
} yk_order;

extern yk_order *yk_order_all;

yk_order *yk_order_begin(yoke_stream *stream);
void yk_order_end(yk_order *order);
/* The stream's next operation begins: its number in the stream's slot. 0: memory is exhausted. */
uint64_t yk_order_advance(yk_order *order);
/* What the program knows is before the stream's next operation; what is before `moment` is. */
void yk_order_join_host(yk_order *order);
void yk_order_join(yk_order *order, const yk_clock *moment);
/* The program knows that what is before `moment` is complete. */
void yk_order_host_knows(const yk_clock *moment);
const yk_clock *yk_order_host(void);
void yk_order_record(const yk_order *order, yk_clock **moment);
void yk_order_defer(yk_order *order);
/* The oldest deferred operation's turn has come. */
void yk_order_take(yk_order *order);
/* A place of its own for a branch of a graph that is launched in the stream, beginning where the stream is; and its end, which the
 * stream goes on behind. */
bool yk_order_branch(yk_order *order, unsigned index, yk_order *branch);
void yk_order_end_branch(yk_order *order, yk_order *branch);

/* ---- Who has touched which bytes (shadow.c) ---- */

typedef enum yk_access {
    YK_READS,
    YK_WRITES,
    YK_MAY_WRITE, /* reads at least */
    YK_FILLS_IN   /* some of the bytes; too many rows to note each */
} yk_access;

/* One operation's access. Its texts live as long as the process. */
typedef struct yk_mark {
    uint64_t number; /* in its slot; 0: none */
    unsigned slot;
    unsigned char kind, access;
    unsigned short argument;  /* of a launch, from 1; 0: none */
    const char *name, *where; /* of the kernel or graph; of the enqueue; or NULL */
    const char *stream, *device;
} yk_mark;

typedef struct yk_range {
    size_t begin, end;
    bool written;
    yk_mark write, *reads;
    unsigned read_count, read_room;
} yk_range;

/* Bytes that something has touched, in ascending order. */
typedef struct yk_ranges {
    yk_range *list;
    unsigned count, room, tidied; /* tidied: how many were left when ranges were last dropped */
} yk_ranges;

typedef struct yk_shadow {
    struct yk_shadow *next, *previous; /* in yk_shadow_all */
    yoke_buffer *root;
    yk_ranges ranges;
    yk_mark first; /* the first operation that touched it */
    bool complete; /* no other code has its address: what nothing is known to have written has not been written */
} yk_shadow;

extern yk_shadow *yk_shadow_all;

/* What an access has met. */
typedef struct yk_finding {
    yk_mark other; /* of an access that is not ordered with it; number 0: none */
    size_t begin, end;
    size_t unwritten, unwritten_at; /* bytes that nothing has written; the first */
} yk_finding;

/* The buffer's shadow; NULL: memory is exhausted. */
yk_shadow *yk_shadow_of(yoke_buffer *root);
void yk_shadow_end(yoke_buffer *root);
/* Note the access of bytes, which `clock` is before. */
void yk_ranges_touch(yk_ranges *ranges, size_t begin, size_t end, const yk_mark *mark, const yk_clock *clock, yk_finding *finding);
/* Drop what the program knows to be complete. `all`: the bytes too. */
void yk_ranges_tidy(yk_ranges *ranges, const yk_clock *known, bool all);
/* Forget everything about these bytes. */
void yk_ranges_forget(yk_ranges *ranges, size_t begin, size_t end);
void yk_ranges_free(yk_ranges *ranges);

/* ---- What an operation touches (touch.c) ---- */

void yk_touch(const yk_order *order, const yk_op *op, unsigned checks);
/* The host memory is another object's now, which Yoke orders behind what had it before. */
void yk_touch_renew(const void *host, size_t size);

/* ---- Reports (report.c) ---- */

typedef struct yk_report {
    const char *check;             /* the word of YOKE_VALIDATE */
    const char *what;              /* the sentence */
    const char *advice;            /* what to do about it */
    const yk_mark *first, *second; /* the operations, in the order of their enqueues; or NULL */
    const char *memory;            /* "the buffer", "the image", "host memory" */
    size_t begin, end, size;       /* bytes, of how many; size 0: addresses */
} yk_report;

/* Make the file of YOKE_VALIDATE_JSON. */
void yk_report_begin(void);
/* Report what has not been reported before. */
void yk_report_write(const yk_report *report);

/* ---- The device (validate.c) ---- */

/* The device is being opened: its streams are validated if YOKE_VALIDATE is set. Fails where that cannot be obeyed. */
yoke_status yk_validate_init(yoke_device *device);

#endif
