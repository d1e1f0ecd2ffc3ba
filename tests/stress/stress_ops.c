/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations of random programs. Each appends its number to its queue's log, or orders queues against each other. A queue may
 * be closed at any time by the thread that replaces it, so its stream is only used under the queue's lock, or with a reference.
 */
#include "stress.h"

/* ---- Random numbers, the clock ---- */

uint32_t draw(source *s, uint32_t below)
{
    return draw_from(&s->random, below);
}

bool chance(source *s, unsigned percent)
{
    return draw(s, 100) < percent;
}

uint64_t tick(round *r)
{
    return atomic_fetch_add(&r->clock, 1) + 1;
}

/* ---- Records ---- */

op *op_begin(source *s, queue *q, op_kind kind)
{
    round *r = s->round;
    uint32_t id = atomic_load(&r->op_count);

    do
        if (id == MAX_OPS)
            return NULL;
    while (!atomic_compare_exchange_weak(&r->op_count, &id, id + 1));
    op *o = &r->ops[id];
    o->kind = kind;
    o->id = id;
    o->queue = q;
    o->lane = s->lane;
    o->parent = s->parent;
    o->accepted = YOKE_PENDING;
    o->first_epoch = atomic_load(&q->recovered);
    o->began = tick(r);
    return o;
}

bool op_taken(op *o, yoke_status status)
{
    o->accepted = status;
    o->last_epoch = atomic_load(&o->queue->recovering);
    if (status < 0 && yoke_error()->status != status)
        unexpected(o->queue->round, "operation %u failed with %d, but the record says %d", o->id, status, yoke_error()->status);
    return status == YOKE_OK;
}

/* ---- Queues ---- */

queue *queue_open(round *r, source *s, site *at)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    queue *q = NULL;
    uint32_t zero = 0;

    pthread_mutex_lock(&r->lock);
    if (r->queue_count < MAX_QUEUES)
        q = &r->queues[r->queue_count++];
    pthread_mutex_unlock(&r->lock);
    if (!q)
        return NULL;
    q->round = r;
    q->site = at;
    q->index = (unsigned)(q - r->queues);
    q->final = YOKE_PENDING;
    q->content = memory_new(LOG_BYTES);
    q->timed = at->timed && chance(s, 30);
    desc.flags = q->timed ? YOKE_STREAM_TIMED : 0;
    desc.wait = chance(s, 50) ? YOKE_WAIT_BLOCK : YOKE_WAIT_AUTO;
    if (pthread_rwlock_init(&q->lock, NULL) || !CHECK_OK(yoke_stream_create(at->device, &desc, &q->stream)) ||
        !CHECK_OK(yoke_buffer_create(at->device, LOG_BYTES, &q->log)) ||
        !CHECK_OK(yoke_buffer_create(at->device, LOG_BYTES, &q->cells)) ||
        !CHECK_OK(yoke_buffer_create(at->device, LOG_BYTES, &q->copies)) ||
        !CHECK_OK(yoke_fill(q->stream, q->log, 0, LOG_BYTES, &zero, 4)) ||
        !CHECK_OK(yoke_fill(q->stream, q->cells, 0, LOG_BYTES, &zero, 4)) ||
        !CHECK_OK(yoke_fill(q->stream, q->copies, 0, LOG_BYTES, &zero, 4)))
        tap_bail("seed %u: a queue cannot be made ready", r->seed);
    return q;
}

/* A queue to enqueue to, with its lock; NULL when it has just been closed. A thread has streams of its own, unless they are shared;
 * functions enqueue anywhere, often to the stream that they run in. */
static queue *enter(source *s)
{
    round *r = s->round;
    unsigned slot = draw(s, r->slots);
    queue *q;

    if (s->parent && chance(s, 30)) {
        q = s->parent->queue;
    } else {
        if (!s->parent && !r->shared)
            slot = s->thread + r->threads * draw(s, (r->slots - s->thread - 1) / r->threads + 1);
        q = atomic_load(&r->slot[slot]);
    }
    pthread_rwlock_rdlock(&q->lock);
    if (!q->closed)
        return q;
    pthread_rwlock_unlock(&q->lock);
    return NULL;
}

