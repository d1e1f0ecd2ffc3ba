/* SPDX-License-Identifier: Apache-2.0 */
/* The steps about graphs. */
#include "steps.h"

static plan *plan_of(world *w, uint8_t byte)
{
    return &w->plan[byte % GRAPHS];
}

void step_graph(world *w, const uint8_t *b)
{
    plan *p = plan_of(w, b[1]);
    site *at = &w->sites[b[2] % w->site_count];
    if (p->graph || !is_allowed(w, HAS_TO))
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
    if (!is_allowed(w, can ? HAS_TO : MUST_NOT))
        return;
    yoke_status status = yoke_graph_begin(p->graph, stream_of(l));
    judge(status, can ? HAS_TO : MUST_NOT, l ? l->fate : FINE);
    if (status < 0)
        return;
    l->recording = p;
    p->state = PLAN_OPEN;
    p->lanes++;
    p->unsure |= l->fate != FINE;
}

/* Its streams run new work again. The outcome of the work in between is not known. */
static void stop_recording(world *w, const plan *p)
{
    for (unsigned i = 0; i < w->lane_count; i++)
        if (w->lanes[i].recording == p)
            w->lanes[i].recording = NULL;
}

void step_graph_end(world *w, const uint8_t *b)
{
    plan *p = plan_of(w, b[1]);
    if (!is_allowed(w, p->graph && p->state == PLAN_OPEN ? HAS_TO : MUST_NOT))
        return;
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
        if ((k->source && !shadow_follow(w, l, k->source)) || (k->target && !shadow_follow(w, l, k->target)))
            return;
    }
    if (!is_allowed(w, can ? HAS_TO : MUST_NOT))
        return;
    yoke_status status = yoke_graph_launch(stream_of(l), p->graph);
    judge(status, can ? HAS_TO : MUST_NOT, l ? l->fate : FINE);
    if (status == YOKE_OK)
        plan_given(l, p);
}

/* ---- Changes ---- */

static yoke_status set_memory(const plan *p, size_t node, char kind, const block *t, const block *from, const work *k, void *host)
{
    uint32_t offset = (uint32_t)k->to.offset, count = (uint32_t)k->rect.width, value = k->pattern[0];
    switch (kind) {
    case 'w':
        return yoke_graph_set_write(p->graph, node, t->buffer, k->to.offset, host, k->rect.width);
    case 'r':
        return yoke_graph_set_read(p->graph, node, host, t->buffer, k->to.offset, k->rect.width);
    case 'c':
        return yoke_graph_set_copy(p->graph, node, t->buffer, k->to.offset, from->buffer, k->from.offset, k->rect.width);
    case 'f':
        return yoke_graph_set_fill(p->graph, node, t->buffer, k->to.offset, k->rect.width, k->pattern, k->pattern_size);
    case 'a':
        return yoke_graph_set_args(p->graph, node, YOKE_ARGS(t->buffer, offset, count, value));
    case 'j':
        return yoke_graph_set_launch(p->graph, node, p->site ? p->site->join : NULL, YOKE_DIM(count), YOKE_DIM(1), 0,
                                     YOKE_ARGS(t->buffer, from->buffer, offset, (uint32_t)k->from.offset, count));
    default:
        return yoke_graph_set_launch(p->graph, node, p->site ? p->site->advance : NULL, YOKE_DIM(count), YOKE_DIM(1), 0,
                                     YOKE_ARGS(t->buffer, offset, count, value));
    }
}

/* The new function uses the same host memory, with another value. */
static void change_call(world *w, plan *p, size_t node, verdict can, const uint8_t *b)
{
    call *c = is_allowed(w, can) ? call_new(w, NULL, b[5] & ~2u) : NULL;
    if (!c)
        return;
    work *k = can == HAS_TO ? &p->nodes[node] : NULL;
    if (k && k->target) {
        c->bytes = k->target->host + k->to.offset;
        c->count = k->rect.width;
        c->value = b[7];
    }
    yoke_status status = yoke_graph_set_host_call(p->graph, node, call_run, c, call_release);
    judge(status, can, FINE);
    if (status < 0 || !k)
        return;
    c->accepted = true;
    k->call = c;
    k->pattern[0] = c->value;
}

/* Of several branches, each was recorded behind what it needs: with other memory nobody knows what is before what. */
static void change_node(plan *p, size_t node, const work *k)
{
    const work *old = &p->nodes[node];
    bool same = (k->target == old->target || (k->target->host && !k->target->owner)) &&
                (k->source == old->source || (k->source && k->source->host && !k->source->owner));
    p->unsure |= p->lanes > 1 && !same;
    p->nodes[node] = *k;
}

static const work nothing;

