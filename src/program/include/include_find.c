/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding and reading headers: virtual headers, files of the include folders, and Yoke's own, with stubs of the host's headers for
 * CUDA texts. A name may go up and down inside the folders but not leave them, neither by ".." nor through a link, so that a source
 * reads no file that its owner did not offer.
 */
#include "program/include/include_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/file.h"
#include "program/include/include.h"
#include "program/source.h"
#include "program/twins.h"

/* The headers that Yoke brings. */
static const struct {
    const char *name;
    const char *const *text;
} own_headers[] = {
    { "yoke/types.h", &yk_types_header },           { "yoke/kernel.h", &yk_kernel_header },
    { "yoke/block_scan.h", &yk_block_scan_header }, { "yoke/block_reduce.h", &yk_block_reduce_header },
    { "yoke/block_rank.h", &yk_block_rank_header }, { "yoke/philox.h", &yk_philox_header },
};

/* ---- Names ---- */

/* Join a header's folder and a name, resolving "." and "..", into `out`, of strlen(beside) + strlen(name) + 2 bytes. `beside` is
 * the name of a header in the place, or "". False: the result leaves the place, or is empty. */
static bool join_name(char *out, const char *beside, const char *name)
{
    const char *slash = strrchr(beside, '/');
    size_t length = slash ? (size_t)(slash - beside) : 0;

    memcpy(out, beside, length);
    while (*name) {
        size_t part = strcspn(name, "/");
        if (part == 2 && memcmp(name, "..", 2) == 0) {
            if (length == 0)
                return false;
            while (length > 0 && out[--length] != '/')
                ;
        } else if (part > 0 && !(part == 1 && *name == '.')) {
            if (length > 0)
                out[length++] = '/';
            memmove(out + length, name, part);
            length += part;
        }
        name += part;
        name += *name == '/';
    }
    out[length] = '\0';
    return length > 0;
}

/* Names and paths appear in lines of the compiler's log. */
static bool is_printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' && *text != '\t')
            return false;
    return true;
}

/* ---- The caller's headers and folders ---- */

static yoke_status check_header(const char *function, const yoke_header *headers, size_t index)
{
    const yoke_header *header = &headers[index];
    size_t length = strlen(header->name);
    char *plain;

    if (!header->text)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source.headers[%zu], '%.200s', has no text", function, index, header->name);
    if (length == 0 || !is_printable(header->name))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the name of source.headers[%zu] is %s", function, index,
                       length == 0 ? "empty" : "not a line of text");
    if (!(plain = malloc(length + 2)))
        return yk_no_memory("the name of a header");
    bool fits = header->name[0] != '/' && join_name(plain, "", header->name) && strcmp(plain, header->name) == 0;
    free(plain);
    if (!fits)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: source.headers[%zu] is named '%.200s'; a name must be relative, without \".\", \"..\" or empty parts",
                       function, index, header->name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(headers[i].name, header->name) == 0)
            return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source.headers[%zu] and [%zu] are both named '%.200s'", function, i, index,
                           header->name);
    return YOKE_OK;
}

yoke_status yk_include_check(const char *function, const yoke_source *source)
{
    for (size_t i = 0; source->headers && source->headers[i].name; i++) {
        yoke_status status = check_header(function, source->headers, i);
        if (status < 0)
            return status;
    }
    for (size_t i = 0; source->include_folders && source->include_folders[i]; i++) {
        const char *folder = source->include_folders[i];
        if (!is_printable(folder))
            return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source.include_folders[%zu] is not a line of text", function, i);
        if (!yk_path_is_absolute(folder))
            return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source.include_folders[%zu] is '%.200s'; it must be an absolute path",
                           function, i, folder);
    }
    return YOKE_OK;
}

