/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams that fail and live on: cancelling, recovering, and what the records say of work that failed when its turn came. What was
 * pending counts its calls, so that "exactly once" is checked everywhere.
 */
#include "suite.h"
#include "stand.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
#include <malloc.h>
#define HEAP_IN_USE ((long long)mallinfo2().uordblks)
#else
#define HEAP_IN_USE 0LL
#endif

/* A launch of picky passes every check that Yoke can make beforehand, and is refused by the driver: on CUDA, where the GPU has
 * clusters, it takes only a grid of an even number of blocks. Nothing of that kind is known in OpenCL: there Yoke refuses it. */
static const char *const kernels_cuda =
    SPIN_CUDA SET_CUDA "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\n#define PICKY __cluster_dims__(2, 1, 1)\n"
                       "#else\n#define PICKY\n#endif\n"
                       "extern \"C\" __global__ void PICKY picky(unsigned *x) { x[0] = 1; }\n";
static const char *const kernels_opencl =
    SPIN_OPENCL SET_OPENCL "__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void picky(__global uint *x) { x[0] = 1; }\n";

enum { OTHER_STATUS = -7799, SPIN_MILLISECONDS = 30 };
#define OTHER_TEXT "the printer of the test is on fire"
#define CANCEL_TEXT "yoke_stream_cancel"

static own_failure other_failure = { OTHER_STATUS, OTHER_TEXT };

/* A function that is called once, with this status and a record that says so, and released once behind that. */
typedef struct once {
    yoke_status expected;
    const char *text;
    atomic_int ran, released;
    gate done;
} once;

#define ONCE_INIT(status, words)                                 \
    {                                                            \
        .expected = (status), .text = (words), .done = GATE_INIT \
    }

static yoke_status called(yoke_status status, void *user)
{
    once *o = user;

    CHECK_STATUS(o->expected, status);
    if (status < 0) {
        CHECK(yoke_error()->status == status);
        CHECK_TEXT(yoke_error()->text, o->text);
    }
    CHECK(atomic_fetch_add(&o->ran, 1) == 0 && atomic_load(&o->released) == 0);
    return YOKE_OK;
}

static void released(void *user)
{
    once *o = user;

    CHECK(atomic_load(&o->ran) == 1);
    CHECK(atomic_fetch_add(&o->released, 1) == 0);
    gate_open(&o->done);
}

static bool make_value(suite *t, guarded *x, uint32_t value)
{
    return guarded_create(t, sizeof value, x) && guarded_write(t, x, &value);
}

static bool launch_set(suite *t, yoke_stream *stream, const guarded *x, uint32_t value)
{
    return CHECK_OK(yoke_launch(stream, suite_kernel(t, "set"), YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x->buffer, value)));
}

/* ---- Cancelling ---- */

/* t->stream has a kernel that runs, then waits in software for the event of a stream that stands at the gate: so it is certain what
 * has started and what has not. Nobody opens the gate before all of that has come to its end. */
