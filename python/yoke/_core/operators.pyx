# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Operators of arrays, and the functions of expressions: each is a short expression.

import collections
import math
import operator

from cpython.buffer cimport PyObject_CheckBuffer

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport c_text, check, here, shown
from .dtype cimport (
    BOOL, C128, dtype_names, dtype_number, F32, F64, fits, fractions_of, I32, I64, I8, in_dtype, is_complex, is_floating,
    is_integer, is_integer_or_bool, is_signed, is_unsigned, number_of, operand_of, part_of, promote, U32, U64, weak,
)
from .memory cimport Buffer
from .stream cimport Stream
from .array cimport above, Array, comparisons
from .expression cimport apart, are_alike, assign, Function, is_sequence, map_arrays, new_array, part_of_complex, spans_meet
from .create cimport filled, stream_of
from .reduction cimport tell_later

from .expression import broadcast_shape
from .create import array_from


cdef dict templates = {
    "+": "c = a + b", "-": "c = a - b", "*": "c = a * b", "/": "c = a / b", "<": "c = a < b", "<=": "c = a <= b",
    ">": "c = a > b", ">=": "c = a >= b", "==": "c = a == b", "!=": "c = a != b", "&": "c = a & b", "|": "c = a | b",
    "^": "c = a ^ b", "<<": "c = a << b", ">>": "c = a >> b", "**": "c = pow(a, b)",
    "fmin": "c = min(a, b)", "fmax": "c = max(a, b)",
    # NaN wins, as in NumPy.
    "min": "c = a < b || a != a ? a : b", "max": "c = a > b || a != a ? a : b",
    # Python's quotient is rounded down, and its remainder has the divisor's sign.
    "//": "q = a / b; r = a % b; c = b != 0 && r != 0 && (r < 0) != (b < 0) ? q - 1 : q",
    "%": "r = a % b; c = b != 0 && r != 0 && (r < 0) != (b < 0) ? r + b : r",
    # a / b may be rounded up to a whole number: 1.0 // 0.1 is 9. Without the remainder the quotient is whole but for its rounding.
    # A quotient of zero has the sign of a / b.
    "//f": "r = fmod(a, b); q = (a - r) / b; w = r != 0 && (r < 0) != (b < 0) ? q - 1 : q; "
           "c = b == 0 ? a / b : w == 0 ? copysign(w, a / b) : w - floor(w) > 0.5 ? ceil(w) : floor(w)",
    "%f": "r = fmod(a, b); c = r == 0 ? copysign(r, b) : (r < 0) != (b < 0) ? r + b : r",
}


cdef dict numpy_signs = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%", "power": "**",
    "matmul": "@", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=",
    "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "left_shift": "<<", "right_shift": ">>",
}


cdef int32_t integer_of(value) except -1:
    """The dtype of an operand, an Array or (dtype's number, value), if it is an integer or bool; else 0."""
    cdef int32_t dtype = (<Array>value).a.dtype if isinstance(value, Array) else value[0]
    return dtype if is_integer_or_bool(dtype) else 0


# A power of integers by squaring: its low bits are the same in every width, so that one function does for all of them.
cdef Function integer_power = Function.__new__(Function)


integer_power.declaration = b"int64 integer_power(int64 base, int64 exponent)"
integer_power.text = b"""YOKE_FUNCTION yoke_i64 integer_power(yoke_i64 base, yoke_i64 exponent)
{
    yoke_u64 product = 1, square = (yoke_u64)base, left = (yoke_u64)exponent;
    for (; left; left >>= 1) {
        if (left & 1)
            product *= square;
        square *= square;
    }
    return (yoke_i64)product;
}
"""


cdef int refuse_negative_powers(Stream stream, exponent) except -1:
    """Refuse negative powers of integers: at once where the exponent is a number, else when the operation runs in the stream."""
    if isinstance(exponent, Array):
        if is_signed((<Array>exponent).a.dtype):
            tell_later(stream, "k < 0", {"k": exponent}, ValueError, no_negative_powers)
    elif exponent[1] < 0:
        raise ValueError(no_negative_powers)
    return 0


