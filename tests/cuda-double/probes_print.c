/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels print: which calls bring it out, and in which form. The standard output is a file for so long. */
#include "probes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char source[] =
    "extern \"C\" __global__ void say(int n) { printf(\"%d.\", n); }\n"
    "extern \"C\" __global__ void quiet(int n) { }\n"
    "extern \"C\" __global__ void forms(int *out)\n"
    "{ char word[4] = { 'a', 'b', 'c', 0 };\n"
    "  out[0] = printf(\"no values\\n\"); out[1] = printf(\"%d %5.2f %s %c %x %lld%%\\n\", -1, 2.5f, word, 'z', 255u, 1ll << 40);\n"
    "  out[2] = printf(\"%*d|%-4u|%+.3e\\n\", 6, 7, 8u, 0.5); out[3] = printf(0); word[0] = 'x'; }\n"
    "extern \"C\" __global__ void order(int n) { printf(\"%d \", (int)threadIdx.x); printf(\"%d \", (int)threadIdx.x + 100); }\n"
    "extern \"C\" __global__ void flood(int n) { for (int i = 0; i < n; i++) printf(\"%099d\\n\", i); }\n";

static yk_CUmodule module;
static yk_CUstream stream;
static int saved, file;

static void open_output(void)
{
    char name[] = "/tmp/yoke-probe.XXXXXX";

    fflush(stdout);
    saved = dup(1);
    file = mkstemp(name);
    if (saved < 0 || file < 0 || dup2(file, 1) < 0)
        tap_bail("the standard output cannot be a file");
    unlink(name);
}

/* What came out; the standard output is itself again. */
static char *close_output(void)
{
    struct stat now;
    char *text;

    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    if (fstat(file, &now) != 0 || !(text = calloc(1, (size_t)now.st_size + 1)) ||
        pread(file, text, (size_t)now.st_size, 0) != now.st_size)
        tap_bail("what was printed cannot be read");
    close(file);
    return text;
}

static bool is_out(void)
{
    struct stat now;

    return fstat(file, &now) == 0 && now.st_size > 0;
}

static void launch(const char *name, yk_CUstream where, unsigned threads, void *parameter)
{
    yk_CUfunction function = NULL;

    NEED(cu.cuModuleGetFunction(&function, module, name));
    NEED(cu.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, where, (void *[]){ parameter }, NULL));
}

/* ---- Which calls bring it out ---- */

static yk_CUstream other;
static yk_CUevent event, later;
static yk_CUdeviceptr memory;

static void ask_event(void)
{
    while (cu.cuEventQuery(event) == YK_CUDA_ERROR_NOT_READY)
        ;
}

static void ask_stream(void)
{
    while (cu.cuStreamQuery(stream) == YK_CUDA_ERROR_NOT_READY)
        ;
}

static void wait_event(void)
{
    NEED(cu.cuEventSynchronize(event));
}

static void wait_stream(void)
{
    NEED(cu.cuStreamSynchronize(stream));
}

static void wait_other(void)
{
    NEED(cu.cuStreamSynchronize(other));
}

static void wait_context(void)
{
    NEED(cu.cuCtxSynchronize());
}

static void wait_before(void)
{
    NEED(cu.cuStreamWaitEvent(other, event, 0));
}

static void launch_again(void)
{
    launch("quiet", stream, 1, &(int){ 0 });
}

static void launch_other(void)
{
    launch("quiet", other, 1, &(int){ 0 });
}

static void record(void)
{
    NEED(cu.cuEventRecord(later, stream));
}

static void copy_pageable(void)
{
    static char bytes[4 << 20];

    NEED(cu.cuMemcpyDtoHAsync_v2(bytes, memory, sizeof bytes, stream));
}

