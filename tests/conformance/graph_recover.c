/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of several streams that are launched while other threads cancel and recover the stream of the launch.
 */
#include <sched.h>

#include "recorded.h"

enum { RECOVERERS = 3, LAUNCHES = 10000 };

typedef struct recovery {
    yoke_stream *stream;
    pthread_t threads[RECOVERERS];
    atomic_bool over;
    atomic_uint launched;
    bool first_ran;      /* of the launch whose functions are being called */
    unsigned calls, odd; /* of the second function; and after a first one that was told of a failure */
} recovery;

static yoke_status first_of_two(yoke_status status, void *user)
{
    ((recovery *)user)->first_ran = status == YOKE_OK;
    return YOKE_OK;
}

static yoke_status second_of_two(yoke_status status, void *user)
{
    recovery *r = user;

    r->calls++;
    r->odd += status == YOKE_OK && !r->first_ran;
    return YOKE_OK;
}

static void *cancel_and_recover(void *user)
{
    recovery *r = user;

    while (!atomic_load(&r->over) && CHECK_OK(yoke_stream_cancel(r->stream)) && CHECK_OK(yoke_stream_recover(r->stream)))
        for (unsigned before = atomic_load(&r->launched); atomic_load(&r->launched) == before && !atomic_load(&r->over);)
            sched_yield();
    return NULL;
}

/* Each launch is refused or is in the stream as a whole: its functions are called, and none runs after one that was skipped. */
static void whole_or_not_at_all(suite *t)
{
    recovery r = { .stream = t->stream }, beside = { .stream = NULL };
    yoke_graph *graph = NULL;
    yoke_stream *other = NULL;
    int started = 0;

    NEED(CHECK_OK(yoke_stream_create(t->device, NULL, &other)) && graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_graph_begin(graph, other));
    NEED_OK(yoke_host_call(t->stream, first_of_two, &r, NULL));
    NEED_OK(yoke_host_call(other, first_of_two, &beside, NULL));
    NEED_OK(yoke_host_call(t->stream, second_of_two, &r, NULL));
    NEED_OK(yoke_graph_end(graph));
    for (; started < RECOVERERS; started++)
        NEED(pthread_create(&r.threads[started], NULL, cancel_and_recover, &r) == 0);
    while (atomic_load(&r.launched) < LAUNCHES) {
        yoke_status status = yoke_graph_launch(t->stream, graph);
        if (status < 0 && !CHECK_STATUS(YOKE_E_CANCELLED, status))
            break;
        atomic_fetch_add(&r.launched, status == YOKE_OK);
    }
out:
    atomic_store(&r.over, true);
    while (started > 0)
        pthread_join(r.threads[--started], NULL);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK(r.calls == atomic_load(&r.launched));
    CHECK(r.odd == 0);
    yoke_graph_release(graph);
    yoke_stream_release(other);
}

static void *once(void *user)
{
    yoke_stream *stream = user;

    if (CHECK_OK(yoke_stream_cancel(stream)))
        CHECK_OK(yoke_stream_recover(stream));
    return NULL;
}

static yoke_status pass(yoke_status status, void *user)
{
    (void)status, (void)user;
    return YOKE_OK;
}

/* What was launched before a recovery, and failed, does not fail what is launched after it. */
static void nothing_is_left_of_the_failure(suite *t)
{
    enum { ROUNDS = 1000 };
    yoke_graph *graph = NULL;
    yoke_stream *other = NULL;

    NEED(CHECK_OK(yoke_stream_create(t->device, NULL, &other)) && graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_graph_begin(graph, other));
    NEED_OK(yoke_host_call(t->stream, pass, NULL, NULL));
    NEED_OK(yoke_host_call(other, pass, NULL, NULL));
    NEED_OK(yoke_host_call(t->stream, pass, NULL, NULL));
    NEED_OK(yoke_graph_end(graph));
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t threads[RECOVERERS];
        int started = 0, wanted = 1 + i % RECOVERERS;
        for (int k = 0; k < i % 4; k++)
            NEED_OK(yoke_graph_launch(t->stream, graph));
        for (; started < wanted && CHECK(pthread_create(&threads[started], NULL, once, t->stream) == 0); started++)
            ;
        for (int k = 0; k < 3; k++)
            (void)yoke_graph_launch(t->stream, graph);
        while (started > 0)
            pthread_join(threads[--started], NULL);
        NEED_OK(yoke_stream_recover(t->stream));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
    }
out:
    yoke_graph_release(graph);
    yoke_stream_release(other);
}

int main(void)
{
    static const suite_case cases[] = {
        { "each launch is in the stream as a whole, or not at all", whole_or_not_at_all, false },
        { "nothing is left of a failure from before the recovery", nothing_is_left_of_the_failure, false },
    };
    yoke_source source = RECORDED_SOURCE;

    return SUITE_MAIN(cases, &source);
}
