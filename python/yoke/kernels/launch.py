# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""@yoke.kernel and @yoke.function: what is read of a Python function, and the launch, which compiles a variant for each combination
of types."""

import ast
import builtins
import inspect
import re
import textwrap
import types as python_types

from .._core import (
    AlikeLaunch, AlikeLaunches, Array, Buffer, HostArgument, InvalidArgumentError, KernelArgumentError, Out, Source, Stream,
    Strided, UnsupportedError, are_current, shown,
)
from . import bounds, ranges
from .errors import KernelError, NotYetKnown, error
from .records import RecordType, named, record_of, same_fields
from .statements import names_assigned
from .translate import Program, TAKEN
from .types import (
    ArrayType, BOOL, COMPLEX64, COMPLEX128, COMPLEXES, Complex, F32, F64, I64, SCALARS, Scalar, name_of, number_named, scalar_named,
)

MOST_DIMENSIONS = 4
MOST_LAUNCHES = 64  # that a kernel keeps


class PythonFunction:
    """A Python function as kernels need it: its syntax tree, its place, and what its names mean."""

    is_kernel = False

    def __init__(self, function):
        word = "kernel" if self.is_kernel else "function"
        if not isinstance(function, python_types.FunctionType):
            raise TypeError(f"@yoke.{word} decorates a function, and not {type(function).__name__}")
        self.function, self.name, self.file = function, function.__name__, function.__code__.co_filename
        self.entry = self.name + ("_" if self.name in TAKEN or self.name.startswith(("yoke_", "yk_")) else "")
        self.__name__, self.__doc__, self.__module__ = self.name, function.__doc__, function.__module__
        self.__qualname__, self.__wrapped__ = function.__qualname__, function
        self.tree = self.parse(word)
        self.parameters = self.tree.args.args
        self.locals = names_assigned(self.tree) | {each.arg for each in self.parameters}
        self.wanted = {each.arg: self.read_annotation(each) for each in self.parameters}

    def parse(self, word):
        self.indent = 0
        try:
            lines, first = inspect.getsourcelines(self.function)
        except (OSError, TypeError):
            raise KernelError(f"{self.name}: the source is not there: a kernel stands in a file or in a notebook") from None
        text = "".join(lines)
        self.indent = len(lines[0]) - len(lines[0].lstrip())
        tree = ast.parse(textwrap.dedent(text))
        ast.increment_lineno(tree, max(first, 1) - 1)
        tree = tree.body[0]
        if isinstance(tree, ast.AsyncFunctionDef):
            raise error(self, tree, f"a {word} is a plain function, without async")
        if not isinstance(tree, ast.FunctionDef):
            raise error(self, tree, f"@yoke.{word} decorates a function that def has made")
        for each in ast.walk(tree):
            name = getattr(each, "id", getattr(each, "arg", None))
            if isinstance(name, str) and not name.isascii():
                raise error(self, each, f"names in a {word} have letters of ASCII alone, as in C: {name}")
        args = tree.args
        for each in (args.vararg, args.kwarg):
            if each is not None:
                raise error(self, each, f"a {word} has a fixed number of parameters, without * and **")
        for each in [*args.kwonlyargs, *args.posonlyargs]:
            raise error(self, each, f"the parameters of a {word} are plain: without * and /")
        for each in args.defaults:
            raise error(self, each, f"the parameters of a {word} have no defaults")
        return tree

    def read_annotation(self, parameter):
        """None, a Scalar, or a tuple of an array's element or None."""
        value = self.function.__annotations__.get(parameter.arg)
        return None if value is None else self.type_of_annotation(parameter, value)

    def type_of_annotation(self, node, value):
        try:
            if isinstance(value, str):
                value = self.evaluated(value)
            if value is Array:
                return (None,)
            if getattr(value, "__origin__", None) is Array:
                if len(value.__args__) != 1:
                    raise error(self, node, 'an array has one dtype: yoke.Array["float32"]')
                element = value.__args__[0]
                element = named(self.evaluated(element) if isinstance(element, str) else element)
                if element is not None:
                    return (element,)
            scalar = named(value, element=False)
        except TypeError as failure:
            raise error(self, node, str(failure)) from None
        if scalar is None:
            raise error(self, node, "an annotation is yoke.Array[dtype], yoke.Array, a dataclass, a vector or a dtype: " +
                        ", ".join([*SCALARS, *COMPLEXES]))
        return scalar

    def evaluated(self, text):
        """An annotation that is a string."""
        if number_named(text):
            return text
        names = {name: name for name in [*SCALARS, *COMPLEXES] if name != "bool"}
        try:
            return eval(text, {**names, "Array": Array, **self.function.__globals__})
        except Exception:
            raise TypeError(f"the annotation {text!r} has no meaning here") from None

    def annotation(self, parameter):
        return self.wanted[parameter.arg]

    def return_type(self, scope):
        value = self.function.__annotations__.get("return")
        if value is None or isinstance(value, str) and value == "None":
            return None
        if isinstance(value, str):
            value = self.evaluated(value)
        if getattr(value, "__origin__", None) is tuple:
            return None  # the types of a tuple are those of its values
        type_ = self.type_of_annotation(self.tree.returns, value)
        if isinstance(type_, tuple):
            raise error(self, self.tree.returns, "a function returns numbers, and no array")
        return type_

    def shown(self, parameter):
        return ast.unparse(parameter.annotation) if parameter.annotation else "any"

    def find(self, name):
        """(a function that gives the value, its owner) of a name outside the function; None: it has no value."""
        code = self.function.__code__
        if name in code.co_freevars:
            cell = self.function.__closure__[code.co_freevars.index(name)]
            try:
                cell.cell_contents
            except ValueError:
                return None
            return (lambda: cell.cell_contents), cell
        for owner in (self.function.__globals__, vars(builtins)):
            if name in owner:
                return (lambda: owner.get(name)), owner
        return None

    def visible(self):
        return [*self.function.__code__.co_freevars, *self.function.__globals__, *vars(builtins)]


