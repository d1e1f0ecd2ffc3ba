/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that a device keeps: built at the first call with a key, the same for every later one, and gone with the device,
 * whoever still uses them when the caller's last reference on the device goes.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>
#include <yoke/library.h>

#define CUDA_TEXT "extern \"C\" __global__ void value(int *out) { out[0] = VALUE; }\n"
#define OPENCL_TEXT "__kernel void value(__global int *out) { out[0] = VALUE; }\n"

enum { LONGEST_KEY = 4096 };

static const char *const sevens[] = { "VALUE=7", NULL }, *const eights[] = { "VALUE=8", NULL };
static const yoke_source seven = {
    .size = sizeof seven, .name = "seven", .cuda = CUDA_TEXT, .opencl = OPENCL_TEXT, .defines = sevens
};
static const yoke_source eight = {
    .size = sizeof eight, .name = "eight", .cuda = CUDA_TEXT, .opencl = OPENCL_TEXT, .defines = eights
};
static const yoke_source broken = {
    .size = sizeof broken, .name = "broken", .cuda = "#error broken on purpose\n", .opencl = "#error broken on purpose\n"
};

/* The kernel of the program writes this number. */
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

/* The source of a later call is not looked at. */
static void by_key(suite *t)
{
    yoke_program *first = NULL, *second = NULL, *again = NULL;

    NEED_OK(yoke_device_get_program(t->device, "by key", &seven, &first));
    NEED_OK(yoke_device_get_program(t->device, "by key, another", &eight, &second));
    CHECK(first != second);
    CHECK_OK(yoke_device_get_program(t->device, "by key", NULL, &again));
    CHECK(again == first);
    CHECK_OK(yoke_device_get_program(t->device, "by key", &broken, &again));
    CHECK(again == first);
    CHECK_OK(yoke_device_get_program(t->device, "by key, another", &seven, &again));
    CHECK(again == second);
    gives(t, first, 7);
    gives(t, second, 8);
    CHECK(yoke_program_retain(first) == first);
    yoke_program_release(first);
    gives(t, first, 7);
out:
    return;
}

/* An answer: nothing is logged, and nothing is built. */
static void asked_for(suite *t)
{
    yoke_program *program = t->program;

    yoke_error_clear();
    CHECK_OK(yoke_device_get_program(t->device, "never built", NULL, &program));
    CHECK(program == NULL);
    CHECK(yoke_error()->status == YOKE_OK);
}

static void keys(suite *t)
{
    static char key[LONGEST_KEY + 2], other[LONGEST_KEY + 1];
    yoke_program *program = (yoke_program *)key, *longest = NULL;

    memset(key, 'k', sizeof key - 1);
    memset(other, 'k', sizeof other - 1);
    other[LONGEST_KEY - 1] = 'l';
    CHECK_REFUSED("yoke_device_get_program|key is NULL", yoke_device_get_program(t->device, NULL, &seven, &program));
    CHECK(program == NULL);
    CHECK_REFUSED("key is empty", yoke_device_get_program(t->device, "", &seven, &program));
    CHECK_REFUSED("key|4096", yoke_device_get_program(t->device, key, &seven, &program));
    CHECK_REFUSED("device is NULL", yoke_device_get_program(NULL, "key", &seven, &program));
    CHECK_REFUSED("out_program is NULL", yoke_device_get_program(t->device, "key", &seven, NULL));
    key[LONGEST_KEY] = '\0';
    NEED_OK(yoke_device_get_program(t->device, key, &seven, &longest));
    CHECK(yoke_device_get_program(t->device, other, NULL, &program) == YOKE_OK && program == NULL);
    CHECK(yoke_device_get_program(t->device, key + 1, NULL, &program) == YOKE_OK && program == NULL);
    CHECK_OK(yoke_device_get_program(t->device, key, NULL, &program));
    CHECK(program == longest);
    NEED_OK(yoke_device_get_program(t->device, "\001\n\xff", &eight, &program));
    gives(t, program, 8);
out:
    return;
}

