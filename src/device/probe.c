/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Querying a backend for its devices. Loading a driver starts threads and makes a later fork unsafe, and a broken driver may crash
 * or hang: so a child process queries the driver, answers through a pipe and exits.
 */
#include "device/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend.h"
#include "base/process/library.h"
#include "base/system/room.h"
#include "stream/wait.h"
#include "device/trust.h"

unsigned yk_probe_seconds = 20;

#define SECOND ((uint64_t)1000000000) /* ns */

/* How long the first child may take for its sign of life, which needs less than a millisecond; each further child gets twice as
 * long. */
#define FIRST_PATIENCE (SECOND / 10)

enum { SIGN = 1 }; /* bytes of the sign of life, which comes before the answer */

/* The head of a child's answer; the device infos, the rejections, the failure's text and the loaded files follow. */
typedef struct answer_head {
    size_t total; /* bytes of the answer */
    yoke_status status;
    size_t count, rejected_length, text_length, files_length;
} answer_head;

yoke_status yk_probe_here(const yk_backend *backend, yk_device_list *list)
{
    size_t before = list->count;
    list->backend = backend;
    yoke_status status = backend->device_list(list);
    if (status < 0)
        list->count = before;
    return status;
}

uint64_t yk_probe_deadline(void)
{
    return yk_now() + SECOND * yk_probe_seconds;
}

/* ---- The child ---- */

/* The child exits without exit handlers; a coverage build writes its counts first. */
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
            return; /* the parent sees that the answer is incomplete */
        rest += written;
        size -= (size_t)written;
    }
}

/* Restore the default action of fatal signals that the program may handle: faults, including those that a driver raises, and the
 * alarm, which ends a child with a hanging driver when its parent is gone or stopped by a debugger. */
