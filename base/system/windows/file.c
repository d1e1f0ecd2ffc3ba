/* SPDX-License-Identifier: Apache-2.0 */
/* Files of Windows: descriptors of the C library around handles, opened so that another process may rename or remove the file. */
#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/system/windows/wide.h"

#define SHARED (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

static HANDLE handle_of(int file)
{
    return (HANDLE)_get_osfhandle(file);
}

static bool take_facts(HANDLE handle, yk_file_facts *out_facts)
{
    BY_HANDLE_FILE_INFORMATION about;
    if (!GetFileInformationByHandle(handle, &about)) {
        (void)yk_windows_fail();
        return false;
    }
    /* From 1601, in units of 100 ns. */
    uint64_t time = (uint64_t)about.ftLastWriteTime.dwHighDateTime << 32 | about.ftLastWriteTime.dwLowDateTime;
    bool plain = GetFileType(handle) == FILE_TYPE_DISK && !(about.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT);
    *out_facts = (yk_file_facts){ .kind = about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? YK_FILE_FOLDER
                                          : plain                                          ? YK_FILE_REGULAR
                                                                                           : YK_FILE_OTHER,
                                  .is_own = true, /* what the user may write is the user's, by the folder's list of rights */
                                  .size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow,
                                  .seconds = (int64_t)(time / 10000000u) - INT64_C(11644473600),
                                  .nanoseconds = (long)(time % 10000000u * 100),
                                  .disk = about.dwVolumeSerialNumber,
                                  .number = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow };
    return true;
}

/* A link is opened as itself, so that nobody can put one there between a look and the open; the caller sees it by its attribute. */
static HANDLE open_handle(const wchar_t *path, yk_file_use use)
{
    static const DWORD access[] = { [YK_FILE_READ] = GENERIC_READ,
                                    [YK_FILE_FOLLOW] = GENERIC_READ,
                                    [YK_FILE_CHANGE] = GENERIC_READ | GENERIC_WRITE,
                                    [YK_FILE_APPEND] = FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE,
                                    [YK_FILE_NEW] = GENERIC_WRITE };
    static const DWORD create[] = { [YK_FILE_READ] = OPEN_EXISTING,
                                    [YK_FILE_FOLLOW] = OPEN_EXISTING,
                                    [YK_FILE_CHANGE] = OPEN_ALWAYS,
                                    [YK_FILE_APPEND] = OPEN_ALWAYS,
                                    [YK_FILE_NEW] = CREATE_NEW };
    _Static_assert(sizeof access / sizeof access[0] == YK_FILE_NEW + 1, "rights for each use");
    _Static_assert(sizeof create / sizeof create[0] == YK_FILE_NEW + 1, "what to create for each use");
    DWORD flags = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS; /* the latter: folders, too */
    return CreateFileW(path, access[use], SHARED, NULL, create[use],
                       use == YK_FILE_FOLLOW ? flags : flags | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
}

static bool is_link(HANDLE handle)
{
    BY_HANDLE_FILE_INFORMATION about;
    return GetFileInformationByHandle(handle, &about) && about.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT;
}

int yk_file_open(const char *path, yk_file_use use)
{
    wchar_t *wide = yk_wide(path);
    HANDLE handle = wide ? open_handle(wide, use) : INVALID_HANDLE_VALUE;
    if (wide && handle == INVALID_HANDLE_VALUE)
        (void)yk_windows_fail();
    free(wide);
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    if (use != YK_FILE_FOLLOW && is_link(handle)) {
        CloseHandle(handle);
        errno = ELOOP;
        return -1;
    }
    int file = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT);
    if (file < 0)
        CloseHandle(handle);
    return file;
}

int yk_file_close(int file)
{
    return _close(file) == 0 ? 0 : errno;
}

bool yk_file_get_facts(int file, yk_file_facts *out_facts)
{
    return take_facts(handle_of(file), out_facts);
}

/* One piece, of at most 1 GiB; `at`: NULL for where the file stands. */
static bool transfer(int file, void *bytes, size_t size, const uint64_t *at, bool writes, DWORD *out_done)
{
    OVERLAPPED place = { 0 };
    DWORD piece = size < (1u << 30) ? (DWORD)size : 1u << 30;
    if (at) {
        place.Offset = (DWORD)*at;
        place.OffsetHigh = (DWORD)(*at >> 32);
    }
    *out_done = 0;
    return writes ? WriteFile(handle_of(file), bytes, piece, out_done, at ? &place : NULL)
                  : ReadFile(handle_of(file), bytes, piece, out_done, at ? &place : NULL);
}

