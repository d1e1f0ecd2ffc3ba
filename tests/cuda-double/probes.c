/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that asks a driver: what all questions need, and those about starting and contexts. On a GPU it tells where the
 * double is another thing than NVIDIA's driver.
 */
#include "probes.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

probe_table cu;
bool probe_is_double;

/* ---- Answers ---- */

const char *probe_name(yk_CUresult result)
{
    const char *name = NULL;

    if (cu.cuGetErrorName(result, &name) != YK_CUDA_SUCCESS || !name)
        return "a result without a name";
    return strncmp(name, "CUDA_ERROR_", 11) == 0 ? name + 11 : name + 5;
}

void probe_text(const char *name, const char *answer, const char *expected)
{
    tap_diag("%s: %s", name, answer);
    tap_is(answer, expected, "%s", name);
}

void probe(const char *name, yk_CUresult result, const char *expected)
{
    probe_text(name, probe_name(result), expected);
}

void probe_yes(const char *name, bool answer, bool expected)
{
    probe_text(name, answer ? "yes" : "no", expected ? "yes" : "no");
}

void probe_differs(const char *name, yk_CUresult result, const char *driver, const char *on_double)
{
    probe(name, result, probe_is_double ? on_double : driver);
}

void probe_need(yk_CUresult result, const char *call)
{
    if (result != YK_CUDA_SUCCESS)
        tap_bail("%s is %s", call, probe_name(result));
}

void probe_pause(int milliseconds)
{
    nanosleep(&(struct timespec){ .tv_nsec = milliseconds * 1000000L }, NULL);
}

/* ---- Gates ---- */

struct probe_gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool inside, open;
};

static void stand(void *user)
{
    probe_gate *gate = user;

    pthread_mutex_lock(&gate->lock);
    gate->inside = true;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->open)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

/* They are few, and kept until the end. */
probe_gate *gate_close(yk_CUstream stream)
{
    static probe_gate gates[64];
    static unsigned count;
    probe_gate *gate = &gates[count++];

    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->changed, NULL);
    NEED(cu.cuLaunchHostFunc(stream, stand, gate));
    pthread_mutex_lock(&gate->lock);
    while (!gate->inside)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
    return gate;
}

void gate_open(probe_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

yk_CUstream new_stream(void)
{
    yk_CUstream stream = NULL;

    NEED(cu.cuStreamCreate(&stream, YK_CU_STREAM_NON_BLOCKING));
    return stream;
}

yk_CUevent new_event(unsigned flags)
{
    yk_CUevent event = NULL;

    NEED(cu.cuEventCreate(&event, flags));
    return event;
}

/* ---- Starting ---- */

static void load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    static const struct {
        const char *name;
        size_t place;
    } all[] = {
#define YK_CUDA_SYMBOL(need, name, parameters, ...) { #name, offsetof(probe_table, name) },
#include "../../backends/cuda/symbols.def"
        { "cuCtxGetCurrent", offsetof(probe_table, cuCtxGetCurrent) },
        { "cuCtxSetCurrent", offsetof(probe_table, cuCtxSetCurrent) },
        { "cuCtxSynchronize", offsetof(probe_table, cuCtxSynchronize) },
        { "cuMemcpyDtoH_v2", offsetof(probe_table, cuMemcpyDtoH_v2) },
    };

    if (!library)
        tap_skip_all("%s", dlerror());
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *symbol = dlsym(library, all[i].name);
        if (!symbol)
            tap_bail("the driver lacks %s", all[i].name);
        memcpy((char *)&cu + all[i].place, &symbol, sizeof symbol);
    }
}