static void let_die(void)
{
    static const int fatal[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGALRM };
    struct sigaction end = { .sa_handler = SIG_DFL };
    sigset_t unblocked;
    sigemptyset(&end.sa_mask);
    sigemptyset(&unblocked);
    for (size_t i = 0; i < YK_COUNT_OF(fatal); i++) {
        sigaction(fatal[i], &end, NULL);
        sigaddset(&unblocked, fatal[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &unblocked, NULL);
    alarm(yk_probe_seconds + 5);
}

/* Drivers open files, and the program's soft limit may be low: raise it to the hard limit. */
static void allow_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* Drivers print. The extra descriptor is closed again, so that drivers have it. */
static void silence(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return;
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    if (null > STDERR_FILENO)
        close(null);
}

/* A driver may call exit: the program's exit handlers must not run in this process. */
#ifdef __GLIBC__
static void leave(int status, void *unused)
{
    (void)unused;
    _exit(status);
}
#endif

static void apply(const char *settings)
{
    for (const char *line = settings; line && *line;) {
        size_t length = strcspn(line, "\n");
        char *setting = strndup(line, length), *value = setting ? strchr(setting, '=') : NULL;
        if (value) {
            *value++ = '\0';
            setenv(setting, value, 1);
        }
        free(setting);
        line += length + (line[length] == '\n');
    }
}

static void send_answer(int fd, yoke_status status, const yk_device_list *list, const yk_text *files)
{
    const char *text = status < 0 ? yoke_error()->text : "";
    answer_head head = { 0, status, list->count, list->rejected.length, strlen(text), files->length };
    head.total = sizeof head + head.count * sizeof *list->infos + head.rejected_length + head.text_length + head.files_length;
    write_all(fd, &head, sizeof head);
    write_all(fd, list->infos, list->count * sizeof *list->infos);
    write_all(fd, list->rejected.data, head.rejected_length);
    write_all(fd, text, head.text_length);
    write_all(fd, files->data, head.files_length);
}

/* Another thread may have held a lock of the C library when this process was forked, and then it is held here for ever. Use those
 * that the C library does not free in a child, the environment's and the loader's, before the sign of life. */
static void show_life(int fd)
{
    unsetenv("no such variable");
    yk_library_take_locks();
    write_all(fd, "", SIGN);
}

/* All signals are blocked except the fatal signals: neither the program's handlers nor its log function run in the child. The
 * parent's end of the pipe is closed first, so that the child needs no more descriptors than the parent had. */
_Noreturn static void child(const yk_backend *backend, const char *settings, const int ends[2])
{
    yk_device_list list = { 0 };
    yk_text files = { 0 };
    int answer_fd = ends[1];
    close(ends[0]);
    allow_files();
    if (answer_fd <= STDERR_FILENO) /* the program had closed a standard descriptor */
        answer_fd = fcntl(answer_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    let_die();
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    silence();
    atomic_store(&yk_log_level, YOKE_LOG_OFF);
#ifdef __GLIBC__
    on_exit(leave, NULL);
#endif
    show_life(answer_fd);
    apply(settings);
    size_t loaded = yk_trust_count_files();
    yoke_status status = yk_probe_here(backend, &list);
    const char *lack = list.count == 0 ? yk_room_lacks(YK_ROOM_OF_DRIVER) : NULL;
    if (list.count == 0 && !lack)
        lack = yk_room_lacks_thread();
    if (lack) /* it may be why there is no device */
        status = yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: the driver found no device, and %s", backend->name, lack);
    yk_trust_list_files(loaded, &files);
    send_answer(answer_fd, status, &list, &files);
    write_counts();
    _exit(0);
}

/* ---- The parent ---- */

/* Whether the answer is complete; then `head` is its head. */
static bool get_head(const yk_text *answer, answer_head *head)
{
    if (answer->length < SIGN + sizeof *head)
        return false;
    memcpy(head, answer->data + SIGN, sizeof *head);
    return answer->length >= SIGN + head->total;
}

/* Wait until a read returns at once; false at the deadline. */
static bool wait_readable(int fd, uint64_t deadline)
{
    for (;;) {
        uint64_t now = yk_now();
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        int polled = poll(&ready, 1, now < deadline ? (int)((deadline - now) / 1000000) + 1 : 0);
        if (polled > 0 || (polled < 0 && errno != EINTR))
            return true;
        if (polled == 0 && now >= deadline)
            return false;
    }
}

/* Read until the answer is complete or the child has closed its end; YOKE_PENDING when the deadline has passed and nothing is left.
 */
static yoke_status read_answer(int fd, uint64_t deadline, yk_text *answer)
{
    char bytes[4096];
    answer_head head;
    while (!get_head(answer, &head)) {
        if (!wait_readable(fd, deadline))
            return YOKE_PENDING;
        ssize_t length = read(fd, bytes, sizeof bytes);
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

/* The child's wait status; -1 when other code has reaped it, or SIGCHLD is ignored. */
static int reap(pid_t pid, bool in_time)
{
    int status = -1;
    pid_t reaped;
    if (!in_time && waitpid(pid, &status, WNOHANG) == 0)
        kill(pid, SIGKILL); /* not reaped yet, so the number cannot be another process's */
    do
        reaped = waitpid(pid, &status, 0);
    while (reaped < 0 && errno == EINTR);
    return status;
}

static yoke_status unpack(const answer_head *head, const char *infos, yk_device_list *list, yk_text *files)
{
    const char *rejected = infos + head->count * sizeof *list->infos;
    const char *text = rejected + head->rejected_length;
    yk_text_add_bytes(&list->rejected, rejected, head->rejected_length);
    if (files)
        yk_text_add_bytes(files, text + head->text_length, head->files_length);
    if (head->status < 0)
        return yk_fail(head->status, "%.*s", (int)head->text_length, text);
    if (head->count == 0)
        return YOKE_OK;
    yoke_device_info *grown = realloc(list->infos, (list->count + head->count) * sizeof *grown);
    if (!grown)
        return yk_no_memory("the list of devices");
    memcpy(grown + list->count, infos, head->count * sizeof *grown);
    list->infos = grown;
    list->count += head->count;
    return YOKE_OK;
}

/* Describe the driver's fault, for a message that names the driver before it. */
static void describe_silence(yk_probe_child *child, bool in_time, int how)
{
    static const char when[] = "when it was queried for its devices";
    child->silent = !in_time;
    if (!in_time)
        snprintf(child->fault, sizeof child->fault, "did not answer in %u s", yk_probe_seconds);
    else if (how != -1 && WIFSIGNALED(how))
        snprintf(child->fault, sizeof child->fault, "crashed (signal %d) %s", WTERMSIG(how), when);
    else if (how != -1 && WIFEXITED(how))
        snprintf(child->fault, sizeof child->fault, "ended the process (exit status %d) %s", WEXITSTATUS(how), when);
    else
        snprintf(child->fault, sizeof child->fault, "ended the process %s", when);
}

/* Fork with all signals blocked, so that the program's handlers never run in the child. Returns as fork does, with errno. */
static pid_t fork_quietly(const yk_backend *backend, const char *settings, const int ends[2])
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        child(backend, settings, ends);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return pid;
}

static yoke_status start_child(const yk_backend *backend, const char *settings, yk_probe_child *out_child)
{
    int ends[2];
    *out_child = (yk_probe_child){ .backend = backend, .fd = -1 };
    if (pipe2(ends, O_CLOEXEC) != 0)
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY,
                       "%s: cannot create a pipe to a child process that queries the driver: %s; raise the limit on open files "
                       "(ulimit -n), or close some",
                       backend->name, strerror(errno));
    out_child->pid = fork_quietly(backend, settings, ends);
    int error = errno;
    close(ends[1]);
    if (out_child->pid < 0) {
        close(ends[0]);
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s: cannot start a child process that queries the driver: %s", backend->name,
                       strerror(error));
    }
    out_child->fd = ends[0];
    return YOKE_OK;
}

/* A child without a sign of life hangs in a lock that was held at the fork, or the machine is busy: another child takes its place.
 * The last one is left to yk_probe_answer. */
yoke_status yk_probe_ask(const yk_backend *backend, const char *settings, yk_probe_child *out_child)
{
    uint64_t patience = FIRST_PATIENCE, longest = SECOND * yk_probe_seconds / 2;
    yoke_status status = start_child(backend, settings, out_child);
    while (status >= 0 && patience < longest && !wait_readable(out_child->fd, yk_now() + patience)) {
        close(out_child->fd);
        reap(out_child->pid, false);
        status = start_child(backend, settings, out_child);
        patience *= 2;
    }
    return status;
}

yoke_status yk_probe_answer(yk_probe_child *child, uint64_t deadline, yk_device_list *list, yk_text *files)
{
    yk_text answer = { 0 };
    answer_head head;
    yoke_status status = read_answer(child->fd, deadline, &answer);
    close(child->fd);
    int how = reap(child->pid, status != YOKE_PENDING);
    if (status >= 0 && get_head(&answer, &head)) {
        status = unpack(&head, answer.data + SIGN + sizeof head, list, files);
    } else if (status >= 0) {
        describe_silence(child, status != YOKE_PENDING, how);
        status = yk_fail(YOKE_E_UNAVAILABLE, "%s: the driver %s", child->backend->name, child->fault);
    }
    yk_text_free(&answer);
    return status;
}
