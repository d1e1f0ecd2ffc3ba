# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Operations on arrays whose results are reordered or chosen elements, positions or counts: sort, search, unique, gather, scatter,
# histograms, segments.

import math
import operator

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport check, here, shown
from .dtype cimport (
    any_number, axis_of, BOOL, dtype_names, F32, F64, fits, fractions_of, I64, in_dtype, integer_number, is_complex, is_floating,
    is_integer, is_integer_or_bool, number_of, plain_number, promote, weak,
)
from .stream cimport Stream
from .array cimport above, Array
from .expression cimport (
    arrays_in, assign, fill_expression, from_function, in_double, is_sequence, map_arrays, MOST_VARS, new_array, order_back,
    order_streams, value_dtype, with_last,
)
from .create cimport stream_of
from .reduction cimport operation_of, reduced_dtype, tell_later

from .expression import broadcast_shape, evaluate
from .create import array_from, empty
from .reduction import map_reduce


cdef Array clip_to_arrays(Array array, low, high):
    """clip where a limit is an array; NaN wins, in the elements as in the limits."""
    cdef list operands = [array]
    for each in (low, high):
        if each is not None:
            operands.append(array_from(each, stream=array.stream) if is_sequence(each) else each)
    dtype = promote([(<Array>each).a.dtype for each in operands if isinstance(each, Array)], array.stream)
    for each in operands:
        if not isinstance(each, Array):
            dtype = weak(dtype, each, array.stream)
    if is_complex(dtype):
        raise TypeError("complex numbers have no order: clip is not for them")
    result = new_array(array.stream, dtype, broadcast_shape([each.shape for each in operands if isinstance(each, Array)]))
    # In one dtype, since C compares integers with and without a sign in another way.
    converted = [array_from(each, dtype_names[dtype]) if isinstance(each, Array) else in_dtype(dtype, each) for each in operands]
    values, text = {"result": result, "x": converted[0]}, "r = x; "
    if low is not None:
        values["low"] = converted[1]
        text = "r = x < low || low != low ? low : x; "
    if high is not None:
        values["high"] = converted[-1]
        text += "r > high || high != high ? high : "
    map_arrays(array.stream, text.replace("; ", "; result = ") + "r", values, here())
    return result


cdef Array clipped(Array array, low, high):
    """clip; of bools by integers as of integers."""
    if array.a.dtype == BOOL and not all([each is None or isinstance(each, (bool, Array)) for each in (low, high)]):
        return clipped(array.astype("int64"), low, high)
    if isinstance(low, Array) or isinstance(high, Array) or is_sequence(low) or is_sequence(high):
        return clip_to_arrays(array, low, high)
    cdef Array result = new_array(array.stream, array.a.dtype, array.shape)
    low, high = -math.inf if low is None else plain_number(low), math.inf if high is None else plain_number(high)
    if low != low or high != high:
        raise ValueError("a limit is NaN")
    cdef yoke_number least = limit_of(array.a.dtype, high if high < low else low, math.ceil)
    cdef yoke_number most = limit_of(array.a.dtype, high, math.floor)
    cdef const char *where = here()
    cdef yoke_status status

    with nogil:
        status = yoke_clamp_at(where, array.stream.ptr, &result.a, &array.a, least, most)
    check(status)
    return result


def clip(a, min=None, max=None):
    """The elements, limited to min … max, and to max where min is greater than max. None is no limit; NaN stays NaN. A limit is a
    number, or an array, which is broadcast."""
    return clipped(array_from(a, stream=stream_of([min, max])), min, max)


cdef yoke_number limit_of(int32_t dtype, value, whole) except *:
    """A limit of clip. Among integers it is a whole number within it; one that 64 bits do not hold is the end that they have."""
    if is_integer_or_bool(dtype) and (isinstance(value, int) or math.isfinite(value)):
        return integer_number(max(-(1 << 63), min(whole(value), (1 << 64) - 1)))
    return number_of(F64, value)


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


cdef tuple sorts = (None, "quicksort", "mergesort", "heapsort", "stable")  # NumPy's names, of which all are one here


