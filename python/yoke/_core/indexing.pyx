# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# What a[key] reads and writes. A key of integers and slices is a view; one array, list or mask is gathered and scattered along the
# leading axes; several, or one beside integers and slices, are first made one array of positions along one axis.

import math
import operator

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport here, shown, text_of
from .dtype cimport axis_of, BOOL, dtype_names, dtype_number, I64, in_dtype, is_integer_or_bool, is_unsigned
from .stream cimport Stream
from .array cimport above, Array
from .expression cimport apart, assign, assign_value, away, is_sequence, map_arrays, new_array, trimmed
from .create cimport filled, stream_of
from .reduction cimport tell_later
from .order cimport compress, gather
from .operators cimport compare, has_kind_of

from .errors import text_for_python
from .expression import broadcast_shape, evaluate
from .create import arange, array_from
from .order import scatter


cdef object get_item(Array array, key):
    """array[key]."""
    key, known = as_index(array, key)
    if isinstance(key, Array):
        return take_array(array, key, known)
    if is_truth(key):
        return at_truth(array, key)
    view = selected(array, key)
    return read_at(array, key) if view is None else view


cdef int set_item(Array array, key, value) except -1:
    """array[key] = value."""
    cdef Array target
    key, known = as_index(array, key)
    if isinstance(key, Array):
        if (<Array>key).a.dtype == BOOL:
            assign_masked(array, key, value, here())
        else:
            assign_at(array, key, value, known)
        return 0
    target = at_truth(array, key) if is_truth(key) else selected(array, key)
    if target is None:
        return write_at(array, key, value, False)
    if not isinstance(value, Array) and getattr(value, "shape", None) == () and getattr(value.dtype, "kind", "") == "c":
        value = complex(value)  # a scalar of NumPy's
    if isinstance(value, (bool, int, float, complex)):
        assign_value(target, value, here())
    else:
        value = array_from(value, dtype=None if hasattr(value, "dtype") else target.dtype, stream=array.stream)
        assign(target, apart(target, trimmed(value, target.a.dimensions)), here())
    return 0


cdef Array selected(Array array, key):
    """The view of a key of integers, slices, None and …; None: there are arrays in it."""
    cdef yoke_array a = array.a
    cdef int axis = 0
    keys = tuple(key) if isinstance(key, tuple) else (key,)  # a subclass may give other keys each time
    given = sum([each is not None and each is not Ellipsis for each in keys])
    if given > array.a.dimensions:
        if any([is_array(each) for each in keys]):  # a mask may be of no axes
            return None
        raise IndexError(f"{given} indices for an array of {array.a.dimensions} dimensions")
    dots = False
    for each in keys:
        if each is Ellipsis:
            if dots:
                raise IndexError("an index has at most one …")
            dots = True
            axis += array.a.dimensions - given
        elif each is None:
            a = yoke_array_expand(a, axis)
            axis += 1
        elif isinstance(each, slice):
            start, stop, step = each.indices(a.shape[axis])
            if not range(start, stop, step):  # the start may be -1, which counts from the end in C
                start, stop, step = 0, 0, 1
            a = yoke_array_slice(a, axis, start, YOKE_SLICE_END if stop < 0 else stop, step)
            axis += 1
        elif type(each) is not int and is_array(each):
            return None
        else:
            position = as_position(each)
            if not -(1 << 63) <= position < 1 << 63:
                raise IndexError(f"index {shown(position)} is out of range for an axis of {a.shape[axis]} elements")
            a = yoke_array_index(a, axis, position)
        if a.dtype == 0:
            break
    if a.dtype == 0:
        if any([is_array(each) for each in keys]):  # … may stand for fewer axes, since a mask is of several
            return None
        raise IndexError(text_for_python(text_of(yoke_error().text), IndexError))
    return array.view(a)


cdef object as_position(each):
    """An int as an index."""
    try:
        return operator.index(each)
    except TypeError:
        raise IndexError(f"an index is an integer, a slice, …, None, or an array or list of integers or bool, not {shown(each)}"
                         ) from None


cdef Array at_truth(Array array, bint there):
    """The view of True or False as an index: with a new axis, of one element or none."""
    cdef Array view = selected(array, None)
    return view if there else selected(view, slice(0))


