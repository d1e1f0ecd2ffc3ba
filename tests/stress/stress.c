/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs of streams, events, host functions, graphs and memory of every kind, each of which has to agree with the
 * model of tests/random: rounds of them, for some seconds on each device, together with another device where there is one.
 *
 *   stress [--seconds N] [--seed S] [--rounds N]      YOKE_STRESS_SECONDS=N is for `make check`
 *
 * YOKE_TEST_DEVICES names the devices; without YOKE_BACKEND they may be of different backends, as on a machine with a GPU
 *
 *   YOKE_TEST_DEVICES=cuda:0,opencl:0 YOKE_STRESS_SECONDS=600 YOKE_WATCHDOG=0.05 build/tests/stress/stress
 *
 * and in ./check the CUDA double together with PoCL. With YOKE_WATCHDOG some functions take long, and its warnings count for
 * nothing.
 *
 * Each round says its seed; --seed S --rounds 1 runs that program again. Its threads and streams may take other turns, so a rare
 * failure needs more than one try.
 */
#include "stress.h"
#include "../random/world.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

static double seconds = 3;
static uint32_t first_seed = 1;
static unsigned long most_rounds = 1000000;

/* A round that takes longer stands still. */
enum { ROUND_LIMIT = 120 };

/* ---- One round ---- */

/* A thread: it works on streams that others may use, too, and in a world of its own. */
typedef struct actor {
    pthread_t thread;
    source source;
    unsigned actions;
    world *world;
} actor;

static void *run_actor(void *argument)
{
    actor *a = argument;
    round *r = a->source.round;

    world_begin(a->world);
    if (!world_furnish(a->world))
        unexpected(r, "the world of thread %u cannot be furnished", a->source.thread);
    for (unsigned i = 0; i < a->actions; i++) {
        if (!chance(&a->source, 40))
            act_blocking(&a->source);
        else if (!a->world->disagrees)
            step_make(a->world, NULL, NULL, 0);
    }
    world_end(a->world);
    if (a->world->disagrees)
        atomic_fetch_add(&r->unexpected, 1);
    return NULL;
}

/* Only the first world that disagrees says why. */
static _Atomic(const world *) said_by;

void world_says(const world *w, const char *line)
{
    const world *nobody = NULL;

    if (w && (w->silent || (!atomic_compare_exchange_strong(&said_by, &nobody, w) && nobody != w)))
        return;
    tap_diag("%s", line);
}

void world_failed(const world *w, bool hopeless)
{
    if (hopeless)
        tap_bail("nothing can go on: %s", w ? w->title : "no world");
}

static void round_begin(round *r, source *s, uint32_t seed, site *sites, unsigned site_count)
{
    static const unsigned calls[] = { 0, 4, 12, 35 };

    memset(s, 0, sizeof *s);
    s->round = r;
    s->random = seed * 2654435761u;
    s->lane = MAX_THREADS;
    r->seed = seed;
    r->sites = sites;
    r->site_count = chance(s, 50) ? site_count : 1;
    r->threads = 1 + draw(s, MAX_THREADS);
    r->slots = r->threads + draw(s, MAX_SLOTS - r->threads + 1);
    r->slots = r->slots < 2 ? 2 : r->slots;
    r->shared = chance(s, 25);
    r->calm = chance(s, 33);
    r->calls = calls[draw(s, 4)];
    atomic_store(&r->op_count, 1); /* 0 is nobody's number */
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    for (unsigned i = 0; i < site_count; i++)
        if (!CHECK_OK(yoke_buffer_create_pinned(sites[i].device, (size_t)MAX_OPS * 16, &r->pinned[i])))
            tap_bail("seed %u: no pinned memory", seed);
    for (unsigned i = 0; i < r->slots; i++)
        atomic_store(&r->slot[i], queue_open(r, s, &sites[draw(s, r->site_count)]));
}

static world *new_world(round *r, source *s)
{
    static const unsigned scales[] = { 1, 1, 1, 1, USUAL_SCALE, USUAL_SCALE, USUAL_SCALE, USUAL_SCALE, USUAL_SCALE, LARGE_SCALE };
    world *w = memory_new(sizeof *w);

    *w = (world){ .sites = r->sites,
                  .site_count = r->site_count,
                  .scale = scales[draw(s, 10)],
                  .only_right = true,
                  .calm = r->calm,
                  .silent = r->careless,
                  .careless = r->careless,
                  .traced = !r->careless && getenv("YOKE_STRESS_TRACE"),
                  .title = r->title,
                  .random = draw(s, UINT32_MAX) };
    return w;
}

