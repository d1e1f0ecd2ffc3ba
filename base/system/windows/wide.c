/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and errors between Windows and the rest. */
#include "base/system/windows/wide.h"

#include <errno.h>
#include <stdlib.h>
#include <windows.h>

wchar_t *yk_wide(const char *text)
{
    int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = count > 0 ? malloc((size_t)count * sizeof *wide) : NULL;
    if (wide)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, count);
    else
        errno = count > 0 ? ENOMEM : EINVAL;
    return wide;
}

char *yk_narrow(const wchar_t *text, int is_path)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = size > 0 ? malloc((size_t)size) : NULL;
    if (!narrow) {
        errno = ENOMEM;
        return NULL;
    }
    WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, size, NULL, NULL);
    for (char *c = narrow; is_path && *c; c++)
        if (*c == '\\')
            *c = '/';
    return narrow;
}

int yk_windows_errno(unsigned long error)
{
    switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
        return ENOENT;
    case ERROR_DIRECTORY:
        return ENOTDIR;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
        return EACCES;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        return EEXIST;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
        return ENOMEM;
    case ERROR_TOO_MANY_OPEN_FILES:
        return EMFILE;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_LOCK_VIOLATION:
        return EWOULDBLOCK;
    default:
        return EIO;
    }
}

int yk_windows_fail(void)
{
    errno = yk_windows_errno(GetLastError());
    return -1;
}
