/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random writes, reads, copies and fills of one to three dimensions between memory of every kind, in two streams and behind host
 * functions, against mirrors on the host. A round is made by its seed alone; one that goes wrong says its seed, and is run again
 * operation by operation to tell the first that is wrong. YOKE_TRANSFER_SEED=n runs only the round of that seed.
 */
#include "again.h"
#include "area.h"
#include "stand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMS = 2, OPERATIONS = 200, AREAS = 9, GATES = 16 };

typedef struct round {
    suite *t;
    uint32_t seed, random;
    bool step;  /* wait for each operation, and look */
    bool large; /* areas larger than what the library carries in one piece */
    bool wrong;
    yoke_stream *streams[STREAMS];
    area areas[AREAS];
    unsigned owners[AREAS]; /* the stream that has used it last */
    unsigned area_count;
    stand stands[GATES]; /* host functions that stand at gates, of which those before `opened` have been let go */
    unsigned stood, opened;
    unsigned moved; /* operations so far */
    char what[320];
} round;

static uint32_t draw(round *r, uint32_t below)
{
    r->random ^= r->random << 13;
    r->random ^= r->random >> 17;
    r->random ^= r->random << 5;
    return (uint32_t)((uint64_t)r->random * below >> 32);
}

static bool chance(round *r, unsigned percent)
{
    return draw(r, 100) < percent;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- Order between the streams ---- */

/* What an area is used for in stream `s` comes behind all that has used it before, as in the mirrors. */
static void own(round *r, unsigned a, unsigned s)
{
    yoke_event *event = NULL;

    if (r->owners[a] != s && CHECK_OK(yoke_event_record(r->streams[r->owners[a]], 0, &event)))
        CHECK_OK(yoke_stream_wait_event(r->streams[s], event));
    yoke_event_release(event);
    r->owners[a] = s;
}

static void open_gates(round *r)
{
    while (r->opened < r->stood)
        gate_open(&r->stands[r->opened++].leave);
}

/* At a gate that some later operation opens. */
static void stand_still(round *r, unsigned s)
{
    if (r->stood == GATES)
        return;
    r->stands[r->stood] = (stand)STAND_INIT;
    if (CHECK_OK(yoke_host_call(r->streams[s], stand_at_gate, &r->stands[r->stood], NULL)))
        r->stood++;
}

typedef struct scribble {
    unsigned char *bytes;
    size_t size;
    unsigned char mask;
} scribble;

static yoke_status scribble_now(yoke_status status, void *user)
{
    scribble *x = user;

    CHECK_STATUS(YOKE_OK, status);
    for (size_t i = 0; i < x->size; i++)
        x->bytes[i] ^= x->mask;
    return YOKE_OK;
}

/* A host function changes memory that the host has, in its turn. */
static void scribble_later(round *r, unsigned s)
{
    unsigned i = draw(r, r->area_count);
    scribble *x = malloc(sizeof *x);
    area *a = &r->areas[i];

    if (!a->memory || !CHECK(x != NULL)) {
        free(x);
        return;
    }
    own(r, i, s);
    size_t size = 1 + draw(r, (uint32_t)a->size), offset = draw(r, (uint32_t)(a->size - size + 1));
    *x = (scribble){ area_host(a) + offset, size, (unsigned char)(1 + draw(r, 255)) };
    scribble mirrored = { area_mirror(a) + offset, size, x->mask };
    snprintf(r->what, sizeof r->what, "a host function changes %zu bytes at %zu of area %u", size, offset, i);
    if (CHECK_OK(yoke_host_call(r->streams[s], scribble_now, x, free)))
        scribble_now(YOKE_OK, &mirrored);
    else
        free(x);
}

/* ---- Rects and layouts ---- */

/* Most are small, some as large as half an area. All is a multiple of `unit`. */
static yoke_rect draw_rect(round *r, unsigned dimensions, size_t unit, size_t most)
{
    static const uint32_t budgets[] = { 64, 256, 256, 4096, 4096, 32768 };
    size_t units = least(most, chance(r, r->large ? 25 : 2) ? most : budgets[draw(r, 6)]) / unit;
    yoke_rect rect = { 0, 0, 0 };

    if (dimensions > 2)
        rect.depth = 1 + draw(r, (uint32_t)least(units, 9));
    if (dimensions > 1)
        rect.height = 1 + draw(r, (uint32_t)least(units / rect_full(rect).depth, chance(r, 10) ? 1000 : 40));
    rect.width = (1 + draw(r, (uint32_t)(units / rect_full(rect).depth / rect_full(rect).height))) * unit;
    return rect;
}

static yoke_pitch draw_layout(round *r, yoke_rect rect, size_t unit, size_t size)
{
    yoke_rect full = rect_full(rect);
    yoke_pitch layout = { 0, 0, 0 };

    if (chance(r, 75))
        layout.row_pitch = rect.width + (chance(r, 30) ? 0 : draw(r, (uint32_t)(size / full.height / full.depth / unit)) * unit);
    if (chance(r, 60))
        layout.slice_pitch = layout_full(layout, rect).row_pitch * full.height + (chance(r, 30) ? 0 : draw(r, 500) * unit);
    if (layout_end(layout_full(layout, rect), rect) > size)
        layout = (yoke_pitch){ 0, 0, 0 };
    size_t room = size - layout_end(layout_full(layout, rect), rect);
    layout.offset = draw(r, (uint32_t)(room / unit + 1)) * unit;
    return layout;
}

/* Perhaps through a view of its own, that begins `unit`s before the rect. */
static void draw_view(round *r, side *s, yoke_rect rect, size_t unit)
{
    size_t end = layout_end(layout_full(s->layout, rect), rect);

    if (!s->area->view || s->by_pointer || !chance(r, 30))
        return;
    s->through_at = s->layout.offset - draw(r, (uint32_t)(s->layout.offset / unit + 1)) * unit;
    size_t size = end - s->through_at + draw(r, (uint32_t)(s->area->size - end + 1));
    CHECK_OK(yoke_buffer_create_view(s->area->view, s->through_at, size, &s->through));
}

/* ---- Operations ---- */

static void describe(round *r, const char *name, const side *s, yoke_rect rect)
{
    size_t used = strlen(r->what);

    snprintf(r->what + used, sizeof r->what - used, "%s area %td (%s%s%s) {%zu, %zu, %zu} rect {%zu, %zu, %zu}", name,
             s->area - r->areas, area_names[s->area->kind], s->by_pointer ? ", by pointer" : "", s->through ? ", by a view" : "",
             s->layout.offset, s->layout.row_pitch, s->layout.slice_pitch, rect.width, rect.height, rect.depth);
}

static void draw_side(round *r, unsigned a, side *s, yoke_rect rect, size_t unit)
{
    area_kind kind = r->areas[a].kind;

    *s = (side){ .area = &r->areas[a], .layout = draw_layout(r, rect, unit, r->areas[a].size) };
    s->by_pointer = kind == AREA_PAGEABLE || ((kind == AREA_PINNED || kind == AREA_OVER) && chance(r, 50));
    draw_view(r, s, rect, unit);
}

/* Rects of one area may not overlap, and then the call says so. */
static void random_move(round *r, unsigned s)
{
    unsigned target = draw(r, r->area_count), source = draw(r, r->area_count), dimensions = 1 + draw(r, 3);
    move m = { .flat = dimensions == 1 && chance(r, 50), .sync = chance(r, 6) };

    if (!r->areas[target].view)
        while (!r->areas[source].view) /* one side at least is the device's */
            source = draw(r, r->area_count);
    m.rect = draw_rect(r, dimensions, 1, least(r->areas[target].size, r->areas[source].size) / 2);
    draw_side(r, target, &m.target, m.rect, 1);
    draw_side(r, source, &m.source, m.rect, 1);
    if (m.flat)
        m.target.layout.row_pitch = m.target.layout.slice_pitch = m.source.layout.row_pitch = m.source.layout.slice_pitch = 0;
    describe(r, m.sync ? "sync, to" : "to", &m.target, m.rect);
    describe(r, ", from", &m.source, m.rect);
    own(r, target, s);
    own(r, source, s);
    if (m.sync)
        open_gates(r);
    if (target == source && layouts_overlap(m.target.layout, m.source.layout, m.rect, r->areas[target].size))
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "overlap", area_move(r->streams[s], &m));
    else if (CHECK_OK(area_move(r->streams[s], &m)))
        area_move_mirror(&m);
    yoke_buffer_release(m.target.through);
    yoke_buffer_release(m.source.through);
    /* what a waiting form has brought to the host is there */
    if (m.sync && m.target.area->memory && !m.target.area->whole)
        r->wrong |= !area_check(r->t, m.target.area);
}