static void round_run(round *r, source *s)
{
    actor actors[MAX_THREADS];
    unsigned actions = 20 + draw(s, 281);

    for (unsigned i = 0; i < r->threads; i++) {
        actors[i].source = (source){ .round = r, .random = draw(s, UINT32_MAX), .lane = i, .thread = i };
        actors[i].actions = actions / r->threads;
        actors[i].world = new_world(r, s);
        if (pthread_create(&actors[i].thread, NULL, run_actor, &actors[i]))
            tap_bail("no thread");
    }
    for (unsigned i = 0; i < r->threads; i++)
        pthread_join(actors[i].thread, NULL);
    for (unsigned i = 0; i < r->threads; i++) {
        world_free(actors[i].world);
        memory_free(actors[i].world);
    }
    if (!wait_for_functions(r)) {
        say_round(r);
        tap_bail("functions are missing: %s", r->title);
    }
}

/* Everything has been enqueued and no function runs any more: wait for the rest, and look at all there is to be seen. */
static void round_complete(round *r)
{
    for (unsigned i = 0; i < r->queue_count; i++) {
        queue *q = &r->queues[i];
        if (!q->closed) {
            q->final = yoke_stream_wait(q->stream);
            q->final_epoch = atomic_load(&q->recovered);
        } else if (q->end) {
            yoke_event_wait(q->end);
        }
    }
    for (unsigned i = 0; i < MAX_POINTS; i++) {
        point *p = &r->points[i];
        if (!p->event)
            continue;
        yoke_status status = yoke_event_query(p->event);
        if (status == YOKE_PENDING)
            unexpected(r, "event %u is pending, and its stream has been waited for", p->record->id);
        point_seen(r, p, status == YOKE_PENDING ? yoke_event_wait(p->event) : status);
    }
    for (unsigned i = 0; i < r->fd_count; i++) {
        struct pollfd ready = { .fd = r->fds[i].fd, .events = POLLIN };
        if (poll(&ready, 1, 60000) != 1)
            unexpected(r, "event %u is complete, and its descriptor is not readable", r->fds[i].point->record->id);
        close(r->fds[i].fd);
    }
    for (unsigned i = 0; i < r->queue_count; i++)
        CHECK_OK(yoke_read_sync(r->queues[i].site->side, r->queues[i].content, r->queues[i].log, 0, LOG_BYTES));
}

