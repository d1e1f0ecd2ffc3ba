/* SPDX-License-Identifier: Apache-2.0 */
/* The origin of each line of a text whose #include directives were expanded (program/include/include.c). */
#ifndef YK_LINE_MAP_H
#define YK_LINE_MAP_H

#include "base/macros.h"

/* From line `expanded` of the expanded text on, the lines are those of `file` from `line` on. */
typedef struct yk_line_span {
    unsigned long expanded, line; /* from 1 */
    unsigned file;                /* in yk_line_map.files */
} yk_line_span;

/* Where the lines of an expanded text come from: for compilers that ignore #line. A zeroed map is empty. */
typedef struct yk_line_map {
    yk_line_span *spans; /* sorted by `expanded` */
    size_t count, capacity;
    char **files;
    unsigned file_count, file_capacity;
} yk_line_map;

void yk_line_map_free(yk_line_map *map);

#endif
