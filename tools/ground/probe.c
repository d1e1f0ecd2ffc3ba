/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking drivers in child processes: see probe.h. A child tells of its work step by step through a pipe, so that one that is killed
 * or crashes leaves what it had found out, and what it was doing. Each has a process group of its own, for the library forks too.
 */
#include "tools/ground/probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <yoke/ops.h>

#include "base/clock.h"
#include "tools/ground/facts.h"

enum { MOST_DEVICES = 64, MOST_BYTES = 1 << 20 };

/* A message of the child's is this, then `size` bytes. */
typedef struct message {
    enum { SAY_DOING, SAY_REPORT, SAY_LIBRARY, SAY_FAILURE, SAY_DEVICE, SAY_END } kind;
    yoke_status status;
    size_t size;
} message;

static double now(void)
{
    return (double)yk_now() / 1e9;
}

/* ---- The child ---- */

static void put(int fd, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t written = write(fd, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            _exit(1); /* who asked is gone */
        at += written;
        size -= (size_t)written;
    }
}

static void tell(int fd, int kind, yoke_status status, const void *bytes, size_t size)
{
    message head = { .kind = kind, .status = status, .size = size };
    put(fd, &head, sizeof head);
    put(fd, bytes, size);
}

static void tell_text(int fd, int kind, yoke_status status, const char *text)
{
    tell(fd, kind, status, text, strlen(text));
}

static void describe(yoke_device *device, probe_device *found)
{
    if (yoke_matmul_get_tuned(device, &found->tuned) < 0)
        found->tuned = 0;
    found->info.size = sizeof found->info;
    if (yoke_device_get_info(device, &found->info) < 0)
        snprintf(found->problem, sizeof found->problem, "%s", yoke_error()->text);
    found->memory = (yoke_memory_info)YOKE_MEMORY_INFO_INIT;
    found->asked_memory = yoke_device_get_memory(device, &found->memory) == YOKE_OK;
    found->compiler = (yoke_compiler_info)YOKE_COMPILER_INFO_INIT;
    if (yoke_device_get_compiler(device, &found->compiler) < 0)
        snprintf(found->compiler_problem, sizeof found->compiler_problem, "%s", yoke_error()->text);
    for (int capability = 0; capability < YK_CAP_COUNT; capability++) {
        const char *reason = yoke_device_lacks(device, capability);
        snprintf(found->lacks[capability], sizeof found->lacks[capability], "%s", reason ? reason : "");
    }
}

/* Open a device and tell of it. Its selector is that of `info`, unless one is given; NULL is the default device. */
static void ask_device(int fd, const yoke_device_info *info, const char *selector, bool facts)
{
    probe_device found = { .info = *info };
    char doing[96];
    yoke_device *device;
    snprintf(doing, sizeof doing, "opening %s", selector ? selector : "the default device");
    tell_text(fd, SAY_DOING, YOKE_OK, doing);
    yoke_status status = yoke_device_open(selector, &device);
    if (status == YOKE_OK) {
        describe(device, &found);
        if (facts)
            facts_write(device, found.facts, sizeof found.facts);
        yoke_device_release(device);
    } else if (!*info->selector) { /* there is nothing else to tell of it */
        tell_text(fd, SAY_FAILURE, status, yoke_error()->text);
        return;
    } else {
        snprintf(found.problem, sizeof found.problem, "%s", yoke_error()->text);
    }
    tell(fd, SAY_DEVICE, status, &found, sizeof found);
}

static void ask_library(int fd, const char *library)
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    const char *reason = handle ? NULL : dlerror();
    if (!handle)
        tell_text(fd, SAY_LIBRARY, YOKE_OK, reason ? reason : "it cannot be opened");
}

