# SPDX-License-Identifier: Apache-2.0
"""A rank of test_comm.py: every operation beside the same one of mpi4py on host memory. Its end is a file "rank N" in the folder of
its first argument; with "exit", it leaves it to the interpreter to close the communicator."""

import os
import signal
import sys
import threading
from pathlib import Path

import numpy
from mpi4py import MPI

import yoke
import yoke.comm

HOST = MPI.COMM_WORLD
RANK, RANKS = HOST.Get_rank(), HOST.Get_size()
REDUCTIONS = {"sum": MPI.SUM, "prod": MPI.PROD, "min": MPI.MIN, "max": MPI.MAX, "and": MPI.BAND, "or": MPI.BOR, "xor": MPI.BXOR}


def values(dtype, count, seed=0):
    return numpy.random.default_rng(100 * seed + RANK).integers(1, 9, count).astype(dtype)


def same(array, expected):
    assert array.dtype == expected.dtype and array.shape == expected.shape, (array, expected.shape)
    assert (array.to_numpy() == expected).all()


def messages(world):
    after, before = (RANK + 1) % RANKS, (RANK - 1) % RANKS
    for dtype in ("float32", "int64", "uint8", "complex128"):
        x, expected = values(dtype, 1000), numpy.empty(1000, dtype)
        HOST.Sendrecv(x, after, 3, expected, before, 3)
        out = yoke.zeros(1000, dtype, stream=world.stream)
        world.sendrecv(out, before, yoke.asarray(x, stream=world.stream), after, tag=3)
        same(out, expected)
        out.fill(0)
        world.group([yoke.comm.send(yoke.asarray(x, stream=world.stream), after, 4), yoke.comm.receive(out, before, 4)])
        same(out, expected)
    x, out = yoke.asarray(values("int32", 50), stream=world.stream), yoke.zeros(50, "int32", stream=world.stream)
    if RANK == 0:
        world.send(x, 1, tag=9)
    elif RANK == 1:
        world.receive(out, 0, tag=9)
    world.send(x, None)  # nobody
    expected = values("int32", 50)
    HOST.Bcast(expected, 0)
    same(out, expected if RANK == 1 else numpy.zeros(50, "i4"))


def reductions(world):
    for name, operation in REDUCTIONS.items():
        for dtype in ("int32", "float64") if name in ("sum", "prod", "min", "max") else ("int32",):
            x = values(dtype, (4 * RANKS, 5), 1)
            array, expected = yoke.asarray(x, stream=world.stream), numpy.empty_like(x)
            HOST.Allreduce(x, expected, operation)
            same(world.allreduce(array, name), expected)
            result = world.reduce(array, name, root=1)
            assert (result is None) == (RANK != 1)
            if result is not None:
                same(result, expected)
            part = numpy.empty((4, 5), dtype)
            HOST.Reduce_scatter_block(x, part, operation)
            same(world.reduce_scatter(array, name), part)
            assert world.allreduce(array, name, out=array) is array
            same(array, expected)


def collectives(world):
    x = values("float32", (2 * RANKS, 3), 2)
    array = yoke.asarray(x, stream=world.stream)
    whole, dealt = numpy.empty((2 * RANKS * RANKS, 3), "f4"), numpy.empty_like(x)
    HOST.Allgather(x, whole)
    same(world.allgather(array), whole)
    gathered = world.gather(array, root=1)
    assert (gathered is None) == (RANK != 1)
    if gathered is not None:
        same(gathered, whole)
    HOST.Alltoall(x, dealt)
    same(world.alltoall(array), dealt)
    part, expected = yoke.zeros((2, 3), "float32", stream=world.stream), numpy.empty((2, 3), "f4")
    HOST.Scatter(x if RANK == 0 else None, expected, 0)
    assert world.scatter(array if RANK == 0 else None, part) is part
    same(part, expected)
    HOST.Bcast(x, 1)
    world.broadcast(array, root=1)
    same(array, x)
    world.barrier()
    world.stream.wait()


def streams_and_buffers(world):
    """Work before and behind, in streams of the program's own; bytes of buffers; a graph."""
    device, other = world.device, world.device.stream()
    order, total = [], RANKS * (RANKS + 1) // 2
    x = yoke.zeros(1 << 16, "int32", stream=other)  # a stream that is not added: ordered with the operation's
    world.stream.call(order.append, "before")
    x.fill(RANK + 1)
    y = world.allreduce(x)
    y += 1
    assert (y.to_numpy() == total + 1).all() and y.stream is other and order == ["before"]
    world.add(other)
    z = world.allreduce(x, stream=other)
    assert (z.to_numpy() == total).all()
    buffer = device.buffer(16)
    world.stream.fill(buffer, bytes([RANK + 1]))
    world.broadcast(buffer, root=RANKS - 1)
    got = bytearray(16)
    world.stream.read(got, buffer)
    assert got == bytes([RANKS]) * 16
    w = yoke.ones(100, "int32", stream=world.stream)
    with world.stream.record() as graph:
        world.allreduce(w, out=w)
    for _ in range(3):
        graph.launch(world.stream)
    assert (w.to_numpy() == RANKS**3).all()


