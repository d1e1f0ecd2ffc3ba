# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Which thread is the main one, and whether Yoke's threads may enter Python: they do until the interpreter ends (process.pyx).

import os
import threading

from .c_python cimport PyThread_get_thread_ident

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
    """Of a thread of Yoke's, before it takes the GIL. False: the interpreter ends, and the thread must not."""
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
