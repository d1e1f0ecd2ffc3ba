/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of random programs: what a kernel has to find gets to it through pinned memory and device memory of either device, by
 * buffers and by pointers, in the queue's own stream and in graphs, and is released while it is in use.
 */
#include "stress.h"

/* Words that each operation has in the pinned memory of each device; and bytes of a brief buffer, with the place of that much. */
enum { WORDS = 4, BYTES = 4 * WORDS, BRIEF = 64, AT = 16 };

static unsigned some_site(source *s)
{
    return draw(s, s->round->site_count);
}

yoke_status append_from(queue *q, yoke_stream *stream, yoke_buffer *from, uint32_t index, uint32_t id)
{
    q->round->ops[id].index = index;
    return yoke_launch(stream, q->site->append_from, YOKE_DIM(1), YOKE_DIM(1), 0,
                       YOKE_ARGS(q->log, from, index, id, (uint32_t)FOUND));
}

/* ---- Through pinned memory ---- */

/* The operation's words in pinned memory, by their buffer and by their address, and how they get there and on. */
typedef struct path {
    yoke_buffer *pinned;
    uint32_t *words;
    size_t offset; /* of the words in `pinned` */
    bool out_by_pointer, in_by_pointer, rect;
} path;

static path draw_path(source *s, uint32_t id)
{
    path p = { .pinned = s->round->pinned[some_site(s)], .offset = (size_t)BYTES * id };

    p.words = (uint32_t *)yoke_buffer_get_host(p.pinned) + WORDS * (size_t)id;
    p.out_by_pointer = chance(s, 30);
    p.in_by_pointer = chance(s, 50);
    p.rect = chance(s, 30);
    return p;
}

/* Of a rect, the first and the third word. */
static const yoke_rect rows = { 4, 2, 1 };
static const yoke_pitch in_brief = { AT, 8, 0 }, in_words = { 0, 8, 0 };

/* A brief buffer is filled with the number, which goes out to the pinned words. */
static yoke_status bring_out(queue *q, yoke_stream *stream, const path *p, uint32_t id)
{
    yoke_pitch in_pinned = { p->offset, 8, 0 };
    yoke_buffer *brief = NULL;
    yoke_status status = yoke_buffer_create(q->site->device, BRIEF, &brief);

    if (status == YOKE_OK)
        status = yoke_fill(stream, brief, AT, BYTES, &id, 4);
    if (status == YOKE_OK)
        status = p->out_by_pointer && p->rect ? yoke_read_rect(stream, p->words, in_words, brief, in_brief, rows)
                 : p->rect                    ? yoke_copy_rect(stream, p->pinned, in_pinned, brief, in_brief, rows)
                 : p->out_by_pointer          ? yoke_read(stream, p->words, brief, AT, BYTES)
                                              : yoke_copy(stream, p->pinned, p->offset, brief, AT, BYTES);
    yoke_buffer_release(brief);
    return status;
}

/* The pinned words go to another brief buffer, where the kernel has to find the number. */
static yoke_status bring_in(queue *q, yoke_stream *stream, const path *p, uint32_t id)
{
    yoke_pitch in_pinned = { p->offset, 8, 0 };
    yoke_buffer *brief = NULL;
    yoke_status status = yoke_buffer_create(q->site->device, BRIEF, &brief);

    if (status == YOKE_OK)
        status = p->in_by_pointer && p->rect ? yoke_write_rect(stream, brief, in_brief, p->words, in_words, rows)
                 : p->rect                   ? yoke_copy_rect(stream, brief, in_brief, p->pinned, in_pinned, rows)
                 : p->in_by_pointer          ? yoke_write(stream, brief, AT, p->words, BYTES)
                                             : yoke_copy(stream, brief, AT, p->pinned, p->offset, BYTES);
    if (status == YOKE_OK)
        status = append_from(q, stream, brief, AT / 4 + (id % 2 ? 2 : 0), id);
    yoke_buffer_release(brief);
    return status;
}

static yoke_status append_through_pinned(source *s, queue *q, uint32_t id)
{
    path p = draw_path(s, id);
    yoke_status status = bring_out(q, q->stream, &p, id);
    return status < 0 ? status : bring_in(q, q->stream, &p, id);
}

