/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model: what has to hold of the records of any program, however its threads and streams took turns. Its heart is one rule. In
 * one lane (one thread's operations, or one function's) of one queue between two recoveries, operations go well until one does not,
 * and from then on none does.
 */
#include "order.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

enum { LINES = 10 }; /* of one report */

void unexpected(round *r, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (atomic_fetch_add(&r->unexpected, 1) < LINES && !r->careless)
        world_says(NULL, text);
}

void say_round(const round *r)
{
    char text[200];

    snprintf(text, sizeof text, "%u devices, %u threads%s, %u streams, %u of 100 operations are functions%s; %u things are wrong",
             r->site_count, r->threads, r->shared ? " that share streams" : "", r->slots, r->calls,
             r->calm ? ", nothing fails" : "", atomic_load(&r->unexpected));
    world_says(NULL, text);
    say_settings(NULL, r->sites, r->site_count);
    world_says(NULL, r->title);
}

static const char *text_of(const op *o)
{
    static const char *const texts[] = { "kernel", "function", "event", "wait", "cancel", "wait for the stream", "callback" };
    return texts[o->kind];
}

static bool is_exact(const op *o)
{
    return o->first_epoch == o->last_epoch && o->first_epoch < MAX_EPOCHS;
}

static bool same_epoch(const op *a, const op *b)
{
    return is_exact(a) && is_exact(b) && a->queue == b->queue && a->first_epoch == b->first_epoch;
}

static yoke_status seen_status(const point *p)
{
    return atomic_load(&p->status);
}

/* How an operation ended: YOKE_OK, its failure, or YOKE_PENDING when that is not known. */
static yoke_status outcome(const op *o)
{
    if (o->accepted < 0)
        return o->accepted;
    switch (o->kind) {
    case OP_KERNEL:
        return o->position ? YOKE_OK : YOKE_E_CANCELLED; /* whatever it was: it never ran */
    case OP_CALL:
        return o->status;
    case OP_RECORD:
        return seen_status(o->point);
    case OP_WAITED:
        return o->accepted;
    default:
        return YOKE_PENDING;
    }
}

/* Whether the stream has failed behind it, if it had not before. */
static bool stops(const op *o)
{
    if (o->accepted < 0 || o->kind == OP_CANCEL)
        return true;
    if (o->kind == OP_WAIT)
        return seen_status(o->point) < 0;
    return outcome(o) < 0 || (o->kind == OP_CALL && o->result < 0);
}

/* ---- The logs ---- */

/* Number the kernels by their entries, which are as many as the log says, each of a kernel of this queue, and in each lane's order.
 */
static void check_log(round *r, queue *q)
{
    const uint32_t *log = q->content;
    uint32_t hash = 0, last[MAX_THREADS] = { 0 };

    if (log[0] > MAX_OPS) {
        unexpected(r, "the log of queue %u has %u entries", q->index, log[0]);
        return;
    }
    for (uint32_t i = 1; i <= log[0]; i++) {
        uint32_t id = log[1 + i] & ~STALE;
        hash = hash * 1664525u + log[1 + i];
        op *o = id > 0 && id < MAX_OPS ? &r->ops[id] : NULL;
        if (!o || o->kind != OP_KERNEL || o->queue != q || o->accepted != YOKE_OK) {
            unexpected(r, "entry %u of queue %u is %u, which is no kernel that was enqueued there", i, q->index, id);
            continue;
        }
        if (o->position)
            unexpected(r, "kernel %u of queue %u ran twice, as number %u and %u", id, q->index, o->position, i);
        o->position = i;
        if (log[1 + i] & STALE && is_exact(o)) /* else the stream may have been recovered between the write and the launch */
            unexpected(
                r, "kernel %u of queue %u on %s ran before what it was to find was written by %s: at offset %u %s 0x%x, found 0x%x",
                id, q->index, q->site->info.selector, o->how ? o->how : "a graph", 4 * o->index,
                (log[FOUND] & ~STALE) == id ? "expected" : "(of another kernel) expected", log[FOUND], log[FOUND + 1]);
        if (o->lane < MAX_THREADS && last[o->lane] > id)
            unexpected(r, "kernel %u of queue %u ran behind %u of the same thread", id, q->index, last[o->lane]);
        if (o->lane < MAX_THREADS)
            last[o->lane] = id;
    }
    if (hash != log[1])
        unexpected(r, "the log of queue %u has hash 0x%x, and its entries give 0x%x", q->index, log[1], hash);
}

/* A log as it was read by `reader`: the beginning of the whole, with all that stands before operation `here` of the lane, and, when
 * it was read in its own stream, nothing from behind. */