cdef tuple as_index(Array array, key):
    """Lists and NumPy's arrays as an index are Arrays; any other key is returned as it is. And whether an Array's positions are
    known to be there."""
    if type(key) is slice or type(key) is int or type(key) is tuple:  # most are, and to ask for what they lack takes long
        return key, False
    if isinstance(key, (list, range)) or hasattr(key, "__array_interface__") and key.ndim:
        if hasattr(key, "dtype") and key.dtype.kind not in "biufc":
            raise IndexError(f"indices are integers, not {key.dtype}")
        index = array_from(key, stream=array.stream)
        if isinstance(key, (list, range)) and not index.size:  # of nothing NumPy makes floats
            index = index.astype("int64")
        if array.a.dimensions and are_in_range(key, array.a.shape[0]):
            return index, True
        return index, False
    return key, False


cdef bint is_truth(value) except -1:
    """True or False, Python's or NumPy's."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_") and getattr(value, "shape", None) == ()


cdef bint is_array(each) except -1:
    """Whether a part of a key chooses by an array: a mask, True or False, or positions."""
    return is_truth(each) or isinstance(each, (list, tuple, range)) or getattr(each, "ndim", 0) or is_mask(each)


cdef bint are_in_range(indices, int64_t extent) except -1:
    """Whether positions in the host's memory are those of an axis; False: they are no positions. IndexError: not all are there."""
    import numpy

    host = numpy.asarray(indices)
    if host.dtype.kind not in "iu":
        return False
    low, high = (int(host.min()), int(host.max())) if host.size else (0, -1)
    if low < -extent or high >= extent:
        raise IndexError(f"index {high if low >= -extent else low} is out of range for an axis of {extent} elements")
    return True


cdef Array from_the_start(Array array, indices, int32_t axis, bint known=False, mode="raise"):
    """Integer indices, of which negative ones count from the end of the axis, as positions from its start. known: they are in
    range. mode: as take has it."""
    cdef Array given
    cdef int64_t extent = array.shape[axis]
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"mode is raise, clip or wrap, not {shown(mode)}")
    if isinstance(indices, (list, tuple, range, int)) or hasattr(indices, "__array_interface__"):
        import numpy

        indices = numpy.asarray(indices)
        indices = indices if indices.size else indices.astype("int64")  # of nothing NumPy makes floats
        known = mode == "raise" and are_in_range(indices, extent)
    given = array_from(indices, stream=array.stream)
    if not is_integer_or_bool(given.a.dtype):
        raise IndexError(f"indices are integers, not {dtype_names[given.a.dtype]}")
    if given.size and not extent:
        raise IndexError("an axis without elements has none to take")
    if mode == "clip":
        return evaluate("k < 0 ? 0 : k >= n ? n - 1 : k", dtype="int64", k=given, n=(I64, extent))
    if mode == "wrap":
        return evaluate("r = k % n; r < 0 ? r + n : r", dtype="int64", k=given, n=(I64, extent))
    if not known and given.size:
        tell_later(array.stream, f"k >= n{below(given, 'k', 'n')}", {"k": given, "n": (I64, extent)}, IndexError,
                   f"an index is out of range for an axis of {extent} elements")
    return evaluate("k < 0 ? k + n : k", dtype="int64", k=given, n=(I64, extent))


cdef str below(Array indices, str index, str extent):
    """The end of an expression for an index that is not there: below what counts from the end, which without a sign none is."""
    return "" if is_unsigned(indices.a.dtype) else f" || {index} < -{extent}"


cdef bint mask_fits(mask, tuple extents):
    """Whether a mask is of these extents; as in NumPy, 0 elements along an axis fit any, and then none is chosen."""
    return mask.ndim == len(extents) and all([one in (0, other) for one, other in zip(mask.shape, extents)])


cdef tuple axes_behind(Array array, Array mask):
    """The extents of the axes that a mask, which is of the leading ones, leaves."""
    if not mask_fits(mask, array.shape[:mask.a.dimensions]):
        raise IndexError(f"a mask of shape {mask.shape} for an array of shape {array.shape}")
    return array.shape[mask.a.dimensions:]


cdef Array positions_of(Array mask):
    """The positions of the flat mask's True elements, which waits for them."""
    return compress(arange(mask.size, stream=mask.stream), mask.reshape(-1))