/* A work of this kind, with the memory's own offsets; false: it would be a race, or write where nothing is. */
static bool take_change(const world *w, const block *t, const block *from, char kind, const uint8_t *b, work *k)
{
    size_t reach = 64 * (size_t)w->scale;
    *k = nothing;
    k->kind = kind == 'f'                                 ? WORK_FILL
              : kind == 'j'                               ? WORK_JOIN
              : kind == 'w' || kind == 'r' || kind == 'c' ? WORK_COPY
                                                          : WORK_ADVANCE;
    k->pattern_size = 1;
    k->node = kind == 'a' ? 'l' : kind;
    k->rect = (yoke_rect){ b[5] * (size_t)w->scale % reach, 1, 1 };
    k->to.offset = k->from.offset = (b[6] * (size_t)w->scale + b[6] % w->scale) % reach;
    memset(k->pattern, b[7], sizeof k->pattern);
    bool kernel = k->kind == WORK_ADVANCE || k->kind == WORK_JOIN;
    if (t->buffer && k->to.offset + k->rect.width > t->size && kernel)
        return false;
    if (kind != 'c' && kind != 'j')
        return true;
    return t->buffer && from->buffer && t->shadow != from->shadow && k->from.offset + k->rect.width <= from->size;
}

static bool is_of(const plan *p, const block *t)
{
    return t->site == p->site && t->kind != YOKE_MEMORY_PINNED;
}

/* The memory of a node that reads or writes, or NULL. */
static shadow *host_of(const work *k)
{
    shadow *s = k->node == 'w' ? k->source : k->node == 'r' ? k->target : NULL;
    return s && s->host ? s : NULL;
}

void step_graph_set(world *w, const uint8_t *b)
{
    static const char kinds[] = "wrfalk";
    plan *p = plan_of(w, b[1]);
    block *t = block_of(w, b[3]), *from = block_of(w, (uint8_t)(b[3] / BLOCKS));
    size_t node = b[2] % (MOST_NODES + 2);
    char kind = b[4] >= 253   ? 'j'
                : b[4] >= 250 ? 'c'
                              : kinds[b[4] % (sizeof kinds - 1)],
         is = node < p->count ? p->nodes[node].node : 0;
    if (w->only_right && is) /* the kind that it has */
        kind = is == 'l' && b[4] & 1 ? 'a' : is;
    bool there = p->graph && p->state == PLAN_READY && node < p->count;
    work k;
    if (kind == 'k') {
        change_call(w, p, node, there && is == 'k' ? HAS_TO : MUST_NOT, b);
        return;
    }
    if (!strchr("wrfaljc", kind) || !take_change(w, t, from, kind, b, &k))
        return;
    if (kind == 'c' && (!is_of(p, t) || !is_of(p, from)))
        return; /* one of them may be right, as in a copy */
    work given = k;
    bool right = there && is == k.node && t->buffer && is_of(p, t) && k.rect.width > 0 && k.to.offset + k.rect.width <= t->size &&
                 (kind == 'r' || !t->read_only);
    bool two = kind == 'c' || kind == 'j', kernel = k.kind == WORK_ADVANCE || k.kind == WORK_JOIN;
    right = right && (!two || is_of(p, from));
    bool aligned = !t->buffer || (t->offset % t->site->info.view_alignment == 0 &&
                                  (kind != 'j' || from->offset % t->site->info.view_alignment == 0));
    verdict can = right && (aligned || !kernel) ? HAS_TO : right || (t->read_only && kernel) ? MAY : MUST_NOT;
    if (there && kind == 'a' && t->buffer && k.rect.width > p->nodes[node].rect.width)
        return; /* the node's grid may be smaller */
    if (!is_allowed(w, can))
        return;
    shadow *host = b[7] & 1 && can == HAS_TO ? host_of(&p->nodes[node]) : NULL; /* as it is */
    host = host ? host : shadow_new(w, (size_t)SMALL_BYTES * w->scale, true);
    if (!host)
        return;
    yoke_status status = set_memory(p, node, kind, t, from, &given, host->host);
    judge(status, can, FINE);
    if (status < 0)
        return;
    k.to.offset += t->offset;
    k.from.offset += two ? from->offset : 0;
    k.target = t->shadow;
    k.source = two ? from->shadow : kind == 'w' ? host : NULL;
    if (kind == 'w')
        k.from = (yoke_pitch){ 0 };
    if (kind == 'r') {
        k.from = k.to;
        k.to = (yoke_pitch){ 0 };
        k.source = t->shadow;
        k.target = host;
    }
    change_node(p, node, &k);
}

/* ---- The end ---- */

void plan_close(world *w, plan *p)
{
    stop_recording(w, p);
    for (unsigned i = 0; i < w->shadow_count; i++)
        w->shadows[i].branch[p - w->plan] = NULL;
    yoke_graph_release(yoke_graph_retain(p->graph));
    yoke_graph_release(p->graph);
    memset(p, 0, sizeof *p);
}

void step_graph_release(world *w, const uint8_t *b)
{
    plan_close(w, plan_of(w, b[1]));
}
