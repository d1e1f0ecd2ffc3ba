# SPDX-License-Identifier: Apache-2.0
# Events: points in streams.

cdef enum:
    SLICE = 50_000_000  # nanoseconds between two looks for Ctrl-C

cdef unsigned long main_thread = threading.main_thread().ident  # which need not be the one that imports this


cdef bint in_main_thread() noexcept nogil:
    return PyThread_get_thread_ident() == main_thread


cdef yoke_status wait_event(yoke_event *event, uint64_t left) except? 12345:
    """Wait for at most `left` nanoseconds; YOKE_PENDING when they have passed. Ctrl-C in the main thread raises."""
    cdef uint64_t part
    cdef yoke_status status
    cdef bint interruptible = in_main_thread()

    while True:
        part = SLICE if interruptible and left > SLICE else left
        with nogil:
            status = yoke_event_wait_for(event, part)
        if status != YOKE_PENDING:
            return status
        PyErr_CheckSignals()
        if left != <uint64_t>-1:
            left -= part
            if left == 0:
                return status


cdef uint64_t nanoseconds_of(timeout) except? 0:
    """A timeout in seconds, or None for no end."""
    if timeout is None:
        return <uint64_t>-1
    return <uint64_t>min(max(0.0, float(timeout)) * 1e9, 9e18)


@cython.final
cdef class Event:
    """Event()\n--\n\n\
    A point in a stream, made by stream.event(): complete when everything before it has finished or failed. `await event` waits
    without blocking the loop, with the failures of wait."""

    cdef yoke_event *ptr
    cdef list raised
    cdef object __weakref__

    @cython.embedsignature(False)
    def __init__(self):
        raise TypeError("an event is made by stream.event()")

    def __dealloc__(self):
        cdef yoke_event *ptr = self.ptr
        if ptr != NULL:
            with nogil:
                yoke_event_release(ptr)

    def close(self):
        """Release the event. A second call does nothing."""
        cdef yoke_event *ptr = self.ptr
        self.ptr = NULL
        if ptr != NULL:
            with nogil:
                yoke_event_release(ptr)

    def query(self):
        """Whether the event is complete. Raises the failure of the work before it. Never blocks."""
        cdef yoke_status status = query_event(self)
        check(status)
        if status == YOKE_OK:
            prune_kept()  # await asks this way
        return status == YOKE_OK

    def lead_native(self, queue):
        """Make what another library gives its queue from now on wait for the event; queue: as Stream.wait_for_native, of the
        event's device. True: it does. False: the event is behind a host function, or other work that the driver does not have
        yet, and the queue does not wait: wait for the event instead. Raises the failure of the work before the event. Never
        blocks."""
        return lead_native(own_event(self), queue)

    def wait(self, timeout=None):
        """Wait until the event is complete, and raise the failure of the work before it. timeout: seconds; TimeoutError when they
        have passed. Ctrl-C in the main thread ends the wait. DeadlockError: called from a host function that the event is behind,
        in the same stream or by way of others."""
        cdef Event event = own_event(self)
        cdef yoke_status status = wait_event(event.ptr, nanoseconds_of(timeout))
        if status == YOKE_PENDING:
            raise TimeoutError(f"the event was not complete after {shown(timeout)} s")
        check(status)
        prune_kept()

    def fileno(self):
        """A new file descriptor that becomes readable when the event is complete; the caller closes it."""
        cdef Event own = own_event(self)
        cdef int fd = -1
        cdef yoke_status status
        with nogil:
            status = yoke_event_get_fd(own.ptr, &fd)
        check(status)
        return fd

    def elapsed(self, Event start not None):
        """Seconds on the device's clock from the timed event `start` to this one, both complete. BlockingIOError: one is not."""
        cdef Event begin = own_event(start)
        cdef Event end = own_event(self)
        cdef int64_t nanoseconds = 0
        cdef yoke_status status
        with nogil:
            status = yoke_event_get_elapsed(begin.ptr, end.ptr, &nanoseconds)
        check(status)
        if status == YOKE_PENDING:
            raise BlockingIOError("an event is not complete yet: wait for it first")
        return nanoseconds * 1e-9

    def on_complete(self, function, *args, **kwargs):
        """Call function(error, *args, **kwargs) once, on a thread of Yoke's, when the event is complete: error is None, or the
        failure of the work before it. The stream does not wait for the function, which may block. An exception in it goes to
        sys.unraisablehook. It is not called after the interpreter has begun to end."""
        call_on_complete(own_event(self), function, args, kwargs)

    def __await__(self):
        from . import aio

        return aio.wait(self).__await__()

    def __repr__(self):
        cdef yoke_status status
        if self.ptr == NULL:
            return "<yoke.Event closed>"
        status = query_event(self)
        if status < 0 and yoke_status_group(status) == 1:
            return "<yoke.Event of a recording>"  # the call is wrong, and the work has not failed
        return f"<yoke.Event {'pending' if status == YOKE_PENDING else 'failed' if status < 0 else 'complete'}>"


