/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each of Yoke's own kernels on every device of every backend, with the same inputs: the devices have to agree as closely as the
 * kernel's source says, in a line "Tolerance: 0", "Tolerance: N ulp" or "Tolerance: R relative". That is how the CUDA and the
 * OpenCL form are compared, on a machine with both drivers. A device that does not round exactly (YOKE_CAP_EXACT_FP32) is held to
 * what kernels.c holds it to. YOKE_TEST_DEVICES leaves devices out.
 */
#include "suite.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No sizes are multiples of a block. */
enum {
    N = 10007,
    WIDTH = 71,
    HEIGHT = 43,
    PIXELS = WIDTH * HEIGHT,
    RADIUS = 5,
    TAPS = 2 * RADIUS + 1,
    ROWS = 67,
    COLUMNS = 45,
    DEEP = 33
};
enum { GRID = 5, BLOCK = 33 }; /* of reduce_sum, whose order they decide */
enum { MOST_DEVICES = 16, MOST_INPUTS = 3 };

/* A kernel with its memory on one device. */
typedef struct place {
    yoke_stream *stream;
    yoke_kernel *kernel;
    yoke_buffer *in[MOST_INPUTS], *out;
} place;

/* ---- How each kernel is launched ---- */

static yoke_status over_picture(place *p, const yoke_arg *args, size_t count)
{
    return yoke_launch(p->stream, p->kernel, YOKE_DIM(WIDTH / 16 + 2, HEIGHT / 4 + 2), YOKE_DIM(16, 4), 0, args, count);
}

static yoke_status vector_add(place *p)
{
    return yoke_launch_n(p->stream, p->kernel, N, YOKE_ARGS(p->in[0], p->in[1], p->out, (int32_t)N));
}

static yoke_status saxpy(place *p)
{
    return yoke_launch_n(p->stream, p->kernel, N, YOKE_ARGS(p->in[0], p->out, -1.7f, (int32_t)N));
}

static yoke_status matmul_naive(place *p)
{
    return yoke_launch(p->stream, p->kernel, YOKE_DIM(COLUMNS / 16 + 1, ROWS / 4 + 1), YOKE_DIM(16, 4), 0,
                       YOKE_ARGS(p->in[0], p->in[1], p->out, (int32_t)ROWS, (int32_t)COLUMNS, (int32_t)DEEP));
}

static yoke_status matmul_tiled(place *p)
{
    return yoke_launch(p->stream, p->kernel, YOKE_DIM(COLUMNS / 64 + 1, ROWS / 64 + 1), YOKE_DIM(16, 16), 0,
                       YOKE_ARGS(p->in[0], p->in[1], p->out, (int32_t)ROWS, (int32_t)COLUMNS, (int32_t)DEEP));
}

static yoke_status gaussian(place *p)
{
    return over_picture(p, YOKE_ARGS(p->in[0], p->out, p->in[1], (int32_t)WIDTH, (int32_t)HEIGHT, (int32_t)RADIUS));
}

static yoke_status fractal(place *p)
{
    return over_picture(p, YOKE_ARGS(p->out, (int32_t)WIDTH, (int32_t)HEIGHT, -0.7f, 0.1f, 0.04f, (int32_t)100));
}

static yoke_status points(place *p)
{
    float map[12];
    fill_random_floats(map, 12, 77);
    return yoke_launch_n(p->stream, p->kernel, N, YOKE_ARGS(p->in[0], p->out, yoke_arg_struct(map, sizeof map), (int32_t)N));
}

static yoke_status reduce(place *p)
{
    return yoke_launch(p->stream, p->kernel, YOKE_DIM(GRID), YOKE_DIM(BLOCK), BLOCK * sizeof(float),
                       YOKE_ARGS(p->in[0], p->out, (int32_t)N));
}

static yoke_status pixels(place *p)
{
    return yoke_launch_n(p->stream, p->kernel, N, YOKE_ARGS(p->in[0], p->out, (int32_t)N));
}

/* Rows of 1001 bytes from byte 5 on, 1024 apart, with the pattern of one chunk. */
static yoke_status fill(place *p)
{
    unsigned char chunk[16];
    fill_random(chunk, sizeof chunk, 78);
    return yoke_launch(
        p->stream, p->kernel, YOKE_DIM(1, 3), YOKE_DIM(64), 0,
        YOKE_ARGS(p->out, (uint64_t)5, (uint64_t)1001, (uint64_t)1024, (uint64_t)7, yoke_arg_struct(chunk, sizeof chunk)));
}

typedef struct recipe {
    const char *source, *kernel;
    yoke_status (*launch)(place *p);
    size_t in[MOST_INPUTS], out; /* how many floats, or bytes */
    bool bytes_in, bytes_out;
} recipe;

