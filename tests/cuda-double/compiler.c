/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running the host's C++ compiler: once as a preprocessor, and once over what source.c makes of that. Its files are in a folder of
 * their own, which is removed again. What it says is put into the form of NVRTC: "name(line): error: ...".
 */
#include "module.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OWN_ARGUMENTS = 40 };

/* A process's files: descriptors of memory. */
typedef struct streams {
    int in, out, errors;
} streams;

const char *double_compiler(void)
{
    const char *path = getenv("YOKE_CUDA_DOUBLE_CXX");
    return path ? path : DOUBLE_CXX;
}

static void read_file(int fd, double_text *out)
{
    char chunk[65536];
    ssize_t length;
    off_t at = 0;
    while ((length = pread(fd, chunk, sizeof chunk, at)) > 0) {
        double_text_add_bytes(out, chunk, (size_t)length);
        at += length;
    }
}

static bool write_file(int fd, const char *bytes, size_t length)
{
    size_t done = 0;
    while (done < length) {
        ssize_t written = pwrite(fd, bytes + done, length - done, (off_t)done);
        if (written <= 0)
            return false;
        done += (size_t)written;
    }
    return true;
}

static bool open_streams(streams *s, const double_text *input)
{
    s->in = memfd_create("double-in", MFD_CLOEXEC);
    s->out = memfd_create("double-out", MFD_CLOEXEC);
    s->errors = memfd_create("double-errors", MFD_CLOEXEC);
    return s->in >= 0 && s->out >= 0 && s->errors >= 0 && write_file(s->in, double_text_get(input), input->length);
}

static void close_streams(streams *s)
{
    close(s->in);
    close(s->out);
    close(s->errors);
}