cdef str no_negative_powers = "integers are raised to no negative power: convert to a float dtype first"


cdef bint mixes_signs(int32_t a, int32_t b):
    """Whether C computes two integers, one with and one without a sign, in a type that lacks values of one of them."""
    if not (is_signed(a) and is_unsigned(b) or is_unsigned(a) and is_signed(b)):
        return False
    return U32 in (a, b) or max(yoke_dtype_get_size(a), yoke_dtype_get_size(b)) == 8


cdef int operate(Stream stream, str text, str sign, int32_t dtype, dict values, const char *where) except -1:
    """The text of an operator, of the operands a and b, whose common dtype is this. To C an unsigned operand as wide as a signed
    one makes both unsigned, and an integer beside a float is a float; here they have the common dtype, as in NumPy. The values of
    a comparison are compared as they are, also where no dtype has both."""
    cdef int32_t a = integer_of(values["a"]) if "b" in values else 0
    cdef int32_t b = integer_of(values["b"]) if "b" in values else 0
    if sign == "**" and is_integer_or_bool(dtype) and "b" in values:
        refuse_negative_powers(stream, values["b"])
        values = {**values, "integer_power": integer_power}
    converts = False
    if "b" in values and sign not in comparisons:
        if a and b:  # C shifts in the left operand's width; the text of / converts both itself
            converts = sign != "/" and (mixes_signs(a, b) or sign in ("<<", ">>") and a != dtype)
        else:
            converts = (a or b) and dtype in (F64, C128)
    if converts:
        name = dtype_names[dtype]
        text = f"a = ({name})a_; b = ({name})b_; {text}"
        values = {{"a": "a_", "b": "b_"}.get(each, each): value for each, value in values.items()}
    return map_arrays(stream, text, values, where)


cdef int32_t operated(str sign, int32_t dtype) except -1:
    """The dtype that operands of this common dtype are computed in: bools are integers where NumPy takes them for such."""
    return I8 if dtype == BOOL and sign in ("//", "%", "<<", ">>", "**") else dtype


cdef list plans = [{} for _ in dtype_names]  # by dtype, of operators by sign


cdef tuple plan_of(str sign, int32_t dtype, Stream stream):
    """The plan of an operator whose operands both have this dtype: its text, for C, and the dtype of its result. Plans are kept."""
    cdef dict known = plans[dtype]
    cdef object key = sign
    cdef tuple plan
    if sign == "/" and is_integer_or_bool(dtype):
        key = fractions_of(dtype, stream)
    plan = known.get(key)
    if plan is None:
        result = BOOL if sign in comparisons else dtype if key is sign else key
        plan = known[key] = c_text(text_of_sign(sign, dtype, stream), "an operator"), result
    return plan


cdef bint are_plain(str sign, Array array, other):
    """Whether operands need no conversion or order: arrays of one dtype in one stream, or floats and a Python number."""
    cdef int32_t dtype = array.a.dtype
    if isinstance(other, Array):
        return ((<Array>other).stream is array.stream and (<Array>other).a.dtype == dtype and operated(sign, dtype) == dtype
                and (sign != "**" or is_floating(dtype)))
    if not is_floating(dtype) or sign == "**":
        return False
    return type(other) is float or type(other) is int and (-256 <= other <= 256 or sign not in comparisons)  # which are exact


