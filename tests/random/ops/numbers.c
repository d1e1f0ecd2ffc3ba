/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations: random numbers. Philox4x32-10 and what is made of its words, by <yoke/random.h>. */
#include "families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OF_INTEGERS, OF_UNIFORM, OF_NORMAL, OF_EXPONENTIAL, OF_PERMUTATIONS };

/* ---- Words ---- */

static void philox(uint32_t word[4], uint64_t block, uint32_t sequence, uint32_t last, uint64_t seed)
{
    uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
    word[0] = (uint32_t)block;
    word[1] = (uint32_t)(block >> 32);
    word[2] = sequence;
    word[3] = last;
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)word[0] * 0xD2511F53u, b = (uint64_t)word[2] * 0xCD9E8D57u;
        uint32_t next[4] = { (uint32_t)(b >> 32) ^ word[1] ^ key[0], (uint32_t)b, (uint32_t)(a >> 32) ^ word[3] ^ key[1],
                             (uint32_t)a };
        memcpy(word, next, sizeof next);
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
}

static uint64_t word_at(const step *s, uint32_t kind, uint64_t position, bool wide)
{
    uint32_t word[4];
    philox(word, wide ? position / 2 : position / 4, s->sequence, kind * 65536, s->seed);
    if (!wide)
        return word[position % 4];
    return word[2 * (position % 2)] | (uint64_t)word[2 * (position % 2) + 1] << 32;
}

uint64_t permutation_key(const step *s, uint64_t position)
{
    return word_at(s, OF_PERMUTATIONS, position, true);
}

/* ---- Drawing ---- */

static void draw_place(model *m, step *s)
{
    s->seed = chance(m, 30) ? 7 : (uint64_t)draw_between(m, INT64_MIN, INT64_MAX);
    s->offset = chance(m, 60) ? draw(m, 1000) : (uint64_t)draw_between(m, 0, INT64_MAX);
    s->sequence = chance(m, 60) ? 0 : draw(m, UINT32_MAX);
}

static bool draw_numbers(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 0, YOKE_MAX_DIMENSIONS, &shape);
    draw_place(m, s);
    return add_out(m, s, 0, s->v->d[0], shape.dimensions, shape.shape);
}

static const yoke_random_options *options_of(const step *s, yoke_random_options *options)
{
    *options = (yoke_random_options)YOKE_RANDOM_OPTIONS_INIT;
    options->sequence = s->sequence;
    options->interval = s->mode;
    return s->sequence || s->mode ? options : NULL;
}

static void vary_float(model *m, variant *v)
{
    v->d[0] = chance(m, 20) ? pick_complex(m) : pick_float(m);
}

/* Each part of output 0 by its position. */
typedef long double part_fn(const step *s, uint64_t position, long double *slack);

static void want_parts(step *s, part_fn *part)
{
    bool complex = is_complex(s->v->d[0]);
    for (int64_t i = 0; i < s->a[0].count; i++) {
        long double slack = 0, more = 0;
        uint64_t position = s->offset + (uint64_t)i * (complex ? 2 : 1);
        number x = { part(s, position, &slack), complex ? part(s, position + 1, &more) : 0 };
        want_near(s, 0, i, x, slack > more ? slack : more);
    }
}

/* ---- Uniform numbers ---- */

static void vary_random_uniform(model *m, variant *v)
{
    vary_float(m, v);
}

static bool draw_random_uniform(model *m, step *s)
{
    s->mode = chance(m, 50) ? YOKE_INTERVAL_WITHOUT_HIGH : YOKE_INTERVAL_WITHOUT_LOW;
    s->f[0] = chance(m, 50) ? 0 : (double)draw_between(m, -40, 40) / 8;
    s->f[1] = chance(m, 50) && s->f[0] < 1 ? 1 : s->f[0] + (double)draw_between(m, 1, 40) / 8;
    return draw_numbers(m, s);
}

