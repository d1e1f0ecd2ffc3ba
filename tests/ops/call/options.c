/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What structs keep for later versions. Options: each function takes older ones, which are smaller, newer ones, which are larger,
 * and a size of 0. Arrays: every operation refuses flags, in each of its arrays.
 */
#include <string.h>

#include "../calls.h"

typedef struct arrays {
    yoke_array a, out;
} arrays;

static yoke_status multiply(yoke_stream *stream, const arrays *x, const void *options)
{
    return yoke_matmul(stream, &x->out, &x->a, &x->a, options);
}

static yoke_status filter(yoke_stream *stream, const arrays *x, const void *options)
{
    return yoke_box_filter(stream, &x->out, &x->a, (const int64_t[]){ 1 }, YOKE_AXES(1), options);
}

static yoke_status transform(yoke_stream *stream, const arrays *x, const void *options)
{
    yoke_array a = yoke_array_nd(x->a.buffer, YOKE_C64, 1, (const int64_t[]){ 4 });
    yoke_array out = yoke_array_nd(x->out.buffer, YOKE_C64, 1, (const int64_t[]){ 4 });
    return yoke_fft(stream, YOKE_FFT_FORWARD, &out, &a, YOKE_AXES(0), options);
}

static yoke_status draw(yoke_stream *stream, const arrays *x, const void *options)
{
    return yoke_random_uniform(stream, &x->out, 0, 1, 7, 0, options);
}

/* The last member that can be wrong, which a smaller struct lacks. */
static const struct {
    yoke_status (*call)(yoke_stream *stream, const arrays *x, const void *options);
    const char *member;
    size_t size, offset;
} families[] = {
    { multiply, "options->var_count", sizeof(yoke_matmul_options), offsetof(yoke_matmul_options, var_count) },
    { filter, "options->truncate", sizeof(yoke_filter_options), offsetof(yoke_filter_options, truncate) },
    { transform, "options->flags", sizeof(yoke_fft_options), offsetof(yoke_fft_options, flags) },
    { draw, "options->interval", sizeof(yoke_random_options), offsetof(yoke_random_options, interval) },
};

static void check_sizes(suite *t, const arrays *x, size_t i)
{
    const size_t known = families[i].size, sizes[] = { 0, known, known + 8 };
    union {
        size_t size;
        unsigned char bytes[128];
    } options = { 0 };
    memset(options.bytes + known, 0xee, sizeof options - known);
    for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
        options.size = sizes[j];
        CHECK_OK(families[i].call(t->stream, x, &options));
    }
    memset(options.bytes + families[i].offset, 0xee, sizeof options - families[i].offset);
    for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
        options.size = sizes[j];
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, families[i].member, families[i].call(t->stream, x, &options));
    }
    options.size = families[i].offset;
    CHECK_OK(families[i].call(t->stream, x, &options));
    CHECK_OK(families[i].call(t->stream, x, NULL));
}

static void sizes(suite *t)
{
    test_array a = { 0 }, out = { 0 };
    suite_expect_log();
    NEED(test_array_create(t, YOKE_F32, 2, (const int64_t[]){ 4, 4 }, LAYOUT_CONTIGUOUS, 1, &a) && test_upload(t, &a));
    NEED(test_array_create(t, YOKE_F32, 2, (const int64_t[]){ 4, 4 }, LAYOUT_CONTIGUOUS, 2, &out) && test_upload(t, &out));
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        check_sizes(t, &(arrays){ a.array, out.array }, i);
    NEED_OK(yoke_stream_wait(t->stream));
out:
    test_array_release(&out);
    test_array_release(&a);
}

/* ---- Arrays ---- */

static void check_flags(suite *t, const calls_entry *entry)
{
    calls_state x;
    bool good = calls_create(t, entry, (calls_size){ 5000, 21 }, &x);
    for (int i = 0; good && i < CALLS_MOST_ARRAYS && entry->arrays[i].dtype; i++)
        for (int bit = 0; good && bit < 64; bit += 21) {
            x.a[i].flags = UINT64_C(1) << bit;
            good = CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "the flags 0x|reserved", entry->enqueue(t->stream, &x));
            x.a[i].flags = 0;
        }
    if (!good)
        tap_diag("this was %s", entry->name);
    calls_release(&x);
}

static void flags(suite *t)
{
    suite_expect_log();
    for (size_t i = 0; i < calls_count; i++)
        if (calls_suit(t, &calls_table[i]))
            check_flags(t, &calls_table[i]);
    CHECK_OK(yoke_stream_wait(t->stream));
}

static const suite_case cases[] = {
    { "options of every size are taken", sizes, false },
    { "every operation refuses arrays with flags", flags, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
