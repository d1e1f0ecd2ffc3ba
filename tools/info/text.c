/* SPDX-License-Identifier: Apache-2.0 */
/* What `yoke info` has found out, for people. */
#include <stdlib.h>
#include <string.h>

#include <yoke/ops.h>

#include "info.h"

#define INDENT 15

static void field(const char *name, const char *text)
{
    if (!*text)
        return;
    printf("    %-10s ", name);
    tool_wrap(stdout, INDENT, text);
}

static void print_memory(const probe_device *device)
{
    char total[32], free_bytes[32], largest[32];
    bool estimated = device->memory.flags & YOKE_MEMORY_INFO_ESTIMATED;
    tool_string text = { 0 };
    tool_add(&text, "%s", tool_bytes(device->info.memory, total));
    if (device->asked_memory)
        tool_add(&text, ", %s free%s", tool_bytes(device->memory.free, free_bytes), estimated ? " (estimated)" : "");
    tool_add(&text, ", %s in one buffer", tool_bytes(device->info.max_buffer, largest));
    field("memory", text.data);
    free(text.data);
}

/* "blocks of 1024 threads, at most 1024 x 1024 x 64": without what the total already says. */
static void add_blocks(tool_string *text, const yoke_device_info *device)
{
    bool bounded = false;
    for (int i = 0; i < 3; i++)
        bounded = bounded || device->max_block[i] < device->max_block_threads;
    tool_add(text, "blocks of %llu threads", (unsigned long long)device->max_block_threads);
    if (bounded)
        tool_add(text, ", at most %llu x %llu x %llu", (unsigned long long)device->max_block[0],
                 (unsigned long long)device->max_block[1], (unsigned long long)device->max_block[2]);
}

/* A limit that no program reaches is none. */
static void add_grids(tool_string *text, const yoke_device_info *device)
{
    static const char *const dimensions = "xyz";
    const char *before = "; grids of at most ";
    for (int i = 0; i < 3; i++)
        if (device->max_grid[i] < INT32_MAX) {
            tool_add(text, "%s%llu blocks in %c", before, (unsigned long long)device->max_grid[i], dimensions[i]);
            before = ", ";
        }
}

static void print_limits(const yoke_device_info *device)
{
    char shared[32];
    tool_string text = { 0 };
    tool_add(&text, "%u compute unit%s; ", device->compute_units, device->compute_units == 1 ? "" : "s");
    add_blocks(&text, device);
    tool_add(&text, ", with %s of shared memory", tool_bytes(device->max_shared_bytes, shared));
    add_grids(&text, device);
    if (device->view_alignment > 1)
        tool_add(&text, "; views aligned to %llu bytes", (unsigned long long)device->view_alignment);
    field("limits", text.data);
    free(text.data);
}

/* What is missing, in a few words. */
static void print_lacks(const probe_device *device)
{
    tool_string lacks = { 0 };
    for (int i = 0; i < YK_CAP_COUNT; i++)
        if (*device->lacks[i])
            tool_add(&lacks, "%s%s", lacks.length ? ", " : "", info_capability_words[i]);
    field("lacks", lacks.data ? lacks.data : "");
    free(lacks.data);
}

static void print_capabilities(const probe_device *device)
{
    const tool_colours *colours = tool_colours_of(stdout);
    tool_string has = { 0 };
    for (int i = 0; i < YK_CAP_COUNT; i++)
        if (!*device->lacks[i])
            tool_add(&has, "%s%s", has.length ? ", " : "", info_capability_words[i]);
    field("can", has.data ? has.data : "");
    for (int i = 0; i < YK_CAP_COUNT; i++) {
        if (!*device->lacks[i])
            continue;
        char *text = tool_text("%s: %s", info_capability_words[i], device->lacks[i]);
        printf("    %s%-10s ", colours->dim, "cannot");
        tool_wrap(stdout, INDENT, text);
        printf("%s", colours->reset);
        free(text);
    }
    free(has.data);
}

static void print_view(const info_view *view, bool all)
{
    const tool_colours *colours = tool_colours_of(stdout);
    const probe_device *device = view->device;
    char *driver = tool_text("%s, driver %s", device->info.platform, device->info.driver);
    printf("  %s%s%s\n", colours->green, device->info.selector, colours->reset);
    if (info_needs_icd(view)) {
        char *text =
            tool_text("only with OCL_ICD_VENDORS=%s, because the OpenCL drivers do not answer when all are loaded: see below",
                      view->by->what);
        printf("%s", colours->yellow);
        field("reached", text);
        printf("%s", colours->reset);
        free(text);
    }
    field("driver", driver);
    free(driver);
    if (*device->problem) {
        printf("%s", colours->red);
        field("problem", device->problem);
        printf("%s", colours->reset);
    } else if (*device->compiler_problem) {
        printf("%s", colours->yellow);
        field("compiler", device->compiler_problem);
        printf("%s", colours->reset);
    } else {
        char *compiler = tool_text("%s%s%s%s%s", all ? device->compiler.name : "", all ? ", for " : "", device->compiler.language,
                                   *device->compiler.target ? ", " : "", device->compiler.target);
        field("compiler", compiler);
        free(compiler);
    }
    print_memory(device);
    if (!*device->problem && (all || device->tuned > 0)) {
        char *tuned = device->tuned > 0 ? tool_text("matrix products, %zu size%s", device->tuned, device->tuned == 1 ? "" : "s")
                                        : tool_text("no: 'yoke tune' measures what makes matrix products fast");
        field("tuned", tuned);
        free(tuned);
    }
    if (all)
        print_limits(&device->info);
    if (!*device->problem && all)
        print_capabilities(device);
    else if (!*device->problem)
        print_lacks(device);
}

