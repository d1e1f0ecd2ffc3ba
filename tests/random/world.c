/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a world's memory holds, and which of its streams have failed. Where the model cannot know, it says so and asks for less.
 */
#include <stdio.h>
#include <stdlib.h>

#include "steps.h"

/* ---- Statuses ---- */

void judge(yoke_status status, verdict succeed, fate at)
{
    const yoke_error_info *error = yoke_error();
    char text[400];

    HOLDS(is_documented(status));
    HOLDS(status >= 0 || (error->status == status && *error->text && *error->function));
    if (status < 0 && succeed == HAS_TO && at == FINE) {
        snprintf(text, sizeof text, "it is %s, and the record says: %.300s", yoke_status_name(status), error->text);
        disagree(__FILE__, __LINE__, "the call succeeds", text, NULL);
    }
    if (status >= 0 && succeed == MUST_NOT)
        disagree(__FILE__, __LINE__, "the call fails", NULL, NULL);
}

bool is_allowed(world *w, verdict can)
{
    if (w->only_right && can == MUST_NOT)
        return false;
    w->made++;
    return true;
}

/* ---- Memory ---- */

shadow *shadow_new(world *w, size_t size, bool host)
{
    if (w->shadow_count == MOST_SHADOWS || size > (size_t)SMALL_BYTES * w->scale)
        return NULL;
    shadow *s = &w->shadows[w->shadow_count];
    unsigned char *memory = calloc(size, host ? 3 : 2);
    if (!memory)
        return NULL;
    *s = (shadow){ .bytes = memory, .known = memory + size, .size = size };
    if (host) {
        s->host = memory + 2 * size;
        for (size_t i = 0; i < size; i++)
            s->host[i] = s->bytes[i] = (unsigned char)(w->shadow_count * 37 + i * 11 + i / 251);
        memset(s->known, 1, size);
    }
    w->shadow_count++;
    return s;
}

fate worse(fate a, fate b)
{
    return a > b ? a : b;
}

/* What the second gets from now on comes behind what the first has; a careless world leaves some of that out. */
static bool follow(world *w, yoke_stream *first, yoke_stream *second)
{
    yoke_event *event = NULL;
    bool omitted = w->careless && draw_from(&w->random, 100) < 20;
    bool ordered = yoke_event_record(first, 0, &event) == YOKE_OK && (omitted || yoke_stream_wait_event(second, event) == YOKE_OK);
    yoke_event_release(event);
    return ordered;
}

static void wait_for_lanes(world *w)
{
    gates_open(w);
    for (unsigned i = 0; i < w->lane_count; i++) {
        lane *l = &w->lanes[i];
        if (!l->stream || l->recording)
            continue;
        yoke_status status = yoke_stream_wait(l->stream);
        judge(status, l->fate == FAILED ? MUST_NOT : l->fate == FINE ? HAS_TO : MAY, l->fate);
        l->fate = status < 0 ? FAILED : FINE;
    }
}

/* In a graph: behind the stream in which the graph used it last. */
static bool follow_branch(world *w, lane *l, shadow *s)
{
    lane **branch = &s->branch[l->recording - w->plan];
    bool ordered = !*branch || *branch == l || follow(w, (*branch)->stream, l->stream);
    *branch = l;
    if (!ordered)
        l->recording->unsure = true;
    return true;
}

bool shadow_follow(world *w, lane *l, shadow *s)
{
    lane *before = s->owner;
    s->last_step = w->steps;
    memcpy(s->last_bytes, w->trail[w->steps % TRAIL].bytes, STEP_BYTES);
    if (l->recording)
        return follow_branch(w, l, s);
    if (!before || before == l) {
        s->owner = l;
        return true;
    }
    bool ordered = before->stream && !before->recording && follow(w, before->stream, l->stream);
    if (ordered) {
        /* A failed stream skips the wait, and who waits for that stream has not waited for the first one. Memory keeps its lane: it
         * may be that of this step's other side. */
        if (l->fate != FINE)
            wait_for_lanes(w);
        l->fate = worse(l->fate, before->fate);
        s->owner = l;
    }
    return ordered;
}

/* ---- Rects ---- */

static size_t place(const yoke_pitch *at, size_t x, size_t y, size_t z)
{
    return at->offset + x + y * at->row_pitch + z * at->slice_pitch;
}

bool rect_fits(const yoke_pitch *at, const yoke_rect *rect, size_t size)
{
    if (rect->width > size || at->offset > size)
        return false;
    return place(at, rect->width - 1, rect->height - 1, rect->depth - 1) < size;
}

bool rects_meet(const work *k)
{
    unsigned char mark[MOST_BYTES] = { 0 };
    for (size_t z = 0; z < k->rect.depth; z++)
        for (size_t y = 0; y < k->rect.height; y++)
            memset(mark + place(&k->to, 0, y, z), 1, k->rect.width);
    for (size_t z = 0; z < k->rect.depth; z++)
        for (size_t y = 0; y < k->rect.height; y++)
            if (memchr(mark + place(&k->from, 0, y, z), 1, k->rect.width))
                return true;
    return false;
}

/* ---- Operations ---- */

