# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions of each element. Those of floats take integers as floats that are wide enough, as NumPy does."""

import math as _math

import yoke as _yoke
import yoke._elementwise as _elements

from . import _common, _reductions
from ._common import array_of as _array_of
from ._common import evaluate as _evaluate
from ._common import kind_of as _kind
from ._common import together as _together
from ._functions import common_divisor as _common_divisor
from ._ufunc import ufunc

__all__ = ["ufunc"]


def _add(name, function, nin=2, nout=1, text="", **over):
    globals()[name] = ufunc(name, function, nin, nout, text, **over)
    __all__.append(name)


def _same_names(names, name):
    for each in names.split():
        globals()[each] = globals()[name]
        __all__.append(each)


# ---- Arithmetic ----

def _whole(function):
    return lambda a, axis, dtype, out, keepdims, initial, where: function(a, axis, dtype, out, keepdims, initial, where)


def _whole_extreme(function):
    def reduce(a, axis, dtype, out, keepdims, initial, where):
        return function(a if dtype is None else a.astype(dtype), axis, out, keepdims, initial, where)

    return reduce


def _whole_truth(function):
    def reduce(a, axis, dtype, out, keepdims, initial, where):
        if initial is not None:
            raise TypeError("a reduction of bools has no initial here")
        return function(a, axis, out, keepdims, where=where)

    return reduce


def _no_bools(name, function):
    def checked(*operands):
        for each in operands:
            if isinstance(each, bool) or str(getattr(each, "dtype", "")) == "bool":
                others = [one for one in operands if one is not each]
                if all([isinstance(one, bool) or str(getattr(one, "dtype", "")) == "bool" for one in others]):
                    raise TypeError(f"{name} is not for bools: take logical_xor, logical_not, or astype")
        return function(*operands)

    return checked


def _divided(x1, x2):
    one, other = _together(x1, x2)
    if _kind(one) in "biu":
        one, other = [each.astype(_common.wide_float(each.device)) for each in (one, other)]
    return one / other


def _fmod(x1, x2):
    a, b = _together(x1, x2)
    if _kind(a) == "c":
        raise TypeError("fmod is not for complex numbers")
    if _kind(a) == "b":
        a, b = a.astype("int8"), b.astype("int8")
    text = {"f": "fmod(a, b)", "u": "b == 0 ? 0 : a % b"}.get(_kind(a), "b == 0 || b == -1 ? 0 : a % b")
    return _evaluate(text, a.dtype, a=a, b=b)


def _float_power(x1, x2):
    a, b = _together(x1, x2)
    dtype = "complex128" if _kind(a) == "c" else "float64"
    return a.astype(dtype) ** b.astype(dtype)


def _sign(x):
    a = _array_of(x)
    return _evaluate("a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a", a.dtype, a=a) if _kind(a) == "f" else _elements.sign(a)


def _power(x1, x2):
    if isinstance(x2, int) and not isinstance(x2, bool) and x2 < 0 and _kind(_array_of(x1)) in "iu":
        raise ValueError("integers to negative integer powers are not allowed: make the base a float")
    return _elements.pow(x1, x2)


