# SPDX-License-Identifier: Apache-2.0
# The types of the filters, which are in _core/__init__.pyi.

from ._core import (
    convolve as convolve,
    correlate as correlate,
    correlate1d as correlate1d,
    gaussian_filter as gaussian_filter,
    separable_filter as separable_filter,
    sobel as sobel,
    uniform_filter as uniform_filter,
)
