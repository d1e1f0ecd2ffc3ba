# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""What a kernel finds wrong while it runs: with YOKE_KERNEL_BOUNDS=1 an index outside its array, and an assertion that does not
hold. The first is kept in a record, which a function in the stream reads behind the launch: its exception fails the stream, and the
next wait raises it. Blocks that wait for each other count themselves there too.

An access outside goes to the array's first element instead, so that no driver crashes.
"""

import array
import ast
import os

from .errors import KernelError, error

MOST = 4  # dimensions
WORDS = 2 + 2 * MOST  # of 8 bytes: the place in the program, the index, the shape, the blocks at a barrier of the grid
RECORD = "yk_record"
PARAMETER = f"YOKE_GLOBAL int *{RECORD}"

# The first thread that is outside writes: the place's number is there before its index, and nobody reads before the kernel ends.
TEXT = """YOKE_INLINE_FUNCTION YK_I64 yk_at(YOKE_GLOBAL int *record, int place, YK_I64 i, YK_I64 n, YK_I64 is, YK_I64 j, YK_I64 m,
                                  YK_I64 js, YK_I64 k, YK_I64 o, YK_I64 ks, YK_I64 l, YK_I64 p, YK_I64 ls)
{
    YOKE_GLOBAL YK_I64 *words = (YOKE_GLOBAL YK_I64 *)record;

    if (i >= 0 && i < n && j >= 0 && j < m && k >= 0 && k < o && l >= 0 && l < p)
        return i * is + j * js + k * ks + l * ls;
    if (yoke_atomic_cas(record, 0, place) == 0) {
        words[1] = i;
        words[2] = j;
        words[3] = k;
        words[4] = l;
        words[5] = n;
        words[6] = m;
        words[7] = o;
        words[8] = p;
    }
    return 0;
}
"""


# The thread's index in the whole launch is there instead of an element's.
TEXT_OF_ASSERTIONS = """YOKE_INLINE_FUNCTION void yk_fail(YOKE_GLOBAL int *record, int place)
{
    YOKE_GLOBAL YK_I64 *words = (YOKE_GLOBAL YK_I64 *)record;

    if (yoke_atomic_cas(record, 0, place) == 0) {
        words[1] = yoke_global_x();
        words[2] = yoke_global_y();
        words[3] = yoke_global_z();
    }
}
"""


# The last block to come lets the others go on. All are on the device at once.
TOGETHER = "yk_grid_barrier"
TEXT_OF_GRID_BARRIER = f"""#if !YOKE_HAS_LOOKBACK
#error "no block of this device can wait for another"
#endif
YOKE_FUNCTION void {TOGETHER}(YOKE_GLOBAL int *record)
{{
    YOKE_GLOBAL int *count = record + {2 * WORDS - 2};
    volatile YOKE_GLOBAL int *turn = count + 1;

    yoke_fence();
    yoke_barrier_global();
    if (yoke_thread_x() == 0 && yoke_thread_y() == 0 && yoke_thread_z() == 0) {{
        const int own = *turn, blocks = (int)(yoke_grid_size_x() * yoke_grid_size_y() * yoke_grid_size_z());

        if (yoke_atomic_add(count, 1) == blocks - 1) {{
            *(volatile YOKE_GLOBAL int *)count = 0;
            yoke_fence();
            *turn = own + 1;
        }} else {{
            while (*turn == own)
                yoke_pause(100);
        }}
        yoke_fence();
    }}
    yoke_barrier_global();
}}
"""


class NeedsRecord(Exception):
    """A program has what its words say, and was begun without a record."""


def wanted():
    """Whether kernels that are made now check their indices."""
    word = os.environ.get("YOKE_KERNEL_BOUNDS", "0")
    if word not in ("0", "1", ""):
        raise KernelError(f"YOKE_KERNEL_BOUNDS is 0 or 1, and not {word!r}")
    return word == "1"


class Place:
    """An index in the program: of which function, which part of it, which array, and the numbers that stand there.
    wraps: the others have counted from the end where they were negative."""

    def __init__(self, function, node, name, numbers, wraps=False):
        self.function, self.node, self.name, self.numbers, self.wraps = function, node, name, numbers, wraps

    def failure(self, kernel, index, shape):
        index = [each - extent if self.wraps and each < 0 else each for each, extent in zip(index, shape)]
        shown = [given if given is not None else found for given, found in zip(self.numbers, index)]
        inside = "" if self.function is kernel else f", called by {kernel.name}"
        return error(self.function, self.node, f"{self.name}[{', '.join(map(str, shown))}] is outside the array, whose shape is "
                     f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)}){inside}")


class Assertion(Place):
    """assert test, message"""

    def __init__(self, function, node):
        super().__init__(function, node, "", [None] * 3)

    def failure(self, kernel, index, shape):
        said = f": {ast.literal_eval(self.node.msg)}" if self.node.msg is not None else ""
        return error(self.function, self.node, f"the assertion {ast.unparse(self.node.test)} does not hold{said}, in the thread "
                     f"whose index is ({', '.join(map(str, index))})")


def checked(program, function, node, name, axes):
    """The text of an element's place, checked. axes: (index, extent, stride, its number or None) of each."""
    program.places.append(Place(function, node, name, [each[3] for each in axes], program.as_numba))
    parts = [part for each in axes for part in each[:3]] + ["0", "1", "0"] * (MOST - len(axes))
    return f"yk_at({RECORD}, {len(program.places)}, {', '.join(parts)})"


class Record:
    """What one launch writes to, in a stream or in a graph, and whoever reads it behind the launch."""

    def __init__(self, stream):
        self.words = array.array("q", [0] * WORDS)
        self.buffer = stream.device.buffer(8 * WORDS)
        stream.write(self.buffer, bytes(8 * WORDS))

    def check(self, stream, kernel, places):
        """Behind the launch: on a thread of Yoke's, raise what the kernel has found."""
        if not places:
            return
        stream.read(self.words, self.buffer, blocking=False)
        stream.call(self.raise_found, kernel, places)

    def raise_found(self, kernel, places):
        number = self.words[0] & 0xffffffff
        if number:
            place = places[number - 1]
            count = len(place.numbers)
            raise place.failure(kernel, self.words[1:1 + count], self.words[1 + MOST:1 + MOST + count])
