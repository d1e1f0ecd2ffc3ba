# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""cuda.atomic of yoke.numba_like: what kernels have no word for is a loop of compare and swap, on words of 4 or 8 bytes. `simulate`
runs the functions as they stand here."""

import ast

import numpy

from .kernels import calls, device
from .kernels.arrays import ArrayValue
from .kernels.types import F32, F64, GLOBAL, I32, I64, LOCAL, SCALARS, SHARED, U64, strong

U32 = SCALARS["uint32"]

# What an element becomes, of its value and the argument.
CHANGED = {"add": "old + value", "sub": "old - value", "min": "value < old ? value : old", "max": "value > old ? value : old",
           "and_": "old & value", "or_": "old | value", "xor": "old ^ value", "inc": "old >= value ? 0 : old + 1",
           "dec": "old == 0 || old > value ? value : old - 1", "exch": "value", "nanmin": "value < old ? value : old",
           "nanmax": "value > old ? value : old"}
OF_FLOATS = {**{word: CHANGED[word] for word in ("add", "sub", "min", "max")}, "nanmin": "fmin(old, value)",
             "nanmax": "fmax(old, value)"}

LOOP = """YOKE_FUNCTION TYPE NAME(SPACETYPE *p, TYPE value)
{
    SPACEWORD *place = (SPACEWORD *)p;
    WORD found = *place, seen;
    TYPE old;

    do {
        seen = found;
        old = FROM(seen);
        found = CAS(place, seen, TO((TYPE)(CHANGED)));
    } while (found != seen);
    return old;
}
"""
SWAP = """YOKE_FUNCTION TYPE NAME(SPACETYPE *p, TYPE expected, TYPE value)
{
    return FROM(CAS((SPACEWORD *)p, TO(expected), TO(value)));
}
"""
WIDE = """#ifdef __OPENCL_VERSION__
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#else
#error "this device has no atomics of 8 bytes: take elements of int32, uint32 or float32"
#endif
#define YK_U64_ATOMIC ulong
#define yk_cas64(p, expected, value) atom_cmpxchg(p, expected, value)
#define yk_from_word64(x) as_double(x)
#define yk_to_word64(x) as_ulong(x)
#else
#define YK_U64_ATOMIC unsigned long long
#define yk_cas64(p, expected, value) atomicCAS(p, expected, value)
#define yk_from_word64(x) __longlong_as_double((long long)(x))
#define yk_to_word64(x) ((unsigned long long)__double_as_longlong(x))
#endif
"""


class atomic:
    """Operations on an element of an array that no other thread comes between; each returns the value before."""

    @staticmethod
    def add(array, index, value):
        """array[index] += value."""
        return device.atomic.add(array, index, value)

    @staticmethod
    def sub(array, index, value):
        """array[index] -= value."""
        return device.atomic.exch(array, index, array[index] - value)

    @staticmethod
    def min(array, index, value):
        """The smaller of the element and the value; a NaN stays, and one in the value changes nothing."""
        return device.atomic.min(array, index, value)

    @staticmethod
    def max(array, index, value):
        """The larger of the element and the value; a NaN stays, and one in the value changes nothing."""
        return device.atomic.max(array, index, value)

    @staticmethod
    def nanmin(array, index, value):
        """The smaller of the element and the value; where one is NaN, the other."""
        return device.atomic.exch(array, index, numpy.fmin(array[index], value))

    @staticmethod
    def nanmax(array, index, value):
        """The larger of the element and the value; where one is NaN, the other."""
        return device.atomic.exch(array, index, numpy.fmax(array[index], value))

    @staticmethod
    def and_(array, index, value):
        """array[index] &= value, of integers."""
        return device.atomic.exch(array, index, array[index] & value)

    @staticmethod
    def or_(array, index, value):
        """array[index] |= value, of integers."""
        return device.atomic.exch(array, index, array[index] | value)

    @staticmethod
    def xor(array, index, value):
        """array[index] ^= value, of integers."""
        return device.atomic.exch(array, index, array[index] ^ value)

    @staticmethod
    def inc(array, index, value):
        """One more, or 0 where the element is `value` or more: of uint32 and uint64."""
        return device.atomic.exch(array, index, 0 if array[index] >= value else array[index] + 1)

    @staticmethod
    def dec(array, index, value):
        """One less, or `value` where the element is 0 or more than `value`: of uint32 and uint64."""
        return device.atomic.exch(array, index, value if array[index] == 0 or array[index] > value else array[index] - 1)

    @staticmethod
    def exch(array, index, value):
        """array[index] = value, of integers."""
        return device.atomic.exch(array, index, value)

    @staticmethod
    def cas(array, index, old, value):
        """array[index] = value where it is `old`, of integers."""
        return device.atomic.cas(array, index, old, value)

    @staticmethod
    def compare_and_swap(array, old, value):
        """array[0] = value where it is `old`, of an array of integers of one dimension."""
        return device.atomic.cas(array, 0, old, value)


def taken(word):
    """The types of elements that an operation takes."""
    if word in ("inc", "dec"):
        return U32, U64
    return (I32, U32, I64, U64, F32, F64) if word in OF_FLOATS else (I32, U32, I64, U64)


def checked(scope, node, word, count):
    """The array of a call, after its number of arguments and the array's type are checked."""
    if len(node.args) != count + 2:
        raise scope.error(node, f"cuda.atomic.{word} takes {count + 2} arguments: an array, an index, "
                          f"{'a value' if count == 1 else 'the expected value and the new one'}")
    array = scope.value(node.args[0])
    if not isinstance(array, ArrayValue):
        raise scope.error(node.args[0], f"an array is wanted here, and this is {scope.shown(array)}")
    if array.type.space == LOCAL:
        raise scope.error(node, "an array of cuda.local is the thread's own: no other thread comes between")
    if array.type.element not in taken(word):
        raise scope.error(node, f"cuda.atomic.{word} takes elements of {', '.join(map(str, taken(word)))}, and these are "
                          f"{array.type.element}")
    return array


