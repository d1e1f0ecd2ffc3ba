# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Expressions of kernels: each node of the syntax tree gives a Value, its type and its text."""

import ast
import builtins
import operator
from types import CellType, ModuleType

from . import complexes, device, hints, ranges, records
from .arithmetic import compared, operated, truth
from .arrays import ArrayValue
from .calls import KNOWN
from .errors import NotYetKnown
from .ranges import narrow_of
from .records import RecordType
from .types import (
    BOOL, Complex, I64, MISSING, Misfit, NUMBER, Scalar, TupleType, Value, WEAK_FLOAT, WEAK_INT, common, constant, in_type,
    of_64_bits, strong, tuple_value,
)

REFUSED = {
    "List": "a list is not part of kernels: use a tuple, or an array of yoke.local(shape, dtype)",
    "Dict": "a dict is not part of kernels: use a tuple or an array",
    "Set": "a set is not part of kernels",
    "ListComp": "a comprehension is not part of kernels: write a for loop over range(…)",
    "SetComp": "a comprehension is not part of kernels: write a for loop over range(…)",
    "DictComp": "a comprehension is not part of kernels: write a for loop over range(…)",
    "GeneratorExp": "a generator is not part of kernels: write a for loop over range(…)",
    "Lambda": "a lambda is not part of kernels: write a @yoke.function",
    "JoinedStr": "a string is not part of kernels",
    "Await": "await is not part of kernels: launch the kernel, and await the stream",
    "Yield": "yield is not part of kernels: write to an array",
    "YieldFrom": "yield is not part of kernels: write to an array",
    "NamedExpr": ":= is not part of kernels: assign in a statement of its own",
    "Starred": "* in a call or a tuple is not part of kernels: write each value",
    "Slice": "a slice is not part of kernels: loop over the elements",
}
FOLDED = {"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv, "FloorDiv": operator.floordiv,
          "Mod": operator.mod, "Pow": operator.pow, "LShift": operator.lshift, "RShift": operator.rshift, "BitAnd": operator.and_,
          "BitOr": operator.or_, "BitXor": operator.xor}


BUILTINS = vars(builtins)


def keeps_names(owner):
    """Whether the names in this mean the same as long as the program runs: a launch does not look after them."""
    return owner is device.atomic or is_of_numbers(owner) or isinstance(owner, ModuleType) and owner.__name__.startswith("yoke")


def is_of_numbers(owner):
    """Whether this is math or NumPy, most of whose names kernels refuse."""
    return isinstance(owner, ModuleType) and owner.__name__.partition(".")[0] in ("math", "numpy")