def halves():
    """A communicator of a part of the ranks, with a stream of the program's own."""
    part = HOST.Split(RANK % 2, RANK)
    stream = yoke.Stream(yoke.Device())
    with yoke.comm.Communicator(part, stream=stream) as half:
        assert half.stream is stream and half.device is stream.device
        assert (half.rank, half.size) == (part.Get_rank(), part.Get_size())
        assert half.allreduce(yoke.ones(3, "int32", stream=stream)).tolist() == [half.size] * 3
    assert repr(half) == "<yoke.comm.Communicator closed>"
    half.close()
    raises(yoke.InvalidArgumentError, "closed", half.barrier)
    part.Free()


def raises(kind, words, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as error:
        assert words in str(error), str(error)
        return error
    raise AssertionError(f"{function} does not raise {kind}")


def bad_input(world):
    x = yoke.zeros(3, "float32", stream=world.stream)
    raises(ValueError, "no such reduction", world.allreduce, x, "total")
    raises(TypeError, "asarray", world.allreduce, numpy.zeros(3))
    raises(TypeError, "", world.send, x, "one")
    raises(ValueError, "rank", world.send, x, RANKS)
    raises(ValueError, "tag", world.send, x, 0, tag=-1)
    raises(ValueError, "does not divide", world.reduce_scatter, yoke.zeros(2 * RANKS + 1, "float32", stream=world.stream))
    raises(ValueError, "", world.broadcast, yoke.zeros((4, 4), "float32", stream=world.stream).T)
    raises(ValueError, "", world.allreduce, x, stream=world.device.stream())
    raises(TypeError, "mpi4py", yoke.comm.Communicator, 3)
    raises(TypeError, "", world.group, [3])
    assert world.allreduce(x).tolist() == [0.0] * 3
    assert world.device.memory["buffers"] >= 1 and f"rank {RANK} of {RANKS}" in repr(world)


class Limit(Exception):
    """Of a signal's handler."""


def interrupted(world):
    """A signal's exception ends the wait for room of one rank, which tries again, and the others notice nothing. Bytes of a buffer
    that is closed meanwhile."""
    stream, go = world.device.stream(depth=2), threading.Event()
    world.add(stream)
    buffer = world.device.buffer(16)
    stream.fill(buffer, bytes([RANK]))

    def enqueue():
        world.broadcast(buffer, stream=stream)

    def end(number, frame):
        if frame.f_code is enqueue.__code__:
            raise Limit

    if RANK == 0:
        stream.wait()
        stream.call(go.wait)
        stream.call(len, "")
        before = signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        raises(Limit, "", enqueue)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        go.set()
    enqueue()
    buffer.close()
    world.barrier(stream=stream)
    stream.wait()


def barriers(world):
    """Until one fails."""
    while True:
        world.barrier()
        world.stream.wait()


def failures(world):
    """A failure of one rank is everybody's, with its place; then the stream goes on."""
    x = yoke.ones(100, "float32", stream=world.stream)
    world.stream.wait()
    HOST.Barrier()  # a failure ends what another rank is still doing: that must not be an operation before this
    for before in (True, False):  # the stream has failed before the operation is enqueued, or while it is in the stream
        enqueued = threading.Event()
        if RANK == 1 and not before:
            world.stream.call(enqueued.wait)
        if RANK == 1:
            world.stream.call(divmod, 1, 0)
        if RANK == 1 and before:
            raises(ZeroDivisionError, "", world.stream.wait)
        try:
            world.allreduce(x)
            enqueued.set()
            world.stream.wait()
        except ZeroDivisionError:
            assert RANK == 1
        except yoke.HostFunctionError as error:
            assert RANK != 1 and "rank 1" in error.text and "ranks.py:" in error.where, (error.text, error.where)
        else:
            raise AssertionError("the other rank's failure has not arrived")
        world.stream.recover()
        world.add(world.stream)
    assert world.allreduce(x).tolist() == [float(RANKS)] * 100
    wrong = yoke.ones(3 + RANK, "float32", stream=world.stream)
    world.allreduce(wrong)
    if world.info["transport"] != "nccl":
        raises(yoke.InvalidArgumentError, "", world.stream.wait)
    else:  # NCCL's operations are compared beside them, a little later
        raises(yoke.InvalidArgumentError, "", barriers, world)
    world.stream.recover()
    world.add(world.stream)


def close_after_a_failure():
    """It gives up the communicator, and raises the failure; an exception of the block is kept."""
    own = yoke.comm.Communicator(MPI.COMM_SELF)
    own.stream.call(divmod, 1, 0)
    raises(ZeroDivisionError, "", own.close)
    assert repr(own) == "<yoke.comm.Communicator closed>"
    own.close()
    for body, expected in ((lambda: None, ZeroDivisionError), (lambda: [][0], IndexError)):
        try:
            with yoke.comm.Communicator(MPI.COMM_SELF) as own:
                own.stream.call(divmod, 1, 0)
                body()
        except expected:
            assert repr(own) == "<yoke.comm.Communicator closed>"
        else:
            raise AssertionError("no exception of the streams")


def main():
    world = yoke.comm.Communicator()
    assert (world.rank, world.size) == (RANK, RANKS)
    assert world.info["transport"] in os.environ.get("YOKE_TEST_WAY", "staged mpi nccl").split()
    assert world.info["reason"] and world.info["mpi"]
    for test in (messages, reductions, collectives, streams_and_buffers, bad_input, interrupted, failures):
        test(world)
    halves()
    close_after_a_failure()
    if "exit" not in sys.argv:
        world.close()
    Path(sys.argv[1], f"rank {RANK}").write_text("right")


main()
