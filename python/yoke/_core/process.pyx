# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# What concerns all streams of the process: marks in the trace, and the interpreter's end.
#
# The end: `_close_interpreter` runs from atexit, while Python still works. From then on no Yoke thread enters Python: host
# functions are answered with YOKE_E_CANCELLED, and what their arguments own is left to the system. Those that are inside are
# waited for, up to MOST_SECONDS; after that their threads count as daemon threads, which Python stops.

import atexit
import itertools
import time

from cpython.ref cimport Py_INCREF

from .c_yoke cimport *
from .errors cimport close_python, python_busy
from .memory cimport Buffer, forgotten, kept_memory
from .event cimport wait_event
from .stream cimport Stream, streams_alive


cdef const char *trace_mark = "yoke.trace:mark"
cdef const char *trace_wait = "yoke.trace:wait"


def mark_trace():
    """Wait for all streams that are alive, whatever their work came to, and enqueue a mark in each; the number of marks. When as
    many are in the trace, so is all the work before them."""
    cdef Stream stream
    cdef Buffer byte
    cdef yoke_event *event
    cdef yoke_status status
    cdef char zero = 0
    marks = 0

    for each in streams_alive():
        stream = each
        if stream.ptr == NULL or stream.graph is not None:
            continue
        event, marked = NULL, False
        try:
            if stream.device.supports("timing"):
                byte = stream.buffer(1)
                with nogil:
                    status = yoke_fill_at(trace_mark, stream.ptr, byte.ptr, 0, 1, &zero, 1)
                marked = status == YOKE_OK
        except Exception:
            pass  # a stream that has failed, with an exception of its host function's, too
        with nogil:
            status = yoke_event_record_at(trace_wait, stream.ptr, YOKE_EVENT_IGNORE_DEPTH, &event)
        if status < 0:
            continue
        try:
            marks += wait_event(event, <uint64_t>-1) == YOKE_OK and marked
        finally:
            with nogil:
                yoke_event_release(event)
    return marks


cdef double last_wait = 0  # when the waits of the interpreter's end are over, where communicators have begun them


cdef int set_last_wait(double end) except -1:
    """The end, by time.monotonic, of the waits at the interpreter's end, which communicators begin."""
    global last_wait
    last_wait = end
    return 0


def _close_interpreter():
    """From atexit: no host function starts from now on, and those that run are waited for."""
    cdef Stream stream
    cdef list ends = []
    close_python()
    for each in streams_alive():
        stream = each
        if stream.ptr == NULL:
            continue
        try:
            # What drivers for CPUs compile and run in threads of this process would crash when the process ends under it.
            if stream.device.info.kind in ("cpu", "emulator") and stream.graph is None:
                ends.append(stream.event())
        except BaseException:  # it has failed, maybe with SystemExit
            pass
        with nogil:
            yoke_stream_cancel(stream.ptr)
    end = last_wait or time.monotonic() + MOST_SECONDS
    while python_busy() and time.monotonic() < end:
        time.sleep(0.001)
    for ended in ends:
        try:
            ended.wait(max(0.0, end - time.monotonic()))
        except BaseException:
            pass
    # Host memory that the device may still read or write belongs to it until the process has ended.
    for items in [*itertools.chain(*kept_memory.values()), forgotten]:
        for kept in items:
            Py_INCREF(kept)


atexit.register(_close_interpreter)
