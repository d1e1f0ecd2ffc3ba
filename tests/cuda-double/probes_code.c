/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about modules, launches, graphs, and what is left after a kernel's fault. The kernels are compiled by the NVRTC that
 * lies beside the driver; without one these questions are left out.
 */
#include "probes.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const source =
    "extern \"C\" __global__ void put(unsigned *x, unsigned long long at, unsigned char c) { x[at] = c; }\n";

typedef struct nvrtc_table {
#define YK_NVRTC_SYMBOL(need, result, name, parameters, ...) result(*name) parameters;
#include "../../backends/cuda/symbols.def"
} nvrtc_table;

static yk_CUmodule module;
static yk_CUfunction put;

/* ---- Compiling ---- */

static bool load_nvrtc(nvrtc_table *nvrtc)
{
    static const char *const names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2" };
    static const struct {
        const char *name;
        size_t place;
    } all[] = {
#define YK_NVRTC_SYMBOL(need, result, name, parameters, ...) { #name, offsetof(nvrtc_table, name) },
#include "../../backends/cuda/symbols.def"
    };
    void *library = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof all / sizeof *all && library; i++) {
        void *symbol = dlsym(library, all[i].name);
        if (!symbol)
            return false;
        memcpy((char *)nvrtc + all[i].place, &symbol, sizeof symbol);
    }
    return library != NULL;
}

