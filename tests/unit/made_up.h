/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenCL driver that is made up: its devices are what a test says. */
#ifndef MADE_UP_H
#define MADE_UP_H

#include "../../backends/opencl/driver.h"

enum { MOST = 3, NV_PCI_BUS = 0x4008, NV_PCI_SLOT = 0x4009, NV_PCI_DOMAIN = 0x400A, EXTENSIONS_WITH_VERSION = 0x1060 };

typedef struct made_up {
    const char *name, *version, *extensions, *il;
    cl_device_type type;
    cl_uint bits, alignment, platform_slot; /* the slot is PCI device * 8 + function */
    cl_device_pci_bus_info_khr pci;
    cl_bool available, compiler, little, unified;
    size_t threads, resolution;
    cl_device_fp_config single, fp64;
    cl_device_svm_capabilities svm;
    cl_command_queue_properties queue, graph_queue;
    cl_uint command_buffers; /* their version */
    cl_ulong command_buffer_capabilities;
} made_up;

extern const made_up good;

typedef struct made_up_driver {
    made_up devices[MOST];
    cl_uint count;
    const char *platform, *vendor;
    cl_int platforms, list, context, queue; /* what the calls answer */
    cl_device_info unanswered;              /* this question about a device fails */
    cl_uint platform_count;
} made_up_driver;

extern made_up_driver driver;

extern unsigned released, released_memory; /* programs, and buffers */

/* The loader is the machine's, but no driver behind it is called from now on. */
void make_up(void);

#endif