static void failed_build(suite *t)
{
    yoke_program *program = t->program;

    CHECK_FAILS(YOKE_E_BUILD, "broken|on purpose", yoke_device_get_program(t->device, "failed", &broken, &program));
    CHECK(program == NULL);
    CHECK(strcmp(yoke_error()->function, "yoke_device_get_program") == 0);
    CHECK_TEXT(yoke_program_get_build_log(), "on purpose");
    CHECK(yoke_device_get_program(t->device, "failed", NULL, &program) == YOKE_OK && program == NULL);
    NEED_OK(yoke_device_get_program(t->device, "failed", &seven, &program));
    gives(t, program, 7);
out:
    return;
}

/* Nothing keeps the device but what was retained of it; and then nothing does. */
static void retained(suite *t)
{
    yoke_device *device = NULL, *open = NULL;
    yoke_program *program = NULL;
    yoke_stream *stream = NULL;
    yoke_kernel *kernel = NULL;
    yoke_buffer *buffer = NULL;
    int32_t got = 0;

    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED_OK(yoke_device_get_program(device, "retained", &seven, &program));
    yoke_program_retain(yoke_program_retain(program));
    open = device; /* as long as the program is retained */
    yoke_device_release(device);
    device = NULL;
    yoke_program_release(program);
    NEED_OK(yoke_kernel_get(program, "value", &kernel));
    NEED_OK(yoke_stream_create(open, NULL, &stream));
    NEED_OK(yoke_buffer_create(open, sizeof got, &buffer));
    yoke_program_release(program);
    program = NULL; /* and now as long as these two */
    NEED_OK(yoke_launch(stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(buffer)));
    CHECK_OK(yoke_read_sync(stream, &got, buffer, 0, sizeof got));
    CHECK(got == 7);
out:
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    yoke_device_release(device);
    CHECK(suite_log_open(1));
}

/* A device that was opened only to compile closes at once, with all of its programs. */
static void alone(suite *t)
{
    yoke_device *device = NULL;
    yoke_program *program = NULL;

    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED_OK(yoke_device_get_program(device, "one", &seven, &program));
    NEED_OK(yoke_device_get_program(device, "two", &eight, &program));
    yoke_device_release(device);
    device = NULL;
    CHECK(suite_log_open(1));
    CHECK_REFUSED("yoke_kernel_get|released", yoke_kernel_get(program, "value", &(yoke_kernel *){ NULL }));
    yoke_program_release(program); /* one too many does no harm */
out:
    yoke_device_release(device);
}

static yoke_status wait_at_gate(yoke_status status, void *user)
{
    gate_wait(user, 1);
    return status;
}

/* A deferred launch, and one in a graph, whose stream and graph alone keep the device. */
static void in_use(suite *t)
{
    gate leave = GATE_INIT;
    yoke_device *device = NULL;
    yoke_program *program = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_kernel *kernel = NULL;
    yoke_graph *graph = NULL;
    int32_t got[2] = { 0, 0 };

    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED_OK(yoke_stream_create(device, NULL, &stream));
    NEED_OK(yoke_buffer_create(device, sizeof got[0], &buffer));
    NEED_OK(yoke_device_get_program(device, "in use", &eight, &program));
    NEED_OK(yoke_kernel_get(program, "value", &kernel));
    NEED_OK(yoke_graph_create(device, "in use", &graph));
    NEED_OK(yoke_graph_begin(graph, stream));
    CHECK_OK(yoke_launch(stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(buffer)));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_host_call(stream, wait_at_gate, &leave, NULL));
    CHECK_OK(yoke_launch(stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(buffer)));
    CHECK_OK(yoke_read(stream, &got[0], buffer, 0, sizeof got[0]));
    CHECK_OK(yoke_fill(stream, buffer, 0, sizeof got[0], "x", 1));
    CHECK_OK(yoke_graph_launch(stream, graph));
    CHECK_OK(yoke_read(stream, &got[1], buffer, 0, sizeof got[1]));
    yoke_device_release(device);
    device = NULL;
    yoke_buffer_release(buffer);
    buffer = NULL;
    yoke_graph_release(graph);
    graph = NULL;
    gate_open(&leave);
    CHECK_OK(yoke_stream_wait(stream));
    CHECK(got[0] == 8 && got[1] == 8);
out:
    gate_open(&leave);
    yoke_graph_release(graph);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    yoke_device_release(device);
    CHECK(suite_log_open(1));
}

