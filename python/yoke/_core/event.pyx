# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Events: points in streams; functions that are called when they are complete; and completion queues, by which an event loop learns
# of all the events that its tasks await, from one descriptor. Yoke's threads put an entry into the queue without the GIL, for which
# they would have to wait while Python runs.

import os
import time

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport Py_DECREF, Py_INCREF

from .c_python cimport PyByteArray_AsString
from .c_yoke cimport *
from .errors cimport as_size, Call, check, check_function, complete, fail, in_main_thread, release_call, shown
from .device cimport Device
from .memory cimport prune_kept


cdef enum:
    SLICE = 50_000_000  # nanoseconds between two looks for Ctrl-C


cdef yoke_status wait_event(yoke_event *event, uint64_t left) except? 12345:
    """Wait for at most `left` nanoseconds; YOKE_PENDING when they have passed. Ctrl-C in the main thread raises."""
    cdef uint64_t part
    cdef yoke_status status
    cdef bint interruptible = in_main_thread()

    while True:
        part = SLICE if interruptible and left > SLICE else left
        with nogil:
            status = yoke_event_wait_for(event, part)
        if status != YOKE_PENDING:
            return status
        PyErr_CheckSignals()
        if left != <uint64_t>-1:
            left -= part
            if left == 0:
                return status


cdef uint64_t nanoseconds_of(timeout) except? 0:
    """A timeout in seconds, or None for no end."""
    if timeout is None:
        return <uint64_t>-1
    return <uint64_t>min(max(0.0, float(timeout)) * 1e9, 9e18)


@cython.final
cdef class Event:
    """Event()\n--\n\n\
    A point in a stream, made by stream.event(): complete when everything before it has finished or failed. `await event` waits
    without blocking the loop, with the failures of wait."""

    @cython.embedsignature(False)
    def __init__(self):
        raise TypeError("an event is made by stream.event()")

    def __dealloc__(self):
        cdef yoke_event *ptr = self.ptr
        if ptr != NULL:
            with nogil:
                yoke_event_release(ptr)

    def close(self):
        """Release the event. A second call does nothing."""
        cdef yoke_event *ptr = self.ptr
        self.ptr = NULL
        if ptr != NULL:
            with nogil:
                yoke_event_release(ptr)

    def query(self):
        """Whether the event is complete. Raises the failure of the work before it. Never blocks."""
        cdef yoke_status status = query_event(self)
        check(status)
        if status == YOKE_OK:
            prune_kept()  # await asks this way
        return status == YOKE_OK

    def lead_native(self, queue):
        """Make what another library gives its queue from now on wait for the event; queue: as Stream.wait_for_native, of the
        event's device. True: it does. False: the event is behind a host function, or other work that the driver does not have
        yet, and the queue does not wait: wait for the event instead. Raises the failure of the work before the event. Never
        blocks."""
        return lead_native(own_event(self), queue)

    def wait(self, timeout=None):
        """Wait until the event is complete, and raise the failure of the work before it. timeout: seconds; TimeoutError when they
        have passed. Ctrl-C in the main thread ends the wait. DeadlockError: called from a host function that the event is behind,
        in the same stream or by way of others."""
        cdef Event event = own_event(self)
        cdef yoke_status status = wait_event(event.ptr, nanoseconds_of(timeout))
        if status == YOKE_PENDING:
            raise TimeoutError(f"the event was not complete after {shown(timeout)} s")
        check(status)
        prune_kept()

    def fileno(self):
        """A new file descriptor that becomes readable when the event is complete; the caller closes it."""
        cdef Event own = own_event(self)
        cdef int fd = -1
        cdef yoke_status status
        with nogil:
            status = yoke_event_get_fd(own.ptr, &fd)
        check(status)
        return fd

    def elapsed(self, Event start not None):
        """Seconds on the device's clock from the timed event `start` to this one, both complete. BlockingIOError: one is not."""
        cdef Event begin = own_event(start)
        cdef Event end = own_event(self)
        cdef int64_t nanoseconds = 0
        cdef yoke_status status
        with nogil:
            status = yoke_event_get_elapsed(begin.ptr, end.ptr, &nanoseconds)
        check(status)
        if status == YOKE_PENDING:
            raise BlockingIOError("an event is not complete yet: wait for it first")
        return nanoseconds * 1e-9

    def on_complete(self, function, *args, **kwargs):
        """Call function(error, *args, **kwargs) once, on a thread of Yoke's, when the event is complete: error is None, or the
        failure of the work before it. The stream does not wait for the function, which may block. An exception in it goes to
        sys.unraisablehook. It is not called after the interpreter has begun to end."""
        call_on_complete(own_event(self), function, args, kwargs)

    def __await__(self):
        from .. import aio

        return aio.wait(self).__await__()

    def __repr__(self):
        cdef yoke_status status
        if self.ptr == NULL:
            return "<yoke.Event closed>"
        status = query_event(self)
        if status < 0 and yoke_status_group(status) == 1:
            return "<yoke.Event of a recording>"  # the call is wrong, and the work has not failed
        return f"<yoke.Event {'pending' if status == YOKE_PENDING else 'failed' if status < 0 else 'complete'}>"


