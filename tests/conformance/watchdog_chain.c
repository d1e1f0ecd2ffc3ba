/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the watchdog takes for a circle. Two streams wait for each other, as far as can be seen of them one after the other; but one
 * of the events is the driver's to complete, so both get on. A function in the place of the backend's keeps it pending.
 */
#include "backend.h"
#include "suite.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static const yk_backend *real;
static yk_backend doctored;
static _Atomic(yoke_event *) pending;

static yoke_status query(yoke_event *event)
{
    return event == atomic_load(&pending) ? YOKE_PENDING : real->event_query(event);
}

static yoke_status wait_for(yoke_status status, void *event)
{
    CHECK_STATUS(YOKE_OK, status);
    return yoke_event_wait(event);
}

/* How often the watchdog has told of the stream of this name. */
static unsigned told_of(const char *name)
{
    char words[64];

    snprintf(words, sizeof words, "'%s' of|made no progress", name);
    return suite_logged(YOKE_LOG_WARNING, words);
}

/* Returns when both were told of; false: before both waited. */
static bool both_are_told_of(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *hen = NULL, *egg = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *given = NULL, *held = NULL;
    const uint32_t zero = 0;
    unsigned of_hen = told_of("hen"), of_egg = told_of("egg");

    desc.flags = YOKE_STREAM_TIMED;
    desc.name = "hen";
    NEED_OK(yoke_stream_create(t->device, &desc, &hen));
    desc.name = "egg";
    NEED_OK(yoke_stream_create(t->device, &desc, &egg));
    NEED_OK(yoke_buffer_create(t->device, 4, &buffer));
    NEED_OK(yoke_fill(hen, buffer, 0, 4, &zero, sizeof zero));
    NEED_OK(yoke_event_record(hen, YOKE_EVENT_TIMED, &given));
    real = t->device->backend;
    doctored = *real;
    doctored.event_query = query;
    atomic_store(&pending, given);
    t->device->backend = &doctored;
    NEED_OK(yoke_host_call(egg, wait_for, given, NULL));
    NEED_OK(yoke_event_record(egg, 0, &held));
    NEED_OK(yoke_host_call(hen, wait_for, held, NULL));
    while (told_of("hen") == of_hen || told_of("egg") == of_egg)
        sched_yield();
out:
    atomic_store(&pending, NULL);
    CHECK_OK(yoke_stream_wait(hen));
    CHECK_OK(yoke_stream_wait(egg));
    if (real)
        t->device->backend = real;
    yoke_event_release(given);
    yoke_event_release(held);
    yoke_buffer_release(buffer);
    yoke_stream_release(hen);
    yoke_stream_release(egg);
    return suite_logged(YOKE_LOG_WARNING, "'hen' of|made no progress|'egg'|submitted to the driver") > 0;
}

static void what_the_driver_has(suite *t)
{
    enum { TRIES = 20 }; /* on a busy machine a thread may come to its wait late */
    bool whole = false;

    if (!suite_can(t, YOKE_CAP_TIMING)) {
        suite_skip("an event without a time is known to be complete by others");
        return;
    }
    suite_expect_log();
    for (int i = 0; i < TRIES && !whole && suite_failures() == 0; i++)
        whole = both_are_told_of(t);
    CHECK(whole);
    CHECK(suite_logged(YOKE_LOG_WARNING, "cycle") == 0);
}

static const suite_case cases[] = {
    { "what waits for an event that the driver has is no circle", what_the_driver_has, false },
};

int main(void)
{
    setenv("YOKE_WATCHDOG", "0.2", 1);
    return SUITE_MAIN(cases, NULL);
}
