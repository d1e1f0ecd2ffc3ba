/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that make and release objects, wait, and enqueue functions; and how random bytes become steps. Each takes eight: which
 * step, and what of. A place that holds nothing gives NULL, which the library has to refuse.
 */
#include "steps.h"

#include <yoke/native.h>

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static site *site_of(const world *w, uint8_t byte)
{
    return &w->sites[byte % w->site_count];
}

lane *lane_of(world *w, uint8_t byte)
{
    lane *l = byte % 8 < 2 * LANES - 1 ? w->lane[byte % LANES] : NULL;
    return l && l->recording && l->recording->count == MOST_NODES ? NULL : l; /* the model keeps no more */
}

block *block_of(world *w, uint8_t byte)
{
    return &w->block[byte % BLOCKS];
}

static known_event *point_of(world *w, uint8_t byte)
{
    return &w->point[byte % POINTS];
}

yoke_stream *stream_of(const lane *l)
{
    return l ? l->stream : NULL;
}

size_t size_of(const world *w, uint8_t byte)
{
    static const size_t special[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1, (size_t)UINT32_MAX + 1 };
    return byte >= 252 ? special[byte - 252] : byte % 128 * (size_t)w->scale + byte % w->scale;
}

/* ---- Streams ---- */

static void step_stream(world *w, const uint8_t *b)
{
    lane **place = &w->lane[b[1] % LANES];
    site *at = site_of(w, b[2]);
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;
    if (*place || w->lane_count == MOST_LANES)
        return;
    desc.flags = b[3] % 16 == 15 ? 0x80 : b[3] & 1;
    desc.wait = b[4] % 16 == 15 ? 77 : b[4] % 3;
    desc.name = b[5] & 1 ? "a name that is longer than the thirty-one characters that are kept" : NULL;
    bool can = desc.flags <= 1 && desc.wait < 3 && (!desc.flags || at->info.capabilities >> YOKE_CAP_TIMING & 1);
    if (!is_allowed(w, can ? HAS_TO : MUST_NOT))
        return;
    yoke_status status = yoke_stream_create(at->device, &desc, &stream);
    judge(status, can ? HAS_TO : MUST_NOT, FINE);
    HOLDS((status == YOKE_OK) == (stream != NULL));
    if (status < 0)
        return;
    HOLDS(yoke_stream_get_device(stream) == at->device);
    *place = &w->lanes[w->lane_count++];
    **place = (lane){ .stream = stream, .site = at, .timed = desc.flags & 1 };
}

/* A stream that is recorded is left alone: its graph goes first. */
void lane_close(world *w, lane **place, bool complete)
{
    lane *l = *place;
    if (!l || l->recording)
        return;
    if (complete || w->kept_count > 0) /* by its pointer nobody knows that memory is in use */
        quiesce(w);
    else
        lose_track(w);
    yoke_stream_release(l->stream);
    l->stream = NULL;
    *place = NULL;
    if (!complete)
        gates_open(w);
}

static void step_stream_release(world *w, const uint8_t *b)
{
    /* The host memory of a world that is drawn goes with the world: nothing may be left under way. */
    lane_close(w, &w->lane[b[1] % LANES], b[2] & 1 || w->only_right);
}

static void step_stream_wait(world *w, const uint8_t *b)
{
    lane *l = lane_of(w, b[1]);
    if (!is_allowed(w, !l || l->recording ? MUST_NOT : HAS_TO))
        return;
    gates_open(w);
    yoke_status status = yoke_stream_wait(stream_of(l));
    judge(status, !l || l->recording || l->fate == FAILED ? MUST_NOT : HAS_TO, l ? l->fate : FINE);
    if (l && !l->recording)
        l->fate = status < 0 ? FAILED : FINE;
}

static void step_cancel(world *w, const uint8_t *b)
{
    lane *l = lane_of(w, b[1]);
    if (w->calm || !is_allowed(w, l ? HAS_TO : MUST_NOT))
        return;
    if (l && b[2] & 1 && !l->recording) /* what it was given before it was recorded cannot be waited for */
        quiesce(w);
    else if (l)
        lose_track(w);
    yoke_status status = yoke_stream_cancel(stream_of(l));
    judge(status, !l ? MUST_NOT : l->recording ? MAY : HAS_TO, l ? l->fate : FINE);
    if (l)
        l->fate = l->recording ? UNSURE : FAILED;
}

