/* SPDX-License-Identifier: Apache-2.0 */
/* `yoke`: what a person asks of Yoke without writing a program. Each subcommand is a file of its name, or a room of it; adding one
 * is a file and a line in `commands`. */
#include <stdlib.h>
#include <string.h>

#include "tools/ground/tool.h"

static const tool_command *const commands[] = {
    &tool_info, &tool_check, &tool_bench, &tool_cc, &tool_trace, &tool_tune, &tool_validate,
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *stream)
{
    fprintf(stream, "Usage: yoke SUBCOMMAND [ARGUMENT]...\n\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        char *line = tool_text("  %-8s  %s\n", commands[i]->name, commands[i]->summary);
        tool_print_text(stream, line);
        free(line);
    }
    tool_print_text(stream, "\n"
                            "  help SUBCOMMAND  print the help of a subcommand, as SUBCOMMAND --help does\n"
                            "  version          print the version of the library, as --version and -V do\n"
                            "\n"
                            "Exit status: 0 success, 1 a problem was found, 2 wrong usage, 3 no such device. "
                            "Environment variables: yoke-environment(7).\n");
}

static int refuse_subcommand(const char *name)
{
    const char *names[COMMANDS + 2] = { "help", "version" };
    for (size_t i = 0; i < COMMANDS; i++)
        names[i + 2] = commands[i]->name;
    const char *nearest = tool_nearest(name, names, COMMANDS + 2);
    fprintf(stderr, "yoke: unknown subcommand '%s'", name);
    if (nearest) {
        fprintf(stderr, ", did you mean '%s'?\n", nearest);
        return TOOL_USAGE;
    }
    fprintf(stderr, "; the subcommands are:");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(stderr, " %s", commands[i]->name);
    fprintf(stderr, "\n");
    return TOOL_USAGE;
}

static int refuse_option(const char *word)
{
    static const char *const names[] = { "--help", "--version" };
    const char *nearest = tool_nearest(word, names, 2);
    fprintf(stderr, "yoke: unknown option '%s'", word);
    if (nearest)
        fprintf(stderr, ", did you mean '%s'?", nearest);
    fprintf(stderr, "; options of a subcommand come after it, and 'yoke --help' lists the subcommands\n");
    return TOOL_USAGE;
}

static const tool_command *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static bool is_one_of(const char *word, const char *one, const char *other, const char *third)
{
    return strcmp(word, one) == 0 || strcmp(word, other) == 0 || strcmp(word, third) == 0;
}

/* yoke help [SUBCOMMAND] */
static int help(const char *name)
{
    const tool_command *command = name ? find(name) : NULL;
    if (command)
        tool_print_help(command, stdout);
    else if (name && name[0] != '-' && !is_one_of(name, "help", "version", "help"))
        return refuse_subcommand(name);
    else
        print_help(stdout);
    return TOOL_FINE;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return TOOL_USAGE;
    }
    if (is_one_of(argv[1], "help", "--help", "-h"))
        return help(argc > 2 ? argv[2] : NULL);
    if (is_one_of(argv[1], "version", "--version", "-V")) {
        printf("yoke %s\n", yoke_version());
        return TOOL_FINE;
    }
    const tool_command *command = find(argv[1]);
    if (!command)
        return argv[1][0] == '-' ? refuse_option(argv[1]) : refuse_subcommand(argv[1]);
    char *name = tool_text("yoke %s", command->name), all[] = "--help"; /* the name is what getopt complains by */
    argv[1] = name;
    if (argc > 2 && strcmp(argv[2], "-h") == 0)
        argv[2] = all;
    int code = command->run(command, argc - 1, argv + 1);
    free(name);
    return code;
}

int main(int argc, char **argv)
{
    tool_set_signals();
    int code = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("yoke: standard output");
        code = code == TOOL_FINE ? TOOL_WRONG : code;
    }
    if (ferror(stderr)) /* as the report of yoke trace: there is nowhere to say so */
        code = code == TOOL_FINE ? TOOL_WRONG : code;
    return code;
}
