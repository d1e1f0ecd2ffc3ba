/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watchdog: what it says of streams that stand still, and that it leaves the others alone. YOKE_WATCHDOG is read once, at the
 * first device, so each scenario is a process of its own. In it the watchdog's messages are the clock: what has to stand still does
 * so until it was told of, however long that takes on a busy machine.
 */
#include "suite.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <yoke/graph.h>

#include "told.h"

#define PERIOD 0.2 /* seconds: YOKE_WATCHDOG */

enum { TRIES = 20 }; /* of what needs that no thread waits for a processor as long as that */

/* ---- In the child: what stands still ---- */

/* A host function that returns when the stream of this name has been told of. */
static yoke_status stand(yoke_status status, void *name)
{
    wait_until_told_of(name);
    return status;
}

static yoke_status stand_for_good(yoke_status status, void *g)
{
    gate_wait(g, 1);
    return status;
}

static yoke_status pass(yoke_status status, void *user)
{
    (void)user;
    return status;
}

static bool named_stream(suite *t, const char *name, yoke_stream **out_stream)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;

    desc.name = name;
    return CHECK_OK(yoke_stream_create(t->device, &desc, out_stream));
}

/* Let one stream after the other stand: for two periods and more. */
static void let_time_pass(suite *t)
{
    static unsigned clocks; /* what was told of once would not stand */
    char name[32];

    for (size_t i = 0; i < 2; i++) {
        yoke_stream *stream = NULL;
        snprintf(name, sizeof name, "clock %u", ++clocks);
        if (named_stream(t, name, &stream) && CHECK_OK(yoke_host_call(stream, stand, name, NULL)))
            CHECK_OK(yoke_stream_wait(stream));
        yoke_stream_release(stream);
    }
}

static yoke_status stand_on(yoke_status status, void *t)
{
    let_time_pass(t);
    return status;
}

static void host_function(suite *t)
{
    yoke_stream *stream = NULL;

    NEED(named_stream(t, "upload", &stream));
    NEED_OK(yoke_host_call_at("upload.c:17", stream, stand_on, t, NULL));
    NEED_OK(yoke_stream_wait(stream));
    CHECK(told_of("upload") == 1);
    in_order(wait_until_told_of("upload"), "stream 'upload' of|has made no progress for|host function|upload.c:17");
    CHECK_TEXT(wait_until_told_of("upload"), t->info.selector);
    /* A stream that has got on may be told of again, and is where this function's thread gets no processor; but not while idle. */
    NEED_OK(yoke_host_call_at("upload.c:18", stream, pass, NULL, NULL));
    NEED_OK(yoke_stream_wait(stream));
    let_time_pass(t);
    unsigned before = told_of("upload");
    let_time_pass(t);
    CHECK(told_of("upload") == before);
out:
    yoke_stream_release(stream);
}

static void graph_function(suite *t)
{
    yoke_stream *stream = NULL;
    yoke_graph *graph = NULL;

    told.whole = "step.c:5";
    NEED(named_stream(t, "step", &stream));
    NEED(CHECK_OK(yoke_graph_create(t->device, "frame", &graph)) && CHECK_OK(yoke_graph_begin(graph, stream)));
    NEED_OK(yoke_host_call_at("step.c:5", stream, stand, "step", NULL));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(stream, graph));
    NEED_OK(yoke_stream_wait(stream));
    in_order(wait_until_told_of("step"), "stream 'step' of|has made no progress for|host function|step.c:5");
out:
    yoke_graph_release(graph);
    yoke_stream_release(stream);
}

static void stand_when_released(void *name)
{
    wait_until_told_of(name);
}

/* The worker is in the release function of a graph, and another operation waits for it. */
static void release_function(suite *t)
{
    yoke_stream *stream = NULL;
    yoke_graph *graph = NULL;
    gate released = GATE_INIT;

    told.whole = "release function of a graph";
    NEED(named_stream(t, "last", &stream));
    NEED_OK(yoke_host_call(stream, stand_for_good, &released, NULL)); /* or this thread would be the last to release the graph */
    NEED(CHECK_OK(yoke_graph_create(t->device, "frame", &graph)) && CHECK_OK(yoke_graph_begin(graph, stream)));
    NEED_OK(yoke_host_call(stream, pass, "last", stand_when_released));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(stream, graph));
    yoke_graph_release(graph);
    graph = NULL;
    NEED_OK(yoke_host_call(stream, pass, NULL, NULL));
    gate_open(&released);
    NEED_OK(yoke_stream_wait(stream));
    in_order(wait_until_told_of("last"), "stream 'last' of|has made no progress for|release function of a graph");
