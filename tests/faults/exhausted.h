/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done while one call fails, of the C library (exhausted.c) or of the driver (sweep.c): scenarios, each a function that
 * works through DO, checks all of its results, and returns how it ended. Everything that a scenario has created it has released
 * when it returns.
 */
#ifndef EXHAUSTED_H
#define EXHAUSTED_H

#include "../conformance/stand.h"

/* `t`: a device of its own, with stream and side, and where the scenario asks for KERNELS with program; `p`: a second one for
 * TWO_DEVICES. With OPENS_ITSELF `t` is nothing but a selector. */
typedef yoke_status (*scenario_fn)(suite *t, suite *p);

enum { OPENS_ITSELF = 1, TWO_DEVICES = 2, KERNELS = 4 };

typedef struct scenario {
    const char *name, *words;
    scenario_fn run;
    const char *order; /* "NAME=VALUE" for the environment; or NULL */
    unsigned flags;
} scenario;

/* X(function and name, what it is, order, flags) */
#define SCENARIOS(X)                                                                  \
    X(listing, "devices are listed and opened", NULL, OPENS_ITSELF)                   \
    X(buffers, "buffers of every kind", NULL, 0)                                      \
    X(pool, "memory that is used again, limited and trimmed", NULL, KERNELS)          \
    X(images, "images, their views and their copies", NULL, 0)                        \
    X(copies, "copies and fills", NULL, 0)                                            \
    X(held_copies, "copies and fills behind a host function", NULL, 0)                \
    X(blocking_copies, "copies and fills that finish at once", "YOKE_BLOCKING=1", 0)  \
    X(staged_copies, "copies through pinned memory", "YOKE_STAGING=1", 0)             \
    X(kernel_fills, "fills by a kernel", "YOKE_FILL_KERNEL=1", 0)                     \
    X(peer_copies, "copies between two devices", NULL, TWO_DEVICES)                   \
    X(staged_peer_copies, "staged copies between two", "YOKE_STAGING=1", TWO_DEVICES) \
    X(programs, "programs and kernels", NULL, 0)                                      \
    X(launches, "launches, at once and deferred", NULL, 0)                            \
    X(graphs, "graphs of one stream", NULL, KERNELS)                                  \
    X(wide_graphs, "graphs of two streams", NULL, KERNELS)                            \
    X(events, "events and who waits for them", NULL, 0)                               \
    X(streams, "streams that come, fail, recover and go", NULL, 0)                    \
    X(natives, "native sections and handles", NULL, 0)                                \
    X(operations, "a map, a reduction, a scan and a gather", NULL, 0)                 \
    X(ordering, "a selection, a count and a sort", NULL, 0)                           \
    X(whole, "a device's whole life, with a pipeline of streams", NULL, OPENS_ITSELF)

#define SCENARIO_FUNCTION(name, words, order, flags) yoke_status scenario_##name(suite *t, suite *p);
SCENARIOS(SCENARIO_FUNCTION)
#undef SCENARIO_FUNCTION

extern const yoke_source exhausted_source;

/* In a function with a `yoke_status status` and a label `out`: the call succeeds, or it is the one in which something failed. Then
 * it says so, has done nothing, and succeeds when it is made again. Only a stream or a device that has failed says so for ever. */
#define DO(call)                                                 \
    do {                                                         \
        status = (call);                                         \
        if (status < 0 && failed_once(status, YOKE_HERE, #call)) \
            status = (call);                                     \
        if (status < 0) {                                        \
            gave_up(YOKE_HERE, #call);                           \
            goto out;                                            \
        }                                                        \
    } while (0)

/* The call fails with this status; also for what failed, the first time, and for ever once that has taken its stream. */
#define FAILS_WITH(expected, call)                                                 \
    do {                                                                           \
        yoke_status its_ = (call);                                                 \
        if (its_ != (expected) && its_ < 0 && failed_once(its_, YOKE_HERE, #call)) \
            its_ = (call);                                                         \
        if (!was_told(its_) || its_ == (expected) || its_ >= 0)                    \
            suite_check_status((expected), its_, YOKE_HERE, #call);                \
    } while (0)

/* ---- What the two programs have each of their own ---- */

/* The status is for what has failed, and the first to tell of it: the call may be made again. */
bool failed_once(yoke_status status, const char *where, const char *call);
/* A status that a function or a wait got, whether it is for what has failed. */
bool was_told(yoke_status status);
/* Whether a driver may have failed while its devices were listed; to be asked before they are listed again. */
bool devices_may_hide(void);
/* What kept a scenario from its end. */
void gave_up(const char *where, const char *call);
/* For the end of a scenario: whatever was enqueued has run or been skipped. */
void finish(yoke_stream *stream);

/* ---- What they share (stage.c) ---- */

extern const scenario scenarios[];
extern const size_t scenario_count;
const scenario *find_scenario(const char *name);

/* Count how often a device is opened and closed, from the log. For a yoke_log_set of the program's own. */
void count_log(int level, const char *text, void *user);
unsigned devices_open(void);
/* Wait for it, 40 seconds at most. */
bool all_devices_closed(void);

/* A device with its streams, and a program where it is asked for. */
bool make_ready(suite *t, const char *selector, bool kernels);
void take_down(suite *t);
/* A second device, or the same once more. */
void find_second(const char *selector, char *second, size_t size);
/* No buffer is left, and no memory, once what was released in use is free. */
void nothing_is_left(suite *t);
size_t entries_of(const char *folder);

/* 1, 2 .. count in an order that is spread over all of them: the n-th, from 0. */
unsigned spread(unsigned n, unsigned count);

#endif