static ptrdiff_t read_from(int file, void *bytes, size_t size, const uint64_t *at)
{
    size_t length = 0;
    while (length < size) {
        uint64_t place = at ? *at + length : 0;
        DWORD got;
        if (!transfer(file, (char *)bytes + length, size - length, at ? &place : NULL, false, &got) &&
            GetLastError() != ERROR_HANDLE_EOF)
            return yk_windows_fail();
        if (got == 0)
            break;
        length += got;
    }
    return (ptrdiff_t)length;
}

static int write_to(int file, const void *bytes, size_t size, const uint64_t *at)
{
    for (size_t length = 0; length < size;) {
        uint64_t place = at ? *at + length : 0;
        DWORD written;
        if (!transfer(file, (char *)bytes + length, size - length, at ? &place : NULL, true, &written))
            return yk_windows_errno(GetLastError());
        if (written == 0)
            return ENOSPC;
        length += written;
    }
    return 0;
}

ptrdiff_t yk_file_read(int file, void *bytes, size_t size)
{
    return read_from(file, bytes, size, NULL);
}

ptrdiff_t yk_file_read_at(int file, void *bytes, size_t size, uint64_t at)
{
    return read_from(file, bytes, size, &at);
}

int yk_file_write(int file, const void *bytes, size_t size)
{
    return write_to(file, bytes, size, NULL);
}

int yk_file_write_at(int file, const void *bytes, size_t size, uint64_t at)
{
    return write_to(file, bytes, size, &at);
}

int yk_file_cut(int file, uint64_t size)
{
    FILE_END_OF_FILE_INFO end = { .EndOfFile.QuadPart = (LONGLONG)size };
    return SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end) ? 0 : yk_windows_errno(GetLastError());
}

/* A byte far behind the end, since nobody else can read or write the bytes that are locked. */
int yk_file_lock(int file)
{
    OVERLAPPED place = { .OffsetHigh = 1u << 30 };
    return LockFileEx(handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place)
               ? 0
               : yk_windows_errno(GetLastError());
}

void yk_file_touch(int file)
{
    FILETIME now;
    HANDLE writable = ReOpenFile(handle_of(file), FILE_WRITE_ATTRIBUTES, SHARED, 0);
    if (writable == INVALID_HANDLE_VALUE)
        return;
    GetSystemTimeAsFileTime(&now);
    (void)SetFileTime(writable, NULL, NULL, &now);
    CloseHandle(writable);
}

bool yk_file_may_have(uint64_t size)
{
    (void)size;
    return true;
}

/* ---- Paths ---- */

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

bool yk_path_is_absolute(const char *path)
{
    bool drive = (path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z');
    return (drive && path[1] == ':' && is_slash(path[2])) || (is_slash(path[0]) && is_slash(path[1]));
}

static HANDLE open_to_look(const char *path)
{
    wchar_t *wide = yk_wide(path);
    if (!wide)
        return INVALID_HANDLE_VALUE;
    HANDLE handle = CreateFileW(wide, FILE_READ_ATTRIBUTES, SHARED, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        (void)yk_windows_fail();
    free(wide);
    return handle;
}

/* The system's longest form, "\\?\C:\folder" and "\\?\UNC\server\folder", is made the usual one. */
char *yk_path_real(const char *path)
{
    HANDLE handle = open_to_look(path);
    if (handle == INVALID_HANDLE_VALUE)
        return NULL;
    DWORD size = GetFinalPathNameByHandleW(handle, NULL, 0, 0);
    wchar_t *wide = size > 0 ? malloc((size + 1) * sizeof *wide) : NULL;
    char *real = NULL;
    if (wide && GetFinalPathNameByHandleW(handle, wide, size + 1, 0) > 0)
        real = yk_narrow(wide, true);
    else
        errno = wide || size == 0 ? EIO : ENOMEM;
    free(wide);
    CloseHandle(handle);
    if (real && strncmp(real, "//?/UNC/", 8) == 0)
        memmove(real + 1, real + 7, strlen(real + 7) + 1);
    else if (real && strncmp(real, "//?/", 4) == 0)
        memmove(real, real + 4, strlen(real + 4) + 1);
    return real;
}

bool yk_path_is_there(const char *path)
{
    HANDLE handle = open_to_look(path);
    if (handle != INVALID_HANDLE_VALUE)
        CloseHandle(handle);
    return handle != INVALID_HANDLE_VALUE;
}

bool yk_path_get_facts(const char *path, yk_file_facts *out_facts)
{
    HANDLE handle = open_to_look(path);
    if (handle == INVALID_HANDLE_VALUE)
        return false;
    bool known = take_facts(handle, out_facts);
    CloseHandle(handle);
    return known;
}
