/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long loops of one thread. Mesa's llvmpipe ends all loops of a thread after 65535 rounds in all, without a word: each case here
 * has a thread beyond that, were its share not cut. What cannot be cut is refused, on such a driver alone. Everywhere else most
 * cases run a second time with a small bound, so that the same launches are tried on every driver.
 */
#include "arrays.h"
#include "random/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/call/call.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

enum { BOUND = 6000 };

/* ---- Helpers ---- */

static bool ends_loops(const suite *t)
{
    return strstr(t->info.name, "llvmpipe") != NULL;
}

static void with_bounds(suite *t, void (*run)(suite *t))
{
    run(t);
    yops_rounds_forced = ends_loops(t) ? 0 : BOUND;
    if (yops_rounds_forced)
        run(t);
    yops_rounds_forced = 0;
}

/* Right, or refused for its loops where the driver ends them. */
static bool is_done(const suite *t, yoke_status status)
{
    if (!ends_loops(t) && !yops_rounds_forced)
        return CHECK_OK(status);
    if (status == YOKE_E_UNSUPPORTED)
        return !CHECK_TEXT(yoke_error()->text, "65535 rounds");
    return CHECK_OK(status);
}

/* An array with elements from the host. Checked. */
static bool put(suite *t, int32_t dtype, int32_t dimensions, const int64_t *shape, const void *elements, yoke_array *out)
{
    *out = (yoke_array){ .dtype = 0 };
    if (!CHECK_OK(yoke_array_create(t->device, dtype, dimensions, shape, out)))
        return false;
    return !elements || CHECK_OK(yoke_write_array(t->stream, out, elements));
}

static bool get(suite *t, const yoke_array *array, void *elements)
{
    return CHECK_OK(yoke_read_array(t->stream, elements, array)) && CHECK_OK(yoke_stream_wait(t->stream));
}

static uint32_t random_at(uint32_t i)
{
    i = (i ^ i >> 16) * 0x7feb352du;
    i = (i ^ i >> 15) * 0x846ca68bu;
    return i ^ i >> 16;
}

/* ---- Sorts ---- */

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Rows of n different keys: sorted, their order, the first k, and the lower median. */
static bool sorts(suite *t, int64_t rows, int64_t n, int64_t k)
{
    int64_t count = rows * n, *keys = memory_new(sizeof *keys * (size_t)count), *wanted = memory_new(sizeof *keys * (size_t)count);
    int64_t *got = memory_new(sizeof *keys * (size_t)count);
    int32_t *places = memory_new(sizeof *places * (size_t)count);
    yoke_array a = { .dtype = 0 }, order = { .dtype = 0 }, first = { .dtype = 0 }, median = { .dtype = 0 };
    bool ok = true;
    for (int64_t i = 0; i < count; i++)
        keys[i] = wanted[i] = (int64_t)((uint64_t)random_at((uint32_t)i) << 32 | (uint64_t)i);
    for (int64_t row = 0; row < rows; row++)
        qsort(wanted + row * n, (size_t)n, sizeof *wanted, compare);
    NEED(put(t, YOKE_I64, 2, SHAPE(rows, n), keys, &a));
    NEED(put(t, YOKE_I32, 2, SHAPE(rows, n), NULL, &order));
    NEED(put(t, YOKE_I64, 2, SHAPE(rows, k), NULL, &first));
    NEED_OK(yoke_argsort(t->stream, YOKE_SORT_ASCENDING, &order, &a));
    NEED_OK(yoke_top_k(t->stream, YOKE_SORT_ASCENDING, &first, NULL, &a));
    NEED(put(t, YOKE_I64, 1, SHAPE(rows), NULL, &median));
    NEED_OK(yoke_quantile(t->stream, YOKE_QUANTILE_LOWER, &median, &a, (const double[]){ 0.5 }, 1, YOKE_AXES(1)));
    NEED_OK(yoke_sort(t->stream, YOKE_SORT_ASCENDING, &a, NULL));
    NEED(get(t, &order, places) && get(t, &a, got));
    for (int64_t i = 0; i < count && ok; i++)
        ok = CHECK(got[i] == wanted[i]) && CHECK(keys[i / n * n + places[i]] == wanted[i]);
    NEED(ok && get(t, &first, got));
    for (int64_t i = 0; i < rows * k && ok; i++)
        ok = CHECK(got[i] == wanted[i / k * n + i % k]);
    NEED(ok && get(t, &median, got));
    for (int64_t row = 0; row < rows && ok; row++)
        ok = CHECK(got[row] == wanted[row * n + (n - 1) / 2]);
out:
    if (!ok)
        tap_diag("%lld rows of %lld keys", (long long)rows, (long long)n);
    yoke_buffer_release(median.buffer);
    yoke_buffer_release(first.buffer);
    yoke_buffer_release(order.buffer);
    yoke_buffer_release(a.buffer);
    memory_free(places);
    memory_free(got);
    memory_free(wanted);
    memory_free(keys);
    return ok;
}