/* Sets headers->folders[index]. */
static yoke_status open_folder(yk_headers *headers, size_t index)
{
    const char *folder = headers->source->include_folders[index];
    yk_file_facts about;

    headers->folders[index] = yk_path_real(folder);
    if (!headers->folders[index] && errno == ENOMEM)
        return yk_no_memory("the path of an include folder");
    if (!headers->folders[index] || !yk_path_get_facts(headers->folders[index], &about))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source.include_folders[%zu] is '%.200s', which cannot be used: %s",
                       headers->function, index, folder, strerror(errno));
    if (about.kind != YK_FILE_FOLDER)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source.include_folders[%zu] is '%.200s', which is not a folder",
                       headers->function, index, folder);
    return YOKE_OK;
}

/* The folder that the value of a define is, or is in; NULL: it is not the absolute path of anything. The root is not offered. */
static char *get_offered(const char *define)
{
    const char *value = define + strcspn(define, "=");
    value += strspn(value, "= \t\"");
    if (!yk_path_is_absolute(value))
        return NULL;
    char *path = strndup(value, strcspn(value, "\"")), *real = path ? yk_path_real(path) : NULL;
    yk_file_facts about;
    if (real && yk_path_get_facts(real, &about) && about.kind != YK_FILE_FOLDER)
        strrchr(real, '/')[0] = '\0';
    free(path);
    if (real && strcmp(real, "/") != 0 && *real)
        return real;
    free(real);
    return NULL;
}

/* The include folders, and behind them the folders that defines name. */
static yoke_status open_folders(yk_headers *headers, size_t count)
{
    const char *define;
    size_t defines = 0;
    while (yk_source_define(headers->source, headers->language, defines))
        defines++;
    headers->folders = calloc(count + defines + 1, sizeof *headers->folders);
    if (!headers->folders)
        return yk_no_memory("the include folders");
    for (size_t i = 0; i < count; i++) {
        yoke_status status = open_folder(headers, i);
        if (status < 0)
            return status;
    }
    headers->offered = (int)count;
    for (size_t i = 0; (define = yk_source_define(headers->source, headers->language, i)); i++) {
        headers->folders[count] = get_offered(define);
        count += headers->folders[count] != NULL;
    }
    return YOKE_OK;
}

yoke_status yk_headers_init(yk_headers *headers, const char *function, const yoke_source *source, yk_language language,
                            yk_outside *outside)
{
    size_t count = 0;
    const char *word;
    *headers = (yk_headers){ .function = function, .source = source, .language = language, .own_folder = -1, .outside = outside };
    yoke_status status = yk_include_check(function, source);

    while (source->include_folders && source->include_folders[count])
        count++;
    if (yk_source_file_path(source, language, &word))
        headers->own_folder = (int)count - 1;
    if (status == YOKE_OK)
        status = open_folders(headers, count);
    if (status == YOKE_OK && outside)
        status = yk_outside_init(outside, source);
    return status;
}

/* ---- Files ---- */

static yoke_status read_bytes(const yk_headers *headers, yk_header *header, int file, size_t size)
{
    header->own = malloc(size + 1);
    if (!header->own)
        return yk_no_memory("a header");
    header->text = header->own;
    ptrdiff_t got = yk_file_read(file, header->own, size);
    if (got < 0)
        return yk_fail(YOKE_E_BUILD, "%s: %.200s cannot be read: %s", headers->function, header->path, strerror(errno));
    header->size = (size_t)got;
    return YOKE_OK;
}

