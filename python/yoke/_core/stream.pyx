# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Streams: queues of work in order, copies, fills and host functions in them, the host memory that they keep, and the current stream
# of a thread or task.

import collections
import contextvars
import os
import threading
import weakref

cimport cython
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.string cimport memset

from .c_yoke cimport *
from .errors cimport (
    as_size, c_text, Call, call_again, call_native, call_once, check, check_function, fail, heed_signals, here, in_host_function,
    in_main_thread, release_call, shown,
)
from .device cimport Device, wait_number
from .memory cimport Buffer, forgotten, hold, Image, Inside, inside, Kept, kept_memory, prune_kept, prune_queue, with_owner
from .event cimport Event, native_queue, own_event
from .copies cimport copy_image, copy_rect, fill_rect, host_rect, read_image, write_image

from .errors import InvalidArgumentError
from .event import refuse_deadlock


cdef object current = contextvars.ContextVar("yoke_streams", default=())  # entered by `with stream:`, the innermost last
cdef object default_lock = threading.Lock()
cdef object default_made = None


def default_stream():
    """The stream that arrays are made on where no other is named: the innermost `with stream:` of this thread, or of this task of
    asyncio's, else one stream of the best device, which is opened at the first call and lives as long as the process."""
    global default_made

    entered = current.get()
    if entered:
        return entered[-1]
    if default_made is None:
        with default_lock:
            if default_made is None:
                default_made = Stream(Device(), name="default")
    return default_made


cdef dict others_made = {}  # by Device, the default streams of those that default_made is not on


def stream_on(device):
    """The stream that arrays are made on where a device is named: default_stream(), if it is the device's or the device is None;
    else one stream of the device, which is made at the first call and lives as long as the process."""
    stream = default_stream()
    if device is None or stream.device is device:
        return stream
    if not isinstance(device, Device):
        raise TypeError(f"a device is a Device, as x.device gives it, not {shown(device)}")
    if default_made is not None and (<Stream>default_made).device is device:
        return default_made
    with default_lock:
        if device not in others_made:
            others_made[device] = Stream(device, name="default")
        return others_made[device]


@cython.final
cdef class Recorded:
    """The objects that a graph keeps alive for the work that is recorded into it."""

    def __cinit__(self):
        self.kept, self.raised = [], []