class DeviceFunction(PythonFunction):
    """A function that kernels call; from Python, it is the plain function."""

    def __call__(self, *args, **options):
        return self.function(*args, **options)

    def __repr__(self):
        return f"<yoke.function {self.name}>"


class Kernel(PythonFunction, AlikeLaunches):
    """A kernel that is a Python function. A launch is a call, as of every kernel: saxpy[n](stream, x, y, 2.0)."""

    is_kernel = True
    module = ""  # of In and Out, in messages
    as_numba = False  # a negative index that is computed counts from the end, as a constant one does; what operators give of
    # integers has 64 bits

    def __init__(self, function, math="default"):
        super().__init__(function)
        self.math, self.variants, self.recent, self.launches = math, {}, {}, {}
        self.bounds = bounds.wanted()
        self.check()

    def check(self):
        """Report mistakes where the kernel is written, as far as annotations tell the types. Names may be defined further below."""
        if all(self.wanted[each.arg] not in (None, (None,)) and self.dimensions(each.arg) for each in self.parameters):
            try:
                self.program(self.types_of_annotations())
            except NotYetKnown:
                pass

    def types_of_annotations(self):
        """The types that the annotations tell; an array has as many dimensions as its first index."""
        result = []
        for parameter in self.parameters:
            wanted = self.wanted[parameter.arg]
            if wanted is None or wanted == (None,):
                raise KernelError(f"{self.name}: the type of {parameter.arg} is not known before a launch: annotate it, as "
                                  f"{parameter.arg}: yoke.Array[\"float32\"]")
            dimensions = self.dimensions(parameter.arg)
            if dimensions is None:
                raise KernelError(f"{self.name}: no index tells the dimensions of {parameter.arg}: pass the arguments of a launch")
            result.append(ArrayType(wanted[0], dimensions) if isinstance(wanted, tuple) else wanted)
        return tuple(result)

    def dimensions(self, name):
        """As many as an array's first index has, unless that may be a tuple; None: nothing tells. A number counts as 1."""
        if not isinstance(self.wanted[name], tuple):
            return 1
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name:
                if isinstance(node.slice, ast.Tuple):
                    return len(node.slice.elts)
                if not isinstance(node.slice, ast.Name) or node.slice.id not in self.tuples():
                    return 1
        return None

    def tuples(self):
        """Names that may be tuples: they are assigned one, or the value of a call."""
        return {node.targets[0].id for node in ast.walk(self.tree) if isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Name) and not (
                    isinstance(node.value, ast.Call) and ast.unparse(node.value).endswith("grid(1)"))
                and isinstance(node.value, (ast.Tuple, ast.Call, ast.IfExp, ast.Attribute))}

    def program(self, types, small=None):
        """(the text, what it has captured, the places of checked indices) for these types. small: which ints are small in a small
        launch; None: in any."""
        program = Program(is_wide(types), bounds=self.bounds, small=small, as_numba=self.as_numba)
        try:
            text = program.kernel(self, types)
        except bounds.NeedsRecord:
            program = Program(is_wide(types), bounds=self.bounds, recording=True, small=small, as_numba=self.as_numba)
            text = program.kernel(self, types)
        return text, list(program.captures.values()), program.places

    def text(self, *args):
        """The one text for these arguments, or for the annotations where there are none: CUDA C++ and OpenCL C alike, with the
        words of <yoke/kernel.h>."""
        if not args:
            return self.program(self.types_of_annotations())[0]
        types = self.types_of(args)
        return self.program(types, ranges.small_among(self.parameters, args, types))[0]

    # ---- Launches ----

    def types_of(self, args):
        names = [each.arg for each in self.parameters]
        if len(args) != len(names):
            raise KernelError(f"{self.name} takes {len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)}), not "
                              f"{len(args)}")
        wide = any(is_double(each) for each in args)
        return tuple(self.type_of(parameter, value, wide) for parameter, value in zip(self.parameters, args))

    def type_of(self, parameter, value, wide):
        wanted = self.wanted[parameter.arg]
        if isinstance(value, (Array, HostArgument, Buffer)):
            return self.type_of_array(parameter, value, wanted)
        if isinstance(wanted, tuple):
            hint = ": write In(x), Out(x) or InOut(x), or pass an Array of yoke.asarray" if hasattr(value, "__len__") else ""
            raise KernelError(f"{self.name}: {parameter.arg} is an array, and {type(value).__name__} is passed{hint}")
        if isinstance(wanted, RecordType) and not wanted.is_of(value):
            raise KernelError(f"{self.name}: {parameter.arg} is {wanted}, and {type(value).__name__} is passed")
        if isinstance(wanted, Scalar) and is_complex(value):
            raise KernelError(f"{self.name}: {parameter.arg} is {wanted}, and {type(value).__name__} is passed")
        if wanted is BOOL and not hasattr(value, "__index__") and name_of(getattr(value, "dtype", None)) != "bool":
            raise KernelError(f"{self.name}: {parameter.arg} is bool, and {type(value).__name__} is passed: pass x != 0, or bool(x)")
        if isinstance(wanted, Complex) and not wanted.takes(value):
            raise KernelError(f"{self.name}: {parameter.arg} is {wanted}, and {type(value).__name__} is passed: pass complex(…)")
        if wanted is not None:
            return wanted
        if isinstance(value, bool):
            return BOOL
        if isinstance(value, int):
            return I64
        dtype = getattr(value, "dtype", None)
        if dtype is None and isinstance(value, float):
            return F64 if wide else F32
        if dtype is None and isinstance(value, complex):
            return COMPLEX128 if wide else COMPLEX64
        owner = type(value) if dtype is None else dtype
        if getattr(value, "shape", ()) == () and not isinstance(value, type):
            try:
                found = record_of(owner) or (number_named(owner) if dtype is not None else None)
            except TypeError as failure:
                raise KernelError(f"{self.name}: {parameter.arg}: {failure}") from None
            if found is not None:
                return found
        hint = ": write In(x), Out(x) or InOut(x), or pass an Array of yoke.asarray" if hasattr(value, "__len__") else ""
        raise KernelError(f"{self.name}: {parameter.arg}: {type(value).__name__} is not an argument of a kernel{hint}")

    def type_of_array(self, parameter, value, wanted):
        if wanted is not None and not isinstance(wanted, tuple):
            raise KernelError(f"{self.name}: {parameter.arg} is {wanted}, and an array is passed")
        if isinstance(value, Buffer):
            if wanted is None or wanted[0] is None:
                raise KernelError(f"{self.name}: {parameter.arg} is a Buffer, which has no dtype: annotate the parameter, as "
                                  f"{parameter.arg}: yoke.Array[\"float32\"], or pass an Array")
            return ArrayType(wanted[0], 1)
        memory = value.memory if isinstance(value, HostArgument) else value
        try:
            element = self.element_of(memory, wanted)
        except TypeError as failure:
            raise KernelError(f"{self.name}: {parameter.arg}: {failure}") from None
        if element is None:
            raise KernelError(f"{self.name}: {parameter.arg} has no dtype that kernels know: {', '.join(SCALARS)}")
        if wanted is not None and wanted[0] not in (None, element):
            raise KernelError(f"{self.name}: {parameter.arg} is an array of {wanted[0]}, and one of {element} is passed: "
                              "convert it with astype")
        dimensions = len(memory.shape) - is_parted(memory, element)
        if dimensions > MOST_DIMENSIONS:
            raise KernelError(f"{self.name}: {parameter.arg} has {dimensions} dimensions, and kernels take "
                              f"{MOST_DIMENSIONS} at most")
        contiguous = memory is not value or begins_contiguous(memory)
        if isinstance(element, RecordType) and not contiguous:
            raise KernelError(f"{self.name}: {parameter.arg} is an array of {element}, which is contiguous: pass "
                              f"{parameter.arg}.copy()")
        return ArrayType(element, dimensions, contiguous=contiguous)

    def element_of(self, memory, wanted):
        """The type of an array's elements: of numbers with the parts of a vector along the last axis, that vector."""
        dtype = getattr(memory, "dtype", None) or "none"
        found = named(dtype)
        if wanted is not None and isinstance(wanted[0], RecordType):
            record = wanted[0]
            if isinstance(found, RecordType):
                return record if same_fields(dtype, record) else found
            if record.vector and found is record.lane and memory.shape and memory.shape[-1] == len(record.fields):
                return record
            if record.vector:
                raise TypeError(f"an array of {record} is one of {record.lane} whose last axis has {len(record.fields)} numbers")
        return found

    def variant(self, device, args, small):
        """The compiled kernel for these arguments, and their types; compiled when it is first wanted, and anew where a number or
        function that the text has captured has changed. small: the launch is."""
        key = (device, small, *[signature(each) for each in args])
        found = self.recent.get(key)
        if found is None or not are_current(found[0].captures):
            types = self.types_of(args)
            names = ranges.small_among(self.parameters, args, types) if small else None
            variant = self.variants.get((device, types, names))
            if variant is None or not are_current(variant.captures):
                variant = self.variants[device, types, names] = Variant(self, device, types, names)
            found = self.recent[key] = variant, types
        return found

    def launch_of(self, shape):
        try:
            launch = self.launches.get(shape)
        except TypeError:  # a list
            return PythonLaunch(self, shape)
        if launch is None:
            if len(self.launches) >= MOST_LAUNCHES:
                self.launches.clear()
            launch = self.launches[shape] = PythonLaunch(self, shape)
        return launch

    def __call__(self, *args, **options):
        raise TypeError(f"a launch needs its size: {self.name}[n](stream, …) or {self.name}[grid, block](stream, …)")

    @property
    def simulate(self):
        """The same function as Python, thread by thread, on NumPy arrays: saxpy.simulate[n](x, y, 2.0) or
        saxpy.simulate[grid, block](x, y, 2.0)."""
        from .simulate import Simulation

        return Simulation(self)

    def __repr__(self):
        return f"<yoke.kernel {self.name}({', '.join(each.arg for each in self.parameters)})>"


