# SPDX-License-Identifier: Apache-2.0
"""yoke.numpy against NumPy: each line of the table is evaluated with both, over the same few arrays."""

import numpy
import pytest

import yoke
import yoke.numpy

# f: floats, g: with NaN and infinities, i: integers, u: bytes, z: complex numbers, b: a mask, v and w: vectors.
ARRAYS = {
    "f": numpy.array([[1.5, -2.25, 0.5, 3.0], [0.0, 4.75, -1.0, 2.0], [8.0, -0.5, 2.5, 1.0]], numpy.float32),
    "g": numpy.array([[1.5, numpy.nan, 0.5, 3.0], [numpy.nan, numpy.nan, numpy.nan, numpy.nan], [8.0, -0.5, numpy.inf, 1.0]],
                     numpy.float32),
    "i": numpy.array([[3, -1, 4, 1], [5, 9, -2, 6], [5, 3, 5, 8]], numpy.int32),
    "u": numpy.array([0, 1, 2, 200, 255, 7, 8, 9, 3], numpy.uint8),
    "z": numpy.array([[1 + 2j, -1j], [3.5 + 0j, -2 - 2j]], numpy.complex64),
    "b": numpy.array([[True, False, True, True], [False, False, True, False], [True, True, False, True]]),
    "v": numpy.array([1.0, 2.0, 4.0, 7.0], numpy.float32),
    "w": numpy.array([2, 0, 1, 3], numpy.int32),
    "s": numpy.array([3, 1, 3, 2, 1, 9], numpy.int32),
}

