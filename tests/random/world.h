/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of random programs of calls. A world is one thread's streams, events, buffers, graphs and host functions, and what has
 * to come of them: what memory holds, which streams have failed, what functions are called. A step is eight bytes: which call, and
 * with what. They are a fuzzer's (tests/fuzz/calls.c) or drawn from a seed (tests/conformance/graph_random.c, tests/stress).
 * Where the model cannot know, it says so and asks for less. Only the world's thread touches its model; host functions keep to
 * their own record.
 */
#ifndef WORLD_H
#define WORLD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <yoke/graph.h>

#include "site.h"

enum {
    MOST_LANES = 48,
    MOST_SHADOWS = 160,
    MOST_CALLS = 200,
    MOST_NODES = 32,
    LANES = 4, /* that a program has at once, and the same of what follows */
    BLOCKS = 8,
    POINTS = 8,
    GRAPHS = 2,
    PLACES = 4, /* of host memory that many steps use */
    SMALL_BYTES = 256,
    USUAL_SCALE = 8,
    LARGE_SCALE = 512,                      /* with which copies are large enough that the library carries them itself */
    MOST_BYTES = SMALL_BYTES * LARGE_SCALE, /* of a buffer */
    OWN_STATUS = -7,                        /* of a host function that fails */
    STEP_BYTES = 8,
    TRAIL = 8 /* steps that are kept for a report */
};

/* Whether a stream, or what an event stands for, has failed, as far as the model can know. */
typedef enum fate { FINE, UNSURE, FAILED } fate;

/* A stream, from its creation to the end of the program. */
typedef struct lane {
    yoke_stream *stream; /* NULL once released */
    site *site;
    fate fate;
    bool timed;
    struct plan *recording;
} lane;

