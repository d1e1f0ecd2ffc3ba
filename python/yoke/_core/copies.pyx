# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Copies and fills of rects, in bytes, and copies of the texels of images. Shapes and pitches have the order of NumPy's shape and
# strides.

from .c_yoke cimport *
from .errors cimport as_size, check, shown
from .memory cimport Buffer, hold, Image, Inside, inside, Kept, region_of
from .stream cimport keep_owners, keep_until_done, Stream

from .errors import RangeError


cdef int rect_of(yoke_rect *out, shape) except -1:
    """(rows, bytes of a row) or (slices, rows, bytes)."""
    extents = [as_size(each, "an extent of the shape") for each in shape]
    if not 2 <= len(extents) <= 3 or 0 in extents:
        raise ValueError(f"a rect has the shape (rows, bytes) or (slices, rows, bytes), without zeros, and not {shown(shape)}")
    out.width, out.height, out.depth = extents[-1], extents[-2], extents[0] if len(extents) == 3 else 1
    return 0


cdef int pitch_of(yoke_pitch *out, offset, pitch, str name) except -1:
    """A pitch is None, bytes from row to row, or (bytes from slice to slice, bytes from row to row); 0 means without gaps."""
    steps = (0, 0) if pitch is None else (0, pitch) if not isinstance(pitch, (tuple, list)) else pitch
    if len(steps) != 2:
        raise ValueError(f"{name}_pitch is one number or (slice, row), not {shown(pitch)}")
    out.offset = as_size(offset, name + "_offset")
    out.slice_pitch, out.row_pitch = as_size(steps[0], name + "_pitch"), as_size(steps[1], name + "_pitch")
    return 0


cdef int check_host_rect(Kept kept, yoke_pitch *pitch, yoke_rect *rect) except -1:
    """The library cannot know the size of host memory."""
    row = pitch.row_pitch or rect.width
    slice_ = pitch.slice_pitch or row * rect.height
    end = pitch.offset + (rect.depth - 1) * slice_ + (rect.height - 1) * row + rect.width
    if end > kept.view.len:
        raise RangeError(f"the rect ends at byte {shown(end)} of {kept.view.len} bytes of host memory")
    return 0


cdef int host_rect(Stream stream, Buffer buffer, memory, shape, buffer_offset, buffer_pitch, memory_offset, memory_pitch,
                   bint to_host, const char *where) except -1:
    cdef yoke_rect rect
    cdef yoke_pitch device_side, host_side
    cdef unsigned before = stream.recordings
    cdef yoke_status status
    cdef Inside call = inside(buffer)
    cdef Kept kept = hold(memory, to_host)

    rect_of(&rect, shape)
    pitch_of(&device_side, buffer_offset, buffer_pitch, "buffer")
    pitch_of(&host_side, memory_offset, memory_pitch, "target" if to_host else "source")
    check_host_rect(kept, &host_side, &rect)
    with nogil:
        if to_host:
            status = yoke_read_rect_at(where, stream.ptr, kept.view.buf, host_side, buffer.ptr, device_side, rect)
        else:
            status = yoke_write_rect_at(where, stream.ptr, buffer.ptr, device_side, kept.view.buf, host_side, rect)
    check(status)
    return keep_until_done(stream, [kept, buffer.owner], before)


cdef int copy_rect(Stream stream, Buffer target, Buffer source, shape, target_offset, target_pitch, source_offset, source_pitch,
                   const char *where) except -1:
    cdef yoke_rect rect
    cdef yoke_pitch to, begin
    cdef unsigned before = stream.recordings
    cdef yoke_status status
    cdef Inside call = inside(target, source)

    rect_of(&rect, shape)
    pitch_of(&to, target_offset, target_pitch, "target")
    pitch_of(&begin, source_offset, source_pitch, "source")
    with nogil:
        status = yoke_copy_rect_at(where, stream.ptr, target.ptr, to, source.ptr, begin, rect)
    check(status)
    return keep_owners(stream, before, target, source)


cdef int fill_rect(Stream stream, Buffer buffer, shape, pattern, offset, pitch, const char *where) except -1:
    cdef yoke_rect rect
    cdef yoke_pitch to
    cdef unsigned before = stream.recordings
    cdef yoke_status status
    cdef Inside call = inside(buffer)
    cdef Kept kept = hold(pattern, False)

    rect_of(&rect, shape)
    pitch_of(&to, offset, pitch, "buffer")
    with nogil:
        status = yoke_fill_rect_at(where, stream.ptr, buffer.ptr, to, rect, kept.view.buf, kept.view.len)
    check(status)
    return keep_owners(stream, before, buffer)


cdef int write_image(Stream stream, Image image, source, offset, shape, const char *where) except -1:
    cdef yoke_region room
    cdef const yoke_region *region = region_of(&room, image, offset, shape)
    cdef Kept kept = hold(source, False)
    cdef yoke_image *ptr = yoke_image_retain(image.ptr)
    cdef unsigned before = stream.recordings
    cdef yoke_status status

    with nogil:
        status = yoke_write_image_at(where, stream.ptr, ptr, region, kept.view.buf, kept.view.len)
        yoke_image_release(ptr)
    check(status)
    return keep_until_done(stream, [kept], before)


cdef int read_image(Stream stream, target, Image image, offset, shape, const char *where) except -1:
    cdef yoke_region room
    cdef const yoke_region *region = region_of(&room, image, offset, shape)
    cdef Kept kept = hold(target, True)
    cdef yoke_image *ptr = yoke_image_retain(image.ptr)
    cdef unsigned before = stream.recordings
    cdef yoke_status status

    with nogil:
        status = yoke_read_image_at(where, stream.ptr, kept.view.buf, ptr, region, kept.view.len)
        yoke_image_release(ptr)
    check(status)
    return keep_until_done(stream, [kept], before)


cdef int copy_image(Stream stream, Image image, Buffer buffer, buffer_offset, offset, shape, bint to_image,
                    const char *where) except -1:
    cdef yoke_region room
    cdef const yoke_region *region = region_of(&room, image, offset, shape)
    cdef size_t begin = as_size(buffer_offset, "buffer_offset")
    cdef yoke_image *ptr = yoke_image_retain(image.ptr)
    cdef unsigned before = stream.recordings
    cdef yoke_status status
    cdef Inside call = inside(buffer)

    with nogil:
        if to_image:
            status = yoke_copy_to_image_at(where, stream.ptr, ptr, region, buffer.ptr, begin)
        else:
            status = yoke_copy_from_image_at(where, stream.ptr, buffer.ptr, begin, ptr, region)
        yoke_image_release(ptr)
    check(status)
    return keep_owners(stream, before, buffer)
