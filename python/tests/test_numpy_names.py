# SPDX-License-Identifier: Apache-2.0
"""yoke.numpy has NumPy's names with NumPy's parameters; what is not there is refused with a sentence."""

import ast
import inspect
import pickle
from pathlib import Path

import numpy
import pytest

import yoke
import yoke.numpy as np

# The functions of NumPy's that CuPy's guide lists, too, or that programs use most.
WANTED = """
    absolute acos acosh add all allclose amax amin angle any append apply_along_axis apply_over_axes arange arccos arccosh
    arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array array2string array_equal
    array_equiv array_repr array_split array_str asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray asin
    asinh astype atan atan2 atanh atleast_1d atleast_2d atleast_3d average bartlett base_repr binary_repr bincount
    bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor blackman block
    broadcast broadcast_arrays broadcast_to c_ can_cast cbrt ceil choose clip column_stack common_type compress concat
    concatenate conj conjugate convolve copy copysign copyto corrcoef correlate cos cosh count_nonzero cov cross cumprod
    cumsum cumulative_prod cumulative_sum deg2rad degrees delete diag diag_indices diag_indices_from diagflat diagonal diff
    digitize divide divmod dot dsplit dstack dtype ediff1d einsum empty empty_like equal exp exp2 expand_dims expm1 extract
    eye fabs fft fill_diagonal fix flatnonzero flip fliplr flipud float_power floor floor_divide fmax fmin fmod frexp
    from_dlpack frombuffer fromfile fromfunction fromiter fromstring full full_like gcd genfromtxt geomspace gradient
    greater greater_equal hamming hanning heaviside histogram histogram2d histogramdd hsplit hstack hypot i0 identity imag
    indices inner interp intersect1d invert isclose iscomplex iscomplexobj isfinite isfortran isin isinf isnan isneginf
    isposinf isreal isrealobj isscalar ix_ kaiser kron lcm ldexp left_shift less less_equal lexsort linalg linspace load
    loadtxt log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace mask_indices
    matmul max maximum may_share_memory mean median meshgrid mgrid min min_scalar_type minimum mod modf moveaxis multiply
    nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile
    nanstd nansum nanvar ndarray ndim ndindex negative nextafter nonzero not_equal ogrid ones ones_like outer packbits pad
    partition percentile permute_dims piecewise place poly polyadd polymul polysub polyval positive pow power prod ptp put
    put_along_axis putmask quantile r_ rad2deg radians random ravel ravel_multi_index real real_if_close reciprocal
    remainder repeat require reshape resize result_type right_shift rint roll rollaxis rot90 round searchsorted select
    setdiff1d setxor1d shape sign signbit sin sinc sinh size sort sort_complex split sqrt square squeeze stack std subtract
    sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose trapezoid tri tril tril_indices
    tril_indices_from trim_zeros triu triu_indices triu_indices_from true_divide trunc ufunc union1d unique unique_all
    unique_counts unique_inverse unique_values unpackbits unravel_index unwrap vander var vdot vecdot vsplit vstack where
    zeros zeros_like
    """.split()


# Other versions of NumPy have other names and parameters: these are the ones that are compared in full.
KNOWN = numpy.__version__.startswith("2.4.")


def test_the_names_are_there():
    assert [name for name in WANTED if not hasattr(np, name)] == []
    assert not KNOWN or [name for name in WANTED if not hasattr(numpy, name)] == []
    assert len(WANTED) > 340


def ours():
    """The functions that are not NumPy's own, by their names."""
    for name in np.__all__:
        function = getattr(np, name)
        if callable(function) and not isinstance(function, type) and function is not getattr(numpy, name, None):
            yield name, function


def parameters(function):
    try:
        return inspect.signature(function).parameters
    except ValueError:  # a built-in function that tells none
        return None


def test_parameters_are_numpys():
    """The names, the order and the kinds of all parameters, and their values where nothing is given."""
    checked = 0
    for name, function in ours():
        theirs, mine = parameters(getattr(numpy, name, None) or function), inspect.signature(function).parameters
        if theirs is None:
            continue
        assert [each for each in mine if each in theirs] == [each for each in theirs if each in mine], name
        if not KNOWN:
            continue
        assert hasattr(numpy, name) or name in ("asnumpy", "get_array_module", "in1d"), name
        assert [(each, mine[each].kind) for each in mine] == [(each, theirs[each].kind) for each in theirs], name
        for each in mine:
            wanted = theirs[each].default
            if wanted is not inspect.Parameter.empty and repr(wanted) != "<no value>":
                assert mine[each].default == wanted, (name, each)
        checked += 1
    assert checked > 330 or not KNOWN


