/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source whose text is a file. The file is read before anything else looks at the source, and then stands in it as a text; its
 * folder becomes the last of the include folders.
 */
#include "program/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/file.h"
#include "program/include/include_parts.h"

/* The file that is read. */
typedef struct context {
    const char *function, *member; /* how the names of the text's members begin, as "cuda" */
    const char *path;
} context;

#define FAULT(status, at, format, ...) \
    yk_fail(status, "%s: source.%s_file is '%.300s', which " format, (at)->function, (at)->member, (at)->path, __VA_ARGS__)

/* A relative path that leads nowhere is nearly always about the working directory. */
static yoke_status path_fault(const context *at, int error)
{
    char *here = yk_path_is_absolute(at->path) ? NULL : yk_path_real(".");
    yoke_status status = FAULT(error == ENOENT || error == ENOTDIR ? YOKE_E_NOT_FOUND : YOKE_E_INVALID_ARGUMENT, at,
                               "cannot be opened: %s%s%.300s%s", strerror(error), here ? " (the working directory is " : "",
                               here ? here : "", here ? ")" : "");
    free(here);
    return status;
}

static yoke_status read_bytes(const context *at, int file, size_t size, yk_text *out)
{
    char *bytes = malloc(size + 1);
    if (!bytes)
        return yk_no_memory("a source's file");
    ptrdiff_t length = yk_file_read(file, bytes, size);
    if (length < 0) {
        yoke_status status = FAULT(YOKE_E_INVALID_ARGUMENT, at, "cannot be read: %s", strerror(errno));
        free(bytes);
        return status;
    }
    bytes[length] = '\0';
    *out = (yk_text){ .data = bytes, .length = (size_t)length, .capacity = size + 1 };
    return length > 0 ? YOKE_OK : FAULT(YOKE_E_INVALID_ARGUMENT, at, "is %s", "empty");
}

/* `real`: the path without links, so that no link that appears later is followed. */
static yoke_status read_file(const context *at, const char *real, yk_text *out)
{
    yk_file_facts about = { .kind = YK_FILE_OTHER };
    int file = yk_file_open(real, YK_FILE_READ);
    if (file < 0)
        return path_fault(at, errno);
    yoke_status status = YOKE_OK;
    if (!yk_file_get_facts(file, &about) || about.kind != YK_FILE_REGULAR)
        status = FAULT(YOKE_E_INVALID_ARGUMENT, at, "is not %s",
                       about.kind == YK_FILE_FOLDER ? "a file but a folder" : "a regular file");
    else if (about.size > YK_INCLUDE_BYTES)
        status = FAULT(YOKE_E_INVALID_ARGUMENT, at, "exceeds the %d MiB of a source", YK_INCLUDE_BYTES >> 20);
    else
        status = read_bytes(at, file, (size_t)about.size, out);
    yk_file_close(file);
    return status;
}

/* Append the folder of file->folder, which is the file's path, to source->include_folders. */
static yoke_status add_folder(yoke_source *source, yk_source_file *file)
{
    size_t count = 0;
    while (source->include_folders && source->include_folders[count])
        count++;
    char *slash = strrchr(file->folder, '/');
    slash[slash == file->folder] = '\0'; /* the root folder keeps its slash */
    file->folders = calloc(count + 2, sizeof *file->folders);
    if (!file->folders)
        return yk_no_memory("the include folders");
    for (size_t i = 0; i < count; i++)
        file->folders[i] = source->include_folders[i];
    file->folders[count] = file->folder;
    source->include_folders = file->folders;
    return YOKE_OK;
}

/* Copy the caller's struct, whose version may be older or newer. */
static void take(const yoke_source *caller_source, yoke_source *out_source)
{
    *out_source = (yoke_source)YOKE_SOURCE_INIT;
    yk_sized_take(out_source, caller_source, sizeof *out_source, YK_FIRST_SIZE(yoke_source));
}

yoke_status yk_source_open(const char *function, yk_language language, const yoke_source *caller_source, yoke_source *source,
                           yk_source_file *file)
{
    context at = { .function = function };
    size_t size;
    *file = (yk_source_file){ 0 };
    take(caller_source, source);
    at.path = yk_source_file_path(source, language, &at.member);
    if (!at.path)
        return YOKE_OK;
    if (yk_source_text_in(source, language, &size))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source has %s and %s_file; give one of them", function, at.member, at.member);
    for (const char *c = at.path; *c; c++)
        if ((unsigned char)*c < ' ')
            return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source.%s_file is not a line of text", function, at.member);
    file->folder = yk_path_real(at.path);
    if (!file->folder)
        return errno == ENOMEM ? yk_no_memory("the path of a source's file") : path_fault(&at, errno);
    yoke_status status = read_file(&at, file->folder, &file->text);
    if (status == YOKE_OK)
        status = add_folder(source, file);
    if (status < 0) {
        yk_source_close(file);
        return status;
    }
    yk_source_set_text(language, source, file->text.data, file->text.length);
    if (!source->name) {
        const char *slash = strrchr(at.path, '/');
        source->name = slash ? slash + 1 : at.path;
    }
    return YOKE_OK;
}

yoke_status yk_source_open_for(const char *function, const yoke_device *device, const yoke_source *caller_source,
                               yoke_source *out_source, yk_source_file *file)
{
    yoke_status status = yk_source_open(function, device->traits.language, caller_source, out_source, file);
    return status == YOKE_OK ? yk_source_check(function, device, out_source) : status;
}

void yk_source_close(yk_source_file *file)
{
    yk_text_free(&file->text);
    free(file->folder);
    free(file->folders);
    *file = (yk_source_file){ 0 };
}
