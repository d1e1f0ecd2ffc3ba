/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels print is in the standard output when a wait has ended, whichever wait that is. The standard output is a file while
 * a kernel runs, so nothing is checked meanwhile. And asserts in kernels: one that fails loses the device to the process, so it is
 * another process that does that.
 */
#include "suite.h"

#include <yoke/graph.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const say_cuda = "extern \"C\" __global__ void say(unsigned *x, unsigned n)\n"
                                    "{ printf(\"%u %s\\n\", n, \"green bottles\"); *x = n; }\n";
static const char *const say_opencl = "__kernel void say(__global uint *x, uint n)\n"
                                      "{ printf(\"%u %s\\n\", n, \"green bottles\"); *x = n; }\n";

typedef struct print {
    suite *t;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *say;
    yoke_buffer *x;
    int saved, file;
    char text[256];
    gate done;
} print;

/* ---- The standard output ---- */

static bool divert_output(print *p)
{
    char name[] = "/tmp/yoke-print.XXXXXX";

    fflush(stdout);
    p->text[0] = '\0';
    p->saved = dup(STDOUT_FILENO);
    p->file = mkstemp(name);
    if (!CHECK(p->saved >= 0 && p->file >= 0))
        return false;
    unlink(name);
    return CHECK(dup2(p->file, STDOUT_FILENO) >= 0);
}

/* What has been printed by now. */
static void read_output(print *p)
{
    fflush(stdout); /* some drivers leave this to the program, as its own printf does */
    ssize_t length = pread(p->file, p->text, sizeof p->text - 1, 0);
    p->text[length > 0 ? length : 0] = '\0';
}

static void restore_output(print *p)
{
    fflush(stdout);
    dup2(p->saved, STDOUT_FILENO);
    close(p->saved);
    close(p->file);
}

/* ---- The ways to wait ---- */

static yoke_status wait_stream(print *p)
{
    return yoke_stream_wait(p->stream);
}

static yoke_status with_event(print *p, yoke_status (*wait)(print *p, yoke_event *event))
{
    yoke_event *event = NULL;
    yoke_status status = yoke_event_record(p->stream, 0, &event);

    if (status == YOKE_OK)
        status = wait(p, event);
    yoke_event_release(event);
    return status;
}

static yoke_status await(print *p, yoke_event *event)
{
    (void)p;
    return yoke_event_wait(event);
}

static yoke_status await_for(print *p, yoke_event *event)
{
    yoke_status status;

    (void)p;
    while ((status = yoke_event_wait_for(event, 1000)) == YOKE_PENDING)
        ;
    return status;
}

static yoke_status query(print *p, yoke_event *event)
{
    yoke_status status;

    (void)p;
    while ((status = yoke_event_query(event)) == YOKE_PENDING)
        ;
    return status;
}

static yoke_status await_any(print *p, yoke_event *event)
{
    size_t index;

    (void)p;
    return yoke_event_wait_any(&event, 1, YOKE_FOREVER, &index);
}

static yoke_status await_elsewhere(print *p, yoke_event *event)
{
    yoke_status status = yoke_stream_wait_event(p->t->side, event);

    return status < 0 ? status : yoke_stream_wait(p->t->side);
}

static void note_complete(yoke_status status, void *user)
{
    print *p = user;

    (void)status;
    read_output(p);
    gate_open(&p->done);
}

static yoke_status call_back(print *p, yoke_event *event)
{
    yoke_status status = yoke_event_on_complete(event, note_complete, p, NULL);

    if (status == YOKE_OK)
        gate_wait(&p->done, 1);
    return status;
}

static yoke_status wait_event(print *p)
{
    return with_event(p, await);
}

static yoke_status wait_event_for(print *p)
{
    return with_event(p, await_for);
}

static yoke_status query_event(print *p)
{
    return with_event(p, query);
}

static yoke_status wait_any_event(print *p)
{
    return with_event(p, await_any);
}

