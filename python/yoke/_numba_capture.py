# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""What a kernel of yoke.numba_like takes from outside it, as Numba does: numbers and NumPy arrays keep the values that they have
when the kernel is compiled for these types, and an array of the device is the array itself. Arrays become parameters that the
launch fills. And what it is not given: read-only arrays to write to."""

import ast
import copy

import numpy

from . import _core
from .kernels import calls, device
from .kernels.errors import KernelError, error
from .kernels.launch import Kernel
from .kernels.statements import names_assigned


def array_like(ary):
    """A NumPy array outside the kernel, as a constant in it."""
    return ary


def _refused(scope, node):
    raise scope.error(node, "cuda.const.array_like takes a NumPy array outside a kernel by its name, and stands in a kernel")


calls.HANDLERS[array_like] = _refused


def is_of_device(value):
    return not isinstance(value, type) and hasattr(value, "__cuda_array_interface__") or isinstance(value, _core.Array) or (
        isinstance(getattr(value, "array", None), _core.Array))


def is_of_host(value):
    return isinstance(value, numpy.ndarray) and value.shape != ()


def on_device(value):
    """What the launch passes for an array outside: a copy of one of the host."""
    if is_of_host(value):
        return _core.asarray(numpy.ascontiguousarray(value))
    array = getattr(value, "array", value)
    return array if isinstance(array, _core.Array) else _core.asarray(value)


def meaning(function, node):
    """What a dotted name outside a function stands for; None: nothing."""
    if isinstance(node, ast.Name):
        found = function.find(node.id)
        return found[0]() if found else None
    return getattr(meaning(function, node.value), node.attr, None) if isinstance(node, ast.Attribute) else None


def arrays_outside(function, tree):
    """The names in a function that are arrays outside it: {name: whether it is one of the host}."""
    own = names_assigned(tree) | {each.arg for each in tree.args.args}
    result = {}
    for statement in tree.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id not in own and node.id not in result:
                value = meaning(function, node)
                if is_of_host(value) or is_of_device(value):
                    result[node.id] = is_of_host(value)
    return result


class Constants(ast.NodeTransformer):
    """cuda.const.array_like(TABLE) is TABLE, and a name that is assigned it too."""

    def __init__(self, function, outside):
        self.function, self.outside, self.names = function, outside, {}

    def visit_Call(self, node):
        self.generic_visit(node)
        if meaning(self.function, node.func) is not array_like:
            return node
        if len(node.args) == 1 and isinstance(node.args[0], ast.Name) and self.outside.get(node.args[0].id):
            return node.args[0]
        return node

    def visit_Assign(self, node):
        call = isinstance(node.value, ast.Call)
        self.generic_visit(node)
        if not call or not isinstance(node.value, ast.Name):
            return node
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            raise error(self.function, node, "cuda.const.array_like is assigned to one name")
        self.names[node.targets[0].id] = node.value.id
        return ast.copy_location(ast.Pass(), node)

    def rename(self, tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in self.names:
                if isinstance(node.ctx, ast.Store):
                    raise error(self.function, node, f"{node.id} is a constant array, and assigned again: take another name")
                node.id = self.names[node.id]


class Grids(ast.NodeTransformer):
    """cuda.cg.this_grid().sync(), and g.sync() of a name that is assigned the grid, become the translator's statement."""

    def __init__(self, function):
        self.function, self.names = function, {}

    def is_grid(self, node):
        return isinstance(node, ast.Call) and meaning(self.function, node.func) is device.grid_barrier

    def visit_Assign(self, node):
        if not self.is_grid(node.value):
            return node
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            raise error(self.function, node, "cuda.cg.this_grid() is assigned to one name")
        self.names[node.targets[0].id] = node.value
        return ast.copy_location(ast.Pass(), node)

    def visit_Expr(self, node):
        call = node.value
        if self.is_grid(call):
            raise error(self.function, node, "this names the grid, and does not wait for it: write cuda.cg.this_grid().sync()")
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "sync":
            owner = call.func.value
            grid = owner if self.is_grid(owner) else self.names.get(getattr(owner, "id", None))
            if grid is not None:
                return ast.copy_location(ast.Expr(ast.copy_location(ast.Call(grid.func, call.args, call.keywords), node)), node)
        return node


