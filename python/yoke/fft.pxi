# SPDX-License-Identifier: Apache-2.0
# Fourier transforms between arrays, and convolutions by them. The module yoke.fft has numpy.fft's functions over these.

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
        status = yoke_fft_at(where, out.stream.ptr, direction, &out.a, &a.a, list, count, &options)
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
        status = yoke_fft_convolve_at(where, a.stream.ptr, overlap, &result.a, &a.a, &b.a, list, count)
    check(status)
    order_back(a.stream, [b])
    return result
