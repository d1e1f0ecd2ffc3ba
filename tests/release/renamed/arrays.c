/* SPDX-License-Identifier: Apache-2.0 */
/* A program of the time before 0.1.0, for renamed.sh: operations on arrays by the names that they had. It is compiled, not run. */
#include <yoke/check.h>
#include <yoke/graph.h>
#include <yoke/native.h>
#include <yoke/ops.h>

static yoke_status reduce_all(yoke_stream *stream, const yoke_array *out, const yoke_array *a)
{
    static const int32_t operations[] = { YOKE_SUM,    YOKE_PRODUCT, YOKE_MIN,  YOKE_MAX,      YOKE_ANY, YOKE_ALL,
                                          YOKE_ARGMIN, YOKE_ARGMAX,  YOKE_MEAN, YOKE_VARIANCE, YOKE_NORM };

    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        YOKE_CHECK(yoke_reduce(stream, operations[i], out, a, YOKE_ALL_AXES));
    YOKE_CHECK(yoke_scan(stream, YOKE_SUM, YOKE_INCLUSIVE, a, a, 0));
    return yoke_scan(stream, YOKE_MAX, YOKE_EXCLUSIVE, a, a, 0);
}

static yoke_status order_all(yoke_stream *stream, const yoke_array *keys, const yoke_array *positions, const yoke_array *queries)
{
    yoke_array half = yoke_array_slice(*keys, 0, 1, YOKE_END, 2);

    YOKE_CHECK(yoke_sort(stream, &half, NULL, YOKE_DESCENDING));
    YOKE_CHECK(yoke_sort(stream, keys, NULL, YOKE_ASCENDING));
    YOKE_CHECK(yoke_search_sorted(stream, positions, keys, queries, YOKE_LEFT));
    return yoke_search_sorted_at(NULL, stream, positions, keys, queries, YOKE_RIGHT);
}

static yoke_status transform_all(yoke_stream *stream, const yoke_array *out, const yoke_array *a, const yoke_array *b)
{
    static const int32_t modes[] = { YOKE_FFT_FULL, YOKE_FFT_SAME, YOKE_FFT_VALID };

    yoke_fft_options options = YOKE_FFT_OPTIONS_INIT;
    const int32_t axis = 0;

    YOKE_CHECK(yoke_fft(stream, out, a, YOKE_FORWARD, YOKE_ALL_AXES));
    YOKE_CHECK(yoke_fft(stream, a, out, YOKE_INVERSE, &axis, 1));
    YOKE_CHECK(yoke_fft_with(stream, a, out, YOKE_INVERSE, YOKE_AXES(0, 1), &options));
    return yoke_fft_convolve(stream, out, a, b, modes[1], YOKE_ALL_AXES);
}

static yoke_status multiply_all(yoke_stream *stream, const yoke_array *c, const yoke_array *a, const yoke_array *b)
{
    yoke_matmul_options options = YOKE_MATMUL_OPTIONS_INIT;

    YOKE_CHECK(yoke_matmul(stream, c, a, /* not "transposed, yet (" */
                           b));
    YOKE_CHECK(yoke_matmul_with(stream, c, a, b, &options));
    YOKE_CHECK(yoke_top_k_at("place", stream, c, NULL, a, YOKE_DESCENDING));
    YOKE_CHECK(yoke_argsort(stream, c, a, YOKE_ASCENDING));
    return yoke_scatter(stream, c, a, b, 0, YOKE_SCATTER_ADD);
}

static yoke_status move_on(yoke_status status, void *user)
{
    (void)user;
    return status;
}

static yoke_status native_on(yoke_status status, void *native_stream, void *user)
{
    (void)native_stream, (void)user;
    return status;
}

static yoke_status others(yoke_device *device, yoke_graph *graph, yoke_buffer *buffer)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream;
    uintptr_t native;

    YOKE_CHECK(yoke_stream_create_with(device, &desc, &stream));
    YOKE_CHECK(yoke_native_enqueue_with(stream, native_on, NULL, NULL, &buffer, 1, &native));
    YOKE_CHECK(yoke_graph_set_call(graph, 0, move_on, NULL, NULL));
    YOKE_CHECK(yoke_device_limit_memory(device, YOKE_NO_LIMIT, 0));
    puts(yoke_get_build_log());
    yoke_stream_release(stream);
    return yoke_device_trim(device, 0);
}

static yoke_status random_all(yoke_stream *stream, const yoke_array *out)
{
    static const int32_t intervals[] = { YOKE_WITHOUT_HIGH, YOKE_WITHOUT_LOW, YOKE_WITH_BOTH };
    yoke_random_options options = YOKE_RANDOM_OPTIONS_INIT;

    options.interval = intervals[1]; /* YOKE_WITHOUT_LOW: above 0, and 1 */
    return yoke_random_uniform(stream, out, 0, 1, 2026, 0, &options);
}

int main(void)
{
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    yoke_event *event = NULL;
    const int64_t shape[] = { 4, 4 };
    float numbers[16] = { 0 };
    yoke_array a, b;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, &stream));
    YOKE_CHECK(yoke_array_create(device, YOKE_F32, 2, shape, &a));
    YOKE_CHECK(yoke_array_create(device, YOKE_F32, 2, shape, &b));
    YOKE_CHECK(yoke_array_write(stream, &a, numbers));
    YOKE_CHECK_OR(reduce_all(stream, &b, &a), return 1);
    YOKE_CHECK_OR(order_all(stream, &a, &b, &a), return 1);
    YOKE_CHECK_OR(transform_all(stream, &b, &a, &a), return 1);
    YOKE_CHECK_OR(multiply_all(stream, &b, &a, &a), return 1);
    YOKE_CHECK_OR(others(device, NULL, a.buffer), return 1);
    YOKE_CHECK_OR(random_all(stream, &a), return 1);
    YOKE_CHECK(yoke_array_read(stream, &b, numbers));
    YOKE_CHECK(yoke_event_record(stream, YOKE_EVENT_BEYOND_DEPTH, &event));
    yoke_event_release(event);
    yoke_buffer_release(b.buffer);
    yoke_buffer_release(a.buffer);
    yoke_stream_release(stream);
    yoke_device_release(device);
    return 0;
}
