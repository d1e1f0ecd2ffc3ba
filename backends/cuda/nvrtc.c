/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding NVRTC, NVIDIA's compiler library, and filling the table of its functions at the first build. NVRTC comes with the
 * toolkit, not with the driver, so it may be in one of many places or missing. The library is never unloaded.
 */
#include "driver.h"

#include "base/system/environment.h"
#include "base/system/file.h"
#include "base/system/loader.h"
#include "base/system/names.h"
#include "base/system/room.h"

#include <stdlib.h>
#include <string.h>

yk_nvrtc_table yk_nvrtc;

/* libnvrtc.so.11.2 is the soname of 11.2 to 11.8. Older versions lack functions that Yoke needs. */
static const char *const sonames[] = { YK_NAMES_NVRTC };

#define HOME_FOLDER "$" YK_TOOLKIT_VARIABLE YK_TOOLKIT_LIBRARIES
#define LAST_FOLDER YK_TOOLKIT YK_TOOLKIT_LIBRARIES

/* Fill the table from one candidate. On failure the reason becomes a line of the log. */
static bool try_handle(const char *path, void *library, yk_text *log)
{
    static const yk_symbol symbols[] = {
#define YK_NVRTC_SYMBOL(need, result, name, parameters, ...) { #name, offsetof(yk_nvrtc_table, name), YK_CUDA_##need },
#include "symbols.def"
    };
    yk_nvrtc_table table;
    yk_text missing = { 0 };
    bool found = false;

    yk_library_bind(library, &table, symbols, YK_COUNT_OF(symbols), &missing);
    if (missing.length) {
        yk_text_add(log, "%s: not NVRTC 11.2 or later: lacks %s\n", path, yk_text_get(&missing));
    } else {
        yk_nvrtc = table;
        yk_nvrtc_inject();
        found = true;
    }
    yk_text_free(&missing);
    return found;
}

static bool try_library(const char *path, yk_text *log)
{
    void *library = yk_loader_open(path);
    if (!library)
        yk_text_add(log, "%s\n", yk_loader_why());
    return library && try_handle(path, library, log);
}

static bool try_loaded(yk_text *log)
{
    bool found = false;
    for (size_t i = 0; i < YK_COUNT_OF(sonames) && !found; i++) {
        void *library = yk_loader_find(sonames[i]);
        found = library && try_handle(sonames[i], library, log);
    }
    return found;
}

static bool try_sonames(yk_text *log)
{
    for (size_t i = 0; i < YK_COUNT_OF(sonames); i++)
        if (try_library(sonames[i], log))
            return true;
    return false;
}

static bool try_folder(const char *folder, const char *subfolder, yk_text *log)
{
    bool found = false;
    for (size_t i = 0; i < YK_COUNT_OF(sonames) && !found; i++) {
        yk_text path = { 0 };
        yk_text_add(&path, "%s%s/%s", folder, subfolder, sonames[i]);
        found = try_library(yk_text_get(&path), log);
        yk_text_free(&path);
    }
    return found;
}

static yoke_status obey(const char *order, yk_text *log)
{
    if (!yk_path_is_absolute(order))
        return yk_fail(YOKE_E_UNAVAILABLE,
                       "cuda: YOKE_NVRTC is '%s'; it must be an absolute path, as %s/%s", order, LAST_FOLDER, sonames[0]);
    if (try_library(order, log))
        return YOKE_OK;
    return yk_fail(YOKE_E_UNAVAILABLE, "cuda: YOKE_NVRTC is %s, which cannot be used as NVRTC: %s", order, yk_text_get(log));
}

static yoke_status find(yk_text *log)
{
    const char *order = yk_environment("YOKE_NVRTC");
    const char *home = yk_environment(YK_TOOLKIT_VARIABLE);

    if (order && *order)
        return obey(order, log);
    const char *none = home ? HOME_FOLDER " (" YK_TOOLKIT_VARIABLE " is not an absolute path)"
                            : HOME_FOLDER " (" YK_TOOLKIT_VARIABLE " is not set)";
    if (!home || !yk_path_is_absolute(home)) /* a relative path would depend on the program's working directory */
        home = NULL;
    if (try_loaded(log) || try_sonames(log) || (home && try_folder(home, YK_TOOLKIT_LIBRARIES, log)) ||
        try_folder(LAST_FOLDER, "", log))
        return YOKE_OK;
    const char *lack = yk_room_lacks(YK_ROOM_OF_DRIVER);
    if (lack)
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "cuda: NVRTC, which compiles CUDA sources, cannot be searched for: %s", lack);
    return yk_fail(YOKE_E_UNAVAILABLE,
                   "cuda: NVRTC, which compiles CUDA sources, is missing: searched for " YK_TEXT_NVRTC
                   " in the loader's path, %s%s and " LAST_FOLDER
                   "; install it (NVIDIA's packages: cuda-nvrtc; Debian: nvidia-cuda-toolkit; pip: nvidia-cuda-nvrtc), or set "
                   "YOKE_NVRTC to the absolute path of the library",
                   home ? home : none, home ? YK_TOOLKIT_LIBRARIES : "");
}

yoke_status yk_nvrtc_load(yk_text *log)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects `loaded`, and yk_nvrtc until `loaded` is set */
    static bool loaded;
    yoke_status status = YOKE_OK;
    yk_text tried = { 0 };

    pthread_mutex_lock(&lock);
    if (!loaded) {
        status = find(&tried);
        loaded = status == YOKE_OK;
    }
    pthread_mutex_unlock(&lock);
    if (status < 0) /* irrelevant once a library is found */
        yk_text_add_bytes(log, yk_text_get(&tried), tried.length);
    yk_text_free(&tried);
    return status;
}
