/* SPDX-License-Identifier: Apache-2.0 */
/* Notes that libraries keep in the cache's folder: they are found, by later processes too, and none that is damaged. */
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "../tap/tap.h"
#include "sandbox.h"

static bool recalls(const char *key, const char *wanted)
{
    char bytes[64] = "";
    size_t size = 7;
    EXPECT(yoke_cache_recall(key, bytes, sizeof bytes - 1, &size) == YOKE_OK);
    return size == strlen(wanted) && memcmp(bytes, wanted, size) == 0;
}

/* The one note's file, which Yoke's own notes are not among. */
static const char *note_path(void)
{
    static char path[2048];
    EXPECT(sandbox_count(sandbox_path("cache"), ".note", path, sizeof path) == 1);
    return path;
}

static void notes(void)
{
    char two[2];
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    size_t size;
    EXPECT(recalls("library 1", ""));
    EXPECT(yoke_cache_note("library 1", "tiles", 5) == YOKE_OK && recalls("library 1", "tiles") && recalls("library 2", ""));
    EXPECT(yoke_cache_note("library 2", "other", 5) == YOKE_OK && recalls("library 1", "tiles") && recalls("library 2", "other"));
    EXPECT(yoke_cache_note("library 2", NULL, 0) == YOKE_OK && recalls("library 2", ""));
    EXPECT(yoke_cache_recall("library 1", two, 2, &size) == YOKE_OK && size == 5 && memcmp(two, "ti", 2) == 0);
    EXPECT(yoke_cache_recall("library 1", NULL, 0, &size) == YOKE_OK && size == 5);
    EXPECT(yoke_cache_get_info(&info) == YOKE_OK && info.hits + info.misses + info.stored + info.rejected == 0);
    EXPECT(yoke_cache_note(NULL, "", 0) == YOKE_E_INVALID_ARGUMENT && yoke_cache_note("key", NULL, 1) == YOKE_E_INVALID_ARGUMENT);
    EXPECT(yoke_cache_recall(NULL, two, 2, &size) == YOKE_E_INVALID_ARGUMENT);
    EXPECT(yoke_cache_recall("key", two, 2, NULL) == YOKE_E_INVALID_ARGUMENT);
    EXPECT(yoke_cache_recall("key", NULL, 2, &size) == YOKE_E_INVALID_ARGUMENT);
}

static unsigned told;

static void hear_damage(int level, const char *line, void *user)
{
    (void)level, (void)user;
    told += strstr(line, "is damaged") != NULL;
}

/* A note with any byte changed, or cut anywhere, is none. */
static void damaged_notes(void)
{
    size_t size;
    EXPECT(yoke_cache_note("library 1", "tiles", 5) == YOKE_OK);
    const char *path = note_path();
    char *bytes = sandbox_read(path, &size);
    yoke_log_set(YOKE_LOG_INFO, hear_damage, NULL);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x20;
        EXPECT(sandbox_write(path, bytes, size) && recalls("library 1", ""));
        bytes[i] ^= 0x20;
        EXPECT(sandbox_write(path, bytes, i) && recalls("library 1", ""));
    }
    EXPECT(told == 2 * size && yoke_error()->status == YOKE_OK);
    EXPECT(sandbox_write(path, bytes, size) && recalls("library 1", "tiles") && told == 2 * size);
    free(bytes);
}

static void notes_off(void)
{
    EXPECT(recalls("library 1", ""));
    EXPECT(yoke_cache_note("library 1", "tiles", 5) == YOKE_E_UNAVAILABLE);
    EXPECT(strstr(yoke_error()->text, "YOKE_CACHE is not \"on\"") != NULL);
    EXPECT(recalls("library 1", ""));
}

static void notes_read_only(void)
{
    EXPECT(recalls("library 1", "tiles"));
    EXPECT(yoke_cache_note("library 1", "other", 5) == YOKE_E_UNAVAILABLE && recalls("library 1", "tiles"));
}

int main(void)
{
    tap_start(6);
    sandbox_enter();
    sandbox_case("YOKE_CACHE=off: there are none", "YOKE_CACHE", "off", notes_off);
    sandbox_case("notes are kept by their keys, and removed", NULL, NULL, notes);
    sandbox_case("YOKE_CACHE=read: they are found, and none is kept", "YOKE_CACHE", "read", notes_read_only);
    sandbox_case("any damage", NULL, NULL, damaged_notes);
    sandbox_case("YOKE_CACHE=off: none is found", "YOKE_CACHE", "off", notes_off);
    sandbox_leave();
    return tap_done();
}
