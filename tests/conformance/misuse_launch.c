/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bad sources, kernels, launches and arguments: each is an error that says what was given and what is allowed, nothing runs, and
 * the library stays usable.
 */
#include "suite.h"
#include "stand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernels_cuda = SET_CUDA
    "extern \"C\" __global__ void shared(unsigned *x) { extern __shared__ unsigned s[]; s[threadIdx.x] = 1; x[0] = s[0]; }\n";
static const char *const kernels_opencl =
    SET_OPENCL "__kernel void shared(__global uint *x, __local uint *s) { s[get_local_id(0)] = 1; x[0] = s[0]; }\n";

#define OUT_OF_RANGE(words, call) CHECK_FAILS(YOKE_E_RANGE, words, call)

static bool is_cuda(suite *t)
{
    return strcmp(t->info.backend, "cuda") == 0;
}

/* After every refusal: nothing ran, the stream is well. */
static void untouched(suite *t, const guarded *x)
{
    uint32_t value = 42;

    CHECK_OK(yoke_stream_wait(t->stream));
    guarded_check(t, x, &value);
    suite_works(t);
}

static bool make_target(suite *t, guarded *x)
{
    uint32_t value = 42;

    return guarded_create(t, 4, x) && guarded_write(t, x, &value);
}

static void sources(suite *t)
{
    static const char *const empty_defines[] = { "", NULL }, *const no_name[] = { "=3", NULL };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = (yoke_program *)t;

    CHECK_REFUSED(t->info.backend, yoke_program_build(t->device, &source, &program)); /* no text at all */
    CHECK(program == NULL);
    source.cuda = is_cuda(t) ? NULL : kernels_cuda;
    source.opencl = is_cuda(t) ? kernels_opencl : NULL;
    source.name = "half a pair";
    CHECK_REFUSED(t->info.backend, yoke_program_build(t->device, &source, &program));
    source.cuda = source.opencl = "";
    CHECK_REFUSED("empty", yoke_program_build(t->device, &source, &program));
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    source.defines = empty_defines;
    CHECK_REFUSED("define", yoke_program_build(t->device, &source, &program));
    source.defines = no_name;
    CHECK_REFUSED("define|=3", yoke_program_build(t->device, &source, &program));
    source.defines = NULL;
    source.math = 9;
    CHECK_REFUSED("math|9", yoke_program_build(t->device, &source, &program));
    source.math = YOKE_MATH_EXACT;
    source.size = 3;
    CHECK_REFUSED("", yoke_program_build(t->device, &source, &program));
    CHECK(program == NULL);
    suite_works(t);
}

/* Sources that no compiler takes: the log reaches the caller, the record has its first error. */
static void sources_that_do_not_compile(suite *t)
{
    static const char *const texts[] = { "this is not a program\n", "}", "#error stop right here\n" };
    static const char *const words[] = { "error", "error", "stop right here" };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = (yoke_program *)t;

    source.name = "nonsense";
    for (int i = 0; i < 3; i++) {
        source.cuda = source.opencl = texts[i];
        CHECK_FAILS(YOKE_E_BUILD, "nonsense", yoke_program_build(t->device, &source, &program));
        CHECK_TEXT(yoke_error()->text, words[i]);
        CHECK_TEXT(yoke_program_get_build_log(), words[i]);
        CHECK(program == NULL);
    }
    suite_works(t);
}

