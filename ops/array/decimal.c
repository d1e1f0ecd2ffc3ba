/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point numbers as text, with a point whatever the program's locale has. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

bool yops_read_number(const char *text, size_t length, double *out_wide, float *out_narrow)
{
    const char *point = localeconv()->decimal_point, *dot = memchr(text, '.', length);
    size_t point_length = strlen(point), used = 0;
    char local[128], *heap = NULL, *copy = local, *end;
    if (length + point_length + 1 > sizeof local) {
        copy = heap = malloc(length + point_length + 1);
        if (!copy)
            return false;
    }
    size_t before = dot ? (size_t)(dot - text) : length;
    memcpy(copy, text, before);
    used = before;
    if (dot) {
        memcpy(copy + used, point, point_length);
        used += point_length;
        memcpy(copy + used, dot + 1, length - before - 1);
        used += length - before - 1;
    }
    copy[used] = '\0';
    *out_wide = strtod(copy, &end);
    bool whole = used > 0 && *end == '\0';
    *out_narrow = strtof(copy, &end);
    free(heap);
    return whole;
}

yops_number_text yops_write_number(double value)
{
    yops_number_text t;
    snprintf(t.text, sizeof t.text, "%.17g", value);
    const char *point = localeconv()->decimal_point;
    char *at = *point ? strstr(t.text, point) : NULL;
    if (at) {
        *at = '.';
        memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
    }
    return t;
}