READ = re.compile(r"const [^,*]*\*(\w+)_\b")  # an array that a kernel does not write to, in its parameters


class Variant:
    """A kernel that is compiled for these types, and what its text has captured."""

    def __init__(self, kernel, device, types, small):
        text, self.captures, self.places = kernel.program(types, small)
        self.together = bounds.TOGETHER in text  # whether the grid waits for itself
        self.recording = bool(self.places) or kernel.bounds or self.together
        if self.together and not device.supports("cooperative"):
            raise UnsupportedError(f"{kernel.name}: the grid waits for itself, and blocks cannot wait for each other here: "
                                   f"{device.lacks('cooperative')}: end the kernel there, and launch another")
        head = text[text.index(f"YOKE_KERNEL void {kernel.entry}("):].partition("\n")[0]
        self.reads = set(READ.findall(head))
        self.compiled = device.build(Source(text, name=kernel.name, math=kernel.math))[kernel.entry]

    def launch_of(self, shape):
        if not self.together:
            return self.compiled[shape]
        if not isinstance(shape, tuple):
            raise KernelError(f"{self.compiled.name}: the grid waits for itself, and all its threads come there: launch it as "
                              f"{self.compiled.name}[grid, block]")
        return self.compiled[shape].cooperative()


def signature(value):
    """What of an argument decides on its type."""
    kind = type(value)
    if kind is Array:
        return value.dtype, len(value.shape), begins_contiguous(value), ranges.is_small(value), parts_of(value)
    if isinstance(value, HostArgument):
        memory = value.memory
        return (kind, str(getattr(memory, "dtype", None)), len(getattr(memory, "shape", ())), ranges.is_small(value),
                parts_of(memory))
    if kind is float or kind is bool:
        return kind
    return kind, str(getattr(value, "dtype", None)), getattr(value, "shape", None), ranges.is_small(value)