cdef object take_array(Array array, Array index, bint known):
    if index.a.dtype == BOOL:
        behind = axes_behind(array, index)
        if not index.size:
            return new_array(array.stream, array.a.dtype, (0, *behind))
        if not behind:
            return compress(array.reshape(-1), index.reshape(-1))
        return gather(array.reshape((index.size, *behind)), positions_of(index), 0)
    if not array.a.dimensions:
        raise IndexError("an array without axes has no positions")
    taken = gather(array, from_the_start(array, index.reshape(-1), 0, known), 0)
    return taken if index.a.dimensions == 1 else taken.reshape(index.shape + array.shape[1:])


cdef int assign_masked(Array array, Array mask, value, const char *where) except -1:
    """array[mask] = value, as in NumPy: a number, or values that are broadcast to the shape of array[mask]. What the mask leaves
    out keeps its bits."""
    cdef Array values
    behind = axes_behind(array, mask)
    if not mask.size:
        mask = new_array(array.stream, BOOL, (0,))
        array = new_array(array.stream, array.a.dtype, (0, *behind))  # of which nothing is set, but the value is looked at
    if not isinstance(value, Array) and not is_sequence(value):
        return map_masked(array, mask, in_dtype(array.a.dtype, value), where)
    values = array_from(value, None if hasattr(value, "dtype") else array.dtype, array.stream)
    values = trimmed(values, len(behind))
    if values.a.dimensions <= len(behind):
        return map_masked(array, mask, apart(array, values), where)
    return assign_in_order(array, mask, behind, away(array, values), where)


cdef int map_masked(Array array, Array mask, value, const char *where) except -1:
    """The value is the same for each True element of the mask: a number, or an array of the axes behind."""
    mask = apart(array, mask).reshape((*mask.shape, *[1] * (array.a.dimensions - mask.a.dimensions)))
    cast = f"({dtype_names[array.a.dtype]})" if isinstance(value, Array) else ""
    return map_arrays(array.stream, f"x = mask ? {cast}value : x", {"x": array, "mask": mask, "value": value}, where)


cdef int assign_in_order(Array array, Array mask, tuple behind, Array values, const char *where) except -1:
    """Each True element of the mask gets the next of the values, which waits for the mask."""
    cdef Array positions = positions_of(mask)
    cdef Array flat = array.reshape((mask.size, *behind))

    if values.shape[0] != positions.size:
        raise ValueError(f"{values.shape[0]} values for a mask with {positions.size} True elements")
    scatter(flat, positions, values.broadcast_to((positions.size, *behind)), 0)
    if flat.a.buffer != array.a.buffer:
        assign(array, flat.reshape(array.shape), where)
    return 0


cdef int assign_at(Array array, Array indices, value, bint known) except -1:
    """array[indices] = value, along the first axis; of several values for one place the last is kept."""
    cdef Array positions
    if not array.a.dimensions:
        raise IndexError("an array without axes has no positions")
    positions = from_the_start(array, indices.reshape(-1), 0, known)
    behind = array.shape[1:]
    values = values_for(array, value, (*indices.shape, *behind))
    scatter(array, positions, values.reshape((positions.size, *behind)), 0)
    return 0


cdef Array values_for(Array array, value, tuple shape):
    """What is assigned to elements of the array, in their shape, and away from them."""
    cdef Array values
    if isinstance(value, Array) or is_sequence(value):
        values = away(array, array_from(value, None if hasattr(value, "dtype") else array.dtype, array.stream))
    else:
        values = filled((), value, array.a.dtype, array.stream, here())
    return trimmed(values, len(shape)).broadcast_to(shape)


# ---- Several indices, or one beside integers and slices ----

cdef object part_of_key(Array array, each):
    """A part of a key, as None, …, a slice, an int, or an array, NumPy's where it is the host's."""
    if each is None or each is Ellipsis or isinstance(each, slice):
        return each
    if not is_array(each):
        return as_position(each)
    if isinstance(each, Array):
        return each
    if not isinstance(each, (bool, list, tuple, range)) and not hasattr(each, "__array_interface__"):
        return array_from(each, stream=array.stream)
    import numpy

    index = numpy.asarray(each)
    return index if index.size or hasattr(each, "dtype") else index.astype("int64")  # of nothing NumPy makes floats


cdef bint is_mask(index) except -1:
    """Whether an array is of bool."""
    return (<Array>index).a.dtype == BOOL if isinstance(index, Array) else getattr(index, "dtype", None) == bool


