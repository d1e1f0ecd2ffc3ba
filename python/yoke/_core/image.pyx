# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Images: texels that kernels read through a sampler, and write. Shapes and offsets have NumPy's order, (rows, columns) or
# (slices, rows, columns), all in texels.

import math

cimport cython
from libc.string cimport memset

from .c_yoke cimport *
from .errors cimport as_size, check, shown
from .device cimport Device

from .errors import RangeError


cdef tuple image_formats = ("", "unorm8", "unorm16", "snorm8", "snorm16", "uint8", "uint16", "uint32", "int8", "int16", "int32",
                            "float16", "float32")


cdef tuple image_addresses = ("clamp", "border", "repeat", "mirror")
cdef tuple image_filters = ("nearest", "linear")


cdef int32_t position_of(word, tuple words, str what) except -1:
    if word not in words or word == "":
        raise ValueError(f"no such {what}: {shown(word)}; there are {', '.join([each for each in words if each])}")
    return words.index(word)


@cython.final
cdef class Image:
    """Image(device, shape=None, format='float32', channels=1, *, address='clamp', filter='nearest', normalized=False)\n--\n\n\
    Texels on a device: a texture and surface in CUDA, an image2d_t or image3d_t with its sampler in OpenCL. Undefined content.

    shape: (rows, columns), or (slices, rows, columns) for three dimensions. format: of a channel; kernels read "unorm8", "unorm16",
    "snorm8", "snorm16", "float16" and "float32" as float, "uint8" to "int32" as they are; a NumPy dtype stands for its name.
    channels: of a texel, 1, 2 or 4.
    address: what is read outside: "clamp" (the edge), "border" (0), and with normalized coordinates "repeat" or "mirror". filter:
    "nearest" or "linear". normalized: coordinates go from 0.0 to 1.0; else texel i is at i + 0.5.

    As the argument of a launch the image is read through its sampler (a sampler_t parameter is no argument); image.surface is
    written. Copies: stream.write_image, read_image, copy_to_image, copy_from_image. Raises UnsupportedError where the device lacks
    images or the format, RangeError where they are smaller, InvalidArgumentError where the words do not go together.
    """

    def __cinit__(self, Device device not None, shape=None, format="float32", channels=1, *, address="clamp", filter="nearest",
                  normalized=False):
        cdef yoke_image_desc desc
        cdef yoke_device *ptr
        cdef yoke_status status

        self.device, self.shape = device, ()
        if shape is None:  # for view
            return
        shape = tuple([as_size(extent, "an extent of the shape") for extent in shape])
        if not 2 <= len(shape) <= 3 or 0 in shape:
            raise ValueError(f"an image has 2 or 3 dimensions, none of them 0, and not the shape {shown(shape)}")
        memset(&desc, 0, sizeof(desc))
        desc.size = sizeof(desc)
        format = format if isinstance(format, str) else getattr(format, "name", None) or getattr(format, "__name__", format)
        desc.format, desc.channels = position_of(format, image_formats, "format"), channels
        desc.width, desc.height, desc.depth = shape[-1], shape[-2], shape[0] if len(shape) == 3 else 0
        self.sample(&desc.sampler, address, filter, normalized)
        ptr = yoke_device_retain(device.ptr)  # another thread may close the device meanwhile
        with nogil:
            status = yoke_image_create(ptr, &desc, &self.ptr)
            yoke_device_release(ptr)
        check(status)
        self.shape, self.format, self.channels = shape, format, channels

    @cython.embedsignature(False)
    def __init__(self, device, shape=None, format="float32", channels=1, *, address="clamp", filter="nearest", normalized=False):
        if self.ptr == NULL:
            raise TypeError("an image needs a shape: (rows, columns) or (slices, rows, columns)")

    cdef int sample(self, yoke_sampler *sampler, address, filter, normalized) except -1:
        sampler.address = position_of(address, image_addresses, "address")
        sampler.filter = position_of(filter, image_filters, "filter")
        sampler.normalized = bool(normalized)
        self.address, self.filter, self.normalized = address, filter, sampler.normalized
        return 0

    def __dealloc__(self):
        cdef yoke_image *ptr = self.closed if self.ptr == NULL else self.ptr
        if ptr != NULL:
            with nogil:
                yoke_image_release(ptr)

    def close(self):
        """Release the memory; the device may still use it, and is not waited for. A second call does nothing."""
        cdef yoke_image *ptr = self.ptr
        self.ptr = NULL
        if self.users and ptr != NULL:
            self.closed = ptr
        elif ptr != NULL:
            with nogil:
                yoke_image_release(ptr)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def view(self, *, address=None, filter=None, normalized=None):
        """The same texels, read through another sampler; what is not named stays. The view keeps the memory alive."""
        cdef Image view = Image.__new__(Image, self.device)
        cdef yoke_sampler sampler
        cdef yoke_image *ptr
        cdef yoke_status status

        if self.ptr != NULL:
            view.sample(&sampler, self.address if address is None else address, self.filter if filter is None else filter,
                        self.normalized if normalized is None else normalized)
        ptr = yoke_image_retain(self.ptr)  # another thread may close the image meanwhile
        with nogil:
            status = yoke_image_create_view(ptr, &sampler, &view.ptr)
            yoke_image_release(ptr)
        check(status)
        view.shape, view.format, view.channels = self.shape, self.format, self.channels
        return view

    @property
    def surface(self):
        """The image as an argument that a kernel writes: kernel[n](stream, source, target.surface)."""
        return Surface(self)

    @property
    def nbytes(self):
        """Bytes of all texels, as copies have them."""
        width = 1 if self.format.endswith("8") else 4 if self.format.endswith("32") else 2
        return math.prod(self.shape) * self.channels * width

    def __repr__(self):
        if self.ptr == NULL:
            return "<yoke.Image closed>"
        return f"<yoke.Image {' x '.join([str(each) for each in self.shape])}, {self.channels} {self.format} on " \
               f"{self.device.info.selector}>"


