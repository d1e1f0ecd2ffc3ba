/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache's entries: what is stored is found, by this process and others; what is damaged, forged or in the way is not, and the
 * oldest go. Which folder is taken is tests/unit/cache_folder.c's.
 */
#include "program/cache/program_cache.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../tap/tap.h"
#include "base/hash.h"
#include "sandbox.h"

/* ---- A disk with troubles: these stand before libc's ---- */

enum trouble { NONE, INTERRUPTED, SHORT, FULL_AT_ONCE, FULL_LATER, BROKEN };
static enum trouble trouble;
static unsigned calls;

/* libc's own. */
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_read)(int, void *, size_t);

static void find_real(const char *name, void *pointer)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(pointer, &found, sizeof found);
}

static void find_both(void)
{
    find_real("write", &real_write);
    find_real("read", &real_read);
}

/* Any thread may be the first to call. */
static void need_real(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_both);
}

/* What becomes of a call: -1 and errno, or how many bytes it may have. */
static ssize_t meet_trouble(size_t size)
{
    calls++;
    if (trouble == FULL_AT_ONCE || (trouble == FULL_LATER && calls > 2))
        errno = calls % 2 ? ENOSPC : EDQUOT;
    else if (trouble == BROKEN)
        errno = EIO;
    else if (trouble == INTERRUPTED && calls % 2)
        errno = EINTR;
    else
        return (ssize_t)(size > 100 ? 100 : size);
    return -1;
}

/* The declarations of both are unistd.h's. */
ssize_t write(int fd, const void *bytes, size_t size)
{
    need_real();
    if (trouble == NONE || fd <= STDERR_FILENO)
        return real_write(fd, bytes, size);
    ssize_t most = meet_trouble(size);
    return most < 0 ? most : real_write(fd, bytes, (size_t)most);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    need_real();
    if (trouble == NONE)
        return real_read(fd, bytes, size);
    ssize_t most = meet_trouble(size);
    return most < 0 ? most : real_read(fd, bytes, (size_t)most);
}

/* ---- Helpers ---- */

static yk_text text(const char *bytes, size_t length)
{
    yk_text made = { 0 };
    yk_text_add_bytes(&made, bytes, length);
    return made;
}

static void put(const char *key_bytes, const char *image_bytes)
{
    yk_text key = text(key_bytes, strlen(key_bytes)), image = text(image_bytes, strlen(image_bytes));
    yk_cache_store(&key, &image);
    yk_text_free(&key);
    yk_text_free(&image);
}

/* The key has this image; NULL: it has none. */
static bool has(const char *key_bytes, const char *image_bytes)
{
    yk_text key = text(key_bytes, strlen(key_bytes)), image = { 0 };
    bool found = yk_cache_find(&key, &image);
    bool right =
        found == !!image_bytes && (!found || (image.length == strlen(image_bytes) && strcmp(image.data, image_bytes) == 0));
    right = right && (found || !image.data);
    yk_text_free(&key);
    yk_text_free(&image);
    return right;
}

static bool counts(uint32_t hits, uint32_t misses, uint32_t stored, uint32_t rejected)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    EXPECT(yoke_cache_get_info(&info) == YOKE_OK);
    bool right = info.hits == hits && info.misses == misses && info.stored == stored && info.rejected == rejected;
    if (!right)
        tap_diag("hits %u, misses %u, stored %u, rejected %u", info.hits, info.misses, info.stored, info.rejected);
    return right;
}

static const char *folder_path(void)
{
    return sandbox_path("cache");
}

static size_t entries(void)
{
    return sandbox_count(folder_path(), ".yoke", NULL, 0);
}

/* The one entry's path. */
static const char *entry(void)
{
    static char path[2048];
    EXPECT(sandbox_count(folder_path(), ".yoke", path, sizeof path) == 1);
    return path;
}

/* Where the entry of this key is, or would be. */
static const char *path_of(const char *key)
{
    static char path[2048];
    unsigned char hash[YK_HASH_SIZE];
    yk_hash(key, strlen(key), 1, hash);
    int length = snprintf(path, sizeof path, "%s/", folder_path());
    for (size_t i = 0; i < sizeof hash; i++)
        length += snprintf(path + length, 3, "%02x", hash[i]);
    strcpy(path + length, ".yoke");
    return path;
}

/* ---- Cases ---- */