static const recipe recipes[] = {
    { "fill", "fill", fill, { 0 }, 8192, false, true },
    { "fractal", "fractal", fractal, { 0 }, 4 * PIXELS, false, true },
    { "gaussian", "gaussian_horizontal", gaussian, { PIXELS, TAPS }, PIXELS, false, false },
    { "gaussian", "gaussian_vertical", gaussian, { PIXELS, TAPS }, PIXELS, false, false },
    { "gaussian", "gaussian_horizontal4", gaussian, { 4 * PIXELS, TAPS }, 4 * PIXELS, false, false },
    { "gaussian", "gaussian_vertical4", gaussian, { 4 * PIXELS, TAPS }, 4 * PIXELS, false, false },
    { "matmul", "matmul_naive", matmul_naive, { ROWS * DEEP, DEEP *COLUMNS }, ROWS *COLUMNS, false, false },
    { "matmul", "matmul_tiled", matmul_tiled, { ROWS * DEEP, DEEP *COLUMNS }, ROWS *COLUMNS, false, false },
    { "points", "points_transform", points, { 4 * N }, 4 * N, false, false },
    { "reduce", "reduce_sum", reduce, { N }, GRID, false, false },
    { "rgba8", "rgba8_unpack", pixels, { 4 * N }, 4 * N, true, false },
    { "rgba8", "rgba8_pack", pixels, { 4 * N }, 4 * N, false, true },
    { "saxpy", "saxpy", saxpy, { N }, N, false, false },
    { "vector_add", "vector_add", vector_add, { N, N }, N, false, false },
};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

/* ---- What the sources say ---- */

typedef struct tolerance {
    double ulp, relative;
} tolerance;

/* Of the twin's two texts, which have to say the same. */
static bool read_tolerance(const yoke_source *source, tolerance *out)
{
    const char *texts[] = { source->cuda, source->opencl };
    tolerance found[2] = { { 0, 0 }, { 0, 0 } };
    for (int i = 0; i < 2; i++) {
        const char *line = strstr(texts[i], "\n * Tolerance: ");
        char unit[16] = "";
        double number;
        if (!line || sscanf(line + strlen("\n * Tolerance: "), "%lf%*[ ]%15[a-z]", &number, unit) < 1)
            return false;
        if (strcmp(unit, "ulp") == 0)
            found[i].ulp = number;
        else if (strcmp(unit, "relative") == 0)
            found[i].relative = number;
        else if (number != 0)
            return false;
    }
    *out = found[0];
    return found[0].ulp == found[1].ulp && found[0].relative == found[1].relative;
}

