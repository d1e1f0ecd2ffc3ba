/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways to wait: each call, with each YOKE_WAIT_ of stream and device, and what a wait costs the processor.
 */
#include "suite.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "stand.h"

static bool wait_plain(yoke_event *event)
{
    return CHECK_OK(yoke_event_wait(event));
}

static bool wait_with_limit(yoke_event *event)
{
    return CHECK_OK(yoke_event_wait_for(event, YOKE_FOREVER));
}

static bool wait_for_one_of_one(yoke_event *event)
{
    size_t index;

    return CHECK_OK(yoke_event_wait_any(&event, 1, YOKE_FOREVER, &index));
}

static bool wait_in_poll(yoke_event *event)
{
    struct pollfd wait = { .events = POLLIN };

    if (!CHECK_OK(yoke_event_get_fd(event, &wait.fd)))
        return false;
    bool ok = CHECK(poll(&wait, 1, -1) == 1) && CHECK_OK(yoke_event_query(event));
    return CHECK(close(wait.fd) == 0) && ok;
}

static void open_gate(yoke_status status, void *user)
{
    CHECK_STATUS(YOKE_OK, status);
    gate_open(user);
}

static bool wait_for_callback(yoke_event *event)
{
    static gate complete;

    complete = (gate)GATE_INIT;
    if (!CHECK_OK(yoke_event_on_complete(event, open_gate, &complete, NULL)))
        return false;
    gate_wait(&complete, 1);
    return true;
}

static const struct {
    const char *name;
    bool (*wait)(yoke_event *event);
} ways[] = {
    { "yoke_event_wait", wait_plain },
    { "yoke_event_wait_for", wait_with_limit },
    { "yoke_event_wait_any", wait_for_one_of_one },
    { "yoke_event_get_fd and poll", wait_in_poll },
    { "yoke_event_on_complete", wait_for_callback },
};

enum { WAYS = sizeof ways / sizeof ways[0] };

/* Kernels and host functions, awaited in every way. */
static void await_work(suite *t, yoke_stream *stream)
{
    guarded out = { 0 };
    atomic_uint ran = 0;
    yoke_event *event = NULL;
    uint32_t rounds = 0, wanted[2];

    NEED(guarded_create(t, sizeof wanted, &out));
    for (uint32_t value = 1; value <= 2 * WAYS; value++) {
        bool function = value > WAYS;

        NEED(suite_spin(t, stream, out.buffer, value, 2, &rounds));
        if (function)
            NEED_OK(yoke_host_call(stream, count_up, &ran, NULL));
        NEED_OK(yoke_event_record(stream, 0, &event));
        NEED(ways[value % WAYS].wait(event));
        CHECK(atomic_load(&ran) == (function ? value - WAYS : 0));
        wanted[0] = value;
        wanted[1] = spin_result(value, rounds);
        guarded_check(t, &out, wanted);
        yoke_event_release(event);
        event = NULL;
    }
    NEED_OK(yoke_host_call(stream, count_up, &ran, NULL));
    CHECK_OK(yoke_stream_wait(stream));
    CHECK(atomic_load(&ran) == WAYS + 1);
out:
    yoke_event_release(event);
    guarded_release(&out);
}

static void policies_work(suite *t)
{
    static const int32_t policies[] = { YOKE_WAIT_AUTO, YOKE_WAIT_SPIN, YOKE_WAIT_BLOCK };

    for (int i = 0; i < 6; i++) {
        yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
        yoke_stream *stream = NULL;

        if (i < 3)
            desc.wait = policies[i];
        else
            CHECK_OK(yoke_device_set_wait(t->device, policies[i % 3]));
        if (CHECK_OK(yoke_stream_create_with(t->device, &desc, &stream)))
            await_work(t, stream);
        yoke_stream_release(stream);
    }
    CHECK_OK(yoke_device_set_wait(t->device, YOKE_WAIT_AUTO));
}

static void policies_that_cannot_be(suite *t)
{
    static const int32_t wrong[] = { -1, 3, INT32_MAX, INT32_MIN };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
        yoke_stream *stream = (yoke_stream *)&stream;

        desc.wait = wrong[i];
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "wait", yoke_stream_create_with(t->device, &desc, &stream));
        CHECK(stream == NULL);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "wait", yoke_device_set_wait(t->device, wrong[i]));
    }
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "device", yoke_device_set_wait(NULL, YOKE_WAIT_AUTO));
    await_work(t, t->stream);
}