/* A stream that will fail, and has not yet, is left as it is. */
static void step_recover(world *w, const uint8_t *b)
{
    lane *l = lane_of(w, b[1]);
    if (!is_allowed(w, l ? HAS_TO : MUST_NOT))
        return;
    if (b[2] & 1)
        quiesce(w);
    gates_open(w);
    yoke_status status = yoke_stream_recover(stream_of(l));
    judge(status, !l ? MUST_NOT : l->recording ? MAY : HAS_TO, FINE);
    if (l && !l->recording && status == YOKE_OK && l->fate != FINE)
        l->fate = l->fate == FAILED && b[2] & 1 ? FINE : UNSURE;
}

/* ---- Functions ---- */

/* Some functions change host memory that copies use, too. */
static bool call_takes_place(world *w, lane *l, call *c, work *k, const uint8_t *b)
{
    shadow *place = w->place[b[4] % PLACES];
    if (l && !shadow_follow(w, l, place))
        return false;
    k->target = place;
    k->rect = (yoke_rect){ 1 + b[5] % place->size, 1, 1 };
    k->to.offset = b[6] % (place->size - k->rect.width + 1);
    k->pattern[0] = c->value = b[7];
    c->bytes = place->host + k->to.offset;
    c->count = k->rect.width;
    return true;
}

static void step_call(world *w, const uint8_t *b)
{
    lane *l = lane_of(w, b[1]);
    bool native = b[3] % 4 == 3;
    if (!is_allowed(w, l ? HAS_TO : MUST_NOT))
        return;
    call *c = call_new(w, l, native ? b[2] & ~14u : b[2]); /* a section only enqueues */
    work k = { .kind = WORK_CALL, .node = native ? 'n' : 'k', .call = c };
    if (!c || (b[4] & 0x80 && !native && !call_takes_place(w, l, c, &k, b)))
        return;
    yoke_status status = native ? yoke_native_call(stream_of(l), call_run_native, c, call_release)
                                : yoke_host_call(stream_of(l), call_run, c, call_release);
    judge(status, l ? HAS_TO : MUST_NOT, l ? l->fate : FINE);
    if (status == YOKE_OK)
        work_given(w, l, &k);
    if (b[3] % 16 == 2)
        judge(yoke_host_call(stream_of(l), NULL, NULL, NULL), MUST_NOT, FINE);
}

/* ---- Events ---- */

static void step_record(world *w, const uint8_t *b)
{
    lane *l = lane_of(w, b[1]);
    known_event *p = point_of(w, b[2]);
    uint32_t flags = b[3] % 16 == 15 ? 0x40 : b[3] & 1;
    bool can = l && flags <= 1 && (!flags || l->timed);
    if (p->event || !is_allowed(w, can ? HAS_TO : MUST_NOT))
        return;
    yoke_status status = yoke_event_record(stream_of(l), flags, &p->event);
    judge(status, !can ? MUST_NOT : l->recording ? MAY : HAS_TO, l ? l->fate : FINE);
    HOLDS((status == YOKE_OK) == (p->event != NULL));
    if (status == YOKE_OK) {
        yoke_event *event = p->event;
        *p = (known_event){
            .event = event, .site = l->site, .lane = l, .fate = l->fate, .timed = flags, .fd = -1, .mark = l->recording
        };
    }
}

static void step_wait_event(world *w, const uint8_t *b)
{
    lane *l = lane_of(w, b[1]);
    known_event *p = point_of(w, b[2]);
    fate before = l ? l->fate : FINE;
    verdict can = !l || !p->event ? MUST_NOT : l->recording || p->mark ? MAY : HAS_TO;
    if (!is_allowed(w, can))
        return;
    yoke_status status = yoke_stream_wait_event(stream_of(l), p->event);
    if (can == HAS_TO && p->fate != FINE)
        before = worse(before, p->fate);
    judge(status, can, before);
    if (l && !l->recording && can == HAS_TO)
        l->fate = worse(l->fate, p->fate);
}

/* What the event says fits what is known of its work. */
static void point_judge(const known_event *p, yoke_status status)
{
    judge(status, !p->event || p->mark || p->fate == FAILED ? MUST_NOT : HAS_TO, p->fate);
}

