/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Yoke's own kernels against the same arithmetic on the host: to the last bit, because the order of the operations is fixed, each
 * is rounded as IEEE says, and multiplications and additions are fused only where the source says fma. A device that does not round
 * so (YOKE_CAP_EXACT_FP32) is held to a tolerance instead. Sizes are no multiples of the blocks, grids are larger than they need to
 * be, and outputs lie between guard bytes. No host functions and no threads, so that this also runs under Oclgrind.
 */
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the larger of 1 and the expected value; for devices that do not round exactly. */
static const double tolerance = 1e-5;

static yoke_program *build(suite *t, const char *name)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;

    if (CHECK_OK(yoke_source_builtin(name, &source)) && !CHECK_OK(yoke_program_build(t->device, &source, &program)))
        tap_diag("%s", yoke_program_get_build_log());
    return program;
}

/* A block of x * y threads, or as many as the kernel may have on this device. */
static yoke_dim block_for(const yoke_kernel *kernel, uint32_t x, uint32_t y)
{
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;

    if (!CHECK_OK(yoke_kernel_get_info(kernel, &info)))
        return YOKE_DIM(1);
    while (x * y > info.max_block_threads && x * y > 1)
        *(y > 1 ? &y : &x) /= 2;
    return YOKE_DIM(x, y);
}

/* Blocks that cover width * height threads, and one more in each direction, which has nothing to do. */
static yoke_dim grid_for(yoke_dim block, int width, int height)
{
    uint32_t x = ((uint32_t)width + block.x - 1) / block.x, y = ((uint32_t)height + block.y - 1) / block.y;

    return YOKE_DIM(x + 1, y + 1);
}

static uint32_t threads_of(const yoke_kernel *kernel, uint32_t threads)
{
    return block_for(kernel, threads, 1).x;
}

static bool input(suite *t, const void *bytes, size_t size, yoke_buffer **out)
{
    return CHECK_OK(yoke_buffer_create(t->device, size, out)) && CHECK_OK(yoke_write_sync(t->side, *out, 0, bytes, size));
}

/* The view holds these floats, and the guards what they were given. */
static bool floats_are(suite *t, const guarded *g, const float *wanted)
{
    size_t count = g->size / sizeof *wanted;

    if (suite_can(t, YOKE_CAP_EXACT_FP32))
        return guarded_check(t, g, wanted);
    float *got = memory_new(g->size);
    bool ok = guarded_read(t, g, got);
    for (size_t i = 0; ok && i < count; i++)
        if (!(fabs((double)got[i] - wanted[i]) <= tolerance * fmax(1, fabs((double)wanted[i])))) {
            tap_diag("float %zu is %.9g, expected %.9g", i, (double)got[i], (double)wanted[i]);
            ok = CHECK(!"a float beyond the tolerance");
        }
    ok = ok && guarded_check(t, g, got);
    memory_free(got);
    return ok;
}

/* The same for bytes, of which those that came out of a rounding may be one off. */
static bool bytes_are(suite *t, const guarded *g, const unsigned char *wanted)
{
    if (suite_can(t, YOKE_CAP_EXACT_FP32))
        return guarded_check(t, g, wanted);
    unsigned char *got = memory_new(g->size);
    bool ok = guarded_read(t, g, got);
    for (size_t i = 0; ok && i < g->size; i++)
        if (abs(got[i] - wanted[i]) > 1) {
            tap_diag("byte %zu is %d, expected %d", i, got[i], wanted[i]);
            ok = CHECK(!"a byte more than one off");
        }
    ok = ok && guarded_check(t, g, got);
    memory_free(got);
    return ok;
}

/* ---- vector_add, saxpy -------------------------------------------------------------------------------------------------- */

enum { MAX_VECTOR = 10007 };

