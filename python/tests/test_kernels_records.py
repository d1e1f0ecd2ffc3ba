# SPDX-License-Identifier: Apache-2.0
"""Structs and vectors in kernels: as arguments, elements, values; what a kernel does with them, Python does."""

import dataclasses

import numpy
import pytest

import yoke
from kernel_samples import wants_double
from test_kernels_errors import made


@dataclasses.dataclass(frozen=True)
class Particle:
    x: "float32"
    mass: float
    alive: bool
    float: "int16" = 7  # a name that C has taken


LAYOUT = numpy.dtype([("x", "f4"), ("mass", "f8"), ("alive", "?"), ("float", "i2")], align=True)


@yoke.function
def moved(p: Particle, by) -> Particle:
    return Particle(p.x + by, p.mass, alive=not p.alive)


@yoke.kernel
def mixed(ps: yoke.Array[Particle], v: yoke.Array[yoke.float4], n: yoke.Array[yoke.int2], one: Particle, w: yoke.float4):
    i, t = yoke.grid(1), yoke.thread.x
    shared = yoke.shared(4, yoke.float4)
    own = yoke.local(2, Particle)
    shared[t] = w * (t + 0.5)
    yoke.barrier()
    if i < ps.size and i < v.shape[0]:
        p = moved(ps[i], 1.5)
        q = p if p.alive else one
        ps[i] = q
        ps[i].mass += 3
        ps[i].float = int(p.x) + len(ps) + v.itemsize
        own[1] = q
        a = v[i] * 2 + shared[(t + 1) % 4]
        a -= yoke.float4(1, 2, 4, 8) / v[i].w
        pair = (a, own[1].mass)
        pair = (1 - pair[0], pair[1])
        v[i] = -pair[0]
        v[i].y = pair[1]
        n[i] = (n[i] ^ 5) + (yoke.int2(i, 1) & 3) * n[i].y | 8


@yoke.kernel
def by_items(r, s):
    i = yoke.grid(1)
    if i < r.size:
        own = r[i]
        r[i]["x"] = own["x"] * 2 + s["x"]
        r[i]["float"] += 1 + r[i]["float"]


def test_fields_are_items_too():
    """As of NumPy's records."""
    layout = numpy.dtype([("x", "f4"), ("float", "i4")], align=True)
    values, one = numpy.array([(1, 2), (3, 4)], layout), numpy.array([(0.5, 9)], layout)[0]
    expected = values.copy()
    by_items[2](yoke.default_stream(), yoke.InOut(values), one)
    yoke.default_stream().wait()
    by_items.simulate[2](expected, one)
    assert values.tolist() == expected.tolist() == [(2.5, 5), (6.5, 9)]


@yoke.kernel
def structured(r, s, other):
    i = yoke.grid(1)
    if i < r.size:
        r[i].mass = s.mass + r[i].x + other[i].mass
        if r[i].alive:
            r[i].alive = False


def particles():
    result = numpy.zeros(4, LAYOUT)
    result["x"], result["alive"][::2], result["mass"] = range(4), True, 5
    return result


def arrays():
    return [particles(), (1 + numpy.arange(16, dtype="f4")).reshape(4, 4), numpy.arange(8, dtype="i4").reshape(4, 2)]


SCALARS = Particle(9.0, 8.0, True, 6), yoke.float4(1, 2, 3, 4)


def test_device_and_python_agree(stream):
    wants_double()
    host, expected = arrays(), arrays()
    mixed[1, 4](stream, *map(yoke.InOut, host), *SCALARS)
    stream.wait()
    mixed.simulate[1, 4](*expected, *SCALARS)
    for got, wanted, before in zip(host, expected, arrays()):
        assert got.tolist() == wanted.tolist() != before.tolist()
    assert host[0].tolist()[1] == (2.5, 8, True, 22)


def test_arrays_and_buffers():
    """An array of float4 is one of float32 whose last axis has 4, or a buffer."""
    wants_double()
    stream = yoke.default_stream()
    host = arrays()
    mixed[1, 4](stream, *map(yoke.InOut, host), *SCALARS)
    v, n = (yoke.asarray(each) for each in arrays()[1:])
    ps = stream.device.buffer(4 * LAYOUT.itemsize)
    stream.write(ps, particles())
    mixed[1, 4](stream, ps, v, n, *SCALARS)
    stream.wait()
    assert v.tolist() == host[1].tolist() and n.tolist() == host[2].tolist()


