/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices. Platforms are asked once in a process, so that the number of a device stays the same and nothing is asked again when one
 * is opened; what cannot be used is kept with its reason. An opened device is a context of its own.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cl_nv_device_attribute_query, for headers that lack them. The slot is PCI device * 8 + function. */
#define NV_PCI_BUS 0x4008
#define NV_PCI_SLOT 0x4009
#define NV_PCI_DOMAIN 0x400A

/* OpenCL 3.0, or cl_khr_extended_versioning */
#define DEVICE_EXTENSIONS_WITH_VERSION 0x1060

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects slots, slot_count and slot_capacity until `listed` */
static yk_opencl_slot **slots;
static size_t slot_count, slot_capacity;
static bool listed;
static bool unanswered; /* with the lock held: a platform has failed to list its devices */
static bool starved;    /* with the lock held: there was no memory for something that a device says of itself */

/* ---- Asking ---- */

void yk_opencl_copy_trimmed(char *target, size_t size, const char *source)
{
    while (*source == ' ' || *source == '\t')
        source++;
    yk_string_copy(target, size, source);
    for (size_t end = strlen(target); end > 0 && (unsigned char)target[end - 1] <= ' '; end--)
        target[end - 1] = '\0';
}

/* A string of a device, to be freed; NULL when it has none, or when `starved`. */
static char *device_string(cl_device_id id, cl_device_info what)
{
    size_t size = 0;
    char *text;

    if (yk_cl.clGetDeviceInfo(id, what, 0, NULL, &size) != CL_SUCCESS || size == SIZE_MAX)
        return NULL;
    text = calloc(1, size + 1);
    if (!text) {
        starved = true;
        return NULL;
    }
    if (yk_cl.clGetDeviceInfo(id, what, size, text, NULL) != CL_SUCCESS) {
        free(text);
        return NULL;
    }
    return text;
}

static void ask_string(cl_device_id id, cl_device_info what, char *target, size_t size)
{
    char *text = device_string(id, what);

    if (text)
        yk_opencl_copy_trimmed(target, size, text);
    free(text);
}

/* A number of a device; 0 when the driver does not tell. */
static uint64_t ask_number(cl_device_id id, cl_device_info what, size_t size)
{
    union {
        cl_uint narrow;
        cl_ulong wide;
    } value = { .wide = 0 };

    if (yk_cl.clGetDeviceInfo(id, what, size, &value, NULL) != CL_SUCCESS)
        return 0;
    return size == sizeof value.narrow ? value.narrow : value.wide;
}

