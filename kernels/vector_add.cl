/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c = a + b. One work-item for each of the n elements: yoke_launch_n(stream, vector_add, n, YOKE_ARGS(a, b, c, n)).
 * The index is unsigned because n rounded up to whole work-groups can be more than an int holds.
 * Tolerance: 0
 */

__kernel void vector_add(__global const float *restrict a, __global const float *restrict b, __global float *restrict c, int n)
{
    const unsigned int i = get_global_id(0);

    if (i < (unsigned int)n)
        c[i] = a[i] + b[i];
}
