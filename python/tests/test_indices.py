# SPDX-License-Identifier: Apache-2.0
"""Several indices, or one beside integers and slices; and functions of positions. The results are NumPy's."""

import numpy
import pytest

import yoke

H = numpy.arange(24, dtype="float32").reshape(2, 3, 4)
MASK = numpy.array([[True, False, True], [False, True, True]])


def same(array, expected):
    assert array.shape == expected.shape and array.dtype == expected.dtype and (array.to_numpy() == expected).all()


def on_device(key, stream):
    """A key whose arrays are on the device."""
    return tuple([yoke.asarray(each, None if numpy.size(each) else "int64", stream=stream)
                  if isinstance(each, (list, numpy.ndarray)) else each for each in key])


KEYS = {  # of an array of shape (2, 3, 4), by what stands in them
    "a slice, a list": numpy.s_[:, [0, 2]],
    "an ellipsis, a list": numpy.s_[..., [3, 0]],
    "two lists": ([0, 1], [2, 0]),
    "lists around a slice": numpy.s_[[0, 1], :, [3, 0]],
    "an int, a list": (1, [2, 0]),
    "an int, a slice, a list": numpy.s_[1, :, [0, -1]],
    "a list, an int": ([1, 0], 2),
    "a list, a slice": numpy.s_[[1, 0], 0:2],
    "a list, a new axis": ([1, 0], None),
    "a list between": numpy.s_[..., [1, 0], :],
    "a new axis between": numpy.s_[1, None, [0, 2]],
    "lists that broadcast": ([[0], [1]], [0, 2]),
    "negative ones, twice": numpy.s_[:, [[-1, 0], [1, 1]]],
    "steps": numpy.s_[::-1, [0, 2], 1::2],
    "three lists": ([0, -1], [0, 1], [2, -4]),
    "an empty list": numpy.s_[:, [], 1:],
    "a mask, an int": (numpy.array([True, False]), 1),
    "a slice, a mask": numpy.s_[:, numpy.array([True, False, True])],
    "a mask, a list": (numpy.array([True, True]), [0, 1]),
    "a mask of two axes, a list": (MASK, [0]),
    "a mask of two axes, a slice": (MASK, slice(1, 3)),
    "an ellipsis, a mask of two axes": numpy.s_[..., numpy.arange(12).reshape(3, 4) % 5 > 2],
    "a mask of nothing": (numpy.array([False, False]), [1]),
    "a mask of no axes": (0, numpy.array(True)),
    "True": (True, 0),
    "False": (0, False),
    "True, a list": (True, [0, 1]),
    "tuples": ((0, 1), range(2)),
    "other dtypes": (numpy.array([1], "uint64"), numpy.array([[-1], [0]], "int8")),
}


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("where", ["host", "device"])
def test_keys(stream, name, where):
    """Read, set to a number and to values, and added to."""
    key = KEYS[name]
    ours = on_device(key, stream) if where == "device" else key
    values, array = H.copy(), yoke.asarray(H, stream=stream)
    same(array[ours], values[key])
    values[key] = array[ours] = -1
    same(array, values)
    values[key] = array[ours] = numpy.arange(values[key].size, dtype="float32").reshape(values[key].shape)
    same(array, values)
    values[key] = array[ours] = numpy.arange(values[key].shape[-1])
    same(array, values)
    values[key] += 5
    array[ours] += 5
    same(array, values)


def test_views_that_are_not_contiguous(stream):
    """Elements along several axes are copied, and set in the view all the same."""
    values, array = H.copy(), yoke.asarray(H, stream=stream)
    for key in (([0, 3], [1, 2]), numpy.s_[[3, 0], :, [1, 0]], (slice(1, 3), [2, 0], [0, 1])):
        same(array.T[key], values.T[key])
        values.T[key] = array.T[key] = 50
        same(array, values)
        values[::-1].T[key] += 1
        array[::-1].T[key] += 1
        same(array, values)