static void cancel_calls_what_is_pending(suite *t)
{
    enum { PENDING = 20 };
    stand s = STAND_INIT;
    once *o = calloc(PENDING, sizeof *o);
    yoke_stream *gated = NULL;
    yoke_event *given = NULL, *far = NULL, *held = NULL;
    guarded out = { 0 }, x[3] = { { 0 } };
    uint32_t spin[2] = { 5, 0 }, rounds = 0, value = 42, changed = 43, *read_behind = memory_new(4);

    NEED(o != NULL && guarded_create(t, sizeof spin, &out));
    for (int i = 0; i < 3; i++)
        NEED(make_value(t, &x[i], value));
    NEED_OK(yoke_stream_create(t->device, &gated));
    NEED_OK(yoke_host_call(gated, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_event_record(gated, 0, &far));
    CHECK(suite_spin(t, t->stream, out.buffer, spin[0], SPIN_MILLISECONDS, &rounds));
    CHECK_OK(yoke_event_record(t->stream, 0, &given));
    CHECK_OK(yoke_stream_wait_event(t->stream, far));
    for (int i = 0; i < PENDING; i++) {
        o[i] = (once)ONCE_INIT(YOKE_E_CANCELLED, CANCEL_TEXT);
        CHECK_OK(yoke_host_call(t->stream, called, &o[i], released));
        launch_set(t, t->stream, &x[0], changed);
        CHECK_OK(yoke_write(t->stream, x[1].buffer, 0, &changed, 4));
        CHECK_OK(yoke_copy(t->stream, x[1].buffer, 0, x[0].buffer, 0, 4));
        CHECK_OK(yoke_fill(t->stream, x[2].buffer, 0, 4, &changed, 4));
        CHECK_OK(yoke_read(t->stream, read_behind, x[0].buffer, 0, 4));
    }
    CHECK_OK(yoke_event_record(t->stream, 0, &held));
    CHECK_OK(yoke_stream_cancel(t->stream));
    CHECK_FAILS(YOKE_E_CANCELLED, CANCEL_TEXT, yoke_stream_wait(t->stream));
    for (int i = 0; i < PENDING; i++)
        gate_wait(&o[i].done, 1);
    CHECK_OK(yoke_event_wait(given));
    CHECK_FAILS(YOKE_E_CANCELLED, CANCEL_TEXT, yoke_event_wait(held));
    CHECK_FAILS(YOKE_E_CANCELLED, CANCEL_TEXT, yoke_event_query(held));
    spin[1] = spin_result(spin[0], rounds);
    guarded_check(t, &out, spin);
    for (int i = 0; i < 3; i++)
        guarded_check(t, &x[i], &value);
    CHECK(*read_behind == 0);
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(far));
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(gated));
out:
    yoke_event_release(given);
    yoke_event_release(far);
    yoke_event_release(held);
    yoke_stream_release(gated);
    guarded_release(&out);
    for (int i = 0; i < 3; i++)
        guarded_release(&x[i]);
    memory_free(read_behind);
    free(o);
}

static void cancel_lets_a_running_function_end(suite *t)
{
    stand s = STAND_INIT;
    once o = ONCE_INIT(YOKE_E_CANCELLED, CANCEL_TEXT), far = ONCE_INIT(YOKE_E_CANCELLED, CANCEL_TEXT);
    yoke_stream *other = NULL;
    yoke_event *event = NULL;

    NEED_OK(yoke_stream_create(t->device, &other));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_host_call(t->stream, called, &o, released));
    CHECK_OK(yoke_event_record(t->stream, 0, &event));
    CHECK_OK(yoke_stream_wait_event(other, event));
    CHECK_OK(yoke_host_call(other, called, &far, released));
    gate_wait(&s.inside, 1);
    CHECK_OK(yoke_stream_cancel(t->stream)); /* does not wait: the function is at the gate */
    CHECK(!atomic_load(&s.ended) && atomic_load(&o.ran) == 0);
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
    CHECK_FAILS(YOKE_E_CANCELLED, CANCEL_TEXT, yoke_host_call(t->stream, called, NULL, NULL));
    gate_open(&s.leave);
    gate_wait(&o.done, 1);
    gate_wait(&far.done, 1);
    CHECK(atomic_load(&s.ended));
    CHECK_FAILS(YOKE_E_CANCELLED, CANCEL_TEXT, yoke_event_wait(event));
    CHECK_FAILS(YOKE_E_CANCELLED, CANCEL_TEXT, yoke_stream_wait(other));
out:
    yoke_event_release(event);
    yoke_stream_release(other);
}

static yoke_status cancel_mine(yoke_status status, void *user)
{
    CHECK_STATUS(YOKE_OK, status);
    CHECK_OK(yoke_stream_cancel(user));
    CHECK(yoke_error()->status == YOKE_OK); /* a call that succeeds leaves no failure behind */
    return YOKE_OK;
}

