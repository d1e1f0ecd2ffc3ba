# SPDX-License-Identifier: Apache-2.0
# A figure of values that the device computes: the host gets a copy where the program says to_numpy, and nowhere else.
import io

import matplotlib

matplotlib.use("Agg")  # into memory, without a window

import matplotlib.pyplot as pyplot
import numpy

import yoke

rng = yoke.random.default_rng(1)
counts, edges = yoke.histogram(rng.normal(10, 2, 100000), 40, (2, 18))
waves = yoke.evaluate("sin(i0 * 0.1) * cos(i1 * 0.05)", x=yoke.zeros((64, 128)))

figure, (left, right) = pyplot.subplots(1, 2)
bars = left.stairs(counts.to_numpy(), edges.to_numpy())
image = right.imshow(yoke.ndimage.gaussian_filter(waves, 1).to_numpy())
file = io.BytesIO()
figure.savefig(file)

assert file.getvalue().startswith(b"\x89PNG") and len(file.getvalue()) > 5000
drawn = bars.get_data().values
assert 99900 < drawn.sum() <= 100000 and abs(numpy.average(numpy.arange(40) + 0.5, weights=drawn) * 0.4 + 2 - 10) < 0.05
assert numpy.abs(image.get_array()).max() <= 1
print("a figure of two arrays: right")
