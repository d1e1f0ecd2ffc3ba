# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Fourier transforms between arrays, and convolutions by them: the module yoke.fft has numpy.fft's functions over these. And
# filters, with the names, modes and origins of scipy.ndimage; integers are rounded to the nearest.

import array
import operator

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.string cimport memset

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport check, here, shown
from .dtype cimport axis_of, dtype_names, dtype_number, F32, promote
from .array cimport Array
from .layout cimport away, new_array, order_back, order_streams

from .expression import broadcast_shape
from .create import array_from


cdef dict scalings = {None: 0, "backward": 0, "ortho": 1, "forward": 2, "none": 3}
cdef dict overlaps = {"full": 0, "same": 1, "valid": 2}


cdef size_t axes_of(axes, int32_t dimensions, int32_t *out) except? <size_t>-1:
    """Axes as a list of C's: None are all."""
    chosen = range(dimensions) if axes is None else tuple(axes) if hasattr(axes, "__iter__") else (axes,)
    if len(chosen) > 8:
        raise ValueError(f"an array has at most 8 axes, not {len(chosen)}")
    for i, axis in enumerate(chosen):
        out[i] = axis_of(axis, dimensions)
    return len(chosen)


def transform(Array out not None, Array a not None, inverse, axes, norm, exact):
    """The transform of `a` to `out`, whose dtypes and shapes say which it is; for yoke.fft."""
    cdef int32_t list[8]
    cdef size_t count = axes_of(axes, a.a.dimensions, list)
    cdef int32_t direction = 1 if inverse else 0
    cdef yoke_fft_options options
    cdef const char *where = here()
    cdef yoke_status status

    if norm not in scalings:
        raise ValueError(f"norm is backward, ortho, forward or none, not {shown(norm)}")
    options.size, options.scaling, options.flags = sizeof(options), scalings[norm], YOKE_FFT_EXACT if exact else 0
    order_streams(out.stream, [a])
    with nogil:
        status = yoke_fft_with_at(where, out.stream.ptr, &out.a, &a.a, direction, list, count, &options)
    check(status)
    order_back(out.stream, [a])
    return out


def convolved(Array a not None, Array b not None, mode, axes):
    """A convolution along axes; for yoke.fft."""
    cdef int32_t list[8]
    cdef size_t count = axes_of(axes, a.a.dimensions, list)
    cdef int32_t dtype = promote([a.a.dtype, b.a.dtype, F32], a.stream)
    cdef int32_t overlap
    cdef Array result
    cdef const char *where = here()
    cdef yoke_status status

    if mode not in overlaps:
        raise ValueError(f"mode is full, same or valid, not {shown(mode)}")
    if a.a.dimensions != b.a.dimensions:
        raise ValueError(f"the arrays have {a.a.dimensions} and {b.a.dimensions} dimensions: they must have as many")
    overlap = overlaps[mode]
    along = {list[i] for i in range(count)}
    shape = []
    for i, (n, m) in enumerate(zip(a.shape, b.shape)):
        if i not in along:
            shape.append(broadcast_shape([(n,), (m,)])[0])
        else:
            shape.append(n if mode == "same" else n + m - 1 if mode == "full" else abs(n - m) + 1)
    a, b = array_from(a, dtype_names[dtype]), array_from(b, dtype_names[dtype])
    result = new_array(a.stream, dtype, shape)
    order_streams(a.stream, [b])
    with nogil:
        status = yoke_fft_convolve_at(where, a.stream.ptr, &result.a, &a.a, &b.a, overlap, list, count)
    check(status)
    order_back(a.stream, [b])
    return result


cdef dict boundaries = {"reflect": 0, "constant": 1, "nearest": 2, "mirror": 3, "wrap": 4, "grid-mirror": 0, "grid-constant": 1,
                        "grid-wrap": 4}


cdef struct FilterCall:
    int32_t axes[8]
    size_t count
    int32_t origins[8]
    yoke_filter_options options


cdef tuple for_axes(value, size_t count, str name):
    """One value for each axis, of one for all or of a sequence, of which only the tuple's length counts: arrays of C are filled
    from it."""
    cdef tuple values = tuple(value) if hasattr(value, "__len__") else (value,) * count
    if len(values) != <Py_ssize_t>count:
        raise ValueError(f"{name} has {len(values)} values for {count} axes")
    return values


