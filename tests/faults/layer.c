/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer of layer.h: a copy of the driver's table of functions in which some are ours. No lock is held while the driver or a
 * callback is called. Events that nobody asked to lie about are looked up all the same: orders may come later.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "layer_program.h"

#define EXPORT __attribute__((visibility("default")))

/* An event of a marker, from its creation to its release. */
typedef struct tracked {
    struct tracked *next;
    cl_event event;
    cl_command_queue queue;
    cl_int doom;       /* how it seems to end, when that is a failure */
    unsigned late;     /* queries that are still answered with CL_SUBMITTED */
    bool asked, known; /* a callback was requested; the caller has seen how the event ended */
} tracked;

/* A queue whose commands have failed. */
typedef struct doomed {
    struct doomed *next;
    cl_command_queue queue;
    cl_int status;
} doomed;

typedef void(CL_CALLBACK *callback_fn)(cl_event event, cl_int status, void *user);

/* A callback that was asked for. */
typedef struct promise {
    struct promise *next;
    cl_event event;
    callback_fn fn;
    void *user;
    enum liar_callback how;
    cl_int status;        /* to be called with */
    unsigned age;         /* larger is younger */
    unsigned calls, many; /* LIAR_LATE: until it is due, 0 is never; LIAR_REVERSED: how many are called together */
} promise;

static const cl_icd_dispatch *next; /* the driver, or another layer */
static cl_icd_dispatch ours;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows */
static liar_orders orders;
static liar_report counts;
static unsigned commands, uses; /* of the queue, and of the call, that the orders are about */
static tracked *events;
static doomed *queues;
static promise *late, *due; /* LIAR_LATE, and LIAR_REVERSED once complete; the youngest first */
static cl_command_queue newest;

/* ---- What is known; all with the lock held ---- */

static bool is_about(cl_command_queue queue)
{
    return !orders.queue || orders.queue == (void *)queue;
}

static tracked *find(cl_event event)
{
    tracked *found = events;
    while (found && found->event != event)
        found = found->next;
    return found;
}

static doomed **doom_of(cl_command_queue queue)
{
    doomed **link = &queues;
    while (*link && (*link)->queue != queue)
        link = &(*link)->next;
    return link;
}

static void doom_queue(cl_command_queue queue, cl_int status)
{
    doomed **link = doom_of(queue);
    if (*link)
        return;
    *link = calloc(1, sizeof **link);
    if (!*link)
        abort();
    (*link)->queue = queue;
    (*link)->status = status;
}

/* ---- Callbacks ---- */

static void call(const promise *p)
{
    pthread_mutex_lock(&lock);
    counts.called++;
    pthread_mutex_unlock(&lock);
    p->fn(p->event, p->status, p->user);
}

/* Each promise of the list, which has been taken out of what the lock protects; and give back the reference to its event. */
static void call_all(promise *list)
{
    while (list) {
        promise *p = list;
        list = p->next;
        call(p);
        next->clReleaseEvent(p->event);
        free(p);
    }
}

/* Every call of the layer begins here, so that late callbacks come in the middle of something else. */
static void tick(void)
{
    promise *ready = NULL, **end = &ready;
    pthread_mutex_lock(&lock);
    for (promise **link = &late; *link;) {
        promise *p = *link;
        if (p->calls && --p->calls == 0) {
            *link = p->next;
            p->next = NULL;
            *end = p;
            end = &p->next;
            counts.pending--;
        } else {
            link = &p->next;
        }
    }
    pthread_mutex_unlock(&lock);
    call_all(ready);
}

/* Into `list`, by age. With the lock held. */
static void keep(promise **list, promise *p)
{
    while (*list && (*list)->age > p->age)
        list = &(*list)->next;
    p->next = *list;
    *list = p;
    counts.pending++;
}

/* The driver says that the event is complete. */
static void CL_CALLBACK arrived(cl_event event, cl_int status, void *user)
{
    promise *p = user, *ready = NULL;
    (void)event;
    if (status < 0 && p->how != LIAR_CLAIM_COMPLETE)
        p->status = status;
    if (p->how != LIAR_REVERSED) {
        call(p);
        if (p->how == LIAR_TWICE)
            call(p);
        next->clReleaseEvent(p->event);
        free(p);
        return;
    }
    unsigned waiting = 0;
    pthread_mutex_lock(&lock);
    keep(&due, p);
    for (const promise *each = due; each; each = each->next)
        waiting++;
    if (waiting >= p->many) {
        ready = due;
        due = NULL;
        counts.pending -= waiting;
    }
    pthread_mutex_unlock(&lock);
    call_all(ready);
}

