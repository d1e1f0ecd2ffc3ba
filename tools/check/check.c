/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `yoke check`: the conformance suite on the user's own devices. The suite is a program of its own, yoke-conformance, which this
 * one becomes: options, output and exit code are its. With --report it runs as a child, and its results go into a report.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define PROGRAM "yoke-conformance"
#define USUAL_REPORT "yoke-report.txt"

/* The folder of this program; false when the system does not tell. */
static bool own_folder(char folder[PATH_MAX])
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    snprintf(folder, PATH_MAX, "%s", dirname(path));
    return true;
}

/* Put what is to be run, and its arguments, into the place of this process. Returns when there is no such program. */
static void become(const char *folder, const char *name, const char *programs, int argc, char **argv)
{
    char *path = tool_text("%s/%s", folder, name), **arguments = tool_alloc(((size_t)argc + 3) * sizeof *arguments);
    size_t count = 0;
    arguments[count++] = path;
    if (programs) {
        arguments[count++] = "--programs";
        arguments[count++] = (char *)programs;
    }
    for (int i = 1; i < argc; i++)
        arguments[count++] = argv[i];
    fflush(NULL);
    tool_restore_signals();
    execv(path, arguments);
    free(arguments);
    free(path);
}

void check_become(const tool_command *command, int argc, char **argv)
{
    char folder[PATH_MAX] = "";
    if (own_folder(folder)) {
        /* libtool keeps programs that are not installed in .libs, and a script that runs them beside that. */
        size_t length = strlen(folder);
        if (length > 6 && strcmp(folder + length - 6, "/.libs") == 0) {
            char *build = tool_text("%.*s", (int)(length - 6), folder), *programs = tool_text("%s/../tests/conformance", build);
            become(build, PROGRAM, programs, argc, argv);
            free(programs);
            free(build);
        } else {
            become(folder, PROGRAM, NULL, argc, argv);
        }
    }
    tool_complain(
        command, "cannot run %s/" PROGRAM ": %s; it is installed beside this program, by 'make install' or by a package of its own",
        folder, strerror(errno));
}

/* ---- The command line ---- */

/* Whether it is this option, or as much of its name as no other option begins with. */
static bool is_option(const char *argument, const char *name, size_t least)
{
    size_t length = strcspn(argument, "=");
    return length >= least && strncmp(argument, name, length) == 0;
}

/* Whether the suite is not run, or its own report is wanted. */
static bool is_suites_own(int argc, char **argv)
{
    static const struct {
        const char *name;
        size_t least;
    } options[] = { { "--format", 4 }, { "--list", 3 }, { "--help", 3 }, { "--version", 6 }, { "-h", 2 }, { "-V", 2 } };
    for (int i = 1; i < argc; i++)
        for (size_t k = 0; k < YK_COUNT_OF(options); k++)
            if (is_option(argv[i], options[k].name, options[k].least))
                return true;
    return false;
}

/* Take --report out of the arguments. Returns its file, NULL where there is no such option. */
static const char *take_report(int *argc, char **argv)
{
    const char *path = NULL;
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        const char *value = strchr(argv[i], '=');
        if (!is_option(argv[i], "--report", 3)) {
            argv[kept++] = argv[i];
            continue;
        }
        bool behind = !value && i + 1 < *argc && argv[i + 1][0] != '-';
        path = value ? value + 1 : behind ? argv[i + 1] : USUAL_REPORT;
        i += behind;
    }
    *argc = kept;
    return path;
}

static int run(const tool_command *command, int argc, char **argv)
{
    const char *path = is_suites_own(argc, argv) ? NULL : take_report(&argc, argv);
    if (argc > 1 && strcmp(argv[1], "--help") == 0)
        tool_print_help(command, stdout);
    if (path)
        return check_report(command, path, argc, argv);
    check_become(command, argc, argv);
    return argc > 1 && strcmp(argv[1], "--help") == 0 ? TOOL_FINE : TOOL_WRONG;
}

const tool_command tool_check = {
    .name = "check",
    .arguments = "[OPTION]...",
    .summary = "run the conformance suite on the devices of this machine",
    .help = "Runs the conformance suite on every device, or on the named devices, and prints a table of the results.\n\n"
            "  --device SELECTOR  run on this device, such as opencl:0; may be repeated\n"
            "  --report [FILE]    also write a report to send: what 'yoke info' knows, the results, and a few figures of 'yoke "
            "bench' (default: " USUAL_REPORT ")\n"
            "  --format FORMAT    write the suite's own report to FILE instead: text, tap, junit or lines\n"
            "  -h, --help         print this, and the other options of " PROGRAM ", which does the work\n",
    .run = run,
};