static void sorts_of_each_length(suite *t)
{
    static const int64_t lengths[] = { 1300, 3072, 4096 };
    for (size_t i = 0; i < YOPS_COUNT_OF(lengths); i++)
        if (!sorts(t, i % 3 + 1, lengths[i], lengths[i] / 2))
            return;
    sorts(t, 1, 600000, 100);
}

static void sort(suite *t)
{
    with_bounds(t, sorts_of_each_length);
}

/* ---- Random numbers ---- */

static void permutation(suite *t)
{
    enum { N = 4000 };
    static int32_t places[N];
    static bool seen[N];
    yoke_array a;
    memset(seen, 0, sizeof seen);
    if (!put(t, YOKE_I32, 1, SHAPE(N), NULL, &a))
        return;
    if (CHECK_OK(yoke_random_permutation(t->stream, &a, 5, 7, NULL)) && get(t, &a, places))
        for (int i = 0; i < N && CHECK(places[i] >= 0 && places[i] < N && !seen[places[i]]); i++)
            seen[places[i]] = true;
    yoke_buffer_release(a.buffer);
}

/* Half of the words are rejected, and drawn again. */
static bool draws(suite *t, int32_t dtype, uint64_t range, uint64_t offset)
{
    enum { N = 70000 };
    static unsigned char got[4 * N];
    size_t size = yoke_dtype_get_size(dtype);
    random_reference r = { .kind = INTEGERS, .dtype = dtype, .seed = 9, .last = range - 1 };
    yoke_array a;
    bool ok = put(t, dtype, 1, SHAPE(N), NULL, &a) &&
              CHECK_OK(yoke_random_integers(t->stream, &a, YOKE_NUMBER(0), yoke_number_u64(range), 9, offset, NULL)) &&
              get(t, &a, got);
    for (uint64_t i = 0; i < N && ok; i++) {
        uint64_t wanted = 0;
        reference_number(&r, offset + i, &wanted);
        ok = CHECK_BYTES(got + i * size, &wanted, size);
    }
    yoke_buffer_release(a.buffer);
    return ok;
}

static void integers_of_each_kind(suite *t)
{
    draws(t, YOKE_U8, 2, 3);
    draws(t, YOKE_U32, (UINT64_C(1) << 31) + 1, 1);
}

static void integers(suite *t)
{
    with_bounds(t, integers_of_each_kind);
}

/* ---- Sums in order ---- */

