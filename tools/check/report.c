/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one file that a stranger sends: lines "KEY: VALUE" of what this machine has, what the suite found, and what things cost. Each
 * part writes its lines itself; here is their order, and every value goes through private_cut. What is known is written at once, so
 * that a machine that a driver brings down leaves it.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "tools/bench/bench.h"
#include "tools/info/info.h"

enum { DRIVER_SECONDS = 10, MOST_DEVICES = 8 };

typedef struct report {
    const tool_command *command;
    private_words words;
    FILE *out;
    char *devices[MOST_DEVICES]; /* selectors of those that the suite ran on */
    size_t device_count;
} report;

/* ---- Lines ---- */

static void write_line(report *self, const char *key, const char *value)
{
    char *cut = private_cut(&self->words, value);
    fprintf(self->out, "%s: %s\n", key, cut);
    free(cut);
}

/* Lines of a part, "KEY: VALUE" each. */
static void write_lines(report *self, char *text)
{
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        char *value = strstr(line, ": ");
        if (!value)
            continue;
        *value = '\0';
        write_line(self, line, value + 2);
    }
    fflush(self->out);
}

/* ---- Where it was made ---- */

/* The folders of a variable's paths, which may have blanks. */
static char *without_folders(const char *value)
{
    tool_string out = { 0 };
    tool_add(&out, "%s", "");
    while (*value) {
        size_t length = strcspn(value, ":"), name = length;
        while (name > 0 && value[name - 1] != '/')
            name--;
        tool_add(&out, "%s%.*s%s", name ? ".../" : "", (int)(length - name), value + name, value[length] ? ":" : "");
        value += length + (value[length] == ':');
    }
    return out.data;
}

static bool is_told(const char *variable, size_t length)
{
    static const char *const prefixes[] = { "YOKE_", "OCL_", "CUDA_VISIBLE_DEVICES=" };
    if (strspn(variable, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != length)
        return false;
    for (size_t i = 0; i < YK_COUNT_OF(prefixes); i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static void write_environment(report *self)
{
    for (char **variable = environ; *variable; variable++) {
        size_t length = strcspn(*variable, "=");
        if (!(*variable)[length] || !is_told(*variable, length))
            continue;
        char *key = tool_text("env.%.*s", (int)length, *variable), *value = without_folders(*variable + length + 1);
        write_line(self, key, value);
        free(value);
        free(key);
    }
}

/* The distribution's name for itself. */
static void write_distribution(report *self)
{
    char *text = tool_read_file("/etc/os-release", NULL), *name = text ? strstr(text, "PRETTY_NAME=") : NULL;
    if (name) {
        name += strlen("PRETTY_NAME=");
        name += *name == '"';
        name[strcspn(name, "\"\n")] = '\0';
        write_line(self, "distribution", name);
    }
    free(text);
}

static void write_place(report *self)
{
    char date[32] = "";
    time_t now = time(NULL);
    struct tm calendar;
    struct utsname system;
    if (gmtime_r(&now, &calendar))
        strftime(date, sizeof date, "%Y-%m-%d", &calendar);
    write_line(self, "report_format", "1");
    write_line(self, "yoke", yoke_version());
    write_line(self, "date", date);
    if (uname(&system) == 0) {
        char *text = tool_text("%s %s %s", system.sysname, system.release, system.machine);
        write_line(self, "system", text);
        free(text);
    }
    write_distribution(self);
    fprintf(self->out, "processors: %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
    write_environment(self);
    fflush(self->out);
}

/* ---- The parts ---- */

static FILE *open_lines(char **text, size_t *size)
{
    FILE *lines = open_memstream(text, size);
    if (!lines)
        tool_no_memory();
    return lines;
}

static void write_info(report *self)
{
    info found;
    char *text = NULL;
    size_t size = 0;
    FILE *lines = open_lines(&text, &size);
    if (info_look(self->command, &found, NULL, DRIVER_SECONDS, true))
        info_write_lines(&found, lines);
    info_free(&found);
    if (fclose(lines) != 0)
        tool_no_memory();
    write_lines(self, text);
    free(text);
}

/* The suite ends at an interrupt with a report of what has run until then, so this process goes on. */
static int run_suite(report *self, const char *lines, int argc, char **argv)
{
    char **arguments = tool_alloc(((size_t)argc + 5) * sizeof *arguments);
    struct sigaction ignored = { .sa_handler = SIG_IGN }, of_interrupts;
    int how = 0, count = argc;
    memcpy(arguments, argv, (size_t)argc * sizeof *arguments);
    arguments[count++] = "--report";
    arguments[count++] = (char *)lines;
    arguments[count++] = "--format";
    arguments[count++] = "lines";
    sigaction(SIGINT, &ignored, &of_interrupts);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        sigaction(SIGINT, &of_interrupts, NULL);
        check_become(self->command, count, arguments);
        _exit(TOOL_WRONG);
    }
    while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    sigaction(SIGINT, &of_interrupts, NULL);
    free(arguments);
    if (child < 0)
        tool_complain(self->command, "no process can be started: %s", strerror(errno));
    return child > 0 && WIFEXITED(how) ? WEXITSTATUS(how) : TOOL_WRONG;
}

/* The devices that have results. */
static void note_devices(report *self, const char *text)
{
    for (const char *at = text; (at = strstr(at, ".device: ")) != NULL; at += strlen(".device: ")) {
        const char *line = at, *name = at + strlen(".device: ");
        while (line > text && line[-1] != '\n')
            line--;
        if (strncmp(line, "result.", 7) == 0 && strncmp(name, "once\n", 5) != 0 && self->device_count < MOST_DEVICES)
            self->devices[self->device_count++] = tool_text("%.*s", (int)strcspn(name, "\n"), name);
    }
}

/* Returns the suite's exit code. */
static int write_suite(report *self, int argc, char **argv)
{
    char *why = NULL, *folder = tool_make_folder("yoke-check", &why);
    if (!folder) {
        tool_complain(self->command, "%s", why);
        free(why);
        return TOOL_WRONG;
    }
    char *path = tool_text("%s/lines", folder);
    int code = run_suite(self, path, argc, argv);
    char *text = tool_read_file(path, NULL);
    if (text && *text) {
        if (strncmp(text, "suite: complete\n", 16) == 0)
            note_devices(self, text);
        write_lines(self, text);
    } else {
        fprintf(self->out, "suite: not run, exit status %d\n", code);
    }
    free(text);
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
    return code;
}

static void write_bench(report *self)
{
    for (size_t i = 0; i < self->device_count; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *lines = open_lines(&text, &size);
        bench_write_lines(self->command, self->devices[i], i + 1, lines);
        if (fclose(lines) != 0)
            tool_no_memory();
        write_lines(self, text);
        free(text);
        free(self->devices[i]);
    }
}

int check_report(const tool_command *command, const char *path, int argc, char **argv)
{
    report self = { .command = command, .out = fopen(path, "we") };
    if (!self.out) {
        tool_complain(command, "cannot write %s: %s", path, strerror(errno));
        return TOOL_USAGE;
    }
    private_find(&self.words);
    write_place(&self);
    write_info(&self);
    int code = write_suite(&self, argc, argv);
    write_bench(&self);
    fprintf(self.out, "end: report\n");
    private_free(&self.words);
    bool written = !ferror(self.out);
    if (fclose(self.out) != 0 || !written) {
        tool_complain(command, "cannot write %s: %s", path, strerror(errno));
        return TOOL_WRONG;
    }
    printf("\nThe report is in %s. It has no name of yours or of this machine, and no path; read it, and attach it to an issue.\n",
           path);
    return code;
}
