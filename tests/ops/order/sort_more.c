/* SPDX-License-Identifier: Apache-2.0 */
/* Top k, search, what is refused, graphs, and the rank of a block in a kernel of one's own. */
#include "../arrays.h"
#include "order.h"

#include <string.h>

#include <yoke/graph.h>

#include "ops/order/sort.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* ---- Top k ---- */

/* `wanted`: 1 values, 2 indices, 3 both. */
static bool finds_top(suite *t, int32_t dtype, int32_t index_dtype, int64_t rows, int64_t n, int64_t k, layout how, int32_t order,
                      int wanted)
{
    test_array a = { 0 }, values = { 0 }, indices = { 0 };
    static uint32_t seed = 500;
    bool ok = false;
    seed++;
    NEED(test_array_create(t, dtype, 2, SHAPE(rows, n), how, seed, &a));
    NEED(test_array_create(t, dtype, 2, SHAPE(rows, k), how, seed + 1, &values));
    NEED(test_array_create(t, index_dtype, 2, SHAPE(rows, k), how, seed + 2, &indices));
    if (seed % 2)
        test_fill_whole_range(&a, seed, true);
    int64_t *places = order_of(&a, order);
    ok = test_upload(t, &a) && test_upload(t, &values) && test_upload(t, &indices) &&
         CHECK_OK(yoke_top_k(t->stream, order, wanted & 1 ? &values.array : NULL, wanted & 2 ? &indices.array : NULL, &a.array)) &&
         CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &a, true) &&
         test_download_checked(t, &values, !(wanted & 1)) && test_download_checked(t, &indices, !(wanted & 2));
    for (int64_t i = 0; i < values.count && ok; i++) {
        int64_t place = places[i / k * n + i % k];
        ok = (!(wanted & 1) || CHECK_BYTES(test_element(&values, i), test_element(&a, place), yoke_dtype_get_size(dtype))) &&
             (!(wanted & 2) || CHECK(test_get(&indices, i) == (long double)(place % n)));
    }
    if (!ok)
        tap_diag("top %lld of %lld %s, way %d", (long long)k, (long long)n, yoke_dtype_get_name(dtype), (int)yops_sort_forced);
    memory_free(places);
out:
    test_array_release(&a);
    test_array_release(&values);
    test_array_release(&indices);
    return ok;
}

static void top_k_all(suite *t)
{
    static const int64_t lengths[] = { 1, 2, 100, 1024, 1025, 4096, 4097, 20001 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int64_t n = lengths[i];
        finds_top(t, YOKE_F32, YOKE_I32, 1, n, n, LAYOUT_OFFSET, YOKE_SORT_DESCENDING, 3);
        finds_top(t, YOKE_F32, YOKE_I32, 3, n, 1, LAYOUT_RANDOM, YOKE_SORT_DESCENDING, 3);
        finds_top(t, YOKE_F32, YOKE_I32, 2, n, n < 7 ? n : 7, LAYOUT_OFFSET, YOKE_SORT_ASCENDING, 2);
        finds_top(t, YOKE_F32, YOKE_I32, 2, n, (n + 1) / 2, LAYOUT_CONTIGUOUS, YOKE_SORT_ASCENDING, 1);
        finds_top(t, YOKE_F32, YOKE_I32, 2, n, 0, LAYOUT_OFFSET, YOKE_SORT_ASCENDING, 3);
    }
    finds_top(t, YOKE_BF16, YOKE_I64, 2, 9000, 6000, LAYOUT_OFFSET, YOKE_SORT_DESCENDING, 3);
}

