/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error of Fourier transforms, by Yoke's own kernels and by cuFFT: the root mean square of the differences from the sums that
 * define a transform, in long double, over that of the sums. cuFFT is what yoke_fft uses on CUDA where it is installed; with OpenCL
 * the ratio is to what it has given on CUDA in the same run. Of long transforms a sample of 1024 elements is looked at.
 *
 * --part NAME looks only at the rows whose names begin so, as fft_error_c64.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/ops.h>

#include "bench.h"

enum { SAMPLE = 1024 };

/* Powers of two, one of 2 and 5, a prime, and 3 * 5 * 7 * 11 * 13. */
static const int64_t lengths[] = { 1024, 16384, 1000, 1009, 15015 };
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

/* The errors of cuFFT, of complex64 and complex128, from a CUDA device; 0: not known. */
static double library_errors[2][LENGTHS];

/* A transform of n complex numbers: the sampled elements and what they should be, and memory for a result. */
typedef struct transform {
    int32_t dtype;
    int64_t n, samples;
    long double complex *expected;
    void *in, *results[2]; /* `in` and results have the dtype */
} transform;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        measure_fail("fft_error", "out of memory");
    return memory;
}

static long double complex element(const transform *t, const void *array, int64_t i)
{
    return t->dtype == YOKE_C64 ? (long double complex)((const float complex *)array)[i]
                                : (long double complex)((const double complex *)array)[i];
}

/* All elements of a short transform; of a long one a sample without a pattern. */
static int64_t sampled(const transform *t, int64_t i)
{
    return t->n <= SAMPLE ? i : (int64_t)((uint64_t)i * 2654435761u % (uint64_t)t->n);
}

/* Numbers in [-1, 1) with all bits of the dtype. */
static void fill(transform *t)
{
    uint64_t state = 1;
    for (int64_t i = 0; i < 2 * t->n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double value = (double)(state >> 11) / 4503599627370496 - 1;
        if (t->dtype == YOKE_C64)
            ((float *)t->in)[i] = (float)value;
        else
            ((double *)t->in)[i] = value;
    }
}

static void set_expected(transform *t)
{
    long double complex *roots = allocate((size_t)t->n, sizeof *roots);
    for (int64_t j = 0; j < t->n; j++) {
        long double angle = 2 * acosl(-1.0L) * (long double)j / (long double)t->n;
        roots[j] = cosl(angle) - sinl(angle) * I;
    }
    for (int64_t i = 0; i < t->samples; i++)
        for (int64_t j = 0, at = 0, k = sampled(t, i); j < t->n; j++, at = (at + k) % t->n)
            t->expected[i] += element(t, t->in, j) * roots[at];
    free(roots);
}

static double error_of(const transform *t, const void *result)
{
    long double wrong = 0, all = 0;
    for (int64_t i = 0; i < t->samples; i++) {
        long double complex off = element(t, result, sampled(t, i)) - t->expected[i];
        wrong += creall(off) * creall(off) + cimagl(off) * cimagl(off);
        all += creall(t->expected[i]) * creall(t->expected[i]) + cimagl(t->expected[i]) * cimagl(t->expected[i]);
    }
    return (double)sqrtl(wrong / all);
}

static void run(yoke_stream *stream, const transform *t, uint32_t flags, void *result)
{
    yoke_fft_options options = YOKE_FFT_OPTIONS_INIT;
    yoke_array a, out;
    options.flags = flags;
    measure_must(yoke_array_create(yoke_stream_get_device(stream), t->dtype, 1, &t->n, &a));
    measure_must(yoke_array_create(yoke_stream_get_device(stream), t->dtype, 1, &t->n, &out));
    measure_must(yoke_write_array(stream, &a, t->in));
    measure_must(yoke_fft(stream, YOKE_FFT_FORWARD, &out, &a, YOKE_AXES(0), &options));
    measure_must(yoke_read_array(stream, result, &out));
    measure_must(yoke_stream_wait(stream));
    yoke_buffer_release(out.buffer);
    yoke_buffer_release(a.buffer);
}

static void print(const char *prefix, const char *name, const char *side, double value, const char *unit)
{
    char text[96];
    snprintf(text, sizeof text, "%s.%s", name, side);
    bench_print(prefix, text, value, unit);
}

static void measure_length(const char *prefix, const char *name, yoke_stream *stream, transform *t, double *library_error)
{
    size_t size = (size_t)t->n * yoke_dtype_get_size(t->dtype);
    t->samples = t->n <= SAMPLE ? t->n : SAMPLE;
    t->expected = allocate((size_t)t->samples, sizeof *t->expected);
    t->in = allocate(1, size);
    for (int i = 0; i < 2; i++)
        t->results[i] = allocate(1, size);
    fill(t);
    set_expected(t);
    run(stream, t, YOKE_FFT_EXACT, t->results[0]);
    run(stream, t, 0, t->results[1]);
    double error = error_of(t, t->results[0]);
    if (memcmp(t->results[0], t->results[1], size) != 0) /* the same bits: no library has computed */
        *library_error = error_of(t, t->results[1]);
    if (*library_error > 0)
        print(prefix, name, "raw", *library_error, "rms");
    print(prefix, name, "yoke", error, "rms");
    if (*library_error > 0)
        print(prefix, name, "ratio", error / *library_error, "of_raw");
    free(t->results[1]);
    free(t->results[0]);
    free(t->in);
    free(t->expected);
}

static void measure_device(yoke_device *device, const yoke_device_info *info)
{
    const char *part = bench_option.part ? bench_option.part : "";
    yoke_stream *stream;
    measure_must(yoke_stream_create(device, NULL, &stream));
    for (int wide = 0; wide < (yoke_device_supports(device, YOKE_CAP_FP64) ? 2 : 1); wide++)
        for (int i = 0; i < LENGTHS; i++) {
            transform t = { .dtype = wide ? YOKE_C128 : YOKE_C64, .n = lengths[i] };
            char name[64];
            snprintf(name, sizeof name, "fft_error_%s_%lld", wide ? "c128" : "c64", (long long)t.n);
            if (strncmp(name, part, strlen(part)) == 0)
                measure_length(info->backend, name, stream, &t, &library_errors[wide][i]);
        }
    yoke_stream_release(stream);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "fft_error", "The error of Fourier transforms beside that of cuFFT.", measure_device);
}
