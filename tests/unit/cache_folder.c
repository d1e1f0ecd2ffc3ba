/* SPDX-License-Identifier: Apache-2.0 */
/* Which folder the cache takes, by the environment; which ones it does not, and that it says why, once. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tap/tap.h"
#include "program/cache/program_cache.h"
#include "sandbox.h"

enum { NOBODY = 65534 }; /* a user that owns nothing here */

static unsigned warnings;
static char warning[1024];

static void note_warning(int level, const char *line, void *user)
{
    (void)user;
    if (level == YOKE_LOG_WARNING) {
        warnings++;
        snprintf(warning, sizeof warning, "%s", line);
    }
}

static bool store_and_find(void)
{
    yk_text key = { 0 }, image = { 0 };
    yk_text_add(&key, "key");
    yk_text_add(&image, "image");
    yk_cache_store(&key, &image);
    yk_text_free(&image);
    bool found = yk_cache_find(&key, &image);
    yk_text_free(&key);
    yk_text_free(&image);
    return found;
}

/* The mode, and words of the reason; nothing is found where the mode is not `on`, and the log tells it once. */
static void is(int32_t mode, const char *reason)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    yoke_log_set(YOKE_LOG_WARNING, note_warning, NULL);
    EXPECT(store_and_find() == (mode == YOKE_CACHE_ON));
    EXPECT(yoke_cache_get_info(&info) == YOKE_OK && store_and_find() == (mode == YOKE_CACHE_ON));
    if (!EXPECT(info.mode == mode && (*reason ? strstr(info.reason, reason) != NULL : !*info.reason)))
        tap_diag("mode %d, \"%s\"", (int)info.mode, info.reason);
    EXPECT(warnings == (*reason ? 1 : 0));
    EXPECT(!warnings || (strstr(warning, info.reason) && strstr(warning, info.folder)));
    EXPECT(yoke_error()->status == YOKE_OK);
}

static void in_folder(const char *path)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    is(YOKE_CACHE_ON, "");
    EXPECT(yoke_cache_get_info(&info) == YOKE_OK && strcmp(info.folder, path) == 0);
    EXPECT(sandbox_count(path, ".yoke", NULL, 0) == 1);
}

static bool has_mode(const char *path, unsigned mode)
{
    struct stat status;
    return stat(path, &status) == 0 && (status.st_mode & 07777) == mode;
}

/* ---- Where it is ---- */

static void by_dir(void)
{
    umask(0);
    in_folder(sandbox_path("deep/er/cache"));
    EXPECT(has_mode(sandbox_path("deep"), 0700) && has_mode(sandbox_path("deep/er"), 0700));
}

static void by_dir_with_slashes(void)
{
    in_folder(sandbox_path("deep/er/cache"));
}

static void by_xdg(void)
{
    setenv("XDG_CACHE_HOME", sandbox_path("xdg"), 1);
    setenv("HOME", sandbox_path("home"), 1);
    in_folder(sandbox_path("xdg/yoke"));
    EXPECT(access(sandbox_path("home"), F_OK) != 0);
}

static void by_home(void)
{
    setenv("XDG_CACHE_HOME", "relative", 1); /* which its specification says to ignore */
    setenv("HOME", sandbox_path("home"), 1);
    in_folder(sandbox_path("home/.cache/yoke"));
    EXPECT(has_mode(sandbox_path("home/.cache"), 0700) && access("relative", F_OK) != 0);
}

static void nowhere(void)
{
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    is(YOKE_CACHE_OFF, "YOKE_CACHE_DIR");
}

static void relative(void)
{
    is(YOKE_CACHE_OFF, "absolute");
    EXPECT(access("some", F_OK) != 0);
}

/* ---- Which are not taken ---- */

static void is_file(void)
{
    EXPECT(sandbox_write(sandbox_path("file"), "", 0));
    is(YOKE_CACHE_OFF, strerror(ENOTDIR));
}

static void is_below_file(void)
{
    is(YOKE_CACHE_OFF, strerror(ENOTDIR));
}

static void is_link(void)
{
    char link[1024]; /* made anew: the variable may have a slash behind it */
    snprintf(link, sizeof link, "%s", sandbox_path("link"));
    mkdir(sandbox_path("real"), 0700);
    EXPECT((unlink(link) == 0 || errno == ENOENT) && symlink(sandbox_path("real"), link) == 0);
    is(YOKE_CACHE_OFF, "link");
    EXPECT(sandbox_count(sandbox_path("real"), "", NULL, 0) == 0);
}

