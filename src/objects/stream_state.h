/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a stream, and the one function that changes it. Nothing here has side effects: tests/model searches every state that
 * these functions can reach, so the model checks the code that runs.
 *
 * A state has three parts. What happens to the stream's operations:
 */
/* clang-format off */
/*
 *                     DEFER: a host function, a staged copy, or a wait that the driver cannot do
 *          DIRECT ----------------------------------------------------------------------> DEFERRED
 *            ^ |  ^                     EMPTY: nothing is deferred any more                 |  ^
 *            | |  +-------------------------------------------------------------------------+  |
 *            | |                                                                               |
 *            | +---- CARRY: a caller runs one operation itself -----> CARRIED ----- CARRY_END -+
 *            +------------------------- EMPTY after CARRY_END ------------------------------
 *
 * How the stream fares:
 *
 *          WELL ---- FAIL ----> FAILED ---- RECOVER ----> RECOVERING ---- RECOVERED ----> WELL
 *                                  ^                          |
 *                                  +---- RECOVERY_FAILED -----+
 */
/* clang-format on */
/*
 * And flags: the stream is being recorded into a graph; a graph with branches is being launched in it; its last reference is gone.
 */
#ifndef YK_STREAM_STATE_H
#define YK_STREAM_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum yk_stream_work {
    YK_STREAM_DIRECT,   /* an enqueue is one call of the driver; no operation is deferred */
    YK_STREAM_DEFERRED, /* operations wait in the stream's list, or its worker runs one of them */
    YK_STREAM_CARRIED   /* a caller runs an operation itself; the worker waits for the caller */
};

enum yk_stream_fate { YK_STREAM_WELL, YK_STREAM_FAILED, YK_STREAM_RECOVERING };

/* Bytes only, so that models can compare states. */
typedef struct yk_stream_state {
    uint8_t work;                        /* enum yk_stream_work */
    uint8_t fate;                        /* enum yk_stream_fate */
    uint8_t recording, launching, ended; /* launching: a graph of several branches is being enqueued */
} yk_stream_state;

static inline bool yk_stream_is_deferring(yk_stream_state state)
{
    return state.work != YK_STREAM_DIRECT;
}

/* True also while the stream is recovering. */
static inline bool yk_stream_has_failed(yk_stream_state state)
{
    return state.fate != YK_STREAM_WELL;
}

typedef enum yk_stream_event {
    YK_STREAM_DEFER,
    YK_STREAM_EMPTY,
    YK_STREAM_CARRY,
    YK_STREAM_CARRY_END,
    YK_STREAM_FAIL,
    YK_STREAM_RECOVER,
    YK_STREAM_RECOVERED,
    YK_STREAM_RECOVERY_FAILED,
    YK_STREAM_RECORD,
    YK_STREAM_RECORD_END,
    YK_STREAM_LAUNCH,
    YK_STREAM_LAUNCH_END,
    YK_STREAM_END
} yk_stream_event;

/* Whether the event can happen in this state. Checked before the event happens, or asserted. */
static inline bool yk_stream_can(yk_stream_state state, yk_stream_event event)
{
    switch (event) {
    case YK_STREAM_DEFER: /* in a failed stream too: a host function is called with the failure, an event completes with it */
    case YK_STREAM_FAIL:  /* the first failure stays */
        return true;
    case YK_STREAM_EMPTY:
        return state.work == YK_STREAM_DEFERRED;
    case YK_STREAM_CARRY:
        return state.work == YK_STREAM_DIRECT && state.fate == YK_STREAM_WELL && !state.recording;
    case YK_STREAM_CARRY_END:
        return state.work == YK_STREAM_CARRIED;
    case YK_STREAM_RECOVER: /* the worker skips what is deferred first; and no launch may be half enqueued */
        return state.fate == YK_STREAM_FAILED && state.work == YK_STREAM_DIRECT && !state.launching;
    case YK_STREAM_RECOVERED:
    case YK_STREAM_RECOVERY_FAILED:
        return state.fate == YK_STREAM_RECOVERING;
    case YK_STREAM_RECORD:
        return state.fate == YK_STREAM_WELL && !state.recording;
    case YK_STREAM_RECORD_END:
        return state.recording;
    case YK_STREAM_LAUNCH:
        return !state.launching;
    case YK_STREAM_LAUNCH_END:
        return state.launching;
    case YK_STREAM_END:
        return !state.ended;
    }
    return false;
}