static yoke_status wait_other_stream(print *p)
{
    return with_event(p, await_elsewhere);
}

static yoke_status complete_event(print *p)
{
    return with_event(p, call_back);
}

static yoke_status read_now(print *p)
{
    unsigned x;

    return yoke_read_sync(p->stream, &x, p->x, 0, sizeof x);
}

static yoke_status read_in_host_function(yoke_status status, void *user)
{
    read_output(user);
    return status;
}

/* The wait reads the output again, but the host function's reading is what counts: it leaves the text in `user`. */
static yoke_status call_host(print *p)
{
    char seen[sizeof p->text];
    yoke_status status = yoke_host_call(p->stream, read_in_host_function, p, NULL);

    if (status == YOKE_OK)
        status = yoke_stream_wait(p->stream);
    memcpy(seen, p->text, sizeof seen);
    read_output(p);
    if (strcmp(seen, p->text) != 0)
        snprintf(p->text, sizeof p->text, "late");
    return status;
}

static const struct {
    const char *name;
    yoke_status (*wait)(print *p);
} ways[] = {
    { "yoke_stream_wait", wait_stream },
    { "yoke_event_wait", wait_event },
    { "yoke_event_wait_for", wait_event_for },
    { "yoke_event_query", query_event },
    { "yoke_event_wait_any", wait_any_event },
    { "a stream that waits for the event", wait_other_stream },
    { "a callback of the event", complete_event },
    { "yoke_read_sync", read_now },
    { "a host function", call_host },
};

/* ---- Cases ---- */

static bool begin(suite *t, print *p)
{
    static const gate closed = GATE_INIT;
    yoke_source source = YOKE_SOURCE_INIT;

    *p = (print){ .t = t, .stream = t->stream, .done = closed };
    source.name = "print test";
    source.cuda = say_cuda;
    source.opencl = say_opencl;
    if (yoke_program_build(t->device, &source, &p->program) == YOKE_E_BUILD) {
        suite_skip("kernels of this driver cannot print");
        return false;
    }
    return CHECK(p->program != NULL) && CHECK_OK(yoke_kernel_get(p->program, "say", &p->say)) &&
           CHECK_OK(yoke_buffer_create(t->device, sizeof(unsigned), &p->x));
}

static void end(print *p)
{
    yoke_buffer_release(p->x);
    yoke_program_release(p->program);
}

static yoke_status say(print *p, unsigned n)
{
    return yoke_launch(p->stream, p->say, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(p->x, n));
}

static void check_said(const print *p, const char *way, const char *wanted)
{
    if (!CHECK(strcmp(p->text, wanted) == 0))
        tap_diag("%s: '%s', not '%s'", way, p->text, wanted);
}

static void every_wait(suite *t)
{
    print p;

    NEED(begin(t, &p));
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%u green bottles\n", i);
        NEED(divert_output(&p));
        yoke_status launched = say(&p, i), waited = ways[i].wait(&p);
        read_output(&p);
        restore_output(&p);
        CHECK_OK(launched);
        CHECK_OK(waited);
        check_said(&p, ways[i].name, wanted);
        CHECK_OK(yoke_stream_wait(t->stream));
    }
out:
    end(&p);
}

/* A program's own printf keeps its place among the kernels' when it is flushed before each launch. */
static void in_order(suite *t)
{
    print p;

    NEED(begin(t, &p));
    NEED(divert_output(&p));
    printf("before\n");
    fflush(stdout);
    yoke_status first = say(&p, 1), second = say(&p, 2), waited = yoke_stream_wait(t->stream);
    printf("after\n");
    read_output(&p);
    restore_output(&p);
    CHECK(first == YOKE_OK && second == YOKE_OK && waited == YOKE_OK);
    check_said(&p, "two kernels", "before\n1 green bottles\n2 green bottles\nafter\n");
out:
    end(&p);
}

