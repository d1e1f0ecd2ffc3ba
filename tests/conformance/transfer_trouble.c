/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies from and to pageable memory when something goes wrong: streams that are cancelled, released or fail meanwhile, targets
 * that cannot be written, memory that is pinned in part. Each copy is done as a whole or not at all, but for one that had started;
 * and once its stream has been waited for, nobody touches host memory: it is then taken away.
 */
#include "again.h"
#include "stand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { KI = 1 << 10, MI = 1 << 20, PAGE = 4096 };

/* Host memory in pages of its own, so that nobody else minds when it is protected. */
static unsigned char *pages_new(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        tap_bail("no host memory: %zu bytes", size);
    return memory;
}

/* ---- Cancelled and released --------------------------------------------------------------------------------------------- */

enum { PARTS = 4, PART = 3 * MI + 3, ALL = (PARTS * PART + PAGE - 1) / PAGE * PAGE, OLD = 0x0D };

/* Each part of `there` is written from the host, and each part of `here` is read to it, in a stream of their own. */
typedef struct copying {
    yoke_stream *stream;
    guarded there, here;
    unsigned char *source, *target; /* pages */
    yoke_event *first, *end;        /* behind the first part of both, and behind all */
} copying;

static bool copying_begin(suite *t, copying *c)
{
    unsigned char *old = memory_new(ALL), old_byte = OLD;

    *c = (copying){ .source = pages_new(ALL), .target = pages_new(ALL) };
    memset(old, OLD, ALL);
    memset(c->target, OLD, ALL);
    fill_random(c->source, ALL, 1);
    bool ok = guarded_create(t, ALL, &c->there) && guarded_create(t, ALL, &c->here) && guarded_write(t, &c->here, c->source) &&
              CHECK_OK(yoke_fill(t->side, c->there.buffer, 0, ALL, &old_byte, 1)) && CHECK_OK(yoke_stream_wait(t->side)) &&
              CHECK_OK(yoke_stream_create(t->device, &c->stream));
    memory_free(old);
    return ok;
}

static bool copying_enqueue(copying *c)
{
    bool ok = true;

    for (size_t i = 0; i < PARTS && ok; i++) {
        ok = CHECK_OK(yoke_write(c->stream, c->there.buffer, i * PART, c->source + i * PART, PART)) &&
             CHECK_OK(yoke_read(c->stream, c->target + i * PART, c->here.buffer, i * PART, PART));
        if (i == 0)
            ok = ok && CHECK_OK(yoke_event_record(c->stream, 0, &c->first));
    }
    return ok && CHECK_OK(yoke_event_record(c->stream, 0, &c->end));
}

static void copying_end(copying *c)
{
    yoke_stream_release(c->stream);
    yoke_event_release(c->first);
    yoke_event_release(c->end);
    guarded_release(&c->there);
    guarded_release(&c->here);
    munmap(c->source, ALL);
    munmap(c->target, ALL);
}

/* How many parts have arrived as a whole; checked: at most the one behind those is there in part, and then there is nothing. */
static unsigned parts_done(const unsigned char *bytes, const unsigned char *whole, const char *what)
{
    unsigned char *old = memory_new(PART);
    unsigned done = 0;

    memset(old, OLD, PART);
    while (done < PARTS && memcmp(bytes + done * PART, whole + done * PART, PART) == 0)
        done++;
    for (size_t i = done + 1; i < PARTS; i++)
        if (!CHECK(memcmp(bytes + i * PART, old, PART) == 0))
            tap_diag("%s: part %zu is not as it was, though part %u has not arrived as a whole", what, i, done);
    memory_free(old);
    return done;
}

static bool part_untouched(const unsigned char *bytes, size_t part)
{
    for (size_t i = 0; i < PART; i++)
        if (bytes[part * PART + i] != OLD)
            return false;
    return true;
}

/* The stream has been waited for: neither its source nor its target may be touched while others copy, and what has been done is
 * checked. `least`: parts that have to be there of both; `most`: parts that may. */
