/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of Windows: an open folder is its path and a handle, which keeps others from renaming or removing it meanwhile. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/system/file.h"
#include "base/system/windows/wide.h"

struct yk_folder {
    HANDLE handle;
    char path[]; /* absolute, without links */
};

/* folder/name, to be freed; NULL: out of memory. */
static char *join(const yk_folder *folder, const char *name)
{
    size_t size = strlen(folder->path) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder->path, name);
    else
        errno = ENOMEM;
    return path;
}

static wchar_t *join_wide(const yk_folder *folder, const char *name)
{
    char *path = join(folder, name);
    wchar_t *wide = path ? yk_wide(path) : NULL;
    free(path);
    return wide;
}

/* The handle of a folder; a link is opened as itself. */
static HANDLE open_handle(const char *path, bool follow)
{
    BY_HANDLE_FILE_INFORMATION about;
    const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
    wchar_t *wide = yk_wide(path);
    HANDLE handle = wide ? CreateFileW(wide, FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                                       OPEN_EXISTING, flags, NULL)
                         : INVALID_HANDLE_VALUE;
    if (wide && handle == INVALID_HANDLE_VALUE)
        (void)yk_windows_fail();
    free(wide);
    if (handle == INVALID_HANDLE_VALUE)
        return handle;
    bool known = GetFileInformationByHandle(handle, &about);
    bool link = known && !follow && about.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT;
    if (known && !link && about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
        return handle;
    CloseHandle(handle);
    errno = link ? ELOOP : ENOTDIR;
    return INVALID_HANDLE_VALUE;
}

yk_folder *yk_folder_open(const char *path, bool follow)
{
    HANDLE handle = open_handle(path, follow);
    if (handle == INVALID_HANDLE_VALUE)
        return NULL;
    char *real = yk_path_real(path);
    yk_folder *folder = real ? malloc(sizeof *folder + strlen(real) + 1) : NULL;
    if (folder) {
        folder->handle = handle;
        memcpy(folder->path, real, strlen(real) + 1);
    } else {
        CloseHandle(handle);
        errno = ENOMEM;
    }
    free(real);
    return folder;
}

void yk_folder_close(yk_folder *folder)
{
    if (!folder)
        return;
    CloseHandle(folder->handle);
    free(folder);
}

void yk_folder_make(char *path)
{
    for (char *c = path + 1;; c++) {
        char end = *c;
        if (end != '/' && end != '\\' && end != '\0')
            continue;
        *c = '\0';
        wchar_t *wide = yk_wide(path);
        if (wide)
            (void)CreateDirectoryW(wide, NULL);
        free(wide);
        *c = end;
        if (end == '\0')
            return;
    }
}

/* The folder's list of rights says who may write; the default one, below LOCALAPPDATA, says the user and administrators. */
bool yk_folder_is_own(const yk_folder *folder, char *reason, size_t size)
{
    (void)folder;
    if (size > 0)
        reason[0] = '\0';
    return true;
}

int yk_folder_check_writable(const yk_folder *folder)
{
    char name[32];
    snprintf(name, sizeof name, "try-%lu", (unsigned long)GetCurrentProcessId());
    int file = yk_folder_open_file(folder, name, YK_FILE_NEW);
    if (file < 0)
        return errno == EEXIST ? 0 : errno;
    int error = yk_file_close(file);
    yk_folder_remove(folder, name);
    return error;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Append the name, and NULL behind it; false: out of memory. */
static bool append(char ***names, size_t *count, const wchar_t *name)
{
    char **grown = realloc(*names, (*count + 2) * sizeof *grown);
    if (!grown)
        return false;
    *names = grown;
    grown[*count] = yk_narrow(name, false);
    grown[*count + 1] = NULL;
    return grown[(*count)++];
}

char **yk_folder_list(const yk_folder *folder)
{
    WIN32_FIND_DATAW item;
    wchar_t *pattern = join_wide(folder, "*");
    HANDLE listing = pattern ? FindFirstFileW(pattern, &item) : INVALID_HANDLE_VALUE;
    char **names = calloc(1, sizeof *names);
    size_t count = 0;
    bool whole = listing != INVALID_HANDLE_VALUE && names;
    for (bool more = whole; more && whole; more = FindNextFileW(listing, &item))
        if (wcscmp(item.cFileName, L".") != 0 && wcscmp(item.cFileName, L"..") != 0)
            whole = append(&names, &count, item.cFileName);
    if (listing != INVALID_HANDLE_VALUE)
        FindClose(listing);
    free(pattern);
    if (!whole) {
        yk_folder_list_free(names);
        return NULL;
    }
    qsort(names, count, sizeof *names, compare_names);
    return names;
}

void yk_folder_list_free(char **names)
{
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}

int yk_folder_open_file(const yk_folder *folder, const char *name, yk_file_use use)
{
    char *path = join(folder, name);
    int file = path ? yk_file_open(path, use) : -1;
    int error = errno;
    free(path);
    errno = error;
    return file;
}

bool yk_folder_get_facts(const yk_folder *folder, const char *name, yk_file_facts *out_facts)
{
    int file = yk_folder_open_file(folder, name, YK_FILE_READ);
    if (file < 0)
        return false;
    bool known = yk_file_get_facts(file, out_facts);
    yk_file_close(file);
    return known;
}

int yk_folder_rename(const yk_folder *folder, const char *from, const char *to)
{
    wchar_t *old = join_wide(folder, from), *new = join_wide(folder, to);
    int error = !old || !new                                          ? ENOMEM
                : MoveFileExW(old, new, MOVEFILE_REPLACE_EXISTING) ? 0
                                                                      : yk_windows_errno(GetLastError());
    free(old);
    free(new);
    return error;
}

void yk_folder_remove(const yk_folder *folder, const char *name)
{
    wchar_t *path = join_wide(folder, name);
    if (path)
        (void)DeleteFileW(path);
    free(path);
}
