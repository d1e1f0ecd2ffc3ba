/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ends a process, or ends with it: a device that a kernel's fault has lost, threads that have run out, and a program that goes
 * without releasing anything. Each happens in a child, this program again: `lost CHILD SELECTOR`, whose exit status tells.
 */
#include "suite.h"
#include "stand.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../tap/sanitized.h"

static const char *const kernels_cuda =
    SPIN_CUDA "extern \"C\" __global__ void wild(unsigned *x, unsigned long long far) { x[far] = 1; }\n";
static const char *const kernels_opencl = SPIN_OPENCL "__kernel void wild(__global uint *x, ulong far) { x[far] = 1; }\n";

enum { CHILD_SECONDS = 300, STATUS_RETURN = 42, STATUS_EXIT = 43 };

static yoke_source test_source(void)
{
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "lost test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return source;
}

/* ---- What the children put into streams ---- */

/* A function, or a callback of an event, that is called once, and released once behind that. */
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

static void complete(yoke_status status, void *user)
{
    called(status, user);
}

static void released(void *user)
{
    once *o = user;

    CHECK(atomic_load(&o->ran) == 1);
    CHECK(atomic_fetch_add(&o->released, 1) == 0);
    gate_open(&o->done);
}

/* As the suite makes it ready, for a child. */
static bool open_device(suite *t, const char *selector)
{
    yoke_source source = test_source();

    *t = (suite){ .info = YOKE_DEVICE_INFO_INIT };
    return CHECK_OK(yoke_device_open(selector, &t->device)) && CHECK_OK(yoke_device_get_info(t->device, &t->info)) &&
           CHECK_OK(yoke_stream_create(t->device, &t->side)) && CHECK_OK(yoke_program_build(t->device, &source, &t->program));
}

static void close_device(suite *t)
{
    yoke_program_release(t->saxpy);
    yoke_program_release(t->program);
    yoke_stream_release(t->side);
    yoke_device_release(t->device);
}

/* ---- A device that is lost ---- */

enum { OTHERS = 3 };

typedef struct wreck {
    suite t;
    yoke_stream *careless, *others[OTHERS];
    yoke_buffer *x;
    yoke_event *before[OTHERS], *behind; /* of the others, behind their functions; of careless, behind the fault */
    stand stands[OTHERS];
    once functions[OTHERS];
    char words[120]; /* that the record of the loss has to hold */
} wreck;

static bool build_wreck(wreck *w, const char *selector)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;

    memset(w, 0, sizeof *w);
    desc.name = "careless";
    if (!open_device(&w->t, selector) || !CHECK_OK(yoke_stream_create_with(w->t.device, &desc, &w->careless)) ||
        !CHECK_OK(yoke_buffer_create(w->t.device, 64, &w->x)))
        return false;
    for (int i = 0; i < OTHERS; i++) {
        w->stands[i] = (stand)STAND_INIT;
        w->functions[i] = (once)ONCE_INIT(YOKE_E_DEVICE_LOST, "restart");
        if (!CHECK_OK(yoke_stream_create(w->t.device, &w->others[i])))
            return false;
        if (i == 0)
            continue; /* one stays empty */
        if (!CHECK_OK(yoke_host_call(w->others[i], stand_at_gate, &w->stands[i], NULL)))
            return false;
        gate_wait(&w->stands[i].inside, 1);
        CHECK_OK(yoke_host_call(w->others[i], called, &w->functions[i], released));
        CHECK_OK(yoke_event_record(w->others[i], 0, &w->before[i]));
    }
    return true;
}

static void free_wreck(wreck *w)
{
    for (int i = 0; i < OTHERS; i++) {
        yoke_event_release(w->before[i]);
        yoke_stream_release(w->others[i]);
    }
    yoke_event_release(w->behind);
    yoke_stream_release(w->careless);
    yoke_buffer_release(w->x);
    close_device(&w->t);
}

#define LOST(words, call) CHECK_FAILS(YOKE_E_DEVICE_LOST, (words), (call))

