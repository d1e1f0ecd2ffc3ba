/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listing and opening among backends that are made up here: drivers that are missing, crash, hang, print, or whose devices do not
 * open. They are called "cuda" and "opencl" because the environment knows those names only.
 */
#include "device/device.h"

#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap/sanitized.h"
#include "../tap/tap.h"
#include "device/probe.h"

enum made_up { WELL, MISSING, EMPTY, CRASHES, EXITS, HANGS, PRINTS, MANY, FAILS_LATE };

static struct {
    enum made_up how;
    int refuse; /* devices that do not open, one bit each */
    int asked, opened, closed;
} cuda, opencl;

static yoke_status list_as(enum made_up how, yk_device_list *list, const yk_backend *backend, int count)
{
    static const char *const names[] = { "Weak Emulator", "Some CPU", "Great GPU" };
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    sigset_t crash;
    switch (how) {
    case MISSING:
        return yk_driver_fail(YOKE_E_UNAVAILABLE, backend->name, "dlopen", 5, "ENOENT", "install the driver");
    case EMPTY:
        yk_device_list_reject(list, "%s: platform \"Nothing\": it has no devices", backend->name);
        return YOKE_OK;
    case CRASHES: /* as a real fault does, which ends the process also where the signal is blocked, and past a sanitizer's handler
                   */
        signal(SIGSEGV, SIG_DFL);
        sigemptyset(&crash);
        sigaddset(&crash, SIGSEGV);
        pthread_sigmask(SIG_UNBLOCK, &crash, NULL);
        raise(SIGSEGV);
        return YOKE_OK;
    case EXITS:
        _exit(3);
    case HANGS:
        for (;;)
            pause();
    case PRINTS:
        printf("a driver's greeting\n");
        fflush(stdout);
        fprintf(stderr, "a driver's warning\n");
        break;
    case MANY:
        count = 300;
        break;
    default:
        break;
    }
    for (int i = 0; i < count; i++) {
        info.kind = i % 3 == 0 ? YOKE_DEVICE_EMULATOR : i % 3 == 1 ? YOKE_DEVICE_CPU : YOKE_DEVICE_GPU;
        yk_string_copy(info.name, sizeof info.name, names[i % 3]);
        yoke_status status = yk_device_list_add(list, &info);
        if (status < 0)
            return status;
    }
    return how == FAILS_LATE ? yk_fail(YOKE_E_DRIVER, "after the fact") : YOKE_OK;
}

static yoke_status cuda_list(yk_device_list *list);
static yoke_status opencl_list(yk_device_list *list);
static yoke_status open_device(yoke_device *device);
static void close_device(yoke_device *device);
static const char *lacks(const yoke_device *device, int capability);

static bool key(yk_text *text)
{
    yk_text_add(text, "made up\n");
    return true;
}

static void each(yk_driver_visit *visit, void *user)
{
    (void)visit, (void)user;
}

static const yk_backend fake_cuda = { .name = "cuda",
                                      .device_list = cuda_list,
                                      .driver_key = key,
                                      .driver_each = each,
                                      .device_open = open_device,
                                      .device_close = close_device,
                                      .device_lacks = lacks };
static const yk_backend fake_opencl = { .name = "opencl",
                                        .device_list = opencl_list,
                                        .driver_key = key,
                                        .driver_each = each,
                                        .device_open = open_device,
                                        .device_close = close_device,
                                        .device_lacks = lacks };
static const yk_backend *const backends[] = { &fake_cuda, &fake_opencl };

static yoke_status cuda_list(yk_device_list *list)
{
    cuda.asked++;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    if (cuda.how != WELL)
        return list_as(cuda.how, list, &fake_cuda, 1);
    info.kind = YOKE_DEVICE_GPU;
    info.capabilities = UINT64_C(1) << YOKE_CAP_FP64;
    yk_string_copy(info.name, sizeof info.name, "NVIDIA H200");
    yoke_status status = yk_device_list_add(list, &info);
    return status < 0 ? status : yk_device_list_add(list, &info);
}

static yoke_status opencl_list(yk_device_list *list)
{
    opencl.asked++;
    return list_as(opencl.how, list, &fake_opencl, 3);
}

