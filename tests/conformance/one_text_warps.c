/* SPDX-License-Identifier: Apache-2.0 */
/* One text for both languages, where the driver is NVIDIA's: the words for warps, and blocks that wait for earlier blocks. */
#include "suite.h"

#include <string.h>

/* Warps of 32 threads, and blocks that wait for an earlier block, where the driver is NVIDIA's; the text compiles everywhere. */
static void warps(suite *t)
{
    static const char text[] = "#include <yoke/kernel.h>\n"
                               "YOKE_KERNEL void chain(YOKE_GLOBAL unsigned long *state, YOKE_GLOBAL unsigned int *ticket)\n"
                               "{\n"
                               "#if YOKE_HAS_WARP && YOKE_HAS_LOOKBACK\n"
                               "    const unsigned int lane = yoke_lane(), up = yoke_shuffle_up(lane, 3u);\n"
                               "    const unsigned int threes = yoke_ballot(lane % 3u == 0u), fives = yoke_match_any(lane / 5u);\n"
                               "    unsigned int block = 0;\n"
                               "    int right = threes == 0x49249249u && (fives >> lane & 1u) && yoke_popcount(fives) <= 5;\n"
                               "    right = right && up == (lane < 3u ? lane : lane - 3u);\n"
                               "    if (lane == 0u)\n"
                               "        block = yoke_atomic_add(ticket, 1u);\n"
                               "    block = yoke_shuffle(block, 0);\n"
                               "    right = yoke_ballot(right) == 0xffffffffu;\n"
                               "    if (lane == 0u) {\n"
                               "        unsigned long before = 1;\n"
                               "        while (block > 0u && (before = yoke_load_relaxed_u64(state + block - 1u)) == 0)\n"
                               "            yoke_pause(100u);\n"
                               "        yoke_store_relaxed_u64(state + block, before + (right ? block : 0u));\n"
                               "    }\n"
                               "#else\n"
                               "    if (yoke_global_x() == 0u)\n"
                               "        *ticket = 0xffffffffu;\n"
                               "#endif\n"
                               "}\n";
    enum { BLOCKS = 500 };
    const uint64_t zeros[BLOCKS] = { 0 };
    uint64_t state[BLOCKS];
    uint32_t ticket = 0;
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    guarded states = { 0 }, tickets = { 0 };

    source.text = text;
    NEED(guarded_create(t, sizeof state, &states) && guarded_create(t, sizeof ticket, &tickets));
    NEED(guarded_write(t, &states, zeros) && guarded_write(t, &tickets, &ticket));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "chain", &kernel));
    NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(BLOCKS), YOKE_DIM(32), 0, YOKE_ARGS(states.buffer, tickets.buffer)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(guarded_read(t, &states, state) && guarded_read(t, &tickets, &ticket));
    if (ticket == UINT32_MAX)
        CHECK(strcmp(t->info.backend, "cuda") != 0);
    else
        CHECK(ticket == BLOCKS && state[BLOCKS - 1] == 1 + BLOCKS * (BLOCKS - 1) / 2);
out:
    yoke_program_release(program);
    guarded_release(&tickets);
    guarded_release(&states);
}

static const suite_case cases[] = {
    { "warps of 32 exchange and vote; a block waits for the block before it", warps, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
