# SPDX-License-Identifier: Apache-2.0
"""NumPy's ways to call: methods, masks, orders, operands that are no Arrays, and NaN; NumPy is the oracle. CUDA's streams of other
libraries by their protocol."""

import numpy
import pytest

import yoke

F = numpy.array([[3, numpy.nan, 2], [-1, 5, -0.0]], numpy.float32)
N = numpy.arange(6, dtype=numpy.int32).reshape(2, 3)[:, ::-1]
M = numpy.array([[True, False, True], [True, True, False]])


def same(got, expected):
    """Values, shape, and the kind of dtype."""
    assert type(got) is yoke.Array
    assert got.shape == numpy.shape(expected) and got.dtype.kind == numpy.asarray(expected).dtype.kind
    numpy.testing.assert_allclose(got.to_numpy(), expected, rtol=2e-6)


def both(call, *arrays):
    """Whether a call gives the same of Yoke's arrays as of NumPy's, by a method or a function."""
    same(call(yoke, *map(yoke.asarray, arrays)), call(numpy, *arrays))


# ---- NaN ----

@pytest.mark.parametrize("axis", [None, 0, 1])
def test_nan_wins(axis):
    for name in ("min", "max", "argmin", "argmax"):
        both(lambda xp, a: getattr(a, name)(axis), F)
        both(lambda xp, a: getattr(xp, name)(a, axis=axis), F)


def test_nan_is_left_out_by_name():
    a = yoke.asarray(F)
    assert yoke.reduce("max", a).item() == 5 and yoke.reduce("argmax", a).item() == 4
    assert numpy.isnan(yoke.reduce("max_or_nan", a).item()) and yoke.reduce("argmax_or_nan", a).item() == 1
    assert numpy.isnan(yoke.map_reduce("min_or_nan", "x * 2", x=a).item()) and yoke.map_reduce("min", "x * 2", x=a).item() == -2


def test_zero_has_no_sign():
    zeros = numpy.float32([0, -0.0, 0])
    both(lambda xp, a: xp.stack([a.argmin(), a.argmax(), a[1:].argmin(), a[1:].argmax()]), zeros)
    assert not numpy.signbit(yoke.sign(yoke.asarray(zeros)).to_numpy()).any()


def test_nan_and_initial():
    both(lambda xp, a: a.max(1, initial=numpy.nan), N.astype("f4"))
    both(lambda xp, a: a.min(1, initial=4), F)
    both(lambda xp, a, m: a.max(0, where=m, initial=-9), F, M)


# ---- Masks ----

@pytest.mark.parametrize("options", [{}, {"axis": 1}, {"axis": (0, 1), "keepdims": True}])
def test_where(options):
    for name in ("sum", "mean", "var", "std"):
        both(lambda xp, a, m: getattr(a, name)(where=m, **options), F, M)
        both(lambda xp, a, m: getattr(xp, name)(a, where=m, **options), N, M[:1])
    both(lambda xp, a, m: xp.std(a, where=m, ddof=1, **options), N, M)
    both(lambda xp, a, m: xp.any(a, where=m, **options), N, M)


def test_where_into_out():
    a, m = yoke.asarray(N), yoke.asarray(M)
    out = yoke.empty(2, "float64" if a.device.supports("fp64") else "float32")
    assert a.mean(1, out=out, where=m) is out
    same(out, N.mean(1, where=M))
    assert a.mean(1, "float32", where=m).dtype == "float32"
    assert yoke.asarray(F).astype("float16").mean(where=m).dtype == "float16"
    with pytest.raises(ValueError, match=r"out has the shape \(2,\), and the result \(3,\)"):
        a.mean(0, out=out, where=m)
    with pytest.raises(TypeError, match="mask of bool, not of int32"):
        a.var(where=a)
    with pytest.raises(TypeError, match="complex64 is that of its parts"):
        yoke.ones((2, 3), "complex64").var(where=m)
    assert numpy.isnan(a.mean(where=M & False).item()) and numpy.isnan(a.var(where=M & False).item())


# ---- Methods ----

