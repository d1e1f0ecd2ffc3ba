# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Errors, the one place of them: every failure of the library is an exception with the whole record; an exception of a host
# function is its stream's failure, and is raised again as itself, with its own traceback. With what this takes: whether Yoke's
# threads may enter Python, how they call a host function, and the place of an enqueue.
#
# The rules: every call that may block or take a driver's lock is made without the GIL; a Yoke thread waits for the GIL holding
# nothing of Yoke's. So no circle of locks is possible. Yoke's threads enter until the interpreter ends (process.pyx).

import itertools
import operator
import os
import threading
import weakref

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject

from .._names_in_c import ARGUMENTS, FUNCTIONS, NAMES, OPTIONS

from .c_python cimport Py_DECREF_raw, PyBytes_AsString, PyThread_get_thread_ident
from .c_yoke cimport *


# ---- Which thread is the main one, and whether Yoke's threads may enter Python ----

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

cdef unsigned long main_thread = threading.main_thread().ident  # which need not be the one that imports this


cdef bint in_main_thread() noexcept nogil:
    return PyThread_get_thread_ident() == main_thread


cdef bint enter_python() noexcept nogil:
    """Called by Yoke's threads before they take the GIL. False: the interpreter is ending, and the thread must not take it."""
    return yoke_py_enter()


cdef void leave_python() noexcept nogil:
    yoke_py_leave()


cdef bint in_host_function() noexcept nogil:
    """Whether this thread is inside a host function."""
    return yoke_py_in_function()


cdef int python_busy() noexcept nogil:
    """How many threads of Yoke's are inside."""
    return yoke_py_busy()


cdef void close_python() noexcept nogil:
    """No further thread of Yoke's enters."""
    yoke_py_close()


cdef bint python_closed() noexcept nogil:
    return yoke_py_closed()


def _forked():
    global main_thread
    main_thread = PyThread_get_thread_ident()  # the thread that forked, which need not have been the main one
    yoke_py_forked()


os.register_at_fork(after_in_child=_forked)


# ---- Exceptions ----

class Error(Exception):
    """A failure of Yoke.

    status: name of the status, as "YOKE_E_RANGE"; code: its number; group: what to give up, "caller" (nothing: the call was
    wrong), "operation", "stream" (until recover) or "device"; text: what failed, why, what to do about it; function: the function
    of the C API; driver_call, driver_name, driver_code: what the driver was asked and answered ("" and 0 where no driver
    failed); where: "file:line" of the Python line that enqueued the failed work ("" where that does not apply); cause: the text of
    the failure before, where this one only follows from it.
    """

    status = ""
    code = 0
    group = text = function = driver_call = driver_name = where = cause = ""
    driver_code = 0


class InvalidArgumentError(Error, ValueError):
    """An argument is invalid."""


class RangeError(Error, IndexError):
    """Outside a buffer, or beyond a limit or the last index."""


class KernelArgumentError(Error, TypeError):
    """A kernel argument does not match the compiled kernel."""


class NotFoundError(Error, LookupError):
    """No such device, kernel or source."""


class UnsupportedError(Error):
    """The driver or the device cannot do this."""


class DeadlockError(Error):
    """The call would wait for itself."""


class UnavailableError(Error):
    """A driver or compiler is missing or refuses to start."""


class BuildError(Error):
    """The source does not compile; log: the compiler's whole log."""

    log = ""


class OutOfDeviceMemoryError(Error, MemoryError):
    """The device's memory is exhausted."""


class OutOfHostMemoryError(Error, MemoryError):
    """The host's memory or its limit of threads is exhausted."""


class DriverError(Error):
    """A driver call failed."""


class ForkedError(Error):
    """The driver was started before this process was forked."""


class ExecutionError(Error):
    """Work on the device failed."""


class HostFunctionError(Error):
    """A host function failed, and its exception no longer exists."""


class CancelledError(Error):
    """The stream was cancelled or released before this could run."""


class DeviceLostError(Error):
    """The device is lost to this process."""


cdef dict error_classes = {
    -101: InvalidArgumentError, -102: RangeError, -103: KernelArgumentError, -104: NotFoundError, -105: UnsupportedError,
    -106: DeadlockError, -201: UnavailableError, -202: BuildError, -203: OutOfDeviceMemoryError, -204: OutOfHostMemoryError,
    -205: DriverError, -206: ForkedError, -301: ExecutionError, -302: HostFunctionError, -303: CancelledError,
    -401: DeviceLostError,
}


for _class in [Error, *error_classes.values()]:
    _class.__module__ = "yoke"


