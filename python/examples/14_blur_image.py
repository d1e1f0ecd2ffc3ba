# SPDX-License-Identifier: Apache-2.0
# Gaussian blur of an image file: one matrix product for the columns, and one for the rows.
import numpy as np, yoke
image = yoke.asarray(np.loadtxt(__file__[:-3] + ".pgm", np.float32, skiprows=4))
weights = yoke.asarray(np.exp([[-(i - j) ** 2 / (2 * 3.0**2) for j in range(32)] for i in range(32)]).astype(np.float32) / 7.52)
blurred = (weights[:, :, None] * (weights[:, :, None] * image).sum(axis=1).T).sum(axis=1).T.to_numpy()
assert np.allclose(blurred, weights.to_numpy() @ image.to_numpy() @ weights.to_numpy(), rtol=1e-4)
print("blurred image: right")