static void vector_of(suite *t, yoke_kernel *vector_add, yoke_kernel *saxpy, int32_t n)
{
    static float x[MAX_VECTOR], y[MAX_VECTOR], wanted[MAX_VECTOR];
    size_t size = (size_t)n * sizeof(float);
    yoke_buffer *xs = NULL, *ys = NULL;
    guarded out = { 0 };

    fill_random_floats(x, (size_t)n, 3);
    fill_random_floats(y, (size_t)n, 4);
    NEED(input(t, x, size, &xs));
    NEED(input(t, y, size, &ys));
    NEED(guarded_create(t, size, &out));

    for (int i = 0; i < n; i++)
        wanted[i] = x[i] + y[i];
    yoke_dim block = block_for(vector_add, 64, 1);
    NEED_OK(yoke_launch(t->stream, vector_add, YOKE_DIM(grid_for(block, n, 1).x), block, 0, YOKE_ARGS(xs, ys, out.buffer, n)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(floats_are(t, &out, wanted));

    for (int i = 0; i < n; i++)
        wanted[i] = fmaf(-1.7f, x[i], y[i]);
    NEED(guarded_write(t, &out, y));
    NEED_OK(yoke_launch_n(t->stream, saxpy, (size_t)n, YOKE_ARGS(xs, out.buffer, -1.7f, n)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(floats_are(t, &out, wanted));
out:
    guarded_release(&out);
    yoke_buffer_release(ys);
    yoke_buffer_release(xs);
}

static void vectors(suite *t)
{
    static const int32_t sizes[] = { 1, 63, 1000, MAX_VECTOR };
    yoke_program *add_program = build(t, "vector_add"), *saxpy_program = build(t, "saxpy");
    yoke_kernel *vector_add = NULL, *saxpy = NULL;

    NEED(add_program && saxpy_program);
    NEED_OK(yoke_kernel_get(add_program, "vector_add", &vector_add));
    NEED_OK(yoke_kernel_get(saxpy_program, "saxpy", &saxpy));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        vector_of(t, vector_add, saxpy, sizes[i]);
out:
    yoke_program_release(saxpy_program);
    yoke_program_release(add_program);
}

/* ---- matmul ------------------------------------------------------------------------------------------------------------- */

static void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            float sum = 0.0f;
            for (int i = 0; i < k; i++)
                sum = fmaf(a[row * k + i], b[i * n + column], sum);
            c[row * n + column] = sum;
        }
}

static void product_of(suite *t, yoke_program *program, int32_t m, int32_t n, int32_t k)
{
    size_t a_count = (size_t)m * (size_t)k, b_count = (size_t)k * (size_t)n, c_size = (size_t)m * (size_t)n * sizeof(float);
    float *a = memory_new(a_count * sizeof *a), *b = memory_new(b_count * sizeof *b), *wanted = memory_new(c_size);
    yoke_kernel *naive = NULL, *tiled = NULL;
    yoke_buffer *as = NULL, *bs = NULL;
    guarded c = { 0 }, d = { 0 };

    tap_diag("%d x %d = %d x %d times %d x %d", m, n, m, k, k, n);
    fill_random_floats(a, a_count, 5);
    fill_random_floats(b, b_count, 6);
    multiply(a, b, wanted, m, n, k);
    NEED_OK(yoke_kernel_get(program, "matmul_naive", &naive));
    NEED_OK(yoke_kernel_get(program, "matmul_tiled", &tiled));
    NEED(input(t, a, a_count * sizeof *a, &as));
    NEED(input(t, b, b_count * sizeof *b, &bs));
    NEED(guarded_create(t, c_size, &c));
    NEED(guarded_create(t, c_size, &d));
    yoke_dim block = block_for(naive, 16, 4);
    NEED_OK(yoke_launch(t->stream, naive, grid_for(block, n, m), block, 0, YOKE_ARGS(as, bs, c.buffer, m, n, k)));
    yoke_status status =
        yoke_launch(t->stream, tiled, grid_for(YOKE_DIM(64, 64), n, m), YOKE_DIM(16, 16), 0, YOKE_ARGS(as, bs, d.buffer, m, n, k));
    if (status == YOKE_E_UNSUPPORTED || t->info.max_block_threads < 256) /* less shared memory, or smaller blocks */
        suite_skip("%s", yoke_error()->text);
    else
        NEED_OK(status);
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(floats_are(t, &c, wanted));
    if (status == YOKE_OK)
        CHECK(floats_are(t, &d, wanted));
out:
    guarded_release(&d);
    guarded_release(&c);
    yoke_buffer_release(bs);
    yoke_buffer_release(as);
    memory_free(wanted);
    memory_free(b);
    memory_free(a);
}

static void matmul(suite *t)
{
    static const int32_t shapes[][3] = { { 1, 1, 1 }, { 67, 45, 33 }, { 64, 64, 16 }, { 5, 130, 70 }, { 131, 3, 1 } };
    yoke_program *program = build(t, "matmul");

    for (size_t i = 0; program && i < sizeof shapes / sizeof shapes[0]; i++)
        product_of(t, program, shapes[i][0], shapes[i][1], shapes[i][2]);
    yoke_program_release(program);
}

/* ---- gaussian ----------------------------------------------------------------------------------------------------------- */

static int within(int i, int count)
{
    return i < 0 ? 0 : i < count ? i : count - 1;
}

/* One pass over pictures of `channels` floats a pixel, in the direction (dx, dy). */
static void blur(const float *source, float *target, const float *weights, int width, int height, int radius, int channels, int dx,
                 int dy)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++) {
                float sum = 0.0f;
                for (int i = -radius; i <= radius; i++) {
                    int from = within(y + dy * i, height) * width + within(x + dx * i, width);
                    sum = fmaf(weights[i + radius], source[from * channels + c], sum);
                }
                target[(y * width + x) * channels + c] = sum;
            }
}