cdef int check_sort(kind, order, stable) except -1:
    """What NumPy's sorts take beside an axis."""
    if kind is not None and not isinstance(kind, str):
        raise TypeError(f"kind is a text, as \"stable\", not {shown(kind)}: descending=True is said by name")
    if kind not in sorts:
        raise ValueError(f"kind is one of {', '.join(sorts[1:])}, all of which are stable here, not {shown(kind)}")
    if order is not None:
        raise TypeError("order names fields, which arrays do not have")
    if kind is not None and stable is not None:
        raise ValueError("kind and stable both say how to sort: name one of them")
    return 0


cdef Array keys_of(Array array, key):
    """What a function of an element makes of each."""
    if not callable(key):
        raise TypeError(f"key is a function of an element, not {type(key).__name__}")
    code = getattr(key, "__code__", None) or getattr(getattr(key, "function", None), "__code__", None)
    if code is None or code.co_argcount != 1:
        raise TypeError("key is a lambda or a @yoke.function of one element")
    return evaluate(key, **{code.co_varnames[0]: array})


def sort(array, axis=-1, *, descending=False, stable=True, key=None):
    """A sorted copy, along an axis; None: of the flattened array. Stable, also where stable=False would do without; NaN last.
    key: a function of an element, whose values decide, as of Python's sorted: sort(x, key=lambda v: abs(v))."""
    given = array_from(array)
    if key is not None:
        from .._positions import take_along_axis

        return take_along_axis(given, sorting(keys_of(given, key), axis, descending), axis)
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
    cdef Array keys = array.reshape(-1) if axis is None or not array.a.dimensions else array  # without axes as of one element
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


def argsort(array, axis=-1, *, descending=False, stable=True, key=None):
    """The indices, int64, that would sort along an axis; None: the flattened array. Stable, and with a key, as sort."""
    given = array_from(array)
    return sorting(given if key is None else keys_of(given, key), axis, descending)


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


def topk(array, k, *, axis=-1, largest=True):
    """The k largest elements along an axis, in descending order, and their positions, int64; or the k smallest, ascending. NaN is
    last in both orders."""
    cdef Array values, indices
    cdef Array given = array_from(array)
    cdef int32_t along
    cdef int32_t order = 1 if largest else 0
    cdef const char *where = here()
    cdef yoke_status status

    k = operator.index(k)
    if not given.a.dimensions:
        raise ValueError("topk takes an array of one dimension or more")
    along = axis_of(axis, given.a.dimensions)
    if along != given.a.dimensions - 1:
        return tuple([with_last(each, along) for each in topk(with_last(given, along), k, largest=largest)])
    if not 0 <= k <= given.shape[-1]:
        raise ValueError(f"k is {shown(k)}, and the axis has {given.shape[-1]} elements")
    values = new_array(given.stream, given.a.dtype, (*given.shape[:-1], k))
    indices = new_array(given.stream, I64, (*given.shape[:-1], k))
    with nogil:
        status = yoke_top_k_at(where, given.stream.ptr, order, &values.a, &indices.a, &given.a)
    check(status)
    return values, indices


def searchsorted(ascending, values, side="left"):
    """Where values belong in an ascending array of one dimension, int64: before equal elements ("left") or behind them
    ("right")."""
    cdef Array array = array_from(ascending, stream=stream_of([values]))
    cdef Array queries, result
    cdef int32_t behind
    cdef const char *where = here()
    cdef yoke_status status

    if side not in ("left", "right"):
        raise ValueError(f"side is \"left\" or \"right\", not {shown(side)}")
    behind = 1 if side == "right" else 0
    queries, array = beside(values, array)
    result = new_array(array.stream, I64, queries.shape)
    order_streams(array.stream, [queries])
    with nogil:
        status = yoke_searchsorted_at(where, array.stream.ptr, behind, &result.a, &array.a, &queries.a)
    check(status)
    order_back(array.stream, [queries])
    return result


