# SPDX-License-Identifier: Apache-2.0
# The interpreter's functions on borrowed references, as C sees them: all of them are of the stable ABI of 3.11.
from cpython.object cimport PyObject

cdef extern from "Python.h":
    void Py_DECREF_raw "Py_DECREF" (PyObject *object)
    PyObject *Py_TYPE_raw "(PyObject *)Py_TYPE" (PyObject *object) noexcept
    PyObject *PyDict_GetItem_raw "PyDict_GetItemWithError" (object dict, object key) noexcept
    PyObject *PyTuple_GetItem(object tuple, Py_ssize_t index) noexcept
    Py_ssize_t PyTuple_Size(object tuple) noexcept
    tuple PyTuple_New(Py_ssize_t size)
    int PyTuple_SetItem_raw "PyTuple_SetItem" (object tuple, Py_ssize_t index, PyObject *item) except -1  # takes the reference
    void Py_INCREF_raw "Py_INCREF" (PyObject *object)
    PyObject *PyLong_FromLongLong_raw "PyLong_FromLongLong" (long long number) except NULL
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