def function_of(scope, word, type_, space):
    """The name of the function that does it, which the text gets."""
    width, floating = type_.size * 8, type_.kind == "f"
    name = f"yk_atomic_{word}_{type_.name}_{'shared' if space == SHARED else 'global'}"
    if width == 64:
        scope.program.helpers.setdefault("atomics_of_64", WIDE)
    word_type, cas = ("unsigned int", "yoke_atomic_cas") if width == 32 else ("YK_U64_ATOMIC", "yk_cas64")
    to, back = f"({word_type})", f"({type_.c})"
    if floating:
        to, back = ("yoke_float_as_uint", "yoke_uint_as_float") if width == 32 else ("yk_to_word64", "yk_from_word64")
    text = SWAP if word == "cas" else LOOP.replace("CHANGED", (OF_FLOATS if floating else CHANGED)[word])
    for part, meant in (("CAS", cas), ("SPACE", space), ("WORD", word_type), ("FROM", back), ("TO(", to + "("), ("NAME", name),
                        ("TYPE", type_.c)):
        text = text.replace(part, meant)
    scope.program.helpers[name] = text
    return name


def handler(word, count):
    plain = calls.HANDLERS.get(getattr(device.atomic, word, None))

    def handle(scope, node):
        array = checked(scope, node, word, count)
        type_, space = array.type.element, array.type.space
        if plain and (type_ in (I32, U32) or word == "add" and type_ is F32 and space == GLOBAL):
            return plain(scope, node)
        element = array.element(scope, node, scope.indices(node.args[1], array))
        values = [scope.number(each) for each in node.args[2:]]
        for part, value in zip(node.args[2:], values):
            if value.type.kind == "f" and type_.kind != "f":
                raise scope.error(part, f"the elements are {type_}, and this is {scope.shown(value)}: write int(…)")
        texts = [scope.text(part, value, type_) for part, value in zip(node.args[2:], values)]
        return strong(type_, f"{function_of(scope, word, type_, space)}(&{element.changed()}, {', '.join(texts)})", pure=False)
    return handle


def swapped(scope, node):
    if len(node.args) != 3:
        raise scope.error(node, "cuda.atomic.compare_and_swap takes 3 arguments: an array, the expected value and the new one")
    parts = [node.args[0], ast.copy_location(ast.Constant(0), node), *node.args[1:]]
    return calls.HANDLERS[atomic.cas](scope, ast.copy_location(ast.Call(node.func, parts, []), node))


calls.HANDLERS.update({getattr(atomic, word): handler(word, 1) for word in CHANGED})
calls.HANDLERS.update({atomic.cas: handler("cas", 2), atomic.compare_and_swap: swapped})