def parts_of(memory):
    """The last extent of an array, where it may be the parts of a vector; 0 otherwise, so that shapes have few signatures."""
    shape = getattr(memory, "shape", ())
    return shape[-1] if shape and shape[-1] <= 4 else 0


def begins_contiguous(array):
    """Whether an array has no gaps and begins where its buffer does: in OpenCL, a pointer cannot begin anywhere, so that the kernel
    of another array gets the whole buffer."""
    return array.size == 0 or array.strides == strides_of(array.shape, array.itemsize) and Strided(array).offset == 0


class PythonLaunch(AlikeLaunch):
    """kernel[n] or kernel[grid, block]: what a call launches. May be kept and called any number of times."""

    def __init__(self, kernel, shape):
        super().__init__(shape)
        self.kernel, self.small = kernel, ranges.is_small_launch(shape)

    def anew(self, stream=None, *args):
        """A launch of any arguments."""
        kernel = self.kernel
        if not isinstance(stream, Stream):
            raise TypeError(f"the first argument of a launch is its stream: {kernel.name}[…](stream, …)")
        variant, types = kernel.variant(stream.device, args, self.small)
        record = bounds.Record(stream) if variant.recording else None
        expanded = [] if record is None else [record.buffer]
        for value, type_ in zip(args, types):
            if isinstance(type_, ArrayType):
                expand_array(expanded, value, type_, stream.device, record is not None)
            else:
                packed = isinstance(type_, (RecordType, Complex))
                expanded.append(type_.packed(value) if packed else bool(value) if type_ is BOOL else value)
        launch = variant.launch_of(self.shape)
        try:
            launch(stream, *expanded)
        except (KernelArgumentError, InvalidArgumentError) as failure:
            refuse_access(kernel, args, variant.reads)
            name_parameter(failure, kernel, args, types, record is not None)
            raise
        except OverflowError:
            refuse_large(kernel, args, types)
            raise
        if record is not None:
            record.check(stream, kernel, variant.places)
            return
        # The compiled kernel does not take the real number of a complex parameter, nor the truth of an int.
        if not any(isinstance(each, Complex) or each is BOOL and type(value) is not bool for each, value in zip(types, args)):
            self.keep(launch, variant.captures, [*map(lanes_of, args, types)], stream, *args)

    def __repr__(self):
        return f"<launch of yoke.kernel {self.kernel.name}[{self.shape}]>"


