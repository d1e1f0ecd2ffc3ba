/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = a x + y. One thread for each of the n elements: yoke_launch_n(stream, saxpy, n, YOKE_ARGS(x, y, a, n)).
 * fmaf rounds once on every device: the result of a plain a * x + y would depend on the compiler.
 * Tolerance: 0
 */

extern "C" __global__ void saxpy(const float *__restrict__ x, float *__restrict__ y, float a, int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < (unsigned int)n)
        y[i] = fmaf(a, x[i], y[i]);
}
