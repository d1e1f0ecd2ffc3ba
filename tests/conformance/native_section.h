/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native sections as libraries have them: a copy between two buffers of Yoke's by the driver's own call, on the stream that the
 * section is given; and what is known of its calls.
 */
#ifndef NATIVE_SECTION_H
#define NATIVE_SECTION_H

#include "driver.h"
#include "recorded.h"

typedef struct section {
    const native *driver;
    uintptr_t target, source;
    size_t size;
    yoke_buffer *kept[2]; /* given back by section_release; or NULL */
    yoke_status expected, result;
    atomic_uint calls, releases;
    pthread_t thread;            /* of the last call */
    int (*refused)(void *queue); /* called before the copy; or NULL */
    gate changed;                /* opened by every call and every release */
} section;

/* A section that copies the whole of `source`. */
static inline bool section_init(section *s, const native *d, yoke_buffer *target, yoke_buffer *source, size_t size)
{
    *s = (section){ .driver = d, .size = size, .changed = GATE_INIT };
    return CHECK_OK(yoke_buffer_get_native(target, &s->target)) && CHECK_OK(yoke_buffer_get_native(source, &s->source));
}

static inline yoke_status section_copy(const section *s, void *handle)
{
    int code = s->driver->cuda
                   ? s->driver->cuMemcpyDtoDAsync_v2(s->target, s->source, s->size, handle)
                   : s->driver->clEnqueueCopyBuffer(handle, (void *)s->source, (void *)s->target, 0, 0, s->size, 0, NULL, NULL);
    return code == 0 ? YOKE_OK : yoke_fail(OWN_STATUS, "the driver's copy: %d", code);
}

static inline yoke_status section_call(yoke_status status, void *handle, void *user)
{
    section *s = user;
    yoke_status result = YOKE_OK;

    CHECK_STATUS(s->expected, status);
    CHECK((handle != NULL) == (status == YOKE_OK));
    CHECK(status == YOKE_OK ? yoke_error()->status == YOKE_OK : yoke_error()->status == status);
    CHECK(atomic_load(&s->releases) == 0);
    s->thread = pthread_self();
    if (s->result < 0)
        result = yoke_fail(s->result, OWN_TEXT);
    else if (handle && s->refused && s->refused(handle) != 0)
        result = yoke_fail(OWN_STATUS, "the driver refuses this while it captures");
    else if (handle)
        result = section_copy(s, handle);
    atomic_fetch_add(&s->calls, 1);
    gate_open(&s->changed);
    return result;
}

static inline void section_release(void *user)
{
    section *s = user;

    for (int i = 0; i < 2; i++)
        yoke_buffer_release(s->kept[i]);
    CHECK(atomic_fetch_add(&s->releases, 1) == 0);
    gate_open(&s->changed);
}

static inline bool section_is(const section *s, unsigned calls, unsigned releases)
{
    return CHECK(atomic_load(&s->calls) == calls) && CHECK(atomic_load(&s->releases) == releases);
}

static inline bool section_enqueue(yoke_stream *stream, section *s)
{
    return CHECK_OK(yoke_native_enqueue(stream, section_call, s, section_release));
}

/* ---- Words that sections copy: x is advanced, y gets a copy, z gets a copy of that ---- */

typedef struct chain {
    native driver;
    bool captures; /* the driver's graphs hold sections */
    words x, y, z;
} chain;

static inline bool chain_create(suite *t, chain *c)
{
    memset(c, 0, sizeof *c);
    if (!native_open(t, &c->driver))
        return false;
    c->captures = c->driver.cuda && (t->info.capabilities & UINT64_C(1) << YOKE_CAP_GRAPHS);
    return words_create(t, 1, &c->x) && words_create(t, 2, &c->y) && words_create(t, 3, &c->z);
}

static inline void chain_release(suite *t, chain *c)
{
    (void)yoke_stream_wait(t->stream);
    (void)yoke_stream_wait(t->side);
    native_close(&c->driver);
    guarded_release(&c->x.device);
    guarded_release(&c->y.device);
    guarded_release(&c->z.device);
}

static inline bool chain_check(suite *t, const chain *c)
{
    return words_check(t, &c->x) && words_check(t, &c->y) && words_check(t, &c->z);
}

static inline bool init_copy(section *s, const chain *c, const words *target, const words *source)
{
    return section_init(s, &c->driver, target->device.buffer, source->device.buffer, WORDS_SIZE);
}

#endif
