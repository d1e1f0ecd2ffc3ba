/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Areas of memory with guard bytes and a mirror. The mirror has the guards too: so one comparison of the whole finds what should
 * have been written and was not, and what should not and was.
 */
#include "area.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, ODD = 5, PAGE = 4096 };

const char *const area_names[AREA_KINDS] = { "device", "odd view", "mapped", "shared", "pinned", "registered", "pageable" };

static int32_t memory_kind(area_kind kind)
{
    return kind == AREA_MAPPED ? YOKE_MEMORY_MAPPED : kind == AREA_SHARED ? YOKE_MEMORY_MANAGED : YOKE_MEMORY_DEVICE;
}

bool area_can(suite *t, area_kind kind)
{
    yoke_buffer *buffer = (yoke_buffer *)t;

    if (kind != AREA_MAPPED && kind != AREA_SHARED)
        return true;
    if (suite_can(t, kind == AREA_MAPPED ? YOKE_CAP_MAPPED : YOKE_CAP_MANAGED))
        return true;
    CHECK_STATUS(YOKE_E_UNSUPPORTED, yoke_buffer_create_in(t->device, memory_kind(kind), 64, &buffer));
    CHECK(buffer == NULL);
    return false;
}

static bool create_whole(suite *t, area *a)
{
    switch (a->kind) {
    case AREA_PAGEABLE:
        a->memory = memory_new(a->total);
        return true;
    case AREA_OVER: /* pages of its own: what is near it is not to be pinned */
        a->memory = aligned_alloc(PAGE, (a->total + PAGE - 1) / PAGE * PAGE);
        return CHECK(a->memory != NULL) && CHECK_OK(yoke_buffer_create_from_host(t->device, a->memory, a->total, &a->whole)) &&
               CHECK(yoke_buffer_get_host(a->whole) == a->memory);
    case AREA_PINNED:
        if (!CHECK_OK(yoke_buffer_create_pinned(t->device, a->total, &a->whole)))
            return false;
        break;
    default:
        if (!CHECK_OK(yoke_buffer_create_in(t->device, memory_kind(a->kind), a->total, &a->whole)))
            return false;
    }
    a->memory = yoke_buffer_get_host(a->whole);
    return CHECK((a->memory == NULL) == (a->kind == AREA_DEVICE || a->kind == AREA_ODD_VIEW));
}

static bool create_view(area *a)
{
    yoke_buffer *outer = NULL;

    if (a->kind == AREA_PINNED || a->kind == AREA_OVER || a->kind == AREA_PAGEABLE)
        return true;
    if (a->kind != AREA_ODD_VIEW)
        return CHECK_OK(yoke_buffer_create_view(a->whole, a->before, a->size, &a->view));
    bool ok = CHECK_OK(yoke_buffer_create_view(a->whole, ODD, a->total - ODD, &outer)) &&
              CHECK_OK(yoke_buffer_create_view(outer, a->before - ODD, a->size, &a->view));
    yoke_buffer_release(outer);
    return ok;
}

bool area_create(suite *t, area_kind kind, size_t size, uint32_t seed, area *out)
{
    *out = (area){ .kind = kind, .size = size, .before = GUARD };
    out->before += t->info.view_alignment > 1 ? t->info.view_alignment - GUARD % t->info.view_alignment : 0;
    out->before += kind == AREA_ODD_VIEW ? 2 * ODD - 3 : 0;
    out->total = out->before + size + GUARD;
    out->mirror = memory_new(out->total);
    if (create_whole(t, out) && create_view(out) && area_set(t, out, seed))
        return true;
    area_release(out);
    return false;
}

void area_release(area *a)
{
    yoke_buffer_release(a->view);
    yoke_buffer_release(a->whole);
    if (a->kind == AREA_OVER)
        free(a->memory);
    else if (a->kind == AREA_PAGEABLE)
        memory_free(a->memory);
    memory_free(a->mirror);
    *a = (area){ 0 };
}

bool area_set(suite *t, area *a, uint32_t seed)
{
    fill_random(a->mirror, a->total, seed);
    if (!a->memory)
        return CHECK_OK(yoke_write_sync(t->side, a->whole, 0, a->mirror, a->total));
    memcpy(a->memory, a->mirror, a->total);
    return true;
}

bool area_check(suite *t, const area *a)
{
    unsigned char *bytes = a->memory ? a->memory : memory_new(a->total);
    size_t after = a->before + a->size;
    bool ok = true;

    if (!a->memory)
        ok = CHECK_OK(yoke_read_sync(t->side, bytes, a->whole, 0, a->total));
    if (ok && memcmp(bytes, a->mirror, a->total) != 0) {
        suite_check_bytes(bytes, a->mirror, a->before, "guard before the area");
        suite_check_bytes(bytes + a->before, a->mirror + a->before, a->size, "the area");
        suite_check_bytes(bytes + after, a->mirror + after, a->total - after, "guard behind the area");
        tap_diag("... which is an area of %zu bytes, %s", a->size, area_names[a->kind]);
        ok = false;
    }
    if (!a->memory)
        memory_free(bytes);
    return ok;
}

unsigned char *area_mirror(const area *a)
{
    return a->mirror + a->before;
}

unsigned char *area_host(const area *a)
{
    return a->memory ? a->memory + a->before : NULL;
}

/* ---- Layouts on the host ------------------------------------------------------------------------------------------------ */

