/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device's memory: what is counted, what is kept and used again, and limits. What happens when there is no more is in
 * exhaustion.c, and whether data survives all that in pool_order.c.
 */
#include "account.h"
#include "stand.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is counted ---- */

static void nothing_at_first(suite *t)
{
    yoke_memory_info info;
    account a;

    NEED(account_open(t, &a));
    info = look(&a);
    CHECK(info.size == sizeof info);
    CHECK((info.flags & ~(uint32_t)YOKE_MEMORY_INFO_ESTIMATED) == 0);
    CHECK(info.total > 0 && info.free > 0 && info.free <= info.total);
    CHECK(info.buffers == 0 && info.in_use == 0 && info.peak == 0 && info.cached == 0);
    CHECK(info.pinned == 0 && info.pinned_cached == 0);
    CHECK(info.in_use_limit == YOKE_NO_LIMIT);
    CHECK(info.cached_limit == info.total / 16);
out:
    account_close(&a);
}

/* Views count as what they are a part of, and keep it counted. */
static void counted_from_creation_to_release(suite *t)
{
    enum { SIZE = 300000 };
    yoke_buffer *one = NULL, *two = NULL, *view = NULL;
    yoke_memory_info before, info;
    account a;

    NEED(account_open(t, &a));
    before = look(&a);
    NEED_OK(yoke_buffer_create(a.device, SIZE, &one));
    info = look(&a);
    uint64_t class = info.in_use;
    CHECK(is_class_of(class, SIZE) && info.peak == class && info.cached == 0 && info.buffers == 1);
    CHECK(info.free <= before.free);
    NEED_OK(yoke_buffer_create(a.device, SIZE, &two));
    NEED_OK(yoke_buffer_create_view(two, 100, 1000, &view));
    yoke_buffer_retain(one);
    info = look(&a);
    CHECK(info.in_use == 2 * class && info.peak == 2 * class && info.buffers == 2);

    yoke_buffer_release(two);
    two = NULL;
    yoke_buffer_release(one);
    info = look(&a);
    CHECK(info.in_use == 2 * class && info.cached == 0 && info.buffers == 2);
    yoke_buffer_release(view);
    view = NULL;
    info = look(&a);
    CHECK(info.in_use == class && info.cached == class && info.buffers == 1);
    yoke_buffer_release(one);
    one = NULL;
    info = look(&a);
    CHECK(info.in_use == 0 && info.cached == 2 * class && info.buffers == 0 && info.peak == 2 * class);
    CHECK(info.pinned == 0 && info.pinned_cached == 0);
out:
    yoke_buffer_release(view);
    yoke_buffer_release(one);
    yoke_buffer_release(two);
    account_close(&a);
}

/* However often: the first memory serves all. */
static bool create_and_release(const account *a, size_t size, bool ordered, int times)
{
    yoke_buffer *buffer = NULL;
    bool ok = true;

    for (int i = 0; i < times && ok; i++) {
        ok = CHECK_OK(ordered ? yoke_buffer_create_ordered(a->stream, size, &buffer)
                              : yoke_buffer_create(a->device, size, &buffer)) &&
             CHECK_OK(yoke_fill(a->stream, buffer, 0, size, &i, 1)) && CHECK(is_class_of(look(a).in_use, size)) &&
             (ordered || CHECK_OK(yoke_stream_wait(a->stream)));
        yoke_buffer_release(buffer);
    }
    return CHECK_OK(yoke_stream_wait(a->stream)) && ok;
}

static void memory_is_used_again(suite *t)
{
    static const size_t sizes[] = { 4096, 100000, 1 << 20, 3000001 };
    account a;

    NEED(account_open(t, &a));
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        NEED(create_and_release(&a, sizes[s], false, 300));
        yoke_memory_info info = look(&a);
        CHECK(is_class_of(info.cached, sizes[s]) && info.in_use == 0);
        CHECK(is_class_of(info.peak, sizes[s])); /* of the largest until now, which is this one */
        CHECK_OK(yoke_device_trim_memory(a.device, 0));

        NEED(create_and_release(&a, sizes[s], true, 1)); /* a driver's own pool takes more than it is asked for */
        uint64_t once = look(&a).cached;
        CHECK(once >= sizes[s]);
        NEED(create_and_release(&a, sizes[s], true, 300));
        info = look(&a);
        CHECK(info.cached == once && info.in_use == 0 && is_class_of(info.peak, sizes[s]));
        CHECK_OK(yoke_device_trim_memory(a.device, 0));
    }
