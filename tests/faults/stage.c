/* SPDX-License-Identifier: Apache-2.0 */
/* The stage that the scenarios play on, whatever fails: the list of them, devices, and whether anything is left behind. */
#include "exhausted.h"

#include <dirent.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define SCENARIO_ENTRY(name, words, order, flags) { #name, words, scenario_##name, order, flags },
const scenario scenarios[] = { SCENARIOS(SCENARIO_ENTRY) };
const size_t scenario_count = sizeof scenarios / sizeof scenarios[0];

const scenario *find_scenario(const char *name)
{
    for (size_t i = 0; i < scenario_count; i++)
        if (strcmp(scenarios[i].name, name) == 0)
            return &scenarios[i];
    return NULL;
}

/* ---- Devices ---- */

static atomic_uint opened, closed;

void count_log(int level, const char *text, void *user)
{
    (void)user;
    if (level == YOKE_LOG_INFO && strstr(text, " is opened"))
        atomic_fetch_add(&opened, 1);
    if (level == YOKE_LOG_INFO && strstr(text, " is closed"))
        atomic_fetch_add(&closed, 1);
}

unsigned devices_open(void)
{
    return atomic_load(&opened) - atomic_load(&closed);
}

bool all_devices_closed(void)
{
    double start = suite_now();

    while (devices_open() > 0 && suite_now() - start < 40)
        sched_yield();
    return devices_open() == 0;
}

bool make_ready(suite *t, const char *selector, bool kernels)
{
    t->info = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    return CHECK_OK(yoke_device_open(selector, &t->device)) && CHECK_OK(yoke_device_get_info(t->device, &t->info)) &&
           CHECK_OK(yoke_stream_create(t->device, NULL, &t->side)) && CHECK_OK(yoke_stream_create(t->device, NULL, &t->stream)) &&
           (!kernels || CHECK_OK(yoke_program_build(t->device, &exhausted_source, &t->program)));
}

/* No buffer is left, and no memory, once what was released in use is free. */
void nothing_is_left(suite *t)
{
    yoke_memory_info info = YOKE_MEMORY_INFO_INIT;
    double start = suite_now();

    CHECK_OK(yoke_stream_wait(t->side));
    do {
        sched_yield();
        CHECK_OK(yoke_device_trim_memory(t->device, 0));
        CHECK_OK(yoke_device_get_memory(t->device, &info));
    } while ((info.buffers || info.in_use || info.cached || info.pinned || info.pinned_cached) && suite_now() - start < 40);
    CHECK(info.buffers == 0);
    CHECK(info.in_use == 0);
    CHECK(info.cached == 0);
    CHECK(info.pinned == 0);
    CHECK(info.pinned_cached == 0);
}

void take_down(suite *t)
{
    yoke_program_release(t->saxpy);
    yoke_program_release(t->program);
    yoke_stream_release(t->stream);
    yoke_stream_release(t->side);
    yoke_device_release(t->device);
    memset(t, 0, sizeof *t);
}

/* A second device, or the same once more. */
void find_second(const char *selector, char *second, size_t size)
{
    yoke_device_info infos[2] = { YOKE_DEVICE_INFO_INIT, YOKE_DEVICE_INFO_INIT };
    size_t count = 0;

    snprintf(second, size, "%s", selector);
    CHECK_OK(yoke_device_list(infos, 2, &count));
    for (size_t i = 0; i < count && i < 2; i++)
        if (strcmp(infos[i].selector, selector) != 0)
            snprintf(second, size, "%s", infos[i].selector);
}

/* ---- Other things ---- */

size_t entries_of(const char *folder)
{
    DIR *opened_folder = opendir(folder);
    size_t count = 0;

    while (opened_folder && readdir(opened_folder))
        count++;
    if (opened_folder)
        closedir(opened_folder);
    return count;
}

static unsigned common_divisor(unsigned a, unsigned b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

unsigned spread(unsigned n, unsigned count)
{
    unsigned stride = count * 5 / 8 + 1;

    while (common_divisor(stride, count) != 1)
        stride++;
    return 1 + (unsigned)((unsigned long long)n * stride % count);
}
