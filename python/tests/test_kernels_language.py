# SPDX-License-Identifier: Apache-2.0
"""Each sample kernel gives on the device what it gives as plain Python."""

import numpy
import pytest

import yoke
from kernel_samples import MESA_COMPARES, not_for_mesa, samples, wants_double

SAMPLES = samples()


@pytest.mark.parametrize("number", range(len(SAMPLES)), ids=[f"{i}-{each[0].name}" for i, each in enumerate(SAMPLES)])
def test_device_and_python_agree(number):
    kernel, shape, args = SAMPLES[number]
    if any(getattr(each, "dtype", None) == numpy.float64 for each in args):
        wants_double()
    if kernel.name == "functions":
        not_for_mesa(MESA_COMPARES)  # the sign of a step
    stream = yoke.default_stream()
    arrays = [yoke.asarray(each) if isinstance(each, numpy.ndarray) else each for each in args]
    kernel[shape](stream, *arrays)
    expected = [each.copy() if isinstance(each, numpy.ndarray) else each for each in args]
    kernel.simulate[shape](*expected)
    changed = 0
    for before, array, wanted in zip(args, arrays, expected):
        if isinstance(wanted, numpy.ndarray):
            changed += not numpy.array_equal(before, wanted)
            got = array.to_numpy()
            if wanted.dtype.kind == "f":
                numpy.testing.assert_allclose(got, wanted, rtol=1e-5 if wanted.dtype == numpy.float32 else 1e-12, atol=1e-6)
            else:
                numpy.testing.assert_array_equal(got, wanted)
    assert changed