TABLE = {
    "shapes": """
        np.reshape(f, (4, 3)); np.reshape(f, (4, 3), order="F"); np.ravel(f.T); np.ravel(f, "F"); np.transpose(f)
        np.swapaxes(f, 0, 1); np.moveaxis(f[None], 0, -1); np.rollaxis(f[None], 2); np.rollaxis(f[None], 2, 1)
        np.expand_dims(f, (0, 2)); np.squeeze(f[None]); np.atleast_1d(f[0, 0]); np.atleast_2d(v); np.atleast_3d(v)
        np.atleast_3d(f); np.broadcast_to(v, (2, 4)); np.size(f, 1); np.broadcast_arrays(f, v); np.flip(f); np.flip(f, 0)
        np.fliplr(f); np.flipud(f); np.rot90(f); np.rot90(f, 2); np.rot90(f, 3); np.roll(f, 2); np.roll(f, 1, 0)
        np.roll(f, (1, 2), (0, 1)); np.roll(f, 1, (0, 1)); np.repeat(f, 2); np.repeat(f, 3, 1); np.repeat(f, w[:3], 0)
        np.tile(f, 2); np.tile(v, (2, 1)); np.resize(f, (5, 3)); np.resize(v, 2); np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]))
        np.unstack(f); np.matrix_transpose(f); np.permute_dims(f, (1, 0)); np.shape(f); np.ndim(f); np.astype(f, "int32")
        """,
    "joining": """
        np.concatenate([f, i]); np.concatenate([f, f], axis=None); np.concatenate([f, f], 1, dtype="float64"); np.stack([v, w])
        np.stack([v, w], 1); np.vstack([v, w]); np.hstack([v, w]); np.hstack([f, f]); np.dstack([v, w]); np.dstack([f, f])
        np.column_stack([v, w]); np.block([[f, f], [i, i]]); np.block([v, 2]); np.array_split(v, 3); np.split(v, 2)
        np.split(f, [1, 3], 1); np.hsplit(f, 2); np.vsplit(f, 3); np.dsplit(f[None], 2); np.append(f, v)
        np.append(f, v[None], 0); np.delete(v, 1); np.delete(f, [0, -1], 1); np.delete(f, slice(0, 2), 0); np.insert(v, 1, 9)
        np.insert(f, 1, 9, axis=1); np.insert(f, [0, 2], [7, 8, 9, 9], axis=0); np.insert(v, [1, 1, 4], [5, 6, 7])
        np.insert(f, 2, [1, 2, 3], axis=1); np.pad(f, 1); np.pad(f, ((1, 2), (0, 3)), "edge"); np.pad(v, 5, "reflect")
        np.pad(v, 5, "symmetric"); np.pad(v, 5, "wrap"); np.pad(v, 5, "reflect", reflect_type="odd")
        np.pad(v, 3, "symmetric", reflect_type="odd"); np.pad(f, 2, "constant", constant_values=((1, 2), (3, 4)))
        np.pad(v, 2, "linear_ramp", end_values=5); np.pad(f, 1, "maximum"); np.pad(f, 1, "mean", stat_length=2)
        np.pad(f, 1, "median")
        """,
    "creation": """
        np.zeros((2, 3), "float32"); np.ones(3, "int32"); np.full((2, 2), 7); np.full((2, 2), [1, 2]); np.zeros_like(f)
        np.ones_like(i, dtype="float32"); np.full_like(f, 2); np.zeros_like(f, shape=(2,)); np.eye(3, 4, 1, "float32")
        np.identity(3, "int32"); np.array([1, 2], ndmin=3); np.array([[v, v], [v, v]]); np.asarray([1, 2])
        np.ascontiguousarray(f.T); np.arange(5); np.arange(1, 10, 3); np.copy(f); np.linspace(0, 1, 5, dtype="float64")
        np.linspace(0, 1, 5, endpoint=False, dtype="float32"); np.linspace(v, w, 3); np.linspace(v, w, 3, axis=1)
        np.logspace(0, 2, 3, dtype="float64"); np.geomspace(1, 1000, 4, dtype="float64"); np.meshgrid(v, w)
        np.meshgrid(v, w, sparse=True, indexing="ij"); np.mgrid[0:3, 1:3]; np.ogrid[0:3, 1:3]; np.indices((2, 3))
        np.indices((2, 3), sparse=True); np.diag(v); np.diag(f, 1); np.diag(v, -2); np.diagflat(f[:2, :2])
        np.tri(3, 4, 1, "int32"); np.tril(f); np.triu(f, 1); np.tril(v); np.vander(v); np.vander(w, 3, True)
        np.fromfunction(lambda i, j: i * j, (2, 3), dtype="int64"); np.frombuffer(b"abcd", "uint8")
        np.fromiter([1, 2], "int32")
        """,
    "positions": """
        np.take(f, [0, 5]); np.take(f, [[0, 1], [2, 3]], 1); np.take(f, [9, -7], 1, mode="wrap")
        np.take(f, [9, -7], 1, mode="clip"); np.take_along_axis(f, np.argsort(f, 1), 1); np.compress([True, False, True], f, 0)
        np.extract(b, f); np.nonzero(b); np.flatnonzero(i); np.argwhere(b); np.where(b, f, i); np.where(b)
        np.choose(w, [v, v * 2, v * 3, v * 4]); np.choose(w + 2, [v, v * 2], mode="wrap")
        np.select([f > 2, f > 0], [f, f * 10], -1); np.piecewise(f, [f < 0, f > 2], [-1, lambda x: x * 2, 5]); np.diagonal(f)
        np.diagonal(f, 1, 1, 0); np.trace(f); np.trace(f, 1, dtype="float64"); np.diag_indices(3); np.tril_indices(3, -1)
        np.triu_indices(3, 0, 4); np.ix_([0, 2], [1, 3]); np.unravel_index([3, 7], (3, 4))
        np.unravel_index(7, (3, 4), order="F"); np.ravel_multi_index(([0, 1], [2, 3]), (3, 4))
        np.ravel_multi_index(([0, 9], [2, 3]), (3, 4), mode="wrap"); np.r_[1:4, 0, w]; np.c_[v, w]; np.r_["0,2", v, w]
        np.mask_indices(3, np.triu); np.r_[v, 0, 2.5]
        """,
    "order": """
        np.sort(f); np.sort(f, 0); np.sort(f, None); np.sort(z); np.argsort(i, 1); np.argsort(z, 0); np.lexsort((w, s[:4]))
        np.partition(f, 2)[:, 2]; np.searchsorted(v, [0, 2, 9]); np.searchsorted(v, [2.0], side="right"); np.unique(s)
        np.unique(s, return_index=True, return_inverse=True, return_counts=True); np.unique(g)
        np.unique(i, return_inverse=True); np.unique(i % 2, axis=1); np.isin(i, [3, 5]); np.isin(i, s, invert=True)
        np.union1d(s, w); np.intersect1d(s, w); np.intersect1d(s, w, return_indices=True); np.setdiff1d(s, w); np.setxor1d(s, w)
        np.sort_complex(w); np.argmax(g); np.argmin(g, 1); np.argmax(z); np.max(z); np.argmax(f, 0, keepdims=True)
        np.unique_counts(s)
        """,
    "reductions": """
        np.sum(f); np.sum(f, 0); np.sum(i, dtype="float32"); np.sum(f, where=b); np.sum(f, 1, initial=10, keepdims=True)
        np.prod(f, 1); np.max(f, 1); np.max(g, 1); np.min(f, initial=-9); np.max(f, where=b, initial=-100); np.mean(f, 0)
        np.mean(i); np.mean(z); np.mean(f, where=b); np.var(f, 1); np.var(i, ddof=1); np.var(z); np.std(f, 0, ddof=1)
        np.std(f, where=b); np.var(f, 0, where=b); np.all(f, 1); np.any(i > 8, 0); np.ptp(f, 1); np.cumsum(f); np.cumsum(i, 1)
        np.cumprod(f, 0); np.cumulative_sum(v, include_initial=True); np.average(f); np.average(f, 1, v)
        np.average(f, weights=i, returned=True); np.average(v, weights=w, returned=True); np.count_nonzero(f, 1)
        np.nansum(g, 1); np.nanprod(g, 0); np.nanmax(g, 0); np.nanmin(g[::2], 1); np.nanargmax(g[::2], 1); np.nanargmin(g[::2])
        np.nanmean(g[::2], 1); np.nanvar(f, 1); np.nanstd(g[:1], 1, ddof=1); np.nancumsum(g, 1); np.nancumprod(g, 0)
        np.nan_to_num(g); np.nan_to_num(g, nan=7, posinf=8); np.add.reduce(f); np.multiply.reduce(f, 1)
        np.maximum.reduce(f, None); np.bitwise_or.reduce(i, 1); np.logical_and.reduce(b, 0); np.add.accumulate(f, 1)
        np.add.outer(v, w); np.gcd.reduce(np.array([12, 18, 30], "int32"))
        """,
    "statistics": """
        np.median(f); np.median(f, 1); np.median(i, 0, keepdims=True); np.median(g, 1); np.nanmedian(g[::2], 1)
        np.percentile(f, 30); np.percentile(f, [10, 50, 90], 1); np.quantile(f, 0.3, method="lower")
        np.quantile(f, 0.3, method="higher"); np.quantile(f, 0.3, method="nearest"); np.quantile(f, 0.3, 1, method="midpoint")
        np.quantile(f, 0.3, method="hazen"); np.quantile(f, 0.3, method="weibull"); np.quantile(f, 0.3, method="inverted_cdf")
        np.quantile(f, 0.25, method="averaged_inverted_cdf"); np.quantile(f, 0.3, method="closest_observation")
        np.quantile(f, 0.3, method="median_unbiased"); np.nanquantile(g[::2], [0.2, 0.7], 1); np.nanpercentile(g[::2], 40)
        np.cov(f); np.cov(v, w); np.cov(f, rowvar=False, bias=True); np.cov(f, fweights=w, aweights=v); np.corrcoef(f)
        np.histogram(f); np.histogram(i, 4); np.histogram(f, [0, 1, 2, 5]); np.histogram(f, 4, (0, 4))
        np.histogram(f, 4, density=True); np.histogram(f, 4, weights=i); np.histogram2d(v, w, 3); np.histogramdd(f, 2)
        np.histogram_bin_edges(f, 3); np.bincount(s); np.bincount(s, minlength=12); np.bincount(w, v); np.digitize(f, [0, 1, 3])
        np.digitize(f, [3, 1, 0]); np.var(u); np.mean(i, dtype="int64"); np.sort_complex(v); np.round(i * 10 + 5, -1)
        np.sign(-f * 0); np.maximum(z, z[::-1]); np.fmin(z, z[::-1]); np.clip(b, 0, 1); np.digitize(f, [0, 1, 3], right=True)
        """,
    "products": """
        np.dot(v, v); np.dot(f, v); np.dot(f, f.T); np.dot(f[None], f.T); np.dot(f, 3); np.inner(f, v); np.inner(f, f)
        np.outer(v, w); np.vdot(z, z); np.vecdot(f, f); np.tensordot(f, f, ([0, 1], [0, 1])); np.tensordot(f, f.T, 1)
        np.matmul(f, f.T); np.matmul(f[None], v); np.kron(f, w); np.kron(z, v); np.cross(f[:, :3], f[:, 1:])
        np.cross(f[:, :2], f[:, 1:]); np.einsum("ij->ji", f); np.einsum("ij,kj->ik", f, f); np.einsum("ii->i", f[:3, :3])
        np.einsum("ii", f[:3, :3]); np.einsum("ij,j", f, v); np.einsum("ij,ij->i", f, i); np.einsum("...j,j->...", f[None], v)
        np.einsum("i,j->ij", v, w); np.einsum("ij,jk,kl->il", f, f.T, f); np.einsum("ij,jk,kl->il", f, f.T, f, optimize=True)
        np.einsum(f, [0, 1], v, [1], [0]); np.einsum("ij->", f); np.einsum("bij,bjk->bik", f[None], f.T[None])
        np.convolve(v, w); np.convolve(v, f[0, :3], "same"); np.convolve(v, w, "valid"); np.correlate(v, w)
        np.correlate(v, w[:3], "same"); np.correlate(w[:3], v, "full"); np.correlate(w[:2], v, "same")
        np.correlate(z[0], z[1], "full"); np.polyval(v, w); np.polyadd(v, w[1:]); np.polymul(v, w); np.polysub(v, w)
        np.polyder(v); np.polyint(v); np.poly(v); np.linalg.norm(f); np.linalg.norm(f, axis=1); np.linalg.norm(v, 1)
        np.linalg.norm(f, 1); np.linalg.norm(i); np.linalg.norm(f, numpy.inf, keepdims=True); np.linalg.norm(f, -1, (0, 1))
        np.linalg.multi_dot([f, f.T, f, v]); np.linalg.matrix_power(f[:3, :3], 3); np.linalg.norm(z, "fro")
        np.linalg.norm(f, keepdims=True)
        """,
    "functions": """
        np.add(f, i); np.subtract(f, 1); np.divide(i, 2); np.divide(i, w + 1); np.floor_divide(i, 2); np.remainder(i, 3)
        np.divmod(i, 3); np.fmod(i, 3); np.fmod(f, 2); np.power(f, 2); np.float_power(i, 2); np.maximum(f, g); np.fmax(f, g)
        np.minimum(i, 3); np.negative(f); np.absolute(z); np.conjugate(z); np.sign(f); np.square(i); np.reciprocal(v)
        np.sqrt(w); np.exp(v); np.log1p(v); np.arcsin(v / 8); np.arctan2(f, v); np.hypot(f, 3); np.deg2rad(v); np.degrees(v)
        np.floor(f); np.ceil(i); np.rint(f); np.trunc(f); np.fabs(f); np.copysign(f, -1); np.logaddexp(f, v)
        np.logaddexp2(f, v); np.heaviside(f, 0.5); np.modf(g); np.frexp(f); np.frexp(v * 1e-30); np.ldexp(v, w)
        np.equal(f, 1.5); np.less(f, i); np.logical_and(f, i); np.logical_not(f); np.isfinite(g); np.isnan(g); np.signbit(f)
        np.bitwise_and(i, 3); np.left_shift(i, 2); np.invert(i); np.gcd(i, 6); np.lcm(i, 4); np.bitwise_count(i)
        np.add(f, i, dtype="float64"); np.clip(f, 0, 2); np.clip(i, None, 4); np.clip(f, min=1); np.round(f, 1); np.fix(f)
        np.real(z); np.imag(f); np.angle(z); np.angle(z, deg=True); np.sinc(f); np.i0(f); np.isclose(f, f + 1e-6)
        np.isclose(g, g, equal_nan=True); np.allclose(f, f); np.array_equal(f, f); np.array_equiv(f, v); np.isposinf(g)
        np.isneginf(-g); np.iscomplex(z); np.isreal(z); np.real_if_close(z); np.diff(f); np.diff(f, 2, 0)
        np.diff(v, prepend=0, append=[9]); np.ediff1d(f, to_begin=-1, to_end=[7, 8]); np.trapezoid(f); np.trapezoid(f, v)
        np.trapezoid(f, dx=2, axis=0); np.unwrap(v * 3); np.unwrap(v * 3, period=4); np.gradient(v); np.gradient(f)
        np.gradient(f, 2, axis=1); np.gradient(v, [1, 2, 4, 8]); np.gradient(v, [1, 2, 4, 8], edge_order=2); np.interp(f, v, w)
        np.interp(f, v, w, left=-9, right=9); np.interp(f, v, w, period=5); np.packbits(b); np.packbits(b, 1)
        np.packbits(u, bitorder="little"); np.unpackbits(u); np.unpackbits(u[:, None], 1, count=5)
        np.unpackbits(u, bitorder="little", count=-3); np.apply_along_axis(lambda x: x * 2, 0, f)
        np.apply_along_axis(lambda x: x.sum(), 1, f); np.apply_over_axes(np.sum, f, [0, 1]); np.hanning(5).astype("float32")
        np.kaiser(6, 5.0).astype("float32"); np.blackman(5).astype("float32").round(6) + 0; np.bartlett(4).astype("float32")
        np.hamming(4).astype("float32")
        """,
}
if numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0":  # which refuses vectors of two elements there, as it had announced
    TABLE = {name: lines.replace("np.cross(f[:, :2], f[:, 1:]); ", "") for name, lines in TABLE.items()}