out:
    account_close(&a);
}

static void pinned_is_counted_apart(suite *t)
{
    enum { SIZE = 200000 };
    unsigned char *memory = memory_new(SIZE);
    yoke_buffer *pinned = NULL, *over = NULL;
    yoke_memory_info info;
    account a;

    NEED(account_open(t, &a));
    for (int i = 0; i < 10; i++) {
        NEED_OK(yoke_buffer_create_pinned(a.device, SIZE, &pinned));
        info = look(&a);
        CHECK(is_class_of(info.pinned, SIZE) && info.pinned_cached == 0 && info.buffers == 1);
        uint64_t class = info.pinned;
        NEED_OK(yoke_buffer_create_from_host(a.device, memory, SIZE, &over)); /* the program's own: not counted */
        info = look(&a);
        CHECK(info.pinned == class && info.buffers == 2);
        yoke_buffer_release(over);
        over = NULL;
        yoke_buffer_release(pinned);
        pinned = NULL;
        info = look(&a);
        CHECK(info.pinned == 0 && info.pinned_cached == class && info.buffers == 0);
        CHECK(info.in_use == 0 && info.cached == 0 && info.peak == 0);
    }
out:
    yoke_buffer_release(over);
    yoke_buffer_release(pinned);
    account_close(&a);
    memory_free(memory);
}

static void mapped_and_shared_are_counted(suite *t)
{
    enum { SIZE = 200000 };
    static const int capabilities[] = { YOKE_CAP_MAPPED, YOKE_CAP_MANAGED };
    static const int32_t kinds[] = { YOKE_MEMORY_MAPPED, YOKE_MEMORY_MANAGED };
    yoke_buffer *buffer = NULL;
    account a;

    NEED(account_open(t, &a));
    for (int k = 0; k < 2; k++) {
        if (!suite_can(t, capabilities[k])) /* and what is refused leaves nothing behind */
            CHECK_STATUS(YOKE_E_UNSUPPORTED, yoke_buffer_create_in(a.device, kinds[k], SIZE, &buffer));
        else
            CHECK_OK(yoke_buffer_create_in(a.device, kinds[k], SIZE, &buffer));
        yoke_memory_info info = look(&a);
        CHECK(info.buffers == (buffer != NULL));
        CHECK(buffer ? is_class_of(info.in_use + info.pinned, SIZE) : info.in_use + info.pinned == 0);
        yoke_buffer_release(buffer);
        buffer = NULL;
        info = look(&a);
        CHECK(info.buffers == 0 && info.in_use + info.pinned == 0);
    }
out:
    account_close(&a);
}

/* ---- Limits and trimming ---- */

enum { MANY = 8, PIECE = 1 << 20 };

static bool create_many(const account *a, bool pinned, yoke_buffer **buffers)
{
    bool ok = true;

    for (int i = 0; i < MANY; i++)
        ok = ok && CHECK_OK(pinned ? yoke_buffer_create_pinned(a->device, PIECE, &buffers[i])
                                   : yoke_buffer_create(a->device, PIECE, &buffers[i]));
    return ok;
}

static void release_many(yoke_buffer **buffers)
{
    for (int i = 0; i < MANY; i++) {
        yoke_buffer_release(buffers[i]);
        buffers[i] = NULL;
    }
}