out:
    gate_open(&released);
    yoke_graph_release(graph);
    yoke_stream_release(stream);
}

/* Each stream waits for an event of the next, and the last for its host function. All of them stand until each was told of: were it
 * the first only, the others could be told of while they get on. */
enum { LONG = 10 };

static void link_name(int i, char name[32])
{
    snprintf(name, 32, "link %d", i + 1);
}

static yoke_status stand_for_links(yoke_status status, void *length)
{
    char name[32];

    for (int i = 0; i < *(int *)length; i++) {
        link_name(i, name);
        wait_until_told_of(name);
    }
    return status;
}

static void chain_of(suite *t, int length, const char *order)
{
    yoke_stream *streams[LONG] = { NULL };
    yoke_event *events[LONG] = { NULL };
    char name[32];

    told.whole = "cause.c:1";
    for (int i = length - 1; i >= 0; i--) {
        link_name(i, name);
        NEED(named_stream(t, name, &streams[i]));
        if (i == length - 1)
            NEED_OK(yoke_host_call_at("cause.c:1", streams[i], stand_for_links, &length, NULL));
        else
            NEED_OK(yoke_stream_wait_event_at("wait.c:2", streams[i], events[i + 1]));
        NEED_OK(yoke_event_record_at("record.c:3", streams[i], 0, &events[i]));
    }
    NEED_OK(yoke_stream_wait(streams[0]));
    in_order(wait_until_told_of("link 1"), order);
out:
    for (int i = 0; i < length; i++) {
        yoke_event_release(events[i]);
        yoke_stream_release(streams[i]);
    }
}

static void chain(suite *t)
{
    chain_of(t, 3,
             "'link 1' of|has made no progress|'link 1'|wait.c:2|record.c:3|'link 2'|wait.c:2|record.c:3|'link 3'|host "
             "function|cause.c:1");
}

static void long_chain(suite *t)
{
    chain_of(t, LONG, "'link 1' of|has made no progress|'link 1'|'link 10'|host function|cause.c:1");
}

typedef struct circling {
    gate *begin;
    yoke_event *other;
} circling;

/* Each waits for the other's event until both were told of; then the first to leave lets the other one go. */
static yoke_status wait_for_other(yoke_status status, void *user)
{
    circling *c = user;

    gate_wait(c->begin, 1);
    while ((told_of("hen") == 0 || told_of("egg") == 0) && yoke_event_wait_for(c->other, 2 * 1000000000ull) == YOKE_PENDING)
        continue;
    return status;
}

static void circle(suite *t)
{
    yoke_stream *a = NULL, *b = NULL;
    yoke_event *behind_a = NULL, *behind_b = NULL;
    gate begin = GATE_INIT;
    circling of_a = { .begin = &begin }, of_b = { .begin = &begin };

    told.whole = "cycle";
    NEED(named_stream(t, "hen", &a));
    NEED(named_stream(t, "egg", &b));
    NEED_OK(yoke_host_call_at("hen.c:1", a, wait_for_other, &of_a, NULL));
    NEED_OK(yoke_event_record_at("hen.c:2", a, 0, &behind_a));
    NEED_OK(yoke_host_call_at("egg.c:1", b, wait_for_other, &of_b, NULL));
    NEED_OK(yoke_event_record_at("egg.c:2", b, 0, &behind_b));
    of_a.other = behind_b;
    of_b.other = behind_a;
    gate_open(&begin);
    NEED_OK(yoke_stream_wait(a));
    NEED_OK(yoke_stream_wait(b));
    in_order(wait_until_told_of("hen"),
             "'hen'|'hen'|hen.c:1|egg.c:2|'egg'|egg.c:1|hen.c:2|'hen'|cycle, unless one of the waits gives up");
    in_order(wait_until_told_of("egg"),
             "'egg'|'egg'|egg.c:1|hen.c:2|'hen'|hen.c:1|egg.c:2|'egg'|cycle, unless one of the waits gives up");
out:
    yoke_event_release(behind_a);
    yoke_event_release(behind_b);
    yoke_stream_release(a);
    yoke_stream_release(b);
}

