/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels from files of compiled code: PTX, which CUDA loads, and a driver's own binary, which Yoke saves and loads on any driver
 * that supports it. load_kernel [FILE KERNEL], for a kernel with the parameters of `add` below.
 *
 * A common mistake: passing PTX to a function that compiles source; compiled code must be loaded.
 */
#include <string.h>

#include "example.h"

/* void add(const float *x, const float *y, float *z, int n), as compiled from CUDA C++. */
static const char ptx[] = ".version 6.0\n"
                          ".target sm_50\n"
                          ".address_size 64\n"
                          ".visible .entry add(.param .u64 x, .param .u64 y, .param .u64 z, .param .u32 n)\n"
                          "{\n"
                          "    .reg .pred %p;\n"
                          "    .reg .f32 %f<3>;\n"
                          "    .reg .b32 %r<5>;\n"
                          "    .reg .b64 %d<5>;\n"
                          "    mov.u32 %r0, %ctaid.x;\n"
                          "    mov.u32 %r1, %ntid.x;\n"
                          "    mov.u32 %r2, %tid.x;\n"
                          "    mad.lo.s32 %r3, %r0, %r1, %r2;\n"
                          "    ld.param.u32 %r4, [n];\n"
                          "    setp.ge.s32 %p, %r3, %r4;\n"
                          "    @%p bra done;\n"
                          "    mul.wide.s32 %d3, %r3, 4;\n"
                          "    ld.param.u64 %d0, [x];\n"
                          "    ld.param.u64 %d1, [y];\n"
                          "    ld.param.u64 %d2, [z];\n"
                          "    cvta.to.global.u64 %d0, %d0;\n"
                          "    cvta.to.global.u64 %d1, %d1;\n"
                          "    cvta.to.global.u64 %d2, %d2;\n"
                          "    add.s64 %d0, %d0, %d3;\n"
                          "    add.s64 %d1, %d1, %d3;\n"
                          "    add.s64 %d2, %d2, %d3;\n"
                          "    ld.global.f32 %f0, [%d0];\n"
                          "    ld.global.f32 %f1, [%d1];\n"
                          "    add.f32 %f2, %f0, %f1;\n"
                          "    st.global.f32 [%d2], %f2;\n"
                          "done:\n"
                          "    ret;\n"
                          "}\n";

static void *file_do(const char *path, const char *mode, void *bytes, size_t *size)
{
    FILE *file = fopen(path, mode);
    int failed = !file;

    if (file && *mode == 'w')
        failed = fwrite(bytes, 1, *size, file) != *size;
    else if (file) {
        failed = fseek(file, 0, SEEK_END) != 0 || ftell(file) < 0;
        *size = failed ? 0 : (size_t)ftell(file);
        rewind(file);
        bytes = allocate(*size + 1);
        failed |= fread(bytes, 1, *size, file) != *size;
    }
    if (file)
        failed |= fclose(file) != 0;
    if (failed) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return bytes;
}

/* Load the file and run its kernel; returns how many results are wrong. */
static int run(yoke_device *device, const char *path, const char *name)
{
    enum { N = 1000 };
    float x[N], y[N], z[N];
    size_t size = 0;
    void *image = file_do(path, "rb", NULL, &size);
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *kernel;
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(2 * i);
    }
    YOKE_CHECK(yoke_program_load(device, path, image, size, &program)); /* the first bytes tell the kind of code */
    YOKE_CHECK(yoke_kernel_get(program, name, &kernel));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_launch_n(stream, kernel, N, YOKE_ARGS(yoke_in(x, sizeof x), yoke_in(y, sizeof y), yoke_out(z, sizeof z), N)));
    YOKE_CHECK(yoke_stream_wait(stream));
    for (int i = 0; i < N; i++)
        wrong += z[i] != (float)(3 * i);
    printf("load_kernel: %d sums by %s of %s (%zu bytes), %d wrong\n", N, name, path, size, wrong);
    yoke_stream_release(stream);
    yoke_program_release(program);
    free(image);
    return wrong;
}

/* Compile one of Yoke's own kernels and save the result. */
static void save(yoke_device *device, const char *path)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program;
    size_t size;

    YOKE_CHECK(yoke_source_builtin("vector_add", &source));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_program_save(program, NULL, 0, &size));
    void *image = allocate(size);
    YOKE_CHECK(yoke_program_save(program, image, size, &size));
    file_do(path, "wb", image, &size);
    free(image);
    yoke_program_release(program);
}

int main(int argc, char **argv)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device *device;
    int wrong = 0;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_device_get_info(device, &info));
    if (argc == 3)
        wrong += run(device, argv[1], argv[2]);
    else {
        if (yoke_device_get_language(device) == YOKE_LANGUAGE_CUDA) {
            file_do("add.ptx", "wb", (void *)ptx, &(size_t){ sizeof ptx - 1 });
            wrong += run(device, "add.ptx", "add");
        } else
            printf("load_kernel: no PTX: it is for CUDA, and this is %s\n", info.selector);
        if (!yoke_device_lacks(device, YOKE_CAP_PROGRAM_BINARIES)) {
            save(device, "vector_add.bin");
            wrong += run(device, "vector_add.bin", "vector_add");
        } else
            printf("load_kernel: no driver binary: %s\n", yoke_device_lacks(device, YOKE_CAP_PROGRAM_BINARIES));
    }
    yoke_device_release(device);
    return wrong != 0;
}
