# SPDX-License-Identifier: Apache-2.0
"""Integers keep their bits: comparisons are of values, and fractions of integers of 32 and 64 bits are float64."""

import operator

import numpy
import pytest
import yoke

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "float32", "float64")
COMPARISONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.ge, operator.gt)
FEW = ("uint8", "int16", "int32", "uint64")  # each kernel is compiled; tests/ops/expression/compare.c tries all dtypes
EDGES = (0, 1, -1, 2, 2.5, -0.5, 127, 128, 255, 2**11 + 1, 2**15, 2**16 - 1, 2**24, 2**24 + 1, 2**31 - 1, 2**31, -2**31, 2**32 - 1,
         2**53, 2**53 + 1, 2**63 - 1, 2**63, -2**63, 2**64 - 1, 2**64, -2**64, 2**70, 10**400, -10**400, 1e30, float("inf"),
         -float("inf"), float("nan"))


@pytest.fixture
def wide(stream):
    """Whether the device has float64."""
    return stream.device.supports("fp64")


def values_of(dtype):
    """The edges that the dtype has, or that round to it."""
    kind = numpy.dtype(dtype).kind
    if kind == "f":
        values = [each for each in EDGES if abs(each) < 10**300 or each != each or abs(each) == float("inf")]
        with numpy.errstate(over="ignore"):
            return numpy.array([float(each) for each in values]).astype(dtype)
    limits = numpy.iinfo(dtype)
    return numpy.array([each for each in EDGES if isinstance(each, int) and limits.min <= each <= limits.max], dtype)


def exact(compare, a, b):
    """What Python's own numbers give, which are compared exactly."""
    return bool(compare(a, b))


def dtypes_on(stream):
    return [each for each in INTEGERS + FLOATS if each != "float64" or stream.device.supports("fp64")]


def test_arrays_compare_by_value(stream):
    for first, second in (("int32", "float32"), ("float16", "int64"), ("float32", "uint64"), ("int64", "float64"),
                          ("int64", "uint64"), ("int32", "uint32")):
        if second not in dtypes_on(stream):
            continue
        a, b = values_of(first), values_of(second)
        x, y = yoke.asarray(a[:, None], stream=stream), yoke.asarray(b[None, :], stream=stream)
        for compare in (operator.lt, operator.eq, operator.ge):
            wanted = [[exact(compare, left, right) for right in b.tolist()] for left in a.tolist()]
            assert compare(x, y).tolist() == wanted, (first, second, compare)


def some_of(comparisons, dtype, place):
    """All for one dtype, two by turns for the others: each is a kernel, whose text differs in the dtypes' names."""
    return comparisons if dtype == "int32" else [comparisons[(place + k) % len(comparisons)] for k in (0, 3)]


@pytest.mark.parametrize("dtype", ["uint8", "int32", "uint64", "float32", "float64"])
def test_numbers_compare_by_value(stream, wide, dtype):
    if dtype == "float64" and not wide:
        pytest.skip("no float64")
    host = values_of(dtype)
    x = yoke.asarray(host, stream=stream)
    integer = host.dtype.kind in "iu"
    for place, value in enumerate(EDGES):
        if isinstance(value, float) and not integer:
            continue  # a float of Python's has the array's dtype
        for compare in some_of(COMPARISONS, dtype, place):
            assert compare(x, value).tolist() == [exact(compare, each, value) for each in host.tolist()], (value, compare)
            assert compare(value, x).tolist() == [exact(compare, value, each) for each in host.tolist()], (value, compare)
    for place, scalar in enumerate((numpy.int64(2**53 + 1), numpy.uint64(2**64 - 1), numpy.int32(2**24 + 1), numpy.float32(2**24),
                                    numpy.float16(2.5))):
        for compare in some_of(COMPARISONS, dtype, place):
            assert compare(x, scalar).tolist() == [exact(compare, each, scalar.item()) for each in host.tolist()], (scalar, compare)


def test_masks_and_expressions(stream):
    host = numpy.array([2**24 - 1, 2**24, 2**24 + 1, 2**24 + 2], "int32")
    x = yoke.asarray(host, stream=stream)
    assert x[x > 16777216.0].tolist() == host[2:].tolist()
    assert x[x == numpy.float32(2**24)].tolist() == [2**24]
    assert yoke.select_where(x, "x > limit", x=x, limit=16777216.0).tolist() == host[2:].tolist()
    assert yoke.select_where(x, "x > 16777216.5", x=x).tolist() == host[2:].tolist()
    assert yoke.map_reduce("sum", "x > limit", x=x, limit=16777216.0).item() == 2
    limit = yoke.full((), 16777216.0, stream=stream)
    assert yoke.evaluate("x > limit", x=x, limit=limit).tolist() == (host > 2**24).tolist()
    assert 16777217 in x and 16777217.5 not in x


