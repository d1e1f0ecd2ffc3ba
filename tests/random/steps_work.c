/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that enqueue work on memory: whether they have to succeed, and what they do then. Their
 * bytes: the lane, the target, its offset, the size, the source, its offset, and how. The host's side of a write or read is memory
 * of its own, memory that many steps use, or that of a pinned buffer, whichever device's, by its pointer.
 */
#include "steps.h"

/* How: bit 0: wait for it; bits 1 to 3: the rect's height and depth; bits 4 to 6: how much longer its rows are. */
enum { HOW = 7 };

static bool is_sync(const uint8_t *b)
{
    return b[HOW] & 1;
}

static bool is_rect(const uint8_t *b)
{
    return b[HOW] & 0xe;
}

/* The rect, and the layouts of both sides as the caller gives them. */
static void take_shape(const world *w, work *k, const uint8_t *b)
{
    size_t rows = is_rect(b) ? 1 + (b[HOW] >> 1 & 3) : 1, slices = is_rect(b) ? 1 + (b[HOW] >> 3 & 1) : 1;
    size_t more = b[HOW] >> 4 & 7, width = is_rect(b) ? b[4] % 24 * (size_t)w->scale : size_of(w, b[4]);
    k->rect = (yoke_rect){ width, rows, slices };
    k->to = (yoke_pitch){ size_of(w, b[3]), width + more, (width + more) * rows };
    k->from = (yoke_pitch){ size_of(w, b[6]), width + more / 2, (width + more / 2) * rows };
}

/* Whether work on the block at this place is right in this lane. */
static bool block_takes(const lane *l, const block *p, const yoke_pitch *at, const yoke_rect *rect)
{
    return l && p->buffer && rect->width > 0 && p->size > 0 && rect_fits(at, rect, p->size);
}

/* The memory's own offset, from that of the view. */
static yoke_pitch moved(yoke_pitch at, const block *p)
{
    at.offset += p->offset;
    return at;
}

static verdict in_lane(const lane *l, const uint8_t *b, bool right)
{
    return !right || (l->recording && is_sync(b)) ? MUST_NOT : HAS_TO;
}

/* Before the call: who uses the memory, and nothing stands still while it waits. False: the call would be a race. */
static bool prepare(world *w, lane *l, const work *k, const uint8_t *b, verdict can)
{
    if (!is_allowed(w, can))
        return false;
    if (is_sync(b))
        gates_open(w);
    if (can == MUST_NOT)
        return true;
    return (!k->source || shadow_follow(w, l, k->source)) && (!k->target || shadow_follow(w, l, k->target));
}

/* A call that waits returns its stream's failure. */
static void finish(world *w, lane *l, const work *k, const uint8_t *b, verdict can, yoke_status status)
{
    judge(status, can, l ? l->fate : FINE);
    if (can == MUST_NOT || !l)
        return;
    if (status == YOKE_OK)
        work_given(w, l, k);
    else if (l->fate == UNSURE && !l->recording)
        work_given(w, l, k);                 /* it may have been enqueued, and the wait have failed */
    bool refused = can == MAY && status < 0; /* and not the stream's failure, perhaps */
    if (is_sync(b) && !l->recording && l->fate == UNSURE && !refused)
        l->fate = status < 0 ? FAILED : FINE;
}

/* ---- Copies ---- */

/* The host's memory for a rect, and its shadow: NULL when there is none. */
static shadow *host_side(world *w, const uint8_t *b, const yoke_pitch *at, const yoke_rect *rect, void **out_host)
{
    block *p = block_of(w, b[5]);
    if (b[5] & 0x40 && p->buffer && p->kind == YOKE_MEMORY_PINNED && rect_fits(at, rect, p->size)) {
        if (!p->by_pointer)
            w->kept[w->kept_count++] = yoke_buffer_retain(p->buffer);
        p->by_pointer = true;
        *out_host = yoke_buffer_get_host(p->buffer);
        return p->shadow;
    }
    if (!rect_fits(at, rect, (size_t)SMALL_BYTES * w->scale))
        return NULL;
    shadow *own = b[5] & 0x80 ? w->place[b[5] % PLACES] : shadow_new(w, (size_t)SMALL_BYTES * w->scale, true);
    *out_host = own ? own->host : NULL;
    return own;
}

