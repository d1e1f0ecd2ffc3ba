# SPDX-License-Identifier: Apache-2.0
# Events: points in streams.

cdef enum:
    SLICE = 50_000_000  # nanoseconds between two looks for Ctrl-C

cdef unsigned long main_thread = PyThread_get_thread_ident()


cdef bint in_main_thread() noexcept:
    return PyThread_get_thread_ident() == main_thread


@cython.final
cdef class Event:
    """A point in a stream, made by stream.event(): complete when everything before it has finished or failed. `await event` waits
    without blocking the loop."""

    cdef yoke_event *ptr
    cdef list raised
    cdef object __weakref__

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
        cdef yoke_status status
        with nogil:
            status = yoke_event_query(self.ptr)
        check(status)
        return status == YOKE_OK

    def wait(self, timeout=None):
        """Wait until the event is complete, and raise the failure of the work before it. timeout: seconds; TimeoutError when they
        have passed. Ctrl-C in the main thread ends the wait. DeadlockError: called from a host function before the event in the
        same stream."""
        cdef uint64_t left = <uint64_t>-1
        cdef uint64_t part
        cdef yoke_status status
        cdef bint interruptible = in_main_thread()

        if timeout is not None:
            left = <uint64_t>min(max(0.0, float(timeout)) * 1e9, 9e18)
        while True:
            part = SLICE if interruptible and left > SLICE else left
            with nogil:
                status = yoke_event_wait_for(self.ptr, part)
            if status != YOKE_PENDING:
                break
            PyErr_CheckSignals()
            if left != <uint64_t>-1:
                left -= part
                if left == 0:
                    raise TimeoutError(f"the event was not complete after {timeout} s")
        check(status)
        prune_kept()

    def fileno(self):
        """A new file descriptor that becomes readable when the event is complete; the caller closes it."""
        cdef int fd = -1
        cdef yoke_status status
        with nogil:
            status = yoke_event_get_fd(self.ptr, &fd)
        check(status)
        return fd

    def elapsed(self, Event start not None):
        """Seconds on the device's clock from the timed event `start` to this one, both complete. BlockingIOError: one is not."""
        cdef int64_t nanoseconds = 0
        cdef yoke_status status
        with nogil:
            status = yoke_event_get_elapsed(start.ptr, self.ptr, &nanoseconds)
        check(status)
        if status == YOKE_PENDING:
            raise BlockingIOError("an event is not complete yet: wait for it first")
        return nanoseconds * 1e-9

    def __await__(self):
        from . import aio

        return aio.wait(self).__await__()

    def __repr__(self):
        cdef yoke_status status
        if self.ptr == NULL:
            return "<yoke.Event closed>"
        with nogil:
            status = yoke_event_query(self.ptr)
        return f"<yoke.Event {'pending' if status == YOKE_PENDING else 'failed' if status < 0 else 'complete'}>"