yoke_rect rect_full(yoke_rect rect)
{
    rect.height = rect.height ? rect.height : 1;
    rect.depth = rect.depth ? rect.depth : 1;
    return rect;
}

yoke_pitch layout_full(yoke_pitch layout, yoke_rect rect)
{
    layout.row_pitch = layout.row_pitch ? layout.row_pitch : rect.width;
    layout.slice_pitch = layout.slice_pitch ? layout.slice_pitch : rect_full(rect).height * layout.row_pitch;
    return layout;
}

size_t layout_row(yoke_pitch layout, size_t y, size_t z)
{
    return layout.offset + y * layout.row_pitch + z * layout.slice_pitch;
}

size_t layout_end(yoke_pitch layout, yoke_rect rect)
{
    yoke_rect full = rect_full(rect);

    return layout_row(layout, full.height - 1, full.depth - 1) + full.width;
}

bool layouts_overlap(yoke_pitch a, yoke_pitch b, yoke_rect rect, size_t size)
{
    yoke_pitch first = layout_full(a, rect), second = layout_full(b, rect);
    unsigned char *taken = memory_new(size);
    yoke_rect full = rect_full(rect);
    bool overlap = false;

    for (size_t z = 0; z < full.depth; z++)
        for (size_t y = 0; y < full.height; y++)
            memset(taken + layout_row(first, y, z), 1, full.width);
    for (size_t z = 0; z < full.depth && !overlap; z++)
        for (size_t y = 0; y < full.height && !overlap; y++)
            overlap = memchr(taken + layout_row(second, y, z), 1, full.width) != NULL;
    memory_free(taken);
    return overlap;
}

/* ---- Operations --------------------------------------------------------------------------------------------------------- */

static yoke_buffer *side_buffer(const side *s)
{
    const area *a = s->area;

    if (s->by_pointer || a->kind == AREA_PAGEABLE)
        return NULL;
    return s->through ? s->through : a->view ? a->view : a->whole;
}

/* From the first byte of side_buffer, or of the host pointer. */
static yoke_pitch side_layout(const side *s)
{
    yoke_pitch layout = s->layout;

    if (s->through)
        layout.offset -= s->through_at;
    else if (!s->area->view && side_buffer(s))
        layout.offset += s->area->before;
    return layout;
}

static yoke_status move_flat(yoke_stream *stream, const move *m)
{
    yoke_buffer *target = side_buffer(&m->target), *source = side_buffer(&m->source);
    size_t to = side_layout(&m->target).offset, from = side_layout(&m->source).offset, size = m->rect.width;

    if (!source)
        return m->sync ? yoke_write_sync(stream, target, to, area_host(m->source.area) + from, size)
                       : yoke_write(stream, target, to, area_host(m->source.area) + from, size);
    if (!target)
        return m->sync ? yoke_read_sync(stream, area_host(m->target.area) + to, source, from, size)
                       : yoke_read(stream, area_host(m->target.area) + to, source, from, size);
    return m->sync ? yoke_copy_sync(stream, target, to, source, from, size) : yoke_copy(stream, target, to, source, from, size);
}

yoke_status area_move(yoke_stream *stream, const move *m)
{
    yoke_buffer *target = side_buffer(&m->target), *source = side_buffer(&m->source);
    yoke_pitch to = side_layout(&m->target), from = side_layout(&m->source);

    if (m->flat)
        return move_flat(stream, m);
    if (!source)
        return m->sync ? yoke_write_rect_sync(stream, target, to, area_host(m->source.area), from, m->rect)
                       : yoke_write_rect(stream, target, to, area_host(m->source.area), from, m->rect);
    if (!target)
        return m->sync ? yoke_read_rect_sync(stream, area_host(m->target.area), to, source, from, m->rect)
                       : yoke_read_rect(stream, area_host(m->target.area), to, source, from, m->rect);
    return m->sync ? yoke_copy_rect_sync(stream, target, to, source, from, m->rect)
                   : yoke_copy_rect(stream, target, to, source, from, m->rect);
}

void area_move_mirror(const move *m)
{
    yoke_pitch to = layout_full(m->target.layout, m->rect), from = layout_full(m->source.layout, m->rect);
    yoke_rect rect = rect_full(m->rect);

    for (size_t z = 0; z < rect.depth; z++)
        for (size_t y = 0; y < rect.height; y++)
            memcpy(area_mirror(m->target.area) + layout_row(to, y, z), area_mirror(m->source.area) + layout_row(from, y, z),
                   rect.width);
}

yoke_status area_fill(yoke_stream *stream, const filling *f)
{
    yoke_buffer *target = side_buffer(&f->target);
    yoke_pitch layout = side_layout(&f->target);

    if (f->flat)
        return yoke_fill(stream, target, layout.offset, f->rect.width, f->pattern, f->pattern_size);
    return yoke_fill_rect(stream, target, layout, f->rect, f->pattern, f->pattern_size);
}

void area_fill_mirror(const filling *f)
{
    yoke_pitch layout = layout_full(f->target.layout, f->rect);
    yoke_rect rect = rect_full(f->rect);
    unsigned char *mirror = area_mirror(f->target.area), *first = mirror + layout_row(layout, 0, 0);

    for (size_t x = 0; x < rect.width; x += f->pattern_size)
        memcpy(first + x, f->pattern, f->pattern_size);
    for (size_t z = 0; z < rect.depth; z++)
        for (size_t y = 0; y < rect.height; y++)
            memmove(mirror + layout_row(layout, y, z), first, rect.width);
}
