/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of streams that threads share, of which no thread can say in what order they get their work. Every operation is
 * recorded: when it was enqueued, by whom, how it ended. When all is over the model looks at the records. Nothing is judged while
 * the program runs. What one thread's own streams do, world.h says.
 */
#ifndef ORDER_H
#define ORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <yoke/graph.h>

#include "site.h"

enum {
    MAX_THREADS = 4,
    MAX_SLOTS = 8,
    MAX_QUEUES = 24,
    MAX_OPS = 900,
    MAX_POINTS = 300,
    MAX_FDS = 40,
    MAX_EPOCHS = 256,
    FOUND = MAX_OPS + 2,   /* in a log: the last entry that was stale, and what its kernel found */
    LOG_WORDS = FOUND + 2, /* how many entries, their hash, the entries */
    LOG_BYTES = LOG_WORDS * 4
};

/* In an entry of the log: what was to be there for the kernel was not. */
#define STALE 0x80000000u

/* A stream, and a log on its device to which each of its kernels appends the number of its operation. */
typedef struct queue {
    struct round *round;
    site *site;
    unsigned index;
    bool timed;
    yoke_stream *stream;
    yoke_buffer *log, *cells, *copies; /* cells and copies: a word for each operation, on its way into the log */
    pthread_rwlock_t lock;             /* readers use `stream`; the writer is who closes the queue */
    bool closed;                       /* nothing more is enqueued, and `stream` is released */
    yoke_event *end;                   /* of a stream that was released: everything in it */
    atomic_uint recovering, recovered; /* how many calls to recover the stream have begun and ended */
    yoke_status final;                 /* of the last wait for the stream; YOKE_PENDING: there was none */
    unsigned final_epoch;
    uint32_t *content; /* the log, at the end */
} queue;

typedef enum op_kind { OP_KERNEL, OP_CALL, OP_RECORD, OP_WAIT, OP_CANCEL, OP_WAITED, OP_CALLBACK } op_kind;

/* An event. */
typedef struct point {
    yoke_event *event; /* NULL once released; with round->lock held */
    yoke_buffer *copy; /* of its queue's log, or NULL */
    struct op *record;
    atomic_int status; /* YOKE_PENDING until somebody has seen it complete */
    atomic_uint_fast64_t seen;
} point;

/* One operation. Its number is its place in round->ops: in a lane, numbers rise in the order of enqueueing. */
typedef struct op {
    op_kind kind;
    uint32_t id;
    queue *queue;
    unsigned lane;                    /* who enqueued it: a thread, or one function that ran */
    struct op *parent;                /* that function */
    uint64_t began;                   /* the clock before it was enqueued */
    unsigned first_epoch, last_epoch; /* how often the stream had been recovered: the same, unless it was just being done */
    yoke_status accepted;             /* by the enqueue, or what a wait said */
    point *point;                     /* recorded, waited for, or called back for */

    /* Of functions: what they do, */
    uint32_t seed;
    unsigned sleep_us, actions, depth;
    yoke_status fails;
    bool releases_stream;
    point *awaits;
    yoke_event *awaited;
    yoke_buffer *keeps;
    bool in_graph; /* so that it is released with that, also when it was not called */
    /* what they see, */
    uint32_t *slot, *seen; /* a log, as it was read before the function, and as it found it */
    point *slot_of;        /* whose; NULL: its own queue's */
    yoke_buffer *pinned;   /* that `slot` is the memory of, or NULL */
    uint32_t *word, value; /* to be set for a write behind it, and to what */
    /* and what became of them. */
    atomic_uint calls, releases;
    yoke_status status, result;
    uint64_t start, end;

    /* Of kernels: how what they have to find got there, and its word in the memory. */
    const char *how;
    uint32_t index;

    /* The model's. */
    struct op *previous_call; /* in its lane and queue */
    uint32_t position;        /* in the log, from 1; 0: it never ran */
} op;

typedef struct round {
    uint32_t seed;
    const char *title; /* what to run again, for a report */
    site *sites;
    unsigned site_count, slots, threads;
    bool shared, calm; /* threads share streams; nothing fails */
    bool watched;      /* some functions take as long as makes the watchdog speak */
    bool careless;     /* a fifth of the waits for events is left out, which the model has to notice */
    unsigned calls;    /* in a hundred operations */
    _Atomic(queue *) slot[MAX_SLOTS];
    atomic_uint_fast64_t clock;
    atomic_uint op_count, point_count, unexpected;

    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t changed;
    unsigned pending; /* functions that have not been released yet */
    unsigned queue_count, fd_count;
    struct {
        int fd;
        point *point;
    } fds[MAX_FDS];

    queue queues[MAX_QUEUES];
    point points[MAX_POINTS];
    op ops[MAX_OPS];
    uint32_t words[MAX_OPS];
    yoke_buffer *pinned[MOST_SITES]; /* of each device, a word for each operation */
} round;

/* Something that cannot be so whatever the order: counts, and is said. */
void unexpected(round *r, const char *format, ...) YOKE_PRINTF(2, 3);
/* True: the records of a round that is over agree with the model. */
bool model_agrees(round *r);
/* For the end of a report: the settings, the devices, what to run again. */
void say_round(const round *r);

#endif
