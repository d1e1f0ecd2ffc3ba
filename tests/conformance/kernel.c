/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels: looked up by name, described, and their arguments: each kind and width arrives as it was given, and what does not fit is
 * refused before the driver sees it.
 */
#include "suite.h"
#include "stand.h"

#include <stdlib.h>
#include <string.h>

/* A struct with members of several widths and a hole, laid out the same by every compiler. Without padding at its end, which Mesa
 * 22.3 does not count as part of a struct argument. */
typedef struct mixed {
    int8_t small;
    int32_t middle;
    int64_t wide;
    float real;
    int16_t row[2];
} mixed;

static const char *const kernels_cuda =
    "struct mixed { signed char small; int middle; long long wide; float real; short row[2]; };\n"
    "extern \"C\" __global__ void scalars(signed char *i8, unsigned char *u8, short *i16, unsigned short *u16, int *i32,\n"
    "  unsigned *u32, long long *i64, unsigned long long *u64, float *f32, signed char a, unsigned char b, short c,\n"
    "  unsigned short d, int e, unsigned f, long long g, unsigned long long h, float i)\n"
    "{ *i8 = a; *u8 = b; *i16 = c; *u16 = d; *i32 = e; *u32 = f; *i64 = g; *u64 = h; *f32 = i; }\n"
    "extern \"C\" __global__ void structs(mixed *out, int before, mixed m, int behind)\n"
    "{ out[0] = m; out[1].small = (signed char)before; out[1].middle = behind; out[1].wide = m.wide + 1;\n"
    "  out[1].real = m.real * 2; for (int i = 0; i < 2; i++) out[1].row[i] = m.row[1 - i]; }\n"
    "extern \"C\" __global__ void two(int *out, const int *in) { out[0] = in[0]; }\n"
    "extern \"C\" __global__ void shared(int *out) { __shared__ int s[256]; s[threadIdx.x] = out[threadIdx.x];\n"
    "  __syncthreads(); out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }\n";
static const char *const kernels_opencl =
    "struct mixed { char small; int middle; long wide; float real; short row[2]; };\n"
    "__kernel void scalars(__global char *i8, __global uchar *u8, __global short *i16, __global ushort *u16, __global int *i32,\n"
    "  __global uint *u32, __global long *i64, __global ulong *u64, __global float *f32, char a, uchar b, short c,\n"
    "  ushort d, int e, uint f, long g, ulong h, float i)\n"
    "{ *i8 = a; *u8 = b; *i16 = c; *u16 = d; *i32 = e; *u32 = f; *i64 = g; *u64 = h; *f32 = i; }\n"
    "__kernel void structs(__global struct mixed *out, int before, struct mixed m, int behind)\n"
    "{ out[0] = m; out[1].small = (char)before; out[1].middle = behind; out[1].wide = m.wide + 1;\n"
    "  out[1].real = m.real * 2; for (int i = 0; i < 2; i++) out[1].row[i] = m.row[1 - i]; }\n"
    "__kernel void two(__global int *out, __global const int *in) { out[0] = in[0]; }\n"
    "__kernel void shared(__global int *out) { __local int s[256]; int i = get_local_id(0); s[i] = out[i];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[get_local_size(0) - 1 - i]; }\n";

static void lookup(suite *t)
{
    yoke_kernel *a = NULL, *b = NULL, *none = (yoke_kernel *)&none;

    CHECK_OK(yoke_kernel_get(t->program, "scalars", &a));
    CHECK_OK(yoke_kernel_get(t->program, "scalars", &b));
    CHECK(a == b);
    CHECK_OK(yoke_kernel_get(t->program, "structs", &b));
    CHECK(a != b);
    CHECK_FAILS(YOKE_E_NOT_FOUND, "scalers", yoke_kernel_get(t->program, "scalers", &none));
    CHECK(none == NULL);
    CHECK_TEXT(yoke_error()->text, "scalars");
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "name", yoke_kernel_get(t->program, NULL, &none));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "name", yoke_kernel_get(t->program, "", &none));
    CHECK_FAILS(YOKE_E_NOT_FOUND, "%n%s", yoke_kernel_get(t->program, "%n%s", &none));
    suite_works(t);
}

