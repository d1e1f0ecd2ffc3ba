/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listing and opening in the company of drivers that crash, end the process or hang, wherever they do it: no call dies or waits for
 * ever, and each says which driver it was. What is remembered of those that answer well.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap/sanitized.h"
#include "../tap/tap.h"
#include "drivers.h"
#include "device/probe.h"
#include "sandbox.h"

/* What one broken driver is expected to be told of. */
typedef struct scene {
    const char *name; /* of the driver */
    const char *fault;
} scene;

static const char *selector; /* "opencl" or "cuda", whose driver is broken */
static scene playing;
static char blamed_file[1024], way_out[1200]; /* of an OpenCL driver; "" where nothing else works */

/* Seconds that a driver may take. PoCL beside one that hangs may need more on a busy machine: then the scene is played again, with
 * more. */
enum { LEAST = 4, MOST = 32, USUAL = 20 };
static atomic_bool is_late;

/* False: the time may have been too little, and is taken to have been. */
static bool had_time(void)
{
    if (!strstr(playing.name, "hang") || yk_probe_seconds >= MOST)
        return true;
    atomic_store(&is_late, true);
    return false;
}

static void expect_text(int line, const char *text, const char *part)
{
    if (!strstr(text, part) && had_time()) {
        sandbox_expect(false, __FILE__, line, part);
        tap_diag("... is not in: %s", text);
    }
}
#define EXPECT_TEXT(text, part) expect_text(__LINE__, text, part)

/* The failure names the driver, and the way out where there is one. */
static void expect_blame(const char *text)
{
    char silence[64];
    snprintf(silence, sizeof silence, "did not answer in %u s", yk_probe_seconds);
    EXPECT_TEXT(text, playing.fault);
    if (strstr(playing.name, "hang"))
        EXPECT_TEXT(text, silence);
    if (strcmp(selector, "cuda") == 0)
        return;
    EXPECT_TEXT(text, blamed_file);
    EXPECT_TEXT(text, way_out);
}

static void *counts(void *unused)
{
    size_t count = 99;
    (void)unused;
    EXPECT(yoke_device_count(&count) == YOKE_OK);
    EXPECT(count == 0 || strcmp(selector, "cuda") == 0);
    expect_blame(yoke_device_get_report());
    return NULL;
}

static void *lists(void *unused)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    size_t count = 99;
    (void)unused;
    EXPECT(yoke_device_list(&info, 1, &count) == YOKE_OK);
    expect_blame(yoke_device_get_report());
    return NULL;
}

static void *opens(void *unused)
{
    yoke_device *device;
    (void)unused;
    EXPECT(yoke_device_open(selector, &device) == YOKE_E_UNAVAILABLE && !device);
    expect_blame(yoke_error()->text);
    return NULL;
}

/* Without an order the next backend is looked at. */
static void *opens_any(void *unused)
{
    yoke_device *device;
    (void)unused;
    yoke_status status = yoke_device_open(NULL, &device);
    expect_blame(yoke_device_get_report());
    if (strcmp(selector, "cuda") == 0 && drivers_have_pocl())
        EXPECT(status == YOKE_OK || !had_time());
    else
        EXPECT(status == YOKE_E_UNAVAILABLE);
    yoke_device_release(device);
    return NULL;
}

