/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and processes of Windows, over winpthreads. */
#include "base/system/thread.h"

#include <pthread.h>
#include <time.h>
#include <windows.h>

static DWORD first_thread;

/* A library is loaded by the program's first thread, as good as always. It stays in memory, also when the plugin that brought it is
 * closed: its threads outlive their work. */
__attribute__((constructor)) static void arrive(void)
{
    HMODULE own;
    DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN;
    (void)GetModuleHandleExW(flags, (LPCWSTR)&first_thread, &own);
    first_thread = GetCurrentThreadId();
}

int yk_cond_init(pthread_cond_t *cond)
{
    return pthread_cond_init(cond, NULL);
}

/* The time is a length here, so that no clock can jump. */
void yk_cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t nanoseconds)
{
    const uint64_t most = UINT64_C(86400) * 1000000000u; /* a day: callers look and wait again */
    uint64_t length = nanoseconds < most ? nanoseconds : most;
    struct timespec wait = { .tv_sec = (time_t)(length / 1000000000u), .tv_nsec = (long)(length % 1000000000u) };
    pthread_cond_timedwait_relative_np(cond, lock, &wait);
}

int yk_thread_begin(void *(*fn)(void *argument), void *argument)
{
    pthread_t id;
    int error = pthread_create(&id, NULL, fn, argument);
    if (!error)
        pthread_detach(id);
    return error;
}

bool yk_thread_is_main(void)
{
    return GetCurrentThreadId() == first_thread;
}

int yk_timer_slack(int nanoseconds)
{
    return nanoseconds;
}

int yk_core_count(void)
{
    DWORD_PTR allowed = 0, all = 0;
    int count = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &allowed, &all))
        for (; allowed; allowed &= allowed - 1)
            count++;
    return count < 1 ? 1 : count;
}

long yk_process_id(void)
{
    return (long)GetCurrentProcessId();
}

int yk_fork_handlers(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare;
    (void)parent;
    (void)child;
    return 0;
}
