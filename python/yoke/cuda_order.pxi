# SPDX-License-Identifier: Apache-2.0
# The order between a stream of Yoke's and a CUDA stream of another library, which is known by its number alone: a CUstream, 1 for
# the legacy default stream, 2 for the calling thread's. An event of the driver's is recorded on one side and waited for on the
# other; Yoke's side is a native section. The driver is the one that Yoke has opened.

cdef extern from *:
    """
    #include <dlfcn.h>
    #include <stdint.h>
    static struct {
        int (*create)(void **event, unsigned flags), (*destroy)(void *event), (*record)(void *event, void *stream);
        int (*wait)(void *stream, void *event, unsigned flags), (*push)(void *context), (*pop)(void **context), (*finish)(void);
    } yoke_py_cuda;
    static int yoke_py_cuda_find(void)
    {
        static const char *const names[] = { "cuEventCreate", "cuEventDestroy_v2", "cuEventRecord", "cuStreamWaitEvent",
                                             "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuCtxSynchronize" };
        void **const places[] = { (void **)&yoke_py_cuda.create, (void **)&yoke_py_cuda.destroy, (void **)&yoke_py_cuda.record,
                                  (void **)&yoke_py_cuda.wait, (void **)&yoke_py_cuda.push, (void **)&yoke_py_cuda.pop,
                                  (void **)&yoke_py_cuda.finish };
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        for (int i = 0; i < 7; i++)
            if (!library || !(*places[i] = dlsym(library, names[i])))
                return 0;
        return 1;
    }
    typedef struct {
        void *event;
        int done;          /* the section has been called, by the thread that enqueued it or by another */
        atomic_int users;
    } yoke_py_order;
    static yoke_py_order *yoke_py_order_new(void *context)
    {
        yoke_py_order *order = (yoke_py_order *)calloc(1, sizeof *order);
        void *own;
        if (!order)
            return NULL;
        atomic_init(&order->users, 1);
        if (yoke_py_cuda.push(context) == 0) {
            if (yoke_py_cuda.create(&order->event, 2 /* without time stamps */) != 0)
                order->event = NULL;
            yoke_py_cuda.pop(&own);
        }
        if (order->event)
            return order;
        free(order);
        return NULL;
    }
    static void yoke_py_order_drop(void *user)
    {
        yoke_py_order *order = (yoke_py_order *)user;
        if (atomic_fetch_sub(&order->users, 1) > 1)
            return;
        yoke_py_cuda.destroy(order->event);
        free(order);
    }
    static void yoke_py_order_share(yoke_py_order *order) { atomic_fetch_add(&order->users, 1); }
    /* The other library's side, in the calling thread. */
    static int yoke_py_order_other(yoke_py_order *order, void *context, uintptr_t stream, int record)
    {
        void *own;
        int result = yoke_py_cuda.push(context);
        if (result != 0)
            return result;
        result = record ? yoke_py_cuda.record(order->event, (void *)stream) : yoke_py_cuda.wait((void *)stream, order->event, 0);
        yoke_py_cuda.pop(&own);
        return result;
    }
    static int yoke_py_cuda_finish(void *context)
    {
        void *own;
        int result = yoke_py_cuda.push(context);
        if (result != 0)
            return result;
        result = yoke_py_cuda.finish();
        yoke_py_cuda.pop(&own);
        return result;
    }
    /* Yoke's side: the native sections. */
    static yoke_status yoke_py_order_wait(yoke_status status, void *native, void *user)
    {
        if (status >= 0 && yoke_py_cuda.wait(native, ((yoke_py_order *)user)->event, 0) != 0)
            return yoke_fail(YOKE_E_DRIVER, "cuStreamWaitEvent failed: the stream cannot wait for another library's");
        return status;
    }
    static yoke_status yoke_py_order_record(yoke_status status, void *native, void *user)
    {
        yoke_py_order *order = (yoke_py_order *)user;
        __atomic_store_n(&order->done, status >= 0 && yoke_py_cuda.record(order->event, native) == 0, __ATOMIC_RELEASE);
        return status;
    }
    static int yoke_py_order_done(yoke_py_order *order) { return __atomic_load_n(&order->done, __ATOMIC_ACQUIRE); }
    """
    ctypedef struct yoke_py_order:
        void *event
    bint yoke_py_cuda_find() noexcept nogil
    yoke_py_order *yoke_py_order_new(void *context) noexcept nogil
    void yoke_py_order_drop(void *user) noexcept nogil
    void yoke_py_order_share(yoke_py_order *order) noexcept nogil
    int yoke_py_order_other(yoke_py_order *order, void *context, uintptr_t stream, int record) noexcept nogil
    int yoke_py_cuda_finish(void *context) noexcept nogil
    yoke_status yoke_py_order_wait(yoke_status, void *, void *) noexcept nogil
    yoke_status yoke_py_order_record(yoke_status, void *, void *) noexcept nogil
    bint yoke_py_order_done(yoke_py_order *order) noexcept nogil