/* The result of a program that has a handler reap its children is not known: then what it has written tells. */
static bool run(char *const *arguments, const streams *s)
{
    static char *environment[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", NULL };
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    int error = posix_spawn_file_actions_adddup2(&actions, s->in, 0);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, s->out, 1);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, s->errors, 2);
    error = error ? error : posix_spawn(&child, arguments[0], &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (error) {
        dprintf(s->errors, "%s: error: cannot be run: %s\n", arguments[0], strerror(error));
        return false;
    }
    pid_t waited;
    while ((waited = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    return waited < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- What the compiler says ---- */

/* "name:12:5: error: words": where the number is, and where the words are, which begin with "error" or "warning". */
static bool find_position(const char *line, const char *end, const char **out_number, const char **out_words)
{
    static const char *const kinds[] = { "error: ", "fatal error: ", "warning: " };
    for (const char *at = line; at < end; at++) {
        int number, column, used = 0;
        if (*at != ':' || sscanf(at, ":%d:%d: %n", &number, &column, &used) < 2 || used == 0)
            continue;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strncmp(at + used, kinds[i], strlen(kinds[i])) == 0) {
                *out_number = at + 1;
                *out_words = at + used + (kinds[i][0] == 'f' ? strlen("fatal ") : 0);
                return true;
            }
    }
    return false;
}

/* What the linker misses, once each, as the assembler of NVRTC says it. */
static void add_unresolved(const char *line, const char *end, double_text *log)
{
    static const char mark[] = "undefined reference to `";
    const char *name = strstr(line, mark);
    double_text words = { 0 };
    if (!name || name > end)
        return;
    name += strlen(mark);
    double_text_add(&words, "ptxas fatal   : Unresolved extern function '%.*s'\n", (int)strcspn(name, "'\n"), name);
    if (!strstr(double_text_get(log), words.data))
        double_text_add_bytes(log, words.data, words.length);
    double_text_free(&words);
}

static void translate_log(const char *text, const char *name, double_text *log)
{
    unsigned errors = 0;
    bool compiled = strstr(text, "undefined reference to `"); /* and what is an error is the linker's */
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        const char *number, *words;
        if (find_position(line, line + length, &number, &words)) {
            errors += strncmp(words, "warning", 7) != 0;
            double_text_add(log, "%.*s(%d): %.*s\n\n", (int)(number - 1 - line), line, atoi(number), (int)(line + length - words),
                            words);
        } else if (compiled) {
            add_unresolved(line, line + length, log);
        } else if (strstr(line, "error: ") && strstr(line, "error: ") < line + length) {
            errors++;
            double_text_add(log, "%.*s\n", (int)length, line);
        }
        line += length + (line[length] == '\n');
    }
    if (errors)
        double_text_add(log, "%u error%s detected in the compilation of \"%s\".\n", errors, errors > 1 ? "s" : "", name);
}

/* ---- The two runs ---- */

/* One run; what it writes to its standard output is appended to `out`. */
static bool compile(char *const *arguments, const double_text *input, const char *name, double_text *out, double_text *log)
{
    streams s;
    double_text errors = { 0 };
    bool ok = open_streams(&s, input) && run(arguments, &s);
    read_file(s.out, out);
    read_file(s.errors, &errors);
    translate_log(double_text_get(&errors), name, log);
    if (!ok && log->length == 0)
        double_text_add(log, "%s: error: %s\n", arguments[0], errors.length ? errors.data : "it ended without a word");
    double_text_free(&errors);
    close_streams(&s);
    return ok;
}

static bool preprocess(const double_request *request, double_text *out, double_text *log)
{
    char standard[32], architecture[48];
    char *arguments[OWN_ARGUMENTS + request->flag_count];
    size_t count = 0;
    double_text input = { 0 };

    snprintf(standard, sizeof standard, "-std=%s", request->standard);
    snprintf(architecture, sizeof architecture, "-D__CUDA_ARCH__=%d0", request->architecture);
    char *own[] = { (char *)double_compiler(), "-x", "c++", "-E", standard, architecture, "-nostdinc", "-include", DOUBLE_PRELUDE };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        arguments[count++] = own[i];
    for (size_t i = 0; i < request->flag_count; i++)
        arguments[count++] = request->flags[i];
    arguments[count++] = "-";
    arguments[count] = NULL;
    double_text_add(&input, "#line 1 \"");
    for (const char *c = request->name; *c; c++)
        double_text_add(&input, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    double_text_add(&input, "\"\n%s\n", request->text);
    bool ok = compile(arguments, &input, request->name, out, log);
    double_text_free(&input);
    return ok;
}

/* Products and sums are contracted as NVRTC was asked to; fmaf is one instruction where the machine has it. */
static bool translate(const double_request *request, const double_text *input, const char *object, double_text *log)
{
    char standard[32];
    char *arguments[OWN_ARGUMENTS] = { (char *)double_compiler(),
                                       "-x",
                                       "c++-cpp-output",
                                       standard,
                                       "-O1",
                                       "-w",
                                       "-pipe",
                                       "-fPIC",
                                       "-shared",
                                       "-nostdlib",
                                       request->fuses ? "-ffp-contract=fast" : "-ffp-contract=off",
                                       "-fno-math-errno",
                                       "-fno-builtin-printf",
                                       "-fno-builtin-vprintf",
                                       "-fno-strict-aliasing",
                                       "-fwrapv",
                                       "-fno-exceptions",
                                       "-fno-rtti",
                                       "-Wl,-Bsymbolic",
                                       "-Wl,--as-needed",
                                       "-Wl,-z,defs",
                                       "-Wl,--no-demangle",
                                       "-o",
                                       (char *)object,
                                       "-",
                                       "-lm",
                                       "-lc",
                                       "-lgcc" };
    size_t count = 0;
    double_text none = { 0 };

    snprintf(standard, sizeof standard, "-std=%s", request->standard);
    while (arguments[count])
        count++;
    if (!strstr(double_compiler(), "clang"))
        arguments[count++] = "-fno-gnu-unique"; /* which would keep the object loaded for ever */
#if defined(__x86_64__)
    if (__builtin_cpu_supports("fma"))
        arguments[count++] = "-mfma";
#endif
    if (request->fuses)
        arguments[count++] = "-fexpensive-optimizations"; /* with -O1, GCC contracts nothing without it */
    bool ok = compile(arguments, input, request->name, &none, log);
    double_text_free(&none);
    return ok;
}

bool double_compile(const double_request *request, double_text *object, double_text *log)
{
    char folder[] = "/tmp/yoke-cuda-double.XXXXXX", path[sizeof folder + 16];
    double_text preprocessed = { 0 }, rewritten = { 0 };
    bool ok = preprocess(request, &preprocessed, log);

    if (ok && mkdtemp(folder)) {
        snprintf(path, sizeof path, "%s/object.so", folder);
        double_source_rewrite(double_text_get(&preprocessed), preprocessed.length, request, &rewritten);
        ok = translate(request, &rewritten, path, log);
        int fd = ok ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        if (fd >= 0) {
            read_file(fd, object);
            close(fd);
        }
        ok = object->length > 0;
        unlink(path);
        rmdir(folder);
    } else if (ok) {
        double_text_add(log, "%s: error: %s\n", folder, strerror(errno));
        ok = false;
    }
    double_text_free(&rewritten);
    double_text_free(&preprocessed);
    return ok;
}
