/* SPDX-License-Identifier: Apache-2.0 */
/* Children by fork. */
#include "base/system/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool yk_child_works(void)
{
    return true;
}

/* ---- In the child ---- */

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

void yk_child_write(int answer, const void *bytes, size_t size)
{
    const char *rest = bytes;
    while (size > 0) {
        ssize_t written = write(answer, rest, size);
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
static void let_die(unsigned seconds)
{
    static const int fatal[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGALRM };
    struct sigaction end = { .sa_handler = SIG_DFL };
    sigset_t unblocked;
    sigemptyset(&end.sa_mask);
    sigemptyset(&unblocked);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        sigaction(fatal[i], &end, NULL);
        sigaddset(&unblocked, fatal[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &unblocked, NULL);
    alarm(seconds);
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

/* All signals are blocked except the fatal signals: the program's handlers do not run in the child. The parent's end of the pipe is
 * closed first, so that the child needs no more descriptors than the parent had. */
_Noreturn static void run(const int ends[2], void (*fn)(int answer, void *user), void *user, unsigned seconds)
{
    int answer = ends[1];
    close(ends[0]);
    allow_files();
    if (answer <= STDERR_FILENO) /* the program had closed a standard descriptor */
        answer = fcntl(answer, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    let_die(seconds);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    silence();
#ifdef __GLIBC__
    on_exit(leave, NULL);
#endif
    fn(answer, user);
    write_counts();
    _exit(0);
}

/* ---- In the parent ---- */

/* Fork with all signals blocked, so that the program's handlers never run in the child. */
int yk_child_start(yk_child *out_child, void (*fn)(int answer, void *user), void *user, unsigned seconds)
{
    int ends[2];
    sigset_t all, before;
    *out_child = (yk_child){ .answer = -1 };
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t id = fork();
    if (id == 0)
        run(ends, fn, user, seconds);
    int error = id < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (error)
        close(ends[0]);
    else
        *out_child = (yk_child){ .id = (long)id, .answer = ends[0] };
    return error;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool yk_child_wait(const yk_child *child, uint64_t deadline)
{
    for (;;) {
        uint64_t at = now();
        struct pollfd ready = { .fd = child->answer, .events = POLLIN };
        int polled = poll(&ready, 1, at < deadline ? (int)((deadline - at) / 1000000) + 1 : 0);
        if (polled > 0 || (polled < 0 && errno != EINTR))
            return true;
        if (polled == 0 && at >= deadline)
            return false;
    }
}

size_t yk_child_read(const yk_child *child, void *bytes, size_t size)
{
    ssize_t length;
    do
        length = read(child->answer, bytes, size);
    while (length < 0 && errno == EINTR);
    return length > 0 ? (size_t)length : 0;
}

yk_child_fate yk_child_end(yk_child *child, bool in_time)
{
    int status = 0;
    pid_t reaped, id = (pid_t)child->id;
    close(child->answer);
    if (!in_time && waitpid(id, &status, WNOHANG) == 0)
        kill(id, SIGKILL); /* not reaped yet, so the number cannot be another process's */
    do
        reaped = waitpid(id, &status, 0);
    while (reaped < 0 && errno == EINTR);
    if (reaped == id && WIFSIGNALED(status))
        return (yk_child_fate){ YK_CHILD_SIGNAL, WTERMSIG(status) };
    if (reaped == id && WIFEXITED(status))
        return (yk_child_fate){ YK_CHILD_EXIT, WEXITSTATUS(status) };
    return (yk_child_fate){ YK_CHILD_UNKNOWN, 0 }; /* other code has reaped it, or SIGCHLD is ignored */
}
