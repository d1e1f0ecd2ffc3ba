/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the fuzz target "calls" share: the objects of a program, and the model that says what has to come of it. Only
 * the thread that interprets the program touches the model; host functions keep to their own record.
 */
#ifndef CALLS_H
#define CALLS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <yoke/graph.h>

#include "fuzz.h"

enum {
    MOST_SITES = 2,
    MOST_STEPS = 40,
    MOST_LANES = 48,
    MOST_SHADOWS = 128,
    MOST_CALLS = 96,
    MOST_NODES = 16,
    LANES = 4, /* that a program has at once, and the same of what follows */
    BLOCKS = 8,
    POINTS = 8,
    GRAPHS = 2,
    MOST_BYTES = 256, /* of a buffer */
    OWN_STATUS = -7   /* of a host function that fails */
};

/* Whether a stream, or what an event stands for, has failed, as far as the model can know. */
typedef enum fate { FINE, UNSURE, FAILED } fate;

/* A device. */
typedef struct site {
    yoke_device *device;
    yoke_device_info info;
    yoke_stream *side;
    yoke_program *program;
    yoke_kernel *add;
} site;

/* A stream, from its creation to the end of the program. */
typedef struct lane {
    yoke_stream *stream; /* NULL once released */
    site *site;
    fate fate;
    bool timed;
    struct plan *recording;
} lane;

/* What memory should hold: a buffer's, or the host's. `owner` is the lane in whose order it was used last, NULL when all is quiet.
 */
typedef struct shadow {
    unsigned char bytes[MOST_BYTES], known[MOST_BYTES];
    size_t size;
    unsigned char *host; /* the memory itself when it is the host's */
    lane *owner;
} shadow;

/* A buffer or view. */
typedef struct block {
    yoke_buffer *buffer;
    site *site;
    shadow *shadow;
    size_t offset, size;
    int32_t kind;
    bool read_only;
    bool by_pointer; /* pinned, and its pointer was used: it is in world.kept */
} block;

typedef struct point {
    yoke_event *event;
    site *site;
    lane *lane;
    fate fate;
    bool timed, mark; /* a mark was recorded into a graph */
    int fd;           /* or -1 */
} point;

/* A host function or callback that may have been accepted. */
typedef struct call {
    atomic_uint calls, releases;
    atomic_int got;  /* the status of its last call */
    unsigned wanted; /* calls */
    bool accepted;   /* so that it has to be released */
    fate fate;       /* of what is before it */
    yoke_status result;
    unsigned gate;       /* it waits until so many have been opened */
    yoke_stream *stream; /* its own, with a reference, or NULL */
    site *site;
} call;

typedef enum work_kind { WORK_COPY, WORK_FILL, WORK_ADD, WORK_CALL } work_kind;

/* What an operation does. */
typedef struct work {
    work_kind kind;
    char node; /* the kind of node that it is in a graph */
    shadow *target, *source;
    yoke_pitch to, from;
    yoke_rect box;
    unsigned char pattern[16];
    size_t pattern_size;
    call *call;
} work;

/* A graph. */
typedef struct plan {
    yoke_graph *graph;
    site *site;
    enum { PLAN_NEW, PLAN_OPEN, PLAN_READY, PLAN_EMPTY } state;
    unsigned lanes; /* that recorded it */
    work nodes[MOST_NODES];
    size_t count;
    bool unsure; /* what it does to memory */
} plan;

typedef struct world {
    lane lanes[MOST_LANES], *lane[LANES];
    shadow shadows[MOST_SHADOWS];
    call calls[MOST_CALLS];
    block block[BLOCKS];
    point point[POINTS];
    plan plan[GRAPHS];
    yoke_buffer *kept[MOST_SHADOWS]; /* whose pointers were used: until nothing is under way any more */
    unsigned lane_count, shadow_count, call_count, kept_count, gates;
} world;

extern site sites[MOST_SITES];
extern unsigned site_count;
extern bool calls_traced;

/* ---- calls_model.c ---- */

/* What a call has to return. */
typedef enum verdict { HAS_TO, MAY, MUST_NOT } verdict;

/* Ends the program when the status, or the record of a failure, cannot be. */
void judge(yoke_status status, verdict succeed, fate at);

shadow *shadow_new(world *w, size_t size, bool host);
/* From now on the lane uses this memory, behind whoever did before. False: it must not, because nothing can make it wait for that
 * one, which has failed, is recorded or was released, and may still be at work. */
bool shadow_follow(lane *l, shadow *s);
/* What the memory holds is what the shadow knows. */
void shadow_compare(const shadow *s, const unsigned char *bytes);

/* Whether the box lies in so many bytes with the origin and pitches; whether two of them share a byte. */
fate worse(fate a, fate b);
bool box_fits(const yoke_pitch *at, const yoke_rect *box, size_t size);
bool boxes_meet(const work *k);

/* The call was accepted: it is in the lane, or in the graph that the lane is recorded into. */
void work_given(world *w, lane *l, const work *k);
/* The graph was launched in the lane. */
void plan_given(world *w, lane *l, plan *p);
/* What was under way may have been cut off. */
void lose_track(world *w);

/* Functions to enqueue, and their record, NULL when there are no more. */
call *call_new(world *w, lane *l, unsigned flags);
yoke_status call_run(yoke_status status, void *user);
yoke_status call_run_native(yoke_status status, void *native, void *user);
void call_settled(yoke_status status, void *user);
void call_release(void *user);

/* Let all functions go on; and wait for everything in all streams that are not being recorded. */
void gates_open(world *w);
void quiesce(world *w);
/* Wait until each function has run as often as it has to. */
void calls_end(world *w);

/* ---- calls_steps.c ---- */

enum { STEP_BYTES = 8 };

/* One step of the program. */
void step_run(world *w, const uint8_t *bytes);

#endif
