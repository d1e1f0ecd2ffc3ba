/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of `width` bytes, `pitch` bytes apart, filled 16 bytes at a time: `chunk` is what an aligned chunk holds. One thread for
 * each chunk that a row touches, in x; rows in y, in steps where there are more than blocks. `target` is aligned to 16 bytes, and
 * so is `pitch` when there is more than one row.
 * Tolerance: 0
 */

extern "C" __global__ void fill(unsigned char *target, unsigned long long offset, unsigned long long width,
                                unsigned long long pitch, unsigned long long rows, uint4 chunk)
{
    for (unsigned long long row = blockIdx.y; row < rows; row += gridDim.y) {
        const unsigned long long start = offset + row * pitch, end = start + width;
        const unsigned long long thread = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
        const unsigned long long at = (start / 16 + thread) * 16;

        if (at >= start && at + 16 <= end) {
            *(uint4 *)(target + at) = chunk;
        } else if (at < end) { /* the first and the last chunk may be only partly the row's */
            for (unsigned int i = 0; i < 16; i++) {
                const unsigned int word = i / 4 == 0 ? chunk.x : i / 4 == 1 ? chunk.y : i / 4 == 2 ? chunk.z : chunk.w;
                if (at + i >= start && at + i < end)
                    target[at + i] = (unsigned char)(word >> i % 4 * 8);
            }
        }
    }
}