/* Far outside of any buffer. `line`: the caller's, for the record. */
static yoke_status launch_wild(wreck *w, const char *where, unsigned line)
{
    snprintf(w->words, sizeof w->words, "restart|wild|'careless'|lost.c:%u", line);
    return yoke_launch_at(where, w->careless, suite_kernel(&w->t, "wild"), YOKE_DIM(1), YOKE_DIM(1), 0,
                          YOKE_ARGS(w->x, (uint64_t)1 << 42));
}

static void check_site(const wreck *w)
{
    const char *site = strrchr(w->words, '|') + 1, *where = yoke_error()->where;

    CHECK(strlen(where) >= strlen(site) && strcmp(where + strlen(where) - strlen(site), site) == 0);
}

/* Everything else of the device is lost too, from now on, and says so. */
static void check_all_is_lost(wreck *w)
{
    yoke_source source = test_source();
    yoke_kernel *wild = suite_kernel(&w->t, "wild");
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_program *program = NULL;
    yoke_event *event = NULL;
    uint32_t value = 1;

    for (int i = 0; i < OTHERS; i++) {
        yoke_stream *other = w->others[i];
        LOST("restart", yoke_launch(other, wild, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(w->x, (uint64_t)0)));
        LOST("restart", yoke_write(other, w->x, 0, &value, 4));
        LOST("restart", yoke_fill(other, w->x, 0, 4, &value, 4));
        LOST("restart", yoke_event_record(other, 0, &event));
        LOST("restart", yoke_host_call(other, called, NULL, NULL));
        gate_open(&w->stands[i].leave);
        LOST("restart", yoke_stream_wait(other));
        if (i > 0) {
            LOST("restart", yoke_event_wait(w->before[i]));
            gate_wait(&w->functions[i].done, 1);
        }
        LOST("restart", yoke_stream_recover(other));
    }
    LOST("restart", yoke_stream_wait(w->t.side));
    LOST("restart", yoke_stream_recover(w->careless));
    LOST(w->words, yoke_stream_wait(w->careless));
    LOST("restart", yoke_buffer_create(w->t.device, 64, &buffer));
    LOST("restart", yoke_buffer_create_pinned(w->t.device, 64, &buffer));
    LOST("restart", yoke_stream_create(w->t.device, &stream));
    LOST("restart", yoke_program_build(w->t.device, &source, &program));
    CHECK(!buffer && !stream && !program && !event);
}

/* The fault is given to the driver by the stream's own thread, with an event, a function and watchers behind it. */
static void fault_in_a_held_stream(const char *selector)
{
    static wreck w;
    stand s = STAND_INIT;
    once function = ONCE_INIT(YOKE_E_DEVICE_LOST, "wild"), callback = ONCE_INIT(YOKE_E_DEVICE_LOST, "wild");
    int fd = -1;

    NEED(build_wreck(&w, selector));
    NEED_OK(yoke_host_call(w.careless, stand_at_gate, &s, NULL));
    NEED_OK(launch_wild(&w, YOKE_HERE, __LINE__));
    NEED_OK(yoke_event_record(w.careless, 0, &w.behind));
    NEED_OK(yoke_host_call(w.careless, called, &function, released));
    NEED_OK(yoke_event_on_complete(w.behind, complete, &callback, released));
    NEED_OK(yoke_event_get_fd(w.behind, &fd));
    gate_open(&s.leave);
    LOST(w.words, yoke_event_wait(w.behind));
    check_site(&w);
    LOST(w.words, yoke_stream_wait(w.careless));
    check_site(&w);
    gate_wait(&function.done, 1);
    gate_wait(&callback.done, 1);
    struct pollfd ready = { .fd = fd, .events = POLLIN };
    CHECK(poll(&ready, 1, -1) == 1);
    check_all_is_lost(&w);
    CHECK(atomic_load(&function.released) == 1 && atomic_load(&callback.released) == 1);
out:
    if (fd >= 0)
        close(fd);
    free_wreck(&w);
}

/* The fault is given to the driver by the call, and noticed by the next wait. */
static void fault_in_a_direct_stream(const char *selector)
{
    static wreck w;

    NEED(build_wreck(&w, selector));
    NEED_OK(launch_wild(&w, YOKE_HERE, __LINE__));
    LOST(w.words, yoke_stream_wait(w.careless));
    check_site(&w);
    check_all_is_lost(&w);
out:
    free_wreck(&w);
}

