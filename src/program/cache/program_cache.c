/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache on disk. An entry is a file named by the hash of its key; it holds the program file, the key, and a hash over both, so
 * a forged name, or two keys with one hash, is a miss. Files appear complete, by rename, and are read completely into memory that
 * the reader owns; there is no lock. Nothing is flushed to disk: an entry torn by a power failure fails its hash.
 */
#include "program/cache/program_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "program/cache/cache_folder.h"
#include "base/system/thread.h"
#include "base/hash.h"

#include <yoke/library.h>

/* At an entry's end, after the program file and the key. In native byte order: the driver is part of every key, so machines of
 * different kinds never look up the same entry. */
typedef struct entry_tail {
    char magic[8]; /* changes with the format */
    uint64_t file_size, key_size;
    unsigned char hash[YK_HASH_SIZE]; /* of all bytes before it */
} entry_tail;

static const char tail_magic[8] = "YkCache1";

enum { NAME_SEED = 1 }; /* changes with the format, so that versions of Yoke ignore each other's entries */
#define ENTRY_MOST ((uint64_t)1 << 30)
#define SUFFIX ".yoke"
#define NOTE ".note"     /* a note, not a program: small, not counted, and removed when unused for a month */
#define TEMPORARY "tmp-" /* "tmp-PID-NUMBER.yoke" */
enum { NAME_SIZE = 64, HASH_LENGTH = 2 * YK_HASH_SIZE, NAME_LENGTH = HASH_LENGTH + sizeof SUFFIX - 1, STALE_SECONDS = 3600 };
enum { NOTE_SECONDS = 30 * 24 * 3600 };
_Static_assert(sizeof NOTE == sizeof SUFFIX, "both names have one length");

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER; /* protects `folder` until it is settled */
static atomic_bool settled;
static yk_cache_folder folder = { .reason = "there is no room to open the folder: too few descriptors, or no memory" };
static atomic_bool reported;
static atomic_uint hits, misses, stored, rejected;

/* Open the folder, once; again as long as there was no room to open it. */
static void open_once(void)
{
    yk_cache_folder opened;
    if (atomic_load_explicit(&settled, memory_order_acquire))
        return;
    pthread_mutex_lock(&opening);
    if (!atomic_load_explicit(&settled, memory_order_relaxed)) {
        yk_cache_folder_open(&opened);
        if (!opened.try_again)
            folder = opened;
        atomic_store_explicit(&settled, !opened.try_again, memory_order_release);
    }
    pthread_mutex_unlock(&opening);
}

void yk_cache_forked(void)
{
    yk_lock_renew(&opening);
}

bool yk_cache_is_on(void)
{
    open_once();
    if (!atomic_load_explicit(&settled, memory_order_acquire))
        return false;
    if (folder.reason[0] && !atomic_exchange(&reported, true)) /* outside the lock, because a log function may query the cache */
        yk_log(YOKE_LOG_WARNING, "%s cache of compiled programs%s%s: %s",
               folder.mode == YOKE_CACHE_OFF ? "no" : "nothing is added to the", folder.path[0] ? " in " : "", folder.path,
               folder.reason);
    return folder.mode != YOKE_CACHE_OFF;
}

bool yk_cache_is_kept(void)
{
    return yk_cache_is_on() && folder.mode == YOKE_CACHE_ON;
}

yoke_status yoke_cache_get_info(yoke_cache_info *out_info)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_cache_get_info);
    if (YK_INFO_BEGIN(function, out_info, yoke_cache_info, "start from YOKE_CACHE_INFO_INIT") < 0)
        return YOKE_E_INVALID_ARGUMENT;
    yk_cache_is_on();
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    pthread_mutex_lock(&opening);
    info.mode = folder.mode;
    info.hits = atomic_load(&hits);
    info.misses = atomic_load(&misses);
    info.stored = atomic_load(&stored);
    info.rejected = atomic_load(&rejected);
    info.limit = folder.limit;
    yk_string_copy(info.folder, sizeof info.folder, folder.path);
    yk_string_copy(info.reason, sizeof info.reason, folder.reason);
    pthread_mutex_unlock(&opening);
    YK_INFO_FILL(out_info, yoke_cache_info, &info);
    return YOKE_OK;
}

