# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Masks, lists and NumPy's arrays as indices.

import operator

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport here, shown, text_for_python, text_of
from .dtype cimport axis_of, BOOL, dtype_names, in_dtype, is_integer_or_bool, is_unsigned
from .array cimport above, Array
from .expression cimport apart, assign, assign_value, away, is_sequence, map_arrays, trimmed
from .create cimport filled, stream_of
from .reduction cimport tell_later
from .order cimport compress, gather

from .expression import evaluate
from .create import arange, array_from
from .order import scatter


cdef object get_item(Array array, key):
    """array[key]."""
    key, known = as_index(array, key)
    if isinstance(key, Array):
        return take_array(array, key, known)
    return at_truth(array, key) if is_truth(key) else selected(array, key)


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
    target = at_truth(array, key) if is_truth(key) else array.select(key)
    if not isinstance(value, Array) and getattr(value, "shape", None) == () and getattr(value.dtype, "kind", "") == "c":
        value = complex(value)  # a scalar of NumPy's
    if isinstance(value, (bool, int, float, complex)):
        assign_value(target, value, here())
    else:
        value = array_from(value, dtype=None if hasattr(value, "dtype") else target.dtype, stream=array.stream)
        assign(target, apart(target, trimmed(value, target.a.dimensions)), here())
    return 0


cdef Array selected(Array array, key):
    """The view of a key of integers, slices, None and …"""
    cdef yoke_array a = array.a
    cdef int axis = 0
    keys = tuple(key) if isinstance(key, tuple) else (key,)  # a subclass may give other keys each time
    given = sum([each is not None and each is not Ellipsis for each in keys])
    if given > array.a.dimensions:
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
        elif type(each) is not int and (is_truth(each) or isinstance(each, list) or getattr(each, "ndim", 0)):
            raise IndexError(f"{each} is an index of its own, as a[{each}]" if is_truth(each) else
                             "an array or a list is an index of its own, as a[i], or take(a, i, axis)")
        else:
            position = operator.index(each)
            if not -(1 << 63) <= position < 1 << 63:
                raise IndexError(f"index {shown(position)} is out of range for an axis of {a.shape[axis]} elements")
            a = yoke_array_index(a, axis, position)
        if a.dtype == 0:
            break
    if a.dtype == 0:
        raise IndexError(text_for_python(text_of(yoke_error().text), IndexError))
    return array.view(a)


cdef Array at_truth(Array array, bint there):
    """The view of True or False as an index: with a new axis, of one element or none."""
    cdef Array view = array.select(None)
    return view if there else view.select(slice(0))


cdef tuple as_index(Array array, key):
    """Lists and NumPy's arrays as an index are Arrays; any other key is returned as it is. And whether an Array's positions are
    known to be there."""
    if type(key) is slice or type(key) is int or type(key) is tuple:  # most are, and to ask for what they lack takes long
        return key, False
    if isinstance(key, list) or hasattr(key, "__array_interface__") and key.ndim:
        index = array_from(key, stream=array.stream)
        if isinstance(key, list) and not index.size:  # of nothing NumPy makes floats
            index = index.astype("int64")
        if array.a.dimensions and are_in_range(key, array.a.shape[0]):
            return index, True
        return index, False
    return key, False


cdef bint is_truth(value) except -1:
    """True or False, Python's or NumPy's."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_") and getattr(value, "shape", None) == ()


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
        return evaluate(f"k < 0 ? 0 : k >= {extent}ll ? {extent - 1}ll : k", dtype="int64", k=given)
    if mode == "wrap":
        return evaluate(f"r = k % {extent}ll; r < 0 ? r + {extent}ll : r", dtype="int64", k=given)
    if not known and given.size:
        below = "" if is_unsigned(given.a.dtype) else f" || k < {-extent}ll"
        tell_later(array.stream, f"k >= {extent}ll{below}", {"k": given}, IndexError,
                   f"an index is out of range for an axis of {extent} elements")
    return evaluate(f"k < 0 ? k + {extent}ll : k", dtype="int64", k=given)


cdef tuple axes_behind(Array array, Array mask):
    """The extents of the axes that a mask, which is of the leading ones, leaves."""
    if mask.shape != array.shape[:mask.a.dimensions]:
        raise IndexError(f"a mask of shape {mask.shape} for an array of shape {array.shape}")
    return array.shape[mask.a.dimensions:]


cdef Array positions_of(Array mask):
    """The positions of the flat mask's True elements, which waits for them."""
    return compress(arange(mask.size, stream=mask.stream), mask.reshape(-1))


cdef object take_array(Array array, Array index, bint known):
    if index.a.dtype == BOOL:
        behind = axes_behind(array, index)
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
    cdef Array positions, values
    if not array.a.dimensions:
        raise IndexError("an array without axes has no positions")
    positions = from_the_start(array, indices.reshape(-1), 0, known)
    if isinstance(value, Array) or is_sequence(value):
        values = away(array, array_from(value, None if hasattr(value, "dtype") else array.dtype, array.stream))
    else:
        values = filled((), value, array.a.dtype, array.stream, here())
    behind = array.shape[1:]
    values = trimmed(values, len(indices.shape) + len(behind))
    scatter(array, positions, values.broadcast_to((*indices.shape, *behind)).reshape((positions.size, *behind)), 0)
    return 0


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
