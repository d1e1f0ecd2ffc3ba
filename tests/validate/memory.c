/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory in two copies at once, and reads of bytes that nothing has written. */
#include "scene.h"

/* ---- Host memory ---- */

static void read_then_write(scene *s)
{
    CHECK_OK(yoke_read(s->a, s->host, s->x, 0, BYTES));
    scene_order(s);
    CHECK_OK(yoke_write(s->b, s->y, 0, s->host, BYTES));
}

static void write_then_read(scene *s)
{
    CHECK_OK(yoke_write(s->a, s->y, 0, s->host, BYTES));
    scene_order(s);
    CHECK_OK(yoke_read(s->b, s->host, s->x, 0, BYTES));
}

static void two_reads(scene *s)
{
    CHECK_OK(yoke_read(s->a, s->host, s->x, 0, BYTES));
    scene_order(s);
    CHECK_OK(yoke_read(s->b, s->host, s->y, 0, BYTES));
}

static void reads_that_overlap(scene *s)
{
    CHECK_OK(yoke_read(s->a, s->host, s->x, 0, HALF));
    CHECK_OK(yoke_read(s->b, s->host + (s->right ? HALF : HALF - 1), s->y, 0, HALF));
}

static void reads_of_columns(scene *s)
{
    const yoke_rect half = { 32, 64, 1 };
    const yoke_pitch left = { .row_pitch = 64 }, right = { .offset = s->right ? 32 : 31, .row_pitch = 64 };
    const yoke_pitch dense = { .row_pitch = 32 };
    CHECK_OK(yoke_read_rect(s->a, s->host, left, s->x, dense, half));
    CHECK_OK(yoke_read_rect(s->b, s->host, right, s->y, dense, half));
}

static void pinned_memory(scene *s)
{
    yoke_buffer *pinned = NULL;
    NEED_OK(yoke_buffer_create_pinned(s->t->device, BYTES, &pinned));
    NEED_OK(yoke_read(s->a, yoke_buffer_get_host(pinned), s->x, 0, BYTES));
    scene_order(s);
    NEED_OK(yoke_write(s->b, s->y, 0, yoke_buffer_get_host(pinned), BYTES));
out:
    yoke_buffer_release(pinned);
}

static void pinned_buffer(scene *s)
{
    yoke_buffer *pinned = NULL;
    NEED_OK(yoke_buffer_create_pinned(s->t->device, BYTES, &pinned));
    NEED_OK(yoke_copy(s->a, pinned, 0, s->x, 0, BYTES));
    scene_order(s);
    NEED_OK(yoke_copy(s->b, s->y, 0, pinned, 0, BYTES));
out:
    yoke_buffer_release(pinned);
}

static void deferred_copies(scene *s)
{
    scene_hold(s, s->a);
    CHECK_OK(yoke_read(s->a, s->host, s->x, 0, BYTES));
    scene_order(s);
    CHECK_OK(yoke_read(s->b, s->host, s->y, 0, BYTES));
    scene_go(s);
}

/* ---- What nothing has written ---- */

static void fill_if_right(scene *s, size_t size)
{
    if (s->right)
        scene_fill(s->a, s->z, 0, size);
}

static void reads_new_memory(scene *s)
{
    fill_if_right(s, BYTES);
    CHECK_OK(yoke_read(s->a, s->host, s->z, 0, BYTES));
}

static void reads_beyond(scene *s)
{
    CHECK_OK(yoke_write(s->a, s->z, 0, s->host, HALF));
    CHECK_OK(yoke_read(s->a, s->other, s->z, 0, s->right ? HALF : HALF + 1));
}

static void reads_a_gap(scene *s)
{
    scene_fill(s->a, s->z, 0, HALF);
    scene_fill(s->a, s->z, s->right ? HALF : HALF + 4, HALF - 4);
    CHECK_OK(yoke_read(s->a, s->host, s->z, 0, BYTES - 4));
}

static void kernel_reads_new_memory(scene *s)
{
    fill_if_right(s, 4);
    scene_move(s, s->a, s->y, s->z);
}

