# SPDX-License-Identifier: Apache-2.0
# The C API of libyoke-ops as the package uses it; the C compiler checks it against the headers.
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from .c_yoke cimport yoke_buffer, yoke_device, yoke_status, yoke_stream

cdef extern from "yoke/ops.h" nogil:
    int64_t YOKE_SLICE_END
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
    yoke_var yoke_var_function(const char *declaration, const char *text)
    yoke_var yoke_var_scalar(const char *name, yoke_number scalar)

    yoke_status yoke_map_at(const char *where, yoke_stream *stream, const char *expression, const yoke_var *vars, size_t count)
    yoke_status yoke_assign_at(const char *where, yoke_stream *stream, const yoke_array *target, const yoke_array *source)
    yoke_status yoke_assign_value_at(const char *where, yoke_stream *stream, const yoke_array *target, yoke_number value)
    yoke_status yoke_reduce_at(const char *where, yoke_stream *stream, int32_t operation, const yoke_array *out,
                               const yoke_array *a, const int32_t *axes, size_t axis_count)
    yoke_status yoke_quantile_at(const char *where, yoke_stream *stream, int32_t method, const yoke_array *out,
                                 const yoke_array *a, const double *quantiles, size_t count, const int32_t *axes,
                                 size_t axis_count)
    yoke_status yoke_expression_get_dtype(const char *expression, const yoke_var *vars, size_t count, int32_t *out_dtype)
    yoke_status yoke_rows_get_dtype(const char *expression, const yoke_var *vars, size_t count, const int32_t *axes,
                                    size_t axis_count, int32_t *out_dtype, int32_t *out_varies)
    yoke_status yoke_map_rows_at(const char *where, yoke_stream *stream, const char *expression, const yoke_var *vars,
                                 size_t count, const int32_t *axes, size_t axis_count)
    yoke_status yoke_map_reduce_at(const char *where, yoke_stream *stream, int32_t operation, const yoke_array *out,
                                   const char *expression, const yoke_var *vars, size_t count, const int32_t *axes,
                                   size_t axis_count)
    yoke_status yoke_scan_at(const char *where, yoke_stream *stream, int32_t operation, int32_t mode, const yoke_array *out,
                             const yoke_array *a, int32_t axis)
    yoke_status yoke_reduce_with_at(const char *where, yoke_stream *stream, const char *combination, const yoke_array *out,
                                    const yoke_array *a, yoke_number initial, const yoke_var *vars, size_t count,
                                    const int32_t *axes, size_t axis_count)
    yoke_status yoke_scan_with_at(const char *where, yoke_stream *stream, const char *combination, int32_t mode,
                                  const yoke_array *out, const yoke_array *a, yoke_number initial, const yoke_var *vars,
                                  size_t count, int32_t axis)
    yoke_status yoke_sort_at(const char *where, yoke_stream *stream, int32_t order, const yoke_array *keys,
                             const yoke_array *values)
    yoke_status yoke_dot_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a, const yoke_array *b)
    yoke_status yoke_gather_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                               const yoke_array *indices, int32_t axis)
    yoke_status yoke_select_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *count,
                               const yoke_array *a, const yoke_array *flags)
    yoke_status yoke_select_where_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *count,
                                     const yoke_array *a, const char *expression, const yoke_var *vars, size_t var_count)
    yoke_status yoke_argsort_at(const char *where, yoke_stream *stream, int32_t order, const yoke_array *indices,
                                const yoke_array *keys)
    yoke_status yoke_clamp_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a, yoke_number low,
                              yoke_number high)
    yoke_status yoke_reduce_segments_at(const char *where, yoke_stream *stream, int32_t operation, const yoke_array *out,
                                        const yoke_array *a, const yoke_array *offsets)
    yoke_status yoke_map_reduce_segments_at(const char *where, yoke_stream *stream, int32_t operation, const yoke_array *out,
                                            const char *expression, const yoke_var *vars, size_t count,
                                            const yoke_array *offsets)
    yoke_status yoke_scan_segments_at(const char *where, yoke_stream *stream, int32_t operation, int32_t mode,
                                      const yoke_array *out, const yoke_array *a, const yoke_array *starts)
    yoke_status yoke_top_k_at(const char *where, yoke_stream *stream, int32_t order, const yoke_array *values,
                              const yoke_array *indices, const yoke_array *a)
    yoke_status yoke_searchsorted_at(const char *where, yoke_stream *stream, int32_t side, const yoke_array *positions,
                                     const yoke_array *sorted, const yoke_array *queries)
    yoke_status yoke_partition_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *count,
                                  const yoke_array *a, const yoke_array *flags)
    yoke_status yoke_unique_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *starts,
                               const yoke_array *count, const yoke_array *a)
    yoke_status yoke_histogram_at(const char *where, yoke_stream *stream, const yoke_array *bins, const yoke_array *a,
                                  yoke_number low, yoke_number high, const yoke_array *weights)
    yoke_status yoke_histogram_edges_at(const char *where, yoke_stream *stream, const yoke_array *bins, const yoke_array *a,
                                        const yoke_array *edges, const yoke_array *weights)
    yoke_status yoke_bincount_at(const char *where, yoke_stream *stream, const yoke_array *bins, const yoke_array *a,
                                 const yoke_array *weights)
    yoke_status yoke_scatter_at(const char *where, yoke_stream *stream, int32_t mode, const yoke_array *out, const yoke_array *a,
                                const yoke_array *indices, int32_t axis)

    ctypedef struct yoke_ops_library:
        size_t size
        const char *name
        const char *version
        const char *path
        const char *reason

    yoke_status yoke_ops_get_library(size_t index, yoke_ops_library *out_library)
    yoke_status yoke_ops_prepare(yoke_device *device, const int32_t *dtypes, size_t count)

    # matmul.h
    uint32_t YOKE_MATMUL_TF32, YOKE_MATMUL_EXACT
    ctypedef struct yoke_matmul_options:
        size_t size
        uint32_t flags
        yoke_number alpha, beta
        const char *epilogue
        const yoke_var *vars
        size_t var_count

    yoke_status yoke_matmul_at(const char *where, yoke_stream *stream, const yoke_array *c, const yoke_array *a,
                                    const yoke_array *b, const yoke_matmul_options *options)

    # random.h
    ctypedef struct yoke_random_options:
        size_t size
        uint32_t sequence
        int32_t interval

    yoke_status yoke_random_uniform_at(const char *where, yoke_stream *stream, const yoke_array *out, double low, double high,
                                       uint64_t seed, uint64_t offset, const yoke_random_options *options)
    yoke_status yoke_random_normal_at(const char *where, yoke_stream *stream, const yoke_array *out, double mean,
                                      double deviation, uint64_t seed, uint64_t offset, const yoke_random_options *options)
    yoke_status yoke_random_exponential_at(const char *where, yoke_stream *stream, const yoke_array *out, double mean,
                                           uint64_t seed, uint64_t offset, const yoke_random_options *options)
    yoke_status yoke_random_integers_at(const char *where, yoke_stream *stream, const yoke_array *out, yoke_number low,
                                        yoke_number high, uint64_t seed, uint64_t offset, const yoke_random_options *options)
    yoke_status yoke_random_permutation_at(const char *where, yoke_stream *stream, const yoke_array *indices, uint64_t seed,
                                           uint64_t offset, const yoke_random_options *options)
    yoke_status yoke_random_shuffle_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                       int32_t axis, uint64_t seed, uint64_t offset, const yoke_random_options *options)

    # fft.h
    ctypedef struct yoke_fft_options:
        size_t size
        int32_t scaling
        uint32_t flags

    uint32_t YOKE_FFT_EXACT
    yoke_status yoke_fft_at(const char *where, yoke_stream *stream, int32_t direction, const yoke_array *out, const yoke_array *a,
                            const int32_t *axes, size_t axis_count, const yoke_fft_options *options)
    yoke_status yoke_fft_convolve_at(const char *where, yoke_stream *stream, int32_t mode, const yoke_array *out,
                                     const yoke_array *a, const yoke_array *b, const int32_t *axes, size_t axis_count)

    # filter.h
    ctypedef struct yoke_filter_options:
        size_t size
        int32_t boundary, rounding
        double value, truncate
        const int32_t *origins

    ctypedef struct yoke_weights:
        const double *values
        int64_t count

    yoke_status yoke_gaussian_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                        const double *sigmas, const int32_t *axes, size_t axis_count,
                                        const yoke_filter_options *options)
    yoke_status yoke_box_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                   const int64_t *sizes, const int32_t *axes, size_t axis_count,
                                   const yoke_filter_options *options)
    yoke_status yoke_separable_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                         const yoke_weights *weights, const int32_t *axes, size_t axis_count,
                                         const yoke_filter_options *options)
    yoke_status yoke_sobel_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                     int32_t axis, const int32_t *axes, size_t axis_count, const yoke_filter_options *options)
    yoke_status yoke_correlate_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                  const double *weights, const int64_t *shape, const int32_t *axes, size_t axis_count,
                                  const yoke_filter_options *options)
    yoke_status yoke_convolve_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                 const double *weights, const int64_t *shape, const int32_t *axes, size_t axis_count,
                                 const yoke_filter_options *options)
    yoke_status yoke_rank_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                    int64_t rank, const int64_t *sizes, const uint8_t *footprint, const int32_t *axes,
                                    size_t axis_count, const yoke_filter_options *options)

