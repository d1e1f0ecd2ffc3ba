/* SPDX-License-Identifier: Apache-2.0 */
/* `yoke trace`: run a program with YOKE_TRACE, then tell what it did with its time and draw it. Without --out the trace itself lies
 * in a folder for temporary use, which goes. */
#include "trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/trace_array.h"

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool draw(const tool_command *command, trace *seen, const char *title, const char *path)
{
    FILE *stream = is_stdout(path) ? stdout : fopen(path, "w");
    bool fine = stream != NULL;
    if (stream) {
        trace_draw(seen, title, stream);
        fine = !ferror(stream);
        fine = (stream == stdout ? fflush(stream) : fclose(stream)) == 0 && fine;
    }
    if (!fine)
        tool_complain(command, "cannot write %s: %s", path, strerror(errno));
    return fine;
}

/* `title` is the command that was run just now; NULL: the trace is of an earlier run. */
static bool show(const tool_command *command, const char *path, const char *title, const char *picture)
{
    trace seen;
    struct stat file;
    if (stat(path, &file) == 0 ? file.st_size == 0 : title && errno == ENOENT) {
        tool_complain(command, "the trace is empty: the program opened no device with Yoke, or the disk is full");
        return false;
    }
    if (!trace_read(command, path, &seen))
        return false;
    bool fine = seen.count > 0;
    if (!fine) {
        tool_complain(command, "the trace is empty: the program opened no device, and enqueued no work");
    } else {
        trace_explain(&seen, stderr);
        fine = !picture || draw(command, &seen, title ? title : path, picture);
    }
    trace_free(&seen);
    return fine;
}

/* Whether a file can be made or written there, so that nothing is run in vain; else complains. */
static bool can_write(const tool_command *command, const char *path)
{
    char *copy = tool_text("%s", path);
    bool fine = access(path, W_OK) == 0 || (errno == ENOENT && access(dirname(copy), W_OK) == 0);
    if (!fine)
        tool_complain(command, "cannot write %s: %s", path, strerror(errno));
    free(copy);
    return fine;
}

/* Whether a new trace may replace a file: it is empty, or a trace. */
static bool may_replace(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool may = file >= 0 && yk_trace_may_replace(file);
    if (file >= 0)
        close(file);
    return may;
}

/* The library writes traces to plain files alone: no device, no pipe, nothing behind a link. An older trace is replaced, but not
 * what someone has written. */
static bool can_trace_to(const tool_command *command, const char *path)
{
    struct stat file;
    if (lstat(path, &file) != 0)
        return can_write(command, path);
    if (S_ISREG(file.st_mode)) {
        if (!can_write(command, path))
            return false;
        if (may_replace(path))
            return true;
        tool_complain(command, "--out %s: the file is there, and is no trace: it is left as it is", path);
        return false;
    }
    tool_complain(command, "--out %s: a trace can only be written to a regular file", path);
    return false;
}

/* A path for the trace, to be freed; relative ones are of this folder, wherever the program goes. Without `out` it is in a folder
 * for temporary use, where further processes that the program starts may leave theirs. NULL: complained. */
static char *trace_path(const tool_command *command, const char *out)
{
    if (out && *out == '/')
        return tool_text("%s", out);
    if (out) {
        char *here = getcwd(NULL, 0), *path = tool_text("%s/%s", here ? here : ".", out);
        free(here);
        return path;
    }
    char *why = NULL, *folder = tool_make_folder("yoke-trace", &why), *path = NULL;
    if (folder)
        path = tool_text("%s/trace.json", folder);
    else
        tool_complain(command, "%s", why);
    free(why);
    free(folder);
    return path;
}

static void remove_temporary(const char *path)
{
    char *copy = tool_text("%s", path);
    const char *folder = dirname(copy);
    DIR *list = opendir(folder);
    for (struct dirent *each; list && (each = readdir(list));)
        unlinkat(dirfd(list), each->d_name, 0); /* nothing of "." and ".." */
    if (list)
        closedir(list);
    rmdir(folder);
    free(copy);
}

/* An older trace would be taken for this run's. One that a program is writing stays: the library would write elsewhere. */
static bool empty_trace(const tool_command *command, const char *path)
{
    int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        return true;
    bool fine = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0 && ftruncate(file, 0) == 0;
    if (!fine)
        tool_complain(command, "cannot write %s: %s", path,
                      errno == EWOULDBLOCK ? "a program that is running writes its trace there" : strerror(errno));
    if (file >= 0)
        close(file);
    return fine;
}

