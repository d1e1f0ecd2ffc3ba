/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: buffers of every kind, copies between buffers and the host, fills, and the use of a device's memory. The rules at the top
 * of <yoke/yoke.h>, which includes this header, apply here too.
 */
#ifndef YOKE_MEMORY_H
#define YOKE_MEMORY_H

#include <yoke/yoke.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Buffers ------------------------------------------------------------------------------------------------------------ */

/* The kind of a buffer's memory: where it is, and who may access it. */
typedef int32_t yoke_memory_kind;
enum {
    YOKE_MEMORY_DEVICE = 0, /* device memory; the host reaches it by copies */
    YOKE_MEMORY_PINNED = 1, /* page-locked host memory for copies at full speed; cannot be a kernel argument */
    YOKE_MEMORY_MAPPED = 2, /* page-locked host memory that kernels access in place, over the bus: YOKE_CAP_MAPPED */
    YOKE_MEMORY_MANAGED = 3 /* managed memory: migrates to the host or device that accesses it: YOKE_CAP_MANAGED */
};

/* Allocate `size` bytes of device memory, with undefined content. Memory of released buffers is reused (see
 * yoke_device_set_memory_limits). When memory is short, Yoke frees the released memory, waits for the work that still uses some of
 * it, and asks the driver once more before the call fails; and again if other threads have freed more meanwhile.
 * YOKE_E_INVALID_ARGUMENT: size is 0. YOKE_E_RANGE: larger than the device's largest buffer. YOKE_E_OUT_OF_DEVICE_MEMORY: the
 * record says how much was requested, how much is free, and how large a single buffer may be. */
YOKE_API yoke_status yoke_buffer_create(yoke_device *device, size_t size, yoke_buffer **out_buffer);

/* The same, in a stream's order: for temporary memory, at the cost of a list operation instead of a driver call. The memory may
 * come from a buffer that was released while this stream still used it: use the new buffer in this stream, or in another stream
 * behind an event recorded in this stream after the call. The buffer may be released at any time; its memory becomes free in the
 * same order. While the stream is being recorded, the graph keeps the memory for the recorded work that uses it. Statuses as
 * yoke_buffer_create, or the stream's failure. */
YOKE_API yoke_status yoke_buffer_create_ordered(yoke_stream *stream, size_t size, yoke_buffer **out_buffer);

/* Allocate `size` bytes of the kind YOKE_MEMORY_x. The host accesses MAPPED and MANAGED memory at yoke_buffer_get_host: the host's
 * writes are visible to operations enqueued afterwards (a host function's writes, to the operations behind it), and the device's
 * writes are visible to the host once it has waited for that work. Host and device must not access the memory at the same time.
 * YOKE_E_INVALID_ARGUMENT: size is 0, or the kind is unknown. YOKE_E_UNSUPPORTED: the device lacks YOKE_CAP_MAPPED or
 * YOKE_CAP_MANAGED; yoke_device_lacks gives the reason. YOKE_E_OUT_OF_HOST_MEMORY: host memory is exhausted. Else as
 * yoke_buffer_create. */
YOKE_API yoke_status yoke_buffer_create_in(yoke_device *device, yoke_memory_kind memory, size_t size, yoke_buffer **out_buffer);

/* The same for YOKE_MEMORY_PINNED. The memory is page-locked for this device, on CUDA for all CUDA devices; copies to and from any
 * other device treat it as pageable memory. */
YOKE_API yoke_status yoke_buffer_create_pinned(yoke_device *device, size_t size, yoke_buffer **out_buffer);

/* Page-lock `size` bytes of existing host memory, which stays the caller's, and create a YOKE_MEMORY_PINNED buffer over it.
 * Copies from and to a pointer into this memory run at full speed too. The memory must not be freed before the buffer is released
 * and the work that uses it has completed. It stays page-locked until all work that the device has at the release has completed;
 * memory that malloc returns there before that cannot be pinned. YOKE_E_INVALID_ARGUMENT: host is NULL, size is 0, or part of the
 * memory is already pinned. YOKE_E_OUT_OF_HOST_MEMORY: the system cannot lock more pages. */
YOKE_API yoke_status yoke_buffer_create_from_host(yoke_device *device, void *host, size_t size, yoke_buffer **out_buffer);

