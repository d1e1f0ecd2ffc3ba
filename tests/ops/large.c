/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays of more than 2^32 elements, where YOKE_TEST_LARGE asks for them and a GPU has the memory; and the same of few elements
 * everywhere, so that what is checked here is itself checked. With B bits, element i is i * 2654435761 >> (B - 8), modulo 256:
 * because the factor is odd, each value comes 2^(B - 8) times in 2^B neighbours. 255 counts as 254, but at one place beyond 2^B. So
 * the counts are known, and the device compares all elements with the formula; the host reads a few to see that it does.
 */
#include "arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_BITS = 16, MANY_BITS = 32, BINS = 256, PIECE = 4096, TEXT = 256, FACTOR = 4363 };
#define MULTIPLIER UINT64_C(2654435761)
#define ELEMENT "(e == %lld ? 255 : (int32)min((uint64)e * 2654435761 >> %d & 255, (uint64)254))"

typedef struct large {
    suite *t;
    int bits;
    int64_t n, place; /* of 255 */
    yoke_array x, out, flags, one, bins;
    uint64_t counts[BINS];
} large;

static uint8_t element(const large *l, int64_t i)
{
    uint8_t value = (uint8_t)((uint64_t)i * MULTIPLIER >> (l->bits - 8));
    return i == l->place ? 255 : value == 255 ? 254 : value;
}

static void count(large *l)
{
    int64_t period = (int64_t)1 << l->bits;
    for (int v = 0; v < BINS; v++)
        l->counts[v] = (uint64_t)1 << (l->bits - 8);
    for (int64_t i = period; i < l->n; i++)
        if (i != l->place)
            l->counts[(uint8_t)((uint64_t)i * MULTIPLIER >> (l->bits - 8))]++;
    l->counts[254] += l->counts[255];
    l->counts[255] = 1;
}

static bool create(suite *t, int bits, large *l)
{
    const int64_t one = 1, bins = BINS;
    *l = (large){ .t = t, .bits = bits };
    l->n = ((int64_t)1 << bits) + ((int64_t)1 << (bits - 6)) + 12345;
    l->place = ((int64_t)1 << bits) + 777;
    count(l);
    return CHECK_OK(yoke_array_create(t->device, YOKE_U8, 1, &l->n, &l->x)) &&
           CHECK_OK(yoke_array_create(t->device, YOKE_U8, 1, &l->n, &l->out)) &&
           CHECK_OK(yoke_array_create(t->device, YOKE_U8, 1, &l->n, &l->flags)) &&
           CHECK_OK(yoke_array_create(t->device, YOKE_U64, 1, &one, &l->one)) &&
           CHECK_OK(yoke_array_create(t->device, YOKE_U64, 1, &bins, &l->bins));
}

static void release(large *l)
{
    yoke_buffer_release(l->x.buffer);
    yoke_buffer_release(l->out.buffer);
    yoke_buffer_release(l->flags.buffer);
    yoke_buffer_release(l->one.buffer);
    yoke_buffer_release(l->bins.buffer);
}

/* The one number that an operation left. Checked. */
static bool is_one(large *l, uint64_t wanted)
{
    uint64_t got = 0;
    if (!CHECK_OK(yoke_read_array(l->t->stream, &got, &l->one)) || !CHECK_OK(yoke_stream_wait(l->t->stream)))
        return false;
    if (CHECK(got == wanted))
        return true;
    tap_diag("got %llu, wanted %llu", (unsigned long long)got, (unsigned long long)wanted);
    return false;
}

/* Whether the expression is true for all of so many elements: they are counted, so that none is left out. Checked. */
static bool all_are(large *l, const char *text, const yoke_var *vars, size_t var_count, int64_t elements)
{
    return CHECK_OK(yoke_map_reduce(l->t->stream, YOKE_REDUCE_SUM, &l->one, text, vars, var_count, YOKE_ALL_AXES)) &&
           is_one(l, (uint64_t)elements);
}

/* Whether each element of `o` is the element whose index is the expression `index`. Checked. */
static bool all_come_from(large *l, yoke_array o, const char *index)
{
    char text[TEXT];
    snprintf(text, sizeof text, "e = %s; o == " ELEMENT, index, (long long)l->place, l->bits - 8);
    return all_are(l, text, YOKE_VARS(o), yoke_array_get_size(&o));
}

static bool map_elements(large *l)
{
    const int64_t period = (int64_t)1 << l->bits, middles[] = { PIECE / 2, period / 2, period, l->place, l->n - PIECE / 2 };
    yoke_array x = l->x;
    uint8_t piece[PIECE];
    char text[TEXT];
    snprintf(text, sizeof text, "e = i; x = (uint8)" ELEMENT, (long long)l->place, l->bits - 8);
    if (!CHECK_OK(yoke_map(l->t->stream, text, YOKE_VARS(x))))
        return false;
    for (size_t k = 0; k < sizeof middles / sizeof *middles; k++) {
        int64_t first = middles[k] - PIECE / 2;
        yoke_array part = yoke_array_slice(x, 0, first, first + PIECE, 1);
        if (!CHECK_OK(yoke_read_array(l->t->stream, piece, &part)) || !CHECK_OK(yoke_stream_wait(l->t->stream)))
            return false;
        for (int64_t i = 0; i < PIECE; i++)
            if (!CHECK(piece[i] == element(l, first + i)))
                return false;
    }
    return all_come_from(l, x, "i");
}

