/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: the published vectors of Philox, the bits of every kind, dtype and layout, positions, sequences, and accuracy. */
#include "../arrays.h"

#include <yoke/graph.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* ---- Philox ---- */

static const char text[] = "#include <yoke/philox.h>\n"
                           "YOKE_KERNEL void philox(YOKE_GLOBAL const yoke_u32 *in, YOKE_GLOBAL yoke_u32 *out)\n"
                           "{\n"
                           "    yoke_u32 i = yoke_global_x();\n"
                           "    YOKE_GLOBAL const yoke_u32 *c = in + 6 * i;\n"
                           "    yoke_u64 seed = (yoke_u64)c[5] << 32 | c[4], block = (yoke_u64)c[1] << 32 | c[0];\n"
                           "    yoke_u64 sequence = (yoke_u64)c[3] << 32 | c[2];\n"
                           "    uint4 a = yoke_philox(yoke_uint4(c[0], c[1], c[2], c[3]), yoke_uint2(c[4], c[5]));\n"
                           "    uint4 b = yoke_random_words(seed, sequence, block);\n"
                           "    YOKE_GLOBAL yoke_u32 *to = out + 9 * i;\n"
                           "    to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;\n"
                           "    to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;\n"
                           "    to[8] = yoke_float_as_uint(yoke_random_float(a.x));\n"
                           "}\n";

/* Of tests/kat_vectors in Random123 1.14 (D. E. Shaw Research), the lines "philox4x32 10": counter, key, result. */
static const uint32_t vectors[][10] = {
    { 0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
    { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd },
    { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 },
};
enum { VECTORS = COUNT_OF(vectors) };

static void published_vectors(suite *t)
{
    uint32_t in[6 * VECTORS], wanted[9 * VECTORS];
    guarded from = { 0 }, to = { 0 };
    yoke_kernel *kernel = suite_kernel(t, "philox");
    for (size_t i = 0; i < VECTORS; i++) {
        const uint32_t *v = vectors[i];
        uint32_t words[4];
        float uniform = (float)(v[6] >> 8) / 16777216.0f;
        reference_philox(words, v, v + 4);
        CHECK_BYTES(words, v + 6, sizeof words);
        memcpy(in + 6 * i, v, 6 * sizeof *in);
        memcpy(wanted + 9 * i, v + 6, sizeof words);
        memcpy(wanted + 9 * i + 4, v + 6, sizeof words);
        memcpy(wanted + 9 * i + 8, &uniform, sizeof uniform);
    }
    NEED(kernel && guarded_create(t, sizeof in, &from) && guarded_create(t, sizeof wanted, &to) && guarded_write(t, &from, in));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(VECTORS), 0, YOKE_ARGS(from.buffer, to.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &to, wanted);
out:
    guarded_release(&to);
    guarded_release(&from);
}

/* ---- One array, checked ---- */

static yoke_status make(suite *t, const random_reference *r, const yoke_array *out, uint64_t offset)
{
    yoke_random_options options = YOKE_RANDOM_OPTIONS_INIT;
    const yoke_random_options *given = r->sequence || r->interval || offset % 2 ? &options : NULL;
    options.sequence = r->sequence;
    options.interval = r->interval;
    if (r->kind == UNIFORM)
        return yoke_random_uniform(t->stream, out, r->a, r->b, r->seed, offset, given);
    if (r->kind == NORMAL)
        return yoke_random_normal(t->stream, out, r->a, r->b, r->seed, offset, given);
    if (r->kind == EXPONENTIAL)
        return yoke_random_exponential(t->stream, out, r->a, r->seed, offset, given);
    bool is_signed = r->dtype == YOKE_I8 || r->dtype == YOKE_I16 || r->dtype == YOKE_I32 || r->dtype == YOKE_I64;
    yoke_number low = is_signed ? YOKE_NUMBER((int64_t)r->low) : YOKE_NUMBER(r->low);
    yoke_number high = is_signed ? YOKE_NUMBER((int64_t)r->last) : YOKE_NUMBER(r->last);
    options.interval = YOKE_INTERVAL_WITH_BOTH;
    return yoke_random_integers(t->stream, out, low, high, r->seed, offset, &options);
}

/* Devices without YOKE_CAP_EXACT_FP32 may give zeros another sign. */
static bool is_zero(const suite *t, int32_t dtype, const void *a, const void *b)
{
    return !yoke_device_supports(t->device, YOKE_CAP_EXACT_FP32) && test_load(dtype, a) == 0 && test_load(dtype, b) == 0;
}

static bool is_right(suite *t, const random_reference *r, const test_array *out, uint64_t offset)
{
    size_t size = yoke_dtype_get_size(r->dtype), parts = yk_dtype_is_complex(r->dtype) ? 2 : 1;
    int64_t wrong = -1;
    for (int64_t i = 0; i < out->count && wrong < 0; i++) {
        unsigned char wanted[16] = { 0 };
        for (size_t part = 0; part < parts; part++)
            reference_number(r, offset + (uint64_t)i * parts + part, wanted + part * (size / parts));
        if (memcmp(wanted, test_element(out, i), size) != 0 && !is_zero(t, r->dtype, wanted, test_element(out, i))) {
            wrong = i;
            tap_diag("kind %d, %s, offset %llu, element %lld of %lld: %La instead of %La", (int)r->kind,
                     yoke_dtype_get_name(r->dtype), (unsigned long long)offset, (long long)i, (long long)out->count,
                     test_get(out, i), test_load(r->dtype, wanted));
        }
    }
    return CHECK(wrong < 0);
}

static bool try(suite *t, const random_reference *r, int32_t dimensions, const int64_t *shape, layout how, uint64_t offset)
{
    test_array out = { 0 };
    bool ok = false;
    if (!test_has(t, r->dtype))
        return true;
    NEED(test_array_create(t, r->dtype, dimensions, shape, how, (uint32_t)offset + 1, &out) && test_upload(t, &out));
    NEED_OK(make(t, r, &out.array, offset));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &out, false));
    ok = is_right(t, r, &out, offset);
