/* SPDX-License-Identifier: Apache-2.0 */
/* The order of sorts, on the host. */
#include "order.h"

#include <math.h>
#include <stdlib.h>

typedef struct host_key {
    long double value;
    int64_t place;
    bool is_nan, is_negative, descending;
} host_key;

/* Without the places. */
static int compare_values(const host_key *a, const host_key *b)
{
    int sign = a->descending ? -1 : 1;
    if (a->is_nan || b->is_nan)
        return a->is_nan - b->is_nan;
    if (a->value != b->value)
        return a->value < b->value ? -sign : sign;
    if (a->is_negative != b->is_negative) /* -0 and 0 */
        return a->is_negative ? -sign : sign;
    return 0;
}

static int compare(const void *first, const void *second)
{
    const host_key *a = first, *b = second;
    int result = compare_values(a, b);
    return result ? result : a->place < b->place ? -1 : a->place > b->place;
}

static host_key read_key(const test_array *keys, int64_t position, int32_t order)
{
    bool floating = !yk_dtype_is_integer(keys->array.dtype);
    long double value = keys->array.dtype == YOKE_BOOL ? *(uint8_t *)test_element(keys, position) != 0 : test_get(keys, position);
    return (host_key){ value, position, floating && isnan(value), floating && signbit(value), order == YOKE_SORT_DESCENDING };
}

int64_t *order_of(const test_array *keys, int32_t order)
{
    int64_t n = keys->array.shape[keys->array.dimensions - 1], *places = memory_new((size_t)keys->count * sizeof *places + 1);
    host_key *row = memory_new((size_t)n * sizeof *row + 1);
    for (int64_t begin = 0; begin < keys->count; begin += n) {
        for (int64_t i = 0; i < n; i++)
            row[i] = read_key(keys, begin + i, order);
        qsort(row, (size_t)n, sizeof *row, compare);
        for (int64_t i = 0; i < n; i++)
            places[begin + i] = row[i].place;
    }
    memory_free(row);
    return places;
}

int order_compare(const test_array *a, int64_t i, const test_array *b, int64_t j)
{
    host_key first = read_key(a, i, YOKE_SORT_ASCENDING), second = read_key(b, j, YOKE_SORT_ASCENDING);
    return compare_values(&first, &second);
}