/* ---- In the child: what gets on ---- */

/* What the longest piece of a stream's work has taken: on a busy machine that may stand, too. */
typedef struct pace {
    double since, longest;
} pace;

static void keep_pace(pace *p, double since)
{
    p->since = suite_now();
    p->longest = p->since - since > p->longest ? p->since - since : p->longest;
}

static yoke_status nap(yoke_status status, void *user)
{
    nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    keep_pace(user, ((pace *)user)->since);
    return status;
}

/* Half a period, since Yoke may see the end of a piece as late again. */
static void not_told_of(const char *name, const pace *p)
{
    if (p->longest < PERIOD / 2)
        CHECK(told_of(name) == 0);
    else
        tap_diag("'%s' got on within %.2f s, on a busy machine: what was told of it says nothing", name, p->longest);
}

/* Never idle for a second and more: host functions far ahead, and kernels that are given when the ones before have run. */
static void short_operations(suite *t)
{
    enum { NAPS = 120, AHEAD = 4 };
    yoke_stream *held = NULL, *direct = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *events[AHEAD] = { NULL };
    unsigned rounds = 0;
    double given[AHEAD] = { 0 };
    pace napping = { 0 }, spinning = { 0 };

    NEED(named_stream(t, "held", &held));
    NEED(named_stream(t, "direct", &direct));
    NEED_OK(yoke_buffer_create(t->device, 64, &buffer));
    napping.since = suite_now();
    for (int i = 0; i < NAPS; i++)
        NEED_OK(yoke_host_call(held, nap, &napping, NULL));
    for (double start = suite_now(); suite_now() - start < 6 * PERIOD; rounds++) {
        yoke_event **oldest = &events[rounds % AHEAD];
        NEED(!*oldest || CHECK_OK(yoke_event_wait(*oldest)));
        if (*oldest)
            keep_pace(&spinning, given[rounds % AHEAD]);
        yoke_event_release(*oldest);
        *oldest = NULL;
        given[rounds % AHEAD] = suite_now();
        NEED(suite_spin(t, direct, buffer, rounds, 5, NULL));
        NEED_OK(yoke_event_record(direct, 0, oldest));
    }
    NEED_OK(yoke_stream_wait(direct));
    keep_pace(&spinning, given[rounds % AHEAD]); /* the oldest of the last ones */
    NEED_OK(yoke_stream_wait(held));
    keep_pace(&napping, napping.since);
    not_told_of("held", &napping);
    not_told_of("direct", &spinning);
out:
    for (int i = 0; i < AHEAD; i++)
        yoke_event_release(events[i]);
    yoke_buffer_release(buffer);
    yoke_stream_release(held);
    yoke_stream_release(direct);
}

/* ---- In the child: the driver ---- */

/* Loops within each other, because some drivers end each after so many rounds. */
#define SLOW_BODY                                                                                   \
    "{\n  unsigned x = value; for (unsigned i = 0; i < rounds; i++)\n"                              \
    "    for (unsigned j = 0; j < 10000u; j++) { x = x * 1664525u + 1013904223u; x ^= x >> 16; }\n" \
    "  out[0] = x; }\n"

static double seconds_of(yoke_stream *stream, yoke_kernel *slow, yoke_buffer *out, uint32_t rounds)
{
    double start = suite_now();

    CHECK_OK(yoke_launch_at("kernel.c:5", stream, slow, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out, (uint32_t)1, rounds)));
    CHECK_OK(yoke_stream_wait(stream));
    return suite_now() - start;
}

/* To the parent, on stderr. */
static const char too_short[] = "the driver ends the longest kernel too soon, or runs it in the call that asks for it";

/* In a stream of its own: the watchdog's thread may have had no processor while the one before ran. */
static bool told_of_kernel(suite *t, yoke_kernel *slow, yoke_buffer *out, uint32_t rounds, unsigned number, double *out_seconds)
{
    yoke_stream *stream = NULL;
    char name[32], words[160];
    unsigned found = 0;

    snprintf(name, sizeof name, "render %u", number);
    snprintf(words, sizeof words, "'%s' of|not completed its submitted work|driver|launch of 'slow'|kernel.c:5", name);
    NEED(named_stream(t, name, &stream));
    *out_seconds = seconds_of(stream, slow, out, rounds);
    found = told_of(name);
    CHECK(found <= 1);
    if (found > 0)
        in_order(wait_until_told_of(name), words);
out:
    yoke_stream_release(stream);
    return found > 0;
}

