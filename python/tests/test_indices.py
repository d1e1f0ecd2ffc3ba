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
