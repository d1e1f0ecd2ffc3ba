# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Products of matrices and vectors, by NumPy's rules for shapes; random numbers, for yoke.random, one function for each kind over an
# array that exists; Fourier transforms and convolutions by them, for yoke.fft; filters, for yoke.ndimage, with the names, modes and
# origins of scipy.ndimage, where integers are rounded to the nearest.

import array
import operator

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.string cimport memset

from .c_python cimport PyBytes_AsString
from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport c_text, check, here, shown
from .dtype cimport any_number, axis_of, dtype_names, dtype_number, F32, F64, is_integer_or_bool, plain_number, promote, U32, U64
from .array cimport above, Array
from .expression cimport assign, away, called_function, fill_vars, Function, map_arrays, MOST_VARS, new_array, order_back
from .expression cimport order_streams
from .create cimport stream_of
from .reduction cimport reduced_dtype, tell_later
from .operators cimport operand_array

from .expression import broadcast_shape
from .create import array_from


# ---- Products ----

cdef tuple product_shape(tuple a, tuple b):
    if not a or not b:
        raise ValueError("a product of matrices takes arrays of one dimension or more")
    left = a if len(a) > 1 else (1, *a)
    right = b if len(b) > 1 else (*b, 1)
    if left[-1] != right[-2]:
        raise ValueError(f"shapes {a} and {b} do not fit: {left[-1]} columns meet {right[-2]} rows")
    shape = broadcast_shape([left[:-2], right[:-2]])
    return (*shape, *([left[-2]] if len(a) > 1 else []), *([right[-1]] if len(b) > 1 else []))


cdef object product(left, right):
    """left @ right, for an Array on at least one side."""
    stream = (<Array>(left if isinstance(left, Array) else right)).stream
    left, right = operand_array("@", left, stream), operand_array("@", right, stream)
    return NotImplemented if left is NotImplemented or right is NotImplemented else matmul(left, right)


def matmul(a, b, /, out=None, *, alpha=1, beta=0, epilogue=None, tf32=False, exact=False, **variables):
    """a @ b: (…, m, k) times (…, k, n) gives (…, m, n); an array of one dimension is a vector, and the dimensions in front are a
    batch.

    out: the array for the result, which is also read where beta is not 0: out = alpha * (a @ b) + beta * out. epilogue: an
    expression of `value`, which is that result, and of the variables: matmul(x, w, epilogue="max(value + bias, 0)", bias=bias);
    or a function of these.
    tf32: float operands may be rounded where the device is then faster; exact: the same bits on every device, without a vendor's
    library.
    """
    cdef yoke_var vars[MOST_VARS]
    cdef yoke_matmul_options options
    cdef Array left, right, result
    cdef bytes text
    cdef const char *where = here()
    cdef yoke_status status
    names, arrays = [], []

    stream = (<Array>(a if isinstance(a, Array) else b)).stream if isinstance(a, Array) or isinstance(b, Array) else None
    left, right = array_from(a, stream=stream), array_from(b, stream=stream)
    shape = product_shape(left.shape, right.shape)
    if out is None and beta != 0:
        raise ValueError("beta multiplies an existing array: pass it as out")
    if is_integer_or_bool(left.a.dtype) and is_integer_or_bool(right.a.dtype):
        for name, number in (("alpha", alpha), ("beta", beta)):
            plain = plain_number(number)
            if isinstance(plain, float) and not plain.is_integer():
                raise TypeError(f"{name} is {shown(number)}, and products of integers are integers: convert one to floats first")
    result = new_array(left.stream, promote([left.a.dtype, right.a.dtype], left.stream), shape) if out is None else out
    memset(&options, 0, sizeof(options))
    options.size = sizeof(options)
    options.flags = (YOKE_MATMUL_TF32 if tf32 else 0) | (YOKE_MATMUL_EXACT if exact else 0)
    options.alpha = any_number(alpha)
    options.beta = any_number(beta)
    if epilogue is not None:
        epilogue, variables = epilogue_of(epilogue, variables, dtype_names[result.a.dtype])
        options.var_count = fill_vars(vars, variables, names, arrays)
        text = c_text(<str?>epilogue, "an expression")
        options.epilogue = PyBytes_AsString(text)
        options.vars = vars
    elif variables:
        raise TypeError(f"variables without an epilogue: {', '.join(variables)}")
    order_streams(result.stream, [left, right, *arrays])
    with nogil:
        status = yoke_matmul_at(where, result.stream.ptr, &result.a, &left.a, &right.a, &options)
    check(status)
    order_back(result.stream, [left, right, *arrays])
    return result


