/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistical tests of random numbers: the classical ones (Knuth, The Art of Computer Programming, volume 2, 3.3; Marsaglia's
 * birthday spacings). Seeds are fixed, so that each test always says the same. A statistic is turned into a normal one, z, which
 * must be within 4: one in 15,000 right generators would fail at one test.
 */
#include "../arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 21 };

static bool is_likely(const char *what, double z)
{
    if (fabs(z) > 3)
        tap_diag("%s: z = %.2f", what, z);
    return CHECK(fabs(z) < 4);
}

/* Chi-square of counts with equal expectations, or `expected`, as a normal number (Wilson and Hilferty). */
static double chi_square(const int64_t *counts, size_t bins, double each, const double *expected)
{
    double sum = 0, degrees = (double)bins - 1;
    for (size_t i = 0; i < bins; i++) {
        double wanted = expected ? expected[i] : each, distance = (double)counts[i] - wanted;
        sum += distance * distance / wanted;
    }
    return (cbrt(sum / degrees) - (1 - 2 / (9 * degrees))) / sqrt(2 / (9 * degrees));
}

/* ---- Uniform numbers ---- */

static void *get_numbers(suite *t, int32_t dtype, yoke_status (*make)(suite *t, const yoke_array *out))
{
    int64_t n = N;
    size_t size = (size_t)N * yoke_dtype_get_size(dtype);
    yoke_array out;
    void *numbers = NULL;
    if (!CHECK_OK(yoke_array_create(t->device, dtype, 1, &n, &out)))
        return NULL;
    if (CHECK_OK(make(t, &out)) && (numbers = memory_new(size)) &&
        !CHECK_OK(yoke_read_sync(t->stream, numbers, out.buffer, 0, size))) {
        memory_free(numbers);
        numbers = NULL;
    }
    yoke_buffer_release(out.buffer);
    return numbers;
}

static yoke_status make_uniform(suite *t, const yoke_array *out)
{
    return yoke_random_uniform(t->stream, out, 0, 1, 20260101, 0, NULL);
}

static void frequencies(const float *x)
{
    static int64_t one[1024], two[64 * 64], three[16 * 16 * 16];
    memset(one, 0, sizeof one);
    memset(two, 0, sizeof two);
    memset(three, 0, sizeof three);
    for (int i = 0; i < N; i++)
        one[(int)(x[i] * 1024)]++;
    for (int i = 0; i + 1 < N; i += 2)
        two[(int)(x[i] * 64) * 64 + (int)(x[i + 1] * 64)]++;
    for (int i = 0; i + 2 < N; i += 3)
        three[((int)(x[i] * 16) * 16 + (int)(x[i + 1] * 16)) * 16 + (int)(x[i + 2] * 16)]++;
    is_likely("frequencies", chi_square(one, 1024, N / 1024.0, NULL));
    is_likely("pairs", chi_square(two, 64 * 64, N / 2 / 4096.0, NULL));
    is_likely("triples", chi_square(three, 4096, (double)(N / 3) / 4096, NULL));
    /* The lower bits: those that count least in the number. */
    memset(one, 0, sizeof one);
    for (int i = 0; i < N; i++)
        one[(uint32_t)(x[i] * 16777216.0f) & 1023]++;
    is_likely("lower bits", chi_square(one, 1024, N / 1024.0, NULL));
}

static void correlations(const float *x)
{
    static const int lags[] = { 1, 2, 3, 4, 5, 8, 16, 1024, 4096, 8192 };
    for (size_t k = 0; k < sizeof lags / sizeof lags[0]; k++) {
        double sum = 0;
        int n = N - lags[k];
        for (int i = 0; i < n; i++)
            sum += ((double)x[i] - 0.5) * ((double)x[i + lags[k]] - 0.5);
        is_likely("serial correlation", sum * 12 / sqrt(n));
    }
}

/* Runs above and below a half; their number has mean n / 2 + 1 / 2 and variance (n - 1) / 4. Runs up and down: (2 n - 1) / 3 and
 * (16 n - 29) / 90. Gaps between visits of [0, 1/8). */
