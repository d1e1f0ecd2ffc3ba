# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Python's operators on numbers, as text. Where C means another thing, the text calls a function of ours."""

from . import ranges
from .types import BOOL, I32, I64, Value, WEAK_FLOAT, WEAK_INT, common, of_64_bits, strong

SIGNS = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "LShift": "<<", "RShift": ">>",
         "BitAnd": "&", "BitOr": "|", "BitXor": "^"}
COMPARISONS = {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="}

# T is replaced by the type, N by its name.
HELPERS = {
    "floordiv_int": """YOKE_FUNCTION T yk_floordiv_N(T a, T b)
{
    const T q = (T)(a / b);

    return (T)(q - (q * b != a && (a < 0) != (b < 0)));
}
""",
    "mod_int": """YOKE_FUNCTION T yk_mod_N(T a, T b)
{
    const T r = (T)(a % b);

    return (T)(r + (r != 0 && (r < 0) != (b < 0) ? b : 0));
}
""",
    "mod_float": """YOKE_FUNCTION T yk_mod_N(T a, T b)
{
    const T r = fmod(a, b);

    return r != 0 && (r < 0) != (b < 0) ? r + b : r != 0 ? r : copysign((T)0, b);
}
""",
    "floordiv_float": """YOKE_FUNCTION T yk_floordiv_N(T a, T b)
{
    const T r = fmod(a, b), q = (a - r) / b - (r != 0 && (r < 0) != (b < 0) ? (T)1 : (T)0), whole = floor(q);

    return b == 0 ? a / b : q == 0 ? copysign((T)0, a / b) : q - whole > (T)0.5 ? whole + (T)1 : whole;
}
""",
    "ipow": """YOKE_FUNCTION T yk_ipow_N(T a, unsigned int n)
{
    T result = (T)1;

    for (; n > 0; n >>= 1) {
        result = n & 1 ? (T)(result * a) : result;
        a = (T)(a * a);
    }
    return result;
}
""",
    "min": """YOKE_FUNCTION T yk_min_N(T a, T b)
{
    return b < a ? b : a;
}
""",
    "max": """YOKE_FUNCTION T yk_max_N(T a, T b)
{
    return b > a ? b : a;
}
""",
    "abs_int": """YOKE_FUNCTION T yk_abs_N(T a)
{
    return a < 0 ? (T)-a : a;
}
""",
    "wrap_int": """YOKE_FUNCTION T yk_wrap_N(T i, T n)
{
    return i < 0 ? i + n : i;
}
""",
}


def helper(scope, kind, scalar):
    """The name of a function of ours for this type, which the text gets."""
    scope.program.helpers[kind, scalar.name] = HELPERS[kind].replace("T ", scalar.c + " ").replace("(T)", f"({scalar.c})").replace(
        "_N(", f"_{scalar.name}(")
    return f"yk_{kind.split('_')[0]}_{scalar.name}"


def truth(scope, value):
    """Whether a number is not zero."""
    if value.type is BOOL:
        return value
    if value.number is not None:
        return strong(BOOL, "1" if value.number else "0")
    type_ = scope.settled(value.type)
    return strong(BOOL, f"({value.emit(type_)} != 0)", value.pure)


def type_of_operation(scope, node, name, left, right):
    type_ = common(left.type, right.type)
    if name in ("BitAnd", "BitOr", "BitXor") and left.type is BOOL and right.type is BOOL:
        return BOOL
    as_numba = scope.program.as_numba and name != "Div" and left.type.kind in "biu" and right.type.kind in "biu"
    if as_numba and name in ("LShift", "RShift"):
        return of_64_bits(left.type, left.type)  # whatever the count is
    if type_ is None:
        raise scope.error(node, f"{left.type} {SIGNS[name]} {right.type}: no integer type has all values of both: convert one, as "
                          "numpy.int64(x)")
    if name in ("LShift", "RShift", "BitAnd", "BitOr", "BitXor") and type_.kind == "f":
        raise scope.error(node, f"{SIGNS[name]} takes integers, and this is {left.type} {SIGNS[name]} {right.type}")
    if as_numba and type_.size < 8:
        return of_64_bits(left.type, right.type)
    if type_.weak and type_.kind != "f" and name in ("FloorDiv", "Mod", "Pow", "LShift", "RShift"):
        type_ = I64
    return type_


def operated(scope, node, name, left, right):
    """left OP right."""
    type_ = type_of_operation(scope, node, name, left, right)
    pure = left.pure and right.pure
    if name == "Div" and type_.kind != "f":
        type_ = WEAK_FLOAT  # Python's quotient of two integers is a float of its own
    if name in ("FloorDiv", "Mod", "Div") and right.number == 0 and type_.kind != "f":
        raise scope.error(node, "division by zero")
    if name == "Pow":
        return power(scope, node, type_, left, right)
    narrow = ranges.operated(scope, name, left, right) if type_ is I64 else None
    if narrow is not None and narrow.exact:
        return ranges.small_value(narrow.text, narrow.low, narrow.high, pure)
    if name in ("FloorDiv", "Mod"):
        return rounded_down(scope, name, type_, left, right)
    sign = SIGNS[name]

    def emit(target):
        first = left.emit(target)
        if target.kind == "i" and target.size == 8 and is_plain(left) and (is_plain(right) or name in ("LShift", "RShift")):
            first = f"(({target.c}){first})"  # C has ints for numbers that it would compute with alone
        text = f"({first} {sign} {right.emit(target)})"
        return f"(({target.c}){text})" if target.kind != "f" and target.size < 4 and target is not BOOL else text
    if type_.weak:
        return Value(type_, emit, pure=pure)
    result = strong(type_, emit(type_), pure)
    result.narrow = narrow
    return result


def is_plain(value):
    """Whether the text is made of numbers alone."""
    return value.type.weak or value.number is not None


def rounded_down(scope, name, type_, left, right):
    """// and %: towards minus infinity, as in Python."""
    kind = "mod" if name == "Mod" else "floordiv"
    pure = left.pure and right.pure

    def emit(target):
        a, b = left.emit(target), right.emit(target)
        if target.kind == "u":
            return f"(({target.c})({a} {'%' if name == 'Mod' else '/'} {b}))"
        return f"{helper(scope, kind + ('_float' if target.kind == 'f' else '_int'), target)}({a}, {b})"
    return Value(type_, emit, pure=pure) if type_.weak else strong(type_, emit(type_), pure)


def power(scope, node, type_, left, right):
    exponent, pure = right.number, left.pure and right.pure
    whole = isinstance(exponent, int) or (isinstance(exponent, float) and exponent == 2)
    if type_.kind == "f":
        def emit(target):
            a = left.emit(target)
            if whole and 1 <= exponent <= 4 and left.pure:
                return "(" + " * ".join([a] * int(exponent)) + ")"
            if exponent == 0.5:
                return f"sqrt({a})"
            return f"pow({a}, {right.emit(target)})"
        return Value(type_, emit, pure=pure) if type_.weak else strong(type_, emit(type_), pure)
    if exponent is not None and exponent < 0:
        raise scope.error(node, "an integer to a negative power is a float: write float(x) ** n")
    if exponent is None and right.type.kind != "u":
        raise scope.error(node, "an integer's power may be a float where the exponent is negative: write float(x) ** n, or make "
                          "the exponent unsigned, as numpy.uint32(n)")
    if right.number is not None and exponent >= 1 << 31:
        raise scope.error(node, f"the exponent {exponent} is too large")
    count = f"{exponent}u" if exponent is not None else f"(unsigned int){right.code}"
    return strong(type_, f"{helper(scope, 'ipow', type_)}({left.emit(type_)}, {count})", pure)


def compared(scope, node, name, left, right):
    """The text of a comparison."""
    type_ = BOOL if left.type is BOOL and right.type is BOOL else common(left.type, right.type)
    if type_ is None:
        raise scope.error(node, f"{left.type} {COMPARISONS[name]} {right.type}: no type has all values of both: convert one, as "
                          "numpy.int64(x)")
    if type_ is WEAK_INT:
        type_ = I64
    if type_ is I64 and ranges.exact_of(scope, left, right):
        type_ = I32
    return f"({scope.text(node, left, type_)} {COMPARISONS[name]} {scope.text(node, right, type_)})"
