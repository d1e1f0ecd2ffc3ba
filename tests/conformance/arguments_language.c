/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two texts that are no twins: kernels with other parameters, and other names. Arguments that are for one language only, vectors by
 * value, and which text it is that runs.
 */
#include "suite.h"

#include <string.h>
#include <yoke/graph.h>
#include <yoke/types.h>

enum { THREADS = 32 };

/* sum: the CUDA text has its own shared memory and one parameter more, the OpenCL text has __local parameters in the middle and at
 * the end. vectors: by value. */
static const char *const kernels_cuda =
    "extern \"C\" __global__ void sum(int *out, int k, int more) { __shared__ int s[32]; int i = threadIdx.x;\n"
    "  s[i] = i * k; __syncthreads(); out[i] = s[31 - i] + more; }\n"
    "extern \"C\" __global__ void sum_cuda(int *out) { out[threadIdx.x] = 1; }\n"
    "extern \"C\" __global__ void gather(int *out, const int *in) { out[threadIdx.x] = in[threadIdx.x]; }\n"
    "extern \"C\" __global__ void vectors(float *x, float2 a, float4 b, int2 c)\n"
    "{ x[0] = a.x + a.y; x[1] = b.x + b.y + b.z + b.w; x[2] = c.x - c.y; }\n";
static const char *const kernels_opencl =
    "__kernel void sum(__global int *out, __local int *s, int k, __local int *last) { int i = get_local_id(0);\n"
    "  s[i] = i * k; last[i] = 100; barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[31 - i] + last[31 - i]; }\n"
    "__kernel void sum_opencl(__global int *out) { out[get_local_id(0)] = 2; }\n"
    "__kernel void gather(__global int *out) { out[get_local_id(0)] = 0; }\n"
    "__kernel void vectors(__global float *x, float2 a, float4 b, int2 c)\n"
    "{ x[0] = a.x + a.y; x[1] = b.x + b.y + b.z + b.w; x[2] = c.x - c.y; }\n";

#define DOES_NOT_FIT(words, call) CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, words, call)
#define LOCAL yoke_arg_opencl_only(yoke_arg_local(THREADS * sizeof(int32_t)))

static bool is_cuda(suite *t)
{
    return yoke_device_get_language(t->device) == YOKE_LANGUAGE_CUDA;
}

/* The host's expectation of `sum`. */
static void expect(suite *t, const guarded *out, int32_t k)
{
    int32_t wanted[THREADS];
    for (int i = 0; i < THREADS; i++)
        wanted[i] = (THREADS - 1 - i) * k + 100;
    guarded_check(t, out, wanted);
}

static void language(suite *t)
{
    yoke_kernel *kernel = NULL;
    int32_t found = yoke_device_get_language(t->device);
    CHECK((found == YOKE_LANGUAGE_CUDA) == (strcmp(t->info.backend, "cuda") == 0));
    CHECK((found == YOKE_LANGUAGE_OPENCL) == (strcmp(t->info.backend, "opencl") == 0));
    CHECK(yoke_device_get_language(NULL) == 0);
    yoke_program *program = NULL;
    yoke_source source = YOKE_SOURCE_INIT;
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    CHECK_OK(yoke_kernel_get(program, is_cuda(t) ? "sum_cuda" : "sum_opencl", &kernel));
    CHECK_FAILS(YOKE_E_NOT_FOUND, "sum", yoke_kernel_get(program, is_cuda(t) ? "sum_opencl" : "sum_cuda", &kernel));
out:
    yoke_program_release(program);
}

/* One list of arguments for both texts: in the middle, at the end, and with a host array that is for one of them. */
static void one_list(suite *t)
{
    yoke_kernel *sum = suite_kernel(t, "sum"), *gather = suite_kernel(t, "gather");
    int32_t in[THREADS], wanted[THREADS] = { 0 };
    const yoke_dim one = YOKE_DIM(1), block = YOKE_DIM(THREADS);
    guarded out = { 0 };

    for (int i = 0; i < THREADS; i++)
        in[i] = 3 * i;
    NEED(guarded_create(t, sizeof in, &out));
    NEED_OK(
        yoke_launch(t->stream, sum, one, block, 0, YOKE_ARGS(out.buffer, LOCAL, 5, yoke_arg_cuda_only(yoke_arg_i32(100)), LOCAL)));
    NEED_OK(yoke_stream_wait(t->stream));
    expect(t, &out, 5);
    NEED_OK(yoke_launch(t->stream, gather, one, block, 0,
                        YOKE_ARGS(yoke_arg_buffer(out.buffer), yoke_arg_cuda_only(yoke_in(in, sizeof in)))));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, is_cuda(t) ? in : wanted);
    NEED_OK(yoke_launch(t->stream, gather, one, block, 0,
                        YOKE_ARGS(yoke_arg_opencl_only(yoke_arg_cuda_only(yoke_arg_f64(1))),
                                  yoke_arg_cuda_only(yoke_arg_buffer(out.buffer)),
                                  yoke_arg_opencl_only(yoke_arg_buffer(out.buffer)), yoke_arg_cuda_only(yoke_in(in, sizeof in)))));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, is_cuda(t) ? in : wanted);
out:
    guarded_release(&out);
}