/* Read an open file, unless it was read before under another name. */
static yoke_status read_file(yk_headers *headers, int place, const char *path, const char *name, int file, yk_header **out_header)
{
    yk_file_facts about;
    if (!yk_file_get_facts(file, &about) || about.kind != YK_FILE_REGULAR)
        return yk_fail(YOKE_E_BUILD, "%s: %.200s cannot be included: it is not a regular file", headers->function, path);
    for (yk_header *header = headers->first; header; header = header->next)
        if (header->place >= 0 && header->disk == about.disk && header->file == about.number) {
            *out_header = header;
            return YOKE_OK;
        }
    if (about.size > YK_INCLUDE_BYTES)
        return yk_fail(YOKE_E_BUILD, "%s: %.200s exceeds the %d MiB of a source", headers->function, path, YK_INCLUDE_BYTES >> 20);
    yk_header *header = yk_header_new(place, path, name);
    if (!header)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    header->disk = about.disk;
    header->file = about.number;
    yoke_status status = read_bytes(headers, header, file, (size_t)about.size);
    if (status < 0) {
        yk_header_free(header);
        return status;
    }
    status = yk_header_add(headers, header);
    if (status == YOKE_OK)
        *out_header = header;
    return status;
}

/* Whether an absolute path without links is inside a folder whose path is absolute and without links. */
static bool is_inside(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    while (length > 0 && folder[length - 1] == '/') /* the root folder */
        length--;
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* `path` is the folder's path joined with the name. Leaves *out_header NULL when no such file exists. */
static yoke_status open_file(yk_headers *headers, int place, const char *path, const char *name, yk_header **out_header)
{
    yoke_status status = YOKE_OK;
    char *real = yk_path_real(path);
    if (!real && (errno == ENOENT || errno == ENOTDIR))
        return YOKE_OK;
    if (!real)
        return errno == ENOMEM ? yk_no_memory("the path of a header")
                               : yk_fail(YOKE_E_BUILD, "%s: %.200s cannot be opened: %s", headers->function, path, strerror(errno));
    if (!is_inside(real, headers->folders[place])) {
        status = yk_fail(YOKE_E_BUILD, "%s: %.200s is rejected: a link leads out of the include folder, to %.200s",
                         headers->function, path, real);
    } else {
        /* Never block on a pipe, and never follow a file that has become a link meanwhile. */
        int file = yk_file_open(real, YK_FILE_READ);
        if (file < 0) {
            status = yk_fail(YOKE_E_BUILD, "%s: %.200s cannot be opened: %s", headers->function, path, strerror(errno));
        } else {
            status = read_file(headers, place, path, name, file, out_header);
            yk_file_close(file);
        }
    }
    free(real);
    return status;
}

/* ---- Look-up ---- */

/* Find a name without "." and ".." in a place. Leaves *out_header NULL when the place does not have it. */
static yoke_status find_in(yk_headers *headers, int place, const char *name, yk_header **out_header)
{
    for (yk_header *header = headers->first; header; header = header->next)
        if (header->place == place && strcmp(header->name, name) == 0) {
            *out_header = header;
            return YOKE_OK;
        }
    if (place == YK_PLACE_VIRTUAL) {
        for (const yoke_header *header = headers->source->headers; header && header->name; header++)
            if (strcmp(header->name, name) == 0)
                return yk_header_add_lasting(headers, place, name, name, header->text, strlen(header->text), out_header);
        return YOKE_OK;
    }
    if (place == YK_PLACE_OWN) {
        const char *text = headers->language == YK_LANGUAGE_CUDA ? yk_host_header(name) : NULL;
        for (size_t i = 0; i < YK_COUNT_OF(own_headers); i++)
            if (strcmp(own_headers[i].name, name) == 0)
                text = *own_headers[i].text;
        return text ? yk_header_add_lasting(headers, place, name, name, text, strlen(text), out_header) : YOKE_OK;
    }

    const char *folder = place < headers->offered ? headers->source->include_folders[place] : headers->folders[place];
    yk_text path = { 0 };
    size_t wanted = strlen(folder) + 1 + strlen(name);
    yk_text_add(&path, "%s/%s", folder, name);
    yoke_status status =
        path.length == wanted ? open_file(headers, place, path.data, name, out_header) : yk_no_memory("the path of a header");
    yk_text_free(&path);
    return status;
}

/* ".." leads out of the includer's folder: look whether the name is in another include folder. */
static yoke_status find_across(yk_headers *headers, const yk_header *includer, const char *name, bool *out_inside,
                               yk_header **out_header)
{
    int place = includer->place == YK_PLACE_TEXT ? headers->own_folder : includer->place;
    yk_text beside = { 0 };
    yoke_status status = YOKE_OK;
    if (place < 0)
        return YOKE_OK;
    yk_text_add(&beside, "%s/%s", headers->folders[place] + 1, includer->name); /* join_name wants no slash at the beginning */
    char *path = malloc(beside.length + strlen(name) + 3);
    if (!path || beside.length == 0) {
        status = yk_no_memory("the path of a header");
    } else if (join_name(path + 1, yk_text_get(&beside), name)) {
        path[0] = '/';
        for (int i = 0; status == YOKE_OK && !*out_header && headers->folders[i]; i++) {
            const char *folder = headers->folders[i];
            if (!is_inside(path, folder))
                continue;
            *out_inside = true;
            status = find_in(headers, i, path + strlen(folder) + (folder[strlen(folder) - 1] != '/'), out_header);
        }
    }
    free(path);
    yk_text_free(&beside);
    return status;
}

/* The CUDA Toolkit and CCCL in an include folder are left to the compiler, too: expanding them without evaluating conditions
 * exceeds every limit. A folder that has the second file is left as far as names begin with the first text. */
static bool is_left(const yk_headers *headers, int place, const char *name)
{
    static const char *const parts[][2] = { { "", "cuda_runtime_api.h" },      { "curand", "curand_kernel.h" },
                                            { "cuda/", "cuda/std/version" },   { "cub/", "cub/version.cuh" },
                                            { "thrust/", "thrust/version.h" }, { "nv/", "nv/target" } };
    bool left = false;
    for (size_t i = 0; i < YK_COUNT_OF(parts) && headers->outside && !left; i++) {
        yk_text marker = { 0 };
        if (strncmp(name, parts[i][0], strlen(parts[i][0])) != 0)
            continue;
        yk_text_add(&marker, "%s/%s", headers->folders[place], parts[i][1]);
        left = yk_path_is_there(yk_text_get(&marker));
        yk_text_free(&marker);
    }
    return left;
}

/* Search everywhere, or behind the includer's folder for #include_next; a file's own folder first for a header in "". */
static yoke_status find_plain(yk_headers *headers, const yk_header *includer, const yk_wanted *wanted, const char *plain,
                              yk_header **out_header)
{
    yoke_status status = YOKE_OK;
    bool of_text = includer->place == YK_PLACE_TEXT, after = wanted->after && !of_text;
    if (!after)
        status = find_in(headers, YK_PLACE_VIRTUAL, plain, out_header);
    if (status == YOKE_OK && !*out_header && of_text && wanted->quoted && !wanted->after && headers->own_folder >= 0)
        status = find_in(headers, headers->own_folder, plain, out_header);
    int first = !after || includer->place == YK_PLACE_VIRTUAL ? 0 : includer->place < 0 ? headers->offered : includer->place + 1;
    for (int i = first; status == YOKE_OK && !*out_header && i < headers->offered; i++)
        if (!is_left(headers, i, plain))
            status = find_in(headers, i, plain, out_header);
    if (status == YOKE_OK && !*out_header && !(after && includer->place == YK_PLACE_OWN))
        status = find_in(headers, YK_PLACE_OWN, plain, out_header);
    return status;
}

/* A file by its absolute name, which must be in a folder that the source offers. `path`: the name without "." and "..". */
static yoke_status find_absolute(yk_headers *headers, const char *path, bool *out_inside, yk_header **out_header)
{
    const char *slash = strrchr(path, '/');
    char *folder = strndup(path, slash == path ? 1 : (size_t)(slash - path)), *real = folder ? yk_path_real(folder) : NULL;
    char *file = real ? malloc(strlen(real) + strlen(slash) + 1) : NULL;
    yoke_status status = YOKE_OK;
    if (!folder || (real && !file)) {
        status = yk_no_memory("the path of a header");
    } else if (real) {
        strcpy(stpcpy(file, strcmp(real, "/") == 0 ? "" : real), slash);
        for (int i = 0; status == YOKE_OK && !*out_header && headers->folders[i]; i++) {
            const char *offered = headers->folders[i];
            if (!is_inside(file, offered))
                continue;
            *out_inside = true;
            status = find_in(headers, i, file + strlen(offered) + (offered[strlen(offered) - 1] != '/'), out_header);
        }
    }
    free(file);
    free(real);
    free(folder);
    return status;
}

/* Search beside the includer, then everywhere. `plain` has room for the includer's name and the included name. */
static yoke_status find(yk_headers *headers, const yk_header *includer, const yk_wanted *wanted, char *plain,
                        yk_header **out_header)
{
    bool inside = false, of_text = includer->place == YK_PLACE_TEXT;
    const char *name = wanted->name, *remedy = "";
    yoke_status status = YOKE_OK;

    if (name[0] == '/') {
        plain[0] = '/';
        if (join_name(plain + 1, "", name + 1))
            status = find_absolute(headers, plain, &inside, out_header);
        if (status < 0 || inside)
            return status;
        return yk_fail(YOKE_E_BUILD,
                       "%s: %.200s:%lu: an absolute path is rejected; add its folder to source.include_folders ('%.200s')",
                       headers->function, includer->path, wanted->line, name);
    }
    if (wanted->quoted && !wanted->after && !join_name(plain, includer->name, name)) {
        status = find_across(headers, includer, name, &inside, out_header);
    } else if (wanted->quoted && !wanted->after && !of_text) {
        inside = true;
        status = find_in(headers, includer->place, plain, out_header);
    }
    if (status < 0 || *out_header)
        return status;
    if (join_name(plain, "", name)) {
        inside = true;
        status = find_plain(headers, includer, wanted, plain, out_header);
    }
    if (includer->place == YK_PLACE_VIRTUAL)
        remedy = "; a virtual header's folder is part of its name: name the header as \"folder/header.h\"";
    else if (of_text && headers->own_folder < 0)
        remedy =
            "; a text in memory has no folder: include the header by its name in an include folder, or give the text as a file";
    else if (strstr(name, ".."))
        remedy = "; add the folder that it leads to, to source.include_folders";
    if (!inside)
        return yk_fail(YOKE_E_BUILD, "%s: %.200s:%lu: '%.200s' is rejected: it leads out of every include folder%s",
                       headers->function, includer->path, wanted->line, name, remedy);
    return status;
}

yoke_status yk_headers_find(yk_headers *headers, const yk_header *includer, const yk_wanted *wanted, yk_header **out_header)
{
    const char *name = wanted->name, *fault = NULL;

    *out_header = NULL;
    if (!*name)
        fault = "an #include of nothing";
    else if (!is_printable(name))
        fault = "this name is not a text";
    else if (wanted->extra)
        fault = "the line of this #include has text after the name";
    if (fault)
        return yk_fail(YOKE_E_BUILD, "%s: %.200s:%lu: %s ('%.200s')", headers->function, includer->path, wanted->line, fault,
                       is_printable(name) ? name : "");
    char *plain = malloc(strlen(includer->name) + strlen(name) + 2);
    if (!plain)
        return yk_no_memory("the name of a header");
    yoke_status status = find(headers, includer, wanted, plain, out_header);
    free(plain);
    return status;
}

void yk_headers_free(yk_headers *headers)
{
    while (headers->first) {
        yk_header *header = headers->first;
        headers->first = header->next;
        yk_header_free(header);
    }
    for (size_t i = 0; headers->folders && headers->folders[i]; i++)
        free(headers->folders[i]);
    free(headers->folders);
}
