/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting and listing devices leaves a later fork safe: the child opens a device and works with it, whatever its parent has
 * listed. Those cases fork before this process has opened a device, so each runs once and goes through the devices itself.
 *
 * Once a device is open, a child can do nothing with it: every function says so at once. tests/static/forked.sh sees to it that
 * every function is called here.
 */
#include "suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <yoke/native.h>

/* Sanitizers whose runtime does not survive a fork in a process that has other threads at that moment. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

enum { MOST = 32 };

/* In the child: a launch on this device gives the right answer. */
static void work_on(void *selector)
{
    suite t = { .info = YOKE_DEVICE_INFO_INIT };

    NEED_OK(yoke_device_open(selector, &t.device));
    NEED_OK(yoke_device_get_info(t.device, &t.info));
    NEED_OK(yoke_stream_create(t.device, &t.side));
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
        alarm(60); /* the parent's is not inherited */
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
        suite_skip("no device: %s", yoke_device_report());
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
        suite_skip("no device: %s", yoke_device_report());
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
    first = dup(0);
    for (int i = 0; i < 5; i++)
        CHECK_OK(yoke_device_count(&count));
    last = dup(0);
    CHECK(last == first + 1);
    close(first);
    close(last);
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

/* One object of each kind, of the parent's, and a stream that is held by a host function. */
typedef struct objects {
    suite *t;
    yoke_stream *stream;
    yoke_event *event;
    yoke_buffer *buffer, *pinned;
    yoke_kernel *kernel;
    gate begin, begun;
    yoke_status status; /* what the host function was told */
    unsigned calls;
} objects;

static yoke_status hold_up(yoke_status status, void *user)
{
    objects *o = user;

    o->status = status;
    o->calls++;
    gate_open(&o->begun);
    gate_wait(&o->begin, 1);
    return status;
}

static yoke_status never_called(yoke_status status, void *user)
{
    (void)user;
    CHECK(!"a function that was refused is called");
    return status;
}

static yoke_status never_called_native(yoke_status status, void *native_stream, void *user)
{
    (void)native_stream;
    return never_called(status, user);
}

static void never_settled(yoke_status status, void *user)
{
    never_called(status, user);
}

static const uint32_t pattern = 0x600DF00D;

static bool make_objects(suite *t, objects *o)
{
    *o = (objects){ .t = t, .begin = GATE_INIT, .begun = GATE_INIT };
    if (!suite_works(t)) /* builds the program */
        return false;
    NEED_OK(yoke_kernel_get(t->saxpy, "saxpy", &o->kernel));
    NEED_OK(yoke_stream_create(t->device, &o->stream));
    NEED_OK(yoke_buffer_create(t->device, 4096, &o->buffer));
    NEED_OK(yoke_buffer_create_pinned(t->device, 4096, &o->pinned));
    NEED_OK(yoke_fill(o->stream, o->buffer, 0, 4096, &pattern, 1));
    NEED_OK(yoke_stream_call(o->stream, hold_up, o, NULL));
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
    }
    yoke_event_release(o->event);
    yoke_stream_release(o->stream);
    yoke_buffer_release(o->buffer);
    yoke_buffer_release(o->pinned);
    suite_works(o->t);
}

/* A call that begins with the function's name is refused, and the record says which function and what to do instead. */
static void refused(yoke_status status, const char *call)
{
    const yoke_error_info *error = yoke_error();
    size_t length = strlen(error->function);

    if (!suite_check_status(YOKE_E_FORKED, status, "refused", call))
        return;
    suite_check(error->status == YOKE_E_FORKED, call, "the record has the status");
    suite_check(length > 0 && strncmp(call, error->function, length) == 0, call, "the record names the function");
    suite_check(suite_has_words(error->text, error->function), call, "the text names the function");
    suite_check(suite_has_words(error->text, "fork|open devices after fork|exec"), call, "the text says what to do");
    yoke_error_clear();
}

#define REFUSED(call) refused((call), #call)

