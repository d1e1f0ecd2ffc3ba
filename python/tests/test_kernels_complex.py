# SPDX-License-Identifier: Apache-2.0
"""Complex numbers in kernels: on the device, as Python, and beside NumPy; to the last bit but for division and length."""

import os

import numpy
import pytest

import yoke
from yoke import numba_like
from kernel_samples import wants_double
from test_kernels_errors import made
from test_kernels_nvrtc import compiled, text_of

TURN = 0.5 - 0.25j
FACTOR = 1 + 0j
HALF = numpy.complex64(0.5j)
COUNT = 64


@yoke.function
def turned(z, by: yoke.complex64):
    return z * by, (z - by).conjugate()


@yoke.function
def squared(z) -> yoke.complex64:
    if z.real > 0:
        return z ** 2
    return 0


@yoke.kernel(math="exact")
def arithmetic(out, z, w, x, n, c, one: "complex64"):
    i = yoke.grid(1)
    own = yoke.local(2, "complex64")
    tile = yoke.shared(4, z.dtype)
    tile[yoke.thread.x % 4] = z[0]
    yoke.barrier()
    if i < z.size:
        a, b = z[i], w[i, 1]
        out[0, i] = a + b * 2
        out[1, i] = a - b
        out[2, i] = a * b
        out[3, i] = a ** 2 + 1j * a ** 3 + pow(b, 2)
        out[4, i] = -a + (+b).conjugate() + numpy.conj(a) + numpy.conj(x[i])
        out[5, i] = a.real + b.imag * 1j
        out[6, i] = numpy.complex64(complex(a.imag, x[i])) + complex(x[i]) + (2 - 3j) * 2
        out[7, i] = x[i] * a + numpy.float32(n[i]) - c + one
        out[8, i] = numpy.complex64(x[i]) * TURN + HALF.conjugate() + TURN.real * complex(1, 2).imag
        p, (q, r) = a, turned(b, 1)
        p, q = q, p
        own[1] = p + r if a != b and not (a == 3) else q if a.real < 1 else 0
        own[1] += tile[1]
        total = 0
        for k in range(3):
            total += own[1] * k
            total *= 0.5j
        kept: "complex64" = x[i]
        kept -= squared(a) * (a == a)
        out[9, i] = total - kept
        out[10, i] = True
        w[i, 0] = numpy.float32(1.5)


@yoke.kernel(math="exact")
def rounded(out, length, z, w):
    i = yoke.grid(1)
    if i < z.size:
        out[0, i] = z[i] / w[i]
        out[1, i] = 1 / w[i] + z[i] / 3j
        length[0, i] = abs(z[i])
        length[1, i] = numpy.abs(1j * z[i]) + abs(complex(i, 4)) + abs(3 + 4j)


@yoke.kernel(math="exact")
def doubles(out, z, w, x, c):
    i = yoke.grid(1)
    if i < z.size:
        total, far = 0j, 1e300j
        total += z[i] * c + w[i]
        out[i] = numpy.complex64(total) * x[i] + total / w[i] + far * 1e-300
        w[i] = z[i] + 1e-9
        w[i] *= 1j


def numbers(count, chance, dtype="complex64"):
    result = (chance.normal(size=count) + 1j * chance.normal(size=count)) * 10.0**chance.integers(-3, 4, count)
    return result.astype(dtype)


def arguments():
    chance = numpy.random.default_rng(7)
    z, w = numbers(COUNT, chance), numbers((COUNT, 2), chance)
    z[1], z[2] = w[1, 1], 3
    z[3], w[3, 1] = 3 + 1j, 3 - 1j
    return [numpy.zeros((11, COUNT), "c8"), z, w, chance.normal(size=COUNT).astype("f4"), numpy.arange(COUNT, dtype="i2"),
            1.5 + 0.1j, 2]


def product(a, b):
    """NumPy's of arrays may be fused."""
    result = numpy.empty(a.shape, a.dtype)
    result.real, result.imag = a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real
    return result


def ran(kernel, args):
    """(the arrays of the device, those simulated)"""
    device = [yoke.asarray(each) if isinstance(each, numpy.ndarray) else each for each in args]
    simulated = [each.copy() if isinstance(each, numpy.ndarray) else each for each in args]
    kernel[1, COUNT](yoke.default_stream(), *device)
    kernel.simulate[1, COUNT](*simulated)
    return [each.to_numpy() if isinstance(each, yoke.Array) else each for each in device], simulated


