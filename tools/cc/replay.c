/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `yoke cc --replay`: launches that YOKE_RECORD has kept, run again by either form on any device, and compared with what they left
 * where they were recorded.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"

/* ---- Which records ---- */

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* The records of a folder in the order of their names, or the one file; to be freed. NULL: complained. */
static char **list_records(const tool_command *command, const char *path, size_t *out_count)
{
    DIR *folder = opendir(path);
    char **paths = tool_alloc(sizeof *paths);
    size_t count = 0;
    if (!folder && errno == ENOTDIR)
        paths[count++] = tool_text("%s", path);
    else if (!folder)
        tool_complain(command, "--replay %s: %s", path, strerror(errno));
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (cc_ends(entry->d_name, ".json")) {
            paths = tool_grow(paths, (count + 2) * sizeof *paths);
            paths[count++] = tool_text("%s/%s", path, entry->d_name);
        }
    if (folder && count == 0)
        tool_complain(command, "--replay %s: there is no record in it", path);
    if (folder)
        closedir(folder);
    qsort(paths, count, sizeof *paths, compare_names);
    *out_count = count;
    if (count == 0) {
        free(paths);
        return NULL;
    }
    return paths;
}

/* ---- Running ---- */

/* What is expected of each buffer. */
static unsigned char **expected_of(const run_case *c)
{
    unsigned char **expected = tool_alloc((c->count + 1) * sizeof *expected);
    for (size_t i = 0; i < c->count; i++)
        expected[i] = c->args[i].expected;
    return expected;
}

/* Launch the case by one side. A kernel that this side does not have is no failure: *out_ran stays. */
static int replay_on(const tool_command *command, const cc_options *o, const cc_side *s, const run_case *c, size_t *out_ran,
                     size_t *out_differing)
{
    char time[32];
    run_result result;
    yoke_kernel *kernel = cc_find_kernel(o, s, c->kernel);
    if (!kernel)
        return TOOL_FINE;
    ++*out_ran;
    if (run_launch(kernel, c, &result) < 0) {
        tool_complain(command, "kernel %s of %s: %s", c->kernel, s->name, yoke_error()->text);
        run_free_result(&result);
        return TOOL_WRONG;
    }
    printf("  %s (%s)%s%s%s\n", s->name, s->info.name, result.nanoseconds < 0 ? "" : ": ", run_time_text(result.nanoseconds, time),
           result.varies ? ", and other values in a second launch" : "");
    unsigned char **expected = expected_of(c);
    *out_differing += run_report(c, expected, result.after, o->run.ulps);
    free(expected);
    run_free_result(&result);
    return TOOL_FINE;
}

/* Adds to *out_ran the sides that have run it, and to *out_differing the buffers that differ. */
static int replay(const tool_command *command, const cc_options *o, const cc_side *sides, size_t count, const char *path,
                  size_t *out_ran, size_t *out_differing)
{
    const tool_colours *colours = tool_colours_of(stdout);
    run_case c;
    size_t ran = 0;
    int code = TOOL_FINE;
    char *why = run_read_record(path, &c);
    if (why) {
        tool_complain(command, "%s", why);
        free(why);
        return TOOL_USAGE;
    }
    if (!o->run.kernel || strcmp(o->run.kernel, c.kernel) == 0) {
        printf("%skernel %s%s, recorded on %s: %u x %u x %u blocks of %u x %u x %u threads\n", colours->bold, c.kernel,
               colours->reset, c.origin, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z);
        for (size_t i = 0; i < count && code == TOOL_FINE; i++)
            code = replay_on(command, o, &sides[i], &c, &ran, out_differing);
        if (code == TOOL_FINE && ran == 0)
            printf("  %snot in these files%s\n", colours->yellow, colours->reset);
    }
    *out_ran += ran;
    run_free_case(&c);
    return code;
}

/* The devices that are named; else the best one of each form. */
static int choose_sides(const tool_command *command, cc_options *o, cc_side sides[CC_MOST], size_t *out_count)
{
    int code = TOOL_FINE;
    for (size_t i = 0; i < o->device_count && code == TOOL_FINE; i++)
        code = cc_take_selector(command, o, o->devices[i], &sides[(*out_count)++]);
    for (int i = 0; i < 2 && o->device_count == 0 && code == TOOL_FINE; i++) {
        yoke_device *device = o->forms[i].path ? cc_open_device(o, &o->forms[i]) : NULL;
        if (device)
            code = cc_take_device(command, o, device, &sides[(*out_count)++]);
        else if (o->forms[i].path)
            printf("%s cannot run: %s\n", o->forms[i].path, o->forms[i].why);
    }
    return code == TOOL_FINE && *out_count == 0 ? TOOL_NO_DEVICE : code;
}

int cc_replay(const tool_command *command, cc_options *o)
{
    const tool_colours *colours = tool_colours_of(stdout);
    cc_side sides[CC_MOST] = { { 0 } };
    size_t count = 0, record_count = 0, ran = 0, differing = 0;
    char **records = list_records(command, o->run.replay, &record_count);
    if (!records)
        return TOOL_USAGE;
    int code = choose_sides(command, o, sides, &count);
    for (size_t i = 0; i < count && code == TOOL_FINE; i++)
        code = cc_build_side(command, o, &sides[i]);
    for (size_t i = 0; i < record_count && code == TOOL_FINE; i++)
        code = replay(command, o, sides, count, records[i], &ran, &differing);
    if (code == TOOL_FINE && ran == 0) {
        tool_complain(command, "--replay %s: nothing was run: no record is of %s", o->run.replay,
                      o->run.kernel ? "that kernel of these files" : "a kernel of these files");
        code = TOOL_WRONG;
    }
    if (code == TOOL_FINE && differing > 0)
        printf("%sThe results differ%s from the recorded ones in %zu buffer%s\n", colours->red, colours->reset, differing,
               differing == 1 ? "" : "s");
    else if (code == TOOL_FINE)
        printf("%sThe results are the recorded ones%s\n", colours->green, colours->reset);
    for (size_t i = 0; i < record_count; i++)
        free(records[i]);
    free(records);
    for (size_t i = 0; i < count; i++)
        cc_free_side(&sides[i]);
    return code == TOOL_FINE && differing > 0 ? TOOL_WRONG : code;
}
