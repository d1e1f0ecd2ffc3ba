/* SPDX-License-Identifier: Apache-2.0 */
/* Where a vendor's library is searched for, and what is said when it is not there or not the right one; without a device. */
#include "ops/library/library.h"
#include "../../tap/tap.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The C library's own libm stands for a vendor's library. */
typedef struct table {
    double (*cos)(double);
    double (*sin)(double);
} table;

static table functions;
static const yvendor_symbol right[] = { { "cos", offsetof(table, cos) }, { "sin", offsetof(table, sin) } };
static const yvendor_symbol wrong[] = { { "cos", offsetof(table, cos) }, { "cosOfNothing", offsetof(table, sin) } };
static const char *const sonames[] = { "libyoke-nothing.so.2", "libyoke-nothing.so.1", NULL };
static const char *const mathematics[] = { "libm.so.6", NULL };

static bool version_1(const char *path, char *version, char *reason, size_t size)
{
    (void)path, (void)reason, (void)size;
    snprintf(version, YVENDOR_VERSION_SIZE, "1.2.3");
    return true;
}

static bool version_0(const char *path, char *version, char *reason, size_t size)
{
    (void)path, (void)version;
    snprintf(reason, size, "it is of version 0");
    return false;
}

static yvendor_library library_of(const char *const *names, const yvendor_symbol *symbols, bool in_toolkit)
{
    return (
        yvendor_library){ "Nothing", names, in_toolkit, "install it", NULL, &functions, sizeof functions, symbols, 2, version_1 };
}

static char home[PATH_MAX], real[PATH_MAX];

