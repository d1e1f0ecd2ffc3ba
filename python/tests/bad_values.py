# SPDX-License-Identifier: Apache-2.0
"""Every public function and method with values that it cannot use: `python bad_values.py NAME` tries one of them, GROUPS names all.
Nothing may crash or hang; a call that fails raises an Exception. test_bad_input.py runs each group in a process of its own."""

import contextlib
import faulthandler
import functools
import inspect
import itertools
import os
import sys

import numpy

import yoke

TEXT = """#include <yoke/kernel.h>
YOKE_KERNEL void twice(YOKE_GLOBAL float *x, float a, int n) { int i = yoke_global_x(); if (i < n) x[i] *= a; }"""
MOST = 1 << 24  # a number of elements that is large and can be had


def make(device):
    """An object of each kind, by its name, all of them open; most drivers take long to open a device, so callers share theirs."""
    stream = device.stream(timed=True)
    program = device.build(TEXT)
    kernel = program["twice"]
    with stream.record() as graph:
        pass
    more = {}
    if device.supports("images"):
        more["Image"] = device.image((4, 4))
        more["Surface"] = more["Image"].surface
    return {
        **more, "Section": stream.native(), "Trace": yoke.Trace(),
        "Device": device, "Stream": stream, "Program": program, "Kernel": kernel, "Launch": kernel[16], "Graph": graph,
        "Event": stream.event(), "Buffer": device.buffer(64), "Array": yoke.asarray(numpy.ones((4, 4), "float32"), stream=stream),
    }


@functools.cache
def closed():
    """Objects that are closed, and stay so."""
    objects = make(yoke.Device())
    made = [objects[name] for name in ("Event", "Buffer", "Stream", "Device")]
    for each in made:
        each.close()
    return {name: objects[name] for name in ("Device", "Stream", "Event", "Buffer")}


# What is passed of the package's own; each more makes more pairs, and the kernels of those that fit are compiled.
PASSED = ("Device", "Stream", "Program", "Kernel", "Launch", "Graph", "Event", "Buffer", "Array")


def values(objects):
    """What is passed: of every kind of Python's, of NumPy's and of the package's."""
    return [None, object(), -1, 0, 1, MOST, 2**62, 2**63, 2**64, -2**70, 10**5000, (-10**5000, 2), 2.5, float("nan"), float("inf"),
            "", "text", "a\0b", "\udc80",
            b"", b"bytes", bytearray(3), (), (1,), (-1, 2), (2**62, 2**62), [], {}, {"a": 1},
            slice(None), slice(9, 1, -1), ..., int, len,
            numpy.float32(1), numpy.ones(3), numpy.ones((2, 3), "complex64"), numpy.array("x"), numpy.zeros((), "V3"),
            numpy.dtype("float32"), numpy.dtype([("x", "f4")]), *[objects[name] for name in PASSED], *closed().values()]


# What would wait for input, end the program or open another device each time is left out; the sizes above make MOST the largest.
LEFT_OUT = {"main"}
# Any number may be an address of the driver's, which cannot tell; no file is to be written for each text; and what compiles all
# operations takes long.
APART = {("Device", "wrap"), ("Stream", "wait_for_native"), ("Event", "lead_native"), ("Trace", "save"), ("Device", "prepare")}


def attempt(function, *args, **kwargs):
    """Call it; whether it raised does not matter, what it raised does."""
    try:
        result = function(*args, **kwargs)
        if inspect.isawaitable(result) and hasattr(result, "close") and inspect.iscoroutine(result):
            result.close()
        with contextlib.suppress(Exception):
            repr(result)
    except Exception as error:
        assert str(error) is not None and repr(error)
        if getattr(function, "__name__", "") != "__array__":  # where NumPy makes the message
            assert "integer string conversion" not in str(error), error  # Python formats no int of that many digits


def members(objects):
    for name, each in objects.items():
        for member in dir(type(each)):
            if (name, member) in APART:
                continue
            if member in ("__init__", "__new__", "__init_subclass__", "__class__", "__subclasshook__", "__setattr__", "__delattr__",
                          "__getattribute__", "__del__", "__slots__", "__reduce_ex__", "__getstate__", "__sizeof__",
                          "__dir__", "close"):
                continue
            yield name, member


def part(some, name, step):
    """Every so many of the values, which of them by the name: what fits compiles a kernel, and all functions together try all."""
    return some[sum(name.encode()) % step::step]


def try_all(function, name, some, most=5):
    """With none, one and up to `most` of the values."""
    attempt(function)
    for value in some:
        attempt(function, value)
    if most == 1:
        return
    few = part(some, name, 5)
    for pair in itertools.product(few, few):
        attempt(function, *pair)
    for value in few:
        for count in (3, 4, 5):
            attempt(function, *([value] * count))


def functions():
    """Module functions and classes, without those of exceptions. Of functions that have one code and differ in an expression's
    text, as sin and cos, one is tried: each value that is a number or an array is a kernel, which is compiled."""
    some, codes = values(make(yoke.Device())), set()
    for name in sorted(yoke.__all__):
        function = getattr(yoke, name)
        if callable(function) and name not in LEFT_OUT and not (isinstance(function, type) and issubclass(function, BaseException)):
            code = getattr(function, "__code__", name)
            if code in codes:
                continue
            codes.add(code)
            print(name, flush=True)
            try_all(function, name, some)


def methods(kind):
    device = yoke.Device()
    for name, member in members({kind: make(device)[kind]}):
        print(name, member, flush=True)
        # A method may leave its object unusable: the next has a new one.
        objects = make(yoke.Device() if kind == "Device" else device)
        attempt(getattr, objects[kind], member)
        with contextlib.suppress(Exception):
            method = getattr(objects[kind], member)
            if callable(method):
                some = values(objects)
                if kind == "Array":  # each kind of operation is compiled
                    try_all(method, member, part(some, member, 2), 1)
                else:
                    try_all(method, member, some)


def shut():
    """Use after close."""
    device = yoke.Device()
    for name, member in members(closed()):
        print("closed", name, member, flush=True)
        each = closed()[name]
        with contextlib.suppress(Exception):
            method = getattr(each, member)
            if callable(method):
                objects = make(device)
                try_all(method, member, [None, 1, objects["Buffer"], objects["Stream"], b"ab", numpy.ones(3)])


def bare():
    """Objects that nobody has initialised, but arrays, and calls without their objects."""
    device = yoke.Device()
    for name, each in make(device).items():
        kind = type(each)
        if kind in (yoke.Array, yoke.Trace):
            continue
        stream, given = make(device)["Stream"], [device] if kind is yoke.Stream else []  # without one it opens one
        for value in (None, *make(device).values()):
            attempt(kind.__new__, kind, value)
        attempt(kind.__new__, kind)
        if kind is yoke.Device:  # which __new__ opens: methods() has it
            continue
        for member in dir(kind):
            with contextlib.suppress(Exception):
                raw = kind.__new__(kind, *given)
                method = getattr(raw, member)
                print("bare", name, member, flush=True)
                if callable(method) and member not in ("__class__", "__init_subclass__", "__subclasshook__"):
                    try_all(method, member, [None, 1, b"ab", stream])
                repr(raw)


KINDS = ("Image", "Surface", "Section", "Trace", *PASSED)
GROUPS = {"functions": functions, "shut": shut, "bare": bare, **{kind: lambda kind=kind: methods(kind) for kind in KINDS}}

if __name__ == "__main__":
    faulthandler.enable()
    GROUPS[sys.argv[1]]()
    print("end", flush=True)
    if sys.argv[2:] != ["exit"]:
        os._exit(0)
