/* SPDX-License-Identifier: Apache-2.0 */
/* The same call gives the same bits: every operation of calls_table.c a hundred times, over several tiles. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 100 };

static const calls_size size = { 40000, 150 };

static bool run_again(calls_state *x, const unsigned char *wanted)
{
    memcpy(x->back, x->given, x->all);
    return CHECK_OK(calls_enqueue(x->t->stream, x)) && CHECK_OK(yoke_stream_wait(x->t->stream)) &&
           calls_compare(x, wanted, "again");
}

static void repeat(suite *t, const calls_entry *entry)
{
    calls_state x;
    unsigned char *wanted = NULL;
    bool good = calls_create(t, entry, size, &x) && (wanted = calls_direct(&x, 1)) != NULL;
    for (int i = 0; good && i < RUNS; i++)
        good = run_again(&x, wanted);
    if (wanted)
        memory_free(wanted);
    calls_release(&x);
}

static void a_hundred_times(suite *t)
{
    for (size_t i = 0; i < calls_count; i++)
        if (calls_suit(t, &calls_table[i]))
            repeat(t, &calls_table[i]);
}

static const suite_case cases[] = {
    { "a hundred runs of each operation give the same bits", a_hundred_times, false },
};

int main(void)
{
    setenv("YOKE_OPS_EXACT", "1", 1); /* a library's bits are not promised */
    return SUITE_MAIN(cases, NULL);
}
