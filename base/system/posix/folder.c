/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of POSIX: an open folder is a descriptor, so that later changes of its path have no effect. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/posix/facts.h"

struct yk_folder {
    int descriptor;
};

static int open_folder(int above, const char *path, bool follow)
{
    int descriptor;
    do
        descriptor = openat(above, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

yk_folder *yk_folder_open(const char *path, bool follow)
{
    struct stat about;
    yk_folder *folder = malloc(sizeof *folder);
    if (!folder)
        return NULL;
    folder->descriptor = open_folder(AT_FDCWD, path, follow);
    if (folder->descriptor >= 0)
        return folder;
    int error = errno;
    free(folder);
    errno = !follow && lstat(path, &about) == 0 && S_ISLNK(about.st_mode) ? ELOOP : error;
    return NULL;
}

void yk_folder_close(yk_folder *folder)
{
    if (!folder)
        return;
    close(folder->descriptor);
    free(folder);
}

void yk_folder_make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

bool yk_folder_is_own(const yk_folder *folder, char *reason, size_t size)
{
    struct stat about;
    reason[0] = '\0';
    if (fstat(folder->descriptor, &about))
        snprintf(reason, size, "the folder cannot be read: %s", strerror(errno));
    else if (about.st_uid != geteuid())
        snprintf(reason, size, "the folder belongs to user %lu, and this program runs as user %lu", (unsigned long)about.st_uid,
                 (unsigned long)geteuid());
    else if (about.st_mode & (S_IWGRP | S_IWOTH))
        snprintf(reason, size, "users other than the owner may write to the folder (its mode is %03o): chmod go-w",
                 (unsigned)about.st_mode & 0777);
    return !reason[0];
}

int yk_folder_check_writable(const yk_folder *folder)
{
    return faccessat(folder->descriptor, ".", W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Append a copy of the name, and NULL behind it; false: out of memory. */
static bool append(char ***names, size_t *count, const char *name)
{
    if ((*count & (*count + 1)) == 0) { /* full: the capacity is a power of two */
        char **grown = realloc(*names, (2 * *count + 2) * sizeof *grown);
        if (!grown)
            return false;
        *names = grown;
    }
    (*names)[*count] = strdup(name);
    if (!(*names)[*count])
        return false;
    (*names)[++*count] = NULL;
    return true;
}

/* A listing of its own: a descriptor has a single position, which threads would share. */
char **yk_folder_list(const yk_folder *folder)
{
    int own = open_folder(folder->descriptor, ".", false);
    DIR *listing = own < 0 ? NULL : fdopendir(own);
    char **names = calloc(2, sizeof *names);
    size_t count = 0;
    bool whole = listing && names;
    for (struct dirent *item; whole && (item = readdir(listing));)
        if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0)
            whole = append(&names, &count, item->d_name);
    if (listing)
        closedir(listing);
    else if (own >= 0)
        close(own);
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
    return yk_file_open_at(folder->descriptor, name, use);
}

bool yk_folder_get_facts(const yk_folder *folder, const char *name, yk_file_facts *out_facts)
{
    struct stat about;
    if (fstatat(folder->descriptor, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    yk_facts_take(&about, out_facts);
    return true;
}

int yk_folder_rename(const yk_folder *folder, const char *from, const char *to)
{
    return renameat(folder->descriptor, from, folder->descriptor, to) == 0 ? 0 : errno;
}

void yk_folder_remove(const yk_folder *folder, const char *name)
{
    unlinkat(folder->descriptor, name, 0);
}
