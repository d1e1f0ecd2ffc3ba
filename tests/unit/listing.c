/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listing beside other threads: those that list, log and fork, one that is stuck in a driver, and one that is cancelled; and where
 * there are few descriptors. In a sandbox, so that drivers cost little time.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap/sanitized.h"
#include "../tap/tap.h"
#include "drivers.h"
#include "device/probe.h"
#include "sandbox.h"

enum { FORKS = 100, MOST_LEFT = 24 };

/* ---- Forked beside threads that list and log ---- */

static atomic_bool over;
static atomic_int strangers, told;

/* Each is reported with its own address. */
static void listener_one(int level, const char *text, void *user)
{
    (void)level, (void)text;
    atomic_fetch_add(&told, 1);
    if (user != (void *)listener_one)
        atomic_fetch_add(&strangers, 1);
}

static void listener_two(int level, const char *text, void *user)
{
    (void)level, (void)text;
    atomic_fetch_add(&told, 1);
    if (user != (void *)listener_two)
        atomic_fetch_add(&strangers, 1);
}

static void *list_on(void *unused)
{
    size_t count;
    (void)unused;
    while (!atomic_load(&over))
        EXPECT(yoke_device_count(&count) == YOKE_OK);
    return NULL;
}

static void *log_on(void *unused)
{
    (void)unused;
    while (!atomic_load(&over))
        EXPECT(yoke_stream_wait(NULL) == YOKE_E_INVALID_ARGUMENT);
    return NULL;
}

static void *change_listener(void *unused)
{
    (void)unused;
    while (!atomic_load(&over)) {
        yoke_log_set(YOKE_LOG_ERROR, listener_one, (void *)listener_one);
        yoke_log_set(YOKE_LOG_ERROR, listener_two, (void *)listener_two);
    }
    return NULL;
}

/* In the child: all that a process may do that has listed devices. */
static _Noreturn void use_library(void)
{
    size_t count = 0;
    yoke_device *device;
    alarm(200); /* for a lock that nobody will open */
    int before = atomic_load(&told);
    EXPECT(yoke_device_count(&count) == YOKE_OK);
    EXPECT(yoke_stream_wait(NULL) == YOKE_E_INVALID_ARGUMENT);
    EXPECT(atomic_load(&told) == before + 1 && atomic_load(&strangers) == 0);
    EXPECT(yoke_device_open("opencl", &device) == YOKE_E_UNAVAILABLE);
    _exit(sandbox_failures() == 0 ? 0 : 1);
}

static void fork_beside_threads(void)
{
    void *(*const work[])(void *) = { list_on, list_on, log_on, log_on, change_listener };
    pthread_t threads[sizeof work / sizeof work[0]];
    alarm(300);
    if (SANITIZED) {
        tap_diag("not tried: the sanitizer does not survive a fork beside other threads");
        return;
    }
    yoke_log_set(YOKE_LOG_ERROR, listener_one, (void *)listener_one);
    for (size_t i = 0; i < sizeof work / sizeof work[0]; i++)
        EXPECT(pthread_create(&threads[i], NULL, work[i], NULL) == 0);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0)
            use_library();
        if (!EXPECT(sandbox_reap(child)))
            break;
    }
    atomic_store(&over, true);
    for (size_t i = 0; i < sizeof work / sizeof work[0]; i++)
        pthread_join(threads[i], NULL);
    EXPECT(atomic_load(&strangers) == 0);
}

/* The program's log function forks: the child comes back from it, and goes on. */
static pid_t forked_inside;

static void fork_once(int level, const char *text, void *user)
{
    (void)level, (void)text, (void)user;
    if (forked_inside == 0 && atomic_exchange(&told, 1) == 0)
        forked_inside = fork();
}

static void fork_while_told(void)
{
    size_t count;
    alarm(100);
    yoke_log_set(YOKE_LOG_ERROR, fork_once, NULL);
    EXPECT(yoke_stream_wait(NULL) == YOKE_E_INVALID_ARGUMENT);
    EXPECT(yoke_stream_wait(NULL) == YOKE_E_INVALID_ARGUMENT);
    EXPECT(yoke_device_count(&count) == YOKE_OK);
    if (forked_inside == 0)
        _exit(sandbox_failures() == 0 ? 0 : 1);
    EXPECT(sandbox_reap(forked_inside));
}

