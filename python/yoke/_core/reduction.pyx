# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Reductions, quantiles and scans, and failures in a stream where a condition holds.

import math
from array import array as floats

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport check, here, shown
from .dtype cimport (
    any_number, axis_of, BF16, BOOL, dtype_names, dtype_number, F16, F32, fractions_of, I64, in_dtype, is_complex,
    is_integer_or_bool, is_unsigned, part_of, U64,
)
from .stream cimport Stream
from .array cimport above, Array
from .expression cimport (
    arrays_in, assign, assign_value, called_function, fill_expression, from_function, in_double, map_arrays, MOST_VARS, new_array,
    order_back, order_streams, value_dtype,
)

from .expression import broadcast_shape, evaluate
from .create import array_from


# ---- Reductions, scans ----

cdef dict reductions = {"sum": 1, "prod": 2, "min": 3, "max": 4, "any": 5, "all": 6, "argmin": 7, "argmax": 8, "mean": 9,
                        "var": 10, "norm": 11, "min_or_nan": 15, "max_or_nan": 16, "argmin_or_nan": 17, "argmax_or_nan": 18}
cdef tuple without_identity = tuple([number for name, number in reductions.items() if "min" in name or "max" in name])


cdef int32_t operation_of(name) except -1:
    number = reductions.get(name)
    if number is None:
        raise ValueError(f"no such reduction: {shown(name)}; there are {', '.join(reductions)}")
    return number


cdef int32_t reduced_dtype(str name, int32_t dtype, Stream stream) except -1:
    if name in ("any", "all"):
        return BOOL
    if name.startswith("arg"):
        return I64
    if name in ("sum", "prod") and is_integer_or_bool(dtype):
        return U64 if is_unsigned(dtype) else I64
    if name in ("mean", "var", "norm"):
        dtype = fractions_of(dtype, stream)
    return part_of(dtype) if name == "norm" else dtype


cdef size_t reduced_axes(axis, shape, int32_t operation, int32_t *out) except? <size_t>-1:
    """The axes of a reduction, ascending: None are all."""
    chosen = range(len(shape)) if axis is None else axis if hasattr(axis, "__iter__") else (axis,)
    chosen = sorted([axis_of(each, len(shape)) for each in chosen])
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"an axis is named twice: {shown(axis)}")
    for i, each in enumerate(chosen):
        if shape[each] == 0 and operation in without_identity:
            raise ValueError(f"a min, max, argmin or argmax of no elements: axis {each} of shape {shape}")
        out[i] = each
    return len(chosen)


cdef Array reduced_array(Stream stream, int32_t dtype, shape, const int32_t *axes, size_t count, keepdims):
    """For the result of a reduction."""
    along = {axes[i] for i in range(count)}
    return new_array(stream, dtype, [1 if i in along else extent for i, extent in enumerate(shape) if keepdims or i not in along])


cdef Array rows_of_one(Array array):
    """Each element as a row, for reductions of each alone (axis=()): to the library no axes are all."""
    return array.reshape(array.size, 1)


cdef Array reduced(name, Array array, axis, keepdims, dtype, Array out):
    """reduce."""
    cdef int32_t axes[8]
    cdef int32_t operation = operation_of(name)
    cdef size_t count = reduced_axes(axis, array.shape, operation, axes)
    cdef int32_t number = reduced_dtype(name, array.a.dtype, array.stream) if dtype is None else dtype_number(dtype)
    cdef Array result = out
    cdef yoke_status status
    cdef const char *where = here()

    if out is None:
        result = reduced_array(array.stream, number, array.shape, axes, count, keepdims)
    elif dtype is not None and number != out.a.dtype:
        raise TypeError(f"dtype is {dtype_names[number]}, and out is of {dtype_names[out.a.dtype]}")
    if count == 0 and array.a.dimensions:
        found = reduced(name, rows_of_one(array), 1, False, dtype if out is None else dtype_names[out.a.dtype], None)
        return put_into(out, found.reshape(array.shape))
    order_streams(array.stream, [result])
    with nogil:
        status = yoke_reduce_at(where, array.stream.ptr, operation, &result.a, &array.a, axes if count else NULL, count)
    check(status)
    order_back(array.stream, [result])
    return result