static void cancel_again_and_from_inside(suite *t)
{
    stand s = STAND_INIT;
    once o = ONCE_INIT(YOKE_E_CANCELLED, CANCEL_TEXT);
    yoke_stream *stream = NULL;

    NEED_OK(yoke_stream_create(t->device, &stream));
    CHECK_OK(yoke_host_call(stream, fail_on_purpose, NULL, NULL));
    CHECK_STATUS(OWN_STATUS, yoke_stream_wait(stream));
    CHECK_OK(yoke_stream_cancel(stream)); /* keeps the first failure */
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(stream));
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_stream_cancel(NULL));

    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_host_call(t->stream, cancel_mine, t->stream, NULL));
    CHECK_OK(yoke_host_call(t->stream, called, &o, released));
    gate_open(&s.leave);
    gate_wait(&o.done, 1);
    CHECK_OK(yoke_stream_cancel(t->stream));
    CHECK_FAILS(YOKE_E_CANCELLED, CANCEL_TEXT, yoke_stream_wait(t->stream));
    suite_works(t);
out:
    yoke_stream_release(stream);
}

/* ---- Recovering ---- */

typedef enum way { FAIL_ONE_WAY, FAIL_OTHER_WAY, CANCEL, WAYS } way;

static const struct {
    yoke_status status;
    const char *text;
} failures[WAYS] = { { OWN_STATUS, OWN_TEXT }, { OTHER_STATUS, OTHER_TEXT }, { YOKE_E_CANCELLED, CANCEL_TEXT } };

/* Make the stream fail with a launch and an event behind the failure, and wait until all of that is complete. */
static bool fail_stream(suite *t, yoke_stream *stream, way w, const guarded *x, yoke_event **out_event)
{
    stand s = STAND_INIT;

    if (!CHECK_OK(yoke_host_call(stream, stand_at_gate, &s, NULL)))
        return false;
    if (w != CANCEL)
        CHECK_OK(yoke_host_call(stream, fail_on_purpose, w == FAIL_ONE_WAY ? NULL : &other_failure, NULL));
    launch_set(t, stream, x, 666);
    CHECK_OK(yoke_event_record(stream, 0, out_event));
    gate_wait(&s.inside, 1);
    if (w == CANCEL)
        CHECK_OK(yoke_stream_cancel(stream));
    gate_open(&s.leave);
    return CHECK_FAILS(failures[w].status, failures[w].text, yoke_event_wait(*out_event)) &&
           CHECK_FAILS(failures[w].status, failures[w].text, yoke_stream_wait(stream));
}

/* Direct and held work of every kind runs in it, with right results. */
static bool is_usable(suite *t, yoke_stream *stream, uint32_t value)
{
    once o = ONCE_INIT(YOKE_OK, "");
    uint32_t read = 0, other = 0;
    guarded x = { 0 };
    bool ok = make_value(t, &x, 1) && launch_set(t, stream, &x, value) && CHECK_OK(yoke_read(stream, &read, x.buffer, 0, 4)) &&
              CHECK_OK(yoke_host_call(stream, called, &o, released)) && launch_set(t, stream, &x, value + 1) &&
              CHECK_OK(yoke_read(stream, &other, x.buffer, 0, 4)) && CHECK_OK(yoke_stream_wait(stream)) &&
              CHECK(read == value && other == value + 1 && atomic_load(&o.released) == 1);
    guarded_release(&x);
    return ok;
}

static yoke_status recover_mine(yoke_status status, void *user)
{
    CHECK(status == YOKE_OK || status == OWN_STATUS);
    CHECK_FAILS(YOKE_E_DEADLOCK, "yoke_stream_recover", yoke_stream_recover(user));
    return YOKE_OK;
}

