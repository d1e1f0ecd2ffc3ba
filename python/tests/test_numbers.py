# SPDX-License-Identifier: Apache-2.0
"""Numbers of Python's and NumPy's where arrays and kernels have others: the same value, or an exception."""

import numpy
import pytest

import yoke


def test_large_ints_in_expressions(device, stream):
    large = yoke.asarray(numpy.array([2**63 + 5], "uint64"), stream=stream)
    for number in (2**63 + 1, 2**63 + 5, 2**63 + 9):
        assert yoke.evaluate("x > k", "bool", x=large, k=number).tolist() == [2**63 + 5 > number]
    if device.supports("fp64"):
        assert yoke.evaluate("x + k", x=yoke.ones(1, "float64", stream=stream), k=2**63).tolist() == [2.0**63]
    for number in (2**64 + 5, -2**64):
        with pytest.raises(OverflowError):
            yoke.evaluate("x + k", x=large, k=number)


def test_large_factors_of_a_product(stream):
    one = yoke.ones((1, 1), stream=stream)
    assert yoke.matmul(one, one, alpha=2**63).tolist() == [[2.0**63]]
    for options in ({"alpha": 2**64}, {"beta": -2**64, "out": one}):
        with pytest.raises(OverflowError):
            yoke.matmul(one, one, **options)


def test_arange_of_large_numbers(stream):
    assert yoke.arange(2**63, 2**63 + 3, dtype="uint64", stream=stream).tolist() == [2**63, 2**63 + 1, 2**63 + 2]
    for stop, dtype in ((2**63 + 2, None), (2**65, None), (2**64 + 2, "uint64")):
        with pytest.raises(OverflowError):
            yoke.arange(stop - 2, stop, dtype=dtype, stream=stream)


@pytest.mark.parametrize("kind", [numpy.float16, numpy.float32, numpy.float64, numpy.array])
def test_arange_of_other_floats(stream, kind):
    assert yoke.arange(kind(0.5), kind(3.0), stream=stream).tolist() == [0.5, 1.5, 2.5]
    assert yoke.arange(0, 2, kind(0.5), stream=stream).tolist() == [0, 0.5, 1, 1.5]


def test_arange_of_short_ints(stream):
    assert yoke.arange(numpy.int8(-100), numpy.int8(100), numpy.int8(50), stream=stream).tolist() == [-100, -50, 0, 50]


def test_int_beyond_its_parameter(device, stream, saxpy):
    buffer = device.buffer(64)
    if not saxpy.parameters[3][0]:
        pytest.skip("the driver does not tell the types")
    for number in (2**31, 3_000_000_000, 2**32, -2**31 - 1):
        with pytest.raises(OverflowError):
            saxpy[16](stream, buffer, buffer, 1.0, number)
    saxpy[16](stream, buffer, buffer, 1.0, -2**31)
    stream.wait()


@pytest.mark.parametrize("dtype", ["uint8", "int64"])
def test_floats_in_integer_arrays(device, stream, dtype):
    if not device.supports("fp64"):
        pytest.skip("astype of float64 is the measure")
    for value in (300.7, -1.5, 1e10, -1e10, 1e30, float("nan"), float("-inf")):
        right = yoke.asarray(numpy.array([value]), stream=stream).astype(dtype).tolist() * 2
        array = yoke.zeros(2, dtype, stream=stream)
        array[:] = value
        masked = yoke.zeros(2, dtype, stream=stream)
        masked[masked == 0] = numpy.float64(value)
        assert yoke.full(2, value, dtype, stream=stream).tolist() == array.tolist() == masked.tolist() == right


@pytest.mark.parametrize("dtype", ["float32", "int32", "complex64"])
def test_text_is_no_number(stream, dtype):
    for value in ("7", b"7"):
        with pytest.raises(TypeError):
            yoke.full(2, value, dtype, stream=stream)


def test_linspace_of_integers(device, stream):
    cases = [(-3, 3, 8), (0, -7, 4), (0, 10, 7)] + [(0, 2**31 - 1, 5)] * device.supports("fp64")
    for start, stop, count in cases:
        assert yoke.linspace(start, stop, count, dtype="int32", stream=stream).tolist() == \
            numpy.linspace(start, stop, count, dtype="int32").tolist()


def test_histogram_edges_of_integers(device, stream):
    if not device.supports("fp64"):
        pytest.skip("float does not have these edges")
    for values in ([10**8] * 5, [10**8, 10**8 + 1, 10**8 + 2, 10**8 + 3], [2**31 - 1, 2**31 - 9]):
        array = numpy.array(values, "int32")
        found = yoke.histogram(yoke.asarray(array, stream=stream), 4)
        assert [each.tolist() for each in found] == [each.tolist() for each in numpy.histogram(array, 4)]