cdef Array reduced_from(str name, Array array, axis, keepdims, dtype, Array out, initial, where):
    """A reduction that begins with a number, None for none, and of the elements where a mask holds, True for all; NaN wins."""
    cdef Array result
    cdef int32_t axes[8]
    cdef size_t count
    if where is not True:
        array = only_where(name, array, initial, where)
    operation = f"{name}_or_nan" if name in ("min", "max") else name
    if initial is None:
        return reduced(operation, array, axis, keepdims, dtype, out)
    count = reduced_axes(axis, array.shape, 0, axes)
    if name in ("min", "max") and not math.prod([array.shape[axes[i]] for i in range(count)]):
        result = reduced_array(array.stream, array.a.dtype, array.shape, axes, count, keepdims)
        assign_value(result, first_value(result.a.dtype, initial)[1], here())
        return put_into(out, result)
    result = reduced(operation, array, axis, keepdims, dtype, out)
    map_arrays(result.stream, {"sum": "r = r + v", "prod": "r = r * v", "min": "r = v < r || v != v ? v : r",
                               "max": "r = v > r || v != v ? v : r"}[name],
               {"r": result, "v": first_value(result.a.dtype, initial)}, here())
    return result


cdef tuple first_value(int32_t dtype, initial):
    """What a reduction to this dtype begins with."""
    if is_integer_or_bool(dtype) and not hasattr(initial, "__index__"):
        raise TypeError(f"initial is {shown(initial)}, and what it is counted in of {dtype_names[dtype]}")
    return in_dtype(dtype, initial)


cdef Array put_into(Array out, Array result):
    """The result, or `out`, where there is one, which gets it."""
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out has the shape {out.shape}, and the result {result.shape}")
    assign(out, result, here())
    return out


cdef Array put_same(Array out, Array result):
    """The same for an `out` of the result's dtype."""
    if out is not None and out.a.dtype != result.a.dtype:
        raise TypeError(f"out is an Array of {dtype_names[result.a.dtype]}, not of {dtype_names[out.a.dtype]}")
    return put_into(out, result)


cdef Array mask_for(Array array, where):
    """A mask of an array's elements, or of those of a shape that is broadcast to its own."""
    cdef Array mask = array_from(where, stream=array.stream)
    if mask.a.dtype != BOOL:
        raise TypeError(f"where is a mask of bool, not of {dtype_names[mask.a.dtype]}")
    if broadcast_shape([mask.shape, array.shape]) != array.shape:
        raise ValueError(f"a mask of shape {mask.shape} for an array of shape {array.shape}")
    return mask


cdef Array only_where(str name, Array array, initial, where):
    """The array with what counts for nothing where the mask does not hold."""
    cdef Array mask = mask_for(array, where)
    if name in ("min", "max") and initial is None:
        raise ValueError(f"{name} of the elements where a mask holds, which may be none, takes initial")
    neutral = initial if name in ("min", "max") else 1 if name in ("prod", "all") else 0
    return evaluate("mask ? x : v", dtype=dtype_names[array.a.dtype], mask=mask, x=array, v=first_value(array.a.dtype, neutral))


cdef tuple sum_where(Array array, Array mask, axis, keepdims, int32_t dtype, mean):
    """Where the mask holds, the sum of the elements or, with a mean, of the squares of their distances from it, in this dtype, and
    their number in the result's."""
    text = "mask ? x : 0" if mean is None else "d = x - mean; mask ? d * d : 0"
    values = {"mask": mask, "x": array.astype(dtype_names[dtype], copy=False)}
    if mean is not None:
        values["mean"] = mean
    count = map_reduce("sum", "mask", axis, keepdims=keepdims, dtype="int64", mask=mask.broadcast_to(array.shape))
    return map_reduce("sum", text, axis, keepdims=keepdims, dtype=dtype_names[dtype], **values), count.astype(dtype_names[dtype])


cdef int32_t dtype_of_means(Array array, dtype) except -1:
    """What the mean of elements where a mask holds is computed in."""
    number = fractions_of(array.a.dtype, array.stream) if dtype is None else dtype_number(dtype)
    return F32 if number in (F16, BF16) else number


cdef Array mean_of(Array array, axis, keepdims, dtype, Array out, where):
    """The mean of the elements where a mask holds, True for all."""
    if where is True:
        return reduced("mean", array, axis, keepdims, dtype, out)
    cdef int32_t number = dtype_of_means(array, dtype)
    total, count = sum_where(array, mask_for(array, where), axis, keepdims, number, None)
    return put_into(out, (total / count).astype(dtype_names[reduced_dtype("mean", array.a.dtype, array.stream)]
                                                if dtype is None else dtype, copy=False))