# A host function that raises fails its stream with a status of its own, FIRST_EXCEPTION - number, which the library hands to every
# stream, event and wait that the failure reaches. The streams hold the exceptions; this table only finds them.
cdef enum:
    FIRST_EXCEPTION = -1000000


cdef object raised_boxes = weakref.WeakValueDictionary()
cdef object raised_numbers = itertools.count()


class _Raised:
    """An exception of a host function, as it was first raised: each wait that raises it gives it a traceback and a context."""

    __slots__ = ("error", "traceback", "context", "cause", "suppress", "__weakref__")

    def __init__(self, error):
        self.error, self.traceback = error, error.__traceback__
        self.context, self.cause, self.suppress = error.__context__, error.__cause__, error.__suppress_context__

    def first(self):
        error = self.error.with_traceback(self.traceback)
        error.__context__, error.__cause__ = self.context, self.cause
        error.__suppress_context__ = self.suppress  # which the cause sets
        return error


cdef str text_of(const char *text):
    return text.decode("utf-8", "replace")


cpdef str shown(value):
    """A value for a message, which a long text of it does not fill, nor a failure to make one replace. Of a large int only the
    size, since Python formats none of more than 4300 digits."""
    if isinstance(value, int) and not -1 << 128 < value < 1 << 128:
        return f"about {'-' if value < 0 else ''}2**{value.bit_length() - 1}"
    try:
        text = str(value) if isinstance(value, (int, float)) else repr(value)
    except ValueError:  # such an int is in it
        return f"a {type(value).__name__} with an int that is too large to show"
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= 200 else text[:200] + "…"


cdef bytes c_text(value, str name):
    """A text for C, which ends at the first NUL character."""
    cdef str text = value if isinstance(value, str) else shown(value) if isinstance(value, (int, tuple)) else str(value)
    if "\0" in text:
        raise ValueError(f"{name} has a NUL character: {shown(text)}")
    return text.encode()


cdef str function_for_python(str name):
    """The name here of a function of C's that a text begins with."""
    known = FUNCTIONS.get(name)
    return known or name.removeprefix("yoke_").removeprefix("array_").removesuffix("_with")


def text_for_python(str text, kind):
    """The library's text, without what helps only in C. What the user has written is left: a compiler's log, and what is quoted."""
    function, colon, rest = text.partition(": ")
    if not (colon and function.startswith("yoke_") and function.isidentifier()):
        function = ""
    if kind is BuildError:
        return f"{function_for_python(function)}: {rest}" if function else text
    for name, word in NAMES:
        text = text.replace(name, word)
    if function and ("options->" in text or "YOKE_" in text):
        import re

        text = re.sub(r"(?<!\w)'[^']*'|\boptions->(\w+)", lambda found: OPTIONS.get(found[1], found[1] or found[0]), text)
        text = re.sub(r"(?<!\w)'[^']*'|\bYOKE_(?:REDUCE|SCAN|SCATTER|SORT|SEARCH|CONVOLVE|FFT|FORMAT)_([A-Z0-9]+)(?:_OR_NAN)?\b",
                      lambda found: found[1].lower() if found[1] else found[0], text)
    for name, word in ARGUMENTS.get(text.partition(":")[0], {}).items():
        import re

        text = re.sub(rf"\b{name}(?=[,:;]| (has|overlaps|lies|is|begins|wants)\b)", word, text)  # and not the article
    if function:
        text = f"{function_for_python(function)}: {text.partition(': ')[2]}"
    if kind is InvalidArgumentError:
        first = text.partition("; the previous failure: ")[0]
        return first[:-4] + "closed" if first.endswith(" is NULL") else text
    if kind is KernelArgumentError and "; write " in text:  # a cast of C's
        text, _, cast = text.partition("; write ")
        if "yoke_arg_struct" in cast:
            return text + "; pass a NumPy scalar of its dtype"
        convert = "float" if "takes a floating" in text or "wide, but a floating" in text else "int"
        text += f"; pass {convert}(x), which gets the width of its parameter"
    return text


cdef object make_error(yoke_status status):
    """The exception for a status that a call on this thread has just returned."""
    cdef const yoke_error_info *info = yoke_error()
    global interruption

    if status <= FIRST_EXCEPTION:
        box = raised_boxes.get(FIRST_EXCEPTION - status)
        if box is not None and box is interruption:
            interruption = None
        if box is not None:
            return box.first()
    # A record of another status is that of an older failure.
    text = text_of(info.text) if info.status == status else text_of(yoke_status_meaning(status))
    kind = error_classes.get(status, HostFunctionError)
    text = text_for_python(text, kind)
    error = kind(text)
    error.status = text_of(yoke_status_name(status))
    error.code = status
    error.group = ("", "caller", "operation", "stream", "device")[yoke_status_group(status)]
    error.text = text
    if info.status == status:
        error.function = text_of(info.function)
        error.driver_call = text_of(info.driver_call)
        error.driver_name = text_of(info.driver_name)
        error.driver_code = info.driver_code
        error.where = text_of(info.where)
        error.cause = text_of(info.cause)
        if error.where and error.where not in text:
            error.add_note("enqueued at " + error.where)
    if kind is BuildError:
        error.log = text_of(yoke_program_get_build_log())
    return error