static void point_ask(world *w, const known_event *p, uint8_t how)
{
    yoke_event *events[] = { p->event, w->point[0].event };
    size_t index = 99, count = how & 8 && events[1] && !w->point[0].mark ? 2 : 1;
    yoke_status status = yoke_event_query(p->event);
    if (status != YOKE_PENDING)
        point_judge(p, status);
    gates_open(w);
    switch (how % 4) {
    case 0:
        return;
    case 1:
        point_judge(p, yoke_event_wait(p->event));
        return;
    case 2:
        status = yoke_event_wait_for(p->event, how & 16 ? YOKE_FOREVER : how);
        if (status != YOKE_PENDING)
            point_judge(p, status);
        return;
    default:
        status = yoke_event_wait_any(events, count, YOKE_FOREVER, &index);
        HOLDS(!p->event || p->mark || index < count);
        HOLDS(status != YOKE_PENDING);
        if (count == 1)
            point_judge(p, status);
        judge(yoke_event_wait_any(how & 32 ? events : NULL, 0, 0, &index), MUST_NOT, FINE);
    }
}

static void step_event_ask(world *w, const uint8_t *b)
{
    if (is_allowed(w, point_of(w, b[1])->event ? HAS_TO : MUST_NOT))
        point_ask(w, point_of(w, b[1]), b[2]);
}

static void step_on_complete(world *w, const uint8_t *b)
{
    known_event *p = point_of(w, b[1]);
    call *c = is_allowed(w, p->event && !p->mark ? HAS_TO : MUST_NOT) ? call_new(w, NULL, 0) : NULL;
    if (!c)
        return;
    yoke_status status = yoke_event_on_complete(p->event, call_complete, c, call_release);
    judge(status, p->event && !p->mark ? HAS_TO : MUST_NOT, FINE);
    c->accepted = status == YOKE_OK;
    c->wanted = c->accepted ? 1 : 0;
    c->fate = p->fate;
    judge(yoke_event_on_complete(p->event, NULL, NULL, NULL), MUST_NOT, FINE);
}

static void step_fd(world *w, const uint8_t *b)
{
    known_event *p = point_of(w, b[1]);
    int fd = 77;
    if (!is_allowed(w, p->event && !p->mark ? HAS_TO : MUST_NOT))
        return;
    yoke_status status = yoke_event_get_fd(p->event, &fd);
    judge(status, p->event && !p->mark ? HAS_TO : MUST_NOT, FINE);
    HOLDS((status == YOKE_OK) == (fd >= 0) && (fd >= 0 || fd == -1));
    if (p->event && p->fd < 0)
        p->fd = fd;
    else if (fd >= 0)
        close(fd);
}

static void step_elapsed(world *w, const uint8_t *b)
{
    known_event *start = point_of(w, b[1]), *end = point_of(w, b[2]);
    int64_t nanoseconds = 1;
    bool can = start->event && end->event && start->timed && end->timed && start->site == end->site && !start->mark && !end->mark;
    fate at = worse(start->fate, end->fate);
    if (!is_allowed(w, can ? HAS_TO : MUST_NOT))
        return;
    gates_open(w);
    if (b[3] & 1 && can) {
        yoke_event_wait(start->event);
        yoke_event_wait(end->event);
    }
    yoke_status status = yoke_event_get_elapsed(start->event, end->event, &nanoseconds);
    judge(status, !can ? MUST_NOT : HAS_TO, at);
    HOLDS(status == YOKE_OK || nanoseconds == 0);
    HOLDS(status != YOKE_PENDING || !(b[3] & 1));
}

/* A complete event's descriptor can be read. */
void point_close(world *w, known_event *p)
{
    if (p->event && p->fd >= 0) {
        struct pollfd ready = { .fd = p->fd, .events = POLLIN };
        gates_open(w);
        HOLDS(yoke_event_wait(p->event) != YOKE_PENDING);
        HOLDS(poll(&ready, 1, 60000) == 1);
        close(p->fd);
    }
    yoke_event_release(p->event);
    memset(p, 0, sizeof *p);
    p->fd = -1;
}

static void step_event_release(world *w, const uint8_t *b)
{
    point_close(w, point_of(w, b[1]));
}

/* ---- Buffers ---- */

