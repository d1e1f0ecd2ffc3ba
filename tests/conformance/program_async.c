/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that are built without blocking, and the same program built by many at once: whatever is asked of a program that is
 * still compiling waits for it, whatever is released stays until it is done, and what is the same is compiled once.
 */
#include "suite.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CUDA_TEXT "extern \"C\" __global__ void value(int *out) { out[0] = VALUE; }\n"
#define OPENCL_TEXT "__kernel void value(__global int *out) { out[0] = VALUE; }\n"

/* A source whose kernel writes a number; the texts of each call are its own. */
typedef struct numbered {
    yoke_source source;
    char define[32];
    const char *defines[2];
} numbered;

static void number(numbered *n, int32_t value)
{
    n->source = (yoke_source)YOKE_SOURCE_INIT;
    n->source.name = "numbered";
    n->source.cuda = CUDA_TEXT;
    n->source.opencl = OPENCL_TEXT;
    snprintf(n->define, sizeof n->define, "VALUE=%d", (int)value);
    n->defines[0] = n->define;
    n->defines[1] = NULL;
    n->source.defines = n->defines;
}

static yoke_source broken_source(void)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = "broken";
    source.cuda = source.opencl = "#error broken on purpose\n";
    return source;
}

/* Numbers that no run before this one has used, so that no cache has them. */
static int32_t new_number(void)
{
    static atomic_int next;
    return (int32_t)((uint64_t)(suite_now() * 1e6) % 1000000000u) + atomic_fetch_add(&next, 1);
}

static void gives(suite *t, yoke_program *program, int32_t wanted)
{
    yoke_kernel *kernel = NULL;
    guarded out = { 0 };

    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_kernel_get(program, "value", &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &wanted);
out:
    guarded_release(&out);
}

/* The kernel is looked up at once, and the event completes. */
static void built(suite *t)
{
    numbered n;
    int32_t value = new_number();
    yoke_program *program = NULL;
    yoke_event *event = NULL;
    size_t size = 0;

    number(&n, value);
    NEED_OK(yoke_program_build_async(t->device, &n.source, &program, &event));
    gives(t, program, value);
    CHECK_OK(yoke_event_wait(event));
    CHECK_OK(yoke_event_query(event));
    CHECK(yoke_program_get_log(program) != NULL);
    if (suite_can(t, YOKE_CAP_PROGRAM_BINARIES))
        CHECK_OK(yoke_program_save(program, NULL, 0, &size));
    yoke_program_release(program);
    program = NULL;
    NEED_OK(yoke_program_build_async(t->device, &n.source, &program, NULL));
    gives(t, program, value);
out:
    yoke_event_release(event);
    yoke_program_release(program);
}

/* Everything that the source consists of is gone when the call returns. */
static void source_is_copied(suite *t)
{
    int32_t value = new_number();
    numbered *n = malloc(sizeof *n);
    char *cuda = malloc(200), *opencl = malloc(200), *name = malloc(40), *file = malloc(40), *header = malloc(80);
    yoke_header *headers = calloc(2, sizeof *headers);
    yoke_program *program = NULL;

    NEED(n && cuda && opencl && name && file && header && headers);
    number(n, value);
    strcpy(cuda, "#include \"number.h\"\n" CUDA_TEXT "#if VALUE != NUMBER\n#error not the same\n#endif\n");
    strcpy(opencl, "#include \"number.h\"\n" OPENCL_TEXT "#if VALUE != NUMBER\n#error not the same\n#endif\n");
    strcpy(name, "copied");
    strcpy(file, "number.h");
    snprintf(header, 80, "#define NUMBER %d\n", (int)value);
    headers[0] = (yoke_header){ file, header };
    n->source.cuda = cuda;
    n->source.opencl = opencl;
    n->source.name = name;
    n->source.headers = headers;
    NEED_OK(yoke_program_build_async(t->device, &n->source, &program, NULL));
    memset(cuda, '#', 200);
    memset(opencl, '#', 200);
    memset(name, '#', 40);
    memset(file, '#', 40);
    memset(header, '#', 80);
    memset(headers, 0x11, 2 * sizeof *headers);
    memset(n, 0x11, sizeof *n);
    gives(t, program, value);
out:
    yoke_program_release(program);
    free(headers);
    free(header);
    free(file);
    free(name);
    free(opencl);
    free(cuda);
    free(n);
}

