/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels in one text for both languages: the words of <yoke/kernel.h>, kernels that give the same as their twins, which text a
 * backend uses, and what is told of a text that is wrong.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../one_text/six.h"

#define WORDS "#include <yoke/kernel.h>\n"
#define SEVEN WORDS "YOKE_KERNEL void seven(YOKE_GLOBAL int *out)\n{\n    out[0] = 7;\n}\n"

static bool is_cuda(suite *t)
{
    return strcmp(t->info.backend, "cuda") == 0;
}

static yoke_source source_of(const char *text)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = "one";
    source.text = text;
    return source;
}

static void gives_seven(suite *t, const yoke_source *source)
{
    const int32_t wanted = 7;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded out = { 0 };

    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_program_build(t->device, source, &program));
    NEED_OK(yoke_kernel_get(program, "seven", &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(out.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &wanted);
out:
    yoke_program_release(program);
    guarded_release(&out);
}

/* ---- The words ---- */

/* One block of 4 x 2 x 2 threads in a grid of 3 x 2 x 2, and each thread writes what it sees. */
static void indices(suite *t)
{
    static const char text[] =
        WORDS "YOKE_KERNEL YOKE_BLOCK_SIZE(4, 2, 2) void see(YOKE_GLOBAL unsigned int *out)\n"
              "{\n"
              "    const unsigned int x = yoke_global_x(), y = yoke_global_y(), z = yoke_global_z();\n"
              "    const unsigned int i = (z * yoke_global_size_y() + y) * yoke_global_size_x() + x;\n"
              "    unsigned int own = yoke_thread_x() + 10 * yoke_thread_y() + 100 * yoke_thread_z();\n"
              "    own += 1000 * yoke_block_x() + 10000 * yoke_block_y() + 100000 * yoke_block_z();\n"
              "    out[i] = own;\n"
              "    if (i == 0) {\n"
              "        out += yoke_global_size_x() * yoke_global_size_y() * yoke_global_size_z();\n"
              "        out[0] = yoke_block_size_x() + 10 * yoke_block_size_y() + 100 * yoke_block_size_z();\n"
              "        out[1] = yoke_grid_size_x() + 10 * yoke_grid_size_y() + 100 * yoke_grid_size_z();\n"
              "    }\n"
              "}\n";
    enum { WIDTH = 12, HEIGHT = 4, DEPTH = 4, ALL = WIDTH * HEIGHT * DEPTH };
    uint32_t wanted[ALL + 2] = { 0 };
    yoke_source source = source_of(text);
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded out = { 0 };

    for (uint32_t i = 0; i < ALL; i++) {
        uint32_t x = i % WIDTH, y = i / WIDTH % HEIGHT, z = i / WIDTH / HEIGHT;
        wanted[i] = x % 4 + 10 * (y % 2) + 100 * (z % 2) + 1000 * (x / 4) + 10000 * (y / 2) + 100000 * (z / 2);
    }
    wanted[ALL] = 224;
    wanted[ALL + 1] = 223;
    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "see", &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(3, 2, 2), YOKE_DIM(4, 2, 2), 0, YOKE_ARGS(out.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
out:
    yoke_program_release(program);
    guarded_release(&out);
}

/* Atomics in global and shared memory, from two blocks of 32 threads. */
static void atomics(suite *t)
{
    static const char text[] =
        WORDS "YOKE_KERNEL void count(YOKE_GLOBAL int *out, YOKE_GLOBAL unsigned int *more, YOKE_GLOBAL float *sum)\n"
              "{\n"
              "    YOKE_SHARED int own;\n"
              "    YOKE_SHARED unsigned int largest[3];\n"
              "    const int i = yoke_global_x();\n"
              "    if (yoke_thread_x() == 0)\n"
              "        own = largest[0] = largest[1] = largest[2] = 0;\n"
              "    yoke_barrier();\n"
              "    yoke_atomic_add(&own, 2);\n"
              "    yoke_atomic_max(&largest[1], (unsigned int)i);\n"
              "    yoke_barrier_global();\n"
              "    if (yoke_thread_x() == 0)\n"
              "        yoke_atomic_add(&out[0], own);\n"
              "    yoke_atomic_min(&out[1], -i);\n"
              "    yoke_atomic_max(&out[2], i);\n"
              "    if (yoke_atomic_exchange(&out[3], 1) == 0)\n"
              "        yoke_atomic_add(&out[4], 1);\n"
              "    if (yoke_atomic_cas(&out[5], 5, 9) == 5)\n"
              "        yoke_atomic_add(&out[4], 10);\n"
              "    yoke_atomic_add(&more[0], 3u);\n"
              "    yoke_atomic_max(&more[1], largest[1]);\n"
              "    yoke_atomic_add_float(&sum[0], 0.5f);\n"
              "}\n";
    const int32_t before[6] = { 0, 0, 0, 0, 0, 5 }, wanted[6] = { 128, -63, 63, 1, 11, 9 };
    const uint32_t more_before[2] = { 0, 0 }, more_wanted[2] = { 192, 63 };
    const float sum_before = 1, sum_wanted = 33;
    yoke_source source = source_of(text);
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded out = { 0 }, more = { 0 }, sum = { 0 };

    NEED(guarded_create(t, sizeof wanted, &out) && guarded_create(t, sizeof more_wanted, &more) &&
         guarded_create(t, sizeof sum_wanted, &sum));
    NEED(guarded_write(t, &out, before) && guarded_write(t, &more, more_before) && guarded_write(t, &sum, &sum_before));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "count", &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(2), YOKE_DIM(32), 0, YOKE_ARGS(out.buffer, more.buffer, sum.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
    guarded_check(t, &more, more_wanted);
    guarded_check(t, &sum, &sum_wanted);
out:
    yoke_program_release(program);
    guarded_release(&sum);
    guarded_release(&more);
    guarded_release(&out);
}

/* Vectors, functions, constants, and functions whose names differ. */
static void values(suite *t)
{
    static const char text[] = WORDS
        "YOKE_CONSTANT float table[3] = { 0.5f, 0.25f, 8.0f };\n"
        "YOKE_FUNCTION float third(YOKE_CONSTANT_PTR float *numbers) { return numbers[2]; }\n"
        "YOKE_FUNCTION float first(YOKE_SHARED_PTR float *numbers, YOKE_GLOBAL const float *more) { return numbers[0] + more[0]; "
        "}\n"
        "YOKE_KERNEL void work(YOKE_CONSTANT_PTR float *in, YOKE_GLOBAL const float *more, YOKE_GLOBAL float *out, float2 scale,\n"
        "                      YOKE_GLOBAL float4 *vectors)\n"
        "{\n"
        "    YOKE_SHARED float own[2];\n"
        "    const int2 i2 = yoke_int2(1, -2);\n"
        "    const int4 i4 = yoke_int4(1, 2, 3, -4);\n"
        "    const uint2 u2 = yoke_uint2(0xf0f0u, 1u);\n"
        "    const uint4 u4 = yoke_uint4(1u, 2u, 3u, 0x10000u);\n"
        "    const float2 f2 = yoke_float2(0.5f, 2.0f);\n"
        "    own[0] = 3.0f;\n"
        "    yoke_barrier();\n"
        "    out[0] = third(table) + third(in);\n"
        "    out[1] = first(own, more);\n"
        "    out[2] = (float)(i2.x + i2.y + i4.x + i4.w);\n"
        "    out[3] = (float)yoke_popcount(u2.x) + (float)yoke_clz(u4.w);\n"
        "    out[4] = yoke_uint_as_float(yoke_float_as_uint(f2.x) + 0x00800000u);\n"
        "    out[5] = yoke_fma(scale.x, scale.y, f2.y);\n"
        "    out[6] = sqrt(16.0f) + fabs(-1.5f) + fmin(f2.x, f2.y) + floor(2.75f) + (float)max(i2.x, 7);\n"
        "    out[7] = fabs(yoke_rsqrt(4.0f * f2.y) * sqrt(4.0f * f2.y) - 1.0f) < 1e-5f ? 1.0f : 0.0f;\n"
        "    vectors[0] = yoke_float4(vectors[0].w, vectors[0].z, vectors[0].y, vectors[0].x);\n"
        "}\n";
    const float in[3] = { 1, 2, 3 }, scale[2] = { 3, 5 }, vector[4] = { 1, 2, 3, 4 }, turned[4] = { 4, 3, 2, 1 };
    const float wanted[8] = { 11, 4, -4, 23, 1, 17, 15, 1 };
    yoke_source source = source_of(text);
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded input = { 0 }, out = { 0 }, vectors = { 0 };

    NEED(guarded_create(t, sizeof in, &input) && guarded_create(t, sizeof wanted, &out) &&
         guarded_create(t, sizeof vector, &vectors));
    NEED(guarded_write(t, &input, in) && guarded_write(t, &vectors, vector));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "work", &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0,
                        YOKE_ARGS(input.buffer, input.buffer, out.buffer, yoke_arg_struct(scale, sizeof scale), vectors.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
    guarded_check(t, &vectors, turned);
out:
    yoke_program_release(program);
    guarded_release(&vectors);
    guarded_release(&out);
    guarded_release(&input);
}

/* A warp's threads exchange values, where the language has that; the text compiles everywhere. */
static void shuffles(suite *t)
{
    static const char text[] = WORDS "YOKE_KERNEL void turn(YOKE_GLOBAL int *out)\n"
                                     "{\n"
                                     "    const int i = yoke_global_x();\n"
                                     "#if YOKE_HAS_SHUFFLE\n"
                                     "    const int lane = (int)yoke_lane();\n"
                                     "    int right = yoke_shuffle_xor(lane, 1) == (lane ^ 1);\n"
                                     "    if (lane + 1 < (int)yoke_warp_size())\n"
                                     "        right += 0;\n"
                                     "    const int next = yoke_shuffle_down(lane, 1), third = yoke_shuffle(10 * lane, 3);\n"
                                     "    right += lane + 1 == (int)yoke_warp_size() || next == lane + 1;\n"
                                     "    right += third == 30;\n"
                                     "    out[i] = right;\n"
                                     "#else\n"
                                     "    out[i] = -1;\n"
                                     "#endif\n"
                                     "}\n";
    int32_t got[32];
    yoke_source source = source_of(text);
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded out = { 0 };

    NEED(guarded_create(t, sizeof got, &out));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "turn", &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(32), 0, YOKE_ARGS(out.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(guarded_read(t, &out, got));
    for (int i = 0; i < 32; i++)
        CHECK(got[i] == 3 || (got[i] == -1 && !is_cuda(t)));
out:
    yoke_program_release(program);
    guarded_release(&out);
}

/* Shared memory whose size the launch sets, in both ways in which a launch can do that. */
static void dynamic_shared(suite *t)
{
    static const char text[] = WORDS
        "YOKE_KERNEL void turn(YOKE_GLOBAL int *out, int k YOKE_AND_DYNAMIC_SHARED)\n"
        "{\n"
        "    YOKE_SHARED_PTR int *own = yoke_dynamic_shared(int);\n"
        "    own[yoke_thread_x()] = yoke_thread_x() * k;\n"
        "    yoke_barrier();\n"
        "    out[yoke_thread_x()] = own[yoke_block_size_x() - 1 - yoke_thread_x()];\n"
        "}\n"
        "YOKE_KERNEL void halve(YOKE_GLOBAL float *out, float by YOKE_AND_DYNAMIC_SHARED)\n" /* another type in the same text */
        "{\n"
        "    YOKE_SHARED_PTR float *own = yoke_dynamic_shared(float);\n"
        "    own[0] = by;\n"
        "    out[0] = own[0] / 2.0f;\n"
        "}\n";
    int32_t wanted[8];
    const float half = 1.5f;
    yoke_source source = source_of(text);
    yoke_program *program = NULL;
    yoke_kernel *turn = NULL, *halve = NULL;
    guarded out = { 0 }, halved = { 0 };

    for (int i = 0; i < 8; i++)
        wanted[i] = 5 * (7 - i);
    NEED(guarded_create(t, sizeof wanted, &out) && guarded_create(t, sizeof half, &halved));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "turn", &turn));
    NEED_OK(yoke_kernel_get(program, "halve", &halve));
    NEED_OK(yoke_launch(t->stream, turn, YOKE_DIM(1), YOKE_DIM(8), sizeof wanted, YOKE_ARGS(out.buffer, (int32_t)5)));
    NEED_OK(
        yoke_launch(t->stream, halve, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(halved.buffer, 3.0f, yoke_arg_local(sizeof(float)))));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
    guarded_check(t, &halved, &half);
    for (int i = 0; i < 8; i++)
        wanted[i] = 2 * (7 - i);
    NEED_OK(yoke_launch(t->stream, turn, YOKE_DIM(1), YOKE_DIM(8), 0,
                        YOKE_ARGS(out.buffer, (int32_t)2, yoke_arg_local(sizeof wanted))));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
out:
    yoke_program_release(program);
    guarded_release(&halved);
    guarded_release(&out);
}

/* ---- Twins ---- */

/* The bytes that a program's kernel makes, in new memory; NULL, and a check has failed, when it makes none. */
static void *run(suite *t, const six_kernel *which, yoke_program *program, size_t *out_size)
{
    size_t bytes[SIX_BUFFERS] = { 0 };
    six_work work = { .stream = t->stream, .n = which->small };
    guarded buffers[SIX_BUFFERS] = { { 0 } };
    void *content = NULL, *got = NULL;

    which->sizes((size_t)which->small, bytes);
    *out_size = bytes[which->output];
    NEED_OK(yoke_kernel_get(program, which->name, &work.kernel));
    for (int i = 0; i < SIX_BUFFERS && bytes[i] > 0; i++) {
        content = memory_new(bytes[i]);
        six_fill(which, i, content, bytes[i]);
        NEED(guarded_create(t, bytes[i], &buffers[i]) && guarded_write(t, &buffers[i], content));
        work.buffers[i] = buffers[i].buffer;
        memory_free(content);
        content = NULL;
    }
    NEED_OK(which->launch(&work));
    NEED_OK(yoke_stream_wait(t->stream));
    got = memory_new(*out_size);
    if (!CHECK_OK(yoke_read_sync(t->side, got, buffers[which->output].buffer, 0, *out_size)) ||
        !guarded_check(t, &buffers[which->output], got)) {
        memory_free(got);
        got = NULL;
    }
out:
    memory_free(content);
    for (int i = 0; i < SIX_BUFFERS; i++)
        guarded_release(&buffers[i]);
    return got;
}

static void twins(suite *t)
{
    yoke_source source = six_one_text();
    yoke_program *one = NULL;

    if (!CHECK_OK(yoke_program_build(t->device, &source, &one)))
        return;
    CHECK(yoke_program_get_kernel_count(one) == SIX_KERNELS);
    for (int i = 0; i < SIX_KERNELS; i++) {
        const six_kernel *which = &six_kernels[i];
        yoke_program *twin = NULL;
        void *before = NULL, *got = NULL, *wanted = NULL;
        size_t size = 0;

        NEED_OK(six_twin(which, &source));
        NEED_OK(yoke_program_build(t->device, &source, &twin));
        NEED((wanted = run(t, which, twin, &size)) && (got = run(t, which, one, &size)));
        before = memory_new(size);
        six_fill(which, which->output, before, size);
        CHECK(memcmp(before, wanted, size) != 0);
        if (!CHECK_BYTES(got, wanted, size))
            tap_diag("kernel %s", which->name);
    out:
        memory_free(before);
        memory_free(got);
        memory_free(wanted);
        yoke_program_release(twin);
    }
    yoke_program_release(one);
}

/* ---- Arguments ---- */

static void arguments(suite *t)
{
    yoke_param_info info = YOKE_PARAM_INFO_INIT;
    yoke_source source = six_one_text();
    yoke_program *program = NULL;
    yoke_kernel *saxpy = NULL;
    yoke_buffer *x = NULL;

    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "saxpy", &saxpy));
    NEED_OK(yoke_buffer_create(t->device, 64, &x));
    if (!suite_can(t, YOKE_CAP_SIGNATURE))
        goto out;
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "saxpy|4", yoke_launch_n(t->stream, saxpy, 16, YOKE_ARGS(x, x, 2.0f)));
    NEED_OK(yoke_kernel_get_param(saxpy, 0, &info));
    if (info.kind == YOKE_PARAM_UNKNOWN)
        goto out;
    CHECK(info.kind == YOKE_PARAM_BUFFER && info.read_only == 1);
    CHECK(strcmp(info.name, "x") == 0);
    NEED_OK(yoke_kernel_get_param(saxpy, 1, &info));
    CHECK(info.kind == YOKE_PARAM_BUFFER && info.read_only == 0);
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "saxpy|'a'|float|integer",
                yoke_launch_n(t->stream, saxpy, 16, YOKE_ARGS(x, x, (int32_t)2, (int32_t)16)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "saxpy|'n'|int", yoke_launch_n(t->stream, saxpy, 16, YOKE_ARGS(x, x, 2.0f, 16.0f)));
    NEED_OK(yoke_kernel_get(program, "reduce_sum", &saxpy));
    NEED_OK(yoke_kernel_get_param(saxpy, 2, &info));
    CHECK(info.kind == YOKE_PARAM_VALUE && strcmp(info.name, "n") == 0 && strcmp(info.type, "int") == 0);
out:
    yoke_buffer_release(x);
    yoke_program_release(program);
}

