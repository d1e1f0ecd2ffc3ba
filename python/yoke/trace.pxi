# SPDX-License-Identifier: Apache-2.0
# The trace, as far as it needs the library: which file the library writes, and when all that has run is in it. The library decides
# whether it traces when the first device is opened; what a part of the trace is, and how it is read, is in _trace.py.

cdef bint searched = False     # a device has been asked for
cdef object trace_name = None  # what YOKE_TRACE was then; None: there is no trace
cdef object trace_ours = None  # the file for temporary use that this package has named in YOKE_TRACE
cdef const char *trace_mark = "yoke.trace:mark"
cdef const char *trace_wait = "yoke.trace:wait"


cdef int before_first_device() except -1:
    global searched, trace_name
    searched, trace_name = True, os.environ.get("YOKE_TRACE") or None
    return 0


def after_first_device():
    """The library has opened the file: the name goes, and with it the order, which child processes would follow. At the
    interpreter's end, too, for a trace without a device."""
    global trace_ours
    if trace_ours is not None:
        name, trace_ours = trace_ours, None
        if os.environ.get("YOKE_TRACE") == name:
            del os.environ["YOKE_TRACE"]
        try:
            os.unlink(name)
        except OSError:
            pass


def order_trace():
    """Have the library write a trace, from the first device on. RuntimeError: it is too late."""
    global trace_ours
    if searched:
        if trace_name is None:
            raise RuntimeError("the trace begins with the first device, and this process has opened one without: start the trace "
                               "before, set YOKE_TRACE to a file, or run python -m yoke trace PROGRAM")
    elif not os.environ.get("YOKE_TRACE"):
        import tempfile

        descriptor, trace_ours = tempfile.mkstemp(prefix="yoke-trace-", suffix=".json")
        os.close(descriptor)
        os.environ["YOKE_TRACE"] = trace_ours
        atexit.register(after_first_device)


def ordered_trace():
    """The name in YOKE_TRACE when the first device was opened; None: there is no trace, or no device yet."""
    return trace_name


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
