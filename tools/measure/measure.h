/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring Yoke beside the driver below it: the same work through Yoke and by hand, in short batches by turns. `yoke bench` and
 * the programs in bench/ are two front ends of this: what they have in common to measure is the table in cases.h. It is for
 * programs: it exits when something fails.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <yoke/yoke.h>

enum {
    MEASURE_BLOCK = 32,        /* threads of a launch */
    MEASURE_LARGE = 256 << 20, /* bytes of a large copy */
    MEASURE_STREAMS = 64       /* the most streams of call_sleepers */
};

/* How memory is allocated, with the best that each driver has for it; PINNED is host memory. */
enum {
    MEASURE_PLAIN,   /* yoke_buffer_create; cuMemAlloc; clCreateBuffer, which OpenCL drivers put off until the first use */
    MEASURE_PRESENT, /* the same, and on OpenCL by hand it is moved to the device at once */
    MEASURE_ORDERED, /* yoke_buffer_create_ordered; cuMemAllocFromPoolAsync from a pool of its own; clCreateBuffer */
    MEASURE_PINNED
};

/* Rows of `width` bytes, `buffer_pitch` apart in the buffer and `host_pitch` in host memory. */
typedef struct measure_rect {
    size_t width, height, buffer_pitch, host_pitch;
} measure_rect;

/*
 * A way to do the work: through Yoke, or by hand. A side has two streams and two buffers, numbered 0 and 1; what names none uses
 * the first. Functions with a count do their work so often, and only give it to the device unless their comment says that they
 * wait. What a side has no way for is NULL.
 */
typedef struct measure_side {
    const char *name;
    void *(*open)(yoke_device *device); /* beside a device that Yoke has opened, in its context; NULL when it is not there */
    void (*close)(void *self);
    void (*enter)(void *self); /* what a program that uses this driver alone has done long ago; around everything that follows */
    void (*leave)(void *self);
    void (*reserve)(void *self, size_t size0, size_t size1); /* the buffers, instead of those before; 0 for none */
    void (*wait)(void *self, int which);                     /* for a stream */
    void (*launch)(void *self, int count);                   /* a small kernel with 3 arguments that writes buffer 0 */
    void (*launch_wait)(void *self, int count);              /* waits after each */
    /* By hand, what a wait costs that is for this work alone and leaves its thread free to sleep: an event is asked for its status
     * until it is complete. It is the launch's own, if `own`, where the driver has such; else one recorded behind the launch. */
    void (*launch_poll)(void *self, int count, bool own);
    void (*spin)(void *self, uint64_t rounds);
    void (*event_record)(void *self, int count);
    void (*event_query)(void *self, int count);                       /* of one that has completed */
    void (*kernels)(void *self, int count);                           /* two kernels, then a wait */
    void (*call)(void *self, int count);                              /* the same with a host function between the two */
    void (*call_pairs)(void *self, int count);                        /* a kernel and a host function, and a wait after the last */
    void (*call_sleepers)(void *self, int streams, int milliseconds); /* a kernel and a host function that sleeps, in each stream */
    /* A graph of the small kernel, so many times one behind the other, instead of the one before; 0: none. False: this driver has
     * no graphs. */
    bool (*graph_make)(void *self, int kernels);
    void (*graph_launch)(void *self, int count);
    void (*graph_set_args)(void *self, int count); /* of its first kernel, each time others */
    void (*write)(void *self, int which, const void *host, size_t size, int count);
    void (*read)(void *self, int which, void *host, size_t size, int count);
    void (*write_wait)(void *self, const void *host, size_t size, int count); /* waits for each, as read_wait */
    void (*read_wait)(void *self, void *host, size_t size, int count);
    void (*write_rect)(void *self, const void *host, const measure_rect *rect);
    void (*read_rect)(void *self, void *host, const measure_rect *rect);
    void (*copy)(void *self, size_t size); /* from buffer 0 to buffer 1 */
    void (*fill)(void *self, size_t size, const void *pattern, size_t pattern_size);
    bool (*connect)(void *self, void *other);           /* for `peer`; false when there is no direct way, or none by hand */
    void (*peer)(void *self, void *other, size_t size); /* from buffer 0 to buffer 0 of the same side of another device */
    void (*alloc_free)(void *self, int way, size_t size, int count);
    void (*alloc_launch_free)(void *self, int way, size_t size, int count); /* a kernel that writes it between; not for PINNED */
} measure_side;

extern const measure_side measure_yoke, measure_cuda, measure_opencl;

/* The small kernel, "touch": x[i] = a for i < n. */
extern const yoke_source measure_touch;
/* A kernel that takes as long as one likes: "spin" works n rounds, one after the other, on x[0]. */
extern const yoke_source measure_spin;

/* Work to be timed: a function, and what it takes. */
typedef struct measure_batch {
    const measure_side *side;
    void *self;                                       /* NULL: this side is left out */
    double (*run)(const struct measure_batch *batch); /* nanoseconds */
    void *host;
    size_t size;
    int count;
    int way;         /* of an allocation */
    void *other;     /* of copies both ways: where to read to; between devices: the other device's side */
    uint64_t rounds; /* of long work */
    size_t pattern_size;
} measure_batch;

/* A batch function that times `work`, made of `side`, `self` and `batch`, and waits afterwards for what was only given. */
#define MEASURE_RUN(name, before, work)            \
    static double name(const measure_batch *batch) \
    {                                              \
        const measure_side *side = batch->side;    \
        void *self = batch->self;                  \
        side->enter(self);                         \
        before;                                    \
        double start = measure_now();              \
        work;                                      \
        double time = measure_now() - start;       \
        side->wait(self, 0);                       \
        side->leave(self);                         \
        return time;                               \
    }

/* The same work by hand and through Yoke. */
enum { MEASURE_RAW, MEASURE_YOKE, MEASURE_SIDES };
typedef struct measure_pair {
    measure_batch batch[MEASURE_SIDES];
} measure_pair;

/* Both sides of a device, without buffers; only Yoke's unless `raw`. */
void measure_open(measure_pair *pair, yoke_device *device, bool raw);
void measure_close(measure_pair *pair);
void measure_reserve(measure_pair *pair, size_t size0, size_t size1);
/* A graph on each side, as graph_make. False, and there is none by hand: it is left out, or its driver has no graphs. */
bool measure_make_graphs(measure_pair *pair, int kernels);
void measure_set(measure_pair *pair, double (*run)(const measure_batch *batch), void *host, size_t size, int count);

/* What came of it: the times of each batch in nanoseconds, 0 by hand where that is left out; and the median of Yoke over raw of
 * neighbouring batches, so that drift cancels. Free `raws`. */
typedef struct measure_times {
    double *raws, *yokes;
    size_t count;
    double ratio;
} measure_times;

/* Run both by turns, after two rounds that do not count: at least so often, then until the time is over, at most so often. */
measure_times measure_by_turns(const measure_pair *pair, size_t least, size_t most, double nanoseconds);

/* The side by hand for a device's backend. */
const measure_side *measure_raw(yoke_device *device);

/* Rounds of `spin` that take so many nanoseconds on a batch's device. */
uint64_t measure_rounds(const measure_batch *batch, double nanoseconds);

/* Nanoseconds, monotonic. */
double measure_now(void);

/* Sorts the values. */
double measure_median(double *values, size_t count);

/* Print why, and exit. */
_Noreturn void measure_fail(const char *what, const char *why);

static inline void measure_must(yoke_status status)
{
    if (status < 0)
        measure_fail("yoke", yoke_error()->text);
}

#endif