static void print_device(const info_physical *physical, bool all)
{
    const tool_colours *colours = tool_colours_of(stdout);
    const yoke_device_info *best = &physical->views[0].device->info;
    const char *pci = "", *uuid = "";
    for (size_t i = 0; i < physical->count; i++) {
        const yoke_device_info *device = &physical->views[i].device->info;
        pci = *pci ? pci : device->pci;
        uuid = *uuid ? uuid : device->uuid;
    }
    char *heading = tool_text("%s (%s, %s)", best->name, tool_kind_word(best->kind), best->vendor);
    printf("%s", colours->bold);
    tool_wrap(stdout, 0, heading);
    printf("%s", colours->reset);
    free(heading);
    if (*pci || *uuid) {
        char *place = tool_text("%s%s%s%s%s", *pci ? "PCI " : "", pci, *pci && *uuid ? ", " : "", *uuid ? "UUID " : "", uuid);
        printf("  %s", colours->dim);
        tool_wrap(stdout, 2, place);
        printf("%s", colours->reset);
        free(place);
    }
    for (size_t i = 0; i < physical->count; i++)
        print_view(&physical->views[i], all);
}

static void print_lines(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = tool_text("%.*s", (int)length, text);
        printf("        ");
        tool_wrap(stdout, 8, line);
        free(line);
        text += length + (text[length] == '\n');
    }
}

static void print_probe(const probe *asked)
{
    const tool_colours *colours = tool_colours_of(stdout);
    bool broken = info_is_broken(asked), empty = asked->count == 0;
    char *outcome = info_outcome(asked), *rejected = info_rejected(asked);
    printf("  %s%s: %s%s%s\n", asked->icd_folder ? "  " : "", asked->what,
           broken  ? colours->red
           : empty ? colours->yellow
                   : "",
           outcome, colours->reset);
    print_lines(asked->library_fault ? asked->library_fault : rejected); /* the loader only says that it has found nothing */
    if (asked->said && (broken || empty)) {
        char *said = tool_text("it printed: %s", asked->said);
        print_lines(said);
        free(said);
    }
    free(outcome);
    free(rejected);
}

static void print_tried(const info *self)
{
    const tool_colours *colours = tool_colours_of(stdout);
    printf("\n%sWhat was tried%s\n", colours->bold, colours->reset);
    if (*self->host.nvidia)
        printf("  NVIDIA's kernel driver %s is loaded\n", self->host.nvidia);
    for (size_t i = 0; i < self->probe_count; i++)
        print_probe(&self->probes[i]);
    if (self->icds.place && self->icds.count == 0)
        printf("    %s: no .icd file\n", self->icds.place);
}

static bool has_backend(const info *self, const char *backend)
{
    for (size_t i = 0; i < self->device_count; i++)
        for (size_t k = 0; k < self->devices[i].count; k++)
            if (strcmp(self->devices[i].views[k].device->info.backend, backend) == 0)
                return true;
    return false;
}

/* The libraries that operations on arrays use. Without `all`, those of a backend that has devices. */
static void print_libraries(const info *self, bool all)
{
    const tool_colours *colours = tool_colours_of(stdout);
    yoke_ops_library library = YOKE_OPS_LIBRARY_INIT;
    bool begun = false;
    for (size_t i = 0; i <= YOKE_OPS_LIBRARY_CLBLAST; i++) {
        if (!all && !has_backend(self, i == YOKE_OPS_LIBRARY_CLBLAST ? "opencl" : "cuda"))
            continue;
        if (yoke_ops_get_library(i, &library) < 0)
            break;
        char *text = *library.reason ? tool_text("not used: %s", library.reason)
                                     : tool_text("%s%s%s", library.version, *library.version ? ", " : "", library.path);
        if (!begun)
            printf("\n%sLibraries for operations%s\n", colours->bold, colours->reset);
        begun = true;
        field(library.name, text);
        free(text);
    }
}

static void print_advice(const info *self)
{
    const tool_colours *colours = tool_colours_of(stdout);
    if (self->advice_count > 0)
        printf("\n%sWhat to do%s\n", colours->bold, colours->reset);
    for (size_t i = 0; i < self->advice_count; i++) {
        printf("  - ");
        tool_wrap(stdout, 4, self->advice[i].text);
    }
}

