/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking a backend for its devices. Loading a driver starts threads and makes a later fork unsafe, and a bad one may crash or hang:
 * so as long as this process has not opened a device of the backend, a child asks, answers through a pipe and is gone.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"

unsigned yk_probe_seconds = 20;

/* How a child's answer begins; the device infos, the rejections and the failure's text follow. */
typedef struct answer_head {
    size_t total; /* bytes of all the answer */
    yoke_status status;
    size_t count, rejected_length, text_length;
} answer_head;

/* No child is forked while a driver is being started: it would inherit the backend's locks in the middle of it. */
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER; /* protects started; held while a driver starts, and across fork */
static const yk_backend *started[8];

static bool is_started(const yk_backend *backend)
{
    for (size_t i = 0; i < YK_COUNT_OF(started); i++)
        if (started[i] == backend)
            return true;
    return false;
}

static void note_started(const yk_backend *backend)
{
    for (size_t i = 0; i < YK_COUNT_OF(started) && !is_started(backend); i++)
        if (!started[i])
            started[i] = backend;
}

/* Ask the backend; what a failing one has added is taken back, but for the rejections. */
static yoke_status ask(const yk_backend *backend, yk_device_list *list)
{
    size_t before = list->count;
    yoke_status status = backend->device_list(list);
    if (status < 0)
        list->count = before;
    return status;
}

yoke_status yk_probe_here(const yk_backend *backend, yk_device_list *list)
{
    pthread_mutex_lock(&start_lock);
    yoke_status status = ask(backend, list);
    if (status >= 0)
        note_started(backend);
    pthread_mutex_unlock(&start_lock);
    return status;
}

/* ---- The child ---- */

/* It ends without what exit would do; in a build that counts what runs, the counts are written before. */
#ifdef YK_COUNTS_RUNS
void __gcov_dump(void);

static void write_counts(void)
{
    __gcov_dump();
}
#else
static void write_counts(void)
{
}
#endif

