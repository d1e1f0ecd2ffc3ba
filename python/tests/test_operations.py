# SPDX-License-Identifier: Apache-2.0
"""Operations of libyoke-ops beside NumPy: products, random numbers, transforms, filters, order. Integers where they can be, so that
the results are compared exactly."""

import numpy
import pytest

import yoke
import yoke.fft
import yoke.random
from yoke import ndimage


@pytest.fixture(autouse=True)
def current(stream):
    with stream:
        yield


R = numpy.random.default_rng(1)
I = R.integers(-9, 9, (5, 8)).astype("i4")
F = R.integers(-9, 9, (5, 8)).astype("f4")


def same(got, expected):
    expected = numpy.asarray(expected)
    got = got.to_numpy()
    assert got.shape == expected.shape and (got == expected).all(), (got, expected)


def near(got, expected, bound=1e-4):
    got = got.to_numpy()
    assert got.shape == expected.shape, (got.shape, expected.shape)
    assert numpy.abs(got - expected).max() <= bound * max(1, numpy.abs(expected).max()), (got, expected)


@pytest.mark.parametrize("a, b", [((5, 8), (8, 3)), ((8,), (8, 3)), ((5, 8), (8,)), ((8,), (8,)), ((2, 1, 4, 3), (3, 3, 2))])
def test_matmul(a, b):
    a, b = (R.integers(-5, 5, shape).astype("f4") for shape in (a, b))
    same(yoke.asarray(a) @ yoke.asarray(b), a @ b)
    same(yoke.asarray(a.astype("i4")) @ b.astype("i4"), (a @ b).astype("i4"))
    same(a @ yoke.asarray(b) if a.ndim == 0 else yoke.matmul(a, yoke.asarray(b)), a @ b)


def test_complex_numbers_of_products():
    a, b = (numpy.array(x, "complex64") for x in ([[1 + 2j, 3], [-1j, 0.5]], [[2, 1j], [1 - 1j, -4]]))
    out = yoke.asarray(b)
    yoke.matmul(yoke.asarray(a), yoke.asarray(b), out, alpha=2 - 1j, beta=numpy.complex64(0.5j))
    same(out, (2 - 1j) * (a @ b) + 0.5j * b)
    same(yoke.matmul(yoke.asarray(a), yoke.asarray(b), epilogue="value * z", z=1j), (a @ b) * numpy.complex64(1j))
    y = yoke.zeros(3, "complex64")
    yoke.map("y = " + "+".join(f"a{i}" for i in range(31)), y=y, **{f"a{i}": 1j * i for i in range(31)})
    same(y, numpy.full(3, 465j, "complex64"))


def test_matmul_options():
    a, b, bias = F, F.T.copy(), numpy.arange(5, dtype="f4")
    out = yoke.ones((5, 5))
    assert yoke.matmul(yoke.asarray(a), yoke.asarray(b), out, alpha=2, beta=3) is out
    same(out, 2 * (a @ b) + 3)
    same(yoke.matmul(yoke.asarray(a), yoke.asarray(b), epilogue="max(value + b, 0)", b=yoke.asarray(bias)),
         numpy.maximum(a @ b + bias, 0))
    same(yoke.asarray(a).T @ yoke.asarray(a), a.T @ a)
    c = a[:, :5] + 1j * a[:, 3:]
    same(yoke.asarray(c.astype("c8")) @ yoke.asarray(c.astype("c8")).conj().T, (c @ c.conj().T).astype("c8"))
    same(yoke.outer(yoke.asarray(a[0]), yoke.asarray(a[1])), numpy.outer(a[0], a[1]))
    for wrong in (lambda: yoke.asarray(a) @ yoke.asarray(a), lambda: yoke.asarray(a) @ 3,
                  lambda: yoke.matmul(a, b, beta=1), lambda: yoke.matmul(a, b, epilogue="value +"),
                  lambda: yoke.matmul(a, b, yoke.ones((3, 3)))):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        yoke.matmul(a, b, bias=1.0)