/* 100,000 rows of two elements added to one place, whose order can be seen. `dtype`: YOKE_F32 or YOKE_F16. */
static bool scatters(suite *t, int32_t dtype)
{
    enum { N = 100000 };
    static float values[2 * N], out[6], sums[6];
    static int32_t places[N];
    yoke_array wide, a = { .dtype = 0 }, o = { .dtype = 0 }, indices;
    bool ok = false;
    for (uint32_t i = 0; i < N; i++) {
        places[i] = i % 1000 == 7 ? 2 : i == 50000 ? 9 : 0;
        for (uint32_t j = 0; j < 2; j++) {
            float x = (float)(random_at(2 * i + j) % 64) * (random_at(i) % 16 == 3 ? 16 : 0.25f) - 8;
            values[2 * i + j] = x;
        }
    }
    memset(sums, 0, sizeof sums);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 2 && places[i] < 3; j++)
            sums[2 * places[i] + j] += values[2 * i + j];
    if (!put(t, YOKE_F32, 2, SHAPE(N, 2), values, &wide) || !put(t, YOKE_I32, 1, SHAPE(N), places, &indices))
        return false;
    NEED(put(t, dtype, 2, SHAPE(N, 2), NULL, &a) && put(t, dtype, 2, SHAPE(3, 2), NULL, &o));
    NEED_OK(yoke_assign(t->stream, &a, &wide));
    NEED_OK(yoke_assign_value(t->stream, &o, YOKE_NUMBER(0)));
    NEED_OK(yoke_scatter(t->stream, YOKE_SCATTER_ADD, &o, &a, &indices, 0));
    yoke_array read = yoke_array_2d(wide.buffer, YOKE_F32, 3, 2);
    NEED_OK(yoke_assign(t->stream, &read, &o));
    ok = get(t, &read, out);
    for (int i = 0; i < 6 && ok; i++)
        ok = CHECK(out[i] == (dtype == YOKE_F16 ? yoke_half_to_float(yoke_half_from(sums[i])) : sums[i]));
out:
    if (!ok)
        tap_diag("scatter of %s", yoke_dtype_get_name(dtype));
    yoke_buffer_release(o.buffer);
    yoke_buffer_release(a.buffer);
    yoke_buffer_release(indices.buffer);
    yoke_buffer_release(wide.buffer);
    return ok;
}

static void scatters_of_each_dtype(suite *t)
{
    scatters(t, YOKE_F32);
    scatters(t, YOKE_F16);
}

static void scatter(suite *t)
{
    with_bounds(t, scatters_of_each_dtype);
}

/* Nearly all weights go to one bin. With more than 16384 bins they are added in their order, with fewer of them in tiles. */
static bool weighs(suite *t, int64_t n, int64_t count, int64_t tile)
{
    float *weights = memory_new(sizeof *weights * (size_t)n), *got = memory_new(sizeof *got * (size_t)count), wanted = 0, sum = 0;
    int32_t *bins = memory_new(sizeof *bins * (size_t)n);
    yoke_array a = { .dtype = 0 }, w = { .dtype = 0 }, out = { .dtype = 0 };
    bool ok = false;
    for (int64_t i = 0; i < n; i++) {
        bins[i] = i % 500 == 3 ? 0 : (int32_t)count - 2;
        weights[i] = (float)(random_at((uint32_t)i) % 1000) * 0.37f;
        if (tile > 0 && i % tile == 0) {
            wanted = i > 0 ? wanted + sum : 0;
            sum = 0;
        }
        sum += bins[i] ? weights[i] : 0;
    }
    wanted = tile > 0 && n > tile ? wanted + sum : sum;
    NEED(put(t, YOKE_I32, 1, SHAPE(n), bins, &a) && put(t, YOKE_F32, 1, SHAPE(n), weights, &w));
    NEED(put(t, YOKE_F32, 1, SHAPE(count), NULL, &out));
    NEED_OK(yoke_bincount(t->stream, &out, &a, &w));
    ok = get(t, &out, got) && CHECK(got[count - 2] == wanted);
out:
    if (!ok)
        tap_diag("%lld weights in %lld bins", (long long)n, (long long)count);
    yoke_buffer_release(out.buffer);
    yoke_buffer_release(w.buffer);
    yoke_buffer_release(a.buffer);
    memory_free(bins);
    memory_free(got);
    memory_free(weights);
    return ok;
}

