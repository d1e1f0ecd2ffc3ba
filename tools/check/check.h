/* SPDX-License-Identifier: Apache-2.0 */
/* `yoke check`: the suite as it is, or with the report that a stranger sends. */
#ifndef CHECK_H
#define CHECK_H

#include "tools/ground/tool.h"

/* ---- check.c ---- */

/* Put yoke-conformance, with these arguments (argv[0] is not one), into the place of this process. Returns when that cannot be
 * done, having said why. */
void check_become(const tool_command *command, int argc, char **argv);

/* ---- report.c ---- */

/* Run the suite with these arguments, and write the report, which begins with what this machine has and ends with what `yoke bench`
 * measures. Returns the exit code. */
int check_report(const tool_command *command, const char *path, int argc, char **argv);

/* ---- private.c ---- */

/* What a report must not tell: found out once. */
typedef struct private_words {
    char *paths[8]; /* folders of the user: the longest first */
    char *names[8]; /* of the user and of the machine */
    size_t path_count, name_count;
} private_words;

void private_find(private_words *words);
void private_free(private_words *words);

/* A text without them, on one line, of at most 4,000 bytes: folders of the user are "...", of other paths only the last name is
 * left
 * (".../libpocl.so"), and a name of the user or the machine becomes "(private)". To be freed. */
char *private_cut(const private_words *words, const char *text);

#endif