cdef extern from *:
    """
    /* DLPack's layout: of 0.8, and since 1.0 with a version and flags. */
    #include <stdint.h>
    #include <stdlib.h>
    typedef struct { int32_t device_type, device_id; } yoke_py_dl_device;
    typedef struct {
        void *data; yoke_py_dl_device device; int32_t ndim; uint8_t code, bits; uint16_t lanes; int64_t *shape, *strides;
        uint64_t byte_offset;
    } yoke_py_dl_tensor;
    struct DLManagedTensor { yoke_py_dl_tensor dl_tensor; void *manager_ctx; void (*deleter)(struct DLManagedTensor *); };
    static inline void yoke_py_dl_delete(struct DLManagedTensor *t) { if (t && t->deleter) t->deleter(t); }
    struct DLManagedTensorVersioned {
        uint32_t major, minor; void *manager_ctx; void (*deleter)(struct DLManagedTensorVersioned *); uint64_t flags;
        yoke_py_dl_tensor dl_tensor;
    };
    static inline void yoke_py_dl_delete_versioned(struct DLManagedTensorVersioned *t) { if (t && t->deleter) t->deleter(t); }
    static inline void yoke_py_dl_free_versioned(struct DLManagedTensorVersioned *t)
    {
        yoke_py_dl_delete((struct DLManagedTensor *)t->manager_ctx);
        free(t);
    }
    /* The same tensor with version 1.0, or NULL. It deletes the other. */
    static inline struct DLManagedTensorVersioned *yoke_py_dl_with_version(struct DLManagedTensor *t, uint64_t flags)
    {
        struct DLManagedTensorVersioned *v = (struct DLManagedTensorVersioned *)calloc(1, sizeof *v);
        if (v) {
            v->major = 1;
            v->manager_ctx = t;
            v->deleter = yoke_py_dl_free_versioned;
            v->flags = flags;
            v->dl_tensor = t->dl_tensor;
        }
        return v;
    }
    """
    ctypedef struct yoke_py_dl_device:
        int32_t device_type, device_id
    ctypedef struct yoke_py_dl_tensor:
        void *data
        yoke_py_dl_device device
        int32_t ndim
        uint8_t bits
        uint16_t lanes
        int64_t *shape
        int64_t *strides
        uint64_t byte_offset
    struct DLManagedTensor:
        yoke_py_dl_tensor dl_tensor
    struct DLManagedTensorVersioned:
        uint32_t major
        uint64_t flags
        yoke_py_dl_tensor dl_tensor
    void yoke_py_dl_delete(DLManagedTensor *tensor) nogil
    void yoke_py_dl_delete_versioned(DLManagedTensorVersioned *tensor) nogil
    DLManagedTensorVersioned *yoke_py_dl_with_version(DLManagedTensor *tensor, uint64_t flags) nogil

cdef extern from "yoke/ops.h" nogil:
    yoke_status yoke_array_to_dlpack(const yoke_array *array, DLManagedTensor **out_tensor)
    yoke_status yoke_array_from_dlpack(yoke_device *device, const DLManagedTensor *tensor, yoke_array *out_array)