_add("add", _elements.add, text="x1 + x2.", whole=(_whole(_reductions.sum), 0), running=lambda a, n: _yoke.cumsum(a, n))
_add("subtract", _no_bools("subtract", _elements.subtract), text="x1 - x2.")
_add("multiply", _elements.multiply, text="x1 * x2.", whole=(_whole(_reductions.prod), 1), running=lambda a, n: _yoke.cumprod(a, n))
_add("divide", _divided, text="x1 / x2, of integers as floats.")
_add("floor_divide", _elements.floor_divide, text="x1 // x2, rounded down.")
_add("remainder", _elements.remainder, text="x1 % x2, which has the sign of x2.")
_add("divmod", lambda a, b: (_elements.floor_divide(a, b), _elements.remainder(a, b)), nout=2, text="x1 // x2 and x1 % x2.")
_add("fmod", _fmod, text="The remainder, which has the sign of x1.")
_add("power", _power, text="x1 to the power of x2.")
_add("float_power", _float_power, text="x1 to the power of x2, as float64 or complex128.")
def _larger_or_smaller(function, sign, first):
    """One of two elements, by the function of real numbers; of complex ones by the real parts, and by the imaginary ones.
    first: what comes before that, where one is NaN."""
    text = ("o = isnan(real(a)) || isnan(imag(a)); q = isnan(real(b)) || isnan(imag(b)); "
            f"g = real(a) {sign} real(b) || (real(a) == real(b) && imag(a) {sign}= imag(b)); {first} g ? a : b")

    def choose(x1, x2):
        a, b = _together(x1, x2)
        return _evaluate(text, a.dtype, a=a, b=b) if _kind(a) == "c" else function(a, b)

    return choose


_NAN_WINS, _NAN_LOSES = "o ? a : q ? b :", "o ? b : q ? a :"
_add("maximum", _larger_or_smaller(_yoke.maximum, ">", _NAN_WINS), text="The larger of two elements; NaN where one is.",
     whole=(_whole_extreme(_reductions.max), None), running=lambda a, n: _yoke.cummax(a, n))
_add("minimum", _larger_or_smaller(_yoke.minimum, "<", _NAN_WINS), text="The smaller of two elements; NaN where one is.",
     whole=(_whole_extreme(_reductions.min), None), running=lambda a, n: _yoke.cummin(a, n))
_add("fmax", _larger_or_smaller(_yoke.fmax, ">", _NAN_LOSES), text="The larger of two elements; NaN only where both are.")
_add("fmin", _larger_or_smaller(_yoke.fmin, "<", _NAN_LOSES), text="The smaller of two elements; NaN only where both are.")
_add("negative", _no_bools("negative", _elements.negative), 1, text="-x.")
_add("positive", _no_bools("positive", _elements.positive), 1, text="A copy.")
_add("absolute", _elements.abs, 1, text="The absolute value; of a complex number its distance from 0.")
_add("conjugate", _elements.conj, 1, text="The complex conjugate.")
_add("sign", _sign, 1, text="-1, 0 or 1, and NaN for NaN; of complex numbers x / abs(x).")
_same_names("true_divide", "divide")
_same_names("mod", "remainder")
_same_names("pow", "power")
_same_names("abs", "absolute")
_same_names("conj", "conjugate")


def _reciprocal(x):
    a = _array_of(x)
    a = a.astype("int8") if _kind(a) == "b" else a
    return _evaluate("a == 0 ? 0 : 1 / a", a.dtype, a=a) if _kind(a) in "iu" else _elements.reciprocal(a)


_add("reciprocal", _reciprocal, 1, text="1 / x; of integers, too, an integer.")


# ---- Functions of floats ----

def _of_float(function):
    def converted(x):
        a = _array_of(x)
        return function(a.astype(_common.float_dtype(a), copy=False))

    return converted


def _float_only(name, text):
    """An expression of floats; complex numbers are refused."""
    def function(x):
        a = _array_of(x)
        if _kind(a) == "c":
            raise TypeError(f"{name} is not for complex numbers, as those of {a.dtype}")
        dtype = _common.float_dtype(a)
        return _evaluate(text, dtype, a=a.astype(dtype, copy=False))

    return function


def _two_floats(function):
    def converted(x1, x2):
        a, b = _together(x1, x2)
        dtype = _common.float_dtype(a)
        return function(a.astype(dtype, copy=False), b.astype(dtype, copy=False))

    return converted


for _name in "sqrt exp log log2 log10 sin cos tan sinh cosh tanh cbrt expm1 log1p".split():
    _add(_name, _of_float(getattr(_yoke, _name)), 1, text=f"{_name} of each element.")
def _exp2(x):
    a = _array_of(x)
    return _yoke.exp(a * _math.log(2)) if _kind(a) == "c" else _of_float(_yoke.exp2)(a)


