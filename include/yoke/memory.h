/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: buffers of every kind, copies between them and the host, fills, and what a device's memory is used for. What the top of
 * <yoke/yoke.h> says holds here too. Included by <yoke/yoke.h>.
 */
#ifndef YOKE_MEMORY_H
#define YOKE_MEMORY_H

#include <yoke/yoke.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Buffers ------------------------------------------------------------------------------------------------------------ */

/* Where a buffer's memory is, and who may touch it. */
enum {
    YOKE_MEMORY_DEVICE = 0, /* the device's own; the host reaches it by copies */
    YOKE_MEMORY_PINNED = 1, /* page-locked host memory, which the device copies from and to at full speed; no kernel argument */
    YOKE_MEMORY_MAPPED = 2, /* page-locked host memory that kernels work on in place, over the bus: YOKE_CAP_MAPPED */
    YOKE_MEMORY_MANAGED = 3 /* moves to whoever touches it, host or device: YOKE_CAP_MANAGED */
};

/* Allocate `size` bytes of device memory; its content is undefined. Memory of buffers that were released is used again (see
 * yoke_device_limit_memory). When there is not enough, released memory is given back to the driver, work that still uses some is
 * waited for, and the driver asked once more before this fails; and again, where other threads have given back more meanwhile.
 * YOKE_E_INVALID_ARGUMENT: size is 0. YOKE_E_RANGE: larger than the device's largest buffer. YOKE_E_OUT_OF_DEVICE_MEMORY: the
 * record says what was asked, what is free, and how large a single buffer may be. */
YOKE_API yoke_status yoke_buffer_create(yoke_device *device, size_t size, yoke_buffer **out_buffer);

/* The same in the order of a stream: for memory that is needed for a while, at the price of a list entry instead of a call of the
 * driver. It may be memory whose buffer was released while this stream still used it: use it in this stream, and in another only
 * behind an event recorded in this one after the call. Released at any time, it goes back in the same order. Statuses as
 * yoke_buffer_create, or the stream's failure. */
YOKE_API yoke_status yoke_buffer_create_ordered(yoke_stream *stream, size_t size, yoke_buffer **out_buffer);

/* Allocate `size` bytes of a kind of memory, YOKE_MEMORY_. For MAPPED and SHARED the host uses the memory at yoke_buffer_get_host:
 * what it writes there is visible to operations enqueued afterwards (and to what follows, from a host function), and what the
 * device wrote is visible to the host once that work is waited for. Host and device must not touch it at the same time.
 * YOKE_E_INVALID_ARGUMENT: size is 0, or no such kind. YOKE_E_UNSUPPORTED: the device lacks YOKE_CAP_MAPPED or _SHARED;
 * yoke_device_lacks says why. Else as yoke_buffer_create; host memory runs out as YOKE_E_OUT_OF_HOST_MEMORY. */
YOKE_API yoke_status yoke_buffer_create_in(yoke_device *device, int32_t memory, size_t size, yoke_buffer **out_buffer);

/* The same for YOKE_MEMORY_PINNED. The memory is page-locked for this device, on CUDA for all of CUDA's devices; copies to and from
 * any other device take it for pageable memory. */
YOKE_API yoke_status yoke_buffer_create_pinned(yoke_device *device, size_t size, yoke_buffer **out_buffer);

/* Page-lock `size` bytes of existing host memory, which stays the caller's: a YOKE_MEMORY_PINNED buffer over it. Copies that are
 * given a pointer into it are fast too. The memory must not be freed before the buffer is released and the work that uses it is
 * waited for. YOKE_E_INVALID_ARGUMENT: host is NULL, size is 0, or some of the memory is pinned already. YOKE_E_OUT_OF_HOST_MEMORY:
 * the system locks no more pages. */
YOKE_API yoke_status yoke_buffer_create_from_host(yoke_device *device, void *host, size_t size, yoke_buffer **out_buffer);

/* A view: `size` bytes from `offset` of a buffer (or of another view), without a copy. It keeps its buffer alive.
 * Any offset will do for copies and fills; as a kernel argument the device may ask for an alignment
 * (yoke_device_info.view_alignment). YOKE_E_RANGE: the view does not lie within the buffer. YOKE_E_INVALID_ARGUMENT: size 0, or a
 * pinned buffer. */
YOKE_API yoke_status yoke_buffer_create_view(yoke_buffer *buffer, size_t offset, size_t size, yoke_buffer **out_view);

/* The same, for reading only: writing to it, copying to it, filling it, or giving it to a kernel whose parameter is known not to be
 * const, is YOKE_E_KERNEL_ARGUMENT. So are views of it made by yoke_buffer_create_view. The buffer itself stays as it is. */
YOKE_API yoke_status yoke_buffer_create_const_view(yoke_buffer *buffer, size_t offset, size_t size, yoke_buffer **out_view);

/* Take another reference, which yoke_buffer_release gives back. NULL for NULL. */
YOKE_API yoke_buffer *yoke_buffer_retain(yoke_buffer *buffer);
/* Give back a reference. Memory that the device still uses is used again, or freed, when it is done; does not wait for that, nor
 * where the buffer is the last of its device (see yoke_device_release). The host pointer of a pinned buffer may be used by copies
 * that were given the pointer itself: wait for those first. */
