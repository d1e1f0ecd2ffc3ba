/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which OpenCL drivers the loader will look at. Both loaders in use, ocl-icd and Khronos', take a folder in OCL_ICD_VENDORS,
 * which for the one of CUDA's toolkit has to end in a slash; ocl-icd also one .icd file or a library there, and a folder in
 * OPENCL_VENDOR_PATH; Khronos' also libraries in OCL_ICD_FILENAMES.
 */
#include "tools/ground/icds.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VENDORS "/etc/OpenCL/vendors"

static bool ends_in_icd(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

static void add(icd_list *list, char *file, char *library, char *fault)
{
    list->icds = tool_grow(list->icds, (list->count + 1) * sizeof *list->icds);
    list->icds[list->count++] = (icd){ file, library, fault };
}

static void add_file(icd_list *list, const char *path)
{
    char *text = tool_read_file(path, NULL);
    if (!text) {
        add(list, tool_text("%s", path), tool_text("%s", ""), tool_text("it cannot be read: %s", strerror(errno)));
        return;
    }
    text[strcspn(text, "\r\n")] = '\0';
    add(list, tool_text("%s", path), tool_text("%s", text), *text ? NULL : tool_text("it names no library"));
    free(text);
}

static int wanted(const struct dirent *entry)
{
    return ends_in_icd(entry->d_name);
}

static void add_folder(icd_list *list, const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, wanted, alphasort);
    size_t length = strlen(folder);
    for (int i = 0; i < count; i++) {
        char *path = tool_text("%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", entries[i]->d_name);
        add_file(list, path);
        free(path);
        free(entries[i]);
    }
    free(entries);
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Libraries by name, separated by colons. One without a slash is looked for where all libraries are. */
static void add_libraries(icd_list *list, const char *names)
{
    char *copy = tool_text("%s", names), *rest = copy;
    for (char *name = strtok_r(copy, ":", &rest); name; name = strtok_r(NULL, ":", &rest))
        add(list, tool_text("%s", name), tool_text("%s", name),
            strchr(name, '/') && access(name, F_OK) != 0
                ? tool_text("no such file or folder: unset the variable that names it, or name a folder with .icd files")
                : NULL);
    free(copy);
}

static void find_ordered(icd_list *list, const char *order)
{
    if (is_folder(order)) {
        add_folder(list, order);
    } else if (ends_in_icd(order) && strchr(order, '/')) {
        add_file(list, order);
    } else if (ends_in_icd(order)) {
        char *path = tool_text(VENDORS "/%s", order);
        add_file(list, path);
        free(path);
    } else {
        add_libraries(list, order);
    }
}

void icds_find(icd_list *list)
{
    const char *vendors = getenv("OCL_ICD_VENDORS"), *path = getenv("OPENCL_VENDOR_PATH"), *names = getenv("OCL_ICD_FILENAMES");
    *list = (icd_list){ .ordered = (vendors && *vendors) || (path && *path) };
    if (names && *names)
        add_libraries(list, names);
    if (vendors && *vendors) {
        list->place = tool_text("OCL_ICD_VENDORS=%s", vendors);
        list->lacks_slash = is_folder(vendors) && vendors[strlen(vendors) - 1] != '/';
        find_ordered(list, vendors);
    } else if (path && *path) {
        list->place = tool_text("OPENCL_VENDOR_PATH=%s", path);
        add_folder(list, path);
    } else {
        list->place = tool_text(VENDORS);
        add_folder(list, VENDORS);
    }
}

void icds_free(icd_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->icds[i].file);
        free(list->icds[i].library);
        free(list->icds[i].fault);
    }
    free(list->icds);
    free(list->place);
}