@cython.final
cdef class Stream:
    """Stream(device=None, *, timed=False, wait='auto', depth=0, priority=0, name=None)\n--\n\n\
    A queue of work on a device, in order. Everything enqueued here runs later; `wait` (or `await stream`) waits for it and
    raises its failure.

    timed: events can be timed. wait: "auto", "spin" or "block", how waits wait. depth: the most unfinished operations, 0 for no
    limit; an enqueue beyond it blocks until there is room, or Ctrl-C in the main thread ends it. priority: -100 to 100, a hint;
    above 0 is more urgent. name: for messages.

    `with stream:` makes it the current stream of the thread, or of the task, on which arrays are made; the end of the block waits
    for its work.
    Any thread may use a stream. The last reference, or close, cancels host functions that have not started.
    """

    def __cinit__(self, Device device=None, *, timed=False, wait="auto", depth=0, priority=0, name=None):
        cdef yoke_stream_desc desc
        cdef bytes label = None if name is None else c_text(name, "name")
        cdef yoke_device *ptr
        cdef yoke_status status

        memset(&desc, 0, sizeof(desc))
        self.device = Device() if device is None else device
        self.raised, self.kept = [], collections.deque()
        desc.size = sizeof(desc)
        desc.flags = YOKE_STREAM_TIMED if timed else 0
        desc.wait = wait_number(wait)
        desc.depth = depth
        desc.on_full = heed_signals
        desc.priority = priority
        desc.name = NULL if label is None else <const char *>label
        self.name = name
        ptr = yoke_device_retain(self.device.ptr)  # another thread may close the device meanwhile
        with nogil:
            status = yoke_stream_create(ptr, &desc, &self.ptr)
            yoke_device_release(ptr)
        check(status)
        live_streams[id(self)] = self

    def __dealloc__(self):
        cdef yoke_stream *ptr = self.closed if self.ptr == NULL else self.ptr
        if ptr != NULL:
            with nogil:
                yoke_stream_release(ptr)

    def close(self):
        """Release the stream. Operations that the driver has still run; host functions that have not started are cancelled. Waits
        for nothing. Other threads' waits in it end. A second call does nothing."""
        cdef yoke_stream *ptr = self.ptr
        cdef Event end
        self.ptr = NULL
        if ptr == NULL:
            return
        self.closed = ptr
        if self.lent:
            end = Event.__new__(Event)
            with nogil:
                yoke_event_record_at(NULL, ptr, YOKE_EVENT_IGNORE_DEPTH, &end.ptr)
            self.end = end if end.ptr != NULL else None  # None: the stream has failed
        with nogil:
            yoke_stream_cancel(ptr)  # as the last release does

    def __enter__(self):
        current.set((*current.get(), self))
        return self

    def __exit__(self, kind, error, traceback):
        streams = current.get()
        if self in streams:  # or a generator is closed in another thread
            innermost = len(streams) - 1 - streams[::-1].index(self)
            current.set(streams[:innermost] + streams[innermost + 1:])
        if kind is None:
            self.wait()

    @property
    def priority(self):
        """The priority on this device."""
        cdef int32_t priority = 0
        check(yoke_stream_get_priority(self.ptr, &priority))
        return priority

    def wait(self, timeout=None):
        """Wait until all work that is in the stream now is complete, and raise its failure. timeout: seconds; TimeoutError when
        they have passed. Ctrl-C in the main thread ends the wait, and not the work. DeadlockError: called from a host function of
        this stream, or of one that this stream waits for."""
        cdef yoke_status status

        if timeout is None and not in_main_thread():
            with nogil:
                status = yoke_stream_wait(self.ptr)
            check(status)
        elif self.graph is None:
            self.event().wait(timeout)
        else:
            check(yoke_stream_wait(self.ptr))  # which says that the stream is being recorded
        prune_kept()

    def __await__(self):
        from .. import aio

        return aio.wait(self.event()).__await__()

    def event(self, *, timed=False):
        """An Event behind all work that is in the stream now. timed: with a time stamp (the stream must be timed). Does not block,
        and does not count for the stream's depth."""
        cdef Event event = Event.__new__(Event)
        cdef const char *where = here()
        cdef uint32_t flags = YOKE_EVENT_IGNORE_DEPTH | (YOKE_EVENT_TIMED if timed else 0)
        cdef yoke_status status

        with nogil:
            status = yoke_event_record_at(where, self.ptr, flags, &event.ptr)
        check(status)
        event.raised = self.raised
        return event

    def wait_for(self, Event event not None):
        """Make the work that follows in this stream wait for the event, of any stream of any device. Waits for nothing but room
        in a stream with a depth."""
        cdef Event own = own_event(event)  # another thread may close the event while this waits for room
        cdef const char *where = here()
        cdef yoke_status status

        with nogil:
            status = yoke_stream_wait_event_at(where, self.ptr, own.ptr)
        check(status)
        may_raise(self, own)

    def wait_for_native(self, queue):
        """Make the work that follows in this stream wait for all that a queue of another library has now. queue: an int, a
        cl_command_queue of the device's context, or a CUstream of its primary context, 1 for the legacy default stream, 2 for
        this thread's; or an object with __cuda_stream__. Neither the host nor another stream waits. UnsupportedError: the queue is
        being captured. InvalidArgumentError: the queue is of another context, or this stream is being recorded. The driver
        crashes on a number that is not a queue."""
        follow_native(self, queue, here())

    def cancel(self):
        """Cancel: nothing more starts, and the stream fails with CancelledError. What the driver already has still runs."""
        cdef yoke_status status
        with nogil:
            status = yoke_stream_cancel(self.ptr)
        check(status)

    def recover(self):
        """Make a failed stream usable again: wait for what still runs, then clear the failure."""
        cdef yoke_status status
        with nogil:
            status = yoke_stream_recover(self.ptr)
        check(status)
        self.raised = []  # events recorded before keep theirs

    def write(self, Buffer buffer not None, source, offset=0):
        """Copy host memory into the buffer, from its byte `offset`. source: anything contiguous with the buffer protocol (bytes, a
        NumPy array); it is kept alive, and must not change, until the copy has run. RangeError: past the end of the buffer."""
        cdef Kept kept = hold(source, False)
        cdef size_t first = as_size(offset, "offset")
        cdef const char *where = here()
        cdef yoke_status status
        cdef Inside call = inside(buffer)
        cdef unsigned before = self.recordings

        if kept.view.len == 0:
            return
        with nogil:
            status = yoke_write_at(where, self.ptr, buffer.ptr, first, kept.view.buf, kept.view.len)
        check(status)
        keep_until_done(self, [kept, buffer.owner], before)

    def read(self, target, Buffer buffer not None, offset=0, *, blocking=True):
        """Copy bytes of the buffer, from its byte `offset`, into host memory: as many as `target` has. target: anything contiguous
        and writable with the buffer protocol. Waits as wait() does, with its exceptions, and where it may not wait, copies nothing.
        blocking=False: returns at once, and the copy is complete when the stream gets there: wait before you look."""
        if blocking:
            refuse_wait(self)
        cdef Kept kept = hold(target, True)
        cdef size_t first = as_size(offset, "offset")
        cdef const char *where = here()
        cdef yoke_status status
        cdef Inside call = inside(buffer)
        cdef unsigned before = self.recordings

        if kept.view.len == 0:
            if blocking:
                self.wait()
            return
        with nogil:
            status = yoke_read_at(where, self.ptr, kept.view.buf, buffer.ptr, first, kept.view.len)
        check(status)
        keep_until_done(self, [kept, buffer.owner], before)
        if blocking:
            wait_for_read(self, before)

    def copy(self, Buffer target not None, Buffer source not None, size=None, target_offset=0, source_offset=0):
        """Copy between buffers, also of different devices. size: bytes; None: all of the source from its offset."""
        cdef size_t to = as_size(target_offset, "target_offset")
        cdef size_t begin = as_size(source_offset, "source_offset")
        cdef size_t count = as_size(max(0, source.size - begin) if size is None else size, "size")
        cdef const char *where = here()
        cdef yoke_status status
        cdef Inside call = inside(target, source)
        cdef unsigned before = self.recordings

        with nogil:
            status = yoke_copy_at(where, self.ptr, target.ptr, to, source.ptr, begin, count)
        check(status)
        keep_owners(self, before, target, source)

    def fill(self, Buffer buffer not None, pattern=b"\0", offset=0, size=None):
        """Fill bytes with copies of a pattern of 1, 2, 4, 8 or 16 bytes: bytes, or a NumPy scalar. size: bytes; None: the rest."""
        cdef Kept kept = hold(pattern, False)
        cdef size_t first = as_size(offset, "offset")
        cdef size_t count = as_size(max(0, buffer.size - first) if size is None else size, "size")
        cdef const char *where = here()
        cdef yoke_status status
        cdef Inside call = inside(buffer)
        cdef unsigned before = self.recordings

        with nogil:
            status = yoke_fill_at(where, self.ptr, buffer.ptr, first, count, kept.view.buf, kept.view.len)
        check(status)
        keep_owners(self, before, buffer)

    def write_rect(self, Buffer buffer not None, source, shape, *, buffer_offset=0, buffer_pitch=None, source_offset=0,
                   source_pitch=None):
        """Copy a rect of host memory into the buffer. shape: (rows, bytes of a row) or (slices, rows, bytes). offsets: bytes to the
        first byte. pitches: bytes from row to row, or (from slice to slice, from row to row); None: no gaps. source as in write.
        RangeError: the rect ends past the buffer or the host memory."""
        host_rect(self, buffer, source, shape, buffer_offset, buffer_pitch, source_offset, source_pitch, False, here())

    def read_rect(self, target, Buffer buffer not None, shape, *, target_offset=0, target_pitch=None, buffer_offset=0,
                  buffer_pitch=None, blocking=True):
        """Copy a rect of the buffer to host memory, whose bytes between the rows stay. Else as write_rect and read."""
        cdef unsigned before = self.recordings
        if blocking:
            refuse_wait(self)
        host_rect(self, buffer, target, shape, buffer_offset, buffer_pitch, target_offset, target_pitch, True, here())
        if blocking:
            wait_for_read(self, before)

    def copy_rect(self, Buffer target not None, Buffer source not None, shape, *, target_offset=0, target_pitch=None,
                  source_offset=0, source_pitch=None):
        """Copy a rect between buffers, also of different devices; within one buffer, no row may touch another. Else as
        write_rect."""
        copy_rect(self, target, source, shape, target_offset, target_pitch, source_offset, source_pitch, here())

    def fill_rect(self, Buffer buffer not None, shape, pattern=b"\0", *, offset=0, pitch=None):
        """Fill each row of a rect with copies of a pattern, as in fill; shape, offset and pitch as in write_rect."""
        fill_rect(self, buffer, shape, pattern, offset, pitch, here())

    def write_image(self, Image image not None, source, *, offset=None, shape=None):
        """Copy host memory into the texels of an image from `offset` on, as many as `shape` says: (rows, columns) or (slices, rows,
        columns), in texels; None: from the first, to the last. source: anything contiguous with the buffer protocol and as many
        bytes as these texels have, else RangeError; it must not change until the copy has run."""
        write_image(self, image, source, offset, shape, here())

    def read_image(self, target, Image image not None, *, offset=None, shape=None, blocking=True):
        """Copy texels of an image to host memory. Else as write_image and read."""
        cdef unsigned before = self.recordings
        if blocking:
            refuse_wait(self)
        read_image(self, target, image, offset, shape, here())
        if blocking:
            wait_for_read(self, before)

    def copy_to_image(self, Image image not None, Buffer buffer not None, buffer_offset=0, *, offset=None, shape=None):
        """Copy texels, row after row, from byte buffer_offset of a buffer into an image; offset and shape as in write_image."""
        copy_image(self, image, buffer, buffer_offset, offset, shape, True, here())

    def copy_from_image(self, Buffer buffer not None, Image image not None, buffer_offset=0, *, offset=None, shape=None):
        """Copy texels of an image into a buffer. Else as copy_to_image."""
        copy_image(self, image, buffer, buffer_offset, offset, shape, False, here())

    def native(self):
        """`with stream.native() as handle:` handle is the driver's stream as an int, a CUstream or cl_command_queue, in the
        stream's order: what comes before has been submitted, though not completed, and what follows is submitted after the block.
        The block only enqueues native work on the handle: it must not wait, and not use this stream through Yoke. Entering waits
        for host functions that come before; Ctrl-C ends that wait. The handle is not valid after the block. DeadlockError: in a
        host function of this stream. The failure of the work before is raised."""
        from .graph import Section

        return Section(self)

    def native_call(self, function, *args, **kwargs):
        """Enqueue function(handle, *args, **kwargs), a native section as a function, with the rules of native(): called at once by
        this thread where nothing is deferred in the stream, else by one of Yoke's, with the device's context current on CUDA. While
        the stream is recorded, CUDA captures what the function enqueues into the graph, and other drivers call it at each launch.
        An exception fails the stream, as in call."""
        enqueue_native(self, function, args, kwargs)

    def buffer(self, size):
        """A Buffer in the stream's order, for temporary memory: use it in this stream, or behind an event recorded after this."""
        return ordered_buffer(self, as_size(size, "size"))

    def call(self, function, *args, **kwargs):
        """Enqueue a Python function: function(*args, **kwargs) runs on a thread of Yoke's in the stream's order, when everything
        before it has completed; nothing behind it starts before it returns. It may block and may call anything of this package;
        waiting for its own stream is DeadlockError. An exception fails the stream: the work behind it does not run, and whoever
        waits gets the same exception. It is not called where the work before it failed or the stream was cancelled."""
        enqueue_call(self, function, args, kwargs, False)

    def call_always(self, function, *args, **kwargs):
        """As call, but called exactly once whatever happens, as function(error, *args, **kwargs): error is None, or the exception
        of the work before it (CancelledError where the stream was cancelled). Not called where this raises, as it does in a stream
        that has failed already."""
        enqueue_call(self, function, args, kwargs, True)

    def record(self, name=None):
        """`with stream.record() as graph:` what the block enqueues in the stream is recorded, not run; graph.launch(stream) runs it
        any number of times. Host arrays that it names stay in use as long as the graph lives, as does the memory of other libraries
        that Arrays use when the block ends. A launch in the block is not ordered with Arrays of other streams, nor one elsewhere
        with Arrays of this stream: order graph.launch with them, by wait_for."""
        from .graph import Graph, Recording

        return Recording(self, Graph(self.device, name))

    def __repr__(self):
        if self.ptr == NULL:
            return "<yoke.Stream closed>"
        return f"<yoke.Stream {self.name or hex(<size_t>self.ptr)} on {self.device.info.selector}>"