YOKE_API void yoke_buffer_release(yoke_buffer *buffer);

/* Bytes in the buffer or view; 0 for NULL. */
YOKE_API size_t yoke_buffer_get_size(const yoke_buffer *buffer);

/* The YOKE_MEMORY_ kind; -1 for NULL. */
YOKE_API int32_t yoke_buffer_get_kind(const yoke_buffer *buffer);

/* The host address of a pinned, mapped or shared buffer or view; NULL for any other. */
YOKE_API void *yoke_buffer_get_host(const yoke_buffer *buffer);

/* ---- A device's memory -------------------------------------------------------------------------------------------------- */

enum { YOKE_MEMORY_INFO_ESTIMATED = 1 }; /* flag: `free` is what Yoke has left of the total, since the driver does not tell */

/* What a device's memory is used for, in bytes. The caller sets `size` (YOKE_MEMORY_INFO_INIT). */
typedef struct yoke_memory_info {
    size_t size;            /* sizeof(yoke_memory_info) */
    uint32_t flags;         /* YOKE_MEMORY_INFO_ESTIMATED, or 0 */
    uint32_t buffers;       /* that are alive, of any kind, views not counted */
    uint64_t total, free;   /* of the device */
    uint64_t in_use;        /* by buffers, in the device's memory */
    uint64_t peak;          /* the most that in_use has been */
    uint64_t cached;        /* released, and kept to be used again */
    uint64_t pinned;        /* in use: page-locked host memory that Yoke has allocated */
    uint64_t pinned_cached; /* released, and kept to be used again */
    uint64_t in_use_limit;  /* of yoke_device_limit_memory */
    uint64_t cached_limit;  /* the same */
} yoke_memory_info;

#define YOKE_MEMORY_INFO_INIT                                     \
    {                                                             \
        sizeof(yoke_memory_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* Ask what a device's memory is used for. YOKE_E_INVALID_ARGUMENT: out_info is NULL or its size is 0. */
YOKE_API yoke_status yoke_device_get_memory(yoke_device *device, yoke_memory_info *out_info);

#define YOKE_NO_LIMIT UINT64_MAX

/* Limit what buffers take of the device's memory from now on. `in_use`: more than that is YOKE_E_OUT_OF_DEVICE_MEMORY (no limit
 * unless set). `cached`: how much released memory of plain buffers is kept to be used again, and of ordered ones as much where the
 * driver keeps it (CUDA); of pinned memory a quarter of that, 1 GiB at most. A sixteenth of the device's memory unless set; 0 keeps
 * none. What is beyond a new limit is given back at once, as far as it is not in use. */
YOKE_API yoke_status yoke_device_limit_memory(yoke_device *device, uint64_t in_use, uint64_t cached);

/* Give released memory back to the driver, all but `keep` bytes of each kind. What the device still uses is not waited for. */
YOKE_API yoke_status yoke_device_trim(yoke_device *device, uint64_t keep);

/* ---- Copies ------------------------------------------------------------------------------------------------------------- */

/*
 * Host memory has to stay as it is until the copy has run. None of these calls waits for the device or for earlier work, from and
 * to pageable memory either; large ones are carried through pinned memory by threads of Yoke's (YOKE_COPY_THREADS of them, 4 unless
 * set). A target in pageable memory whose first or last page the system says is read-only is YOKE_E_INVALID_ARGUMENT; a page
 * in between, or systems that do not tell (Linux before 5.14), end the program, as memcpy would.
 *
 * A `buffer` is any but a pinned one, whose memory is the host's: use its host pointer, or yoke_copy.
 */

/* Copy `size` bytes from host memory `source` into the buffer at `offset`, in the stream's order.
 * YOKE_E_INVALID_ARGUMENT: source is NULL, size is 0, or the buffer belongs to another device. YOKE_E_RANGE: offset + size is
 * beyond the buffer. Or the stream's failure, when it has failed. */
#define yoke_write(...) yoke_write_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_write_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, const void *source,
                                   size_t size);

/* Copy `size` bytes of the buffer from `offset` to host memory `target`, in the stream's order. Statuses as yoke_write, and
 * YOKE_E_INVALID_ARGUMENT: target is read-only. */
#define yoke_read(...) yoke_read_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_read_at(const char *where, yoke_stream *stream, void *target, yoke_buffer *buffer, size_t offset,
                                  size_t size);

/* Copy between two buffers, in the stream's order. One of them has to belong to the stream's device; the other may belong to any
 * device of any backend: its content has to be ready, so wait for an event of its own stream first. A pinned buffer counts as the
 * host's: the other one then has to belong to the stream's device. Statuses as yoke_write, and YOKE_E_INVALID_ARGUMENT: the ranges
 * overlap, both buffers are pinned, or neither belongs to the stream's device. */
#define yoke_copy(...) yoke_copy_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_copy_at(const char *where, yoke_stream *stream, yoke_buffer *target, size_t target_offset,
                                  yoke_buffer *source, size_t source_offset, size_t size);

