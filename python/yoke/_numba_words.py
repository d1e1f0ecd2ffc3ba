# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""What kernels call by Numba's names and Yoke has no word for: bits, fma, selp and the words of warps. On a device
they are translated; `simulate` runs them as they stand here, but those of warps."""

import ast
import math
from fractions import Fraction

import numpy

from .kernels import calls, device
from .kernels.types import BOOL, I32, SCALARS, strong

U32 = SCALARS["uint32"]

# ---- Bits ----

BITS = {
    "popc": """YOKE_FUNCTION int yk_popc32(unsigned int x)
{
    return yoke_popcount(x);
}

YOKE_FUNCTION int yk_popc64(yoke_u64 x)
{
    return yoke_popcount((unsigned int)x) + yoke_popcount((unsigned int)(x >> 32));
}
""",
    "clz": """YOKE_FUNCTION int yk_clz32(unsigned int x)
{
    return yoke_clz(x);
}

YOKE_FUNCTION int yk_clz64(yoke_u64 x)
{
    return x >> 32 ? yoke_clz((unsigned int)(x >> 32)) : 32 + yoke_clz((unsigned int)x);
}
""",
    "ffs": """YOKE_FUNCTION int yk_ffs32(unsigned int x)
{
    return 32 - yoke_clz(x & (~x + 1u));
}

YOKE_FUNCTION int yk_ffs64(yoke_u64 x)
{
    return (unsigned int)x || !x ? yk_ffs32((unsigned int)x) : 32 + yk_ffs32((unsigned int)(x >> 32));
}
""",
    "brev": """YOKE_FUNCTION unsigned int yk_brev32(unsigned int x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}

YOKE_FUNCTION yoke_u64 yk_brev64(yoke_u64 x)
{
    return (yoke_u64)yk_brev32((unsigned int)x) << 32 | yk_brev32((unsigned int)(x >> 32));
}
""",
}


def bits_of(x):
    """An integer's bits as text, the highest first, and its type."""
    type_ = x.dtype.type if isinstance(x, numpy.generic) else numpy.int64
    width = numpy.dtype(type_).itemsize * 8
    return format(int(x) & (1 << width) - 1, f"0{width}b"), type_


def popc(x):
    """The number of bits that are 1."""
    bits, type_ = bits_of(x)
    return type_(bits.count("1"))


def clz(x):
    """The number of zeros above the highest 1."""
    bits, type_ = bits_of(x)
    return type_(len(bits) - len(bits.lstrip("0")))


def ffs(x):
    """The place of the lowest 1, counted from 1; of 0, 0."""
    bits, type_ = bits_of(x)
    return type_(len(bits) - len(bits.rstrip("0")) + 1 if "1" in bits else 0)


def brev(x):
    """The bits in the other order."""
    bits, type_ = bits_of(x)
    return numpy.array([int(bits[::-1], 2)], "uint64").astype(type_)[0]


def _bits(word):
    def handle(scope, node):
        value, = scope.arguments(node, 1)
        type_ = scope.settled(value.type)
        if type_.kind == "f" or type_.size < 4:
            raise scope.error(node, f"cuda.{word} takes integers of 4 or 8 bytes, and this is {type_}: convert it, as "
                              "numpy.int32(x)")
        scope.program.helpers[word] = BITS[word]
        width = type_.size * 8
        whole = SCALARS[f"uint{width}"].c
        return strong(type_, f"(({type_.c})yk_{word}{width}(({whole}){scope.text(node, value, type_)}))", value.pure)
    return handle


# ---- Numbers ----


def fma(a, b, c):
    """a * b + c, rounded once."""
    type_ = numpy.result_type(*(each for each in (a, b, c) if isinstance(each, numpy.generic))).type if any(
        isinstance(each, numpy.generic) for each in (a, b, c)) else float
    if not all(map(math.isfinite, (a, b, c))):
        return type_(a) * type_(b) + type_(c)
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    return type_(float(exact) if exact else type_(a) * type_(b) + type_(c))


def _fma(scope, node):
    values = scope.arguments(node, 3)
    type_ = calls.floats(scope, node, values)
    return scope.typed(type_, lambda t: f"fma({', '.join(each.emit(t) for each in values)})", all(each.pure for each in values))


def cbrt(x):
    """The third root."""
    return numpy.cbrt(x)


def selp(a, b, c):
    """b where a is true, else c."""
    return b if a else c


def _selp(scope, node):
    scope.arguments(node, 3)
    return scope.value(ast.copy_location(ast.IfExp(*node.args), node))


# ---- Warps: all threads of one take part ----

NEED_WARP = """#if !YOKE_HAS_WARP
#error "this device has no warps: exchange values in shared memory, between two cuda.syncthreads()"
#endif
"""
ALIKE = """YOKE_FUNCTION int yk_alike(int test)
{
    return yoke_ballot(test) == 0u || yoke_ballot(!test) == 0u;
}
"""
MATCH64 = """YOKE_FUNCTION unsigned int yk_match64(yoke_u64 value)
{
    return yoke_match_any((unsigned int)value) & yoke_match_any((unsigned int)(value >> 32));
}
"""


