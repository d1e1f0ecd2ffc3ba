/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a process takes to the end of its first kernel, through Yoke and by hand, timed from outside: with empty caches, with
 * full ones, and with an image that is ready. Every figure is a child process of its own, this program with --part.
 */
#include "startup.h"

#include <errno.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HITS 100
#define COLD_ROUNDS 5 /* at most: these compile */
#define PATH_VARIABLE "YOKE_BENCH_IMAGE"

extern char **environ;

/* ---- Files ---- */

void *bench_file_read(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0)
        measure_fail(path, strerror(errno));
    *out_size = (size_t)status.st_size;
    void *bytes = malloc(*out_size + 1);
    if (!bytes || fread(bytes, 1, *out_size, file) != *out_size)
        measure_fail(path, "cannot be read");
    fclose(file);
    return bytes;
}

void bench_file_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        measure_fail(path, strerror(errno));
}

/* ---- In a child ---- */

static void save(yoke_program *program, const char *path)
{
    size_t size = 0;
    measure_must(yoke_program_save(program, NULL, 0, &size));
    void *image = malloc(size);
    if (!image)
        measure_fail("startup", "out of memory");
    measure_must(yoke_program_save(program, image, size, &size));
    bench_file_write(path, image, size);
    free(image);
}

static void start_yoke(bench_start how, const char *selector, const char *path)
{
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *buffer;
    yoke_program *program;
    yoke_kernel *kernel;
    size_t size = 0;
    measure_must(yoke_device_open(selector, &device));
    if (how == BENCH_LOAD) {
        void *image = bench_file_read(path, &size);
        measure_must(yoke_program_load(device, "touch", image, size, &program));
        free(image);
    } else {
        measure_must(yoke_program_build(device, &measure_touch, &program));
    }
    if (how == BENCH_SAVE)
        save(program, path);
    measure_must(yoke_kernel_get(program, "touch", &kernel));
    measure_must(yoke_stream_create(device, NULL, &stream));
    measure_must(yoke_buffer_create(device, 4096, &buffer));
    measure_must(yoke_launch(stream, kernel, YOKE_DIM(1), YOKE_DIM(MEASURE_BLOCK), 0, YOKE_ARGS(buffer, 1.0f, (int32_t)1)));
    measure_must(yoke_stream_wait(stream));
}

/* Nanoseconds of a build that the cache serves. */
static double time_hits(const char *selector)
{
    static double times[HITS];
    yoke_device *device;
    yoke_program *program;
    measure_must(yoke_device_open(selector, &device));
    measure_must(yoke_program_build(device, &measure_touch, &program));
    yoke_program_release(program);
    for (int i = 0; i < HITS; i++) {
        double start = measure_now();
        measure_must(yoke_program_build(device, &measure_touch, &program));
        times[i] = measure_now() - start;
        yoke_program_release(program);
    }
    yoke_device_release(device);
    return measure_median(times, HITS);
}

/* `part`: "yoke", "cuda" or "opencl", and behind a blank how. What it prints says that the first kernel has run. */
static int run_part(const char *part)
{
    const char *how = strchr(part, ' ') + 1, *path = getenv(PATH_VARIABLE);
    bench_start start = strcmp(how, "load") == 0 ? BENCH_LOAD : strcmp(how, "save") == 0 ? BENCH_SAVE : BENCH_COMPILE;
    double value = 0;
    if (strcmp(how, "hits") == 0)
        value = time_hits(bench_option.device);
    else if (strncmp(part, "yoke", 4) == 0)
        start_yoke(start, bench_option.device, path);
    else if (strncmp(part, "cuda", 4) == 0)
        bench_start_cuda(start, bench_option.device, path);
    else
        bench_start_opencl(start, bench_option.device, path);
    printf("%.0f\n", value);
    fflush(stdout);
    _exit(0); /* taking everything down is no part of it */
}

/* ---- Folders for caches ---- */

static char folder[64];

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static void remove_folders(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* NAME in the folder is where this cache is; empty, if that is asked for. */
static void use_cache(const char *variable, const char *name, bool empty)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (empty)
        nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if ((mkdir(path, 0700) != 0 && errno != EEXIST) || setenv(variable, path, 1) != 0)
        measure_fail(path, strerror(errno));
}

/* Drivers and their loader change the environment of the process that they are loaded into, some where it stands, and must not
 * find that in a fresh one: NVIDIA's OpenCL (580) would then offer no device. So this is how it was when the program began. */
static char **first_environment;

static void keep_environment(void)
{
    size_t count = 0;
    while (environ[count])
        count++;
    first_environment = calloc(count + 1, sizeof *first_environment);
    for (size_t i = 0; i < count && first_environment; i++)
        first_environment[i] = strdup(environ[i]);
}

static void restore_environment(void)
{
    clearenv();
    for (size_t i = 0; first_environment && first_environment[i]; i++)
        putenv(strdup(first_environment[i])); /* which the environment keeps */
}

