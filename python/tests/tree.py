# SPDX-License-Identifier: Apache-2.0
"""Where the source is: the suite may run from a copy in a build folder."""

import os
import pathlib

import pytest


def source_tree():
    """The folder of the source; the module that asks is skipped where the tests have been taken out of it."""
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("top_srcdir")  # make check sets it, relative to the build folder
    folders = [*here.parents] + ([each / named for each in here.parents] if named else [])
    for folder in folders:
        if (folder / "python" / "examples" / "README.md").exists():
            return folder.resolve()
    pytest.skip("the source is not here", allow_module_level=True)
