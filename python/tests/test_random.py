# SPDX-License-Identifier: Apache-2.0
"""yoke.random.Generator: NumPy's methods and parameters, numbers that depend on the seed alone, and their moments. A seed's numbers
are always the same, so that no moment here is a matter of luck; some are compared with digits, which hold on every device."""

import copy
import inspect
import math
import pickle
import threading

import numpy
import pytest

import yoke
from yoke.random import Generator, default_rng

COUNT = 20000
NOT_HERE = set("bit_generator hypergeometric logseries multinomial multivariate_hypergeometric multivariate_normal "
               "noncentral_chisquare noncentral_f vonmises zipf".split())
METHODS = sorted(name for name in dir(numpy.random.Generator) if not name.startswith("_") and name not in NOT_HERE)


@pytest.mark.parametrize("name", METHODS)
def test_parameters_are_numpys(name):
    theirs = inspect.signature(getattr(numpy.random.Generator, name)).parameters.values()
    ours = list(inspect.signature(getattr(Generator, name)).parameters.values())
    for their, our in zip(theirs, ours, strict=False):
        assert (our.name, our.kind) == (their.name, their.kind)
        if their.name not in ("dtype", "method"):  # the package's default dtype; no ziggurats
            assert our.default == their.default
    assert len(ours) >= len(theirs)
    assert all(each.name == "dtype" and each.kind == each.KEYWORD_ONLY for each in ours[len(theirs):])


def test_others_say_what_to_do():
    rng = default_rng(1)
    for name in NOT_HERE:
        with pytest.raises(AttributeError, match=r"numpy\.random|rng\.offset"):
            getattr(rng, name)
    with pytest.raises(AttributeError, match="integers"):
        rng.randint
    with pytest.raises(AttributeError, match="uniform"):
        rng.unifrom
    with pytest.raises(AttributeError, match="default_rng"):
        yoke.random.randn


# The first numbers of seed 7, where all devices have the same bits.
EXACT = {
    "random": ["0x1.f9d972p-1", "0x1.7a79c4p-1", "0x1.967202p-1", "0x1.be2914p-1"],
    "standard_normal": ["-0x1.4ea65ep-2", "-0x1.794816p+0", "0x1.99e1ecp-1", "0x1.49535cp-6"],
    "standard_exponential": ["0x1.899368p+0", "0x1.fade3cp-1", "0x1.10468ap-3", "0x1.f0eeb4p+0"],
}


@pytest.mark.parametrize("name", EXACT)
def test_first_numbers(name):
    assert getattr(default_rng(7), name)(4).tolist() == [float.fromhex(each) for each in EXACT[name]]


def test_first_integers():
    assert default_rng(7).integers(1000, size=5).tolist() == [954, 750, 114, 85, 406]
    assert default_rng(7).permutation(6).tolist() == [3, 5, 4, 1, 0, 2]
    assert default_rng(7).choice(50, 5).tolist() == [47, 37, 5, 4, 20]
    assert default_rng(7).poisson(4, 6).tolist() == [1, 5, 9, 2, 3, 5]
    assert default_rng(7).poisson(100, 6).tolist() == [100, 104, 90, 90, 113, 105]
    assert default_rng(7).binomial(20, 0.3, 6).tolist() == [3, 8, 4, 7, 2, 6]
    assert default_rng(7).binomial(1000, 0.4, 6).tolist() == [360, 415, 382, 410, 356, 403]


def test_counts_for_itself():
    rng = default_rng(3)
    first, second = rng.random(10), rng.random((2, 5))
    whole = yoke.random.uniform(20, seed=3).tolist()
    assert first.tolist() + second.ravel().tolist() == whole
    assert (rng.seed, rng.offset, rng.sequence) == (3, 20, 0)
    assert Generator(3, offset=10).random(10).tolist() == whole[10:]
    assert Generator(3, sequence=1).random(20).tolist() == yoke.random.uniform(20, seed=3, sequence=1).tolist()
    rng.laplace(size=5)
    assert rng.offset == 30  # two positions each