cdef void leave_image(Image image) noexcept:
    """One user less: the last one releases what was closed meanwhile."""
    cdef yoke_image *ptr = image.closed
    image.users -= 1
    if image.users == 0 and ptr != NULL:
        image.closed = NULL
        with nogil:
            yoke_image_release(ptr)


@cython.final
cdef class Surface:
    """Surface(image)\n--\n\n\
    An Image as an argument that a kernel writes: a cudaSurfaceObject_t in CUDA, a write_only image in OpenCL."""

    def __cinit__(self, Image image not None):
        self.image = image

    def __repr__(self):
        return f"<yoke.Surface of {self.image!r}>"


cdef const yoke_region *region_of(yoke_region *out, Image image, offset, shape) except? NULL:
    """The part of an image that begins at `offset`; None: the first texel, and all that follows. NULL for the whole image."""
    if offset is None and shape is None or image.ptr == NULL:
        return NULL
    count = len(image.shape)
    first = [0] * count if offset is None else [as_size(each, "an offset") for each in offset]
    if shape is None:
        extents = [max(0, size - begin) for size, begin in zip(image.shape, first)]
    else:
        extents = [as_size(each, "an extent of the shape") for each in shape]
    if len(first) != count or len(extents) != count:
        raise ValueError(f"offset and shape have {count} numbers for an image of shape {image.shape}")
    if 0 in extents:
        raise RangeError(f"a part of shape {tuple(extents)} at {tuple(first)} of an image of shape {image.shape} has no texels")
    memset(out, 0, sizeof(out[0]))
    out.x, out.y, out.width, out.height = first[-1], first[-2], extents[-1], extents[-2]
    if count == 3:
        out.z, out.depth = first[0], extents[0]
    return out
