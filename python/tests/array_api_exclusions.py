# SPDX-License-Identifier: Apache-2.0
"""A plugin for pytest that tests/array-api.sh gives to the public tests of the array API standard: those that a line of the file
YOKE_ARRAY_API_EXCLUSIONS names must fail; of a line after "? " they may pass, and of one after "apart? " they may fail where the
device's memory is not the host's. A line that names none is an error. The examples that the tests' own settings decide are the same
in each run."""

import os
import re

import hypothesis
import pytest

import yoke


def lines():
    """(whether it is for memory apart from the host's, whether its tests must fail, its pattern) of each line."""
    with open(os.environ["YOKE_ARRAY_API_EXCLUSIONS"]) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                apart, may_pass, pattern = re.match(r"(apart\? )?(\? )?(.*)", line.strip()).groups()
                yield bool(apart), not apart and not may_pass, pattern


def is_apart():
    """Whether the host gets to the memory of the default device by a copy alone."""
    try:
        yoke.zeros(1).__dlpack__(dl_device=(1, 0), copy=False)
    except BufferError:
        return True
    return False


@pytest.hookimpl(trylast=True)
def pytest_configure():
    """After the suite has set its own."""
    hypothesis.settings.register_profile("fixed", parent=hypothesis.settings(), derandomize=True, database=None)
    hypothesis.settings.load_profile("fixed")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    for apart, strict, pattern in lines():
        found = [item for item in items if re.search(pattern, item.nodeid)]
        if not found:
            raise pytest.UsageError(f"no test is left out by {pattern}")
        for item in found if not apart or is_apart() else []:
            item.add_marker(pytest.mark.xfail(strict=strict, reason=pattern))