static void weighs_in_each_way(suite *t)
{
    weighs(t, 100000, 20000, 0);
    weighs(t, 30000, 3000, 1024);
}

/* Sixteen million elements, each of which is searched for among edges. */
static void searches_edges(suite *t)
{
    enum { N = 1 << 24, COUNT = 3000 };
    static float edges[COUNT + 1];
    static uint32_t got[COUNT];
    yoke_array a, out, e;
    for (int i = 0; i <= COUNT; i++)
        edges[i] = (float)i * (N / COUNT);
    if (!put(t, YOKE_F32, 1, SHAPE(N), NULL, &a) || !put(t, YOKE_U32, 1, SHAPE(COUNT), NULL, &out) ||
        !put(t, YOKE_F32, 1, SHAPE(COUNT + 1), edges, &e))
        return;
    if (CHECK_OK(yoke_map(t->stream, "a = i", YOKE_VARS(a))) && CHECK_OK(yoke_histogram_edges(t->stream, &out, &a, &e, NULL)) &&
        get(t, &out, got))
        for (int i = 0; i + 1 < COUNT && CHECK(got[i] == N / COUNT); i++) {
        }
    yoke_buffer_release(e.buffer);
    yoke_buffer_release(out.buffer);
    yoke_buffer_release(a.buffer);
}

static void histograms(suite *t)
{
    with_bounds(t, weighs_in_each_way);
    searches_edges(t);
}

/* ---- Reductions ---- */

/* Offsets out of order, so that most tiles are reduced by the thread of their segment. */
static bool reduces_segments(suite *t, int64_t n, int64_t step)
{
    enum { SEGMENTS = 6 };
    float *values = memory_new(sizeof *values * (size_t)n);
    int64_t offsets[SEGMENTS + 1], got[SEGMENTS];
    yoke_array memory = { .dtype = 0 }, begins = { .dtype = 0 }, out = { .dtype = 0 };
    bool ok = false;
    for (int64_t i = 0; i < n; i++)
        values[i] = (float)(random_at((uint32_t)i) >> 8);
    for (int64_t i = 0; i <= SEGMENTS; i++)
        offsets[i] = i % 2 ? n - i : i;
    NEED(put(t, YOKE_F32, 1, SHAPE(n * step), NULL, &memory));
    yoke_array a = yoke_array_slice(memory, 0, 0, YOKE_SLICE_END, step);
    NEED_OK(yoke_write_array(t->stream, &a, values));
    NEED(put(t, YOKE_I64, 1, SHAPE(SEGMENTS + 1), offsets, &begins) && put(t, YOKE_I64, 1, SHAPE(SEGMENTS), NULL, &out));
    NEED_OK(yoke_reduce_segments(t->stream, YOKE_REDUCE_ARGMAX, &out, &a, &begins));
    ok = get(t, &out, got);
    for (int64_t i = 0; i < SEGMENTS && ok; i++) {
        int64_t best = -1;
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            best = best < 0 || values[j] > values[best] ? j : best;
        ok = CHECK(got[i] == (best < 0 ? -1 : best - offsets[i]));
    }
out:
    yoke_buffer_release(out.buffer);
    yoke_buffer_release(begins.buffer);
    yoke_buffer_release(memory.buffer);
    memory_free(values);
    return ok;
}

static void segments_out_of_order(suite *t)
{
    reduces_segments(t, 300000, 2);
}

