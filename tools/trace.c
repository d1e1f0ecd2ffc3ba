/* SPDX-License-Identifier: Apache-2.0 */
/* `yoke trace`: run a program with YOKE_TRACE, then tell what it did with its time and draw it. Without --out the trace itself lies
 * in a file for temporary use, which goes. */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace/trace_array.h"

/* What shells answer for a program that is not there. */
enum { NOT_STARTED = 127 };

static double monotonic_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The exit code of a program that was run, or of one that a signal has ended, as shells have it. */
static int run(const tool_command *command, char **argv, const char *path)
{
    int state = 0;
    const char *caller = getenv("YOKE_TRACE");
    if (caller && *caller)
        tool_complain(command, "YOKE_TRACE=%s is not used here; --out %s keeps the trace there", caller, caller);
    fflush(NULL);
    trace_run how = { .began = monotonic_now() };
    pid_t child = fork();
    if (child == 0) {
        setenv("YOKE_TRACE", path, 1);
        execvp(argv[0], argv);
        tool_complain(command, "cannot start %s: %s", argv[0], strerror(errno));
        _exit(NOT_STARTED);
    }
    /* An interruption from the terminal is for the program; its trace is still wanted. */
    signal(SIGINT, SIG_IGN);
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    signal(SIGINT, SIG_DFL);
    if (child < 0) {
        tool_complain(command, "cannot fork for %s: %s", argv[0], strerror(errno));
        return NOT_STARTED;
    }
    how.ended = monotonic_now();
    how.signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    trace_add_run(command, path, &how);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

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

static bool show(const tool_command *command, const char *path, const char *title, const char *picture)
{
    trace seen;
    struct stat file;
    if (stat(path, &file) == 0 && file.st_size == 0) {
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
        fine = !picture || draw(command, &seen, title, picture);
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

/* A path for the trace, to be freed; relative ones are of this folder, wherever the program goes. NULL: complained. */
static char *trace_path(const tool_command *command, const char *out)
{
    const char *folder = getenv("TMPDIR");
    if (out && *out == '/')
        return tool_text("%s", out);
    if (out) {
        char *here = getcwd(NULL, 0), *path = tool_text("%s/%s", here ? here : ".", out);
        free(here);
        return path;
    }
    char *path = tool_text("%s/yoke-trace.XXXXXX", folder && *folder ? folder : "/tmp");
    int descriptor = mkstemp(path);
    if (descriptor >= 0) {
        close(descriptor);
        return path;
    }
    tool_complain(command, "cannot create a file for the trace, %s: %s", path, strerror(errno));
    free(path);
    return NULL;
}

static int trace_program(const tool_command *command, char **argv, const char *out, const char *picture)
{
    char *path = trace_path(command, out), *title = tool_text("%s", argv[0]);
    if (!path) {
        free(title);
        return TOOL_WRONG;
    }
    for (char **word = argv + 1; *word; word++) {
        char *longer = tool_text("%s %s", title, *word);
        free(title);
        title = longer;
    }
    if (out && truncate(path, 0) != 0 && errno != ENOENT) { /* an older trace would be taken for this run's */
        tool_complain(command, "cannot write %s: %s", path, strerror(errno));
        free(path);
        free(title);
        return TOOL_WRONG;
    }
    int code = run(command, argv, path);
    if (code != NOT_STARTED && !show(command, path, title, picture) && code == 0)
        code = TOOL_WRONG;
    if (!out)
        unlink(path);
    free(path);
    free(title);
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
    if ((out && !can_trace_to(command, out)) || (picture && !is_stdout(picture) && !can_write(command, picture)))
        return TOOL_WRONG;
    if (given)
        return show(command, given, given, picture) ? TOOL_FINE : TOOL_WRONG;
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
            "cannot be started.\n",
    .run = trace_main,
};