static void copying_check(suite *t, copying *c, unsigned least, unsigned most)
{
    unsigned char *there = memory_new(ALL), *seen = memory_new(ALL), *back = memory_new(ALL), *data = memory_new(ALL);
    guarded other = { 0 };

    memcpy(seen, c->target, ALL);
    fill_random(data, ALL, 1);
    NEED(mprotect(c->source, ALL, PROT_NONE) == 0 && mprotect(c->target, ALL, PROT_NONE) == 0);
    NEED(guarded_create(t, ALL, &other));
    NEED_OK(yoke_write(t->stream, other.buffer, 0, data, ALL));
    NEED_OK(yoke_read(t->stream, back, other.buffer, 0, ALL));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(back, data, ALL);
    NEED(mprotect(c->target, ALL, PROT_READ | PROT_WRITE) == 0);
    CHECK_BYTES(c->target, seen, ALL);
    NEED(guarded_read(t, &c->there, there));
    unsigned written = parts_done(there, data, "written"), read = parts_done(c->target, data, "read");
    if (!CHECK(written >= least && read >= least && written <= most && read <= most))
        tap_diag("of %d parts, %u have been written and %u read, where %u to %u could be", PARTS, written, read, least, most);
    /* each part is written, then read, then the next one's turn comes */
    if (CHECK(read == written || read + 1 == written) && read < PARTS)
        CHECK(written == read ? part_untouched(c->target, read) : written == PARTS || part_untouched(there, written));
    for (size_t i = most; i < PARTS; i++)
        CHECK(part_untouched(c->target, i) && part_untouched(there, i));
    guarded_check(t, &c->here, data);
out:
    mprotect(c->target, ALL, PROT_READ | PROT_WRITE);
    guarded_release(&other);
    memory_free(data);
    memory_free(back);
    memory_free(seen);
    memory_free(there);
}

/* At once, and when the first part has arrived. */
static void cancelled(suite *t)
{
    for (unsigned round = 0; round < 4; round++) {
        bool arrived = round % 2 != 0;
        copying c;

        NEED(copying_begin(t, &c));
        bool ok = copying_enqueue(&c);
        if (arrived)
            CHECK_OK(yoke_event_wait(c.first));
        CHECK_OK(yoke_stream_cancel(c.stream));
        CHECK_STATUS(YOKE_E_CANCELLED, yoke_stream_wait(c.stream));
        if (ok)
            copying_check(t, &c, arrived ? 1 : 0, PARTS);
        CHECK_OK(yoke_stream_recover(c.stream));
        CHECK_OK(yoke_write_sync(c.stream, c.there.buffer, 0, &(uint64_t){ 1 }, 8));
    out:
        copying_end(&c);
    }
}

static void *cancel(void *stream)
{
    CHECK_OK(yoke_stream_cancel(stream));
    return NULL;
}

static void cancelled_while_enqueued(suite *t)
{
    for (unsigned round = 0; round < 4; round++) {
        pthread_t thread;
        copying c;
        unsigned enqueued = 0;
        yoke_status status = YOKE_OK;

        NEED(copying_begin(t, &c));
        NEED(pthread_create(&thread, NULL, cancel, c.stream) == 0);
        while (enqueued < PARTS && status == YOKE_OK) {
            status = yoke_write(c.stream, c.there.buffer, enqueued * PART, c.source + enqueued * PART, PART);
            if (status == YOKE_OK)
                status = yoke_read(c.stream, c.target + enqueued * PART, c.here.buffer, enqueued * PART, PART);
            enqueued += status == YOKE_OK;
        }
        pthread_join(thread, NULL);
        CHECK(status == YOKE_OK || status == YOKE_E_CANCELLED);
        CHECK_STATUS(YOKE_E_CANCELLED, yoke_stream_wait(c.stream));
        unsigned most = enqueued < PARTS ? enqueued + 1 : PARTS;
        copying_check(t, &c, 0, most);
    out:
        copying_end(&c);
    }
}

