/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many instructions Yoke runs for a piece of work, counted by callgrind and therefore the same on any machine: those of the
 * calling thread, without libOpenCL and what it calls. The program runs itself under valgrind, with one dump for each call of
 * `measured`, and reads the dumps.
 */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SMALL 4096
#define ALLOCATION (1 << 20)
#define TIMES 200

static char host[SMALL];

static void launch(const measure_side *side, void *self, int count)
{
    side->launch(self, count);
}

static void launch_wait(const measure_side *side, void *self, int count)
{
    side->launch_wait(self, count);
}

static void alloc_free(const measure_side *side, void *self, int count)
{
    side->alloc_free(self, MEASURE_PLAIN, ALLOCATION, count);
}

static void write_small(const measure_side *side, void *self, int count)
{
    side->write(self, 0, host, SMALL, count);
}

static void write_small_wait(const measure_side *side, void *self, int count)
{
    side->write_wait(self, host, SMALL, count);
}

static const struct {
    const char *name;
    void (*run)(const measure_side *side, void *self, int count);
    bool by_gpuarray;
} cases[] = {
    { "launch", launch, true },         { "launch_wait", launch_wait, true },        { "alloc_free_1m", alloc_free, true },
    { "write_4k", write_small, false }, { "write_4k_wait", write_small_wait, true },
};

enum { CASES = sizeof cases / sizeof cases[0] };

static const measure_side *const sides[] = { &measure_opencl, &measure_yoke, &bench_gpuarray };

enum { SIDES = sizeof sides / sizeof sides[0] };

/* ---- Under callgrind ---- */

/* Callgrind counts inside of this function and dumps behind it. */
__attribute__((noinline)) void measured(int which, const measure_side *side, void *self);

void measured(int which, const measure_side *side, void *self)
{
    cases[which].run(side, self, TIMES);
}

/* Everything, in the order in which the dumps are read. */
static void run_all(void)
{
    yoke_device_info info;
    yoke_device *device = bench_next_device(&info);
    if (!device)
        exit(1);
    for (int i = 0; i < SIDES; i++) {
        void *self = sides[i]->open(device);
        if (self)
            sides[i]->reserve(self, SMALL, 0);
        for (int which = 0; self && which < CASES; which++) {
            if (sides[i] == &bench_gpuarray && !cases[which].by_gpuarray)
                continue;
            cases[which].run(sides[i], self, TIMES);
            sides[i]->wait(self, 0);
            measured(which, sides[i], self);
            sides[i]->wait(self, 0);
        }
        if (self)
            sides[i]->close(self);
        fprintf(stderr, "%s %s\n", self ? "measured" : "without", sides[i]->name);
    }
    yoke_device_release(device);
}

/* ---- Reading callgrind's dumps ---- */

enum { NAMES = 65536 };

typedef struct profile {
    char *objects[NAMES], *functions[NAMES]; /* by callgrind's number */
    double total, below, allocations;
} profile;

/* "(12) name" or "(12)": the number; a name is kept. */
static int number_of(const char *text, char **names)
{
    char *end;
    long number = strtol(text + 1, &end, 10);
    if (*text != '(' || number < 0 || number >= NAMES)
        return 0;
    if (end[0] == ')' && end[1] == ' ' && !names[number])
        names[number] = strdup(end + 2);
    return (int)number;
}

static const char *name_of(char *const *names, int number)
{
    return names[number] ? names[number] : "";
}

/* What stands between a library and the device: the loader, and every driver it brings. */
static bool is_library(const char *object)
{
    return strstr(object, "libOpenCL") != NULL;
}

static bool is_above(const char *object)
{
    const char *slash = strrchr(object, '/');
    object = slash ? slash : object;
    return strstr(object, "yoke") || strstr(object, "instructions") || strstr(object, "gpuarray");
}