cdef Array variance_where(Array array, axis, keepdims, dtype, Array out, ddof, bint root, where):
    """variance of the elements where a mask holds."""
    cdef int32_t number = dtype_of_means(array, dtype)
    if is_complex(number):
        raise TypeError(f"the variance of {dtype_names[array.a.dtype]} is that of its parts: take a.real and a.imag")
    mask = mask_for(array, where)
    total, count = sum_where(array, mask, axis, True, number, None)
    total, count = sum_where(array, mask, axis, keepdims, number, total / count)
    result = evaluate("v = n > ddof ? s / (n - ddof) : none; root ? sqrt(v) : v", dtype=dtype_names[number], s=total, n=count,
                      ddof=(number, ddof), none=(number, math.nan), root=int(root))
    return put_into(out, result.astype(dtype_names[reduced_dtype("var", array.a.dtype, array.stream)] if dtype is None else dtype,
                                       copy=False))


# ---- Combinations of one's own ----

cdef bint is_own(name):
    return callable(name) or isinstance(name, str) and name not in reductions and not name.isidentifier()


cdef tuple combination(name, int32_t dtype, initial):
    """The expression of a and b, and its variables: the function, if it is one."""
    if initial is None:
        raise TypeError("a combination of one's own takes initial, what it begins with: 0 for a sum, 1 for a product")
    first_value(dtype, initial)  # or its sentence
    if isinstance(name, str):
        return name, {}
    from ..kernels.lambdas import combined

    text, declaration, function = combined(name, dtype_names[dtype])
    return text, {"function": called_function(declaration, function)}


cdef Array reduced_with(name, Array array, axis, keepdims, dtype, Array out, initial):
    cdef yoke_var vars[MOST_VARS]
    cdef int32_t axes[8]
    cdef size_t var_count = 0, count = reduced_axes(axis, array.shape, 0, axes)
    cdef int32_t number = dtype_number(dtype) if dtype is not None else array.a.dtype if out is None else out.a.dtype
    cdef Array result = out
    cdef yoke_status status
    cdef const char *where = here()
    expression, functions = combination(name, number, initial)
    names, arrays = [], []
    cdef bytes text = fill_expression(vars, &var_count, expression, functions, names, arrays)
    cdef const char *line = text
    cdef yoke_number first = any_number(initial)

    if out is None:
        result = reduced_array(array.stream, number, array.shape, axes, count, keepdims)
    elif number != out.a.dtype:
        raise TypeError(f"dtype is {dtype_names[number]}, and out is of {dtype_names[out.a.dtype]}")
    if count == 0 and array.a.dimensions:
        found = reduced_with(name, rows_of_one(array), 1, False, dtype_names[number], None, initial)
        return put_into(out, found.reshape(array.shape))
    order_streams(array.stream, [result])
    with nogil:
        status = yoke_reduce_with_at(where, array.stream.ptr, line, &result.a, &array.a, first, vars, var_count,
                                     axes if count else NULL, count)
    check(status)
    order_back(array.stream, [result])
    return result


cdef Array scanned_with(name, Array array, int32_t axis, int32_t mode, initial):
    cdef yoke_var vars[MOST_VARS]
    cdef size_t count = 0
    cdef Array result = new_array(array.stream, array.a.dtype, array.shape)
    cdef yoke_status status
    cdef const char *where = here()
    expression, functions = combination(name, array.a.dtype, initial)
    names, arrays = [], []
    cdef bytes text = fill_expression(vars, &count, expression, functions, names, arrays)
    cdef const char *line = text
    cdef yoke_number first = any_number(initial)

    with nogil:
        status = yoke_scan_with_at(where, array.stream.ptr, line, mode, &result.a, &array.a, first, vars, count, axis)
    check(status)
    return result


def reduce(name, Array array not None, axis=None, *, keepdims=False, dtype=None, Array out=None, initial=None):
    """A reduction by its name, along axis: None for all, an int, or a tuple. "min", "max", "argmin" and "argmax" leave NaN out
    where there is another number; "min_or_nan", … do not, and the methods are these. dtype: of the result; sums to float64 are
    added as such. out: an array for the result. initial: what "sum" and "prod" begin with.

    Or by a combination of one's own: a function of two values, lambda or @yoke.function, or an expression of `a` and `b`, with
    what it begins with: reduce(lambda a, b: a * b % 10007, x, initial=1). Elements are combined in any order, but the same on
    every device; they have the dtype of the result, which is the array's unless dtype says so. KernelError shows a mistake in a
    function, InvalidArgumentError one in an expression."""
    if is_own(name):
        return reduced_with(name, array, axis, keepdims, dtype, out, initial)
    if initial is None:
        return reduced(name, array, axis, keepdims, dtype, out)
    if name not in ("sum", "prod"):
        raise TypeError(f"initial goes with sum, prod and functions, not with {shown(name)}; the methods min and max take it")
    return reduced_from(name, array, axis, keepdims, dtype, out, initial, True)




