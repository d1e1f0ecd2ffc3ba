/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of every kind: null pointers, shared memory in any place, large structs, views that are for reading only, as many as
 * there can be; and what is known of a kernel's parameters and of the kernel itself.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, BIG = 1020, TEXT_SIZE = 64 << 10 };

typedef struct big {
    int32_t a[BIG];
} big;

typedef struct pair {
    int32_t a, b;
} pair;

/* In OpenCL each piece of shared memory is a parameter; in CUDA all of it is one array.
 * maybe: copies, or fills in where there is nothing to copy. locals, tail: two pieces of shared memory. both: all kinds at once. */
static const char *const kernels_cuda =
    "struct big { int a[1020]; }; struct pair { int a, b; };\n"
    "extern \"C\" __global__ void maybe(int *out, const int *in, int other)\n"
    "{ int i = threadIdx.x; out[i] = in ? in[i] : other; }\n"
    "extern \"C\" __global__ void locals(int *out, int k, const int *in) { extern __shared__ int s[]; int i = threadIdx.x;\n"
    "  short *b = (short *)(s + 64); s[i] = in[i] * k; b[i] = i; __syncthreads(); out[i] = s[63 - i] + b[63 - i]; }\n"
    "extern \"C\" __global__ void tail(int *out) { extern __shared__ int s[]; int i = threadIdx.x;\n"
    "  s[i] = 3 * i; s[64 + i] = i * i; __syncthreads(); out[i] = s[63 - i] + s[127 - i]; }\n"
    "extern \"C\" __global__ void large(int *out, big s) { out[0] = s.a[0]; out[1] = s.a[511]; out[2] = s.a[1019]; }\n"
    "extern \"C\" __global__ void unused(int *out, int k) { out[threadIdx.x] = k; }\n"
    "extern \"C\" __global__ void both(int *out, int slot, const int *in, pair p) { extern __shared__ int s[];\n"
    "  s[0] = p.a; s[1] = p.b; out[slot] = (in ? in[slot] : 7) + s[0] - s[1]; }\n"
    "extern \"C\" __global__ void single(int *out, bool yes, char letter, bool no, signed char minus)\n"
    "{ out[0] = yes ? 1 : 2; out[1] = letter; out[2] = no ? 1 : 2; out[3] = minus; }\n";
static const char *const kernels_opencl =
    "struct big { int a[1020]; }; struct pair { int a, b; };\n"
    "__kernel void maybe(__global int *out, __global const int *in, int other)\n"
    "{ int i = get_local_id(0); out[i] = in ? in[i] : other; }\n"
    "__kernel void locals(__global int *out, __local int *s, int k, __local short *b, __global const int *in)\n"
    "{ int i = get_local_id(0); s[i] = in[i] * k; b[i] = i; barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[63 - i] + b[63 - i]; }\n"
    "__kernel void tail(__global int *out, __local int *s, __local int *r) { int i = get_local_id(0);\n"
    "  s[i] = 3 * i; r[i] = i * i; barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[63 - i] + r[63 - i]; }\n"
    "__kernel void large(__global int *out, struct big s) { out[0] = s.a[0]; out[1] = s.a[511]; out[2] = s.a[1019]; }\n"
    "__kernel void unused(__global int *out, __local int *s, int k) { out[get_local_id(0)] = k; }\n"
    "__kernel void both(__global int *out, int slot, __global const int *in, __local int *s, struct pair p)\n"
    "{ s[0] = p.a; s[1] = p.b; out[slot] = (in ? in[slot] : 7) + s[0] - s[1]; }\n"
    "__kernel void single(__global int *out, uchar yes, char letter, uchar no, char minus)\n"
    "{ out[0] = yes ? 1 : 2; out[1] = letter; out[2] = no ? 1 : 2; out[3] = minus; }\n"
    "__kernel __attribute__((reqd_work_group_size(8, 2, 1))) void square(__global int *out)\n"
    "{ out[get_local_id(0) + 8 * get_local_id(1)] = get_local_size(0); }\n"
    "__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void row(__global int *out) { out[get_global_id(0)] = 5; }\n";

static bool is_cuda(suite *t)
{
    return strcmp(t->info.backend, "cuda") == 0;
}

