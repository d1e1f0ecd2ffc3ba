/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices: listing, opening and describing them. Every candidate leaves a line in the calling thread's report; a selector that
 * cannot be satisfied is an error that says why and lists the devices.
 */
#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copy/fill.h"
#include "memory/pool.h"
#include "program/program.h"
#include "device/selector.h"
#include "stream/wait.h"
#include "copy/staging.h"
#include "device/start.h"
#include "base/process/thread.h"
#include "trace/recorded.h"
#include "trace/trace.h"
#include "validate/validate.h"
#include "stream/retire.h"
#include "stream/watchdog.h"

#define BACKEND_POINTER(name) &yk_backend_##name,
static const yk_backend *const all_backends[] = { YK_BACKENDS(BACKEND_POINTER) };
#undef BACKEND_POINTER

/* ---- The report ---- */

static yk_text *report(void)
{
    return yk_thread_text(YK_DEVICE_REPORT);
}

const char *yoke_device_get_report(void)
{
    return yk_text_get(report());
}

static void report_device(const yoke_device_info *info, const char *outcome, const char *why)
{
    yk_text_add(report(), "%s %s (%s): %s%s\n", info->selector, info->name, yk_device_kind_word(info->kind), outcome, why);
}

/* Add `text`, prefixed with the backend's name unless it begins with the name. */
static void add_reason(yk_text *reasons, const yk_backend *backend, const char *text, const char *end)
{
    size_t length = strlen(backend->name);
    bool named = strncmp(text, backend->name, length) == 0 && text[length] == ':';
    yk_text_add(reasons, "%s%s%s%s", named ? "" : backend->name, named ? "" : ": ", text, end);
}

/* ---- Lists ---- */

yoke_status yk_device_list_add(yk_device_list *list, const yoke_device_info *info)
{
    const char *backend = list->backend->name;
    int32_t index = 0;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->infos[i].backend, backend) == 0)
            index++;
    yoke_device_info *grown = realloc(list->infos, (list->count + 1) * sizeof *grown);
    if (!grown)
        return yk_no_memory("the list of devices");
    list->infos = grown;
    yoke_device_info *added = &grown[list->count++];
    *added = *info;
    added->size = sizeof *added;
    char *texts[] = { added->name, added->vendor, added->platform, added->driver };
    for (size_t i = 0; i < YK_COUNT_OF(texts); i++)
        yk_make_utf8(texts[i]); /* some drivers return invalid UTF-8 */
    added->index = index;
    yk_string_copy(added->backend, sizeof added->backend, backend);
    snprintf(added->selector, sizeof added->selector, "%s:%d", backend, (int)index);
    return YOKE_OK;
}

void yk_device_list_reject(yk_device_list *list, const char *format, ...)
{
    char line[sizeof((yoke_error_info *)0)->text];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length <= 0)
        return;
    yk_make_utf8(line);
    for (char *c = line; *c; c++)
        if (*c == '\n')
            *c = ' ';
    yk_text_add(&list->rejected, "%s\n", line);
}

static void free_list(yk_device_list *list)
{
    free(list->infos);
    yk_text_free(&list->rejected);
    memset(list, 0, sizeof *list);
}

yoke_status yk_device_survey(const yk_backend *const *backends, size_t count, yk_device_list *out_list)
{
    yk_selector order;
    yoke_error_info before = *yoke_error();
    memset(out_list, 0, sizeof *out_list);
    yk_text_free(report());
    yoke_status status = yk_order_read_backend(&order);
    for (size_t i = 0; status >= 0 && i < count; i++) {
        if (!yk_selector_takes_backend(&order, backends[i]->name))
            continue;
        yoke_status one = yk_start_list(backends[i], true, out_list);
        if (one < 0)
            add_reason(report(), backends[i], yoke_error()->text, "\n");
        if (one == YOKE_E_OUT_OF_HOST_MEMORY) /* not the driver's fault: a list without its devices would be wrong */
            status = one;
    }
    yk_text_add(report(), "%s", yk_text_get(&out_list->rejected));
    if (status < 0) {
        free_list(out_list);
        return status;
    }
    yk_rank(out_list->infos, out_list->count);
    for (size_t i = 0; i < out_list->count; i++)
        report_device(&out_list->infos[i], "there", "");
    yk_error_restore(&before); /* a missing driver does not fail this call */
    return YOKE_OK;
}

static yoke_status begin_info(const char *function, const char *argument, void *out_info)
{
    return yk_info_begin(function, argument, out_info, YK_SIZE_TO(yoke_device_info, selector), YK_FIRST_SIZE(yoke_device_info),
                         "start from YOKE_DEVICE_INFO_INIT");
}