static yoke_status call_random_uniform(yoke_stream *stream, const step *s)
{
    yoke_random_options options;
    return yoke_random_uniform(stream, ARRAY(0), s->f[0], s->f[1], s->seed, s->offset, options_of(s, &options));
}

/* low and high are exact in every dtype but, with the eighths, bfloat16. */
static void judge_random_uniform(step *s)
{
    int32_t dtype = s->v->d[0], part = dtype == YOKE_C64 ? YOKE_F32 : dtype == YOKE_C128 ? YOKE_F64 : dtype;
    bool wide = is_wide(dtype), mirrored = s->mode == YOKE_INTERVAL_WITHOUT_LOW;
    int bits = wide ? 53 : part == YOKE_F16 ? 11 : part == YOKE_BF16 ? 8 : 24;
    long double low = convert((number){ s->f[0], 0 }, YOKE_F64, part).re, high = convert((number){ s->f[1], 0 }, YOKE_F64, part).re;
    long double step_size = ldexpl(high - low, -bits), last = mirrored ? low : high;
    for (int64_t i = 0; i < s->a[0].count; i++) {
        long double x[2] = { 0, 0 };
        int parts = is_complex(dtype) ? 2 : 1;
        for (int j = 0; j < parts; j++) {
            uint64_t word = word_at(s, OF_UNIFORM, s->offset + (uint64_t)(i * parts + j), wide) >> ((wide ? 64 : 32) - bits);
            number exact = { mirrored ? high - (long double)word * step_size : low + (long double)word * step_size, 0 };
            unsigned char bytes[16] = { 0 };
            uint64_t pattern = 0;
            x[j] = convert(exact, wide ? YOKE_C128 + 1 : YOKE_F64, part).re;
            if (x[j] != last)
                continue;
            /* The number beside the end that does not belong to the interval. */
            store(part, bytes, x[j] == 0 ? (number){ 0, 0 } : (number){ last, 0 });
            memcpy(&pattern, bytes, yoke_dtype_get_size(part));
            pattern += (last > 0) == mirrored ? 1 : UINT64_MAX;
            if (last == 0)
                pattern = mirrored ? 1 : UINT64_C(1) << (8 * yoke_dtype_get_size(part) - 1) | 1;
            x[j] = load(part, &pattern).re;
        }
        want_computed(s, 0, i, (number){ x[0], x[1] }, dtype);
    }
}

/* ---- Normal and exponential numbers ---- */

static void vary_random_normal(model *m, variant *v)
{
    vary_float(m, v);
}

static bool draw_random_normal(model *m, step *s)
{
    s->f[0] = chance(m, 50) ? 0 : (double)draw_between(m, -16, 16) / 4;
    s->f[1] = chance(m, 50) ? 1 : (double)draw(m, 16) / 4;
    s->mode = 0;
    return draw_numbers(m, s);
}

static yoke_status call_random_normal(yoke_stream *stream, const step *s)
{
    yoke_random_options options;
    return yoke_random_normal(stream, ARRAY(0), s->f[0], s->f[1], s->seed, s->offset, options_of(s, &options));
}

/* A word as a number of (-1, 1) without 0, rounded as the transform rounds it. */
static long double signed_part(uint64_t word, bool wide)
{
    return wide ? (long double)(double)(int64_t)word * 0x1p-63L : (long double)(float)(int32_t)(uint32_t)word * 0x1p-31L;
}

/* Box and Muller's transform of the pair; a little is added below the root, so that the radius of 1 is not 0. */
static long double normal_part(const step *s, uint64_t position, long double *slack)
{
    const long double half_pi = 1.57079632679489661923L;
    bool wide = is_wide(s->v->d[0]);
    uint64_t first = position & ~UINT64_C(1);
    long double u = signed_part(word_at(s, OF_NORMAL, first, wide) | 1, wide), unit = wide ? 0x1p-53L : 0x1p-24L;
    long double angle = half_pi * signed_part(word_at(s, OF_NORMAL, first + 1, wide), wide);
    long double radius = sqrtl(-2 * logl(fabsl(u)) + (wide ? 0x1p-55L : 0x1p-26L)), mean = s->f[0], deviation = s->f[1];
    long double x = (u < 0 ? -1 : 1) * radius * (position % 2 ? sinl(angle) : cosl(angle));
    *slack = 6 * unit * radius * deviation + 3 * unit * (fabsl(mean) + deviation * radius);
    return mean + deviation * x;
}