static void null_pointers(suite *t)
{
    int32_t in[THREADS], wanted[THREADS];
    guarded out = { 0 }, data = { 0 };

    NEED(guarded_create(t, sizeof wanted, &out) && guarded_create(t, sizeof in, &data));
    fill_random(in, sizeof in, 5);
    NEED(guarded_write(t, &data, in));
    for (int round = 0; round < 4; round++) { /* by turns, so that nothing is left over from the launch before */
        bool null = round % 2 == 0;
        for (int i = 0; i < THREADS; i++)
            wanted[i] = null ? 40 + round : in[i];
        NEED_OK(yoke_launch(t->stream, suite_kernel(t, "maybe"), YOKE_DIM(1), YOKE_DIM(THREADS), 0,
                            YOKE_ARGS(out.buffer, null ? yoke_arg_null() : yoke_arg_buffer(data.buffer), (int32_t)(40 + round))));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(guarded_check(t, &out, wanted));
    }
out:
    guarded_release(&data);
    guarded_release(&out);
}

static void shared_memory_in_any_place(suite *t)
{
    int32_t in[THREADS], wanted[THREADS];
    const yoke_dim one = YOKE_DIM(1), block = YOKE_DIM(THREADS);
    guarded out = { 0 }, data = { 0 };

    NEED(guarded_create(t, sizeof wanted, &out) && guarded_create(t, sizeof in, &data));
    for (int i = 0; i < THREADS; i++) {
        in[i] = 1000 * i + 1;
        wanted[THREADS - 1 - i] = in[i] * 3 + i;
    }
    NEED(guarded_write(t, &data, in));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "locals"), one, block, 0,
                        YOKE_ARGS(out.buffer, yoke_arg_local(THREADS * 4), (int32_t)3, yoke_arg_local(THREADS * 2), data.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(guarded_check(t, &out, wanted));

    for (int i = 0; i < THREADS; i++)
        wanted[THREADS - 1 - i] = 3 * i + i * i;
    for (int way = 0; way < 2; way++) {
        int32_t nothing[THREADS] = { 0 };
        NEED(guarded_write(t, &out, nothing));
        if (way == 0)
            NEED_OK(yoke_launch(t->stream, suite_kernel(t, "tail"), one, block, 0,
                                YOKE_ARGS(out.buffer, yoke_arg_local(THREADS * 4), yoke_arg_local(THREADS * 4))));
        else
            NEED_OK(yoke_launch(t->stream, suite_kernel(t, "tail"), one, block, THREADS * 4,
                                YOKE_ARGS(out.buffer, yoke_arg_local(THREADS * 4))));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(guarded_check(t, &out, wanted));
    }

    for (int i = 0; i < THREADS; i++)
        wanted[i] = 5;
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "unused"), one, block, 0, YOKE_ARGS(out.buffer, yoke_arg_local(0), (int32_t)5)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(guarded_check(t, &out, wanted));
out:
    guarded_release(&data);
    guarded_release(&out);
}

static yoke_status launch_large(suite *t, const guarded *out, const void *bytes, size_t size)
{
    return yoke_launch(t->stream, suite_kernel(t, "large"), YOKE_DIM(1), YOKE_DIM(1), 0,
                       YOKE_ARGS(out->buffer, yoke_arg_struct(bytes, size)));
}

/* What has fitted once is not checked in full again. */
static void large_structs(suite *t)
{
    big *s = memory_new(sizeof *s);
    int32_t wanted[3];
    guarded out = { 0 };

    NEED(guarded_create(t, sizeof wanted, &out));
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < BIG; i++)
            s->a[i] = 7 * i + 3 + turn;
        wanted[0] = s->a[0];
        wanted[1] = s->a[511];
        wanted[2] = s->a[1019];
        yoke_status status = launch_large(t, &out, s, sizeof *s);
        if (status == YOKE_E_UNSUPPORTED && CHECK(strstr(yoke_error()->text, "bytes of arguments; the device takes"))) {
            suite_skip("%s", yoke_error()->text);
            goto out;
        }
        NEED_OK(status);
        memset(s, 0, sizeof *s);
        NEED_OK(yoke_stream_wait(t->stream));
        guarded_check(t, &out, wanted);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "'large'|NULL", launch_large(t, &out, NULL, sizeof *s));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "'large'|0 bytes", launch_large(t, &out, s, 0));
        if (is_cuda(t)) /* whose driver tells the size */
            CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "4080 bytes wide|4076", launch_large(t, &out, s, sizeof *s - 4));
    }
out:
    guarded_release(&out);
    memory_free(s);
}

