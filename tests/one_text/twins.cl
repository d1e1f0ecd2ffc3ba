/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of six.yk that are not among Yoke's built-in kernels, as one would write them for OpenCL alone. */

/* How often each byte occurs. */
__kernel void histogram(__global const unsigned char *restrict bytes, __global unsigned int *restrict counts, int n)
{
    __local unsigned int bins[256] __attribute__((aligned(16)));

    for (unsigned int bin = get_local_id(0); bin < 256; bin += get_local_size(0))
        bins[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (unsigned int i = get_global_id(0); i < (unsigned int)n; i += get_global_size(0))
        atomic_inc(&bins[bytes[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (unsigned int bin = get_local_id(0); bin < 256; bin += get_local_size(0))
        atomic_add(&counts[bin], bins[bin]);
}

#define WIDE 32
#define HIGH 8

/* One step of heat on a plate. */
__kernel __attribute__((reqd_work_group_size(WIDE, HIGH, 1))) void
stencil(__global const float *restrict from, __global float *restrict to, float rate, int width, int height)
{
    __local float tile[HIGH + 2][WIDE + 2] __attribute__((aligned(16)));
    const int left = get_group_id(0) * WIDE - 1, top = get_group_id(1) * HIGH - 1;
    const int thread_x = get_local_id(0), thread_y = get_local_id(1);
    const int x = left + 1 + thread_x, y = top + 1 + thread_y;

    for (int i = thread_y * WIDE + thread_x; i < (HIGH + 2) * (WIDE + 2); i += WIDE * HIGH) {
        const int column = left + i % (WIDE + 2), row = top + i / (WIDE + 2);

        if (column >= 0 && column < width && row >= 0 && row < height)
            tile[i / (WIDE + 2)][i % (WIDE + 2)] = from[(size_t)row * width + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width && y < height) {
        float value = tile[thread_y + 1][thread_x + 1];

        if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
            value += rate * (tile[thread_y][thread_x + 1] + tile[thread_y + 2][thread_x + 1] + tile[thread_y + 1][thread_x] +
                             tile[thread_y + 1][thread_x + 2] - 4.0f * value);
        to[(size_t)y * width + x] = value;
    }
}

#define BODIES 128

/* One step of n bodies: xyz is the place, w the mass. */
__kernel __attribute__((reqd_work_group_size(BODIES, 1, 1))) void
nbody(__global const float4 *restrict from, __global float4 *restrict to, __global float4 *restrict velocity, float dt, int n)
{
    __local float4 others[BODIES] __attribute__((aligned(16)));
    const int thread = get_local_id(0), i = get_global_id(0);
    const float4 here = i < n ? from[i] : (float4)(0.0f);
    float ax = 0.0f, ay = 0.0f, az = 0.0f;

    for (int first = 0; first < n; first += BODIES) {
        others[thread] = first + thread < n ? from[first + thread] : (float4)(0.0f);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 8
        for (int j = 0; j < BODIES; j++) {
            const float4 other = others[j];
            const float dx = other.x - here.x, dy = other.y - here.y, dz = other.z - here.z;
            const float square = fma(dx, dx, fma(dy, dy, fma(dz, dz, 0.01f)));
            const float pull = other.w / (square * sqrt(square));

            ax = fma(dx, pull, ax);
            ay = fma(dy, pull, ay);
            az = fma(dz, pull, az);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) {
        float4 v = velocity[i];

        v.xyz = (float3)(fma(dt, ax, v.x), fma(dt, ay, v.y), fma(dt, az, v.z));
        velocity[i] = v;
        to[i] = (float4)(fma(dt, v.x, here.x), fma(dt, v.y, here.y), fma(dt, v.z, here.z), here.w);
    }
}
