/* SPDX-License-Identifier: Apache-2.0 */
/* Objects: counts, memory that is reused, and what is known of a released object. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../tap/tap.h"
#include "objects/objects.h"

static bool all_zero(const void *object, size_t size)
{
    const char *bytes = object;
    for (size_t i = sizeof(yk_object); i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

static void destroy(void *object, size_t size)
{
    memset((char *)object + sizeof(yk_object), 0xee, size - sizeof(yk_object));
    yk_object_free(object, size);
}

static void destroy_buffer(void *object)
{
    destroy(object, sizeof(yoke_buffer));
}

static void destroy_stream(void *object)
{
    destroy(object, sizeof(yoke_stream));
}

static void destroy_event(void *object)
{
    destroy(object, sizeof(yoke_event));
}

/* For objects of any size, whose memory the test gives back by itself. */
static void let_be(void *object)
{
    (void)object;
}

static void counts(void)
{
    yoke_buffer *buffer = yk_object_new(YK_BUFFER, sizeof *buffer, destroy_buffer);
    tap_ok(buffer && yk_is(buffer, YK_BUFFER) && !yk_is(buffer, YK_STREAM) && !yk_is(NULL, YK_BUFFER),
           "a new object is of its kind");
    tap_ok(all_zero(buffer, sizeof *buffer), "and zeroed");
    yk_object_retain(buffer);
    yk_object_release(buffer);
    tap_ok(yk_is(buffer, YK_BUFFER), "the first of two references is not the last");
    yk_object_release(buffer);
    tap_ok(!yk_is(buffer, YK_BUFFER) && yk_is(buffer, YK_DEAD), "the second is: the object is destroyed, and can be looked at");
    yk_object_release(NULL);
}

static void faults(void)
{
    yoke_stream *stream = yk_object_new(YK_STREAM, sizeof *stream, destroy_stream);
    unsigned long something[8] = { 42 };
    tap_is(yk_object_fault(stream, YK_STREAM, "yoke_write", "stream"), YOKE_OK, "a live object has no fault");
    tap_is(yk_object_fault(stream, YK_BUFFER, "yoke_write", "buffer"), YOKE_E_INVALID_ARGUMENT, "another kind has");
    tap_is(yoke_error()->text, "yoke_write: buffer is not a buffer (it is a stream)", "which is reported");
    tap_is(yk_object_fault(something, YK_EVENT, "yoke_event_query", "event"), YOKE_E_INVALID_ARGUMENT, "so has other memory");
    tap_is(yoke_error()->text, "yoke_event_query: event is not an event", "which is reported");
    yk_object_release(stream);
    tap_is(yk_object_fault(stream, YK_STREAM, "yoke_write", "stream"), YOKE_E_INVALID_ARGUMENT, "so has a released object");
    tap_is(yoke_error()->text, "yoke_write: stream has already been released", "which is reported");
    tap_is(yoke_error()->cause_status, YOKE_OK, "and does not take the failure before it for its cause");
}

/* Objects of every size, many times over: the memory is used again, zeroed, but not at once. */
static void reuse(void)
{
    static const size_t sizes[] = { sizeof(yoke_buffer), sizeof(yoke_event), sizeof(yoke_stream), 4096, 10000 };
    for (size_t i = 0; i < YK_COUNT_OF(sizes); i++) {
        size_t size = sizes[i];
        yk_object *last = NULL;
        bool zero = true, dead = true;
        for (int round = 0; round < 1000; round++) {
            yk_object *object = yk_object_new(YK_PROGRAM, size, let_be);
            if (!object)
                tap_bail("out of memory");
            zero = zero && all_zero(object, size);
            dead = dead && (!last || (object != last && yk_is(last, YK_DEAD)));
            yk_object_release(object);
            destroy(object, size);
            last = object;
        }
        tap_ok(zero, "1000 objects of %zu bytes are zeroed", size);
        tap_ok(dead, "and the one before is still dead");
    }
}

static void crowd(void)
{
    static yk_object *objects[2000];
    bool good = true;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < YK_COUNT_OF(objects); i++)
            objects[i] = yk_object_new(YK_EVENT, sizeof(yoke_event), destroy_event);
        for (size_t i = 0; i < YK_COUNT_OF(objects); i++)
            good = good && yk_is(objects[i], YK_EVENT);
        for (size_t i = 0; i < YK_COUNT_OF(objects); i++)
            yk_object_release(objects[i]);
    }
    tap_ok(good, "2000 objects at a time");
}

static yoke_buffer *shared;

static void *worker(void *good)
{
    for (int i = 0; i < 20000; i++) {
        yoke_buffer *buffer = yk_object_new(YK_BUFFER, sizeof *buffer, destroy_buffer);
        if (!buffer || buffer->size || buffer->root)
            *(bool *)good = false;
        else
            buffer->size = (size_t)i + 1;
        yk_object_retain(shared);
        yk_object_release(shared);
        yk_object_release(buffer);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t threads[4];
    bool good[4];
    shared = yk_object_new(YK_BUFFER, sizeof *shared, destroy_buffer);
    for (int i = 0; i < 4; i++) {
        good[i] = true;
        if (pthread_create(&threads[i], NULL, worker, &good[i]) != 0)
            tap_bail("no thread can be started");
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        tap_ok(good[i], "thread %d got its own objects only", i);
    }
    yk_object_release(shared);
    tap_ok(yk_is(shared, YK_DEAD), "the references of all threads add up");
}

int main(void)
{
    tap_start(60);
    counts();
    faults();
    reuse();
    crowd();
    threads();
    return tap_done();
}
