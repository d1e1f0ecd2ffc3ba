/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the OpenCL backend makes of drivers that no machine at hand has: the functions that it asks devices with are made up here.
 * Platforms are asked once in a process, so each case has one of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../backends/opencl/driver.h"
#include "../../src/enqueue.h"
#include "../../src/program.h"
#include "../tap/tap.h"
#include "yoke/yoke.h"

/* ---- The driver that is made up ---- */

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

static const made_up good = { .name = "Good Device",
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

static struct {
    made_up devices[MOST];
    cl_uint count;
    const char *platform, *vendor;
    cl_int platforms, list, context, queue; /* what the calls answer */
    cl_device_info unanswered;              /* this question about a device fails */
    cl_uint platform_count;
} driver = { .count = 1, .platform = "Made Up", .vendor = "Nobody", .platform_count = 1 };

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

static int arrived[2], leave[2]; /* pipes */

/* As a driver's that waits for the kernels which run. */
static cl_int release_program(cl_program program)
{
    char byte = program != NULL;

    return write(arrived[1], &byte, 1) == 1 && read(leave[0], &byte, 1) == 1 ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

/* The loader is the machine's, but no driver behind it is called. */
static void make_up(void)
{
    yk_cl.clGetPlatformIDs = get_platform_ids;
    yk_cl.clGetPlatformInfo = get_platform_info;
    yk_cl.clGetDeviceIDs = get_device_ids;
    yk_cl.clGetDeviceInfo = get_device_info;
    yk_cl.clCreateContext = create_context;
    yk_cl.clCreateCommandQueue = create_queue;
    yk_cl.clReleaseContext = release_context;
    yk_cl.clFinish = finish_queue;
    yk_cl.clReleaseCommandQueue = release_queue;
    yk_cl.clReleaseProgram = release_program;
    yk_cl.clFlush = release_queue;
    for (size_t i = 0; i < MOST; i++)
        driver.devices[i] = good;
}

/* ---- Cases, each in a process of its own ---- */

static bool failed;

static void check_at(int line, bool holds, const char *words, const char *got)
{
    if (!holds) {
        tap_diag("line %d: %s: %s", line, words, got ? got : "(nothing)");
        failed = true;
    }
}

static void check_text_at(int line, const char *text, const char *part)
{
    check_at(line, text && strstr(text, part), part, text);
}
#define CHECK(condition) check_at(__LINE__, condition, #condition, "does not hold")
#define CHECK_TEXT(text, part) check_text_at(__LINE__, text, part)

static void in_process(const char *words, void (*work)(const void *user), const void *user)
{
    int status = 1;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        make_up();
        work(user);
        exit(failed);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    tap_ok(status == 0, "%s", words);
}

static yk_device_list list_all(void)
{
    yk_device_list list = { 0 };

    CHECK(yk_backend_opencl.device_list(&list) == YOKE_OK);
    return list;
}

/* ---- What cannot be used, and why ---- */

static void old(void)
{
    driver.devices[0].version = "OpenCL 1.1 old";
}

static void nameless(void)
{
    driver.devices[0].version = NULL;
}

static void away(void)
{
    driver.devices[0].available = CL_FALSE;
}

static void without_compiler(void)
{
    driver.devices[0].compiler = CL_FALSE;
}

static void big(void)
{
    driver.devices[0].little = CL_FALSE;
}

static void narrow(void)
{
    driver.devices[0].bits = 16;
}

static void limitless(void)
{
    driver.devices[0].threads = 0;
}

static void speechless(void)
{
    driver.unanswered = CL_DEVICE_GLOBAL_MEM_SIZE;
}

static void empty(void)
{
    driver.count = 0;
}

static void refusing(void)
{
    driver.list = CL_OUT_OF_HOST_MEMORY;
}

static const struct rejection {
    const char *words, *reason;
    void (*change)(void);
} rejections[] = {
    { "a device of OpenCL 1.1", "its version is 'OpenCL 1.1 old'; OpenCL 1.2 or later is needed", old },
    { "a device without a version", "its version is 'unknown'", nameless },
    { "a device that is not available", "not available", away },
    { "a device without a compiler", "no compiler", without_compiler },
    { "a big-endian device", "big-endian", big },
    { "a device with other addresses", "its addresses have 16 bits", narrow },
    { "a device without limits", "does not tell its limits", limitless },
    { "a device that does not answer", "its limits; clGetDeviceInfo failed: CL_OUT_OF_RESOURCES (-5)", speechless },
    { "a platform without devices", "it has no devices", empty },
    { "a platform that does not list its devices", "clGetDeviceIDs failed: CL_OUT_OF_HOST_MEMORY (-6)", refusing },
};

static void is_rejected(const void *user)
{
    const struct rejection *rejection = user;

    rejection->change();
    yk_device_list list = list_all();
    CHECK(list.count == 0);
    CHECK_TEXT(list.rejected.data, rejection->reason);
    CHECK_TEXT(list.rejected.data, "Made Up");
}

static void no_platforms(const void *user)
{
    yk_device_list list = { 0 };
    (void)user;
    driver.platform_count = 0;
    CHECK(yk_backend_opencl.device_list(&list) == YOKE_E_UNAVAILABLE);
    CHECK_TEXT(yoke_error()->text, "no OpenCL driver (ICD) is installed");
    driver.platforms = CL_OUT_OF_HOST_MEMORY;
    CHECK(yk_backend_opencl.device_list(&list) == YOKE_E_UNAVAILABLE);
    CHECK_TEXT(yoke_error()->text, "clGetPlatformIDs");
    driver.platforms = CL_SUCCESS;
    driver.platform_count = 1;
    CHECK(yk_backend_opencl.device_list(&list) == YOKE_OK && list.count == 1); /* nothing of that was kept */
}

/* It may be well the next time. */
static void asked_again(const void *user)
{
    yoke_device *device = NULL;
    (void)user;
    driver.list = CL_OUT_OF_HOST_MEMORY;
    CHECK(yoke_device_open("opencl:0", &device) < 0 && list_all().count == 0 && list_all().count == 0);
    driver.list = CL_SUCCESS;
    driver.unanswered = CL_DEVICE_GLOBAL_MEM_SIZE;
    CHECK(list_all().count == 0);
    driver.unanswered = 0;
    CHECK(list_all().count == 1 && yoke_device_open("opencl:0", &device) == YOKE_OK);
    driver.list = CL_OUT_OF_HOST_MEMORY;
    CHECK(list_all().count == 1); /* what is in use is kept */
    yoke_device_release(device);
}

/* ---- What is said of those that can ---- */

static void places(const void *user)
{
    (void)user;
    driver.count = 3;
    driver.devices[0].name = "last";
    driver.devices[1].name = "second";
    driver.devices[1].extensions = "cl_nv_device_attribute_query";
    driver.devices[1].platform_slot = 2 * 8 + 1;
    driver.devices[2].name = " first ";
    driver.devices[2].extensions = "cl_khr_device_uuid cl_khr_pci_bus_info";
    driver.devices[2].pci = (cl_device_pci_bus_info_khr){ 0, 0x1a, 3, 0 };
    yk_device_list list = list_all();
    if (list.count != 3) {
        CHECK(!"three devices");
        return;
    }
    CHECK(strcmp(list.infos[0].name, "first") == 0 && strcmp(list.infos[0].pci, "0000:1a:03.0") == 0);
    CHECK(strcmp(list.infos[0].uuid, "00112233-4455-6677-8899-aabbccddeeff") == 0);
    CHECK(strcmp(list.infos[1].name, "second") == 0 && strcmp(list.infos[1].pci, "0000:3b:02.1") == 0);
    CHECK(strcmp(list.infos[2].name, "last") == 0 && !list.infos[2].pci[0] && !list.infos[2].uuid[0]);
}

static void kinds(const void *user)
{
    (void)user;
    driver.count = 3;
    driver.devices[0].type = CL_DEVICE_TYPE_CPU;
    driver.devices[1].type = CL_DEVICE_TYPE_ACCELERATOR;
    driver.devices[2].name = "llvmpipe (LLVM 15)";
    yk_device_list list = list_all();
    CHECK(list.count == 3 && list.infos[0].kind == YOKE_DEVICE_CPU && list.infos[1].kind == YOKE_DEVICE_ACCELERATOR &&
          list.infos[2].kind == YOKE_DEVICE_EMULATOR);
}

static const int capabilities[] = { YOKE_CAP_FP64,   YOKE_CAP_INT64_ATOMICS, YOKE_CAP_TIMING, YOKE_CAP_EXACT_FP32,
                                    YOKE_CAP_MAPPED, YOKE_CAP_SHARED,        YOKE_CAP_SPIRV,  YOKE_CAP_GRAPHS };

/* The first has all of them but graphs, the second none. */
static void capable(const void *user)
{
    yoke_device *rich = NULL, *poor = NULL;
    bool svm = yk_cl.clSVMAlloc && yk_cl.clSVMFree && yk_cl.clEnqueueSVMMap && yk_cl.clEnqueueSVMUnmap;
    (void)user;
    driver.count = 2;
    driver.devices[1] = (made_up){ .name = "Poor",
                                   .version = "OpenCL 1.2",
                                   .extensions = "",
                                   .il = "SPIR-V_1.0", /* but no function for it */
                                   .type = CL_DEVICE_TYPE_GPU,
                                   .bits = good.bits,
                                   .available = CL_TRUE,
                                   .compiler = CL_TRUE,
                                   .little = CL_TRUE,
                                   .threads = 1 };
    CHECK(yoke_device_open("opencl:0", &rich) == YOKE_OK && yoke_device_open("opencl:1", &poor) == YOKE_OK);
    for (size_t i = 0; rich && poor && i < YK_COUNT_OF(capabilities); i++) {
        const char *reason = yoke_device_lacks(poor, capabilities[i]);
        CHECK_TEXT(reason, "the OpenCL d"); /* device, or driver */
        if (capabilities[i] != YOKE_CAP_GRAPHS && (capabilities[i] != YOKE_CAP_SHARED || svm) &&
            (capabilities[i] != YOKE_CAP_SPIRV || yk_cl.clCreateProgramWithIL))
            check_at(__LINE__, !yoke_device_lacks(rich, capabilities[i]), "has it", yoke_device_lacks(rich, capabilities[i]));
    }
    if (poor)
        CHECK_TEXT(yoke_device_lacks(poor, 1000), "no such capability");
    yoke_device_release(poor);
    yoke_device_release(rich);
}

/* Each for a reason of its own. */
static const struct graphs {
    const char *words, *reason;
    made_up device;
} graphs[] = {
    { "command buffers that there are not", "no cl_khr_command_buffer", { .extensions = "cl_khr_icd" } },
    { "command buffers of no version", "not of a version that Yoke knows", { .command_buffers = 0 } },
    { "command buffers of a later version", "not of a version that Yoke knows", { .command_buffers = 5 << 22 } },
    { "command buffers that run once at a time",
      "cannot be launched again before they have finished",
      { .command_buffers = YK_CL_COMMAND_BUFFER_FIRST } },
    { "command buffers for other queues",
      "do not run in plain queues",
      { .command_buffers = YK_CL_COMMAND_BUFFER_FIRST,
        .command_buffer_capabilities = YK_CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE,
        .graph_queue = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE } },
};

static void lacks_graphs(const void *user)
{
    const struct graphs *wanted = user;
    made_up *device = &driver.devices[0];
    yoke_device *opened = NULL;

    device->extensions = wanted->device.extensions ? wanted->device.extensions
                                                   : "cl_khr_command_buffer_mutable_dispatch "
                                                     "cl_khr_command_buffer";
    device->command_buffers = wanted->device.command_buffers;
    device->command_buffer_capabilities = wanted->device.command_buffer_capabilities;
    device->graph_queue = wanted->device.graph_queue;
    CHECK(yoke_device_open("opencl:0", &opened) == YOKE_OK);
    if (opened)
        CHECK_TEXT(yoke_device_lacks(opened, YOKE_CAP_GRAPHS), wanted->reason);
    yoke_device_release(opened);
}

/* Mesa's driver, which counts maps wrongly and dies on its own binaries; and NVIDIA's, which takes any offset. */
static void peculiar(const void *user)
{
    yoke_device *device = NULL;
    (void)user;
    driver.platform = "rusticl";
    CHECK(yoke_device_open("opencl:0", &device) == YOKE_OK);
    CHECK_TEXT(yoke_device_lacks(device, YOKE_CAP_MAPPED), "Mesa's driver loses count");
    CHECK_TEXT(yoke_device_lacks(device, YOKE_CAP_IMAGES), "no program binaries that it takes again");
    yoke_device_release(device);
}

/* A program that seems to be built. */
static yoke_program *made_up_program(yoke_device *device)
{
    yoke_program *program = yk_program_new(device, "made up");
    program->native = &driver;
    yk_object_retain(device);
    yk_program_settle(program, NULL);
    return program;
}

/* NVIDIA's driver lets the release of a program wait for kernels that run: nobody waits for that, but the device. */
static void released_aside(const void *user)
{
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    char byte;
    (void)user;
    alarm(30); /* else it would hang, should the release wait */
    driver.vendor = "NVIDIA Corporation";
    CHECK(pipe(arrived) == 0 && pipe(leave) == 0 && yoke_device_open("opencl:0", &device) == YOKE_OK);
    CHECK(device->releases_wait && yoke_stream_create(device, &stream) == YOKE_OK);
    yk_note_given(stream, YK_OP_ALLOCATION, &(yk_op){ .kind = YK_OP_ALLOCATION }, false); /* something runs */
    yoke_program_release(made_up_program(device));
    yoke_program_release(made_up_program(device));
    CHECK(read(arrived[0], &byte, 1) == 1 && read(arrived[0], &byte, 1) == 1 && atomic_load(&device->object.refs) == 4);
    atomic_store(&stream->done, yk_stream_given(stream));
    yoke_stream_release(stream);
    CHECK(write(leave[1], "123", 3) == 3);
    while (atomic_load(&device->object.refs) > 1)
        sched_yield();
    yoke_program_release(made_up_program(device)); /* with nothing under way: here and now */
    yoke_device_release(device);
}

static void alignment(const void *user)
{
    (void)user;
    driver.count = 2;
    driver.devices[1].alignment = 0;
    yk_device_list list = list_all();
    CHECK(list.count == 2 && list.infos[0].view_alignment == 128 && list.infos[1].view_alignment == 1);
}

/* ---- Opening ---- */

static void refuses_to_open(const void *user)
{
    yoke_device *device = NULL;
    (void)user;
    driver.context = CL_OUT_OF_RESOURCES;
    CHECK(yoke_device_open("opencl:0", &device) == YOKE_E_UNAVAILABLE && !device);
    CHECK_TEXT(yoke_error()->text, "'Good Device' refuses to start");
    driver.context = CL_SUCCESS;
    driver.queue = CL_OUT_OF_RESOURCES;
    CHECK(yoke_device_open("opencl:0", &device) == YOKE_E_DRIVER && !device);
    CHECK_TEXT(yoke_error()->text, "clCreateCommandQueue");
    driver.queue = CL_SUCCESS;
    CHECK(yoke_device_open("opencl:0", &device) == YOKE_OK);
    CHECK(!device || yoke_device_lacks(device, YOKE_CAP_GLOBALS));
    yoke_device_release(device);
}

int main(void)
{
    tap_start(60);
    setenv("YOKE_BACKEND", "opencl", 1);
    unsetenv("YOKE_DEVICE");
    unsetenv("YOKE_COMMAND_BUFFERS");
    if (yk_opencl_load() < 0)
        tap_skip_all("%s", yoke_error()->text);
    for (size_t i = 0; i < YK_COUNT_OF(rejections); i++)
        in_process(rejections[i].words, is_rejected, &rejections[i]);
    in_process("no platforms, or a loader that fails", no_platforms, NULL);
    in_process("a platform that has failed is asked again", asked_again, NULL);
    in_process("PCI addresses, UUIDs, and their order", places, NULL);
    in_process("what kind a device is", kinds, NULL);
    in_process("what a device can do, and why another cannot", capable, NULL);
    for (size_t i = 0; i < YK_COUNT_OF(graphs); i++)
        in_process(graphs[i].words, lacks_graphs, &graphs[i]);
    in_process("drivers with peculiarities", peculiar, NULL);
    in_process("a program is released, and the driver waits", released_aside, NULL);
    in_process("where views may begin", alignment, NULL);
    in_process("a device that does not open", refuses_to_open, NULL);
    return tap_done();
}
