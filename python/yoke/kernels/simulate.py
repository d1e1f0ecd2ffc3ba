# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Kernels as plain Python, thread by thread, on NumPy arrays: for a debugger, and to compare with the device.

A thread is a generator that yields at barriers; all threads of a block come there before one goes on.
"""

import ast
import copy
import itertools
import math
import operator
import types

from . import device
from .errors import KernelError, error
from .halves import Halves, half_named
from .records import RecordType, named, record_of
from .types import BOOL, COMPLEX64, COMPLEX128, COMPLEXES, Complex, F32, F64, I64, SCALARS
from .vectors import Elements
from .widths import Widths, widths_of

SHUFFLES = {getattr(device, word): word for word in ("shuffle", "shuffle_xor", "shuffle_down", "shuffle_up")}
WARP = 32
GRID = ("grid",)  # what a thread waits for at a barrier of the grid
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

    found = named(dtype)
    if isinstance(found, RecordType):
        return Elements(numpy.zeros(shape, found.dtype()), found)
    return Halves(numpy.zeros(shape, found.name)) if half_named(dtype) else numpy.zeros(shape, found.name)


class Fields(types.SimpleNamespace):
    """A struct as an argument, whose fields are attributes and items."""

    def __getitem__(self, name):
        return getattr(self, name)


def record_wanted(value, wanted):
    """The struct or vector of an argument; None: it is another."""
    if isinstance(wanted, RecordType):
        return wanted if wanted.is_of(value) else None
    if isinstance(wanted, tuple) and isinstance(wanted[0], RecordType):
        return wanted[0]
    return record_of(value.dtype) if hasattr(value, "dtype") else None


class Pauses(ast.NodeTransformer):
    """What a thread waits for becomes a yield: the statement yoke.barrier() of None, yoke.grid_barrier() of GRID, a shuffle of its
    word, value and lane, whose result it is given. A call of a function that pauses becomes a `yield from`. names: of functions that
    are others in Python."""

    def __init__(self, function, made, widths):
        self.function, self.made, self.widths, self.found, self.names = function, made, widths, False, {}

    def visit_Expr(self, node):
        callee = self.meaning(node.value.func) if isinstance(node.value, ast.Call) else None
        if callee is device.barrier or callee is device.grid_barrier:
            self.found = True
            what = None if callee is device.barrier else ast.copy_location(ast.Constant(GRID), node)
            return ast.copy_location(ast.Expr(ast.copy_location(ast.Yield(what), node)), node)
        return self.generic_visit(node)

    def visit_Call(self, node):
        self.generic_visit(node)
        callee = self.meaning(node.func)
        word = SHUFFLES.get(callee) if callable(callee) and getattr(callee, "__hash__", None) else None
        if word is not None:
            self.found = True
            parts = ast.Tuple([ast.Constant(word), *node.args], ast.Load())
            return ast.copy_location(ast.Yield(ast.copy_location(parts, node)), node)
        if getattr(callee, "is_kernel", None) is False:  # a function of ours
            function, pauses = python_of(callee, self.made, self.widths)
            if function is not callee.function:
                self.found = self.found or pauses
                name = f"{callee.name}__{len(self.names)}"
                self.names[name] = function
                call = ast.copy_location(ast.Call(ast.copy_location(ast.Name(name, ast.Load()), node), node.args, node.keywords),
                                         node)
                return ast.copy_location(ast.YieldFrom(call), node) if pauses else call
        return node

    def meaning(self, node):
        if isinstance(node, ast.Name):
            found = self.function.find(node.id)
            return found[0]() if found else None
        return getattr(self.meaning(node.value), node.attr, None) if isinstance(node, ast.Attribute) else None


def python_of(function, made, widths):
    """A function in which threads wait by yields, and whether there are any; and integers have the widths of the device. Lines and
    file are its own, for a debugger. made: those of other functions."""
    if function in made:
        return made[function]
    made[function] = function.function, False  # where it calls itself, which the translator refuses
    pauses = Pauses(function, made, widths)
    tree = pauses.visit(copy.deepcopy(function.tree))
    if widths.get(function):
        tree = Widths(widths[function], pauses.names).visit(tree)
    if not pauses.found and not pauses.names:
        return made[function]
    tree.decorator_list, tree.returns = [], None
    for parameter in tree.args.args:
        parameter.annotation = None
    free = function.function.__code__.co_freevars
    outer = ast.parse(f"def outer({', '.join([*free, *pauses.names])}):\n    pass\n    return {function.name}")
    outer.body[0].body[0] = tree
    names = {}
    exec(compile(ast.fix_missing_locations(outer), function.file, "exec"), function.function.__globals__, names)
    cells = [each.cell_contents for each in function.function.__closure__ or ()]
    made[function] = names["outer"](*cells, *pauses.names.values()), pauses.found
    return made[function]


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
        function, waits = python_of(self.kernel, {}, widths_of(self.kernel, args))
        before = getattr(device.running, "thread", None)
        try:
            with numpy.errstate(all="ignore"):
                self.run_blocks(function, waits, values)
        finally:
            device.running.thread = before

    def arguments(self, numpy, args):
        parameters = self.kernel.parameters
        if len(args) != len(parameters):
            raise KernelError(f"{self.kernel.name} takes {len(parameters)} arguments "
                              f"({', '.join(each.arg for each in parameters)}), "
                              f"not {len(args)}")
        wide = any(getattr(each, "dtype", None) in (numpy.float64, numpy.complex128) for each in args)
        return [self.argument(numpy, parameter, value, wide) for parameter, value in zip(parameters, args)]

    def argument(self, numpy, parameter, value, wide):
        """An array as it is, and a number in the type that it has on the device; int64 stays an int of Python's."""
        wanted = self.kernel.annotation(parameter)
        record = record_wanted(value, wanted)
        if record is not None:
            if isinstance(value, numpy.void):
                return Fields(**{name: value[name] for name in record.fields})
            return value if isinstance(wanted, RecordType) else Elements(value, record)
        if isinstance(value, numpy.ndarray):
            found = half_named(value.dtype) or {**SCALARS, **COMPLEXES}.get(value.dtype.name)
            if isinstance(wanted, tuple) and wanted[0] not in (None, found):
                raise KernelError(f"{self.kernel.name}: {parameter.arg} is an array of {wanted[0]}, and one of {value.dtype} is "
                                  "passed: "
                                  "convert it with astype")
            if wanted is None or isinstance(wanted, tuple):
                return Halves(value) if half_named(value.dtype) else value
        if isinstance(wanted, tuple) or not isinstance(value, (bool, int, float, complex, numpy.generic)):
            raise KernelError(f"{self.kernel.name}: {parameter.arg}: {type(value).__name__} is passed: simulate takes NumPy "
                              "arrays and numbers")
        unwanted = isinstance(value, (complex, numpy.complexfloating)) and wanted is not None and not isinstance(wanted, Complex)
        if unwanted or isinstance(wanted, Complex) and not wanted.takes(value):
            raise KernelError(f"{self.kernel.name}: {parameter.arg} is {wanted}, and {type(value).__name__} is passed")
        if isinstance(value, complex) and not isinstance(value, numpy.generic) and wanted is None:
            wanted = COMPLEX128 if wide else COMPLEX64
        if wanted is None and not isinstance(value, numpy.generic):
            wanted = BOOL if isinstance(value, bool) else I64 if isinstance(value, int) else F64 if wide else F32
        if wanted in (BOOL, I64):
            return bool(value) if wanted is BOOL else int(value)
        return value if wanted is None else getattr(numpy, wanted.name)(value)

    def run_blocks(self, function, waits, values):
        """One block after the other to its end, or all of them from one barrier of the grid to the next."""
        together = []
        for block in itertools.product(*map(range, reversed(self.grid))):
            threads = self.run_block(function, waits, tuple(reversed(block)), values)
            if threads:
                together.append(threads)
        while together:
            if len(together) < math.prod(self.grid):
                line = together[0][0].line
                raise error(self.kernel, ast.Pass(lineno=line, col_offset=0), "a block has ended, and others wait at this barrier "
                            "of the grid: all threads of a launch come to each")
            together = [threads for threads in together if self.run_paused(threads)]

    def run_block(self, function, waits, block, values):
        """A block, until it ends or waits for the grid: its threads then."""
        shared = []
        places = [tuple(reversed(each)) for each in itertools.product(*map(range, reversed(self.block)))]
        threads = [Thread(place, block, self.block, self.grid, shared) for place in places]
        if not waits:
            for thread in threads:
                device.running.thread = thread
                function(*values)
            return None
        return self.run_paused([Steps(number, thread, function(*values)) for number, thread in enumerate(threads)])

    def run_paused(self, threads):
        """Each thread until it waits; then the shuffles of each warp, and when there are none, the barrier of all. The threads,
        where that is one of the grid."""
        ready = threads
        while ready:
            for each in ready:
                each.go_on()
            waiting = [each for each in threads if not each.ended]
            ended = [each for each in threads if each.ended]
            ready = [each for each in waiting if each.wanted is not None and each.wanted != GRID]
            if ready:
                for warp in {each.number // WARP for each in ready}:
                    self.shuffle([each for each in waiting if each.number // WARP == warp],
                                 [each.thread for each in ended if each.number // WARP == warp])
            else:
                self.check_together(waiting, [each.thread for each in ended], "barrier", "block")
                if waiting and waiting[0].wanted == GRID:
                    return threads
                ready = waiting
        return None

    def check_together(self, waiting, ended, what, whole):
        """All threads of the block, or the warp, are at the same place, or none is."""
        if not waiting:
            return
        places = {each.line for each in waiting}
        node = ast.Pass(lineno=min(places), col_offset=0)
        if ended:
            raise error(self.kernel, node, f"thread {ended[0].thread} of block {ended[0].block} has ended, and others wait at this "
                        f"{what}: all threads of a {whole} come to each {what}")
        if len(places) > 1 or len({each.word for each in waiting}) > 1:
            raise error(self.kernel, node, f"threads of a {whole} wait at different places, in "
                        f"line{'s' * (len(places) > 1)} {' and '.join(map(str, sorted(places)))}: all come to the same {what}")

    def shuffle(self, warp, ended):
        """Give each thread of a warp another's value, as CUDA does for warps of 32."""
        self.check_together(warp, ended, "shuffle", "warp")
        values = {each.number % WARP: each.wanted[1] for each in warp}
        for each in warp:
            own, (word, value, lane) = each.number % WARP, each.wanted
            lane = int(lane)
            source = {"shuffle": lane % WARP, "shuffle_xor": own ^ lane, "shuffle_down": own + lane, "shuffle_up": own - lane}[word]
            source = source if 0 <= source < WARP else own
            if source not in values:
                raise error(self.kernel, ast.Pass(lineno=each.line, col_offset=0), f"thread {each.thread.thread} of block "
                            f"{each.thread.block} takes a value from lane {source}, and the block has no such thread: "
                            f"make its size a multiple of {WARP}")
            each.given = values[source]


class Steps:
    """A thread that runs until it waits. wanted: the shuffle that it waits for; None: it waits at a barrier; GRID: at one of the
    grid. given: what it gets. ended: it has nothing more to do."""

    def __init__(self, number, thread, steps):
        self.number, self.thread, self.steps, self.wanted, self.given = number, thread, steps, None, None
        self.ended = False

    def go_on(self):
        device.running.thread = self.thread
        try:
            self.wanted = self.steps.send(self.given)
        except StopIteration:
            self.ended = True
        self.given = None

    @property
    def line(self):
        return self.steps.gi_frame.f_lineno

    @property
    def word(self):
        return self.wanted and self.wanted[0]
