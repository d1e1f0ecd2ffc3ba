/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies, rects and fills in graphs: between memory of every kind they move exactly their bytes, at each launch. Mirrors on the
 * host say what has to be where, as for copies that are enqueued (rect.c).
 */
#include "again.h"
#include "area.h"
#include "recorded.h"

enum { SIZE = 6000, ROUNDS = 2 };

static const struct {
    yoke_pitch target, source;
    yoke_rect rect;
    bool flat;
} moves[] = {
    { { 5, 0, 0 }, { 7, 0, 0 }, { 1000, 1, 1 }, true },     { { SIZE - 1, 0, 0 }, { 0, 0, 0 }, { 1, 1, 1 }, true },
    { { 800, 128, 0 }, { 9, 0, 0 }, { 77, 20, 1 }, false }, { { 100, 40, 40 * 12 }, { 7, 32, 32 * 9 }, { 25, 8, 6 }, false },
    { { 500, 0, 0 }, { 3, 0, 0 }, { 333, 1, 1 }, true }, /* over what the others have written */
};
enum { MOVES = sizeof moves / sizeof moves[0] };

/* All moves in one graph, launched with other content each time, in the stream that was recorded and in another. */
static void record_moves(suite *t, side target, side source)
{
    yoke_graph *graph = NULL;
    move m[MOVES];

    NEED(graph_begin(t, t->stream, &graph));
    for (int i = 0; i < MOVES; i++) {
        m[i] = (move){ target, source, moves[i].rect, moves[i].flat, false };
        m[i].target.layout = moves[i].target;
        m[i].source.layout = moves[i].source;
        NEED_OK(area_move(t->stream, &m[i]));
    }
    NEED_OK(yoke_graph_end(graph));
    CHECK(yoke_graph_get_size(graph) == MOVES);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        yoke_stream *stream = round ? t->side : t->stream;
        NEED(area_set(t, target.area, 10 * round + 1) && area_set(t, source.area, 10 * round + 2));
        NEED_OK(yoke_graph_launch(stream, graph));
        NEED_OK(yoke_stream_wait(stream));
        for (int i = 0; i < MOVES; i++)
            area_move_mirror(&m[i]);
        if (!area_check(t, target.area) || !area_check(t, source.area)) {
            tap_diag("to %s, from %s, launch %u", area_names[target.area->kind], area_names[source.area->kind], round);
            break;
        }
    }
out:
    yoke_graph_end(graph);
    yoke_graph_release(graph);
}

/* The kinds of one side are a range of area_kind, those of the other too. */
static void record_kinds(suite *t, area_kind first_target, area_kind last_target, bool target_by_pointer, area_kind first_source,
                         area_kind last_source, bool source_by_pointer)
{
    for (area_kind k = first_target; k <= last_target; k++)
        for (area_kind j = first_source; j <= last_source; j++) {
            side target = { .area = &(area){ 0 }, .by_pointer = target_by_pointer };
            side source = { .area = &(area){ 0 }, .by_pointer = source_by_pointer };
            if (area_can(t, k) && area_can(t, j) && area_create(t, k, SIZE, 1, target.area) &&
                area_create(t, j, SIZE, 2, source.area))
                record_moves(t, target, source);
            area_release(target.area);
            area_release(source.area);
        }
}

static void writes(suite *t)
{
    record_kinds(t, AREA_DEVICE, AREA_SHARED, false, AREA_PINNED, AREA_PAGEABLE, true);
}

static void reads(suite *t)
{
    record_kinds(t, AREA_PINNED, AREA_PAGEABLE, true, AREA_DEVICE, AREA_SHARED, false);
}

static void copies(suite *t)
{
    record_kinds(t, AREA_DEVICE, AREA_SHARED, false, AREA_DEVICE, AREA_SHARED, false);
}

static void pinned_buffers(suite *t)
{
    record_kinds(t, AREA_DEVICE, AREA_SHARED, false, AREA_PINNED, AREA_OVER, false);
    record_kinds(t, AREA_PINNED, AREA_OVER, false, AREA_DEVICE, AREA_SHARED, false);
}

static const struct {
    yoke_pitch target;
    yoke_rect rect;
    bool flat;
} fill_shapes[] = {
    { { 0, 0, 0 }, { 16, 1, 1 }, true },          { { 48, 0, 0 }, { 2000, 1, 1 }, true },   { { 16, 80, 0 }, { 64, 50, 1 }, false },
    { { 0, 64, 64 * 12 }, { 48, 10, 7 }, false }, { { 16, 0, 48 }, { 16, 1, 100 }, false },
};
enum { FILLS = sizeof fill_shapes / sizeof fill_shapes[0] };

/* In units of the pattern, as rect.c does it; all sizes of it in one graph. */
static void fill_kind(suite *t, area_kind kind)
{
    yoke_graph *graph = NULL;
    filling f[5 * FILLS];
    unsigned count = 0;
    area a = { 0 };

    NEED(area_create(t, kind, SIZE, 1, &a) && graph_begin(t, t->stream, &graph));
    for (size_t unit = 16; unit >= 1; unit /= 2)
        for (int i = 0; i < FILLS; i++, count++) {
            yoke_pitch l = fill_shapes[i].target;
            yoke_rect b = fill_shapes[i].rect;
            f[count] = (filling){ .target = { .area = &a }, .pattern_size = unit, .flat = fill_shapes[i].flat };
            f[count].target.layout = (yoke_pitch){ l.offset / 16 * unit, l.row_pitch / 16 * unit, l.slice_pitch / 16 * unit };
            f[count].rect = (yoke_rect){ b.width / 16 * unit, b.height, b.depth };
            fill_random(f[count].pattern, sizeof f[count].pattern, count + 1);
            filling given = f[count];
            NEED_OK(area_fill(t->stream, &given));
            memset(given.pattern, 0, sizeof given.pattern); /* was read at the call */
        }
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        NEED(area_set(t, &a, round));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        for (unsigned i = 0; i < count; i++)
            area_fill_mirror(&f[i]);
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(area_check(t, &a));
    }