def test_structured_dtypes(stream):
    wants_double()
    host, expected, other = particles(), particles(), particles()
    structured[4](stream, yoke.InOut(host), host[2], yoke.In(other))
    stream.wait()
    structured.simulate[4](expected, expected[2].copy(), other)
    assert host.tolist() == expected.tolist() and host["mass"].tolist() == [10, 11, 12, 13] and not host["alive"].any()


def test_vectors_in_python():
    a = yoke.float4(1, 2, 3, 4)
    assert 2 * a - 1 == yoke.float4(1, 3, 5, 7) and a.w == 4 and hash(a) == hash(yoke.float4(1, 2, 3, 4))
    assert -yoke.int2(1, 2) == yoke.int2(-1, -2) and yoke.uint2(5, 6) & 4 == yoke.uint2(4, 4)
    assert repr(yoke.int2(1, 2)) == "yoke.int2(1, 2)"
    for wrong, text in ((lambda: a.v, "has x, y, z, w, and not v"), (lambda: yoke.float2(1), "takes 2 numbers, not 1"),
                        (lambda: setattr(a, "x", 1), "cannot be changed"), (lambda: a + yoke.float2(1, 2), "unsupported operand")):
        with pytest.raises((AttributeError, TypeError), match=text):
            wrong()


HEAD = """
__name__ = "__main__"
import dataclasses

@dataclasses.dataclass
class Particle:
    x: "float32"
    n: "int32"

@dataclasses.dataclass
class Odd:
    x: "list"

@dataclasses.dataclass
class Empty:
    pass

first = Particle

@dataclasses.dataclass
class Particle:
    y: "float32"

second, Particle = Particle, first

@yoke.function
def of_particle(p: first) -> second: return p

@yoke.function
def takes(p: first): return p.x

@yoke.kernel
def wrong(ps: yoke.Array[first], v: yoke.Array[yoke.float4], n: yoke.Array[yoke.int2], p: first, a: "float32"):
    i = yoke.grid(1)
"""
WRONG = [
    ("p.x = 1", "a field changes only in an array, as x[i].x = …: make a new Particle"),
    ("q = p\nq.x += 1", "a field changes only in an array"),
    ("a.x = 1", "a.x is neither"),
    ("b = p.z", "Particle has no z; it has x, n"),
    ("b = p + 1", "Particle is a struct, which has no operators: use its fields"),
    ("b = -p", "Particle has no sign"),
    ("b = v[i] // 2", "float4 has the operators + - * / alone"),
    ("b = n[i] / 2", "int2 has the operators + - * & | ^ alone"),
    ("b = n[i] + v[i]", "int2 and float4 have no operator together"),
    ("b = n[i] + a", "a part of int2 is int32, and this is a number of type float32: write int"),
    ("b = v[i] + v", "a vector or a number is wanted here, and this is an array"),
    ("b = abs(v[i])", "a number is wanted as an argument of abs, and this is a value of float4"),
    ("b = 1 if v[i] else 2", "a number is wanted in a condition, and this is a value of float4"),
    ("b = yoke.float4(1, 2)", "float4 takes 4 values, and z is missing"),
    ("b = yoke.float4(x=1, y=2, z=3, w=4)", "float4 takes its numbers in their order"),
    ("b = Particle(1, 2, 3)", "Particle takes 2 values, not 3"),
    ("b = Particle(1, 2, x=3)", "Particle gets x twice"),
    ("b = Particle(1, m=3)", "Particle has no field m"),
    ("b = Particle(1, a)", "n of Particle is int32, and this is a number of type float32"),
    ("ps[i].n = a", "n of Particle is int32, and this is a number of type float32"),
    ("ps[i].n = p", "n of Particle is int32, and this is a value of Particle"),
    ("ps[i].z = 1", "Particle has no z"),
    ("ps[i] = a", "an element is Particle, and this is a number of type float32"),
    ("v[i] = p", "an element is float4, and this is a value of Particle"),
    ("b = p\nb = a", "b is Particle since line"),
    ("b = p if i else a", "`if` in an expression chooses between numbers, and this is a value of Particle"),
    ("b = second(1)", "two structs of this kernel have the name Particle"),
    ("b = takes(a)", "p of takes is Particle, and this is a number of type float32"),
    ("b = of_particle(p)", "of_particle returns Particle, and this is a value of Particle"),
    ("b = Odd(1)", "Odd.x is 'list', and a field is a number"),
    ("b = Empty()", "Empty has no fields"),
    ("b: first = a", "the annotation is Particle, and this is a number of type float32"),
    ("yoke.atomic.add(v, i, 1)", "yoke.atomic.add takes elements of int32 or uint32"),
]