/* ---- A thread that is stuck in a driver ---- */

static void *open_stuck(void *unused)
{
    yoke_device *device;
    (void)unused;
    yoke_device_open("opencl", &device);
    return NULL;
}

/* Until the thread is in the driver. */
static void wait_until_stuck(void)
{
    size_t count;
    do
        EXPECT(yoke_device_count(&count) == YOKE_OK);
    while (!strstr(yoke_device_get_report(), "opencl: another thread has been starting the driver for "));
}

static void stuck(void)
{
    pthread_t thread;
    yoke_device *device;
    size_t count;
    alarm(60);
    yk_probe_seconds = 1;
    EXPECT(pthread_create(&thread, NULL, open_stuck, NULL) == 0);
    wait_until_stuck();
    EXPECT(yoke_device_open("opencl", &device) == YOKE_E_UNAVAILABLE && !device);
    EXPECT(strstr(yoke_error()->text, "opencl: another thread has been starting the driver for ") != NULL);
    yoke_status status = yoke_device_open("cuda", &device);
    EXPECT(status == YOKE_OK || status == YOKE_E_UNAVAILABLE);
    yoke_device_release(device);
    EXPECT(yoke_device_count(&count) == YOKE_OK);
    fflush(stdout);
    _exit(sandbox_failures() == 0 ? 0 : 1); /* the thread stays where it is */
}

static void fork_in_a_start(void)
{
    pthread_t thread;
    size_t count;
    alarm(60);
    yk_probe_seconds = 1;
    EXPECT(pthread_create(&thread, NULL, open_stuck, NULL) == 0);
    wait_until_stuck();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(yoke_device_count(&count) == YOKE_E_FORKED ? 0 : 1);
    EXPECT(sandbox_reap(child));
    _exit(sandbox_failures() == 0 ? 0 : 1);
}

/* ---- A thread that is cancelled ---- */

/* Again, since on a busy machine a child may come and go unseen. */
static void *count_and_go(void *unused)
{
    size_t count;
    (void)unused;
    for (;;) {
        yoke_device_count(&count);
        pthread_testcancel();
    }
    return NULL;
}

static int lowest_free(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

static bool has_child(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void cancelled(void)
{
    pthread_t thread;
    void *result = NULL;
    alarm(60);
    yk_probe_seconds = 1;
    int before = lowest_free();
    EXPECT(pthread_create(&thread, NULL, count_and_go, NULL) == 0);
    while (!has_child())
        sched_yield();
    EXPECT(pthread_cancel(thread) == 0);
    pthread_join(thread, &result);
    EXPECT(result == PTHREAD_CANCELED);
    EXPECT(!has_child());
    EXPECT(lowest_free() == before);
}

/* ---- Few descriptors ---- */

/* In a child, with so many descriptors left. */
static void count_with(int left)
{
    size_t count = 0;
    for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
        close(fd);
    rlim_t most = (rlim_t)(STDERR_FILENO + 1 + left);
    alarm(60);
    EXPECT(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ most, most }) == 0);
    yoke_status status = yoke_device_count(&count);
    if (status == YOKE_OK)
        EXPECT(count == 1);
    else
        EXPECT(status == YOKE_E_OUT_OF_HOST_MEMORY && strstr(yoke_error()->text, "files"));
    if (status != YOKE_OK && status != YOKE_E_OUT_OF_HOST_MEMORY)
        tap_diag("%d left: %s", left, yoke_error()->text);
    if (sandbox_failures() > 0)
        tap_diag("%d left: %zu devices: %s", left, count, yoke_device_get_report());
    fflush(stdout);
    _exit(sandbox_failures() == 0 ? 0 : 1);
}

