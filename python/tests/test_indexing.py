# SPDX-License-Identifier: Apache-2.0
"""Masks as indices, and operations whose operands overlap what they write: the results are NumPy's."""

import copy

import numpy
import pytest

import yoke


def same(array, expected):
    assert array.shape == expected.shape and array.dtype == expected.dtype and (array.to_numpy() == expected).all()


def pair(stream, shape=(4, 3)):
    values = numpy.arange(numpy.prod(shape), dtype="float32").reshape(shape)
    return values, yoke.asarray(values, stream=stream)


VALUES = {
    "a number": lambda values: 9,
    "a NumPy scalar": lambda values: numpy.float64(1.5),
    "a row": lambda values: [1, 2, 3],
    "a column": lambda values: numpy.array([[1], [2]]),
    "rows": lambda values: values[:2] * 5,
    "of one row more": lambda values: values[None, :1] * 5,
}


@pytest.mark.parametrize("name", VALUES)
def test_mask_of_rows(stream, name):
    values, array = pair(stream)
    mask = numpy.array([True, False, True, False])
    same(array[mask], values[mask])
    same(array[yoke.asarray(mask, stream=stream)], values[mask])
    given = VALUES[name](values)
    values[mask], array[mask] = given, yoke.asarray(given, stream=stream) if isinstance(given, numpy.ndarray) else given
    same(array, values)


def test_mask_of_elements(stream):
    values, array = pair(stream)
    values[values > 3], array[array > 3] = numpy.arange(8), yoke.arange(8, stream=stream)
    same(array, values)
    values[values > 2] += 10
    array[array > 2] += 10
    same(array, values)
    turned, view = values.T, array.T  # not contiguous
    turned[turned > 12], view[view > 12] = [*range(6)], [*range(6)]
    same(array, values)
    array[array > 100] = []
    same(array, values)
    for wrong in ([1, 2], yoke.ones((2, 1), stream=stream), numpy.ones((1, 1, 2))):
        with pytest.raises(ValueError):
            array[array > 0] = wrong
    with pytest.raises(IndexError, match="mask of shape"):
        array[numpy.ones((3, 4), bool)]


def test_mask_that_overlaps_its_target(stream):
    flags = numpy.array([True, False, True, True, False])
    array = yoke.asarray(flags, stream=stream)
    flags[flags[::-1].copy()], array[array[::-1]] = False, False
    same(array, flags)


def test_leading_axes_of_one(stream):
    values, array = pair(stream)
    for key in (slice(None), [1, 0], [[0, 1], [2, 3]]):
        given = numpy.ones((1, 1, 1, *values[key].shape), "float32") * len(str(key))
        values[key], array[key] = given, yoke.asarray(given, stream=stream)
        same(array, values)
    with pytest.raises(ValueError):
        array[:] = numpy.ones((2, 4, 3))


def test_complex_arrays_without_axes(stream):
    array = yoke.asarray(numpy.arange(4) + 1j, stream=stream)
    with stream.record() as graph:
        array[1:] = array[0]
    graph.launch(stream)
    assert array.tolist() == [1j] * 4


def test_empty_masks(stream):
    empty = yoke.zeros((0, 3), stream=stream)
    assert empty[numpy.zeros((0, 3), bool)].shape == (0,) and empty[numpy.zeros(0, bool)].shape == (0, 3)
    empty[numpy.zeros((0, 3), bool)] = 5
    assert yoke.zeros(3, stream=stream)[[]].shape == (0,) and yoke.zeros(3, stream=stream)[[[]]].shape == (1, 0)


def test_assignment_at_positions(stream):
    values, array = pair(stream)
    for positions, given in (([0, -1], 5), (numpy.array([[1, 2], [3, 0]]), numpy.arange(3)), ([2], [[7, 8, 9]]), ([], 1),
                             ([1, 2], values[:2] * 10), ([0, 0, 1], [[1], [2], [3]])):
        values[positions] = given
        array[positions] = yoke.asarray(given, stream=stream) if isinstance(given, numpy.ndarray) else given
        same(array, values)
    values[[1, 3]] += 10
    array[[1, 3]] += 10
    array[yoke.asarray([0, 2], stream=stream)] = array[yoke.asarray([2, 0], stream=stream)]
    values[[0, 2]] = values[[2, 0]]
    same(array, values)
    for key in ([9], [-9], numpy.array([0, 4])):
        with pytest.raises(IndexError, match="out of range for an axis of 4 elements"):
            array[key] = 1
    same(array, values)
    same(yoke.take(array, [1, -1], 1), numpy.take(values, [1, -1], 1))
    same(yoke.where(array > 3, values, [1.0, 2, 3]), numpy.where(values > 3, values, numpy.array([1, 2, 3], "float32")))
    with pytest.raises(IndexError, match="integers"):
        array[[0.5]] = 1


@pytest.mark.parametrize("text", [
    "x[1:] = x[:-1]", "x[:-1] = x[1:]", "x += x[::-1]", "x[...] = x.T", "x += x.T", "x -= x[0]", "x[:, 0] = x[0]",
    "x[x > 3] = x[0, 0]", "x[x > 3] = x[x > 3][::-1]", "x[::2] = x[1::2]", "x[:, ::2] += x[:, 1::2]", "x *= x",
    "x[::-1] = x", "x[:2] = x[2:]"])
def test_overlaps(stream, text):
    values, array = pair(stream, (4, 4))
    for each in (values, array):
        exec(text, {"x": each})
    same(array, values)


def test_no_copy_of_what_lies_apart(device):
    with device.stream() as stream:
        array = yoke.zeros(1 << 20, stream=stream)
        for text in ("x[::2] += x[1::2]", "x[:1 << 19] = x[1 << 19:]", "x[::-1] += x"):  # the last one needs a copy
            exec(text, {"x": array})
        stream.wait()
        device.limit_memory(device.memory["in_use"])
        try:
            exec("x[::2] += x[1::2]; x[:1 << 19] = x[1 << 19:]", {"x": array})
            with pytest.raises(yoke.OutOfDeviceMemoryError):
                exec("x[::-1] += x", {"x": array})
        finally:
            device.limit_memory(None)


def test_copies_stay_in_their_stream(stream):
    array = yoke.ones(3, stream=stream)
    for each in (copy.copy(array), copy.deepcopy(array), copy.deepcopy([array])[0]):
        assert each.stream is stream and each is not array and (each + array).tolist() == [2, 2, 2]


def test_membership(stream):
    array = yoke.ones(3, stream=stream)
    assert 1 in array and 2 not in array and None not in array and "1" not in array


def test_positions_of_the_array_itself(stream):
    """Elements are read before others are written in their place."""
    values, array = pair(stream)
    order = [3, 0, 1, 2]
    values[order], array[order] = values.copy(), array
    same(array, values)
    values[order[:2]], array[order[:2]] = values[1:3].copy(), array[1:3]
    same(array, values)
    mask = numpy.array([True, False, True, True])
    values[mask], array[mask] = values[1:].copy(), array[1:]
    same(array, values)
    mask = numpy.ones((4, 3), bool)
    values[mask], array.reshape(-1)[mask.reshape(-1)] = values.reshape(-1)[::-1].copy(), array.reshape(-1)[::-1]
    same(array, values)
    whole = array.reshape(-1)
    whole[yoke.ones(12, "bool", stream=stream)] = whole
    same(array, values)