def test_copies_go_on_alike():
    rng = default_rng(4)
    rng.random(5)
    children = [each.seed for each in rng.spawn(2)]
    for other in (pickle.loads(pickle.dumps(rng)), copy.copy(rng), copy.deepcopy(rng)):
        assert other.offset == 5 and other.random(3).tolist() == Generator(4, offset=5).random(3).tolist()
        assert other.spawn(1)[0].seed not in children  # nor are children the same again
    assert rng.offset == 5


def test_seeds():
    rng = default_rng(5)
    assert default_rng(rng) is rng
    assert default_rng().seed != default_rng().seed
    assert default_rng(numpy.int64(5)).seed == 5 and default_rng(2**64 - 1).seed == 2**64 - 1
    assert default_rng([1, 2]).seed == 17709254606964033710 and default_rng(2**70).seed == 904250693809446407
    assert default_rng([2, 1]).seed != default_rng([1, 2]).seed != default_rng([12]).seed
    seeds = [each.seed for each in (*rng.spawn(3), *rng.spawn(2), *rng.spawn(1)[0].spawn(2))]
    assert len(set(seeds)) == 7
    assert seeds[:3] == [each.seed for each in default_rng(5).spawn(3)]
    for wrong, error in ((-1, ValueError), ([], ValueError), ([1, -1], ValueError), ("1", TypeError), (1.0, TypeError)):
        with pytest.raises(error):
            default_rng(wrong)
    for wrong in ({"offset": -1}, {"offset": 2**64}, {"sequence": 2**32}):
        with pytest.raises(ValueError):
            Generator(1, **wrong)
    with pytest.raises(ValueError):
        rng.spawn(-1)


