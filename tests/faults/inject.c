/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that stand before the C library's. Whose call it is, the return address tells; so a library that is linked into the
 * program, a sanitizer or valgrind, which bring a malloc of their own, leave nothing to do here.
 */
#include "inject.h"

#include <errno.h>
#include <stdio.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(SANITIZED) || !defined(__GLIBC__)

const char *inject_into(const char *library)
{
    (void)library;
    return inject_impossible();
}

const char *inject_impossible(void)
{
#ifdef SANITIZED
    return "a sanitizer has a malloc of its own";
#else
    return "this C library does not let its malloc be called by another name";
#endif
}

void inject_arm(unsigned nth)
{
    (void)nth;
}

void inject_disarm(void)
{
}

void inject_threads_left(unsigned count)
{
    (void)count;
}

unsigned inject_seen(void)
{
    return 0;
}

bool inject_happened(void)
{
    return false;
}

void inject_describe(char *text, size_t size)
{
    snprintf(text, size, "nothing");
}

#else

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/* Shared with forked children: the library asks drivers in one. */
typedef struct orders {
    atomic_bool armed;
    atomic_uint nth, seen;
    _Atomic(const char *) failed; /* the function's name */
    atomic_uintptr_t site;
} orders;

static orders *shared;
static uintptr_t library_start, library_end;
static atomic_bool used; /* malloc here is what a call of malloc calls */

/* ---- Whose call it is ---- */

static int find_library(struct dl_phdr_info *info, size_t size, void *name)
{
    const char *file = strrchr(info->dlpi_name, '/');
    size_t length = strlen(name);
    (void)size;
    if (!file || strncmp(file + 1, name, length) != 0 || strncmp(file + 1 + length, ".so", 3) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            library_start = info->dlpi_addr;
            library_end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

static const char *library_name = "libyoke";

const char *inject_impossible(void)
{
    return shared ? NULL : inject_into("libyoke");
}

const char *inject_into(const char *library)
{
    library_start = library_end = 0;
    library_name = library;
    dl_iterate_phdr(find_library, (void *)(uintptr_t)library);
    if (!library_end)
        return "the library is part of the program, so that its calls cannot be distinguished from others";
    if (shared)
        return NULL;
    void *(*volatile plain)(size_t) = malloc;
    free(plain(1));
    if (!atomic_load(&used))
        return "something has replaced malloc, as valgrind does";
    void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return "no shared memory";
    shared = memory;
    return NULL;
}

/* Whether this call is the one that fails. */
static bool fails(const char *function, void *caller)
{
    uintptr_t site = (uintptr_t)caller;

    if (site < library_start || site >= library_end || !atomic_load(&shared->armed))
        return false;
    if (atomic_fetch_add(&shared->seen, 1) + 1 != atomic_load(&shared->nth))
        return false;
    atomic_store(&shared->site, site - library_start);
    atomic_store(&shared->failed, function);
    return true;
}

#define FAILS(function) fails(function, __builtin_return_address(0))

/* Compilers hide every symbol that is not marked. */
#define SEEN __attribute__((visibility("default")))

/* ---- Orders ---- */

void inject_arm(unsigned nth)
{
    atomic_store(&shared->nth, nth);
    atomic_store(&shared->seen, 0);
    atomic_store(&shared->failed, NULL);
    atomic_store(&shared->armed, true);
}

void inject_disarm(void)
{
    atomic_store(&shared->armed, false);
}

unsigned inject_seen(void)
{
    return atomic_load(&shared->seen);
}

bool inject_happened(void)
{
    return atomic_load(&shared->failed) != NULL;
}

void inject_describe(char *text, size_t size)
{
    const char *failed = atomic_load(&shared->failed);

    if (failed)
        snprintf(text, size, "%s at %s.so+0x%zx", failed, library_name, (size_t)atomic_load(&shared->site));
    else
        snprintf(text, size, "nothing");
}

/* ---- Memory: glibc has its own functions by these names too, to be called from here ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void *out_of_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

SEEN void *malloc(size_t size)
{
    if (!atomic_load_explicit(&used, memory_order_relaxed))
        atomic_store(&used, true);
    return FAILS("malloc") ? out_of_memory() : __libc_malloc(size);
}

SEEN void *calloc(size_t count, size_t size)
{
    return FAILS("calloc") ? out_of_memory() : __libc_calloc(count, size);
}

SEEN void *realloc(void *memory, size_t size)
{
    return FAILS("realloc") ? out_of_memory() : __libc_realloc(memory, size);
}

SEEN void *aligned_alloc(size_t alignment, size_t size)
{
    return FAILS("aligned_alloc") ? out_of_memory() : __libc_memalign(alignment, size);
}

SEEN int posix_memalign(void **out_memory, size_t alignment, size_t size)
{
    void *memory;

    if (alignment % sizeof(void *) || alignment & (alignment - 1) || alignment == 0)
        return EINVAL;
    if (FAILS("posix_memalign") || !(memory = __libc_memalign(alignment, size)))
        return ENOMEM;
    *out_memory = memory;
    return 0;
}

/* ---- Threads, processes, descriptors. A function pointer comes out of dlsym as POSIX has it. ---- */

#define REAL(pointer, name) (*(void **)&(pointer) = dlsym(RTLD_NEXT, name))

static atomic_uint threads_left = UINT_MAX;

void inject_threads_left(unsigned count)
{
    atomic_store(&threads_left, count);
}

/* Whether the caller is the library, and may start no thread any more; counts one that it may. */
static bool refuses_thread(void *caller)
{
    uintptr_t site = (uintptr_t)caller;
    unsigned left = atomic_load(&threads_left);

    if (site < library_start || site >= library_end)
        return false;
    while (left > 0 && left < UINT_MAX && !atomic_compare_exchange_weak(&threads_left, &left, left - 1))
        continue;
    return left == 0;
}

SEEN int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (refuses_thread(__builtin_return_address(0)) || FAILS("pthread_create") || !REAL(real, "pthread_create"))
        return EAGAIN;
    return real(thread, attributes, run, argument);
}

SEEN pid_t fork(void)
{
    pid_t (*real)(void);

    if (FAILS("fork") || !REAL(real, "fork")) {
        errno = EAGAIN;
        return -1;
    }
    return real();
}

SEEN int pipe2(int ends[2], int flags)
{
    int (*real)(int *, int);

    if (FAILS("pipe2") || !REAL(real, "pipe2")) {
        errno = EMFILE;
        return -1;
    }
    return real(ends, flags);
}

SEEN int eventfd(unsigned count, int flags)
{
    int (*real)(unsigned, int);

    if (FAILS("eventfd") || !REAL(real, "eventfd")) {
        errno = EMFILE;
        return -1;
    }
    return real(count, flags);
}

#endif
