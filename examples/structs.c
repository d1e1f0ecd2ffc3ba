/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array of structs, changed by a kernel that calls a device function. The struct is written once, for the host and for both
 * kernel languages, and Yoke checks that all compilers lay it out alike. structs [N]
 *
 * A common mistake: to believe that kernels cannot call device functions, and to compute a struct's padding by hand.
 */
#include "example.h"

#include <yoke/types.h>

/* A char among floats: three bytes of padding, which nobody has to count by hand. */
#define POINT                \
    "struct point {\n"       \
    "    yoke_f32 x, y;\n"   \
    "    yoke_i8 kind;\n"    \
    "    yoke_f32 weight;\n" \
    "};\n"
struct point {
    yoke_f32 x, y;
    yoke_i8 kind;
    yoke_f32 weight;
};

#define MOVE                                          \
    "struct point moved(struct point p)\n"            \
    "{\n"                                             \
    "    p.x *= 2.0f;\n"                              \
    "    p.y += 1.0f;\n"                              \
    "    p.weight = p.kind == 1 ? p.weight : 0.0f;\n" \
    "    return p;\n"                                 \
    "}\n"
#define BODY                                  \
    "    if (i < n)\n"                        \
    "        points[i] = moved(points[i]);\n" \
    "}\n"

static const yoke_source source = {
    .name = "points",
    .cuda =
        "#include <yoke/types.h>\n" POINT "__device__ " MOVE "extern \"C\" __global__ void process(struct point *points, int n)\n"
        "{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" BODY,
    .opencl = "#include <yoke/types.h>\n" POINT MOVE "__kernel void process(__global struct point *points, int n)\n"
              "{\n"
              "    int i = get_global_id(0);\n" BODY,
};

static const yoke_field fields[] = {
    YOKE_FIELD(struct point, x),
    YOKE_FIELD(struct point, y),
    YOKE_FIELD(struct point, kind),
    YOKE_FIELD(struct point, weight),
};

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1, 10007, 1 << 26);
    const size_t size = (size_t)n * sizeof(struct point);
    struct point *points = allocate(size);
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *process;
    int wrong = 0;

    for (int i = 0; i < n; i++)
        points[i] = (struct point){ (float)i, (float)-i, (yoke_i8)(i % 3), 0.5f };
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_struct_check(device, &source, "struct point", sizeof(struct point), fields, sizeof fields / sizeof fields[0]));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "process", &process));
    YOKE_CHECK(yoke_launch_n(stream, process, (size_t)n, YOKE_ARGS(yoke_inout(points, size), n)));
    YOKE_CHECK(yoke_stream_wait(stream));

    for (int i = 0; i < n; i++) {
        const struct point *p = &points[i];
        wrong += p->x != (float)(2 * i) || p->y != (float)(1 - i) || p->kind != i % 3 || p->weight != (i % 3 == 1 ? 0.5f : 0.0f);
    }
    printf("structs: %d structs of %zu bytes, %d wrong\n", n, sizeof(struct point), wrong);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(points);
    return wrong != 0;
}