cdef tuple beside(values, Array array):
    """Values that elements are compared with, and the elements, in one dtype that holds both: that of floating-point elements
    beside Python's floats, and double for fractions beside integers of 32 bits or more, where the device has it."""
    cdef Array others
    cdef int32_t common = array.a.dtype
    if not is_integer_or_bool(common):
        others = array_from(values, stream=array.stream)
        if is_integer(others.a.dtype) or is_complex(others.a.dtype) or hasattr(values, "dtype"):
            common = promote([common, others.a.dtype], array.stream)
        return array_from(values, dtype_names[common], array.stream), array_from(array, dtype_names[common])
    if is_integer(common) and (isinstance(values, (list, tuple, range, int)) or hasattr(values, "__array_interface__")):
        import numpy

        host = numpy.asarray(values)
        if host.dtype.kind in "iu" and host.size and fits(common, int(host.min())) and fits(common, int(host.max())):
            return array_from(host, dtype_names[common], array.stream), array
    others = array_from(values, stream=array.stream)
    common = promote([common, others.a.dtype], array.stream)
    if is_floating(common):
        common = F64 if F64 in (common, fractions_of(array.a.dtype, array.stream)) else F32
    return array_from(values, dtype_names[common], array.stream), array_from(array, dtype_names[common])


def unique(array, *, return_counts=False):
    """The sorted values, each once, of the flattened array; with return_counts also how often each is there, int64. Waits for
    their number."""
    cdef Array keys = array_from(array).reshape(-1).copy()
    cdef Array result = new_array(keys.stream, keys.a.dtype, keys.shape)
    cdef Array starts = new_array(keys.stream, I64, keys.shape)
    cdef Array count = new_array(keys.stream, I64, ())
    cdef const char *where = here()
    cdef yoke_status status

    sort_in_place(keys)
    with nogil:
        status = yoke_unique_at(where, keys.stream.ptr, &result.a, &starts.a, &count.a, &keys.a)
    check(status)
    number = count.item()
    if not return_counts:
        return result[:number]
    ends = empty(number, "int64", stream=keys.stream)
    if number:
        ends[:-1] = starts[1:number]
        ends[-1:] = keys.size
    return result[:number], ends - starts[:number]


def select_where(Array array not None, expression, /, **variables):
    """The elements where an expression is true, in their order; waits for their number: select_where(a, "x > limit", x=a,
    limit=2.0). The arrays among the variables are broadcast to the shape of `array`. InvalidArgumentError shows a mistake
    in the expression with a caret."""
    cdef yoke_var vars[MOST_VARS]
    cdef size_t var_count = 0
    cdef Array result = new_array(array.stream, array.a.dtype, array.shape)
    cdef Array count = new_array(array.stream, I64, ())
    cdef const char *where = here()
    cdef yoke_status status
    expression, variables = from_function(expression, variables)
    names, arrays = [], []
    cdef bytes text = fill_expression(vars, &var_count, expression, in_double(expression, variables), names, arrays)
    cdef const char *line = text

    order_streams(array.stream, arrays)
    with nogil:
        status = yoke_select_where_at(where, array.stream.ptr, &result.a, &count.a, &array.a, line, vars, var_count)
    check(status)
    order_back(array.stream, arrays)
    return result[:count.item()]


def partition_by(Array array not None, Array flags not None):
    """All elements of an array of one dimension, first those whose flag is not 0, then the others, both in their order; and how
    many were flagged, an int64 array without axes."""
    cdef Array result = new_array(array.stream, array.a.dtype, array.shape)
    cdef Array count = new_array(array.stream, I64, ())
    cdef const char *where = here()
    cdef yoke_status status

    order_streams(array.stream, [flags])
    with nogil:
        status = yoke_partition_at(where, array.stream.ptr, &result.a, &count.a, &array.a, &flags.a)
    check(status)
    order_back(array.stream, [flags])
    return result, count


# ---- Histograms ----

cdef Array sums_for(Array array, Array weights, size):
    """The bins for `size` counts, or for sums of weights."""
    return new_array(array.stream, I64 if weights is None else reduced_dtype("sum", weights.a.dtype, weights.stream), size)


cdef int32_t edges_dtype(Array array):
    """The dtype for the edges of equal bins: floats that hold the array's values, where the device has such floats."""
    return fractions_of(array.a.dtype, array.stream)


cdef Array weights_for(Array array, weights):
    """The weights of an array's elements, of the same shape; or None."""
    if weights is None:
        return None
    weights = array_from(weights, stream=array.stream)
    if weights.shape != array.shape:
        raise ValueError(f"weights of shape {weights.shape} for an array of shape {array.shape}")
    return weights


