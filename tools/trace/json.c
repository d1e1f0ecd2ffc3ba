/* SPDX-License-Identifier: Apache-2.0 */
/* A reader of JSON for traces: an array of objects, each flat but for its member "args". Anything else of JSON is passed over, so a
 * trace that another program has rewritten is readable too. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

/* What is larger is no time, size or number of a trace, and counts as 0: nanoseconds of 300 years. */
static const double LARGEST = 1e19;

typedef struct reader {
    char *at;
    const char *fault; /* NULL: none yet */
    trace_event event;
} reader;

static void skip_space(reader *self)
{
    self->at += strspn(self->at, " \t\r\n");
}

static bool fail(reader *self, const char *fault)
{
    if (!self->fault)
        self->fault = fault;
    return false;
}

static bool take(reader *self, char c)
{
    skip_space(self);
    if (*self->at != c)
        return false;
    self->at++;
    return true;
}

/* The four digits of \uXXXX as UTF-8; half of a surrogate pair becomes '?'. */
static char *put_letter(const char *digits, char *to)
{
    char hex[5] = { digits[0], digits[1], digits[2], digits[3], 0 };
    unsigned long code = strtoul(hex, NULL, 16);
    if (code >= 0x800 && (code & 0xF800) != 0xD800) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code >= 0x80 && code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = code > 0 && code < 0x80 ? (char)code : '?';
    }
    return to;
}

/* The string is unescaped in place: no escape is shorter than its letter. */
static char *read_string(reader *self)
{
    static const char escapes[] = "\"\\/bfnrt", letters[] = "\"\\/\b\f\n\r\t";
    if (!take(self, '"'))
        return fail(self, "a string is missing"), NULL;
    char *text = self->at, *to = text;
    while (*self->at && *self->at != '"') {
        const char *escape;
        if (*self->at != '\\') {
            *to++ = *self->at++;
        } else if (self->at[1] == 'u' && strspn(self->at + 2, "0123456789abcdefABCDEF") >= 4) {
            to = put_letter(self->at + 2, to);
            self->at += 6;
        } else if (self->at[1] && (escape = strchr(escapes, self->at[1]))) {
            *to++ = letters[escape - escapes];
            self->at += 2;
        } else {
            return fail(self, "a string has an unknown escape"), NULL;
        }
    }
    if (!*self->at)
        return fail(self, "it ends inside a string"), NULL;
    self->at++;
    *to = '\0';
    tool_clean(text);
    return text;
}

static bool read_value(reader *self, trace_value *value, int depth);

/* The members of an object, as far as there is room; `list` may be NULL. */
static bool read_object(reader *self, trace_value *list, size_t *count, int depth)
{
    if (take(self, '}'))
        return true;
    do {
        trace_value value = { 0 };
        value.name = read_string(self);
        if (!value.name || !take(self, ':'))
            return fail(self, "a member of an object has no value");
        skip_space(self);
        bool nested = list == self->event.members && strcmp(value.name, "args") == 0 && *self->at == '{';
        if (nested) {
            self->at++;
            if (!read_object(self, self->event.args, &self->event.arg_count, depth + 1))
                return false;
        } else if (!read_value(self, &value, depth + 1)) {
            return false;
        }
        if (list && !nested && *count < TRACE_VALUES)
            list[(*count)++] = value;
    } while (take(self, ','));
    return take(self, '}') || fail(self, "an object does not end");
}

static bool read_array(reader *self, trace_value *value, int depth)
{
    size_t i = 0;
    if (take(self, ']'))
        return true;
    do {
        trace_value item = { 0 };
        if (!read_value(self, &item, depth + 1))
            return false;
        if (i < 3)
            value->numbers[i++] = item.numbers[0];
    } while (take(self, ','));
    return take(self, ']') || fail(self, "an array does not end");
}

static bool read_word(reader *self, trace_value *value)
{
    static const char *const words[] = { "true", "false", "null" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(self->at, words[i], strlen(words[i])) == 0) {
            self->at += strlen(words[i]);
            value->is_true = i == 0;
            return true;
        }
    char *end = self->at;
    if (strspn(self->at, "-0123456789") > 0)
        value->numbers[0] = strtod(self->at, &end);
    if (end == self->at)
        return fail(self, "it is not JSON");
    if (!(fabs(value->numbers[0]) <= LARGEST))
        value->numbers[0] = 0;
    self->at = end;
    return true;
}

static bool read_value(reader *self, trace_value *value, int depth)
{
    skip_space(self);
    if (depth > DEEPEST)
        return fail(self, "its values are nested too deeply");
    if (*self->at == '"')
        return (value->text = read_string(self)) != NULL;
    if (take(self, '{'))
        return read_object(self, NULL, NULL, depth);
    if (take(self, '['))
        return read_array(self, value, depth);
    return read_word(self, value);
}

static bool read_event(reader *self, void (*each)(const trace_event *event, void *context), void *context)
{
    trace_value other = { 0 };
    self->event.member_count = self->event.arg_count = 0;
    if (!take(self, '{'))
        return read_value(self, &other, 1);
    if (!read_object(self, self->event.members, &self->event.member_count, 1))
        return false;
    each(&self->event, context);
    return true;
}

const char *trace_json(char *text, void (*each)(const trace_event *event, void *context), void *context)
{
    reader self = { .at = text };
    skip_space(&self);
    if (*self.at == '{')
        return "its JSON is not an array of events";
    if (!take(&self, '['))
        return "it is not JSON";
    if (!take(&self, ']')) {
        do
            if (!read_event(&self, each, context))
                return self.fault;
        while (take(&self, ','));
        if (!take(&self, ']'))
            return "its array does not end";
    }
    skip_space(&self);
    return *self.at ? "something follows its array" : NULL;
}
