/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sum of n floats: each work-group writes its partial sum to out[group]. The order of the additions depends only on the sizes of
 * the launch, so the same launch gives the same bits each time and on every device. A second launch, of one group, adds the partial
 * sums.
 * Tolerance: 0
 */

/* Work-groups of any size, with one float of local memory, the launch's dynamic shared memory, for each work-item of a group. */
__kernel void reduce_sum(__global const float *restrict in, __global float *restrict out, int n, __local float *partial)
{
    const unsigned int item = get_local_id(0);
    float sum = 0.0f;

    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0))
        sum += in[i];
    partial[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    /* Fold the upper half onto the lower half, which is one longer when the count is odd. */
    for (unsigned int count = get_local_size(0); count > 1;) {
        const unsigned int upper = (count + 1) / 2;

        if (item < count - upper)
            partial[item] += partial[item + upper];
        barrier(CLK_LOCAL_MEM_FENCE);
        count = upper;
    }
    if (item == 0)
        out[get_group_id(0)] = partial[0];
}
