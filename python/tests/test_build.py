# SPDX-License-Identifier: Apache-2.0
"""What setup.py does to Cython's code, and what it is done for: importing the package imports little."""

import ast
import subprocess
import sys

import pytest

import yoke
from tree import source_tree

SETUP = source_tree() / "python" / "setup.py"


@pytest.fixture
def spare_inspect():
    """The function of setup.py, which is a program: its other statements build the package."""
    def named(node):
        return [node.name] if isinstance(node, ast.FunctionDef) else [each.id for each in getattr(node, "targets", ())]

    tree = ast.parse(SETUP.read_text())
    tree.body = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "pathlib"
                 or {"INSPECT", "spare_inspect"} & {*named(node)}]
    names = {}
    exec(compile(tree, str(SETUP), "exec"), names)
    return names["spare_inspect"]


def test_inspect_is_replaced_once(spare_inspect, tmp_path):
    source = tmp_path / "module.c"
    source.write_text('a();\ninspect = PyImport_ImportModule("inspect");\n')
    for _ in range(2):  # the second build finds what the first has written
        spare_inspect(source)
        assert source.read_text() == 'a();\ninspect = PyImport_ImportModule("sys");\n'


@pytest.mark.parametrize("text", ["a();\n", 'PyImport_ImportModule("inspect"); PyImport_ImportModule("inspect");\n'])
def test_code_of_another_cython_is_refused(spare_inspect, tmp_path, text):
    source = tmp_path / "module.c"
    source.write_text(text)
    with pytest.raises(SystemExit, match="this version of Cython"):
        spare_inspect(source)
    assert source.read_text() == text


def test_an_import_imports_little():
    code = "import sys; before = {*sys.modules}; import yoke; print(*{*sys.modules} - before)"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "yoke._core.array" in imported
    assert not {"inspect", "numpy", "asyncio", "yoke._core.comm"} & {*imported}


def test_no_name_tells_its_module():
    """Users, and what they pickle, know one module, however many there are."""
    modules = {getattr(getattr(yoke, name), "__module__", "yoke") for name in yoke.__all__}
    assert modules == {"yoke", "yoke._core", "yoke._trace"}