cdef int32_t axes_for(each) except -1:
    """How many axes of an array a part of a key is for."""
    if each is None or each is Ellipsis:
        return 0
    return each.ndim if is_mask(each) else 1


cdef tuple in_view(Array array, key):
    """The view of a key's slices and integers, in which the axes that its arrays choose from are whole; the arrays, each with the
    first of these axes; and whether other parts stand between them, so that in the result their axes come first."""
    parts = [part_of_key(array, each) for each in (tuple(key) if isinstance(key, tuple) else (key,))]
    counts = [axes_for(each) for each in parts]
    left = array.a.dimensions - sum(counts)
    if left < 0:
        raise IndexError(f"indices of {sum(counts)} axes for an array of {array.a.dimensions} dimensions")
    basic, arrays, choosing, place = [], [], [], 0
    for n, (each, count) in enumerate(zip(parts, counts)):
        if hasattr(each, "ndim"):
            arrays.append((each, place))
            choosing.append(n)
            basic += [slice(None)] * count or [None]  # a mask of no axes gets one
            place += max(count, 1)
        elif type(each) is int:
            choosing.append(n)
            basic.append(each)
        else:
            basic.append(each)
            place += left if each is Ellipsis else 1
    return selected(array, tuple(basic)), arrays, choosing[-1] - choosing[0] >= len(choosing)


cdef list along_axes(Array view, list arrays):
    """The arrays as positions along one axis each: (axis, positions, whether these are known to be there). A mask
    gives those of its True elements along each of its axes; one on the device waits for them."""
    result = []
    for index, place in arrays:
        extents = view.shape[place:place + max(index.ndim, 1)]
        if is_mask(index):
            if index.ndim and not mask_fits(index, extents):
                raise IndexError(f"a mask of shape {index.shape} for axes of {extents} elements")
            found = places_of(index) if isinstance(index, Array) else index.reshape(index.shape or (1,)).nonzero()
            result += [(place + n, each, True) for n, each in enumerate(found)]
        elif isinstance(index, Array):
            if not is_integer_or_bool((<Array>index).a.dtype):
                raise IndexError(f"indices are integers, not {index.dtype}")
            if index.size and not extents[0]:
                raise IndexError("an axis without elements has none to take")
            result.append((place, index, False))
        else:
            extent = view.shape[place]
            if not are_in_range(index, extent):
                raise IndexError(f"indices are integers, not {index.dtype}")
            index = index.astype("int64")
            result.append((place, index + (index < 0) * extent, True))
    return result


cdef list places_of(Array mask):
    """The positions of a mask's True elements along each of its axes, which waits for them."""
    cdef Array positions = positions_of(mask)
    if mask.a.dimensions < 2:
        return [positions]
    shape = mask.shape
    return [evaluate("p / step % n", dtype="int64", p=positions, step=(I64, math.prod(shape[axis + 1:])), n=(I64, extent))
            for axis, extent in enumerate(shape)]


def nonzero(a):
    """The positions of the elements that are not 0, in row-major order: for each axis an array of int64; waits for their number."""
    cdef Array array = array_from(a)
    if not array.a.dimensions:
        raise ValueError("an array without axes has no positions: reshape(1) gives it an axis")
    return tuple(places_of(array if array.a.dtype == BOOL else compare("!=", array, 0)))


cdef tuple as_one(Stream stream, list chosen, tuple extents):
    """Positions along several axes as those in their elements' row-major order, of one dimension; and the shape that they are
    broadcast to. -1 is where one is not there."""
    indices = [each for _, each, _ in chosen]
    try:
        shape = broadcast_shape([each.shape for each in indices])
    except ValueError as error:
        raise IndexError(f"indices: {error}") from None
    if not any([isinstance(each, Array) for each in indices]):
        position = 0
        for index, extent in zip(indices, extents):
            position = position * extent + index
        return array_from(position.reshape(-1), stream=stream), shape
    values, unknown, outside, steps, place = {}, {}, [], "", ""
    for n, (_, index, known) in enumerate(chosen):
        given = {f"k{n}": array_from(index, stream=stream), f"n{n}": (I64, extents[n])}
        values |= given
        steps += f"p{n} = k{n} < 0 ? k{n} + n{n} : k{n}; "
        place = f"({place}) * n{n} + p{n}" if n else "p0"
        if not known:
            unknown |= given
            outside.append(f"k{n} >= n{n}{below(given[f'k{n}'], f'k{n}', f'n{n}')}")
    if outside and math.prod(shape):
        tell_later(stream, " || ".join(outside), unknown, IndexError, f"an index is out of range for axes of {extents} elements")
        place = f"{' || '.join(outside)} ? -1 : {place}"
    return evaluate(steps + place, dtype="int64", stream=stream, **values).reshape(-1), shape