/* Every way to ask gets the failure of the build. */
static void failed(suite *t)
{
    yoke_source source = broken_source();
    yoke_program *program = NULL;
    yoke_event *event = NULL;
    yoke_kernel *kernel = NULL;
    yoke_buffer *buffer = NULL;
    size_t size = 1;

    NEED_OK(yoke_program_build_async(t->device, &source, &program, &event));
    CHECK_FAILS(YOKE_E_BUILD, "broken on purpose", yoke_event_wait(event));
    CHECK_FAILS(YOKE_E_BUILD, "broken on purpose", yoke_event_query(event));
    CHECK_FAILS(YOKE_E_BUILD, "broken on purpose", yoke_kernel_get(program, "value", &kernel));
    CHECK(kernel == NULL && strcmp(yoke_error()->function, "yoke_kernel_get") == 0);
    CHECK_TEXT(yoke_program_get_log(program), "broken on purpose");
    if (suite_can(t, YOKE_CAP_PROGRAM_BINARIES))
        CHECK_FAILS(YOKE_E_BUILD, "broken on purpose", yoke_program_save(program, NULL, 0, &size));
    if (suite_can(t, YOKE_CAP_GLOBALS))
        CHECK_FAILS(YOKE_E_BUILD, "broken on purpose", yoke_program_get_global(program, "x", &buffer));
    yoke_program_release(program);
    program = NULL;
    NEED_OK(yoke_program_build_async(t->device, &source, &program, NULL));
    CHECK_TEXT(yoke_program_get_log(program), "broken on purpose"); /* waits */
    CHECK_FAILS(YOKE_E_BUILD, "broken on purpose", yoke_kernel_get(program, "value", &kernel));
    suite_works(t);
out:
    yoke_event_release(event);
    yoke_program_release(program);
}

/* A stream that waits for a build goes on with it, or fails with it. */
static void waited_for(suite *t)
{
    yoke_source source = broken_source();
    numbered n;
    yoke_program *program = NULL;
    yoke_event *event = NULL, *failing = NULL;
    guarded out = { 0 };
    int32_t value = new_number();

    number(&n, value);
    NEED(guarded_create(t, sizeof value, &out));
    NEED_OK(yoke_program_build_async(t->device, &n.source, &program, &event));
    NEED_OK(yoke_stream_wait_event(t->stream, event));
    NEED_OK(yoke_write(t->stream, out.buffer, 0, &value, sizeof value));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_event_query(event)); /* it is not the stream that came first */
    guarded_check(t, &out, &value);
    yoke_program_release(program);
    program = NULL;
    NEED_OK(yoke_program_build_async(t->device, &source, &program, &failing));
    yoke_status status = yoke_stream_wait_event(t->stream, failing);
    if (status == YOKE_OK)
        status = yoke_stream_wait(t->stream);
    CHECK(status == YOKE_E_BUILD);
    CHECK_TEXT(yoke_error()->text, "broken on purpose");
    CHECK_STATUS(YOKE_E_BUILD, yoke_event_query(failing));
out:
    yoke_event_release(failing);
    yoke_event_release(event);
    yoke_program_release(program);
    guarded_release(&out);
}

/* Both are released while it compiles; nobody is left to ask. */
static void released(suite *t)
{
    enum { BUILDS = 6 };
    static const char unasked[] = "no call had returned|broken on purpose";
    yoke_source source = broken_source();
    double start = suite_now();
    numbered n;

    suite_expect_log();
    for (int i = 0; i < BUILDS; i++) {
        yoke_program *program = NULL;
        yoke_event *event = NULL;
        number(&n, new_number());
        CHECK_OK(yoke_program_build_async(t->device, i == 3 ? &source : &n.source, &program, i % 2 ? &event : NULL));
        yoke_program_release(program);
        yoke_event_release(event);
    }
    suite_works(t);
    while (!suite_logged(YOKE_LOG_WARNING, unasked) && suite_now() - start < 100)
        (void)poll(NULL, 0, 1); /* or the next case would hear of it */
    CHECK(suite_logged(YOKE_LOG_WARNING, unasked) == 1);
}

static void note_complete(yoke_status status, void *user)
{
    CHECK(status == YOKE_OK || status == YOKE_E_BUILD);
    gate_open(user);
}

/* The other ways to learn of an event's end know this kind too, which no driver has ever seen. */
static void told_of(suite *t)
{
    yoke_source broken = broken_source();
    gate complete = GATE_INIT;
    numbered n;

    for (unsigned i = 0; i < 2; i++) {
        yoke_program *program = NULL;
        yoke_event *event = NULL;
        struct pollfd polled = { .fd = -1, .events = POLLIN };
        number(&n, new_number());
        NEED_OK(yoke_program_build_async(t->device, i ? &broken : &n.source, &program, &event));
        CHECK_OK(yoke_event_on_complete(event, note_complete, &complete, NULL));
        if (CHECK_OK(yoke_event_get_fd(event, &polled.fd))) {
            CHECK(poll(&polled, 1, -1) == 1);
            close(polled.fd);
        }
        gate_wait(&complete, i + 1);
        CHECK_STATUS(i ? YOKE_E_BUILD : YOKE_OK, yoke_event_query(event));
        yoke_event_release(event);
        yoke_program_release(program);
    }
out:
    return;
}

/* ---- Host functions ---- */

typedef struct inside {
    suite *t;
    numbered n;
    int32_t value;
    yoke_program *program;
} inside;