static void deliver(void)
{
    pthread_mutex_lock(&lock);
    promise *first = late, *second = due;
    late = due = NULL;
    counts.pending = 0;
    pthread_mutex_unlock(&lock);
    call_all(first);
    call_all(second);
}

/* ---- Calls that fail ---- */

bool layer_refuses(enum liar_call which, cl_command_queue queue, cl_int *out_code)
{
    bool refused = false;
    tick();
    pthread_mutex_lock(&lock);
    if (orders.call == which && is_about(queue)) {
        uses++;
        refused = uses >= orders.fail_at && uses - orders.fail_at < orders.fail_times;
        counts.refused += refused;
        *out_code = orders.code;
    }
    pthread_mutex_unlock(&lock);
    return refused;
}

static cl_command_queue queue_of(cl_event event)
{
    pthread_mutex_lock(&lock);
    const tracked *found = find(event);
    cl_command_queue queue = found ? found->queue : NULL;
    pthread_mutex_unlock(&lock);
    return queue;
}

/* ---- Events ---- */

static void note_asked(cl_event event)
{
    pthread_mutex_lock(&lock);
    tracked *found = find(event);
    if (found)
        found->asked = true;
    pthread_mutex_unlock(&lock);
}

static cl_int CL_API_CALL set_event_callback(cl_event event, cl_int type, callback_fn fn, void *user)
{
    cl_int code;
    note_asked(event);
    if (layer_refuses(LIAR_SET_EVENT_CALLBACK, queue_of(event), &code))
        return code;
    promise *p = calloc(1, sizeof *p);
    if (!p)
        return CL_OUT_OF_HOST_MEMORY;
    *p = (promise){ .event = event, .fn = fn, .user = user };
    next->clRetainEvent(event); /* as a driver does until it has called */

    pthread_mutex_lock(&lock);
    tracked *found = find(event);
    if (found && is_about(found->queue)) {
        p->how = orders.callback;
        p->calls = orders.late_calls;
        p->many = orders.together;
    }
    if (found && p->how != LIAR_CLAIM_COMPLETE)
        p->status = found->doom;
    p->age = ++counts.asked;
    if (p->how == LIAR_LATE)
        keep(&late, p);
    pthread_mutex_unlock(&lock);

    cl_int progress = CL_COMPLETE;
    switch (p->how) {
    case LIAR_LATE:
        return CL_SUCCESS;
    case LIAR_EARLY:
        next->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof progress, &progress, NULL);
        pthread_mutex_lock(&lock);
        counts.early += progress > CL_COMPLETE;
        pthread_mutex_unlock(&lock);
        call_all(p);
        return CL_SUCCESS;
    case LIAR_NEVER:
        code = CL_SUCCESS;
        break;
    default:
        code = next->clSetEventCallback(event, type, arrived, p);
        if (code == CL_SUCCESS)
            return code;
    }
    next->clReleaseEvent(event);
    free(p);
    return code;
}

/* What to say of an event that the driver says has ended as `truth`. */
static cl_int told(cl_event event, cl_int truth)
{
    pthread_mutex_lock(&lock);
    tracked *found = find(event);
    bool silent = found && orders.until_asked && is_about(found->queue) && !found->asked;
    if (silent || (found && found->late)) {
        found->late -= !silent;
        counts.withheld++;
        truth = CL_SUBMITTED;
    } else if (found) {
        found->known = true;
        counts.doomed += found->doom < 0;
        truth = found->doom < 0 ? found->doom : truth;
    }
    pthread_mutex_unlock(&lock);
    return truth;
}

static cl_int CL_API_CALL get_event_info(cl_event event, cl_event_info name, size_t size, void *value, size_t *size_ret)
{
    cl_int code;
    if (layer_refuses(LIAR_GET_EVENT_INFO, queue_of(event), &code))
        return code;
    code = next->clGetEventInfo(event, name, size, value, size_ret);
    if (code == CL_SUCCESS && name == CL_EVENT_COMMAND_EXECUTION_STATUS && value && *(cl_int *)value <= CL_COMPLETE)
        *(cl_int *)value = told(event, *(cl_int *)value);
    return code;
}

static cl_int doom_in(cl_uint count, const cl_event *list)
{
    cl_int doom = CL_SUCCESS;
    pthread_mutex_lock(&lock);
    for (cl_uint i = 0; i < count; i++) {
        const tracked *found = find(list[i]);
        if (found && found->doom < 0)
            doom = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    pthread_mutex_unlock(&lock);
    return doom;
}

static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event *list)
{
    cl_int code;
    if (layer_refuses(LIAR_WAIT_FOR_EVENTS, count ? queue_of(list[0]) : NULL, &code))
        return code;
    code = next->clWaitForEvents(count, list);
    return code == CL_SUCCESS ? doom_in(count, list) : code;
}