cdef int32_t broadcast_extents(Array a, Array b, int64_t *extents) except -1:
    """broadcast_shape of two arrays; returns the dimensions."""
    cdef Array wide = a if a.a.dimensions >= b.a.dimensions else b
    cdef Array narrow = b if wide is a else a
    cdef int32_t front = wide.a.dimensions - narrow.a.dimensions
    cdef int32_t i
    cdef int64_t extent

    for i in range(wide.a.dimensions):
        extent = wide.a.shape[i]
        if i >= front and narrow.a.shape[i - front] != extent and narrow.a.shape[i - front] != 1:
            if extent != 1:
                broadcast_shape([a.shape, b.shape])  # which raises
            extent = narrow.a.shape[i - front]
        extents[i] = extent
    return wide.a.dimensions


cdef Array map_plain(tuple plan, Array array, left, right=None):
    """A new array c, by a plan's expression of c, a and perhaps b: arrays of one dtype in one stream, and numbers of their dtype.
    Most operators are such, and of a small array the host time is all that counts."""
    cdef yoke_var vars[3]
    cdef size_t count = 2 if right is None else 3
    cdef int64_t extents[8]
    cdef int32_t dtype = plan[1]
    cdef int32_t i
    cdef int32_t dimensions = broadcast_extents(left if isinstance(left, Array) else array,
                                                right if isinstance(right, Array) else array, extents)
    cdef size_t size = yoke_dtype_get_size(dtype)
    cdef Array result = Array.__new__(Array)
    cdef Buffer buffer = Buffer.__new__(Buffer, array.stream.device)
    cdef const char *expression = <bytes>plan[0]
    cdef const char *where = here()
    cdef yoke_stream *queue = array.stream.ptr
    cdef yoke_status status

    for i in range(dimensions):
        size *= extents[i]
    result.stream = array.stream
    result.buffer = buffer
    buffer.users = 1
    vars[1] = plain_var("a", array, left)
    if count == 3:
        vars[2] = plain_var("b", array, right)
    with nogil:  # once: the GIL costs more than the result's memory
        status = yoke_buffer_create_ordered(queue, max(<size_t>1, size), &buffer.ptr)
        if status >= 0:
            result.a = yoke_array_nd(buffer.ptr, dtype, dimensions, extents)
            vars[0] = yoke_var_array("c", result.a)
            status = yoke_map_at(where, queue, expression, vars, count)
    check(status)
    return result


cdef int map_onto(tuple plan, Array array, other) except -1:
    """map_plain with the array as both a and c."""
    cdef yoke_var vars[3]
    cdef const char *expression = <bytes>plan[0]
    cdef const char *where = here()
    cdef yoke_stream *queue = array.stream.ptr
    cdef yoke_status status

    vars[0] = yoke_var_array("c", array.a)
    vars[1] = yoke_var_array("a", array.a)
    vars[2] = plain_var("b", array, other)
    with nogil:
        status = yoke_map_at(where, queue, expression, vars, 3)
    check(status)
    return 0


cdef yoke_var plain_var(const char *name, Array array, value) except *:
    if isinstance(value, Array):
        return yoke_var_array(name, (<Array>value).a)
    return yoke_var_scalar(name, number_of(array.a.dtype, value))


cdef object binary(str sign, left, right):
    """left sign right, for an Array on at least one side; NotImplemented for an operand that is not a number."""
    cdef Array array = left if isinstance(left, Array) else right
    cdef int32_t dtype
    cdef Array result

    other = right if array is left else left
    if are_plain(sign, array, other):
        return map_plain(plan_of(sign, array.a.dtype, array.stream), array, left, right)
    if isinstance(other, Array):
        dtype = promote([array.a.dtype, (<Array>other).a.dtype], array.stream)
        shape = array.shape if array.shape == other.shape else broadcast_shape([array.shape, other.shape])
    else:
        if isinstance(other, (list, tuple)) or hasattr(other, "shape") and other.shape != ():
            other = operand_array(sign, other, array.stream)
            if other is NotImplemented:
                return other
            return binary(sign, array, other) if array is left else binary(sign, other, array)
        try:
            dtype = weak(array.a.dtype, other, array.stream)
        except TypeError:
            return NotImplemented
        if sign in comparisons and is_real(other):
            return compare_number(sign, array, other, array is left)
        power = text_of_power(dtype, other) if sign == "**" and array is left else None
        if power:
            return unary(power, array if dtype == array.a.dtype else array.astype(dtype_names[dtype]), dtype)
        if sign == "/" and is_integer_or_bool(dtype):  # a quotient of floats, in which every int has a place
            other = fractions_of(dtype, array.stream), float(other)
        else:
            other = operand_of(dtype, other)
        shape = array.shape
    dtype = common = operated(sign, dtype)
    text = text_of_sign(sign, dtype, array.stream)
    if sign in comparisons:
        dtype = BOOL
    elif sign == "/":
        dtype = fractions_of(dtype, array.stream)
    result = new_array(array.stream, dtype, shape)
    operate(array.stream, text, sign, common,
            {"c": result, "a": array if array is left else other, "b": other if array is left else array}, here())
    return result


