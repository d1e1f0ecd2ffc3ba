/* SPDX-License-Identifier: Apache-2.0 */
/* One text of a source and all that it includes, so that each compiler sees the same and a cache's key covers all that was read. */
#ifndef YK_INCLUDE_H
#define YK_INCLUDE_H

#include "core.h"

/* From a line of the expanded text on, its lines are those of `file` from `line` on. */
typedef struct yk_line_span {
    unsigned long expanded, line; /* from 1 */
    unsigned file;                /* in yk_line_map.files */
} yk_line_span;

/* Where the lines of an expanded text come from: for compilers that ignore #line. Zeroed is empty. */
typedef struct yk_line_map {
    yk_line_span *spans; /* by `expanded` */
    size_t count, capacity;
    char **files;
    unsigned file_count, file_capacity;
} yk_line_map;

/* Check source->headers and source->include_folders as far as that needs no file. */
yoke_status yk_include_check(const char *function, const yoke_source *source);

/* Put in what #include names. `text`: `size` bytes of CUDA C++ or OpenCL C, of which no copy is kept; `file`: its name in messages.
 * `out_text` and `out_map` are empty, and the caller frees them with yk_text_free and yk_line_map_free, also after a failure.
 * The text has #line where another file begins, but none at its own beginning. Statuses: YOKE_E_INVALID (a header or folder is
 * malformed, or the text has a NUL byte), YOKE_E_BUILD (something is wrong with an #include), YOKE_E_OUT_OF_HOST_MEMORY. */
yoke_status yk_include_expand(const char *function, const yoke_source *source, bool is_cuda, const char *text, size_t size,
                              const char *file, yk_text *out_text, yk_line_map *out_map);

/* The file and line behind a line of the expanded text. The name lives as long as the map. False: the map is empty, or line 0. */
bool yk_line_map_find(const yk_line_map *map, unsigned long line, const char **out_file, unsigned long *out_line);

void yk_line_map_free(yk_line_map *map);

#endif
