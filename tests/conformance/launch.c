/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches: every thread of every block runs once and knows where it is, in one to three dimensions, with dynamic shared memory,
 * and with many arguments.
 */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* where: each thread counts itself and notes block and thread indices at its place in the whole.
 * count: each thread counts itself at its index, when below n.
 * sum: block sums in dynamic shared memory. */
#define SIXTEEN_BODY                                                                        \
    "{ o[0] = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j\n" \
    "       + 11 * k + 12 * l + 13 * m + 14 * n + 15 * p; }\n"

static const char *const kernels_cuda =
    "extern \"C\" __global__ void where(unsigned *out) {\n"
    "  unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
    "  unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
    "  unsigned *o = out + 7 * (b * blockDim.x * blockDim.y * blockDim.z + t);\n"
    "  o[0] += 1; o[1] = blockIdx.x; o[2] = blockIdx.y; o[3] = blockIdx.z;\n"
    "  o[4] = threadIdx.x; o[5] = threadIdx.y; o[6] = threadIdx.z; }\n"
    "extern \"C\" __global__ void count(unsigned *out, unsigned n)\n"
    "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] += 1; }\n"
    "extern \"C\" __global__ void sum(unsigned *out, const unsigned *in) { extern __shared__ unsigned s[];\n"
    "  unsigned i = threadIdx.x; s[i] = in[blockIdx.x * blockDim.x + i];\n"
    "  for (unsigned w = blockDim.x / 2; w > 0; w /= 2) { __syncthreads(); if (i < w) s[i] += s[i + w]; }\n"
    "  if (i == 0) out[blockIdx.x] = s[0]; }\n"
    "extern \"C\" __global__ void reach(unsigned *out, unsigned last) { extern __shared__ unsigned s[];\n"
    "  s[0] = 5; s[last] = 6; __syncthreads(); out[0] = s[0]; out[1] = s[last]; }\n"
    "extern \"C\" __global__ void sixteen(int *o, int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k,\n"
    "  int l, int m, int n, int p)\n" SIXTEEN_BODY
    "extern \"C\" __global__ void more(int *o, int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k,\n"
    "  int l, int m, int n, int p, const int *q, int r, const int *s, int t, float u)\n"
    "{ o[0] = a + b + c + d + e + f + g + h + i + j + k + l + m + n + p + r * q[0] + t * s[0] + (int)u; }\n";
static const char *const kernels_opencl =
    "__kernel void where(__global uint *out) {\n"
    "  uint b = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));\n"
    "  uint t = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));\n"
    "  __global uint *o = out + 7 * (b * get_local_size(0) * get_local_size(1) * get_local_size(2) + t);\n"
    "  o[0] += 1; o[1] = get_group_id(0); o[2] = get_group_id(1); o[3] = get_group_id(2);\n"
    "  o[4] = get_local_id(0); o[5] = get_local_id(1); o[6] = get_local_id(2); }\n"
    "__kernel void count(__global uint *out, uint n) { uint i = get_global_id(0); if (i < n) out[i] += 1; }\n"
    "__kernel void sum(__global uint *out, __global const uint *in, __local uint *s) {\n"
    "  uint i = get_local_id(0); s[i] = in[get_global_id(0)];\n"
    "  for (uint w = get_local_size(0) / 2; w > 0; w /= 2) { barrier(CLK_LOCAL_MEM_FENCE); if (i < w) s[i] += s[i + w]; }\n"
    "  if (i == 0) out[get_group_id(0)] = s[0]; }\n"
    "__kernel void reach(__global uint *out, uint last, __local uint *s)\n"
    "{ s[0] = 5; s[last] = 6; barrier(CLK_LOCAL_MEM_FENCE); out[0] = s[0]; out[1] = s[last]; }\n"
    "__kernel void sixteen(__global int *o, int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k,\n"
    "  int l, int m, int n, int p)\n" SIXTEEN_BODY
    "__kernel void more(__global int *o, int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l,\n"
    "  int m, int n, int p, __global const int *q, int r, __global const int *s, int t, float u)\n"
    "{ o[0] = a + b + c + d + e + f + g + h + i + j + k + l + m + n + p + r * q[0] + t * s[0] + (int)u; }\n";

static void records_where(suite *t, yoke_dim grid, yoke_dim block)
{
    size_t count = (size_t)grid.x * grid.y * grid.z * block.x * block.y * block.z, size = count * 7 * sizeof(uint32_t);
    uint32_t *wanted = memory_new(size), *o = wanted;
    guarded out = { 0 };

    NEED(guarded_create(t, size, &out));
    NEED(guarded_write(t, &out, wanted));
    for (uint32_t bz = 0; bz < grid.z; bz++)
        for (uint32_t by = 0; by < grid.y; by++)
            for (uint32_t bx = 0; bx < grid.x; bx++)
                for (uint32_t tz = 0; tz < block.z; tz++)
                    for (uint32_t ty = 0; ty < block.y; ty++)
                        for (uint32_t tx = 0; tx < block.x; tx++, o += 7)
                            memcpy(o, (uint32_t[]){ 1, bx, by, bz, tx, ty, tz }, 7 * sizeof *o);
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "where"), grid, block, 0, YOKE_ARGS(out.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
out:
    guarded_release(&out);
    memory_free(wanted);
}

