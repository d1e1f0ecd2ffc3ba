# SPDX-License-Identifier: Apache-2.0
"""What LU and Cholesky's factors give, beside NumPy: residuals in units of rounding, shapes, dtypes, and matrices without
factors."""

import math

import numpy
import pytest

import yoke
from yoke import linalg

DTYPES = ["float32", "complex128"] if yoke.default_stream().device.supports("fp64") else ["float32", "complex64"]
SHAPES = [(1, 1), (5, 5), (2, 3, 7, 7), (70, 70), (2, 0, 3, 3), (0, 0)]  # more rows than a block has threads, too


def matrices(shape, dtype):
    """Some that need pivots: the diagonal is 0, but for matrices of one element."""
    rng = numpy.random.default_rng(7)
    values = rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype.startswith("c") else 0)
    if shape[-1] > 1:
        values[..., range(shape[-1]), range(shape[-1])] = 0
    return values.astype(dtype)


def epsilon(dtype):
    return numpy.finfo(dtype).eps


def norm(x):
    return numpy.abs(x).max(initial=0)


@pytest.fixture(params=[(shape, dtype) for dtype in DTYPES for shape in SHAPES], ids=str)
def a(request):
    return matrices(*request.param)


def test_inv(a):
    found = linalg.inv(yoke.asarray(a)).to_numpy()
    assert found.shape == a.shape and found.dtype == a.dtype
    n = a.shape[-1]
    limit = 4 * n * epsilon(a.dtype) * max(1, norm(a)) * max(1, norm(found))
    assert norm(a @ found - numpy.eye(n)) <= limit


def test_solve(a):
    n = a.shape[-1]
    for b in (a[..., :2] + 1, numpy.arange(n).astype(a.dtype)):
        found = linalg.solve(yoke.asarray(a), yoke.asarray(b)).to_numpy()
        expected = numpy.linalg.solve(a, b)
        assert found.shape == expected.shape and found.dtype == expected.dtype
        back = a @ found if b.ndim > 1 else (a @ found[..., None])[..., 0]
        assert norm(back - b) <= 4 * n * epsilon(a.dtype) * max(1, norm(a)) * max(1, norm(found))


def test_determinants(a):
    x = yoke.asarray(a)
    wide = a.astype("complex128" if a.dtype.kind == "c" else "float64")
    sign, logarithm = linalg.slogdet(x)
    expected = numpy.linalg.slogdet(wide)
    assert sign.dtype == a.dtype and logarithm.dtype == numpy.zeros(0, a.dtype).real.dtype and sign.shape == a.shape[:-2]
    limit = 40 * max(1, a.shape[-1]) * epsilon(a.dtype)
    numpy.testing.assert_allclose(sign.to_numpy(), expected.sign, atol=limit)
    numpy.testing.assert_allclose(logarithm.to_numpy(), expected.logabsdet, atol=limit, rtol=limit)
    if a.shape[-1] < 70:
        numpy.testing.assert_allclose(linalg.det(x).to_numpy(), numpy.linalg.det(wide), rtol=limit)


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(a, upper):
    n = a.shape[-1]
    p = (a @ a.conj().swapaxes(-1, -2) + n * numpy.eye(n)).astype(a.dtype)
    given = (numpy.triu(p) if upper else numpy.tril(p)).astype(a.dtype)  # the other triangle is not read
    found = linalg.cholesky(yoke.asarray(given), upper=upper).to_numpy()
    assert found.shape == p.shape and found.dtype == p.dtype
    assert numpy.array_equal(found, numpy.triu(found) if upper else numpy.tril(found))
    other = found.conj().swapaxes(-1, -2)
    assert norm((other @ found if upper else found @ other) - p) <= 4 * n * epsilon(a.dtype) * max(1, norm(p))


def test_powers():
    a = matrices((2, 4, 4), "float32")
    numpy.testing.assert_allclose(linalg.matrix_power(yoke.asarray(a), -2).to_numpy(),
                                  numpy.linalg.matrix_power(a.astype("float64"), -2), rtol=1e-3, atol=1e-4)


def test_broadcast():
    a, b = matrices((3, 1, 5, 5), "float32"), matrices((2, 5, 5), "float32")[..., :3]
    found = linalg.solve(yoke.asarray(a), yoke.asarray(b))
    assert found.shape == (3, 2, 5, 3)
    numpy.testing.assert_allclose(a @ found.to_numpy(), numpy.broadcast_to(b, (3, 2, 5, 3)), atol=1e-4)


def test_views_and_integers():
    a = matrices((5, 5), "float32")
    numpy.testing.assert_allclose(linalg.inv(yoke.asarray(a).T).to_numpy(), numpy.linalg.inv(a).T, rtol=1e-4, atol=1e-4)
    x = yoke.asarray(a)
    linalg.det(x), linalg.inv(x), linalg.cholesky(x @ x.T)
    numpy.testing.assert_array_equal(x.to_numpy(), a)  # which stays as it is
    assert linalg.det(yoke.asarray([[1, 2], [3, 4]])).item() == pytest.approx(-2)
    assert yoke.numpy.linalg.solve(x, x[0]).shape == (5,)


def test_determinants_of_singular_matrices():
    sign, logarithm = linalg.slogdet(yoke.ones((3, 3)))
    assert linalg.det(yoke.ones((3, 3))).item() == sign.item() == 0 and logarithm.item() == -math.inf
    assert math.isnan(linalg.det(yoke.full((2, 2), math.nan)).item())


@pytest.mark.parametrize("call, error, text", [
    (lambda a: linalg.inv(yoke.ones((2, 2))), numpy.linalg.LinAlgError, "a matrix is singular"),
    (lambda a: linalg.solve(yoke.stack([a, yoke.zeros((3, 3))]), a), numpy.linalg.LinAlgError, "a matrix is singular"),
    (lambda a: linalg.cholesky(-yoke.ones((2, 2))), numpy.linalg.LinAlgError, "not positive definite"),
    (lambda a: linalg.cholesky(yoke.full((1, 1), math.nan)), numpy.linalg.LinAlgError, "not positive definite"),
    (lambda a: linalg.det(a[:2]), ValueError, r"det: matrices of shape \(2, 3\) are not square"),
    (lambda a: linalg.inv(a[0]), ValueError, "inv: matrices"),
    (lambda a: linalg.solve(a, a[:2]), ValueError, "3 rows, and the right side the shape"),
    (lambda a: linalg.det(a.astype("float16")), TypeError, "not of float16: x.astype"),
    (lambda a: linalg.svd(a), AttributeError, "yoke.linalg has no svd: numpy.linalg.svd of x.to_numpy"),
    (lambda a: linalg.solv(a), AttributeError, "is it solve"),
])
def test_wrong_calls(call, error, text):
    with pytest.raises(error, match=text):
        call(yoke.asarray(matrices((3, 3), "float32")))


def test_determinants_that_overflow_on_their_way():
    for diagonal in ([1e30, 1e30, 1e-30, 1e-30], [1e20, 1e20, 1e-30]):
        a = numpy.diag(numpy.float32(diagonal))
        numpy.testing.assert_allclose(float(linalg.det(yoke.asarray(a))), numpy.linalg.det(a.astype(float)), rtol=1e-4)
