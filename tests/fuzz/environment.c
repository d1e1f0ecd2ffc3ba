/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment variables of any values, as the library reads them: taken, or refused with words, and what is taken lies within what
 * is documented. The input is a list of strings: a letter that chooses the variable, then its value, up to a NUL. The readers make
 * folders: absolute paths are put into a folder of the target's own, which none of them leaves.
 */
#include "backend.h"

#include <ftw.h>
#include <unistd.h>

#include "../../backends/cuda/driver.h"
#include "program/cache/cache_folder.h"
#include "copy/fill.h"
#include "fuzz.h"
#include "device/selector.h"
#include "copy/staging.h"

enum { MOST = 200 }; /* bytes of a value */

static const char *const names[] = { "YOKE_BACKEND",      "YOKE_DEVICE",      "YOKE_LOG",   "YOKE_WATCHDOG", "YOKE_STAGING",
                                     "YOKE_COPY_THREADS", "YOKE_FILL_KERNEL", "YOKE_CACHE", "YOKE_NVRTC",    "YOKE_CACHE_SIZE",
                                     "YOKE_CACHE_DIR",    "XDG_CACHE_HOME",   "HOME" };
enum { COUNT = sizeof names / sizeof names[0], FIRST_PATH = 10, NVRTC = 8 };

static char sandbox[] = "/tmp/yoke-fuzz.XXXXXX";

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind;
    return where->level > 0 ? remove(path) : 0;
}

static void remove_sandbox(void)
{
    rmdir(sandbox);
}

/* A value that leads nowhere else. */
static void set(const char *name, const uint8_t *value, size_t size, bool is_path)
{
    char text[sizeof sandbox + MOST + 1];
    size_t length = size < MOST ? size : MOST, from = 0;
    if (is_path && length > 0 && value[0] == '/') {
        memcpy(text, sandbox, sizeof sandbox - 1);
        from = sizeof sandbox - 1;
    }
    memcpy(text + from, value, length);
    text[from + length] = '\0';
    for (char *up = strstr(text, ".."); is_path && up; up = strstr(text, ".."))
        memcpy(up, "__", 2);
    setenv(name, text, 1);
}

static void read_order(void)
{
    yk_selector selector;
    yoke_status status = yk_order_read(NULL, &selector);
    FUZZ_EXPECT(status == YOKE_OK || (status == YOKE_E_INVALID_ARGUMENT && *yoke_error()->text));
    FUZZ_EXPECT(status < 0 || !*selector.backend || yk_selector_takes_backend(&selector, selector.backend));
    status = yk_order_read("opencl:0", &selector);
    FUZZ_EXPECT(status == YOKE_OK || (status == YOKE_E_INVALID_ARGUMENT && strstr(yoke_error()->text, "YOKE_BACKEND")));
}

static void read_cache(void)
{
    yk_cache_folder folder;
    yk_cache_folder_open(&folder);
    FUZZ_EXPECT(folder.mode >= YOKE_CACHE_OFF && folder.mode <= YOKE_CACHE_ON);
    FUZZ_EXPECT((folder.mode == YOKE_CACHE_OFF) == (folder.folder == NULL));
    FUZZ_EXPECT(memchr(folder.reason, '\0', sizeof folder.reason) && memchr(folder.path, '\0', sizeof folder.path));
    yk_folder_close(folder.folder);
    nftw(sandbox, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void read_device(void)
{
    static yoke_device device; /* of which only what is read counts */
    yk_staging_init(&device);
    yk_filler_init(&device);
    FUZZ_EXPECT(device.copiers >= 1 && device.copiers <= 64);
}

static void read_log(void)
{
    yoke_log_set(YOKE_LOG_DEBUG, NULL, NULL);
    int level = atomic_load(&yk_log_level);
    FUZZ_EXPECT(level >= YOKE_LOG_OFF && level <= YOKE_LOG_DEBUG);
    atomic_store(&yk_log_level, YOKE_LOG_OFF);
}

static void read_nvrtc(void)
{
    const char *order = getenv("YOKE_NVRTC");
    yk_text log = { 0 };
    if (!order || !*order) /* then there may be one */
        return;
    yoke_status status = yk_nvrtc_load(&log);
    FUZZ_EXPECT(status == YOKE_E_UNAVAILABLE && strstr(yoke_error()->text, "YOKE_NVRTC"));
    yk_text_free(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static bool prepared;
    if (!prepared) {
        FUZZ_EXPECT(mkdtemp(sandbox) && atexit(remove_sandbox) == 0);
        yk_log_level = YOKE_LOG_OFF;
        prepared = true;
    }
    for (size_t i = 0; i < COUNT; i++)
        unsetenv(names[i]);
    while (size > 0) {
        const uint8_t *end = memchr(bytes, '\0', size);
        size_t length = end ? (size_t)(end - bytes) : size, which = length ? (size_t)(*bytes - 'a') % COUNT : 0;
        if (length > 0)
            set(names[which], bytes + 1, length - 1, which >= FIRST_PATH || which == NVRTC);
        bytes += length + (end != NULL);
        size -= length + (end != NULL);
    }
    read_order();
    read_cache();
    read_device();
    read_log();
    read_nvrtc();
    return 0;
}
