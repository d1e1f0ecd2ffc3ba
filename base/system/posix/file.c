/* SPDX-License-Identifier: Apache-2.0 */
/* Files of POSIX. */
#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/posix/facts.h"

void yk_facts_take(const struct stat *about, yk_file_facts *out_facts)
{
    *out_facts = (yk_file_facts){ .kind = S_ISREG(about->st_mode)   ? YK_FILE_REGULAR
                                          : S_ISDIR(about->st_mode) ? YK_FILE_FOLDER
                                                                    : YK_FILE_OTHER,
                                  .is_own = about->st_uid == geteuid(),
                                  .size = (uint64_t)about->st_size,
                                  .seconds = (int64_t)about->st_mtim.tv_sec,
                                  .nanoseconds = about->st_mtim.tv_nsec,
                                  .disk = (uint64_t)about->st_dev,
                                  .number = (uint64_t)about->st_ino };
}

int yk_file_open_at(int folder, const char *path, yk_file_use use)
{
    static const int flags[] = { [YK_FILE_READ] = O_RDONLY | O_NOFOLLOW,
                                 [YK_FILE_FOLLOW] = O_RDONLY,
                                 [YK_FILE_CHANGE] = O_RDWR | O_CREAT | O_NOFOLLOW,
                                 [YK_FILE_APPEND] = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW,
                                 [YK_FILE_NEW] = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW };
    _Static_assert(sizeof flags / sizeof flags[0] == YK_FILE_NEW + 1, "flags for each use");
    int file;
    do
        file = openat(folder, path, flags[use] | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, use == YK_FILE_NEW ? 0600 : 0666);
    while (file < 0 && errno == EINTR);
    return file;
}

int yk_file_open(const char *path, yk_file_use use)
{
    return yk_file_open_at(AT_FDCWD, path, use);
}

int yk_file_close(int file)
{
    return close(file) == 0 || errno == EINTR ? 0 : errno;
}

bool yk_file_get_facts(int file, yk_file_facts *out_facts)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return false;
    yk_facts_take(&about, out_facts);
    return true;
}

ptrdiff_t yk_file_read(int file, void *bytes, size_t size)
{
    size_t length = 0;
    while (length < size) {
        ssize_t got = read(file, (char *)bytes + length, size - length);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return -1;
        length += got > 0 ? (size_t)got : 0;
    }
    return (ptrdiff_t)length;
}

ptrdiff_t yk_file_read_at(int file, void *bytes, size_t size, uint64_t at)
{
    size_t length = 0;
    while (length < size) {
        ssize_t got = pread(file, (char *)bytes + length, size - length, (off_t)(at + length));
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return -1;
        length += got > 0 ? (size_t)got : 0;
    }
    return (ptrdiff_t)length;
}

int yk_file_write(int file, const void *bytes, size_t size)
{
    for (size_t length = 0; length < size;) {
        ssize_t written = write(file, (const char *)bytes + length, size - length);
        if (written == 0 || (written < 0 && errno != EINTR))
            return written == 0 ? ENOSPC : errno;
        length += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

bool yk_file_may_have(uint64_t size)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY || size <= most.rlim_cur;
}

int yk_file_write_at(int file, const void *bytes, size_t size, uint64_t at)
{
    if (!yk_file_may_have(at + size))
        return EFBIG;
    for (size_t length = 0; length < size;) {
        ssize_t written = pwrite(file, (const char *)bytes + length, size - length, (off_t)(at + length));
        if (written == 0 || (written < 0 && errno != EINTR))
            return written == 0 ? EIO : errno;
        length += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

int yk_file_cut(int file, uint64_t size)
{
    return ftruncate(file, (off_t)size) == 0 ? 0 : errno;
}

int yk_file_lock(int file)
{
    return flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

void yk_file_touch(int file)
{
    (void)futimens(file, NULL);
}

bool yk_path_is_absolute(const char *path)
{
    return path[0] == '/';
}

char *yk_path_real(const char *path)
{
    return realpath(path, NULL);
}

bool yk_path_is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

bool yk_path_get_facts(const char *path, yk_file_facts *out_facts)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return false;
    yk_facts_take(&about, out_facts);
    return true;
}
