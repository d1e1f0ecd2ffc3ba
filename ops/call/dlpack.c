/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays as DLPack tensors, and the other way. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/native.h>

#include "call.h"
#include "dlpack.h"

/* DLPack's codes by dtype. The bits are those of the dtype. */
static const uint8_t codes[] = {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) [YOKE_##name] = YOPS_DL_##dlpack,
#include "api/dtypes.def"
};
_Static_assert(YOPS_COUNT_OF(codes) == YK_DTYPE_COUNT, "a code for each dtype");

static uint8_t get_bits(int32_t dtype)
{
    return (uint8_t)(8 * yoke_dtype_get_size(dtype));
}

/* Where DLPack finds a device: on CUDA the driver's ordinal, which is what a CUdevice is. Yoke's own index is another order. */
static yoke_status get_device(const char *function, yoke_device *device, yops_dl_device *out)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    if (!device)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: device is NULL", function);
    yoke_status status = yoke_device_get_info(device, &info);
    if (status == YOKE_OK)
        status = yoke_device_get_native(device, &native);
    if (status < 0)
        return status;
    bool is_cuda = strcmp(info.backend, "cuda") == 0;
    *out = (yops_dl_device){ is_cuda ? YOPS_DL_CUDA : YOPS_DL_OPENCL, is_cuda ? (int32_t)native.device : info.index };
    return YOKE_OK;
}

/* ---- Out ---- */

/* A tensor with what it points to. */
typedef struct exported {
    yops_dl_managed managed;
    yoke_buffer *buffer;
    int64_t shape[YOKE_MAX_DIMENSIONS], strides[YOKE_MAX_DIMENSIONS];
} exported;

static void release_exported(yops_dl_managed *managed)
{
    exported *e = managed ? managed->context : NULL;
    if (!e)
        return;
    yoke_buffer_release(e->buffer);
    free(e);
}

/* The checks of operations need a call; this one has no stream. */
static yoke_status check_array(const char *function, const yoke_array *array, yops_place *out_place)
{
    yops_call call = { .function = function };
    if (array && yops_is_dtype(array->dtype))
        call.device = yoke_buffer_get_device(array->buffer);
    return yops_check_input(&call, "array", array, out_place);
}

/* The driver's handle. A root has one: the tensor's byte_offset leads to the element. Managed memory of CUDA may have its host
 * address only. */
static yoke_status get_data(const char *function, yoke_buffer *root, int32_t device_type, void **out_data)
{
    uintptr_t native = 0;
    yoke_status status = yoke_buffer_get_native(root, &native);
    *out_data = (void *)native;
    if (status == YOKE_OK)
        return YOKE_OK;
    *out_data = device_type == YOPS_DL_CUDA ? yoke_buffer_get_host(root) : NULL;
    return *out_data ? YOKE_OK : yoke_fail(status, "%s: the array's memory has no handle of the driver's", function);
}

yoke_status yoke_array_to_dlpack(const yoke_array *array, struct DLManagedTensor **out_tensor)
{
    static const char function[] = "yoke_array_to_dlpack";
    yops_place place;
    yops_dl_device device = { 0, 0 };
    void *data = NULL;
    if (!out_tensor)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_tensor is NULL", function);
    *out_tensor = NULL;
    yoke_status status = check_array(function, array, &place);
    if (status == YOKE_OK)
        status = get_device(function, yoke_buffer_get_device(array->buffer), &device);
    if (status == YOKE_OK)
        status = get_data(function, place.root, device.type, &data);
    if (status < 0)
        return status;
    exported *e = calloc(1, sizeof *e);
    if (!e)
        return yoke_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: no memory for a tensor", function);
    uint64_t offset = (uint64_t)place.origin * yoke_dtype_get_size(array->dtype);
    bool is_cuda = device.type == YOPS_DL_CUDA;
    if (is_cuda && yoke_buffer_get_kind(array->buffer) == YOKE_MEMORY_MANAGED)
        device.type = YOPS_DL_CUDA_MANAGED;
    e->buffer = yoke_buffer_retain(array->buffer);
    memcpy(e->shape, array->shape, sizeof e->shape);
    memcpy(e->strides, array->strides, sizeof e->strides);
    e->managed = (yops_dl_managed){
        .tensor = { .data = is_cuda ? (char *)data + offset : data,
                    .device = device,
                    .dimensions = array->dimensions,
                    .type = { codes[array->dtype], get_bits(array->dtype), 1 },
                    .shape = e->shape,
                    .strides = e->strides,
                    .byte_offset = is_cuda ? 0 : offset },
        .context = e,
        .deleter = release_exported,
    };
    *out_tensor = &e->managed;
    return YOKE_OK;
}

/* ---- In ---- */

static int32_t get_dtype(yops_dl_type type)
{
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++)
        if (codes[dtype] == type.code && get_bits(dtype) == type.bits)
            return dtype;
    return 0;
}

/* Whose memory it is, by DLPack's numbers of the types; of others only the number is known. */
static const char *owner_of(yops_dl_device device)
{
    static const char *const names[] = { [1] = "the host's", [YOPS_DL_CUDA] = "CUDA's", [YOPS_DL_OPENCL] = "OpenCL's",
                                         [7] = "Vulkan's",   [8] = "Metal's",           [10] = "ROCm's" };
    bool is_known = device.type > 0 && (size_t)device.type < YOPS_COUNT_OF(names) && names[device.type];
    return is_known ? names[device.type] : "another";
}