static void leave(queue *q)
{
    pthread_rwlock_unlock(&q->lock);
}

/* For calls that block: a reference to the stream instead of the lock. */
static yoke_stream *borrow(source *s, queue **out_queue)
{
    queue *q = enter(s);
    yoke_stream *stream = q ? yoke_stream_retain(q->stream) : NULL;

    if (q)
        leave(q);
    *out_queue = q;
    return stream;
}

/* ---- What appends to the log ---- */

static yoke_status append_released(queue *q, uint32_t id)
{
    yoke_buffer *brief = NULL;
    yoke_status status = yoke_buffer_create(q->site->device, 64, &brief);

    if (status == YOKE_OK)
        status = yoke_fill(q->stream, brief, 16, 4, &id, 4);
    if (status == YOKE_OK)
        status = append_from(q, q->stream, brief, 4, id);
    yoke_buffer_release(brief);
    return status;
}

static yoke_status append(source *s, queue *q, uint32_t id)
{
    static const char *const ways[] = { "a fill", "a write", "a copy", "a fill of released memory", "nothing", "nothing" };
    yoke_status status;

    if (chance(s, 40))
        return append_by_memory(s, q, id);
    unsigned way = draw(s, 6);
    s->round->ops[id].how = ways[way];
    switch (way) {
    case 0:
        status = yoke_fill(q->stream, q->cells, 4 * (size_t)id, 4, &id, 4);
        return status < 0 ? status : append_from(q, q->stream, q->cells, id, id);
    case 1:
        s->round->words[id] = id;
        status = yoke_write(q->stream, q->cells, 4 * (size_t)id, &s->round->words[id], 4);
        return status < 0 ? status : append_from(q, q->stream, q->cells, id, id);
    case 2:
        status = yoke_fill(q->stream, q->cells, 4 * (size_t)id, 4, &id, 4);
        if (status == YOKE_OK)
            status = yoke_copy(q->stream, q->copies, 4 * (size_t)id, q->cells, 4 * (size_t)id, 4);
        return status < 0 ? status : append_from(q, q->stream, q->copies, id, id);
    case 3:
        return append_released(q, id);
    default:
        return yoke_launch(q->stream, q->site->append, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(q->log, id));
    }
}

static void do_kernel(source *s, queue *q)
{
    op *o = op_begin(s, q, OP_KERNEL);

    if (o)
        op_taken(o, append(s, q, o->id));
}

/* ---- Functions, and what shows when they run ---- */

static void do_call(source *s, queue *q)
{
    op *o = op_begin(s, q, OP_CALL);

    if (!o)
        return;
    plan_function(s, o);
    enqueue_call(o);
}

/* Read a log, then call a function that keeps what it finds. `wait`: what stands before it when the log is another queue's. */
static void call_behind_read(source *s, queue *q, yoke_buffer *log, const op *wait)
{
    op *o = op_begin(s, q, OP_CALL);

    if (!o)
        return;
    slot_new(s, o);
    if (wait) {
        o->slot_of = wait->point;
        o->first_epoch = wait->first_epoch;
    }
    plan_function(s, o);
    yoke_status status = slot_read(s, q, o, log);
    if (status == YOKE_OK) {
        enqueue_call(o);
        return;
    }
    op_taken(o, status);
    yoke_event_release(o->awaited);
}

static void do_read_and_call(source *s, queue *q)
{
    call_behind_read(s, q, q->log, NULL);
}

