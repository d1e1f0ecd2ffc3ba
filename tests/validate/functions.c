/* SPDX-License-Identifier: Apache-2.0 */
/* Races with what host functions and native sections do, and with operations that are deferred behind them. */
#include "scene.h"

/* ---- Host functions ---- */

static yoke_status bump_elsewhere(yoke_status status, void *user)
{
    scene *s = user;
    scene_bump(s, s->b, s->x);
    if (s->right)
        CHECK_OK(yoke_stream_wait(s->b));
    return status;
}

static void function_does_not_wait(scene *s)
{
    CHECK_OK(yoke_host_call(s->a, bump_elsewhere, s, NULL));
    scene_bump(s, s->a, s->x);
}

static yoke_status follow_elsewhere(yoke_status status, void *user)
{
    scene *s = user;
    scene_bump(s, s->b, s->x);
    if (s->right)
        scene_follow(s->a, s->b); /* at the end of a, which is behind what the program has enqueued; c is behind that */
    return status;
}

static yoke_status tell(yoke_status status, void *user)
{
    sem_post(&((scene *)user)->told);
    return status;
}

static void wait_until_told(scene *s)
{
    while (sem_wait(&s->told) != 0)
        continue;
}

static void function_of_a_function(scene *s)
{
    CHECK_OK(yoke_host_call(s->a, follow_elsewhere, s, NULL));
    CHECK_OK(yoke_host_call(s->a, tell, s, NULL));
    wait_until_told(s);
    scene_bump(s, s->a, s->x);
}

static void not_told(scene *s)
{
    scene_hold(s, s->a);
    scene_bump(s, s->a, s->x);
    CHECK_OK(yoke_host_call(s->a, tell, s, NULL));
    if (!s->right)
        scene_bump(s, s->b, s->x);
    scene_go(s);
    wait_until_told(s);
    if (s->right)
        scene_bump(s, s->b, s->x);
}

/* ---- Deferred operations ---- */

static void deferred_writer(scene *s)
{
    scene_hold(s, s->a);
    scene_bump(s, s->a, s->x);
    scene_order(s);
    scene_bump(s, s->b, s->x);
    scene_go(s);
}

static void event_of_what_is_deferred(scene *s)
{
    yoke_event *event = NULL;
    scene_hold(s, s->a);
    if (!s->right)
        CHECK_OK(yoke_event_record(s->a, 0, &event));
    scene_bump(s, s->a, s->x);
    if (s->right)
        CHECK_OK(yoke_event_record(s->a, 0, &event));
    CHECK_OK(yoke_stream_wait_event(s->b, event));
    scene_bump(s, s->b, s->x);
    scene_go(s);
    yoke_event_release(event);
}

static void two_that_are_deferred(scene *s)
{
    scene_hold(s, s->c);
    scene_follow(s->a, s->c);
    scene_follow(s->b, s->c);
    scene_bump(s, s->a, s->x);
    scene_order(s);
    scene_bump(s, s->b, s->x);
    scene_go(s);
}

/* What the function has seen of the program is before what comes behind the function. */
static void function_awaits_the_program(scene *s)
{
    if (s->right)
        scene_hold(s, s->a);
    scene_bump(s, s->b, s->x);
    if (s->right)
        CHECK_OK(yoke_stream_wait(s->b));
    scene_bump(s, s->a, s->x);
    scene_go(s);
}

static void third_is_deferred(scene *s)
{
    scene_bump(s, s->a, s->x);
    scene_hold(s, s->c);
    scene_follow(s->c, s->a);
    scene_follow(s->b, s->right ? s->c : s->b);
    scene_bump(s, s->b, s->x);
    scene_go(s);
}

/* ---- Native sections ---- */

static yoke_status do_nothing(yoke_status status, void *native_stream, void *user)
{
    (void)native_stream, (void)user;
    return status;
}

static void section_reads(scene *s)
{
    yoke_buffer *buffers[] = { s->x };
    uintptr_t natives[1];
    scene_bump(s, s->a, s->x);
    scene_order(s);
    CHECK_OK(yoke_native_enqueue_with_buffers(s->b, do_nothing, NULL, NULL, buffers, 1, natives));
}

static void section_is_overwritten(scene *s)
{
    yoke_buffer *buffers[] = { s->y, s->x };
    uintptr_t natives[2];
    CHECK_OK(yoke_native_enqueue_with_buffers(s->a, do_nothing, NULL, NULL, buffers, 2, natives));
    scene_order(s);
    scene_bump(s, s->b, s->x);
}

static const mistake list[] = {
    { "a function that does not wait for what it enqueues", "races", function_does_not_wait, -1 },
    { "a function that leaves its work to the stream's end", "races", function_of_a_function, -1 },
    { "the program does not wait to be told", "races", not_told, -1 },
    { "a writer that is deferred", "races", deferred_writer, -1 },
    { "no function that waits for the program", "races", function_awaits_the_program, -1 },
    { "an event before a deferred operation", "races", event_of_what_is_deferred, -1 },
    { "two deferred operations", "races", two_that_are_deferred, -1 },
    { "a third stream that defers", "races", third_is_deferred, -1 },
    { "a native section that uses a buffer", "races", section_reads, -1 },
    { "what a native section uses is overwritten", "races", section_is_overwritten, -1 },
};
const mistakes function_mistakes = { list, sizeof list / sizeof list[0] };
