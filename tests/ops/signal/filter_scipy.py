#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the filters of libyoke-ops with scipy.ndimage. It needs SciPy and a built tree:

    tests/ops/signal/filter_scipy.py BUILD/.libs [SEED [CASES]]

The libraries are called through ctypes, on the device that YOKE_DEVICE or YOKE_BACKEND orders. Floating-point results may differ by
a few units in the last place of the largest sum; integers by 1 where a sum is all but half-way between two of them."""

import ctypes
import sys

import numpy as np
from scipy import ndimage

DTYPES = {"int8": 2, "uint8": 3, "int16": 4, "uint16": 5, "float16": 10, "float32": 12, "float64": 13}
MODES = ["reflect", "constant", "nearest", "mirror", "wrap"]


class Array(ctypes.Structure):
    _fields_ = [("buffer", ctypes.c_void_p), ("offset", ctypes.c_uint64), ("dtype", ctypes.c_int32), ("dimensions", ctypes.c_int32),
                ("shape", ctypes.c_int64 * 8), ("strides", ctypes.c_int64 * 8)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("boundary", ctypes.c_int32), ("rounding", ctypes.c_int32), ("value", ctypes.c_double),
                ("truncate", ctypes.c_double), ("origins", ctypes.POINTER(ctypes.c_int32))]


class Weights(ctypes.Structure):
    _fields_ = [("values", ctypes.POINTER(ctypes.c_double)), ("count", ctypes.c_int64)]


class Yoke:
    def __init__(self, folder):
        self.core = ctypes.CDLL(folder + "/libyoke.so.0", mode=ctypes.RTLD_GLOBAL)
        self.ops = ctypes.CDLL(folder + "/libyoke-ops.so.0")
        self.core.yoke_error.restype = ctypes.POINTER(ctypes.c_int32)
        self.device, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.core.yoke_device_open(None, ctypes.byref(self.device)))
        self.check(self.core.yoke_stream_create(self.device, NULL, ctypes.byref(self.stream)))

    def check(self, status):
        if status < 0:
            raise RuntimeError(f"status {status}")

    def array(self, data):
        a = Array(dtype=DTYPES[data.dtype.name], dimensions=data.ndim)
        buffer = ctypes.c_void_p()
        self.check(self.core.yoke_buffer_create(self.device, ctypes.c_size_t(data.nbytes), ctypes.byref(buffer)))
        a.buffer = buffer.value
        for i in range(data.ndim):
            a.shape[i] = data.shape[i]
            a.strides[i] = data.strides[i] // data.itemsize
        self.check(self.core.yoke_write_sync_at(b"scipy", self.stream, buffer, ctypes.c_size_t(0),
                                                data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes)))
        return a

    def run(self, function, data, out_dtype, arguments, axes, options):
        out = np.zeros(data.shape, out_dtype)
        a, b = self.array(data), self.array(out)
        call = getattr(self.ops, function + "_at")
        self.check(call(b"scipy", self.stream, ctypes.byref(b), ctypes.byref(a), *arguments, (ctypes.c_int32 * len(axes))(*axes),
                        ctypes.c_size_t(len(axes)), ctypes.byref(options)))
        self.check(self.core.yoke_read_sync_at(b"scipy", self.stream, out.ctypes.data_as(ctypes.c_void_p),
                                               ctypes.c_void_p(b.buffer), ctypes.c_size_t(0), ctypes.c_size_t(out.nbytes)))
        for x in (a, b):
            self.core.yoke_buffer_release(ctypes.c_void_p(x.buffer))
        return out


def doubles(values):
    values = np.ascontiguousarray(values, np.float64)
    return (ctypes.c_double * values.size)(*values.ravel())


def along_axes(filter_1d, data, axes, **more):
    for i, axis in enumerate(axes):
        data = filter_1d(data, i, axis, **more)
    return data


def random_case(rng, number):
    """A filter with its arguments for Yoke, and SciPy's result as doubles."""
    dimensions = int(rng.integers(1, 4))
    shape = tuple(int(rng.integers(1, [300, 80, 24][dimensions - 1])) for _ in range(dimensions))
    dtype = list(DTYPES)[number % len(DTYPES)]
    low, high = (-100, 100) if dtype[0] == "i" else (0, 255)
    data = rng.normal(size=shape) if "float" in dtype else rng.integers(low, high, size=shape)
    data = data.astype(dtype)
    count = int(rng.integers(1, dimensions + 1))
    axes = sorted(int(x) for x in rng.choice(dimensions, count, replace=False))
    mode = int(rng.integers(0, 5))
    value = float(rng.integers(-3, 4))
    more = {"mode": MODES[mode], "cval": value}
    kind = ["gaussian", "box", "separable", "sobel", "correlate", "convolve"][int(rng.integers(0, 6))]
    wide = data.astype(np.float64)
    sizes = [int(rng.integers(1, 12)) for _ in axes]
    if kind == "box" and rng.integers(0, 3) == 0:
        sizes[0] = int(rng.integers(65, 200))
    origins = [0] * count
    options = Options(size=ctypes.sizeof(Options), boundary=mode, value=value)
    if kind == "gaussian":
        sigmas = [float(x) for x in rng.uniform(0.2, 4, count)]
        options.truncate = float(rng.choice([0, 3]))
        reach = options.truncate or 4.0
        expected = along_axes(lambda x, i, axis, **m:
                              ndimage.gaussian_filter1d(x, sigmas[i], axis, truncate=reach, **m), wide, axes, **more)
        arguments = [doubles(sigmas)]
    elif kind == "sobel":
        axis = int(rng.choice(axes))
        expected = along_axes(lambda x, i, at, **m:
                              ndimage.correlate1d(x, [-1, 0, 1] if at == axis else [1, 2, 1], at, **m), wide, axes, **more)
        if count == dimensions and (mode != 1 or value == 0):  # SciPy begins with `axis`, which a constant edge shows
            assert np.allclose(expected, ndimage.sobel(wide, axis, **more), 1e-12, 1e-12)
        arguments = [ctypes.c_int32(axis)]
    else:
        even = kind == "convolve"
        origins = [int(rng.integers(-(n // 2), n - n // 2)) for n in sizes]
        if kind == "box":
            expected = along_axes(lambda x, i, axis, **m:
                                  ndimage.uniform_filter1d(x, sizes[i], axis, origin=origins[i], **m), wide, axes, **more)
            arguments = [(ctypes.c_int64 * count)(*sizes)]
        elif kind == "separable":
            lists = [rng.normal(size=n) for n in sizes]
            expected = along_axes(lambda x, i, axis, **m:
                                  ndimage.correlate1d(x, lists[i], axis, origin=origins[i], **m), wide, axes, **more)
            arguments = [(Weights * count)(*[Weights(doubles(x), len(x)) for x in lists])]
        else:
            weights = rng.normal(size=sizes)
            full = [sizes[axes.index(i)] if i in axes else 1 for i in range(dimensions)]
            where = [origins[axes.index(i)] if i in axes else 0 for i in range(dimensions)]
            if even:  # SciPy checks the reversed origin
                where = [min(x, (n - 1) // 2) if n % 2 == 0 else x for x, n in zip(where, full)]
                origins = [where[axis] for axis in axes]
            function = ndimage.convolve if even else ndimage.correlate
            expected = function(wide, weights.reshape(full), origin=where, **more)
            arguments = [doubles(weights), (ctypes.c_int64 * count)(*sizes)]
    options.origins = (ctypes.c_int32 * count)(*origins)
    name = {"correlate": "yoke_correlate", "convolve": "yoke_convolve"}.get(kind, f"yoke_{kind}_filter")
    text = f"{name} of {dtype}{list(shape)}, axes {axes}, {MODES[mode]}, sizes {sizes}, origins {origins}"
    return name, data, arguments, axes, options, expected, text


def agree(out, expected, dtype):
    if "float" not in dtype:
        limits = np.iinfo(dtype)
        wanted = np.clip(np.rint(expected), limits.min, limits.max)
        half = np.abs(np.abs(expected - np.trunc(expected)) - 0.5) < 1e-3
        return bool(np.all((out == wanted) | (half & (np.abs(out - wanted) <= 1))))
    eps = np.finfo(dtype).eps
    scale = np.max(np.abs(expected), initial=1)
    return bool(np.all(np.abs(out - expected) <= 16 * eps * scale))


def main():
    yoke = Yoke(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    cases = int(sys.argv[3]) if len(sys.argv) > 3 else 300
    rng = np.random.default_rng(seed)
    bad = 0
    for number in range(cases):
        name, data, arguments, axes, options, expected, text = random_case(rng, number)
        out = yoke.run(name, data, data.dtype, arguments, axes, options)
        if not agree(out, expected, data.dtype.name):
            bad += 1
            worst = np.unravel_index(np.argmax(np.abs(out - expected)), out.shape)
            print(f"not ok {number} - {text}: {out[worst]!r}, SciPy has {expected[worst]!r} at {worst}")
    print(f"{cases - bad} of {cases} agree")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