def test_the_same_bits():
    device, simulated = ran(arithmetic, arguments())
    (_, z, w, x, n, c, one), b = arguments(), arguments()[2][:, 1]
    turn = numpy.full(COUNT, 1j, "c8")
    expected = {0: z + b * 2, 2: product(z, b), 3: product(z, z) + product(turn, product(z, product(z, z))) + product(b, b),
                5: z.real + 1j * b.imag, 7: x * z + n.astype("f4") - numpy.complex64(c) + one}
    assert all(each.dtype == "c8" for each in expected.values())
    for row in range(11):
        numpy.testing.assert_array_equal(device[0][row], simulated[0][row], f"row {row}")
        assert device[0][row].any()
    for row, values in expected.items():
        numpy.testing.assert_array_equal(device[0][row], values, f"row {row}")
    assert device[2][:, 0].tolist() == simulated[2][:, 0].tolist() == [1.5] * COUNT
    assert device[0][10].tolist() == [1] * COUNT


def test_division_and_length():
    chance = numpy.random.default_rng(8)
    z, w = numbers(COUNT, chance), numbers(COUNT, chance)
    w[:3] = 2, 2j, 1e-3 + 1e3j
    w[3], z[4] = 0, 1e30 + 1e30j  # whose square is too large
    device, simulated = ran(rounded, [numpy.zeros((2, COUNT), "c8"), numpy.zeros((2, COUNT), "f4"), z, w])
    kept = numpy.arange(COUNT) != 3
    exact = z[kept].astype("c16") / w[kept]
    for got in device, simulated:
        assert (abs(got[0][0, kept] - exact) <= 2.0**-19 * abs(exact)).all()
        numpy.testing.assert_allclose(got[1][0], abs(z.astype("c16")), rtol=2.0**-21)
        assert not numpy.isfinite(got[0][0, 3])
    numpy.testing.assert_array_equal(device[0], simulated[0])
    numpy.testing.assert_allclose(device[1], simulated[1], rtol=2.0**-20)


def test_doubles():
    wants_double()
    chance = numpy.random.default_rng(9)
    args = [numpy.zeros(COUNT, "c16"), numbers(COUNT, chance, "c16"), numbers(COUNT, chance, "c16"), numpy.ones(COUNT, "f4"), 0.1j]
    device, simulated = ran(doubles, args)
    numpy.testing.assert_array_equal(device[0], simulated[0])
    numpy.testing.assert_array_equal(device[2], simulated[2])
    numpy.testing.assert_array_equal(device[2], (args[1] + 1e-9) * 1j)


def test_host_arrays_and_strides():
    args, stream = arguments(), yoke.default_stream()
    host, strided = arguments(), [yoke.asarray(each) if isinstance(each, numpy.ndarray) else each for each in args]
    arithmetic[1, COUNT](stream, *[yoke.InOut(each) if isinstance(each, numpy.ndarray) else each for each in host])
    stream.wait()
    strided[1] = strided[1][::-1]
    arithmetic[1, COUNT](stream, *strided)
    numpy.testing.assert_array_equal(strided[0].to_numpy()[2], product(args[1][::-1], args[2][:, 1]))
    numpy.testing.assert_array_equal(host[0][2], product(args[1], args[2][:, 1]))


@yoke.kernel
def filled(z: yoke.Array[yoke.complex64], value: yoke.complex64):
    i = yoke.grid(1)
    if i < z.size:
        z[i] += value * FACTOR


def test_numbers_as_arguments():
    """A launch that is repeated goes another way where it may."""
    z, value = yoke.zeros(2, dtype="complex64"), numpy.zeros(2, "c8")
    for each in 2, 2, 0.5, 0.5, True, 1j, numpy.complex64(3), numpy.float32(1), numpy.int64(7):
        filled[2](yoke.default_stream(), z, each)
        filled.simulate[2](value, each)
        assert z.tolist() == value.tolist()
    assert z.tolist() == [17 + 1j] * 2


def test_a_number_outside_that_changes(monkeypatch):
    z = yoke.zeros(2, dtype="complex64")
    for factor in 1 + 0j, 2j:
        monkeypatch.setitem(globals(), "FACTOR", factor)
        filled[2](yoke.default_stream(), z, 3)
    assert z.tolist() == [3 + 6j] * 2