static void recover_makes_usable(suite *t)
{
    stand s = STAND_INIT;
    yoke_stream *other = NULL;
    yoke_event *events[WAYS] = { NULL };
    guarded x = { 0 };
    uint32_t value = 42;

    NEED(make_value(t, &x, value));
    CHECK_OK(yoke_stream_recover(t->stream)); /* nothing has failed */
    for (int w = 0; w < WAYS; w++) {
        NEED(is_usable(t, t->stream, 100));
        NEED(fail_stream(t, t->stream, (way)w, &x, &events[w]));
        yoke_error_clear();
        NEED_OK(yoke_stream_recover(t->stream));
        CHECK(yoke_error()->status == YOKE_OK);
        for (int old = 0; old <= w; old++)
            CHECK_FAILS(failures[old].status, failures[old].text, yoke_event_query(events[old]));
    }
    NEED(is_usable(t, t->stream, 200));
    NEED_OK(yoke_stream_create(t->device, &other));
    yoke_stream_wait_event(other, events[0]); /* it still fails who waits for it, at once or by the next wait */
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(other));
    CHECK_OK(yoke_host_call(t->stream, recover_mine, t->stream, NULL));
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    CHECK_OK(yoke_host_call(t->stream, recover_mine, t->stream, NULL));
    gate_open(&s.leave);
    CHECK_STATUS(OWN_STATUS, yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_recover(t->stream));
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_stream_recover(NULL));
    is_usable(t, t->stream, 300);
    guarded_check(t, &x, &value);
out:
    for (int w = 0; w < WAYS; w++)
        yoke_event_release(events[w]);
    yoke_stream_release(other);
    guarded_release(&x);
}

typedef struct recovery {
    yoke_stream *stream;
    stand *before; /* what has to have ended when the recovery is over */
    gate over;
} recovery;

static void *recover_in_thread(void *user)
{
    recovery *r = user;

    CHECK_OK(yoke_stream_recover(r->stream));
    CHECK(atomic_load(&r->before->ended));
    gate_open(&r->over);
    return NULL;
}

/* Two threads recover while a function still runs. They cannot be seen to wait, only not to have returned after a while. */
static void recover_waits_for_what_runs(suite *t)
{
    for (int round = 0; round < 10; round++) {
        stand s = STAND_INIT;
        once o = ONCE_INIT(YOKE_E_CANCELLED, CANCEL_TEXT);
        recovery r = { .stream = t->stream, .before = &s, .over = GATE_INIT };
        yoke_event *event = NULL;
        pthread_t threads[2];
        int started = 0;

        NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
        CHECK_OK(yoke_event_record(t->stream, 0, &event));
        CHECK_OK(yoke_host_call(t->stream, called, &o, released));
        gate_wait(&s.inside, 1);
        CHECK_OK(yoke_stream_cancel(t->stream));
        while (started < 2 && CHECK(pthread_create(&threads[started], NULL, recover_in_thread, &r) == 0))
            started++;
        CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(event, 5000000));
        CHECK(!gate_is_open(&r.over, 1));
        gate_open(&s.leave);
        while (started > 0)
            pthread_join(threads[--started], NULL);
        CHECK(atomic_load(&o.released) == 1);
        CHECK_FAILS(YOKE_E_CANCELLED, CANCEL_TEXT, yoke_event_wait(event));
        yoke_event_release(event);
        NEED(is_usable(t, t->stream, 400));
    }
out:
    return;
}

/* How many names there are in a folder of /proc/self; 0 where there is none. */
static int count_in(const char *folder)
{
    DIR *opened = opendir(folder);
    int count = 0;

    while (opened && readdir(opened))
        count++;
    if (opened)
        closedir(opened);
    return count;
}

static void recovering_leaks_nothing(suite *t)
{
    enum { WARM = 40, CYCLES = 200 };
    int threads = 0, files = 0;
    long long heap = 0;
    guarded x = { 0 };

    NEED(make_value(t, &x, 42));
    for (int i = 0; i < WARM + CYCLES; i++) {
        yoke_event *event = NULL;
        if (i == WARM) {
            threads = count_in("/proc/self/task");
            files = count_in("/proc/self/fd");
            heap = HEAP_IN_USE;
        }
        NEED(fail_stream(t, t->stream, (way)(i % WAYS), &x, &event));
        NEED_OK(yoke_stream_recover(t->stream));
        yoke_event_release(event);
    }
    CHECK(count_in("/proc/self/task") <= threads + 1); /* the worker may have retired, and another come */
    CHECK(count_in("/proc/self/fd") <= files);
    tap_diag("%d cycles took %lld bytes of heap", CYCLES, HEAP_IN_USE - heap);
    CHECK(HEAP_IN_USE - heap < (long long)(CYCLES * sizeof(yoke_error_info))); /* less than a record each */
    is_usable(t, t->stream, 500);
out:
    guarded_release(&x);
}

