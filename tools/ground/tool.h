/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the subcommands of `yoke` share. A subcommand is a tool_command in a file of its name, which stands beside yoke.c or in a
 * room of that name, and a line in the table of yoke.c. A tool is a program: it may print, and ends when memory runs out.
 */
#ifndef TOOL_H
#define TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <yoke/yoke.h>

#include "base/macros.h"

/* What the program's exit code says. */
enum { TOOL_FINE = 0, TOOL_WRONG = 1, TOOL_USAGE = 2, TOOL_NO_DEVICE = 3 };

typedef struct tool_command {
    const char *name, *arguments;                                          /* "cc", "[OPTION]... FILE.cu FILE.cl" */
    const char *summary;                                                   /* for the list of subcommands */
    const char *help;                                                      /* options and remarks, each line ended */
    int (*run)(const struct tool_command *command, int argc, char **argv); /* argv[0] is the name. Returns the exit code */
} tool_command;

extern const tool_command tool_bench, tool_cc, tool_check, tool_info, tool_trace, tool_tune, tool_validate;

/* ---- The command line ---- */

/* Print how a subcommand is used. */
void tool_print_help(const tool_command *command, FILE *stream);

/* Print lines of help, each broken where the terminal ends: a paragraph is one line, and so is an option, with two blanks before
 * its name and before its text. */
void tool_print_text(FILE *stream, const char *text);

/* getopt_long, in which '?' stands for what has been complained about: return TOOL_USAGE then. */
struct option;
int tool_option(const tool_command *command, int argc, char **argv, const char *shorts, const struct option *options);

/* The name that is nearest to a mistyped word; NULL when none is near. */
const char *tool_nearest(const char *word, const char *const *names, size_t count);

/* Complain about the command line in one line, which ends by naming --help; returns TOOL_USAGE. The text may be NULL where getopt
 * has complained already. */
int tool_misused(const tool_command *command, const char *format, ...) YOKE_PRINTF(2, 3);

/* "yoke NAME: …" to stderr. */
void tool_complain(const tool_command *command, const char *format, ...) YOKE_PRINTF(2, 3);

/* A failure of opening a device as an exit code: TOOL_USAGE for a selector that is none, else TOOL_NO_DEVICE. Prints the record. */
int tool_no_device(const tool_command *command);

/* Whether YOKE_BACKEND is a backend or not set; else complains as tool_misused does. */
bool tool_backend_exists(const tool_command *command);

/* A whole number from `least` to `most`; false when the text is none. */
bool tool_number(const char *text, long least, long most, long *out_number);

/* ---- Signals ---- */

/* Two that a caller may have ordered otherwise: SIGCHLD, which hides the ends of this process's children where it is ignored,
 * comes; and SIGXFSZ does not, so that a file that gets too large fails to be written. */
void tool_set_signals(void);
/* As the caller had them, in a child that becomes another program. */
void tool_restore_signals(void);

/* ---- Memory: never NULL ---- */

_Noreturn void tool_no_memory(void);
void *tool_alloc(size_t size);              /* zeroed */
void *tool_grow(void *memory, size_t size); /* as realloc */
char *tool_text(const char *format, ...) YOKE_PRINTF(1, 2);

/* Text that grows. Start from { 0 }; free `data`. */
typedef struct tool_string {
    char *data; /* NULL while empty */
    size_t length;
} tool_string;

void tool_add(tool_string *string, const char *format, ...) YOKE_PRINTF(2, 3);
void tool_add_bytes(tool_string *string, const char *bytes, size_t size);

/* Read a whole file, or what a pipe has, with a NUL behind it, to be freed; NULL with errno when that fails. */
char *tool_read_file(const char *path, size_t *out_size);

/* Whether two paths, NULL for none, are of one file, which need not be there yet. */
bool tool_is_same_file(const char *path, const char *other);

/* Make a folder for temporary use whose name begins with `name`, in TMPDIR or /tmp; to be freed. NULL: *out_why, to be freed, says
 * why not. */
char *tool_make_folder(const char *name, char **out_why);

/* ---- Output ---- */

/* Escape sequences, or "" where the stream is no terminal or NO_COLOR is set. */
typedef struct tool_colours {
    const char *bold, *dim, *red, *green, *yellow, *reset;
} tool_colours;

const tool_colours *tool_colours_of(FILE *stream);

/* The columns of a text: those of the terminal, else COLUMNS, else 80; never more than 100. */
int tool_width(FILE *stream);

/* Print words from column `indent` on, broken to fit tool_width; the first line begins where the cursor is. */
void tool_wrap(FILE *stream, int indent, const char *text);

/* "3.9 GiB". */
const char *tool_bytes(uint64_t bytes, char text[32]);

/* Make what a driver has said fit for a terminal and for JSON: control characters and bytes that are no UTF-8 become '?'. */
void tool_clean(char *text);

const char *tool_kind_word(int32_t kind);

/* ---- JSON: with libjansson; without it these say so and return NULL, or TOOL_WRONG ---- */

typedef struct json_t json_t;

/* Whether there is JSON; else complains. */
bool tool_has_json(const tool_command *command);

#ifdef HAVE_JANSSON
/* A string, or null for NULL and "". */
json_t *tool_json_text(const char *text);
/* Set a member of an object, and own the value. */
void tool_json_set(json_t *object, const char *name, json_t *value);
void tool_json_append(json_t *array, json_t *value);
/* Print a document to stdout, and free it. */
void tool_json_print(json_t *document);
#endif

#endif
