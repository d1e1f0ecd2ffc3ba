/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File descriptors of events: readable exactly when the event is complete, and the caller's own from the first moment on, to be
 * closed when he likes. Descriptors are counted, so that none is left behind.
 */
#include "suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "stand.h"

enum { FOREVER = -1, NOW = 0 };

static bool is_readable(int fd, int milliseconds)
{
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    int ready = poll(&wait, 1, milliseconds);

    return CHECK(ready >= 0) && ready == 1 && (wait.revents & POLLIN);
}

static bool open_fd(yoke_event *event, int *out_fd)
{
    return CHECK_OK(yoke_event_get_fd(event, out_fd)) && CHECK(*out_fd >= 0);
}

static void close_fd(int fd)
{
    if (fd >= 0)
        CHECK(close(fd) == 0);
}

/* How many descriptors this process has open; -1 where that cannot be told. */
static int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = -1; /* the folder's own */

    if (!folder)
        return -1;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Yoke closes its own end on a thread of its own, so the number is waited for. A driver may close some of its own meanwhile. */
static bool descriptors_become(int wanted)
{
    double start = suite_now();
    int count = count_descriptors();

    while (count > wanted && suite_now() - start < 100) {
        (void)poll(NULL, 0, 1);
        count = count_descriptors();
    }
    if (count > wanted)
        tap_diag("%d descriptors are open, expected %d", count, wanted);
    return CHECK(count <= wanted);
}

/* ---- Readable when complete --------------------------------------------------------------------------------------------- */

static void readable_when_complete(suite *t)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    int fd = -1, late = -1, before = count_descriptors();
    uint64_t bytes = 0;

    NEED(record_held(t->stream, &s, &event));
    NEED(open_fd(event, &fd));
    gate_wait(&s.inside, 1);
    CHECK(!is_readable(fd, 20));
    for (int i = 0; i < 1000; i++)
        CHECK(!is_readable(fd, NOW));
    CHECK(read(fd, &bytes, sizeof bytes) < 0 && errno == EAGAIN);
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
    gate_open(&s.leave);
    CHECK(is_readable(fd, FOREVER));
    CHECK_OK(yoke_event_query(event));
    for (int i = 0; i < 10; i++)
        CHECK(is_readable(fd, NOW)); /* until it is read */
    CHECK(read(fd, &bytes, sizeof bytes) > 0);
    NEED(open_fd(event, &late)); /* complete already */
    CHECK(is_readable(late, FOREVER));
out:
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    close_fd(fd);
    close_fd(late);
    descriptors_become(before);
    yoke_event_release(event);
}

/* Kernels end when they like: whenever the descriptor is readable, they have. */
static void readable_behind_kernels(suite *t)
{
    guarded out = { 0 };
    yoke_event *event = NULL;
    uint32_t rounds = 0, wanted[2];
    int fd = -1, before = 0;

    NEED(guarded_create(t, sizeof wanted, &out));
    NEED(suite_spin(t, t->stream, out.buffer, 0, 1, NULL)); /* the first: drivers may open what they keep */
    NEED_OK(yoke_stream_wait(t->stream));
    before = count_descriptors();
    for (uint32_t value = 1; value <= 20; value++) {
        NEED(suite_spin(t, t->stream, out.buffer, value, value % 4 ? 1 : 10, &rounds));
        NEED_OK(yoke_event_record(t->stream, 0, &event));
        NEED(open_fd(event, &fd));
        while (!is_readable(fd, value % 2 ? NOW : FOREVER))
            continue;
        CHECK_OK(yoke_event_query(event));
        wanted[0] = value;
        wanted[1] = spin_result(value, rounds);
        guarded_check(t, &out, wanted);
        close_fd(fd);
        yoke_event_release(event);
        fd = -1;
        event = NULL;
    }
out:
    close_fd(fd);
    if (before)
        descriptors_become(before);
    yoke_event_release(event);
    guarded_release(&out);
}

static void readable_when_failed(suite *t)
{
    stand s = STAND_INIT;
    yoke_event *failed = NULL, *cancelled = NULL;
    yoke_stream *stream = NULL;
    int fds[3] = { -1, -1, -1 }, before = count_descriptors();

    NEED_OK(yoke_stream_create(t->device, &stream));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    NEED_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &failed));
    NEED(record_held(stream, &s, &cancelled));
    gate_wait(&s.inside, 2);
    NEED(open_fd(failed, &fds[0]) && open_fd(cancelled, &fds[1]));
    yoke_stream_release(stream); /* torn down: its event is cancelled once the function has returned */
    stream = NULL;
    CHECK(!is_readable(fds[0], NOW) && !is_readable(fds[1], NOW));
    gate_open(&s.leave);
    CHECK(is_readable(fds[0], FOREVER));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_query(failed));
    CHECK(is_readable(fds[1], FOREVER));
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_event_query(cancelled));
    NEED(open_fd(failed, &fds[2]));
    CHECK(is_readable(fds[2], FOREVER));
out:
    gate_open(&s.leave);
    (void)yoke_stream_wait(t->stream);
    if (cancelled)
        (void)yoke_event_wait(cancelled);
    for (int i = 0; i < 3; i++)
        close_fd(fds[i]);
    descriptors_become(before); /* or one that is closed later is the lowest that is free in another case */
    yoke_stream_release(stream);
    yoke_event_release(failed);
    yoke_event_release(cancelled);
}

