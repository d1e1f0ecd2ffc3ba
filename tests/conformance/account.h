/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that a case opens anew, so that all the memory which is counted there is its own, and in the end none is.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include "suite.h"

typedef struct account {
    yoke_device *device;
    yoke_stream *stream;
} account;

static inline bool account_open(suite *t, account *a)
{
    *a = (account){ NULL, NULL };
    return CHECK_OK(yoke_device_open(t->info.selector, &a->device)) && CHECK_OK(yoke_stream_create(a->device, &a->stream));
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
        CHECK_OK(yoke_device_trim(a->device, 0));
        yoke_memory_info info = look(a);
        CHECK(info.buffers == 0);
        CHECK(info.in_use == 0 && info.cached == 0);
        CHECK(info.pinned == 0 && info.pinned_cached == 0);
    }
    yoke_stream_release(a->stream);
    yoke_device_release(a->device);
}

/* What a buffer of `size` bytes may count as: size classes are at most an eighth apart. */
static inline bool is_class_of(uint64_t counted, uint64_t size)
{
    return counted >= size && counted <= size + size / 8;
}

#endif