static void is_open_to_group(void)
{
    EXPECT(mkdir(sandbox_path("group"), 0700) == 0 && chmod(sandbox_path("group"), 0770) == 0);
    is(YOKE_CACHE_OFF, "770");
}

static void is_open_to_all(void)
{
    EXPECT(mkdir(sandbox_path("all"), 0700) == 0 && chmod(sandbox_path("all"), 0707) == 0);
    is(YOKE_CACHE_OFF, "707");
}

static void is_shown_to_all(void)
{
    EXPECT(mkdir(sandbox_path("shown"), 0700) == 0 && chmod(sandbox_path("shown"), 0755) == 0);
    is(YOKE_CACHE_ON, "");
}

/* Root gives its folder away; anybody else looks at one of root's. */
static void is_of_another(void)
{
    if (geteuid() == 0)
        EXPECT(mkdir(sandbox_path("other"), 0755) == 0 && chown(sandbox_path("other"), NOBODY, (gid_t)-1) == 0);
    else
        setenv("YOKE_CACHE_DIR", "/usr", 1);
    is(YOKE_CACHE_OFF, "belongs to user");
}

/* As a user whom a mode can stop. */
static void is_read_only(void)
{
    EXPECT(mkdir(sandbox_path("fixed"), 0700) == 0);
    if (geteuid() == 0)
        EXPECT(chmod(sandbox_path(""), 0755) == 0 && chown(sandbox_path("fixed"), NOBODY, (gid_t)-1) == 0 && setuid(NOBODY) == 0);
    EXPECT(chmod(sandbox_path("fixed"), 0500) == 0);
    is(YOKE_CACHE_READ, strerror(EACCES));
    EXPECT(sandbox_count(sandbox_path("fixed"), "", NULL, 0) == 0);
}

static void cannot_be_made(void)
{
    is(YOKE_CACHE_OFF, "opened or created");
}

static void is_to_be_read_and_missing(void)
{
    setenv("YOKE_CACHE_DIR", sandbox_path("missing"), 1);
    is(YOKE_CACHE_OFF, strerror(ENOENT));
    EXPECT(access(sandbox_path("missing"), F_OK) != 0);
}

/* ---- The other variables ---- */

static void off(void)
{
    is(YOKE_CACHE_OFF, "");
    EXPECT(access(sandbox_path("cache"), F_OK) != 0);
}

static void on(void)
{
    is(YOKE_CACHE_ON, "");
}

static void mistyped(void)
{
    is(YOKE_CACHE_OFF, "off, read or on");
}

static void wrong_size(void)
{
    is(YOKE_CACHE_OFF, "number of MiB");
}

static void size(void)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    is(YOKE_CACHE_ON, "");
    EXPECT(yoke_cache_get_info(&info) == YOKE_OK && info.limit == (uint64_t)5000 << 20);
}

static void no_room(void)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    setenv("YOKE_CACHE_DIR", sandbox_path("roomless"), 1);
    EXPECT(!store_and_find() && yoke_cache_get_info(&info) == YOKE_OK && info.limit == 0 && info.mode == YOKE_CACHE_ON);
}

/* A program that runs with other rights than its user's: as root we can make ourselves one. */
static void other_rights(void)
{
    if (setresuid(NOBODY, 0, 0) == 0)
        execl("/proc/self/exe", "cache_folder", "other rights", (char *)NULL);
    EXPECT(!"the program could not be started");
}

static int with_other_rights(void)
{
    yoke_cache_info info = YOKE_CACHE_INFO_INIT;
    bool found = store_and_find();
    return found || yoke_cache_get_info(&info) != YOKE_OK || info.mode != YOKE_CACHE_OFF || !strstr(info.reason, "rights");
}