def test_stubs_have_the_same_parameters():
    folder, found = Path(np.__file__).parent, {}
    for stub in folder.glob("_*.pyi"):
        for node in ast.parse(stub.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                given = node.args
                places = (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg)
                found[node.name] = [each.arg for each in places if each]
            elif isinstance(node, ast.AnnAssign):
                found[node.target.id] = None
    for name, function in ours():
        assert name in found, f"no stub has {name}"
        assert isinstance(function, np.ufunc) or list(inspect.signature(function).parameters) == found[name], name


def test_they_say_what_they_do():
    for name, function in ours():
        assert function.__doc__ and getattr(np, function.__name__) is function, name
        assert pickle.loads(pickle.dumps(function)) is function, name


A = numpy.array([[3.0, 1.0], [2.0, 4.0]], numpy.float32)
REFUSED = [
    (lambda a: np.zeros(3, order="F"), "Fortran"), (lambda a: np.asfortranarray(a), "a.T"),
    (lambda a: np.sort(a, kind="radix"), "stable"), (lambda a: np.sort(a, order="x"), "fields"),
    (lambda a: np.median(a, overwrite_input=2), "overwrite_input"), (lambda a: np.quantile(a, 0.5, weights=a), "weights"),
    (lambda a: np.add(a, a, casting="unsafe"), "same_kind"), (lambda a: np.add(a, a, signature="ff->f"), "signature"),
    (lambda a: np.add(a, a, order="F"), "order"), (lambda a: np.zeros(3, like=a), "like"),
    (lambda a: np.subtract.reduce(a), "pairs"), (lambda a: np.multiply.at(a, 0, 1), "subtract"),
    (lambda a: np.add.reduceat(a, [0]), "reduce_segments"), (lambda a: np.partition(a, 1, kind="other"), "kind"),
    (lambda a: np.add(a, a, out=numpy.zeros((2, 2))), "ndarray"),
    (lambda a: np.add(a, 0.5, out=np.zeros((2, 2), "int32")), "cast"), (lambda a: np.sum(a, where=a), "mask"),
    (lambda a: np.vecdot(a, a, axes=[0]), "axes"), (lambda a: np.einsum("ij", a, order="F"), "order"),
    (lambda a: np.asnumpy(a, order="F"), "order"), (lambda a: np.may_share_memory(a, a, max_work=5), "max_work"),
    (lambda a: np.copyto(np.zeros((2, 2), "int32"), a), "cast"), (lambda a: np.gcd(a, a), "integers"),

]


@pytest.mark.parametrize("call, word", REFUSED)
def test_what_is_not_there_is_refused(call, word):
    with pytest.raises(TypeError) as caught:
        call(yoke.asarray(A))
    assert word in str(caught.value)


@pytest.mark.parametrize("name, word", [("vectorize", "yoke.evaluate"), ("poly1d", "polyval"), ("longdouble", "64 bits"),
                                        ("medain", "median")])
def test_names_that_are_not_there(name, word):
    with pytest.raises(AttributeError) as caught:
        getattr(np, name)
    assert word in str(caught.value)


def test_out_and_where():
    a, out = yoke.asarray(A), yoke.zeros((2, 2))
    assert np.add(a, 1, out=out) is out and out.tolist() == [[4, 2], [3, 5]]
    assert np.add(a, 1, out) is out and np.add(a, 1, out=(out,)) is out
    assert np.add(a, 10, where=a > 2, out=out).tolist() == [[13, 2], [3, 14]]
    row = yoke.zeros(2)
    assert np.sum(a, 0, out=row) is row and row.tolist() == [5, 5]
    assert np.median(a, 0, row) is row and row.tolist() == [2.5, 2.5]
    assert np.take(a, [1], 1, out=yoke.zeros((2, 1))).tolist() == [[1], [4]]
    with pytest.raises(ValueError, match="shape"):
        np.sum(a, 0, out=yoke.zeros(3))


def test_what_is_changed_in_place():
    a = yoke.asarray(A)
    np.copyto(a, 9, where=a > 3)
    np.put(a, [1], [7])
    assert a.tolist() == [[3, 7], [2, 9]]
    np.putmask(a, a > 5, [1, 2, 3, 4])
    assert a.tolist() == [[3, 2], [2, 4]]
    np.place(a, a == 2, [5, 6])
    assert a.tolist() == [[3, 5], [6, 4]]
    np.fill_diagonal(a, 0)
    np.put_along_axis(a, np.array([[1], [0]]), 8, 1)
    np.add.at(a, [0, 0, 1], np.ones((3, 2), "float32"))
    assert a.tolist() == [[2, 10], [9, 1]]
    assert np.nan_to_num(a, copy=False) is a


def test_views_share_memory():
    a = yoke.asarray(A)
    for view in (np.transpose(a), np.reshape(a, 4), np.ravel(a), np.flip(a), np.swapaxes(a, 0, 1), np.diagonal(a),
                 np.split(a, 2)[0], np.atleast_3d(a), np.rot90(a), np.broadcast_to(a, (3, 2, 2)), np.expand_dims(a, 0)):
        assert np.may_share_memory(a, view)
    for copy in (np.copy(a), np.array(a), np.sort(a), np.tile(a, 1), np.roll(a, 0)):
        assert not np.may_share_memory(a, copy)


def test_files(tmp_path):
    a = yoke.asarray(A)
    np.save(tmp_path / "a.npy", a)
    np.savez(tmp_path / "b.npz", a, other=a)
    np.savetxt(tmp_path / "c.txt", a)
    assert np.load(tmp_path / "a.npy").tolist() == A.tolist()
    assert {name: each.tolist() for name, each in np.load(tmp_path / "b.npz").items()} == {"arr_0": A.tolist(), "other": A.tolist()}
    assert np.loadtxt(tmp_path / "c.txt").tolist() == A.tolist()
    assert np.array_str(a) == numpy.array_str(A) and np.asnumpy(a).tolist() == A.tolist()
    assert np.get_array_module(1, a) is np and np.get_array_module(A) is numpy