static void blur_of(suite *t, yoke_program *program, int channels, int32_t width, int32_t height, int32_t radius)
{
    size_t count = (size_t)width * (size_t)height * (size_t)channels, taps = 2 * (size_t)radius + 1;
    float *source = memory_new(count * sizeof *source), *weights = memory_new(taps * sizeof *weights);
    float *middle = memory_new(count * sizeof *middle), *wanted = memory_new(count * sizeof *wanted);
    yoke_dim grid, block;
    yoke_kernel *horizontal = NULL, *vertical = NULL;
    yoke_buffer *in = NULL, *ws = NULL;
    guarded between = { 0 }, out = { 0 };

    tap_diag("%d x %d, %d channels, radius %d", width, height, channels, radius);
    fill_random_floats(source, count, 7);
    fill_random_floats(weights, taps, 8); /* not symmetric, so that a mirrored one would show */
    blur(source, middle, weights, width, height, radius, channels, 1, 0);
    blur(middle, wanted, weights, width, height, radius, channels, 0, 1);
    NEED_OK(yoke_kernel_get(program, channels == 4 ? "gaussian_horizontal4" : "gaussian_horizontal", &horizontal));
    NEED_OK(yoke_kernel_get(program, channels == 4 ? "gaussian_vertical4" : "gaussian_vertical", &vertical));
    NEED(input(t, source, count * sizeof *source, &in));
    NEED(input(t, weights, taps * sizeof *weights, &ws));
    NEED(guarded_create(t, count * sizeof *middle, &between));
    NEED(guarded_create(t, count * sizeof *wanted, &out));
    block = block_for(horizontal, 32, 4);
    grid = grid_for(block, width, height);
    NEED_OK(yoke_launch(t->stream, horizontal, grid, block, 0, YOKE_ARGS(in, between.buffer, ws, width, height, radius)));
    block = block_for(vertical, 32, 4);
    grid = grid_for(block, width, height);
    NEED_OK(yoke_launch(t->stream, vertical, grid, block, 0, YOKE_ARGS(between.buffer, out.buffer, ws, width, height, radius)));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(floats_are(t, &between, middle));
    CHECK(floats_are(t, &out, wanted));
out:
    guarded_release(&out);
    guarded_release(&between);
    yoke_buffer_release(ws);
    yoke_buffer_release(in);
    memory_free(wanted);
    memory_free(middle);
    memory_free(weights);
    memory_free(source);
}

