/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Move n points of space by an affine map: result = rows * (x, y, z, 1). w stays unchanged: a weight, a colour, an index.
 * Shows structs as array elements and by value: the host's structs have the same members in the same order.
 * Tolerance: 0
 */

struct point {
    float x, y, z, w;
};

struct affine {
    float rows[12]; /* 3 rows of 4: a 3 x 3 matrix, and the shift in the last column */
};

static __device__ float apply(const float *row, struct point p)
{
    return fmaf(row[0], p.x, fmaf(row[1], p.y, fmaf(row[2], p.z, row[3])));
}

/* One thread for each point: yoke_launch_n(s, points_transform, n, YOKE_ARGS(in, out, yoke_arg_struct(&map, sizeof map), n)). */
extern "C" __global__ void points_transform(const struct point *__restrict__ in, struct point *__restrict__ out, struct affine map,
                                            int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < (unsigned int)n) {
        const struct point p = in[i];
        struct point q;

        q.x = apply(map.rows, p);
        q.y = apply(map.rows + 4, p);
        q.z = apply(map.rows + 8, p);
        q.w = p.w;
        out[i] = q;
    }
}