static void judge_random_normal(step *s)
{
    want_parts(s, normal_part);
}

static void vary_random_exponential(model *m, variant *v)
{
    vary_float(m, v);
}

static bool draw_random_exponential(model *m, step *s)
{
    s->f[0] = (double)draw(m, 16) / 4;
    s->mode = 0;
    return draw_numbers(m, s);
}

static yoke_status call_random_exponential(yoke_stream *stream, const step *s)
{
    yoke_random_options options;
    return yoke_random_exponential(stream, ARRAY(0), s->f[0], s->seed, s->offset, options_of(s, &options));
}

static long double exponential_part(const step *s, uint64_t position, long double *slack)
{
    bool wide = is_wide(s->v->d[0]);
    long double x = -logl(fabsl(signed_part(word_at(s, OF_EXPONENTIAL, position, wide) | 1, wide))) * s->f[0];
    /* Near u = 1 the logarithm is as small as what was added below the root. */
    *slack = (wide ? 0x1p-50L : 0x1p-21L) * x + (wide ? 0x1p-55L : 0x1p-26L) * s->f[0];
    return x;
}

static void judge_random_exponential(step *s)
{
    want_parts(s, exponential_part);
}

/* ---- Integers ---- */

static void vary_random_integers(model *m, variant *v)
{
    v->d[0] = chance(m, 10) ? YOKE_BOOL : pick_integer(m);
    v->flags = yoke_dtype_get_size(v->d[0]) == 8 && chance(m, 50); /* a range beyond 2^32 */
}

static bool draw_random_integers(model *m, step *s)
{
    int32_t dtype = s->v->d[0];
    int64_t low = is_signed(dtype) ? draw_between(m, -100, 50) : (int64_t)draw(m, 50), range = draw_between(m, 1, 70);
    s->mode = PICK(m, YOKE_INTERVAL_WITHOUT_HIGH, YOKE_INTERVAL_WITHOUT_LOW, YOKE_INTERVAL_WITH_BOTH);
    if (dtype == YOKE_BOOL) {
        low = 0;
        range = 1;
        s->mode = YOKE_INTERVAL_WITH_BOTH;
    } else if (s->v->flags) {
        range = draw_between(m, INT64_C(1) << 33, INT64_MAX / 2);
    } else if (chance(m, 10) && yoke_dtype_get_size(dtype) >= 4) {
        low = 0;
        range = INT32_MAX;
    }
    s->low = is_signed(dtype) ? yoke_number_i64(low) : yoke_number_u64((uint64_t)low);
    s->high = is_signed(dtype) ? yoke_number_i64(low + range) : yoke_number_u64((uint64_t)(low + range));
    return draw_numbers(m, s);
}

static yoke_status call_random_integers(yoke_stream *stream, const step *s)
{
    yoke_random_options options;
    return yoke_random_integers(stream, ARRAY(0), s->low, s->high, s->seed, s->offset, options_of(s, &options));
}

/* Lemire's method. */
static int64_t integer_at(const step *s, uint64_t position)
{
    __extension__ typedef unsigned __int128 bits;
    uint64_t first = s->low.value.u64 + (s->mode == YOKE_INTERVAL_WITHOUT_LOW), range = s->high.value.u64 - first;
    range += s->mode != YOKE_INTERVAL_WITHOUT_HIGH;
    bool wide = range > UINT64_C(1) << 32;
    bits size = (bits)1 << (wide ? 64 : 32);
    uint64_t word = word_at(s, OF_INTEGERS, position, wide);
    for (uint32_t attempt = 1;; attempt++) {
        bits product = (bits)word * range;
        uint32_t words[4];
        if (product % size >= size % range)
            return (int64_t)(first + (uint64_t)(product / size));
        philox(words, position, s->sequence, OF_INTEGERS * 65536 + attempt, s->seed);
        word = wide ? words[0] | (uint64_t)words[1] << 32 : words[0];
    }
}

