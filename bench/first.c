/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the first call of each operation costs with nothing cached: each runs once on small arrays, in a process of its own whose
 * caches are empty. "cpu" is the time of the processor from the call until its result is there, of all threads and children, and
 * "start" that of the compiler's start, by a kernel that does nothing. On PoCL, "programs" and "kernels" are those that its
 * compiler made for the call, kernels for each size of their blocks (and once more with YOKE_CACHE=on, which stores each program),
 * and "bitcode" is what was left of all texts.
 *
 * --part NAME measures only operations whose names begin so.
 */
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tests/ops/calls.h"
#include "bench.h"

extern char **environ;

static const calls_size size = { 1000, 32 };

static const char *const caches[] = { "POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR", "CUDA_CACHE_PATH", "YOKE_CACHE_DIR" };

enum { CACHES = sizeof caches / sizeof caches[0], FILES = 16, OF_START = 1 };

/* ---- In the child ---- */

static double seconds_of(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage) != 0)
        measure_fail("getrusage", "it failed");
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* The compiler starts with the first program of a process, which takes PoCL's half a second of any process. */
static double start_compiler(suite *t)
{
    double before = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program;
    yoke_kernel *kernel;
    source.name = "start";
    source.text = "#include <yoke/kernel.h>\nYOKE_KERNEL void start(int n) { }\n";
    measure_must(yoke_program_build(t->device, &source, &program));
    measure_must(yoke_kernel_get(program, "start", &kernel));
    measure_must(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS((int32_t)1)));
    measure_must(yoke_stream_wait(t->stream));
    yoke_program_release(program);
    return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN) - before;
}

/* Prints the seconds. The copies of the arrays compile nothing. */
static int run_entry(const char *selector, size_t which)
{
    suite t = { 0 };
    calls_state x;
    measure_must(yoke_device_open(selector, &t.device));
    measure_must(yoke_stream_create(t.device, NULL, &t.stream));
    if (!calls_create(&t, &calls_table[which], size, &x))
        return 1;
    calls_fill(&x, 1);
    double start = start_compiler(&t);
    measure_must(yoke_write(t.stream, x.buffer, 0, x.given, x.bytes));
    measure_must(yoke_stream_wait(t.stream));
    double before = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
    measure_must(calls_enqueue(t.stream, &x));
    measure_must(yoke_stream_wait(t.stream));
    printf("%.6f %.6f\n", start, seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN) - before);
    calls_release(&x);
    yoke_stream_release(t.stream);
    yoke_device_release(t.device);
    return 0;
}

/* ---- What PoCL leaves in its cache ---- */

static struct {
    int programs, kernels;
    double bitcode;
} left;

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);
    return length >= tail && strcmp(path + length - tail, end) == 0;
}

static int count_file(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)where;
    if (kind == FTW_F && ends_in(path, "/program.bc")) {
        left.programs++;
        left.bitcode += (double)status->st_size;
    } else if (kind == FTW_F && ends_in(path, ".so")) {
        left.kernels++;
    }
    return 0;
}

static int remove_file(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

/* ---- In the parent ---- */

/* The seconds of the compiler's start, and of the call. False: the child has failed. */
static bool run_child(const char *selector, size_t which, double *out_start, double *out_call)
{
    char number[32], text[64] = "";
    char *const arguments[] = { (char *)"first", (char *)"--child", number, (char *)(uintptr_t)selector, NULL };
    posix_spawn_file_actions_t actions;
    int ends[2], status = 0;
    pid_t pid;
    snprintf(number, sizeof number, "%zu", which);
    if (pipe(ends) != 0)
        measure_fail("pipe", "it failed");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    int code = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (code != 0)
        measure_fail("posix_spawn", strerror(code));
    ssize_t length = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    bool ended = waitpid(pid, &status, 0) == pid && status == 0 && length > 0;
    return ended && sscanf(text, "%lf %lf", out_start, out_call) == 2;
}

static void print(const char *entry, const char *what, double value, const char *unit)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", entry, what);
    bench_print(NULL, name, value, unit);
}

static void measure_entry(const char *selector, size_t which)
{
    char folder[] = "/tmp/yoke-first-XXXXXX";
    if (!mkdtemp(folder))
        measure_fail("mkdtemp", "it failed");
    for (int i = 0; i < CACHES; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%d", folder, i);
        mkdir(path, 0700);
        setenv(caches[i], path, 1);
    }
    memset(&left, 0, sizeof left);
    double start, call;
    bool measured = run_child(selector, which, &start, &call);
    nftw(folder, count_file, FILES, FTW_PHYS);
    nftw(folder, remove_file, FILES, FTW_PHYS | FTW_DEPTH);
    const char *entry = calls_table[which].name;
    if (!measured)
        measure_fail("a child process failed", entry);
    print(entry, "start", start * 1e3, "ms");
    print(entry, "cpu", call * 1e3, "ms");
    print(entry, "programs", left.programs - 1, "programs");
    print(entry, "kernels", left.kernels - OF_START, "kernels");
    print(entry, "bitcode", left.bitcode / 1024, "KiB");
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--child") == 0)
        return run_entry(argv[3], (size_t)atoi(argv[2]));
    bench_begin(argc, argv, "first", "The first call of each operation, with nothing cached.");
    const char *selector = bench_option.device ? bench_option.device : "opencl";
    for (size_t i = 0; i < calls_count; i++)
        if (!bench_option.part || strncmp(calls_table[i].name, bench_option.part, strlen(bench_option.part)) == 0)
            measure_entry(selector, i);
    return bench_end();
}