static void dimensions(suite *t)
{
    records_where(t, YOKE_DIM(1), YOKE_DIM(1));
    records_where(t, YOKE_DIM(7), YOKE_DIM(13));
    records_where(t, YOKE_DIM(5, 3), YOKE_DIM(4, 2));
    records_where(t, YOKE_DIM(2, 3, 5), YOKE_DIM(4, 3, 2));
    records_where(t, YOKE_DIM(1, 1, 9), YOKE_DIM(1, 5, 1));
    records_where(t, YOKE_DIM(1000), YOKE_DIM(1));
    records_where(t, YOKE_DIM(1, 200, 1), YOKE_DIM(3, 1, 4));
}

/* The largest block that the device and the kernel take, in each dimension. */
static void largest_blocks(suite *t)
{
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;

    NEED_OK(yoke_kernel_get_info(suite_kernel(t, "where"), &info));
    for (int d = 0; d < 3; d++) {
        uint64_t most = t->info.max_block[d] < info.max_block_threads ? t->info.max_block[d] : info.max_block_threads;
        if (most > 1024)
            most = 1024;
        uint32_t n = (uint32_t)most;
        records_where(t, YOKE_DIM(2), d == 0 ? YOKE_DIM(n) : d == 1 ? YOKE_DIM(1, n) : YOKE_DIM(1, 1, n));
    }
out:
    return;
}

/* What NVIDIA's OpenCL runs, although it suggests 256 for such a kernel; a required size is a limit everywhere. */
static void blocks_of_512(suite *t)
{
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;

    NEED_OK(yoke_kernel_get_info(suite_kernel(t, "where"), &info));
    if (info.max_block_threads < 512 || t->info.max_block[0] < 512) {
        suite_skip("the kernel takes blocks of %u threads there", (unsigned)info.max_block_threads);
        return;
    }
    CHECK(info.automatic_block <= 512);
    records_where(t, YOKE_DIM(3), YOKE_DIM(512));
    records_where(t, YOKE_DIM(3, 2), YOKE_DIM(32, 16));
out:
    return;
}

static void any_number_of_threads(suite *t)
{
    static const uint32_t counts[] = { 1, 2, 7, 31, 32, 33, 255, 256, 257, 1000, 65535, 65536, 65537, 300001 };
    yoke_kernel *kernel = suite_kernel(t, "count");

    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        uint32_t n = counts[c], *wanted = memory_new(n * sizeof *wanted);
        guarded out = { 0 };

        bool ok = guarded_create(t, n * sizeof *wanted, &out) && guarded_write(t, &out, wanted) &&
                  CHECK_OK(yoke_launch_n(t->stream, kernel, n, YOKE_ARGS(out.buffer, n))) && CHECK_OK(yoke_stream_wait(t->stream));
        for (uint32_t i = 0; i < n; i++)
            wanted[i] = 1;
        ok = ok && guarded_check(t, &out, wanted);
        guarded_release(&out);
        memory_free(wanted);
        if (!ok)
            return;
    }
}

static void shared_memory(suite *t)
{
    enum { BLOCKS = 11, MOST = 64 };
    uint32_t in[BLOCKS * MOST], wanted[BLOCKS];
    guarded ins = { 0 }, out = { 0 };

    fill_random(in, sizeof in, 31);
    NEED(guarded_create(t, sizeof in, &ins) && guarded_create(t, sizeof wanted, &out));
    NEED(guarded_write(t, &ins, in));
    for (uint32_t block = 1; block <= MOST; block *= 4) { /* a different size each time */
        for (uint32_t b = 0; b < BLOCKS; b++) {
            wanted[b] = 0;
            for (uint32_t i = 0; i < block; i++)
                wanted[b] += in[b * block + i];
        }
        NEED_OK(yoke_launch(t->stream, suite_kernel(t, "sum"), YOKE_DIM(BLOCKS), YOKE_DIM(block), block * sizeof(uint32_t),
                            YOKE_ARGS(out.buffer, ins.buffer)));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(guarded_check(t, &out, wanted));
    }
    guarded_check(t, &ins, in);
out:
    guarded_release(&out);
    guarded_release(&ins);
}