void step_write(world *w, const uint8_t *b)
{
    lane *l = lane_of(w, b[1]);
    block *p = block_of(w, b[2]);
    work k = { .kind = WORK_COPY, .node = is_rect(b) ? 'W' : 'w' };
    take_shape(w, &k, b);
    k.from.offset = 0;
    bool right = block_takes(l, p, &k.to, &k.rect) && p->kind != YOKE_MEMORY_PINNED && !p->read_only && p->site == l->site;
    void *memory;
    shadow *host = host_side(w, b, &k.from, &k.rect, &memory);
    if (!host)
        return;
    verdict can = in_lane(l, b, right);
    yoke_pitch to = k.to;
    if (right) {
        k.to = moved(to, p);
        k.target = p->shadow;
        k.source = host;
    }
    if (!prepare(w, l, &k, b, can))
        return;
    yoke_stream *s = stream_of(l);
    yoke_status status = is_rect(b) && is_sync(b) ? yoke_write_rect_sync(s, p->buffer, to, memory, k.from, k.rect)
                         : is_rect(b)             ? yoke_write_rect(s, p->buffer, to, memory, k.from, k.rect)
                         : is_sync(b)             ? yoke_write_sync(s, p->buffer, to.offset, memory, k.rect.width)
                                                  : yoke_write(s, p->buffer, to.offset, memory, k.rect.width);
    finish(w, l, &k, b, can, status);
}

void step_read(world *w, const uint8_t *b)
{
    lane *l = lane_of(w, b[1]);
    block *p = block_of(w, b[2]);
    work k = { .kind = WORK_COPY, .node = is_rect(b) ? 'R' : 'r' };
    take_shape(w, &k, b);
    k.to.offset = 0;
    bool right = block_takes(l, p, &k.from, &k.rect) && p->kind != YOKE_MEMORY_PINNED && p->site == l->site;
    void *memory;
    shadow *host = host_side(w, b, &k.to, &k.rect, &memory);
    if (!host)
        return;
    verdict can = in_lane(l, b, right);
    yoke_pitch from = k.from;
    if (right) {
        k.from = moved(from, p);
        k.target = host;
        k.source = p->shadow;
    }
    if (!prepare(w, l, &k, b, can))
        return;
    yoke_stream *s = stream_of(l);
    yoke_status status = is_rect(b) && is_sync(b) ? yoke_read_rect_sync(s, memory, k.to, p->buffer, from, k.rect)
                         : is_rect(b)             ? yoke_read_rect(s, memory, k.to, p->buffer, from, k.rect)
                         : is_sync(b)             ? yoke_read_sync(s, memory, p->buffer, from.offset, k.rect.width)
                                                  : yoke_read(s, memory, p->buffer, from.offset, k.rect.width);
    finish(w, l, &k, b, can, status);
}

/* Pinned memory is the host's, and so never what has to be of the lane's device. */
static bool is_here(const lane *l, const block *p)
{
    return p->site == l->site && p->kind != YOKE_MEMORY_PINNED;
}

static bool copy_is_right(const lane *l, const block *to, const block *from, const work *k)
{
    return block_takes(l, to, &k->to, &k->rect) && block_takes(l, from, &k->from, &k->rect) && !to->read_only &&
           (is_here(l, to) || is_here(l, from));
}

