# SPDX-License-Identifier: Apache-2.0
"""yoke.ndimage beside SciPy, where it is installed: names, parameters and their order, and results; without it, ranks beside their
definition, as test_operations has the others. Values are small integers, so that sums are exact in float32, and SciPy's float64 has
the same."""

import inspect

import numpy
import pytest

import yoke
from yoke import ndimage

try:
    import scipy.ndimage as scipy_ndimage
except ImportError:
    scipy_ndimage = None

needs_scipy = pytest.mark.skipif(scipy_ndimage is None, reason="SciPy is not installed: yoke.ndimage is compared with it")

F = numpy.random.default_rng(2).integers(-9, 10, (7, 9)).astype("float32")
A = yoke.asarray(F)
W = [[1, 2, -1], [0, 3, 1], [2, -2, 1]]
CROSS = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
CORNER = [[1, 1, 0], [1, 0, 0]]
OWN = {"separable_filter"}

CALLS = {
    "correlate": [((W,), {}), ((W,), {"origin": (1, -1)}), (([1, 2, 3],), {"axes": (0,)})],
    "convolve": [((W,), {}), ((W,), {"origin": (1, -1)})],
    "correlate1d": [(([1, 2, 3, 4],), {}), (([1, 2, 3], 0), {"origin": 1})],
    "convolve1d": [(([1, 2, 3, 4],), {}), (([1, 2, 3], 0), {"origin": 1})],
    "uniform_filter": [((3,), {}), (((3, 4),), {"origin": (1, -1)})],
    "uniform_filter1d": [((4,), {"axis": 0})],
    "gaussian_filter": [((1.5,), {}), (((1, 2),), {"order": (0, 1)}), ((1.5,), {"radius": 3}), ((1.0, 2), {"truncate": 3.0}),
                        ((1.0, 3), {"axes": (1,)}), ((0,), {})],
    "gaussian_filter1d": [((1.5,), {"axis": 0}), ((1.5,), {"order": 1})],
    "sobel": [((), {}), ((0,), {})],
    "prewitt": [((), {}), ((0,), {})],
    "laplace": [((), {}), ((), {"axes": (1,)})],
    "gaussian_laplace": [((1.0,), {}), ((1.0,), {"truncate": 3.0})],
    "gaussian_gradient_magnitude": [((1.0,), {})],
    "minimum_filter": [((3,), {}), (((2, 5),), {"origin": (-1, 1)}), ((None, CROSS), {})],
    "maximum_filter": [((3,), {}), ((None, CROSS), {"origin": (0, 1)})],
    "minimum_filter1d": [((4,), {"axis": 0})],
    "maximum_filter1d": [((3,), {})],
    "median_filter": [((3,), {}), (((2, 3),), {}), ((None, CROSS), {}), ((3,), {"axes": (1,)})],
    "rank_filter": [((2, 3), {}), ((-2,), {"footprint": CROSS})],
    "percentile_filter": [((30, 3), {}), ((-20, 3), {}), ((100, 3), {})],
    "grey_erosion": [((3,), {}), ((None, CORNER), {"origin": (0, 1)}), ((), {"structure": [[0, 0, 0]]})],
    "grey_dilation": [((3,), {}), (((2, 4),), {"origin": (0, 1)}), ((None, CORNER), {"origin": (-1, 1)})],
    "grey_opening": [((3,), {}), ((None, CORNER), {})],
    "grey_closing": [((3,), {}), ((2,), {})],
    "binary_erosion": [((), {}), ((CORNER,), {"border_value": 1, "origin": (0, 1)}), ((), {"iterations": 2, "mask": F > -5})],
    "binary_dilation": [((), {}), ((CORNER,), {"origin": (-1, 0)}), (([[1, 1]],), {"iterations": -1, "mask": F > 3})],
    "binary_opening": [((), {}), ((CORNER,), {})],
    "binary_closing": [((), {}), (([[1, 1]],), {"iterations": 2})],
}
MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap"]


