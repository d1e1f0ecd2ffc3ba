# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Which int64 values of a kernel are computed in 32 bits: those whose bounds prove that nothing is lost by it.

A launch knows whether its arrays, its threads and its ints are small (below SMALL); the variant of the kernel for such launches has
bounds to begin with. What has no bounds, or may grow beyond 32 bits, is computed in 64.
"""

import itertools
import math
import operator

from .._core import Array, Buffer, HostArgument
from .types import BOOL, I32, I64, WEAK_INT, ArrayType, Scalar, Value, literal

SMALL = 1 << 30  # elements of an array, threads along an axis, an int's size
MOST_THREADS = 1 << 20  # of a block, on any device
LEAST, MOST = -(1 << 31), (1 << 31) - 1
SMALL_INT = (-SMALL, SMALL)


class Narrow:
    """The text of a value as C's int, and its bounds. excess: None where the text always gives the value; else by how much what is
    computed on the way may be above the value: the text gives a value that is known to be from 0 to MOST - excess, as an index."""

    def __init__(self, text, low, high, excess=None):
        self.text, self.low, self.high, self.excess = text, low, high, excess

    @property
    def exact(self):
        return self.excess is None

    @property
    def as_index(self):
        return self.excess is None or self.excess <= MOST - SMALL


def small_value(text, low, high, pure=True):
    """An int64 whose text is an int."""
    def emit(target):
        if target is BOOL:
            return f"({text} != 0)"
        return text if target is I32 or not isinstance(target, Scalar) else f"(({target.c}){text})"
    value = Value(I64, emit, pure=pure)
    value.narrow = Narrow(text, low, high)
    return value


def narrow_of(scope, value):
    """What is known of an integer; None: nothing, or it does not fit."""
    if not scope.program.narrow or value.type is None or not isinstance(value.type, Scalar):
        return None
    number, type_ = value.number, value.type
    if number is not None:
        fits = isinstance(number, int) and LEAST <= number <= MOST
        return Narrow(literal(number, I32), int(number), int(number)) if fits else None
    if type_ is I64 or type_ is WEAK_INT:
        return value.narrow
    if type_.kind not in "iu" or type_.size > 4 or type_.kind == "u" and type_.size == 4:
        return None
    bits = type_.size * 8
    low, high = (0, (1 << bits) - 1) if type_.kind == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)
    return Narrow(value.emit(I32), low, high)


def exact_of(scope, *values):
    """narrow_of each, where all are exact; else None."""
    found = [narrow_of(scope, each) for each in values]
    return found if all(each is not None and each.exact for each in found) else None


def product_bounds(a, b):
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(ends), max(ends)


def above(a, b, sign):
    """The excess of a + b, a - b or a * b over what comes out, if that is not negative; None: unknown."""
    first, second = a.excess or 0, b.excess or 0
    if sign == "+":
        return max(first + max(0, -b.low), second + max(0, -a.low))
    if sign == "-":
        return first + max(0, b.high) if b.exact else None
    if min(a.low, b.low) < 0 or not a.exact and b.low < 1 or not b.exact and a.low < 1:
        return None
    return max(first, second)


def ring(a, b, sign):
    """a + b, a - b, a * b."""
    low, high = {"+": (a.low + b.low, a.high + b.high), "-": (a.low - b.high, a.high - b.low)}.get(sign) or product_bounds(a, b)
    text = f"({a.text} {sign} {b.text})"
    if a.exact and b.exact and LEAST <= low and high <= MOST:
        return Narrow(text, low, high)
    excess = above(a, b, sign)
    return None if excess is None or low < LEAST or excess > MOST else Narrow(text, low, high, excess)


def divided(a, b):
    """The bounds of a // b, where b may not be 0; None: unknown."""
    if b.low <= 0 <= b.high and (b.low < 0 or b.high == 0):
        return None
    ends = [x // y for x in (a.low, a.high) for y in (max(b.low, 1) if b.high > 0 else b.low, b.high)]
    return min(ends), max(ends)


def bits(a, b, sign):
    """The bounds of a & b, a | b, a ^ b."""
    if sign == "&":
        tops = [each.high for each in (a, b) if each.low >= 0]
        return (0, min(tops)) if tops else None
    return (0, (1 << max(a.high, b.high).bit_length()) - 1) if min(a.low, b.low) >= 0 else None


def operated(scope, name, left, right):
    """left OP right in 32 bits, as a Narrow; None: it takes 64."""
    from .arithmetic import SIGNS, helper

    a, b = narrow_of(scope, left), narrow_of(scope, right)
    if a is None or b is None:
        return None
    sign = SIGNS[name]
    if name in ("Add", "Sub", "Mult"):
        return ring(a, b, sign)
    if not a.exact or not b.exact:
        return None
    if name in ("FloorDiv", "Mod"):
        bounds = divided(a, b) if name == "FloorDiv" else (min(0, b.low + 1), max(0, b.high - 1))
        c = sign[0]
        kind = "mod_int" if name == "Mod" else "floordiv_int"
        text = f"({a.text} {c} {b.text})" if a.low >= 0 and b.low >= 0 else f"{helper(scope, kind, I32)}({a.text}, {b.text})"
        if name == "Mod" and a.low == LEAST and b.low < 0:  # C's remainder of that and -1 is a trap
            return None
    elif name in ("LShift", "RShift"):
        count = right.number
        if count is None or not 0 <= count < 31 or name == "LShift" and a.low < 0:
            return None
        bounds = (a.low << count, a.high << count) if name == "LShift" else (a.low >> count, a.high >> count)
        text = f"({a.text} {sign} {count})"
    else:
        bounds, text = bits(a, b, sign), f"({a.text} {sign} {b.text})"
    return Narrow(text, *bounds) if bounds and LEAST <= bounds[0] and bounds[1] <= MOST else None


def of_loop(scope, first, stop, step):
    """The least and the largest value of the variable of a loop over range(first, stop, step), and the step's sign, where they are
    known and the loop's last step, which ends it, fits too; else None."""
    found = exact_of(scope, first, stop, step)
    if not found:
        return None
    a, b, by = found
    if by.low > 0 and max(a.high, b.high - 1) + by.high <= MOST:
        return a.low, max(a.low, b.high - 1), 1
    if by.high < 0 and min(a.low, b.low + 1) + by.low >= LEAST:
        return min(a.high, b.low + 1), a.high, -1
    return None


def united(a, b):
    """The bounds of a value that is one or the other; None is no bounds."""
    return None if a is None or b is None else (min(a[0], b[0]), max(a[1], b[1]))


def widened(old, new, turn):
    """The bounds to assume next: after a turn those that are left at once at an end, and then none."""
    both = united(old, new)
    if both is None or both == old or turn < 1:
        return both
    if turn >= 6:
        return None
    low = old[0] if both[0] == old[0] else 0 if both[0] >= 0 else LEAST
    return low, old[1] if both[1] == old[1] else MOST


# ---- Launches ----

def is_small_launch(shape):
    """Whether no axis has more threads than SMALL, in [n] or [grid, block]."""
    try:
        if not isinstance(shape, tuple):
            return operator.index(shape) <= SMALL - MOST_THREADS
        grid, block = (each if isinstance(each, tuple) else (each,) for each in shape[:2])
        return all(operator.index(blocks) * operator.index(threads) <= SMALL
                   for blocks, threads in itertools.zip_longest(grid, block, fillvalue=1))
    except (TypeError, ValueError):  # which the launch tells
        return False


def is_small(value):
    """Whether an argument is small: an array with all its buffer, or an int."""
    if isinstance(value, Buffer):
        return value.size < SMALL
    if isinstance(value, Array) and value.buffer.size // value.itemsize >= SMALL:
        return False
    shape = getattr(value.memory if isinstance(value, HostArgument) else value, "shape", None)
    if shape:
        return math.prod(max(each, 1) for each in shape) < SMALL
    return hasattr(value, "__index__") and -SMALL < operator.index(value) < SMALL


def small_among(parameters, args, types):
    """The names of the parameters that are small ints; None: not all arrays are small."""
    if not all(is_small(value) for value, type_ in zip(args, types) if isinstance(type_, ArrayType)):
        return None
    return tuple(each.arg for each, value, type_ in zip(parameters, args, types) if type_ is I64 and is_small(value))


# ---- Variables ----

class Ranges:
    """The bounds of a function's int64 variables, and what conditions tell about them in a block.

    Bounds are assumed for all variables in a round of the translation, and the round's assignments say whether they hold.
    """

    def start_ranges(self):
        self.assumed = {code: bounds for code, bounds in self.given_bounds.items() if bounds is None}  # of variables
        self.turns = 0

    def start_round_of_ranges(self):
        self.assigned = dict(self.given_bounds)
        self.facts, self.gathered = {}, None

    def end_round_of_ranges(self, typed):
        """Whether what was assumed holds; else assume more. typed: the types of variables hold, and none is weak; before that,
        having no bounds says nothing."""
        if not self.program.narrow:
            return True
        found = {code: widened(self.assumed.get(code, bounds), bounds, self.turns) for code, bounds in self.assigned.items()}
        self.turns += typed
        if self.turns > 12:  # whatever depends on whatever
            found = dict.fromkeys(found)
        if not typed:
            found = {code: bounds for code, bounds in found.items() if bounds is not None or code in self.given_bounds}
        settled = found == self.assumed
        self.assumed = found
        return settled

    def bounds_of(self, code):
        """The bounds of a variable here; None: unknown."""
        bounds = self.assumed[code] if code in self.assumed else self.assigned.get(code)
        if bounds is None or code not in self.facts:
            return bounds
        low, high = self.facts[code]
        low, high = max(low, bounds[0]), min(high, bounds[1])
        return (low, high) if low <= high else bounds

    def is_small(self, code):
        """Whether a variable is declared as int."""
        return self.assumed.get(code) is not None and code not in self.given_bounds and self.program.narrow

    def note_assignment(self, code, value):
        """An int64 gets a value."""
        self.facts.pop(code, None)
        found = exact_of(self, value)
        bounds = (found[0].low, found[0].high) if found else None
        self.assigned[code] = united(self.assigned[code], bounds) if code in self.assigned else bounds

    def note_comparison(self, name, left, right, gathered):
        """left OP right holds where the condition does."""
        turned = {"Lt": "Gt", "Gt": "Lt", "LtE": "GtE", "GtE": "LtE"}.get(name, name)
        for one, other, op in ((left, right, name), (right, left, turned)):
            found = exact_of(self, other)
            if one.variable is None or not found:
                continue
            bounds = {"Lt": (LEAST, found[0].high - 1), "LtE": (LEAST, found[0].high), "Gt": (found[0].low + 1, MOST),
                      "GtE": (found[0].low, MOST), "Eq": (found[0].low, found[0].high)}.get(op)
            if bounds is not None:
                gathered.append((one.variable, bounds))

    def tested(self, node):
        """The text of a condition, and what it tells where it holds."""
        self.gathered = []
        text = self.condition(node)
        facts, self.gathered = self.gathered, None
        return text, facts

    def learn(self, facts):
        for code, (low, high) in facts:
            old = self.facts.get(code, (LEAST, MOST))
            self.facts[code] = max(low, old[0]), min(high, old[1])

    def forget(self, names):
        """These names are assigned in what follows."""
        self.facts = {code: each for code, each in self.facts.items()
                      if not any(code == f"{name}_" or code.startswith(f"{name}_t") for name in names)}
