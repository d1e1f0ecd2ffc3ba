# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""The widths of integers in `simulate`: Python's ints have none, and a variable of a kernel has that of all that it is assigned. What
the translator finds for these types of arguments is kept by a call behind each assignment, which wraps as the device does."""

import ast

from .._core import In
from .errors import KernelError
from .statements import names_assigned
from .translate import Program
from .types import I64, Scalar


def is_narrow(type_):
    """Whether Python's own int and float are of another width: int64 is taken for Python's."""
    return isinstance(type_, Scalar) and type_.kind in "iu" and not type_.weak and type_ is not I64


def widths_of(kernel, args):
    """{function: {variable, or "return": type}} of the kernel and all that it calls; none where the translator refuses it, which a
    debugger may run all the same. A variable that has several types, since its function has, keeps none."""
    from .launch import is_wide

    if not hasattr(kernel, "types_of"):
        return {}
    try:
        types = kernel.types_of([In(each) if getattr(each, "shape", ()) else each for each in args])
        program = Program(is_wide(types), recording=True)
        program.kernel(kernel, types)
    except (KernelError, TypeError, ValueError):
        return {}
    found = {}
    for body in (program.body, *program.functions.values()):
        own = {name: type_ for name, type_ in body.next.items() if is_narrow(type_)}
        before = found.setdefault(body.kernel, own)
        found[body.kernel] = {name: type_ for name, type_ in before.items() if own.get(name) is type_}
    return found


def wrapping(type_):
    """The function that gives an integer of this type."""
    import numpy

    scalar, bits, low = getattr(numpy, type_.name), 8 * type_.size, 0 if type_.kind == "u" else -1 << 8 * type_.size - 1

    def wrapped(value):
        if type(value) is scalar or not hasattr(value, "__index__"):
            return value
        return scalar((int(value) - low) % (1 << bits) + low)
    return wrapped


class Widths(ast.NodeTransformer):
    """Behind what assigns variables of these types a statement for each, and at the beginning for parameters. names: of the functions
    that are called."""

    def __init__(self, types, names):
        self.types, self.names = types, names

    def call(self, type_, value, node):
        name = f"{type_}__wrapped"
        self.names[name] = wrapping(type_)
        return ast.copy_location(ast.Call(ast.copy_location(ast.Name(name, ast.Load()), node), [value], []), node)

    def statements(self, names, node):
        return [ast.copy_location(ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), node)], self.call(
            self.types[name], ast.copy_location(ast.Name(name, ast.Load()), node), node)), node)
            for name in sorted(names) if name in self.types]

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.body[:0] = self.statements({each.arg for each in node.args.args}, node.body[0])
        return node

    def visit_Assign(self, node):
        return [node, *self.statements(names_assigned(node), node)]

    visit_AugAssign = visit_AnnAssign = visit_Assign

    def visit_For(self, node):
        self.generic_visit(node)
        node.body[:0] = self.statements(names_assigned(node.target), node.target)
        return node

    def visit_Return(self, node):
        if node.value is not None and "return" in self.types:
            node.value = self.call(self.types["return"], node.value, node)
        return node
