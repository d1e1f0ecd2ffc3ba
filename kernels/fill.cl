/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of `width` bytes, `pitch` bytes apart, filled 16 bytes at a time: `chunk` is what an aligned chunk holds. One work-item for
 * each chunk that a row touches, in x; rows in y, in steps where there are more than groups. `target` is aligned to 16 bytes, and
 * so is `pitch` when there is more than one row.
 * Tolerance: 0
 */

__kernel void fill(__global unsigned char *target, ulong offset, ulong width, ulong pitch, ulong rows, uint4 chunk)
{
    for (ulong row = get_group_id(1); row < rows; row += get_num_groups(1)) {
        const ulong start = offset + row * pitch, end = start + width;
        const ulong at = (start / 16 + get_global_id(0)) * 16;

        if (at >= start && at + 16 <= end) {
            *(__global uint4 *)(target + at) = chunk;
        } else if (at < end) { /* the first and the last chunk may be only partly the row's */
            for (uint i = 0; i < 16; i++) {
                const uint word = i / 4 == 0 ? chunk.x : i / 4 == 1 ? chunk.y : i / 4 == 2 ? chunk.z : chunk.w;
                if (at + i >= start && at + i < end)
                    target[at + i] = (uchar)(word >> i % 4 * 8);
            }
        }
    }
}
