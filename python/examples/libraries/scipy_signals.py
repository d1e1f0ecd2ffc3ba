# SPDX-License-Identifier: Apache-2.0
# SciPy on the device: with SCIPY_ARRAY_API=1 its functions take Yoke's arrays and give them, since these follow the array API
# standard. Filters, transforms and statistics are checked against SciPy's own of NumPy's arrays.
import os

os.environ["SCIPY_ARRAY_API"] = "1"  # before SciPy is imported

import numpy
import scipy.fft
import scipy.signal
import scipy.special
import scipy.stats

import yoke

noise = numpy.random.default_rng(1).normal(size=(4, 256)).astype("float32")
tone = (numpy.sin(numpy.arange(256) * 0.3) * 3 + noise).astype("float32")
bell = numpy.hanning(9).astype("float32")

PROGRAMS = {
    "fft.rfft": lambda x, w: scipy.fft.rfft(x),
    "fft.fftshift": lambda x, w: scipy.fft.fftshift(x, axes=1),
    "signal.fftconvolve": lambda x, w: scipy.signal.fftconvolve(x, w[None, :], mode="same", axes=1),
    "signal.hilbert": lambda x, w: scipy.signal.hilbert(x),
    "signal.detrend": lambda x, w: scipy.signal.detrend(x),
    "stats.zscore": lambda x, w: scipy.stats.zscore(x, axis=1),
    "stats.skew": lambda x, w: scipy.stats.skew(x, axis=1),
    "stats.ttest_1samp": lambda x, w: scipy.stats.ttest_1samp(x, 0.0, axis=1).statistic,
    "stats.gmean": lambda x, w: scipy.stats.gmean(abs(x) + 1, axis=1),
    "special.softmax": lambda x, w: scipy.special.softmax(x, axis=1),
}

on_device = yoke.asarray(tone), yoke.asarray(bell)
for name, program in PROGRAMS.items():
    result, expected = program(*on_device), program(tone, bell)
    assert isinstance(result, yoke.Array), name
    numpy.testing.assert_allclose(result.to_numpy(), expected, rtol=2e-3, atol=2e-3, err_msg=name)
print(f"{len(PROGRAMS)} functions of SciPy on {yoke.default_stream().device.info.name}: right")
