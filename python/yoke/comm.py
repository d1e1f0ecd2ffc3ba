# SPDX-License-Identifier: Apache-2.0
"""Many processes: messages and collective operations of MPI and NCCL in the order of streams, on every backend.

    from mpi4py import MPI
    import yoke, yoke.comm

    with yoke.comm.Communicator() as world, world.stream:
        x = yoke.arange(1000) + world.rank
        total = world.allreduce(x)

This takes libyoke-comm, built for the MPI of this machine and found by the dynamic linker or by YOKE_COMM_LIBRARY, and mpi4py for
the same MPI. Without them the first communicator is ImportError. A failure at one rank reaches the streams of all: its record
names the rank. `mpirun -n 4 python program.py` starts four ranks.
"""

import os as _os

from ._core.comm import CommBase as _CommBase
from ._core.comm import comm_library as _comm_library

_LIBRARY = "libyoke-comm.so.0"


def _open():
    """mpi4py's MPI, with libyoke-comm opened."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise ImportError(f"yoke.comm needs mpi4py, built for the MPI of this machine: pip install mpi4py ({error})") from None
    name = _os.environ.get("YOKE_COMM_LIBRARY", _LIBRARY)
    fault = _comm_library(name, MPI.__file__)
    if fault:
        other = MPI.Get_library_version().strip("\0").splitlines()[0]
        raise ImportError(f"yoke.comm needs libyoke-comm, and {name} cannot be used: {fault}. Install it (Debian: libyoke-comm0; "
                          "or configure Yoke with --with-mpi, then make install), or name the file in YOKE_COMM_LIBRARY; mpi4py "
                          f"has to be built for the same MPI, and is for {other}")
    return MPI


class Communicator(_CommBase):
    """The ranks of an MPI communicator, each with a device. All ranks must make it, and it blocks until they have.

    mpi: a communicator of mpi4py, which is duplicated; None: MPI.COMM_WORLD. device: a Device; None: YOKE_DEVICE's, or the devices
    of a machine are dealt out to its ranks. stream: the first stream that is added, a new one where it is None; its operations meet
    those of the others' first streams. Arrays may be of any stream; an operation is enqueued in `stream`, else in that of an array
    if it is added here, else in the first. Arrays are contiguous; a Buffer counts as its bytes.
    """

    def __init__(self, mpi=None, device=None, stream=None):
        MPI = _open()
        mpi = MPI.COMM_WORLD if mpi is None else mpi
        if not isinstance(mpi, MPI.Comm):
            raise TypeError(f"mpi is a communicator of mpi4py, not {mpi!r}")
        self._start(device, MPI._addressof(mpi), stream)

    @property
    def rank(self):
        """This process's number, from 0."""
        return self.info["rank"]

    @property
    def size(self):
        """How many ranks there are."""
        return self.info["ranks"]

    def __repr__(self):
        try:
            info = self.info
        except ValueError:
            return "<yoke.comm.Communicator closed>"
        return f"<yoke.comm.Communicator: rank {info['rank']} of {info['ranks']}, by {info['transport']}, {self.device!r}>"


def send(array, target, tag=0):
    """A message for Communicator.group."""
    return (0, array, target, tag)


def receive(array, source, tag=0):
    """A message for Communicator.group."""
    return (1, array, source, tag)