cdef tuple epilogue_of(epilogue, dict variables, str dtype):
    """The expression, and its variables: with the function, if it is one."""
    if not callable(epilogue):
        return epilogue, variables
    from ..kernels.lambdas import Typed, translated

    text, declaration, function = translated(epilogue, {"value": Typed(dtype), **variables}, dtype == "float64")
    return text, {**variables, "function": called_function(declaration, function)}


def dot(a, b, out=None):
    """NumPy's product of two arrays: the sum of a * b of two of one dimension, else over the last axis of `a` and the last but one
    of `b`; a number is multiplied. out: an array for the result, of its shape and dtype."""
    cdef Array result = dot_of(a, b, stream_of([a, b]))
    if out is None:
        return result
    if not isinstance(out, Array) or out.shape != result.shape or (<Array>out).a.dtype != result.a.dtype:
        raise ValueError(f"out is to be an Array of shape {result.shape} and dtype {dtype_names[result.a.dtype]}")
    assign(out, result, here())
    return out


cdef Array dot_of(a, b, stream):
    cdef Array left = array_from(a, stream=stream), right = array_from(b, stream=stream)

    if not left.a.dimensions or not right.a.dimensions:
        return left * b if isinstance(b, (int, float, complex)) else a * right  # Python's numbers have a kind, and no width
    if right.a.dimensions > 2:
        from ..linalg import tensordot

        return tensordot(left, right, axes=(-1, -2))
    if left.a.dimensions == 1 == right.a.dimensions and left.shape == right.shape:
        return dot_of_vectors(left, right)
    return matmul(left, right)


cdef Array dot_of_vectors(Array a, Array b):
    cdef Array result
    cdef const char *where = here()
    cdef yoke_status status

    dtype = promote([a.a.dtype, b.a.dtype], a.stream)
    if dtype == F64 and a.a.dtype != b.a.dtype:  # the library multiplies an integer and a float as floats
        a, b = array_from(a, "float64"), array_from(b, "float64")
    result = new_array(a.stream, reduced_dtype("sum", dtype, a.stream), ())
    order_streams(a.stream, [b])
    with nogil:
        status = yoke_dot_at(where, a.stream.ptr, &result.a, &a.a, &b.a)
    check(status)
    order_back(a.stream, [b])
    return result


above.product = product


# ---- Random numbers ----

cdef uint64_t as_position(value, str name) except? <uint64_t>-1:
    number = operator.index(value)
    if not 0 <= number < 1 << 64:
        raise ValueError(f"{name} is {shown(number)}, not a number from 0 to 2**64 - 1")
    return number


def fill_random(kind, Array out not None, a, b, seed, offset, sequence, interval):
    """Random numbers of a kind, for yoke.random: "uniform", "normal", "exponential", "integers", "permutation"."""
    cdef yoke_random_options options
    cdef uint64_t key = as_position(seed, "seed")
    cdef uint64_t first = as_position(offset, "offset")
    cdef double low = 0, high = 0
    cdef yoke_number least, most
    cdef yoke_stream *queue = out.stream.ptr
    cdef const char *where = here()
    cdef yoke_status status

    memset(&options, 0, sizeof(options))
    options.size, options.sequence, options.interval = sizeof(options), sequence, interval
    if kind == "integers":
        if b == 1 << 64 and not interval:  # which no number holds; the last integer does
            b, options.interval = b - 1, 2
        least, most = any_number(a), any_number(b)
        with nogil:
            status = yoke_random_integers_at(where, queue, &out.a, least, most, key, first, &options)
    elif kind == "permutation":
        with nogil:
            status = yoke_random_permutation_at(where, queue, &out.a, key, first, &options)
    else:
        low, high = a, b
        if kind == "uniform":
            with nogil:
                status = yoke_random_uniform_at(where, queue, &out.a, low, high, key, first, &options)
        elif kind == "normal":
            with nogil:
                status = yoke_random_normal_at(where, queue, &out.a, low, high, key, first, &options)
        elif kind == "exponential":
            with nogil:
                status = yoke_random_exponential_at(where, queue, &out.a, low, key, first, &options)
        else:
            raise ValueError(f"no such kind of random numbers: {shown(kind)}")
    check(status)
    return out