static void use_caches(bool drivers_empty, bool yoke_empty)
{
    use_cache("POCL_CACHE_DIR", "pocl", drivers_empty);
    use_cache("MESA_SHADER_CACHE_DIR", "mesa", drivers_empty);
    use_cache("CUDA_CACHE_PATH", "nvidia", drivers_empty);
    use_cache("YOKE_CACHE_DIR", "yoke", yoke_empty);
    if (!yoke_empty) /* as after many runs */
        setenv("YOKE_CACHE", "on", 1);
}

/* ---- Children ---- */

typedef struct child {
    const char *part;
    const char *device; /* as the part wants it */
    const char *image;
    bool drivers_empty, yoke_empty; /* caches */
} child;

/* Nanoseconds from here to the first byte that the child prints; out_value is what it prints. False: it has failed. */
static bool run_child(const child *c, double *out_time, double *out_value)
{
    char *const arguments[] = {
        (char *)"startup", (char *)"--part", (char *)(uintptr_t)c->part, (char *)"--device", (char *)(uintptr_t)c->device, NULL
    };
    char text[64] = "", path[128];
    posix_spawn_file_actions_t actions;
    int ends[2], status = 0;
    pid_t pid;
    restore_environment();
    use_caches(c->drivers_empty, c->yoke_empty);
    snprintf(path, sizeof path, "%s/%s", folder, c->image);
    setenv(PATH_VARIABLE, path, 1);
    if (pipe(ends) != 0)
        measure_fail("pipe", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    double start = measure_now();
    int code = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, arguments, environ);
    close(ends[1]);
    if (code != 0)
        measure_fail("posix_spawn", strerror(code));
    ssize_t length = read(ends[0], text, sizeof text - 1);
    *out_time = measure_now() - start;
    *out_value = atof(text);
    close(ends[0]);
    posix_spawn_file_actions_destroy(&actions);
    return waitpid(pid, &status, 0) == pid && status == 0 && length > 0;
}

static double time_child(const measure_batch *batch)
{
    double time, value;
    const child *c = batch->self;
    if (!run_child(c, &time, &value))
        measure_fail("a child process failed", c->part);
    return time;
}

static void compare(const char *backend, const char *name, child raw, child yoke)
{
    measure_pair pair = { { { .run = time_child, .self = bench_option.no_raw ? NULL : &raw },
                            { .run = time_child, .self = &yoke } } };
    int rounds = bench_option.rounds;
    if ((raw.drivers_empty || yoke.yoke_empty) && rounds > COLD_ROUNDS)
        bench_option.rounds = COLD_ROUNDS;
    bench_compare(backend, name, &pair, 1, "ms");
    bench_option.rounds = rounds;
}

/* ---- The cases ---- */

static void measure(const char *backend, const char *selector, const char *raw_device)
{
    bool cuda = strcmp(backend, "cuda") == 0;
    child raw = { .part = cuda ? "cuda compile" : "opencl compile", .device = raw_device, .image = "raw_image" };
    child yoke = { .part = "yoke compile", .device = selector, .image = "yoke_image" };
    double time, value;

    raw.drivers_empty = yoke.drivers_empty = yoke.yoke_empty = true;
    compare(backend, "cold", raw, yoke);
    raw.drivers_empty = yoke.drivers_empty = yoke.yoke_empty = false;
    compare(backend, "warm", raw, yoke);
    yoke.part = "yoke hits";
    if (run_child(&yoke, &time, &value))
        bench_print(backend, "cache_hit.yoke", value / 1e3, "us");

    /* With empty caches: PoCL's images hold what its cache has, so that the two would differ by what has run before. */
    raw.drivers_empty = yoke.drivers_empty = yoke.yoke_empty = true;
    raw.part = cuda ? "cuda save" : "opencl save";
    yoke.part = "yoke save";
    if ((!bench_option.no_raw && !run_child(&raw, &time, &value)) || !run_child(&yoke, &time, &value)) {
        fprintf(stderr, "# no images on %s\n", selector);
        return;
    }
    raw.part = cuda ? "cuda load" : "opencl load";
    yoke.part = "yoke load";
    raw.drivers_empty = yoke.drivers_empty = yoke.yoke_empty = false;
    compare(backend, "image", raw, yoke);
    raw.drivers_empty = yoke.drivers_empty = true;
    compare(backend, "image_drivers_cache_empty", raw, yoke);
    yoke.part = "yoke compile"; /* which Yoke's own cache serves */
    compare(backend, "cached_beside_image_drivers_cache_empty", raw, yoke);
}

int main(int argc, char **argv)
{
    keep_environment();
    yoke_device *device;
    yoke_device_info info;
    bench_begin(argc, argv, "startup", "From the start of a process to the end of its first kernel.");
    if (bench_option.part)
        return run_part(bench_option.part);
    snprintf(folder, sizeof folder, "%s", "/tmp/yoke-startup.XXXXXX");
    if (!mkdtemp(folder))
        measure_fail(folder, strerror(errno));
    atexit(remove_folders);
    while ((device = bench_next_device(&info))) {
        yoke_device_release(device);
        measure(info.backend, info.selector, strcmp(info.backend, "cuda") == 0 ? info.pci : info.name);
    }
    return bench_end();
}
