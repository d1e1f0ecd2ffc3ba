/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every operation of calls_table.c on few elements, by the kernels that the device would take, and by those of GPUs and of CPUs
 * that it would not: all give the same bits. Few enough for drivers that are slow because they look at each access, as Oclgrind
 * does.
 */
#include "forms.h"

static const calls_size size = { 130, 6 };

static void both_forms(suite *t)
{
    for (size_t i = 0; i < calls_count; i++)
        if (calls_suit(t, &calls_table[i]))
            forms_try(t, &calls_table[i], size);
}

/* By what the other form of a convolution takes: sums as they are written. */
static void direct_sums(suite *t)
{
    yops_fft_convolve_force = 1;
    for (size_t i = 0; i < calls_count; i++)
        if (strcmp(calls_table[i].name, "yoke_fft_convolve") == 0)
            forms_try(t, &calls_table[i], size);
    yops_fft_convolve_force = 0;
}

static const suite_case cases[] = {
    { "kernels of GPUs and of CPUs give the same bits", both_forms, false },
    { "sums of a convolution as they are written", direct_sums, false },
};

int main(void)
{
    setenv("YOKE_OPS_EXACT", "1", 1); /* a library has other bits */
    return SUITE_MAIN(cases, NULL);
}
