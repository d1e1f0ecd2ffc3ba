# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Structs and vectors in kernels: what dataclasses, structured dtypes and yoke.float4 become in the text. Their values are read,
made anew, and kept in arrays; only an element of an array changes a field."""

import ast
import dataclasses
import zlib

from . import vectors
from .halves import half_named
from .types import BOOL, COMPLEXES, Complex, SCALARS, Scalar, Value, name_of, scalar_named, strong

SIGNS = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "BitAnd": "&", "BitOr": "|", "BitXor": "^"}
KEYWORDS = set("""auto break case char class const continue default delete do double else enum explicit extern float for friend goto
half if inline int kernel long namespace new operator private protected public register restrict return short signed sizeof static
struct switch template this throw try typedef typename uchar uint ulong union unsigned ushort using virtual void volatile while bool
true false local global constant""".split())


class RecordType:
    """A struct or a vector. fields: {name: Scalar}; of: the class or dtype; vector: it has operators. c: its name in the text."""

    weak, kind = False, "r"

    def __init__(self, name, fields, of, vector=False):
        self.name, self.fields, self.of, self.vector = name, fields, of, vector
        self.c = name + "_" * (name in KEYWORDS or name.startswith(("yk_", "yoke_")))
        self.offsets, self.size = layout(fields.values(), len(fields) if vector else 1)
        self.key = (name, tuple(fields.items()), vector)

    def __eq__(self, other):
        return isinstance(other, RecordType) and self.key == other.key

    def __hash__(self):
        return hash(self.key)

    def __repr__(self):
        return self.name

    @property
    def lane(self):
        return next(iter(self.fields.values()))

    def dtype(self):
        """NumPy's."""
        import numpy

        return numpy.dtype({"names": list(self.fields), "formats": [each.name for each in self.fields.values()],
                            "offsets": self.offsets, "itemsize": self.size})

    def packed(self, value):
        """A value as the kernel gets it: a NumPy scalar of the struct's layout."""
        import numpy

        if isinstance(value, numpy.void):
            return value
        return numpy.array(tuple(getattr(value, name) for name in self.fields), self.dtype())[()]

    def is_of(self, value):
        """Whether a Python object is a value of this type."""
        dtype = getattr(value, "dtype", None)
        if getattr(dtype, "names", None):
            return getattr(value, "shape", None) == () and same_fields(dtype, self)
        return isinstance(self.of, type) and isinstance(value, self.of)

    def declaration(self):
        """Its text, for kernels and for C programs, and the function that makes one."""
        if self.vector:
            return ""
        fields = "".join(f"    {'unsigned char' if each is BOOL else each.c} {field(name)};\n"
                         for name, each in self.fields.items())
        parameters = ", ".join(f"{each.c} {field(name)}" for name, each in self.fields.items())
        sets = "".join(f"    made.{field(name)} = {field(name)}{' != 0' * (each is BOOL)};\n" for name, each in self.fields.items())
        return (f"typedef struct {self.c} {{\n{fields}}} {self.c};\n"
                f"YOKE_FUNCTION {self.c} yk_make_{self.c}({parameters})\n{{\n    {self.c} made;\n\n{sets}    return made;\n}}\n")


def field(name):
    """A field's name in the text."""
    return name + "_" if name in KEYWORDS else name


