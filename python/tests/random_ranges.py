# SPDX-License-Identifier: Apache-2.0
"""Random kernels of int64 values around the ends of 32 bits, each from a seed: what is computed in 32 bits gives what Python gives.
test_kernels_ranges.py runs some; by hand, `python random_ranges.py [kernels [seed]]` runs many on the device of YOKE_BACKEND.

Each expression knows how large it may be, so that nothing overflows 64 bits.
"""

import random
import sys

import numpy

import yoke
from random_kernels import loaded

EDGES = (0, 1, 255, 2**16, 2**30 - 1, 2**30, 2**31 - 1, 2**31, 2**32, 2**33)
MODULI = (3, 10, 1000, 2**16, 2**30, 2**31 - 1, 2**31, 2**32 + 1)
LIMIT = 2**61
VARIABLES, ROWS, COLUMNS = 4, 3, 5
HEAD = """import yoke


@yoke.kernel
def mixed(out, x, n, m):
    i = yoke.grid(1)
    if i >= x.size:
        return
    row, column = i // x.shape[1], i % x.shape[1]
"""


class Made:
    """One random kernel: its lines, and how large each name may be."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.lines, self.depth, self.loops, self.inside = [], 1, 0, 0
        self.sizes = {"i": ROWS * COLUMNS, "n": 2**40, "m": 2**40, "x.shape[0]": ROWS, "x.shape[1]": COLUMNS, "x.size": 15,
                      "yoke.thread.x": 2**16, "yoke.block.x": 2**16, "yoke.gridsize(1)": 2**16, "row": ROWS, "column": COLUMNS}

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def literal(self):
        value = self.chance.choice(EDGES) + self.chance.randint(-2, 2)
        value = -value if self.chance.random() < 0.3 else value
        return (str(value) if value >= 0 else f"({value})"), abs(value)

    def expression(self, depth):
        """(text, how large its value may be)."""
        chance = self.chance
        if depth <= 0 or chance.random() < 0.2:
            return self.literal() if chance.random() < 0.3 else chance.choice(list(self.sizes.items()))
        (a, p), (b, q) = self.expression(depth - 1), self.expression(depth - 1)
        kind = chance.randrange(13)
        if kind < 3 and p + q < LIMIT:
            return f"({a} {chance.choice('+-')} {b})", p + q
        if kind < 5 and p * q < LIMIT:
            return f"({a} * {b})", p * q
        if kind == 5:
            number = chance.choice((1, 2, 3, 7, 1000, 2**31, -1, -3))
            return (f"({a} // ({number}))", p + 1) if chance.random() < 0.5 else (f"({a} % ({number}))", abs(number))
        if kind == 6:
            return f"({a} % (abs({b}) + 1))", q + 1
        if kind == 7:
            return f"{chance.choice(('min', 'max'))}({a}, {b})", max(p, q)
        if kind == 8:
            return f"({a} if {self.condition(depth - 1)} else {b})", max(p, q)
        if kind == 9:
            return f"{chance.choice(('abs', '-', 'int'))}({a})", p
        if kind == 10:
            return f"({a} {chance.choice('&|^')} {b})", 2 * max(p, q, 1)
        if kind == 11:
            return self.weak(2)
        if p << 5 < LIMIT:
            count = chance.randint(0, 5)
            return f"({a} {chance.choice(('<<', '>>'))} {count})", p << count
        return a, p

    def weak(self, depth):
        """The same of literals, none of which alone is the value: it has no type of its own, and no number."""
        (a, p), (b, q) = (self.weak(depth - 1) if depth > 1 and self.chance.random() < 0.5 else self.literal() for _ in "ab")
        a, p = f"({a} if {self.condition(0)} else {b})", max(p, q)
        kind = self.chance.randrange(4)
        if kind == 0:
            return f"(-{a})", p
        if kind == 1 and p * q < LIMIT:
            return f"({a} * {b})", p * q
        return (f"({a} + {b})", p + q) if kind == 2 else (a, p)

    def condition(self, depth):
        a, b = self.expression(depth)[0], self.expression(depth)[0]
        text = f"{a} {self.chance.choice(('<', '<=', '>', '>=', '==', '!='))} {b}"
        word = self.chance.random()
        if depth > 0 and word < 0.4:
            return f"({text} {'and' if word < 0.25 else 'or'} {self.condition(0)})"
        return f"(not {text})" if word > 0.9 else f"({text})"

    def assign(self):
        name = f"v{self.chance.randrange(VARIABLES)}"
        text, size = self.weak(2) if self.chance.random() < 0.2 else self.expression(3)
        if self.inside or size > 2**35:  # what a loop does again does not grow
            modulus = self.chance.choice(MODULI)
            text = f"{text} % {modulus}"
        self.line(f"{name} = {text}")

    def count(self):
        """A loop with a counter of its own, over one of the ends."""
        edge, step = self.chance.choice(EDGES[2:]), self.chance.randint(1, 3)
        sign = self.chance.choice((1, -1))
        first, limit = sign * (edge - self.chance.randint(0, 5)), sign * (edge + self.chance.randint(0, 5))
        name = f"c{self.loops}"
        self.loops += 1
        self.sizes[name] = edge + 20
        extra = f" and {self.condition(0)}" if self.chance.random() < 0.3 else ""
        self.line(f"{name} = {first}")
        self.line(f"while {name} {'<' if sign > 0 else '>'} {limit}{extra}:")
        self.block(f"{name} {'+' if sign > 0 else '-'}= {step}")

    def loop(self):
        """A loop over a range, which may be near one of the ends."""
        name, edge = f"k{self.loops}", self.chance.choice(EDGES)
        self.loops += 1
        step, count = self.chance.choice((1, 1, 2, -1, -3, edge // 2 + 1)), self.chance.randint(0, 3)
        first = self.chance.choice((edge - 3, -edge, 0, edge))
        self.line(f"for {name} in range({first}, {first + step * count}, {step}):" if self.chance.random() < 0.7 else
                  f"for {name} in range(i, i + {count}):")
        before = dict(self.sizes)
        self.sizes[name] = 4 * edge + 20
        self.block()
        self.sizes = before

    def block(self, last=None):
        """What is assigned in it first may have no value behind it."""
        before, self.depth, self.inside = dict(self.sizes), self.depth + 1, self.inside + (last != "branch")
        for _ in range(self.chance.randint(1, 3)):
            self.statement()
        if last not in (None, "branch"):
            self.line(last)
        self.sizes, self.depth, self.inside = before, self.depth - 1, self.inside - (last != "branch")

    def choose(self):
        self.line(f"if {self.condition(1)}:")
        self.block("branch")
        if self.chance.random() < 0.5:
            self.line("else:")
            self.block("branch")

    def statement(self):
        if self.depth > 3:
            return self.assign()
        self.chance.choice((self.assign, self.assign, self.assign, self.count, self.loop, self.choose))()

    def text(self):
        for k in range(VARIABLES):
            self.line(f"v{k} = {self.chance.choice(list(self.sizes))} + {self.literal()[0]}")
            self.sizes[f"v{k}"] = 2**41
        for k in range(VARIABLES):  # whose bounds are those of all that it gets
            self.line(f"w{k} = {self.chance.randint(-2, 5)}")
            value, size = self.weak(2)
            self.line(f"if {self.condition(0)}:")
            self.line(f"    w{k} = {value}")
            self.sizes[f"w{k}"] = max(size, 5)
        for _ in range(8):
            self.statement()
        body = "\n".join(self.lines)
        results = "\n".join(f"    out[i * {VARIABLES} + {k}] = v{k} ^ w{k} // 3" for k in range(VARIABLES))
        return f"{HEAD}{body}\n{results}\n    out[i * {VARIABLES}] ^= x[row, column]\n"


def differences(seed):
    """What is wrong, as texts, in a launch of small numbers and one of large."""
    kernel = loaded(Made(seed).text(), f"<random ranges {seed}>")["mixed"]
    found = []
    x = numpy.arange(ROWS * COLUMNS, dtype="int64").reshape(ROWS, COLUMNS) << 33
    for n, m in ((7, -2**30 + 1), (2**31 + 3, -2**36)):
        wanted, got = (numpy.zeros(x.size * VARIABLES, "int64") for _ in range(2))
        kernel.simulate[1, 16](wanted, x, n, m)
        kernel[1, 16](yoke.default_stream(), yoke.Out(got), yoke.In(x), n, m)
        yoke.default_stream().wait()
        if not numpy.array_equal(wanted, got):
            found.append(f"seed {seed}, n = {n}: {got.tolist()}, and not {wanted.tolist()}")
    return found


def main():
    count, first = (int(sys.argv[i]) if len(sys.argv) > i else i for i in (1, 2))
    wrong = [each for seed in range(first, first + count) for each in differences(seed)]
    print("\n".join(wrong) or f"{count} kernels agree")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