static void gaussian(suite *t)
{
    /* width, height, radius: the usual; wider than the picture; nothing to mix */
    static const int32_t shapes[][3] = { { 61, 37, 5 }, { 3, 2, 9 }, { 33, 5, 0 }, { 1, 1, 1 } };
    yoke_program *program = build(t, "gaussian");

    for (size_t i = 0; program && i < sizeof shapes / sizeof shapes[0]; i++) {
        blur_of(t, program, 1, shapes[i][0], shapes[i][1], shapes[i][2]);
        blur_of(t, program, 4, shapes[i][0], shapes[i][1], shapes[i][2]);
    }
    yoke_program_release(program);
}

/* ---- rgba8 -------------------------------------------------------------------------------------------------------------- */

static unsigned char to_byte(float value)
{
    return (unsigned char)fmaf(fminf(fmaxf(value, 0.0f), 1.0f), 255.0f, 0.5f);
}

static void unpack(const unsigned char *bytes, float *pixels, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float alpha = (float)bytes[4 * i + 3] * (1.0f / 255.0f);
        float scale = alpha * (1.0f / 255.0f);
        for (size_t c = 0; c < 3; c++)
            pixels[4 * i + c] = (float)bytes[4 * i + c] * scale;
        pixels[4 * i + 3] = alpha;
    }
}

static void pack(const float *pixels, unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float alpha = pixels[4 * i + 3] > 0.0f ? pixels[4 * i + 3] : 1.0f;
        for (size_t c = 0; c < 3; c++)
            bytes[4 * i + c] = to_byte(pixels[4 * i + c] / alpha);
        bytes[4 * i + 3] = to_byte(pixels[4 * i + 3]);
    }
}

