/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that libraries on top of Yoke attach to a device. They are few, and only added to until the device ends, so that a list
 * that readers walk without a lock is enough.
 */
#include <stdlib.h>

#include "device/device.h"

#include <yoke/library.h>

struct yk_attachment {
    yk_attachment *next;
    const void *key;
    void *value;
    yoke_release_fn release;
};

/* From `at` to `end`, which is not looked at. */
static yk_attachment *find(yk_attachment *at, const yk_attachment *end, const void *key)
{
    while (at != end && at->key != key)
        at = at->next;
    return at != end ? at : NULL;
}

/* Returns the attachment that the key has now: the caller's, or another thread's that came first. */
static yk_attachment *add(yoke_device *device, yk_attachment *added)
{
    yk_attachment *seen = NULL, *first = atomic_load_explicit(&device->attachments, memory_order_acquire);
    do {
        yk_attachment *other = find(first, seen, added->key);
        if (other)
            return other;
        seen = first;
        added->next = first;
    } while (!atomic_compare_exchange_weak(&device->attachments, &first, added));
    return added;
}

yoke_status yoke_device_attach(yoke_device *device, const void *key, void *value, yoke_release_fn release, void **out_value)
{
    YK_FUNCTION(yoke_device_attach);
    YK_OUT(out_value);
    YK_CHECK(device, YK_DEVICE, function, "device");
    if (!key)
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: key is NULL", function));
    yk_attachment *attachment = find(atomic_load_explicit(&device->attachments, memory_order_acquire), NULL, key);
    if (!attachment && value) {
        yk_attachment *added = malloc(sizeof *added);
        if (!added)
            return yk_attribute(function, NULL, yk_no_memory("an attached value"));
        *added = (yk_attachment){ .key = key, .value = value, .release = release };
        attachment = add(device, added);
        if (attachment != added)
            free(added);
    }
    *out_value = attachment ? attachment->value : NULL;
    return YOKE_OK;
}

void yk_device_attachments_end(yoke_device *device)
{
    for (yk_attachment *at = atomic_load(&device->attachments), *next; at; at = next) {
        next = at->next;
        if (at->release)
            at->release(at->value);
        free(at);
    }
}
