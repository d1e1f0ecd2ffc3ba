/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The notes on drivers that answered correctly: the libraries that were loaded, each with size, time and inode. An update of a
 * driver, of a library that it needs, or of the kernel (by its boot) therefore starts a child again.
 */
#include "device/trust.h"

#include <stdlib.h>

#include "backend_api.h"
#include "base/process/library.h"
#include "base/system/file.h"
#include "program/cache/program_cache.h"

/* ---- Lines: see backend_api.h ---- */

void yk_text_add_file(yk_text *text, const char *path)
{
    yk_file_facts file;
    if (!yk_path_get_facts(path, &file))
        yk_text_add(text, "%s\t-\n", path);
    else
        yk_text_add(text, "%s\t%lld %lld.%09ld %llu %llu\n", path, (long long)file.size, (long long)file.seconds, file.nanoseconds,
                    (unsigned long long)file.disk, (unsigned long long)file.number);
}

void yk_text_add_variable(yk_text *text, const char *name)
{
    const char *value = getenv(name);
    yk_text_add(text, "%s%s%s\n", name, value ? "=" : " is not set", value ? value : "");
}

/* The kernel is part of the drivers, and several machines may share a home folder. */
static void add_boot(yk_text *text)
{
    char id[64];
    int file = yk_file_open("/proc/sys/kernel/random/boot_id", YK_FILE_READ);
    ptrdiff_t length = file < 0 ? 0 : yk_file_read(file, id, sizeof id);
    if (file >= 0)
        yk_file_close(file);
    for (ptrdiff_t i = 0; i < length && id[i] != '\n'; i++)
        yk_text_add_bytes(text, &id[i], 1);
    yk_text_add_bytes(text, "\n", 1);
}

void yk_trust_add_loader(yk_text *key)
{
    yk_text_add_variable(key, "LD_LIBRARY_PATH");
    yk_text_add_variable(key, "LD_PRELOAD");
    yk_text_add_file(key, "/etc/ld.so.cache");
}

/* ---- Loaded libraries ---- */

typedef struct loaded {
    size_t count, first;
    yk_text *files; /* NULL: only count */
} loaded;

static int add_loaded(const char *path, void *user)
{
    loaded *all = user;
    if (all->files && all->count >= all->first && strchr(path, '/') && !strpbrk(path, "\t\n"))
        yk_text_add_file(all->files, path);
    all->count++;
    return 0;
}

size_t yk_trust_count_files(void)
{
    loaded all = { 0, 0, NULL };
    yk_library_each_loaded(add_loaded, &all);
    return all.count;
}

void yk_trust_list_files(size_t first, yk_text *files)
{
    loaded all = { 0, first, files };
    yk_library_each_loaded(add_loaded, &all);
}

/* ---- Notes ---- */

bool yk_trust_find(const yk_text *key)
{
    yk_text note = { 0 }, now = { 0 };
    if (!yk_cache_recall(key, &note))
        return false;
    add_boot(&now);
    char *line = note.data + strcspn(note.data, "\n");
    for (line += *line == '\n'; *line;) {
        size_t length = strcspn(line, "\n"), path = strcspn(line, "\t");
        size_t before = now.length;
        char end = line[path];
        line[path] = '\0';
        yk_text_add_file(&now, line);
        line[path] = end;
        if (path >= length || now.length == before)
            break; /* a foreign or incomplete note: the texts differ */
        line += length + (line[length] == '\n');
    }
    bool same = now.length == note.length && memcmp(now.data, note.data, now.length) == 0;
    yk_text_free(&note);
    yk_text_free(&now);
    return same;
}

void yk_trust_note(const yk_text *key, const yk_text *files)
{
    yk_text note = { 0 };
    add_boot(&note);
    yk_text_add_bytes(&note, yk_text_get(files), files->length);
    yk_cache_note(key, &note);
    yk_text_free(&note);
}

void yk_trust_forget(const yk_text *key)
{
    yk_cache_forget(key);
}
