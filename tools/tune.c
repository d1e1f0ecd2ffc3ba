/* SPDX-License-Identifier: Apache-2.0 */
/* `yoke tune`: which tiles of products are the fastest on one or more devices, measured and kept by libyoke-ops. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yoke/ops.h>

#include "tools/ground/tool.h"

enum { SECONDS = 60, MOST_DEVICES = 64 };

typedef struct tuned {
    yoke_device_info info;
    char *problem; /* why nothing is kept; or NULL */
    yoke_matmul_timing *all;
    size_t count;
} tuned;

static double gigaflops(const yoke_matmul_timing *t)
{
    double operations = t->dtype == YOKE_C64 || t->dtype == YOKE_C128 ? 8 : 2;
    return operations * (double)t->m * (double)t->n * (double)t->k / t->nanoseconds;
}

/* ---- The table ---- */

static bool has_size_of(const yoke_matmul_timing *a, const yoke_matmul_timing *b)
{
    return a->dtype == b->dtype && a->m == b->m && a->n == b->n && a->k == b->k;
}

/* The tiles of a size, the default with a star, each with its speed over that of the one that is taken; and what that gains. */
static void print_size(const yoke_matmul_timing *first, size_t count)
{
    const tool_colours *colours = tool_colours_of(stdout);
    const yoke_matmul_timing *taken = first, *usual = NULL;
    char gain[32] = "-"; /* where the default was not measured */
    for (size_t i = 0; i < count; i++) {
        taken = first[i].flags & YOKE_MATMUL_TILE_TAKEN ? &first[i] : taken;
        usual = first[i].flags & YOKE_MATMUL_TILE_DEFAULT ? &first[i] : usual;
    }
    if (usual)
        snprintf(gain, sizeof gain, "%.2f", usual->nanoseconds / taken->nanoseconds);
    char *size = tool_text("%lld x %lld x %lld", (long long)first->m, (long long)first->n, (long long)first->k);
    printf("  %-10s  %-18s  %9.1f  %5s  %s%-10s%s ", yoke_dtype_get_name(first->dtype), size, gigaflops(taken), gain, colours->bold,
           taken->tile, colours->reset);
    for (size_t i = 0; i < count; i++)
        printf(" %s%s %.2f", first[i].tile, first[i].flags & YOKE_MATMUL_TILE_DEFAULT ? "*" : "",
               taken->nanoseconds / first[i].nanoseconds);
    printf("\n");
    free(size);
}

static void print_device(const tuned *device)
{
    const tool_colours *colours = tool_colours_of(stdout);
    printf("%s%s%s (%s), %s, driver %s\n", colours->bold, device->info.name, colours->reset, tool_kind_word(device->info.kind),
           device->info.selector, device->info.driver);
    if (device->count > 0)
        printf("  %s%-10s  %-18s  %9s  %5s  %-10s  speed of each tile over it; * is the default%s\n", colours->dim, "dtype",
               "m x n x k", "GFLOP/s", "gain", "tile taken", colours->reset);
    for (size_t i = 0, next; i < device->count; i = next) {
        for (next = i; next < device->count && has_size_of(&device->all[i], &device->all[next]);)
            next++;
        print_size(&device->all[i], next - i);
    }
}

/* ---- JSON ---- */

#ifdef HAVE_JANSSON
#include <jansson.h>

static json_t *timing_object(const yoke_matmul_timing *t)
{
    json_t *object = json_object();
    tool_json_set(object, "dtype", tool_json_text(yoke_dtype_get_name(t->dtype)));
    tool_json_set(object, "m", json_integer(t->m));
    tool_json_set(object, "n", json_integer(t->n));
    tool_json_set(object, "k", json_integer(t->k));
    tool_json_set(object, "tile", tool_json_text(t->tile));
    tool_json_set(object, "nanoseconds", json_real(t->nanoseconds));
    tool_json_set(object, "gigaflops", json_real(gigaflops(t)));
    tool_json_set(object, "default", json_boolean(t->flags & YOKE_MATMUL_TILE_DEFAULT));
    tool_json_set(object, "taken", json_boolean(t->flags & YOKE_MATMUL_TILE_TAKEN));
    return object;
}

static void print_json(const tuned *devices, size_t count, long seconds)
{
    json_t *document = json_object(), *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *device = json_object(), *timings = json_array();
        for (size_t k = 0; k < devices[i].count; k++)
            tool_json_append(timings, timing_object(&devices[i].all[k]));
        tool_json_set(device, "selector", tool_json_text(devices[i].info.selector));
        tool_json_set(device, "name", tool_json_text(devices[i].info.name));
        tool_json_set(device, "platform", tool_json_text(devices[i].info.platform));
        tool_json_set(device, "driver", tool_json_text(devices[i].info.driver));
        tool_json_set(device, "problem", tool_json_text(devices[i].problem));
        tool_json_set(device, "timings", timings);
        tool_json_append(array, device);
    }
    tool_json_set(document, "format", json_integer(1));
    tool_json_set(document, "yoke", tool_json_text(yoke_version()));
    tool_json_set(document, "seconds", json_integer(seconds));
    tool_json_set(document, "devices", array);
    tool_json_print(document);
}
#else
static void print_json(const tuned *devices, size_t count, long seconds)
{
    (void)devices, (void)count, (void)seconds; /* never called: --json is refused */
}
#endif

/* ---- Measuring ---- */

/* On a terminal, what is being done. */
static void show_progress(const tuned *device, const yoke_matmul_timing *last)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K");
    if (last)
        fprintf(stderr, "%s %zu measured, the last: %lld x %lld x %lld of %s", device->info.selector, device->count,
                (long long)last->m, (long long)last->n, (long long)last->k, yoke_dtype_get_name(last->dtype));
    fflush(stderr);
}

