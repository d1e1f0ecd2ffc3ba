# SPDX-License-Identifier: Apache-2.0
"""The stubs: nothing public is missing in them, their parameters are those of the functions, and mypy accepts what it should."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import yoke
import yoke.comm
import yoke.fft
import yoke.random

FOLDER = Path(yoke.__file__).parent
HERE = Path(__file__).parent


def declared(name):
    """What a stub declares: {name: node}, the last of overloads; {} for a class's members too."""
    def members(body):
        found = {}
        for node in body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                found[node.name] = node
            elif isinstance(node, ast.AnnAssign):
                found[node.target.id] = node
        return found

    body = ast.parse((FOLDER / name).read_text()).body
    top = members(body)
    for node in body:  # what it takes from the stubs of other modules, by names or all
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            stub = FOLDER / node.module.replace(".", "/")
            theirs = ast.parse((stub / "__init__.pyi" if stub.is_dir() else stub.with_suffix(".pyi")).read_text()).body
            names, listed = [each.name for each in node.names], [ast.literal_eval(each.value) for each in theirs if is_all(each)]
            top |= {each: thing for each, thing in members(theirs).items()
                    if each in names or names == ["*"] and each[0] != "_" and (not listed or each in listed[0])}
    return top, {key: members(node.body) for key, node in top.items() if isinstance(node, ast.ClassDef)}


def parameters(node):
    args = node.args
    return [each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)]


def is_all(node):
    return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"


def is_overload(node):
    return any(getattr(each, "id", "") == "overload" for each in node.decorator_list)


def same_parameters(node, function):
    if is_overload(node):
        return
    real = [each.name for each in inspect.signature(function).parameters.values() if each.kind not in (each.VAR_POSITIONAL,
                                                                                                       each.VAR_KEYWORD)]
    if node.args.vararg is None and node.args.kwarg is None and len(real) == len(parameters(node)):
        assert parameters(node) == real, node.name


@pytest.mark.parametrize("module, stub", [(yoke, "__init__.pyi"), (yoke.fft, "fft.pyi"), (yoke.linalg, "linalg.pyi"),
                                          (yoke.random, "random.pyi"), (yoke.comm, "comm.pyi"), (yoke.ndimage, "ndimage.pyi")])
def test_complete(module, stub):
    top, classes = declared(stub)
    for name in [name for name in dir(module) if not name.startswith("_")]:
        thing = getattr(module, name)
        if inspect.ismodule(thing):
            continue
        assert name in top, f"{stub} lacks {name}"
        if isinstance(top[name], ast.AnnAssign):
            continue
        if not isinstance(thing, type):
            same_parameters(top[name], thing)
            assert is_overload(top[name]) or parameters(top[name]) == [
                each.name for each in inspect.signature(thing).parameters.values()
                if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)], name
            continue
        for member, value in vars(thing).items():
            if member.startswith("_"):
                continue
            assert member in classes[name], f"{stub} lacks {name}.{member}"
            if inspect.isroutine(value) and not isinstance(value, classmethod):
                same_parameters(classes[name][member], value)
    for name in top:
        if name not in ("HasDLPack", "P") and not isinstance(top[name], ast.AnnAssign):
            assert hasattr(module, name), f"{stub} has {name}, and the module has not"
    for name, members in classes.items():
        if name in ("HasDLPack", "DeviceInfo"):
            continue
        for member in members:
            assert member == "__buffer__" or hasattr(getattr(module, name), member), f"{stub} has {name}.{member}"


def test_special_methods_of_arrays():
    """Those of protocols, which no name without underlines leads to."""
    real = {name for name, value in vars(yoke.Array).items()
            if name.startswith("__") and callable(value) and name not in vars(object)}
    assert {name for name in real if "pyx" not in name and "cython" not in name} - {"__delitem__", "__getattr__"} <= {
        *declared("_core/__init__.pyi")[1]["Array"]}


def mypy(cache, *arguments):
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, *arguments], cwd=HERE,
                          capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    cache = tmp_path / "cache"
    code, text = mypy(cache, "-m", "typed_sample", "-p", "yoke")
    assert code == 0, text
    wrong = tmp_path / "wrong.py"
    wrong.write_text('import yoke\nyoke.topk([1], "text")\nyoke.Device().buffer("size")\nyoke.asarray(1).no_such()\n'
                     'yoke.ndimage.gaussian_filter(yoke.ones(3), 1, mode="round")\n')
    code, text = mypy(cache, wrong)
    assert code == 1 and "Found 4 errors" in text, text
