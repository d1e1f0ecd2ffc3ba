/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warps where a GPU would hang, or where what it does is not defined, so that the probes cannot ask one; and what NVRTC refuses for
 * the architectures of today.
 */
#include "selftest.h"

#include <string.h>

static const char source[] =
    "extern \"C\" __global__ void unnamed(unsigned *x) { __shfl_sync(1u << (threadIdx.x + 1) % 32, 1, 0); }\n"
    "extern \"C\" __global__ void in_vain(unsigned *x) { if (threadIdx.x < 16) __syncthreads(); else __syncwarp(); }\n"
    "extern \"C\" __global__ void at_odds(unsigned *x) { __ballot_sync(threadIdx.x ? 0xffffffff : 3, 1); }\n"
    "extern \"C\" __global__ void apart(unsigned *x)\n"
    "{ if (threadIdx.x % 2) x[threadIdx.x] = __activemask(); else x[threadIdx.x] = __activemask(); }\n"
    "extern \"C\" __global__ void halves(unsigned *x)\n"
    "{ int t = threadIdx.x, v = t; unsigned mask = t < 16 ? 0xffffu : 0xffff0000u;\n"
    "  for (int i = 0; i < (t < 16 ? 5 : 3); i++) v = __shfl_sync(mask, v, t + 1, 16);\n"
    "  x[t] = v; }\n"
    "extern \"C\" __global__ void other_warp(unsigned *x)\n"
    "{ __shared__ volatile int flag; if (threadIdx.x == 0) flag = 0; __syncthreads();\n"
    "  if (threadIdx.x < 32) while (!flag) __syncwarp(); else { __syncwarp(); if (threadIdx.x == 63) flag = 1; }\n"
    "  x[threadIdx.x % 32] = 1; }\n"
    "extern \"C\" __global__ void ends_later(unsigned *x)\n"
    "{ if (threadIdx.x == 5) { __syncwarp(1u << 5); __syncwarp(1u << 5); return; } x[threadIdx.x] = __ballot_sync(0xffffffff, 1); "
    "}\n"
    "extern \"C\" __global__ void bad_text(unsigned *x) { printf(\"%s\", (const char *)(1ull << 42)); }\n"
    "extern \"C\" __global__ void good_text(unsigned *x) { x[0] = printf(\"\"); }\n";

static void failures(const selftest_code *code)
{
    static const struct {
        const char *name, *what;
        yk_CUresult result;
    } all[] = {
        { "unnamed", "a mask has to name who calls", YK_CUDA_ERROR_LAUNCH_FAILED },
        { "in_vain", "a warp that waits for threads at a barrier", YK_CUDA_ERROR_LAUNCH_FAILED },
        { "at_odds", "threads with different masks", YK_CUDA_ERROR_LAUNCH_FAILED },
        { "bad_text", "a text that is nowhere", YK_CUDA_ERROR_ILLEGAL_ADDRESS },
    };
    unsigned x[32], *pointer = x;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tap_is(selftest_run(code, all[i].name, 1, 32, 0, &pointer), all[i].result, "%s", all[i].what);
        tap_is(selftest_run(code, "good_text", 1, 32, 0, &pointer), YK_CUDA_SUCCESS, "the next kernel runs");
    }
}

static void meetings(const selftest_code *code)
{
    unsigned x[32], *pointer = x;
    bool right = true;
    selftest_run(code, "apart", 1, 32, 0, &pointer);
    tap_ok(x[0] == 0x55555555 && x[1] == 0xaaaaaaaa, "who is active in a branch are those of the branch");
    selftest_run(code, "halves", 3, 32, 0, &pointer);
    for (unsigned t = 0; t < 32; t++)
        right = right && x[t] == (t < 16 ? (t + 5) % 16 : 16 + (t + 3) % 16);
    tap_ok(right, "halves of a warp meet as often as each wants");
    memset(x, 0, sizeof x);
    tap_is(selftest_run(code, "other_warp", 1, 64, 0, &pointer), YK_CUDA_SUCCESS, "a warp that turns in a circle lets others run");
    tap_is(x[31], 1, "and ends");
    selftest_run(code, "ends_later", 1, 32, 0, &pointer);
    tap_is(x[0], 0xffffffff & ~(1u << 5), "a thread that ends while others wait for it is not waited for");
}

void selftest_warps(void)
{
    selftest_code code = selftest_build(source, (const char *const[]){ NULL });
    meetings(&code);
    failures(&code);
    selftest_free(&code);
    selftest_refused("__global__ void f(float *x) { x[0] = __shfl(x[0], 3); }\n", "f", "'__shfl'");
    selftest_refused("__global__ void f(int *x) { x[0] = __ballot(x[0]); }\n", "f", "'__ballot'");
    selftest_refused("__global__ void f(int *x) { x[0] = __any(x[0]); }\n", "f", "'__any'");
}