/* ---- Names ---- */

static void make_name(const yk_text *key, const char *suffix, char *name)
{
    unsigned char hash[YK_HASH_SIZE];
    yk_hash(yk_text_get(key), key->length, NAME_SEED, hash);
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(name + 2 * i, 3, "%02x", hash[i]);
    memcpy(name + 2 * sizeof hash, suffix, sizeof SUFFIX);
}

static void entry_name(const yk_text *key, char *name)
{
    make_name(key, SUFFIX, name);
}

static bool has_form(const char *name, const char *suffix)
{
    return strlen(name) == NAME_LENGTH && strspn(name, "0123456789abcdef") == HASH_LENGTH &&
           strcmp(name + HASH_LENGTH, suffix) == 0;
}

static bool is_temporary(const char *name)
{
    if (strncmp(name, TEMPORARY, sizeof TEMPORARY - 1) != 0)
        return false;
    const char *at = name + sizeof TEMPORARY - 1;
    size_t pid = strspn(at, "0123456789");
    size_t number = at[pid] == '-' ? strspn(at + pid + 1, "0123456789") : 0;
    return pid && number && strcmp(at + pid + 1 + number, SUFFIX) == 0;
}

/* ---- Reading ---- */

enum outcome { FOUND, ABSENT, DAMAGED };

/* Allocate `size` bytes and a NUL in an empty text, and set its length. */
static bool take_room(yk_text *text, size_t size)
{
    yk_text_free(text);
    text->data = malloc(size + 1);
    if (!text->data)
        return false;
    text->length = size;
    text->capacity = size + 1;
    text->data[size] = '\0';
    return true;
}

/* FOUND: all bytes are there. A read error is not damage that removing the entry would repair. */
static enum outcome read_all(int file, char *bytes, size_t size)
{
    ptrdiff_t got = yk_file_read(file, bytes, size);
    return got < 0 ? ABSENT : (size_t)got < size ? DAMAGED : FOUND;
}

/* The text is a whole file: cut it to the program file. */
static enum outcome check_entry(const yk_text *key, yk_text *entry)
{
    entry_tail tail;
    unsigned char hash[YK_HASH_SIZE];
    size_t size = entry->length - sizeof tail;
    memcpy(&tail, entry->data + size, sizeof tail);
    if (memcmp(tail.magic, tail_magic, sizeof tail.magic) != 0 || tail.file_size > size || tail.key_size != size - tail.file_size)
        return DAMAGED;
    yk_hash(entry->data, entry->length - sizeof hash, 0, hash);
    if (memcmp(hash, tail.hash, sizeof hash) != 0)
        return DAMAGED;
    if (tail.key_size != key->length || memcmp(entry->data + tail.file_size, yk_text_get(key), key->length) != 0)
        return ABSENT; /* another key with the same hash */
    yk_text_cut(entry, (size_t)tail.file_size);
    return FOUND;
}

/* Entries in use are not evicted. */
static void keep_young(int file, const yk_file_facts *facts)
{
    if (folder.mode == YOKE_CACHE_ON && (int64_t)time(NULL) - facts->seconds > STALE_SECONDS)
        yk_file_touch(file);
}

static enum outcome read_entry(const char *name, const yk_text *key, yk_text *out_file)
{
    int file = yk_folder_open_file(folder.folder, name, YK_FILE_READ);
    if (file < 0)
        return errno == ELOOP ? DAMAGED : ABSENT; /* ELOOP: a symbolic link */
    yk_file_facts facts;
    enum outcome outcome = ABSENT;
    if (yk_file_get_facts(file, &facts)) {
        outcome = DAMAGED;
        if (facts.kind == YK_FILE_REGULAR && facts.is_own && facts.size >= sizeof(entry_tail) && facts.size <= ENTRY_MOST) {
            outcome = take_room(out_file, (size_t)facts.size) ? read_all(file, out_file->data, out_file->length) : ABSENT;
            if (outcome == FOUND)
                outcome = check_entry(key, out_file);
        }
    }
    if (outcome == FOUND)
        keep_young(file, &facts);
    else
        yk_text_free(out_file);
    yk_file_close(file);
    return outcome;
}