/* What is appended is written by the function in front of it. */
static void do_call_and_write(source *s, queue *q)
{
    op *call = op_begin(s, q, OP_CALL), *kernel = call ? op_begin(s, q, OP_KERNEL) : NULL;
    yoke_buffer *pinned = NULL;

    if (!call)
        return;
    plan_function(s, call);
    if (kernel) {
        call->word = word_of(s, kernel->id, &pinned);
        call->value = kernel->id;
    }
    bool called = enqueue_call(call);
    if (!kernel)
        return;
    if (!called) {
        op_taken(kernel, call->accepted);
        return;
    }
    yoke_status status = word_write(s, q, q->stream, pinned, kernel->id);
    op_taken(kernel, status < 0 ? status : append_from(q, q->stream, q->cells, kernel->id, kernel->id));
}

/* ---- Events ---- */

static bool record(source *s, queue *q, bool with_copy, yoke_event **out_event)
{
    round *r = s->round;
    yoke_buffer *copy = NULL;
    yoke_event *event = NULL;
    yoke_status status = YOKE_OK;
    unsigned index = atomic_fetch_add(&r->point_count, 1);
    op *o = index < MAX_POINTS ? op_begin(s, q, OP_RECORD) : NULL;

    if (!o)
        return false;
    point *p = &r->points[index];
    atomic_store(&p->status, YOKE_PENDING);
    o->point = p;
    p->record = o;
    if (with_copy && !CHECK_OK(yoke_buffer_create(q->site->device, LOG_BYTES, &copy)))
        return false;
    if (with_copy)
        status = yoke_copy(q->stream, copy, 0, q->log, 0, LOG_BYTES);
    if (status == YOKE_OK)
        status = yoke_event_record(q->stream, q->timed && chance(s, 50) ? YOKE_EVENT_TIMED : 0, &event);
    if (!op_taken(o, status)) {
        yoke_buffer_release(copy);
        return false;
    }
    if (out_event)
        *out_event = yoke_event_retain(event);
    pthread_mutex_lock(&r->lock);
    p->event = event;
    p->copy = copy;
    pthread_mutex_unlock(&r->lock);
    return true;
}

static void do_record(source *s, queue *q)
{
    record(s, q, false, NULL);
}

static void do_record_copy(source *s, queue *q)
{
    record(s, q, true, NULL);
}

yoke_status wait_in_stream(source *s, yoke_stream *stream, yoke_event *event)
{
    bool omitted = s->round->careless && chance(s, 20);
    return omitted ? YOKE_OK : yoke_stream_wait_event(stream, event);
}

static void do_wait(source *s, queue *q)
{
    yoke_event *event;
    yoke_buffer *copy, *fetched = NULL;
    point *p = point_take(s, &event, &copy);
    op *o = p ? op_begin(s, q, OP_WAIT) : NULL;
    bool waits = false;

    if (o) {
        o->point = p;
        waits = op_taken(o, wait_in_stream(s, q->stream, event));
    }
    if (waits && copy && p->record->queue->site == q->site) {
        call_behind_read(s, q, copy, o);
    } else if (waits && copy && log_fetch(q, copy, &fetched) == YOKE_OK) {
        call_behind_read(s, q, fetched, o);
        yoke_buffer_release(fetched);
    }
    if (p) {
        yoke_buffer_release(copy);
        yoke_event_release(event);
    }
}

static void do_callback(source *s, queue *q)
{
    yoke_event *event;
    point *p = point_take(s, &event, NULL);
    op *o = p ? op_begin(s, q, OP_CALLBACK) : NULL;

    if (o) {
        o->point = p;
        plan_function(s, o);
        enqueue_callback(o, event);
    }
    if (p)
        yoke_event_release(event);
}

static void do_cancel(source *s, queue *q)
{
    op *o = s->round->calm ? NULL : op_begin(s, q, OP_CANCEL);

    if (o)
        op_taken(o, yoke_stream_cancel(q->stream));
}

static void release_point(source *s)
{
    yoke_event *event;
    yoke_buffer *copy;
    point *p = point_take(s, &event, &copy);

    if (!p)
        return;
    pthread_mutex_lock(&s->round->lock);
    bool ours = p->event != NULL;
    p->event = NULL;
    p->copy = NULL;
    pthread_mutex_unlock(&s->round->lock);
    for (int references = ours ? 2 : 1; references > 0; references--) {
        yoke_buffer_release(copy);
        yoke_event_release(event);
    }
}

