/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels that the few elements of forms.c do not reach: those of several tiles, of many bins, of vectors, of lengths with
 * large primes. By both kinds' kernels, as there, and just as many elements as it takes, for Oclgrind.
 */
#include "forms.h"

#define A(i) (&x->a[i])
#define CALL(name, call)                                                      \
    static yoke_status call_##name(yoke_stream *stream, const calls_state *x) \
    {                                                                         \
        return call;                                                          \
    }

/* Out of an array that has no two elements beside each other: it is packed first. */
static yoke_status call_sort_sparse(yoke_stream *stream, const calls_state *x)
{
    yoke_array half = yoke_array_slice(x->a[0], 0, 0, x->a[0].shape[0], 2);
    return yoke_sort(stream, YOKE_SORT_DESCENDING, &half, NULL);
}

static yoke_status call_transpose(yoke_stream *stream, const calls_state *x)
{
    yoke_array turned = yoke_array_transpose(x->a[1], NULL), y = x->a[0];
    return yoke_map(stream, "y = 2 * turned", YOKE_VARS(y, turned));
}

static yoke_status call_turned_vector(yoke_stream *stream, const calls_state *x)
{
    yoke_array turned = yoke_array_transpose(x->a[1], NULL);
    return yoke_matmul(stream, A(0), &turned, A(2), NULL);
}

static yoke_status call_fft_to_real(yoke_stream *stream, const calls_state *x)
{
    return yoke_fft(stream, YOKE_FFT_INVERSE, A(0), A(1), YOKE_AXES(0), NULL);
}

CALL(sum, yoke_reduce(stream, YOKE_REDUCE_SUM, A(0), A(1), YOKE_ALL_AXES))
CALL(sum_columns, yoke_reduce(stream, YOKE_REDUCE_SUM, A(0), A(1), YOKE_AXES(0)))
CALL(sum_rows, yoke_reduce(stream, YOKE_REDUCE_SUM, A(0), A(1), YOKE_AXES(1)))
CALL(argmax, yoke_reduce(stream, YOKE_REDUCE_ARGMAX, A(0), A(1), YOKE_ALL_AXES))
CALL(segments, yoke_reduce_segments(stream, YOKE_REDUCE_SUM, A(0), A(1), A(2)))
CALL(scan, yoke_scan(stream, YOKE_REDUCE_SUM, YOKE_SCAN_EXCLUSIVE, A(0), A(1), 0))
CALL(scan_columns, yoke_scan(stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, A(0), A(1), 0))
CALL(select, yoke_select(stream, A(0), A(1), A(2), A(3)))
CALL(sort, yoke_sort(stream, YOKE_SORT_ASCENDING, A(0), A(1)))
CALL(argsort, yoke_argsort(stream, YOKE_SORT_ASCENDING, A(0), A(1)))
CALL(top_k, yoke_top_k(stream, YOKE_SORT_DESCENDING, A(0), A(1), A(2)))
CALL(count, yoke_histogram(stream, A(0), A(1), YOKE_NUMBER(-100), YOKE_NUMBER(100), NULL))
CALL(weigh, yoke_histogram(stream, A(0), A(1), YOKE_NUMBER(-100), YOKE_NUMBER(100), A(2)))
CALL(scatter_add, yoke_scatter(stream, YOKE_SCATTER_ADD, A(0), A(2), A(1), 0))
CALL(matmul, yoke_matmul(stream, A(0), A(1), A(2), NULL))
CALL(fft, yoke_fft(stream, YOKE_FFT_FORWARD, A(0), A(1), YOKE_AXES(0), NULL))

enum { N = CALLS_N, SIDE = CALLS_SIDE, LONG = CALLS_LONG, BINS = 16500 };

typedef struct more_call {
    calls_entry entry;
    calls_size size;
} more_call;