static void limit_of_what_is_in_use(suite *t)
{
    yoke_buffer *buffers[MANY] = { NULL }, *refused = (yoke_buffer *)t;
    yoke_memory_info info;
    account a;

    NEED(account_open(t, &a));
    NEED(create_many(&a, false, buffers));
    uint64_t all = look(&a).in_use;
    CHECK_OK(yoke_device_set_memory_limits(a.device, all, YOKE_NO_LIMIT));
    info = look(&a);
    CHECK(info.in_use_limit == all && info.cached_limit == YOKE_NO_LIMIT);
    CHECK_FAILS(YOKE_E_OUT_OF_DEVICE_MEMORY, "requested|limit|1.0 MiB", yoke_buffer_create(a.device, PIECE, &refused));
    CHECK(refused == NULL);
    CHECK_FAILS(YOKE_E_OUT_OF_DEVICE_MEMORY, "limit", yoke_buffer_create_ordered(a.stream, PIECE, &refused));
    CHECK_FAILS(YOKE_E_OUT_OF_DEVICE_MEMORY, "limit", yoke_buffer_create_in(a.device, YOKE_MEMORY_DEVICE, PIECE, &refused));
    CHECK(refused == NULL);
    CHECK(look(&a).in_use == all && look(&a).buffers == MANY && look(&a).peak == all);

    for (int i = 0; i < 5; i++) { /* what is released makes room for one more, and for no two */
        yoke_buffer_release(buffers[i]);
        buffers[i] = NULL;
        NEED_OK(yoke_buffer_create(a.device, PIECE, &buffers[i]));
        CHECK_STATUS(YOKE_E_OUT_OF_DEVICE_MEMORY, yoke_buffer_create(a.device, PIECE, &refused));
    }
    CHECK_OK(yoke_device_set_memory_limits(a.device, all / 2, YOKE_NO_LIMIT)); /* what is there stays, and works */
    CHECK_OK(yoke_fill(a.stream, buffers[0], 0, PIECE, "x", 1));
    CHECK_OK(yoke_stream_wait(a.stream));
    yoke_buffer_release(buffers[0]);
    buffers[0] = NULL;
    CHECK_STATUS(YOKE_E_OUT_OF_DEVICE_MEMORY, yoke_buffer_create(a.device, PIECE, &buffers[0]));
    CHECK_OK(yoke_device_set_memory_limits(a.device, YOKE_NO_LIMIT, YOKE_NO_LIMIT));
    CHECK_OK(yoke_buffer_create(a.device, PIECE, &buffers[0]));
    CHECK_OK(yoke_device_set_memory_limits(a.device, 0, YOKE_NO_LIMIT));
    CHECK_STATUS(YOKE_E_OUT_OF_DEVICE_MEMORY, yoke_buffer_create(a.device, 1, &refused));
out:
    release_many(buffers);
    account_close(&a);
}

/* Wait in either way: asleep, or by asking for an event. */
static void wait_for_end(yoke_stream *stream, bool asks)
{
    yoke_event *end = NULL;

    if (asks && CHECK_OK(yoke_event_record(stream, 0, &end)))
        while (yoke_event_query(end) == YOKE_PENDING)
            sched_yield();
    else
        CHECK_OK(yoke_stream_wait(stream));
    yoke_event_release(end);
}

/* The stream's thread enqueues the fill. A device that has no room for two buffers has room again after the wait. */
static void limit_behind_host_functions(suite *t)
{
    enum { ROUNDS = 3000 };
    account a;

    NEED(account_open(t, &a));
    for (unsigned i = 0; i < ROUNDS; i++) {
        stand s = STAND_INIT;
        yoke_buffer *buffer;

        NEED_OK(yoke_buffer_create(a.device, PIECE, &buffer));
        if (i == 0)
            CHECK_OK(yoke_device_set_memory_limits(a.device, look(&a).in_use, YOKE_NO_LIMIT));
        CHECK_OK(yoke_host_call(a.stream, stand_at_gate, &s, NULL));
        CHECK_OK(yoke_fill(a.stream, buffer, 0, 4096, "x", 1));
        yoke_buffer_release(buffer);
        CHECK(look(&a).buffers == 1);
        gate_open(&s.leave);
        wait_for_end(a.stream, i % 2);
        NEED(CHECK(look(&a).buffers == 0 && look(&a).in_use == 0));
    }
out:
    account_close(&a);
}

