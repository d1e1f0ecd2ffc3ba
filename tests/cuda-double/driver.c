/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The double as a whole: starting it, what it refuses, its errors. A kernel's fault loses the whole process, as it does with the
 * driver: no later call succeeds, and no host function is called any more.
 */
#include "driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { DRIVER_VERSION = 12080 };

static atomic_bool started, forked;
static atomic_uint lost;
_Thread_local bool double_inside_function;

/* All of them are there: what is missing here, the loader does not find. */
__attribute__((used)) static const struct {
#define YK_CUDA_SYMBOL(need, name, parameters, ...) yk_CUresult(*name) parameters;
#include "../../backends/cuda/symbols.def"
} all_symbols = {
#define YK_CUDA_SYMBOL(need, name, parameters, ...) name,
#include "../../backends/cuda/symbols.def"
};

/* ---- Settings ---- */

static double_settings settings;

static unsigned long number_of(const char *name, unsigned long usual, unsigned long least, unsigned long most)
{
    const char *text = getenv(name);
    char *end = NULL;
    unsigned long value = text && *text ? strtoul(text, &end, 10) : usual;

    if (end && *end)
        double_die("%s is '%s', which is no number", name, text);
    return value < least ? least : value > most ? most : value;
}

static void read_settings(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"); /* the driver's own: an empty list hides all */

    settings.devices = (int)number_of("YOKE_CUDA_DOUBLE_DEVICES", 1, 0, DOUBLE_DEVICES);
    if (visible && (*visible < '0' || *visible > '9'))
        settings.devices = 0;
    settings.peers = number_of("YOKE_CUDA_DOUBLE_PEERS", 1, 0, 1);
    settings.channels = (unsigned)number_of("CUDA_DEVICE_MAX_CONNECTIONS", 8, 1, 32);
    settings.clock = (double)number_of("YOKE_CUDA_DOUBLE_CLOCK", 100, 1, 10000);
    settings.memory = (size_t)number_of("YOKE_CUDA_DOUBLE_MEMORY", 2048, 1, 1 << 20) << 20;
}

const double_settings *double_settings_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_settings);
    return &settings;
}

/* ---- What is refused ---- */

void double_die(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    fputs("CUDA double: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    abort();
}

yk_CUresult double_lost(void)
{
    return atomic_load_explicit(&lost, memory_order_relaxed);
}

void double_lose(yk_CUresult result)
{
    unsigned none = YK_CUDA_SUCCESS;

    atomic_compare_exchange_strong(&lost, &none, result);
    double_channels_wake();
}

yk_CUresult double_enter(int need)
{
    yk_CUcontext current;

    if (!atomic_load(&started) || atomic_load(&forked))
        return YK_CUDA_ERROR_NOT_INITIALIZED;
    if (double_inside_function)
        return YK_CUDA_ERROR_NOT_PERMITTED;
    if (need >= DOUBLE_USABLE && double_lost() != YK_CUDA_SUCCESS)
        return double_lost();
    if (need < DOUBLE_CONTEXT)
        return YK_CUDA_SUCCESS;
    current = double_current();
    if (!current)
        return YK_CUDA_ERROR_INVALID_CONTEXT;
    return double_context_alive(current) ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* ---- The calls ---- */

static void in_forked_child(void)
{
    atomic_store(&forked, true);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_forked_child);
}

yk_CUresult cuInit(unsigned int flags)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (atomic_load(&forked))
        return YK_CUDA_ERROR_NOT_INITIALIZED;
    if (flags != 0)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (double_inside_function)
        return YK_CUDA_ERROR_NOT_PERMITTED;
    if (double_settings_get()->devices == 0)
        return YK_CUDA_ERROR_NO_DEVICE;
    pthread_once(&once, watch_forks);
    atomic_store(&started, true);
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuDriverGetVersion(int *out_version)
{
    if (!out_version)
        return YK_CUDA_ERROR_INVALID_VALUE;
    *out_version = DRIVER_VERSION;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuGetErrorName(yk_CUresult error, const char **out_name)
{
    if (!out_name)
        return YK_CUDA_ERROR_INVALID_VALUE;
    *out_name = NULL;
    switch (error) {
#define NAME(name, value)  \
    case value:            \
        *out_name = #name; \
        break;
        YK_CUDA_RESULTS(NAME)
        NAME(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217)
        NAME(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705)
        NAME(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713)
        NAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720)
#undef NAME
    }
    return *out_name ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_INVALID_VALUE;
}
