/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Injected faults of drivers: with --enable-fault-injection, the functions in the backends' tables are wrappers
 * (backends/NAME/inject.c), and each wrapper asks here for the outcome of its call. For tests only: no other build exports the
 * YOKE_API functions of this header. By hand: YOKE_INJECT=CALL:N:WHAT, as in clFlush:3:failure, any:17:memory, cuMemAlloc_v2:1:-5,
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
    /* The call is not made and fails, with the driver's own code for: out of memory; an unspecified failure; a lost device; or with
     * `code`. A call that frees something does so all the same. */
    YOKE_FAULT_MEMORY,
    YOKE_FAULT_FAILURE,
    YOKE_FAULT_LOST,
    YOKE_FAULT_CODE,
    /* The call is made, but only after `milliseconds`, or after yoke_fault_let_go. */
    YOKE_FAULT_LATE,
    YOKE_FAULT_HANG,
    /* For queries of events: the answer, without calling the driver. */
    YOKE_FAULT_SAY_PENDING,
    YOKE_FAULT_SAY_COMPLETE,
    YOKE_FAULT_SAY_FAILED
};

/* Orders for any call count only the first query of a recorded event. The fault applies from use number `at` on, counted from 1
 * since the order, `times` times (0: once). */
typedef struct yoke_fault {
    enum yoke_fault_what what;
    const char *call;  /* the driver's name for it, which must outlive the order; NULL: any */
    const void *about; /* only calls with this first argument; NULL: any */
    unsigned at, times, milliseconds;
    int code;
} yoke_fault;

/* Counts since the last order. */
typedef struct yoke_fault_report {
    unsigned seen;      /* calls of drivers */
    unsigned happened;  /* calls that had the fault */
    const char *call;   /* the first call that had the fault, or NULL */
    int code;           /* the code that it failed with */
    unsigned hanging;   /* calls that are hanging now */
    const void *newest; /* the driver's event recorded last */
} yoke_fault_report;

/* Cancel the last order, clear its counts, release hanging calls, and apply this order; NULL: only count. */
YOKE_API void yoke_fault_order(const yoke_fault *fault);
YOKE_API void yoke_fault_get_report(yoke_fault_report *out_report);
YOKE_API void yoke_fault_let_go(void);

/* The driver objects created and not yet released in this process: their number, and in words, "2 events, 1 stream". */
YOKE_API int yoke_fault_objects(char *text, size_t size);

/* ---- For the wrappers ---- */

/* The change in the number of objects when a driver's function succeeds: 1 for creating, -1 for releasing. */
typedef struct yk_inject_effect {
    const char *call, *object;
    int change;
} yk_inject_effect;

typedef struct yk_injected {
    enum yoke_fault_what what; /* nothing, a failure, or an answer */
    int code;                  /* for YOKE_FAULT_CODE */
} yk_injected;

/* The outcome that the order sets for this call. Sleeps here when the call is to be late. `asks`: the call queries an event. */
yk_injected yk_inject_ask(const char *call, uintptr_t about, bool asks);
/* The call has failed with this code, as ordered. */
void yk_inject_failed(const char *call, int code);
/* The call has succeeded. `effects` ends with a NULL. */
void yk_inject_succeeded(const char *call, const yk_inject_effect *effects);
void yk_inject_made(const char *object, int change);
/* Whether the call releases an object. */
bool yk_inject_releases(const char *call, const yk_inject_effect *effects);
void yk_inject_recorded(const void *event);

#endif
