/* SPDX-License-Identifier: Apache-2.0 */
/* `yoke`: what a person asks of Yoke without writing a program. Each subcommand is a file of its name; adding one is a file and a
 * line in `commands`. */
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static const tool_command *const commands[] = {
    &tool_info, &tool_check, &tool_bench, &tool_cc, &tool_trace,
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *stream)
{
    fprintf(stream, "Usage: yoke SUBCOMMAND [ARGUMENT]...\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "\n  help SUBCOMMAND     prints the help of a subcommand, as does SUBCOMMAND --help\n"
                    "  --version           prints the version of the library\n\n"
                    "Exit status: 0 success, 1 a problem was found, 2 wrong usage, 3 no such device. The library's environment\n"
                    "variables (YOKE_BACKEND, YOKE_DEVICE and so on) apply.\n");
}

static const tool_command *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    fprintf(stderr, "yoke: unknown subcommand '%s'; the subcommands are:", name);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(stderr, " %s", commands[i]->name);
    fprintf(stderr, "\n");
    return NULL;
}

static int help(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stdout);
        return TOOL_FINE;
    }
    const tool_command *command = find(argv[1]);
    if (!command)
        return TOOL_USAGE;
    tool_print_help(command, stdout);
    return TOOL_FINE;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return TOOL_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "--version") == 0) {
        printf("yoke %s\n", yoke_version());
        return TOOL_FINE;
    }
    if (argv[1][0] == '-') {
        fprintf(stderr, "yoke: unknown option '%s'; options come after the subcommand. Try 'yoke --help'.\n", argv[1]);
        return TOOL_USAGE;
    }
    const tool_command *command = find(argv[1]);
    if (!command)
        return TOOL_USAGE;
    char *name = tool_text("yoke %s", command->name); /* which getopt complains by */
    argv[1] = name;
    int code = command->run(command, argc - 1, argv + 1);
    free(name);
    return code;
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("yoke: standard output");
        code = code == TOOL_FINE ? TOOL_WRONG : code;
    }
    return code;
}
