/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a call: their input, and what becomes of it. */
#include "calls.h"

#include <string.h>

enum { ALIGNMENT = 256, OUT_OF_RANGE = 3 };

static int64_t extent_of(const calls_size *size, int64_t extent)
{
    switch (extent) {
    case CALLS_N:
        return size->n;
    case CALLS_SIDE:
        return size->side;
    case CALLS_LONG:
        return 4 * size->side;
    default:
        return extent;
    }
}

static size_t bytes_of(const yoke_array *array)
{
    return (size_t)yoke_array_get_size(array) * yoke_dtype_get_size(array->dtype);
}

bool calls_suit(suite *t, const calls_entry *entry)
{
    for (int i = 0; i < CALLS_MOST_ARRAYS && entry->arrays[i].dtype; i++)
        if (!test_has(t, entry->arrays[i].dtype))
            return false;
    return true;
}

/* The shape of an array of this size; how many dimensions it has. */
static int32_t shape_of(const calls_array *array, const calls_size *size, int64_t *out_shape)
{
    int32_t dimensions = 0;
    for (; dimensions < 3 && array->shape[dimensions]; dimensions++)
        out_shape[dimensions] = extent_of(size, array->shape[dimensions]);
    return dimensions;
}

/* Place the arrays one behind the other: their offsets, and the bytes of all. The first array's bytes. */
static size_t place(calls_state *x)
{
    size_t first = 0;
    for (int i = 0; i < CALLS_MOST_ARRAYS && x->entry->arrays[i].dtype; i++) {
        int64_t shape[3];
        size_t bytes = yoke_dtype_get_size(x->entry->arrays[i].dtype);
        for (int32_t k = shape_of(&x->entry->arrays[i], &x->size, shape); k > 0; k--)
            bytes *= (size_t)shape[k - 1];
        x->a[i].offset = x->bytes;
        x->bytes += (bytes / ALIGNMENT + 1) * ALIGNMENT; /* there is always a gap */
        if (i == 0)
            first = bytes;
    }
    return first;
}

bool calls_create(suite *t, const calls_entry *entry, calls_size size, calls_state *out)
{
    *out = (calls_state){ .t = t, .entry = entry, .size = size };
    size_t first = place(out);
    out->all = out->bytes + (entry->on_host ? first : 0);
    out->given = memory_new(out->all);
    out->back = memory_new(out->all);
    out->host = out->back + out->bytes;
    if (!CHECK_OK(yoke_buffer_create(t->device, out->bytes, &out->buffer)))
        return false;
    for (int i = 0; i < CALLS_MOST_ARRAYS && entry->arrays[i].dtype; i++) {
        int64_t shape[3];
        int32_t dimensions = shape_of(&entry->arrays[i], &size, shape);
        yoke_array array = yoke_array_nd(out->buffer, entry->arrays[i].dtype, dimensions, shape);
        array.offset = out->a[i].offset;
        out->a[i] = array;
    }
    return true;
}

void calls_release(calls_state *x)
{
    yoke_buffer_release(x->buffer);
    memory_free(x->given);
    memory_free(x->back);
}

static long double value_of(const calls_state *x, int32_t fill, int32_t dtype, int64_t i, int64_t count, uint32_t *random)
{
    switch (fill) {
    case CALLS_POSITIONS:
        return (long double)test_random_below(random, x->size.n + OUT_OF_RANGE);
    case CALLS_FLAGS:
        return (long double)test_random_below(random, 2);
    case CALLS_ASCENDING:
        return (long double)(i / 3 + test_random_below(random, 2) * (i % 3 == 2));
    case CALLS_OFFSETS:
        return (long double)(i == 0 ? 0 : i * x->size.n / count + test_random_below(random, x->size.n / count));
    default:
        break;
    }
    if (yk_dtype_is_integer(dtype))
        return (long double)test_random_below(random, 100);
    return (long double)((double)test_random_below(random, 1 << 24) / (1 << 23) - 1);
}

void calls_fill(calls_state *x, uint32_t seed)
{
    fill_random(x->given, x->all, seed);
    for (int i = 0; i < CALLS_MOST_ARRAYS && x->entry->arrays[i].dtype; i++) {
        int32_t dtype = x->a[i].dtype, part = yk_dtype_get(dtype)->part;
        size_t size = yoke_dtype_get_size(part);
        int64_t count = (int64_t)(bytes_of(&x->a[i]) / size);
        uint32_t random = seed * 7919 + (uint32_t)i;
        for (int64_t k = 0; k < count; k++)
            test_store(part, x->given + x->a[i].offset + (size_t)k * size,
                       value_of(x, x->entry->arrays[i].fill, part, k, count, &random));
    }
    memcpy(x->back, x->given, x->all);
}

yoke_status calls_enqueue(yoke_stream *stream, calls_state *x)
{
    yoke_status status = yoke_write(stream, x->buffer, 0, x->given, x->bytes);
    if (status >= 0)
        status = x->entry->enqueue(stream, x);
    return status < 0 ? status : yoke_read(stream, x->back, x->buffer, 0, x->bytes);
}

unsigned char *calls_direct(calls_state *x, uint32_t seed)
{
    calls_fill(x, seed);
    if (!CHECK_OK(calls_enqueue(x->t->stream, x)) || !CHECK_OK(yoke_stream_wait(x->t->stream))) {
        tap_diag("%s: %s", x->entry->name, yoke_error()->text);
        return NULL;
    }
    unsigned char *result = memory_new(x->all);
    memcpy(result, x->back, x->all);
    if (!CHECK(memcmp(result, x->given, x->all) != 0))
        tap_diag("%s wrote nothing", x->entry->name);
    return result;
}

bool calls_compare(const calls_state *x, const unsigned char *wanted, const char *what)
{
    if (CHECK_BYTES(x->back, wanted, x->all))
        return true;
    tap_diag("%s, %s; the arrays begin at:", x->entry->name, what);
    for (int i = 0; i < CALLS_MOST_ARRAYS && x->entry->arrays[i].dtype; i++)
        tap_diag("  %llu", (unsigned long long)x->a[i].offset);
    return false;
}
