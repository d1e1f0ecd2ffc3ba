# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Two parts of a stream's order, each a block: graphs, work that is recorded once and launched many times; and native sections, in
# which the driver's own stream is an int.
#
# `with stream.native() as handle:` A native section runs on one of Yoke's threads: it hands the handle to the thread of the block,
# and waits for the end of the block without the GIL. The two share a `yoke_py_section`; whoever is last frees it.

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF

from .c_yoke cimport *
from .errors cimport as_size, c_text, Call, call_again, check, check_function, fail, here, release_call, shown, text_of
from .device cimport Device
from .memory cimport Buffer, hold, Inside, inside, Kept, lent_memory, with_owner
from .event cimport Event, native_handle
from .stream cimport keep_until_done, may_raise, raise_in_graph, Recorded, Stream
from .kernel cimport count_args, enter_arguments, fill_arguments, Kernel, Launch, leave_arguments, MOST_ARGS

from .errors import CancelledError, InvalidArgumentError
from .event import refuse_deadlock


# ---- Native sections ----

cdef extern from *:
    """
    #include <errno.h>
    #include <semaphore.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    #include <time.h>
    typedef struct {
        sem_t entered, left;
        void *native; /* NULL: the work before the section failed */
        atomic_int users;
    } yoke_py_section;
    static yoke_py_section *yoke_py_section_new(void)
    {
        yoke_py_section *section = (yoke_py_section *)calloc(1, sizeof *section);
        if (!section)
            return NULL;
        sem_init(&section->entered, 0, 0);
        sem_init(&section->left, 0, 0);
        atomic_init(&section->users, 2);
        return section;
    }
    static void yoke_py_section_drop(void *user)
    {
        yoke_py_section *section = (yoke_py_section *)user;
        if (atomic_fetch_sub(&section->users, 1) > 1)
            return;
        sem_destroy(&section->entered);
        sem_destroy(&section->left);
        free(section);
    }
    static yoke_status yoke_py_section_run(yoke_status status, void *native, void *user)
    {
        yoke_py_section *section = (yoke_py_section *)user;
        section->native = status < 0 ? NULL : native;
        sem_post(&section->entered);
        while (sem_wait(&section->left) != 0 && errno == EINTR)
            continue;
        sem_post(&section->left); /* should it be a graph's, which may be launched again */
        return status;
    }
    /* Whether the section has begun, after at most 50 ms. */
    static int yoke_py_section_entered(yoke_py_section *section)
    {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        return sem_timedwait(&section->entered, &until) == 0;
    }
    static void yoke_py_section_leave(yoke_py_section *section) { sem_post(&section->left); }
    """
    ctypedef struct yoke_py_section:
        void *native
    yoke_py_section *yoke_py_section_new() noexcept nogil
    void yoke_py_section_drop(void *user) noexcept nogil
    yoke_status yoke_py_section_run(yoke_status, void *, void *) noexcept nogil
    bint yoke_py_section_entered(yoke_py_section *section) noexcept nogil
    void yoke_py_section_leave(yoke_py_section *section) noexcept nogil


@cython.final
cdef class Section:
    """The context manager of stream.native()."""

    cdef Stream stream
    cdef yoke_py_section *shared

    def __cinit__(self, Stream stream not None):
        self.stream = stream

    def __dealloc__(self):
        self.leave()

    cdef void leave(self) noexcept:
        cdef yoke_py_section *shared = self.shared
        self.shared = NULL
        if shared != NULL:
            yoke_py_section_leave(shared)
            yoke_py_section_drop(shared)

    def __enter__(self):
        cdef const char *where = here()
        cdef yoke_status status
        cdef bint entered = False

        if self.shared != NULL:
            raise RuntimeError("the native section has been entered already")
        if self.stream.graph is not None:
            raise InvalidArgumentError("the stream is being recorded: record stream.native_call(function)")
        cdef unsigned before = self.stream.recordings
        refuse_deadlock(self.stream.event())
        self.shared = yoke_py_section_new()
        if self.shared == NULL:
            raise MemoryError
        with nogil:
            status = yoke_native_call_at(where, self.stream.ptr, yoke_py_section_run, self.shared, yoke_py_section_drop)
        if status < 0:
            yoke_py_section_drop(self.shared)  # in the place of the section that will not run
            self.leave()
            fail(status)
        unsure = before & 1 or self.stream.recordings != before
        try:
            while not entered:
                with nogil:
                    entered = yoke_py_section_entered(self.shared)
                PyErr_CheckSignals()
                if unsure and not entered:
                    raise InvalidArgumentError("another thread records the stream, and the section may be in the graph")
        except BaseException:
            self.leave()
            raise
        if self.shared.native == NULL:
            self.leave()
            self.stream.wait()  # which raises the failure
            raise CancelledError("the stream was cancelled before the native section")
        return native_handle(<uintptr_t>self.shared.native, self.stream.device)

    def __exit__(self, *exception):
        self.leave()


