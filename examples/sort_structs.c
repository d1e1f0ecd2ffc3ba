/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A million structs, sorted by two of their members with operations of <yoke/ops.h>: the members are arrays with strides, right
 * where they are in the structs. Their order is found first; then the structs are moved, once, as rows of bytes. sort_structs [N]
 *
 * A common mistake: to move whole structs in each pass of a sort. What is sorted is a key and a position; the rest moves at the
 * end.
 */
#include <stddef.h>

#include <yoke/ops.h>

#include "example.h"

typedef struct sale {
    int64_t time; /* seconds */
    float price;
    uint16_t shop;
    uint16_t pieces;
    char article[8];
} sale;

enum { SHOPS = 40, BEST = 3 };

static void make(sale *sales, int n)
{
    uint32_t random = 1;

    for (int i = 0; i < n; i++) {
        random = random * 1664525u + 1013904223u;
        sales[i] = (sale){ .time = 1767225600 + i,                   /* one after the other, so that the time is also a number */
                           .price = (float)(random >> 20) / 100 - 2, /* some take an article back */
                           .shop = (uint16_t)(random >> 8) % SHOPS,
                           .pieces = (uint16_t)(1 + (random >> 4) % 3) };
        snprintf(sales[i].article, sizeof sales[i].article, "a%u", (random >> 10) % 100000);
    }
}

/* A member of all structs as an array: it begins at the member's offset, and its stride is a whole struct. `size` is the member's;
 * it divides the struct's size, since C aligns structs to their members. */
static yoke_array member_of(yoke_buffer *structs, int32_t dtype, size_t offset, int64_t n)
{
    yoke_array array = yoke_array_1d(structs, dtype, n);

    array.offset = offset;
    array.strides[0] = (int64_t)(sizeof(sale) / yoke_dtype_get_size(dtype));
    return array;
}

/* The order: of each shop, in the order of their numbers, the dearest first. */
static int compare(const void *a, const void *b)
{
    const sale *one = a, *other = b;

    if (one->shop != other->shop)
        return one->shop < other->shop ? -1 : 1;
    if (one->price != other->price)
        return one->price > other->price ? -1 : 1;
    return one->time < other->time ? -1 : one->time > other->time; /* equal ones keep their order */
}

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1, 1000000, 1 << 26);
    const size_t size = (size_t)n * sizeof(sale);
    sale *sales = allocate(2 * size), *sorted = sales + n;
    int32_t starts[SHOPS + 1], best[BEST];
    const int64_t count = n, shops = SHOPS + 1, most = n < BEST ? n : BEST;
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *structs, *result;
    yoke_array order, keys, queries, places, top;
    int wrong = 0;

    make(sales, n);
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_buffer_create(device, size, &structs));
    YOKE_CHECK(yoke_buffer_create(device, size, &result));
    YOKE_CHECK(yoke_array_create(device, YOKE_U32, 1, &count, &order));
    YOKE_CHECK(yoke_array_create(device, YOKE_U16, 1, &count, &keys));
    YOKE_CHECK(yoke_array_create(device, YOKE_U16, 1, &shops, &queries));
    YOKE_CHECK(yoke_array_create(device, YOKE_I32, 1, &shops, &places));
    YOKE_CHECK(yoke_array_create(device, YOKE_I32, 1, &most, &top));
    YOKE_CHECK(yoke_write(stream, structs, 0, sales, size));

    /* The sort is stable: what is equal keeps its order. So the last member to decide is sorted first. */
    const yoke_array price = member_of(structs, YOKE_F32, offsetof(sale, price), count);
    const yoke_array shop = member_of(structs, YOKE_U16, offsetof(sale, shop), count);
    YOKE_CHECK(yoke_argsort(stream, YOKE_SORT_DESCENDING, &order, &price));
    YOKE_CHECK(yoke_gather(stream, &keys, &shop, &order, 0));          /* the shops in the order of the prices, ... */
    YOKE_CHECK(yoke_sort(stream, YOKE_SORT_ASCENDING, &keys, &order)); /* ... sorted, and the order with them */

    /* Now each struct moves to its place: a row of as many numbers as it has, whatever they mean. */
    const yoke_array rows = yoke_array_2d(structs, YOKE_U64, count, sizeof(sale) / 8);
    const yoke_array rows_sorted = yoke_array_2d(result, YOKE_U64, count, sizeof(sale) / 8);
    YOKE_CHECK(yoke_gather(stream, &rows_sorted, &rows, &order, 0));

    /* Where each shop begins; and without any sorting, the dearest sales of all. */
    YOKE_CHECK(yoke_map(stream, "queries = i", YOKE_VARS(queries)));
    YOKE_CHECK(yoke_searchsorted(stream, YOKE_SEARCH_LEFT, &places, &keys, &queries));
    YOKE_CHECK(yoke_top_k(stream, YOKE_SORT_DESCENDING, NULL, &top, &price));

    YOKE_CHECK(yoke_read(stream, sorted, result, 0, size));
    YOKE_CHECK(yoke_read(stream, starts, places.buffer, 0, sizeof starts));
    YOKE_CHECK(yoke_read(stream, best, top.buffer, 0, (size_t)most * sizeof best[0]));
    YOKE_CHECK(yoke_stream_wait(stream));
    for (int i = 0; i < most; i++)
        printf("%-8s %8.2f, shop %d\n", sales[best[i]].article, sales[best[i]].price, sales[best[i]].shop);
    for (int i = 0; i < SHOPS; i += SHOPS / 4)
        if (starts[i] < starts[i + 1])
            printf("shop %2d sold %d times, at %.2f at most\n", i, starts[i + 1] - starts[i], sorted[starts[i]].price);

    /* Each struct is still what it was, as its time tells, and the order is the only one that the host would find. */
    for (int i = 0; i < n; i++) {
        const int64_t from = sorted[i].time - sales[0].time;
        wrong += from < 0 || from >= n || memcmp(&sorted[i], &sales[from], sizeof(sale)) != 0;
        wrong += i > 0 && compare(&sorted[i - 1], &sorted[i]) >= 0;
    }
    for (int i = 0; i < SHOPS; i++)
        for (int j = starts[i]; j < starts[i + 1]; j++)
            wrong += sorted[j].shop != i;
    wrong += starts[0] != 0 || starts[SHOPS] != n;
    for (int i = 0, dearer = 0; i < most; i++, dearer = 0) {
        for (int j = 0; j < n; j++)
            dearer += sales[j].price > sales[best[i]].price || (sales[j].price == sales[best[i]].price && j < best[i]);
        wrong += dearer != i;
    }
    printf("sort_structs: %d structs of %zu bytes, %d wrong\n", n, sizeof(sale), wrong);

    yoke_buffer *all[] = { top.buffer, places.buffer, queries.buffer, keys.buffer, order.buffer, result, structs };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        yoke_buffer_release(all[i]);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(sales);
    return wrong != 0;
}