static void first(void)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    struct stat status;
    EXPECT(has("a key", NULL));
    put("a key", "an image");
    EXPECT(has("a key", "an image"));
    EXPECT(has("a kez", NULL) && has("a ke", NULL) && has("a key ", NULL) && has("", NULL));
    EXPECT(counts(1, 5, 1, 0));
    EXPECT(yoke_cache_get_info(&info) == YOKE_OK && info.mode == YOKE_CACHE_ON && info.limit == 256u << 20 && !*info.reason);
    EXPECT(strcmp(info.folder, folder_path()) == 0);
    EXPECT(stat(folder_path(), &status) == 0 && (status.st_mode & 07777) == 0700);
    EXPECT(stat(entry(), &status) == 0 && (status.st_mode & 07777) == 0600);
    put("a key", "another image");
    EXPECT(has("a key", "another image"));
    EXPECT(entries() == 1);
}

static void second(void)
{
    EXPECT(has("a key", "another image"));
    EXPECT(counts(1, 0, 0, 0));
    put("", "an image of nothing");
    put("no image", "");
    EXPECT(has("", "an image of nothing") && has("no image", ""));
    EXPECT(sandbox_count(folder_path(), "tmp-", NULL, 0) == 0);
}

static void large(void)
{
    enum { SIZE = 5 << 20 };
    char *bytes = malloc(SIZE);
    if (!EXPECT(bytes))
        return;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)(i * 2654435761u >> 13);
    yk_text key = text(bytes, SIZE), image = text(bytes + 1, SIZE - 1), found = { 0 };
    yk_cache_store(&key, &image);
    EXPECT(yk_cache_find(&key, &found) && found.length == SIZE - 1 && memcmp(found.data, bytes + 1, SIZE - 1) == 0);
    key.data[SIZE - 1] ^= 1;
    yk_text_free(&found);
    EXPECT(!yk_cache_find(&key, &found) && !found.data);
    yk_text_free(&key);
    yk_text_free(&image);
    free(bytes);
}

/* Each bit, each length, and a byte too much. */
static void damaged(void)
{
    uint32_t bad = 0;
    size_t size;
    put("key", "image");
    char path[2048];
    snprintf(path, sizeof path, "%s", entry());
    char *bytes = sandbox_read(path, &size);
    for (size_t i = 0; i <= 9 * size; i++) {
        size_t length = size;
        if (i < 8 * size)
            bytes[i / 8] ^= (char)(1 << i % 8);
        else
            length = i == 9 * size ? size + 1 : i - 8 * size;
        bytes[size] = 0;
        EXPECT(sandbox_write(path, bytes, length));
        bool missed = has("key", NULL);
        EXPECT(missed && access(path, F_OK) != 0);
        bad++;
        if (i < 8 * size)
            bytes[i / 8] ^= (char)(1 << i % 8);
    }
    EXPECT(counts(0, bad, 1, bad));
    EXPECT(sandbox_write(path, bytes, size) && has("key", "image"));
    free(bytes);
}

/* An entry under another's name is no entry, but no damage either; and what stands in the way of one is removed, if it can be. */
static void in_the_way(void)
{
    const char *path = path_of("other");
    size_t size;
    put("key", "image");
    char *bytes = sandbox_read(entry(), &size);
    EXPECT(sandbox_write(path, bytes, size));
    EXPECT(has("other", NULL) && access(path, F_OK) == 0 && counts(0, 1, 1, 0));
    put("other", "its own");
    EXPECT(has("other", "its own") && has("key", "image"));
    EXPECT(unlink(path) == 0 && symlink(entry(), path) == 0);
    EXPECT(has("other", NULL) && entries() == 1 && counts(2, 2, 2, 1));
    EXPECT(mkfifo(path, 0600) == 0);
    EXPECT(has("other", NULL) && entries() == 1 && counts(2, 3, 2, 2));
    EXPECT(mkdir(path, 0700) == 0);
    EXPECT(has("other", NULL));
    put("other", "its own");
    EXPECT(has("other", NULL) && rmdir(path) == 0);
    put("other", "its own");
    EXPECT(has("other", "its own") && sandbox_count(folder_path(), "tmp-", NULL, 0) == 0);
    free(bytes);
}

static void rejected(void)
{
    yk_text key = text("key", 3), image = { 0 };
    put("key", "image");
    EXPECT(yk_cache_find(&key, &image));
    yk_cache_reject(&key);
    EXPECT(counts(0, 1, 1, 1) && entries() == 0 && has("key", NULL));
    put("key", "better");
    EXPECT(has("key", "better"));
    yk_text_free(&key);
    yk_text_free(&image);
}