NAMED = """#include <yoke/kernel.h>
#include <yoke/types.h>
typedef int index;
typedef float real;
typedef short int16_t;
YOKE_KERNEL void own(YOKE_GLOBAL float *x, index a, real b) { x[0] = a; x[1] = b; }
YOKE_KERNEL void known(YOKE_GLOBAL float *x, yoke_i8 a, yoke_u16 b, yoke_i32 c, yoke_i64 d, yoke_f32 e)
{ x[0] = a; x[1] = b; x[2] = c; x[3] = d; x[4] = e; }
YOKE_KERNEL void brief(YOKE_GLOBAL float *x, int16_t a) { x[0] = a; }"""


def test_numbers_for_named_types(device, stream):
    program, x = device.build(NAMED), yoke.zeros(5, stream=stream)
    program["known"][1](stream, x, -2, 40000, -3, 2**40, 0.5)
    assert x.tolist() == [-2, 40000, -3, 2**40, 0.5]
    program["own"][1](stream, x, numpy.int32(7), numpy.float32(1.5))
    assert x[:2].tolist() == [7, 1.5]
    right = numpy.int32(2), numpy.float32(2.5)
    for index, value in ((0, 2), (0, True), (1, 2.5)):
        arguments = [value if i == index else each for i, each in enumerate(right)]
        with pytest.raises(yoke.KernelArgumentError, match="pass a NumPy scalar"):  # an int's bits would be another float
            program["own"][1](stream, x, *arguments)


def test_int_beyond_a_named_type(device, stream):
    program, x = device.build(NAMED), yoke.zeros(5, stream=stream)
    if not program["known"].parameters[1][0]:
        pytest.skip("the driver does not tell the types")
    right = [1, 1, 1, 1, 1.0]
    for index, most in ((0, 2**7), (1, 2**16), (2, 2**31), (3, 2**63)):
        with pytest.raises(OverflowError):
            program["known"][1](stream, x, *right[:index], most, *right[index + 1:])
    with pytest.raises(OverflowError):
        program["brief"][1](stream, x, 2**15)


def test_limits_of_clip_are_exact(stream):
    array = yoke.asarray(numpy.array([2**62 + 5, 3]), stream=stream)
    assert array.clip(4, numpy.int64(2**62 + 1)).tolist() == [2**62 + 1, 4]
    assert array.clip(numpy.uint64(2**62 + 7), 2**63).tolist() == [2**62 + 7] * 2


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "complex64"])
def test_powers(stream, dtype):
    values = numpy.array([-3, -1, 0, 1, 2, 7]).astype(dtype)
    array = yoke.asarray(values, stream=stream)
    for exponent in (0, 1, 2, 3, 4, 7, 10):
        power = array ** exponent
        assert power.dtype == dtype and numpy.allclose(power.to_numpy(), values ** exponent, rtol=1e-5)
    copy = array.copy()
    copy **= 5
    assert numpy.allclose(copy.to_numpy(), values ** 5, rtol=1e-5)
    if dtype == "complex64":
        values, array = values[values != 0], array[array != 0]
        for exponent in (-1, -2, -5):
            assert numpy.allclose((array ** exponent).to_numpy(), values ** exponent, rtol=1e-5)
            copy = array.copy()
            copy **= exponent
            assert numpy.allclose(copy.to_numpy(), values ** exponent, rtol=1e-5)
    for exponent in (2**63, -2**63) if dtype == "complex64" else (-1, 2**63):
        with pytest.raises((ValueError, OverflowError), match="no power of|not a value|does not fit|out of range"):
            array ** exponent
    if dtype == "complex64":
        assert numpy.allclose((array ** (array / 4)).to_numpy(), values ** (values / 4), rtol=1e-4)
    assert (yoke.asarray(numpy.array([-1, 1, 2], "int64"), stream=stream) ** (2**62 + 1)).tolist() == [-1, 1, 0]


def test_shifts_of_bools(stream):
    flags = yoke.asarray([True, False], stream=stream)
    assert (flags << 40).tolist() == (flags << yoke.asarray([40, 40], stream=stream)).tolist() == [2**40, 0]
    for function in (numpy.left_shift, numpy.right_shift, numpy.floor_divide, numpy.remainder):
        both = function(flags, yoke.ones(2, "bool", stream=stream))
        wanted = function(numpy.array([True, False]), numpy.ones(2, bool))
        assert both.dtype == wanted.dtype == "int8" and both.tolist() == wanted.tolist()