static void reject(const char *name, const char *why)
{
    atomic_fetch_add(&rejected, 1);
    yk_log(YOKE_LOG_INFO, "cache: %s %s", name, why);
    if (folder.mode == YOKE_CACHE_ON)
        yk_folder_remove(folder.folder, name);
}

bool yk_cache_find(const yk_text *key, yk_text *out_file)
{
    if (!yk_cache_is_on())
        return false;
    char name[NAME_SIZE];
    entry_name(key, name);
    enum outcome outcome = read_entry(name, key, out_file);
    atomic_fetch_add(outcome == FOUND ? &hits : &misses, 1);
    if (outcome == DAMAGED)
        reject(name, "is damaged");
    else
        yk_log(YOKE_LOG_DEBUG, "cache: %s %s", name, outcome == FOUND ? "is used" : "is missing");
    return outcome == FOUND;
}

void yk_cache_reject(const yk_text *key)
{
    if (!yk_cache_is_on())
        return;
    char name[NAME_SIZE];
    entry_name(key, name);
    atomic_fetch_sub(&hits, 1);
    atomic_fetch_add(&misses, 1);
    reject(name, "is rejected by the driver");
}

/* ---- Eviction ---- */

typedef struct file {
    char name[NAME_LENGTH + 1];
    int64_t seconds;
    long nanoseconds;
    uint64_t size;
} file;

typedef struct file_list {
    file *all;
    size_t count, capacity;
    uint64_t bytes;
} file_list;

static int by_age(const void *a, const void *b)
{
    const file *one = a, *other = b;
    if (one->seconds != other->seconds)
        return one->seconds < other->seconds ? -1 : 1;
    if (one->nanoseconds != other->nanoseconds)
        return one->nanoseconds < other->nanoseconds ? -1 : 1;
    return strcmp(one->name, other->name);
}

/* An entry that does not fit into memory is left for the next eviction. */
static void add_file(file_list *files, const char *name, const yk_file_facts *facts)
{
    if (files->count == files->capacity) {
        size_t capacity = files->capacity ? 2 * files->capacity : 64;
        file *all = realloc(files->all, capacity * sizeof *all);
        if (!all)
            return;
        files->all = all;
        files->capacity = capacity;
    }
    file *added = &files->all[files->count++];
    yk_string_copy(added->name, sizeof added->name, name);
    added->seconds = facts->seconds;
    added->nanoseconds = facts->nanoseconds;
    added->size = facts->size;
    files->bytes += added->size;
}

/* List all entries; temporary files of killed processes, and old notes, are removed on the way. Other files are ignored. */
static void list_files(char *const *names, file_list *files)
{
    int64_t now = (int64_t)time(NULL);
    for (const char *name = *names; name; name = *++names) {
        yk_file_facts facts;
        bool entry = has_form(name, SUFFIX), note = has_form(name, NOTE);
        if ((!entry && !note && !is_temporary(name)) || !yk_folder_get_facts(folder.folder, name, &facts) ||
            facts.kind != YK_FILE_REGULAR)
            continue;
        if (entry)
            add_file(files, name, &facts);
        else if (now - facts.seconds > (note ? NOTE_SECONDS : STALE_SECONDS))
            yk_folder_remove(folder.folder, name);
    }
}

/* Another process may evict at the same time: then more entries are removed than necessary, which does no harm. */
static void evict(void)
{
    char **names = yk_folder_list(folder.folder);
    if (!names)
        return;
    file_list files = { 0 };
    list_files(names, &files);
    yk_folder_list_free(names);
    if (files.all && files.bytes > folder.limit)
        qsort(files.all, files.count, sizeof *files.all, by_age);
    for (size_t i = 0; files.all && files.bytes > folder.limit && i < files.count; i++) {
        yk_folder_remove(folder.folder, files.all[i].name);
        files.bytes -= files.all[i].size;
    }
    free(files.all);
}

/* ---- Writing ---- */

/* An exclusive create: processes that share the folder may share process ids too, in different containers. */
static int create_temporary(char *name)
{
    static atomic_uint number;
    int descriptor = -1;
    for (int tries = 0; tries < 100 && descriptor < 0 && (tries == 0 || errno == EEXIST); tries++) {
        snprintf(name, NAME_SIZE, TEMPORARY "%ld-%u" SUFFIX, yk_process_id(), atomic_fetch_add(&number, 1));
        descriptor = yk_folder_open_file(folder.folder, name, YK_FILE_NEW);
    }
    return descriptor;
}

