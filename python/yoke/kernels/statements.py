# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Statements of kernels, as text. Each begins with #line, so that a compiler's messages name the line of the Python file."""

import ast

from . import device, ranges, ufuncs
from .arrays import ArrayValue
from .bounds import Assertion, NeedsRecord, RECORD, TEXT_OF_GRID_BARRIER, TOGETHER
from .calls import allocated
from .records import Field, RecordType, with_attribute
from .types import (
    Complex, F32, F64, GLOBAL, I32, I64, MISSING, NUMBER, Scalar, TupleType, U64, common, constant, leaves, leaves_of_type, literal, strong,
    tuple_value,
)

REFUSED = {
    "Try": "try is not part of kernels: test before, or write a code to an array",
    "TryStar": "try is not part of kernels: test before, or write a code to an array",
    "Raise": "raise is not part of kernels: write a code to an array",
    "With": "with is not part of kernels: open what it opens outside", "AsyncWith": "with is not part of kernels",
    "AsyncFor": "async is not part of kernels",
    "FunctionDef": "a function inside a kernel is not part of kernels: write a @yoke.function outside",
    "AsyncFunctionDef": "a function inside a kernel is not part of kernels: write a @yoke.function outside",
    "ClassDef": "a class is not part of kernels",
    "Import": "import stands outside the kernel", "ImportFrom": "import stands outside the kernel",
    "Global": "a kernel cannot assign names outside it: write to an array",
    "Nonlocal": "a kernel cannot assign names outside it: write to an array",
    "Delete": "del is not part of kernels: a name lives until the kernel ends",
    "Match": "match is not part of kernels: write if and elif",
}