/* Create a view: `size` bytes from `offset` of a buffer or of another view, without a copy. The view keeps its buffer alive.
 * Copies and fills accept any offset; for kernel arguments the device may require an alignment (yoke_device_info.view_alignment).
 * YOKE_E_RANGE: the view does not lie within the buffer. YOKE_E_INVALID_ARGUMENT: size is 0, or the buffer is pinned. */
YOKE_API yoke_status yoke_buffer_create_view(yoke_buffer *buffer, size_t offset, size_t size, yoke_buffer **out_view);

/* The same, read-only: a write, copy or fill to the view, or a launch that passes it for a parameter known not to be const, is
 * YOKE_E_KERNEL_ARGUMENT. Views of the view are read-only, too. The buffer itself stays writable. */
YOKE_API yoke_status yoke_buffer_create_const_view(yoke_buffer *buffer, size_t offset, size_t size, yoke_buffer **out_view);

/* Take another reference, which yoke_buffer_release releases. NULL for NULL. */
YOKE_API yoke_buffer *yoke_buffer_retain(yoke_buffer *buffer);
/* Release a reference. Memory that the device still uses is reused or freed when the device is done; the call does not wait for
 * that, even where the buffer is the last object of its device (see yoke_device_release). Copies that were given a pinned buffer's
 * host pointer do not keep the buffer alive: wait for those copies first. */
YOKE_API void yoke_buffer_release(yoke_buffer *buffer);

/* The size of the buffer or view in bytes; 0 for NULL. */
YOKE_API size_t yoke_buffer_get_size(const yoke_buffer *buffer);

/* The kind of the memory, YOKE_MEMORY_x; -1 for NULL. */
YOKE_API yoke_memory_kind yoke_buffer_get_kind(const yoke_buffer *buffer);

/* The host address of a pinned, mapped or managed buffer or view; NULL for device memory and for NULL. */
YOKE_API void *yoke_buffer_get_host(const yoke_buffer *buffer);

/* The buffer's device, borrowed: it lives as long as `buffer`. NULL for NULL. */
YOKE_API yoke_device *yoke_buffer_get_device(const yoke_buffer *buffer);

/* 1 for a view from yoke_buffer_create_const_view, and for a view of one; 0 for any other buffer, and for NULL. */
YOKE_API int32_t yoke_buffer_is_read_only(const yoke_buffer *buffer);

/* ---- A device's memory -------------------------------------------------------------------------------------------------- */

enum { YOKE_MEMORY_INFO_ESTIMATED = 1 }; /* flag: `free` is the total minus what Yoke uses, because the driver does not report it */

/* The use of a device's memory, in bytes. The caller sets `size` (YOKE_MEMORY_INFO_INIT). */
typedef struct yoke_memory_info {
    size_t size;            /* sizeof(yoke_memory_info) */
    uint32_t flags;         /* YOKE_MEMORY_INFO_ESTIMATED, or 0 */
    uint32_t buffers;       /* live buffers of any kind, views not counted */
    uint64_t total, free;   /* the device's memory, and how much of it is free */
    uint64_t in_use;        /* device memory that buffers use */
    uint64_t peak;          /* the maximum of in_use so far */
    uint64_t cached;        /* released, and kept for reuse */
    uint64_t pinned;        /* in use: page-locked host memory that Yoke has allocated */
    uint64_t pinned_cached; /* released, and kept for reuse */
    uint64_t in_use_limit;  /* the `in_use` of yoke_device_set_memory_limits */
    uint64_t cached_limit;  /* its `cached` */
} yoke_memory_info;