/* The library puts its process's number in place of %p, which may be in a folder's name, too. */
static bool is_literal(const tool_command *command, const char *path)
{
    bool literal = !strstr(path, "%p");
    if (!literal)
        tool_complain(command, "cannot trace to %s: the library replaces %%p; --out or TMPDIR can name a path without it", path);
    return literal;
}

static char *command_line(char **argv)
{
    tool_string line = { 0 };
    for (char **word = argv; *word; word++)
        tool_add(&line, "%s%s", word > argv ? " " : "", *word);
    return line.data;
}

/* Ends as the program does, by its signal too. */
static int trace_program(const tool_command *command, char **argv, const char *out, const char *picture)
{
    const char *caller = getenv("YOKE_TRACE");
    int code = TOOL_WRONG;
    tool_run how = { 0 };
    tool_catch_signals();
    char *path = trace_path(command, out), *title = command_line(argv);
    if (path && caller && *caller)
        tool_complain(command, "YOKE_TRACE=%s is not used here; --out %s keeps the trace there", caller, caller);
    if (path && is_literal(command, path) && (!out || empty_trace(command, path))) {
        code = tool_run_program(command, argv, (const char *const[]){ "YOKE_TRACE", path, NULL }, &how);
        if (code >= 0)
            trace_add_run(command, path, &how);
        if (code != TOOL_NOT_STARTED && !show(command, path, title, picture) && code == 0)
            code = TOOL_WRONG;
        code = code == TOOL_NOT_STARTED ? TOOL_NO_PROGRAM : code < 0 ? TOOL_WRONG : code;
    }
    if (path && !out)
        remove_temporary(path);
    free(path);
    free(title);
    tool_end_by_signal(how.signal);
    return code;
}

static int trace_main(const tool_command *command, int argc, char **argv)
{
    enum { OUT, SVG, READ, HELP };
    static const struct option options[] = { { "out", required_argument, NULL, OUT },
                                             { "svg", required_argument, NULL, SVG },
                                             { "read", required_argument, NULL, READ },
                                             { "help", no_argument, NULL, HELP },
                                             { NULL, 0, NULL, 0 } };
    const char *out = NULL, *picture = NULL, *given = NULL;
    for (int c; (c = getopt_long(argc, argv, "+", options, NULL)) != -1;)
        switch (c) {
        case OUT:
            out = optarg;
            break;
        case SVG:
            picture = optarg;
            break;
        case READ:
            given = optarg;
            break;
        case HELP:
            tool_print_help(command, stdout);
            return TOOL_FINE;
        default:
            return tool_misused(command, NULL);
        }
    if (given && (optind < argc || out))
        return tool_misused(command, "--read reads an existing trace: it takes no command and no --out");
    if (!given && optind == argc)
        return tool_misused(command, "no command to trace");
    if (picture && !is_stdout(picture) && tool_is_same_file(picture, out ? out : given))
        return tool_misused(command, "--svg %s: the trace is in this file; the picture needs a file of its own", picture);
    if ((out && !can_trace_to(command, out)) || (picture && !is_stdout(picture) && !can_write(command, picture)))
        return TOOL_WRONG;
    if (given)
        return show(command, given, NULL, picture) ? TOOL_FINE : TOOL_WRONG;
    return trace_program(command, argv + optind, out, picture);
}

const tool_command tool_trace = {
    .name = "trace",
    .arguments = "[--out FILE] [--svg FILE] COMMAND [ARGUMENT]...\n       yoke trace --read FILE [--svg FILE]",
    .summary = "run a program, show how it spent its time, and say what slowed it down",
    .help = "Runs COMMAND with YOKE_TRACE, and reports what its streams did.\n\n"
            "  --out FILE    keep the trace: Chrome trace events, for Perfetto or chrome://tracing\n"
            "  --svg FILE    draw the trace: when each device was busy, a row for each stream, for its host functions, and for "
            "each thread that waited, and the findings; - is standard output\n"
            "  --read FILE   read an existing trace, as YOKE_TRACE=FILE writes it\n"
            "  --help        print this\n"
            "\n"
            "The report goes to stderr, after the program's own output. The exit status is the program's, or 127 if it "
            "cannot be started; signals are passed on to it, and one that ends it ends yoke trace.\n",
    .run = trace_main,
};