cdef yoke_status query_event(Event event):
    cdef yoke_event *ptr = yoke_event_retain(event.ptr)  # another thread may close the event meanwhile
    cdef yoke_status status
    with nogil:
        status = yoke_event_query(ptr)
        yoke_event_release(ptr)
    return status


def refuse_deadlock(Event event not None):
    """DeadlockError where this thread runs a host function that the event is behind, and so would wait for itself."""
    cdef Event own = own_event(event)
    cdef yoke_status status
    with nogil:
        status = yoke_event_wait_for(own.ptr, 1)
    if status == YOKE_E_DEADLOCK:
        check(status)


def retained(Event event not None):
    """own_event for yoke.aio."""
    return own_event(event)


cdef Event own_event(Event event):
    """The same event, by a reference that no other thread closes."""
    cdef Event own = Event.__new__(Event)
    own.ptr, own.raised = yoke_event_retain(event.ptr), event.raised
    return own


cdef Py_ssize_t events_of(events, list kept, list pointers) except -1:
    """The events of an iterable, and their pointers as C has them."""
    cdef Event event
    kept.extend(events)
    for each in kept:
        if not isinstance(each, Event):
            raise TypeError(f"an Event is wanted, not {type(each).__name__}")
    pointers.append(bytearray(max(1, len(kept)) * sizeof(yoke_event *)))
    cdef yoke_event **list_ = <yoke_event **><void *>PyByteArray_AsString(pointers[0])
    for i, each in enumerate(kept):
        event = kept[i] = own_event(each)
        list_[i] = event.ptr
    return len(kept)


def wait_any(events, timeout=None):
    """Wait until one of the events is complete: its index in the list, the first where several are. Raises the failure of the work
    before that event. timeout: seconds, else TimeoutError. ValueError: no events."""
    cdef list kept = []
    cdef list pointers = []
    cdef size_t count = events_of(events, kept, pointers)
    cdef yoke_event **list_ = <yoke_event **><void *>PyByteArray_AsString(pointers[0])
    cdef uint64_t left = nanoseconds_of(timeout)
    cdef uint64_t part
    cdef size_t index = 0
    cdef bint interruptible = in_main_thread()
    cdef yoke_status status

    while True:
        part = SLICE if interruptible and left > SLICE else left
        with nogil:
            status = yoke_event_wait_any(list_, count, part, &index)
        if status != YOKE_PENDING:
            break
        PyErr_CheckSignals()
        if left != <uint64_t>-1:
            left -= part
            if left == 0:
                raise TimeoutError(f"none of {count} events was complete after {shown(timeout)} s")
    check(status)
    prune_kept()
    return index


def wait_all(events, timeout=None):
    """Wait until all of the events are complete, and raise the first failure in the order of the list. timeout: seconds for all of
    them together, else TimeoutError."""
    end = None if timeout is None else time.monotonic() + float(timeout)
    failure = None
    for event in list(events):
        if not isinstance(event, Event):
            raise TypeError(f"an Event is wanted, not {type(event).__name__}")
        try:
            event.wait(None if end is None else max(0.0, end - time.monotonic()))
        except (TimeoutError, KeyboardInterrupt):
            raise
        except BaseException as error:
            failure = failure or error
    if failure is not None:
        raise failure


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