static void copy_now(void)
{
    char bytes[64];

    NEED(cu.cuMemcpyDtoH_v2(bytes, memory, sizeof bytes));
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool called;

static void note_call(void *user)
{
    (void)user;
    pthread_mutex_lock(&lock);
    called = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void call_host(void)
{
    NEED(cu.cuLaunchHostFunc(stream, note_call, NULL));
    pthread_mutex_lock(&lock);
    while (!called)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static yk_CUdeviceptr more;

static void allocate(void)
{
    NEED(cu.cuMemAlloc_v2(&more, 64));
}

static void free_memory(void)
{
    NEED(cu.cuMemFree_v2(more));
}

static yk_CUmodule another;

static void load_module(void)
{
    static const char ptx[] = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry another()\n{\n\tret;\n}\n";

    NEED(cu.cuModuleLoadDataEx(&another, ptx, 0, NULL, NULL));
}

static void destroy_stream(void)
{
    yk_CUstream third = new_stream();

    NEED(cu.cuStreamDestroy_v2(third));
}

static const struct {
    const char *name;
    void (*call)(void);
    bool comes, differs; /* with the driver; on the double it is the other way round */
} calls[] = {
    { "ask an event", ask_event, false, false },
    { "ask the stream", ask_stream, false, false },
    { "wait for an event", wait_event, true, false },
    { "wait for the stream", wait_stream, true, false },
    { "wait for another stream", wait_other, true, false },
    { "wait for the context", wait_context, true, false },
    { "have a stream wait for an event", wait_before, false, false },
    { "launch again", launch_again, false, false },
    { "launch in another stream", launch_other, false, false },
    { "record an event", record, false, false },
    { "copy to pageable memory in a stream", copy_pageable, false, false },
    { "copy at once", copy_now, true, false },
    { "call a host function", call_host, true, false },
    { "allocate", allocate, false, false },
    { "free", free_memory, true, true },
    { "load a module", load_module, true, false },
    { "destroy another stream", destroy_stream, false, false },
};

static void probe_calls(void)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char name[96];

        open_output();
        launch("say", stream, 1, &(int){ 7 });
        NEED(cu.cuEventRecord(event, stream));
        ask_event();
        calls[i].call();
        bool comes = is_out();
        NEED(cu.cuCtxSynchronize());
        char *text = close_output();
        snprintf(name, sizeof name, "what a kernel prints comes out: %s", calls[i].name);
        probe_yes(name, comes, calls[i].comes != (calls[i].differs && probe_is_double));
        if (i == 0)
            probe_text("and is what was printed", text, "7.");
        free(text);
    }
    if (another)
        NEED(cu.cuModuleUnload(another));
}

/* ---- In which form ---- */

static void probe_forms(void)
{
    int results[4] = { 0 };

    open_output();
    launch("forms", stream, 1, &memory);
    NEED(cu.cuStreamSynchronize(stream));
    char *text = close_output();
    NEED(cu.cuMemcpyDtoHAsync_v2(results, memory, sizeof results, stream));
    NEED(cu.cuStreamSynchronize(stream));
    tap_is(text, "no values\n-1  2.50 abc z ff 1099511627776%\n     7|8   |+5.000e-01\n", "formats are C's");
    for (int i = 0; i < 4; i++) {
        char name[32], answer[16];
        snprintf(name, sizeof name, "printf %d gives", i);
        snprintf(answer, sizeof answer, "%d", results[i]);
        probe_text(name, answer, (const char *const[]){ "0", "6", "4", "-1" }[i]);
    }
    free(text);
}

static void probe_order(bool cooperative)
{
    yk_CUfunction function = NULL;
    int seen[200] = { 0 }, value, used, count = 0;
    bool right = true;

    open_output();
    NEED(cu.cuModuleGetFunction(&function, module, "order"));
    if (cooperative)
        NEED(cu.cuLaunchCooperativeKernel(function, 1, 1, 1, 100, 1, 1, 0, stream, (void *[]){ &(int){ 0 } }));
    else
        launch("order", stream, 100, &(int){ 0 });
    NEED(cu.cuStreamSynchronize(stream));
    char *text = close_output();
    for (const char *at = text; sscanf(at, "%d%n", &value, &used) == 1; at += used) {
        right = right && value >= 0 && value < 200 && !seen[value] && (value < 100 || seen[value - 100]);
        if (right)
            seen[value] = 1;
        count++;
    }
    probe_yes("each thread's texts are there once, in its order", right && count == 200, true);
    free(text);
}

/* More than is kept, but somebody waits. */
static void probe_flood(void)
{
    enum { LINES = 200000, LINE = 100 };
    bool right = true;

    open_output();
    launch("flood", stream, 1, &(int){ LINES });
    NEED(cu.cuStreamSynchronize(stream));
    char *text = close_output();
    size_t length = strlen(text);
    for (size_t i = 0; i < length / LINE; i++)
        right = right && atoi(text + i * LINE) == (int)i;
    probe_yes("all of 20 MB comes out", right && length == (size_t)LINES * LINE, true);
    free(text);
}

void probe_prints(void)
{
    char *ptx = probe_compile(source);

    if (!ptx) {
        tap_skip("there is no NVRTC to compile kernels with");
        return;
    }
    NEED(cu.cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL));
    NEED(cu.cuMemAlloc_v2(&memory, 4 << 20));
    stream = new_stream();
    other = new_stream();
    event = new_event(2);
    later = new_event(2);
    probe_calls();
    probe_forms();
    probe_order(false);
    probe_order(true);
    probe_flood();
    NEED(cu.cuStreamDestroy_v2(stream));
    NEED(cu.cuStreamDestroy_v2(other));
    NEED(cu.cuEventDestroy_v2(event));
    NEED(cu.cuEventDestroy_v2(later));
    NEED(cu.cuMemFree_v2(memory));
    NEED(cu.cuModuleUnload(module));
    free(ptx);
}
