# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Arrays in kernels: their extents and strides, and their elements."""

from . import halves, ranges
from .arithmetic import helper
from .bounds import checked
from .halves import BF16, F16
from .records import RecordType
from .types import BOOL, Complex, F32, I32, I64, Misfit, NUMBER, Scalar, Value, constant, in_type, strong


class ArrayValue(Value):
    """An array. name: the pointer's; extents and strides, in elements, have this name and their number behind it. small: it
    is known to have fewer than ranges.SMALL elements, and its buffer too. written: what has been translated changes an element.
    meant: None, or the arrays that a variable stands for by turns."""

    def __init__(self, type_, name, small=False, meant=None):
        super().__init__(type_, lambda target: name)
        self.name, self.small, self.written, self.meant = name, small, False, meant

    def extents(self):
        if self.type.shape is not None:
            return [constant(each) for each in self.type.shape]
        if self.small:
            return [ranges.small_value(f"((int){self.name}n{i})", 0, ranges.SMALL - 1) for i in range(self.type.ndim)]
        return [strong(I64, f"{self.name}n{i}") for i in range(self.type.ndim)]

    def stride(self, axis, narrow=False):
        """In elements, as text; narrow: as an int."""
        if not self.type.contiguous:
            return f"((int){self.name}s{axis})" if narrow else f"{self.name}s{axis}"
        rest = [each.emit(I32 if narrow else I64) for each in self.extents()[axis + 1:]]
        return " * ".join(rest) or "1"

    def parameters(self):
        """The declarations of what a kernel or function gets for this array."""
        shape = [] if self.type.shape is not None else [f"{self.name}n{i}" for i in range(self.type.ndim)]
        strides = [] if self.type.contiguous else [f"{self.name}o", *(f"{self.name}s{i}" for i in range(self.type.ndim))]
        const = "" if self.written else "const "
        return [f"{self.type.space}{const}{self.type.c} *{self.name}", *(f"YK_I64 {each}" for each in [*shape, *strides])]

    def arguments(self):
        """What a call of a function passes."""
        return [each.split()[-1].lstrip("*") for each in self.parameters()]

    def element(self, scope, node, values):
        terms = [] if self.type.contiguous else [f"{self.name}o"]
        pure = all(value.pure for _, value in values)
        for axis, (part, value) in enumerate(values):
            self.check_index(scope, part, value, axis)
        if scope.program.bounds and values:
            axes = [(self.place(scope, part, value, axis), self.extents()[axis].emit(I64), self.stride(axis), value.number)
                    for axis, (part, value) in enumerate(values)]
            terms.append(checked(scope.program, scope.kernel, node, self.name[:-1], axes))
            return Element(self, f"{self.name}[{' + '.join(terms)}]", pure)
        narrow = self.small and all(is_narrow(scope, value) for _, value in values)
        if narrow:
            terms = [f"((int){each})" for each in terms]
        for axis, (part, value) in enumerate(values):
            place = self.narrow_place(scope, value, axis) if narrow else self.place(scope, part, value, axis)
            stride = self.stride(axis, narrow)
            terms.append(place if stride == "1" else f"{place} * {stride}")
        return Element(self, f"{self.name}[{' + '.join(terms) or '0'}]", pure)

    def narrow_place(self, scope, value, axis):
        """The index of one axis, which is_narrow, as the text of an int."""
        if value.number is not None and value.number < 0:
            return f"({self.extents()[axis].emit(I32)} - {-value.number})"
        found = ranges.narrow_of(scope, value)
        return self.wrapped(scope, found.text, axis, I32) if scope.program.as_numba and found.low < 0 else found.text

    def place(self, scope, node, value, axis):
        """The index of one axis, as text in 64 bits, or of a plain array in its own type."""
        number = value.number
        if number is not None:
            return f"({self.extents()[axis].emit(I64)} - {-number})" if number < 0 else str(number)
        found = ranges.narrow_of(scope, value)
        if scope.program.as_numba and value.type.kind == "i" and (found is None or found.low < 0):
            return self.wrapped(scope, scope.text(node, value, I64), axis, I64)
        return scope.text(node, value, I64 if self.type.ndim > 1 or not self.type.contiguous else None)

    def wrapped(self, scope, text, axis, type_):
        """An index that may count from the end."""
        return f"{helper(scope, 'wrap_int', type_)}({text}, {self.extents()[axis].emit(type_)})"

    def check_index(self, scope, node, value, axis):
        """An index is an integer; a constant one of an array whose extents are constants is inside it."""
        if not isinstance(value.type, Scalar) or value.type.kind == "f" or value.type is BOOL:
            hint = ": write int(…)" if isinstance(value.type, Scalar) and value.type.kind == "f" else ""
            raise scope.error(node, f"an index is an integer, and this is {scope.shown(value)}{hint}")
        count = self.extents()[axis].number
        if value.number is not None and count is not None and not -count <= value.number < count:
            raise scope.error(node, f"the index {value.number} is outside axis {axis}, which has {count} elements")


def is_narrow(scope, value):
    """Whether an index takes 32 bits. An element that is there is below ranges.SMALL."""
    if value.number is not None and value.number < 0:
        return True
    found = ranges.narrow_of(scope, value)
    return found is not None and found.as_index


class Element:
    """x[i]: read, written, or pointed to."""

    def __init__(self, array, code, pure):
        self.array, self.code, self.pure, self.type = array, code, pure, array.type.element

    def read(self, scope):
        if self.type is BOOL:
            return strong(BOOL, f"({self.code} != 0)", self.pure)
        if self.type in (F16, BF16):
            return halves.read(scope, self.type, self.code, self.pure)
        return strong(self.type, self.code, self.pure)

    def changed(self):
        """The text of the element for what changes it."""
        self.array.written = True
        return self.code

    def write(self, scope, node, value):
        """The text of an assignment. Where NumPy would round, the program has to say so."""
        code = self.changed()
        if isinstance(self.type, RecordType) and value.type == self.type:
            return f"{code} = {value.code};"
        if isinstance(value.type, Complex) and isinstance(self.type, Scalar):
            raise scope.error(node, f"an element is {self.type}, and this is {scope.shown(value)}: write z.real, z.imag or abs(z)")
        if not isinstance(value.type, NUMBER) or isinstance(self.type, RecordType):
            raise scope.error(node, f"an element is {self.type}, and this is {scope.shown(value)}")
        if (self.type is BOOL) != (value.type is BOOL) and self.type is BOOL:
            raise scope.error(node, f"an element is bool, and this is {scope.shown(value)}: compare it, as in x != 0")
        if value.type.kind == "f" and self.type.kind not in "fc":
            raise scope.error(node, f"an element is {self.type}, and this is {scope.shown(value)}, which would be rounded: write "
                              "int(…) or round(…)")
        try:
            if self.type in (F16, BF16):
                return f"{code} = {halves.written(scope, self.type, value.emit(F32))};"
            return f"{code} = {in_type(value, self.type)};"
        except Misfit as misfit:
            raise scope.error(node, str(misfit)) from None