/* What the kernel's description offers can be had to the last byte. */
static void all_the_shared_memory(suite *t)
{
    yoke_kernel *reach = suite_kernel(t, "reach");
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    uint32_t wanted[2] = { 5, 6 };
    guarded out = { 0 };

    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_kernel_get_info(reach, &info));
    NEED(CHECK(info.max_dynamic_shared_bytes >= 1024));
    size_t most = info.max_dynamic_shared_bytes / 4 * 4;
    NEED_OK(yoke_launch(t->stream, reach, YOKE_DIM(1), YOKE_DIM(1), most, YOKE_ARGS(out.buffer, (uint32_t)(most / 4 - 1))));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
    CHECK_FAILS(YOKE_E_RANGE, "reach|shared",
                yoke_launch(t->stream, reach, YOKE_DIM(1), YOKE_DIM(1), info.max_dynamic_shared_bytes + 1,
                            YOKE_ARGS(out.buffer, (uint32_t)0)));
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    guarded_release(&out);
}

static void many_arguments(suite *t)
{
    int32_t wanted = 0, in = 3, v[20];
    guarded out = { 0 }, q = { 0 };

    for (int i = 0; i < 20; i++)
        v[i] = 1 << i;
    NEED(guarded_create(t, sizeof wanted, &out) && guarded_create(t, sizeof in, &q));
    NEED(guarded_write(t, &q, &in));
    for (int i = 0; i < 15; i++)
        wanted += (i + 1) * v[i];
    NEED_OK(yoke_launch(
        t->stream, suite_kernel(t, "sixteen"), YOKE_DIM(1), YOKE_DIM(1), 0,
        YOKE_ARGS(out.buffer, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14])));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &wanted);

    yoke_arg args[21] = { YOKE_ARG(out.buffer) };
    wanted = 0;
    for (int i = 0; i < 15; i++) {
        args[1 + i] = YOKE_ARG(v[i]);
        wanted += v[i];
    }
    args[16] = YOKE_ARG(q.buffer);
    args[17] = YOKE_ARG((int32_t)1000000);
    args[18] = YOKE_ARG(q.buffer);
    args[19] = YOKE_ARG((int32_t)20000000);
    args[20] = YOKE_ARG(42.5f);
    wanted += 3 * 1000000 + 3 * 20000000 + 42;
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "more"), YOKE_DIM(1), YOKE_DIM(1), 0, args, 21));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &wanted);
    guarded_check(t, &q, &in);
    NEED_OK(yoke_fill(t->stream, out.buffer, 0, sizeof wanted, "\xEE", 1));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "more"), YOKE_DIM(1), YOKE_DIM(1), 0,
                        YOKE_ARGS(out.buffer, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12],
                                  v[13], v[14], q.buffer, (int32_t)1000000, q.buffer, (int32_t)20000000, 42.5f)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, &wanted);
out:
    guarded_release(&q);
    guarded_release(&out);
}

typedef struct launcher {
    suite *t;
    yoke_stream *stream;
    guarded out;
    uint32_t n;
} launcher;

/* The same kernel object with different arguments from several threads: nobody's arguments end up in another's launch. */
static void *launch_in_thread(void *user)
{
    launcher *l = user;
    yoke_kernel *kernel = suite_kernel(l->t, "count");

    for (uint32_t i = 0; i < 300; i++)
        if (!CHECK_OK(yoke_launch(l->stream, kernel, YOKE_DIM(1), YOKE_DIM(l->n), 0, YOKE_ARGS(l->out.buffer, l->n))))
            break;
    CHECK_OK(yoke_stream_wait(l->stream));
    return NULL;
}

static void several_threads_launch_one_kernel(suite *t)
{
    enum { THREADS = 6 };
    uint32_t wanted[THREADS];
    launcher l[THREADS];
    pthread_t threads[THREADS];

    memset(l, 0, sizeof l);
    for (uint32_t i = 0; i < THREADS; i++) {
        memset(wanted, 0, sizeof wanted);
        l[i].t = t;
        l[i].n = i + 1;
        NEED_OK(yoke_stream_create(t->device, NULL, &l[i].stream));
        NEED(guarded_create(t, sizeof wanted, &l[i].out) && guarded_write(t, &l[i].out, wanted));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, launch_in_thread, &l[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < THREADS; i++) {
        for (uint32_t k = 0; k < THREADS; k++)
            wanted[k] = k < l[i].n ? 300 : 0;
        guarded_check(t, &l[i].out, wanted);
    }
out:
    for (int i = 0; i < THREADS; i++) {
        guarded_release(&l[i].out);
        yoke_stream_release(l[i].stream);
    }
}

int main(void)
{
    static const suite_case cases[] = {
        { "every thread knows where it is, in 1 to 3 dimensions", dimensions, false },
        { "the largest blocks", largest_blocks, false },
        { "blocks of 512 threads", blocks_of_512, false },
        { "any number of threads", any_number_of_threads, false },
        { "dynamic shared memory", shared_memory, false },
        { "all the shared memory there is, and a byte more", all_the_shared_memory, false },
        { "16 arguments, and more", many_arguments, false },
        { "several threads launch one kernel", several_threads_launch_one_kernel, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "launch test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