/* ---- What a wait costs -------------------------------------------------------------------------------------------------- */

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* The processor time of this thread (RUSAGE_THREAD), or of all threads of this process (RUSAGE_SELF). */
static double cpu_seconds_of(int who)
{
    struct rusage used;

    CHECK(getrusage(who, &used) == 0);
    return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

/* The share of a core that the process takes while it waits in this way, so long, for an event that is held; another stream waits
 * for it as well. Negative: the case has failed. */
static double share_of_a_core(suite *t, int32_t policy, bool (*wait)(yoke_event *event), double seconds)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL, *follower = NULL;
    yoke_event *event = NULL;
    stand s = STAND_INIT;
    opener o;
    double share = -1;

    desc.wait = policy;
    NEED_OK(yoke_stream_create_with(t->device, &desc, &stream));
    NEED_OK(yoke_stream_create_with(t->device, &desc, &follower));
    NEED(record_held(stream, &s, &event));
    NEED_OK(yoke_stream_wait_event(follower, event));
    gate_wait(&s.inside, 1);
    double start = suite_now(), used = cpu_seconds_of(RUSAGE_SELF);
    NEED(opener_start(&o, &s.leave, seconds));
    if (wait(event))
        share = (cpu_seconds_of(RUSAGE_SELF) - used) / (suite_now() - start);
    pthread_join(o.thread, NULL);
    CHECK_OK(yoke_stream_wait(follower));
out:
    gate_open(&s.leave);
    yoke_stream_wait(stream);
    yoke_stream_release(stream);
    yoke_stream_release(follower);
    yoke_event_release(event);
    return share;
}

static void waiting_costs_nothing(suite *t)
{
    static const int32_t policies[] = { YOKE_WAIT_AUTO, YOKE_WAIT_BLOCK };
    static const char *const names[] = { "YOKE_WAIT_AUTO", "YOKE_WAIT_BLOCK" };
    const double most = 0.05;

    for (int i = 0; i < WAYS; i++)
        for (int p = 0; p < (ways[i].wait == wait_plain ? 2 : 1); p++) {
            double share = share_of_a_core(t, policies[p], ways[i].wait, 0.25);
            for (int again = 0; again < 2 && share >= most; again++) /* a driver may be busy with something of its own */
                share = share_of_a_core(t, policies[p], ways[i].wait, 1);
            tap_diag("%s, %s: %.2f %% of a core", ways[i].name, names[p], share * 100);
            CHECK(share >= 0 && share < most);
        }
    double spinning = 0;
    for (int tries = 0; tries < 20 && spinning >= 0 && spinning <= most; tries++) /* on a busy machine the thread may come late */
        spinning = share_of_a_core(t, YOKE_WAIT_SPIN, wait_plain, 0.2);
    tap_diag("yoke_event_wait, YOKE_WAIT_SPIN: %.0f %% of a core", spinning * 100);
    CHECK(spinning > most); /* or the measure is wrong */
}

/* The processor time of this thread in a wait that takes some 300 us; 0 when it took too long to tell. */
static double cpu_of_short_wait(yoke_stream *stream)
{
    yoke_event *event = NULL;
    stand s = STAND_INIT;
    opener o;
    double used = 0;

    NEED(record_held(stream, &s, &event));
    gate_wait(&s.inside, 1);
    NEED(opener_start(&o, &s.leave, 300e-6));
    double start = suite_now(), before = cpu_seconds_of(RUSAGE_THREAD);
    CHECK_OK(yoke_event_wait(event));
    used = suite_now() - start < 900e-6 ? cpu_seconds_of(RUSAGE_THREAD) - before : 0;
    pthread_join(o.thread, NULL);
out:
    gate_open(&s.leave);
    yoke_stream_wait(stream);
    yoke_event_release(event);
    return used;
}

/* On a GPU, where waits are short, the thread does not sleep: that would cost more than it saves. */
static void short_waits_poll(suite *t)
{
    const double much = 150e-6, patience = 30; /* seconds: on a machine with other work a short wait may be rare */
    int polled = 0, slept = 0;
    yoke_stream *stream = NULL;

    if (t->info.kind == YOKE_DEVICE_CPU) {
        suite_skip("the device's kernels run on the cores that would poll");
        return;
    }
    NEED_OK(yoke_stream_create(t->device, &stream));
    for (double start = suite_now(); polled == 0 && suite_now() - start < patience;)
        polled += cpu_of_short_wait(stream) > much;
    CHECK(polled > 0);
    CHECK_OK(yoke_device_set_wait(t->device, YOKE_WAIT_BLOCK));
    for (int i = 0; i < 10; i++)
        slept += cpu_of_short_wait(stream) < much;
    CHECK_OK(yoke_device_set_wait(t->device, YOKE_WAIT_AUTO));
    CHECK(slept > 0);
out:
    yoke_stream_release(stream);
}

int main(void)
{
    static const suite_case cases[] = {
        { "streams and devices wait as they are told", policies_work, false },
        { "ways to wait that there are not", policies_that_cannot_be, false },
        { "a thread that waits for a held event costs nothing", waiting_costs_nothing, false },
        { "short waits for a GPU poll", short_waits_poll, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "event ways test";
    source.cuda = SPIN_CUDA;
    source.opencl = SPIN_OPENCL;
    return SUITE_MAIN(cases, &source);
}
