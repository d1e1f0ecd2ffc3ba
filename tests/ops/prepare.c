/* SPDX-License-Identifier: Apache-2.0 */
/* yoke_ops_prepare: afterwards, calls on arrays of the dtype build nothing. */
#include "arrays.h"

static uint32_t builds(void)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    CHECK_OK(yoke_cache_get_info(&info));
    return info.hits + info.misses;
}

static void prepares(suite *t)
{
    test_array a = { 0 }, out = { 0 }, sum = { 0 };
    NEED_OK(yoke_ops_prepare(t->device, (const int32_t[]){ YOKE_U8 }, 1));
    uint32_t before = builds();
    NEED(test_array_create(t, YOKE_U8, 1, (const int64_t[]){ 50000 }, LAYOUT_CONTIGUOUS, 1, &a) && test_upload(t, &a));
    NEED(test_array_create(t, YOKE_U8, 1, (const int64_t[]){ 50000 }, LAYOUT_CONTIGUOUS, 2, &out) && test_upload(t, &out));
    NEED(test_array_create(t, YOKE_U8, 0, NULL, LAYOUT_CONTIGUOUS, 3, &sum) && test_upload(t, &sum));
    NEED_OK(yoke_assign(t->stream, &out.array, &a.array));
    NEED_OK(yoke_reduce(t->stream, YOKE_REDUCE_SUM, &sum.array, &a.array, YOKE_ALL_AXES));
    NEED_OK(yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &out.array, &a.array, 0));
    NEED_OK(yoke_sort(t->stream, YOKE_SORT_ASCENDING, &out.array, NULL));
    CHECK(builds() == before);
    NEED_OK(yoke_ops_prepare(t->device, (const int32_t[]){ YOKE_U8 }, 1));
    CHECK(builds() == before);
    NEED_OK(yoke_stream_wait(t->stream));
out:
    test_array_release(&sum);
    test_array_release(&out);
    test_array_release(&a);
}

/* Products, filters, random numbers and transforms of floats. */
static void prepares_families(suite *t)
{
    static const double sigmas[] = { 1, 1 };
    test_array a = { 0 }, out = { 0 }, half = { 0 };
    NEED_OK(yoke_ops_prepare(t->device, (const int32_t[]){ YOKE_F32 }, 1));
    uint32_t before = builds();
    NEED(test_array_create(t, YOKE_F32, 2, (const int64_t[]){ 304, 304 }, LAYOUT_CONTIGUOUS, 1, &a) && test_upload(t, &a));
    NEED(test_array_create(t, YOKE_F32, 2, (const int64_t[]){ 304, 304 }, LAYOUT_CONTIGUOUS, 2, &out) && test_upload(t, &out));
    NEED(test_array_create(t, YOKE_C64, 1, (const int64_t[]){ 32769 }, LAYOUT_CONTIGUOUS, 3, &half) && test_upload(t, &half));
    yoke_array line = yoke_array_1d(a.array.buffer, YOKE_F32, 65536);
    line.offset = a.array.offset;
    yoke_array row = yoke_array_index(a.array, 0, 0), result = yoke_array_index(out.array, 0, 0);
    NEED_OK(yoke_matmul(t->stream, &out.array, &a.array, &a.array, NULL));
    NEED_OK(yoke_matmul(t->stream, &result, &a.array, &row, NULL));
    NEED_OK(yoke_gaussian_filter(t->stream, &out.array, &a.array, sigmas, YOKE_AXES(0, 1), NULL));
    NEED_OK(yoke_box_filter(t->stream, &out.array, &a.array, (const int64_t[]){ 5 }, YOKE_AXES(0), NULL));
    NEED_OK(yoke_sobel_filter(t->stream, &out.array, &a.array, 1, YOKE_AXES(1), NULL));
    NEED_OK(yoke_random_uniform(t->stream, &out.array, 2, 3, 1, 5, NULL));
    NEED_OK(yoke_random_normal(t->stream, &out.array, 2, 3, 1, 5, NULL));
    NEED_OK(yoke_fft(t->stream, YOKE_FFT_FORWARD, &half.array, &line, YOKE_AXES(0), NULL));
    NEED_OK(yoke_fft(t->stream, YOKE_FFT_INVERSE, &line, &half.array, YOKE_AXES(0), NULL));
    CHECK(builds() == before);
    NEED_OK(yoke_stream_wait(t->stream));
out:
    test_array_release(&half);
    test_array_release(&out);
    test_array_release(&a);
}

static void mistakes(suite *t)
{
    const int32_t wrong[] = { YOKE_F32, 77 };
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_ops_prepare|dtypes[1]|77", yoke_ops_prepare(t->device, wrong, 2));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_ops_prepare|NULL", yoke_ops_prepare(t->device, NULL, 2));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "device is NULL", yoke_ops_prepare(NULL, wrong, 1));
    CHECK_OK(yoke_ops_prepare(t->device, NULL, 0));
    if (!test_has(t, YOKE_F64))
        CHECK_STATUS(YOKE_E_UNSUPPORTED, yoke_ops_prepare(t->device, (const int32_t[]){ YOKE_F64 }, 1));
}

static const suite_case cases[] = {
    { "what is prepared is not built again by calls", prepares, false },
    { "products, filters, random numbers and transforms are prepared", prepares_families, false },
    { "mistakes are refused", mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
