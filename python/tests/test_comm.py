# SPDX-License-Identifier: Apache-2.0
"""Many processes: ranks.py under mpirun, and what is said where something is missing. Takes mpi4py, YOKE_MPIRUN (mpirun where it is
not set) and libyoke-comm."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import yoke
from tree import source_tree

HERE = Path(__file__).parent


def run(code, **environment):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100,
                          env={**os.environ, **environment})


def test_without_mpi4py():
    done = run("import sys; sys.modules['mpi4py'] = None\nimport yoke.comm\nyoke.comm.Communicator()")
    assert done.returncode == 1 and "ImportError: yoke.comm needs mpi4py" in done.stderr and "pip install" in done.stderr


def test_without_the_library():
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    done = run("import yoke.comm\nyoke.comm.Communicator()", YOKE_COMM_LIBRARY="/nowhere/libyoke-comm.so.0")
    assert done.returncode == 1, done.stderr
    assert "ImportError: yoke.comm needs libyoke-comm" in done.stderr and "/nowhere" in done.stderr
    assert "--with-mpi" in done.stderr and "YOKE_COMM_LIBRARY" in done.stderr
    done = run("import yoke.comm\nyoke.comm.Communicator()", YOKE_COMM_LIBRARY="libm.so.6")  # a library without MPI
    assert done.returncode == 1 and "another MPI than mpi4py" in done.stderr, done.stderr


def test_nothing_of_it_is_in_the_package():
    folder = Path(yoke.__file__).parent
    assert not [path for path in folder.rglob("*") if "mpi" in path.name.replace("compile", "") or "yoke-comm" in path.name]


@pytest.fixture
def mpirun(tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    words = os.environ.get("YOKE_MPIRUN", "mpirun").split()
    if not shutil.which(words[0]):
        pytest.skip("there is no mpirun")
    probe = run("import yoke.comm; yoke.comm._open()")
    if "cannot be used" in probe.stderr and "YOKE_COMM_LIBRARY" not in os.environ:
        pytest.skip("libyoke-comm is not installed")
    assert probe.returncode == 0, probe.stderr
    more = {"TMPDIR": str(tmp_path), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "UCX_LOG_LEVEL": "error", "YOKE_COMM_TIMEOUT": "60"}

    def start(ranks, *command):
        return subprocess.run([*words, "-n", str(ranks), sys.executable, *command], capture_output=True, text=True, timeout=170,
                              env={**os.environ, **more}, stdin=subprocess.DEVNULL)
    return start


def said(folder):
    """What each rank has written into a file of its own: on standard output, mpirun mixes what is not written at once, and where
    PYTHONUNBUFFERED is set, print writes a line in pieces."""
    return {path.name: path.read_text() for path in folder.glob("rank *")}


@pytest.mark.parametrize("ranks, how", [(2, ""), (3, "exit")])
def test_ranks(mpirun, tmp_path, ranks, how):
    done = mpirun(ranks, str(HERE / "ranks.py"), str(tmp_path), how)
    assert done.returncode == 0, done.stdout + done.stderr
    assert said(tmp_path) == {f"rank {rank}": "right" for rank in range(ranks)}, done.stdout + done.stderr


def test_example(mpirun):
    done = mpirun(2, str(source_tree() / "python" / "examples" / "ranks" / "pi.py"))
    assert done.returncode == 0 and done.stdout == "pi is 3.1416 by 2 ranks: right\n", done.stdout + done.stderr


def test_page(mpirun):
    text = (source_tree() / "doc" / "python.md").read_text()
    [block] = re.findall(r"test_comm.py.*-->\n```python\n(.*?)^```", text, re.M | re.S)
    checks = ("    assert total.tolist() == [world.size * i + 1 for i in range(1000)]\n"
              "    assert halo.tolist() == [before + i for i in range(10)] and after != world.rank\n")
    done = mpirun(2, "-c", block + checks)
    assert done.returncode == 0, done.stdout + done.stderr


ENDS_EARLY = """
import pathlib, sys, yoke, yoke.comm
from mpi4py import MPI
world = yoke.comm.Communicator()
x = yoke.ones(9, stream=world.stream)
x += world.allreduce(x)
world.stream.wait()
MPI.COMM_WORLD.Barrier()  # the cancellation ends what the other is still doing: that must not be the operation before
if world.rank == 1:
    world.stream.cancel()
try:
    world.barrier()
    world.stream.wait()
    how = "not at all"
except yoke.CancelledError:
    how = "cancelled"
except yoke.HostFunctionError as error:
    how = "told" if "rank 1" in error.text else error.text
pathlib.Path(sys.argv[1], f"rank {world.rank}").write_text(how)
"""


def test_a_rank_that_ends_early(mpirun, tmp_path):
    """The others' wait ends with a failure that names it, within the time limit."""
    done = mpirun(2, "-c", ENDS_EARLY, str(tmp_path))
    assert said(tmp_path) == {"rank 0": "told", "rank 1": "cancelled"}, done.stdout + done.stderr
    assert done.returncode == 0, done.stderr


CLOSES = """
import contextlib, os, signal, sys, threading, time
import yoke, yoke.comm

world = yoke.comm.Communicator()
stream = world.stream
go = threading.Event()


def raised(kind, call):
    try:
        call()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


stream.call(go.wait)
timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
ends = threading.Timer(20, go.set)
timer.start()
ends.start()
raised(KeyboardInterrupt, world.close)  # and the work goes on
assert not go.is_set() and "rank 0 of 1" in repr(world)
go.set()
ends.cancel()
stream.call(raised, yoke.DeadlockError, world.close)
stream.wait()
with stream.record():
    raised(yoke.InvalidArgumentError, world.close)
assert world.allreduce(yoke.ones(3, stream=stream)).tolist() == [1, 1, 1]


def block():
    with world:
        stream.call(sys.exit, 3)
        [][0]


raised(IndexError, block)
assert repr(world) == "<yoke.comm.Communicator closed>"
last = yoke.comm.Communicator()
started = threading.Event()
last.stream.call(lambda: (started.set(), time.sleep(40)))
started.wait()
print("end", flush=True)
"""


def test_close(mpirun, tmp_path):
    """The wait ends with Ctrl-C, and with the interpreter, after 10 seconds; where close refuses, the communicator goes on."""
    begin = time.monotonic()
    done = mpirun(1, "-c", "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)" + CLOSES)
    assert "end" in done.stdout and time.monotonic() - begin < 30, done.stdout + done.stderr
