/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every conformance program stands on: it runs a table of cases on each device that YOKE_BACKEND leaves visible, one TAP line
 * a case and device. A case is a function full of CHECKs; it passes when none of them failed. The environment, for the runner:
 *
 *   YOKE_TEST_REQUIRE=cuda,opencl   a backend named here that has no device is a failure; any other is a skip
 *   YOKE_TEST_DEVICES=opencl:0,...  run on these devices only
 */
#ifndef SUITE_H
#define SUITE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <yoke/yoke.h>

#include "../tap/tap.h"
#include "kernels.h"

/* What a case is given. Everything is NULL for a case that runs once, without a device. */
typedef struct suite {
    yoke_device *device;
    yoke_device_info info;
    yoke_program *program; /* built from the program's source, once per device; NULL when there is none */
    yoke_stream *stream;   /* fresh for each case */
    yoke_stream *side;     /* one per device: helpers below use it, and cases that look on from outside a stream */
    yoke_program *saxpy;   /* of suite_works */
    double spin_rate;      /* of suite_spin: rounds in a second, once measured */
} suite;

typedef struct suite_case {
    const char *name;
    void (*run)(suite *t);
    bool once; /* before any device is opened, also when there is none */
} suite_case;

/* The whole of main: run the cases and return the exit code. `source`: kernels for all of them, or NULL. */
int suite_main(const suite_case *cases, size_t count, const yoke_source *source);
#define SUITE_MAIN(cases, source) suite_main(cases, sizeof(cases) / sizeof((cases)[0]), source)

/* Before suite_main: this program uses up a device's memory. It waits until no other program of the suite runs, and none begins
 * until it has ended. */
void suite_alone(void);

/* ---- Checks: from any thread, host functions included. Each is an expression that is true when it held ---- */

#define CHECK(condition) suite_check(!!(condition), YOKE_HERE, #condition)
#define CHECK_OK(call) suite_check_status(YOKE_OK, (call), YOKE_HERE, #call)
#define CHECK_STATUS(expected, call) suite_check_status((expected), (call), YOKE_HERE, #call)
/* `text` holds `word`, in any case. */
#define CHECK_TEXT(text, word) suite_check_text((text), (word), YOKE_HERE)
/* The call fails with this status, and the record's text holds each of the words: "name|value|limit". */
#define CHECK_FAILS(expected, words, call) suite_check_fails((expected), (words), (call), YOKE_HERE, #call)
/* The call is refused as an invalid argument, with the words, and logged exactly once. */
#define CHECK_REFUSED(words, call) (suite_errors_begin(), suite_check_refused((words), (call), YOKE_HERE, #call))
/* The bytes are what they should be; says where the first difference is. */
#define CHECK_BYTES(got, wanted, size) suite_check_bytes((got), (wanted), (size), YOKE_HERE)
/* The same, and `goto out` when it does not hold. */
#define NEED(condition)        \
    do {                       \
        if (!CHECK(condition)) \
            goto out;          \
    } while (0)
#define NEED_OK(call)        \
    do {                     \
        if (!CHECK_OK(call)) \
            goto out;        \
    } while (0)

bool suite_check(bool ok, const char *where, const char *what);
bool suite_check_status(yoke_status expected, yoke_status got, const char *where, const char *what);
bool suite_check_text(const char *text, const char *word, const char *where);
bool suite_check_fails(yoke_status expected, const char *words, yoke_status got, const char *where, const char *what);
bool suite_check_refused(const char *words, yoke_status got, const char *where, const char *what);
bool suite_check_bytes(const void *got, const void *wanted, size_t size, const char *where);

/* How many checks of the running case have failed: for a case's child process, which tells its parent. */
unsigned suite_failures(void);

/* This case does not apply here. What it checked until then still counts. */
void suite_skip(const char *format, ...) YOKE_PRINTF(1, 2);

/* Whether the text holds each of the words: "name|value|limit", in any case. */
bool suite_has_words(const char *text, const char *words);

/* Whether the device has the capability; checks that bit and yoke_device_lacks tell the same story. */
bool suite_can(suite *t, int capability);

/* A kernel of t->program; NULL, and the case has failed, when there is none. */
yoke_kernel *suite_kernel(suite *t, const char *name);