def _for_device(name):
    def function(*args):
        raise RuntimeError(f"cuda.{name} is for kernels on a device that has warps")

    function.__name__ = function.__qualname__ = name
    return function


def check_mask(scope, node, name):
    if scope.value(node).number not in (0xffffffff, -1):
        raise scope.error(node, f"the mask of {name} is 0xffffffff, a constant: all threads of the warp take part")


def _shuffle(name, word):
    """A shuffle with Numba's mask, which is that of all threads of the warp."""
    plain = calls.HANDLERS[word]

    def handle(scope, node):
        if len(node.args) != 3:
            raise scope.error(node, f"cuda.{name} takes a mask, a value and a lane")
        check_mask(scope, node.args[0], "a shuffle")
        return plain(scope, ast.copy_location(ast.Call(node.func, node.args[1:], []), node))

    function = _for_device(name)
    calls.HANDLERS[function] = handle
    return function


def _vote(name, text, type_):
    """What the warp's threads say together. Threads that the block's last warp lacks have no say, which a ballot of those against
    tells."""
    def handle(scope, node):
        if len(node.args) != 2:
            raise scope.error(node, f"cuda.{name} takes a mask and a predicate")
        check_mask(scope, node.args[0], f"cuda.{name}")
        scope.program.helpers["need_warp"] = NEED_WARP
        if "yk_alike" in text:
            scope.program.helpers["alike"] = ALIKE
        return strong(type_, text.replace("V", f"({scope.condition(node.args[1])})"), pure=False)

    function = _for_device(name)
    calls.HANDLERS[function] = handle
    return function


def _syncwarp(scope, node):
    if len(node.args) > 1:
        raise scope.error(node, "cuda.syncwarp takes a mask")
    for each in node.args:
        check_mask(scope, each, "cuda.syncwarp")
    scope.program.helpers["need_warp"] = NEED_WARP
    return strong(I32, "yoke_warp_sync()", pure=False)


def _match_any(scope, node):
    if len(node.args) != 2:
        raise scope.error(node, "cuda.match_any_sync takes a mask and a value")
    check_mask(scope, node.args[0], "cuda.match_any_sync")
    value = scope.number(node.args[1])
    if value.type.kind not in "iu" or scope.settled(value.type).size < 4:
        raise scope.error(node.args[1], f"cuda.match_any_sync takes integers of 4 and 8 bytes, and this is {scope.shown(value)}")
    scope.program.helpers["need_warp"] = NEED_WARP
    if scope.settled(value.type).size == 4:
        return strong(U32, f"yoke_match_any({scope.text(node, value)})", pure=False)
    scope.program.helpers["match64"] = MATCH64
    return strong(U32, f"yk_match64((yoke_u64){scope.text(node, value)})", pure=False)


def _lanemask(scope, node):
    scope.arguments(node, 0)
    scope.program.helpers["need_warp"] = NEED_WARP
    return strong(U32, "((1u << yoke_lane()) - 1u)")


class Word:
    """A number that a kernel reads by its name alone, of int32."""

    def __init__(self, name, text):
        self.name, self.text = name, text

    def in_kernel(self, scope):
        """Its Value: expressions ask for it."""
        scope.program.helpers["need_warp"] = NEED_WARP
        return strong(I32, self.text)

    def __index__(self):
        raise RuntimeError(f"cuda.{self.name} is for kernels on a device that has warps")

    def __repr__(self):
        return f"cuda.{self.name}"


laneid, warpsize = Word("laneid", "((int)yoke_lane())"), Word("warpsize", "((int)yoke_warp_size())")
shfl_sync = _shuffle("shfl_sync", device.shuffle)
shfl_xor_sync = _shuffle("shfl_xor_sync", device.shuffle_xor)
shfl_down_sync = _shuffle("shfl_down_sync", device.shuffle_down)
shfl_up_sync = _shuffle("shfl_up_sync", device.shuffle_up)
ballot_sync = _vote("ballot_sync", "yoke_ballot(V)", U32)
all_sync = _vote("all_sync", "(yoke_ballot(!V) == 0u)", BOOL)
any_sync = _vote("any_sync", "(yoke_ballot(V) != 0u)", BOOL)
eq_sync = _vote("eq_sync", "yk_alike(V)", BOOL)
syncwarp, match_any_sync, lanemask_lt = map(_for_device, ("syncwarp", "match_any_sync", "lanemask_lt"))

calls.HANDLERS.update({
    **{globals()[word]: _bits(word) for word in BITS}, fma: _fma, cbrt: calls.elementary("cbrt", False), selp: _selp,
    syncwarp: _syncwarp, match_any_sync: _match_any, lanemask_lt: _lanemask,
})