/* ---- Which text is used ---- */

/* A backend's own text wins, and with another backend's own text `text` is used. */
static void own_text(suite *t)
{
    static const char wrong[] = "this is not a kernel\n";
    yoke_source source = source_of(SEVEN);
    const char **own = is_cuda(t) ? &source.cuda : &source.opencl, **other = is_cuda(t) ? &source.opencl : &source.cuda;

    gives_seven(t, &source);
    *other = wrong;
    gives_seven(t, &source);
    *other = NULL;
    source.text = wrong;
    *own = is_cuda(t) ? "extern \"C\" __global__ void seven(int *out) { out[0] = 7; }\n"
                      : "__kernel void seven(__global int *out) { out[0] = 7; }\n";
    gives_seven(t, &source);
}

static void sizes_and_headers(suite *t)
{
    static const yoke_header headers[] = { { "words.h", "#pragma once\n" WORDS }, { NULL, NULL } };
    static const char text[] = "#include \"words.h\"\n" SEVEN "not a kernel";
    yoke_source source = source_of(text);

    source.text_size = strlen(text) - strlen("not a kernel");
    source.headers = headers;
    gives_seven(t, &source);
}

/* The text is copied by the call. */
static void async(suite *t)
{
    char *text = strdup(SEVEN);
    yoke_source source = source_of(text);
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;

    if (!CHECK(text))
        return;
    yoke_status status = yoke_program_build_async(t->device, &source, &program, NULL);
    memset(text, '!', strlen(text));
    free(text);
    NEED_OK(status);
    NEED_OK(yoke_kernel_get(program, "seven", &kernel));
out:
    yoke_program_release(program);
}