static void as_many_as_there_can_be(suite *t)
{
    enum { MOST = YOKE_MAX_ARGS, TOO_MANY = 200 };
    char *text = memory_new(TEXT_SIZE);
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    yoke_arg args[MOST];
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    int32_t wanted = 0;
    size_t at = 0;
    guarded out = { 0 };

    for (int count = MOST; count <= TOO_MANY; count += TOO_MANY - MOST) {
        at += (size_t)snprintf(text + at, TEXT_SIZE - at, "%s f%d(%sint *o",
                               is_cuda(t) ? "extern \"C\" __global__ void" : "__kernel void", count, is_cuda(t) ? "" : "__global ");
        for (int i = 1; i < count; i++)
            at += (size_t)snprintf(text + at, TEXT_SIZE - at, ", int p%d", i);
        at += (size_t)snprintf(text + at, TEXT_SIZE - at, ")\n{ o[0] = 0");
        for (int i = 1; i < count; i++)
            at += (size_t)snprintf(text + at, TEXT_SIZE - at, " + p%d", i);
        at += (size_t)snprintf(text + at, TEXT_SIZE - at, "; }\n");
    }
    source.cuda = source.opencl = text;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    if (suite_can(t, YOKE_CAP_SIGNATURE))
        CHECK_FAILS(YOKE_E_UNSUPPORTED, "f200|128|struct", yoke_kernel_get(program, "f200", &kernel));
    NEED_OK(yoke_kernel_get(program, "f128", &kernel));
    NEED_OK(yoke_kernel_get_info(kernel, &info));
    CHECK(info.parameters == (suite_can(t, YOKE_CAP_SIGNATURE) ? MOST : -1));
    NEED(guarded_create(t, sizeof wanted, &out));
    args[0] = YOKE_ARG(out.buffer);
    for (int i = 1; i < MOST; i++) {
        args[i] = YOKE_ARG((int32_t)(i * i));
        wanted += i * i;
    }
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, args, MOST));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &wanted);
    if (suite_can(t, YOKE_CAP_SIGNATURE)) /* not all of the 128 are listed */
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "f128|128|127| more",
                    yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, args, 127));
out:
    guarded_release(&out);
    yoke_program_release(program);
    memory_free(text);
}

/* ---- Views that are for reading only ---- */

static void const_views(suite *t)
{
    int32_t in[THREADS], got[THREADS];
    const yoke_pitch flat = { 0, 0, 0 };
    const yoke_rect rect = { 8, 1, 1 };
    const yoke_dim one = YOKE_DIM(1), block = YOKE_DIM(THREADS);
    yoke_buffer *view = NULL, *inner = NULL, *none = (yoke_buffer *)&none;
    guarded out = { 0 }, data = { 0 };

    NEED(guarded_create(t, sizeof in, &out) && guarded_create(t, sizeof in, &data));
    fill_random(in, sizeof in, 6);
    NEED(guarded_write(t, &data, in));
    NEED_OK(yoke_buffer_create_const_view(data.buffer, 0, sizeof in, &view));
    NEED_OK(yoke_buffer_create_view(view, 0, sizeof in, &inner));
    for (int round = 0; round < 2; round++) {
        yoke_buffer *v = round ? inner : view;
        memset(got, 0, sizeof got);
        NEED_OK(yoke_launch(t->stream, suite_kernel(t, "maybe"), one, block, 0, YOKE_ARGS(out.buffer, v, (int32_t)0)));
        NEED_OK(yoke_copy(t->stream, out.buffer, 0, v, 0, 4));
        NEED_OK(yoke_read(t->stream, got, v, 0, sizeof got));
        NEED_OK(yoke_stream_wait(t->stream));
        CHECK_BYTES(got, in, sizeof in);
        NEED(guarded_check(t, &out, in));
        if (suite_can(t, YOKE_CAP_SIGNATURE))
            CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "maybe|parameter 1|const view",
                        yoke_launch(t->stream, suite_kernel(t, "maybe"), one, block, 0, YOKE_ARGS(v, data.buffer, (int32_t)0)));
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "yoke_write|const view", yoke_write(t->stream, v, 0, got, 4));
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "yoke_write_sync|const view", yoke_write_sync(t->stream, v, 0, got, 4));
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "yoke_write_rect|const view", yoke_write_rect(t->stream, v, flat, got, flat, rect));
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "yoke_copy|target|const view", yoke_copy(t->stream, v, 0, out.buffer, 0, 4));
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "yoke_copy_rect|target|const view",
                    yoke_copy_rect(t->stream, v, flat, out.buffer, flat, rect));
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "yoke_fill|const view", yoke_fill(t->stream, v, 0, 4, "\1\2\3", 4));
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "yoke_fill_rect|const view", yoke_fill_rect(t->stream, v, flat, rect, "\1\2\3", 4));
    }
    CHECK_FAILS(YOKE_E_RANGE, "offset", yoke_buffer_create_const_view(data.buffer, 1, sizeof in, &none));
    CHECK(none == NULL);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_view", yoke_buffer_create_const_view(data.buffer, 0, 1, NULL));
    CHECK_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &data, in);
    CHECK_OK(yoke_write_sync(t->stream, data.buffer, 0, got, sizeof got)); /* the buffer itself stays as it was */
