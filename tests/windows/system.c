/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is Windows' own: an event's descriptor is a socket, and a driver's library in the working folder is not loaded.
 * tests/release/windows.sh runs this where a library nvcuda.dll lies.
 */
#include <winsock2.h>
#include <windows.h>

#include <yoke/yoke.h>

#include "../tap/tap.h"

static yoke_status wait_for_go(yoke_status status, void *go)
{
    return WaitForSingleObject(go, 60000) == WAIT_OBJECT_0 ? status : YOKE_E_HOST_FUNCTION;
}

static bool is_readable(int fd, long seconds)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET((SOCKET)(unsigned)fd, &set);
    return select(0, &set, NULL, NULL, &(struct timeval){ .tv_sec = seconds }) == 1;
}

static void try_socket(yoke_device *device)
{
    HANDLE go = CreateEventW(NULL, FALSE, FALSE, NULL);
    yoke_stream *stream = NULL;
    yoke_event *event = NULL;
    int fd = -1;
    tap_ok(yoke_stream_create(device, NULL, &stream) == YOKE_OK && yoke_host_call(stream, wait_for_go, go, NULL) == YOKE_OK &&
               yoke_event_record(stream, 0, &event) == YOKE_OK && yoke_event_get_fd(event, &fd) == YOKE_OK,
           "an event has a descriptor");
    tap_ok(!is_readable(fd, 0), "which is not readable before the event is complete");
    SetEvent(go);
    tap_ok(is_readable(fd, 60) && yoke_event_query(event) == YOKE_OK, "and is readable then, for select");
    tap_ok(closesocket((SOCKET)(unsigned)fd) == 0, "and is closed as a socket");
    yoke_event_release(event);
    yoke_stream_release(stream);
    CloseHandle(go);
}

int main(void)
{
    yoke_device *device = NULL;
    size_t count = 0;
    tap_start(60);
    tap_plan(8);
    tap_ok(yoke_device_count(&count) == YOKE_OK && count > 0, "devices are found");
    tap_ok(!GetModuleHandleW(L"nvcuda.dll"), "and the library in the working folder is not loaded for one");
    tap_ok(LoadLibraryW(L"nvcuda.dll") != NULL, "as a careless program would load it");
    if (!tap_ok(yoke_device_open("opencl:0", &device) == YOKE_OK, "a device is opened"))
        return tap_done();
    try_socket(device);
    yoke_device_release(device);
    return tap_done();
}
