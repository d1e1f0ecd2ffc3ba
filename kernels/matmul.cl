/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix product c = a b of row-major matrices of any shape: a is m x k, b is k x n, c is m x n.
 * Both kernels add up in the order of k with one rounding per step, so they give the same bits.
 * Tolerance: 0
 */

/* One work-item for each element of c: x over columns, y over rows, in work-groups of any size. */
__kernel void matmul_naive(__global const float *restrict a, __global const float *restrict b, __global float *restrict c, int m,
                           int n, int k)
{
    const unsigned int column = get_global_id(0);
    const unsigned int row = get_global_id(1);
    float sum = 0.0f;

    if (row >= (unsigned int)m || column >= (unsigned int)n)
        return;
    for (int i = 0; i < k; i++)
        sum = fma(a[(size_t)row * k + i], b[(size_t)i * n + column], sum);
    c[(size_t)row * n + column] = sum;
}

#define SIDE 16             /* work-items along each side of a work-group */
#define EACH 4              /* a work-item computes EACH x EACH elements */
#define TILE (SIDE * EACH)  /* a work-group computes TILE x TILE elements */

/*
 * A work-group of 16 x 16 work-items for each 64 x 64 tile of c: x over columns, y over rows.
 *
 * The group walks along k in steps of 16 and keeps the strip of a and of b that it needs in local memory. Each work-item holds 16
 * sums in registers, 16 rows and columns apart, so that neighbouring work-items read neighbouring words from b's strip and write
 * neighbouring words of c. Outside the matrices the strips are filled with zeros.
 *
 * aligned(16) is for NVIDIA's driver, which would place the arrays 4 bytes off and read them one word at a time.
 */
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void
matmul_tiled(__global const float *restrict a, __global const float *restrict b, __global float *restrict c, int m, int n, int k)
{
    __local float a_strip[TILE][SIDE] __attribute__((aligned(16)));
    __local float b_strip[SIDE][TILE] __attribute__((aligned(16)));
    const int x = get_local_id(0), y = get_local_id(1);
    const int row = get_group_id(1) * TILE + y, column = get_group_id(0) * TILE + x;
    float sum[EACH][EACH] = { { 0.0f } };

    for (int start = 0; start < k; start += SIDE) {
        for (int i = 0; i < EACH; i++) {
            const int r = row + i * SIDE, s = column + i * SIDE;

            a_strip[y + i * SIDE][x] = r < m && start + x < k ? a[(size_t)r * k + start + x] : 0.0f;
            b_strip[y][x + i * SIDE] = s < n && start + y < k ? b[(size_t)(start + y) * n + s] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
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
                    sum[i][j] = fma(left[i], right[j], sum[i][j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (row + i * SIDE < m && column + j * SIDE < n)
                c[(size_t)(row + i * SIDE) * n + column + j * SIDE] = sum[i][j];
}
