/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs about lying drivers share: the layer, and a line of two streams that a lie is tried on. A case opens its lines,
 * gives its orders, enqueues, checks, and is honest again at its end.
 */
#ifndef LINE_H
#define LINE_H

#include <stdatomic.h>

#include "../conformance/stand.h"
#include "layer.h"

/* OpenCL's codes. */
enum { ALLOCATION_FAILURE = -4, OUT_OF_RESOURCES = -5, OUT_OF_HOST_MEMORY = -6, FAILED_BEFORE = -14, INVALID_QUEUE = -36 };

enum { ALWAYS = 1000000 }; /* for liar_orders.fail_times */

/* Call in main, before OpenCL is used: sets the environment, runs the cases, and returns the exit code. */
int line_main(const suite_case *cases, size_t count);

/* ---- The layer ---- */

extern const liar_control *liar; /* once has_layer() */

/* False: the case is skipped, because the loader knows no layers; or has failed, because it does. */
bool has_layer(void);
liar_report told(void);
/* The truth again, late callbacks included; and all is well. For the end of each case. */
void be_honest(suite *t);

/* ---- Host functions ---- */

/* How work is expected to end. */
typedef struct outcome {
    yoke_status status;
    const char *words; /* in the record's text: "clFlush|CL_OUT_OF_RESOURCES" */
    int code;          /* the driver's */
} outcome;

/* The call's status and record are as expected. */
#define CHECK_OUTCOME(expected, call) check_outcome(expected, call, YOKE_HERE)
void check_outcome(const outcome *expected, yoke_status got, const char *where);

/* For yoke_host_call: `hear` checks what it is told, and sees what was read before it; `heard` releases. */
typedef struct listener {
    const outcome *expected;
    const uint32_t *got, *wanted; /* two each; or NULL */
    atomic_uint ran, released;
    gate done;
} listener;

#define LISTENER_INIT(outcome)                   \
    {                                            \
        .expected = (outcome), .done = GATE_INIT \
    }

yoke_status hear(yoke_status status, void *user);
void heard(void *user);

/* ---- The line ---- */

enum { HELD = 1, ALONE = 2 };

/* The first stream writes, spins, reads when that is to succeed; an event; a function. The second waits for the event; writes; a
 * function. HELD: the first begins with a function that stands at `stand`, so that workers give all of it to the driver. ALONE:
 * without the second. */
typedef struct line {
    unsigned kind;
    yoke_stream *first, *second;
    void *queue;       /* the driver's, of the first */
    guarded out, mark; /* spin's; the second's */
    uint32_t *got, wanted[2];
    yoke_event *event;
    stand stand;
    outcome expected;
    listener behind_first, behind_second;
    bool second_refused; /* the function behind the second stream: the failure was known already */
} line;

extern const uint32_t marks[2]; /* what is written */

/* Checked: false, and the case has failed, when it cannot be had. Before any orders. */
/* What a case works on when it ends with this status: t itself, or with YOKE_E_DEVICE_LOST, which ends a device for good, `own`, a
 * device opened anew. NULL, and the case has failed, when that cannot be had. Leave it with line_leave_device. */
suite *line_device(suite *t, yoke_status status, suite *own);
void line_leave_device(suite *t, suite *own);

bool line_open(suite *t, line *l, unsigned kind, outcome expected);
bool line_enqueue(suite *t, line *l);
/* Wait for all of it, and check how it ends. */
void line_check(suite *t, line *l);
/* At the very end: nothing has been called again. */
void line_called_once(const line *l);
void line_close(line *l);

#endif
