/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenCL driver that is made up. */
#include "made_up.h"

#include <string.h>

const made_up good = { .name = "Good Device",
                       .version = "OpenCL 3.0 made up",
                       .extensions = "cl_khr_icd cl_khr_fp64 cl_khr_int64_base_atomics",
                       .il = "SPIR-V_1.2",
                       .type = CL_DEVICE_TYPE_GPU,
                       .bits = 8 * sizeof(void *),
                       .alignment = 1024,
                       .available = CL_TRUE,
                       .compiler = CL_TRUE,
                       .little = CL_TRUE,
                       .unified = CL_TRUE,
                       .threads = 256,
                       .resolution = 1,
                       .single = CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT | CL_FP_DENORM,
                       .fp64 = CL_FP_DENORM,
                       .svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
                       .queue = CL_QUEUE_PROFILING_ENABLE };

made_up_driver driver = { .count = 1, .platform = "Made Up", .vendor = "Nobody", .platform_count = 1 };

static cl_int answer(const void *value, size_t value_size, size_t size, void *target, size_t *out_size)
{
    if (target && size < value_size)
        return CL_INVALID_VALUE;
    if (target)
        memcpy(target, value, value_size);
    if (out_size)
        *out_size = value_size;
    return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t size, void *target, size_t *out_size)
{
    return text ? answer(text, strlen(text) + 1, size, target, out_size) : CL_INVALID_VALUE;
}

static cl_int get_platform_ids(cl_uint room, cl_platform_id *platforms, cl_uint *out_count)
{
    if (driver.platforms != CL_SUCCESS)
        return driver.platforms;
    if (out_count)
        *out_count = driver.platform_count;
    if (platforms && room > 0)
        platforms[0] = (cl_platform_id)&driver;
    return CL_SUCCESS;
}

static cl_int get_platform_info(cl_platform_id id, cl_platform_info what, size_t size, void *target, size_t *out_size)
{
    (void)id;
    return answer_text(what == CL_PLATFORM_NAME     ? driver.platform
                       : what == CL_PLATFORM_VENDOR ? driver.vendor
                                                    : "OpenCL 3.0",
                       size, target, out_size);
}

static cl_int get_device_ids(cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *devices, cl_uint *out_count)
{
    (void)id, (void)type;
    if (driver.list != CL_SUCCESS)
        return driver.list;
    if (out_count)
        *out_count = driver.count;
    for (cl_uint i = 0; devices && i < room && i < driver.count; i++)
        devices[i] = (cl_device_id)&driver.devices[i];
    return CL_SUCCESS;
}

static cl_int get_versions(const made_up *device, size_t size, void *target, size_t *out_size)
{
    struct {
        cl_uint version;
        char name[64];
    } all[] = { { 1 << 22, "cl_khr_icd" }, { device->command_buffers, "cl_khr_command_buffer" } };

    return device->command_buffers ? answer(all, sizeof all, size, target, out_size) : CL_INVALID_VALUE;
}

