/* SPDX-License-Identifier: Apache-2.0 */
/* What is done while one call fails: operations on arrays. */
#include <stdlib.h>
#include <string.h>

#include <yoke/ops.h>

#include "exhausted.h"

enum { COUNT = 5000, BINS = 16 }; /* no sort of so many is done without memory */

/* Arrays of int32 of one dimension, of which the first `given` are filled by the host, and the memory that they are read into. */
enum { MOST_ARRAYS = 6 };

typedef struct arrays {
    yoke_array all[MOST_ARRAYS];
    int32_t *back[MOST_ARRAYS];
    size_t count;
} arrays;

static void values_of(int32_t *values)
{
    for (int32_t i = 0; i < COUNT; i++)
        values[i] = i * 37 % 101;
}

static yoke_status create(suite *t, arrays *a, const int64_t *sizes, size_t count)
{
    yoke_status status = YOKE_OK;

    for (a->count = 0; a->count < count; a->count++) {
        a->back[a->count] = memory_new((size_t)sizes[a->count] * sizeof(int32_t));
        DO(yoke_array_create(t->device, YOKE_I32, 1, &sizes[a->count], &a->all[a->count]));
    }
    return YOKE_OK;
out:
    memory_free(a->back[a->count]);
    return status;
}

static yoke_status write_values(suite *t, const yoke_array *array, const int32_t *values)
{
    yoke_status status;

    DO(yoke_write(t->stream, array->buffer, 0, values, (size_t)array->shape[0] * sizeof *values));
out:
    return status;
}

/* Read all of them. */
static yoke_status read_back(suite *t, arrays *a)
{
    yoke_status status;

    for (size_t i = 0; i < a->count; i++)
        DO(yoke_read(t->stream, a->back[i], a->all[i].buffer, 0, (size_t)a->all[i].shape[0] * sizeof(int32_t)));
    DO(yoke_stream_wait(t->stream));
out:
    return status;
}

static void release(arrays *a)
{
    for (size_t i = 0; i < a->count; i++) {
        yoke_buffer_release(a->all[i].buffer);
        memory_free(a->back[i]);
    }
}

yoke_status scenario_operations(suite *t, suite *p)
{
    enum { X, MAPPED, TOTAL, SCANNED, PLACES, GATHERED, ARRAYS };
    static const int64_t sizes[ARRAYS] = { COUNT, COUNT, 1, COUNT, COUNT, COUNT };
    int32_t values[COUNT], places[COUNT], sum = 0, total = 0;
    arrays a;
    yoke_status status;

    (void)p;
    values_of(values);
    for (int32_t i = 0; i < COUNT; i++)
        places[i] = COUNT - 1 - i;
    status = create(t, &a, sizes, ARRAYS);
    if (status < 0)
        goto out;
    yoke_array x = a.all[X], y = a.all[MAPPED];
    DO(write_values(t, &a.all[X], values));
    DO(write_values(t, &a.all[PLACES], places));
    DO(yoke_map(t->stream, "y = 3 * x + 1", YOKE_VARS(y, x)));
    DO(yoke_reduce(t->stream, YOKE_REDUCE_SUM, &a.all[TOTAL], &y, YOKE_ALL_AXES));
    DO(yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &a.all[SCANNED], &x, 0));
    DO(yoke_gather(t->stream, &a.all[GATHERED], &x, &a.all[PLACES], 0));
    DO(read_back(t, &a));
    for (int32_t i = 0; i < COUNT; i++) {
        sum += values[i];
        total += 3 * values[i] + 1;
        if (!CHECK(a.back[MAPPED][i] == 3 * values[i] + 1) || !CHECK(a.back[SCANNED][i] == sum) ||
            !CHECK(a.back[GATHERED][i] == values[COUNT - 1 - i]))
            break;
    }
    CHECK(a.back[TOTAL][0] == total);
out:
    finish(t->stream);
    release(&a);
    return status;
}

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* Sort where there is no memory for it: the keys stay as they are. */
static yoke_status sort_without_memory(suite *t, const yoke_array *keys, const int32_t *values, int32_t *back)
{
    yoke_memory_info info = YOKE_MEMORY_INFO_INIT;
    yoke_status status;

    DO(yoke_device_trim_memory(t->device, 0));
    DO(yoke_device_get_memory(t->device, &info));
    DO(yoke_device_set_memory_limits(t->device, info.in_use, 0));
    FAILS_WITH(YOKE_E_OUT_OF_DEVICE_MEMORY, yoke_sort(t->stream, YOKE_SORT_ASCENDING, keys, NULL));
    DO(yoke_device_set_memory_limits(t->device, YOKE_NO_LIMIT, 1 << 20));
    DO(yoke_read(t->stream, back, keys->buffer, 0, COUNT * sizeof *back));
    DO(yoke_stream_wait(t->stream));
    CHECK_BYTES(back, values, COUNT * sizeof *back);
out:
    return status;
}

yoke_status scenario_ordering(suite *t, suite *p)
{
    enum { KEYS, FLAGS, KEPT, KEPT_COUNT, COUNTS, ARRAYS };
    static const int64_t sizes[ARRAYS] = { COUNT, COUNT, COUNT, 1, BINS };
    int32_t values[COUNT], flags[COUNT], counts[BINS] = { 0 }, kept = 0;
    arrays a;
    yoke_status status;

    (void)p;
    values_of(values);
    for (int32_t i = 0; i < COUNT; i++)
        flags[i] = values[i] % 3 == 0;
    for (int32_t i = 0; i < COUNT; i++)
        counts[values[i] % BINS] += values[i] < BINS;
    status = create(t, &a, sizes, ARRAYS);
    if (status < 0)
        goto out;
    DO(write_values(t, &a.all[KEYS], values));
    DO(write_values(t, &a.all[FLAGS], flags));
    DO(yoke_select(t->stream, &a.all[KEPT], &a.all[KEPT_COUNT], &a.all[KEYS], &a.all[FLAGS]));
    DO(yoke_bincount(t->stream, &a.all[COUNTS], &a.all[KEYS], NULL));
    DO(sort_without_memory(t, &a.all[KEYS], values, a.back[KEYS]));
    DO(yoke_sort(t->stream, YOKE_SORT_ASCENDING, &a.all[KEYS], NULL));
    DO(read_back(t, &a));
    for (int32_t i = 0; i < COUNT; i++)
        if (flags[i] && !CHECK(a.back[KEPT][kept++] == values[i]))
            break;
    CHECK(a.back[KEPT_COUNT][0] == kept);
    CHECK_BYTES(a.back[COUNTS], counts, sizeof counts);
    qsort(values, COUNT, sizeof *values, by_value);
    CHECK_BYTES(a.back[KEYS], values, sizeof values);
out:
    finish(t->stream);
    release(&a);
    return status;
}