static void runs_and_gaps(const float *x)
{
    int64_t sides = 1, turns = 1, gaps[41] = { 0 }, visits = 0;
    double expected[41];
    int gap = 0;
    for (int i = 1; i < N; i++)
        sides += (x[i] < 0.5f) != (x[i - 1] < 0.5f);
    for (int i = 2; i < N; i++)
        turns += (x[i] < x[i - 1]) != (x[i - 1] < x[i - 2]);
    for (int i = 0; i < N; i++) {
        if (x[i] < 0.125f) {
            gaps[gap > 40 ? 40 : gap]++;
            visits++;
        }
        gap = x[i] < 0.125f ? 0 : gap + 1;
    }
    for (int i = 0; i < 41; i++)
        expected[i] = (double)visits * pow(0.875, i) * (i < 40 ? 0.125 : 1);
    is_likely("runs above and below", ((double)sides - (N + 1) / 2.0) / sqrt((N - 1) / 4.0));
    is_likely("runs up and down", ((double)turns - (2.0 * N - 1) / 3) / sqrt((16.0 * N - 29) / 90));
    is_likely("gaps", chi_square(gaps, 41, 0, expected));
}

static void uniform_numbers(suite *t)
{
    float *x = get_numbers(t, YOKE_F32, make_uniform);
    if (!x)
        return;
    frequencies(x);
    correlations(x);
    runs_and_gaps(x);
    memory_free(x);
}

/* ---- Words ---- */

static yoke_status make_words(suite *t, const yoke_array *out)
{
    yoke_random_options options = YOKE_RANDOM_OPTIONS_INIT;
    options.interval = YOKE_INTERVAL_WITH_BOTH;
    options.sequence = 3;
    return yoke_random_integers(t->stream, out, YOKE_NUMBER(0u), YOKE_NUMBER(UINT32_MAX), 1, 0, &options);
}

