/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the fuzz target "calls" about graphs. */
#include "calls_steps.h"

static plan *plan_of(world *w, uint8_t byte)
{
    return &w->plan[byte % GRAPHS];
}

void step_graph(world *w, const uint8_t *b)
{
    plan *p = plan_of(w, b[1]);
    site *at = &sites[b[2] % site_count];
    if (p->graph)
        return;
    memset(p, 0, sizeof *p);
    p->site = at;
    judge(yoke_graph_create(at->device, b[3] & 1 ? "named" : NULL, &p->graph), HAS_TO, FINE);
}

void step_graph_begin(world *w, const uint8_t *b)
{
    plan *p = plan_of(w, b[1]);
    lane *l = lane_of(w, b[2]);
    bool can = p->graph && l && p->state <= PLAN_OPEN && !l->recording && l->site == p->site;
    yoke_status status = yoke_graph_begin(p->graph, stream_of(l));
    judge(status, can ? HAS_TO : MUST_NOT, l ? l->fate : FINE);
    if (status < 0)
        return;
    l->recording = p;
    p->state = PLAN_OPEN;
    p->lanes++;
    p->unsure |= l->fate != FINE;
}

/* Its streams run what they are given again. What happened to them meanwhile is not known. */
static void stop_recording(world *w, const plan *p)
{
    for (unsigned i = 0; i < w->lane_count; i++)
        if (w->lanes[i].recording == p)
            w->lanes[i].recording = NULL;
}

void step_graph_end(world *w, const uint8_t *b)
{
    plan *p = plan_of(w, b[1]);
    yoke_status status = yoke_graph_end(p->graph);
    judge(status, p->graph && p->state == PLAN_OPEN ? HAS_TO : MUST_NOT, p->unsure ? UNSURE : FINE);
    if (p->graph && p->state == PLAN_OPEN) {
        p->state = status < 0 ? PLAN_EMPTY : PLAN_READY;
        stop_recording(w, p);
    }
}

void step_graph_launch(world *w, const uint8_t *b)
{
    plan *p = plan_of(w, b[1]);
    lane *l = lane_of(w, b[2]);
    bool can = p->graph && p->state == PLAN_READY && l && !l->recording && l->site == p->site;
    for (size_t i = 0; can && i < p->count; i++) {
        const work *k = &p->nodes[i];
        if ((k->source && !shadow_follow(l, k->source)) || (k->target && !shadow_follow(l, k->target)))
            return;
    }
    yoke_status status = yoke_graph_launch(stream_of(l), p->graph);
    judge(status, can ? HAS_TO : MUST_NOT, l ? l->fate : FINE);
    if (status == YOKE_OK)
        plan_given(w, l, p);
}

/* ---- Changes ---- */

static yoke_status set_memory(const plan *p, size_t node, char kind, const block *t, const work *k, void *host, yoke_kernel *add)
{
    uint32_t offset = (uint32_t)k->to.offset, count = (uint32_t)k->box.width, value = k->pattern[0];
    switch (kind) {
    case 'w':
        return yoke_graph_set_write(p->graph, node, t->buffer, k->to.offset, host, k->box.width);
    case 'r':
        return yoke_graph_set_read(p->graph, node, host, t->buffer, k->to.offset, k->box.width);
    case 'f':
        return yoke_graph_set_fill(p->graph, node, t->buffer, k->to.offset, k->box.width, k->pattern, k->pattern_size);
    case 'a':
        return yoke_graph_set_args(p->graph, node, YOKE_ARGS(t->buffer, offset, count, value));
    default:
        return yoke_graph_set_launch(p->graph, node, add, YOKE_DIM(count), YOKE_DIM(1), 0,
                                     YOKE_ARGS(t->buffer, offset, count, value));
    }
}

static void change_call(world *w, plan *p, size_t node, verdict can, uint8_t flags)
{
    call *c = call_new(w, NULL, flags & ~2u);
    if (!c)
        return;
    yoke_status status = yoke_graph_set_call(p->graph, node, call_run, c, call_release);
    judge(status, can, FINE);
    if (status < 0)
        return;
    c->accepted = true;
    p->nodes[node].call = c;
}

void step_graph_set(world *w, const uint8_t *b)
{
    static const char kinds[] = "wrfalk";
    plan *p = plan_of(w, b[1]);
    block *t = block_of(w, b[3]);
    size_t node = b[2] % (MOST_NODES + 2);
    char kind = kinds[b[4] % (sizeof kinds - 1)], is = node < p->count ? p->nodes[node].node : 0;
    bool there = p->graph && p->state == PLAN_READY && node < p->count;
    work k = { .kind = kind == 'f' ? WORK_FILL : kind == 'w' || kind == 'r' ? WORK_COPY : WORK_ADD, .pattern_size = 1 };
    if (kind == 'k') {
        change_call(w, p, node, there && is == 'k' ? HAS_TO : MUST_NOT, b[5]);
        return;
    }
    k.node = kind == 'a' ? 'l' : kind;
    k.box = (yoke_rect){ b[5] % 64, 1, 1 };
    k.to.offset = b[6] % 64;
    memset(k.pattern, b[7], sizeof k.pattern);
    work given = k;
    bool right = there && is == k.node && t->buffer && t->site == p->site && t->kind != YOKE_MEMORY_PINNED && k.box.width > 0 &&
                 k.to.offset + k.box.width <= t->size && (kind == 'r' || !t->read_only);
    bool aligned = !t->buffer || t->offset % t->site->info.view_alignment == 0;
    if (t->buffer && k.to.offset + k.box.width > t->size && k.kind == WORK_ADD)
        return; /* the kernel would write there */
    shadow *host = shadow_new(w, MOST_BYTES, true);
    if (!host)
        return;
    verdict can = right && (aligned || k.kind != WORK_ADD)        ? HAS_TO
                  : right || (t->read_only && k.kind == WORK_ADD) ? MAY
                                                                  : MUST_NOT;
    if (kind == 'a' && t->buffer && k.box.width > 1)
        return; /* the node's grid may be smaller */
    yoke_status status = set_memory(p, node, kind, t, &given, host->host, p->site ? p->site->add : NULL);
    judge(status, can, FINE);
    if (status < 0)
        return;
    k.to.offset += t->offset;
    k.target = t->shadow;
    if (kind == 'w')
        k.source = host;
    if (kind == 'r') {
        k.from = k.to;
        k.to = (yoke_pitch){ 0 };
        k.source = t->shadow;
        k.target = host;
    }
    p->nodes[node] = k;
}

/* ---- The end ---- */

void plan_close(world *w, plan *p)
{
    stop_recording(w, p);
    yoke_graph_release(yoke_graph_retain(p->graph));
    yoke_graph_release(p->graph);
    memset(p, 0, sizeof *p);
}

void step_graph_release(world *w, const uint8_t *b)
{
    plan_close(w, plan_of(w, b[1]));
}