cdef object operand_array(str sign, value, Stream stream):
    """An operand that is not a number, as an Array. NotImplemented where the conversion fails, so that the operand's own operator
    is tried next. Lists have no such operator, and NumPy's operator would call this one again: for both the TypeError is raised,
    except by == and !=, to which an operand that is not a number is just unequal."""
    try:
        return array_from(value, stream=stream)
    except TypeError:
        if sign not in ("==", "!=") and (isinstance(value, (list, tuple)) or hasattr(type(value), "__array_ufunc__")):
            raise
        return NotImplemented


cdef object compare(str sign, left, right):
    """As binary; no element equals an operand that is not a number, such as None or a text, and that has no comparison of its
    own."""
    result = binary(sign, left, right)
    if result is not NotImplemented or sign not in ("==", "!="):
        return result
    return unlike(sign, left, right) if isinstance(left, Array) else unlike(sign, right, left)


cdef object unlike(str sign, Array array, other):
    """array == other or array != other, where `other` is not an operand. TypeError where `other` is meant as numbers, since False
    would be wrong: numbers that no dtype has, such as Fraction, sequences, and objects with the buffer protocol."""
    shape = array.shape
    if hasattr(type(other), "__array_ufunc__"):  # NumPy's own comparison would ask here again
        kind = other.dtype.kind
        if kind == "O" and other.shape == ():
            return compare(sign, array, other.item())
        meant = kind not in ("U", "S", "M")  # texts and dates are not
        shape = shape if meant else broadcast_shape([shape, other.shape])
    else:
        own = type(other).__eq__(other, array) if sign == "==" else type(other).__ne__(other, array)
        if own is not NotImplemented:
            return own
        import collections.abc
        import numbers

        meant = not isinstance(other, (str, bytes)) and (isinstance(other, (numbers.Number, collections.abc.Sequence))
                                                         or PyObject_CheckBuffer(other))
        if isinstance(other, numbers.Number):
            raise TypeError(f"a {type(other).__name__} is not an operand: convert it with float(…)")
    if meant:
        raise TypeError(f"a {type(other).__name__} is not an operand: compare with yoke.asarray(…)")
    return filled(shape, sign == "!=", BOOL, array.stream, here())


cdef object quotient_and_remainder(left, right):
    """divmod(left, right)."""
    quotient = binary("//", left, right)
    return quotient if quotient is NotImplemented else (quotient, binary("%", left, right))


cdef bint compare_beyond(str sign, bint above, bint array_first):
    """The result for all elements, compared with an int that is above, or below, all values of their dtype."""
    if sign in ("==", "!="):
        return sign == "!="
    return (sign[0] == "<") == (above == array_first)