static yoke_status list_devices(const char *function, void *infos, size_t capacity, size_t *out_count)
{
    yk_device_list list;
    yoke_status status = yk_fork_check(function);
    if (out_count)
        *out_count = 0;
    if (status < 0)
        return status;
    if (!out_count)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_count is NULL", function);
    if (capacity > 0 && !infos)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: infos is NULL and capacity is %zu", function, capacity);
    status = yk_device_survey(all_backends, YK_COUNT_OF(all_backends), &list);
    if (status < 0)
        return status;
    /* A program built with another version of Yoke has structs of another size: the caller's size is the stride. */
    size_t stride = 0, size;
    if (capacity > 0)
        stride = yk_sized_bytes(infos, YK_FIRST_SIZE(yoke_device_info));
    for (size_t i = 0; status >= 0 && i < list.count && i < capacity; i++) {
        char *info = (char *)infos + i * stride;
        size = yk_sized_bytes(info, YK_FIRST_SIZE(yoke_device_info));
        if (size != stride)
            status = yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the size in infos[%zu] is %zu, but in infos[0] it is %zu", function, i,
                             size, stride);
        else if ((status = begin_info(function, "infos[0]", info)) == YOKE_OK)
            YK_INFO_FILL(info, yoke_device_info, &list.infos[i]);
    }
    if (status >= 0)
        *out_count = list.count;
    free_list(&list);
    return status;
}

yoke_status yoke_device_count(size_t *out_count)
{
    YK_UNCANCELLED; /* so that a cancellation leaves no child behind */
    return yk_attribute("yoke_device_count", NULL, list_devices("yoke_device_count", NULL, 0, out_count));
}

yoke_status yoke_device_list(yoke_device_info *infos, size_t capacity, size_t *out_count)
{
    YK_UNCANCELLED;
    return yk_attribute("yoke_device_list", NULL, list_devices("yoke_device_list", infos, capacity, out_count));
}

/* ---- Opening ---- */

/* The state of a search for a device to open. */
typedef struct device_search {
    yk_selector order;
    yk_device_list seen;     /* devices of every backend that started */
    size_t started;          /* number of backends that started */
    yk_text reasons;         /* why candidates could not be used: "cuda: …; opencl: …; " */
    yoke_error_info failure; /* the first such failure, or that memory ran out */
    yoke_status open_status; /* of the first matching device that did not open */
    yoke_device *device;
} device_search;

static void note_failure(device_search *search, const yk_backend *backend)
{
    const yoke_error_info *error = yoke_error();
    add_reason(&search->reasons, backend, error->text, "; ");
    if (search->failure.status == YOKE_OK || error->status == YOKE_E_OUT_OF_HOST_MEMORY)
        search->failure = *error;
}

static void close_device(void *object)
{
    YK_UNCANCELLED;
    yoke_device *device = object;
    while (yk_reclaim_wait(device)) /* destruction deferred again goes to the end of the queue */
        continue;
    yk_filler_end(device);
    yk_device_attachments_end(device);
    yk_device_programs_end(device);
    yk_pool_end(device);
    yk_log(YOKE_LOG_INFO, "%s is closed", device->info.selector);
    device->backend->device_close(device);
    yk_failure_release(atomic_load(&device->lost));
    pthread_cond_destroy(&device->reclaim.changed);
    pthread_mutex_destroy(&device->lock);
    free(device->streams_by_id);
    yk_object_free(device, sizeof *device);
}

static yoke_status open_one(const yk_backend *backend, const yoke_device_info *info, yoke_device **out_device)
{
    yoke_device *device = yk_object_new(YK_DEVICE, sizeof *device, close_device);
    if (!device)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    device->backend = backend;
    device->put = yoke_device_release;
    device->info = *info;
    device->blocking = yk_read_switch("YOKE_BLOCKING", 0);
    yk_trace_init(device);
    yk_recorded_init(device);
    yk_pool_init(device);
    yoke_status status = yk_validate_init(device);
    if (status < 0)
        goto out_object;
    if (pthread_mutex_init(&device->lock, NULL) != 0) {
        status = yk_no_memory("a device's lock");
        goto out_object;
    }
    if (yk_cond_init(&device->reclaim.changed) != 0) {
        status = yk_no_memory("a device's lock");
        goto out_lock;
    }
    status = backend->device_open(device);
    if (status < 0)
        goto out_cond;
    yk_staging_init(device);
    yk_filler_init(device);
    yk_fork_arm();
    yk_watchdog_watch(device);
    yk_log(YOKE_LOG_INFO, "%s is opened: %s, %s, driver %s%s", info->selector, info->name, info->platform, info->driver,
           device->blocking ? "; every operation completes before its call returns (YOKE_BLOCKING)" : "");
    *out_device = device;
    return YOKE_OK;
out_cond:
    pthread_cond_destroy(&device->reclaim.changed);
out_lock:
    pthread_mutex_destroy(&device->lock);
out_object:
    yk_object_free(device, sizeof *device);
    return status;
}