def near(ours, theirs):
    assert isinstance(ours, yoke.Array) and ours.shape == theirs.shape
    numpy.testing.assert_allclose(ours.to_numpy(), theirs, rtol=2e-5, atol=2e-5)


def test_all_are_compared():
    assert set(CALLS) == set(ndimage.__all__) - OWN


@needs_scipy
@pytest.mark.parametrize("name", CALLS)
def test_parameters_are_scipys(name):
    theirs = list(inspect.signature(getattr(scipy_ndimage, name)).parameters.values())
    ours = list(inspect.signature(getattr(ndimage, name)).parameters.values())
    newer = {"axes"} - {each.name for each in theirs}  # which an older SciPy lacks
    ours = [each for each in ours if each.name not in newer]
    assert [(each.name, each.kind, each.default) for each in ours] == [(each.name, each.kind, each.default) for each in theirs]


@needs_scipy
@pytest.mark.parametrize("name", CALLS)
def test_results(name):
    """Each call in one mode, and the first in each."""
    ours, theirs = getattr(ndimage, name), getattr(scipy_ndimage, name)
    for args, kwargs in CALLS[name]:
        near(ours(A, *args, **kwargs), theirs(F, *args, **kwargs))
    args, kwargs = CALLS[name][0]
    for mode in MODES[1:] if not name.startswith("binary") else []:
        near(ours(A, *args, **kwargs, mode=mode, cval=5.0), theirs(F, *args, **kwargs, mode=mode, cval=5.0))


@needs_scipy
def test_modes_of_axes():
    for name in ("gaussian_filter", "uniform_filter", "maximum_filter", "sobel", "laplace"):
        args = CALLS[name][0][0]
        near(getattr(ndimage, name)(A, *args, mode=["wrap", "constant"]),
             getattr(scipy_ndimage, name)(F, *args, mode=["wrap", "constant"]))


@needs_scipy
def test_wide_borders():
    """Larger than the array, where a mode repeats more than once."""
    small = numpy.arange(6, dtype="float32").reshape(2, 3)
    for mode in MODES[:5]:
        near(ndimage.maximum_filter(yoke.asarray(small), 11, mode=mode), scipy_ndimage.maximum_filter(small, 11, mode=mode))
        near(ndimage.rank_filter(yoke.asarray(small), 5, (3, 9), mode=mode), scipy_ndimage.rank_filter(small, 5, (3, 9), mode=mode))


@pytest.mark.parametrize("mode, padding", [("reflect", "symmetric"), ("constant", "constant"), ("nearest", "edge"),
                                           ("mirror", "reflect"), ("wrap", "wrap")])
def test_ranks_by_definition(mode, padding):
    wide = numpy.pad(F, [(1, 1), (2, 1)], padding)
    windows = numpy.sort(numpy.lib.stride_tricks.sliding_window_view(wide, (3, 4)).reshape(7, 9, 12), axis=-1)
    for rank, got in ((6, ndimage.median_filter(A, (3, 4), mode=mode)), (0, ndimage.minimum_filter(A, (3, 4), mode=mode)),
                      (11, ndimage.maximum_filter(A, (3, 4), mode=mode)), (4, ndimage.rank_filter(A, 4, (3, 4), mode=mode)),
                      (3, ndimage.percentile_filter(A, 30, (3, 4), mode=mode))):
        assert (got.to_numpy() == windows[..., rank]).all()