static bool reduce(large *l)
{
    uint64_t sum = 0;
    for (uint64_t v = 0; v < BINS; v++)
        sum += v * l->counts[v];
    return CHECK_OK(yoke_reduce(l->t->stream, YOKE_REDUCE_SUM, &l->one, &l->x, YOKE_ALL_AXES)) && is_one(l, sum) &&
           CHECK_OK(yoke_reduce(l->t->stream, YOKE_REDUCE_ARGMAX, &l->one, &l->x, YOKE_ALL_AXES)) && is_one(l, (uint64_t)l->place);
}

/* Modulo 256, so that each step from one sum to the next is an element. */
static bool scan(large *l)
{
    yoke_array behind = yoke_array_slice(l->out, 0, 1, l->n, 1), before = yoke_array_slice(l->out, 0, 0, l->n - 1, 1);
    yoke_array x = yoke_array_slice(l->x, 0, 1, l->n, 1), first = yoke_array_slice(l->out, 0, 0, 1, 1);
    uint8_t got = 0;
    return CHECK_OK(yoke_scan(l->t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &l->out, &l->x, 0)) &&
           CHECK_OK(yoke_read_array(l->t->stream, &got, &first)) && CHECK_OK(yoke_stream_wait(l->t->stream)) &&
           CHECK(got == element(l, 0)) && all_are(l, "(uint8)(behind - before) == x", YOKE_VARS(behind, before, x), l->n - 1);
}

/* All but one of 1024: more than 2^B are kept. */
static bool select_most(large *l)
{
    yoke_array flags = l->flags;
    int64_t kept = l->n - (l->n + 1023) / 1024;
    return CHECK(kept > (int64_t)1 << l->bits) &&
           CHECK_OK(yoke_map(l->t->stream, "flags = (uint8)(i % 1024 != 0)", YOKE_VARS(flags))) &&
           CHECK_OK(yoke_select(l->t->stream, &l->out, &l->one, &l->x, &flags)) && is_one(l, (uint64_t)kept) &&
           all_come_from(l, yoke_array_slice(l->out, 0, 0, kept, 1), "i / 1023 * 1024 + 1 + i % 1023");
}

static bool are_counted(large *l)
{
    uint64_t got[BINS] = { 0 };
    return CHECK_OK(yoke_read_array(l->t->stream, got, &l->bins)) && CHECK_OK(yoke_stream_wait(l->t->stream)) &&
           CHECK_BYTES(got, l->counts, sizeof got);
}

static bool histogram(large *l)
{
    return CHECK_OK(yoke_histogram(l->t->stream, &l->bins, &l->x, YOKE_NUMBER(0), YOKE_NUMBER(BINS), NULL)) && are_counted(l) &&
           CHECK_OK(yoke_bincount(l->t->stream, &l->bins, &l->x, NULL)) && are_counted(l);
}

static bool gather(large *l)
{
    const int64_t some = l->bits == MANY_BITS ? 1 << 20 : 1000;
    yoke_array places = { 0 }, out = yoke_array_slice(l->out, 0, 0, some, 1);
    char index[TEXT], text[TEXT + 16];
    snprintf(index, sizeof index, "(i * %d + 7) %% %lld", FACTOR, (long long)l->n);
    snprintf(text, sizeof text, "places = %s", index);
    bool good = CHECK_OK(yoke_array_create(l->t->device, YOKE_I64, 1, &some, &places)) &&
                CHECK_OK(yoke_map(l->t->stream, text, YOKE_VARS(places))) &&
                CHECK_OK(yoke_gather(l->t->stream, &out, &l->x, &places, 0)) && all_come_from(l, out, index);
    yoke_buffer_release(places.buffer);
    return good;
}

static bool sort(large *l)
{
    yoke_array behind = yoke_array_slice(l->x, 0, 1, l->n, 1), before = yoke_array_slice(l->x, 0, 0, l->n - 1, 1);
    return CHECK_OK(yoke_sort(l->t->stream, YOKE_SORT_ASCENDING, &l->x, NULL)) &&
           all_are(l, "before <= behind", YOKE_VARS(behind, before), l->n - 1) &&
           CHECK_OK(yoke_bincount(l->t->stream, &l->bins, &l->x, NULL)) && are_counted(l);
}

static void all_operations(suite *t, int bits)
{
    static const struct {
        const char *name;
        bool (*run)(large *l);
    } steps[] = {
        { "map", map_elements },    { "reduce", reduce }, { "scan", scan }, { "select", select_most },
        { "histogram", histogram }, { "gather", gather }, { "sort", sort }, /* the last: it changes the elements */
    };
    large l;
    if (create(t, bits, &l))
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            if (!steps[i].run(&l))
                tap_diag("this was %s, of %lld elements", steps[i].name, (long long)l.n);
    release(&l);
}

static void few(suite *t)
{
    all_operations(t, FEW_BITS);
}

static void many(suite *t)
{
    yoke_memory_info info = YOKE_MEMORY_INFO_INIT;
    const uint64_t bytes = (uint64_t)1 << MANY_BITS, needed = 8 * bytes; /* three arrays, and those of a sort */
    if (!getenv("YOKE_TEST_LARGE")) {
        suite_skip("YOKE_TEST_LARGE is not set");
        return;
    }
    CHECK_OK(yoke_device_get_memory(t->device, &info));
    if (t->info.kind != YOKE_DEVICE_GPU || info.free < needed || t->info.max_buffer < bytes + bytes / 32) {
        suite_skip("this is no GPU with %llu GiB of free memory", (unsigned long long)(needed >> 30));
        return;
    }
    all_operations(t, MANY_BITS);
}

static const suite_case cases[] = {
    { "the elements and their checks, of few", few, false },
    { "more than 2^32 elements, where YOKE_TEST_LARGE asks for them", many, false },
};

int main(void)
{
    if (getenv("YOKE_TEST_LARGE"))
        suite_alone();
    return SUITE_MAIN(cases, NULL);
}