static void note_timing(const yoke_matmul_timing *timing, void *user)
{
    tuned *device = user;
    device->all = tool_grow(device->all, (device->count + 1) * sizeof *device->all);
    device->all[device->count++] = *timing;
    show_progress(device, timing);
}

/* Returns the exit code. */
static int tune(const tool_command *command, const char *selector, long seconds, tuned *device)
{
    yoke_device *opened;
    device->info = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    if (yoke_device_open(selector, &opened) < 0)
        return tool_no_device(command);
    yoke_status status = yoke_device_get_info(opened, &device->info);
    if (status == YOKE_OK)
        status = yoke_matmul_tune(opened, (double)seconds, note_timing, device);
    show_progress(device, NULL);
    if (status < 0) {
        device->problem = tool_text("%s", yoke_error()->text);
        tool_complain(command, "%s: %s", device->info.selector, device->problem);
    }
    yoke_device_release(opened);
    return status < 0 ? TOOL_WRONG : TOOL_FINE;
}

static int tune_all(const tool_command *command, const char *const *selectors, size_t selector_count, long seconds, bool json)
{
    tuned *devices = tool_alloc(MOST_DEVICES * sizeof *devices);
    size_t count = 0;
    int code = TOOL_FINE;
    for (size_t i = 0; i < selector_count; i++) {
        int one = tune(command, selectors[i], seconds, &devices[count]);
        code = code == TOOL_FINE ? one : code;
        if (!json && *devices[count].info.selector)
            print_device(&devices[count]);
        count += *devices[count].info.selector != '\0';
    }
    if (json)
        print_json(devices, count, seconds);
    for (size_t i = 0; i < count; i++) {
        free(devices[i].problem);
        free(devices[i].all);
    }
    free(devices);
    return code;
}

/* ---- The command line ---- */

/* Every device; how many there are. */
static size_t list_all(const char **selectors)
{
    static yoke_device_info infos[MOST_DEVICES];
    size_t count = 0;
    for (size_t i = 0; i < MOST_DEVICES; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    if (yoke_device_list(infos, MOST_DEVICES, &count) < 0)
        return 0;
    count = count < MOST_DEVICES ? count : MOST_DEVICES;
    for (size_t i = 0; i < count; i++)
        selectors[i] = infos[i].selector;
    return count;
}

/* Whether results can be kept, before minutes of measuring; else complains. */
static bool can_keep(const tool_command *command)
{
    yoke_cache_info cache = YOKE_CACHE_INFO_INIT;
    if (yoke_cache_get_info(&cache) == YOKE_OK && cache.mode == YOKE_CACHE_ON)
        return true;
    tool_complain(command,
                  "nothing is measured, since no result could be kept: the cache%s%s is %s%s%s; set YOKE_CACHE_DIR to a "
                  "folder that can be written, and YOKE_CACHE to on, or unset them",
                  *cache.folder ? " in " : "", cache.folder, cache.mode == YOKE_CACHE_READ ? "only read" : "off",
                  *cache.reason ? ": " : "", cache.reason);
    return false;
}

static int run(const tool_command *command, int argc, char **argv)
{
    static const struct option names[] = {
        { "all", no_argument, NULL, 'a' },
        { "json", no_argument, NULL, 'j' },
        { "seconds", required_argument, NULL, 's' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    const char *selectors[MOST_DEVICES] = { NULL }; /* NULL: what the environment orders, or the best device */
    size_t count = 0;
    long seconds = SECONDS;
    bool all = false, json = false;
    for (int option; (option = tool_option(command, argc, argv, "h", names)) != -1;) {
        if (option == 'a')
            all = true;
        else if (option == 'j')
            json = true;
        else if (option == 'h')
            return tool_print_help(command, stdout), TOOL_FINE;
        else if (option != 's')
            return TOOL_USAGE;
        else if (!tool_number(optarg, 1, 3600, &seconds))
            return tool_misused(command, "--seconds takes 1 to 3600, not '%s'", optarg);
    }
    if (all && optind < argc)
        return tool_misused(command, "--all, or devices");
    for (int i = optind; i < argc; i++) {
        if (count == MOST_DEVICES)
            return tool_misused(command, "more than %d devices", MOST_DEVICES);
        selectors[count++] = argv[i];
    }
    if (json && !tool_has_json(command))
        return TOOL_WRONG;
    if (!can_keep(command))
        return TOOL_WRONG;
    if (all)
        count = list_all(selectors);
    return tune_all(command, selectors, count ? count : 1, seconds, json);
}

const tool_command tool_tune = {
    .name = "tune",
    .arguments = "[OPTION]... [SELECTOR]...",
    .summary = "measure which tiles make matrix products fast on a device, and keep the result",
    .help =
        "Measures Yoke's own kernels for matrix products on the devices that are named, or on the default device: each tile of "
        "their table, for several sizes and data types. The result is kept in the folder of the cache (YOKE_CACHE_DIR) for this "
        "device, driver and version of Yoke, and products in all programs take it from there; results keep their bits. "
        "The table has the speed of the tile that is taken, what it gains over the default, and the speed of each tile as a share "
        "of it. Other work on the machine "
        "should rest. Without a cache to write to (YOKE_CACHE=off), nothing is measured.\n\n"
        "  --all        tune every device\n"
        "  --seconds N  how long to measure on each device, with compilation, about (default: 60); a short time leaves out large "
        "sizes\n"
        "  --json       print JSON; the schema is installed as yoke/schema/tune.json\n"
        "  -h, --help   print this\n",
    .run = run,
};