#define CASE(n, side, function, ...)                                                  \
    {                                                                                 \
        { .name = #function, .enqueue = call_##function, .arrays = { __VA_ARGS__ } }, \
        {                                                                             \
            n, side                                                                   \
        }                                                                             \
    }
#define OF(dtype, ...)              \
    {                               \
        YOKE_##dtype, CALLS_VALUES, \
        {                           \
            __VA_ARGS__             \
        }                           \
    }

/* clang-format off */
static const more_call calls[] = {
    CASE(9000, 1, sum, OF(F32, 1), OF(F32, N)),
    CASE(9000, 1, argmax, OF(I64, 1), OF(U16, N)),
    CASE(1, 40, sum_columns, OF(F32, SIDE), OF(F32, LONG, SIDE)),
    CASE(1, 40, sum_rows, OF(F32, SIDE), OF(F32, SIDE, LONG)),
    CASE(9000, 1, segments, OF(F32, 2), OF(F32, N), { YOKE_I32, CALLS_OFFSETS, { 3 } }),
    CASE(9000, 1, scan, OF(F32, N), OF(F32, N)),
    CASE(1, 40, scan_columns, OF(F32, LONG, SIDE), OF(F32, LONG, SIDE)),
    CASE(5000, 1, select, OF(I32, N), OF(I32, 1), OF(I32, N), { YOKE_U8, CALLS_FLAGS, { N } }),
    CASE(5000, 1, sort, OF(U8, N), OF(I32, N)),
    CASE(5000, 1, argsort, OF(I32, N), OF(U8, N)),
    CASE(400, 1, sort_sparse, OF(I32, N)),
    CASE(5000, 1, top_k, OF(U8, 20), OF(I32, 20), OF(U8, N)),
    CASE(300, 1, count, OF(I32, BINS), OF(F32, N)),
    CASE(300, 1, weigh, OF(F32, BINS), OF(F32, N), OF(F32, N)),
    CASE(300, 1, scatter_add, OF(I32, N), { YOKE_I32, CALLS_POSITIONS, { N } }, OF(I32, N)),
    CASE(1, 45, transpose, OF(F32, SIDE, LONG), OF(F32, LONG, SIDE)),
    CASE(1, 33, matmul, OF(F32, SIDE, 1), OF(F32, SIDE, LONG), OF(F32, LONG, 1)),
    CASE(1, 33, turned_vector, OF(F32, SIDE, 1), OF(F32, LONG, SIDE), OF(F32, LONG, 1)),
    CASE(2600, 1, matmul, OF(F32, 3, 5), OF(F32, 3, N), OF(F32, N, 5)),
    CASE(37, 1, fft, OF(C64, N), OF(C64, N)),
    CASE(60, 1, fft, OF(C64, 31), OF(F32, N)),
    CASE(60, 1, fft_to_real, OF(F32, N), OF(C64, 31)),
    CASE(74, 1, fft, OF(C64, 38), OF(F32, N)),
    CASE(74, 1, fft_to_real, OF(F32, N), OF(C64, 38)),
};
/* clang-format on */

/* Oclgrind takes words that tiles publish, and later ones read, for races: it looks for these, or runs what looks back. */
static bool looks_for_races(const suite *t)
{
    return strstr(t->info.platform, "Oclgrind") && getenv("OCLGRIND_DATA_RACES");
}

static void both_forms(suite *t)
{
    if (strstr(t->info.platform, "Oclgrind") && !looks_for_races(t)) {
        suite_skip("with OCLGRIND_DATA_RACES=1, which is not set");
        return;
    }
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (calls_suit(t, &calls[i].entry))
            forms_try(t, &calls[i].entry, calls[i].size);
}

/* Tiles that wait for earlier ones, which Oclgrind has finished before it begins a block. */
static void look_back(suite *t)
{
    const calls_size size = { 9000, 1 };
    const calls_entry entry = { .name = "sort", .enqueue = call_sort, .arrays = { OF(U8, N), OF(I32, N) } };
    unsigned char *wanted = NULL;
    calls_state x;
    if (!strstr(t->info.platform, "Oclgrind")) {
        suite_skip("%s may run a block before an earlier one", t->info.platform);
        return;
    }
    if (looks_for_races(t)) {
        suite_skip("OCLGRIND_DATA_RACES is set, which takes look-back for a race");
        return;
    }
    if (t->info.max_shared_bytes < 48 * 1024) {
        suite_skip("the device has %zu bytes of shared memory: OCLGRIND_LOCAL_MEM_SIZE=65536", (size_t)t->info.max_shared_bytes);
        return;
    }
    if (calls_create(t, &entry, size, &x) && (wanted = calls_direct(&x, 3)) != NULL) {
        yops_sort_forced = YOPS_SORT_LOOKBACK;
        calls_fill(&x, 3);
        CHECK(CHECK_OK(calls_enqueue(t->stream, &x)) && CHECK_OK(yoke_stream_wait(t->stream)) &&
              calls_compare(&x, wanted, "in one pass"));
        yops_sort_forced = YOPS_SORT_BY_DEVICE;
    }
    if (wanted)
        memory_free(wanted);
    calls_release(&x);
}

static const suite_case cases[] = {
    { "kernels of GPUs and of CPUs give the same bits", both_forms, false },
    { "a sort whose tiles look back", look_back, false },
};

int main(void)
{
    setenv("YOKE_OPS_EXACT", "1", 1); /* a library has other bits */
    return SUITE_MAIN(cases, NULL);
}
