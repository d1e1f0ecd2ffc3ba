/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for people: device by program, what was skipped and why, what failed, and a last table of drivers. Programs that read
 * it look at that table.
 */
#include "conformance.h"

#include <string.h>

static const char *const words[] = { [PASSED] = "ok", [FAILED] = "FAILED", [SKIPPED] = "skipped", [BROKEN] = "BROKEN" };
_Static_assert(YK_COUNT_OF(words) == VERDICTS, "a word for each verdict");

void print_result(const suite *s, const run *r, const result *one, FILE *out)
{
    const char *text = one->verdict == SKIPPED || one->verdict == BROKEN ? one->text : "";

    fprintf(out, "%-7s %s: %s: %s%s%s\n", words[one->verdict], place_name(s, one->place), r->program, one->name, *text ? ": " : "",
            text);
}

/* ---- Device by program ---- */

static bool place_is_used(const suite *s, size_t place)
{
    size_t count = 0;

    for (verdict v = 0; v < VERDICTS; v++)
        count += results_count(s, NULL, place, v);
    return count > 0 || place < s->device_count;
}

/* What all runs of a program gave at a place. */
static void print_cell(const suite *s, const char *program, size_t place, FILE *out)
{
    size_t counts[VERDICTS] = { 0 }, used = 0;
    char cell[64] = "-";

    for (size_t i = 0; i < s->run_count; i++)
        for (verdict v = 0; v < VERDICTS && strcmp(s->runs[i].program, program) == 0; v++)
            counts[v] += results_count(s, &s->runs[i], place, v);
    for (verdict v = 0; v < VERDICTS; v++)
        if (counts[v])
            used += (size_t)snprintf(cell + used, sizeof cell - used, "%s%zu %s", used ? ", " : "", counts[v], words[v]);
    fprintf(out, "  %-24s", cell);
}

static int longest_program(const suite *s)
{
    size_t width = strlen("program");

    for (size_t i = 0; i < s->program_count; i++)
        if (strlen(s->programs[i]) > width)
            width = strlen(s->programs[i]);
    return (int)width;
}

static void print_programs(const suite *s, FILE *out)
{
    int width = longest_program(s);

    fprintf(out, "%-*s", width, "program");
    for (size_t place = 0; place <= s->device_count; place++)
        if (place_is_used(s, place))
            fprintf(out, "  %-24s", place_name(s, place));
    for (size_t i = 0; i < s->program_count; i++) {
        fprintf(out, "\n%-*s", width, s->programs[i]);
        for (size_t place = 0; place <= s->device_count; place++)
            if (place_is_used(s, place))
                print_cell(s, s->programs[i], place, out);
    }
    if (place_is_used(s, s->device_count))
        fprintf(out, "\n\n%s: cases that run once for a backend: they need no device, or all of them",
                place_name(s, s->device_count));
    fputc('\n', out);
}

/* ---- Skipped, and failed ---- */

/* Results in the order of the runs: result `*at` of run `*in`, and on to the next; NULL behind the last. */
static const result *next_of(const suite *s, verdict v, size_t *in, size_t *at)
{
    for (; *in < s->run_count; ++*in, *at = 0)
        while (*at < s->runs[*in].count) {
            const result *one = &s->runs[*in].results[(*at)++];
            if (one->verdict == v)
                return one;
        }
    return NULL;
}

/* Each reason once, where it is first met, with how many cases have it. */
static void print_skipped(const suite *s, FILE *out)
{
    const result *one, *other;
    bool first = true;

    for (size_t in = 0, at = 0; (one = next_of(s, SKIPPED, &in, &at)) != NULL;) {
        size_t count = 0;
        const result *met = NULL;
        for (size_t i = 0, j = 0; (other = next_of(s, SKIPPED, &i, &j)) != NULL;)
            if (other->place == one->place && strcmp(other->text, one->text) == 0) {
                met = met ? met : other;
                count++;
            }
        if (met != one)
            continue;
        fprintf(out, "%s  %4zu  %s: %s\n", first ? "\nskipped, because\n" : "", count, place_name(s, one->place), one->text);
        first = false;
    }
}

static void print_lines(const char *text, FILE *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "      %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_failed(const suite *s, FILE *out)
{
    const result *one;
    bool first = true;

    for (verdict v = FAILED; v <= BROKEN; v += BROKEN - FAILED)
        for (size_t in = 0, at = 0; (one = next_of(s, v, &in, &at)) != NULL; first = false) {
            fprintf(out, "%s  %s: %s: %s\n", first ? "\nfailed\n" : "", place_name(s, one->place), s->runs[in].program, one->name);
            print_lines(one->text, out);
        }
}

/* ---- Drivers ---- */

static void print_row(const suite *s, size_t place, const char *name, FILE *out)
{
    fprintf(out, "%-12s %8zu %8zu %8zu %8zu", name, results_count(s, NULL, place, PASSED), results_count(s, NULL, place, FAILED),
            results_count(s, NULL, place, SKIPPED), results_count(s, NULL, place, BROKEN));
    if (place < s->device_count)
        fprintf(out, "  %s (%s, driver %s)", s->devices[place].name, s->devices[place].platform, s->devices[place].driver);
    fputc('\n', out);
}

void report_text(const suite *s, FILE *out)
{
    fprintf(out, "Yoke %s, conformance suite\n\n", yoke_version());
    print_programs(s, out);
    print_skipped(s, out);
    print_failed(s, out);
    fprintf(out, "\n%-12s %8s %8s %8s %8s  %s\n", "device", "passed", "failed", "skipped", "broken", "driver");
    for (size_t place = 0; place <= s->device_count; place++)
        if (place_is_used(s, place))
            print_row(s, place, place_name(s, place), out);
    print_row(s, (size_t)ANYWHERE, "all", out);
}