static yoke_status build_inside(yoke_status status, void *user)
{
    inside *in = user;
    yoke_event *event = NULL;
    yoke_kernel *kernel = NULL;

    CHECK_OK(status);
    CHECK_OK(yoke_program_build_async(in->t->device, &in->n.source, &in->program, &event));
    CHECK_OK(yoke_kernel_get(in->program, "value", &kernel));
    CHECK_OK(yoke_event_wait(event));
    yoke_event_release(event);
    return YOKE_OK;
}

static void in_host_functions(suite *t)
{
    inside in = { .t = t, .value = new_number() };

    number(&in.n, in.value);
    NEED_OK(yoke_host_call(t->stream, build_inside, &in, NULL));
    NEED_OK(yoke_stream_wait(t->stream));
    gives(t, in.program, in.value);
out:
    yoke_program_release(in.program);
}

/* ---- The same, many times ---- */

enum { THREADS = 8 };

typedef struct crowd {
    suite *t;
    yoke_source source;
    gate start;
    atomic_int built, failed;
    yoke_program *programs[THREADS];
    atomic_int next;
} crowd;

static atomic_int compiled;

/* Counts how often the crowd's program is compiled, which the library says when asked to. Others of cases before may still be. */
static void count_compiled(int level, const char *text, void *user)
{
    (void)user;
    if (strstr(text, "'crowd' is compiled"))
        atomic_fetch_add(&compiled, 1);
    if (level <= YOKE_LOG_WARNING || suite_has_words(text, "cannot|cache:"))
        tap_diag("... %s", text);
}

static void *build_in_crowd(void *user)
{
    crowd *c = user;
    int i = atomic_fetch_add(&c->next, 1);

    gate_wait(&c->start, 1);
    yoke_status status = yoke_program_build(c->t->device, &c->source, &c->programs[i]);
    atomic_fetch_add(status == YOKE_OK ? &c->built : &c->failed, 1);
    if (status < 0)
        CHECK_TEXT(yoke_get_build_log(), "broken on purpose"); /* to each its own */
    return NULL;
}

static void run_crowd(crowd *c)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, build_in_crowd, c) == 0);
    gate_open(&c->start);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void many_at_once(suite *t)
{
    numbered n;
    int32_t value = new_number();
    crowd c = { .t = t, .start = GATE_INIT };
    yoke_cache_info cache = YOKE_CACHE_INFO_INIT;

    number(&n, value);
    c.source = n.source;
    c.source.name = "crowd";
    atomic_store(&compiled, 0);
    yoke_log_set(YOKE_LOG_INFO, count_compiled, NULL);
    run_crowd(&c);
    suite_log_here();
    CHECK(atomic_load(&c.built) == THREADS);
    CHECK_OK(yoke_cache_get_info(&cache));
    if (suite_can(t, YOKE_CAP_PROGRAM_BINARIES) && cache.mode == YOKE_CACHE_ON && !CHECK(atomic_load(&compiled) == 1))
        tap_diag("... compiled %d times", atomic_load(&compiled));
    for (int i = 0; i < THREADS; i++) {
        for (int j = 0; j < i; j++)
            CHECK(c.programs[i] != c.programs[j]); /* each has a program of its own */
        gives(t, c.programs[i], value);
        yoke_program_release(c.programs[i]);
    }
}

static void many_fail_at_once(suite *t)
{
    crowd c = { .t = t, .source = broken_source(), .start = GATE_INIT };

    run_crowd(&c);
    CHECK(atomic_load(&c.failed) == THREADS);
    suite_works(t);
}

/* More builds at the same time than anybody waits for. */
static void many_async(suite *t)
{
    enum { BUILDS = 8 };
    yoke_program *programs[BUILDS] = { NULL };
    yoke_event *events[BUILDS] = { NULL };
    int32_t values[2] = { new_number(), new_number() };
    numbered n;

    for (int i = 0; i < BUILDS; i++) {
        number(&n, values[i % 2]);
        CHECK_OK(yoke_program_build_async(t->device, &n.source, &programs[i], &events[i]));
    }
    for (int i = 0; i < BUILDS; i++) {
        CHECK_OK(yoke_event_wait(events[i]));
        gives(t, programs[i], values[i % 2]);
        yoke_event_release(events[i]);
        yoke_program_release(programs[i]);
    }
}

int main(void)
{
    static const suite_case cases[] = {
        { "built without blocking", built, false },
        { "the source is copied", source_is_copied, false },
        { "a build that fails", failed, false },
        { "streams that wait for a build", waited_for, false },
        { "released while it compiles", released, false },
        { "told of by descriptors and callbacks", told_of, false },
        { "from inside a host function", in_host_functions, false },
        { "8 threads build the same", many_at_once, false },
        { "8 threads fail at the same", many_fail_at_once, false },
        { "8 builds without blocking", many_async, false },
    };
    return SUITE_MAIN(cases, NULL);
}
