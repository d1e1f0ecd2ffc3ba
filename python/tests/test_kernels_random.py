# SPDX-License-Identifier: Apache-2.0
"""Random programs in the subset of kernels: the device computes what Python does. random_kernels.py runs more of them by hand."""

import os

import pytest

import random_kernels
from kernel_samples import MESA_COMPARES, not_for_mesa


# The CUDA double compiles slowly, and one seed says whether its text is right.
@pytest.mark.parametrize("seed", (6,) if os.environ.get("YOKE_BACKEND") == "cuda" else (1, 6, 9))
def test_device_and_python_agree(seed):
    """Integers and exact floats to the bit, others to 2e-5."""
    if seed == 1:
        not_for_mesa(MESA_COMPARES)
    assert random_kernels.differences(seed, 15) == []


def test_a_seed_is_a_program():
    assert random_kernels.program(3, 2) == random_kernels.program(3, 2) != random_kernels.program(4, 2)
