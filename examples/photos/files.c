/* SPDX-License-Identifier: Apache-2.0 */
/* The list of pictures, made from files and folders. Two inputs of the same name get outputs of different names. */
#include "photos.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void photo_fail(photo *p, const char *format, ...)
{
    va_list arguments;

    if (p->failed)
        return;
    p->failed = true;
    va_start(arguments, format);
    vsnprintf(p->error, sizeof p->error, format, arguments);
    va_end(arguments);
}

bool folder_make(const char *path, char *error, size_t size)
{
    struct stat s;

    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode)))
        return true;
    snprintf(error, size, "%s: cannot make this folder: %s", path,
             errno == EEXIST ? "there is a file of this name" : strerror(errno));
    return false;
}

static bool name_taken(const photo_list *list, const char *output)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].output && strcmp(list->items[i].output, output) == 0)
            return true;
    return false;
}

/* FOLDER/NAME, or FOLDER/NAME-2 and so on when an earlier photo has that already. */
static char *output_name(const photo_list *list, const char *folder, const char *name)
{
    const char *dot = strrchr(name, '.');
    int stem = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    size_t size = strlen(folder) + strlen(name) + 32;
    char *path = malloc(size);

    if (!path)
        return NULL;
    snprintf(path, size, "%s/%.*s.png", folder, stem, name);
    for (unsigned i = 2; name_taken(list, path); i++)
        snprintf(path, size, "%s/%.*s-%u.png", folder, stem, name, i);
    return path;
}

bool photos_add(photo_list *list, const char *input, const char *folder, const char *name)
{
    photo p = { 0 };
    struct stat s;

    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 32;
        photo *items = realloc(list->items, capacity * sizeof *items);
        if (!items)
            return false;
        list->items = items;
        list->capacity = capacity;
    }
    p.input = strdup(input);
    p.output = name ? output_name(list, folder, name) : NULL;
    if (!p.input || (name && !p.output)) {
        free(p.input);
        free(p.output);
        return false;
    }
    if (stat(p.input, &s) == 0) {
        p.disk = s.st_dev;
        p.inode = s.st_ino;
    }
    list->items[list->count++] = p;
    return true;
}

static bool add_failed(photo_list *list, const char *input, const char *out, const char *reason)
{
    bool added = photos_add(list, input, out, NULL);

    if (added)
        photo_fail(&list->items[list->count - 1], "%s", reason);
    return added;
}

static int is_png(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return entry->d_name[0] != '.' && dot && strcasecmp(dot, ".png") == 0;
}

static bool add_folder(photo_list *list, const char *folder, const char *out)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_png, alphasort);
    bool ok = true;

    if (count <= 0)
        ok = add_failed(list, folder, out, count < 0 ? strerror(errno) : "there is no .png file in this folder");
    for (int i = 0; i < count; i++) {
        size_t size = strlen(folder) + strlen(entries[i]->d_name) + 2;
        char *path = ok ? malloc(size) : NULL;

        if (path)
            snprintf(path, size, "%s/%s", folder, entries[i]->d_name);
        ok = path && photos_add(list, path, out, entries[i]->d_name);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return ok;
}

/* No result may take the place of a picture that was given: it could even be read after that. */
static void spare_inputs(photo_list *list)
{
    struct stat s;

    for (size_t i = 0; i < list->count; i++) {
        photo *p = &list->items[i];
        if (!p->output || stat(p->output, &s) != 0)
            continue;
        for (size_t j = 0; j < list->count; j++)
            if (list->items[j].disk == s.st_dev && list->items[j].inode == s.st_ino)
                photo_fail(p, "its result would overwrite the picture %s: choose another --out", list->items[j].input);
    }
}

bool photos_find(photo_list *list, char **arguments, int count, const char *out)
{
    for (int i = 0; i < count; i++) {
        const char *path = arguments[i], *slash = strrchr(path, '/');
        struct stat s;
        bool ok;

        if (stat(path, &s) != 0)
            ok = add_failed(list, path, out, strerror(errno));
        else if (S_ISDIR(s.st_mode))
            ok = add_folder(list, path, out);
        else
            ok = photos_add(list, path, out, slash ? slash + 1 : path);
        if (!ok)
            return false;
    }
    spare_inputs(list);
    return true;
}

void photos_free(photo_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].input);
        free(list->items[i].output);
    }
    free(list->items);
    *list = (photo_list){ 0 };
}
