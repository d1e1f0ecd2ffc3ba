/* SPDX-License-Identifier: Apache-2.0 */
/* What the system itself shows of GPUs, whatever drivers say: what is on the PCI bus, kernel drivers, device files, containers. */
#ifndef HOST_H
#define HOST_H

#include "tools/ground/tool.h"

enum { HOST_NVIDIA = 0x10de, HOST_AMD = 0x1002, HOST_INTEL = 0x8086 };

typedef struct host_gpu {
    char pci[16];
    unsigned vendor; /* HOST_, or another PCI vendor */
} host_gpu;

typedef struct host_node {
    char *path;
    bool usable;    /* this process may read and write it */
    char group[64]; /* who may, when it is not */
} host_node;

typedef struct host {
    host_gpu *gpus;
    size_t gpu_count;
    host_node *nodes; /* device files: /dev/nvidia*, /dev/dri/renderD*, /dev/kfd, /dev/dxg */
    size_t node_count;
    char nvidia[32];       /* version of NVIDIA's kernel driver, or "" */
    const char *container; /* "Docker", or NULL */
} host;

/* `root`: "" for this system, else a folder that stands for its root, for tests. */
void host_look(host *self, const char *root);
void host_free(host *self);

/* Whether there is a GPU of a vendor; and how many device files begin so, and how many of them are not usable. */
bool host_has_gpu(const host *self, unsigned vendor);
size_t host_nodes(const host *self, const char *prefix, const host_node **out_locked);

const char *host_vendor_word(unsigned vendor);

#endif