/* ---- Mistakes ---- */

static void refused(suite *t)
{
    static const struct {
        const char *text;
        size_t size;
        const char *words;
    } wrong[] = {
        { "", 0, "the text of source is empty" },
        { " \n", 2, "the text of source is empty" },
        { "int a;\0", 7, "byte 7 of the 7 bytes of source's text|NUL|terminator" },
        { ".version 7.0\n.target sm_70\n", 0, "the text of source is not source code, but PTX" },
        { SEVEN, SIZE_MAX, "the size of source's text" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        yoke_source source = source_of(wrong[i].text);
        yoke_program *program = NULL;
        source.text_size = wrong[i].size;
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, wrong[i].words, yoke_program_build(t->device, &source, &program));
    }

    /* A backend's own text that is empty is a mistake, and `text` does not hide it. */
    yoke_source source = source_of(SEVEN);
    yoke_program *program = NULL;
    *(is_cuda(t) ? &source.cuda : &source.opencl) = "";
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, is_cuda(t) ? "the cuda text of source is empty" : "the opencl text of source is empty",
                yoke_program_build(t->device, &source, &program));
}

/* The text's own line is told, of what is in it and of what is made by a word. */
static void mistakes(suite *t)
{
    static const char *const texts[] = {
        WORDS "YOKE_KERNEL void f(YOKE_GLOBAL int *out)\n{\n    out[0] = 1;\n    out[1] = nowhere;\n}\n",
        WORDS "YOKE_KERNEL void f(YOKE_GLOBAL int *out)\n{\n    out[0] = 1;\n    yoke_atomic_add(&nowhere[1], 2);\n}\n",
        WORDS "YOKE_KERNEL void f(YOKE_GLOBAL int *out)\n{\n    out[0] = 1;\n    out[1] = yoke_nowhere(2);\n}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        yoke_source source = source_of(texts[i]);
        yoke_program *program = NULL;
        CHECK_FAILS(YOKE_E_BUILD, is_cuda(t) ? "one(5)|nowhere" : "one:5|nowhere",
                    yoke_program_build(t->device, &source, &program));
        CHECK(!strstr(yoke_error()->text, "lacks"));
        yoke_program_release(program);
    }
}