/* ---- The answer ---- */

static void answer(const char *name, const char *colour, const char *text)
{
    const tool_colours *colours = tool_colours_of(stdout);
    printf("  %-12s %s", name, colour);
    tool_wrap(stdout, INDENT, text);
    printf("%s", colours->reset);
}

static const probe *find_backend(const info *self, const char *name)
{
    for (size_t i = 0; i < self->probe_count; i++)
        if (!self->probes[i].icd_folder && strcmp(self->probes[i].what, name) == 0)
            return &self->probes[i];
    return NULL;
}

/* What a driver says of why it has nothing: its first line, without its own name in front and the advice behind. */
static char *why_none(const probe *asked)
{
    const char *text = asked->message ? asked->message : "";
    size_t name = strlen(asked->what);
    if (strncmp(text, asked->what, name) == 0 && strncmp(text + name, ": ", 2) == 0)
        text += name + 2;
    static const char loader[] = ": cannot open shared object file: No such file or directory";
    int length = (int)strcspn(text, ";\n");
    const char *missing = strstr(text, loader);
    if (missing && missing - text < length)
        return tool_text("%.*s is missing", (int)(missing - text), text);
    return tool_text("%.*s", length, text);
}

/* OpenCL drivers: all of them, or those without a device. */
static size_t count_drivers(const info *self, bool only_idle)
{
    size_t count = 0;
    for (size_t i = 0; i < self->probe_count; i++)
        count += self->probes[i].icd_folder && !(only_idle && self->probes[i].count > 0);
    return count;
}

static void answer_backend(const info *self, const char *what, const char *name)
{
    const tool_colours *colours = tool_colours_of(stdout);
    const probe *asked = find_backend(self, what);
    tool_string text = { 0 };
    const char *colour = "";
    if (!asked) {
        tool_add(&text, "excluded by YOKE_BACKEND=%s", getenv("YOKE_BACKEND"));
    } else if (info_is_broken(asked)) {
        char *outcome = info_outcome(asked);
        tool_add(&text, "broken: %s", outcome);
        colour = colours->red;
        free(outcome);
    } else if (asked->count == 0 && strcmp(what, "opencl") == 0 && count_drivers(self, false) == 0) {
        tool_add(&text, "no driver: there is no usable .icd file in %s", self->icds.place);
        colour = colours->yellow;
    } else if (asked->count == 0) {
        char *why = why_none(asked);
        tool_add(&text, "no device%s%s", *why ? ": " : "", why);
        colour = colours->yellow;
        free(why);
    } else {
        tool_add(&text, "%zu device%s", asked->count, asked->count == 1 ? "" : "s");
    }
    size_t idle = count_drivers(self, true);
    if (asked && asked->count > 0 && idle > 0 && strcmp(what, "opencl") == 0)
        tool_add(&text, "; %zu of %zu installed drivers %s none", idle, count_drivers(self, false), idle == 1 ? "has" : "have");
    answer(name, colour, text.data);
    free(text.data);
}

static void answer_environment(void)
{
    static const char *const names[] = {
        "YOKE_BACKEND",      "YOKE_DEVICE",        "YOKE_NVRTC",   "CUDA_VISIBLE_DEVICES", "OCL_ICD_VENDORS",
        "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "POCL_DEVICES", "RUSTICL_ENABLE",
    };
    tool_string text = { 0 };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            tool_add(&text, "%s%s=%s", text.length ? " " : "", names[i], value);
    }
    if (text.data)
        answer("environment", "", text.data);
    free(text.data);
}

static void print_answer(const info *self)
{
    const tool_colours *colours = tool_colours_of(stdout);
    char *chosen = info_default(self);
    printf("%sYoke %s%s\n", colours->bold, yoke_version(), colours->reset);
    answer("programs use", self->chosen.count > 0 ? colours->green : colours->red, chosen);
    answer_backend(self, "cuda", "CUDA");
    answer_backend(self, "opencl", "OpenCL");
    answer_environment();
    if (self->device_count == 0)
        printf("\n%sYoke found no usable device.%s\n", colours->bold, colours->reset);
    free(chosen);
}

void info_print(const info *self, bool all)
{
    const tool_colours *colours = tool_colours_of(stdout);
    bool explained = all || self->device_count == 0 || info_is_broken(&self->chosen);
    print_answer(self);
    print_advice(self);
    for (size_t i = 0; i < self->device_count; i++) {
        printf("\n");
        print_device(&self->devices[i], all);
    }
    print_libraries(self, all);
    for (size_t i = 0; i < self->probe_count; i++)
        explained = explained || info_is_broken(&self->probes[i]);
    if (explained)
        print_tried(self);
    if (!all && self->device_count > 0)
        printf("\n%s'yoke info --all' adds limits, reasons and what was tried.%s\n", colours->dim, colours->reset);
}

void info_print_devices(const info *self)
{
    for (size_t i = 0; i < self->device_count; i++) {
        printf("%s", i ? "\n" : "");
        print_device(&self->devices[i], true);
    }
}