/* Rows of two elements, and eight axes that are none: the loops around the elements are what takes long. */
static void reduce_little(suite *t)
{
    enum { ROWS = 200000, ALL = 4 * 4 * 4 * 4 * 4 * 4 * 4 * 4, SOME = 3 * 3 * 3 * 3 * 3 * 3 * 3 * 3 };
    static float got[ROWS];
    yoke_array a, out;
    if (!put(t, YOKE_F32, 2, SHAPE(ROWS, 2), NULL, &a) || !put(t, YOKE_F32, 1, SHAPE(ROWS), NULL, &out))
        return;
    yoke_array cut = yoke_array_nd(a.buffer, YOKE_F32, 8, SHAPE(4, 4, 4, 4, 4, 4, 4, 4)),
               one = yoke_array_1d(out.buffer, YOKE_F32, 1);
    for (int32_t i = 0; i < 8; i++)
        cut = yoke_array_slice(cut, i, 0, 3, 1);
    CHECK_OK(yoke_assign_value(t->stream, &a, YOKE_NUMBER(1)));
    if (CHECK_OK(yoke_reduce(t->stream, YOKE_REDUCE_SUM, &out, &a, YOKE_AXES(1))) && get(t, &out, got))
        for (int i = 0; i < ROWS && CHECK(got[i] == 2); i++) {
        }
    if (CHECK_OK(yoke_reduce(t->stream, YOKE_REDUCE_SUM, &one, &cut, YOKE_ALL_AXES)) && get(t, &one, got))
        CHECK(got[0] == SOME);
    yoke_buffer_release(out.buffer);
    yoke_buffer_release(a.buffer);
}

static void reductions(suite *t)
{
    with_bounds(t, segments_out_of_order);
    with_bounds(t, reduce_little);
}

/* ---- Products, filters, transforms ---- */

/* Ones: sums of k. With many matrices, k is in one slice. */
static bool multiplies(suite *t, int64_t batch, int64_t m, int64_t k)
{
    int64_t count = batch * m * m;
    float *got = memory_new(sizeof *got * (size_t)count);
    yoke_array a = { .dtype = 0 }, b = { .dtype = 0 }, c = { .dtype = 0 };
    bool ok = false;
    NEED(put(t, YOKE_F32, 2, SHAPE(m, k), NULL, &a) && put(t, YOKE_F32, 2, SHAPE(k, m), NULL, &b));
    NEED(put(t, YOKE_F32, 3, SHAPE(batch, m, m), NULL, &c));
    NEED_OK(yoke_map(t->stream, "a = i1 % 3", YOKE_VARS(a)));
    NEED_OK(yoke_assign_value(t->stream, &b, YOKE_NUMBER(1)));
    yoke_array all_a = yoke_array_broadcast(a, 3, SHAPE(batch, m, k)), all_b = yoke_array_broadcast(b, 3, SHAPE(batch, k, m));
    NEED_OK(yoke_matmul(t->stream, &c, &all_a, &all_b, NULL));
    ok = get(t, &c, got);
    for (int64_t i = 0; i < count && ok; i++)
        ok = CHECK(got[i] == (float)(k / 3 * 3 + (k % 3 == 2)));
out:
    if (!ok)
        tap_diag("%lld products of %lld", (long long)batch, (long long)k);
    yoke_buffer_release(c.buffer);
    yoke_buffer_release(b.buffer);
    yoke_buffer_release(a.buffer);
    memory_free(got);
    return ok;
}

static void products_of_each_kind(suite *t)
{
    multiplies(t, 520, 2, 3200);
    multiplies(t, 1, 32, 17001);
}

static void products(suite *t)
{
    with_bounds(t, products_of_each_kind);
}

