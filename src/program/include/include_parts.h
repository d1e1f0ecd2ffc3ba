/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of include expansion: directives (include_scan.c), headers (include_find.c, host_headers.c), conditionals and
 * questions (include_branch.c, include_ask.c), and the expansion (include.c, include_write.c).
 */
#ifndef YK_INCLUDE_PARTS_H
#define YK_INCLUDE_PARTS_H

#include "base/process/process.h"
#include "objects/traits.h"
#include "program/include/include.h"
#include "program/include/include_macro.h"

/* ---- Directives (include_scan.c) ---- */

/* A place in a text, of which comments, strings and spliced lines are read as compilers do. */
typedef struct yk_cursor {
    const char *at, *end;
    unsigned long line;
    bool raw_strings;       /* the text is C++ */
    unsigned long open;     /* the line of a comment or raw string that does not end; 0: none */
    unsigned long trigraph; /* a line that ends in ??/, which is a backslash to some compilers; 0: none */
} yk_cursor;

/* The next character of the logical line, or -1 at the end of the text. */
int yk_cursor_peek(yk_cursor *cursor);
/* Skip blanks and comments of this logical line; returns the next character. */
int yk_cursor_blanks(yk_cursor *cursor);
/* A character of names and numbers; bytes above 127 belong to UTF-8 letters. */
bool yk_cursor_is_word(int ch);

typedef enum yk_directive_kind {
    YK_DIRECTIVE_OTHER, /* irrelevant here, including malformed directives */
    YK_DIRECTIVE_INCLUDE,
    YK_DIRECTIVE_COMPUTED, /* #include MACRO */
    YK_DIRECTIVE_REFUSED,  /* may open files, or be a directive, for some compilers: #import, #embed, ??= */
    YK_DIRECTIVE_PRAGMA,   /* only while it is read */
    YK_DIRECTIVE_ONCE,     /* #pragma once */
    YK_DIRECTIVE_DEFINE,
    YK_DIRECTIVE_UNDEF,
    YK_DIRECTIVE_LINE, /* #line 7 "file", which a preprocessor writes as # 7 "file" */
    /* Conditionals: those that open one, then those that go on, then the end. */
    YK_DIRECTIVE_IF,
    YK_DIRECTIVE_IFDEF,
    YK_DIRECTIVE_IFNDEF,
    YK_DIRECTIVE_ELIF,
    YK_DIRECTIVE_ELIFDEF, /* and #elifndef: older compilers do not have them */
    YK_DIRECTIVE_ELSE,
    YK_DIRECTIVE_ENDIF
} yk_directive_kind;

static inline bool yk_directive_opens(yk_directive_kind kind)
{
    return kind >= YK_DIRECTIVE_IF && kind <= YK_DIRECTIVE_IFNDEF;
}

static inline bool yk_directive_goes_on(yk_directive_kind kind)
{
    return kind >= YK_DIRECTIVE_ELIF && kind <= YK_DIRECTIVE_ELSE;
}

typedef struct yk_directive {
    yk_directive_kind kind;
    size_t begin, end;        /* byte range in the text: from the # to the end of its last line */
    size_t operand;           /* where what follows the directive's word begins */
    unsigned long line, next; /* the directive's first line, and the line after it; from 1 */
    size_t name;              /* offset in yk_directives.names: the included name, the macro's name, or #line's file, "" for none */
    unsigned long number;     /* of #line: that of the line after it */
    bool quoted;              /* #include "name", not <name> */
    bool after;               /* #include_next: search behind the includer's folder */
    bool extra;               /* more text follows the included name, or the macro's name */
    bool after_code;          /* code separates the directive from the directive before */
} yk_directive;

typedef struct yk_directives {
    yk_directive *list;
    size_t count, capacity;
    yk_text names;          /* each NUL-terminated */
    bool code_at_end;       /* code follows the last directive */
    unsigned long open;     /* as in yk_cursor */
    unsigned long trigraph; /* likewise */
} yk_directives;

