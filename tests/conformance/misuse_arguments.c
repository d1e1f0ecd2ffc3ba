/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of every kind in places where they do not belong, too large, too small, or made of nonsense: each is an error that
 * names the kernel and the parameter, nothing runs, and no array of the host's is touched.
 */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static const char *const kernels_cuda =
    "extern \"C\" __global__ void set(const unsigned *in, unsigned *out, unsigned k) { out[0] = in[0] + k; }\n"
    "extern \"C\" __global__ void tail(unsigned *out, unsigned k) { extern __shared__ unsigned s[]; s[0] = k; out[0] = s[0]; }\n"
    "extern \"C\" __global__ void kinds(float *x, float f, int i, short s, char c, unsigned char u) { x[0] = f + i + s + c + u; "
    "}\n";
static const char *const kernels_opencl =
    "__kernel void set(__global const uint *in, __global uint *out, uint k) { out[0] = in[0] + k; }\n"
    "__kernel void tail(__global uint *out, __local uint *r, uint k, __local uint *s) { r[0] = s[0] = k; out[0] = s[0]; }\n"
    "__kernel void kinds(__global float *x, float f, int i, short s, char c, uchar u) { x[0] = f + i + s + c + u; }\n";

#define DOES_NOT_FIT(words, call) CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, words, call)
#define OUT_OF_RANGE(words, call) CHECK_FAILS(YOKE_E_RANGE, words, call)
#define SET(a, b, c) yoke_launch(t->stream, suite_kernel(t, "set"), one, one, 0, YOKE_ARGS(a, b, c))
#define TAIL(shared, ...) yoke_launch(t->stream, suite_kernel(t, "tail"), one, one, shared, YOKE_ARGS(__VA_ARGS__))

static bool is_cuda(suite *t)
{
    return strcmp(t->info.backend, "cuda") == 0;
}

static bool make_target(suite *t, guarded *x)
{
    uint32_t value = 42;

    return guarded_create(t, 4, x) && guarded_write(t, x, &value);
}

static void untouched(suite *t, const guarded *x)
{
    uint32_t value = 42;

    CHECK_OK(yoke_stream_wait(t->stream));
    guarded_check(t, x, &value);
    suite_works(t);
}

static void nonsense(suite *t)
{
    const yoke_dim one = YOKE_DIM(1);
    yoke_kernel *set = suite_kernel(t, "set"), *tail = suite_kernel(t, "tail");
    char *large = memory_new(40000);
    yoke_arg args[3], wild[YOKE_MAX_ARGS];
    guarded x = { 0 };

    NEED(make_target(t, &x));
    args[0] = args[1] = YOKE_ARG(x.buffer);
    for (uint32_t kind = 0; kind < 600; kind++) { /* those that are none, and real ones with more beside them */
        bool real = (kind >= YOKE_ARG_BUFFER && kind <= YOKE_ARG_INOUT) || kind == YOKE_ARG_IMAGE || kind == YOKE_ARG_SURFACE;
        if (real || (kind & (YOKE_ARG_CUDA_ONLY | YOKE_ARG_OPENCL_ONLY))) /* which may be dropped */
            continue;
        args[2] = YOKE_ARG(1u);
        args[2].kind = kind;
        yoke_status status = yoke_launch(t->stream, set, one, one, 0, args, 3);
        if (!CHECK(status == YOKE_E_INVALID_ARGUMENT || status == YOKE_E_KERNEL_ARGUMENT || status == YOKE_E_RANGE))
            break;
        CHECK_TEXT(yoke_error()->text, "parameter 3");
    }
    memset(wild, 0xFF, sizeof wild);
    CHECK(yoke_launch(t->stream, set, one, one, 0, wild, 3) < 0);
    CHECK(yoke_launch(t->stream, tail, one, one, 0, wild, YOKE_MAX_ARGS) < 0);
    CHECK_REFUSED("128", yoke_launch(t->stream, set, one, one, 0, wild, SIZE_MAX));
    CHECK(yoke_launch(t->stream, tail, one, one, 0, wild, SIZE_MAX) < 0);
    CHECK_REFUSED("128", yoke_launch(t->stream, tail, one, one, 4, wild, SIZE_MAX));
    memset(wild, 0, sizeof wild);
    CHECK(yoke_launch(t->stream, set, one, one, 0, wild, 3) < 0);
    CHECK_REFUSED("args is NULL", yoke_launch(t->stream, set, one, one, 0, NULL, 3));
    DOES_NOT_FIT("set|parameter 3|40000|32764", SET(x.buffer, x.buffer, yoke_arg_struct(large, 40000)));
    untouched(t, &x);
out:
    guarded_release(&x);
    memory_free(large);
}