static void *look_up_in_thread(void *user)
{
    suite *t = user;
    static const char *const names[] = { "scalars", "structs", "two", "shared" };
    yoke_kernel *kernel, *again;

    for (int i = 0; i < 200; i++) {
        CHECK_OK(yoke_kernel_get(t->program, names[i % 4], &kernel));
        CHECK_OK(yoke_kernel_get(t->program, names[i % 4], &again));
        CHECK(kernel == again);
    }
    return NULL;
}

static void lookup_in_several_threads(suite *t)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, look_up_in_thread, t) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void description(suite *t)
{
    static const struct {
        const char *name;
        int32_t parameters;
        uint64_t least_shared, most_shared;
    } expected[] = { { "scalars", 18, 0, 0 }, { "structs", 4, 0, 0 }, { "two", 2, 0, 0 }, { "shared", 1, 1024, 2048 } };
    bool signature = suite_can(t, YOKE_CAP_SIGNATURE);

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        yoke_kernel *kernel = suite_kernel(t, expected[i].name);
        yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;

        CHECK_OK(yoke_kernel_get_info(kernel, &info));
        CHECK(yoke_kernel_get_program(kernel) == t->program && yoke_program_get_device(t->program) == t->device);
        CHECK(info.parameters == (signature ? expected[i].parameters : -1));
        CHECK(info.max_block_threads > 0 && info.max_block_threads <= t->info.max_block_threads);
        CHECK(info.preferred_multiple > 0);
        CHECK(info.static_shared_bytes >= expected[i].least_shared || info.static_shared_bytes == 0); /* PoCL 5.0 does not tell */
        CHECK(info.max_dynamic_shared_bytes <= t->info.max_shared_bytes);
        CHECK(info.static_shared_bytes + info.max_dynamic_shared_bytes <= t->info.max_shared_bytes);
        CHECK(info.max_dynamic_shared_bytes + expected[i].most_shared + 1024 >= t->info.max_shared_bytes / 8);
    }
    yoke_kernel_info older;
    memset(&older, 0xEE, sizeof older);
    older.size = offsetof(yoke_kernel_info, max_block_threads);
    CHECK(strcmp(yoke_kernel_get_name(suite_kernel(t, "two")), "two") == 0);
    CHECK_OK(yoke_kernel_get_info(suite_kernel(t, "two"), &older));
    CHECK(older.parameters == (signature ? 2 : -1));
    CHECK(older.max_block_threads == 0xEEEEEEEE && older.max_dynamic_shared_bytes == 0xEEEEEEEEEEEEEEEE);
    older.size = 0;
    CHECK_OK(yoke_kernel_get_info(suite_kernel(t, "two"), &older));
    CHECK(older.size == 0 && older.max_block_threads != 0xEEEEEEEE && older.required_block[2] == 0);
}

/* The widest and the most negative of each, so that a lost byte or sign shows. */
static void every_scalar(suite *t)
{
    enum { COUNT = 9 };
    static const size_t sizes[COUNT] = { 1, 1, 2, 2, 4, 4, 8, 8, 4 };
    int8_t i8 = -100;
    uint8_t u8 = 200;
    int16_t i16 = -30000;
    uint16_t u16 = 60000;
    int32_t i32 = -2000000000;
    uint32_t u32 = 4000000000u;
    int64_t i64 = -8000000000000000001;
    uint64_t u64 = 16000000000000000003u;
    float f32 = -1.5e-30f;
    const void *wanted[COUNT] = { &i8, &u8, &i16, &u16, &i32, &u32, &i64, &u64, &f32 };
    guarded out[COUNT] = { { 0 } };

    for (int i = 0; i < COUNT; i++)
        NEED(guarded_create(t, sizes[i], &out[i]));
    const yoke_arg args[] = {
        YOKE_ARG(out[0].buffer),
        YOKE_ARG(out[1].buffer),
        YOKE_ARG(out[2].buffer),
        YOKE_ARG(out[3].buffer),
        YOKE_ARG(out[4].buffer),
        YOKE_ARG(out[5].buffer),
        YOKE_ARG(out[6].buffer),
        YOKE_ARG(out[7].buffer),
        YOKE_ARG(out[8].buffer),
        YOKE_ARG(i8),
        YOKE_ARG(u8),
        YOKE_ARG(i16),
        YOKE_ARG(u16),
        YOKE_ARG(i32),
        YOKE_ARG(u32),
        YOKE_ARG(i64),
        YOKE_ARG(u64),
        YOKE_ARG(f32),
    };
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "scalars"), YOKE_DIM(1), YOKE_DIM(1), 0, args, 18));
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < COUNT; i++)
        CHECK(guarded_check(t, &out[i], wanted[i]));
