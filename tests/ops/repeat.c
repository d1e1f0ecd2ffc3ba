/* SPDX-License-Identifier: Apache-2.0 */
/* The same call gives the same bits: every operation of calls_table.c a hundred times, over several tiles. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

/* YOKE_TEST_SHORT: the few, for what is no GPU. */
enum { RUNS = 100, FEW_RUNS = 10, PARTS = 4 };

static const calls_size size = { 20000, 100 };

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
    for (int i = 0; good && i < (getenv("YOKE_TEST_SHORT") ? FEW_RUNS : RUNS); i++)
        good = run_again(&x, wanted);
    if (wanted)
        memory_free(wanted);
    calls_release(&x);
}

/* In parts, because a case has a limit of time. */
static void repeat_part(suite *t, size_t part)
{
    for (size_t i = part; i < calls_count; i += PARTS)
        if (calls_suit(t, &calls_table[i]))
            repeat(t, &calls_table[i]);
}

static void first_part(suite *t)
{
    repeat_part(t, 0);
}

static void second_part(suite *t)
{
    repeat_part(t, 1);
}

static void third_part(suite *t)
{
    repeat_part(t, 2);
}

static void fourth_part(suite *t)
{
    repeat_part(t, 3);
}

static const suite_case cases[] = {
    { "a hundred runs give the same bits: operations 1, 5, 9 …", first_part, false },
    { "operations 2, 6, 10 …", second_part, false },
    { "operations 3, 7, 11 …", third_part, false },
    { "operations 4, 8, 12 …", fourth_part, false },
};

int main(void)
{
    setenv("YOKE_OPS_EXACT", "1", 1); /* a library's bits are not promised */
    return SUITE_MAIN(cases, NULL);
}
