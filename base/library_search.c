/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching a vendor's library: the file that the environment orders, and no other; else already in the process; in NVIDIA's
 * Python packages and in conda's environment; in the loader's path; in the CUDA Toolkit. The first that can be used is taken. It is
 * never closed: such libraries leave threads and exit handlers behind.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library_search.h"
#include "base/system/environment.h"
#include "base/system/file.h"
#include "base/system/loader.h"
#include "base/system/names.h"
#include "base/system/room.h"

static const char own_place; /* its address lies in the library that this is part of */

#define PACKAGES "-packages/"

typedef struct search {
    const yvendor_library *library;
    const char *soname; /* the one that is tried now */
    yvendor_found *found;
} search;

/* A path; false when it is too long. */
static bool join(char path[PATH_MAX], const char *format, ...) YOKE_PRINTF(2, 3);
static bool join(char path[PATH_MAX], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(path, PATH_MAX, format, args);
    va_end(args);
    return length >= 0 && length < PATH_MAX;
}

/* The first reason is kept: it is that of the place that comes first. */
static void blame(search *s, const char *format, ...) YOKE_PRINTF(2, 3);
static void blame(search *s, const char *format, ...)
{
    va_list args;
    if (s->found->reason[0])
        return;
    va_start(args, format);
    vsnprintf(s->found->reason, sizeof s->found->reason, format, args);
    va_end(args);
}

/* ---- One candidate ---- */

static bool bind(const search *s, void *handle, char *missing, size_t size)
{
    const yvendor_library *library = s->library;
    size_t length = 0;
    missing[0] = '\0';
    for (size_t i = 0; i < library->symbol_count; i++) {
        void *function = yk_loader_symbol(handle, library->symbols[i].name);
        memcpy((char *)library->table + library->symbols[i].offset, &function, sizeof function);
        if (!function && length < size)
            length += (size_t)snprintf(missing + length, size - length, "%s%s", length ? ", " : "", library->symbols[i].name);
    }
    return length == 0;
}

/* The file that a library came from. */
static void note_path(search *s, const char *path)
{
    void *function;
    memcpy(&function, s->library->table, sizeof function); /* the first one */
    char *real = function ? yk_loader_path_of(function) : NULL;
    snprintf(s->found->path, sizeof s->found->path, "%s", real ? real : path);
    free(real);
}

static bool try_handle(search *s, const char *path, void *handle)
{
    char missing[YVENDOR_REASON_SIZE / 2], reason[YVENDOR_REASON_SIZE / 2] = "";
    bool complete = bind(s, handle, missing, sizeof missing);
    if (!complete)
        blame(s, "%s is not a %s that Yoke can use: it lacks %s", path, s->library->name, missing);
    else
        note_path(s, path);
    if (complete && s->library->get_version(s->found->path, s->found->version, reason, sizeof reason)) {
        s->found->usable = true;
        s->found->reason[0] = '\0';
        return true;
    }
    if (complete)
        blame(s, "%s (%s)", reason, path);
    memset(s->library->table, 0, s->library->table_size);
    s->found->path[0] = s->found->version[0] = '\0';
    return false;
}

static bool try_path(search *s, const char *path)
{
    void *handle = yk_loader_open(path);
    const char *why = handle ? "" : yk_loader_why();
    if (!handle && !yk_loader_is_absent(path, why))
        blame(s, "%s", why);
    return handle && try_handle(s, path, handle);
}

/* ---- Places ---- */

static bool try_folder(search *s, const char *folder)
{
    char path[PATH_MAX];
    return join(path, "%s/%s", folder, s->soname) && yk_path_is_there(path) && try_path(s, path);
}

/* The folders `folder`/PREFIX*`rest`, each given to `visit`. */
static bool each(search *s, const char *folder, const char *prefix, const char *rest, bool (*visit)(search *, const char *))
{
    char path[PATH_MAX];
    bool found = false;
    yk_folder *open = yk_folder_open(folder, true);
    char **names = open ? yk_folder_list(open) : NULL;
    for (size_t i = 0; names && names[i] && !found; i++)
        if (names[i][0] != '.' && strncmp(names[i], prefix, strlen(prefix)) == 0 &&
            join(path, "%s/%s%s", folder, names[i], rest))
            found = visit(s, path);
    yk_folder_list_free(names);
    yk_folder_close(open);
    return found;
}

/* NVIDIA's packages: nvidia/cublas/lib of CUDA 11 and 12, nvidia/cu13/lib. */
static bool try_packages(search *s, const char *packages)
{
    char folder[PATH_MAX];
    return join(folder, "%s/nvidia", packages) && each(s, folder, "", "/lib", try_folder);
}