def _rint(x):
    a = _array_of(x)
    return _elements.round(a) if _kind(a) == "c" else _of_float(_yoke.rint)(a)


def _square(x):
    a = _array_of(x)
    return _elements.square(a.astype("int8") if _kind(a) == "b" else a)


_add("exp2", _exp2, 1, text="2 to the power of each element.")
_add("rint", _rint, 1, text="The nearest whole number of each element, as a float; of complex numbers that of both parts.")
_add("square", _square, 1, text="x * x.")
for _name in "sin cos tan sinh cosh tanh".split():
    _add("arc" + _name, _of_float(getattr(_yoke, "a" + _name)), 1, text=f"The inverse of {_name}.")
    _same_names("a" + _name, "arc" + _name)
for _name in "floor ceil trunc".split():
    _add(_name, getattr(_yoke, _name), 1, text=f"{_name} of each element; integers stay what they are.")
_DEGREE = repr(_math.pi / 180)
_add("deg2rad", _float_only("deg2rad", f"a * {_DEGREE}"), 1, text="Degrees as radians.")
_add("rad2deg", _float_only("rad2deg", f"a * {180 / _math.pi!r}"), 1, text="Radians as degrees.")
_add("radians", _float_only("radians", f"a * {_DEGREE}"), 1, text="Degrees as radians.")
_add("degrees", _float_only("degrees", f"a * {180 / _math.pi!r}"), 1, text="Radians as degrees.")
_add("fabs", _float_only("fabs", "fabs(a)"), 1, text="The absolute value, as a float.")
_add("arctan2", _two_floats(_elements.atan2), text="The angle of the point (x2, x1), from -pi to pi.")
_same_names("atan2", "arctan2")
_add("hypot", _two_floats(_elements.hypot), text="The square root of x1 * x1 + x2 * x2.")
_add("copysign", _two_floats(_elements.copysign), text="The size of x1 with the sign of x2.")
_add("nextafter", _two_floats(_elements.nextafter), text="The next number from x1 on the way to x2.")
_add("logaddexp", _two_floats(_elements.logaddexp), text="The logarithm of exp(x1) + exp(x2).")
_ADD2 = ("a != a ? a : b != b ? b : a == b ? a + 1 : fmax(a, b) + log1p(exp2(-fabs(a - b))) * 1.44269504088896341")
_add("logaddexp2", _two_floats(lambda a, b: _evaluate(_ADD2, a.dtype, a=a, b=b)), text="The logarithm to base 2 of 2**x1 + 2**x2.")
_STEP = "a != a ? a : a < 0 ? 0 : a > 0 ? 1 : b"
_add("heaviside", _two_floats(lambda a, b: _evaluate(_STEP, a.dtype, a=a, b=b)), text="0 below 0, 1 above, and x2 at 0.")


# ---- Parts of floats ----

def _modf(x):
    a = _array_of(x)
    a = a.astype(_common.float_dtype(a), copy=False)
    whole = _evaluate("trunc(a)", a.dtype, a=a)
    return _evaluate("copysign(isinf(a) ? 0 : a - w, a)", a.dtype, a=a, w=whole), whole


# The exponent by the logarithm, and one step where that was rounded to the wrong side of a power of two.
_EXPONENT = ("e = a == 0 || !isfinite(a) ? 0 : (int32)floor(log2(fabs(a))) + 1; m = fabs(ldexp(a, -e)); "
             "a == 0 || !isfinite(a) ? 0 : m >= 1 ? e + 1 : m < 0.5 ? e - 1 : e")


def _frexp(x):
    a = _array_of(x)
    a = a.astype(_common.float_dtype(a), copy=False)
    exponent = _evaluate(_EXPONENT, "int32", a=a)
    return _evaluate("ldexp(a, -e)", a.dtype, a=a, e=exponent), exponent


