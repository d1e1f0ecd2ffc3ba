/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sum of n floats: each block writes its partial sum to out[block]. The order of the additions depends only on grid and block, so
 * the same launch gives the same bits each time and on every device. A second launch, of one block, adds the partial sums.
 * Tolerance: 0
 */

/* Blocks of any size, with one float of dynamic shared memory for each thread of a block. */
extern "C" __global__ void reduce_sum(const float *__restrict__ in, float *__restrict__ out, int n)
{
    extern __shared__ float partial[];
    const unsigned int thread = threadIdx.x;
    float sum = 0.0f;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + thread; i < (size_t)n; i += (size_t)gridDim.x * blockDim.x)
        sum += in[i];
    partial[thread] = sum;
    __syncthreads();

    /* Fold the upper half onto the lower half, which is one longer when the count is odd. */
    for (unsigned int count = blockDim.x; count > 1;) {
        const unsigned int half = (count + 1) / 2;

        if (thread < count - half)
            partial[thread] += partial[thread + half];
        __syncthreads();
        count = half;
    }
    if (thread == 0)
        out[blockIdx.x] = partial[0];
}