class NativeStream(int):
    """The driver's stream as an int, which other libraries take as a CUDA stream: it has __cuda_stream__."""

    def __cuda_stream__(self):
        return 0, int(self)


cdef object native_handle(uintptr_t handle, Device device):
    """The driver's stream, as Python code gets it."""
    return NativeStream(handle) if device.backend == "cuda" else handle


cdef uintptr_t native_queue(number) except? 0:
    """A queue's number as other libraries give it, also by __cuda_stream__; 0 is refused, because on CUDA it means one of two
    streams."""
    protocol = getattr(number, "__cuda_stream__", None)
    if protocol is not None and not isinstance(number, type):
        version, number = protocol() if callable(protocol) else protocol  # a tuple itself before the protocol was a method
        if version != 0:
            raise ValueError(f"__cuda_stream__ has the version {shown(version)}, and 0 is known")
    cdef uintptr_t queue = as_size(number, "stream")
    if queue == 0:
        raise ValueError("stream 0 is ambiguous: 1 is the legacy default stream, and 2 that of the calling thread")
    return queue


cdef bint lead_native(Event event, number) except -1:
    """The queue waits for the event. False: the driver does not have the work before it yet."""
    cdef uintptr_t queue = native_queue(number)
    cdef yoke_status status
    with nogil:
        status = yoke_native_wait_event(<void *>queue, event.ptr)
    check(status)
    return status == YOKE_OK


cdef extern from *:
    """
    #include <errno.h>
    #include <pthread.h>
    #include <stdlib.h>
    #include <unistd.h>

    typedef struct yoke_py_entry yoke_py_entry;
    typedef struct yoke_py_queue {
        pthread_mutex_t lock; /* protects what follows */
        size_t references;    /* the Python object's, and one of each event that is not complete */
        int ends[2];          /* a pipe, with a byte in it when there are entries; -1: the queue is closed */
        yoke_py_entry *newest;
    } yoke_py_queue;
    struct yoke_py_entry {
        yoke_py_entry *next;
        yoke_py_queue *queue;
        uint64_t number;
    };

    static yoke_py_queue *yoke_py_queue_new(int read_end, int write_end)
    {
        yoke_py_queue *queue = calloc(1, sizeof *queue);
        if (queue && pthread_mutex_init(&queue->lock, NULL) != 0) {
            free(queue);
            queue = NULL;
        }
        if (!queue)
            return NULL;
        queue->references = 1;
        queue->ends[0] = read_end;
        queue->ends[1] = write_end;
        return queue;
    }

    static yoke_py_entry *yoke_py_entry_new(yoke_py_queue *queue, uint64_t number)
    {
        yoke_py_entry *entry = malloc(sizeof *entry);
        if (!entry)
            return NULL;
        entry->queue = queue;
        entry->number = number;
        pthread_mutex_lock(&queue->lock);
        queue->references++;
        pthread_mutex_unlock(&queue->lock);
        return entry;
    }

    /* With the lock held, which this unlocks. */
    static void yoke_py_queue_drop(yoke_py_queue *queue)
    {
        size_t left = --queue->references;
        pthread_mutex_unlock(&queue->lock);
        if (left > 0)
            return;
        pthread_mutex_destroy(&queue->lock);
        free(queue);
    }

    /* All entries, the newest first. */
    static yoke_py_entry *yoke_py_queue_take(yoke_py_queue *queue)
    {
        char byte;
        pthread_mutex_lock(&queue->lock);
        yoke_py_entry *newest = queue->newest;
        while (newest && read(queue->ends[0], &byte, 1) < 0 && errno == EINTR)
            continue;
        queue->newest = NULL;
        pthread_mutex_unlock(&queue->lock);
        return newest;
    }

    /* Releases the descriptors, and the Python object's reference. */
    static void yoke_py_queue_close(yoke_py_queue *queue)
    {
        pthread_mutex_lock(&queue->lock);
        while (queue->newest) {
            yoke_py_entry *entry = queue->newest;
            queue->newest = entry->next;
            free(entry);
        }
        close(queue->ends[0]);
        close(queue->ends[1]);
        queue->ends[0] = queue->ends[1] = -1;
        yoke_py_queue_drop(queue);
    }

    /* There is no such event. */
    static void yoke_py_entry_free(yoke_py_entry *entry)
    {
        pthread_mutex_lock(&entry->queue->lock);
        yoke_py_queue_drop(entry->queue);
        free(entry);
    }

    /* The entry's event is complete. */
    static void yoke_py_entry_put(yoke_status status, void *user)
    {
        yoke_py_entry *entry = user;
        yoke_py_queue *queue = entry->queue;
        (void)status;
        pthread_mutex_lock(&queue->lock);
        if (queue->ends[1] < 0) {
            free(entry);
        } else {
            while (!queue->newest && write(queue->ends[1], "", 1) < 0 && errno == EINTR)
                continue;
            entry->next = queue->newest;
            queue->newest = entry;
        }
        yoke_py_queue_drop(queue);
    }
    """
    ctypedef struct yoke_py_queue:
        pass
    ctypedef struct yoke_py_entry:
        yoke_py_entry *next
        uint64_t number
    yoke_py_queue *yoke_py_queue_new(int read_end, int write_end) noexcept nogil
    void yoke_py_queue_close(yoke_py_queue *queue) noexcept nogil
    yoke_py_entry *yoke_py_queue_take(yoke_py_queue *queue) noexcept nogil
    yoke_py_entry *yoke_py_entry_new(yoke_py_queue *queue, uint64_t number) noexcept nogil
    void yoke_py_entry_free(yoke_py_entry *entry) noexcept nogil
    void yoke_py_entry_put(yoke_status, void *) noexcept nogil
    void free(void *memory) noexcept nogil