static void long_kernel(suite *t)
{
    enum { LEAST = 4, MOST = 60000, RUNS = 6 };
    yoke_kernel *slow = suite_kernel(t, "slow");
    yoke_buffer *out = NULL;
    uint32_t rounds = 1;
    double seconds = 0;
    bool heard = false, aside = strncmp(t->info.name, "basic", 5) != 0 && strncmp(t->info.name, "cpu-minimal", 11) != 0;

    NEED(slow);
    NEED_OK(yoke_buffer_create(t->device, 64, &out));
    seconds_of(t->side, slow, out, 1);
    while ((seconds = seconds_of(t->side, slow, out, rounds)) < PERIOD / 4 && rounds < MOST / LEAST)
        rounds *= LEAST;
    rounds = (uint32_t)(rounds * (8 * PERIOD / seconds)) + 1;
    for (unsigned i = 0; i < (aside ? RUNS : 1) && !heard; i++) {
        rounds = rounds < MOST ? rounds : MOST;
        heard = told_of_kernel(t, slow, out, rounds, i, &seconds);
        if (seconds < 4 * PERIOD) /* something else ran, too, when it was measured */
            rounds *= 2;
    }
    if (!aside || (!heard && seconds < 3 * PERIOD)) /* these run work inside of the call that asks for it, be it the watchdog's */
        fprintf(stderr, "%s\n", too_short);
    else
        CHECK(heard);
out:
    yoke_buffer_release(out);
}

/* ---- In the child: on and off ---- */

static const yoke_source source = {
    .size = sizeof(yoke_source),
    .name = "watchdog",
    .cuda = SPIN_CUDA "extern \"C\" __global__ void slow(unsigned *out, unsigned value, unsigned rounds)\n" SLOW_BODY,
    .opencl = SPIN_OPENCL "__kernel void slow(__global uint *out, uint value, uint rounds)\n" SLOW_BODY,
};

static bool open_device(suite *t, const char *selector)
{
    bool ready = false;

    NEED_OK(yoke_device_open(selector, &t->device));
    NEED_OK(yoke_device_get_info(t->device, &t->info));
    NEED_OK(yoke_stream_create(t->device, NULL, &t->side));
    NEED_OK(yoke_program_build(t->device, &source, &t->program));
    ready = true;
out:
    return ready;
}

static void close_device(suite *t)
{
    yoke_program_release(t->program);
    yoke_stream_release(t->side);
    yoke_device_release(t->device);
    *t = (suite){ .info = t->info };
}

/* The watchdog goes with the last device, and comes with the next. */
static void reopened(suite *t)
{
    static const char *const names[] = { "first", "second", "third" };

    for (size_t i = 0; i < 3; i++) {
        yoke_stream *stream = NULL;
        if (named_stream(t, names[i], &stream) && CHECK_OK(yoke_host_call(stream, stand, (void *)names[i], NULL)))
            CHECK_OK(yoke_stream_wait(stream));
        yoke_stream_release(stream);
        CHECK(told_of(names[i]) == 1);
        close_device(t);
        if (!open_device(t, t->info.selector))
            return;
    }
}

/* The process ends with streams that stand still, and are being told of. */
static void left_behind(suite *t)
{
    static gate never = GATE_INIT;
    yoke_stream *stream = NULL;
    if (named_stream(t, "left", &stream) && CHECK_OK(yoke_host_call(stream, stand_for_good, &never, NULL)))
        wait_until_told_of("left");
    exit(suite_failures() == 0 ? 0 : 1);
}

static yoke_status long_nap(yoke_status status, void *user)
{
    (void)user;
    nanosleep(&(struct timespec){ .tv_nsec = 900000000 }, NULL);
    return status;
}

static void not_asked_for(suite *t)
{
    yoke_stream *stream = NULL;

    if (named_stream(t, "free", &stream) && CHECK_OK(yoke_host_call(stream, long_nap, NULL, NULL)))
        CHECK_OK(yoke_stream_wait(stream));
    yoke_stream_release(stream);
    CHECK(told.count == 0);
}

