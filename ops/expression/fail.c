/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes of expressions: the text around the mistake, and a caret below it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tree.h"

/* How much of the text is shown, in characters. A line of it must fit into a record beside the message. */
enum { SHOWN = 80, SHOWN_BEFORE = 48, MESSAGE_SIZE = 280, INDENT = 6 };

/* The bytes of the UTF-8 character at `text`; 0 where there is none. */
static size_t character_length(const unsigned char *text, size_t left)
{
    size_t length = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : *text < 0xf5 ? 4 : 0;
    if (length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* The position `count` characters before `at`, or the beginning. */
static size_t go_back(const char *text, size_t at, size_t count)
{
    while (count-- > 0 && at > 0) {
        at--;
        for (size_t i = 0; i < 3 && at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80; i++)
            at--;
    }
    return at;
}

typedef struct line {
    char text[SHOWN * 4 + 8], marks[SHOWN + 8 + INDENT];
    size_t used, columns; /* columns of the marks */
} line;

static void add_character(line *out, const char *bytes, size_t length, char mark)
{
    memcpy(out->text + out->used, bytes, length);
    out->used += length;
    out->marks[out->columns++] = mark;
}

/* The characters from `from` on, each as one column; what is not one of UTF-8 shows as '?', and a control character as a blank. */
static void show(line *out, const char *text, size_t size, size_t from, size_t at, size_t end)
{
    size_t i = from, shown = 0;
    for (; i < size && shown < SHOWN; shown++) {
        size_t length = character_length((const unsigned char *)text + i, size - i);
        const char *bytes = length == 0 ? "?" : (unsigned char)text[i] < ' ' || text[i] == 0x7f ? " " : text + i;
        const char *mark = i < at || (i > at && i >= end) ? " " : i == at ? "^" : "~";
        add_character(out, bytes, bytes == text + i ? length : 1, *mark);
        i += length ? length : 1;
    }
    if (i >= size && at >= size)
        out->marks[out->columns++] = '^'; /* behind the end */
    for (int dots = 0; i < size && dots < 3; dots++)
        add_character(out, ".", 1, ' ');
}

yoke_status yops_fail_with_caret(const yops_call *call, const char *text, size_t size, unsigned at, unsigned length,
                                 const char *message)
{
    line out = { .used = 0 };
    size_t from = go_back(text, at, SHOWN), end = (size_t)at + length;
    if (size - from > SHOWN || from > 0)
        from = go_back(text, at, SHOWN_BEFORE);
    for (int dots = 0; from > 0 && dots < 3; dots++)
        add_character(&out, ".", 1, ' ');
    show(&out, text, size, from, at, end);
    while (out.columns > 0 && out.marks[out.columns - 1] == ' ')
        out.columns--;
    out.text[out.used] = out.marks[out.columns] = '\0';
    return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s\n%*s%s\n%*s%s", message, INDENT, "", out.text, INDENT, "", out.marks);
}

uint16_t yops_mistake(yops_parser *parser, unsigned at, unsigned length, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list values;
    if (parser->status < 0)
        return 0;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    parser->status =
        yops_fail_with_caret(parser->call, parser->text, parser->expression->text_length, at, length ? length : 1, message);
    return 0;
}
