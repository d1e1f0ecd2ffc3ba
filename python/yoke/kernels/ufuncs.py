# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""numpy.sin(x, out) as a statement of a kernel: the thread goes through all elements, as Python does in NumPy."""

import ast

from .arrays import ArrayValue

OPERATORS = {"add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div, "floor_divide": ast.FloorDiv,
             "remainder": ast.Mod, "bitwise_and": ast.BitAnd, "bitwise_or": ast.BitOr, "bitwise_xor": ast.BitXor}


def is_whole(call, callee):
    """Whether a call is that of a ufunc with its result, which is an array."""
    return type(callee).__name__ == "ufunc" and callee.nout == 1 and len(call.args) == callee.nin + 1 and not call.keywords


def loops(scope, node, callee):
    """The statement with a loop for each axis of the result. An operand with fewer axes, or 1 element along one, is repeated."""
    call = node.value
    target = call.args[-1]
    result = scope.value(target)
    if not isinstance(result, ArrayValue):
        raise scope.error(target, f"an array is wanted here, and this is {scope.shown(result)}")
    names = [f"axis{axis}_{node.lineno}_{node.col_offset}" for axis in range(result.type.ndim)]
    scope.locals.update(names)
    operands = [operand(scope, each, names) for each in call.args[:-1]]
    place = index(target, [ast.Name(each, ast.Load()) for each in names], ast.Store())
    operator = OPERATORS.get(callee.__name__)
    value = ast.BinOp(operands[0], operator(), operands[1]) if operator else ast.Call(call.func, operands, [])
    body = ast.Assign([place], value)
    for axis, name in reversed(list(enumerate(names))):
        turns = ast.Call(ast.Name("range", ast.Load()), [extent(target, axis)], [])
        body = ast.For(ast.Name(name, ast.Store()), turns, [body], [])
    for each in ast.walk(body):
        if not hasattr(each, "lineno"):
            ast.copy_location(each, node)
    return body


def operand(scope, node, names):
    """What one element of the result is computed of."""
    value = scope.value(node)
    if not isinstance(value, ArrayValue):
        if not isinstance(node, (ast.Name, ast.Constant, ast.UnaryOp)):
            raise scope.error(node, "beside arrays, an operand of a whole ufunc is a name or a constant: assign it before")
        return node
    if value.type.ndim > len(names):
        raise scope.error(node, f"an operand has {value.type.ndim} dimensions, and the result {len(names)}")
    places = [ast.IfExp(ast.Compare(extent(node, axis), [ast.Gt()], [ast.Constant(1)]), ast.Name(name, ast.Load()), ast.Constant(0))
              for axis, name in enumerate(names[len(names) - value.type.ndim:])]
    return index(node, places, ast.Load())


def extent(node, axis):
    return ast.Subscript(ast.Attribute(node, "shape", ast.Load()), ast.Constant(axis), ast.Load())


def index(node, places, context):
    return ast.Subscript(node, places[0] if len(places) == 1 else ast.Tuple(places, ast.Load()), context)
