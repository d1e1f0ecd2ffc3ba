/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of a device, and whether they suffice for Yoke. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cl_nv_device_attribute_query, for headers without it. The slot is PCI device * 8 + function. */
#define NV_COMPUTE_CAPABILITY_MAJOR 0x4000
#define NV_COMPUTE_CAPABILITY_MINOR 0x4001
#define NV_PCI_BUS 0x4008
#define NV_PCI_SLOT 0x4009
#define NV_PCI_DOMAIN 0x400A

/* OpenCL 3.0, or cl_khr_extended_versioning */
#define DEVICE_EXTENSIONS_WITH_VERSION 0x1060

/* ---- Queries ---- */

/* The state of a device's queries. */
typedef struct inquiry {
    yk_opencl_slot *slot; /* to be filled in */
    const char *extensions;
    cl_int code;  /* of the first query that failed, except queries unknown to the driver; else CL_SUCCESS */
    bool starved; /* an answer could not be allocated */
} inquiry;

/* As clGetDeviceInfo; false on failure. */
static bool ask(inquiry *device, cl_device_info what, size_t size, void *value, size_t *out_size)
{
    cl_int code = yk_cl.clGetDeviceInfo(device->slot->id, what, size, value, out_size);

    if (code != CL_SUCCESS && code != CL_INVALID_VALUE && device->code == CL_SUCCESS)
        device->code = code;
    return code == CL_SUCCESS;
}

/* An answer of any size, NUL-terminated, to be freed; NULL when there is none, or when `starved`. */
static void *ask_all(inquiry *device, cl_device_info what, size_t *out_size)
{
    char *answer;

    if (!ask(device, what, 0, NULL, out_size) || *out_size == SIZE_MAX)
        return NULL;
    answer = calloc(1, *out_size + 1);
    if (!answer) {
        device->starved = true;
        return NULL;
    }
    if (!ask(device, what, *out_size, answer, NULL)) {
        free(answer);
        return NULL;
    }
    return answer;
}

void yk_opencl_copy_trimmed(char *target, size_t size, const char *source)
{
    while (*source == ' ' || *source == '\t')
        source++;
    yk_string_copy(target, size, source);
    for (size_t end = strlen(target); end > 0 && (unsigned char)target[end - 1] <= ' '; end--)
        target[end - 1] = '\0';
}

static void ask_string(inquiry *device, cl_device_info what, char *target, size_t size)
{
    size_t length = 0;
    char *text = ask_all(device, what, &length);

    if (text)
        yk_opencl_copy_trimmed(target, size, text);
    free(text);
}

/* An integer attribute; 0 when the driver does not report it. */
static uint64_t ask_number(inquiry *device, cl_device_info what, size_t size)
{
    union {
        cl_uint narrow;
        cl_ulong wide;
    } value = { .wide = 0 };

    if (!ask(device, what, size, &value, NULL))
        return 0;
    return size == sizeof value.narrow ? value.narrow : value.wide;
}

