# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Many processes: libyoke-comm, which is linked to the MPI that it was built for, and so is no part of the package. It is opened
# when the first communicator is made; what a program of C would link is looked up here by name. yoke/comm.py is what users see.

import atexit
import contextlib
import operator
import os
import time
import weakref

from libc.string cimport memset

from .c_python cimport PyByteArray_AsString
from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport check, fail, here, shown, text_of
from .dtype cimport dtype_number
from .device cimport Device, MpiRanks
from .memory cimport Buffer
from .event cimport Event, nanoseconds_of, wait_event
from .stream cimport keep_owners, Stream
from .array cimport Array
from .expression cimport new_array, order_back, order_streams
from .process cimport MOST_SECONDS, set_last_wait

from .errors import InvalidArgumentError


cdef extern from *:
    """
    #include <dlfcn.h>
    #include <yoke/comm.h>
    static struct {
        yoke_status (*open_device)(const void *mpi, yoke_device **out);
        yoke_status (*create)(yoke_device *device, const void *mpi, yoke_comm **out);
        yoke_comm *(*retain)(yoke_comm *comm);
        void (*release)(yoke_comm *comm);
        yoke_status (*add)(yoke_comm *comm, yoke_stream *stream);
        yoke_status (*get_info)(const yoke_comm *comm, yoke_comm_info *out);
        yoke_status (*sendrecv)(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out, int32_t source,
                                const yoke_array *in, int32_t target, int32_t tag);
        yoke_status (*group)(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_comm_message *messages,
                             size_t count);
        yoke_status (*message[2])(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *array, int32_t peer,
                                  int32_t tag);
        yoke_status (*broadcast)(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *array, int32_t root);
        yoke_status (*reduce)(const char *where, yoke_stream *stream, yoke_comm *comm, int32_t reduction, const yoke_array *out,
                              const yoke_array *in, int32_t root);
        yoke_status (*reduction[2])(const char *where, yoke_stream *stream, yoke_comm *comm, int32_t reduction,
                                    const yoke_array *out, const yoke_array *in);
        yoke_status (*rooted[2])(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out,
                                 const yoke_array *in, int32_t root);
        yoke_status (*spread[2])(const char *where, yoke_stream *stream, yoke_comm *comm, const yoke_array *out,
                                 const yoke_array *in);
        yoke_status (*barrier)(const char *where, yoke_stream *stream, yoke_comm *comm);
    } yoke_py_comm;

    /* NULL, or what is wrong. `mpi4py`: the file of mpi4py's MPI; both have to use one MPI. */
    static const char *yoke_py_comm_open(const char *file, const char *mpi4py)
    {
        static const struct {
            const char *name;
            void *place;
        } functions[] = {
            { "yoke_comm_open_device", &yoke_py_comm.open_device }, { "yoke_comm_create", &yoke_py_comm.create },
            { "yoke_comm_retain", &yoke_py_comm.retain },
            { "yoke_comm_release", &yoke_py_comm.release }, { "yoke_comm_add", &yoke_py_comm.add },
            { "yoke_comm_get_info", &yoke_py_comm.get_info }, { "yoke_comm_sendrecv_at", &yoke_py_comm.sendrecv },
            { "yoke_comm_group_at", &yoke_py_comm.group }, { "yoke_comm_send_at", &yoke_py_comm.message[0] },
            { "yoke_comm_receive_at", &yoke_py_comm.message[1] }, { "yoke_comm_broadcast_at", &yoke_py_comm.broadcast },
            { "yoke_comm_reduce_at", &yoke_py_comm.reduce }, { "yoke_comm_allreduce_at", &yoke_py_comm.reduction[0] },
            { "yoke_comm_reduce_scatter_at", &yoke_py_comm.reduction[1] }, { "yoke_comm_gather_at", &yoke_py_comm.rooted[0] },
            { "yoke_comm_scatter_at", &yoke_py_comm.rooted[1] }, { "yoke_comm_allgather_at", &yoke_py_comm.spread[0] },
            { "yoke_comm_alltoall_at", &yoke_py_comm.spread[1] }, { "yoke_comm_barrier_at", &yoke_py_comm.barrier },
        };
        void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL), *other;
        if (!library)
            return dlerror();
        other = dlopen(mpi4py, RTLD_NOW | RTLD_NOLOAD);
        if (!other || dlsym(library, "MPI_Initialized") != dlsym(other, "MPI_Initialized"))
            return "it uses another MPI than mpi4py";
        for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
            void *symbol = dlsym(library, functions[i].name);
            if (!symbol)
                return dlerror();
            memcpy(functions[i].place, &symbol, sizeof symbol);
        }
        return NULL;
    }
    """
    ctypedef struct yoke_comm:
        pass
    ctypedef struct yoke_comm_info:
        size_t size
        int32_t rank, ranks, local_rank, local_ranks, sharing, transport
        char reason[160]
        char mpi[96]
        uint64_t staged_bytes, mpi_bytes, nccl_bytes
    ctypedef struct yoke_comm_message:
        int32_t direction, peer, tag
        yoke_array array
    const char *yoke_py_comm_open(const char *file, const char *mpi4py) noexcept
    yoke_status comm_open_device "yoke_py_comm.open_device" (const void *mpi, yoke_device **out) noexcept nogil
    yoke_status comm_create "yoke_py_comm.create" (yoke_device *device, const void *mpi, yoke_comm **out) noexcept nogil
    yoke_comm *comm_retain "yoke_py_comm.retain" (yoke_comm *comm) noexcept nogil
    void comm_release "yoke_py_comm.release" (yoke_comm *comm) noexcept nogil
    yoke_status comm_add "yoke_py_comm.add" (yoke_comm *comm, yoke_stream *stream) noexcept nogil
    yoke_status comm_get_info "yoke_py_comm.get_info" (const yoke_comm *comm, yoke_comm_info *out) noexcept nogil
    yoke_status comm_sendrecv "yoke_py_comm.sendrecv" (const char *, yoke_stream *, yoke_comm *, const yoke_array *out,
                                                       int32_t source, const yoke_array *data, int32_t target,
                                                       int32_t tag) noexcept nogil
    yoke_status comm_group "yoke_py_comm.group" (const char *, yoke_stream *, yoke_comm *, const yoke_comm_message *messages,
                                                 size_t count) noexcept nogil
    yoke_status (**comm_message "yoke_py_comm.message")(const char *, yoke_stream *, yoke_comm *, const yoke_array *, int32_t peer,
                                                        int32_t tag) noexcept nogil
    yoke_status comm_broadcast "yoke_py_comm.broadcast" (const char *, yoke_stream *, yoke_comm *, const yoke_array *,
                                                         int32_t root) noexcept nogil
    yoke_status comm_reduce "yoke_py_comm.reduce" (const char *, yoke_stream *, yoke_comm *, int32_t reduction,
                                                   const yoke_array *out, const yoke_array *data, int32_t root) noexcept nogil
    yoke_status (**comm_reduction "yoke_py_comm.reduction")(const char *, yoke_stream *, yoke_comm *, int32_t reduction,
                                                            const yoke_array *out, const yoke_array *data) noexcept nogil
    yoke_status (**comm_rooted "yoke_py_comm.rooted")(const char *, yoke_stream *, yoke_comm *, const yoke_array *out,
                                                      const yoke_array *data, int32_t root) noexcept nogil
    yoke_status (**comm_spread "yoke_py_comm.spread")(const char *, yoke_stream *, yoke_comm *, const yoke_array *out,
                                                      const yoke_array *data) noexcept nogil
    yoke_status comm_barrier "yoke_py_comm.barrier" (const char *, yoke_stream *, yoke_comm *) noexcept nogil