static bool has_extension(const char *extensions, const char *name)
{
    size_t length = strlen(name);

    for (const char *found = extensions; (found = strstr(found, name)); found += length)
        if ((found == extensions || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0'))
            return true;
    return false;
}

static bool contains(const char *text, const char *word)
{
    return strcasestr(text, word) != NULL;
}

/* The version of an extension; 0 when the driver does not tell. */
static cl_uint version_of(cl_device_id id, const char *name)
{
    struct {
        cl_uint version;
        char name[64];
    } * all;
    size_t size = 0;
    cl_uint version = 0;

    if (yk_cl.clGetDeviceInfo(id, DEVICE_EXTENSIONS_WITH_VERSION, 0, NULL, &size) != CL_SUCCESS || size == SIZE_MAX)
        return 0;
    all = calloc(1, size + 1);
    if (!all) {
        starved = true;
        return 0;
    }
    if (yk_cl.clGetDeviceInfo(id, DEVICE_EXTENSIONS_WITH_VERSION, size, all, NULL) == CL_SUCCESS)
        for (size_t i = 0; i < size / sizeof *all; i++)
            if (strncmp(all[i].name, name, sizeof all[i].name) == 0)
                version = all[i].version;
    free(all);
    return version;
}

/* ---- Describing a device ---- */

static void describe_place(yk_opencl_slot *slot, const char *extensions)
{
    yoke_device_info *info = &slot->info;
    cl_device_pci_bus_info_khr pci = { 0, 0, 0, 0 };
    unsigned char id[CL_UUID_SIZE_KHR];
    bool placed = false;

    if (has_extension(extensions, "cl_khr_pci_bus_info"))
        placed = yk_cl.clGetDeviceInfo(slot->id, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof pci, &pci, NULL) == CL_SUCCESS;
    if (!placed && has_extension(extensions, "cl_nv_device_attribute_query")) {
        cl_uint place = 0;
        placed = yk_cl.clGetDeviceInfo(slot->id, NV_PCI_SLOT, sizeof place, &place, NULL) == CL_SUCCESS;
        pci.pci_domain = (cl_uint)ask_number(slot->id, NV_PCI_DOMAIN, sizeof(cl_uint));
        pci.pci_bus = (cl_uint)ask_number(slot->id, NV_PCI_BUS, sizeof(cl_uint));
        pci.pci_device = place >> 3;
        pci.pci_function = place & 7;
    }
    if (placed)
        snprintf(info->pci, sizeof info->pci, "%04x:%02x:%02x.%x", pci.pci_domain & 0xffffffu, pci.pci_bus & 0xff,
                 pci.pci_device & 0x1f, pci.pci_function & 7);

    if (has_extension(extensions, "cl_khr_device_uuid") &&
        yk_cl.clGetDeviceInfo(slot->id, CL_DEVICE_UUID_KHR, sizeof id, id, NULL) == CL_SUCCESS)
        for (size_t i = 0, at = 0; i < sizeof id; i++)
            at += (size_t)snprintf(info->uuid + at, sizeof info->uuid - at,
                                   i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id[i]);
}

static void describe_limits(yk_opencl_slot *slot)
{
    yoke_device_info *info = &slot->info;
    size_t sizes[16] = { 0 }; /* a device may count more than three dimensions */

    info->compute_units = (uint32_t)ask_number(slot->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    info->memory = ask_number(slot->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    info->max_buffer = ask_number(slot->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    info->max_shared = ask_number(slot->id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong));
    info->max_block_threads = ask_number(slot->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    info->view_alignment = ask_number(slot->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(cl_uint)) / 8; /* the driver tells bits */
    if (info->view_alignment == 0 || slot->nvidia) /* NVIDIA's driver (580) says 512 and takes any offset */
        info->view_alignment = 1;
    if (yk_cl.clGetDeviceInfo(slot->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL) != CL_SUCCESS)
        sizes[0] = sizes[1] = sizes[2] = 0;
    for (int i = 0; i < 3; i++) {
        info->max_block[i] = sizes[i];
        /* OpenCL knows no limit of the grid, only of threads in all: grid * block has to fit a size_t. */
        info->max_grid[i] = UINT32_MAX;
        if (sizes[i] > 0 && SIZE_MAX / sizes[i] < UINT32_MAX)
            info->max_grid[i] = SIZE_MAX / sizes[i];
    }
}

/* Why graphs are not given to the device as command buffers; NULL when they are. PoCL has them, and on the CPU enqueues their
 * commands again one by one, up to 7.2 at least: 3.1 takes 1.06 to 1.6 times as long as Yoke does for that. */
static const char *judge_command_buffers(yk_opencl_slot *slot, const char *extensions)
{
    const char *order = getenv("YOKE_COMMAND_BUFFERS");
    cl_uint version;

    if (!has_extension(extensions, "cl_khr_command_buffer"))
        return "the OpenCL driver has no command buffers (no cl_khr_command_buffer)";
    version = version_of(slot->id, "cl_khr_command_buffer");
    if (version < YK_CL_COMMAND_BUFFER_FIRST || version > YK_CL_COMMAND_BUFFER_LAST)
        return "the OpenCL driver's command buffers are not of a version that Yoke knows (cl_khr_command_buffer 0.9.0 to 0.9.4)";
    if (!(ask_number(slot->id, YK_CL_DEVICE_COMMAND_BUFFER_CAPABILITIES, sizeof(cl_ulong)) &
          YK_CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE))
        return "the OpenCL driver's command buffers cannot be launched again before they have finished";
    if (ask_number(slot->id, YK_CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES, sizeof(cl_command_queue_properties)))
        return "the OpenCL driver's command buffers do not run in plain queues";
    if (order && *order == '0')
        return "YOKE_COMMAND_BUFFERS=0 keeps the OpenCL driver's command buffers from being used";
    if (!(order && *order == '1') && contains(slot->info.platform, "Portable Computing Language"))
        return "PoCL's command buffers are slower than Yoke's replay (YOKE_COMMAND_BUFFERS=1 uses them nevertheless)";
    if (!yk_opencl_bind_command_buffers(slot))
        return "the OpenCL driver lacks functions of cl_khr_command_buffer";
    return NULL;
}

/* A driver older than OpenCL 2.1 may say so too, with cl_khr_il_program, and lack the function that the loader would call. */
static bool takes_spirv(const yk_opencl_slot *slot)
{
    char version[64] = "", languages[256] = "";

    ask_string(slot->id, CL_DEVICE_VERSION, version, sizeof version);
    ask_string(slot->id, CL_DEVICE_IL_VERSION, languages, sizeof languages);
    return yk_cl.clCreateProgramWithIL && strcmp(version, "OpenCL 2.1") >= 0 && contains(languages, "SPIR-V");
}

static void describe_capabilities(yk_opencl_slot *slot, const char *extensions)
{
    uint64_t single = ask_number(slot->id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(cl_device_fp_config));
    uint64_t queue = ask_number(slot->id, CL_DEVICE_QUEUE_PROPERTIES, sizeof(cl_command_queue_properties));
    uint64_t exact = CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT | CL_FP_DENORM;
    uint32_t capabilities = 1u << YOKE_CAP_SIGNATURE;

    if (ask_number(slot->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config)) || has_extension(extensions, "cl_khr_fp64"))
        capabilities |= 1u << YOKE_CAP_FP64;
    if (has_extension(extensions, "cl_khr_int64_base_atomics"))
        capabilities |= 1u << YOKE_CAP_INT64_ATOMICS;
    /* rusticl 22.3 takes the property, tells a resolution of 0 and then answers 0 for every time stamp. */
    if (queue & CL_QUEUE_PROFILING_ENABLE && ask_number(slot->id, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(size_t)))
        capabilities |= 1u << YOKE_CAP_TIMING;
    if ((single & exact) == exact)
        capabilities |= 1u << YOKE_CAP_EXACT_FP32;
    slot->unified = ask_number(slot->id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(cl_bool)) || slot->info.kind != YOKE_DEVICE_GPU;
    if (yk_cl.clSVMAlloc && yk_cl.clSVMFree && yk_cl.clEnqueueSVMMap && yk_cl.clEnqueueSVMUnmap)
        slot->svm = ask_number(slot->id, CL_DEVICE_SVM_CAPABILITIES, sizeof slot->svm);
    slot->loses_maps = contains(slot->info.platform, "rusticl"); /* 22.3 counts maps and unmaps in a queue wrongly */
    if (slot->unified && !slot->loses_maps)
        capabilities |= 1u << YOKE_CAP_MAPPED;
    if (!contains(slot->info.platform, "rusticl")) /* 22.3 dies on loading its own binaries */
        capabilities |= 1u << YOKE_CAP_IMAGES;
    if (takes_spirv(slot))
        capabilities |= 1u << YOKE_CAP_SPIRV;
    if (slot->svm & (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        capabilities |= 1u << YOKE_CAP_SHARED;
    slot->replays = judge_command_buffers(slot, extensions);
    if (!slot->replays)
        capabilities |= 1u << YOKE_CAP_GRAPHS;
    slot->info.capabilities = capabilities;
    slot->rounds_correctly = single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
}

static int32_t kind_of(const yk_opencl_slot *slot)
{
    const yoke_device_info *info = &slot->info;
    uint64_t type = ask_number(slot->id, CL_DEVICE_TYPE, sizeof(cl_device_type));

    /* These claim to be a CPU, a GPU, or everything at once (Oclgrind). */
    if (contains(info->platform, "oclgrind") || contains(info->name, "oclgrind") || contains(info->name, "llvmpipe"))
        return YOKE_DEVICE_EMULATOR;
    if (type & CL_DEVICE_TYPE_GPU)
        return YOKE_DEVICE_GPU;
    return type & CL_DEVICE_TYPE_CPU ? YOKE_DEVICE_CPU : YOKE_DEVICE_ACCELERATOR;
}

/* Why a device is of no use to Yoke; "" when it is. */
static void judge(yk_opencl_slot *slot)
{
    const yoke_device_info *info = &slot->info;
    char *version = device_string(slot->id, CL_DEVICE_VERSION);
    uint64_t bits = ask_number(slot->id, CL_DEVICE_ADDRESS_BITS, sizeof(cl_uint));
    unsigned major = 0, minor = 0;
    size_t size = sizeof slot->rejected;

    if (!version || sscanf(version, "OpenCL %u.%u", &major, &minor) != 2 || major < 1 || (major == 1 && minor < 2))
        snprintf(slot->rejected, size, "its version is '%.40s'; OpenCL 1.2 or later is needed", version ? version : "unknown");
    else if (!ask_number(slot->id, CL_DEVICE_AVAILABLE, sizeof(cl_bool)))
        snprintf(slot->rejected, size, "its driver says that it is not available");
    else if (!ask_number(slot->id, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool)))
        snprintf(slot->rejected, size, "its driver has no compiler");
    else if (!ask_number(slot->id, CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_bool)))
        snprintf(slot->rejected, size, "it is big-endian, which Yoke does not support");
    else if (bits != 8 * sizeof(void *))
        snprintf(slot->rejected, size, "its addresses have %u bits and this program's have %u", (unsigned)bits,
                 (unsigned)(8 * sizeof(void *)));
    else if (!info->memory || !info->max_buffer || !info->max_block_threads || !info->max_block[0] || !info->max_block[1] ||
             !info->max_block[2])
        snprintf(slot->rejected, size, "its driver does not tell its limits");
    free(version);
}

/* ---- Listing ---- */

static yk_opencl_slot *add_slot(void)
{
    if (slot_count == slot_capacity) {
        size_t capacity = slot_capacity ? 2 * slot_capacity : 8;
        yk_opencl_slot **grown = realloc(slots, capacity * sizeof *slots);
        if (!grown)
            return NULL;
        slots = grown;
        slot_capacity = capacity;
    }
    yk_opencl_slot *slot = calloc(1, sizeof *slot);
    if (slot)
        slots[slot_count++] = slot;
    return slot;
}

static void free_slots(void)
{
    while (slot_count > 0)
        free(slots[--slot_count]);
    free(slots);
    slots = NULL;
    slot_capacity = 0;
}

static yoke_status list_device(const yk_opencl_slot *platform, cl_device_id id)
{
    char *extensions = device_string(id, CL_DEVICE_EXTENSIONS);
    yk_opencl_slot *slot = add_slot();

    if (!slot) {
        free(extensions);
        return yk_no_memory("the list of OpenCL devices");
    }
    slot->platform = platform->platform;
    slot->id = id;
    slot->nvidia = platform->nvidia;
    slot->info.size = sizeof slot->info;
    yk_string_copy(slot->info.platform, sizeof slot->info.platform, platform->info.platform);
    ask_string(id, CL_DEVICE_NAME, slot->info.name, sizeof slot->info.name);
    ask_string(id, CL_DEVICE_VENDOR, slot->info.vendor, sizeof slot->info.vendor);
    ask_string(id, CL_DRIVER_VERSION, slot->info.driver, sizeof slot->info.driver);
    slot->one_at_a_time = contains(slot->info.platform, "Portable Computing Language") &&
                          (strncmp(slot->info.name, "basic", 5) == 0 || strncmp(slot->info.name, "cpu-minimal", 11) == 0);
    slot->info.kind = kind_of(slot);
    describe_place(slot, extensions ? extensions : "");
    describe_limits(slot);
    describe_capabilities(slot, extensions ? extensions : "");
    judge(slot);
    free(extensions);
    return starved ? yk_no_memory("what an OpenCL device says of itself") : YOKE_OK;
}

static yoke_status reject_platform(const yk_opencl_slot *platform, const char *call, cl_int code)
{
    yk_opencl_slot *slot = add_slot();

    if (!slot)
        return yk_no_memory("the list of OpenCL platforms");
    *slot = *platform;
    unanswered = unanswered || code != CL_DEVICE_NOT_FOUND;
    if (code == CL_DEVICE_NOT_FOUND)
        snprintf(slot->rejected, sizeof slot->rejected, "it has no devices");
    else
        snprintf(slot->rejected, sizeof slot->rejected, "%s failed: %s (%d)", call, yk_opencl_code_name(code), (int)code);
    return YOKE_OK;
}

static yoke_status list_platform(cl_platform_id id)
{
    yk_opencl_slot platform = { .platform = id };
    char name[256] = "(a platform without a name)", vendor[256] = "";
    cl_device_id *devices = NULL;
    cl_uint count = 0;
    cl_int code = yk_cl.clGetPlatformInfo(id, CL_PLATFORM_NAME, sizeof name, name, NULL);
    yoke_status status = YOKE_OK;

    yk_opencl_copy_trimmed(platform.info.platform, sizeof platform.info.platform, name);
    if (code == CL_SUCCESS)
        code = yk_cl.clGetPlatformInfo(id, CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL);
    if (code != CL_SUCCESS)
        return reject_platform(&platform, "clGetPlatformInfo", code);
    platform.nvidia = contains(vendor, "nvidia");
    code = yk_cl.clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (code != CL_SUCCESS || count == 0)
        return reject_platform(&platform, "clGetDeviceIDs", count == 0 && code == CL_SUCCESS ? CL_DEVICE_NOT_FOUND : code);
    devices = calloc(count, sizeof *devices);
    if (!devices)
        return yk_no_memory("the list of OpenCL devices");
    code = yk_cl.clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, count, devices, NULL);
    if (code != CL_SUCCESS)
        status = reject_platform(&platform, "clGetDeviceIDs", code);
    for (cl_uint i = 0; code == CL_SUCCESS && status == YOKE_OK && i < count; i++)
        status = list_device(&platform, devices[i]);
    free(devices);
    return status;
}

static yoke_status list_platforms(void)
{
    cl_platform_id *platforms = NULL;
    cl_uint count = 0;
    cl_int code = yk_cl.clGetPlatformIDs(0, NULL, &count);
    yoke_status status = YOKE_OK;

    if (code == CL_SUCCESS && count == 0)
        code = CL_PLATFORM_NOT_FOUND_KHR;
    if (code != CL_SUCCESS)
        return yk_opencl_fail_as(YOKE_E_UNAVAILABLE, "clGetPlatformIDs", code, NULL);
    platforms = calloc(count, sizeof *platforms);
    if (!platforms)
        return yk_no_memory("the list of OpenCL platforms");
    code = yk_cl.clGetPlatformIDs(count, platforms, NULL);
    if (code != CL_SUCCESS)
        status = yk_opencl_fail_as(YOKE_E_UNAVAILABLE, "clGetPlatformIDs", code, NULL);
    for (cl_uint i = 0; status == YOKE_OK && i < count; i++)
        status = list_platform(platforms[i]);
    free(platforms);
    return status;
}

/* By PCI address, a longer domain after a shorter; those without one behind, as the driver had them. */
static bool comes_before(const yk_opencl_slot *one, const yk_opencl_slot *other)
{
    const char *first = one->info.pci, *second = other->info.pci;

    if (!*first || !*second)
        return *first && !*second;
    if (strlen(first) != strlen(second))
        return strlen(first) < strlen(second);
    return strcmp(first, second) < 0;
}

static void sort_slots(void)
{
    for (size_t i = 1; i < slot_count; i++) {
        yk_opencl_slot *moving = slots[i];
        size_t at = i;
        for (; at > 0 && comes_before(moving, slots[at - 1]); at--)
            slots[at] = slots[at - 1];
        slots[at] = moving;
    }
}

/* The slot that device_list added as number `index`. */
static yk_opencl_slot *find_slot(int32_t index)
{
    for (size_t i = 0; i < slot_count; i++)
        if (!slots[i]->rejected[0] && index-- == 0)
            return slots[i];
    return NULL;
}

/* Ask every platform, unless that has been done; once more when nothing can be used and one has not answered. After this has
 * succeeded, slots may be read without the lock. */
static yoke_status list_once(void)
{
    yoke_status status = yk_opencl_load();

    if (status != YOKE_OK)
        return status;
    pthread_mutex_lock(&lock);
    if (!listed) {
        starved = unanswered = false;
        free_slots();
        status = list_platforms();
        if (status == YOKE_OK)
            sort_slots();
        else
            free_slots();
        listed = status == YOKE_OK && (find_slot(0) || !unanswered);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

yoke_status yk_opencl_device_list(yk_device_list *list)
{
    yoke_status status = list_once();

    for (size_t i = 0; status == YOKE_OK && i < slot_count; i++) {
        const yk_opencl_slot *slot = slots[i];
        if (!slot->rejected[0])
            status = yk_device_list_add(list, &yk_backend_opencl, &slot->info);
        else if (slot->id)
            yk_device_list_reject(list, "opencl: device '%s' of platform '%s': %s", slot->info.name, slot->info.platform,
                                  slot->rejected);
        else
            yk_device_list_reject(list, "opencl: platform '%s': %s", slot->info.platform, slot->rejected);
    }
    return status;
}

/* ---- Opening ---- */

yoke_status yk_opencl_device_open(yoke_device *device)
{
    yoke_status status = list_once();
    yk_opencl_device *native;
    cl_int code;

    if (status != YOKE_OK)
        return status;
    native = calloc(1, sizeof *native);
    if (!native)
        return yk_no_memory("an OpenCL device");
    native->slot = find_slot(device->info.index);
    if (!native->slot || strcmp(native->slot->info.name, device->info.name) != 0) {
        status = yk_fail(YOKE_E_NOT_FOUND, "opencl: device %d, '%s', is gone", (int)device->info.index, device->info.name);
        goto out;
    }
    const cl_context_properties properties[] = { CL_CONTEXT_PLATFORM, (cl_context_properties)native->slot->platform, 0 };
    native->context = yk_cl.clCreateContext(properties, 1, &native->slot->id, NULL, NULL, &code);
    if (!native->context) {
        status = yk_opencl_fail_as(YOKE_E_UNAVAILABLE, "clCreateContext", code, "'%s' refuses to start", device->info.name);
        goto out;
    }
    native->mapping = yk_cl.clCreateCommandQueue(native->context, native->slot->id, 0, &code);
    if (!native->mapping) {
        status = yk_opencl_fail("clCreateCommandQueue", code, "'%s'", device->info.name);
        yk_opencl_note("clReleaseContext", yk_cl.clReleaseContext(native->context));
        goto out;
    }
    if (pthread_mutex_init(&native->memory_lock, NULL) || pthread_mutex_init(&native->mapping_lock, NULL)) {
        status = yk_no_memory("a device's lock");
        yk_opencl_note("clReleaseCommandQueue", yk_cl.clReleaseCommandQueue(native->mapping));
        yk_opencl_note("clReleaseContext", yk_cl.clReleaseContext(native->context));
        goto out;
    }
    device->staged = !native->slot->unified;
    device->reads_end_late = native->slot->nvidia;
    device->captures_writes = native->slot->nvidia; /* up to 64 KiB, from pinned memory too (580) */
    device->fill_reach = native->slot->nvidia ? INT32_MAX : UINT64_MAX;
    /* NVIDIA's driver (580) fills with 0.4 to 3.6 of 4.6 TB/s, the shorter the pattern the slower. */
    for (size_t i = 1; i < YK_COUNT_OF(device->fills_well); i++)
        device->fills_well[i] = !native->slot->nvidia;
    device->native = native;
    native = NULL;
out:
    free(native);
    return status;
}

void yk_opencl_device_close(yoke_device *device)
{
    yk_opencl_device *native = device->native;

    pthread_mutex_destroy(&native->mapping_lock);
    pthread_mutex_destroy(&native->memory_lock);
    yk_opencl_note("clReleaseCommandQueue", yk_cl.clReleaseCommandQueue(native->mapping));
    yk_opencl_note("clReleaseContext", yk_cl.clReleaseContext(native->context));
    free(native);
    device->native = NULL;
}

void yk_opencl_device_native(const yoke_device *device, yoke_native_device *out_native)
{
    const yk_opencl_device *native = yk_opencl_device_of(device);

    out_native->context = native->context;
    out_native->device = (uintptr_t)native->slot->id;
    out_native->platform = native->slot->platform;
}

yoke_status yk_opencl_device_memory(const yoke_device *device, uint64_t *out_free, uint32_t *out_flags)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(device)->slot;
    uint64_t used = atomic_load(&slot->used);

    *out_free = used < slot->info.memory ? slot->info.memory - used : 0;
    *out_flags = YOKE_MEMORY_ESTIMATED;
    return YOKE_OK;
}

/* Each device has a context of its own, and a buffer belongs to one. */
bool yk_opencl_copies_between(const yoke_device *device, const yoke_device *other)
{
    return device == other;
}

const char *yk_opencl_device_lacks(const yoke_device *device, int capability)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(device)->slot;

    switch (capability) {
    case YOKE_CAP_FP64:
        return "the OpenCL device has no double precision (no cl_khr_fp64)";
    case YOKE_CAP_INT64_ATOMICS:
        return "the OpenCL device has no 64-bit atomics (no cl_khr_int64_base_atomics)";
    case YOKE_CAP_SIGNATURE:
        return "the OpenCL driver does not tell a kernel's parameters";
    case YOKE_CAP_TIMING:
        return "the OpenCL driver does not time commands (no CL_QUEUE_PROFILING_ENABLE, or a timer without resolution)";
    case YOKE_CAP_MAPPED:
        if (slot->loses_maps)
            return "Mesa's driver loses count when a buffer is mapped and unmapped again and again";
        return "the OpenCL device has memory of its own: its driver would copy mapped memory there and back at each use";
    case YOKE_CAP_SHARED:
        return "the OpenCL device has no shared virtual memory (no CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)";
    case YOKE_CAP_EXACT_FP32:
        return "the OpenCL device does not round float division and square root correctly, or flushes subnormals to zero";
    case YOKE_CAP_IMAGES:
        return "the OpenCL driver gives out no program binaries that it takes again";
    case YOKE_CAP_SPIRV:
        return "the OpenCL driver takes no SPIR-V (no CL_DEVICE_IL_VERSION, or older than OpenCL 2.1)";
    case YOKE_CAP_GLOBALS:
        return "OpenCL lets nobody ask where a program's variable is: give the kernel a buffer";
    case YOKE_CAP_COOPERATIVE:
        return "OpenCL does not promise that all work-groups of a kernel run at once";
    case YOKE_CAP_GRAPHS:
        return slot->replays;
    default:
        return "no such capability";
    }
}
