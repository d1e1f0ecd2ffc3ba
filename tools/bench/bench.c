/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `yoke bench`: what things cost on one or more devices, beside the raw driver. Each device is measured in a process of its own,
 * one after the other, so that none starts with what another has left behind, and one that crashes is only that.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench.h"

enum { SECONDS = 10, MOST_DEVICES = 32 };

const char *const figure_group_names[] = {
    [MEASURE_LAUNCH] = "launch", [MEASURE_CALL] = "call", [MEASURE_GRAPH] = "graph",
    [MEASURE_ALLOC] = "alloc",   [MEASURE_COPY] = "copy",
};
_Static_assert(YK_COUNT_OF(figure_group_names) == MEASURE_GROUPS, "a name for each group");
const char *const figure_group_words[] = {
    [MEASURE_LAUNCH] = "Launch and wait", [MEASURE_CALL] = "Host functions", [MEASURE_GRAPH] = "Graphs",
    [MEASURE_ALLOC] = "Allocation",       [MEASURE_COPY] = "Copies",
};
_Static_assert(YK_COUNT_OF(figure_group_words) == MEASURE_GROUPS, "words for each group");

typedef struct options {
    const char *selectors[MOST_DEVICES];
    size_t selector_count;
    long seconds;
    long most_seconds; /* after so many a device is given up; 0: never */
    bool json, raw, few;
} options;

const char *figure_time(double nanoseconds, char text[32])
{
    static const char *const units[] = { "ns", "us", "ms", "s" };
    int unit = 0;
    for (; nanoseconds >= 999.5 && unit < 3; unit++)
        nanoseconds /= 1000;
    snprintf(text, 32, nanoseconds >= 99.5 ? "%.0f %s" : nanoseconds >= 9.95 ? "%.1f %s" : "%.2f %s", nanoseconds, units[unit]);
    return text;
}

/* ---- The child ---- */

static int tell_fd;

/* Who listens is gone when this fails. */
static void tell_bytes(const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t written = write(tell_fd, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            _exit(1);
        at += written;
        size -= (size_t)written;
    }
}

static void tell_figure(const figure *one)
{
    tell_bytes(one, sizeof *one);
}

/* First what the device is, then the figures, and one of no group at the end. */
static _Noreturn void child(const tool_command *command, const options *o, const char *selector, int fd)
{
    yoke_device *device;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    const figure last = { .group = -1 };
    tell_fd = fd;
    dup2(STDERR_FILENO, STDOUT_FILENO); /* drivers print */
    if (yoke_device_open(selector, &device) < 0)
        _exit(tool_no_device(command));
    if (yoke_device_get_info(device, &info) < 0)
        _exit(tool_no_device(command));
    tell_bytes(&info, sizeof info);
    figures_measure(device, (double)o->seconds, o->raw, o->few, tell_figure);
    tell_figure(&last);
    yoke_device_release(device);
    _exit(0);
}

/* ---- The parent ---- */

static double now(void)
{
    return (double)yk_now() / 1e9;
}