/* Words that are used wrongly: both compilers tell the text's own line, except where only OpenCL minds. */
static void misused(suite *t)
{
    static const struct {
        const char *line;
        bool only_opencl;
    } wrong[] = {
        { "yoke_barrier;", false }, /* not called */
        { "out[1] = yoke_thread_x;", false },
        { "out[1] = yoke_thread_x(0);", false },           /* too many arguments */
        { "yoke_atomic_add(&out[1]);", false },            /* too few */
        { "out[1] = yoke_int2(1, 2);", false },            /* another type */
        { "int *p = out; p[1] = 1;", true },               /* a pointer without its memory's word */
        { "out[1] = yoke_dynamic_shared(int)[0];", true }, /* not among the parameters */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[512];
        yoke_source source = source_of(text);
        yoke_program *program = NULL;
        if (wrong[i].only_opencl && is_cuda(t))
            continue;
        snprintf(text, sizeof text, WORDS "YOKE_KERNEL void f(YOKE_GLOBAL int *out)\n{\n    out[0] = 1;\n    %s\n}\n",
                 wrong[i].line);
        if (!CHECK_FAILS(YOKE_E_BUILD, is_cuda(t) ? "one(5)" : "one:5", yoke_program_build(t->device, &source, &program)))
            tap_diag("of %s", wrong[i].line);
        yoke_program_release(program);
    }
}

