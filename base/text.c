/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text: a growing string, numbers, sizes in words, and the nearest of several names. A string that runs out of memory keeps its
 * content: a message is never a reason to fail.
 */
#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the terminator. Once there was none, there is none: what follows a gap would be another text. */
static bool text_reserve(yk_text *text, size_t more)
{
    if (text->is_cut || more > SIZE_MAX / 4 || text->length > SIZE_MAX / 4)
        return false;
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return true;
    size_t capacity = needed < 64 ? 128 : needed * 2;
    char *data = realloc(text->data, capacity);
    text->is_cut = !data;
    if (!data)
        return false;
    text->data = data;
    text->capacity = capacity;
    return true;
}

void yk_text_add_bytes(yk_text *text, const char *bytes, size_t length)
{
    if (length == 0 || !text_reserve(text, length))
        return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void yk_text_add(yk_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length > 0 && text_reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

void yk_text_add_quoted(yk_text *text, const char *string)
{
    yk_text_add(text, "\"");
    for (size_t length; *string; string += length ? length : 1) {
        length = yk_letter(string);
        if (*string == '"' || *string == '\\')
            yk_text_add(text, "\\");
        if ((unsigned char)*string < ' ')
            yk_text_add(text, "\\u%04x", (unsigned)(unsigned char)*string);
        else
            yk_text_add_bytes(text, length ? string : "?", length ? length : 1);
    }
    yk_text_add(text, "\"");
}

const char *yk_text_get(const yk_text *text)
{
    return text->data ? text->data : "";
}

void yk_text_cut(yk_text *text, size_t length)
{
    text->is_cut = false;
    if (length >= text->length)
        return;
    text->length = length;
    text->data[length] = '\0';
}

void yk_text_free(yk_text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

/* ---- Letters and numbers, whatever the locale ---- */

bool yk_same_letters(const char *a, const char *b, size_t length)
{
    for (; length > 0 && *a && yk_lower(*a) == yk_lower(*b); length--, a++, b++)
        ;
    return length == 0 || (!*a && !*b);
}

const char *yk_find_letters(const char *text, const char *part)
{
    size_t length = strlen(part);
    while (*text && !yk_same_letters(text, part, length))
        text++;
    return *text || length == 0 ? text : NULL;
}

enum { DECIMAL_SIZE = 40, MOST_DIGITS = 9 };

static const char *decimal(char text[DECIMAL_SIZE], double value, unsigned digits)
{
    uint64_t scale = 1;
    digits = digits < MOST_DIGITS ? digits : MOST_DIGITS;
    for (unsigned i = 0; i < digits; i++)
        scale *= 10;
    double units = (value < 0 ? -value : value) * (double)scale + 0.5;
    uint64_t whole = units < 9e18 ? (uint64_t)units : (uint64_t)9e18;
    int length = snprintf(text, DECIMAL_SIZE, "%s%" PRIu64, value < 0 && whole > 0 ? "-" : "", whole / scale);
    if (digits > 0)
        snprintf(text + length, (size_t)(DECIMAL_SIZE - length), ".%0*" PRIu64, (int)digits, whole % scale);
    return text;
}

void yk_text_add_decimal(yk_text *text, double value, unsigned digits)
{
    char number[DECIMAL_SIZE];
    yk_text_add(text, "%s", decimal(number, value, digits));
}

/* Read digits into the value; returns their number. */
static size_t read_digits(const char **text, double *value)
{
    const char *start = *text;
    for (; yk_is_digit(**text); (*text)++)
        *value = *value * 10 + (**text - '0');
    return (size_t)(*text - start);
}

bool yk_read_decimal(const char *text, double *out_value)
{
    double value = 0, exponent = 0;
    size_t digits = read_digits(&text, &value), behind = 0;
    if (*text == '.') {
        text++;
        behind = read_digits(&text, &value);
    }
    if (digits + behind > 0 && yk_lower(*text) == 'e') {
        bool negative = text[1] == '-';
        text += negative || text[1] == '+' ? 2 : 1;
        if (read_digits(&text, &exponent) == 0 || exponent > 300)
            return false;
        exponent = negative ? -exponent : exponent;
    }
    if (digits + behind == 0 || digits + behind > 300 || *text)
        return false;
    int power = (int)exponent - (int)behind;
    for (; power > 0; power--)
        value *= 10;
    for (; power < 0; power++)
        value /= 10;
    *out_value = value;
    return true;
}

const char *yk_bytes_text(char *target, size_t size, uint64_t bytes)
{
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    if (bytes < 1024) {
        snprintf(target, size, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
        return target;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    while (value >= 1023.95 && unit + 1 < YK_COUNT_OF(units)) { /* would print as 1024.0 */
        value /= 1024;
        unit++;
    }
    char number[DECIMAL_SIZE];
    snprintf(target, size, "%s %s", decimal(number, value, 1), units[unit]);
    return target;
}

/* ---- Near names ---- */

enum { NEAREST_LENGTH = 64 }; /* only this many characters of a name are compared */

/* Levenshtein distance, ignoring case. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[NEAREST_LENGTH + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            bool same = yk_lower(a[i - 1]) == yk_lower(b[j - 1]);
            size_t best = diagonal + (same ? 0 : 1);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b_length];
}

const char *yk_nearest(const char *word, const char *const *candidates, size_t count)
{
    if (!word || !*word)
        return NULL;
    size_t length = strnlen(word, NEAREST_LENGTH);
    size_t best = (length + 2) / 3 + 1; /* near: at most a third of the letters differ */
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!candidates[i] || !*candidates[i])
            continue;
        size_t other = strnlen(candidates[i], NEAREST_LENGTH);
        size_t distance = edit_distance(word, length, candidates[i], other);
        if (distance < best && distance < other) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}