cdef Buffer ordered_buffer(Stream stream, size_t size):
    """Device memory in the stream's order."""
    cdef Buffer buffer = Buffer.__new__(Buffer, stream.device)
    cdef yoke_stream *queue = stream.ptr
    cdef yoke_status status

    with nogil:
        status = yoke_buffer_create_ordered(queue, size, &buffer.ptr)
    check(status)
    return buffer


cdef int keep_until_done(Stream stream, list items, unsigned before) except -1:
    """Keep what `hold` gave until the stream's work up to now is complete; while it is recorded, as long as the graph lives.
    before: stream.recordings when the work was not enqueued yet. Where another thread has begun or ended a recording since, nobody
    knows whether the work is in the graph: then the memory is kept for good."""
    cdef yoke_event *event = NULL
    cdef yoke_status status

    if before & 1 or stream.recordings != before:
        forgotten.extend(items)
        return 0
    if stream.graph is not None:
        stream.graph.kept.extend(items)
        return 0
    if stream.ptr == NULL and stream.end is not None:
        event = yoke_event_retain(stream.end.ptr)
        status = YOKE_OK
    else:
        with nogil:
            status = yoke_event_record_at(NULL, stream.ptr, YOKE_EVENT_IGNORE_DEPTH, &event)
    if status < 0 or stream.recordings != before:  # the stream failed meanwhile, and what was submitted may still run; or as above
        forgotten.extend(items)
        if event != NULL:
            yoke_event_release(event)
        return 0
    (<Kept>items[0]).event = event
    stream.kept.append(items)
    kept_memory[id(stream.kept)] = stream.kept
    prune_queue(stream.kept)
    return 0