static void limit_of_what_is_kept(suite *t)
{
    yoke_buffer *buffers[MANY] = { NULL };
    account a;

    NEED(account_open(t, &a));
    for (int pinned = 0; pinned < 2; pinned++) {
        uint64_t share = pinned ? 4 : 1; /* of pinned memory only a quarter is kept */

        CHECK_OK(yoke_device_set_memory_limits(a.device, YOKE_NO_LIMIT, YOKE_NO_LIMIT));
        NEED(create_many(&a, pinned, buffers));
        uint64_t class = (pinned ? look(&a).pinned : look(&a).in_use) / MANY;
        release_many(buffers);
        CHECK((pinned ? look(&a).pinned_cached : look(&a).cached) == MANY * class);
        CHECK_OK(yoke_device_set_memory_limits(a.device, YOKE_NO_LIMIT, 3 * class * share)); /* at once */
        CHECK((pinned ? look(&a).pinned_cached : look(&a).cached) == 3 * class);
        CHECK(look(&a).cached_limit == 3 * class * share);
        NEED(create_many(&a, pinned, buffers));
        CHECK(look(&a).cached == 0 && look(&a).pinned_cached == 0);
        release_many(buffers);
        CHECK((pinned ? look(&a).pinned_cached : look(&a).cached) == 3 * class);

        CHECK_OK(yoke_device_set_memory_limits(a.device, YOKE_NO_LIMIT, 0)); /* keeps nothing */
        CHECK(look(&a).cached == 0 && look(&a).pinned_cached == 0);
        NEED(create_many(&a, pinned, buffers));
        release_many(buffers);
        CHECK(look(&a).cached == 0 && look(&a).pinned_cached == 0);
    }
out:
    release_many(buffers);
    account_close(&a);
}

static void trimming(suite *t)
{
    yoke_buffer *buffers[2][MANY] = { { NULL } };
    account a;

    NEED(account_open(t, &a));
    CHECK_OK(yoke_device_set_memory_limits(a.device, YOKE_NO_LIMIT, YOKE_NO_LIMIT));
    NEED(create_many(&a, false, buffers[0]) && create_many(&a, true, buffers[1]));
    uint64_t class = look(&a).in_use / MANY, pinned_class = look(&a).pinned / MANY;
    CHECK_OK(yoke_device_trim_memory(a.device, 0)); /* nothing of it is released */
    CHECK(look(&a).in_use == MANY * class && look(&a).pinned == MANY * pinned_class);
    release_many(buffers[0]);
    release_many(buffers[1]);
    CHECK_OK(yoke_device_trim_memory(a.device, UINT64_MAX));
    CHECK(look(&a).cached == MANY * class && look(&a).pinned_cached == MANY * pinned_class);
    CHECK_OK(yoke_device_trim_memory(a.device, 5 * class));
    CHECK(look(&a).cached == 5 * class && look(&a).pinned_cached == 5 * class / pinned_class * pinned_class);
    CHECK_OK(yoke_device_trim_memory(a.device, 1));
    CHECK(look(&a).cached == 0 && look(&a).pinned_cached == 0);
    CHECK_OK(yoke_device_trim_memory(a.device, 0));
    for (int i = 0; i < 3; i++) { /* in the order of a stream that has nothing else to do */
        NEED_OK(yoke_buffer_create_ordered(a.stream, 300000, &buffers[0][0]));
        yoke_buffer_release(buffers[0][0]);
        buffers[0][0] = NULL;
    }
    CHECK_OK(yoke_device_trim_memory(a.device, 0));
    CHECK(look(&a).cached == 0);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "device", yoke_device_trim_memory(NULL, 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "device", yoke_device_set_memory_limits(NULL, 0, 0));
out:
    release_many(buffers[0]);
    release_many(buffers[1]);
    account_close(&a);
}

/* ---- Sizes ---- */

typedef yoke_status (*creator)(account *a, size_t size, yoke_buffer **out_buffer);

static yoke_status create_plain(account *a, size_t size, yoke_buffer **out_buffer)
{
    return yoke_buffer_create(a->device, size, out_buffer);
}

static yoke_status create_ordered(account *a, size_t size, yoke_buffer **out_buffer)
{
    return yoke_buffer_create_ordered(a->stream, size, out_buffer);
}

static yoke_status create_kind(account *a, size_t size, yoke_buffer **out_buffer)
{
    return yoke_buffer_create_in(a->device, YOKE_MEMORY_DEVICE, size, out_buffer);
}