out:
    yoke_buffer_release(inner);
    yoke_buffer_release(view);
    guarded_release(&data);
    guarded_release(&out);
}

/* ---- What is known ---- */

static void parameters(suite *t)
{
    yoke_kernel *maybe = suite_kernel(t, "maybe");
    yoke_param_info info = YOKE_PARAM_INFO_INIT;
    static const struct {
        int32_t kind, read_only;
        uint32_t bytes;
        const char *name;
    } wanted[] = { { YOKE_PARAM_BUFFER, 0, 8, "out" }, { YOKE_PARAM_BUFFER, 1, 8, "in" }, { YOKE_PARAM_VALUE, -1, 4, "other" } };

    if (!suite_can(t, YOKE_CAP_SIGNATURE)) {
        CHECK_FAILS(YOKE_E_UNSUPPORTED, "maybe", yoke_kernel_get_param(maybe, 0, &info));
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(yoke_kernel_get_param(maybe, i, &info));
        CHECK(info.kind == wanted[i].kind);
        CHECK(info.read_only == wanted[i].read_only);
        CHECK(info.bytes == wanted[i].bytes);
        CHECK_TEXT(info.name, wanted[i].name);
        CHECK_TEXT(info.type, "int");
    }
    if (!is_cuda(t)) {
        CHECK_OK(yoke_kernel_get_param(suite_kernel(t, "locals"), 3, &info));
        CHECK(info.kind == YOKE_PARAM_LOCAL && info.read_only == -1 && info.bytes == 0);
        CHECK_FAILS(YOKE_E_RANGE, "2", yoke_kernel_get_param(suite_kernel(t, "tail"), 2, &info)); /* that is `shared` */
    }
    CHECK_FAILS(YOKE_E_RANGE, "maybe|3", yoke_kernel_get_param(maybe, 3, &info));
    CHECK_FAILS(YOKE_E_RANGE, "maybe", yoke_kernel_get_param(maybe, SIZE_MAX, &info));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_info", yoke_kernel_get_param(maybe, 0, NULL));
    yoke_param_info older;
    memset(&older, 0xEE, sizeof older);
    older.size = offsetof(yoke_param_info, bytes);
    CHECK_OK(yoke_kernel_get_param(maybe, 1, &older));
    CHECK(older.size == offsetof(yoke_param_info, bytes) && older.read_only == 1 && older.bytes == 0xEEEEEEEE);
    older.size = 0;
    CHECK_OK(yoke_kernel_get_param(maybe, 1, &older));
    CHECK(older.size == 0 && older.bytes != 0xEEEEEEEE && older.scalar_bytes != 0xEEEEEEEE);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "kernel", yoke_kernel_get_param(NULL, 0, &info));
}

/* What the types of parameters say of the numbers in them. */
static void scalars(suite *t)
{
    static const struct {
        int32_t scalar;
        uint32_t bytes;
    } wanted[] = { { YOKE_SCALAR_FLOATING, 4 }, { YOKE_SCALAR_UNKNOWN, 0 },  { YOKE_SCALAR_UNSIGNED, 1 },
                   { YOKE_SCALAR_SIGNED, 2 },   { YOKE_SCALAR_UNSIGNED, 4 }, { YOKE_SCALAR_SIGNED, 8 },
                   { YOKE_SCALAR_FLOATING, 4 }, { YOKE_SCALAR_UNKNOWN, 0 },  { YOKE_SCALAR_UNKNOWN, 0 } };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;

    source.cuda = "struct pair { int a, b; };\n"
                  "extern \"C\" __global__ void f(const float *a, float4 *b, unsigned char *c, short d, unsigned int e,\n"
                  "                             long long f, float g, float2 h, pair *i) { a; }\n";
    source.opencl = "struct pair { int a, b; };\n"
                    "__kernel void f(__global const float *a, __global float4 *b, __global uchar *c, short d, unsigned int e,\n"
                    "                long f, float g, float2 h, __global struct pair *i) { }\n";
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "f", &kernel));
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && suite_can(t, YOKE_CAP_SIGNATURE); i++) {
        yoke_param_info info = YOKE_PARAM_INFO_INIT;
        CHECK_OK(yoke_kernel_get_param(kernel, i, &info));
        if (!CHECK(info.scalar == wanted[i].scalar && info.scalar_bytes == wanted[i].bytes))
            tap_diag("'%s %s': %d of %u bytes", info.type, info.name, (int)info.scalar, (unsigned)info.scalar_bytes);
        CHECK(info.kind == (strchr(info.type, '*') ? YOKE_PARAM_BUFFER : YOKE_PARAM_VALUE));
    }