/* All at once; but a sanitizer does not survive a fork while other threads run. */
static void together(void *(*const *calls)(void *unused), size_t count)
{
    pthread_t threads[4];
    for (size_t i = 0; i < count; i++)
        EXPECT(pthread_create(&threads[i], NULL, calls[i], NULL) == 0);
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* A driver that calls exit must not end this process, and pass for a success. */
static bool is_played;

static void check_end(void)
{
    if (!is_played)
        _exit(9);
}

/* Each call alone, unless the driver hangs, and all at once. */
static void play_once(bool hangs)
{
    void *(*const calls[])(void *) = { counts, lists, opens, opens_any };
    for (size_t i = 0; i < 4 && !hangs; i++)
        calls[i](NULL);
    /* What opens a device of another backend comes last: after that this process is asked, and not a child. */
    if (!SANITIZED)
        together(calls, strcmp(selector, "cuda") == 0 ? 3 : 4);
    else if (hangs)
        counts(NULL);
    if (hangs && strcmp(selector, "cuda") == 0 && !atomic_load(&is_late))
        opens_any(NULL);
    EXPECT(waitpid(-1, NULL, WNOHANG) == -1);
}

static void play(void)
{
    EXPECT(atexit(check_end) == 0);
    bool hangs = strstr(playing.name, "hang");
    alarm(300);
    yk_probe_seconds = hangs ? LEAST : USUAL;
    for (play_once(hangs); atomic_exchange(&is_late, false); play_once(hangs))
        yk_probe_seconds *= 2;
    is_played = true;
}

static void bad_opencl(void)
{
    static const char *const places[] = { "", "-platforms", "-devices" };
    static const scene scenes[] = { { "crash", "crashed (signal 11)" },
                                    { "abort", "crashed (signal 6)" },
                                    { "quit", "ended the process (exit status 0)" },
                                    { "exit", "ended the process (exit status 7)" },
                                    { "hang", "did not answer in " } };
    selector = "opencl";
    setenv("YOKE_BACKEND", "opencl", 1);
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
            char name[64], words[128];
            snprintf(name, sizeof name, "%s%s", scenes[i].name, places[k]);
            snprintf(words, sizeof words, "an OpenCL driver beside PoCL: %s", name);
            playing = (scene){ name, scenes[i].fault };
            snprintf(blamed_file, sizeof blamed_file, "%s", drivers_file(name));
            if (drivers_have_pocl())
                snprintf(way_out, sizeof way_out, "set OCL_ICD_VENDORS=%s", drivers_file("pocl"));
            drivers_use(name, "pocl");
            sandbox_case(words, NULL, NULL, play);
        }
    unsetenv("YOKE_BACKEND");
}

static const scene cuda_scenes[] = { { "crash", "cuda: the driver crashed (signal 11)" },
                                     { "abort-load", "cuda: the driver crashed (signal 6)" },
                                     { "quit", "cuda: the driver ended the process (exit status 0)" },
                                     { "exit-load", "cuda: the driver ended the process (exit status 7)" },
                                     { "hang", "cuda: the driver did not answer in " },
                                     { "hang-load", "cuda: the driver did not answer in " } };

static void bad_cuda(void)
{
    drivers_use("pocl", NULL);
    for (size_t i = 0; i < sizeof cuda_scenes / sizeof cuda_scenes[0]; i++)
        tap_ok(drivers_run_with_cuda(cuda_scenes[i].name), "a libcuda.so.1: %s", cuda_scenes[i].name);
}

/* Started anew with a libcuda.so.1 of this kind. */
static int play_cuda(const char *way)
{
    selector = "cuda";
    for (size_t i = 0; i < sizeof cuda_scenes / sizeof cuda_scenes[0]; i++)
        if (strcmp(cuda_scenes[i].name, way) == 0)
            playing = cuda_scenes[i];
    play();
    return sandbox_failures() == 0 ? 0 : 1;
}

/* ---- What is remembered ---- */

static int forks;

static void count_fork(void)
{
    forks++;
}

static yoke_status try_open(void)
{
    yoke_device *device;
    alarm(100);
    EXPECT(pthread_atfork(NULL, count_fork, NULL) == 0);
    yoke_status status = yoke_device_open("opencl", &device);
    yoke_device_release(device);
    return status;
}

static void is_asked(void)
{
    try_open();
    EXPECT(forks > 0);
}

static void is_not_asked(void)
{
    yoke_status status = try_open();
    EXPECT(status == YOKE_OK || !drivers_have_pocl());
    EXPECT(forks == 0);
}

/* A child's answer says nothing about a process in which other code has started the drivers. */
static void lists_beside_other_code(void)
{
    unsigned platforms = 0;
    size_t count = 0;
    int (*get_platforms)(unsigned, void **, unsigned *);
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!EXPECT(loader != NULL))
        return;
    *(void **)&get_platforms = dlsym(loader, "clGetPlatformIDs");
    EXPECT(get_platforms(0, NULL, &platforms) == 0 && platforms == 1);
    EXPECT(pthread_atfork(NULL, count_fork, NULL) == 0);
    EXPECT(yoke_device_count(&count) == YOKE_OK && count > 0);
    EXPECT(forks == 0);
}

static void crashes_now(void)
{
    EXPECT(try_open() == YOKE_E_UNAVAILABLE);
    EXPECT_TEXT(yoke_error()->text, "crashed (signal 11)");
    EXPECT(forks > 0);
}

static void count_only(void)
{
    size_t count;
    alarm(100);
    EXPECT(yoke_device_count(&count) == YOKE_OK && count == 0);
    EXPECT_TEXT(yoke_device_get_report(), "crashed (signal 11)");
}

/* ---- What is remembered of those that hang ---- */

