/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yoke-conformance: the conformance suite, for machines without Yoke's source. Here are its options, and which programs run on
 * which devices.
 */
#include "conformance.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALL_PASSED = 0, SOME_FAILED = 1, WRONG_USAGE = 2, NO_DEVICE = 3 };
enum { SECONDS = 120, MOST_SECONDS = 86399 };

typedef struct options {
    const char *selectors[MOST_DEVICES];
    size_t selector_count;
    const char *filter, *report, *programs, *format_name;
    void (*format)(const suite *s, FILE *out);
    bool list;
} options;

static const char usage[] = "Usage: yoke-conformance [OPTION]...\n"
                            "Run Yoke's conformance suite on the devices of this machine.\n"
                            "\n"
                            "  --device SELECTOR  run on this device, such as cuda:0 or opencl:gpu; may be\n"
                            "                     repeated (default: all devices, or those that YOKE_DEVICE\n"
                            "                     and YOKE_BACKEND name)\n"
                            "  --filter WORDS     run only programs whose name contains one of these words,\n"
                            "                     separated by commas\n"
                            "  --list             list devices and programs, and exit\n"
                            "  --jobs N           run up to N programs at a time (default: the number of\n"
                            "                     CPUs, at most four)\n"
                            "  --seconds N        time limit of a case; a program silent for a quarter\n"
                            "                     longer and a second is killed (default: 120)\n"
                            "  --report FILE      also write a report\n"
                            "  --format FORMAT    format of the report: text, tap, junit or lines\n"
                            "                     (default: text)\n"
                            "  --programs FOLDER  folder of the suite's programs (default:\n"
                            "                     " CONFORMANCE_DIR ")\n"
                            "  --verbose          print each case as it ends\n"
                            "  -V, --version, -h, --help\n"
                            "\n"
                            "The table has a column for each device, and a column 'once' for cases that run\n"
                            "once for a backend and not on each device: they need no device, or all of them.\n"
                            "\n"
                            "The exit status is 0 if nothing failed, 1 if something failed or the run was\n"
                            "interrupted, 2 for wrong usage, 3 if there is no device.\n";

YOKE_PRINTF(2, 3) static int fail(int status, const char *format, ...)
{
    va_list arguments;

    fputs("yoke-conformance: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return status;
}

/* ---- Options ---- */

static bool read_number(const char *name, const char *value, unsigned most, unsigned *out)
{
    char *end;

    errno = 0;
    unsigned long number = strtoul(value, &end, 10);
    if (errno || *end || value[0] < '0' || value[0] > '9' || number < 1 || number > most) {
        fail(0, "--%s is '%s'; it must be 1 to %u", name, value, most);
        return false;
    }
    *out = (unsigned)number;
    return true;
}

static bool read_format(const char *value, options *o)
{
    static const struct {
        const char *name;
        void (*format)(const suite *s, FILE *out);
    } formats[] = { { "text", report_text }, { "tap", report_tap }, { "junit", report_junit }, { "lines", report_lines } };

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(value, formats[i].name) == 0) {
            o->format = formats[i].format;
            return true;
        }
    fail(0, "--format is '%s'; it must be text, tap, junit or lines", value);
    return false;
}

/* One that takes a value. */
static bool take_value(int option, const char *value, options *o, suite *s)
{
    switch (option) {
    case 'd':
        if (o->selector_count < MOST_DEVICES)
            o->selectors[o->selector_count++] = value;
        return o->selectors[o->selector_count - 1] == value;
    case 'f':
        o->filter = value;
        return true;
    case 'j':
        return read_number("jobs", value, MOST_JOBS, &s->jobs);
    case 's':
        return read_number("seconds", value, MOST_SECONDS, &s->seconds);
    case 'r':
        o->report = value;
        return true;
    case 'F':
        o->format_name = value;
        return read_format(value, o);
    case 'p':
        o->programs = value;
        return true;
    default:
        return false;
    }
}

