/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording: an observer that reads the buffers of a launch before and after it. It waits for the stream twice, and only at the
 * launches that are kept: those that YOKE_RECORD_KERNELS names, else the first of each kernel. Launches in graphs are not seen.
 */
#include "trace/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "base/process/thread.h"
#include "base/setting.h"
#include "base/system/environment.h"
#include "launch/arguments.h"
#include "stream/event.h"
#include "stream/observer.h"
#include "stream/stream.h"

enum { USUAL_LIMIT = 256, MIB = 1 << 20 };

/* How often a kernel of this name has been launched. */
typedef struct counter {
    struct counter *next;
    const char *name;
    unsigned count;
} counter;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the variables below */
static counter *counters;
static bool tried, usable;
static char *folder, *wanted; /* set once; the folder, and the kernels, NULL for all */
static size_t limit;          /* bytes of one launch's buffers */

/* ---- Which launches ---- */

/* The number of this launch; 0: memory ran out. */
static unsigned count_launch(const char *name)
{
    unsigned number = 0;
    pthread_mutex_lock(&lock);
    counter *found = counters;
    while (found && found->name != name && strcmp(found->name, name) != 0)
        found = found->next;
    if (!found && (found = calloc(1, sizeof *found))) {
        found->name = name;
        found->next = counters;
        counters = found;
    }
    if (found)
        number = ++found->count;
    pthread_mutex_unlock(&lock);
    return number;
}

/* Whether "scale@3,add" names the launch; without a number the first one is meant. */
static bool is_wanted(const char *name, unsigned number)
{
    size_t length = strlen(name);
    if (!wanted)
        return number == 1;
    for (const char *at = wanted; *at;) {
        size_t size = strcspn(at, ",");
        if (size >= length && strncmp(at, name, length) == 0) {
            unsigned long asked = size == length ? 1 : at[length] == '@' ? strtoul(at + length + 1, NULL, 10) : 0;
            if (asked == number)
                return true;
        }
        at += size + (at[size] == ',');
    }
    return false;
}

/* ---- Reading ---- */

/* Wait until all that was submitted to the stream has finished. */
static yoke_status settle(yoke_stream *stream)
{
    const yk_backend *backend = stream->device->backend;
    yoke_event *event = yk_event_take(stream, 0);
    if (!event)
        return yoke_error()->status;
    yoke_status status = backend->event_record(event);
    backend->stream_finish(stream);
    while (status == YOKE_OK && (status = backend->event_query(event)) == YOKE_PENDING) {
        status = YOKE_OK; /* it may be a moment behind the stream */
        yk_pause();
    }
    yk_event_recycle(event);
    return status;
}

/* Read all buffers, each once, into new memory. */
static yoke_status read_buffers(yk_recorded *launch, bool after)
{
    yoke_stream *stream = launch->stream;
    yoke_status status = settle(stream);
    for (size_t i = 0; i < launch->count && status == YOKE_OK; i++) {
        yk_recorded_arg *arg = &launch->args[i];
        unsigned char **room = after ? &arg->after : &arg->before;
        if (!arg->buffer || arg->same != i)
            continue;
        *room = malloc(arg->size);
        if (!*room)
            return yk_no_memory("the record of a launch");
        if (yk_buffer_is_shared(arg->buffer->root) && arg->buffer->root->host) {
            memcpy(*room, (const char *)arg->buffer->root->host + arg->buffer->offset, arg->size);
            continue;
        }
        yk_op op = { .kind = YK_OP_READ };
        op.u.transfer.buffer = arg->buffer->root;
        op.u.transfer.offset = arg->buffer->offset;
        op.u.transfer.size = arg->size;
        op.u.transfer.host = *room;
        op.u.transfer.sync = true;
        status = stream->device->backend->read(stream, &op);
    }
    return status == YOKE_OK ? settle(stream) : status;
}

/* ---- Arguments ---- */

static void free_launch(yk_recorded *launch)
{
    for (size_t i = 0; i < launch->count; i++) {
        free(launch->args[i].before);
        free(launch->args[i].after);
    }
    free(launch);
}

/* Whether two arguments are the same bytes of a buffer, or share some of them. */
static bool are_same(const yoke_buffer *one, const yoke_buffer *other)
{
    return one->root == other->root && one->offset == other->offset && one->size == other->size;
}

static bool overlap(const yoke_buffer *one, const yoke_buffer *other)
{
    return one->root == other->root && one->offset < other->offset + other->size && other->offset < one->offset + one->size;
}

/* Take a value. False: memory ran out, or the argument is of a kind that a record does not have. */
static bool take_value(yk_recorded_arg *arg, const yoke_arg *from, const char **out_why)
{
    bool structure = from->kind == YOKE_ARG_STRUCT;
    if (from->kind == YOKE_ARG_INTEGER && arg->param && arg->param->kind == YK_PARAM_BUFFER)
        arg->kind = YOKE_ARG_NULL; /* drivers take a null pointer as a number */
    if (arg->kind == YOKE_ARG_LOCAL || arg->kind == YOKE_ARG_NULL) {
        arg->size = arg->kind == YOKE_ARG_LOCAL ? (size_t)from->value.u64 : 0;
        return true;
    }
    if (!structure && from->kind != YOKE_ARG_INTEGER && from->kind != YOKE_ARG_FLOATING) {
        *out_why = "it takes an image";
        return false;
    }
    arg->size = from->size;
    arg->before = malloc(from->size + 1);
    if (!arg->before) {
        *out_why = "host memory is exhausted";
        return false;
    }
    memcpy(arg->before, structure ? from->value.bytes : &from->value, from->size);
    return true;
}

