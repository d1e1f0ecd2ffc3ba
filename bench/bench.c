/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share: see bench.h. */
#include "bench.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUCH_LOAD 0.25   /* per core, of other programs: waits and threads that wake each other then take several times as long */
#define MUCH_SPREAD 0.25 /* of the middle half of a side's times, over their median */

bench_options bench_option = { .rounds = 31, .largest = SIZE_MAX };

static bool first_figure = true; /* none has been printed yet */

static _Noreturn void print_help(const char *name, const char *help, int status)
{
    fprintf(status ? stderr : stdout,
            "Usage: %s [OPTION]...\n%s\n\n"
            "  --device SELECTOR  measure this device only, as cuda:0; else the best one of each backend\n"
            "  --rounds N         batches of each measurement, %d unless told\n"
            "  --largest MIB      leave out what moves or fills more than this\n"
            "  --no-raw           Yoke only, for drivers on which the way by hand hangs\n"
            "  --json             print JSON instead of lines \"name value unit\"\n"
            "  --help             print this\n",
            name, help, bench_option.rounds);
    exit(status);
}

/* What else the machine has to do. */
static void print_load(void)
{
    double load = 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (getloadavg(&load, 1) == 1)
        fprintf(stderr, "# load average %.2f on %ld cores%s\n", load, cores,
                load > MUCH_LOAD * (double)cores ? ": the machine is busy, so trust no figure" : "");
}

void bench_begin(int argc, char **argv, const char *name, const char *help)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--help") == 0)
            print_help(name, help, 0);
        else if (strcmp(argv[i], "--json") == 0)
            bench_option.json = true;
        else if (strcmp(argv[i], "--no-raw") == 0)
            bench_option.no_raw = true;
        else if (strcmp(argv[i], "--device") == 0 && value)
            bench_option.device = argv[++i];
        else if (strcmp(argv[i], "--part") == 0 && value)
            bench_option.part = argv[++i];
        else if (strcmp(argv[i], "--rounds") == 0 && value && atoi(value) > 0)
            bench_option.rounds = atoi(argv[++i]);
        else if (strcmp(argv[i], "--largest") == 0 && value && atoi(value) > 0)
            bench_option.largest = (size_t)atoi(argv[++i]) << 20;
        else
            print_help(name, help, 2);
    }
    if (!bench_option.part)
        print_load();
    if (bench_option.json)
        printf("{\"benchmark\": \"%s\", \"version\": \"%s\", \"figures\": [", name, yoke_version());
}

int bench_end(void)
{
    if (bench_option.json)
        printf("\n]}\n");
    if (fflush(stdout) != 0 || ferror(stdout))
        return 1;
    return first_figure ? 1 : 0;
}

yoke_device *bench_next_device(yoke_device_info *out_info)
{
    static const char *const backends[] = { "cuda", "opencl" };
    static size_t next;
    yoke_device *device = NULL;
    while (!device && next < (bench_option.device ? 1 : sizeof backends / sizeof backends[0])) {
        const char *selector = bench_option.device ? bench_option.device : backends[next];
        next++;
        if (yoke_device_open(selector, &device) < 0)
            fprintf(stderr, "# %s\n", yoke_error()->text);
    }
    if (!device)
        return NULL;
    *out_info = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    measure_must(yoke_device_get_info(device, out_info));
    fprintf(stderr, "# %s: %s, driver %s\n", out_info->selector, out_info->name, out_info->driver);
    return device;
}

int bench_main(int argc, char **argv, const char *name, const char *help,
               void (*measure)(yoke_device *device, const yoke_device_info *info))
{
    yoke_device *device;
    yoke_device_info info;
    bench_begin(argc, argv, name, help);
    while ((device = bench_next_device(&info))) {
        measure(device, &info);
        yoke_device_release(device);
    }
    return bench_end();
}

void bench_open(measure_pair *pair, yoke_device *device)
{
    measure_open(pair, device, !bench_option.no_raw);
}

/* ---- Figures ---- */

bool bench_find(void *library, const char *name, void *slot)
{
    void *address = library ? dlsym(library, name) : NULL;
    memcpy(slot, &address, sizeof address);
    return address != NULL;
}

void bench_print(const char *prefix, const char *name, double value, const char *unit)
{
    const char *dot = prefix ? "." : "";
    prefix = prefix ? prefix : "";
    if (bench_option.json)
        printf("%s\n  {\"name\": \"%s%s%s\", \"value\": %.6g, \"unit\": \"%s\"}", first_figure ? "" : ",", prefix, dot, name, value,
               unit);
    else
        printf("%s%s%s %.6g %s\n", prefix, dot, name, value, unit);
    first_figure = false;
    fflush(stdout);
}

typedef struct medians {
    double raw, yoke, ratio;
} medians;

/* Say so when the times of a side, which are sorted, are far apart. */
static void judge_spread(const char *prefix, const char *name, const char *side, const double *times, size_t count)
{
    double low = times[count / 4], middle = times[count / 2], high = times[count - 1 - count / 4];
    if (high - low > MUCH_SPREAD * middle)
        fprintf(stderr, "# %s.%s.%s: half of its batches took from %.2f to %.2f of the median: do not trust the figure\n", prefix,
                name, side, low / middle, high / middle);
}

static medians measure(const char *prefix, const char *name, const measure_pair *pair)
{
    size_t rounds = (size_t)bench_option.rounds;
    measure_times times = measure_by_turns(pair, rounds, rounds, 0);
    medians m = { measure_median(times.raws, rounds), measure_median(times.yokes, rounds), times.ratio };
    if (pair->batch[MEASURE_RAW].self)
        judge_spread(prefix, name, "raw", times.raws, rounds);
    judge_spread(prefix, name, "yoke", times.yokes, rounds);
    free(times.raws);
    return m;
}

