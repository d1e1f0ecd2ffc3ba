/* SPDX-License-Identifier: Apache-2.0 */
/* <yoke/block_scan.h> in a program's own kernel: scans of a block's threads, in the documented order. */
#include "suite.h"

#include <string.h>

static const char text[] = "#include <yoke/block_scan.h>\n"
                           "YOKE_FUNCTION float add(float a, float b) { return a + b; }\n"
                           /* x -> a * x + b: associative, and not commutative */
                           "YOKE_FUNCTION unsigned int then(unsigned int a, unsigned int b)\n"
                           "{\n"
                           "    unsigned int scale = (a & 65535u) * (b & 65535u) & 65535u;\n"
                           "    unsigned int offset = ((a >> 16) * (b & 65535u) + (b >> 16)) & 65535u;\n"
                           "    return offset << 16 | scale;\n"
                           "}\n"
                           "YOKE_BLOCK_SCAN(scan_floats, float, add)\n"
                           "YOKE_BLOCK_SCAN(scan_maps, unsigned int, then)\n"
                           "YOKE_BLOCK_SCAN(scan_again, unsigned int, then)\n"
                           "YOKE_KERNEL void scans(YOKE_GLOBAL float *x, YOKE_GLOBAL unsigned int *maps)\n"
                           "{\n"
                           "    YOKE_SHARED float floats[YOKE_BLOCK_SCAN_ELEMENTS(256)];\n"
                           "    YOKE_SHARED unsigned int shared[YOKE_BLOCK_SCAN_ELEMENTS(256)];\n"
                           "    const unsigned int i = yoke_thread_x(), n = yoke_block_size_x();\n"
                           "    float total;\n"
                           "    unsigned int all;\n"
                           "    x[i] = scan_floats(x[i], floats, &total);\n"
                           "    maps[i] = scan_maps(maps[i], shared, &all);\n"
                           "    yoke_barrier();\n"
                           "    x[n + i] = YOKE_BLOCK_SCAN_BEFORE(floats, -1.0f);\n"
                           "    x[2 * n + i] = total;\n"
                           "    maps[n + i] = YOKE_BLOCK_SCAN_BEFORE(shared, 1u);\n"
                           "    maps[2 * n + i] = all;\n"
                           "}\n"
                           "YOKE_KERNEL void scans_again(YOKE_GLOBAL unsigned int *maps)\n"
                           "{\n"
                           "    YOKE_SHARED unsigned int shared[YOKE_BLOCK_SCAN_ELEMENTS(64)];\n"
                           "    const unsigned int i = yoke_global_x();\n"
                           "    unsigned int all, map = scan_again(maps[i], shared, &all);\n"
                           "    yoke_barrier();\n"
                           "    map = scan_again(map + all, shared, &all);\n"
                           "    yoke_barrier();\n"
                           "    map = scan_again(map + all, shared, &all);\n"
                           "    yoke_barrier();\n"
                           "    maps[i] = map + YOKE_BLOCK_SCAN_BEFORE(shared, 1u);\n"
                           "}\n";

static uint32_t then(uint32_t a, uint32_t b)
{
    uint32_t scale = (a & 65535u) * (b & 65535u) & 65535u, offset = ((a >> 16) * (b & 65535u) + (b >> 16)) & 65535u;
    return offset << 16 | scale;
}

/* The documented order: a tree in each group of 32, and the groups from the left to the right. */
static void scan_floats(float *x, uint32_t count)
{
    float before = 0;
    for (uint32_t group = 0; group < count; group += 32) {
        float *y = x + group, total;
        for (uint32_t distance = 1; distance < 32; distance *= 2)
            for (uint32_t lane = 31; lane > 0; lane--)
                if (lane & distance)
                    y[lane] = y[(lane & ~(2 * distance - 1)) + distance - 1] + y[lane];
        total = y[31];
        for (uint32_t lane = 0; lane < 32 && group > 0; lane++)
            y[lane] = before + y[lane];
        before = group > 0 ? before + total : total;
    }
}

static void scans(suite *t, yoke_kernel *kernel, uint32_t threads)
{
    enum { MOST = 256 };
    float x[3 * MOST] = { 0 }, got[3 * MOST], wanted[3 * MOST];
    uint32_t maps[3 * MOST] = { 0 }, got_maps[3 * MOST], wanted_maps[3 * MOST];
    size_t size = 3 * threads * sizeof *x;
    guarded floats = { 0 }, integers = { 0 };
    fill_random_floats(x, threads, threads);
    fill_random(maps, threads * sizeof *maps, threads);
    memcpy(wanted, x, sizeof x);
    memcpy(wanted_maps, maps, sizeof maps);
    scan_floats(wanted, threads);
    for (uint32_t i = 1; i < threads; i++)
        wanted_maps[i] = then(wanted_maps[i - 1], wanted_maps[i]);
    for (uint32_t i = 0; i < threads; i++) {
        wanted[threads + i] = i > 0 ? wanted[i - 1] : -1;
        wanted[2 * threads + i] = wanted[threads - 1];
        wanted_maps[threads + i] = i > 0 ? wanted_maps[i - 1] : 1;
        wanted_maps[2 * threads + i] = wanted_maps[threads - 1];
    }
    NEED(guarded_create(t, size, &floats) && guarded_create(t, size, &integers));
    NEED(guarded_write(t, &floats, x) && guarded_write(t, &integers, maps));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(threads), 0, YOKE_ARGS(floats.buffer, integers.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(guarded_read(t, &floats, got) && guarded_read(t, &integers, got_maps));
    CHECK_BYTES(got, wanted, size);
    CHECK_BYTES(got_maps, wanted_maps, size);
out:
    guarded_release(&integers);
    guarded_release(&floats);
}

static void block_scans(suite *t)
{
    static const uint32_t sizes[] = { 32, 96, 256 };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    source.text = text;
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "scans", &kernel));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i] <= t->info.max_block_threads)
            scans(t, kernel, sizes[i]);
out:
    yoke_program_release(program);
}

/* Several calls with the same shared memory, of which a compiler may make one function that is not inlined. */
static void scans_again(suite *t)
{
    enum { BLOCKS = 9, THREADS = 64 };
    uint32_t maps[BLOCKS * THREADS], got[BLOCKS * THREADS];
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded memory = { 0 };
    source.text = text;
    fill_random(maps, sizeof maps, 5);
    NEED(guarded_create(t, sizeof maps, &memory) && guarded_write(t, &memory, maps));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "scans_again", &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(BLOCKS), YOKE_DIM(THREADS), 0, YOKE_ARGS(memory.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(guarded_read(t, &memory, got));
    for (uint32_t *block = maps; block < maps + BLOCKS * THREADS; block += THREADS) {
        for (int round = 0; round < 3; round++) {
            uint32_t all = round > 0 ? block[THREADS - 1] : 0;
            block[0] += all;
            for (uint32_t i = 1; i < THREADS; i++)
                block[i] = then(block[i - 1], block[i] + all);
        }
        for (uint32_t i = THREADS; i-- > 0;)
            block[i] += i > 0 ? block[i - 1] : 1;
    }
    CHECK_BYTES(got, maps, sizeof maps);
out:
    guarded_release(&memory);
    yoke_program_release(program);
}

static const suite_case cases[] = {
    { "blocks of 32 to 256 threads scan their values in the documented order", block_scans, false },
    { "blocks scan again with the same shared memory", scans_again, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
