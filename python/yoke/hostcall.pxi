# SPDX-License-Identifier: Apache-2.0
# Host functions in Python: what Yoke's threads call, how an exception becomes a stream's failure, and how the interpreter ends.
#
# The rules: every call that may block or take a driver's lock is made without the GIL; a Yoke thread waits for the GIL holding
# nothing of Yoke's. So no circle of locks is possible.
#
# The interpreter's end: `close_interpreter` runs from atexit, while Python still works. From then on no Yoke thread enters Python:
# host functions are answered with YOKE_E_CANCELLED, and what their arguments own is left to the system. Those that are inside are
# waited for, up to MOST_SECONDS; after that their threads count as daemon threads, which Python stops.

cdef extern from *:
    """
    #include <stdatomic.h>
    static atomic_int yoke_py_inside, yoke_py_closing;
    static _Thread_local int yoke_py_calls; /* that this thread is in */
    static int yoke_py_enter(void)
    {
        atomic_fetch_add(&yoke_py_inside, 1);
        if (!atomic_load(&yoke_py_closing)) {
            yoke_py_calls++;
            return 1;
        }
        atomic_fetch_sub(&yoke_py_inside, 1);
        return 0;
    }
    static void yoke_py_leave(void)
    {
        yoke_py_calls--;
        atomic_fetch_sub(&yoke_py_inside, 1);
    }
    static int yoke_py_in_function(void) { return yoke_py_calls > 0; }
    static int yoke_py_busy(void) { return atomic_load(&yoke_py_inside); }
    static void yoke_py_close(void) { atomic_store(&yoke_py_closing, 1); }
    static int yoke_py_closed(void) { return atomic_load(&yoke_py_closing); }
    static void yoke_py_forked(void) { atomic_store(&yoke_py_inside, 0); }
    """
    int yoke_py_enter() noexcept nogil
    void yoke_py_leave() noexcept nogil
    bint yoke_py_in_function() noexcept nogil
    int yoke_py_busy() noexcept nogil
    void yoke_py_close() noexcept nogil
    bint yoke_py_closed() noexcept nogil
    void yoke_py_forked() noexcept nogil

cdef enum:
    MOST_RAISED = 256  # exceptions that a graph keeps

cdef object live_streams = weakref.WeakValueDictionary()  # by their ids


cdef list streams_alive():
    """In one step: other threads create and drop streams meanwhile, which no iteration over the dictionary survives."""
    return [stream for stream in [reference() for reference in live_streams.valuerefs()] if stream is not None]


@cython.final
cdef class Call:
    cdef object function
    cdef tuple args
    cdef dict kwargs
    cdef list raised
    cdef bint always
    cdef bint called
    cdef bint again  # it is a graph's, whose exceptions no recover clears

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


cdef yoke_status status_of(box) noexcept:
    """The status that stands for the exception of a _Raised, as long as that lives."""
    cdef bytes text
    number = next(raised_numbers) % 1000000000
    raised_boxes[number] = box
    try:
        text = f"{type(box.error).__name__}: {box.error}".encode("utf-8", "replace")
    except BaseException:
        text = type(box.error).__name__.encode()
    return yoke_fail(FIRST_EXCEPTION - <int>number, "%s", <const char *>text)


cdef object interruption = None  # the exception of a signal that has come while the main thread waited for room in a stream


cdef yoke_status heed_signals(void *user) noexcept nogil:
    """Called now and then while an enqueue waits for room: an exception of a signal's handler ends that, and check raises it."""
    return run_handlers() if in_main_thread() else YOKE_OK


cdef yoke_status run_handlers() noexcept with gil:
    global interruption
    try:
        PyErr_CheckSignals()
        return YOKE_OK
    except BaseException as error:
        interruption = _Raised(error)
        return status_of(interruption)


cdef yoke_status call_once(yoke_status status, void *user) noexcept nogil:
    """A host function that is called once, and so releases itself. Where a recording has begun right before it was enqueued, it is
    a graph's, and called more often; then enqueue_call keeps it."""
    cdef yoke_status result
    cdef bint first
    if not yoke_py_enter():
        return YOKE_E_CANCELLED
    with gil:
        first = not (<Call>user).called
        (<Call>user).called = True
        result = (<Call>user).run(status)
        if first:
            Py_DECREF_raw(<PyObject *>user)
    yoke_py_leave()
    return result