def refuse_access(kernel, args, reads):
    """Of a launch that was refused: say so in the words of Python where it writes to a read-only array, or leaves out what it
    writes."""
    for parameter, value in zip(kernel.parameters, args):
        buffer = value.buffer if isinstance(value, Array) else value
        if isinstance(buffer, Buffer) and buffer.read_only and parameter.arg not in reads:
            raise KernelArgumentError(f"{kernel.name}: {parameter.arg} is a read-only array, and the kernel writes to it: pass "
                                      f"{parameter.arg}.copy()") from None
        if type(value) is Out and parameter.arg in reads:
            raise KernelArgumentError(f"{kernel.name}: {parameter.arg} is {kernel.module}Out, and the kernel only reads it: pass "
                                      f"{kernel.module}In(x)") from None


# As the library and _core/kernel.pyx tell one, which count the parameters of the text.
PARAMETER = re.compile(r"\w+: kernel '\w+', parameter (\d+)(?: '\w+')?(?: \([^)]*\))?|parameter (\d+)(?: \([^)]*\))? of \w+")


def name_parameter(failure, kernel, args, types, recorded):
    """Say in a refused launch's message which of Python's parameters is meant. recorded: the record of indices is the first."""
    found = PARAMETER.match(str(failure))
    if not found:
        return
    left = int(found[1] or found[2]) - recorded
    for parameter, value, type_ in zip(kernel.parameters, args, types):
        passed = [value]
        if isinstance(type_, ArrayType):
            passed = []
            expand_array(passed, value, type_)
        left -= len(passed)
        if left <= 0:
            text = f"{kernel.name}: {parameter.arg} ({type_}){str(failure)[found.end():]}"
            failure.args = text,
            failure.text = text
            return


