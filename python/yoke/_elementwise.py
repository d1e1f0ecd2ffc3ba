# SPDX-License-Identifier: Apache-2.0
"""Functions of each element, by the standard's names and NumPy's. Operands are Arrays and what they take beside them: Python's
numbers, lists, NumPy's arrays."""

import operator as _operator

from . import _core
from ._core import Array as _Array
from ._core import array_from as _array_from
from ._core import evaluate as _evaluate
from ._core import result_dtype as _result_dtype


def _kind(array):
    """"b", "i", "u", "f" or "c", as NumPy's dtypes have it."""
    name = str(array.dtype)
    return "f" if name == "bfloat16" else name[0]


def _binary(name, operation, text):
    def function(x1, x2, /):
        return operation(x1 if isinstance(x1, _Array) or isinstance(x2, _Array) else _array_from(x1), x2)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text}, of each two elements."
    return function


def _unary(name, text, document):
    """A function whose result has the operand's dtype."""
    def function(x, /):
        array = _array_from(x)
        return _evaluate(text, array.dtype, a=array)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = document
    return function


add = _binary("add", _operator.add, "x1 + x2")
subtract = _binary("subtract", _operator.sub, "x1 - x2")
multiply = _binary("multiply", _operator.mul, "x1 * x2")
divide = _binary("divide", _operator.truediv, "x1 / x2")
floor_divide = _binary("floor_divide", _operator.floordiv, "x1 // x2")
remainder = _binary("remainder", _operator.mod, "x1 % x2, which has the sign of x2")
pow = _binary("pow", _operator.pow, "x1 ** x2")
equal = _binary("equal", _operator.eq, "x1 == x2")
not_equal = _binary("not_equal", _operator.ne, "x1 != x2")
less = _binary("less", _operator.lt, "x1 < x2")
less_equal = _binary("less_equal", _operator.le, "x1 <= x2")
greater = _binary("greater", _operator.gt, "x1 > x2")
greater_equal = _binary("greater_equal", _operator.ge, "x1 >= x2")
bitwise_and = _binary("bitwise_and", _operator.and_, "x1 & x2")
bitwise_or = _binary("bitwise_or", _operator.or_, "x1 | x2")
bitwise_xor = _binary("bitwise_xor", _operator.xor, "x1 ^ x2")
bitwise_left_shift = _binary("bitwise_left_shift", _operator.lshift, "x1 << x2")
bitwise_right_shift = _binary("bitwise_right_shift", _operator.rshift, "x1 >> x2")

square = _unary("square", "a * a", "x * x of each element.")


def bitwise_invert(x, /):
    """~x of each element."""
    return ~_array_from(x)


def negative(x, /):
    """-x of each element."""
    return -_array_from(x)


def positive(x, /):
    """A copy."""
    return +_array_from(x)


def abs(x, /):
    """The absolute value of each element; of a complex one its distance from 0."""
    array = _array_from(x)
    return array.copy() if _kind(array) in "bu" else _operator.abs(array)


def reciprocal(x, /):
    """1 / x of each element."""
    return 1 / _array_from(x)


def conj(x, /):
    """The complex conjugate of each element; of real numbers the array itself."""
    return _array_from(x).conj()


def real(x, /):
    """The real parts, a view; the array itself where it is not complex."""
    return _array_from(x).real


def imag(x, /):
    """The imaginary parts, a view; zeros that are only read where the array is not complex."""
    return _array_from(x).imag


def round(x, /, decimals=0):
    """The nearest number with so many decimals; halves go to the even one. Integers stay what they are, but for decimals below 0,
    which is for so many zeros."""
    return _array_from(x).round(decimals)


def rounded_to_tens(array, count):
    """Integers as multiples of 10, 100, …, without floats, which have fewer digits than some integers."""
    if count > 18:
        raise ValueError(f"integers are rounded to up to 18 zeros, not to {count}: convert to a float dtype first")
    if _kind(array) == "b":
        return array & False
    ten = _core.full((), 10 ** count, "uint64" if str(array.dtype) == "uint64" else "int64", stream=array.stream)
    text = ("m = a % t; w = m < 0 ? -m : m; u = w > t / 2 || w == t / 2 && a / t % 2 != 0; "
            "(a - m) + (u ? (a < 0 ? -t : t) : 0)")
    return _core.evaluate(text, array.dtype, a=array, t=ten)


def sign(x, /):
    """-1, 0 or 1, and NaN for NaN; of complex numbers x / abs(x), and 0 for 0."""
    array = _array_from(x)
    if _kind(array) == "c":
        return _evaluate("r = abs(a); r == 0 ? complex(r, r) : a / r", array.dtype, a=array)
    return _evaluate("a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a" if _kind(array) in "if" else "a != 0", array.dtype, a=array)


