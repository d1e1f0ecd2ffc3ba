# SPDX-License-Identifier: Apache-2.0
"""A plugin for pytest that tests/array-api.sh gives to the public tests of the array API standard: those that a line of the file
YOKE_ARRAY_API_EXCLUSIONS names must fail; of a line after "? " they may pass. A line that names none is an error. The examples
that the tests' own settings decide are the same in each run."""

import os
import re

import hypothesis
import pytest


def patterns():
    with open(os.environ["YOKE_ARRAY_API_EXCLUSIONS"]) as lines:
        return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


@pytest.hookimpl(trylast=True)
def pytest_configure():
    """After the suite has set its own."""
    hypothesis.settings.register_profile("fixed", parent=hypothesis.settings(), derandomize=True, database=None)
    hypothesis.settings.load_profile("fixed")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    for line in patterns():
        strict, pattern = not line.startswith("? "), line.removeprefix("? ")
        found = [item for item in items if re.search(pattern, item.nodeid)]
        if not found:
            raise pytest.UsageError(f"no test is left out by {pattern}")
        for item in found:
            item.add_marker(pytest.mark.xfail(strict=strict, reason=pattern))