static void kernels_that_do_not_exist(suite *t)
{
    yoke_kernel *kernel = (yoke_kernel *)t;
    char longest[2000];

    CHECK_FAILS(YOKE_E_NOT_FOUND, "sett|set", yoke_kernel_get(t->program, "sett", &kernel));
    CHECK(kernel == NULL);
    CHECK_FAILS(YOKE_E_NOT_FOUND, "Set", yoke_kernel_get(t->program, "Set", &kernel));
    memset(longest, 'k', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    CHECK_FAILS(YOKE_E_NOT_FOUND, "kkkk", yoke_kernel_get(t->program, longest, &kernel));
    CHECK_REFUSED("name", yoke_kernel_get(t->program, "", &kernel));
    CHECK(kernel == NULL);
    suite_works(t);
}

/* A kernel with a parameter that no launch could give. */
static void kernels_with_image_arrays(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = (yoke_kernel *)t;

    if (is_cuda(t)) {
        suite_skip("arrays of images are OpenCL's");
        return;
    }
    source.opencl = "__kernel void paint(__global int *x, read_only image2d_array_t picture)\n"
                    "{ x[0] = get_image_width(picture); }\n";
    yoke_status status = yoke_program_build(t->device, &source, &program);
    if (status == YOKE_E_BUILD) {
        suite_skip("the driver has no images");
        return;
    }
    CHECK_OK(status);
    if (suite_can(t, YOKE_CAP_SIGNATURE)) {
        CHECK_FAILS(YOKE_E_UNSUPPORTED, "paint|image", yoke_kernel_get(program, "paint", &kernel));
        CHECK(kernel == NULL);
    }
    yoke_program_release(program);
    suite_works(t);
}

/* A driver that loads a program again may not report the parameters of its kernels: the reason stays the same. */
static void refused_again(suite *t)
{
    static char first[sizeof yoke_error()->text], bytes[1 << 20];
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL, *loaded = NULL;
    yoke_kernel *kernel = NULL;
    size_t size;

    if (is_cuda(t) || !suite_can(t, YOKE_CAP_SIGNATURE) || !suite_can(t, YOKE_CAP_PROGRAM_BINARIES)) {
        suite_skip("only OpenCL has such parameters, and only saved programs forget them");
        return;
    }
    source.opencl = "__kernel void other(__global int *x) { x[0] = 1; }\n"
                    "__kernel void line(__global int *x, read_only image1d_array_t picture) { x[0] = get_image_width(picture); }\n";
    if (yoke_program_build(t->device, &source, &program) == YOKE_E_BUILD) {
        suite_skip("the driver has no images");
        return;
    }
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "line|image1d_array_t", yoke_kernel_get(program, "line", &kernel));
    memcpy(first, yoke_error()->text, sizeof first);
    NEED_OK(yoke_program_save(program, bytes, sizeof bytes, &size));
    NEED_OK(yoke_program_load(t->device, "saved", bytes, size, &loaded));
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "line|image1d_array_t", yoke_kernel_get(loaded, "line", &kernel));
    CHECK(strcmp(first, yoke_error()->text) == 0);
    CHECK_OK(yoke_kernel_get(loaded, "other", &kernel));
out:
    yoke_program_release(loaded);
    yoke_program_release(program);
    suite_works(t);
}

static void dimensions(suite *t)
{
    yoke_kernel *set = suite_kernel(t, "set");
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    const yoke_dim one = YOKE_DIM(1);
    guarded x = { 0 };

    NEED(make_target(t, &x));
    NEED_OK(yoke_kernel_get_info(set, &info));
    for (int d = 0; d < 3; d++) {
        yoke_dim zero = { d != 0, d != 1, d != 2 }, huge = one;
        char words[80];

        CHECK_REFUSED("grid|0", yoke_launch(t->stream, set, zero, one, 0, YOKE_ARGS(x.buffer, 1u)));
        CHECK_REFUSED("block|0", yoke_launch(t->stream, set, one, zero, 0, YOKE_ARGS(x.buffer, 1u)));
        if (t->info.max_grid[d] < UINT32_MAX) {
            *(d == 0 ? &huge.x : d == 1 ? &huge.y : &huge.z) = (uint32_t)t->info.max_grid[d] + 1;
            snprintf(words, sizeof words, "grid|%llu", (unsigned long long)t->info.max_grid[d]);
            OUT_OF_RANGE(words, yoke_launch(t->stream, set, huge, one, 0, YOKE_ARGS(x.buffer, 1u)));
        }
        huge = one;
        *(d == 0 ? &huge.x : d == 1 ? &huge.y : &huge.z) = (uint32_t)t->info.max_block[d] + 1;
        OUT_OF_RANGE("block", yoke_launch(t->stream, set, one, huge, 0, YOKE_ARGS(x.buffer, 1u)));
        *(d == 0 ? &huge.x : d == 1 ? &huge.y : &huge.z) = UINT32_MAX;
        OUT_OF_RANGE("block", yoke_launch(t->stream, set, one, huge, 0, YOKE_ARGS(x.buffer, 1u)));
    }
    OUT_OF_RANGE("block", yoke_launch(t->stream, set, one, YOKE_DIM(info.max_block_threads, 2), 0, YOKE_ARGS(x.buffer, 1u)));
    OUT_OF_RANGE("block", yoke_launch(t->stream, set, one, YOKE_DIM(65536, 65536), 0, YOKE_ARGS(x.buffer, 1u)));
    OUT_OF_RANGE("block",
                 yoke_launch(t->stream, set, one, YOKE_DIM(UINT32_MAX, UINT32_MAX, UINT32_MAX), 0, YOKE_ARGS(x.buffer, 1u)));
    CHECK_REFUSED("n is 0", yoke_launch_n(t->stream, set, 0, YOKE_ARGS(x.buffer, 1u)));
    OUT_OF_RANGE("n is", yoke_launch_n(t->stream, set, SIZE_MAX, YOKE_ARGS(x.buffer, 1u)));
    untouched(t, &x);
out:
    guarded_release(&x);
}