cdef bint is_real(value):
    """Whether a number, of Python or NumPy, is an integer or floating point."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind in ("i", "u", "f") if kind else isinstance(value, (int, float)) and not isinstance(value, bool)


cdef dict mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


cdef tuple whole_comparison(str sign, double value):
    """The comparison of integers with a float as one with an int: n < 2.5 is n < 3. Where it is the same for all integers, the sign
    is None, and the second is what it gives."""
    if value != value:
        return None, sign == "!="
    if math.isinf(value):
        return None, compare_beyond(sign, value > 0, True)
    if sign in ("==", "!=") and value != math.floor(value):
        return None, sign == "!="
    return sign, math.ceil(value) if sign in ("<", ">=") else math.floor(value)


cdef tuple float_comparison(str sign, int32_t dtype, value):
    """The comparison of floats of this dtype with an int that is beyond 64 bits as one with a float, the next below it."""
    half = part_of(dtype) != F64  # compared as float32
    most = 2**128 - 2**104 if half else 2**1024 - 2**971
    if value > most or value < -most:  # beyond all but the infinities
        below = most if value > 0 else -math.inf
    else:
        size = abs(value)
        unit = 1 << max(0, size.bit_length() - (24 if half else 53))
        below = value // unit * unit
        if below == value:
            return sign, float(below)
    if sign in ("==", "!="):
        return None, sign == "!="
    return "<=" if sign in ("<", "<=") else ">", float(below)


cdef object compare_number(str sign, Array array, value, bint array_first):
    """A comparison with a real number of any size, by its value. Of Python's, a float beside floats counts with their dtype."""
    cdef int32_t dtype = array.a.dtype
    cdef Array result
    own = getattr(value, "dtype", None)
    whole = isinstance(value, int) or getattr(own, "kind", "") in ("i", "u")
    text_of_sign(sign, dtype, array.stream)  # which refuses complex numbers
    if not array_first:
        sign = mirrored[sign]
    if whole:
        value = int(value)
    elif is_integer_or_bool(dtype):
        sign, value = whole_comparison(sign, float(value))
    elif own is not None:
        dtype = dtype_number(own)
    if sign is not None and is_integer_or_bool(dtype) and not -(1 << 63) <= value < 1 << 64:
        sign, value = None, compare_beyond(sign, value > 0, True)
    if sign is None:
        return filled(array.shape, value, BOOL, array.stream, here())
    if is_integer_or_bool(dtype):
        whole = True
    elif whole and not -(1 << 63) <= value < 1 << 64:
        sign, value = float_comparison(sign, dtype, value)
        whole = False
        dtype = F64 if part_of(dtype) == F64 else F32
        if sign is None:
            return filled(array.shape, value, BOOL, array.stream, here())
    if whole:
        dtype = I32 if fits(I32, value) else I64 if fits(I64, value) else U64
    result = new_array(array.stream, BOOL, array.shape)
    map_arrays(array.stream, templates[sign], {"c": result, "a": array, "b": (dtype, value)}, here())
    return result


cdef str text_of_sign(str sign, int32_t dtype, Stream stream):
    """The expression of an operator for operands of this dtype."""
    cdef bint whole = is_integer_or_bool(dtype)
    if dtype == BOOL and sign == "-":
        raise TypeError("- is not for bool: use a ^ b, or a.astype(\"int8\") first")
    if is_complex(dtype) and sign in ("<", "<=", ">", ">=", "//", "%", "min", "max"):
        raise TypeError(f"complex numbers have no order: {sign} is not for {dtype_names[dtype]}")
    if sign == "**" and is_complex(dtype):
        from .._complex import POWER

        return POWER
    if sign == "**" and whole:
        return f"c = ({dtype_names[dtype]})integer_power(a, b)"
    if sign in ("&", "|", "^", "<<", ">>") and not whole:
        raise TypeError(f"{sign} is for integers and bool, not for {dtype_names[dtype]}")
    if sign == "/" and whole:
        name = dtype_names[fractions_of(dtype, stream)]
        return f"c = ({name})a / ({name})b"
    return templates[sign + "f" if sign in ("//", "%") and is_floating(dtype) else sign]