def test_ranks_of_every_dtype():
    """In integers of 64 bits each bit counts; NaN is the largest, and -0 smaller than 0."""
    large = numpy.array([2**63, 2**63 + 1, 5, 2**64 - 1, 0], dtype="uint64")
    assert ndimage.median_filter(yoke.asarray(large), 3).tolist() == [2**63, 2**63, 2**63 + 1, 5, 0]
    assert ndimage.maximum_filter(yoke.asarray(large), 3, mode="constant", cval=7).tolist()[-1] == 2**64 - 1
    a = yoke.asarray(numpy.array([1, numpy.nan, -0.0, 0.0], dtype="float32"))
    lows, highs = ndimage.minimum_filter(a, 3).to_numpy(), ndimage.maximum_filter(a, 3).to_numpy()
    assert (numpy.signbit(lows) == [False, True, True, True]).all() and (lows == [1, 0, 0, 0]).all()
    assert (numpy.isnan(highs) == [True, True, True, False]).all()
    for wrong in (0.5, 300, -1, 2**53 + 1, numpy.nan):
        with pytest.raises(ValueError, match="cval|value"):
            ndimage.minimum_filter(yoke.asarray(large.astype("uint8")), 3, mode="constant", cval=wrong)
    small = yoke.asarray(numpy.arange(12, dtype="int8").reshape(3, 4))
    for mode in ("constant", ["constant", "nearest"]):
        assert ndimage.minimum_filter(small, 3, mode=mode, cval=-7).tolist()[0] == [-7] * 4
        assert ndimage.maximum_filter(small, 3, mode=mode, cval=-7).tolist()[0] == [5, 6, 7, 7]
        for array, wrong in ((small, 0.5), (small, 1e10), (small == 1, 2)):
            with pytest.raises((ValueError, OverflowError), match="value|cval"):
                ndimage.minimum_filter(array, 3, mode=mode, cval=wrong)


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64", "float32"])
def test_results_beyond_the_range_of_the_output_are_its_ends(dtype):
    a = yoke.asarray(numpy.array([-6, 300, 5, 1000], dtype))
    own = yoke.zeros(4, "int8")
    assert ndimage.median_filter(a, 1, output="uint8").tolist() == [0, 255, 5, 255]
    assert ndimage.grey_dilation(a, 1, output="uint64").tolist() == [0, 300, 5, 1000]
    assert ndimage.maximum_filter(a, 1, output=own).tolist() == [-6, 127, 5, 127]
    assert ndimage.gaussian_filter(a, 0, 1, "uint8").tolist() == [0, 255, 5, 255]


def test_many_neighbours():
    """Larger arrays, of whose few neighbours a kernel sorts them, and a footprint of many."""
    image = numpy.random.default_rng(5).integers(0, 255, (130, 129)).astype("uint8")
    wide = numpy.pad(image, 4, "symmetric")
    windows = numpy.lib.stride_tricks.sliding_window_view(wide, (9, 9))
    middle = numpy.sort(windows[:, :, 3:6, 3:6].reshape(130, 129, 9), axis=-1)
    assert (ndimage.median_filter(yoke.asarray(image), 3).to_numpy() == middle[..., 4]).all()
    disk = numpy.hypot(*numpy.mgrid[-4:5, -4:5]) < 4.3
    chosen = numpy.sort(windows[:, :, disk], axis=-1)
    a = yoke.asarray(image)
    assert (ndimage.rank_filter(a, 11, footprint=disk).to_numpy() == chosen[..., 11]).all()
    assert (ndimage.maximum_filter(a, footprint=disk).to_numpy() == chosen[..., -1]).all()


def test_output():
    out = yoke.zeros(F.shape)
    for name, (args, kwargs) in {name: calls[0] for name, calls in CALLS.items()}.items():
        function = getattr(ndimage, name)
        wanted = function(A, *args, **kwargs).to_numpy()
        assert function(A, *args, output=out, **kwargs) is out
        assert (out.to_numpy() == wanted).all(), name
        own = A.copy()
        assert function(own, *args, output=own, **kwargs) is own and (own.to_numpy() == wanted).all(), name
    assert ndimage.median_filter(A, 3, output="float64").dtype == numpy.float64
    for wrong, error in ((numpy.zeros(F.shape), TypeError), (yoke.zeros(3), ValueError), ("float33", TypeError)):
        for function in (ndimage.median_filter, ndimage.uniform_filter, ndimage.laplace):
            with pytest.raises(error):
                function(A, *([] if function is ndimage.laplace else [3]), output=wrong)