static void kinds_that_do_not_fit(suite *t)
{
    const yoke_dim one = YOKE_DIM(1);
    uint32_t array[4] = { 1, 2, 3, 4 };
    guarded x = { 0 };

    if (!suite_can(t, YOKE_CAP_SIGNATURE)) {
        suite_skip("the driver tells no signature: %s", yoke_device_lacks(t->device, YOKE_CAP_SIGNATURE));
        return;
    }
    NEED(make_target(t, &x));
    DOES_NOT_FIT("set|parameter 3 'k'|null pointer", SET(x.buffer, x.buffer, yoke_arg_null()));
    DOES_NOT_FIT("set|parameter 3 'k'|host array", SET(x.buffer, x.buffer, yoke_in(array, sizeof array)));
    DOES_NOT_FIT("set|parameter 2 'out'|a buffer|an integer", SET(x.buffer, (uint64_t)1, 1u));
    DOES_NOT_FIT("set|parameter 1 'in'|only reads", SET(yoke_out(array, sizeof array), x.buffer, 1u));
    DOES_NOT_FIT("set|3 arguments, 2 were passed: |, |in|out|k",
                 yoke_launch(t->stream, suite_kernel(t, "set"), one, one, 0, YOKE_ARGS(x.buffer, 1u)));
    if (is_cuda(t)) {
        DOES_NOT_FIT("set|3 arguments, 2", SET(x.buffer, yoke_arg_local(4), 1u));
    } else {
        DOES_NOT_FIT("set|parameter 3|shared memory", SET(x.buffer, x.buffer, yoke_arg_local(4)));
        DOES_NOT_FIT("tail|parameter 2 'r'|yoke_arg_local|an integer", TAIL(4, x.buffer, 1u, 1u));
        DOES_NOT_FIT("tail|parameter 2 'r'|yoke_arg_local|buffer", TAIL(4, x.buffer, x.buffer, 1u));
        DOES_NOT_FIT("tail|parameter 2 'r'|yoke_arg_local|null pointer", TAIL(4, x.buffer, yoke_arg_null(), 1u));
        DOES_NOT_FIT("tail|last parameter|shared_bytes is 0", TAIL(0, x.buffer, yoke_arg_local(4), 1u));
        DOES_NOT_FIT("tail|passed twice", TAIL(4, x.buffer, yoke_arg_local(4), 1u, yoke_arg_local(4)));
        DOES_NOT_FIT("tail|3 arguments, 4", TAIL(0, x.buffer, yoke_arg_local(4), 1u, 2u));
    }
    untouched(t, &x);
out:
    guarded_release(&x);
}

/* An integer for a floating-point parameter, and the reverse, are bits that mean something else. */
static void values_of_another_kind(suite *t)
{
    const yoke_dim one = YOKE_DIM(1);
    float result = 0;
    yoke_kernel *kinds = suite_kernel(t, "kinds");
    yoke_buffer *x = NULL;
    int32_t bits = 0x40000000; /* 2.0f */
    const yoke_half half = yoke_half_from(1);
    const yoke_bfloat16 bfloat16 = yoke_bfloat16_from(1);

    if (!suite_can(t, YOKE_CAP_SIGNATURE)) {
        suite_skip("the driver tells no signature: %s", yoke_device_lacks(t->device, YOKE_CAP_SIGNATURE));
        return;
    }
    NEED_OK(yoke_buffer_create(t->device, sizeof result, &x));
#define KINDS(...) yoke_launch(t->stream, kinds, one, one, 0, YOKE_ARGS(x, __VA_ARGS__))
    NEED_OK(KINDS(2.0f, 1, (short)1, (char)1, (unsigned char)1));
    DOES_NOT_FIT("kinds|parameter 2 'f' (float)|floating-point|an integer of 4 bytes|2.0f", KINDS(2, 1, (short)1, (char)1, 'a'));
    DOES_NOT_FIT("kinds|parameter 2 'f' (float)|an integer of 4 bytes|2.0f", KINDS(2u, 1, (short)1, (char)1, 'a'));
    DOES_NOT_FIT("kinds|parameter 2 'f' (float)|8 bytes|2.0f", KINDS(2.0, 1, (short)1, (char)1, 'a'));
    DOES_NOT_FIT("kinds|parameter 2 'f' (float)|an integer of 8 bytes|2.0f", KINDS((int64_t)2, 1, (short)1, (char)1, 'a'));
    DOES_NOT_FIT("kinds|parameter 2 'f' (float)|2 bytes|2.0f", KINDS(half, 1, (short)1, (char)1, 'a'));
    DOES_NOT_FIT("kinds|parameter 3 'i' (int)|an integer of 4 bytes|a floating-point value of 4 bytes|(int)x",
                 KINDS(2.0f, 1.0f, (short)1, (char)1, 'a'));
    DOES_NOT_FIT("kinds|parameter 3 'i' (int)|a floating-point value of 8 bytes|(int)x", KINDS(2.0f, 1.0, (short)1, (char)1, 'a'));
    DOES_NOT_FIT("kinds|parameter 4 's' (short)|a floating-point value of 2 bytes|(int16_t)x", KINDS(2.0f, 1, half, (char)1, 'a'));
    DOES_NOT_FIT("kinds|parameter 4 's' (short)|a floating-point value of 2 bytes", KINDS(2.0f, 1, bfloat16, (char)1, 'a'));
    DOES_NOT_FIT("kinds|parameter 5 'c' (char)|(int8_t)x", KINDS(2.0f, 1, (short)1, 1.0f, (char)'a'));
    NEED_OK(KINDS(yoke_arg_struct(&bits, sizeof bits), 1, (unsigned short)1, (signed char)1, (char)1)); /* bytes are bytes */
#undef KINDS
    NEED_OK(yoke_read_sync(t->stream, &result, x, 0, sizeof result));
    CHECK(result == 6);
out:
    yoke_buffer_release(x);
}