static void judge_random_integers(step *s)
{
    for (int64_t i = 0; i < s->a[0].count; i++)
        want_exactly(s, 0, i, (number){ integer_at(s, s->offset + (uint64_t)i), 0 });
}

/* ---- Permutations ---- */

typedef struct ranked {
    uint64_t key;
    int64_t at;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->at < y->at ? -1 : 1;
}

static ranked *permutation(const step *s, uint64_t first, int64_t n)
{
    ranked *list = memory_new((size_t)(n + 1) * sizeof *list);
    for (int64_t i = 0; i < n; i++)
        list[i] = (ranked){ permutation_key(s, first + (uint64_t)i), i };
    qsort(list, (size_t)n, sizeof *list, compare_ranked);
    return list;
}

static void vary_random_permutation(model *m, variant *v)
{
    v->d[0] = pick_index(m);
}

static bool draw_random_permutation(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 1, YOKE_MAX_DIMENSIONS, &shape);
    draw_place(m, s);
    return add_out(m, s, 0, s->v->d[0], shape.dimensions, shape.shape);
}

static yoke_status call_random_permutation(yoke_stream *stream, const step *s)
{
    yoke_random_options options;
    return yoke_random_permutation(stream, ARRAY(0), s->seed, s->offset, options_of(s, &options));
}

static void judge_random_permutation(step *s)
{
    const yoke_array *a = &s->a[0].array;
    int64_t n = a->shape[a->dimensions - 1];
    for (int64_t row = 0; n > 0 && row < s->a[0].count / n; row++) {
        ranked *list = permutation(s, s->offset + (uint64_t)(row * n), n);
        for (int64_t i = 0; i < n; i++)
            want_exactly(s, 0, row * n + i, (number){ list[i].at, 0 });
        memory_free(list);
    }
}

static void vary_random_shuffle(model *m, variant *v)
{
    v->d[0] = v->d[1] = pick_any(m);
}

static bool draw_random_shuffle(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 1, YOKE_MAX_DIMENSIONS, &shape);
    draw_place(m, s);
    s->axis = (int32_t)draw(m, (uint32_t)shape.dimensions);
    return add_in(m, s, 1, s->v->d[1], shape.dimensions, shape.shape) &&
           add_out(m, s, 0, s->v->d[0], shape.dimensions, shape.shape);
}

static yoke_status call_random_shuffle(yoke_stream *stream, const step *s)
{
    yoke_random_options options;
    return yoke_random_shuffle(stream, ARRAY(0), ARRAY(1), s->axis, s->seed, s->offset, options_of(s, &options));
}

static void judge_random_shuffle(step *s)
{
    const yoke_array *a = &s->a[1].array;
    int64_t n = a->shape[s->axis], inner = 1;
    for (int32_t i = s->axis + 1; i < a->dimensions; i++)
        inner *= a->shape[i];
    ranked *list = permutation(s, s->offset, n);
    for (int64_t i = 0; i < s->a[0].count; i++) {
        int64_t index = i / inner % n;
        want_exactly(s, 0, i, get(&s->a[1], i + (list[index].at - index) * inner));
    }
    memory_free(list);
}

const operation operations_numbers[] = {
    OPERATION(random_uniform),  OPERATION(random_normal),      OPERATION(random_exponential),
    OPERATION(random_integers), OPERATION(random_permutation), OPERATION(random_shuffle),
};
const size_t count_numbers = COUNT_OF(operations_numbers);