def test_powers_of_numpy_ints(stream):
    values = numpy.array([2, 3], "int32")
    for exponent in (numpy.int64(30), numpy.int8(3), numpy.uint8(2)):
        power = yoke.asarray(values, stream=stream) ** exponent
        assert power.dtype == (values ** exponent).dtype and power.tolist() == (values ** exponent).tolist()


def test_infinite_variances(stream):
    for values in ([numpy.inf], [1, numpy.inf], [numpy.inf, 3, 1], [1, -numpy.inf, numpy.inf]):
        array = yoke.asarray(numpy.array(values, "float32"), stream=stream)
        assert numpy.isnan(array.var().item()) and numpy.isnan(array.std().item())
        assert numpy.isnan(yoke.stack([array, array], 1).var(axis=0).to_numpy()).all()


def test_norms_of_complex_numbers(stream):
    for dtype, wanted in (("complex64", "float32"), ("complex128", "float64")):
        if dtype == "complex64" or stream.device.supports("fp64"):
            norm = yoke.asarray(numpy.array([3 + 4j], dtype), stream=stream).norm()
            assert norm.item() == 5 and norm.dtype == wanted


def test_values_of_evaluate_have_any_name(stream):
    array = yoke.ones(2, stream=stream)
    assert yoke.evaluate("result_ * 2", result_=array).tolist() == [2, 2] and array.tolist() == [1, 1]
    with pytest.raises(yoke.InvalidArgumentError, match="unknown name"):
        yoke.evaluate("result_ + x", x=array)


def test_weights_and_edges(stream):
    array = yoke.asarray([0, 1, 1], stream=stream)
    with pytest.raises(ValueError, match="weights"):
        yoke.bincount(array, weights=[2.0])
    with pytest.raises(ValueError, match="weights"):
        yoke.histogram(array, 2, weights=[2.0])
    with pytest.raises(ValueError, match="ascend"):
        yoke.histogram(array, [3, 1])
    for values in ([2**64], None, {1, 2}):
        with pytest.raises(TypeError, match="an array has numbers"):
            yoke.asarray(values)
    assert yoke.asarray([2**64], "float32", stream=stream).tolist() == [2.0**64]


KINDS = """
{0} void truth({1}int *o, {2} v) {{ o[0] = (v == 1); o[1] = (int)v; }}
{0} void wide({1}double *o, double v) {{ o[0] = v; }}
{0} void whole({1}long *o, long v) {{ o[0] = v; }}
{0} void pair({1}float *o, float2 v) {{ o[0] = v.x; o[1] = v.y; }}
{0} void pairs({1}float *o, {1}const float2 *v) {{ o[0] = v[0].x; o[1] = v[0].y; }}
"""


def test_kinds_of_kernel_parameters(device, stream):
    if not device.supports("fp64"):
        pytest.skip("no float64")
    program = device.build(cuda=KINDS.format('extern "C" __global__', "", "bool"),
                           opencl=KINDS.format("__kernel", "__global ", "uchar"))
    out = yoke.zeros(2, "int32", stream=stream)
    if device.backend == "cuda":
        for value in (2, -1, True, numpy.uint8(200)):
            program["truth"][1](stream, out, value)
            assert out.tolist() == [1, 1]
    for name, dtype in (("wide", "float64"), ("whole", "int64")):
        given = yoke.zeros(2, dtype, stream=stream)
        for value in (numpy.complex64(1 + 2j), numpy.zeros((), [("x", "i4"), ("y", "f4")])[()]):
            with pytest.raises(yoke.KernelArgumentError):
                program[name][1](stream, given, value)
        for values in (numpy.ones(2, bool), numpy.ones(2, "c8"), numpy.ones(1, "c16"), yoke.ones(2, "complex64", stream=stream)):
            with pytest.raises(yoke.KernelArgumentError, match="astype"):
                program[name][1](stream, values if isinstance(values, yoke.Array) else yoke.In(values), 1)
    floats = yoke.zeros(2, stream=stream)
    if device.supports("signature"):
        for value in (floats, None, yoke.In(numpy.ones(2, "f4"))):
            with pytest.raises(yoke.KernelArgumentError):
                program["pair"][1](stream, floats, value)
    for value in (yoke.asarray([3 - 4j], stream=stream), yoke.In(numpy.array([3 - 4j], "c8"))):
        program["pairs"][1](stream, floats, value)
        assert floats.tolist() == [3, -4]