def _ldexp(x1, x2):
    a, power = _common.arrays_of(x1, x2)
    if _kind(power) not in "iu":
        raise TypeError(f"ldexp takes integers as exponents, not {power.dtype}")
    dtype = _common.float_dtype(a)
    return _evaluate("ldexp(a, b)", dtype, a=a.astype(dtype, copy=False), b=power.clip(-100000, 100000).astype("int32")
                     if power.dtype.itemsize > 2 else power.astype("int32"))


_add("modf", _modf, 1, 2, "The part behind the point, and the whole number.")
_add("frexp", _frexp, 1, 2, "The fraction from 0.5 to 1, and the power of two.")
_add("ldexp", _ldexp, text="x1 * 2**x2.")


# ---- Truth ----

_TRUTH = {"equal": "x1 == x2", "not_equal": "x1 != x2", "less": "x1 < x2", "less_equal": "x1 <= x2", "greater": "x1 > x2",
          "greater_equal": "x1 >= x2", "logical_xor": "Whether one of two elements is true, and the other is not"}
for _name, _text in _TRUTH.items():
    _add(_name, getattr(_elements, _name), text=_text + ".")
_add("logical_and", _elements.logical_and, text="Whether both elements are true.", whole=(_whole_truth(_reductions.all), True))
_add("logical_or", _elements.logical_or, text="Whether an element is true.", whole=(_whole_truth(_reductions.any), False))
for _name, _text in {"logical_not": "Whether the element is 0", "isfinite": "Whether it is neither infinite nor NaN",
                     "isinf": "Whether it is infinite", "isnan": "Whether it is NaN",
                     "signbit": "Whether it has the sign -"}.items():
    _add(_name, getattr(_elements, _name), 1, text=_text + ".")


# ---- Bits and divisors of integers ----

_COUNT = ("u = (uint64)(a < 0 ? -a : a); v = u - ((u >> 1) & 0x5555555555555555); "
          "w = (v & 0x3333333333333333) + ((v >> 2) & 0x3333333333333333); x = (w + (w >> 4)) & 0x0f0f0f0f0f0f0f0f; "
          "(x * 0x0101010101010101) >> 56")


def _bitwise_count(x):
    a = _array_of(x)
    if _kind(a) not in "iub":
        raise TypeError(f"bitwise_count is for integers, not for {a.dtype}")
    return _evaluate(_COUNT, "uint8", a=a)


def _of_integers(name, function):
    def checked(x1, x2):
        a, b = _together(x1, x2)
        if _kind(a) not in "iu":
            raise TypeError(f"{name} is for integers, not for {a.dtype}")
        return function(a, b)

    return checked


def _gcd(a, b):
    return _yoke.evaluate(_common_divisor, a.dtype, a=a, b=b)


def _lcm(a, b):
    divisor = _gcd(a, b)
    return _evaluate("g == 0 ? 0 : a / g * b < 0 ? -(a / g * b) : a / g * b" if _kind(a) == "i" else "g == 0 ? 0 : a / g * b",
                     a.dtype, a=a, b=b, g=divisor)


for _name, _text in {"bitwise_and": "x1 & x2", "bitwise_or": "x1 | x2", "bitwise_xor": "x1 ^ x2"}.items():
    _add(_name, getattr(_elements, _name), text=_text + ".")
_add("left_shift", _elements.bitwise_left_shift, text="x1 << x2.")
_add("right_shift", _elements.bitwise_right_shift, text="x1 >> x2.")
_add("invert", _elements.bitwise_invert, 1, text="~x.")
_same_names("bitwise_not bitwise_invert", "invert")
_same_names("bitwise_left_shift", "left_shift")
_same_names("bitwise_right_shift", "right_shift")
_add("bitwise_count", _bitwise_count, 1, text="How many bits of the absolute value are 1.")
_add("gcd", _of_integers("gcd", _gcd), text="The greatest common divisor.")
_add("lcm", _of_integers("lcm", _lcm), text="The lowest common multiple.")