/* Streams of another device that wait for the loss, or copy from there, fail with it, and nothing else of their device does. */
static void fault_beside_another_device(const char *selector)
{
    enum { WAITS, COPIES, STREAMS };
    static wreck w;
    stand held[STREAMS] = { STAND_INIT, STAND_INIT }, s = STAND_INIT;
    yoke_device *device = NULL;
    yoke_stream *streams[STREAMS] = { NULL }, *fresh = NULL;
    yoke_buffer *y = NULL;

    if (yoke_device_open("opencl:cpu", &device) < 0) {
        printf("# there is no other device: no stream of one is tried\n");
        return;
    }
    NEED(build_wreck(&w, selector));
    NEED_OK(yoke_buffer_create(device, 64, &y));
    NEED_OK(yoke_host_call(w.careless, stand_at_gate, &s, NULL));
    NEED_OK(launch_wild(&w, YOKE_HERE, __LINE__));
    NEED_OK(yoke_event_record(w.careless, 0, &w.behind));
    for (int i = 0; i < STREAMS; i++) {
        NEED_OK(yoke_stream_create(device, &streams[i]));
        NEED_OK(yoke_host_call(streams[i], stand_at_gate, &held[i], NULL));
    }
    NEED_OK(yoke_stream_wait_event(streams[WAITS], w.behind));
    NEED_OK(yoke_copy(streams[COPIES], y, 0, w.x, 0, 64));
    gate_open(&s.leave);
    LOST(w.words, yoke_stream_wait(w.careless));
    for (int i = 0; i < STREAMS; i++) {
        gate_open(&held[i].leave);
        LOST("restart", yoke_stream_wait(streams[i]));
    }
    NEED_OK(yoke_stream_create(device, &fresh));
    for (int i = 0; i < STREAMS; i++) {
        CHECK_OK(yoke_fill(fresh, y, 0, 64, "x", 1));
        CHECK_OK(yoke_stream_wait(fresh));
        CHECK_OK(yoke_stream_recover(streams[i]));
        CHECK_OK(yoke_fill(streams[i], y, 0, 64, "x", 1));
        CHECK_OK(yoke_stream_wait(streams[i]));
    }
    check_all_is_lost(&w);
out:
    gate_open(&s.leave);
    for (int i = 0; i < OTHERS; i++)
        gate_open(&w.stands[i].leave);
    for (int i = 0; i < STREAMS; i++) {
        gate_open(&held[i].leave);
        yoke_stream_release(streams[i]);
    }
    yoke_stream_release(fresh);
    yoke_buffer_release(y);
    yoke_device_release(device);
    free_wreck(&w);
}

static const struct {
    const char *name;
    void (*run)(const char *selector);
} faults[] = { { "held", fault_in_a_held_stream },
               { "direct", fault_in_a_direct_stream },
               { "beside", fault_beside_another_device } };

/* ---- Threads that run out ---- */

enum { MANY = 64, ROOM = 100 << 20 };

/* An address space that has room for fewer stacks than there are streams. */
static bool limit_threads(struct rlimit *out_before)
{
    unsigned long long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    bool known = statm && fscanf(statm, "%llu", &pages) == 1;

    if (statm)
        fclose(statm);
    if (!known || getrlimit(RLIMIT_AS, out_before) < 0)
        return false;
    struct rlimit limit = { .rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + ROOM, .rlim_max = out_before->rlim_max };
    return setrlimit(RLIMIT_AS, &limit) == 0;
}