def test_positions_of_the_target(stream):
    """What is read of an array is read before it is written."""
    values, array = H.copy(), yoke.asarray(H, stream=stream)
    values[:, [2, 0, 1]], array[:, [2, 0, 1]] = values.copy(), array
    same(array, values)
    values[[0, 1], :, [1, 2]], array[[0, 1], :, [1, 2]] = values[1, :, :2].T.copy(), array[1, :, :2].T
    same(array, values)
    order, ours = numpy.array([[2, 0], [1, 1]]), yoke.asarray([[2, 0], [1, 1]], stream=stream)
    order[order[:, 0] // 2, [0, 1]], ours[ours[:, 0] // 2, [0, 1]] = order[0].copy(), ours[0]
    same(ours, order)


def test_complex_values(stream):
    values, array = H.astype("c8"), yoke.asarray(H.astype("c8"), stream=stream)
    for value in (1j, numpy.complex64(2 - 1j), [1j, 2]):
        values[:, [0, 2], 1] = array[:, [0, 2], 1] = value
        same(array, values)


@pytest.mark.parametrize("key, text", [
    (([0, 1], [0, 1, 2]), r"\(2,\) and \(3,\) do not broadcast"), (([0, 2], [0, 1]), "index 2 is out of range for an axis of 2"),
    (numpy.s_[:, [0, -4]], "index -4 is out of range for an axis of 3"), (([0.5], 1), "integers, not float64"),
    ((0, numpy.array([True, False])), r"mask of shape \(2,\)"), (([0], 1, 2, 3), "4 axes for an array of 3"),
    ((MASK, 0, 0), "4 axes for an array of 3"), ((..., [0], ...), "at most one"), (([0], 5), "index 5")])
def test_wrong_keys(stream, key, text):
    array = yoke.asarray(H, stream=stream)
    for call in (lambda: array[key], lambda: array.__setitem__(key, 1)):
        with pytest.raises(IndexError, match=text):
            call()
    same(array, H)
    with pytest.raises(IndexError):
        H[key]


def test_wrong_keys_of_the_device(device):
    """Whoever waits is told; nothing is written where an index is not there."""
    with device.stream() as stream:
        array = yoke.asarray(H, stream=stream)
        for values in ([0, 3], [-4, 0]):
            index = yoke.asarray(values, stream=stream)
            for call in (lambda: array[[0, 1], index].tolist(), lambda: array[1, :, index[:, None] * 9].tolist()):
                with pytest.raises(IndexError, match="out of range for axes of"):
                    call()
                stream.recover()
            with pytest.raises(IndexError, match="out of range for axes of"):  # at once, where the stream has got there
                array[1, index] = 77
                stream.wait()
            stream.recover()
        assert array[0].tolist() == H[0].tolist()
        with pytest.raises(IndexError, match="integers, not float32"):
            array[0, yoke.ones(1, stream=stream)]
        with pytest.raises(IndexError, match="without elements"):
            yoke.zeros((2, 0), stream=stream)[0, yoke.zeros(1, "int64", stream=stream)]


def test_a_mask_set_to_a_number_waits_for_nothing(stream):
    values, array = H.copy(), yoke.asarray(H, stream=stream)
    columns, mask = numpy.array([True, False, True]), yoke.asarray([True, False, True], stream=stream)
    with stream.record() as graph:
        array[:, mask] = 5
    graph.launch(stream)
    values[:, columns] = 5
    same(array, values)


def test_values_that_are_added(stream):
    """Each of several for one place."""
    for key, given in (([0, 0, 1], 2), (([0, 0], [1, 1]), [[1.0], [2.0]]), (numpy.s_[:, [1, 1]], numpy.arange(4)), (slice(1), 3),
                       (MASK, 1), ((1, [2, 2], [0, 0]), [1, 2])):
        values, array = H.copy(), yoke.asarray(H, stream=stream)
        numpy.add.at(values, key, given)
        yoke.scatter_add(array, key, given)
        same(array, values)
        numpy.add.at(values, key, given)
        numpy.add.at(array, key, given)
        same(array, values)
    with pytest.raises(TypeError, match="another kind"):
        yoke.scatter_add(yoke.zeros(2, "int32", stream=stream), [0], 0.5)
    with pytest.raises(TypeError, match="add.reduceat"):
        numpy.add.reduceat(array, [0])


# ---- Functions of positions ----

A = numpy.array([[3, 0, 2, 0], [0, 5, 0, 1], [4, 4, 0, 9]], "int32")


def all_same(results, expected):
    assert type(results) is type(expected) and len(results) == len(expected)
    for result, each in zip(results, expected):
        same(result, each)


@pytest.mark.parametrize("values", [A, A > 2, A[0], A[:, :0], numpy.float32([0, -0.0, numpy.nan]), A.reshape(1, 3, 1, 4)], ids=str)
def test_nonzero(stream, values):
    array = yoke.asarray(values, stream=stream)
    all_same(yoke.nonzero(array), numpy.nonzero(values))
    all_same(yoke.where(array), numpy.where(values))
    all_same(numpy.nonzero(array), numpy.nonzero(values))
    same(yoke.flatnonzero(array), numpy.flatnonzero(values))
    same(yoke.argwhere(array), numpy.argwhere(values))
    for axis in (None, 0, -1):
        same(yoke.count_nonzero(array, axis, keepdims=True), numpy.count_nonzero(values, axis, keepdims=True) + numpy.int64(0))


def test_nonzero_of_no_axes(stream):
    for value in (0, 7):
        same(yoke.argwhere(yoke.asarray(value, stream=stream)), numpy.argwhere(value))
    with pytest.raises(ValueError, match="no positions"):
        yoke.nonzero(yoke.asarray(1, stream=stream))
    with pytest.raises(ValueError, match="both values"):
        yoke.where(yoke.ones(2, stream=stream), 1)
    assert yoke.count_nonzero(yoke.asarray([0, 1j, 1], stream=stream)).tolist() == 2


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_along_axis(stream, axis):
    array = yoke.asarray(A, stream=stream)
    order = numpy.argsort(A, axis, kind="stable")
    for indices in (order, yoke.argsort(array, axis)):
        same(yoke.take_along_axis(array, indices, axis), numpy.take_along_axis(A, order, axis))
        same(yoke.take_along_axis(array[::-1].T[::-1].T, indices, axis), numpy.take_along_axis(A[::-1, ::-1], order, axis))


@pytest.mark.parametrize("axis", [0, 1])
def test_put_along_axis(stream, axis):
    values, array = A.copy(), yoke.asarray(A, stream=stream)
    least = numpy.argmin(values, axis, keepdims=True)
    for indices, given in ((least, 50), (yoke.asarray(least, stream=stream), numpy.arange(least.size).reshape(least.shape))):
        numpy.put_along_axis(values, least, given, axis)
        yoke.put_along_axis(array, indices, given, axis)
        same(array, values)
    for theirs, ours in ((values.T, array.T), (values[::-1], array[::-1])):  # whose elements are not in the memory's order
        first = numpy.zeros([1 if n == axis else extent for n, extent in enumerate(theirs.shape)], int)
        numpy.put_along_axis(theirs, first, 9, axis)
        yoke.put_along_axis(ours, first, 9, axis)
        same(array, values)


def test_put_along_no_axis(stream):
    """Of the flattened array, also where the array itself is not contiguous."""
    array = yoke.asarray(A, stream=stream)
    yoke.put_along_axis(array.T, [1, -2], [50, 60], None)
    expected = A.T.copy()
    expected.reshape(-1)[[1, -2]] = 50, 60
    same(array.T, expected)


def test_wrong_calls_along_an_axis(stream):
    array = yoke.asarray(A, stream=stream)
    for call, kind in ((lambda: yoke.take_along_axis(array, [0], 0), ValueError),
                       (lambda: yoke.take_along_axis(array, [[0]], 2), numpy.exceptions.AxisError),
                       (lambda: yoke.take_along_axis(array, [[4]], 1), IndexError),
                       (lambda: yoke.take_along_axis(array, [[0.5]], 1), IndexError),
                       (lambda: yoke.take_along_axis(array, [[0], [0]], 1), IndexError),
                       (lambda: yoke.put(array, [12], 1), IndexError), (lambda: yoke.put(array, [True], 1), IndexError),
                       (lambda: yoke.put(array, [0], 1, "near"), ValueError),
                       (lambda: yoke.put(array[:0], [0], 1), IndexError),
                       (lambda: yoke.compress([[True]], array), ValueError),
                       (lambda: yoke.compress([0, 0, 0, 1], array, 0), IndexError)):
        with pytest.raises(kind):
            call()
    same(array, A)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_put(stream, mode):
    values, array = A.copy(), yoke.asarray(A, stream=stream)
    far = 0 if mode == "raise" else 20
    for indices, given in (([0, -1], 7), ([[1, 2], [3 + far, -4 - far]], [1, 2, 3]), ([5, 5], [8, 9]), ([2], [4, 5, 6]), ([], 3),
                           ([1], []), (numpy.array([7], "uint8"), 1.5)):
        for view, ours in ((values, array), (values.T, array.T), (values, array)):
            numpy.put(view, indices, given, mode)
            numpy.put(ours, yoke.asarray(indices, "int64", stream=stream) if view is values else indices, given, mode)
            same(array, values)


def test_compress(stream):
    array = yoke.asarray(A, stream=stream)
    for condition in ([True, False, True], [0, 2], numpy.array([False])):
        for axis in (None, 0, 1):
            for given in (condition, yoke.asarray(condition, stream=stream)):
                same(yoke.compress(given, array, axis), numpy.compress(condition, A, axis))
    same(yoke.extract(array % 2 == 0, array), numpy.extract(A % 2 == 0, A))
    same(yoke.extract([[1, 0], [0, 1]], array), numpy.extract([[1, 0], [0, 1]], A))


def test_take(stream):
    array = yoke.asarray(A, stream=stream)
    for indices in (1, [2, 0], [[0, -1], [1, 1]], numpy.zeros((0, 2), int), numpy.zeros((1, 1, 2), "uint8")):
        for axis in (None, 0, -1):
            same(yoke.take(array, indices, axis), numpy.take(A, indices, axis))
            same(numpy.take(array, yoke.asarray(indices, "int64", stream=stream), axis), numpy.take(A, indices, axis))
