/* SPDX-License-Identifier: Apache-2.0 */
/* The failure record: what each way of failing leaves in it, on one thread only, cut to its size in one line. */
#include <pthread.h>
#include <string.h>

#include "../tap/tap.h"
#include "objects/objects.h"

static bool is_empty(const yoke_error_info *error)
{
    return error->size == sizeof *error && error->status == YOKE_OK && error->driver_code == 0 && !*error->function &&
           !*error->driver_call && !*error->driver_name && !*error->where && error->cause_status == YOKE_OK && !*error->text &&
           !*error->cause;
}

static void plain(void)
{
    tap_ok(is_empty(yoke_error()), "at first nothing has failed");
    tap_is(yk_attribute("yoke_read", "main.c:1", YOKE_OK), YOKE_OK, "a success passes through yk_attribute");
    tap_is(yk_attribute("yoke_read", "main.c:1", YOKE_PENDING), YOKE_PENDING, "so does YOKE_PENDING");
    tap_ok(is_empty(yoke_error()), "and leaves nothing");

    tap_is(yk_attribute("yoke_read", "main.c:7", yk_fail(YOKE_E_RANGE, "%d bytes asked, %d there", 5, 4)), YOKE_E_RANGE,
           "a failure");
    tap_is(yoke_error()->text, "5 bytes asked, 4 there", "has its text");
    tap_is(yoke_error()->function, "yoke_read", "and its function");
    tap_is(yoke_error()->where, "main.c:7", "and its place");
    yk_attribute("yoke_read_sync", "main.c:9", YOKE_E_RANGE);
    tap_is(yoke_error()->function, "yoke_read_sync", "the outermost public function has failed");
    tap_is(yoke_error()->where, "main.c:7", "a place that is known stays");

    yk_attribute("yoke_fill", NULL, YOKE_E_DRIVER);
    tap_is(yoke_error()->status, YOKE_E_DRIVER, "a status without a record of its own gets one");
    tap_is(yoke_error()->text, yoke_status_meaning(YOKE_E_DRIVER), "with the status's meaning");
    tap_ok(!*yoke_error()->where && strcmp(yoke_error()->function, "yoke_fill") == 0, "and nothing of the older failure");

    yk_fail(YOKE_E_RANGE, "outer: %s", yoke_error()->text);
    tap_ok(strstr(yoke_error()->text, "outer: a driver call failed") == yoke_error()->text,
           "a text may quote the record it replaces");
    yk_no_memory("a stream");
    tap_ok(yoke_error()->status == YOKE_E_OUT_OF_HOST_MEMORY && strstr(yoke_error()->text, "a stream"),
           "out of memory says for what");
    yoke_error_clear();
    tap_ok(is_empty(yoke_error()), "yoke_error_clear forgets");
}

static void of_a_driver(void)
{
    yk_driver_fail(YOKE_E_OUT_OF_DEVICE_MEMORY, "cuda", "cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY", "%s asked", "3.0 GiB");
    tap_is(yoke_error()->text, "cuda: cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY (2): 3.0 GiB asked", "a driver's failure");
    tap_ok(yoke_error()->driver_code == 2 && strcmp(yoke_error()->driver_call, "cuMemAlloc_v2") == 0 &&
               strcmp(yoke_error()->driver_name, "CUDA_ERROR_OUT_OF_MEMORY") == 0,
           "with its parts");
    yk_driver_fail(YOKE_E_DRIVER, "opencl", "clFinish", -36, "CL_INVALID_COMMAND_QUEUE", NULL);
    tap_is(yoke_error()->text, "opencl: clFinish failed: CL_INVALID_COMMAND_QUEUE (-36)", "without a detail");
    yk_driver_fail(YOKE_E_DRIVER, "opencl", NULL, -9999, NULL, NULL);
    tap_is(yoke_error()->text, "opencl: a driver call failed: unknown error (-9999)", "with nothing known");
    tap_ok(*yoke_error()->driver_call && *yoke_error()->driver_name, "strings are never NULL");

    yoke_error_info kept = *yoke_error();
    yk_fail(YOKE_E_INVALID_ARGUMENT, "something else");
    tap_is(yk_error_restore(&kept), YOKE_E_DRIVER, "a kept record comes back");
    tap_ok(memcmp(&kept, yoke_error(), sizeof kept) == 0, "as it was");
    tap_is(yk_error_restore(yoke_error()), YOKE_E_DRIVER, "a record may be restored from itself");
}

static void of_a_host_function(void)
{
    tap_is(yoke_fail(-7, "cannot write %s", "a.png"), -7, "yoke_fail returns the program's own status");
    tap_ok(yoke_error()->status == -7 && strcmp(yoke_error()->text, "cannot write a.png") == 0, "and records it");
    tap_is(yoke_fail(0, "x"), YOKE_E_HOST_FUNCTION, "success is no failure: YOKE_E_HOST_FUNCTION");
    tap_is(yoke_fail(1, "x"), YOKE_E_HOST_FUNCTION, "nor is YOKE_PENDING");
}