static yoke_status open_device(yoke_device *device)
{
    bool is_cuda = device->backend == &fake_cuda;
    if ((is_cuda ? cuda.refuse : opencl.refuse) >> device->info.index & 1)
        return yk_driver_fail(YOKE_E_OUT_OF_DEVICE_MEMORY, device->backend->name, "create", 2, "NO_MEMORY", "%s",
                              device->info.name);
    (is_cuda ? &cuda : &opencl)->opened++;
    return YOKE_OK;
}

static void close_device(yoke_device *device)
{
    (device->backend == &fake_cuda ? &cuda : &opencl)->closed++;
}

static const char *lacks(const yoke_device *device, int capability)
{
    (void)device;
    return capability == YOKE_CAP_TIMING ? "no clock" : "nothing";
}

static void made(enum made_up cuda_how, enum made_up opencl_how)
{
    memset(&cuda, 0, sizeof cuda);
    memset(&opencl, 0, sizeof opencl);
    cuda.how = cuda_how;
    opencl.how = opencl_how;
    yoke_error_clear();
}

/* The selector of what opens, or the failure's text. */
static const char *opens(const char *selector)
{
    static char text[800];
    yoke_device *device = NULL;
    if (yk_device_open_among(backends, 2, selector, &device) < 0)
        snprintf(text, sizeof text, "%s", yoke_error()->text);
    else
        snprintf(text, sizeof text, "%s", device->info.selector);
    yoke_device_release(device);
    return text;
}

/* How many devices are listed, or the failure's status. */
static int lists(void)
{
    yk_device_list list;
    yoke_status status = yk_device_survey(backends, 2, &list);
    if (status < 0)
        return status;
    int count = (int)list.count;
    free(list.infos);
    yk_text_free(&list.rejected);
    return count;
}

/* What is reported of a driver that does not answer. */
static const char *silence(const char *backend)
{
    static char text[80];
    snprintf(text, sizeof text, "%s: the driver did not answer in %u s\n", backend, yk_probe_seconds);
    return text;
}

/* The same where one of the two hangs, in the time that the other one needs for its answer, which on a busy machine may be long. */
enum { LEAST = 3, MOST = 48, USUAL = 20 };

static int lists_beside_silence(enum made_up cuda_how, enum made_up opencl_how)
{
    const char *well = cuda_how == HANGS ? "opencl" : "cuda";
    int count = 0;
    for (yk_probe_seconds = LEAST;; yk_probe_seconds *= 2) {
        made(cuda_how, opencl_how);
        count = lists();
        if (yk_probe_seconds >= MOST || !strstr(yoke_device_get_report(), silence(well)))
            return count;
    }
}

static bool reported(const char *text)
{
    bool found = strstr(yoke_device_get_report(), text) != NULL;
    if (!found)
        tap_diag("not in the report: %s; but: %s", text, yoke_device_get_report());
    return found;
}

/* Before anything was opened: in a child. */
static void in_a_child(void)
{
    made(WELL, WELL);
    tap_is(lists(), 5, "the devices of both backends");
    tap_ok(cuda.asked == 0 && opencl.asked == 0, "are asked for in another process");
    tap_ok(reported("cuda:0 NVIDIA H200 (gpu): there\ncuda:1 NVIDIA H200 (gpu): there\nopencl:2 Great GPU (gpu): there\n"
                    "opencl:1 Some CPU (cpu): there\nopencl:0 Weak Emulator (emulator): there\n"),
           "best first");
    made(MISSING, EMPTY);
    tap_is(lists(), 0, "a driver that is missing and one without devices");
    tap_ok(reported("cuda: dlopen failed: ENOENT (5): install the driver\nopencl: platform \"Nothing\": it has no devices\n"),
           "are reported");
    tap_is(yoke_error()->status, YOKE_OK, "and are no failure");
    made(CRASHES, EXITS);
    tap_is(lists(), 0, "a driver that crashes and one that ends the process");
    tap_ok(reported("cuda: the driver crashed (signal 11)") && reported("opencl: the driver ended the process (exit status 3)"),
           "are reported");
    made(FAILS_LATE, MANY);
    tap_is(lists(), 300, "many devices, none of a backend that has failed at last");
    tap_ok(reported("cuda: after the fact\n"), "which is reported");
    tap_is(lists_beside_silence(HANGS, PRINTS), 3, "a driver that hangs is abandoned");
    tap_ok(reported(silence("cuda")), "and reported");
    yk_probe_seconds = USUAL;
    tap_ok(waitpid(-1, NULL, WNOHANG) == -1, "no child is left");
    setenv("YOKE_BACKEND", "opencl", 1);
    made(CRASHES, WELL);
    tap_is(lists(), 3, "only the backend that YOKE_BACKEND orders");
    tap_ok(!strstr(yoke_device_get_report(), "cuda"), "is asked");
    setenv("YOKE_BACKEND", "vulkan", 1);
    tap_is(lists(), YOKE_E_INVALID_ARGUMENT, "one that is none is refused");
    unsetenv("YOKE_BACKEND");
}