/* The state after an event that can happen. */
static inline yk_stream_state yk_stream_next(yk_stream_state state, yk_stream_event event)
{
    switch (event) {
    case YK_STREAM_DEFER:
        state.work = state.work == YK_STREAM_CARRIED ? YK_STREAM_CARRIED : YK_STREAM_DEFERRED;
        break;
    case YK_STREAM_EMPTY:
        state.work = YK_STREAM_DIRECT;
        break;
    case YK_STREAM_CARRY:
        state.work = YK_STREAM_CARRIED;
        break;
    case YK_STREAM_CARRY_END:
        state.work = YK_STREAM_DEFERRED;
        break;
    case YK_STREAM_FAIL:
        state.fate = state.fate == YK_STREAM_WELL ? YK_STREAM_FAILED : state.fate;
        break;
    case YK_STREAM_RECOVER:
        state.fate = YK_STREAM_RECOVERING;
        break;
    case YK_STREAM_RECOVERED:
        state.fate = YK_STREAM_WELL;
        break;
    case YK_STREAM_RECOVERY_FAILED:
        state.fate = YK_STREAM_FAILED;
        break;
    case YK_STREAM_RECORD:
        state.recording = true;
        break;
    case YK_STREAM_RECORD_END:
        state.recording = false;
        break;
    case YK_STREAM_LAUNCH:
        state.launching = true;
        break;
    case YK_STREAM_LAUNCH_END:
        state.launching = false;
        break;
    case YK_STREAM_END:
        state.ended = true;
        break;
    }
    return state;
}

/* Whether enqueues may pass the gate, concurrently and without the stream's lock. `locked`: the stream submits under its lock,
 * whatever its state: it has a depth, or its device an observer or YOKE_BLOCKING. */
static inline bool yk_stream_gate_is_open(yk_stream_state state, bool locked)
{
    return state.work == YK_STREAM_DIRECT && state.fate == YK_STREAM_WELL && !state.recording && !state.launching && !locked;
}

/* The route of an operation that found the gate closed. */
typedef enum yk_stream_route {
    YK_ROUTE_REFUSE, /* the enqueue fails with the stream's failure */
    YK_ROUTE_RECORD, /* into the graph */
    YK_ROUTE_DEFER,  /* to the end of the stream's list */
    YK_ROUTE_SUBMIT, /* to the driver, under the lock */
    YK_ROUTE_AGAIN   /* the gate has been opened meanwhile */
} yk_stream_route;

static inline yk_stream_route yk_stream_route_of(yk_stream_state state, bool locked)
{
    if (state.fate != YK_STREAM_WELL)
        return YK_ROUTE_REFUSE;
    if (state.recording)
        return YK_ROUTE_RECORD;
    if (state.work != YK_STREAM_DIRECT)
        return YK_ROUTE_DEFER;
    return yk_stream_gate_is_open(state, locked) ? YK_ROUTE_AGAIN : YK_ROUTE_SUBMIT;
}

/* The same for an event that is recorded to wait for the stream's remaining work, also after a failure. The event completes with
 * the failure in its turn, behind the deferred operations; but a recovery drains the driver with such an event. */
static inline yk_stream_route yk_stream_route_of_end(yk_stream_state state)
{
    return state.work != YK_STREAM_DIRECT || state.fate == YK_STREAM_FAILED ? YK_ROUTE_DEFER : YK_ROUTE_SUBMIT;
}

#endif