cdef int keep_owners(Stream stream, unsigned before, Buffer one, Buffer other=None) except -1:
    cdef list kept = with_owner(None, one)
    if other is not None:
        kept = with_owner(kept, other)
    return 0 if kept is None else keep_until_done(stream, kept, before)


cdef int refuse_wait(Stream stream) except -1:
    """Before what is read and waited for is enqueued: refuse it where the wait would be."""
    if stream.graph is not None:
        raise InvalidArgumentError("the stream is being recorded, and there is nothing to wait for: stream.read(…, blocking=False) "
                                   "is recorded, and values are read behind a launch of the graph")
    if in_host_function():
        refuse_deadlock(stream.event())
    return 0


cdef int wait_for_read(Stream stream, unsigned before) except -1:
    stream.wait()
    return refuse_recorded(stream, before)


cdef int refuse_recorded(Stream stream, unsigned before) except -1:
    """Behind the read: it may have been recorded instead, since `before`."""
    if before & 1 or stream.recordings != before:
        raise InvalidArgumentError("another thread has recorded the stream meanwhile, and the read may be in the graph")
    return 0


cdef object live_streams = weakref.WeakValueDictionary()  # by their ids


cdef list streams_alive():
    """In one step: other threads create and drop streams meanwhile, which no iteration over the dictionary survives."""
    return [stream for stream in [reference() for reference in live_streams.valuerefs()] if stream is not None]