CASES = [text.strip().rstrip(";") for lines in TABLE.values() for line in lines.strip().splitlines() for text in line.split("; ")]


@pytest.fixture(scope="module")
def on_device():
    return {name: yoke.asarray(each) for name, each in ARRAYS.items()}


@pytest.fixture
def few(request, device):
    """On the CUDA double, which compiles each kernel as C++, one line of the table in forty."""
    if "double" in device.name and CASES.index(request.node.callspec.params["text"]) % 40:
        pytest.skip("on the CUDA double, which is slow, one in forty is tried")


def parts(value):
    """The arrays of a result, in a flat list."""
    if isinstance(value, (tuple, list)):
        return [each for one in value for each in parts(one)]
    return [value.to_numpy() if isinstance(value, yoke.Array) else numpy.asarray(value)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("text", CASES)
def test_results_are_numpys(few, on_device, text):
    wanted = parts(eval(text, {"np": numpy, "numpy": numpy, **ARRAYS}))
    found = parts(eval(text, {"np": yoke.numpy, "numpy": numpy, **on_device}))
    assert [each.shape for each in found] == [each.shape for each in wanted]
    for one, other in zip(found, wanted):
        assert one.dtype == other.dtype
        if other.dtype.kind in "biu":
            assert one.tolist() == other.tolist()
        else:
            limit = 20 * float(numpy.finfo(other.dtype).eps) if other.dtype != numpy.float64 else 1e-6
            numpy.testing.assert_allclose(one, other, rtol=limit, atol=limit)