static void devices_are_refused(objects *o)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_memory_info memory = YOKE_MEMORY_INFO_INIT;
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    yoke_device *device = o->t->device;
    size_t count = 99;

    REFUSED(yoke_device_count(&count));
    CHECK(count == 0);
    count = 99;
    REFUSED(yoke_device_list(&info, 1, &count));
    CHECK(count == 0);
    REFUSED(yoke_device_open(NULL, &device));
    CHECK(device == NULL);
    REFUSED(yoke_device_get_info(o->t->device, &info));
    REFUSED(yoke_device_set_wait(o->t->device, YOKE_WAIT_BLOCK));
    REFUSED(yoke_device_memory(o->t->device, &memory));
    REFUSED(yoke_device_limit_memory(o->t->device, 0, 0));
    REFUSED(yoke_device_trim(o->t->device, 0));
    REFUSED(yoke_device_native(o->t->device, &native));
}

static void streams_are_refused(objects *o)
{
    yoke_stream *stream = o->stream;

    REFUSED(yoke_stream_create(o->t->device, &stream));
    CHECK(stream == NULL);
    REFUSED(yoke_stream_create_with(o->t->device, NULL, &stream));
    REFUSED(yoke_stream_wait(o->stream));
    REFUSED(yoke_stream_cancel(o->stream));
    REFUSED(yoke_stream_recover(o->stream));
    REFUSED(yoke_stream_call(o->stream, never_called, NULL, NULL));
    REFUSED(yoke_stream_native(o->stream, never_called_native, NULL, NULL));
    REFUSED(yoke_stream_wait_event(o->stream, o->event));
}

static void events_are_refused(objects *o)
{
    yoke_event *event = o->event;
    int64_t nanoseconds = 1;
    size_t index = 99;
    int fd = 99;

    REFUSED(yoke_event_record(o->stream, 0, &event));
    CHECK(event == NULL);
    REFUSED(yoke_event_query(o->event));
    REFUSED(yoke_event_wait(o->event));
    REFUSED(yoke_event_wait_for(o->event, YOKE_FOREVER));
    REFUSED(yoke_event_wait_any(&o->event, 1, YOKE_FOREVER, &index));
    CHECK(index == 1); /* none of them */
    REFUSED(yoke_event_on_settled(o->event, never_settled, NULL, NULL));
    REFUSED(yoke_event_fd(o->event, &fd));
    CHECK(fd == -1);
    REFUSED(yoke_event_elapsed(o->event, o->event, &nanoseconds));
    CHECK(nanoseconds == 0);
}

static void buffers_are_refused(objects *o)
{
    yoke_buffer *buffer = o->buffer;
    uintptr_t native = 99;
    char bytes[16];

    REFUSED(yoke_buffer_create(o->t->device, 16, &buffer));
    CHECK(buffer == NULL);
    REFUSED(yoke_buffer_create_ordered(o->stream, 16, &buffer));
    REFUSED(yoke_buffer_create_kind(o->t->device, YOKE_MEMORY_DEVICE, 16, &buffer));
    REFUSED(yoke_buffer_create_pinned(o->t->device, 16, &buffer));
    REFUSED(yoke_buffer_create_over(o->t->device, bytes, 16, &buffer));
    REFUSED(yoke_buffer_create_view(o->buffer, 0, 16, &buffer));
    REFUSED(yoke_buffer_wrap(o->t->device, 1, 16, &buffer));
    REFUSED(yoke_buffer_native(o->buffer, &native));
    CHECK(native == 0);
}

static void copies_are_refused(objects *o)
{
    yoke_layout rows = { 0, 8, 0 };
    yoke_box box = { 4, 2, 1 };
    char bytes[16] = { 0 };

    REFUSED(yoke_write(o->stream, o->buffer, 0, bytes, 16));
    REFUSED(yoke_read(o->stream, bytes, o->buffer, 0, 16));
    REFUSED(yoke_copy(o->stream, o->buffer, 0, o->pinned, 0, 16));
    REFUSED(yoke_write_sync(o->stream, o->buffer, 0, bytes, 16));
    REFUSED(yoke_read_sync(o->stream, bytes, o->buffer, 0, 16));
    REFUSED(yoke_copy_sync(o->stream, o->buffer, 0, o->pinned, 0, 16));
    REFUSED(yoke_fill(o->stream, o->buffer, 0, 16, bytes, 1));
    REFUSED(yoke_write_box(o->stream, o->buffer, rows, bytes, rows, box));
    REFUSED(yoke_read_box(o->stream, bytes, rows, o->buffer, rows, box));
    REFUSED(yoke_copy_box(o->stream, o->buffer, rows, o->pinned, rows, box));
    REFUSED(yoke_write_box_sync(o->stream, o->buffer, rows, bytes, rows, box));
    REFUSED(yoke_read_box_sync(o->stream, bytes, rows, o->buffer, rows, box));
    REFUSED(yoke_copy_box_sync(o->stream, o->buffer, rows, o->pinned, rows, box));
    REFUSED(yoke_fill_box(o->stream, o->buffer, rows, box, bytes, 1));
}