static void round_end(round *r)
{
    for (unsigned i = 0; i < r->queue_count; i++) {
        queue *q = &r->queues[i];
        if (!q->closed)
            yoke_stream_release(q->stream);
        yoke_event_release(q->end);
        yoke_buffer_release(q->log);
        yoke_buffer_release(q->cells);
        yoke_buffer_release(q->copies);
        memory_free(q->content);
        pthread_rwlock_destroy(&q->lock);
    }
    for (unsigned i = 0; i < MAX_POINTS; i++) {
        yoke_event_release(r->points[i].event);
        yoke_buffer_release(r->points[i].copy);
    }
    for (unsigned i = 0; i < MAX_OPS; i++) {
        if (r->ops[i].pinned)
            yoke_buffer_release(r->ops[i].pinned);
        else
            memory_free(r->ops[i].slot);
        memory_free(r->ops[i].seen);
    }
    for (unsigned i = 0; i < MOST_SITES; i++)
        yoke_buffer_release(r->pinned[i]);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static bool one_round(uint32_t seed, unsigned long number, site *sites, unsigned site_count, bool careless)
{
    char title[160];
    round *r = calloc(1, sizeof *r);
    source s;

    if (!r)
        tap_bail("no host memory");
    if (!careless)
        tap_diag("seed %u", seed);
    snprintf(title, sizeof title, "seed %u, round %lu, on %s%s%s: run it again with --seed %u --rounds 1", seed, number,
             sites[0].info.selector, site_count > 1 ? " and " : "", site_count > 1 ? sites[1].info.selector : "", seed);
    atomic_store(&said_by, NULL);
    r->title = title;
    round_begin(r, &s, seed, sites, site_count);
    r->careless = careless;
    r->watched = getenv("YOKE_WATCHDOG");
    round_run(r, &s);
    round_complete(r);
    bool agrees = model_agrees(r);
    if (!agrees && !careless)
        say_round(r);
    round_end(r);
    return agrees;
}

/* ---- Rounds ---- */

static unsigned entries_of(const char *folder)
{
    DIR *directory = opendir(folder);
    unsigned count = 0;

    if (!directory)
        return 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

/* A little work for each device: drivers start threads and open files when they are used first, and streams that are gone are
 * destroyed by the next call that waits. */
static void use_sites(site *sites, unsigned site_count)
{
    for (unsigned i = 0; i < site_count; i++) {
        uint32_t words[8] = { 0 };
        yoke_buffer *log = NULL;
        NEED_OK(yoke_buffer_create(sites[i].device, sizeof words, &log));
        NEED_OK(yoke_write_sync(sites[i].side, log, 0, words, sizeof words));
        NEED_OK(yoke_launch(sites[i].side, sites[i].append, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(log, (uint32_t)1)));
        NEED_OK(yoke_stream_wait(sites[i].side));
    out:
        yoke_buffer_release(log);
    }
}

/* Idle threads of Yoke's end within a second or two. */
static void check_nothing_left(site *sites, unsigned site_count, unsigned threads, unsigned fds)
{
    struct timespec a_little = { .tv_nsec = 20000000 };
    double start = suite_now();

    while ((entries_of("/proc/self/task") > threads || entries_of("/proc/self/fd") > fds) && suite_now() - start < 60) {
        use_sites(sites, site_count);
        nanosleep(&a_little, NULL);
    }
    CHECK(entries_of("/proc/self/task") <= threads);
    CHECK(entries_of("/proc/self/fd") <= fds);
}

static void run_rounds(site *sites, unsigned site_count)
{
    unsigned long rounds = 0, bad = 0;
    unsigned left = alarm(ROUND_LIMIT);
    double start = suite_now();

    use_sites(sites, site_count);
    unsigned threads = entries_of("/proc/self/task"), fds = entries_of("/proc/self/fd");
    bool warm = false; /* drivers, too, start threads and open files as they are used more */
    for (; rounds < most_rounds && bad == 0 && suite_now() - start < seconds; rounds++) {
        alarm(ROUND_LIMIT);
        if (!one_round(first_seed + (uint32_t)rounds, rounds, sites, site_count, false))
            bad++;
        if (!warm && (suite_now() - start > seconds / 2 || 2 * (rounds + 1) > most_rounds)) {
            warm = true;
            unsigned most_threads = entries_of("/proc/self/task"), most_fds = entries_of("/proc/self/fd");
            threads = most_threads > threads ? most_threads : threads;
            fds = most_fds > fds ? most_fds : fds;
        }
    }
    alarm(left);
    tap_diag("%lu rounds in %.1f s", rounds, suite_now() - start);
    CHECK(bad == 0);
    check_nothing_left(sites, site_count, threads, fds);
}

/* A model that does not notice what is wrong is no use: rounds in which a fifth of the waits for events is left out. */
static void run_careless_rounds(site *sites, unsigned site_count)
{
    enum { ROUNDS = 1000, WANTED = 5 };
    unsigned rounds = 0, noticed = 0;

    for (; rounds < ROUNDS && noticed < WANTED; rounds++) {
        alarm(ROUND_LIMIT);
        noticed += !one_round(first_seed + rounds, rounds, sites, site_count, true);
    }
    tap_diag("%u of %u programs that do not wait were noticed", noticed, rounds);
    CHECK(noticed == WANTED);
}

static void with_sites(suite *t, void (*run)(site *sites, unsigned site_count))
{
    site sites[MOST_SITES] = { { .device = yoke_device_retain(t->device) } };
    unsigned site_count = suite_open_other(t, &sites[1].device) ? 2 : 1;

    for (unsigned i = 0; i < site_count; i++)
        NEED_OK(site_open(&sites[i], NULL));
    if (getenv("YOKE_WATCHDOG"))
        suite_expect_log(); /* its warnings */
    run(sites, site_count);
out:
    for (unsigned i = 0; i < site_count; i++)
        site_close(&sites[i]);
}

static void random_programs(suite *t)
{
    with_sites(t, run_rounds);
}

static void careless_programs(suite *t)
{
#ifdef __SANITIZE_THREAD__
    suite_skip("the sanitizer would notice, too");
    (void)t;
    (void)run_careless_rounds;
#else
    unsigned left;
    if (getenv("YOKE_VALIDATE")) {
        suite_skip("the validator would notice, too");
        return;
    }
    left = alarm(ROUND_LIMIT);
    with_sites(t, run_careless_rounds);
    alarm(left);
#endif
}

static const suite_case cases[] = {
    { "random programs agree with the model", random_programs, false },
    { "the model notices waits that are left out", careless_programs, false },
};

static void usage(void)
{
    fprintf(stderr, "usage: stress [--seconds N] [--seed S] [--rounds N]\n");
    exit(2);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("YOKE_STRESS_SECONDS"), *limit = getenv("YOKE_TEST_SECONDS");
    char all[24];

    if (asked && *asked)
        seconds = atof(asked);
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            usage();
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--seed") == 0)
            first_seed = (uint32_t)strtoul(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--rounds") == 0)
            most_rounds = strtoul(argv[i + 1], NULL, 0);
        else
            usage();
    }
    snprintf(all, sizeof all, "%.0f", 10 * (seconds + ROUND_LIMIT));
    if (!limit || atof(limit) < atof(all))
        setenv("YOKE_TEST_SECONDS", all, 1);
    return SUITE_MAIN(cases, NULL);
}