/* What memory should hold: a buffer's, or the host's. */
typedef struct shadow {
    unsigned char *bytes, *known;
    size_t size;
    unsigned char *host;  /* the memory itself when it is the host's */
    lane *owner;          /* in whose order it was used last, NULL when all is quiet */
    lane *branch[GRAPHS]; /* in whose order the recording of each graph used it last, or NULL */
    unsigned last_step;   /* that used it, and its bytes */
    uint8_t last_bytes[STEP_BYTES];
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

/* An event, and what it says. */
typedef struct known_event {
    yoke_event *event;
    site *site;
    lane *lane;
    fate fate;
    bool timed, mark; /* a mark was recorded into a graph */
    int fd;           /* or -1 */
} known_event;

/* A host function or callback that may have been accepted. */
typedef struct call {
    struct world *world;
    atomic_uint calls, releases;
    atomic_int got;  /* the status of its last call */
    unsigned wanted; /* calls */
    bool accepted;   /* so that it has to be released */
    fate fate;       /* of what is before it */
    yoke_status result;
    unsigned gate;       /* it waits until so many have been opened */
    yoke_stream *stream; /* its own, with a reference, or NULL */
    site *site;
    unsigned char *bytes; /* the host's, which it changes as advance does, or NULL */
    size_t count;
    unsigned char value;
} call;

typedef enum work_kind { WORK_COPY, WORK_FILL, WORK_ADVANCE, WORK_JOIN, WORK_CALL } work_kind;

/* What an operation does. */
typedef struct work {
    work_kind kind;
    char node; /* the kind of node that it is in a graph */
    shadow *target, *source;
    yoke_pitch to, from;
    yoke_rect rect;
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
    /* What the driver gives. */
    site *sites;
    unsigned site_count, scale; /* sizes are so many times those of the fuzzer */
    bool only_right;            /* steps that the library has to refuse are left out */
    bool calm;                  /* nothing fails on purpose */
    bool silent;                /* it is meant to disagree, and does not say why */
    bool careless;              /* a fifth of the waits for events is left out, which the model has to notice */
    bool traced;                /* each step is printed */
    const char *title;          /* what to run again, for a report */

    bool blocking;  /* YOKE_BLOCKING: who enqueues a function waits for it, so none may stand at a gate */
    bool validated; /* YOKE_VALIDATE: new memory is filled, since reading it before would be reported, and rightly */
    bool disagrees; /* with the library; said once */
    unsigned steps, made;
    uint32_t random;
    struct {
        unsigned step;
        uint8_t bytes[STEP_BYTES];
    } trail[TRAIL];

    lane lanes[MOST_LANES], *lane[LANES];
    shadow shadows[MOST_SHADOWS], *place[PLACES];
    call calls[MOST_CALLS];
    block block[BLOCKS];
    known_event point[POINTS];
    plan plan[GRAPHS];
    yoke_buffer *kept[MOST_SHADOWS]; /* whose pointers were used: until nothing is under way any more */
    unsigned lane_count, shadow_count, call_count, kept_count, gates;

    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t changed;
    unsigned opened;
} world;

/* ---- The driver's ---- */

/* One line of a report; of no world when it is about what several threads did. */
void world_says(const world *w, const char *line);
/* The report is complete. `hopeless`: nothing can go on. */
void world_failed(const world *w, bool hopeless);

/* ---- report.c ---- */

/* True when it holds. The first that does not is reported, with the last steps of the world. */
#define HOLDS(condition) ((condition) || (disagree(__FILE__, __LINE__, #condition, NULL, NULL), false))
void disagree(const char *file, int line, const char *condition, const char *details, const shadow *memory);
/* The world of this thread, whose steps or function it runs. */
extern _Thread_local world *world_here;
/* The environment, and the devices. */
void say_settings(const world *w, const site *sites, unsigned count);
/* What the memory holds is what the shadow knows. */
void shadow_compare(const world *w, const shadow *s, const unsigned char *bytes);

/* ---- world.c ---- */

/* Of one that is zero but for what the driver gives. */
void world_begin(world *w);
/* Everything is released, and every function has been called as often as it has to. */
void world_end(world *w);
/* Its host memory goes: once nothing of the world is under way any more. */
void world_free(world *w);

/* What a call has to return. */
typedef enum verdict { HAS_TO, MAY, MUST_NOT } verdict;

/* The status and the record of a failure are as they have to be. */
void judge(yoke_status status, verdict succeed, fate at);
/* Whether the step is to be made. */
bool is_allowed(world *w, verdict can);

shadow *shadow_new(world *w, size_t size, bool host);
/* From now on the lane uses this memory, behind whoever did before. False: it must not, because nothing can make it wait for that
 * one, which has failed, is recorded or was released, and may still be at work. */
bool shadow_follow(world *w, lane *l, shadow *s);

fate worse(fate a, fate b);
/* Whether the rect lies in so many bytes with the origin and pitches; whether two of them share a byte. */
bool rect_fits(const yoke_pitch *at, const yoke_rect *rect, size_t size);
bool rects_meet(const work *k);

/* The call was accepted: it is in the lane, or in the graph that the lane is recorded into. */
void work_given(world *w, lane *l, const work *k);
/* The graph was launched in the lane. */
void plan_given(lane *l, plan *p);
/* What was under way may have been cut off. */
void lose_track(world *w);

/* Let all functions go on; and wait for everything in all streams that are not being recorded. */
void gates_open(world *w);
void quiesce(world *w);

/* ---- functions.c ---- */

/* Functions to enqueue, and their record, NULL when there are no more. */
call *call_new(world *w, lane *l, unsigned flags);
yoke_status call_run(yoke_status status, void *user);
yoke_status call_run_native(yoke_status status, void *native, void *user);
void call_complete(yoke_status status, void *user);
void call_release(void *user);
bool is_documented(yoke_status status);
/* Wait until each function has run as often as it has to. */
void calls_end(world *w);

/* ---- steps.c ---- */

/* One step of the program. */
void step_run(world *w, const uint8_t *bytes);
/* One with random bytes; by the name of its call, or NULL for any. False: the model did not allow it, or it had nothing to do. */
bool step_draw(world *w, const char *name, const uint8_t *first, size_t count);
/* The same until one is made, or the world disagrees; false: none was, in thousands. */
bool step_make(world *w, const char *name, const uint8_t *first, size_t count);
/* Streams, and buffers with a view in the middle of each, so that what goes beyond the view is seen. All their bytes are known. */
bool world_furnish(world *w);
const char *step_name(const uint8_t *bytes);

#endif
