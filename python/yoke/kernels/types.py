# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Types of kernels: numbers, arrays, tuples; what two of them give; how each is written in the one text.

A Python number in a kernel is weak, as in NumPy 2: it takes the type of what it meets.
"""

import math
import struct


class Scalar:
    """A type of numbers. kind: "b", "i", "u" or "f"; size in bytes; c: its name in the text. weak: Python's own int or float."""

    def __init__(self, name, kind, size, c, weak=False):
        self.name, self.kind, self.size, self.c, self.weak = name, kind, size, c, weak

    def __repr__(self):
        return self.name


BOOL = Scalar("bool", "b", 1, "int")
I32 = Scalar("int32", "i", 4, "int")
I64 = Scalar("int64", "i", 8, "yoke_i64")
U64 = Scalar("uint64", "u", 8, "yoke_u64")
F32 = Scalar("float32", "f", 4, "float")
F64 = Scalar("float64", "f", 8, "double")
SCALARS = {each.name: each for each in (
    BOOL, Scalar("int8", "i", 1, "signed char"), Scalar("uint8", "u", 1, "unsigned char"), Scalar("int16", "i", 2, "short"),
    Scalar("uint16", "u", 2, "unsigned short"), I32, Scalar("uint32", "u", 4, "unsigned int"), I64, U64, F32, F64)}
WEAK_INT = Scalar("int", "i", 8, "", weak=True)
WEAK_FLOAT = Scalar("float", "f", 8, "", weak=True)


class Complex:
    """A type of complex numbers, which are no Scalars: only what names them takes them. part: the type of both parts; size, c, weak
    as a Scalar's."""

    kind = "c"

    def __init__(self, name, part, c):
        self.name, self.part, self.size, self.c, self.weak = name, part, 2 * part.size, c, part.weak

    def __repr__(self):
        return self.name

    def packed(self, value):
        """A value as the kernel gets it: a NumPy scalar."""
        import numpy

        return getattr(numpy, self.name)(value)

    def takes(self, value):
        """Whether a Python object may be an argument of this type: NumPy's wider numbers would be rounded."""
        dtype = getattr(value, "dtype", None)
        if dtype is None:
            return isinstance(value, (int, float, complex))
        found = {**SCALARS, **COMPLEXES}.get(name_of(dtype))
        return getattr(value, "shape", None) == () and found is not None and common(self, found) is self


COMPLEX64, COMPLEX128 = Complex("complex64", F32, "float2"), Complex("complex128", F64, "double2")
COMPLEXES = {each.name: each for each in (COMPLEX64, COMPLEX128)}
WEAK_COMPLEX = Complex("complex", WEAK_FLOAT, "")
NUMBER = Scalar, Complex

GLOBAL, SHARED, LOCAL = "YOKE_GLOBAL ", "YOKE_SHARED_PTR ", ""  # the words of pointers


class ArrayType:
    """An array: its element's type, dimensions, the memory it is in. contiguous: strides follow from the shape. shape: of shared
    and local arrays, whose extents are constants."""

    def __init__(self, element, ndim, space=GLOBAL, contiguous=True, shape=None):
        self.element, self.ndim, self.space, self.contiguous, self.shape = element, ndim, space, contiguous, shape
        self.key = (element, ndim, space, contiguous, shape)

    def __eq__(self, other):
        return isinstance(other, ArrayType) and self.key == other.key

    def __hash__(self):
        return hash(self.key)

    def __repr__(self):
        return f"Array[{self.element}], {self.ndim} dimension{'s' * (self.ndim != 1)}"

    @property
    def c(self):
        """The type that it points to: a bool is a byte in memory."""
        return "unsigned char" if self.element is BOOL else self.element.c


class TupleType:
    def __init__(self, items):
        self.items = tuple(items)

    def __eq__(self, other):
        return isinstance(other, TupleType) and self.items == other.items

    def __hash__(self):
        return hash(self.items)

    def __repr__(self):
        return f"({', '.join(map(str, self.items))})"