/* The largest there may be: it is there from the first byte to the last, or something else has part of the memory. */
static void create_largest(account *a, creator create, size_t size)
{
    unsigned char back[2] = { 0 };
    yoke_buffer *buffer = NULL;
    yoke_status status = create(a, size, &buffer);

    if (status == YOKE_E_OUT_OF_DEVICE_MEMORY)
        return;
    NEED_OK(status);
    CHECK(yoke_buffer_get_size(buffer) == size);
    NEED_OK(yoke_fill(a->stream, buffer, 0, 1, "a", 1));
    NEED_OK(yoke_fill(a->stream, buffer, size - 1, 1, "z", 1));
    NEED_OK(yoke_read(a->stream, &back[0], buffer, 0, 1));
    NEED_OK(yoke_read(a->stream, &back[1], buffer, size - 1, 1));
    NEED_OK(yoke_stream_wait(a->stream));
    CHECK(back[0] == 'a' && back[1] == 'z');
out:
    yoke_buffer_release(buffer);
    CHECK_OK(yoke_device_trim_memory(a->device, 0));
}

static void sizes(suite *t)
{
    static const creator creators[] = { create_plain, create_ordered, create_kind };
    size_t largest = (size_t)t->info.max_buffer;
    account a;

    NEED(account_open(t, &a));
    for (size_t c = 0; c < sizeof creators / sizeof creators[0]; c++) {
        yoke_buffer *buffer = (yoke_buffer *)t;

        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "size|0", creators[c](&a, 0, &buffer));
        CHECK(buffer == NULL);
        CHECK_FAILS(YOKE_E_RANGE, "largest", creators[c](&a, largest + 1, &buffer));
        CHECK_FAILS(YOKE_E_RANGE, "largest", creators[c](&a, SIZE_MAX, &buffer));
        CHECK_FAILS(YOKE_E_RANGE, "largest", creators[c](&a, SIZE_MAX - 4095, &buffer));
        CHECK(buffer == NULL);
        if (CHECK_OK(creators[c](&a, 1, &buffer))) {
            CHECK(yoke_buffer_get_size(buffer) == 1);
            CHECK_FAILS(YOKE_E_RANGE, "1", yoke_fill(a.stream, buffer, 0, 2, "x", 1));
            CHECK_OK(yoke_fill(a.stream, buffer, 0, 1, "x", 1));
            CHECK_OK(yoke_stream_wait(a.stream));
        }
        yoke_buffer_release(buffer);
        create_largest(&a, creators[c], largest);
        create_largest(&a, creators[c], largest - 1);
        CHECK(look(&a).buffers == 0);
    }
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_buffer", yoke_buffer_create_ordered(a.stream, 64, NULL));
out:
    account_close(&a);
}

/* ---- Misuse ---- */

/* A program that was built against a smaller struct has not got the memory behind it; one that was built against a larger one gets
 * zeros. */
static void info_of_other_versions(suite *t)
{
    struct {
        yoke_memory_info info;
        unsigned char more[64];
    } large, untouched;
    static const size_t known[] = { sizeof(size_t), offsetof(yoke_memory_info, total), offsetof(yoke_memory_info, cached),
                                    sizeof(yoke_memory_info) };
    yoke_memory_info all = YOKE_MEMORY_INFO_INIT;

    CHECK_OK(yoke_device_get_memory(t->device, &all));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        memset(&large, 0xEE, sizeof large);
        memset(&untouched, 0xEE, sizeof untouched);
        large.info.size = known[i];
        CHECK_OK(yoke_device_get_memory(t->device, &large.info));
        CHECK(large.info.size == known[i]);
        CHECK_BYTES((char *)&large + known[i], (char *)&untouched + known[i], sizeof large - known[i]);
        if (known[i] > offsetof(yoke_memory_info, total))
            CHECK(large.info.total == all.total && large.info.in_use == all.in_use && large.info.buffers == all.buffers);
    }
    memset(&large, 0xEE, sizeof large);
    memset(&untouched, 0, sizeof untouched);
    large.info.size = sizeof large;
    CHECK_OK(yoke_device_get_memory(t->device, &large.info));
    CHECK(large.info.total == all.total && large.info.cached_limit == all.cached_limit);
    CHECK_BYTES(large.more, untouched.more, sizeof large.more);

    large.info.size = 0;
    large.info.cached_limit = 1;
    CHECK_OK(yoke_device_get_memory(t->device, &large.info));
    CHECK(large.info.size == 0 && large.info.cached_limit == all.cached_limit);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_info", yoke_device_get_memory(t->device, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "device", yoke_device_get_memory(NULL, &all));
}

