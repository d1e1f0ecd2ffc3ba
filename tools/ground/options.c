/* SPDX-License-Identifier: Apache-2.0 */
/* How the subcommands read their command lines, and what is said of a word that is wrong: the nearest right one. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tools/ground/tool.h"

const char *tool_nearest(const char *word, const char *const *names, size_t count)
{
    return yk_nearest(word, names, count);
}

/* ---- Help ---- */

/* Where the text of an option begins, behind its name and two blanks; 0 in other lines. */
static size_t text_column(const char *line, size_t length)
{
    size_t at = strspn(line, " ");
    if (at == 0)
        return 0;
    while (at + 1 < length && !(line[at] == ' ' && line[at + 1] == ' '))
        at++;
    while (at < length && line[at] == ' ')
        at++;
    return at < length ? at : 0;
}

void tool_print_text(FILE *stream, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n"), column = text_column(text, length);
        char *rest = tool_text("%.*s", (int)(length - column), text + column);
        fprintf(stream, "%.*s", (int)column, text);
        if (*rest == ' ') /* an example, as it is */
            fprintf(stream, "%s\n", rest);
        else
            tool_wrap(stream, (int)column, rest);
        free(rest);
        text += length + (text[length] == '\n');
    }
}

void tool_print_help(const tool_command *command, FILE *stream)
{
    fprintf(stream, "Usage: yoke %s %s\n", command->name, command->arguments);
    tool_print_text(stream, command->help);
}

/* ---- Options ---- */

/* How many options begin like `word`, of `length` letters; an option of just this name is the only one. */
static size_t count_matches(const struct option *options, const char *word, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; options[i].name; i++) {
        if (strncmp(options[i].name, word, length) != 0)
            continue;
        if (options[i].name[length] == '\0')
            return 1;
        count++;
    }
    return count;
}

static const char *nearest_option(const struct option *options, const char *word)
{
    enum { MOST = 32 };
    const char *names[MOST];
    size_t count = 0;
    while (options[count].name && count < MOST) {
        names[count] = options[count].name;
        count++;
    }
    return tool_nearest(word, names, count);
}

/* What getopt_long has refused: `word` is the last that it has read. */
static void refuse(const tool_command *command, const char *word, const char *shorts, const struct option *options)
{
    const char *taken = optopt > 0 && optopt < 128 ? strchr(shorts, optopt) : NULL;
    if (strncmp(word, "--", 2) != 0 || taken) {
        if (taken && taken[1] == ':')
            tool_misused(command, "option '-%c' needs a value", optopt);
        else
            tool_misused(command, "unknown option '-%c'", optopt);
        return;
    }
    int length = (int)strcspn(word, "=");
    size_t matches = count_matches(options, word + 2, (size_t)length - 2);
    if (matches == 1) {
        tool_misused(command, "option '%.*s' %s", length, word, word[length] ? "takes no value" : "needs a value");
    } else if (matches > 1) {
        tool_misused(command, "option '%.*s' may mean several options", length, word);
    } else {
        char *name = tool_text("%.*s", length - 2, word + 2);
        const char *nearest = nearest_option(options, name);
        tool_misused(command, "unknown option '--%s'%s%s%s", name, nearest ? " (did you mean '--" : "", nearest ? nearest : "",
                     nearest ? "'?)" : "");
        free(name);
    }
}

int tool_option(const tool_command *command, int argc, char **argv, const char *shorts, const struct option *options)
{
    opterr = 0;
    int option = getopt_long(argc, argv, shorts, options, NULL);
    if (option == '?')
        refuse(command, argv[optind - 1], shorts, options);
    return option;
}