static void cancelled_before_they_start(suite *t)
{
    stand s = STAND_INIT;
    copying c;

    NEED(copying_begin(t, &c));
    NEED_OK(yoke_host_call(c.stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    bool ok = copying_enqueue(&c);
    CHECK_OK(yoke_stream_cancel(c.stream));
    gate_open(&s.leave);
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_stream_wait(c.stream));
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_event_query(c.end));
    if (ok)
        copying_check(t, &c, 0, 0);
out:
    copying_end(&c);
}

/* The event behind all is what is left to wait for. */
static void released(suite *t)
{
    for (unsigned when = 0; when < 3; when++) {
        bool arrived = when == 1, held = when == 2;
        stand s = STAND_INIT;
        copying c;

        NEED(copying_begin(t, &c));
        if (held) {
            NEED_OK(yoke_host_call(c.stream, stand_at_gate, &s, NULL));
            gate_wait(&s.inside, 1);
        }
        bool ok = copying_enqueue(&c);
        if (arrived)
            CHECK_OK(yoke_event_wait(c.first));
        yoke_stream_release(c.stream);
        c.stream = NULL;
        gate_open(&s.leave);
        yoke_status status = yoke_event_wait(c.end);
        CHECK(status == YOKE_E_CANCELLED || (status == YOKE_OK && !held));
        if (ok)
            copying_check(t, &c, status == YOKE_OK ? PARTS : arrived, held ? 0 : PARTS);
    out:
        copying_end(&c);
    }
}

/* Buffers that are released right behind the call: the copy keeps them. */
static void buffers_released(suite *t)
{
    unsigned char *data = memory_new(PART), *back = memory_new(PART);
    yoke_buffer *x = NULL, *view = NULL;

    for (uint32_t i = 0; i < 4; i++) {
        fill_random(data, PART, i);
        NEED_OK(yoke_buffer_create(t->device, PART + 9, &x));
        NEED_OK(yoke_buffer_create_view(x, 9, PART, &view));
        yoke_buffer_release(x);
        x = NULL;
        NEED_OK(yoke_write(t->stream, view, 0, data, PART));
        NEED_OK(yoke_read(t->stream, back, view, 0, PART));
        yoke_buffer_release(view);
        view = NULL;
        NEED_OK(yoke_buffer_create(t->device, PART + 9, &x)); /* must not get that memory yet */
        NEED_OK(yoke_fill(t->side, x, 0, PART, "\x99", 1));
        NEED_OK(yoke_stream_wait(t->side));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(CHECK_BYTES(back, data, PART));
        yoke_buffer_release(x);
        x = NULL;
    }
out:
    yoke_stream_wait(t->stream);
    yoke_buffer_release(x);
    yoke_buffer_release(view);
    memory_free(back);
    memory_free(data);
}

static void behind_a_failure(suite *t)
{
    stand s = STAND_INIT;
    copying c;

    NEED(copying_begin(t, &c));
    NEED_OK(yoke_host_call(c.stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_host_call(c.stream, fail_on_purpose, NULL, NULL));
    bool ok = copying_enqueue(&c);
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(c.stream));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait(c.end));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_write(c.stream, c.there.buffer, 0, c.source, PART));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_read_sync(c.stream, c.target, c.here.buffer, 0, PART));
    if (ok)
        copying_check(t, &c, 0, 0);
out:
    copying_end(&c);
}

/* ---- Targets that cannot be written ------------------------------------------------------------------------------------- */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

static const unsigned char constant[2 * PAGE] = "a constant of the program";

/* Each way to read `size` bytes to it. */
static void refuses(suite *t, unsigned char *target, yoke_buffer *buffer, size_t size)
{
    yoke_pitch rows = { 0, 0, 0 };
    yoke_rect rect = { size, 1, 1 };

    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "cannot be written", yoke_read(t->stream, target, buffer, 0, size));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "cannot be written", yoke_read_sync(t->stream, target, buffer, 0, size));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "cannot be written", yoke_read_rect(t->stream, target, rows, buffer, rows, rect));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "cannot be written", yoke_read_rect_sync(t->stream, target, rows, buffer, rows, rect));
    if (size % 100 == 0) {
        rows.row_pitch = size / 100;
        rect = (yoke_rect){ size / 100 > 1 ? size / 100 - 1 : 1, 100, 1 };
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "cannot be written", yoke_read_rect(t->stream, target, rows, buffer, rows, rect));
    }
}

