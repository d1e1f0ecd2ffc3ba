/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays: constructors, views, and what mistakes say. */
#include "../arrays.h"

#include <string.h>

static yoke_array make(suite *t, int32_t dtype, int32_t dimensions, const int64_t *shape)
{
    yoke_array a;
    return CHECK_OK(yoke_array_create(t->device, dtype, dimensions, shape, &a)) ? a : (yoke_array){ 0 };
}

static bool is_view(const yoke_array *a, uint64_t offset, int32_t dimensions, const int64_t *shape, const int64_t *strides)
{
    return CHECK(a->dtype != 0) && CHECK(a->offset == offset) && CHECK(a->dimensions == dimensions) &&
           CHECK_BYTES(a->shape, shape, (size_t)dimensions * sizeof *shape) &&
           CHECK_BYTES(a->strides, strides, (size_t)dimensions * sizeof *strides);
}
#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

static void constructs(suite *t)
{
    yoke_array a = make(t, YOKE_F32, 3, SHAPE(2, 3, 4)), empty = make(t, YOKE_C128, 2, SHAPE(0, 5));
    is_view(&a, 0, 3, SHAPE(2, 3, 4), SHAPE(12, 4, 1));
    CHECK(yoke_array_get_size(&a) == 24 && yoke_array_is_contiguous(&a));
    CHECK(yoke_array_get_size(&empty) == 0 && yoke_array_is_contiguous(&empty) && yoke_buffer_get_size(empty.buffer) > 0);
    yoke_array b = yoke_array_2d(a.buffer, YOKE_U8, 8, 12), c = yoke_array_nd(a.buffer, YOKE_I16, 0, NULL);
    is_view(&b, 0, 2, SHAPE(8, 12), SHAPE(12, 1));
    CHECK(yoke_array_get_size(&c) == 1);
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++)
        CHECK(yoke_dtype_get_size(dtype) > 0 && strcmp(yoke_dtype_get_name(dtype), "unknown dtype") != 0);
    CHECK(yoke_dtype_get_size(YK_DTYPE_COUNT) == 0 && yoke_dtype_get_size(-1) == 0 && yoke_dtype_get_size(0) == 0);
    yoke_buffer_release(a.buffer);
    yoke_buffer_release(empty.buffer);
}

static void views(suite *t)
{
    yoke_array a = make(t, YOKE_F32, 3, SHAPE(2, 3, 4)), v;
    v = yoke_array_slice(a, 2, 1, 4, 2);
    is_view(&v, 4, 3, SHAPE(2, 3, 2), SHAPE(12, 4, 2));
    v = yoke_array_slice(a, 1, YOKE_SLICE_END, YOKE_SLICE_END, -1);
    is_view(&v, 32, 3, SHAPE(2, 3, 4), SHAPE(12, -4, 1));
    v = yoke_array_slice(a, 1, -2, YOKE_SLICE_END, 1);
    is_view(&v, 16, 3, SHAPE(2, 2, 4), SHAPE(12, 4, 1));
    v = yoke_array_slice(a, 0, 2, 1, 1);
    CHECK(v.dtype != 0 && yoke_array_get_size(&v) == 0);
    v = yoke_array_slice(a, 0, -9, YOKE_SLICE_END, -1);
    is_view(&v, 0, 3, SHAPE(0, 3, 4), SHAPE(12, 4, 1));
    v = yoke_array_slice(a, 0, 2, YOKE_SLICE_END, 1);
    is_view(&v, 0, 3, SHAPE(0, 3, 4), SHAPE(12, 4, 1));
    v = yoke_array_index(a, 1, -1);
    is_view(&v, 32, 2, SHAPE(2, 4), SHAPE(12, 1));
    v = yoke_array_transpose(a, NULL);
    is_view(&v, 0, 3, SHAPE(4, 3, 2), SHAPE(1, 4, 12));
    v = yoke_array_transpose(a, (const int32_t[]){ 1, 0, 2 });
    is_view(&v, 0, 3, SHAPE(3, 2, 4), SHAPE(4, 12, 1));
    CHECK(!yoke_array_is_contiguous(&v));
    v = yoke_array_reshape(a, 2, SHAPE(6, -1));
    is_view(&v, 0, 2, SHAPE(6, 4), SHAPE(4, 1));
    v = yoke_array_reshape(yoke_array_slice(a, 2, 0, 2, 1), 2, SHAPE(6, 2));
    is_view(&v, 0, 2, SHAPE(6, 2), SHAPE(4, 1));
    v = yoke_array_reshape(yoke_array_index(a, 0, 1), 4, SHAPE(3, 1, 2, 2));
    is_view(&v, 48, 4, SHAPE(3, 1, 2, 2), SHAPE(4, 4, 2, 1));
    v = yoke_array_broadcast(yoke_array_index(a, 0, 0), 3, SHAPE(5, 3, 4));
    is_view(&v, 0, 3, SHAPE(5, 3, 4), SHAPE(0, 4, 1));
    v = yoke_array_expand(a, 3);
    CHECK(v.dimensions == 4 && v.shape[3] == 1);
    yoke_buffer_release(a.buffer);
}