class Statements:
    """The statements of one function."""

    def block(self, statements):
        for node in statements:
            self.statement(node)

    def statement(self, node):
        name = type(node).__name__
        method = getattr(self, "do_" + name, None)
        if method is None:
            raise self.error(node, REFUSED.get(name, f"{name} is not part of kernels"))
        if not isinstance(node, ast.Pass):
            file = self.kernel.file.replace("\\", "\\\\").replace('"', '\\"')
            self.lines.append(f'#line {node.lineno} "{file}"')
        method(node)

    def emit(self, text):
        self.lines.append("    " * self.depth + text)

    def inner(self, statements):
        self.depth += 1
        self.block(statements)
        self.depth -= 1

    def do_Pass(self, node):
        pass

    def do_Expr(self, node):
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return  # a docstring, or a comment
        if not isinstance(node.value, ast.Call):
            if type(node.value).__name__ in ("Await", "Yield", "YieldFrom", "ListComp"):
                self.value(node.value)  # which refuses it
            word = self.static(node.value) if isinstance(node.value, (ast.Name, ast.Attribute)) else None
            raise self.error(node, f"this names a function and does not call it: write {ast.unparse(node.value)}()" if callable(
                word) else "this statement computes a value and drops it: assign it")
        callee = self.static(node.value.func)
        if callee is print:
            return self.do_print(node.value)
        if ufuncs.is_whole(node.value, callee):
            return self.do_For(ufuncs.loops(self, node, callee))
        if callee in (device.barrier, device.grid_barrier):
            return self.do_barrier(node, callee)
        value = self.value(node.value)
        if value.pure and value.type is not None:
            raise self.error(node, f"the value of {ast.unparse(node.value.func)} is dropped: assign it")
        if not isinstance(value.type, TupleType):
            self.emit(f"{value.emit(value.type)};")

    def do_barrier(self, node, callee):
        """That of a block, or of the whole grid, whose count is in the record."""
        whole = callee is device.grid_barrier
        if node.value.args or node.value.keywords:
            raise self.error(node, f"yoke.{callee.__name__} takes no arguments")
        if not self.kernel.is_kernel:
            raise self.error(node, f"yoke.{callee.__name__}() stands in a kernel, where all threads of the "
                             f"{'launch' if whole else 'block'} come")
        if whole and not self.program.recording:
            raise NeedsRecord("a barrier of the grid, for which Python's launches bring memory")
        if whole:
            self.program.helpers[TOGETHER] = TEXT_OF_GRID_BARRIER
        self.emit(f"{TOGETHER}({RECORD});" if whole else "yoke_barrier_global();")

    def do_print(self, node):
        """printf, which both languages have. Numbers of floats have 6 digits, and bools are 0 or 1."""
        if not self.program.of_kernel:
            raise self.error(node, "print is for kernels")
        words = {"sep": " ", "end": "\n"}
        for each in node.keywords:
            if each.arg not in words or not isinstance(each.value, ast.Constant) or not isinstance(each.value.value, str):
                raise self.error(node, "print takes sep= and end= by name in a kernel, as constants")
            words[each.arg] = each.value.value
        parts, texts = [], []
        for each in node.args:
            pieces = each.values if isinstance(each, ast.JoinedStr) else [each]
            parts.append("".join(self.printed(piece, texts) for piece in pieces))
        self.program.prints = True
        form = quoted(words["sep"]).join(parts) + quoted(words["end"])
        self.emit(f'printf("{form}"{"".join(", " + each for each in texts)});')

    def printed(self, node, texts):
        """The format of one argument, whose text is added."""
        if isinstance(node, ast.FormattedValue):
            if node.format_spec is not None or node.conversion != -1:
                raise self.error(node, "a format in an f-string is not part of kernels: write {x}")
            node = node.value
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return quoted(node.value)
        if isinstance(node, ast.BinOp) and isinstance(node.left, (ast.Constant, ast.JoinedStr)) and not isinstance(
                getattr(node.left, "value", ""), (int, float, complex)):
            raise self.error(node, "print composes no strings in a kernel: write print(\"x\", x), with each part by itself")
        value = self.value(node)
        if isinstance(value.type, TupleType):
            opened = [self.print_number(node, each, texts) for each in leaves(value)]
            return "(" + ", ".join(opened) + "," * (len(opened) == 1) + ")"
        return self.print_number(node, value, texts)

    def print_number(self, node, value, texts):
        if not isinstance(value.type, Scalar):
            raise self.error(node, f"print takes numbers and strings in a kernel, and this is {self.shown(value)}")
        type_ = self.settled(value.type)
        kind = "f" if type_.kind == "f" else "u" if type_.kind == "u" else "i"
        target = {"f": F64 if self.program.wide else F32, "u": U64, "i": I64}[kind]
        texts.append(self.text(node, strong(type_, self.text(node, value, type_)), target))
        return {"f": "%g", "u": '%" YK_U "', "i": '%" YK_D "'}[kind]

    def do_Assert(self, node):
        """Kept in the record, and raised at the wait. The thread ends here where no other waits for it at a barrier."""
        if node.msg is not None and not (isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str)):
            raise self.error(node.msg, "the message of an assertion is a string in a kernel, without values")
        if not self.program.of_kernel:
            raise self.error(node, "assert is for kernels")
        test = self.condition(node.test)
        if not self.program.recording:
            raise NeedsRecord("an assertion, which Python's launches report")
        self.program.asserts = True
        self.program.places.append(Assertion(self.kernel, node))
        waits = not self.kernel.is_kernel or any(
            isinstance(each, ast.Call) and self.static(each.func) in (device.barrier, device.grid_barrier)
            for each in ast.walk(self.tree))
        fail = f"yk_fail({RECORD}, {len(self.program.places)});"
        self.emit(f"if (!{test}) {{ {fail}{'' if waits else ' return;'} }}")

    # ---- Assignments ----

    def do_Assign(self, node):
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call):
            callee = self.static(node.value.func)
            if callee in (device.shared, device.local):
                return self.allocate(node, callee)
        value = self.value(node.value)
        if len(node.targets) > 1 and not value.pure:
            raise self.error(node, "a call's value is assigned to one name: assign the others in a statement of their own")
        for target in node.targets:
            self.assign(node, target, value)

    def do_AnnAssign(self, node):
        if node.value is None or not isinstance(node.target, ast.Name):
            raise self.error(node, "a declaration has a value: name: type = value")
        found = self.static(node.annotation)
        found = ast.unparse(node.annotation).strip("'") if found is MISSING else found
        type_ = self.record_named(node.annotation, found) or self.dtype(node.annotation, found)
        real = isinstance(type_, Scalar)
        value = self.number(node.value, "here") if real else self.value(node.value)
        if isinstance(type_, Complex) and not isinstance(value.type, NUMBER):
            raise self.error(node.value, f"a number is wanted here, and this is {self.shown(value)}")
        if isinstance(type_, RecordType) and value.type != type_:
            raise self.error(node, f"the annotation is {type_}, and this is {self.shown(value)}")
        self.assign(node, node.target, strong(type_, self.text(node.value, value, type_), value.pure))

    def allocate(self, node, callee):
        name = node.targets[0].id
        if self.depth > 1 and callee is device.local:
            raise self.error(node, f"{ast.unparse(node.value.func)} stands at the outermost level of the function, and not "
                             "inside if or a "
                             "loop")
        if callee is device.shared and not self.kernel.is_kernel:
            raise self.error(node, "yoke.shared stands in a kernel: pass the array to the function")
        if name in self.seen:
            raise self.error(node, f"{name} has a value already: take another name for the array")
        type_ = allocated(self, node.value, callee)
        self.arrays[name] = ArrayValue(type_, f"{name}_", self.program.narrow)
        self.seen.add(name)
        if callee is device.local:
            size = 1
            for each in type_.shape:
                size *= each
            self.emit(f"{type_.c} {name}_[{size}] = {{0}};")

    def assign(self, node, target, value):
        if isinstance(target, (ast.Tuple, ast.List)):
            return self.unpack(node, target, value)
        if isinstance(target, ast.Name):
            return self.assign_name(node, target.id, value)
        target = with_attribute(target)
        if isinstance(target, ast.Subscript):
            owner = self.value(target.value)
            if isinstance(owner.type, TupleType):
                raise self.error(target, "a tuple cannot be changed: make a new one, or take an array of yoke.local(shape, dtype)")
            return self.emit(self.element(target, owner).write(self, node, value))
        if isinstance(target, ast.Attribute):
            return self.emit(self.field(target).write(self, node, value))
        raise self.error(target, "a kernel assigns names and elements of arrays" + (
            ": " + ast.unparse(target) + " is neither" if isinstance(target, ast.Attribute) else ""))

    def field(self, target):
        """x[i].mass, as what is assigned: values that a name has cannot be changed, since others may have them in Python."""
        if isinstance(target.value, ast.Subscript):
            owner = self.value(target.value.value)
            if isinstance(owner, ArrayValue) and isinstance(owner.type.element, RecordType):
                return Field(self, target, self.element(target.value, owner), target.attr)
        elif isinstance(target.value, ast.Name) and target.value.id in self.seen:
            type_ = self.value(target.value).type
            if isinstance(type_, RecordType):
                raise self.error(target, f"a field changes only in an array, as x[i].{target.attr} = …: make a new {type_}")
        raise self.error(target, f"a kernel assigns names and elements of arrays: {ast.unparse(target)} is neither")

    def assign_name(self, node, name, value):
        if value.type is None:
            raise self.error(node, f"{name} would be {self.shown(value)}, which is not a value in a kernel")
        if isinstance(value, ArrayValue):
            return self.assign_array(node, name, value)
        if name in self.arrays:
            raise self.error(node, f"{name} is an array, and would be {self.shown(value)} here: take another name")
        self.merge(node, name, value.type)
        self.seen.add(name)
        self.store(node, f"{name}_", self.known(name), value)

    def assign_array(self, node, name, value):
        """Another name of an array. One that is assigned several times, or in a branch, is a pointer, with extents of its own."""
        times = sum(isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
                    for each in ast.walk(self.tree))
        if times == 1 and self.depth == 1 and value.meant is None:
            self.arrays[name] = value
            self.seen.add(name)
            return
        if name not in self.seen:
            self.arrays[name] = ArrayValue(value.type, f"{name}_", self.program.narrow, [])
            self.seen.add(name)
        variable = self.arrays.get(name)
        if variable is None or variable.meant is None or variable.type != value.type or value.type.space != GLOBAL:
            raise self.error(node, f"{name} cannot become another array: take a name for each array, but for arrays of global memory "
                             "with one dtype and number of dimensions")
        variable.meant.append(value)
        for own, other in zip(variable.arguments(), value.arguments()):
            self.emit(f"{own} = {other};")

    def store(self, node, code, type_, value):
        if isinstance(type_, TupleType) and isinstance(value.type, TupleType) and len(type_.items) == len(value.items):
            held = self.held(node, list(value), type_.items)
            for i, each in enumerate(type_.items):
                self.store(node, f"{code}t{i}", each, held[i])
        elif self.fits(type_, value):
            if type_ is I64:
                self.note_assignment(code, value)
            self.emit(f"{code} = {self.text(node, value, I32 if type_ is I64 and self.is_small(code) else type_)};")

    def fits(self, type_, value):
        """Whether a value may be written as one of this type; otherwise there is a conflict, which is reported."""
        if isinstance(value.type, Complex):
            return isinstance(type_, Complex)
        return isinstance(type_, NUMBER) and isinstance(value.type, Scalar) or isinstance(type_, RecordType) and type_ == value.type

    def held(self, node, values, types, several=False):
        """The values of a tuple in names of their own, since the assignments may change what others are made of."""
        result = []
        for value, type_ in zip(values, types):
            if isinstance(value.type, TupleType):
                inner = type_.items if isinstance(type_, TupleType) and len(type_.items) == len(value.items) else value.type.items
                result.append(tuple_value(self.held(node, list(value), inner, len(values) > 1)))
                continue
            if isinstance(value, ArrayValue):
                result.append(value)
                continue
            if value.number is not None or len(values) == 1 and not several:
                result.append(value)
                continue
            self.count += 1
            type_ = self.settled(type_ if isinstance(type_, NUMBER) and self.fits(type_, value) else value.type)
            found = ranges.exact_of(self, value) if type_ is I64 else None
            if found:
                self.emit(f"const int h{self.count}_t = {found[0].text};")
                result.append(ranges.small_value(f"h{self.count}_t", found[0].low, found[0].high))
                continue
            self.emit(f"const {type_.c} h{self.count}_t = {self.text(node, value, type_)};")
            result.append(strong(type_, f"h{self.count}_t"))
        return result

    def unpack(self, node, target, value):
        if not isinstance(value.type, TupleType):
            raise self.error(node, f"a tuple is wanted to assign {len(target.elts)} names, and this is {self.shown(value)}")
        if any(isinstance(each, ast.Starred) for each in target.elts):
            raise self.error(target, "* in an assignment is not part of kernels: name each value")
        if len(target.elts) != len(value.items):
            raise self.error(node, f"{len(target.elts)} names and {len(value.items)} values")
        for each, item in zip(target.elts, value.items):  # the types first
            if isinstance(each, ast.Name) and isinstance(item.type, NUMBER):
                self.merge(node, each.id, item.type)
        types = [self.known(each.id) if isinstance(each, ast.Name) else item.type for each, item in zip(target.elts, value.items)]
        values = [item if isinstance(item, ArrayValue) else held for item, held in zip(
            value.items, self.held(node, [constant(0) if isinstance(item, ArrayValue) else item for item in value.items], types))]
        for each, item in zip(target.elts, values):
            if isinstance(each, ast.Name) and isinstance(item.type, NUMBER):
                self.seen.add(each.id)
                self.store(node, f"{each.id}_", self.known(each.id), item)
            else:
                self.assign(node, each, item)

    def do_AugAssign(self, node):
        right = self.value(node.value)
        if isinstance(node.target, ast.Name):
            left = self.variable(node.target) if node.target.id in self.locals else self.value(node.target)
            if not isinstance(left.type, (*NUMBER, RecordType)):
                raise self.error(node, f"a number is wanted left of the operator, and this is {self.shown(left)}")
            return self.assign_name(node, node.target.id, self.binary(node, node.op, left, right))
        target = with_attribute(node.target)
        if isinstance(target, ast.Attribute):
            element = self.field(target)
        else:
            owner = self.value(node.target.value)
            if isinstance(owner.type, TupleType):
                raise self.error(node.target, "a tuple cannot be changed: make a new one")
            element = self.element(node.target, owner)
        if not element.pure:
            raise self.error(node.target, "a call in this index would run twice: assign it first")
        self.emit(element.write(self, node, self.binary(node, node.op, element.read(self), right)))

    # ---- Control ----

    def do_If(self, node):
        test, told = self.tested(node.test)
        self.emit(f"if ({test}) {{")
        before = dict(self.facts)
        self.learn(told)
        self.inner(node.body)
        self.facts = dict(before)
        if node.orelse:
            self.emit("} else {")
            self.inner(node.orelse)
        self.emit("}")
        self.facts = before
        self.forget(changed_in(node))

    def do_While(self, node):
        if node.orelse:
            raise self.error(node, "else of a loop is not part of kernels: set a flag before break")
        before, changed = len(self.lines), changed_in(node)
        self.forget(changed)
        test, told = self.tested(node.test)
        self.refuse_lines(node.test, before)
        self.emit(f"while ({test}) {{")
        kept = dict(self.facts)
        self.learn(told)
        self.loop(node)
        self.facts = kept
        self.forget(changed)

    def loop(self, node):
        self.loops += 1
        self.inner(node.body)
        self.loops -= 1
        self.emit("}")

    def do_For(self, node):
        if node.orelse:
            raise self.error(node, "else of a loop is not part of kernels: set a flag before break")
        call = node.iter
        if not isinstance(call, ast.Call) or self.static(call.func) is not range:
            raise self.error(call, f"a kernel loops over range(…): {self.instead_of_loop(call)}")
        if not isinstance(node.target, ast.Name):
            raise self.error(node.target, "the variable of a loop is a name")
        if not 1 <= len(call.args) <= 3 or call.keywords:
            raise self.error(call, f"range takes 1 to 3 arguments, not {len(call.args) + len(call.keywords)}")
        values = [self.number(each, "in range") for each in call.args]
        for part, value in zip(call.args, values):
            if value.type.kind not in "iu":
                raise self.error(part, f"range takes integers, and this is {self.shown(value)}: write int(…)")
        first, stop = (constant(0), values[0]) if len(values) == 1 else values[:2]
        step = values[2] if len(values) == 3 else constant(1)
        if step.number == 0:
            raise self.error(call.args[2], "the step of range is not 0")
        self.emit_range(node, first, stop, step)

    def instead_of_loop(self, over):
        """What to write instead of a loop over something else."""
        word = ast.unparse(over.func).split(".")[-1] if isinstance(over, ast.Call) else ""
        first = ast.unparse(over.args[0]) if word and over.args else "x"
        if word in ("enumerate", "zip"):
            return f"write for i in range(len({first})), and take the elements inside"
        if word in ("reversed", "arange", "prange"):
            return {"reversed": "write range(n - 1, -1, -1)"}.get(word, f"write range({', '.join(map(ast.unparse, over.args))})")
        if isinstance(over, (ast.Tuple, ast.List)):
            return "write a statement for each value, or a loop over an array of yoke.local(shape, dtype)"
        return f"write for i in range(len({ast.unparse(over) if isinstance(over, ast.Name) else 'x'}))"

    def emit_range(self, node, first, stop, step):
        """A loop with a variable of its own, since the body may assign the program's."""
        type_ = common(common(first.type, stop.type) or I64, step.type) or I64
        if type_.weak or type_.size < 8 or type_.kind == "u" and (step.number is None or step.number < 0):
            type_ = I64
        name, own = node.target.id, f"i{self.count + 1}_t"
        end = f"e{self.count + 1}_t"
        by = f"s{self.count + 1}_t"
        self.count += 1
        if name in self.arrays:
            raise self.error(node.target, f"{name} is an array: take another name")
        self.merge(node, name, type_)
        self.seen.add(name)
        changed = changed_in(node)
        bounds = ranges.of_loop(self, first, stop, step) if type_ is I64 else None
        self.forget(changed)
        counted = I32 if bounds else type_
        self.emit(f"const {counted.c} {end} = {self.text(node, stop, counted)};")
        if step.number is None:
            self.emit(f"const {counted.c} {by} = {self.text(node, step, counted)};")
            test = f"{own} {'<' if bounds[2] > 0 else '>'} {end}" if bounds else (
                f"{by} > 0 ? {own} < {end} : {own} > {end}")
            up = f"({U64.c}){end} - ({U64.c}){own} > ({U64.c}){by}"
            down = f"({U64.c}){own} - ({U64.c}){end} > -({U64.c}){by}"
            by = f"{own} += {by}" if bounds else f"{own} = ({by} > 0 ? {up} : {down}) ? {own} + {by} : {end}"
        else:
            test = f"{own} {'<' if step.number > 0 else '>'} {end}"
            by = {1: f"{own}++", -1: f"{own}--"}.get(step.number, f"{own} += {step.number}")
            if abs(step.number) > 1 and not bounds:  # not beyond the end, which may be the type's
                most, least = (end, own) if step.number > 0 else (own, end)
                left = f"({U64.c}){most} - ({U64.c}){least}"
                by = f"{own} = {left} > {literal(abs(step.number), U64)} ? {own} + {literal(step.number, type_)} : {end}"
        self.emit(f"for ({counted.c} {own} = {self.text(node, first, counted)}; {test}; {by}) {{")
        self.depth += 1
        kept = self.known(name)
        convert = "" if kept is type_ or not isinstance(kept, Scalar) else f"({self.settled(kept).c})"
        if kept is I64:
            self.note_assignment(f"{name}_", ranges.small_value(own, *bounds[:2]) if bounds else strong(type_, own))
        self.emit(f"{name}_ = {convert}{own};")
        self.depth -= 1
        self.loop(node)
        self.forget(changed)

    def do_Break(self, node):
        self.emit("break;")

    def do_Continue(self, node):
        self.emit("continue;")

    def do_Return(self, node):
        if node.value is None or isinstance(node.value, ast.Constant) and node.value.value is None:
            if not self.kernel.is_kernel and "return" in self.next:
                raise self.error(node, "a return before gives a value, and this one none")
            return self.emit("return;")
        if self.kernel.is_kernel:
            raise self.error(node, "a kernel returns nothing: write to an array")
        value = self.value(node.value)
        if isinstance(value, ArrayValue) or value.type is None:
            raise self.error(node, f"a function returns numbers, and this is {self.shown(value)}")
        wanted = self.kernel.return_type(self)
        if isinstance(wanted, RecordType) and wanted != value.type:
            raise self.error(node, f"{self.kernel.name} returns {wanted}, and this is {self.shown(value)}")
        if isinstance(wanted, Scalar) and isinstance(value.type, Complex):
            raise self.error(node, f"{self.kernel.name} returns {wanted}, and this is {self.shown(value)}: return its parts")
        if isinstance(wanted, NUMBER) and isinstance(value.type, NUMBER):
            if value.type.kind == "f" and wanted.kind not in "fc":
                raise self.error(node, f"{self.kernel.name} returns {wanted}, and this is {self.shown(value)}: write int(…)")
            value = strong(wanted, self.text(node, value, wanted), value.pure)
        self.merge(node, "return", value.type)
        type_ = self.known("return")
        if isinstance(type_, TupleType) and isinstance(value.type, TupleType):
            self.return_tuple(node, value, type_)
        elif self.fits(type_, value):
            self.emit(f"return {self.text(node, value, type_)};")

    def return_tuple(self, node, value, type_):
        values, types = leaves(value), leaves_of_type(type_)
        if len(values) != len(types):
            return  # a conflict, which is reported
        if not all(isinstance(each.type, (*NUMBER, RecordType)) for each in values):
            raise self.error(node, "a function returns a tuple of numbers, and no arrays")
        self.count += 1
        self.emit(f"struct {self.name}result r{self.count}_t;")
        for i, (each, item) in enumerate(zip(values, types)):
            self.emit(f"r{self.count}_t.v{i} = {self.text(node, each, item)};")
        self.emit(f"return r{self.count}_t;")

    def check_end(self):
        """A function that gives a value gives one on every path."""
        if "return" in self.next and not ends(self.tree.body):
            raise self.error(self.tree.body[-1], f"{self.kernel.name} ends here without a value, and returns one elsewhere: add "
                             "a return")


def quoted(text):
    """A string as a part of a format of printf."""
    return "".join({"%": "%%", '"': '\\"', "\\": "\\\\", "\n": "\\n"}.get(each, each) if 32 <= ord(each) < 127 or each == "\n" else
                   "".join(f"\\{byte:03o}" for byte in each.encode()) for each in text)


def names_assigned(tree):
    """The names that are assigned in a part of a function."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def changed_in(node):
    """The same of a statement, which keeps them: it is translated several times."""
    if not hasattr(node, "changed"):
        node.changed = names_assigned(node)
    return node.changed


def ends(statements):
    """Whether no path leads to the end of these statements."""
    last = statements[-1]
    if isinstance(last, ast.Return):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and ends(last.body) and ends(last.orelse)
    return (isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and bool(last.test.value)
            and not any(isinstance(each, ast.Break) for each in ast.walk(last)))