cdef int fail(yoke_status status) except -1:
    error = make_error(status)
    if status == YOKE_E_CANCELLED and python_closed() and not in_main_thread():
        raise SystemExit from error  # a daemon thread: its work was cancelled because the interpreter ends, which is not a mistake
    if isinstance(error, BuildError):
        PyErr_CheckSignals()  # Ctrl-C ends the linker that a driver has started, too, and the build fails by it
    raise error


# ---- The place of an enqueue ----

cdef extern from *:
    """
    #include <dlfcn.h>
    static inline PyObject *current_frame(void) { return (PyObject *)PyEval_GetFrame(); }
    static inline PyObject *frame_code(PyObject *frame) { return (PyObject *)PyFrame_GetCode((PyFrameObject *)frame); }
    static inline int frame_line(PyObject *frame) { return PyFrame_GetLineNumber((PyFrameObject *)frame); }
    /* The interpreter's function for where in its code a frame is; not of the stable ABI, so that it may be missing: NULL. */
    static int (*frame_lasti)(PyFrameObject *);
    static void find_frame_lasti(void) { *(void **)&frame_lasti = dlsym(RTLD_DEFAULT, "PyFrame_GetLasti"); }
    /* A number that differs for each call in a code object: the offset, or the line, which the interpreter searches in a table. */
    static inline int frame_call(PyObject *frame)
    {
        return frame_lasti ? frame_lasti((PyFrameObject *)frame) : frame_line(frame);
    }
    """
    PyObject *current_frame() noexcept
    PyObject *frame_code(PyObject *frame) noexcept
    int frame_line(PyObject *frame) noexcept
    void find_frame_lasti() noexcept
    int frame_call(PyObject *frame) noexcept

# The library keeps the pointer, so a place lives until the process ends: one for each line that enqueues, at most MOST_PLACES.
cdef enum:
    MOST_PLACES = 65536


cdef dict places = {}


cdef struct Place:
    PyObject *code    # owned, so that its address is not another code's
    int call          # which one of that code
    const char *text


cdef Place recent_places[256]
find_frame_lasti()


# Of a line of the package itself: the one that called it counts.
cdef const char *inside = b""
cdef str package = os.path.dirname(os.path.dirname(__file__)) + os.sep


cdef const char *remember_place(PyObject *code, int line) except? NULL:
    cdef str file = (<object>code).co_filename
    if file.startswith(package):
        return inside
    cdef bytes text = file.encode("utf-8", "replace") + b":" + str(line).encode()
    cdef bytes kept = places.get(text)

    if kept is None:
        if len(places) >= MOST_PLACES:
            return NULL
        kept = places.setdefault(text, text)
    return PyBytes_AsString(kept)


cdef inline const char *place_of(PyObject *frame) except? NULL:
    cdef PyObject *code = frame_code(frame)  # owned
    cdef int call = frame_call(frame)
    cdef Place *place = &recent_places[((<size_t>code >> 5) ^ <size_t>call * 31) & 255]

    if place.code == code and place.call == call:
        Py_DECREF_raw(code)
        return place.text
    try:
        text = remember_place(code, frame_line(frame))
    except BaseException:
        Py_DECREF_raw(code)
        raise
    old = place.code
    place.code, place.call, place.text = code, call, text
    if old != NULL:
        Py_DECREF_raw(old)
    return text


cdef const char *place_outside(frame) except? NULL:
    """That of the line which called the package."""
    cdef const char *text = inside
    while text == inside:
        frame = frame.f_back
        if frame is None:
            return NULL
        text = place_of(<PyObject *>frame)
    return text


cdef const char *here() except? NULL:
    """"file:line" of the Python line that is calling."""
    cdef PyObject *frame = current_frame()  # borrowed
    cdef const char *text

    if frame == NULL:
        return NULL
    text = place_of(frame)
    return place_outside(<object>frame) if text == inside else text


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


cdef size_t as_size(value, str name) except? <size_t>-1:
    number = operator.index(value)
    if number < 0:
        raise ValueError(f"{name} is negative: {shown(number)}")
    return number


# ---- Host functions, as Yoke's threads call them ----

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
