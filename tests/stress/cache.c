/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache under processes that die: sixteen of them find, store and drop the same few entries, in less room than these take, and
 * are killed at any time. YOKE_STRESS_SECONDS=N says for how long. Whatever is found has to be right, and nothing may be damaged.
 */
#include "program/cache/program_cache.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../tap/tap.h"
#include "../unit/sandbox.h"

enum { PROCESSES = 16, KEYS = 12, IMAGE_MOST = 150 << 10 };

/* What the processes tell of themselves: in memory that they share, because they may be gone at the next moment. */
typedef struct account {
    atomic_bool stop;
    atomic_uint found, stored, dropped, wrong, damaged;
} account;

static account *shared;
static uint32_t state;

static uint32_t draw(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static yk_text keys[KEYS], images[KEYS];

/* Of different sizes, and long enough that a part of one would show. */
static void make_entries(void)
{
    for (unsigned number = 0; number < KEYS; number++) {
        for (unsigned i = 0; i < 100 + 300 * number; i++)
            yk_text_add(&keys[number], "key %u line %u\n", number, i);
        for (unsigned i = 0; images[number].length < IMAGE_MOST / KEYS * (number + 1); i++)
            yk_text_add(&images[number], "image %u word %u %08x;", number, i, i * 2654435761u);
    }
}

static bool same(const yk_text *a, const yk_text *b)
{
    return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

/* What one process does next. Returns how many entries it has dropped. */
static unsigned act(void)
{
    yk_text found = { 0 };
    unsigned dropped = 0, number = draw(KEYS);
    const yk_text *key = &keys[number], *image = &images[number];
    bool there = yk_cache_find(key, &found);
    if (there) {
        atomic_fetch_add(&shared->found, 1);
        if (!same(&found, image))
            atomic_fetch_add(&shared->wrong, 1);
    }
    if (there && draw(50) == 0) {
        yk_cache_reject(key);
        dropped = 1;
    } else if (!there || draw(10) == 0) {
        yk_cache_store(key, image);
        atomic_fetch_add(&shared->stored, 1);
    }
    yk_text_free(&found);
    return dropped;
}

static _Noreturn void process(uint32_t seed)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    unsigned dropped = 0;
    state = seed;
    while (!atomic_load(&shared->stop)) {
        dropped += act();
        yoke_cache_get_info(&info);
        if (info.rejected != dropped || info.mode != YOKE_CACHE_ON) {
            atomic_fetch_add(&shared->damaged, 1);
            break;
        }
    }
    exit(info.rejected != dropped);
}

static pid_t start(void)
{
    static uint32_t seed;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        process(++seed * 2654435761u);
    seed++;
    if (child < 0)
        tap_bail("no process: %s", strerror(errno));
    return child;
}

/* A moment, so that processes get somewhere before one of them dies. */
static void pause_for(long microseconds)
{
    nanosleep(&(struct timespec){ 0, microseconds * 1000 }, NULL);
}

static bool has_stored_and_found(void)
{
    return atomic_load(&shared->found) > 0 && atomic_load(&shared->stored) > 0;
}

/* Until something was stored and found, too. Returns how many were killed; *out_ended is how many ended on their own. */
static unsigned kill_some(pid_t *children, double seconds, unsigned *out_ended)
{
    struct timespec start_time, now;
    unsigned killed = 0;
    clock_gettime(CLOCK_MONOTONIC, &start_time);
    do {
        unsigned victim = draw(PROCESSES);
        int status;
        pause_for(draw(5000));
        kill(children[victim], SIGKILL);
        waitpid(children[victim], &status, 0);
        *out_ended += !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL;
        killed++;
        children[victim] = start();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - start_time.tv_sec) + (double)(now.tv_nsec - start_time.tv_nsec) / 1e9 < seconds ||
             !has_stored_and_found());
    return killed;
}

/* In a child of its own: every entry is right or not there, and room is kept. */
static void look(void)
{
    yk_text found = { 0 };
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    for (unsigned i = 0; i < KEYS; i++) {
        EXPECT(!yk_cache_find(&keys[i], &found) || same(&found, &images[i]));
        yk_text_free(&found);
    }
    yk_cache_store(&keys[0], &images[0]);
    EXPECT(yk_cache_find(&keys[0], &found));
    EXPECT(yoke_cache_get_info(&info) == YOKE_OK && info.rejected == 0 && info.stored == 1);
    yk_text_free(&found);
}

static void make_old(const char *path, void *user)
{
    (void)user;
    sandbox_age(path, 7200);
}

static void add_size(const char *path, void *user)
{
    struct stat status;
    if (stat(path, &status) == 0)
        *(size_t *)user += (size_t)status.st_size;
}

int main(void)
{
    const char *asked = getenv("YOKE_STRESS_SECONDS");
    double seconds = asked ? atof(asked) : 2;
    tap_start((unsigned)seconds + 60);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        tap_bail("no memory to share");
    make_entries();
    sandbox_enter();
    setenv("YOKE_CACHE_DIR", sandbox_path("cache"), 1);
    setenv("YOKE_CACHE_SIZE", "1", 1);
    unsetenv("YOKE_CACHE");

    pid_t children[PROCESSES];
    unsigned ended = 0, failed = 0;
    for (unsigned i = 0; i < PROCESSES; i++)
        children[i] = start();
    unsigned killed = kill_some(children, seconds, &ended);
    atomic_store(&shared->stop, true);
    for (unsigned i = 0; i < PROCESSES; i++)
        failed += !sandbox_reap(children[i]);
    tap_diag("%u found, %u stored, %u processes killed", atomic_load(&shared->found), atomic_load(&shared->stored), killed);
    tap_ok(has_stored_and_found(), "processes have found and stored");
    tap_is(atomic_load(&shared->wrong), 0, "what was found was right");
    tap_is(atomic_load(&shared->damaged), 0, "nothing was ever damaged");
    tap_is(ended + failed, 0, "no process ended before it was asked to");

    size_t left = sandbox_each(sandbox_path("cache"), "tmp-", make_old, NULL), bytes = 0;
    tap_ok(left <= killed, "temporary files are left only by processes that were killed: %zu of %u", left, killed);
    sandbox_case("every entry is right or not there", "YOKE_CACHE_SIZE", "1", look);
    tap_is(sandbox_each(sandbox_path("cache"), "tmp-", NULL, NULL), 0, "no temporary file is left, once they are old");
    size_t entries = sandbox_each(sandbox_path("cache"), ".yoke", add_size, &bytes);
    tap_ok(bytes > 0 && bytes <= 1 << 20, "%zu entries of %zu bytes in all are within the limit", entries, bytes);
    sandbox_leave();
    for (unsigned i = 0; i < KEYS; i++) {
        yk_text_free(&keys[i]);
        yk_text_free(&images[i]);
    }
    return tap_done();
}