/* Read so many bytes; false at the end, or at the time `until`, unless that is 0. */
static bool read_all(int fd, void *bytes, size_t size, double until)
{
    for (char *at = bytes; size > 0;) {
        struct pollfd end = { .fd = fd, .events = POLLIN };
        double left = until - now();
        if (until > 0 && (left <= 0 || poll(&end, 1, (int)(left * 1000) + 1) == 0))
            return false;
        ssize_t got = read(fd, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* On a terminal, what is being done. */
static void show_progress(const figures *device, const figure *one)
{
    const tool_colours *colours = tool_colours_of(stderr);
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K");
    if (one)
        fprintf(stderr, "%s%s%s %zu measured, the last: %s", colours->dim, device->info.selector, colours->reset, device->count,
                one->words);
    fflush(stderr);
}

/* Whether the last figure has come. */
static bool listen_to(int fd, figures *device, double until)
{
    figure *one = tool_alloc(sizeof *one);
    bool complete = false;
    if (read_all(fd, &device->info, sizeof device->info, until))
        while (!complete && read_all(fd, one, sizeof *one, until)) {
            complete = one->group < 0;
            if (complete)
                break;
            device->all = tool_grow(device->all, (device->count + 1) * sizeof *device->all);
            device->all[device->count++] = *one;
            show_progress(device, one);
        }
    show_progress(device, NULL);
    free(one);
    return complete;
}

/* Returns the exit code. */
static int measure(const tool_command *command, const options *o, const char *selector, figures *device)
{
    int ends[2], how = 0;
    double until = o->most_seconds ? now() + (double)o->most_seconds : 0;
    fflush(NULL);
    pid_t pid = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    if (pid == 0)
        child(command, o, selector, ends[1]);
    if (pid < 0) {
        tool_complain(command, "no process can be started: %s", strerror(errno));
        return TOOL_WRONG;
    }
    close(ends[1]);
    bool complete = listen_to(ends[0], device, until), late = !complete && until > 0 && now() >= until;
    close(ends[0]);
    if (late)
        kill(pid, SIGKILL);
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
        continue;
    if (complete)
        return TOOL_FINE;
    if (!*device->info.selector) /* it has said why */
        return WIFEXITED(how) && WEXITSTATUS(how) ? WEXITSTATUS(how) : TOOL_NO_DEVICE;
    const char *last = device->count ? device->all[device->count - 1].words : "the start";
    device->problem = late               ? tool_text("given up after %ld s, behind '%s'", o->most_seconds, last)
                      : WIFSIGNALED(how) ? tool_text("the driver crashed with signal %d behind '%s'", WTERMSIG(how), last)
                                         : tool_text("it went wrong behind '%s', see above; --no-raw leaves out what is done "
                                                     "without Yoke",
                                                     last);
    tool_complain(command, "%s: %s", device->info.selector, device->problem);
    return TOOL_WRONG;
}

/* The best device of each backend, unless something else is asked for. */
static void choose_devices(options *o)
{
    static yoke_device_info infos[64];
    const char *wanted = getenv("YOKE_DEVICE");
    size_t count = 0;
    if (o->selector_count > 0)
        return;
    for (size_t i = 0; i < 64; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    if ((!wanted || !*wanted) && yoke_device_list(infos, 64, &count) == YOKE_OK)
        for (size_t i = 0; i < count && i < 64 && o->selector_count < MOST_DEVICES; i++) {
            bool first = true;
            for (size_t k = 0; k < i; k++)
                first = first && strcmp(infos[k].backend, infos[i].backend) != 0;
            if (first)
                o->selectors[o->selector_count++] = infos[i].selector;
        }
    if (o->selector_count == 0) /* what the environment orders; or a failure that says why there is none */
        o->selectors[o->selector_count++] = NULL;
}

/* Before anything is measured, which is a load of its own. */
static void look_around(place *here)
{
    time_t now = time(NULL);
    struct utsname system;
    struct tm calendar;
    *here = (place){ .load = -1, .processors = sysconf(_SC_NPROCESSORS_ONLN) };
    if (uname(&system) == 0)
        snprintf(here->host, sizeof here->host, "%s", system.nodename);
    if (gmtime_r(&now, &calendar))
        strftime(here->date, sizeof here->date, "%Y-%m-%dT%H:%M:%SZ", &calendar);
    if (getloadavg(&here->load, 1) != 1)
        here->load = -1;
}

static int measure_all(const tool_command *command, options *o)
{
    figures *devices = tool_alloc(MOST_DEVICES * sizeof *devices);
    int code = TOOL_FINE;
    size_t count = 0;
    place here;
    look_around(&here);
    choose_devices(o);
    for (size_t i = 0; i < o->selector_count; i++) {
        int one = measure(command, o, o->selectors[i], &devices[count]);
        count += *devices[count].info.selector != '\0';
        code = code == TOOL_FINE ? one : code;
    }
    if (o->json)
        figures_print_json(devices, count, o->seconds, &here);
    else if (count > 0)
        figures_print(devices, count, &here);
    for (size_t i = 0; i < count; i++) {
        free(devices[i].problem);
        free(devices[i].all);
    }
    free(devices);
    return code;
}

void bench_write_lines(const tool_command *command, const char *selector, size_t number, FILE *out)
{
    const options o = { .seconds = 1, .most_seconds = 30, .few = true };
    figures device = { 0 };
    measure(command, &o, selector, &device);
    figures_write_lines(&device, selector, number, out);
    free(device.problem);
    free(device.all);
}

static int run(const tool_command *command, int argc, char **argv)
{
    static const struct option names[] = {
        { "json", no_argument, NULL, 'j' },
        { "seconds", required_argument, NULL, 's' },
        { "no-raw", no_argument, NULL, 'n' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    options o = { .seconds = SECONDS, .raw = true };
    for (int option; (option = tool_option(command, argc, argv, "h", names)) != -1;) {
        if (option == 'j')
            o.json = true;
        else if (option == 'n')
            o.raw = false;
        else if (option == 'h')
            return tool_print_help(command, stdout), TOOL_FINE;
        else if (option != 's')
            return TOOL_USAGE;
        else if (!tool_number(optarg, 1, 3600, &o.seconds))
            return tool_misused(command, "--seconds takes 1 to 3600, not '%s'", optarg);
    }
    for (int i = optind; i < argc; i++) {
        if (o.selector_count == MOST_DEVICES)
            return tool_misused(command, "more than %d devices", MOST_DEVICES);
        o.selectors[o.selector_count++] = argv[i];
    }
    if (o.json && !tool_has_json(command))
        return TOOL_WRONG;
    return measure_all(command, &o);
}

const tool_command tool_bench = {
    .name = "bench",
    .arguments = "[OPTION]... [SELECTOR]...",
    .summary = "what launches, copies, host functions, allocations and graphs cost, beside the raw driver",
    .help =
        "Measures the devices that are named, or the best device of each backend. Figures are medians. The column \"driver\" is "
        "the same work on the driver without Yoke, measured in alternation; the ratio is Yoke's time over the driver's. Other "
        "work on the machine makes all figures worse: see the load average in the first line.\n\n"
        "  --seconds N  how long to measure on each device, about (default: 10); a short time leaves out large copies\n"
        "  --json       print JSON; the schema is installed as yoke/schema/bench.json\n"
        "  --no-raw     do not measure the driver without Yoke, for drivers on which that hangs or fails\n"
        "  -h, --help   print this\n",
    .run = run,
};
