/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded launches as files: KERNEL@N.json, and the contents of buffers in files that are named by their hash, so that what
 * several launches have alike is there once.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/process/process.h"
#include "base/system/file.h"
#include "base/system/thread.h"
#include "trace/recorded.h"
#include "trace/trace.h"

enum { HASH_TEXT = 2 * YK_HASH_SIZE + 1, REASON = 256 };

/* The folder, which is this user's alone; NULL: `reason` says why not. */
static yk_folder *open_own(const char *path, char *reason, size_t size)
{
    yk_folder *folder = yk_folder_open(path, false);
    if (!folder) {
        snprintf(reason, size, "%s", errno == ELOOP ? "it is a link" : strerror(errno));
    } else if (!yk_folder_is_own(folder, reason, size)) {
        yk_folder_close(folder);
        folder = NULL;
    }
    return folder;
}

char *yk_recorded_folder(const char *path)
{
    char reason[REASON] = "", *made = strdup(path), *real = NULL;
    if (made)
        yk_folder_make(made);
    free(made);
    yk_folder *folder = open_own(path, reason, sizeof reason);
    if (folder && !(real = yk_path_real(path)))
        snprintf(reason, sizeof reason, "%s", strerror(errno));
    yk_folder_close(folder);
    if (!real)
        yk_log_ordered(YOKE_LOG_ERROR, "no launch is recorded: YOKE_RECORD is %s: %s", path, reason);
    return real;
}

/* ---- Files ---- */

/* A new file beside the one that it will be; *out_draft is its name. What a killed process of the same number has left stays. */
static int open_draft(const yk_folder *folder, const char *name, yk_text *out_draft)
{
    enum { TRIES = 100 };
    static atomic_uint numbers;
    int file = -1;
    for (int i = 0; i < TRIES; i++) {
        yk_text_cut(out_draft, 0);
        yk_text_add(out_draft, "%s.%ld.%u", name, yk_process_id(), atomic_fetch_add(&numbers, 1));
        errno = ENOMEM;
        file = out_draft->is_cut ? -1 : yk_folder_open_file(folder, yk_text_get(out_draft), YK_FILE_NEW);
        if (file >= 0 || errno != EEXIST)
            break;
    }
    return file;
}

/* Make a file of this name in the folder; whoever reads it sees all of it or none. 0, or an error. */
static int put_file(const yk_folder *folder, const char *name, const void *bytes, size_t size)
{
    yk_text draft = { 0 };
    int file = open_draft(folder, name, &draft);
    int error = file < 0 ? errno : yk_file_write_at(file, bytes, size, 0);
    if (file >= 0) {
        int closed = yk_file_close(file);
        error = error ? error : closed;
        if (!error)
            error = yk_folder_rename(folder, yk_text_get(&draft), name);
        if (error)
            yk_folder_remove(folder, yk_text_get(&draft));
    }
    yk_text_free(&draft);
    return error;
}

/* The contents of a buffer, in the file of their hash. 0, or an error. */
static int put_contents(const yk_folder *folder, const unsigned char *bytes, size_t size, char hash_text[HASH_TEXT])
{
    unsigned char hash[YK_HASH_SIZE];
    char name[HASH_TEXT + 4];
    yk_hash(bytes, size, 0, hash);
    for (size_t i = 0; i < YK_HASH_SIZE; i++)
        snprintf(hash_text + 2 * i, 3, "%02x", hash[i]);
    snprintf(name, sizeof name, "%s.bin", hash_text);
    return put_file(folder, name, bytes, size);
}

/* ---- The description ---- */

static void add_dim(yk_text *text, const char *name, yoke_dim dim)
{
    yk_text_add(text, " \"%s\": [%u, %u, %u],\n", name, dim.x, dim.y, dim.z);
}

static void add_word(yk_text *text, const char *name, const char *word)
{
    yk_text_add(text, "\"%s\": ", name);
    yk_text_add_quoted(text, word);
}

static void add_value(yk_text *text, const yk_recorded_arg *arg)
{
    yk_text_add(text, ", \"value\": \"");
    for (size_t i = 0; i < arg->size; i++)
        yk_text_add(text, "%02x", arg->before[i]);
    yk_text_add(text, "\"");
}

static int add_contents(yk_text *text, const yk_folder *folder, const yk_recorded_arg *arg)
{
    char before[HASH_TEXT], after[HASH_TEXT];
    int error = put_contents(folder, arg->before, arg->size, before);
    if (!error)
        error = put_contents(folder, arg->after, arg->size, after);
    if (!error)
        yk_text_add(text, ", \"before\": \"%s\", \"after\": \"%s\"", before, after);
    return error;
}