static void copies_new_memory(scene *s)
{
    fill_if_right(s, 4);
    CHECK_OK(yoke_copy(s->a, s->y, 0, s->z, 0, BYTES));
}

static void view_of_new_memory(scene *s)
{
    yoke_buffer *high = NULL;
    scene_fill(s->a, s->z, 0, s->right ? BYTES : HALF);
    CHECK_OK(yoke_buffer_create_view(s->z, HALF, HALF, &high));
    CHECK_OK(yoke_read(s->a, s->host, high, 0, HALF));
    yoke_buffer_release(high);
}

static void ordered_memory(scene *s)
{
    yoke_buffer *fresh = NULL;
    CHECK_OK(yoke_buffer_create_ordered(s->a, BYTES, &fresh));
    if (s->right)
        scene_move(s, s->a, fresh, s->x);
    CHECK_OK(yoke_read(s->a, s->host, fresh, 0, BYTES));
    yoke_buffer_release(fresh);
}

/* Memory that the pool gives anew, with what was in it before. */
static void memory_used_before(scene *s)
{
    yoke_buffer *fresh = NULL;
    scene_fill(s->a, s->z, 0, BYTES);
    CHECK_OK(yoke_stream_wait(s->a));
    yoke_buffer_release(s->z);
    s->z = NULL;
    CHECK_OK(yoke_buffer_create(s->t->device, BYTES, &fresh));
    if (s->right)
        scene_fill(s->a, fresh, 0, BYTES);
    CHECK_OK(yoke_read(s->a, s->host, fresh, 0, BYTES));
    yoke_buffer_release(fresh);
}

static void rows_with_gaps(scene *s)
{
    const yoke_pitch pitch = { .row_pitch = 64 }, dense = { .row_pitch = 32 };
    const yoke_rect half = { 32, 64, 1 }, wider = { s->right ? 32 : 33, 64, 1 };
    CHECK_OK(yoke_write_rect(s->a, s->z, pitch, s->host, dense, half));
    CHECK_OK(yoke_read_rect(s->a, s->other, pitch, s->z, pitch, wider));
}

static void graph_reads_new_memory(scene *s)
{
    yoke_graph *graph = NULL;
    CHECK_OK(yoke_graph_create(s->t->device, NULL, &graph));
    CHECK_OK(yoke_graph_begin(graph, s->a));
    fill_if_right(s, BYTES);
    scene_move(s, s->a, s->y, s->z);
    CHECK_OK(yoke_graph_end(graph));
    CHECK_OK(yoke_graph_launch(s->b, graph));
    yoke_graph_release(graph);
}

static const mistake list[] = {
    { "a write of what a read brings", "host", read_then_write, -1 },
    { "a read into what a write takes", "host", write_then_read, -1 },
    { "two reads into the same memory", "host", two_reads, -1 },
    { "reads that overlap by a byte", "host", reads_that_overlap, -1 },
    { "reads of columns that overlap", "host", reads_of_columns, -1 },
    { "pinned memory, by its address", "host", pinned_memory, -1 },
    { "pinned memory, by its buffer", "host", pinned_buffer, -1 },
    { "copies that are deferred", "host", deferred_copies, -1 },
    { "a read of new memory", "uninit", reads_new_memory, -1 },
    { "a read beyond what was written", "uninit", reads_beyond, -1 },
    { "a read across a gap", "uninit", reads_a_gap, -1 },
    { "a kernel reads new memory", "uninit", kernel_reads_new_memory, -1 },
    { "a copy of new memory", "uninit", copies_new_memory, -1 },
    { "a view of new memory", "uninit", view_of_new_memory, -1 },
    { "ordered memory", "uninit", ordered_memory, -1 },
    { "memory that was used before", "uninit", memory_used_before, -1 },
    { "rows with gaps", "uninit", rows_with_gaps, -1 },
    { "a graph reads new memory", "uninit", graph_reads_new_memory, -1 },
};
const mistakes memory_mistakes = { list, sizeof list / sizeof list[0] };
