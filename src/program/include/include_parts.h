/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the three files of include expansion: directives (include_scan.c), headers (include_find.c), and the expansion
 * (include.c).
 */
#ifndef YK_INCLUDE_PARTS_H
#define YK_INCLUDE_PARTS_H

#include <sys/types.h>

#include "base/base.h"
#include "objects/traits.h"

/* ---- Directives (include_scan.c) ---- */

typedef enum yk_directive_kind {
    YK_DIRECTIVE_OTHER, /* of no interest here, `#include MACRO` and malformed ones among them */
    YK_DIRECTIVE_INCLUDE,
    YK_DIRECTIVE_ONCE, /* #pragma once */
    YK_DIRECTIVE_IF,   /* #if, #ifdef */
    YK_DIRECTIVE_IFNDEF,
    YK_DIRECTIVE_ELSE, /* and #elif */
    YK_DIRECTIVE_ENDIF,
    YK_DIRECTIVE_DEFINE,
    YK_DIRECTIVE_UNDEF
} yk_directive_kind;

typedef struct yk_directive {
    yk_directive_kind kind;
    size_t begin, end;        /* bytes of the text: from the # on, with the end of its last line */
    unsigned long line, next; /* where it begins, and the line behind it; from 1 */
    size_t name;              /* in yk_directives.names: what it includes, or the macro's name */
    bool quoted;              /* an #include with "", not <> */
    bool extra;               /* there is more behind what it includes, or behind the macro's name */
    bool after_code;          /* there is code between it and the directive before */
} yk_directive;

typedef struct yk_directives {
    yk_directive *list;
    size_t count, capacity;
    yk_text names;      /* each with its NUL */
    bool code_at_end;   /* behind the last directive */
    unsigned long open; /* the line where a comment or raw string begins that does not end; 0: none */
} yk_directives;

/* Whether the text may have an #include: cheap, and true too often. */
bool yk_directives_may_include(const char *text, size_t size);
/* Find a text's directives. `raw_strings`: it is C++. False: out of memory, with a record. */
bool yk_directives_find(yk_directives *directives, const char *text, size_t size, bool raw_strings);
void yk_directives_free(yk_directives *directives);

/* ---- Headers (include_find.c) ---- */

enum { YK_INCLUDE_DEPTH = 200, YK_INCLUDE_BYTES = 64 << 20 };

/* Where headers are: a folder's number, or one of these. */
enum { YK_PLACE_TEXT = -3 /* the source itself */, YK_PLACE_VIRTUAL = -2, YK_PLACE_OWN = -1 /* <yoke/types.h> */ };

/* A header, or the source's text. Each is read once. */
typedef struct yk_header {
    struct yk_header *next, *includer; /* `includer` while it is put in */
    int place;
    char *path; /* as messages have it */
    char *name; /* in its place, without "." and ".." */
    dev_t device;
    ino_t inode; /* with `device`: of the file in a folder */
    char *own;   /* the file's bytes; else NULL */
    const char *text;
    size_t size;
    yk_directives directives;
    unsigned number;    /* in the order of reading, which is also its file in the line map */
    const char *guard;  /* the macro that an include guard asks for; NULL: none */
    bool once;          /* #pragma once */
    bool all_guarded;   /* nothing is outside of the guard */
    bool open;          /* it is being put in */
    unsigned long line; /* while it is open: of the #include that it has come to */
    unsigned branch;    /* in which it was put in last; 0: not yet */
} yk_header;

typedef struct yk_headers {
    const char *function; /* the public one */
    const yoke_source *source;
    yk_language language;
    char **folders; /* include_folders without links, ended by NULL */
    yk_header *first;
    unsigned count;
} yk_headers;

/* Look at the folders. The caller calls yk_headers_free also after a failure. */
yoke_status yk_headers_init(yk_headers *headers, const char *function, const yoke_source *source, yk_language language);
/* The source's own text, whose name in messages is `path`. */
yoke_status yk_headers_add_text(yk_headers *headers, const char *path, const char *text, size_t size, yk_header **out_header);
/* What this #include of `includer` names. *out_header is NULL when there is no such header anywhere. */
yoke_status yk_headers_find(yk_headers *headers, const yk_header *includer, const yk_directive *include, yk_header **out_header);
void yk_headers_free(yk_headers *headers);

#endif
