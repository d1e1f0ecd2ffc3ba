/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which device yoke_device_open finds: selector strings, the environment's orders, and the answers to those that cannot be obeyed.
 * Cases set the environment of this process and put it back.
 */
#include "suite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The environment as the program was started with it. */
static char *started_backend, *started_device;

static void set_or_unset(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void restore_environment(void)
{
    set_or_unset("YOKE_BACKEND", started_backend);
    set_or_unset("YOKE_DEVICE", started_device);
}

/* Opening by `selector` gives the device that `wanted` selects. */
static bool finds(const char *selector, const char *wanted)
{
    yoke_device *device = NULL;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    bool found = CHECK_OK(yoke_device_open(selector, &device)) && CHECK_OK(yoke_device_get_info(device, &info));

    if (found && wanted)
        found = CHECK_TEXT(info.selector, wanted) && CHECK(strcmp(info.selector, wanted) == 0);
    if (found && selector)
        CHECK_TEXT(yoke_device_get_report(), info.selector);
    yoke_device_release(device);
    return found;
}

static void refuses(const char *selector, yoke_status status, const char *words)
{
    yoke_device *device = (yoke_device *)&device;

    if (!CHECK_FAILS(status, words, yoke_device_open(selector, &device)))
        tap_diag("the selector was %s", selector ? selector : "NULL");
    CHECK(device == NULL);
}

static void by_selector(suite *t)
{
    finds(t->info.selector, t->info.selector);
}

static void by_uuid(suite *t)
{
    yoke_device *device = NULL;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    char selector[64];

    if (!t->info.uuid[0]) {
        suite_skip("the driver tells no UUID");
        return;
    }
    snprintf(selector, sizeof selector, "uuid:%s", t->info.uuid);
    CHECK_OK(yoke_device_open(selector, &device));
    CHECK_OK(yoke_device_get_info(device, &info));
    CHECK(strcmp(info.uuid, t->info.uuid) == 0);
    yoke_device_release(device);
}

static void by_pci_address(suite *t)
{
    yoke_device *device = NULL;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    char selector[64];

    if (!t->info.pci[0]) {
        suite_skip("the driver tells no PCI address");
        return;
    }
    snprintf(selector, sizeof selector, "pci:%s", t->info.pci);
    CHECK_OK(yoke_device_open(selector, &device));
    CHECK_OK(yoke_device_get_info(device, &info));
    CHECK(strcmp(info.pci, t->info.pci) == 0);
    yoke_device_release(device);
}

/* Part of the name, in the other case. */
static void by_name(suite *t)
{
    char selector[64] = "name~", *part = selector + strlen(selector);
    yoke_device *device = NULL;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;

    snprintf(part, 12, "%s", t->info.name + 1);
    for (char *c = part; *c; c++)
        *c = (char)(islower((unsigned char)*c) ? toupper((unsigned char)*c) : tolower((unsigned char)*c));
    CHECK_OK(yoke_device_open(selector, &device));
    CHECK_OK(yoke_device_get_info(device, &info));
    snprintf(part, 12, "%s", t->info.name + 1);
    CHECK_TEXT(info.name, part);
    yoke_device_release(device);
}

static void by_kind(suite *t)
{
    static const char *const kinds[] = { "", "gpu", "accelerator", "cpu", "emulator" };
    yoke_device *device = NULL;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    char selector[64];

    if (strcmp(t->info.backend, "opencl") != 0) {
        suite_skip("kinds are for OpenCL");
        return;
    }
    for (int kind = YOKE_DEVICE_GPU; kind <= YOKE_DEVICE_EMULATOR; kind++) {
        snprintf(selector, sizeof selector, "opencl:%s", kinds[kind]);
        yoke_status status = yoke_device_open(selector, &device);
        if (status == YOKE_OK) {
            CHECK_OK(yoke_device_get_info(device, &info));
            CHECK(info.kind == kind);
        } else {
            CHECK(kind != t->info.kind);
            CHECK_STATUS(YOKE_E_NOT_FOUND, status);
            CHECK_TEXT(yoke_error()->text, kinds[kind]);
        }
        yoke_device_release(device);
    }
}

static void by_environment(suite *t)
{
    setenv("YOKE_DEVICE", t->info.selector, 1);
    finds(NULL, t->info.selector);
    unsetenv("YOKE_BACKEND");
    finds(NULL, t->info.selector);
    restore_environment();
}

static void explicit_selector_beats_the_environment(suite *t)
{
    setenv("YOKE_DEVICE", "opencl:77", 1);
    finds(t->info.selector, t->info.selector);
    setenv("YOKE_BACKEND", strcmp(t->info.backend, "cuda") == 0 ? "opencl" : "cuda", 1);
    finds(t->info.selector, t->info.selector);
    restore_environment();
}

/* The best of a backend, or of all, is the first that the list has. */
static void best_is_first_of_the_list(suite *t)
{
    yoke_device_info best = YOKE_DEVICE_INFO_INIT;
    size_t count = 0;

    unsetenv("YOKE_DEVICE");
    setenv("YOKE_BACKEND", t->info.backend, 1);
    CHECK_OK(yoke_device_list(&best, 1, &count));
    CHECK(count > 0);
    CHECK(strcmp(best.backend, t->info.backend) == 0);
    finds(NULL, best.selector);
    finds(t->info.backend, best.selector);
    unsetenv("YOKE_BACKEND");
    CHECK_OK(yoke_device_list(&best, 1, &count));
    finds(NULL, best.selector);
    restore_environment();
}

static void list_is_ranked(suite *t)
{
    yoke_device_info infos[32];
    size_t count = 0;
    bool opencl = false;

    (void)t;
    unsetenv("YOKE_BACKEND");
    for (int i = 0; i < 32; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    CHECK_OK(yoke_device_list(infos, 32, &count));
    for (size_t i = 0; i < count && i < 32; i++) {
        opencl = opencl || strcmp(infos[i].backend, "opencl") == 0;
        CHECK(!opencl || strcmp(infos[i].backend, "opencl") == 0 || infos[i].kind == YOKE_DEVICE_EMULATOR);
        if (i > 0 && strcmp(infos[i].backend, infos[i - 1].backend) == 0)
            CHECK(infos[i].kind >= infos[i - 1].kind);
    }
    restore_environment();
}

static void unknown_backend_in_environment(suite *t)
{
    size_t count = 5;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;

    (void)t;
    unsetenv("YOKE_DEVICE");
    setenv("YOKE_BACKEND", "cdua", 1);
    refuses(NULL, YOKE_E_INVALID_ARGUMENT, "YOKE_BACKEND|cdua|cuda|opencl");
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_BACKEND|cdua|cuda", yoke_device_count(&count));
    CHECK(count == 0);
    count = 5;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_BACKEND|cdua|cuda", yoke_device_list(&info, 1, &count));
    CHECK(count == 0);
    setenv("YOKE_BACKEND", "opencl:0", 1);
    refuses(NULL, YOKE_E_INVALID_ARGUMENT, "YOKE_BACKEND|opencl:0");
    setenv("YOKE_BACKEND", "quantum computer", 1);
    refuses(NULL, YOKE_E_INVALID_ARGUMENT, "YOKE_BACKEND|quantum computer|cuda|opencl");
    restore_environment();
}

static void malformed_selectors(suite *t)
{
    static const char *const bad[] = {
        "cdua",    "cuda:",      "cuda:x",      "cuda:-1", "cuda:0x",    "cuda:0 ", " cuda:0",      "cuda:99999999999999999999",
        "opencl:", "opencl:1.5", "opencl:gpuu", "uuid:",   "uuid:zz",    "pci:",    "pci:nonsense", "name~",
        "name",    ":",          ":0",          "~",       "opencl:0:0", "%s%n%d",  "\n",           "\xff",
    };
    char longest[5000];

    (void)t;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses(bad[i], YOKE_E_INVALID_ARGUMENT, bad[i][0] >= ' ' ? bad[i] : "");
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    refuses(longest, YOKE_E_INVALID_ARGUMENT, "xxx");
    CHECK(strlen(yoke_error()->text) < sizeof yoke_error()->text);
    refuses("cdua:0", YOKE_E_INVALID_ARGUMENT, "cdua|cuda");
    refuses("opnecl", YOKE_E_INVALID_ARGUMENT, "opnecl|opencl");
    setenv("YOKE_DEVICE", "opencl:", 1);
    refuses(NULL, YOKE_E_INVALID_ARGUMENT, "YOKE_DEVICE|opencl:");
    restore_environment();
}

static void devices_that_are_not_there(suite *t)
{
    char words[128], selector[64];

    snprintf(selector, sizeof selector, "%s:99", t->info.backend);
    snprintf(words, sizeof words, "%s|%s", selector, t->info.selector);
    refuses(selector, YOKE_E_NOT_FOUND, words);
    setenv("YOKE_DEVICE", selector, 1);
    snprintf(words, sizeof words, "YOKE_DEVICE|%s|%s", selector, t->info.selector);
    refuses(NULL, YOKE_E_NOT_FOUND, words);
    restore_environment();
    refuses("name~No Such Device", YOKE_E_NOT_FOUND, "No Such Device");
    CHECK_TEXT(yoke_error()->text, t->info.selector);
    refuses("uuid:00000000-1111-2222-3333-444444444444", YOKE_E_NOT_FOUND, "00000000-1111-2222-3333-444444444444");
    refuses("pci:ffff:ff:1f.7", YOKE_E_NOT_FOUND, "ffff:ff:1f.7");
    suite_works(t);
}

/* In a child process: what opening `backend` says with this variable set. The status comes back as the exit status. */
static void order_without_driver(const char *backend, const char *variable, const char *value, const char *words)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        yoke_device *device = NULL;

        unsetenv("OCL_ICD_FILENAMES");
        unsetenv("YOKE_DEVICE");
        setenv("YOKE_BACKEND", backend, 1);
        set_or_unset(variable, value);
        bool ok = CHECK_FAILS(YOKE_E_UNAVAILABLE, words, yoke_device_open(NULL, &device)) && CHECK(device == NULL);
        ok = CHECK_FAILS(YOKE_E_UNAVAILABLE, words, yoke_device_open(backend, &device)) && ok;
        ok = CHECK_TEXT(yoke_device_get_report(), backend) && ok;
        size_t count = 9;
        ok = CHECK_OK(yoke_device_count(&count)) && CHECK(count == 0) && ok;
        ok = CHECK_TEXT(yoke_device_get_report(), backend) && ok;
        fflush(stdout);
        _exit(ok ? 0 : 1);
    }
    CHECK(child > 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void opencl_order_without_driver(suite *t)
{
    (void)t;
    order_without_driver("opencl", "OCL_ICD_VENDORS", "/nonexistent/", "opencl");
}

static void cuda_order_without_driver(suite *t)
{
    size_t count = 0;

    (void)t;
    setenv("YOKE_BACKEND", "cuda", 1);
    CHECK_OK(yoke_device_count(&count));
    restore_environment();
    if (count > 0)
        suite_skip("there is a CUDA device");
    else
        order_without_driver("cuda", "YOKE_DEVICE", NULL, "cuda|libcuda.so.1");
}

static void *report_of_another_thread(void *user)
{
    char *expected = user;
    yoke_device *device = NULL;

    CHECK(yoke_device_get_report() != NULL && yoke_device_get_report()[0] == '\0');
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "cdua", yoke_device_open("cdua", &device));
    CHECK(strcmp(yoke_device_get_report(), expected) != 0);
    return NULL;
}

static void report_belongs_to_its_thread(suite *t)
{
    pthread_t thread;
    yoke_device *device = NULL;
    char *mine;

    CHECK_OK(yoke_device_open(t->info.selector, &device));
    CHECK_TEXT(yoke_device_get_report(), t->info.selector);
    mine = strdup(yoke_device_get_report());
    CHECK(pthread_create(&thread, NULL, report_of_another_thread, mine) == 0);
    pthread_join(thread, NULL);
    CHECK(strcmp(yoke_device_get_report(), mine) == 0);
    free(mine);
    yoke_device_release(device);
}

static void report_says_why_not(suite *t)
{
    size_t count = 0, cuda = 0;

    (void)t;
    unsetenv("YOKE_DEVICE");
    setenv("YOKE_BACKEND", "cuda", 1);
    CHECK_OK(yoke_device_count(&cuda));
    unsetenv("YOKE_BACKEND");
    CHECK_OK(yoke_device_count(&count));
    CHECK(count >= cuda);
    CHECK_TEXT(yoke_device_get_report(), "cuda");
    CHECK_TEXT(yoke_device_get_report(), "opencl");
    if (cuda == 0)
        CHECK_TEXT(yoke_device_get_report(), "libcuda.so.1");
    restore_environment();
}

int main(void)
{
    static const suite_case cases[] = {
        { "YOKE_BACKEND=opencl without a driver is an error with a reason", opencl_order_without_driver, true },
        { "YOKE_BACKEND=cuda without a driver is an error with a reason", cuda_order_without_driver, true },
        { "an unknown YOKE_BACKEND is an error that names the nearest", unknown_backend_in_environment, true },
        { "malformed selectors are errors that quote them", malformed_selectors, true },
        { "the list is ranked", list_is_ranked, true },
        { "the report says why a driver was rejected", report_says_why_not, true },
        { "opens by its selector", by_selector, false },
        { "opens by its UUID", by_uuid, false },
        { "opens by its PCI address", by_pci_address, false },
        { "opens by part of its name, in any case", by_name, false },
        { "opens by its kind", by_kind, false },
        { "opens by YOKE_DEVICE", by_environment, false },
        { "a selector with a backend beats the environment", explicit_selector_beats_the_environment, false },
        { "the best device is the first of the list", best_is_first_of_the_list, false },
        { "devices that are not there are errors that list what is", devices_that_are_not_there, false },
        { "the report belongs to its thread", report_belongs_to_its_thread, false },
    };
    const char *text = getenv("YOKE_BACKEND");

    started_backend = text ? strdup(text) : NULL;
    text = getenv("YOKE_DEVICE");
    started_device = text ? strdup(text) : NULL;
    int told = SUITE_MAIN(cases, NULL);
    free(started_backend);
    free(started_device);
    return told;
}
