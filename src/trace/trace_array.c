/* SPDX-License-Identifier: Apache-2.0 */
/* A trace's file: a JSON array that is complete after every entry, on a full disk too. Nothing here needs more than libc, since
 * `yoke trace` compiles it once more. */
#include "trace/trace_array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char array_end[] = "\n]\n";
enum { END_SIZE = sizeof array_end - 1 };

bool yk_trace_may_replace(int descriptor)
{
    char begin[64];
    ssize_t length = pread(descriptor, begin, sizeof begin - 1, 0);
    if (length <= 0)
        return length == 0;
    begin[length] = '\0';
    const char *at = begin + (begin[0] == '[');
    at += strspn(at, " \n");
    if (*at == '{')
        at += 1 + strspn(at + 1, " \n");
    return begin[0] == '[' && strncmp(at, "\"ph\"", 4) == 0;
}

/* Beyond the limit for a file's size the system would send a signal, which ends the program. */
static bool exceeds_limit(off_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && (uintmax_t)size > (uintmax_t)limit.rlim_cur;
}

static int write_at(int descriptor, const char *bytes, size_t size, off_t at)
{
    if (exceeds_limit(at + (off_t)size))
        return EFBIG;
    while (size > 0) {
        ssize_t written = pwrite(descriptor, bytes, size, at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        bytes += written;
        size -= (size_t)written;
        at += written;
    }
    return 0;
}

/* The end's place is the file's already, so that a full disk has room for it. */
static void restore(int descriptor, off_t end)
{
    if (end == 0 || write_at(descriptor, array_end, END_SIZE, end) == 0)
        (void)!ftruncate(descriptor, end == 0 ? 0 : end + END_SIZE);
}

int yk_trace_insert(int descriptor, off_t *end, const char *entries, size_t size)
{
    char *bytes = malloc(2 + size + END_SIZE); /* written at once, so that a program that is killed leaves a whole array */
    if (!bytes)
        return ENOMEM;
    bytes[0] = *end == 0 ? '[' : ',';
    bytes[1] = '\n';
    memcpy(bytes + 2, entries, size);
    memcpy(bytes + 2 + size, array_end, END_SIZE);
    int error = write_at(descriptor, bytes, 2 + size + END_SIZE, *end);
    free(bytes);
    if (error)
        restore(descriptor, *end);
    else
        *end += (off_t)(2 + size);
    return error;
}

off_t yk_trace_find_end(int descriptor)
{
    struct stat about;
    char last[END_SIZE];
    if (fstat(descriptor, &about) != 0 || about.st_size <= END_SIZE)
        return 0;
    off_t end = about.st_size - END_SIZE;
    bool is_array = pread(descriptor, last, END_SIZE, end) == END_SIZE && memcmp(last, array_end, END_SIZE) == 0;
    return is_array ? end : 0;
}