/* NULL, or why the launch cannot be recorded. */
static const char *take_args(yk_recorded *launch, const yoke_arg *args)
{
    const char *why = NULL;
    size_t total = 0;
    for (size_t i = 0; i < launch->count && !why; i++) {
        yk_recorded_arg *arg = &launch->args[i];
        arg->kind = args[i].kind;
        arg->same = i;
        arg->param =
            launch->kernel->param_count > 0 && i < (size_t)launch->kernel->param_count ? yk_kernel_param(launch->kernel, i) : NULL;
        if (arg->kind != YOKE_ARG_BUFFER) {
            if (!take_value(arg, &args[i], &why))
                break;
            continue;
        }
        arg->buffer = args[i].value.buffer;
        arg->size = arg->buffer->size;
        for (size_t j = 0; j < i && arg->same == i; j++) {
            const yoke_buffer *other = launch->args[j].buffer;
            if (other && are_same(arg->buffer, other))
                arg->same = j;
            else if (other && overlap(arg->buffer, other))
                why = "two of its buffers share a part of their memory";
        }
        total += arg->same == i ? arg->size : 0;
    }
    return why ? why : total > limit ? "its buffers are larger than YOKE_RECORD_LIMIT" : NULL;
}

/* The part of the shared memory that the arguments do not set. */
static size_t shared_of(const yk_op *op)
{
    bool local = false;
    for (size_t i = 0; i < op->u.launch.count; i++)
        local = local || op->u.launch.args[i].kind == YOKE_ARG_LOCAL;
    return local ? op->u.launch.shared - op->u.launch.shared_arg_bytes : op->u.launch.shared;
}

/* ---- The observer ---- */

static void *submit_begin(yoke_stream *stream, const yk_op *op)
{
    if (!yk_is_launch(op->kind))
        return NULL;
    yoke_kernel *kernel = op->u.launch.kernel;
    unsigned number = count_launch(kernel->lasting_name);
    if (number == 0 || !is_wanted(kernel->name, number))
        return NULL;
    yoke_error_info before = *yoke_error();
    yk_recorded *launch = calloc(1, sizeof *launch + op->u.launch.count * sizeof launch->args[0]);
    const char *why = launch ? NULL : "host memory is exhausted";
    if (launch) {
        launch->stream = stream;
        launch->kernel = kernel;
        launch->grid = op->u.launch.grid;
        launch->block = op->u.launch.block;
        launch->shared = shared_of(op);
        launch->number = number;
        launch->count = op->u.launch.count;
        why = take_args(launch, op->u.launch.args);
        if (!why && read_buffers(launch, false) < 0)
            why = yoke_error()->text;
    }
    if (why) {
        yk_log_ordered(YOKE_LOG_WARNING, "launch %u of kernel '%s' is not recorded: %s", number, kernel->name, why);
        if (launch)
            free_launch(launch);
        launch = NULL;
    }
    yk_error_restore(&before);
    return launch;
}

static void submit_end(yoke_stream *stream, void *begun, yoke_status status)
{
    yk_recorded *launch = begun;
    yoke_error_info before = *yoke_error();
    (void)stream;
    if (status == YOKE_OK && read_buffers(launch, true) == YOKE_OK)
        yk_recorded_write(folder, launch);
    else
        yk_log_ordered(YOKE_LOG_WARNING, "launch %u of kernel '%s' is not recorded: %s", launch->number, launch->kernel->name,
                       yoke_error()->text);
    yk_error_restore(&before);
    free_launch(launch);
}

static void ignore_stream(yoke_stream *stream)
{
    (void)stream;
}

static void ignore_run(const yoke_stream *stream, const yk_op *op, uint64_t since)
{
    (void)stream, (void)op, (void)since;
}

static void ignore_wait(const yoke_stream *stream, const char *where, uint64_t since)
{
    (void)stream, (void)where, (void)since;
}

static void ignore_work(const yoke_device *device, yk_host_work work, const char *name, const char *detail, size_t bytes,
                        uint64_t since)
{
    (void)device, (void)work, (void)name, (void)detail, (void)bytes, (void)since;
}

static const yk_observer observer = { .stream_begin = ignore_stream,
                                      .stream_end = ignore_stream,
                                      .submit_begin = submit_begin,
                                      .submit_end = submit_end,
                                      .ran = ignore_run,
                                      .waited = ignore_wait,
                                      .worked = ignore_work };

void yk_recorded_init(yoke_device *device)
{
    const char *requested = yk_environment("YOKE_RECORD"), *kernels = yk_environment("YOKE_RECORD_KERNELS");
    if (!requested || !*requested)
        return;
    if (device->observer) {
        yk_log_ordered(YOKE_LOG_ERROR,
                       "no launch is recorded: YOKE_RECORD and YOKE_TRACE are set, and one of them is obeyed at a time");
        return;
    }
    pthread_mutex_lock(&lock);
    if (!tried) {
        limit = (size_t)yk_read_count("YOKE_RECORD_LIMIT", USUAL_LIMIT) * MIB;
        folder = yk_recorded_folder(requested);
        wanted = kernels && *kernels ? strdup(kernels) : NULL;
        usable = folder && (wanted || !kernels || !*kernels);
        tried = true;
    }
    bool use = usable;
    pthread_mutex_unlock(&lock);
    if (use)
        device->observer = &observer;
}
