/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting and listing devices leaves a later fork safe: the child opens a device and works with it, whatever its parent has
 * listed. Those cases fork before this process has opened a device, so each runs once and goes through the devices itself.
 *
 * Once a device is open, a child can do nothing with it: every function says so at once. refused.c calls every one.
 */
#include "refused.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap/sanitized.h"

enum { MOST = 32 };

/* In the child: a launch on this device gives the right answer. */
static void work_on(void *selector)
{
    suite t = { .info = YOKE_DEVICE_INFO_INIT };

    NEED_OK(yoke_device_open(selector, &t.device));
    NEED_OK(yoke_device_get_info(t.device, &t.info));
    NEED_OK(yoke_stream_create(t.device, NULL, &t.side));
    suite_works(&t);
out:
    yoke_program_release(t.saxpy);
    yoke_stream_release(t.side);
    yoke_device_release(t.device);
}

/* Fork, run the function in the child, and expect that no check of its failed. */
static void in_child(void (*run)(void *argument), void *argument)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(300); /* the parent's is not inherited */
        run(argument);
        fflush(stdout);
        _exit(suite_failures() == 0 ? 0 : 1);
    }
    if (!CHECK(child > 0))
        return;
    suite_reap(child);
}

static void list_then_fork(suite *t)
{
    yoke_device_info infos[MOST];
    size_t count = 0, again = 0;

    (void)t;
    for (int i = 0; i < MOST; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    CHECK_OK(yoke_device_count(&count));
    CHECK_OK(yoke_device_list(infos, MOST, &count));
    if (count == 0) {
        suite_skip("no device: %s", yoke_device_get_report());
        return;
    }
    for (size_t i = 0; i < count && i < MOST; i++)
        in_child(work_on, infos[i].selector);
    CHECK_OK(yoke_device_count(&again));
    CHECK(again == count);
}

static void fork_again(void *selector)
{
    size_t count = 0;

    CHECK_OK(yoke_device_count(&count));
    CHECK(count > 0);
    in_child(work_on, selector);
    work_on(selector);
}

static void grandchildren(suite *t)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    size_t count = 0;

    (void)t;
    CHECK_OK(yoke_device_list(&info, 1, &count));
    if (count == 0)
        suite_skip("no device: %s", yoke_device_get_report());
    else
        in_child(fork_again, info.selector);
}

static volatile sig_atomic_t reaped;

static void reap_all(int signal)
{
    int saved = errno;

    (void)signal;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        reaped++;
    errno = saved;
}

/* A program that reaps every child does no harm to the question, nor does one that has the system reap them. */
static void list_where_children_are_reaped(suite *t)
{
    struct sigaction reap, before;
    size_t expected = 0, count = 0;

    (void)t;
    CHECK_OK(yoke_device_count(&expected));
    memset(&reap, 0, sizeof reap);
    for (int i = 0; i < 2; i++) {
        reap.sa_handler = i ? SIG_IGN : reap_all;
        CHECK(sigaction(SIGCHLD, &reap, &before) == 0);
        CHECK_OK(yoke_device_count(&count));
        CHECK(count == expected);
        CHECK(sigaction(SIGCHLD, &before, &reap) == 0);
        CHECK(reap.sa_handler == (i ? SIG_IGN : reap_all)); /* the caller's handlers are the caller's */
    }
}