out:
    yoke_program_release(program);
}

/* A bool of CUDA's, which OpenCL C has not as a parameter, and char are a byte each, whatever the byte is on either side. */
static void single_bytes(suite *t)
{
    static const int32_t wanted[4] = { 1, 'x', 2, -3 };
    bool yes = t->device, no = !yes;
    char letter = 'x';
    signed char minus = -3;
    yoke_kernel *single = suite_kernel(t, "single");
    guarded out = { 0 };

    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_launch(t->stream, single, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer, yes, letter, no, minus)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
    if (suite_can(t, YOKE_CAP_SIGNATURE)) {
        bool is_cuda = yoke_device_get_language(t->device) == YOKE_LANGUAGE_CUDA;
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, is_cuda ? "single|1 byte wide|write (bool)x" : "single|1 byte wide|write (int8_t)x",
                    yoke_launch(t->stream, single, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer, 1, letter, no, minus)));
        CHECK_OK(yoke_stream_wait(t->stream));
    }
out:
    guarded_release(&out);
}

static void resources(suite *t)
{
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;

    CHECK_OK(yoke_kernel_get_info(suite_kernel(t, "maybe"), &info));
    CHECK(info.automatic_block > 0 && info.automatic_block <= info.max_block_threads);
    CHECK(is_cuda(t) ? info.registers > 0 && info.local_bytes >= 0 && info.constant_bytes >= 0 : info.registers == -1);
    CHECK(info.local_bytes >= -1 && info.constant_bytes >= -1);
    CHECK(info.required_block[0] == 0 && info.required_block[1] == 0 && info.required_block[2] == 0);
    if (is_cuda(t))
        CHECK(info.automatic_block <= 256 && info.automatic_block % info.preferred_multiple == 0);
}