/* Opening one starts the driver here, so that the list, for which the library would fork, is asked for here too. */
static void ask_all(int fd, const probe *asked)
{
    static yoke_device_info infos[MOST_DEVICES];
    size_t count = 0;
    yoke_device *first = NULL;
    for (size_t i = 0; i < MOST_DEVICES; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    tell_text(fd, SAY_DOING, YOKE_OK, "starting");
    yoke_status opened = yoke_device_open(asked->backend, &first);
    yoke_status status = yoke_device_list(infos, MOST_DEVICES, &count);
    tell_text(fd, SAY_REPORT, status, yoke_device_get_report());
    if (count == 0)
        tell_text(fd, SAY_FAILURE, status < 0 ? status : opened, status < 0 ? yoke_error()->text : yoke_device_get_report());
    for (size_t i = 0; i < count && i < MOST_DEVICES; i++)
        ask_device(fd, &infos[i], infos[i].selector, asked->ask_facts);
    yoke_device_release(first);
    if (count == 0 && asked->ask_library) {
        tell_text(fd, SAY_DOING, YOKE_OK, "opening its library");
        ask_library(fd, asked->icd_library);
    }
}

static _Noreturn void child(const probe *asked, int answer_fd, int said_fd, unsigned seconds)
{
    static const yoke_device_info nothing = YOKE_DEVICE_INFO_INIT;
    int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(seconds + 5);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(said_fd, STDOUT_FILENO);
    dup2(said_fd, STDERR_FILENO);
    if (!asked->as_program)
        setenv("YOKE_TRUST_DRIVERS", "1", 1); /* this is the child that asks */
    if (asked->backend)
        setenv("YOKE_BACKEND", asked->backend, 1);
    if (asked->backend && strcmp(asked->backend, "cuda") == 0) {
        /* When CUDA has no device the library looks at OpenCL, to name what there is: a driver that hangs there is not CUDA's. */
        setenv("OCL_ICD_VENDORS", "/dev/null", 1);
        unsetenv("OPENCL_VENDOR_PATH");
        unsetenv("OCL_ICD_FILENAMES");
    }
    if (asked->icd_folder) {
        setenv("OCL_ICD_VENDORS", asked->icd_folder, 1);
        unsetenv("OPENCL_VENDOR_PATH");
        unsetenv("OCL_ICD_FILENAMES");
    }
    if (asked->selector || asked->as_program)
        ask_device(answer_fd, &nothing, asked->selector, asked->ask_facts);
    else
        ask_all(answer_fd, asked);
    tell(answer_fd, SAY_END, YOKE_OK, NULL, 0);
    _exit(0);
}

/* ---- The parent ---- */

static void start(probe *asked, unsigned seconds)
{
    int answer[2], said[2];
    fflush(NULL);
    if (pipe2(answer, O_CLOEXEC) != 0 || pipe2(said, O_CLOEXEC) != 0) {
        perror("yoke: pipe");
        exit(TOOL_WRONG);
    }
    asked->pid = fork();
    if (asked->pid < 0) {
        perror("yoke: fork");
        exit(TOOL_WRONG);
    }
    if (asked->pid == 0)
        child(asked, answer[1], said[1], seconds);
    setpgid(asked->pid, asked->pid); /* whoever is first */
    close(answer[1]);
    close(said[1]);
    asked->answer_fd = answer[0];
    asked->said_fd = said[0];
}

/* Take what is there; false at the end. */
static bool take(int fd, tool_string *text)
{
    char bytes[8192];
    ssize_t got = read(fd, bytes, sizeof bytes);
    if (got < 0)
        return errno == EINTR;
    if (got > 0 && text->length < MOST_BYTES)
        tool_add_bytes(text, bytes, (size_t)got);
    return got > 0;
}

/* Until all have told everything, or the time is over. What a driver has started may keep the other end open for longer. */
static void listen_to(probe *probes, size_t count, double began, unsigned seconds)
{
    struct pollfd *ends = tool_alloc(2 * count * sizeof *ends);
    size_t telling = count;
    for (size_t i = 0; i < count; i++) {
        ends[2 * i] = (struct pollfd){ .fd = probes[i].answer_fd, .events = POLLIN };
        ends[2 * i + 1] = (struct pollfd){ .fd = probes[i].said_fd, .events = POLLIN };
    }
    while (telling > 0) {
        double left = began + seconds - now();
        if (left <= 0)
            break;
        if (poll(ends, 2 * count, (int)(left * 1000) + 1) <= 0)
            continue;
        for (size_t i = 0; i < 2 * count; i++) {
            probe *asked = &probes[i / 2];
            bool answer = i % 2 == 0;
            if (ends[i].fd < 0 || !ends[i].revents || take(ends[i].fd, answer ? &asked->answer : &asked->printed))
                continue;
            ends[i].fd = -1; /* poll leaves it out */
            if (answer) {
                asked->seconds = now() - began;
                telling--;
            }
        }
    }
    free(ends);
}

static void keep(char **target, const char *bytes, size_t size)
{
    free(*target);
    *target = tool_text("%.*s", (int)size, bytes);
    tool_clean(*target);
}

static void keep_device(probe *asked, const char *bytes)
{
    asked->devices = tool_grow(asked->devices, (asked->count + 1) * sizeof *asked->devices);
    probe_device *device = &asked->devices[asked->count++];
    memcpy(device, bytes, sizeof *device);
    tool_clean(device->info.name);
    tool_clean(device->info.vendor);
    tool_clean(device->info.platform);
    tool_clean(device->info.driver);
    tool_clean(device->facts);
}

/* Whether the answer is complete. */
static bool read_answer(probe *asked)
{
    message head;
    size_t at = 0;
    while (asked->answer.length - at >= sizeof head) {
        memcpy(&head, asked->answer.data + at, sizeof head);
        const char *bytes = asked->answer.data + at + sizeof head;
        if (asked->answer.length - at - sizeof head < head.size)
            break;
        if (head.kind == SAY_END)
            return true;
        if (head.kind == SAY_DOING)
            keep(&asked->doing, bytes, head.size);
        else if (head.kind == SAY_REPORT)
            keep(&asked->report, bytes, head.size);
        else if (head.kind == SAY_LIBRARY)
            keep(&asked->library_fault, bytes, head.size);
        else if (head.kind == SAY_FAILURE)
            keep(&asked->message, bytes, head.size), asked->status = head.status;
        else if (head.size == sizeof(probe_device))
            keep_device(asked, bytes);
        at += sizeof head + head.size;
    }
    return false;
}

/* The last lines of what a driver has printed. */
static void keep_said(probe *asked)
{
    size_t end = asked->printed.length, begin, lines = 0;
    while (end > 0 && strchr(" \t\r\n", asked->printed.data[end - 1]))
        end--;
    for (begin = end; begin > 0 && lines < 3 && end - begin < 500; begin--)
        lines += asked->printed.data[begin - 1] == '\n';
    if (end > begin)
        keep(&asked->said, asked->printed.data + begin, end - begin);
}

static void end(probe *asked, double began, unsigned seconds)
{
    int how = 0;
    bool complete = read_answer(asked);
    pid_t reaped = waitpid(asked->pid, &how, WNOHANG);
    while (reaped == 0 && !complete && now() < began + seconds) { /* one that has crashed is about to be gone */
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
        reaped = waitpid(asked->pid, &how, WNOHANG);
    }
    bool late = reaped == 0;
    kill(-asked->pid, SIGKILL); /* and what it may have started */
    while (reaped == 0 || (reaped < 0 && errno == EINTR))
        reaped = waitpid(asked->pid, &how, 0);
    fcntl(asked->said_fd, F_SETFL, O_NONBLOCK);
    while (take(asked->said_fd, &asked->printed) && asked->printed.length < MOST_BYTES)
        continue;
    close(asked->answer_fd);
    close(asked->said_fd);
    keep_said(asked);
    if (complete) {
        asked->outcome = asked->message ? PROBE_FAILED : PROBE_ANSWERED;
    } else if (late) {
        asked->outcome = PROBE_LATE;
        asked->seconds = now() - began;
    } else if (WIFSIGNALED(how)) {
        asked->outcome = PROBE_CRASHED;
        asked->code = WTERMSIG(how);
    } else {
        asked->outcome = PROBE_ENDED;
        asked->code = WEXITSTATUS(how);
    }
    free(asked->answer.data);
    free(asked->printed.data);
    asked->answer = asked->printed = (tool_string){ 0 };
}

void probe_run(probe *probes, size_t count, unsigned seconds)
{
    double began = now();
    for (size_t i = 0; i < count; i++)
        start(&probes[i], seconds);
    listen_to(probes, count, began, seconds);
    for (size_t i = 0; i < count; i++)
        end(&probes[i], began, seconds);
}

void probe_free(probe *probes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(probes[i].what);
        free(probes[i].icd_folder);
        free(probes[i].icd_library);
        free(probes[i].doing);
        free(probes[i].message);
        free(probes[i].report);
        free(probes[i].library_fault);
        free(probes[i].said);
        free(probes[i].devices);
    }
}