def test_notebook():
    text = yoke.zeros((3, 4), "uint8")._repr_html_()
    assert "(3, 4)" in text and "uint8" in text and "device" in text


def test_complex_parts():
    c = (F + 1j * I).astype("c8")
    array = yoke.asarray(c)
    same(array.real, c.real)
    same(array.imag, c.imag)
    same(array.conj(), c.conj())
    real = yoke.asarray(F)
    assert real.real is real and real.conj() is real
    same(real.imag, numpy.zeros_like(F))


def test_random():
    random = yoke.random
    x = random.uniform(1000, 2, 5, seed=3)
    values = x.to_numpy()
    assert values.dtype == numpy.float32 and values.min() >= 2 and values.max() < 5 and abs(values.mean() - 3.5) < 0.2
    same(random.uniform(1000, 2, 5, seed=3), values)
    same(random.uniform(900, 2, 5, seed=3, offset=100), values[100:])
    assert (random.uniform(1000, 2, 5, seed=4).to_numpy() != values).any()
    assert (random.uniform(1000, 2, 5, seed=3, sequence=1).to_numpy() != values).any()
    normal = random.normal((50, 40), 10, 2, seed=1).to_numpy()
    assert abs(normal.mean() - 10) < 0.3 and abs(normal.std() - 2) < 0.2
    assert random.exponential(100, 3, seed=2).to_numpy().min() > 0
    dice = random.integers(1000, 1, 7, seed=5, dtype="uint8").to_numpy()
    assert dice.dtype == numpy.uint8 and set(dice) == {1, 2, 3, 4, 5, 6}
    assert set(random.integers(500, 1, seed=5, endpoint=True).to_numpy()) == {0, 1}
    full = random.integers(5, 0, 2**64, seed=5, dtype="uint64")
    same(full, random.integers(5, 0, 2**64 - 1, seed=5, endpoint=True, dtype="uint64").to_numpy())
    for low, high in ((-2**63 - 1, 0), (0, 2**64 + 1)):
        with pytest.raises(OverflowError, match="64 bits"):
            random.integers(5, low, high, seed=5, dtype="uint64")
    same(yoke.sort(random.permutation(77, seed=6)), numpy.arange(77))
    rows = yoke.asarray(numpy.arange(20, dtype="i4").reshape(10, 2))
    mixed = random.shuffle(rows, seed=1).to_numpy()
    assert (mixed[:, 1] == mixed[:, 0] + 1).all() and sorted(mixed[:, 0]) == list(range(0, 20, 2))
    for wrong in (lambda: random.uniform(3, 1, 1, seed=0), lambda: random.uniform(3, seed=-1), lambda: random.uniform(-3, seed=1),
                  lambda: random.normal(3, 0, -1, seed=0), lambda: random.integers(3, 5, 5, seed=0),
                  lambda: random.uniform(3, seed=0, offset=2**64), lambda: random.normal(3, seed=0, dtype="int32")):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises((OverflowError, ValueError)):
        random.uniform(3, seed=0, sequence=2**32)
    with pytest.raises(IndexError):
        random.integers(3, 0, 300, seed=0, dtype="uint8")