static size_t times_asked(void)
{
    size_t size = 0;
    free(sandbox_read(sandbox_path("libbad-hang.so.asked"), &size));
    return size;
}

/* Each call that queries drivers, with what it says of them. */
static void say(char texts[4][1024])
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device *device;
    size_t count = 99;
    EXPECT(yoke_device_count(&count) == YOKE_OK && count == 0);
    snprintf(texts[0], sizeof texts[0], "%s", yoke_device_get_report());
    EXPECT(yoke_device_list(&info, 1, &count) == YOKE_OK && count == 0);
    snprintf(texts[1], sizeof texts[1], "%s", yoke_device_get_report());
    EXPECT(yoke_device_open("opencl", &device) == YOKE_E_UNAVAILABLE && !device);
    snprintf(texts[2], sizeof texts[2], "%s", yoke_error()->text);
    EXPECT(yoke_device_open(NULL, &device) == YOKE_E_UNAVAILABLE && !device);
    snprintf(texts[3], sizeof texts[3], "%s", yoke_device_get_report());
}

static void hangs_are_remembered(void)
{
    char first[4][1024], again[4][1024];
    alarm(300);
    yk_probe_seconds = LEAST;
    say(first);
    size_t asked = times_asked();
    EXPECT(asked == 1);
    for (size_t i = 0; i < 4; i++)
        EXPECT(strstr(first[i], "did not answer in 4 s") && strstr(first[i], drivers_file("hang")));
    say(again);
    EXPECT(times_asked() == asked);
    for (size_t i = 0; i < 4; i++)
        EXPECT(strcmp(first[i], again[i]) == 0);
    sandbox_age(drivers_file("hang"), 1000);
    say(again);
    EXPECT(times_asked() == asked + 1);
    setenv("OPENCL_LAYERS", "", 1);
    say(again);
    EXPECT(times_asked() == asked + 2);
    drivers_use("none", NULL);
    size_t count = 99;
    EXPECT(yoke_device_count(&count) == YOKE_OK && count == 0);
    EXPECT(!strstr(yoke_device_get_report(), "did not answer"));
    EXPECT(times_asked() == asked + 2);
}

static void hanging(void)
{
    drivers_use("hang", NULL);
    EXPECT(sandbox_write(sandbox_path("libbad-hang.so.asked"), "", 0));
    sandbox_case("one that hangs is asked once, until its files or the environment change", "YOKE_BACKEND", "opencl",
                 hangs_are_remembered);
    unlink(sandbox_path("libbad-hang.so.asked"));
}

static void remembered(void)
{
    drivers_link("none");
    drivers_use("link", "pocl");
    sandbox_remove(sandbox_path("cache"));
    sandbox_case("drivers are asked in a child at first", NULL, NULL, is_asked);
    sandbox_case("and when they have answered, no more", NULL, NULL, is_not_asked);
    if (drivers_have_pocl())
        sandbox_case("nor when other code has started them", "YOKE_BACKEND", "opencl", lists_beside_other_code);
    sandbox_case("unless there is no cache", "YOKE_CACHE", "off", is_asked);
    sandbox_case("or the environment chooses others", "OPENCL_VENDOR_PATH", "/nowhere", is_asked);
    sandbox_age(drivers_file("pocl"), 1000);
    sandbox_case("a changed .icd file has them asked again", NULL, NULL, is_asked);
    sandbox_case("once", NULL, NULL, is_not_asked);
    drivers_link("crash");
    sandbox_case("a library that is another one now is asked, and does no harm", NULL, NULL, crashes_now);
    sandbox_case("each time", NULL, NULL, crashes_now);
    drivers_link("none");
    sandbox_case("the one before is still remembered", NULL, NULL, is_not_asked);
    EXPECT(sandbox_write(sandbox_path("libbad-none.so.crash"), "", 0));
    sandbox_case("listing finds out that one crashes now", NULL, NULL, count_only);
    sandbox_case("which is not trusted any more", NULL, NULL, crashes_now);
    EXPECT(unlink(sandbox_path("libbad-none.so.crash")) == 0);
    sandbox_case("until it has answered", NULL, NULL, is_asked);
    sandbox_case("again", NULL, NULL, is_not_asked);
    sandbox_case("YOKE_TRUST_DRIVERS asks nobody", "YOKE_TRUST_DRIVERS", "1", is_not_asked);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return play_cuda(argv[1]);
    tap_start(400);
    drivers_begin();
    bad_opencl();
    bad_cuda();
    hanging();
    remembered();
    sandbox_leave();
    return tap_done();
}