/* ALL_PASSED: go on; -1: all is done; else the exit status. */
static int read_options(int argc, char **argv, options *o, suite *s)
{
    static const struct option names[] = {
        { "device", required_argument, NULL, 'd' },  { "filter", required_argument, NULL, 'f' },
        { "list", no_argument, NULL, 'l' },          { "jobs", required_argument, NULL, 'j' },
        { "seconds", required_argument, NULL, 's' }, { "report", required_argument, NULL, 'r' },
        { "format", required_argument, NULL, 'F' },  { "programs", required_argument, NULL, 'p' },
        { "verbose", no_argument, NULL, 'v' },       { "version", no_argument, NULL, 'V' },
        { "help", no_argument, NULL, 'h' },          { NULL, 0, NULL, 0 },
    };
    bool well = true;
    int option;

    while (well && (option = getopt_long(argc, argv, "hV", names, NULL)) != -1) {
        if (option == 'V') {
            printf("yoke-conformance %s\n", yoke_version());
            return -1;
        } else if (option == 'h') {
            fputs(usage, stdout);
            return -1;
        } else if (option == 'l') {
            o->list = true;
        } else if (option == 'v') {
            s->verbose = true;
        } else {
            well = take_value(option, optarg, o, s);
        }
    }
    if (well && optind < argc)
        fail(0, "unexpected argument '%s': name devices with --device, programs with --filter", argv[optind]);
    if (well && o->format_name && !o->report)
        fail(0, "--format %s is the format of a report: name its file with --report", o->format_name);
    else if (well && optind == argc)
        return ALL_PASSED;
    fputs("Try 'yoke-conformance --help'.\n", stderr);
    return WRONG_USAGE;
}

/* ---- Programs ---- */

/* The next of the words, which are separated by commas; false: there is none. */
static bool next_word(const char **filter, char word[NAME_MAX + 1])
{
    *filter += strspn(*filter, ",");
    size_t length = strcspn(*filter, ",");
    snprintf(word, NAME_MAX + 1, "%.*s", (int)length, *filter);
    *filter += length;
    return length > 0;
}

/* Whether the name has one of the words in it. */
static bool takes(const char *filter, const char *name)
{
    char word[NAME_MAX + 1];

    if (!filter)
        return true;
    while (next_word(&filter, word))
        if (strstr(name, word))
            return true;
    return false;
}

