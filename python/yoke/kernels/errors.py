# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""KernelError: a mistake in a kernel, with its place in the Python file."""

import linecache

from .._core import Error


class KernelError(Error):
    """A kernel is not what Yoke can translate, or is called with what it does not take. file, line: where."""

    __module__ = "yoke"
    file = ""
    line = 0


class NotYetKnown(KernelError):
    """A mistake only if nothing changes before the first launch: a name may be defined below the kernel, and the annotations do not
    tell how many dimensions an array has."""


def error(kernel, node, message, kind=KernelError):
    """A KernelError at a node of the kernel's syntax tree: the message, the line, and a caret below what is wrong."""
    line = getattr(node, "lineno", 0)
    source = linecache.getline(kernel.file, line).rstrip()
    text = f"{kernel.name}: {message}\n  {kernel.file}:{line}"
    if source:
        first = getattr(node, "col_offset", 0) + kernel.indent
        whole = getattr(node, "end_lineno", line) == line
        last = getattr(node, "end_col_offset", first + 1) + kernel.indent if whole else len(source.encode())
        # Offsets are of UTF-8, carets of characters.
        start = len(source.encode()[:first].decode(errors="replace"))
        end = len(source.encode()[:last].decode(errors="replace"))
        strip = len(source) - len(source.lstrip())
        text += f"\n    {source[strip:]}\n    {' ' * (start - strip)}{'^' * max(1, end - start)}"
    failure = kind(text)
    failure.file, failure.line = kernel.file, line
    return failure
