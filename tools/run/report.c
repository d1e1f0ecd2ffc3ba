/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of two results: a row for each buffer, and where it differs both values and their distance. */
#include <inttypes.h>
#include <stdlib.h>

#include "run.h"

const char *run_time_text(int64_t nanoseconds, char text[32])
{
    double value = (double)nanoseconds;
    if (nanoseconds < 0)
        snprintf(text, 32, "%s", "");
    else if (value < 1e6)
        snprintf(text, 32, "%.1f us", value / 1e3);
    else
        snprintf(text, 32, "%.1f ms", value / 1e6);
    return text;
}

static char *distance_text(run_type type, uint64_t distance)
{
    if (type.bytes == 0 || type.kind != YK_SCALAR_FLOATING)
        return tool_text("%s", "");
    if (distance == UINT64_MAX)
        return tool_text("%s", ", one is no number");
    return tool_text(", %" PRIu64 " ulp%s apart", distance, distance == 1 ? "" : "s");
}

static void print_place(run_type type, const unsigned char *one, const unsigned char *other, size_t index, uint64_t distance,
                        const char *word)
{
    size_t at = index * (type.bytes ? type.bytes : 1);
    char left[RUN_ELEMENT], right[RUN_ELEMENT], *apart = distance_text(type, distance);
    run_print_element(type, one + at, left);
    run_print_element(type, other + at, right);
    printf("      %s [%zu]: %s and %s%s\n", word, index, left, right, apart);
    free(apart);
}

static void print_row(const run_arg *arg, const run_difference *found, const unsigned char *one, const unsigned char *other)
{
    const tool_colours *colours = tool_colours_of(stdout);
    size_t count = arg->size / (arg->type.bytes ? arg->type.bytes : 1);
    printf("    %-16s %10zu %s%s  ", *arg->name ? arg->name : "?", count, arg->type.bytes ? "element" : "byte",
           count == 1 ? " " : "s");
    if (found->count == 0) {
        printf("%sequal%s\n", colours->green, colours->reset);
        return;
    }
    printf("%s%zu differ%s%s\n", colours->red, found->count, found->count == 1 ? "s" : "", colours->reset);
    print_place(arg->type, one, other, found->first, found->first_distance, "first");
    if (found->worst != found->first && arg->type.bytes && arg->type.kind == YK_SCALAR_FLOATING)
        print_place(arg->type, one, other, found->worst, found->worst_distance, "worst");
}

size_t run_report(const run_case *c, unsigned char *const *one, unsigned char *const *other, uint64_t allowed)
{
    size_t differing = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (!one[i] || !other[i])
            continue;
        run_difference found = run_compare(c->args[i].type, one[i], other[i], c->args[i].size, allowed);
        differing += found.count > 0;
        if (found.count > 0 || !c->args[i].read_only)
            print_row(&c->args[i], &found, one[i], other[i]);
    }
    return differing;
}
