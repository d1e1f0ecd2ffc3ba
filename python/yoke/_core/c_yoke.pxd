# SPDX-License-Identifier: Apache-2.0
# The C API of libyoke as the package uses it. The C compiler checks each declaration against the headers, because Cython's code
# includes them.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t

cdef extern from "yoke/yoke.h" nogil:
    ctypedef struct yoke_device
    ctypedef struct yoke_stream
    ctypedef struct yoke_event
    ctypedef struct yoke_buffer
    ctypedef struct yoke_image
    ctypedef struct yoke_program
    ctypedef struct yoke_kernel
    ctypedef int32_t yoke_status

    int YOKE_OK, YOKE_PENDING, YOKE_E_INVALID_ARGUMENT, YOKE_E_HOST_FUNCTION, YOKE_E_CANCELLED, YOKE_E_UNSUPPORTED, YOKE_E_RANGE
    int YOKE_E_DEADLOCK
    int YOKE_STREAM_TIMED, YOKE_EVENT_TIMED, YOKE_EVENT_IGNORE_DEPTH

    ctypedef struct yoke_error_info:
        yoke_status status
        int32_t driver_code
        const char *function
        const char *driver_call
        const char *driver_name
        const char *where
        yoke_status cause_status
        char text[768]
        char cause[768]

    const char *yoke_version()
    const char *yoke_status_name(yoke_status status)
    const char *yoke_status_meaning(yoke_status status)
    int yoke_status_group(yoke_status status)
    const yoke_error_info *yoke_error()
    void yoke_error_clear()
    yoke_status yoke_fail(yoke_status status, const char *format, ...)

    ctypedef struct yoke_device_info:
        size_t size
        char selector[32]
        char backend[16]
        char name[128]
        char vendor[64]
        char platform[64]
        char driver[64]
        char pci[16]
        char uuid[40]
        int32_t index
        int32_t kind
        uint64_t capabilities
        uint32_t compute_units
        uint64_t memory
        uint64_t max_buffer
        uint64_t max_shared_bytes
        uint64_t max_grid[3]
        uint64_t max_block[3]
        uint64_t max_block_threads
        uint64_t view_alignment
        uint32_t compute_capability

    yoke_status yoke_device_list(yoke_device_info *infos, size_t capacity, size_t *out_count)
    yoke_status yoke_device_open(const char *selector, yoke_device **out_device)
    yoke_device *yoke_device_retain(yoke_device *device)
    void yoke_device_release(yoke_device *device)
    yoke_status yoke_device_get_info(const yoke_device *device, yoke_device_info *out_info)
    const char *yoke_device_lacks(const yoke_device *device, int capability)
    const char *yoke_device_get_report()

    ctypedef yoke_status (*yoke_full_fn)(void *user) noexcept nogil

    ctypedef struct yoke_stream_desc:
        size_t size
        uint32_t flags
        int32_t wait
        uint32_t depth
        int32_t priority
        const char *name
        yoke_full_fn on_full
        void *user

    yoke_status yoke_stream_create(yoke_device *device, const yoke_stream_desc *desc, yoke_stream **out_stream)
    void yoke_stream_release(yoke_stream *stream)
    yoke_status yoke_stream_wait(yoke_stream *stream)
    yoke_status yoke_stream_cancel(yoke_stream *stream)
    yoke_status yoke_stream_recover(yoke_stream *stream)
    yoke_status yoke_stream_get_priority(const yoke_stream *stream, int32_t *out_priority)
    ctypedef yoke_status (*yoke_host_fn)(yoke_status status, void *user) noexcept nogil
    ctypedef void (*yoke_release_fn)(void *user) noexcept nogil
    yoke_status yoke_host_call_at(const char *where, yoke_stream *stream, yoke_host_fn fn, void *user, yoke_release_fn release)
    yoke_status yoke_stream_wait_event_at(const char *where, yoke_stream *stream, yoke_event *event)

    yoke_status yoke_event_record_at(const char *where, yoke_stream *stream, uint32_t flags, yoke_event **out_event)
    yoke_event *yoke_event_retain(yoke_event *event)
    void yoke_event_release(yoke_event *event)
    yoke_status yoke_event_query(yoke_event *event)
    yoke_status yoke_event_wait_for(yoke_event *event, uint64_t nanoseconds)
    yoke_status yoke_event_wait_any(yoke_event *const *events, size_t count, uint64_t nanoseconds, size_t *out_index)
    ctypedef void (*yoke_complete_fn)(yoke_status status, void *user) noexcept nogil
    yoke_status yoke_event_on_complete(yoke_event *event, yoke_complete_fn fn, void *user, yoke_release_fn release)
    yoke_status yoke_event_get_fd(yoke_event *event, int *out_fd)
    yoke_status yoke_event_get_elapsed(yoke_event *start, yoke_event *end, int64_t *out_nanoseconds)

    # memory.h
    int YOKE_MEMORY_DEVICE, YOKE_MEMORY_PINNED, YOKE_MEMORY_MAPPED, YOKE_MEMORY_MANAGED
    yoke_status yoke_buffer_create_in(yoke_device *device, int32_t memory, size_t size, yoke_buffer **out_buffer)
    yoke_status yoke_buffer_create_from_host(yoke_device *device, void *host, size_t size, yoke_buffer **out_buffer)
    yoke_status yoke_buffer_create_const_view(yoke_buffer *buffer, size_t offset, size_t size, yoke_buffer **out_view)
    int32_t yoke_buffer_is_read_only(const yoke_buffer *buffer)
    yoke_status yoke_buffer_create_ordered(yoke_stream *stream, size_t size, yoke_buffer **out_buffer)
    yoke_status yoke_buffer_create_view(yoke_buffer *buffer, size_t offset, size_t size, yoke_buffer **out_view)
    yoke_buffer *yoke_buffer_retain(yoke_buffer *buffer)
    void yoke_buffer_release(yoke_buffer *buffer)
    size_t yoke_buffer_get_size(const yoke_buffer *buffer)
    int32_t yoke_buffer_get_kind(const yoke_buffer *buffer)
    void *yoke_buffer_get_host(const yoke_buffer *buffer)

    ctypedef struct yoke_memory_info:
        size_t size
        uint32_t flags
        uint32_t buffers
        uint64_t total, free, in_use, peak, cached, pinned, pinned_cached, in_use_limit, cached_limit

    int YOKE_MEMORY_INFO_ESTIMATED
    yoke_status yoke_device_get_memory(yoke_device *device, yoke_memory_info *out_info)
    yoke_status yoke_device_set_memory_limits(yoke_device *device, uint64_t in_use, uint64_t cached)
    yoke_status yoke_device_set_wait(yoke_device *device, int32_t wait)
    yoke_status yoke_device_trim_memory(yoke_device *device, uint64_t keep)
    yoke_status yoke_write_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, const void *source,
                              size_t size)
    yoke_status yoke_read_at(const char *where, yoke_stream *stream, void *target, yoke_buffer *buffer, size_t offset, size_t size)
    yoke_status yoke_copy_at(const char *where, yoke_stream *stream, yoke_buffer *target, size_t target_offset,
                             yoke_buffer *source, size_t source_offset, size_t size)
    yoke_status yoke_fill_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, size_t size,
                             const void *pattern, size_t pattern_size)

    ctypedef struct yoke_pitch:
        size_t offset, row_pitch, slice_pitch

    ctypedef struct yoke_rect:
        size_t width, height, depth

    yoke_status yoke_write_rect_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch buffer_pitch,
                                   const void *source, yoke_pitch source_pitch, yoke_rect rect)
    yoke_status yoke_read_rect_at(const char *where, yoke_stream *stream, void *target, yoke_pitch target_pitch,
                                  yoke_buffer *buffer, yoke_pitch buffer_pitch, yoke_rect rect)
    yoke_status yoke_copy_rect_at(const char *where, yoke_stream *stream, yoke_buffer *target, yoke_pitch target_pitch,
                                  yoke_buffer *source, yoke_pitch source_pitch, yoke_rect rect)
    yoke_status yoke_fill_rect_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch pitch, yoke_rect rect,
                                  const void *pattern, size_t pattern_size)

    # image.h
    ctypedef struct yoke_sampler:
        int32_t address, filter, normalized

    ctypedef struct yoke_image_desc:
        size_t size
        int32_t format, channels
        size_t width, height, depth
        yoke_sampler sampler

    ctypedef struct yoke_region:
        size_t x, y, z, width, height, depth

    yoke_status yoke_image_create(yoke_device *device, const yoke_image_desc *desc, yoke_image **out_image)
    yoke_status yoke_image_create_view(yoke_image *image, const yoke_sampler *sampler, yoke_image **out_view)
    yoke_image *yoke_image_retain(yoke_image *image)
    void yoke_image_release(yoke_image *image)
    yoke_status yoke_copy_to_image_at(const char *where, yoke_stream *stream, yoke_image *image, const yoke_region *region,
                                      yoke_buffer *buffer, size_t offset)
    yoke_status yoke_copy_from_image_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset,
                                        yoke_image *image, const yoke_region *region)
    yoke_status yoke_write_image_at(const char *where, yoke_stream *stream, yoke_image *image, const yoke_region *region,
                                    const void *source, size_t size)
    yoke_status yoke_read_image_at(const char *where, yoke_stream *stream, void *target, yoke_image *image,
                                   const yoke_region *region, size_t size)

    # program.h
    int YOKE_MATH_DEFAULT, YOKE_MATH_EXACT, YOKE_MATH_FAST
    uint32_t YOKE_BUILD_DEBUG, YOKE_COMPILE_BARE
    ctypedef struct yoke_header:
        const char *name
        const char *text

    ctypedef struct yoke_code:
        const void *bytes
        size_t size

    ctypedef struct yoke_source:
        size_t size
        const char *name
        const char *cuda
        const char *opencl
        const char *const *defines
        int32_t math
        const char *opencl_std
        const char *cuda_std
        size_t cuda_size, opencl_size
        uint32_t flags
        const yoke_header *headers
        const char *const *include_folders
        const char *const *name_expressions
        const char *text
        size_t text_size
        const yoke_code *compiled
        const char *const *cuda_defines
        const char *const *opencl_defines
        const char *const *cuda_options
        const char *const *opencl_options
        const char *cuda_file
        const char *opencl_file
        const char *text_file

    yoke_status yoke_source_builtin(const char *name, yoke_source *out_source)
    yoke_status yoke_source_compile(const yoke_source *source, const char *architecture, uint32_t flags, void *target,
                                    size_t capacity, size_t *out_size)
    yoke_status yoke_program_build(yoke_device *device, const yoke_source *source, yoke_program **out_program)
    yoke_status yoke_program_build_async(yoke_device *device, const yoke_source *source, yoke_program **out_program,
                                         yoke_event **out_event)
    yoke_status yoke_program_load(yoke_device *device, const char *name, const void *binary, size_t size,
                                  yoke_program **out_program)
    yoke_status yoke_program_save(yoke_program *program, void *target, size_t capacity, size_t *out_size)
    const char *yoke_program_get_build_log()
    const char *yoke_program_get_log(yoke_program *program)
    size_t yoke_program_get_kernel_count(yoke_program *program)
    const char *yoke_program_get_kernel_name(yoke_program *program, size_t index)
    void yoke_program_release(yoke_program *program)

    ctypedef struct yoke_cache_info:
        size_t size
        int32_t mode
        uint32_t hits, misses, stored, rejected
        uint64_t limit
        char folder[512]
        char reason[256]

    yoke_status yoke_cache_get_info(yoke_cache_info *out_info)
    yoke_status yoke_program_get_global(yoke_program *program, const char *name, yoke_buffer **out_buffer)
    yoke_status yoke_kernel_get(yoke_program *program, const char *name, yoke_kernel **out_kernel)

    ctypedef struct yoke_kernel_info:
        size_t size
        int32_t parameters
        uint32_t max_block_threads
        uint32_t preferred_multiple
        uint64_t static_shared_bytes
        uint64_t max_dynamic_shared_bytes
        uint32_t automatic_block
        int32_t registers
        int64_t local_bytes

    ctypedef struct yoke_param_info:
        size_t size
        int32_t kind
        int32_t read_only
        uint32_t bytes
        char name[40]
        char type[40]
        int32_t scalar
        uint32_t scalar_bytes

    int YOKE_SCALAR_UNKNOWN, YOKE_SCALAR_BOOL, YOKE_SCALAR_SIGNED, YOKE_SCALAR_FLOATING
    int YOKE_PARAM_UNKNOWN, YOKE_PARAM_VALUE, YOKE_PARAM_BUFFER, YOKE_PARAM_LOCAL, YOKE_PARAM_IMAGE
    yoke_status yoke_kernel_get_info(const yoke_kernel *kernel, yoke_kernel_info *out_info)
    yoke_status yoke_kernel_get_param(const yoke_kernel *kernel, size_t index, yoke_param_info *out_info)

    ctypedef struct yoke_arg:
        uint32_t kind
        uint32_t size

    int YOKE_ARG_INTEGER, YOKE_ARG_FLOATING, YOKE_MAX_ARGS
    yoke_arg yoke_arg_buffer(yoke_buffer *buffer)
    yoke_arg yoke_arg_struct(const void *bytes, size_t size)
    yoke_arg yoke_arg_image(yoke_image *image)
    yoke_arg yoke_arg_surface(yoke_image *image)
    yoke_arg yoke_arg_null()
    yoke_arg yoke_arg_local(size_t bytes)
    yoke_arg yoke_in(const void *host, size_t size)
    yoke_arg yoke_out(void *host, size_t size)
    yoke_arg yoke_inout(void *host, size_t size)
    yoke_arg yoke_arg_f32(float value)
    yoke_arg yoke_arg_f64(double value)
    yoke_arg yoke_arg_i8(signed char value)
    yoke_arg yoke_arg_u8(unsigned char value)
    yoke_arg yoke_arg_i16(short value)
    yoke_arg yoke_arg_u16(unsigned short value)
    yoke_arg yoke_arg_i32(int32_t value)
    yoke_arg yoke_arg_u32(uint32_t value)
    yoke_arg yoke_arg_i64(int64_t value)
    yoke_arg yoke_arg_u64(uint64_t value)

    ctypedef struct yoke_half:
        uint16_t bits

    yoke_half yoke_half_from(float value)
    yoke_arg yoke_arg_f16(yoke_half value)

    ctypedef struct yoke_dim:
        uint32_t x, y, z

    yoke_status yoke_launch_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, yoke_dim grid, yoke_dim block,
                               size_t shared_bytes, const yoke_arg *args, size_t count)
    yoke_status yoke_launch_n_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, size_t n, const yoke_arg *args,
                                 size_t count)
    yoke_status yoke_launch_cooperative_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, yoke_dim grid,
                                           yoke_dim block, size_t shared_bytes, const yoke_arg *args, size_t count)