cdef int raise_in_graph(Call call, Recorded graph) except -1:
    """The graph has the exceptions of the function, and each stream that launches it."""
    call.raised, call.again, graph.calls = graph.raised, True, True
    return 0


cdef int may_raise(Stream stream, Event event) except -1:
    """The stream may fail with the exceptions of the stream or graph that the event is of."""
    cdef yoke_status status
    cdef list own = stream.raised
    cdef Event awaited

    if event.raised is own:
        return 0
    if len(own) % 16 == 15:
        for awaited in [each for each in own if isinstance(each, Event)]:
            with nogil:
                status = yoke_event_query(awaited.ptr)
            if status == YOKE_OK and awaited in own:  # what is complete has not failed
                own.remove(awaited)
    own.append(own_event(event))
    return 0


cdef int enqueue_call(Stream stream, function, tuple args, dict kwargs, bint always) except -1:
    cdef Call call
    cdef const char *where = here()
    cdef yoke_status status
    cdef void *user
    cdef bint recorded = stream.graph is not None
    cdef unsigned before = stream.recordings

    check_function(function, "a host function")
    call = Call.__new__(Call)
    call.function, call.args, call.kwargs, call.always, call.raised = function, args, kwargs, always, stream.raised
    if recorded:
        raise_in_graph(call, stream.graph)
    user = <void *>call
    Py_INCREF(call)
    with nogil:
        if recorded:
            status = yoke_host_call_at(where, stream.ptr, call_again, user, release_call)
        else:
            status = yoke_host_call_at(where, stream.ptr, call_once, user, NULL)
    if status < 0:
        Py_DECREF(call)
        fail(status)
    if not recorded and (before & 1 or stream.recordings != before):
        Py_INCREF(call)
    return 0


cdef int enqueue_native(Stream stream, function, tuple args, dict kwargs) except -1:
    cdef Call call
    cdef const char *where = here()
    cdef yoke_status status
    cdef void *user

    check_function(function, "the function of a native section")
    call = Call.__new__(Call)
    call.function, call.args, call.kwargs, call.raised = function, args, kwargs, stream.raised
    if stream.graph is not None:
        raise_in_graph(call, stream.graph)
    user = <void *>call
    Py_INCREF(call)
    with nogil:
        status = yoke_native_enqueue_at(where, stream.ptr, call_native, user, release_call)
    if status < 0:
        Py_DECREF(call)
        fail(status)
    return 0


cdef int follow_native(Stream stream, number, const char *where) except -1:
    """Make later work of the stream wait for all work that the queue has now."""
    cdef uintptr_t queue = native_queue(number)
    cdef yoke_status status
    with nogil:
        status = yoke_stream_wait_native_at(where, stream.ptr, <void *>queue)
    return check(status)


def _forked():
    global default_lock
    default_lock = threading.Lock()  # a thread that is not here may have held it
    live_streams.clear()


os.register_at_fork(after_in_child=_forked)
