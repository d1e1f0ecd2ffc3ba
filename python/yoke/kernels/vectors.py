# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Vectors as Python has them, and elements of arrays of vectors and structs, for `simulate`: they cannot be changed, but in their
array, as x[i].mass = 1.
"""

import operator


class Vector:
    """float4 and the others: values of the two languages, with operators for each part. lane: the name of the parts' dtype."""

    __slots__ = ("values", "place")  # place: the array and the index of an element
    _parts, _lane = "", ""

    def __init__(self, *values):
        import numpy

        kind = getattr(numpy, self._lane)
        if len(values) != len(self._parts):
            raise TypeError(f"yoke.{type(self).__name__} takes {len(self._parts)} numbers, not {len(values)}")
        # An integer of another dtype wraps, as in an assignment.
        object.__setattr__(self, "values", tuple(
            kind(each) if isinstance(each, (int, float)) and not isinstance(each, numpy.generic) else
            numpy.asarray(each).astype(kind)[()] for each in values))
        object.__setattr__(self, "place", None)

    def __setattr__(self, name, value):
        if self.place is None:
            raise AttributeError(f"a vector cannot be changed: make a new one, as yoke.{type(self).__name__}(…)")
        elements, index = self.place
        elements.set(index, name, value)

    def __getattr__(self, name):
        if len(name) == 1 and name in self._parts:
            return self.values[self._parts.index(name)]
        raise AttributeError(f"yoke.{type(self).__name__} has {', '.join(self._parts)}, and not {name}")

    def __repr__(self):
        return f"yoke.{type(self).__name__}({', '.join(str(each) for each in self.values)})"

    def __eq__(self, other):
        return type(other) is type(self) and self.values == other.values

    def __hash__(self):
        return hash(self.values)

    def combined(self, other, function, swapped=False):
        if isinstance(other, Vector):
            if type(other) is not type(self):
                return NotImplemented
            others = other.values
        else:
            others = type(self)(*[other] * len(self._parts)).values
        return type(self)(*(function(b, a) if swapped else function(a, b) for a, b in zip(self.values, others)))

    def __neg__(self):
        return type(self)(*(-each for each in self.values))


def add_operators(cls, names):
    for name in names.split():
        function = getattr(operator, name)

        def plain(self, other, function=function):
            return self.combined(other, function)

        def swapped(self, other, function=function):
            return self.combined(other, function, True)
        word = name.strip("_")
        setattr(cls, f"__{word}__", plain)
        setattr(cls, f"__r{word}__", swapped)


def vector(name, fields, lane):
    made = type(name, (Vector,), {"__slots__": (), "_parts": fields, "_lane": lane, "__module__": "yoke",
                                  "__doc__": f"{len(fields)} numbers of {lane}: {', '.join(fields)}. A value of kernels."})
    add_operators(made, "add sub mul truediv" if lane == "float32" else "add sub mul and_ or_ xor")
    return made


float2, float4 = vector("float2", "xy", "float32"), vector("float4", "xyzw", "float32")
int2, int4 = vector("int2", "xy", "int32"), vector("int4", "xyzw", "int32")
uint2, uint4 = vector("uint2", "xy", "uint32"), vector("uint4", "xyzw", "uint32")


class Elements:
    """A NumPy array whose elements are vectors or structs: structured, or with the parts along the last axis."""

    def __init__(self, array, record):
        self.array, self.record = array, record
        self.structured = array.dtype.names is not None
        self.shape = array.shape if self.structured else array.shape[:-1]
        self.ndim, self.dtype, self.itemsize = len(self.shape), record, record.size
        self.strides = array.strides[:self.ndim]
        self.size = 1
        for each in self.shape:
            self.size *= each

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        found = self.array[index]
        values = [found[name] for name in self.record.fields] if self.structured else [*found]
        if self.record.vector:
            element = self.record.of(*values)
            object.__setattr__(element, "place", (self, index))
            return element
        return AnElement(self, index, dict(zip(self.record.fields, values)))

    def __setitem__(self, index, value):
        for name in self.record.fields:
            self.set(index, name, getattr(value, name))

    def set(self, index, name, value):
        import numpy

        names = list(self.record.fields)
        target = self.array[name] if self.structured else self.array[..., names.index(name)]
        target[index] = numpy.asarray(value).astype(target.dtype)


class AnElement:
    """x[i] of structs: a copy of its fields; an assignment to one goes to the array."""

    def __init__(self, elements, index, values):
        self.__dict__.update(values, _place=(elements, index))

    def __setattr__(self, name, value):
        elements, index = self._place
        elements.set(index, name, value)

    def __getitem__(self, name):
        return getattr(self, name)

    def __setitem__(self, name, value):
        setattr(self, name, value)