static void few_descriptors(void)
{
    for (int left = 0; left <= MOST_LEFT; left++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            count_with(left);
        EXPECT(sandbox_reap(child));
    }
}

/* A device is opened in this process, with more descriptors from try to try: each failure says what is lacking, and is gone as soon
 * as there are enough. A driver that had started without room would be lost for the process's life. */
static void open_with_few(void)
{
    int taken[1024], count = 0;
    yoke_device *device = NULL;
    for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
        close(fd);
    EXPECT(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 64, 64 }) == 0);
    while (count < 1024 && (taken[count] = dup(STDERR_FILENO)) >= 0)
        count++;
    for (unsigned failures = 0; count > 0 && !device; failures++) {
        yoke_status status = yoke_device_open("opencl:0", &device);
        EXPECT(status == YOKE_OK || (status == YOKE_E_OUT_OF_HOST_MEMORY && strstr(yoke_error()->text, "descriptor")));
        EXPECT(status != YOKE_OK || failures > 3);
        if (status != YOKE_OK && status != YOKE_E_OUT_OF_HOST_MEMORY)
            tap_diag("after %u failures: %s", failures, yoke_error()->text);
        close(taken[--count]);
    }
    while (count > 0)
        close(taken[--count]);
    if (!device)
        EXPECT(yoke_device_open("opencl:0", &device) == YOKE_OK);
    yoke_device_release(device);
}

/* The same with addresses. */
static void open_with_few_addresses(void)
{
    struct rlimit usual;
    yoke_device *device = NULL;
    EXPECT(getrlimit(RLIMIT_AS, &usual) == 0);
    EXPECT(setrlimit(RLIMIT_AS, &(struct rlimit){ (rlim_t)128 << 20, usual.rlim_max }) == 0);
    yoke_status status = yoke_device_open("opencl:0", &device);
    EXPECT(status == YOKE_E_OUT_OF_HOST_MEMORY && strstr(yoke_error()->text, "memory"));
    EXPECT(setrlimit(RLIMIT_AS, &usual) == 0);
    if (!EXPECT(yoke_device_open("opencl:0", &device) == YOKE_OK))
        tap_diag("%s", yoke_error()->text);
    yoke_device_release(device);
}

int main(void)
{
    tap_start(310);
    drivers_begin();
    drivers_use(NULL, NULL);
    setenv("YOKE_BACKEND", "opencl", 1);
    sandbox_case("a process forks 100 times beside threads that list and log", NULL, NULL, fork_beside_threads);
    sandbox_case("the log function forks", NULL, NULL, fork_while_told);
    drivers_use("hang-platforms", NULL);
    sandbox_case("a thread that is cancelled leaves no child and no descriptor", "YOKE_CACHE", "off", cancelled);
    unsetenv("YOKE_BACKEND");
    sandbox_case("a thread that is stuck in a driver holds up nobody", "YOKE_TRUST_DRIVERS", "1", stuck);
    sandbox_case("a child that is forked in the middle of a start is refused", "YOKE_TRUST_DRIVERS", "1", fork_in_a_start);
    setenv("YOKE_BACKEND", "opencl", 1);
    drivers_use("pocl", NULL);
    if (drivers_have_pocl()) {
        sandbox_case("few descriptors are not taken for missing devices", NULL, NULL, few_descriptors);
        sandbox_case("few descriptors at the first open", NULL, NULL, open_with_few);
        sandbox_case("few descriptors at the first open, without a cache", "YOKE_CACHE", "off", open_with_few);
        sandbox_case("few descriptors at the first open, of a trusted driver", "YOKE_TRUST_DRIVERS", "1", open_with_few);
        if (SANITIZED)
            tap_skip("few addresses: a sanitizer has taken them all");
        else {
            sandbox_case("few addresses at the first open", NULL, NULL, open_with_few_addresses);
            sandbox_case("few addresses at the first open, of a trusted driver", "YOKE_TRUST_DRIVERS", "1",
                         open_with_few_addresses);
        }
    } else
        tap_skip("few descriptors: there is no PoCL");
    sandbox_leave();
    return tap_done();
}
