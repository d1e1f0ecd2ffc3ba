/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as one TAP stream: what the programs said, numbered anew.
 */
#include "conformance.h"

#include <string.h>

/* One line, in which a hash would begin a directive. */
static void print_plain(const char *text, FILE *out)
{
    for (; *text; text++)
        fputc(*text == '#' || (unsigned char)*text < ' ' ? ' ' : *text, out);
}

static void print_remarks(const char *text, FILE *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "# %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

void report_tap(const suite *s, FILE *out)
{
    size_t number = 0;

    for (size_t i = 0; i < s->run_count; i++)
        number += s->runs[i].count;
    fprintf(out, "TAP version 13\n1..%zu\n", number);
    number = 0;
    for (size_t i = 0; i < s->run_count; i++)
        for (const result *one = s->runs[i].results; one < s->runs[i].results + s->runs[i].count; one++) {
            bool bad = one->verdict == FAILED || one->verdict == BROKEN;
            if (bad)
                print_remarks(one->text, out);
            fprintf(out, "%sok %zu - %s: %s: ", bad ? "not " : "", ++number, place_name(s, one->place), s->runs[i].program);
            print_plain(one->name, out);
            if (one->verdict == SKIPPED) {
                fputs(" # SKIP ", out);
                print_plain(one->text, out);
            }
            fputc('\n', out);
        }
}
