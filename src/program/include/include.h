/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source's text with all its headers expanded, so that each compiler gets the same text and a cache key covers everything that
 * was read.
 */
#ifndef YK_INCLUDE_H
#define YK_INCLUDE_H

#include "backend_api.h"
#include "base/process/process.h"

/* Check source->headers and source->include_folders, as far as possible without opening files. */
yoke_status yk_include_check(const char *function, const yoke_source *source);

/* Headers that the compiler reads itself. The caller sets `folders`, and frees it all with yk_outside_free. */
typedef struct yk_outside {
    yk_text folders;     /* the compiler's own, each ended by a NUL byte */
    const char **search; /* where the compiler looks for headers: the source's folders, then its own; NULL-terminated */
    yk_text read;        /* a line for each file that it may read, with a hash of the content: for a key */
    bool used;           /* the text still includes such headers */
    bool unknown;        /* the compiler may read files that are not in `read` */
    bool failed;         /* out of memory */
    uint64_t *seen;      /* hashes of names and paths */
    size_t seen_count, bytes;
} yk_outside;

void yk_outside_free(yk_outside *outside);

/* Expand every #include. `text`: `size` bytes in `language`, not copied; `file`: its name in messages. `outside` may be NULL: a
 * header in <> that is not found is then left in CUDA texts. `out_text` and `out_map`
 * are empty, and the caller frees them with yk_text_free and yk_line_map_free, also after a failure. The expanded text has a
 * #line wherever another file begins, except at its own beginning. Statuses: YOKE_E_INVALID_ARGUMENT (a header or folder is
 * malformed, or the text has a NUL byte), YOKE_E_BUILD (an #include is wrong), YOKE_E_OUT_OF_HOST_MEMORY. */
yoke_status yk_include_expand(const char *function, const yoke_source *source, yk_language language, const char *text, size_t size,
                              const char *file, yk_outside *outside, yk_text *out_text, yk_line_map *out_map);

#endif