static cl_int CL_API_CALL release_event(cl_event event)
{
    pthread_mutex_lock(&lock);
    tracked **link = &events;
    while (*link && (*link)->event != event)
        link = &(*link)->next;
    tracked *found = *link;
    if (found) {
        *link = found->next;
        counts.abandoned += !found->known;
        counts.objects--;
    }
    pthread_mutex_unlock(&lock);
    free(found);
    return next->clReleaseEvent(event);
}

/* ---- Commands ---- */

/* The driver has given an event for the newest command of a queue. */
static void track(cl_command_queue queue, cl_event event)
{
    tracked *made = calloc(1, sizeof *made);
    if (!made)
        abort();
    pthread_mutex_lock(&lock);
    const doomed *doom = *doom_of(queue);
    *made = (tracked){ .next = events, .event = event, .queue = queue, .doom = doom ? doom->status : CL_COMPLETE };
    made->late = is_about(queue) ? orders.late_queries : 0;
    events = made;
    counts.objects++;
    pthread_mutex_unlock(&lock);
}

static cl_int CL_API_CALL enqueue_marker(cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int code;
    if (layer_refuses(LIAR_MARKER, queue, &code))
        return code;
    code = next->clEnqueueMarkerWithWaitList(queue, count, list, event);
    if (code == CL_SUCCESS && event)
        track(queue, *event);
    return code;
}

static cl_int CL_API_CALL enqueue_barrier(cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int code;
    if (layer_refuses(LIAR_BARRIER, queue, &code))
        return code;
    code = next->clEnqueueBarrierWithWaitList(queue, count, list, event);
    if (code == CL_SUCCESS && doom_in(count, list) < 0) {
        pthread_mutex_lock(&lock);
        if (!orders.spreads_not)
            doom_queue(queue, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        pthread_mutex_unlock(&lock);
    }
    return code;
}

/* The driver has taken, or not, a command that can be doomed. */
static cl_int commanded(cl_command_queue queue, cl_int code, const cl_event *event)
{
    pthread_mutex_lock(&lock);
    if (code == CL_SUCCESS && orders.doom < 0 && is_about(queue) && ++commands >= orders.doom_from)
        doom_queue(queue, orders.doom);
    pthread_mutex_unlock(&lock);
    if (code == CL_SUCCESS && event)
        track(queue, *event);
    return code;
}

static cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                         const size_t *global, const size_t *local, cl_uint count, const cl_event *list,
                                         cl_event *event)
{
    cl_int code;
    if (layer_refuses(LIAR_KERNEL, queue, &code))
        return code;
    code = next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, list, event);
    return commanded(queue, code, event);
}

static cl_int CL_API_CALL enqueue_write(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                                        const void *source, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int code;
    if (layer_refuses(LIAR_WRITE, queue, &code))
        return code;
    return commanded(queue, next->clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, source, count, list, event), event);
}

static cl_int CL_API_CALL enqueue_read(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                                       void *target, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int code;
    if (layer_refuses(LIAR_READ, queue, &code))
        return code;
    return commanded(queue, next->clEnqueueReadBuffer(queue, buffer, blocking, offset, size, target, count, list, event), event);
}

static cl_int CL_API_CALL enqueue_copy(cl_command_queue queue, cl_mem source, cl_mem target, size_t from, size_t to, size_t size,
                                       cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int code;
    if (layer_refuses(LIAR_COPY, queue, &code))
        return code;
    return commanded(queue, next->clEnqueueCopyBuffer(queue, source, target, from, to, size, count, list, event), event);
}

static cl_int CL_API_CALL enqueue_fill(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
                                       size_t offset, size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int code;
    if (layer_refuses(LIAR_FILL, queue, &code))
        return code;
    code = next->clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size, count, list, event);
    return commanded(queue, code, event);
}

static cl_int CL_API_CALL flush(cl_command_queue queue)
{
    cl_int code;
    return layer_refuses(LIAR_FLUSH, queue, &code) ? code : next->clFlush(queue);
}

/* ---- Objects, to count them ---- */

static void *counted(void *object)
{
    pthread_mutex_lock(&lock);
    counts.objects += object != NULL;
    pthread_mutex_unlock(&lock);
    return object;
}

static cl_int discounted(cl_int code)
{
    pthread_mutex_lock(&lock);
    counts.objects -= code == CL_SUCCESS;
    pthread_mutex_unlock(&lock);
    return code;
}

static cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                                             void(CL_CALLBACK *fn)(const char *, const void *, size_t, void *), void *user,
                                             cl_int *code)
{
    return counted(next->clCreateContext(properties, count, devices, fn, user, code));
}

static cl_int CL_API_CALL release_context(cl_context context)
{
    return discounted(next->clReleaseContext(context));
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                                 cl_int *code)
{
    cl_command_queue queue = counted(next->clCreateCommandQueue(context, device, properties, code));
    pthread_mutex_lock(&lock);
    newest = queue;
    pthread_mutex_unlock(&lock);
    return queue;
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
    pthread_mutex_lock(&lock);
    doomed **link = doom_of(queue), *found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&lock);
    free(found);
    return discounted(next->clReleaseCommandQueue(queue));
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    return counted(next->clCreateBuffer(context, flags, size, host, code));
}

static cl_mem CL_API_CALL create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *region,
                                            cl_int *code)
{
    return counted(next->clCreateSubBuffer(buffer, flags, type, region, code));
}

/* No CPU, of which Yoke may know that it needs no markers and no callbacks: what the layer lies about. */
static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info name, size_t size, void *value, size_t *size_ret)
{
    cl_int code = next->clGetDeviceInfo(device, name, size, value, size_ret);
    if (code == CL_SUCCESS && name == CL_DEVICE_TYPE && value)
        *(cl_device_type *)value = CL_DEVICE_TYPE_ACCELERATOR;
    return code;
}

static cl_int CL_API_CALL release_memory(cl_mem memory)
{
    return discounted(next->clReleaseMemObject(memory));
}

/* ---- What the test calls ---- */

static void lie(const liar_orders *given)
{
    pthread_mutex_lock(&lock);
    orders = given ? *given : (liar_orders){ 0 };
    counts = (liar_report){ .pending = counts.pending, .objects = counts.objects };
    commands = uses = 0;
    pthread_mutex_unlock(&lock);
}

static void report(liar_report *out)
{
    pthread_mutex_lock(&lock);
    *out = counts;
    pthread_mutex_unlock(&lock);
    out->unmapped = layer_unmappings();
}

static void *newest_queue(void)
{
    pthread_mutex_lock(&lock);
    void *queue = newest;
    pthread_mutex_unlock(&lock);
    return queue;
}

static void finish(void *queue)
{
    next->clFinish(queue);
}

EXPORT const liar_control liar = { lie, report, deliver, newest_queue, finish };

/* ---- What the loader calls ---- */

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target, cl_uint *count_ret,
                                                   const cl_icd_dispatch **table_ret)
{
    const cl_uint known = sizeof ours / sizeof ours.clFlush;
    if (!target || !count_ret || !table_ret)
        return CL_INVALID_VALUE;
    next = target;
    const char *fails = getenv("YOKE_LAYER_FAILS"); /* for programs that know nothing of the layer */
    if (fails && strcmp(fails, "kernel") == 0)
        orders = (liar_orders){ .call = LIAR_KERNEL, .code = CL_OUT_OF_RESOURCES, .fail_times = UINT_MAX };
    *count_ret = count < known ? count : known; /* loader and headers may differ in age; what is ours is old */
    memcpy(&ours, target, *count_ret * sizeof ours.clFlush);
    ours.clSetEventCallback = set_event_callback;
    ours.clGetEventInfo = get_event_info;
    ours.clWaitForEvents = wait_for_events;
    ours.clReleaseEvent = release_event;
    ours.clFlush = flush;
    ours.clEnqueueMarkerWithWaitList = enqueue_marker;
    ours.clEnqueueBarrierWithWaitList = enqueue_barrier;
    ours.clEnqueueNDRangeKernel = enqueue_kernel;
    ours.clEnqueueWriteBuffer = enqueue_write;
    ours.clEnqueueReadBuffer = enqueue_read;
    ours.clEnqueueCopyBuffer = enqueue_copy;
    ours.clEnqueueFillBuffer = enqueue_fill;
    ours.clGetDeviceInfo = get_device_info;
    ours.clCreateContext = create_context;
    ours.clReleaseContext = release_context;
    ours.clCreateCommandQueue = create_queue;
    ours.clReleaseCommandQueue = release_queue;
    ours.clCreateBuffer = create_buffer;
    ours.clCreateSubBuffer = create_sub_buffer;
    ours.clReleaseMemObject = release_memory;
    layer_take_program_calls(next, &ours);
    layer_take_memory_calls(next, &ours);
    *table_ret = &ours;
    return CL_SUCCESS;
}