/* A graph alone, which nothing was ever launched of; and the variable of a program, as a buffer. */
static void held_by_others(suite *t)
{
    static const yoke_source variable = {
        .size = sizeof variable, .cuda = "__device__ int number = 5;\n" CUDA_TEXT, .opencl = OPENCL_TEXT, .defines = sevens
    };
    yoke_device *device = NULL;
    yoke_program *program = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *number = NULL, *buffer = NULL;
    yoke_kernel *kernel = NULL;
    yoke_graph *graph = NULL;

    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED_OK(yoke_stream_create(device, NULL, &stream));
    NEED_OK(yoke_buffer_create(device, sizeof(int32_t), &buffer));
    NEED_OK(yoke_device_get_program(device, "held", &variable, &program));
    NEED_OK(yoke_kernel_get(program, "value", &kernel));
    NEED_OK(yoke_graph_create(device, "held", &graph));
    NEED_OK(yoke_graph_begin(graph, stream));
    CHECK_OK(yoke_launch(stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(buffer)));
    NEED_OK(yoke_graph_end(graph));
    if (suite_can(t, YOKE_CAP_GLOBALS))
        CHECK_OK(yoke_program_get_global(program, "number", &number));
out:
    yoke_device_release(device);
    yoke_stream_release(stream);
    yoke_buffer_release(buffer);
    yoke_graph_release(graph);
    CHECK(yoke_buffer_get_size(number) == (number ? sizeof(int32_t) : 0));
    yoke_buffer_release(number);
    CHECK(suite_log_open(1));
}

/* ---- Many at once ---- */

enum { THREADS = 8, KEYS = 40 };

typedef struct crowd {
    yoke_device *device;
    pthread_barrier_t *start;
    yoke_program *programs[KEYS];
    unsigned first; /* the key that the thread begins with */
    bool ok;
} crowd;

static void *get_all(void *user)
{
    crowd *c = user;
    char key[32];

    pthread_barrier_wait(c->start);
    c->ok = true;
    for (unsigned i = 0; i < KEYS; i++) {
        unsigned number = (c->first + i) % KEYS;
        snprintf(key, sizeof key, "crowd %u", number);
        c->ok = yoke_device_get_program(c->device, key, number % 2 ? &seven : &eight, &c->programs[number]) == YOKE_OK && c->ok;
    }
    return NULL;
}

/* Half of the threads begin together with one key, the others elsewhere: each key has one program, another one than the others. */
static void many_at_once(suite *t)
{
    pthread_t threads[THREADS];
    crowd *crowds = calloc(THREADS, sizeof *crowds);
    pthread_barrier_t start;
    bool same = true, apart = true;

    NEED(crowds != NULL);
    NEED(pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (unsigned i = 0; i < THREADS; i++) {
        crowds[i] = (crowd){ .device = t->device, .start = &start, .first = i % 2 ? 3 * i : 0 };
        if (pthread_create(&threads[i], NULL, get_all, &crowds[i]))
            tap_bail("no threads");
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(crowds[i].ok);
        same = same && memcmp(crowds[i].programs, crowds[0].programs, sizeof crowds[i].programs) == 0;
    }
    pthread_barrier_destroy(&start);
    for (unsigned i = 0; i < KEYS; i++)
        for (unsigned j = 0; j < i; j++)
            apart = apart && crowds[0].programs[i] != crowds[0].programs[j];
    CHECK(same && apart);
    gives(t, crowds[0].programs[0], 8);
    gives(t, crowds[0].programs[KEYS - 1], 7);
out:
    free(crowds);
}

int main(void)
{
    static const suite_case cases[] = {
        { "built once, and found by its key", by_key, false },
        { "asked for, and not there", asked_for, false },
        { "keys", keys, false },
        { "a build that fails is not kept", failed_build, false },
        { "retained, it keeps its device", retained, false },
        { "a device that has nothing but programs", alone, false },
        { "used by deferred work and by graphs when the device is released", in_use, false },
        { "held by a graph and by a buffer of its variable", held_by_others, false },
        { "many threads, many keys", many_at_once, false },
    };
    return SUITE_MAIN(cases, &seven);
}