/* yoke_write, yoke_read and yoke_copy, finished when the call returns: the operation in its place in the stream, then a wait.
 * YOKE_E_DEADLOCK: called from a host function of this stream. */
#define yoke_write_sync(...) yoke_write_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_write_sync_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset,
                                        const void *source, size_t size);
#define yoke_read_sync(...) yoke_read_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_read_sync_at(const char *where, yoke_stream *stream, void *target, yoke_buffer *buffer, size_t offset,
                                       size_t size);
#define yoke_copy_sync(...) yoke_copy_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_copy_sync_at(const char *where, yoke_stream *stream, yoke_buffer *target, size_t target_offset,
                                       yoke_buffer *source, size_t source_offset, size_t size);

/* ---- Boxes: copies of two and three dimensions --------------------------------------------------------------------------- */

/* How rows lie in memory: the first byte, and how far it is from one row and from one slice to the next. A row_pitch of 0: rows
 * follow each other at once. A slice_pitch of 0: so do slices, of as many rows as the box has. */
typedef struct yoke_pitch {
    size_t offset, row_pitch, slice_pitch;
} yoke_pitch;

/* A box: bytes in a row, rows in a slice, slices. A height or depth of 0 counts as 1. */
typedef struct yoke_rect {
    size_t width, height, depth;
} yoke_rect;

/* The same layout from another origin: `x` bytes into row `y` of slice `z`, for layouts whose pitches are set. */
static inline yoke_pitch yoke_pitch_from(yoke_pitch layout, size_t x, size_t y, size_t z)
{
    layout.offset += x + y * layout.row_pitch + z * layout.slice_pitch;
    return layout;
}

/* Copy a box from host memory into the buffer, in the stream's order: byte x of row y of slice z is at
 * offset + x + y * row_pitch + z * slice_pitch of each side. YOKE_E_INVALID_ARGUMENT: source is NULL, the box's width is 0, or a
 * pitch is smaller than what it has to step over. YOKE_E_RANGE: the box's last byte is beyond the buffer, or the sizes overflow. */
#define yoke_write_rect(...) yoke_write_rect_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_write_rect_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch buffer_layout,
                                        const void *source, yoke_pitch source_layout, yoke_rect box);

/* Copy a box of the buffer to host memory. Bytes of `target` between its rows are left alone. Statuses as yoke_write_rect and
 * yoke_read. */
#define yoke_read_rect(...) yoke_read_rect_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_read_rect_at(const char *where, yoke_stream *stream, void *target, yoke_pitch target_layout,
                                       yoke_buffer *buffer, yoke_pitch buffer_layout, yoke_rect box);

/* Copy a box between two buffers, as yoke_copy does. Within one buffer the two boxes may interleave, as two halves of one image do,
 * but no row of one may touch a row of the other: YOKE_E_INVALID_ARGUMENT. Statuses else as yoke_write_rect and yoke_copy. */
#define yoke_copy_rect(...) yoke_copy_rect_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_copy_rect_at(const char *where, yoke_stream *stream, yoke_buffer *target, yoke_pitch target_layout,
                                       yoke_buffer *source, yoke_pitch source_layout, yoke_rect box);

/* yoke_write_rect, yoke_read_rect and yoke_copy_rect, finished when the call returns. */
#define yoke_write_rect_sync(...) yoke_write_rect_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_write_rect_sync_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch buffer_layout,
                                             const void *source, yoke_pitch source_layout, yoke_rect box);
#define yoke_read_rect_sync(...) yoke_read_rect_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_read_rect_sync_at(const char *where, yoke_stream *stream, void *target, yoke_pitch target_layout,
                                            yoke_buffer *buffer, yoke_pitch buffer_layout, yoke_rect box);
#define yoke_copy_rect_sync(...) yoke_copy_rect_sync_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_copy_rect_sync_at(const char *where, yoke_stream *stream, yoke_buffer *target, yoke_pitch target_layout,
                                            yoke_buffer *source, yoke_pitch source_layout, yoke_rect box);

/* ---- Fills -------------------------------------------------------------------------------------------------------------- */

/* Fill `size` bytes of a buffer from `offset` with copies of `pattern`, in the stream's order. The pattern is read at the call.
 * YOKE_E_INVALID_ARGUMENT: pattern_size is not 1, 2, 4, 8 or 16, or offset or size is no multiple of it (a view may begin anywhere
 * in its buffer), or the buffer is pinned; else as yoke_write. */
#define yoke_fill(...) yoke_fill_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_fill_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, size_t size,
                                  const void *pattern, size_t pattern_size);

/* Fill each row of a box of the buffer with copies of `pattern`. YOKE_E_INVALID_ARGUMENT: as yoke_fill, where width, offset and
 * pitches have to be multiples of pattern_size; else as yoke_write_rect. */
#define yoke_fill_rect(...) yoke_fill_rect_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_fill_rect_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch layout,
                                       yoke_rect box, const void *pattern, size_t pattern_size);

#ifdef __cplusplus
}
#endif

#endif
