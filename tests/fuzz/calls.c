/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of any calls: the input is a list of steps of 8 bytes, each a call with right or wrong arguments, run on the devices
 * that YOKE_BACKEND and YOKE_TEST_DEVICES leave visible (two at most, which may be of different backends) and judged by the model
 * of tests/random.
 * The devices stay open for a few hundred programs, and then have to close.
 */
#include "../random/world.h"
#include "fuzz.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

size_t fuzz_places = 8;

enum { PROGRAMS = 400, SECONDS = 20, MOST_STEPS = 64 };

static site sites[MOST_SITES];
static unsigned site_count;
static bool traced;

static atomic_uint devices_open;

void world_says(const world *w, const char *line)
{
    (void)w;
    fprintf(stderr, "%s\n", line);
}

/* libFuzzer keeps the input, which is all that is needed to run it again. */
void world_failed(const world *w, bool hopeless)
{
    (void)w;
    (void)hopeless;
    abort();
}

/* Until the condition holds; too long ends the program. What is waited for tells nobody that it is done. */
#define AWAIT(condition)                                               \
    do {                                                               \
        for (unsigned tries = 0; !(condition); tries++) {              \
            FUZZ_EXPECT(tries < 1000 * SECONDS);                       \
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); \
        }                                                              \
    } while (0)

static void count_devices(int level, const char *text, void *user)
{
    (void)user;
    if (level == YOKE_LOG_INFO && strstr(text, " is opened: "))
        atomic_fetch_add(&devices_open, 1);
    if (level == YOKE_LOG_INFO && strstr(text, " is closed"))
        atomic_fetch_sub(&devices_open, 1);
    FUZZ_EXPECT(!strstr(text, " closes with "));
}

/* Whether YOKE_TEST_DEVICES, selectors with commas between them, leaves the device visible. */
static bool is_wanted(const char *selector)
{
    const char *only = getenv("YOKE_TEST_DEVICES");
    size_t length = strlen(selector);
    for (const char *at = only; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, selector, length) == 0 && strcspn(at, ",") == length)
            return true;
    return !only || !*only;
}

static bool sites_open(void)
{
    enum { MOST = 16 };
    yoke_device_info infos[MOST];
    size_t count = 0;
    for (size_t i = 0; i < MOST; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    yoke_log_set(YOKE_LOG_INFO, count_devices, NULL);
    if (yoke_device_list(infos, MOST, &count) < 0)
        return false;
    for (size_t i = 0; i < count && i < MOST && site_count < MOST_SITES; i++)
        if (is_wanted(infos[i].selector)) {
            sites[site_count] = (site){ 0 };
            if (site_open(&sites[site_count], infos[i].selector) < 0) {
                fprintf(stderr, "%s: %s\n", infos[i].selector, yoke_error()->text);
                return false;
            }
            site_count++;
        }
    return site_count > 0;
}

/* A stream may be released while its work still reads and writes the program's host memory: until the devices are closed, nobody
 * knows that the work has ended. So the memory of all programs is freed only then. */
static unsigned char *host_memory[PROGRAMS * MOST_SHADOWS];
static unsigned host_memory_count;

static void host_memory_keep(const world *w)
{
    for (unsigned i = 0; i < w->shadow_count; i++)
        host_memory[host_memory_count++] = w->shadows[i].bytes;
}

static void sites_close(void)
{
    for (unsigned i = 0; i < site_count; i++)
        site_close(&sites[i]);
    site_count = 0;
    AWAIT(atomic_load(&devices_open) == 0);
    while (host_memory_count > 0)
        free(host_memory[--host_memory_count]);
}

/* All devices have to be asked: one keeps the other's buffers as long as its own streams use them, and looks when it is asked. */
static uint32_t buffers_left(void)
{
    uint32_t buffers = 0;
    for (unsigned i = 0; i < site_count; i++) {
        yoke_memory_info memory = YOKE_MEMORY_INFO_INIT;
        judge(yoke_device_get_memory(sites[i].device, &memory), HAS_TO, FINE);
        buffers += memory.buffers;
    }
    return buffers;
}

/* Nothing is left, and the devices are as they were. */
static void look_at_sites(void)
{
    AWAIT(buffers_left() == 0);
    for (unsigned i = 0; i < site_count; i++) {
        judge(yoke_device_set_memory_limits(sites[i].device, YOKE_NO_LIMIT, YOKE_NO_LIMIT), HAS_TO, FINE);
        judge(yoke_device_set_wait(sites[i].device, YOKE_WAIT_AUTO), HAS_TO, FINE);
    }
}

/* LLVM inside a driver takes the signals, by which libFuzzer learns of a crash. */
static bool sites_open_quietly(void)
{
    static const int signals[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV };
    enum { COUNT = sizeof signals / sizeof signals[0] };
    struct sigaction before[COUNT];
    for (int i = 0; i < COUNT; i++)
        sigaction(signals[i], NULL, &before[i]);
    bool open = sites_open();
    for (int i = 0; i < COUNT; i++)
        sigaction(signals[i], &before[i], NULL);
    return open;
}

/* Where there is no device this is a test that is skipped, unless there has to be one. */
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    const char *backend = getenv("YOKE_BACKEND"), *required = getenv("YOKE_TEST_REQUIRE");
    (void)count;
    (void)arguments;
    traced = getenv("YOKE_FUZZ_TRACE");
    if (sites_open_quietly())
        return 0;
    if (required && (!backend || strstr(required, backend))) {
        printf("Bail out! no device can be used\n%s", yoke_device_get_report());
        exit(1);
    }
    printf("1..0 # SKIP no device of backend %s\n", backend ? backend : "any");
    exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static unsigned programs;
    static world w;
    if (site_count == 0)
        FUZZ_EXPECT(sites_open());
    w = (world){ .sites = sites, .site_count = site_count, .scale = 1, .traced = traced };
    world_begin(&w);
    for (size_t steps = 0; steps < MOST_STEPS && size >= STEP_BYTES; steps++, bytes += STEP_BYTES, size -= STEP_BYTES)
        step_run(&w, bytes);
    world_end(&w);
    look_at_sites();
    host_memory_keep(&w);
    if (++programs % PROGRAMS == 0)
        sites_close();
    return 0;
}