/* Whether the text may contain an #include, or ask for a header: cheap, with false positives. */
bool yk_directives_may_include(const char *text, size_t size);
/* Find a text's directives. `raw_strings`: the text is C++. False: out of memory, with a record. */
bool yk_directives_find(yk_directives *directives, const char *text, size_t size, bool raw_strings);
void yk_directives_free(yk_directives *directives);

/* ---- Headers (include_find.c) ---- */

enum { YK_INCLUDE_DEPTH = 200, YK_INCLUDE_BYTES = 64 << 20 };

/* A header's place: a folder's index, or one of these values. */
enum { YK_PLACE_TEXT = -3 /* the source itself */, YK_PLACE_VIRTUAL = -2, YK_PLACE_OWN = -1 /* Yoke's own */ };

/* A header, or the source's text. Each is read once. */
typedef struct yk_header {
    struct yk_header *next;
    const struct yk_header *includer; /* while the header is expanded */
    int place;
    char *path; /* for messages */
    char *name; /* in its place, without "." and ".." */
    uint64_t disk, file; /* identifies the file in a folder */
    char *own;   /* the file's bytes; NULL for other headers */
    const char *text;
    size_t size;
    yk_directives directives;
    unsigned number;    /* in reading order */
    const char *guard;  /* the include guard's macro; NULL: none */
    bool all_guarded;   /* the guard encloses the whole header */
    bool once;          /* #pragma once, which no condition encloses */
    bool perhaps_once;  /* one that a condition may skip */
    bool expanded;      /* once or more */
    bool pops;          /* it has pop_macro, in a #pragma or elsewhere: no macro is known any more */
    unsigned open;      /* how often the header is being expanded: it may include itself */
    unsigned long line; /* while open: the line of the current #include */
    unsigned branch;    /* the branch of its last expansion; 0: none */
} yk_header;

typedef struct yk_headers {
    const char *function; /* the public function */
    const yoke_source *source;
    yk_language language;
    yk_outside *outside; /* NULL: the compiler reads no headers itself */
    char **folders;      /* include_folders with links resolved, then what defines offer; NULL-terminated */
    int own_folder;      /* of the file that is the source's text; -1: the text is no file */
    int offered;         /* folders[offered] and those behind it are values of defines, for absolute names only */
    yk_header *first;
    unsigned count;
} yk_headers;

/* A header without a text (include_header.c). NULL: out of memory, with a record. */
yk_header *yk_header_new(int place, const char *path, const char *name);
/* Parse the header's text, and add the header to the list, or free it. */
yoke_status yk_header_add(yk_headers *headers, yk_header *header);
/* A new header with these bytes, which outlive it. */
yoke_status yk_header_add_lasting(yk_headers *headers, int place, const char *path, const char *name, const char *text, size_t size,
                                  yk_header **out_header);
void yk_header_free(yk_header *header);

/* Check and open the folders. The caller calls yk_headers_free also after a failure. */
yoke_status yk_headers_init(yk_headers *headers, const char *function, const yoke_source *source, yk_language language,
                            yk_outside *outside);
/* Add the source's own text, whose name in messages is `path`. */
yoke_status yk_headers_add_text(yk_headers *headers, const char *path, const char *text, size_t size, yk_header **out_header);
/* What an #include or a __has_include names. */
typedef struct yk_wanted {
    const char *name;
    unsigned long line;        /* the directive's, in the includer */
    bool quoted, after, extra; /* as in yk_directive */
} yk_wanted;

/* Find the header that a directive of `includer` names. *out_header is NULL when no such header exists. */
yoke_status yk_headers_find(yk_headers *headers, const yk_header *includer, const yk_wanted *wanted, yk_header **out_header);
void yk_headers_free(yk_headers *headers);

/* ---- Headers that the compiler reads itself (include_outside.c) ---- */

