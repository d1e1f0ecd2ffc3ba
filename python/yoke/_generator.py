# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""A generator of random numbers with NumPy's methods: rng = yoke.random.default_rng(1); rng.normal(size=(1000, 3)).

It counts the numbers that it has given, by the positions of the streams that yoke.random's functions and <yoke/random.h> have, so
that a seed gives the same numbers on every device, and a Generator's first numbers are those of the functions with its seed. An
element takes as many positions as its method says, whatever the dtype."""

import math as _math
import operator as _operator
import os as _os
import threading as _threading

from . import _core
from ._core import Array as _Array
from ._core import array_from as _array_from
from ._core import evaluate as _evaluate
from . import _rejection
from ._elementwise import _kind

_FLOATS = ("float16", "bfloat16", "float32", "float64")

# What a parameter must not be: for a number, for the elements of an array, in words.
_NEGATIVE = (lambda x: x < 0, "x < 0", "is negative")
_NOT_POSITIVE = (lambda x: x <= 0, "x <= 0", "is not above 0")
_NO_PART = (lambda x: not 0 <= x <= 1, "!(x >= 0 && x <= 1)", "is not from 0 to 1")
_NO_CHANCE = (lambda x: not 0 < x <= 1, "!(x > 0 && x <= 1)", "is not above 0 and at most 1")
_NOT_FINITE = (lambda x: not 0 <= x < 9.2e18, "!(x >= 0 && x < 9.2e18)", "is negative or too large")

# NumPy's methods that are not here.
_NOT_HERE = {name: "NumPy's generator has it on the host: yoke.asarray(numpy.random.default_rng(seed)."
             f"{name}(…)) copies its numbers" for name in (
                 "hypergeometric logseries multinomial multivariate_hypergeometric multivariate_normal noncentral_chisquare "
                 "noncentral_f vonmises zipf").split()}
_NOT_HERE |= {"rand": "random(size)", "randn": "standard_normal(size)", "randint": "integers(low, high, size)",
              "random_sample": "random(size)", "seed": "yoke.random.default_rng(seed) makes another generator",
              "bit_generator": "the state is rng.seed, rng.offset, rng.sequence"}


def default_rng(seed=None, *, stream=None):
    """A Generator. seed: None takes one from the system; an int of 64 bits is the seed of the streams itself; a larger one, or a
    list of ints, gives one by a hash; a Generator is returned as it is. stream: where its arrays are made and used; None means
    default_stream()."""
    if isinstance(seed, Generator):
        if stream is not None and stream is not seed.stream:
            raise ValueError("the generator has another stream: make one with its seed, offset and sequence")
        return seed
    return Generator(seed, stream=stream)


def _hashed(values):
    """64 bits that stand for these numbers."""
    import hashlib

    text = ",".join([format(each, "x") for each in values])  # repr has a limit of digits
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _key(seed):
    """The seed of the streams for what default_rng takes."""
    if seed is None:
        return int.from_bytes(_os.urandom(8), "little")
    if isinstance(seed, (str, bytes, float)):
        raise TypeError(f"a seed is None, an int of 0 or more or a sequence of such, not a {type(seed).__name__}")
    if hasattr(seed, "__len__") or hasattr(seed, "tolist") and getattr(seed, "shape", ()) != ():
        values = [_operator.index(each) for each in seed]
        if not values:
            raise ValueError("an empty sequence is not a seed")
    else:
        values = [_operator.index(seed)]
        if 0 <= values[0] < 1 << 64:
            return values[0]
    if min(values) < 0:
        raise ValueError("a seed is 0 or more")
    return _hashed(values)


def _number(value):
    """Whether it is one number, and not an array."""
    return isinstance(value, (int, float)) or not isinstance(value, _Array) and getattr(value, "shape", None) == ()


class Generator:
    """A generator of random numbers, by default_rng. Methods, parameters and their order are NumPy's; the results are Arrays, of
    shape () where NumPy gives a number. Floats have the package's default dtype where none is named. Parameters may be numbers or
    arrays; of arrays, a wrong element fails the stream with ValueError, since nothing waits for them.

    seed, offset, sequence: what yoke.random's functions take for its next numbers. Methods may be called from several threads."""

    def __init__(self, seed=None, *, offset=0, sequence=0, stream=None):
        self._seed, self._offset, self._sequence = _key(seed), _operator.index(offset), _operator.index(sequence)
        if not 0 <= self._offset < 1 << 64 or not 0 <= self._sequence < 1 << 32:
            raise ValueError("offset is from 0 to 2**64 - 1, and sequence from 0 to 2**32 - 1")
        self._stream, self._children, self._lock = stream, 0, _threading.Lock()

    seed = property(lambda self: self._seed, doc="The seed of the streams.")
    offset = property(lambda self: self._offset, doc="The position of the next number.")
    sequence = property(lambda self: self._sequence, doc="Which of the seed's sequences.")
    stream = property(lambda self: self._stream, doc="Where the arrays are made; None: default_stream().")

    def __repr__(self):
        return f"yoke.random.Generator(seed={self.seed}, offset={self.offset}, sequence={self.sequence})"

    def __reduce__(self):
        if self.stream is not None:
            raise TypeError("a generator with a stream of its own cannot be pickled or copied, since its stream cannot: make one "
                            "with its seed, offset and sequence")
        return _remade, (self.seed, self.offset, self.sequence, self._children)

    def __getattr__(self, name):
        raise AttributeError(_core.missing("a Generator", name, dir(type(self)), _NOT_HERE), name=name, obj=self)

    def spawn(self, n_children):
        """As many generators whose numbers are independent of this one's and of each other's: their seeds are hashes of this seed
        and the child's number."""
        count = _operator.index(n_children)
        if count < 0:
            raise ValueError("n_children is negative")
        with self._lock:
            first, self._children = self._children, self._children + count
        return [Generator(_hashed([self._seed, self._sequence, number]), stream=self.stream)
                for number in range(first, first + count)]

    # ---- What the methods are made of ----

    def _take(self, count):
        """The first of so many positions, which are used up."""
        with self._lock:
            first = self._offset
            if first + count >= 1 << 64:
                raise OverflowError("the sequence of 2**64 numbers is at its end: take another seed or sequence")
            self._offset = first + count
        return first

    def _fill(self, kind, out, a, b, interval=0):
        return _core.fill_random(kind, out, a, b, self._seed, self._take(out.size), self._sequence, interval)

    def _place(self, name, value, wrong=None):
        """A parameter: a float, or an Array."""
        if isinstance(value, complex):
            raise TypeError(f"{name} is a real number")
        if _number(value):
            value = float(value)
            if wrong and wrong[0](value):
                raise ValueError(f"{name} is {value}, which {wrong[2]}")
            return value
        value = _array_from(value, stream=self.stream)
        if wrong and value.size:
            _core.check_later(value, wrong[1], f"an element of {name} {wrong[2]}")
        return value

    def _room(self, size, dtype=None, out=None, parameters=()):
        """The array for the numbers: of this size, to which the parameters have to broadcast, or of theirs."""
        shapes = [each.shape for each in parameters if isinstance(each, _Array)]
        if out is not None:
            if not isinstance(out, _Array):
                raise TypeError(f"out is an Array, not a {type(out).__name__}")
            if dtype is not None and _core.named_dtype(dtype) != _core.named_dtype(out.dtype):
                raise TypeError(f"out has the dtype {out.dtype}, not {dtype}")
        shape = out.shape if out is not None else None
        if size is not None:
            size = (_operator.index(size),) if not hasattr(size, "__iter__") else tuple(map(_operator.index, size))
            if shape is not None and shape != size:
                raise ValueError(f"out has the shape {shape}, and size is {size}")
            shape = size
        if shape is None:
            shape = _core.broadcast_shape(shapes)
        elif shapes and _core.broadcast_shape([shape, *shapes]) != shape:
            raise ValueError(f"the parameters have the shapes {' and '.join(map(str, shapes))}, which do not broadcast to {shape}")
        room = _core.empty(shape, dtype, stream=self.stream) if out is None else out
        if dtype != "int64" and str(room.dtype) not in _FLOATS:
            raise TypeError(f"such numbers are real floats, not {room.dtype}: dtype is one of {', '.join(_FLOATS)}")
        return room

    def _normals(self, room):
        return self._fill("normal", room, 0.0, 1.0)

    def _exponentials(self, room):
        return self._fill("exponential", room, 1.0, 0.0)

    def _like(self, room):
        return _core.empty(room.shape, room.dtype, stream=room.stream)

    def _drawn(self, function, room, parameters):
        """Numbers by a function of _rejection."""
        if not room.device.supports("fp64"):
            raise _core.UnsupportedError(f"{room.device.info.name} lacks float64, which {function[0].split('(')[0].split()[1]} is "
                                         "computed in")
        _core.draw(room, *function, parameters, self._seed, self._take(room.size), self._sequence)
        return room

    # ---- Uniform numbers, integers ----

    def random(self, size=None, dtype=None, out=None):
        """Uniform numbers of [0, 1)."""
        return self._fill("uniform", self._room(size, dtype, out), 0.0, 1.0)

    def uniform(self, low=0.0, high=1.0, size=None, *, dtype=None):
        """Uniform numbers of [low, high)."""
        low, high = self._place("low", low), self._place("high", high)
        room = self._room(size, dtype, parameters=(low, high))
        if isinstance(low, float) and isinstance(high, float) and low < high:
            return self._fill("uniform", room, low, high)
        return _evaluate("fma(high - low, x, low)", room.dtype, x=self._fill("uniform", room, 0.0, 1.0), low=low, high=high)

    def integers(self, low, high=None, size=None, dtype="int64", endpoint=False):
        """Integers from low to below high, or with endpoint to high; integers(high) begins with 0. low and high are numbers."""
        if high is None:
            low, high = 0, low
        if not _number(low) or not _number(high):
            raise TypeError("low and high are integers, not arrays: low + floor(rng.random(size) * n) has limits that differ")
        shape = () if size is None else size
        return self._fill("integers", _core.empty(shape, dtype, stream=self.stream), low, high, 2 if endpoint else 0)

    def bytes(self, length):
        """Random bytes, which this waits for."""
        return self.integers(0, 256, _operator.index(length), "uint8").to_numpy().tobytes()

    # ---- Normal numbers and their like ----

    def standard_normal(self, size=None, dtype=None, out=None):
        """Normal numbers of mean 0 and deviation 1."""
        return self._normals(self._room(size, dtype, out))

    def normal(self, loc=0.0, scale=1.0, size=None, *, dtype=None):
        """Normal numbers of this mean and standard deviation."""
        loc, scale = self._place("loc", loc), self._place("scale", scale, _NEGATIVE)
        room = self._room(size, dtype, parameters=(loc, scale))
        if isinstance(loc, float) and isinstance(scale, float):
            return self._fill("normal", room, loc, scale)
        return _evaluate("fma(scale, x, loc)", room.dtype, x=self._normals(room), loc=loc, scale=scale)

    def lognormal(self, mean=0.0, sigma=1.0, size=None, *, dtype=None):
        """Numbers whose logarithm is normal, of this mean and standard deviation."""
        return self._of_normals("exp(fma(sigma, x, mean))", size, dtype, mean=(mean, None), sigma=(sigma, _NEGATIVE))

    def standard_cauchy(self, size=None, *, dtype=None):
        """The quotients of two normal numbers; two positions each."""
        room = self._room(size, dtype)
        return _evaluate("x / y", room.dtype, x=self._normals(room), y=self._normals(self._like(room)))

    def wald(self, mean, scale, size=None, *, dtype=None):
        """Wald's numbers, the inverse Gaussian; two positions each."""
        mean, scale = self._place("mean", mean, _NOT_POSITIVE), self._place("scale", scale, _NOT_POSITIVE)
        room = self._room(size, dtype, parameters=(mean, scale))
        u = self._fill("uniform", self._like(room), 0.0, 1.0)
        return _evaluate("y = mean * x * x; r = mean + mean / (2 * scale) * (y - sqrt(4 * scale * y + y * y)); "
                         "u * (mean + r) <= mean ? r : mean * mean / r", room.dtype, x=self._normals(room), u=u, mean=mean,
                         scale=scale)

    # ---- Of exponential numbers ----

    def standard_exponential(self, size=None, dtype=None, method="inv", out=None):
        """Exponential numbers of mean 1. method: "inv" alone, by the logarithm of a uniform number."""
        if method != "inv":
            raise ValueError(f"method is \"inv\", not {_core.shown(method)}: numbers are made by inversion, not by ziggurats")
        return self._exponentials(self._room(size, dtype, out))

    def exponential(self, scale=1.0, size=None, *, dtype=None):
        """Exponential numbers of the mean `scale`."""
        scale = self._place("scale", scale, _NEGATIVE)
        room = self._room(size, dtype, parameters=(scale,))
        if isinstance(scale, float):
            return self._fill("exponential", room, scale, 0.0)
        return _evaluate("scale * x", room.dtype, x=self._exponentials(room), scale=scale)

    def laplace(self, loc=0.0, scale=1.0, size=None, *, dtype=None):
        """Numbers of the double exponential distribution; two positions each."""
        loc, scale = self._place("loc", loc), self._place("scale", scale, _NEGATIVE)
        room = self._room(size, dtype, parameters=(loc, scale))
        x, y = self._exponentials(room), self._exponentials(self._like(room))
        return _evaluate("fma(scale, x - y, loc)", room.dtype, x=x, y=y, loc=loc, scale=scale)

    def logistic(self, loc=0.0, scale=1.0, size=None, *, dtype=None):
        """Numbers of the logistic distribution; two positions each."""
        loc, scale = self._place("loc", loc), self._place("scale", scale, _NEGATIVE)
        room = self._room(size, dtype, parameters=(loc, scale))
        x, y = self._exponentials(room), self._exponentials(self._like(room))
        return _evaluate("fma(scale, log(x) - log(y), loc)", room.dtype, x=x, y=y, loc=loc, scale=scale)

    def gumbel(self, loc=0.0, scale=1.0, size=None, *, dtype=None):
        """Gumbel's numbers, of the largest of many."""
        return self._of_exponentials("fma(-scale, log(x), loc)", size, dtype, loc=(loc, None), scale=(scale, _NEGATIVE))

    def rayleigh(self, scale=1.0, size=None, *, dtype=None):
        """Rayleigh's numbers: the length of two normal numbers."""
        return self._of_exponentials("scale * sqrt(2 * x)", size, dtype, scale=(scale, _NEGATIVE))

    def weibull(self, a, size=None, *, dtype=None):
        """Weibull's numbers of the shape a."""
        return self._of_exponentials("a == 0 ? 0 : pow(x, 1 / a)", size, dtype, a=(a, _NEGATIVE))

    def pareto(self, a, size=None, *, dtype=None):
        """Numbers of Pareto's second kind, also Lomax's, from 0 on."""
        return self._of_exponentials("expm1(x / a)", size, dtype, a=(a, _NOT_POSITIVE))

    def power(self, a, size=None, *, dtype=None):
        """Numbers of [0, 1] whose density is a * x ** (a - 1)."""
        return self._of_exponentials("pow(-expm1(-x), 1 / a)", size, dtype, a=(a, _NOT_POSITIVE))

    def triangular(self, left, mode, right, size=None, *, dtype=None):
        """Numbers of [left, right] whose density is a triangle with its top at mode."""
        values = [self._place(name, value) for name, value in (("left", left), ("mode", mode), ("right", right))]
        if all([isinstance(each, float) for each in values]) and not values[0] <= values[1] <= values[2] > values[0]:
            raise ValueError(f"left, mode and right ascend, and left is below right, not {values}")
        room = self._room(size, dtype, parameters=values)
        left, mode, right = values
        return _evaluate("width = right - left; part = mode - left; u * width <= part ? left + sqrt(u * width * part) : "
                         "right - sqrt((1 - u) * width * (right - mode))", room.dtype,
                         u=self._fill("uniform", room, 0.0, 1.0), left=left, mode=mode, right=right)

    def geometric(self, p, size=None):
        """How many trials it takes to the first success, int64."""
        p = self._place("p", p, _NO_CHANCE)
        wide = _core.default_stream() if self.stream is None else self.stream
        shape = self._room(size, parameters=(p,)).shape
        room = _core.empty(shape, "float64" if wide.device.supports("fp64") else "float32", stream=self.stream)
        return _evaluate("p >= 1 ? 1 : max(1, ceil(x / -log1p(-p)))", "int64", x=self._exponentials(room), p=p)

    def _of_exponentials(self, text, size, dtype, **parameters):
        return self._of(self._exponentials, text, size, dtype, parameters)

    def _of_normals(self, text, size, dtype, **parameters):
        return self._of(self._normals, text, size, dtype, parameters)

    def _of(self, fill, text, size, dtype, parameters):
        """An expression of one number `x` and of the parameters, which are values and what they must not be."""
        values = {name: self._place(name, *each) for name, each in parameters.items()}
        room = self._room(size, dtype, parameters=values.values())
        return _evaluate(text, room.dtype, x=fill(room), **values)

    # ---- Gamma numbers and their like; Poisson's and binomial numbers. They are computed in float64 ----

    def standard_gamma(self, shape, size=None, dtype=None, out=None):
        """Gamma numbers of this shape."""
        shape = self._place("shape", shape, _NEGATIVE)
        return self._drawn(_rejection.GAMMA, self._room(size, dtype, out, (shape,)), {"shape": shape})

    def gamma(self, shape, scale=1.0, size=None, *, dtype=None):
        """Gamma numbers of this shape and scale."""
        shape, scale = self._place("shape", shape, _NEGATIVE), self._place("scale", scale, _NEGATIVE)
        room = self._drawn(_rejection.GAMMA, self._room(size, dtype, None, (shape, scale)), {"shape": shape})
        return _evaluate("scale * x", room.dtype, x=room, scale=scale)

    def beta(self, a, b, size=None, *, dtype=None):
        """Beta numbers: of two gamma numbers, the part of the first in their sum; two positions each."""
        a, b = self._place("a", a, _NOT_POSITIVE), self._place("b", b, _NOT_POSITIVE)
        room = self._room(size, dtype, None, (a, b))
        x = self._drawn(_rejection.GAMMA, room, {"shape": a})
        y = self._drawn(_rejection.GAMMA, self._like(room), {"shape": b})
        return _evaluate("x / (x + y)", room.dtype, x=x, y=y)

    def chisquare(self, df, size=None, *, dtype=None):
        """Sums of the squares of df normal numbers."""
        df = self._place("df", df, _NOT_POSITIVE)
        return 2 * self._drawn(_rejection.GAMMA, self._room(size, dtype, None, (df,)), {"shape": df / 2})

    def f(self, dfnum, dfden, size=None, *, dtype=None):
        """Fisher's numbers: the quotient of two chisquare numbers over their degrees of freedom; two positions each."""
        top, low = self._place("dfnum", dfnum, _NOT_POSITIVE), self._place("dfden", dfden, _NOT_POSITIVE)
        room = self._room(size, dtype, None, (top, low))
        x = self._drawn(_rejection.GAMMA, room, {"shape": top / 2})
        y = self._drawn(_rejection.GAMMA, self._like(room), {"shape": low / 2})
        return _evaluate("x * low / (y * top)", room.dtype, x=x, y=y, top=top, low=low)

    def standard_t(self, df, size=None, *, dtype=None):
        """Student's numbers with df degrees of freedom; two positions each."""
        df = self._place("df", df, _NOT_POSITIVE)
        room = self._room(size, dtype, None, (df,))
        y = self._drawn(_rejection.GAMMA, self._like(room), {"shape": df / 2})
        return _evaluate("x * sqrt(df / (2 * y))", room.dtype, x=self._normals(room), y=y, df=df)

    def dirichlet(self, alpha, size=None, *, dtype=None):
        """Rows of len(alpha) numbers that add up to 1."""
        alpha = self._place("alpha", alpha, _NOT_POSITIVE)
        if isinstance(alpha, float) or alpha.ndim != 1 or not alpha.size:
            raise ValueError("alpha is a sequence of numbers above 0")
        size = () if size is None else (size,) if not hasattr(size, "__iter__") else tuple(size)
        x = self._drawn(_rejection.GAMMA, self._room((*size, alpha.size), dtype, None, (alpha,)), {"shape": alpha})
        return x / x.sum(-1, keepdims=True)

    def poisson(self, lam=1.0, size=None):
        """Poisson's numbers, int64: how often what happens lam times on average happens."""
        lam = self._place("lam", lam, _NOT_FINITE)
        return self._drawn(_rejection.POISSON, self._room(size, "int64", None, (lam,)), {"lam": lam})

    def binomial(self, n, p, size=None):
        """How many of n trials with the chance p succeed, int64."""
        whole = _operator.index(n) if _number(n) else _array_from(n, stream=self.stream)
        if not _number(whole) and _kind(whole) not in "iu":
            raise TypeError(f"n is of integers, not of {whole.dtype}")
        n, p = self._place("n", whole, _NOT_FINITE), self._place("p", p, _NO_PART)
        return self._drawn(_rejection.BINOMIAL, self._room(size, "int64", None, (n, p)), {"n": n, "p": p})

    def negative_binomial(self, n, p, size=None):
        """How many trials with the chance p fail before n of them succeed, int64; two positions each."""
        n, p = self._place("n", n, _NOT_POSITIVE), self._place("p", p, _NO_CHANCE)
        room = self._room(size, "int64", None, (n, p))
        gamma = self._drawn(_rejection.GAMMA, _core.empty(room.shape, "float64", stream=self.stream), {"shape": n})
        return self._drawn(_rejection.POISSON, room, {"lam": _evaluate("x * (1 - p) / p", x=gamma, p=p)})

    # ---- Order and choice ----

    def permutation(self, x, axis=0):
        """The integers 0 to x - 1 in random order, or a copy of an array whose elements along an axis, as its rows, are so."""
        if _number(x):
            return self._fill("permutation", _core.empty(_operator.index(x), "int64", stream=self.stream), 0, 0)
        x = _array_from(x, stream=self.stream)
        return _core.shuffled(x, axis, self._seed, self._take(x.shape[axis] if x.ndim else 0), self._sequence)

    def shuffle(self, x, axis=0):
        """Put the elements of an Array along an axis, as its rows, into random order, in place."""
        if not isinstance(x, _Array):
            raise TypeError(f"shuffle changes an Array in place, not a {type(x).__name__}: permutation gives an Array")
        x[...] = self.permutation(x, axis)

    def permuted(self, x, *, axis=None, out=None):
        """The elements in random order, along an axis each row in one of its own; None: of the flattened array. out: an Array,
        which may be x."""
        x = _array_from(x, stream=self.stream)
        if axis is None:
            result = self.permutation(x.reshape(-1)).reshape(x.shape)
        else:
            from ._positions import take_along_axis
            from ._shapes import moveaxis

            moved = moveaxis(x, axis, -1)
            order = self._fill("permutation", _core.empty(moved.shape, "int64", stream=self.stream), 0, 0)
            result = moveaxis(take_along_axis(moved, order, -1), -1, axis)
        if out is None:
            return result
        if not isinstance(out, _Array) or out.shape != x.shape:
            raise ValueError(f"out is an Array of the shape {x.shape}")
        out[...] = result
        return out

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Elements of `a` along an axis, or of the integers 0 to a - 1, all equally likely or as p says, and each at most once
        where replace is false. Checking a p that is on the device waits for it. shuffle: false allows any order without
        replacement; the order is random all the same."""
        if not _number(a):
            a = _array_from(a, stream=self.stream)
            if not a.ndim:
                raise ValueError("a is an array with axes, or a number")
        n = _operator.index(a) if _number(a) else a.shape[axis]
        shape = () if size is None else (_operator.index(size),) if not hasattr(size, "__iter__") else tuple(size)
        count = _math.prod(shape)
        if n < 0 or not n and count:
            raise ValueError(f"there are no {n} elements to choose from")
        if not replace and count > n:
            raise ValueError(f"{count} elements cannot be chosen from {n} without replacement")
        chances = None if p is None else self._chances(p, n, 0 if replace else count)
        if chances is None and replace:
            chosen = self.integers(0, max(n, 1), shape)
        elif chances is None:
            chosen = self.permutation(n)[:count].reshape(shape)
        elif replace:
            sums = chances.cumsum()
            where = self._fill("uniform", _core.empty(count, chances.dtype, stream=self.stream), 0.0, 1.0) * sums[-1:]
            chosen = _core.searchsorted(sums, where, "right").reshape(shape)
        else:  # the first of exponential clocks
            clocks = self._exponentials(_core.empty(n, chances.dtype, stream=self.stream))
            late = _evaluate("p > 0 ? x / p : INFINITY", chances.dtype, x=clocks, p=chances)
            chosen = _core.argsort(late)[:count].reshape(shape)
        return chosen if _number(a) else _core.take(a, chosen, axis)

    def _chances(self, p, n, count):
        """The probabilities as an array of floats that hold their sum, checked."""
        p = _array_from(p, stream=self.stream)
        p = p.astype("float64" if p.device.supports("fp64") else "float32")
        if p.shape != (n,):
            raise ValueError(f"p has the shape {p.shape}, and there are {n} elements")
        total, bad, there = [each.item() for each in (
            p.sum(), _core.map_reduce("any", "!(p >= 0 && p <= 1e30)", p=p), _core.map_reduce("sum", "p > 0 ? 1 : 0", p=p))]
        if bad:
            raise ValueError("probabilities are not negative, and not NaN")
        if abs(total - 1) > 1e-6:
            raise ValueError(f"the probabilities add up to {total}, not to 1")
        if there < count:
            raise ValueError(f"{count} elements cannot be chosen without replacement: {there} have a probability above 0")
        return p


def _remade(seed, offset, sequence, children):
    """A pickled Generator."""
    made = Generator(seed, offset=offset, sequence=sequence)
    made._children = children
    return made