static void threads_run_out(const char *selector)
{
    static stand stands[MANY];
    yoke_stream *streams[MANY] = { NULL };
    struct rlimit before;
    yoke_status status = YOKE_OK;
    int started = 0;
    suite t;

    NEED(open_device(&t, selector) && suite_works(&t));
    for (int i = 0; i < MANY; i++) {
        stands[i] = (stand)STAND_INIT;
        NEED_OK(yoke_stream_create(t.device, &streams[i]));
    }
    NEED(limit_threads(&before));
    while (started < MANY && (status = yoke_host_call(streams[started], stand_at_gate, &stands[started], NULL)) == YOKE_OK)
        started++;
    yoke_error_info record = *yoke_error();
    NEED(setrlimit(RLIMIT_AS, &before) == 0);
    CHECK_STATUS(YOKE_E_OUT_OF_HOST_MEMORY, status);
    CHECK(record.status == status && strcmp(record.function, "yoke_host_call") == 0);
    CHECK(started > 0 && started < MANY);
    if (started < MANY) { /* what failed has done nothing, and the next one succeeds */
        CHECK_OK(yoke_stream_wait(streams[started]));
        CHECK_OK(yoke_host_call(streams[started], stand_at_gate, &stands[started], NULL));
        gate_open(&stands[started].leave);
        CHECK_OK(yoke_stream_wait(streams[started]));
        CHECK(stands[started].inside.opened == 1);
    }
    suite_works(&t);
out:
    for (int i = 0; i < MANY; i++) {
        gate_open(&stands[i].leave);
        if (streams[i])
            CHECK_OK(yoke_stream_wait(streams[i]));
        yoke_stream_release(streams[i]);
    }
    close_device(&t);
}

/* ---- Programs that end with everything in use ---- */

enum { BUSY = 4 };

static suite last;
static yoke_stream *busy[BUSY];
static yoke_event *ends[BUSY];
static yoke_buffer *outs[BUSY];
static stand closed = STAND_INIT;

static yoke_status sleep_for_ever(yoke_status status, void *user)
{
    stand *s = user;

    gate_open(&s->inside);
    while (status == YOKE_OK)
        nanosleep(&(struct timespec){ .tv_sec = 1000 }, NULL);
    return status;
}

static yoke_status ignore(yoke_status status, void *user)
{
    (void)user;
    return status;
}

static void ignore_complete(yoke_status status, void *user)
{
    (void)status;
    (void)user;
}

/* Functions that stand at a gate, and more that wait for their turn behind them. */
static bool leave_pending(int i)
{
    bool ok = CHECK_OK(yoke_host_call(busy[i], stand_at_gate, &closed, NULL));

    for (int k = 0; k < 10; k++)
        ok = CHECK_OK(yoke_host_call(busy[i], ignore, NULL, NULL)) &&
             CHECK_OK(yoke_fill(busy[i], outs[i], 0, 4, &(uint32_t){ 0 }, 4)) && ok;
    if (i > 0)
        ok = CHECK_OK(yoke_stream_wait_event(busy[i], ends[i - 1])) && ok;
    return ok;
}

static bool leave_sleeping(int i)
{
    return CHECK_OK(yoke_host_call(busy[i], sleep_for_ever, &closed, NULL)) && leave_pending(i);
}

static bool leave_kernels(int i)
{
    return suite_spin(&last, busy[i], outs[i], 1, 200, NULL) && suite_spin(&last, busy[i], outs[i], 1, 200, NULL);
}

static bool leave_watched(int i)
{
    return i % 2 ? leave_kernels(i) && CHECK_OK(yoke_host_call(busy[i], ignore, NULL, NULL)) : leave_pending(i);
}

static const struct {
    const char *name;
    bool (*leave)(int i);
    bool watchers;
} states[] = {
    { "pending", leave_pending, false },
    { "sleeping", leave_sleeping, false },
    { "kernels", leave_kernels, false },
    { "watched", leave_watched, true },
};

/* Nothing is released, on purpose: it stays reachable, so that no tool takes it for a leak. */
static bool leave_everything(size_t state, const char *selector)
{
    int fd;

    if (!open_device(&last, selector))
        return false;
    for (int i = 0; i < BUSY; i++) {
        if (!CHECK_OK(yoke_stream_create(last.device, &busy[i])) || !CHECK_OK(yoke_buffer_create(last.device, 64, &outs[i])) ||
            !states[state].leave(i) || !CHECK_OK(yoke_event_record(busy[i], 0, &ends[i])))
            return false;
        for (int k = 0; states[state].watchers && k < 3; k++)
            if (!CHECK_OK(yoke_event_on_complete(ends[i], ignore_complete, NULL, NULL)) ||
                !CHECK_OK(yoke_event_get_fd(ends[i], &fd)))
                return false;
    }
    if (states[state].leave == leave_sleeping)
        gate_wait(&closed.inside, BUSY);
    return true;
}