cdef Array variance(Array array, axis, keepdims, dtype, Array out, ddof, bint root, where):
    """The variance, divided by n - ddof, or its square root, of the elements where a mask holds, True for all."""
    if where is not True:
        return variance_where(array, axis, keepdims, dtype, out, ddof, root, where)
    cdef Array result = reduced("var", array, axis, keepdims, dtype, out)
    text = "c = "
    text += "sqrt(c * k)" if root and ddof else "sqrt(c)" if root else "c * k"
    if not root and not ddof:
        return result
    values = {"c": result}
    if ddof:
        n = array.size // result.size if result.size else 0
        values["k"] = (result.a.dtype, n / (n - ddof) if n > ddof else math.nan)
    map_arrays(result.stream, text, values, here())
    return result


def map_reduce(name, expression, /, axis=None, *, keepdims=False, dtype=None, stream=None, **variables):
    """As reduce, of the values of an expression, which are not stored: map_reduce("sum", "(x - y) * (x - y)", axis=1, x=x, y=y).
    The arrays are broadcast to each other. dtype: of the values, as in evaluate. InvalidArgumentError shows a mistake in the
    expression with a caret."""
    cdef yoke_var vars[MOST_VARS]
    cdef int32_t axes[8]
    cdef int32_t operation = operation_of(name)
    cdef size_t var_count = 0, count
    cdef Array result
    cdef Stream order
    cdef yoke_status status
    cdef const char *where = here()
    expression, variables = from_function(expression, variables)
    names, arrays = [], []
    cdef bytes text = fill_expression(vars, &var_count, expression, in_double(expression, variables), names, arrays)
    cdef const char *line = text

    operands = arrays_in(variables)
    shape = broadcast_shape([each.shape for each in operands])
    count = reduced_axes(axis, shape, operation, axes)
    if count == 0 and shape:  # to the library no axes are all
        return reduce(name, evaluate(expression, dtype, stream=stream, **variables), axis, keepdims=keepdims)
    order = (<Array>operands[0]).stream if stream is None else stream
    number = reduced_dtype(name, value_dtype(dtype, expression, variables), order)
    result = reduced_array(order, number, shape, axes, count, keepdims)
    order_streams(order, arrays)
    with nogil:
        status = yoke_map_reduce_at(where, order.ptr, operation, &result.a, line, vars, var_count, axes if count else NULL, count)
    check(status)
    order_back(order, arrays)
    return result


# By NumPy's names, in the order of YOKE_QUANTILE_LINEAR and those behind it; and those that give an element.
cdef list quantile_methods = [
    "linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
    "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased",
]
cdef tuple picking_methods = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")


cdef object parts_of(q):
    """The parts that q names, as an array of doubles."""
    try:
        if isinstance(q, (bytes, bytearray)) or isinstance(q, memoryview) and q.format not in ("f", "d"):
            raise TypeError("bytes are no parts")  # which an array of doubles takes as its memory
        return floats("d", list(q) if hasattr(q, "__iter__") else [q])
    except TypeError:
        raise TypeError(f"q is a number from 0 to 1, or a sequence of them in one dimension, not {shown(q)}") from None


