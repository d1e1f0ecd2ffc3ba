/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes mistakes, and prints the message of each: guide_programs.sh compares them with those that doc/troubleshooting.md quotes.
 * The device is one of OpenCL; with an argument, only opening it is tried.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <yoke/types.h>
#include <yoke/yoke.h>

#define LAYOUT "struct p { float x; signed char k; float m; };\n"
struct p {
    float x;
    signed char k;
    double m;
};

static yoke_stream *stream;

static void say(yoke_status status)
{
    if (status < 0)
        puts(yoke_error()->text);
}

static yoke_status wait_for_itself(yoke_status status, void *user)
{
    (void)user;
    say(yoke_stream_wait(stream));
    return status;
}

static void mistakes(yoke_device *device)
{
    const yoke_field fields[] = { YOKE_FIELD(struct p, m) };
    const yoke_source layout = { .name = "p", .cuda = LAYOUT, .opencl = LAYOUT },
                      cuda_only = { .name = "f", .cuda = "extern \"C\" __global__ void f(int n) {}" };
    yoke_source source;
    yoke_program *program, *none;
    yoke_kernel *saxpy, *unknown;
    yoke_buffer *x, *pinned;

    say(yoke_source_builtin("saxpy", &source));
    say(yoke_stream_create(device, NULL, &stream));
    say(yoke_program_build(device, &source, &program));
    say(yoke_kernel_get(program, "saxpy", &saxpy));
    say(yoke_buffer_create(device, 4096, &x));
    say(yoke_buffer_create_pinned(device, 4096, &pinned));

    say(yoke_kernel_get(program, "saxpi", &unknown));
    say(yoke_program_build(device, &cuda_only, &none));
    say(yoke_launch_n(stream, saxpy, 100, YOKE_ARGS(x, x, 2.0, 100)));
    say(yoke_launch_n(stream, saxpy, 100, YOKE_ARGS(x, x, 2.0f)));
    say(yoke_launch_n(stream, saxpy, 100, YOKE_ARGS(pinned, x, 2.0f, 100)));
    say(yoke_struct_check(device, &layout, "struct p", sizeof(struct p), fields, 1));
    say(yoke_host_call(stream, wait_for_itself, NULL, NULL));
    say(yoke_stream_wait(stream));

    yoke_buffer_release(pinned);
    yoke_buffer_release(x);
    yoke_program_release(program);
}

int main(void)
{
    yoke_device *device;

    if (yoke_device_open(NULL, &device) < 0)
        return puts(yoke_error()->text), 0;
    mistakes(device);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        say(yoke_stream_wait(stream));
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    yoke_stream_release(stream);
    yoke_device_release(device);
    return 0;
}
