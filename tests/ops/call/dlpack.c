/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack: the structs against <dlpack/dlpack.h>, where it is installed; arrays as tensors, tensors as arrays, and mistakes. */
#include "../arrays.h"

#include <string.h>

#include <yoke/native.h>

#ifdef HAVE_DLPACK
#include <dlpack/dlpack.h>
#define DLManagedTensor yops_managed_tensor
#include "ops/call/dlpack.h"
#undef DLManagedTensor

/* The member of both structs is at the same place, and has the same size. */
#define SAME(theirs, their_member, ours, our_member)                                           \
    _Static_assert(offsetof(theirs, their_member) == offsetof(ours, our_member) &&             \
                       sizeof(((theirs *)0)->their_member) == sizeof(((ours *)0)->our_member), \
                   #their_member)
SAME(DLDevice, device_type, yops_dl_device, type);
SAME(DLDevice, device_id, yops_dl_device, id);
SAME(DLDataType, code, yops_dl_type, code);
SAME(DLDataType, bits, yops_dl_type, bits);
SAME(DLDataType, lanes, yops_dl_type, lanes);
SAME(DLTensor, data, yops_dl_tensor, data);
SAME(DLTensor, device, yops_dl_tensor, device);
SAME(DLTensor, ndim, yops_dl_tensor, dimensions);
SAME(DLTensor, dtype, yops_dl_tensor, type);
SAME(DLTensor, shape, yops_dl_tensor, shape);
SAME(DLTensor, strides, yops_dl_tensor, strides);
SAME(DLTensor, byte_offset, yops_dl_tensor, byte_offset);
SAME(DLManagedTensor, dl_tensor, yops_dl_managed, tensor);
SAME(DLManagedTensor, manager_ctx, yops_dl_managed, context);
SAME(DLManagedTensor, deleter, yops_dl_managed, deleter);
_Static_assert(sizeof(DLManagedTensor) == sizeof(yops_dl_managed), "sizes");
_Static_assert((int)kDLCUDA == YOPS_DL_CUDA && (int)kDLOpenCL == YOPS_DL_OPENCL && (int)kDLCUDAManaged == YOPS_DL_CUDA_MANAGED,
               "devices");
_Static_assert((int)kDLInt == YOPS_DL_INT && (int)kDLUInt == YOPS_DL_UINT && (int)kDLFloat == YOPS_DL_FLOAT &&
                   (int)kDLBfloat == YOPS_DL_BFLOAT && (int)kDLComplex == YOPS_DL_COMPLEX,
               "types");
#else
#include "ops/call/dlpack.h"
#endif

/* The tensor as we declare it. */
static yops_dl_managed *own(struct DLManagedTensor *tensor)
{
    return (yops_dl_managed *)(void *)tensor;
}

static const struct DLManagedTensor *theirs(const yops_dl_managed *managed)
{
    return (const struct DLManagedTensor *)(const void *)managed;
}

static void destroy(struct DLManagedTensor *tensor)
{
    if (tensor)
        own(tensor)->deleter((void *)tensor);
}

/* An array there and back has the same elements: written through one, read through the other. */
static void there_and_back(suite *t)
{
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++)
        for (layout how = LAYOUT_CONTIGUOUS; how < LAYOUT_COUNT && test_has(t, dtype); how++) {
            const int64_t shape[] = { 3, 4, 5 };
            struct DLManagedTensor *tensor = NULL;
            test_array a;
            yoke_array b = { 0 };
            if (test_array_create(t, dtype, 3, shape, how, (uint32_t)dtype, &a) && test_upload(t, &a) &&
                CHECK_OK(yoke_array_to_dlpack(&a.array, &tensor))) {
                const yops_dl_tensor *d = &own(tensor)->tensor;
                CHECK(d->dimensions == 3 && d->type.lanes == 1 && d->type.bits == 8 * yoke_dtype_get_size(dtype));
                CHECK_BYTES(d->shape, shape, sizeof shape);
                CHECK_BYTES(d->strides, a.array.strides, sizeof shape);
                if (CHECK_OK(yoke_array_from_dlpack(t->device, tensor, &b)) && CHECK(b.dtype == dtype && b.dimensions == 3) &&
                    CHECK_BYTES(b.shape, shape, sizeof shape) && CHECK_BYTES(b.strides, a.array.strides, sizeof shape)) {
                    size_t size = yoke_dtype_get_size(dtype);
                    unsigned char element[16];
                    yoke_array corner = yoke_array_index(yoke_array_index(yoke_array_index(b, 0, 2), 0, 1), 0, 3);
                    CHECK_OK(yoke_read_sync(t->stream, element, corner.buffer, corner.offset, size));
                    CHECK_BYTES(element, test_element(&a, 2 * 20 + 1 * 5 + 3), size);
                }
                yoke_buffer_release(b.buffer);
            }
            destroy(tensor);
            test_array_release(&a);
        }
}

