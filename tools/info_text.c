/* SPDX-License-Identifier: Apache-2.0 */
/* What `yoke info` has found out, for people. */
#include <stdlib.h>
#include <string.h>

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

static void print_limits(const yoke_device_info *device)
{
    char shared[32], *text;
    text =
        tool_text("%u compute units; blocks of %llu threads, at most %llu x %llu x %llu, with %s of shared memory; grids of %llu x "
                  "%llu x %llu blocks; views aligned to %llu byte%s",
                  device->compute_units, (unsigned long long)device->max_block_threads, (unsigned long long)device->max_block[0],
                  (unsigned long long)device->max_block[1], (unsigned long long)device->max_block[2],
                  tool_bytes(device->max_shared_bytes, shared), (unsigned long long)device->max_grid[0],
                  (unsigned long long)device->max_grid[1], (unsigned long long)device->max_grid[2],
                  (unsigned long long)device->view_alignment, device->view_alignment == 1 ? "" : "s");
    field("limits", text);
    free(text);
}

static void print_capabilities(const probe_device *device)
{
    const tool_colours *colours = tool_colours_of(stdout);
    tool_string has = { 0 };
    for (int i = 0; i < YOKE_CAP_COUNT; i++)
        if (!*device->lacks[i])
            tool_add(&has, "%s%s", has.length ? ", " : "", info_capability_words[i]);
    field("can", has.data ? has.data : "");
    for (int i = 0; i < YOKE_CAP_COUNT; i++) {
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

static void print_view(const info_view *view)
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
        char *compiler = tool_text("%s, for %s%s%s", device->compiler.name, device->compiler.language,
                                   *device->compiler.target ? ", " : "", device->compiler.target);
        field("compiler", compiler);
        free(compiler);
    }
    print_memory(device);
    print_limits(&device->info);
    if (!*device->problem)
        print_capabilities(device);
}

static void print_device(const info_physical *physical)
{
    const tool_colours *colours = tool_colours_of(stdout);
    const yoke_device_info *best = &physical->views[0].device->info;
    const char *pci = "", *uuid = "";
    for (size_t i = 0; i < physical->count; i++) {
        const yoke_device_info *device = &physical->views[i].device->info;
        pci = *pci ? pci : device->pci;
        uuid = *uuid ? uuid : device->uuid;
    }
    printf("%s%s%s (%s, %s)\n", colours->bold, best->name, colours->reset, tool_kind_word(best->kind), best->vendor);
    if (*pci || *uuid)
        printf("  %s%s%s%s%s%s%s\n", colours->dim, *pci ? "PCI " : "", pci, *pci && *uuid ? ", " : "", *uuid ? "UUID " : "", uuid,
               colours->reset);
    for (size_t i = 0; i < physical->count; i++)
        print_view(&physical->views[i]);
    printf("\n");
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

static void print_environment(void)
{
    static const char *const names[] = {
        "YOKE_BACKEND",      "YOKE_DEVICE",        "YOKE_NVRTC",   "CUDA_VISIBLE_DEVICES", "OCL_ICD_VENDORS",
        "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "POCL_DEVICES", "RUSTICL_ENABLE",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            printf("  %s=%s\n", names[i], value);
    }
}

void info_print(const info *self, bool only_devices)
{
    const tool_colours *colours = tool_colours_of(stdout);
    for (size_t i = 0; i < self->device_count; i++)
        print_device(&self->devices[i]);
    if (only_devices)
        return;
    if (self->device_count == 0)
        printf("%sYoke found no usable device.%s\n\n", colours->bold, colours->reset);
    printf("%sWhat was tried%s\n", colours->bold, colours->reset);
    print_environment();
    if (*self->host.nvidia)
        printf("  NVIDIA's kernel driver %s is loaded\n", self->host.nvidia);
    for (size_t i = 0; i < self->probe_count; i++)
        print_probe(&self->probes[i]);
    if (self->icds.place && self->icds.count == 0)
        printf("    %s: no .icd file\n", self->icds.place);
    if (self->advice_count > 0)
        printf("\n%sWhat to do%s\n", colours->bold, colours->reset);
    for (size_t i = 0; i < self->advice_count; i++) {
        printf("  - %s: ", self->advice[i].about);
        tool_wrap(stdout, 6 + (int)strlen(self->advice[i].about), self->advice[i].text);
    }
}