static void check_seen(round *r, const op *reader, const op *here)
{
    const queue *q = here->queue;
    const uint32_t *whole = q->content;
    uint32_t count = reader->seen[0];

    if (count > whole[0] || memcmp(&reader->seen[2], &whole[2], count * sizeof *whole) != 0) {
        unexpected(r, "function %u finds %u entries of queue %u, which are not its first ones", reader->id, count, q->index);
        return;
    }
    for (uint32_t i = 1; i <= whole[0]; i++) {
        const op *o = &r->ops[(whole[1 + i] & ~STALE) % MAX_OPS];
        if (o->lane == here->lane && o->id < here->id && i > count)
            unexpected(r, "function %u of queue %u does not find kernel %u, which was before it", reader->id, q->index, o->id);
        if (o->lane == here->lane && o->id > here->id && i <= count)
            unexpected(r, "function %u of queue %u finds kernel %u, which was behind it", reader->id, q->index, o->id);
    }
}

/* ---- Lanes ---- */

static int compare_lanes(const void *a, const void *b)
{
    const op *x = *(op *const *)a, *y = *(op *const *)b;

    if (x->queue != y->queue)
        return x->queue < y->queue ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

static bool same_lane(const op *a, const op *b)
{
    return a->queue == b->queue && a->lane == b->lane;
}

static void find_previous_calls(op **ops, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        op *before = ops[i - 1];
        if (!same_lane(before, ops[i]))
            continue;
        ops[i]->previous_call = before->kind == OP_CALL && before->accepted == YOKE_OK ? before : before->previous_call;
    }
}

/* What functions and events tell of the order. */
static void check_order(round *r, const op *o)
{
    const op *before = o->previous_call;
    uint64_t since = o->kind == OP_RECORD ? atomic_load(&o->point->seen) : o->start;

    if (o->accepted != YOKE_OK && o->kind != OP_WAITED)
        return;
    if ((o->kind == OP_CALL || o->kind == OP_RECORD || o->kind == OP_WAITED) && before && since > 0 && before->end >= since)
        unexpected(r, "%s %u of queue %u was there before function %u had ended", text_of(o), o->id, o->queue->index, before->id);
    if (o->kind != OP_CALL || o->calls != 1)
        return;
    if (o->parent && o->parent->kind == OP_CALL && o->parent->queue == o->queue && o->start < o->parent->end)
        unexpected(r, "function %u ran inside function %u, which enqueued it", o->id, o->parent->id);
    if (!o->slot || o->status != YOKE_OK || !is_exact(o))
        return;
    if (!o->slot_of)
        check_seen(r, o, o);
    else if (is_exact(o->slot_of->record) && seen_status(o->slot_of) == YOKE_OK)
        check_seen(r, o, o->slot_of->record);
}

/* Function `o` ran behind a wait of its stream. */
static void check_wait(round *r, const op *o, const op *wait)
{
    const op *before = wait->point->record->previous_call;

    if (wait->accepted == YOKE_OK && before && before->end >= o->start)
        unexpected(r, "function %u of queue %u ran behind a wait for event %u before function %u of queue %u had ended", o->id,
                   o->queue->index, wait->point->record->id, before->id, before->queue->index);
}

static void check_lanes(round *r, op **ops, size_t count)
{
    const op *stopped = NULL;

    for (size_t i = 0; i < count; i++) {
        const op *o = ops[i];
        check_order(r, o);
        if (i == 0 || !same_lane(ops[i - 1], o) || !same_epoch(ops[i - 1], o))
            stopped = NULL;
        if (o->kind == OP_CALLBACK)
            continue;
        if (stopped && outcome(o) == YOKE_OK)
            unexpected(r, "%s %u of queue %u went well behind %s %u, which did not", text_of(o), o->id, o->queue->index,
                       text_of(stopped), stopped->id);
        if (!stopped && is_exact(o) && stops(o))
            stopped = o;
        for (size_t w = i;
             o->kind == OP_CALL && outcome(o) == YOKE_OK && w > 0 && same_lane(ops[w - 1], o) && same_epoch(ops[w - 1], o); w--)
            if (ops[w - 1]->kind == OP_WAIT)
                check_wait(r, o, ops[w - 1]);
    }
}

/* ---- Functions ---- */

static void check_call(round *r, const op *o)
{
    unsigned expected = o->accepted == YOKE_OK, calls = atomic_load(&o->calls), releases = atomic_load(&o->releases);

    if (calls != expected || releases != (expected || o->in_graph))
        unexpected(r, "%s %u of queue %u, which was %s, has been called %u times and released %u times", text_of(o), o->id,
                   o->queue->index, expected ? "accepted" : "refused", calls, releases);
    else if (expected && o->kind == OP_CALLBACK && o->status != seen_status(o->point))
        unexpected(r, "callback %u got status %d, and its event has %d", o->id, o->status, seen_status(o->point));
}