#define REFUSED(words, call)                               \
    do {                                                   \
        yoke_array refused_ = (call);                      \
        CHECK(refused_.dtype == 0);                        \
        CHECK(suite_has_words(yoke_error()->text, words)); \
        if (!suite_has_words(yoke_error()->text, words))   \
            tap_diag("%s: %s", #call, yoke_error()->text); \
    } while (0)

static void mistakes(suite *t)
{
    yoke_array a = make(t, YOKE_F32, 2, SHAPE(3, 4)), v;
    suite_expect_log();
    REFUSED("yoke_array_1d|NULL", yoke_array_1d(NULL, YOKE_F32, 3));
    REFUSED("yoke_array_1d|99|dtype", yoke_array_1d(a.buffer, 99, 3));
    REFUSED("yoke_array_1d|-1", yoke_array_1d(a.buffer, YOKE_F32, -1));
    REFUSED("yoke_array_nd|9", yoke_array_nd(a.buffer, YOKE_F32, 9, SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1)));
    REFUSED("yoke_array_3d|2^63", yoke_array_3d(a.buffer, YOKE_F32, INT64_C(1) << 31, INT64_C(1) << 31, 4));
    REFUSED("slice|axis 2|(3, 4)", yoke_array_slice(a, 2, 0, 1, 1));
    REFUSED("slice|step", yoke_array_slice(a, 0, 0, 1, 0));
    REFUSED("index|3|extent", yoke_array_index(a, 0, 3));
    REFUSED("transpose|axes[1]", yoke_array_transpose(a, (const int32_t[]){ 1, 1 }));
    REFUSED("reshape|12|(5, -1)", yoke_array_reshape(a, 2, SHAPE(5, -1)));
    REFUSED("reshape|strides|yoke_assign", yoke_array_reshape(yoke_array_transpose(a, NULL), 1, SHAPE(12)));
    REFUSED("broadcast|(3, 4)|(3, 5)", yoke_array_broadcast(a, 2, SHAPE(3, 5)));
    REFUSED("expand|axis 3", yoke_array_expand(a, 3));
    v = yoke_array_index(a, 5, 0);
    REFUSED("yoke_array_transpose|axis 5", yoke_array_transpose(v, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_array", yoke_array_create(t->device, YOKE_F32, 1, SHAPE(3), NULL));
    yoke_buffer_release(a.buffer);
}

static const suite_case cases[] = {
    { "arrays are made contiguous, of every dtype, empty ones too", constructs, false },
    { "views are arithmetic on offset, shape and strides", views, false },
    { "a mistake gives an array of dtype 0, and says which one it was", mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