/* A mistyped word would leave out what was asked for, and nobody would know. */
static bool is_filter_used(const char *filter, const suite *s)
{
    char word[NAME_MAX + 1];

    while (filter && next_word(&filter, word)) {
        bool used = false;
        for (size_t i = 0; i < s->program_count && !used; i++)
            used = strstr(s->programs[i], word);
        if (!used) {
            fail(0, "--filter: no program in %s has '%s' in its name; --list prints the names", s->folder, word);
            return false;
        }
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int find_programs(const options *o, suite *s)
{
    char *folder = realpath(o->programs ? o->programs : CONFORMANCE_DIR, NULL);
    DIR *listing = folder ? opendir(folder) : NULL;
    struct dirent *item;
    struct stat about;

    if (!listing)
        return fail(WRONG_USAGE, "the programs of the suite are not in %s (%s): name their folder with --programs",
                    o->programs ? o->programs : CONFORMANCE_DIR, strerror(errno));
    s->folder = folder;
    while ((item = readdir(listing)) != NULL) {
        if (item->d_name[0] == '.' || !takes(o->filter, item->d_name) || fstatat(dirfd(listing), item->d_name, &about, 0) != 0 ||
            !S_ISREG(about.st_mode) || !(about.st_mode & S_IXUSR))
            continue;
        if (s->program_count % 64 == 0)
            s->programs = grown(s->programs, s->program_count + 64, sizeof *s->programs);
        s->programs[s->program_count++] = copy_text(item->d_name, strlen(item->d_name));
    }
    closedir(listing);
    if (!is_filter_used(o->filter, s))
        return WRONG_USAGE;
    if (s->program_count == 0)
        return fail(WRONG_USAGE, "there is no such program in %s", folder);
    qsort(s->programs, s->program_count, sizeof *s->programs, by_name);
    return ALL_PASSED;
}

/* ---- Devices ---- */

/* Opening says which one is meant, and that it can be used. */
static int add_selected(suite *s, const char *selector)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device *device = NULL;

    if (yoke_device_open(selector, &device) < 0 || yoke_device_get_info(device, &info) < 0)
        return fail(yoke_error()->status == YOKE_E_INVALID_ARGUMENT ? WRONG_USAGE : NO_DEVICE, "%s", yoke_error()->text);
    yoke_device_release(device);
    for (size_t i = 0; i < s->device_count; i++)
        if (strcmp(s->devices[i].selector, info.selector) == 0)
            return ALL_PASSED;
    s->devices[s->device_count++] = info;
    return ALL_PASSED;
}

static int find_devices(const options *o, suite *s)
{
    const char *order = getenv("YOKE_DEVICE");
    int status = ALL_PASSED;

    for (size_t i = 0; i < o->selector_count && status == ALL_PASSED; i++)
        status = add_selected(s, o->selectors[i]);
    if (o->selector_count)
        return status;
    if (order && *order)
        return add_selected(s, NULL);
    for (size_t i = 0; i < MOST_DEVICES; i++)
        s->devices[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    if (yoke_device_list(s->devices, MOST_DEVICES, &s->device_count) < 0)
        return fail(yoke_error()->status == YOKE_E_INVALID_ARGUMENT ? WRONG_USAGE : NO_DEVICE, "%s", yoke_error()->text);
    if (s->device_count > MOST_DEVICES)
        s->device_count = MOST_DEVICES;
    if (s->device_count)
        return ALL_PASSED;
    fail(NO_DEVICE, "no device was found; this was tried:");
    fputs(yoke_device_get_report(), stderr); /* lines */
    return NO_DEVICE;
}

static void list(const suite *s)
{
    for (size_t i = 0; i < s->device_count; i++)
        printf("%-12s %s (%s, driver %s)\n", s->devices[i].selector, s->devices[i].name, s->devices[i].platform,
               s->devices[i].driver);
    putchar('\n');
    for (size_t i = 0; i < s->program_count; i++)
        printf("%s\n", s->programs[i]);
}

/* ---- Runs ---- */

/* Each program once for each backend: cases may need several devices of it. */
static void make_runs(suite *s)
{
    s->runs = grown(NULL, s->program_count * s->device_count, sizeof *s->runs);
    for (size_t first = 0; first < s->device_count; first++) {
        run one = { .backend = s->devices[first].backend };
        bool known = false;
        for (size_t i = 0; i < s->device_count; i++) {
            if (strcmp(s->devices[i].backend, one.backend) != 0)
                continue;
            known = known || i < first;
            size_t used = strlen(one.devices);
            snprintf(one.devices + used, sizeof one.devices - used, "%s%s", used ? "," : "", s->devices[i].selector);
        }
        for (size_t i = 0; i < s->program_count && !known; i++) {
            one.program = s->programs[i];
            s->runs[s->run_count++] = one;
        }
    }
}

static void free_suite(suite *s)
{
    for (size_t i = 0; i < s->run_count; i++) {
        for (size_t j = 0; j < s->runs[i].count; j++) {
            free(s->runs[i].results[j].name);
            free(s->runs[i].results[j].text);
        }
        free(s->runs[i].results);
    }
    for (size_t i = 0; i < s->program_count; i++)
        free(s->programs[i]);
    free(s->runs);
    free(s->programs);
    free((char *)s->folder);
}

static int run_suite(const options *o, suite *s, FILE *report)
{
    make_runs(s);
    if (!run_all(s))
        return SOME_FAILED;
    if (s->verbose)
        putchar('\n');
    report_text(s, stdout);
    if (report)
        o->format(s, report);
    if (s->interrupted)
        fail(0, "interrupted: %zu of %zu runs were not started", s->run_count - s->begun, s->run_count);
    if (report && (fflush(report) != 0 || ferror(report)))
        return fail(SOME_FAILED, "cannot write %s: %s", o->report, strerror(errno));
    bool bad = results_count(s, NULL, (size_t)ANYWHERE, FAILED) + results_count(s, NULL, (size_t)ANYWHERE, BROKEN) > 0;
    return bad || s->interrupted ? SOME_FAILED : ALL_PASSED;
}

static unsigned usual_jobs(void)
{
    enum { ENOUGH = 4 };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors < 1 ? 1 : processors < ENOUGH ? (unsigned)processors : ENOUGH;
}

/* What stdout has not taken is a failure. */
static int written(int status)
{
    bool well = fflush(stdout) == 0 && !ferror(stdout);
    return well || status != ALL_PASSED ? status : fail(SOME_FAILED, "cannot write to standard output: %s", strerror(errno));
}

int main(int argc, char **argv)
{
    options o = { .format = report_text };
    suite s = { .jobs = usual_jobs(), .seconds = SECONDS };
    FILE *report = NULL;
    int status = read_options(argc, argv, &o, &s);

    if (status != ALL_PASSED)
        return status < 0 ? written(ALL_PASSED) : status;
    s.progress = !s.verbose && isatty(STDOUT_FILENO);
    status = find_programs(&o, &s);
    if (status == ALL_PASSED)
        status = find_devices(&o, &s);
    if (status == ALL_PASSED && o.list) {
        list(&s);
    } else if (status == ALL_PASSED) {
        report = o.report ? fopen(o.report, "we") : NULL; /* before the work, so that it is not done in vain */
        status =
            o.report && !report ? fail(WRONG_USAGE, "cannot write %s: %s", o.report, strerror(errno)) : run_suite(&o, &s, report);
    }
    if (report && fclose(report) != 0 && status == ALL_PASSED)
        status = fail(SOME_FAILED, "cannot write %s: %s", o.report, strerror(errno));
    free_suite(&s);
    return written(status);
}