#define YOKE_MEMORY_INFO_INIT                                     \
    {                                                             \
        sizeof(yoke_memory_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* Get the use of a device's memory. YOKE_E_INVALID_ARGUMENT: out_info is NULL. */
YOKE_API yoke_status yoke_device_get_memory(yoke_device *device, yoke_memory_info *out_info);

#define YOKE_NO_LIMIT UINT64_MAX

/* Limit the use of the device's memory from now on. `in_use`: an allocation beyond this limit is YOKE_E_OUT_OF_DEVICE_MEMORY (by
 * default there is no limit). `cached`: how much released device memory is kept for reuse; the same amount again for ordered
 * buffers where the driver keeps their memory (CUDA); and for pinned memory a quarter of it, at most 1 GiB. By default `cached` is
 * a sixteenth of the device's memory; 0 keeps nothing. Unused memory above the new limit is freed at once. */
YOKE_API yoke_status yoke_device_set_memory_limits(yoke_device *device, uint64_t in_use, uint64_t cached);

/* Free released memory, all but `keep` bytes of each kind. The call does not wait for memory that the device still uses. */
YOKE_API yoke_status yoke_device_trim_memory(yoke_device *device, uint64_t keep);

/* ---- Copies ------------------------------------------------------------------------------------------------------------- */

/*
 * Host memory must stay unchanged until the copy has run. No copy waits for the device or for earlier work, not even from and to
 * pageable memory; Yoke's threads stage large copies of pageable memory through pinned memory (YOKE_COPY_THREADS threads, by
 * default up to 8). A target in pageable memory whose first or last page is known to be read-only is YOKE_E_INVALID_ARGUMENT; a
 * read-only page in between, or on a system that cannot report it (Linux before 5.14), crashes the program, as memcpy would.
 *
 * `buffer` may be of any kind but pinned, whose memory belongs to the host: use the host pointer, or yoke_copy.
 */

/* Copy `size` bytes from host memory `source` into the buffer at `offset`, in the stream's order. YOKE_E_INVALID_ARGUMENT: source
 * is NULL, size is 0, or the buffer belongs to another device. YOKE_E_RANGE: offset + size is past the end of the buffer.
 * YOKE_E_KERNEL_ARGUMENT: the buffer is a view for reading only. Or the stream's failure. */
#define yoke_write(...) yoke_write_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_write_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, const void *source,
                                   size_t size);

/* Copy `size` bytes of the buffer from `offset` to host memory `target`, in the stream's order. Statuses as yoke_write, and
 * YOKE_E_INVALID_ARGUMENT: target is read-only. */
#define yoke_read(...) yoke_read_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_read_at(const char *where, yoke_stream *stream, void *target, yoke_buffer *buffer, size_t offset,
                                  size_t size);

/* Copy between two buffers, in the stream's order. At least one buffer must belong to the stream's device; the other may belong to
 * any device of any backend, and its content must be ready: wait for an event of its own stream first. A pinned buffer counts as
 * host memory: the other buffer must then belong to the stream's device. Statuses as yoke_write, and YOKE_E_INVALID_ARGUMENT: the
 * ranges overlap, both buffers are pinned, or neither belongs to the stream's device. */
#define yoke_copy(...) yoke_copy_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_copy_at(const char *where, yoke_stream *stream, yoke_buffer *target, size_t target_offset,
                                  yoke_buffer *source, size_t source_offset, size_t size);

/* Create a buffer with contents: `size` bytes of device memory as by yoke_buffer_create_ordered, and a copy of the bytes at `data`,
 * in the stream's order. The bytes have been taken when the call returns, so that `data` may change or be freed at once; until the
 * copy has run they are in page-locked memory, which a graph that is being recorded keeps. Statuses as yoke_buffer_create_ordered,
 * and YOKE_E_INVALID_ARGUMENT: data is NULL. YOKE_E_OUT_OF_HOST_MEMORY: there is no page-locked memory for the bytes. */
#define yoke_buffer_create_with_data(...) yoke_buffer_create_with_data_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_buffer_create_with_data_at(const char *where, yoke_stream *stream, const void *data, size_t size,
                                                     yoke_buffer **out_buffer);

/* yoke_write, yoke_read and yoke_copy, complete when the call returns: the operation in its place in the stream, then a wait.
 * YOKE_E_DEADLOCK: as yoke_stream_wait, by what is in the stream when the call begins. */
#define yoke_write_sync(...) yoke_write_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_write_sync_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset,
                                        const void *source, size_t size);
#define yoke_read_sync(...) yoke_read_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_read_sync_at(const char *where, yoke_stream *stream, void *target, yoke_buffer *buffer, size_t offset,
                                       size_t size);
#define yoke_copy_sync(...) yoke_copy_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_copy_sync_at(const char *where, yoke_stream *stream, yoke_buffer *target, size_t target_offset,
                                       yoke_buffer *source, size_t source_offset, size_t size);

/* ---- Rects: copies of two and three dimensions --------------------------------------------------------------------------- */

