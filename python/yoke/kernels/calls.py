# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""What a kernel may call: Python's functions of numbers, those of math and NumPy, and Yoke's."""

import ast
import builtins
import math
from types import ModuleType

from . import complexes, device, hints, ranges
from .arithmetic import helper, truth
from .arrays import ArrayValue
from .halves import half_named
from .records import made, record_of
from .types import (
    BOOL, COMPLEXES, Complex, F32, GLOBAL, I32, I64, LOCAL, MISSING, SCALARS, SHARED, U64, ArrayType, Scalar, TupleType, Value,
    WEAK_FLOAT, WEAK_INT, common, constant, literal, number_named, strong, tuple_value,
)

# Names in math and NumPy, and the name in both languages.
FUNCTIONS = {"sqrt": "sqrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
             "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan",
             "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "cbrt": "cbrt",
             "erf": "erf", "erfc": "erfc", "gamma": "tgamma", "lgamma": "lgamma", "fabs": "fabs", "arcsin": "asin",
             "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "rint": "rint"}
FUNCTIONS_OF_TWO = {"atan2": "atan2", "arctan2": "atan2", "pow": "pow", "power": "pow", "hypot": "hypot", "fmod": "fmod",
                    "copysign": "copysign", "fmin": "fmin", "fmax": "fmax"}
ROUNDED = {"floor": "floor", "ceil": "ceil", "trunc": "trunc"}  # math gives an int, NumPy a float
TESTS = {"isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite"}
KNOWN = {*FUNCTIONS, *FUNCTIONS_OF_TWO, *ROUNDED, *TESTS, *SCALARS, "pi", "e", "inf", "nan"}  # what hints offer of both


class Calls:
    """Calls in expressions."""

    def on_Call(self, node):
        from .launch import DeviceFunction, Kernel

        callee = self.static(node.func)
        if isinstance(callee, DeviceFunction):
            return self.call_function(node, callee)
        name = ast.unparse(node.func)
        if isinstance(callee, Kernel):
            raise self.error(node, f"{name} is a kernel, which kernels cannot call: make what both need a @yoke.function")
        record = self.record_named(node, callee)
        if record is not None:
            return made(self, node, record)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("conjugate", "conj") and not isinstance(
                self.static(node.func.value), ModuleType):
            value = self.value(node.func.value)
            if complexes.is_complex(value):
                self.arguments(node, 0)
                return complexes.conjugate(value)
        handler = self.handler(node, callee)
        if handler is None:
            raise self.error(node, self.refusal(node, name, callee))
        if getattr(callee, "__module__", None) == device.__name__:
            self.refuse_without_launch(node.func)
        if node.keywords:
            if callee not in (device.shared, device.local):
                raise self.error(node, f"{name} takes no arguments by name in a kernel")
            node = ast.copy_location(ast.Call(node.func, [*node.args, *(each.value for each in node.keywords)], []), node)
        return handler(self, node)

    def record_named(self, node, thing):
        """The struct or vector that a class or dtype is in a kernel, which the text declares; None: it is none."""
        try:
            found = record_of(thing) if thing is not MISSING else None
        except TypeError as failure:
            raise self.error(node, str(failure)) from None
        return found and self.program.record(self, node, found)

    def element_type(self, node, dtype):
        return self.record_named(node, dtype) or half_named(dtype) or self.dtype(node, dtype)

    def refusal(self, node, name, callee):
        """Why this cannot be called."""
        word = getattr(callee, "__name__", name)
        if getattr(callee, "__module__", None) == "cmath":
            return f"{name} cannot be called in a kernel: compute with z.real and z.imag"
        if isinstance(node.func, ast.Attribute) and callee is MISSING:
            owner = None if isinstance(node.func.value, ast.Constant) else self.value(node.func.value)
            hint = hints.of_method(node.func.attr, isinstance(owner, ArrayValue))
            return f"{name}() is not part of kernels: {hint}"
        if word in hints.BUILTINS and getattr(builtins, word, None) is callee:
            return f"{word} is not part of kernels: {hints.BUILTINS[word]}"
        if isinstance(node.func, ast.Lambda) or word == "<lambda>":
            return "a lambda is not part of kernels: write a @yoke.function"
        if isinstance(getattr(callee, "__self__", None), (list, dict, set, str)):
            return f"{name}() changes or reads an object of Python, which kernels cannot: write to an array"
        hint = hints.instead(getattr(callee, "__module__", None) or type(getattr(callee, "__self__", None)).__module__, word)
        if hint:
            return f"{name} cannot be called in a kernel: {hint}"
        if callable(callee) and hasattr(callee, "__code__") and not getattr(callee, "__module__", "").startswith("yoke"):
            return f"{name} is a function of Python: decorate it with @yoke.function"
        if not callable(callee):
            return f"{name} is no function"
        near = self.near(word, KNOWN)
        return f"{name} cannot be called in a kernel{near or ': call it outside, and pass what it gives'}"

    def handler(self, node, callee):
        """The function that translates a call of this."""
        try:
            if callee in HANDLERS:
                return HANDLERS[callee]
        except TypeError:
            return None
        module, name = getattr(callee, "__module__", None), getattr(callee, "__name__", "")
        if module == "math" or type(callee).__name__ == "ufunc":
            return elementary(name, module == "math")
        if isinstance(callee, type) or hasattr(callee, "itemsize") or isinstance(getattr(callee, "name", None), str):
            try:
                type_ = number_named(callee)
            except TypeError as failure:
                raise self.error(node, str(failure)) from None
            return (complexes.converter if isinstance(type_, Complex) else converter)(type_) if type_ else None
        return None

    def arguments(self, node, least, most=None, complexes=False):
        """The values of a call's arguments, all numbers, which may be complex."""
        most = least if most is None else most
        if not least <= len(node.args) <= most:
            wanted = str(least) if least == most else f"{least} to {most}" if most < 99 else f"{least} or more"
            raise self.error(node, f"{ast.unparse(node.func)} takes {wanted} argument{'s' * (wanted != '1')}, not {len(node.args)}")
        number = self.number_or_complex if complexes else self.number
        return [number(each, f"as an argument of {ast.unparse(node.func)}") for each in node.args]

    def constant_shape(self, node, what):
        value = self.value(node)
        items = value.items if isinstance(value.type, TupleType) else [value]
        numbers = [each.number for each in items]
        if not all(isinstance(each, int) and each > 0 for each in numbers):
            raise self.error(node, f"the shape of {what} is a constant of positive ints, such as (16, 16): it is needed when the "
                             "kernel is compiled")
        return tuple(numbers)

    def dtype(self, node, dtype):
        try:
            type_ = number_named(dtype)
        except TypeError as failure:
            raise self.error(node, str(failure)) from None
        if type_ is None:
            raise self.error(node, f"{dtype!r} is not a dtype of kernels: {', '.join([*SCALARS, *COMPLEXES])}")
        return type_

    def dtype_of(self, node):
        """Of an argument of yoke.shared: a name outside the kernel, a string, or x.dtype."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return half_named(node.value) or self.dtype(node, node.value)
        found = self.value(node)
        return self.element_type(node, found.obj if found.type is None else None)


def floats(scope, node, values):
    """The type of a function of floats: that of the arguments; integers give Python's float."""
    type_ = WEAK_FLOAT
    for value in values:
        type_ = common(type_, value.type) if value.type.kind == "f" else type_
    return type_


def elementary(name, of_math):
    """The handler of a function of math or NumPy."""
    if name in ROUNDED:
        return lambda scope, node: rounded(scope, node, ROUNDED[name], of_math)
    if name in TESTS:
        return lambda scope, node: tested(scope, node, TESTS[name])
    if name in ("radians", "degrees", "deg2rad", "rad2deg"):
        return lambda scope, node: scaled(scope, node, math.pi / 180 if name in ("radians", "deg2rad") else 180 / math.pi)
    if name in ("absolute", "minimum", "maximum", "conjugate"):
        return {"absolute": absolute, "minimum": smallest, "maximum": largest, "conjugate": complexes.conjugated}[name]
    for table, count in ((FUNCTIONS, 1), (FUNCTIONS_OF_TWO, 2)):
        if name in table:
            return lambda scope, node: function(scope, node, table[name], count)
    return None


def function(scope, node, word, count):
    values = scope.arguments(node, count)
    type_ = floats(scope, node, values)
    return scope.typed(type_, lambda t: f"{word}({', '.join(each.emit(t) for each in values)})",
                       all(each.pure for each in values))


def scaled(scope, node, factor):
    value, = scope.arguments(node, 1)
    return scope.typed(floats(scope, node, [value]), lambda t: f"({value.emit(t)} * {literal(factor, t)})", value.pure)


def rounded(scope, node, word, to_int):
    value, = scope.arguments(node, 1)
    if value.type.kind != "f":
        return value
    if value.number is not None:
        return constant((int if to_int else float)(getattr(math, word)(value.number)))
    if not to_int:
        return scope.typed(value.type, lambda t: f"{word}({value.emit(t)})", value.pure)
    return strong(I64, f"((yoke_i64){word}({scope.text(node, value)}))", value.pure)


def tested(scope, node, word):
    value, = scope.arguments(node, 1)
    return strong(BOOL, f"({word}({scope.text(node, value, floats(scope, node, [value]))}) != 0)", value.pure)


def absolute(scope, node):
    value, = scope.arguments(node, 1, complexes=True)
    if value.number is not None:
        return constant(abs(value.number))
    if complexes.is_complex(value):
        return complexes.absolute(value)
    if value.type is BOOL or value.type.kind == "u":
        return value
    type_ = I64 if value.type is WEAK_INT else value.type
    if type_.kind == "f":
        return scope.typed(type_, lambda t: f"fabs({value.emit(t)})", value.pure)
    found = ranges.exact_of(scope, value) if type_ is I64 else None
    if found and found[0].low > ranges.LEAST:
        high = max(abs(found[0].low), abs(found[0].high))
        return ranges.small_value(f"{helper(scope, 'abs_int', I32)}({found[0].text})", 0, high, value.pure)
    return strong(type_, f"{helper(scope, 'abs_int', type_)}({value.emit(type_)})", value.pure)


def extreme(name):
    def handle(scope, node):
        values = scope.arguments(node, 2, 99)
        if all(each.number is not None for each in values):
            return constant(getattr(builtins, name)(each.number for each in values))
        type_ = values[0].type
        for value in values[1:]:
            type_ = common(type_, value.type)
            if type_ is None:
                raise scope.error(node, f"the arguments of {name} have no common type: convert one, as numpy.int64(x)")
        type_ = I64 if type_ in (WEAK_INT, BOOL) else type_
        found = ranges.exact_of(scope, *values) if type_ is I64 else None

        def emit(t):
            text = values[0].emit(t)
            for value in values[1:]:
                text = f"{helper(scope, name, t)}({text}, {value.emit(t)})"
            return text
        pure = all(each.pure for each in values)
        if found:
            choose = getattr(builtins, name)
            return ranges.small_value(emit(I32), choose(each.low for each in found), choose(each.high for each in found), pure)
        return scope.typed(type_, emit, pure)
    return handle


smallest, largest = extreme("min"), extreme("max")


def to_nearest(scope, node):
    if len(node.args) == 2:
        raise scope.error(node, "round to digits is not part of kernels: write round(x * 100) / 100")
    value, = scope.arguments(node, 1)
    if value.type.kind != "f":
        return value
    if value.number is not None:
        return constant(round(value.number))
    return strong(I64, f"((yoke_i64)rint({scope.text(node, value)}))", value.pure)


def to_int(scope, node):
    value, = scope.arguments(node, 1)
    if value.number is not None:
        return constant(int(value.number))
    found = ranges.exact_of(scope, value)
    if found:
        return ranges.small_value(found[0].text, found[0].low, found[0].high, value.pure)
    return strong(I64, f"((yoke_i64){scope.text(node, value)})", value.pure)


def to_float(scope, node):
    value, = scope.arguments(node, 1)
    if value.number is not None:
        return constant(float(value.number))
    return Value(WEAK_FLOAT, value.emit, pure=value.pure)


def to_bool(scope, node):
    value, = scope.arguments(node, 1)
    return truth(scope, value)


def converter(type_):
    def handle(scope, node):
        value, = scope.arguments(node, 1)
        if value.number is not None and value.type.kind == "f" and type_.kind != "f":
            return strong(type_, literal(int(value.number), type_))
        text = scope.text(node, value if type_ is not BOOL else truth(scope, value), type_)
        plain = type_.kind == "i" and (value.type.weak or value.number is not None)  # of numbers alone, which C has as ints
        return strong(type_, f"(({type_.c}){text})" if plain else text, value.pure)
    return handle


def length(scope, node):
    if len(node.args) != 1:
        raise scope.error(node, f"len takes 1 argument, not {len(node.args)}")
    value = scope.value(node.args[0])
    if isinstance(value, ArrayValue):
        return value.extents()[0]
    if isinstance(value.type, TupleType):
        return constant(len(value.items))
    raise scope.error(node, f"len takes an array or a tuple, and this is {scope.shown(value)}")


def raised(scope, node):
    values = scope.arguments(node, 2, complexes=True)
    return scope.binary(node, ast.Pow(), *values)


def indices(word):
    def handle(scope, node):
        value, = scope.arguments(node, 1)
        if value.number not in (1, 2, 3):
            raise scope.error(node, f"yoke.{'grid' if word == 'global' else 'gridsize'} takes 1, 2 or 3, the number of dimensions")
        values = [scope.launch_number(word, axis) for axis in "xyz"[:value.number]]
        return values[0] if value.number == 1 else tuple_value(values)
    return handle


def barrier(scope, node):
    scope.arguments(node, 0)
    raise scope.error(node, f"{ast.unparse(node.func)}() is a statement of its own, and has no value")


def allocation(scope, node):
    raise scope.error(node, f"{ast.unparse(node.func)} is assigned to a name of its own, at the outermost level of the function: "
                      'tile = yoke.shared((16, 16), "float32")')


def atomic(word, count):
    def handle(scope, node):
        if len(node.args) != count + 2:
            raise scope.error(node, f"yoke.atomic.{word} takes {count + 2} arguments: an array, an index, "
                              f"{'a value' if count == 1 else 'the expected value and the new one'}")
        array = scope.value(node.args[0])
        if not isinstance(array, ArrayValue):
            raise scope.error(node.args[0], f"an array is wanted here, and this is {scope.shown(array)}: "
                              f"yoke.atomic.{word}(x, i, value)")
        element = array.element(scope, node, scope.indices(node.args[1], array))
        type_ = element.type
        if array.type.space == LOCAL:
            raise scope.error(node, "an array of yoke.local is the thread's own: no other thread comes between")
        floating = type_ is F32 and word == "add" and array.type.space == GLOBAL
        if not floating and type_ not in (I32, SCALARS["uint32"]):
            more = ", or of float32 in global memory" if word == "add" else ""
            place = " in shared memory" if type_ is F32 and more else ""
            raise scope.error(node, f"yoke.atomic.{word} takes elements of int32 or uint32{more}, and these are {type_}{place}")
        values = [scope.number(each) for each in node.args[2:]]
        for part, value in zip(node.args[2:], values):
            if value.type.kind == "f" and not floating:
                raise scope.error(part, f"the elements are {type_}, and this is {scope.shown(value)}: write int(…)")
        texts = [scope.text(part, value, type_) for part, value in zip(node.args[2:], values)]
        name = {"exch": "exchange", "add": "add_float" if floating else "add"}.get(word, word)
        return strong(type_, f"yoke_atomic_{name}(&{element.changed()}, {', '.join(texts)})", pure=False)
    return handle


def shuffled(word):
    def handle(scope, node):
        value, lane = scope.arguments(node, 2)
        type_ = scope.settled(value.type)
        if type_.size < 4:
            raise scope.error(node, f"shuffles take numbers of 4 or 8 bytes, and this is {type_}: convert it, as numpy.int32(x)")
        scope.program.shuffles = True
        where = scope.text(node, lane, SCALARS["uint32"])
        return strong(type_, f"yoke_{word}({scope.text(node, value, type_)}, {where})", pure=False)
    return handle


def words_of(scope, call):
    """The four words of a call that gives a uint4."""
    scope.program.philox = True
    scope.count += 1
    held = f"r{scope.count}_t"
    scope.lines.append("    " * scope.depth + f"const uint4 {held} = {call};")
    return tuple_value([strong(SCALARS["uint32"], f"{held}.{each}") for each in "xyzw"])


def random_words(scope, node):
    values = scope.arguments(node, 3)
    texts = [scope.text(part, whole(scope, part, value), U64) for part, value in zip(node.args, values)]
    return words_of(scope, f"yoke_random_words({', '.join(texts)})")


def whole(scope, node, value):
    if value.type.kind == "f":
        raise scope.error(node, f"random numbers are chosen by integers, and this is {scope.shown(value)}: write int(…)")
    return value


def philox(scope, node):
    parts = [scope.value(each) for each in node.args]
    if [len(each.items or ()) for each in parts] != [4, 2]:
        raise scope.error(node, "yoke.philox takes a counter of four integers and a key of two: "
                          "yoke.philox((i, 0, 0, 0), (seed, 0))")
    texts = []
    for part, node_of_part in zip(parts, node.args):
        for each in part:
            if not isinstance(each.type, Scalar):
                raise scope.error(node_of_part, f"an integer is wanted here, and this is {scope.shown(each)}")
            texts.append(scope.text(node_of_part, whole(scope, node_of_part, each), SCALARS["uint32"]))
    return words_of(scope, f"yoke_philox(yoke_uint4({', '.join(texts[:4])}), yoke_uint2({', '.join(texts[4:])}))")


def random_float(scope, node):
    value, = scope.arguments(node, 1)
    scope.program.philox = True
    return strong(F32, f"yoke_random_float({scope.text(node, whole(scope, node, value), SCALARS['uint32'])})", value.pure)


HANDLERS = {
    abs: absolute, min: smallest, max: largest, round: to_nearest, int: to_int, float: to_float, bool: to_bool, len: length,
    complex: complexes.made, pow: raised,
    device.grid: indices("global"), device.gridsize: indices("global_size"), device.barrier: barrier,
    device.grid_barrier: barrier,
    device.random_words: random_words, device.philox: philox, device.random_float: random_float,
    device.shared: allocation, device.local: allocation,
    **{getattr(device.atomic, word): atomic(word, count)
       for word, count in (("add", 1), ("min", 1), ("max", 1), ("exch", 1), ("cas", 2))},
    **{getattr(device, word): shuffled(word) for word in ("shuffle", "shuffle_xor", "shuffle_down", "shuffle_up")},
}


def allocated(scope, node, callee):
    """The array of `name = yoke.shared(shape, dtype)`."""
    if len(node.args) + len(node.keywords) != 2 or any(each.arg not in ("shape", "dtype") for each in node.keywords):
        raise scope.error(node, f"{ast.unparse(node.func)} takes a shape and a dtype")
    args = [*node.args, *(each.value for each in sorted(node.keywords, key=lambda each: each.arg != "shape"))]
    word = "yoke.shared" if callee is device.shared else "yoke.local"
    shape = scope.constant_shape(args[0], word)
    return ArrayType(scope.dtype_of(args[1]), len(shape), SHARED if callee is device.shared else LOCAL, shape=shape)