static void from_graphs(suite *t)
{
    yoke_graph *graph = NULL;
    print p;

    NEED(begin(t, &p));
    NEED_OK(yoke_graph_create(t->device, "bottles", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    CHECK_OK(say(&p, 9));
    NEED_OK(yoke_graph_end(graph));
    NEED(divert_output(&p));
    yoke_status launched = yoke_graph_launch(t->stream, graph), waited = yoke_stream_wait(t->stream);
    read_output(&p);
    restore_output(&p);
    CHECK(launched == YOKE_OK && waited == YOKE_OK);
    check_said(&p, "a graph", "9 green bottles\n");
out:
    yoke_graph_release(graph);
    end(&p);
}

/* On a device of its own: no other program there may print. */
static void from_saved_programs(suite *t)
{
    yoke_device *device = NULL;
    yoke_program *loaded = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *x = NULL;
    size_t size = 0;
    char *bytes = NULL;
    print p;

    NEED(begin(t, &p));
    if (!suite_can(t, YOKE_CAP_PROGRAM_BINARIES)) {
        suite_skip("programs cannot be saved");
        goto out;
    }
    NEED_OK(yoke_program_save(p.program, NULL, 0, &size));
    NEED(bytes = malloc(size));
    NEED_OK(yoke_program_save(p.program, bytes, size, &size));
    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED_OK(yoke_stream_create(device, NULL, &stream));
    NEED_OK(yoke_buffer_create(device, sizeof(unsigned), &x));
    NEED_OK(yoke_program_load(device, "saved", bytes, size, &loaded));
    NEED_OK(yoke_kernel_get(loaded, "say", &p.say));
    NEED(divert_output(&p));
    yoke_status launched = yoke_launch(stream, p.say, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x, 5u));
    yoke_program_release(loaded);
    yoke_status waited = yoke_stream_wait(stream);
    read_output(&p);
    restore_output(&p);
    loaded = NULL;
    CHECK(launched == YOKE_OK && waited == YOKE_OK);
    check_said(&p, "a saved program, released before the wait", "5 green bottles\n");
out:
    yoke_program_release(loaded);
    yoke_buffer_release(x);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(bytes);
    end(&p);
}

/* Nobody waits: the device does, before it closes. */
static void as_the_device_closes(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_device *device = NULL;
    yoke_program *program = NULL;
    yoke_stream *stream = NULL;
    yoke_kernel *kernel = NULL;
    yoke_buffer *x = NULL;
    yoke_status launched = YOKE_E_DRIVER;
    print p;

    source.cuda = say_cuda;
    source.opencl = say_opencl;
    NEED(begin(t, &p));
    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED_OK(yoke_stream_create(device, NULL, &stream));
    NEED_OK(yoke_buffer_create(device, sizeof(unsigned), &x));
    NEED_OK(yoke_program_build(device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "say", &kernel));
    NEED(divert_output(&p));
    launched = yoke_launch(stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x, 3u));
    yoke_program_release(program);
    yoke_buffer_release(x);
    yoke_stream_release(stream);
    yoke_device_release(device);
    bool closed = suite_log_open(1);
    read_output(&p);
    restore_output(&p);
    program = NULL, x = NULL, stream = NULL, device = NULL;
    CHECK(closed);
    CHECK_OK(launched);
    check_said(&p, "a device that is closed", "3 green bottles\n");
out:
    yoke_program_release(program);
    yoke_buffer_release(x);
    yoke_stream_release(stream);
    yoke_device_release(device);
    end(&p);
}

/* ---- Asserts ---- */

static const char *const check_cuda = "extern \"C\" __global__ void check(unsigned *x, unsigned n)\n"
                                      "{\n"
                                      "    assert(n < 10);\n"
                                      "    *x = n;\n"
                                      "}\n";