static cl_int get_device_info(cl_device_id id, cl_device_info what, size_t size, void *target, size_t *out_size)
{
    const made_up *device = (const made_up *)(const void *)id;
    const size_t block[3] = { device->threads, device->threads, device->threads };
    const cl_ulong memory = 1 << 30;
    const cl_uint units = 4, bus = 0x3b, domain = 0;
    unsigned char uuid[CL_UUID_SIZE_KHR];

    if (what == driver.unanswered)
        return CL_OUT_OF_RESOURCES;
    for (size_t i = 0; i < sizeof uuid; i++)
        uuid[i] = (unsigned char)(0x11 * i);
#define TEXT(which, text) \
    case which:           \
        return answer_text(text, size, target, out_size);
#define VALUE(which, value) \
    case which:             \
        return answer(&(value), sizeof(value), size, target, out_size);
    switch (what) {
        TEXT(CL_DEVICE_NAME, device->name)
        TEXT(CL_DEVICE_VENDOR, driver.vendor)
        TEXT(CL_DRIVER_VERSION, "1")
        TEXT(CL_DEVICE_VERSION, device->version)
        TEXT(CL_DEVICE_EXTENSIONS, device->extensions)
        TEXT(CL_DEVICE_IL_VERSION, device->il)
        VALUE(CL_DEVICE_TYPE, device->type)
        VALUE(CL_DEVICE_ADDRESS_BITS, device->bits)
        VALUE(CL_DEVICE_MEM_BASE_ADDR_ALIGN, device->alignment)
        VALUE(CL_DEVICE_AVAILABLE, device->available)
        VALUE(CL_DEVICE_COMPILER_AVAILABLE, device->compiler)
        VALUE(CL_DEVICE_ENDIAN_LITTLE, device->little)
        VALUE(CL_DEVICE_HOST_UNIFIED_MEMORY, device->unified)
        VALUE(CL_DEVICE_MAX_WORK_GROUP_SIZE, device->threads)
        VALUE(CL_DEVICE_MAX_WORK_ITEM_SIZES, block)
        VALUE(CL_DEVICE_PROFILING_TIMER_RESOLUTION, device->resolution)
        VALUE(CL_DEVICE_SINGLE_FP_CONFIG, device->single)
        VALUE(CL_DEVICE_DOUBLE_FP_CONFIG, device->fp64)
        VALUE(CL_DEVICE_SVM_CAPABILITIES, device->svm)
        VALUE(CL_DEVICE_QUEUE_PROPERTIES, device->queue)
        VALUE(CL_DEVICE_MAX_COMPUTE_UNITS, units)
        VALUE(CL_DEVICE_GLOBAL_MEM_SIZE, memory)
        VALUE(CL_DEVICE_MAX_MEM_ALLOC_SIZE, memory)
        VALUE(CL_DEVICE_LOCAL_MEM_SIZE, memory)
        VALUE(CL_DEVICE_PCI_BUS_INFO_KHR, device->pci)
        VALUE(CL_DEVICE_UUID_KHR, uuid)
        VALUE(NV_PCI_BUS, bus)
        VALUE(NV_PCI_SLOT, device->platform_slot)
        VALUE(NV_PCI_DOMAIN, domain)
        VALUE(YK_CL_DEVICE_COMMAND_BUFFER_CAPABILITIES, device->command_buffer_capabilities)
        VALUE(YK_CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES, device->graph_queue)
    case EXTENSIONS_WITH_VERSION:
        return get_versions(device, size, target, out_size);
    default:
        return CL_INVALID_VALUE;
    }
#undef VALUE
#undef TEXT
}

static cl_context create_context(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                                 void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
                                 cl_int *out_code)
{
    (void)properties, (void)count, (void)devices, (void)notify, (void)user;
    *out_code = driver.context;
    return driver.context == CL_SUCCESS ? (cl_context)&driver : NULL;
}

static cl_command_queue create_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                     cl_int *out_code)
{
    (void)context, (void)device, (void)properties;
    *out_code = driver.queue;
    return driver.queue == CL_SUCCESS ? (cl_command_queue)&driver : NULL;
}

static cl_int release_context(cl_context context)
{
    (void)context;
    return CL_SUCCESS;
}

static cl_int finish_queue(cl_command_queue queue)
{
    (void)queue;
    return CL_SUCCESS;
}

static cl_int release_queue(cl_command_queue queue)
{
    (void)queue;
    return CL_SUCCESS;
}

unsigned released, released_memory;

static cl_int release_program(cl_program program)
{
    released += program != NULL;
    return CL_SUCCESS;
}

static cl_mem create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *out_code)
{
    (void)context, (void)flags, (void)size, (void)host;
    *out_code = CL_SUCCESS;
    return (cl_mem)&driver;
}

static cl_int migrate(cl_command_queue queue, cl_uint count, const cl_mem *memory, cl_mem_migration_flags flags, cl_uint waits,
                      const cl_event *events, cl_event *out_event)
{
    (void)queue, (void)count, (void)memory, (void)flags, (void)waits, (void)events, (void)out_event;
    return CL_SUCCESS;
}

static cl_int release_memory(cl_mem memory)
{
    released_memory += memory != NULL;
    return CL_SUCCESS;
}

static cl_int refuse_marker(cl_command_queue queue, cl_uint count, const cl_event *events, cl_event *out_event)
{
    (void)queue, (void)count, (void)events, (void)out_event;
    return CL_OUT_OF_RESOURCES;
}

void make_up(void)
{
    yk_cl.clGetPlatformIDs = get_platform_ids;
    yk_cl.clGetPlatformInfo = get_platform_info;
    yk_cl.clGetDeviceIDs = get_device_ids;
    yk_cl.clGetDeviceInfo = get_device_info;
    yk_cl.clCreateContext = create_context;
    yk_cl.clCreateCommandQueue = create_queue;
    yk_cl.clReleaseContext = release_context;
    yk_cl.clFinish = finish_queue;
    yk_cl.clEnqueueMarkerWithWaitList = refuse_marker;
    yk_cl.clReleaseCommandQueue = release_queue;
    yk_cl.clReleaseProgram = release_program;
    yk_cl.clCreateBuffer = create_buffer;
    yk_cl.clEnqueueMigrateMemObjects = migrate;
    yk_cl.clReleaseMemObject = release_memory;
    yk_cl.clFlush = release_queue;
    for (size_t i = 0; i < MOST; i++)
        driver.devices[i] = good;
}