cdef yoke_status call_again(yoke_status status, void *user) noexcept nogil:
    """A host function of a graph, which may be called any number of times."""
    cdef yoke_status result
    if not yoke_py_enter():
        return YOKE_E_CANCELLED
    with gil:
        result = (<Call>user).run(status)
    yoke_py_leave()
    return result


cdef void release_call(void *user) noexcept nogil:
    if not yoke_py_enter():
        return
    with gil:
        Py_DECREF_raw(<PyObject *>user)
    yoke_py_leave()


cdef int raise_in_graph(Call call, Graph graph) except -1:
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


cdef enum:
    COROUTINE = 0x80  # the flag of a coroutine function's code


cdef int check_function(function, str what) except -1:
    if not callable(function):
        raise TypeError(f"{what} is callable, and {shown(function)} is not")
    if getattr(getattr(function, "__code__", None), "co_flags", 0) & COROUTINE:
        raise TypeError(f"{shown(function)} is a coroutine function, whose call runs nothing: pass lambda: asyncio.run(f())")
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


cdef int update_call(Graph graph, size_t node, function, tuple args, dict kwargs) except -1:
    """Another host function for a node of a graph."""
    cdef Call call
    cdef const char *where = here()
    cdef yoke_status status
    cdef void *user

    check_function(function, "a host function")
    call = Call.__new__(Call)
    call.function, call.args, call.kwargs = function, args, kwargs
    raise_in_graph(call, graph)
    user = <void *>call
    Py_INCREF(call)
    with nogil:
        status = yoke_graph_set_host_call_at(where, graph.ptr, node, call_again, user, release_call)
    if status < 0:
        Py_DECREF(call)
        fail(status)
    return 0


# ---- Functions of events, and of native sections ----

cdef void complete(yoke_status status, void *user) noexcept nogil:
    if not yoke_py_enter():
        return
    with gil:
        (<Call>user).run_complete(status)
    yoke_py_leave()


cdef int call_on_complete(Event event, function, tuple args, dict kwargs) except -1:
    cdef Call call
    cdef yoke_status status
    cdef void *user

    check_function(function, "what is called on completion")
    call = Call.__new__(Call)
    call.function, call.args, call.kwargs, call.raised = function, args, kwargs, event.raised
    user = <void *>call
    Py_INCREF(call)
    with nogil:
        status = yoke_event_on_complete(event.ptr, complete, user, release_call)
    if status < 0:
        Py_DECREF(call)
        fail(status)
    return 0


cdef yoke_status call_native(yoke_status status, void *native, void *user) noexcept nogil:
    cdef yoke_status result
    if not yoke_py_enter():
        return YOKE_E_CANCELLED
    with gil:
        result = (<Call>user).run_native(status, <uintptr_t>native)
    yoke_py_leave()
    return result


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


# ---- The interpreter's end ----

cdef enum:
    MOST_SECONDS = 10

cdef double last_wait = 0  # when the waits of the interpreter's end are over, where communicators have begun them


def _close_interpreter():
    """From atexit: no host function starts from now on, and those that run are waited for."""
    cdef Stream stream
    cdef list ends = []
    yoke_py_close()
    for each in streams_alive():
        stream = each
        if stream.ptr == NULL:
            continue
        with contextlib.suppress(BaseException):  # it has failed, maybe with SystemExit
            # What drivers for CPUs compile and run in threads of this process would crash when the process ends under it.
            if stream.device.info.kind in ("cpu", "emulator") and stream.graph is None:
                ends.append(stream.event())
        with nogil:
            yoke_stream_cancel(stream.ptr)
    end = last_wait or time.monotonic() + MOST_SECONDS
    while yoke_py_busy() and time.monotonic() < end:
        time.sleep(0.001)
    for ended in ends:
        with contextlib.suppress(BaseException):
            ended.wait(max(0.0, end - time.monotonic()))
    # Host memory that the device may still read or write belongs to it until the process has ended.
    for items in [*itertools.chain(*kept_memory.values()), forgotten]:
        for kept in items:
            Py_INCREF(kept)


atexit.register(_close_interpreter)

def _forked():
    global main_thread, default_lock
    default_lock = threading.Lock()  # a thread that is not here may have held it
    main_thread = PyThread_get_thread_ident()  # the thread that forked, which need not have been the main one
    yoke_py_forked()
    live_streams.clear()


os.register_at_fork(after_in_child=_forked)