static void nothing(int signal_number)
{
    (void)signal_number;
}

/* Signals, and a parent that does not wait for its children. */
static void disturbed(void)
{
    struct sigaction interrupt = { .sa_handler = nothing };
    struct timespec often = { 0, 1000000 };
    timer_t timer;
    sigemptyset(&interrupt.sa_mask);
    sigaction(SIGUSR1, &interrupt, NULL);
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
    bool ticking = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 &&
                   timer_settime(timer, 0, &(struct itimerspec){ often, often }, NULL) == 0;
    tap_is(lists_beside_silence(MANY, HANGS), 300, "signals that interrupt do no harm%s", ticking ? "" : " (not tried)");
    yk_probe_seconds = USUAL;
    if (ticking)
        timer_delete(timer);
    signal(SIGCHLD, SIG_IGN);
    made(WELL, CRASHES);
    tap_is(lists(), 2, "nor does SIGCHLD ignored");
    tap_ok(reported("opencl: the driver ended the process when"), "but then the signal is not known");
    signal(SIGCHLD, SIG_DFL);
}

/* ---- A lock of the loader that another thread holds at a fork ---- */

enum { HELD = 2 }; /* forks at which it is held */

static int forks;
static sem_t enter, is_inside, leave;

static int stay_inside(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)info, (void)size, (void)unused;
    sem_post(&is_inside);
    sem_wait(&leave);
    return 1;
}

static void *hold_lock(void *unused)
{
    for (int i = 0; i < HELD; i++) {
        sem_wait(&enter);
        dl_iterate_phdr(stay_inside, NULL);
    }
    return unused;
}

static void before_fork(void)
{
    if (forks++ >= HELD)
        return;
    sem_post(&enter);
    sem_wait(&is_inside);
}

static void after_fork(void)
{
    if (forks <= HELD)
        sem_post(&leave);
}

/* For good: the handlers stay, and do nothing after these forks. */
static void forks_beside_loader(void)
{
    pthread_t thread;
    if (SANITIZED) {
        tap_skip("the loader's lock is held at a fork: the sanitizer does not survive a fork beside other threads");
        return;
    }
    if (sem_init(&enter, 0, 0) != 0 || sem_init(&is_inside, 0, 0) != 0 || sem_init(&leave, 0, 0) != 0 ||
        pthread_atfork(before_fork, after_fork, NULL) != 0 || pthread_create(&thread, NULL, hold_lock, NULL) != 0)
        tap_bail("no thread can be started");
    made(WELL, WELL);
    tap_ok(lists() == 5 && forks > HELD, "a child that inherits the loader's lock is replaced");
    pthread_join(thread, NULL);
    tap_ok(waitpid(-1, NULL, WNOHANG) == -1, "and gone");
}