static bool has_extension(const inquiry *device, const char *name)
{
    size_t length = strlen(name);

    for (const char *found = device->extensions; (found = strstr(found, name)); found += length)
        if ((found == device->extensions || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0'))
            return true;
    return false;
}

/* Whether the text contains the word, ignoring case. */
static bool contains(const char *text, const char *word)
{
    return yk_find_letters(text, word) != NULL;
}

/* The version of an extension; 0 when the driver does not report it. */
static cl_uint version_of(inquiry *device, const char *name)
{
    const struct {
        cl_uint version;
        char name[64];
    } * all;
    size_t size = 0;
    cl_uint version = 0;

    all = ask_all(device, DEVICE_EXTENSIONS_WITH_VERSION, &size);
    for (size_t i = 0; all && i < size / sizeof *all; i++)
        if (strncmp(all[i].name, name, sizeof all[i].name) == 0)
            version = all[i].version;
    free((void *)all);
    return version;
}

/* ---- Describing a device ---- */

static void describe_place(inquiry *device)
{
    yoke_device_info *info = &device->slot->info;
    cl_device_pci_bus_info_khr pci = { 0, 0, 0, 0 };
    unsigned char id[CL_UUID_SIZE_KHR];
    bool placed = false;

    if (has_extension(device, "cl_khr_pci_bus_info"))
        placed = ask(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof pci, &pci, NULL);
    if (!placed && has_extension(device, "cl_nv_device_attribute_query")) {
        cl_uint place = 0;
        placed = ask(device, NV_PCI_SLOT, sizeof place, &place, NULL);
        pci.pci_domain = (cl_uint)ask_number(device, NV_PCI_DOMAIN, sizeof(cl_uint));
        pci.pci_bus = (cl_uint)ask_number(device, NV_PCI_BUS, sizeof(cl_uint));
        pci.pci_device = place >> 3;
        pci.pci_function = place & 7;
    }
    if (placed)
        snprintf(info->pci, sizeof info->pci, "%04x:%02x:%02x.%x", pci.pci_domain & 0xffffffu, pci.pci_bus & 0xff,
                 pci.pci_device & 0x1f, pci.pci_function & 7);

    if (has_extension(device, "cl_khr_device_uuid") && ask(device, CL_DEVICE_UUID_KHR, sizeof id, id, NULL))
        for (size_t i = 0, at = 0; i < sizeof id; i++)
            at += (size_t)snprintf(info->uuid + at, sizeof info->uuid - at,
                                   i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id[i]);
}

static void describe_limits(inquiry *device)
{
    yoke_device_info *info = &device->slot->info;
    size_t sizes[16] = { 0 }; /* a device may report more than three dimensions */

    info->compute_units = (uint32_t)ask_number(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    if (has_extension(device, "cl_nv_device_attribute_query"))
        info->compute_capability = (uint32_t)(10 * ask_number(device, NV_COMPUTE_CAPABILITY_MAJOR, sizeof(cl_uint)) +
                                              ask_number(device, NV_COMPUTE_CAPABILITY_MINOR, sizeof(cl_uint)));
    info->memory = ask_number(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    info->max_buffer = ask_number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    info->max_shared_bytes = ask_number(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong));
    info->max_block_threads = ask_number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    info->view_alignment = ask_number(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(cl_uint)) / 8; /* the driver reports bits */
    if (info->view_alignment == 0 || device->slot->quirks.takes_any_offset)
        info->view_alignment = 1;
    if (!ask(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL))
        sizes[0] = sizes[1] = sizes[2] = 0;
    for (int i = 0; i < 3; i++) {
        info->max_block[i] = sizes[i];
        /* OpenCL limits only the total number of threads, not the grid: grid * block must fit a size_t. */
        info->max_grid[i] = UINT32_MAX;
        if (sizes[i] > 0 && SIZE_MAX / sizes[i] < UINT32_MAX)
            info->max_grid[i] = SIZE_MAX / sizes[i];
    }
}

/* Why graphs are not submitted to the device as command buffers; NULL when they are. */
static const char *judge_command_buffers(inquiry *device)
{
    int order = yk_read_switch("YOKE_COMMAND_BUFFERS", -1);
    cl_uint version;

    if (!has_extension(device, "cl_khr_command_buffer"))
        return "the OpenCL driver has no command buffers (no cl_khr_command_buffer)";
    version = version_of(device, "cl_khr_command_buffer");
    if (version < YK_CL_COMMAND_BUFFER_FIRST || version > YK_CL_COMMAND_BUFFER_LAST)
        return "Yoke does not support the version of the OpenCL driver's command buffers (only cl_khr_command_buffer 0.9.0 to "
               "0.9.4)";
    if (!(ask_number(device, YK_CL_DEVICE_COMMAND_BUFFER_CAPABILITIES, sizeof(cl_ulong)) &
          YK_CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE))
        return "the OpenCL driver's command buffers cannot be launched again before they are complete";
    if (ask_number(device, YK_CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES, sizeof(cl_command_queue_properties)))
        return "the OpenCL driver's command buffers do not run in plain queues";
    if (order == 0)
        return "YOKE_COMMAND_BUFFERS=0 disables the OpenCL driver's command buffers";
    if (order != 1 && device->slot->quirks.slow_command_buffers)
        return "PoCL's command buffers are slower than Yoke's replay (YOKE_COMMAND_BUFFERS=1 enables them)";
    if (!yk_opencl_bind_command_buffers(device->slot))
        return "the OpenCL driver lacks functions of cl_khr_command_buffer";
    return NULL;
}

/* A driver older than OpenCL 2.1 may claim SPIR-V too, through cl_khr_il_program, and lack the function that the loader would
 * call. */
static bool takes_spirv(inquiry *device)
{
    char version[64] = "", languages[256] = "";

    ask_string(device, CL_DEVICE_VERSION, version, sizeof version);
    ask_string(device, CL_DEVICE_IL_VERSION, languages, sizeof languages);
    return yk_cl.clCreateProgramWithIL && strcmp(version, "OpenCL 2.1") >= 0 && contains(languages, "SPIR-V");
}

/* A device without one of the limits has no images. */
static void describe_images(inquiry *device)
{
    static const cl_device_info limits[2][3] = {
        { CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT, 0 },
        { CL_DEVICE_IMAGE3D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_DEPTH },
    };
    yk_opencl_slot *slot = device->slot;

    memset(slot->max_image, 0, sizeof slot->max_image);
    if (!ask_number(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(cl_bool)))
        return;
    for (int volume = 0; volume < 2; volume++)
        for (int i = 0; i < 2 + volume; i++)
            slot->max_image[volume][i] = ask_number(device, limits[volume][i], sizeof(size_t));
}

static void describe_capabilities(inquiry *device)
{
    yk_opencl_slot *slot = device->slot;
    uint64_t single = ask_number(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(cl_device_fp_config));
    uint64_t queue = ask_number(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof(cl_command_queue_properties));
    uint64_t exact = CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT | CL_FP_DENORM;
    uint64_t capabilities = YK_CAP(SIGNATURE);

    if (ask_number(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config)) || has_extension(device, "cl_khr_fp64"))
        capabilities |= YK_CAP(FP64);
    if (has_extension(device, "cl_khr_int64_base_atomics"))
        capabilities |= YK_CAP(INT64_ATOMICS);
    /* rusticl 22.3 accepts the property, reports a resolution of 0 and then 0 for every time stamp. */
    if (queue & CL_QUEUE_PROFILING_ENABLE && ask_number(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(size_t)))
        capabilities |= YK_CAP(TIMING);
    if ((single & exact) == exact)
        capabilities |= YK_CAP(EXACT_FP32);
    slot->unified = ask_number(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(cl_bool)) || slot->info.kind != YOKE_DEVICE_GPU;
    if (yk_cl.clSVMAlloc && yk_cl.clSVMFree && yk_cl.clEnqueueSVMMap && yk_cl.clEnqueueSVMUnmap)
        slot->svm = ask_number(device, CL_DEVICE_SVM_CAPABILITIES, sizeof slot->svm);
    if (slot->unified && !slot->quirks.loses_maps)
        capabilities |= YK_CAP(MAPPED);
    if (!slot->quirks.breaks_binaries)
        capabilities |= YK_CAP(PROGRAM_BINARIES);
    if (takes_spirv(device))
        capabilities |= YK_CAP(SPIRV);
    if (slot->svm & (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        capabilities |= YK_CAP(MANAGED);
    slot->takes_priorities = yk_cl.clCreateCommandQueueWithProperties && has_extension(device, "cl_khr_priority_hints");
    describe_images(device);
    if (slot->max_image[0][0])
        capabilities |= YK_CAP(IMAGES);
    slot->replays = judge_command_buffers(device);
    if (!slot->replays)
        capabilities |= YK_CAP(GRAPHS);
    slot->info.capabilities = capabilities;
    slot->rounds_correctly = single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
}

static int32_t kind_of(inquiry *device)
{
    uint64_t type = ask_number(device, CL_DEVICE_TYPE, sizeof(cl_device_type));

    if (device->slot->quirks.no_hardware)
        return YOKE_DEVICE_EMULATOR;
    if (type & CL_DEVICE_TYPE_GPU)
        return YOKE_DEVICE_GPU;
    return type & CL_DEVICE_TYPE_CPU ? YOKE_DEVICE_CPU : YOKE_DEVICE_ACCELERATOR;
}

/* Why Yoke cannot use the device: "" when it can. */
static void judge(inquiry *device)
{
    const yoke_device_info *info = &device->slot->info;
    char *reason = device->slot->rejected, version[64] = "unknown";
    uint64_t bits = ask_number(device, CL_DEVICE_ADDRESS_BITS, sizeof(cl_uint));
    unsigned major = 0, minor = 0;
    size_t size = sizeof device->slot->rejected;

    ask_string(device, CL_DEVICE_VERSION, version, sizeof version);
    if (sscanf(version, "OpenCL %u.%u", &major, &minor) != 2 || major < 1 || (major == 1 && minor < 2))
        snprintf(reason, size, "its version is '%.40s'; OpenCL 1.2 or later is needed", version);
    else if (!ask_number(device, CL_DEVICE_AVAILABLE, sizeof(cl_bool)))
        snprintf(reason, size, "its driver reports that it is not available");
    else if (!ask_number(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool)))
        snprintf(reason, size, "its driver has no compiler");
    else if (!ask_number(device, CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_bool)))
        snprintf(reason, size, "it is big-endian, which Yoke does not support");
    else if (bits != 8 * sizeof(void *))
        snprintf(reason, size, "its addresses have %u bits, but this program's have %u", (unsigned)bits,
                 (unsigned)(8 * sizeof(void *)));
    else if (!info->memory || !info->max_buffer || !info->max_block_threads || !info->max_block[0] || !info->max_block[1] ||
             !info->max_block[2])
        snprintf(reason, size, "its driver does not report its limits");
    size_t end = strlen(reason);
    if (end > 0 && device->code != CL_SUCCESS)
        snprintf(reason + end, size - end, "; clGetDeviceInfo failed: %s (%d)", yk_opencl_code_name(device->code),
                 (int)device->code);
}

yoke_status yk_opencl_describe(yk_opencl_slot *slot, bool *out_answered)
{
    inquiry device = { .slot = slot, .extensions = "", .code = CL_SUCCESS };
    yoke_device_info *info = &slot->info;
    size_t length = 0;
    char *extensions = ask_all(&device, CL_DEVICE_EXTENSIONS, &length);

    if (extensions)
        device.extensions = extensions;
    ask_string(&device, CL_DEVICE_NAME, info->name, sizeof info->name);
    ask_string(&device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    ask_string(&device, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    slot->quirks = yk_opencl_find_quirks(info->platform, slot->maker, info->name);
    info->kind = kind_of(&device);
    slot->quirks.slow_markers = slot->quirks.slow_markers && info->kind == YOKE_DEVICE_CPU;
    describe_place(&device);
    describe_limits(&device);
    describe_capabilities(&device);
    judge(&device);
    free(extensions);
    *out_answered = !slot->rejected[0] || device.code == CL_SUCCESS;
    return device.starved ? yk_no_memory("the description of an OpenCL device") : YOKE_OK;
}