/* ---- Streams ---- */

static void wait_for_stream(source *s, queue *q, yoke_stream *stream)
{
    op *o = op_begin(s, q, OP_WAITED);

    if (!o) {
        yoke_stream_wait(stream);
        return;
    }
    op_taken(o, yoke_stream_wait(stream));
    o->start = tick(s->round);
}

static void recover(source *s, queue *q, yoke_stream *stream)
{
    atomic_fetch_add(&q->recovering, 1);
    yoke_status status = yoke_stream_recover(stream);
    atomic_fetch_add(&q->recovered, 1);
    if (status != YOKE_OK)
        unexpected(s->round, "queue %u does not recover: %d, %s", q->index, status, yoke_error()->text);
}

void queue_close(source *s, queue *q)
{
    pthread_rwlock_wrlock(&q->lock);
    q->closed = true;
    pthread_rwlock_unlock(&q->lock);
    yoke_stream *stream = yoke_stream_retain(q->stream);
    op *o = chance(s, 30) ? op_begin(s, q, OP_CALL) : NULL;
    bool in_function = false;

    if (o) {
        o->releases_stream = true;
        in_function = enqueue_call(o);
    }
    if (!record(s, q, false, &q->end))
        wait_for_stream(s, q, stream);
    if (chance(s, 30))
        wait_for_stream(s, q, stream);
    if (!in_function)
        yoke_stream_release(stream);
    yoke_stream_release(stream);
}

static void replace_queue(source *s)
{
    queue *old, *fresh;

    if (!(old = enter(s)))
        return;
    leave(old);
    if (!(fresh = queue_open(s->round, s, &s->round->sites[draw(s, s->round->site_count)])))
        return;
    for (unsigned i = 0; i < s->round->slots; i++) {
        queue *expected = old;
        if (atomic_compare_exchange_strong(&s->round->slot[i], &expected, fresh)) {
            queue_close(s, old);
            return;
        }
    }
    queue_close(s, fresh); /* another thread has replaced the old one */
}

/* ---- Choosing ---- */

typedef struct choice {
    unsigned weight;
    void (*run)(source *s, queue *q);
} choice;

static void choose(source *s, queue *q, const choice *choices, unsigned count)
{
    unsigned sum = 0, i = 0;

    for (unsigned c = 0; c < count; c++)
        sum += choices[c].weight;
    for (unsigned at = draw(s, sum); at >= choices[i].weight; i++)
        at -= choices[i].weight;
    choices[i].run(s, q);
}

void act(source *s)
{
    static const choice calls[] = { { 5, do_call }, { 3, do_read_and_call }, { 2, do_call_and_write } };
    static const choice others[] = { { 50, do_kernel }, { 10, do_record },  { 5, do_record_copy },
                                     { 15, do_wait },   { 4, do_callback }, { 1, do_cancel } };
    static const choice graphs[] = { { 1, do_graph } };
    queue *q = enter(s);

    if (!q)
        return;
    if (chance(s, s->round->calls))
        choose(s, q, calls, 3);
    else if (chance(s, 5))
        choose(s, q, graphs, 1);
    else
        choose(s, q, others, 6);
    leave(q);
}

void act_blocking(source *s)
{
    unsigned way = draw(s, 1000);
    queue *q;

    if (way == 0) {
        crowd(s);
    } else if (way < 780) {
        act(s);
    } else if (way < 880) {
        look_at(s);
    } else if (way < 910) {
        ask_for_fd(s);
    } else if (way < 950) {
        release_point(s);
    } else if (way < 960) {
        replace_queue(s);
    } else {
        yoke_stream *stream = borrow(s, &q);
        if (stream && (way < 975 || s->round->calm))
            wait_for_stream(s, q, stream);
        else if (stream)
            recover(s, q, stream);
        yoke_stream_release(stream);
    }
}