def shuffled(Array array not None, axis, seed, offset, sequence):
    """A copy with the elements along an axis in random order, for yoke.random."""
    cdef yoke_random_options options
    cdef Array result = new_array(array.stream, array.a.dtype, array.shape)
    cdef int32_t along = axis_of(axis, array.a.dimensions)
    cdef uint64_t key = as_position(seed, "seed")
    cdef uint64_t first = as_position(offset, "offset")
    cdef const char *where = here()
    cdef yoke_status status

    memset(&options, 0, sizeof(options))
    options.size, options.sequence = sizeof(options), sequence
    with nogil:
        status = yoke_random_shuffle_at(where, array.stream.ptr, &result.a, &array.a, along, key, first, &options)
    check(status)
    return result


def draw(Array out not None, declaration, text, dict parameters, seed, offset, sequence):
    """Fill an array by a function of C's, which makes the number of a position: its parameters are the seed, the sequence, the
    position and these, numbers or arrays."""
    cdef Function function = Function.__new__(Function)
    cdef uint64_t key = as_position(seed, "seed")
    cdef uint64_t first = as_position(offset, "offset")
    name = declaration.split("(")[0].split()[-1]

    function.declaration, function.text = declaration.encode(), text.encode()
    map_arrays(out.stream, f"out = {name}(seed, sequence, first + (uint64)i, {', '.join(parameters)})",
               {"out": out, name: function, "seed": (U64, key), "sequence": (U32, sequence), "first": (U64, first),
                **{each: value if isinstance(value, Array) else (F64, value) for each, value in parameters.items()}}, here())


def check_later(Array array not None, condition, text):
    """Where the condition holds for an element `x`, the stream fails with ValueError when it gets here."""
    tell_later(array.stream, condition, {"x": array}, ValueError, text)


# ---- Fourier transforms and filters ----

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


cdef dict boundaries = {"reflect": 0, "constant": 1, "nearest": 2, "mirror": 3, "wrap": 4, "grid-mirror": 0, "grid-constant": 1,
                        "grid-wrap": 4}


cdef struct FilterCall:
    int32_t axes[8]
    size_t count
    int32_t origins[8]
    yoke_filter_options options


cdef tuple for_axes(value, size_t count, str name):
    """One value for each axis, from one value for all axes or from a sequence. Only the length of the result is checked: C arrays
    are filled from the values."""
    cdef tuple values = tuple(value) if hasattr(value, "__len__") else (value,) * count
    if len(values) != <Py_ssize_t>count:
        raise ValueError(f"{name} has {len(values)} values for {count} axes")
    return values


cdef Array filter_setup(FilterCall *call, Array a, axes, mode, cval, origin, output):
    """Fill in what all filters have in common; return the output."""
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


def rank_filter(Array input not None, rank, size, bytes footprint, *, axes=None, output=None, mode="reflect", cval=0.0, origin=0):
    """The neighbour of this rank in a box of `size` elements along each axis: 0 is the smallest, -1 the largest. footprint: None,
    or bytes that say which elements of the box count. output: an array of the input's dtype; None: a new one."""
    cdef FilterCall call
    cdef int64_t sizes[8]
    cdef int64_t place = operator.index(rank)
    cdef double value = cval
    cdef const uint8_t *flags = NULL
    cdef const char *where = here()
    cdef yoke_status status
    cdef Array out

    if value != cval and cval == cval:
        raise ValueError(f"cval is {shown(cval)}, which a double does not hold")
    out = filter_setup(&call, input, axes, mode, value, origin, output)
    box = 1
    for i, each in enumerate(for_axes(size, call.count, "size")):
        sizes[i] = operator.index(each)
        box *= operator.index(each)
    if footprint is not None:
        if len(footprint) != box:
            raise ValueError(f"a footprint of {len(footprint)} elements for a box of {box}")
        flags = <const uint8_t *><const char *>footprint
    input = away(out, input)
    order_streams(out.stream, [input])
    with nogil:
        status = yoke_rank_filter_at(where, out.stream.ptr, &out.a, &input.a, place, sizes, flags, call.axes, call.count,
                                     &call.options)
    check(status)
    order_back(out.stream, [input])
    return out
