# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""numba.cuda.random for yoke.numba_like: xoroshiro128+ of Blackman and Vigna, with the states and the numbers that Numba gives for
a seed. A state is two numbers of 64 bits; those of neighbouring threads are 2**64 steps apart."""

import math

import numpy

from . import _core
from .kernels.launch import DeviceFunction

UNIT = 2.0 ** -53  # of the upper 53 bits
JUMP = (0xbeac0467eba5facb, 0xd86b048b86aa9922)  # which states add up to the one that is 2**64 steps on
BITS, BYTES = 128, 16


# ---- What kernels call ----

@DeviceFunction
def xoroshiro128p_next(states, index):
    """The next 64 bits of a thread's state."""
    s0 = states[index, 0]
    s1 = states[index, 1]
    result = s0 + s1
    s1 ^= s0
    states[index, 0] = (s0 << 55 | s0 >> 9) ^ s1 ^ s1 << 14
    states[index, 1] = s1 << 36 | s1 >> 28
    return result


@DeviceFunction
def xoroshiro128p_uniform_float32(states, index):
    """A float32 of [0, 1], rounded to the nearest."""
    return numpy.float32(xoroshiro128p_next(states, index) >> 11) * numpy.float32(UNIT)


@DeviceFunction
def xoroshiro128p_uniform_float64(states, index):
    """A float64 of [0, 1)."""
    return numpy.float64(xoroshiro128p_next(states, index) >> 11) * numpy.float64(UNIT)


@DeviceFunction
def xoroshiro128p_normal_float32(states, index):
    """A normal float32, of two uniform ones."""
    first = xoroshiro128p_uniform_float32(states, index)
    second = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-2 * math.log(first)) * math.cos(numpy.float32(2 * math.pi) * second)


@DeviceFunction
def xoroshiro128p_normal_float64(states, index):
    """A normal float64, of two uniform float32."""
    first = numpy.float64(xoroshiro128p_uniform_float32(states, index))
    second = numpy.float64(xoroshiro128p_uniform_float32(states, index))
    return math.sqrt(-2 * math.log(first)) * math.cos(numpy.float64(2 * math.pi) * second)


# ---- States: a step is linear in the bits of a state, and so is a jump ----

def jumped(states):
    """States 2**64 steps on, of an array (n, 2)."""
    word = numpy.uint64
    s0, s1 = states[:, 0].copy(), states[:, 1].copy()
    result = numpy.zeros_like(states)
    for bit in range(BITS):
        if JUMP[bit // 64] >> bit % 64 & 1:
            result[:, 0] ^= s0
            result[:, 1] ^= s1
        mixed = s1 ^ s0
        s0 = (s0 << word(55) | s0 >> word(9)) ^ mixed ^ mixed << word(14)
        s1 = mixed << word(36) | mixed >> word(28)
    return result


def applied(matrix, states):
    """The states by a matrix of bits, whose row i is what bit i becomes; 16 look-ups in tables of its bytes for each."""
    result = numpy.zeros_like(states)
    bytes_of = numpy.ascontiguousarray(states.astype("<u8")).view(numpy.uint8).reshape(len(states), BYTES)
    table = numpy.zeros((256, 2), numpy.uint64)
    for k in range(BYTES):
        for bit in range(8):
            table[1 << bit:2 << bit] = table[:1 << bit] ^ matrix[8 * k + bit]
        result ^= table[bytes_of[:, k]]
    return result


def states_of(n, seed, subsequence_start=0):
    """The states of n threads, as a NumPy array (n, 2): the first from the seed by SplitMix64, the others by jumps."""
    mask = 2 ** 64 - 1
    z = (int(seed) + 0x9e3779b97f4a7c15) & mask
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & mask
    z = (z ^ z >> 27) * 0x94d049bb133111eb & mask
    z ^= z >> 31
    states = numpy.array([[z, z]], numpy.uint64)
    matrix = numpy.zeros((BITS, 2), numpy.uint64)
    for bit in range(BITS):
        matrix[bit, bit // 64] = 1 << bit % 64
    one = jumped(matrix)
    matrix, rest = one, int(subsequence_start)
    while rest > 0:
        states = applied(matrix, states) if rest & 1 else states
        matrix, rest = applied(matrix, matrix), rest >> 1
    matrix = one
    while len(states) < n:  # twice as many, as many jumps on
        states = numpy.concatenate([states, applied(matrix, states[:n - len(states)])])
        matrix = applied(matrix, matrix)
    return states[:n]


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0):
    """The states of n threads on the device."""
    from .numba_like import DeviceNDArray, _stream_of

    return DeviceNDArray(_core.asarray(states_of(n, seed, subsequence_start), stream=_stream_of(stream)))


def init_xoroshiro128p_states(states, seed, subsequence_start=0, stream=0):
    """Begin anew with states that are there."""
    states.copy_to_device(states_of(len(states), seed, subsequence_start), stream=stream)