@pytest.mark.parametrize("call", [
    lambda xp, a: a.take([1, 2]), lambda xp, a: a.take([-1, 0], axis=1), lambda xp, a: xp.stack(a.nonzero()),
    lambda xp, a: a.compress([True, False], axis=0), lambda xp, a: a.compress([False, True]), lambda xp, a: a.repeat(2),
    lambda xp, a: a.repeat([1, 2], axis=0), lambda xp, a: a.swapaxes(0, -1), lambda xp, a: a.diagonal(),
    lambda xp, a: a.diagonal(1), lambda xp, a: a.diagonal(-1, 1, 0), lambda xp, a: a.trace(), lambda xp, a: a.trace(offset=1),
    lambda xp, a: a.dot([1, 2, 3]), lambda xp, a: a[0][::-1].searchsorted([1, 9], "right"), lambda xp, a: a.conjugate(),
    lambda xp, a: a[0].searchsorted([1, 9], sorter=[2, 1, 0]), lambda xp, a: a.reshape(1, 2, 1, 3).squeeze((0, -2)),
    lambda xp, a: a.reshape(1, 2, 3, 1).squeeze(), lambda xp, a: a.T, lambda xp, a: a.reshape(1, 2, 3).mT,
    lambda xp, a: xp.dot(a, xp.ones((2, 3, 1))), lambda xp, a: xp.dot(a[0], xp.ones((2, 3, 1))),
])
def test_methods(call):
    both(call, N)


def test_put():
    expected = N.copy()
    a = yoke.asarray(N)
    expected.put([0, -1], [7, 8])
    a.put([0, -1], [7, 8])
    same(a, expected)


def test_methods_are_those_of_arrays():
    assert yoke.Array.take.__qualname__ == "Array.take" and yoke.Array.take.__module__ == "yoke"
    for wrong, text in ((lambda a: a.swapaxes(0, 2), "axis 2"), (lambda a: a.diagonal(0, 1, 1), "axis 1 is named twice"),
                        (lambda a: a[0].diagonal(), "has no diagonal"), (lambda a: a.squeeze(0), "only an axis of one")):
        with pytest.raises(ValueError, match=text):
            wrong(yoke.asarray(N))
    with pytest.raises(AttributeError, match=r"has no ptp: max\(\) - min\(\)"):
        yoke.asarray(N).ptp


# ---- Orders ----

@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_order(order):
    for each in (N.copy(), N.copy().T, numpy.asfortranarray(N)[:, 1:], N.reshape(1, 2, 3, 1)[0].copy().transpose(2, 0, 1)):
        same_layout = yoke.asarray(each.T.copy()).T if each.T.flags.c_contiguous else yoke.asarray(each.copy())
        given = each if each.T.flags.c_contiguous else each.copy()
        same(same_layout.ravel(order), given.ravel(order))
        same(same_layout.flatten(order), given.flatten(order))
        copy = same_layout.copy(order)
        same(copy, each)
        assert copy.strides == given.copy(order).strides or 1 in each.shape
        assert same_layout.astype("int8", order=order).strides == given.astype("int8", order=order).strides or 1 in each.shape
        if order != "K":
            same(same_layout.reshape(2, -1, order=order), given.reshape(2, -1, order=order))
            same(same_layout.reshape((each.size,), order=order), given.reshape((each.size,), order=order))


def test_order_of_new_arrays():
    a = yoke.asarray(N, order="F")
    same(a, N)
    assert a.strides == (4, 8) and yoke.asarray(a, order="F", copy=False) is a and yoke.asarray(a) is a
    assert yoke.asarray(a, order="C").strides == (12, 4) and yoke.array(N, "int8", order="F").strides == (1, 2)
    same(yoke.array([[1, 2]], ndmin=3), numpy.array([[1, 2]], ndmin=3))
    b = a.copy()
    assert yoke.array(b) is not b and yoke.array(b, copy=None) is b
    with pytest.raises(ValueError, match=r"do not make the shape \(4, -1\)"):
        b.reshape(4, -1, order="F")
    for wrong in (lambda: yoke.array(N, copy=False), lambda: yoke.asarray(a, order="C", copy=False),
                  lambda: a.reshape(6, copy=False)):
        with pytest.raises(ValueError, match="copy is false"):
            wrong()
    for wrong in (lambda: yoke.asarray(a, order="K"), lambda: a.copy("X"), lambda: a.reshape(6, order="K"), lambda: a.ravel(None)):
        with pytest.raises(ValueError, match="order is C"):
            wrong()
    flat = yoke.ones((2, 2))
    flat.reshape(4, copy=True)[0] = 5
    assert flat.sum().item() == 4