static void shared_memory(suite *t)
{
    yoke_kernel *shared = suite_kernel(t, "shared"), *set = suite_kernel(t, "set");
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    const yoke_dim one = YOKE_DIM(1);
    guarded x = { 0 };
    char words[80];

    NEED(make_target(t, &x));
    NEED_OK(yoke_kernel_get_info(shared, &info));
    snprintf(words, sizeof words, "shared|%llu|%llu", (unsigned long long)info.max_dynamic_shared_bytes + 1,
             (unsigned long long)info.max_dynamic_shared_bytes);
    OUT_OF_RANGE(words, yoke_launch(t->stream, shared, one, one, info.max_dynamic_shared_bytes + 1, YOKE_ARGS(x.buffer)));
    OUT_OF_RANGE("shared", yoke_launch(t->stream, shared, one, one, SIZE_MAX, YOKE_ARGS(x.buffer)));
    OUT_OF_RANGE("shared", yoke_launch(t->stream, shared, one, one, SIZE_MAX - 100, YOKE_ARGS(x.buffer)));
    if (!is_cuda(t) && suite_can(t, YOKE_CAP_SIGNATURE)) {
        /* OpenCL's local parameter has no size without `shared`, and nowhere to go where there is none */
        yoke_status status = yoke_launch(t->stream, shared, one, one, 0, YOKE_ARGS(x.buffer));
        CHECK(status == YOKE_E_INVALID_ARGUMENT || status == YOKE_E_RANGE || status == YOKE_E_KERNEL_ARGUMENT);
        CHECK_TEXT(yoke_error()->text, "shared");
        status = yoke_launch(t->stream, set, one, one, 64, YOKE_ARGS(x.buffer, 1u));
        CHECK(status == YOKE_E_INVALID_ARGUMENT || status == YOKE_E_RANGE || status == YOKE_E_KERNEL_ARGUMENT);
        CHECK_TEXT(yoke_error()->text, "shared");
    }
    untouched(t, &x);
out:
    guarded_release(&x);
}

static void arguments(suite *t)
{
    yoke_kernel *set = suite_kernel(t, "set");
    yoke_arg many[YOKE_MAX_ARGS + 1], odd[2];
    yoke_buffer *pinned = NULL;
    const yoke_dim one = YOKE_DIM(1);
    guarded x = { 0 };

    NEED(make_target(t, &x));
    NEED_OK(yoke_buffer_create_pinned(t->device, 64, &pinned));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|parameter 1|pinned", yoke_launch(t->stream, set, one, one, 0, YOKE_ARGS(pinned, 1u)));
    for (int i = 0; i <= YOKE_MAX_ARGS; i++)
        many[i] = YOKE_ARG(1u);
    CHECK_REFUSED("129|128", yoke_launch(t->stream, set, one, one, 0, many, YOKE_MAX_ARGS + 1));
    CHECK_REFUSED("128", yoke_launch(t->stream, set, one, one, 0, many, SIZE_MAX));
    odd[0] = YOKE_ARG(x.buffer);
    odd[1] = YOKE_ARG(1u);
    odd[1].kind = 33;
    CHECK_REFUSED("set|parameter 2|33", yoke_launch(t->stream, set, one, one, 0, odd, 2));
    odd[1] = yoke_arg_struct(NULL, 4);
    CHECK_REFUSED("set|parameter 2|NULL", yoke_launch(t->stream, set, one, one, 0, odd, 2));
    odd[1] = yoke_arg_struct(many, 0);
    CHECK_REFUSED("set|parameter 2", yoke_launch(t->stream, set, one, one, 0, odd, 2));
    odd[1] = YOKE_ARG(1u);
    odd[1].size = 3;
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|parameter 2", yoke_launch(t->stream, set, one, one, 0, odd, 2));
    odd[1].size = 1000;
    CHECK_REFUSED("set|parameter 2|1000", yoke_launch(t->stream, set, one, one, 0, odd, 2));
    untouched(t, &x);
out:
    yoke_buffer_release(pinned);
    guarded_release(&x);
}