cdef yoke_status query_event(Event event):
    cdef yoke_event *ptr = yoke_event_retain(event.ptr)  # another thread may close the event meanwhile
    cdef yoke_status status
    with nogil:
        status = yoke_event_query(ptr)
        yoke_event_release(ptr)
    return status


def refuse_deadlock(Event event not None):
    """DeadlockError where this thread runs a host function that the event is behind, and so would wait for itself."""
    cdef Event own = own_event(event)
    cdef yoke_status status
    with nogil:
        status = yoke_event_wait_for(own.ptr, 1)
    if status == YOKE_E_DEADLOCK:
        check(status)


def retained(Event event not None):
    """own_event for yoke.aio."""
    return own_event(event)


cdef Event own_event(Event event):
    """The same event, by a reference that no other thread closes."""
    cdef Event own = Event.__new__(Event)
    own.ptr, own.raised = yoke_event_retain(event.ptr), event.raised
    return own


cdef Py_ssize_t events_of(events, list kept, list pointers) except -1:
    """The events of an iterable, and their pointers as C has them."""
    cdef Event event
    kept.extend(events)
    for each in kept:
        if not isinstance(each, Event):
            raise TypeError(f"an Event is wanted, not {type(each).__name__}")
    pointers.append(bytearray(max(1, len(kept)) * sizeof(yoke_event *)))
    cdef yoke_event **list_ = <yoke_event **><void *>PyByteArray_AsString(pointers[0])
    for i, each in enumerate(kept):
        event = kept[i] = own_event(each)
        list_[i] = event.ptr
    return len(kept)


def wait_any(events, timeout=None):
    """Wait until one of the events is complete: its index in the list, the first where several are. Raises the failure of the work
    before that event. timeout: seconds, else TimeoutError. ValueError: no events."""
    cdef list kept = []
    cdef list pointers = []
    cdef size_t count = events_of(events, kept, pointers)
    cdef yoke_event **list_ = <yoke_event **><void *>PyByteArray_AsString(pointers[0])
    cdef uint64_t left = nanoseconds_of(timeout)
    cdef uint64_t part
    cdef size_t index = 0
    cdef bint interruptible = in_main_thread()
    cdef yoke_status status

    while True:
        part = SLICE if interruptible and left > SLICE else left
        with nogil:
            status = yoke_event_wait_any(list_, count, part, &index)
        if status != YOKE_PENDING:
            break
        PyErr_CheckSignals()
        if left != <uint64_t>-1:
            left -= part
            if left == 0:
                raise TimeoutError(f"none of {count} events was complete after {shown(timeout)} s")
    check(status)
    prune_kept()
    return index


def wait_all(events, timeout=None):
    """Wait until all of the events are complete, and raise the first failure in the order of the list. timeout: seconds for all of
    them together, else TimeoutError."""
    end = None if timeout is None else time.monotonic() + float(timeout)
    failure = None
    for event in list(events):
        if not isinstance(event, Event):
            raise TypeError(f"an Event is wanted, not {type(event).__name__}")
        try:
            event.wait(None if end is None else max(0.0, end - time.monotonic()))
        except (TimeoutError, KeyboardInterrupt):
            raise
        except BaseException as error:
            failure = failure or error
    if failure is not None:
        raise failure
