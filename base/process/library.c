/* SPDX-License-Identifier: Apache-2.0 */
/* Binding the functions of a driver's library. All missing functions are reported at once. */
#include "base/process/library.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void yk_library_lock(void)
{
    pthread_mutex_lock(&lock);
}

void yk_library_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void yk_library_each_loaded(int (*visit)(struct dl_phdr_info *info, size_t size, void *user), void *user)
{
    yk_library_lock();
    dl_iterate_phdr(visit, user);
    yk_library_unlock();
}

void yk_library_bind(void *library, void *table, const yk_symbol *symbols, size_t count, yk_text *missing)
{
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, symbols[i].name);
        memcpy((char *)table + symbols[i].offset, &function, sizeof function);
        if (!function && symbols[i].required)
            yk_text_add(missing, "%s%s", missing->length ? ", " : "", symbols[i].name);
    }
}

/* The first object is the program itself. */
static int find_interpreter(struct dl_phdr_info *program, size_t size, void *found)
{
    (void)size;
    for (int i = 0; i < program->dlpi_phnum; i++)
        if (program->dlpi_phdr[i].p_type == PT_INTERP)
            *(bool *)found = true;
    return 1;
}

/* Whether dlopen can be relied on. In a program linked with -static, glibc opens a library, which gets a second C library that
 * nobody has initialized: OpenCL's loader crashes in its first call. */
static bool is_dynamic_program(void)
{
    bool found = false;
    yk_library_each_loaded(find_interpreter, &found);
    return found;
}

void yk_library_take_locks(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    if (program)
        dlclose(program);
    (void)is_dynamic_program(); /* which walks */
}

/* Whether LD_PRELOAD names this file, by its path or, as the linker allows, by its name alone. */
static bool is_preloaded(const char *file)
{
    const char *names = secure_getenv("LD_PRELOAD"), *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    size_t length = strlen(name);

    for (const char *at = names; at && length > 0 && (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == '/' || at[-1] == ':' || at[-1] == ' ') &&
            (at[length] == '\0' || at[length] == ':' || at[length] == ' '))
            return true;
    return false;
}

/* What stands in for the driver's library because the user has put it before all others, as Oclgrind and tracers are: a program
 * that links the driver's library would call it, too. NULL: nothing does. */
static void *stand_in(const yk_library *library)
{
    Dl_info info;
    void *function = dlsym(RTLD_DEFAULT, library->symbols[0].name);

    if (!function || dladdr(function, &info) == 0 || !info.dli_fname || !is_preloaded(info.dli_fname))
        return NULL;
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_LOCAL);
}

yoke_status yk_library_open(const yk_library *library)
{
    yk_text missing = { 0 };
    yoke_status status = YOKE_OK;
    if (!is_dynamic_program())
        return yk_fail(YOKE_E_UNAVAILABLE,
                       "%s: a program linked with -static cannot open %s; link libc dynamically (libyoke.a may stay)",
                       library->absent, library->soname);
    void *handle = stand_in(library);
    if (!handle)
        handle = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        char reason[512];
        const char *said = dlerror(), *lack;
        yk_string_copy(reason, sizeof reason, said ? said : library->soname); /* the loader's text is gone at its next call */
        lack = yk_room_lacks();
        if (lack)
            return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "%s cannot be opened (%s): %s", library->soname, reason, lack);
        return yk_fail(YOKE_E_UNAVAILABLE, "%s: %s; %s", library->absent, reason, library->advice);
    }
    yk_library_bind(handle, library->table, library->symbols, library->count, &missing);
    if (missing.length)
        status = yk_fail(YOKE_E_UNAVAILABLE, "%s %s", library->incomplete, yk_text_get(&missing));
    yk_text_free(&missing);
    return status;
}
