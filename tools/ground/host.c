/* SPDX-License-Identifier: Apache-2.0 */
/* What the system shows of GPUs: see host.h. Linux's files are read; where there are none, nothing is found. */
#include "tools/ground/host.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The content of a file below `root`; NULL when there is none. */
static char *content(const char *root, const char *path)
{
    char *full = tool_text("%s%s", root, path);
    char *text = tool_read_file(full, NULL);
    free(full);
    return text;
}

static bool exists(const char *root, const char *path)
{
    char *full = tool_text("%s%s", root, path);
    bool found = access(full, F_OK) == 0;
    free(full);
    return found;
}

/* ---- The PCI bus ---- */

static unsigned number(const char *root, const char *device, const char *name)
{
    char *path = tool_text("/sys/bus/pci/devices/%s/%s", device, name), *text = content(root, path);
    unsigned value = text ? (unsigned)strtoul(text, NULL, 16) : 0;
    free(text);
    free(path);
    return value;
}

static int is_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void look_at_bus(host *self, const char *root)
{
    struct dirent **entries = NULL;
    char *folder = tool_text("%s/sys/bus/pci/devices", root);
    int count = scandir(folder, &entries, is_name, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        unsigned class = number(root, name, "class") >> 16;
        unsigned vendor = number(root, name, "vendor");
        bool known = vendor == HOST_NVIDIA || vendor == HOST_AMD || vendor == HOST_INTEL;
        if (known && (class == 0x03 || (class == 0x12 && vendor != HOST_INTEL))) { /* display; accelerators */
            self->gpus = tool_grow(self->gpus, (self->gpu_count + 1) * sizeof *self->gpus);
            host_gpu *gpu = &self->gpus[self->gpu_count++];
            snprintf(gpu->pci, sizeof gpu->pci, "%.15s", name);
            gpu->vendor = vendor;
        }
        free(entries[i]);
    }
    free(entries);
    free(folder);
}

/* ---- Device files ---- */

static void note_node(host *self, char *path)
{
    struct stat status;
    host_node node = { .path = path, .usable = access(path, R_OK | W_OK) == 0 };
    if (stat(path, &status) == 0) {
        const struct group *group = getgrgid(status.st_gid);
        snprintf(node.group, sizeof node.group, "%s", group ? group->gr_name : "");
    }
    self->nodes = tool_grow(self->nodes, (self->node_count + 1) * sizeof *self->nodes);
    self->nodes[self->node_count++] = node;
}

/* Those of a folder whose name is `prefix`, followed by a number unless `whole`. */
static void look_for_nodes(host *self, const char *root, const char *folder, const char *prefix, bool whole)
{
    struct dirent **entries = NULL;
    char *path = tool_text("%s%s", root, folder);
    size_t length = strlen(prefix);
    int count = scandir(path, &entries, is_name, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (strncmp(name, prefix, length) == 0) {
            const char *rest = name + length;
            bool digits = *rest && rest[strspn(rest, "0123456789")] == '\0';
            if (whole ? !*rest : digits)
                note_node(self, tool_text("%s/%s", path, name));
        }
        free(entries[i]);
    }
    free(entries);
    free(path);
}

size_t host_nodes(const host *self, const char *prefix, const host_node **out_locked)
{
    size_t count = 0;
    *out_locked = NULL;
    for (size_t i = 0; i < self->node_count; i++) {
        const char *found = strstr(self->nodes[i].path, prefix);
        if (!found)
            continue;
        count++;
        if (!self->nodes[i].usable && !*out_locked)
            *out_locked = &self->nodes[i];
    }
    return count;
}

/* ---- The rest ---- */

static const char *find_container(const char *root)
{
    const char *said = *root ? NULL : getenv("container");
    if (exists(root, "/.dockerenv"))
        return "Docker";
    if (exists(root, "/run/.containerenv"))
        return "Podman";
    if (exists(root, "/.singularity.d"))
        return "Apptainer";
    if (exists(root, "/run/systemd/container") || (said && *said))
        return "a container";
    char *groups = content(root, "/proc/1/cgroup");
    const char *found = groups && strstr(groups, "kubepods")                                   ? "Kubernetes"
                        : groups && (strstr(groups, "docker") || strstr(groups, "containerd")) ? "a container"
                                                                                               : NULL;
    free(groups);
    return found;
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue …": the first word that is a version. */
static void find_nvidia(host *self, const char *root)
{
    char *text = content(root, "/proc/driver/nvidia/version"), *rest = text;
    for (char *word = text ? strtok_r(text, " \n", &rest) : NULL; word; word = strtok_r(NULL, " \n", &rest))
        if (strchr(word, '.') && word[strspn(word, "0123456789.")] == '\0') {
            snprintf(self->nvidia, sizeof self->nvidia, "%.31s", word);
            break;
        }
    free(text);
}

void host_look(host *self, const char *root)
{
    *self = (host){ 0 };
    look_at_bus(self, root);
    look_for_nodes(self, root, "/dev", "nvidia", false);
    look_for_nodes(self, root, "/dev", "nvidiactl", true);
    look_for_nodes(self, root, "/dev", "nvidia-uvm", true);
    look_for_nodes(self, root, "/dev/dri", "renderD", false);
    look_for_nodes(self, root, "/dev", "kfd", true);
    look_for_nodes(self, root, "/dev", "dxg", true);
    find_nvidia(self, root);
    self->container = find_container(root);
}

void host_free(host *self)
{
    for (size_t i = 0; i < self->node_count; i++)
        free(self->nodes[i].path);
    free(self->nodes);
    free(self->gpus);
}

bool host_has_gpu(const host *self, unsigned vendor)
{
    for (size_t i = 0; i < self->gpu_count; i++)
        if (self->gpus[i].vendor == vendor)
            return true;
    return false;
}

const char *host_vendor_word(unsigned vendor)
{
    return vendor == HOST_NVIDIA ? "NVIDIA" : vendor == HOST_AMD ? "AMD" : vendor == HOST_INTEL ? "Intel" : "other";
}