# ---- Graphs ----

@cython.final
cdef class Graph:
    """Graph(device, name=None)\n--\n\n\
    Recorded work, made by `with stream.record() as graph:`. len(graph) is the number of its nodes, which describe() lists.

    set_args, set_launch, set_write, set_read, set_copy, set_fill and set_call give a node other arguments, for launches from then
    on; its kind stays. RangeError: there is no such node. InvalidArgumentError: it is of another kind."""

    cdef yoke_graph *ptr
    cdef readonly Device device
    cdef Recorded recorded
    cdef dict updated  # what its nodes use since an update, by the node's number
    cdef object __weakref__

    def __cinit__(self, Device device not None, name=None):
        cdef bytes label = None if name is None else c_text(name, "name")
        self.device, self.recorded, self.updated = device, Recorded.__new__(Recorded), {}
        check(yoke_graph_create(device.ptr, NULL if label is None else <const char *>label, &self.ptr))

    def __dealloc__(self):
        cdef yoke_graph *ptr = self.ptr
        if ptr != NULL:
            with nogil:
                yoke_graph_release(ptr)

    def launch(self, Stream stream not None):
        """Launch the graph as one operation of the stream."""
        cdef Event event
        cdef list used = [*self.recorded.kept, *self.updated.values()]  # another thread may update it while this waits for room
        cdef const char *where = here()
        cdef unsigned before = stream.recordings
        cdef yoke_status status

        with nogil:
            status = yoke_graph_launch_at(where, stream.ptr, self.ptr)
        check(status)
        if self.recorded.calls:
            event = Event.__new__(Event)
            event.raised = self.recorded.raised
            with nogil:  # without an event, the stream has failed
                yoke_event_record_at(NULL, stream.ptr, YOKE_EVENT_IGNORE_DEPTH, &event.ptr)
            may_raise(stream, event)
        if used or self.updated:  # the last launch may outlive the graph's last reference, and an update
            keep_until_done(stream, [Kept.__new__(Kept), *used, *self.updated.values()], before)

    cdef void keep(self, size_t index, list kept):
        """Keep the objects that the node's operation uses since its update, or none."""
        if kept is None:
            self.updated.pop(index, None)
        else:
            self.updated[index] = kept

    def set_args(self, node, kernel, *args):
        """Give a launch other arguments. kernel: the Kernel of the node; args as in a launch, but no host arrays
        (UnsupportedError). The graph's launches are not ordered with Arrays of other streams."""
        cdef yoke_arg list_[MOST_ARGS]
        cdef PyObject *values[MOST_ARGS]
        cdef size_t index = as_size(node, "node")
        cdef Kernel used = (<Launch>kernel).kernel if isinstance(kernel, Launch) else kernel
        cdef const char *where = here()
        cdef Py_ssize_t count = count_args(args, 0)
        cdef list kept
        cdef yoke_status status

        if used is None:
            raise TypeError("the kernel of the node is wanted, and not None")
        enter_arguments(values, args, 0, count)
        try:
            kept = fill_arguments(list_, values, count, used)
            with nogil:
                status = yoke_graph_set_args_at(where, self.ptr, index, list_, count)
        finally:
            leave_arguments(values, count)
        check(status)
        self.keep(index, kept)

    def set_launch(self, node, Launch launch not None, *args):
        """Give a launch another kernel, size and arguments: graph.set_launch(0, kernel[n], x, 2.0)."""
        cdef yoke_arg list_[MOST_ARGS]
        cdef PyObject *values[MOST_ARGS]
        cdef size_t index = as_size(node, "node")
        cdef const char *where = here()
        cdef Py_ssize_t count = count_args(args, 0)
        cdef yoke_dim grid = launch.grid
        cdef yoke_dim block = launch.block
        cdef list kept
        cdef yoke_status status

        if launch.n:
            block.x, block.y, block.z = launch.kernel.info["automatic_block"], 1, 1
            grid.x, grid.y, grid.z = (launch.n + block.x - 1) // block.x, 1, 1
        enter_arguments(values, args, 0, count)
        try:
            kept = fill_arguments(list_, values, count, launch.kernel)
            with nogil:
                status = yoke_graph_set_launch_at(where, self.ptr, index, launch.ptr, grid, block, launch.shared, list_, count)
        finally:
            leave_arguments(values, count)
        check(status)
        self.keep(index, kept)

    def set_write(self, node, Buffer buffer not None, source, offset=0):
        """Give a write another buffer and other host memory, which the graph keeps."""
        cdef size_t index = as_size(node, "node")
        cdef Kept kept = hold(source, False)
        cdef size_t first = as_size(offset, "offset")
        cdef const char *where = here()
        cdef yoke_status status
        cdef Inside call = inside(buffer)

        with nogil:
            status = yoke_graph_set_write_at(where, self.ptr, index, buffer.ptr, first, kept.view.buf, kept.view.len)
        check(status)
        self.keep(index, with_owner([kept], buffer))

    def set_read(self, node, target, Buffer buffer not None, offset=0):
        """Give a read other host memory, which the graph keeps, and another buffer."""
        cdef size_t index = as_size(node, "node")
        cdef Kept kept = hold(target, True)
        cdef size_t first = as_size(offset, "offset")
        cdef const char *where = here()
        cdef yoke_status status
        cdef Inside call = inside(buffer)

        with nogil:
            status = yoke_graph_set_read_at(where, self.ptr, index, kept.view.buf, buffer.ptr, first, kept.view.len)
        check(status)
        self.keep(index, with_owner([kept], buffer))

    def set_copy(self, node, Buffer target not None, Buffer source not None, size=None, target_offset=0, source_offset=0):
        """Give a copy other buffers."""
        cdef size_t index = as_size(node, "node")
        cdef size_t to = as_size(target_offset, "target_offset")
        cdef size_t begin = as_size(source_offset, "source_offset")
        cdef size_t count = as_size(max(0, source.size - begin) if size is None else size, "size")
        cdef const char *where = here()
        cdef yoke_status status
        cdef Inside call = inside(target, source)

        with nogil:
            status = yoke_graph_set_copy_at(where, self.ptr, index, target.ptr, to, source.ptr, begin, count)
        check(status)
        self.keep(index, with_owner(with_owner(None, target), source))

    def set_fill(self, node, Buffer buffer not None, pattern=b"\0", offset=0, size=None):
        """Give a fill another buffer and pattern."""
        cdef size_t index = as_size(node, "node")
        cdef Kept kept = hold(pattern, False)
        cdef size_t first = as_size(offset, "offset")
        cdef size_t count = as_size(max(0, buffer.size - first) if size is None else size, "size")
        cdef const char *where = here()
        cdef yoke_status status
        cdef Inside call = inside(buffer)

        with nogil:
            status = yoke_graph_set_fill_at(where, self.ptr, index, buffer.ptr, first, count, kept.view.buf, kept.view.len)
        check(status)
        self.keep(index, with_owner(None, buffer))

    def set_call(self, node, function, *args, **kwargs):
        """Give a host function (stream.call) another function and other arguments."""
        update_call(self, as_size(node, "node"), function, args, kwargs)

    def __len__(self):
        return yoke_graph_get_size(self.ptr)

    def describe(self, format="text"):
        """The graph as text, a line for each node; format "dot": for Graphviz."""
        if format not in ("text", "dot"):
            raise ValueError(f"format is 'text' or 'dot', not {shown(format)}")
        return text_of(yoke_graph_describe(self.ptr, YOKE_GRAPH_DOT if format == "dot" else YOKE_GRAPH_TEXT))

    def __repr__(self):
        return f"<yoke.Graph of {len(self)} nodes on {self.device.info.selector}>"


