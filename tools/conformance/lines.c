/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as lines "KEY: VALUE", which people and scripts read: doc/testing.md says what each key is. It is a part of the report
 * of `yoke check`. What a failure has printed is cut to its last lines, and the list of failures to the first.
 */
#include "conformance.h"

#include <string.h>

enum { MOST_FAILURES = 100, MOST_LINES = 12 };

/* One line of some text. */
static void print_value(const char *text, size_t length, FILE *out)
{
    for (size_t i = 0; i < length && text[i]; i++)
        fputc((unsigned char)text[i] < ' ' ? ' ' : text[i], out);
    fputc('\n', out);
}

static void write_places(const suite *s, FILE *out)
{
    size_t number = 0;

    for (size_t place = 0; place <= s->device_count; place++) {
        size_t counts[VERDICTS], all = 0;
        for (verdict v = 0; v < VERDICTS; v++)
            all += counts[v] = results_count(s, NULL, place, v);
        if (all == 0 && place == s->device_count)
            continue;
        fprintf(out, "result.%zu.device: %s\n", ++number, place_name(s, place));
        fprintf(out, "result.%zu.passed: %zu\nresult.%zu.failed: %zu\n", number, counts[PASSED], number, counts[FAILED]);
        fprintf(out, "result.%zu.skipped: %zu\nresult.%zu.broken: %zu\n", number, counts[SKIPPED], number, counts[BROKEN]);
    }
}

/* Each kind of skip at a place once, where it is first met. */
static bool is_first(const suite *s, const result *one, size_t *out_cases)
{
    const result *met = NULL;

    *out_cases = 0;
    for (const run *r = s->runs; r < s->runs + s->run_count; r++)
        for (const result *other = r->results; other < r->results + r->count; other++)
            if (other->verdict == SKIPPED && other->place == one->place && strcmp(other->text, one->text) == 0) {
                met = met ? met : other;
                ++*out_cases;
            }
    return met == one;
}

static void write_skipped(const suite *s, FILE *out)
{
    size_t number = 0, cases;

    for (const run *r = s->runs; r < s->runs + s->run_count; r++)
        for (const result *one = r->results; one < r->results + r->count; one++) {
            if (one->verdict != SKIPPED || !is_first(s, one, &cases))
                continue;
            fprintf(out, "skipped.%zu.device: %s\n", ++number, place_name(s, one->place));
            fprintf(out, "skipped.%zu.cases: %zu\nskipped.%zu.reason: ", number, cases, number);
            print_value(one->text, strlen(one->text), out);
        }
}

/* Where the last lines of a text begin. */
static const char *last_lines(const char *text)
{
    const char *begin = text + strlen(text);

    for (size_t lines = 0; begin > text; begin--)
        if (begin[-1] == '\n' && *begin && ++lines == MOST_LINES)
            break;
    return begin;
}

static void write_failure(const suite *s, const run *r, const result *one, size_t number, FILE *out)
{
    fprintf(out, "failure.%zu.device: %s\nfailure.%zu.program: %s\nfailure.%zu.case: ", number, place_name(s, one->place), number,
            r->program, number);
    print_value(one->name, strlen(one->name), out);
    fprintf(out, "failure.%zu.kind: %s\n", number, one->verdict == FAILED ? "failed" : "broken");
    for (const char *text = last_lines(one->text); *text;) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "failure.%zu.says: ", number);
        print_value(text, length, out);
        text += length + (text[length] == '\n');
    }
}

static void write_failures(const suite *s, FILE *out)
{
    size_t number = 0;

    for (const run *r = s->runs; r < s->runs + s->run_count; r++)
        for (const result *one = r->results; one < r->results + r->count; one++)
            if ((one->verdict == FAILED || one->verdict == BROKEN) && ++number <= MOST_FAILURES)
                write_failure(s, r, one, number, out);
    if (number > MOST_FAILURES)
        fprintf(out, "failures_left_out: %zu\n", number - MOST_FAILURES);
}

void report_lines(const suite *s, FILE *out)
{
    if (s->interrupted)
        fprintf(out, "suite: interrupted, %zu of %zu runs were not started\n", s->run_count - s->begun, s->run_count);
    else
        fprintf(out, "suite: complete\n");
    fprintf(out, "suite_programs: %zu\n", s->program_count);
    write_places(s, out);
    write_skipped(s, out);
    write_failures(s, out);
}