/* Rows whose limit lies within equal elements, in the first byte, or nowhere. */
static void top_k_long(suite *t)
{
    finds_top(t, YOKE_F32, YOKE_I32, 1, 20001, 2500, LAYOUT_OFFSET, YOKE_SORT_DESCENDING, 3);
    finds_top(t, YOKE_F32, YOKE_I32, 1, 20001, 100, LAYOUT_OFFSET, YOKE_SORT_ASCENDING, 3);
    finds_top(t, YOKE_F32, YOKE_I32, 1, 70001, 1, LAYOUT_OFFSET, YOKE_SORT_ASCENDING, 3);
    finds_top(t, YOKE_F32, YOKE_I32, 1, 70001, 2, LAYOUT_OFFSET, YOKE_SORT_DESCENDING, 3);
    finds_top(t, YOKE_F32, YOKE_I32, 3, 66001, 70, LAYOUT_RANDOM, YOKE_SORT_DESCENDING, 3);
    finds_top(t, YOKE_F32, YOKE_I32, 3, 66001, 70, LAYOUT_RANDOM, YOKE_SORT_DESCENDING, 2);
    finds_top(t, YOKE_F32, YOKE_I32, 2, 5000, 70, LAYOUT_RANDOM, YOKE_SORT_DESCENDING, 1);
    finds_top(t, YOKE_F32, YOKE_I32, 2, 5000, 70, LAYOUT_RANDOM, YOKE_SORT_DESCENDING, 1);
    finds_top(t, YOKE_BOOL, YOKE_I32, 1, 9000, 800, LAYOUT_OFFSET, YOKE_SORT_DESCENDING, 3);
    finds_top(t, YOKE_I64, YOKE_I64, 2, 9000, 801, LAYOUT_OFFSET, YOKE_SORT_DESCENDING, 3);
    finds_top(t, YOKE_I64, YOKE_I64, 2, 9000, 801, LAYOUT_OFFSET, YOKE_SORT_ASCENDING, 3);
}

static void top_k(suite *t)
{
    top_k_all(t);
    yops_sort_forced = YOPS_SORT_BLOCKS;
    top_k_long(t);
    finds_top(t, YOKE_F32, YOKE_I32, 3, 100, 7, LAYOUT_RANDOM, YOKE_SORT_DESCENDING, 3);
    finds_top(t, YOKE_F32, YOKE_I32, 3, 9000, 7, LAYOUT_RANDOM, YOKE_SORT_ASCENDING, 3);
    yops_sort_forced = YOPS_SORT_THREADS;
    finds_top(t, YOKE_F32, YOKE_I32, 3, 9000, 7, LAYOUT_RANDOM, YOKE_SORT_DESCENDING, 3);
    yops_sort_forced = YOPS_SORT_BY_DEVICE;
}

/* ---- Search ---- */

static bool searches(suite *t, int32_t dtype, int32_t position_dtype, int64_t n, int64_t queries, layout how, int32_t side)
{
    test_array source = { 0 }, sorted = { 0 }, query = { 0 }, positions = { 0 };
    static uint32_t seed = 900;
    bool ok = false;
    seed++;
    NEED(test_array_create(t, dtype, 1, SHAPE(n), how, seed, &source));
    NEED(test_array_create(t, dtype, 1, SHAPE(n), how, seed, &sorted));
    NEED(test_array_create(t, dtype, 2, SHAPE(queries, 3), how, seed + 1, &query));
    NEED(test_array_create(t, position_dtype, 2, SHAPE(queries, 3), how, seed + 2, &positions));
    if (seed % 3) {
        test_fill_whole_range(&source, seed, true);
        test_fill_whole_range(&query, seed + 5, true);
    }
    for (int64_t i = 0; i < query.count && n > 0; i += 2) /* queries that are there */
        memcpy(test_element(&query, i), test_element(&source, i * 7 % n), yoke_dtype_get_size(dtype));
    int64_t *places = order_of(&source, YOKE_SORT_ASCENDING);
    for (int64_t i = 0; i < n; i++)
        memcpy(test_element(&sorted, i), test_element(&source, places[i]), yoke_dtype_get_size(dtype));
    memory_free(places);
    ok = test_upload(t, &sorted) && test_upload(t, &query) && test_upload(t, &positions) &&
         CHECK_OK(yoke_searchsorted(t->stream, side, &positions.array, &sorted.array, &query.array)) &&
         CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &sorted, true) &&
         test_download_checked(t, &query, true) && test_download_checked(t, &positions, false);
    for (int64_t i = 0; i < query.count && ok; i++) {
        int64_t at = 0;
        while (at < n && order_compare(&sorted, at, &query, i) < (side == YOKE_SEARCH_RIGHT))
            at++;
        ok = CHECK(test_get(&positions, i) == (long double)at);
    }
    if (!ok)
        tap_diag("search of %s in %lld, side %d", yoke_dtype_get_name(dtype), (long long)n, (int)side);