cdef bint comm_opened = False
cdef object communicators = weakref.WeakSet()
cdef dict comm_reductions = {"sum": 1, "prod": 2, "min": 3, "max": 4, "and": 12, "or": 13, "xor": 14}


def comm_library(str file, str mpi4py):
    """Open libyoke-comm: None, or what is wrong."""
    cdef bytes name = os.fsencode(file), other = os.fsencode(mpi4py)
    cdef const char *fault
    global comm_opened
    if comm_opened:
        return None
    fault = yoke_py_comm_open(name, other)
    comm_opened = fault == NULL
    return None if fault == NULL else text_of(fault)


cdef int32_t comm_reduction_of(name) except -1:
    number = comm_reductions.get(name)
    if number is None:
        raise ValueError(f"no such reduction between ranks: {shown(name)}; there are {', '.join(comm_reductions)}")
    return number


cdef int rank_of(value) except? -2:
    """A rank, or None for nobody."""
    return -1 if value is None else operator.index(value)


cdef class CommBase:
    """The base class of yoke.comm.Communicator."""

    cdef yoke_comm *ptr
    cdef readonly Device device
    cdef readonly Stream stream
    cdef list streams
    cdef object __weakref__

    def __cinit__(self):
        self.streams = []

    def __dealloc__(self):
        cdef yoke_comm *ptr = self.ptr
        if ptr != NULL:
            with nogil:
                comm_release(ptr)

    cdef int check_open(self) except -1:
        if self.ptr == NULL:
            raise InvalidArgumentError("the communicator is closed")
        return 0

    def _start(self, Device device, size_t mpi, Stream stream):
        cdef yoke_device *ptr
        cdef yoke_status status
        cdef MpiRanks ranks
        if device is None and stream is not None:
            device = stream.device
        if device is None:
            ranks = MpiRanks(mpi)
            ranks.open = comm_open_device
            device = Device(ranks)
        ptr = yoke_device_retain(device.ptr)  # another thread may close the device meanwhile
        with nogil:
            status = comm_create(ptr, <const void *>mpi, &self.ptr)
            yoke_device_release(ptr)
        check(status)
        self.device = device
        self.stream = Stream(device, name="comm") if stream is None else stream
        communicators.add(self)
        self.add(self.stream)

    def add(self, Stream stream not None):
        """Add a stream of the communicator's device. All ranks must call this, in the same order; the n-th stream of a rank meets
        the n-th of every other. After a failure, recover the stream and add it again. Blocks until all ranks have come."""
        cdef yoke_comm *ptr
        cdef yoke_status status
        self.check_open()
        ptr = comm_retain(self.ptr)  # another thread may close the communicator meanwhile
        with nogil:
            status = comm_add(ptr, stream.ptr)
            comm_release(ptr)
        check(status)
        if stream not in self.streams:
            self.streams.append(stream)

    def close(self):
        """Wait for the streams, give up the communicator, and raise the first failure of the streams. All ranks must call this. A
        second call does nothing. Ctrl-C in the main thread ends the wait, and DeadlockError is raised in a host function of such
        a stream: then, and while one is recorded, the communicator stays open. The end of a `with` block closes, and keeps the
        block's own exception. All communicators are closed before the interpreter ends, which waits for at most 10 seconds,
        without raising anything."""
        self.end(None)

    cdef int end(self, until) except -1:
        """close, which waits until a time of time.monotonic, or without end. Where it raises before the streams are done, the
        communicator stays open: this thread would wait for itself, a stream is recorded, the time is over, or Ctrl-C has come."""
        cdef yoke_comm *ptr
        cdef Stream stream
        cdef Event event
        cdef yoke_status status
        failure = None
        for each in list(self.streams) if self.ptr != NULL else ():
            stream = each
            if stream.ptr == NULL:
                continue
            event, status, recorded = Event.__new__(Event), YOKE_OK, stream.graph is not None
            if not recorded:
                with nogil:
                    status = yoke_event_record_at(NULL, stream.ptr, YOKE_EVENT_IGNORE_DEPTH, &event.ptr)
            if recorded or status < 0 and until is None:  # this says so; or the stream has failed, and little still runs
                with nogil:
                    status = yoke_stream_wait(stream.ptr)
            elif status >= 0:
                status = wait_event(event.ptr, nanoseconds_of(None if until is None else until - time.monotonic()))
            if status == YOKE_PENDING:
                raise TimeoutError("a stream of the communicator was not complete")
            if status < 0 and (status == YOKE_E_DEADLOCK or recorded):
                fail(status)
            try:
                check(status)
            except BaseException as error:
                failure = error if failure is None else failure
        ptr, self.ptr = self.ptr, NULL
        if ptr != NULL:
            self.streams = []
            with nogil:
                comm_release(ptr)
        if failure is not None:
            raise failure
        return 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.close()
            return
        with contextlib.suppress(BaseException):  # the streams' failure, perhaps SystemExit, where the block has one already
            self.close()

    @property
    def info(self):
        """A dict: rank and ranks; local_rank and local_ranks, those of the same machine; sharing, how many ranks use this rank's
        device; transport, "staged", "mpi" or "nccl", and reason, why; mpi, which MPI; staged_bytes, mpi_bytes and nccl_bytes,
        what operations have read and written by transport."""
        cdef yoke_comm_info info
        self.check_open()
        memset(&info, 0, sizeof(info))
        info.size = sizeof(info)
        check(comm_get_info(self.ptr, &info))
        return {"rank": info.rank, "ranks": info.ranks, "local_rank": info.local_rank, "local_ranks": info.local_ranks,
                "sharing": info.sharing, "transport": ("", "staged", "mpi", "nccl")[info.transport], "reason": text_of(info.reason),
                "mpi": text_of(info.mpi), "staged_bytes": info.staged_bytes, "mpi_bytes": info.mpi_bytes,
                "nccl_bytes": info.nccl_bytes}

    cdef Stream order(self, stream, list arrays):
        """The stream of an operation: the one that is named, else that of the first array that is added here, else the first
        stream. Arrays of other streams come before it."""
        self.check_open()
        if stream is None:
            own = [(<Array>each).stream for each in arrays if (<Array>each).stream in self.streams]
            stream = own[0] if own else self.stream
        try:
            order_streams(stream, arrays)
        except Exception:  # the failure of a host function is its own exception
            self.tell(stream)
            raise
        return stream

    cdef int tell(self, Stream stream) except -1:
        """Something has failed before libyoke-comm was called. Where the stream has failed, report it to the other ranks, which may
        wait for work that the stream will never do."""
        cdef yoke_event *event = NULL
        cdef yoke_status status
        with nogil:
            status = yoke_event_record_at(NULL, stream.ptr, YOKE_EVENT_IGNORE_DEPTH, &event)
            if status < 0:
                comm_barrier(NULL, stream.ptr, self.ptr)
            yoke_event_release(event)
        return 0

    cdef Array fresh(self, Array array, shape):
        """For a result, in the array's stream."""
        try:
            return new_array(array.stream, array.a.dtype, shape)
        except Exception:  # the failure of a host function is its own exception
            self.tell(array.stream)
            raise

    cdef int finish(self, Stream stream, list arrays, yoke_status status) except -1:
        check(status)
        for each in arrays:
            keep_owners(stream, stream.recordings, (<Array>each).buffer)
        return order_back(stream, arrays)

    cdef int message(self, int way, array, peer, tag, stream, const char *where) except -1:
        cdef Array a = comm_array(array, self.stream)
        cdef Stream order = self.order(stream, [a])
        cdef int32_t rank = rank_of(peer), number = operator.index(tag)
        cdef yoke_status status
        with nogil:
            status = comm_message[way](where, order.ptr, self.ptr, &a.a, rank, number)
        self.finish(order, [a], status)

    def send(self, array, target, tag=0, stream=None):
        """Send an array to rank `target`, where the receive has the same tag (0 to 32765), number of elements and dtype. A send may
        hold its stream until it is received: ranks that send to each other use sendrecv. None as a rank is nobody."""
        self.message(0, array, target, tag, stream, here())

    def receive(self, array, source, tag=0, stream=None):
        """Receive an array from rank `source`."""
        self.message(1, array, source, tag, stream, here())

    def sendrecv(self, out, source, array, target, tag=0, stream=None):
        """Send `array` to rank `target` and receive `out` from rank `source` as one operation, so that ranks in a circle do not
        wait for each other. None as a rank is nobody."""
        cdef Array into = comm_array(out, self.stream), a = comm_array(array, self.stream)
        cdef Stream order = self.order(stream, [into, a])
        cdef int32_t sender = rank_of(source), receiver = rank_of(target), number = operator.index(tag)
        cdef const char *where = here()
        cdef yoke_status status
        with nogil:
            status = comm_sendrecv(where, order.ptr, self.ptr, &into.a, sender, &a.a, receiver, number)
        self.finish(order, [into, a], status)

    def group(self, messages, stream=None):
        """Send and receive several messages as one operation: all make progress at once. messages: of yoke.comm.send and
        yoke.comm.receive."""
        cdef list parts = [(way, comm_array(array, self.stream), rank_of(peer), operator.index(tag))
                           for way, array, peer, tag in messages]
        cdef list arrays = [part[1] for part in parts]
        cdef Stream order = self.order(stream, arrays)
        cdef size_t count = len(parts)
        cdef bytearray memory = bytearray((count + 1) * sizeof(yoke_comm_message))
        cdef yoke_comm_message *all_messages = <yoke_comm_message *>PyByteArray_AsString(memory)
        cdef const char *where = here()
        cdef yoke_status status
        for i, (way, array, peer, tag) in enumerate(parts):
            all_messages[i].direction = 1 + way
            all_messages[i].peer, all_messages[i].tag = peer, tag
            all_messages[i].array = (<Array>array).a
        with nogil:
            status = comm_group(where, order.ptr, self.ptr, all_messages, count)
        self.finish(order, arrays, status)

    def broadcast(self, array, root=0, stream=None):
        """Copy the root's array into that of every other rank."""
        cdef Array a = comm_array(array, self.stream)
        cdef Stream order = self.order(stream, [a])
        cdef int32_t rank = operator.index(root)
        cdef const char *where = here()
        cdef yoke_status status
        with nogil:
            status = comm_broadcast(where, order.ptr, self.ptr, &a.a, rank)
        self.finish(order, [a], status)

    def reduce(self, array, reduction="sum", out=None, root=0, stream=None):
        """Combine the ranks' arrays element by element: "sum", "prod", "min", "max", "and", "or", "xor". The root gets the result,
        a new array where out is None; other ranks get None."""
        cdef Array a = comm_array(array, self.stream), into = None
        cdef int32_t operation = comm_reduction_of(reduction), rank = operator.index(root)
        cdef Stream order
        cdef const yoke_array *target = NULL
        cdef const char *where = here()
        cdef yoke_status status
        if self.info["rank"] == rank:
            into = self.result(a, out, a.shape)
            target = &into.a
        arrays = [a] if into is None else [a, into]
        order = self.order(stream, arrays)
        with nogil:
            status = comm_reduce(where, order.ptr, self.ptr, operation, target, &a.a, rank)
        self.finish(order, arrays, status)
        return into

    def allreduce(self, array, reduction="sum", out=None, stream=None):
        """As reduce, for every rank. Returns the result; out may be the array itself."""
        return self.reduced(0, array, reduction, out, stream, here())

    def reduce_scatter(self, array, reduction="sum", out=None, stream=None):
        """As allreduce, of which each rank gets its part along the first axis."""
        return self.reduced(1, array, reduction, out, stream, here())

    def allgather(self, array, out=None, stream=None):
        """Put the ranks' arrays one behind the other along the first axis, for every rank."""
        return self.spread(0, array, out, stream, here())

    def alltoall(self, array, out=None, stream=None):
        """Deal out each rank's array along the first axis: part r goes to rank r, where the parts are in the order of the ranks."""
        return self.spread(1, array, out, stream, here())

    cdef Array reduced(self, int way, array, reduction, out, stream, const char *where):
        cdef Array a = comm_array(array, self.stream), into
        cdef int32_t operation = comm_reduction_of(reduction)
        cdef Stream order
        cdef yoke_status status
        into = self.result(a, out, a.shape if way == 0 else self.part(a))
        order = self.order(stream, [a, into])
        with nogil:
            status = comm_reduction[way](where, order.ptr, self.ptr, operation, &into.a, &a.a)
        self.finish(order, [a, into], status)
        return into

    cdef Array spread(self, int way, array, out, stream, const char *where):
        cdef Array a = comm_array(array, self.stream), into
        cdef Stream order
        cdef yoke_status status
        into = self.result(a, out, a.shape if way == 1 else self.whole(a))
        order = self.order(stream, [a, into])
        with nogil:
            status = comm_spread[way](where, order.ptr, self.ptr, &into.a, &a.a)
        self.finish(order, [a, into], status)
        return into

    def gather(self, array, out=None, root=0, stream=None):
        """Put the ranks' arrays one behind the other along the first axis, at the root, which gets the result, a new array where
        out is None; other ranks get None."""
        cdef Array a = comm_array(array, self.stream), into = None
        cdef int32_t rank = operator.index(root)
        cdef const yoke_array *target = NULL
        cdef Stream order
        cdef const char *where = here()
        cdef yoke_status status
        if self.info["rank"] == rank:
            into = self.result(a, out, self.whole(a))
            target = &into.a
        arrays = [a] if into is None else [a, into]
        order = self.order(stream, arrays)
        with nogil:
            status = comm_rooted[0](where, order.ptr, self.ptr, target, &a.a, rank)
        self.finish(order, arrays, status)
        return into

    def scatter(self, array, out, root=0, stream=None):
        """Deal out the root's array along its first axis: part r becomes `out` of rank r. array: None at other ranks."""
        cdef Array into = comm_array(out, self.stream), a = None if array is None else comm_array(array, self.stream)
        cdef int32_t rank = operator.index(root)
        cdef const yoke_array *source = NULL if a is None else &a.a
        cdef Stream order
        cdef const char *where = here()
        cdef yoke_status status
        arrays = [into] if a is None else [into, a]
        order = self.order(stream, arrays)
        with nogil:
            status = comm_rooted[1](where, order.ptr, self.ptr, &into.a, source, rank)
        self.finish(order, arrays, status)
        return into

    def barrier(self, stream=None):
        """Hold the stream until the streams of all ranks have come here."""
        cdef Stream order = self.order(stream, [])
        cdef const char *where = here()
        cdef yoke_status status
        with nogil:
            status = comm_barrier(where, order.ptr, self.ptr)
        check(status)

    cdef tuple whole(self, Array array):
        """The shape of one such array for each rank, along the first axis."""
        shape = array.shape or (1,)
        return (shape[0] * self.info["ranks"], *shape[1:])

    cdef tuple part(self, Array array):
        """The shape of a rank's part of the array, along the first axis."""
        ranks = self.info["ranks"]
        shape = array.shape
        if not shape or shape[0] % ranks:
            raise ValueError(f"an array of shape {shape} does not divide into {ranks} parts along its first axis")
        return (shape[0] // ranks, *shape[1:])

    cdef Array result(self, Array array, out, shape):
        self.check_open()
        return self.fresh(array, shape) if out is None else comm_array(out, self.stream)


cdef Array comm_array(data, Stream stream):
    """An array as it is; a buffer as an array of bytes."""
    cdef Array result
    cdef Buffer buffer
    cdef int64_t extents[8]
    if isinstance(data, Array):
        return data
    if not isinstance(data, Buffer):
        raise TypeError(f"an Array or Buffer, not {shown(data)}: use yoke.asarray")
    if stream is None:
        raise InvalidArgumentError("the communicator is closed")
    buffer = data
    result = Array.__new__(Array)
    result.stream, result.buffer = stream, buffer.view(0, buffer.size)  # a handle that no other thread closes
    extents[0] = buffer.size
    result.a = yoke_array_nd(result.buffer.ptr, dtype_number("uint8"), 1, extents)
    if result.a.dtype == 0:
        fail(YOKE_E_INVALID_ARGUMENT)
    return result


def _close_communicators():
    cdef double end = time.monotonic() + MOST_SECONDS if communicators else 0
    set_last_wait(end)
    for each in list(communicators):
        with contextlib.suppress(BaseException):  # the interpreter tells of no failure that nobody has waited for
            (<CommBase>each).end(end)


atexit.register(_close_communicators)  # after close_interpreter's registration, and so before it