NO_TYPE = {"float16": "only arrays have such elements, which are read as float32",
           "bfloat16": "only arrays have such elements, which are read as float32"}


def name_of(dtype):
    """A dtype's name; None: it is no dtype."""
    for python, name in ((bool, "bool"), (int, "int64"), (float, "float64"), (complex, "complex128")):
        if dtype is python:  # to which a NumPy dtype is equal
            return name
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None)
    if not isinstance(name, str) and isinstance(dtype, type):
        name = {"bool_": "bool"}.get(dtype.__name__, dtype.__name__)
    return name if isinstance(name, str) else None


def scalar_named(dtype):
    """The Scalar of a dtype: a name, a NumPy dtype or scalar type, Python's float, int or bool; None: it is not a dtype.
    TypeError: a dtype without a type here."""
    name = name_of(dtype)
    if name in COMPLEXES:
        raise TypeError(f"{name} cannot stand here, where real numbers are wanted: take its parts, which are {COMPLEXES[name].part}")
    if name in NO_TYPE:
        raise TypeError(f"kernels have no numbers of {name}: {NO_TYPE[name]}")
    return SCALARS.get(name)


def number_named(dtype):
    """The same, or the Complex."""
    return COMPLEXES.get(name_of(dtype)) or scalar_named(dtype)


def common(a, b):
    """The type of an operation of two numbers, or None: NumPy's, but an integer beside floats takes their type, as in C and in
    Yoke's expressions, since float64 is only where a program asks for it."""
    a, b = (WEAK_INT if each is BOOL else each for each in (a, b))
    if a is b:
        return a
    if "c" in (a.kind, b.kind):
        part = common(*(each.part if each.kind == "c" else WEAK_INT if each.kind != "f" else each for each in (a, b)))
        return complex_of(part)
    if a.weak or b.weak:
        strong, weak = (b, a) if a.weak else (a, b)
        if strong.weak:
            return WEAK_FLOAT
        return strong if strong.kind == "f" or weak.kind != "f" else WEAK_FLOAT
    if "f" in (a.kind, b.kind):
        floats = [each for each in (a, b) if each.kind == "f"]
        return max(floats, key=lambda each: each.size)
    if a.kind == b.kind:
        return max(a, b, key=lambda each: each.size)
    unsigned, signed = (a, b) if a.kind == "u" else (b, a)
    if unsigned.size < signed.size:
        return signed
    return SCALARS.get(f"int{unsigned.size * 16}")


def complex_of(part):
    """The type of complex numbers whose parts have this type of floats."""
    return WEAK_COMPLEX if part is WEAK_FLOAT else COMPLEX128 if part is F64 else COMPLEX64


def merged(old, new, as_numba=False):
    """The type of a variable that has been of one type and gets a value of another; None: it would change its type. as_numba: one
    of two integer types has 64 bits."""
    if old is new or old == new:
        return old
    if isinstance(old, TupleType) and isinstance(new, TupleType) and len(old.items) == len(new.items):
        items = [merged(a, b, as_numba) for a, b in zip(old.items, new.items)]
        return None if None in items else TupleType(items)
    if not isinstance(old, NUMBER) or not isinstance(new, NUMBER) or BOOL in (old, new):
        return None
    if {old.kind, new.kind} > {"c"} and not (new if old.kind == "c" else old).weak:  # a real number of a type of its own
        return None
    if old.weak or new.weak:
        result = common(old, new)
        return None if result.weak and not (old.weak and new.weak) else result
    if as_numba and {old.kind, new.kind} <= set("iu") and (old.kind == new.kind or U64 not in (old, new)):
        return of_64_bits(old, new)
    return None


def of_64_bits(a, b):
    """Numba's type of two integers that are not both as wide as this."""
    return U64 if a.kind == b.kind == "u" else I64


MISSING = object()  # a name outside a kernel that there is not


class Misfit(Exception):
    """A number that its type does not have."""