static void required_blocks(suite *t)
{
    int32_t wanted[16];
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    guarded out = { 0 };

    if (is_cuda(t)) {
        suite_skip("CUDA's driver does not tell of required blocks");
        return;
    }
    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_kernel_get_info(suite_kernel(t, "square"), &info));
    CHECK(info.required_block[0] == 8 && info.required_block[1] == 2 && info.required_block[2] == 1);
    for (int i = 0; i < 16; i++)
        wanted[i] = 8;
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "square"), YOKE_DIM(1), YOKE_DIM(8, 2), 0, YOKE_ARGS(out.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(guarded_check(t, &out, wanted));
    CHECK_FAILS(YOKE_E_RANGE, "square|16 x 1 x 1|8 x 2 x 1",
                yoke_launch(t->stream, suite_kernel(t, "square"), YOKE_DIM(1), YOKE_DIM(16), 0, YOKE_ARGS(out.buffer)));
    CHECK_FAILS(YOKE_E_RANGE, "square|4 x 2 x 1|8 x 2 x 1",
                yoke_launch(t->stream, suite_kernel(t, "square"), YOKE_DIM(2), YOKE_DIM(4, 2), 0, YOKE_ARGS(out.buffer)));
    CHECK_FAILS(YOKE_E_RANGE, "square|8 x 2 x 1", yoke_launch_n(t->stream, suite_kernel(t, "square"), 16, YOKE_ARGS(out.buffer)));
    for (int i = 0; i < 16; i++)
        wanted[i] = 5;
    NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, "row"), 16, YOKE_ARGS(out.buffer)));
    CHECK_FAILS(YOKE_E_RANGE, "row|16 x 1 x 1",
                yoke_launch(t->stream, suite_kernel(t, "row"), YOKE_DIM(2), YOKE_DIM(8), 0, YOKE_ARGS(out.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
out:
    guarded_release(&out);
}

/* ---- Names ---- */

static void many_kernels(suite *t)
{
    enum { KERNELS = 200 };
    char *text = memory_new(TEXT_SIZE);
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    size_t at = 0;

    for (int i = 0; i < KERNELS; i++)
        at += (size_t)snprintf(text + at, TEXT_SIZE - at, "%s kernel_%d(%sint *x) { x[0] = %d; }\n",
                               is_cuda(t) ? "extern \"C\" __global__ void" : "__kernel void", i, is_cuda(t) ? "" : "__global ", i);
    at += (size_t)snprintf(text + at, TEXT_SIZE - at, "%s the_very_last(%sint *x) { x[0] = 1; }\n",
                           is_cuda(t) ? "extern \"C\" __global__ void" : "__kernel void", is_cuda(t) ? "" : "__global ");
    source.cuda = source.opencl = text;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK_OK(yoke_kernel_get(program, "kernel_199", &kernel));
    CHECK_FAILS(YOKE_E_NOT_FOUND, "the_very_list|the program has |kernel_| more|did you mean 'the_very_last'",
                yoke_kernel_get(program, "the_very_list", &kernel));
out:
    yoke_program_release(program);
    memory_free(text);
}

/* ---- Several threads ---- */

enum { LAUNCHERS = 8, LAUNCHES = 100 };

typedef struct launcher {
    suite *t;
    yoke_buffer *data;
    guarded out;
    int32_t number, wanted[LAUNCHES];
} launcher;

/* In a stream of its own, with every kind of argument, and others each time. */
static void *launch_in_thread(void *user)
{
    launcher *l = user;
    yoke_stream *stream = NULL;
    yoke_kernel *both = suite_kernel(l->t, "both");

    NEED_OK(yoke_stream_create(l->t->device, NULL, &stream));
    for (int32_t i = 0; i < LAUNCHES; i++) {
        pair p = { 1000 * l->number + i, l->number };
        yoke_arg in = i % 3 ? yoke_arg_buffer(l->data) : yoke_arg_null();
        l->wanted[i] = (i % 3 ? 5 * i : 7) + p.a - p.b;
        NEED_OK(
            yoke_launch(stream, both, YOKE_DIM(1), YOKE_DIM(1), 0,
                        YOKE_ARGS(l->out.buffer, i, in, yoke_arg_local((size_t)(8 + 4 * (i % 5))), yoke_arg_struct(&p, sizeof p))));
        memset(&p, 0xEE, sizeof p);
    }
    CHECK_OK(yoke_stream_wait(stream));
out:
    yoke_stream_release(stream);
    return NULL;
}

static void one_kernel_from_many_threads(suite *t)
{
    static launcher all[LAUNCHERS];
    pthread_t threads[LAUNCHERS];
    int32_t in[LAUNCHES];
    guarded data = { 0 };

    memset(all, 0, sizeof all);
    for (int32_t i = 0; i < LAUNCHES; i++)
        in[i] = 5 * i;
    NEED(guarded_create(t, sizeof in, &data) && guarded_write(t, &data, in));
    for (int i = 0; i < LAUNCHERS; i++) {
        all[i].t = t;
        all[i].number = i;
        all[i].data = data.buffer;
        NEED(guarded_create(t, sizeof all[i].wanted, &all[i].out));
    }
    for (int i = 0; i < LAUNCHERS; i++)
        CHECK(pthread_create(&threads[i], NULL, launch_in_thread, &all[i]) == 0);
    for (int i = 0; i < LAUNCHERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < LAUNCHERS; i++)
        guarded_check(t, &all[i].out, all[i].wanted);
    guarded_check(t, &data, in);
out:
    for (int i = 0; i < LAUNCHERS; i++)
        guarded_release(&all[i].out);
    guarded_release(&data);
}

int main(void)
{
    static const suite_case cases[] = {
        { "null pointers", null_pointers, false },
        { "shared memory in any place", shared_memory_in_any_place, false },
        { "large structs", large_structs, false },
        { "as many as there can be", as_many_as_there_can_be, false },
        { "bool and char are a byte", single_bytes, false },
        { "views that are for reading only", const_views, false },
        { "parameters are described", parameters, false },
        { "and the numbers in them", scalars, false },
        { "a kernel's resources are described", resources, false },
        { "blocks that the source requires", required_blocks, false },
        { "names of many kernels", many_kernels, false },
        { "one kernel from many threads", one_kernel_from_many_threads, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "arguments test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