def test_numba_names():
    @numba_like.jit("complex64[:], c8")
    def moved(z, by):
        i = numba_like.grid(1)
        if i < z.size:
            z[i] = numba_like.complex64(by.real) + z[i].conjugate()

    z = numpy.array([1 + 2j, 3], "c8")
    moved[1, 32](z, 1 + 1j)
    assert z.tolist() == [2 - 2j, 4]


def test_expressions():
    a, b = yoke.arange(4, dtype="float32"), yoke.ones(4)
    assert yoke.evaluate(lambda a, b: (complex(a, b) * 1j).imag, a=a, b=b).tolist() == [0, 1, 2, 3]
    with pytest.raises(yoke.KernelError, match="a function in an expression returns a real number"):
        yoke.evaluate(lambda a, b: complex(a, b), a=a, b=b)
    with pytest.raises(yoke.KernelError, match="complex64 cannot stand here, where real numbers are wanted"):
        yoke.evaluate(lambda z: z, z=yoke.ones(4, dtype="complex64"))


@pytest.mark.skipif(os.environ.get("YOKE_BACKEND") == "cuda", reason="the same as with the other backend")
def test_as_cuda():
    chance = numpy.random.default_rng(9)
    wide = [numbers(COUNT, chance, "c16") for _ in range(3)]
    assert compiled(text_of([(arithmetic, arguments()), (rounded, [numpy.zeros((2, 4), "c8"), numpy.zeros((2, 4), "f4"),
                                                                   *wide[:0], arguments()[1], arguments()[1]])]))
    assert compiled(text_of([(doubles, [*wide, numpy.ones(COUNT, "f4"), 0.1j])]))


def test_a_text_has_what_it_uses():
    @yoke.kernel
    def little(z: yoke.Array[yoke.complex64], w: yoke.Array["complex128"]):
        z[0] = z[1] + w[0]

    text = little.text()
    assert "yk_complex64_of_complex128" in text and "yk_complex128_add" in text
    assert "yk_complex64_add" not in text and "_div" not in text and "_mult" not in text