out:
    test_array_release(&source);
    test_array_release(&sorted);
    test_array_release(&query);
    test_array_release(&positions);
    return ok;
}

static void search_sorted(suite *t)
{
    static const int64_t sizes[] = { 0, 1, 2, 3, 64, 1000 };
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        if (yk_dtype_is_complex(dtype) || !test_has(t, dtype))
            continue;
        /* One of each class of keys, and of each size. */
        for (int32_t side = YOKE_SEARCH_LEFT; side <= YOKE_SEARCH_RIGHT && dtype % 3 != 0; side++)
            searches(t, dtype, dtype % 2 ? YOKE_I32 : YOKE_U64, 300, 70, LAYOUT_RANDOM, side);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int32_t side = YOKE_SEARCH_LEFT; side <= YOKE_SEARCH_RIGHT; side++)
            searches(t, YOKE_F32, YOKE_I32, sizes[i], (int64_t)(i * i), LAYOUT_OFFSET, side);
}

/* ---- What is refused ---- */

static void refusals(suite *t)
{
    yoke_array keys, small, wide, positions;
    suite_expect_log();
    if (!CHECK_OK(yoke_array_create(t->device, YOKE_F32, 2, SHAPE(4, 6), &keys)))
        return;
    if (!CHECK_OK(yoke_array_create(t->device, YOKE_F32, 2, SHAPE(4, 5), &small)) ||
        !CHECK_OK(yoke_array_create(t->device, YOKE_I32, 2, SHAPE(4, 6), &positions)) ||
        !CHECK_OK(yoke_array_create(t->device, YOKE_C64, 2, SHAPE(4, 6), &wide)))
        return;
    yoke_array scalar = yoke_array_nd(keys.buffer, YOKE_F32, 0, NULL), row = yoke_array_index(keys, 0, 0);
    yoke_array repeated = yoke_array_broadcast(row, 2, SHAPE(4, 6)), shorts = positions, halves = keys;
    shorts.dtype = YOKE_I16;
    halves.dtype = YOKE_I32;
    yoke_array endless = keys, largest = yoke_array_2d(small.buffer, YOKE_F64, 9, 1);
    endless.dtype = YOKE_F64;
    endless.shape[0] = 9;
    endless.shape[1] = INT64_C(1) << 61;
    endless.strides[0] = endless.strides[1] = 0;
    CHECK_FAILS(YOKE_E_RANGE, "yoke_top_k|a has the shape (9, 2305843009213693952)|2^63 bytes",
                yoke_top_k(t->stream, YOKE_SORT_DESCENDING, &largest, NULL, &endless));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_sort|keys is NULL", yoke_sort(t->stream, 0, NULL, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_sort|stream", yoke_sort(NULL, 0, &keys, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "keys|complex64|no order", yoke_sort(t->stream, 0, &wide, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "keys|()|no axis", yoke_sort(t->stream, 0, &scalar, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "values|(4, 5)|keys|(4, 6)", yoke_sort(t->stream, 0, &keys, &small));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "values|overlaps|keys", yoke_sort(t->stream, 0, &keys, &halves));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "keys|several of its elements", yoke_sort(t->stream, 0, &repeated, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "order is 2|YOKE_SORT_ASCENDING", yoke_sort(t->stream, 2, &keys, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_argsort|indices|int16|4 or 8 bytes", yoke_argsort(t->stream, 0, &shorts, &keys));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "indices|float|4 or 8 bytes", yoke_argsort(t->stream, 0, &keys, &keys));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "indices|overlaps|keys", yoke_argsort(t->stream, 0, &halves, &keys));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "indices|(4, 6)|keys|(4, 5)", yoke_argsort(t->stream, 0, &positions, &small));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_top_k|both NULL", yoke_top_k(t->stream, 0, NULL, NULL, &keys));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "values|first 6 of 5|too large", yoke_top_k(t->stream, 0, &keys, NULL, &small));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "values|int32|a|float", yoke_top_k(t->stream, 0, &positions, NULL, &keys));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "values|(6)|a|(4, 6)", yoke_top_k(t->stream, 0, &row, NULL, &keys));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "indices|(4, 6)|values|(4, 5)", yoke_top_k(t->stream, 0, &small, &positions, &keys));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "sorted|one dimension", yoke_searchsorted(t->stream, 0, &positions, &keys, &keys));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "queries|complex64|sorted|float",
                yoke_searchsorted(t->stream, 0, &positions, &row, &wide));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "positions|(4, 6)|queries|(4, 5)",
                yoke_searchsorted(t->stream, 0, &positions, &row, &small));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "side is -1|YOKE_SEARCH_LEFT", yoke_searchsorted(t->stream, -1, &positions, &row, &keys));
    yoke_buffer_release(keys.buffer);
    yoke_buffer_release(small.buffer);
    yoke_buffer_release(wide.buffer);
    yoke_buffer_release(positions.buffer);
}

