# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Launches of kernels that are written in Python: one whose arguments look as those of the last goes to the compiled kernel at once.
# The hot path, as kernel.pyx.

cimport cython
from cpython.object cimport PyObject

from .c_python cimport (
    Py_INCREF_raw, Py_TYPE_raw, PyDict_GetItem_raw, PyLong_AsLongLongAndOverflow_raw, PyLong_FromLongLong_raw, PyTuple_GetItem,
    PyTuple_New, PyTuple_SetItem_raw, PyTuple_Size,
)
from .c_yoke cimport *
from .c_ops cimport *
from .array cimport Array
from .device cimport Device
from .kernel cimport Launch, MOST_ARGS
from .stream cimport Stream

from .errors import KernelArgumentError


cdef int64_t SMALL = 1 << 30  # as kernels/ranges.py has it

cdef void *type_float = <void *>float
cdef void *type_int = <void *>int
cdef void *type_bool = <void *>bool
cdef void *type_array = <void *>Array


cdef int looks(PyObject *value) noexcept:
    """What of an argument decides on its type, and whether it is small, as a number; 0: it takes a closer look than this."""
    cdef void *kind = <void *>Py_TYPE_raw(value)
    cdef yoke_array *array
    cdef int64_t size = 1
    cdef long long number
    cdef int overflow = 0
    if kind == type_float:
        return 1
    if kind == type_int:
        number = PyLong_AsLongLongAndOverflow_raw(value, &overflow)
        return 2 if not overflow and -SMALL < number < SMALL else 3
    if kind == type_bool:
        return 4
    if kind != type_array:
        return 0
    array = &(<Array>value).a
    if array.offset or not yoke_array_is_contiguous(array):
        return 0
    for axis in range(array.dimensions):
        size *= max(array.shape[axis], 1)
        if size >= SMALL:
            return 8192 + array.dtype * 16 + array.dimensions
    return array.dtype * 16 + array.dimensions


cdef bint is_same(found, value) except -1:
    """Whether a number or a tuple that is captured has the text of before: -0.0 equals 0.0, and (1.0, 2) equals (1, 2), which have
    not. Of two other objects, attributes may become different."""
    if type(found) is not type(value) or not (isinstance(value, (int, float, complex, tuple)) or hasattr(value, "dtype")):
        return False
    return found == value and (isinstance(value, int) or repr(found) == repr(value))


cdef found_in(owner, name, attribute):
    """What a name outside the kernel stands for now; None: nothing."""
    if attribute is not True:
        return (<dict>owner).get(name)
    try:
        return getattr(owner, name, None)
    except ValueError:  # of the cell of a variable that is deleted
        return None


cdef bint have_changed(list captures) except -1:
    """Whether a name outside the kernel no longer has the value that its text was made with. captures: (its owner, the name, whether
    that is an attribute or the key of a dict, the value)."""
    cdef tuple each
    for each in captures:
        owner, name, attribute, value = each
        if attribute is not True and PyDict_GetItem_raw(owner, name) == <PyObject *>value:  # as most are
            continue
        found = found_in(owner, name, attribute)
        if found is not value and not is_same(found, value):
            return True
    return False


@cython.final
cdef class Last:
    """A launch that has been made."""
    cdef Device device
    cdef Launch launch   # of the compiled kernel
    cdef list captures   # as have_changed takes them
    cdef Py_ssize_t count, expanded  # arguments, without the stream; with the extents behind each array
    cdef int looks[MOST_ARGS]
    cdef int lanes[MOST_ARGS]  # the parts of a vector, which an array's last axis has, and the kernel takes no extent of; 0: none

    cdef bint looks_so(self, tuple args) noexcept:
        """Whether the arguments behind the stream look as those of this launch."""
        cdef Py_ssize_t i
        cdef PyObject *value
        cdef yoke_array *array
        if PyTuple_Size(args) != self.count + 1:
            return False
        for i in range(self.count):
            value = PyTuple_GetItem(args, i + 1)
            if looks(value) != self.looks[i]:
                return False
            if self.lanes[i]:
                array = &(<Array>value).a
                if array.shape[array.dimensions - 1] != self.lanes[i]:
                    return False
        return True

    cdef tuple expand(self, tuple args):
        """The arguments of the compiled kernel: the extents stand behind each array."""
        cdef tuple result = PyTuple_New(self.expanded)
        cdef Py_ssize_t i, at = 0
        cdef int axis
        cdef PyObject *value
        cdef yoke_array *array
        for i in range(self.count + 1):
            value = PyTuple_GetItem(args, i)
            Py_INCREF_raw(value)
            PyTuple_SetItem_raw(result, at, value)
            at += 1
            if <void *>Py_TYPE_raw(value) == type_array:
                array = &(<Array>value).a
                for axis in range(array.dimensions - (self.lanes[i - 1] > 0)):
                    PyTuple_SetItem_raw(result, at, PyLong_FromLongLong_raw(array.shape[axis]))
                    at += 1
        return result


cdef class AlikeLaunch:
    """AlikeLaunch(shape)\n--\n\n\
    kernel[n] or kernel[grid, block] of a kernel in Python. `anew`, which a class of this one has, makes a launch of any
    arguments."""

    cdef readonly object shape
    cdef Last last

    @cython.embedsignature(False)
    def __init__(self, shape):
        self.shape = shape

    def __call__(self, *args, **options):
        cdef Last last = self.last
        cdef PyObject *stream
        if options:
            raise TypeError(f"a launch takes no arguments by name, as {next(iter(options))}: they stand in order behind the stream")
        if last is not None:
            stream = PyTuple_GetItem(args, 0) if PyTuple_Size(args) else NULL
            if (stream != NULL and type(<object>stream) is Stream and (<Stream>stream).device is last.device
                    and last.looks_so(args) and not have_changed(last.captures)):
                try:
                    last.launch(*last.expand(args))
                    return
                except (KernelArgumentError, OverflowError):
                    pass  # anew says it in the words of Python
        self.anew(*args)

    def keep(self, Launch launch not None, list captures not None, list lanes not None, *args):
        """The next launch goes this way if its arguments look as these do, the first of which is the stream. lanes: as in Last."""
        cdef Last last = Last.__new__(Last)
        cdef PyObject *value
        last.device, last.launch, last.captures = (<Stream?>args[0]).device, launch, captures
        last.count, last.expanded = len(args) - 1, len(args)
        if last.count > MOST_ARGS:
            return
        for i in range(last.count):
            value = PyTuple_GetItem(args, i + 1)
            last.looks[i] = looks(value)
            if last.looks[i] == 0:
                return
            last.lanes[i] = lanes[i]
            if <void *>Py_TYPE_raw(value) == type_array:
                last.expanded += (<Array>value).a.dimensions - (last.lanes[i] > 0)
        self.last = last


cdef class AlikeLaunches:
    """AlikeLaunches()\n--\n\n\
    A kernel in Python: `kernel[shape]` is the same object each time. `launch_of`, which a class of this one has, makes it."""

    cdef AlikeLaunch recent

    def __getitem__(self, shape):
        cdef AlikeLaunch launch = self.recent
        if launch is None or launch.shape is not shape:
            launch = self.launch_of(shape)
            if type(shape) is int or type(shape) is tuple:  # others may have another value the next time
                self.recent = launch
        return launch


def are_current(list captures not None):
    """Whether the names outside a kernel that its text was made with have their values yet; captures: as have_changed takes them."""
    return not have_changed(captures)