static void arguments(void)
{
    struct {
        yoke_cache_info info;
        char guard[8];
    } larger;
    EXPECT(yoke_cache_get_info(NULL) == YOKE_E_INVALID_ARGUMENT && strstr(yoke_error()->text, "out_info"));
    memset(&larger, 0x55, sizeof larger);
    larger.info.size = 0;
    EXPECT(yoke_cache_get_info(&larger.info) == YOKE_OK && larger.info.size == 0 && larger.info.misses == 0 &&
           larger.info.reason[255] == 0 && larger.guard[0] == 0x55);
    EXPECT(strcmp(yoke_error()->function, "yoke_cache_get_info") == 0);
    memset(&larger, 0x55, sizeof larger);
    larger.info.size = offsetof(yoke_cache_info, misses);
    EXPECT(yoke_cache_get_info(&larger.info) == YOKE_OK && larger.info.hits == 0 && larger.info.misses == 0x55555555);
    larger.info.size = sizeof larger;
    EXPECT(yoke_cache_get_info(&larger.info) == YOKE_OK && larger.info.size == sizeof larger && larger.guard[0] == 0 &&
           larger.guard[7] == 0);
}

static void with_path(const char *words, const char *name, const char *path, void (*fn)(void))
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s", sandbox_path(path));
    sandbox_case(words, name, whole, fn);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return with_other_rights();
    tap_start(60);
    sandbox_enter();
    with_path("YOKE_CACHE_DIR, which is made with all above it", "YOKE_CACHE_DIR", "deep/er/cache", by_dir);
    with_path("slashes at its end do no harm", "YOKE_CACHE_DIR", "deep/er/cache///", by_dir_with_slashes);
    sandbox_case("XDG_CACHE_HOME/yoke", "YOKE_CACHE_DIR", NULL, by_xdg);
    sandbox_case("HOME/.cache/yoke, also for one that is empty", "YOKE_CACHE_DIR", "", by_home);
    sandbox_case("none of them", "YOKE_CACHE_DIR", NULL, nowhere);
    sandbox_case("a relative path", "YOKE_CACHE_DIR", "some/folder", relative);

    with_path("a file", "YOKE_CACHE_DIR", "file", is_file);
    with_path("a folder below a file", "YOKE_CACHE_DIR", "file/cache", is_below_file);
    with_path("a link", "YOKE_CACHE_DIR", "link", is_link);
    with_path("a link with a slash behind it", "YOKE_CACHE_DIR", "link/", is_link);
    with_path("a folder that a group may write to", "YOKE_CACHE_DIR", "group", is_open_to_group);
    with_path("one that everybody may write to", "YOKE_CACHE_DIR", "all", is_open_to_all);
    with_path("one that everybody may only look at is fine", "YOKE_CACHE_DIR", "shown", is_shown_to_all);
    with_path("somebody else's", "YOKE_CACHE_DIR", "other", is_of_another);
    with_path("one that is read-only is only read", "YOKE_CACHE_DIR", "fixed", is_read_only);
    sandbox_case("one that cannot be made", "YOKE_CACHE_DIR", "/proc/yoke/cache", cannot_be_made);
    sandbox_case("one that is not there, only to be read", "YOKE_CACHE", "read", is_to_be_read_and_missing);

    sandbox_case("YOKE_CACHE=off", "YOKE_CACHE", "off", off);
    sandbox_case("YOKE_CACHE=on", "YOKE_CACHE", "on", on);
    sandbox_case("YOKE_CACHE is empty", "YOKE_CACHE", "", on);
    sandbox_case("YOKE_CACHE=maybe", "YOKE_CACHE", "maybe", mistyped);
    static const char *const sizes[] = { "5GB", "-1", " 5", "99999999999999999999999", "17592186044416" };
    for (size_t i = 0; i < YK_COUNT_OF(sizes); i++)
        sandbox_case(sizes[i], "YOKE_CACHE_SIZE", sizes[i], wrong_size);
    sandbox_case("YOKE_CACHE_SIZE=5000", "YOKE_CACHE_SIZE", "5000", size);
    sandbox_case("YOKE_CACHE_SIZE=0 has room for nothing", "YOKE_CACHE_SIZE", "0", no_room);
    sandbox_case("yoke_cache_get_info looks at its argument", NULL, NULL, arguments);
    if (getenv("YOKE_TEST_EMULATOR"))
        tap_skip("a program with other rights than its user's: an emulator of another processor cannot start it");
    else if (geteuid() == 0)
        sandbox_case("a program with other rights than its user's has none", NULL, NULL, other_rights);
    else
        tap_skip("a program with other rights than its user's: only root can try");
    sandbox_leave();
    return tap_done();
}