static void rgba8(suite *t)
{
    enum { N = 4099 };
    static unsigned char bytes[4 * N], packed[4 * N];
    static float pixels[4 * N];
    yoke_program *program = build(t, "rgba8");
    yoke_kernel *unpack_kernel = NULL, *pack_kernel = NULL;
    yoke_buffer *in = NULL;
    guarded floats = { 0 }, out = { 0 };

    fill_random(bytes, sizeof bytes, 9);
    for (size_t i = 0; i < 256; i++) /* opaque and invisible ones of every shade */
        bytes[8 * i] = (unsigned char)i, bytes[8 * i + 3] = 255, bytes[8 * i + 7] = 0;
    NEED(program);
    NEED_OK(yoke_kernel_get(program, "rgba8_unpack", &unpack_kernel));
    NEED_OK(yoke_kernel_get(program, "rgba8_pack", &pack_kernel));
    NEED(input(t, bytes, sizeof bytes, &in));
    NEED(guarded_create(t, sizeof pixels, &floats));
    NEED(guarded_create(t, sizeof packed, &out));

    unpack(bytes, pixels, N);
    NEED_OK(yoke_launch_n(t->stream, unpack_kernel, N, YOKE_ARGS(in, floats.buffer, (int32_t)N)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(floats_are(t, &floats, pixels));

    pack(pixels, packed, N);
    for (size_t i = 0; i < N; i++) /* there and back is no loss where anything can be seen */
        if (bytes[4 * i + 3] == 255)
            NEED(memcmp(bytes + 4 * i, packed + 4 * i, 4) == 0);
    for (size_t i = 0; i < sizeof pixels / sizeof pixels[0]; i += 5) /* and what is out of range is clamped */
        pixels[i] = pixels[i] * 3.0f - 1.0f;
    pack(pixels, packed, N);
    NEED(guarded_write(t, &floats, pixels));
    NEED_OK(yoke_launch_n(t->stream, pack_kernel, N, YOKE_ARGS(floats.buffer, out.buffer, (int32_t)N)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(bytes_are(t, &out, packed));
out:
    guarded_release(&out);
    guarded_release(&floats);
    yoke_buffer_release(in);
    yoke_program_release(program);
}

/* ---- points ------------------------------------------------------------------------------------------------------------- */

struct point {
    float x, y, z, w;
};

struct affine {
    float rows[12];
};

static float apply(const float *row, struct point p)
{
    return fmaf(row[0], p.x, fmaf(row[1], p.y, fmaf(row[2], p.z, row[3])));
}

static void points(suite *t)
{
    enum { N = 1003 };
    static struct point in[N], wanted[N];
    struct affine map;
    yoke_program *program = build(t, "points");
    yoke_kernel *transform = NULL;
    yoke_buffer *source = NULL;
    guarded out = { 0 };

    fill_random_floats(&in[0].x, 4 * (size_t)N, 10);
    fill_random_floats(map.rows, 12, 11);
    for (size_t i = 0; i < N; i++)
        wanted[i] = (struct point){ apply(map.rows, in[i]), apply(map.rows + 4, in[i]), apply(map.rows + 8, in[i]), in[i].w };
    NEED(program);
    NEED_OK(yoke_kernel_get(program, "points_transform", &transform));
    NEED(input(t, in, sizeof in, &source));
    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_launch_n(t->stream, transform, N, YOKE_ARGS(source, out.buffer, yoke_arg_struct(&map, sizeof map), (int32_t)N)));
    memset(&map, 0, sizeof map); /* the launch has its own copy */
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(floats_are(t, &out, &wanted[0].x));
out:
    guarded_release(&out);
    yoke_buffer_release(source);
    yoke_program_release(program);
}

/* ---- reduce ------------------------------------------------------------------------------------------------------------- */

enum { MAX_BLOCK = 128 };

/* In the very order in which a launch of `grid` blocks of `block` threads adds up. */
static void sum_blocks(const float *in, float *out, size_t n, size_t grid, size_t block)
{
    float partial[MAX_BLOCK];

    for (size_t b = 0; b < grid; b++) {
        for (size_t thread = 0; thread < block; thread++) {
            partial[thread] = 0.0f;
            for (size_t i = b * block + thread; i < n; i += grid * block)
                partial[thread] += in[i];
        }
        for (size_t count = block; count > 1; count = (count + 1) / 2)
            for (size_t thread = 0; thread < count / 2; thread++)
                partial[thread] += partial[thread + (count + 1) / 2];
        out[b] = partial[0];
    }
}

static void sum_of(suite *t, yoke_kernel *reduce, const float *in, int32_t n, uint32_t grid, uint32_t block)
{
    enum { MAX_GRID = 8 };
    float parts[MAX_GRID], whole;
    yoke_buffer *source = NULL;
    guarded first = { 0 }, second = { 0 };

    tap_diag("%d floats in %u blocks of %u", n, (unsigned)grid, (unsigned)block);
    sum_blocks(in, parts, (size_t)n, grid, block);
    sum_blocks(parts, &whole, grid, 1, 7); /* no power of two, and fewer threads than parts where there are 8 */
    NEED(input(t, in, (size_t)n * sizeof *in, &source));
    NEED(guarded_create(t, grid * sizeof *parts, &first));
    NEED(guarded_create(t, sizeof whole, &second));
    NEED_OK(
        yoke_launch(t->stream, reduce, YOKE_DIM(grid), YOKE_DIM(block), block * sizeof(float), YOKE_ARGS(source, first.buffer, n)));
    NEED_OK(yoke_launch(t->stream, reduce, YOKE_DIM(1), YOKE_DIM(7), 7 * sizeof(float),
                        YOKE_ARGS(first.buffer, second.buffer, (int32_t)grid)));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(floats_are(t, &first, parts));
    CHECK(floats_are(t, &second, &whole));
out:
    guarded_release(&second);
    guarded_release(&first);
    yoke_buffer_release(source);
}

static void reduce(suite *t)
{
    enum { N = 5003 };
    static float in[N];
    yoke_program *program = build(t, "reduce");
    yoke_kernel *kernel = NULL;

    fill_random_floats(in, N, 12);
    NEED(program);
    NEED_OK(yoke_kernel_get(program, "reduce_sum", &kernel));
    sum_of(t, kernel, in, N, 8, threads_of(kernel, MAX_BLOCK));
    sum_of(t, kernel, in, N, 3, threads_of(kernel, 100)); /* halves that are odd */
    sum_of(t, kernel, in, 5, 2, threads_of(kernel, 64));  /* threads with nothing to add */
    sum_of(t, kernel, in, 1, 1, 1);
out:
    yoke_program_release(program);
}

/* ---- fractal ------------------------------------------------------------------------------------------------------------ */

static float rough_log2(float value)
{
    int32_t bits, rest_bits;
    float rest;

    memcpy(&bits, &value, sizeof bits);
    rest_bits = (bits & 0x7fffff) | 0x3f800000;
    memcpy(&rest, &rest_bits, sizeof rest);
    return (float)((bits >> 23) - 127) + fmaf(fmaf(rest, -1.0f / 3.0f, 2.0f), rest, -5.0f / 3.0f);
}

static void colour(unsigned char *pixel, float steps)
{
    float turn = steps * (1.0f / 64.0f);
    float t = 1.0f - fabsf(fmaf(2.0f, turn - floorf(turn), -1.0f));
    float s = 1.0f - t;

    pixel[0] = to_byte(9.0f * s * t * t * t);
    pixel[1] = to_byte(15.0f * s * s * t * t);
    pixel[2] = to_byte(8.5f * s * s * s * t);
}

static void mandelbrot(unsigned char *pixel, float re, float im, int iterations)
{
    float zre = 0.0f, zim = 0.0f, square = 0.0f;
    int i = 0;

    for (; i < iterations && square < 65536.0f; i++) {
        float next = fmaf(zre, zre, fmaf(-zim, zim, re));
        zim = fmaf(2.0f * zre, zim, im);
        zre = next;
        square = fmaf(zre, zre, zim * zim);
    }
    memcpy(pixel, (unsigned char[]){ 0, 0, 0, 255 }, 4);
    if (square >= 65536.0f)
        colour(pixel, (float)i - rough_log2(rough_log2(square) * (1.0f / 16.0f)));
}

static void fractal(suite *t)
{
    enum { WIDTH = 71, HEIGHT = 43, ITERATIONS = 100 };
    static unsigned char wanted[4 * WIDTH * HEIGHT];
    const float cx = -0.7f, cy = 0.1f, scale = 0.04f;
    yoke_program *program = build(t, "fractal");
    yoke_kernel *kernel = NULL;
    guarded out = { 0 };

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            mandelbrot(wanted + 4 * (y * WIDTH + x), fmaf(fmaf(-0.5f, WIDTH, (float)x), scale, cx),
                       fmaf(fmaf(-0.5f, HEIGHT, (float)y), scale, cy), ITERATIONS);
    NEED(program);
    NEED_OK(yoke_kernel_get(program, "fractal", &kernel));
    NEED(guarded_create(t, sizeof wanted, &out));
    yoke_dim block = block_for(kernel, 16, 4);
    NEED_OK(yoke_launch(t->stream, kernel, grid_for(block, WIDTH, HEIGHT), block, 0,
                        YOKE_ARGS(out.buffer, (int32_t)WIDTH, (int32_t)HEIGHT, cx, cy, scale, (int32_t)ITERATIONS)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(bytes_are(t, &out, wanted));
out:
    guarded_release(&out);
    yoke_program_release(program);
}

int main(void)
{
    static const suite_case cases[] = {
        { "vector_add and saxpy", vectors, false },
        { "matmul, naive and tiled", matmul, false },
        { "gaussian, 1 and 4 channels", gaussian, false },
        { "rgba8, there and back", rgba8, false },
        { "points with a struct by value", points, false },
        { "reduce in a fixed order", reduce, false },
        { "fractal", fractal, false },
    };

    return SUITE_MAIN(cases, NULL);
}
