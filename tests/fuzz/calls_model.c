/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of the fuzz target "calls": what memory holds, which streams have failed, what functions are called. Where it cannot
 * know, it says so and asks for less.
 */
#include "calls.h"

#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned opened;

enum { SECONDS = 20 };

/* Until `changed`, with the lock held; too long ends the program. */
static void wait_for_change(void)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += SECONDS;
    FUZZ_EXPECT(pthread_cond_timedwait(&changed, &lock, &limit) == 0);
}

/* ---- Statuses ---- */

static bool is_documented(yoke_status status)
{
    switch (status) {
#define STATUS(name, value, meaning) \
    case value:                      \
        return true;
        YOKE_STATUS_LIST(STATUS)
#undef STATUS
    default:
        return status == OWN_STATUS;
    }
}

void judge(yoke_status status, verdict succeed, fate at)
{
    FUZZ_EXPECT(is_documented(status));
    if (status < 0) {
        const yoke_error_info *error = yoke_error();
        FUZZ_EXPECT(error->status == status && *error->text && *error->function);
        if (succeed == HAS_TO && at == FINE)
            fprintf(stderr, "%s: %s\n", yoke_status_name(status), error->text);
    }
    FUZZ_EXPECT(status >= 0 || succeed != HAS_TO || at != FINE);
    FUZZ_EXPECT(status < 0 || succeed != MUST_NOT);
}

/* ---- Memory ---- */

shadow *shadow_new(world *w, size_t size, bool host)
{
    static unsigned char arena[MOST_SHADOWS][MOST_BYTES];
    if (w->shadow_count == MOST_SHADOWS || size > MOST_BYTES)
        return NULL;
    shadow *s = &w->shadows[w->shadow_count];
    memset(s, 0, sizeof *s);
    s->size = size;
    if (host) {
        s->host = arena[w->shadow_count];
        for (size_t i = 0; i < size; i++)
            s->host[i] = s->bytes[i] = (unsigned char)(w->shadow_count * 37 + i * 11);
        memset(s->known, 1, size);
    }
    w->shadow_count++;
    return s;
}

fate worse(fate a, fate b)
{
    return a > b ? a : b;
}

bool shadow_follow(lane *l, shadow *s)
{
    lane *before = s->owner;
    yoke_event *event = NULL;
    if (!before || before == l) {
        s->owner = l;
        return true;
    }
    bool ordered = before->stream && !before->recording && yoke_event_record(before->stream, 0, &event) == YOKE_OK &&
                   yoke_stream_wait_event(l->stream, event) == YOKE_OK;
    yoke_event_release(event);
    if (ordered) {
        l->fate = worse(l->fate, before->fate);
        s->owner = l;
    }
    return ordered;
}

void shadow_compare(const shadow *s, const unsigned char *bytes)
{
    for (size_t i = 0; i < s->size; i++)
        FUZZ_EXPECT(!s->known[i] || s->bytes[i] == bytes[i]);
}

/* ---- Boxes ---- */

static size_t place(const yoke_pitch *at, size_t x, size_t y, size_t z)
{
    return at->offset + x + y * at->row_pitch + z * at->slice_pitch;
}

bool box_fits(const yoke_pitch *at, const yoke_rect *box, size_t size)
{
    if (box->width > size || at->offset > size)
        return false;
    return place(at, box->width - 1, box->height - 1, box->depth - 1) < size;
}

bool boxes_meet(const work *k)
{
    unsigned char mark[MOST_BYTES] = { 0 };
    for (size_t z = 0; z < k->box.depth; z++)
        for (size_t y = 0; y < k->box.height; y++)
            memset(mark + place(&k->to, 0, y, z), 1, k->box.width);
    for (size_t z = 0; z < k->box.depth; z++)
        for (size_t y = 0; y < k->box.height; y++)
            if (memchr(mark + place(&k->from, 0, y, z), 1, k->box.width))
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
    } else {
        *byte = (unsigned char)(*byte + k->pattern[0]);
    }
}

/* The effect on memory, or none where the stream has failed, or nobody knows which. */
static void work_apply(const work *k, fate at)
{
    if (at == FAILED)
        return;
    for (size_t z = 0; z < k->box.depth; z++)
        for (size_t y = 0; y < k->box.height; y++)
            for (size_t x = 0; x < k->box.width; x++) {
                size_t to = place(&k->to, x, y, z);
                if (at == FINE)
                    set_byte(k, to, place(&k->from, x, y, z), x);
                else
                    k->target->known[to] = 0;
            }
}

static void work_run(lane *l, const work *k)
{
    if (k->kind != WORK_CALL) {
        work_apply(k, l->fate);
        return;
    }
    k->call->wanted++;
    k->call->fate = k->call->wanted > 1 && k->call->fate != l->fate ? UNSURE : l->fate;
    if (k->call->result < 0 && l->fate != FAILED)
        l->fate = l->fate == FINE ? FAILED : UNSURE;
}

void work_given(world *w, lane *l, const work *k)
{
    if (k->call)
        k->call->accepted = true;
    plan *p = l->recording;
    if (!p) {
        work_run(l, k);
        (void)w;
        return;
    }
    p->nodes[p->count++] = *k;
    FUZZ_EXPECT(yoke_graph_get_size(p->graph) == p->count);
}