static void opening(void)
{
    made(WELL, WELL);
    yoke_fail(-7, "before");
    tap_is(opens(NULL), "cuda:0", "CUDA comes first");
    tap_is(opencl.asked, 0, "and leaves OpenCL untouched");
    tap_is(yoke_error()->text, "before", "a success leaves the record alone");
    tap_is(cuda.closed, 1, "the device is closed with its last reference");
    tap_ok(reported("cuda:0 NVIDIA H200 (gpu): chosen\ncuda:1 NVIDIA H200 (gpu): not needed\n"), "the report has every candidate");
    made(MISSING, WELL);
    yoke_fail(-7, "before");
    tap_is(opens(NULL), "opencl:2", "then the best of OpenCL");
    tap_is(yoke_error()->text, "before", "a driver that is missing is not in the record");
    tap_ok(reported("cuda: dlopen failed: ENOENT (5): install the driver\nopencl:2 Great GPU (gpu): chosen\n"),
           "but in the report");
    made(WELL, WELL);
    cuda.refuse = 1;
    tap_is(opens(NULL), "cuda:1", "a device that does not open is passed over");
    tap_ok(reported("cuda:0 NVIDIA H200 (gpu): cannot be opened: cuda: create failed: NO_MEMORY (2): NVIDIA H200\n"),
           "and reported");
    cuda.refuse = 3;
    opencl.refuse = 4;
    tap_is(opens(NULL), "opencl:1", "also all of a backend");
    tap_is(
        opens("cuda:1"),
        "selector \"cuda:1\" cannot be satisfied: cuda: create failed: NO_MEMORY (2): NVIDIA H200; there is cuda:0 (NVIDIA H200), "
        "cuda:1 (NVIDIA H200), opencl:0 (Weak Emulator), opencl:1 (Some CPU), opencl:2 (Great GPU)",
        "but not against an order");
    tap_ok(yoke_error()->status == YOKE_E_OUT_OF_DEVICE_MEMORY && yoke_error()->driver_code == 2, "and that is the failure");
    tap_is(opens("opencl:0"), "opencl:0", "an order for an emulator");
    tap_is(opens("name~some"), "opencl:1", "an order by name looks everywhere");
}

static void refusing(void)
{
    made(MISSING, MISSING);
    tap_is(opens(NULL),
           "no usable device: cuda: dlopen failed: ENOENT (5): install the driver; opencl: dlopen failed: ENOENT (5): install the "
           "driver",
           "no driver at all");
    tap_is(yoke_error()->status, YOKE_E_UNAVAILABLE, "is YOKE_E_UNAVAILABLE");
    tap_ok(strcmp(yoke_error()->driver_call, "dlopen") == 0, "with the first driver's call");
    made(MISSING, EMPTY);
    tap_is(opens(NULL),
           "no usable device: cuda: dlopen failed: ENOENT (5): install the driver; no devices; opencl: platform \"Nothing\": it "
           "has no devices",
           "a driver without devices");
    tap_is(yoke_error()->status, YOKE_E_NOT_FOUND, "is YOKE_E_NOT_FOUND");
    made(WELL, WELL);
    tap_is(opens("opencl:7"),
           "selector \"opencl:7\" cannot be satisfied: no such device; there is opencl:2 (Great GPU), opencl:1 (Some CPU), "
           "opencl:0 (Weak Emulator), cuda:0 (NVIDIA H200), cuda:1 (NVIDIA H200)",
           "an index that is not there: what there is");
    tap_is(yoke_error()->status, YOKE_E_NOT_FOUND, "is YOKE_E_NOT_FOUND");
    tap_is(opens("name~Greta"),
           "selector \"name~Greta\" cannot be satisfied: no such device; did you mean \"Great\"? there is cuda:0 (NVIDIA H200), "
           "cuda:1 (NVIDIA H200), opencl:2 (Great GPU), opencl:1 (Some CPU), opencl:0 (Weak Emulator)",
           "a name that is not there: the nearest");
    setenv("YOKE_BACKEND", "cuda", 1);
    made(MISSING, WELL);
    tap_is(opens(NULL),
           "YOKE_BACKEND=cuda cannot be satisfied: cuda: dlopen failed: ENOENT (5): install the driver; there is opencl:0 (Weak "
           "Emulator), "
           "opencl:1 (Some CPU), opencl:2 (Great GPU)",
           "an order is never disobeyed");
    tap_is(yoke_error()->status, YOKE_E_UNAVAILABLE, "is YOKE_E_UNAVAILABLE");
    unsetenv("YOKE_BACKEND");
}

