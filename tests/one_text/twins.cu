/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of six.yk that are not among Yoke's built-in kernels, as one would write them for CUDA alone. */

/* How often each byte occurs. */
extern "C" __global__ void histogram(const unsigned char *__restrict__ bytes, unsigned int *__restrict__ counts, int n)
{
    __shared__ unsigned int bins[256];
    const unsigned int all = gridDim.x * blockDim.x;

    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        bins[bin] = 0;
    __syncthreads();
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < (unsigned int)n; i += all)
        atomicAdd(&bins[bytes[i]], 1u);
    __syncthreads();
    for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        atomicAdd(&counts[bin], bins[bin]);
}

#define WIDE 32
#define HIGH 8

/* One step of heat on a plate. */
extern "C" __global__ void __launch_bounds__(WIDE *HIGH)
    stencil(const float *__restrict__ from, float *__restrict__ to, float rate, int width, int height)
{
    __shared__ float tile[HIGH + 2][WIDE + 2];
    const int left = blockIdx.x * WIDE - 1, top = blockIdx.y * HIGH - 1;
    const int thread_x = threadIdx.x, thread_y = threadIdx.y;
    const int x = left + 1 + thread_x, y = top + 1 + thread_y;

    for (int i = thread_y * WIDE + thread_x; i < (HIGH + 2) * (WIDE + 2); i += WIDE * HIGH) {
        const int column = left + i % (WIDE + 2), row = top + i / (WIDE + 2);

        if (column >= 0 && column < width && row >= 0 && row < height)
            tile[i / (WIDE + 2)][i % (WIDE + 2)] = from[(size_t)row * width + column];
    }
    __syncthreads();
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
extern "C" __global__ void __launch_bounds__(BODIES)
    nbody(const float4 *__restrict__ from, float4 *__restrict__ to, float4 *__restrict__ velocity, float dt, int n)
{
    __shared__ float4 others[BODIES];
    const int thread = threadIdx.x, i = blockIdx.x * BODIES + threadIdx.x;
    const float4 here = i < n ? from[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float ax = 0.0f, ay = 0.0f, az = 0.0f;

    for (int first = 0; first < n; first += BODIES) {
        others[thread] = first + thread < n ? from[first + thread] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < BODIES; j++) {
            const float4 other = others[j];
            const float dx = other.x - here.x, dy = other.y - here.y, dz = other.z - here.z;
            const float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f)));
            const float pull = other.w / (square * sqrtf(square));

            ax = fmaf(dx, pull, ax);
            ay = fmaf(dy, pull, ay);
            az = fmaf(dz, pull, az);
        }
        __syncthreads();
    }
    if (i < n) {
        float4 v = velocity[i];

        v.x = fmaf(dt, ax, v.x);
        v.y = fmaf(dt, ay, v.y);
        v.z = fmaf(dt, az, v.z);
        velocity[i] = v;
        to[i] = make_float4(fmaf(dt, v.x, here.x), fmaf(dt, v.y, here.y), fmaf(dt, v.z, here.z), here.w);
    }
}
