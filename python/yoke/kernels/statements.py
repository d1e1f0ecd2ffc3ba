# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Statements of kernels, as text. Each begins with #line, so that a compiler's messages name the line of the Python file."""

import ast

from . import device
from .arrays import ArrayValue
from .calls import allocated
from .expressions import MISSING
from .types import I64, Scalar, TupleType, common, constant, strong

REFUSED = {
    "Try": "try is not part of kernels: test before, or write a code to an array",
    "TryStar": "try is not part of kernels: test before, or write a code to an array",
    "Raise": "raise is not part of kernels: write a code to an array",
    "Assert": "assert is not part of kernels: write a code to an array, or run the kernel with simulate",
    "With": "with is not part of kernels", "AsyncWith": "with is not part of kernels",
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
            raise self.error(node, "this statement computes a value and drops it: assign it")
        if self.static(node.value.func) is device.barrier:
            if node.value.args or node.value.keywords:
                raise self.error(node, "yoke.barrier takes no arguments")
            if not self.kernel.is_kernel:
                raise self.error(node, "yoke.barrier() stands in a kernel, where all threads of the block come")
            self.emit("yoke_barrier_global();")
            return
        value = self.value(node.value)
        if value.pure and value.type is not None:
            raise self.error(node, f"the value of {ast.unparse(node.value.func)} is dropped: assign it")
        if not isinstance(value.type, TupleType):
            self.emit(f"{value.emit(value.type)};")

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
        type_ = self.dtype(node.annotation, ast.unparse(node.annotation).strip("'") if found is MISSING else found)
        value = self.number(node.value, "here")
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
        self.arrays[name] = ArrayValue(type_, f"{name}_")
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
        if isinstance(target, ast.Subscript):
            owner = self.value(target.value)
            if isinstance(owner.type, TupleType):
                raise self.error(target, "a tuple cannot be changed: make a new one, or take an array of yoke.local(shape, dtype)")
            return self.emit(self.element(target, owner).write(self, node, value))
        raise self.error(target, "a kernel assigns names and elements of arrays" + (
            ": " + ast.unparse(target) + " is neither" if isinstance(target, ast.Attribute) else ""))

    def assign_name(self, node, name, value):
        if value.type is None:
            raise self.error(node, f"{name} would be {self.shown(value)}, which is not a value in a kernel")
        if isinstance(value, ArrayValue):
            if name in self.seen or self.depth > 1:
                raise self.error(node, f"{name} cannot become another array: take a name for each array, at the outermost level")
            self.arrays[name] = value
            self.seen.add(name)
            return
        if name in self.arrays:
            raise self.error(node, f"{name} is an array, and would be {self.shown(value)} here: take another name")
        self.merge(node, name, value.type)
        self.seen.add(name)
        self.store(node, f"{name}_", self.known(name), value)

    def store(self, node, code, type_, value):
        if isinstance(type_, TupleType) and isinstance(value.type, TupleType) and len(type_.items) == len(value.items):
            held = self.held(node, list(value), type_.items)
            for i, each in enumerate(type_.items):
                self.store(node, f"{code}t{i}", each, held[i])
        elif isinstance(type_, Scalar) and isinstance(value.type, Scalar):
            self.emit(f"{code} = {self.text(node, value, type_)};")

    def held(self, node, values, types):
        """The values of a tuple in names of their own, since the assignments may change what others are made of."""
        result = []
        for value, type_ in zip(values, types):
            if isinstance(value.type, TupleType):
                result.append(value)
                continue
            if value.number is not None or len(values) == 1:
                result.append(value)
                continue
            self.count += 1
            type_ = self.settled(type_ if isinstance(type_, Scalar) else value.type)
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
            if isinstance(each, ast.Name) and isinstance(item.type, Scalar):
                self.merge(node, each.id, item.type)
        types = [self.known(each.id) if isinstance(each, ast.Name) else item.type for each, item in zip(target.elts, value.items)]
        values = [item if isinstance(item, ArrayValue) else held for item, held in zip(
            value.items, self.held(node, [constant(0) if isinstance(item, ArrayValue) else item for item in value.items], types))]
        for each, item in zip(target.elts, values):
            if isinstance(each, ast.Name) and isinstance(item.type, Scalar):
                self.seen.add(each.id)
                self.store(node, f"{each.id}_", self.known(each.id), item)
            else:
                self.assign(node, each, item)

    def do_AugAssign(self, node):
        right = self.number(node.value, "right of the operator")
        if isinstance(node.target, ast.Name):
            left = self.variable(node.target) if node.target.id in self.locals else self.value(node.target)
            if not isinstance(left.type, Scalar):
                raise self.error(node, f"a number is wanted left of the operator, and this is {self.shown(left)}")
            return self.assign_name(node, node.target.id, self.binary(node, node.op, left, right))
        if not isinstance(node.target, ast.Subscript):
            raise self.error(node.target, "a kernel assigns names and elements of arrays")
        owner = self.value(node.target.value)
        if isinstance(owner.type, TupleType):
            raise self.error(node.target, "a tuple cannot be changed: make a new one")
        element = self.element(node.target, owner)
        if not element.pure:
            raise self.error(node.target, "a call in this index would run twice: assign it first")
        self.emit(element.write(self, node, self.binary(node, node.op, element.read(), right)))

    # ---- Control ----

    def do_If(self, node):
        self.emit(f"if ({self.condition(node.test)}) {{")
        self.inner(node.body)
        if node.orelse:
            self.emit("} else {")
            self.inner(node.orelse)
        self.emit("}")

    def do_While(self, node):
        if node.orelse:
            raise self.error(node, "else of a loop is not part of kernels: set a flag before break")
        before = len(self.lines)
        test = self.condition(node.test)
        self.refuse_lines(node.test, before)
        self.emit(f"while ({test}) {{")
        self.loop(node)

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
            hint = ": write for i in range(len(x))" if isinstance(call, ast.Name) else ""
            raise self.error(call, "a kernel loops over range(…)" + hint)
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

    def emit_range(self, node, first, stop, step):
        """A loop with a variable of its own, since the body may assign the program's."""
        type_ = common(common(first.type, stop.type) or I64, step.type) or I64
        if type_.weak or type_.kind == "u" and (step.number is None or step.number < 0):
            type_ = I64
        name, own = node.target.id, f"i{self.count + 1}_t"
        end = f"e{self.count + 1}_t"
        by = f"s{self.count + 1}_t"
        self.count += 1
        if name in self.arrays:
            raise self.error(node.target, f"{name} is an array: take another name")
        self.merge(node, name, type_)
        self.seen.add(name)
        self.emit(f"const {type_.c} {end} = {self.text(node, stop, type_)};")
        if step.number is None:
            self.emit(f"const {type_.c} {by} = {self.text(node, step, type_)};")
            test, by = f"{by} > 0 ? {own} < {end} : {own} > {end}", f"{own} += {by}"
        else:
            test = f"{own} {'<' if step.number > 0 else '>'} {end}"
            by = {1: f"{own}++", -1: f"{own}--"}.get(step.number, f"{own} += {step.number}")
        self.emit(f"for ({type_.c} {own} = {self.text(node, first, type_)}; {test}; {by}) {{")
        self.depth += 1
        kept = self.known(name)
        convert = "" if kept is type_ or not isinstance(kept, Scalar) else f"({self.settled(kept).c})"
        self.emit(f"{name}_ = {convert}{own};")
        self.depth -= 1
        self.loop(node)

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
        if wanted is not None and isinstance(value.type, Scalar):
            if value.type.kind == "f" and wanted.kind != "f":
                raise self.error(node, f"{self.kernel.name} returns {wanted}, and this is {self.shown(value)}: write int(…)")
            value = strong(wanted, self.text(node, value, wanted), value.pure)
        self.merge(node, "return", value.type)
        type_ = self.known("return")
        if isinstance(type_, TupleType) and isinstance(value.type, TupleType):
            self.return_tuple(node, value, type_)
        elif isinstance(type_, Scalar):
            self.emit(f"return {self.text(node, value, type_)};")

    def return_tuple(self, node, value, type_):
        if not all(isinstance(each, Scalar) for each in type_.items):
            raise self.error(node, "a function returns a tuple of numbers, and not of tuples")
        self.count += 1
        self.emit(f"struct {self.name}result r{self.count}_t;")
        for i, (each, item) in enumerate(zip(value.items, type_.items)):
            self.emit(f"r{self.count}_t.v{i} = {self.text(node, each, item)};")
        self.emit(f"return r{self.count}_t;")

    def check_end(self):
        """A function that gives a value gives one on every path."""
        if "return" in self.next and not ends(self.tree.body):
            raise self.error(self.tree.body[-1], f"{self.kernel.name} ends here without a value, and returns one elsewhere: add "
                             "a return")


def ends(statements):
    """Whether no path leads to the end of these statements."""
    last = statements[-1]
    if isinstance(last, ast.Return):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and ends(last.body) and ends(last.orelse)
    return (isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and bool(last.test.value)
            and not any(isinstance(each, ast.Break) for each in ast.walk(last)))
