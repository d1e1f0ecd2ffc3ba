/* SPDX-License-Identifier: Apache-2.0 */
/* Text and bytes that grow. There is no way to go on without memory here, and no test asks for one. */
#include "module.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the NUL; the block's size is the next power of two. */
static void make_room(double_text *text, size_t more)
{
    size_t before = 64, size = 64;
    while (before < text->length + 1)
        before *= 2;
    while (size < text->length + more + 1)
        size *= 2;
    if (text->data && size == before)
        return;
    text->data = realloc(text->data, size);
    if (!text->data)
        abort();
}

void double_text_add_bytes(double_text *text, const void *bytes, size_t length)
{
    make_room(text, length);
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void double_text_add(double_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        abort();
    make_room(text, (size_t)length);
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

const char *double_text_get(const double_text *text)
{
    return text->data ? text->data : "";
}

void double_text_free(double_text *text)
{
    free(text->data);
    *text = (double_text){ 0 };
}