static yoke_status view_create(world *w, block *p, const block *from, const uint8_t *b)
{
    size_t offset = size_of(w, b[4]), size = size_of(w, b[5]);
    bool fits = from->buffer && size > 0 && offset <= from->size && size <= from->size - offset;
    bool read_only = b[6] & 1, can = fits && from->kind != YOKE_MEMORY_PINNED;
    if (!is_allowed(w, can ? HAS_TO : MUST_NOT))
        return YOKE_OK;
    yoke_status status = read_only ? yoke_buffer_create_const_view(from->buffer, offset, size, &p->buffer)
                                   : yoke_buffer_create_view(from->buffer, offset, size, &p->buffer);
    judge(status, can ? HAS_TO : MUST_NOT, FINE);
    if (status == YOKE_OK) {
        yoke_buffer *buffer = p->buffer;
        *p = *from;
        p->buffer = buffer;
        p->offset += offset;
        p->size = size;
        p->read_only = from->read_only || read_only;
    }
    return status;
}

/* Ordered memory is filled in its stream's order, and before anything can cut that off. */
static void fill_new(world *w, block *p, lane *l)
{
    yoke_stream *stream = l ? l->stream : p->site->side;
    const unsigned char zero = 0;
    gates_open(w);
    judge(yoke_fill(stream, p->buffer, 0, p->size, &zero, 1), HAS_TO, FINE);
    judge(yoke_stream_wait(stream), HAS_TO, FINE);
    memset(p->shadow->known, 1, p->size);
}

static void step_buffer(world *w, const uint8_t *b)
{
    block *p = block_of(w, b[1]);
    lane *l = lane_of(w, b[2]);
    site *at = site_of(w, b[2]);
    bool ordered = b[3] % 8 == 5;
    int32_t kind = b[3] % 8 < 4 ? b[3] % 8 : 0;
    size_t size = size_of(w, b[4]) * (b[4] < 252 ? 2 : 1);
    bool can = size > 0 && (kind != YOKE_MEMORY_MAPPED || at->info.capabilities >> YOKE_CAP_MAPPED & 1) &&
               (kind != YOKE_MEMORY_MANAGED || at->info.capabilities >> YOKE_CAP_MANAGED & 1);
    const size_t most = (size_t)SMALL_BYTES * w->scale;
    if (p->buffer || w->shadow_count == MOST_SHADOWS)
        return;
    if (kind != YOKE_MEMORY_DEVICE && size > most && can && size <= (size_t)UINT32_MAX + 1)
        return;                       /* seconds for each, and memory that everybody on the machine shares */
    if (ordered && l && l->recording) /* no event could tell another stream when the memory is there */
        return;
    if (ordered && l && w->validated && l->fate != FINE) /* it could not be filled */
        return;
    if (b[3] % 8 >= 6) {
        view_create(w, p, block_of(w, b[2]), b);
        return;
    }
    if (!is_allowed(w, can && (!w->only_right || size <= most) && (!ordered || l) ? HAS_TO : MUST_NOT))
        return;
    yoke_status status = ordered                      ? yoke_buffer_create_ordered(stream_of(l), size, &p->buffer)
                         : kind == YOKE_MEMORY_DEVICE ? yoke_buffer_create(at->device, size, &p->buffer)
                                                      : yoke_buffer_create_in(at->device, kind, size, &p->buffer);
    bool small = size <= most, there_may_be = size <= (size_t)UINT32_MAX + 1;
    verdict right = small ? HAS_TO : there_may_be ? MAY : MUST_NOT;
    judge(status, !can || (ordered && !l) ? MUST_NOT : right, ordered && l ? l->fate : FINE);
    HOLDS((status == YOKE_OK) == (p->buffer != NULL));
    if (status == YOKE_OK && !small) {
        yoke_buffer_release(p->buffer);
        p->buffer = NULL;
    }
    if (!p->buffer)
        return;
    HOLDS(yoke_buffer_get_size(p->buffer) == size && yoke_buffer_get_kind(p->buffer) == kind);
    HOLDS((yoke_buffer_get_host(p->buffer) != NULL) == (kind != YOKE_MEMORY_DEVICE));
    p->site = ordered ? l->site : at;
    p->shadow = shadow_new(w, size, false);
    p->shadow->owner = ordered ? l : NULL;
    p->size = size;
    p->kind = kind;
    if (w->validated && kind == YOKE_MEMORY_DEVICE)
        fill_new(w, p, ordered ? l : NULL);
}

static void step_buffer_release(world *w, const uint8_t *b)
{
    block *p = block_of(w, b[1]);
    if (b[2] & 1)
        yoke_buffer_release(yoke_buffer_retain(p->buffer));
    yoke_buffer_release(p->buffer);
    memset(p, 0, sizeof *p);
}

