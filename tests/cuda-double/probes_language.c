/* SPDX-License-Identifier: Apache-2.0 */
/* What functions of CUDA C++ give: numbers and bits, and what threads of a warp learn of each other. */
#include "probes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, MOST_TEXT = 32768 };

typedef struct program {
    yk_CUmodule module;
    yk_CUstream stream;
    yk_CUdeviceptr out;
} program;

/* False: there is no NVRTC. */
static bool load(const char *source, size_t bytes, program *out)
{
    char *ptx = probe_compile(source);

    if (!ptx)
        return false;
    NEED(cu.cuModuleLoadDataEx(&out->module, ptx, 0, NULL, NULL));
    NEED(cu.cuMemAlloc_v2(&out->out, bytes));
    out->stream = new_stream();
    free(ptx);
    return true;
}

static void run(const program *p, const char *name, unsigned x, unsigned y, void **parameters)
{
    yk_CUfunction function = NULL;

    NEED(cu.cuModuleGetFunction(&function, p->module, name));
    NEED(cu.cuLaunchKernel(function, 1, 1, 1, x, y, 1, 0, p->stream, parameters, NULL));
}

static void unload(const program *p)
{
    NEED(cu.cuStreamDestroy_v2(p->stream));
    NEED(cu.cuMemFree_v2(p->out));
    NEED(cu.cuModuleUnload(p->module));
}

/* ---- Numbers ---- */

