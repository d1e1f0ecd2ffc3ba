/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices `yoke info` takes for one: by UUID, else by PCI address, and never two of one platform. */
#include "../../tools/info/info.h"

#include <stdlib.h>
#include <string.h>

#include "../tap/tap.h"

#define UUID "68b8d1d4-5525-541e-965b-bc69d86e3b6f"

static probe_device device(const char *selector, const char *platform, const char *pci, const char *uuid)
{
    probe_device made = { .info = YOKE_DEVICE_INFO_INIT };
    snprintf(made.info.selector, sizeof made.info.selector, "%s", selector);
    snprintf(made.info.backend, sizeof made.info.backend, "%.*s", (int)strcspn(selector, ":"), selector);
    snprintf(made.info.platform, sizeof made.info.platform, "%s", platform);
    snprintf(made.info.pci, sizeof made.info.pci, "%s", pci);
    snprintf(made.info.uuid, sizeof made.info.uuid, "%s", uuid);
    return made;
}

/* "cuda:0+opencl:0 opencl:1": what is found in the devices of both backends. */
static void found_in(const char *expected, probe_device *cuda, size_t cuda_count, probe_device *opencl, size_t opencl_count,
                     const char *words)
{
    probe probes[2] = { { .what = "cuda", .backend = "cuda", .devices = cuda, .count = cuda_count },
                        { .what = "opencl", .backend = "opencl", .devices = opencl, .count = opencl_count } };
    info self = { .probes = probes, .probe_count = 2 };
    tool_string found = { 0 };
    info_gather(&self);
    for (size_t i = 0; i < self.device_count; i++)
        for (size_t k = 0; k < self.devices[i].count; k++)
            tool_add(&found, "%s%s", k ? "+" : i ? " " : "", self.devices[i].views[k].device->info.selector);
    tap_is(found.data ? found.data : "", expected, "%s", words);
    free(found.data);
    free(self.devices);
}

static void two_backends(void)
{
    probe_device cuda[2] = { device("cuda:0", "NVIDIA CUDA", "0000:17:00.0", UUID),
                             device("cuda:1", "NVIDIA CUDA", "0000:18:00.0", "") };
    probe_device opencl[3] = { device("opencl:0", "NVIDIA CUDA", "0000:18:00.0", ""), device("opencl:1", "NVIDIA CUDA", "", UUID),
                               device("opencl:2", "PoCL", "", "") };
    found_in("cuda:0+opencl:1 cuda:1+opencl:0 opencl:2", cuda, 2, opencl, 3, "one by its UUID, one by its address, one by itself");
}

static void divided(void)
{
    static const char *const parts[] = { "11111111-0000-0000-0000-000000000000", "22222222-0000-0000-0000-000000000000" };
    probe_device cuda[2] = { device("cuda:0", "NVIDIA CUDA", "0000:17:00.0", parts[0]),
                             device("cuda:1", "NVIDIA CUDA", "0000:17:00.0", parts[1]) };
    probe_device opencl[1] = { device("opencl:0", "NVIDIA CUDA", "0000:17:00.0", parts[1]) };
    found_in("cuda:0 cuda:1+opencl:0", cuda, 2, opencl, 1, "the parts of a divided GPU are distinguished by their UUIDs");
}

static void alike(void)
{
    probe_device opencl[4] = { device("opencl:0", "PoCL", "", UUID), device("opencl:1", "PoCL", "", UUID),
                               device("opencl:2", "Other", "0000:00:00.0", "00000000-0000-0000-0000-000000000000"),
                               device("opencl:3", "Another", "0000:00:00.0", "00000000-0000-0000-0000-000000000000") };
    found_in("opencl:0 opencl:1 opencl:2 opencl:3", NULL, 0, opencl, 4, "two of one platform are two, and zeros are no names");
}

static void through_two_platforms(void)
{
    probe_device opencl[2] = { device("opencl:0", "Intel", "0000:00:02.0", UUID),
                               device("opencl:1", "rusticl", "0000:00:02.0", "33333333-0000-0000-0000-000000000000") };
    found_in("opencl:0+opencl:1", NULL, 0, opencl, 2, "two drivers that name a GPU each in their way, at one address");
}

/* All OpenCL drivers together have crashed: each by itself counts. */
static void broken(void)
{
    probe_device one = device("opencl:0", "PoCL", "", "");
    probe probes[3] = { { .what = "opencl", .backend = "opencl", .outcome = PROBE_CRASHED },
                        { .what = "/a.icd", .icd_folder = "a", .outcome = PROBE_CRASHED },
                        { .what = "/b.icd", .icd_folder = "b", .devices = &one, .count = 1 } };
    info self = { .probes = probes, .probe_count = 3 };
    info_gather(&self);
    tap_is(self.device_count, 1, "the device of the driver that works alone");
    tap_ok(self.device_count == 1 && info_needs_icd(&self.devices[0].views[0]), "is reached through its ICD file");
    free(self.devices);
    probes[0].outcome = PROBE_ANSWERED;
    self = (info){ .probes = probes, .probe_count = 3 };
    info_gather(&self);
    tap_is(self.device_count, 0, "but not where all together answer");
    free(self.devices);
}

int main(void)
{
    tap_start(60);
    two_backends();
    divided();
    alike();
    through_two_platforms();
    broken();
    return tap_done();
}
