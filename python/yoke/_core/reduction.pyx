# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Reductions, scans, sorting, and elements at positions.

import math

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport check, here, shown
from .dtype cimport axis_of, BOOL, C64, dtype_names, dtype_number, F16, F32, F64, fractions_of, I64, U64
from .stream cimport Stream
from .array cimport above, Array
from .expression cimport (
    arrays_in, assign, fill_expression, in_double, map_arrays, MOST_VARS, new_array, order_back, order_streams, value_dtype,
    with_last,
)

from .expression import broadcast_shape, evaluate
from .create import array_from


# ---- Reductions, scans, order ----

cdef dict reductions = {"sum": 1, "prod": 2, "min": 3, "max": 4, "any": 5, "all": 6, "argmin": 7, "argmax": 8, "mean": 9,
                        "var": 10, "norm": 11}


cdef int32_t operation_of(name) except -1:
    number = reductions.get(name)
    if number is None:
        raise ValueError(f"no such reduction: {shown(name)}; there are {', '.join(reductions)}")
    return number


cdef int32_t reduced_dtype(str name, int32_t dtype, Stream stream) except -1:
    if name in ("any", "all"):
        return BOOL
    if name in ("argmin", "argmax"):
        return I64
    if name in ("sum", "prod") and dtype < F16:
        return U64 if dtype in (3, 5, 7, 9) else I64
    if name in ("mean", "var", "norm") and dtype < F16:
        return fractions_of(dtype, stream)
    return (F32 if dtype == C64 else F64) if name == "norm" and dtype >= C64 else dtype


cdef size_t reduced_axes(axis, shape, int32_t operation, int32_t *out) except? <size_t>-1:
    """The axes of a reduction, ascending: None are all."""
    chosen = range(len(shape)) if axis is None else axis if hasattr(axis, "__iter__") else (axis,)
    chosen = sorted([axis_of(each, len(shape)) for each in chosen])
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"an axis is named twice: {shown(axis)}")
    for i, each in enumerate(chosen):
        if shape[each] == 0 and operation in (3, 4, 7, 8):
            raise ValueError(f"a min, max, argmin or argmax of no elements: axis {each} of shape {shape}")
        out[i] = each
    return len(chosen)


cdef Array reduced_array(Stream stream, int32_t dtype, shape, const int32_t *axes, size_t count, keepdims):
    """For the result of a reduction."""
    along = {axes[i] for i in range(count)}
    return new_array(stream, dtype, [1 if i in along else extent for i, extent in enumerate(shape) if keepdims or i not in along])


cdef Array reduced(name, Array array, axis, keepdims, dtype, Array out):
    """reduce."""
    cdef int32_t axes[8]
    cdef int32_t operation = operation_of(name)
    cdef size_t count = reduced_axes(axis, array.shape, operation, axes)
    cdef yoke_array source = array.a
    cdef int32_t number = reduced_dtype(name, source.dtype, array.stream) if dtype is None else dtype_number(dtype)
    cdef Array result = out
    cdef yoke_status status
    cdef const char *where = here()

    if out is None:
        result = reduced_array(array.stream, number, array.shape, axes, count, keepdims)
    elif dtype is not None and number != out.a.dtype:
        raise TypeError(f"dtype is {dtype_names[number]}, and out is of {dtype_names[out.a.dtype]}")
    if count == 0 and source.dimensions:  # of each element alone: to the library no axes are all
        axes[0], count = source.dimensions, 1
        source = yoke_array_expand(source, source.dimensions)
    order_streams(array.stream, [result])
    with nogil:
        status = yoke_reduce_at(where, array.stream.ptr, operation, &result.a, &source, axes if count else NULL, count)
    check(status)
    order_back(array.stream, [result])
    return result


def reduce(name, Array array not None, axis=None, *, keepdims=False, dtype=None, Array out=None):
    """A reduction by its name, along axis: None for all, an int, or a tuple. dtype: of the result; sums to float64 are added as
    such. out: an array for the result."""
    return reduced(name, array, axis, keepdims, dtype, out)


cdef Array variance(Array array, axis, keepdims, dtype, Array out, ddof, bint root):
    """The variance, divided by n - ddof, or its square root."""
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