static bool takes(const char *key_bytes, bool is_costly)
{
    yk_text key = text(key_bytes, strlen(key_bytes));
    bool taken = yk_cache_takes(&key, is_costly);
    yk_text_free(&key);
    return taken;
}

/* The misses are counted for each key by itself, and what could not be stored is taken again. */
static void costly(void)
{
    for (int i = 1; i < 8; i++)
        EXPECT(!takes("costly", true));
    EXPECT(!takes("other", true) && takes("costly", false));
    EXPECT(takes("costly", true) && takes("costly", true));
    EXPECT(entries() == 0 && counts(0, 0, 0, 0));
}

/* However many programs are missed, one note holds the count of the last 1,024. */
static void costly_forgotten(void)
{
    char other[16];
    EXPECT(!takes("remembered", true));
    for (int i = 0; i < 1023; i++) {
        snprintf(other, sizeof other, "%d", i);
        EXPECT(!takes(other, true));
    }
    for (int i = 2; i < 8; i++)
        EXPECT(!takes("remembered", true));
    EXPECT(takes("remembered", true));
    for (int i = 1023; i < 1023 + 1024; i++) {
        snprintf(other, sizeof other, "%d", i);
        EXPECT(!takes(other, true));
    }
    EXPECT(!takes("remembered", true));
}

static void costly_ordered(void)
{
    EXPECT(takes("costly", true) && takes("costly", true));
}

static void costly_not_kept(void)
{
    for (int i = 0; i < 9; i++)
        EXPECT(!takes("costly", true) && !takes("costly", false));
}

static void only_read(void)
{
    struct stat before, after;
    size_t size;
    EXPECT(sandbox_age(entry(), 7200) && stat(entry(), &before) == 0);
    EXPECT(has("key", "better"));
    EXPECT(stat(entry(), &after) == 0 && before.st_mtim.tv_sec == after.st_mtim.tv_sec);
    put("new", "image");
    EXPECT(entries() == 1);
    char *bytes = sandbox_read(entry(), &size);
    bytes[0] ^= 1;
    EXPECT(sandbox_write(entry(), bytes, size) && has("key", NULL) && entries() == 1);
    EXPECT(counts(1, 1, 0, 1));
    yk_text key = text("key", 3);
    yk_cache_reject(&key);
    EXPECT(entries() == 1);
    yk_text_free(&key);
    free(bytes);
}

static void switched_off(void)
{
    put("new", "image");
    EXPECT(!yk_cache_is_on() && has("new", NULL) && has("key", NULL) && counts(0, 0, 0, 0) && entries() == 1);
}

/* ---- Eviction: with room for 1 MiB ---- */

enum { PART = 200 << 10 };

static void put_part(char name)
{
    static char bytes[PART + 1];
    memset(bytes, name, PART);
    put((char[]){ name, '\0' }, bytes);
}

static bool has_part(char name)
{
    yk_text key = text(&name, 1), image = { 0 };
    bool found = yk_cache_find(&key, &image);
    EXPECT(!found || (image.length == PART && image.data[0] == name && image.data[PART - 1] == name));
    yk_text_free(&key);
    yk_text_free(&image);
    return found;
}

static void oldest_go(void)
{
    for (char name = 'a'; name <= 'e'; name++)
        put_part(name);
    EXPECT(entries() == 5 && counts(0, 0, 5, 0));
    for (char name = 'a'; name <= 'e'; name++) /* the last is the oldest */
        EXPECT(sandbox_age(path_of((char[]){ name, '\0' }), 10000 * (name - 'a' + 1)));
    EXPECT(has_part('e')); /* which makes it young */
    struct stat before, after;
    EXPECT(sandbox_age(path_of("b"), 3000) && stat(path_of("b"), &before) == 0);
    EXPECT(has_part('b') && stat(path_of("b"), &after) == 0 && after.st_mtim.tv_sec == before.st_mtim.tv_sec); /* young enough */
    put_part('f');
    EXPECT(entries() == 5 && !has_part('d') && has_part('a') && has_part('b') && has_part('c') && has_part('e') && has_part('f'));
}

static void too_large(void)
{
    enum { SIZE = 1 << 20 };
    char *bytes = malloc(SIZE + 1);
    if (!EXPECT(bytes))
        return;
    memset(bytes, 'x', SIZE);
    bytes[SIZE] = '\0';
    size_t before = entries();
    put("large", bytes);
    EXPECT(entries() == before && before > 0 && has("large", NULL) && counts(0, 1, 0, 0));
    free(bytes);
}

