/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest complete program: the host's text has every letter shifted by one, and the device shifts it back. */
#include <stdio.h>

#include <yoke/check.h>
#include <yoke/yoke.h>

static const yoke_source source = {
    .cuda = "extern \"C\" __global__ void hello(char *text) { text[threadIdx.x] -= 1; }\n",
    .opencl = "__kernel void hello(__global char *text) { text[get_local_id(0)] -= 1; }\n",
};

int main(void)
{
    char text[] = "Ifmmp-!xpsme";
    const size_t length = sizeof text - 1;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *hello;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_device_get_info(device, &info));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "hello", &hello));
    YOKE_CHECK(yoke_launch(stream, hello, YOKE_DIM(1), YOKE_DIM(length), 0, YOKE_ARGS(yoke_inout(text, length))));
    YOKE_CHECK(yoke_stream_wait(stream)); /* reports the first failure of the work itself */
    printf("%s from %s (%s)\n", text, info.name, info.selector);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    return 0;
}