def quantile(array, q, axis=None, *, method="linear", keepdims=False, dtype=None):
    """The values below which a part q (0 to 1) of the elements lies, along an axis, a tuple of axes, or all (None); of a sequence
    of q along a new first axis. method: where a quantile lies between elements, by NumPy's names. NaN where an element is NaN, or
    there is none, which is ValueError for integers. dtype: of the result, to which it is converted as by astype (integers wrap);
    without it that of the elements, or that of their means. By selection, not by a sort."""
    cdef Array given = array_from(array)
    cdef Array result
    cdef int32_t axes[8]
    cdef size_t axis_count = reduced_axes(axis, given.shape, 0, axes), count
    cdef int32_t number, kind
    cdef Py_buffer memory
    cdef const double *first
    cdef const char *where = here()
    cdef yoke_status status

    if method not in quantile_methods:
        raise ValueError(f"method is one of {', '.join(quantile_methods)}, not {shown(method)}")
    if is_complex(given.a.dtype):
        raise TypeError("complex numbers have no order: quantile is not for them")
    kind = quantile_methods.index(method)
    q = q.tolist() if hasattr(q, "ndim") and not isinstance(q, memoryview) else q  # of no axes it is one number
    single = not hasattr(q, "__iter__")
    parts = parts_of(q)
    if not all([0 <= part <= 1 for part in parts]):
        raise ValueError(f"q is from 0 to 1, not {shown(q)}")
    number = (given.a.dtype if method in picking_methods else fractions_of(given.a.dtype, given.stream)) if dtype is None \
        else dtype_number(dtype)
    count = len(parts)
    if axis_count == 0 and given.a.dimensions:
        found = quantile(rows_of_one(given), parts, 1, method=method, dtype=dtype)
        return found.reshape(given.shape if single else (count, *given.shape))
    result = reduced_array(given.stream, number, given.shape, axes, axis_count, keepdims)
    if not single:
        result = new_array(given.stream, number, (count, *result.shape))
    PyObject_GetBuffer(parts, &memory, PyBUF_SIMPLE)
    first = <const double *>memory.buf
    with nogil:
        status = yoke_quantile_at(where, given.stream.ptr, kind, &result.a, &given.a, first, count, axes if axis_count else NULL,
                                  axis_count)
    PyBuffer_Release(&memory)
    check(status)
    return result


def scan(name, array, axis=None, *, exclusive=False, initial=None):
    """"sum", "prod", "min" or "max" of all elements up to each, along axis; None: of the flattened array. exclusive: of those
    before each, so that the first is the value for no elements.

    Or by a combination of one's own, as in reduce, with what each row begins with: scan(lambda a, b: b if b != 0 else a, x,
    initial=-1). It is given what comes before, and what comes behind."""
    cdef int32_t mode = 1 if exclusive else 0
    cdef Array source = array_from(array)
    source = source.reshape(-1) if axis is None else source
    cdef int32_t along = axis_of(0 if axis is None else axis, source.a.dimensions)
    if is_own(name):
        return scanned_with(name, source, along, mode, initial)
    if initial is not None:
        raise TypeError("initial goes with a combination of one's own: add it to the result")
    if name not in ("sum", "prod", "min", "max"):
        raise ValueError(f"a scan is of sum, prod, min or max, not of {shown(name)}")
    cdef int32_t operation = operation_of(name)
    cdef Array result = new_array(source.stream, reduced_dtype(name, source.a.dtype, source.stream), source.shape)
    cdef const char *where = here()
    cdef yoke_status status

    with nogil:
        status = yoke_scan_at(where, source.stream.ptr, operation, mode, &result.a, &source.a, along)
    check(status)
    return result


cdef Array accumulate(str name, Array array, axis, dtype, Array out):
    """A scan in a dtype, and into an array that is there."""
    cdef Array result = scan(name, array if dtype is None else array.astype(dtype), axis)
    if dtype is not None and result.a.dtype != dtype_number(dtype):
        result = result.astype(dtype)
    if out is not None and dtype is not None and out.a.dtype != result.a.dtype:
        raise TypeError(f"dtype is {dtype_names[result.a.dtype]}, and out is of {dtype_names[out.a.dtype]}")
    return put_into(out, result)


def cumsum(array, axis=None, dtype=None, out=None):
    """The sums of all elements up to each, along an axis; None: of the flattened array. dtype: that it is added in."""
    return accumulate("sum", array_from(array), axis, dtype, out)


def cumprod(array, axis=None, dtype=None, out=None):
    """The products of all elements up to each, as cumsum."""
    return accumulate("prod", array_from(array), axis, dtype, out)


cdef int tell_later(Stream stream, str condition, dict values, kind, str text) except -1:
    """Where the condition holds for an element, which nothing waits for, the stream fails with an exception of this kind and text
    when it gets here."""
    cdef Array flag = map_reduce("any", condition, stream=stream, **values)
    room = bytearray(1)
    stream.read(room, flag.buffer, blocking=False)
    stream.call(raise_where, room, kind, text)
    return 0


def raise_where(flag, kind, text):
    """The end of tell_later, in the stream's order."""
    if flag[0]:
        raise kind(text)


above.reduced = reduced
above.reduced_from = reduced_from
above.put_same = put_same
above.mean = mean_of
above.variance = variance
above.accumulate = accumulate
