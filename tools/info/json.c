/* SPDX-License-Identifier: Apache-2.0 */
/* What `yoke info` has found out, as JSON: tools/schema/info.json says what each member is. */
#include <stdlib.h>

#include <yoke/ops.h>

#include "info.h"

#ifdef HAVE_JANSSON
#include <jansson.h>

static json_t *number(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *three(const uint64_t values[3])
{
    json_t *array = json_array();
    for (int i = 0; i < 3; i++)
        tool_json_append(array, number(values[i]));
    return array;
}

static json_t *limits(const yoke_device_info *device)
{
    json_t *object = json_object();
    tool_json_set(object, "max_buffer_bytes", number(device->max_buffer));
    tool_json_set(object, "max_shared_bytes", number(device->max_shared_bytes));
    tool_json_set(object, "max_grid", three(device->max_grid));
    tool_json_set(object, "max_block", three(device->max_block));
    tool_json_set(object, "max_block_threads", number(device->max_block_threads));
    tool_json_set(object, "view_alignment", number(device->view_alignment));
    return object;
}

static json_t *compiler(const probe_device *device)
{
    json_t *object = json_object();
    tool_json_set(object, "name", tool_json_text(device->compiler.name));
    tool_json_set(object, "language", tool_json_text(device->compiler.language));
    tool_json_set(object, "target", tool_json_text(device->compiler.target));
    tool_json_set(object, "problem", tool_json_text(device->compiler_problem));
    return object;
}

/* Of a device that does not open, nothing is known of these. */
static json_t *capabilities(const probe_device *device)
{
    json_t *object = json_object();
    for (int i = 0; i < YK_CAP_COUNT; i++) {
        json_t *one = json_object();
        tool_json_set(one, "has", json_boolean((device->info.capabilities >> i & 1) != 0));
        tool_json_set(one, "reason", tool_json_text(device->lacks[i]));
        tool_json_set(object, info_capability_names[i], one);
    }
    return object;
}

static json_t *view(const info_view *seen)
{
    const probe_device *device = seen->device;
    json_t *object = json_object();
    tool_json_set(object, "selector", tool_json_text(device->info.selector));
    tool_json_set(object, "backend", tool_json_text(device->info.backend));
    tool_json_set(object, "only_with_icd", tool_json_text(info_needs_icd(seen) ? seen->by->what : NULL));
    tool_json_set(object, "name", tool_json_text(device->info.name));
    tool_json_set(object, "platform", tool_json_text(device->info.platform));
    tool_json_set(object, "driver", tool_json_text(device->info.driver));
    tool_json_set(object, "problem", tool_json_text(device->problem));
    tool_json_set(object, "compiler", compiler(device));
    tool_json_set(object, "memory_bytes", number(device->info.memory));
    tool_json_set(object, "free_bytes", device->asked_memory ? number(device->memory.free) : json_null());
    tool_json_set(object, "free_is_estimated", json_boolean(device->memory.flags & YOKE_MEMORY_INFO_ESTIMATED));
    tool_json_set(object, "compute_units", number(device->info.compute_units));
    tool_json_set(object, "tuned_sizes", number(device->tuned));
    tool_json_set(object, "limits", limits(&device->info));
    tool_json_set(object, "capabilities", capabilities(device));
    return object;
}

static json_t *physical(const info_physical *seen)
{
    const yoke_device_info *best = &seen->views[0].device->info;
    const char *pci = "", *uuid = "";
    json_t *object = json_object(), *backends = json_array();
    for (size_t i = 0; i < seen->count; i++) {
        pci = *pci ? pci : seen->views[i].device->info.pci;
        uuid = *uuid ? uuid : seen->views[i].device->info.uuid;
        tool_json_append(backends, view(&seen->views[i]));
    }
    tool_json_set(object, "name", tool_json_text(best->name));
    tool_json_set(object, "vendor", tool_json_text(best->vendor));
    tool_json_set(object, "kind", tool_json_text(tool_kind_word(best->kind)));
    tool_json_set(object, "pci", tool_json_text(pci));
    tool_json_set(object, "uuid", tool_json_text(uuid));
    tool_json_set(object, "backends", backends);
    return object;
}

static json_t *tried(const probe *asked)
{
    static const char *const outcomes[] = { [PROBE_ANSWERED] = "answered",
                                            [PROBE_FAILED] = "failed",
                                            [PROBE_LATE] = "late",
                                            [PROBE_CRASHED] = "crashed",
                                            [PROBE_ENDED] = "ended" };
    _Static_assert(YK_COUNT_OF(outcomes) == PROBE_ENDED + 1, "a word for each outcome");
    char *rejected = info_rejected(asked);
    json_t *object = json_object();
    tool_json_set(object, "what", tool_json_text(asked->what));
    tool_json_set(object, "backend", tool_json_text(asked->backend));
    tool_json_set(object, "library", tool_json_text(asked->icd_library));
    tool_json_set(object, "outcome", tool_json_text(outcomes[asked->outcome]));
    tool_json_set(object, "code", info_is_broken(asked) && asked->outcome != PROBE_LATE ? json_integer(asked->code) : json_null());
    tool_json_set(object, "doing", tool_json_text(info_is_broken(asked) ? asked->doing : NULL));
    tool_json_set(object, "seconds", json_real(asked->seconds));
    tool_json_set(object, "devices", number(asked->count));
    tool_json_set(object, "rejected", tool_json_text(rejected));
    tool_json_set(object, "library_fault", tool_json_text(asked->library_fault));
    tool_json_set(object, "said", tool_json_text(asked->said));
    free(rejected);
    return object;
}

static json_t *host_object(const host *self)
{
    json_t *object = json_object(), *gpus = json_array(), *nodes = json_array();
    for (size_t i = 0; i < self->gpu_count; i++) {
        json_t *gpu = json_object();
        tool_json_set(gpu, "pci", tool_json_text(self->gpus[i].pci));
        tool_json_set(gpu, "vendor", tool_json_text(host_vendor_word(self->gpus[i].vendor)));
        tool_json_append(gpus, gpu);
    }
    for (size_t i = 0; i < self->node_count; i++) {
        json_t *node = json_object();
        tool_json_set(node, "path", tool_json_text(self->nodes[i].path));
        tool_json_set(node, "usable", json_boolean(self->nodes[i].usable));
        tool_json_append(nodes, node);
    }
    tool_json_set(object, "container", tool_json_text(self->container));
    tool_json_set(object, "nvidia_kernel_driver", tool_json_text(self->nvidia));
    tool_json_set(object, "gpus", gpus);
    tool_json_set(object, "device_files", nodes);
    return object;
}

/* The device that programs get without a selector; with one on the command line, the device that it opens. */
static json_t *chosen(const info *self)
{
    json_t *object = json_object();
    bool found = self->chosen.count > 0;
    char *broken = info_is_broken(&self->chosen) ? info_outcome(&self->chosen) : NULL;
    tool_json_set(object, "selector", tool_json_text(found ? self->chosen.devices[0].info.selector : NULL));
    tool_json_set(object, "asked", tool_json_text(self->chosen.selector));
    tool_json_set(object, "problem", tool_json_text(found ? NULL : broken ? broken : self->chosen.message));
    free(broken);
    return object;
}

static json_t *libraries(void)
{
    json_t *array = json_array();
    yoke_ops_library library = YOKE_OPS_LIBRARY_INIT;
    for (size_t i = 0; yoke_ops_get_library(i, &library) == YOKE_OK; i++) {
        json_t *one = json_object();
        tool_json_set(one, "name", tool_json_text(library.name));
        tool_json_set(one, "version", tool_json_text(library.version));
        tool_json_set(one, "path", tool_json_text(library.path));
        tool_json_set(one, "reason", tool_json_text(library.reason));
        tool_json_append(array, one);
    }
    return array;
}

void info_print_json(const info *self)
{
    json_t *document = json_object(), *devices = json_array(), *all_tried = json_array(), *advice = json_array();
    for (size_t i = 0; i < self->device_count; i++)
        tool_json_append(devices, physical(&self->devices[i]));
    for (size_t i = 0; i < self->probe_count; i++)
        tool_json_append(all_tried, tried(&self->probes[i]));
    for (size_t i = 0; i < self->advice_count; i++) {
        json_t *one = json_object();
        tool_json_set(one, "about", tool_json_text(self->advice[i].about));
        tool_json_set(one, "text", tool_json_text(self->advice[i].text));
        tool_json_append(advice, one);
    }
    tool_json_set(document, "format", json_integer(1));
    tool_json_set(document, "yoke", tool_json_text(yoke_version()));
    tool_json_set(document, "host", host_object(&self->host));
    tool_json_set(document, "chosen", chosen(self));
    tool_json_set(document, "devices", devices);
    tool_json_set(document, "libraries", libraries());
    tool_json_set(document, "tried", all_tried);
    tool_json_set(document, "advice", advice);
    tool_json_print(document);
}
#else
void info_print_json(const info *self)
{
    (void)self; /* never called: --json is refused */
}
#endif