def refuse_large(kernel, args, types):
    """The same where a number does not fit its parameter."""
    for parameter, value, type_ in zip(kernel.parameters, args, types):
        if isinstance(value, int) and isinstance(type_, Scalar) and type_.kind in "iub":
            bits = type_.size * 8
            if not -(1 << bits - 1) <= value < 1 << bits - (type_.kind == "i"):
                raise OverflowError(f"{kernel.name}: {parameter.arg} is {type_}, and {shown(value)} does not fit in it") from None


def is_wide(types):
    """Whether Python's floats are float64 in a kernel of these types."""
    return any(has_double(each.element if isinstance(each, ArrayType) else each) for each in types)


def has_double(type_):
    return F64 in type_.fields.values() if isinstance(type_, RecordType) else type_ in (F64, COMPLEX128)


def is_complex(value):
    return isinstance(value, complex) or name_of(getattr(value, "dtype", None)) in COMPLEXES


def is_parted(memory, element):
    """Whether the last axis of an array has the parts of its elements, which are vectors."""
    return isinstance(element, RecordType) and getattr(memory.dtype, "names", None) is None


def lanes_of(value, type_):
    """The parts of a vector that the last axis of an Array has; 0: its elements are numbers."""
    return len(type_.element.fields) if isinstance(value, Array) and value.ndim != type_.ndim else 0


def shape_of(memory, type_):
    return memory.shape[:type_.ndim]


def is_double(value):
    """Whether an argument is of float64, or an array of them."""
    if isinstance(value, Array):
        return value.dtype in ("float64", "complex128")
    if isinstance(value, HostArgument):
        value = value.memory
    return not isinstance(value, (float, int, Buffer)) and getattr(value, "dtype", None) in ("float64", "complex128")


def expand_array(expanded, value, type_, device=None, checked=False):
    """An array's pointer, its extents, and where they do not follow from these its first element and strides. checked: an index
    outside goes to the first element, which an empty array gets on the device for this; one of the host always does."""
    if device and (checked or isinstance(value, HostArgument)) and expand_empty(expanded, value, type_, device):
        return
    if isinstance(value, Buffer):
        expanded += value, value.size // type_.element.size
    elif isinstance(value, HostArgument):
        expanded += value, *shape_of(value.memory, type_)
    elif type_.contiguous:
        expanded += value, *shape_of(value, type_)
    else:
        strided = Strided(value)
        expanded += strided, *value.shape, strided.offset, *(each // value.itemsize for each in value.strides)


def expand_empty(expanded, value, type_, device):
    """An array without elements, as one element behind a shape with a 0; False: it has elements."""
    memory = value.memory if isinstance(value, HostArgument) else value
    shape = (value.size // type_.element.size,) if isinstance(value, Buffer) else tuple(shape_of(memory, type_))
    if 0 not in shape:
        return False
    expanded += device.buffer(16), *shape
    if not type_.contiguous:
        expanded += [0] * (1 + len(shape))
    return True


def strides_of(shape, itemsize):
    """Those of a contiguous array, in bytes."""
    result = []
    for extent in reversed(shape):
        result.insert(0, itemsize)
        itemsize *= extent
    return tuple(result)


def kernel(function=None, *, math="default"):
    """Make a Python function a kernel, for every backend: @yoke.kernel, or @yoke.kernel(math="exact"). Types are those of the
    annotations, or of the first launch's arguments. KernelError shows what kernels cannot do. doc/kernels-in-python.md has the
    guide."""
    if function is None:
        return lambda function: Kernel(function, math)
    return Kernel(function, math)


def function(function):
    """Make a Python function one that kernels call. Called from Python it is itself."""
    return DeviceFunction(function)