static void probe_start(void)
{
    int number = 0;
    const char *name = "";
    char device[64] = "";

    probe_text("the name of error 700", cu.cuGetErrorName(700, &name) == 0 ? name : "none", "CUDA_ERROR_ILLEGAL_ADDRESS");
    probe("the name of error 12345", cu.cuGetErrorName(12345, &name), "INVALID_VALUE");
    probe("counting devices before cuInit", cu.cuDeviceGetCount(&number), "NOT_INITIALIZED");
    probe("cuInit with flags", cu.cuInit(1), "INVALID_VALUE");
    yk_CUresult result = cu.cuInit(0);
    if (result != YK_CUDA_SUCCESS)
        tap_bail("cuInit is %s", probe_name(result));
    NEED(cu.cuDeviceGetName(device, sizeof device, 0));
    probe_is_double = strstr(device, "double") != NULL;
    tap_diag("(this is %s)", device);
    probe("device -1", cu.cuDeviceGet(&number, -1), "INVALID_DEVICE");
    probe("device 1000", cu.cuDeviceGet(&number, 1000), "INVALID_DEVICE");
    probe("a device's attribute 0", cu.cuDeviceGetAttribute(&number, 0, 0), "INVALID_VALUE");
    probe("a device's attribute 9999", cu.cuDeviceGetAttribute(&number, 9999, 0), "INVALID_VALUE");
    probe("a name cut short", cu.cuDeviceGetName(device, 5, 0), "SUCCESS");
    probe_yes("it ends", strlen(device) == 4, true);
}

static void probe_no_context(void)
{
    yk_CUcontext context = (yk_CUcontext)&cu;
    yk_CUdeviceptr address = 0;
    yk_CUstream stream = NULL;
    yk_CUevent event = NULL;
    size_t free_bytes, total;

    probe("what is current, at first", cu.cuCtxGetCurrent(&context), "SUCCESS");
    probe_yes("that is none", context == NULL, true);
    probe("pop without any", cu.cuCtxPopCurrent_v2(&context), "INVALID_CONTEXT");
    probe("push none", cu.cuCtxPushCurrent_v2(NULL), "INVALID_VALUE");
    probe("allocate without a context", cu.cuMemAlloc_v2(&address, 4), "INVALID_CONTEXT");
    probe("create a stream without a context", cu.cuStreamCreate(&stream, 1), "INVALID_CONTEXT");
    probe("create an event without a context", cu.cuEventCreate(&event, 0), "INVALID_CONTEXT");
    probe("ask for memory without a context", cu.cuMemGetInfo_v2(&free_bytes, &total), "INVALID_CONTEXT");
    probe("synchronise without a context", cu.cuCtxSynchronize(), "INVALID_CONTEXT");
    probe("free nothing without a context", cu.cuMemFree_v2(0), "SUCCESS");
}

static void probe_contexts(void)
{
    yk_CUcontext one = NULL, two = NULL, now = NULL;

    probe("release a primary context that nobody has", cu.cuDevicePrimaryCtxRelease_v2(0), "INVALID_CONTEXT");
    NEED(cu.cuDevicePrimaryCtxRetain(&one, 0));
    NEED(cu.cuDevicePrimaryCtxRetain(&two, 0));
    probe_yes("it is one context", one == two, true);
    NEED(cu.cuDevicePrimaryCtxRelease_v2(0));
    NEED(cu.cuCtxPushCurrent_v2(one));
    NEED(cu.cuCtxPushCurrent_v2(one));
    NEED(cu.cuCtxSetCurrent(NULL));
    NEED(cu.cuCtxGetCurrent(&now));
    probe_yes("cuCtxSetCurrent(NULL) takes one away", now == one, true);
    NEED(cu.cuCtxPopCurrent_v2(&now));
    probe("access to oneself as a peer", (cu.cuCtxPushCurrent_v2(one), cu.cuCtxEnablePeerAccess(one, 0)),
          "PEER_ACCESS_UNSUPPORTED");
    NEED(cu.cuCtxPopCurrent_v2(NULL));
    NEED(cu.cuDevicePrimaryCtxRelease_v2(0));
    NEED(cu.cuDevicePrimaryCtxRetain(&one, 0));
    NEED(cu.cuCtxPushCurrent_v2(one));
}

static void probe_fork(void)
{
    int status = 0, number = 0;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit((int)cu.cuDeviceGetCount(&number));
    waitpid(child, &status, 0);
    probe("counting devices in a forked child", WIFEXITED(status) ? (yk_CUresult)WEXITSTATUS(status) : 999, "NOT_INITIALIZED");
}

int main(void)
{
    tap_start(120);
    load();
    probe_start();
    probe_no_context();
    probe_contexts();
    probe_memory();
    probe_copies();
    probe_pools();
    probe_streams();
    probe_events();
    probe_functions();
    probe_channels();
    probe_graphs();
    probe_captures();
    probe_fork();
    probe_numbers();
    probe_warps();
    probe_prints();
    probe_code();
    probe_fault();
    return tap_done();
}
