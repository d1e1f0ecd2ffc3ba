/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers that the compiler reads itself: those of the CUDA Toolkit, whose includes depend on conditions that only a preprocessor
 * can evaluate. Yoke follows their includes without evaluating conditions, so it sees every file that the compiler may read, and
 * adds the content of each to the key of the cache.
 */
#include "program/include/include_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/system/file.h"

enum { TREE_DEPTH = 16 };

/* A file that is found and not read yet. */
typedef struct found {
    struct found *next;
    char path[];
} found;

/* ---- What is known already ---- */

/* Whether this is new; then it is known from now on. Texts of different kinds differ in their first character. */
static bool is_new(yk_outside *o, char kind, const char *text)
{
    uint64_t hash = yk_hash64(text, strlen(text), (uint64_t)(unsigned char)kind);
    for (size_t i = 0; i < o->seen_count; i++)
        if (o->seen[i] == hash)
            return false;
    if ((o->seen_count & (o->seen_count - 1)) == 0) { /* full: the capacity is a power of two */
        uint64_t *seen = realloc(o->seen, (o->seen_count ? 2 * o->seen_count : 1) * sizeof *seen);
        o->failed = o->failed || !seen;
        if (!seen)
            return false;
        o->seen = seen;
    }
    o->seen[o->seen_count++] = hash;
    return true;
}

/* Whether folder/name is a file; if it is new, put it first into the list. */
static bool find_file(yk_outside *o, const char *folder, size_t length, const char *name, found **list)
{
    yk_file_facts about;
    size_t size = length + strlen(name) + 2;
    found *file = malloc(sizeof *file + size);
    if (!file) {
        o->failed = true;
        return false;
    }
    snprintf(file->path, size, "%.*s/%s", (int)length, folder, name);
    char *real = yk_path_real(file->path);
    bool exists = real && yk_path_get_facts(real, &about) && about.kind == YK_FILE_REGULAR;
    if (exists && is_new(o, '=', real)) {
        file->next = *list;
        *list = file;
    } else {
        free(file);
    }
    free(real);
    return exists;
}

/* Find a header as the compiler does, beside `includer` unless that is NULL, then in the folders. */
static bool find(yk_outside *o, const char *includer, const char *name, found **list)
{
    if (yk_path_is_absolute(name) || !*name)
        return false;
    if (includer && find_file(o, includer, (size_t)(strrchr(includer, '/') - includer), name, list))
        return true;
    for (size_t i = 0; o->search[i]; i++)
        if (find_file(o, o->search[i], strlen(o->search[i]), name, list))
            return true;
    return false;
}

/* ---- Folders ---- */

/* The sum of hashes of all names, sizes and times below a folder, in whatever order they come. */
static uint64_t add_tree(const char *folder, int depth)
{
    yk_folder *open = depth < TREE_DEPTH ? yk_folder_open(folder, false) : NULL;
    char **names = open ? yk_folder_list(open) : NULL;
    uint64_t sum = 0;
    for (size_t i = 0; names && names[i]; i++) {
        yk_file_facts about;
        yk_text path = { 0 };
        if (names[i][0] == '.')
            continue;
        yk_text_add(&path, "%s/%s", folder, names[i]);
        if (yk_path_get_facts(yk_text_get(&path), &about)) {
            const int64_t facts[] = { (int64_t)about.size, about.seconds, about.nanoseconds };
            sum += about.kind == YK_FILE_FOLDER
                       ? add_tree(yk_text_get(&path), depth + 1)
                       : yk_hash64(facts, sizeof facts, yk_hash64(yk_text_get(&path), path.length, 0));
        }
        yk_text_free(&path);
    }
    yk_folder_list_free(names);
    yk_folder_close(open);
    return sum;
}

/* A header includes what a macro names, as Thrust's do: such a header is in the same folder as the includer, at the top. */
static void add_computed(yk_outside *o, const char *path)
{
    for (size_t i = 0; o->search[i]; i++) {
        size_t length = strlen(o->search[i]);
        if (strncmp(path, o->search[i], length) != 0 || path[length] != '/')
            continue;
        const char *slash = strchr(path + length + 1, '/');
        char *tree = slash ? strndup(path, (size_t)(slash - path)) : NULL;
        if (tree && is_new(o, '/', tree))
            yk_text_add(&o->read, "%s %016llx\n", tree, (unsigned long long)add_tree(tree, 0));
        o->unknown = o->unknown || !tree;
        free(tree);
        return;
    }
    o->unknown = true;
}

