# SPDX-License-Identifier: Apache-2.0
"""The Python of the guide's pages runs, all blocks of a page in their order, and prints what the page shows below a
block, in a block of text. A block below a comment is run by the test that the comment names."""

import asyncio
import contextlib
import io
import inspect
import re

import numpy
import pytest

from tree import source_tree

FOLDER = source_tree() / "doc"
BLOCK = re.compile(r"(?<!-->\n)^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


PAGES = [("../README.md", 1), ("python.md", 18), ("python-numpy.md", 1), ("kernels-in-python.md", 8), ("from-numba.md", 1),
         ("from-cupy.md", 1), ("tutorial-python.md", 7)]


@pytest.mark.parametrize("page, least", PAGES)
def test_page(page, least):
    text = (FOLDER / page).read_text()
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) >= least
    names = {"numpy": numpy, "time": __import__("time")}
    for block in blocks:
        line = text[:block.start(1)].count("\n")
        out = io.StringIO()
        code = compile("\n" * line + block[1], str(FOLDER / page), "exec")
        with contextlib.redirect_stdout(out):
            exec(code, names)
            if inspect.iscoroutinefunction(main := names.pop("main", None)):
                asyncio.run(main())
        assert block[2] is None or out.getvalue() == block[2], f"{page}:{line}"