/* Returns an errno value. */
static int write_entry(const char *name, const yk_text *entry)
{
    char temporary[NAME_SIZE];
    int descriptor = create_temporary(temporary);
    if (descriptor < 0)
        return errno;
    int error = yk_file_write(descriptor, entry->data, entry->length), late = yk_file_close(descriptor);
    if (!error)
        error = late; /* on a network file system, a full disk may be reported only there */
    if (!error)
        error = yk_folder_rename(folder.folder, temporary, name);
    if (error)
        yk_folder_remove(folder.folder, temporary);
    return error;
}

/* The system kills a program that writes a file above its size limit. */
static bool may_write(uint64_t size)
{
    return size <= folder.limit && size <= ENTRY_MOST && yk_file_may_have(size);
}

static bool make_entry(const yk_text *key, const yk_text *program_file, yk_text *entry)
{
    entry_tail tail = { .file_size = program_file->length, .key_size = key->length };
    memcpy(tail.magic, tail_magic, sizeof tail.magic);
    size_t size = program_file->length + key->length + sizeof tail;
    if (!take_room(entry, size))
        return false;
    char *at = entry->data;
    memcpy(at, yk_text_get(program_file), program_file->length);
    memcpy(at + program_file->length, yk_text_get(key), key->length);
    at += size - sizeof tail;
    memcpy(at, &tail, sizeof tail);
    yk_hash(entry->data, size - sizeof tail.hash, 0, tail.hash);
    memcpy(at, &tail, sizeof tail);
    return true;
}

void yk_cache_store(const yk_text *key, const yk_text *program_file)
{
    if (!yk_cache_is_kept())
        return;
    char name[NAME_SIZE];
    yk_text entry = { 0 };
    entry_name(key, name);
    if (!may_write((uint64_t)program_file->length + key->length + sizeof(entry_tail))) {
        yk_log(YOKE_LOG_DEBUG, "cache: a program of %zu bytes is too large", program_file->length);
        return;
    }
    if (!make_entry(key, program_file, &entry))
        return;
    int error = write_entry(name, &entry);
    yk_text_free(&entry);
    if (error) {
        yk_log(YOKE_LOG_WARNING, "cache: nothing can be stored in %s: %s", folder.path, strerror(error));
        return;
    }
    atomic_fetch_add(&stored, 1);
    yk_log(YOKE_LOG_DEBUG, "cache: %s is stored", name);
    evict();
}

/* ---- Notes ---- */

bool yk_cache_recall(const yk_text *key, yk_text *out_note)
{
    if (!yk_cache_is_on())
        return false;
    char name[NAME_SIZE];
    make_name(key, NOTE, name);
    enum outcome outcome = read_entry(name, key, out_note);
    if (outcome == DAMAGED)
        yk_log(YOKE_LOG_INFO, "cache: the note %s is damaged, and ignored", name);
    return outcome == FOUND;
}

/* Returns an errno value. */
static int write_note(const yk_text *key, const yk_text *note)
{
    char name[NAME_SIZE];
    yk_text entry = { 0 };
    make_name(key, NOTE, name);
    if (!may_write((uint64_t)note->length + key->length + sizeof(entry_tail)))
        return EFBIG;
    if (!make_entry(key, note, &entry))
        return ENOMEM;
    int error = write_entry(name, &entry);
    yk_text_free(&entry);
    return error;
}

void yk_cache_note(const yk_text *key, const yk_text *note)
{
    if (!yk_cache_is_kept())
        return;
    int error = write_note(key, note);
    if (error)
        yk_log(YOKE_LOG_DEBUG, "cache: the use of an entry in %s cannot be noted: %s", folder.path, strerror(error));
}

void yk_cache_forget(const yk_text *key)
{
    if (!yk_cache_is_kept())
        return;
    char name[NAME_SIZE];
    make_name(key, NOTE, name);
    yk_folder_remove(folder.folder, name);
}

/* ---- What is worth its cost ---- */

