/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `yoke info` has found out, as lines "KEY: VALUE": doc/testing.md says what each key is. Addresses on the bus and UUIDs,
 * which belong to one piece of hardware, are left out.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/ops.h>

#include "info.h"

/* A line of the thing that is being told of, such as "device.2"; none for an empty text. */
YOKE_PRINTF(4, 5) static void line(FILE *out, const char *of, const char *key, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    if (vsnprintf(NULL, 0, format, arguments) > 0) {
        fprintf(out, "%s.%s: ", of, key);
        vfprintf(out, format, again);
        fputc('\n', out);
    }
    va_end(again);
    va_end(arguments);
}

static void write_limits(const yoke_device_info *device, const char *of, FILE *out)
{
    line(out, of, "compute_units", "%u", device->compute_units);
    line(out, of, "compute_capability", "%u", device->compute_capability);
    line(out, of, "memory_bytes", "%llu", (unsigned long long)device->memory);
    line(out, of, "max_buffer_bytes", "%llu", (unsigned long long)device->max_buffer);
    line(out, of, "max_shared_bytes", "%llu", (unsigned long long)device->max_shared_bytes);
    line(out, of, "max_block_threads", "%llu", (unsigned long long)device->max_block_threads);
    line(out, of, "max_block", "%llu %llu %llu", (unsigned long long)device->max_block[0], (unsigned long long)device->max_block[1],
         (unsigned long long)device->max_block[2]);
    line(out, of, "max_grid", "%llu %llu %llu", (unsigned long long)device->max_grid[0], (unsigned long long)device->max_grid[1],
         (unsigned long long)device->max_grid[2]);
    line(out, of, "view_alignment", "%llu", (unsigned long long)device->view_alignment);
}

static void write_capabilities(const probe_device *device, const char *of, FILE *out)
{
    for (int i = 0; i < YK_CAP_COUNT; i++) {
        fprintf(out, "%s.can.%s: %s", of, info_capability_names[i], *device->lacks[i] ? "no: " : "yes\n");
        if (*device->lacks[i])
            fprintf(out, "%s\n", device->lacks[i]);
    }
}

/* `facts` is lines already. */
static void write_facts(const char *facts, const char *of, FILE *out)
{
    while (*facts) {
        size_t length = strcspn(facts, "\n");
        if (facts[length] == '\n') /* else it is what was left of the last one */
            fprintf(out, "%s.cl.%.*s\n", of, (int)length, facts);
        facts += length + (facts[length] == '\n');
    }
}

static void write_device(const info_view *view, size_t number, size_t physical, FILE *out)
{
    const probe_device *device = view->device;
    char of[32];
    snprintf(of, sizeof of, "device.%zu", number);
    line(out, of, "selector", "%s", device->info.selector);
    line(out, of, "name", "%s", device->info.name);
    line(out, of, "kind", "%s", tool_kind_word(device->info.kind));
    line(out, of, "vendor", "%s", device->info.vendor);
    line(out, of, "platform", "%s", device->info.platform);
    line(out, of, "driver", "%s", device->info.driver);
    line(out, of, "hardware", "%zu", physical); /* devices of one number are one device, seen through several drivers */
    if (info_needs_icd(view))
        line(out, of, "reached", "only with its driver alone");
    line(out, of, "problem", "%s", device->problem);
    write_limits(&device->info, of, out);
    if (*device->problem)
        return;
    line(out, of, "compiler", "%s", device->compiler.name);
    line(out, of, "compiler_language", "%s", device->compiler.language);
    line(out, of, "compiler_target", "%s", device->compiler.target);
    line(out, of, "compiler_problem", "%s", device->compiler_problem);
    line(out, of, "tuned_sizes", "%zu", device->tuned);
    write_capabilities(device, of, out);
    write_facts(device->facts, of, out);
}

static void write_driver(const probe *asked, size_t number, FILE *out)
{
    char of[32], *outcome = info_outcome(asked), *rejected = info_rejected(asked);
    const char *file = strrchr(asked->what, '/');
    snprintf(of, sizeof of, "driver.%zu", number);
    line(out, of, "name", "%s", file ? file + 1 : asked->what);
    line(out, of, "answer", "%s", outcome);
    if (asked->library_fault || *rejected) {
        const char *text = asked->library_fault ? asked->library_fault : rejected;
        line(out, of, "says", "%.*s", (int)strcspn(text, "\n"), text);
    }
    free(rejected);
    free(outcome);
}

static void write_libraries(FILE *out)
{
    yoke_ops_library library = YOKE_OPS_LIBRARY_INIT;
    for (size_t i = 0; i <= YOKE_OPS_LIBRARY_CLBLAST && yoke_ops_get_library(i, &library) == YOKE_OK; i++)
        fprintf(out, "library.%s: %s%s\n", library.name, *library.reason ? "not used: " : "",
                *library.reason ? library.reason : library.version);
}

void info_write_lines(const info *self, FILE *out)
{
    size_t number = 0;
    char *chosen = info_default(self);
    fprintf(out, "default: %s\n", chosen);
    free(chosen);
    if (self->host.container)
        fprintf(out, "container: %s\n", self->host.container);
    for (size_t i = 0; i < self->host.gpu_count; i++)
        fprintf(out, "gpu.%zu.pci_vendor: 0x%04x\n", i + 1, self->host.gpus[i].vendor);
    if (*self->host.nvidia)
        fprintf(out, "nvidia_kernel_driver: %s\n", self->host.nvidia);
    for (size_t i = 0; i < self->probe_count; i++)
        write_driver(&self->probes[i], i + 1, out);
    write_libraries(out);
    for (size_t i = 0; i < self->device_count; i++)
        for (size_t k = 0; k < self->devices[i].count; k++)
            write_device(&self->devices[i].views[k], ++number, i + 1, out);
}
