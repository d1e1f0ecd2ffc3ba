# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Host functions in Python: what Yoke's threads call, and how an exception becomes a stream's failure.
#
# The rules: every call that may block or take a driver's lock is made without the GIL; a Yoke thread waits for the GIL holding
# nothing of Yoke's. So no circle of locks is possible.

cimport cython
from cpython.object cimport PyObject

from .c_python cimport Py_DECREF_raw
from .c_yoke cimport *
from .interpreter cimport enter_python, leave_python
from .errors cimport make_error, shown, status_of

from .errors import _Raised


cdef enum:
    MOST_RAISED = 256  # exceptions that a graph keeps


@cython.final
cdef class Call:

    cdef yoke_status run(self, yoke_status status) noexcept:
        try:
            if self.always:
                error = make_error(status) if status < 0 else None
                self.function(error, *self.args, **self.kwargs)
            elif status == YOKE_OK:
                self.function(*self.args, **self.kwargs)
            return YOKE_OK
        except BaseException as error:
            return self.keep(error)

    cdef yoke_status run_native(self, yoke_status status, uintptr_t native) noexcept:
        try:
            if status == YOKE_OK:
                self.function(native, *self.args, **self.kwargs)
            return status
        except BaseException as error:
            return self.keep(error)

    cdef void run_complete(self, yoke_status status) noexcept:
        # An exception has nowhere to go: Cython hands it to sys.unraisablehook.
        self.function(make_error(status) if status < 0 else None, *self.args, **self.kwargs)

    cdef yoke_status keep(self, error) noexcept:
        """The status that stands for an exception, for whoever waits."""
        box = _Raised(error)
        self.raised.append(box)
        if self.again and len(self.raised) > MOST_RAISED:
            del self.raised[0]
        return status_of(box)


cdef yoke_status call_once(yoke_status status, void *user) noexcept nogil:
    """A host function that is called once, and so releases itself. Where a recording has begun right before it was enqueued, it is
    a graph's, and called more often; then enqueue_call keeps it."""
    cdef yoke_status result
    cdef bint first
    if not enter_python():
        return YOKE_E_CANCELLED
    with gil:
        first = not (<Call>user).called
        (<Call>user).called = True
        result = (<Call>user).run(status)
        if first:
            Py_DECREF_raw(<PyObject *>user)
    leave_python()
    return result


cdef yoke_status call_again(yoke_status status, void *user) noexcept nogil:
    """A host function of a graph, which may be called any number of times."""
    cdef yoke_status result
    if not enter_python():
        return YOKE_E_CANCELLED
    with gil:
        result = (<Call>user).run(status)
    leave_python()
    return result


cdef void release_call(void *user) noexcept nogil:
    if not enter_python():
        return
    with gil:
        Py_DECREF_raw(<PyObject *>user)
    leave_python()


cdef enum:
    COROUTINE = 0x80  # the flag of a coroutine function's code


cdef int check_function(function, str what) except -1:
    if not callable(function):
        raise TypeError(f"{what} is callable, and {shown(function)} is not")
    if getattr(getattr(function, "__code__", None), "co_flags", 0) & COROUTINE:
        raise TypeError(f"{shown(function)} is a coroutine function, whose call runs nothing: pass lambda: asyncio.run(f())")
    return 0


# ---- Functions of events, and of native sections ----

cdef void complete(yoke_status status, void *user) noexcept nogil:
    if not enter_python():
        return
    with gil:
        (<Call>user).run_complete(status)
    leave_python()


cdef yoke_status call_native(yoke_status status, void *native, void *user) noexcept nogil:
    cdef yoke_status result
    if not enter_python():
        return YOKE_E_CANCELLED
    with gil:
        result = (<Call>user).run_native(status, <uintptr_t>native)
    leave_python()
    return result
