/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as the XML that build servers know from JUnit: a testsuite for each program and device. What programs and drivers say
 * may be any bytes; XML takes only some characters, so the others become U+FFFD.
 */
#include "conformance.h"

#include <stdint.h>
#include <string.h>

/* The length of the UTF-8 character at `text` when XML can have it, else 0. */
static size_t character(const unsigned char *text)
{
    size_t length = text[0] < 0x80 ? 1 : text[0] < 0xC2 ? 0 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : text[0] < 0xF5 ? 4 : 0;
    uint32_t code = length > 1 ? text[0] & (0x7Fu >> length) : text[0];

    for (size_t i = 1; i < length; i++) { /* a terminating NUL is no continuation either */
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3Fu);
    }
    bool shortest = length < 3 || code >= (length == 3 ? 0x800u : 0x10000u);
    bool allowed = code >= 0x20 ? (code < 0xD800 || code > 0xDFFF) && code != 0xFFFE && code != 0xFFFF && code <= 0x10FFFF
                                : code == '\t' || code == '\n';
    return shortest && allowed ? length : 0;
}

static void print_xml(const char *text, FILE *out)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length = character(at);
        if (*at == '&')
            fputs("&amp;", out);
        else if (*at == '<')
            fputs("&lt;", out);
        else if (*at == '>')
            fputs("&gt;", out);
        else if (*at == '"')
            fputs("&quot;", out);
        else if (*at == '\n') /* as itself it would be a blank in an attribute */
            fputs("&#10;", out);
        else if (length)
            fwrite(at, 1, length, out);
        else
            fputs("\xEF\xBF\xBD", out);
        at += length ? length : 1;
    }
}

/* "opencl:0.graph", or "opencl.graph" for cases without a device. */
static void print_suite_name(const suite *s, const run *r, size_t place, FILE *out)
{
    print_xml(place < s->device_count ? place_name(s, place) : r->backend, out);
    fputc('.', out);
    print_xml(r->program, out);
}

static void print_case(const suite *s, const run *r, const result *one, FILE *out)
{
    static const char *const elements[] = { [PASSED] = NULL, [FAILED] = "failure", [SKIPPED] = "skipped", [BROKEN] = "error" };
    _Static_assert(YK_COUNT_OF(elements) == VERDICTS, "an element for each verdict");
    const char *element = elements[one->verdict];

    fprintf(out, "    <testcase classname=\"");
    print_suite_name(s, r, one->place, out);
    fprintf(out, "\" name=\"");
    print_xml(one->name, out);
    fprintf(out, "\" time=\"%.3f\"", one->seconds);
    if (!element) {
        fprintf(out, "/>\n");
        return;
    }
    fprintf(out, ">\n      <%s message=\"", element);
    print_xml(one->verdict == FAILED ? "a check does not hold" : one->text, out);
    if (one->verdict == FAILED) {
        fprintf(out, "\">");
        print_xml(one->text, out);
        fprintf(out, "</failure>\n");
    } else {
        fprintf(out, "\"/>\n");
    }
    fprintf(out, "    </testcase>\n");
}

static void print_counts(const suite *s, const run *r, size_t place, size_t tests, double seconds, FILE *out)
{
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n", tests,
            results_count(s, r, place, FAILED), results_count(s, r, place, BROKEN), results_count(s, r, place, SKIPPED), seconds);
}

static void print_suite(const suite *s, const run *r, size_t place, FILE *out)
{
    size_t tests = 0;
    double seconds = 0;

    for (size_t i = 0; i < r->count; i++)
        if (r->results[i].place == place) {
            tests++;
            seconds += r->results[i].seconds;
        }
    if (tests == 0)
        return;
    fprintf(out, "  <testsuite name=\"");
    print_suite_name(s, r, place, out);
    fputc('"', out);
    print_counts(s, r, place, tests, seconds, out);
    for (size_t i = 0; i < r->count; i++)
        if (r->results[i].place == place)
            print_case(s, r, &r->results[i], out);
    fprintf(out, "  </testsuite>\n");
}

void report_junit(const suite *s, FILE *out)
{
    size_t tests = 0;
    double seconds = 0;

    for (size_t i = 0; i < s->run_count; i++) {
        tests += s->runs[i].count;
        for (size_t j = 0; j < s->runs[i].count; j++)
            seconds += s->runs[i].results[j].seconds;
    }
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"yoke-conformance\"");
    print_counts(s, NULL, (size_t)ANYWHERE, tests, seconds, out);
    for (size_t i = 0; i < s->run_count; i++)
        for (size_t place = 0; place <= s->device_count; place++)
            print_suite(s, &s->runs[i], place, out);
    fprintf(out, "</testsuites>\n");
}
