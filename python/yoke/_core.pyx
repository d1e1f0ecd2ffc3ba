# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, auto_pickle=False
"""The extension module: the rooms of the package, each in a file named like the header of the C API that it stands for."""

cimport cython
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_SIMPLE, PyBUF_WRITABLE
from cpython.buffer cimport PyBuffer_FillInfo, PyObject_CheckBuffer, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject
from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.string cimport memcmp, memset, strchr

from .c_yoke cimport *
from .c_ops cimport *

import array
import atexit
import collections
import contextlib
import contextvars
import itertools
import math
import operator
import os
import sys
import threading
import time
import weakref

cdef extern from *:
    """
    #include <dlfcn.h>
    /* What arguments and arrays need of C. */
    static inline void set_f64(yoke_number *number, double value) { number->value.f64 = value; }
    static inline void set_parts(yoke_number *number, double real, double imaginary)
    {
        number->value.parts[0] = real;
        number->value.parts[1] = imaginary;
    }
    static inline void set_i64(yoke_number *number, int64_t value) { number->value.i64 = value; }
    static inline void set_u64(yoke_number *number, uint64_t value) { number->value.u64 = value; }
    static inline PyObject *current_frame(void) { return (PyObject *)PyEval_GetFrame(); }
    static inline PyObject *frame_code(PyObject *frame) { return (PyObject *)PyFrame_GetCode((PyFrameObject *)frame); }
    static inline int frame_line(PyObject *frame) { return PyFrame_GetLineNumber((PyFrameObject *)frame); }
    /* The interpreter's function for where in its code a frame is; not of the stable ABI, so that it may be missing: NULL. */
    static int (*frame_lasti)(PyFrameObject *);
    static void find_frame_lasti(void) { *(void **)&frame_lasti = dlsym(RTLD_DEFAULT, "PyFrame_GetLasti"); }
    /* What tells the calls of a code apart: the offset or the line, which the interpreter finds in a table, reading up to there. */
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
    void set_f64(yoke_number *number, double value)
    void set_parts(yoke_number *number, double real, double imaginary)
    void set_i64(yoke_number *number, int64_t value)
    void set_u64(yoke_number *number, uint64_t value)
    int64_t YOKE_SLICE_END

# The interpreter's functions on borrowed references, as C sees them: all of them are of the stable ABI of 3.11.
cdef extern from "Python.h":
    void Py_DECREF_raw "Py_DECREF" (PyObject *object)
    PyObject *Py_TYPE_raw "(PyObject *)Py_TYPE" (PyObject *object) noexcept
    PyObject *PyTuple_GetItem(object tuple, Py_ssize_t index) noexcept
    Py_ssize_t PyTuple_Size(object tuple) noexcept
    double PyFloat_AsDouble_raw "PyFloat_AsDouble" (PyObject *object) noexcept
    long long PyLong_AsLongLongAndOverflow_raw "PyLong_AsLongLongAndOverflow" (PyObject *object, int *overflow) noexcept
    const char *PyBytes_AsString(object bytes) except NULL
    Py_ssize_t PyBytes_Size(object bytes)
    char *PyByteArray_AsString(object bytes) except NULL
    unsigned long PyThread_get_thread_ident() noexcept nogil
    bint PyCapsule_IsValid_raw "PyCapsule_IsValid" (PyObject *capsule, const char *name) noexcept
    void *PyCapsule_GetPointer_raw "PyCapsule_GetPointer" (PyObject *capsule, const char *name) noexcept
    int PyCapsule_SetName_raw "PyCapsule_SetName" (PyObject *capsule, const char *name) noexcept
    object PyCapsule_New_raw "PyCapsule_New" (void *pointer, const char *name, void (*destructor)(PyObject *) noexcept)

version = yoke_version().decode()

cdef class Device
cdef class Stream
cdef class Event
cdef class Buffer
cdef class Kept
cdef class Graph
cdef class Image
cdef class Surface
cdef class Kernel
cdef class Launch
cdef class Array
cdef class MpiRanks

include "errors.pxi"
include "trace.pxi"
include "device.pxi"
include "memory.pxi"
include "rect.pxi"
include "image.pxi"
include "event.pxi"
include "completion.pxi"
include "graph.pxi"
include "stream.pxi"
include "hostcall.pxi"
include "native.pxi"
include "program.pxi"
include "dtype.pxi"
include "array.pxi"
include "move.pxi"
include "create.pxi"
include "kernel.pxi"
include "arrayops.pxi"
include "operators.pxi"
include "indexing.pxi"
include "order.pxi"
include "matmul.pxi"
include "random.pxi"
include "fft.pxi"
include "filter.pxi"
include "native_order.pxi"
include "comm.pxi"
include "exchange.pxi"
include "names.pxi"

