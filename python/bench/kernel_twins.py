# SPDX-License-Identifier: Apache-2.0
"""Ten kernels, each as a Python function and as the text for it in CUDA C++ and in OpenCL C: kernels.py times them."""

import math

import yoke

TILE, BINS, BLOCK = 16, 256, 256


@yoke.kernel
def saxpy(y, x, a):
    i = yoke.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


@yoke.kernel
def product(c, a, b):
    at = yoke.shared((TILE, TILE), "float32")
    bt = yoke.shared((TILE, TILE), "float32")
    tx, ty = yoke.thread.x, yoke.thread.y
    j, i = yoke.grid(2)
    total = 0
    for k in range(0, a.shape[1], TILE):
        at[ty, tx] = a[i, k + tx]
        bt[ty, tx] = b[k + ty, j]
        yoke.barrier()
        for m in range(TILE):
            total += at[ty, m] * bt[m, tx]
        yoke.barrier()
    c[i, j] = total


@yoke.kernel
def reduction(out, x):
    part = yoke.shared(BLOCK, "float32")
    t = yoke.thread.x
    total = 0
    for i in range(yoke.grid(1), x.size, yoke.gridsize(1)):
        total += x[i]
    part[t] = total
    yoke.barrier()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        yoke.barrier()
        half //= 2
    if t == 0:
        out[yoke.block.x] = part[0]


@yoke.kernel
def histogram(counts, x):
    part = yoke.shared(BINS, "int32")
    t = yoke.thread.x
    part[t] = 0
    yoke.barrier()
    for i in range(yoke.grid(1), x.size, yoke.gridsize(1)):
        yoke.atomic.add(part, x[i], 1)
    yoke.barrier()
    yoke.atomic.add(counts, t, part[t])


@yoke.kernel
def stencil(new, old):
    j, i = yoke.grid(2)
    if 0 < i < old.shape[0] - 1 and 0 < j < old.shape[1] - 1:
        new[i, j] = 0.25 * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])


@yoke.kernel
def nbody(force, at):
    i = yoke.grid(1)
    if i < at.shape[0]:
        x, y, z = at[i, 0], at[i, 1], at[i, 2]
        fx = fy = fz = 0.0
        for k in range(at.shape[0]):
            dx, dy, dz = at[k, 0] - x, at[k, 1] - y, at[k, 2] - z
            inverse = 1 / math.sqrt(dx * dx + dy * dy + dz * dz + 0.01)
            weight = at[k, 3] * inverse * inverse * inverse
            fx += weight * dx
            fy += weight * dy
            fz += weight * dz
        force[i, 0], force[i, 1], force[i, 2] = fx, fy, fz


@yoke.kernel
def mandelbrot(out, limit):
    j, i = yoke.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        cr, ci = j * 3.5 / out.shape[1] - 2.5, i * 2.0 / out.shape[0] - 1
        a = b = 0.0
        count = 0
        while a * a + b * b <= 4 and count < limit:
            a, b = a * a - b * b + cr, 2 * a * b + ci
            count += 1
        out[i, j] = count


@yoke.function
def normal(d):
    k = 1 / (1 + 0.2316419 * abs(d))
    series = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * math.exp(-0.5 * d * d) * series
    return 1 - tail if d > 0 else tail


@yoke.kernel
def black_scholes(call, put, price, strike, years, rate, volatility):
    i = yoke.grid(1)
    if i < price.size:
        s, x, t = price[i], strike[i], years[i]
        root = volatility * math.sqrt(t)
        d1 = (math.log(s / x) + (rate + 0.5 * volatility * volatility) * t) / root
        discounted = x * math.exp(-rate * t)
        n1, n2 = normal(d1), normal(d1 - root)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (1 - n2) - s * (1 - n1)


@yoke.kernel
def scan(out, x):
    part = yoke.shared((2, BLOCK), "int32")
    t, i = yoke.thread.x, yoke.grid(1)
    now = 0
    part[0, t] = x[i]
    yoke.barrier()
    step = 1
    while step < BLOCK:
        value = part[now, t]
        if t >= step:
            value += part[now, t - step]
        now = 1 - now
        part[now, t] = value
        yoke.barrier()
        step *= 2
    out[i] = part[now, t]


@yoke.kernel
def heat(new, old, c):
    i, y = yoke.grid(2)
    n = old.shape[0]
    if 0 < i < n - 1 and 0 < y < n - 1:
        for z in range(1, n - 1):
            new[z, y, i] = old[z, y, i] + c * (old[z, y, i - 1] + old[z, y, i + 1] + old[z, y - 1, i] + old[z, y + 1, i]
                                               + old[z - 1, y, i] + old[z + 1, y, i] - 6 * old[z, y, i])


CUDA = """
#define KERNEL extern "C" __global__
#define GLOBAL
#define SHARED __shared__
#define BARRIER() __syncthreads()
#define TX threadIdx.x
#define TY threadIdx.y
#define BX blockIdx.x
#define GX (blockIdx.x * blockDim.x + threadIdx.x)
#define GY (blockIdx.y * blockDim.y + threadIdx.y)
#define SIZE (gridDim.x * blockDim.x)
#define ADD(p, v) atomicAdd(p, v)
#define SHARED_INT int
#define FN static __device__
#define SQRT sqrtf
#define EXP expf
#define LOG logf
#define ABS fabsf
"""

