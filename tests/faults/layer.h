/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL layer that lies on order. The loader puts it between a program and any driver when OPENCL_LAYERS names it; a test finds
 * `liar` in it with dlsym, and tells it, at any time, what to lie about. Without an order it passes every call on. With
 * YOKE_LAYER_SPIRV in the environment every device takes SPIR-V, and all of it is the kernel of tests/conformance/spirv.c.
 */
#ifndef LAYER_H
#define LAYER_H

#include <stdbool.h>

/* What becomes of a callback of clSetEventCallback. */
enum liar_callback {
    LIAR_HONEST,
    LIAR_NEVER,         /* it is not called, as PoCL does after a failure */
    LIAR_EARLY,         /* it is called once, inside clSetEventCallback, whether or not the command is complete */
    LIAR_TWICE,         /* it is called two times */
    LIAR_LATE,          /* it is called after `late_calls` more calls of the layer; 0: when the test says deliver */
    LIAR_REVERSED,      /* when `together` of them are due, they are called, the youngest first */
    LIAR_CLAIM_COMPLETE /* a failed command counts as CL_COMPLETE there */
};

/* The calls that can be made to fail. */
enum liar_call {
    LIAR_NO_CALL,
    LIAR_SET_EVENT_CALLBACK,
    LIAR_GET_EVENT_INFO,
    LIAR_WAIT_FOR_EVENTS,
    LIAR_FLUSH,
    LIAR_MARKER,
    LIAR_BARRIER,
    LIAR_KERNEL,
    LIAR_WRITE,
    LIAR_READ,
    LIAR_COPY,
    LIAR_FILL,
    LIAR_ARGUMENT_INFO, /* of a kernel */
    LIAR_TAKE_BINARY,   /* of a program: clCreateProgramWithBinary */
    LIAR_GIVE_BINARY,
    LIAR_TAKE_SPIRV,   /* clCreateProgramWithIL */
    LIAR_BUILD_OPTIONS /* clBuildProgram with any */
};

/* What to lie about; zeroed is nothing. */
typedef struct liar_orders {
    void *queue; /* the cl_command_queue to lie about; NULL: every one */

    enum liar_callback callback;
    unsigned late_calls, together;

    /* How long a finished event says CL_SUBMITTED: until a callback has been asked for, where `until_asked`, and then for so many
     * queries. */
    bool until_asked;
    unsigned late_queries;

    /* The doom_from-th command (not counting markers and barriers) that the queue gets from now on seems to run, but its event and
     * those behind it end with this status. What waits for such an event fails with it, unless `spreads_not`. */
    int doom;
    unsigned doom_from;
    bool spreads_not;

    /* This call fails with `code`, `fail_times` times, from its fail_at-th use on. */
    enum liar_call call;
    int code;
    unsigned fail_at, fail_times;
} liar_orders;

/* What has happened since the last order; the last three count from the start. */
typedef struct liar_report {
    unsigned asked;     /* callbacks that were registered with clSetEventCallback */
    unsigned called;    /* how often the layer has called one */
    unsigned early;     /* of those, while the command was not complete */
    unsigned withheld;  /* queries of finished events that were answered with CL_SUBMITTED */
    unsigned doomed;    /* queries that were answered with the doom */
    unsigned refused;   /* calls that failed on order */
    unsigned abandoned; /* events that were released before a query said how they ended */
    unsigned pending;   /* callbacks that are still to be delivered */
    unsigned objects;   /* contexts, queues, buffers and events that are alive */
    unsigned unmapped;  /* calls of clEnqueueUnmapMemObject since the last clFinish */
} liar_report;

typedef struct liar_control {
    void (*lie)(const liar_orders *orders); /* NULL: the truth. What is doomed or late already stays so. */
    void (*report)(liar_report *out);
    void (*deliver)(void);       /* call, here and now, every callback that is late */
    void *(*newest_queue)(void); /* the cl_command_queue that was created last */
    void (*finish)(void *queue); /* wait until the driver is really done with it */
} liar_control;

/* The symbol's name; its type is const liar_control. */
#define LIAR_SYMBOL "liar"

#endif