/* The packages that a loaded object lies in: ours, or one of NVIDIA's. */
static bool try_packages_of(search *s, const char *object)
{
    char folder[PATH_MAX];
    const char *at = object && yk_path_is_absolute(object) ? strstr(object, PACKAGES) : NULL;
    return at && join(folder, "%.*s", (int)(at - object + (int)strlen(PACKAGES) - 1), object) && try_packages(s, folder);
}

static int visit_object(const char *path, void *user)
{
    char(*first)[PATH_MAX] = user;
    return strstr(path, PACKAGES "nvidia/") && join(*first, "%s", path);
}

static bool try_python(search *s)
{
    char object[PATH_MAX] = "", folder[PATH_MAX];
    const char *environment = yk_environment("VIRTUAL_ENV");
    char *own = yk_loader_path_of(&own_place);
    bool found = own && try_packages_of(s, own);
    free(own);
    if (found)
        return true;
    yk_loader_each(visit_object, &object);
    if (try_packages_of(s, object))
        return true;
    return environment && yk_path_is_absolute(environment) && join(folder, "%s/lib", environment) &&
           each(s, folder, "python3", "/site-packages", try_packages);
}

static bool try_conda(search *s)
{
    const char *prefix = yk_environment("CONDA_PREFIX");
    char folder[PATH_MAX];
    if (!prefix || !yk_path_is_absolute(prefix) || !join(folder, "%s/lib", prefix))
        return false;
    return try_folder(s, folder) || (s->library->in_toolkit && each(s, folder, "python3", "/site-packages", try_packages));
}

static bool try_toolkit(search *s)
{
    static const char *const variables[] = { "CUDA_HOME", "CUDA_PATH", NULL };
    char folder[PATH_MAX];
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *home = variables[i] ? yk_environment(variables[i]) : YK_TOOLKIT;
        if (home && yk_path_is_absolute(home) && join(folder, "%s" YK_TOOLKIT_LIBRARIES, home) && try_folder(s, folder))
            return true;
    }
    return false;
}

static bool try_loaded(search *s)
{
    void *handle = yk_loader_find(s->soname);
    return handle && try_handle(s, s->soname, handle);
}

static bool try_system(search *s)
{
    return try_path(s, s->soname);
}

/* ---- The search ---- */

/* What the environment orders is the only one, or none. */
static void obey(search *s, const char *path)
{
    if (!yk_path_is_absolute(path))
        blame(s, "%s=%.200s is no absolute path", s->library->order, path);
    else if (!yk_path_is_there(path))
        blame(s, "%s is not there: %s=%.200s is no file; %s", s->library->name, s->library->order, path, s->library->advice);
    else
        (void)try_path(s, path);
}

/* Whether there is room to open a library that needs others: cuBLAS and cuFFT are that large. */
static bool has_room(void)
{
    return yk_room_lacks((size_t)512 << 20) == NULL;
}

bool yvendor_search(const yvendor_library *library, yvendor_found *out_found)
{
    static const struct {
        bool (*try)(search *);
        bool toolkit_only;
    } places[] = {
        { try_loaded, false }, { try_python, true }, { try_conda, false }, { try_system, false }, { try_toolkit, true },
    };
    const char *order = library->order ? yk_environment(library->order) : NULL;
    search s = { .library = library, .found = out_found };
    bool dynamic = yk_loader_works();
    *out_found = (yvendor_found){ .usable = false };
    if (!dynamic)
        blame(&s, "a program linked with -static cannot open libraries");
    if (order && *order) {
        if (dynamic)
            obey(&s, order);
        return out_found->usable || has_room();
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0] && dynamic && !out_found->usable; i++)
        for (size_t k = 0; library->sonames[k] && !out_found->usable; k++) {
            s.soname = library->sonames[k];
            if (!places[i].toolkit_only || library->in_toolkit)
                (void)places[i].try(&s);
        }
    if (!out_found->usable)
        blame(&s, "%s is not there: searched for %s%s in the process, %s$CONDA_PREFIX/lib, the loader's path%s; %s", library->name,
              library->sonames[0], library->sonames[1] ? " and older ones" : "",
              library->in_toolkit ? "NVIDIA's Python packages, " : "",
              library->in_toolkit ? ", $CUDA_HOME, $CUDA_PATH and " YK_TOOLKIT : "", library->advice);
    return out_found->usable || has_room();
}
