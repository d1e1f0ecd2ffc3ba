/* SPDX-License-Identifier: Apache-2.0 */
/* Shared libraries by dlopen. */
#include "base/system/loader.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

void *yk_loader_open(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void *yk_loader_find(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
}

const char *yk_loader_why(void)
{
    const char *said = dlerror();
    return said ? said : "the loader does not say why";
}

bool yk_loader_is_absent(const char *name, const char *why)
{
    size_t length = strlen(name);
    return strncmp(why, name, length) == 0 && strstr(why + length, "No such file");
}

void *yk_loader_symbol(void *library, const char *name)
{
    return dlsym(library, name);
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

void *yk_loader_stand_in(const char *symbol)
{
    Dl_info info;
    void *function = dlsym(RTLD_DEFAULT, symbol);

    if (!function || dladdr(function, &info) == 0 || !info.dli_fname || !is_preloaded(info.dli_fname))
        return NULL;
    return yk_loader_open(info.dli_fname);
}

char *yk_loader_path_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
}

typedef struct walk {
    int (*visit)(const char *path, void *user);
    void *user;
} walk;

static int visit_object(struct dl_phdr_info *info, size_t size, void *user)
{
    const walk *w = user;
    (void)size;
    return w->visit(info->dlpi_name ? info->dlpi_name : "", w->user);
}

void yk_loader_each(int (*visit)(const char *path, void *user), void *user)
{
    dl_iterate_phdr(visit_object, &(walk){ visit, user });
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

/* In a program linked with -static, glibc opens a library, which gets a second C library that nobody has initialized: OpenCL's
 * loader crashes in its first call. */
bool yk_loader_works(void)
{
    bool found = false;
    dl_iterate_phdr(find_interpreter, &found);
    return found;
}

void yk_loader_take_locks(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    if (program)
        dlclose(program);
    (void)yk_loader_works(); /* which walks */
}
