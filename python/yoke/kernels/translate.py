# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Kernels and functions to one text: statements, the types of variables, and the program with all that a kernel calls.

The types of variables are what their values give. A function is translated again and again, each time with the types of the last,
until these no longer change; the last text counts.
"""

import ast
from .arrays import ArrayValue
from .bounds import PARAMETER, RECORD, TEXT, TEXT_OF_ASSERTIONS
from .calls import Calls
from .complexes import functions_for
from .errors import error
from .expressions import Expressions
from .ranges import Ranges, SMALL_INT, narrow_of, small_value
from .records import RecordType
from .statements import Statements
from .types import (
    ArrayType, COMPLEX64, COMPLEX128, Complex, F32, F64, I64, NUMBER, TupleType, Value, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, leaves,
    leaves_of_type, merged, named_leaves, strong, tuple_value,
)

PRELUDE = """#include <yoke/kernel.h>
#include <yoke/types.h>
#ifdef __OPENCL_VERSION__
#define YK_I64 long
#define YK_U64 unsigned long
#else
#define YK_I64 long long
#define YK_U64 unsigned long long
#endif
"""
PHILOX = "#include <yoke/philox.h>\n"
NEED_SHUFFLES = """#if !YOKE_HAS_SHUFFLE
#error "this device has no shuffles: exchange values in yoke.shared memory"
#endif
"""
PRINTED = """#ifdef __OPENCL_VERSION__
#define YK_D "ld"
#define YK_U "lu"
#else
#define YK_D "lld"
#define YK_U "llu"
#endif
"""
ROUNDS = 50
# Names that a kernel cannot have in one of the languages; it gets an underscore there.
TAKEN = set("""asm auto break case catch char class const constant continue default delete do double else enum explicit extern float
for friend global goto half if image2d_t inline int kernel local long main namespace new operator private protected public register
restrict return short signed sizeof static struct switch template this throw try typedef typename uchar uint ulong union unsigned
ushort using virtual void volatile while abs add_sat acos asin atan ceil clamp clz cos cross degrees distance dot exp exp2 fabs
floor fma fmax fmin fmod fract hypot ldexp length log log2 log10 mad max min mix nan normalize popcount pow powr radians remainder
rint rotate round rsqrt select sign sin sinh sqrt step smoothstep tan tanh trunc vload2 vload4 bool true false barrier prefetch
isnan isinf any all cbrt erf""".split())


class Program:
    """One text: a kernel and the functions that it calls, for these types of arguments."""

    def __init__(self, wide, of_kernel=True, bounds=False, recording=False, small=None, as_numba=False):
        self.of_kernel, self.bounds = of_kernel, bounds
        # small: for small launches, which parameters are small ints. Places that are checked have 64 bits.
        self.narrow, self.small = small is not None and not bounds, small or ()
        self.recording = recording or bounds  # kernels and functions have a record
        self.places = []  # of indices that are checked, and assertions
        self.as_numba = as_numba  # as Kernel has it
        self.wide = wide  # there is a float64 among the arguments: Python's floats are float64
        self.records = {}  # structs, by their names in the text
        self.helpers, self.functions, self.texts, self.stack = {}, {}, [], []
        self.captures = {}
        self.shuffles = self.philox = self.prints = self.asserts = False

    def capture(self, owner, name, attribute, value):
        """A name outside the kernel, with which the text is made: another value there means another text."""
        self.captures[id(owner), name] = owner, name, attribute, value

    def record(self, scope, node, record):
        """Declare a struct."""
        if self.records.setdefault(record.c, record) != record:
            raise scope.error(node, f"two structs of this kernel have the name {record}: rename one")
        return record

    def function(self, scope, node, function, types, small):
        """The Body of a function for these types of arguments."""
        key = (function, types, self.wide, small)
        if key in self.stack:
            raise scope.error(node, f"{function.name} calls itself, which kernels cannot: write a loop")
        if key not in self.functions:
            if len(self.stack) > 64 or any(each[0] is function for each in self.stack):
                raise scope.error(node, f"{function.name} calls itself, which kernels cannot: write a loop")
            self.stack.append(key)
            same = sum(each[0].name == function.name for each in self.functions)
            body = Body(self, function, types, f"{function.name}_{same or ''}f", small)  # as no variable ends
            body.translate()
            self.stack.pop()
            self.functions[key] = body
            self.texts.append(body.text_of_function())
        return self.functions[key]

    def kernel(self, kernel, types):
        """The whole text of one kernel."""
        self.add(kernel, types)
        return self.text()

    def add(self, kernel, types):
        self.body = Body(self, kernel, types, kernel.entry, self.small)
        self.body.translate()
        self.texts.append(self.body.text_of_kernel())

    def text(self):
        head = PRELUDE + PHILOX * self.philox + NEED_SHUFFLES * self.shuffles + TEXT * self.bounds + TEXT_OF_ASSERTIONS * (
            self.asserts) + PRINTED * self.prints
        return "\n".join([head, *(each.declaration() for each in self.records.values() if not each.vector), self.functions_text()])

    def functions_text(self):
        """The functions of ours that the program needs, and its own."""
        own = "\n".join([*self.helpers.values(), *self.texts])
        return "\n".join(each for each in (functions_for(own), own) if each)


class Body(Statements, Expressions, Calls, Ranges):
    """The body of one function, for these types of parameters. small: the names of those that are small ints."""

    def __init__(self, program, kernel, types, name, small=()):
        self.program, self.kernel, self.name, self.parameter_types = program, kernel, name, types
        self.tree = kernel.tree
        self.locals = kernel.locals
        self.given_bounds = {name: SMALL_INT if each.arg in small else None for each, type_ in zip(kernel.parameters, types)
                             if not isinstance(type_, ArrayType) for name, leaf in named_leaves(f"{each.arg}_", type_)}
        for parameter, type_ in zip(kernel.parameters, types):
            for each in leaves_of_type(type_.element if isinstance(type_, ArrayType) else type_):
                if isinstance(each, RecordType):
                    program.record(self, parameter, each)
        self.types, self.settled_types, self.first = {}, {}, {}

    def error(self, node, message, kind=None):
        return error(self.kernel, node, message, *([kind] if kind else []))

    def near(self, name, names):
        import difflib

        found = difflib.get_close_matches(name, names, 1)
        return f": is it {found[0]}?" if found else ""

    def settled(self, type_):
        """The type that a number has at last."""
        if type_ is WEAK_INT:
            return I64
        if type_ is WEAK_COMPLEX:
            return COMPLEX128 if self.program.wide else COMPLEX64
        return (F64 if self.program.wide else F32) if type_ is WEAK_FLOAT else type_

    # ---- Rounds ----

    def translate(self):
        self.start_ranges()
        for _ in range(ROUNDS):
            self.start_round()
            self.block(self.tree.body)
            known = self.types == self.next or not self.types and not self.turned
            weak = {name: self.settled_tree(type_) for name, type_ in self.next.items() if is_weak(type_)}
            bounded = self.end_round_of_ranges(self.types == self.next and not weak)
            if known and not weak and bounded:
                break
            if known:
                self.settled_types.update(weak)
            self.types = {**self.next, **self.settled_types}
        if self.conflicts:
            raise self.conflicts[0]
        self.check_end()
        for each in [variable for variable in self.named_arrays() if variable.meant] * len(self.arrays):
            for other in each.meant:  # what a variable writes, all that it stands for
                other.written = other.written or each.written
        self.returns = self.next.get("return")

    def start_round(self):
        self.next = dict(self.settled_types)
        self.lines, self.conflicts, self.seen, self.arrays, self.first, self.sizes = [], [], set(), {}, {}, {}
        self.count, self.depth, self.loops, self.last_line = 0, 1, 0, 0
        self.turned = False  # whether a variable has got another type than at first: what read it before had the first
        self.start_round_of_ranges()
        for parameter, type_ in zip(self.kernel.parameters, self.parameter_types):
            if isinstance(type_, ArrayType):
                self.arrays[parameter.arg] = ArrayValue(type_, f"{parameter.arg}_", self.program.narrow)
            else:  # a tuple is as many parameters
                self.next[parameter.arg] = type_
                self.first[parameter.arg] = (parameter, type_)
            self.seen.add(parameter.arg)

    def settled_tree(self, type_):
        if isinstance(type_, TupleType):
            return TupleType(self.settled_tree(each) for each in type_.items)
        return self.settled(type_)

    def merge(self, node, name, type_, shown=None):
        """A variable gets a value of this type."""
        old = self.next.get(name)
        if old is None:
            self.next[name], self.first[name] = type_, (node, type_)
            return
        new = merged(old, type_, self.program.as_numba)
        self.turned = self.turned or new != old
        if new is None:
            place, first = self.first.get(name, (node, old))
            self.conflicts.append(self.error(node, (
                f"{shown or name} is {old} since line {place.lineno}, and would be {type_} here: a variable keeps its type; "
                f"convert one of the values, as numpy.{converted(old, type_)}(…), or take another name") if name != "return" else
                f"a return in line {place.lineno} gives {old}, and this one {type_}: all give one type"))
        else:
            self.next[name] = new

    def known(self, name):
        return self.types.get(name) or self.next.get(name)

    # ---- Variables ----

    def variable(self, node):
        name = node.id
        if name in self.arrays:
            return self.arrays[name]
        if name not in self.seen:
            raise self.error(node, f"{name} has no value yet: assign it before")
        return self.stored(f"{name}_", self.known(name))

    def stored(self, code, type_):
        """The value of a variable, whose parts have names of their own where it is a tuple."""
        if isinstance(type_, TupleType):
            return tuple_value([self.stored(f"{code}t{i}", each) for i, each in enumerate(type_.items)])
        if type_ is WEAK_COMPLEX:  # in a round that is not the last
            return Value(type_, lambda target: code)
        if type_.weak:
            return Value(type_, lambda target: f"(({target.c}){code})")
        bounds = self.bounds_of(code) if type_ is I64 and self.program.narrow else None
        if bounds is None:
            return strong(type_, code)
        value = small_value(code if self.is_small(code) else f"((int){code})", *bounds)
        value.variable = code
        return value

    def named_arrays(self):
        """The arrays, each once: some have several names."""
        return {each.name: each for each in self.arrays.values()}.values()

    def declarations(self):
        """All variables stand at the function's beginning, since Python's belong to the function."""
        lines = [f"    const {each};" for each in self.sizes.values()]
        for parameter, type_ in zip(self.kernel.parameters, self.parameter_types):
            if not isinstance(type_, ArrayType):
                lines += [f"    {held.c} {name} = {name}p;" for name, each, held in self.held_parameters(parameter, type_)
                          if each != held]
        for each in self.named_arrays():
            lines += [f"    {part} = 0;" for part in each.parameters()] if each.meant else []
        for name, type_ in self.next.items():
            if name != "return" and name not in {each.arg for each in self.kernel.parameters}:
                lines += self.declared(f"{name}_", type_)
        return lines

    def declared(self, code, type_):
        if isinstance(type_, TupleType):
            return [line for i, each in enumerate(type_.items) for line in self.declared(f"{code}t{i}", each)]
        if isinstance(type_, RecordType):
            zeros = ", ".join("0" * len(type_.fields))
            return [f"    {type_.c} {code} = " + (f"yoke_{type_.c}({zeros});" if type_.vector else "{ 0 };")]
        if isinstance(type_, Complex):
            return [f"    {type_.c} {code} = yk_{type_}(0, 0);"]
        return [f"    {'int' if type_ is I64 and self.is_small(code) else type_.c} {code} = 0;"]

    # ---- Calls of functions ----

    def call_function(self, node, function):
        values = self.bound(node, function)
        types = tuple(each.type for each in values)
        wanted = [function.annotation(parameter) for parameter in function.parameters]
        types = tuple(self.passed_type(node, function, parameter, value, type_)
                      for parameter, value, type_ in zip(function.parameters, values, wanted))
        body = self.program.function(self, node, function, types, self.small_among(function, values, types))
        texts = [RECORD] if self.program.recording else []
        for parameter, value in zip(function.parameters, values):
            if isinstance(value, ArrayValue) and body.arrays[parameter.arg].written:
                value.written = True
        for value, type_ in zip(values, types):
            texts += value.arguments() if isinstance(value, ArrayValue) else [
                self.text(node, each, part) for each, part in zip(leaves(value), leaves_of_type(type_))]
        code = f"{body.name}({', '.join(texts)})"
        if body.returns is None:
            return Value(None, lambda target: code, obj=f"{function.name}() without a value", pure=False)
        if isinstance(body.returns, TupleType):
            self.count += 1
            held = f"r{self.count}_t"
            self.lines.append("    " * self.depth + f"const struct {body.name}result {held} = {code};")
            return self.unpacked(held, body.returns)
        return strong(body.returns, code, pure=False)

    def small_among(self, function, values, types):
        """The parameters that are small ints in this call."""
        found = [narrow_of(self, value) if type_ is I64 else None for value, type_ in zip(values, types)]
        return tuple(parameter.arg for parameter, each in zip(function.parameters, found)
                     if each and each.exact and SMALL_INT[0] <= each.low and each.high <= SMALL_INT[1])

    def unpacked(self, held, type_):
        """The tuple in a struct of results, whose fields are the numbers in it, one after the other."""
        fields = iter(range(len(leaves_of_type(type_))))

        def part(type_):
            if isinstance(type_, TupleType):
                return tuple_value([part(each) for each in type_.items])
            return strong(type_, f"{held}.v{next(fields)}")
        return part(type_)

    def bound(self, node, function):
        """The values of a call's arguments, in the order of the parameters."""
        names = [each.arg for each in function.parameters]
        given = dict(zip(names, node.args))
        if len(node.args) > len(names):
            raise self.error(node, f"{function.name} takes {len(names)} argument{'s' * (len(names) != 1)}, not {len(node.args)}")
        for keyword in node.keywords:
            if keyword.arg not in names:
                raise self.error(node, f"{function.name} has no parameter {keyword.arg}{self.near(keyword.arg or '', names)}")
            if keyword.arg in given:
                raise self.error(node, f"{function.name} gets {keyword.arg} twice")
            given[keyword.arg] = keyword.value
        missing = [name for name in names if name not in given]
        if missing:
            raise self.error(node, f"{function.name} takes {len(names)} argument{'s' * (len(names) != 1)}: {', '.join(missing)} "
                             f"{'is' if len(missing) == 1 else 'are'} missing")
        return [self.value(given[name]) for name in names]

    def passed_type(self, node, function, parameter, value, wanted):
        """The type of a function's parameter in this call."""
        if isinstance(value, ArrayValue):
            if wanted is not None and not (isinstance(wanted, tuple) and wanted[0] in (None, value.type.element)):
                raise self.error(node, f"{parameter.arg} of {function.name} is {function.shown(parameter)}, and this is "
                                 f"{value.type}")
            return value.type
        if isinstance(value.type, RecordType) and wanted in (None, value.type):
            return value.type
        if isinstance(value.type, TupleType) and wanted is None:
            return self.passed_tuple(node, function, parameter, value)
        if not isinstance(value.type, NUMBER):
            raise self.error(node, f"{parameter.arg} of {function.name} takes a number or an array, and this is "
                             f"{self.shown(value)}")
        if isinstance(wanted, tuple):
            raise self.error(node, f"{parameter.arg} of {function.name} is an array, and this is {self.shown(value)}")
        if isinstance(wanted, RecordType):
            raise self.error(node, f"{parameter.arg} of {function.name} is {wanted}, and this is {self.shown(value)}")
        if wanted is not None:
            if isinstance(value.type, Complex) and not isinstance(wanted, Complex):
                raise self.error(node, f"{parameter.arg} of {function.name} is {wanted}, and this is {self.shown(value)}: pass its "
                                 "parts")
            if value.type.kind == "f" and wanted.kind not in "fc":
                raise self.error(node, f"{parameter.arg} of {function.name} is {wanted}, and this is {self.shown(value)}: write "
                                 "int(…)")
            return wanted
        return self.settled(value.type)

    def passed_tuple(self, node, function, parameter, value):
        if not all(isinstance(each.type, (*NUMBER, RecordType)) for each in leaves(value)):
            raise self.error(node, f"{parameter.arg} of {function.name} gets a tuple with an array in it: pass the array by itself")
        return self.settled_tree(value.type)

    # ---- Text ----

    def parameter_list(self):
        parts = [PARAMETER] if self.program.recording else []
        for parameter, type_ in zip(self.kernel.parameters, self.parameter_types):
            if isinstance(type_, ArrayType):
                parts += self.arrays[parameter.arg].parameters()
            else:
                words = {"yoke_i64": "YK_I64", "yoke_u64": "YK_U64"}
                parts += [f"{words.get(each.c, each.c)} {name}{'p' if each != held else ''}"
                          for name, each, held in self.held_parameters(parameter, type_)]
        return ", ".join(parts)

    def held_parameters(self, parameter, type_):
        """(name, type, the type of the variable that holds it) of each part of a parameter that is no array."""
        code = f"{parameter.arg}_"
        return [(name, each, held) for (name, each), (_, held) in zip(named_leaves(code, type_), named_leaves(
            code, self.next[parameter.arg]))]

    def body_text(self):
        return "{\n" + "\n".join([*self.declarations(), *self.lines]) + "\n}\n"

    def text_of_kernel(self):
        shared = [f"    YOKE_SHARED {each.type.c} {each.name}[{size_of(each)}];" for each in self.named_arrays()
                  if each.type.space.startswith("YOKE_SHARED")]
        self.lines[:0] = shared
        return f"YOKE_KERNEL void {self.name}({self.parameter_list()})\n" + self.body_text()

    def text_of_function(self):
        """A function; a struct for its results where it gives several."""
        result, before = "void", ""
        if isinstance(self.returns, TupleType):
            fields = "".join(f"    {each.c} v{i};\n" for i, each in enumerate(leaves_of_type(self.returns)))
            before, result = f"struct {self.name}result {{\n{fields}}};\n", f"struct {self.name}result"
        elif self.returns is not None:
            result = self.returns.c
        return f"{before}YOKE_INLINE_FUNCTION {result} {self.name}({self.parameter_list() or 'void'})\n" + self.body_text()


def converted(old, new):
    """The type to which a value is converted, where a variable of one type gets one of another."""
    return old if isinstance(old, Complex) and not old.weak else new


def size_of(array):
    size = 1
    for each in array.type.shape:
        size *= each
    return size


def is_weak(type_):
    return any(map(is_weak, type_.items)) if isinstance(type_, TupleType) else type_.weak
