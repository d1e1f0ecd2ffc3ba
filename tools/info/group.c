/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices of which backends are one physical device. */
#include <string.h>

#include "info.h"

bool info_is_broken(const probe *asked)
{
    return asked->outcome == PROBE_LATE || asked->outcome == PROBE_CRASHED || asked->outcome == PROBE_ENDED;
}

bool info_needs_icd(const info_view *view)
{
    return view->by->icd_folder != NULL;
}

static bool is_known(const char *text)
{
    return text[strspn(text, "0-:.")] != '\0';
}

/* Two devices of one platform are never the same, whatever they say: the parts of a divided GPU share an address, and PoCL's
 * devices a UUID. */
static bool is_same_platform(const probe_device *one, const probe_device *other)
{
    return strcmp(one->info.backend, other->info.backend) == 0 && strcmp(one->info.platform, other->info.platform) == 0;
}

static bool takes(const info_physical *physical, const probe_device *device, bool by_uuid)
{
    bool same = false;
    for (size_t i = 0; i < physical->count; i++) {
        const probe_device *other = physical->views[i].device;
        const char *one = by_uuid ? device->info.uuid : device->info.pci, *two = by_uuid ? other->info.uuid : other->info.pci;
        if (is_same_platform(device, other))
            return false;
        same = same || (is_known(one) && strcmp(one, two) == 0);
    }
    return same && physical->count < INFO_MOST_VIEWS;
}

static void add_view(info *self, const probe *by, const probe_device *device)
{
    for (int by_uuid = 1; by_uuid >= 0; by_uuid--)
        for (size_t i = 0; i < self->device_count; i++)
            if (takes(&self->devices[i], device, by_uuid)) {
                self->devices[i].views[self->devices[i].count++] = (info_view){ device, by };
                return;
            }
    self->devices = tool_grow(self->devices, (self->device_count + 1) * sizeof *self->devices);
    self->devices[self->device_count++] = (info_physical){ .views = { { device, by } }, .count = 1 };
}

/* Backends as programs see them; where OpenCL does not answer as a whole, what its drivers have alone. */
void info_gather(info *self)
{
    bool broken = false;
    for (size_t i = 0; i < self->probe_count; i++) {
        const probe *asked = &self->probes[i];
        if (!asked->icd_folder && strcmp(asked->what, "opencl") == 0)
            broken = info_is_broken(asked);
        if (asked->icd_folder ? broken : !info_is_broken(asked) || strcmp(asked->what, "cuda") == 0)
            for (size_t k = 0; k < asked->count; k++)
                add_view(self, asked, &asked->devices[k]);
    }
}
