# SPDX-License-Identifier: Apache-2.0
"""Random kernels: programs in the subset of Python that kernels may contain, each from a seed. test_kernels_random.py runs some; by
hand, `python random_kernels.py [bodies [seed]]` runs many on the device of YOKE_BACKEND and compares them with simulate.

A body is a function of numbers that gives an integer, a float of exact operations, and one of any; a program is a kernel of many
bodies, which is compiled once. Each expression knows the bounds of its value, so that nothing overflows where C's result would be
its own; a float knows besides the unit that it is a multiple of, so that sums and products are exact.
"""

import linecache
import random
import sys

import numpy

import yoke

TYPES = ("int32", "int64", "uint32", "uint8", "int16")
SMALL = 60  # variables are kept within this, below 0 too where they have a sign
LIMIT = {"int32": 2**31 - 1, "int64": 2**53, "uint32": 2**32 - 1, "uint8": 255, "int16": 2**15 - 1}
ROWS = 24  # threads, each with numbers of its own
HEAD = """import math
import numpy
import yoke
"""


class Number:
    """An expression: text, its dtype, and the bounds of its value; a float is a multiple of unit."""

    def __init__(self, text, dtype, low, high, unit=1.0):
        self.text, self.dtype, self.low, self.high, self.unit = text, dtype, low, high, unit

    @property
    def size(self):
        return max(abs(self.low), abs(self.high))


