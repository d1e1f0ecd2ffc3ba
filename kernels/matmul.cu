/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix product c = a b of row-major matrices of any shape: a is m x k, b is k x n, c is m x n.
 * Both kernels add up in the order of k with one rounding per step, so they give the same bits.
 * Tolerance: 0
 */

/* One thread for each element of c: x over columns, y over rows, in blocks of any size. */
extern "C" __global__ void matmul_naive(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m,
                                        int n, int k)
{
    const unsigned int column = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;

    if (row >= (unsigned int)m || column >= (unsigned int)n)
        return;
    for (int i = 0; i < k; i++)
        sum = fmaf(a[(size_t)row * k + i], b[(size_t)i * n + column], sum);
    c[(size_t)row * n + column] = sum;
}

#define SIDE 16             /* threads along each side of a block */
#define EACH 4              /* a thread computes EACH x EACH elements */
#define TILE (SIDE * EACH)  /* a block computes TILE x TILE elements */

/*
 * A block of 16 x 16 threads for each 64 x 64 tile of c: x over columns, y over rows.
 *
 * The block walks along k in steps of 16 and keeps the strip of a and of b that it needs in shared memory. Each thread holds 16
 * sums in registers, 16 rows and columns apart, so that neighbouring threads read neighbouring words from b's strip and write
 * neighbouring words of c. Outside the matrices the strips are filled with zeros.
 */
extern "C" __global__ void __launch_bounds__(SIDE *SIDE)
    matmul_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k)
{
    __shared__ float a_strip[TILE][SIDE];
    __shared__ float b_strip[SIDE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum[EACH][EACH] = { { 0.0f } };

    for (int start = 0; start < k; start += SIDE) {
        for (int i = 0; i < EACH; i++) {
            const int r = row + i * SIDE, s = column + i * SIDE;

            a_strip[y + i * SIDE][x] = r < m && start + x < k ? a[(size_t)r * k + start + x] : 0.0f;
            b_strip[y][x + i * SIDE] = s < n && start + y < k ? b[(size_t)(start + y) * n + s] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < SIDE; step++) {
            float left[EACH], right[EACH];

#pragma unroll
            for (int i = 0; i < EACH; i++) {
                left[i] = a_strip[y + i * SIDE][step];
                right[i] = b_strip[step][x + i * SIDE];
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++)
                    sum[i][j] = fmaf(left[i], right[j], sum[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (row + i * SIDE < m && column + j * SIDE < n)
                c[(size_t)(row + i * SIDE) * n + column + j * SIDE] = sum[i][j];
}
