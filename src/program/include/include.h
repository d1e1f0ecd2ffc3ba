/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text of a source with all headers that it includes, so that each compiler gets the same text and a cache key covers everything
 * that was read.
 */
#ifndef YK_INCLUDE_H
#define YK_INCLUDE_H

#include "backend_api.h"
#include "base/base.h"

/* Check source->headers and source->include_folders as far as that needs no file. */
yoke_status yk_include_check(const char *function, const yoke_source *source);

/* Put in what #include names. `text`: `size` bytes in `language`, of which no copy is kept; `file`: its name in messages.
 * `out_text` and `out_map` are empty, and the caller frees them with yk_text_free and yk_line_map_free, also after a failure.
 * The text has #line where another file begins, but none at its own beginning. Statuses: YOKE_E_INVALID_ARGUMENT (a header or
 * folder is malformed, or the text has a NUL byte), YOKE_E_BUILD (something is wrong with an #include), YOKE_E_OUT_OF_HOST_MEMORY.
 */
yoke_status yk_include_expand(const char *function, const yoke_source *source, yk_language language, const char *text, size_t size,
                              const char *file, yk_text *out_text, yk_line_map *out_map);

#endif