# ---- Operands ----

@pytest.mark.parametrize("call", [
    lambda xp: xp.searchsorted([1, 3, 5], [2, 4]), lambda xp: xp.searchsorted(numpy.array([1, 3, 5]), 4),
    lambda xp: xp.zeros_like([1, 2]), lambda xp: xp.ones_like(numpy.float32([1, 2])), lambda xp: xp.full_like(N, 7),
    lambda xp: xp.zeros_like(N, "float32"), lambda xp: xp.ones_like(3),
])
def test_operands(call):
    same(call(yoke), call(numpy))


def test_own_functions_take_lists():
    assert yoke.topk([1, 3, 2], 2)[0].tolist() == [3, 2] and yoke.topk(N, 1, axis=0)[1].shape == (1, 3)
    assert yoke.cummax([1, 3, 2]).tolist() == [1, 3, 3] and yoke.empty_like(N).shape == N.shape
    assert yoke.scan("sum", numpy.int64([1, 2]), exclusive=True).tolist() == [0, 1]


# ---- NumPy's functions ----

@pytest.mark.parametrize("call", [
    lambda a: numpy.swapaxes(a, 0, 1), lambda a: numpy.diagonal(a, 1), lambda a: numpy.trace(a), lambda a: numpy.mean(a, where=M),
    lambda a: numpy.reshape(a, (3, 2), order="F"), lambda a: numpy.ravel(a, "F"), lambda a: numpy.tensordot(a, a, 2),
    lambda a: numpy.zeros_like(a), lambda a: numpy.dot(a, [1, 2, 3]),
])
def test_functions_of_numpy(call):
    same(call(yoke.asarray(N)), call(N))


# ---- DLPack and the host ----

def test_dlpack_and_the_host():
    a = yoke.asarray(N)
    numpy.testing.assert_array_equal(numpy.from_dlpack(a.T, device="cpu"), N.T)
    fixed = N.copy()
    fixed.flags.writeable = False
    same(yoke.from_dlpack(fixed), N)
    for wrong, kind, text in (
        (lambda: yoke.from_dlpack(3), TypeError, "int has no __dlpack__: yoke.asarray"),
        (lambda: a.__dlpack__(dl_device=1), TypeError, "dl_device is a tuple of two ints, not 1"),
        (lambda: a.__dlpack__(max_version="1"), TypeError, "max_version is a tuple of two ints"),
        (lambda: a.__dlpack__(dl_device=(99, 0)), BufferError, r"not on \(99, 0\)"),
    ):
        with pytest.raises(kind, match=text):
            wrong()


# ---- Streams of other libraries ----

class Foreign:
    """A stream by the protocol."""

    def __init__(self, answer):
        self.answer = answer

    def __cuda_stream__(self):
        return self.answer


def test_cuda_stream(device, stream):
    with stream.native() as handle:
        assert isinstance(handle, int)
        if device.backend == "cuda":
            assert handle.__cuda_stream__() == (0, handle) and type(handle.__cuda_stream__()[1]) is int
        else:
            assert not hasattr(handle, "__cuda_stream__")
    with pytest.raises(ValueError, match="version 1, and 0 is known"):
        stream.wait_for_native(Foreign((1, 5)))
    with pytest.raises(ValueError, match="stream 0 is ambiguous"):
        stream.event().lead_native(Foreign((0, 0)))
    if device.backend == "cuda":
        stream.wait_for_native(Foreign((0, 1)))
        event = stream.event()
        event.wait()  # before, it may not have got to the driver
        assert event.lead_native(Foreign((0, 1)))
        assert yoke.ones(2).__dlpack__(stream=Foreign((0, 1)))


def test_ufunc_at():
    array, values = yoke.zeros(4), numpy.zeros(4, "f4")
    with pytest.raises(TypeError, match=r"multiply\.at is not there"):
        numpy.multiply.at(array, [0], 1.0)
    with pytest.raises(TypeError, match="Array"):
        numpy.add.at(values, [0], yoke.ones(1))
    assert values.tolist() == [0] * 4
    numpy.subtract.at(array, [1, 1], 1.0)
    assert array.tolist() == [0, -2, 0, 0]
