# SPDX-License-Identifier: Apache-2.0
"""python -m yoke: the version, the devices, and why others are missing. python -m yoke WORD …: the program `yoke`, as `yoke info`,
`yoke trace` or `yoke bench`; that of this package, or the one in PATH. python -m yoke trace FILE.py … traces a Python program, and
python -m yoke cc FILE.py [-o FILE.yk] writes the text of its kernels. python -m yoke prepare compiles into the cache on disk what a
first session needs."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import yoke


def find_program() -> str | None:
    beside = Path(__file__).parent / "bin" / "yoke"
    return str(beside) if os.access(beside, os.X_OK) else shutil.which("yoke")


def with_python(words: list[str]) -> list[str]:
    """The words of `yoke trace`, where a Python file stands for the interpreter with this file."""
    options = 1
    while options < len(words) and words[options].startswith("-"):
        options += 1 if "=" in words[options] or words[options] not in ("--out", "--svg", "--read") else 2
    if words[0] == "trace" and options < len(words) and words[options].endswith(".py"):
        return [*words[:options], sys.executable, *words[options:]]
    return words


def main(words: list[str]) -> int:
    if not words:
        print(yoke.info())
        return 0
    if words[0] == "prepare":
        from yoke import _prepare

        return _prepare.main(words[1:])
    program = find_program()
    if words[0] == "cc" and any(each.endswith(".py") for each in words):
        from yoke.kernels.compile import main as compile_file

        return compile_file(words[1:], program)
    if program is None:
        print(f"python -m yoke {words[0]}: the program `yoke` is neither in this package nor in PATH: install it with `make "
              "install` in a clone, or call python -m yoke without words for the devices", file=sys.stderr)
        return 2
    sys.stdout.flush()
    os.execv(program, ["yoke", *with_python(words)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