static void random_fill(round *r, unsigned s)
{
    unsigned target = draw(r, r->area_count), dimensions = 1 + draw(r, 3);
    filling f = { .flat = dimensions == 1 && chance(r, 50), .pattern_size = (size_t)1 << draw(r, 5) };

    while (!r->areas[target].view)
        target = draw(r, r->area_count);
    f.rect = draw_rect(r, dimensions, f.pattern_size, r->areas[target].size / 2);
    fill_random(f.pattern, sizeof f.pattern, draw(r, UINT32_MAX));
    draw_side(r, target, &f.target, f.rect, f.pattern_size);
    if (f.flat)
        f.target.layout.row_pitch = f.target.layout.slice_pitch = 0;
    describe(r, "fill", &f.target, f.rect);
    own(r, target, s);
    if (CHECK_OK(area_fill(r->streams[s], &f)))
        area_fill_mirror(&f);
    yoke_buffer_release(f.target.through);
}

/* ---- Rounds ---- */

static void settle(round *r)
{
    open_gates(r);
    for (unsigned s = 0; s < STREAMS; s++)
        CHECK_OK(yoke_stream_wait(r->streams[s]));
    for (unsigned a = 0; a < r->area_count; a++)
        r->wrong |= !area_check(r->t, &r->areas[a]);
}

