# SPDX-License-Identifier: Apache-2.0
"""The sample kernels are CUDA C++ to NVIDIA's own compiler: NVRTC needs no GPU. Skipped where there is no libnvrtc."""

import os

import numpy
import pytest

import kernel_samples
import random_kernels
import test_kernels_bounds
import test_kernels_grid
import test_kernels_records
import test_kernels_simulate
import yoke


pytestmark = pytest.mark.skipif(os.environ.get("YOKE_BACKEND") == "cuda", reason="the same as with the other backend")


def compiled(text):
    """Machine code for the GPUs of compute capability 9.0."""
    try:
        return yoke.Source(text, name="kernels").compile("sm_90")
    except (yoke.UnavailableError, yoke.UnsupportedError) as failure:
        pytest.skip(str(failure))


def text_of(kernels, small=None):
    """One text of (kernel, arguments): NumPy arrays stand for arrays of the device. small: that of small launches."""
    from yoke.kernels.launch import is_wide
    from yoke.kernels.translate import Program

    program, names = Program(False, small=small), set()
    for kernel, args in kernels:
        if kernel.name not in names:  # the same with other types needs a text of its own
            names.add(kernel.name)
            types = kernel.types_of([yoke.In(each) if isinstance(each, numpy.ndarray) and each.shape else each for each in args])
            program.wide = is_wide(types)
            program.add(kernel, types)
    return program.text()


def test_samples():
    samples = [(each[0], each[2]) for each in kernel_samples.samples()]
    f4 = numpy.zeros(128, "f4")
    more = [(test_kernels_records.mixed, [*test_kernels_records.arrays(), *test_kernels_records.SCALARS]),
            (test_kernels_records.structured, [test_kernels_records.particles(), test_kernels_records.particles()[0],
                                               test_kernels_records.particles()]),
            (test_kernels_simulate.sums, [f4, numpy.zeros((4, 128), "f4"), f4]), (test_kernels_bounds.printing, [f4])]
    assert len(compiled(text_of([*samples, *more]))) > 1000
    assert len(compiled(text_of(samples[::-1], ()))) > 1000  # with the other types


def test_grids_that_wait_for_themselves():
    """And names of several arrays."""
    f4 = yoke.In(numpy.zeros(8, "f4"))
    assert compiled(test_kernels_grid.rows.text(yoke.In(numpy.zeros((2, 2), "i4"))))
    assert compiled(test_kernels_grid.heat.kernel.text(f4, f4, 3, 0.25))
    assert compiled(test_kernels_grid.by_turns.text(f4, f4, 3, f4))


def test_checked_kernels(monkeypatch):
    monkeypatch.setenv("YOKE_KERNEL_BOUNDS", "1")
    kernel = yoke.kernel(test_kernels_bounds.outside)
    f4 = numpy.zeros(4, "f4")
    assert compiled(kernel.text(yoke.In(f4), yoke.In(numpy.zeros((2, 2), "f4")), yoke.In(f4), 1))
    assert compiled(test_kernels_bounds.asserting.text(yoke.In(f4), 1))


def test_random_kernels():
    kernel = random_kernels.loaded(random_kernels.program(11, 5), "<random kernel for NVRTC>")["mixed"]
    results, numbers = random_kernels.arguments(11, 5)
    assert compiled(kernel.text(*map(yoke.In, [*results, *numbers])))