/* Start the backend's driver, and open the best matching device that opens. */
static void search_started(device_search *search, const yk_backend *backend)
{
    size_t first = search->seen.count;
    yoke_status status = yk_start_here(backend, &search->seen);
    if (status < 0) {
        add_reason(report(), backend, yoke_error()->text, "\n");
        note_failure(search, backend);
        return;
    }
    search->started++;
    yoke_device_info *infos = search->seen.infos + first;
    size_t count = search->seen.count - first;
    yk_rank(infos, count);
    for (size_t i = 0; i < count; i++) {
        if (!yk_selector_takes(&search->order, &infos[i])) {
            report_device(&infos[i], "does not match the selector", "");
        } else if (search->device) {
            report_device(&infos[i], "not needed", "");
        } else if ((status = open_one(backend, &infos[i], &search->device)) < 0) {
            report_device(&infos[i], "cannot be opened: ", yoke_error()->text);
            note_failure(search, backend);
            search->open_status = search->open_status < 0 ? search->open_status : status;
        } else {
            report_device(&infos[i], "chosen", "");
        }
    }
}

static void search_backend(device_search *search, const yk_backend *backend)
{
    yoke_status status = yk_start_check(backend);
    if (status >= 0)
        status = yk_fork_begin_start();
    if (status < 0) {
        add_reason(report(), backend, yoke_error()->text, "\n");
        note_failure(search, backend);
        return;
    }
    search_started(search, backend);
    yk_fork_end_start();
}

/* Write why nothing was opened, as one line. */
static void describe_failure(const device_search *search, const yk_device_list *others, yk_text *text)
{
    const yk_device_list *lists[] = { &search->seen, others };
    char word[64];
    yk_text_add(text, "%s%s: %s", search->order.origin, *search->order.origin ? " cannot be satisfied" : "no usable device",
                yk_text_get(&search->reasons));
    if (search->open_status == YOKE_OK && search->started > 0)
        yk_text_add(text, "%s; ", *search->order.origin && search->seen.count > 0 ? "no such device" : "no devices");
    if (yk_selector_nearest_name(&search->order, search->seen.infos, search->seen.count, word, sizeof word))
        yk_text_add(text, "did you mean \"%s\"? ", word);
    const char *before = "there is ";
    for (size_t i = 0; i < YK_COUNT_OF(lists); i++)
        for (size_t j = 0; j < lists[i]->count; j++, before = ", ")
            yk_text_add(text, "%s%s (%s)", before, lists[i]->infos[j].selector, lists[i]->infos[j].name);
    yk_text_add(text, "%s", search->seen.count + others->count > 0 ? "; " : "");
    for (const char *line = yk_text_get(&search->seen.rejected), *end; (end = strchr(line, '\n')); line = end + 1)
        yk_text_add(text, "%.*s; ", (int)(end - line), line);
}

/* Nothing was opened. `others`: devices of the backends that the order excludes. */
static yoke_status explain(device_search *search, const yk_device_list *others)
{
    yk_text text = { 0 };
    yoke_status status = search->started > 0 ? YOKE_E_NOT_FOUND : YOKE_E_UNAVAILABLE;
    if (search->open_status < 0)
        status = search->open_status;
    else if (search->failure.status == YOKE_E_OUT_OF_HOST_MEMORY)
        status = search->failure.status;
    describe_failure(search, others, &text);
    size_t length = text.length;
    while (length > 0 && (text.data[length - 1] == ' ' || text.data[length - 1] == ';'))
        length--;
    yk_fail(status, "%.*s", (int)length, yk_text_get(&text));
    if (search->failure.status < 0) { /* the driver's call and code stay in the record */
        search->failure.status = status;
        yk_string_copy(search->failure.text, sizeof search->failure.text, yoke_error()->text);
        yk_error_restore(&search->failure);
    }
    yk_text_free(&text);
    return status;
}