static void print_compared(const char *prefix, const char *name, const measure_pair *pair, medians m, const char *unit)
{
    bool by_hand = pair->batch[MEASURE_RAW].self;
    char text[128];
    if (by_hand) {
        snprintf(text, sizeof text, "%s.raw", name);
        bench_print(prefix, text, m.raw, unit);
    }
    snprintf(text, sizeof text, "%s.yoke", name);
    bench_print(prefix, text, m.yoke, unit);
    if (by_hand) {
        snprintf(text, sizeof text, "%s.ratio", name);
        bench_print(prefix, text, m.ratio, "of_raw");
    }
}

double bench_compare(const char *prefix, const char *name, const measure_pair *pair, double operations, const char *unit)
{
    double divisor = operations * (strcmp(unit, "ms") == 0 ? 1e6 : strcmp(unit, "us") == 0 ? 1e3 : 1);
    medians m = measure(prefix, name, pair);
    print_compared(prefix, name, pair, (medians){ m.raw / divisor, m.yoke / divisor, m.ratio }, unit);
    return m.yoke;
}

void bench_compare_above(const char *prefix, const char *name, const measure_pair *pair, double operations, const char *unit)
{
    double divisor = operations * (strcmp(unit, "ms") == 0 ? 1e6 : strcmp(unit, "us") == 0 ? 1e3 : 1);
    medians m = measure(prefix, name, pair);
    char text[128];
    print_compared(prefix, name, pair, (medians){ m.raw / divisor, m.yoke / divisor, m.ratio }, unit);
    if (!pair->batch[MEASURE_RAW].self)
        return;
    snprintf(text, sizeof text, "%s.above", name);
    bench_print(prefix, text, (m.yoke - m.raw) / divisor, unit);
}

void bench_compare_speed(const char *prefix, const char *name, const measure_pair *pair, double bytes, const char *unit)
{
    double amount = strcmp(unit, "TB/s") == 0 ? bytes / 1e3 : bytes;
    medians m = measure(prefix, name, pair);
    print_compared(prefix, name, pair, (medians){ m.raw > 0 ? amount / m.raw : 0, amount / m.yoke, m.ratio }, unit);
}

double bench_case(const char *prefix, const measure_case *which, measure_pair *pair)
{
    measure_set(pair, which->run, pair->batch[MEASURE_YOKE].host, which->size, which->program_count);
    for (int i = 0; i < MEASURE_SIDES; i++)
        pair->batch[i].way = which->way;
    return bench_compare(prefix, which->program_name, pair, which->program_count, which->unit);
}

/* ---- Threads ---- */

enum { THREADS = 4 };

/* A side for each thread, with a stream and a kernel of its own. */
typedef struct team {
    void *members[THREADS];
} team;

typedef struct member {
    const measure_batch *batch;
    void *self;
    pthread_barrier_t *start;
    pthread_t thread;
} member;

static void *launch_in_thread(void *user)
{
    member *m = user;
    const measure_side *side = m->batch->side;
    side->enter(m->self);
    pthread_barrier_wait(m->start);
    side->launch(m->self, m->batch->count);
    side->wait(m->self, 0);
    side->leave(m->self);
    return NULL;
}

/* From the moment when all threads are there to the end of the last. */
static double launch_in_threads(const measure_batch *batch)
{
    const team *all = batch->self;
    member members[THREADS];
    pthread_barrier_t start;
    if (pthread_barrier_init(&start, NULL, THREADS + 1))
        measure_fail("threads", "no barrier");
    for (int i = 0; i < THREADS; i++) {
        members[i] = (member){ .batch = batch, .self = all->members[i], .start = &start };
        if (pthread_create(&members[i].thread, NULL, launch_in_thread, &members[i]))
            measure_fail("threads", "none to be had");
    }
    pthread_barrier_wait(&start);
    double began = measure_now();
    for (int i = 0; i < THREADS; i++)
        pthread_join(members[i].thread, NULL);
    double ended = measure_now();
    pthread_barrier_destroy(&start);
    return ended - began;
}

void bench_threads(const char *prefix, const char *name, yoke_device *device, int launches)
{
    measure_pair each[THREADS], all;
    team teams[MEASURE_SIDES];
    for (int i = 0; i < THREADS; i++) {
        bench_open(&each[i], device);
        measure_reserve(&each[i], 4096, 0);
        for (int side = 0; side < MEASURE_SIDES; side++)
            teams[side].members[i] = each[i].batch[side].self;
    }
    all = each[0];
    for (int side = 0; side < MEASURE_SIDES; side++)
        all.batch[side].self = teams[side].members[0] ? &teams[side] : NULL;
    measure_set(&all, launch_in_threads, NULL, 0, launches);
    bench_compare(prefix, name, &all, THREADS * launches, "ns");
    for (int i = 0; i < THREADS; i++)
        measure_close(&each[i]);
}

/* ---- Names ---- */

const char *bench_name(const char *pattern, const char *size, char name[64])
{
    size_t before = strcspn(pattern, "#");
    snprintf(name, 64, "%.*s%s%s", (int)before, pattern, size, pattern[before] ? pattern + before + 1 : "");
    return name;
}

const char *bench_size_name(size_t size, char name[16])
{
    if (size >= (1 << 20))
        snprintf(name, 16, "%zum", size >> 20);
    else
        snprintf(name, 16, "%zuk", size >> 10);
    return name;
}