/* A driver that compiles for a program's file (traits.compiles_for_code) has a cache of its own, from which it builds the program
 * in 20 ms; from the file it is 2 ms. Making the file takes as long as that saves in about ten processes: it is made when the
 * program has been missed nearly as often, and costs a program that is soon forgotten nothing.
 *
 * One note has a line for each of the programs that were missed last, the youngest at the end: the beginning of its entry's name,
 * and the number of misses, a digit. Counts that processes write over each other's are late, and no more. */
enum { MISSES_OF_COSTLY = 8, MISSED_PROGRAMS = 1024, MISSED_NAME = 16, MISSED_LINE = MISSED_NAME + 2 };

bool yk_cache_takes(const yk_text *key, bool is_costly)
{
    if (!yk_cache_is_kept())
        return false;
    if (!is_costly || folder.is_ordered)
        return true;
    char name[NAME_SIZE];
    yk_text note_key = { 0 }, before = { 0 }, after = { 0 };
    entry_name(key, name);
    yk_text_add(&note_key, "missed programs");
    (void)yk_cache_recall(&note_key, &before);
    const char *lines = yk_text_get(&before);
    size_t count = before.length / MISSED_LINE, own = 0;
    while (own < count && memcmp(lines + own * MISSED_LINE, name, MISSED_NAME) != 0)
        own++;
    int times = own < count ? lines[own * MISSED_LINE + MISSED_NAME] - '0' + 1 : 1;
    times = times < 1 ? 1 : times < MISSES_OF_COSTLY ? times : MISSES_OF_COSTLY;
    size_t left_out = own < count || count < MISSED_PROGRAMS ? own : 0; /* its line, or the oldest */
    for (size_t i = 0; i < count; i++)
        if (i != left_out)
            yk_text_add_bytes(&after, lines + i * MISSED_LINE, MISSED_LINE);
    yk_text_add(&after, "%.*s%d\n", MISSED_NAME, name, times);
    yk_cache_note(&note_key, &after);
    yk_text_free(&note_key);
    yk_text_free(&before);
    yk_text_free(&after);
    return times >= MISSES_OF_COSTLY;
}

/* ---- Notes of libraries ---- */

/* No library's key is one of Yoke's own. False: out of memory. */
static bool make_key(const char *key, yk_text *out_key)
{
    yk_text_add(out_key, "note of a library\n%s", key);
    return !out_key->is_cut;
}

/* What a note needs is not there. */
static yoke_status cannot_note(const char *function, const char *why)
{
    return yk_attribute(
        function, NULL,
        yk_fail(YOKE_E_UNAVAILABLE, "no note can be kept in the cache%s%s: %s", folder.path[0] ? " in " : "", folder.path, why));
}

yoke_status yoke_cache_note(const char *key, const void *note, size_t size)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_cache_note);
    if (!key || (!note && size > 0))
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s is NULL", key ? "note" : "key"));
    if (!yk_cache_is_kept())
        return cannot_note(function, folder.reason[0] ? folder.reason : "YOKE_CACHE is not \"on\"");
    yk_text own_key = { 0 }, text = { 0 };
    yk_text_add_bytes(&text, note ? note : "", size);
    int error = make_key(key, &own_key) && !text.is_cut ? 0 : ENOMEM;
    if (!error && size > 0)
        error = write_note(&own_key, &text);
    else if (!error)
        yk_cache_forget(&own_key);
    yk_text_free(&own_key);
    yk_text_free(&text);
    return error == ENOMEM ? yk_attribute(function, NULL, yk_no_memory("a note"))
           : error         ? cannot_note(function, strerror(error))
                           : YOKE_OK;
}

yoke_status yoke_cache_recall(const char *key, void *note, size_t capacity, size_t *out_size)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_cache_recall);
    YK_OUT(out_size);
    if (!key || (!note && capacity > 0))
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s is NULL", key ? "note" : "key"));
    yk_text own_key = { 0 }, text = { 0 };
    if (make_key(key, &own_key) && yk_cache_recall(&own_key, &text)) {
        if (capacity > 0)
            memcpy(note, text.data, text.length < capacity ? text.length : capacity);
        *out_size = text.length;
    }
    yk_text_free(&own_key);
    yk_text_free(&text);
    return YOKE_OK;
}