yoke_status yk_device_open_among(const yk_backend *const *backends, size_t count, const char *selector, yoke_device **out_device)
{
    device_search search = { .device = NULL };
    yk_device_list others = { 0 };
    uint64_t since = yk_trace_begin();
    yoke_error_info before = *yoke_error();
    yk_text_free(report());
    yoke_status status = yk_order_read(selector, &search.order);
    if (status < 0)
        return status;
    /* All of a backend's devices come before the next backend's, so the search ends at the first backend that opens a device. */
    for (size_t i = 0; i < count && !search.device; i++)
        if (yk_selector_takes_backend(&search.order, backends[i]->name))
            search_backend(&search, backends[i]);
    yk_text_add(report(), "%s", yk_text_get(&search.seen.rejected));
    if (search.device) {
        yk_trace_opened(search.device, since);
        yk_error_restore(&before);
    } else {
        for (size_t i = 0; i < count; i++)
            if (!yk_selector_takes_backend(&search.order, backends[i]->name))
                yk_start_list(backends[i], false, &others); /* only for the report: a failure changes nothing */
        status = explain(&search, &others);
    }
    free_list(&search.seen);
    free_list(&others);
    yk_text_free(&search.reasons);
    *out_device = search.device;
    return status;
}

yoke_status yoke_device_open(const char *selector, yoke_device **out_device)
{
    YK_UNCANCELLED;
    yoke_status status = yk_fork_check("yoke_device_open");
    if (out_device)
        *out_device = NULL;
    if (status == YOKE_OK && !out_device)
        status = yk_fail(YOKE_E_INVALID_ARGUMENT, "yoke_device_open: out_device is NULL");
    if (status == YOKE_OK)
        status = yk_device_open_among(all_backends, YK_COUNT_OF(all_backends), selector, out_device);
    return yk_attribute("yoke_device_open", NULL, status);
}

/* ---- An open device ---- */

yoke_device *yoke_device_retain(yoke_device *device)
{
    if (!yk_is(device, YK_DEVICE))
        return NULL;
    yk_object_retain(device);
    return device;
}

/* Release a reference. Returns whether the caller must wait for the device's deferred destruction: to close the device, after
 * its last reference; or to release another reference, which this function has taken, when deferred destruction holds all
 * remaining references. These may be queued on other devices whose own references are queued here (two devices that have copied
 * to each other), or on this device (streams that have waited for each other). */
static bool let_go(yoke_device *device)
{
    unsigned left = atomic_fetch_sub_explicit(&device->object.refs, 1, memory_order_acq_rel) - 1;
    if (left == 0) {
        atomic_store(&device->object.kind, YK_DEAD);
        yk_device_programs_forbid(device);
        yk_watchdog_forget(device);
        return true;
    }
    return left <= atomic_load(&device->deferred_refs) && atomic_load(&device->retired) && yk_object_retain_if_used(device);
}

/* A thread that retires an object meanwhile sees the reference that let_go has taken, and leaves reclaiming to its release. */
static void wait_and_let_go(void *argument)
{
    yoke_device *device = argument;
    do {
        if (atomic_load(&device->object.refs) == 0) {
            device->object.destroy(device);
            return;
        }
        yk_reclaim_wait(device);
    } while (let_go(device));
}

/* A release does not block: while work is in flight, a separate thread waits. */
void yoke_device_release(yoke_device *device)
{
    if (!yk_is(device, YK_DEVICE) || !let_go(device))
        return;
    yoke_error_info before = *yoke_error();
    yk_reclaim_finished(device);
    if (atomic_load(&device->retired)) {
        if (yk_thread_run(wait_and_let_go, device, "closing a device") == YOKE_OK)
            return;
        yk_log(YOKE_LOG_WARNING, "the last release of %s waits for its work: %s", device->info.selector, yoke_error()->text);
        yk_error_restore(&before);
    }
    wait_and_let_go(device);
}

yoke_status yoke_device_get_info(const yoke_device *device, yoke_device_info *out_info)
{
    YK_FUNCTION(yoke_device_get_info);
    if (begin_info(function, "out_info", out_info) < 0)
        return YOKE_E_INVALID_ARGUMENT;
    YK_CHECK(device, YK_DEVICE, function, "device");
    YK_INFO_FILL(out_info, yoke_device_info, &device->info);
    return YOKE_OK;
}

yoke_status yoke_device_get_compiler(yoke_device *device, yoke_compiler_info *out_info)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_device_get_compiler);
    yoke_compiler_info info = YOKE_COMPILER_INFO_INIT;
    if (YK_INFO_BEGIN(function, out_info, yoke_compiler_info, "start from YOKE_COMPILER_INFO_INIT") < 0)
        return YOKE_E_INVALID_ARGUMENT;
    YK_CHECK(device, YK_DEVICE, function, "device");
    yoke_status status = device->backend->device_compiler(device, &info);
    if (status < 0)
        return yk_attribute(function, NULL, status);
    YK_INFO_FILL(out_info, yoke_compiler_info, &info);
    return YOKE_OK;
}