/* ---- The children, and who waits for them ---- */

/* Returns the child's exit status: 0 for the ones that check, or that of a variant of ending. */
static int child(const char *what, const char *selector)
{
    signal(SIGALRM, SIG_DFL);
    alarm(CHILD_SECONDS);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strcmp(what, faults[i].name) == 0)
            faults[i].run(selector);
    if (strcmp(what, "threads") == 0)
        threads_run_out(selector);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        bool leaves = strncmp(what, "exit-", 5) == 0;
        if (strcmp(what + (leaves ? 5 : 0), states[i].name) != 0)
            continue;
        if (!leave_everything(i, selector))
            return 1;
        if (leaves)
            exit(STATUS_EXIT);
        return STATUS_RETURN;
    }
    return suite_failures() == 0 ? 0 : 1;
}

extern char **environ;
static char *program_path;

static pid_t start_child(suite *t, const char *what)
{
    char name[32];
    snprintf(name, sizeof name, "%s", what);
    char *arguments[] = { program_path, name, t->info.selector, NULL };
    pid_t pid = -1;

    return CHECK(posix_spawnp(&pid, program_path, NULL, NULL, arguments, environ) == 0) ? pid : -1;
}

static bool end_child(pid_t pid, const char *what, int expected)
{
    int status = 0;

    if (pid < 0)
        return false;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == expected)
        return true;
    if (WIFSIGNALED(status))
        tap_diag("the child '%s' was ended by signal %d%s", what, WTERMSIG(status), WTERMSIG(status) == SIGALRM ? ": it hung" : "");
    else
        tap_diag("the child '%s' exited with %d, expected %d", what, WEXITSTATUS(status), expected);
    return CHECK(!"the child ended as it should");
}

static void device_lost(suite *t)
{
    if (strcmp(t->info.backend, "cuda") != 0 && !strstr(t->info.platform, "NVIDIA")) {
        suite_skip("a wild write of a kernel would be one of this process on %s", t->info.platform);
        return;
    }
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        end_child(start_child(t, faults[i].name), faults[i].name, 0);
    suite_works(t); /* other processes are none the worse */
}

static void out_of_threads(suite *t)
{
    if (SANITIZED)
        suite_skip("sanitizers need address space without a limit");
    else
        end_child(start_child(t, "threads"), "threads", 0);
}

/* Twenty times, two at once: one that returns from main and one that calls exit. */
static void end_without_releasing(suite *t, const char *state)
{
    enum { TIMES = 10 };
    char exits[32];

    snprintf(exits, sizeof exits, "exit-%s", state);
    for (int i = 0; i < TIMES && suite_failures() == 0; i++) {
        pid_t one = start_child(t, state), other = start_child(t, exits);
        end_child(one, state, STATUS_RETURN);
        end_child(other, exits, STATUS_EXIT);
    }
}

static void end_pending(suite *t)
{
    end_without_releasing(t, "pending");
}

static void end_sleeping(suite *t)
{
    end_without_releasing(t, "sleeping");
}

static void end_with_kernels(suite *t)
{
    end_without_releasing(t, "kernels");
}

static void end_watched(suite *t)
{
    end_without_releasing(t, "watched");
}

int main(int count, char **arguments)
{
    static const suite_case cases[] = {
        { "a kernel's fault loses the device", device_lost, false },
        { "threads run out", out_of_threads, false },
        { "the program ends with functions pending", end_pending, false },
        { "the program ends with functions asleep", end_sleeping, false },
        { "the program ends with kernels running", end_with_kernels, false },
        { "the program ends with events watched", end_watched, false },
    };
    yoke_source source = test_source();

    program_path = arguments[0];
    if (count == 3)
        return child(arguments[1], arguments[2]);
    return SUITE_MAIN(cases, &source);
}