/* ---- What the records say ---- */

static void check_site(const char *where, unsigned line)
{
    char wanted[40];
    size_t length = strlen(where);
    size_t tail = (size_t)snprintf(wanted, sizeof wanted, "failure.c:%u", line);

    if (!CHECK(length >= tail && strcmp(where + length - tail, wanted) == 0))
        tap_diag("the record says \"%s\", expected \"%s\"", where, wanted);
}

static void records_name_the_place(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;
    yoke_event *event = NULL;
    yoke_kernel *picky = suite_kernel(t, "picky");
    stand s = STAND_INIT;
    guarded x = { 0 };
    char words[80];

    desc.name = "upload-7";
    NEED_OK(yoke_stream_create_with(t->device, &desc, &stream));
    NEED(make_value(t, &x, 42));
    const unsigned call = __LINE__ + 1;
    NEED_OK(yoke_host_call(stream, fail_on_purpose, NULL, NULL));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(stream));
    check_site(yoke_error()->where, call);
    NEED_OK(yoke_stream_recover(stream));

    yoke_status refused = yoke_launch(stream, picky, YOKE_DIM(1), YOKE_DIM(2), 0, YOKE_ARGS(x.buffer));
    const unsigned direct = __LINE__ - 1;
    if (refused == YOKE_OK || !*yoke_error()->driver_call) { /* a block that the source does not allow is refused by Yoke */
        CHECK_OK(yoke_stream_wait(stream));
        suite_skip("the driver refuses no launch that Yoke lets through");
        goto out;
    }
    CHECK_TEXT(yoke_error()->text, "picky");
    check_site(yoke_error()->where, direct);
    CHECK_OK(yoke_stream_wait(stream)); /* what fails has done nothing */

    NEED_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    const unsigned launch = __LINE__ + 1;
    CHECK_OK(yoke_launch(stream, picky, YOKE_DIM(1), YOKE_DIM(2), 0, YOKE_ARGS(x.buffer)));
    once o = ONCE_INIT(refused, "picky");
    CHECK_OK(yoke_host_call(stream, called, &o, released));
    CHECK_OK(yoke_event_record(stream, 0, &event));
    gate_open(&s.leave);
    snprintf(words, sizeof words, "picky|'upload-7'|failure.c:%u|launch", launch);
    for (int i = 0; i < 2; i++) {
        CHECK_FAILS(refused, words, i == 0 ? yoke_event_wait(event) : yoke_stream_wait(stream));
        check_site(yoke_error()->where, launch);
        CHECK(yoke_error()->driver_code != 0 && *yoke_error()->driver_call && *yoke_error()->driver_name);
    }
    gate_wait(&o.done, 1);
    CHECK_OK(yoke_stream_recover(stream));
    is_usable(t, stream, 600);
out:
    yoke_event_release(event);
    yoke_stream_release(stream);
    guarded_release(&x);
}

int main(void)
{
    static const suite_case cases[] = {
        { "cancel calls what is pending, and lets run what was given", cancel_calls_what_is_pending, false },
        { "cancel lets a running function end", cancel_lets_a_running_function_end, false },
        { "cancel of a failed stream, again, and from inside", cancel_again_and_from_inside, false },
        { "recover makes a stream usable, and events keep their failure", recover_makes_usable, false },
        { "two threads recover while a function runs", recover_waits_for_what_runs, false },
        { "failing and recovering leaks nothing", recovering_leaks_nothing, false },
        { "records name the place, the kernel and the stream", records_name_the_place, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "failure test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
