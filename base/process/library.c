/* SPDX-License-Identifier: Apache-2.0 */
/* Binding the functions of a driver's library. All missing functions are reported at once. */
#include "base/process/library.h"

#include <string.h>

#include "base/system/loader.h"
#include "base/system/room.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void yk_library_lock(void)
{
    pthread_mutex_lock(&lock);
}

void yk_library_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void yk_library_each_loaded(int (*visit)(const char *path, void *user), void *user)
{
    yk_library_lock();
    yk_loader_each(visit, user);
    yk_library_unlock();
}

void yk_library_bind(void *library, void *table, const yk_symbol *symbols, size_t count, yk_text *missing)
{
    for (size_t i = 0; i < count; i++) {
        void *function = yk_loader_symbol(library, symbols[i].name);
        memcpy((char *)table + symbols[i].offset, &function, sizeof function);
        if (!function && symbols[i].required)
            yk_text_add(missing, "%s%s", missing->length ? ", " : "", symbols[i].name);
    }
}

/* Whether libraries can be opened; asked while this process does not fork. */
static bool loader_works(void)
{
    yk_library_lock();
    bool works = yk_loader_works();
    yk_library_unlock();
    return works;
}

void yk_library_take_locks(void)
{
    yk_library_lock();
    yk_loader_take_locks();
    yk_library_unlock();
}

yoke_status yk_library_open(const yk_library *library)
{
    yk_text missing = { 0 };
    yoke_status status = YOKE_OK;
    if (!loader_works())
        return yk_fail(YOKE_E_UNAVAILABLE,
                       "%s: a program linked with -static cannot open %s; link libc dynamically (libyoke.a may stay)",
                       library->absent, library->soname);
    /* Oclgrind and tracers are put before all others: a program that links the driver's library would call them, too. */
    void *handle = yk_loader_stand_in(library->symbols[0].name);
    if (!handle)
        handle = yk_loader_open(library->soname);
    if (!handle) {
        char reason[512];
        yk_string_copy(reason, sizeof reason, yk_loader_why()); /* the text is gone at the loader's next call */
        const char *lack = yk_room_lacks(YK_ROOM_OF_DRIVER);
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