class Body:
    """One random function."""

    def __init__(self, chance, name, others):
        self.chance, self.name, self.others = chance, name, others
        self.lines, self.depth, self.names = [], 1, 0
        self.variables = {}  # name: Number
        self.fixed = set()  # variables of the loops around
        for dtype in TYPES:
            self.variables[f"{dtype[0]}{dtype[-2:]}"] = self.kept(f"{dtype[0]}{dtype[-2:]}", dtype)
        for name in ("p", "q"):
            self.variables[name] = self.kept(name, "float32")

    def kept(self, text, dtype):
        low = 0 if dtype.startswith("u") else -SMALL
        return Number(text, dtype, low, SMALL, 0.25 if dtype == "float32" else 1)

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    # ---- Integers ----

    def integer(self, depth, dtype=None):
        """An expression of this dtype, or of any."""
        chance = self.chance
        dtype = dtype or chance.choice(TYPES)
        if depth <= 0 or chance.random() < 0.15:
            known = [each for each in self.variables.values() if each.dtype == dtype]
            return chance.choice(known)
        make = chance.choice([self.sum, self.sum, self.product, self.quotient, self.remainder, self.bits, self.shift, self.chosen,
                              self.extreme, self.absolute, self.converted, self.power, self.element, self.called, self.mixed])
        return make(depth - 1, dtype)

    def literal(self, dtype):
        value = self.chance.randint(0 if dtype.startswith("u") else -9, 9)
        return Number(str(value) if value >= 0 else f"({value})", dtype, value, value)

    def operand(self, depth, dtype, weak=True):
        """An expression, or a literal; one that may be the result has a dtype, since simulate knows Python's int."""
        if self.chance.random() >= 0.3:
            return self.integer(depth, dtype)
        a = self.literal(dtype)
        return a if weak else Number(f"numpy.{dtype}({a.text})", dtype, a.low, a.high)

    def both(self, depth, dtype, weak=True):
        a, b = self.integer(depth, dtype), self.operand(depth, dtype, weak)
        return (b, a) if self.chance.random() < 0.5 else (a, b)

    def sum(self, depth, dtype):
        a, b = self.both(depth, dtype)
        if self.chance.random() < 0.5:
            made = Number(f"({a.text} + {b.text})", dtype, a.low + b.low, a.high + b.high)
        else:
            made = Number(f"({a.text} - {b.text})", dtype, a.low - b.high, a.high - b.low)
        return self.wrapped(made, a)

    def wrapped(self, made, other):
        """Unsigned integers wrap, in NumPy as in C; others keep an operand where the result may not fit."""
        if dtype_limits(made):
            return made
        return Number(made.text, made.dtype, 0, LIMIT[made.dtype]) if made.dtype.startswith("u") else other

    def product(self, depth, dtype):
        a, b = self.both(depth, dtype)
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return self.wrapped(Number(f"({a.text} * {b.text})", dtype, min(ends), max(ends)), a)

    def divisor(self, depth, dtype):
        if self.chance.random() < 0.6:
            value = self.chance.choice((1, 2, 3, 7, 10) if dtype.startswith("u") else (-7, -3, -1, 1, 2, 3, 10))
            return Number(str(value) if value > 0 else f"({value})", dtype, value, value)
        b = self.integer(depth, dtype)
        return Number(f"({b.text} % 13 + 1)", dtype, 1, 13)

    def quotient(self, depth, dtype):
        a, b = self.integer(depth, dtype), self.divisor(depth, dtype)
        return self.wrapped(Number(f"({a.text} // {b.text})", dtype, 0 if dtype.startswith("u") else -a.size, a.size), a)

    def remainder(self, depth, dtype):
        a, b = self.integer(depth, dtype), self.divisor(depth, dtype)
        return Number(f"({a.text} % {b.text})", dtype, min(0, b.low + 1), max(0, b.high - 1))

    def bits(self, depth, dtype):
        a, b = self.both(depth, dtype)
        sign = self.chance.choice("&|^")
        top = (1 << int(max(a.size, b.size)).bit_length()) - 1
        return self.wrapped(Number(f"({a.text} {sign} {b.text})", dtype, 0 if dtype.startswith("u") else -top - 1, top), a)

    def shift(self, depth, dtype):
        a, count = self.integer(depth, dtype), self.chance.randint(0, 4)
        if self.chance.random() < 0.5 or a.low < 0:
            return Number(f"({a.text} >> {count})", dtype, a.low >> count, a.high >> count)
        return self.wrapped(Number(f"({a.text} << {count})", dtype, a.low << count, a.high << count), a)

    def chosen(self, depth, dtype):
        a, b = self.both(depth, dtype, weak=False)
        return Number(f"({a.text} if {self.condition(depth)} else {b.text})", dtype, min(a.low, b.low), max(a.high, b.high))

    def extreme(self, depth, dtype):
        word, (a, b) = self.chance.choice(("min", "max")), self.both(depth, dtype, weak=False)
        choose = min if word == "min" else max
        return Number(f"{word}({a.text}, {b.text})", dtype, choose(a.low, b.low), choose(a.high, b.high))

    def absolute(self, depth, dtype):
        a = self.integer(depth, dtype)
        if dtype.startswith("u") or self.chance.random() < 0.5:
            return Number(f"abs({a.text})", dtype, 0, a.size)
        if self.chance.random() < 0.5:
            return Number(f"(-{a.text})", dtype, -a.high, -a.low)
        return Number(f"(~{a.text})", dtype, ~a.high, ~a.low)

    def converted(self, depth, dtype):
        """From another dtype, whose value fits, or from a float."""
        if self.chance.random() < 0.3:
            a = self.exact(depth)
            word = self.chance.choice(("math.floor", "math.ceil", "int", "round"))
            made = Number(f"numpy.{dtype}({word}({a.text}) % 50)", dtype, 0, 49)
            return made
        a = self.integer(depth)
        limit = LIMIT[dtype]
        if a.low < (0 if dtype.startswith("u") else -limit) or a.high > limit:
            return Number(f"numpy.{dtype}({a.text} % 50)", dtype, 0, 49)
        return Number(f"numpy.{dtype}({a.text})", dtype, a.low, a.high)

    def power(self, depth, dtype):
        a, n = self.integer(depth, dtype), self.chance.randint(0, 3)
        return self.wrapped(Number(f"({a.text} ** {n})", dtype, 0 if n == 0 or dtype.startswith("u") else -a.size ** n, max(
            a.size ** n, 1)), a)

    def element(self, depth, dtype):
        """An element of the table, of int64, or of the function's own array."""
        a = self.integer(depth, "int64")
        row = self.chance.randint(0, 3)
        text = f"table[{row}, {a.text} % 5]" if self.chance.random() < 0.5 else f"own[{a.text} % 6]"
        return Number(text if dtype == "int64" else f"numpy.{dtype}({text} % 50)", dtype,
                      0 if dtype != "int64" else -SMALL, SMALL)

    def called(self, depth, dtype):
        if not self.others:
            return self.integer(depth, dtype)
        other = self.chance.choice(self.others)
        text = f"{other}({', '.join(self.integer(depth - 1, each).text for each in ('int32', 'int64'))})"
        return Number(f"numpy.{dtype}({text} % 50)", dtype, 0, 49)

    def mixed(self, depth, dtype):
        """Two dtypes in one operation, whose common one is NumPy's."""
        a, b = self.integer(depth), self.integer(depth)
        made = Number(f"({a.text} {self.chance.choice('+-')} {b.text})", "int64", a.low - b.size, a.high + b.size)
        both = numpy.promote_types(a.dtype, b.dtype).name
        if both.startswith("u") or made.size > LIMIT.get(both, 0):
            return self.integer(depth, dtype)
        return Number(f"numpy.{dtype}({made.text} % 50)", dtype, 0, 49)

    def condition(self, depth):
        chance = self.chance
        kind = chance.random()
        if depth > 0 and kind < 0.25:
            return f"({self.condition(depth - 1)} {chance.choice(('and', 'or'))} {self.condition(depth - 1)})"
        if depth > 0 and kind < 0.35:
            return f"(not {self.condition(depth - 1)})"
        sign = chance.choice(("<", "<=", ">", ">=", "==", "!="))
        if kind < 0.5:
            return f"({self.exact(depth).text} {sign} {self.exact(depth).text})"
        dtype = chance.choice(TYPES)
        a, b = self.integer(depth, dtype), self.operand(depth, dtype)
        if kind < 0.6:
            low, high = sorted((chance.randint(0, 20), chance.randint(0, 20)))
            a = self.variables[chance.choice([name for name, each in self.variables.items() if each.dtype == dtype])]  # no call
            return f"({low} {chance.choice(('<', '<='))} {a.text} {chance.choice(('<', '<='))} {high})"
        return f"({a.text} {sign} {b.text})"

    # ---- Floats ----

    def exact(self, depth):
        """A float32 whose operations are exact."""
        chance = self.chance
        if depth <= 0 or chance.random() < 0.2:
            return self.variables[chance.choice("pq")]
        kind, a = chance.randint(0, 8), self.exact(depth - 1)
        b = Number(repr(chance.randint(-16, 16) / 4), "float32", -4, 4, 0.25) if chance.random() < 0.3 else self.exact(depth - 1)
        unit = min(a.unit, b.unit)
        if kind < 3:
            made = Number(f"({a.text} {'+' if kind < 2 else '-'} {b.text})", "float32", -a.size - b.size, a.size + b.size, unit)
        elif kind == 3:
            made = Number(f"({a.text} * {b.text})", "float32", -a.size * b.size, a.size * b.size, a.unit * b.unit)
        elif kind == 4:
            made = Number(f"({a.text} if {self.condition(0)} else {b.text})", "float32", -max(a.size, b.size), max(
                a.size, b.size), unit)
        elif kind == 5:
            made = Number(f"{chance.choice(('min', 'max'))}({a.text}, {b.text})", "float32", -max(a.size, b.size), max(
                a.size, b.size), unit)
        elif kind == 6:
            made = Number(f"abs({a.text})", "float32", 0, a.size, a.unit)
        elif kind == 7:
            divisor = chance.choice((0.5, 1.5, 3.0, -2.0))
            made = Number(f"({a.text} {chance.choice(('//', '%'))} {divisor})", "float32", -2 * a.size - 4, 2 * a.size + 4,
                          min(a.unit, 0.5))
        else:
            made = Number(f"(-{a.text})", "float32", -a.high, -a.low, a.unit)
        return made if made.size / made.unit < 2**22 else a

    def rounded(self, depth):
        """A float32 whose last bits are the device's."""
        a, b = self.exact(depth), self.exact(depth)
        return self.chance.choice((
            f"math.sqrt(abs({a.text}))", f"({a.text}) / (abs({b.text}) + 1)", f"math.sin({self.variables['p'].text} * 0.1)",
            f"math.exp(-abs({a.text}))", f"math.atan2({a.text}, abs({b.text}) + 1)", f"math.hypot({a.text}, {b.text})"))

    # ---- Statements ----

    def new(self):
        self.names += 1
        return f"v{self.names}"

    def block(self, count, loops):
        known = dict(self.variables)
        for _ in range(count):
            self.statement(loops)
        self.variables = known  # what was made inside may have no value behind

    def statement(self, loops):
        chance = self.chance
        kind = chance.random()
        if kind < 0.30:
            self.assignment()
        elif kind < 0.45:
            self.changed()
        elif kind < 0.55:
            a, b = (self.integer(2, "int64") for _ in range(2))
            self.line(f"own[{a.text} % 6] = {b.text} % {SMALL}")
        elif kind < 0.65:
            self.pair()
        elif kind < 0.80 and self.depth < 4:
            self.line(f"if {self.condition(1)}:")
            self.inner(loops)
            if chance.random() < 0.5:
                self.line("else:")
                self.inner(loops)
        elif kind < 0.92 and loops < 2:
            self.loop(loops)
        elif loops and kind < 0.97:
            self.line(f"if {self.condition(0)}:")
            self.line(f"    {chance.choice(('break', 'continue'))}")
        else:
            self.grown()

    def grown(self):
        """A variable that begins as a number of Python's, and grows beyond its width, which is no mistake in C but of int32."""
        dtype, name = self.chance.choice(("uint32", "uint8", "int16")), self.new()
        like = self.chance.choice([each for each, number in self.variables.items() if number.dtype == dtype])
        self.line(f"{name} = {self.chance.randint(1, 9)}")
        self.line(f"if {self.condition(0)}:")
        self.line(f"    {name} = {like}")
        self.line(f"for turn{name} in range({self.chance.randint(2, 40)}):")
        self.line(f"    {name} = {name} * {self.chance.randint(3, 99)} + {self.chance.randint(0, 9)}")
        self.line(f"{name} %= {SMALL}")
        self.variables[name] = self.kept(name, dtype)

    def inner(self, loops):
        self.depth += 1
        self.block(self.chance.randint(1, 3), loops)
        self.depth -= 1

    def loop(self, loops):
        chance, name = self.chance, self.new()
        if chance.random() < 0.6:
            bounds = chance.choice((f"{chance.randint(1, 6)}", f"{chance.randint(-3, 3)}, {chance.randint(0, 6)}",
                                    f"{chance.randint(3, 9)}, -2, -{chance.randint(1, 3)}", f"{self.integer(1, 'int64').text} % 6",
                                    f"0, 9, {self.integer(1, 'int64').text} % 3 + 1"))
            self.line(f"for {name} in range({bounds}):")
            self.depth += 1
            self.line(f"k{name} = numpy.int64({name})")
            known = dict(self.variables)
            self.variables[f"k{name}"] = Number(f"k{name}", "int64", -9, 9)
            self.fixed.add(f"k{name}")
        else:
            self.line(f"{name} = {chance.randint(1, 6)}")
            self.line(f"while {name} > 0 and {self.condition(0)}:")
            self.depth += 1
            self.line(f"{name} -= {chance.randint(1, 2)}")
            known = dict(self.variables)
        self.block(chance.randint(1, 3), loops + 1)
        self.variables = known
        self.depth -= 1

    def assigned(self, number):
        """The text of a value that a variable takes: within its bounds."""
        if number.dtype == "float32":
            return f"numpy.float32(math.floor({number.text}) % {SMALL}) * 0.25" if number.size > SMALL or number.unit < 0.25 else (
                number.text)
        return number.text if number.size <= SMALL else f"({number.text}) % {SMALL}"

    def assignment(self):
        number = self.exact(3) if self.chance.random() < 0.3 else self.integer(3)
        name = self.new()
        self.line(f"{name} = {self.assigned(number)}")
        self.variables[name] = self.kept(name, number.dtype)

    def changed(self):
        name = self.chance.choice([each for each in self.variables if each not in self.fixed])
        dtype = self.variables[name].dtype
        number = self.exact(2) if dtype == "float32" else self.integer(2, dtype)
        if dtype != "float32" and self.chance.random() < 0.5:
            self.line(f"{name} {self.chance.choice(('^=', '&='))} {self.assigned(number)}")
            self.line(f"{name} %= {SMALL}")
        else:
            self.line(f"{name} = {self.assigned(number)}")

    def pair(self):
        """Two variables change their values at once."""
        dtype = self.chance.choice(TYPES)
        a, b = self.integer(2, dtype), self.integer(2, dtype)
        names = [each for each, number in self.variables.items() if number.dtype == dtype and each not in self.fixed]
        if len(names) < 2:
            return self.assignment()
        first, second = self.chance.sample(names, 2)
        self.line(f"{first}, {second} = {self.assigned(a)}, {self.assigned(b)}")

    def text(self):
        inner = ", ".join([*(f"{each[0]}{each[-2:]}" for each in TYPES), "p", "q", "table"])
        self.line('own = yoke.local(6, "int64")')
        for _ in range(self.chance.randint(2, 7)):
            self.statement(0)
        numbers = [self.integer(3) for _ in range(3)]
        total = " + ".join(f"numpy.int64({each.text}) % 9973" for each in numbers)
        self.line(f"return {total}, {self.exact(4).text}, {self.rounded(2)}")
        return "\n".join([f"@yoke.function\ndef {self.name}({inner}):", *self.lines, ""])