char *probe_compile(const char *text)
{
    nvrtc_table nvrtc;
    yk_nvrtcProgram program = NULL;
    char *ptx = NULL, option[64];
    int major = 0, minor = 0;
    size_t size = 0;

    if (!load_nvrtc(&nvrtc))
        return NULL;
    NEED(cu.cuDeviceGetAttribute(&major, YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    NEED(cu.cuDeviceGetAttribute(&minor, YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
    snprintf(option, sizeof option, "--gpu-architecture=compute_%d%d", major, minor);
    const char *options[] = { option };
    if (nvrtc.nvrtcCreateProgram(&program, text, "probe.cu", 0, NULL, NULL) != YK_NVRTC_SUCCESS)
        return NULL;
    if (nvrtc.nvrtcCompileProgram(program, 1, options) == YK_NVRTC_SUCCESS &&
        nvrtc.nvrtcGetPTXSize(program, &size) == YK_NVRTC_SUCCESS)
        ptx = malloc(size);
    if (ptx && nvrtc.nvrtcGetPTX(program, ptx) != YK_NVRTC_SUCCESS)
        *ptx = '\0';
    if (!ptx)
        tap_bail("the kernels of this source cannot be compiled: %.200s", text);
    nvrtc.nvrtcDestroyProgram(&program);
    return ptx;
}

/* ---- Code ---- */

static yk_CUresult launch(yk_CUstream stream, yk_CUdeviceptr x, unsigned long long at, unsigned blocks, unsigned threads)
{
    unsigned char c = 7;
    void *parameters[] = { &x, &at, &c };

    return cu.cuLaunchKernel(put, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, NULL);
}

static void probe_launches(void)
{
    yk_CUstream stream = new_stream();
    yk_CUdeviceptr x = 0;
    unsigned char back[8] = { 0 };
    int value = 0;

    NEED(cu.cuMemAlloc_v2(&x, 64));
    probe("launch", launch(stream, x, 1, 1, 1), "SUCCESS");
    NEED(cu.cuMemcpyDtoHAsync_v2(back, x, sizeof back, stream));
    probe_yes("it has run", back[4] == 7 && back[5] == 0, true);
    probe("launch no blocks", launch(stream, x, 0, 0, 1), "INVALID_VALUE");
    probe("launch no threads", launch(stream, x, 0, 1, 0), "INVALID_VALUE");
    probe("launch 1025 threads", launch(stream, x, 0, 1, 1025), "INVALID_VALUE");
    probe("launch nothing", cu.cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL), "INVALID_HANDLE");
    probe("launch with 1 MiB of shared memory",
          cu.cuLaunchCooperativeKernel(put, 1, 1, 1, 1, 1, 1, 1 << 20, stream, (void *[]){ &x, &x, &x }),
          "COOPERATIVE_LAUNCH_TOO_LARGE");
    probe("a cooperative launch of 2^20 blocks",
          cu.cuLaunchCooperativeKernel(put, 1 << 20, 1, 1, 1, 1, 1, 0, stream, (void *[]){ &x, &x, &x }),
          "COOPERATIVE_LAUNCH_TOO_LARGE");
    probe("blocks of no threads on a multiprocessor", cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, put, 0, 0),
          "INVALID_VALUE");
    NEED(cu.cuStreamSynchronize(stream));
    NEED(cu.cuStreamDestroy_v2(stream));
    NEED(cu.cuMemFree_v2(x));
}

void probe_code(void)
{
    yk_CUmodule none = NULL;
    yk_CUfunction function = NULL;
    yk_CUdeviceptr address = 0;
    size_t offset = 0, size = 0;
    char *ptx = probe_compile(source);

    probe("load what is no code", cu.cuModuleLoadDataEx(&none, "this is no code", 0, NULL, NULL), "INVALID_IMAGE");
    if (!ptx) {
        tap_skip("there is no NVRTC to compile kernels with");
        return;
    }
    NEED(cu.cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL));
    free(ptx);
    probe("a kernel that is not there", cu.cuModuleGetFunction(&function, module, "nothing"), "NOT_FOUND");
    probe("a variable that is not there", cu.cuModuleGetGlobal_v2(&address, &size, module, "nothing"), "NOT_FOUND");
    NEED(cu.cuModuleGetFunction(&put, module, "put"));
    NEED(cu.cuFuncGetParamInfo(put, 2, &offset, &size));
    probe_yes("the third parameter is a byte, 16 from the first", offset == 16 && size == 1, true);
    probe("the fourth of three parameters", cu.cuFuncGetParamInfo(put, 3, &offset, &size), "INVALID_VALUE");
    probe_launches();
}

/* ---- Graphs ---- */

static yk_CUgraphNode add_fill(yk_CUgraph graph, yk_CUdeviceptr x, unsigned value, yk_CUcontext context)
{
    yk_CUDA_MEMSET_NODE_PARAMS fill = { .dst = x, .value = value, .elementSize = 4, .width = 4, .height = 1 };
    yk_CUgraphNode node = NULL;

    NEED(cu.cuGraphAddMemsetNode(&node, graph, NULL, 0, (const void *)&fill, context));
    return node;
}

void probe_graphs(void)
{
    yk_CUDA_MEMSET_NODE_PARAMS fill = { .value = 2, .elementSize = 4, .width = 4, .height = 1 };
    yk_CUgraph graph = NULL, other = NULL;
    yk_CUgraphExec executable = NULL;
    yk_CUstream stream = new_stream();
    yk_CUcontext context = NULL;
    yk_CUgraphNode made = NULL;
    unsigned back = 0;

    NEED(cu.cuCtxGetCurrent(&context));
    NEED(cu.cuMemAlloc_v2(&fill.dst, 64));
    probe("a graph with flags", cu.cuGraphCreate(&graph, 1), "INVALID_VALUE");
    NEED(cu.cuGraphCreate(&graph, 0));
    NEED(cu.cuGraphCreate(&other, 0));
    yk_CUgraphNode node = add_fill(graph, fill.dst, 1, context), foreign = add_fill(other, fill.dst, 3, context);
    probe("a node behind one of another graph", cu.cuGraphAddMemsetNode(&made, graph, &foreign, 1, (const void *)&fill, context),
          "INVALID_VALUE");
    fill.elementSize = 3;
    probe("a fill of three bytes", cu.cuGraphAddMemsetNode(&made, graph, NULL, 0, (const void *)&fill, context), "INVALID_VALUE");
    fill.elementSize = 4;
    NEED(cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
    probe("change a node of another graph", cu.cuGraphExecMemsetNodeSetParams(executable, foreign, (const void *)&fill, context),
          "INVALID_VALUE");
    probe_gate *gate = gate_close(stream);
    NEED(cu.cuGraphLaunch(executable, stream));
    NEED(cu.cuGraphExecMemsetNodeSetParams(executable, node, (const void *)&fill, context));
    gate_open(gate);
    NEED(cu.cuMemcpyDtoHAsync_v2(&back, fill.dst, 4, stream));
    probe_yes("a launch is of what the graph was at the call", back == 1, true);
    NEED(cu.cuGraphLaunch(executable, stream));
    probe("destroy a graph that is launched", cu.cuGraphExecDestroy(executable), "SUCCESS");
    NEED(cu.cuMemcpyDtoHAsync_v2(&back, fill.dst, 4, stream));
    probe_yes("the next launch is of what it was changed to", back == 2, true);
    NEED(cu.cuGraphDestroy(graph));
    NEED(cu.cuGraphDestroy(other));
    NEED(cu.cuStreamDestroy_v2(stream));
    NEED(cu.cuMemFree_v2(fill.dst));
}

/* What a capture takes, and what ends it. */
void probe_captures(void)
{
    yk_CUgraph captured = NULL, graph = NULL;
    yk_CUgraphExec executable = NULL;
    yk_CUgraphNode first = NULL;
    yk_CUstream stream = new_stream();
    yk_CUcontext context = NULL;
    yk_CUdeviceptr x = 0, none = 0;
    unsigned back = 0;

    NEED(cu.cuCtxGetCurrent(&context));
    NEED(cu.cuMemAlloc_v2(&x, 64));
    NEED(cu.cuMemsetD32Async(x, 1, 16, stream));
    NEED(cu.cuStreamSynchronize(stream));
    NEED(cu.cuStreamBeginCapture_v2(stream, YK_CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    NEED(cu.cuMemsetD32Async(x, 2, 8, stream));
    NEED(cu.cuMemcpyDtoDAsync_v2(x + 32, x, 32, stream));
    probe("end a capture", cu.cuStreamEndCapture(stream, &captured), "SUCCESS");
    NEED(cu.cuMemcpyDtoH_v2(&back, x, 4));
    probe_yes("what is captured does not run", back == 1, true);
    NEED(cu.cuGraphCreate(&graph, 0));
    first = add_fill(graph, x, 5, context);
    probe("a captured graph as a child", cu.cuGraphAddChildGraphNode(&first, graph, &first, 1, captured), "SUCCESS");
    NEED(cu.cuGraphDestroy(captured));
    NEED(cu.cuGraphInstantiateWithFlags(&executable, graph, 0));
    NEED(cu.cuGraphLaunch(executable, stream));
    NEED(cu.cuStreamSynchronize(stream));
    NEED(cu.cuMemcpyDtoH_v2(&back, x, 4));
    probe_yes("it runs with the graph, behind what it is to be behind", back == 2, true);
    NEED(cu.cuMemcpyDtoH_v2(&back, x + 60, 4));
    probe_yes("and all of it runs", back == 2, true);
    NEED(cu.cuGraphExecDestroy(executable));
    NEED(cu.cuGraphDestroy(graph));
    NEED(cu.cuStreamBeginCapture_v2(stream, YK_CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    probe("wait for a stream that is captured", cu.cuStreamSynchronize(stream), "STREAM_CAPTURE_UNSUPPORTED");
    probe("end a capture that has failed", cu.cuStreamEndCapture(stream, &captured), "STREAM_CAPTURE_INVALIDATED");
    NEED(cu.cuStreamBeginCapture_v2(stream, YK_CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    probe("allocate in a thread that captures", cu.cuMemAlloc_v2(&none, 64), "STREAM_CAPTURE_UNSUPPORTED");
    probe("end a capture that has allocated", cu.cuStreamEndCapture(stream, &captured), "STREAM_CAPTURE_INVALIDATED");
    probe("end a capture that has not begun", cu.cuStreamEndCapture(stream, &captured), "ILLEGAL_STATE");
    NEED(cu.cuStreamDestroy_v2(stream));
    NEED(cu.cuMemFree_v2(x));
}

/* ---- After a fault ---- */

static bool called;

static void note_call(void *user)
{
    (void)user;
    called = true;
}

static void probe_lost_calls(yk_CUstream stream, yk_CUevent event, yk_CUdeviceptr x)
{
    yk_CUcontext context = NULL;
    yk_CUstream another = NULL;
    size_t free_bytes, total;
    unsigned type = 0;
    int count = 0;

    probe("after a fault: an event of before", cu.cuEventQuery(event), "ILLEGAL_ADDRESS");
    probe("after a fault: record", cu.cuEventRecord(event, stream), "ILLEGAL_ADDRESS");
    probe("after a fault: launch", launch(stream, x, 0, 1, 1), "ILLEGAL_ADDRESS");
    probe("after a fault: host function", cu.cuLaunchHostFunc(stream, note_call, NULL), "ILLEGAL_ADDRESS");
    probe("after a fault: allocate", cu.cuMemAlloc_v2(&x, 4), "ILLEGAL_ADDRESS");
    probe("after a fault: ask for memory", cu.cuMemGetInfo_v2(&free_bytes, &total), "ILLEGAL_ADDRESS");
    probe("after a fault: create a stream", cu.cuStreamCreate(&another, 1), "ILLEGAL_ADDRESS");
    probe("after a fault: count devices", cu.cuDeviceGetCount(&count), "SUCCESS");
    probe_differs("after a fault: attribute of a pointer", cu.cuPointerGetAttribute(&type, 2, x), "INVALID_VALUE", "SUCCESS");
    probe("after a fault: current context", cu.cuCtxGetCurrent(&context), "SUCCESS");
    probe("after a fault: push a context", cu.cuCtxPushCurrent_v2(context), "SUCCESS");
    probe("after a fault: pop a context", cu.cuCtxPopCurrent_v2(&context), "SUCCESS");
    probe("after a fault: retain the context", cu.cuDevicePrimaryCtxRetain(&context, 0), "SUCCESS");
    probe("after a fault: free", cu.cuMemFree_v2(x), "ILLEGAL_ADDRESS");
    probe("after a fault: destroy an event", cu.cuEventDestroy_v2(event), "ILLEGAL_ADDRESS");
    probe("after a fault: destroy a stream", cu.cuStreamDestroy_v2(stream), "ILLEGAL_ADDRESS");
    probe("after a fault: unload a module", cu.cuModuleUnload(module), "ILLEGAL_ADDRESS");
}

void probe_fault(void)
{
    yk_CUstream stream = new_stream();
    yk_CUevent event = new_event(2);
    yk_CUdeviceptr x = 0;

    if (!put)
        return;
    NEED(cu.cuMemAlloc_v2(&x, 64));
    NEED(cu.cuEventRecord(event, stream));
    NEED(cu.cuStreamSynchronize(stream));
    probe_gate *gate = gate_close(stream);
    NEED(launch(stream, x, 1ull << 42, 1, 1));
    NEED(cu.cuLaunchHostFunc(stream, note_call, NULL));
    gate_open(gate);
    probe("a kernel writes far outside", cu.cuStreamSynchronize(stream), "ILLEGAL_ADDRESS");
    probe("again", cu.cuStreamSynchronize(stream), "ILLEGAL_ADDRESS");
    probe_yes("the host function behind it is called", called, false);
    probe_lost_calls(stream, event, x);
}