/* Every kernel of the folder has a recipe: so a new one cannot be forgotten here. */
static void check_recipes(void)
{
    const char *top = getenv("top_srcdir");
    char pattern[512];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/kernels/*.cl", top && *top ? top : ".");
    if (!tap_ok(glob(pattern, 0, NULL, &files) == 0, "there are kernels in %s", pattern))
        return;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *name = strrchr(files.gl_pathv[i], '/') + 1;
        char source_name[64];
        yoke_source source;
        snprintf(source_name, sizeof source_name, "%.*s", (int)strcspn(name, "."), name);
        if (!tap_ok(yoke_source_builtin(source_name, &source) == YOKE_OK, "%s is in the library", source_name))
            continue;
        size_t kernels = 0, known = 0;
        for (const char *at = source.opencl; (at = strstr(at, "\n__kernel ")); at++)
            kernels++;
        for (size_t j = 0; j < RECIPES; j++)
            known += strcmp(recipes[j].source, source_name) == 0;
        tap_is(known, kernels, "each kernel of %s is compared", source_name);
    }
    globfree(&files);
}

/* ---- Running one, and comparing ---- */

/* The same for every device. */
static void *make_data(size_t count, bool bytes, uint32_t seed)
{
    void *data = memory_new(count * (bytes ? 1 : sizeof(float)));
    if (bytes)
        fill_random(data, count, seed);
    else
        fill_random_floats(data, count, seed);
    return data;
}

static bool give(yoke_device *device, place *p, size_t count, bool bytes, uint32_t seed, yoke_buffer **out)
{
    size_t size = count * (bytes ? 1 : sizeof(float));
    void *data = make_data(count, bytes, seed);
    bool given = CHECK_OK(yoke_buffer_create(device, size, out)) && CHECK_OK(yoke_write_sync(p->stream, *out, 0, data, size));
    memory_free(data);
    return given;
}

/* The recipe's output on this device, in new memory; NULL, and a check has failed, when there is none. */
static void *run(const recipe *r, yoke_device *device, yoke_program *program)
{
    size_t size = r->out * (r->bytes_out ? 1 : sizeof(float));
    void *got = memory_new(size);
    place p = { 0 };
    bool ran = false;

    NEED_OK(yoke_stream_create(device, NULL, &p.stream));
    NEED_OK(yoke_kernel_get(program, r->kernel, &p.kernel));
    for (size_t i = 0; i < MOST_INPUTS && r->in[i] > 0; i++)
        NEED(give(device, &p, r->in[i], r->bytes_in, (uint32_t)i + 1, &p.in[i]));
    NEED(give(device, &p, r->out, r->bytes_out, 9, &p.out));
    NEED_OK(r->launch(&p));
    NEED_OK(yoke_read_sync(p.stream, got, p.out, 0, size));
    ran = true;
out:
    for (size_t i = 0; i < MOST_INPUTS; i++)
        yoke_buffer_release(p.in[i]);
    yoke_buffer_release(p.out);
    yoke_stream_release(p.stream);
    if (ran)
        return got;
    memory_free(got);
    return NULL;
}

/* Floats as integers of the same order, in which neighbours are one apart. */
static int64_t ordered(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? -(int64_t)(bits & 0x7fffffff) : bits;
}

static bool agree(const float *a, const float *b, tolerance t)
{
    if (memcmp(a, b, sizeof *a) == 0)
        return true;
    if (isnan(*a) || isnan(*b))
        return false;
    return (double)llabs(ordered(*a) - ordered(*b)) <= t.ulp || fabs((double)*a - *b) <= t.relative * fmax(1, fabs((double)*a));
}

/* How many values differ by more than they may. */
static size_t compare(const recipe *r, const void *a, const void *b, tolerance t, bool exact)
{
    size_t differ = 0;
    for (size_t i = 0; i < r->out; i++) {
        const unsigned char *x = (const unsigned char *)a + i, *y = (const unsigned char *)b + i;
        const float *f = (const float *)a + i, *g = (const float *)b + i;
        bool same = r->bytes_out ? abs(*x - *y) <= (exact ? 0 : 1) : agree(f, g, t);
        if (!same && differ++ == 0)
            tap_diag("value %zu is %.9g and %.9g", i, r->bytes_out ? *x : (double)*f, r->bytes_out ? *y : (double)*g);
    }
    return differ;
}

/* ---- All devices ---- */

typedef struct party {
    yoke_device *device;
    yoke_device_info info;
    bool exact;
} party;

static size_t open_devices(party *parties)
{
    const char *only = getenv("YOKE_TEST_DEVICES");
    yoke_device_info infos[MOST_DEVICES];
    size_t count = 0, opened = 0;
    for (size_t i = 0; i < MOST_DEVICES; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    if (yoke_device_list(infos, MOST_DEVICES, &count) < 0)
        tap_bail("yoke_device_list: %s", yoke_error()->text);
    for (size_t i = 0; i < count && i < MOST_DEVICES; i++) {
        party *p = &parties[opened];
        if (only && *only && !strstr(only, infos[i].selector))
            continue;
        if (yoke_device_open(infos[i].selector, &p->device) < 0)
            tap_bail("%s: %s", infos[i].selector, yoke_error()->text);
        p->info = infos[i];
        p->exact = !yoke_device_lacks(p->device, YOKE_CAP_EXACT_FP32);
        tap_diag("%s is %s (%s)%s", infos[i].selector, infos[i].name, infos[i].platform, p->exact ? "" : ", which does not round");
        opened++;
    }
    return opened;
}

static void compare_kernel(const recipe *r, const party *parties, yoke_program *const *programs, size_t count, tolerance stated)
{
    void *first = programs[0] ? run(r, parties[0].device, programs[0]) : NULL;
    for (size_t i = 1; i < count; i++) {
        bool exact = parties[0].exact && parties[i].exact;
        tolerance t = exact ? stated : (tolerance){ stated.ulp, fmax(stated.relative, 1e-5) };
        void *other = first && programs[i] ? run(r, parties[i].device, programs[i]) : NULL;
        tap_ok(other && compare(r, first, other, t, exact) == 0, "%s: %s as %s", r->kernel, parties[i].info.selector,
               parties[0].info.selector);
        memory_free(other);
    }
    memory_free(first);
}

static void compare_devices(const party *parties, size_t count)
{
    yoke_program *programs[MOST_DEVICES] = { NULL };
    tolerance stated = { 0, 0 };
    yoke_source source;

    for (size_t i = 0; i < RECIPES; i++) {
        if (i == 0 || strcmp(recipes[i].source, recipes[i - 1].source) != 0) {
            tap_ok(yoke_source_builtin(recipes[i].source, &source) == YOKE_OK && read_tolerance(&source, &stated),
                   "%s: both forms state one tolerance", recipes[i].source);
            for (size_t j = 0; j < count; j++) {
                yoke_program_release(programs[j]);
                if (!CHECK_OK(yoke_program_build(parties[j].device, &source, &programs[j])))
                    programs[j] = NULL;
            }
        }
        compare_kernel(&recipes[i], parties, programs, count, stated);
    }
    for (size_t j = 0; j < count; j++)
        yoke_program_release(programs[j]);
}

int main(void)
{
    party parties[MOST_DEVICES] = { { 0 } };

    tap_start(120);
    size_t count = open_devices(parties);
    if (count < 2)
        tap_skip_all("comparing takes two devices, and there %s", count ? "is one" : "is none");
    check_recipes();
    compare_devices(parties, count);
    tap_is(suite_failures(), 0, "and every call did what it should");
    for (size_t i = 0; i < count; i++)
        yoke_device_release(parties[i].device);
    return tap_done();
}