def dtype_limits(number):
    limit = LIMIT[number.dtype]
    return (0 if number.dtype.startswith("u") else -limit) <= number.low and number.high <= limit


def small_function(chance, name):
    """A function that bodies call."""
    first, second = chance.choice("+-*"), chance.choice(("//", "%"))
    return (f"@yoke.function\ndef {name}(a, b):\n    if a {chance.choice('<>')} b:\n        return numpy.int64(a) {first} b\n"
            f"    c = b {second} {chance.choice((-5, 2, 9))}\n    return numpy.int64(c) {first} a\n")


def program(seed, bodies):
    """The source of a module with a kernel `mixed` of so many bodies."""
    chance = random.Random(seed)
    others = [f"small{i}" for i in range(3)]
    parts = [HEAD, *(small_function(chance, each) for each in others)]
    parts += [Body(chance, f"body{i}", others).text() for i in range(bodies)]
    names = [f"{each[0]}{each[-2:]}" for each in TYPES]
    lines = ["@yoke.kernel", f"def mixed(whole, exact, rounded, {', '.join(names)}, p, q, table):", "    i = yoke.grid(1)",
             f"    if i < {names[0]}.size:"]
    values = ", ".join(f"{each}[i]" for each in (*names, "p", "q"))
    for i in range(bodies):
        lines += [f"        whole[{i}, i], exact[{i}, i], rounded[{i}, i] = body{i}({values}, table)"]
    return "\n".join([*parts, *lines, ""])


