# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Kernels as plain Python, thread by thread, on NumPy arrays: for a debugger, and to compare with the device.

A thread is a generator that yields at barriers; all threads of a block come there before one goes on.
"""

import ast
import copy
import itertools
import operator

from . import device
from .errors import KernelError, error
from .types import BOOL, F32, F64, I64, SCALARS, scalar_named

BLOCK = 64  # threads of a block where the launch names only their number


class Thread:
    """What yoke.thread.x and the others give while this thread runs."""

    def __init__(self, thread, block, block_size, grid_size, shared):
        self.thread, self.block, self.block_size, self.grid_size = thread, block, block_size, grid_size
        self.arrays, self.count = shared, 0

    def shared_array(self, shape, dtype):
        """The block's array of this thread's next yoke.shared: the first thread makes it."""
        if self.count == len(self.arrays):
            self.arrays.append(host_array(shape, dtype))
        self.count += 1
        return self.arrays[self.count - 1]


def host_array(shape, dtype):
    import numpy

    return numpy.zeros(shape, scalar_named(dtype).name)


class Barriers(ast.NodeTransformer):
    """The statement yoke.barrier() becomes a yield."""

    def __init__(self, kernel):
        self.kernel, self.found = kernel, False

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Call) and self.meaning(node.value.func) is device.barrier:
            self.found = True
            return ast.copy_location(ast.Expr(ast.copy_location(ast.Yield(None), node)), node)
        return node

    def meaning(self, node):
        if isinstance(node, ast.Name):
            found = self.kernel.find(node.id)
            return found[0]() if found else None
        return getattr(self.meaning(node.value), node.attr, None) if isinstance(node, ast.Attribute) else None


def python_of(kernel):
    """The function whose barriers are yields, and whether there are any. Lines and file are the kernel's, for a debugger."""
    barriers = Barriers(kernel)
    tree = barriers.visit(copy.deepcopy(kernel.tree))
    tree.decorator_list, tree.returns = [], None
    for parameter in tree.args.args:
        parameter.annotation = None
    free = kernel.function.__code__.co_freevars
    outer = ast.parse(f"def outer({', '.join(free)}):\n    pass\n    return {kernel.name}")
    outer.body[0].body[0] = tree
    names = {}
    exec(compile(ast.fix_missing_locations(outer), kernel.file, "exec"), kernel.function.__globals__, names)
    made = names["outer"](*(each.cell_contents for each in kernel.function.__closure__ or ()))
    return made, barriers.found


def dims(value, what):
    values = tuple(map(operator.index, value)) if isinstance(value, tuple) else (operator.index(value),)
    if not 1 <= len(values) <= 3 or min(values) < 1:
        raise ValueError(f"a {what} is 1 to 3 positive ints, not {value}")
    return values + (1,) * (3 - len(values))


class Simulation:
    """kernel.simulate, and kernel.simulate[n] or [grid, block], which is called with the arguments."""

    def __init__(self, kernel, grid=None, block=None):
        self.kernel, self.grid, self.block = kernel, grid, block

    def __getitem__(self, shape):
        if isinstance(shape, tuple):
            if len(shape) != 2:
                raise TypeError(f"{self.kernel.name}.simulate[n] or {self.kernel.name}.simulate[grid, block] is wanted")
            return Simulation(self.kernel, dims(shape[0], "grid"), dims(shape[1], "block"))
        n = operator.index(shape)
        if n < 1:
            raise ValueError("a launch has at least 1 thread")
        block = min(n, BLOCK)
        return Simulation(self.kernel, ((n + block - 1) // block, 1, 1), (block, 1, 1))

    def __call__(self, *args):
        import numpy

        if self.grid is None:
            raise TypeError(f"a launch needs its size: {self.kernel.name}.simulate[n](…)")
        values = self.arguments(numpy, args)
        function, waits = python_of(self.kernel)
        before = getattr(device.running, "thread", None)
        try:
            with numpy.errstate(all="ignore"):
                for block in itertools.product(*map(range, reversed(self.grid))):
                    self.run_block(function, waits, tuple(reversed(block)), values)
        finally:
            device.running.thread = before

    def arguments(self, numpy, args):
        parameters = self.kernel.parameters
        if len(args) != len(parameters):
            raise KernelError(f"{self.kernel.name} takes {len(parameters)} arguments "
                              f"({', '.join(each.arg for each in parameters)}), "
                              f"not {len(args)}")
        wide = any(getattr(each, "dtype", None) == numpy.float64 for each in args)
        return [self.argument(numpy, parameter, value, wide) for parameter, value in zip(parameters, args)]

    def argument(self, numpy, parameter, value, wide):
        """An array as it is, and a number in the type that it has on the device; int64 stays an int of Python's."""
        wanted = self.kernel.annotation(parameter)
        if isinstance(value, numpy.ndarray):
            if isinstance(wanted, tuple) and wanted[0] not in (None, SCALARS.get(value.dtype.name)):
                raise KernelError(f"{self.kernel.name}: {parameter.arg} is an array of {wanted[0]}, and one of {value.dtype} is "
                                  "passed: "
                                  "convert it with astype")
            if wanted is None or isinstance(wanted, tuple):
                return value
        if isinstance(wanted, tuple) or not isinstance(value, (bool, int, float, numpy.generic)):
            raise KernelError(f"{self.kernel.name}: {parameter.arg}: {type(value).__name__} is passed: simulate takes NumPy "
                              "arrays and "
                              "numbers")
        if wanted is None and not isinstance(value, numpy.generic):
            wanted = BOOL if isinstance(value, bool) else I64 if isinstance(value, int) else F64 if wide else F32
        if wanted in (BOOL, I64):
            return bool(value) if wanted is BOOL else int(value)
        return value if wanted is None else getattr(numpy, wanted.name)(value)

    def run_block(self, function, waits, block, values):
        shared = []
        places = [tuple(reversed(each)) for each in itertools.product(*map(range, reversed(self.block)))]
        threads = [Thread(place, block, self.block, self.grid, shared) for place in places]
        if not waits:
            for thread in threads:
                device.running.thread = thread
                function(*values)
            return
        running = [(thread, function(*values)) for thread in threads]
        while running:
            waiting, ended = [], None
            for thread, steps in running:
                device.running.thread = thread
                if next(steps, steps) is steps:
                    ended = thread
                else:
                    waiting.append((thread, steps))
            self.check_barrier(waiting, ended)
            running = waiting

    def check_barrier(self, waiting, ended):
        """All threads of the block are at the same barrier, or none is."""
        if not waiting:
            return
        places = {steps.gi_frame.f_lineno for _, steps in waiting}
        node = ast.Pass(lineno=min(places), col_offset=0)
        if ended is not None:
            raise error(self.kernel, node, f"thread {ended.thread} of block {ended.block} has ended, and others wait at this "
                        "barrier: all "
                        "threads of a block come to each barrier")
        if len(places) > 1:
            raise error(self.kernel, node, "threads of a block wait at different barriers, in lines "
                        f"{' and '.join(map(str, sorted(places)))}: all come to the same")
