/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `yoke validate`: run a program with YOKE_VALIDATE, and make what the library reports the exit status, for continuous integration.
 * The reports themselves are the library's; they come while the program runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/ground/run.h"

/* The file of the reports, to be freed: `given`, or one in a new folder, which *out_folder then is. NULL: complained. */
static char *json_path(const tool_command *command, const char *given, char **out_folder)
{
    char *why = NULL;
    if (given && *given != '/') { /* of this folder, wherever the program goes */
        char *here = getcwd(NULL, 0), *path = tool_text("%s/%s", here ? here : ".", given);
        free(here);
        return path;
    }
    if (given)
        return tool_text("%s", given);
    *out_folder = tool_make_folder("yoke-validate", &why);
    if (!*out_folder)
        tool_complain(command, "%s", why);
    free(why);
    return *out_folder ? tool_text("%s/reports.json", *out_folder) : NULL;
}

/* The library makes the file when the program opens a device, and appends to it, as do further processes that the program starts:
 * so there is none yet, and one can be made. */
static bool is_free(const tool_command *command, const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        tool_complain(command, "--json %s: %s", path,
                      errno == EEXIST ? "the file is there, and is left as it is" : strerror(errno));
        return false;
    }
    close(file);
    unlink(path);
    return true;
}

/* Each report is a line; one that could not be written has no end. -1: complained. */
static long count_reports(const tool_command *command, const char *path)
{
    long count = 0;
    size_t size = 0;
    char *text = tool_read_file(path, &size);
    if (!text) {
        if (errno == ENOENT)
            tool_complain(command, "the program has opened no device of Yoke's: nothing was checked");
        else
            tool_complain(command, "cannot read %s: %s", path, strerror(errno));
        return -1;
    }
    bool whole = size == 0 || text[size - 1] == '\n';
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    free(text);
    if (!whole)
        tool_complain(command, "%s does not hold all reports: the rest are above only", path);
    return whole ? count : -1;
}

/* The exit code for what the program has returned: its own failure first. */
static int judge(const tool_command *command, const char *path, int code)
{
    long count = count_reports(command, path);
    if (count == 0)
        fprintf(stderr, "yoke validate: nothing was found\n");
    else if (count > 0)
        fprintf(stderr, "yoke validate: %ld report%s, above\n", count, count == 1 ? "" : "s");
    return code == 0 && count != 0 ? TOOL_WRONG : code;
}

static int validate(const tool_command *command, char **argv, const char *checks, const char *given)
{
    char *folder = NULL, *path = json_path(command, given, &folder);
    int code = TOOL_WRONG;
    tool_run how = { 0 };
    tool_catch_signals();
    if (path && is_free(command, path)) {
        code = tool_run_program(command, argv, (const char *const[]){ "YOKE_VALIDATE", checks, "YOKE_VALIDATE_JSON", path, NULL },
                                &how);
        if (code >= 0)
            code = judge(command, path, code);
        code = code == TOOL_NOT_STARTED ? TOOL_NO_PROGRAM : code < 0 ? TOOL_WRONG : code;
    }
    if (folder && path)
        unlink(path);
    if (folder)
        rmdir(folder);
    free(path);
    free(folder);
    tool_end_by_signal(how.signal);
    return code;
}

static int validate_main(const tool_command *command, int argc, char **argv)
{
    enum { CHECKS, JSON, HELP };
    static const struct option options[] = { { "checks", required_argument, NULL, CHECKS },
                                             { "json", required_argument, NULL, JSON },
                                             { "help", no_argument, NULL, HELP },
                                             { NULL, 0, NULL, 0 } };
    const char *checks = "all", *json = NULL;
    for (int c; (c = getopt_long(argc, argv, "+", options, NULL)) != -1;)
        switch (c) {
        case CHECKS:
            checks = optarg;
            break;
        case JSON:
            json = optarg;
            break;
        case HELP:
            tool_print_help(command, stdout);
            return TOOL_FINE;
        default:
            return tool_misused(command, NULL);
        }
    if (optind == argc)
        return tool_misused(command, "no command to validate");
    if (!*checks)
        return tool_misused(command, "--checks: no check is named");
    return validate(command, argv + optind, checks, json);
}

const tool_command tool_validate = {
    .name = "validate",
    .arguments = "[--checks LIST] [--json FILE] COMMAND [ARGUMENT]...",
    .summary = "run a program, and report races between its streams, unwritten memory and leaks",
    .help = "Runs COMMAND with YOKE_VALIDATE.\n\n"
            "  --checks LIST  races, host, leaks and uninit, with commas between them, instead of all\n"
            "  --json FILE    write the reports to FILE, one JSON object a line\n"
            "  --help         print this\n"
            "\n"
            "The reports go to stderr while the program runs. The exit status is the program's, or 1 if the program succeeded and "
            "something was reported, or 127 if it cannot be started; signals are passed on to it, and one that ends it ends "
            "yoke validate.\n",
    .run = validate_main,
};
