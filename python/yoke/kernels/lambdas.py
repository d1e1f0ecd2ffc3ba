# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Lambdas and @yoke.function where an expression may stand: the function becomes one that the expression calls."""

import ast
import functools
import inspect
import linecache
import textwrap

from .errors import KernelError, error
from .launch import DeviceFunction
from .translate import Body, Program
from .types import BOOL, Complex, F32, F64, I32, I64, SCALARS, U64, TupleType, scalar_named

NARROW = {"float16": F32, "bfloat16": F32}  # which functions of expressions get as float32


class ExpressionFunction(DeviceFunction):
    """A function, or a lambda, as part of an expression."""

    def parse(self, word):
        if self.name != "<lambda>":
            return super().parse(word)
        self.name, self.indent = "lambda", 0
        tree, self.indent = lambda_tree(self.function.__code__)
        if tree is None:
            raise KernelError("the source of this lambda is not there: a lambda stands in a file or in a notebook")
        args = tree.args
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults:
            raise error(self, tree, "the parameters of a lambda in an expression are plain: without *, / and defaults")
        body = ast.copy_location(ast.Return(tree.body), tree.body)
        return ast.copy_location(ast.FunctionDef("lambda", args, [body], [], None), tree)


@functools.lru_cache(256)
def lambda_tree(code):
    """The syntax tree of a lambda, which ends where its code does, and how far the tree's columns are from the file's; None: there is
    no source. Python 3.12 has no columns for a lambda that is a constant, and -X no_debug_ranges has none at all."""
    lines = linecache.getlines(code.co_filename)
    end = max(((each[1], each[3]) for each in code.co_positions() if each[0] is not None and each[2] is not None), default=(0, 0))
    for first, last in ((1, len(lines)), (code.co_firstlineno, end[0])):  # the file, or the lines of the lambda alone
        part = lines[first - 1:last]
        indent = len(part[0]) - len(part[0].lstrip()) if part else 0
        try:
            tree = ast.parse(textwrap.dedent("".join(part)))
        except SyntaxError:
            continue
        ast.increment_lineno(tree, first - 1)
        lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        for node in lambdas:
            if end == (node.body.end_lineno, node.body.end_col_offset + indent):
                return node, indent
        own = [node for node in lambdas if node.lineno == code.co_firstlineno and
               tuple(each.arg for each in node.args.args) == code.co_varnames[:code.co_argcount]]
        alike = [node for node in own if essence(compile(ast.Expression(node), "", "eval").co_consts[0]) == essence(code)]
        if alike or len(own) == 1:
            return (alike or own)[0], indent
    return None, 0


def essence(code):
    """What makes two lambdas do the same."""
    return code.co_code, code.co_consts, code.co_names, code.co_varnames


def type_of_variable(name, value, wide):
    """The type that a variable has in an expression."""
    if isinstance(value, bool):
        return BOOL
    if type(value) is int:
        return I32 if -2**31 <= value < 2**31 else I64 if value < 2**63 else U64
    if type(value) is float:
        return F64 if wide else F32
    dtype = getattr(value, "dtype", None)
    dtype = getattr(dtype, "name", dtype)
    try:
        found = NARROW.get(dtype) or scalar_named(dtype)
    except TypeError as failure:
        raise KernelError(f"{name}: a function in an expression takes real numbers: {failure}") from None
    if found is None:
        raise KernelError(f"{name}: an expression takes Arrays and numbers, not {type(value).__name__}; asarray makes Arrays")
    return found


class Typed:
    """A value of which the dtype alone is known."""

    def __init__(self, dtype):
        self.dtype = dtype


def combined(function, dtype):
    """What translated gives, of a function that combines two values of this dtype, a and b."""
    function = function.function if isinstance(function, DeviceFunction) else function
    code = getattr(function, "__code__", None)
    if code is None or code.co_argcount != 2:
        raise KernelError(f"{getattr(function, '__name__', function)} does not combine two values: it takes "
                          f"{'no arguments that are known' if code is None else code.co_argcount}, and has to take 2")
    text, declaration, source = translated(function, dict.fromkeys(code.co_varnames[:2], Typed(dtype)), dtype == "float64")
    returned = declaration.split()[0]
    if returned.startswith("float") and "float" not in dtype:
        raise KernelError(f"{function.__name__} gives {returned}, and the values are {dtype}: round it, or pass another dtype")
    return f"{text.partition('(')[0]}(a, b)", declaration, source


def translated(function, variables, wide):
    """The call that is the expression, the function's declaration, and its text."""
    function = function.function if isinstance(function, DeviceFunction) else function
    if not inspect.isfunction(function):
        raise TypeError(f"an expression is a str, a lambda or a @yoke.function, not {type(function).__name__}")
    own = ExpressionFunction(function)
    names = [each.arg for each in own.parameters]
    if set(names) != set(variables):
        missing, more = [each for each in names if each not in variables], [each for each in variables if each not in names]
        raise KernelError(f"{own.name}({', '.join(names)}): " + (f"{', '.join(missing)} lacks a value: pass it by its name" if missing
                                                               else f"there is no parameter {', '.join(more)}"))
    types = tuple(own.annotation(each) or type_of_variable(each.arg, variables[each.arg], wide) for each in own.parameters)
    if any(isinstance(each, tuple) for each in types):
        raise KernelError(f"{own.name}: a function in an expression takes the elements, and no array")
    program = Program(wide or F64 in types, of_kernel=False)
    body = Body(program, own, types, "f_" if own.name == "lambda" else f"{own.name}_f")
    program.stack.append((own, types))
    body.translate()
    if body.returns is None or isinstance(body.returns, TupleType):
        raise KernelError(f"{own.name}: a function in an expression returns one number")
    if isinstance(body.returns, Complex):
        raise KernelError(f"{own.name}: a function in an expression returns a real number: write the expression as text, which may "
                          "be complex")
    program.texts.append(body.text_of_function())
    text = program.functions_text()
    text = "\n".join(line for line in text.split("\n") if not line.startswith("#line"))
    text = text.replace("YK_I64", SCALARS["int64"].c).replace("YK_U64", U64.c)
    declaration = f"{body.returns} {body.name}({', '.join(f'{type_} {name}_' for type_, name in zip(types, names))})"
    return f"{body.name}({', '.join(names)})", declaration, text.replace("YOKE_INLINE_FUNCTION", "YOKE_FUNCTION")