static bool build_check(yoke_device *device, const char *const *defines, yoke_program **out_program, yoke_kernel **out_kernel)
{
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "careful";
    source.cuda = check_cuda;
    source.defines = defines;
    return CHECK_OK(yoke_program_build(device, &source, out_program)) &&
           CHECK_OK(yoke_kernel_get(*out_program, "check", out_kernel));
}

#define FAILED_ASSERT "CUDA_ERROR_ASSERT|710|an assert in a kernel failed|stderr|restart the process|launch of 'check'"

/* In a process of its own, whose standard error the parent reads. */
static int failed_assert(const char *selector)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    yoke_buffer *x = NULL;
    char site[24];

    desc.name = "careful";
    NEED_OK(yoke_device_open(selector, &device));
    NEED_OK(yoke_stream_create(device, &desc, &stream));
    NEED_OK(yoke_buffer_create(device, sizeof(unsigned), &x));
    NEED(build_check(device, NULL, &program, &kernel));
    CHECK_OK(yoke_launch(stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x, 9u)));
    CHECK_OK(yoke_stream_wait(stream));
    snprintf(site, sizeof site, "print.c:%d", __LINE__ + 1);
    CHECK_OK(yoke_launch(stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x, 10u)));
    CHECK_FAILS(YOKE_E_DEVICE_LOST, FAILED_ASSERT "|'careful'", yoke_stream_wait(stream));
    CHECK_TEXT(yoke_error()->text, site);
    CHECK_STATUS(710, yoke_error()->driver_code);
    CHECK_FAILS(YOKE_E_DEVICE_LOST, FAILED_ASSERT, yoke_fill(stream, x, 0, 4, "none", 4));
out:
    yoke_buffer_release(x);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    return suite_failures() == 0 ? 0 : 1;
}

static void asserts(suite *t)
{
    char errors[4096];

    if (strcmp(t->info.backend, "cuda") != 0) {
        suite_skip("OpenCL C has no assert");
        return;
    }
    suite_again("assert", t->info.selector, NULL, errors, sizeof errors);
    CHECK(suite_has_words(errors, "careful|:3: |block: [0,0,0], thread: [0,0,0] Assertion `n < 10` failed."));
    suite_works(t); /* other processes are none the worse */
}

static void asserts_left_out(suite *t)
{
    static const char *const defines[] = { "NDEBUG", NULL };
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded x = { 0 };

    if (strcmp(t->info.backend, "cuda") != 0) {
        suite_skip("OpenCL C has no assert");
        return;
    }
    NEED(guarded_create(t, sizeof(unsigned), &x));
    NEED(build_check(t->device, defines, &program, &kernel));
    CHECK_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x.buffer, 11u)));
    CHECK_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, &(unsigned){ 11 });
out:
    yoke_program_release(program);
    guarded_release(&x);
}

/* Where the compiler names it, the message says what to do. */
static void without_assert(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;

    source.opencl = "__kernel void check(__global uint *x, uint n) { assert(n < 10); *x = n; }\n";
    if (strcmp(t->info.backend, "opencl") != 0) {
        suite_skip("CUDA has assert");
        return;
    }
    CHECK_FAILS(YOKE_E_BUILD, "assert|OpenCL C has no assert: define it", yoke_program_build(t->device, &source, &program));
}

int main(int count, char **arguments)
{
    static const suite_case cases[] = {
        { "what a kernel prints is there, whatever waits", every_wait, false },
        { "in order with what the program prints", in_order, false },
        { "graphs print", from_graphs, false },
        { "a saved program prints, and may be released before the wait", from_saved_programs, false },
        { "a device that is closed has printed all", as_the_device_closes, false },
        { "an assert that fails is named, and loses the device", asserts, false },
        { "asserts are left out with NDEBUG", asserts_left_out, false },
        { "OpenCL C has no assert, and Yoke says so", without_assert, false },
    };

    if (count == 3 && strcmp(arguments[1], "assert") == 0)
        return failed_assert(arguments[2]);
    return SUITE_MAIN(cases, NULL);
}