static void others_stay(void)
{
    static const char *const mine[] = { "notes.txt",
                                        "0123.yoke",
                                        "tmp-12.yoke",
                                        "tmp-1-2.txt",
                                        "tmp-x-1.yoke",
                                        "tmp--.yoke",
                                        "0123456789abcdef0123456789abcdeF.yoke",
                                        "0123456789abcdef0123456789abcdef.yoke2" };
    static char bytes[PART];
    char path[2048];
    for (size_t i = 0; i < YK_COUNT_OF(mine); i++) {
        snprintf(path, sizeof path, "%s/%s", folder_path(), mine[i]);
        EXPECT(sandbox_write(path, bytes, sizeof bytes) && sandbox_age(path, 1000000));
    }
    EXPECT(symlink("/etc/passwd", path_of("link")) == 0 && mkdir(path_of("folder"), 0700) == 0);
    char old[2048], young[2048];
    snprintf(old, sizeof old, "%s/tmp-%d-0.yoke", folder_path(), 99999999);
    snprintf(young, sizeof young, "%s/tmp-%d-1.yoke", folder_path(), 99999999);
    EXPECT(sandbox_write(old, bytes, sizeof bytes) && sandbox_age(old, 3700));
    EXPECT(sandbox_write(young, bytes, sizeof bytes) && sandbox_age(young, 3500));
    for (char name = 'g'; name <= 'm'; name++)
        put_part(name);
    EXPECT(access(old, F_OK) != 0 && access(young, F_OK) == 0);
    for (size_t i = 0; i < YK_COUNT_OF(mine); i++) {
        snprintf(path, sizeof path, "%s/%s", folder_path(), mine[i]);
        EXPECT(access(path, F_OK) == 0);
    }
    EXPECT(access(path_of("link"), F_OK) == 0 && access(path_of("folder"), F_OK) == 0);
    EXPECT(access(path_of("a"), F_OK) != 0 && has_part('m'));
}

/* ---- Troubles ---- */

static unsigned warnings;

static void note_warning(int level, const char *line, void *user)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    (void)line, (void)user;
    warnings += level == YOKE_LOG_WARNING;
    EXPECT(yoke_cache_get_info(&info) == YOKE_OK); /* which it may call */
}

static void troubles(void)
{
    static char bytes[1001];
    memset(bytes, 'x', sizeof bytes - 1);
    yoke_log_set(YOKE_LOG_WARNING, note_warning, NULL);
    static const enum trouble some[] = { INTERRUPTED, SHORT };
    for (size_t i = 0; i < YK_COUNT_OF(some); i++) {
        trouble = some[i];
        put(i ? "short" : "interrupted", bytes);
        EXPECT(calls > 2 && has(i ? "short" : "interrupted", bytes) && warnings == 0);
        trouble = NONE;
        calls = 0;
    }
    static const enum trouble full[] = { FULL_AT_ONCE, FULL_LATER };
    for (size_t i = 0; i < YK_COUNT_OF(full); i++) {
        trouble = full[i];
        put("full", bytes);
        trouble = NONE;
        EXPECT(calls > 0 && has("full", NULL) && warnings == i + 1 && entries() == 2);
        calls = 0;
    }
    trouble = BROKEN; /* which the entry has not deserved */
    EXPECT(has("short", NULL));
    trouble = NONE;
    EXPECT(has("short", bytes) && entries() == 2);
    struct rlimit most = { 500, RLIM_INFINITY };
    EXPECT(setrlimit(RLIMIT_FSIZE, &most) == 0);
    put("full", bytes); /* and SIGXFSZ does not end us */
    most.rlim_cur = RLIM_INFINITY;
    EXPECT(setrlimit(RLIMIT_FSIZE, &most) == 0);
    EXPECT(has("full", NULL) && entries() == 2 && counts(3, 4, 2, 0));
    EXPECT(yoke_error()->status == YOKE_OK);
}

/* The folder is removed, and made anew: nothing is found or stored, since it is another one. */
static void folder_goes(void)
{
    put("key", "image");
    sandbox_remove(folder_path());
    EXPECT(has("key", NULL));
    put("key", "image");
    EXPECT(has("key", NULL) && access(folder_path(), F_OK) != 0 && yk_cache_is_on());
}