cdef tuple along_one(Array view, list arrays, bint between):
    """What arrays choose of a view: an array, the axis and the positions along it, and their shape; and the view whose elements are
    the array's, which is a copy where the strides of the axes do not let them be one."""
    chosen = along_axes(view, arrays)
    first = chosen[0][0]
    if between:
        axes = [place for place, _, _ in chosen]
        view, first = view.transpose(axes + [axis for axis in range(view.a.dimensions) if axis not in axes]), 0
    shape, behind = view.shape, first + len(chosen)
    positions, broadcast = as_one(view.stream, chosen, shape[first:behind])
    flat = view if len(chosen) == 1 else view.reshape((*shape[:first], math.prod(shape[first:behind]), *shape[behind:]))
    return flat, first, positions, broadcast, view


cdef Array read_at(Array array, key):
    """array[key] of a key with arrays."""
    view, arrays, between = in_view(array, key)
    flat, axis, positions, broadcast, _ = along_one(view, arrays, between)
    return gather(flat, positions, axis).reshape((*flat.shape[:axis], *broadcast, *flat.shape[axis + 1:]))


cdef int write_at(Array array, key, value, bint add) except -1:
    """array[key] = value of a key with arrays, where of several values for one place the last is kept; or they are added to it."""
    cdef Array flat, view
    view, arrays, between = in_view(array, key)
    index, place = arrays[0]
    if len(arrays) == 1 and is_mask(index) and index.ndim and not add and not isinstance(value, Array) and not is_sequence(value):
        axes = [*range(place, place + index.ndim)]  # which waits for nothing
        view = view.transpose(axes + [axis for axis in range(view.a.dimensions) if axis not in axes])
        return assign_masked(view, array_from(index, stream=array.stream), value, here())
    flat, axis, positions, broadcast, view = along_one(view, arrays, between)
    before, behind = flat.shape[:axis], flat.shape[axis + 1:]
    values = values_for(array, value, (*before, *broadcast, *behind))
    scatter(flat, positions, values.reshape((*before, positions.size, *behind)), axis, add=add)
    if flat.a.buffer != view.a.buffer:
        assign(view, flat.reshape(view.shape), here())
    return 0


def scatter_add(Array a not None, slices, value):
    """a[slices] += value, but where an element is named more than once, each of its values is added. The order of floating-point
    sums is not that of the indices. numpy.add.at(a, slices, value) is the same. TypeError: the values' kind is not the array's."""
    import numpy

    if not has_kind_of(a.a.dtype, (<Array>value).a.dtype if isinstance(value, Array) else dtype_number(numpy.asarray(value).dtype)):
        raise TypeError(f"values of another kind are not added to an array of {a.dtype}: convert them first")
    if any([is_array(each) for each in (slices if isinstance(slices, tuple) else (slices,))]):
        write_at(a, slices, value, True)
    else:
        view = selected(a, slices)
        view += value


def take(array, indices, axis=None, *, mode="raise"):
    """Elements along an axis, or of the flattened array where axis is None, by integer indices of any shape: an Array or whatever
    asarray takes. mode: with "raise", negative indices count from the end, and an index that is out of range is an IndexError:
    raised at once for indices in host memory; indices on the device fail the stream when the operation runs, and the next wait
    raises the error. "clip" takes the nearest end instead, and "wrap" continues at the other end: neither has to check."""
    cdef Array source = array_from(array, stream=stream_of([indices]))
    cdef Array positions
    cdef int32_t along

    source = source.reshape(-1) if axis is None else source
    along = axis_of(0 if axis is None else axis, source.a.dimensions)
    positions = from_the_start(source, indices, along, False, mode)
    shape = source.shape
    return gather(source, positions.reshape(-1), along).reshape((*shape[:along], *positions.shape, *shape[along + 1:]))


above.selected = selected
above.get_item = get_item
above.set_item = set_item
