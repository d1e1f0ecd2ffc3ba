# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Kernels written in Python: a translator of a subset of Python to the one text of <yoke/kernel.h>. `yoke` gives its names, and
loads it when the first of them is used.

    types        numbers, arrays, tuples; what two of them give
    expressions  arithmetic  arrays  calls  statements    each part of Python, as text
    records      structs and vectors; vectors: what these are in Python
    halves       float16 and bfloat16, in arrays
    translate    a function and all that it calls, as one text
    launch       the decorators, and the variants of a kernel
    compile      python -m yoke cc
    bounds       YOKE_KERNEL_BOUNDS=1: every index checked
    device       what kernels call: yoke.grid, yoke.barrier, …
    lambdas      functions in the place of expressions
    simulate     kernels as plain Python
    widths       the widths of integers there
    errors       KernelError
"""

from .device import (
    atomic, barrier, block, block_size, grid, grid_barrier, grid_size, gridsize, local, philox, random_float, random_words, shared,
    shuffle, shuffle_down, shuffle_up, shuffle_xor, thread,
)
from .errors import KernelError
from .launch import function, kernel
from .vectors import float2, float4, int2, int4, uint2, uint4

__all__ = ["KernelError", "atomic", "barrier", "block", "block_size", "float2", "float4", "function", "grid",
           "grid_barrier", "grid_size", "gridsize", "int2", "int4", "kernel",
           "local", "philox", "random_float", "random_words", "shared", "shuffle", "shuffle_down", "shuffle_up",
           "shuffle_xor", "thread", "uint2", "uint4"]