/* ---- Graphs ---- */

/* Recorded once, launched with other data each time. */
static void in_a_graph(suite *t)
{
    test_array keys = { 0 }, short_keys = { 0 };
    yoke_graph *graph = NULL;
    NEED(test_array_create(t, YOKE_U16, 1, SHAPE(20011), LAYOUT_OFFSET, 1, &keys));
    NEED(test_array_create(t, YOKE_U16, 2, SHAPE(9, 100), LAYOUT_RANDOM, 2, &short_keys));
    NEED_OK(yoke_graph_create(t->device, "sorts", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED_OK(yoke_sort(t->stream, YOKE_SORT_DESCENDING, &keys.array, NULL));
    NEED_OK(yoke_sort(t->stream, YOKE_SORT_DESCENDING, &short_keys.array, NULL));
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t round = 0; round < 3; round++) {
        test_array *both[] = { &keys, &short_keys };
        for (int i = 0; i < 2; i++) {
            test_fill_whole_range(both[i], round + 10, false);
            NEED(test_upload(t, both[i]));
        }
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        for (int i = 0; i < 2; i++) {
            test_array given = *both[i];
            int64_t *places = order_of(both[i], YOKE_SORT_DESCENDING);
            bool ok = test_download_checked(t, both[i], false);
            given.bytes = given.before;
            for (int64_t e = 0; e < given.count && ok; e++)
                ok = CHECK(test_get(both[i], e) == test_get(&given, places[e]));
            memory_free(places);
        }
    }
out:
    yoke_graph_release(graph);
    test_array_release(&keys);
    test_array_release(&short_keys);
}

/* ---- The rank of a block, in a kernel ---- */

static const char rank_text[] =
    "#define YOKE_RANK_NAME first\n"
    "#define YOKE_RANK_THREADS 64\n"
    "#define YOKE_RANK_ITEMS 5\n"
    "#define YOKE_RANK_BITS 8\n"
    "#include <yoke/block_rank.h>\n"
    "#define YOKE_RANK_NAME second\n"
    "#define YOKE_RANK_THREADS 64\n"
    "#define YOKE_RANK_ITEMS 1\n"
    "#define YOKE_RANK_BITS 3\n"
    "#include <yoke/block_rank.h>\n"
    "YOKE_KERNEL YOKE_BLOCK_SIZE(64, 1, 1) void rank_all(YOKE_GLOBAL const yoke_u32 *digits, YOKE_GLOBAL yoke_u32 *ranks,\n"
    "                                                    YOKE_GLOBAL yoke_u32 *starts, YOKE_GLOBAL yoke_u32 *few)\n"
    "{\n"
    "    YOKE_SHARED first_memory a;\n"
    "    YOKE_SHARED second_memory b;\n"
    "    yoke_u32 digit[5], rank[5], small[1];\n"
    "    for (int i = 0; i < 5; i++)\n" /* two calls with the same memory may be of a function that is not inlined */
    "        digit[i] = 255u - digits[first_element(i)];\n"
    "    first_digits(&a, digit, rank);\n"
    "    yoke_barrier();\n"
    "    for (int i = 0; i < 5; i++)\n"
    "        digit[i] = digits[first_element(i)];\n"
    "    first_digits(&a, digit, rank);\n"
    "    for (int i = 0; i < 5; i++)\n"
    "        ranks[first_element(i)] = rank[i];\n"
    "    for (yoke_u32 d = yoke_thread_x(); d < 256u; d += 64u)\n"
    "        starts[d] = a.start[d] | a.total[d] << 16;\n"
    "    small[0] = digits[second_element(0)] & 7u;\n"
    "    second_digits(&b, small, rank);\n"
    "    few[second_element(0)] = rank[0];\n"
    "}\n";

enum { TILE = 320, FEW = 64, DIGITS = 256 };

static uint32_t count_before(const uint32_t *digits, uint32_t mask, uint32_t count, uint32_t element)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++)
        before += (digits[i] & mask) < (digits[element] & mask) || ((digits[i] & mask) == (digits[element] & mask) && i < element);
    return before;
}

