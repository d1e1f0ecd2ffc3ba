/* SPDX-License-Identifier: Apache-2.0 */
/* What `yoke info` sees of a system, in folders that stand for the roots of systems: bare ones, containers, drivers of all kinds.
 */
#include "../../tools/ground/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tap/tap.h"

static char root[] = "/tmp/yoke-host.XXXXXX";

/* A file below the root, with its folders. */
static void put(const char *path, const char *content, mode_t mode)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = strchr(full + sizeof root, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    if (!file || fputs(content, file) < 0 || fclose(file) != 0 || chmod(full, mode) != 0)
        tap_bail("%s cannot be written", full);
}

static void put_pci(const char *address, const char *class, const char *vendor)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/class", address);
    put(path, class, 0600);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/vendor", address);
    put(path, vendor, 0600);
}

static void begin(void)
{
    strcpy(root, "/tmp/yoke-host.XXXXXX");
    if (!mkdtemp(root))
        tap_bail("no folder");
}

static void end(host *self)
{
    char command[64];
    host_free(self);
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    if (system(command) != 0)
        tap_diag("%s stays behind", root);
}

static void bare(void)
{
    host self;
    const host_node *locked;
    begin();
    host_look(&self, root);
    tap_ok(self.gpu_count == 0 && self.node_count == 0 && !*self.nvidia && !self.container, "a system that shows nothing");
    tap_ok(host_nodes(&self, "/dev/nvidia", &locked) == 0 && !locked, "has no device files");
    end(&self);
}

static void nvidia(void)
{
    host self;
    const host_node *locked;
    begin();
    put_pci("0000:00:1f.3", "0x040300\n", "0x8086\n"); /* sound */
    put_pci("0000:17:00.0", "0x030200\n", "0x10de\n");
    put_pci("0000:65:00.0", "0x030000\n", "0x1a03\n"); /* a board's own display */
    put("/proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 10:11:16 UTC 2025\nGCC version: 12.2.0\n", 0600);
    put("/dev/nvidia0", "", 0600);
    put("/dev/nvidiactl", "", 0600);
    put("/dev/nvidia-uvm", "", 0600);
    put("/dev/nvidia-caps", "", 0600); /* none of those that programs need */
    put("/dev/dri/renderD128", "", 0600);
    put("/dev/dri/card0", "", 0600);
    host_look(&self, root);
    tap_ok(self.gpu_count == 1 && strcmp(self.gpus[0].pci, "0000:17:00.0") == 0, "a GPU on the bus, and nothing else of it");
    tap_ok(host_has_gpu(&self, HOST_NVIDIA) && !host_has_gpu(&self, HOST_AMD) && !host_has_gpu(&self, HOST_INTEL), "is NVIDIA's");
    tap_ok(strcmp(self.nvidia, "580.95.05") == 0, "the kernel driver's version");
    tap_ok(host_nodes(&self, "/dev/nvidia", &locked) == 3 && !locked, "its device files, which may be used");
    tap_ok(host_nodes(&self, "/dev/dri/renderD", &locked) == 1, "render nodes, and no cards");
    tap_ok(self.container == NULL, "no container");
    end(&self);
}

static void locked(void)
{
    host self;
    const host_node *found;
    begin();
    put("/dev/nvidia0", "", 0);
    put("/dev/nvidia1", "", 0600);
    host_look(&self, root);
    tap_ok(host_nodes(&self, "/dev/nvidia", &found) == 2, "two device files");
    if (geteuid() == 0)
        tap_skip("root may use them all");
    else
        tap_ok(found && strstr(found->path, "/dev/nvidia0") && *found->group, "of which one is locked, and belongs to a group");
    end(&self);
}

static void containers(void)
{
    static const struct {
        const char *path, *content, *name;
    } cases[] = {
        { "/.dockerenv", "", "Docker" },
        { "/run/.containerenv", "", "Podman" },
        { "/.singularity.d/env", "", "Apptainer" },
        { "/run/systemd/container", "lxc\n", "a container" },
        { "/proc/1/cgroup", "0::/kubepods/besteffort/pod1\n", "Kubernetes" },
        { "/proc/1/cgroup", "12:cpu:/docker/4711\n", "a container" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        host self;
        begin();
        put(cases[i].path, cases[i].content, 0600);
        host_look(&self, root);
        tap_ok(self.container && strcmp(self.container, cases[i].name) == 0, "%s: %s", cases[i].path, cases[i].name);
        end(&self);
    }
}

int main(void)
{
    tap_start(60);
    bare();
    nvidia();
    locked();
    containers();
    return tap_done();
}
