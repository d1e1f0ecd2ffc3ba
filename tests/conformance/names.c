/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that the program gives: of streams, graphs and programs, and of the places that enqueue. Whatever bytes they are, messages
 * and traces are UTF-8 with whole letters, and a trace is JSON. What a process is to trace it reads once, so that case has one of
 * its own.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>

#include "json.h"

enum { TRACE_SIZE = 1 << 20 };

#define EURO "\xe2\x82\xac"
/* 31 bytes end within a letter, which is the eleventh. */
#define LONG_NAME "x" EURO EURO EURO EURO EURO EURO EURO EURO EURO EURO EURO EURO
#define KEPT_NAME "x" EURO EURO EURO EURO EURO EURO EURO EURO EURO EURO
#define LATIN_1 "caf\xe9 \"\\\x01"

static const char *const kernels_cuda = SET_CUDA;
static const char *const kernels_opencl = SET_OPENCL;

static bool named_stream(suite *t, const char *name, yoke_stream **out_stream)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;

    desc.name = name;
    return CHECK_OK(yoke_stream_create(t->device, &desc, out_stream));
}

static yoke_status fail_here(yoke_status status, void *user)
{
    (void)status;
    (void)user;
    return YOKE_E_HOST_FUNCTION;
}

/* The failure of a function behind which another waits, in a stream of that name. */
static void failure_of(suite *t, const char *name, const char *shown)
{
    yoke_stream *stream = NULL;
    char words[128];

    snprintf(words, sizeof words, "stream %s of", shown);
    suite_expect_log();
    NEED(named_stream(t, name, &stream));
    NEED_OK(yoke_host_call(stream, fail_here, NULL, NULL));
    CHECK_STATUS(YOKE_E_HOST_FUNCTION, yoke_stream_wait(stream));
    CHECK(suite_logged(YOKE_LOG_ERROR, words) > 0);
out:
    yoke_stream_release(stream);
}

static void streams(suite *t)
{
    failure_of(t, LONG_NAME, "'" KEPT_NAME "'");
    failure_of(t, "caf\xe9", "'caf?'");
}

static void graphs(suite *t)
{
    static const struct {
        const char *name, *shown;
    } names[] = { { LONG_NAME, "graph '" KEPT_NAME "'" }, { "caf\xe9", "graph 'caf?'" } };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        yoke_graph *graph = NULL;

        NEED_OK(yoke_graph_create(t->device, names[i].name, &graph));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, names[i].shown, yoke_graph_launch(t->stream, graph));
        CHECK(json_is_utf8(yoke_error()->text));
    out:
        yoke_graph_release(graph);
    }
}

static void programs(suite *t)
{
    yoke_source source = { .size = sizeof source, .cuda = kernels_cuda, .opencl = kernels_opencl, .name = "caf\xe9" };
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    char longer[100];

    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK_FAILS(YOKE_E_NOT_FOUND, "caf?", yoke_kernel_get(program, "absent", &kernel));
    CHECK(json_is_utf8(yoke_error()->text));
    yoke_program_release(program);
    memset(longer, 'x', 62);
    strcpy(longer + 62, EURO EURO);
    source.name = longer;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK_FAILS(YOKE_E_NOT_FOUND, "xxxx", yoke_kernel_get(program, "caf\xe9", &kernel));
    CHECK(json_is_utf8(yoke_error()->text));
out:
    yoke_program_release(program);
}

/* ---- A trace ---- */

static yoke_status pass(yoke_status status, void *user)
{
    (void)user;
    return status;
}

/* A graph of two streams with a host function: Yoke replays it in streams of its own, which have the graph's name. */
static void graph_of_two(suite *t, yoke_kernel *set, const char *name, yoke_stream *stream)
{
    yoke_graph *graph = NULL;
    yoke_stream *lane = NULL;
    yoke_buffer *buffers[2] = { NULL, NULL };
    yoke_event *event = NULL;

    NEED(named_stream(t, LATIN_1, &lane));
    for (int i = 0; i < 2; i++)
        NEED_OK(yoke_buffer_create(t->device, 64, &buffers[i]));
    NEED_OK(yoke_graph_create(t->device, name, &graph));
    NEED_OK(yoke_graph_begin(graph, stream));
    NEED_OK(yoke_graph_begin(graph, lane));
    NEED_OK(yoke_launch_at(LATIN_1, stream, set, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(buffers[0], (uint32_t)1)));
    NEED_OK(yoke_host_call(lane, pass, NULL, NULL));
    NEED_OK(yoke_launch(lane, set, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(buffers[1], (uint32_t)2)));
    NEED_OK(yoke_event_record(lane, 0, &event));
    NEED_OK(yoke_stream_wait_event(stream, event));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(stream, graph));
    NEED_OK(yoke_stream_wait(stream));
out:
    yoke_event_release(event);
    for (int i = 0; i < 2; i++)
        yoke_buffer_release(buffers[i]);
    yoke_stream_release(lane);
    yoke_graph_release(graph);
}

static int traced(const char *selector)
{
    static const yoke_source source = { .size = sizeof source, .cuda = kernels_cuda, .opencl = kernels_opencl, .name = LATIN_1 };
    suite t = { .info = YOKE_DEVICE_INFO_INIT };
    yoke_kernel *set = NULL;
    yoke_stream *stream = NULL;

    NEED_OK(yoke_device_open(selector, &t.device));
    NEED_OK(yoke_program_build(t.device, &source, &t.program));
    NEED_OK(yoke_kernel_get(t.program, "set", &set));
    NEED(named_stream(&t, LONG_NAME, &stream));
    graph_of_two(&t, set, LONG_NAME, stream);
    graph_of_two(&t, set, "adv", stream);
    graph_of_two(&t, set, LATIN_1, stream);
out:
    yoke_stream_release(stream);
    yoke_program_release(t.program);
    yoke_device_release(t.device);
    return suite_failures() == 0 ? 0 : 1;
}

static void trace(suite *t)
{
    char variable[64] = "YOKE_TRACE=/tmp/yoke-names.XXXXXX", *path = strchr(variable, '=') + 1, *text = memory_new(TRACE_SIZE);
    const char *const environment[] = { variable, NULL };
    int made = mkstemp(path);

    NEED(made >= 0);
    suite_again("traced", t->info.selector, environment, NULL, 0);
    FILE *file = fdopen(made, "r");
    NEED(file);
    text[fread(text, 1, TRACE_SIZE - 1, file)] = '\0';
    fclose(file);
    CHECK(json_is_utf8(text));
    if (!CHECK(json_is_right(text)))
        tap_diag("it is: %.2000s", text);
    CHECK_TEXT(text, "stream '" KEPT_NAME "'\"");
    CHECK_TEXT(text, "stream 'adv'\"");
    CHECK(!strstr(text, "''")); /* no name is quoted twice */
out:
    remove(path);
    memory_free(text);
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "a stream's name", streams, false },
        { "a graph's name", graphs, false },
        { "a program's name", programs, false },
        { "all of them in a trace", trace, false },
    };
    if (argc == 3)
        return traced(argv[2]);
    return SUITE_MAIN(cases, NULL);
}