static void mistyped(suite *t)
{
    CHECK_OK(yoke_stream_wait(t->side));
}

/* ---- In the parent ---- */

static const struct {
    const char *name;
    void (*run)(suite *t);
} scenarios[] = {
    { "host function", host_function },
    { "chain", chain },
    { "long chain", long_chain },
    { "graph function", graph_function },
    { "release function", release_function },
    { "circle", circle },
    { "short operations", short_operations },
    { "long kernel", long_kernel },
    { "reopened", reopened },
    { "left behind", left_behind },
    { "not asked for", not_asked_for },
    { "mistyped", mistyped },
};

static int run_scenario(const char *name, const char *selector)
{
    suite t = { .info = YOKE_DEVICE_INFO_INIT };
    bool known = false;

    if (strcmp(name, "mistyped") != 0)
        yoke_log_set(YOKE_LOG_WARNING, hear, NULL);
    bool ready = open_device(&t, selector);
    for (size_t i = 0; ready && i < sizeof scenarios / sizeof scenarios[0]; i++)
        if (strcmp(scenarios[i].name, name) == 0) {
            known = true;
            scenarios[i].run(&t);
        }
    CHECK(!ready || known);
    close_device(&t);
    return suite_failures() == 0 ? 0 : 1;
}

static const char *const watched[] = { "YOKE_WATCHDOG=0.2", NULL };

static void run_watched(suite *t, const char *scenario)
{
    char errors[TEXT_SIZE] = "";
    bool early = true;

    for (int i = 0; i < TRIES && early; i++)
        early = suite_again(scenario, t->info.selector, watched, errors, sizeof errors) && strstr(errors, too_early);
    if (!CHECK(!early) || errors[0])
        tap_diag("it said: %s", errors);
}

#define WATCHED(function, scenario) \
    static void function(suite *t)  \
    {                               \
        run_watched(t, scenario);   \
    }

WATCHED(host_function_case, "host function")
WATCHED(chain_case, "chain")
WATCHED(long_chain_case, "long chain")
WATCHED(graph_function_case, "graph function")
WATCHED(release_function_case, "release function")
WATCHED(circle_case, "circle")
WATCHED(short_operations_case, "short operations")
WATCHED(reopened_case, "reopened")
WATCHED(left_behind_case, "left behind")

static void long_kernel_case(suite *t)
{
    char errors[4096];

    suite_again("long kernel", t->info.selector, watched, errors, sizeof errors);
    if (strstr(errors, too_short))
        suite_skip("%s", too_short);
}

static void not_asked_for_case(suite *t)
{
    static const char *const unwatched[] = { "YOKE_WATCHDOG", NULL };
    static const char *const off[] = { "YOKE_WATCHDOG=0", NULL };

    suite_again("not asked for", t->info.selector, unwatched, NULL, 0);
    suite_again("not asked for", t->info.selector, off, NULL, 0);
}

/* Nobody but the environment has turned the log on. */
static void mistyped_case(suite *t)
{
    static const char *const wrong[][2] = { { "YOKE_WATCHDOG=soon" }, { "YOKE_WATCHDOG=5s" }, { "YOKE_WATCHDOG=-1" } };
    char errors[4096];

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        suite_again("mistyped", t->info.selector, wrong[i], errors, sizeof errors);
        CHECK(suite_has_words(errors, "YOKE_WATCHDOG is '|number of seconds"));
    }
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "a host function that does not return is told of once", host_function_case, false },
        { "a chain is told down to its cause", chain_case, false },
        { "and so is a long one", long_chain_case, false },
        { "so is a host function of a graph", graph_function_case, false },
        { "and a graph's release function", release_function_case, false },
        { "a circle whose waits have a limit is called one", circle_case, false },
        { "a stream that gets on is left alone", short_operations_case, false },
        { "a long kernel is told of with its name and place", long_kernel_case, false },
        { "the watchdog goes and comes with devices", reopened_case, false },
        { "a process may end while a stream stands", left_behind_case, false },
        { "nothing is told unless it was asked for", not_asked_for_case, false },
        { "a time that is none is told of", mistyped_case, false },
    };
    if (argc == 3)
        return run_scenario(argv[1], argv[2]);
    return SUITE_MAIN(cases, NULL);
}