out:
    test_array_release(&out);
    return ok;
}

/* ---- Cases ---- */

/* The sizes round those of groups, tiles of CPUs and tiles of GPUs; offsets that begin in the middle of each. */
static const int64_t sizes[] = { 0, 1, 2, 3, 4, 5, 63, 4095, 4096, 4097, 8193, 20001 };
static const uint64_t offsets[] = {
    0, 1, 2, 3, 4, 6, 4095, 8191, 8192, 100000, UINT64_C(0x3fffffffe), UINT64_C(0xfffffffffffe0000)
};

static void normal_of_all_sizes(suite *t)
{
    random_reference r = { .kind = NORMAL, .dtype = YOKE_F32, .seed = UINT64_C(0x123456789abcdef0), .a = 0, .b = 1 };
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (size_t k = 0; k < COUNT_OF(offsets); k += 1 + i % 3)
            try(t, &r, 1, &sizes[i], (layout)((i + k) % 3), offsets[k]);
}

static void every_floating_dtype(suite *t)
{
    static const struct {
        random_kind kind;
        int32_t dtype, interval;
        double a, b;
    } cases[] = {
        { UNIFORM, YOKE_F32, YOKE_INTERVAL_WITHOUT_HIGH, 0, 1 },
        { UNIFORM, YOKE_F32, YOKE_INTERVAL_WITHOUT_LOW, 0, 1 },
        { UNIFORM, YOKE_F32, YOKE_INTERVAL_WITHOUT_HIGH, -3, 1e-3 },
        { UNIFORM, YOKE_F32, YOKE_INTERVAL_WITHOUT_LOW, 16777215, 16777217 },
        { UNIFORM, YOKE_F16, YOKE_INTERVAL_WITHOUT_HIGH, 0, 1 },
        { UNIFORM, YOKE_F16, YOKE_INTERVAL_WITHOUT_LOW, -7, 1 },
        { UNIFORM, YOKE_F16, YOKE_INTERVAL_WITHOUT_HIGH, 2047, 2049 },
        { UNIFORM, YOKE_BF16, YOKE_INTERVAL_WITHOUT_HIGH, 0, 1 },
        { UNIFORM, YOKE_BF16, YOKE_INTERVAL_WITHOUT_LOW, -0.3, 0 },
        { UNIFORM, YOKE_F64, YOKE_INTERVAL_WITHOUT_HIGH, 0, 1 },
        { UNIFORM, YOKE_F64, YOKE_INTERVAL_WITHOUT_LOW, -1, 1e9 },
        { UNIFORM, YOKE_C64, YOKE_INTERVAL_WITHOUT_HIGH, 0, 1 },
        { UNIFORM, YOKE_F16, YOKE_INTERVAL_WITHOUT_LOW, 0, 1 },
        { UNIFORM, YOKE_F64, YOKE_INTERVAL_WITHOUT_LOW, 0, 1 },
        { NORMAL, YOKE_F16, 0, 0, 1 },
        { NORMAL, YOKE_BF16, 0, 5, 0.1 },
        { NORMAL, YOKE_F64, 0, 0, 1 },
        { NORMAL, YOKE_F64, 0, -3, 1e-5 },
        { NORMAL, YOKE_C64, 0, 0, 1 },
        { NORMAL, YOKE_C128, 0, 1, 2 },
        { NORMAL, YOKE_F32, 0, -1, 0 },
        { EXPONENTIAL, YOKE_F32, 0, 1, 0 },
        { EXPONENTIAL, YOKE_F64, 0, 3, 0 },
        { EXPONENTIAL, YOKE_F32, 0, 1e-3, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        random_reference r = { .kind = cases[i].kind, .dtype = cases[i].dtype, .interval = cases[i].interval, .seed = i };
        r.a = r.kind == UNIFORM ? cases[i].a : (float)cases[i].a;
        r.b = r.kind == UNIFORM ? cases[i].b : (float)cases[i].b;
        r.sequence = i % 2 ? 0xffffffff : 0;
        try(t, &r, 1, SHAPE(9001), LAYOUT_CONTIGUOUS, 0);
        try(t, &r, 1, SHAPE(3001), i % 2 ? LAYOUT_OFFSET : LAYOUT_RANDOM, 4097 + i);
    }
}

static void integers(suite *t)
{
    static const struct {
        int32_t dtype;
        uint64_t low, last;
    } cases[] = {
        { YOKE_U32, 0, UINT32_MAX },
        { YOKE_U32, 5, 5 + UINT64_C(0x80000000) }, /* nearly half of the words are rejected */
        { YOKE_I32, (uint64_t)-3, 2 },
        { YOKE_I32, (uint64_t)INT32_MIN, INT32_MAX },
        { YOKE_U8, 0, 255 },
        { YOKE_U8, 7, 7 },
        { YOKE_I8, (uint64_t)-100, 99 },
        { YOKE_BOOL, 0, 1 },
        { YOKE_U16, 1, 60000 },
        { YOKE_I16, (uint64_t)INT16_MIN, INT16_MAX },
        { YOKE_U64, 0, 999 },
        { YOKE_U64, 0, UINT64_MAX },
        { YOKE_U64, 3, UINT64_C(3) + (UINT64_C(1) << 32) }, /* one more than words have */
        { YOKE_U64, 1, UINT64_C(0x8000000000000001) },
        { YOKE_I64, (uint64_t)INT64_MIN, INT64_MAX },
        { YOKE_I64, (uint64_t)INT64_MIN, 2 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        random_reference r = { .kind = INTEGERS, .dtype = cases[i].dtype, .low = cases[i].low, .last = cases[i].last, .seed = i };
        try(t, &r, 1, SHAPE(10001), LAYOUT_CONTIGUOUS, 0);
        try(t, &r, 2, SHAPE(31, 57), (layout)(i % 3), UINT64_C(0xffffffff0) + i);
    }
}

static void layouts(suite *t)
{
    static const random_reference kinds[] = {
        { .kind = NORMAL, .dtype = YOKE_F32, .b = 1, .seed = 1 },
        { .kind = UNIFORM, .dtype = YOKE_C64, .b = 1, .seed = 2 },
        { .kind = INTEGERS, .dtype = YOKE_U8, .last = 99, .seed = 3 },
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        for (int how = 0; how < LAYOUT_COUNT; how++) {
            try(t, &kinds[i], 3, SHAPE(20, 7, 31), (layout)how, 5);
            try(t, &kinds[i], 8, SHAPE(2, 3, 1, 2, 5, 1, 7, 3), (layout)how, 0);
            try(t, &kinds[i], 0, SHAPE(0), (layout)how, 77);
            try(t, &kinds[i], 3, SHAPE(5, 0, 3), (layout)how, 0);
        }
}

/* Pieces, one after the other, are the whole. */
static void pieces(suite *t)
{
    random_reference r = { .kind = NORMAL, .dtype = YOKE_F32, .b = 1, .seed = 9 };
    int64_t n = 30000;
    test_array whole = { 0 };
    NEED(test_array_create(t, YOKE_F32, 1, &n, LAYOUT_CONTIGUOUS, 1, &whole) && test_upload(t, &whole));
    for (int64_t at = 0, length = 1; at < n; at += length, length = length * 3 + 1) {
        yoke_array piece = yoke_array_slice(whole.array, 0, at, at + length, 1);
        NEED_OK(make(t, &r, &piece, 1000 + (uint64_t)at));
    }
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &whole, false));
    is_right(t, &r, &whole, 1000);
out:
    test_array_release(&whole);
}

/* The first normal numbers of seed 1: programs rely on them, so that no later transform may give others. */
static void bits_for_good(suite *t)
{
    static const uint32_t singles[] = { 0x3dfb75c9, 0xbc8ed0e5, 0xbe655e3b, 0xbeb2e8b1 };
    static const uint64_t doubles[] = { UINT64_C(0xbff2f53704d24aff), UINT64_C(0xbffd931775558ff1), UINT64_C(0xbf8a2b79d2edd402),
                                        UINT64_C(0x3fd6f2ea15c125e9) };
    random_reference r = { .kind = NORMAL, .dtype = YOKE_F32, .b = 1, .seed = 1 };
    for (uint64_t i = 0; i < 4; i++) {
        uint32_t single;
        uint64_t wide;
        r.dtype = YOKE_F32;
        reference_number(&r, i, &single);
        r.dtype = YOKE_F64;
        reference_number(&r, i, &wide);
        CHECK(single == singles[i] && wide == doubles[i]);
    }
    (void)t;
}

/* ---- Accuracy ---- */

static uint64_t some_word(uint32_t *state, uint32_t i)
{
    static const uint64_t special[] = { 0,          1,          2,           UINT64_MAX,        UINT64_MAX / 2,
                                        0x7fffffff, 0x80000000, 0x7fffff80u, 0xffffffc0u,       0x7fffffbfu,
                                        0x5a827999, 0xa57d8667, 0x40000000,  UINT64_C(1) << 63, UINT64_C(0x5a827999fcef3242) };
    uint64_t word = (uint64_t)test_random(state) << 32;
    word ^= test_random(state) ^ (uint64_t)test_random(state) << 20;
    if (i < COUNT_OF(special) * COUNT_OF(special))
        return *state % 2 ? special[i % COUNT_OF(special)] : special[i / COUNT_OF(special)];
    return i % 8 == 0 ? word >> i / 8 % 64 : i % 8 == 1 ? ~(word >> i / 8 % 64) : word;
}

static void accuracy(suite *t)
{
    uint32_t state = 5;
    long double worst = 0, worst_f64 = 0, exponential = 0, exponential_f64 = 0;
    (void)t;
    for (uint32_t i = 0; i < 300000; i++) {
        uint64_t a = some_word(&state, i), b = some_word(&state, i);
        long double radius, exact[2];
        float single[2];
        double wide[2];
        reference_normal((uint32_t)a, (uint32_t)b, single);
        exact_normal((uint32_t)a, (uint32_t)b, &radius, exact);
        for (int k = 0; k < 2; k++)
            worst = fmaxl(worst, fabsl(single[k] - exact[k]) / radius * 0x1p24L);
        exponential = fmaxl(exponential, fabsl(reference_exponential((uint32_t)a) / (radius * radius / 2) - 1));
        reference_normal_f64(a, b, wide);
        exact_normal_f64(a, b, &radius, exact);
        for (int k = 0; k < 2; k++)
            worst_f64 = fmaxl(worst_f64, fabsl(wide[k] - exact[k]) / radius * 0x1p53L);
        exponential_f64 = fmaxl(exponential_f64, fabsl(reference_exponential_f64(a) / (radius * radius / 2) - 1));
    }
    tap_diag("of the radius: %.3Lf * 2^-24, double %.3Lf * 2^-53; exponential: 2^%.2Lf, double 2^%.2Lf", worst, worst_f64,
             log2l(exponential), log2l(exponential_f64));
    CHECK(worst < 6 && worst_f64 < 6);
    CHECK(exponential < 0x1p-21L && exponential_f64 < 0x1p-50L);
}

/* ---- Order ---- */

static bool is_order(const random_reference *r, const test_array *out, int64_t n, uint64_t offset)
{
    bool ok = true;
    for (int64_t row = 0; row < out->count / (n ? n : 1) && ok; row++) {
        bool *seen = calloc((size_t)n + 1, 1);
        uint64_t before = 0;
        for (int64_t i = 0; i < n && ok; i++) {
            int64_t place = (int64_t)test_get(out, row * n + i);
            ok = place >= 0 && place < n && !seen[place];
            if (!ok)
                break;
            uint64_t key = reference_key(r, offset + (uint64_t)(row * n + place));
            ok = key >= before;
            before = key;
            seen[place] = true;
        }
        free(seen);
    }
    return CHECK(ok);
}

static void permutations(suite *t)
{
    static const int64_t shapes[][2] = { { 1, 20000 }, { 300, 7 }, { 4, 1 }, { 3, 0 }, { 2, 3000 } };
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        random_reference r = { .kind = PERMUTATION, .seed = 5 + i };
        test_array out = { 0 };
        NEED(test_array_create(t, i % 2 ? YOKE_I64 : YOKE_I32, 2, shapes[i], (layout)(i % 3), 1, &out) && test_upload(t, &out));
        NEED_OK(yoke_random_permutation(t->stream, &out.array, r.seed, 3, NULL));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download_checked(t, &out, false));
        is_order(&r, &out, shapes[i][1], 3);
    out:
        test_array_release(&out);
    }
}

