# SPDX-License-Identifier: Apache-2.0
"""A plugin for pytest that tests/array-api.sh gives to the public tests of the array API standard: those that a line of the file
YOKE_ARRAY_API_EXCLUSIONS names must fail. A line that names none is an error."""

import os
import re

import pytest


def patterns():
    with open(os.environ["YOKE_ARRAY_API_EXCLUSIONS"]) as lines:
        return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    for pattern in patterns():
        found = [item for item in items if re.search(pattern, item.nodeid)]
        if not found:
            raise pytest.UsageError(f"no test is left out by {pattern}")
        for item in found:
            item.add_marker(pytest.mark.xfail(strict=True, reason=pattern))