static void read_only_targets(suite *t)
{
    enum { MOST = 6 * MI };
    static const size_t tried[] = { 1, 100, PAGE, 64 * KI, 100 * KI, MI - 1, MI, 2 * MI + 1, 5 * MI, MOST - 100 };
    unsigned char *memory = pages_new(MOST), *before = memory_new(MOST), *one = pages_new(PAGE);
    bool known = madvise(one, PAGE, MADV_POPULATE_WRITE) == 0;
    stand s = STAND_INIT;
    guarded x = { 0 };

    fill_random(memory, MOST, 7);
    memcpy(before, memory, MOST);
    if (!known) {
        suite_skip("this system does not tell whether memory can be written");
        goto out;
    }
    NEED(guarded_create(t, MOST, &x));
    NEED(mprotect(memory, MOST, PROT_READ) == 0);
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        refuses(t, memory, x.buffer, tried[i]);
        refuses(t, memory + 77, x.buffer, tried[i]);
    }
    refuses(t, (unsigned char *)(uintptr_t)constant, x.buffer, 100);
    CHECK_BYTES(constant, "a constant of the program", 25);

    /* behind a host function that stands, too, and then only the last page or the first */
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "cannot be written", yoke_read(t->stream, memory, x.buffer, 0, 100));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "cannot be written", yoke_read(t->stream, memory, x.buffer, 0, 3 * MI));
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    for (unsigned last = 0; last < 2; last++) {
        NEED(mprotect(memory, MOST, PROT_READ | PROT_WRITE) == 0);
        NEED(mprotect(memory + (last ? MOST - PAGE : 0), PAGE, PROT_READ) == 0);
        refuses(t, memory, x.buffer, MOST);
        refuses(t, memory + (last ? MOST - PAGE - 1 : PAGE - 1), x.buffer, 2);
        refuses(t, memory + (last ? MOST - 3 * PAGE : 5), x.buffer, 3 * PAGE - 5 * !last);
        CHECK_OK(yoke_stream_wait(t->stream));
        CHECK_BYTES(memory, before, MOST);
        CHECK_OK(yoke_read_sync(t->stream, memory + PAGE, x.buffer, 0, MOST - 2 * PAGE)); /* between them it can be */
        CHECK_OK(yoke_read_sync(t->stream, memory + PAGE, x.buffer, 0, 1));
        memcpy(memory + PAGE, before + PAGE, MOST - 2 * PAGE);
    }
    suite_works(t);
out:
    guarded_release(&x);
    memory_free(before);
    munmap(one, PAGE);
    munmap(memory, MOST);
}

/* A read-only source is a source as any other; so is memory that nobody has touched yet, on either side. */
static void other_memory(suite *t)
{
    enum { SIZE = 3 * MI };
    unsigned char *memory = pages_new(SIZE), *fresh = pages_new(SIZE), *zero = memory_new(SIZE), *data = memory_new(SIZE);
    guarded x = { 0 };

    fill_random(data, SIZE, 8);
    memcpy(memory, data, SIZE);
    NEED(guarded_create(t, SIZE, &x));
    NEED(mprotect(memory, SIZE, PROT_READ) == 0);
    NEED_OK(yoke_write(t->stream, x.buffer, 0, memory, SIZE));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, data);
    NEED_OK(yoke_write(t->stream, x.buffer, 0, constant, sizeof constant));
    memcpy(data, constant, sizeof constant);
    NEED_OK(yoke_read(t->stream, fresh + 1, x.buffer, 1, SIZE - 1));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(fresh + 1, data + 1, SIZE - 1);
    NEED(madvise(fresh, SIZE, MADV_DONTNEED) == 0); /* as fresh as ever: reads as zeros */
    NEED_OK(yoke_write(t->stream, x.buffer, 0, fresh, SIZE));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, zero);
out:
    guarded_release(&x);
    memory_free(data);
    memory_free(zero);
    munmap(fresh, SIZE);
    munmap(memory, SIZE);
}