static void shuffles(suite *t)
{
    random_reference r = { .kind = PERMUTATION, .seed = 8 };
    test_array a = { 0 }, out = { 0 }, order = { 0 };
    int64_t rows = 500;
    NEED(test_array_create(t, YOKE_F32, 2, SHAPE(rows, 3), LAYOUT_CONTIGUOUS, 1, &a) &&
         test_array_create(t, YOKE_F32, 2, SHAPE(rows, 3), LAYOUT_RANDOM, 2, &out) &&
         test_array_create(t, YOKE_I32, 1, &rows, LAYOUT_CONTIGUOUS, 3, &order));
    for (int64_t i = 0; i < a.count; i++)
        test_set(&a, i, i);
    NEED(test_upload(t, &a) && test_upload(t, &out) && test_upload(t, &order));
    NEED_OK(yoke_random_shuffle(t->stream, &out.array, &a.array, 0, r.seed, 0, NULL));
    NEED_OK(yoke_random_permutation(t->stream, &order.array, r.seed, 0, NULL));
    NEED_OK(yoke_stream_wait(t->stream));
    /* There is a position for each row, not for each element. */
    suite_expect_log();
    CHECK_FAILS(YOKE_E_RANGE, "offset|500 numbers",
                yoke_random_shuffle(t->stream, &out.array, &a.array, 0, r.seed, UINT64_MAX - 498, NULL));
    NEED_OK(yoke_random_shuffle(t->stream, &out.array, &a.array, 0, r.seed, UINT64_MAX - 499, NULL));
    NEED_OK(yoke_random_shuffle(t->stream, &out.array, &a.array, 0, r.seed, 0, NULL));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &out, false) && test_download_checked(t, &order, false) && test_download_checked(t, &a, true));
    is_order(&r, &order, rows, 0);
    for (int64_t i = 0; i < a.count; i++)
        if (!CHECK(test_get(&out, i) == test_get(&order, i / 3) * 3 + i % 3))
            break;
