/* SPDX-License-Identifier: Apache-2.0 */
/* <yoke/block_reduce.h>, as a program's own kernel uses it: whole blocks of any size, groups, and structs. */
#include "../../conformance/suite.h"

#include <string.h>

enum { THREADS = 64 };

static const char text[] =
    "#include <yoke/block_reduce.h>\n"
    "typedef struct pair { int least; int at; } pair;\n"
    "YOKE_FUNCTION pair lesser(pair a, pair b)\n"
    "{\n"
    "    return b.least < a.least || (b.least == a.least && b.at < a.at) ? b : a;\n"
    "}\n"
    "#define ADD(a, b) ((a) + (b))\n"
    "YOKE_BLOCK_REDUCE(sum_of_block, float, ADD)\n"
    "YOKE_BLOCK_REDUCE(least_of_block, pair, lesser)\n"
    "YOKE_GROUP_REDUCE(sum_of_group, int, ADD)\n"
    "YOKE_KERNEL void YOKE_BLOCK_SIZE(64, 1, 1) reduce(YOKE_GLOBAL const float *x, YOKE_GLOBAL float *sums, YOKE_GLOBAL int "
    "*places,\n"
    "                                                  YOKE_GLOBAL int *groups, yoke_u32 count, yoke_u32 group)\n"
    "{\n"
    "    YOKE_SHARED float floats[64];\n"
    "    YOKE_SHARED pair pairs[64];\n"
    "    YOKE_SHARED int ints[64];\n"
    "    yoke_u32 t = yoke_thread_x();\n"
    "    pair own;\n"
    "    own.least = (int)(x[t] * 16.0f);\n"
    "    own.at = (int)t;\n"
    "    sums[t] = sum_of_block(floats, x[t], count) + sum_of_block(floats, x[t], 1);\n"
    "    places[t] = least_of_block(pairs, own, count).at;\n"
    "    groups[t] = sum_of_group(ints, own.at, group);\n"
    "}\n";

/* The documented order. */
static float sum_of(const float *x, unsigned count)
{
    float values[THREADS];
    unsigned step = 1;
    memcpy(values, x, sizeof values);
    while (2 * step < count)
        step *= 2;
    for (; step > 0; step /= 2)
        for (unsigned t = 0; t < step && t + step < count; t++)
            values[t] += values[t + step];
    return values[0];
}

static void try_count(suite *t, yoke_kernel *kernel, guarded *memory, const float *x, uint32_t count, uint32_t group)
{
    float sums[THREADS];
    int32_t places[THREADS], groups[THREADS], least = 0;
    for (int32_t i = 1; i < (int32_t)count; i++)
        least = (int)(x[i] * 16.0f) < (int)(x[least] * 16.0f) ? i : least;
    for (uint32_t i = 0; i < THREADS; i++) {
        sums[i] = sum_of(x, count) + x[0];
        places[i] = least;
        groups[i] = (int32_t)(i / group * group * group + group * (group - 1) / 2);
    }
    CHECK_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(THREADS), 0,
                         YOKE_ARGS(memory[0].buffer, memory[1].buffer, memory[2].buffer, memory[3].buffer, count, group)));
    CHECK_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &memory[1], sums);
    guarded_check(t, &memory[2], places);
    guarded_check(t, &memory[3], groups);
}

static void blocks(suite *t)
{
    static const uint32_t counts[] = { 1, 2, 3, 7, 32, 33, 63, 64 };
    guarded memory[4];
    float x[THREADS];
    yoke_kernel *kernel;
    if (t->info.max_block_threads < THREADS) {
        suite_skip("blocks of %d threads are too large", THREADS);
        return;
    }
    fill_random_floats(x, THREADS, 5);
    memset(memory, 0, sizeof memory);
    for (int i = 0; i < 4; i++)
        if (!guarded_create(t, sizeof x, &memory[i]))
            return;
    if ((kernel = suite_kernel(t, "reduce")) && guarded_write(t, &memory[0], x))
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            try_count(t, kernel, memory, x, counts[i], 1u << i % 7);
    for (int i = 0; i < 4; i++)
        guarded_release(&memory[i]);
}

static const suite_case cases[] = { { "blocks and groups of any size", blocks, false } };

int main(void)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.text = text;
    return SUITE_MAIN(cases, &source);
}
