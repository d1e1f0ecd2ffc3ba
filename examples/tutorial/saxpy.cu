/* SPDX-License-Identifier: Apache-2.0 */
/* saxpy.cu of doc/tutorial.md. */
__global__ void saxpy(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = fmaf(a, x[i], y[i]);
}
