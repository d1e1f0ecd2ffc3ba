# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""python -m yoke prepare: compile what a first session needs into the cache on disk, so that its first calls are quick."""

import argparse
import time

import yoke
from yoke import fft, ndimage, random


def arithmetic(a):
    for value in (a + a, a - a, a * a, a / a, -a, a + 1, 2 * a, a > 1, a == a, a.copy(), abs(a)):
        yield value
    yield yoke.where(a > 1, a, 0)


def functions(a):
    for name in ("sqrt", "exp", "log", "sin", "cos", "tanh", "floor"):
        yield getattr(yoke, name)(a)


def reductions(a):
    for name in ("sum", "prod", "mean", "min", "max", "argmin", "argmax", "any", "all", "std", "cumsum"):
        yield getattr(a, name)()
    for name in ("sum", "mean", "max"):
        yield getattr(a, name)(0)


def order(a):
    yield yoke.sort(a.ravel())
    yield yoke.argsort(a.ravel())
    yield yoke.unique(a)


def indexing(a):
    yield a[a > 1]
    yield yoke.take(a, [0, 1], 0)
    yield a[:, [0, 1]]
    yield yoke.concatenate([a, a])
    b = a.copy()
    b[a > 1] = 0
    yield b


def numbers(a):
    rng = random.default_rng(1, stream=a.stream)
    if "float" in str(a.dtype):
        yield rng.random(9, a.dtype)
        yield rng.normal(size=9, dtype=a.dtype)
    else:
        yield rng.integers(0, 9, 9, a.dtype)
    yield rng.permutation(9)


def products(a):
    yield a @ a
    yield a @ a[0]


def transforms(a):
    yield fft.fft(a)
    yield fft.rfft(a)


def filters(a):
    yield ndimage.gaussian_filter(a, 1)
    yield ndimage.uniform_filter(a, 3)
    yield ndimage.median_filter(a, 3)


GROUPS = {"arithmetic": arithmetic, "functions": functions, "reductions": reductions, "order": order, "indexing": indexing,
          "random": numbers, "products": products, "fft": transforms, "filters": filters}
FIRST = ["arithmetic", "reductions", "indexing", "random"]


def arguments(words):
    parser = argparse.ArgumentParser(
        "python -m yoke prepare", formatter_class=argparse.RawDescriptionHelpFormatter, description=(
            "Compile what a first session needs into the cache on disk, and say what and how long it took.\n"
            f"Groups of operations: {', '.join(GROUPS)}; without any, {', '.join(FIRST)}.\n"
            "all: every operation on contiguous arrays of the dtypes, as Device.prepare; that takes minutes on a CPU."))
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="of operations, or all")
    parser.add_argument("--dtypes", default="float32,int64", help="separated by commas; float32,int64 where none are named")
    parser.add_argument("--device", help="as in yoke.Device: cuda, opencl:1, …")
    given = parser.parse_args(words)
    for each in given.groups:
        if each not in (*GROUPS, "all"):
            parser.error(f"no group {each}; there are {', '.join(GROUPS)}, and all")
    return given


def prepare(group, dtype, device, stream):
    """Compile one group for one dtype."""
    if group == "all":
        device.prepare(dtype)
    else:
        a = yoke.asarray([[1, 2, 3], [4, 5, 6], [7, 8, 9]], dtype, stream=stream)
        for _ in GROUPS[group](a):
            pass
    stream.wait()


def main(words: list[str]) -> int:
    given = arguments(words)
    device = yoke.Device(given.device) if given.device else yoke.Device()
    stream = device.stream()
    cache = yoke.cache_info()
    if cache["mode"] != "on":
        why = f": {cache['reason']}" if cache["reason"] else ""
        print(f"the cache is {cache['mode']}{why}; nothing would be kept: see YOKE_CACHE and YOKE_CACHE_DIR")
        return 1
    print(f"{device.info.selector}: {device.info.name}; into {cache['folder']}")
    for dtype in given.dtypes.split(","):
        for group in given.groups or FIRST:
            start, before = time.perf_counter(), yoke.cache_info()
            try:
                prepare(group, dtype, device, stream)
            except (TypeError, yoke.UnsupportedError) as error:
                print(f"{dtype} {group}: left out: {error}")
                continue
            after = yoke.cache_info()
            print(f"{dtype} {group}: {after['misses'] - before['misses']} programs compiled, "
                  f"{after['hits'] - before['hits']} there already, {time.perf_counter() - start:.1f} s", flush=True)
    return 0