/* home/FOLDER/libyoke-nothing.so.NUMBER, which is libm. */
static void put(const char *folder, int number, bool there)
{
    char path[2 * PATH_MAX], *at = path + strlen(home) + 1;
    snprintf(path, sizeof path, "%s/%s/libyoke-nothing.so.%d", home, folder, number);
    for (at = strchr(at, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
    if (there)
        tap_ok(symlink(real, path) == 0, "%s", path + strlen(home));
    else
        (void)unlink(path);
}

/* A library that only lies in home/FOLDER is found there by the variable, and not without it. */
static void try_place(const char *variable, const char *value, const char *folder, bool in_toolkit)
{
    char text[2 * PATH_MAX];
    yvendor_found found;
    yvendor_library library = library_of(sonames, right, in_toolkit);
    put(folder, 1, true);
    unsetenv(variable);
    yvendor_search(&library, &found);
    tap_ok(!found.usable && !functions.cos, "without %s it is not there", variable);
    snprintf(text, sizeof text, "%s/%s", home, value);
    setenv(variable, text, 1);
    yvendor_search(&library, &found);
    tap_ok(found.usable && functions.cos && functions.cos(0) == 1 && !found.reason[0], "with %s it is: %s", variable, found.reason);
    tap_ok(strcmp(found.path, real) == 0 && strcmp(found.version, "1.2.3") == 0, "with its file and its version");
    setenv(variable, value, 1);
    yvendor_search(&library, &found);
    tap_ok(!found.usable, "a relative path is not looked at");
    unsetenv(variable);
    put(folder, 1, false);
    memset(&functions, 0, sizeof functions);
}

static void places(void)
{
    try_place("VIRTUAL_ENV", "venv", "venv/lib/python3.11/site-packages/nvidia/cublas/lib", true);
    try_place("VIRTUAL_ENV", "venv", "venv/lib/python3.13/site-packages/nvidia/cu13/lib", true);
    try_place("CONDA_PREFIX", "conda", "conda/lib", false);
    try_place("CONDA_PREFIX", "conda", "conda/lib/python3.12/site-packages/nvidia/cufft/lib", true);
    try_place("CUDA_HOME", "toolkit", "toolkit/lib64", true);
    try_place("CUDA_PATH", "toolkit", "toolkit/lib64", true);
}

/* There in three places, the library is taken from the first, in the order of the search. Each is a file of its own, in a folder
 * that the loader does not know yet: it would take a path that it knows for what it has loaded from there. */
static void precedence(void)
{
    static const char *const where[][3] = {
        { "VIRTUAL_ENV", "venv-2", "venv-2/lib/python3.11/site-packages/nvidia/cublas/lib" },
        { "CONDA_PREFIX", "conda-2", "conda-2/lib" },
        { "CUDA_HOME", "toolkit-2", "toolkit-2/lib64" },
    };
    enum { PLACES = sizeof where / sizeof *where };
    char own[PATH_MAX], text[4 * PATH_MAX], copies[PLACES][2 * PATH_MAX];
    yvendor_found found;
    yvendor_library library = library_of(sonames, right, true);
    memcpy(own, real, sizeof own);
    for (int i = 0; i < PLACES; i++) {
        snprintf(copies[i], sizeof copies[i], "%s/copy-%d.so", home, i);
        snprintf(text, sizeof text, "cp '%s' '%s'", own, copies[i]);
        tap_ok(system(text) == 0 && realpath(copies[i], real), "a copy for %s", where[i][0]);
        put(where[i][2], 1, true);
        snprintf(copies[i], sizeof copies[i], "%s", real);
        snprintf(text, sizeof text, "%s/%s", home, where[i][1]);
        setenv(where[i][0], text, 1);
    }
    for (int i = 0; i < PLACES; i++) {
        yvendor_search(&library, &found);
        tap_ok(found.usable && strcmp(found.path, copies[i]) == 0, "of those that are left, %s is the first: %s", where[i][0],
               found.path);
        put(where[i][2], 1, false);
    }
    for (int i = 0; i < PLACES; i++)
        unsetenv(where[i][0]);
    memcpy(real, own, sizeof own);
    memset(&functions, 0, sizeof functions);
}

static void reasons(void)
{
    yvendor_found found;
    yvendor_library library = library_of(sonames, right, true);
    yvendor_search(&library, &found);
    tap_ok(!found.usable && strstr(found.reason, "Nothing is not there") && strstr(found.reason, "libyoke-nothing.so.2") &&
               strstr(found.reason, "$CUDA_HOME") && strstr(found.reason, "install it"),
           "absent: %s", found.reason);
    library = library_of(mathematics, wrong, false);
    yvendor_search(&library, &found);
    tap_ok(!found.usable && strstr(found.reason, "lacks cosOfNothing") && !functions.cos && !found.path[0], "incomplete: %s",
           found.reason);
    library = library_of(mathematics, right, false);
    library.get_version = version_0;
    yvendor_search(&library, &found);
    tap_ok(!found.usable && strstr(found.reason, "it is of version 0") && !functions.cos && !found.version[0],
           "of a wrong version: %s", found.reason);
    library.get_version = version_1;
    yvendor_search(&library, &found);
    tap_ok(found.usable && functions.sin, "in the process already");
}

static void public_function(void)
{
    static const char *const names[] = { "cuBLAS", "cuFFT", "CLBlast" };
    yoke_ops_library library = YOKE_OPS_LIBRARY_INIT, short_one = YOKE_OPS_LIBRARY_INIT;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tap_ok(yoke_ops_get_library(i, &library) == YOKE_OK && strcmp(library.name, names[i]) == 0, "%s", names[i]);
        tap_ok((*library.path == '/') == !*library.reason && (*library.path || !*library.version), "%s%s", library.path,
               library.reason);
    }
    tap_ok(yoke_ops_get_library(3, &library) == YOKE_E_RANGE && strstr(yoke_error()->text, "index is 3"), "a wrong index");
    tap_ok(yoke_ops_get_library(0, NULL) == YOKE_E_INVALID_ARGUMENT && strstr(yoke_error()->text, "out_library"), "NULL");
    short_one.size = 0;
    tap_ok(yoke_ops_get_library(0, &short_one) == YOKE_OK && short_one.size == 0 && short_one.reason, "a size of 0");
    short_one = (yoke_ops_library)YOKE_OPS_LIBRARY_INIT;
    short_one.size = offsetof(yoke_ops_library, path);
    tap_ok(yoke_ops_get_library(0, &short_one) == YOKE_OK && short_one.name && !short_one.path, "an older program's struct");
}

/* The names of results. */
static void results(void)
{
    tap_ok(strcmp(yops_cublas_result(13), "CUBLAS_STATUS_EXECUTION_FAILED") == 0, "cuBLAS");
    tap_ok(strcmp(yops_cufft_result(6), "CUFFT_EXEC_FAILED") == 0, "cuFFT");
    tap_ok(strcmp(yops_clblast_result(-1014), "CLBlastInvalidLeadDimC") == 0, "CLBlast");
    tap_ok(strcmp(yops_cublas_result(999), "unknown code") == 0, "another");
}

int main(void)
{
    const char *temporary = getenv("TMPDIR");
    char remove[PATH_MAX + 16];
    struct link_map *map;
    void *handle = dlopen(mathematics[0], RTLD_NOW);
    snprintf(home, sizeof home, "%s/yoke-vendor.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    tap_start(60);
    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !realpath(map->l_name, real) || !mkdtemp(home))
        tap_skip_all("there is no libm.so.6, or no temporary folder");
    unsetenv("VIRTUAL_ENV");
    unsetenv("CONDA_PREFIX");
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    reasons();
    memset(&functions, 0, sizeof functions);
    places();
    precedence();
    public_function();
    results();
    snprintf(remove, sizeof remove, "rm -r '%s'", home);
    tap_ok(system(remove) == 0, "all is removed");
    return tap_done();
}