/* ---- Memory that is pinned in part -------------------------------------------------------------------------------------- */

static bool round_trip(suite *t, const guarded *x, unsigned char *host, size_t from, size_t size, uint32_t seed)
{
    unsigned char *data = memory_new(size), *back = memory_new(size);
    bool ok = false;

    yoke_fail(OWN_STATUS, OWN_TEXT);
    fill_random(data, size, seed);
    memcpy(host + from, data, size);
    NEED_OK(yoke_write(t->stream, x->buffer, 0, host + from, size));
    NEED_OK(yoke_read(t->stream, back, x->buffer, 0, size));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(CHECK_BYTES(back, data, size));
    memset(host + from, 0, size);
    NEED_OK(yoke_read(t->stream, host + from, x->buffer, 0, size));
    NEED_OK(yoke_stream_wait(t->stream));
    ok = CHECK_BYTES(host + from, data, size) &&
         CHECK(yoke_error()->status == OWN_STATUS && strcmp(yoke_error()->text, OWN_TEXT) == 0); /* nothing has failed since */
out:
    if (!ok)
        tap_diag("with %zu bytes from %zu", size, from);
    memory_free(back);
    memory_free(data);
    return ok;
}

/* Registered memory that neither begins nor ends with a page: copies in it, beside it on the same page, and across its ends. */
static void partly_pinned(suite *t)
{
    enum { SIZE = 5 * MI, AT = 2 * MI + 1000, PINNED = 300 * KI + 17 };
    static const struct {
        size_t from, size;
    } ranges[] = {
        { AT, PINNED },    { AT + 1, PINNED - 2 },     { AT - 500, 500 },          { AT + PINNED, 500 },
        { AT - 100, 200 }, { AT + PINNED - 100, 200 }, { AT - 100, PINNED + 200 }, { AT + PINNED / 2, PINNED },
        { 0, AT },         { 5, AT + PINNED },         { AT + 3, SIZE - AT - 3 },  { 0, SIZE },
    };
    unsigned char *host = pages_new(SIZE);
    yoke_buffer *over = NULL;
    guarded x = { 0 };
    uint32_t seed = 1;

    NEED(guarded_create(t, SIZE, &x));
    for (unsigned round = 0; round < 3; round++) {
        NEED_OK(yoke_buffer_create_from_host(t->device, host + AT, PINNED, &over));
        for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
            round_trip(t, &x, host, ranges[i].from, ranges[i].size, seed++);
        yoke_buffer_release(over); /* pageable again */
        over = NULL;
        round_trip(t, &x, host, ranges[round].from, ranges[round].size, seed++);
        round_trip(t, &x, host, 0, SIZE, seed++);
    }
out:
    yoke_buffer_release(over);
    guarded_release(&x);
    munmap(host, SIZE);
}

#define EACH_WAY                                                                                                    \
    { "streams that are cancelled", cancelled, false },                                                             \
        { "cancelled while they are enqueued to", cancelled_while_enqueued, false },                                \
        { "cancelled before their copies start", cancelled_before_they_start, false },                              \
        { "streams that are released", released, false }, { "buffers that are released", buffers_released, false }, \
        { "behind a host function that fails", behind_a_failure, false },                                           \
        { "targets that are read-only", read_only_targets, false },                                                 \
        { "sources that are read-only, and fresh memory", other_memory, false },                                    \
    {                                                                                                               \
        "memory that is pinned in part", partly_pinned, false                                                       \
    }

static const suite_case each_way[] = { EACH_WAY };

static void staged(suite *t)
{
    AGAIN(t, each_way, ((const char *const[]){ "YOKE_STAGING=1", NULL }));
}

static void never_staged(suite *t)
{
    AGAIN(t, each_way, ((const char *const[]){ "YOKE_STAGING=0", NULL }));
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        EACH_WAY,
        { "all of it, carried through pinned memory", staged, false },
        { "all of it, given to the driver", never_staged, false },
    };

    if (argc == 3)
        return AGAIN_MAIN(each_way, NULL, argv);
    return SUITE_MAIN(cases, NULL);
}