cdef tuple range_of_elements(Array array):
    """The smallest and the largest element, which this waits for."""
    if not array.size:
        return 0, 1
    first, last = array.min(), array.max()
    unordered = map_reduce("any", "x != x", x=array) if is_floating(array.a.dtype) else None
    if unordered is not None and (unordered.item() or not math.isfinite(first.item()) or not math.isfinite(last.item())):
        raise ValueError(f"the elements are not finite, from {first.item()} to {last.item()}"
                         f"{', and some NaN' if unordered.item() else ''}: name the range")
    return first.item(), last.item()


def histogram(a, bins=10, range=None, *, weights=None):
    """Counts (int64, or sums of the weights) of elements in bins, and the bins' edges, both arrays. bins: how many of equal width
    within range, (low, high), which is the elements' own where None (that waits for them, and NaN or an infinity is ValueError);
    or an array of ascending edges. Elements outside, and NaN, are in no bin. The edges of integers of 32 and 64 bits are float64,
    where the device has it, and of shorter ones float32. ValueError: the edges do not ascend; where they are on the device, the
    stream fails with it."""
    cdef Array array = array_from(a, stream=stream_of([bins, weights]))
    cdef Array edges, counts, added
    cdef yoke_array *more = NULL
    cdef yoke_number low, high
    cdef const char *where = here()
    cdef yoke_status status

    added = weights_for(array, weights)
    others = [] if added is None else [added]
    if added is not None:
        more = &added.a
    if hasattr(bins, "__len__"):
        if not isinstance(bins, Array) and any([after < edge for edge, after in zip(bins, bins[1:])]):
            raise ValueError("the edges do not ascend")
        edges, array = beside(bins, array)
        if edges.a.dimensions != 1 or edges.size < 2:
            raise ValueError(f"edges are an array of one dimension and two elements or more, not of shape {edges.shape}")
        if isinstance(bins, Array):
            tell_later(array.stream, "after < edge", {"after": edges[1:], "edge": edges[:-1]}, ValueError,
                       "the edges do not ascend")
        counts = sums_for(array, added, edges.size - 1)
        order_streams(array.stream, [edges, *others])
        with nogil:
            status = yoke_histogram_edges_at(where, array.stream.ptr, &counts.a, &array.a, &edges.a, more)
        check(status)
        order_back(array.stream, [edges, *others])
        return counts, edges
    bins = operator.index(bins)
    if bins < 1:
        raise ValueError(f"bins is {shown(bins)}: one bin or more is wanted")
    if range is None:
        range = range_of_elements(array)
    first, last = range
    if not (math.isfinite(first) and math.isfinite(last) and first <= last):
        raise ValueError(f"the range is two finite numbers that ascend, not {shown((first, last))}")
    if first == last:
        first, last = first - 0.5, last + 0.5
        array = array.astype(dtype_names[edges_dtype(array)])  # integers and such a range do not go together as float
    counts = sums_for(array, added, bins)
    low, high = any_number(first), any_number(last)
    order_streams(array.stream, others)
    with nogil:
        status = yoke_histogram_at(where, array.stream.ptr, &counts.a, &array.a, low, high, more)
    check(status)
    order_back(array.stream, others)
    edges = array_from([first + (last - first) * i / bins for i in range_of(bins + 1)],
                      dtype=dtype_names[edges_dtype(array)], stream=array.stream)
    return counts, edges


def bincount(x, weights=None, minlength=0, *, length=None):
    """The number of times that each integer from 0 occurs (int64), or the sums of the weights at its places. There is one bin more
    than the largest element, or minlength bins if that is more; this waits for the elements. ValueError: an element is negative.
    With `length` there are `length` bins, nothing waits, and elements outside the bins are not counted."""
    cdef Array array = array_from(x, stream=stream_of([weights]))
    cdef Array added = weights_for(array, weights)
    cdef Array counts
    cdef yoke_array *more = NULL
    cdef const char *where = here()
    cdef yoke_status status

    if length is None:
        least, most = (array.min(), array.max()) if array.size else (None, None)
        if least is not None and least.item() < 0:
            raise ValueError(f"the element {least.item()} is negative, and bins count from 0")
        if operator.index(minlength) < 0:
            raise ValueError(f"minlength is {shown(minlength)}, and is not negative")
        length = max(minlength, 0 if most is None else most.item() + 1)
    counts = sums_for(array, added, length)
    if not length and is_integer(array.a.dtype):  # the library takes one bin or more
        return counts
    others = []
    if added is not None:
        more = &added.a
        others = [added]
    order_streams(array.stream, others)
    with nogil:
        status = yoke_bincount_at(where, array.stream.ptr, &counts.a, &array.a, more)
    check(status)
    order_back(array.stream, others)
    return counts