static void write_all(int fd, const void *bytes, size_t size)
{
    const char *rest = bytes;
    while (size > 0) {
        ssize_t written = write(fd, rest, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; /* the parent sees that the answer is cut short */
        rest += written;
        size -= (size_t)written;
    }
}

/* A child whose parent is gone, or stopped by a debugger, must not stay behind for ever with a driver that hangs. */
static void limit_own_life(void)
{
    struct sigaction fatal = { .sa_handler = SIG_DFL };
    sigset_t alarm_only;
    sigemptyset(&fatal.sa_mask);
    sigaction(SIGALRM, &fatal, NULL);
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
    alarm(yk_probe_seconds + 5);
}

/* All signals are blocked: no handler of the program runs in here, and a crash kills at once. */
_Noreturn static void child(const yk_backend *backend, int answer_fd)
{
    answer_fd = fcntl(answer_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* a program that closed its own may have got one of them */
    limit_own_life();
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) { /* drivers print */
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    yk_device_list list = { 0 };
    yoke_status status = ask(backend, &list);
    const char *text = status < 0 ? yoke_error()->text : "";
    answer_head head = { 0, status, list.count, list.rejected.length, strlen(text) };
    head.total = sizeof head + head.count * sizeof *list.infos + head.rejected_length + head.text_length;
    write_all(answer_fd, &head, sizeof head);
    write_all(answer_fd, list.infos, list.count * sizeof *list.infos);
    write_all(answer_fd, list.rejected.data, head.rejected_length);
    write_all(answer_fd, text, head.text_length);
    write_counts();
    _exit(0);
}

/* ---- The parent ---- */

static uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool is_complete(const yk_text *answer)
{
    answer_head head;
    if (answer->length < sizeof head)
        return false;
    memcpy(&head, answer->data, sizeof head);
    return answer->length >= head.total;
}

/* Read until the answer is complete, the child has closed its end, or the time is over: then YOKE_PENDING. */
static yoke_status read_answer(int fd, yk_text *answer)
{
    uint64_t deadline = milliseconds() + (uint64_t)1000 * yk_probe_seconds;
    char bytes[4096];
    while (!is_complete(answer)) {
        uint64_t now = milliseconds();
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        if (now >= deadline)
            return YOKE_PENDING;
        int polled = poll(&ready, 1, (int)(deadline - now));
        if (polled == 0 || (polled < 0 && errno == EINTR))
            continue;
        ssize_t length = polled < 0 ? -1 : read(fd, bytes, sizeof bytes);
        if (length < 0 && errno == EINTR)
            continue;
        if (length <= 0)
            return YOKE_OK;
        size_t before = answer->length;
        yk_text_add_bytes(answer, bytes, (size_t)length);
        if (answer->length == before)
            return yk_no_memory("a driver's answer");
    }
    return YOKE_OK;
}

/* How the child ended; -1 when somebody else has reaped it, or SIGCHLD is ignored. */
static int reap(pid_t pid, bool in_time)
{
    int status = -1;
    pid_t reaped;
    if (!in_time && waitpid(pid, &status, WNOHANG) == 0)
        kill(pid, SIGKILL); /* it is still a child of ours, so the number cannot be another process's */
    do
        reaped = waitpid(pid, &status, 0);
    while (reaped < 0 && errno == EINTR);
    return status;
}

static yoke_status unpack(const yk_text *answer, yk_device_list *list)
{
    answer_head head;
    memcpy(&head, answer->data, sizeof head);
    const char *infos = answer->data + sizeof head;
    const char *rejected = infos + head.count * sizeof *list->infos;
    yk_text_add_bytes(&list->rejected, rejected, head.rejected_length);
    if (head.status < 0)
        return yk_fail(head.status, "%.*s", (int)head.text_length, rejected + head.rejected_length);
    if (head.count == 0)
        return YOKE_OK;
    yoke_device_info *grown = realloc(list->infos, (list->count + head.count) * sizeof *grown);
    if (!grown)
        return yk_no_memory("the list of devices");
    memcpy(grown + list->count, infos, head.count * sizeof *grown);
    list->infos = grown;
    list->count += head.count;
    return YOKE_OK;
}

static yoke_status explain_silence(const yk_backend *backend, bool in_time, int how)
{
    if (!in_time)
        return yk_fail(YOKE_E_UNAVAILABLE, "%s: the driver did not answer in %u s", backend->name, yk_probe_seconds);
    if (how != -1 && WIFSIGNALED(how))
        return yk_fail(YOKE_E_UNAVAILABLE, "%s: the driver crashed (signal %d) when it was asked for its devices", backend->name,
                       WTERMSIG(how));
    if (how != -1 && WIFEXITED(how))
        return yk_fail(YOKE_E_UNAVAILABLE, "%s: the driver ended the process (exit status %d) when it was asked for its devices",
                       backend->name, WEXITSTATUS(how));
    return yk_fail(YOKE_E_UNAVAILABLE, "%s: the driver ended the process when it was asked for its devices", backend->name);
}

/* Fork with all signals blocked, so that the program's handlers never run in the child. Returns as fork, and errno. */
static pid_t fork_quietly(const yk_backend *backend, const int ends[2])
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        child(backend, ends[1]);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return pid;
}

static yoke_status ask_child(const yk_backend *backend, const int ends[2], pid_t pid, yk_device_list *list)
{
    yk_text answer = { 0 };
    close(ends[1]);
    yoke_status status = read_answer(ends[0], &answer);
    close(ends[0]);
    int how = reap(pid, status != YOKE_PENDING);
    if (status >= 0)
        status = is_complete(&answer) ? unpack(&answer, list) : explain_silence(backend, status != YOKE_PENDING, how);
    yk_text_free(&answer);
    return status;
}

yoke_status yk_probe(const yk_backend *backend, yk_device_list *list)
{
    int ends[2];
    pthread_mutex_lock(&start_lock);
    if (is_started(backend)) {
        yoke_status status = ask(backend, list);
        pthread_mutex_unlock(&start_lock);
        return status;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        int error = errno;
        pthread_mutex_unlock(&start_lock);
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: no pipe to a process that asks the driver: %s", backend->name,
                       strerror(error));
    }
    pid_t pid = fork_quietly(backend, ends);
    int error = errno;
    pthread_mutex_unlock(&start_lock);
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: no process can be started to ask the driver: %s", backend->name,
                       strerror(error));
    }
    yoke_status status = ask_child(backend, ends, pid, list);
    /* Other code has started this driver in this process already: a later fork is no longer safe anyhow, and only this process can
     * ask. */
    return status == YOKE_E_FORKED ? yk_probe_here(backend, list) : status;
}
