# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""numpy.random's older functions, by one generator that all share: rand, randn, randint, seed, normal(loc, scale, size), … For
programs written for NumPy or CuPy, as the module `random` of yoke.numpy; yoke.random has functions without a state. The numbers are
those of a Generator with the seed, not NumPy's."""

from ._core import missing as _missing
from ._generator import Generator, default_rng

_NOT_HERE = {name: "yoke.random.default_rng(seed) makes a generator" for name in ("get_state", "set_state", "random_integers")}


class RandomState(Generator):
    """RandomState(seed=None): a Generator with the names that NumPy had before."""

    def seed(self, seed=None):
        """Begin anew, with this seed; None takes one from the system."""
        other = Generator(seed)
        with self._lock:
            self._seed, self._offset, self._children = other.seed, 0, 0

    def rand(self, *shape):
        """Uniform numbers of [0, 1), of the shape d0, d1, …"""
        return self.random(shape)

    def randn(self, *shape):
        """Normal numbers of mean 0 and deviation 1, of the shape d0, d1, …"""
        return self.standard_normal(shape)

    def randint(self, low, high=None, size=None, dtype="int64"):
        """Integers from low to below high; randint(high) begins with 0."""
        return self.integers(low, high, size, dtype)

    def random_sample(self, size=None):
        """Uniform numbers of [0, 1)."""
        return self.random(size)

    def __repr__(self):
        return f"yoke.random.RandomState at {self.offset} of the seed {self._seed}"

    def __reduce__(self):
        raise TypeError("a RandomState is not pickled: yoke.random.default_rng(seed) makes a generator that is")


_NAMES = sorted({name for kind in (RandomState, Generator) for name in vars(kind) if not name.startswith("_")}
                - {"offset", "sequence", "stream", "spawn", "integers", "permuted"})
__all__ = ["Generator", "RandomState", "default_rng", "ranf", "sample", *_NAMES]
_shared = []


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(_missing("yoke.numpy.random", name, __all__, _NOT_HERE), name=name)
    if not _shared:
        _shared.append(RandomState())
    return getattr(_shared[0], "random" if name in ("ranf", "sample") else name)


def __dir__():
    return __all__