static bool filters(suite *t, int64_t taps0, int64_t taps1)
{
    enum { SIDE = 5 };
    float got[SIDE * SIDE];
    int64_t taps = taps0 * taps1;
    double *weights = memory_new(sizeof *weights * (size_t)taps);
    yoke_array a = { .dtype = 0 }, out = { .dtype = 0 };
    bool ok = false;
    for (int64_t i = 0; i < taps; i++)
        weights[i] = 1;
    NEED(put(t, YOKE_F32, 2, SHAPE(SIDE, SIDE), NULL, &a) && put(t, YOKE_F32, 2, SHAPE(SIDE, SIDE), NULL, &out));
    NEED_OK(yoke_assign_value(t->stream, &a, YOKE_NUMBER(1)));
    yoke_status status = yoke_correlate(t->stream, &out, &a, weights, SHAPE(taps0, taps1), YOKE_AXES(0, 1), NULL);
    ok = is_done(t, status);
    if (status == YOKE_OK)
        ok = get(t, &out, got);
    for (int i = 0; i < SIDE * SIDE && ok && status == YOKE_OK; i++)
        ok = CHECK(got[i] == (float)taps);
out:
    yoke_buffer_release(out.buffer);
    yoke_buffer_release(a.buffer);
    memory_free(weights);
    return ok;
}

static void many_taps(suite *t)
{
    filters(t, 1, 1000);
    filters(t, 1, 70000);
    filters(t, 300, 7);
}

/* Rows whose first element alone is not 0. */
static bool transforms(suite *t, int64_t rows, int64_t n)
{
    int64_t count = rows * n;
    float *points = memory_new(2 * sizeof *points * (size_t)count);
    yoke_array a = { .dtype = 0 };
    bool ok = false;
    memset(points, 0, 2 * sizeof *points * (size_t)count);
    for (int64_t row = 0; row < rows; row++)
        points[2 * row * n] = (float)row + 1;
    NEED(put(t, YOKE_C64, 2, SHAPE(rows, n), points, &a));
    NEED_OK(yoke_fft(t->stream, YOKE_FFT_FORWARD, &a, &a, YOKE_AXES(1), NULL));
    ok = get(t, &a, points);
    for (int64_t i = 0; i < count && ok; i++)
        ok = CHECK(points[2 * i] == (float)(i / n) + 1 && points[2 * i + 1] == 0);
out:
    yoke_buffer_release(a.buffer);
    memory_free(points);
    return ok;
}

static bool convolves(suite *t, int64_t taps0, int64_t taps1)
{
    float got[9];
    yoke_array a = { .dtype = 0 }, b = { .dtype = 0 }, out = { .dtype = 0 };
    bool ok = false;
    NEED(put(t, YOKE_F32, 2, SHAPE(taps0 + 2, taps1 + 2), NULL, &a) && put(t, YOKE_F32, 2, SHAPE(taps0, taps1), NULL, &b));
    NEED(put(t, YOKE_F32, 2, SHAPE(3, 3), NULL, &out));
    NEED_OK(yoke_assign_value(t->stream, &a, YOKE_NUMBER(1)));
    NEED_OK(yoke_assign_value(t->stream, &b, YOKE_NUMBER(1)));
    yoke_status status = yoke_fft_convolve(t->stream, YOKE_CONVOLVE_VALID, &out, &a, &b, YOKE_AXES(0, 1));
    ok = is_done(t, status);
    if (status == YOKE_OK)
        ok = get(t, &out, got);
    for (int i = 0; i < 9 && ok && status == YOKE_OK; i++)
        ok = CHECK(got[i] == (float)(taps0 * taps1));
out:
    yoke_buffer_release(out.buffer);
    yoke_buffer_release(b.buffer);
    yoke_buffer_release(a.buffer);
    return ok;
}

static void signals(suite *t)
{
    many_taps(t);
    transforms(t, 800, 4096);
    convolves(t, 1, 64000);
    convolves(t, 25000, 1);
}

/* ---- Expressions ---- */