/* Sets outside->search. */
yoke_status yk_outside_init(yk_outside *outside, const yoke_source *source);
/* Whether the compiler finds this header; all that it may read of it is then in outside->read. */
yoke_status yk_outside_take(yk_outside *outside, const char *name, bool *out_found);

/* ---- Writing (include_write.c) ---- */

typedef struct yk_writer {
    const char *function; /* the public function */
    yk_text *out;
    yk_line_map *map;
    unsigned long line; /* number of the next line of `out` */
} yk_writer;

/* `lines`: the number of line ends in the bytes. */
yoke_status yk_write(yk_writer *writer, const char *bytes, size_t length, unsigned long lines);
/* A text, which is freed; its line ends are counted. */
yoke_status yk_write_text(yk_writer *writer, yk_text *text);
/* This many line ends in place of omitted text. */
yoke_status yk_write_blank(yk_writer *writer, unsigned long lines);
/* A #line: the text that follows is this line of the file. */
yoke_status yk_write_position(yk_writer *writer, const char *path, unsigned long line);
/* The next line of `out` is this line of the file. */
yoke_status yk_write_map(yk_writer *writer, const char *path, unsigned long line);
/* Add what may be inside the quotes of a #line or #error, where no character may be special. */
void yk_add_quoted(yk_text *text, const char *bytes, size_t length);

/* ---- The expansion ---- */

/* An open conditional, or the whole text. A branch that is certainly taken where the one around it is has that one's numbers. */
typedef struct yk_conditional {
    unsigned branch; /* for headers: which have certainly been seen */
    unsigned events; /* for macros */
    bool dead;       /* the compiler skips this branch */
    bool taken;      /* it takes this branch or one before it, and skips those behind */
    bool unsure;     /* it may have taken one before this branch */
} yk_conditional;

typedef struct yk_expansion {
    yk_headers headers;
    yk_writer writer;
    yk_macros macros;
    yk_conditional *conditionals; /* outermost first; conditionals[0] is the whole text */
    size_t depth, capacity;
} yk_expansion;

/* Conditionals (include_branch.c). */
const yk_conditional *yk_expansion_here(const yk_expansion *x);
yoke_status yk_expansion_begin(yk_expansion *x);
/* The branch has ended, and the compiler may not have taken it: to be called before the condition of an #elif is asked for. */
void yk_expansion_leave(yk_expansion *x);
/* Pass #if, #elif, #else or #endif; `truth`: of its condition. */
yoke_status yk_expansion_pass(yk_expansion *x, yk_directive_kind kind, yk_truth truth);
/* The text up to the next #endif may be skipped, as having been seen already. */
yoke_status yk_expansion_pass_again(yk_expansion *x);
/* Whether no condition that is unknown decides that the compiler gets here. */
bool yk_expansion_is_sure(const yk_expansion *x);
/* Pass #define and #undef, whose name and definition begin at `text`. */
yoke_status yk_expansion_define(yk_expansion *x, const char *text, size_t size, bool defines);
/* Pass the defines of the source. */
yoke_status yk_expansion_predefine(yk_expansion *x);

/* Questions (include_ask.c). A fault that is not empty says why there is no answer. */

/* The condition of #if and #elif, and those of #ifdef and the like. `out_made`: the directive's text where it has to be another,
 * with its line end; empty where it stays. */
yoke_status yk_expansion_ask(yk_expansion *x, const yk_header *header, const yk_directive *directive, yk_truth *out_truth,
                             yk_text *out_made);
/* The name in #include MACRO. `out_name` is what out_wanted->name is in. */
yoke_status yk_expansion_name(yk_expansion *x, const yk_header *header, const yk_directive *directive, yk_wanted *out_wanted,
                              yk_text *out_name, yk_text *out_fault);

/* ---- Stubs of the host's headers, for CUDA texts (host_headers.c) ---- */

/* The text of the stub, or NULL. */
const char *yk_host_header(const char *name);

#endif
