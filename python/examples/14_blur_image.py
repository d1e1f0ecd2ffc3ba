# SPDX-License-Identifier: Apache-2.0
# Gaussian blur of an image file; the check is the same in NumPy, the columns and then the rows.
import numpy as np, yoke
image = np.loadtxt(__file__[:-3] + ".pgm", np.float32, skiprows=4)
blurred = yoke.ndimage.gaussian_filter(yoke.asarray(image), sigma=3).to_numpy()
w = (w := np.exp(-np.arange(-12, 13) ** 2 / (2 * 3.0**2))) / w.sum()
columns = np.apply_along_axis(np.convolve, 0, np.pad(image, 12, "symmetric"), w, "valid")
assert np.allclose(blurred, np.apply_along_axis(np.convolve, 1, columns, w, "valid"), rtol=1e-4); print("blurred image: right")