cdef Array filter_setup(FilterCall *call, Array a, axes, mode, cval, origin, output):
    """What all filters have in common; the output."""
    cdef int i
    memset(call, 0, sizeof(call[0]))
    call.count = axes_of(axes, a.a.dimensions, call.axes)
    call.options.size = sizeof(call.options)
    if mode not in boundaries:
        raise ValueError(f"no such mode: {shown(mode)}; there are {', '.join(boundaries)}")
    call.options.boundary = boundaries[mode]
    call.options.value = cval
    for i, each in enumerate(for_axes(origin, call.count, "origin")):
        call.origins[i] = operator.index(each)
    call.options.origins = call.origins
    if output is None:
        return new_array(a.stream, a.a.dtype, a.shape)
    if isinstance(output, Array):
        return output
    return new_array(a.stream, dtype_number(output), a.shape)


def gaussian_filter(Array input not None, sigma, *, axes=None, output=None, mode="reflect", cval=0.0, truncate=4.0):
    """Smooth with a Gaussian of this sigma, one for all axes or one for each. output: an array, which may be the input itself, or
    a dtype; None: the input's. mode: what lies beyond the ends: reflect (or grid-mirror), constant (or grid-constant: cval),
    nearest, mirror, wrap (or grid-wrap). truncate: the weights end that many sigmas from the middle."""
    cdef FilterCall call
    cdef double sigmas[8]
    cdef Array out = filter_setup(&call, input, axes, mode, cval, 0, output)
    cdef const char *where = here()
    cdef yoke_status status

    call.options.origins = NULL
    call.options.truncate = truncate if truncate else 5e-324  # to the library 0 is the default
    for i, each in enumerate(for_axes(sigma, call.count, "sigma")):
        sigmas[i] = each
    input = away(out, input)
    order_streams(out.stream, [input])
    with nogil:
        status = yoke_gaussian_filter_at(where, out.stream.ptr, &out.a, &input.a, sigmas, call.axes, call.count, &call.options)
    check(status)
    order_back(out.stream, [input])
    return out


def uniform_filter(Array input not None, size=3, *, axes=None, output=None, mode="reflect", cval=0.0, origin=0):
    """The mean of a box of this size around each element, one for all axes or one for each. output, mode: as gaussian_filter;
    origin: how far the box is shifted, one for all axes or one for each."""
    cdef FilterCall call
    cdef int64_t sizes[8]
    cdef Array out = filter_setup(&call, input, axes, mode, cval, origin, output)
    cdef const char *where = here()
    cdef yoke_status status

    for i, each in enumerate(for_axes(size, call.count, "size")):
        sizes[i] = operator.index(each)
    input = away(out, input)
    order_streams(out.stream, [input])
    with nogil:
        status = yoke_box_filter_at(where, out.stream.ptr, &out.a, &input.a, sizes, call.axes, call.count, &call.options)
    check(status)
    order_back(out.stream, [input])
    return out


def sobel(Array input not None, axis=-1, *, axes=None, output=None, mode="reflect", cval=0.0):
    """Sobel's derivative along `axis`, smoothed along the others of axes (None: all). output, mode: as gaussian_filter."""
    cdef FilterCall call
    cdef Array out = filter_setup(&call, input, axes, mode, cval, 0, output)
    cdef int32_t along = axis_of(axis, input.a.dimensions)
    cdef const char *where = here()
    cdef yoke_status status

    call.options.origins = NULL
    input = away(out, input)
    order_streams(out.stream, [input])
    with nogil:
        status = yoke_sobel_filter_at(where, out.stream.ptr, &out.a, &input.a, along, call.axes, call.count, &call.options)
    check(status)
    order_back(out.stream, [input])
    return out


cdef int refuse_text(weights) except -1:
    if isinstance(weights, (str, bytes, bytearray)):
        raise TypeError(f"weights are numbers, not {shown(weights)}")
    return 0