static int compare_words(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* 4096 birthdays in a year of 2^32 days: the number of equal spacings is Poisson's with mean 4. */
static void birthdays(uint32_t *x)
{
    enum { PEOPLE = 4096, YEARS = N / PEOPLE };
    int64_t equal = 0;
    for (int year = 0; year < YEARS; year++) {
        uint32_t *days = x + (size_t)year * PEOPLE;
        qsort(days, PEOPLE, sizeof *days, compare_words);
        for (int i = PEOPLE - 1; i > 0; i--)
            days[i] -= days[i - 1];
        qsort(days, PEOPLE, sizeof *days, compare_words);
        for (int i = 1; i < PEOPLE; i++)
            equal += days[i] == days[i - 1];
    }
    is_likely("birthday spacings", ((double)equal - 4.0 * YEARS) / sqrt(4.0 * YEARS));
}

static void words(suite *t)
{
    uint32_t *x = get_numbers(t, YOKE_U32, make_words);
    int64_t ones[32] = { 0 }, equal[32] = { 0 };
    if (!x)
        return;
    for (int i = 1; i < N; i++)
        for (int bit = 0; bit < 32; bit++) {
            ones[bit] += x[i] >> bit & 1;
            equal[bit] += (x[i] ^ x[i - 1]) >> bit & 1;
        }
    for (int bit = 0; bit < 32; bit++) {
        is_likely("a bit", ((double)ones[bit] - (N - 1) / 2.0) / sqrt((N - 1) / 4.0));
        is_likely("a bit and the one before", ((double)equal[bit] - (N - 1) / 2.0) / sqrt((N - 1) / 4.0));
    }
    birthdays(x);
    memory_free(x);
}

/* ---- Normal and exponential numbers, integers ---- */

static yoke_status make_normal(suite *t, const yoke_array *out)
{
    return yoke_random_normal(t->stream, out, 0, 1, 7, 0, NULL);
}

static yoke_status make_exponential(suite *t, const yoke_array *out)
{
    return yoke_random_exponential(t->stream, out, 1, 7, 0, NULL);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov's statistic: sqrt(n) * D is below 2.2 but for one in 8,000. */
static void compare_distribution(float *x, double (*cumulative)(double))
{
    double most = 0;
    qsort(x, N, sizeof *x, compare_floats);
    for (int i = 0; i < N; i++) {
        double p = cumulative((double)x[i]);
        most = fmax(most, fmax((i + 1.0) / N - p, p - (double)i / N));
    }
    tap_diag("Kolmogorov and Smirnov: %.3f", most * sqrt(N));
    CHECK(most * sqrt(N) < 2.2 && most * sqrt(N) > 0.3);
}

static double normal_below(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

static double exponential_below(double x)
{
    return -expm1(-x);
}

static void normal_numbers(suite *t)
{
    float *x = get_numbers(t, YOKE_F32, make_normal);
    double moments[5] = { 0 }, product = 0, squares = 0;
    int64_t tails[2] = { 0 };
    if (!x)
        return;
    for (int i = 0; i < N; i++) {
        double z = (double)x[i], power = z;
        for (int k = 1; k < 5; k++, power *= z)
            moments[k] += power;
        tails[0] += fabs(z) > 3;
        tails[1] += fabs(z) > 4;
        if (i % 2) {
            product += z * (double)x[i - 1];
            squares += (z * z - 1) * ((double)x[i - 1] * (double)x[i - 1] - 1);
        }
    }
    is_likely("mean", moments[1] / sqrt(N));
    is_likely("variance", (moments[2] - N) / sqrt(2.0 * N));
    is_likely("third moment", moments[3] / sqrt(15.0 * N));
    is_likely("fourth moment", (moments[4] - 3.0 * N) / sqrt(96.0 * N));
    is_likely("the pair's product", product / sqrt(N / 2));
    is_likely("the pair's squares", squares / 2 / sqrt(N / 2));
    is_likely("beyond 3", ((double)tails[0] - N * 2.6997960632601866e-3) / sqrt(N * 2.69e-3));
    is_likely("beyond 4", ((double)tails[1] - N * 6.334248366623993e-5) / sqrt(N * 6.33e-5));
    compare_distribution(x, normal_below);
    memory_free(x);
}

static void exponential_numbers(suite *t)
{
    float *x = get_numbers(t, YOKE_F32, make_exponential);
    if (!x)
        return;
    compare_distribution(x, exponential_below);
    memory_free(x);
}

/* A range that rejects a quarter of the words, and whose remainders would show as a bias. */
static yoke_status make_integers(suite *t, const yoke_array *out)
{
    return yoke_random_integers(t->stream, out, YOKE_NUMBER(0u), YOKE_NUMBER(UINT32_C(3) << 30), 11, 5, NULL);
}

static void integers(suite *t)
{
    uint32_t *x = get_numbers(t, YOKE_U32, make_integers);
    int64_t counts[768] = { 0 }, lowest[3] = { 0 };
    if (!x)
        return;
    for (int i = 0; i < N; i++) {
        counts[x[i] >> 22]++;
        lowest[x[i] % 3]++;
    }
    is_likely("integers", chi_square(counts, 768, N / 768.0, NULL));
    is_likely("remainders", chi_square(lowest, 3, N / 3.0, NULL));
    memory_free(x);
}

/* Each of the 120 permutations of 5 comes as often as any other. */
static void permutations(suite *t)
{
    enum { ROWS = 30000 };
    int64_t shape[] = { ROWS, 5 }, counts[120] = { 0 };
    int32_t *orders = NULL;
    yoke_array out;
    if (!CHECK_OK(yoke_array_create(t->device, YOKE_I32, 2, shape, &out)))
        return;
    orders = memory_new(ROWS * 5 * sizeof *orders);
    if (CHECK_OK(yoke_random_permutation(t->stream, &out, 1, 0, NULL)) &&
        CHECK_OK(yoke_read_sync(t->stream, orders, out.buffer, 0, ROWS * 5 * sizeof *orders))) {
        for (int row = 0; row < ROWS; row++) {
            int rank = 0;
            for (int i = 0; i < 5; i++) {
                int smaller = 0;
                for (int k = i + 1; k < 5; k++)
                    smaller += orders[row * 5 + k] < orders[row * 5 + i];
                rank = rank * (5 - i) + smaller;
            }
            counts[rank]++;
        }
        is_likely("permutations", chi_square(counts, 120, ROWS / 120.0, NULL));
    }
    memory_free(orders);
    yoke_buffer_release(out.buffer);
}

static const suite_case cases[] = {
    { "uniform numbers: frequencies, pairs, triples, correlation, runs, gaps", uniform_numbers, false },
    { "words: bits and birthday spacings", words, false },
    { "normal numbers: moments, tails, pairs, distribution", normal_numbers, false },
    { "exponential numbers have their distribution", exponential_numbers, false },
    { "integers have no bias", integers, false },
    { "all permutations are equally likely", permutations, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