static void in_graphs(suite *t)
{
    yoke_graph *graph = NULL;
    guarded out = { 0 };

    NEED(guarded_create(t, THREADS * sizeof(int32_t), &out));
    NEED_OK(yoke_graph_create(t->device, "sums", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    CHECK_OK(yoke_launch(t->stream, suite_kernel(t, "sum"), YOKE_DIM(1), YOKE_DIM(THREADS), 0,
                         YOKE_ARGS(out.buffer, LOCAL, 2, yoke_arg_cuda_only(yoke_arg_i32(100)), LOCAL)));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_stream_wait(t->stream));
    expect(t, &out, 2);
    for (int32_t k = 3; k < 6; k++) {
        NEED_OK(yoke_graph_set_args(graph, 0, YOKE_ARGS(out.buffer, LOCAL, k, yoke_arg_cuda_only(yoke_arg_i32(100)), LOCAL)));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        expect(t, &out, k);
    }
    if (suite_can(t, YOKE_CAP_SIGNATURE))
        DOES_NOT_FIT(is_cuda(t) ? "sum|3 arguments, 2 were passed" : "sum|parameter 3 'k'",
                     yoke_graph_set_args(graph, 0, YOKE_ARGS(out.buffer, LOCAL, 2.0f, LOCAL)));
out:
    yoke_graph_release(graph);
    guarded_release(&out);
}

/* What is left after the other language's arguments are dropped is checked as ever, and parameters are counted in that. */
static void mistakes(suite *t)
{
    const yoke_dim one = YOKE_DIM(1), block = YOKE_DIM(THREADS);
    yoke_kernel *sum = suite_kernel(t, "sum");
    guarded out = { 0 };
    yoke_arg many[YOKE_MAX_ARGS + 1];

    NEED(guarded_create(t, THREADS * sizeof(int32_t), &out));
    for (size_t i = 0; i <= YOKE_MAX_ARGS; i++)
        many[i] = yoke_arg_cuda_only(yoke_arg_opencl_only(yoke_arg_i32(1)));
    CHECK_REFUSED("128", yoke_launch(t->stream, suite_kernel(t, "gather"), one, block, 0, many, YOKE_MAX_ARGS + 1));
    if (!suite_can(t, YOKE_CAP_SIGNATURE))
        goto out;
    DOES_NOT_FIT("gather|0 were passed", yoke_launch(t->stream, suite_kernel(t, "gather"), one, block, 0, many, YOKE_MAX_ARGS));
    DOES_NOT_FIT(is_cuda(t) ? "3 arguments, 2 were passed" : "last parameter|shared_bytes is 0",
                 yoke_launch(t->stream, sum, one, block, 0, YOKE_ARGS(out.buffer, LOCAL, 5)));
    DOES_NOT_FIT(
        is_cuda(t) ? "parameter 3 'more'|floating-point" : "parameter 3 'k'|floating-point",
        yoke_launch(t->stream, sum, one, block, 0, YOKE_ARGS(out.buffer, yoke_arg_cuda_only(yoke_arg_i32(1)), LOCAL, 5.0f, LOCAL)));
    CHECK_REFUSED("the argument is invalid",
                  yoke_launch(t->stream, sum, one, block, 0,
                              YOKE_ARGS(out.buffer, LOCAL, yoke_arg_cuda_only(yoke_arg_opencl_only(yoke_arg_i32(1))),
                                        ((yoke_arg){ .kind = 77 & 0x3f, .size = 4 }), yoke_arg_cuda_only(yoke_arg_i32(1)), LOCAL)));
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    guarded_release(&out);
}

static void vectors(suite *t)
{
    const yoke_dim one = YOKE_DIM(1);
    yoke_kernel *kernel = suite_kernel(t, "vectors");
    const yoke_vec2 a = { 1, 2 };
    const struct {
        int32_t x, y;
    } c = { 9, 4 };
    const float wanted[3] = { 3, 10, 5 };
    guarded x = { 0 };

    NEED(guarded_create(t, sizeof wanted, &x));
#define VECTORS(first, third)                   \
    yoke_launch(t->stream, kernel, one, one, 0, \
                YOKE_ARGS(x.buffer, first, yoke_arg_struct(&(yoke_vec4){ 1, 2, 3, 4 }, sizeof(yoke_vec4)), third))
    NEED_OK(VECTORS(yoke_arg_struct(&a, sizeof a), yoke_arg_struct(&c, sizeof c)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, wanted);
    if (!suite_can(t, YOKE_CAP_SIGNATURE))
        goto out;
    DOES_NOT_FIT("parameter 2 'a'|vector|yoke_arg_struct", VECTORS(2.0, yoke_arg_struct(&c, sizeof c)));
    DOES_NOT_FIT("parameter 4 'c'|vector|yoke_arg_struct", VECTORS(yoke_arg_struct(&a, sizeof a), (int64_t)1));
    DOES_NOT_FIT("parameter 2 'a'|8 bytes", VECTORS(yoke_arg_struct(&a, 4), yoke_arg_struct(&c, sizeof c)));
out:
    guarded_release(&x);
}

int main(void)
{
    static const suite_case cases[] = {
        { "the language of a device", language, false },
        { "one list for two texts", one_list, false },
        { "in graphs", in_graphs, false },
        { "mistakes", mistakes, false },
        { "vectors by value", vectors, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "arguments_language";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
