# SPDX-License-Identifier: Apache-2.0
# Completion queues: what an event loop learns by one descriptor of all the events that its tasks await. Yoke's threads put an entry
# into the queue without the GIL, for which they would have to wait while Python runs.

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
    """Of yoke.aio: events, each with a waiter that take() gives back once the event is complete. Its descriptor is readable when
    there are such. len(): the waiters that are left."""

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