/* A small saxpy on a stream of its own still gives the right answer: for after a failure. Checked. */
bool suite_works(suite *t);

/* Launch spin, of kernels.h, for about so many milliseconds, or as long as SPIN_MOST rounds take: then `out`, of two uint32_t,
 * holds `value` and spin_result. `out_rounds` may be NULL. */
bool suite_spin(suite *t, yoke_stream *stream, yoke_buffer *out, uint32_t value, unsigned milliseconds, uint32_t *out_rounds);
uint32_t spin_result(uint32_t value, uint32_t rounds);

/* Open a listed device other than t's: false when there is none. The caller releases it. */
bool suite_open_other(suite *t, yoke_device **out_device);

/* ---- What the library logs ---- */

/* A case in which nothing has failed, no YOKE_LOG_ERROR was logged, must not get a warning, unless it says that it expects some. */
void suite_expect_log(void);
/* How many messages of this level, an error or a warning, hold all of the words, of those that the running case got. */
unsigned suite_logged(int level, const char *words);
/* Count the errors that the calling thread logs from now on; how many it has logged since. */
void suite_errors_begin(void);
unsigned suite_errors(void);
/* Hand messages to the suite again, after a function of the case's own. */
void suite_log_here(void);
/* Wait until no more than `count` devices of this process are open, the suite's own too; false when it is never just as many. */
bool suite_log_open(unsigned count);

/* For the loop alone: the next case begins; a case has ended, and whether its log is as it should be. */
void suite_log_begin(void);
bool suite_log_end(void);
/* Wait until every device that the program has opened is closed; false when one stays open, or had memory in use in the end. */
bool suite_log_closed(void);

/* ---- Processes ---- */

/* Run this program anew, in a process whose main gets `scenario` and `selector` as its arguments. `environment`: "NAME=VALUE" to
 * set, "NAME" to take out, ended by NULL; may be NULL. `out_errors` gets what it writes to stderr; may be NULL. Checked: it ends by
 * itself and with 0, which is suite_failures() == 0 there. */
bool suite_again(const char *scenario, const char *selector, const char *const *environment, char *out_errors, size_t size);

/* Checked: the child ends by itself and with 0. */
bool suite_reap(pid_t child);

/* ---- Memory with guard bytes ---- */

/* A device buffer: `buffer` is a view of `size` bytes that may be a kernel argument, in the middle of `whole`. */
typedef struct guarded {
    yoke_buffer *whole, *buffer;
    size_t size, before, after; /* bytes of the view, and of the guards round it */
} guarded;

/* The view's own bytes start out as a pattern too. Checked: false, and the case has failed, when it cannot be had. */
bool guarded_create(suite *t, size_t size, guarded *out);
bool guarded_create_on(yoke_device *device, yoke_stream *side, size_t size, guarded *out);
/* Give the view its bytes, or read them, through t->side; wait for your own streams first. */
bool guarded_write(suite *t, const guarded *g, const void *source);
bool guarded_read(suite *t, const guarded *g, void *target);
/* The view holds these bytes, and the guards what they were given. */
bool guarded_check(suite *t, const guarded *g, const void *wanted);
bool guarded_check_on(yoke_stream *side, const guarded *g, const void *wanted);
/* Give it back. NULL members are fine. */
void guarded_release(guarded *g);

/* Zeroed host memory with guard bytes on both sides, which memory_free checks. Ends the program when there is none. */
void *memory_new(size_t size);
void memory_free(void *memory);

/* Deterministic data: the same for the same seed. */
void fill_random(void *bytes, size_t size, uint32_t seed);
void fill_random_floats(float *values, size_t count, uint32_t seed); /* in [-1, 1) */

/* ---- Between threads ---- */

/* A gate that lets everyone through once it has been opened `count` times. Zeroed by GATE_INIT. */
typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned opened;
} gate;

#define GATE_INIT                                              \
    {                                                          \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 \
    }
void gate_open(gate *g);
void gate_wait(gate *g, unsigned count);
bool gate_is_open(gate *g, unsigned count);

/* Seconds, monotonic. */
double suite_now(void);

#endif