static void lines(void)
{
    char text[2000];
    size_t size = sizeof yoke_error()->text;
    yk_fail(YOKE_E_BUILD, "first\nsecond\tthird\n\n");
    tap_is(yoke_error()->text, "first second third", "a text is one line");
    yoke_fail(YOKE_E_BUILD, "x + * y\n    ^ here\tand\rthere\n\n");
    tap_is(yoke_error()->text, "x + * y\n    ^ here and there", "but a text of the program's keeps its lines");
    yk_error_append("; %s", "more\nof it");
    tap_is(yoke_error()->text, "x + * y\n    ^ here and there; more of it", "also where Yoke adds to it");
    yk_fail(YOKE_E_BUILD, "outer: %s", yoke_error()->text);
    tap_is(yoke_error()->text, "outer: x + * y     ^ here and there; more of it", "and not in a text of Yoke's");
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    yk_fail(YOKE_E_BUILD, "%s", text);
    tap_is(strlen(yoke_error()->text), size - 1, "a long text is cut");
    tap_is(yoke_error()->text + size - 4, "...", "and says so");
    for (size_t shift = 0; shift < 3; shift++) {
        for (size_t i = 0; i + 3 < sizeof text; i += 3)
            memcpy(text + i, "…", 3);
        text[sizeof text - 2] = '\0';
        yk_fail(YOKE_E_BUILD, "%.*s%s", (int)shift, "ab", text);
        size_t length = strlen(yoke_error()->text) - 3 - shift;
        tap_ok(length % 3 == 0 && length > size - 10, "never inside a character (%zu)", shift);
    }
}

static void of_null(void)
{
    char text[700];
    yoke_error_clear();
    tap_is(yk_object_fault(NULL, YK_STREAM, "yoke_write", "stream"), YOKE_E_INVALID_ARGUMENT, "NULL is invalid");
    tap_is(yoke_error()->text, "yoke_write: stream is NULL", "and says what is");
    tap_ok(yoke_error()->cause_status == YOKE_OK && !*yoke_error()->cause, "without a cause when nothing failed before");
    tap_is(yoke_error()->function, "yoke_write", "and which function");

    yk_attribute("yoke_device_open", NULL, yk_fail(YOKE_E_UNAVAILABLE, "no driver"));
    yk_object_fault(NULL, YK_DEVICE, "yoke_stream_create", "device");
    tap_is(yoke_error()->text, "yoke_stream_create: device is NULL; the previous failure: no driver",
           "the earlier failure is reported");
    tap_is(yoke_error()->cause_status, YOKE_E_UNAVAILABLE, "with its status");
    tap_is(yoke_error()->cause, "no driver", "and its text");
    yk_object_fault(NULL, YK_STREAM, "yoke_write", "stream");
    yk_object_fault(NULL, YK_STREAM, "yoke_stream_wait", "stream");
    tap_is(yoke_error()->text, "yoke_stream_wait: stream is NULL; the previous failure: no driver",
           "the first cause stays, not nested");
    tap_is(yoke_error()->cause_status, YOKE_E_UNAVAILABLE, "with its status");

    memset(text, 'c', sizeof text);
    text[sizeof text - 1] = '\0';
    yk_attribute("yoke_kernel_get", NULL, yk_fail(YOKE_E_BUILD, "%s%s", text, text));
    yk_object_fault(NULL, YK_KERNEL, "yoke_launch", "kernel");
    tap_is(strlen(yoke_error()->text), sizeof yoke_error()->text - 1, "a cause that is too long is cut");
    tap_is(strlen(yoke_error()->cause), sizeof yoke_error()->cause - 1, "in both places");
}

/* A failure that was dealt with long ago is not what makes an object NULL. */
static void of_null_and_the_past(void)
{
    yk_attribute("yoke_device_open", NULL, yk_fail(YOKE_E_UNAVAILABLE, "no driver"));
    yk_object_fault(NULL, YK_BUFFER, "yoke_write", "buffer");
    tap_is(yoke_error()->text, "yoke_write: buffer is NULL", "opening a device makes no buffer NULL");
    tap_is(yoke_error()->cause, "no driver", "but the record keeps it for who checks once");
    yk_object_fault(NULL, YK_DEVICE, "yoke_stream_create", "device");
    tap_is(yoke_error()->text, "yoke_stream_create: device is NULL; the previous failure: no driver",
           "and the device that is NULL by it is still explained");
    yk_object_fault(NULL, YK_STREAM, "yoke_event_record", "stream");
    yk_object_fault(NULL, YK_EVENT, "yoke_event_wait", "event");
    tap_is(yoke_error()->text, "yoke_event_wait: event is NULL; the previous failure: no driver",
           "and what is NULL by what is NULL");

    yk_attribute("yoke_stream_wait", NULL, yk_fail(YOKE_E_EXECUTION, "a kernel failed"));
    yk_object_fault(NULL, YK_STREAM, "yoke_write", "stream");
    tap_is(yoke_error()->text, "yoke_write: stream is NULL", "waiting makes nothing NULL");
    yk_attribute("yoke_program_build_async", NULL, yk_fail(YOKE_E_BUILD, "a typo"));
    yk_object_fault(NULL, YK_EVENT, "yoke_event_wait", "event");
    tap_is(yoke_error()->text, "yoke_event_wait: event is NULL; the previous failure: a typo", "one call makes two objects");
    yoke_fail(YOKE_E_HOST_FUNCTION, "mine");
    yk_object_fault(NULL, YK_KERNEL, "yoke_launch", "kernel");
    tap_is(yoke_error()->text, "yoke_launch: kernel is NULL", "a program's own failure makes nothing NULL");
}

static void *other_thread(void *record)
{
    bool *empty = record;
    *empty = is_empty(yoke_error());
    yk_fail(YOKE_E_RANGE, "of the other thread");
    return NULL;
}

static void threads(void)
{
    pthread_t thread;
    bool empty = false;
    yk_fail(YOKE_E_BUILD, "of this thread");
    if (pthread_create(&thread, NULL, other_thread, &empty) != 0)
        tap_bail("no thread can be started");
    pthread_join(thread, NULL);
    tap_ok(empty, "another thread has its own record");
    tap_is(yoke_error()->text, "of this thread", "and does not change this one");
}

int main(void)
{
    tap_start(60);
    plain();
    of_a_driver();
    of_a_host_function();
    lines();
    of_null();
    of_null_and_the_past();
    threads();
    return tap_done();
}