uint32_t *word_of(source *s, uint32_t id, yoke_buffer **out_pinned)
{
    *out_pinned = chance(s, 50) ? s->round->pinned[some_site(s)] : NULL;
    return *out_pinned ? (uint32_t *)yoke_buffer_get_host(*out_pinned) + WORDS * (size_t)id : &s->round->words[id];
}

yoke_status word_write(source *s, queue *q, yoke_stream *stream, yoke_buffer *pinned, uint32_t id)
{
    size_t offset = 4 * (size_t)id;

    if (!pinned)
        return yoke_write(stream, q->cells, offset, &s->round->words[id], 4);
    if (chance(s, 50))
        return yoke_copy(stream, q->cells, offset, pinned, BYTES * (size_t)id, 4);
    return yoke_write(stream, q->cells, offset, (char *)yoke_buffer_get_host(pinned) + BYTES * (size_t)id, 4);
}

/* ---- Released while it is in use ---- */

/* Pinned memory of either device, of any size, that is released behind the copy. The next one may well be the same memory. */
static yoke_status append_by_brief_pinned(source *s, queue *q, uint32_t id)
{
    static const size_t sizes[] = { BRIEF, BRIEF, BRIEF, 70000, 1300000 };
    size_t size = sizes[draw(s, 5)];
    uint32_t index = draw(s, (uint32_t)(size / 4));
    yoke_buffer *pinned = NULL, *brief = NULL;
    yoke_status status = yoke_buffer_create_pinned(s->round->sites[some_site(s)].device, size, &pinned);

    if (status == YOKE_OK)
        status = yoke_buffer_create(q->site->device, size, &brief);
    if (status == YOKE_OK) {
        ((uint32_t *)yoke_buffer_get_host(pinned))[index] = id;
        status = yoke_copy(q->stream, brief, 0, pinned, 0, size);
    }
    yoke_buffer_release(pinned);
    if (status == YOKE_OK)
        status = append_from(q, q->stream, brief, index, id);
    yoke_buffer_release(brief);
    return status;
}

/* Device memory of either device: filled on that device, behind whose event it is copied here; or copied there and back. */
static yoke_status append_by_other_device(source *s, queue *q, uint32_t id)
{
    site *other = &s->round->sites[some_site(s)];
    size_t offset = 4 * (size_t)id;
    yoke_event *event = NULL;
    yoke_buffer *brief = NULL;
    yoke_status status = yoke_buffer_create(other->device, BRIEF, &brief);

    if (status == YOKE_OK && chance(s, 50)) {
        status = yoke_fill(other->side, brief, AT, 4, &id, 4);
        if (status == YOKE_OK)
            status = yoke_event_record(other->side, 0, &event);
        if (status == YOKE_OK)
            status = wait_in_stream(s, q->stream, event);
        yoke_event_release(event);
    } else if (status == YOKE_OK) {
        status = yoke_fill(q->stream, q->cells, offset, 4, &id, 4);
        if (status == YOKE_OK)
            status = yoke_copy(q->stream, brief, AT, q->cells, offset, 4);
    }
    if (status == YOKE_OK)
        status = yoke_copy(q->stream, q->copies, offset, brief, AT, 4);
    yoke_buffer_release(brief);
    return status < 0 ? status : append_from(q, q->stream, q->copies, id, id);
}

/* ---- Graphs ---- */

/* One that is recorded in one lane, or in two of which the second comes first. */
typedef struct recording {
    yoke_graph *graph;
    yoke_stream *lanes[2], *first; /* `first`: lanes[1] where there are two */
} recording;

static bool recording_begin(source *s, queue *q, recording *g)
{
    unsigned lanes = chance(s, 40) ? 2 : 1;
    bool ok = CHECK_OK(yoke_graph_create(q->site->device, NULL, &g->graph));

    for (unsigned i = 0; ok && i < lanes; i++)
        ok = CHECK_OK(yoke_stream_create(q->site->device, &g->lanes[i])) && CHECK_OK(yoke_graph_begin(g->graph, g->lanes[i]));
    g->first = g->lanes[lanes - 1];
    return ok;
}