static void not_included(suite *t)
{
    yoke_source source = source_of("YOKE_KERNEL void f(YOKE_GLOBAL int *out)\n{\n    out[0] = 1;\n}\n");
    yoke_program *program = NULL;

    CHECK_FAILS(YOKE_E_BUILD, "the text lacks #include <yoke/kernel.h>", yoke_program_build(t->device, &source, &program));
    source = source_of("#include <yoke/kernels.h>\nYOKE_KERNEL void f(YOKE_GLOBAL int *out)\n{\n    out[0] = 1;\n}\n");
    CHECK_FAILS(YOKE_E_BUILD, "yoke/kernels.h|lacks #include <yoke/kernel.h>", yoke_program_build(t->device, &source, &program));
}

static void no_kernel(suite *t)
{
    yoke_source source = source_of(WORDS "YOKE_FUNCTION int seven(void)\n{\n    return 7;\n}\n");
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;

    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK(yoke_program_get_kernel_count(program) == 0);
    CHECK_FAILS(YOKE_E_NOT_FOUND, "seven", yoke_kernel_get(program, "seven", &kernel));
out:
    yoke_program_release(program);
}

int main(void)
{
    static const suite_case cases[] = {
        { "indices and sizes", indices, false },
        { "atomics", atomics, false },
        { "values, functions and constants", values, false },
        { "shuffles", shuffles, false },
        { "dynamic shared memory", dynamic_shared, false },
        { "six kernels give what their twins give", twins, false },
        { "arguments are checked", arguments, false },
        { "a backend's own text is used instead", own_text, false },
        { "a size, and headers", sizes_and_headers, false },
        { "built by another thread", async, false },
        { "texts that are refused", refused, false },
        { "mistakes are told with the text's lines", mistakes, false },
        { "words that are used wrongly", misused, false },
        { "the include is missing", not_included, false },
        { "a text without kernels", no_kernel, false },
    };
    return SUITE_MAIN(cases, NULL);
}
