/* SPDX-License-Identifier: Apache-2.0 */
/* Whole arrays between host memory and the device: every dtype and layout, what is refused, and in a graph. */
#include "../arrays.h"

#include <string.h>

#include <yoke/graph.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* The elements, one after the other; bool as 0 or 1. */
static unsigned char *packed_of(const test_array *a)
{
    size_t size = yoke_dtype_get_size(a->array.dtype);
    unsigned char *all = memory_new((size_t)a->count * size + 1);
    for (int64_t i = 0; i < a->count; i++)
        memcpy(all + (size_t)i * size, test_element(a, i), size);
    return all;
}

static bool writes_and_reads(suite *t, int32_t dtype, int32_t dimensions, const int64_t *shape, layout how)
{
    test_array a = { 0 }, other = { 0 };
    unsigned char *wanted = NULL, *back = NULL;
    bool ok = false;
    if (!test_has(t, dtype))
        return true;
    NEED(test_array_create(t, dtype, dimensions, shape, how, 3, &a) &&
         test_array_create(t, dtype, dimensions, shape, how, 4, &other));
    if (dtype != YOKE_BOOL)
        test_fill_whole_range(&other, 7, true);
    wanted = packed_of(&other);
    size_t size = (size_t)a.count * yoke_dtype_get_size(dtype);
    back = memory_new(size + 1);
    NEED(test_upload(t, &a));
    NEED_OK(yoke_write_array(t->stream, &a.array, wanted));
    NEED_OK(yoke_read_array(t->stream, back, &a.array));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(size == 0 || CHECK_BYTES(back, wanted, size));
    NEED(test_download_checked(t, &a, false)); /* gaps and guards are as they were */
    for (int64_t i = 0; i < a.count; i++)
        NEED(memcmp(test_element(&a, i), test_element(&other, i), yoke_dtype_get_size(dtype)) == 0);
    ok = true;
out:
    if (!ok)
        tap_diag("%s, %d dimensions, layout %d", yoke_dtype_get_name(dtype), (int)dimensions, (int)how);
    if (back)
        memory_free(back);
    if (wanted)
        memory_free(wanted);
    test_array_release(&other);
    test_array_release(&a);
    return ok;
}

static void all(suite *t)
{
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++)
        writes_and_reads(t, dtype, 1, SHAPE(77), LAYOUT_OFFSET);
    for (int how = 0; how < LAYOUT_COUNT; how++) {
        writes_and_reads(t, YOKE_F32, 2, SHAPE(7, 50), (layout)how);
        writes_and_reads(t, YOKE_F32, 2, SHAPE(7, 0), (layout)how);
        writes_and_reads(t, YOKE_F32, 0, NULL, (layout)how);
    }
    writes_and_reads(t, YOKE_BOOL, 2, SHAPE(40, 9), LAYOUT_RANDOM);
    writes_and_reads(t, YOKE_C128, 3, SHAPE(4, 5, 6), LAYOUT_RANDOM);
}

/* Columns of an array, and its rows backwards. */
static void views(suite *t)
{
    float given[4 * 6], column[4] = { 10, 11, 12, 13 }, back[4], rows[4 * 6];
    yoke_array a = { 0 };
    for (int i = 0; i < 24; i++)
        given[i] = (float)i;
    NEED_OK(yoke_array_create(t->device, YOKE_F32, 2, SHAPE(4, 6), &a));
    yoke_array third = yoke_array_index(a, 1, 2), backwards = yoke_array_slice(a, 0, YOKE_SLICE_END, -5, -1);
    yoke_array repeated = yoke_array_broadcast(yoke_array_index(third, 0, 1), 1, SHAPE(4));
    NEED_OK(yoke_write_array(t->stream, &a, given));
    NEED_OK(yoke_write_array(t->stream, &third, column));
    NEED_OK(yoke_read_array(t->stream, rows, &backwards));
    NEED_OK(yoke_read_array(t->stream, back, &repeated));
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < 24; i++)
        CHECK(rows[i] == (i % 6 == 2 ? column[3 - i / 6] : given[(3 - i / 6) * 6 + i % 6]));
    for (int i = 0; i < 4; i++)
        CHECK(back[i] == column[1]);
out:
    yoke_buffer_release(a.buffer);
}

static void mistakes(suite *t)
{
    yoke_array a = { 0 }, none = { 0 };
    float host[24] = { 0 };
    suite_expect_log();
    NEED_OK(yoke_array_create(t->device, YOKE_F32, 2, SHAPE(4, 6), &a));
    yoke_array row = yoke_array_index(a, 0, 0), repeated = yoke_array_broadcast(row, 2, SHAPE(4, 6)), far = a;
    far.offset = 4;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_write_array|stream", yoke_write_array(NULL, &a, host));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_write_array|array is NULL", yoke_write_array(t->stream, NULL, host));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_write_array|not an array", yoke_write_array(t->stream, &none, host));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source is NULL|(4, 6)", yoke_write_array(t->stream, &a, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "array|one place", yoke_write_array(t->stream, &repeated, host));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_read_array|array|96 bytes", yoke_read_array(t->stream, host, &far));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_read_array|target is NULL", yoke_read_array(t->stream, NULL, &a));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_read_array|array is NULL", yoke_read_array(t->stream, host, NULL));
out:
    yoke_buffer_release(a.buffer);
}

/* Recorded once: the host's memory is read when the graph runs. */
static void records(suite *t)
{
    int32_t given[6], back[6];
    yoke_array a = { 0 };
    yoke_graph *graph = NULL;
    NEED_OK(yoke_array_create(t->device, YOKE_I32, 2, SHAPE(3, 2), &a));
    yoke_array turned = yoke_array_transpose(a, NULL);
    NEED_OK(yoke_graph_create(t->device, "transfer", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    CHECK_OK(yoke_write_array(t->stream, &turned, given));
    CHECK_OK(yoke_read_array(t->stream, back, &a));
    NEED_OK(yoke_graph_end(graph));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 6; i++)
            given[i] = round * 100 + i;
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        for (int i = 0; i < 6; i++)
            CHECK(back[i] == given[i % 2 * 3 + i / 2]);
    }
out:
    yoke_graph_release(graph);
    yoke_buffer_release(a.buffer);
}

static const suite_case cases[] = {
    { "every dtype and layout is written and read back", all, false },
    { "views are written and read, and nothing beside them", views, false },
    { "mistakes are refused", mistakes, false },
    { "recorded, and replayed with other data", records, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
