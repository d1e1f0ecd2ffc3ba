/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that many programs use, as CUDA C++ and as OpenCL C. Both twins have the same parameters in the same order.
 */
#ifndef KERNELS_H
#define KERNELS_H

/* x[0] = k */
#define SET_CUDA "extern \"C\" __global__ void set(unsigned *x, unsigned k) { x[0] = k; }\n"
#define SET_OPENCL "__kernel void set(__global uint *x, uint k) { x[0] = k; }\n"

/* x = 3x + k for each of n words, which neither commutes nor can be repeated: any change of the order shows. */
#define ADVANCE_CUDA                                                              \
    "extern \"C\" __global__ void advance(unsigned *x, unsigned n, unsigned k)\n" \
    "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 3u * x[i] + k; }\n"
#define ADVANCE_OPENCL                                          \
    "__kernel void advance(__global uint *x, uint n, uint k)\n" \
    "{ uint i = get_global_id(0); if (i < n) x[i] = 3u * x[i] + k; }\n"

/* The same for the first word alone. */
#define ADVANCE_ONE_CUDA "extern \"C\" __global__ void advance(unsigned *x, unsigned k) { x[0] = x[0] * 3u + k; }\n"
#define ADVANCE_ONE_OPENCL "__kernel void advance(__global uint *x, uint k) { x[0] = x[0] * 3u + k; }\n"

/* x += k for each of n words. */
#define ADD_CUDA                                                              \
    "extern \"C\" __global__ void add(unsigned *x, unsigned n, unsigned k)\n" \
    "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += k; }\n"
#define ADD_OPENCL "__kernel void add(__global uint *x, uint n, uint k) { uint i = get_global_id(0); if (i < n) x[i] += k; }\n"

/* A kernel that takes a while, for suite_spin. A round is 256 steps that no compiler can fold into fewer, because Mesa's llvmpipe
 * ends every loop after 65535 rounds. */
#define SPIN_CUDA "extern \"C\" __global__ void spin(unsigned *out, unsigned value, unsigned rounds)\n" SPIN_BODY
#define SPIN_OPENCL "__kernel void spin(__global uint *out, uint value, uint rounds)\n" SPIN_BODY
#define SPIN_BODY                                                                                   \
    "{\n#define SPIN1 x = x * 1664525u + 1013904223u; x ^= x >> 16;\n"                              \
    "#define SPIN4 SPIN1 SPIN1 SPIN1 SPIN1\n#define SPIN16 SPIN4 SPIN4 SPIN4 SPIN4\n"               \
    "#define SPIN64 SPIN16 SPIN16 SPIN16 SPIN16\n"                                                  \
    "  unsigned x = value; for (unsigned i = 0; i < rounds; i++) { SPIN64 SPIN64 SPIN64 SPIN64 }\n" \
    "  out[0] = value; out[1] = x; }\n"
enum { SPIN_STEPS = 256, SPIN_MOST = 60000 };

#endif