@pytest.mark.parametrize("case", WRONG, ids=[each[0].replace("\n", "; ") for each in WRONG])
def test_wrong(case):
    body, message = case
    with pytest.raises(yoke.KernelError) as failure:
        made(HEAD + "".join(f"    {line}\n" for line in [*body.split("\n"), "ps[i].x, v[i].x, n[i].x = a, a, 1"]))["wrong"].text()
    assert message in str(failure.value)


@pytest.mark.parametrize("args, text", [
    ([0, 1, 2, 5, SCALARS[1]], "one is Particle, and int is passed"),
    ([0, 1, 2, SCALARS[0], 2.0], "w is float4, and float is passed"),
    ([0, 0, 2, *SCALARS], "v is an array of float4, and one of record_"),
    ([0, 2, 2, *SCALARS], "an array of float4 is one of float32 whose last axis has 4 numbers"),
    ([1, 1, 2, *SCALARS], "ps is an array of Particle, and one of float32 is passed"),
])
def test_wrong_arguments(args, text):
    host = arrays()
    with pytest.raises(yoke.KernelError, match=text):
        mixed[4](yoke.default_stream(), *(yoke.InOut(host[each]) if type(each) is int and n < 3 else each
                                          for n, each in enumerate(args)))


def test_wrong_layouts(stream):
    packed, strided = numpy.zeros(4, numpy.dtype([("a", "i1"), ("b", "f8")])), yoke.ones((4, 8))[:, ::2]
    with pytest.raises(yoke.KernelError, match="not where C has them: make it with numpy.dtype"):
        structured[4](stream, yoke.InOut(packed), packed[0], yoke.In(packed))
    host = arrays()
    with pytest.raises(yoke.KernelError, match=r"v is an array of float4, which is contiguous: pass v\.copy\(\)"):
        mixed[4](stream, yoke.InOut(host[0]), strided, yoke.InOut(host[2]), *SCALARS)


@yoke.kernel
def halves(out, back, h, x: yoke.Array["float32"]):
    i = yoke.grid(1)
    own = yoke.local(2, "float16")
    if i < x.size:
        out[i] = x[i]
        own[1] = h[i]
        back[i] = own[1]
        back[i] += x[i] * 0 if h.itemsize == 4 else 0


def test_halves():
    """Each float16 is read as it is, and floats are rounded as NumPy rounds them; bfloat16 as by Yoke's operations."""
    chance, stream = numpy.random.default_rng(1), yoke.default_stream()
    bits = numpy.arange(65536, dtype="u2").view("f2")
    x = chance.integers(0, 2**32, 65536, dtype="u4").view("f4").copy()
    x[:40000] = numpy.exp(chance.uniform(-20, 13, 40000)) * chance.choice((-1, 1), 40000)
    x[:9] = 0, -0.0, 65519.99, 65520, 2.0**-25, 1.5 * 2.0**-24, 2.0**-24, numpy.inf, numpy.nan
    x[9:999] = (chance.integers(0, 2**16, 990, dtype="u4") << 16 | 0x8000).view("f4")  # halfway between two bfloat16
    with numpy.errstate(all="ignore"):
        expected = x.astype("f2")
    array, h = yoke.asarray(x), yoke.asarray(bits)
    out, back = yoke.zeros(65536, dtype="float16"), yoke.zeros(65536)
    halves[65536](stream, out, back, h, array)
    numpy.testing.assert_array_equal(out.to_numpy(), expected)
    numpy.testing.assert_array_equal(back.to_numpy(), bits.astype("f4"))
    assert numpy.signbit(out.to_numpy()[:2]).tolist() == [False, True]
    out = yoke.zeros(65536, dtype="bfloat16")
    halves[65536](stream, out, back, h, array)
    numpy.testing.assert_array_equal(out.astype("float32").to_numpy(), array.astype("bfloat16").astype("float32").to_numpy())
    simulated = [numpy.zeros(9, "f2"), numpy.zeros(9, "f4"), bits[:9], x[:9]]
    halves.simulate[9](*simulated)
    numpy.testing.assert_array_equal(simulated[0], expected[:9])