static void set_byte(const work *k, size_t to, size_t from, size_t x)
{
    unsigned char *byte = &k->target->bytes[to], *known = &k->target->known[to];
    if (k->kind == WORK_COPY) {
        *byte = k->source->bytes[from];
        *known = k->source->known[from];
    } else if (k->kind == WORK_FILL) {
        *byte = k->pattern[x % k->pattern_size];
        *known = 1;
    } else if (k->kind == WORK_JOIN) {
        *byte = (unsigned char)(5u * *byte + k->source->bytes[from]);
        *known &= k->source->known[from];
    } else {
        *byte = (unsigned char)(3u * *byte + k->pattern[0]);
    }
}

/* The effect on memory, or none where the stream has failed, or nobody knows which. */
static void work_apply(const work *k, fate at)
{
    if (at == FAILED)
        return;
    for (size_t z = 0; z < k->rect.depth; z++)
        for (size_t y = 0; y < k->rect.height; y++)
            for (size_t x = 0; x < k->rect.width; x++) {
                size_t to = place(&k->to, x, y, z);
                if (at == FINE)
                    set_byte(k, to, place(&k->from, x, y, z), x);
                else
                    k->target->known[to] = 0;
            }
}

static void work_run(lane *l, const work *k)
{
    if (k->target)
        work_apply(k, l->fate);
    if (k->kind != WORK_CALL)
        return;
    k->call->wanted++;
    k->call->fate = k->call->wanted > 1 && k->call->fate != l->fate ? UNSURE : l->fate;
    if (k->call->result < 0 && l->fate != FAILED)
        l->fate = l->fate == FINE ? FAILED : UNSURE;
}

void work_given(world *w, lane *l, const work *k)
{
    (void)w;
    if (k->call)
        k->call->accepted = true;
    plan *p = l->recording;
    if (!p) {
        work_run(l, k);
        return;
    }
    p->nodes[p->count++] = *k;
    HOLDS(yoke_graph_get_size(p->graph) == p->count);
}

/* A function that fails cuts off work of other branches, too, and nobody knows how much. */
static bool cuts_branches(const plan *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->nodes[i].call && p->nodes[i].call->result < 0)
            return p->lanes > 1;
    return false;
}

void plan_given(lane *l, plan *p)
{
    bool unsure = p->unsure || cuts_branches(p);
    for (size_t i = 0; i < p->count; i++) {
        if (unsure && p->nodes[i].target)
            work_apply(&p->nodes[i], UNSURE);
        if (unsure && p->nodes[i].kind == WORK_CALL)
            l->fate = l->fate == FINE ? UNSURE : l->fate;
        if (!unsure || p->nodes[i].kind == WORK_CALL)
            work_run(l, &p->nodes[i]);
    }
}

void lose_track(world *w)
{
    for (unsigned i = 0; i < w->lane_count; i++)
        w->lanes[i].fate = worse(w->lanes[i].fate, UNSURE);
    for (unsigned i = 0; i < POINTS; i++)
        if (w->point[i].fate == FINE)
            w->point[i].fate = UNSURE;
    for (unsigned i = 0; i < w->shadow_count; i++)
        memset(w->shadows[i].known, 0, w->shadows[i].size);
    for (unsigned i = 0; i < w->call_count; i++)
        w->calls[i].fate = UNSURE;
}

/* ---- Waiting ---- */

void gates_open(world *w)
{
    pthread_mutex_lock(&w->lock);
    w->opened = w->gates;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void quiesce(world *w)
{
    wait_for_lanes(w);
    for (unsigned i = 0; i < w->shadow_count; i++) {
        shadow *s = &w->shadows[i];
        if (s->owner && s->owner->stream && !s->owner->recording)
            s->owner = NULL;
    }
}

/* ---- A world ---- */

void world_begin(world *w)
{
    w->blocking = getenv("YOKE_BLOCKING") != NULL;
    w->validated = getenv("YOKE_VALIDATE") != NULL;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    for (unsigned i = 0; i < POINTS; i++)
        w->point[i].fd = -1;
    for (unsigned i = 0; i < PLACES; i++)
        w->place[i] = shadow_new(w, (size_t)SMALL_BYTES * w->scale, true);
    world_here = w;
}

void world_end(world *w)
{
    uint8_t none[STEP_BYTES] = { 0 };
    w->careless = false;
    for (unsigned i = 0; i < GRAPHS; i++)
        if (w->plan[i].state == PLAN_OPEN)
            plan_close(w, &w->plan[i]);
    step_look(w, none);
    for (unsigned i = 0; i < GRAPHS; i++)
        plan_close(w, &w->plan[i]);
    for (unsigned i = 0; i < POINTS; i++)
        point_close(w, &w->point[i]);
    for (unsigned i = 0; i < LANES; i++)
        lane_close(w, &w->lane[i], true);
    for (unsigned i = 0; i < BLOCKS; i++)
        yoke_buffer_release(w->block[i].buffer);
    for (unsigned i = 0; i < w->kept_count; i++)
        yoke_buffer_release(w->kept[i]);
    calls_end(w);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    world_here = NULL;
}

void world_free(world *w)
{
    for (unsigned i = 0; i < w->shadow_count; i++)
        free(w->shadows[i].bytes);
}