/* Wrong in number, width and kind, wherever the driver tells; else the launch is the program's own affair. */
static void arguments_that_do_not_fit(suite *t)
{
    yoke_kernel *set = suite_kernel(t, "set");
    const yoke_dim one = YOKE_DIM(1);
    guarded x = { 0 };

    if (!suite_can(t, YOKE_CAP_SIGNATURE)) {
        suite_skip("the driver tells no signature: %s", yoke_device_lacks(t->device, YOKE_CAP_SIGNATURE));
        return;
    }
    NEED(make_target(t, &x));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|2|0", yoke_launch(t->stream, set, one, one, 0, YOKE_NO_ARGS));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|2|1", yoke_launch(t->stream, set, one, one, 0, YOKE_ARGS(x.buffer)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|2|3", yoke_launch(t->stream, set, one, one, 0, YOKE_ARGS(x.buffer, 1u, 2u)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|parameter 2|4|8", yoke_launch(t->stream, set, one, one, 0, YOKE_ARGS(x.buffer, 1.0)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|parameter 2|4|1",
                yoke_launch(t->stream, set, one, one, 0, YOKE_ARGS(x.buffer, (int8_t)1)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|parameter 1", yoke_launch(t->stream, set, one, one, 0, YOKE_ARGS(1u, 1u)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|parameter 2", yoke_launch(t->stream, set, one, one, 0, YOKE_ARGS(x.buffer, x.buffer)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|parameter 2", yoke_launch_n(t->stream, set, 1, YOKE_ARGS(x.buffer, 1.0)));
    untouched(t, &x);
out:
    guarded_release(&x);
}

static void objects_of_another_device(suite *t)
{
    yoke_device *other = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_kernel *set = suite_kernel(t, "set");
    const yoke_dim one = YOKE_DIM(1);
    guarded x = { 0 };

    NEED(make_target(t, &x));
    NEED_OK(yoke_device_open(t->info.selector, &other)); /* opened twice counts as two */
    NEED_OK(yoke_stream_create(other, NULL, &stream));
    NEED_OK(yoke_buffer_create(other, 64, &buffer));
    CHECK_REFUSED("kernel|device", yoke_launch(stream, set, one, one, 0, YOKE_ARGS(buffer, 1u)));
    CHECK_REFUSED("kernel|device", yoke_launch_n(stream, set, 1, YOKE_ARGS(buffer, 1u)));
    CHECK_REFUSED("set|parameter 1|device", yoke_launch(t->stream, set, one, one, 0, YOKE_ARGS(buffer, 1u)));
    CHECK_REFUSED("set|parameter 1|device", yoke_launch_n(t->stream, set, 1, YOKE_ARGS(buffer, 1u)));
    CHECK_OK(yoke_stream_wait(stream));
    untouched(t, &x);
out:
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    yoke_device_release(other);
    guarded_release(&x);
}

/* Held behind a host function, a bad launch is refused at its call as ever, and not when its turn comes. */
static void held_launches_are_checked_at_the_call(suite *t)
{
    yoke_kernel *set = suite_kernel(t, "set");
    const yoke_dim one = YOKE_DIM(1), none = { 0, 1, 1 };
    stand s = STAND_INIT;
    guarded x = { 0 };

    NEED(make_target(t, &x));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_REFUSED("grid", yoke_launch(t->stream, set, none, one, 0, YOKE_ARGS(x.buffer, 1u)));
    OUT_OF_RANGE("shared", yoke_launch(t->stream, set, one, one, SIZE_MAX, YOKE_ARGS(x.buffer, 1u)));
    CHECK_REFUSED("NULL", yoke_launch(t->stream, set, one, one, 0, YOKE_ARGS((yoke_buffer *)NULL, 1u)));
    OUT_OF_RANGE("offset", yoke_write(t->stream, x.buffer, 4, &x, 1));
    if (suite_can(t, YOKE_CAP_SIGNATURE))
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|parameter 2", yoke_launch(t->stream, set, one, one, 0, YOKE_ARGS(x.buffer, 1.0)));
    gate_open(&s.leave);
    untouched(t, &x);
out:
    guarded_release(&x);
}

int main(void)
{
    static const suite_case cases[] = {
        { "sources that are missing, empty or odd", sources, false },
        { "sources that do not compile", sources_that_do_not_compile, false },
        { "kernels that do not exist", kernels_that_do_not_exist, false },
        { "kernels with parameters that Yoke cannot set", kernels_with_image_arrays, false },
        { "the reason why a kernel cannot be launched, from a saved program", refused_again, false },
        { "grids and blocks of 0 and beyond the limits", dimensions, false },
        { "more shared memory than there is", shared_memory, false },
        { "arguments that are none", arguments, false },
        { "arguments that do not fit the kernel", arguments_that_do_not_fit, false },
        { "kernels, streams and buffers of different devices", objects_of_another_device, false },
        { "held launches are checked at the call", held_launches_are_checked_at_the_call, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "misuse test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