void step_copy(world *w, const uint8_t *b)
{
    lane *l = lane_of(w, b[1]);
    block *to = block_of(w, b[2]), *from = block_of(w, b[5]);
    work k = { .kind = WORK_COPY, .node = is_rect(b) ? 'C' : 'c' };
    take_shape(w, &k, b);
    work place = k;
    bool right = copy_is_right(l, to, from, &k);
    if (right) {
        k.to = moved(k.to, to);
        k.from = moved(k.from, from);
        k.target = to->shadow;
        k.source = from->shadow;
        right = k.target != k.source || !rects_meet(&k);
    }
    verdict can = in_lane(l, b, right);
    if (!prepare(w, l, &k, b, can))
        return;
    yoke_stream *s = stream_of(l);
    yoke_status status = is_rect(b) && is_sync(b) ? yoke_copy_rect_sync(s, to->buffer, place.to, from->buffer, place.from, k.rect)
                         : is_rect(b)             ? yoke_copy_rect(s, to->buffer, place.to, from->buffer, place.from, k.rect)
                         : is_sync(b)
                             ? yoke_copy_sync(s, to->buffer, place.to.offset, from->buffer, place.from.offset, k.rect.width)
                             : yoke_copy(s, to->buffer, place.to.offset, from->buffer, place.from.offset, k.rect.width);
    finish(w, l, &k, b, can, status);
}

/* ---- Fills and launches ---- */

void step_fill(world *w, const uint8_t *b)
{
    static const size_t sizes[] = { 1, 2, 4, 8, 16, 3, 0, 32 };
    lane *l = lane_of(w, b[1]);
    block *p = block_of(w, b[2]);
    work k = { .kind = WORK_FILL, .node = is_rect(b) ? 'F' : 'f', .pattern_size = sizes[b[5] % 8] };
    take_shape(w, &k, b);
    for (size_t i = 0; i < sizeof k.pattern; i++)
        k.pattern[i] = (unsigned char)(b[6] + i * b[5]);
    bool right = block_takes(l, p, &k.to, &k.rect) && p->kind != YOKE_MEMORY_PINNED && !p->read_only && p->site == l->site &&
                 k.pattern_size > 0 && k.pattern_size <= 16 && k.pattern_size != 3 && k.to.offset % k.pattern_size == 0 &&
                 k.rect.width % k.pattern_size == 0;
    bool odd = right && is_rect(b) && k.to.row_pitch % k.pattern_size != 0;
    yoke_pitch to = k.to;
    verdict can = !right || (odd && k.rect.height > 1) ? MUST_NOT : odd ? MAY : HAS_TO;
    if (right) {
        k.to = moved(to, p);
        k.target = p->shadow;
    }
    uint8_t how[8] = { 0 };
    if (!prepare(w, l, &k, how, can))
        return;
    yoke_stream *s = stream_of(l);
    yoke_status status = is_rect(b) ? yoke_fill_rect(s, p->buffer, to, k.rect, k.pattern, k.pattern_size)
                                    : yoke_fill(s, p->buffer, to.offset, k.rect.width, k.pattern, k.pattern_size);
    finish(w, l, &k, how, can, status);
}

static yoke_status launch_wrong(yoke_stream *s, yoke_kernel *advance, yoke_buffer *buffer, unsigned how)
{
    uint32_t zero = 0;
    switch (how) {
    case 3:
        return yoke_launch_n(s, advance, 1, YOKE_ARGS(buffer, zero, zero));
    case 4:
        return yoke_launch_n(s, advance, 1, YOKE_ARGS(buffer, zero, zero, 1.0));
    case 5:
        return yoke_launch_n(s, advance, 1, NULL, 4);
    case 6:
        return yoke_launch_n(s, NULL, 1, YOKE_ARGS(buffer, zero, zero, zero));
    default:
        return yoke_launch(s, advance, YOKE_DIM(1), YOKE_DIM(1 << 20), 0, YOKE_ARGS(buffer, zero, zero, zero));
    }
}

static bool is_aligned(const block *p)
{
    return p->offset % p->site->info.view_alignment == 0;
}

/* From another buffer of the device. */
static bool join_is_right(const lane *l, const block *p, const block *from, const work *k)
{
    return block_takes(l, p, &k->to, &k->rect) && block_takes(l, from, &k->from, &k->rect) && is_here(l, p) && is_here(l, from) &&
           p->shadow != from->shadow;
}