cdef int cuda_found = -1  # 1: the driver's functions have been found; 0: they have not


cdef void *cuda_context(Stream stream) except? NULL:
    """The context for the functions above; NULL: the device is none of CUDA's."""
    cdef yoke_native_device native
    global cuda_found
    if stream.device.backend != "cuda":
        return NULL
    if cuda_found < 0:
        cuda_found = yoke_py_cuda_find()
    memset(&native, 0, sizeof(native))
    native.size = sizeof(native)
    check(yoke_device_get_native(stream.device.ptr, &native))
    return native.context if cuda_found else NULL


cdef uintptr_t cuda_stream(number) except? 0:
    """A CUDA stream's number as other libraries give it; 0 is refused, because it means one of two streams."""
    cdef uintptr_t stream = as_size(number, "stream")
    if stream == 0:
        raise ValueError("stream 0 is ambiguous: 1 is the legacy default stream, and 2 that of the calling thread")
    return stream


cdef int follow_cuda(Stream stream, number) except -1:
    """What follows in the stream waits for all that the CUDA stream of this number has now."""
    cdef uintptr_t other = cuda_stream(number)
    cdef void *context = cuda_context(stream)
    cdef yoke_py_order *order = NULL
    cdef yoke_status status = YOKE_E_UNSUPPORTED
    cdef int result = -1

    if context == NULL:
        return 0
    with nogil:
        order = yoke_py_order_new(context)
        if order != NULL:
            result = yoke_py_order_other(order, context, other, 1)
            if result == 0:
                status = yoke_native_enqueue_at(NULL, stream.ptr, yoke_py_order_wait, order, yoke_py_order_drop)
            if status < 0:
                yoke_py_order_drop(order)
        if result != 0:  # a stream whose events the driver does not record: all of its work
            result = yoke_py_cuda_finish(context)
            status = YOKE_OK
    check(status)
    if result != 0:
        raise DriverError(f"CUDA's stream {number} cannot be waited for (driver's code {result}): synchronise it before")
    return 0


cdef bint lead_cuda(Stream stream, number) except -1:
    """The CUDA stream of this number waits for all that the stream has now. False: it does not, and the caller waits itself."""
    cdef uintptr_t other = cuda_stream(number)
    cdef void *context = cuda_context(stream)
    cdef yoke_py_order *order = NULL
    cdef yoke_status status
    cdef bint led = False

    if context == NULL or stream.graph is not None:
        return False
    with nogil:
        order = yoke_py_order_new(context)
        if order != NULL:
            yoke_py_order_share(order)
            status = yoke_native_enqueue_at(NULL, stream.ptr, yoke_py_order_record, order, yoke_py_order_drop)
            if status < 0:
                yoke_py_order_drop(order)
            elif yoke_py_order_done(order):  # else it is behind a host function
                led = yoke_py_order_other(order, context, other, 0) == 0
            yoke_py_order_drop(order)
    return led
