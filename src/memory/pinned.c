/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether host memory is pinned for a device, which decides how it is copied. Memory that Yoke pinned is in a search tree by
 * address, with its device; for any other memory the driver is queried. A pinned buffer and its bare pointer get the same answer.
 */
#include "memory/pinned.h"

#include <search.h>
#include <stdlib.h>

#include "backend.h"

typedef struct range {
    const char *start, *end;
    const yoke_device *device;
} range;

static atomic_bool lock; /* protects the tree; a leaf */
static void *tree;

/* Overlapping ranges compare as equal. */
static int compare(const void *left, const void *right)
{
    const range *a = left, *b = right;
    return a->end <= b->start ? -1 : a->start >= b->end;
}

yoke_status yk_pinned_add(const yoke_buffer *buffer)
{
    const char *start = buffer->host;
    range *added = malloc(sizeof *added);
    if (!added)
        return yk_no_memory("a pinned buffer");
    *added = (range){ start, start + buffer->capacity, buffer->device };
    yk_light_lock(&lock);
    range **entry = tsearch(added, &tree, compare);
    bool full = !entry, alone = entry && *entry == added;
    yk_light_unlock(&lock);
    if (alone)
        return YOKE_OK;
    free(added);
    if (full)
        return yk_no_memory("a pinned buffer");
    return yk_fail(YOKE_E_INVALID_ARGUMENT, "part of the memory is already pinned by another buffer");
}

void yk_pinned_forget(const yoke_buffer *buffer)
{
    const char *start = buffer->host;
    range wanted = { start, start + buffer->capacity, NULL }, *found = NULL;
    yk_light_lock(&lock);
    range **entry = tfind(&wanted, &tree, compare);
    if (entry) {
        found = *entry;
        tdelete(found, &tree, compare);
    }
    yk_light_unlock(&lock);
    free(found);
}

/* Whether memory that was pinned for one device is pinned for another. */
static bool counts_for(const yoke_device *device, const yoke_device *pinned_for)
{
    return device == pinned_for || (device->backend == pinned_for->backend && device->traits.pins_for_all_devices);
}

/* Whether the memory lies in one pinned buffer of any device; *out_pinned: whether the buffer is pinned for this device. */
static bool find(const yoke_device *device, const char *start, const char *end, bool *out_pinned)
{
    range wanted = { start, end, NULL };
    yk_light_lock(&lock);
    range **entry = tfind(&wanted, &tree, compare);
    bool covered = entry && (*entry)->start <= start && (*entry)->end >= end;
    *out_pinned = covered && counts_for(device, (*entry)->device);
    yk_light_unlock(&lock);
    return covered;
}

bool yk_is_pinned(const yoke_device *device, const void *host, size_t size)
{
    const char *start = host, *end = start + size;
    bool pinned;
    if (find(device, start, end, &pinned))
        return pinned; /* a driver may report another driver's pinned memory as its own */
    return device->backend->host_is_pinned(device, start) && device->backend->host_is_pinned(device, end - 1);
}

bool yk_is_target(const yoke_device *device, const void *host, size_t size)
{
    const char *start = host;
    bool pinned;
    return find(device, start, start + size, &pinned) || yk_is_writable(host, size) || yk_is_pinned(device, host, size);
}