void step_launch(world *w, const uint8_t *b)
{
    lane *l = lane_of(w, b[1]);
    block *p = block_of(w, b[2]), *from = block_of(w, b[5]);
    unsigned how = b[HOW] % 8;
    bool join = how == 2;
    work k = { .kind = join ? WORK_JOIN : WORK_ADVANCE, .node = join ? 'j' : 'l', .pattern = { b[6] } };
    uint32_t offset = (b[3] * w->scale + b[3] % w->scale) % (64 * w->scale), count = b[4] * w->scale % (64 * w->scale),
             value = b[6];
    k.rect = (yoke_rect){ count, 1, 1 };
    k.to.offset = offset;
    k.from.offset = join ? b[6] % 64 : 0;
    uint32_t from_offset = (uint32_t)k.from.offset;
    yoke_kernel *kernel = join ? (l ? l->site : w->sites)->join : (l ? l->site : w->sites)->advance;
    uint8_t plain[8] = { 0 };
    if ((p->buffer && offset + count > p->size) || (join && from->buffer && from_offset + count > from->size))
        return;
    if (how >= 3 && !w->only_right) {
        judge(launch_wrong(stream_of(l), kernel, p->buffer, how), MUST_NOT, FINE);
        return;
    }
    bool right = join ? join_is_right(l, p, from, &k)
                      : block_takes(l, p, &k.to, &k.rect) && p->kind != YOKE_MEMORY_PINNED && p->site == l->site;
    if (join && p->buffer && p->shadow == from->shadow)
        return; /* a race, where they overlap */
    verdict can = !right ? MUST_NOT : p->read_only || !is_aligned(p) || (join && !is_aligned(from)) ? MAY : HAS_TO;
    if (right) {
        k.to = moved(k.to, p);
        k.target = p->shadow;
        k.from = join ? moved(k.from, from) : k.from;
        k.source = join ? from->shadow : NULL;
    }
    if (!prepare(w, l, &k, plain, can))
        return;
    yoke_status status;
    if (join)
        status = yoke_launch_n(stream_of(l), kernel, count, YOKE_ARGS(p->buffer, from->buffer, offset, from_offset, count));
    else if (how == 1)
        status = yoke_launch(stream_of(l), kernel, YOKE_DIM(count), YOKE_DIM(1), 0, YOKE_ARGS(p->buffer, offset, count, value));
    else
        status = yoke_launch_n(stream_of(l), kernel, count, YOKE_ARGS(p->buffer, offset, count, value));
    finish(w, l, &k, plain, can, status);
}

/* ---- Looking ---- */

void block_check(const world *w, const block *p)
{
    unsigned char bytes[MOST_BYTES];
    const shadow *s = p->shadow;
    if (!p->buffer || p->offset || p->size != s->size || s->owner) /* in use, or a view */
        return;
    if (p->kind == YOKE_MEMORY_PINNED) {
        shadow_compare(w, s, yoke_buffer_get_host(p->buffer));
        return;
    }
    judge(yoke_read_sync(p->site->side, bytes, p->buffer, 0, p->size), HAS_TO, FINE);
    shadow_compare(w, s, bytes);
}

/* All memory, once nothing is under way. */
void step_look(world *w, const uint8_t *b)
{
    (void)b;
    is_allowed(w, HAS_TO);
    quiesce(w);
    for (unsigned i = 0; i < BLOCKS; i++)
        block_check(w, &w->block[i]);
    for (unsigned i = 0; i < w->shadow_count; i++)
        if (w->shadows[i].host && !w->shadows[i].owner)
            shadow_compare(w, &w->shadows[i], w->shadows[i].host);
    for (unsigned i = 0; i < GRAPHS; i++)
        HOLDS(*yoke_graph_describe(w->plan[i].graph, (int32_t)(i % 2)) || !w->plan[i].graph);
}
