/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stress test's parts share. A round runs a random program on streams that its threads share, and keeps the records of
 * random/order.h; between those steps each thread runs a world of its own, random/world.h.
 */
#ifndef STRESS_H
#define STRESS_H

#include "../conformance/suite.h"
#include "../random/order.h"

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

/* The outcome of an event has been reported. */
void point_seen(round *r, point *p, yoke_status status);

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

#endif
