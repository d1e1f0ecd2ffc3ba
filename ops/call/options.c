/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options and keys of kernels as text. Each call of an operation writes them, to find a kernel that is long compiled: printf's
 * own machinery is then half of the call's time.
 */
#include <stdarg.h>

#include "call.h"

/* A text that is being written: `length` is what it would have without an end. */
typedef struct writer {
    char *text;
    size_t size, length;
} writer;

static inline void add(writer *w, char byte)
{
    if (w->length < w->size)
        w->text[w->length] = byte;
    w->length++;
}

static void add_number(writer *w, size_t number)
{
    char digits[24];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0)
        add(w, digits[--count]);
}

static void add_signed(writer *w, int number)
{
    if (number < 0)
        add(w, '-');
    add_number(w, number < 0 ? 0 - (size_t)number : (size_t)number);
}

static void add_word(writer *w, const char *word)
{
    while (*word)
        add(w, *word++);
}

int yops_write(char *text, size_t size, const char *format, ...)
{
    writer w = { text, size, 0 };
    va_list list;
    va_start(list, format);
    for (const char *next = format; *next; next++) {
        if (*next != '%') {
            add(&w, *next);
            continue;
        }
        switch (*++next) {
        case 's':
            add_word(&w, va_arg(list, const char *));
            break;
        case 'd':
            add_signed(&w, va_arg(list, int));
            break;
        case 'u':
            add_number(&w, va_arg(list, unsigned));
            break;
        default: /* zu */
            add_number(&w, va_arg(list, size_t));
            next++;
            break;
        }
    }
    va_end(list);
    if (size > 0)
        text[w.length < size ? w.length : size - 1] = '\0';
    return (int)w.length;
}
