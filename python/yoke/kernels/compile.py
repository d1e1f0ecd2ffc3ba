# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""python -m yoke cc FILE.py: the kernels of a Python file as one text, FILE.yk, which `yoke cc` and every program of Yoke's take.
What is drafted in Python so ends in a C library."""

import os
import re
import runpy
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from .bounds import NeedsRecord
from .errors import KernelError
from .launch import Kernel, is_wide
from .translate import Program


def text_of_file(path):
    """The text of all kernels that a file decorates, in their order: without the lines that name the Python file, which need not be
    there any more."""
    kernels = kernels_of_file(path)
    program, maths = Program(False), {each.math for each in kernels}
    if len(maths) > 1:
        raise KernelError(f"{path}: the kernels of one text have one math=, and these have {', '.join(sorted(maths))}: write two "
                          "files")
    for kernel in kernels:
        types = kernel.types_of_annotations()
        program.wide = is_wide(types)
        try:
            program.add(kernel, types)
        except NeedsRecord as need:
            raise KernelError(f"{path}: {kernel.name} has {need}: take it out for C programs") from None
    lines = [part for line in program.text().split("\n") if not line.startswith("#line ")
             for part in (textwrap.wrap(line, 120, subsequent_indent="    ") if line.startswith("YOKE_") else [line])]
    body = re.sub("\n{3,}", "\n\n", "\n".join(lines)).replace("\n{\n\n", "\n{\n")
    return head(path, maths) + body


def kernels_of_file(path):
    checked = os.environ.pop("YOKE_KERNEL_BOUNDS", None)  # a C program has no wait that reads the record
    try:
        sys.path.insert(0, str(Path(path).resolve().parent))
        names = runpy.run_path(str(path), run_name="yoke.cc")
    finally:
        sys.path.pop(0)
        if checked is not None:
            os.environ["YOKE_KERNEL_BOUNDS"] = checked
    file = os.path.abspath(path)
    found = {id(each): each for each in names.values() if isinstance(each, Kernel) and os.path.abspath(each.file) == file}
    if not found:
        raise KernelError(f"{path} has no kernel: decorate a function with @yoke.kernel")
    return sorted(found.values(), key=lambda each: each.tree.lineno)


def head(path, maths):
    """What is written before the text: the file's licence, and where it is from."""
    first = []
    for line in Path(path).read_text().split("\n"):
        if not line.startswith("#"):
            break
        first.append(line.lstrip("#! ").rstrip())
    licence = "".join(f"/* {line} */\n" for line in first if line.startswith("SPDX"))
    options = {"exact": " Compile it with --exact-math.", "fast": " Compile it with --fast-math."}
    more = "".join(options.get(each, "") for each in maths)
    return (f"{licence}/* Made from {Path(path).name} by python -m yoke cc: change that file. An array is a pointer and its "
            f"extents, as int64_t.{more} */\n")


def main(words: list[str], tool: str | None) -> int:
    """`cc` and what follows it: a Python file, and options of `yoke cc`. tool: the program `yoke`, or None."""
    file = next(each for each in words if each.endswith(".py"))
    out = words[words.index("-o") + 1] if "-o" in words[:-1] else None
    try:
        text = text_of_file(file)
    except (KernelError, OSError) as failure:
        print(f"yoke cc: {failure}", file=sys.stderr)
        return 1
    if out is not None and out.endswith(".yk") or out is None and words == [file]:
        rest = [each for each in words if each not in ("-o", out, file)]
        if rest:
            print(f"yoke cc: {rest[0]} is for compilers, and FILE.yk is a text: give it to yoke cc FILE.yk", file=sys.stderr)
            return 2
        if out is None:
            print(text, end="")
        else:
            Path(out).write_text(text)
        return 0
    if tool is None:
        print("yoke cc: the program `yoke`, which compiles, is neither in this package nor in PATH: write FILE.yk with -o, or "
              "install Yoke", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / f"{Path(file).stem}.yk"
        made.write_text(text)
        return subprocess.run([tool, "cc", *(str(made) if each == file else each for each in words)]).returncode
