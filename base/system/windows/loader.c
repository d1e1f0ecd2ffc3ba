/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared libraries by LoadLibraryEx. A name is searched in the program's folder, in the system's, and in those that the program has
 * added with AddDllDirectory: never in the working folder or in PATH, where others may plant a file.
 */
#include "base/system/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <psapi.h>

#include "base/system/file.h"
#include "base/system/windows/wide.h"

static _Thread_local char why[512];

/* The system's number says it in every language. */
static void *fail(const char *name, DWORD error)
{
    if (error == ERROR_MOD_NOT_FOUND)
        snprintf(why, sizeof why, "%s: No such file, or one that it needs is missing (error %lu)", name, (unsigned long)error);
    else if (error == ERROR_BAD_EXE_FORMAT)
        snprintf(why, sizeof why, "%s: not a library for this kind of program (error %lu)", name, (unsigned long)error);
    else
        snprintf(why, sizeof why, "%s: cannot be loaded (error %lu)", name, (unsigned long)error);
    return NULL;
}

void *yk_loader_open(const char *name)
{
    bool absolute = yk_path_is_absolute(name);
    if (!absolute && strpbrk(name, "/\\:"))
        return fail(name, ERROR_MOD_NOT_FOUND); /* a path that depends on the working folder */
    wchar_t *wide = yk_wide(name);
    if (!wide)
        return fail(name, ERROR_NOT_ENOUGH_MEMORY);
    for (wchar_t *c = wide; *c; c++)
        if (*c == L'/')
            *c = L'\\'; /* which an absolute path has to have here */
    DWORD flags = LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | (absolute ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR : 0);
    HMODULE library = LoadLibraryExW(wide, NULL, flags);
    DWORD error = GetLastError();
    free(wide);
    return library ? (void *)library : fail(name, error);
}

void *yk_loader_find(const char *name)
{
    wchar_t *wide = yk_wide(name);
    HMODULE library = NULL;
    if (wide && !GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN, wide, &library))
        library = NULL;
    free(wide);
    return library ? (void *)library : fail(name, ERROR_MOD_NOT_FOUND);
}

const char *yk_loader_why(void)
{
    return why;
}

bool yk_loader_is_absent(const char *name, const char *reason)
{
    size_t length = strlen(name);
    return strncmp(reason, name, length) == 0 && strstr(reason + length, "No such file");
}

void *yk_loader_symbol(void *library, const char *name)
{
    FARPROC function = GetProcAddress((HMODULE)library, name);
    void *symbol;
    memcpy(&symbol, &function, sizeof symbol);
    return symbol;
}

void *yk_loader_stand_in(const char *symbol)
{
    (void)symbol;
    return NULL;
}

/* The path of a module, to be freed. */
static char *path_of(HMODULE module)
{
    for (DWORD size = 512; size <= 32768; size *= 2) {
        wchar_t *wide = malloc(size * sizeof *wide);
        DWORD length = wide ? GetModuleFileNameW(module, wide, size) : 0;
        char *path = length > 0 && length < size ? yk_narrow(wide, true) : NULL;
        free(wide);
        if (path || length == 0)
            return path;
    }
    return NULL;
}

char *yk_loader_path_of(const void *address)
{
    HMODULE module;
    DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    return GetModuleHandleExW(flags, (LPCWSTR)address, &module) ? path_of(module) : NULL;
}

void yk_loader_each(int (*visit)(const char *path, void *user), void *user)
{
    HMODULE modules[1024];
    DWORD size = 0;
    if (!EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &size))
        return;
    size_t count = size < sizeof modules ? size / sizeof modules[0] : sizeof modules / sizeof modules[0];
    int stop = 0;
    for (size_t i = 0; i < count && !stop; i++) {
        char *path = path_of(modules[i]);
        stop = path ? visit(path, user) : 0;
        free(path);
    }
}

bool yk_loader_works(void)
{
    return true;
}

void yk_loader_take_locks(void)
{
}