@cython.final
cdef class Recording:
    """The context manager of stream.record(): gives the graph. Where the block raises, the recording ends, too."""

    cdef Stream stream
    cdef Graph graph
    cdef bint entered

    def __cinit__(self, Stream stream not None, Graph graph not None):
        self.stream, self.graph = stream, graph

    def __enter__(self):
        cdef yoke_status status
        self.stream.recordings += 1
        with nogil:
            status = yoke_graph_begin(self.graph.ptr, self.stream.ptr)
        if status == YOKE_OK:
            self.stream.graph = self.graph.recorded
            self.entered = True
        self.stream.recordings += 1
        check(status)
        return self.graph

    def __exit__(self, kind, error, traceback):
        cdef yoke_status status
        if not self.entered:
            raise InvalidArgumentError("the recording has not begun, or has ended")
        self.entered = False
        self.stream.recordings += 1
        with nogil:
            status = yoke_graph_end(self.graph.ptr)
        self.stream.graph = None
        self.stream.recordings += 1
        self.graph.recorded.kept.extend(lent_memory.values())  # operations of the graph may use it
        if kind is None:
            check(status)


cdef int update_call(Graph graph, size_t node, function, tuple args, dict kwargs) except -1:
    """Another host function for a node of a graph."""
    cdef Call call
    cdef const char *where = here()
    cdef yoke_status status
    cdef void *user

    check_function(function, "a host function")
    call = Call.__new__(Call)
    call.function, call.args, call.kwargs = function, args, kwargs
    raise_in_graph(call, graph.recorded)
    user = <void *>call
    Py_INCREF(call)
    with nogil:
        status = yoke_graph_set_host_call_at(where, graph.ptr, node, call_again, user, release_call)
    if status < 0:
        Py_DECREF(call)
        fail(status)
    return 0
