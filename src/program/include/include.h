/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source's text with all its headers expanded, so that each compiler gets the same text and a cache key covers everything that
 * was read.
 */
#ifndef YK_INCLUDE_H
#define YK_INCLUDE_H

#include "backend_api.h"
#include "base/base.h"

/* Check source->headers and source->include_folders, as far as possible without opening files. */
yoke_status yk_include_check(const char *function, const yoke_source *source);

/* Expand every #include. `text`: `size` bytes in `language`, not copied; `file`: its name in messages. `out_text` and `out_map`
 * are empty, and the caller frees them with yk_text_free and yk_line_map_free, also after a failure. The expanded text has a
 * #line wherever another file begins, except at its own beginning. Statuses: YOKE_E_INVALID_ARGUMENT (a header or folder is
 * malformed, or the text has a NUL byte), YOKE_E_BUILD (an #include is wrong), YOKE_E_OUT_OF_HOST_MEMORY. */
yoke_status yk_include_expand(const char *function, const yoke_source *source, yk_language language, const char *text, size_t size,
                              const char *file, yk_text *out_text, yk_line_map *out_map);

#endif