out:
    test_array_release(&order);
    test_array_release(&out);
    test_array_release(&a);
}

/* ---- Graphs, mistakes ---- */

static void in_graphs(suite *t)
{
    random_reference r = { .kind = NORMAL, .dtype = YOKE_F32, .b = 1, .seed = 4 };
    test_array out = { 0 }, order = { 0 };
    yoke_graph *graph = NULL;
    int64_t n = 5000;
    NEED(test_array_create(t, YOKE_F32, 1, &n, LAYOUT_CONTIGUOUS, 1, &out) &&
         test_array_create(t, YOKE_I32, 1, &n, LAYOUT_CONTIGUOUS, 2, &order));
    NEED_OK(yoke_graph_create(t->device, "random", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED_OK(make(t, &r, &out.array, 17));
    NEED_OK(yoke_random_permutation(t->stream, &order.array, 6, 0, NULL));
    NEED_OK(yoke_graph_end(graph));
    for (int run = 0; run < 2; run++) {
        NEED(test_upload(t, &out) && test_upload(t, &order));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download_checked(t, &out, false) && test_download_checked(t, &order, false));
        NEED(is_right(t, &r, &out, 17) && is_order(&(random_reference){ .kind = PERMUTATION, .seed = 6 }, &order, n, 0));
    }
out:
    yoke_graph_release(graph);
    test_array_release(&order);
    test_array_release(&out);
}

static void mistakes_of_numbers(suite *t, const yoke_array *x, const yoke_array *n)
{
    yoke_stream *s = t->stream;
    yoke_random_options options = YOKE_RANDOM_OPTIONS_INIT;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_normal|stream", yoke_random_normal(NULL, x, 0, 1, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_normal|out is NULL", yoke_random_normal(s, NULL, 0, 1, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_normal|int32|yoke_random_integers",
                yoke_random_normal(s, n, 0, 1, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_normal|deviation is -1", yoke_random_normal(s, x, 0, -1, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_normal|mean is", yoke_random_normal(s, x, NAN, 1, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_normal|mean is|finite", yoke_random_normal(s, x, 1e39, 1, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_random_normal|offset|48 numbers", yoke_random_normal(s, x, 0, 1, 0, UINT64_MAX - 46, NULL));
    CHECK_OK(yoke_random_normal(s, x, 0, 1, 0, UINT64_MAX - 47, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_integers|low|complex64",
                yoke_random_integers(s, n, yoke_number_c64(1, 0), YOKE_NUMBER(7), 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_integers|high|complex128",
                yoke_random_integers(s, n, YOKE_NUMBER(1), yoke_number_c128(7, 1), 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_exponential|mean is -1", yoke_random_exponential(s, x, -1, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_exponential|int32", yoke_random_exponential(s, n, 1, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_uniform|int32", yoke_random_uniform(s, n, 0, 1, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_uniform|low is 1|high is 1|below",
                yoke_random_uniform(s, x, 1, 1, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_uniform|float|below", yoke_random_uniform(s, x, 1, 1 + 1e-9, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_uniform|not finite", yoke_random_uniform(s, x, -3e38, 3e38, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_uniform|2^24|normal", yoke_random_uniform(s, x, 0, 1e-38, 0, 0, NULL));
    CHECK_OK(yoke_random_uniform(s, x, 0, ldexp(1, -102), 0, 0, NULL)); /* the least range */
    options.interval = YOKE_INTERVAL_WITH_BOTH;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_uniform|YOKE_INTERVAL_WITH_BOTH",
                yoke_random_uniform(s, x, 0, 1, 0, 0, &options));
    options.interval = 3;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_uniform|interval is 3", yoke_random_uniform(s, x, 0, 1, 0, 0, &options));
}

static void mistakes_of_integers(suite *t, const yoke_array *x, const yoke_array *n)
{
    yoke_stream *s = t->stream;
    yoke_random_options options = YOKE_RANDOM_OPTIONS_INIT;
    yoke_number zero = YOKE_NUMBER(0), six = YOKE_NUMBER(6);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_integers|float", yoke_random_integers(s, x, zero, six, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_integers|high|float64",
                yoke_random_integers(s, n, zero, YOKE_NUMBER(6.0), 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_integers|low is 6|high is 0",
                yoke_random_integers(s, n, six, zero, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_integers|no integer", yoke_random_integers(s, n, six, six, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_random_integers|int32|2147483648",
                yoke_random_integers(s, n, zero, YOKE_NUMBER(INT64_C(2147483649)), 0, 0, NULL));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_random_integers|int32|-2147483649",
                yoke_random_integers(s, n, YOKE_NUMBER(INT64_C(-2147483649)), zero, 0, 0, NULL));
    CHECK_OK(yoke_random_integers(s, n, YOKE_NUMBER(INT32_MIN), YOKE_NUMBER(INT64_C(2147483648)), 0, 0, NULL));
    options.interval = YOKE_INTERVAL_WITHOUT_LOW;
    CHECK_OK(yoke_random_integers(s, n, YOKE_NUMBER(-1), zero, 0, 0, &options));
    int32_t values[48];
    CHECK_OK(yoke_read_sync(s, values, n->buffer, (size_t)n->offset, sizeof values));
    for (int i = 0; i < 48; i++)
        if (!CHECK(values[i] == 0))
            break;
}

static void mistakes(suite *t)
{
    test_array x = { 0 }, n = { 0 };
    suite_expect_log();
    NEED(test_array_create(t, YOKE_F32, 2, SHAPE(6, 8), LAYOUT_CONTIGUOUS, 1, &x) &&
         test_array_create(t, YOKE_I32, 2, SHAPE(6, 8), LAYOUT_CONTIGUOUS, 1, &n));
    yoke_stream *s = t->stream;
    yoke_array view = yoke_array_slice(x.array, 0, YOKE_SLICE_END, YOKE_SLICE_END, -1), scalar = n.array;
    mistakes_of_numbers(t, &x.array, &n.array);
    mistakes_of_integers(t, &x.array, &n.array);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_permutation|indices|float", yoke_random_permutation(s, &x.array, 0, 0, NULL));
    scalar.dimensions = 0;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_permutation|no axis", yoke_random_permutation(s, &scalar, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_shuffle|out is NULL", yoke_random_shuffle(s, NULL, &x.array, 0, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_shuffle|out|overlaps|a",
                yoke_random_shuffle(s, &view, &x.array, 0, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_shuffle|int32|float",
                yoke_random_shuffle(s, &n.array, &x.array, 0, 0, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_random_shuffle|axis 2 is out of range: the array has 2 dimensions",
                yoke_random_shuffle(s, &x.array, &x.array, 2, 0, 0, NULL));
    CHECK(suite_works(t));
out:
    test_array_release(&n);
    test_array_release(&x);
}

static const suite_case cases[] = {
    { "Philox gives the published words, in kernels and on the host", published_vectors, false },
    { "normal numbers of every size and position have the documented bits", normal_of_all_sizes, false },
    { "floating-point numbers of every kind and dtype", every_floating_dtype, false },
    { "integers of every dtype and range", integers, false },
    { "arrays of any layout", layouts, false },
    { "pieces of an array have the numbers of the whole", pieces, false },
    { "normal numbers stay what they are", bits_for_good, false },
    { "the transforms are as accurate as documented", accuracy, false },
    { "permutations are the order of random words", permutations, false },
    { "a shuffle moves rows by the permutation", shuffles, false },
    { "numbers are made in graphs", in_graphs, false },
    { "mistakes are refused, and say what is wrong", mistakes, false },
};

int main(void)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.text = text;
    return SUITE_MAIN(cases, &source);
}