/* What was enqueued once a function that fails had begun is behind it. */
static void check_failing(round *r, const op *failing, op **ops, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const op *o = ops[i];
        if (o->kind != OP_CALLBACK && same_epoch(failing, o) && o->began > failing->start && outcome(o) == YOKE_OK)
            unexpected(r, "%s %u of queue %u went well, and was enqueued behind function %u, which failed", text_of(o), o->id,
                       o->queue->index, failing->id);
    }
}

static int compare_starts(const void *a, const void *b)
{
    const op *x = *(op *const *)a, *y = *(op *const *)b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* A stream runs one function at a time. */
static void check_overlaps(round *r, const queue *q, op **ops, size_t count)
{
    op *calls[MAX_OPS];
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        if (ops[i]->kind == OP_CALL && ops[i]->queue == q && atomic_load(&ops[i]->calls))
            calls[found++] = ops[i];
    qsort(calls, found, sizeof *calls, compare_starts);
    for (size_t i = 1; i < found; i++)
        if (calls[i]->start < calls[i - 1]->end)
            unexpected(r, "functions %u and %u of queue %u ran at the same time", calls[i - 1]->id, calls[i]->id, q->index);
}

/* ---- Failures ---- */

/* Whether something of the queue can have failed it with this status; YOKE_PENDING: with any. */
static bool has_reason(const queue *q, yoke_status status, op **ops, size_t count)
{
    bool any = status == YOKE_PENDING, cancelled = any || status == YOKE_E_CANCELLED;

    if (cancelled && q->closed && q->final == YOKE_PENDING)
        return true; /* released */
    for (size_t i = 0; i < count; i++) {
        const op *o = ops[i];
        if (o->queue != q || o->accepted < 0)
            continue;
        if (o->kind == OP_CALL && o->result < 0 && (any || o->result == status))
            return true;
        if (o->kind == OP_CANCEL && cancelled)
            return true;
        if (o->kind == OP_WAIT && seen_status(o->point) != YOKE_OK && (any || seen_status(o->point) > 0))
            return true;
        if (o->kind == OP_WAIT && seen_status(o->point) == status)
            return true;
    }
    return false;
}

/* Everything that fails between two recoveries fails with one status, which has a reason; and nothing is lost without one. */
static void check_failures(round *r, const queue *q, op **ops, size_t count)
{
    static yoke_status failures[MAX_EPOCHS];
    bool may_fail = has_reason(q, YOKE_PENDING, ops, count);

    memset(failures, 0, sizeof failures);
    for (size_t i = 0; i < count; i++) {
        const op *o = ops[i];
        if (o->queue != q || !is_exact(o) || o->kind == OP_CALLBACK || outcome(o) >= 0)
            continue;
        if (!may_fail || (q->final == YOKE_OK && o->first_epoch == q->final_epoch))
            unexpected(r, "%s %u of queue %u did not run, or got status %d, and nothing had failed", text_of(o), o->id, q->index,
                       outcome(o));
        if (o->kind == OP_KERNEL && o->accepted == YOKE_OK)
            continue;
        yoke_status *failure = &failures[o->first_epoch];
        if (*failure == 0 && !has_reason(q, outcome(o), ops, count))
            unexpected(r, "%s %u of queue %u gets status %d without a reason", text_of(o), o->id, q->index, outcome(o));
        if (*failure != 0 && *failure != outcome(o))
            unexpected(r, "%s %u of queue %u gets status %d, and others %d", text_of(o), o->id, q->index, outcome(o), *failure);
        *failure = outcome(o);
    }
}

bool model_agrees(round *r)
{
    op *ops[MAX_OPS];
    size_t count = atomic_load(&r->op_count) - 1;

    for (size_t i = 0; i < count; i++)
        ops[i] = &r->ops[i + 1];
    for (unsigned i = 0; i < r->queue_count; i++)
        check_log(r, &r->queues[i]);
    qsort(ops, count, sizeof *ops, compare_lanes);
    find_previous_calls(ops, count);
    check_lanes(r, ops, count);
    for (size_t i = 0; i < count; i++) {
        op *o = ops[i];
        if (o->kind == OP_CALL || o->kind == OP_CALLBACK)
            check_call(r, o);
        if (o->kind == OP_CALL && o->status == YOKE_OK && o->result < 0)
            check_failing(r, o, ops, count);
    }
    for (unsigned i = 0; i < r->queue_count; i++) {
        check_overlaps(r, &r->queues[i], ops, count);
        check_failures(r, &r->queues[i], ops, count);
    }
    return atomic_load(&r->unexpected) == 0;
}