static int add_arg(yk_text *text, const yk_folder *folder, const yk_recorded *launch, size_t index)
{
    static const char *const kinds[] = {
        /* those of arrays and images are in no record */
        [YOKE_ARG_BUFFER] = "buffer", [YOKE_ARG_INTEGER] = "integer", [YOKE_ARG_FLOATING] = "floating",
        [YOKE_ARG_STRUCT] = "struct", [YOKE_ARG_NULL] = "null",       [YOKE_ARG_LOCAL] = "shared",
        [YOKE_ARG_IN] = "in",         [YOKE_ARG_OUT] = "out",         [YOKE_ARG_INOUT] = "inout",
        [YOKE_ARG_IMAGE] = "image",   [YOKE_ARG_SURFACE] = "surface"
    };
    _Static_assert(YK_COUNT_OF(kinds) == YOKE_ARG_SURFACE + 1, "a word for each kind of argument");
    const yk_recorded_arg *arg = &launch->args[index];
    int error = 0;
    yk_text_add(text, "  {");
    add_word(text, "kind", kinds[arg->kind]);
    yk_text_add(text, ", ");
    add_word(text, "name", arg->param ? arg->param->name : "");
    yk_text_add(text, ", ");
    add_word(text, "type", arg->param ? arg->param->type : "");
    yk_text_add(text, ", \"const\": %s, \"size\": %zu", arg->param && arg->param->read_only == 1 ? "true" : "false", arg->size);
    if (arg->same != index)
        yk_text_add(text, ", \"same\": %zu", arg->same);
    else if (arg->buffer)
        error = add_contents(text, folder, arg);
    else if (arg->before)
        add_value(text, arg);
    yk_text_add(text, "}%s\n", index + 1 < launch->count ? "," : "");
    return error;
}

static int add_launch(yk_text *text, const yk_folder *folder, const yk_recorded *launch)
{
    const yoke_program *program = launch->kernel->program;
    const yoke_device_info *device = &program->device->info;
    const struct {
        const char *name, *word;
    } words[] = { { "kernel", launch->kernel->name }, { "program", program->name },
                  { "backend", device->backend },     { "options", yk_text_get(&program->options) },
                  { "device", device->name },         { "driver", device->driver } };
    int error = 0;
    yk_text_add(text, "{\"launch_record\": 1,\n");
    for (size_t i = 0; i < YK_COUNT_OF(words); i++) {
        yk_text_add(text, " ");
        add_word(text, words[i].name, words[i].word);
        yk_text_add(text, ",\n");
    }
    add_dim(text, "grid", launch->grid);
    add_dim(text, "block", launch->block);
    yk_text_add(text, " \"launch\": %u,\n \"shared\": %zu,\n \"args\": [\n", launch->number, launch->shared);
    for (size_t i = 0; i < launch->count && !error; i++)
        error = add_arg(text, folder, launch, i);
    yk_text_add(text, " ]}\n");
    return error ? error : text->is_cut ? ENOMEM : 0;
}

/* A name of C++ has what no file name should have: then its hash is a part of the file's name. */
static void name_file(yk_text *name, const yk_recorded *launch)
{
    const char *kernel = launch->kernel->name;
    bool plain = true;
    for (const char *at = kernel; *at; at++) {
        bool fits = yk_is_alpha(*at) || yk_is_digit(*at) || *at == '_';
        yk_text_add(name, "%c", fits ? *at : '_');
        plain = plain && fits;
    }
    if (!plain)
        yk_text_add(name, "-%08" PRIx32, (uint32_t)yk_hash64(kernel, strlen(kernel), 0));
    yk_text_add(name, "@%u.json", launch->number);
}

void yk_recorded_write(const char *path, const yk_recorded *launch)
{
    YK_UNCANCELLED;
    char reason[REASON] = "";
    yk_text text = { 0 }, name = { 0 };
    yk_folder *folder = open_own(path, reason, sizeof reason);
    name_file(&name, launch);
    int error = folder ? add_launch(&text, folder, launch) : 0;
    if (folder && !error)
        error = name.is_cut ? ENOMEM : put_file(folder, yk_text_get(&name), yk_text_get(&text), text.length);
    if (!folder || error)
        yk_log_ordered(YOKE_LOG_WARNING, "launch %u of kernel '%s' is not recorded: %s: %s", launch->number, launch->kernel->name,
                       path, error ? strerror(error) : reason);
    else
        yk_log(YOKE_LOG_INFO, "launch %u of kernel '%s' is in %s/%s (YOKE_RECORD)", launch->number, launch->kernel->name, path,
               yk_text_get(&name));
    yk_folder_close(folder);
    yk_text_free(&name);
    yk_text_free(&text);
}