/* What comes first has been recorded. */
static bool recording_join(recording *g)
{
    yoke_event *event = NULL;
    bool ok = g->first == g->lanes[0] ||
              (CHECK_OK(yoke_event_record(g->first, 0, &event)) && CHECK_OK(yoke_stream_wait_event(g->lanes[0], event)));

    yoke_event_release(event);
    return ok;
}

static yoke_status recording_launch(queue *q, recording *g)
{
    return CHECK_OK(yoke_graph_end(g->graph)) ? yoke_graph_launch(q->stream, g->graph) : yoke_error()->status;
}

static void recording_release(recording *g)
{
    yoke_graph_release(g->graph);
    yoke_stream_release(g->lanes[0]);
    yoke_stream_release(g->lanes[1]);
}

static yoke_status append_in_graph(source *s, queue *q, uint32_t id)
{
    path p = draw_path(s, id);
    recording g = { 0 };
    bool ok = recording_begin(s, q, &g) && CHECK_OK(bring_out(q, g.first, &p, id)) && recording_join(&g) &&
              CHECK_OK(bring_in(q, g.lanes[0], &p, id));
    yoke_status status = ok ? recording_launch(q, &g) : yoke_error()->status;

    recording_release(&g);
    return status;
}

/* A function writes what the kernel has to find. */
void do_graph(source *s, queue *q)
{
    op *call = op_begin(s, q, OP_CALL), *kernel = call ? op_begin(s, q, OP_KERNEL) : NULL;
    yoke_buffer *pinned = NULL;
    recording g = { 0 };

    if (!call)
        return;
    plan_function(s, call);
    if (kernel) {
        call->word = word_of(s, kernel->id, &pinned);
        call->value = kernel->id;
    }
    bool ok = recording_begin(s, q, &g);
    bool called = ok && record_call(call, g.first) == YOKE_OK;
    ok = called && recording_join(&g);
    if (ok && kernel)
        ok = CHECK_OK(word_write(s, q, g.lanes[0], pinned, kernel->id)) &&
             CHECK_OK(append_from(q, g.lanes[0], q->cells, kernel->id, kernel->id));
    yoke_status status = ok ? recording_launch(q, &g) : yoke_error()->status;
    if (called) /* a launch that fails in the middle has called what it had enqueued */
        op_taken(call, atomic_load(&call->calls) > 0 ? YOKE_OK : status);
    if (kernel)
        op_taken(kernel, status);
    recording_release(&g);
}

yoke_status append_by_memory(source *s, queue *q, uint32_t id)
{
    static const char *const ways[] = { "copies through pinned memory", "a copy of released pinned memory",
                                        "copies of another device's memory", "copies of a graph" };
    unsigned way = draw(s, 4);

    s->round->ops[id].how = ways[way];
    switch (way) {
    case 0:
        return append_through_pinned(s, q, id);
    case 1:
        return append_by_brief_pinned(s, q, id);
    case 2:
        return append_by_other_device(s, q, id);
    default:
        return append_in_graph(s, q, id);
    }
}

/* ---- Logs ---- */

void slot_new(source *s, op *o)
{
    yoke_device *device = s->round->sites[some_site(s)].device;

    o->seen = memory_new(LOG_BYTES);
    if (chance(s, 40) && CHECK_OK(yoke_buffer_create_pinned(device, LOG_BYTES, &o->pinned)))
        o->slot = yoke_buffer_get_host(o->pinned);
    else
        o->slot = memory_new(LOG_BYTES);
    o->slot[0] = UINT32_MAX;
}

yoke_status slot_read(source *s, queue *q, op *o, yoke_buffer *log)
{
    if (o->pinned && chance(s, 60))
        return yoke_copy(q->stream, o->pinned, 0, log, 0, LOG_BYTES);
    return yoke_read(q->stream, o->slot, log, 0, LOG_BYTES);
}

yoke_status log_fetch(queue *q, yoke_buffer *log, yoke_buffer **out_copy)
{
    yoke_status status = yoke_buffer_create(q->site->device, LOG_BYTES, out_copy);

    if (status == YOKE_OK)
        status = yoke_copy(q->stream, *out_copy, 0, log, 0, LOG_BYTES);
    if (status == YOKE_OK)
        return YOKE_OK;
    yoke_buffer_release(*out_copy);
    *out_copy = NULL;
    return status;
}
