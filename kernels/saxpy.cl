/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = a x + y. One work-item for each of the n elements: yoke_launch_n(stream, saxpy, n, YOKE_ARGS(x, y, a, n)).
 * fma rounds once on every device: the result of a plain a * x + y would depend on the compiler.
 * Tolerance: 0
 */

__kernel void saxpy(__global const float *restrict x, __global float *restrict y, float a, int n)
{
    const unsigned int i = get_global_id(0);

    if (i < (unsigned int)n)
        y[i] = fma(a, x[i], y[i]);
}