# ---- Moves and segments ----

def scatter(Array out not None, Array indices not None, values, axis=0, *, add=False):
    """Put element i of values, along an axis, at indices[i] of that axis of `out`, or add it to what is there. Of several for one
    place the last is kept. An index out of range, as any below 0, is left out."""
    cdef Array source = array_from(values, dtype=dtype_names[out.a.dtype], stream=out.stream)
    cdef int32_t along = axis_of(axis, out.a.dimensions)
    cdef int32_t mode = 1 if add else 0
    cdef const char *where = here()
    cdef yoke_status status

    order_streams(out.stream, [indices, source])
    with nogil:
        status = yoke_scatter_at(where, out.stream.ptr, mode, &out.a, &source.a, &indices.a, along)
    check(status)
    order_back(out.stream, [indices, source])


def reduce_segments(name, Array array not None, Array offsets not None):
    """A reduction, by its name, of each segment of an array of one dimension: segment i has the elements offsets[i] to
    offsets[i + 1] - 1, so that the result has one element less than offsets (int32 or int64)."""
    cdef Array result
    cdef int32_t operation = operation_of(name)
    cdef const char *where = here()
    cdef yoke_status status

    if offsets.a.dimensions != 1 or offsets.size < 1:
        raise ValueError(f"offsets are an array of one dimension and an element or more, not of shape {offsets.shape}")
    result = new_array(array.stream, reduced_dtype(name, array.a.dtype, array.stream), offsets.size - 1)
    order_streams(array.stream, [offsets])
    with nogil:
        status = yoke_reduce_segments_at(where, array.stream.ptr, operation, &result.a, &array.a, &offsets.a)
    check(status)
    order_back(array.stream, [offsets])
    return result


def map_reduce_segments(name, expression, offsets, /, dtype=None, *, stream=None, **variables):
    """As reduce_segments, of the values of an expression, which are not stored: map_reduce_segments("sum", "x * y", offsets, x=x,
    y=y). The arrays have one dimension. dtype: of the values, as in evaluate. InvalidArgumentError shows a mistake in the
    expression with a caret."""
    cdef yoke_var vars[MOST_VARS]
    cdef Array result, ends = offsets
    cdef Stream order
    cdef int32_t operation = operation_of(name)
    cdef const char *where = here()
    cdef yoke_status status
    cdef size_t count = 0
    expression, variables = from_function(expression, variables)
    names, arrays = [], []
    cdef bytes text = fill_expression(vars, &count, expression, in_double(expression, variables), names, arrays)
    cdef const char *line = text

    if ends is None or ends.a.dimensions != 1 or ends.size < 1:
        raise ValueError("offsets are an array of one dimension and an element or more")
    operands = arrays_in(variables)
    order = (<Array>operands[0]).stream if stream is None else stream
    result = new_array(order, reduced_dtype(name, value_dtype(dtype, expression, variables), order), ends.size - 1)
    order_streams(order, arrays + [ends])
    with nogil:
        status = yoke_map_reduce_segments_at(where, order.ptr, operation, &result.a, line, vars, count, &ends.a)
    check(status)
    order_back(order, arrays + [ends])
    return result


def scan_segments(name, Array array not None, Array starts not None, *, exclusive=False):
    """As scan, of an array of one dimension, anew from each element whose start is not 0."""
    cdef Array result = new_array(array.stream, reduced_dtype(name, array.a.dtype, array.stream), array.shape)
    cdef int32_t operation = operation_of(name)
    cdef int32_t mode = 1 if exclusive else 0
    cdef const char *where = here()
    cdef yoke_status status

    order_streams(array.stream, [starts])
    with nogil:
        status = yoke_scan_segments_at(where, array.stream.ptr, operation, mode, &result.a, &array.a, &starts.a)
    check(status)
    order_back(array.stream, [starts])
    return result


cdef object range_of(count):
    """Python's range, for functions with an argument of that name."""
    return range(count)


above.clipped = clipped
above.sort_along = sort_along
above.check_sort = check_sort
above.sorting = sorting