def literal(number, scalar):
    """A Python number as the text has it, in this type."""
    if isinstance(scalar, Complex):
        return f"yk_{scalar}({literal(number.real, scalar.part)}, {literal(number.imag, scalar.part)})"
    if scalar is BOOL:
        return "1" if number else "0"
    if scalar.kind == "f":
        return float_literal(float(number), scalar)
    if isinstance(number, float):
        raise Misfit(f"{number} is not an integer: write int({number})")
    number = int(number)
    bits = scalar.size * 8
    low, high = (0, (1 << bits) - 1) if scalar.kind == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)
    if not low <= number <= high:
        raise Misfit(f"{number} does not fit in {scalar}")
    if scalar.kind == "u":
        return f"{number}u" if scalar.size <= 4 else f"((yoke_u64){number}u)"
    if number == -(1 << bits - 1) and bits >= 32:
        return f"(({scalar.c})(-{high} - 1))"
    text = f"(({scalar.c}){number})" if bits == 64 and abs(number) >= 1 << 31 else str(number)
    return f"({text})" if number < 0 else text


def float_literal(number, scalar):
    if math.isnan(number):
        return f"(({scalar.c})yoke_uint_as_float(0x7fc00000u))"
    if math.isinf(number):
        return f"(({scalar.c}){'-' if number < 0 else ''}yoke_uint_as_float(0x7f800000u))"
    if scalar.size == 4:
        try:
            number = struct.unpack("<f", struct.pack("<f", number))[0]
        except OverflowError:
            raise Misfit(f"{number} does not fit in float32") from None
    text = repr(number) + ("f" if scalar.size == 4 else "")
    return f"({text})" if text.startswith("-") else text


class Value:
    """An expression's value. emit(scalar) gives its text in a type; number: where it is a constant; items: of a tuple. pure: it may
    be computed twice. narrow: what ranges.py knows of an int64; variable: the code of the variable that it is."""

    narrow = variable = None

    def __init__(self, type_, emit, number=None, items=None, pure=True, obj=None):
        self.type, self.emit, self.number, self.items, self.pure, self.obj = type_, emit, number, items, pure, obj

    def __iter__(self):
        return iter(self.items)

    @property
    def code(self):
        return self.emit(self.type)


def strong(type_, code, pure=True):
    """A value of a type of its own, and its conversions."""
    def emit(target):
        if isinstance(type_, Complex) and isinstance(target, Complex) and target is not type_:
            return f"yk_{target}_of_{type_}({code})"
        if target is type_ or not isinstance(target, Scalar) or isinstance(type_, Complex):
            return code
        if target is BOOL:
            return f"({code} != 0)"
        return f"(({target.c}){code})"
    return Value(type_, emit, pure=pure)


def constant(number):
    """A Python number."""
    if isinstance(number, bool):
        return Value(BOOL, lambda target: literal(number, target), number)
    if isinstance(number, complex):
        return Value(WEAK_COMPLEX, lambda target: literal(number, target if isinstance(target, Complex) else COMPLEX64), number)
    return Value(WEAK_INT if isinstance(number, int) else WEAK_FLOAT, lambda target: literal(number, target), number)


def in_type(value, type_):
    """The text of a number in a type; complexes.py has the functions of complex ones."""
    if isinstance(type_, Complex) and isinstance(value.type, Scalar):
        return f"yk_{type_}({value.emit(type_.part)}, 0)"
    return value.emit(type_)


def tuple_value(items):
    items = list(items)
    return Value(TupleType(each.type for each in items), lambda target: "", items=items, pure=all(each.pure for each in items))


def leaves(value):
    """The values in a tuple that are no tuples, or the value itself."""
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value.type, TupleType) else [value]


def leaves_of_type(type_):
    return [leaf for _, leaf in named_leaves("", type_)]


def named_leaves(code, type_):
    """(name, type) of each part of a variable."""
    if isinstance(type_, TupleType):
        return [leaf for i, each in enumerate(type_.items) for leaf in named_leaves(f"{code}t{i}", each)]
    return [(code, type_)]
