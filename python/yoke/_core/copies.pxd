# SPDX-License-Identifier: Apache-2.0
# Copies of rects and of images' texels, as a Stream's methods call them.
from .memory cimport Buffer, Image
from .stream cimport Stream

cdef int host_rect(Stream stream, Buffer buffer, memory, shape, buffer_offset, buffer_pitch, memory_offset, memory_pitch,
                   bint to_host, const char *where) except -1
cdef int copy_rect(Stream stream, Buffer target, Buffer source, shape, target_offset, target_pitch, source_offset, source_pitch,
                   const char *where) except -1
cdef int fill_rect(Stream stream, Buffer buffer, shape, pattern, offset, pitch, const char *where) except -1
cdef int write_image(Stream stream, Image image, source, offset, shape, const char *where) except -1
cdef int read_image(Stream stream, target, Image image, offset, shape, const char *where) except -1
cdef int copy_image(Stream stream, Image image, Buffer buffer, buffer_offset, offset, shape, bint to_image,
                    const char *where) except -1