def test_rounding_leaves_integers(stream):
    for name in ("floor", "ceil", "trunc", "rint"):
        for dtype in ("bool", *INTEGERS):
            host = numpy.array([True, False]) if dtype == "bool" else values_of(dtype)
            result = getattr(yoke, name)(yoke.asarray(host, stream=stream))
            assert result.dtype == host.dtype and result.tolist() == host.tolist()


def real(wide, dtype):
    """The floats of fractions beside integers of a dtype."""
    return "float64" if wide and numpy.dtype(dtype).itemsize >= 4 else "float32"


@pytest.mark.parametrize("dtype", FEW)
def test_fractions_of_integers(stream, wide, dtype):
    most = numpy.iinfo(dtype).max
    host = numpy.array([1, 2, 3, most - 2, most - 1, most], dtype)
    x = yoke.asarray(host, stream=stream)
    floats = real(wide, dtype)
    quotients = [(x / 1000, host / 1000), (x / x[:1], host / host[:1]), (x * 0.1, host * 0.1), (1.5 - x, 1.5 - host),
                 (x // 0.5, host // 0.5), (x.mean(), host.mean()), (x.var(), host.var()), (x.std(ddof=1), host.std(ddof=1)),
                 (yoke.sqrt(x), numpy.sqrt(host.astype("float64"))), (yoke.maximum(x, 1.5), numpy.maximum(host, 1.5)),
                 (yoke.where(x > 2, x, 0.5), numpy.where(host > 2, host, 0.5)),
                 (yoke.evaluate("x * 0.5", x=x), host * 0.5), (yoke.evaluate("a * x", a=0.1, x=x), host * 0.1),
                 (yoke.map_reduce("mean", "x", x=x), host.mean())]
    for number, (got, wanted) in enumerate(quotients):
        assert got.dtype == floats, number
        numpy.testing.assert_allclose(got.to_numpy(), wanted, rtol=1e-12 if floats == "float64" else 2e-6, err_msg=str(number))


@pytest.mark.parametrize("floating", ["float16", "float32"])
@pytest.mark.parametrize("dtype", FEW)
def test_integers_beside_floats_have_numpys_dtype(stream, wide, dtype, floating):
    host = values_of(dtype)
    x, y = yoke.asarray(host, stream=stream), yoke.full(len(host), 0.5, floating, stream=stream)
    wanted = numpy.result_type(dtype, floating)
    wanted = wanted if wide or wanted != "float64" else numpy.dtype("float32")
    results = {"concatenate": yoke.concatenate([x, y]), "where": yoke.where(x == x, x, y), "maximum": yoke.maximum(x, y),
               "+": x + y, "-": y - x, "*": x * y, "/": x / y}
    halves = numpy.full(len(host), 0.5, floating)
    with numpy.errstate(over="ignore"):
        correct = {"concatenate": numpy.concatenate([host, halves]), "where": host.astype(wanted),
                   "maximum": numpy.maximum(host, halves), "+": host + halves, "-": halves - host, "*": host * halves,
                   "/": host / halves}
    for name, result in results.items():
        assert result.dtype == wanted, name
        assert numpy.array_equal(result.to_numpy(), correct[name].astype(wanted)), name


def test_statistics_of_wide_integers(stream, wide):
    if not wide:
        pytest.skip("no float64: documented as float32")
    times = 1_764_000_000 + numpy.arange(1000, dtype="int64") * 7
    x = yoke.asarray(times, stream=stream)
    assert numpy.array_equal((x / 1000).to_numpy(), times / 1000)
    assert numpy.array_equal((x - x.mean()).to_numpy(), times - times.mean())
    numpy.testing.assert_allclose(x.var().item(), times.var(), rtol=1e-12)
    numbers = [100000001, 100000002, 100000003]
    assert abs(yoke.asarray(numbers, stream=stream).var().item() - 2 / 3) < 1e-12
    assert yoke.asarray([2**60, 2**60 + 1000], stream=stream).var().item() == numpy.array([2**60, 2**60 + 1000]).var()
    assert x.mean(dtype="float32").dtype == "float32" and x.astype("float32").mean().dtype == "float32"


def test_an_expression_has_its_own_dtype(stream, wide):
    ones = yoke.ones(3, "int32", stream=stream)
    small = yoke.ones(3, "int16", stream=stream)
    assert yoke.evaluate("x * 0.5", x=ones).tolist() == [0.5] * 3
    assert yoke.evaluate("x > 0", x=ones).dtype == "bool" and yoke.evaluate("x + 1", x=ones).dtype == "int32"
    assert yoke.evaluate("x * 0.5", x=small).dtype == "float32" and yoke.evaluate("x * 0.5", "float32", x=ones).dtype == "float32"
    assert yoke.map_reduce("sum", "x * 0.5", x=ones).item() == 1.5
    assert yoke.map_reduce("mean", "x > 0", x=ones).item() == 1
    assert yoke.map_reduce("max", "x - 0.25", x=ones).item() == 0.75
    offsets = yoke.asarray([0, 1, 3], stream=stream)
    assert yoke.map_reduce_segments("sum", "x * 0.5", offsets, x=ones).tolist() == [0.5, 1.0]
    floats = yoke.ones(3, stream=stream)
    assert yoke.evaluate("x * 0.5 + k", x=floats, k=ones).dtype == "float32"
    if wide:
        large = yoke.asarray([2**24 + 1], stream=stream)
        assert yoke.evaluate("x * 0.5", x=large).tolist() == [8388608.5]
        assert yoke.evaluate("x * a", x=large, a=0.5).tolist() == [8388608.5]
        assert yoke.map_reduce("sum", "x * 0.5", x=large).item() == 8388608.5
        assert yoke.evaluate("x * a", x=yoke.ones(1, "float64", stream=stream), a=0.1).tolist() == [0.1]


def test_created_from_a_number(stream):
    assert yoke.full(2, 16777217, stream=stream).tolist() == [16777217] * 2
    assert yoke.full(2, 2**64 - 1, stream=stream).tolist() == [2**64 - 1] * 2
    assert yoke.full(3, True, stream=stream).dtype == "bool" and yoke.full(3, 1.5, stream=stream).dtype == "float32"
    assert yoke.full(3, 1j, stream=stream).dtype == "complex64" and yoke.full(3, numpy.int16(1), stream=stream).dtype == "int16"


def test_searches_beside_other_dtypes(stream, wide):
    if not wide:
        pytest.skip("no float64: documented as float32")
    table = numpy.array([2**24 - 1, 2**24, 2**24 + 1], "int32")
    keys = numpy.array([2**24 - 0.5, 2**24 + 0.5])
    x = yoke.asarray(table, stream=stream)
    for side in ("left", "right"):
        assert yoke.searchsorted(x, keys, side).tolist() == numpy.searchsorted(table, keys, side).tolist()
    floats = numpy.array([2**24 - 2, 2**24, 2**24 + 2], "float32")
    whole = numpy.array([2**24 - 1, 2**24 + 1])
    assert yoke.searchsorted(yoke.asarray(floats, stream=stream), whole).tolist() == numpy.searchsorted(floats, whole).tolist()


def test_products_beside_fractions(stream, wide):
    if not wide:
        pytest.skip("no float64: documented as float32")
    a, b = numpy.array([2**24 + 1, 1], "int32"), numpy.array([1, 0.5], "float32")
    x, y = yoke.asarray(a, stream=stream), yoke.asarray(b, stream=stream)
    assert yoke.dot(x, y).item() == 2**24 + 1.5 and (x @ y).item() == 2**24 + 1.5


def test_fractions_of_integer_products_are_refused(stream):
    x = yoke.ones((2, 2), "int32", stream=stream)
    for options in ({"alpha": 0.5}, {"beta": 1.5, "out": yoke.ones((2, 2), "int32", stream=stream)}):
        with pytest.raises(TypeError, match="alpha|beta"):
            yoke.matmul(x, x, **options)
    assert yoke.matmul(x, x, alpha=2.0).tolist() == [[4, 4], [4, 4]]


def test_random_operations(stream):
    """Of any two dtypes, the values of an operator are those of NumPy, and so is its dtype where NumPy's is not float64 by rule."""
    generator = numpy.random.default_rng(5)
    dtypes = dtypes_on(stream)
    for _ in range(12):
        first, second = generator.choice(dtypes, 2)
        name = generator.choice(["add", "subtract", "multiply", "true_divide", "maximum", "minimum"])
        hosts = [generator.integers(1, min(2**31, numpy.iinfo(each).max) if each in INTEGERS else 2000, 50).astype(each)
                 for each in (first, second)]
        x, y = [yoke.asarray(each, stream=stream) for each in hosts]
        with numpy.errstate(all="ignore"):
            wanted = getattr(numpy, name)(*hosts)
        sign = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "true_divide": operator.truediv,
                "maximum": yoke.maximum, "minimum": yoke.minimum}[name]
        got = sign(x, y)
        if {first, second} & {"uint64"} and name != "true_divide" and wanted.dtype == "float64" and "f" not in first[0] + second[0]:
            continue  # uint64 with a signed dtype is int64
        if wanted.dtype == "float64" and got.dtype == "float32":
            small = all(numpy.dtype(each).itemsize < 4 for each in (first, second))
            assert small or not stream.device.supports("fp64"), (name, first, second)
            numpy.testing.assert_allclose(got.to_numpy(), wanted, rtol=2e-7)
        elif got.dtype != wanted.dtype:
            assert name == "true_divide" and numpy.dtype(first).itemsize + numpy.dtype(second).itemsize <= 4, (name, first, second)
        else:
            assert numpy.array_equal(got.to_numpy(), wanted, equal_nan=True), (name, first, second)
