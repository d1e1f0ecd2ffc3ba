/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stress test's parts share. A round runs a random program and keeps a record of every operation: when it was enqueued, by
 * whom, how it ended. When all is over the model looks at the records. Nothing is judged while the program runs.
 */
#ifndef STRESS_H
#define STRESS_H

#include <stdatomic.h>

#include <yoke/graph.h>

#include "../conformance/suite.h"

enum {
    MAX_DEVICES_USED = 2,
    MAX_THREADS = 4,
    MAX_SLOTS = 8,
    MAX_QUEUES = 24,
    MAX_OPS = 900,
    MAX_POINTS = 300,
    MAX_FDS = 40,
    MAX_EPOCHS = 256,
    LOG_WORDS = MAX_OPS + 2, /* how many entries, their hash, the entries */
    LOG_BYTES = LOG_WORDS * 4
};

/* In an entry of the log: what was to be there for the kernel was not. */
#define STALE 0x80000000u

typedef struct site {
    yoke_device *device;
    yoke_stream *side;
    yoke_kernel *append, *append_from;
    bool timed;
} site;

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
    atomic_int status; /* YOKE_PENDING until somebody has seen it settled */
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

    /* The model's. */
    struct op *previous_call; /* in its lane and queue */
    uint32_t position;        /* in the log, from 1; 0: it never ran */
} op;

typedef struct round {
    uint32_t seed;
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
    yoke_buffer *pinned[MAX_DEVICES_USED]; /* of each device, a word for each operation */
} round;

/* Whoever enqueues. */
typedef struct source {
    round *round;
    uint32_t random;
    unsigned lane, depth, thread;
    op *parent;
} source;

/* ---- stress_ops.c: what a program is made of ---- */

uint32_t draw(source *s, uint32_t below);
bool chance(source *s, unsigned percent);
uint64_t tick(round *r);

/* The queue of a fresh stream; NULL when no more are to be had. */
queue *queue_open(round *r, source *s, site *at);
void queue_close(source *s, queue *q);

/* One random operation. */
void act(source *s);
/* The same for what only threads of the program may do, because it blocks. */
void act_blocking(source *s);

/* The stream waits for the event, or is said to, in a careless round. */
yoke_status wait_in_stream(source *s, yoke_stream *stream, yoke_event *event);

/* Begin the record of an operation, NULL when the round has no more; and how the library took it. */
op *op_begin(source *s, queue *q, op_kind kind);
bool op_taken(op *o, yoke_status status);

/* Somebody has been told how an event ended. */
void point_seen(round *r, point *p, yoke_status status);

/* Something that cannot be so whatever the order: counts, and says the round's seed. */
void unexpected(round *r, const char *format, ...) YOKE_PRINTF(2, 3);

/* ---- stress_memory.c: what goes through memory of all kinds, of either device, and graphs ---- */

yoke_status append_from(queue *q, yoke_stream *stream, yoke_buffer *from, uint32_t index, uint32_t id);
/* Enqueue a kernel behind copies that bring it what it has to find. */
yoke_status append_by_memory(source *s, queue *q, uint32_t id);
/* Host memory for a log that a function will look at; and read the log into it. */
void slot_new(source *s, op *o);
yoke_status slot_read(source *s, queue *q, op *o, yoke_buffer *log);
/* A buffer of a log's bytes on the queue's device, with what `log`, which may be another device's, holds. */
yoke_status log_fetch(queue *q, yoke_buffer *log, yoke_buffer **out_copy);
/* Where the word of this number is to be written for a copy behind; and that copy. */
uint32_t *word_of(source *s, uint32_t id, yoke_buffer **out_pinned);
yoke_status word_write(source *s, queue *q, yoke_stream *stream, yoke_buffer *pinned, uint32_t id);
/* A graph with a function and a kernel. */
void do_graph(source *s, queue *q);

/* ---- stress_waits.c: threads of the program that look at events and wait ---- */

void look_at(source *s);
void ask_for_fd(source *s);
/* Some hundred threads wait for an event each, and end. */
void crowd(source *s);

/* ---- stress_calls.c: host functions and callbacks ---- */

/* A function for `s` to enqueue, with a random plan. */
void plan_function(source *s, op *o);
/* Enqueue it; the functions of one queue, or the callback of a point. */
bool enqueue_call(op *o);
/* Record it into a graph, in this stream; op_taken is for the launch. */
yoke_status record_call(op *o, yoke_stream *stream);
bool enqueue_callback(op *o, yoke_event *event);
/* Wait until all functions have been called and released; false: one is missing. */
bool wait_for_functions(round *r);

/* A point that the round still has, with a reference to its event and, where it has one, the copy; NULL. */
point *point_take(source *s, yoke_event **out_event, yoke_buffer **out_copy);

/* ---- stress_model.c: whether it may have been so ---- */

/* True: the records of a round that is over agree with the model. */
bool model_agrees(round *r);

#endif
