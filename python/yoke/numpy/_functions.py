# SPDX-License-Identifier: Apache-2.0
"""Functions with loops, translated for the device: what no expression says."""

from ..kernels import function


@function
def common_divisor(a, b):
    if a < 0:
        a = -a
    if b < 0:
        b = -b
    while b != 0:
        rest = a % b
        a = b
        b = rest
    return a


@function
def bessel_i0(x):
    square = x * x / 4
    term = square * 0 + 1
    total = term
    k = term
    while term > total * 1e-17:
        term = term * (square / (k * k))
        total = total + term
        k = k + 1
    return total