/* The place of a rect in memory: the offset of its first byte, and the distances from row to row and from slice to slice. A
 * row_pitch of 0 means contiguous rows; a slice_pitch of 0 means contiguous slices of as many rows as the rect has. Final. */
typedef struct yoke_pitch {
    size_t offset, row_pitch, slice_pitch;
} yoke_pitch;

/* A rect: bytes in a row, rows in a slice, slices. A height or depth of 0 counts as 1. Final. */
typedef struct yoke_rect {
    size_t width, height, depth;
} yoke_rect;

/* The same pitches from another origin: `x` bytes into row `y` of slice `z`. The pitches must be set. */
static inline yoke_pitch yoke_pitch_from(yoke_pitch pitch, size_t x, size_t y, size_t z)
{
    pitch.offset += x + y * pitch.row_pitch + z * pitch.slice_pitch;
    return pitch;
}

/* Copy a rect from host memory into the buffer, in the stream's order: byte x of row y of slice z is at offset + x + y * row_pitch
 * + z * slice_pitch of each side. YOKE_E_INVALID_ARGUMENT: source is NULL, the rect's width is 0, or a pitch is smaller than the
 * row or slice that it steps over. YOKE_E_RANGE: the rect's last byte is past the end of the buffer, or the sizes overflow. */
#define yoke_write_rect(...) yoke_write_rect_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_write_rect_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch buffer_pitch,
                                        const void *source, yoke_pitch source_pitch, yoke_rect rect);

/* Copy a rect of the buffer to host memory. Bytes of `target` between the rows stay unchanged. Statuses as yoke_write_rect and
 * yoke_read. */
#define yoke_read_rect(...) yoke_read_rect_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_read_rect_at(const char *where, yoke_stream *stream, void *target, yoke_pitch target_pitch,
                                       yoke_buffer *buffer, yoke_pitch buffer_pitch, yoke_rect rect);

/* Copy a rect between two buffers, as yoke_copy does. Within one buffer the two rects may interleave, as two halves of one picture
 * do, but no row of one may touch a row of the other: YOKE_E_INVALID_ARGUMENT. Else statuses as yoke_write_rect and yoke_copy. */
#define yoke_copy_rect(...) yoke_copy_rect_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_copy_rect_at(const char *where, yoke_stream *stream, yoke_buffer *target, yoke_pitch target_pitch,
                                       yoke_buffer *source, yoke_pitch source_pitch, yoke_rect rect);

/* yoke_write_rect, yoke_read_rect and yoke_copy_rect, complete when the call returns. YOKE_E_DEADLOCK: as yoke_write_sync. */
#define yoke_write_rect_sync(...) yoke_write_rect_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_write_rect_sync_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch buffer_pitch,
                                             const void *source, yoke_pitch source_pitch, yoke_rect rect);
#define yoke_read_rect_sync(...) yoke_read_rect_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_read_rect_sync_at(const char *where, yoke_stream *stream, void *target, yoke_pitch target_pitch,
                                            yoke_buffer *buffer, yoke_pitch buffer_pitch, yoke_rect rect);
#define yoke_copy_rect_sync(...) yoke_copy_rect_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_copy_rect_sync_at(const char *where, yoke_stream *stream, yoke_buffer *target, yoke_pitch target_pitch,
                                            yoke_buffer *source, yoke_pitch source_pitch, yoke_rect rect);

/* ---- Fills -------------------------------------------------------------------------------------------------------------- */

/* Fill `size` bytes of a buffer from `offset` with copies of `pattern`, in the stream's order. The pattern is read during the
 * call. YOKE_E_INVALID_ARGUMENT: pattern_size is not 1, 2, 4, 8 or 16, offset or size is not a multiple of pattern_size (a view
 * may begin anywhere in its buffer), or the buffer is pinned. Else as yoke_write. */
#define yoke_fill(...) yoke_fill_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_fill_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, size_t size,
                                  const void *pattern, size_t pattern_size);

/* Fill each row of a rect of the buffer with copies of `pattern`. YOKE_E_INVALID_ARGUMENT: as yoke_fill, where width, offset and
 * pitches must be multiples of pattern_size. Else as yoke_write_rect. */
#define yoke_fill_rect(...) yoke_fill_rect_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_fill_rect_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch pitch,
                                       yoke_rect rect, const void *pattern, size_t pattern_size);

#ifdef __cplusplus
}
#endif

#endif