def refuse_writes(function, tree, outside):
    """NumPy arrays outside a kernel are constants in it. What functions do with their arguments is not looked into."""
    def is_constant(node):
        return isinstance(node, ast.Name) and outside.get(node.id)

    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and is_constant(node.value):
            raise error(function, node, f"{node.value.id} is an array of NumPy outside the kernel, and a constant in it: pass what "
                        "the kernel writes as an argument, or make it one of cuda.to_device")
        if isinstance(node, ast.Call):
            callee = meaning(function, node.func)
            reads = 1 if callee is len else callee.nin if isinstance(callee, numpy.ufunc) else 0
            for each in node.args[reads:]:
                if is_constant(each):
                    raise error(function, each, f"{each.id} is an array of NumPy outside the kernel, and a constant in it, which "
                                "no function may get: pass it as an argument of the kernel")


def check_written(name, kernel, device, launch, given, passed):
    """Refuse to write to what is not written back: read-only arrays of NumPy, and constants; and to write back what the kernel only
    reads. passed: what Yoke's launch takes."""
    fixed = {parameter.arg: "a read-only array of NumPy" for parameter, value in zip(kernel.parameters, given)
             if isinstance(value, numpy.ndarray) and not value.flags.writeable}
    constant = "an array of NumPy outside the kernel, and a constant in it"
    fixed.update({each: constant for each, host in kernel.outside.items() if host})
    new = [parameter.arg for parameter, value in zip(kernel.parameters, given) if not getattr(value, "there", True)]
    if not fixed and not new:
        return
    variant, _ = kernel.variant(device, passed, launch.small)
    for each in new:
        if each in variant.reads:
            raise _core.KernelArgumentError(f"{name}: {each} is cuda.Out, and the kernel only reads it: pass cuda.In({each})")
    for each, what in fixed.items():
        if each not in variant.reads:
            raise ValueError(f"{name}: {each} is {what}, and the kernel writes to it: pass a copy, or cuda.In, whose changes are "
                             "dropped")


def looks(value):
    return str(getattr(value, "dtype", type(value).__name__)), len(getattr(value, "shape", ()))


class CapturingKernel(Kernel):
    """The kernel of a Dispatcher. once: it has a signature, and is compiled where it is written."""

    module = "cuda."
    as_numba = True
    frozen = None  # the values of names, while one text is made

    def __init__(self, function, math, once):
        self.once, self.numbers, self.values, self.snapshots = once, {}, {}, {}
        super().__init__(function, math)

    def parse(self, word):
        tree = super().parse(word)
        self.outside = arrays_outside(self, tree)
        constants = Constants(self, self.outside)
        tree = Grids(self).visit(constants.visit(tree))
        constants.rename(tree)
        refuse_writes(self, tree, self.outside)
        tree.args.args += [ast.copy_location(ast.arg(name), tree) for name in self.outside]
        if self.once:
            self.snapshots = {name: copy.copy(self.find(name)[0]()) if host else self.find(name)[0]()
                              for name, host in self.outside.items()}
        return tree

    def find(self, name):
        if self.frozen is not None and name in self.frozen:
            return self.frozen[name]
        found = super().find(name)
        if found is not None and self.frozen is not None:
            value = found[0]()
            found = self.frozen[name] = (lambda: value), found[1]
        return found

    def program(self, types, small=None):
        """The text for these types of arguments, with the values that names had when the first was made."""
        self.frozen = self.numbers.setdefault(None if self.once else types, {})
        try:
            text, _, places = super().program(types, small)
        finally:
            self.frozen = None
        return text, [], places

    def arrays(self, args):
        """The arrays outside, for a launch with these arguments: those of the first launch of their types."""
        if not self.outside:
            return ()
        names = [each.arg for each in self.parameters[:len(self.parameters) - len(self.outside)]]
        if len(args) != len(names):
            raise KernelError(f"{self.name} takes {len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)}), not "
                              f"{len(args)}")
        key = None if self.once else tuple(map(looks, args))
        if key not in self.values:
            found = [self.snapshots[name] if self.once else self.find(name)[0]() for name in self.outside]
            self.values[key] = tuple(map(on_device, found))
        return self.values[key]

    def text(self, *args):
        return super().text(*args, *self.arrays(args)) if args else super().text()