/* Nothing of the question is left behind: no child, no descriptor. */
static void list_leaves_nothing(suite *t)
{
    size_t count = 0;
    int first, last;

    (void)t;
    CHECK_OK(yoke_device_count(&count));
    first = dup(0); /* the lowest that is free, whatever the program was started with */
    close(first);
    for (int i = 0; i < 5; i++)
        CHECK_OK(yoke_device_count(&count));
    last = dup(0);
    close(last);
    CHECK(last == first);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void *count_in_thread(void *user)
{
    size_t count = 0;

    for (int i = 0; i < 3; i++) {
        CHECK_OK(yoke_device_count(&count));
        CHECK(count == *(size_t *)user);
    }
    return NULL;
}

static void list_in_several_threads(suite *t)
{
    pthread_t threads[4];
    size_t count = 0;

    (void)t;
    if (SANITIZED) {
        suite_skip("the sanitizer does not survive a fork beside other threads");
        return;
    }
    CHECK_OK(yoke_device_count(&count));
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, count_in_thread, &count) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void list_after_opening(suite *t)
{
    size_t count = 0;

    CHECK_OK(yoke_device_count(&count));
    CHECK(count > 0);
    suite_works(t);
}

/* ---- With a device open ---- */

static yoke_status hold_up(yoke_status status, void *user)
{
    objects *o = user;

    o->status = status;
    o->calls++;
    gate_open(&o->begun);
    gate_wait(&o->begin, 1);
    return status;
}

static const uint32_t pattern = 0x600DF00D;

static bool make_objects(suite *t, objects *o)
{
    *o = (objects){ .t = t, .begin = GATE_INIT, .begun = GATE_INIT };
    if (!suite_works(t)) /* builds the program */
        return false;
    NEED_OK(yoke_kernel_get(t->saxpy, "saxpy", &o->kernel));
    NEED_OK(yoke_stream_create(t->device, NULL, &o->stream));
    NEED_OK(yoke_buffer_create(t->device, 4096, &o->buffer));
    NEED_OK(yoke_buffer_create_pinned(t->device, 4096, &o->pinned));
    NEED_OK(yoke_graph_create(t->device, "graph", &o->graph));
    NEED_OK(yoke_graph_begin(o->graph, o->stream));
    NEED_OK(yoke_fill(o->stream, o->buffer, 0, 4096, &pattern, sizeof pattern));
    NEED_OK(yoke_graph_end(o->graph));
    NEED_OK(yoke_fill(o->stream, o->buffer, 0, 4096, &pattern, 1));
    NEED_OK(yoke_host_call(o->stream, hold_up, o, NULL));
    NEED_OK(yoke_fill(o->stream, o->buffer, 0, 4096, &pattern, sizeof pattern));
    NEED_OK(yoke_event_record(o->stream, 0, &o->event));
    gate_wait(&o->begun, 1);
    return true;
out:
    return false;
}

/* All that was in flight at the fork goes on here as if there had been none. */
static void finish_objects(objects *o)
{
    uint32_t got[1024], wanted[1024];

    gate_open(&o->begin);
    for (size_t i = 0; i < 1024; i++)
        wanted[i] = pattern;
    if (o->event) {
        CHECK_OK(yoke_event_wait(o->event));
        CHECK_OK(yoke_stream_wait(o->stream));
        CHECK_OK(yoke_read_sync(o->stream, got, o->buffer, 0, sizeof got));
        CHECK_BYTES(got, wanted, sizeof got);
        CHECK(o->status == YOKE_OK);
        CHECK(o->calls == 1);
        CHECK_OK(yoke_fill(o->stream, o->buffer, 0, 4096, &pattern, 1));
        CHECK_OK(yoke_graph_launch(o->stream, o->graph));
        CHECK_OK(yoke_read(o->stream, got, o->buffer, 0, sizeof got));
        CHECK_OK(yoke_stream_wait(o->stream));
        CHECK_BYTES(got, wanted, sizeof got);
    }
    yoke_graph_release(o->graph);
    yoke_event_release(o->event);
    yoke_stream_release(o->stream);
    yoke_buffer_release(o->buffer);
    yoke_buffer_release(o->pinned);
    suite_works(o->t);
}

/* Fork in the middle of work, and let the child do this with the objects. */
static void with_child(suite *t, void (*run)(void *objects))
{
    objects o;

    if (CHECK(make_objects(t, &o)))
        in_child(run, &o);
    finish_objects(&o);
}

static void refuse_in_child(suite *t)
{
    with_child(t, everything_is_refused);
}

static void fork_on(void *o)
{
    in_child(everything_is_refused, o);
}

static void refuse_in_grandchild(suite *t)
{
    with_child(t, fork_on);
}

static void begin_anew(void *user)
{
    objects *o = user;

    REFUSED(yoke_stream_wait(o->stream));
    suite_again("work", o->t->info.selector, NULL, NULL, 0);
    fflush(stdout);
    if (suite_failures() == 0)
        execl(program_invocation_name, program_invocation_name, "work", o->t->info.selector, (char *)NULL);
    CHECK(!"the last exec, too, is called and does not return");
}

static void exec_in_child(suite *t)
{
    with_child(t, begin_anew);
}

static void end_by_exit(void *user)
{
    objects *o = user;

    REFUSED(yoke_stream_wait(o->stream));
    exit(suite_failures() == 0 ? 0 : 1);
}

static void exit_in_child(suite *t)
{
    if (SANITIZED)
        suite_skip("the sanitizer looks for leaks at exit, and for what other threads held at the fork");
    else if (strstr(t->info.platform, "rusticl"))
        suite_skip("an exit handler of Mesa's own (22.3) waits for threads that the child does not have, and crashes");
    else
        with_child(t, end_by_exit);
}

/* A message is being told of in another thread at the fork, and never ends in the child. */
typedef struct telling {
    pid_t parent;
    gate entered, leave;
} telling;

static void tell_slowly(int level, const char *text, void *user)
{
    telling *told = user;

    (void)level;
    (void)text;
    if (getpid() != told->parent)
        return;
    gate_open(&told->entered);
    gate_wait(&told->leave, 1);
}

static void *fail_once(void *device)
{
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_device_set_wait(device, 99));
    return NULL;
}

static void refuse_one(void *unused)
{
    size_t count = 0;

    (void)unused;
    REFUSED(yoke_device_count(&count));
}

static void fork_while_logging(suite *t)
{
    telling told = { getpid(), GATE_INIT, GATE_INIT };
    pthread_t thread;

    yoke_log_set(YOKE_LOG_ERROR, tell_slowly, &told);
    if (CHECK(pthread_create(&thread, NULL, fail_once, t->device) == 0)) {
        gate_wait(&told.entered, 1);
        in_child(refuse_one, NULL);
        gate_open(&told.leave);
        pthread_join(thread, NULL);
    }
    suite_log_here();
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "listed, forked, and the child works on each device", list_then_fork, true },
        { "a child that lists and forks again", grandchildren, true },
        { "listing where the program reaps every child", list_where_children_are_reaped, true },
        { "listing leaves no child and no descriptor behind", list_leaves_nothing, true },
        { "listing in several threads", list_in_several_threads, true },
        { "listing with a device open", list_after_opening, false },
        { "a child of a process with a device is refused everything", refuse_in_child, false },
        { "and so is its child", refuse_in_grandchild, false },
        { "a child that calls exec can work", exec_in_child, false },
        { "a child may end by exit", exit_in_child, false },
        { "a child of a process that was logging", fork_while_logging, false },
    };
    if (argc == 3) {
        work_on(argv[2]);
        return suite_failures() == 0 ? 0 : 1;
    }
    return SUITE_MAIN(cases, NULL);
}