/* fmod has a loop in some drivers, and a function of the program's own may have one. */
static void loops_of_functions(suite *t)
{
    enum { N = 20000 };
    static float values[N], got[N];
    yoke_var list[3];
    yoke_array a, out, count;
    float wanted = 0, sum = 0;
    for (int i = 0; i < N; i++)
        values[i] = 1e30f * (float)(1 + i % 7);
    if (!put(t, YOKE_F32, 1, SHAPE(N), values, &a) || !put(t, YOKE_F32, 1, SHAPE(N), NULL, &out) ||
        !put(t, YOKE_I32, 0, NULL, NULL, &count))
        return;
    if (CHECK_OK(yoke_map(t->stream, "out = fmod(a, 3.0f)", YOKE_VARS(out, a))) && get(t, &out, got))
        for (int i = 0; i < N && CHECK(got[i] == fmodf(values[i], 3)); i++)
            wanted += got[i];
    yoke_array one = yoke_array_1d(out.buffer, YOKE_F32, 1);
    yoke_status status = yoke_map_reduce(t->stream, YOKE_REDUCE_SUM, &one, "fmod(a, 3.0f)", YOKE_VARS(a), YOKE_ALL_AXES);
    if (is_done(t, status) && status == YOKE_OK && get(t, &one, &sum))
        CHECK(sum == wanted); /* small whole numbers */
    status = yoke_select_where(t->stream, &out, &count, &a, "fmod(a, 3.0f) < 5", YOKE_VARS(a));
    int32_t kept = 0;
    if (is_done(t, status) && status == YOKE_OK && get(t, &count, &kept))
        CHECK(kept == N);
    list[0] = yoke_var_array("out", out);
    list[1] = yoke_var_array("a", a);
    list[2] = yoke_var_function("float slowly(float x)", "YOKE_FUNCTION float slowly(float x)\n{\n    float y = x;\n"
                                                         "    for (int i = 0; i < 200; i++)\n        y = y * 0.5f + 1.0f;\n"
                                                         "    return y;\n}\n");
    if (CHECK_OK(yoke_map(t->stream, "out = slowly(a)", list, 3)) && get(t, &out, got))
        for (int i = 0; i < N && CHECK(got[i] == 2); i++) {
        }
    yoke_buffer_release(count.buffer);
    yoke_buffer_release(out.buffer);
    yoke_buffer_release(a.buffer);
}

/* Scans and selections of more tiles than a thread may go through. */
static void many_tiles(suite *t)
{
    enum { N = 4096 * 60 };
    yoke_array a, count;
    if (!put(t, YOKE_I32, 1, SHAPE(N), NULL, &a) || !put(t, YOKE_I32, 0, NULL, NULL, &count))
        return;
    CHECK_OK(yoke_assign_value(t->stream, &a, YOKE_NUMBER(1)));
    CHECK_OK(yoke_stream_wait(t->stream));
    suite_expect_log();
    yops_rounds_forced = 50;
    yoke_status scanned = yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &a, &a, 0);
    if (scanned < 0)
        CHECK_TEXT(yoke_error()->text, "a scan of 245760 elements");
    yoke_array out = yoke_array_slice(a, 0, 0, 1, 1), rest = yoke_array_slice(a, 0, 1, YOKE_SLICE_END, 1);
    yoke_status kept = yoke_unique(t->stream, &out, NULL, &count, &rest);
    if (kept < 0)
        CHECK_TEXT(yoke_error()->text, "a selection of 245759 elements");
    yops_rounds_forced = 0;
    CHECK(scanned == kept && (kept == YOKE_OK || kept == YOKE_E_UNSUPPORTED));
    yoke_buffer_release(count.buffer);
    yoke_buffer_release(a.buffer);
}

static void expressions(suite *t)
{
    loops_of_functions(t);
    many_tiles(t);
}

int main(void)
{
    static const suite_case cases[] = {
        { "rows of each length are sorted", sort, false },
        { "permutations", permutation, false },
        { "integers that are drawn again", integers, false },
        { "one place gets all elements", scatter, false },
        { "histograms", histograms, false },
        { "reductions", reductions, false },
        { "sums of many products", products, false },
        { "filters, transforms, convolutions", signals, false },
        { "functions with loops, and many tiles", expressions, false },
    };
    return SUITE_MAIN(cases, NULL);
}