def test_no_number_twice_in_threads():
    rng = default_rng(6)
    found = []
    threads = [threading.Thread(target=lambda: found.extend(rng.random(100).tolist() for _ in range(5))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(sum(found, [])) == sorted(yoke.random.uniform(2000, seed=6).tolist())


# Method, its parameters, mean and variance: by formulas of the distributions.
PI = math.pi
MOMENTS = [
    ("random", (), 0.5, 1 / 12), ("uniform", (2, 4), 3, 4 / 12), ("standard_normal", (), 0, 1), ("normal", (1, 3), 1, 9),
    ("lognormal", (0, 0.5), math.exp(0.125), (math.exp(0.25) - 1) * math.exp(0.25)), ("standard_exponential", (), 1, 1),
    ("exponential", (2,), 2, 4), ("laplace", (1, 2), 1, 8), ("logistic", (1, 2), 1, 4 * PI**2 / 3),
    ("gumbel", (1, 2), 1 + 2 * 0.5772156649, 4 * PI**2 / 6), ("rayleigh", (2,), 2 * math.sqrt(PI / 2), (4 - PI) / 2 * 4),
    ("weibull", (2,), math.gamma(1.5), 1 - math.gamma(1.5)**2), ("pareto", (6,), 1 / 5, 6 / (25 * 4)),
    ("power", (3,), 3 / 4, 3 / (16 * 5)), ("triangular", (0, 1, 4), 5 / 3, 13 / 18), ("wald", (2, 3), 2, 8 / 3),
    ("geometric", (0.25,), 4, 0.75 / 0.0625), ("standard_gamma", (0.3,), 0.3, 0.3), ("gamma", (2.5, 2), 5, 10),
    ("beta", (2, 3), 0.4, 6 / (25 * 6)), ("chisquare", (3,), 3, 6), ("f", (5, 16), 16 / 14, 2 * 256 * 19 / (5 * 196 * 12)),
    ("standard_t", (8,), 0, 8 / 6), ("poisson", (3,), 3, 3), ("poisson", (10,), 10, 10), ("poisson", (1e6,), 1e6, 1e6),
    ("binomial", (10, 0.3), 3, 2.1), ("binomial", (1000, 0.3), 300, 210), ("binomial", (1000, 0.9), 900, 90),
    ("negative_binomial", (5, 0.3), 5 * 0.7 / 0.3, 5 * 0.7 / 0.09),
]


@pytest.mark.parametrize("name, parameters, mean, variance", MOMENTS)
def test_moments(name, parameters, mean, variance):
    if name in ("random", "standard_normal", "standard_exponential"):
        values = getattr(default_rng(11), name)(COUNT)
    else:
        values = getattr(default_rng(11), name)(*parameters, COUNT)
    assert values.shape == (COUNT,)
    assert str(values.dtype) == ("int64" if name in ("poisson", "binomial", "geometric", "negative_binomial") else "float32")
    values = values.to_numpy().astype("float64")
    assert abs(values.mean() - mean) < 4 * math.sqrt(variance / COUNT)
    deviation = math.sqrt(((values - values.mean())**4).mean() / COUNT)  # of the variance, about
    assert abs(values.var() - variance) < 5 * deviation


def test_whole_distributions():
    """Of Poisson's and binomial numbers each frequency, where they are made in the two ways."""
    for lam in (4.0, 12.0):
        found = numpy.bincount(default_rng(12).poisson(lam, COUNT).to_numpy(), minlength=40)[:40]
        wanted = [COUNT * math.exp(k * math.log(lam) - lam - math.lgamma(k + 1)) for k in range(40)]
        assert sum((f - w)**2 / w for f, w in zip(found, wanted) if w > 5) < 45  # chi squared, about 20 degrees
    for n, p in ((40, 0.1), (40, 0.6)):
        found = numpy.bincount(default_rng(13).binomial(n, p, COUNT).to_numpy(), minlength=41)
        wanted = [COUNT * math.comb(n, k) * p**k * (1 - p)**(n - k) for k in range(41)]
        assert found.sum() == COUNT and len(found) == 41
        assert sum((f - w)**2 / w for f, w in zip(found, wanted) if w > 5) < 45


def test_heavy_tails():
    values = default_rng(14).standard_cauchy(COUNT).to_numpy()
    inside = (numpy.abs(values) < 1).mean()
    assert abs(inside - 0.5) < 4 * 0.5 / math.sqrt(COUNT) and numpy.abs(values).max() > 1000
    rows = default_rng(14).dirichlet([1, 2, 3], COUNT).to_numpy()
    assert rows.shape == (COUNT, 3) and numpy.allclose(rows.sum(1), 1, atol=1e-6)
    assert numpy.allclose(rows.mean(0), numpy.array([1, 2, 3]) / 6, atol=0.01)


def test_arrays_as_parameters():
    means = numpy.array([[0.0], [100.0]], "float32")
    values = default_rng(1).normal(means, [1, 2, 3])
    assert values.shape == (2, 3)
    flat = default_rng(1).normal(size=(2, 3)).to_numpy()
    assert numpy.allclose(values.to_numpy(), means + flat * [1, 2, 3])
    assert default_rng(1).poisson(yoke.asarray([0.0, 5.0, 1000.0])).tolist()[0] == 0
    assert default_rng(1).gamma([1.0, 2.0], size=(4, 2)).shape == (4, 2)
    assert default_rng(1).normal().shape == ()
    with pytest.raises(ValueError, match="broadcast"):
        default_rng(1).normal([1.0, 2.0], size=3)
    with pytest.raises(ValueError, match="broadcast"):
        default_rng(1).normal([1.0, 2.0], size=1)


def test_out_and_dtype():
    out = yoke.zeros(5, "float64")
    assert default_rng(1).random(out=out) is out and (out.to_numpy() > 0).all()
    assert default_rng(1).random(5, "float64", out).tolist() == default_rng(1).random(5, "float64").tolist()
    assert default_rng(1).uniform(size=3, dtype="float16").dtype == "float16"
    for call, error in ((lambda r: r.random(4, out=out), ValueError), (lambda r: r.random(dtype="float32", out=out), TypeError),
                        (lambda r: r.random(out=numpy.zeros(3)), TypeError), (lambda r: r.random(3, "int32"), TypeError),
                        (lambda r: r.standard_exponential(3, method="zig"), ValueError)):
        rng = default_rng(1)
        with pytest.raises(error):
            call(rng)
        assert rng.offset == 0


def test_wrong_parameters(device):
    rng = default_rng(1)
    for call in (lambda: rng.normal(0, -1), lambda: rng.exponential(-1.0), lambda: rng.poisson(-1), lambda: rng.poisson(math.nan),
                 lambda: rng.binomial(5, 1.5), lambda: rng.binomial(-5, 0.5), lambda: rng.gamma(-1.0), lambda: rng.beta(0, 1),
                 lambda: rng.geometric(0), lambda: rng.triangular(1, 0, 2), lambda: rng.integers(5, 5), lambda: rng.dirichlet(1.0),
                 lambda: rng.random(-1), lambda: rng.choice(0, 1), lambda: rng.choice(3, 4, replace=False),
                 lambda: rng.choice(3, p=[0.5, 0.5]), lambda: rng.choice(2, p=[0.5, 0.6]), lambda: rng.choice(2, p=[1.5, -0.5]),
                 lambda: rng.choice(3, 2, replace=False, p=[1, 0, 0])):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: rng.integers([1, 2]), lambda: rng.binomial(2.5, 0.5), lambda: rng.shuffle([1, 2]),
                 lambda: rng.normal(1j), lambda: rng.binomial([2.5], 0.5)):
        with pytest.raises(TypeError):
            call()
    stream = device.stream()
    later = default_rng(1, stream=stream)
    with pytest.raises(ValueError, match="scale is negative"):
        later.normal(0, yoke.asarray([1.0, -1.0], stream=stream))
        stream.wait()
    stream.close()


def test_order_and_choice():
    rng = default_rng(8)
    rows = yoke.arange(12).reshape(6, 2)
    mixed = rng.permutation(rows).to_numpy()
    assert sorted(mixed.tolist()) == rows.tolist() != mixed.tolist()
    assert sorted(rng.permutation(rows, axis=1).tolist()[0]) == [0, 1]
    kept = rows.copy()
    assert rng.shuffle(kept) is None and sorted(kept.tolist()) == rows.tolist()
    each = rng.permuted(yoke.arange(40).reshape(4, 10), axis=1).to_numpy()
    assert (numpy.sort(each, 1) == numpy.arange(40).reshape(4, 10)).all() and len({tuple(row % 10) for row in each}) > 1
    assert sorted(rng.permuted(rows).ravel().tolist()) == list(range(12))
    assert rng.permuted(kept, out=kept) is kept
    counts = numpy.bincount(rng.choice(4, COUNT, p=[0.1, 0.2, 0.3, 0.4]).to_numpy(), minlength=4) / COUNT
    assert numpy.allclose(counts, [0.1, 0.2, 0.3, 0.4], atol=0.015)
    assert set(rng.choice(5, 3, replace=False, p=[0, 0.2, 0.3, 0.5, 0]).tolist()) == {1, 2, 3}
    assert sorted(rng.choice(rows, 6, replace=False).tolist()) == rows.tolist()
    assert rng.choice(rows, (2, 2), axis=1).shape == (6, 2, 2)
    assert rng.choice([2.5]).item() == 2.5 and rng.choice(1).shape == ()
    assert len(rng.bytes(7)) == 7


# ---- NumPy's older functions ----

def test_shared_state():
    from yoke import _random_state as random

    random.seed(9)
    first = random.rand(2, 3)
    assert first.shape == (2, 3) and first.ravel().tolist() == default_rng(9).random(6).tolist()
    assert random.randn(4).shape == (4,) and random.randn().shape == ()
    assert set(random.randint(3, size=50).tolist()) == {0, 1, 2} and random.randint(5, 6).item() == 5
    assert random.normal(100, 1, 3).to_numpy().min() > 90 and random.random_sample(3).shape == random.sample(3).shape == (3,)
    assert random.choice(5, 2, replace=False).shape == (2,) and sorted(random.permutation(4).tolist()) == [0, 1, 2, 3]
    random.seed(9)
    assert random.rand(6).tolist() == first.ravel().tolist()
    assert random.RandomState(9).rand(6).tolist() == first.ravel().tolist()
    for name, hint in (("get_state", "default_rng"), ("rnad", "rand")):
        with pytest.raises(AttributeError, match=hint):
            getattr(random, name)


@pytest.mark.parametrize("name", ["rand", "randn", "randint", "random_sample", "seed"])
def test_older_parameters(name):
    from yoke._random_state import RandomState

    theirs = getattr(numpy.random.RandomState, name)
    ours = [each.name for each in inspect.signature(getattr(RandomState, name)).parameters.values()][1:]
    words = {"rand": ["shape"], "randn": ["shape"], "randint": ["low", "high", "size", "dtype"], "random_sample": ["size"],
             "seed": ["seed"]}[name]
    assert ours == words and all(each in theirs.__doc__ for each in words if each != "shape")