/* Memory that was returned twice would be handed out twice. */
static void released_twice(suite *t)
{
    enum { SIZE = 65536 };
    yoke_buffer *buffer = NULL, *two[2] = { NULL, NULL };
    unsigned char wanted[SIZE], back[SIZE];
    account a;

    NEED(account_open(t, &a));
    NEED_OK(yoke_buffer_create(a.device, SIZE, &buffer));
    uint64_t class = look(&a).in_use;
    for (int i = 0; i < 3; i++)
        yoke_buffer_release(buffer);
    yoke_memory_info info = look(&a);
    CHECK(info.buffers == 0 && info.in_use == 0 && info.cached == class);
    for (int i = 0; i < 2; i++)
        NEED_OK(yoke_buffer_create(a.device, SIZE, &two[i]));
    info = look(&a);
    CHECK(info.buffers == 2 && info.in_use == 2 * class && info.cached == 0);
    NEED_OK(yoke_fill(a.stream, two[0], 0, SIZE, "a", 1));
    NEED_OK(yoke_fill(a.stream, two[1], 0, SIZE, "b", 1));
    NEED_OK(yoke_read_sync(a.stream, back, two[0], 0, SIZE));
    memset(wanted, 'a', SIZE);
    CHECK_BYTES(back, wanted, SIZE);
out:
    yoke_buffer_release(two[0]);
    yoke_buffer_release(two[1]);
    account_close(&a);
}

/* ---- Ends ---- */

enum { ENDS = 2000 };

typedef struct ends {
    yoke_stream *stream;
    gate made, gone;
} ends;

static void *release_streams(void *argument)
{
    ends *e = argument;

    for (unsigned i = 1; i <= ENDS; i++) {
        gate_wait(&e->made, i);
        yoke_stream_release(e->stream);
        gate_open(&e->gone);
    }
    return NULL;
}

/* Memory of a stream's order that another stream has used, too: it goes when one thread looks whether anything can go, and the
 * stream in another thread. */
static void a_stream_goes_with_its_memory(suite *t)
{
    ends e = { .made = GATE_INIT, .gone = GATE_INIT };
    yoke_buffer *buffer = NULL;
    yoke_event *filled = NULL, *end = NULL;
    pthread_t thread;

    if (!CHECK(pthread_create(&thread, NULL, release_streams, &e) == 0))
        return;
    for (unsigned i = 0; i < ENDS; i++) {
        e.stream = NULL;
        if (CHECK_OK(yoke_stream_create(t->device, NULL, &e.stream)) &&
            CHECK_OK(yoke_buffer_create_ordered(e.stream, 64, &buffer)) && CHECK_OK(yoke_fill(e.stream, buffer, 0, 64, "a", 1)) &&
            CHECK_OK(yoke_event_record(e.stream, 0, &filled)) && CHECK_OK(yoke_stream_wait_event(t->stream, filled)) &&
            CHECK_OK(yoke_fill(t->stream, buffer, 0, 64, "b", 1)))
            CHECK_OK(yoke_event_record(t->stream, 0, &end));
        yoke_buffer_release(buffer);
        CHECK_OK(yoke_event_wait(end));
        yoke_event_release(filled);
        yoke_event_release(end);
        filled = end = NULL;
        buffer = NULL;
        gate_open(&e.made);
        CHECK_OK(yoke_device_trim_memory(t->device, YOKE_NO_LIMIT));
        gate_wait(&e.gone, i + 1);
    }
    pthread_join(thread, NULL);
}

int main(void)
{
    static const suite_case cases[] = {
        { "nothing is counted at first", nothing_at_first, false },
        { "counted from creation to the last release", counted_from_creation_to_release, false },
        { "memory is used again", memory_is_used_again, false },
        { "pinned memory is counted apart", pinned_is_counted_apart, false },
        { "mapped and shared memory are counted", mapped_and_shared_are_counted, false },
        { "a limit of what is in use", limit_of_what_is_in_use, false },
        { "a limit, and what host functions hold back", limit_behind_host_functions, false },
        { "a limit of what is kept", limit_of_what_is_kept, false },
        { "trimming", trimming, false },
        { "sizes from 0 to the largest, and beyond", sizes, false },
        { "infos of older and newer programs", info_of_other_versions, false },
        { "released twice", released_twice, false },
        { "a stream goes with its memory", a_stream_goes_with_its_memory, false },
    };
    suite_alone();
    return SUITE_MAIN(cases, NULL);
}
