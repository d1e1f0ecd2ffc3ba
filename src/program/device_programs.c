/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that a device keeps by key. They are in a search tree by the bits of the key's hash, four at each step: programs are
 * only added until the device ends, so that a reader takes no lock, and a tree needs no size chosen beforehand.
 *
 * A kept program does not retain its device, which would never end. The tree has one reference on it; operations, graphs and
 * buffers that need it take theirs, and each of these keeps the device alive; a reference that the user takes is one on the device.
 * So a kept program is unused when its device closes.
 */
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "base/hash.h"
#include "program/program.h"

enum { LONGEST_KEY = 4096, STEP = 4, WAYS = 1 << STEP, HASH_BITS = 64 };

struct yk_kept_program {
    _Atomic(yk_kept_program *) further[WAYS]; /* by the next bits of the hash */
    yk_kept_program *older;
    yoke_program *program;
    uint64_t hash;
    size_t length;
    char key[]; /* not terminated */
};

/* A search for a key: the place in the tree that it has reached. */
typedef struct search {
    const char *key;
    size_t length;
    uint64_t hash, bits; /* bits: of the hash, what the steps so far have left */
    _Atomic(yk_kept_program *) *place;
} search;

YK_FUNCTION(yoke_device_get_program);

/* The program of the key, from the search's place on; NULL: there is none, and it belongs into this place, which was empty. */
static yoke_program *find(search *s)
{
    yk_kept_program *at;
    while ((at = atomic_load_explicit(s->place, memory_order_acquire))) {
        if (at->hash == s->hash && at->length == s->length && memcmp(at->key, s->key, s->length) == 0)
            return at->program;
        s->place = &at->further[s->bits >> (HASH_BITS - STEP)];
        s->bits <<= STEP;
    }
    return NULL;
}

/* Returns the program that the key has now: the entry's, or another thread's that came first. */
static yoke_program *insert(yoke_device *device, search *s, yk_kept_program *entry)
{
    yk_kept_program *nobody = NULL;
    while (!atomic_compare_exchange_strong(s->place, &nobody, entry)) {
        yoke_program *first = find(s);
        if (first)
            return first;
        nobody = NULL;
    }
    entry->older = atomic_load(&device->programs.newest);
    while (!atomic_compare_exchange_weak(&device->programs.newest, &entry->older, entry))
        continue;
    return entry->program;
}

static yoke_status build(yoke_device *device, search *s, const yoke_source *source, yoke_program **out_program)
{
    YK_UNCANCELLED;
    yk_kept_program *entry = calloc(1, sizeof *entry + s->length);
    if (!entry)
        return yk_no_memory("a program's key");
    yoke_status status = yk_program_build(function, device, source, &entry->program);
    if (status < 0) {
        free(entry);
        return status;
    }
    yoke_program *program = entry->program;
    entry->hash = s->hash;
    entry->length = s->length;
    memcpy(entry->key, s->key, s->length);
    program->kept = true;
    *out_program = insert(device, s, entry);
    if (*out_program == program) {
        yk_device_put(device); /* the reference of an ordinary program */
        return YOKE_OK;
    }
    program->kept = false;
    yk_object_release(program);
    free(entry);
    return YOKE_OK;
}

static yoke_status key_fault(const char *key)
{
    if (key && *key)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: key has more than %d bytes: '%.40s...'", function, LONGEST_KEY, key);
    return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: key is %s", function, key ? "empty" : "NULL");
}

yoke_status yoke_device_get_program(yoke_device *device, const char *key, const yoke_source *source, yoke_program **out_program)
{
    YK_OUT(out_program);
    YK_CHECK(device, YK_DEVICE, function, "device");
    size_t length = key ? strnlen(key, LONGEST_KEY + 1) : 0;
    if (length == 0 || length > LONGEST_KEY)
        return yk_attribute(function, NULL, key_fault(key));
    uint64_t hash = yk_hash64(key, length, 0);
    search s = { key, length, hash, hash, &device->programs.root };
    if ((*out_program = find(&s)))
        return YOKE_OK;
    if (!source)
        return YOKE_OK; /* a question, and its answer */
    return yk_attribute_site(function, NULL, build(device, &s, source, out_program));
}

/* ---- The end of the device ---- */

void yk_device_programs_forbid(yoke_device *device)
{
    for (yk_kept_program *entry = atomic_load(&device->programs.newest); entry; entry = entry->older)
        yk_program_forbid(entry->program);
}

void yk_device_programs_end(yoke_device *device)
{
    for (yk_kept_program *entry = atomic_load(&device->programs.newest), *older; entry; entry = older) {
        older = entry->older;
        YK_ASSERT(atomic_load(&entry->program->object.refs) == 1);
        yk_program_destroy(entry->program);
        free(entry);
    }
}