@cython.final
cdef class CompletionQueue:
    """The queue of yoke.aio: events, each with a waiter, which take() returns once the event is complete. The descriptor is
    readable when there are such waiters. len(): the number of waiters that are left."""

    cdef yoke_py_queue *ptr
    cdef int fd
    cdef uint64_t last
    cdef dict waiters  # by the numbers of their entries
    cdef object __weakref__

    def __init__(self):
        self.waiters = {}
        ends = os.pipe()
        os.set_blocking(ends[0], False)  # a forked child may have read the byte
        self.ptr = yoke_py_queue_new(ends[0], ends[1])
        if self.ptr == NULL:
            for end in ends:
                os.close(end)
            raise MemoryError
        self.fd = ends[0]

    def __dealloc__(self):
        self.close()

    def close(self):
        cdef yoke_py_queue *ptr = self.ptr
        self.ptr, self.fd = NULL, -1
        if ptr != NULL:
            yoke_py_queue_close(ptr)

    def fileno(self):
        """-1: the queue is closed."""
        return self.fd

    def __len__(self):
        return len(self.waiters)

    def add(self, Event event not None, waiter):
        """Returns the number by which remove() forgets the waiter."""
        cdef Event own = own_event(event)
        cdef yoke_status status
        cdef yoke_py_entry *entry
        self.last += 1
        entry = yoke_py_entry_new(self.ptr, self.last)
        if entry == NULL:
            raise MemoryError
        self.waiters[self.last] = waiter
        with nogil:
            status = yoke_event_on_complete(own.ptr, yoke_py_entry_put, entry, NULL)
        if status < 0:
            yoke_py_entry_free(entry)
            del self.waiters[self.last]
            check(status)
        return self.last

    def remove(self, uint64_t number):
        self.waiters.pop(number, None)

    def take(self):
        """The waiters of the events that are complete since the last call, in the order of their completion."""
        cdef list taken = []
        cdef yoke_py_entry *entry = yoke_py_queue_take(self.ptr) if self.ptr != NULL else NULL
        cdef yoke_py_entry *next
        while entry != NULL:
            next = entry.next
            if entry.number in self.waiters:
                taken.append(self.waiters.pop(entry.number))
            free(entry)
            entry = next
        taken.reverse()
        return taken