static void each_is_another(suite *t)
{
    enum { FDS = 100 };
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    struct pollfd waits[FDS];
    int opened = 0, before = count_descriptors();

    NEED(record_held(t->stream, &s, &event));
    for (; opened < FDS; opened++) {
        waits[opened] = (struct pollfd){ .events = POLLIN };
        NEED(open_fd(event, &waits[opened].fd));
        for (int i = 0; i < opened; i++)
            CHECK(waits[i].fd != waits[opened].fd);
        CHECK(fcntl(waits[opened].fd, F_GETFD) & FD_CLOEXEC);
        CHECK(fcntl(waits[opened].fd, F_GETFL) & O_NONBLOCK);
    }
    CHECK(poll(waits, FDS, NOW) == 0);
    yoke_event_release(event); /* it stays what it is for its descriptors */
    event = NULL;
    gate_open(&s.leave);
    for (int i = 0; i < FDS; i++)
        CHECK(is_readable(waits[i].fd, FOREVER));
    uint64_t bytes = 0;
    CHECK(read(waits[0].fd, &bytes, sizeof bytes) > 0);
    CHECK(is_readable(waits[1].fd, NOW)); /* reading one takes nothing from another */
out:
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < opened; i++)
        close_fd(waits[i].fd);
    descriptors_become(before);
    yoke_event_release(event);
}

/* ---- The caller's own --------------------------------------------------------------------------------------------------- */

/* The number belongs to a pipe of the program's by the time the event completes: at either end of it, nothing arrives. */
static void closed_and_used_again(suite *t)
{
    enum { FDS = 8 };
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    int before = count_descriptors(), ends[2] = { -1, -1 }, fds[FDS], opened = 0;

    NEED(record_held(t->stream, &s, &event));
    for (; opened < FDS; opened++)
        NEED(open_fd(event, &fds[opened]));
    NEED(pipe(ends) == 0);
    for (int i = 0; i < FDS; i++) {
        CHECK(close(fds[i]) == 0);
        CHECK(dup2(ends[i % 4 != 0], fds[i]) == fds[i]);
    }
    CHECK(!is_readable(ends[0], NOW));
    gate_open(&s.leave);
    CHECK_OK(yoke_event_wait(event));
    descriptors_become(before + 2 + FDS); /* Yoke has done what it wanted to do */
    CHECK(!is_readable(ends[0], NOW));
    CHECK(write(ends[1], "x", 1) == 1); /* and is open as it was */
    CHECK(is_readable(ends[0], NOW));
out:
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < opened; i++)
        close_fd(fds[i]);
    close_fd(ends[0]);
    close_fd(ends[1]);
    descriptors_become(before);
    yoke_event_release(event);
}

/* Descriptors below this number may be opened, and no others. */
static bool allow_descriptors(rlim_t most)
{
    struct rlimit limit;

    if (!CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0))
        return false;
    limit.rlim_cur = most;
    return CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static int lowest_free(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    close_fd(fd);
    return fd;
}

/* One call takes two descriptors. With none left, and with one, it fails, and leaves as many as there were. */
static void none_to_be_had(suite *t)
{
    struct rlimit usual;
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    int before = count_descriptors(), lowest = lowest_free(), fd = 5;

    NEED(CHECK(getrlimit(RLIMIT_NOFILE, &usual) == 0) && CHECK(lowest >= 0));
    NEED(record_held(t->stream, &s, &event));
    gate_wait(&s.inside, 1);
    for (int left = 0; left < 2; left++) {
        for (int tries = 0; tries < 10; tries++) {
            fd = 5;
            NEED(allow_descriptors((rlim_t)(lowest + left)));
            CHECK_FAILS(YOKE_E_OUT_OF_HOST_MEMORY, "descriptor|ulimit -n", yoke_event_get_fd(event, &fd));
            CHECK(setrlimit(RLIMIT_NOFILE, &usual) == 0);
            CHECK(fd == -1);
        }
        CHECK(lowest_free() == lowest);
    }
    descriptors_become(before);
    NEED(open_fd(event, &fd));
    CHECK(!is_readable(fd, NOW));
    gate_open(&s.leave);
    CHECK(is_readable(fd, FOREVER));
    CHECK(close(fd) == 0);
    descriptors_become(before);
out:
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_event_release(event);
}

static void bad_arguments(suite *t)
{
    yoke_event *event = NULL, *released = NULL;
    int fd = 5, before = count_descriptors();

    NEED_OK(yoke_event_record(t->stream, 0, &event));
    NEED_OK(yoke_event_record(t->stream, 0, &released));
    yoke_event_release(released);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_get_fd|out_fd", yoke_event_get_fd(event, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_get_fd|event", yoke_event_get_fd(NULL, &fd));
    CHECK(fd == -1);
    fd = 5;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_get_fd|event", yoke_event_get_fd(released, &fd));
    CHECK(fd == -1);
    descriptors_become(before);
out:
    yoke_event_release(event);
}

int main(void)
{
    static const suite_case cases[] = {
        { "readable exactly when the event is complete", readable_when_complete, false },
        { "readable when kernels are done", readable_behind_kernels, false },
        { "readable when the event has failed", readable_when_failed, false },
        { "100 of one event, each its own", each_is_another, false },
        { "closed early, and the number used again", closed_and_used_again, false },
        { "no descriptor is to be had", none_to_be_had, false },
        { "bad arguments", bad_arguments, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "event descriptor test";
    source.cuda = SPIN_CUDA;
    source.opencl = SPIN_OPENCL;
    return SUITE_MAIN(cases, &source);
}