class Expressions:
    """The expressions of one function. What a subclass brings: error(node, message), types of variables, the calls."""

    def value(self, node):
        name = type(node).__name__
        method = getattr(self, "on_" + name, None)
        if method is None:
            raise self.error(node, REFUSED.get(name, f"{name} is not part of kernels"))
        try:
            return method(node)
        except Misfit as misfit:
            raise self.error(node, str(misfit)) from None

    def number(self, node, what="here"):
        """The value of a node that has to be a real number."""
        return self.real(node, self.value(node), what)

    def real(self, node, value, what):
        if isinstance(value.type, Complex):
            raise self.error(node, f"a real number is wanted {what}, and this is {self.shown(value)}: take z.real, z.imag or "
                             "abs(z), or compare it, as z != 0")
        if not isinstance(value.type, Scalar):
            raise self.error(node, f"a number is wanted {what}, and this is {self.shown(value)}")
        return value

    def number_or_complex(self, node, what):
        """The value of a node that has to be a number, real or complex."""
        value = self.value(node)
        return value if complexes.is_complex(value) else self.real(node, value, what)

    def shown(self, value):
        if isinstance(value, ArrayValue):
            return "an array"
        if isinstance(value.type, RecordType):
            return f"a value of {value.type}"
        if value.type is None:
            return f"{value.obj!r}"
        return f"a tuple of {len(value.items)}" if isinstance(value.type, TupleType) else f"a number of type {value.type}"

    def text(self, node, value, type_=None):
        """The text of a value in a type; weak types become int64 and the kernel's float."""
        try:
            return in_type(value, self.settled(type_ or value.type))
        except Misfit as misfit:
            raise self.error(node, str(misfit)) from None

    def condition(self, node):
        """The text of a condition."""
        if isinstance(node, ast.BoolOp):
            sign, before = " && " if isinstance(node.op, ast.And) else " || ", len(self.lines)
            kept = self.gathered
            self.gathered = kept if isinstance(node.op, ast.And) else None  # what one of several conditions tells
            text = "(" + sign.join(self.condition(each) for each in node.values) + ")"
            self.gathered = kept
            self.refuse_lines(node, before)
            return text
        kept = self.gathered
        self.gathered = kept if isinstance(node, ast.Compare) else None
        try:
            return self.simple_condition(node)
        finally:
            self.gathered = kept

    def simple_condition(self, node):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!{self.condition(node.operand)}"
        value = self.number(node, "in a condition")
        return self.text(node, truth(self, value), BOOL)

    def refuse_lines(self, node, before):
        """What is only evaluated under a condition has no statements of its own."""
        if len(self.lines) != before:
            raise self.error(node, "a call that gives a tuple is assigned in a statement of its own")

    # ---- Names and constants ----

    def on_Constant(self, node):
        if isinstance(node.value, (bool, int, float, complex)):
            return constant(node.value)
        what, hint = {
            str: ("a string", ""), bytes: ("a string", ": use an array of uint8"), type(...): ("...", ": loop over the elements"),
            type(None): ("None", ": take a number that stands for nothing, as -1 or math.nan"),
        }[type(node.value)]
        raise self.error(node, f"{what} is not part of kernels{hint}")

    def on_Name(self, node):
        if node.id in self.locals:
            return self.variable(node)
        return self.captured(node, self.static(node))

    def captured(self, node, found):
        """What a name outside the kernel means in it."""
        if isinstance(found, type):
            return Value(None, None, obj=found)
        if hasattr(type(found), "in_kernel"):  # a word that has no brackets
            return found.in_kernel(self)
        dtype = getattr(found, "dtype", None)
        if isinstance(found, (bool, int, float, complex)) and dtype is None:
            return constant(found)
        if dtype is not None and getattr(found, "shape", None) == () and not hasattr(found, "__setitem__"):
            type_ = self.dtype(node, dtype)
            return strong(type_, self.text(node, constant(found.item()), type_))
        if isinstance(found, tuple):
            return tuple_value([self.captured(node, each) for each in found])
        if dtype is not None:
            hint = f", or take its number before, {ast.unparse(node)}.item()" if getattr(found, "shape", None) == () else ""
            raise self.error(node, f"the array {ast.unparse(node)} is outside the kernel: pass it as an argument{hint}")
        if isinstance(found, (str, list, dict, set)) or found is None:
            what = "None" if found is None else f"a {type(found).__name__}"
            raise self.error(node, f"{what} is not part of kernels: {ast.unparse(node)} may be a number or a tuple of them")
        return Value(None, None, obj=found)

    def static(self, node):
        """The Python object that a dotted name outside the kernel stands for, at this moment; MISSING: it is no such name."""
        if isinstance(node, ast.Name) and node.id not in self.locals:
            return self.lookup(node)
        if isinstance(node, ast.Attribute):
            owner = self.static(node.value)
            if owner is MISSING or isinstance(owner, device.Index):
                return MISSING
            try:
                found = getattr(owner, node.attr)
                if not keeps_names(owner):
                    self.program.capture(owner, node.attr, True, found)
                return found
            except AttributeError:
                names = [each for each in KNOWN if hasattr(owner, each)] if is_of_numbers(owner) else [
                    each for each in dir(owner) if not each.startswith("_")]
                hint = f": write {hints.NUMBA[node.attr]}" if node.attr in hints.NUMBA else self.near(node.attr, names)
                raise self.error(node, f"{ast.unparse(node.value)} has no {node.attr}{hint}") from None
        return MISSING

    def lookup(self, node):
        found = self.kernel.find(node.id)
        if found is not None:
            value, owner, closed = found[0](), found[1], isinstance(found[1], CellType)
            if owner is not BUILTINS:
                self.program.capture(owner, "cell_contents" if closed else node.id, closed, value)
            return value
        names = {*self.locals, *self.kernel.visible()} - {node.id}
        raise self.error(node, f"{node.id} is not defined{self.near(node.id, names)}", NotYetKnown)

    def on_Attribute(self, node):
        owner = self.static(node.value)
        if isinstance(owner, device.Index):
            self.refuse_without_launch(node)
            if node.attr not in ("x", "y", "z"):
                raise self.error(node, f"yoke.{owner.word} has x, y and z, and not {node.attr}")
            return self.launch_number(owner.word, node.attr)
        if owner is not MISSING and not isinstance(owner, tuple):
            return self.captured(node, self.static(node))
        value = self.value(node.value)
        if isinstance(value.type, RecordType):
            return records.field_of(self, node, value, node.attr)
        if complexes.is_complex(value):
            return complexes.attribute(self, node, value, node.attr)
        if not isinstance(value, ArrayValue):
            raise self.error(node, f"{self.shown(value)} has no {node.attr} in a kernel")
        return self.array_attribute(node, value)

    def launch_number(self, word, axis):
        """An index or a size of the launch. Sizes are read once, at the beginning: where a loop with a barrier asks for one in its
        condition, PoCL 3.1 takes the loop for one without a turn."""
        type_ = "int" if self.program.narrow else "yoke_i64"
        call, is_size = f"(({type_})yoke_{word}_{axis}())", "size" in word
        if is_size:
            self.sizes[f"{word}_{axis}_t"] = f"{type_} {word}_{axis}_t = {call}"
            call = f"{word}_{axis}_t"
        high = ranges.MOST_THREADS if word in ("thread", "block_size") else ranges.SMALL
        return ranges.small_value(call, int(is_size), high - 1 + is_size) if self.program.narrow else strong(I64, call)

    def refuse_without_launch(self, node):
        if not self.program.of_kernel:
            raise self.error(node, f"{ast.unparse(node)} is for kernels: an expression is of the elements that it gets")

    def array_attribute(self, node, value):
        if node.attr == "shape":
            return tuple_value(value.extents())
        if node.attr == "strides":
            return tuple_value([strong(I64, f"({value.stride(i)} * {value.type.element.size})") for i in range(value.type.ndim)])
        if node.attr == "size":
            extents = value.extents()
            if self.program.narrow and extents:  # that of all of them is known to be small
                text = " * ".join(narrow_of(self, each).text for each in extents)
                return ranges.small_value(f"({text})", 0, ranges.SMALL - 1)
            return strong(I64, "(" + " * ".join(each.emit(I64) for each in extents) + ")") if extents else constant(1)
        if node.attr == "ndim":
            return constant(value.type.ndim)
        if node.attr == "itemsize":
            return constant(value.type.element.size)
        if node.attr == "dtype":
            return Value(None, None, obj=getattr(value.type.element, "of", value.type.element.name))
        raise self.error(node, f"an array has no {node.attr} in a kernel{self.near(node.attr, ['shape', 'size', 'ndim', 'dtype'])}"
                         "; there are shape, size, ndim, strides, itemsize, dtype")

    # ---- Operators ----

    def on_BinOp(self, node):
        return self.binary(node, node.op, self.value(node.left), self.value(node.right))

    def binary(self, node, op, left, right):
        name = type(op).__name__
        if name == "MatMult":
            raise self.error(node, "@ is not part of kernels: write the loops, or call yoke.matmul outside")
        if isinstance(left.type, RecordType) or isinstance(right.type, RecordType):
            return records.operated(self, node, name, left, right)
        for side, value in (("left", left), ("right", right)):
            if not isinstance(value.type, NUMBER):
                raise self.error(node, f"a number is wanted {side} of an operator, and this is {self.shown(value)}")
        if left.number is not None and right.number is not None and common(left.type, right.type).weak:
            try:
                return constant(FOLDED[name](left.number, right.number))
            except (ArithmeticError, TypeError, ValueError) as failure:
                raise self.error(node, str(failure)) from None
        try:
            handler = complexes.operated if complexes.is_complex(left, right) else operated
            return handler(self, node, name, left, right)
        except Misfit as misfit:
            raise self.error(node, str(misfit)) from None

    def on_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            return strong(BOOL, self.condition(node))
        value = self.value(node.operand)
        if isinstance(value.type, RecordType) and isinstance(node.op, ast.USub):
            return records.negated(self, node, value)
        value = value if complexes.is_complex(value) else self.real(node.operand, value, "here")
        sign = {"USub": "-", "UAdd": "+", "Invert": "~"}[type(node.op).__name__]
        if value.number is not None and not (sign == "~" and value.type.kind in "fc"):
            return constant({"-": operator.neg, "+": operator.pos, "~": operator.invert}[sign](value.number))
        if sign == "~" and (value.type.kind in "fc" or value.type is BOOL):
            raise self.error(node, f"~ takes an integer, and this is {self.shown(value)}" +
                             (": write not" if value.type is BOOL else ""))
        if complexes.is_complex(value):
            return value if sign == "+" else complexes.negated(value)
        type_ = value.type
        if type_ is BOOL or self.program.as_numba and type_.kind in "iu" and type_.size < 8:
            type_ = of_64_bits(type_, type_)
            value = strong(type_, self.text(node, value, type_), value.pure)
        if sign == "+":
            return value
        narrow = narrow_of(self, value) if value.type is I64 and sign == "-" else None
        if narrow is not None and narrow.exact and narrow.low > ranges.LEAST:
            return ranges.small_value(f"(-{narrow.text})", -narrow.high, -narrow.low, value.pure)
        return self.typed(value.type, lambda t: f"{'(' + t.c + ')' if t.size < 4 else ''}({sign}{value.emit(t)})", value.pure)

    def typed(self, type_, emit, pure=True):
        """A value whose text depends on its type, as long as that is weak."""
        return Value(type_, emit, pure=pure) if type_.weak else strong(type_, emit(type_), pure)

    def on_BoolOp(self, node):
        for each in node.values:
            value = self.number(each, "left or right of `and`, `or`")
            if value.type is not BOOL:
                raise self.error(each, f"`and` and `or` give one of their operands in Python, and this is {self.shown(value)}: "
                                 "compare it, as in x != 0, or write a if c else b")
        return strong(BOOL, self.condition(node))

    def on_Compare(self, node):
        parts, left_node = [], node.left
        gathered, self.gathered = self.gathered, None
        left = self.number_or_complex(left_node, "in a comparison")
        for i, (op, right_node) in enumerate(zip(node.ops, node.comparators)):
            if isinstance(op, (ast.In, ast.NotIn)):
                raise self.error(node, "`in` is not part of kernels: compare with each value, or write a loop")
            if isinstance(op, (ast.Is, ast.IsNot)):
                raise self.error(node, "`is` is not part of kernels: write == or !=")
            right = self.number_or_complex(right_node, "in a comparison")
            if i + 1 < len(node.ops) and not right.pure:
                raise self.error(right_node, "a call in the middle of a chained comparison would run twice: assign it first")
            compare = complexes.compared if complexes.is_complex(left, right) else compared
            parts.append(compare(self, node, type(op).__name__, left, right))
            if gathered is not None:
                self.note_comparison(type(op).__name__, left, right, gathered)
            left = right
        self.gathered = gathered
        return strong(BOOL, parts[0] if len(parts) == 1 else "(" + " && ".join(parts) + ")")

    def on_IfExp(self, node):
        test = self.condition(node.test)
        before = len(self.lines)
        yes, no = self.value(node.body), self.value(node.orelse)
        self.refuse_lines(node, before)
        if isinstance(yes.type, TupleType) and isinstance(no.type, TupleType) and len(yes.items) == len(no.items):
            return tuple_value([self.either(node, test, a, b) for a, b in zip(yes, no)])
        if isinstance(yes.type, RecordType) and yes.type == no.type:
            return strong(yes.type, f"({test} ? {yes.code} : {no.code})", yes.pure and no.pure)
        for part, value in ((node.body, yes), (node.orelse, no)):
            if not isinstance(value.type, NUMBER):
                raise self.error(part, f"`if` in an expression chooses between numbers, and this is {self.shown(value)}")
        return self.either(node, test, yes, no)

    def either(self, node, test, yes, no):
        if (yes.type is BOOL) != (no.type is BOOL):
            raise self.error(node, f"one side is {yes.type} and the other {no.type}: both must be bool, or neither")
        type_ = BOOL if yes.type is BOOL else common(yes.type, no.type)
        if type_ is None:
            raise self.error(node, f"{yes.type} and {no.type} have no common type: convert one, as numpy.int64(x)")
        found = ranges.exact_of(self, yes, no) if type_ in (I64, WEAK_INT) else None
        if found:
            a, b = found
            narrow = ranges.small_value(f"({test} ? {a.text} : {b.text})", min(a.low, b.low), max(a.high, b.high),
                                        yes.pure and no.pure)
            if type_ is I64:
                return narrow
        try:
            value = self.typed(type_, lambda t: f"({test} ? {in_type(yes, t)} : {in_type(no, t)})", yes.pure and no.pure)
        except Misfit as misfit:
            raise self.error(node, str(misfit)) from None
        value.narrow = narrow.narrow if found else None
        return value

    def on_Tuple(self, node):
        return tuple_value([self.value(each) for each in node.elts])

    # ---- Elements ----

    def on_Subscript(self, node):
        owner = self.static(node.value)
        if owner is not MISSING and not isinstance(owner, tuple):
            self.captured(node.value, owner)  # which refuses arrays and lists
            raise self.error(node, f"{ast.unparse(node.value)}[…] is not part of kernels")
        value = self.value(node.value)
        if isinstance(value.type, TupleType):
            return self.item_of_tuple(node, value)
        if isinstance(value.type, RecordType) and not value.type.vector and records.is_name(node.slice):
            return records.field_of(self, node, value, node.slice.value)
        return self.element(node, value).read(self)

    def item_of_tuple(self, node, value):
        index = self.value(node.slice)
        if not isinstance(index.number, int):
            raise self.error(node.slice, "a tuple's index is a constant in a kernel: use an array of yoke.local(shape, dtype)")
        if not -len(value.items) <= index.number < len(value.items):
            raise self.error(node, f"the index {index.number} is outside a tuple of {len(value.items)}")
        return value.items[index.number]

    def element(self, node, array):
        """The Element that x[i, j] names."""
        if not isinstance(array, ArrayValue):
            raise self.error(node, f"{self.shown(array)} has no elements")
        return array.element(self, node, self.indices(node.slice, array))

    def indices(self, node, array):
        """The values of an index, one for each dimension."""
        parts = list(node.elts) if isinstance(node, ast.Tuple) else [node]
        values = [(part, self.value(part)) for part in parts]
        if len(values) == 1 and isinstance(values[0][1].type, TupleType):
            values = [(node, each) for each in values[0][1]]
        if len(values) != array.type.ndim:
            wanted = "x[" + ", ".join("ijkl"[:array.type.ndim]) + "]"
            raise self.error(node, f"the array has {array.type.ndim} dimension{'s' * (array.type.ndim != 1)} and the index "
                             f"{len(values)}: write it as {wanted}", NotYetKnown)
        return values
