/* SPDX-License-Identifier: Apache-2.0 */
/* A program for `yoke trace` that has one of the troubles that it reports, or does the same without: as its argument says. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <yoke/yoke.h>

#define CHECK(call)                                               \
    do {                                                          \
        if ((call) < 0) {                                         \
            fprintf(stderr, "trouble: %s\n", yoke_error()->text); \
            return 1;                                             \
        }                                                         \
    } while (0)

enum { SIZE = 8 << 20, WORK_MS = 20 };

/* Host work of a length that stands out beside everything else here. */
static yoke_status work(yoke_status status, void *user)
{
    struct timespec now, end;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += WORK_MS * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
    return status;
}

static const yoke_source source = {
    .name = "advance",
    .cuda = "extern \"C\" __global__ void advance(unsigned char *x)\n{\n    x[blockIdx.x * blockDim.x + threadIdx.x]++;\n}\n",
    .opencl = "__kernel void advance(__global unsigned char *x)\n{\n    x[get_global_id(0)]++;\n}\n",
};

/* A kernel that writes beyond its buffer: so far that a process has no memory there. */
static int wild(yoke_device *device, yoke_stream *stream, yoke_buffer *target)
{
    static const yoke_source far = {
        .name = "wild",
        .cuda = "extern \"C\" __global__ void wild(unsigned char *x)\n{\n    x[1ull << 44] = 1;\n}\n",
        .opencl = "__kernel void wild(__global unsigned char *x)\n{\n    x[1ul << 44] = 1;\n}\n",
    };
    yoke_program *program;
    yoke_kernel *kernel;
    CHECK(yoke_program_build(device, &far, &program));
    CHECK(yoke_kernel_get(program, "wild", &kernel));
    CHECK(yoke_launch_n(stream, kernel, 1, YOKE_ARGS(target)));
    CHECK(yoke_stream_wait(stream));
    yoke_program_release(program);
    return 0;
}

/* A kernel that is launched often. */
static int launches(yoke_device *device, yoke_stream *stream, yoke_buffer *target)
{
    yoke_program *program;
    yoke_kernel *advance;
    CHECK(yoke_program_build(device, &source, &program));
    CHECK(yoke_kernel_get(program, "advance", &advance));
    for (int i = 0; i < 10; i++) {
        CHECK(yoke_launch_n(stream, advance, 4096, YOKE_ARGS(target)));
        CHECK(yoke_stream_wait(stream));
    }
    yoke_program_release(program);
    return 0;
}

/* More entries than a small disk has room for; the program has to get to its end. */
static int fills(yoke_stream *stream, yoke_buffer *target)
{
    for (int i = 0; i < 200; i++)
        CHECK(yoke_fill(stream, target, 0, 64, "", 1));
    CHECK(yoke_stream_wait(stream));
    puts("all is done");
    return 0;
}

/* Work, a pause of the program, and work. */
static int pauses(yoke_stream *stream, yoke_buffer *target)
{
    CHECK(yoke_fill(stream, target, 0, SIZE, "", 1));
    CHECK(yoke_stream_wait(stream));
    work(YOKE_OK, NULL);
    CHECK(yoke_fill(stream, target, 0, SIZE, "", 1));
    CHECK(yoke_stream_wait(stream));
    return 0;
}

/* Whether the trace has an entry of this kind yet: it is written while the program does nothing. */
static bool is_traced(const char *category)
{
    static char text[1 << 16];
    const char *path = getenv("YOKE_TRACE");
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file)
        return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return strstr(text, category) != NULL;
}

/* The program dies once its work is done, without having waited for it. */
static int dies(yoke_stream *stream, yoke_buffer *target, bool by_signal)
{
    time_t begun = time(NULL);
    CHECK(yoke_fill(stream, target, 0, SIZE, "", 1));
    while (!is_traced("\"fill\"") && time(NULL) - begun < 30)
        work(YOKE_OK, NULL);
    if (by_signal)
        abort();
    _exit(0);
}

/* A stream of another device waits for a copy between the devices, which waits for host work. */
static int devices(yoke_stream *stream, yoke_buffer *target)
{
    yoke_device *other;
    yoke_stream *second;
    yoke_buffer *copy;
    yoke_event *event;
    CHECK(yoke_device_open("opencl:1", &other));
    CHECK(yoke_stream_create(other, NULL, &second));
    CHECK(yoke_buffer_create(other, SIZE, &copy));
    CHECK(yoke_fill(stream, target, 0, SIZE, "", 1));
    CHECK(yoke_host_call(stream, work, NULL, NULL));
    CHECK(yoke_copy(stream, copy, 0, target, 0, SIZE));
    CHECK(yoke_event_record(stream, 0, &event));
    CHECK(yoke_stream_wait_event(second, event));
    CHECK(yoke_fill(second, copy, 0, SIZE, "", 1));
    CHECK(yoke_stream_wait(second));
    CHECK(yoke_stream_wait(stream));
    yoke_event_release(event);
    yoke_buffer_release(copy);
    yoke_stream_release(second);
    yoke_device_release(other);
    return 0;
}

/* Copies of host memory, host functions, and streams that wait for them. */
static int streams(yoke_device *device, yoke_stream *first, yoke_buffer *target, const char *what)
{
    bool pageable = strcmp(what, "pageable") == 0, waits = strcmp(what, "waits") == 0, calls = waits || strcmp(what, "call") == 0;
    void *ordinary = calloc(1, SIZE);
    yoke_stream *second;
    yoke_buffer *pinned;
    yoke_event *event;
    CHECK(yoke_stream_create(device, NULL, &second));
    CHECK(yoke_buffer_create_pinned(device, SIZE, &pinned));
    memset(yoke_buffer_get_host(pinned), 0, SIZE);
    CHECK(yoke_write(first, target, 0, pageable ? ordinary : yoke_buffer_get_host(pinned), SIZE));
    if (calls)
        CHECK(yoke_host_call(first, work, NULL, NULL));
    CHECK(yoke_event_record(first, 0, &event));
    if (!waits)
        CHECK(yoke_event_wait(event)); /* by the program, so that the streams need not */
    else
        CHECK(yoke_stream_wait_event(second, event));
    CHECK(yoke_fill(second, target, 0, SIZE, "", 1));
    CHECK(yoke_stream_wait(second));
    yoke_event_release(event);
    yoke_buffer_release(pinned);
    yoke_stream_release(second);
    free(ordinary);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *target;
    int failed;
    CHECK(yoke_device_open(strcmp(what, "devices") == 0 ? "opencl:0" : NULL, &device));
    CHECK(yoke_stream_create(device, NULL, &stream));
    CHECK(yoke_buffer_create(device, SIZE, &target));
    if (strcmp(what, "first") == 0)
        failed = launches(device, stream, target);
    else if (strcmp(what, "many") == 0)
        failed = fills(stream, target);
    else if (strcmp(what, "pause") == 0)
        failed = pauses(stream, target);
    else if (strcmp(what, "wild") == 0)
        failed = wild(device, stream, target);
    else if (strcmp(what, "abort") == 0 || strcmp(what, "exit") == 0)
        failed = dies(stream, target, strcmp(what, "abort") == 0);
    else if (strcmp(what, "devices") == 0)
        failed = devices(stream, target);
    else
        failed = streams(device, stream, target, what);
    yoke_buffer_release(target);
    yoke_stream_release(stream);
    yoke_device_release(device);
    return failed;
}
