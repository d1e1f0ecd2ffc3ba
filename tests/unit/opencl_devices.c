/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the OpenCL backend makes of drivers that no machine at hand has: the functions that it asks devices with are made up
 * (made_up.c). Platforms are asked once in a process, so each case has one of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stream/enqueue.h"
#include "program/program.h"
#include "stream/retire.h"
#include "../tap/tap.h"
#include "made_up.h"
#include "yoke/yoke.h"

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
    yk_device_list list = { .backend = &yk_backend_opencl };

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
    { "a device without limits", "does not report its limits", limitless },
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
    yk_device_list list = { .backend = &yk_backend_opencl };
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
                                    YOKE_CAP_MAPPED, YOKE_CAP_MANAGED,       YOKE_CAP_SPIRV,  YOKE_CAP_GRAPHS };

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
        if (capabilities[i] != YOKE_CAP_GRAPHS && (capabilities[i] != YOKE_CAP_MANAGED || svm) &&
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
    { "command buffers of no version", "does not support the version", { .command_buffers = 0 } },
    { "command buffers of a later version", "does not support the version", { .command_buffers = 5 << 22 } },
    { "command buffers that run once at a time",
      "cannot be launched again before they are complete",
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
    CHECK_TEXT(yoke_device_lacks(device, YOKE_CAP_MAPPED), "Mesa's driver miscounts");
    CHECK_TEXT(yoke_device_lacks(device, YOKE_CAP_PROGRAM_BINARIES), "no program binaries that it can load again");
    yoke_device_release(device);
}

/* A program that seems to be built. */
static yoke_program *made_up_program(yoke_device *device)
{
    yoke_program *program = yk_program_new(device, "made up");
    program->native = &driver;
    yk_object_retain(device);
    yk_program_complete(program, NULL);
    return program;
}

/* NVIDIA's driver lets the release of a program wait for kernels that run, and every thread for that: so it is put off until none
 * does, however often others have begun in between. */
static void released_when_idle(const void *user)
{
    const yk_op work = { .kind = YK_OP_ALLOCATION };
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    (void)user;
    driver.vendor = "NVIDIA Corporation";
    CHECK(yoke_device_open("opencl:0", &device) == YOKE_OK && yoke_stream_create(device, NULL, &stream) == YOKE_OK);
    CHECK(device->traits.releases_wait);
    yk_note_submitted(stream, YK_OP_ALLOCATION, &work, false); /* something runs */
    yoke_program_release(made_up_program(device));
    yoke_program_release(made_up_program(device));
    yk_reclaim_finished(device);
    CHECK(released == 0);
    atomic_store(&stream->done, yk_stream_submitted(stream));
    yk_note_submitted(stream, YK_OP_ALLOCATION, &work, false); /* and something else, before anybody has seen the end of that */
    yk_reclaim_finished(device);
    CHECK(released == 0);
    atomic_store(&stream->done, yk_stream_submitted(stream));
    yk_reclaim_finished(device);
    CHECK(released == 2);
    yoke_program_release(made_up_program(device)); /* with nothing under way: here and now */
    CHECK(released == 3);
    yoke_stream_release(stream);
    yoke_device_release(device);
}

/* So does the release of memory, which is put off as long; but not where a thread waits for memory. */
static void memory_released_when_idle(const void *user)
{
    const yk_op work = { .kind = YK_OP_ALLOCATION };
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *buffers[3] = { NULL };
    (void)user;
    driver.vendor = "NVIDIA Corporation";
    CHECK(yoke_device_open("opencl:0", &device) == YOKE_OK && yoke_stream_create(device, NULL, &stream) == YOKE_OK);
    CHECK(yoke_device_set_memory_limits(device, YOKE_NO_LIMIT, 0) == YOKE_OK); /* nothing is cached */
    for (int i = 0; i < 3; i++)
        CHECK(yoke_buffer_create(device, 65536, &buffers[i]) == YOKE_OK);
    yoke_buffer_release(buffers[0]); /* with nothing under way: here and now */
    CHECK(released_memory == 1);
    yk_note_submitted(stream, YK_OP_ALLOCATION, &work, false); /* something runs, which does not use the memory */
    yoke_buffer_release(buffers[1]);
    yk_reclaim_finished(device);
    CHECK(released_memory == 1);
    atomic_store(&stream->done, yk_stream_submitted(stream));
    yk_note_submitted(stream, YK_OP_ALLOCATION, &work, false); /* and something else, before anybody has seen the end of that */
    yk_reclaim_finished(device);
    CHECK(released_memory == 1);
    yoke_buffer_release(buffers[2]);
    yk_reclaim_wait(device);
    CHECK(released_memory == 3);
    atomic_store(&stream->done, yk_stream_submitted(stream));
    yoke_stream_release(stream);
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

/* ---- Priorities ---- */

static cl_queue_properties asked_for; /* the priority; 0: a queue without */

static cl_command_queue create_queue_with(cl_context context, cl_device_id device, const cl_queue_properties *properties,
                                          cl_int *out_code)
{
    (void)context, (void)device;
    for (; *properties; properties += 2)
        if (*properties == CL_QUEUE_PRIORITY_KHR)
            asked_for = properties[1];
    *out_code = driver.queue;
    return driver.queue == CL_SUCCESS ? (cl_command_queue)&driver : NULL;
}

static void check_priority(yoke_device *device, int32_t wanted, int32_t got, cl_queue_properties asked)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;
    int32_t priority = 7;

    desc.priority = wanted;
    asked_for = 0;
    CHECK(yoke_stream_create(device, &desc, &stream) == YOKE_OK && asked_for == asked);
    CHECK(yoke_stream_get_priority(stream, &priority) == YOKE_OK && priority == got);
    yoke_stream_release(stream);
}

/* The refusal is of queues with a priority only. */
static cl_command_queue refuse_queue_with(cl_context context, cl_device_id device, const cl_queue_properties *properties,
                                          cl_int *out_code)
{
    cl_command_queue queue = create_queue_with(context, device, properties, out_code);

    *out_code = CL_INVALID_QUEUE_PROPERTIES;
    return queue ? NULL : queue;
}

static void priorities(const void *user)
{
    bool has = *(const bool *)user;
    yoke_device *device = NULL;

    if (has)
        driver.devices[0].extensions = "cl_khr_icd cl_khr_priority_hints";
    yk_cl.clCreateCommandQueueWithProperties = create_queue_with;
    CHECK(yoke_device_open("opencl:0", &device) == YOKE_OK);
    check_priority(device, 0, 0, 0);
    check_priority(device, 1, has, has ? CL_QUEUE_PRIORITY_HIGH_KHR : 0);
    check_priority(device, YOKE_MAX_PRIORITY, has, has ? CL_QUEUE_PRIORITY_HIGH_KHR : 0);
    check_priority(device, -3, -has, has ? CL_QUEUE_PRIORITY_LOW_KHR : 0);
    yk_cl.clCreateCommandQueueWithProperties = refuse_queue_with;
    check_priority(device, 2, 0, has ? CL_QUEUE_PRIORITY_HIGH_KHR : 0);
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
    in_process("a program is released when nothing runs", released_when_idle, NULL);
    in_process("so is memory, or when a thread waits for memory", memory_released_when_idle, NULL);
    in_process("where views may begin", alignment, NULL);
    in_process("streams with priorities", priorities, &(bool){ true });
    in_process("priorities where the driver has none", priorities, &(bool){ false });
    in_process("a device that does not open", refuses_to_open, NULL);
    return tap_done();
}