static void programs_are_refused(objects *o)
{
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = o->t->saxpy;
    yoke_kernel *kernel = o->kernel;

    CHECK_OK(yoke_source_get("saxpy", &source)); /* static text */
    REFUSED(yoke_program_build(o->t->device, &source, &program));
    CHECK(program == NULL);
    REFUSED(yoke_kernel_get(o->t->saxpy, "saxpy", &kernel));
    CHECK(kernel == NULL);
    REFUSED(yoke_kernel_get_info(o->kernel, &info));
    REFUSED(yoke_launch(o->stream, o->kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(o->buffer, o->buffer, 1.0f, 1)));
    REFUSED(yoke_launch_n(o->stream, o->kernel, 1, YOKE_ARGS(o->buffer, o->buffer, 1.0f, 1)));
}

/* What returns no status: it does nothing, and what it says makes sense. */
static void others_are_harmless(objects *o)
{
    yoke_device_retain(o->t->device);
    yoke_device_release(o->t->device);
    yoke_stream_retain(o->stream);
    yoke_event_retain(o->event);
    yoke_buffer_retain(o->buffer);
    yoke_program_retain(o->t->saxpy);
    for (int i = 0; i < 3; i++) { /* more often than there are references */
        yoke_event_release(o->event);
        yoke_stream_release(o->stream);
        yoke_buffer_release(o->buffer);
        yoke_buffer_release(o->pinned);
        yoke_program_release(o->t->saxpy);
        yoke_device_release(o->t->device);
    }
    CHECK(yoke_stream_get_device(o->stream) == NULL);
    CHECK(yoke_buffer_get_size(o->buffer) == 0);
    CHECK(yoke_buffer_get_host(o->pinned) == NULL);
    CHECK(yoke_buffer_get_kind(o->buffer) == -1);
    CHECK(yoke_device_lacks(o->t->device, YOKE_CAP_TIMING) != NULL);
    CHECK(yoke_build_log() != NULL);
    CHECK(yoke_device_report() != NULL);
    CHECK(strcmp(yoke_status_name(YOKE_E_FORKED), "YOKE_E_FORKED") == 0);
    CHECK_TEXT(yoke_status_meaning(YOKE_E_FORKED), "fork");
    CHECK(yoke_status_group(YOKE_E_FORKED) == YOKE_GROUP_OPERATION);
    CHECK(yoke_version()[0] != '\0');
    yoke_log_set(YOKE_LOG_OFF, NULL, NULL);
    suite_log_here();
    CHECK(yoke_fail(YOKE_E_CANCELLED, "the child's %s", "own") == YOKE_E_CANCELLED);
    CHECK_TEXT(yoke_error()->text, "the child's own");
    yoke_error_clear();
    CHECK(yoke_error()->status == YOKE_OK);
}

static void everything_is_refused(void *o)
{
    for (int i = 0; i < 2; i++) { /* also after everything was released */
        devices_are_refused(o);
        streams_are_refused(o);
        events_are_refused(o);
        buffers_are_refused(o);
        copies_are_refused(o);
        programs_are_refused(o);
        others_are_harmless(o);
    }
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
    CHECK_STATUS(YOKE_E_INVALID, yoke_device_set_wait(device, 99));
    return NULL;
}

static void refuse_one(void *unused)
{
    size_t count = 0;

    (void)unused;
    alarm(10); /* for a lock that nobody will open */
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