void plan_given(world *w, lane *l, plan *p)
{
    bool unsure = p->unsure || p->lanes > 1;
    for (size_t i = 0; i < p->count; i++) {
        if (unsure && p->nodes[i].kind != WORK_CALL)
            work_apply(&p->nodes[i], UNSURE);
        else if (unsure)
            l->fate = l->fate == FINE ? UNSURE : l->fate;
        if (!unsure || p->nodes[i].kind == WORK_CALL)
            work_run(l, &p->nodes[i]);
    }
    (void)w;
}

void lose_track(world *w)
{
    for (unsigned i = 0; i < w->lane_count; i++)
        w->lanes[i].fate = worse(w->lanes[i].fate, UNSURE);
    for (unsigned i = 0; i < POINTS; i++)
        if (w->point[i].fate == FINE)
            w->point[i].fate = UNSURE;
    for (unsigned i = 0; i < w->shadow_count; i++)
        memset(w->shadows[i].known, 0, MOST_BYTES);
    for (unsigned i = 0; i < w->call_count; i++)
        w->calls[i].fate = UNSURE;
}

/* ---- Functions ---- */

call *call_new(world *w, lane *l, unsigned flags)
{
    if (w->call_count == MOST_CALLS)
        return NULL;
    call *c = &w->calls[w->call_count++];
    atomic_init(&c->calls, 0);
    atomic_init(&c->releases, 0);
    atomic_init(&c->got, YOKE_PENDING);
    c->result = flags & 1 ? OWN_STATUS : (yoke_status)(flags >> 6 & 1); /* any that is not negative is fine */
    c->gate = flags & 2 ? ++w->gates : 0;
    c->stream = l && !l->recording && flags & 4 ? yoke_stream_retain(l->stream) : NULL; /* its graph may run in another */
    c->site = l && flags & 8 ? l->site : NULL;
    return c;
}

/* What a function may do: wait for its own stream in vain, use the library. */
static void call_act(const call *c)
{
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    if (c->stream) {
        yoke_status waited = yoke_stream_wait(c->stream);
        FUZZ_EXPECT(waited == YOKE_E_DEADLOCK || waited == YOKE_E_INVALID_ARGUMENT); /* it may be being recorded */
        if (yoke_event_record(c->stream, 0, &event) == YOKE_OK)
            yoke_event_query(event);
        yoke_event_release(event);
    }
    if (c->site && yoke_buffer_create(c->site->device, 64, &buffer) == YOKE_OK)
        yoke_buffer_release(buffer);
}

yoke_status call_run(yoke_status status, void *user)
{
    call *c = user;
    FUZZ_EXPECT(is_documented(status) && status != YOKE_PENDING);
    FUZZ_EXPECT(status >= 0 || yoke_error()->status == status);
    FUZZ_EXPECT(atomic_load(&c->releases) == 0);
    pthread_mutex_lock(&lock);
    while (c->gate > opened)
        wait_for_change();
    pthread_mutex_unlock(&lock);
    call_act(c);
    atomic_store(&c->got, status);
    atomic_fetch_add(&c->calls, 1);
    return c->result < 0 ? yoke_fail(c->result, "the program's own") : c->result;
}

yoke_status call_run_native(yoke_status status, void *native, void *user)
{
    FUZZ_EXPECT(status < 0 || native);
    return call_run(status, user);
}

void call_settled(yoke_status status, void *user)
{
    call *c = user;
    FUZZ_EXPECT(is_documented(status) && status != YOKE_PENDING && atomic_load(&c->releases) == 0);
    atomic_store(&c->got, status);
    atomic_fetch_add(&c->calls, 1);
}

void call_release(void *user)
{
    call *c = user;
    yoke_stream_release(c->stream);
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&c->releases, 1);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void calls_end(world *w)
{
    for (unsigned i = 0; i < w->call_count; i++) {
        call *c = &w->calls[i];
        pthread_mutex_lock(&lock);
        while (c->accepted && atomic_load(&c->releases) == 0)
            wait_for_change();
        pthread_mutex_unlock(&lock);
        int got = atomic_load(&c->got);
        FUZZ_EXPECT(atomic_load(&c->calls) == c->wanted);
        FUZZ_EXPECT(atomic_load(&c->releases) == (c->accepted ? 1 : 0));
        FUZZ_EXPECT(c->wanted == 0 || c->fate != FINE || got == YOKE_OK);
        FUZZ_EXPECT(c->wanted == 0 || c->fate != FAILED || got < 0);
        if (!c->accepted)
            yoke_stream_release(c->stream);
    }
    pthread_mutex_lock(&lock);
    opened = 0;
    pthread_mutex_unlock(&lock);
}

/* ---- Waiting ---- */

void gates_open(world *w)
{
    pthread_mutex_lock(&lock);
    opened = w->gates;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void quiesce(world *w)
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
    for (unsigned i = 0; i < w->shadow_count; i++) {
        shadow *s = &w->shadows[i];
        if (s->owner && s->owner->stream && !s->owner->recording)
            s->owner = NULL;
    }
}