@needs_scipy
@pytest.mark.parametrize("dtype", ["uint8", "int32"])
def test_integers(dtype):
    """Rounded to the nearest, within the range."""
    image = numpy.abs(F).astype(dtype) * 20
    a = yoke.asarray(image)
    for name, args in (("uniform_filter", (3,)), ("gaussian_filter", (1.0,)), ("laplace", ()), ("sobel", ())):
        exact = getattr(scipy_ndimage, name)(image.astype("float64"), *args)
        low, high = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
        ours = getattr(ndimage, name)(a, *args)
        assert ours.dtype == dtype
        assert numpy.abs(ours.to_numpy().astype("float64") - exact.clip(low, high)).max() <= 0.5 + 1e-4
    assert (ndimage.median_filter(a, 3).to_numpy() == scipy_ndimage.median_filter(image, 3)).all()
    mask = scipy_ndimage.maximum_filter((image > 60).astype("uint8"), 3) > 0
    assert ndimage.maximum_filter(a > 60, 3).tolist() == mask.tolist()


@needs_scipy
def test_lists_and_shapes():
    near(ndimage.median_filter([3.0, 1.0, 2.0, 9.0], 3), scipy_ndimage.median_filter(numpy.array([3.0, 1, 2, 9]), 3))
    assert ndimage.median_filter(yoke.zeros((0, 3)), 3).shape == (0, 3)
    strided = yoke.asarray(numpy.tile(F, (2, 2)))[::2, ::-3]
    near(ndimage.median_filter(strided, 3), scipy_ndimage.median_filter(numpy.tile(F, (2, 2))[::2, ::-3], 3))
    cube = numpy.random.default_rng(3).integers(0, 99, (4, 5, 6)).astype("float32")
    near(ndimage.minimum_filter(yoke.asarray(cube), (1, 2, 3)), scipy_ndimage.minimum_filter(cube, (1, 2, 3)))


@needs_scipy
@pytest.mark.parametrize("name, args", [("minimum_filter", ((1, 3),)), ("maximum_filter", (None, [[1, 1, 1]])),
                                        ("uniform_filter", ((1, 3),)), ("grey_dilation", ((1, 3),))])
def test_origins_of_axes_that_are_left_out(name, args):
    """A box of one element along an axis has any origin there, but of filters that SciPy does not take apart."""
    near(getattr(ndimage, name)(A, *args, origin=(2, 1)), getattr(scipy_ndimage, name)(F, *args, origin=(2, 1)))
    for wrong in (lambda: ndimage.median_filter(A, (1, 3), origin=(2, 1)), lambda: getattr(ndimage, name)(A, *args, origin=(0, 2)),
                  lambda: ndimage.maximum_filter(A, footprint=[[1, 0, 1]], origin=(2, 1))):
        with pytest.raises(ValueError):
            wrong()


@needs_scipy
@pytest.mark.parametrize("options", [{}, {"border_value": 1}, {"mask": F > 0.5}, {"iterations": 0}])
def test_structure_of_no_neighbours(options):
    structure = numpy.zeros((3, 3))
    for name in ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing"):
        got = getattr(ndimage, name)(A > 1, structure, **options).to_numpy()
        numpy.testing.assert_array_equal(got, getattr(scipy_ndimage, name)(F > 1, structure, **options), strict=True)