static yoke_status check_tensor(const char *function, const yops_dl_tensor *t, yops_dl_device device)
{
    bool is_managed = t->device.type == YOPS_DL_CUDA_MANAGED && device.type == YOPS_DL_CUDA;
    if (!is_managed && (t->device.type != device.type || t->device.id != device.id))
        return yoke_fail(YOKE_E_INVALID_ARGUMENT,
                         "%s: the tensor is in %s memory (DLPack's device type %d, id %d), and the device's is %s "
                         "(type %d, id %d): copy the elements by way of the host",
                         function, owner_of(t->device), (int)t->device.type, (int)t->device.id, owner_of(device), (int)device.type,
                         (int)device.id);
    if (t->dimensions < 0 || t->dimensions > YOKE_MAX_DIMENSIONS || (t->dimensions > 0 && !t->shape))
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: the tensor has %d dimensions%s: 0 to %d are possible", function,
                         (int)t->dimensions, t->shape ? "" : " and no shape", YOKE_MAX_DIMENSIONS);
    if (t->type.lanes != 1 || !get_dtype(t->type))
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: the tensor's elements are of DLPack's type code %d, %d bits, %d lanes%s",
                         function, t->type.code, t->type.bits, t->type.lanes,
                         t->type.lanes != 1 ? ": 1 lane is needed" : ", which no dtype is");
    return YOKE_OK;
}

/* The elements below and above the first in memory; false on overflow. */
static bool get_reach(const yoke_array *array, int64_t *out_below, int64_t *out_above)
{
    int64_t below = 0, above = 1;
    for (int32_t i = 0; i < array->dimensions; i++) {
        int64_t span;
        if (__builtin_mul_overflow(array->shape[i] - 1, array->strides[i], &span) ||
            __builtin_add_overflow(span < 0 ? below : above, span, span < 0 ? &below : &above))
            return false;
    }
    if (below <= INT64_MIN / 32 || above >= INT64_MAX / 32)
        return false;
    *out_below = -below;
    *out_above = above;
    return true;
}

/* Wrap the memory from the lowest element on (CUDA) or from its start (OpenCL), and place the array in it. */
static yoke_status wrap(const char *function, yoke_device *device, const yops_dl_tensor *t, int32_t type, yoke_array *array)
{
    int64_t below = 0, above = 1;
    uint64_t size = yoke_dtype_get_size(array->dtype), offset = t->byte_offset;
    uintptr_t native = (uintptr_t)t->data;
    if (yoke_array_get_size(array) == 0) /* the tensor may have no memory */
        return yoke_buffer_create(device, (size_t)size, &array->buffer);
    uint64_t first = type == YOPS_DL_CUDA ? native + offset : offset;
    if (first % size != 0)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT,
                         "%s: the tensor's first element is at %s 0x%" PRIx64 ", which is not a multiple of its size of %" PRIu64
                         " bytes",
                         function, type == YOPS_DL_CUDA ? "address" : "byte_offset", first, size);
    if (!get_reach(array, &below, &above))
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: the tensor of shape %s and strides %s exceeds 2^58 elements", function,
                         yops_shape(array->dimensions, array->shape).text, yops_shape(array->dimensions, array->strides).text);
    if (type == YOPS_DL_CUDA) {
        native += (uintptr_t)(offset - (uint64_t)below * size);
        offset = (uint64_t)below * size;
    } else if (offset > INT64_MAX / 2 || offset < (uint64_t)below * size) {
        return yoke_fail(YOKE_E_INVALID_ARGUMENT,
                         "%s: the tensor's byte_offset is %" PRIu64 ", and elements begin %" PRIu64 " below", function, offset,
                         (uint64_t)below * size);
    }
    yoke_status status = yoke_buffer_wrap(device, native, (size_t)(offset + (uint64_t)above * size), &array->buffer);
    array->offset = offset;
    return status;
}

yoke_status yoke_array_from_dlpack(yoke_device *device, const struct DLManagedTensor *tensor, yoke_array *out_array)
{
    static const char function[] = "yoke_array_from_dlpack";
    yops_dl_device own = { 0, 0 };
    if (!out_array)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_array is NULL", function);
    memset(out_array, 0, sizeof *out_array);
    if (!tensor)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: tensor is NULL", function);
    const yops_dl_tensor *t = &tensor->tensor;
    yoke_status status = get_device(function, device, &own);
    if (status == YOKE_OK)
        status = check_tensor(function, t, own);
    if (status < 0)
        return status;
    yoke_array array = { .dtype = get_dtype(t->type), .dimensions = t->dimensions };
    int64_t stride = 1, count = (int64_t)yoke_dtype_get_size(array.dtype);
    for (int32_t i = t->dimensions - 1; i >= 0; i--) {
        array.shape[i] = t->shape[i];
        array.strides[i] = t->strides ? t->strides[i] : stride;
        if (t->shape[i] < 0 || __builtin_mul_overflow(count, t->shape[i] > 0 ? t->shape[i] : 1, &count))
            return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: the tensor has the shape %s", function,
                             yops_shape(t->dimensions, t->shape).text);
        stride *= t->shape[i] > 0 ? t->shape[i] : 1;
    }
    status = wrap(function, device, t, own.type, &array);
    if (status == YOKE_OK)
        *out_array = array;
    return status;
}
