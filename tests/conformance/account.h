/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that a case opens anew, so that all the memory which is counted there is its own, and in the end none is.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <string.h>

#include "suite.h"

typedef struct account {
    yoke_device *device;
    yoke_stream *stream;
} account;

static inline bool account_open(suite *t, account *a)
{
    *a = (account){ NULL, NULL };
    return CHECK_OK(yoke_device_open(t->info.selector, &a->device)) && CHECK_OK(yoke_stream_create(a->device, NULL, &a->stream));
}

static inline yoke_memory_info look(const account *a)
{
    yoke_memory_info info = YOKE_MEMORY_INFO_INIT;

    CHECK_OK(yoke_device_get_memory(a->device, &info));
    return info;
}

/* With everything released and given back, nothing is counted any more. */
static inline void account_close(account *a)
{
    if (a->stream) {
        CHECK_OK(yoke_stream_wait(a->stream));
        CHECK_OK(yoke_device_trim_memory(a->device, 0));
        yoke_memory_info info = look(a);
        CHECK(info.buffers == 0);
        CHECK(info.in_use == 0 && info.cached == 0);
        CHECK(info.pinned == 0 && info.pinned_cached == 0);
    }
    yoke_stream_release(a->stream);
    yoke_device_release(a->device);
}

/* Two threads with a piece each, of which the device has room for two and not for three: none is ever refused. */
typedef struct taker {
    account *a;
    size_t size;
    bool ordered;
    unsigned rounds, refused;
    char text[256]; /* of the last refusal */
    pthread_t thread;
} taker;

static inline void *take_and_give(void *argument)
{
    taker *k = argument;
    yoke_stream *stream = NULL;

    if (!CHECK_OK(yoke_stream_create(k->a->device, NULL, &stream)))
        return NULL;
    for (unsigned i = 0; i < k->rounds; i++) {
        yoke_buffer *buffer = NULL;
        yoke_status status =
            k->ordered ? yoke_buffer_create_ordered(stream, k->size, &buffer) : yoke_buffer_create(k->a->device, k->size, &buffer);
        if (status == YOKE_OK) {
            CHECK_OK(yoke_fill(stream, buffer, 0, 4096, "x", 1));
        } else {
            CHECK_STATUS(YOKE_E_OUT_OF_DEVICE_MEMORY, status);
            k->refused++;
            memcpy(k->text, yoke_error()->text, sizeof k->text - 1);
        }
        yoke_buffer_release(buffer);
    }
    CHECK_OK(yoke_stream_wait(stream));
    yoke_stream_release(stream);
    return NULL;
}

static inline void two_take_and_give(account *a, size_t size, bool ordered, unsigned rounds)
{
    taker takers[2] = { { .a = a, .size = size, .ordered = ordered, .rounds = rounds } };
    int started = 0;

    takers[1] = takers[0];
    while (started < 2 && CHECK(pthread_create(&takers[started].thread, NULL, take_and_give, &takers[started]) == 0))
        started++;
    for (int i = 0; i < started; i++) {
        pthread_join(takers[i].thread, NULL);
        if (!CHECK(takers[i].refused == 0))
            tap_diag("%u of %u were refused, %s, the last: %s", takers[i].refused, rounds, ordered ? "ordered" : "plain",
                     takers[i].text);
    }
}

/* What a buffer of `size` bytes may count as: size classes are at most an eighth apart. */
static inline bool is_class_of(uint64_t counted, uint64_t size)
{
    return counted >= size && counted <= size + size / 8;
}

#endif