@needs_scipy
def test_axes_that_do_not_ascend():
    """What SciPy takes in the order of the axes, or what is the same along all; the rest is refused."""
    for name, args, options in (("uniform_filter", ((1, 3),), {}), ("gaussian_filter", ((1, 3),), {"order": (0, 1)}),
                                ("minimum_filter", ((1, 4),), {"origin": (0, 1), "mode": ("wrap", "constant")}),
                                ("minimum_filter", (None, [[1, 1, 1]]), {}), ("grey_dilation", ((2, 4),), {}),
                                ("median_filter", (3,), {"origin": 1}), ("gaussian_laplace", (1,), {}), ("binary_erosion", (), {})):
        near(getattr(ndimage, name)(A, *args, axes=(1, 0), **options),
             getattr(scipy_ndimage, name)(F, *args, axes=(1, 0), **options))
    for name, args, options in (
            ("correlate", ([[1, 2, 0]],), {}), ("convolve", ([[1, 2, 0]],), {}), ("median_filter", ((1, 3),), {}),
            ("median_filter", (3,), {"origin": (0, 1)}), ("minimum_filter", (), {"footprint": [[1, 0, 1]]}),
            ("rank_filter", (0, 3), {"mode": ("wrap", "nearest")}), ("percentile_filter", (30,), {"footprint": [[1, 1]]}),
            ("grey_erosion", (), {"structure": [[0, 0]]}), ("binary_dilation", ([[1, 1, 0]],), {}),
            ("binary_erosion", (), {"origin": (0, 1)}), ("gaussian_laplace", ((1, 2),), {})):
        getattr(ndimage, name)(A, *args, axes=(0, 1), **options)
        with pytest.raises(ValueError, match="axes are .1, 0., and ascend"):
            getattr(ndimage, name)(A, *args, axes=(1, 0), **options)


@pytest.mark.parametrize("mode", ["constant", ("constant", "wrap")])
@pytest.mark.parametrize("dtype, cvals", [("uint8", (numpy.nan, numpy.inf, 300, -1, 2.5)), ("bool", (numpy.nan, 2)),
                                          ("int64", (-numpy.inf, 2**63))])
def test_constants_that_are_no_elements(mode, dtype, cvals):
    for cval in cvals:
        with pytest.raises(yoke.InvalidArgumentError, match=f"^rank_filter: cval is .*, and the elements are {dtype}$"):
            ndimage.median_filter(A.astype(dtype), 3, mode=mode, cval=cval)


def test_weights_that_are_nan():
    assert numpy.isnan(ndimage.correlate(A, [[1, numpy.nan]]).to_numpy()).all()
    assert numpy.isnan(ndimage.correlate1d(A, [1, numpy.nan], 0).to_numpy()).all()


def test_what_is_wrong_says_so():
    for call in (lambda: ndimage.median_filter(A), lambda: ndimage.median_filter(A, 3, CROSS), lambda: ndimage.median_filter(A, 0),
                 lambda: ndimage.median_filter(A, 3, origin=2), lambda: ndimage.median_filter(A, (3, 3, 3)),
                 lambda: ndimage.median_filter(A, footprint=[[1, 1], [1]]), lambda: ndimage.median_filter(A, footprint=[1, 1]),
                 lambda: ndimage.median_filter(A, footprint=[[0, 0]]), lambda: ndimage.rank_filter(A, 9, 3),
                 lambda: ndimage.percentile_filter(A, 101, 3), lambda: ndimage.maximum_filter(A, 3, mode="round"),
                 lambda: ndimage.maximum_filter(A, 3, mode=["wrap"]), lambda: ndimage.gaussian_filter(A, 1, -1),
                 lambda: ndimage.gaussian_filter(A, -1, 1), lambda: ndimage.gaussian_filter(A, 1, radius=-1),
                 lambda: ndimage.laplace(A, axes=(0, 0)), lambda: ndimage.sobel(A, mode="constant", axes=(0, 1))):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: ndimage.grey_erosion(A), lambda: ndimage.grey_erosion(A, structure=[[0, 1, 0]]),
                 lambda: ndimage.grey_dilation(A, 3, structure=[[0, 0]]), lambda: ndimage.binary_erosion(A, [[0, 0]], origin=2),
                 lambda: ndimage.binary_erosion(A, [1, 1]), lambda: ndimage.binary_dilation(A, brute_force=True)):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: ndimage.median_filter(A.astype("complex64"), 3), lambda: ndimage.gaussian_laplace(A, 1, sigmas=2),
                 lambda: ndimage.sobel(A + 1j)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(IndexError):
        ndimage.prewitt(A, 2)
    for name, hint in (("generic_filter", "kernel"), ("zoom", "host"), ("gausian_filter", "gaussian_filter")):
        with pytest.raises(AttributeError, match=hint):
            getattr(ndimage, name)
