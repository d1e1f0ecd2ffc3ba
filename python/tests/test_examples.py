# SPDX-License-Identifier: Apache-2.0
"""The examples run, say that their numbers are right, and are no longer than their README says and than the originals were."""

import re
import subprocess
import sys

import pytest

from tree import source_tree

FOLDER = source_tree() / "python" / "examples"
ROWS = re.findall(r"^\|.*\| \[(.+)\]\(\1\) \| (\d+) \| (\d+) \|$", (FOLDER / "README.md").read_text(), re.M)


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.py")))
def test_example(name):
    done = subprocess.run([sys.executable, FOLDER / name], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(": right\n") and done.stderr == ""


def test_each_is_in_the_table():
    assert [row[0] for row in ROWS] == sorted(path.name for path in FOLDER.glob("*.py"))
    assert len(ROWS) == 15


@pytest.mark.parametrize("name, original, ours", ROWS)
def test_lines(name, original, ours):
    lines = [line.strip() for line in (FOLDER / name).read_text().splitlines()]
    assert len([line for line in lines if line and not line.startswith("#")]) == int(ours) <= int(original)
