/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c = a + b. One thread for each of the n elements: yoke_launch_n(stream, vector_add, n, YOKE_ARGS(a, b, c, n)).
 * The index is unsigned because n rounded up to whole blocks can be more than an int holds.
 * Tolerance: 0
 */

extern "C" __global__ void vector_add(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < (unsigned int)n)
        c[i] = a[i] + b[i];
}
