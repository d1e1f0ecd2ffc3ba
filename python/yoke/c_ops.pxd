# SPDX-License-Identifier: Apache-2.0
# The C API of libyoke-ops as the package uses it; the C compiler checks it against the headers.
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from .c_yoke cimport yoke_buffer, yoke_device, yoke_status, yoke_stream

cdef extern from "yoke/ops.h" nogil:
    size_t yoke_dtype_get_size(int32_t dtype)

    ctypedef struct yoke_number:
        int32_t dtype

    ctypedef struct yoke_array:
        yoke_buffer *buffer
        uint64_t offset
        int32_t dtype
        int32_t dimensions
        int64_t shape[8]
        int64_t strides[8]

    yoke_array yoke_array_nd(yoke_buffer *buffer, int32_t dtype, int32_t dimensions, const int64_t *shape)
    yoke_status yoke_array_create(yoke_device *device, int32_t dtype, int32_t dimensions, const int64_t *shape,
                                  yoke_array *out_array)
    int64_t yoke_array_get_size(const yoke_array *array)
    int32_t yoke_array_is_contiguous(const yoke_array *array)
    yoke_array yoke_array_slice(yoke_array array, int32_t axis, int64_t start, int64_t stop, int64_t step)
    yoke_array yoke_array_index(yoke_array array, int32_t axis, int64_t index)
    yoke_array yoke_array_transpose(yoke_array array, const int32_t *axes)
    yoke_array yoke_array_reshape(yoke_array array, int32_t dimensions, const int64_t *shape)
    yoke_array yoke_array_broadcast(yoke_array array, int32_t dimensions, const int64_t *shape)
    yoke_array yoke_array_expand(yoke_array array, int32_t axis)

    ctypedef struct yoke_var:
        const char *name

    yoke_var yoke_var_array(const char *name, yoke_array array)
    yoke_var yoke_var_scalar(const char *name, yoke_number scalar)

    yoke_status yoke_map_at(const char *where, yoke_stream *stream, const char *expression, const yoke_var *vars, size_t count)
    yoke_status yoke_assign_at(const char *where, yoke_stream *stream, const yoke_array *target, const yoke_array *source)
    yoke_status yoke_assign_value_at(const char *where, yoke_stream *stream, const yoke_array *target, yoke_number value)
    yoke_status yoke_add_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a, const yoke_array *b)
    yoke_status yoke_reduce_at(const char *where, yoke_stream *stream, int32_t operation, const yoke_array *out,
                               const yoke_array *a, const int32_t *axes, size_t axis_count)
    yoke_status yoke_map_reduce_at(const char *where, yoke_stream *stream, int32_t operation, const yoke_array *out,
                                   const char *expression, const yoke_var *vars, size_t count, const int32_t *axes,
                                   size_t axis_count)
    yoke_status yoke_scan_at(const char *where, yoke_stream *stream, int32_t operation, int32_t mode, const yoke_array *out,
                             const yoke_array *a, int32_t axis)
    yoke_status yoke_sort_at(const char *where, yoke_stream *stream, const yoke_array *keys, const yoke_array *values,
                             int32_t order)
    yoke_status yoke_dot_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a, const yoke_array *b)
    yoke_status yoke_gather_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                               const yoke_array *indices, int32_t axis)
    yoke_status yoke_select_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *count,
                               const yoke_array *a, const yoke_array *flags)
    yoke_status yoke_argsort_at(const char *where, yoke_stream *stream, const yoke_array *indices, const yoke_array *keys,
                                int32_t order)

cdef extern from *:
    """
    /* DLPack 0.8's layout. */
    #include <stdint.h>
    typedef struct { int32_t device_type, device_id; } yoke_py_dl_device;
    typedef struct {
        void *data; yoke_py_dl_device device; int32_t ndim; uint8_t code, bits; uint16_t lanes; int64_t *shape, *strides;
        uint64_t byte_offset;
    } yoke_py_dl_tensor;
    struct DLManagedTensor { yoke_py_dl_tensor dl_tensor; void *manager_ctx; void (*deleter)(struct DLManagedTensor *); };
    static inline void yoke_py_dl_delete(struct DLManagedTensor *t) { if (t && t->deleter) t->deleter(t); }
    """
    ctypedef struct yoke_py_dl_device:
        int32_t device_type, device_id
    ctypedef struct yoke_py_dl_tensor:
        yoke_py_dl_device device
    struct DLManagedTensor:
        yoke_py_dl_tensor dl_tensor
    void yoke_py_dl_delete(DLManagedTensor *tensor) nogil

cdef extern from "yoke/ops.h" nogil:
    yoke_status yoke_array_to_dlpack(const yoke_array *array, DLManagedTensor **out_tensor)
    yoke_status yoke_array_from_dlpack(yoke_device *device, const DLManagedTensor *tensor, yoke_array *out_array)