static void forked(void)
{
    put("key", "image");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        EXPECT(has("key", "image"));
        put("child's", "image");
        exit(!has("child's", "image"));
    }
    EXPECT(sandbox_reap(child) && has("child's", "image"));
}

/* ---- Threads ---- */

static void *work(void *argument)
{
    char key[16], image[16], other[16];
    size_t number = (size_t)argument;
    for (int i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "key %d", i % 5);
        snprintf(image, sizeof image, "image %d", i % 5);
        snprintf(other, sizeof other, "own %zu", number);
        put(i % 7 ? key : other, i % 7 ? image : other);
        EXPECT(has(i % 7 ? key : other, i % 7 ? image : other));
    }
    return NULL;
}

static void threads(void)
{
    pthread_t ids[8];
    for (size_t i = 0; i < YK_COUNT_OF(ids); i++)
        EXPECT(pthread_create(&ids[i], NULL, work, (void *)i) == 0);
    for (size_t i = 0; i < YK_COUNT_OF(ids); i++)
        EXPECT(pthread_join(ids[i], NULL) == 0);
    EXPECT(counts(1600, 0, 1600, 0) && entries() == 13);
}

/* How long a hit takes: a small entry has to cost well under 0.1 ms. Told, and not judged: this machine may be busy. */
static void speed(void)
{
    yk_text key = { 0 }, image = { 0 }, found = { 0 };
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        yk_text_add(&key, "a line of source %d\n", i);
        yk_text_add(&image, "some code %d\n", i);
    }
    yk_cache_store(&key, &image);
    for (int i = 0; i < 100; i++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        EXPECT(yk_cache_find(&key, &found));
        clock_gettime(CLOCK_MONOTONIC, &end);
        uint64_t took = (uint64_t)(end.tv_sec - start.tv_sec) * 1000000000u + (uint64_t)end.tv_nsec - (uint64_t)start.tv_nsec;
        best = took < best ? took : best;
        yk_text_free(&found);
    }
    tap_diag("an entry of %zu bytes is found in %.1f us", key.length + image.length, (double)best / 1e3);
    yk_text_free(&key);
    yk_text_free(&image);
}

static void fresh(void)
{
    sandbox_remove(folder_path());
}

int main(void)
{
    tap_start(60);
    sandbox_enter();
    sandbox_case("what is stored is found, and nothing else is", NULL, NULL, first);
    sandbox_case("by another process too; keys and images may be empty", NULL, NULL, second);
    sandbox_case("large ones", NULL, NULL, large);
    fresh();
    sandbox_case("damaged entries are misses, and removed", NULL, NULL, damaged);
    fresh();
    sandbox_case("what has an entry's name and is none is not taken", NULL, NULL, in_the_way);
    fresh();
    sandbox_case("what the driver refuses is dropped, and was no hit", NULL, NULL, rejected);
    sandbox_case("YOKE_CACHE=read changes nothing", "YOKE_CACHE", "read", only_read);
    sandbox_case("YOKE_CACHE=off does nothing", "YOKE_CACHE", "off", switched_off);
    fresh();
    sandbox_case("what is costly is taken when it was missed eight times", NULL, NULL, costly);
    sandbox_case("the misses of the last 1,024 programs are counted", NULL, NULL, costly_forgotten);
    sandbox_case("YOKE_CACHE=on takes what is costly at once", "YOKE_CACHE", "on", costly_ordered);
    sandbox_case("YOKE_CACHE=read takes nothing, however often it is missed", "YOKE_CACHE", "read", costly_not_kept);
    fresh();
    sandbox_case("beyond the limit the oldest go, and those that are used stay", "YOKE_CACHE_SIZE", "1", oldest_go);
    sandbox_case("what is larger than the limit is not stored", "YOKE_CACHE_SIZE", "1", too_large);
    sandbox_case("what is not ours stays; old temporary files go", "YOKE_CACHE_SIZE", "1", others_stay);
    fresh();
    sandbox_case("interrupted and short reads and writes; full and broken disks", NULL, NULL, troubles);
    fresh();
    sandbox_case("a folder that is removed while it is used", NULL, NULL, folder_goes);
    sandbox_case("a forked child goes on", NULL, NULL, forked);
    fresh();
    sandbox_case("eight threads", NULL, NULL, threads);
    sandbox_case("a hit is fast", NULL, NULL, speed);
    sandbox_leave();
    return tap_done();
}