cdef str text_of_power(int32_t dtype, exponent):
    """The expression of a power by multiplications; None: the driver's function for floats."""
    if type(exponent) is not int and getattr(getattr(exponent, "dtype", None), "kind", "") in ("i", "u") and exponent.shape == ():
        exponent = int(exponent)
    if type(exponent) is not int or is_floating(dtype) and exponent not in (2, 3):
        return None
    if is_integer_or_bool(dtype):
        in_dtype(dtype, exponent)
    inverse = is_complex(dtype) and exponent < 0
    if abs(exponent) >= 2**63 or exponent < 0 and not inverse:
        raise ValueError(f"{dtype_names[dtype]} is raised to no power of {shown(exponent)}" +
                         ("" if is_complex(dtype) else ": convert to a float dtype first"))
    text, factors, square = "", [], "a"
    exponent = abs(exponent)
    for bit in range(exponent.bit_length()):
        if bit:
            text += f"s{bit} = {square} * {square}; "
            square = f"s{bit}"
        if exponent >> bit & 1:
            factors.append(square)
    product = " * ".join(factors) or "1"
    return text + (f"c = 1 / ({product})" if inverse else "c = " + product)


cdef object unary(str text, Array array, int32_t dtype):
    return map_plain((c_text(text, "an expression"), dtype), array, array)


cdef bint is_free(Array array, other):
    """Whether an operator in place may write while it reads the other operand, which is of the array's shape."""
    cdef Array another
    if not isinstance(other, Array) or other is array:
        return True
    another = other
    return are_alike(array, another) and not spans_meet(array, another)


cdef bint has_kind_of(int32_t target, int32_t dtype):
    """Whether the kind of `target` is that of the dtype or a higher one, in the order bool, integer, floating point, complex."""
    if is_complex(target):
        return True
    if is_floating(target):
        return not is_complex(dtype)
    return is_integer_or_bool(dtype) if is_integer(target) else dtype == BOOL


cdef bint goes_into(int32_t target, int32_t dtype):
    """Whether results of the dtype may be stored in an array of `target`: of its kind or a lower one, and signed results not in an
    unsigned array."""
    return has_kind_of(target, dtype) and not (is_unsigned(target) and is_signed(dtype))


cdef object in_place(str sign, Array array, other):
    """The array keeps its dtype, which has to be of the result's kind at least, as in NumPy."""
    cdef int32_t dtype
    cdef tuple plan
    if are_plain(sign, array, other) and is_free(array, other):
        plan = plan_of(sign, array.a.dtype, array.stream)
        if plan[1] == array.a.dtype:
            map_onto(plan, array, other)
            return array
    power = text_of_power(array.a.dtype, other) if sign == "**" else None
    if is_sequence(other):
        other = operand_array(sign, other, array.stream)
        if other is NotImplemented:
            return other
    if isinstance(other, Array):
        dtype = promote([array.a.dtype, (<Array>other).a.dtype], array.stream)
        other = apart(array, other)
    else:
        try:
            dtype = weak(array.a.dtype, other, array.stream)
        except TypeError:  # it may have an operator of its own
            return NotImplemented
        other = operand_of(dtype, other)
    dtype = common = operated(sign, dtype)
    text = power or text_of_sign(sign, dtype, array.stream)
    if sign == "/":
        dtype = fractions_of(dtype, array.stream)
    if not goes_into(array.a.dtype, dtype):
        raise TypeError(f"a result of {dtype_names[dtype]} does not go into an array of {dtype_names[array.a.dtype]}: use astype, "
                        "or the operator without =")
    operate(array.stream, text, sign, common, {"c": array, "a": array} if power else {"c": array, "a": array, "b": other}, here())
    return array


cdef dict functions = {name: f"c = {name}(a)" for name in (
    "sqrt exp exp2 log log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh floor ceil trunc rint cbrt expm1 "
    "log1p erf rsqrt"
).split()}