static bool is_allocation(const char *function)
{
    static const char *const names[] = { "malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "strdup" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(function, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static double last_number(const char *line)
{
    const char *last = strrchr(line, ' ');
    return last ? atof(last) : 0;
}

/* The format is that of "Callgrind Format Specification": costs of the function last named, and of the calls it makes, which follow
 * their "calls=" line and include what is called. */
static void read_dump(const char *path, profile *dump)
{
    FILE *file = fopen(path, "r");
    char line[8192];
    int object = 0, called_object = 0, called_function = 0;
    if (!file)
        measure_fail(path, strerror(errno));
    dump->total = dump->below = dump->allocations = 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "ob=", 3) == 0) {
            called_object = object = number_of(line + 3, dump->objects);
        } else if (strncmp(line, "cob=", 4) == 0) {
            called_object = number_of(line + 4, dump->objects);
        } else if (strncmp(line, "fn=", 3) == 0) {
            number_of(line + 3, dump->functions);
            called_object = object;
        } else if (strncmp(line, "cfn=", 4) == 0) {
            called_function = number_of(line + 4, dump->functions);
        } else if (strncmp(line, "calls=", 6) == 0) {
            double calls = atof(line + 6);
            const char *from = name_of(dump->objects, object), *to = name_of(dump->objects, called_object);
            if (is_above(from) && is_allocation(name_of(dump->functions, called_function)))
                dump->allocations += calls;
            if (!fgets(line, sizeof line, file))
                break;
            if (is_above(from) && is_library(to))
                dump->below += last_number(line);
            called_object = object;
        } else if (strchr("0123456789+-*", *line) && *line) {
            dump->total += last_number(line);
        }
    }
    fclose(file);
}

static void report(const char *folder)
{
    static profile dump;
    int part = 0;
    for (int i = 0; i < SIDES; i++) {
        for (int which = 0; which < CASES; which++) {
            char path[512], name[128];
            if (sides[i] == &bench_gpuarray && !cases[which].by_gpuarray)
                continue;
            snprintf(path, sizeof path, "%s/callgrind.%d", folder, ++part);
            if (access(path, R_OK) != 0)
                return;
            read_dump(path, &dump);
            snprintf(name, sizeof name, "%s.%s", cases[which].name, sides[i]->name);
            bench_print("instructions", name, (dump.total - dump.below) / TIMES, "instructions");
            bench_print("allocations", name, dump.allocations / TIMES, "calls");
            unlink(path);
        }
    }
}

/* ---- Both ---- */

static void run_valgrind(char *program, const char *folder)
{
    char out[512], *device = bench_option.device ? (char *)bench_option.device : (char *)"opencl";
    char *const arguments[] = { (char *)"valgrind",
                                (char *)"--quiet",
                                (char *)"--tool=callgrind",
                                (char *)"--toggle-collect=measured",
                                (char *)"--dump-after=measured",
                                out,
                                program,
                                (char *)"--part",
                                (char *)"run",
                                (char *)"--device",
                                device,
                                NULL };
    snprintf(out, sizeof out, "--callgrind-out-file=%s/callgrind", folder);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("POCL_DEVICES", "basic", 0); /* runs in the calling thread, so that nothing depends on time */
        execvp(arguments[0], arguments);
        fprintf(stderr, "valgrind: %s\n", strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid < 0 || status != 0)
        measure_fail("instructions", "the run under valgrind failed");
}

int main(int argc, char **argv)
{
    char program[4096], folder[] = "/tmp/yoke-instructions-XXXXXX", rest[64];
    bench_begin(argc, argv, "instructions",
                "Instructions of the calling thread above libOpenCL, for each piece of work. Needs valgrind.");
    if (bench_option.part) {
        run_all();
        return 0;
    }
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0 || !mkdtemp(folder))
        measure_fail("instructions", strerror(errno));
    program[length] = '\0';
    run_valgrind(program, folder);
    report(folder);
    snprintf(rest, sizeof rest, "%s/callgrind", folder);
    unlink(rest);
    rmdir(folder);
    return bench_end();
}
