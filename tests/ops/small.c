/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations other than maps on few elements, each with one or two kernels: for drivers that are slow because they look at each
 * access, as Oclgrind does.
 */
#include "arrays.h"

#include <string.h>

#include "ops/reduce/histogram.h"
#include "ops/order/sort.h"

enum { COUNT = 300, MOST = 5000, BINS = 8 };

typedef struct small {
    yoke_array x, out, flags, places, one;
    int32_t given[MOST], back[MOST];
    int32_t n;
} small;

static bool create(suite *t, small *s, int32_t n)
{
    yoke_array *all[] = { &s->x, &s->out, &s->flags, &s->places, &s->one };
    int32_t zeros[MOST] = { 0 };
    memset(s, 0, sizeof *s);
    s->n = n;
    for (int32_t i = 0; i < n; i++)
        s->given[i] = i * 37 % 101;
    for (int i = 0; i < 5; i++) {
        int64_t size = i == 4 ? 1 : n;
        if (!CHECK_OK(yoke_array_create(t->device, YOKE_I32, 1, &size, all[i])) ||
            !CHECK_OK(yoke_write_array(t->stream, all[i], i == 0 ? s->given : zeros)))
            return false;
    }
    return CHECK_OK(yoke_stream_wait(t->stream));
}

static void release(small *s)
{
    yoke_buffer_release(s->x.buffer);
    yoke_buffer_release(s->out.buffer);
    yoke_buffer_release(s->flags.buffer);
    yoke_buffer_release(s->places.buffer);
    yoke_buffer_release(s->one.buffer);
}

static bool read_back(suite *t, small *s, const yoke_array *array)
{
    return CHECK_OK(yoke_read_array(t->stream, s->back, array)) && CHECK_OK(yoke_stream_wait(t->stream));
}

static void reductions(suite *t)
{
    small s;
    int32_t sum = 0;
    if (create(t, &s, MOST) && CHECK_OK(yoke_reduce(t->stream, YOKE_REDUCE_SUM, &s.one, &s.x, YOKE_ALL_AXES)) &&
        read_back(t, &s, &s.one)) {
        for (int32_t i = 0; i < s.n; i++)
            sum += s.given[i];
        CHECK(s.back[0] == sum);
    }
    release(&s);
}

static void segments(suite *t)
{
    small s;
    int32_t offsets[] = { 0, 10, 10, 4700, 4990 };
    int64_t count = 5;
    yoke_array starts = { 0 };
    if (create(t, &s, MOST) && CHECK_OK(yoke_array_create(t->device, YOKE_I32, 1, &count, &starts)) &&
        CHECK_OK(yoke_write_array(t->stream, &starts, offsets))) {
        yoke_array sums = yoke_array_slice(s.out, 0, 0, 4, 1);
        if (CHECK_OK(yoke_reduce_segments(t->stream, YOKE_REDUCE_SUM, &sums, &s.x, &starts)) && read_back(t, &s, &sums))
            for (int32_t k = 0; k < 4; k++) {
                int32_t sum = 0;
                for (int32_t i = offsets[k]; i < offsets[k + 1]; i++)
                    sum += s.given[i];
                CHECK(s.back[k] == sum);
            }
    }
    yoke_buffer_release(starts.buffer);
    release(&s);
}

static void scans(suite *t)
{
    small s;
    int32_t sum = 0;
    if (create(t, &s, MOST) && CHECK_OK(yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &s.out, &s.x, 0)) &&
        read_back(t, &s, &s.out))
        for (int32_t i = 0; i < s.n; i++)
            if (!CHECK(s.back[i] == (sum += s.given[i])))
                break;
    release(&s);
}

static void selections(suite *t)
{
    small s;
    int32_t kept = 0;
    if (create(t, &s, COUNT) && CHECK_OK(yoke_select(t->stream, &s.out, &s.one, &s.x, &s.x)) && read_back(t, &s, &s.out))
        for (int32_t i = 0; i < s.n; i++)
            if (s.given[i] && !CHECK(s.back[kept++] == s.given[i]))
                break;
    release(&s);
}

static void sort_by(suite *t, int32_t way)
{
    small s;
    int32_t before = -1;
    yops_sort_forced = (yops_sort_way)way;
    if (create(t, &s, COUNT) && CHECK_OK(yoke_argsort(t->stream, YOKE_SORT_ASCENDING, &s.places, &s.x)) &&
        CHECK_OK(yoke_gather(t->stream, &s.out, &s.x, &s.places, 0)) &&
        CHECK_OK(yoke_scatter(t->stream, YOKE_SCATTER_SET, &s.flags, &s.out, &s.places, 0)) && read_back(t, &s, &s.flags) &&
        CHECK_BYTES(s.back, s.given, COUNT * sizeof *s.given) && read_back(t, &s, &s.out))
        for (int32_t i = 0; i < s.n; i++) {
            if (!CHECK(s.back[i] >= before))
                break;
            before = s.back[i];
        }
    yops_sort_forced = YOPS_SORT_BY_DEVICE;
    release(&s);
}

static void sorts(suite *t)
{
    sort_by(t, YOPS_SORT_BY_DEVICE);
    sort_by(t, YOPS_SORT_BLOCKS);
}

static void histograms(suite *t)
{
    for (yops_histogram_kernels = 1; yops_histogram_kernels <= 2; yops_histogram_kernels++) {
        small s;
        int32_t counts[BINS] = { 0 };
        if (create(t, &s, COUNT)) {
            yoke_array bins = yoke_array_slice(s.out, 0, 0, BINS, 1);
            for (int32_t i = 0; i < s.n; i++)
                counts[s.given[i] * BINS / 104] += 1;
            if (CHECK_OK(yoke_histogram(t->stream, &bins, &s.x, YOKE_NUMBER(0), YOKE_NUMBER(104), NULL)) && read_back(t, &s, &bins))
                CHECK_BYTES(s.back, counts, sizeof counts);
        }
        release(&s);
    }
    yops_histogram_kernels = 0;
}

static const suite_case cases[] = {
    { "a reduction", reductions, false },
    { "segments", segments, false },
    { "a scan", scans, false },
    { "a selection", selections, false },
    { "sorts and what follows", sorts, false },
    { "histograms", histograms, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