def loaded(source, name):
    """The module of a source that is in no file."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names = {"__name__": "random_kernel"}
    exec(compile(source, name, "exec"), names)
    return names


def arguments(seed, bodies):
    chance = numpy.random.default_rng(seed)
    numbers = [chance.integers(0 if each.startswith("u") else -SMALL, SMALL, ROWS, endpoint=True).astype(each) for each in TYPES]
    floats = [(chance.integers(-4 * SMALL, 4 * SMALL, ROWS, endpoint=True) / 4).astype("f4") for _ in "pq"]
    results = [numpy.zeros((bodies, ROWS), each) for each in ("i8", "f4", "f4")]
    return results, [*numbers, *floats, chance.integers(0, SMALL, (4, 5), endpoint=True)]


def differences(seed, bodies):
    """What the device and Python compute otherwise, as lines: none where all is well."""
    kernel = loaded(program(seed, bodies), f"<random kernel {seed}>")["mixed"]
    results, numbers = arguments(seed, bodies)
    arrays = [yoke.asarray(each) for each in (*results, *numbers)]
    kernel[ROWS](yoke.default_stream(), *arrays)
    kernel.simulate[ROWS](*results, *numbers)
    found = []
    for word, expected, array in zip(("whole", "exact", "rounded"), results, arrays):
        got = array.to_numpy()
        wrong = (abs(got.astype(float) - expected) > 2e-5 * (1 + abs(expected))) if word == "rounded" else (
            got.view("u1").reshape(*got.shape, -1) != expected.view("u1").reshape(*got.shape, -1)).any(axis=2)  # the bits
        for body, row in list(zip(*numpy.nonzero(wrong)))[:3]:
            found.append(f"seed {seed}, body{body}, thread {row}: {word} is {got[body, row]}, and {expected[body, row]} in Python")
    return found


def main(words):
    bodies, seed = int(words[0]) if words else 1000, int(words[1]) if len(words) > 1 else 1
    count = 0
    while count < bodies:
        for each in differences(seed, min(50, bodies - count)):
            print(each, flush=True)
        linecache.clearcache()
        count, seed = count + 50, seed + 1
        if count % 1000 == 0 or count >= bodies:
            print(f"{min(count, bodies)} bodies", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