def test_fft():
    fft = yoke.fft
    x = R.standard_normal((6, 10)).astype("f4")
    c = (x + 1j * x[::-1]).astype("c8")
    for name in ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn"):
        near(getattr(fft, name)(yoke.asarray(c)), getattr(numpy.fft, name)(c))
        near(getattr(fft, name)(yoke.asarray(c), norm="ortho"), getattr(numpy.fft, name)(c, norm="ortho"))
    for name in ("rfft", "rfft2", "rfftn"):
        half = getattr(numpy.fft, name)(x)
        near(getattr(fft, name)(yoke.asarray(x)), half)
        near(getattr(fft, "i" + name)(yoke.asarray(half.astype("c8"))), x)
    near(fft.fft(yoke.asarray(x), 7, axis=0), numpy.fft.fft(x, 7, axis=0))
    near(fft.fft(yoke.asarray(x), 4), numpy.fft.fft(x, 4))
    near(fft.irfft(fft.rfft(yoke.asarray(x[:, :9])), 9), x[:, :9])
    near(fft.fft(yoke.asarray(I)), numpy.fft.fft(I))
    assert fft.rfft(yoke.asarray(x)).dtype == numpy.complex64
    for wrong in (lambda: fft.fft(yoke.asarray(x), 0), lambda: fft.fft(yoke.asarray(x), norm="wide"),
                  lambda: fft.fftn(yoke.zeros((2, 2)), (1, 2, 2)), lambda: fft.fftn(yoke.asarray(x), s=(2,), axes=(0, 1)),
                  lambda: fft.fft(yoke.asarray(x), axis=5), lambda: fft.irfftn(yoke.asarray(c), axes=()),
                  lambda: fft.rfftn(yoke.asarray(x), axes=()), lambda: fft.fft(yoke.asarray(x), -1)):
        with pytest.raises((ValueError, IndexError)):
            wrong()
    with pytest.raises(TypeError):
        fft.rfft(yoke.asarray(c))


def test_fft_of_any_axes():
    """More than three, one more than once, none; extents of -1 are those of the array."""
    x = R.integers(-9, 9, (2, 3, 2, 4)).astype("f4")
    c = (x + 1j * x[::-1]).astype("c8")
    for name, a in (("fftn", c), ("ifftn", c), ("rfftn", x), ("irfftn", c)):
        for axes, s in ((None, None), ((1, 1), None), ((3, 0, 3), (4, 3, 2)), ((0, 1), (-1, 2))):
            near(getattr(yoke.fft, name)(yoke.asarray(a), s, axes, "ortho"), getattr(numpy.fft, name)(a, s, axes, "ortho"))
    a = yoke.asarray(c)
    assert yoke.fft.fftn(a, axes=()) is a


def test_fft_convolve():
    a, b = F[0], F[1, :3]
    for mode in ("full", "same", "valid"):
        near(yoke.fft.convolve(yoke.asarray(a), yoke.asarray(b), mode), numpy.convolve(a, b, mode))
    with pytest.raises(ValueError):
        yoke.fft.convolve(yoke.asarray(a), yoke.asarray(b), "half")
    with pytest.raises(ValueError):
        yoke.fft.convolve(yoke.asarray(F), yoke.asarray(b))