static void amounts(suite *t)
{
    const yoke_dim one = YOKE_DIM(1);
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    uint32_t array[4] = { 1, 2, 3, 4 };
    guarded x = { 0 };

    NEED(make_target(t, &x));
    NEED_OK(yoke_kernel_get_info(suite_kernel(t, "tail"), &info));
    size_t most = info.max_dynamic_shared_bytes;
    OUT_OF_RANGE("tail|shared", TAIL(4, x.buffer, yoke_arg_local(most), 1u));
    OUT_OF_RANGE("tail|shared", TAIL(0, x.buffer, yoke_arg_local(most), 1u, yoke_arg_local(1)));
    OUT_OF_RANGE("tail|shared", TAIL(0, x.buffer, yoke_arg_local(SIZE_MAX), 1u, yoke_arg_local(SIZE_MAX)));
    OUT_OF_RANGE("tail|shared", TAIL(0, x.buffer, yoke_arg_local(SIZE_MAX), 1u, yoke_arg_local(9)));
    CHECK_REFUSED("set|parameter 1|NULL", SET(yoke_in(NULL, 4), x.buffer, 1u));
    CHECK_REFUSED("set|parameter 1|0 bytes", SET(yoke_in(array, 0), x.buffer, 1u));
    CHECK_REFUSED("set|parameter 2|NULL", SET(yoke_in(array, sizeof array), yoke_out(NULL, 4), 1u));
    CHECK_REFUSED("set|parameter 2|0 bytes", SET(yoke_in(array, sizeof array), yoke_inout(array, 0), 1u));
    if (t->info.max_buffer < SIZE_MAX) {
        OUT_OF_RANGE("set|parameter 1|largest", SET(yoke_in(array, t->info.max_buffer + 1), x.buffer, 1u));
        OUT_OF_RANGE("set|parameter 2|largest", SET(x.buffer, yoke_out(array, (size_t)t->info.max_buffer + 1), 1u));
    }
    CHECK(array[0] == 1 && array[3] == 4);
    untouched(t, &x);
out:
    guarded_release(&x);
}

/* All arguments are looked at before any array is: a fault of the last one is found in time. */
static void arrays_beside_faults(suite *t)
{
    const yoke_dim one = YOKE_DIM(1), none = { 0, 1, 1 };
    uint32_t array[4] = { 1, 2, 3, 4 }, before[4];
    yoke_memory_info first = YOKE_MEMORY_INFO_INIT, last = YOKE_MEMORY_INFO_INIT;
    yoke_kernel *set = suite_kernel(t, "set");
    guarded x = { 0 };

    NEED(make_target(t, &x));
    memcpy(before, array, sizeof array);
    CHECK_OK(yoke_device_get_memory(t->device, &first));
    yoke_arg in = yoke_in(array, sizeof array), out = yoke_out(array, sizeof array);
    CHECK_REFUSED("grid", yoke_launch(t->stream, set, none, one, 0, YOKE_ARGS(in, out, 1u)));
    OUT_OF_RANGE("shared", yoke_launch(t->stream, set, one, one, SIZE_MAX, YOKE_ARGS(in, out, 1u)));
    CHECK_REFUSED("parameter 3|NULL", SET(in, out, yoke_arg_struct(NULL, 4)));
    CHECK_REFUSED("n is 0", yoke_launch_n(t->stream, set, 0, YOKE_ARGS(in, out, 1u)));
    if (suite_can(t, YOKE_CAP_SIGNATURE)) {
        DOES_NOT_FIT("parameter 3|8|4", SET(in, out, 1.0));
        DOES_NOT_FIT("set|3|4", yoke_launch_n(t->stream, set, 1, YOKE_ARGS(in, out, 1u, 1u)));
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(array, before, sizeof array);
    CHECK_OK(yoke_device_get_memory(t->device, &last));
    CHECK(first.buffers == last.buffers);
    untouched(t, &x);
out:
    guarded_release(&x);
}

int main(void)
{
    static const suite_case cases[] = {
        { "arguments of nonsense", nonsense, false },
        { "kinds that do not fit", kinds_that_do_not_fit, false },
        { "values of another kind", values_of_another_kind, false },
        { "too much and too little", amounts, false },
        { "arrays beside faults", arrays_beside_faults, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "arguments misuse test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