/* The tensor keeps the memory alive, and says where it is. */
static void describes(suite *t)
{
    struct DLManagedTensor *tensor = NULL;
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    float values[12] = { 0 }, got = 0;
    yoke_array a, b = { 0 };
    int64_t shape[] = { 3, 4 };
    if (!CHECK_OK(yoke_array_create(t->device, YOKE_F32, 2, shape, &a)))
        return;
    for (int i = 0; i < 12; i++)
        values[i] = (float)i;
    CHECK_OK(yoke_write_sync(t->stream, a.buffer, 0, values, sizeof values));
    CHECK_OK(yoke_device_get_native(t->device, &native));
    uintptr_t address = 0;
    CHECK_OK(yoke_buffer_get_native(a.buffer, &address));
    yoke_array part = yoke_array_slice(yoke_array_slice(a, 0, YOKE_SLICE_END, YOKE_SLICE_END, -1), 1, 1, YOKE_SLICE_END, 2);
    if (CHECK_OK(yoke_array_to_dlpack(&part, &tensor))) {
        yops_dl_managed *managed = own(tensor);
        bool is_cuda = strcmp(t->info.backend, "cuda") == 0;
        CHECK(managed->tensor.device.type == (is_cuda ? YOPS_DL_CUDA : YOPS_DL_OPENCL));
        CHECK(managed->tensor.device.id == (is_cuda ? (int32_t)native.device : t->info.index));
        CHECK((uintptr_t)managed->tensor.data == address + (is_cuda ? 9 * sizeof(float) : 0));
        CHECK(managed->tensor.byte_offset == (is_cuda ? 0 : 9 * sizeof(float)));
        yoke_buffer_release(a.buffer);
        CHECK(managed->tensor.shape[0] == 3 && managed->tensor.shape[1] == 2);
        CHECK(managed->tensor.strides[0] == -4 && managed->tensor.strides[1] == 2);
        if (CHECK_OK(yoke_array_from_dlpack(t->device, tensor, &b))) {
            yoke_array element = yoke_array_index(yoke_array_index(b, 0, 2), 0, 1);
            CHECK_OK(yoke_read_sync(t->stream, &got, element.buffer, element.offset, sizeof got));
            CHECK(got == 3);
            yoke_buffer_release(b.buffer);
        }
        managed->tensor.strides = NULL; /* contiguous; on CUDA from the address on */
        managed->tensor.shape[0] = managed->tensor.shape[1] = 1;
        if (CHECK_OK(yoke_array_from_dlpack(t->device, tensor, &b))) {
            CHECK(yoke_array_is_contiguous(&b));
            CHECK_OK(yoke_read_sync(t->stream, &got, b.buffer, b.offset, sizeof got));
            CHECK(got == 9);
            yoke_buffer_release(b.buffer);
        }
        managed->tensor.shape[0] = 0;
        managed->tensor.data = NULL;
        if (CHECK_OK(yoke_array_from_dlpack(t->device, tensor, &b))) {
            CHECK(yoke_array_get_size(&b) == 0 && b.buffer);
            yoke_buffer_release(b.buffer);
        }
        destroy(tensor);
    } else {
        yoke_buffer_release(a.buffer);
    }
}

#define REFUSED(words, call) CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, words, call)

static void refuses(suite *t)
{
    struct DLManagedTensor *tensor = NULL;
    yoke_array a, b, bad = { 0 };
    int64_t shape[] = { 3, 4 };
    if (!CHECK_OK(yoke_array_create(t->device, YOKE_F32, 2, shape, &a)))
        return;
    REFUSED("yoke_array_to_dlpack|array is NULL", yoke_array_to_dlpack(NULL, &tensor));
    REFUSED("yoke_array_to_dlpack|not an array", yoke_array_to_dlpack(&bad, &tensor));
    REFUSED("yoke_array_to_dlpack|out_tensor", yoke_array_to_dlpack(&a, NULL));
    bad = a;
    bad.shape[0] = 4;
    CHECK_FAILS(YOKE_E_RANGE, "array|(4, 4)|48 bytes", yoke_array_to_dlpack(&bad, &tensor));
    CHECK(tensor == NULL);
    if (CHECK_OK(yoke_array_to_dlpack(&a, &tensor))) {
        yops_dl_managed changed = *own(tensor);
        REFUSED("yoke_array_from_dlpack|out_array", yoke_array_from_dlpack(t->device, tensor, NULL));
        REFUSED("yoke_array_from_dlpack|tensor is NULL", yoke_array_from_dlpack(t->device, NULL, &b));
        REFUSED("yoke_array_from_dlpack|device is NULL", yoke_array_from_dlpack(NULL, tensor, &b));
#define CHANGED(words, member, value)                                        \
    changed.tensor = own(tensor)->tensor;                                    \
    changed.tensor.member = value;                                           \
    REFUSED(words, yoke_array_from_dlpack(t->device, theirs(&changed), &b)); \
    CHECK(b.dtype == 0 && b.buffer == NULL)
        CHANGED("the host's memory|type 1, id|by way of the host", device.type, 1);
        CHANGED("ROCm's memory|type 10, id", device.type, 10);
        CHANGED("another memory|type 3, id", device.type, 3);
        CHANGED("another memory|type -1, id", device.type, -1);
        CHANGED("id 77", device.id, 77);
        CHANGED("9 dimensions", dimensions, 9);
        CHANGED("-1 dimensions", dimensions, -1);
        CHANGED("no shape", shape, NULL);
        CHANGED("4 lanes", type.lanes, 4);
        CHANGED("code 3", type.code, 3);
        CHANGED("12 bits", type.bits, 12);
        CHANGED("is 0", data, NULL);
        CHANGED("first element|not a multiple|4 bytes", byte_offset, own(tensor)->tensor.byte_offset + 1);
        CHANGED("(-1, 4)", shape, ((int64_t[]){ -1, 4 }));
        CHANGED("shape", shape, ((int64_t[]){ INT64_MAX / 2, 4 }));
        CHANGED("strides", strides, ((int64_t[]){ INT64_MAX / 2, 1 }));
    }
    destroy(tensor);
    yoke_buffer_release(a.buffer);
}

static const suite_case cases[] = {
    { "an array of any dtype and layout goes to DLPack and comes back", there_and_back, false },
    { "a tensor says where its memory is, and keeps it", describes, false },
    { "says what is wrong", refuses, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