def layout(scalars, alignment):
    """(offsets, size) that C gives to these fields. alignment: in fields, of a vector."""
    offsets, end, widest = [], 0, 1
    for each in scalars:
        end = -(-end // each.size) * each.size
        offsets.append(end)
        end, widest = end + each.size, max(widest, each.size * alignment)
    return offsets, -(-end // widest) * widest


def same_fields(dtype, record):
    return ([dtype.fields[name][:2] for name in dtype.names] == [
        (record.dtype().fields[name][0], offset) for name, offset in zip(record.fields, record.offsets)]
        and list(dtype.names) == list(record.fields) and dtype.itemsize == record.size)


def scalar_of_field(owner, name, dtype):
    if isinstance(dtype, str):  # of a module that keeps its annotations as they are written
        dtype = {"float": float, "int": int}.get(dtype, dtype.rpartition(".")[2])
    found = scalar_named(dtype)
    if found is None:
        raise TypeError(f"{owner}.{name} is {dtype!r}, and a field is a number of {', '.join(SCALARS)}")
    return found


def record_of(thing):
    """The RecordType of a dataclass, a structured dtype, or one of Yoke's vectors; None: it is none of these. TypeError: it
    cannot be one in a kernel."""
    if isinstance(thing, type) and issubclass(thing, vectors.Vector) and thing._parts:
        return RecordType(thing.__name__, {name: SCALARS[thing._lane] for name in thing._parts}, thing, vector=True)
    if isinstance(thing, type) and dataclasses.is_dataclass(thing):
        fields = {each.name: scalar_of_field(thing.__name__, each.name, each.type) for each in dataclasses.fields(thing)}
        if not fields:
            raise TypeError(f"{thing.__name__} has no fields")
        return RecordType(thing.__name__, fields, thing)
    names = getattr(thing, "names", None)
    if not names or not hasattr(thing, "fields"):
        return None
    formats = [(name, thing.fields[name][0]) for name in names]
    fields = {name: scalar_of_field("dtype", name, dtype.name if not dtype.subdtype else dtype) for name, dtype in formats}
    if not all(name.isidentifier() and name.isascii() for name in names):
        raise TypeError(f"the names of a dtype's fields are names of C in a kernel: {', '.join(names)}")
    record = RecordType(f"record_{zlib.crc32(repr(formats).encode()):08x}", fields, thing)
    if not same_fields(thing, record):
        raise TypeError("the fields of this dtype are not where C has them: make it with numpy.dtype(…, align=True)")
    return record


def named(dtype, element=True):
    """The type of a dtype, a dataclass or a vector; None: it is none. TypeError: kernels cannot have it. element: of an array."""
    return record_of(dtype) or COMPLEXES.get(name_of(dtype)) or element and half_named(dtype) or scalar_named(dtype)


# ---- In expressions ----

def made(scope, node, record):
    """Particle(x, y, mass=1): a new value."""
    names = list(record.fields)
    given = dict(zip(names, node.args))
    if len(node.args) > len(names):
        raise scope.error(node, f"{record} takes {len(names)} values, not {len(node.args)}")
    for each in node.keywords:
        if each.arg not in names or record.vector:
            raise scope.error(node, f"{record} has no field {each.arg}{scope.near(each.arg or '', names)}"
                              if not record.vector else f"{record} takes its numbers in their order, without names")
        if each.arg in given:
            raise scope.error(node, f"{record} gets {each.arg} twice")
        given[each.arg] = each.value
    texts, pure = [], True
    defaults = {} if record.vector else {each.name: each.default for each in dataclasses.fields(record.of)}
    for name, type_ in record.fields.items():
        if name not in given and isinstance(defaults.get(name), (bool, int, float)):
            given[name] = ast.copy_location(ast.Constant(defaults[name]), node)
        if name not in given:
            raise scope.error(node, f"{record} takes {len(names)} values, and {name} is missing")
        value = scope.number(given[name], f"as {name} of {record}")
        texts.append(fitting(scope, given[name], value, type_, f"{name} of {record}"))
        pure = pure and value.pure
    return strong(record, f"{'yoke_' if record.vector else 'yk_make_'}{record.c}({', '.join(texts)})", pure)


def fitting(scope, node, value, type_, what):
    """The text of a number in a field's type; where NumPy would round, the program has to say so."""
    if (type_ is BOOL) != (value.type is BOOL) and type_ is BOOL:
        raise scope.error(node, f"{what} is bool, and this is {scope.shown(value)}: compare it, as in x != 0")
    if value.type.kind == "f" and type_.kind != "f":
        raise scope.error(node, f"{what} is {type_}, and this is {scope.shown(value)}: write int(…)")
    return scope.text(node, value, type_)


def field_of(scope, node, value, name):
    """value.name"""
    record = value.type
    if name not in record.fields:
        raise scope.error(node, f"{record} has no {name}{scope.near(name, list(record.fields))}; it has {', '.join(record.fields)}")
    type_, code = record.fields[name], f"{value.code}.{field(name)}"
    return strong(type_, f"({code} != 0)" if type_ is BOOL else code, value.pure)


def operated(scope, node, name, left, right):
    """An operator of vectors, part by part; a number stands for a vector of it."""
    record = left.type if isinstance(left.type, RecordType) else right.type
    for each in (left, right):
        other = each.type
        if isinstance(other, RecordType) and (other != record or not other.vector):
            raise scope.error(node, f"{left.type} and {right.type} have no operator together" if other.vector else
                              f"{other} is a struct, which has no operators: use its fields")
        if not isinstance(other, (RecordType, Scalar)):
            raise scope.error(node, f"a vector or a number is wanted here, and this is {scope.shown(each)}")
    if name not in SIGNS or (name == "Div") > (record.lane.kind == "f") or name.startswith("Bit") > (record.lane.kind != "f"):
        allowed = "+ - * /" if record.lane.kind == "f" else "+ - * & | ^"
        raise scope.error(node, f"{record} has the operators {allowed} alone: compute with its fields")
    texts = []
    for each in (left, right):
        texts.append(each.code if isinstance(each.type, RecordType) else
                     splat(scope, record, fitting(scope, node, each, record.lane, f"a part of {record}")))
    word = f"yk_{name.lower()}_{record.c}"
    parts = ", ".join(f"a.{each} {SIGNS[name]} b.{each}" for each in record.fields)
    scope.program.helpers[name, record.name] = (f"YOKE_FUNCTION {record.c} {word}({record.c} a, {record.c} b)\n{{\n"
                                                f"    return yoke_{record.c}({parts});\n}}\n")
    return strong(record, f"{word}({', '.join(texts)})", left.pure and right.pure)


def splat(scope, record, text):
    scope.program.helpers["splat", record.name] = (f"YOKE_FUNCTION {record.c} yk_splat_{record.c}({record.lane.c} a)\n{{\n"
                                                   f"    return yoke_{record.c}({', '.join('a' * len(record.fields))});\n}}\n")
    return f"yk_splat_{record.c}({text})"


def negated(scope, node, value):
    record = value.type
    if not record.vector or record.lane.kind == "u":
        raise scope.error(node, f"{record} has no sign: compute with its fields")
    scope.program.helpers["neg", record.name] = (
        f"YOKE_FUNCTION {record.c} yk_neg_{record.c}({record.c} a)\n{{\n"
        f"    return yoke_{record.c}({', '.join(f'-a.{each}' for each in record.fields)});\n}}\n")
    return strong(record, f"yk_neg_{record.c}({value.code})", value.pure)


def is_name(node):
    """Whether an index is a field's name: x[i]["mass"] is x[i].mass, as in NumPy."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def with_attribute(target):
    """x[i]["mass"], which is assigned, as x[i].mass."""
    if not isinstance(target, ast.Subscript) or not is_name(target.slice):
        return target
    return ast.copy_location(ast.Attribute(target.value, target.slice.value, ast.Store()), target)


class Field:
    """x[i].mass: read and written."""

    def __init__(self, scope, node, element, name):
        value = Value(element.type, lambda target: element.code, pure=element.pure)
        self.read_value = field_of(scope, node, value, name)
        self.type, self.pure = element.type.fields[name], element.pure
        self.element, self.name, self.what = element, field(name), f"{name} of {element.type}"

    def read(self, scope):
        return self.read_value

    def write(self, scope, node, value):
        if not isinstance(value.type, Scalar):
            raise scope.error(node, f"{self.what} is {self.type}, and this is {scope.shown(value)}")
        return f"{self.element.changed()}.{self.name} = {fitting(scope, node, value, self.type, self.what)};"