static void random_operation(round *r)
{
    unsigned s = draw(r, STREAMS), what = draw(r, 100), before = suite_failures();

    r->what[0] = '\0';
    if (what < 3)
        stand_still(r, s);
    else if (what < 8)
        scribble_later(r, s);
    else if (what < 25)
        random_fill(r, s);
    else
        random_move(r, s);
    r->moved += what >= 8;
    if (draw(r, 100) < 10)
        open_gates(r);
    if (r->step)
        settle(r);
    if (suite_failures() != before) {
        tap_diag("seed %u, operation %u, in stream %u: %s", r->seed, r->moved, s, r->what);
        r->wrong = true;
    }
}

static bool round_begin(round *r)
{
    static const area_kind kinds[AREAS] = { AREA_DEVICE, AREA_PAGEABLE, AREA_DEVICE,   AREA_ODD_VIEW, AREA_MAPPED,
                                            AREA_SHARED, AREA_PINNED,   AREA_PAGEABLE, AREA_OVER };

    r->large = chance(r, 15);
    for (unsigned s = 0; s < STREAMS; s++)
        if (!CHECK_OK(yoke_stream_create(r->t->device, &r->streams[s])))
            return false;
    for (unsigned a = 0; a < AREAS; a++) {
        size_t size = 600 + draw(r, chance(r, 20) ? 4000 : 250000);
        if (r->large && a < 4)
            size = (7 << 20) + draw(r, 4 << 20);
        if (!area_can(r->t, kinds[a]))
            continue;
        if (!area_create(r->t, kinds[a], size, draw(r, UINT32_MAX), &r->areas[r->area_count]))
            return false;
        r->area_count++;
    }
    return true;
}

/* Returns how many operations there were; 0: something was wrong. */
static unsigned run_round(suite *t, uint32_t seed, bool step)
{
    round *r = calloc(1, sizeof *r);
    unsigned moved = 0;

    if (!CHECK(r != NULL))
        return 0;
    *r = (round){ .t = t, .seed = seed, .random = seed * 2654435761u | 1, .step = step };
    r->wrong = !round_begin(r);
    while (r->moved < OPERATIONS && !r->wrong)
        random_operation(r);
    if (r->streams[0] && r->streams[1])
        settle(r);
    for (unsigned a = 0; a < AREAS; a++)
        area_release(&r->areas[a]);
    for (unsigned s = 0; s < STREAMS; s++)
        yoke_stream_release(r->streams[s]);
    moved = r->wrong ? 0 : r->moved;
    free(r);
    return moved;
}

static void run_rounds(suite *t, uint32_t seed, unsigned rounds)
{
    const char *only = getenv("YOKE_TRANSFER_SEED");
    unsigned moved = 0;

    if (only && *only) {
        seed = (uint32_t)strtoul(only, NULL, 0);
        rounds = 1;
    }
    for (unsigned i = 0; i < rounds; i++, seed++) {
        unsigned done = run_round(t, seed, false);
        moved += done;
        if (!CHECK(done > 0)) {
            tap_diag("wrong with YOKE_TRANSFER_SEED=%u; once more, waiting for each operation:", seed);
            if (run_round(t, seed, true))
                tap_diag("... and then nothing is wrong");
            return;
        }
    }
    tap_diag("%u operations", moved);
}

/* ---- As it is, and with other settings ---------------------------------------------------------------------------------- */

enum { ROUNDS = 26, ROUNDS_STAGED = 14, ROUNDS_KERNEL = 10 }; /* of OPERATIONS: 10,000 in all */

static void as_it_is(suite *t)
{
    run_rounds(t, 1, ROUNDS);
}

static void rounds_staged(suite *t)
{
    run_rounds(t, 1001, ROUNDS_STAGED);
}

static void rounds_with_kernel(suite *t)
{
    run_rounds(t, 2001, ROUNDS_KERNEL);
}

static const suite_case in_pieces[] = { { "staged", rounds_staged, false } };
static const suite_case by_kernel[] = { { "fill kernel", rounds_with_kernel, false } };

static void staged(suite *t)
{
    AGAIN(t, in_pieces, ((const char *const[]){ "YOKE_STAGING=1", "YOKE_COPY_THREADS=3", NULL }));
}

static void fill_kernel(suite *t)
{
    AGAIN(t, by_kernel, ((const char *const[]){ "YOKE_FILL_KERNEL=1", "YOKE_STAGING=0", NULL }));
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "random operations against a model", as_it_is, false },
        { "the same, with pageable memory carried through pinned", staged, false },
        { "the same, with fills by a kernel and pageable memory given to the driver", fill_kernel, false },
    };

    if (argc == 3)
        return strcmp(argv[1], in_pieces[0].name) == 0 ? AGAIN_MAIN(in_pieces, NULL, argv) : AGAIN_MAIN(by_kernel, NULL, argv);
    return SUITE_MAIN(cases, NULL);
}