out:
    for (int i = 0; i < COUNT; i++)
        guarded_release(&out[i]);
}

static mixed make_mixed(int seed)
{
    mixed m;

    memset(&m, 0, sizeof m);
    m.small = (int8_t)(-5 - seed);
    m.middle = 0x12345678 + seed;
    m.wide = -0x123456789abcdef0 - seed;
    m.real = 0.1f + (float)seed;
    for (int i = 0; i < 2; i++)
        m.row[i] = (int16_t)(-1000 * (i + 1) - seed);
    return m;
}

static bool same_mixed(const mixed *a, const mixed *b)
{
    return CHECK(a->small == b->small) && CHECK(a->middle == b->middle) && CHECK(a->wide == b->wide) && CHECK(a->real == b->real) &&
           CHECK(memcmp(a->row, b->row, sizeof a->row) == 0);
}

/* The struct is read during the call, so it may change right after, in flight or held. */
static void struct_by_value(suite *t)
{
    mixed m = make_mixed(1), wanted[2], got[2];
    guarded out = { 0 };

    wanted[0] = wanted[1] = m;
    wanted[1].small = 77;
    wanted[1].middle = -88;
    wanted[1].wide = m.wide + 1;
    wanted[1].real = m.real * 2;
    for (int i = 0; i < 2; i++)
        wanted[1].row[i] = m.row[1 - i];
    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "structs"), YOKE_DIM(1), YOKE_DIM(1), 0,
                        YOKE_ARGS(out.buffer, (int32_t)77, yoke_arg_struct(&m, sizeof m), (int32_t)-88)));
    memset(&m, 0x7F, sizeof m);
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(guarded_read(t, &out, got));
    CHECK(same_mixed(&got[0], &wanted[0]) && same_mixed(&got[1], &wanted[1]));
    guarded_check(t, &out, got); /* the guards: what is in the hole is nobody's business */
out:
    guarded_release(&out);
}

/* Held launches carry their arguments too: array, struct and buffers are gone when they run. */
static void arguments_of_held_launches(suite *t)
{
    enum { LAUNCHES = 50 };
    guarded out[LAUNCHES] = { { 0 } };
    stand s = STAND_INIT;
    mixed got[2], wanted;

    for (int i = 0; i < LAUNCHES; i++)
        NEED(guarded_create(t, sizeof got, &out[i]));
    CHECK_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    for (int i = 0; i < LAUNCHES; i++) {
        mixed m = make_mixed(i);
        yoke_arg args[] = { YOKE_ARG(out[i].buffer), YOKE_ARG((int32_t)i), yoke_arg_struct(&m, sizeof m), YOKE_ARG((int32_t)-i) };

        CHECK_OK(yoke_launch(t->stream, suite_kernel(t, "structs"), YOKE_DIM(1), YOKE_DIM(1), 0, args, 4));
        memset(args, 0xDD, sizeof args);
        memset(&m, 0xDD, sizeof m);
        yoke_buffer_release(out[i].buffer); /* the launch keeps the view */
        out[i].buffer = NULL;
    }
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < LAUNCHES; i++) {
        NEED(guarded_read(t, &out[i], got));
        wanted = make_mixed(i);
        NEED(same_mixed(&got[0], &wanted));
        NEED(CHECK(got[1].small == i && got[1].middle == -i));
    }
out:
    for (int i = 0; i < LAUNCHES; i++)
        guarded_release(&out[i]);
}

/* A driver's kernel keeps its arguments from one launch to the next: only some of them change here, the struct behind one pointer,
 * and the buffer after the memory of the one before was freed, so that its place is taken by another. */
static void changing_arguments(suite *t)
{
    enum { LAUNCHES = 24 };
    mixed m = make_mixed(0), wanted, got[2];
    guarded out = { 0 };

    for (int i = 0; i < LAUNCHES; i++) {
        int32_t before = i / 2 % 8, behind = i / 3;

        m = make_mixed(i % 4 == 3 ? i : i / 4);
        wanted = m;
        if (i % 5 == 0) {
            guarded_release(&out);
            NEED_OK(yoke_device_trim_memory(t->device, 0));
            NEED(guarded_create(t, sizeof got, &out));
        }
        NEED_OK(yoke_launch(t->stream, suite_kernel(t, "structs"), YOKE_DIM(1), YOKE_DIM(1), 0,
                            YOKE_ARGS(out.buffer, before, yoke_arg_struct(&m, sizeof m), behind)));
        memset(&m, 0x7F, sizeof m);
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(guarded_read(t, &out, got));
        NEED(same_mixed(&got[0], &wanted));
        NEED(CHECK(got[1].small == before && got[1].middle == behind));
    }
out:
    guarded_release(&out);
}

