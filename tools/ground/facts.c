/* SPDX-License-Identifier: Apache-2.0 */
/* The queries are sent to the loader's library that libyoke has opened: see facts.h. */
#include "tools/ground/facts.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <yoke/native.h>

typedef cl_int(CL_API_CALL *ask_fn)(void *object, cl_uint query, size_t size, void *value, size_t *out_size);

typedef struct fact {
    const char *name;
    cl_uint query;
    enum { TEXT, NUMBER, NUMBERS } kind; /* of 1, 2, 4 or 8 bytes; of size_t */
} fact;

static const fact of_platform[] = {
    { "platform_version", CL_PLATFORM_VERSION, TEXT },
    { "platform_vendor", CL_PLATFORM_VENDOR, TEXT },
};

static const fact of_device[] = {
    { "device_version", CL_DEVICE_VERSION, TEXT },
    { "device_opencl_c_version", CL_DEVICE_OPENCL_C_VERSION, TEXT },
    { "device_profile", CL_DEVICE_PROFILE, TEXT },
    { "device_vendor_id", CL_DEVICE_VENDOR_ID, NUMBER },
    { "device_type", CL_DEVICE_TYPE, NUMBER },
    { "device_address_bits", CL_DEVICE_ADDRESS_BITS, NUMBER },
    { "device_max_compute_units", CL_DEVICE_MAX_COMPUTE_UNITS, NUMBER },
    { "device_max_clock_frequency", CL_DEVICE_MAX_CLOCK_FREQUENCY, NUMBER },
    { "device_max_work_group_size", CL_DEVICE_MAX_WORK_GROUP_SIZE, NUMBER },
    { "device_max_work_item_sizes", CL_DEVICE_MAX_WORK_ITEM_SIZES, NUMBERS },
    { "device_max_num_sub_groups", CL_DEVICE_MAX_NUM_SUB_GROUPS, NUMBER },
    { "device_local_mem_type", CL_DEVICE_LOCAL_MEM_TYPE, NUMBER },
    { "device_local_mem_size", CL_DEVICE_LOCAL_MEM_SIZE, NUMBER },
    { "device_global_mem_size", CL_DEVICE_GLOBAL_MEM_SIZE, NUMBER },
    { "device_global_mem_cache_size", CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, NUMBER },
    { "device_global_mem_cacheline_size", CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, NUMBER },
    { "device_max_mem_alloc_size", CL_DEVICE_MAX_MEM_ALLOC_SIZE, NUMBER },
    { "device_max_constant_buffer_size", CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, NUMBER },
    { "device_max_parameter_size", CL_DEVICE_MAX_PARAMETER_SIZE, NUMBER },
    { "device_mem_base_addr_align", CL_DEVICE_MEM_BASE_ADDR_ALIGN, NUMBER },
    { "device_host_unified_memory", CL_DEVICE_HOST_UNIFIED_MEMORY, NUMBER },
    { "device_image_support", CL_DEVICE_IMAGE_SUPPORT, NUMBER },
    { "device_single_fp_config", CL_DEVICE_SINGLE_FP_CONFIG, NUMBER },
    { "device_double_fp_config", CL_DEVICE_DOUBLE_FP_CONFIG, NUMBER },
    { "device_queue_properties", CL_DEVICE_QUEUE_PROPERTIES, NUMBER },
    { "device_svm_capabilities", CL_DEVICE_SVM_CAPABILITIES, NUMBER },
    { "device_profiling_timer_resolution", CL_DEVICE_PROFILING_TIMER_RESOLUTION, NUMBER },
    { "device_native_vector_width_float", CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, NUMBER },
    { "device_extensions", CL_DEVICE_EXTENSIONS, TEXT }, /* the longest at the end, where it can do without its own end */
};

static void add(char *text, size_t size, const char *format, ...) YOKE_PRINTF(3, 4);
static void add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static unsigned long long number_of(const unsigned char *bytes, size_t size)
{
    uint64_t eight = 0;
    memcpy(&eight, bytes, size < sizeof eight ? size : sizeof eight); /* devices and hosts are little-endian */
    return eight;
}

/* What a driver does not know is left out. */
static void write_fact(ask_fn ask, void *object, const fact *one, char *text, size_t size)
{
    unsigned char bytes[4096] = { 0 };
    size_t length = 0;
    if (ask(object, one->query, sizeof bytes - 1, bytes, &length) != CL_SUCCESS || length == 0 || length >= sizeof bytes)
        return;
    add(text, size, "%s:", one->name);
    if (one->kind == NUMBER)
        add(text, size, " %llu", number_of(bytes, length));
    for (size_t i = 0; one->kind == NUMBERS && i < length / sizeof(size_t); i++)
        add(text, size, " %llu", number_of(bytes + i * sizeof(size_t), sizeof(size_t)));
    if (one->kind == TEXT)
        add(text, size, " %s", (char *)bytes);
    add(text, size, "\n");
}

void facts_write(yoke_device *device, char *text, size_t size)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    ask_fn ask_device = NULL, ask_platform = NULL;
    text[0] = '\0';
    if (yoke_device_get_info(device, &info) < 0 || strcmp(info.backend, "opencl") != 0 ||
        yoke_device_get_native(device, &native) < 0)
        return;
    void *library = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return;
    *(void **)&ask_device = dlsym(library, "clGetDeviceInfo");
    *(void **)&ask_platform = dlsym(library, "clGetPlatformInfo");
    for (size_t i = 0; ask_platform && i < YK_COUNT_OF(of_platform); i++)
        write_fact(ask_platform, native.platform, &of_platform[i], text, size);
    for (size_t i = 0; ask_device && i < YK_COUNT_OF(of_device); i++)
        write_fact(ask_device, (void *)native.device, &of_device[i], text, size);
    dlclose(library); /* its other user goes on */
}
