# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Native sections: a driver's stream as an int, for the length of a section of its order.
#
# `with stream.native() as handle:` A native section runs on one of Yoke's threads: it hands the handle to the thread of the block,
# and waits for the end of the block without the GIL. The two share a `yoke_py_section`; whoever is last frees it.

cimport cython
from cpython.exc cimport PyErr_CheckSignals

from .c_yoke cimport *
from .errors cimport fail, here
from .stream cimport Stream

from .errors import CancelledError, InvalidArgumentError
from .event import refuse_deadlock


cdef extern from *:
    """
    #include <errno.h>
    #include <semaphore.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    #include <time.h>
    typedef struct {
        sem_t entered, left;
        void *native; /* NULL: the work before the section failed */
        atomic_int users;
    } yoke_py_section;
    static yoke_py_section *yoke_py_section_new(void)
    {
        yoke_py_section *section = (yoke_py_section *)calloc(1, sizeof *section);
        if (!section)
            return NULL;
        sem_init(&section->entered, 0, 0);
        sem_init(&section->left, 0, 0);
        atomic_init(&section->users, 2);
        return section;
    }
    static void yoke_py_section_drop(void *user)
    {
        yoke_py_section *section = (yoke_py_section *)user;
        if (atomic_fetch_sub(&section->users, 1) > 1)
            return;
        sem_destroy(&section->entered);
        sem_destroy(&section->left);
        free(section);
    }
    static yoke_status yoke_py_section_run(yoke_status status, void *native, void *user)
    {
        yoke_py_section *section = (yoke_py_section *)user;
        section->native = status < 0 ? NULL : native;
        sem_post(&section->entered);
        while (sem_wait(&section->left) != 0 && errno == EINTR)
            continue;
        sem_post(&section->left); /* should it be a graph's, which may be launched again */
        return status;
    }
    /* Whether the section has begun, after at most 50 ms. */
    static int yoke_py_section_entered(yoke_py_section *section)
    {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        return sem_timedwait(&section->entered, &until) == 0;
    }
    static void yoke_py_section_leave(yoke_py_section *section) { sem_post(&section->left); }
    """
    ctypedef struct yoke_py_section:
        void *native
    yoke_py_section *yoke_py_section_new() noexcept nogil
    void yoke_py_section_drop(void *user) noexcept nogil
    yoke_status yoke_py_section_run(yoke_status, void *, void *) noexcept nogil
    bint yoke_py_section_entered(yoke_py_section *section) noexcept nogil
    void yoke_py_section_leave(yoke_py_section *section) noexcept nogil


@cython.final
cdef class Section:
    """The context manager of stream.native()."""

    cdef Stream stream
    cdef yoke_py_section *shared

    def __cinit__(self, Stream stream not None):
        self.stream = stream

    def __dealloc__(self):
        self.leave()

    cdef void leave(self) noexcept:
        cdef yoke_py_section *shared = self.shared
        self.shared = NULL
        if shared != NULL:
            yoke_py_section_leave(shared)
            yoke_py_section_drop(shared)

    def __enter__(self):
        cdef const char *where = here()
        cdef yoke_status status
        cdef bint entered = False

        if self.shared != NULL:
            raise RuntimeError("the native section has been entered already")
        if self.stream.graph is not None:
            raise InvalidArgumentError("the stream is being recorded: record stream.native_call(function)")
        cdef unsigned before = self.stream.recordings
        refuse_deadlock(self.stream.event())
        self.shared = yoke_py_section_new()
        if self.shared == NULL:
            raise MemoryError
        with nogil:
            status = yoke_native_call_at(where, self.stream.ptr, yoke_py_section_run, self.shared, yoke_py_section_drop)
        if status < 0:
            yoke_py_section_drop(self.shared)  # in the place of the section that will not run
            self.leave()
            fail(status)
        unsure = before & 1 or self.stream.recordings != before
        try:
            while not entered:
                with nogil:
                    entered = yoke_py_section_entered(self.shared)
                PyErr_CheckSignals()
                if unsure and not entered:
                    raise InvalidArgumentError("another thread records the stream, and the section may be in the graph")
        except BaseException:
            self.leave()
            raise
        if self.shared.native == NULL:
            self.leave()
            self.stream.wait()  # which raises the failure
            raise CancelledError("the stream was cancelled before the native section")
        return <uintptr_t>self.shared.native

    def __exit__(self, *exception):
        self.leave()