/* ---- Files ---- */

/* The file's bytes; NULL when it cannot be read, or there is no memory. */
static char *read_file(const char *path, size_t *out_size)
{
    yk_file_facts about;
    char *real = yk_path_real(path), *bytes = NULL; /* headers may be links, as everywhere */
    int file = real ? yk_file_open(real, YK_FILE_READ) : -1;
    free(real);
    if (file < 0)
        return NULL;
    if (yk_file_get_facts(file, &about) && about.kind == YK_FILE_REGULAR && about.size < YK_INCLUDE_BYTES)
        bytes = malloc((size_t)about.size + 1);
    ptrdiff_t size = bytes ? yk_file_read(file, bytes, (size_t)about.size) : -1;
    yk_file_close(file);
    if (size < 0) {
        free(bytes);
        return NULL;
    }
    *out_size = (size_t)size;
    return bytes;
}

/* Add one file to the key, and put what it includes into the list. */
static void add_file(yk_outside *o, const char *path, found **list)
{
    unsigned char hash[YK_HASH_SIZE];
    yk_directives directives = { 0 };
    size_t size = 0, before = o->read.length;
    char *bytes = read_file(path, &size);
    o->bytes += size;
    o->unknown = o->unknown || !bytes || o->bytes > YK_INCLUDE_BYTES;
    if (!bytes || o->unknown) {
        free(bytes);
        return;
    }
    yk_hash(bytes, size, 0, hash);
    yk_text_add(&o->read, "%s ", path);
    for (size_t i = 0; i < sizeof hash; i++)
        yk_text_add(&o->read, "%02x", hash[i]);
    yk_text_add(&o->read, "\n");
    o->failed = o->failed || o->read.length != before + strlen(path) + 2 * sizeof hash + 2 ||
                !yk_directives_find(&directives, bytes, size, true);
    for (size_t i = 0; i < directives.count && !o->failed; i++) {
        const yk_directive *directive = &directives.list[i];
        const char *name = yk_text_get(&directives.names) + directive->name;
        if (directive->kind == YK_DIRECTIVE_COMPUTED || directive->kind == YK_DIRECTIVE_REFUSED)
            add_computed(o, path);
        else if (directive->kind == YK_DIRECTIVE_INCLUDE && (directive->quoted || is_new(o, '<', name)))
            (void)find(o, directive->quoted ? path : NULL, name, list);
    }
    yk_directives_free(&directives);
    free(bytes);
}

yoke_status yk_outside_take(yk_outside *o, const char *name, bool *out_found)
{
    found *list = NULL;
    *out_found = find(o, NULL, name, &list);
    o->used = o->used || *out_found;
    while (list) {
        found *file = list;
        list = file->next;
        if (!o->failed && !o->unknown)
            add_file(o, file->path, &list);
        free(file);
    }
    return o->failed ? yk_no_memory("the headers of a compiler") : YOKE_OK;
}

yoke_status yk_outside_init(yk_outside *o, const yoke_source *source)
{
    const char *own = yk_text_get(&o->folders), *end = own + o->folders.length;
    size_t count = 0, most = 1;
    while (source->include_folders && source->include_folders[most - 1])
        most++;
    for (const char *c = own; c < end; c++)
        most += *c == '\0';
    o->search = calloc(most, sizeof *o->search);
    if (!o->search)
        return yk_no_memory("the include folders");
    for (; source->include_folders && source->include_folders[count]; count++)
        o->search[count] = source->include_folders[count];
    for (; own < end; own += strlen(own) + 1)
        o->search[count++] = own;
    return YOKE_OK;
}

void yk_outside_free(yk_outside *o)
{
    yk_text_free(&o->folders);
    yk_text_free(&o->read);
    free(o->search);
    free(o->seen);
    memset(o, 0, sizeof *o);
}