cdef extern from "yoke/types.h" nogil:
    ctypedef struct yoke_field:
        const char *name
        size_t offset, size

    yoke_status yoke_struct_check(yoke_device *device, const yoke_source *source, const char *name, size_t size,
                                  const yoke_field *fields, size_t count)

cdef extern from "yoke/graph.h" nogil:
    ctypedef struct yoke_graph
    int YOKE_GRAPH_TEXT, YOKE_GRAPH_DOT
    yoke_status yoke_graph_create(yoke_device *device, const char *name, yoke_graph **out_graph)
    void yoke_graph_release(yoke_graph *graph)
    yoke_status yoke_graph_begin(yoke_graph *graph, yoke_stream *stream)
    yoke_status yoke_graph_end(yoke_graph *graph)
    yoke_status yoke_graph_launch_at(const char *where, yoke_stream *stream, yoke_graph *graph)
    size_t yoke_graph_get_size(const yoke_graph *graph)
    yoke_status yoke_graph_set_args_at(const char *where, yoke_graph *graph, size_t node, const yoke_arg *args, size_t count)
    yoke_status yoke_graph_set_launch_at(const char *where, yoke_graph *graph, size_t node, yoke_kernel *kernel, yoke_dim grid,
                                         yoke_dim block, size_t shared_bytes, const yoke_arg *args, size_t count)
    yoke_status yoke_graph_set_write_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *target, size_t offset,
                                        const void *source, size_t size)
    yoke_status yoke_graph_set_read_at(const char *where, yoke_graph *graph, size_t node, void *target, yoke_buffer *source,
                                       size_t offset, size_t size)
    yoke_status yoke_graph_set_copy_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *target, size_t target_offset,
                                       yoke_buffer *source, size_t source_offset, size_t size)
    yoke_status yoke_graph_set_fill_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *buffer, size_t offset,
                                       size_t size, const void *pattern, size_t pattern_size)
    yoke_status yoke_graph_set_host_call_at(const char *where, yoke_graph *graph, size_t node, yoke_host_fn fn, void *user,
                                       yoke_release_fn release)
    const char *yoke_graph_describe(yoke_graph *graph, int32_t format)

cdef extern from "yoke/native.h" nogil:
    yoke_status yoke_buffer_get_native(yoke_buffer *buffer, uintptr_t *out_native)
    yoke_status yoke_buffer_wrap(yoke_device *device, uintptr_t native, size_t size, yoke_buffer **out_buffer)
    ctypedef struct yoke_native_device:
        size_t size
        void *context
        uintptr_t device
        void *platform

    ctypedef yoke_status (*yoke_native_fn)(yoke_status status, void *native_stream, void *user) noexcept nogil
    yoke_status yoke_native_call_at(const char *where, yoke_stream *stream, yoke_native_fn fn, void *user, yoke_release_fn release)
    yoke_status yoke_native_enqueue_at(const char *where, yoke_stream *stream, yoke_native_fn fn, void *user,
                                       yoke_release_fn release)
    yoke_status yoke_stream_wait_native_at(const char *where, yoke_stream *stream, void *native_stream)
    yoke_status yoke_native_wait_event(void *native_stream, yoke_event *event)
    yoke_status yoke_device_get_native(yoke_device *device, yoke_native_device *out_native)