/* ---- All steps ---- */

static void step_go_on(world *w, const uint8_t *b)
{
    if (b[1] & 1)
        gates_open(w);
    else
        quiesce(w);
}

#define STEP(name)         \
    {                      \
#name, step_##name \
    }
static const struct {
    const char *name;
    void (*run)(world *w, const uint8_t *b);
} steps[] = {
    STEP(stream),        STEP(stream),         STEP(buffer),        STEP(buffer),      STEP(write),        STEP(write),
    STEP(read),          STEP(copy),           STEP(copy),          STEP(fill),        STEP(fill),         STEP(launch),
    STEP(launch),        STEP(call),           STEP(call),          STEP(call),        STEP(record),       STEP(record),
    STEP(wait_event),    STEP(wait_event),     STEP(event_ask),     STEP(on_complete), STEP(fd),           STEP(elapsed),
    STEP(event_release), STEP(stream_release), STEP(stream_wait),   STEP(cancel),      STEP(recover),      STEP(buffer_release),
    STEP(graph),         STEP(graph_begin),    STEP(graph_begin),   STEP(graph_end),   STEP(graph_launch), STEP(graph_launch),
    STEP(graph_set),     STEP(graph_set),      STEP(graph_release), STEP(program),     STEP(device),       STEP(wrong),
    STEP(look),          STEP(go_on),
};
enum { STEPS = sizeof steps / sizeof steps[0] };

const char *step_name(const uint8_t *bytes)
{
    return steps[bytes[0] % STEPS].name;
}

void step_run(world *w, const uint8_t *bytes)
{
    w->steps++;
    w->trail[w->steps % TRAIL].step = w->steps;
    memcpy(w->trail[w->steps % TRAIL].bytes, bytes, STEP_BYTES);
    unsigned made = w->made;
    steps[bytes[0] % STEPS].run(w, bytes);
    if (w->traced)
        fprintf(stderr, "%u%s %s %u %u %u %u %u %u %u\n", w->steps, w->made > made ? "" : " (left out)", step_name(bytes), bytes[1],
                bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]);
}

/* These change the device for everybody, or count on nobody else to free objects meanwhile. */
static bool is_for_one_alone(const char *name)
{
    return strcmp(name, "device") == 0 || strcmp(name, "wrong") == 0;
}

bool step_draw(world *w, const char *name, const uint8_t *first, size_t count)
{
    uint8_t bytes[STEP_BYTES];
    unsigned made = w->made, which = draw_from(&w->random, STEPS);

    while (name ? strcmp(steps[which].name, name) != 0 : is_for_one_alone(steps[which].name))
        which = (which + 1) % STEPS;
    for (size_t i = 0; i < STEP_BYTES; i++)
        bytes[i] = (uint8_t)draw_from(&w->random, 256);
    bytes[0] = (uint8_t)which;
    for (size_t i = 0; i < count; i++)
        bytes[1 + i] = first[i];
    step_run(w, bytes);
    return w->made > made;
}

bool step_make(world *w, const char *name, const uint8_t *first, size_t count)
{
    enum { TRIES = 3000 };

    for (int tries = 0; tries < TRIES && !w->disagrees; tries++)
        if (step_draw(w, name, first, count))
            return true;
    return w->disagrees;
}

bool world_furnish(world *w)
{
    enum { WHOLES = 4 };
    bool ok = true;

    for (uint8_t i = 0; ok && i < LANES; i++)
        ok = step_make(w, "stream", (const uint8_t[]){ i, i / 2, 0, 0 }, 4);
    for (uint8_t i = 0; ok && i < WHOLES; i++) {
        const uint8_t size = (uint8_t)(100 + i), in = (uint8_t)(i % w->site_count * 2);
        ok = step_make(w, "buffer", (const uint8_t[]){ i, i, YOKE_MEMORY_DEVICE, size }, 4) &&
             step_make(w, "write", (const uint8_t[]){ in, i, 0, size, 0x80, 0, 0 }, 7) &&
             step_make(w, "write", (const uint8_t[]){ in, i, size, size, 0x81, 0, 0 }, 7) &&
             step_make(w, "buffer", (const uint8_t[]){ (uint8_t)(WHOLES + i), i, 6, 32, 124, 0 }, 6);
    }
    return ok;
}