OPENCL = """
#define KERNEL __kernel
#define GLOBAL __global
#define SHARED __local
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define TX get_local_id(0)
#define TY get_local_id(1)
#define BX get_group_id(0)
#define GX get_global_id(0)
#define GY get_global_id(1)
#define SIZE get_global_size(0)
#define ADD(p, v) atomic_add(p, v)
#define SHARED_INT volatile __local int
#define FN static
#define SQRT sqrt
#define EXP exp
#define LOG log
#define ABS fabs
"""

TEXT = """
#define TILE 16
#define BINS 256
#define BLOCK 256
KERNEL void saxpy(GLOBAL float *y, GLOBAL const float *x, float a, int n)
{
    int i = GX;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

KERNEL void product(GLOBAL float *c, GLOBAL const float *a, GLOBAL const float *b, int n)
{
    SHARED float at[TILE][TILE], bt[TILE][TILE];
    int tx = TX, ty = TY, j = GX, i = GY;
    float total = 0;
    for (int k = 0; k < n; k += TILE) {
        at[ty][tx] = a[i * n + k + tx];
        bt[ty][tx] = b[(k + ty) * n + j];
        BARRIER();
        for (int m = 0; m < TILE; m++)
            total += at[ty][m] * bt[m][tx];
        BARRIER();
    }
    c[i * n + j] = total;
}

KERNEL void reduction(GLOBAL float *out, GLOBAL const float *x, int n)
{
    SHARED float part[BLOCK];
    int t = TX;
    float total = 0;
    for (int i = GX; i < n; i += SIZE)
        total += x[i];
    part[t] = total;
    BARRIER();
    for (int half_ = BLOCK / 2; half_ > 0; half_ /= 2) {
        if (t < half_)
            part[t] += part[t + half_];
        BARRIER();
    }
    if (t == 0)
        out[BX] = part[0];
}

KERNEL void histogram(GLOBAL int *counts, GLOBAL const int *x, int n)
{
    SHARED int part[BINS];
    int t = TX;
    part[t] = 0;
    BARRIER();
    for (int i = GX; i < n; i += SIZE)
        ADD(&part[x[i]], 1);
    BARRIER();
    ADD(&counts[t], part[t]);
}

KERNEL void stencil(GLOBAL float *to, GLOBAL const float *from, int n)
{
    int j = GX, i = GY;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
        to[i * n + j] = 0.25f * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);
}

KERNEL void nbody(GLOBAL float *force, GLOBAL const float *at, int n)
{
    int i = GX;
    if (i < n) {
        float x = at[4 * i], y = at[4 * i + 1], z = at[4 * i + 2], fx = 0, fy = 0, fz = 0;
        for (int k = 0; k < n; k++) {
            float dx = at[4 * k] - x, dy = at[4 * k + 1] - y, dz = at[4 * k + 2] - z;
            float inverse = 1 / SQRT(dx * dx + dy * dy + dz * dz + 0.01f);
            float weight = at[4 * k + 3] * inverse * inverse * inverse;
            fx += weight * dx;
            fy += weight * dy;
            fz += weight * dz;
        }
        force[3 * i] = fx, force[3 * i + 1] = fy, force[3 * i + 2] = fz;
    }
}

KERNEL void mandelbrot(GLOBAL int *out, int limit, int h, int w)
{
    int j = GX, i = GY;
    if (i < h && j < w) {
        float cr = j * 3.5f / w - 2.5f, ci = i * 2.0f / h - 1, a = 0, b = 0;
        int count = 0;
        while (a * a + b * b <= 4 && count < limit) {
            float next = a * a - b * b + cr;
            b = 2 * a * b + ci;
            a = next;
            count++;
        }
        out[i * w + j] = count;
    }
}

FN float normal(float d)
{
    float k = 1 / (1 + 0.2316419f * ABS(d));
    float series = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.3989422804f * EXP(-0.5f * d * d) * series;
    return d > 0 ? 1 - tail : tail;
}

KERNEL void black_scholes(GLOBAL float *call, GLOBAL float *put, GLOBAL const float *price, GLOBAL const float *strike,
                          GLOBAL const float *years, float rate, float volatility, int n)
{
    int i = GX;
    if (i < n) {
        float s = price[i], x = strike[i], t = years[i], root = volatility * SQRT(t);
        float d1 = (LOG(s / x) + (rate + 0.5f * volatility * volatility) * t) / root;
        float discounted = x * EXP(-rate * t), n1 = normal(d1), n2 = normal(d1 - root);
        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1 - n2) - s * (1 - n1);
    }
}

KERNEL void scan(GLOBAL int *out, GLOBAL const int *x)
{
    SHARED int part[2][BLOCK];
    int t = TX, i = GX, now = 0;
    part[0][t] = x[i];
    BARRIER();
    for (int step_ = 1; step_ < BLOCK; step_ *= 2) {
        int value = part[now][t];
        if (t >= step_)
            value += part[now][t - step_];
        now = 1 - now;
        part[now][t] = value;
        BARRIER();
    }
    out[i] = part[now][t];
}

KERNEL void heat(GLOBAL float *to, GLOBAL const float *from, float c, int n)
{
    int i = GX, y = GY, plane = n * n;
    if (i > 0 && i < n - 1 && y > 0 && y < n - 1)
        for (int z = 1; z < n - 1; z++) {
            int at = z * plane + y * n + i;
            to[at] = from[at] + c * (from[at - 1] + from[at + 1] + from[at - n] + from[at + n] + from[at - plane] + from[at + plane]
                                     - 6 * from[at]);
        }
}
"""
