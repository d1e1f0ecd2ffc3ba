/* SPDX-License-Identifier: Apache-2.0 */
/* The slow path of locks, in which a thread waits for another thread. */
#include "driver.h"

yoke_status yk_opencl_lock_create(yk_opencl_lock *lock)
{
    atomic_init(&lock->state, YK_FREE);
    if (pthread_mutex_init(&lock->mutex, NULL) != 0)
        return yk_no_memory("a lock");
    if (pthread_cond_init(&lock->freed, NULL) != 0) {
        pthread_mutex_destroy(&lock->mutex);
        return yk_no_memory("a lock");
    }
    return YOKE_OK;
}

void yk_opencl_lock_destroy(yk_opencl_lock *lock)
{
    pthread_cond_destroy(&lock->freed);
    pthread_mutex_destroy(&lock->mutex);
}

void yk_opencl_lock_wait(yk_opencl_lock *lock)
{
    YK_UNCANCELLED;
    pthread_mutex_lock(&lock->mutex);
    while (atomic_exchange_explicit(&lock->state, YK_AWAITED, memory_order_acquire) != YK_FREE)
        pthread_cond_wait(&lock->freed, &lock->mutex);
    pthread_mutex_unlock(&lock->mutex);
}

void yk_opencl_lock_wake(yk_opencl_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
    pthread_cond_signal(&lock->freed);
    pthread_mutex_unlock(&lock->mutex);
}
