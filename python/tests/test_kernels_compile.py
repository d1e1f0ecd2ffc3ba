# SPDX-License-Identifier: Apache-2.0
"""python -m yoke cc FILE.py: the kernels of a file as one text, which a C program uses."""

import subprocess
import sys

import pytest

import yoke
from tree import source_tree

EXAMPLE = source_tree() / "examples" / "drafted.py"


def cc(*words):
    done = subprocess.run([sys.executable, "-m", "yoke", "cc", *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_the_example_has_the_text_of_its_kernel(tmp_path):
    """drafted.yk is what the tool gives, on stdout and in a file."""
    expected = EXAMPLE.with_suffix(".yk").read_text()
    assert cc(EXAMPLE) == (0, expected, "")
    out = tmp_path / "out.yk"
    assert cc(EXAMPLE, "-o", out) == (0, "", "") and out.read_text() == expected


def test_the_same_without_a_process(monkeypatch):
    """Where indices are checked, too, which a C program has no wait for."""
    from yoke.kernels.compile import text_of_file

    monkeypatch.setenv("YOKE_KERNEL_BOUNDS", "1")
    assert text_of_file(EXAMPLE) == EXAMPLE.with_suffix(".yk").read_text()


TWO = '''# SPDX-License-Identifier: MIT
import dataclasses
import yoke

@dataclasses.dataclass
class Body:
    mass: "float32"
    alive: bool

@yoke.function
def half(v):
    return v / 2

@yoke.kernel
def last(x: yoke.Array["float64"]):
    third = 1 / 3
    x[0] = half(x[1]) + third

@yoke.kernel
def first(x: yoke.Array["float32"], bodies: yoke.Array[Body]):
    third = 1 / 3
    x[0] = half(x[1]) + bodies[0].mass + 0 * third
'''


def test_a_file_of_several_kernels(tmp_path):
    """One text, in which what the kernels share stands once."""
    file = tmp_path / "two.py"
    file.write_text(TWO)
    code, text, _ = cc(file)
    assert code == 0 and text.startswith("/* SPDX-License-Identifier: MIT */\n/* Made from two.py by")
    assert text.count("YOKE_KERNEL void") == 2 and text.index("void last(") < text.index("void first(")
    assert text.count("double third_") == text.count("float third_") == 1  # Python's floats, with float64 beside them and without
    assert text.count("typedef struct Body {") == 1 and "#line" not in text
    stream = yoke.default_stream()
    x, bodies = yoke.asarray([0.0, 8]), stream.device.buffer(8)
    stream.device.build(text)["first"][1](stream, x, 2, yoke.In(b"\0\0\0\x40\1\0\0\0"), 1)
    assert x.tolist() == [6, 8] and bodies.size == 8


@pytest.mark.parametrize("body, words, text", [
    ("", (), "has no kernel: decorate a function with @yoke.kernel"),
    ("@yoke.kernel\ndef k(x):\n    x[0] = 1\n", (), "k: the type of x is not known before a launch: annotate it"),
    ('@yoke.kernel\ndef k(x: yoke.Array["float32"]):\n    x[0] = sorted(x)\n', (), "sorted is not part of kernels"),
    ('@yoke.kernel\ndef k(x: yoke.Array["float32"]):\n    x[0] = 1\n@yoke.kernel(math="exact")\ndef l(x: yoke.Array["float32"]):\n'
     "    x[0] = 1\n", (), "the kernels of one text have one math="),
    ('@yoke.kernel\ndef k(x: yoke.Array["float32"]):\n    x[0] = 1\n', ("--fast-math", "-o", "no_such.yk"),
     "--fast-math is for compilers"),
])
def test_mistakes(tmp_path, body, words, text):
    file = tmp_path / "wrong.py"
    file.write_text("import yoke\n" + body)
    code, out, message = cc(file, *words)
    assert code in (1, 2) and out == "" and text in message and "Traceback" not in message


def test_a_file_that_is_not_there():
    assert cc("no_such_file.py")[0] == 1
