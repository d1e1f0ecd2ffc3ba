/* SPDX-License-Identifier: Apache-2.0 */
/* saxpy.cl of doc/tutorial.md. */
__kernel void saxpy(__global const float *x, __global float *y, float a, int n)
{
    int i = get_global_id(0);

    if (i < n)
        y[i] = fma(a, x[i], y[i]);
}