static void block_rank(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel;
    yoke_buffer *buffers[4] = { NULL };
    uint32_t digits[TILE], ranks[TILE], starts[DIGITS], few[FEW], seed = 3;
    static const size_t sizes[] = { sizeof digits, sizeof ranks, sizeof starts, sizeof few };
    source.text = rank_text;
    for (int i = 0; i < TILE; i++)
        digits[i] = i < 40 ? 255 : (uint32_t)test_random_below(&seed, i % 2 ? 256 : 9);
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "rank_all", &kernel));
    for (int i = 0; i < 4; i++)
        NEED_OK(yoke_buffer_create(t->device, sizes[i], &buffers[i]));
    NEED_OK(yoke_write(t->stream, buffers[0], 0, digits, sizeof digits));
    NEED_OK(
        yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(64), 0, YOKE_ARGS(buffers[0], buffers[1], buffers[2], buffers[3])));
    NEED_OK(yoke_read(t->stream, ranks, buffers[1], 0, sizeof ranks));
    NEED_OK(yoke_read(t->stream, starts, buffers[2], 0, sizeof starts));
    NEED_OK(yoke_read(t->stream, few, buffers[3], 0, sizeof few));
    NEED_OK(yoke_stream_wait(t->stream));
    for (uint32_t i = 0; i < TILE; i++)
        CHECK(ranks[i] == count_before(digits, 255, TILE, i));
    for (uint32_t i = 0; i < FEW; i++)
        CHECK(few[i] == count_before(digits, 7, FEW, i));
    for (uint32_t d = 0, start = 0; d < DIGITS; d++) {
        uint32_t total = 0;
        for (int i = 0; i < TILE; i++)
            total += digits[i] == d;
        CHECK(starts[d] == (start | total << 16));
        start += total;
    }
out:
    for (int i = 0; i < 4; i++)
        yoke_buffer_release(buffers[i]);
    yoke_program_release(program);
}

static const suite_case cases[] = {
    { "top k", top_k, false },
    { "search in a sorted array", search_sorted, false },
    { "what is refused", refusals, false },
    { "in a graph", in_a_graph, false },
    { "the rank of a block", block_rank, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
