# SPDX-License-Identifier: Apache-2.0
"""Other libraries on Yoke's arrays: the examples that need them run, where they are installed, and say that their numbers are
right; and what such libraries ask of an array."""

import importlib.util
import os
import re
import subprocess
import sys

import numpy
import pytest

import yoke
from tree import source_tree

FOLDER = source_tree() / "python" / "examples" / "libraries"
NEEDS = {"dask_chunks.py": "dask", "matplotlib_figure.py": "matplotlib", "scikit_learn.py": "sklearn", "scipy_signals.py": "scipy",
         "xarray_labels.py": "xarray"}


@pytest.mark.parametrize("name", NEEDS)
def test_example(name):
    if importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    done = subprocess.run([sys.executable, FOLDER / name], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(": right\n")


def test_dask_on_two_devices():
    """PoCL gives the processors as two devices, where it is asked."""
    if importlib.util.find_spec("dask") is None:
        pytest.skip("dask is not installed")
    if yoke.devices()[0].platform != "Portable Computing Language":
        pytest.skip("it is PoCL that makes two devices of one")
    done = subprocess.run([sys.executable, FOLDER / "dask_chunks.py"], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "POCL_DEVICES": "pthread pthread"})
    assert done.returncode == 0, done.stderr
    assert done.stdout == "8 chunks on 2 streams of 2 device(s): right\n"


def test_each_is_here_and_in_the_table():
    rows = re.findall(r"^\|.*\| \[libraries/(.+)\]\(libraries/\1\) \|$", (FOLDER.parent / "README.md").read_text(), re.M)
    assert sorted(path.name for path in FOLDER.glob("*.py")) == sorted(NEEDS) == rows


def test_priority():
    """By which Dask chooses the kind of a result of several."""
    assert yoke.Array.__array_priority__ > numpy.ones(1).__array_priority__
    assert isinstance(numpy.float32(2) * yoke.ones(2), yoke.Array)