cdef object flat_weights(weights, list shape):
    """The weights as an array of doubles; their shape is appended to `shape`."""
    if hasattr(weights, "tolist"):
        weights = weights.tolist()
    values = [weights]
    while hasattr(values[0], "__len__"):
        for each in values:
            refuse_text(each)
        rows = [tuple(each) if hasattr(each, "__len__") else () for each in values]  # C reads as many as the shape says
        extent = len(rows[0])
        if not extent:
            raise ValueError("a filter has one weight or more")
        if len(shape) == 8:  # or it has itself as an element
            raise ValueError("weights have at most 8 dimensions")
        if any([len(row) != extent for row in rows]):
            raise ValueError("the rows of the weights have different lengths")
        shape.append(extent)
        values = [value for row in rows for value in row]
    return array.array("d", values)


cdef Array weighted(bint reverse, Array input, weights, axes, output, mode, cval, origin, const char *where):
    cdef FilterCall call
    cdef int64_t extents[8]
    cdef Array out = filter_setup(&call, input, axes, mode, cval, origin, output)
    cdef double *first
    cdef yoke_status status
    cdef list shape = []
    cdef Py_buffer memory

    flat = flat_weights(weights, shape)
    if len(shape) != <Py_ssize_t>call.count:
        raise ValueError(f"weights of {len(shape)} dimensions for {call.count} axes: name the axes, as axes=(-2, -1)")
    for i, extent in enumerate(shape):
        extents[i] = extent
    input = away(out, input)
    order_streams(out.stream, [input])
    PyObject_GetBuffer(flat, &memory, PyBUF_SIMPLE)
    first = <double *>memory.buf
    with nogil:
        if reverse:
            status = yoke_convolve_at(where, out.stream.ptr, &out.a, &input.a, first, extents, call.axes, call.count,
                                      &call.options)
        else:
            status = yoke_correlate_at(where, out.stream.ptr, &out.a, &input.a, first, extents, call.axes, call.count,
                                       &call.options)
    PyBuffer_Release(&memory)
    check(status)
    order_back(out.stream, [input])
    return out


def correlate(Array input not None, weights, *, axes=None, output=None, mode="reflect", cval=0.0, origin=0):
    """Correlate 1 to 3 axes (None: all) with weights of as many dimensions: nested lists or an array of the host. output, mode: as
    gaussian_filter; origin: how far the weights are shifted, one for all axes or one for each."""
    return weighted(False, input, weights, axes, output, mode, cval, origin, here())


def convolve(Array input not None, weights, *, axes=None, output=None, mode="reflect", cval=0.0, origin=0):
    """As correlate, with the weights reversed along each axis."""
    return weighted(True, input, weights, axes, output, mode, cval, origin, here())


def separable_filter(Array input not None, weights, *, axes=None, output=None, mode="reflect", cval=0.0, origin=0):
    """Correlate each axis (None: all) with weights of its own: a list with the weights of each axis."""
    cdef FilterCall call
    cdef yoke_weights lists[8]
    cdef Py_buffer memory
    cdef Array out = filter_setup(&call, input, axes, mode, cval, origin, output)
    cdef const char *where = here()
    cdef yoke_status status

    refuse_text(weights)
    weights = tuple(weights)
    if len(weights) != <Py_ssize_t>call.count:
        raise ValueError(f"{len(weights)} lists of weights for {call.count} axes")
    kept = [flat_weights(each, []) for each in weights]
    for i, each in enumerate(kept):
        PyObject_GetBuffer(each, &memory, PyBUF_SIMPLE)
        lists[i].values, lists[i].count = <const double *>memory.buf, len(each)
        PyBuffer_Release(&memory)  # the array lives in `kept`, and nobody else has it to resize it
    input = away(out, input)
    order_streams(out.stream, [input])
    with nogil:
        status = yoke_separable_filter_at(where, out.stream.ptr, &out.a, &input.a, lists, call.axes, call.count, &call.options)
    check(status)
    order_back(out.stream, [input])
    return out


def correlate1d(Array input not None, weights, axis=-1, *, output=None, mode="reflect", cval=0.0, origin=0):
    """Correlate one axis with weights of one dimension."""
    return separable_filter(input, [weights], axes=(axis,), output=output, mode=mode, cval=cval, origin=origin)
