/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and children for the tests of the cache. */
#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../tap/tap.h"

static char root[512];
static unsigned failures;

bool sandbox_expect(bool holds, const char *file, int line, const char *condition)
{
    if (!holds) {
        failures++;
        tap_diag("%s:%d: in the child: %s", file, line, condition);
    }
    return holds;
}

unsigned sandbox_failures(void)
{
    return failures;
}

void sandbox_enter(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/yoke-cache.XXXXXX", place && place[0] == '/' ? place : "/tmp");
    if (!mkdtemp(root))
        tap_bail("no temporary folder: %s", strerror(errno));
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

void sandbox_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void sandbox_leave(void)
{
    sandbox_remove(root);
    tap_ok(access(root, F_OK) != 0, "the temporary folder is gone");
}

const char *sandbox_path(const char *name)
{
    static char paths[4][1024];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s%s%s", root, *name ? "/" : "", name);
    return path;
}

bool sandbox_reap(pid_t child)
{
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void sandbox_case(const char *words, const char *name, const char *value, void (*fn)(void))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("YOKE_CACHE_DIR", sandbox_path("cache"), 1);
        unsetenv("YOKE_CACHE");
        unsetenv("YOKE_CACHE_SIZE");
        if (name && value)
            setenv(name, value, 1);
        else if (name)
            unsetenv(name);
        fn();
        exit(failures != 0);
    }
    tap_ok(sandbox_reap(child), "%s", words);
}

size_t sandbox_each(const char *folder, const char *part, void (*fn)(const char *path, void *user), void *user)
{
    size_t count = 0;
    DIR *listing = opendir(folder);
    for (struct dirent *item = listing ? readdir(listing) : NULL; item; item = readdir(listing)) {
        char path[2048];
        if (item->d_name[0] == '.' || !strstr(item->d_name, part))
            continue;
        count++;
        snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
        if (fn)
            fn(path, user);
    }
    if (listing)
        closedir(listing);
    return count;
}

typedef struct place {
    char *path;
    size_t size;
} place;

static void note_path(const char *path, void *user)
{
    place *last = user;
    if (last->path)
        snprintf(last->path, last->size, "%s", path);
}

size_t sandbox_count(const char *folder, const char *part, char *last, size_t size)
{
    return sandbox_each(folder, part, note_path, &(place){ last, size });
}

char *sandbox_read(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status))
        tap_bail("%s cannot be read: %s", path, strerror(errno));
    char *bytes = malloc((size_t)status.st_size + 1);
    if (!bytes || fread(bytes, 1, (size_t)status.st_size, file) != (size_t)status.st_size)
        tap_bail("%s cannot be read", path);
    fclose(file);
    *out_size = (size_t)status.st_size;
    return bytes;
}

bool sandbox_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(bytes, 1, size, file) == size;
    return file && fclose(file) == 0 && written;
}

bool sandbox_age(const char *path, long seconds)
{
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    return utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0;
}
