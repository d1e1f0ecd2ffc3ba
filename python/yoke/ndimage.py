# SPDX-License-Identifier: Apache-2.0
"""Filters with the names, modes and origins of scipy.ndimage; what they read and write is on the device."""

from ._core import convolve, correlate, correlate1d, gaussian_filter, separable_filter, sobel, uniform_filter

__all__ = ["convolve", "correlate", "correlate1d", "gaussian_filter", "separable_filter", "sobel", "uniform_filter"]