def apply(name, a):
    """A function of expressions for each element, by its name; integers are what they are to floor, ceil, trunc and rint, and give
    others floats that have them: float64, where the device has it, of 32 and 64 bits, and float32 of fewer."""
    if name not in functions:
        raise ValueError(f"no such function: {shown(name)}; there are {', '.join(functions)}")
    cdef Array array = array_from(a)
    if is_integer_or_bool(array.a.dtype) and name in ("floor", "ceil", "trunc", "rint"):
        return array.copy()
    if is_complex(array.a.dtype):
        from .._complex import FUNCTIONS

        if name not in FUNCTIONS:
            raise TypeError(f"{name} is not for complex numbers, as those of {dtype_names[array.a.dtype]}")
        return unary(FUNCTIONS[name], array, array.a.dtype)
    return unary(functions[name], array, fractions_of(array.a.dtype, array.stream))


def binary_function(name, a, b):
    """"min" or "max" of two arrays, or of an array and a number, where NaN wins; "fmin" or "fmax", where it does not."""
    if name not in ("min", "max", "fmin", "fmax"):
        raise ValueError(f"no such function: {shown(name)}; there are min, max, fmin, fmax")
    if not isinstance(a, Array) and not isinstance(b, Array):
        a = array_from(a)
    result = binary(name, a, b)
    if result is NotImplemented:
        other = b if isinstance(a, Array) else a
        raise TypeError(f"an Array, a NumPy array, a list or a number is wanted, not {type(other).__name__}: yoke.asarray makes an "
                        "Array")
    return result


cdef object rounded(Array array, decimals):
    """The nearest numbers with `decimals` decimals."""
    decimals = operator.index(decimals)
    if is_complex(array.a.dtype):
        result = new_array(array.stream, array.a.dtype, array.shape)
        for part in (0, 1):
            assign(part_of_complex(result, part), rounded(part_of_complex(array, part), decimals), here())
        return result
    if is_integer_or_bool(array.a.dtype):
        from .._elementwise import rounded_to_tens
        return rounded_to_tens(array, -decimals) if decimals < 0 else array.copy()
    if not decimals:
        return unary("c = rint(a)", array, array.a.dtype)
    text = "c = rint(a * k) / k" if decimals > 0 else "c = rint(a / k) * k"
    result = new_array(array.stream, array.a.dtype, array.shape)
    map_arrays(array.stream, text, {"c": result, "a": array, "k": (F64 if array.a.dtype == F64 else F32, 10.0 ** abs(decimals))},
               here())
    return result


def where(condition, a=None, b=None, /):
    """a where the condition holds, else b: arrays or numbers, broadcast to each other. Of the condition alone its positions, as
    nonzero."""
    cdef Array result
    if a is None or b is None:
        if a is not b:
            raise ValueError("where takes a condition, or a condition and both values")
        from .indexing import nonzero

        return nonzero(condition)
    cdef Array first = array_from(condition, stream=stream_of([condition, a, b]))
    condition = first
    a, b = [array_from(each, stream=first.stream) if is_sequence(each) else each for each in (a, b)]
    arrays = [each for each in (a, b) if isinstance(each, Array)]
    dtype = promote([(<Array>each).a.dtype for each in arrays], first.stream) if arrays else BOOL
    for each in (a, b):
        if not isinstance(each, Array):
            dtype = weak(dtype, each, first.stream)
    result = new_array(first.stream, dtype, broadcast_shape([each.shape for each in [condition, *arrays]]))
    values = [each if isinstance(each, Array) else in_dtype(dtype, each) for each in (a, b)]
    operate(first.stream, "c = condition ? a : b", "?", dtype,
            {"c": result, "condition": condition, "a": values[0], "b": values[1]}, here())
    return result


above.binary = binary
above.in_place = in_place
above.compare = compare
above.quotient_and_remainder = quotient_and_remainder
above.unary = unary
above.rounded = rounded
