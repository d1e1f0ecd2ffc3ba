# SPDX-License-Identifier: Apache-2.0
"""Random numbers on the device: yoke.random.normal((1000, 3), seed=1).

The generator has no state: a number depends on the seed, its position (offset + its index in row-major order) and the sequence
alone, so that the same call gives the same array on every device. A program goes on with offset=…, and takes sequence=… for numbers
that are independent of others. seed, offset: 0 to 2**64 - 1; sequence: 0 to 2**32 - 1.
"""

from ._core import empty as _empty
from ._core import fill_random as _fill
from ._core import shuffled as _shuffled


def uniform(shape, low=0.0, high=1.0, *, seed, offset=0, sequence=0, dtype=None, stream=None):
    """Uniform numbers of [low, high)."""
    return _fill("uniform", _empty(shape, dtype, stream=stream), low, high, seed, offset, sequence, 0)


def normal(shape, mean=0.0, deviation=1.0, *, seed, offset=0, sequence=0, dtype=None, stream=None):
    """Normal numbers of this mean and standard deviation."""
    return _fill("normal", _empty(shape, dtype, stream=stream), mean, deviation, seed, offset, sequence, 0)


def exponential(shape, mean=1.0, *, seed, offset=0, sequence=0, dtype=None, stream=None):
    """Exponential numbers of this mean."""
    return _fill("exponential", _empty(shape, dtype, stream=stream), mean, 0.0, seed, offset, sequence, 0)


def integers(shape, low, high=None, *, endpoint=False, seed, offset=0, sequence=0, dtype="int64", stream=None):
    """Integers from low to below high, or with endpoint to high; integers(shape, high) begins with 0."""
    if high is None:
        low, high = 0, low
    return _fill("integers", _empty(shape, dtype, stream=stream), low, high, seed, offset, sequence, 2 if endpoint else 0)


def permutation(n, *, seed, offset=0, sequence=0, dtype="int64", stream=None):
    """The integers 0 to n - 1 in random order; of a shape, one such row along its last axis for each of the others."""
    return _fill("permutation", _empty(n, dtype, stream=stream), 0, 0, seed, offset, sequence, 0)


def shuffle(array, axis=0, *, seed, offset=0, sequence=0):
    """A copy with the elements along an axis, as the rows of a matrix, in random order."""
    return _shuffled(array, axis, seed, offset, sequence)