def windows(a, weights, mode):
    """The correlation as it is defined: scipy is not needed."""
    before = [n // 2 for n in weights.shape]
    wide = numpy.pad(a, [(k, n - 1 - k) for k, n in zip(before, weights.shape)], mode)
    view = numpy.lib.stride_tricks.sliding_window_view(wide, weights.shape)
    return (view * weights).sum(tuple(range(a.ndim, 2 * a.ndim)))


@pytest.mark.parametrize("mode, padding", [("reflect", "symmetric"), ("constant", "constant"), ("nearest", "edge"),
                                           ("mirror", "reflect"), ("wrap", "wrap")])
def test_filters(mode, padding):
    a, w = yoke.asarray(F), numpy.arange(15, dtype="f4").reshape(3, 5) - 4
    near(ndimage.correlate(a, w, mode=mode), windows(F, w, padding))
    near(ndimage.convolve(a, w, mode=mode), windows(F, w[::-1, ::-1], padding))
    near(ndimage.uniform_filter(a, 3, mode=mode), windows(F, numpy.full((3, 3), 1 / 9), padding))
    x = numpy.arange(-8, 9)
    gauss = numpy.exp(-x**2 / 8) / numpy.exp(-x**2 / 8).sum()
    wide = ndimage.gaussian_filter(yoke.asarray(numpy.tile(F, (4, 4))), 2, axes=(1,), mode=mode)
    near(wide, windows(numpy.tile(F, (4, 4)), gauss[None, :], padding))
    near(ndimage.correlate1d(a, [1, 2, 3], axis=0, mode=mode), windows(F, numpy.array([[1], [2], [3]]), padding))
    near(ndimage.separable_filter(a, [[1, 2, 1], [-1, 0, 1]], mode=mode), windows(F, numpy.outer([1, 2, 1], [-1, 0, 1]), padding))
    near(ndimage.sobel(a, mode=mode), windows(F, numpy.outer([1, 2, 1], [-1, 0, 1]), padding))


def test_filter_options():
    a = yoke.asarray(F)
    near(ndimage.correlate(a, [[1]], mode="constant", output="float64"), F)
    assert ndimage.correlate(a, [[1]], output="float64").dtype == numpy.float64
    out = yoke.zeros((5, 8))
    assert ndimage.uniform_filter(a, (3, 1), output=out) is out
    same(ndimage.gaussian_filter(a, 2, truncate=0), F)
    near(ndimage.correlate1d(a, [1, 0, 0], mode="constant", cval=7), numpy.hstack([numpy.full((5, 1), 7), F[:, :-1]]))
    near(ndimage.correlate1d(a, [0, 1, 0], mode="wrap", origin=1), numpy.roll(F, 1, 1))
    for call in (lambda x, out: ndimage.gaussian_filter(x, 1, output=out), lambda x, out: ndimage.uniform_filter(x, 3, output=out),
                 lambda x, out: ndimage.sobel(x, output=out), lambda x, out: ndimage.convolve(x, numpy.ones((3, 3)), output=out),
                 lambda x, out: ndimage.correlate1d(x, [1, 2, 3], output=out)):
        wide = yoke.asarray(numpy.vstack([F, F]))
        x, expected = wide[:5].copy(), call(wide[:5], None).to_numpy()
        assert call(x, x) is x
        same(x, expected)
        same(call(wide[:5], wide[2:7]), expected)  # they overlap
    for wrong in (lambda: ndimage.correlate(a, [1, 2, 1]), lambda: ndimage.correlate(a, [[1, 2], [1]]),
                  lambda: ndimage.correlate(a, [[]]),
                  lambda: ndimage.gaussian_filter(a, -1), lambda: ndimage.gaussian_filter(a, (1, 2, 3)),
                  lambda: ndimage.uniform_filter(a, 0), lambda: ndimage.sobel(a, mode="round"),
                  lambda: ndimage.sobel(a, 0, axes=(1,)),
                  lambda: ndimage.correlate1d(a, [1, 2, 1], origin=2), lambda: ndimage.gaussian_filter(a, 1, output=yoke.zeros(3))):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(IndexError):
        ndimage.sobel(a, 5)


def test_scans_and_clip():
    a = yoke.asarray(I)
    same(yoke.cumsum(a, 1), I.cumsum(1))
    same(yoke.cumprod(a[:, :4], 0), I[:, :4].astype("i8").cumprod(0))
    same(yoke.cummax(a, 1), numpy.maximum.accumulate(I, 1))
    same(yoke.cummin(a), numpy.minimum.accumulate(I.ravel()))
    same(yoke.scan("sum", a, 1, exclusive=True), I.cumsum(1) - I)
    same(yoke.clip(a, -3, 4), I.clip(-3, 4))
    same(yoke.clip(yoke.asarray(F), -2.5, 2.5), F.clip(-2.5, 2.5))
    bytes_ = yoke.asarray(numpy.array([0, 1, 5, 255], "u1"))
    for low, high, expected in ((-5, 300, [0, 1, 5, 255]), (-5, 4, [0, 1, 4, 4]), (1.5, 2**70, [2, 2, 5, 255])):
        same(yoke.clip(bytes_, low, high), expected)
    for wrong in (lambda: yoke.scan("mean", a), lambda: yoke.reduce("median", a)):
        with pytest.raises(ValueError):
            wrong()


@pytest.mark.parametrize("axis", [None, 1, (0, 1)])
def test_reductions_from_a_number_and_where(axis):
    array, mask = yoke.asarray(I), I % 3 == 0
    for name in ("sum", "prod", "min", "max"):
        for options in ({"initial": 2}, {"initial": -3, "where": mask}, {"initial": 1, "where": mask[:, :1], "keepdims": True}):
            expected = getattr(I, name)(axis, **options)
            same(getattr(array, name)(axis, **options), expected)
            same(getattr(numpy, name)(array, axis, **options), expected)
    for name in ("sum", "prod", "any", "all"):
        same(getattr(array, name)(axis, where=yoke.asarray(mask)), getattr(I, name)(axis, where=mask))


def test_reductions_of_nothing_from_a_number():
    array, out = yoke.asarray(I), yoke.zeros(8, "int64")
    assert array[:0].min(0, out, initial=7) is out and out.tolist() == [7] * 8
    same(array[:0].max(0, initial=-2, keepdims=True), I[:0].max(0, initial=-2, keepdims=True))
    assert array.sum(0, "float64", initial=0.5).tolist() == I.sum(0, "f8", initial=0.5).tolist()
    for call, kind, text in ((lambda: array.min(where=I > 0), ValueError, "takes initial"),
                             (lambda: array.sum(initial=0.5), TypeError, "initial is 0.5"),
                             (lambda: array.sum(where=I), TypeError, "mask of bool"),
                             (lambda: array[0].sum(where=I > 0), ValueError, "a mask of shape"),
                             (lambda: array[:0].min(0, yoke.zeros(3), initial=1), ValueError, "out has the shape"),
                             (lambda: array[:0].min(0), ValueError, "no elements")):
        with pytest.raises(kind, match=text):
            call()


def test_topk_along_another_axis():
    for largest in (True, False):
        values, positions = yoke.topk(yoke.asarray(F), 3, axis=0, largest=largest)
        same(values, numpy.sort(F, 0)[::-1][:3] if largest else numpy.sort(F, 0)[:3])
        same(yoke.take_along_axis(yoke.asarray(F), positions, 0), values.to_numpy())
    with pytest.raises(ValueError, match="axis has 5"):
        yoke.topk(yoke.asarray(F), 6, axis=0)
    with pytest.raises(IndexError, match="out of range"):
        yoke.topk(yoke.asarray(F), 1, axis=2)


def test_quantiles():
    for axis in (None, 0, (0, 1), -1, ()):
        same(yoke.quantile(F, 0.25, axis), numpy.quantile(F, 0.25, axis).astype("f4"))
        same(yoke.quantile(F, [0.5, 0, 1], axis, method="higher", keepdims=True),
             numpy.quantile(F, [0.5, 0, 1], axis, method="higher", keepdims=True))
    long = R.permutation(20001).astype("f4")
    same(yoke.quantile(long, (0.25, 0.5), dtype="float32"), [5000, 10000])
    assert yoke.quantile(yoke.asarray([1.0, 2.0, numpy.inf]), 0.5).item() == 2
    assert numpy.isnan(yoke.quantile([1.0, 2.0, numpy.nan], [0, 1]).to_numpy()).all()
    assert yoke.quantile(yoke.asarray(I), 0.5, method="lower").dtype == numpy.int32
    for kind, text, wrong in ((ValueError, "q is from 0 to 1", lambda: yoke.quantile(F, [0.5, 2])),
                              (ValueError, "hazen", lambda: yoke.quantile(F, 0.5, method="near")),
                              (IndexError, "out of range", lambda: yoke.quantile(F, 0.5, 2)),
                              (TypeError, "no order", lambda: yoke.quantile(yoke.asarray(F).astype("complex64"), 0.5))):
        with pytest.raises(kind, match=text):
            wrong()


@pytest.mark.parametrize("q", [numpy.array(0.5), numpy.float64(0.5), memoryview(numpy.array([0.5, 1])), iter([0.5, 1]), ()])
def test_parts_of_quantiles(q):
    parts = [0.5, 1] if hasattr(q, "__next__") else q
    same(yoke.quantile(F, q), numpy.quantile(F, parts).astype("f4"))
    same(yoke.quantile(F, yoke.asarray(0.5), 1), numpy.quantile(F, 0.5, 1).astype("f4"))


@pytest.mark.parametrize("q", [
    numpy.float64(0.5).tobytes(), bytearray(8), memoryview(b"\0\1"), [[0.5]], numpy.array([[0.5]]), None, [None], "0.5", 0.5j])
def test_parts_that_quantiles_refuse(q):
    with pytest.raises(TypeError, match="q is a number from 0 to 1, or a sequence of them in one dimension, not "):
        yoke.quantile(F, q)


def test_quantiles_of_no_elements():
    none = yoke.zeros((0, 3), "int32")
    for each in (none, none.astype("bool")):
        with pytest.raises(ValueError, match="array has no elements along the axes: their quantile is NaN, which"):
            yoke.quantile(each, 0.5, 0, method="lower")
    assert numpy.isnan(yoke.quantile(none, 0.5, 0).to_numpy()).all()
    assert yoke.quantile(none, 0.5, 1, method="lower").shape == (0,)


def test_each_element_alone_of_eight_axes():
    """axis=(), of as many axes as there are."""
    x = numpy.arange(4, dtype="f4").reshape(2, 1, 1, 1, 1, 1, 1, 2)
    array, out = yoke.asarray(x), yoke.zeros(x.shape, "int32")
    for result in (yoke.quantile(array, 0.5, ()), array.sum(()), yoke.reduce("a + b", array, (), initial=0)):
        same(result, x)
    assert array.sum((), out=out) is out and (out.to_numpy() == x).all()
    with pytest.raises(ValueError, match="at most 8 dimensions"):
        yoke.quantile(array, [0.5], ())


def test_order():
    keys = numpy.sort(I.ravel())
    values, indices = yoke.topk(yoke.asarray(F), 3)
    same(values, -numpy.sort(-F, 1)[:, :3])
    same(indices, numpy.argsort(-F, 1, kind="stable")[:, :3])
    same(yoke.topk(yoke.asarray(F), 2, largest=False)[0], numpy.sort(F, 1)[:, :2])
    for side in ("left", "right"):
        same(yoke.searchsorted(yoke.asarray(keys), [-20, -3, 0, 4, 30], side), numpy.searchsorted(keys, [-20, -3, 0, 4, 30], side))
    for queries in ([2.5, 0.5, -0.5], [-1, 300], numpy.uint8([2, 3]), 2):
        same(yoke.searchsorted(yoke.asarray(numpy.array([1, 2, 3], "u1")), queries), numpy.searchsorted([1, 2, 3], queries))
    same(yoke.searchsorted(yoke.asarray(numpy.array([2**24, 2**24 + 1])), [2**24 + 0.5]), [1])
    same(yoke.unique(yoke.asarray(I)), numpy.unique(I))
    for got, expected in zip(yoke.unique(yoke.asarray(I), return_counts=True), numpy.unique(I, return_counts=True)):
        same(got, expected)
    same(yoke.unique(yoke.zeros(0)), numpy.zeros(0))
    flat, flags = yoke.asarray(I.ravel()), yoke.asarray(I.ravel()) > 0
    same(flat[flags], I[I > 0])
    everything, count = yoke.partition_by(flat, flags)
    same(everything, numpy.concatenate([I[I > 0], I[I <= 0]]))
    assert count.item() == (I > 0).sum()
    for wrong in (lambda: yoke.topk(yoke.asarray(F), 9), lambda: yoke.topk(yoke.asarray(F), -1),
                  lambda: yoke.searchsorted(yoke.asarray(keys), [1], "middle"), lambda: yoke.searchsorted(yoke.asarray(I), [1]),
                  lambda: yoke.topk(yoke.asarray(1.0), 1)):
        with pytest.raises(ValueError):
            wrong()


def test_histograms():
    flat = yoke.asarray(F.ravel())
    counts, edges = yoke.histogram(flat, 6, (-9, 9))
    same(counts, numpy.histogram(F, 6, (-9, 9))[0])
    near(edges, numpy.histogram(F, 6, (-9, 9))[1])
    same(yoke.histogram(flat, 4)[0], numpy.histogram(F, 4)[0])
    same(yoke.histogram(flat, [-9.0, 0.0, 2.0, 9.0])[0], numpy.histogram(F, [-9, 0, 2, 9])[0])
    weights = numpy.arange(40, dtype="f4")
    same(yoke.histogram(flat, 6, (-9, 9), weights=weights)[0], numpy.histogram(F.ravel(), 6, (-9, 9), weights=weights)[0])
    digits = (I.ravel() + 9).astype("u4")
    same(yoke.bincount(yoke.asarray(digits)), numpy.bincount(digits))
    same(yoke.bincount(yoke.asarray(digits), minlength=30), numpy.bincount(digits, minlength=30))
    same(yoke.bincount(yoke.asarray(digits), length=4), numpy.bincount(digits, minlength=4)[:4])
    same(yoke.bincount(yoke.asarray(digits), weights), numpy.bincount(digits, weights))
    same(yoke.histogram(yoke.asarray(digits), [-0.5, 3.5, 6])[0], numpy.histogram(digits, [-0.5, 3.5, 6])[0])
    same(yoke.histogram(yoke.asarray(digits), [-1, 3, 6])[0], numpy.histogram(digits, [-1, 3, 6])[0])
    same(yoke.histogram(yoke.asarray(numpy.array([2**63, 2**63 + 100, 2**64 - 1], "u8")), 4)[0], [2, 0, 0, 1])
    same(yoke.bincount(yoke.zeros(0, "uint32")), [])
    for wrong in (lambda: yoke.histogram(flat, 0), lambda: yoke.histogram(flat, 3, (2, 1)), lambda: yoke.histogram(flat, [1.0]),
                  lambda: yoke.bincount(flat, length=3)):
        with pytest.raises(ValueError):
            wrong()


def test_scatter_and_segments():
    out, indices = yoke.zeros((4, 8), "int32"), yoke.asarray(numpy.array([2, 0, 9]))
    yoke.scatter(out, indices, I[:3])
    expected = numpy.zeros((4, 8), "i4")
    expected[2], expected[0] = I[0], I[1]
    same(out, expected)
    yoke.scatter(out, indices, yoke.asarray(I[:3]), add=True)
    same(out, 2 * expected)
    flat, offsets = yoke.asarray(I.ravel()), yoke.asarray(numpy.array([0, 3, 3, 40]))
    same(yoke.reduce_segments("sum", flat, offsets), [I.ravel()[:3].sum(), 0, I.ravel()[3:].sum()])
    for flat_type, total in (("int32", "int64"), ("float32", "float32")):
        x, y = I.ravel().astype(flat_type), numpy.arange(40).astype(flat_type)
        got = yoke.map_reduce_segments("sum", "d = x - a; d * y", offsets, x=yoke.asarray(x), y=yoke.asarray(y), a=2)
        d = ((x - 2) * y).astype(total)
        assert got.dtype == total
        same(got, [d[:3].sum(), 0, d[3:].sum()])
    other = yoke.asarray(I.ravel(), stream=yoke.Stream(flat.device))
    same(yoke.map_reduce_segments("argmax", "-x", offsets, x=other), [(-I.ravel()[:3]).argmax(), -1, (-I.ravel()[3:]).argmax()])
    same(yoke.map_reduce_segments("max", "x * 0.5", offsets, dtype="float64", x=flat)[2], I.ravel()[3:].max() * 0.5)
    for name, expression, ends in (("sum", "x +", offsets), ("total", "x", offsets), ("sum", "x", None), ("sum", "x", 3),
                                   ("sum", "x", yoke.zeros(3)), ("sum", "x", yoke.zeros((2, 2), "int32"))):
        with pytest.raises((ValueError, TypeError)):
            yoke.map_reduce_segments(name, expression, ends, x=flat)
    with pytest.raises(TypeError, match="shape"):
        yoke.map_reduce_segments("sum", "1", offsets)
    starts = yoke.asarray(numpy.arange(40) % 8 == 0)
    same(yoke.scan_segments("sum", flat, starts), I.cumsum(1).ravel())
    for wrong in (lambda: yoke.scatter(out, indices, I[:2]), lambda: yoke.reduce_segments("sum", flat, yoke.zeros((2, 2), "int64")),
                  lambda: yoke.scan_segments("norm", flat, starts)):
        with pytest.raises(ValueError):
            wrong()


def test_map_reduce():
    """Beside reductions of the values that NumPy stores."""
    x, y = yoke.asarray(F), yoke.asarray(F[:1])
    values = (F - F[:1]) * 2
    for axis in (None, 0, numpy.int64(-1), (0, 1), ()):
        for keepdims in (False, True):
            same(yoke.map_reduce("sum", "d = x - y; d * k", axis, keepdims=keepdims, x=x, y=y, k=2),
                 values.sum(axis, keepdims=keepdims))
    same(yoke.map_reduce("argmin", "-x", 1, x=x), (-F).argmin(1))
    assert yoke.map_reduce("sum", "x", x=yoke.asarray(I)).dtype == "int64"
    assert yoke.map_reduce("sum", "x * k", x=yoke.asarray(I), k=0.5).item() == I.sum() * 0.5
    assert yoke.map_reduce("any", "x > k", dtype="float64", x=x, k=100).item() is False
    same(yoke.map_reduce("sum", "x * c", x=x, c=1j), F.sum() * 1j)
    other = yoke.asarray(I, stream=yoke.Stream(x.device))
    result = yoke.map_reduce("max", "x + z", x=x, z=other)
    assert result.stream is x.stream and result.item() == (F + I).max()
    with pytest.raises(ValueError, match=r"x \+\n *\^"):
        yoke.map_reduce("sum", "x +", x=x)
    for error, match, call in ((ValueError, "no such reduction", lambda: yoke.map_reduce("median", "x", x=x)),
                               (TypeError, "shape", lambda: yoke.map_reduce("sum", "1")),
                               (TypeError, "str", lambda: yoke.map_reduce("sum", 1, x=x)),
                               (TypeError, "asarray", lambda: yoke.map_reduce("sum", "x", x=F)),
                               (IndexError, "axis 2", lambda: yoke.map_reduce("sum", "x", 2, x=x)),
                               (ValueError, "twice", lambda: yoke.map_reduce("sum", "x", (0, 0), x=x)),
                               (ValueError, "broadcast", lambda: yoke.map_reduce("sum", "x * z", x=x, z=yoke.ones(3))),
                               (ValueError, "no elements", lambda: yoke.map_reduce("max", "z", 0, z=yoke.ones((0, 3))))):
        with pytest.raises(error, match=match):
            call()


def test_select_where():
    flat = yoke.asarray(I.ravel())
    other = yoke.asarray(F.ravel(), stream=yoke.Stream(flat.device))
    same(yoke.select_where(flat, "x > limit", x=flat, limit=2.5), I[I > 2.5])
    same(yoke.select_where(flat, "y < 0", y=other), I[F < 0])
    with pytest.raises(ValueError, match=r"\^"):
        yoke.select_where(flat, "x >", x=flat)
    with pytest.raises(ValueError):
        yoke.select_where(yoke.asarray(I), "x > 0", x=flat)


def test_several_streams(device):
    """Work on arrays of two streams is ordered, both ways."""
    with device.stream() as other:
        a = yoke.full((64, 64), 2)
        b = yoke.full((64, 64), 3, stream=other)
        c = a @ b
        b.fill(0)
        same(c, numpy.full((64, 64), 384))
