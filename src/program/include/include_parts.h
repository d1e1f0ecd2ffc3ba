/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of include expansion: directives (include_scan.c), headers (include_find.c, host_headers.c), and the
 * expansion (include.c).
 */
#ifndef YK_INCLUDE_PARTS_H
#define YK_INCLUDE_PARTS_H

#include <sys/types.h>

#include "base/base.h"
#include "objects/traits.h"
#include "program/include/include.h"

/* ---- Directives (include_scan.c) ---- */

typedef enum yk_directive_kind {
    YK_DIRECTIVE_OTHER, /* irrelevant here, including malformed directives */
    YK_DIRECTIVE_INCLUDE,
    YK_DIRECTIVE_COMPUTED, /* #include MACRO */
    YK_DIRECTIVE_ONCE,     /* #pragma once */
    YK_DIRECTIVE_IF,       /* #if, #ifdef */
    YK_DIRECTIVE_IFNDEF,
    YK_DIRECTIVE_ELSE, /* and #elif */
    YK_DIRECTIVE_ENDIF,
    YK_DIRECTIVE_DEFINE,
    YK_DIRECTIVE_UNDEF,
    YK_DIRECTIVE_LINE /* #line 7 "file", which a preprocessor writes as # 7 "file" */
} yk_directive_kind;

typedef struct yk_directive {
    yk_directive_kind kind;
    size_t begin, end;        /* byte range in the text: from the # to the end of its last line */
    unsigned long line, next; /* the directive's first line, and the line after it; from 1 */
    size_t name;              /* offset in yk_directives.names: the included name, the macro's name, or #line's file, "" for none */
    unsigned long number;     /* of #line: that of the line after it */
    bool quoted;              /* #include "name", not <name> */
    bool extra;               /* more text follows the included name, or the macro's name */
    bool after_code;          /* code separates the directive from the directive before */
} yk_directive;

typedef struct yk_directives {
    yk_directive *list;
    size_t count, capacity;
    yk_text names;      /* each NUL-terminated */
    bool code_at_end;   /* code follows the last directive */
    unsigned long open; /* the line of a comment or raw string that does not end; 0: none */
} yk_directives;

/* Whether the text may contain an #include: cheap, with false positives. */
bool yk_directives_may_include(const char *text, size_t size);
/* The same for an #include or a #line. */
bool yk_directives_may_move(const char *text, size_t size);
/* Find a text's directives. `raw_strings`: the text is C++. False: out of memory, with a record. */
bool yk_directives_find(yk_directives *directives, const char *text, size_t size, bool raw_strings);
void yk_directives_free(yk_directives *directives);

/* ---- Headers (include_find.c) ---- */

enum { YK_INCLUDE_DEPTH = 200, YK_INCLUDE_BYTES = 64 << 20 };

/* A header's place: a folder's index, or one of these values. */
enum { YK_PLACE_TEXT = -3 /* the source itself */, YK_PLACE_VIRTUAL = -2, YK_PLACE_OWN = -1 /* Yoke's own */ };

/* A header, or the source's text. Each is read once. */
typedef struct yk_header {
    struct yk_header *next, *includer; /* `includer` while the header is expanded */
    int place;
    char *path; /* for messages */
    char *name; /* in its place, without "." and ".." */
    dev_t device;
    ino_t inode; /* with `device`: identifies the file in a folder */
    char *own;   /* the file's bytes; NULL for other headers */
    const char *text;
    size_t size;
    yk_directives directives;
    unsigned number;    /* in reading order */
    const char *guard;  /* the include guard's macro; NULL: none */
    bool once;          /* #pragma once */
    bool all_guarded;   /* the guard encloses the whole header */
    bool open;          /* the header is being expanded */
    unsigned long line; /* while open: the line of the current #include */
    unsigned branch;    /* the branch of its last expansion; 0: none */
} yk_header;

typedef struct yk_headers {
    const char *function; /* the public function */
    const yoke_source *source;
    yk_language language;
    yk_outside *outside; /* NULL: the compiler reads no headers itself */
    char **folders;      /* include_folders with links resolved, NULL-terminated */
    int own_folder;      /* of the file that is the source's text; -1: the text is no file */
    yk_header *first;
    unsigned count;
} yk_headers;

/* Check and open the folders. The caller calls yk_headers_free also after a failure. */
yoke_status yk_headers_init(yk_headers *headers, const char *function, const yoke_source *source, yk_language language,
                            yk_outside *outside);
/* Add the source's own text, whose name in messages is `path`. */
yoke_status yk_headers_add_text(yk_headers *headers, const char *path, const char *text, size_t size, yk_header **out_header);
/* Find the header that this #include of `includer` names. *out_header is NULL when no such header exists. */
yoke_status yk_headers_find(yk_headers *headers, const yk_header *includer, const yk_directive *include, yk_header **out_header);
void yk_headers_free(yk_headers *headers);

/* ---- Headers that the compiler reads itself (include_outside.c) ---- */

/* Sets outside->search. */
yoke_status yk_outside_init(yk_outside *outside, const yoke_source *source);
/* Whether the compiler finds this header; all that it may read of it is then in outside->read. */
yoke_status yk_outside_take(yk_outside *outside, const char *name, bool *out_found);

/* ---- Stubs of the host's headers, for CUDA texts (host_headers.c) ---- */

/* The text of the stub, or NULL. */
const char *yk_host_header(const char *name);

#endif
