# SPDX-License-Identifier: Apache-2.0
"""Random numbers on the device: yoke.random.normal((1000, 3), seed=1).

rng = yoke.random.default_rng(1) is a Generator with NumPy's methods, which counts for itself: rng.normal(size=(1000, 3)).

The functions here have no state: a number depends on the seed, its position (offset + its index in row-major order) and the
sequence alone, so that the same call gives the same array on every device. A program goes on with offset=…, and takes
sequence=… for numbers that are independent of others. seed, offset: 0 to 2**64 - 1; sequence: 0 to 2**32 - 1.
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


def __getattr__(name):
    if name in ("Generator", "default_rng"):  # which `import yoke` does without
        from . import _generator

        globals().update(Generator=_generator.Generator, default_rng=_generator.default_rng)
        return globals()[name]
    from ._core import missing

    raise AttributeError(missing("yoke.random", name, __dir__(), _OF_NUMPY), name=name)


def __dir__():
    return [*[name for name in globals() if not name.startswith("_")], "Generator", "default_rng"]


# Functions of numpy.random with a state that all share.
_OF_NUMPY = {
    "seed": "yoke.random.default_rng(seed)", "rand": "yoke.random.default_rng(seed).random((m, n))",
    "randn": "yoke.random.default_rng(seed).standard_normal((m, n))", "random": "yoke.random.default_rng(seed).random(size)",
    "randint": "yoke.random.default_rng(seed).integers(low, high, size)", "choice": "yoke.random.default_rng(seed).choice(a, size)",
    "RandomState": "yoke.random.default_rng(seed)",
}