def _tested(x, of_floats, of_others):
    """A test of each element by its parts; integers all give the same."""
    array = _array_from(x)
    if _kind(array) == "c":
        joint = "&&" if of_others else "||"
        return _evaluate(f"{of_floats}(real(a)) {joint} {of_floats}(imag(a))", "bool", a=array)
    if _kind(array) == "f":
        return _evaluate(f"{of_floats}(a)", "bool", a=array)
    return _core.full(array.shape, of_others, "bool", stream=array.stream)


def isfinite(x, /):
    """Whether each element is neither infinite nor NaN."""
    return _tested(x, "isfinite", True)


def isinf(x, /):
    """Whether each element, or one of its parts, is infinite."""
    return _tested(x, "isinf", False)


def isnan(x, /):
    """Whether each element, or one of its parts, is NaN."""
    return _tested(x, "isnan", False)


def signbit(x, /):
    """Whether each element has the sign -, as -0.0 does."""
    array = _array_from(x)
    return _evaluate("signbit(a)" if _kind(array) == "f" else "a < 0", "bool", a=array)


# ---- Two operands, as floats ----

def _together(x1, x2):
    """Both as Arrays of their common dtype. A number of Python's has no width of its own."""
    one = x1 if isinstance(x1, _Array) else x2
    if not isinstance(one, _Array):
        one = x1 = _array_from(x1)
    x1, x2 = [each if isinstance(each, (_Array, bool, int, float, complex)) else _array_from(each, stream=one.stream)
              for each in (x1, x2)]
    dtype = _result_dtype((x1, x2))
    return [_array_from(each, dtype) if isinstance(each, _Array) else _core.full((), each, dtype, stream=one.stream)
            for each in (x1, x2)]


def _of_floats(name, text, document):
    def function(x1, x2, /):
        a, b = _together(x1, x2)
        if _kind(a) == "c":
            raise TypeError(f"{name} is not for complex numbers, as those of {a.dtype}")
        return _evaluate(text, _result_dtype((a, 1.0)), a=a, b=b)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = document
    return function


atan2 = _of_floats("atan2", "atan2(a, b)", "The angle of the point (x2, x1) for each two elements, from -pi to pi.")
copysign = _of_floats("copysign", "copysign(a, b)", "The size of x1 with the sign of x2.")
hypot = _of_floats("hypot", "hypot(a, b)", "The square root of x1 * x1 + x2 * x2, which does not overflow on the way.")
logaddexp = _of_floats("logaddexp",
                       "a != a ? a : b != b ? b : a == b ? a + 0.693147180559945309 : fmax(a, b) + log1p(exp(-fabs(a - b)))",
                       "The logarithm of exp(x1) + exp(x2).")


def nextafter(x1, x2, /):
    """The next number from x1 on the way to x2."""
    a, b = _together(x1, x2)
    if str(a.dtype) not in ("float32", "float64"):
        raise TypeError(f"nextafter is for float32 and float64, not for {a.dtype}: those have the steps of their own numbers")
    return _evaluate("nextafter(a, b)", a.dtype, a=a, b=b)


# ---- Truth ----

def _logical(name, text, document):
    def function(x1, x2, /):
        one = x1 if isinstance(x1, _Array) else x2 if isinstance(x2, _Array) else _array_from(x1)
        a, b = [_array_from(each, stream=one.stream) for each in (x1, x2)]
        return _evaluate(text, "bool", a=a, b=b)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = document
    return function


logical_and = _logical("logical_and", "(a != 0) && (b != 0)", "Whether both elements are true, that is, not 0.")
logical_or = _logical("logical_or", "(a != 0) || (b != 0)", "Whether one or both of two elements are true.")
logical_xor = _logical("logical_xor", "(a != 0) != (b != 0)", "Whether one of two elements is true and the other is not.")


def logical_not(x, /):
    """Whether each element is 0."""
    return _array_from(x) == 0


# ---- NumPy's names ----

absolute, conjugate, power, invert, bitwise_not = abs, conj, pow, bitwise_invert, bitwise_invert
left_shift, right_shift, arctan2 = bitwise_left_shift, bitwise_right_shift, atan2


def _arc(name):
    def function(x, /):
        return _core.apply(name, x)

    function.__name__ = function.__qualname__ = f"arc{name[1:]}"
    function.__doc__ = f"{name}, by NumPy's name."
    return function


arcsin, arccos, arctan = _arc("asin"), _arc("acos"), _arc("atan")
arcsinh, arccosh, arctanh = _arc("asinh"), _arc("acosh"), _arc("atanh")