HEAD = """
import cmath

@yoke.function
def real(v: "float32") -> "float32": return v

@yoke.function
def gives_real(v) -> "float32": return v

@yoke.function
def gives(v) -> "complex64": return v

@yoke.function
def both(v):
    if v.real > 1:
        return v.real
    return v

@yoke.kernel
def wrong(z: yoke.Array["complex64"], x: yoke.Array["float32"], n: yoke.Array["int32"], c: "complex64", a: "float32"):
    i = yoke.grid(1)
"""
WRONG = [
    ("b = c < 1j", "complex numbers have no order, and this is <: compare abs(z), z.real or z.imag"),
    ("b = 1 >= c", "complex numbers have no order, and this is >="),
    ("b = c // 2", "complex numbers have the operators + - * / and ** alone, and not //"),
    ("b = c % 2", "and not %"),
    ("b = 2 & c", "and not &"),
    ("b = ~c", "~ takes an integer, and this is a number of type complex64"),
    ("b = ~1j", "~ takes an integer, and this is a number of type complex"),
    ("b = c ** 4", "a power of a complex number has the exponent 2 or 3"),
    ("b = c ** a", "a power of a complex number has the exponent 2 or 3"),
    ("b = 2 ** c", "a power of a complex number has the exponent 2 or 3"),
    ("b = c ** True", "a power of a complex number has the exponent 2 or 3"),
    ("b = float(c)", "a real number is wanted as an argument of float, and this is a number of type complex64: take z.real"),
    ("b = int(1j)", "a real number is wanted as an argument of int"),
    ("b = bool(c)", "or compare it, as z != 0"),
    ("b = numpy.float32(c)", "a real number is wanted as an argument of numpy.float32"),
    ("b = math.sqrt(c)", "a real number is wanted as an argument of math.sqrt"),
    ("b = cmath.exp(c)", "cmath.exp cannot be called in a kernel: compute with z.real and z.imag"),
    ("b = max(c, 1)", "a real number is wanted as an argument of max"),
    ("b = 1 if c else 2", "a real number is wanted in a condition"),
    ("b = c and True", "a real number is wanted left or right of `and`"),
    ("for k in range(c):\n    pass", "a real number is wanted in range"),
    ("b = complex(c, 1)", "a real number is wanted as an argument of complex"),
    ("b = complex()", "complex takes 1 or 2 arguments, not 0"),
    ("b = complex(1, 2, 3)", "complex takes 1 or 2 arguments, not 3"),
    ("b = complex('1')", "a string is not part of kernels"),
    ("b = c.conjugate(1)", "c.conjugate takes 0 arguments, not 1"),
    ("b = c.angle", "a complex number has real, imag and conjugate() in a kernel, and no angle"),
    ("b = a.conjugate()", "a.conjugate() is not part of kernels"),
    ("z[i].real = 1", "a kernel assigns names and elements of arrays"),
    ("x[i] = c", "an element is float32, and this is a number of type complex64: write z.real, z.imag or abs(z)"),
    ("x[i] = 1j", "an element is float32, and this is a number of type complex"),
    ("n[i] += c", "an element is int32, and this is a number of type complex64"),
    ("z[c] = 1", "an index is an integer, and this is a number of type complex64"),
    ("z[i] = x", "an element is complex64, and this is an array"),
    ("z[i] = 1e39j", "1e+39 does not fit in float32"),
    ("b = a\nb = c", "b is float32 since line"),
    ("b = a\nb = 1j", "b is float32 since line"),
    ("b = 1j\nb = a", "b is complex64 since line"),
    ("b = a\nb, d = c, 1", "b is float32 since line"),
    ("b = (1, c)\nb = (c, a)", "would be (complex64, float32) here: a variable keeps its type"),
    ("b = c\nb = a", "convert one of the values, as numpy.complex64(…)"),
    ("b: 'float32' = c", "a real number is wanted here"),
    ("b: 'complex64' = x", "a number is wanted here, and this is an array"),
    ("b = real(c)", "v of real is float32, and this is a number of type complex64: pass its parts"),
    ("b = gives_real(c)", "gives_real returns float32, and this is a number of type complex64: return its parts"),
    ("b = both(c)", "a return in line"),
    ("b = c if i else True", "both must be bool, or neither"),
    ("b = c + x", "a number is wanted right of an operator, and this is an array"),
    ("b = 1j / 0", "complex division by zero"),
    ("print(c)", "print takes numbers and strings in a kernel, and this is a number of type complex64"),
    ("b = yoke.shuffle(c, 1)", "a real number is wanted as an argument of yoke.shuffle"),
    ("yoke.atomic.add(z, i, 1)", "yoke.atomic.add takes elements of int32 or uint32"),
    ("s = yoke.local(4, 'complex32')", "is not a dtype of kernels: bool"),
]


@pytest.mark.parametrize("case", WRONG, ids=[each[0].replace("\n", "; ") for each in WRONG])
def test_wrong(case):
    body, message = case
    with pytest.raises(yoke.KernelError) as failure:
        made(HEAD + "".join(f"    {line}\n" for line in [*body.split("\n"), "z[i], x[i], n[i] = c, a, 1"]))["wrong"].text()
    assert message in str(failure.value)


def test_wrong_arguments(stream):
    args = arguments()
    host = [yoke.InOut(each) if isinstance(each, numpy.ndarray) else each for each in args]
    with pytest.raises(yoke.KernelError, match="c: str is not an argument of a kernel"):
        arithmetic[1, COUNT](stream, *host[:5], "1j", 2)
    for wrong in "1j", numpy.complex128(1j), numpy.float64(1), None, numpy.float16(1):
        for launch in arithmetic[1, COUNT], lambda stream, *args: arithmetic.simulate[1, COUNT](*arguments()[:6], args[-1]):
            with pytest.raises(yoke.KernelError, match=f"one(: | is complex64, and ){type(wrong).__name__} is passed"):
                launch(stream, *host[:5], 1j, wrong)

    @yoke.kernel
    def real(x: yoke.Array["float32"], a: "float32"):
        x[0] = a

    for wrong in 1j, numpy.complex64(1j):
        with pytest.raises(yoke.KernelError, match="a is float32, and complex"):
            real[1](stream, yoke.Out(args[3]), wrong)
        with pytest.raises(yoke.KernelError, match="a is float32, and complex"):
            real.simulate[1](args[3], wrong)
    with pytest.raises(yoke.KernelError, match="x is an array of float32, and one of complex64 is passed"):
        real[1](stream, yoke.Out(args[1]), 1.0)