out:
    yoke_graph_release(graph);
    area_release(&a);
}

static void fills(suite *t)
{
    for (area_kind kind = AREA_DEVICE; kind <= AREA_SHARED; kind++)
        if (area_can(t, kind))
            fill_kind(t, kind);
}

/* More than is carried in one piece, from and to pageable memory, with a launch on either side. */
static void large(suite *t)
{
    enum { BYTES = (5 << 20) + 4 * 123, COUNT = BYTES / 4 };
    uint32_t *from = memory_new(BYTES), *to = memory_new(BYTES), *wanted = memory_new(BYTES);
    yoke_kernel *kernel = suite_kernel(t, "advance");
    yoke_graph *graph = NULL;
    guarded x = { 0 };

    NEED(guarded_create(t, BYTES, &x) && graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_write(t->stream, x.buffer, 0, from, BYTES));
    NEED_OK(yoke_launch_n(t->stream, kernel, COUNT, YOKE_ARGS(x.buffer, (uint32_t)COUNT, 5u)));
    NEED_OK(yoke_read(t->stream, to, x.buffer, 0, BYTES));
    NEED_OK(yoke_launch_n(t->stream, kernel, COUNT, YOKE_ARGS(x.buffer, (uint32_t)COUNT, 6u)));
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t round = 1; round <= 2; round++) {
        fill_random(from, BYTES, round);
        for (uint32_t times = 0; times < round; times++) /* several in flight: the same each time, since all begins anew */
            NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        for (size_t i = 0; i < COUNT; i++)
            wanted[i] = 3u * from[i] + 5u;
        CHECK_BYTES(to, wanted, BYTES);
        for (size_t i = 0; i < COUNT; i++)
            wanted[i] = 3u * wanted[i] + 6u;
        NEED(guarded_check(t, &x, wanted));
    }
out:
    yoke_graph_release(graph);
    guarded_release(&x);
    memory_free(from);
    memory_free(to);
    memory_free(wanted);
}

/* From and to the memory of another device, whichever backend's that is. */
static void peers(suite *t)
{
    yoke_device *other = NULL;
    yoke_stream *far_side = NULL;
    yoke_graph *graph = NULL;
    guarded far = { 0 };
    words x = { 0 };

    if (!suite_open_other(t, &other)) {
        suite_skip("there is one device");
        return;
    }
    NEED_OK(yoke_stream_create(other, &far_side));
    NEED(words_create(t, 1, &x) && guarded_create_on(other, far_side, WORDS_SIZE, &far));
    NEED_OK(yoke_write_sync(far_side, far.buffer, 0, x.host, WORDS_SIZE));
    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_copy(t->stream, x.device.buffer, 0, far.buffer, 0, WORDS_SIZE));
    NEED(advance(t, t->stream, x.device.buffer, 7));
    NEED_OK(yoke_copy(t->stream, far.buffer, 0, x.device.buffer, 0, WORDS_SIZE));
    NEED_OK(yoke_graph_end(graph));
    for (int launch = 0; launch < 5; launch++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        advance_host(x.host, 7);
    }
    NEED_OK(yoke_stream_wait(t->stream));
    words_check(t, &x);
    guarded_check_on(far_side, &far, x.host);
out:
    yoke_graph_release(graph);
    guarded_release(&x.device);
    guarded_release(&far);
    yoke_stream_release(far_side);
    yoke_device_release(other);
}

/* ---- The same with other settings --------------------------------------------------------------------------------------- */

static const suite_case other_settings[] = {
    { "writes", writes, false },
    { "reads", reads, false },
    { "fills", fills, false },
    { "large", large, false },
};

static const suite_case at_once[] = { { "large", large, false } };

static void blocking(suite *t)
{
    AGAIN(t, at_once, ((const char *const[]){ "YOKE_BLOCKING=1", NULL }));
}

static void staged(suite *t)
{
    AGAIN(t, other_settings, ((const char *const[]){ "YOKE_STAGING=1", "YOKE_FILL_KERNEL=1", NULL }));
}

static void several(suite *t)
{
    copies(t);
    fills(t);
}

static const suite_case in_command_buffers[] = { { IN_COMMAND_BUFFERS, several, false } };

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "writes from memory of every kind", writes, false },
        { "reads to memory of every kind", reads, false },
        { "copies between memory of every kind", copies, false },
        { "copies from and to pinned buffers", pinned_buffers, false },
        { "fills of every pattern size", fills, false },
        { "large pageable copies", large, false },
        { "copies from and to another device", peers, false },
        { "every call blocking", blocking, false },
        { "pageable memory carried, fills by a kernel", staged, false },
        { "as command buffers", again_in_command_buffers, false },
    };
    yoke_source source = RECORDED_SOURCE;

    if (argc == 3 && strcmp(argv[1], IN_COMMAND_BUFFERS) == 0)
        return AGAIN_MAIN(in_command_buffers, &source, argv);
    return argc == 3 ? AGAIN_MAIN(other_settings, &source, argv) : SUITE_MAIN(cases, &source);
}