/* Of i = 1, f = 0.1f, d = 0.1, and big = 1e30f: so that the compiler does not know them. */
static const struct {
    const char *expression;
    double value;
} numbers[] = {
    { "__brev(i)", 2147483648.0 },
    { "__brevll(i) >> 60", 8 },
    { "__byte_perm(0x33221100 * i, 0x77665544, 0x7250)", 0x77225500 },
    { "__byte_perm(0x80 * i, 0x7f, 0x000c) & 0xff", 127 },
    { "__byte_perm(0x80 * i, 0x7f, 0x0008) & 0xff", 128 },
    { "__clz(i)", 31 },
    { "__clz(i - 1)", 32 },
    { "__clzll(-i)", 0 },
    { "__clzll((long long)i << 40)", 23 },
    { "__ffs(i << 5)", 6 },
    { "__ffs(i - 1)", 0 },
    { "__ffsll((long long)i << 40)", 41 },
    { "__popc(-i)", 32 },
    { "__popcll(-(long long)i)", 64 },
    { "__funnelshift_l(0x12345678 * i, 0x9abcdef0, 8)", 0xbcdef012 },
    { "__funnelshift_r(0x12345678 * i, 0x9abcdef0, 8)", 0xf0123456 },
    { "__funnelshift_l(0x12345678 * i, 0x9abcdef0, 40)", 0xbcdef012 },
    { "__funnelshift_lc(0x12345678 * i, 0x9abcdef0, 40)", 0x12345678 },
    { "__funnelshift_rc(0x12345678 * i, 0x9abcdef0, 40)", 0x9abcdef0 },
    { "__mul24(0x1000003 * i, -2)", -6 },
    { "__umul24(0x1000003 * i, 0x2000002)", 6 },
    { "__mulhi(-0x40000000 * i, 8)", -2 },
    { "__umulhi(0x80000000u * i, 8)", 4 },
    { "__mul64hi(-0x4000000000000000 * i, 8)", -2 },
    { "__umul64hi(0x8000000000000000 * i, 8)", 4 },
    { "__hadd(2147483647 * i, 2147483645)", 2147483646 },
    { "__hadd(-3 * i, 0)", -2 },
    { "__rhadd(-3 * i, 0)", -1 },
    { "__uhadd(0xffffffff * i, 0xfffffffe)", 4294967294.0 },
    { "__urhadd(0xffffffff * i, 0xfffffffe)", 4294967295.0 },
    { "__sad(-2147483647 * i, 2147483647, 3)", 1 },
    { "__usad(3 * i, 5, 10)", 12 },
    { "__dp4a(0x01ff0203 * i, 0x01010101, 10)", 15 },
    { "__dp4a(0x01ff0203u * i, 0x01010101u, 10u)", 271 },
    { "__float2int_rn(2.5f * i)", 2 },
    { "__float2int_rz(-2.5f * i)", -2 },
    { "__float2int_ru(2.5f * i)", 3 },
    { "__float2int_rd(-2.5f * i)", -3 },
    { "__float2int_rn(big)", 2147483647 },
    { "__float2int_rn(-big)", -2147483648.0 },
    { "__float2int_rz(big - big + __int_as_float(0x7fffffff))", 0 },
    { "__float2uint_rz(-3.0f * i)", 0 },
    { "__float2uint_rn(big)", 4294967295.0 },
    { "__double2int_rn(3.5 * i)", 4 },
    { "__double2ll_rd(-1e10 * i - 0.5)", -10000000001.0 },
    { "__double2uint_ru(1.25 * i)", 2 },
    { "__double2hiint(1.0 * i)", 0x3ff00000 },
    { "__hiloint2double(0x3ff00000 * i, 0)", 1 },
    { "__fadd_rn(1.0f * i, 1e-10f)", 1 },
    { "__fadd_ru(1.0f * i, 1e-10f)", 0x1.000002p0 },
    { "__fadd_rd(1.0f * i, -1e-10f)", 0x1.fffffep-1 },
    { "__fadd_rz(-1.0f * i, 1e-10f)", -0x1.fffffep-1 },
    { "__fsub_ru(1.0f * i, -1e-10f)", 0x1.000002p0 },
    { "__fmul_rd(f, f)", 0x1.47ae14p-7 },
    { "__fmul_ru(f, f)", 0x1.47ae16p-7 },
    { "__fdiv_ru(1.0f * i, 3)", 0x1.555556p-2 },
    { "__fdiv_rz(1.0f * i, 3)", 0x1.555554p-2 },
    { "__frcp_ru(3.0f * i)", 0x1.555556p-2 },
    { "__frcp_rd(3.0f * i)", 0x1.555554p-2 },
    { "__fsqrt_rd(2.0f * i)", 0x1.6a09e6p0 },
    { "__fsqrt_ru(2.0f * i)", 0x1.6a09e8p0 },
    { "__fmaf_ru(1.0f * i, 1.0f, 1e-10f)", 0x1.000002p0 },
    { "__fmaf_rn(f, f, -f * f)", -0x1.c28f5cp-32 },
    { "__dadd_ru(1.0 * i, 1e-20)", 0x1.0000000000001p0 },
    { "__dmul_rz(d, d) < __dmul_ru(d, d)", 1 },
    { "__ddiv_rd(1.0 * i, 3)", 0x1.5555555555555p-2 },
    { "__ddiv_ru(1.0 * i, 3)", 0x1.5555555555556p-2 },
    { "__dsqrt_ru(2.0 * i) - __dsqrt_rd(2.0 * i)", 0x1p-52 },
    { "__double2float_ru(d)", 0x1.99999ap-4 },
    { "__double2float_rd(d)", 0x1.999998p-4 },
    { "__int2float_rz(16777217 * i)", 16777216 },
    { "__int2float_ru(16777217 * i)", 16777218 },
    { "__ull2double_ru(0x20000000000001ull * i)", 9007199254740994.0 },
    { "__saturatef(1.5f * i)", 1 },
    { "__saturatef(-1.5f * i)", 0 },
    { "__saturatef(big - big + __int_as_float(0x7fffffff))", 0 },
    { "__fdividef(6.0f * i, 3)", 2 },
    { "fabsf(__log2f(8.0f * i) - 3) < 1e-5f", 1 },
    { "fabsf(__log10f(1000.0f * i) - 3) < 1e-5f", 1 },
    { "fabsf(__logf(1.0f * i)) < 1e-5f", 1 },
    { "fabsf(__expf(1.0f * i) - 2.7182818f) < 1e-4f", 1 },
    { "fabsf(__exp10f(2.0f * i) - 100) < 1e-3f", 1 },
    { "fabsf(__powf(2.0f * i, 10) - 1024) < 1e-2f", 1 },
    { "fabsf(__sinf(0.5f * i) - 0.47942554f) < 1e-4f", 1 },
    { "fabsf(__cosf(0.5f * i) - 0.87758256f) < 1e-4f", 1 },
    { "fabsf(__tanf(0.5f * i) - 0.54630249f) < 1e-4f", 1 },
    { "(__sincosf(0.5f * i, &s, &c), fabsf(s - 0.47942554f) + fabsf(c - 0.87758256f)) < 1e-4f", 1 },
    { "fabsf(rsqrtf(4.0f * i) - 0.5f) < 1e-6f", 1 },
    { "fabsf(__frsqrt_rn(2.0f * i) - 0.70710678f) < 1e-7f", 1 },
    { "sinpif(1.0f * i) + cospif(1.0f * i)", -1 },
    { "sinpi(2.5 * i)", 1 },
    { "exp10f(2.0f * i)", 100 },
    { "rhypot(3.0 * i, 4.0)", 0.2 },
    { "norm3d(2.0 * i, 3.0, 6.0)", 7 },
    { "normcdf(0.0 * i)", 0.5 },
    { "ldexpf(1.5f * i, 4)", 24 },
    { "ilogbf(1000.0f * i)", 9 },
    { "lrintf(2.5f * i) + llround(2.5 * i)", 5 },
    { "fdimf(3.0f * i, 1) + remainderf(7.0f * i, 4)", 1 },
    { "isnan(f) + isinf(big * big) + isfinite(d) + signbit(-f)", 3 },
    { "max(-1 * i, 1u)", 4294967295.0 },
    { "min(1.5 * i, f) < 0.2", 1 },
    { "__ldg(out) + __ldcg(out)", 0 },
    { "warpSize", 32 },
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

void probe_numbers(void)
{
    char *text = calloc(1, MOST_TEXT), *at = text;
    double values[NUMBERS] = { 0 };
    program p;
    int i = 1;
    float f = 0.1f, big = 1e30f;
    double d = 0.1;

    at += sprintf(at, "extern \"C\" __global__ void numbers(double *out, int i, float f, double d, float big)\n{ float s, c;\n");
    for (size_t n = 1; n <= NUMBERS; n++) /* the first stays 0 for those that load it */
        at += sprintf(at, "out[%zu] = (double)(%s);\n", n, numbers[n - 1].expression);
    strcpy(at, "}\n");
    if (!load(text, (NUMBERS + 1) * sizeof(double), &p)) {
        tap_skip("there is no NVRTC to compile kernels with");
        free(text);
        return;
    }
    NEED(cu.cuMemsetD8Async(p.out, 0, (NUMBERS + 1) * sizeof(double), p.stream));
    run(&p, "numbers", 1, 1, (void *[]){ &p.out, &i, &f, &d, &big });
    NEED(cu.cuMemcpyDtoHAsync_v2(values, p.out + sizeof(double), sizeof values, p.stream));
    NEED(cu.cuStreamSynchronize(p.stream));
    for (size_t n = 0; n < NUMBERS; n++)
        tap_is(values[n], numbers[n].value, "%s", numbers[n].expression);
    unload(&p);
    free(text);
}

/* ---- Warps ---- */

static unsigned bits_below(unsigned n)
{
    return n >= 32 ? 0xffffffff : (1u << n) - 1;
}

/* Of 64 threads t, with v = 1000 + t and l = t % 32; what a function gives to thread t, by the host's own computation. */
static const struct {
    const char *code;
    int kind;
} warps[] = {
    { "__shfl_sync(all, v, 5)", 0 },
    { "__shfl_sync(all, v, t + 1, 8)", 1 },
    { "__shfl_up_sync(all, v, 3, 16)", 2 },
    { "__shfl_down_sync(all, v, 2)", 3 },
    { "__shfl_xor_sync(all, v, 1)", 4 },
    { "__shfl_xor_sync(all, v, 9, 8)", 5 },
    { "__ballot_sync(all, t % 3 == 0)", 6 },
    { "__any_sync(all, t == 40) != 0", 7 },
    { "__all_sync(all, t < 40) != 0", 8 },
    { "__match_any_sync(all, l % 4)", 9 },
    { "__match_any_sync(all, (double)(l % 4))", 9 },
    { "(m = __match_all_sync(all, t / 32, &same), m + 0ull + (same != 0))", 10 },
    { "(m = __match_all_sync(all, t == 40, &same), m + 0ull + (same != 0))", 11 },
    { "__reduce_add_sync(all, t)", 12 },
    { "__reduce_max_sync(all, -t) + __reduce_min_sync(all, (unsigned)t)", 13 },
    { "__reduce_or_sync(all, 1u << l) - __reduce_and_sync(all, 3u | l) + __reduce_xor_sync(all, (unsigned)l)", 14 },
    { "(t & 1) ? __ballot_sync(0xaaaaaaaa, t & 2) : __ballot_sync(0x55555555, t & 4)", 15 },
    { "(l < 7) ? __activemask() : 0", 16 },
    { "(l < 8) ? __shfl_down_sync(0xff, v, 1, 4) : 0", 17 },
    { "__shfl_sync(all, (double)v, 5) + __shfl_sync(all, (float)v, 5) + __shfl_sync(all, (long long)v, 5)", 18 },
    { "__syncthreads_count(t % 3 == 0) + 100 * (__syncthreads_and(t < 63) != 0) + 200 * (__syncthreads_or(t == 63) != 0)", 19 },
    { "(s[t] = v, __syncwarp(), s[t ^ 1])", 20 },
    { "(s[t] = v, __syncwarp(), sum_of(t))", 21 },
};
enum { WARPS = sizeof warps / sizeof *warps };

static unsigned votes(unsigned first, unsigned step, unsigned mask)
{
    unsigned result = 0;

    for (unsigned l = first; l < 32; l += step)
        if (l & mask)
            result |= 1u << l;
    return result;
}

static unsigned long long expected(int kind, unsigned t)
{
    unsigned l = t % 32, w = t - l, v = 1000 + t, multiples = 0;

    for (unsigned other = 0; other < 32; other++)
        multiples |= (w + other) % 3 == 0 ? 1u << other : 0;
    const unsigned long long answers[] = {
        1000 + w + 5,
        1000 + (t & ~7u) + ((t + 1) & 7),
        l % 16 < 3 ? v : v - 3,
        l < 30 ? v + 2 : v,
        1000 + (t ^ 1),
        (l ^ 9) > (l | 7) ? v : 1000 + w + (l ^ 9),
        multiples,
        w == 32,
        w == 0,
        0x11111111u << l % 4,
        0xffffffffull + 1,
        w == 32 ? 0 : 0xffffffffull + 1,
        w * 32 + 496,
        0,
        0xffffffffu - 3,
        t & 1 ? votes(1, 2, 2) : votes(0, 2, 4),
        l < 7 ? bits_below(7) : 0,
        (l < 8) * (v + (l % 4 < 3)),
        3ull * (1005 + w),
        22 + 200,
        1000 + (t ^ 1),
        32ull * 1000 + w * 32 + 496,
    };
    return answers[kind];
}

static void write_warps(char *at)
{
    at += sprintf(at,
                  "__shared__ volatile int s[%d];\n"
                  "__device__ int sum_of(int t) { int sum = s[t]; for (int by = 16; by; by /= 2)\n"
                  "  sum += __shfl_xor_sync(0xffffffff, sum, by); return sum; }\n"
                  "extern \"C\" __global__ void warps(unsigned long long *out)\n"
                  "{ const unsigned all = 0xffffffff; unsigned m; int t = threadIdx.x + blockDim.x * threadIdx.y, l = t %% 32, v = "
                  "1000 + t,\n"
                  "  same;\n",
                  THREADS);
    for (size_t n = 0; n < WARPS; n++)
        at += sprintf(at, "out[%zu + t] = (unsigned long long)(%s);\n__syncwarp();\n", n * THREADS, warps[n].code);
    /* Threads that have ended, and a warp that is not whole. */
    sprintf(at, "}\nextern \"C\" __global__ void some(unsigned *out)\n"
                "{ int t = threadIdx.x; if (t >= 10 && t < 20) return; out[t] = __ballot_sync(0xffffffff, t != 3);\n"
                "  if (t >= 20 && t < 32) return; __syncthreads(); out[t] += __shfl_sync(0xffffffff, t, 1); }\n");
}

static void probe_some(const program *p)
{
    unsigned values[40] = { 0 };
    bool right = true;

    run(p, "some", 40, 1, (void *[]){ (void *)&p->out });
    NEED(cu.cuMemcpyDtoHAsync_v2(values, p->out, sizeof values, p->stream));
    NEED(cu.cuStreamSynchronize(p->stream));
    for (unsigned t = 0; t < 40; t++) {
        unsigned first = 0xffffffff & ~(bits_below(20) & ~bits_below(10)) & ~8u;
        unsigned value = t < 10 ? first + 1 : t < 20 ? 0 : t < 32 ? first : 0xff + 33;
        if (t < 10 || t >= 20)
            right = right && values[t] == value;
    }
    probe_yes("threads that have ended are not waited for", right, true);
}

void probe_warps(void)
{
    static const struct {
        unsigned x, y;
    } blocks[] = { { THREADS, 1 }, { 8, THREADS / 8 } };
    static unsigned long long values[WARPS * THREADS];
    char *text = calloc(1, MOST_TEXT);
    program p;

    write_warps(text);
    if (!load(text, sizeof values, &p)) {
        tap_skip("there is no NVRTC to compile kernels with");
        free(text);
        return;
    }
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        run(&p, "warps", blocks[b].x, blocks[b].y, (void *[]){ &p.out });
        NEED(cu.cuMemcpyDtoHAsync_v2(values, p.out, sizeof values, p.stream));
        NEED(cu.cuStreamSynchronize(p.stream));
        for (size_t n = 0; n < WARPS; n++) {
            unsigned wrong = THREADS;
            for (unsigned t = THREADS; t-- > 0;)
                wrong = values[n * THREADS + t] == expected(warps[n].kind, t) ? wrong : t;
            if (!tap_ok(wrong == THREADS, "block of %u, %u: %s", blocks[b].x, blocks[b].y, warps[n].code))
                tap_diag("thread %u has %llu, not %llu", wrong, values[n * THREADS + wrong], expected(warps[n].kind, wrong));
        }
    }
    probe_some(&p);
    unload(&p);
    free(text);
}
