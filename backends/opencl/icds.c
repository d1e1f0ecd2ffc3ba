/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drivers that the OpenCL loader starts. Both common loaders, ocl-icd and Khronos', read the .icd files of a folder, which
 * OCL_ICD_VENDORS may name. ocl-icd also accepts a single .icd file or a library there, and a folder in OPENCL_VENDOR_PATH.
 * Khronos' also accepts libraries in OCL_ICD_FILENAMES, and layers in OPENCL_LAYERS and in the .lay files of a folder. This file
 * loads no library.
 */
#include "driver.h"

#include "base/system/environment.h"
#include "base/system/file.h"

#include <stdlib.h>

#define VENDORS "/etc/OpenCL/vendors"
#define LAYERS "/etc/OpenCL/layers"

/* Called for each .icd file, and for each library that the environment names, which has no .icd file. */
typedef void (*icd_fn)(const char *file, const char *library, void *user);

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);

    return length > wanted && strcmp(name + length - wanted, end) == 0;
}

/* The first line of a file, "" when it cannot be read. Links are followed, as loaders follow them. */
static void read_line(const char *path, char *line, size_t size)
{
    int file = yk_file_open(path, YK_FILE_FOLLOW);
    ptrdiff_t length = file < 0 ? -1 : yk_file_read(file, line, size - 1);

    line[length > 0 ? length : 0] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    if (file >= 0)
        yk_file_close(file);
}

static void visit_file(const char *path, icd_fn visit, void *user)
{
    char library[1024];

    read_line(path, library, sizeof library);
    visit(path, library, user);
}

static void visit_folder(const char *folder, const char *end, icd_fn visit, void *user)
{
    yk_folder *open = yk_folder_open(folder, true);
    char **names = open ? yk_folder_list(open) : NULL;

    for (size_t i = 0; names && names[i]; i++) {
        yk_text path = { 0 };
        if (!ends_in(names[i], end))
            continue;
        yk_text_add(&path, "%s%s%s", folder, ends_in(folder, "/") ? "" : "/", names[i]);
        visit_file(yk_text_get(&path), visit, user);
        yk_text_free(&path);
    }
    yk_folder_list_free(names);
    yk_folder_close(open);
}

static void visit_libraries(const char *names, icd_fn visit, void *user)
{
    yk_text copy = { 0 };
    char *rest = NULL;

    yk_text_add(&copy, "%s", names);
    for (char *name = copy.data ? strtok_r(copy.data, ":", &rest) : NULL; name; name = strtok_r(NULL, ":", &rest))
        visit(NULL, name, user);
    yk_text_free(&copy);
}

static const char *variable(const char *name)
{
    const char *value = yk_environment(name);

    return value && *value ? value : NULL;
}

/* Visit the drivers that OCL_ICD_VENDORS names. */
static void visit_ordered(const char *order, icd_fn visit, void *user)
{
    yk_file_facts facts;
    yk_text path = { 0 };

    if (yk_path_get_facts(order, &facts) && facts.kind == YK_FILE_FOLDER) {
        visit_folder(order, ".icd", visit, user);
    } else if (ends_in(order, ".icd")) {
        yk_text_add(&path, "%s%s", strchr(order, '/') ? "" : VENDORS "/", order);
        visit_file(yk_text_get(&path), visit, user);
        yk_text_free(&path);
    } else {
        visit_libraries(order, visit, user);
    }
}

static void visit_all(icd_fn visit, void *user)
{
    const char *vendors = variable("OCL_ICD_VENDORS"), *path = variable("OPENCL_VENDOR_PATH");
    const char *libraries = variable("OCL_ICD_FILENAMES");

    if (libraries)
        visit_libraries(libraries, visit, user);
    if (vendors)
        visit_ordered(vendors, visit, user);
    else
        visit_folder(path ? path : VENDORS, ".icd", visit, user);
}

/* ---- The key ---- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

typedef struct loaded_search {
    const char *name;
    bool found;
} loaded_search;

static int compare_loaded(const char *path, void *user)
{
    loaded_search *search = user;

    search->found = strcmp(file_name(path), search->name) == 0;
    return search->found;
}

typedef struct driver_key {
    yk_text *text;
    bool loaded; /* one of these libraries is loaded in this process */
} driver_key;

static void add_to_key(const char *file, const char *library, void *user)
{
    driver_key *key = user;
    loaded_search search = { file_name(library), false };

    if (file)
        yk_text_add_file(key->text, file);
    if (strchr(library, '/'))
        yk_text_add_file(key->text, library);
    else
        yk_text_add(key->text, "%s\n", library);
    if (*search.name)
        yk_library_each_loaded(compare_loaded, &search);
    key->loaded = key->loaded || search.found;
}

bool yk_opencl_driver_key(yk_text *text)
{
    /* The last three belong to drivers, and choose their devices. */
    static const char *const variables[] = { "OCL_ICD_VENDORS",       "OPENCL_VENDOR_PATH",
                                             "OCL_ICD_FILENAMES",     "OCL_ICD_ASSUME_ICD_EXTENSION",
                                             "OCL_ICD_PLATFORM_SORT", "OPENCL_LAYERS",
                                             "OPENCL_LAYER_PATH",     "POCL_DEVICES",
                                             "RUSTICL_ENABLE",        "CUDA_VISIBLE_DEVICES" };
    const char *layers = variable("OPENCL_LAYER_PATH");
    driver_key key = { text, false };

    for (size_t i = 0; i < YK_COUNT_OF(variables); i++)
        yk_text_add_variable(text, variables[i]);
    visit_all(add_to_key, &key);
    bool loaded = key.loaded;
    visit_folder(layers ? layers : LAYERS, ".lay", add_to_key, &key);
    return !loaded;
}

/* ---- A single driver ---- */

typedef struct driver_visit {
    yk_driver_visit *visit;
    void *user;
} driver_visit;

/* ocl-icd takes the file from the first variable, and ignores the second; Khronos' loader finds no folder in the first. */
static void visit_driver(const char *file, const char *library, void *user)
{
    driver_visit *v = user;
    yk_text settings = { 0 };

    if (!*library)
        return;
    yk_text_add(&settings, "OCL_ICD_VENDORS=%s\nOCL_ICD_FILENAMES=%s\n", file ? file : library, library);
    v->visit(file ? file : library, yk_text_get(&settings), v->user);
    yk_text_free(&settings);
}

void yk_opencl_driver_each(yk_driver_visit *visit, void *user)
{
    visit_all(visit_driver, &(driver_visit){ visit, user });
}