static void describing(void)
{
    yoke_device *device = NULL;
    struct {
        yoke_device_info info;
        char more[32];
    } later;
    yoke_device_info info;
    made(WELL, WELL);
    if (yk_device_open_among(backends, 2, NULL, &device) < 0)
        tap_bail("%s", yoke_error()->text);
    memset(&later, 'x', sizeof later);
    later.info.size = sizeof later;
    tap_is(yoke_device_get_info(device, &later.info), YOKE_OK, "info for a struct of a later version");
    tap_ok(later.info.size == sizeof later && strcmp(later.info.name, "NVIDIA H200") == 0 && !later.more[0] && !later.more[31],
           "zeroes what it does not know");
    memset(&info, 'x', sizeof info);
    info.size = offsetof(yoke_device_info, backend);
    tap_is(yoke_device_get_info(device, &info), YOKE_OK, "info for a struct of an earlier version");
    tap_ok(strcmp(info.selector, "cuda:0") == 0 && info.backend[0] == 'x', "writes no more than that");
    info.size--;
    tap_is(yoke_device_get_info(device, &info), YOKE_E_INVALID_ARGUMENT, "a struct without room for the selector is refused");
    info.size = 0;
    tap_is(yoke_device_get_info(device, &info), YOKE_OK, "a size of 0 is that of version 0.1");
    tap_is(yoke_device_get_info(device, NULL), YOKE_E_INVALID_ARGUMENT, "and none at all");
    tap_ok(!yoke_device_lacks(device, YOKE_CAP_FP64), "a capability that is there");
    tap_is(yoke_device_lacks(device, YOKE_CAP_TIMING), "no clock", "one that is not, and why");
    tap_ok(yoke_device_lacks(device, -1) && yoke_device_lacks(device, YK_CAP_COUNT) && yoke_device_lacks(NULL, 0),
           "none, or of no device");
    tap_ok(yoke_device_retain(device) == device, "a second reference");
    yoke_device_release(device);
    tap_is(cuda.closed, 0, "is not the last");
    yoke_device_release(device);
    tap_is(cuda.closed, 1, "the first is");
    yoke_device_release(device);
    tap_ok(cuda.closed == 1 && !yoke_device_retain(device), "a released device is left alone");
    tap_is(yoke_device_get_info(device, &info), YOKE_E_INVALID_ARGUMENT, "and refused");
    yoke_device_release(NULL);
}

/* Now both backends have been started here. */
static void in_this_process(void)
{
    made(WELL, WELL);
    tap_is(lists(), 5, "once opened");
    tap_ok(cuda.asked == 1 && opencl.asked == 1, "a backend is asked in this process");
}

static void *report_elsewhere(void *same)
{
    *(bool *)same = *yoke_device_get_report() != '\0';
    lists();
    return NULL;
}

static void threads(void)
{
    pthread_t thread;
    bool same = true;
    opens(NULL);
    if (pthread_create(&thread, NULL, report_elsewhere, &same) != 0)
        tap_bail("no thread can be started");
    pthread_join(thread, NULL);
    tap_ok(!same && reported("chosen"), "each thread has its own report");
}

/* What drivers call their devices, and say of them, is UTF-8 once it is Yoke's: it goes into messages and JSON. */
static void names_of_drivers(void)
{
    yk_device_list list = { .backend = &fake_cuda };
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yk_string_copy(info.name, sizeof info.name, "Ger\xe4t \xc3\xa4");
    yk_string_copy(info.platform, sizeof info.platform, "\xff");
    tap_is(yk_device_list_add(&list, &info), YOKE_OK, "a device whose name is no UTF-8 is listed");
    yk_device_list_reject(&list, "Ger\xe4t");
    tap_is(list.infos[0].name, "Ger?t \xc3\xa4", "with a name that is");
    tap_is(list.infos[0].platform, "?", "as is the platform's");
    tap_is(yk_text_get(&list.rejected), "Ger?t\n", "and a reason to reject one");
    free(list.infos);
    yk_text_free(&list.rejected);
}

int main(void)
{
    tap_start(120);
    unsetenv("YOKE_BACKEND");
    unsetenv("YOKE_DEVICE");
    setenv("YOKE_CACHE", "off", 1); /* nothing is remembered of drivers that are made up */
    tap_is(yoke_device_get_report(), "", "at first there is no report");
    in_a_child();
    disturbed();
    forks_beside_loader();
    opening();
    refusing();
    describing();
    names_of_drivers();
    in_this_process();
    threads();
    return tap_done();
}
