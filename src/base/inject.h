/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Injected faults of drivers: with --enable-fault-injection, the functions in the backends' tables are wrappers
 * (backends/NAME/inject.c), and each asks here what becomes of its call. For tests only: no other build exports the YOKE_API
 * functions of this header. By hand: YOKE_INJECT=CALL:N:WHAT, as in clFlush:3:failure, any:17:memory, cuMemAlloc_v2:1:-5,
 * any:9:late=20.
 */
#ifndef YK_INJECT_H
#define YK_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <yoke/yoke.h>

enum yoke_fault_what {
    YOKE_FAULT_NONE,
    /* The call is not made and fails, with the driver's own code for: a want of memory; what has no better name; a device that is
     * gone; or with `code`. What gives something back does so all the same. */
    YOKE_FAULT_MEMORY,
    YOKE_FAULT_FAILURE,
    YOKE_FAULT_LOST,
    YOKE_FAULT_CODE,
    /* The call is made, but only after `milliseconds`, or once yoke_fault_let_go is called. */
    YOKE_FAULT_LATE,
    YOKE_FAULT_HANG,
    /* Of questions how an event stands: what the driver answers, which is not asked. */
    YOKE_FAULT_SAY_PENDING,
    YOKE_FAULT_SAY_COMPLETE,
    YOKE_FAULT_SAY_FAILED
};

/* Orders for any call count only the first question about a recorded event. From its use number `at` on, counted from 1 and from
 * the order, and so many times (0: once). */
typedef struct yoke_fault {
    enum yoke_fault_what what;
    const char *call;  /* the driver's name, which has to last; NULL: any */
    const void *about; /* only where this is the first argument; NULL: any */
    unsigned at, times, milliseconds;
    int code;
} yoke_fault;

/* Since the last order. */
typedef struct yoke_fault_report {
    unsigned seen;      /* calls of drivers */
    unsigned happened;  /* of those, the ones with the fault */
    const char *call;   /* the first of these; or NULL */
    int code;           /* that it failed with */
    unsigned hanging;   /* calls that hang now */
    const void *newest; /* the driver's event that was recorded last */
} yoke_fault_report;

/* Forget the last order and what it has done, let go what hangs, and do this; NULL: only count. */
YOKE_API void yoke_fault_order(const yoke_fault *fault);
YOKE_API void yoke_fault_get_report(yoke_fault_report *out_report);
YOKE_API void yoke_fault_let_go(void);

/* The objects that drivers have made and not been given back in this process: their number, and as words, "2 events, 1 stream". */
YOKE_API int yoke_fault_objects(char *text, size_t size);

/* ---- For the wrappers ---- */

/* What a driver's function does to the number of objects when it succeeds: 1 for making one, -1 for giving one back. */
typedef struct yk_inject_effect {
    const char *call, *object;
    int change;
} yk_inject_effect;

typedef struct yk_injected {
    enum yoke_fault_what what; /* nothing, a failure, or something to say */
    int code;                  /* of YOKE_FAULT_CODE */
} yk_injected;

/* What is to become of this call. Waits here as long as it is to be late. `asks`: how an event stands. */
yk_injected yk_inject_ask(const char *call, uintptr_t about, bool asks);
/* The call has failed with this code on order. */
void yk_inject_failed(const char *call, int code);
/* The call has succeeded. `effects` ends with a NULL. */
void yk_inject_succeeded(const char *call, const yk_inject_effect *effects);
void yk_inject_made(const char *object, int change);
/* Whether it gives something back. */
bool yk_inject_releases(const char *call, const yk_inject_effect *effects);
void yk_inject_recorded(const void *event);

#endif
