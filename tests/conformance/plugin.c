/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plugins that use Yoke are loaded, used and closed by a program that does not: with libyoke.so, which comes and would go with
 * them, and with libyoke.a inside. Threads of Yoke's outlive what they were started for by a second, and a thread keeps texts until
 * it ends: none of that may lie in memory that dlclose has taken away. Each case is a process of its own.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap/tap.h"
#include "plugin.h"

/* So long until Yoke's threads have to be gone, which take a second; in milliseconds. */
enum { PATIENCE = 60000 };

/* ---- In the process of a case ---- */

static void *handle;
static const plugin *offered;
static unsigned threads_before; /* those of the driver, which stay */

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "# %s: %s\n", what, why);
    _exit(1);
}

static unsigned count_threads(void)
{
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");

    if (!tasks)
        fail("/proc/self/task", "cannot be read");
    for (struct dirent *entry; (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

static bool lives(pid_t thread)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/task/%ld", (long)thread);
    return thread && access(path, F_OK) == 0;
}

/* Those that ran something of the plugin's, and whatever else was started since the device was opened. */
static void wait_for_threads(const pid_t threads[PLUGIN_MOST_THREADS])
{
    for (unsigned waited = 0;; waited++) {
        bool left = count_threads() > threads_before;

        for (unsigned i = 0; i < PLUGIN_MOST_THREADS; i++)
            left = left || lives(threads[i]);
        if (!left)
            return;
        if (waited == PATIENCE)
            fail("the threads of Yoke", "have not ended");
        usleep(1000);
    }
}

static void load(const char *path)
{
    char why[512] = "";
    char *devices = getenv("YOKE_TEST_DEVICES");

    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fail("dlopen", dlerror());
    offered = dlsym(handle, "plugin_offers");
    if (!offered)
        fail("dlsym", dlerror());
    if (devices)
        devices = strndup(devices, strcspn(devices, ","));
    int status = offered->begin(devices && *devices ? devices : NULL, why, sizeof why);
    free(devices);
    if (status == PLUGIN_NO_DEVICE) {
        fprintf(stderr, "%s\n", why);
        _exit(PLUGIN_NO_DEVICE);
    }
    if (status)
        fail("the plugin's device", why);
    threads_before = count_threads();
}

static void close_plugin(void)
{
    if (dlclose(handle) != 0)
        fail("dlclose", dlerror());
    handle = NULL;
    offered = NULL;
}

static void use(pid_t out_threads[PLUGIN_MOST_THREADS])
{
    if (offered->work(out_threads))
        fail("the plugin", "its functions were not called");
    if (!out_threads[0])
        fail("the plugin", "it names no thread");
}

static void while_idle(const char *path)
{
    pid_t threads[PLUGIN_MOST_THREADS];

    load(path);
    use(threads);
    offered->end();
    close_plugin();
    wait_for_threads(threads);
}

static void twice(const char *path)
{
    while_idle(path);
    while_idle(path);
}

static void at_once_again(const char *path)
{
    pid_t threads[PLUGIN_MOST_THREADS], later[PLUGIN_MOST_THREADS];

    load(path);
    unsigned before = threads_before;
    use(threads);
    offered->end();
    close_plugin();
    load(path);
    use(later);
    offered->end();
    close_plugin();
    threads_before = before;
    wait_for_threads(threads);
    wait_for_threads(later);
}

static void *close_there(void *unused)
{
    (void)unused;
    offered->texts();
    close_plugin();
    return NULL;
}

static void from_another_thread(const char *path)
{
    pid_t threads[PLUGIN_MOST_THREADS];
    pthread_t other;

    load(path);
    use(threads);
    offered->end();
    if (pthread_create(&other, NULL, close_there, NULL) != 0 || pthread_join(other, NULL) != 0)
        fail("a thread", "cannot be had");
    wait_for_threads(threads);
    while_idle(path);
}

typedef struct meeting {
    pthread_barrier_t asked, closed;
} meeting;

static void *keep_texts(void *user)
{
    meeting *m = user;

    offered->texts();
    pthread_barrier_wait(&m->asked);
    pthread_barrier_wait(&m->closed);
    return NULL;
}

static void texts_of_a_thread(const char *path)
{
    meeting m;
    pthread_t other;

    pthread_barrier_init(&m.asked, NULL, 2);
    pthread_barrier_init(&m.closed, NULL, 2);
    load(path);
    if (pthread_create(&other, NULL, keep_texts, &m) != 0)
        fail("a thread", "cannot be had");
    pthread_barrier_wait(&m.asked);
    offered->end();
    close_plugin();
    pthread_barrier_wait(&m.closed);
    pthread_join(other, NULL); /* its destructors have run */
    while_idle(path);
}

typedef struct turn {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool begun, may_end, has_ended;
    pid_t thread;
} turn;

/* The program's own, since the plugin's would be gone. */
static int stand_still(int status, void *user)
{
    turn *t = user;

    pthread_mutex_lock(&t->lock);
    t->begun = true;
    t->thread = gettid();
    pthread_cond_broadcast(&t->changed);
    while (!t->may_end)
        pthread_cond_wait(&t->changed, &t->lock);
    t->has_ended = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    return status;
}

static void with_work_pending(const char *path)
{
    turn t = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    pid_t threads[PLUGIN_MOST_THREADS] = { 0 };

    load(path);
    if (offered->pending(stand_still, &t))
        fail("the plugin", "cannot enqueue");
    offered->end();
    pthread_mutex_lock(&t.lock);
    while (!t.begun)
        pthread_cond_wait(&t.changed, &t.lock);
    close_plugin();
    threads[0] = t.thread;
    t.may_end = true;
    pthread_cond_broadcast(&t.changed);
    while (!t.has_ended)
        pthread_cond_wait(&t.changed, &t.lock);
    pthread_mutex_unlock(&t.lock);
    wait_for_threads(threads);
    while_idle(path);
}

/* ---- The cases ---- */

static const struct {
    const char *name;
    void (*run)(const char *path);
} cases[] = {
    { "closed while the library is idle", while_idle },
    { "loaded, used and closed twice", twice },
    { "loaded again before the threads have ended", at_once_again },
    { "closed by another thread", from_another_thread },
    { "closed before a thread that keeps texts ends", texts_of_a_thread },
    { "closed with work pending", with_work_pending },
};

static const struct {
    const char *name, *path, *needs;
} kinds[] = {
    { "libyoke.so", PLUGIN_FOLDER "/plugin_shared.so", LIBRARY_FOLDER "/libyoke.so" },
    { "libyoke.a inside", PLUGIN_FOLDER "/plugin_static.so", NULL },
};

/* What the process says goes to stderr, but the reason of a skip into `why`. */
static int run_aside(size_t kind, size_t which, char *why, size_t size)
{
    int ends[2], status = 0;

    why[0] = '\0';
    if (pipe(ends) != 0)
        tap_bail("no pipe");
    pid_t child = fork();
    if (child < 0)
        tap_bail("no process");
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        cases[which].run(kinds[kind].path);
        _exit(0);
    }
    close(ends[1]);
    for (size_t length = 0; length + 1 < size;) {
        ssize_t got = read(ends[0], why + length, size - 1 - length);
        if (got <= 0)
            break;
        length += (size_t)got;
        why[length] = '\0';
    }
    close(ends[0]);
    if (waitpid(child, &status, 0) != child)
        tap_bail("the process is lost");
    for (size_t length = strlen(why); length > 0 && why[length - 1] == '\n'; length--)
        why[length - 1] = '\0';
    return status;
}

int main(void)
{
    const char *backend = getenv("YOKE_BACKEND"), *required = getenv("YOKE_TEST_REQUIRE");
    bool must = required && (!backend || strstr(required, backend));
    char why[4096];

    tap_start(180);
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        if (kinds[kind].needs ? access(kinds[kind].needs, F_OK) != 0 : !NODELETE_IS_KNOWN) {
            tap_skip("%s: not in this build", kinds[kind].name);
            continue;
        }
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            int status = run_aside(kind, i, why, sizeof why);
            if (WIFEXITED(status) && WEXITSTATUS(status) == PLUGIN_NO_DEVICE && !must && kind == 0 && i == 0)
                tap_skip_all("%s", why);
            else if (!tap_ok(status == 0, "a plugin with %s: %s", kinds[kind].name, cases[i].name))
                tap_diag("%s %d; it said: %s", WIFSIGNALED(status) ? "signal" : "exit status",
                         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), why);
        }
    }
    return tap_done();
}