def scan(name, Array array not None, axis=None, *, exclusive=False):
    """"sum", "prod", "min" or "max" of all elements up to each, along axis; None: of the flattened array. exclusive: of those
    before each, so that the first is the value for no elements."""
    cdef int32_t mode = 1 if exclusive else 0
    if name not in ("sum", "prod", "min", "max"):
        raise ValueError(f"a scan is of sum, prod, min or max, not of {shown(name)}")
    cdef Array source = array.reshape(-1) if axis is None else array
    cdef int32_t along = axis_of(0 if axis is None else axis, source.a.dimensions)
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
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out has the shape {out.shape}, and the result {result.shape}")
    if dtype is not None and out.a.dtype != result.a.dtype:
        raise TypeError(f"dtype is {dtype_names[result.a.dtype]}, and out is of {dtype_names[out.a.dtype]}")
    assign(out, result, here())
    return out


def cumsum(array, axis=None, dtype=None, out=None):
    """The sums of all elements up to each, along an axis; None: of the flattened array. dtype: that it is added in."""
    return accumulate("sum", array_from(array), axis, dtype, out)


def cumprod(array, axis=None, dtype=None, out=None):
    """The products of all elements up to each, as cumsum."""
    return accumulate("prod", array_from(array), axis, dtype, out)


cdef int sort_along(Array array, axis, descending) except -1:
    """Sort in place along an axis: along another than the last one, a copy is sorted whose last it is."""
    cdef int32_t along = axis_of(axis, array.a.dimensions)
    if along == array.a.dimensions - 1:
        sort_in_place(array, descending=descending)
        return 0
    view = with_last(array, along)
    sorted_ = view.copy()
    sort_in_place(sorted_, descending=descending)
    return assign(view, sorted_, here())


def sort(array, axis=-1, *, descending=False, stable=True):
    """A sorted copy, along an axis; None: of the flattened array. Stable, also where stable=False would do without; NaN last."""
    given = array_from(array)
    result = given.reshape(-1).copy() if axis is None else given.copy()
    sort_along(result, -1 if axis is None else axis, descending)
    return result


def sort_in_place(Array keys not None, Array values=None, *, descending=False):
    """Sort along the last axis, stable; NaN last. values: an array of the same shape that moves with the keys."""
    cdef const char *where = here()
    cdef int32_t order = 1 if descending else 0
    cdef yoke_array *moved = NULL if values is None else &values.a
    cdef yoke_status status

    if values is not None:
        order_streams(keys.stream, [values])
    with nogil:
        status = yoke_sort_at(where, keys.stream.ptr, order, &keys.a, moved)
    check(status)
    if values is not None:
        order_back(keys.stream, [values])


cdef Array sorting(Array array, axis, descending):
    """argsort."""
    cdef Array keys = array.reshape(-1) if axis is None else array
    cdef int32_t along = axis_of(-1 if axis is None else axis, keys.a.dimensions)
    if along != keys.a.dimensions - 1:
        return with_last(sorting(with_last(keys, along), -1, descending), along)
    cdef Array result = new_array(keys.stream, I64, keys.shape)
    cdef const char *where = here()
    cdef int32_t order = 1 if descending else 0
    cdef yoke_status status

    with nogil:
        status = yoke_argsort_at(where, keys.stream.ptr, order, &result.a, &keys.a)
    check(status)
    return result


def argsort(array, axis=-1, *, descending=False, stable=True):
    """The indices, int64, that would sort along an axis; None: the flattened array. Stable, as sort."""
    return sorting(array_from(array), axis, descending)


cdef Array gather(Array array, Array positions, int32_t along):
    """The elements at positions of one dimension along an axis; 0 for one that is not there."""
    cdef Array result
    cdef const char *where = here()
    cdef yoke_status status

    shape = list(array.shape)
    shape[along] = positions.size
    result = new_array(array.stream, array.a.dtype, shape)
    order_streams(array.stream, [positions])
    with nogil:
        status = yoke_gather_at(where, array.stream.ptr, &result.a, &array.a, &positions.a, along)
    check(status)
    order_back(array.stream, [positions])
    return result


cdef Array compress(Array array, Array flags):
    """The elements whose flag is set; waits for their number."""
    cdef Array result = new_array(array.stream, array.a.dtype, array.shape)
    cdef Array count = new_array(array.stream, I64, ())
    cdef const char *where = here()
    cdef yoke_status status

    order_streams(array.stream, [flags])
    with nogil:
        status = yoke_select_at(where, array.stream.ptr, &result.a, &count.a, &array.a, &flags.a)
    check(status)
    order_back(array.stream, [flags])
    return result[:count.item()]


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
above.variance = variance
above.accumulate = accumulate
above.sort_along = sort_along
above.sorting = sorting
