/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels print: it is kept, for each device, until a call brings it out to the process's standard output, or until there is
 * no room for more. Kernels call this on their own stacks, and a bad format may end them in the middle, so nothing is locked while
 * the text is made.
 */
#include "module.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 8 << 20, SHORT = 512 };

typedef struct output {
    pthread_mutex_t lock;
    char *text;
    size_t length;
} output;

#define ONE                               \
    {                                     \
        .lock = PTHREAD_MUTEX_INITIALIZER \
    }
#define FOUR ONE, ONE, ONE, ONE
static output outputs[DOUBLE_DEVICES] = { FOUR, FOUR, FOUR, FOUR };
static _Thread_local unsigned current;

void double_print_device(unsigned device)
{
    current = device;
}

/* How many values a format has; a width that is a value is one, too. */
NO_SANITIZER static int count_values(const char *format)
{
    int count = 0;
    for (const char *c = format; *c; c++) {
        if (*c != '%')
            continue;
        for (c++; *c && !strchr("%cdiouxXpeEfFgGaAs", *c); c++)
            count += *c == '*';
        count += *c && *c != '%';
        if (!*c)
            break;
    }
    return count;
}

/* Below the lock. */
NO_SANITIZER static void bring_out(output *o)
{
    if (o->length) {
        fwrite(o->text, 1, o->length, stdout);
        fflush(stdout);
    }
    o->length = 0;
}

NO_SANITIZER static void keep(const char *text, size_t length)
{
    output *o = &outputs[current];
    pthread_mutex_lock(&o->lock);
    if (!o->text)
        o->text = malloc(MOST_KEPT);
    if (length > MOST_KEPT - o->length)
        bring_out(o);
    if (o->text && length <= MOST_KEPT) {
        memcpy(o->text + o->length, text, length);
        o->length += length;
    }
    pthread_mutex_unlock(&o->lock);
}

NO_SANITIZER int double_print(const char *format, va_list values)
{
    char text[SHORT], *longer = NULL;
    va_list again;
    if (!format)
        return -1;
    va_copy(again, values);
    int length = vsnprintf(text, sizeof text, format, values);
    if (length >= SHORT && (longer = malloc((size_t)length + 1)))
        vsnprintf(longer, (size_t)length + 1, format, again);
    va_end(again);
    if (length >= 0 && (length < SHORT || longer))
        keep(longer ? longer : text, (size_t)length);
    free(longer);
    return length < 0 ? -2 : count_values(format);
}

void double_print_bring_out(unsigned device)
{
    output *o = &outputs[device];
    pthread_mutex_lock(&o->lock);
    bring_out(o);
    pthread_mutex_unlock(&o->lock);
}