static void no_arguments(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *nothing = NULL;

    /* A program of its own: NVIDIA's OpenCL can tell no signatures of a program with such a kernel. */
    source.cuda = "extern \"C\" __global__ void nothing() { }\n";
    source.opencl = "__kernel void nothing(void) { }\n";
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "nothing", &nothing));

    CHECK_OK(yoke_launch(t->stream, nothing, YOKE_DIM(3), YOKE_DIM(2), 0, YOKE_NO_ARGS));
    CHECK_OK(yoke_launch_n(t->stream, nothing, 1000, YOKE_ARGS()));
    CHECK_OK(yoke_stream_wait(t->stream));
    if (suite_can(t, YOKE_CAP_SIGNATURE))
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "nothing", yoke_launch_n(t->stream, nothing, 1000, YOKE_ARGS((int32_t)1)));
out:
    yoke_program_release(program);
}

static void static_shared_bytes(suite *t)
{
    int32_t data[16], wanted[16];
    guarded x = { 0 };

    for (int i = 0; i < 16; i++)
        data[i] = wanted[15 - i] = i * 1000 + 7;
    NEED(guarded_create(t, sizeof data, &x));
    NEED(guarded_write(t, &x, data));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "shared"), YOKE_DIM(1), YOKE_DIM(16), 0, YOKE_ARGS(x.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, wanted);
out:
    guarded_release(&x);
}

/* Where the driver tells the signature, a launch that does not fit it is refused, by name and with both sizes. */
static void wrong_arguments(suite *t)
{
    yoke_kernel *two = suite_kernel(t, "two"), *structs = suite_kernel(t, "structs");
    mixed m = make_mixed(3);
    guarded x = { 0 };
    int32_t data[6] = { 1, 2, 3, 4, 5, 6 };

    if (!suite_can(t, YOKE_CAP_SIGNATURE)) {
        suite_skip("the driver tells no signature: %s", yoke_device_lacks(t->device, YOKE_CAP_SIGNATURE));
        return;
    }
    NEED(guarded_create(t, sizeof data, &x));
    NEED(guarded_write(t, &x, data));
    yoke_dim one = YOKE_DIM(1);
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "two|1|2", yoke_launch(t->stream, two, one, one, 0, YOKE_ARGS(x.buffer)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "two|3|2",
                yoke_launch(t->stream, two, one, one, 0, YOKE_ARGS(x.buffer, x.buffer, x.buffer)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "two|0|2", yoke_launch(t->stream, two, one, one, 0, YOKE_NO_ARGS));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "two|parameter 2", yoke_launch_n(t->stream, two, 1, YOKE_ARGS(x.buffer, (int32_t)1)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "structs|parameter 2|8|4",
                yoke_launch(t->stream, structs, one, one, 0, YOKE_ARGS(x.buffer, (int64_t)1, yoke_arg_struct(&m, sizeof m), 1)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "structs|parameter 4|2|4",
                yoke_launch(t->stream, structs, one, one, 0, YOKE_ARGS(x.buffer, 1, yoke_arg_struct(&m, sizeof m), (int16_t)1)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "structs|parameter 2",
                yoke_launch(t->stream, structs, one, one, 0, YOKE_ARGS(x.buffer, x.buffer, yoke_arg_struct(&m, sizeof m), 1)));
    CHECK_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, data);
    suite_works(t);
out:
    guarded_release(&x);
}

int main(void)
{
    static const suite_case cases[] = {
        { "looked up by name", lookup, false },
        { "looked up in several threads", lookup_in_several_threads, false },
        { "described", description, false },
        { "every scalar arrives", every_scalar, false },
        { "a struct by value, read during the call", struct_by_value, false },
        { "held launches carry their arguments", arguments_of_held_launches, false },
        { "arguments that change from launch to launch", changing_arguments, false },
        { "no arguments", no_arguments, false },
        { "shared memory of its own", static_shared_bytes, false },
        { "arguments that do not fit are refused", wrong_arguments, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "kernel test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
