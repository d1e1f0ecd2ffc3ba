/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the loops of one thread may be. Mesa's llvmpipe counts the rounds of all loops of a thread together, and from 65,535 on
 * ends each loop after its next round, without a word. Whatever chooses a thread's share asks here, and gives it less, or refuses.
 *
 * Rounds are counted as that driver does it (measured with Mesa 22.3): a loop of n turns costs n + 1, each time that it is reached,
 * inside another as well; a loop in a branch that is not taken costs 1. Threads of one vector have one count: where their turns
 * differ, the most of them counts. What a compiler unrolls costs nothing, which no formula relies on; and some branches are made
 * loops, which has doubled what reductions take. So callers count the turns of loops as the texts have them, against half of the
 * driver's number.
 */
#include "call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

uint64_t yops_rounds_forced;

bool yops_counts_rounds(const yops_traits *traits)
{
    return traits->most_rounds > 0;
}

uint64_t yops_fit_rounds(const yops_traits *traits, uint64_t fixed, uint64_t each)
{
    if (!yops_counts_rounds(traits))
        return UINT64_MAX;
    uint64_t turns = traits->most_rounds > fixed ? (traits->most_rounds - fixed) / each : 0;
    return turns > 0 ? turns : 1;
}

yoke_status yops_check_rounds(const yops_call *call, const yops_traits *traits, uint64_t rounds, const char *format, ...)
{
    char what[200];
    va_list args;
    if (!yops_counts_rounds(traits) || rounds <= traits->most_rounds)
        return YOKE_OK;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return yops_fail(call, YOKE_E_UNSUPPORTED,
                     "the device's driver ends the loops of a thread after 65535 rounds in all, and %s may take %" PRIu64
                     ": take less at a time, or another device",
                     what, 2 * rounds);
}
