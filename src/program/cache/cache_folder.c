/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening the folder of the cache. Drivers load its content as code, so only the user may have write permission there. The folder
 * is opened once and checked through its descriptor: later changes of its path have no effect.
 */
#include "program/cache/cache_folder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system/environment.h"
#include "base/system/room.h"

enum { DEFAULT_MEBIBYTES = 256 };

/* Reduce the mode, for the reason of the format. */
YOKE_PRINTF(3, 4) static void give_up(yk_cache_folder *folder, int32_t mode, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(folder->reason, sizeof folder->reason, format, args);
    va_end(args);
    folder->mode = mode;
}

/* NULL when the variable is unset or empty, or the program runs with other rights than its user's. */
static const char *variable(const char *name)
{
    const char *value = yk_environment(name);
    return value && *value ? value : NULL;
}

static void read_mode(yk_cache_folder *folder)
{
    static const char *const names[] = { [YOKE_CACHE_OFF] = "off", [YOKE_CACHE_READ] = "read", [YOKE_CACHE_ON] = "on" };
    _Static_assert(YK_COUNT_OF(names) == YOKE_CACHE_ON + 1, "a name for each mode");
    const char *order = variable("YOKE_CACHE");
    folder->mode = YOKE_CACHE_ON;
    if (!order)
        return;
    for (size_t i = 0; i < YK_COUNT_OF(names); i++)
        if (strcmp(order, names[i]) == 0) {
            folder->mode = (int32_t)i;
            folder->is_ordered = true;
            return;
        }
    give_up(folder, YOKE_CACHE_OFF, "YOKE_CACHE is '%.40s'; it must be off, read or on", order);
}

static void read_limit(yk_cache_folder *folder)
{
    const char *order = variable("YOKE_CACHE_SIZE");
    folder->limit = (uint64_t)DEFAULT_MEBIBYTES << 20;
    if (!order)
        return;
    char *end;
    errno = 0;
    unsigned long long mebibytes = strtoull(order, &end, 10);
    if (errno || *end || order[0] < '0' || order[0] > '9' || mebibytes > UINT64_MAX >> 20)
        give_up(folder, YOKE_CACHE_OFF, "YOKE_CACHE_SIZE is '%.40s'; it must be a number of MiB", order);
    else
        folder->limit = (uint64_t)mebibytes << 20;
}

/* The folder's path, without trailing slashes: a link with a trailing slash would be followed. */
static void find_path(yk_cache_folder *folder, yk_text *path)
{
    const char *order = variable("YOKE_CACHE_DIR"), *rest, *base = yk_user_cache_folder(&rest);
    if (order && !yk_path_is_absolute(order))
        give_up(folder, YOKE_CACHE_OFF, "YOKE_CACHE_DIR is '%.100s'; it must be an absolute path", order);
    else if (order)
        yk_text_add(path, "%s", order);
    else if (base)
        yk_text_add(path, "%s%s", base, rest);
    else
        give_up(folder, YOKE_CACHE_OFF, "it has no folder: set YOKE_CACHE_DIR or %s to an absolute path", rest);
    while (path->length > 1 && path->data[path->length - 1] == '/')
        yk_text_cut(path, path->length - 1);
    yk_string_copy(folder->path, sizeof folder->path, yk_text_get(path));
}

/* Check the opened folder; on a problem, disable the cache or make it read-only. */
static void check(yk_cache_folder *folder)
{
    char reason[sizeof folder->reason];
    int error = folder->mode == YOKE_CACHE_ON ? yk_folder_check_writable(folder->folder) : 0;
    if (!yk_folder_is_own(folder->folder, reason, sizeof reason))
        give_up(folder, YOKE_CACHE_OFF, "%s", reason);
    else if (error)
        give_up(folder, YOKE_CACHE_READ, "the folder cannot be written to: %s", strerror(error));
}

static void open_folder(yk_cache_folder *folder, char *path)
{
    folder->folder = yk_folder_open(path, false);
    if (!folder->folder && errno == ENOENT && folder->mode == YOKE_CACHE_ON) {
        yk_folder_make(path);
        folder->folder = yk_folder_open(path, false);
    }
    int error = errno;
    if (folder->folder)
        check(folder);
    else if (error == ELOOP)
        give_up(folder, YOKE_CACHE_OFF, "the folder is a link; set YOKE_CACHE_DIR to the link's target");
    else
        give_up(folder, YOKE_CACHE_OFF, "the folder cannot be opened%s: %s", error == ENOENT ? " or created" : "", strerror(error));
    folder->try_again = !folder->folder && yk_room_is_lack(error);
    if (folder->mode == YOKE_CACHE_OFF) {
        yk_folder_close(folder->folder);
        folder->folder = NULL;
    }
}

void yk_cache_folder_open(yk_cache_folder *folder)
{
    yk_text path = { 0 };
    memset(folder, 0, sizeof *folder);
    read_mode(folder);
    if (folder->mode != YOKE_CACHE_OFF)
        read_limit(folder);
    if (folder->mode != YOKE_CACHE_OFF && yk_environment_is_foreign())
        give_up(folder, YOKE_CACHE_OFF, "this program runs with rights that its user does not have");
    if (folder->mode != YOKE_CACHE_OFF)
        find_path(folder, &path);
    if (folder->mode != YOKE_CACHE_OFF && path.data)
        open_folder(folder, path.data);
    else if (folder->mode != YOKE_CACHE_OFF)
        give_up(folder, YOKE_CACHE_OFF, "out of host memory: the folder's path");
    yk_text_free(&path);
}
